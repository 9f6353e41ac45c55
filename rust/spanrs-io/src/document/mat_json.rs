//! MAT's JSON format, versions 1 and 2.
//!
//! ```json
//! {"version": 2, "signal": "Bob ate", "asets": [
//!   {"type": "lex", "hasID": false, "hasSpan": true, "attrs": [], "annots": [[0, 3], [4, 7]]},
//!   {"type": "PERSON", "attrs": [{"name": "sex", "type": "string"}], "annots": [[0, 3, "m"]]}]}
//! ```
//!
//! The text is `signal`; offsets count its code points, ends exclusive. Each set in `asets`
//! contains the annotations of one type: rows of start, end, an id if `hasID` is true, and values
//! in the order of `attrs`. Trailing values may be omitted. Unknown keys are skipped. In version 1,
//! an attribute consists only of its name. Values keep their types; null means that there is no
//! value. The members of `metadata` are the metadata of the document.
//!
//! The value of an attribute of type `annotation` is the id of another annotation, or a list of
//! ids. Each id is read as a relation with the name of the attribute, and not as an attribute,
//! because ids are valid only in their file. Sets without spans (`hasSpan` is false) are left out
//! with a report, as are relations to annotations that were not read.
//!
//! Keys may occur in any order, so rows are kept as raw JSON, without copying, until their set is
//! complete. Most rows consist of two numbers, because tokens make up the bulk of a document; a set
//! with only such rows is parsed by a specialised function ([`push_pairs`]), any other set by
//! serde. Time is linear in the size of the file; memory is needed for the document and for the
//! rows of one set.
//!
//! Source: <https://mat-annotation.sourceforge.net/current_docs/html/mat_json_format.html>.

mod write;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use spanrs_base::Position;

pub(super) use write::Writer;

use super::annotated_text::Document;
use super::encoding::place;
use super::json;
use crate::error::{Code, Error, Result};

/// Reads the document of a file; `name` is the name of the file in messages.
///
/// # Errors
/// [`Code::BadDocument`] with line and column for invalid JSON or an unexpected structure; without
/// a line for a version that is not a number, a set without a type, and rows without offsets or
/// with more values than attributes. [`Code::LaterVersion`] for versions above 2.
pub(super) fn read(name: &str, text: &str) -> Result<Document> {
    let file: File<'_> = serde_json::from_str(text)
        .map_err(|error| json::error(name, 1, "this is not MAT-JSON", &error))?;
    let bad = |code, message: String| Error::new(code, Position::file(name), message);
    match &file.version {
        Value::Null => {}
        Value::Number(version) if version.as_f64() <= Some(2.0) => {}
        Value::Number(version) => {
            let message = format!(
                "MAT-JSON version is later than version 2: {version}; export the document as version 2"
            );
            return Err(bad(Code::LaterVersion, message));
        }
        other => {
            return Err(bad(
                Code::BadDocument,
                format!("\"version\" is {other}, not a number"),
            ));
        }
    }
    let mut document = Document::new(file.signal);
    let metadata = file.metadata.map_or("null", RawValue::get);
    match serde_json::from_str(metadata) {
        Ok(Value::Object(metadata)) => document.metadata = metadata.into_iter().collect(),
        Ok(Value::Null) => {}
        Ok(other) => document.metadata.push(("metadata".to_owned(), other)),
        // All annotations are read; only relations and metadata are incomplete.
        Err(error) => document.leave_out_relation(|| format!("metadata: {error}")),
    }
    let mut references = References::default();
    for set in file.asets {
        if set.has_span {
            add(&mut document, &mut references, set, name, text)?;
        } else {
            leave_out_spanless(&mut document, &set);
        }
    }
    references.resolve(&mut document);
    Ok(document)
}

/// Reports a set of annotations without offsets, which are usually relations between annotations.
fn leave_out_spanless(document: &mut Document, set: &Set<'_>) {
    let rows = set.annots.map(RawValue::get).unwrap_or("[]");
    let number = serde_json::from_str::<Vec<IgnoredAny>>(rows).map_or(0, |rows| rows.len());
    if number > 0 {
        let ty = json::excerpt(set.ty.as_deref().unwrap_or_default(), 40);
        document.leave_out_relation(|| format!("{number} annotations of {ty:?} have no offsets"));
    }
}

