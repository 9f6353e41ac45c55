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
//! Two spans can be paired if they share at least `min_overlap` per cent of the gold span. Each span is in at most one
//! pair; an unpaired gold span is missed, an unpaired pred span is spurious. A partial pair gets half of the credit of
//! a correct pair.
//!
//! # Matchings
//!
//! - [`Matching::Greedy`] goes through the pred spans in the given order, and each one takes a free gold span
//!   (nervaluate 1.2.1). The result depends on the order of the input.
//! - [`Matching::Optimal`] chooses pairs with the greatest total credit: the most correct pairs, then the most pairs,
//!   then the most shared positions. The counts do not depend on the order of the input.
//!
//! # Lanes
//!
//! nervaluate computes the counts of a type by matching only the spans of that type, so every mode is matched twice:
//! over all spans, and within each type. The eight combinations are called lanes. A set of lanes is a byte, bit `mode`
//! for all spans and bit `mode + 4` within types. Lanes are also the criteria of [`SCHEMA`], in the same order.
//!
//! # Parts
//!
//! | module | content |
//! |---|---|
//! | `lanes`, `answers` | modes and lanes, and the result of a document in each lane |
//! | `overlap` | the minimum overlap, and the search for gold spans near a pred span |
//! | `greedy` | the greedy matching |
//! | `groups` | splitting a document into groups of spans that overlap each other |
//! | `optimal` | the optimal matching of each group |
//! | `assign`, `transport`, `first_choice` | the assignment problem: dynamic programming, primal-dual method, ties |
//! | `outcomes` | outcomes, schema, and reporting to a sink |
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

mod answers;
mod assign;
mod first_choice;
mod greedy;
mod groups;
mod lanes;
mod optimal;
mod options;
mod outcomes;
mod overlap;
mod tables;
mod transport;

pub use assign::{Pair, assign};
pub use lanes::{MODES, Mode};
pub use options::Matching;
pub use outcomes::{Found, SCHEMA};
pub use overlap::sufficient;
pub use tables::{ModeCounts, Place, count_modes, places_by_outcome};

use spanrs_base::{Limits, Pace, Span, Watch};

use crate::matcher::{Pair as Sides, Sink, Unmatched};
use crate::outcomes::Schema;
use answers::Answers;
use greedy::match_greedily;
use lanes::{EVERY, lane_of};
use optimal::GroupSolver;
use options::Options;
use overlap::Finder;

/// Matches the spans of one document at a time.
///
/// A matcher belongs to one thread. It keeps its buffers between documents, and [`Matcher::outcomes`] returns the
/// results of the last document until the next call of [`Matcher::run`].
#[derive(Clone, Debug)]
pub struct Matcher {
    /// How pairs are chosen.
    matching: Matching,
    /// The other options.
    options: Options,
    /// Determines when the watch is called.
    pace: Pace,
    /// Finds gold spans near a pred span, for the greedy matching.
    finder: Finder,
    /// Solves the groups of the optimal matching.
    solver: GroupSolver,
    /// The results of the last document.
    answers: Answers,
}

impl Matcher {
    /// Creates a matcher for all modes.
    ///
    /// `min_overlap` is the minimum overlap in per cent of the gold span, usually greater than 0
    /// and at most 100; nervaluate's default is 1.
    pub fn new(matching: Matching, min_overlap: f64) -> Self {
        Self {
            matching,
            options: Options {
                min_overlap,
                ties: false,
                lanes: EVERY,
                limits: Limits::default(),
            },
            pace: Pace::default(),
            finder: Finder::default(),
            solver: GroupSolver::default(),
            answers: Answers::default(),
        }
    }

    /// Restricts the matcher to one lane, for callers of [`Matcher::outcomes`] that need only this lane. Events of
    /// other lanes are then meaningless.
    #[must_use]
    pub fn only(mut self, mode: Mode, by_type: bool) -> Self {
        self.options.lanes = 1 << lane_of(mode, by_type);
        self
    }

    /// Sets a watch, which is called at intervals and returns true to stop.
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }

    /// Sets the limits; the optimal matching uses [`Limits::group_pairs`].
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
        self.options.limits = limits;
        self
    }

    /// Matches the spans of one document, which may be in any order and overlap. Differences between their bounds must
    /// fit `i64`.
    ///
    /// # Errors
    /// - [`Unmatched::TooManyPairs`] if a group of overlapping spans exceeds the limit (optimal
    ///   matching only).
    /// - [`Unmatched::Stopped`] if the watch requests a stop.
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
        // Most sentences of a corpus are free of errors. If no span overlaps another span on its side, each span can
        // only be paired with the equal span, in any matching.
        self.answers.same = (std::ptr::eq(gold, pred) || gold == pred) && overlap::is_flat(gold);
        if self.answers.same {
            return Ok(());
        }
        self.answers.clear(gold.len(), pred.len());
        if gold.is_empty() || pred.is_empty() {
            return Ok(());
        }
        let (options, answers, pace) = (&self.options, &mut self.answers, &mut self.pace);
        match self.matching {
            Matching::Greedy => {
                match_greedily(&mut self.finder, [gold, pred], options, answers, pace)
            }
            Matching::Optimal => self
                .solver
                .match_groups([gold, pred], options, answers, pace),
        }
    }

    /// Calls `each` with the outcome of each span in the last run: pred spans in their order, then
    /// the gold spans that were missed.
    ///
    /// `gold` and `pred` are the slices that were passed to [`Matcher::run`]. Indices are 0-based positions in the side
    /// of the span (pred for all outcomes except [`Found::Missed`]). With a type, the lane within types is reported,
    /// and only spans of that type are visited and numbered.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::partial::{Found, Matcher, Matching, Mode};
    /// let span = |start, ty| Span { start, end: start + 1, ty };
    /// let (gold, pred) = ([span(0_i64, 0), span(4, 1)], [span(0, 1), span(4, 1)]);
    /// let mut matcher = Matcher::new(Matching::Greedy, 1.0);
    /// matcher.run(&gold, &pred).unwrap();
    /// let mut found = Vec::new();
    /// matcher.outcomes(&gold, &pred, Mode::Type, Some(1), |outcome, at| found.push((outcome, at)));
    /// assert_eq!(found, [(Found::Spurious, 0), (Found::Correct, 1)]);
    /// ```
    pub fn outcomes(
        &self,
        gold: &[Span<i64>],
        pred: &[Span<i64>],
        mode: Mode,
        ty: Option<u32>,
        each: impl FnMut(Found, usize),
    ) {
        self.answers.outcomes(gold, pred, mode, ty, each);
    }
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
        self.answers.emit(sides.gold.all, sink);
        Ok(())
    }

    fn resolve_ties(&mut self) {
        self.options.ties = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}
