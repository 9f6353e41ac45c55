//! Spans that two annotators share.

use std::cmp::Ordering;

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
///
/// Augmenting paths (Berge 1957) over the overlaps; spans that two annotators mark overlap few
/// others, so that paths are short.
fn matching(first: &[ProjectSpan], second: &[ProjectSpan]) -> u32 {
    // `reach[i]` is the largest end of the first i + 1 spans of `second`, so that the spans before
    // a span can be skipped.
    let mut reach = Vec::with_capacity(second.len());
    let mut end = 0;
    for span in second {
        end = end.max(span.end);
        reach.push(end);
    }
    let neighbours: Vec<Vec<u32>> = first
        .iter()
        .map(|span| {
            let from = reach.partition_point(|&end| end < span.start);
            let candidates = second[from..]
                .iter()
                .take_while(|other| other.start <= span.end);
            (from as u32..)
                .zip(candidates)
                .filter(|(_, other)| overlaps(span, other))
                .map(|(at, _)| at)
                .collect()
        })
        .collect();
    let mut matched: Vec<Option<u32>> = vec![None; second.len()];
    let mut visited = vec![u32::MAX; second.len()];
    let mut size = 0;
    for start in 0..first.len() as u32 {
        size += u32::from(augment(start, &neighbours, &mut matched, &mut visited));
    }
    size
}

/// Matches `start`, rematching other spans if necessary; returns false if that is impossible.
fn augment(
    start: u32,
    neighbours: &[Vec<u32>],
    matched: &mut [Option<u32>],
    visited: &mut [u32],
) -> bool {
    // A depth-first search with an explicit stack: the depth is the length of a path, which hostile
    // input could make as large as the number of spans.
    let mut stack: Vec<(u32, usize)> = vec![(start, 0)];
    while let Some((span, next)) = stack.last_mut() {
        let Some(&other) = neighbours[*span as usize].get(*next) else {
            stack.pop();
            continue;
        };
        *next += 1;
        if visited[other as usize] == start {
            continue;
        }
        visited[other as usize] = start;
        if let Some(owner) = matched[other as usize] {
            stack.push((owner, 0));
            continue;
        }
        // Every span on the path takes the neighbour that it tried last.
        for &(span, next) in &stack {
            matched[neighbours[span as usize][next - 1] as usize] = Some(span);
        }
        return true;
    }
    false
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
    fn pieces_overlap_only_where_they_cover() {
        let mut holes = ProjectSpan::new(0, 9, 0);
        holes.pieces = vec![(0, 2), (7, 9)];
        let inside = ProjectSpan::new(3, 6, 0);
        assert_eq!(shared(&[holes.clone()], &[inside]).overlap, 0);
        assert_eq!(shared(&[holes], &[ProjectSpan::new(1, 3, 0)]).overlap, 1);
    }
}
