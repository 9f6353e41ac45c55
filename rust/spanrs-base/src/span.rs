/// A labelled stretch of tokens of one sentence.
///
/// The order of the fields makes the derived ordering the reading order: by start, then end, then type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First token, from 0.
    pub start: u32,
    /// One past the last token.
    pub end: u32,
    /// Type, as an id of the vocabulary of types it was made with.
    pub ty: u32,
}

impl Span {
    /// Number of tokens.
    pub fn len(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }

    /// True where the span covers no token.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
