//! Definitions shared by readings, violations and detection: symbols of tags, and the decision at
//! one token.

use crate::scheme::{Edge, Prefix};

/// Symbol of `O`; as the previous symbol, also the start of the sentence.
pub(crate) const OUTSIDE: u8 = 0;
/// Symbol of a tag that does not belong to the scheme. Symbols 1 to 5 are the prefixes of the
/// scheme, in the order of its table.
pub(crate) const UNKNOWN: u8 = 6;
/// Symbol of the end of the sentence.
pub(crate) const END: u8 = 7;
/// Number of symbols.
pub(crate) const SYMBOLS: u8 = 8;

/// The decision of a reading at one token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Step {
    /// Whether the open span ends before the token.
    pub(crate) close: bool,
    /// Whether a span begins at the token.
    pub(crate) open: bool,
    /// Whether a span is open after the token.
    pub(crate) live: bool,
}

/// The input of a decision.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context {
    /// Prefix of the previous token; None for `O`, an unknown tag and the start of the sentence.
    pub(crate) before: Option<Prefix>,
    /// Prefix of this token; None for `O`, an unknown tag and the end of the sentence.
    pub(crate) here: Option<Prefix>,
    /// Whether a span is open before the token.
    pub(crate) live: bool,
    /// Whether both tokens have the same type.
    pub(crate) same: bool,
}

impl Context {
    /// Returns whether the token continues the open span: the types are equal, the previous prefix
    /// does not end a span, and this prefix does not begin a span.
    pub(crate) fn continues(&self) -> bool {
        use Edge::{Auto, Never};
        self.live
            && self.same
            && self.before.is_some_and(|p| matches!(p.ends, Never | Auto))
            && self.here.is_some_and(|p| matches!(p.begins, Never | Auto))
    }
}
