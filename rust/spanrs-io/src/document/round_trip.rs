//! Random documents, and what must not change when a document is written and read, for the tests
//! of several formats.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::annotated_text::{Annotation, Answer, Document, Layer};
use super::{Answers, DocumentWriter, Format, LayerChoice, Losses, Reader, project};

/// Writes a document as a file.
pub(super) fn written(document: &Document, format: Format) -> Vec<u8> {
    let mut writer = DocumentWriter::new(format);
    let mut file = Vec::new();
    writer.write(document, &mut file).unwrap();
    writer.finish(&mut file);
    file
}

/// Reads all layers of a file with a single document.
pub(super) fn read_all(file: &[u8], format: Format) -> Document {
    let mut reader = Reader::new(format);
    reader.layers = LayerChoice::All;
    let mut documents = reader.read("x", file).unwrap();
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

/// Describes an annotation.
fn described(document: &Document, annotation: &Annotation) -> Value {
    let layer = document.layers.get(annotation.layer as usize);
    let attributes: Vec<(&str, &Value)> = document.attribute_values(annotation).collect();
    json!([
        layer.and_then(|layer| layer.name.as_ref()),
        document.type_of(annotation),
        annotation.start,
        annotation.end,
        document.pieces(annotation),
        attributes,
    ])
}

/// Describes a document without the order of its layers. The order of annotations and relations
/// counts if the document has no layers.
pub(super) fn description(document: &Document) -> Value {
    let all = document.annotations.iter();
    let annotations: Vec<Value> = all.map(|a| described(document, a)).collect();
    let relation = |relation: &super::Relation| {
        let [from, to] = [relation.from, relation.to].map(|at| &annotations[at as usize]);
        json!([document.type_of_relation(relation), from, to])
    };
    let mut relations: Vec<Value> = document.relations.iter().map(relation).collect();
    let mut annotations = annotations.clone();
    if !document.layers.is_empty() {
        annotations.sort_by_key(Value::to_string);
        relations.sort_by_key(Value::to_string);
    }
    let mut layers: Vec<Value> = document.layers.iter().map(|l| json!(l)).collect();
    layers.sort_by_key(Value::to_string);
    json!({
        "id": document.id,
        "name": document.name,
        "metadata": document.metadata,
        "text": document.text,
        "layers": layers,
        "annotations": annotations,
        "relations": relations,
    })
}

/// Checks that a document does not change when it is written and read.
///
/// Annotators whose annotations are all tokens lose them if the format does not represent tokens.
pub(super) fn check(document: &Document, format: Format) {
    let mut projected = project(document, &format.holds(), &mut Losses::default())
        .unwrap()
        .into_owned();
    if format.holds().answers == Answers::No {
        let used: Vec<u32> = projected.annotations.iter().map(|a| a.layer).collect();
        let mut at = 0..;
        let mut layers = projected.layers.clone();
        layers.retain(|_| at.next().is_some_and(|at| used.contains(&at)));
        if layers.len() < projected.layers.len() {
            let names: Vec<_> = projected.layers.iter().map(|l| l.name.clone()).collect();
            for annotation in &mut projected.annotations {
                let name = &names[annotation.layer as usize];
                let at = layers.iter().position(|layer| layer.name == *name).unwrap();
                annotation.layer = at as u32;
            }
            projected.layers = layers;
        }
    }
    let file = written(document, format);
    let found = read_all(&file, format);
    let shown = String::from_utf8_lossy(&file).into_owned();
    assert_eq!(found.left_out_count, 0, "{:?}\n{shown}", found.left_out);
    assert_eq!(description(&found), description(&projected), "{shown}");
    assert_eq!(String::from_utf8_lossy(&written(&found, format)), shown);
}

/// Texts with characters that need escapes or have several lengths.
pub(super) fn text() -> impl Strategy<Value = String> {
    "[a-c&<>\"' \n\r\t\u{e9}\u{1F600}\\]]{0,14}"
}

/// Values of attributes.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-9..9_i32).prop_map(Value::from),
        // serde_json does not read all numbers exactly.
        (-9..9_i32).prop_map(|number| Value::from(f64::from(number) / 4.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-c ;<]{0,2}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// An annotation: bounds of pieces, type, attributes, layer.
type Row = (Vec<(u32, u32)>, String, Vec<(String, Value)>, u32);

fn annotation() -> impl Strategy<Value = Row> {
    let bounds = proptest::collection::vec((0..20_u32, 0..20_u32), 1..3);
    let names = "[n-q]|[n-q]&\"\u{e9}\n?";
    let attributes = proptest::collection::vec((names, value()), 0..3);
    (bounds, "lex|[A-C]&?\u{1F600}?\"?", attributes, 0..3_u32)
}

/// Random documents with everything that documents hold. Names of attributes and metadata, and
/// of layers, occur once.
pub(super) fn document() -> impl Strategy<Value = Document> {
    let metadata = proptest::collection::btree_map("[m-p]&?", value(), 0..3);
    let relations = proptest::collection::vec((0..6_usize, 0..6_usize, "[a-c]&?"), 0..4);
    let annotations = proptest::collection::vec(annotation(), 0..6);
    let names = (
        proptest::option::of("[a-z&<]{1,3}"),
        proptest::option::of("[a-z/%: ]{1,5}"),
    );
    (text(), annotations, relations, metadata, names, 0..3_usize).prop_map(
        |(text, annotations, relations, metadata, (id, name), layers)| {
            let length = text.chars().count() as u32;
            let mut document = Document::new(text);
            (document.id, document.name) = (id, name);
            document.metadata = metadata.into_iter().collect();
            let layer = |name: &str| Layer {
                name: Some(name.to_owned()),
                answer: Answer::Given,
            };
            document.layers = ["ann", "b&<\"\n"][..layers]
                .iter()
                .map(|name| layer(name))
                .collect();
            for (pieces, ty, attributes, layer) in annotations {
                let ends = pieces.into_iter().flat_map(|(start, end)| [start, end]);
                let mut ends: Vec<u32> = ends.map(|end| end.min(length)).collect();
                ends.sort_unstable();
                let pieces: Vec<(u32, u32)> = ends.chunks(2).map(|two| (two[0], two[1])).collect();
                let ty = document.intern(&ty);
                document.push(ty, pieces[0].0, pieces[pieces.len() - 1].1);
                if pieces.len() > 1 && pieces[0] != pieces[1] {
                    document.set_pieces(&pieces);
                }
                let mut seen = std::collections::HashSet::new();
                for (name, value) in attributes {
                    if seen.insert(name.clone()) {
                        document.add_attribute(&name, value);
                    }
                }
                if let Some(last) = document.annotations.last_mut() {
                    last.layer = layer.min((layers as u32).saturating_sub(1));
                }
            }
            let number = document.annotations.len();
            for (from, to, ty) in relations {
                if number > 0 {
                    document.relate(&ty, (from % number) as u32, (to % number) as u32);
                }
            }
            // An annotator without annotations has found nothing.
            for (at, layer) in document.layers.iter_mut().enumerate() {
                let mut all = document.annotations.iter();
                if !all.any(|annotation| annotation.layer as usize == at) {
                    layer.answer = Answer::Empty;
                }
            }
            document
        },
    )
}

/// Checks that damaged files are read or rejected without a panic: each byte of a file is removed,
/// replaced by several others, and everything behind it is removed.
pub(super) fn check_damaged(file: &str, format: Format) {
    for layers in [LayerChoice::All, LayerChoice::Named("0".to_owned())] {
        let mut reader = Reader::new(format);
        reader.layers = layers;
        for at in 0..file.len() {
            let (before, behind) = (&file.as_bytes()[..at], &file.as_bytes()[at + 1..]);
            let _ = reader.read("x", before);
            for middle in ["", "<", "\"", "9", "\t", "|", "\u{1F600}"] {
                let damaged = [before, middle.as_bytes(), behind].concat();
                let _ = reader.read("x", &damaged);
            }
        }
    }
}
