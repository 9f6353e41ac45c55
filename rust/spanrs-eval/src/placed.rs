/// A span whose bounds may be any whole numbers, characters say; `end` is exclusive.
///
/// Where ties are broken by type, the smaller number wins: number types in the order of their names to
/// make that independent of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Placed {
    /// First token.
    pub start: i64,
    /// One past the last token.
    pub end: i64,
    /// Type.
    pub ty: u32,
}
