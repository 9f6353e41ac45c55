//! Writing of BioC's XML.

use serde_json::{Map, Value};

use super::super::annotated_text::Document;
use super::super::bioc::{self, Infons, Link, Passage, Record, Span};
use super::super::losses::Losses;
use super::super::write::WriteFormat;
use super::super::xml_stream::escape;

/// Writes a collection in BioC's XML.
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
        let mut xml = Xml::new(out);
        match &self.collection {
            None => {
                let facts = facts.cloned().unwrap_or_default();
                xml.begin(&facts, losses);
                self.collection = Some(facts);
            }
            Some(first) => {
                let differs = facts.is_some_and(|facts| facts != first);
                losses.add(
                    "collections of documents that differ from that of the first",
                    usize::from(differs),
                );
            }
        }
        let record = bioc::record(document, false, losses);
        xml.document(&record);
        losses.add(
            "characters that XML does not allow, replaced by spaces",
            xml.replaced,
        );
        losses.add("metadata values that are written as text", xml.converted);
        Ok(())
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        if self.collection.is_none() {
            Xml::new(out).begin(&Map::new(), &mut Losses::default());
        }
        out.extend_from_slice(b"</collection>\n");
    }
}

/// Appends XML.
struct Xml<'a> {
    out: &'a mut Vec<u8>,
    /// Number of characters that XML does not allow.
    replaced: usize,
    /// Number of values that are not text.
    converted: usize,
}

impl<'a> Xml<'a> {
    fn new(out: &'a mut Vec<u8>) -> Self {
        Self {
            out,
            replaced: 0,
            converted: 0,
        }
    }

    /// Appends markup.
    fn raw(&mut self, markup: &str) {
        self.out.extend_from_slice(markup.as_bytes());
    }

    /// Appends an element with text only.
    fn text(&mut self, element: &str, text: &str) {
        self.raw("<");
        self.raw(element);
        self.raw(">");
        self.replaced += escape(text, false, self.out);
        self.raw("</");
        self.raw(element);
        self.raw(">");
    }

    /// Appends an attribute.
    fn attribute(&mut self, name: &str, value: &str) {
        self.raw(" ");
        self.raw(name);
        self.raw("=\"");
        self.replaced += escape(value, true, self.out);
        self.raw("\"");
    }

    /// Appends an infon. A list of texts becomes several infons with the same key, because that is
    /// what such infons are read as.
    fn infon(&mut self, key: &str, value: &Value) {
        let text = match value {
            Value::String(text) => text,
            Value::Array(values) if values.len() > 1 && values.iter().all(Value::is_string) => {
                for value in values {
                    self.infon(key, value);
                }
                return;
            }
            value => {
                self.converted += 1;
                &match value {
                    Value::Null => String::new(),
                    other => other.to_string(),
                }
            }
        };
        self.raw("<infon");
        self.attribute("key", key);
        self.raw(">");
        self.replaced += escape(text, false, self.out);
        self.raw("</infon>");
    }

    fn infons(&mut self, infons: &Infons) {
        for (key, value) in &infons.0 {
            self.infon(key, value);
        }
    }

    /// Appends the beginning of a collection.
    fn begin(&mut self, facts: &Map<String, Value>, losses: &mut Losses) {
        self.raw(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <!DOCTYPE collection SYSTEM \"BioC.dtd\">\n<collection>",
        );
        for name in ["source", "date", "key"] {
            let value = facts.get(name).and_then(Value::as_str);
            self.text(name, value.unwrap_or_default());
        }
        let mut further = 0;
        for (name, value) in facts {
            match (name.as_str(), value) {
                ("source" | "date" | "key", Value::String(_)) => {}
                ("infons", Value::Object(infons)) => {
                    for (key, value) in infons {
                        self.infon(key, value);
                    }
                }
                _ => further += 1,
            }
        }
        losses.add(
            "facts of collections other than source, date, key and infons",
            further,
        );
        self.raw("\n");
    }

    fn document(&mut self, record: &Record) {
        self.raw("<document>");
        self.text("id", &record.id);
        self.infons(&record.infons);
        self.raw("\n");
        for passage in &record.passages {
            self.passage("passage", passage);
        }
        for relation in &record.relations {
            self.relation(relation);
        }
        self.raw("</document>\n");
    }

    fn passage(&mut self, element: &str, passage: &Passage) {
        self.raw("<");
        self.raw(element);
        self.raw(">");
        self.infons(&passage.infons);
        self.text("offset", &passage.offset.0.to_string());
        if let Some(text) = &passage.text {
            self.text("text", text);
        }
        self.raw("\n");
        for sentence in passage.sentences.iter().flatten() {
            self.passage("sentence", sentence);
        }
        for annotation in &passage.annotations {
            self.annotation(annotation);
        }
        self.raw("</");
        self.raw(element);
        self.raw(">\n");
    }

    fn annotation(&mut self, span: &Span) {
        self.raw("<annotation");
        self.attribute("id", &span.id);
        self.raw(">");
        self.infons(&span.infons);
        for location in &span.locations {
            self.raw("<location");
            self.attribute("offset", &location.offset.0.to_string());
            self.attribute("length", &location.length.0.to_string());
            self.raw("/>");
        }
        self.text("text", span.text.as_deref().unwrap_or_default());
        self.raw("</annotation>\n");
    }

    fn relation(&mut self, relation: &Link) {
        self.raw("<relation");
        self.attribute("id", &relation.id);
        self.raw(">");
        self.infons(&relation.infons);
        for node in &relation.nodes {
            self.raw("<node");
            self.attribute("refid", &node.refid);
            self.attribute("role", &node.role);
            self.raw("/>");
        }
        self.raw("</relation>\n");
    }
}
