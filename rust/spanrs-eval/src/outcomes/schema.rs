//! Names and weights of the outcomes that matchers count.
//!
//! A schema is static data. Measures, summaries and stored counts use only the schema of a matcher,
//! so they need no code for a new matcher.

use serde::Serialize;
use spanrs_base::Named;

/// A possible decision of a matcher about a span or a pair of spans under a criterion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The name in results and exports.
    pub name: &'static str,
    /// The amounts that one such outcome adds to true positives, false positives and false
    /// negatives, in this order.
    ///
    /// `[0.5, 0.5, 0.5]`, for example, is a partial match that is half right on both sides.
    /// Outcomes without weight are counted, but do not affect precision and recall.
    pub weights: [f64; 3],
}

impl Outcome {
    /// Creates an outcome with its weights (TP, FP, FN).
    pub const fn new(name: &'static str, weights: [f64; 3]) -> Self {
        Self { name, weights }
    }

    /// Creates an outcome that is counted but does not affect precision and recall.
    pub const fn unweighted(name: &'static str) -> Self {
        Self::new(name, [0.0; 3])
    }
}

/// The type that an outcome between spans of two types is assigned to.
///
/// For a gold `LOC` and a pred `ORG` that are one false positive and one false negative:
/// [`Axis::Own`] gives `LOC` the false negative and `ORG` the false positive, [`Axis::Gold`] gives
/// `LOC` both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// True positives and false negatives count towards the gold type, false positives towards the
    /// pred type.
    Own,
    /// All count towards the gold type, or towards the pred type if there is no gold span.
    Gold,
    /// All count towards the pred type, or towards the gold type if there is no pred span.
    Pred,
}

impl Named for Axis {
    const WHAT: &'static str = "axis";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("own", Self::Own),
        ("gold", Self::Gold),
        ("pred", Self::Pred),
    ];
}

spanrs_base::serde_by_name!(Axis);

/// A question that a matcher answers about every span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Criterion {
    /// The name in results and exports.
    pub name: &'static str,
    /// The possible answers, at most 256. A [`Cell`] contains the index of an outcome.
    pub outcomes: &'static [Outcome],
    /// True if cells have the types of their spans. False for counts of tokens or sentences.
    pub typed: bool,
    /// The type that pairs of spans with different types are assigned to, unless a measure has its
    /// own axis.
    pub axis: Axis,
    /// Index of the criterion that provides the per-type measures, for matchers that match the
    /// spans of each type separately; None if this is the criterion itself.
    pub per_type: Option<u8>,
    /// Index of the criterion that defines support (TP + FN); None if this is the criterion itself.
    pub support: Option<u8>,
    /// Index of the criterion whose cells this criterion shares, with its own weights; None if it
    /// has its own cells.
    pub cells_of: Option<u8>,
    /// Value of precision, recall and ratios whose denominator is 0: 0, or 1 for MATScore.
    pub empty: f64,
    /// True if types can be renamed or merged in the counts without matching again
    /// ([`Counts::renamed`](super::Counts::renamed)). This requires the outcomes `match`, `missed`,
    /// `spurious` and `mistyped`.
    pub renames: bool,
}

impl Criterion {
    /// Creates a typed criterion with its own cells, whose measures are 0 if their denominator is
    /// 0.
    pub const fn new(name: &'static str, outcomes: &'static [Outcome]) -> Self {
        Self {
            name,
            outcomes,
            typed: true,
            axis: Axis::Own,
            per_type: None,
            support: None,
            cells_of: None,
            empty: 0.0,
            renames: false,
        }
    }

    /// Returns the outcomes with nonzero weights, one term each, in their order.
    pub fn terms(&self) -> Vec<(Vec<u8>, [f64; 3])> {
        let known = (0..).zip(self.outcomes);
        let counted = known.filter(|(_, outcome)| outcome.weights != [0.0; 3]);
        counted
            .map(|(at, outcome)| (vec![at], outcome.weights))
            .collect()
    }
}

/// Totals of the corpus; the last criterion of matchers of tags.
///
/// In this order: sentences; tokens; tokens with equal tags; gold and pred tokens that are not `O`;
/// gold and pred violations of the scheme; tokens that differ between two files; pairs of files
/// whose tokens were not compared; groups of spans that renamed types may pair differently
/// ([`AMBIGUOUS_BOUNDS`]); and, among compared pairs of spans with equal type and start, all pairs,
/// pairs whose pred end is one less, and pairs whose pred end is one more than the gold end.
pub const CORPUS: Criterion = Criterion {
    typed: false,
    ..Criterion::new(
        "corpus",
        &[
            Outcome::unweighted("sentences"),
            Outcome::unweighted("tokens"),
            Outcome::unweighted("correct_tokens"),
            Outcome::unweighted("gold_labelled"),
            Outcome::unweighted("pred_labelled"),
            Outcome::unweighted("gold_violations"),
            Outcome::unweighted("pred_violations"),
            Outcome::unweighted("differing_tokens"),
            Outcome::unweighted("unaligned_files"),
            Outcome::unweighted("ambiguous_bounds"),
            Outcome::unweighted("equal_starts"),
            Outcome::unweighted("ends_one_less"),
            Outcome::unweighted("ends_one_more"),
        ],
    )
};

