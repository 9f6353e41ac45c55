//! Writer of MAT-JSON, version 2.
//!
//! A set contains the annotations of a type with the same attributes and relations, in the order of
//! the document; sets are in the order of their first annotation. A relation is an attribute of
//! type `annotation` of its source, whose value is the id of its target, or a list of ids if an
//! annotation of the type has several such relations.
//!
//! | values of an attribute, in all annotations of a type | type |
//! |---|---|
//! | text | `string` |
//! | whole numbers | `int` |
//! | numbers | `float` |
//! | booleans | `boolean` |
//! | lists of these | the same types with the aggregation `list` |
//! | objects, nested lists, several of these | `string`; values are written as text |
//! | null | not written: MAT does not distinguish null from a missing value |

use std::collections::{HashMap, HashSet};

use serde::Serialize;
use serde_json::{Map, Value};

use crate::document::annotated_text::{Annotation, Document};
use crate::document::losses::Losses;
use crate::document::names::{TWICE, distinct_metadata};
use crate::document::write::WriteFormat;

/// Writes one document.
#[derive(Default)]
pub(in crate::document) struct Writer;

/// A file.
#[derive(Serialize)]
struct File<'a> {
    version: u32,
    signal: &'a str,
    metadata: Map<String, Value>,
    asets: Vec<Set<'a>>,
}

/// A set of annotations.
#[derive(Serialize)]
struct Set<'a> {
    #[serde(rename = "type")]
    ty: &'a str,
    #[serde(rename = "hasID")]
    has_id: bool,
    #[serde(rename = "hasSpan")]
    has_span: bool,
    attrs: Vec<Column<'a>>,
    annots: Vec<Vec<Value>>,
}

/// An attribute of a set.
#[derive(Serialize)]
struct Column<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    ty: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    aggregation: Option<&'static str>,
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let metadata = distinct_metadata(document, &[], losses).into_iter();
        let metadata = metadata.map(|(name, value)| (name.into_owned(), value.clone()));
        let links = Links::of(document);
        let rows = rows(document, &links, losses);
        let file = File {
            version: 2,
            signal: &document.text,
            metadata: metadata.collect(),
            asets: sets(document, &links, rows),
        };
        serde_json::to_writer(out, &file).map_err(|error| error.to_string())
    }
}

/// The relations of a document, by source.
struct Links<'a> {
    /// Relations from each annotation: type and targets, in the order of first occurrence.
    from: HashMap<u32, Vec<(&'a str, Vec<u32>)>>,
    /// The annotations that are targets.
    targets: HashSet<u32>,
    /// Relation types by the type of the source, with true if an annotation has several relations
    /// of the type.
    several: HashMap<(u32, &'a str), bool>,
}

impl<'a> Links<'a> {
    fn of(document: &'a Document) -> Self {
        let mut links = Self {
            from: HashMap::new(),
            targets: HashSet::new(),
            several: HashMap::new(),
        };
        let mut places: HashMap<(u32, u32), usize> = HashMap::new();
        for relation in &document.relations {
            let ty = document.type_of_relation(relation);
            let from = links.from.entry(relation.from).or_default();
            let place = *places
                .entry((relation.from, relation.ty))
                .or_insert(from.len());
            if place == from.len() {
                from.push((ty, Vec::new()));
            }
            from[place].1.push(relation.to);
            let source = document.annotations[relation.from as usize].ty;
            *links.several.entry((source, ty)).or_default() |= from[place].1.len() > 1;
            links.targets.insert(relation.to);
        }
        links
    }

    /// Returns the relations from an annotation.
    fn from(&self, annotation: u32) -> &[(&'a str, Vec<u32>)] {
        self.from.get(&annotation).map_or(&[], Vec::as_slice)
    }
}

/// Type of the values of an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An empty list, whose items may be of any type.
    Any,
    String,
    Int,
    Float,
    Boolean,
    /// Different types, or values that MAT does not have.
    Mixed,
}

impl Kind {
    fn of(value: &Value) -> (Self, bool) {
        match value {
            Value::Array(items) => {
                let items = items.iter().map(|item| match Self::of(item) {
                    (kind, false) => kind,
                    _ => Self::Mixed,
                });
                (items.fold(Self::Any, Self::joined), true)
            }
            Value::String(_) => (Self::String, false),
            Value::Number(number) if number.is_f64() => (Self::Float, false),
            Value::Number(_) => (Self::Int, false),
            Value::Bool(_) => (Self::Boolean, false),
            Value::Null | Value::Object(_) => (Self::Mixed, false),
        }
    }

    /// Returns the type that represents the values of two types.
    fn joined(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            (Self::Any, kind) | (kind, Self::Any) => kind,
            (Self::Int, Self::Float) | (Self::Float, Self::Int) => Self::Float,
            _ => Self::Mixed,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Float => "float",
            Self::Boolean => "boolean",
            Self::Any | Self::String | Self::Mixed => "string",
        }
    }
}

