//! The fair matcher: every mistake is counted once, as one kind of error.
//!
//! Source: Ortmann, "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", LREC 2022.
//! Decisions, their order and ties equal those of `compare_spans` in FairEval a6172f2.
//!
//! 1. Equal spans are true positives, one for one.
//! 2. Spans with equal bounds and different types are labelling errors. Gold spans in the order
//!    given take the first free pred span; tokens are not consulted.
//! 3. Spans with overlapping bounds and one type are boundary errors. Gold spans go from the
//!    shortest to the longest, equally long ones in the order given. Among several free pred spans
//!    the best is the one that shares most tokens, then leaves fewest gold tokens over, then fewest
//!    pred tokens, then is shortest, then comes first in the list from the shortest to the longest.
//!    Shared tokens are removed from both spans. Then each gold span left over may join a pred span
//!    that is in a pair but still has tokens in common with it, and after that each pred span left
//!    over a gold span likewise.
//! 4. Spans with overlapping bounds and different types are labelling-boundary errors, found in the
//!    same three passes; spans that are in a boundary error can be joined.
//! 5. The rest are false negatives and false positives.
//!
//! Traditional evaluation is counted in addition: a gold span is found if pred has an equal one.
//! Duplicates follow FairEval: every duplicate of a gold span that is found is a true positive,
//! even if pred has it once, and additional pred duplicates are not counted.
//!
//! Spans that overlap neither directly nor through others do not influence each other, so that long
//! sentences and documents are resolved as many small problems. Time is O(n log n) for n spans that
//! overlap few others; within a group of overlapping spans it is the product of both sides at
//! worst. Memory is linear.
//!
//! | gold | pred | outcomes |
//! |---|---|---|
//! | `PER` 0..2 | `PER` 0..2 | `tp` |
//! | `PER` 0..2 | `LOC` 0..2 | `le` |
//! | `PER` 0..4 | `PER` 1..3 | `bes` |
//! | `PER` 1..3 | `PER` 0..4 | `bel` |
//! | `PER` 0..3 | `PER` 2..5 | `beo` |
//! | `PER` 0..3 | `LOC` 1..3 | `lbe` |
//! | `PER` 0..6 | `PER` 0..2, `PER` 3..6 | `bes` for 3..6, then `bes` for 0..2, which joins |
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
//! let fair: Vec<_> = events.of(FAIR).map(|e| (e.outcome, e.gold, e.pred)).collect();
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

/// Index of the criterion of traditional evaluation; its outcomes are the first three of [`Kind`].
pub const TRADITIONAL: u8 = 0;
/// Index of the criterion of fair evaluation; its outcomes are [`Kind`].
pub const FAIR: u8 = 1;

/// The criteria `traditional`, `fair` and `weighted`, and the counts of the corpus.
///
/// In `fair` every error other than a plain FP or FN is half a false positive and half a false
/// negative. `weighted` shares the cells of `fair` and has other weights. Pairs count for the type
/// of the gold span by default (FairEval's focus `target`), and support is that of `traditional`.
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
    /// A pred span in no pair.
    Fp,
    /// A gold span in no pair.
    Fn,
    /// Labelling error: a pair with equal bounds and different types.
    Le,
    /// Boundary error, smaller: a pair with one type in which pred is inside gold.
    Bes,
    /// Boundary error, larger: a pair with one type in which pred covers gold.
    Bel,
    /// Boundary error, overlapping: a pair with one type in which neither covers the other.
    Beo,
    /// Labelling-boundary error: a pair with different types and bounds that overlaps.
    Lbe,
}

/// Relation of the bounds of two overlapping spans.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::fair::Overlap;
/// let span = |start: i64, end: i64| Span { start, end, ty: 0 };
/// assert_eq!(Overlap::of(&span(0, 5), &span(0, 3)), Some(Overlap::Smaller));
/// assert_eq!(Overlap::of(&span(0, 5), &span(4, 8)), Some(Overlap::Crossing));
/// assert_eq!(Overlap::of(&span(0, 5), &span(5, 8)), None, "spans that touch do not overlap");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Equal bounds.
    Same,
    /// The second is inside the first and may share one bound with it.
    Smaller,
    /// The second covers the first and may share one bound with it.
    Larger,
    /// Neither covers the other.
    Crossing,
}

