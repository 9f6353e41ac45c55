//! Lines of a text file, read through a buffer that is refilled chunk by chunk.
//!
//! The buffer contains three segments of the file:
//!
//! ```text
//! 0 .. at        already returned
//! at .. ready    whole lines, validated: UTF-8, no NUL, line ends LF or CR LF, none too long
//! ready .. filled    the beginning of a line whose end has not been read yet
//! ```
//!
//! When `at` reaches `ready`, the rest is moved to the front and the source is read until the
//! buffer contains the end of a line. The whole segment is validated at once, which is much faster
//! than line by line: nearly all text is plain ASCII, for which one pass without branches suffices.
//! Lines are then found with an index of whitespace positions (`whitespace_index`), which also
//! gives the boundaries of the columns.
//!
//! In a file of predictions, nearly all lines are usually equal to those of the gold file. A reader
//! can therefore follow another reader: the following reader compares its bytes with the buffer of
//! the other reader and skips equal lines without splitting them ([`LineReader::pass`],
//! [`LineReader::same_ahead`]).
//!
//! Memory is bounded by twice the chunk size or twice the maximum line length, whichever is larger,
//! plus 4 bytes for each whitespace byte in the buffer. Time is linear in the size of the file.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use spanrs_base::{Limits, Position};

use crate::binary_formats::binary_format;
use crate::compression::{Input, decompress};
use crate::error::{Code, Error, Result};
use crate::whitespace_index::gather;

mod ordinary;

pub(crate) use ordinary::{Bounds, LineShape, OrdinaryLine, OrdinaryLines};

/// The byte order mark in UTF-8, EF BB BF.
const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();
/// Size of the buffer, in bytes.
const CHUNK: usize = 256 << 10;
/// Size of the initial buffer. Zeroing a full-size buffer takes longer than scoring a small file.
const FIRST: usize = 32 << 10;
/// Upper bound of `Limits::line_bytes`: positions in the buffer, which can contain two such lines,
/// are 32 bits wide.
const LONGEST: usize = 1 << 30;

/// Reader of the lines of a text file.
///
/// Lines are numbered from 1. Returned ranges and bytes are valid until the next read. Line readers
/// are the source of format readers, such as [`crate::ColumnReader`].
///
/// ```
/// use spanrs_io::LineReader;
/// let gzip_or_not = "a O\nb O\n".as_bytes();
/// let lines = LineReader::new("example", Box::new(gzip_or_not), Default::default()).unwrap();
/// assert_eq!((lines.path(), lines.line(), lines.bytes_read()), ("example", 0, 8));
/// ```
pub struct LineReader {
    /// Name of the file in messages.
    path: String,
    /// The rest of the file, decompressed.
    source: Input,
    /// Limits, with `line_bytes` at most [`LONGEST`].
    limits: Limits,
    /// The bytes read, valid up to `filled`. The buffer is doubled if a line does not fit.
    buffer: Vec<u8>,
    /// Size of the buffer after the initial buffer.
    chunk: usize,
    /// Index in the buffer of the first byte that has not been returned.
    at: usize,
    /// End of the whole lines in the buffer; all bytes before this index have been validated.
    ready: usize,
    /// End of the bytes read.
    filled: usize,
    /// Whether the source has ended: nothing follows `filled`.
    ended: bool,
    /// Ascending positions in `buffer` of the bytes in the ready part that are at most `b' '`: line
    /// ends, spaces, tabs and control characters.
    whitespace: Vec<u32>,
    /// Index in `whitespace` of the first position that has not been returned; the position is at
    /// least `at`.
    next_whitespace: usize,
    /// Whether whitespace is indexed one line at a time, so that `whitespace` only covers the last
    /// line.
    single: bool,
    /// Number of bytes from `at` known to be identical to the bytes of the followed reader from its
    /// offset `same_to`.
    same: usize,
    /// Offset in the followed reader's file, after decompression, that corresponds to `at`.
    same_to: u64,
    /// Number of bytes of the file before the buffer, so that `before + at` is the offset of the
    /// next line.
    before: u64,
    /// Number of lines returned.
    line: u64,
    /// Number of bytes read from the source.
    bytes: u64,
    /// Whether the file begins with a byte order mark, which is skipped.
    has_byte_order_mark: bool,
}

