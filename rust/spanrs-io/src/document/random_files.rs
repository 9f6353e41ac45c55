//! Random documents, and the law that reading returns what was written.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    Annotation, Answer, Document, DocumentWriter, Format, Layer, LayerChoice, Losses, Reader,
    TOKEN, project, tokenize,
};

/// Names of types, attributes and metadata, values, ids and names: ordinary, and hard to write.
const WORDS: [&str; 24] = [
    "PER",
    "a b",
    "x\u{1F600}",
    "tab\there",
    "two\nlines",
    "\"quoted\", with \\",
    "",
    "note",
    "text",
    "title",
    "name",
    "id",
    "label",
    "data",
    "meta",
    "metadata",
    "Comments",
    "7",
    "007",
    "[1]",
    "{}",
    "-1.5",
    "\r",
    " ",
];
const NAMES: [&str; 6] = ["ann@x.org", "7", "bob", "007", "Ann Lee", "\u{1F600}"];
const CHARACTERS: [char; 14] = [
    'a',
    'b',
    ' ',
    '\n',
    '\t',
    '\r',
    '"',
    '\\',
    ',',
    '.',
    '\u{e9}',
    '\u{1F600}',
    '\u{0301}',
    '\0',
];

fn values() -> impl Strategy<Value = Value> {
    prop_oneof![
        prop::sample::select(&WORDS[..]).prop_map(Value::from),
        prop::sample::select(vec![
            json!(null),
            json!(true),
            json!(false),
            json!(0),
            json!(-7),
            json!(2.5),
            json!([]),
            json!(["a"]),
            json!(["a", "b"]),
            json!([1, {"labels": ["A"], "start": 0, "end": 1}]),
            json!({}),
            json!({"meta": {"a": 1}, "labels": []}),
        ]),
    ]
}

/// An annotation: type, two offsets, attributes; and the index of the annotation that a relation
/// leads to, with the type of the relation.
type Drawn = (
    String,
    u32,
    u32,
    Vec<(String, Value)>,
    Option<(usize, String)>,
);

fn words() -> impl Strategy<Value = String> {
    prop::sample::select(&WORDS[..]).prop_map(str::to_owned)
}

fn drawn() -> impl Strategy<Value = Drawn> {
    (
        words(),
        any::<u32>(),
        any::<u32>(),
        prop::collection::vec((words(), values()), 0..3),
        prop::option::of((any::<usize>(), words())),
    )
}

/// Returns random documents with up to three annotators.
pub(super) fn documents() -> impl Strategy<Value = Document> {
    let layers = prop::collection::vec((0..4_usize, prop::collection::vec(drawn(), 0..4)), 0..4);
    (
        prop::collection::vec(prop::sample::select(&CHARACTERS[..]), 0..20),
        layers,
        prop::sample::subsequence(&NAMES[..], 3).prop_shuffle(),
        any::<bool>(),
        prop::option::of(words()),
        prop::option::of(words()),
        prop::collection::btree_map(words(), values(), 0..4),
        any::<bool>(),
    )
        .prop_map(
            |(text, layers, names, has_unnamed, id, name, metadata, has_tokens)| {
                let characters = text.len() as u32;
                let mut document = Document::new(text.into_iter().collect());
                let is_text = |text: &String| !text.is_empty();
                (document.id, document.name) = (id.filter(is_text), name.filter(is_text));
                document.metadata = metadata.into_iter().collect();
                for (layer, (answer, drawn)) in layers.into_iter().enumerate() {
                    let answers = [
                        Answer::Given,
                        Answer::Empty,
                        Answer::Skipped,
                        Answer::Rejected,
                    ];
                    let name = names.get(layer).filter(|_| !(has_unnamed && layer == 0));
                    document.layers.push(Layer {
                        name: name.map(|&name| name.to_owned()),
                        answer: answers[answer],
                    });
                    let seen = answer < 2;
                    if layer == 0 && has_tokens {
                        let text = document.text.clone();
                        let ty = document.intern(TOKEN);
                        for (start, end) in tokenize(&text) {
                            document.push(ty, start, end);
                        }
                    }
                    add(&mut document, characters, if seen { drawn } else { vec![] });
                }
                document
            },
        )
}

