//! Writing of BioC's JSON.

use serde::Serialize;
use serde_json::{Map, Value};

use super::super::annotated_text::Document;
use super::super::bioc;
use super::super::losses::Losses;
use super::super::write::WriteFormat;

/// Writes a collection in BioC's JSON, with a line for each document.
#[derive(Default)]
pub(in crate::document) struct Writer {
    /// Facts of the collection, those of the first document; None before the first document.
    collection: Option<Map<String, Value>>,
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let facts = bioc::collection(document);
        match &self.collection {
            None => {
                let facts = facts.cloned().unwrap_or_default();
                begin(&facts, out)?;
                self.collection = Some(facts);
            }
            Some(first) => {
                out.push(b',');
                let differs = facts.is_some_and(|facts| facts != first);
                losses.add(
                    "collections of documents that differ from that of the first",
                    usize::from(differs),
                );
            }
        }
        out.push(b'\n');
        append(&bioc::record(document, true, losses), out)
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        if self.collection.is_none() {
            // Writing to memory does not fail.
            let _ = begin(&Map::new(), out);
        }
        out.extend_from_slice(b"\n]}\n");
    }
}

/// Appends a value.
fn append(value: &impl Serialize, out: &mut Vec<u8>) -> Result<(), String> {
    serde_json::to_writer(out, value).map_err(|error| error.to_string())
}

/// Appends the beginning of a collection.
fn begin(facts: &Map<String, Value>, out: &mut Vec<u8>) -> Result<(), String> {
    out.extend_from_slice(b"{\"bioctype\":\"BioCCollection\"");
    let own = ["source", "date", "key", "infons"];
    let default = |name| match name {
        "infons" => Value::Object(Map::new()),
        _ => Value::String(String::new()),
    };
    let first = own.into_iter().map(|name| {
        let value = facts.get(name).cloned().unwrap_or_else(|| default(name));
        (name.to_owned(), value)
    });
    let written = ["bioctype", "documents", "PubTator3"];
    let further = facts.iter().filter(|(name, _)| {
        let name = name.as_str();
        !own.contains(&name) && !written.contains(&name)
    });
    let further = further.map(|(name, value)| (name.clone(), value.clone()));
    for (name, value) in first.chain(further) {
        out.push(b',');
        append(&name, out)?;
        out.push(b':');
        append(&value, out)?;
    }
    out.extend_from_slice(b",\"documents\":[");
    Ok(())
}
