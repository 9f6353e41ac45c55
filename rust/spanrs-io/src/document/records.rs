//! Splits a stream into records: lines, or the items of a JSON list. Only one record at a time is
//! in memory.

use std::hash::{BuildHasher, Hash, RandomState};
use std::io::{BufRead, BufReader, ErrorKind, Read};

use spanrs_base::{Limits, Position};

use super::encoding::{refuse_utf16, utf8_from};
use crate::compression::Input;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// The byte order mark in UTF-8.
const MARK: &[u8] = "\u{FEFF}".as_bytes();
/// Number of bytes read at a time.
const BUFFER: usize = 1 << 16;

/// A text stream and the position of the reader in the stream.
pub(super) struct Text {
    /// Name of the source in messages.
    name: String,
    /// The stream, decompressed.
    input: BufReader<Input>,
    /// Maximum number of bytes of a record.
    most: usize,
    /// Position of the next byte.
    next: Place,
}

/// Line and column, in bytes, from 1.
#[derive(Clone, Copy)]
struct Place {
    line: u64,
    column: u64,
}

impl Place {
    /// Advances the position past these bytes.
    fn pass(&mut self, bytes: &[u8]) {
        self.line += memchr::memchr_iter(b'\n', bytes).count() as u64;
        match memchr::memrchr(b'\n', bytes) {
            Some(last) => self.column = (bytes.len() - last) as u64,
            None => self.column += bytes.len() as u64,
        }
    }
}

impl Text {
    /// Opens a source and skips a byte order mark.
    pub(super) fn open(source: &Source, limits: Limits) -> Result<Self> {
        let mut text = Self {
            name: source.name().to_owned(),
            input: BufReader::with_capacity(BUFFER, Box::new(std::io::empty())),
            most: limits.document_bytes,
            next: Place { line: 1, column: 1 },
        };
        let mut input = source.decompressed(limits)?;
        let mut head = Vec::with_capacity(MARK.len());
        let read = input
            .by_ref()
            .take(MARK.len() as u64)
            .read_to_end(&mut head);
        read.map_err(|error| text.failed(error))?;
        refuse_utf16(&text.name, &head)?;
        if head == MARK {
            head.clear();
        }
        let whole = std::io::Cursor::new(head).chain(input);
        text.input = BufReader::with_capacity(BUFFER, Box::new(whole));
        Ok(text)
    }

    /// Returns the name of the source.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the position of the next byte.
    pub(super) fn here(&self) -> Position {
        Position {
            path: self.name.clone(),
            line: self.next.line,
            column: self.next.column,
        }
    }

    /// Fills the buffer if it is empty; at the end of the stream the buffer stays empty.
    pub(super) fn fill(&mut self) -> Result<()> {
        loop {
            match self.input.fill_buf() {
                Ok(_) => return Ok(()),
                // A signal arrived; retry, as the standard library does when it reads in a loop.
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(error)),
            }
        }
    }

    /// Returns the next byte of the buffer, which [`Text::fill`] has filled.
    pub(super) fn next_byte(&self) -> Option<u8> {
        self.input.buffer().first().copied()
    }

    /// Consumes the next byte of the buffer.
    pub(super) fn take(&mut self, byte: u8) {
        self.input.consume(1);
        self.next.pass(&[byte]);
    }

    /// Appends a JSON value: up to its last bracket or quote, or otherwise up to the next comma,
    /// bracket or white space. `from` is the beginning of the record for the error message.
    ///
    /// # Errors
    /// [`Code::DocumentTooLong`] if `item` exceeds the limit for a document, and the errors of
    /// [`Error::read`].
    pub(super) fn cut_value(&mut self, item: &mut Vec<u8>, from: &Position) -> Result<()> {
        let begin = item.len();
        let mut cutter = Cutter::default();
        loop {
            self.fill()?;
            let buffer = self.input.buffer();
            if buffer.is_empty() {
                break;
            }
            let (used, ended) = cutter.cut(buffer);
            item.extend_from_slice(&buffer[..used]);
            self.input.consume(used);
            if item.len() > self.most {
                return Err(self.too_long(from.clone()));
            }
            if ended {
                break;
            }
        }
        self.next.pass(&item[begin..]);
        Ok(())
    }

    /// Converts a read error.
    fn failed(&self, error: std::io::Error) -> Error {
        Error::read(Position::file(&self.name), error)
    }

    /// Returns the error for a record that begins at `from` and is too long.
    #[cold]
    fn too_long(&self, from: Position) -> Error {
        too_long(from, self.most)
    }
}

