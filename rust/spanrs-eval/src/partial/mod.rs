//! The partial matcher: overlapping spans are paired and counted in four modes, as in the
//! evaluation of SemEval-2013 task 9 and nervaluate.
//!
//! | mode | correct | any other pair |
//! |---|---|---|
//! | strict | same bounds, same type | incorrect |
//! | bounds | same bounds | incorrect |
//! | overlap | same bounds | partial |
//! | type | same type | incorrect |
//!
//! Two spans can be paired if they share at least `min_overlap` per cent of the gold span. Each
//! span is in at most one pair; a gold span in none is missed, a pred span in none is spurious.
//! Half of the credit of a correct pair is given for a partial one.
//!
//! # Matchings
//!
//! - [`Matching::Greedy`] goes through the pred spans in the order given, and each of them takes a
//!   free gold span (nervaluate 1.2.1). The result depends on the order of the input.
//! - [`Matching::Optimal`] chooses pairs of the greatest total credit: the most correct pairs, then
//!   the most pairs, then the most shared positions. The counts do not depend on the order of the
//!   input.
//!
//! # Lanes
//!
//! nervaluate computes the counts of a type by matching the spans of that type alone, so every mode
//! is matched twice: over all spans, and within each type. The eight combinations are called lanes.
//! A set of lanes is a byte, bit `mode` for all spans and bit `mode + 4` within types. Lanes are
//! also the criteria of [`SCHEMA`], in the same order.
//!
//! # Parts
//!
//! | module | content |
//! |---|---|
//! | `overlap` | the minimum overlap, and the search for gold spans near a pred span |
//! | `greedy` | the greedy matching |
//! | `groups` | splitting a document into groups of spans that overlap each other |
//! | `optimal` | the optimal matching of each group |
//! | `assign`, `transport`, `first_choice` | the assignment problem: dynamic programming, primal-dual method, ties |
//! | `outcomes` | outcomes, schema and the report to a sink |
//!
//! # Examples
//!
//! ```
//! use spanrs_base::Span;
//! use spanrs_eval::partial::{Found, Matcher, Matching, Mode};
//! use spanrs_eval::{Events, Matcher as _, Pair, Spans};
//! let gold = [Span { start: 0, end: 2, ty: 0 }, Span { start: 3, end: 6, ty: 1 }];
//! let pred = [Span { start: 0, end: 2, ty: 0 }, Span { start: 4, end: 6, ty: 1 }];
//! let mut events = Events::default();
//! let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
//! Matcher::new(Matching::Greedy, 1.0).compare(&pair, &mut events).unwrap();
//! let strict: Vec<_> = events.of(Mode::Strict as u8).map(|event| event.outcome).collect();
//! assert_eq!(strict, [Found::Correct as u8, Found::Incorrect as u8]);
//! ```

mod assign;
mod first_choice;
mod greedy;
mod groups;
mod optimal;
mod outcomes;
mod overlap;
mod tables;
mod transport;

pub use assign::{Pair, assign};
pub use outcomes::{Found, SCHEMA};
pub use overlap::sufficient;
pub use tables::{ModeCounts, Place, count_modes, places_by_outcome};

use overlap::Finder;
use spanrs_base::{Limits, Pace, Span, Watch};

use crate::matcher::{Pair as Sides, Sink, Unmatched};
use crate::outcomes::Schema;

/// What has to agree for a pair to be correct. The discriminant is the index of the criterion in
/// [`SCHEMA`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Bounds and type; other pairs are incorrect.
    Strict,
    /// Bounds; other pairs are incorrect.
    Bounds,
    /// Bounds; other pairs are partial.
    Overlap,
    /// Type; other pairs are incorrect.
    Type,
}

/// Number of modes.
pub const MODES: usize = 4;

impl Mode {
    /// All modes, by index.
    pub const ALL: [Self; MODES] = [Self::Strict, Self::Bounds, Self::Overlap, Self::Type];

