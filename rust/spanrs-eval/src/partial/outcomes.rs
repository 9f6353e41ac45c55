//! The outcomes and the schema of the partial matcher, and functions that report a matching to a
//! sink.
//!
//! For gold A [0, 2), B [3, 6) and pred A [0, 2), C [4, 6), A [8, 9), each lane reports:
//!
//! | mode | first pair | second pair | third pred span |
//! |---|---|---|---|
//! | strict | correct | incorrect | spurious |
//! | bounds | correct | incorrect | spurious |
//! | overlap | correct | partial | spurious |
//! | type | correct | incorrect | spurious |
//! | within types, every mode | correct | B missed, C spurious | spurious |
//!
//! A pair of spans is reported as one event with both indices, so `incorrect` counts once although
//! it is a false positive and a false negative; the weights of the outcomes account for that.

use spanrs_base::Span;

use super::answers::{Answer, Answers};
use super::lanes::{LANES, MODES, Mode, lane_of};
use crate::matcher::{Event, Sink};
use crate::outcomes::{Cell, Criterion, Outcome, Schema};

/// The outcome of a span in one lane. The discriminant is the index of the outcome in the criteria
/// of [`SCHEMA`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A pair that is correct in the mode: (tp, fp, fn) = (1, 0, 0).
    Correct,
    /// Any other pair, except in [`Mode::Overlap`]: (0, 1, 1).
    Incorrect,
    /// A pair with different bounds in [`Mode::Overlap`]: (0.5, 0.5, 0.5).
    Partial,
    /// An unpaired gold span: (0, 0, 1).
    Missed,
    /// An unpaired pred span: (0, 1, 0).
    Spurious,
}

/// The outcomes in the order of [`Found`], each with its weight as (tp, fp, fn).
const OUTCOMES: &[Outcome] = &[
    Outcome::new("correct", [1.0, 0.0, 0.0]),
    Outcome::new("incorrect", [0.0, 1.0, 1.0]),
    Outcome::new("partial", [0.5, 0.5, 0.5]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// Builds the criterion of a mode over all spans.
///
/// The cells have no types: any of several optimal matchings may be chosen, and these may differ in
/// the types of their pairs. Rows per type come from the companion criterion within types.
const fn overall(mode: Mode, name: &'static str) -> Criterion {
    Criterion {
        typed: false,
        per_type: Some((mode as usize + MODES) as u8),
        ..Criterion::new(name, OUTCOMES)
    }
}

/// The criteria of partial matching: each [`Mode`] over all spans, then each mode within types, in
/// the order of the lanes, and finally the totals of the corpus.
///
/// # Examples
///
/// ```
/// use spanrs_eval::partial::{Found, Mode, SCHEMA};
/// let overlap = &SCHEMA.criteria[Mode::Overlap as usize];
/// assert_eq!(overlap.name, "overlap");
/// assert_eq!(overlap.outcomes[Found::Partial as usize].weights, [0.5, 0.5, 0.5]);
/// assert_eq!(overlap.per_type, SCHEMA.criterion("overlap_by_type"));
/// ```
pub static SCHEMA: Schema = Schema {
    name: "partial",
    criteria: &[
        overall(Mode::Strict, "strict"),
        overall(Mode::Bounds, "bounds"),
        overall(Mode::Overlap, "overlap"),
        overall(Mode::Type, "type"),
        Criterion::new("strict_by_type", OUTCOMES),
        Criterion::new("bounds_by_type", OUTCOMES),
        Criterion::new("overlap_by_type", OUTCOMES),
        Criterion::new("type_by_type", OUTCOMES),
        crate::outcomes::CORPUS,
    ],
};

impl Answer {
    /// Returns the outcome of the pred span in a lane.
    fn found(self, lane: usize) -> Found {
        let bit = 1 << lane;
        match (self.paired & bit != 0, self.correct & bit != 0) {
            (false, _) => Found::Spurious,
            (true, true) => Found::Correct,
            (true, false) if LANES[lane].mode == Mode::Overlap => Found::Partial,
            (true, false) => Found::Incorrect,
        }
    }
}

/// Reports `n` spans of a type that are correct in every lane.
pub(super) fn same(ty: u32, n: u64, sink: &mut dyn Sink) {
    for criterion in 0..LANES.len() as u8 {
        let cell = Cell::new(criterion, Found::Correct as u8, Some(ty), Some(ty));
        sink.count(cell, n);
    }
}

/// Reports one event.
#[inline]
fn emit(lane: usize, outcome: Found, gold: Option<u32>, pred: Option<u32>, sink: &mut dyn Sink) {
    sink.event(Event::new(lane as u8, outcome as u8, gold, pred));
}

impl Answers {
    /// Reports the result: for each pred span, in order, one event per lane, then
    /// for each gold span, in order, one event per lane in which it was missed.
    ///
    /// `gold` are the gold spans of the document. In lanes that were not matched, all spans are
    /// reported as missed or spurious.
    pub(super) fn emit(&self, gold: &[Span<i64>], sink: &mut dyn Sink) {
        if self.same {
            for at in (0..gold.len() as u32).map(Some) {
                (0..LANES.len()).for_each(|lane| emit(lane, Found::Correct, at, at, sink));
            }
            return;
        }
        for (at, answer) in (0..).zip(&self.of_preds) {
            let pred = Some(at);
            for (lane, &gold) in answer.golds.iter().enumerate() {
                let gold = (answer.paired & 1 << lane != 0).then_some(gold);
                emit(lane, answer.found(lane), gold, pred, sink);
            }
        }
        for (at, &taken) in (0..).zip(&self.taken) {
            for lane in (0..LANES.len()).filter(|lane| taken & 1 << lane == 0) {
                emit(lane, Found::Missed, Some(at), None, sink);
            }
        }
    }

    /// Calls `each` with the outcome of each span; see
    /// [`Matcher::outcomes`](super::Matcher::outcomes).
    pub(super) fn outcomes(
        &self,
        gold: &[Span<i64>],
        pred: &[Span<i64>],
        mode: Mode,
        ty: Option<u32>,
        mut each: impl FnMut(Found, usize),
    ) {
        let lane = lane_of(mode, ty.is_some());
        let wanted = |span: &Span<i64>| ty.is_none_or(|ty| span.ty == ty);
        if self.same {
            for (at, _) in pred.iter().filter(|span| wanted(span)).enumerate() {
                each(Found::Correct, at);
            }
            return;
        }
        let answers = pred.iter().zip(&self.of_preds).filter(|(s, _)| wanted(s));
        for (at, (_, answer)) in answers.enumerate() {
            each(answer.found(lane), at);
        }
        let taken = gold.iter().zip(&self.taken).filter(|(s, _)| wanted(s));
        for (at, (_, taken)) in taken.enumerate() {
            if taken & 1 << lane == 0 {
                each(Found::Missed, at);
            }
        }
    }
}