/// Ids of annotations, and attribute values that refer to them, possibly before the annotation
/// itself.
#[derive(Default)]
struct References {
    /// Index of the annotation, by id.
    ids: HashMap<String, u32>,
    /// Index of the annotation, name of its attribute, and id of the other annotation.
    values: Vec<(u32, String, String)>,
}

impl References {
    /// Records the value of an attribute of annotation `from`: an id, or a list of ids.
    fn note(&mut self, from: u32, name: &str, value: &Value) {
        match value {
            Value::Array(ids) => ids.iter().for_each(|id| self.note(from, name, id)),
            id => {
                let id = json::id(id).into_iter();
                self.values.extend(id.map(|id| (from, name.to_owned(), id)));
            }
        }
    }

    /// Records the id of an annotation; returns the id if another annotation has it as well.
    fn insert(&mut self, id: String, annotation: u32) -> Option<String> {
        match self.ids.entry(id) {
            Entry::Occupied(entry) => Some(entry.key().clone()),
            Entry::Vacant(entry) => {
                entry.insert(annotation);
                None
            }
        }
    }

    /// Adds the relations. Ids of annotations that were not read are reported.
    fn resolve(self, document: &mut Document) {
        for (from, name, id) in self.values {
            match self.ids.get(&id) {
                Some(&to) => document.relate(&name, from, to),
                None => document.leave_out_relation(|| {
                    let [name, id] = [&*name, &*id].map(|text| json::excerpt(text, 40));
                    format!("{name:?} refers to annotation {id:?}, which does not exist or has no offsets")
                }),
            }
        }
    }
}

/// Adds the annotations of a set. `text` is the whole file, of which the rows are a substring;
/// error positions refer to the whole file.
///
/// The rows are tried as pairs of numbers first. If this fails, the annotations added so far are
/// removed and the rows are parsed as JSON. For a type with ids and one attribute:
///
/// | row | outcome |
/// |---|---|
/// | `[0, 3, "id1", "m"]` | annotation 0-3 with the attribute |
/// | `[0, 3, "id1"]`, `[0, 3]` | annotation 0-3 |
/// | `[0, 3, "id1", null]` | annotation 0-3 |
/// | `[0, 99]` | left out when the document is closed, if the text is shorter |
/// | `[0.5, 3]`, `[-1, 3]`, `["x"]` | rejected: does not begin with two whole numbers from 0 |
/// | `[0, 3, "id1", "m", "f"]` | rejected: two values, but one attribute |
///
/// # Errors
/// Same as [`read`].
fn add(
    document: &mut Document,
    references: &mut References,
    set: Set<'_>,
    name: &str,
    text: &str,
) -> Result<()> {
    let Set {
        ty, attrs, annots, ..
    } = set;
    let bad = |message| Error::new(Code::BadDocument, Position::file(name), message);
    let Some(annots) = annots.map(RawValue::get) else {
        return Ok(());
    };
    let Some(ty) = ty else {
        let message = "a set of annotations in \"asets\" has no \"type\"".to_owned();
        return Err(bad(message));
    };
    let id = document.intern(&ty);
    let before = document.annotations.len();
    if push_pairs(document, id, annots.as_bytes()).is_some() {
        return Ok(());
    }
    document.annotations.truncate(before);
    let rows: Vec<Vec<Value>> = serde_json::from_str(annots).map_err(|error| {
        // `annots` is a substring of `text`.
        let from = annots.as_ptr() as usize - text.as_ptr() as usize;
        let from = place(name, &text.as_bytes()[..from]);
        json::error_from(&from, "this is not MAT-JSON", &error)
    })?;
    document.annotations.reserve(rows.len());
    let most = attrs.len() + usize::from(set.has_id);
    for (at, row) in rows.into_iter().enumerate() {
        let bound = |at: usize| row.get(at).and_then(offset);
        let (Some(start), Some(end)) = (bound(0), bound(1)) else {
            return Err(bad(format!(
                "annotation {at} of {ty} does not begin with two whole numbers from 0: {}",
                Value::Array(row)
            )));
        };
        document.push(id, start, end);
        let values = row.len() - 2;
        if values > most {
            return Err(bad(format!(
                "annotation {at} of {ty} has {} values, but {ty} has {} attributes",
                values - usize::from(set.has_id),
                attrs.len()
            )));
        }
        add_values(
            document,
            references,
            row.into_iter().skip(2),
            (&attrs, set.has_id),
        );
    }
    Ok(())
}

