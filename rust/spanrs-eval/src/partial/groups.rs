//! Groups of spans that overlap directly or through other spans.
//!
//! Pairs never cross the border of a group, so the optimal matching is computed group by group, and
//! memory is bounded by the largest group instead of the document. A group is found by a sweep over
//! both sides in reading order: it ends at the first position that no span of either side crosses.
//!
//! | | spans | groups |
//! |---|---|---|
//! | gold | [0, 3), [2, 5), [7, 8) | {[0, 3), [2, 5)}, {[7, 8)} |
//! | pred | [4, 6), [7, 9) | {[4, 6)}, {[7, 9)} |
//!
//! The first group covers [0, 6): the gold spans overlap each other, and the second gold span
//! overlaps the pred span. The caller skips groups with spans on only one side; their spans are
//! missed or spurious.

use std::ops::Range;

use spanrs_base::{Pace, Span};

use super::overlap::sufficient;
use crate::matcher::Unmatched;
use crate::overlaps::Overlaps;

/// Returns the indices of the spans of one side in reading order: by start, end, type. The sort is
/// stable, so equal spans keep their order.
pub(super) fn reading_order(spans: &[Span<i64>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..spans.len() as u32).collect();
    order.sort_by_key(|&at| spans[at as usize]);
    order
}

/// Iterates over the groups of a document, in reading order.
pub(super) struct Groups<'a> {
    /// The spans of gold and pred, in the order given.
    spans: [&'a [Span<i64>]; 2],
    /// Indices of the spans of each side in reading order.
    orders: [&'a [u32]; 2],
    /// Position in `orders` of the first span of the next group.
    from: [usize; 2],
    /// Whether some span is empty or reversed, so that the sweep could split pairs; all spans then
    /// form one group.
    whole: bool,
}

impl<'a> Groups<'a> {
    /// Creates the iterator; `orders` come from [`reading_order`].
    pub(super) fn new(spans: [&'a [Span<i64>]; 2], orders: [&'a [u32]; 2]) -> Self {
        let is_empty = |span: &Span<i64>| span.end <= span.start;
        Self {
            spans,
            orders,
            from: [0; 2],
            whole: spans.iter().any(|side| side.iter().any(is_empty)),
        }
    }

    /// Returns the span at a position of the reading order; None after the last one.
    fn span(&self, side: usize, at: usize) -> Option<&'a Span<i64>> {
        let number = *self.orders[side].get(at)?;
        Some(&self.spans[side][number as usize])
    }
}

impl<'a> Iterator for Groups<'a> {
    /// The indices of the spans of each side in reading order; one of the sides may be empty.
    type Item = [&'a [u32]; 2];

    /// Returns the next group.
    fn next(&mut self) -> Option<Self::Item> {
        let [gold, pred] = [0, 1].map(|side| self.span(side, self.from[side]));
        let first = match (gold, pred) {
            (None, None) => return None,
            (Some(gold), Some(pred)) => gold.start.min(pred.start),
            (Some(span), None) | (None, Some(span)) => span.start,
        };
        let mut to = self.from;
        if self.whole {
            to = self.orders.map(<[u32]>::len);
        } else {
            let mut end = first.saturating_add(1);
            let mut grows = true;
            while grows {
                grows = false;
                for (side, to) in to.iter_mut().enumerate() {
                    while let Some(span) = self.span(side, *to)
                        && span.start < end
                    {
                        end = end.max(span.end);
                        *to += 1;
                        grows = true;
                    }
                }
            }
        }
        let sides = [0, 1].map(|side| &self.orders[side][self.from[side]..to[side]]);
        self.from = to;
        Some(sides)
    }
}

/// The distinct spans of one side of a group, in reading order.
///
/// Equal spans are interchangeable, so they are one node with several units in the assignment
/// problem.
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct {
    /// The distinct spans.
    pub(super) spans: Vec<Span<i64>>,
    /// Number of occurrences of each distinct span, at least 1.
    pub(super) units: Vec<u32>,
    /// Position of the first of the equal spans among the indices of the group; the others follow.
    pub(super) first: Vec<usize>,
}

impl Distinct {
    /// Collects the spans with the given indices, which are in reading order.
    pub(super) fn set(&mut self, spans: &[Span<i64>], numbers: &[u32]) {
        self.spans.clear();
        self.units.clear();
        self.first.clear();
        for (at, &number) in numbers.iter().enumerate() {
            let span = spans[number as usize];
            if self.spans.last() == Some(&span)
                && let Some(units) = self.units.last_mut()
            {
                *units += 1;
                continue;
            }
            self.spans.push(span);
            self.units.push(1);
            self.first.push(at);
        }
    }
}

/// The pairs of distinct spans of a group that have enough overlap, sorted by gold and then by
/// pred.
///
/// These are the edges of the assignment problem, in compressed sparse rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Index of the first pair of each gold span, followed by the number of pairs.
    pub(super) offsets: Vec<usize>,
    /// The pred span of each pair, as an index into the distinct spans.
    pub(super) preds: Vec<u32>,
    /// Index of the pred spans of the group.
    tree: Overlaps,
    /// The pred spans near the current gold span.
    found: Vec<u32>,
}

impl Pairs {
    /// Finds the pairs of a group, in O(n log n + k) time for k overlapping pairs.
    ///
    /// # Errors
    /// - [`Unmatched::TooManyPairs`] for more than `max_pairs` pairs.
    /// - [`Unmatched::Stopped`] if the watch requests a stop.
    pub(super) fn find(
        &mut self,
        sides: &[Distinct; 2],
        min_overlap: f64,
        max_pairs: usize,
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        let [gold, pred] = sides;
        self.offsets.clear();
        self.offsets.push(0);
        self.preds.clear();
        self.tree
            .plant(pred.spans.iter().map(|span| (span.start, span.end)));
        for span in &gold.spans {
            self.tree.find(span.start, span.end, &mut self.found);
            pace.steps(1 + self.found.len())?;
            self.found
                .retain(|&at| sufficient(span, &pred.spans[at as usize], min_overlap));
            if self.preds.len() + self.found.len() > max_pairs {
                return Err(too_many(sides, max_pairs));
            }
            self.preds.extend_from_slice(&self.found);
            self.offsets.push(self.preds.len());
        }
        Ok(())
    }

    /// Returns the range of the pairs of a gold span.
    pub(super) fn of(&self, gold: usize) -> Range<usize> {
        self.offsets[gold]..self.offsets[gold + 1]
    }
}

/// Describes a group that has more than `max_pairs` pairs.
fn too_many(sides: &[Distinct; 2], max_pairs: usize) -> Unmatched {
    let all = || sides.iter().flat_map(|side| &side.spans);
    let [golds, preds] = [0, 1].map(|side| sides[side].spans.len());
    Unmatched::TooManyPairs {
        golds,
        preds,
        start: all().map(|span| span.start).min().unwrap_or(0),
        end: all().map(|span| span.end).max().unwrap_or(0),
        most: max_pairs,
    }
}