/// An annotation: its index, and its attributes.
struct Row<'a> {
    annotation: u32,
    attributes: Vec<(Column<'a>, Value)>,
}

/// Returns the annotations with the attributes that MAT can represent.
fn rows<'a>(document: &'a Document, links: &Links<'a>, losses: &mut Losses) -> Vec<Row<'a>> {
    let mut kept = Vec::with_capacity(document.annotations.len());
    let mut kinds: HashMap<(u32, &str), (Kind, bool)> = HashMap::new();
    for a in &document.annotations {
        let attributes = distinct(document, a, links, losses);
        for &(name, value, _) in &attributes {
            let (kind, list) = Kind::of(value);
            let joined = kinds.entry((a.ty, name)).or_insert((kind, list));
            *joined = match joined.1 == list {
                true => (joined.0.joined(kind), list),
                false => (Kind::Mixed, false),
            };
        }
        kept.push(attributes);
    }
    let mut rows = Vec::with_capacity(kept.len());
    for (annotation, (a, attributes)) in (0..).zip(document.annotations.iter().zip(kept)) {
        let attributes = attributes.into_iter().map(|(name, value, text)| {
            let (kind, list) = kinds
                .get(&(a.ty, name))
                .copied()
                .unwrap_or((Kind::Mixed, false));
            let list = list && kind != Kind::Mixed;
            let column = Column {
                name,
                ty: kind.name(),
                aggregation: list.then_some("list"),
            };
            if kind == Kind::Mixed && !value.is_string() {
                losses.add("attribute values that are written as text", 1);
                return (column, Value::from(text));
            }
            (column, value.clone())
        });
        rows.push(Row {
            annotation,
            attributes: attributes.collect(),
        });
    }
    rows
}

/// Returns name, value and text of the attributes of an annotation that have a value and a name of
/// their own.
fn distinct<'a>(
    document: &'a Document,
    a: &Annotation,
    links: &Links<'a>,
    losses: &mut Losses,
) -> Vec<(&'a str, &'a Value, &'a str)> {
    let texts = document.attributes(a).map(|(_, text)| text);
    let mut names = HashSet::new();
    let mut kept = Vec::new();
    for ((name, value), text) in document.attribute_values(a).zip(texts) {
        if value.is_null() {
            losses.add("attributes without a value", 1);
        } else if links.several.contains_key(&(a.ty, name)) {
            losses.add("attributes with the name of a relation", 1);
        } else if !names.insert(name) {
            losses.add(TWICE, 1);
        } else {
            kept.push((name, value, text));
        }
    }
    kept
}

