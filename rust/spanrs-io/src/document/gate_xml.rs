//! GATE's XML, of GATE 2 to 9.
//!
//! ```xml
//! <GateDocument version="3">
//! <GateDocumentFeatures><Feature><Name className="java.lang.String">gate.SourceURL</Name>
//! <Value className="java.lang.String">file:/corpus/bob.txt</Value></Feature></GateDocumentFeatures>
//! <TextWithNodes><Node id="0"/>Bob<Node id="3"/> ate</TextWithNodes>
//! <AnnotationSet Name="Key"><Annotation Id="1" Type="Person" StartNode="0" EndNode="3">
//! <Feature><Name className="java.lang.String">sure</Name>
//! <Value className="java.lang.Boolean">true</Value></Feature></Annotation></AnnotationSet>
//! <RelationSet Name="Key"><Relation Id="2" Type="coref" Members="1;1"><UserData></UserData>
//! </Relation></RelationSet></GateDocument>
//! ```
//!
//! | in the file | in the document |
//! |---|---|
//! | feature `id` of the document | id |
//! | feature `gate.SourceURL` | name: the part behind the last slash; also metadata, unless it is only the name |
//! | other features of the document | metadata |
//! | annotation set | layer; the default set is a layer without a name |
//! | annotation of type `Token` | token |
//! | annotation of any other type (`SpaceToken`, `Sentence`, `Split`, `Lookup`, ...) | annotation |
//! | features of an annotation | attributes, with their types |
//! | relation | relations from the first member to each of the others |
//! | features and user data of a relation | left out with a report |
//! | ids of annotations and relations | not read |
//!
//! A document with the default set only has no layers. Annotations refer to nodes by id; the position
//! of the node in the text is the offset, even if its id, which usually is the offset in UTF-16 code
//! units, is another number. Annotations whose node does not exist are left out with a report, unless
//! the text has no nodes, in which case ids are offsets in UTF-16 code units.
//!
//! If no set is selected, the default set is read if it has annotations other than those of GATE's
//! tokeniser and sentence splitter; otherwise the only other set, apart from `Original markups`.
//! If there are several, the file is rejected, with a list of the sets. An empty name selects the
//! default set.
//!
//! Classes of values other than text, numbers, booleans and collections of these are read as text.
//! Collections and maps are stored by XStream ([`xstream`]), in older versions as a list with
//! semicolons.
//!
//! Source: <https://gate.ac.uk/sale/tao/splitch5.html>, and GATE's `DocumentStaxUtils`.

mod sets;
mod write;
mod xstream;

use std::ops::Range;

use quick_xml::events::BytesStart;
use serde_json::{Number, Value};
use spanrs_base::{Interner, Limits};

pub(super) use write::Writer;

use super::annotated_text::Document;
use super::annotators::LayerChoice;
use super::xml_stream::{Part, Values, XmlStream, tag};
use crate::error::{Code, Error, Result};

/// Type of GATE's tokens.
const GATE_TOKEN: &str = "Token";
/// Feature with the id of a document.
const ID: &str = "id";
/// Feature with the place from which GATE read a document.
const SOURCE: &str = "gate.SourceURL";
/// Class of values that are stored by XStream.
const WRAPPER: &str = "gate.corpora.ObjectWrapper";
/// Class of text.
const STRING: &str = "java.lang.String";

/// Reads the document of a file. `name` is the name of the file in messages.
///
/// # Errors
/// The errors of [`XmlStream::next`]; [`Code::WrongFormat`] for another root element;
/// [`Code::BadDocument`] for a file without text, malformed annotations, and annotation sets of
/// which none is selected.
pub(super) fn read(name: &str, text: &str, sets: &LayerChoice, limits: Limits) -> Result<Document> {
    let mut parser = Parser {
        xml: XmlStream::open(name, text.as_bytes(), limits)?,
        values: Values::default(),
        names: Interner::default(),
        features: Vec::new(),
        limits,
    };
    let content = parser.content()?;
    sets::document(name, content, sets)
}

/// A feature: number of the name in [`Content::names`], and value.
type Feature = (u32, Value);

