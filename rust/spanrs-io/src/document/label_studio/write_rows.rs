//! Writes Label Studio's JSON_MIN and CSV: a record per layer.

use csv::{QuoteStyle, WriterBuilder};
use serde::Serialize;
use serde_json::{Map, Value};

use super::minimal::{LABEL, is_regions};
use super::write::{List, Region, Text, id};
use super::{DATA_TEXT, OWN};
use crate::document::annotated_text::Document;
use crate::document::losses::Losses;
use crate::document::metadata::{facts, id_value};
use crate::document::write::WriteFormat;

/// The column for metadata that has no column of its own.
pub(super) const METADATA: &str = "metadata";
/// The columns before those of name and metadata, as exported by Label Studio.
const COLUMNS: [&str; 8] = [
    "annotation_id",
    "annotator",
    "created_at",
    "id",
    LABEL,
    "lead_time",
    "text",
    "updated_at",
];

/// Writes records of JSON_MIN. Metadata is written beside the text, as Label Studio does.
#[derive(Default)]
pub(in crate::document) struct MinWriter {
    list: List,
    /// Number of annotations so far.
    annotations: u64,
}

/// Writes CSV. The first document determines the columns: one for each of its metadata that is
/// text. The metadata of other documents, and metadata that is not text, is written as JSON into the
/// column `metadata`.
#[derive(Default)]
pub(in crate::document) struct CsvWriter {
    /// The columns of metadata; None before the first document.
    columns: Option<Vec<String>>,
    /// Number of annotations so far.
    annotations: u64,
}

/// A record of JSON_MIN.
#[derive(Serialize)]
struct Record<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    text: &'a str,
    #[serde(flatten)]
    facts: &'a Map<String, Value>,
    label: &'a [Region<'a>],
    annotator: Option<Value>,
    annotation_id: u64,
}

/// Returns true for metadata that would be read as something else.
fn is_reserved(key: &str, value: &Value) -> bool {
    key == LABEL
        || key.eq_ignore_ascii_case("text")
        || key == DATA_TEXT
        || OWN.contains(&key)
        || is_regions(key, value)
}

/// Returns the annotators of a document and the regions of each.
fn layers<'a>(
    document: &'a Document,
    text: &'a Text<'a>,
    losses: &mut Losses,
) -> Vec<(Option<&'a str>, Vec<Region<'a>>)> {
    let names = document.layers.iter().map(|layer| {
        let name = layer.name.as_deref();
        (name.filter(|name| !name.is_empty()), Vec::new())
    });
    let mut layers: Vec<_> = names.collect();
    let nameless = layers.iter().filter(|(name, _)| name.is_none()).count();
    if nameless > 1 && id(document).is_none() {
        losses.add(
            "documents whose unnamed annotators become separate documents, because they have no id",
            1,
        );
    }
    if layers.is_empty() {
        layers.push((None, Vec::new()));
    }
    for annotation in &document.annotations {
        if let Some((_, regions)) = layers.get_mut(annotation.layer as usize) {
            regions.push(text.region(document, annotation));
        }
    }
    layers
}

impl WriteFormat for MinWriter {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let text = Text::new(&document.text);
        let facts = facts(document, losses, |key, value| {
            // An object `data` is that of a task of JSON.
            is_reserved(key, value) || key == "data" && value.is_object()
        });
        for (annotator, regions) in layers(document, &text, losses) {
            self.annotations += 1;
            let record = Record {
                id: id(document),
                text: &document.text,
                facts: &facts,
                label: &regions,
                annotator: annotator.map(id_value),
                annotation_id: self.annotations,
            };
            self.list.add(out, &record)?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        self.list.finish(out);
    }
}

impl CsvWriter {
    /// Returns the columns of metadata, which the first document determines. The header is written
    /// before the first document.
    fn columns(
        &mut self,
        facts: &Map<String, Value>,
        out: &mut Vec<u8>,
    ) -> Result<&[String], String> {
        if self.columns.is_none() {
            let is_column = |(key, value): &(&String, &Value)| {
                *key != "name" && *key != METADATA && is_cell(value)
            };
            let columns = facts.iter().filter(is_column).map(|(key, _)| key.clone());
            let columns: Vec<String> = columns.collect();
            let names = columns.iter().map(String::as_str);
            let header = COLUMNS.into_iter().chain(["name"]).chain(names);
            write_row(out, header.chain([METADATA]))?;
            self.columns = Some(columns);
        }
        Ok(self.columns.as_deref().unwrap_or_default())
    }
}

/// Returns true for text that can be the content of a cell.
fn is_cell(value: &Value) -> bool {
    value
        .as_str()
        .is_some_and(|text| !text.is_empty() && !text.starts_with('['))
}

/// Appends a row. As in Label Studio's export, all cells but numbers are quoted.
fn write_row<'a>(out: &mut Vec<u8>, cells: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut writer = WriterBuilder::new()
        .quote_style(QuoteStyle::NonNumeric)
        .from_writer(out);
    writer
        .write_record(cells)
        .map_err(|error| error.to_string())?;
    writer.flush().map_err(|error| error.to_string())
}

impl WriteFormat for CsvWriter {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let text = Text::new(&document.text);
        let mut facts = facts(document, losses, is_reserved);
        let columns = self.columns(&facts, out)?.to_vec();
        let mut cells = Vec::with_capacity(columns.len());
        for column in &columns {
            let is_text = facts.get(column).is_some_and(is_cell);
            let cell = if is_text {
                facts.shift_remove(column)
            } else {
                None
            };
            cells.push(cell.unwrap_or_default());
        }
        // Metadata may be called `name`, too, if it is not a name.
        let name = document.name.as_deref().unwrap_or_default();
        if !name.is_empty() {
            facts.shift_remove("name");
        }
        // What has no column is JSON.
        let nested = facts.shift_remove(METADATA);
        if let Some(Value::Object(nested)) = nested {
            facts.extend(nested);
        }
        let json = |value: &Value| serde_json::to_string(value).map_err(|error| error.to_string());
        let metadata = match facts.is_empty() {
            true => String::new(),
            false => json(&Value::Object(facts))?,
        };
        let id = id(document).and(document.id.as_deref()).unwrap_or_default();
        for (annotator, regions) in layers(document, &text, losses) {
            self.annotations += 1;
            let number = self.annotations.to_string();
            let regions = serde_json::to_string(&regions).map_err(|error| error.to_string())?;
            let annotator = annotator.unwrap_or_default();
            let fixed = [
                &*number,
                annotator,
                "",
                id,
                &regions,
                "",
                &document.text,
                "",
            ];
            let own = cells.iter().map(|cell| cell.as_str().unwrap_or_default());
            let row = fixed.into_iter().chain([name]).chain(own);
            write_row(out, row.chain([&*metadata]))?;
        }
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        if self.columns.is_none() {
            let header = COLUMNS.into_iter().chain(["name", METADATA]);
            // Writing to memory does not fail.
            let _ = write_row(out, header);
        }
    }
}
