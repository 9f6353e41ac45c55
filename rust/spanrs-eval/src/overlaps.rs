//! An index of spans by overlap.
//!
//! A segment tree over the spans sorted by start, whose nodes store the largest end below them. The
//! spans that overlap `[start, end)` are among the leaves that start before `end`; subtrees whose
//! largest end is at or before `start` are skipped. Building takes O(n log n) time, removing a span
//! O(log n), and a query O(log n) for each span found, plus sorting the result; memory is linear.
//!
//! Callers handle empty spans separately, because these overlap nothing.

/// Finds the spans that overlap given bounds among spans that may overlap each other.
///
/// [`Overlaps::plant`] reuses the buffers and numbers the spans from 0 in the given order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlaps {
    /// (start, number of the span), sorted.
    leaves: Vec<(i64, u32)>,
    /// For each span number, the index of the span in `leaves`.
    leaf_of: Vec<u32>,
    /// Largest end below each node of a complete binary tree; `i64::MIN` for padding and removed
    /// spans.
    ///
    /// Node 1 is the root, node `n` has the children `2 * n` and `2 * n + 1`, node 0 is unused, and
    /// leaf `i` is node `ends.len() / 2 + i`.
    ends: Vec<i64>,
}

impl Overlaps {
    /// Replaces the indexed spans. `bounds` gives (start, exclusive end) of each span, in the order
    /// of the numbers.
    pub(crate) fn plant(&mut self, bounds: impl Iterator<Item = (i64, i64)> + Clone) {
        self.leaves.clear();
        let starts = bounds.clone().map(|(start, _)| start);
        self.leaves.extend(starts.zip(0..));
        self.leaves.sort_unstable();
        self.leaf_of.clear();
        self.leaf_of.resize(self.leaves.len(), 0);
        for (leaf, &(_, span)) in (0..).zip(&self.leaves) {
            self.leaf_of[span as usize] = leaf;
        }
        let width = self.leaves.len().next_power_of_two();
        self.ends.clear();
        self.ends.resize(2 * width, i64::MIN);
        for ((_, end), &leaf) in bounds.zip(&self.leaf_of) {
            self.ends[width + leaf as usize] = end;
        }
        for node in (1..width).rev() {
            self.ends[node] = self.ends[2 * node].max(self.ends[2 * node + 1]);
        }
    }

    /// Removes a span, so that no later query finds it. Removing it again changes nothing.
    pub(crate) fn remove(&mut self, span: u32) {
        let mut node = self.ends.len() / 2 + self.leaf_of[span as usize] as usize;
        self.ends[node] = i64::MIN;
        while node > 1 {
            node /= 2;
            self.ends[node] = self.ends[2 * node].max(self.ends[2 * node + 1]);
        }
    }

    /// Replaces `found` by the numbers of all spans that overlap `[start, end)`, in ascending
    /// order.
    pub(crate) fn find(&self, start: i64, end: i64, found: &mut Vec<u32>) {
        found.clear();
        let before = self.leaves.partition_point(|&(first, _)| first < end);
        self.gather(1, 0, self.ends.len() / 2, before, start, found);
        found.sort_unstable();
    }

    /// Appends the spans below `node` that are among the first `before` leaves and end after
    /// `start`.
    ///
    /// The node covers `width` leaves from index `first`; `width` is a power of two.
    fn gather(
        &self,
        node: usize,
        first: usize,
        width: usize,
        before: usize,
        start: i64,
        found: &mut Vec<u32>,
    ) {
        if first >= before || self.ends[node] <= start {
            return;
        }
        if width == 1 {
            found.push(self.leaves[first].1);
            return;
        }
        let half = width / 2;
        self.gather(2 * node, first, half, before, start, found);
        self.gather(2 * node + 1, first + half, half, before, start, found);
    }
}
