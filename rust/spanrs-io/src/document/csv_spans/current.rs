//! The document whose rows are being read.

use std::collections::HashMap;

use serde_json::{Map, Value};
use spanrs_base::Position;

use super::mention::{Mention, Offsets};
use super::rows::Rows;
use crate::document::annotated_text::{Answer, Document, Layer};
use crate::document::json::excerpt;
use crate::error::{Code, Error, Result};

/// The layer of spans without an annotator, until the document is complete.
const NOBODY: u32 = u32::MAX;
/// Maximum number of characters of a field that are quoted in messages.
const QUOTE: usize = 40;

/// A document and the rows read so far.
pub(super) struct Current {
    /// Line of the first row.
    line: u64,
    /// The document, with offsets as in the table.
    document: Document,
    /// The text of each span in the table.
    mentions: Vec<Mention>,
    /// Annotators by name.
    annotators: HashMap<String, u32>,
    /// Line of the row with the text; 0 if there is none yet.
    text_line: u64,
    /// Fields of the first row that other rows may repeat: name and metadata.
    first: [String; 2],
    /// Whether the text of each row so far is as long as its span, so that it is probably the text
    /// of the span.
    is_quoting: bool,
    /// Line of the first row whose span extends beyond its text, although both are equally long.
    quoting_line: Option<u64>,
    /// Number of bytes of the rows, without repeated texts.
    bytes: usize,
}

impl Current {
    /// Begins a document with the current row, which must be added as well.
    pub(super) fn new(rows: &Rows) -> Self {
        let mut document = Document::default();
        let id = rows.field(rows.columns.document);
        document.id = (!id.is_empty()).then(|| id.to_owned());
        let name = rows.field(rows.columns.name);
        document.name = (!name.is_empty()).then(|| name.to_owned());
        let metadata = rows.field(rows.columns.metadata);
        document.metadata = members(metadata, "metadata");
        Self {
            line: rows.line(),
            document,
            mentions: Vec::new(),
            annotators: HashMap::new(),
            text_line: 0,
            first: [name.to_owned(), metadata.to_owned()],
            is_quoting: true,
            quoting_line: None,
            bytes: 0,
        }
    }

    /// Returns the line of the first row.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the number of bytes of the rows, without repeated texts.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns true if the current row begins another document.
    pub(super) fn ends_before(&self, rows: &Rows) -> bool {
        let id = rows.field(rows.columns.document);
        if !id.is_empty() {
            return self.document.id.as_deref() != Some(id);
        }
        let annotator = rows.field(rows.columns.annotator);
        if is_declaration(rows) && annotator.is_empty() {
            return true;
        }
        let text = rows.field(rows.columns.text);
        !text.is_empty() && self.text_line > 0 && text != self.document.text
    }

    /// Adds the current row.
    ///
    /// # Errors
    /// [`Code::BadDocument`] if the row is not a span, or if its text is another text.
    pub(super) fn add(&mut self, rows: &Rows) -> Result<()> {
        self.add_text(rows)?;
        for (column, first, name) in [
            (rows.columns.name, &self.first[0], "document_name"),
            (rows.columns.metadata, &self.first[1], "metadata"),
        ] {
            let field = rows.field(column);
            if !field.is_empty() && field != first {
                let line = rows.line();
                self.document.leave_out(|| {
                    format!("line {line}: {name} differs from the first row of the document")
                });
            }
        }
        let layer = self.layer(rows.field(rows.columns.annotator));
        let others = rows.columns.others.iter();
        let others = others.map(|(column, name)| (&**name, rows.field(Some(*column))));
        let mut others = others.filter(|(_, field)| !field.is_empty());
        if is_declaration(rows) {
            if rows.line() == self.line {
                let others = others.map(|(name, field)| (name.to_owned(), Value::from(field)));
                self.document.metadata.extend(others);
            } else if let Some((name, _)) = others.next() {
                let (line, name) = (rows.line(), excerpt(name, QUOTE));
                self.document
                    .leave_out(|| format!("line {line}: {name:?} in a row without a span"));
            }
            return Ok(());
        }
        let Some(pieces) = bounds(rows)? else {
            let (line, ty) = (rows.line(), excerpt(rows.field(rows.columns.ty), QUOTE));
            self.document
                .leave_out(|| format!("line {line}: {ty} has no start and end"));
            return Ok(());
        };
        let (Some(&(start, _)), Some(&(_, end))) = (pieces.first(), pieces.last()) else {
            return Ok(());
        };
        self.note_length(rows, start, end);
        let ty = self.document.intern(rows.field(rows.columns.ty));
        self.document.push(ty, start, end);
        if let Some(last) = self.document.annotations.last_mut() {
            last.layer = layer;
        }
        if pieces.len() > 1 {
            self.document.set_pieces(&pieces);
        }
        for (name, value) in members(rows.field(rows.columns.attributes), "attributes") {
            self.document.add_attribute(&name, value);
        }
        for (name, field) in others {
            self.document.add_attribute(name, field);
        }
        self.mentions.push(Mention {
            text: rows.field(rows.columns.mention).into(),
            line: rows.line(),
        });
        Ok(())
    }