/// Returns the error for a record that begins at `from` and has more than `most` bytes.
#[cold]
pub(super) fn too_long(from: Position, most: usize) -> Error {
    let message = format!("the record has more than {most} bytes, the limit for a document");
    Error::new(Code::DocumentTooLong, from, message)
}

/// Opens a source as a stream of bytes, decompressed and without a byte order mark.
///
/// # Errors
/// Same as [`Lines::open`].
pub(super) fn open_text(source: &Source, limits: Limits) -> Result<Box<dyn BufRead + Send>> {
    Ok(Box::new(Text::open(source, limits)?.input))
}

/// Reads the non-blank lines of a file.
pub(super) struct Lines {
    text: Text,
    line: Vec<u8>,
}

impl Lines {
    /// Opens a source.
    ///
    /// # Errors
    /// The errors of [`Source::open`]; [`Code::Compression`]; [`Code::Encoding`] for UTF-16.
    pub(super) fn open(source: &Source, limits: Limits) -> Result<Self> {
        let text = Text::open(source, limits)?;
        Ok(Self {
            text,
            line: Vec::new(),
        })
    }

    /// Returns the name of the source.
    pub(super) fn name(&self) -> &str {
        &self.text.name
    }

    /// Returns the next line without its LF, and its number from 1; None at the end.
    ///
    /// # Errors
    /// [`Code::Encoding`] with line and column; [`Code::DocumentTooLong`]; the errors of
    /// [`Error::read`].
    pub(super) fn next(&mut self) -> Result<Option<(u64, &str)>> {
        let text = &mut self.text;
        loop {
            self.line.clear();
            let mut limited = (&mut text.input).take(text.most as u64 + 2);
            let read = limited.read_until(b'\n', &mut self.line);
            if read.map_err(|error| text.failed(error))? == 0 {
                return Ok(None);
            }
            let from = text.here();
            text.next.pass(&self.line);
            if self.line.last() == Some(&b'\n') {
                self.line.pop();
            }
            if self.line.len() > text.most {
                return Err(text.too_long(from));
            }
            if !self.line.trim_ascii().is_empty() {
                return utf8_from(&from, &self.line).map(|line| Some((from.line, line)));
            }
        }
    }
}

/// Reads the items of a JSON list, or the single value of a file that is not a list; with
/// [`Items::or_lines`], all values of a file that is not a list, as in JSON Lines. The text
/// between items is checked here; each item is checked by its parser.
pub(super) struct Items {
    text: Text,
    /// Beginning of error messages.
    what: &'static str,
    item: Vec<u8>,
    state: State,
    /// Whether a file that is not a list may have any number of values.
    lines: bool,
}

/// The part of a JSON file that is expected next.
#[derive(Clone, Copy, PartialEq)]
enum State {
    /// The list, or the only value.
    Begin,
    /// The first item or the end of the list.
    First,
    /// A comma or the end of the list.
    Between,
    /// Another value, or the end of the file.
    Value,
    /// Nothing but white space.
    End,
}

impl Items {
    /// Opens a source; error messages about the text between items begin with `what`.
    ///
    /// # Errors
    /// Same as [`Lines::open`].
    pub(super) fn open(source: &Source, limits: Limits, what: &'static str) -> Result<Self> {
        let text = Text::open(source, limits)?;
        Ok(Self {
            text,
            what,
            item: Vec::new(),
            state: State::Begin,
            lines: false,
        })
    }

    /// Accepts JSON Lines: any number of values without a list around them.
    pub(super) fn or_lines(self) -> Self {
        Self {
            lines: true,
            ..self
        }
    }

    /// Returns the name of the source.
    pub(super) fn name(&self) -> &str {
        &self.text.name
    }

