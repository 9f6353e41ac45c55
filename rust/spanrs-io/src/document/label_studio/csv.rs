//! Label Studio's CSV and TSV: a row per annotation.
//!
//! ```csv
//! annotation_id,annotator,created_at,id,label,lead_time,text,updated_at
//! 7,ann@x.org,2024-05-17T09:30:12Z,1,"[{""start"": 0, ""end"": 3, ""text"": ""Bob"", ""labels"": [""PER""]}]",3.2,Bob ate,2024-05-17T09:30:12Z
//! ```
//!
//! The columns are those of JSON_MIN. Regions are JSON in the column of their control. The column
//! `_data_X` has the data that a control with the same name `X` hides. Cells without text are
//! ignored; all other cells are text. Columns are separated by tabs if the header has tabs, otherwise
//! by commas or, without commas, by semicolons.

use std::io::{BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use csv::{ByteRecord, Reader, ReaderBuilder};
use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};

use super::WHAT;
use super::minimal::{self, LABEL, Row, Rows, is_regions};
use super::write_rows::METADATA;
use crate::document::annotators::LayerChoice;
use crate::document::csv_spans::separator;
use crate::document::encoding::utf8_from;
use crate::document::json;
use crate::document::records::{open_text, too_long};
use crate::document::stream::Records;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Opens a source, which is read twice.
///
/// # Errors
/// [`Code::BadDocument`] for a header without `text`, and the errors of [`minimal::open`].
pub(in crate::document) fn open(
    source: &Source,
    choice: &LayerChoice,
    limits: Limits,
) -> Result<Box<dyn Records>> {
    source.read_twice();
    let open = || Ok(Rows::Csv(Table::open(source, limits)?));
    minimal::open(source.name(), open, choice)
}

/// The rows of a file.
pub(super) struct Table {
    name: String,
    rows: Reader<Bounded>,
    header: Vec<String>,
    record: ByteRecord,
    /// Number of bytes since the beginning of the record.
    bytes: Arc<AtomicUsize>,
    limits: Limits,
    /// Index of the next row, from 0.
    next: u64,
}

/// Number of bytes in which the end of the header is expected.
const HEADER: usize = 1 << 16;