    /// Sets the text of the document, or compares it with the text of the current row.
    fn add_text(&mut self, rows: &Rows) -> Result<()> {
        let text = rows.field(rows.columns.text);
        self.bytes += rows.bytes() - text.len();
        if text.is_empty() || text == self.document.text {
            return Ok(());
        }
        if self.text_line == 0 {
            self.bytes += text.len();
            text.clone_into(&mut self.document.text);
            self.text_line = rows.line();
            return Ok(());
        }
        let quotes = self.is_quoting
            && matches!(bounds(rows)?.as_deref(), Some(&[(start, end)]) if is_length(text, start, end));
        if quotes {
            return Err(quoting(rows.name(), rows.line()));
        }
        Err(rows.error(&format!(
            "the text differs from the text of the same document at line {}; give the text in the first row only",
            self.text_line
        )))
    }

    /// Compares the length of the text of the current row with the length of its span.
    fn note_length(&mut self, rows: &Rows, start: u32, end: u32) {
        let text = rows.field(rows.columns.text);
        self.is_quoting = self.is_quoting && is_length(text, start, end);
        let is_beyond = || end as usize > text.chars().count();
        if self.is_quoting && self.quoting_line.is_none() && is_beyond() {
            self.quoting_line = Some(rows.line());
        }
    }

    /// Returns the layer of an annotator, adding it if it is new.
    fn layer(&mut self, annotator: &str) -> u32 {
        if annotator.is_empty() {
            return NOBODY;
        }
        if let Some(&layer) = self.annotators.get(annotator) {
            return layer;
        }
        let layer = self.document.layers.len() as u32;
        self.annotators.insert(annotator.to_owned(), layer);
        self.document.layers.push(Layer {
            name: Some(annotator.to_owned()),
            answer: Answer::Empty,
        });
        layer
    }

    /// Returns the document, after its last row.
    ///
    /// # Errors
    /// [`Code::BadDocument`] if the document has spans but no text, or if the column of the text
    /// contains the texts of the spans.
    pub(super) fn finish(self, name: &str, offsets: &mut Offsets) -> Result<Document> {
        let mut document = self.document;
        if let Some(line) = self.quoting_line.filter(|_| self.is_quoting) {
            return Err(quoting(name, line));
        }
        if self.text_line == 0 && document.annotations.iter().any(|a| a.end > 0) {
            let message = "the document has no text; write its text into the column of the text, in its \
                           first row";
            let position = Position::line(name, self.line);
            return Err(Error::new(Code::BadDocument, position, message));
        }
        let nobody = document.layers.len() as u32;
        let mut has_nobody = false;
        for annotation in &mut document.annotations {
            if annotation.layer == NOBODY {
                has_nobody = true;
                annotation.layer = nobody;
            }
        }
        if has_nobody && nobody > 0 {
            document.layers.push(Layer {
                name: None,
                answer: Answer::Empty,
            });
        }
        let layers: Vec<u32> = document.annotations.iter().map(|a| a.layer).collect();
        for layer in layers {
            if let Some(layer) = document.layers.get_mut(layer as usize) {
                layer.answer = Answer::Given;
            }
        }
        offsets.convert(&mut document, &self.mentions, self.line);
        let mut mentions = self.mentions.iter();
        document.bounds_are_checked = mentions.any(|mention| !mention.text.is_empty());
        Ok(document)
    }
}

