//! Tokens with spans, in JSON or JSON Lines: the training data of GLiNER.
//!
//! ```json
//! {"tokenized_text": ["Bob", "Dylan", "sang"], "ner": [[0, 1, "person"]]}
//! {"tokens": ["Bob", "sang"], "entities": [{"start": 0, "end": 0, "label": ["person", "male"]}]}
//! ```
//!
//! Starts and ends count tokens from 0, and **ends are inclusive**. A file is a list of such
//! objects, or a sequence of objects.
//!
//! | file | document |
//! |---|---|
//! | `tokenized_text`, otherwise `tokens` or `words` | the text, joined by spaces, and tokens |
//! | `ner`, otherwise `entities`, `spans` or `label` | spans |
//! | several labels of a span | an annotation for each |
//! | other keys of a span given as an object | attributes |
//! | `id` (text or a number), `name` (text) | id and name |
//! | other keys | metadata |
//!
//! A span that ends before it begins or extends beyond the tokens is left out with a report. If
//! there are signs that ends are exclusive, users are told: spans that end at the number of tokens,
//! in a file without spans of a single token.
//!
//! Source: <https://github.com/urchade/GLiNER>.

mod record;
mod write;

pub(super) use write::Writer;

use spanrs_base::Limits;

use super::annotated_text::{Document, TOKEN};
use super::annotators::LayerChoice;
use super::json;
use super::records::Items;
use super::stream::Records;
use crate::error::Result;
use crate::source::Source;
use record::{Record, Span};

/// Beginning of error messages.
const WHAT: &str = "these are not tokens with spans";

/// Opens a source. The format has no annotators, so `_layers` has no effect.
///
/// # Errors
/// The errors of [`Items::open`].
pub(super) fn open(
    source: &Source,
    _layers: &LayerChoice,
    limits: Limits,
) -> Result<Box<dyn Records>> {
    Ok(Box::new(Documents {
        items: Items::open(source, limits, WHAT)?.or_lines(),
        ends: Ends::default(),
        unnamed: 0,
    }))
}

/// The documents of a file.
struct Documents {
    items: Items,
    ends: Ends,
    /// Number of spans with values after the label.
    unnamed: u64,
}

/// Evidence about the ends of spans.
#[derive(Default)]
struct Ends {
    /// Number of documents so far.
    documents: u64,
    /// Number of spans whose end is the number of tokens.
    behind: u64,
    /// Number of the first document with such a span, from 1.
    first: u64,
    /// Whether there is a span of a single token, if ends are inclusive.
    single: bool,
}

impl Ends {
    /// Notes the bounds of a span in a document with `tokens` tokens.
    fn note(&mut self, start: i64, end: i64, tokens: usize) {
        self.single |= start == end;
        if end == tokens as i64 && start < end {
            self.behind += 1;
            if self.first == 0 {
                self.first = self.documents;
            }
        }
    }
}

impl Records for Documents {
    /// Reads the next record; None at the end.
    ///
    /// # Errors
    /// [`Code::BadDocument`](crate::Code::BadDocument) with line and column for a record without the expected structure, and
    /// for a record without tokens or spans; the errors of [`Items::next`].
    fn next(&mut self) -> Result<Option<Document>> {
        let Some((from, item)) = self.items.next()? else {
            return Ok(None);
        };
        let record: Record<'_> =
            serde_json::from_str(item).map_err(|error| json::error_from(&from, WHAT, &error))?;
        self.ends.documents += 1;
        let (mut document, spans) = record.document(item, &from)?;
        let tokens: Vec<(u32, u32)> = document
            .annotations
            .iter()
            .map(|token| (token.start, token.end))
            .collect();
        for span in spans {
            self.ends.note(span.start, span.end, tokens.len());
            self.unnamed += u64::from(span.has_more);
            add(&mut document, &tokens, &span);
        }
        Ok(Some(document))
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices = Vec::new();
        let Ends { behind, first, .. } = self.ends;
        if behind > 0 && !self.ends.single {
            notices.push(format!(
                "ends are probably exclusive, but this format has inclusive ends; subtract 1 from each end: there \
                 are spans that end at the number of tokens (spans: {behind}, first: document {first}), and no \
                 spans of a single token"
            ));
        }
        if self.unnamed > 0 {
            let number = self.unnamed;
            notices.push(format!(
                "values after the label are not read (spans: {number})"
            ));
        }
        notices
    }
}

/// Adds a span with an annotation for each label.
fn add(document: &mut Document, tokens: &[(u32, u32)], span: &Span<'_>) {
    let token = |at: i64| tokens.get(usize::try_from(at).ok()?);
    let bounds = token(span.start).zip(token(span.end));
    match bounds.filter(|_| span.start <= span.end) {
        Some((&(start, _), &(_, end))) => {
            for label in &span.labels {
                let ty = document.intern(label);
                document.push(ty, start, end);
                for (name, value) in &span.attributes {
                    document.add_attribute(name, value.clone());
                }
            }
        }
        None => {
            let number = tokens.len();
            document.leave_out(|| {
                let labels = json::excerpt(&span.labels.join(", "), 40);
                let why = match span.start > span.end {
                    true => "ends before it begins".to_owned(),
                    false => format!("reaches beyond the {number} tokens"),
                };
                format!("{labels} from token {} to {} {why}", span.start, span.end)
            });
        }
    }
}

/// Returns a text of tokens joined by spaces, with an annotation for each token.
fn text_of<'a>(tokens: impl Iterator<Item = &'a str>) -> Document {
    let mut document = Document::default();
    let ty = document.intern(TOKEN);
    let mut at = 0;
    for (number, token) in tokens.enumerate() {
        if number > 0 {
            document.text.push(' ');
            at += 1;
        }
        let end = at + token.chars().count() as u32;
        document.text.push_str(token);
        document.push(ty, at, end);
        at = end;
    }
    document
}

#[cfg(test)]
mod tests;