/// The content of a file.
#[derive(Default)]
struct Content {
    /// Types and names of features.
    names: Interner<str>,
    /// Features of the document and of all annotations.
    features: Vec<Feature>,
    /// Indices of the features of the document.
    of_document: Range<usize>,
    text: String,
    nodes: Nodes,
    sets: Vec<Set>,
    relations: Vec<Relation>,
}

/// Nodes of the text: id, and offset in code points.
#[derive(Default)]
struct Nodes {
    /// Ascending ids, after [`Nodes::sort`].
    all: Vec<(i64, u32)>,
}

impl Nodes {
    /// Sorts the nodes by id. Of several nodes with an id the last is kept.
    fn sort(&mut self) {
        if !self.all.is_sorted_by(|one, next| one.0 < next.0) {
            self.all.reverse();
            self.all.sort_by_key(|node| node.0);
            self.all.dedup_by_key(|node| node.0);
        }
    }

    /// Returns the offset of a node.
    fn offset(&self, id: i64) -> Option<u32> {
        let at = self.all.binary_search_by_key(&id, |node| node.0).ok()?;
        Some(self.all[at].1)
    }
}

/// An annotation set.
#[derive(Default)]
struct Set {
    /// None for the default set.
    name: Option<String>,
    annotations: Vec<GateAnnotation>,
}

/// An annotation as in the file.
struct GateAnnotation {
    id: Option<i64>,
    /// Number of the type in [`Content::names`].
    ty: u32,
    start: i64,
    end: i64,
    /// Indices of the features in [`Content::features`].
    features: Range<usize>,
}

/// A relation as in the file.
struct Relation {
    id: String,
    ty: String,
    /// Ids of annotations or relations.
    members: Vec<i64>,
    /// Whether the relation has features or user data.
    has_features: bool,
}

/// Parses a file.
struct Parser<'a> {
    xml: XmlStream<&'a [u8]>,
    /// The attributes of the last child in [`ELEMENTS`].
    values: Values<4>,
    /// Types and names of features.
    names: Interner<str>,
    /// All features so far.
    features: Vec<Feature>,
    limits: Limits,
}

/// The elements of GATE's XML, with the attributes that are read.
const ELEMENTS: [(&str, [&str; 4]); 12] = [
    ("GateDocument", [""; 4]),
    ("GateDocumentFeatures", [""; 4]),
    ("TextWithNodes", [""; 4]),
    ("Node", ["id", "", "", ""]),
    ("AnnotationSet", ["Name", "", "", ""]),
    ("Annotation", ["Id", "Type", "StartNode", "EndNode"]),
    ("Feature", [""; 4]),
    ("Name", ["className", "itemClassName", "", ""]),
    ("Value", ["className", "itemClassName", "", ""]),
    ("RelationSet", ["Name", "", "", ""]),
    ("Relation", ["Id", "Type", "Members", ""]),
    ("UserData", [""; 4]),
];

/// Reads a start tag, and returns the name of the element.
///
/// # Errors
/// A message for malformed attributes, and for elements that do not belong to GATE's XML.
fn element(
    start: &BytesStart<'_>,
    values: &mut Values<4>,
) -> std::result::Result<&'static str, String> {
    let tag = tag(start);
    let Some((name, wanted)) = ELEMENTS.iter().find(|(name, _)| *name == tag) else {
        return Err(format!("<{tag}> is not an element of GATE's XML"));
    };
    values.read(start, *wanted)?;
    Ok(name)
}

/// Parses a whole number.
fn number(text: Option<&str>) -> Option<i64> {
    text?.trim().parse().ok()
}