    /// Returns whether the pair is correct in this mode.
    fn agrees(self, gold: &Span<i64>, pred: &Span<i64>) -> bool {
        let bounds = (gold.start, gold.end) == (pred.start, pred.end);
        match self {
            Self::Strict => bounds && gold.ty == pred.ty,
            Self::Bounds | Self::Overlap => bounds,
            Self::Type => gold.ty == pred.ty,
        }
    }
}

/// How pairs are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Pred spans, in the order given, each take a free gold span (nervaluate). Takes O(n log n +
    /// k) time for k overlapping pairs.
    Greedy,
    /// Pairs of the greatest total credit. Takes O(n log n + k) time if neither side overlaps
    /// itself; otherwise a transportation problem is solved for each group of overlapping spans.
    Optimal,
}

/// One run of the matcher: a mode, over all spans or within each type.
#[derive(Clone, Copy, Debug)]
struct Lane {
    /// The mode.
    mode: Mode,
    /// Whether only spans of equal types can be paired.
    own_type: bool,
}

/// All lanes by index: the four modes over all spans, then the four within types.
const LANES: [Lane; 2 * MODES] = {
    let mut lanes = [Lane {
        mode: Mode::Strict,
        own_type: false,
    }; 2 * MODES];
    let mut at = 0;
    while at < lanes.len() {
        lanes[at] = Lane {
            mode: Mode::ALL[at % MODES],
            own_type: at >= MODES,
        };
        at += 1;
    }
    lanes
};
/// The set of all lanes.
const EVERY: u8 = u8::MAX;

/// The result of a pred span in every lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Answer {
    /// Set of the lanes in which the span has a partner.
    paired: u8,
    /// Set of the lanes in which the pair is correct; a subset of `paired`.
    correct: u8,
    /// Index of the partner in gold, by lane; meaningful only in the lanes of `paired`.
    golds: [u32; LANES.len()],
}

impl Answer {
    /// Returns the answer of a span whose partner is `gold` and correct in every lane.
    fn right(gold: u32) -> Self {
        Self {
            paired: EVERY,
            correct: EVERY,
            golds: [gold; LANES.len()],
        }
    }

    /// Records the partner in one lane.
    fn set(&mut self, lane: usize, gold: usize, correct: bool) {
        self.paired |= 1 << lane;
        self.correct |= u8::from(correct) << lane;
        self.golds[lane] = gold as u32;
    }
}

/// Matches the spans of one document at a time.
///
/// A matcher belongs to one thread. Its buffers are kept between documents, and results of the last
/// document remain available to [`Matcher::outcomes`] until the next call of [`Matcher::run`].
#[derive(Clone, Debug)]
pub struct Matcher {
    /// How pairs are chosen.
    matching: Matching,
    /// Minimum overlap in per cent of the gold span.
    min_overlap: f64,
    /// Whether the optimal matching has to be the first one in the order of [`assign()`].
    ties: bool,
    /// The set of lanes that are matched.
    lanes: u8,
    /// Limits, of which `group_pairs` is used.
    limits: Limits,
    /// When to ask the watch.
    pace: Pace,
    /// Finds gold spans near a pred span, for the greedy matching.
    finder: Finder,
    /// Work space of the optimal matching.
    buffers: optimal::Buffers,
    /// Both sides of the last document were equal and flat, so that every span is correct in every
    /// lane; `answers` and `taken` are not filled then.
    same: bool,
    /// By pred span of the last document.
    answers: Vec<Answer>,
    /// By gold span of the last document: the set of lanes in which it has a partner.
    taken: Vec<u8>,
}

