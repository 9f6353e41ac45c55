//! Groups of units that an optimal alignment may link.

use super::continuum::Segment;
use super::dissimilarity::Dissimilarity;

/// A unit with its annotator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placed {
    /// Index of the annotator.
    pub(super) annotator: u32,
    /// Position and category.
    pub(super) segment: Segment,
}

/// Splits the units of a continuum into connected components; each component is sorted by the
/// centres of its units, and is aligned independently of the others.
///
/// Two units are linked if their benefit exceeds [`Dissimilarity::least_link`]. The sweep compares
/// only units whose centres are close enough, so it takes O(units * neighbours) time if units have
/// similar lengths.
pub(super) fn components(units: &[Vec<Segment>], by: &Dissimilarity) -> Vec<Vec<Placed>> {
    let mut all: Vec<Placed> = Vec::with_capacity(units.iter().map(Vec::len).sum());
    for (annotator, segments) in (0..).zip(units) {
        all.extend(
            segments
                .iter()
                .map(|&segment| Placed { annotator, segment }),
        );
    }
    all.sort_by(compare);
    let mut parents: Vec<usize> = (0..all.len()).collect();
    let longest = all.iter().map(|u| u.segment.len()).fold(0.0, f64::max);
    for (at, unit) in all.iter().enumerate() {
        let reach = 2.0 * by.farthest(by.least_link(), unit.segment.len() + longest);
        let last = unit.segment.doubled_centre() + reach;
        for (next, other) in all.iter().enumerate().skip(at + 1) {
            if other.segment.doubled_centre() > last {
                break;
            }
            if other.annotator != unit.annotator
                && by.benefit(&unit.segment, &other.segment) > by.least_link()
            {
                let (a, b) = (root(&mut parents, at), root(&mut parents, next));
                let (first, second) = (a.min(b), a.max(b));
                parents[second] = first;
            }
        }
    }
    group(&all, &mut parents)
}

/// Orders units by centre; ties are resolved by all fields, so that the order does not depend on
/// the input.
fn compare(a: &Placed, b: &Placed) -> std::cmp::Ordering {
    let centres = |unit: &Placed| unit.segment.doubled_centre();
    centres(a)
        .total_cmp(&centres(b))
        .then(a.segment.start.total_cmp(&b.segment.start))
        .then(a.segment.category.cmp(&b.segment.category))
        .then(a.annotator.cmp(&b.annotator))
}

/// Returns the representative of a set, with path halving.
fn root(parents: &mut [usize], mut at: usize) -> usize {
    while parents[at] != at {
        parents[at] = parents[parents[at]];
        at = parents[at];
    }
    at
}

/// Collects the units of each set, in order.
fn group(all: &[Placed], parents: &mut [usize]) -> Vec<Vec<Placed>> {
    let mut numbers = vec![usize::MAX; all.len()];
    let mut components: Vec<Vec<Placed>> = Vec::new();
    for (at, unit) in all.iter().enumerate() {
        let first = root(parents, at);
        // The representative is the first unit of its set.
        if first == at {
            numbers[at] = components.len();
            components.push(Vec::new());
        }
        components[numbers[first]].push(*unit);
    }
    components
}
