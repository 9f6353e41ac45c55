//! Covers of gold spans by groups of pred spans.
//!
//! For gold A [0, 10) and threshold 0.8:
//!
//! | pred | intersection over union of the groups | outcomes |
//! |---|---|---|
//! | A [0, 4), A [5, 10) | A: 9/10 | match |
//! | B [0, 4), B [5, 10) | B: 9/10 | mistyped A B |
//! | A [0, 10), B [2, 4) | A: 10/10, B: 2/10 | match, spurious B |
//! | A [0, 15) | A: 10/15 | missed, spurious A |
//!
//! If groups of several other types cover a gold span, it is mistyped with the group that begins
//! first, and the other groups are spurious.

use spanrs_base::Pace;

use super::outcomes::{MATCH, MISSED, MISTYPED, SPURIOUS};
use crate::matcher::{Event, Sink, Unmatched};
use crate::overlaps::Overlaps;
use crate::spans::Spans;
use crate::token_sets::Run;

/// Maximum number of overlapping pairs of gold and pred spans in a document; each run of the pred
/// span after the first counts as another pair.
const MAX_PAIRS: usize = 1 << 24;

/// Finds the covers of the gold spans of one document at a time, and keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct JointCover {
    /// Index of the pred spans.
    index: Overlaps,
    /// Pred spans near a gold span.
    near: Vec<u32>,
    /// [`GoldRuns::sums`] of the gold span.
    sums: Vec<u64>,
    /// Whether each pred span overlaps a gold span.
    is_judged: Vec<bool>,
    /// Runs of the pred spans of a group.
    runs: Vec<Run>,
    /// Outcome, gold span and pred span of the last document.
    outcomes: Vec<(u8, Option<u32>, Option<u32>)>,
}

/// Returns the runs of a span; `whole` is a place for the bounds of a span without gaps.
fn runs_of<'a>(spans: Spans<'a>, at: u32, whole: &'a mut [Run; 1]) -> &'a [Run] {
    let span = spans.all[at as usize];
    *whole = [(span.start, span.end)];
    spans.runs(at as usize).unwrap_or(whole)
}

/// The runs of a gold span.
struct GoldRuns<'a> {
    /// Disjoint and ascending.
    runs: &'a [Run],
    /// For each run, the number of positions in this run and the runs before.
    sums: &'a [u64],
}

impl GoldRuns<'_> {
    /// Returns the number of positions.
    fn length(&self) -> u64 {
        self.sums.last().copied().unwrap_or(0)
    }

    /// Returns the number of positions before `end`.
    fn length_before(&self, end: i64) -> u64 {
        let next = self.runs.partition_point(|run| run.0 < end);
        let Some(last) = next.checked_sub(1) else {
            return 0;
        };
        let beyond = self.runs[last].1.max(end).abs_diff(end);
        self.sums[last] - beyond
    }

    /// Returns the number of positions in disjoint runs. A search for each of these, so that a gold
    /// span with many runs can be compared with many pred spans.
    fn intersection(&self, runs: &[Run]) -> u64 {
        let common = |run: &Run| {
            let before = self.length_before(run.0);
            self.length_before(run.1).saturating_sub(before)
        };
        runs.iter().map(common).sum()
    }
}

/// Returns the number of positions of disjoint runs.
fn length(runs: &[Run]) -> u64 {
    runs.iter().map(|(start, end)| end.abs_diff(*start)).sum()
}

/// Sorts runs and joins those that overlap or touch.
fn join(runs: &mut Vec<Run>) {
    runs.sort_unstable();
    runs.dedup_by(|next, last| {
        let joins = next.0 <= last.1;
        if joins {
            last.1 = last.1.max(next.1);
        }
        joins
    });
}