impl Parser<'_> {
    /// Reads the next child of the current element, and returns its name; None at its end. Text
    /// between children must be white space, except if `text` is given, to which it is appended.
    fn child(&mut self, mut text: Option<&mut String>) -> Result<Option<&'static str>> {
        loop {
            let found = match self.xml.next()? {
                Part::Start(start) => element(&start, &mut self.values),
                Part::End => return Ok(None),
                Part::Text(part) => match text.as_mut() {
                    Some(text) => {
                        text.push_str(&part);
                        continue;
                    }
                    None if part.trim().is_empty() => continue,
                    None => Err("text between elements".to_owned()),
                },
                Part::Character(character) => match text.as_mut() {
                    Some(text) => {
                        text.push(character);
                        continue;
                    }
                    None => Err("text between elements".to_owned()),
                },
                Part::Other => continue,
                Part::Eof => Err("the file is truncated".to_owned()),
            };
            return match found {
                Ok(name) => Ok(Some(name)),
                Err(message) => Err(self.xml.error(message)),
            };
        }
    }

    /// Reads the whole file.
    fn content(&mut self) -> Result<Content> {
        loop {
            let name = match self.xml.next()? {
                Part::Start(start) => tag(&start).to_owned(),
                _ => continue,
            };
            if name == "GateDocument" {
                break;
            }
            let message =
                format!("the root element is <{name}>, not <GateDocument>; this is not GATE's XML");
            return Err(Error::new(Code::WrongFormat, self.xml.position(), message));
        }
        let mut content = Content::default();
        let mut has_text = false;
        while let Some(name) = self.child(None)? {
            match name {
                "GateDocumentFeatures" => content.of_document = self.features()?,
                "TextWithNodes" if has_text => {
                    return Err(self.xml.error("a second <TextWithNodes>"));
                }
                "TextWithNodes" => {
                    has_text = true;
                    self.text(&mut content)?;
                }
                "AnnotationSet" => {
                    let set_name = self.values.get(0).filter(|name| !name.is_empty());
                    let set_name = set_name.map(str::to_owned);
                    let set = self.set(set_name)?;
                    let earlier = content
                        .sets
                        .iter_mut()
                        .find(|earlier| earlier.name == set.name);
                    match earlier {
                        Some(earlier) => earlier.annotations.extend(set.annotations),
                        None => content.sets.push(set),
                    }
                }
                "RelationSet" => self.relations(&mut content.relations)?,
                other => {
                    let message = format!("<{other}> is not expected here");
                    return Err(self.xml.error(message));
                }
            }
        }
        if !has_text {
            return Err(self.xml.error("there is no <TextWithNodes>"));
        }
        while !matches!(self.xml.next()?, Part::Eof) {}
        content.names = std::mem::take(&mut self.names);
        content.features = std::mem::take(&mut self.features);
        Ok(content)
    }

    /// Reads the text and the positions of its nodes.
    fn text(&mut self, content: &mut Content) -> Result<()> {
        let (mut characters, mut bytes) = (0_usize, 0);
        while let Some(name) = self.child(Some(&mut content.text))? {
            let id = number(self.values.get(0));
            let (Some(id), "Node") = (id, name) else {
                let message = "the text may only contain nodes with a whole number as id";
                return Err(self.xml.error(message));
            };
            let part = content.text.get(bytes..).unwrap_or_default();
            characters += part.chars().count();
            bytes = content.text.len();
            let offset = u32::try_from(characters).unwrap_or(u32::MAX);
            content.nodes.all.push((id, offset));
            self.xml.skip()?;
        }
        content.nodes.sort();
        Ok(())
    }

    /// Reads an annotation set.
    fn set(&mut self, name: Option<String>) -> Result<Set> {
        let mut annotations = Vec::new();
        while let Some(name) = self.child(None)? {
            let ty = self.values.get(1);
            let [id, start, end] = [0, 2, 3].map(|at| number(self.values.get(at)));
            let complete = (name, ty, start, end);
            let ("Annotation", Some(ty), Some(start), Some(end)) = complete else {
                let message = "expected <Annotation> with Type, StartNode and EndNode, of which the \
                               nodes are whole numbers";
                return Err(self.xml.error(message));
            };
            let ty = self.names.intern(ty);
            annotations.push(GateAnnotation {
                id,
                ty,
                start,
                end,
                features: self.features()?,
            });
        }
        Ok(Set { name, annotations })
    }

    /// Reads the relations of an annotation set.
    fn relations(&mut self, relations: &mut Vec<Relation>) -> Result<()> {
        while let Some(name) = self.child(None)? {
            let [id, ty, members] = [0, 1, 2].map(|at| self.values.get(at));
            let [id, ty] = [id, ty].map(|text| text.map(str::to_owned));
            let members = members.unwrap_or_default();
            let members = members
                .split(';')
                .map(|member| member.trim().parse::<i64>());
            let members: std::result::Result<Vec<i64>, _> = members.collect();
            let (Some(ty), Ok(members), "Relation") = (ty, members, name) else {
                let message = "expected <Relation> with Type and Members, whole numbers separated \
                               by semicolons";
                return Err(self.xml.error(message));
            };
            let mut has_features = false;
            while let Some(name) = self.child(None)? {
                if name == "UserData" {
                    let mut data = String::new();
                    self.xml.read_text(&mut data)?;
                    has_features |= !data.is_empty();
                } else {
                    has_features = true;
                    self.xml.skip()?;
                }
            }
            relations.push(Relation {
                id: id.unwrap_or_default(),
                ty,
                members,
                has_features,
            });
        }
        Ok(())
    }

    /// Reads the features of an annotation or of the document, up to the end of the element, and
    /// returns their indices.
    fn features(&mut self) -> Result<Range<usize>> {
        let first = self.features.len();
        let mut key = String::new();
        while let Some(name) = self.child(None)? {
            if name != "Feature" {
                let message = format!("expected <Feature>, found <{name}>");
                return Err(self.xml.error(message));
            }
            let (mut number, mut value) = (None, Value::Null);
            while let Some(name) = self.child(None)? {
                let mut text = String::new();
                match name {
                    "Name" => {
                        key.clear();
                        self.xml.read_text(&mut key)?;
                        number = Some(self.names.intern(&key));
                    }
                    "Value" => {
                        self.xml.read_text(&mut text)?;
                        let types = [0, 1].map(|at| self.values.get(at).unwrap_or(STRING));
                        value = typed(types, text, self.limits);
                    }
                    _ => {
                        self.xml.read_text(&mut text)?;
                        return Err(self.xml.error("a feature consists of <Name> and <Value>"));
                    }
                }
            }
            let Some(number) = number else {
                return Err(self.xml.error("a feature without <Name>"));
            };
            self.features.push((number, value));
        }
        Ok(first..self.features.len())
    }
}