impl Table {
    /// Opens a source and reads the header.
    fn open(source: &Source, limits: Limits) -> Result<Self> {
        let (beginning, _) = source.beginning(HEADER)?;
        let header = beginning.split(|&byte| byte == b'\n').next();
        let separator = separator(header.unwrap_or_default());
        let input = open_text(source, limits)?;
        let bytes = Arc::new(AtomicUsize::new(0));
        let bounded = Bounded {
            input,
            bytes: Arc::clone(&bytes),
            most: limits.document_bytes,
        };
        let rows = ReaderBuilder::new()
            .delimiter(separator)
            .flexible(true)
            .has_headers(false)
            .from_reader(bounded);
        let mut table = Self {
            name: source.name().to_owned(),
            rows,
            header: Vec::new(),
            record: ByteRecord::new(),
            bytes,
            limits,
            next: 0,
        };
        let position = table.read()?;
        let Some(position) = position else {
            let message = format!("{WHAT}: the file is empty");
            return Err(Error::new(
                Code::BadDocument,
                Position::line(&table.name, 1),
                message,
            ));
        };
        let cells = table.record.iter().map(|cell| text(&position, cell));
        table.header = cells
            .map(|cell| cell.map(str::to_owned))
            .collect::<Result<_>>()?;
        Ok(table)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Reads a record and returns its position; None at the end.
    fn read(&mut self) -> Result<Option<Position>> {
        self.bytes.store(0, Ordering::Relaxed);
        let line = self.rows.position().line();
        let position = Position::line(&self.name, line);
        match self.rows.read_byte_record(&mut self.record) {
            Ok(true) => {
                let line = self.record.position().map_or(line, csv::Position::line);
                Ok(Some(Position::line(&self.name, line)))
            }
            Ok(false) => Ok(None),
            Err(error) => Err(match error.into_kind() {
                csv::ErrorKind::Io(error) if error.get_ref().is_some_and(|e| e.is::<TooLong>()) => {
                    too_long(position, self.limits.document_bytes)
                }
                csv::ErrorKind::Io(error) => Error::read(position, error),
                other => {
                    let message = format!("{WHAT}: {}", json::excerpt(&format!("{other:?}"), 100));
                    Error::new(Code::BadDocument, position, message)
                }
            }),
        }
    }

    /// Returns the next row; None at the end.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for a row with more or fewer cells than the header, and for
    /// regions that are not JSON; [`Code::Encoding`]; [`Code::DocumentTooLong`].
    pub(super) fn next(&mut self) -> Result<Option<Row>> {
        let Some(position) = self.read()? else {
            return Ok(None);
        };
        let wrong = |message: String| {
            Err(Error::new(
                Code::BadDocument,
                position.clone(),
                format!("{WHAT}: {message}"),
            ))
        };
        let (cells, columns) = (self.record.len(), self.header.len());
        if cells != columns {
            return wrong(format!(
                "the row has {cells} cells, but the header has {columns}; quote cells with \
                 separators or quotation marks"
            ));
        }
        let mut facts = Map::with_capacity(cells);
        for (column, cell) in self.header.iter().zip(&self.record) {
            if cell.is_empty() {
                if column == "annotation_id" {
                    // The task has no annotations.
                    facts.insert(column.clone(), Value::Null);
                }
                continue;
            }
            let cell = text(&position, cell)?;
            match value(column, cell) {
                Ok(value) => facts.insert(column.clone(), value),
                Err(error) => {
                    let column = json::excerpt(column, 40);
                    return wrong(format!("column {column:?}: {error}"));
                }
            };
        }
        // A text without characters is an empty cell.
        if self.header.iter().any(|column| column == "text") {
            facts
                .entry("text")
                .or_insert_with(|| Value::String(String::new()));
        }
        let number = self.next;
        self.next += 1;
        Ok(Some(Row {
            position,
            number,
            facts,
        }))
    }
}

/// Returns a cell of the row at `position` as text.
fn text<'a>(position: &Position, cell: &'a [u8]) -> Result<&'a str> {
    let begin = Position {
        column: 1,
        ..position.clone()
    };
    // The column of the cell in the file is not known.
    utf8_from(&begin, cell).map_err(|error| Error {
        position: position.clone(),
        ..error
    })
}

/// Returns the value of a cell: regions and the column for metadata are JSON, other cells are text.
fn value(column: &str, cell: &str) -> std::result::Result<Value, String> {
    let text = || Value::String(cell.to_owned());
    let is_object = column == METADATA && cell.starts_with('{');
    if !cell.starts_with('[') && !is_object {
        return Ok(text());
    }
    match serde_json::from_str::<Value>(cell) {
        Ok(value) if is_object || is_regions(column, &value) => Ok(value),
        Err(error) if column == LABEL => {
            let error = json::error_from(&Position::file(""), "the regions are not JSON", &error);
            Err(error.message)
        }
        _ => Ok(text()),
    }
}

/// A stream with a limit on the bytes of a record, which has no end if a quotation mark is missing.
struct Bounded {
    input: Box<dyn BufRead + Send>,
    bytes: Arc<AtomicUsize>,
    most: usize,
}

/// The error for a record beyond the limit.
#[derive(Debug, thiserror::Error)]
#[error("the record is too long")]
struct TooLong;

impl Read for Bounded {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        // Bytes that are read ahead belong to the next records.
        if self.bytes.load(Ordering::Relaxed) > self.most {
            return Err(std::io::Error::other(TooLong));
        }
        let read = self.input.read(buffer)?;
        self.bytes.fetch_add(read, Ordering::Relaxed);
        Ok(read)
    }
}
