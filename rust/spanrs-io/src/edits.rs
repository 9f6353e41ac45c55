//! Writing a chunk with some of its fields replaced.

use std::io::Write;
use std::ops::Range;

/// Writes the bytes of a chunk with replacements; all other bytes are copied unchanged.
///
/// Replacements are given in ascending order. The bytes between two replacements are written at
/// once.
///
/// ```
/// use spanrs_io::Edits;
/// let mut out = Vec::new();
/// let mut edits = Edits::new(b"Bob  NNP\tB-PER\r\n", &mut out);
/// edits.replace(9..14, b"U-PER").unwrap();
/// edits.replace(14..14, b"\t0.9").unwrap();
/// edits.finish().unwrap();
/// assert_eq!(out, b"Bob  NNP\tU-PER\t0.9\r\n");
/// ```
pub struct Edits<'a> {
    bytes: &'a [u8],
    out: &'a mut dyn Write,
    /// Index of the first byte that has not been written or replaced.
    from: usize,
}

impl<'a> Edits<'a> {
    /// Creates a writer of `bytes`, usually the bytes of a chunk ([`crate::Chunk::bytes`]).
    pub fn new(bytes: &'a [u8], out: &'a mut dyn Write) -> Self {
        Self {
            bytes,
            out,
            from: 0,
        }
    }

    /// Replaces a range, which must not begin before the end of the last replaced range; an empty
    /// range inserts text.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn replace(&mut self, range: Range<usize>, text: &[u8]) -> std::io::Result<()> {
        debug_assert!(self.from <= range.start && range.end <= self.bytes.len());
        self.out.write_all(&self.bytes[self.from..range.start])?;
        self.out.write_all(text)?;
        self.from = range.end;
        Ok(())
    }

    /// Writes the bytes after the last replacement.
    ///
    /// # Errors
    /// Errors of writing.
    pub fn finish(self) -> std::io::Result<()> {
        self.out.write_all(&self.bytes[self.from..])
    }
}