/// Groups the annotations by their type and the names of their attributes and relations, and
/// numbers the targets of relations in the order of the file.
fn sets<'a>(document: &'a Document, links: &Links<'a>, rows: Vec<Row<'a>>) -> Vec<Set<'a>> {
    type Names<'a> = (u32, Vec<&'a str>, usize);
    let mut places: HashMap<Names<'_>, usize> = HashMap::new();
    let mut groups: Vec<Vec<Row<'_>>> = Vec::new();
    for row in rows {
        let ty = document.annotations[row.annotation as usize].ty;
        let own = row.attributes.iter().map(|(column, _)| column.name);
        let relations = links.from(row.annotation).iter().map(|(ty, _)| *ty);
        let names = own.chain(relations).collect();
        let place = places
            .entry((ty, names, row.attributes.len()))
            .or_insert(groups.len());
        match groups.get_mut(*place) {
            Some(group) => group.push(row),
            None => groups.push(vec![row]),
        }
    }
    let order = groups.iter().flatten().map(|row| row.annotation);
    let targets = order.filter(|annotation| links.targets.contains(annotation));
    let ids: HashMap<u32, usize> = targets.zip(1..).collect();
    let groups = groups.into_iter();
    groups
        .filter_map(|group| set(document, links, &ids, group))
        .collect()
}

