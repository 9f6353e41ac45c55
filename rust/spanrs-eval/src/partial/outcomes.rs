//! What comes of a matching: outcomes of spans, in each mode.

use spanrs_base::Span;

use super::{Answer, LANES, MODES, Matcher, Mode, lane_of};
use crate::matcher::{Event, Sink};
use crate::outcomes::{Cell, Criterion, Outcome, Schema};

/// What became of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// A pair that agrees in what the mode asks for.
    Correct,
    /// A pair that does not.
    Incorrect,
    /// A pair of other bounds, in the mode that gives it half the credit.
    Partial,
    /// A gold span without a partner.
    Missed,
    /// A pred span without a partner.
    Spurious,
}

/// The outcomes in the order of [`Found`].
const OUTCOMES: &[Outcome] = &[
    Outcome::new("correct", [1.0, 0.0, 0.0]),
    Outcome::new("incorrect", [0.0, 1.0, 1.0]),
    Outcome::new("partial", [0.5, 0.5, 0.5]),
    Outcome::new("missed", [0.0, 0.0, 1.0]),
    Outcome::new("spurious", [0.0, 1.0, 0.0]),
];

/// A mode over all spans. Which of several optimal matchings is taken decides about types, so they are not kept.
const fn overall(mode: Mode, name: &'static str) -> Criterion {
    Criterion {
        typed: false,
        per_type: Some((mode as usize + MODES) as u8),
        ..Criterion::new(name, OUTCOMES)
    }
}

/// What partial matching counts: each [`Mode`] over all spans, then each over the spans of each type by themselves.
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

/// Tells the sink of `n` spans of a type that are correct in every lane.
pub(super) fn same(ty: u32, n: u64, sink: &mut dyn Sink) {
    for criterion in 0..LANES.len() as u8 {
        let cell = Cell::new(criterion, Found::Correct as u8, Some(ty), Some(ty));
        sink.count(cell, n);
    }
}

#[inline]
fn emit(lane: usize, outcome: Found, gold: Option<u32>, pred: Option<u32>, sink: &mut dyn Sink) {
    sink.event(Event::new(lane as u8, outcome as u8, gold, pred));
}

impl Matcher {
    /// Tells the sink what became of every span in the last run: of pred spans in their order, then of gold spans
    /// that were missed.
    pub(super) fn emit(&self, gold: &[Span<i64>], sink: &mut dyn Sink) {
        if self.same {
            for at in (0..gold.len() as u32).map(Some) {
                (0..LANES.len()).for_each(|lane| emit(lane, Found::Correct, at, at, sink));
            }
            return;
        }
        for (at, answer) in (0..).zip(&self.answers) {
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

    /// Calls `each` with what became of each span in the last run: of pred spans in their order, then
    /// of the gold spans that were missed. Spans are numbered from 0, those of pred and of gold by
    /// themselves; with a type, the spans of that type alone are matched and numbered.
    pub fn outcomes(
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
        let answers = pred.iter().zip(&self.answers).filter(|(s, _)| wanted(s));
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
