//! A buffered stream with line and column of marked bytes.
//!
//! Lines are counted only for bytes whose position is needed, and for a whole buffer before it is
//! filled again. Counting the lines of every tag by itself takes longer than parsing it.

use std::io::{self, BufRead, Read};

/// Number of bytes read at a time.
const BUFFER: usize = 1 << 16;
/// Number of bytes that show the encoding.
const HEAD: usize = 4;

/// A stream that knows the position of its mark, and counts the bytes of a record.
pub(super) struct LocatedInput<R> {
    inner: R,
    buffer: Vec<u8>,
    /// Range in the buffer of the bytes that have not been consumed.
    rest: (usize, usize),
    /// Index in the buffer up to which lines have been counted; never beyond the mark, unless
    /// `marked` is known.
    counted: usize,
    /// Line and column of the byte at `counted`, from 1.
    place: (u64, u64),
    /// Index of the marked byte, if it is in the buffer.
    mark: usize,
    /// Line and column of the marked byte, if known.
    marked: Option<(u64, u64)>,
    /// Number of bytes of the current record.
    bytes: usize,
    /// Maximum number of bytes of a record.
    most: usize,
}

impl<R: Read> LocatedInput<R> {
    /// Creates a stream whose records have at most `most` bytes.
    pub(super) fn new(inner: R, most: usize) -> Self {
        Self {
            inner,
            buffer: Vec::new(),
            rest: (0, 0),
            counted: 0,
            place: (1, 1),
            mark: 0,
            marked: None,
            bytes: 0,
            most,
        }
    }

    /// Returns the first bytes of the stream, at least 4 unless the stream is shorter, without
    /// consuming them.
    pub(super) fn head(&mut self) -> io::Result<&[u8]> {
        self.buffer.resize(BUFFER, 0);
        while self.rest.1 < HEAD {
            match self.inner.read(&mut self.buffer[self.rest.1..]) {
                Ok(0) => break,
                Ok(read) => self.rest.1 += read,
                // A signal arrived.
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[..self.rest.1])
    }

    /// Begins a record.
    pub(super) fn begin_record(&mut self) {
        self.bytes = 0;
    }

    /// Returns the maximum number of bytes of a record if the current record is longer.
    pub(super) fn exceeded(&self) -> Option<usize> {
        (self.bytes > self.most).then_some(self.most)
    }

    /// Marks the next byte.
    pub(super) fn mark(&mut self) {
        (self.mark, self.marked) = (self.rest.0, None);
    }

    /// Returns line and column of the marked byte.
    pub(super) fn marked(&self) -> (u64, u64) {
        self.marked.unwrap_or_else(|| self.place_of(self.mark))
    }

    /// Returns line and column of the marked byte, and remembers them, so that the lines before it
    /// are not counted again.
    pub(super) fn locate(&mut self) -> (u64, u64) {
        let place = self.marked();
        if self.marked.is_none() {
            self.marked = Some(place);
            (self.counted, self.place) = (self.mark, place);
        }
        place
    }

    /// Returns line and column of a byte in the buffer, from `counted`.
    fn place_of(&self, at: usize) -> (u64, u64) {
        let before = &self.buffer[self.counted..at];
        let lines = memchr::memchr_iter(b'\n', before).count() as u64;
        let column = match memchr::memrchr(b'\n', before) {
            Some(last) => (before.len() - last) as u64,
            None => self.place.1 + before.len() as u64,
        };
        (self.place.0 + lines, column)
    }
}

impl<R: Read> Read for LocatedInput<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let used = available.len().min(buffer.len());
        buffer[..used].copy_from_slice(&available[..used]);
        self.consume(used);
        Ok(used)
    }
}

impl<R: Read> BufRead for LocatedInput<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.bytes > self.most {
            return Err(io::Error::other("the record is too long"));
        }
        if self.rest.0 == self.rest.1 {
            self.locate();
            (self.place, self.counted) = (self.place_of(self.rest.1), 0);
            self.rest = (0, 0);
            self.buffer.resize(BUFFER, 0);
            self.rest.1 = self.inner.read(&mut self.buffer)?;
        }
        Ok(&self.buffer[self.rest.0..self.rest.1])
    }

    fn consume(&mut self, amount: usize) {
        self.rest.0 = self.rest.1.min(self.rest.0 + amount);
        self.bytes = self.bytes.saturating_add(amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that returns three bytes at a time.
    struct Pieces<'a>(&'a [u8]);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(3);
            self.0.read(&mut buffer[..most])
        }
    }

    #[test]
    fn marked_bytes_have_lines_and_columns() {
        let text = b"a\n\nbcdefg\nh\n\n";
        for step in 1..6 {
            for asked in 1..4 {
                let mut input = LocatedInput::new(Pieces(text), usize::MAX);
                let mut at = 0;
                for number in 0.. {
                    input.mark();
                    let before = &text[..at];
                    let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count() as u64;
                    let last = before.iter().rposition(|&byte| byte == b'\n');
                    let column = last.map_or(at + 1, |last| at - last) as u64;
                    if number % 2 == 0 && asked == 3 {
                        assert_eq!(input.locate(), (line, column));
                    }
                    let length = input.fill_buf().unwrap().len().min(step);
                    if length == 0 {
                        break;
                    }
                    input.consume(length);
                    at += length;
                    if number % asked == 0 {
                        assert_eq!(input.marked(), (line, column));
                        assert_eq!(input.locate(), (line, column));
                    }
                }
                assert_eq!(at, text.len());
            }
        }
    }
}
