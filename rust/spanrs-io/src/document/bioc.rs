//! The structures of BioC, and their conversion to documents and back.
//!
//! BioC is a collection of documents. A document consists of passages, possibly divided into
//! sentences, with annotations and relations. Facts of any of these are named values (infons). The
//! same structures are stored as XML ([`super::bioc_xml`]) and as JSON ([`super::bioc_json`]).
//!
//! | in the file | in the document |
//! |---|---|
//! | `id` of the document; its infon `name` | id; name |
//! | other infons of the document, further keys in JSON | metadata |
//! | texts of passages or sentences at their offsets | text; gaps are filled |
//! | offsets, lengths and infons of passages and sentences | metadata `passages` |
//! | source, date, key, infons of the collection | metadata `collection`, in every document |
//! | infon `type` of an annotation | type |
//! | infon `annotator` of an annotation | layer; no layers if no annotation has one |
//! | other infons of an annotation | attributes |
//! | `id` of an annotation | attribute `id`, unless it is the number of the annotation from 1 |
//! | locations of an annotation | start and end; pieces if there are several |
//! | relation with nodes | relations from the first node to each of the others; type: infon `type` |
//! | id, roles and other infons of a relation | not read; roles and infons with a notice |
//!
//! Gaps between passages are filled by a line feed, followed by spaces if the gap is longer, and
//! gaps between sentences by spaces, so that offsets in the file are offsets in the text. Passages
//! that overlap or are not in order are an error. A single passage without infons that is the whole
//! text is not stored in the metadata.
//!
//! Offsets refer to the document. Most collections count code points, but some count UTF-16 code
//! units or bytes. The unit of a document is the first that agrees with the largest number of
//! texts that the annotations quote; a notice names units other than code points. An annotation
//! whose text differs is left out with a report.
//!
//! Relations refer to annotations by id; relations with less than two nodes or with unknown nodes
//! are left out with a report. Roles determine the order of nodes if all of them are `arg` with a
//! number, and are otherwise not read. Relations with the infons `role1` and `role2` (PubTator 3) or
//! `entity1` and `entity2` (BioRED) refer to concepts, and become relations between the first
//! annotations with these concepts in the infon `identifier`.
//!
//! Source: <https://bioc.sourceforge.net>, <https://github.com/yfpeng/bioc>.

mod passages;
mod read;
mod relations;
mod write;

use std::fmt;

use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spanrs_base::Position;

use super::annotated_text::Document;
use super::annotators::{Annotators, LayerChoice};
use super::stream::Records;
use crate::error::Result;
use read::{Converter, Wanted};

pub(super) use write::{collection, record};

/// Infon with the type of an annotation or a relation.
pub(super) const TYPE: &str = "type";
/// Infon with the name of the annotator of an annotation.
pub(super) const ANNOTATOR: &str = "annotator";
/// Infon with the name of a document.
const NAME: &str = "name";
/// Attribute with the id of an annotation.
const ID: &str = "id";
/// Metadata with the passages of a document.
const PASSAGES: &str = "passages";
/// Metadata with the facts of the collection.
const COLLECTION: &str = "collection";

/// Returns true for metadata that describe the structure of a document or its collection.
pub(super) fn is_structure(name: &str) -> bool {
    matches!(name, PASSAGES | COLLECTION)
}

/// Named values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Infons(pub(super) Vec<(String, Value)>);

impl Infons {
    /// Removes the first value with a name, and returns it.
    fn take(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    /// Converts the values to an object. Values of the same name become a list.
    fn into_object(self) -> Map<String, Value> {
        let mut object = Map::new();
        for (name, value) in self.0 {
            match object.get_mut(&name) {
                None => {
                    object.insert(name, value);
                }
                Some(Value::Array(values)) => values.push(value),
                Some(other) => {
                    let first = other.take();
                    *other = Value::Array(vec![first, value]);
                }
            }
        }
        object
    }
}

impl<'de> Deserialize<'de> for Infons {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Infons;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with infons")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Infons, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Infons(pairs))
            }
            fn visit_unit<E>(self) -> std::result::Result<Infons, E> {
                Ok(Infons::default())
            }
        }
        deserializer.deserialize_any(Pairs)
    }
}

impl Serialize for Infons {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// An offset or a length: a whole number from 0, possibly in quotes. Numbers that are too large for
/// the type become the maximum of the type, which is beyond any text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Count(pub(super) u32);

impl Count {
    /// Parses decimal digits.
    pub(super) fn parse(digits: &str) -> Option<Self> {
        let digits = digits.trim_matches([' ', '\t', '\n']);
        let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        number.then(|| Self(digits.parse().unwrap_or(u32::MAX)))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Count;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an offset: a whole number from 0")
            }
            fn visit_u64<E>(self, number: u64) -> std::result::Result<Count, E> {
                Ok(Count(u32::try_from(number).unwrap_or(u32::MAX)))
            }
            fn visit_str<E: serde::de::Error>(self, digits: &str) -> std::result::Result<Count, E> {
                let wrong = || E::invalid_value(serde::de::Unexpected::Str(digits), &self);
                Count::parse(digits).ok_or_else(wrong)
            }
        }
        deserializer.deserialize_any(Whole)
    }
}

/// An id: text or a number.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> std::result::Result<String, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(super::json::id(&value).unwrap_or_default())
}

