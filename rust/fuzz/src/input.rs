//! Converts the fuzzer's bytes to numbers, options and sources.

use std::io::Cursor;

use spanrs_base::Limits;
use spanrs_io::{Code, LineReader};

/// A cursor over the fuzzer's bytes. After the last byte all bytes are 0, so that every input is complete and
/// shortening an input never makes it invalid.
pub struct Input<'a> {
    bytes: &'a [u8],
}

impl<'a> Input<'a> {
    /// Creates a cursor at the first byte.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    /// The next byte.
    pub fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((&first, rest)) => {
                self.bytes = rest;
                first
            }
            None => 0,
        }
    }

    /// A number below `n`, which is at most 256.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    /// One of several values.
    pub fn pick<T: Copy>(&mut self, values: &[T]) -> T {
        values[self.below(values.len())]
    }

    /// All bytes that were not taken.
    pub fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    /// True after the last byte.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Splits bytes at the first `separator`, which belongs to neither part. Without a separator the second part is empty.
pub fn split_at_byte(bytes: &[u8], separator: u8) -> (&[u8], &[u8]) {
    match bytes.iter().position(|&byte| byte == separator) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}

/// The default buffer size of line readers.
pub const CHUNK: usize = 256 << 10;

/// A line reader with a first buffer of this size.
///
/// # Errors
/// Same as [`LineReader::new`].
pub fn lines(bytes: &[u8], chunk: usize) -> spanrs_io::Result<LineReader> {
    let source = Box::new(Cursor::new(bytes.to_vec()));
    LineReader::with_chunk("input", source, Limits::default(), chunk)
}

/// The size of a small buffer.
pub fn chunk(input: &mut Input<'_>) -> usize {
    usize::from(input.byte()) + 4
}

/// True for errors that may be detected in a later buffer, after earlier rows have been returned.
pub fn depends_on_buffer(code: Code) -> bool {
    matches!(
        code,
        Code::Encoding | Code::Nul | Code::CarriageReturn | Code::Compression
    )
}

/// True if the bytes begin like a compressed file.
pub fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1F, 0x8B]) || bytes.starts_with(&[0x28, 0xB5, 0x2F, 0xFD])
}

/// The bytes without a byte order mark; U+FEFF before white space is a token.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    let rest = bytes.strip_prefix("\u{FEFF}".as_bytes());
    rest.filter(|rest| !matches!(rest.first(), Some(b' ' | b'\t')))
        .unwrap_or(bytes)
}

/// True if the line reader returns the bytes unchanged: uncompressed UTF-8 without a byte order mark, NUL and carriage
/// returns.
pub fn is_plain(bytes: &[u8]) -> bool {
    let mark = bytes.starts_with("\u{FEFF}".as_bytes());
    let controls = bytes.contains(&0) || bytes.contains(&b'\r');
    !is_compressed(bytes) && !mark && !controls && std::str::from_utf8(bytes).is_ok()
}