/// Adds the id, if the set has ids, and the attributes of the last annotation.
fn add_values(
    document: &mut Document,
    references: &mut References,
    mut values: impl Iterator<Item = Value>,
    (attrs, has_id): (&[Attribute], bool),
) {
    let this = document.annotations.len() as u32 - 1;
    if has_id
        && let Some(id) = values.next().as_ref().and_then(json::id)
        && let Some(id) = references.insert(id, this)
    {
        document.leave_out_relation(|| {
            let id = json::excerpt(&id, 40);
            format!("several annotations have the id {id:?}; relations refer to the first")
        });
    }
    for (attribute, value) in attrs.iter().zip(values) {
        if attribute.refers {
            references.note(this, &attribute.name, &value);
        } else if !value.is_null() {
            document.add_attribute(&attribute.name, value);
        }
    }
}

/// Adds rows that consist of two numbers each. Returns None if a row does not; some of the rows may
/// then have been added.
///
/// `json` is a valid JSON value, as checked by serde. All skipped bytes can therefore only be white
/// space, and any other structure fails at the first unexpected byte: `[[0, 3], [4, 7]]` is read,
/// `[[0, 3, "m"]]` fails at the second comma, `[[0.5, 3]]` at the decimal point.
fn push_pairs(document: &mut Document, ty: u32, json: &[u8]) -> Option<()> {
    // The value is valid JSON, so every skipped character can only be white space.
    let mut bytes = json
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace());
    if bytes.next()? != b'[' {
        return None;
    }
    loop {
        match bytes.next()? {
            b'[' => {}
            b',' if bytes.next()? == b'[' => {}
            b']' => return Some(()),
            _ => return None,
        }
        let (start, end) = (number(&mut bytes, b',')?, number(&mut bytes, b']')?);
        document.push(ty, start, end);
    }
}

/// Reads a whole number from 0 and the next byte, which must be `behind`; None otherwise. The
/// number saturates at the maximum, which is beyond any text.
fn number(bytes: &mut impl Iterator<Item = u8>, behind: u8) -> Option<u32> {
    let mut value = u32::from(digit(bytes.next()?)?);
    loop {
        let byte = bytes.next()?;
        let Some(digit) = digit(byte) else {
            return (byte == behind).then_some(value);
        };
        // Saturation is safe, because the maximum is beyond the end of any text.
        value = value.saturating_mul(10).saturating_add(u32::from(digit));
    }
}

/// Returns the value of an ASCII digit.
fn digit(byte: u8) -> Option<u8> {
    byte.is_ascii_digit().then(|| byte - b'0')
}

/// The parts of a file that are used. Defaults for missing keys: no version, an empty text, no
/// metadata, no sets.
struct File<'a> {
    /// The version, a number or null.
    version: Value,
    /// The text.
    signal: String,
    /// Facts about the document: an object, or null.
    metadata: Option<&'a RawValue>,
    /// The sets of annotations.
    asets: Vec<Set<'a>>,
}

