//! The fair matcher: every mistake is counted once, as what it is (Ortmann, Fine-Grained Error Analysis
//! and Fair Evaluation of Labeled Spans, LREC 2022; decisions, order and ties as in FairEval a6172f2).
//!
//! 1. Equal spans are true positives, one for one.
//! 2. Equal bounds and another type: labelling error. Gold in the order given takes the first pred span.
//! 3. Overlapping bounds and the same type: boundary error, gold from the shortest to the longest. Among
//!    several pred spans the one that shares most tokens, then leaves fewest of its own side over, then
//!    fewest of the other, then the shortest, then the first is taken. The tokens the two share are gone
//!    from both. Spans left on one side may then join a pair of the other that still has tokens of theirs,
//!    gold before pred.
//! 4. Overlapping bounds and another type: labelling-boundary error, in the same way; spans that already
//!    are in a boundary error can be joined.
//! 5. What is left: false negatives and false positives.
//!
//! Traditional evaluation is counted besides: a gold span is found if pred has an equal one, each of several equal
//! ones.
//!
//! ```
//! use spanrs_base::Span;
//! use spanrs_eval::fair::{FAIR, Kind, Matcher};
//! use spanrs_eval::{Events, Matcher as _, Pair, Spans};
//! let gold = [Span { start: 0, end: 2, ty: 0 }, Span { start: 3, end: 6, ty: 1 }];
//! let pred = [Span { start: 0, end: 2, ty: 1 }, Span { start: 4, end: 6, ty: 1 }];
//! let mut events = Events::default();
//! let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
//! Matcher::default().compare(&pair, &mut events).unwrap();
//! let fair: Vec<_> = events.of(FAIR).map(|event| (event.outcome, event.gold, event.pred)).collect();
//! assert_eq!(fair, [(Kind::Le as u8, Some(0), Some(0)), (Kind::Bes as u8, Some(1), Some(1))]);
//! ```

mod boundary_errors;
mod exact_matches;
mod remaining;

use std::cmp::Ordering;

use remaining::RemainingSpan;
use spanrs_base::{Pace, Span, Watch};

use crate::matcher::{Event, Pair, Sink, Unmatched};
use crate::outcomes::{Axis, CORPUS, Cell, Criterion, Outcome, Schema};
use crate::spans::Spans;
use crate::token_sets::Run;

/// Index of the criterion of traditional evaluation.
pub const TRADITIONAL: u8 = 0;
/// Index of the criterion of fair evaluation; its outcomes are [`Kind`].
pub const FAIR: u8 = 1;

/// What fair matching counts.
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
        // Ortmann (2022): boundary errors are half right.
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

/// The outcomes in the order of [`Kind`], with the weights of near misses.
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

/// What became of a span or a pair of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pair of equal spans.
    Tp,
    /// A pred span that is in no pair.
    Fp,
    /// A gold span that is in no pair.
    Fn,
    /// A pair of equal bounds and different types.
    Le,
    /// A pair of one type in which pred is smaller and inside gold.
    Bes,
    /// A pair of one type in which pred is larger and holds gold.
    Bel,
    /// A pair of one type that overlaps in any other way.
    Beo,
    /// A pair that overlaps and has different types.
    Lbe,
}

/// How the bounds of two spans lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Equal bounds.
    Same,
    /// The second is inside the first.
    Smaller,
    /// The second holds the first.
    Larger,
    /// Neither holds the other.
    Crossing,
}

impl Overlap {
    /// How the second span lies to the first; None where they share no place. Of spans that end before
    /// they begin it says what FairEval's `overlap_type` says.
    pub fn of(first: &Span<i64>, second: &Span<i64>) -> Option<Self> {
        let ((b1, e1), (b2, e2)) = ((first.start, first.end), (second.start, second.end));
        match (b2.cmp(&b1), e2.cmp(&e1)) {
            (Ordering::Equal, Ordering::Equal) => Some(Self::Same),
            (Ordering::Equal, Ordering::Less) if e2 > b1 => Some(Self::Smaller),
            (Ordering::Equal, _) => Some(Self::Larger),
            (Ordering::Less, _) if e2 <= b1 => None,
            (Ordering::Less, Ordering::Less) => Some(Self::Crossing),
            (Ordering::Less, _) => Some(Self::Larger),
            (Ordering::Greater, _) if b2 >= e1 => None,
            (Ordering::Greater, Ordering::Greater) => Some(Self::Crossing),
            (Ordering::Greater, _) => Some(Self::Smaller),
        }
    }
}

