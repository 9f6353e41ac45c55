//! Options of the matching.

use spanrs_base::Limits;

/// How pairs are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Each pred span, in the given order, takes a free gold span (nervaluate). Takes O(n log n +
    /// k) time for k overlapping pairs.
    Greedy,
    /// Pairs with the greatest total credit. Takes O(n log n + k) time if no two spans on one
    /// side overlap; otherwise a transportation problem is solved for each group of overlapping
    /// spans.
    Optimal,
}

/// The options of a matching other than the way in which pairs are chosen.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// Minimum overlap in per cent of the gold span.
    pub(super) min_overlap: f64,
    /// Whether the optimal matching must be the first one in the order of [`super::assign()`].
    pub(super) ties: bool,
    /// The set of lanes that are matched.
    pub(super) lanes: u8,
    /// Limits; only `group_pairs` is used.
    pub(super) limits: Limits,
}