/// Implemented manually because a derived implementation rejects duplicate keys; here the last one
/// is used, as in Python.
impl<'de> Deserialize<'de> for File<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = File<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with \"signal\" and \"asets\"")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<File<'de>, A::Error> {
                let (mut version, mut metadata) = (Value::Null, None);
                let (mut signal, mut asets) = (String::new(), Vec::new());
                while let Some(key) = map.next_key::<Key>()? {
                    match key {
                        Key::Version => version = map.next_value()?,
                        Key::Signal => signal = map.next_value()?,
                        Key::Metadata => metadata = Some(map.next_value()?),
                        Key::Asets => asets = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(File {
                    version,
                    signal,
                    metadata,
                    asets,
                })
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// The keys that are read, in any object. Any key may occur twice; the last one is used, as in
/// Python.
#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "lowercase")]
enum Key {
    Version,
    Signal,
    Metadata,
    Asets,
    Type,
    Attrs,
    Annots,
    #[serde(rename = "hasID")]
    HasId,
    #[serde(rename = "hasSpan")]
    HasSpan,
    Name,
    #[serde(other)]
    Other,
}

/// A set of annotations of one type.
struct Set<'a> {
    /// The type; an error if it is missing and there are annotations.
    ty: Option<String>,
    /// Whether rows have an id after their offsets. False by default.
    has_id: bool,
    /// Whether rows have offsets. True by default; sets without offsets are relations between
    /// annotations and are skipped.
    has_span: bool,
    /// Names of the attributes, in the order of the values.
    attrs: Vec<Attribute>,
    /// The rows as raw JSON.
    annots: Option<&'a RawValue>,
}

/// Implemented manually, as for [`File`]. Rows are kept as raw JSON, because the keys that
/// determine ids and attributes may follow the rows.
impl<'de> Deserialize<'de> for Set<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Keys;
        impl<'de> Visitor<'de> for Keys {
            type Value = Set<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with \"type\" and \"annots\"")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Set<'de>, A::Error> {
                let mut set = Set {
                    ty: None,
                    has_id: false,
                    has_span: true,
                    attrs: Vec::new(),
                    annots: None,
                };
                while let Some(key) = map.next_key::<Key>()? {
                    match key {
                        Key::Type => set.ty = map.next_value()?,
                        Key::HasId => set.has_id = map.next_value()?,
                        Key::HasSpan => set.has_span = map.next_value()?,
                        Key::Attrs => set.attrs = map.next_value()?,
                        Key::Annots => set.annots = Some(map.next_value()?),
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(set)
            }
        }
        deserializer.deserialize_map(Keys)
    }
}

/// An attribute, given as its name or as an object with `name` and optionally `type`.
struct Attribute {
    /// Name of the attribute.
    name: String,
    /// Whether its values are ids of annotations.
    refers: bool,
}

