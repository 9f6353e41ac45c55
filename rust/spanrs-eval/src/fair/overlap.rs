//! The relation between the bounds of two spans.

use std::cmp::Ordering;

use spanrs_base::Span;

/// Relation of the bounds of two overlapping spans.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::fair::Overlap;
/// let span = |start: i64, end: i64| Span { start, end, ty: 0 };
/// assert_eq!(Overlap::of(&span(0, 5), &span(0, 3)), Some(Overlap::Smaller));
/// assert_eq!(Overlap::of(&span(0, 5), &span(4, 8)), Some(Overlap::Crossing));
/// assert_eq!(Overlap::of(&span(0, 5), &span(5, 8)), None, "spans that touch do not overlap");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Equal bounds.
    Same,
    /// The second span is inside the first and may share one bound with it.
    Smaller,
    /// The second span covers the first and may share one bound with it.
    Larger,
    /// Neither span covers the other.
    Crossing,
}

impl Overlap {
    /// Returns the relation of the second span to the first; None if they share no position.
    ///
    /// Types and tokens are ignored. For spans whose end is not after their start, the result is
    /// the same as in FairEval's `overlap_type`, which only compares the bounds: an empty span
    /// inside another span overlaps it.
    pub fn of(first: &Span<i64>, second: &Span<i64>) -> Option<Self> {
        let ((b1, e1), (b2, e2)) = ((first.start, first.end), (second.start, second.end));
        match (b2.cmp(&b1), e2.cmp(&e1)) {
            (Ordering::Equal, Ordering::Equal) => Some(Self::Same),
            (Ordering::Equal, Ordering::Less) if e2 > b1 => Some(Self::Smaller),
            (Ordering::Equal, _) => Some(Self::Larger),
            (Ordering::Less, _) if e2 <= b1 => None,
            (Ordering::Less, Ordering::Less) => Some(Self::Crossing),
            (Ordering::Less, _) => Some(Self::Larger),
            (Ordering::Greater, _) if b2 >= e1 => None,
            (Ordering::Greater, Ordering::Greater) => Some(Self::Crossing),
            (Ordering::Greater, _) => Some(Self::Smaller),
        }
    }
}
