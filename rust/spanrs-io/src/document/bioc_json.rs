//! BioC's JSON, as written by the `bioc` package, PubMed Central, and PubTator.
//!
//! ```json
//! {"source": "PubMed", "date": "", "key": "", "infons": {}, "documents": [
//!   {"id": "10491763", "infons": {}, "passages": [{"offset": 0, "infons": {},
//!     "text": "HNF-6 causes diabetes", "sentences": [], "relations": [], "annotations": [
//!       {"id": "1", "infons": {"type": "Gene"}, "text": "HNF-6",
//!        "locations": [{"offset": 0, "length": 5}]}]}], "relations": []}]}
//! ```
//!
//! See [`super::bioc`] for what becomes of the structures. The file is a collection, a list of
//! collections (PubMed Central), an object with the list `PubTator3`, or documents, either in a list
//! or one after another (JSON Lines). It is read as a stream, with one document in memory. Facts of
//! the collection behind its documents are not read, with a notice. Further keys of documents
//! (`pmid`, `journal`, ...) are metadata; other unknown keys are ignored.
//!
//! Infons may have any JSON value, as in PubTator.
//!
//! Source: <https://github.com/yfpeng/bioc>,
//! <https://www.ncbi.nlm.nih.gov/research/bionlp/APIs/BioC-PMC/>,
//! <https://www.ncbi.nlm.nih.gov/research/pubtator3/api>.

mod write;

use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};

pub(super) use write::Writer;

use super::annotators::LayerChoice;
use super::bioc::{self, Record, Structures};
use super::json;
use super::json_documents::{JsonDocuments, Piece};
use super::stream::Records;
use crate::error::Result;
use crate::source::Source;

/// Beginning of messages about malformed files.
const WHAT: &str = "this is not BioC JSON";
/// Keys of lists of documents.
const LISTS: &[&str] = &["documents", "PubTator3"];

/// Opens a source.
///
/// # Errors
/// The errors of [`Source::open`], and for an annotator given by number the errors of the
/// documents.
pub(super) fn open(
    source: &Source,
    layers: &LayerChoice,
    limits: Limits,
) -> Result<Box<dyn Records>> {
    bioc::documents(layers, || {
        Ok(Collections {
            json: JsonDocuments::open(source, limits, WHAT, LISTS)?,
            facts: Map::new(),
        })
    })
}

/// The collections of a file.
struct Collections {
    json: JsonDocuments,
    /// Facts of the current collection.
    facts: Map<String, Value>,
}

impl Structures for Collections {
    fn next(&mut self) -> Result<Option<(Position, Record)>> {
        loop {
            let Some((piece, at, text)) = self.json.next()? else {
                return Ok(None);
            };
            match piece {
                Piece::Collection => {
                    let facts = serde_json::from_str::<Map<String, Value>>(text);
                    let facts = facts.map_err(|error| json::error_from(&at, WHAT, &error))?;
                    let told = facts.into_iter().filter(|(name, value)| {
                        name != "bioctype"
                            && !value.is_null()
                            && value.as_str() != Some("")
                            && !value.as_object().is_some_and(Map::is_empty)
                    });
                    self.facts = told.collect();
                }
                Piece::Document => {
                    let record = serde_json::from_str::<Record>(text);
                    let record = record.map_err(|error| json::error_from(&at, WHAT, &error))?;
                    return Ok(Some((at, record)));
                }
            }
        }
    }

    fn collection(&self) -> &Map<String, Value> {
        &self.facts
    }

    fn name(&self) -> &str {
        self.json.name()
    }

    fn notices(&self, notices: &mut Vec<String>) {
        match self.json.late() {
            0 => {}
            1 => notices
                .push("1 fact of a collection that follows its documents, not read".to_owned()),
            late => notices.push(format!(
                "{late} facts of collections that follow the documents, not read"
            )),
        }
    }
}

#[cfg(test)]
mod tests;
