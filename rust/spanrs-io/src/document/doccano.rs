//! doccano's JSON Lines: one object per line, each a document.
//!
//! ```json
//! {"id": 7, "text": "Bob ate", "label": [[0, 3, "PER"]]}
//! {"text": "Bob ate fish", "entities": [{"id": 1, "label": "PER", "start_offset": 0, "end_offset": 3},
//!   {"id": 2, "label": "FOOD", "start_offset": 8, "end_offset": 12}],
//!   "relations": [{"id": 1, "from_id": 1, "to_id": 2, "type": "eats"}]}
//! ```
//! (In a file, the second record is a single line.)
//!
//! Offsets count code points from 0, ends exclusive. Blank lines are skipped. Depending on the
//! version of doccano, the key of the text is `text` or `data`, and the key of the spans is
//! `label`, `labels` or `entities`; if a record has several of these lists, all are read. Relations
//! link entities by their ids.
//!
//! | | keys |
//! |---|---|
//! | text | `text`, otherwise `data` |
//! | spans | `label`, `labels`, `entities` |
//! | relations | `relations` |
//! | id | `id` |
//! | name | the first string of `name`, `filename`, `file_name`, `file`, `title`, `doc_name`, `document` |
//! | metadata | all other keys, and the members of `meta` and `metadata`; `Comments` unless empty |
//!
//! doccano 1.5 and later exports all metadata at the top level, earlier versions in `meta`. Source:
//! <https://github.com/doccano/doccano/tree/master/backend/data_export/pipeline>.
//!
//! A line is parsed directly into structs; only one line is in memory at a time.

mod write;

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::{Map, Value};

pub(super) use write::Writer;

use super::annotated_text::Document;
use super::json::{self, Offset};
use super::metadata::{add_facts, take_name};
use super::records::Lines;
use super::stream::Records;
use crate::error::Result;

/// The documents of a file.
pub(super) struct Documents(pub(super) Lines);

impl Records for Documents {
    fn next(&mut self) -> Result<Option<Document>> {
        next(&mut self.0)
    }
}

/// Reads the next record; None at the end.
///
/// # Errors
/// [`Code::BadDocument`](crate::Code::BadDocument) with line and column for a line without the
/// expected structure, and for an object without text or without any list of spans, because a
/// misspelt key must not look like a text without spans. Also the errors of [`Lines::next`].
fn next(lines: &mut Lines) -> Result<Option<Document>> {
    let record = json::next_record(lines, "this is not a doccano record", |line| {
        serde_json::from_str::<Record>(line)?.document()
    })?;
    Ok(record.map(|(_, document)| document))
}

/// A record.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"text\" and \"label\"")]
struct Record {
    /// The text.
    text: Option<String>,
    /// The text under another key; ignored if the record has `text`.
    data: Option<String>,
    /// Spans as rows.
    label: Option<Vec<Row>>,
    /// Spans as rows, under another key.
    labels: Option<Vec<Row>>,
    /// Spans as objects, in exports with relations.
    entities: Option<Vec<Entity>>,
    /// Links between the objects.
    #[serde(default)]
    relations: Value,
    /// The id, a number or a string; null if there is none.
    #[serde(default)]
    id: Value,
    /// Name and metadata.
    #[serde(flatten)]
    facts: Map<String, Value>,
}

/// The key of doccano's comments. Every record has this list, which is usually empty.
const COMMENTS: &str = "Comments";

/// A span as a row: start, end, type.
#[derive(Deserialize)]
#[serde(expecting = "[start, end, type]")]
struct Row(Offset, Offset, String);

/// A span as an object.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"start_offset\", \"end_offset\" and \"label\"")]
struct Entity {
    /// The id that relations refer to; null if there is none.
    #[serde(default)]
    id: Value,
    /// First character.
    start_offset: Offset,
    /// One past the last character.
    end_offset: Offset,
    /// The type.
    label: String,
}

impl Record {
    /// Converts the record to a document. Spans given as rows precede spans given as objects.
    ///
    /// # Errors
    /// A message if the record has no text or no list of spans.
    fn document(mut self) -> serde_json::Result<Document> {
        let missing = |what| Err(serde_json::Error::custom(what));
        if let Some(data) = self.data.take() {
            if self.text.is_some() {
                self.facts.insert("data".to_owned(), data.into());
            } else {
                self.text = Some(data);
            }
        }
        let Some(text) = self.text else {
            return missing("there is no \"text\"");
        };
        if self.label.is_none() && self.labels.is_none() && self.entities.is_none() {
            // A misspelt key must not look like a text without spans.
            return missing(
                "there is none of \"label\", \"labels\" and \"entities\"; write \"label\": [] where there \
                 are no spans",
            );
        }
        let mut document = Document::new(text);
        document.id = json::id(&self.id);
        document.name = take_name(&mut self.facts);
        self.facts.retain(|key, value| !is_empty_list(key, value));
        add_facts(&mut document, self.facts);
        for Row(start, end, label) in self.label.into_iter().chain(self.labels).flatten() {
            let ty = document.intern(&label);
            document.push(ty, start.0, end.0);
        }
        let mut ids = HashMap::new();
        for entity in self.entities.into_iter().flatten() {
            if let Some(id) = json::id(&entity.id)
                && ids.insert(id, document.annotations.len() as u32).is_some()
            {
                document.leave_out_relation(|| {
                    let id = json::id(&entity.id).unwrap_or_default();
                    let id = json::excerpt(&id, 40);
                    format!(
                        "relations of entity {id}, whose id occurs twice, are those of the last \
                         entity with this id"
                    )
                });
            }
            let ty = document.intern(&entity.label);
            document.push(ty, entity.start_offset.0, entity.end_offset.0);
        }
        let relations = self.relations.as_array().map(Vec::as_slice);
        for relation in relations.unwrap_or_default() {
            relate(&mut document, &ids, relation);
        }
        Ok(document)
    }
}

/// Returns true for a list of comments without comments.
fn is_empty_list(key: &str, value: &Value) -> bool {
    key == COMMENTS && value.as_array().is_some_and(Vec::is_empty)
}

/// Adds a relation. A relation whose ends are not both entities of the record is left out with a
/// report.
fn relate(document: &mut Document, ids: &HashMap<String, u32>, relation: &Value) {
    let end = |key: &str| relation.get(key).and_then(json::id);
    let index = |key: &str| end(key).and_then(|id| ids.get(&id).copied());
    let ty = relation.get("type").and_then(Value::as_str);
    let ty = ty.unwrap_or_default();
    match (index("from_id"), index("to_id")) {
        (Some(from), Some(to)) => document.relate(ty, from, to),
        _ => {
            let [from, to] = ["from_id", "to_id"].map(|key| match end(key) {
                Some(id) => json::excerpt(&id, 40),
                None => "nothing".to_owned(),
            });
            document.leave_out_relation(|| {
                let ty = json::excerpt(ty, 40);
                format!("relation {ty:?} from entity {from} to {to}, at least one of which does not exist")
            });
        }
    }
}

#[cfg(test)]
mod tests;