/// Returns true if the current row has no start, end and type.
fn is_declaration(rows: &Rows) -> bool {
    let columns = &rows.columns;
    let offsets = [columns.start, columns.end].map(|column| rows.field(column));
    offsets.into_iter().all(is_missing) && rows.field(columns.ty).is_empty()
}

/// Returns true for a missing number, as in tables written by pandas or R.
fn is_missing(field: &str) -> bool {
    if field.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let field = field.trim();
    let missing = ["", "nan", "na", "none", "null"];
    missing.iter().any(|name| field.eq_ignore_ascii_case(name))
}

/// Returns start and end of the pieces of the span in the current row; None if it has no start and
/// end.
///
/// # Errors
/// [`Code::BadDocument`] for numbers that are not whole numbers from 0.
fn bounds(rows: &Rows) -> Result<Option<Vec<(u32, u32)>>> {
    let columns = &rows.columns;
    let [start, end] = [columns.start, columns.end].map(|column| rows.field(column));
    let pieces = rows.field(columns.pieces).trim();
    if is_missing(start) && is_missing(end) && pieces.is_empty() {
        return Ok(None);
    }
    let wrong = |field: &str, what: &str| {
        let field = excerpt(field, QUOTE);
        rows.error(&format!("{field:?} is not {what}"))
    };
    let whole = |field: &str| offset(field).ok_or_else(|| wrong(field, "a whole number from 0"));
    if pieces.is_empty() {
        return Ok(Some(vec![(whole(start)?, whole(end)?)]));
    }
    let piece = |piece: &str| {
        let piece = piece.trim();
        let (start, end) = piece.split_once(['-', ' ', ':'])?;
        Some((offset(start)?, offset(end)?))
    };
    let parts = pieces.split([';', ',']);
    let mut parts = parts
        .map(|part| piece(part).ok_or_else(|| wrong(part, "a piece; write 0-3;8-12")))
        .collect::<Result<Vec<_>>>()?;
    parts.sort_unstable();
    Ok(Some(parts))
}

/// Parses a whole number from 0, also with a decimal point and zeros after it. A number that is too
/// large for the type becomes the maximum of the type, which is beyond any text.
fn offset(field: &str) -> Option<u32> {
    let field = field.trim();
    let (digits, zeros) = field.split_once('.').unwrap_or((field, "0"));
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = zeros.bytes().all(|byte| byte == b'0');
    (is_number && is_whole).then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Returns true if a text is as long as a span, with an exclusive or an inclusive end.
fn is_length(text: &str, start: u32, end: u32) -> bool {
    let length = text.chars().take(u32::MAX as usize).count() as u32;
    let span = end.saturating_sub(start);
    length > 0 && (length == span || length == span.saturating_add(1))
}

/// Returns the error for a text that is the text of a span.
fn quoting(name: &str, line: u64) -> Error {
    let message = "the column of the text contains the texts of the spans; name this column mention, and \
                   write the text of each document into a column text, in the first row of the document";
    Error::new(Code::BadDocument, Position::line(name, line), message)
}

/// Returns the members of a JSON object; a field that is not an object is the value of `name`.
fn members(field: &str, name: &str) -> Vec<(String, Value)> {
    if field.is_empty() {
        return Vec::new();
    }
    match serde_json::from_str::<Map<String, Value>>(field) {
        Ok(members) => members.into_iter().collect(),
        Err(_) => vec![(name.to_owned(), Value::from(field))],
    }
}
