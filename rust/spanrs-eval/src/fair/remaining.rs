//! Spans without an equal span on the other side, and their remaining tokens.
//!
//! FairEval removes the tokens that a pair shares from both spans, so that a span can join several
//! pairs but no token counts twice. Here the tokens are runs instead of sets: the cost of removing
//! a run depends on the runs it touches, not on the length of the span.
//!
//! | gold 0..6 loses to | tokens left |
//! |---|---|
//! | | 0..6, one run |
//! | pred 0..2 | 2..6, one run |
//! | pred 4..5 | 2..4 and 5..6, two runs |
//!
//! Only the third case needs additional memory ([`Tokens::Runs`]).

use spanrs_base::Span;

use super::outcomes::{FAIR, Kind, emit};
use crate::matcher::Sink;
use crate::spans::Spans;
use crate::token_sets::{Run, Runs};

/// Index of the gold side in arrays of two.
pub(super) const GOLD: usize = 0;
/// Index of the pred side in arrays of two.
pub(super) const PRED: usize = 1;

/// For each side, the spans without an equal span, in the given order.
pub(super) type Sides = [Vec<RemainingSpan>; 2];

/// The tokens that a span has not lost to a pair.
#[derive(Clone, Debug)]
enum Tokens {
    /// One run of adjacent tokens, empty if its end is not after its start. Used by nearly all
    /// spans; needs no additional memory.
    Run(Run),
    /// Several runs, for spans with gaps and spans that lost tokens in the middle.
    Runs(Runs),
}

/// A span without an equal span on the other side.
///
/// The bounds and the type do not change; tokens are lost to pairs.
#[derive(Clone, Debug)]
pub(super) struct RemainingSpan {
    /// The span.
    pub(super) span: Span<i64>,
    /// Index of the span in its side of the [`Pair`](crate::Pair).
    pub(super) at: u32,
    /// Number of tokens left; this and other lengths are at most `i64::MAX`.
    pub(super) size: i64,
    /// The `size` remaining tokens.
    tokens: Tokens,
    /// True if the span is in a pair of any kind.
    paired: bool,
    /// True if the span is in a boundary or labelling-boundary error, even if it lost no token.
    reduced: bool,
}

impl RemainingSpan {
    /// Creates a free span with all its tokens; `at` is its index in `spans`.
    #[inline]
    pub(super) fn new(spans: Spans<'_>, at: usize) -> Self {
        let span = spans.all[at];
        let (size, tokens) = match spans.runs(at) {
            None => (
                span.end.saturating_sub(span.start).max(0),
                Tokens::Run((span.start, span.end)),
            ),
            Some(runs) => (
                length(runs.iter().copied()),
                Tokens::Runs(runs.iter().copied().collect()),
            ),
        };
        Self {
            span,
            at: at as u32,
            size,
            tokens,
            paired: false,
            reduced: false,
        }
    }

    /// Returns true if the span is unpaired.
    pub(super) fn is_free(&self) -> bool {
        !self.paired
    }

    /// Marks the span as paired. Its tokens are kept until [`RemainingSpan::remove_shared`].
    pub(super) fn mark_paired(&mut self) {
        self.paired = true;
    }

    /// Returns the distance between the bounds, FairEval's `e - b`. Gaps and lost tokens are
    /// included, and the result may be negative.
    pub(super) fn length(&self) -> i64 {
        self.span.end.saturating_sub(self.span.start)
    }

    /// Returns the number of remaining tokens that two spans have in common.
    ///
    /// Takes O(1) time for single runs; otherwise the time is proportional to the number of runs of
    /// the span with fewer runs, times the logarithm of the number of runs of the other span, plus
    /// the number of shared runs.
    pub(super) fn shared(&self, other: &Self) -> i64 {
        match (&self.tokens, &other.tokens) {
            (Tokens::Run(a), Tokens::Run(b)) => a.1.min(b.1).saturating_sub(a.0.max(b.0)).max(0),
            (Tokens::Run(run), Tokens::Runs(runs)) | (Tokens::Runs(runs), Tokens::Run(run)) => {
                length(runs.within(*run))
            }
            // Look up the runs of the span with fewer runs in the other span.
            (Tokens::Runs(a), Tokens::Runs(b)) => {
                let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
                length(few.iter().flat_map(|run| many.within(run)))
            }
        }
    }

    /// Removes the remaining tokens that two spans have in common from both; `n` is the number of
    /// these tokens, from [`RemainingSpan::shared`].
    ///
    /// Marks both as reduced, even if `n` is 0 and neither loses a token.
    pub(super) fn remove_shared(&mut self, other: &mut Self, n: i64) {
        if n > 0 {
            match (&self.tokens, &other.tokens) {
                (&Tokens::Run(a), &Tokens::Run(b)) => {
                    self.remove_run(b);
                    other.remove_run(a);
                }
                _ => {
                    for run in self.shared_runs(other) {
                        self.remove_run(run);
                        other.remove_run(run);
                    }
                }
            }
            self.size -= n;
            other.size -= n;
        }
        self.reduced = true;
        other.reduced = true;
    }

    /// Returns the remaining tokens that two spans have in common, as runs.
    ///
    /// If both spans have several runs, the runs of the span with fewer runs are looked up in the
    /// other.
    fn shared_runs(&self, other: &Self) -> Vec<Run> {
        match (&self.tokens, &other.tokens) {
            (Tokens::Run(a), Tokens::Run(b)) => vec![(a.0.max(b.0), a.1.min(b.1))],
            (Tokens::Run(run), Tokens::Runs(runs)) | (Tokens::Runs(runs), Tokens::Run(run)) => {
                runs.within(*run).collect()
            }
            (Tokens::Runs(a), Tokens::Runs(b)) => {
                let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
                few.iter().flat_map(|run| many.within(run)).collect()
            }
        }
    }

    /// Removes a run of tokens. A single run that loses its middle becomes two.
    fn remove_run(&mut self, (start, end): Run) {
        match &mut self.tokens {
            Tokens::Run(run) => {
                // Nearly always, at most one run remains.
                let (before, behind) = ((run.0, run.1.min(start)), (run.0.max(end), run.1));
                self.tokens = if before.0 >= before.1 {
                    Tokens::Run(behind)
                } else if behind.0 >= behind.1 {
                    Tokens::Run(before)
                } else {
                    Tokens::Runs([before, behind].into_iter().collect())
                };
            }
            Tokens::Runs(runs) => runs.remove((start, end)),
        }
    }

    /// Returns the runs of the remaining tokens; None if the span is in no boundary or
    /// labelling-boundary error.
    pub(super) fn remaining_runs(&self) -> Option<Vec<Run>> {
        self.reduced.then(|| match &self.tokens {
            Tokens::Run((start, end)) if start >= end => Vec::new(),
            Tokens::Run(run) => vec![*run],
            Tokens::Runs(runs) => runs.iter().collect(),
        })
    }
}

/// Marks two remaining spans, given by index in `sides`, as paired and reports the pair.
pub(super) fn pair(sides: &mut Sides, kind: Kind, gold: usize, pred: usize, sink: &mut dyn Sink) {
    let [golds, preds] = sides;
    let (gold, pred) = (&mut golds[gold], &mut preds[pred]);
    gold.mark_paired();
    pred.mark_paired();
    emit(sink, FAIR, kind, Some(gold.at), Some(pred.at));
}

/// Returns the number of tokens in runs, at most `i64::MAX`.
fn length(runs: impl Iterator<Item = Run>) -> i64 {
    runs.map(|(start, end)| end.saturating_sub(start))
        .fold(0, i64::saturating_add)
}
