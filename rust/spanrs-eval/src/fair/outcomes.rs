//! The outcomes and the schema of the fair matcher, and functions that report outcomes to a sink.

use crate::matcher::{Event, Sink};
use crate::outcomes::{Axis, CORPUS, Criterion, Outcome, Schema};

/// Index of the criterion of traditional evaluation; its outcomes are the first three values of
/// [`Kind`].
pub const TRADITIONAL: u8 = 0;
/// Index of the criterion of fair evaluation; its outcomes are the values of [`Kind`].
pub const FAIR: u8 = 1;

/// The criteria `traditional`, `fair` and `weighted`, and the corpus counts.
///
/// In `fair` every error other than a plain FP or FN is half a false positive and half a false
/// negative. `weighted` shares the cells of `fair` but has other weights. Pairs count towards the
/// type of the gold span by default (FairEval's focus `target`), and support is defined by
/// `traditional`.
pub static SCHEMA: Schema = Schema {
    name: "fair",
    criteria: &[
        Criterion::new(
            "traditional",
            &[
                Outcome::new("tp", [1.0, 0.0, 0.0]),
                Outcome::new("fp", [0.0, 1.0, 0.0]),
                Outcome::new("fn", [0.0, 0.0, 1.0]),
            ],
        ),
        Criterion {
            axis: Axis::Gold,
            support: Some(TRADITIONAL),
            ..Criterion::new("fair", &outcomes([[0.0, 0.5, 0.5]; 5]))
        },
        // Weights of Ortmann (2022): boundary errors are half right.
        Criterion {
            axis: Axis::Gold,
            support: Some(TRADITIONAL),
            cells_of: Some(FAIR),
            ..Criterion::new(
                "weighted",
                &outcomes([
                    [0.0, 0.5, 0.5],
                    [0.5, 0.0, 0.5],
                    [0.5, 0.5, 0.0],
                    [0.5, 0.25, 0.25],
                    [0.0, 0.5, 0.5],
                ]),
            )
        },
        CORPUS,
    ],
};

/// Returns the outcomes in the order of [`Kind`], with (TP, FP, FN) weights for the five kinds of
/// errors between two spans.
const fn outcomes([le, bes, bel, beo, lbe]: [[f64; 3]; 5]) -> [Outcome; 8] {
    [
        Outcome::new("tp", [1.0, 0.0, 0.0]),
        Outcome::new("fp", [0.0, 1.0, 0.0]),
        Outcome::new("fn", [0.0, 0.0, 1.0]),
        Outcome::new("le", le),
        Outcome::new("bes", bes),
        Outcome::new("bel", bel),
        Outcome::new("beo", beo),
        Outcome::new("lbe", lbe),
    ]
}

/// Outcome of a span or a pair of spans; its value is [`Event::outcome`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pair of equal spans.
    Tp,
    /// An unpaired pred span.
    Fp,
    /// An unpaired gold span.
    Fn,
    /// Labelling error: a pair with equal bounds and different types.
    Le,
    /// Boundary error, smaller: a pair with equal types in which pred is inside gold.
    Bes,
    /// Boundary error, larger: a pair with equal types in which pred covers gold.
    Bel,
    /// Boundary error, overlapping: a pair with equal types in which neither span covers the other.
    Beo,
    /// Labelling-boundary error: a pair of overlapping spans with different types and bounds.
    Lbe,
}

/// Reports one outcome.
#[inline]
pub(super) fn emit(
    sink: &mut dyn Sink,
    criterion: u8,
    kind: Kind,
    gold: Option<u32>,
    pred: Option<u32>,
) {
    sink.event(Event::new(criterion, kind as u8, gold, pred));
}

/// Reports a pair of equal spans as a true positive of both criteria.
#[inline]
pub(super) fn emit_equal(sink: &mut dyn Sink, gold: usize, pred: usize) {
    let (gold, pred) = (Some(gold as u32), Some(pred as u32));
    emit(sink, TRADITIONAL, Kind::Tp, gold, pred);
    emit(sink, FAIR, Kind::Tp, gold, pred);
}
