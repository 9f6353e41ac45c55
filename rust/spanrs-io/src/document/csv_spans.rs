//! A table with a row for each span of characters: comma-separated, tab-separated or
//! semicolon-separated values with a header.
//!
//! ```text
//! document,annotator,type,start,end,pieces,attributes,mention,text
//! 7,ann,PER,0,3,,,Bob,Bob ate fish
//! 7,ann,FOOD,8,12,,"{""sure"": true}",fish,
//! 8,ann,,,,,,,Nothing here
//! ```
//!
//! Offsets count code points from 0, ends exclusive. Columns may be in any order; names are
//! compared without case:
//!
//! | column | names |
//! |---|---|
//! | id of the document | `document`, `doc_id`, `doc`, `document_id`, `id`, `file`, `filename`, `pmid` |
//! | start of the span | `start`, `begin`, `start_offset`, `start_char` |
//! | end of the span | `end`, `stop`, `end_offset`, `end_char` |
//! | type | `type`, `label`, `entity`, `entity_type`, `tag`, `class` |
//! | text of the document | `document_text`, `content`, `sentence`, `text` |
//! | text of the span | `span`, `covered`, `surface`, `mention`, `entity_text`; `text` beside another text |
//! | annotator | `annotator`, `user` |
//! | pieces of a discontinuous span | `pieces`, `fragments`: `0-3;8-12` |
//! | attributes, metadata | `attributes` of the span and `metadata` of the document: JSON objects |
//! | name of the document | `document_name` |
//! | attributes | all others; an empty field is no attribute |
//!
//! The rows of a document are consecutive and have the same id. Its text is in its first row, or in
//! all its rows. A row without start, end and type declares a document or an annotator without
//! spans. Rows without an id belong to the document above, unless they have another text or declare
//! a document.
//!
//! If the table has the texts of the spans, they are compared with the document: they show whether
//! ends are inclusive and whether offsets count UTF-16 code units, which is decided for each
//! document and told to users. Spans whose text differs nevertheless are left out with a report.
//!
//! By default, the first annotator of a document is read, and a report is added if there are
//! others.

mod columns;
mod current;
mod mention;
mod rows;
mod write;

use std::collections::HashMap;

use spanrs_base::{Limits, Position};

pub(super) use write::Writer;

use super::annotated_text::Document;
use super::annotators::{Annotators, LayerChoice};
use super::json::excerpt;
use super::records::Fingerprints;
use super::stream::Records;
use crate::error::{Code, Error, Result};
use crate::source::Source;
pub(super) use columns::separator;
use current::Current;
use mention::Offsets;
use rows::Rows;

/// Opens a source. If `layers` is a number, the source is read twice.
///
/// # Errors
/// The errors of [`Rows::open`]; [`Code::BadDocument`] for an annotator given by a number that
/// does not exist.
pub(super) fn open(
    source: &Source,
    layers: &LayerChoice,
    limits: Limits,
) -> Result<Box<dyn Records>> {
    let mut layers = layers.clone();
    if let LayerChoice::Named(name) = &layers
        && layers.is_number()
    {
        let mut rows = Rows::open(source, limits)?;
        let mut annotators = Annotators::default();
        while rows.read()? {
            let annotator = rows.field(rows.columns.annotator);
            if !annotator.is_empty() {
                annotators.add(annotator.to_owned());
            }
        }
        let place = annotators.place(name).or_else(|| annotators.numbered(name));
        let place = place.ok_or_else(|| annotators.missing(source.name(), name))?;
        layers = LayerChoice::Named(annotators.names()[place].clone());
    }
    Ok(Box::new(Table {
        rows: Rows::open(source, limits)?,
        layers,
        limits,
        current: None,
        ids: HashMap::new(),
        fingerprints: Fingerprints::default(),
        annotators: Annotators::default(),
        found: false,
        offsets: Offsets::default(),
    }))
}

/// The documents of a table.
struct Table {
    rows: Rows,
    layers: LayerChoice,
    limits: Limits,
    /// The document whose rows are being read.
    current: Option<Current>,
    /// Line of the first row of each document, by the fingerprint of its id.
    ids: HashMap<u128, u64>,
    fingerprints: Fingerprints,
    /// The annotators so far.
    annotators: Annotators,
    /// Whether the selected annotator was found.
    found: bool,
    /// How offsets are counted.
    offsets: Offsets,
}

