use proptest::prelude::*;
use serde_json::json;

use super::super::random_documents::{TEXT, distinct_documents};
use super::super::testing::{links, rows, spans};
use super::super::{Document, DocumentWriter, Format, LayerChoice, Reader, round_trip};

fn document(record: &serde_json::Value) -> Document {
    let file = record.to_string();
    let reader = Reader {
        layers: LayerChoice::All,
        ..Reader::new(Format::BiocJson)
    };
    reader.read("x", file.as_bytes()).unwrap().remove(0)
}

fn refused(record: &serde_json::Value) -> String {
    let file = record.to_string();
    let read = Reader::new(Format::BiocJson).read("x", file.as_bytes());
    read.unwrap_err().to_string()
}

fn span(id: &str, ty: &str, offset: u32, text: &str) -> serde_json::Value {
    let length = text.chars().count();
    json!({"id": id, "infons": {"type": ty}, "text": text,
           "locations": [{"offset": offset, "length": length}]})
}

fn attributes(document: &Document) -> Vec<Vec<(&str, &str)>> {
    let all = document.annotations.iter();
    all.map(|a| document.attributes(a).collect()).collect()
}

#[test]
fn passages_are_placed_at_their_offsets() {
    let document = document(
        &json!({"id": "7", "infons": {"name": "n", "year": "1999"}, "passages": [
            {"offset": 0, "infons": {"type": "title"}, "text": "Bob", "annotations": [span("1", "PER", 0, "Bob")]},
            {"offset": 6, "sentences": [
                {"offset": 6, "text": "Ann ate.", "annotations": [span("T5", "PER", 6, "Ann")]},
                {"offset": 15, "infons": {"n": "2"}, "text": "Yes."}]},
        ]}),
    );
    assert_eq!(document.text, "Bob\n  Ann ate. Yes.");
    assert_eq!(spans(&document), rows(&[("PER", 0, 3), ("PER", 6, 9)]));
    assert_eq!(attributes(&document), [vec![], vec![("id", "T5")]]);
    assert_eq!(
        (document.id.as_deref(), document.name.as_deref()),
        (Some("7"), Some("n"))
    );
    let passages = json!([
        {"offset": 0, "length": 3, "infons": {"type": "title"}},
        {"offset": 6, "length": 13, "sentences": [
            {"offset": 6, "length": 8}, {"offset": 15, "length": 4, "infons": {"n": "2"}}]},
    ]);
    let expected = [
        ("year".to_owned(), json!("1999")),
        ("passages".to_owned(), passages),
    ];
    assert_eq!(document.metadata, expected);
    for format in [Format::BiocJson, Format::BiocXml] {
        round_trip::check_layers(format, &document);
    }
}

#[test]
fn quoted_texts_decide_on_the_unit_of_offsets() {
    for (offset, second, unit) in [
        (3, 7, None),
        (4, 8, Some("UTF-16 code units")),
        (7, 11, Some("bytes of UTF-8")),
    ] {
        let record = json!({"id": "7", "passages": [
            {"offset": 0, "text": "\u{1F600}\u{e9} Bob", "annotations": [span("1", "PER", offset, "Bob")]},
            {"offset": second, "text": "x", "annotations": [span("2", "X", second, "x"), span("3", "X", second, "y")]},
        ]});
        let file = record.to_string();
        let source = crate::Source::stream("x", Box::new(std::io::Cursor::new(file)));
        let mut reader = Reader::new(Format::BiocJson).open(&source).unwrap();
        let document = reader.next().unwrap().unwrap();
        assert_eq!(document.text, "\u{1F600}\u{e9} Bob\nx");
        assert_eq!(spans(&document), rows(&[("PER", 3, 6), ("X", 7, 8)]));
        let expected =
            unit.map(|unit| format!("offsets count {unit} in 1 document (first: document 7)"));
        assert_eq!(reader.notices(), Vec::from_iter(expected));
        let told = format!(
            "annotation 3 (X) at {second}-{}: the text is \"x\", but the file says \"y\"",
            second + 1
        );
        assert_eq!(document.left_out, [told]);
    }
}

