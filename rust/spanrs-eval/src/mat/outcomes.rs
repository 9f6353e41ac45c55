//! The schema of MATScore's counts, and the translation of pairs and intervals into outcomes.
//!
//! | criterion | counts | outcomes |
//! |---|---|---|
//! | `tag` | annotations | match, missing, spurious, 3 times 7 kinds of clashes, elements |
//! | `token`, `pseudo_token`, `character` | elements | match, ..., clash, elements, present |
//! | `corpus` | documents | documents, misplaced |
//!
//! MATScore's columns are sums of these counts. The reftotal of a label, for example, is the number
//! of outcomes with this gold type, except clashes that count only towards pred. In all tables,
//! `elements` is the size of the documents (MATScore's "test toks", "test pseudo-toks", "test
//! chars"). Precision and recall are 1 if their denominator is 0.

use super::elements::Unit;
use super::intervals::Interval;
use super::kind::Kind;
use super::pairing::Pair;
use crate::Side;
use crate::matcher::{Event, Sink};
use crate::outcomes::{Cell, Criterion, Outcome, Schema};

/// Index of the criterion of annotations. The criteria of elements follow, in the order of
/// [`Unit`].
pub const TAG: u8 = 0;
/// Index of the criterion of documents.
const CORPUS: u8 = 4;

