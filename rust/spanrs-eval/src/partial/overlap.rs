//! Which gold spans overlap a pred span, found without looking at all of them.

use crate::overlaps::Overlaps;
use spanrs_base::Span;

/// True where the two share places, and these are at least so many per cent of the gold span.
///
/// With `end` exclusive this is nervaluate's rule to the letter, spans of no or negative length included;
/// a gold span of no length overlaps nothing (there it divides by zero).
#[inline]
pub fn sufficient(gold: &Span<i64>, pred: &Span<i64>, min_overlap: f64) -> bool {
    if pred.start >= gold.end || pred.end <= gold.start {
        return false;
    }
    let shared = gold.end.min(pred.end) - gold.start.max(pred.start);
    (shared as f64 / (gold.end - gold.start) as f64) * 100.0 >= min_overlap
}

/// True where the spans hold places, stand in reading order, and do not overlap.
pub(super) fn is_flat(spans: &[Span<i64>]) -> bool {
    let mut end = i64::MIN;
    spans.iter().all(|span| {
        let fits = end <= span.start && span.start < span.end;
        end = span.end;
        fits
    })
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    /// Both sides are in reading order and neither overlaps itself: a sweep will do.
    #[default]
    Flat,
    /// Any spans.
    Any,
}

/// Finds the gold spans that overlap a pred span.
#[derive(Clone, Debug, Default)]
pub(super) struct Finder {
    shape: Shape,
    /// Flat: gold spans before this one end before the current pred span begins.
    from: usize,
    tree: Overlaps,
    /// Bounds and number of the gold spans without length, sorted. They may overlap nothing, not even
    /// spans of the same bounds, which answer each other all the same.
    empty: Vec<(i64, i64, u32)>,
    found: Vec<u32>,
}

impl Finder {
    pub(super) fn prepare(&mut self, gold: &[Span<i64>], pred: &[Span<i64>]) {
        self.from = 0;
        if is_flat(gold) && is_flat(pred) {
            self.shape = Shape::Flat;
            return;
        }
        self.shape = Shape::Any;
        self.tree.plant(gold.iter().map(|g| (g.start, g.end)));
        let empty = gold.iter().zip(0..).filter(|(g, _)| g.end <= g.start);
        self.empty.clear();
        self.empty.extend(empty.map(|(g, at)| (g.start, g.end, at)));
        self.empty.sort_unstable();
    }

    pub(super) fn is_flat(&self) -> bool {
        self.shape == Shape::Flat
    }

    /// The gold spans that may overlap `pred` or have its bounds, in the order given. Asked for the spans of
    /// pred in order.
    pub(super) fn near(&mut self, gold: &[Span<i64>], pred: &Span<i64>) -> &[u32] {
        self.found.clear();
        match self.shape {
            Shape::Flat => {
                while self.from < gold.len() && gold[self.from].end <= pred.start {
                    self.from += 1;
                }
                let near = gold[self.from..].iter().take_while(|g| g.start < pred.end);
                let from = self.from as u32;
                self.found.extend(near.zip(from..).map(|(_, at)| at));
            }
            Shape::Any => {
                self.tree.find(pred.start, pred.end, &mut self.found);
                if pred.end <= pred.start {
                    self.find_same_bounds(pred);
                }
            }
        }
        &self.found
    }

    /// Adds the gold spans that have the bounds of a span without length.
    fn find_same_bounds(&mut self, pred: &Span<i64>) {
        let bounds = (pred.start, pred.end);
        let from = self
            .empty
            .partition_point(|&(start, end, _)| (start, end) < bounds);
        let same = self.empty[from..].iter();
        let same = same.take_while(|&&(start, end, _)| (start, end) == bounds);
        self.found.extend(same.map(|&(.., at)| at));
        self.found.sort_unstable();
        self.found.dedup();
    }
}