impl Records for Table {
    /// Reads the rows of the next document; None at the end.
    ///
    /// # Errors
    /// [`Code::BadDocument`] with the line for a row that is not a span, documents whose rows are
    /// not consecutive or have different texts, texts of spans in the column of the text, and, at
    /// the end, for an annotator that does not exist; [`Code::DocumentTooLong`]; the errors of
    /// [`Rows::read`].
    fn next(&mut self) -> Result<Option<Document>> {
        while self.rows.read()? {
            let line = self.rows.line();
            let annotator = self.rows.field(self.rows.columns.annotator);
            if !annotator.is_empty() && self.annotators.place(annotator).is_none() {
                self.annotators.add(annotator.to_owned());
            }
            let mut done = None;
            match self.current.take() {
                Some(current) if !current.ends_before(&self.rows) => self.current = Some(current),
                before => {
                    self.check_new(line)?;
                    self.current = Some(Current::new(&self.rows));
                    done = before;
                }
            }
            if let Some(current) = &mut self.current {
                current.add(&self.rows)?;
                if current.bytes() > self.limits.document_bytes {
                    let most = self.limits.document_bytes;
                    let message = format!(
                        "the document has more than {most} bytes, the limit for a document"
                    );
                    let position = Position::line(self.rows.name(), current.line());
                    return Err(Error::new(Code::DocumentTooLong, position, message));
                }
            }
            if let Some(document) = self.finish(done)? {
                return Ok(Some(document));
            }
        }
        let last = self.current.take();
        if let Some(document) = self.finish(last)? {
            return Ok(Some(document));
        }
        match &self.layers {
            LayerChoice::Named(name) if !self.found => {
                Err(self.annotators.missing(self.rows.name(), name))
            }
            _ => Ok(None),
        }
    }

    fn notices(&mut self) -> Vec<String> {
        self.offsets.notices()
    }
}

impl Table {
    /// Checks that the document of the current row has not occurred before.
    fn check_new(&mut self, line: u64) -> Result<()> {
        let id = self.rows.field(self.rows.columns.document);
        if id.is_empty() {
            return Ok(());
        }
        let first = *self.ids.entry(self.fingerprints.of(id)).or_insert(line);
        if first == line {
            return Ok(());
        }
        let id = excerpt(id, 40);
        Err(self.rows.error(&format!(
            "document {id:?} begins at line {first} and again at line {line}; its rows must be consecutive"
        )))
    }

    /// Returns the document of complete rows; None if the selected annotator did not annotate it.
    fn finish(&mut self, current: Option<Current>) -> Result<Option<Document>> {
        let Some(current) = current else {
            return Ok(None);
        };
        let document = current.finish(self.rows.name(), &mut self.offsets)?;
        let document = select(document, &self.layers);
        self.found |= document.is_some();
        Ok(document)
    }
}

/// Keeps the selected annotators of a document; None if there are none.
fn select(mut document: Document, choice: &LayerChoice) -> Option<Document> {
    let kept = match choice {
        LayerChoice::All | LayerChoice::Project => return Some(document),
        LayerChoice::Sole if document.layers.len() < 2 => return Some(document),
        LayerChoice::Sole => 0,
        LayerChoice::Named(name) => {
            let mut layers = document.layers.iter();
            layers.position(|layer| layer.name.as_ref() == Some(name))?
        }
    };
    let keeps = document.annotations.iter();
    let keeps: Vec<bool> = keeps.map(|a| a.layer as usize == kept).collect();
    document.retain(&keeps);
    for annotation in &mut document.annotations {
        annotation.layer = 0;
    }
    let layer = document.layers.swap_remove(kept);
    let others = std::mem::replace(&mut document.layers, vec![layer]);
    if *choice == LayerChoice::Sole {
        document.leave_out(|| {
            let names = others
                .iter()
                .map(|layer| layer.name.as_deref().unwrap_or("nobody"));
            let names = excerpt(&names.collect::<Vec<_>>().join(", "), 80);
            format!("annotations by {names}; choose an annotator (--annotator)")
        });
    }
    Some(document)
}

#[cfg(test)]
mod tests;
