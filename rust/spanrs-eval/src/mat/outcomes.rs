//! What comes of the pairs of annotations of a document, and of the elements they cover.

use super::intervals::Interval;
use super::{Kind, Pair, Unit};
use crate::Side;
use crate::matcher::{Event, Sink};
use crate::outcomes::{Cell, Criterion, Outcome, Schema};

/// Index of the criterion of annotations. Those of elements follow, in the order of [`Unit`].
pub const TAG: u8 = 0;
/// Index of the criterion of what is counted for documents.
const CORPUS: u8 = 4;

/// Outcomes of annotations: [`Kind`]s of pairs; then clashes of gold's annotation alone, whose partner has another
/// one, by kind; then those of pred's. Kinds are seen from pred.
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
const BOTH: [f64; 3] = [0.0, 1.0, 1.0];
const GOLD: [f64; 3] = [0.0, 0.0, 1.0];
const PRED: [f64; 3] = [0.0, 1.0, 0.0];
/// Index of the elements of the document among the outcomes of annotations.
const TAG_ELEMENTS: u8 = 24;

/// Outcomes of elements: as for annotations, with one kind of clash.
const ELEMENT_OUTCOMES: &[Outcome] = &[
    Outcome::new("match", [1.0, 0.0, 0.0]),
    Outcome::new("missing", GOLD),
    Outcome::new("spurious", PRED),
    Outcome::new("clash", BOTH),
    // Of the whole document, whether annotated or not.
    Outcome::unweighted("elements"),
    // A label occurs, but covers no element.
    Outcome::unweighted("present"),
];
const CLASH: u8 = 3;
const ELEMENTS: u8 = 4;
const PRESENT: u8 = 5;

/// A criterion whose measures of nothing are 1, as in MATScore.
const fn criterion(name: &'static str, outcomes: &'static [Outcome]) -> Criterion {
    Criterion {
        empty: 1.0,
        ..Criterion::new(name, outcomes)
    }
}

/// What MATScore counts.
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
    /// Index of what became of it among the outcomes of annotations.
    fn outcome(&self) -> u8 {
        let clashes = Kind::CLASHES as u8;
        self.kind as u8
            + match self.single {
                None => 0,
                Some(Side::Gold) => clashes,
                Some(Side::Pred) => 2 * clashes,
            }
    }

    /// Tells the sink of the pair.
    pub(super) fn emit(&self, sink: &mut dyn Sink) {
        sink.event(Event::new(TAG, self.outcome(), self.gold, self.pred));
    }
}

/// Tells the sink of a document with so many tokens in pred.
pub(super) fn emit_document(tokens: u64, misplaced: bool, sink: &mut dyn Sink) {
    let mut count = |criterion, outcome, n| {
        sink.count(Cell::new(criterion, outcome, None, None), n);
    };
    count(CORPUS, 0, 1);
    count(CORPUS, 1, u64::from(misplaced));
    count(TAG, TAG_ELEMENTS, tokens);
}

/// Tells the sink of the elements of intervals, of which the whole document has `elements`.
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
