use std::io::Read;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memrchr};
use spanrs_base::{Limits, Position};

use crate::error::{Code, Error, Result};
use crate::open::decompress;
use crate::whitespace_index::gather;

mod ordinary;

pub(crate) use ordinary::{Bounds, LineShape};

/// Where bytes come from.
pub type Source = Box<dyn Read + Send>;

const BYTE_ORDER_MARK: &[u8] = "\u{FEFF}".as_bytes();
/// First bytes of binary files that are scored in other ways.
const BINARY: &[(&[u8], &str)] = &[
    (
        b"PAR1",
        "this is Parquet; spanrs score FILE and spanrs.score_table_files score it",
    ),
    (
        b"ARROW1",
        "this is an Arrow file; spanrs score FILE and spanrs.score_table_files score it",
    ),
    (
        b"spanrs result\x01",
        "these are counts of spanrs score --save; spanrs merge shows them",
    ),
];
const CHUNK: usize = 256 << 10;
/// No limit of lines is above this: places in the buffer, which holds two such lines, are 32 bits wide.
const LONGEST: usize = 1 << 30;

/// Lines of a text file, found in a buffer that is refilled a chunk at a time.
///
/// Places that are given out hold until the next call.
pub struct LineReader {
    path: String,
    source: Source,
    limits: Limits,
    buffer: Vec<u8>,
    /// First byte not given out yet.
    at: usize,
    /// End of the whole lines that have been checked.
    ready: usize,
    /// End of what was read.
    filled: usize,
    ended: bool,
    /// Positions in `buffer` of the bytes up to `b' '` of the ready part: line ends, spaces, tabs and
    /// control characters.
    whitespace: Vec<u32>,
    /// Index in `whitespace` of the first position not given out yet.
    next_whitespace: usize,
    /// Whitespace is indexed a line at a time: `whitespace` holds the positions of the last line only.
    single: bool,
    /// So many bytes from `at` on are known to be those of the reader that is followed, from its byte
    /// `same_to` on.
    same: usize,
    same_to: u64,
    /// Bytes that were in the buffer and are no more.
    before: u64,
    /// Lines given out.
    line: u64,
    bytes: u64,
    /// The file begins with a byte order mark.
    has_byte_order_mark: bool,
}

impl LineReader {
    /// Lines of `source`, which is decompressed if its first bytes say gzip or zstd. A byte order mark
    /// is passed over.
    ///
    /// # Errors
    /// Whatever the first chunk brings: [`Code::Io`], [`Code::Compression`], [`Code::Encoding`],
    /// [`Code::Nul`], [`Code::LineTooLong`].
    pub fn new(path: &str, source: Source, limits: Limits) -> Result<Self> {
        Self::with_chunk(path, source, limits, CHUNK)
    }

    /// As [`LineReader::new`] with a first buffer of `chunk` bytes, at least 4. The buffer grows where a line
    /// is longer. For tests of what happens at the end of a buffer.
    ///
    /// # Errors
    /// As [`LineReader::new`].
    pub fn with_chunk(
        path: &str,
        source: Source,
        mut limits: Limits,
        chunk: usize,
    ) -> Result<Self> {
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
        if let Some((_, message)) = BINARY.iter().find(|(magic, _)| head.starts_with(magic)) {
            return Err(Error::new(Code::Nul, Position::line(path, 1), *message));
        }
        // U+FEFF followed by a separator is a token; otherwise it is a byte order mark.
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

    /// Lines of a part of a file that is not its beginning, behind `line` others. The source is neither decompressed nor
    /// looked at for a byte order mark.
    ///
    /// # Errors
    /// As [`LineReader::new`].
    pub(crate) fn part(path: &str, source: Source, mut limits: Limits, line: u64) -> Result<Self> {
        limits.line_bytes = limits.line_bytes.min(LONGEST);
        let mut reader = Self::unread(path, source, limits, CHUNK);
        reader.line = line;
        reader.read_more()?;
        reader.refill()?;
        Ok(reader)
    }

    /// A reader that has read nothing.
    fn unread(path: &str, source: Source, limits: Limits, chunk: usize) -> Self {
        Self {
            path: path.to_owned(),
            source,
            limits,
            // A byte order mark is looked for in the first buffer.
            buffer: vec![0; chunk.max(4)],
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

    /// The file's name as given.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The byte order mark that stands before the first line; empty where there is none.
    pub fn byte_order_mark(&self) -> &'static [u8] {
        if self.has_byte_order_mark {
            BYTE_ORDER_MARK
        } else {
            b""
        }
    }

    /// True where all that is left of the file is in the buffer.
    pub(crate) fn is_whole(&self) -> bool {
        self.ended && self.ready == self.filled
    }

    /// Number of the line given out last, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The place of the line given out last.
    pub fn position(&self) -> Position {
        Position::line(&self.path, self.line)
    }

    /// Bytes read so far, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.bytes
    }

    /// The limits.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The bytes of a range given out by the last call.
    #[inline(always)]
    pub(crate) fn bytes(&self, range: Range<usize>) -> &[u8] {
        &self.buffer[range]
    }

    /// The checked lines that are in the buffer already, to look ahead without consuming.
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.buffer[self.at..self.ready]
    }