    /// Returns the position and the text of the next item; None at the end. An item that is
    /// truncated by the end of the file is returned unchanged.
    ///
    /// # Errors
    /// [`Code::BadDocument`] with line and column for invalid text between items;
    /// [`Code::Encoding`], [`Code::DocumentTooLong`], and the errors of [`Error::read`].
    pub(super) fn next(&mut self) -> Result<Option<(Position, &str)>> {
        loop {
            let next = self.peek()?;
            let wrong = match (self.state, next) {
                (State::End | State::Value, None) => return Ok(None),
                (State::Begin, None) if self.lines => return Ok(None),
                (State::End, Some(_)) => "trailing characters",
                (State::Begin, None) => "EOF while parsing a value",
                (_, None) => "EOF while parsing a list",
                (State::Begin, Some(b'[')) => {
                    self.take();
                    self.state = State::First;
                    continue;
                }
                (State::First | State::Between, Some(b']')) => {
                    self.take();
                    self.state = State::End;
                    continue;
                }
                (State::Begin, _) => {
                    self.state = match self.lines {
                        true => State::Value,
                        false => State::End,
                    };
                    return self.value().map(Some);
                }
                (State::Value, _) => return self.value().map(Some),
                (State::First, _) => {
                    self.state = State::Between;
                    return self.value().map(Some);
                }
                (State::Between, Some(b',')) => {
                    self.take();
                    match self.peek()? {
                        Some(b']') => "trailing comma",
                        None => "EOF while parsing a value",
                        Some(_) => return self.value().map(Some),
                    }
                }
                (State::Between, _) => "expected `,` or `]`",
            };
            let place = self.text.here();
            return Err(Error::new(
                Code::BadDocument,
                place,
                format!("{}: {wrong}", self.what),
            ));
        }
    }

    /// Skips white space and returns the next byte without consuming it; None at the end.
    fn peek(&mut self) -> Result<Option<u8>> {
        loop {
            let text = &mut self.text;
            text.fill()?;
            let buffer = text.input.buffer();
            if buffer.is_empty() {
                return Ok(None);
            }
            let blank = buffer.iter().take_while(|byte| is_blank(**byte)).count();
            let next = buffer.get(blank).copied();
            text.next.pass(&buffer[..blank]);
            text.input.consume(blank);
            if next.is_some() {
                return Ok(next);
            }
        }
    }

    /// Consumes the byte that was peeked at.
    fn take(&mut self) {
        self.text.input.consume(1);
        self.text.next.column += 1;
    }

    /// Reads a value.
    fn value(&mut self) -> Result<(Position, &str)> {
        let from = self.text.here();
        self.item.clear();
        self.text.cut_value(&mut self.item, &from)?;
        let item = utf8_from(&from, &self.item)?;
        Ok((from, item))
    }
}

/// Finds the end of a JSON value that arrives in pieces.
#[derive(Default)]
struct Cutter {
    /// Number of open brackets.
    depth: usize,
    /// Whether the position is within a string.
    quoted: bool,
    /// Whether the previous byte is a backslash in a string.
    escaped: bool,
    /// Whether the position is within a value without brackets or quotes.
    plain: bool,
}

impl Cutter {
    /// Returns the number of bytes of the next piece that belong to the value, and whether the
    /// value ends there.
    fn cut(&mut self, piece: &[u8]) -> (usize, bool) {
        let mut at = 0;
        while at < piece.len() {
            if self.escaped {
                self.escaped = false;
                at += 1;
                continue;
            }
            if self.quoted {
                let Some(found) = memchr::memchr2(b'"', b'\\', &piece[at..]) else {
                    return (piece.len(), false);
                };
                at += found + 1;
                match piece[at - 1] {
                    b'"' => self.quoted = false,
                    _ => self.escaped = true,
                }
                if !self.quoted && self.depth == 0 {
                    return (at, true);
                }
                continue;
            }
            let byte = piece[at];
            if self.plain && (is_blank(byte) || matches!(byte, b',' | b']' | b'}')) {
                return (at, true);
            }
            at += 1;
            match byte {
                b'"' if !self.plain => self.quoted = true,
                b'{' | b'[' if !self.plain => self.depth += 1,
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return (at, true);
                    }
                }
                _ => self.plain |= self.depth == 0,
            }
        }
        (piece.len(), false)
    }
}

/// Returns true for JSON white space.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Fingerprints that distinguish records without storing them: two 64-bit hashes each, which makes
/// collisions negligible.
#[derive(Default)]
pub(super) struct Fingerprints(RandomState, RandomState);

