//! BioC's XML.
//!
//! ```xml
//! <collection><source>PubMed</source><date>20240101</date><key>collection.key</key>
//! <document><id>10491763</id><passage><offset>0</offset><text>HNF-6 causes diabetes</text>
//! <annotation id="1"><infon key="type">Gene</infon><location offset="0" length="5"/>
//! <text>HNF-6</text></annotation></passage></document>
//! </collection>
//! ```
//!
//! See [`super::bioc`] for what becomes of the structures. The file is read as a stream, with one
//! document in memory. A document type that refers to `BioC.dtd` is allowed, and not followed; an
//! internal subset is rejected. Unknown elements are skipped, with a notice.
//!
//! Source: <https://bioc.sourceforge.net/BioC.dtd>.

mod write;

use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};

pub(super) use write::Writer;

use super::annotators::LayerChoice;
use super::bioc::{self, Count, Infons, Link, Location, Node, Passage, Record, Span, Structures};
use super::stream::Records;
use super::xml_stream::{Part, Values, XmlStream, tag};
use crate::compression::Input;
use crate::error::{Code, Error, Result};
use crate::source::Source;

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
        let input = source.decompressed(limits)?;
        Ok(Collection {
            xml: XmlStream::open(source.name(), input, limits)?,
            facts: Map::new(),
            begun: false,
            values: Values::default(),
            unknown: (0, String::new()),
            unknown_name: String::new(),
        })
    })
}

/// A collection that is being read.
struct Collection {
    xml: XmlStream<Input>,
    /// Facts of the collection.
    facts: Map<String, Value>,
    /// Whether the root element has been read.
    begun: bool,
    /// The attributes of the last child, see [`attributes_of`].
    values: Values<2>,
    /// Number of unknown elements, and the first of them.
    unknown: (u64, String),
    /// Name of the last child that does not belong to BioC.
    unknown_name: String,
}

/// What follows in an element.
enum Next {
    /// A child, with its name.
    Child(Child),
    /// The end of the element.
    End,
}

/// The elements of BioC.
const ELEMENTS: [&str; 14] = [
    "document",
    "passage",
    "sentence",
    "annotation",
    "relation",
    "infon",
    "location",
    "node",
    "text",
    "offset",
    "id",
    "source",
    "date",
    "key",
];

/// Name of a child element; empty for elements that do not belong to BioC.
type Child = &'static str;

/// Returns the attributes of an element that are read.
fn attributes_of(child: Child) -> [&'static str; 2] {
    match child {
        "infon" => ["key", ""],
        "annotation" | "relation" => ["id", ""],
        "location" => ["offset", "length"],
        "node" => ["refid", "role"],
        _ => ["", ""],
    }
}

impl Structures for Collection {
    fn next(&mut self) -> Result<Option<(Position, Record)>> {
        if !self.begun {
            self.begin()?;
        }
        loop {
            match self.child()? {
                Next::End => {
                    while !matches!(self.xml.next()?, Part::Eof) {}
                    return Ok(None);
                }
                Next::Child(child) => match child {
                    "document" => {
                        let at = self.xml.position();
                        self.xml.begin_record();
                        return Ok(Some((at, self.document()?)));
                    }
                    "source" | "date" | "key" => {
                        let text = self.text()?;
                        if !text.is_empty() {
                            self.facts.insert(child.to_owned(), Value::String(text));
                        }
                    }
                    "infon" => {
                        let key = self.value(0);
                        let text = Value::String(self.text()?);
                        let infons = self.facts.entry("infons");
                        let infons = infons.or_insert_with(|| Value::Object(Map::new()));
                        if let Some(infons) = infons.as_object_mut() {
                            infons.insert(key, text);
                        }
                    }
                    _ => self.unknown(child)?,
                },
            }
        }
    }

    fn collection(&self) -> &Map<String, Value> {
        &self.facts
    }

    fn name(&self) -> &str {
        self.xml.name()
    }

    fn notices(&self, notices: &mut Vec<String>) {
        let (number, first) = &self.unknown;
        let what = match number {
            0 => return,
            1 => "element that does not belong to BioC",
            _ => "elements that do not belong to BioC",
        };
        notices.push(format!("{number} {what}, not read (first: {first})"));
    }
}

impl Collection {
    /// Reads the start of the root element.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] for another root.
    fn begin(&mut self) -> Result<()> {
        loop {
            let name = match self.xml.next()? {
                Part::Start(start) => tag(&start).to_owned(),
                _ => continue,
            };
            if name != "collection" {
                let message =
                    format!("the root element is <{name}>, not <collection>; this is not BioC");
                return Err(Error::new(Code::WrongFormat, self.xml.position(), message));
            }
            self.begun = true;
            return Ok(());
        }
    }

