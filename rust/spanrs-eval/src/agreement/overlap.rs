//! Spans that two annotators share.

use std::cmp::Ordering;
use std::ops::Range;

use super::project::ProjectSpan;

/// Numbers of spans of two annotators in one document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    /// Number of spans of both annotators.
    pub spans: u32,
    /// Size of the largest matching of equal spans.
    pub exact: u32,
    /// Size of the largest matching of spans with a common position.
    pub overlap: u32,
}

/// Returns the number of elements that two sorted slices have in common, as multisets.
pub(super) fn common<T>(first: &[T], second: &[T], order: impl Fn(&T, &T) -> Ordering) -> u32 {
    let (mut a, mut b, mut number) = (0, 0, 0);
    while let (Some(left), Some(right)) = (first.get(a), second.get(b)) {
        let ordering = order(left, right);
        number += u32::from(ordering == Ordering::Equal);
        a += usize::from(ordering != Ordering::Greater);
        b += usize::from(ordering != Ordering::Less);
    }
    number
}

/// Returns the order by bounds and pieces, in which spans must be sorted.
pub(super) fn by_bounds(first: &ProjectSpan, second: &ProjectSpan) -> Ordering {
    let key = |span: &ProjectSpan| (span.start, span.end);
    key(first)
        .cmp(&key(second))
        .then_with(|| first.pieces.cmp(&second.pieces))
}

/// Compares the spans of one type, sorted [`by_bounds`].
pub(super) fn shared(first: &[ProjectSpan], second: &[ProjectSpan]) -> Shared {
    let exact = common(first, second, by_bounds);
    let spans = (first.len() + second.len()) as u32;
    let is_complete = exact as usize == first.len().min(second.len());
    Shared {
        spans,
        exact,
        overlap: if is_complete {
            exact
        } else {
            matching(first, second)
        },
    }
}

/// Returns whether two spans have a common position, or are equal and empty.
fn overlaps(first: &ProjectSpan, second: &ProjectSpan) -> bool {
    if first.pieces.is_empty() && second.pieces.is_empty() {
        return first.start.max(second.start) < first.end.min(second.end)
            || by_bounds(first, second) == Ordering::Equal;
    }
    let whole = [(first.start, first.end)];
    let pieces = |span: &ProjectSpan, whole: &[(u32, u32)]| -> Vec<(u32, u32)> {
        if span.pieces.is_empty() {
            whole.to_vec()
        } else {
            span.pieces.clone()
        }
    };
    let other = pieces(second, &[(second.start, second.end)]);
    pieces(first, &whole)
        .iter()
        .any(|a| other.iter().any(|b| a.0.max(b.0) < a.1.min(b.1)))
}

/// Returns the size of a maximum matching of overlapping spans.
fn matching(first: &[ProjectSpan], second: &[ProjectSpan]) -> u32 {
    // Every span of `first` that stays unmatched costs a search, so `first` is the smaller side.
    let (first, second) = if second.len() < first.len() {
        (second, first)
    } else {
        (first, second)
    };
    let mut matching = Matching::new(first, second);
    let mut unmatched = Vec::new();
    for span in 0..first.len() {
        if !matching.take_free(span) {
            unmatched.push(span);
        }
    }
    let augmented = unmatched
        .iter()
        .filter(|span| matching.augment(**span))
        .count();
    (first.len() - unmatched.len() + augmented) as u32
}

/// A matching that grows: first greedily, then by augmenting paths (Berge 1957).
///
/// Overlaps are not stored, because their number may be quadratic.
struct Matching<'a> {
    first: &'a [ProjectSpan],
    second: &'a [ProjectSpan],
    /// For each span of `first`, the range of `second` that contains all spans that overlap it.
    candidates: Vec<Range<usize>>,
    /// For each span of `second`, the span of `first` that is matched with it.
    matched: Vec<Option<usize>>,
    /// Links from matched spans of `second` to later spans: a chain ends at the next span that is not
    /// matched, or at the number of spans.
    next_free: Vec<usize>,
    /// For each span of `second`, whether a failed search or the current search visited it. No
    /// later path leads over the spans that a failed search visited.
    visited: Vec<bool>,
}

impl<'a> Matching<'a> {
    fn new(first: &'a [ProjectSpan], second: &'a [ProjectSpan]) -> Self {
        // The largest end so far, so that the spans that end before a span can be skipped.
        let mut end = 0;
        let reach: Vec<u32> = second
            .iter()
            .map(|span| {
                end = end.max(span.end);
                end
            })
            .collect();
        let candidates = first
            .iter()
            .map(|span| {
                let from = reach.partition_point(|&end| end < span.start);
                let to = second.partition_point(|other| other.start <= span.end);
                from..to.max(from)
            })
            .collect();
        Self {
            first,
            second,
            candidates,
            matched: vec![None; second.len()],
            next_free: (0..=second.len()).collect(),
            visited: vec![false; second.len()],
        }
    }

    fn overlaps(&self, span: usize, other: usize) -> bool {
        overlaps(&self.first[span], &self.second[other])
    }

    /// Matches a span with a span that is not matched, if one overlaps it.
    fn take_free(&mut self, span: usize) -> bool {
        let mut other = self.free_from(self.candidates[span].start);
        while other < self.candidates[span].end {
            if self.overlaps(span, other) {
                self.matched[other] = Some(span);
                self.next_free[other] = other + 1;
                return true;
            }
            other = self.free_from(other + 1);
        }
        false
    }

