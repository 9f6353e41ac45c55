//! Upper bounds on the size of inputs.

/// Upper bounds that readers check before allocating memory, so that a hostile or mistaken file
/// causes an error message instead of exhausting memory.
///
/// The defaults far exceed the size of real corpora. All bounds are inclusive: an input that
/// reaches a bound exactly is accepted.
///
/// # Examples
///
/// ```
/// let limits = spanrs_base::Limits { line_bytes: 1 << 10, ..Default::default() };
/// assert!(limits.tags > 100_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Maximum length of a line of a text file in bytes, excluding the line end. Default: 16 MiB.
    pub line_bytes: usize,
    /// Maximum number of distinct tags in one vocabulary. Default: 2^20.
    pub tags: usize,
    /// Maximum number of tokens in one sentence. Default: 2^26.
    pub sentence_tokens: usize,
    /// Maximum size in bytes, after decompression, of a document that is read into memory as a
    /// whole. Default: 1 GiB.
    pub document_bytes: usize,
    /// Maximum ratio of decompressed to compressed bytes; checked once the output exceeds
    /// [`Limits::EXPANSION_FREE`] bytes. Text typically reaches a ratio of 3 to 10, repetitive
    /// content up to 1000. Default: 100.
    pub expansion: usize,
    /// Maximum depth of nested elements. Default: 1000.
    pub nesting: usize,
    /// Maximum number of pairs of overlapping spans within one connected group of overlapping
    /// spans, for optimal matching. Matching needs 4 bytes per pair, and up to 30 additional bytes
    /// per pair if ties have to be resolved. Default: 2^24.
    pub group_pairs: usize,
}

impl Limits {
    /// Number of decompressed bytes below which [`Limits::expansion`] is not checked (16 MiB):
    /// small files with repetitive content have extreme ratios but are harmless.
    pub const EXPANSION_FREE: usize = 16 << 20;
}

impl Limits {
    /// Returns the limits with [`Limits::expansion`] replaced, unless `expansion` is None.
    pub fn with_expansion(self, expansion: Option<usize>) -> Self {
        Self {
            expansion: expansion.unwrap_or(self.expansion),
            ..self
        }
    }
}

impl Default for Limits {
    /// Returns the defaults given in the documentation of the fields.
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