impl Overlap {
    /// Returns how the second span lies to the first; None if they share no position.
    ///
    /// Types and tokens are ignored. For spans whose end is not after their start, the result is
    /// that of FairEval's `overlap_type`, which decides by comparisons alone: an empty span inside
    /// another one overlaps it.
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

/// Index of the gold side in arrays of two.
const GOLD: usize = 0;
/// Index of the pred side in arrays of two.
const PRED: usize = 1;

/// The fair matcher. It has no options besides the watch, and keeps its buffers from sentence to
/// sentence.
///
/// By default groups of overlapping spans are resolved one by one, as soon as no later span can
/// overlap them, and the order of events is unspecified. After
/// [`resolve_ties`](crate::Matcher::resolve_ties) the events of the fair criterion come in this
/// order: equal spans; labelling errors; other pairs in the order in which they are made; false
/// negatives, then false positives, each from the shortest to the longest, equally long ones in the
/// order given.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::fair::{FAIR, Kind, Matcher};
/// use spanrs_eval::{Events, Matcher as _, Pair, Spans};
/// let gold = [Span { start: 0, end: 6, ty: 0 }];
/// let pred = [Span { start: 0, end: 2, ty: 0 }, Span { start: 3, end: 6, ty: 0 }];
/// let mut events = Events::default();
/// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
/// Matcher::default().compare(&pair, &mut events).unwrap();
/// // The longer part makes the pair; the other one joins it instead of being a false positive.
/// let pairs: Vec<_> = events.of(FAIR).map(|e| (e.outcome, e.pred)).collect();
/// assert_eq!(pairs, [(Kind::Bes as u8, Some(1)), (Kind::Bes as u8, Some(0))]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// True if events have to come in the documented order, so that a sentence is resolved as a
    /// whole.
    in_order: bool,
    /// Work space of the search for equal spans.
    equal: exact_matches::Buffers,
    /// By side: spans without an equal in the current group, or in the whole sentence if
    /// `in_order`; in the order given.
    ///
    /// Cleared at the start of the next comparison, so that [`Matcher::reduced`] can read them.
    sides: [Vec<RemainingSpan>; 2],
    /// Work space of the passes over overlapping spans.
    passes: boundary_errors::Buffers,
    /// Asks the watch once in many candidates looked at.
    pace: Pace,
    /// Set when the watch said stop during the current comparison.
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
        self.clear_remaining();
        self.stopped = false;
        let Pair { gold, pred, .. } = *pair;
        if gold.all.is_empty() && pred.all.is_empty() {
            return Ok(());
        }
        self.match_equal(gold, pred, sink);
        self.resolve_remaining(sink);
        if self.stopped {
            return Err(Unmatched::Stopped);
        }
        Ok(())
    }

    /// Makes events come in the order described at [`Matcher`], at the cost of resolving whole
    /// sentences at once.
    fn resolve_ties(&mut self) {
        self.in_order = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}

/// Reports one outcome.
#[inline]
fn emit(sink: &mut dyn Sink, criterion: u8, kind: Kind, gold: Option<u32>, pred: Option<u32>) {
    sink.event(Event::new(criterion, kind as u8, gold, pred));
}

/// Reports a pair of equal spans as a true positive of both criteria.
#[inline]
fn emit_equal(sink: &mut dyn Sink, gold: usize, pred: usize) {
    let (gold, pred) = (Some(gold as u32), Some(pred as u32));
    emit(sink, TRADITIONAL, Kind::Tp, gold, pred);
    emit(sink, FAIR, Kind::Tp, gold, pred);
}

impl Matcher {
    /// Sets the watch that is asked at intervals; once it says stop, comparisons fail with
    /// [`Unmatched::Stopped`].
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }

    /// Forgets the remaining spans of the group or sentence before.
    fn clear_remaining(&mut self) {
        for side in &mut self.sides {
            side.clear();
        }
    }

    /// Resolves the remaining spans: labelling errors, other overlapping pairs, then false
    /// negatives and false positives.
    fn resolve_remaining(&mut self, sink: &mut dyn Sink) {
        if self.sides.iter().all(Vec::is_empty) {
            return;
        }
        if self.sides.iter().all(|side| !side.is_empty()) {
            self.match_labelling_errors(sink);
        }
        self.match_overlapping(sink);
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

    /// Iterates over the spans of the last sentence that are in a boundary or labelling-boundary
    /// error.
    ///
    /// Each item is (true for pred, index of the span, runs of the tokens that no pair has taken),
    /// gold before pred. FairEval leaves such reduced token sets behind in its arguments.
    /// Meaningful only after [`resolve_ties`](crate::Matcher::resolve_ties), because groups are
    /// forgotten otherwise.
    pub fn reduced(&self) -> impl Iterator<Item = (bool, u32, Vec<Run>)> {
        self.sides.iter().enumerate().flat_map(|(side, remaining)| {
            let left = remaining
                .iter()
                .filter_map(|one| Some((one.at, one.remaining_runs()?)));
            left.map(move |(at, runs)| (side == PRED, at, runs))
        })
    }

    /// Marks two remaining spans, given by index in `sides`, as paired and reports the pair.
    fn pair(&mut self, kind: Kind, gold: usize, pred: usize, sink: &mut dyn Sink) {
        let [golds, preds] = &mut self.sides;
        let (gold, pred) = (&mut golds[gold], &mut preds[pred]);
        gold.mark_paired();
        pred.mark_paired();
        emit(sink, FAIR, kind, Some(gold.at), Some(pred.at));
    }
}
