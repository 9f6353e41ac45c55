//! The fair matcher: every error is counted once, as one kind of error.
//!
//! Source: Ortmann, "Fine-Grained Error Analysis and Fair Evaluation of Labeled Spans", LREC 2022.
//! Decisions, their order and ties are the same as in `compare_spans` of FairEval a6172f2.
//!
//! 1. Equal spans are true positives, paired one to one.
//! 2. Spans with equal bounds and different types are labelling errors. Each gold span, in the
//!    given order, takes the first free pred span; tokens are not compared.
//! 3. Spans with overlapping bounds and equal types are boundary errors. Gold spans are visited
//!    from the shortest to the longest, spans of equal length in the given order. Among several
//!    free pred spans, the best one shares the most tokens, then leaves the fewest gold tokens,
//!    then the fewest pred tokens, then is the shortest, then is first in the list from the
//!    shortest to the longest. Shared tokens are removed from both spans. Then each remaining gold
//!    span may join a pred span that is in a pair but still has tokens in common with the gold
//!    span; after that, each remaining pred span may join a gold span in the same way.
//! 4. Spans with overlapping bounds and different types are labelling-boundary errors, found in the
//!    same three passes; spans in a boundary error can also be joined.
//! 5. The rest are false negatives and false positives.
//!
//! Traditional evaluation is also counted: a gold span is found if pred has an equal span.
//! Duplicates are counted as in FairEval: every duplicate of a found gold span is a true positive,
//! even if pred has the span only once, and additional pred duplicates are not counted.
//!
//! Spans that overlap neither directly nor through other spans do not influence each other, so long
//! sentences and documents are resolved as many small problems. Time is O(n log n) for n spans that
//! overlap few others; within a group of overlapping spans it is at worst proportional to the
//! product of the sizes of both sides. Memory is linear.
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
mod labelling_errors;
mod outcomes;
mod overlap;
mod remaining;
mod resolver;

pub use outcomes::{FAIR, Kind, SCHEMA, TRADITIONAL};
pub use overlap::Overlap;

use spanrs_base::{Pace, Watch};

use crate::matcher::{Pair, Sink, Unmatched};
use crate::outcomes::{Cell, Schema};
use crate::token_sets::Run;
use exact_matches::EqualSpans;
use remaining::PRED;
use resolver::Resolver;

/// The fair matcher. It has no options except the watch, and keeps its buffers between sentences.
///
/// By default groups of overlapping spans are resolved one by one, as soon as no later span can
/// overlap them, and the order of events is unspecified. After
/// [`resolve_ties`](crate::Matcher::resolve_ties) the events of the fair criterion come in this
/// order: equal spans; labelling errors; other pairs in the order in which they are made; false
/// negatives, then false positives, each from the shortest to the longest, spans of equal length in
/// the given order.
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
/// // The longer part forms the pair; the other part joins it instead of being a false positive.
/// let pairs: Vec<_> = events.of(FAIR).map(|e| (e.outcome, e.pred)).collect();
/// assert_eq!(pairs, [(Kind::Bes as u8, Some(1)), (Kind::Bes as u8, Some(0))]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// Finds equal spans.
    equal: EqualSpans,
    /// Pairs the other spans.
    resolver: Resolver,
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
        self.resolver.clear();
        self.resolver.passes.stopped = false;
        let Pair { gold, pred, .. } = *pair;
        if gold.all.is_empty() && pred.all.is_empty() {
            return Ok(());
        }
        self.equal.match_equal(gold, pred, &mut self.resolver, sink);
        self.resolver.resolve(sink);
        if self.resolver.passes.stopped {
            return Err(Unmatched::Stopped);
        }
        Ok(())
    }

    /// Makes events come in the order described for [`Matcher`], at the cost of resolving whole
    /// sentences at once.
    fn resolve_ties(&mut self) {
        self.resolver.in_order = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}

impl Matcher {
    /// Sets the watch, which is called at intervals; once it requests a stop, comparisons fail with
    /// [`Unmatched::Stopped`].
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.resolver.passes.pace = Pace::new(watch);
        self
    }

    /// Iterates over the spans of the last sentence that are in a boundary or labelling-boundary
    /// error.
    ///
    /// Each item is (true for pred, index of the span, runs of the tokens that no pair has taken),
    /// gold before pred. FairEval leaves such reduced token sets in its arguments. Meaningful only
    /// after [`resolve_ties`](crate::Matcher::resolve_ties), because earlier groups are discarded
    /// otherwise.
    pub fn reduced(&self) -> impl Iterator<Item = (bool, u32, Vec<Run>)> {
        let sides = self.resolver.sides.iter();
        sides.enumerate().flat_map(|(side, remaining)| {
            let left = remaining
                .iter()
                .filter_map(|one| Some((one.at, one.remaining_runs()?)));
            left.map(move |(at, runs)| (side == PRED, at, runs))
        })
    }
}