    /// Reads more without giving anything out; false where there is no more, or the limit is reached.
    pub(crate) fn look_further(&mut self) -> Result<bool> {
        if self.ended || self.filled - self.at > self.limits.line_bytes {
            return Ok(false);
        }
        self.read_more()?;
        self.refill()?;
        Ok(true)
    }

    /// From now on white space is looked for a line at a time, not a chunk at a time: for readers that
    /// mostly [`LineReader::pass`] over lines.
    pub(crate) fn look_at_single_lines(&mut self) {
        self.single = true;
    }

    /// The next line with its line end, which only the last line may lack, and the places of its blanks
    /// and controls (its line end not among them); None at the end of the file.
    ///
    /// # Errors
    /// As [`LineReader::new`].
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

    /// The next line with its line end, which only the last line may lack; None at the end of the file. Only
    /// after [`LineReader::look_at_single_lines`], for readers that look at the bytes themselves.
    ///
    /// # Errors
    /// As [`LineReader::new`].
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

    /// Takes so many bytes of [`LineReader::ahead`], which are a line with its line end.
    #[inline(always)]
    pub(crate) fn take_bare(&mut self, bytes: usize) -> Range<usize> {
        let start = self.at;
        self.at += bytes;
        self.line += 1;
        start..self.at
    }

    fn gather_line(&mut self) {
        let rest = &self.buffer[self.at..self.ready];
        let length = memchr(b'\n', rest).map_or(rest.len(), |length| length + 1);
        gather(&rest[..length], self.at, &mut self.whitespace);
        self.next_whitespace = 0;
    }

    /// So many bytes ahead are the same here and in `other`. Only after
    /// [`LineReader::look_at_single_lines`].
    pub(crate) fn same_ahead(&mut self, other: &Self) -> usize {
        let place = other.before + other.at as u64;
        if self.same == 0 || self.same_to != place {
            self.same = common_prefix(self.ahead(), other.ahead());
            self.same_to = place;
        }
        self.same
    }

    /// Passes over so many lines of so many bytes, which [`LineReader::same_ahead`] has found to be the
    /// same.
    pub(crate) fn pass_same(&mut self, lines: u64, bytes: usize) {
        self.at += bytes;
        self.line += lines;
        debug_assert!(bytes <= self.same);
        self.same = self.same.saturating_sub(bytes);
        self.same_to += bytes as u64;
    }

    /// If the next line is the one that `other` gave out last, byte for byte, passes over it and answers
    /// true. That line has its line end. Only after [`LineReader::look_at_single_lines`].
    #[inline(always)]
    pub(crate) fn pass(&mut self, other: &Self, line: Range<usize>) -> bool {
        debug_assert!(self.single);
        let length = line.len();
        let place = other.before + line.start as u64;
        if self.same < length || self.same_to != place {
            // Only what is in the buffers is compared; a line that is cut by their end is read as usual.
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

    /// The whitespace positions whose index range [`LineReader::next_line`] returned.
    #[inline(always)]
    pub(crate) fn whitespace(&self, range: Range<usize>) -> &[u32] {
        &self.whitespace[range]
    }

    /// Makes at least one whole line ready, unless the file has ended.
    #[cold]
    fn refill(&mut self) -> Result<()> {
        self.buffer.copy_within(self.at..self.filled, 0);
        self.filled -= self.at;
        self.before += self.at as u64;
        self.at = 0;
        self.ready = 0;
        loop {
            // The last line may have no line end, and may be the only one that holds a token.
            if self.ended {
                self.ready = self.filled;
                break;
            }
            // A line that is still open when the buffer holds the limit is too long; it is not read on.
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

    fn read_more(&mut self) -> Result<()> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(self.buffer.len() * 2, 0);
        }
        // Fill the buffer as far as it goes: pipes and decompressors hand out small pieces.
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

    /// Checks the lines that have just become ready.
    fn check(&self) -> Result<()> {
        let text = &self.buffer[..self.ready];
        if plain(text) {
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
        // A carriage return that is not part of a line end: old Mac files are one line otherwise, and
        // fields would silently get a control character.
        for at in memchr_iter(b'\r', text) {
            if !matches!(text.get(at + 1), Some(b'\n') | None) {
                let message = "carriage return within a line; line ends must be LF or CRLF";
                return Err(Error::new(Code::CarriageReturn, self.place_of(at), message));
            }
        }
        self.check_lengths(text)
    }

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
        // A buffer that fits one line fits no longer one.
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

    /// The place of a byte of the checked text.
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

/// How many bytes two texts begin with in common, as far as one looks: where the rest is looked at more
/// than once, not all of it is each time.
#[inline]
fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let (one, other) = (&one[..one.len().min(LOOK)], &other[..other.len().min(LOOK)]);
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

const STEP: usize = 32;
const LOOK: usize = 1 << 12;

/// True for ASCII without NUL and carriage returns, which nearly all text is.
fn plain(text: &[u8]) -> bool {
    let (blocks, rest) = text.as_chunks::<64>();
    let odd = |bytes: &[u8]| {
        let odd = |byte: u8| byte & 0x80 | u8::from(byte == 0) | u8::from(byte == b'\r');
        bytes.iter().fold(0, |all, &byte| all | odd(byte))
    };
    blocks.iter().all(|block| odd(block) == 0) && odd(rest) == 0
}