impl LineReader {
    /// Creates a reader of `source`, which is decompressed if it begins with a gzip or zstd header.
    /// `path` is the file name for messages. A byte order mark is skipped, unless a space or a tab
    /// follows: then U+FEFF is a token.
    ///
    /// The first chunk is read and validated immediately.
    ///
    /// # Errors
    /// For the first chunk immediately, and for later chunks when lines are read:
    ///
    /// - [`Code::Io`] and [`Code::Compression`] from reading;
    /// - [`Code::Encoding`] for UTF-16 and for bytes that are not UTF-8, [`Code::Nul`] for NUL
    ///   bytes and known binary formats, [`Code::CarriageReturn`] for a carriage return within a
    ///   line;
    /// - [`Code::LineTooLong`] for a line with more than `limits.line_bytes` bytes.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::{Code, LineReader};
    /// let source = Box::new(&b"a O\nb \xFF\n"[..]);
    /// let error = LineReader::new("x.conll", source, Default::default()).err().unwrap();
    /// assert_eq!(error.code, Code::Encoding);
    /// assert_eq!((error.position.line, error.position.column), (2, 3));
    /// ```
    pub fn new(path: &str, source: Input, limits: Limits) -> Result<Self> {
        Self::with_chunk(path, source, limits, CHUNK)
    }

