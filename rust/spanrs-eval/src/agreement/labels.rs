//! Labels of tokens and characters: sets of types, stored as runs of equal labels.

use std::collections::BTreeMap;

use foldhash::HashMap;

/// The label of positions outside of all spans: the empty set of types.
pub(super) const OUTSIDE: u32 = 0;

/// A label from a position up to the start of the next run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// First position.
    pub start: u32,
    /// Index of the label.
    pub label: u32,
}

/// Numbers sets of types.
#[derive(Debug)]
pub(super) struct Labels {
    /// Index by set; types are ascending.
    numbers: HashMap<Box<[u32]>, u32>,
    /// Sets by index.
    sets: Vec<Box<[u32]>>,
}

impl Default for Labels {
    fn default() -> Self {
        let empty: Box<[u32]> = Box::default();
        Self {
            numbers: HashMap::from_iter([(empty.clone(), OUTSIDE)]),
            sets: vec![empty],
        }
    }
}

impl Labels {
    /// Returns the number of labels.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// Returns the types of a label, ascending.
    pub(super) fn types(&self, label: u32) -> &[u32] {
        &self.sets[label as usize]
    }

    /// Returns the label of a set of types, ascending.
    pub(super) fn number(&mut self, types: &[u32]) -> u32 {
        if let Some(&label) = self.numbers.get(types) {
            return label;
        }
        let label = self.sets.len() as u32;
        self.sets.push(types.into());
        self.numbers.insert(types.into(), label);
        label
    }

    /// Returns the labels of `length` positions.
    ///
    /// - `covered`: ranges of positions, each with its type; empty ranges are ignored, and ranges
    ///   must end at `length` or before.
    ///
    /// Takes O(n log n + n t) time for n ranges and at most t types at one position.
    pub(super) fn runs(&mut self, covered: &[(u32, u32, u32)]) -> Vec<Run> {
        let mut bounds: Vec<(u32, bool, u32)> = Vec::with_capacity(2 * covered.len());
        for &(start, end, ty) in covered.iter().filter(|(start, end, _)| start < end) {
            bounds.push((start, true, ty));
            bounds.push((end, false, ty));
        }
        bounds.sort_unstable();
        let mut runs = vec![Run {
            start: 0,
            label: OUTSIDE,
        }];
        let mut open: BTreeMap<u32, u32> = BTreeMap::new();
        let mut types = Vec::new();
        let mut at = 0;
        while at < bounds.len() {
            let position = bounds[at].0;
            while at < bounds.len() && bounds[at].0 == position {
                let (_, opens, ty) = bounds[at];
                let number = open.entry(ty).or_insert(0);
                // Ends sort before starts of the same position, but belong to spans that are open.
                *number = if opens {
                    *number + 1
                } else {
                    number.saturating_sub(1)
                };
                if *number == 0 {
                    open.remove(&ty);
                }
                at += 1;
            }
            types.clear();
            types.extend(open.keys().copied());
            push(&mut runs, position, self.number(&types));
        }
        runs
    }
}

/// Appends a run, unless the label is that of the previous run.
pub(super) fn push(runs: &mut Vec<Run>, start: u32, label: u32) {
    match runs.last_mut() {
        Some(last) if last.label == label => {}
        Some(last) if last.start == start => last.label = label,
        _ => runs.push(Run { start, label }),
    }
}

/// Calls `each` with the labels of two annotators and the number of positions, for each common run.
pub(super) fn for_each_pair(
    first: &[Run],
    second: &[Run],
    length: u32,
    mut each: impl FnMut(u32, u32, u32),
) {
    let (mut a, mut b, mut at) = (0, 0, 0);
    while at < length {
        let end_of =
            |runs: &[Run], index: usize| runs.get(index + 1).map_or(length, |run| run.start);
        let (Some(left), Some(right)) = (first.get(a), second.get(b)) else {
            return;
        };
        let (end_a, end_b) = (end_of(first, a), end_of(second, b));
        let end = end_a.min(end_b);
        each(left.label, right.label, end - at);
        at = end;
        a += usize::from(end_a == end);
        b += usize::from(end_b == end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_sets_of_the_types_that_cover_a_position() {
        let mut labels = Labels::default();
        let runs = labels.runs(&[(1, 4, 7), (2, 3, 5), (3, 3, 9), (4, 6, 7)]);
        let shown: Vec<_> = runs
            .iter()
            .map(|run| (run.start, labels.types(run.label).to_vec()))
            .collect();
        let expected = [
            (0, vec![]),
            (1, vec![7]),
            (2, vec![5, 7]),
            (3, vec![7]),
            (6, vec![]),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn pairs_cover_every_position_once() {
        let mut labels = Labels::default();
        let first = labels.runs(&[(0, 2, 1)]);
        let second = labels.runs(&[(1, 3, 1)]);
        let mut cells = Vec::new();
        for_each_pair(&first, &second, 5, |a, b, n| cells.push((a, b, n)));
        assert_eq!(cells, [(1, 0, 1), (1, 1, 1), (0, 1, 1), (0, 0, 2)]);
    }
}
