//! Writer of a table of spans.
//!
//! ```text
//! document,document_name,annotator,type,start,end,pieces,attributes,mention,text,metadata
//! 7,,ann,PER,0,3,,,Bob,Bob ate fish,
//! 7,,ann,FOOD,8,12,,"{""sure"":true}",fish,,
//! ```
//!
//! The spans of each annotator are consecutive. The first row of a document has its text, name and
//! metadata. A document without spans, a document without an id, and an annotator who found nothing
//! have a row without a span. Fields are quoted where necessary and otherwise unchanged, also if a
//! spreadsheet would take them for formulas.
//!
//! An id that another document has, and a name that another annotator has, get a number.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::document::annotated_text::{Annotation, Document};
use crate::document::char_index::CharIndex;
use crate::document::losses::Losses;
use crate::document::names::{TWICE, distinct_metadata};
use crate::document::records::Fingerprints;
use crate::document::write::WriteFormat;

/// The header.
const HEADER: [&str; 11] = [
    "document",
    "document_name",
    "annotator",
    "type",
    "start",
    "end",
    "pieces",
    "attributes",
    "mention",
    "text",
    "metadata",
];

/// Writes a table.
#[derive(Default)]
pub(in crate::document) struct Writer {
    /// Whether the header has been written.
    begun: bool,
    /// The ids of the documents so far.
    ids: HashSet<u128>,
    fingerprints: Fingerprints,
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        self.begin(out)?;
        let id = document
            .id
            .as_deref()
            .map(|id| self.distinct_id(id, losses));
        let metadata = distinct_metadata(document, &[], losses).into_iter();
        let metadata = metadata.map(|(name, value)| (name.into_owned(), value.clone()));
        let mut table = Table {
            rows: csv::Writer::from_writer(out),
            id: id.unwrap_or_default(),
            name: document.name.as_deref().unwrap_or_default(),
            text: &document.text,
            metadata: object(metadata.collect())?,
        };
        // Without an id, only a row without a span begins a document.
        let has_layers = !document.layers.is_empty();
        if table.id.is_empty() || (document.annotations.is_empty() && !has_layers) {
            table.row("", Span::default())?;
        }
        let index = CharIndex::new(&document.text);
        let names = layer_names(document, losses);
        let mut by_layer: Vec<Vec<&Annotation>> = vec![Vec::new(); names.len()];
        for annotation in &document.annotations {
            if let Some(layer) = by_layer.get_mut(annotation.layer as usize) {
                layer.push(annotation);
            }
        }
        for (name, annotations) in names.iter().zip(by_layer) {
            if annotations.is_empty() && has_layers {
                table.row(name, Span::default())?;
            }
            for annotation in annotations {
                table.row(name, span(document, annotation, &index, losses)?)?;
            }
        }
        table.rows.flush().map_err(|error| error.to_string())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        // Writing to memory does not fail.
        drop(self.begin(out));
    }
}

impl Writer {
    /// Writes the header, once.
    fn begin(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        if !std::mem::replace(&mut self.begun, true) {
            let mut rows = csv::Writer::from_writer(out);
            rows.write_record(HEADER)
                .map_err(|error| error.to_string())?;
            rows.flush().map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Returns the id of a document, with a number if another document has the id.
    fn distinct_id(&mut self, id: &str, losses: &mut Losses) -> String {
        let mut distinct = id.to_owned();
        let mut number = 1;
        while !self.ids.insert(self.fingerprints.of(&distinct)) {
            number += 1;
            distinct = format!("{id}-{number}");
        }
        losses.add(
            "ids of several documents, which get a number",
            usize::from(number > 1),
        );
        distinct
    }
}

/// Returns the names of the annotators, which must be different and not empty; a single empty name
/// for a document without annotators.
fn layer_names(document: &Document, losses: &mut Losses) -> Vec<String> {
    if document.layers.is_empty() {
        return vec![String::new()];
    }
    let given = document
        .layers
        .iter()
        .filter_map(|layer| layer.name.as_deref());
    let given: HashSet<&str> = given.collect();
    let mut names: HashSet<String> = HashSet::new();
    let mut changed = 0;
    let all = document.layers.iter().enumerate().map(|(at, layer)| {
        let name = layer.name.as_deref().unwrap_or_default();
        let mut distinct = name.to_owned();
        let mut number = at;
        while distinct.is_empty()
            || names.contains(&distinct)
            || (distinct != name && given.contains(&*distinct))
        {
            number += 1;
            distinct = match name {
                "" => format!("annotator {number}"),
                name => format!("{name}-{number}"),
            };
        }
        changed += usize::from(distinct != name);
        names.insert(distinct.clone());
        distinct
    });
    let all = all.collect();
    losses.add(
        "annotators without a name of their own, which get a number",
        changed,
    );
    all
}

/// The fields of a span.
#[derive(Default)]
struct Span<'a> {
    ty: &'a str,
    start: String,
    end: String,
    pieces: String,
    attributes: String,
    mention: String,
}

/// Returns the fields of an annotation.
fn span<'a>(
    document: &'a Document,
    a: &Annotation,
    text: &CharIndex<'_>,
    losses: &mut Losses,
) -> Result<Span<'a>, String> {
    let mut attributes = Map::new();
    for (name, value) in document.attribute_values(a) {
        match attributes.contains_key(name) {
            true => losses.add(TWICE, 1),
            false => drop(attributes.insert(name.to_owned(), value.clone())),
        }
    }
    let segments = document.segments(a);
    let mention = segments
        .iter()
        .filter_map(|&(start, end)| text.between(start, end));
    let pieces = document.pieces(a).iter();
    let pieces = pieces.map(|(start, end)| format!("{start}-{end}"));
    Ok(Span {
        ty: document.type_of(a),
        start: a.start.to_string(),
        end: a.end.to_string(),
        pieces: pieces.collect::<Vec<_>>().join(";"),
        attributes: object(attributes)?,
        mention: mention.collect::<Vec<_>>().join(" "),
    })
}

/// Returns an object as JSON; empty if it has no members.
fn object(members: Map<String, Value>) -> Result<String, String> {
    match members.is_empty() {
        true => Ok(String::new()),
        false => serde_json::to_string(&members).map_err(|error| error.to_string()),
    }
}

/// The rows of a document.
struct Table<'a, W: std::io::Write> {
    rows: csv::Writer<W>,
    id: String,
    /// Name, text and metadata; empty after the first row.
    name: &'a str,
    text: &'a str,
    metadata: String,
}

impl<W: std::io::Write> Table<'_, W> {
    /// Writes a row.
    fn row(&mut self, annotator: &str, span: Span<'_>) -> Result<(), String> {
        let fields = [
            &*self.id,
            std::mem::take(&mut self.name),
            annotator,
            span.ty,
            &span.start,
            &span.end,
            &span.pieces,
            &span.attributes,
            &span.mention,
            std::mem::take(&mut self.text),
            &std::mem::take(&mut self.metadata),
        ];
        self.rows
            .write_record(fields)
            .map_err(|error| error.to_string())
    }
}