impl JointCover {
    /// Finds the outcomes of a document.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] above [`MAX_PAIRS`], [`Unmatched::Stopped`].
    pub(super) fn run(
        &mut self,
        [golds, preds]: [Spans<'_>; 2],
        iou_threshold: f64,
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        self.outcomes.clear();
        self.is_judged.clear();
        self.is_judged.resize(preds.all.len(), false);
        self.index
            .plant(preds.all.iter().map(|span| (span.start, span.end)));
        let mut pairs = 0;
        for (at, gold) in (0_u32..).zip(golds.all) {
            let mut near = std::mem::take(&mut self.near);
            near.clear();
            if !gold.is_empty() {
                self.index.find(gold.start, gold.end, &mut near);
            }
            let mut whole = [(0, 0)];
            let run_number = |pred: &u32| runs_of(preds, *pred, &mut whole).len().max(1);
            let steps: usize = near.iter().map(run_number).sum();
            pairs += steps;
            let mut whole = [(0, 0)];
            let gold_runs = runs_of(golds, at, &mut whole);
            pace.steps(1 + gold_runs.len() + steps)?;
            if pairs > MAX_PAIRS {
                return Err(Unmatched::TooTangled {
                    from: gold.start,
                    most: MAX_PAIRS,
                    what: "overlapping pairs of spans without gaps",
                });
            }
            let mut sums = std::mem::take(&mut self.sums);
            sums.clear();
            sums.extend(gold_runs.iter().scan(0, |sum, run| {
                *sum += run.1.abs_diff(run.0);
                Some(*sum)
            }));
            let gold_runs = GoldRuns {
                runs: gold_runs,
                sums: &sums,
            };
            near.retain(|&pred| {
                let mut whole = [(0, 0)];
                gold_runs.intersection(runs_of(preds, pred, &mut whole)) > 0
            });
            self.judge((at, gold.ty), &gold_runs, preds, iou_threshold, &mut near);
            self.near = near;
            self.sums = sums;
        }
        for (at, _) in (0..)
            .zip(&self.is_judged)
            .filter(|(_, is_judged)| !**is_judged)
        {
            self.outcomes.push((SPURIOUS, None, Some(at)));
        }
        Ok(())
    }

    /// Adds the outcomes of a gold span and of the pred spans that overlap it.
    fn judge(
        &mut self,
        (at, ty): (u32, u32),
        gold: &GoldRuns<'_>,
        preds: Spans<'_>,
        iou_threshold: f64,
        near: &mut [u32],
    ) {
        // Groups of one type, the group of the gold type first, then in the order of the text.
        let place = |at: u32| (preds.all[at as usize].start, preds.all[at as usize].end, at);
        near.sort_unstable_by_key(|&pred| (preds.all[pred as usize].ty, place(pred)));
        let type_of = |at: &u32| preds.all[*at as usize].ty;
        let mut groups: Vec<&[u32]> = near.chunk_by(|a, b| type_of(a) == type_of(b)).collect();
        groups.sort_unstable_by_key(|group| (type_of(&group[0]) != ty, place(group[0])));
        let mut is_found = false;
        for group in groups {
            self.runs.clear();
            for &pred in group {
                self.is_judged[pred as usize] = true;
                let mut whole = [(0, 0)];
                self.runs.extend(runs_of(preds, pred, &mut whole));
            }
            join(&mut self.runs);
            let common = gold.intersection(&self.runs);
            let union = gold.length() + length(&self.runs) - common;
            let covers = common as f64 / union as f64 >= iou_threshold;
            let outcome = match (covers && !is_found, type_of(&group[0]) == ty) {
                (false, _) => SPURIOUS,
                (true, true) => MATCH,
                (true, false) => MISTYPED,
            };
            let is_pair = outcome != SPURIOUS;
            is_found |= is_pair;
            self.outcomes
                .push((outcome, is_pair.then_some(at), Some(group[0])));
        }
        if !is_found {
            self.outcomes.push((MISSED, Some(at), None));
        }
    }

    /// Reports the outcomes of the last document. `span_of` returns the number of a span from the
    /// side (0 for gold, 1 for pred) and the number in [`JointCover::run`].
    pub(super) fn emit(
        &self,
        criterion: u8,
        span_of: impl Fn(usize, u32) -> u32,
        sink: &mut dyn Sink,
    ) {
        for &(outcome, gold, pred) in &self.outcomes {
            let gold = gold.map(|at| span_of(0, at));
            let pred = pred.map(|at| span_of(1, at));
            sink.event(Event::new(criterion, outcome, gold, pred));
        }
    }
}