    /// Reads the next child of the current element. Text between children must be white space.
    fn child(&mut self) -> Result<Next> {
        loop {
            let child = match self.xml.next()? {
                Part::Start(start) => {
                    let tag = tag(&start);
                    match ELEMENTS.iter().find(|name| **name == tag) {
                        Some(&name) => {
                            let read = self.values.read(&start, attributes_of(name));
                            read.map(|()| name)
                        }
                        None => {
                            tag.clone_into(&mut self.unknown_name);
                            Ok("")
                        }
                    }
                }
                Part::End => return Ok(Next::End),
                Part::Text(text) if !text.trim().is_empty() => {
                    Err("text between elements".to_owned())
                }
                Part::Character(_) => Err("text between elements".to_owned()),
                Part::Text(_) | Part::Other => continue,
                Part::Eof => Err("the file is truncated".to_owned()),
            };
            return match child {
                Ok(child) => Ok(Next::Child(child)),
                Err(message) => Err(self.xml.error(message)),
            };
        }
    }

    /// Returns an attribute of the last child; empty if it does not have it.
    fn value(&self, at: usize) -> String {
        self.values.get(at).unwrap_or_default().to_owned()
    }

    /// Reads the text of the current element.
    fn text(&mut self) -> Result<String> {
        let mut text = String::new();
        self.xml.read_text(&mut text)?;
        Ok(text)
    }

    /// Skips an unknown element.
    fn unknown(&mut self, child: Child) -> Result<()> {
        if self.unknown.0 == 0 {
            let (line, _) = self.xml.place();
            let shown = match child {
                "" => &*self.unknown_name,
                name => name,
            };
            self.unknown.1 = format!("<{}> on line {line}", super::json::excerpt(shown, 40));
        }
        self.unknown.0 += 1;
        self.xml.skip()
    }

    /// Reads an infon.
    fn infon(&mut self, infons: &mut Infons) -> Result<()> {
        let key = self.value(0);
        let text = self.text()?;
        infons.0.push((key, Value::String(text)));
        Ok(())
    }

    fn document(&mut self) -> Result<Record> {
        let mut record = Record::default();
        while let Next::Child(child) = self.child()? {
            match child {
                "id" => record.id = self.text()?,
                "infon" => self.infon(&mut record.infons)?,
                "passage" => record.passages.push(self.passage(false)?),
                "annotation" => record.annotations.push(self.annotation()?),
                "relation" => record.relations.push(self.relation()?),
                _ => self.unknown(child)?,
            }
        }
        Ok(record)
    }

    /// Reads a passage, or a sentence of a passage.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for a passage without a valid offset.
    fn passage(&mut self, is_sentence: bool) -> Result<Passage> {
        let begin = self.xml.place();
        let mut passage = Passage::default();
        let mut offset = None;
        while let Next::Child(child) = self.child()? {
            match child {
                "offset" => {
                    let at = self.xml.place();
                    let text = self.text()?;
                    offset = Some(self.count(&text, "offset", at)?);
                }
                "infon" => self.infon(&mut passage.infons)?,
                "text" => passage.text = Some(self.text()?),
                "sentence" if !is_sentence => {
                    let sentence = self.passage(true)?;
                    passage.sentences.get_or_insert_default().push(sentence);
                }
                "annotation" => passage.annotations.push(self.annotation()?),
                "relation" => passage.relations.push(self.relation()?),
                _ => self.unknown(child)?,
            }
        }
        let Some(offset) = offset else {
            let message = "a passage or a sentence without <offset>";
            return Err(self.xml.error_at(begin, message));
        };
        passage.offset = offset;
        Ok(passage)
    }

    fn annotation(&mut self) -> Result<Span> {
        let mut span = Span {
            id: self.value(0),
            ..Span::default()
        };
        while let Next::Child(child) = self.child()? {
            match child {
                "infon" => self.infon(&mut span.infons)?,
                "text" => span.text = Some(self.text()?),
                "location" => {
                    let at = self.xml.place();
                    let [offset, length] = [0, 1].map(|at| self.values.get(at).unwrap_or_default());
                    span.locations.push(Location {
                        offset: self.count(offset, "offset", at)?,
                        length: self.count(length, "length", at)?,
                    });
                    self.xml.skip()?;
                }
                _ => self.unknown(child)?,
            }
        }
        Ok(span)
    }

    fn relation(&mut self) -> Result<Link> {
        let mut link = Link {
            id: self.value(0),
            ..Link::default()
        };
        while let Next::Child(child) = self.child()? {
            match child {
                "infon" => self.infon(&mut link.infons)?,
                "node" => {
                    let [refid, role] = [0, 1].map(|at| self.value(at));
                    link.nodes.push(Node { refid, role });
                    self.xml.skip()?;
                }
                _ => self.unknown(child)?,
            }
        }
        Ok(link)
    }

    /// Parses an offset or a length of the element at a place.
    ///
    /// # Errors
    /// [`Code::BadDocument`] at the element.
    fn count(&self, digits: &str, what: &str, at: (u64, u64)) -> Result<Count> {
        Count::parse(digits).ok_or_else(|| {
            let shown = super::json::excerpt(digits, 40);
            let message = format!("{what} {shown:?} is not a whole number from 0");
            self.xml.error_at(at, message)
        })
    }
}

#[cfg(test)]
mod tests;
