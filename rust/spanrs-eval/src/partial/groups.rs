//! Groups of spans that overlap each other, directly or by way of others.

use std::ops::Range;

use spanrs_base::{Pace, Span};

use super::overlap::sufficient;
use crate::matcher::Unmatched;
use crate::overlaps::Overlaps;

/// Spans of one side of a document in reading order: by start, end, type. Equal spans keep their order.
pub(super) fn reading_order(spans: &[Span<i64>]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..spans.len() as u32).collect();
    order.sort_by_key(|&at| spans[at as usize]);
    order
}

/// The spans of both sides of a document in reading order, split where no span crosses.
pub(super) struct Groups<'a> {
    spans: [&'a [Span<i64>]; 2],
    orders: [&'a [u32]; 2],
    from: [usize; 2],
    /// Some span is empty or reversed, so sorting by start does not find where to split: all spans are one
    /// group.
    whole: bool,
}

impl<'a> Groups<'a> {
    pub(super) fn new(spans: [&'a [Span<i64>]; 2], orders: [&'a [u32]; 2]) -> Self {
        let is_empty = |span: &Span<i64>| span.end <= span.start;
        Self {
            spans,
            orders,
            from: [0; 2],
            whole: spans.iter().any(|side| side.iter().any(is_empty)),
        }
    }

    fn span(&self, side: usize, at: usize) -> Option<&'a Span<i64>> {
        let number = *self.orders[side].get(at)?;
        Some(&self.spans[side][number as usize])
    }
}

impl<'a> Iterator for Groups<'a> {
    /// The numbers of the spans of each side.
    type Item = [&'a [u32]; 2];

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
#[derive(Clone, Debug, Default)]
pub(super) struct Distinct {
    pub(super) spans: Vec<Span<i64>>,
    /// How often each occurs.
    pub(super) units: Vec<u32>,
    /// Where the numbers of the equal spans begin among those of the group.
    pub(super) first: Vec<usize>,
}

impl Distinct {
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

/// Pairs of distinct spans of a group that have enough overlap, by gold and then by pred.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs {
    /// Where the pairs of each gold span begin, and where the last ones end.
    pub(super) offsets: Vec<usize>,
    pub(super) preds: Vec<u32>,
    tree: Overlaps,
    found: Vec<u32>,
}

impl Pairs {
    /// Finds the pairs.
    ///
    /// # Errors
    /// [`Unmatched::TooManyPairs`] for more than `most`, [`Unmatched::Stopped`].
    pub(super) fn find(
        &mut self,
        sides: &[Distinct; 2],
        min_overlap: f64,
        most: usize,
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
            if self.preds.len() + self.found.len() > most {
                return Err(too_many(sides, most));
            }
            self.preds.extend_from_slice(&self.found);
            self.offsets.push(self.preds.len());
        }
        Ok(())
    }

    /// The numbers of the pairs of a gold span.
    pub(super) fn of(&self, gold: usize) -> Range<usize> {
        self.offsets[gold]..self.offsets[gold + 1]
    }
}

fn too_many(sides: &[Distinct; 2], most: usize) -> Unmatched {
    let all = || sides.iter().flat_map(|side| &side.spans);
    let [golds, preds] = [0, 1].map(|side| sides[side].spans.len());
    Unmatched::TooManyPairs {
        golds,
        preds,
        start: all().map(|span| span.start).min().unwrap_or(0),
        end: all().map(|span| span.end).max().unwrap_or(0),
        most,
    }
}