/// Returns a set of annotations.
fn set<'a>(
    document: &'a Document,
    links: &Links<'a>,
    ids: &HashMap<u32, usize>,
    mut group: Vec<Row<'a>>,
) -> Option<Set<'a>> {
    let annotation = |row: &Row<'_>| &document.annotations[row.annotation as usize];
    let id = |annotation: &u32| ids.get(annotation).map(|id| Value::from(id.to_string()));
    let has_id = group.iter().any(|row| ids.contains_key(&row.annotation));
    let first = group.first()?;
    let (number, ty) = (first.annotation, annotation(first).ty);
    let is_list = |name: &str| {
        links
            .several
            .get(&(ty, name))
            .is_some_and(|several| *several)
    };
    let mut annots = Vec::with_capacity(group.len());
    for row in &mut group {
        let a = annotation(row);
        let mut values = vec![Value::from(a.start), Value::from(a.end)];
        if has_id {
            values.push(id(&row.annotation).unwrap_or_default());
        }
        let own = row.attributes.iter_mut();
        values.extend(own.map(|(_, value)| value.take()));
        for (name, targets) in links.from(row.annotation) {
            let mut targets = targets.iter().filter_map(id);
            values.push(match is_list(name) {
                true => Value::Array(targets.collect()),
                false => targets.next().unwrap_or_default(),
            });
        }
        annots.push(values);
    }
    let relations = links.from(number).iter().map(|&(name, _)| Column {
        name,
        ty: "annotation",
        aggregation: is_list(name).then_some("list"),
    });
    let own = group.swap_remove(0).attributes.into_iter();
    Some(Set {
        ty: document.type_of(&document.annotations[number as usize]),
        has_id,
        has_span: true,
        attrs: own.map(|(column, _)| column).chain(relations).collect(),
        annots,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::document::random_documents::documents;
    use crate::document::round_trip::{check_unless, rewrite};
    use crate::document::{DocumentWriter, Format};

    fn written(document: &Document) -> (Value, Vec<String>) {
        let mut writer = DocumentWriter::new(Format::MatJson);
        let mut file = Vec::new();
        writer.write(document, &mut file).unwrap();
        let losses = writer.losses().list().iter();
        let losses = losses.map(|loss| loss.kind.clone()).collect();
        (serde_json::from_slice(&file).unwrap(), losses)
    }

    #[test]
    fn sets_are_those_of_mat() {
        let mut d = Document::new("Bob ate\r\n\u{0}".to_owned());
        d.metadata = vec![("task".to_owned(), json!({"a": [1]}))];
        let (lex, per, food) = (d.intern("lex"), d.intern("PER"), d.intern("FOOD"));
        d.push(lex, 0, 3);
        d.push(per, 0, 3);
        d.add_attribute("sex", "m");
        d.push(lex, 4, 7);
        d.push(food, 4, 4);
        d.push(per, 4, 7);
        d.add_attribute("sex", "f");
        d.relate("eats", 1, 3);
        let (file, losses) = written(&d);
        let expected = json!({"version": 2, "signal": "Bob ate\r\n\u{0}", "metadata": {"task": {"a": [1]}},
        "asets": [
            {"type": "lex", "hasID": false, "hasSpan": true, "attrs": [], "annots": [[0, 3], [4, 7]]},
            {"type": "PER", "hasID": false, "hasSpan": true, "attrs": [{"name": "sex", "type": "string"},
                {"name": "eats", "type": "annotation"}], "annots": [[0, 3, "m", "1"]]},
            {"type": "FOOD", "hasID": true, "hasSpan": true, "attrs": [], "annots": [[4, 4, "1"]]},
            {"type": "PER", "hasID": false, "hasSpan": true, "attrs": [{"name": "sex", "type": "string"}],
                "annots": [[4, 7, "f"]]},
        ]});
        assert_eq!((file, losses), (expected, vec![]));
    }

    #[test]
    fn attributes_have_one_type_in_all_annotations_of_a_type() {
        let attribute = |values: &[Value]| {
            let mut d = Document::new("ab".to_owned());
            let t = d.intern("T");
            for value in values {
                d.push(t, 0, 1);
                d.add_attribute("k", value.clone());
            }
            let (file, losses) = written(&d);
            let set = &file["asets"][0];
            let annots = set["annots"].as_array().unwrap().iter();
            let values: Vec<Value> = annots.map(|row| row[2].clone()).collect();
            let column = &set["attrs"][0];
            let ty = (column["type"].clone(), column["aggregation"].clone());
            (ty, Value::from(values), losses.len())
        };
        let list = json!("list");
        let cases = [
            (json!([1, 2]), json!("int"), Value::Null, 0),
            (json!([1, 2.5]), json!("float"), Value::Null, 0),
            (json!([true, false]), json!("boolean"), Value::Null, 0),
            (json!([[1], []]), json!("int"), list.clone(), 0),
            (json!([["a"], ["b", "c"]]), json!("string"), list.clone(), 0),
            (json!([[]]), json!("string"), list, 0),
        ];
        for (values, ty, aggregation, losses) in cases {
            let found = attribute(values.as_array().unwrap());
            assert_eq!(found, ((ty, aggregation), values, losses));
        }
        let text = (json!("string"), Value::Null);
        let mixed = [
            json!(1),
            json!("a"),
            json!(true),
            json!([1, "b"]),
            json!({"k": 1}),
        ];
        let expected = json!(["1", "a", "yes", "1,b", "{\"k\":1}"]);
        assert_eq!(attribute(&mixed), (text, expected, 1));
    }

    #[test]
    fn several_relations_are_a_list() {
        let mut d = Document::new("ab".to_owned());
        let t = d.intern("T");
        d.push(t, 0, 1);
        d.push(t, 1, 2);
        d.add_attribute("of", "x");
        d.relate("of", 0, 1);
        d.relate("is", 0, 0);
        d.relate("of", 0, 0);
        let (file, losses) = written(&d);
        assert_eq!(
            file["asets"][0]["annots"],
            json!([[0, 1, "1", ["2", "1"], "1"]])
        );
        assert_eq!(file["asets"][0]["attrs"][0]["aggregation"], "list");
        assert_eq!(losses, ["attributes with the name of a relation"]);
        let (read, _) = rewrite(Format::MatJson, &d).unwrap();
        assert_eq!(read[0].relations.len(), 3);
    }

    /// Returns true if the values of an attribute are of several types or cannot be represented.
    fn is_odd(document: &Document) -> bool {
        let mut losses = Losses::default();
        let links = Links::of(document);
        distinct_metadata(document, &[], &mut losses);
        rows(document, &links, &mut losses);
        !losses.list().is_empty()
    }

    proptest! {
        #[test]
        fn documents_survive(d in documents("[a\u{e9}\u{1F600} \u{0}\"\\\\\n]{0,20}", "[a-c\u{1F600}]{0,3}")) {
            check_unless(is_odd(&d), Format::MatJson, &d);
        }
    }
}
