//! Random documents, and the laws of writing, for the tests of several formats.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::annotated_text::{Annotation, Answer, Document, Layer, TOKEN};
use super::{DocumentWriter, Format, LayerChoice, Losses, Reader, project, tokenize};
use crate::source::Source;

/// A document as comparable values; the order of annotations and relations does not matter.
#[derive(Debug, PartialEq)]
pub(super) struct Facts {
    pub(super) text: String,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) metadata: Vec<(String, Value)>,
    pub(super) layers: Vec<Layer>,
    pub(super) annotations: Vec<String>,
    pub(super) relations: Vec<String>,
}

/// Returns all facts of a document that a format may represent.
pub(super) fn facts(document: &Document) -> Facts {
    let shown = |a: &Annotation| {
        let attributes: Vec<(&str, &Value)> = document.attribute_values(a).collect();
        let (pieces, ty) = (document.segments(a), document.type_of(a));
        format!("{} {ty:?} {pieces:?} {attributes:?}", a.layer)
    };
    let all = document.annotations.iter();
    let mut annotations: Vec<String> = all.map(shown).collect();
    annotations.sort();
    let all = document.relations.iter();
    let relations = all.map(|relation| {
        let [from, to] = [relation.from, relation.to].map(|at| document.annotations[at as usize]);
        let ty = document.type_of_relation(relation);
        format!("{ty:?} from {} to {}", shown(&from), shown(&to))
    });
    let mut relations: Vec<String> = relations.collect();
    relations.sort();
    Facts {
        text: document.text.clone(),
        id: document.id.clone(),
        name: document.name.clone(),
        metadata: document.metadata.clone(),
        layers: document.layers.clone(),
        annotations,
        relations,
    }
}

/// Writes a document and reads it again; None if it is not written. Returns the file, the document
/// that was read, and what was lost.
pub(super) fn rewrite(
    format: Format,
    document: &Document,
) -> Option<(Vec<u8>, Vec<Document>, Losses)> {
    let mut writer = DocumentWriter::new(format);
    let mut file = Vec::new();
    writer.write(document, &mut file).ok()??;
    writer.finish(&mut file);
    let companion = writer.companion();
    let source = |name, bytes| Source::stream(name, Box::new(std::io::Cursor::new(bytes))).keep();
    let companion = companion.map(|companion| source("companion", companion.bytes));
    let mut reader = Reader::new(format);
    reader.layers = LayerChoice::All;
    reader.elements.declared = Some(writer.types().map(str::to_owned).collect());
    let documents = reader
        .open_with(&source("file", file.clone()), companion.as_ref())
        .and_then(Iterator::collect::<crate::error::Result<Vec<Document>>>);
    match documents {
        Ok(documents) => Some((file, documents, writer.losses().clone())),
        Err(error) => panic!("{error}\n{}", String::from_utf8_lossy(&file)),
    }
}

/// Asserts that a written document is read as its projection, and that writing it again gives the
/// same bytes. With `odd`, names may be changed, so that only the second assertion is made.
pub(super) fn check_writing(format: Format, document: &Document, odd: bool) {
    let Some((file, documents, losses)) = rewrite(format, document) else {
        return;
    };
    assert_eq!(documents.len(), 1);
    let read = &documents[0];
    let shown = String::from_utf8_lossy(&file);
    if !odd {
        let holds = format.holds();
        let projected = project(document, &holds, &mut Losses::default());
        let mut expected = facts(&projected.unwrap());
        if holds.id != crate::document::Ids::Yes {
            expected.name = None;
        }
        assert_eq!(facts(read), expected, "{shown}\n{losses:?}");
    }
    assert_eq!(
        (read.left_out_count, &read.relations_left_out),
        (0, &vec![]),
        "{shown}"
    );
    let (again, _, losses) = rewrite(format, read).unwrap();
    assert_eq!(String::from_utf8_lossy(&again), shown, "{losses:?}");
    assert_eq!(losses.list(), [], "{shown}");
}

/// Values of all types.
fn values(name: &'static str) -> impl Strategy<Value = Value> {
    prop_oneof![
        name.prop_map(Value::from),
        name.prop_map(Value::from),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!(7)),
        Just(json!(-0.5)),
        Just(json!(["b", "c"])),
        Just(json!({"k": [1, null]})),
        Just(Value::Null),
    ]
}

/// Type, start, length, number of attributes, form of the pieces, layer.
type Row = (usize, u32, u32, usize, u32, u32);

/// Returns random documents whose text and names match regular expressions. Annotations overlap,
/// have pieces, attributes and relations, and belong to annotators; tokens may be missing or wrong.
pub(super) fn documents(text: &'static str, name: &'static str) -> impl Strategy<Value = Document> {
    let rows = vec(
        (0..9usize, 0..40u32, 0..9u32, 0..4usize, 0..12u32, 0..3u32),
        0..9,
    );
    let answers = prop_oneof![
        4 => Just(Answer::Given),
        1 => Just(Answer::Empty),
        1 => Just(Answer::Skipped),
        1 => Just(Answer::Rejected),
    ];
    let layers = vec((option::of(name), answers), 0..4);
    let facts = (
        option::of(name),
        option::of(name),
        vec((name, values(name)), 0..3),
    );
    let names = (vec(name, 1..5), vec(values(name), 1..5), vec(name, 1..4));
    let links = vec((0..9usize, 0..20u32, 0..20u32), 0..4);
    (text, names, facts, layers, (0..3u32, rows), links).prop_map(
        |(text, names, facts, layers, (tokens, rows), links)| {
            let mut document = Document::new(text);
            (document.id, document.name, document.metadata) = facts;
            let layers = layers.into_iter();
            document.layers = layers
                .map(|(name, answer)| Layer { name, answer })
                .collect();
            fill(&mut document, &names, tokens, &rows);
            let number = document.annotations.len() as u32;
            for (ty, from, to) in links.into_iter().filter(|_| number > 0) {
                let ty = &names.2[ty % names.2.len()];
                document.relate(ty, from % number, to % number);
            }
            document
        },
    )
}

/// Adds tokens and annotations.
fn fill(
    document: &mut Document,
    (types, values, attributes): &(Vec<String>, Vec<Value>, Vec<String>),
    tokens: u32,
    rows: &[Row],
) {
    if tokens == 1 {
        let tokens = tokenize(&document.text);
        document.prepend_tokens(&tokens);
    }
    let length = document.text.chars().count() as u32;
    for &(ty, start, extent, number, form, layer) in rows {
        let ty = match types.get(ty % (types.len() + 1)) {
            None if tokens == 2 => TOKEN,
            None => "T",
            Some(ty) => ty,
        };
        let ty = document.intern(ty);
        let start = start % (length + 1);
        let end = (start + extent).min(length);
        document.push(ty, start, end);
        let layers = document.layers.len().max(1) as u32;
        if let Some(last) = document.annotations.last_mut() {
            last.layer = layer % layers;
        }
        for at in 0..number {
            let name = &attributes[at % attributes.len()];
            document.add_attribute(name, values[(at + form as usize) % values.len()].clone());
        }
        if form == 0 && end >= start + 3 {
            document.set_pieces(&[(start, start + 1), (start + 2, end)]);
        }
    }
}

proptest! {
    /// The generator itself: every document is closed.
    #[test]
    fn random_documents_are_valid(document in documents("[a ]{0,9}", "[a-c]{1,3}")) {
        let before = facts(&document);
        prop_assert_eq!(facts(&document.close()), before);
    }
}