/// A value for which null is the default.
fn nullable<'de, T: Default + Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// A document.
#[derive(Debug, Default, Serialize)]
pub(super) struct Record {
    /// `BioCDocument`, in JSON only.
    pub(super) bioctype: &'static str,
    pub(super) id: String,
    pub(super) infons: Infons,
    pub(super) passages: Vec<Passage>,
    /// Annotations that are not in a passage.
    pub(super) annotations: Vec<Span>,
    /// Relations that are not in a passage.
    pub(super) relations: Vec<Link>,
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Record;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a document: an object with \"id\" and \"passages\"")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Record, A::Error> {
                let mut record = Record::default();
                let mut passages: Option<Option<Vec<Passage>>> = None;
                let mut further = Vec::new();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "id" => {
                            let id = super::json::id(&map.next_value()?);
                            record.id = id.unwrap_or_default();
                        }
                        "infons" => record.infons = map.next_value()?,
                        "passages" => passages = Some(map.next_value()?),
                        "annotations" => {
                            record.annotations = map.next_value::<Option<_>>()?.unwrap_or_default();
                        }
                        "relations" => {
                            record.relations = map.next_value::<Option<_>>()?.unwrap_or_default();
                        }
                        "bioctype" => {
                            map.next_value::<IgnoredAny>()?;
                        }
                        _ => further.push((key, map.next_value()?)),
                    }
                }
                let Some(passages) = passages else {
                    return Err(A::Error::custom("there is no \"passages\""));
                };
                record.passages = passages.unwrap_or_default();
                record.infons.0.extend(further);
                Ok(record)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A passage, or a sentence of a passage.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(expecting = "an object with \"offset\" and \"text\"")]
pub(super) struct Passage {
    /// `BioCPassage` or `BioCSentence`, in JSON only.
    #[serde(skip_deserializing)]
    pub(super) bioctype: &'static str,
    pub(super) offset: Count,
    #[serde(default)]
    pub(super) infons: Infons,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// None for a sentence that is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) sentences: Option<Vec<Passage>>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) annotations: Vec<Span>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) relations: Vec<Link>,
}

/// An annotation.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(expecting = "an object with \"locations\"")]
pub(super) struct Span {
    #[serde(default, deserialize_with = "id")]
    pub(super) id: String,
    #[serde(default)]
    pub(super) infons: Infons,
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) locations: Vec<Location>,
}

/// A location of an annotation.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(expecting = "an object with \"offset\" and \"length\"")]
pub(super) struct Location {
    pub(super) offset: Count,
    pub(super) length: Count,
}

/// A relation.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(expecting = "an object with \"nodes\"")]
pub(super) struct Link {
    #[serde(default, deserialize_with = "id")]
    pub(super) id: String,
    #[serde(default)]
    pub(super) infons: Infons,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) nodes: Vec<Node>,
}

/// An annotation in a relation.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(expecting = "an object with \"refid\" and \"role\"")]
pub(super) struct Node {
    #[serde(deserialize_with = "id")]
    pub(super) refid: String,
    #[serde(default, deserialize_with = "nullable")]
    pub(super) role: String,
}

/// Reads the structures of a file.
pub(super) trait Structures: Send {
    /// Returns the next document and its position; None at the end.
    fn next(&mut self) -> Result<Option<(Position, Record)>>;

    /// Returns the facts of the collection with the last document.
    fn collection(&self) -> &Map<String, Value>;

    /// Returns the name of the file.
    fn name(&self) -> &str;

    /// Appends what users should know.
    fn notices(&self, _notices: &mut Vec<String>) {}
}

/// The documents of a file.
struct Documents<S> {
    structures: S,
    converter: Converter,
}

/// Reads the documents of a file; `open` opens it. If the annotator is given by a number, the file
/// is opened twice, to find out first whether the number is a name.
///
/// # Errors
/// The errors of `open`, and for an annotator given by number, the errors of the documents.
pub(super) fn documents<S: Structures + 'static>(
    choice: &LayerChoice,
    open: impl Fn() -> Result<S>,
) -> Result<Box<dyn Records>> {
    let wanted = match choice {
        LayerChoice::Sole => Wanted::Sole,
        LayerChoice::All | LayerChoice::Project => Wanted::All,
        LayerChoice::Named(name) if !choice.is_number() => Wanted::Named(name.clone()),
        LayerChoice::Named(name) => {
            let mut structures = open()?;
            let mut names = Annotators::default();
            while let Some((_, record)) = structures.next()? {
                read::add_annotators(&record, &mut names);
            }
            let place = names.place(name).or_else(|| names.numbered(name));
            let place = place.ok_or_else(|| names.missing(structures.name(), name))?;
            Wanted::Named(names.names()[place].clone())
        }
    };
    Ok(Box::new(Documents {
        structures: open()?,
        converter: Converter::new(wanted),
    }))
}

impl<S: Structures> Records for Documents<S> {
    fn next(&mut self) -> Result<Option<Document>> {
        while let Some((at, record)) = self.structures.next()? {
            let collection = self.structures.collection();
            if let Some(document) = self.converter.convert(record, collection, &at)? {
                return Ok(Some(document));
            }
        }
        self.converter.check_annotator(self.structures.name())?;
        Ok(None)
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices = Vec::new();
        self.structures.notices(&mut notices);
        self.converter.notices(&mut notices);
        notices
    }
}

#[cfg(test)]
mod tests;