/// Outcomes of annotations.
///
/// First the [`Kind`]s of pairs by their values; then, in the order of the kinds, clashes that
/// count only towards the gold annotation ([`Unpaired::Clash`](super::Unpaired::Clash)); then
/// clashes that count only towards the pred annotation. All kinds are from the point of view of
/// pred.
const TAG_OUTCOMES: &[Outcome] = &[
    Outcome::new("match", [1.0, 0.0, 0.0]),
    Outcome::new("missing", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
    Outcome::new("tagclash", BOTH),
    Outcome::new("overmark", BOTH),
    Outcome::new("undermark", BOTH),
    Outcome::new("overlap", BOTH),
    Outcome::new("tagplusovermark", BOTH),
    Outcome::new("tagplusundermark", BOTH),
    Outcome::new("tagplusoverlap", BOTH),
    Outcome::new("gold_tagclash", GOLD),
    Outcome::new("gold_overmark", GOLD),
    Outcome::new("gold_undermark", GOLD),
    Outcome::new("gold_overlap", GOLD),
    Outcome::new("gold_tagplusovermark", GOLD),
    Outcome::new("gold_tagplusundermark", GOLD),
    Outcome::new("gold_tagplusoverlap", GOLD),
    Outcome::new("pred_tagclash", PRED),
    Outcome::new("pred_overmark", PRED),
    Outcome::new("pred_undermark", PRED),
    Outcome::new("pred_overlap", PRED),
    Outcome::new("pred_tagplusovermark", PRED),
    Outcome::new("pred_tagplusundermark", PRED),
    Outcome::new("pred_tagplusoverlap", PRED),
    Outcome::unweighted("elements"),
];
/// Weights of a clash of two annotations: a false positive and a false negative.
const BOTH: [f64; 3] = [0.0, 1.0, 1.0];
/// Weights of outcomes that affect only gold: a false negative.
const GOLD: [f64; 3] = [0.0, 0.0, 1.0];
/// Weights of outcomes that affect only pred: a false positive.
const PRED: [f64; 3] = [0.0, 1.0, 0.0];
/// Index of `elements` in [`TAG_OUTCOMES`]: the number of tokens of the document.
const TAG_ELEMENTS: u8 = 24;

/// Outcomes of elements: the first three are the same as for annotations, then one kind of clash.
const ELEMENT_OUTCOMES: &[Outcome] = &[
    Outcome::new("match", [1.0, 0.0, 0.0]),
    Outcome::new("missing", GOLD),
    Outcome::new("spurious", PRED),
    Outcome::new("clash", BOTH),
    // All elements of the document, annotated or not.
    Outcome::unweighted("elements"),
    // A label occurs, but covers no element.
    Outcome::unweighted("present"),
];
/// Index in [`ELEMENT_OUTCOMES`] of elements that have different labels on the two sides.
const CLASH: u8 = 3;
/// Index in [`ELEMENT_OUTCOMES`] of all elements of documents, annotated or not.
const ELEMENTS: u8 = 4;
/// Index in [`ELEMENT_OUTCOMES`] of intervals that cover no element. A label that occurs but never
/// covers an element thus gets a row of zeros.
const PRESENT: u8 = 5;

/// Returns a typed criterion whose measures are 1 if their denominator is 0, as in MATScore.
const fn criterion(name: &'static str, outcomes: &'static [Outcome]) -> Criterion {
    Criterion {
        empty: 1.0,
        ..Criterion::new(name, outcomes)
    }
}

/// Criteria of annotations, of each [`Unit`], and of documents.
///
/// ```
/// use spanrs_eval::mat::{SCHEMA, TAG, Unit};
/// assert_eq!(SCHEMA.criterion("tag"), Some(TAG));
/// assert_eq!(SCHEMA.criterion("pseudo_token"), Some(Unit::PseudoToken as u8 + 1));
/// ```
pub static SCHEMA: Schema = Schema {
    name: "mat",
    criteria: &[
        criterion("tag", TAG_OUTCOMES),
        criterion("token", ELEMENT_OUTCOMES),
        criterion("pseudo_token", ELEMENT_OUTCOMES),
        criterion("character", ELEMENT_OUTCOMES),
        Criterion {
            typed: false,
            ..Criterion::new(
                "corpus",
                &[
                    Outcome::unweighted("documents"),
                    // Documents with an annotation boundary that is not a token boundary.
                    Outcome::unweighted("misplaced"),
                ],
            )
        },
    ],
};

impl Pair {
    /// Returns the index of the pair's outcome in [`TAG_OUTCOMES`].
    fn outcome(&self) -> u8 {
        let clashes = Kind::CLASHES as u8;
        self.kind as u8
            + match self.single {
                None => 0,
                Some(Side::Gold) => clashes,
                Some(Side::Pred) => 2 * clashes,
            }
    }

    /// Reports the pair as one event of the criterion [`TAG`].
    pub(super) fn emit(&self, sink: &mut dyn Sink) {
        sink.event(Event::new(TAG, self.outcome(), self.gold, self.pred));
    }
}

/// Reports the totals of a document: the document itself, whether it has misplaced bounds, and its
/// number of pred tokens.
pub(super) fn emit_document(tokens: u64, misplaced: bool, sink: &mut dyn Sink) {
    let mut count = |criterion, outcome, n| {
        sink.count(Cell::new(criterion, outcome, None, None), n);
    };
    count(CORPUS, 0, 1);
    count(CORPUS, 1, u64::from(misplaced));
    count(TAG, TAG_ELEMENTS, tokens);
}

/// Reports the elements that intervals cover under the criterion of `unit`.
///
/// - `elements`: number of elements of the whole document.
/// - `sizes`: number of elements of each interval; shorter than `intervals` only if the document
///   has no elements.
///
/// Intervals of size 0 are reported as `present`, once for each of their labels.
pub(super) fn emit_elements(
    unit: Unit,
    elements: u64,
    sizes: &[u64],
    intervals: &[Interval],
    sink: &mut dyn Sink,
) {
    let criterion = unit as u8 + 1;
    let mut count = |outcome, gold, pred, n| {
        sink.count(Cell::new(criterion, outcome, gold, pred), n);
    };
    count(ELEMENTS, None, None, elements);
    for (&Interval { gold, pred, .. }, &size) in intervals.iter().zip(sizes) {
        if size == 0 {
            for (gold, pred) in [(gold, None), (None, pred)] {
                if gold.or(pred).is_some() {
                    count(PRESENT, gold, pred, 1);
                }
            }
            continue;
        }
        let outcome = match (gold, pred) {
            (Some(gold), Some(pred)) if gold == pred => Kind::Match as u8,
            (Some(_), Some(_)) => CLASH,
            (Some(_), None) => Kind::Missing as u8,
            (None, _) => Kind::Spurious as u8,
        };
        count(outcome, gold, pred, size);
    }
}
