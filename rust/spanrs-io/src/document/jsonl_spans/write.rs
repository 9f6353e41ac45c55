//! Writer of tokens with spans, as JSON Lines.
//!
//! ```json
//! {"tokenized_text":["Bob","sang"],"ner":[[0,0,"person"]],"id":"7"}
//! ```
//!
//! Id, name and metadata follow the spans. Metadata whose names have another meaning in the format
//! get the suffix `_`.

use serde_json::Value;

use crate::document::annotated_text::Document;
use crate::document::char_index::CharIndex;
use crate::document::losses::Losses;
use crate::document::names::distinct_metadata;
use crate::document::write::WriteFormat;

/// Names of the fields that are written.
const FIELDS: [&str; 4] = ["tokenized_text", "ner", "id", "name"];

/// Writes one line per document.
#[derive(Default)]
pub(in crate::document) struct Writer;

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let text = CharIndex::new(&document.text);
        let all = &document.annotations;
        let tokens = all.iter().filter(|a| document.is_token(a));
        let mut tokens: Vec<(u32, u32)> = tokens.map(|a| (a.start, a.end)).collect();
        tokens.sort_unstable();
        let words = tokens.iter();
        let words = words.map(|&(start, end)| text.between(start, end).unwrap_or_default());
        let spans = all.iter().filter(|a| !document.is_token(a));
        let spans = spans.filter_map(|a| {
            // The bounds of spans are bounds of tokens.
            let first = tokens.binary_search_by_key(&a.start, |token| token.0);
            let last = tokens.binary_search_by_key(&a.end, |token| token.1);
            Some((first.ok()?, last.ok()?, document.type_of(a)))
        });
        let id = document.id.as_deref().map(Value::from);
        let name = document.name.as_deref().map(Value::from);
        let metadata = distinct_metadata(document, &FIELDS, losses);
        out.extend_from_slice(b"{\"tokenized_text\":");
        json(out, &words.collect::<Vec<_>>())?;
        out.extend_from_slice(b",\"ner\":");
        json(out, &spans.collect::<Vec<_>>())?;
        let names = [("id", id.as_ref()), ("name", name.as_ref())].into_iter();
        let names = names.filter_map(|(name, value)| Some((name, value?)));
        let metadata = metadata.iter().map(|(name, value)| (&**name, *value));
        for (name, value) in names.chain(metadata) {
            out.push(b',');
            json(out, &name)?;
            out.push(b':');
            json(out, value)?;
        }
        out.extend_from_slice(b"}\n");
        Ok(())
    }
}

/// Appends a value as JSON.
fn json(out: &mut Vec<u8>, value: &(impl serde::Serialize + ?Sized)) -> Result<(), String> {
    serde_json::to_writer(out, value).map_err(|error| error.to_string())
}