/// Index in [`CORPUS`] of the sentences.
pub(crate) const SENTENCES: u8 = 0;
// Stored counts use these indices, so new outcomes are appended.

/// Index in [`CORPUS`] of the pred tokens that are not `O`.
pub(crate) const PRED_LABELLED: u8 = 4;
/// Index in [`CORPUS`] of the tokens that differ between two files.
pub const DIFFERING_TOKENS: u8 = 7;
/// Index in [`CORPUS`] of the pairs of files whose tokens were not compared, because one side has
/// no tokens.
pub const UNALIGNED_FILES: u8 = 8;
/// Index in [`CORPUS`] of the groups of unmatched spans with equal bounds and tokens that contain
/// more than one gold or more than one pred span, so that renamed types may pair them differently.
/// Only the exact matcher counts them.
pub const AMBIGUOUS_BOUNDS: u8 = 9;

/// The criteria and outcomes of a matcher.
///
/// ```
/// use spanrs_eval::EXACT;
/// let span = &EXACT.criteria[usize::from(EXACT.criterion("span").unwrap())];
/// let names: Vec<_> = span.outcomes.iter().map(|outcome| outcome.name).collect();
/// assert_eq!(names, ["match", "missed", "spurious", "mistyped"]);
/// ```
#[derive(Debug, PartialEq)]
pub struct Schema {
    /// The name of the matcher, which is part of stored counts.
    pub name: &'static str,
    /// The criteria, at most 256. A [`Cell`] contains the index of a criterion. The first is the
    /// default of results.
    pub criteria: &'static [Criterion],
}

/// A [`Criterion`] as plain data, with names instead of indices.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename = "Criterion")]
pub struct PlainCriterion {
    /// Index in the schema.
    pub index: u8,
    /// The name.
    pub name: &'static str,
    /// Names of the outcomes.
    pub outcomes: Vec<&'static str>,
    /// Weights (TP, FP, FN) of each outcome.
    pub weights: Vec<[f64; 3]>,
    /// Name of the criterion that provides the per-type measures.
    pub per_type: &'static str,
    /// Name of the criterion that defines support.
    pub support: &'static str,
    /// Index of the criterion whose cells this criterion uses; usually its own index.
    pub cells: u8,
    /// Whether types can be renamed without matching again.
    pub renames: bool,
}

impl Schema {
    /// Returns the criteria as plain data, in order.
    pub fn plain_criteria(&self) -> Vec<PlainCriterion> {
        let criteria = (0..).zip(self.criteria);
        let plain = criteria.map(|(index, criterion)| {
            let name_of = |other: Option<u8>| {
                other.map_or(criterion.name, |at| self.criteria[usize::from(at)].name)
            };
            PlainCriterion {
                index,
                name: criterion.name,
                outcomes: criterion
                    .outcomes
                    .iter()
                    .map(|outcome| outcome.name)
                    .collect(),
                weights: criterion
                    .outcomes
                    .iter()
                    .map(|outcome| outcome.weights)
                    .collect(),
                per_type: name_of(criterion.per_type),
                support: name_of(criterion.support),
                cells: criterion.cells_of.unwrap_or(index),
                renames: criterion.renames,
            }
        });
        plain.collect()
    }

    /// Returns true if a cell may be counted.
    ///
    /// The criterion and the outcome must exist, the criterion must have its own cells, and the
    /// cell must have no types if the criterion has none.
    pub fn contains(&self, cell: &Cell) -> bool {
        let criterion = self.criteria.get(usize::from(cell.criterion));
        criterion.is_some_and(|c| {
            c.cells_of.is_none()
                && usize::from(cell.outcome) < c.outcomes.len()
                && (c.typed || (cell.gold, cell.pred) == (None, None))
        })
    }

    /// Returns the outcomes of a criterion; empty for an index out of range.
    pub fn outcomes(&self, criterion: u8) -> &'static [Outcome] {
        let criterion = self.criteria.get(usize::from(criterion));
        criterion.map_or(&[], |criterion| criterion.outcomes)
    }

    /// Returns the index of a criterion; None for an unknown name.
    pub fn criterion(&self, name: &str) -> Option<u8> {
        (0..)
            .zip(self.criteria)
            .find_map(|(at, criterion)| (criterion.name == name).then_some(at))
    }
}

/// Number of a cell within one [`Counts`](super::Counts), from 0 in the order of first use.
pub type CellId = u32;

/// An outcome between a gold type and a pred type: the key of a count.
///
/// Cells are stored in the derived order (by criterion, outcome, gold type, pred type, None first).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// Index of the criterion in its [`Schema`].
    pub criterion: u8,
    /// Index of the outcome in its [`Criterion`].
    pub outcome: u8,
    /// Number of the gold span's type; None if there is no gold span or the criterion has no types.
    pub gold: Option<u32>,
    /// Number of the pred span's type; None if there is no pred span or the criterion has no types.
    pub pred: Option<u32>,
}

impl Cell {
    /// Creates a cell.
    pub fn new(criterion: u8, outcome: u8, gold: Option<u32>, pred: Option<u32>) -> Self {
        Self {
            criterion,
            outcome,
            gold,
            pred,
        }
    }
}
