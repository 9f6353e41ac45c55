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
//! link entities by their ids. Other keys are ignored, whatever their values.
//!
//! A line is parsed directly into structs, without building a tree of values; only one line is in
//! memory at a time.

mod write;

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;

pub(super) use write::Writer;

use super::annotated_text::Document;
use super::json::{self, Offset};
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
}

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
    fn document(self) -> serde_json::Result<Document> {
        let missing = |what| Err(serde_json::Error::custom(what));
        let Some(text) = self.text.or(self.data) else {
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
        for Row(start, end, label) in self.label.into_iter().chain(self.labels).flatten() {
            let ty = document.intern(&label);
            document.push(ty, start.0, end.0);
        }
        let mut ids = HashMap::new();
        for entity in self.entities.into_iter().flatten() {
            if let Some(id) = json::id(&entity.id) {
                ids.insert(id, document.annotations.len() as u32);
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
mod tests {
    use super::super::testing::{links, rows, spans};
    use super::super::{Format, Reader};
    use super::*;

    fn read(name: &str, text: &str) -> Result<Vec<Document>> {
        Reader::new(Format::Doccano).read(name, text.as_bytes())
    }

    #[test]
    fn doccano_calls_things_by_many_names() {
        let lines = concat!(
            "{\"id\": 7, \"text\": \"\u{1F600} Bob\", \"label\": [[2, 5, \"PER\"], [0, 1, \"E\"]], \"Comments\": []}\r\n",
            "\n",
            "{\"labels\": [[0, 1, \"X\"]], \"data\": \"ab\", \"meta\": {\"a\": [1]}}\n",
            "  \t\n",
            "{\"id\": \"x\", \"text\": \"ab\", \"relations\": [{\"id\": 1, \"from_id\": 0}], \"entities\": [{\"id\": 0, ",
            "\"label\": \"L\", \"start_offset\": 1, \"end_offset\": 2}]}\n",
            "{\"id\": [1], \"text\": \"\", \"label\": []}",
        );
        let documents = read("d", lines).unwrap();
        let ids: Vec<_> = documents.iter().map(|d| d.id.as_deref()).collect();
        assert_eq!(ids, [Some("7"), None, Some("x"), None]);
        assert_eq!(spans(&documents[0]), rows(&[("PER", 2, 5), ("E", 0, 1)]));
        assert_eq!(
            (&*documents[1].text, spans(&documents[1])),
            ("ab", rows(&[("X", 0, 1)]))
        );
        assert_eq!(spans(&documents[2]), rows(&[("L", 1, 2)]));
        assert_eq!(spans(&documents[3]), rows(&[]));
    }

    #[test]
    fn what_lies_outside_is_left_out_and_reported() {
        let line = "{\"text\": \"\u{1F600}\", \"label\": [[0, 2, \"A\"], [0, 1, \"B\"], [1, 0, \"C\"], \
                    [0, 18446744073709551615, \"D\"]]}";
        let document = &read("d", line).unwrap()[0];
        assert_eq!(spans(document), rows(&[("B", 0, 1)]));
        assert_eq!(
            document.left_out,
            [
                "A 0-2 reaches beyond the text of 1 characters",
                "C 1-0 ends before it begins",
                "D 0-4294967295 reaches beyond the text of 1 characters",
            ]
        );
    }

    #[test]
    fn what_is_wrong_with_a_record_of_doccano_is_said_with_its_place() {
        let message = |line: &str| {
            let text = format!("{{\"text\": \"\", \"label\": []}}\n{line}\n");
            read("d.jsonl", &text).unwrap_err().to_string()
        };
        let what = "this is not a doccano record";
        assert_eq!(
            message(r#"{"text": "a", "label": [[0, 1]]}"#),
            format!("d.jsonl:2:30: {what}: invalid length 2, expected [start, end, type]")
        );
        assert_eq!(
            message(r#"{"text": "a", "label": [[0, -1, "A"]]}"#),
            format!(
                "d.jsonl:2:30: {what}: invalid type: integer `-1`, expected an offset: a whole number from 0"
            )
        );
        assert_eq!(
            message(r#"{"text": "a", "label": [[0.5, 1, "A"]]}"#),
            format!(
                "d.jsonl:2:28: {what}: invalid type: floating point `0.5`, expected an offset: a whole number \
                 from 0"
            )
        );
        assert_eq!(
            message(r#"{"text": "a", "label": ["pos"]}"#),
            format!(
                "d.jsonl:2:29: {what}: invalid type: string \"pos\", expected [start, end, type]"
            )
        );
        assert_eq!(
            message(r#"{"label": []}"#),
            format!("d.jsonl:2: {what}: there is no \"text\"")
        );
        assert_eq!(
            message(r#"{"text": "a"}"#),
            format!(
                "d.jsonl:2: {what}: there is none of \"label\", \"labels\" and \"entities\"; write \"label\": \
                 [] where there are no spans"
            )
        );
        assert_eq!(
            message(r#" [{"text": "a"}]"#),
            format!("d.jsonl:2:2: {what}: a list, not an object; export JSON Lines, not JSON")
        );
        assert_eq!(
            message("{\n\"text\": \"a\"}"),
            format!(
                "d.jsonl:2:1: {what}: EOF while parsing an object; each record must be on a single line"
            )
        );
        let entity = r#"{"text": "a", "entities": [{"start_offset": 0, "label": "A"}]}"#;
        assert_eq!(
            message(entity),
            format!("d.jsonl:2:60: {what}: missing field `end_offset`")
        );
    }

    #[test]
    fn relations_link_entities_by_their_ids() {
        let entity = |id: u32, start: u32| {
            format!(
                "{{\"id\": {id}, \"label\": \"L\", \"start_offset\": {start}, \"end_offset\": 2}}"
            )
        };
        let record = format!(
            "{{\"text\": \"ab\", \"entities\": [{}, {}], \"relations\": [{{\"id\": 1, \"from_id\": 9, \"to_id\": 7, \
             \"type\": \"of\"}}, {{\"from_id\": 7, \"type\": \"of\"}}]}}",
            entity(7, 0),
            entity(9, 1)
        );
        let document = &read("d", &record).unwrap()[0];
        assert_eq!(links(document), [("of", 1, 0)]);
        assert_eq!(
            document.relations_left_out,
            ["relation \"of\" from entity 7 to nothing, at least one of which does not exist"]
        );
    }
}