/// The sides, by number.
const GOLD: usize = 0;
const PRED: usize = 1;

/// Matches sentence after sentence; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// Events come in the order of the whole sentence.
    in_order: bool,
    equal: exact_matches::Buffers,
    /// The spans of both sides that have no equal and are not resolved, in the order given.
    sides: [Vec<RemainingSpan>; 2],
    passes: boundary_errors::Buffers,
    pace: Pace,
    stopped: bool,
}

impl crate::Matcher for Matcher {
    fn schema(&self) -> &'static Schema {
        &SCHEMA
    }

    fn same(&self, ty: u32, n: u64, sink: &mut dyn Sink) {
        for criterion in [TRADITIONAL, FAIR] {
            sink.count(Cell::new(criterion, Kind::Tp as u8, Some(ty), Some(ty)), n);
        }
    }

    fn compare(&mut self, pair: &Pair<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched> {
        self.forget();
        let Pair { gold, pred, .. } = *pair;
        if gold.all.is_empty() && pred.all.is_empty() {
            return Ok(());
        }
        self.equal(gold, pred, sink);
        self.resolve(sink);
        if self.stopped {
            return Err(Unmatched::Stopped);
        }
        Ok(())
    }

    /// Pairs come as they are made, then what is left of gold and of pred, from the shortest to the longest.
    fn resolve_ties(&mut self) {
        self.in_order = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}

/// Emits an outcome.
#[inline]
fn emit(sink: &mut dyn Sink, criterion: u8, kind: Kind, gold: Option<u32>, pred: Option<u32>) {
    sink.event(Event::new(criterion, kind as u8, gold, pred));
}

/// Emits a pair of equal spans.
#[inline]
fn emit_equal(sink: &mut dyn Sink, gold: usize, pred: usize) {
    let (gold, pred) = (Some(gold as u32), Some(pred as u32));
    emit(sink, TRADITIONAL, Kind::Tp, gold, pred);
    emit(sink, FAIR, Kind::Tp, gold, pred);
}

impl Matcher {
    /// A matcher that asks whether to stop.
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }

    /// Forgets the spans that have no equal.
    fn forget(&mut self) {
        for side in &mut self.sides {
            side.clear();
        }
    }

    /// Labelling errors, near misses and what is left, of spans that have no equal.
    fn resolve(&mut self, sink: &mut dyn Sink) {
        if self.sides.iter().all(Vec::is_empty) {
            return;
        }
        if self.sides.iter().all(|side| !side.is_empty()) {
            self.labels(sink);
        }
        self.near(sink);
        for (side, kind) in [(GOLD, Kind::Fn), (PRED, Kind::Fp)] {
            let remaining = self.sides[side].iter().filter(|one| one.is_free());
            let mut emit_free = |at: u32| match kind {
                Kind::Fn => emit(sink, FAIR, kind, Some(at), None),
                _ => emit(sink, FAIR, kind, None, Some(at)),
            };
            if self.in_order {
                let mut free: Vec<(i64, u32)> =
                    remaining.map(|one| (one.length(), one.at)).collect();
                free.sort_unstable();
                free.into_iter().for_each(|(_, at)| emit_free(at));
            } else {
                remaining.for_each(|one| emit_free(one.at));
            }
        }
    }

    /// The spans of the last sentence that lost tokens to pairs, with the runs of tokens they have left:
    /// (true for pred, place of the span, runs). Only after [`crate::Matcher::resolve_ties`].
    pub fn reduced(&self) -> impl Iterator<Item = (bool, u32, Vec<Run>)> {
        self.sides.iter().enumerate().flat_map(|(side, remaining)| {
            let left = remaining
                .iter()
                .filter_map(|one| Some((one.at, one.left()?)));
            left.map(move |(at, runs)| (side == PRED, at, runs))
        })
    }

    /// Makes a pair of two remaining spans.
    fn pair(&mut self, kind: Kind, gold: usize, pred: usize, sink: &mut dyn Sink) {
        let [golds, preds] = &mut self.sides;
        let (gold, pred) = (&mut golds[gold], &mut preds[pred]);
        gold.pair();
        pred.pair();
        emit(sink, FAIR, kind, Some(gold.at), Some(pred.at));
    }
}
