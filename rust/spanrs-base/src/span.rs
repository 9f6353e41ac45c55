//! The span: a half-open interval of positions with a type.

/// A typed interval of positions: token indices if the span was read from tags, character offsets
/// if the span was read from annotations of a text.
///
/// Token indices are `u32`. Matchers take `Span<i64>`, because spans supplied by a caller may lie
/// anywhere, even at negative positions. Nothing enforces `start < end`; see [`Span::is_empty`].
///
/// The derived ordering compares start, then end, then type id. Type ids follow the order of first
/// appearance unless the caller numbers the types alphabetically; if the result of sorting must not
/// depend on the order of the input data, intern the types in alphabetical order first.
///
/// # Examples
///
/// ```
/// use spanrs_base::Span;
/// // "New York" in "I like New York ."
/// let span = Span { start: 2_u32, end: 4, ty: 0 };
/// assert_eq!(span.len(), 2);
/// assert!(!span.is_empty());
/// let wide: Span<i64> = span.into();
/// assert_eq!((wide.start, wide.end), (2, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span<P = u32> {
    /// First position, 0-based and inclusive.
    pub start: P,
    /// One past the last position (exclusive), so that `end - start` is the length.
    pub end: P,
    /// Id of the type in the type vocabulary of the reader that created the span. Ids from
    /// different vocabularies must not be compared.
    pub ty: u32,
}

impl Span {
    /// Returns the number of positions; 0 if `end` is not greater than `start`.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
}

impl<P: PartialOrd> Span<P> {
    /// Returns whether the span covers no position, that is, `end <= start`.
    pub fn is_empty(&self) -> bool {
        self.end <= self.start
    }
}

/// Widens the positions without loss; the type id is unchanged.
impl From<Span> for Span<i64> {
    fn from(span: Span) -> Self {
        Self {
            start: span.start.into(),
            end: span.end.into(),
            ty: span.ty,
        }
    }
}