/// Accepts both forms of an attribute: `"sex"` in version 1 and `{"name": "sex", "type": "string"}`
/// in version 2.
impl<'de> Deserialize<'de> for Attribute {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Attribute;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an attribute, or an object with \"name\"")
            }
            fn visit_str<E>(self, name: &str) -> Result<Attribute, E> {
                Ok(Attribute {
                    name: name.to_owned(),
                    refers: false,
                })
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Attribute, A::Error> {
                let (mut name, mut ty) = (None, Value::Null);
                while let Some(key) = map.next_key::<Key>()? {
                    match key {
                        Key::Name => name = Some(map.next_value()?),
                        Key::Type => ty = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                let missing = || serde::de::Error::missing_field("name");
                let name = name.ok_or_else(missing)?;
                let refers = ty == "annotation";
                Ok(Attribute { name, refers })
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Returns a whole number from 0; larger numbers become the maximum, which is beyond any text.
fn offset(value: &Value) -> Option<u32> {
    let offset = value.as_u64()?;
    Some(u32::try_from(offset).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::super::testing::links;
    use super::*;

    fn spans(text: &str) -> Vec<(String, u32, u32)> {
        let document = read("x", text).unwrap().close();
        let all = document.annotations.iter();
        all.map(|a| (document.type_of(a).to_owned(), a.start, a.end))
            .collect()
    }

    #[test]
    fn keys_come_in_any_order() {
        let text = r#"{"asets": [{"annots": [["x"], ["y"]], "hasSpan": false, "type": "REL"},
            {"annots": [[0, 1, "id", "v"]], "attrs": ["a"], "hasID": true, "type": "T"}], "version": 2,
            "signal": "ab"}"#;
        assert_eq!(spans(text), [("T".to_owned(), 0, 1)]);
        let document = read("x", text).unwrap();
        let found: Vec<_> = document.attributes(&document.annotations[0]).collect();
        assert_eq!(found, [("a", "v")]);
        assert_eq!(
            document.relations_left_out,
            ["2 annotations of \"REL\" have no offsets"]
        );
    }

    #[test]
    fn ids_are_numbers_or_strings_and_unique() {
        let text = r#"{"signal": "abc", "metadata": {"task": "T", "phases": [1]}, "asets": [{"type": "T",
            "hasID": true, "attrs": [{"name": "of", "type": "annotation", "aggregation": "list"}],
            "annots": [[0, 1, 7, ["7", 8]], [1, 2, 7], [2, 3, "8"]]}]}"#;
        let document = read("x", text).unwrap();
        assert_eq!(links(&document), [("of", 0, 0), ("of", 0, 2)]);
        assert_eq!(
            document.relations_left_out,
            ["several annotations have the id \"7\"; relations refer to the first"]
        );
        let names: Vec<_> = document.metadata.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["task", "phases"]);
        let document = read("x", r#"{"signal": "", "metadata": 7}"#).unwrap();
        assert_eq!(document.metadata, [("metadata".to_owned(), Value::from(7))]);
    }

    #[test]
    fn attributes_that_hold_ids_are_relations() {
        let text = r#"{"signal": "abc", "asets": [{"type": "T", "hasID": true,
            "attrs": [{"name": "of", "type": "annotation"}, {"name": "n", "type": "int"}],
            "annots": [[0, 1, "a", "b", 2], [1, 2, "b", ["a", "z"]], [2, 3, null, null]]}]}"#;
        let document = read("x", text).unwrap();
        let links = links(&document);
        assert_eq!(links, [("of", 0, 1), ("of", 1, 0)]);
        let values: Vec<_> = document.attributes(&document.annotations[0]).collect();
        assert_eq!(values, [("n", "2")]);
        assert_eq!(
            document.relations_left_out,
            ["\"of\" refers to annotation \"z\", which does not exist or has no offsets"]
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let message = |text: &str| read("d.json", text).unwrap_err().to_string();
        assert_eq!(
            message("{\"signal\": \"a\",\n \"asets\": [1]}"),
            "d.json:2:12: this is not MAT-JSON: invalid type: integer `1`, expected an object with \"type\" \
             and \"annots\""
        );
        assert_eq!(
            message(r#"{"version": 3}"#),
            "d.json: MAT-JSON version is later than version 2: 3; export the document as version 2"
        );
        let row =
            r#"{"signal": "abc", "asets": [{"type": "T", "annots": [[0, 1], [0.5, 2, "x"]]}]}"#;
        assert_eq!(
            message(row),
            "d.json: annotation 1 of T does not begin with two whole numbers from 0: [0.5,2,\"x\"]"
        );
        let rows = |row: &str| {
            message(&format!(
                r#"{{"asets": [{{"type": "T", "annots": [{row}]}}]}}"#
            ))
        };
        for (row, quoted) in [
            ("[]", "[]"),
            ("[1]", "[1]"),
            ("[null, 1]", "[null,1]"),
            ("[1, []]", "[1,[]]"),
        ] {
            assert!(rows(row).ends_with(quoted), "{}", rows(row));
        }
        assert!(message(r#"{"signal": "\ud800"}"#).starts_with("d.json:1:"));
        assert!(
            message(&format!("{{\"metadata\": {}", "[".repeat(100_000))).starts_with("d.json:1:")
        );
    }

    #[test]
    fn what_lies_outside_is_left_out_and_reported() {
        let text =
            r#"{"signal": "äb", "asets": [{"type": "T", "annots": [[0, 2], [1, 9], [2, 1]]}]}"#;
        let document = read("x", text).unwrap().close();
        assert_eq!(
            (document.annotations.len(), document.left_out_count),
            (1, 2)
        );
        assert_eq!(
            document.left_out[0],
            "T 1-9 reaches beyond the text of 2 characters"
        );
        assert_eq!(document.left_out[1], "T 2-1 ends before it begins");
    }
}
