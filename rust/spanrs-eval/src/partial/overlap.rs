//! The minimum overlap of a pair, and the search for the gold spans near a pred span.
//!
//! Most sentences have flat spans: in reading order, not empty, without overlap. For flat spans, a
//! sweep over both sides finds all pairs in linear time. Other spans are indexed with an interval
//! tree ([`Overlaps`]).

use crate::overlaps::Overlaps;
use spanrs_base::Span;

/// Returns whether two spans share positions and the shared positions are at least `min_overlap`
/// per cent of the gold span.
///
/// With exclusive ends this is exactly nervaluate's rule, including spans of zero or negative
/// length, except that a gold span of zero length overlaps nothing, whereas nervaluate divides by
/// zero.
///
/// # Examples
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::partial::sufficient;
/// let gold = Span { start: 0_i64, end: 4, ty: 0 };
/// let pred = Span { start: 3, end: 9, ty: 1 };
/// assert!(sufficient(&gold, &pred, 25.0), "one of four positions, whatever the types");
/// assert!(!sufficient(&gold, &pred, 26.0));
/// ```
#[inline]
pub fn sufficient(gold: &Span<i64>, pred: &Span<i64>, min_overlap: f64) -> bool {
    if pred.start >= gold.end || pred.end <= gold.start {
        return false;
    }
    let shared = length(gold.start.max(pred.start), gold.end.min(pred.end));
    (shared / length(gold.start, gold.end)) * 100.0 >= min_overlap
}

/// Returns the number of positions from `start` to `end`, negative if `end` is less than `start`.
/// The result may not fit `i64`.
#[inline]
fn length(start: i64, end: i64) -> f64 {
    match end.checked_sub(start) {
        Some(length) => length as f64,
        None => (i128::from(end) - i128::from(start)) as f64,
    }
}

/// Returns whether the spans are not empty, in reading order, and do not overlap.
pub(super) fn is_flat(spans: &[Span<i64>]) -> bool {
    let mut end = i64::MIN;
    spans.iter().all(|span| {
        let fits = end <= span.start && span.start < span.end;
        end = span.end;
        fits
    })
}

/// The search method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    /// A sweep, if both sides are flat.
    #[default]
    Flat,
    /// The interval tree, for any spans.
    Any,
}

/// Finds the gold spans that overlap a pred span.
#[derive(Clone, Debug, Default)]
pub(super) struct Finder {
    /// Set by [`Finder::prepare`].
    shape: Shape,
    /// For [`Shape::Flat`]: gold spans before this index end before the current pred span begins.
    from: usize,
    /// For [`Shape::Any`]: an index of the gold spans.
    tree: Overlaps,
    /// Bounds and index of the gold spans of zero or negative length, sorted. The tree may not find
    /// these spans, but they can be paired with spans that have equal bounds.
    empty: Vec<(i64, i64, u32)>,
    /// The result of the last call of [`Finder::near`].
    found: Vec<u32>,
}

impl Finder {
    /// Indexes the gold spans of a document. O(1) per span if both sides are flat, else O(n log n).
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

    /// Returns whether both sides of the document are flat.
    pub(super) fn is_flat(&self) -> bool {
        self.shape == Shape::Flat
    }

    /// Returns the indices of the gold spans that overlap `pred` or have its bounds, in ascending
    /// order.
    ///
    /// Call this for the pred spans in order, because the sweep only moves forward.
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

    /// Adds the gold spans with the same bounds as `pred`, whose length is zero or negative.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_may_exceed_those_of_i64() {
        let span = |start, end| Span { start, end, ty: 0 };
        let all = span(i64::MIN, i64::MAX);
        assert!(sufficient(&all, &all, 100.0));
        assert!(sufficient(&all, &span(i64::MIN, 0), 50.0));
        assert!(!sufficient(&all, &span(i64::MIN, 0), 51.0));
        assert!(sufficient(&span(0, 4), &all, 100.0));
        // Spans of negative length share a negative number of positions.
        let reverse = span(i64::MAX - 1, i64::MIN + 1);
        assert!(sufficient(&reverse, &all, 100.0));
        assert!(!sufficient(&reverse, &all, 100.1));
    }
}