    /// Same as [`LineReader::new`], with a buffer of `chunk` bytes, at least 4. The buffer grows if
    /// a line is longer. For tests of buffer ends.
    ///
    /// # Errors
    /// Same as [`LineReader::new`].
    pub fn with_chunk(path: &str, source: Input, mut limits: Limits, chunk: usize) -> Result<Self> {
        limits.line_bytes = limits.line_bytes.min(LONGEST);
        let source =
            decompress(source).map_err(|error| Error::read(Position::file(path), error))?;
        let mut reader = Self::unread(path, source, limits, chunk);
        reader.read_more()?;
        let head = &reader.buffer[..reader.filled];
        if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
            let message = "the file is UTF-16; convert it to UTF-8";
            return Err(Error::new(Code::Encoding, Position::line(path, 1), message));
        }
        if let Some(message) = binary_format(head) {
            return Err(Error::new(Code::Nul, Position::line(path, 1), message));
        }
        // U+FEFF followed by a separator is a token; otherwise U+FEFF is a byte order mark.
        if let Some(rest) = head.strip_prefix(BYTE_ORDER_MARK)
            && !rest
                .first()
                .is_some_and(|&byte| byte == b' ' || byte == b'\t')
        {
            reader.at = BYTE_ORDER_MARK.len();
            reader.has_byte_order_mark = true;
        }
        reader.refill()?;
        Ok(reader)
    }

    /// Creates a reader of a part of a file after its beginning; `line` lines precede the part. The
    /// source is neither decompressed nor checked for a byte order mark or binary formats.
    ///
    /// # Errors
    /// Same as [`LineReader::new`].
    pub(crate) fn part(path: &str, source: Input, mut limits: Limits, line: u64) -> Result<Self> {
        limits.line_bytes = limits.line_bytes.min(LONGEST);
        let mut reader = Self::unread(path, source, limits, CHUNK);
        reader.line = line;
        reader.read_more()?;
        reader.refill()?;
        Ok(reader)
    }

    /// Creates a reader that has read nothing yet. `limits.line_bytes` must be at most [`LONGEST`].
    fn unread(path: &str, source: Input, limits: Limits, chunk: usize) -> Self {
        Self {
            path: path.to_owned(),
            source,
            limits,
            // A byte order mark is detected in the initial buffer, which must have at least 4
            // bytes.
            buffer: vec![0; chunk.clamp(4, FIRST)],
            chunk,
            at: 0,
            ready: 0,
            filled: 0,
            ended: false,
            whitespace: Vec::new(),
            next_whitespace: 0,
            single: false,
            same: 0,
            same_to: 0,
            before: 0,
            line: 0,
            bytes: 0,
            has_byte_order_mark: false,
        }
    }

    /// Returns the file name as given by the caller.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the byte order mark before the first line, for copying a file unchanged; empty if
    /// there is none.
    pub fn byte_order_mark(&self) -> &'static [u8] {
        if self.has_byte_order_mark {
            BYTE_ORDER_MARK
        } else {
            b""
        }
    }

    /// Returns true if the whole rest of the file is in the ready part of the buffer.
    pub(crate) fn is_whole(&self) -> bool {
        self.ended && self.ready == self.filled
    }

    /// Returns the number of the last line returned, from 1; 0 before the first line.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Returns the position of the last line returned, for errors.
    pub fn position(&self) -> Position {
        Position::line(&self.path, self.line)
    }

    /// Returns the number of bytes read so far, after decompression. This number is ahead of the
    /// returned lines by up to one buffer.
    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }

    /// Returns the effective limits; `line_bytes` may be less than the given value.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the bytes of a range returned by the last read.
    #[inline(always)]
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// Returns the offset of the next line in the buffer.
    #[inline(always)]
    pub(crate) fn next_offset(&self) -> usize {
        self.at
    }

    /// Returns the validated lines in the buffer, starting at the next line, without consuming
    /// them. After [`LineReader::new`] there is at least one whole line, unless the file is empty.
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.buffer[self.at..self.ready]
    }

    /// Reads more bytes to extend [`LineReader::ahead`], without consuming anything.
    ///
    /// Returns false at the end of the file, and once more than `line_bytes` bytes are buffered, so
    /// that the lookahead has the same limit as a line.
    pub(crate) fn look_further(&mut self) -> Result<bool> {
        if self.ended || self.filled - self.at > self.limits.line_bytes {
            return Ok(false);
        }
        self.read_more()?;
        self.refill()?;
        Ok(true)
    }

    /// Switches to indexing whitespace one line at a time instead of one chunk at a time, for
    /// readers that skip most lines ([`LineReader::pass`]) or scan the bytes themselves
    /// ([`LineReader::next_bare`]).
    pub(crate) fn look_at_single_lines(&mut self) {
        self.single = true;
    }

    /// Reads the next line. Returns the range of its bytes, including the line end (only the last
    /// line may have none), and the index range of its whitespace positions, excluding the line
    /// feed ([`LineReader::whitespace`]); None at the end of the file.
    ///
    /// # Errors
    /// Same as [`LineReader::new`].
    #[inline]
    pub(crate) fn next_line(&mut self) -> Result<Option<(Range<usize>, Range<usize>)>> {
        if self.at == self.ready {
            self.refill()?;
            if self.at == self.ready {
                return Ok(None);
            }
        }
        if self.single {
            self.same = 0;
            self.gather_line();
        }
        let (start, first) = (self.at, self.next_whitespace);
        let mut end = self.ready;
        let mut ended = 0;
        while let Some(&at) = self.whitespace.get(self.next_whitespace) {
            self.next_whitespace += 1;
            if self.buffer[at as usize] == b'\n' {
                end = at as usize + 1;
                ended = 1;
                break;
            }
        }
        self.at = end;
        self.line += 1;
        Ok(Some((start..end, first..self.next_whitespace - ended)))
    }

    /// Reads the next line without its whitespace positions, for readers that scan the bytes
    /// themselves. Returns the range of its bytes, including the line end (only the last line may
    /// have none); None at the end of the file. [`LineReader::look_at_single_lines`] must have been
    /// called.
    ///
    /// # Errors
    /// Same as [`LineReader::new`].
    pub(crate) fn next_bare(&mut self) -> Result<Option<Range<usize>>> {
        debug_assert!(self.single);
        if self.at == self.ready {
            self.refill()?;
            if self.at == self.ready {
                return Ok(None);
            }
        }
        let line = memchr(b'\n', self.ahead()).map_or(self.ready - self.at, |end| end + 1);
        Ok(Some(self.take_bare(line)))
    }

    /// Consumes the first `bytes` bytes of [`LineReader::ahead`], which must be one line with its
    /// line end, and returns their range.
    #[inline(always)]
    pub(crate) fn take_bare(&mut self, bytes: usize) -> Range<usize> {
        let start = self.at;
        self.at += bytes;
        self.line += 1;
        start..self.at
    }

    /// Indexes the whitespace of the next line.
    fn gather_line(&mut self) {
        let rest = &self.buffer[self.at..self.ready];
        let length = memchr(b'\n', rest).map_or(rest.len(), |length| length + 1);
        gather(&rest[..length], self.at, &mut self.whitespace);
        self.next_whitespace = 0;
    }

    /// Returns the number of buffered bytes ahead that are identical in this reader and in `other`;
    /// at most [`MAX_COMPARED`] bytes are compared at once. [`LineReader::look_at_single_lines`]
    /// must have been called.
    ///
    /// The result of a comparison is reused until its bytes have been consumed by
    /// [`LineReader::pass_same`], provided that `other` has advanced by the same number of bytes.
    pub(crate) fn same_ahead(&mut self, other: &Self) -> usize {
        let place = other.before + other.at as u64;
        if self.same == 0 || self.same_to != place {
            self.same = common_prefix(self.ahead(), other.ahead());
            self.same_to = place;
        }
        self.same
    }

    /// Skips `lines` lines with a total of `bytes` bytes, which [`LineReader::same_ahead`] has
    /// found to be identical in the followed reader.
    pub(crate) fn pass_same(&mut self, lines: u64, bytes: usize) {
        self.at += bytes;
        self.line += lines;
        debug_assert!(bytes <= self.same);
        self.same = self.same.saturating_sub(bytes);
        self.same_to += bytes as u64;
    }

    /// Skips the next line if it equals `line`, the last line returned by `other`, which must
    /// include its line end; returns whether the line was skipped.
    /// [`LineReader::look_at_single_lines`] must have been called.
    ///
    /// Only bytes in the buffers are compared. A line that is truncated by the end of either buffer
    /// or is longer than [`MAX_COMPARED`] bytes is reported as different, and the caller reads it
    /// normally.
    #[inline(always)]
    pub(crate) fn pass(&mut self, other: &Self, line: Range<usize>) -> bool {
        debug_assert!(self.single);
        let length = line.len();
        let place = other.before + line.start as u64;
        if self.same < length || self.same_to != place {
            // A line that is truncated by the end of a buffer is read normally.
            let ahead = &self.buffer[self.at..self.ready];
            self.same = common_prefix(ahead, &other.buffer[line.start..other.ready]);
            if self.same < length {
                self.same = 0;
                return false;
            }
        }
        self.same -= length;
        self.same_to = place + length as u64;
        self.at += length;
        self.line += 1;
        true
    }

    /// Returns the whitespace positions in the buffer for an index range returned by
    /// [`LineReader::next_line`] or [`LineReader::next_ordinary`].
    #[inline(always)]
    pub(crate) fn whitespace(&self, range: Range<usize>) -> &[u32] {
        &self.whitespace[range]
    }

    /// Moves the bytes that have not been returned to the front of the buffer and reads until at
    /// least one whole line is ready or the file has ended. Then validates the new lines and
    /// indexes their whitespace.
    #[cold]
    fn refill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.before += self.at as u64;
        self.at = 0;
        self.ready = 0;
        loop {
            // The last line may have no line end, and may be the only line with a token.
            if self.ended {
                self.ready = self.filled;
                break;
            }
            // A line that is not complete when the buffer has reached the limit is too long;
            // reading stops.
            let newline = memrchr(b'\n', &self.buffer[..self.filled]);
            if let Some(newline) = newline {
                self.ready = newline + 1;
                break;
            }
            if self.filled > self.limits.line_bytes {
                break;
            }
            self.read_more()?;
        }
        self.check()?;
        if !self.single {
            gather(&self.buffer[..self.ready], 0, &mut self.whitespace);
            self.next_whitespace = 0;
        }
        Ok(())
    }

    /// Fills the buffer from the source, after enlarging the buffer if it is full or is the initial
    /// buffer. Sets `ended` at the end of the source.
    fn read_more(&mut self) -> Result<()> {
        if 0 < self.filled && self.buffer.len() < self.chunk {
            self.buffer.resize(self.chunk, 0);
        } else if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        // Fill the whole buffer: pipes and decompressors return small pieces.
        while self.filled < self.buffer.len() {
            match self.source.read(&mut self.buffer[self.filled..]) {
                Ok(0) => {
                    self.ended = true;
                    break;
                }
                Ok(n) => {
                    self.filled += n;
                    self.bytes += n as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let place = Position::line(&self.path, self.line);
                    return Err(Error::read(place, error));
                }
            }
        }
        Ok(())
    }

    /// Validates the ready part of the buffer, of which nothing has been returned yet; line numbers
    /// continue from `line`.
    ///
    /// # Errors
    /// [`Code::Nul`], [`Code::Encoding`], [`Code::CarriageReturn`] and [`Code::LineTooLong`], in
    /// this order of precedence within one chunk.
    fn check(&self) -> Result<()> {
        let text = &self.buffer[..self.ready];
        if is_plain_ascii(text) {
            return self.check_lengths(text);
        }
        if let Some(at) = memchr(0, text) {
            let message = "NUL byte: the file is binary, or UTF-16 without a byte order mark";
            return Err(Error::new(Code::Nul, self.place_of(at), message));
        }
        if let Err(error) = simdutf8::compat::from_utf8(text) {
            let at = error.valid_up_to();
            let message = format!(
                "invalid UTF-8 (byte 0x{:02X}); convert the file to UTF-8",
                text.get(at).copied().unwrap_or_default()
            );
            return Err(Error::new(Code::Encoding, self.place_of(at), message));
        }
        // Reject a carriage return that is not part of a line end: an old Mac file would otherwise
        // be read as a single line, and fields would silently contain a control character.
        for at in memchr_iter(b'\r', text) {
            if !matches!(text.get(at + 1), Some(b'\n') | None) {
                let message = "carriage return within a line; line ends must be LF or CRLF";
                return Err(Error::new(Code::CarriageReturn, self.place_of(at), message));
            }
        }
        self.check_lengths(text)
    }

    /// Checks that neither a line of `text`, the ready part, nor the incomplete line is longer than
    /// the limit. Lengths do not include the line feed.
    fn check_lengths(&self, text: &[u8]) -> Result<()> {
        let limit = self.limits.line_bytes;
        let too_long = |line: u64| {
            let message = format!(
                "the line is longer than {limit} bytes; is this a text file with one token a line?"
            );
            Error::new(Code::LineTooLong, Position::line(&self.path, line), message)
        };
        if self.ready == 0 && self.filled > limit {
            return Err(too_long(self.line + 1));
        }
        // If the whole text is within the limit, so is every line.
        if text.len() <= limit {
            return Ok(());
        }
        let mut start = 0;
        for (number, end) in memchr_iter(b'\n', text).chain([text.len()]).enumerate() {
            if end - start > limit {
                return Err(too_long(self.line + 1 + number as u64));
            }
            start = end + 1;
        }
        Ok(())
    }

    /// Returns the position of a byte in the ready part: line and column from 1, columns in bytes.
    fn place_of(&self, at: usize) -> Position {
        let before = &self.buffer[..at];
        let start = memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        Position {
            path: self.path.clone(),
            line: self.line + 1 + memchr_iter(b'\n', before).count() as u64,
            column: (at - start) as u64 + 1,
        }
    }
}

