//! Writes doccano's JSON Lines.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::{Map, Value};

use super::is_empty_list;
use crate::document::annotated_text::Document;
use crate::document::json::write_line;
use crate::document::losses::Losses;
use crate::document::metadata::{facts, id_value};
use crate::document::write::WriteFormat;

/// Keys of records that are not metadata.
const OWN: [&str; 7] = [
    "id",
    "text",
    "data",
    "label",
    "labels",
    "entities",
    "relations",
];

/// Writes a record per document: spans as rows, or as objects with ids if the document has
/// relations. Metadata is written at the top level, as doccano does.
#[derive(Default)]
pub(in crate::document) struct Writer {
    /// Whether all records have entities and relations, because a document of the file has
    /// relations: projects of doccano have one kind of records.
    with_relations: bool,
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let is_reserved =
            |key: &str, value: &Value| OWN.contains(&key) || is_empty_list(key, value);
        let facts = facts(document, losses, is_reserved);
        let with_relations = self.with_relations || !document.relations.is_empty();
        write_line(
            out,
            &Record {
                document,
                facts,
                with_relations,
            },
        )
    }

    fn expect_relations(&mut self) {
        self.with_relations = true;
    }
}

/// A document as a record.
struct Record<'a> {
    document: &'a Document,
    facts: Map<String, Value>,
    with_relations: bool,
}

/// A span as an object.
#[derive(Serialize)]
struct Entity<'a> {
    id: usize,
    label: &'a str,
    start_offset: u32,
    end_offset: u32,
}

/// A relation.
#[derive(Serialize)]
struct Link<'a> {
    id: usize,
    from_id: u32,
    to_id: u32,
    #[serde(rename = "type")]
    ty: &'a str,
}

impl Serialize for Record<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = self.document;
        let mut record = serializer.serialize_map(None)?;
        if let Some(id) = document.id.as_deref().filter(|id| !id.is_empty()) {
            record.serialize_entry("id", &id_value(id))?;
        }
        record.serialize_entry("text", &document.text)?;
        let spans = document.annotations.iter();
        if !self.with_relations {
            let rows: Vec<(u32, u32, &str)> = spans
                .map(|a| (a.start, a.end, document.type_of(a)))
                .collect();
            record.serialize_entry("label", &rows)?;
        } else {
            let entities = spans.enumerate().map(|(id, a)| Entity {
                id,
                label: document.type_of(a),
                start_offset: a.start,
                end_offset: a.end,
            });
            let entities: Vec<Entity> = entities.collect();
            record.serialize_entry("entities", &entities)?;
            let links = document.relations.iter().enumerate().map(|(id, r)| Link {
                id,
                from_id: r.from,
                to_id: r.to,
                ty: document.type_of_relation(r),
            });
            let links: Vec<Link> = links.collect();
            record.serialize_entry("relations", &links)?;
        }
        for (key, value) in &self.facts {
            record.serialize_entry(key, value)?;
        }
        record.end()
    }
}