#[test]
fn relations_link_annotations_by_id() {
    let link = |id: &str, nodes: serde_json::Value| json!({"id": id, "infons": {"type": "of"}, "nodes": nodes});
    let node = |refid: &str, role: &str| json!({"refid": refid, "role": role});
    let document = document(&json!({"id": "7", "passages": [
        {"offset": 0, "text": "a b c", "annotations": [
            span("a", "A", 0, "a"), span("b", "B", 2, "b"), span("c", "C", 4, "c"), span("c", "C", 4, "c")],
         "relations": [link("R1", json!([node("b", "Arg2"), node("a", "Arg1")]))]},
    ], "relations": [
        link("R2", json!([node("b", "x"), node("a", "y"), node("b", "")])),
        link("R3", json!([node("a", "")])),
        link("R4", json!([])),
        link("R5", json!([node("a", ""), node("c", "")])),
    ]}));
    assert_eq!(links(&document), [("of", 0, 1), ("of", 1, 0), ("of", 1, 1)]);
    assert_eq!(
        document.relations_left_out,
        [
            "relation R3 (of) has only one node",
            "relation R4 (of) has no nodes",
            "relation R5 (of): there is no annotation with the id c, or there are several, or it is left out",
        ]
    );
}

#[test]
fn annotators_are_layers() {
    let by = |name: &str, offset: u32, text: &str| {
        let mut span = span("", "X", offset, text);
        span["infons"]["annotator"] = json!(name);
        span
    };
    let record = json!({"id": "7", "passages": [{"offset": 0, "text": "a b", "annotations": [
        by("ann", 0, "a"), by("eve", 2, "b"), by("ann", 2, "b")]}]});
    let file = record.to_string();
    let read = |layers: LayerChoice| {
        let reader = Reader {
            layers,
            ..Reader::new(Format::BiocJson)
        };
        reader.read("x", file.as_bytes())
    };
    let error = read(LayerChoice::Sole).unwrap_err().to_string();
    assert_eq!(
        error,
        "x:1:1: document 7 has annotations by 2 annotators (ann, eve); choose one (--annotator), or read \
         all layers"
    );
    let all = read(LayerChoice::All).unwrap().remove(0);
    let numbers: Vec<u32> = all.annotations.iter().map(|a| a.layer).collect();
    assert_eq!(numbers, [0, 1, 0]);
    for name in ["eve", "1"] {
        let eve = read(LayerChoice::Named(name.to_owned())).unwrap().remove(0);
        assert_eq!(eve.layers[0].name.as_deref(), Some("eve"));
        assert_eq!(spans(&eve), rows(&[("X", 2, 3)]));
    }
    let error = read(LayerChoice::Named("bob".to_owned()))
        .unwrap_err()
        .to_string();
    assert_eq!(error, "x: no annotator \"bob\"; the file has ann, eve");
    round_trip::check_layers(Format::BiocXml, &all);
}

#[test]
fn passages_that_overlap_are_rejected() {
    let passage = |offset: u32| json!({"offset": offset, "text": "Bob ate"});
    assert_eq!(
        refused(&json!({"id": "7", "passages": [passage(0), passage(3)]})),
        "x:1:1: document 7: passage 2 begins at 3, before the end of the previous text at 7; offsets \
         count from the beginning of the document"
    );
    assert_eq!(
        refused(&json!({"id": "7", "passages": [passage(0), passage(4_000_000_000)]})),
        "x:1:1: document 7: passage 2 begins at 4000000000, 3999999993 characters after the end of the \
         previous text; check the offset"
    );
}

#[test]
fn passages_of_another_text_are_not_written() {
    let mut document = Document::new("Bob ate".to_owned());
    document.metadata = vec![("passages".to_owned(), json!([{"offset": 0, "length": 3}]))];
    let mut writer = DocumentWriter::new(Format::BiocXml);
    writer.write(&document, &mut Vec::new()).unwrap();
    let kind = &writer.losses().list()[0].kind;
    assert_eq!(kind, "documents whose passages do not fit the text");
}

#[test]
fn ids_that_are_not_numbers_in_order_are_kept() {
    for ids in [
        ["1", "2", "3"],
        ["2", "3", "1"],
        ["3", "x", "2"],
        ["x", "x", "1"],
        ["9", "", "2"],
    ] {
        let spans: Vec<_> = ids.iter().map(|id| span(id, "X", 0, "a")).collect();
        let document = document(&json!({"id": "7", "passages": [
            {"offset": 0, "text": "a", "annotations": spans}]}));
        for format in [Format::BiocJson, Format::BiocXml] {
            round_trip::check_layers(format, &document);
        }
    }
}

/// Names of all kinds.
const WORDS: &str = "lex|[A-C]&?\u{1F600}?\"?|[n-q]\u{e9}\n?|[a-c/%: &<]{1,3}";

proptest! {
    #[test]
    fn written_documents_are_read_unchanged(document in distinct_documents(TEXT, WORDS)) {
        round_trip::check_layers(Format::BiocJson, &document);
    }

    #[test]
    fn documents_with_text_only_are_unchanged_in_xml(mut document in distinct_documents(TEXT, WORDS)) {
        for (_, value) in &mut document.metadata {
            *value = json!(value.to_string());
        }
        round_trip::check_layers(Format::BiocXml, &document);
    }
}
