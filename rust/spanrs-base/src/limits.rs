/// What a reader accepts before it refuses, so that a hostile or mistaken file costs an error message
/// and not the machine's memory.
///
/// The defaults are far above real corpora.
///
/// ```
/// let limits = spanrs_base::Limits { line_bytes: 1 << 10, ..Default::default() };
/// assert!(limits.tags > 100_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Longest line of a text file, in bytes without its line end.
    pub line_bytes: usize,
    /// Most different tags in one vocabulary.
    pub tags: usize,
    /// Most tokens in one sentence.
    pub sentence_tokens: usize,
    /// Largest document that is held whole, in bytes, after decompression.
    pub document_bytes: usize,
    /// Maximum decompression ratio of documents; applies once the output exceeds [`Limits::EXPANSION_FREE`] bytes.
    /// Text compresses 3 to 10 times, repetitions up to 1000 times.
    pub expansion: usize,
    /// Most elements within one another.
    pub nesting: usize,
    /// Most pairs of overlapping spans within one group of spans that overlap each other, for optimal
    /// matching. Matching takes 4 bytes a pair, and up to 30 more
    /// where ties are resolved.
    pub group_pairs: usize,
}

impl Limits {
    /// Decompressed bytes from which [`Limits::expansion`] counts.
    pub const EXPANSION_FREE: usize = 16 << 20;
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            line_bytes: 16 << 20,
            tags: 1 << 20,
            sentence_tokens: 1 << 26,
            document_bytes: 1 << 30,
            expansion: 100,
            nesting: 1000,
            group_pairs: 1 << 24,
        }
    }
}