impl Matcher {
    /// Creates a matcher of all modes.
    ///
    /// `min_overlap` is the minimum overlap in per cent of the gold span, usually greater than 0
    /// and at most 100; nervaluate's default is 1.
    pub fn new(matching: Matching, min_overlap: f64) -> Self {
        Self {
            matching,
            min_overlap,
            ties: false,
            lanes: EVERY,
            limits: Limits::default(),
            pace: Pace::default(),
            buffers: optimal::Buffers::default(),
            finder: Finder::default(),
            same: false,
            answers: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Restricts the matcher to one lane, for callers of [`Matcher::outcomes`] that need no other.
    /// Events of other lanes are meaningless then.
    #[must_use]
    pub fn only(mut self, mode: Mode, by_type: bool) -> Self {
        self.lanes = 1 << lane_of(mode, by_type);
        self
    }

    /// Sets a watch that is asked at intervals whether to stop.
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }

    /// Sets the limits, of which [`Limits::group_pairs`] is used by the optimal matching.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::{Limits, Span};
    /// use spanrs_eval::Unmatched;
    /// use spanrs_eval::partial::{Matcher, Matching};
    /// let spans = |n: i64| (0..n).map(|end| Span { start: 0, end: end + 1, ty: 0 }).collect::<Vec<_>>();
    /// let limits = Limits { group_pairs: 8, ..Limits::default() };
    /// let mut matcher = Matcher::new(Matching::Optimal, 1.0).with_limits(limits);
    /// assert!(matcher.run(&spans(2), &spans(4)).is_ok(), "eight pairs");
    /// let refused = matcher.run(&spans(3), &spans(3));
    /// assert!(matches!(refused, Err(Unmatched::TooManyPairs { golds: 3, preds: 3, .. })));
    /// ```
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Matches the spans of one document, which may be in any order and overlap. Differences of
    /// their bounds have to fit into `i64`.
    ///
    /// # Errors
    /// - [`Unmatched::TooManyPairs`] if a group of overlapping spans exceeds the limit (optimal
    ///   matching only).
    /// - [`Unmatched::Stopped`] if the watch said stop.
    ///
    /// After an error the results are incomplete and must not be used.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::partial::{Found, Matcher, Matching, Mode};
    /// let span = |start, end| Span { start, end, ty: 0_u32 };
    /// let (gold, pred) = ([span(0_i64, 2), span(5, 6)], [span(0, 3)]);
    /// let mut matcher = Matcher::new(Matching::Optimal, 1.0);
    /// matcher.run(&gold, &pred).unwrap();
    /// let mut found = Vec::new();
    /// matcher.outcomes(&gold, &pred, Mode::Overlap, None, |outcome, at| found.push((outcome, at)));
    /// assert_eq!(found, [(Found::Partial, 0), (Found::Missed, 1)]);
    /// ```
    pub fn run(&mut self, gold: &[Span<i64>], pred: &[Span<i64>]) -> Result<(), Unmatched> {
        self.pace.steps(1 + gold.len() + pred.len())?;
        // Most sentences of a corpus are free of errors. If no span overlaps another of its side, each can
        // only be paired with its equal, whatever the matching.
        self.same = (std::ptr::eq(gold, pred) || gold == pred) && overlap::is_flat(gold);
        if self.same {
            return Ok(());
        }
        self.answers.clear();
        self.answers.resize(pred.len(), Answer::default());
        self.taken.clear();
        self.taken.resize(gold.len(), 0);
        if gold.is_empty() || pred.is_empty() {
            return Ok(());
        }
        match self.matching {
            Matching::Greedy => self.greedy(gold, pred),
            Matching::Optimal => self.optimal(gold, pred),
        }
    }
}

/// Returns the index of a lane.
fn lane_of(mode: Mode, by_type: bool) -> usize {
    mode as usize + if by_type { MODES } else { 0 }
}

impl crate::Matcher for Matcher {
    fn schema(&self) -> &'static Schema {
        &SCHEMA
    }

    fn same(&self, ty: u32, n: u64, sink: &mut dyn Sink) {
        outcomes::same(ty, n, sink);
    }

    fn compare(&mut self, sides: &Sides<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched> {
        self.run(sides.gold.all, sides.pred.all)?;
        self.emit(sides.gold.all, sink);
        Ok(())
    }

    fn resolve_ties(&mut self) {
        self.ties = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}
