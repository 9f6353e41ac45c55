//! The spans that have no equal on the other side.

use spanrs_base::Span;

use crate::spans::Spans;
use crate::token_sets::{Run, Runs};

/// The tokens a span has not lost to a pair.
#[derive(Clone, Debug)]
enum Left {
    /// Neighbours, or none where it ends as it begins: nearly all spans, without memory of their own.
    Run(Run),
    Runs(Runs),
}

/// A span that has no equal.
#[derive(Clone, Debug)]
pub(super) struct RemainingSpan {
    pub(super) span: Span<i64>,
    /// Its place among the spans of its side.
    pub(super) at: u32,
    /// Tokens it has left.
    pub(super) size: i64,
    left: Left,
    paired: bool,
    reduced: bool,
}

impl RemainingSpan {
    #[inline]
    pub(super) fn new(spans: Spans<'_>, at: usize) -> Self {
        let span = spans.all[at];
        let (size, left) = match spans.runs(at) {
            None => (
                (span.end - span.start).max(0),
                Left::Run((span.start, span.end)),
            ),
            Some(runs) => (
                runs.iter().map(|(start, end)| end - start).sum(),
                Left::Runs(runs.iter().copied().collect()),
            ),
        };
        Self {
            span,
            at: at as u32,
            size,
            left,
            paired: false,
            reduced: false,
        }
    }

    pub(super) fn is_free(&self) -> bool {
        !self.paired
    }

    pub(super) fn pair(&mut self) {
        self.paired = true;
    }

    /// How many places lie between its bounds, tokens or not.
    pub(super) fn length(&self) -> i64 {
        self.span.end - self.span.start
    }

    /// How many of the tokens they have left two spans have in common.
    pub(super) fn shared(&self, other: &Self) -> i64 {
        match (&self.left, &other.left) {
            (Left::Run(a), Left::Run(b)) => (a.1.min(b.1) - a.0.max(b.0)).max(0),
            (Left::Run(run), Left::Runs(runs)) | (Left::Runs(runs), Left::Run(run)) => {
                length(runs.within(*run))
            }
            // The one with fewer runs says where to look in the other.
            (Left::Runs(a), Left::Runs(b)) => {
                let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
                few.iter().map(|run| length(many.within(run))).sum()
            }
        }
    }

    /// Takes the tokens two spans have in common, `n` of them, from both.
    pub(super) fn part(&mut self, other: &mut Self, n: i64) {
        if n > 0 {
            match (&self.left, &other.left) {
                (&Left::Run(a), &Left::Run(b)) => {
                    self.lose(b);
                    other.lose(a);
                }
                _ => {
                    for run in self.common(other) {
                        self.lose(run);
                        other.lose(run);
                    }
                }
            }
            self.size -= n;
            other.size -= n;
        }
        self.reduced = true;
        other.reduced = true;
    }

    /// The tokens they have left that two spans have in common.
    fn common(&self, other: &Self) -> Vec<Run> {
        match (&self.left, &other.left) {
            (Left::Run(a), Left::Run(b)) => vec![(a.0.max(b.0), a.1.min(b.1))],
            (Left::Run(run), Left::Runs(runs)) | (Left::Runs(runs), Left::Run(run)) => {
                runs.within(*run).collect()
            }
            (Left::Runs(a), Left::Runs(b)) => {
                let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
                few.iter().flat_map(|run| many.within(run)).collect()
            }
        }
    }

    fn lose(&mut self, (start, end): Run) {
        match &mut self.left {
            Left::Run(run) => {
                // Nearly always neighbours or none are left.
                let (before, behind) = ((run.0, run.1.min(start)), (run.0.max(end), run.1));
                self.left = if before.0 >= before.1 {
                    Left::Run(behind)
                } else if behind.0 >= behind.1 {
                    Left::Run(before)
                } else {
                    Left::Runs([before, behind].into_iter().collect())
                };
            }
            Left::Runs(runs) => runs.remove((start, end)),
        }
    }

    /// The tokens it has left, and whether it lost any pair's.
    pub(super) fn left(&self) -> Option<Vec<Run>> {
        self.reduced.then(|| match &self.left {
            Left::Run((start, end)) if start >= end => Vec::new(),
            Left::Run(run) => vec![*run],
            Left::Runs(runs) => runs.iter().collect(),
        })
    }
}

fn length(runs: impl Iterator<Item = Run>) -> i64 {
    runs.map(|(start, end)| end - start).sum()
}
