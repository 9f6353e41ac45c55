//! Random documents, for the tests of several formats.

use std::collections::HashSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::annotated_text::{Answer, Document, Layer, TOKEN};
use super::tokenize;

/// Text with characters that need escapes or have several lengths.
pub(super) const TEXT: &str = "[a-c&<>\"' ,.\\\\\n\r\t\u{e9}\u{1F600}\\]]{0,14}";
/// Names that formats use themselves, that look like values, and that need escapes.
pub(super) const NAMES: &str = "PER|a b|x\u{1F600}|tab\there|two\nlines|\"quoted\", with \\\\|note|text|title|name|id|label|\
     data|meta|metadata|Comments|7|007|\\[1\\]|\\{\\}|-1\\.5|\r| |";
/// Names of annotators, in place of names that occur twice.
const ANNOTATORS: [&str; 4] = ["ann@x.org", "7", "007", "Ann <\u{1F600}>\n"];

/// Values of all types.
fn values(name: &'static str) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        4 => name.prop_map(Value::from),
        1 => any::<bool>().prop_map(Value::from),
        1 => any::<i64>().prop_map(Value::from),
        1 => any::<u64>().prop_map(Value::from),
        1 => (-9..9_i32).prop_map(Value::from),
        // serde_json does not read all numbers exactly.
        1 => (-9..9_i32).prop_map(|number| Value::from(f64::from(number) / 4.0)),
        1 => Just(Value::Null),
    ];
    let nested = leaf.clone().prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map("[a-c ;<]{0,2}", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    let known = prop::sample::select(vec![
        json!([1, {"labels": ["A"], "start": 0, "end": 1}]),
        json!({"meta": {"a": 1}, "labels": []}),
        json!(["b", "c"]),
    ]);
    prop_oneof![4 => leaf, 2 => nested, 1 => known]
}

/// Type, start, length, number of attributes, form of the pieces, layer.
type Row = (usize, u32, u32, usize, u32, u32);

/// Returns random documents whose text and names match regular expressions. Annotations overlap,
/// have pieces, attributes and relations, and belong to annotators; tokens may be missing or wrong.
pub(super) fn documents(text: &'static str, name: &'static str) -> impl Strategy<Value = Document> {
    random(text, name, false)
}

/// Returns random documents as [`documents`] does, in which names of annotators, of metadata and of
/// the attributes of an annotation occur once, and ids and names are not empty.
pub(super) fn distinct_documents(
    text: &'static str,
    name: &'static str,
) -> impl Strategy<Value = Document> {
    random(text, name, true).prop_map(|mut document| {
        let is_name = |name: &String| !name.is_empty();
        document.id = document.id.filter(is_name);
        document.name = document.name.filter(is_name);
        let mut seen = HashSet::new();
        document
            .metadata
            .retain(|(name, _)| seen.insert(name.clone()));
        let mut seen = HashSet::new();
        for (layer, further) in document.layers.iter_mut().zip(ANNOTATORS) {
            let name = layer.name.take().filter(is_name);
            let mut names = name.into_iter().chain([further.to_owned()]);
            layer.name = names.find(|name| seen.insert(name.clone()));
        }
        document
    })
}

/// Removes what files with a record for each annotator do not have: tokens that are not those of
/// the tokeniser, annotations and relations by annotators who skipped or rejected the text, and
/// relations between annotations by different annotators. Sorts annotations by annotator.
pub(super) fn as_records(mut document: Document) -> Document {
    let is_seen = |document: &Document, layer: u32| {
        let layer = document.layers.get(layer as usize);
        layer.is_none_or(|layer| matches!(layer.answer, Answer::Given | Answer::Empty))
    };
    let all = document.annotations.iter();
    let tokens = all.filter(|a| document.is_token(a));
    let tokens: Vec<(u32, u32, u32)> = tokens.map(|a| (a.start, a.end, a.layer)).collect();
    let expected = tokenize(&document.text).into_iter();
    let is_whole = expected.map(|(start, end)| (start, end, 0)).eq(tokens);
    let all = document.annotations.iter();
    let keeps = all.map(|a| match document.is_token(a) {
        true => is_whole,
        false => is_seen(&document, a.layer),
    });
    let keeps: Vec<bool> = keeps.collect();
    document.retain(&keeps);
    let mut relations = std::mem::take(&mut document.relations);
    relations.retain(|relation| {
        let ends = [relation.from, relation.to].map(|at| document.annotations[at as usize].layer);
        ends[0] == ends[1] && is_seen(&document, ends[0])
    });
    let all = &document.annotations;
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|&at| (!document.is_token(&all[at]), all[at].layer));
    let mut numbers = vec![0; all.len()];
    for (number, &at) in (0..).zip(&order) {
        numbers[at] = number;
    }
    document.annotations = order.iter().map(|&at| all[at]).collect();
    for relation in &mut relations {
        for end in [&mut relation.from, &mut relation.to] {
            *end = numbers[*end as usize];
        }
    }
    document.relations = relations;
    document
}

/// Gives documents different ids, by which their records are distinguished.
pub(super) fn with_ids(mut documents: Vec<Document>) -> Vec<Document> {
    for (at, document) in documents.iter_mut().enumerate() {
        document.id = Some(format!("{}{at}", if at % 2 == 0 { "" } else { "d" }));
    }
    documents
}

/// Returns random documents; with `distinct`, the names of the attributes of an annotation are
/// distinct.
fn random(
    text: &'static str,
    name: &'static str,
    distinct: bool,
) -> impl Strategy<Value = Document> {
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
        move |(text, mut names, facts, layers, (tokens, rows), links)| {
            let relations = names.2.clone();
            if distinct {
                names.2.sort();
                names.2.dedup();
            }
            let mut document = Document::new(text);
            (document.id, document.name, document.metadata) = facts;
            let layers = layers.into_iter();
            document.layers = layers
                .map(|(name, answer)| Layer { name, answer })
                .collect();
            fill(&mut document, &names, (tokens, distinct), &rows);
            let number = document.annotations.len() as u32;
            for (ty, from, to) in links.into_iter().filter(|_| number > 0) {
                let ty = &relations[ty % relations.len()];
                document.relate(ty, from % number, to % number);
            }
            document
        },
    )
}

/// Adds tokens and annotations. `tokens` is 1 for the tokens of the tokeniser and 2 for any tokens;
/// with `distinct`, attributes of an annotation have different names.
fn fill(
    document: &mut Document,
    (types, values, attributes): &(Vec<String>, Vec<Value>, Vec<String>),
    (tokens, distinct): (u32, bool),
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
        let most = if distinct { attributes.len() } else { number };
        for at in 0..number.min(most) {
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
        let before = super::round_trip::facts(&document);
        prop_assert_eq!(super::round_trip::facts(&document.close()), before);
    }
}
