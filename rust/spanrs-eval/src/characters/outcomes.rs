//! The outcomes and the schema of masks.
//!
//! For gold A [0, 10) and pred A [0, 4), B [4, 6), A [12, 13):
//!
//! | criterion | outcomes |
//! |---|---|
//! | `characters` | 4 match, 2 mistyped (A, B), 4 leaked, 1 over_masked |
//! | `masked` | 6 match, 4 leaked, 1 over_masked |
//! | `spans`, threshold 0.9 | A missed; A, B and A spurious |
//! | `untyped_spans` | missed, 2 spurious |

use crate::outcomes::{CORPUS, Criterion, Outcome, Schema};

/// Index of the criterion of positions by type.
pub const CHARACTERS: u8 = 0;
/// Index of the criterion of positions regardless of type.
pub const MASKED: u8 = 1;
/// Index of the companion of [`MASKED`] with the measures of each type.
pub(super) const MASKED_BY_TYPE: u8 = 2;
/// Index of the criterion of spans by type.
pub const SPANS: u8 = 3;
/// Index of the criterion of stretches regardless of type.
pub const UNTYPED_SPANS: u8 = 4;

/// Covered on both sides: in all criteria the first outcome.
pub(super) const MATCH: u8 = 0;
/// Covered on both sides, but by another type: outcome of `characters` and `spans`.
pub(super) const MISTYPED: u8 = 1;
/// Covered only by gold: outcome of `characters`.
pub(super) const LEAKED: u8 = 2;
/// Covered only by pred: outcome of `characters`.
pub(super) const OVER_MASKED: u8 = 3;
/// Covered by more gold types than pred types: outcome of `characters`.
pub(super) const MISSED_TYPE: u8 = 4;
/// Covered by more pred types than gold types: outcome of `characters`.
pub(super) const EXTRA_TYPE: u8 = 5;
/// Covered only by gold: outcome of `masked`.
pub(super) const MASKED_LEAKED: u8 = 1;
/// Covered only by pred: outcome of `masked`.
pub(super) const MASKED_OVER: u8 = 2;
/// A gold span that is not covered: outcome of `spans` and `untyped_spans`.
pub(super) const MISSED: u8 = 2;
/// A prediction that covers no gold span: outcome of `spans` and `untyped_spans`.
pub(super) const SPURIOUS: u8 = 3;

/// Outcomes of `masked`, which has no types.
const MASKED_OUTCOMES: &[Outcome] = &[
    Outcome::new("match", [1.0, 0.0, 0.0]),
    Outcome::new("leaked", [0.0, 0.0, 1.0]),
    Outcome::new("over_masked", [0.0, 1.0, 0.0]),
];

/// Outcomes of spans and of stretches, which are never mistyped.
const SPAN_OUTCOMES: &[Outcome] = &[
    Outcome::new("match", [1.0, 0.0, 0.0]),
    Outcome::new("mistyped", [0.0, 1.0, 1.0]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// The criteria of masks and the totals of the corpus.
///
/// # Examples
///
/// ```
/// use spanrs_eval::characters::{CHARACTERS, MASKED, SCHEMA};
/// let criterion = SCHEMA.criteria[usize::from(MASKED)];
/// assert_eq!(criterion.per_type, SCHEMA.criterion("masked_by_type"));
/// assert_eq!(SCHEMA.outcomes(CHARACTERS)[2].name, "leaked");
/// ```
pub static SCHEMA: Schema = Schema {
    name: "characters",
    criteria: &[
        Criterion::new(
            "characters",
            &[
                Outcome::new("match", [1.0, 0.0, 0.0]),
                Outcome::new("mistyped", [0.0, 1.0, 1.0]),
                Outcome::new("leaked", [0.0, 0.0, 1.0]),
                Outcome::new("over_masked", [0.0, 1.0, 0.0]),
                Outcome::new("missed_type", [0.0, 0.0, 1.0]),
                Outcome::new("extra_type", [0.0, 1.0, 0.0]),
            ],
        ),
        // Without types, so that nested spans of several types count a position once.
        Criterion {
            typed: false,
            per_type: Some(MASKED_BY_TYPE),
            ..Criterion::new("masked", MASKED_OUTCOMES)
        },
        Criterion::new("masked_by_type", MASKED_OUTCOMES),
        Criterion::new("spans", SPAN_OUTCOMES),
        Criterion {
            typed: false,
            ..Criterion::new("untyped_spans", SPAN_OUTCOMES)
        },
        CORPUS,
    ],
};
