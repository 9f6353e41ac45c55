/// Finds, among spans that may overlap each other, those that overlap a given one, without looking at
/// all: a segment tree over the spans by start that knows the largest end below each node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlaps {
    /// (start, number of the span), by start.
    leaves: Vec<(i64, u32)>,
    /// Where each span is among the leaves.
    leaf_of: Vec<u32>,
    /// Node 1 is the root, 0 is not used; a span that was removed ends nowhere.
    ends: Vec<i64>,
}

impl Overlaps {
    /// Takes the bounds of spans, ends exclusive, and numbers them from 0.
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

    /// Never finds a span again.
    pub(crate) fn remove(&mut self, span: u32) {
        let mut node = self.ends.len() / 2 + self.leaf_of[span as usize] as usize;
        self.ends[node] = i64::MIN;
        while node > 1 {
            node /= 2;
            self.ends[node] = self.ends[2 * node].max(self.ends[2 * node + 1]);
        }
    }

    /// Gathers the numbers of all spans that overlap the given bounds, ascending.
    pub(crate) fn find(&self, start: i64, end: i64, found: &mut Vec<u32>) {
        found.clear();
        let before = self.leaves.partition_point(|&(first, _)| first < end);
        self.gather(1, 0, self.ends.len() / 2, before, start, found);
        found.sort_unstable();
    }

    /// Gathers the spans below a node, which covers `width` leaves from `first`, that are among the first
    /// `before` and end behind `start`.
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