/// Adds annotations to the last layer.
fn add(document: &mut Document, characters: u32, drawn: Vec<Drawn>) {
    let (first, count) = (document.annotations.len(), drawn.len());
    let mut relations = Vec::new();
    for (at, (ty, one, other, attributes, relation)) in drawn.into_iter().enumerate() {
        let (one, other) = (one % (characters + 1), other % (characters + 1));
        let ty = document.intern(&ty);
        document.push(ty, one.min(other), one.max(other));
        for (name, value) in attributes {
            document.add_attribute(&name, value);
        }
        relations.extend(relation.map(|(to, ty)| (first + at, first + to % count, ty)));
    }
    for (from, to, ty) in relations {
        document.relate(&ty, from as u32, to as u32);
    }
}

/// Returns a document in a form in which equal documents are equal texts.
///
/// Without layers, a document has one unnamed layer. A layer without spans is empty, and a layer
/// with spans is not.
pub(super) fn normal(document: &Document) -> Value {
    let span = |a: &Annotation| {
        let mut attributes: Vec<String> = document
            .attribute_values(a)
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        attributes.sort();
        json!([document.type_of(a), a.start, a.end, attributes])
    };
    let mut tokens: Vec<(u32, u32)> = document
        .annotations
        .iter()
        .filter(|a| document.is_token(a))
        .map(|a| (a.start, a.end))
        .collect();
    tokens.sort_unstable();
    tokens.dedup();
    let unnamed = [Layer {
        name: None,
        answer: Answer::Given,
    }];
    let layers = match document.layers.as_slice() {
        [] => &unnamed[..],
        layers => layers,
    };
    let layers = layers.iter().enumerate().map(|(at, layer)| {
        let of_layer = |a: &&Annotation| a.layer as usize == at && !document.is_token(a);
        let spans: Vec<Value> = document
            .annotations
            .iter()
            .filter(of_layer)
            .map(span)
            .collect();
        let answer = match layer.answer {
            Answer::Given | Answer::Empty if spans.is_empty() => Answer::Empty,
            Answer::Given | Answer::Empty => Answer::Given,
            other => other,
        };
        json!({"name": layer.name, "answer": answer, "spans": spans})
    });
    let layers: Vec<Value> = layers.collect();
    let end = |at: u32| span(&document.annotations[at as usize]);
    let mut relations: Vec<String> = document
        .relations
        .iter()
        .map(|r| json!([document.type_of_relation(r), end(r.from), end(r.to)]).to_string())
        .collect();
    relations.sort();
    let mut metadata = document.metadata.clone();
    metadata.sort_by(|one, other| one.0.cmp(&other.0));
    json!({
        "id": document.id, "name": document.name, "text": document.text, "metadata": metadata,
        "tokens": tokens, "layers": layers, "relations": relations,
    })
}

/// Writes documents as a file.
pub(super) fn write(format: Format, documents: &[Document]) -> (Vec<u8>, Vec<String>) {
    let mut writer = DocumentWriter::new(format);
    let mut file = Vec::new();
    for document in documents {
        writer.write(document, &mut file).unwrap();
    }
    writer.finish(&mut file);
    let losses = writer.losses().list().iter().map(|loss| loss.kind.clone());
    (file, losses.collect())
}

/// Reads all layers of a file.
pub(super) fn read(format: Format, file: &[u8]) -> Vec<Document> {
    let reader = Reader {
        layers: LayerChoice::All,
        ..Reader::new(format)
    };
    reader.read("d", file).unwrap()
}

/// Asserts that documents are read as they were written, and written again as they were read.
/// `change` applies differences between the documents and what is read.
pub(super) fn check(format: Format, documents: &[Document], change: impl Fn(&mut Document)) {
    let (file, _) = write(format, documents);
    let found = read(format, &file);
    let expected = documents.iter().filter_map(|document| {
        let kept = project(document, &format.holds(), &mut Losses::default())?;
        let mut kept = kept.into_owned();
        change(&mut kept);
        Some(normal(&kept))
    });
    let shown = String::from_utf8_lossy(&file);
    let expected: Vec<Value> = expected.collect();
    let read: Vec<Value> = found.iter().map(normal).collect();
    assert_eq!(read, expected, "{shown}");
    assert!(found.iter().all(|d| d.left_out_count == 0), "{shown}");
    let again = write(format, &found).0;
    assert_eq!(String::from_utf8_lossy(&again), shown);
}

/// Gives documents different ids, by which their records are distinguished.
pub(super) fn with_ids(mut documents: Vec<Document>) -> Vec<Document> {
    for (at, document) in documents.iter_mut().enumerate() {
        document.id = Some(format!("{}{at}", if at % 2 == 0 { "" } else { "d" }));
    }
    documents
}