/// Converts a value of a Java class, whose items are of another class if it is a collection. Text
/// that is no value of the class stays text.
fn typed([class, items]: [&str; 2], text: String, limits: Limits) -> Value {
    let short = class.rsplit('.').next().unwrap_or(class);
    let is_collection = ["List", "Set", "Vector", "Collection"]
        .iter()
        .any(|ending| short.ends_with(ending));
    if class == STRING {
        Value::String(text)
    } else if class == WRAPPER {
        xstream::unwrap(&text, limits).unwrap_or(Value::String(text))
    } else if class.starts_with("java.util.") && is_collection {
        let parts = text.split(';').filter(|part| !part.is_empty());
        let short = items.rsplit('.').next().unwrap_or(items);
        let values = parts.map(|part| scalar(short, part).unwrap_or_else(|| part.into()));
        Value::Array(values.collect())
    } else {
        scalar(short, &text).unwrap_or(Value::String(text))
    }
}

/// Converts a number or a boolean; `class` is the name of a Java class without its package, or a
/// name that XStream uses. None for other classes and malformed values.
fn scalar(class: &str, text: &str) -> Option<Value> {
    let text = text.trim();
    match class {
        "Integer" | "Long" | "Short" | "Byte" | "BigInteger" | "int" | "long" | "short"
        | "byte" | "big-int" => {
            let number = text.parse::<i64>().map(Number::from);
            let number = number.or_else(|_| text.parse::<u64>().map(Number::from));
            number.ok().map(Value::Number)
        }
        "Double" | "Float" | "BigDecimal" | "double" | "float" | "big-decimal" => {
            Number::from_f64(text.parse().ok()?).map(Value::Number)
        }
        "Boolean" | "boolean" => Some(Value::Bool(text.eq_ignore_ascii_case("true"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
