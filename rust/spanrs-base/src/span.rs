/// A labelled stretch of a sentence or a text: tokens where it comes from tags, characters where it comes from
/// annotations of a text.
///
/// Positions of tags are `u32`; matchers take `Span<i64>`, because spans from outside may lie anywhere.
///
/// The order of the fields makes the derived ordering the reading order: by start, then end, then type. Number
/// types in the order of their names to make that independent of the order in which they were read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span<P = u32> {
    /// First position, from 0.
    pub start: P,
    /// One past the last position.
    pub end: P,
    /// Type, as an id of the vocabulary of types it was made with.
    pub ty: u32,
}

impl Span {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
}

impl<P: PartialOrd> Span<P> {
    /// True where the span covers nothing.
    pub fn is_empty(&self) -> bool {
        self.end <= self.start
    }
}

impl From<Span> for Span<i64> {
    fn from(span: Span) -> Self {
        Self {
            start: span.start.into(),
            end: span.end.into(),
            ty: span.ty,
        }
    }
}