/// Returns the length of the common prefix of two texts, at most [`MAX_COMPARED`] bytes. The bound
/// keeps the total time linear, because the rest of the buffer is compared again after each
/// difference.
#[inline]
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let (one, other) = (
        &one[..one.len().min(MAX_COMPARED)],
        &other[..other.len().min(MAX_COMPARED)],
    );
    let (blocks, others) = (one.as_chunks::<STEP>().0, other.as_chunks::<STEP>().0);
    let equal = blocks
        .iter()
        .zip(others)
        .take_while(|(a, b)| a == b)
        .count()
        * STEP;
    let rest = one[equal..].iter().zip(&other[equal..]);
    equal + rest.take_while(|(a, b)| a == b).count()
}

/// Number of bytes compared at once.
const STEP: usize = 32;
/// Maximum number of bytes compared by a call of [`common_prefix`].
const MAX_COMPARED: usize = 1 << 12;

/// Returns true for ASCII without NUL and carriage returns. Nearly all text is of this kind and
/// needs no further validation. Blocks of 64 bytes are tested without branches.
fn is_plain_ascii(text: &[u8]) -> bool {
    let (blocks, rest) = text.as_chunks::<64>();
    let odd = |bytes: &[u8]| {
        let odd = |byte: u8| byte & 0x80 | u8::from(byte == 0) | u8::from(byte == b'\r');
        bytes.iter().fold(0, |all, &byte| all | odd(byte))
    };
    blocks.iter().all(|block| odd(block) == 0) && odd(rest) == 0
}
