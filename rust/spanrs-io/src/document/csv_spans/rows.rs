//! Rows of a table, read one at a time.

use std::io::{Cursor, Read};

use csv::StringRecord;
use spanrs_base::{Limits, Position};

use super::columns::{Columns, separator};
use crate::compression::Input;
use crate::document::encoding::refuse_utf16;
use crate::document::json::excerpt;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Maximum number of bytes of the header that are examined.
const HEADER: u64 = 1 << 16;
/// Number of bytes that the parser reads at a time.
const BUFFER: usize = 1 << 16;

/// A stream that fails after a number of bytes, and counts quotes.
struct Bounded {
    input: Input,
    /// Number of bytes that may still be read.
    left: usize,
    /// Whether more bytes were requested.
    exceeded: bool,
    /// Whether the number of quotes so far is odd.
    odd_quotes: bool,
}

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = buffer.len().min(self.left);
        if most == 0 && !buffer.is_empty() {
            self.exceeded = true;
            return Err(std::io::Error::other("the record is too long"));
        }
        let read = self.input.read(&mut buffer[..most])?;
        self.left -= read;
        let quotes = memchr::memchr_iter(b'"', &buffer[..read]).count();
        self.odd_quotes ^= quotes % 2 == 1;
        Ok(read)
    }
}

/// The rows of a table after its header.
pub(super) struct Rows {
    /// Name of the source in messages.
    name: String,
    reader: csv::Reader<Bounded>,
    /// The current row.
    record: StringRecord,
    /// Line of the current row, from 1.
    line: u64,
    /// Whether a field of the last row has a line end.
    has_line_ends: bool,
    /// Whether lines end with CR LF.
    has_cr: bool,
    /// Maximum number of bytes of a row.
    most: usize,
    /// The columns.
    pub(super) columns: Columns,
}

impl Rows {
    /// Opens a table and reads its header. The separator is a comma, a tab or a semicolon.
    ///
    /// # Errors
    /// The errors of [`Source::open`]; [`Code::Compression`]; [`Code::Encoding`] for UTF-16;
    /// [`Code::BadDocument`] for an empty file and for a header without the necessary columns.
    pub(super) fn open(source: &Source, limits: Limits) -> Result<Self> {
        let name = source.name().to_owned();
        let failed = |error| Error::read(Position::file(&name), error);
        let mut input = source.decompressed(limits)?;
        let mut head = Vec::new();
        let read = input.by_ref().take(HEADER).read_to_end(&mut head);
        read.map_err(failed)?;
        refuse_utf16(&name, &head)?;
        if head.starts_with("\u{FEFF}".as_bytes()) {
            head.drain(..'\u{FEFF}'.len_utf8());
        }
        let end = memchr::memchr2(b'\r', b'\n', &head).unwrap_or(head.len());
        let has_cr = head[end..].starts_with(b"\r\n");
        let separator = separator(&head[..end]);
        let bounded = Bounded {
            input: Box::new(Cursor::new(head).chain(input)),
            left: 0,
            exceeded: false,
            odd_quotes: false,
        };
        let mut rows = Self {
            reader: csv::ReaderBuilder::new()
                .delimiter(separator)
                .has_headers(false)
                .flexible(true)
                .buffer_capacity(BUFFER)
                .from_reader(bounded),
            record: StringRecord::new(),
            line: 0,
            has_line_ends: false,
            has_cr,
            most: limits.document_bytes,
            name,
            columns: Columns::default(),
        };
        if !rows.read_record()? {
            let message = "the table is empty; the first line must be a header";
            let position = Position::line(&rows.name, 1);
            return Err(Error::new(Code::BadDocument, position, message));
        }
        let header = Columns::of(rows.record.iter()).map_err(|message| rows.error(&message))?;
        rows.columns = header;
        Ok(rows)
    }

    /// Returns the name of the source.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the line of the current row, from 1.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Returns a field of the current row; empty if the table does not have the column.
    pub(super) fn field(&self, column: Option<usize>) -> &str {
        column
            .and_then(|at| self.record.get(at))
            .unwrap_or_default()
    }

    /// Returns the number of bytes of the current row.
    pub(super) fn bytes(&self) -> usize {
        self.record.as_slice().len()
    }

    /// Returns the error [`Code::BadDocument`] for the current row.
    pub(super) fn error(&self, message: &str) -> Error {
        let position = Position::line(&self.name, self.line);
        Error::new(Code::BadDocument, position, message)
    }

    /// Reads the next row; false at the end. Blank lines are skipped.
    ///
    /// # Errors
    /// [`Code::Encoding`], [`Code::DocumentTooLong`] for a row that is too long, and
    /// [`Code::BadDocument`] for a row with another number of fields than the header, all with the
    /// line; the errors of [`Error::read`].
    pub(super) fn read(&mut self) -> Result<bool> {
        if !self.read_record()? {
            return Ok(false);
        }
        let (number, expected) = (self.record.len(), self.columns.number);
        if number != expected {
            let message = format!(
                "the row has {number} fields, but the header has {expected}; write fields with separators, \
                 quotes or line ends in quotes"
            );
            return Err(self.error(&message));
        }
        Ok(true)
    }

    /// Reads the next record, which may be the header.
    fn read_record(&mut self) -> Result<bool> {
        let stream = self.reader.get_mut();
        stream.left = self.most.saturating_add(2 * BUFFER);
        let from = self.reader.position().line();
        let read = self.reader.read_record(&mut self.record);
        match read {
            Ok(false) => return self.check_closed().map(|()| false),
            Ok(true) => {}
            Err(error) => return Err(self.failed(from, error)),
        }
        let inner = self.record.as_slice().matches('\n').count() as u64;
        self.has_line_ends = inner > 0;
        self.line = match self.record.position() {
            // The parser has not consumed the LF after the CR.
            _ if self.has_cr => self.reader.position().line().saturating_sub(inner),
            position => position.map_or(from, csv::Position::line),
        };
        if self.record.as_slice().len() > self.most {
            return Err(self.too_long(self.line));
        }
        Ok(true)
    }

    /// Rejects a file that has ended within a quoted field, which the parser accepts.
    fn check_closed(&self) -> Result<()> {
        if !self.has_line_ends || !self.reader.get_ref().odd_quotes {
            return Ok(());
        }
        let message = "a quoted field is never closed: write \"\" for a quote in a quoted field";
        Err(self.error(message))
    }

    /// Converts an error of the parser at a record that begins at line `from`.
    fn failed(&self, from: u64, error: csv::Error) -> Error {
        if self.reader.get_ref().exceeded {
            return self.too_long(from);
        }
        let line = Position::line(&self.name, from);
        match error.into_kind() {
            csv::ErrorKind::Io(error) => Error::read(Position::file(&self.name), error),
            csv::ErrorKind::Utf8 { pos, err } => {
                let line = pos.map_or(line, |at| Position::line(&self.name, at.line()));
                let message = format!(
                    "field {} is not UTF-8; convert the file to UTF-8",
                    err.field() + 1
                );
                Error::new(Code::Encoding, line, message)
            }
            other => {
                let message = excerpt(&format!("{other:?}"), 200);
                Error::new(Code::BadDocument, line, message)
            }
        }
    }

    /// Returns the error for a row that is too long.
    fn too_long(&self, line: u64) -> Error {
        let message = format!(
            "the row has more than {} bytes, the limit for a document",
            self.most
        );
        Error::new(
            Code::DocumentTooLong,
            Position::line(&self.name, line),
            message,
        )
    }
}