    /// Returns the first span of `second` from `at` that is not matched.
    fn free_from(&mut self, at: usize) -> usize {
        let mut free = at;
        while self.next_free[free] != free {
            // Halving the path keeps chains short.
            self.next_free[free] = self.next_free[self.next_free[free]];
            free = self.next_free[free];
        }
        free
    }

    /// Matches `start`, rematching other spans if necessary; returns false if that is impossible.
    fn augment(&mut self, start: usize) -> bool {
        // A depth-first search with an explicit stack, because paths may be as long as the number
        // of spans. Each entry is a span and its next candidate.
        let mut stack = vec![(start, self.candidates[start].start)];
        let mut trail = Vec::new();
        while let Some(&(span, other)) = stack.last() {
            if other >= self.candidates[span].end {
                stack.pop();
                continue;
            }
            if let Some(last) = stack.last_mut() {
                last.1 += 1;
            }
            if self.visited[other] || !self.overlaps(span, other) {
                continue;
            }
            self.visited[other] = true;
            trail.push(other);
            if let Some(owner) = self.matched[other] {
                stack.push((owner, self.candidates[owner].start));
                continue;
            }
            self.next_free[other] = other + 1;
            // Every span on the path takes the candidate that it tried last.
            for &(span, next) in &stack {
                self.matched[next - 1] = Some(span);
            }
            for &other in &trail {
                self.visited[other] = false;
            }
            return true;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn spans(bounds: &[(u32, u32)]) -> Vec<ProjectSpan> {
        let mut spans: Vec<_> = bounds
            .iter()
            .map(|&(start, length)| ProjectSpan::new(start, start + length, 0))
            .collect();
        spans.sort_by(by_bounds);
        spans
    }

    /// The largest matching, by trying all.
    fn largest(first: &[ProjectSpan], second: &[ProjectSpan], used: &mut Vec<bool>) -> u32 {
        let Some((span, rest)) = first.split_first() else {
            return 0;
        };
        let mut best = largest(rest, second, used);
        for at in 0..second.len() {
            if !used[at] && overlaps(span, &second[at]) {
                used[at] = true;
                best = best.max(1 + largest(rest, second, used));
                used[at] = false;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn matchings_are_maximal(
            first in prop::collection::vec((0_u32..8, 0_u32..5), 0..6),
            second in prop::collection::vec((0_u32..8, 0_u32..5), 0..6),
        ) {
            let (first, second) = (spans(&first), spans(&second));
            let expected = largest(&first, &second, &mut vec![false; second.len()]);
            prop_assert_eq!(shared(&first, &second).overlap, expected);
            prop_assert_eq!(shared(&second, &first).overlap, expected);
            prop_assert!(shared(&first, &second).exact <= expected);
        }
    }

    #[test]
    fn only_failed_searches_leave_marks() {
        // Greedily, the first span takes (0, 5), and then (1, 4) takes (3, 9).
        let first = spans(&[(0, 5), (1, 3), (2, 3)]);
        let second = spans(&[(0, 5), (3, 6), (8, 4), (20, 2)]);
        let mut matching = Matching::new(&first, &second);
        assert!(matching.take_free(0) && matching.take_free(1) && !matching.take_free(2));
        assert!(!matching.augment(2));
        assert_eq!(matching.visited, [true, true, false, false]);

        let (first, second) = (spans(&[(0, 5), (0, 6)]), spans(&[(0, 1), (5, 3)]));
        let mut matching = Matching::new(&first, &second);
        (matching.matched[0], matching.next_free[0]) = (Some(1), 1);
        assert!(matching.augment(0));
        assert_eq!(matching.matched, [Some(0), Some(1)]);
        assert_eq!(matching.visited, [false, false]);
    }

    #[test]
    fn many_nested_spans_are_matched() {
        let nested = |middle: u32, number: u32| {
            (0..number)
                .map(move |at| (middle - at - 1, 2 * at + 2))
                .collect::<Vec<_>>()
        };
        let (many, few) = (spans(&nested(5_000, 4_000)), spans(&nested(5_000, 2_000)));
        // Bounds differ by one, so that no spans are equal.
        let few: Vec<_> = (few.into_iter())
            .map(|span| ProjectSpan::new(span.start, span.end + 1, 0))
            .collect();
        assert_eq!(shared(&many, &few).overlap, 2_000);
        assert_eq!(shared(&few, &many).overlap, 2_000);

        // Of either side, 2,000 spans stay unmatched.
        let sides = [[3_000, 1_000], [1_000, 3_000]]
            .map(|[left, right]| spans(&[nested(5_000, left), nested(20_000, right)].concat()));
        assert_eq!(matching(&sides[0], &sides[1]), 2_000);
    }

    #[test]
    fn pieces_overlap_only_where_they_cover() {
        let mut holes = ProjectSpan::new(0, 9, 0);
        holes.pieces = vec![(0, 2), (7, 9)];
        let inside = ProjectSpan::new(3, 6, 0);
        assert_eq!(shared(&[holes.clone()], &[inside]).overlap, 0);
        assert_eq!(shared(&[holes], &[ProjectSpan::new(1, 3, 0)]).overlap, 1);
    }
}