impl Fingerprints {
    /// Returns the fingerprint of a value.
    pub(super) fn of(&self, value: impl Hash) -> u128 {
        let (one, two) = (self.0.hash_one(&value), self.1.hash_one(&value));
        u128::from(one) << 64 | u128::from(two)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that returns a few bytes at a time, each time after an interrupted read.
    struct Slow(&'static [u8], usize, bool);

    impl Read for Slow {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.2 = !self.2;
            if self.2 {
                return Err(ErrorKind::Interrupted.into());
            }
            let most = self.1.min(buffer.len());
            self.0.read(&mut buffer[..most])
        }
    }

    fn items(text: &'static str, step: usize, limits: Limits) -> (Vec<String>, String) {
        let source = Source::stream("d", Box::new(Slow(text.as_bytes(), step, false)));
        let mut items = match Items::open(&source, limits, "no list") {
            Ok(items) => items,
            Err(error) => return (vec![], error.to_string()),
        };
        let mut found = Vec::new();
        loop {
            match items.next() {
                Ok(Some((at, item))) => found.push(format!("{}:{} {item}", at.line, at.column)),
                Ok(None) => return (found, String::new()),
                Err(error) => return (found, error.to_string()),
            }
        }
    }

    #[test]
    fn items_are_cut_wherever_the_stream_is() {
        let cases: &[(&str, &[&str], &str)] = &[
            ("\u{FEFF} [ ]\n", &[], ""),
            (
                "[{\"a\": \"]}\\\"\"},\n [1, [2]] , 3,\"x,\\\\\",null]",
                &[
                    "1:2 {\"a\": \"]}\\\"\"}",
                    "2:2 [1, [2]]",
                    "2:13 3",
                    "2:15 \"x,\\\\\"",
                    "2:22 null",
                ],
                "",
            ),
            (" {\"a\": 1}\n", &["1:2 {\"a\": 1}"], ""),
            ("[1 2]", &["1:2 1"], "d:1:4: no list: expected `,` or `]`"),
            ("[1,\n]", &["1:2 1"], "d:2:1: no list: trailing comma"),
            ("[1] x", &["1:2 1"], "d:1:5: no list: trailing characters"),
            (
                "[{\"a\": [",
                &["1:2 {\"a\": ["],
                "d:1:9: no list: EOF while parsing a list",
            ),
            ("", &[], "d:1:1: no list: EOF while parsing a value"),
            ("[}]", &["1:2 }"], ""),
        ];
        for (text, expected, error) in cases {
            for step in [1, 2, 3, 1000] {
                let found = items(text, step, Limits::default());
                assert_eq!(
                    found,
                    (
                        expected.iter().map(|&s| s.to_owned()).collect(),
                        (*error).to_owned()
                    )
                );
            }
        }
    }

    #[test]
    fn a_record_is_not_longer_than_the_limit() {
        let limits = Limits {
            document_bytes: 4,
            ..Limits::default()
        };
        let (found, error) = items("[1234,\n[2,\"56\"]]", 2, limits);
        assert_eq!(found, ["1:2 1234"]);
        assert_eq!(
            error,
            "d:2:1: the record has more than 4 bytes, the limit for a document"
        );
        let source = Source::stream("d", Box::new(&b"\n1234\r\n \n12345\n"[..]));
        let mut lines = Lines::open(
            &source,
            Limits {
                document_bytes: 5,
                ..limits
            },
        )
        .unwrap();
        assert_eq!(lines.next().unwrap(), Some((2, "1234\r")));
        assert_eq!(lines.next().unwrap(), Some((4, "12345")));
        let source = Source::stream("d", Box::new(&b"\n1234567\n"[..]));
        let mut lines = Lines::open(&source, limits).unwrap();
        assert_eq!(
            lines.next().unwrap_err().to_string(),
            "d:2:1: the record has more than 4 bytes, the limit for a document"
        );
    }

    #[test]
    fn bytes_that_are_no_text_have_their_place() {
        let source = Source::stream("d", Box::new(&b"{}\n{\"a\xFF\"}\n"[..]));
        let mut lines = Lines::open(&source, Limits::default()).unwrap();
        lines.next().unwrap();
        assert_eq!(
            lines.next().unwrap_err().to_string(),
            "d:2:4: not UTF-8: byte 0xFF; convert the file to UTF-8"
        );
        let source = Source::stream("d", Box::new(&b"\xFF\xFEa\0"[..]));
        let refused = Lines::open(&source, Limits::default()).err().unwrap();
        assert_eq!(
            refused.to_string(),
            "d:1: the file is UTF-16; convert it to UTF-8"
        );
    }
}
