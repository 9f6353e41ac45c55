use serde_json::json;

use super::super::testing::{links, rows, spans};
use super::super::{Document, DocumentWriter, Format, Reader};
use crate::Source;

fn read(file: &str) -> (Vec<Document>, Vec<String>) {
    let source = Source::stream("x", Box::new(std::io::Cursor::new(file.to_owned())));
    let mut reader = Reader::new(Format::BiocJson).open(&source).unwrap();
    let documents = reader.by_ref().map(Result::unwrap).collect();
    (documents, reader.notices())
}

fn refused(file: &str) -> String {
    let read = Reader::new(Format::BiocJson).read("x", file.as_bytes());
    read.unwrap_err().to_string()
}

fn ids(documents: &[Document]) -> Vec<&str> {
    documents
        .iter()
        .map(|d| d.id.as_deref().unwrap_or_default())
        .collect()
}

const ONE: &str = r#"{"id": "1", "infons": {}, "passages": [], "relations": []}"#;
const TWO: &str = r#"{"passages": null, "id": 2}"#;

#[test]
fn documents_are_found_in_all_forms_of_files() {
    let files = [
        format!("{{\"source\": \"s\", \"documents\": [{ONE}, {TWO}]}}"),
        format!("{{\"documents\": [{ONE}, {TWO}]}}"),
        format!("{{ \"PubTator3\" : [ {ONE} , {TWO} ] }}\n"),
        format!(
            "[{{\"documents\": [{ONE}]}}, {{\"infons\": {{}}, \"documents\": [], \"a\": 1}}, {{\"documents\": [{TWO}]}}]"
        ),
        format!("[{ONE},\n{TWO}]"),
        format!("{ONE}\n{TWO}\n"),
        format!("\u{FEFF}{{\"documents\": [{ONE}]}} {TWO}"),
    ];
    for file in files {
        let (documents, _) = read(&file);
        assert_eq!(ids(&documents), ["1", "2"], "{file}");
    }
    assert!(read("[]").0.is_empty());
    assert!(read(r#"{"documents": []}"#).0.is_empty());
}

#[test]
fn infons_keep_their_types_and_further_keys_are_metadata() {
    // As PubTator exports documents.
    let file = r#"{"PubTator3": [{"_id": "7|None", "id": "7", "infons": {}, "passages": [
        {"infons": {"type": "title"}, "offset": 0, "text": "HNF-6", "sentences": [], "annotations": [
          {"id": "2", "infons": {"identifier": "3175", "type": "Gene", "valid": true, "normalized": [3175], "name": null},
           "text": "HNF-6", "locations": [{"offset": 0, "length": 5}]}], "relations": []}],
        "relations": [], "pmid": 7, "authors": ["A", "B"]}]}"#;
    let (documents, notices) = read(file);
    let document = &documents[0];
    assert_eq!(spans(document), rows(&[("Gene", 0, 5)]));
    let values: Vec<_> = document
        .attribute_values(&document.annotations[0])
        .collect();
    let expected = [
        ("id", &json!("2")),
        ("identifier", &json!("3175")),
        ("valid", &json!(true)),
        ("normalized", &json!([3175])),
        ("name", &json!(null)),
    ];
    assert_eq!(values, expected);
    let names: Vec<&str> = document
        .metadata
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(names, ["_id", "pmid", "authors", "passages"]);
    assert!(notices.is_empty());
    super::super::round_trip::check_layers(Format::BiocJson, document);
}

#[test]
fn relations_of_pubtator_link_concepts() {
    let file = r#"{"PubTator3": [{"id": "7", "passages": [{"offset": 0, "text": "a b", "annotations": [
        {"id": "0", "infons": {"identifier": "D1", "type": "A"}, "locations": [{"offset": 2, "length": 1}]},
        {"id": "1", "infons": {"identifier": "3175", "type": "B"}, "locations": [{"offset": 0, "length": 1}]}]}],
      "relations": [
        {"id": "R1", "infons": {"type": "of", "role1": {"identifier": "3175"}, "role2": {"identifier": "D1"}},
         "nodes": [{"refid": "0", "role": "1,0"}, {"refid": "1", "role": "0,0"}]},
        {"id": "R2", "infons": {"type": "of", "entity1": "D1", "entity2": "D2"}, "nodes": []}]}]}"#;
    let (documents, notices) = read(file);
    super::super::round_trip::check_damaged(file, Format::BiocJson);
    assert_eq!(links(&documents[0]), [("of", 1, 0)]);
    assert_eq!(
        documents[0].relations_left_out,
        ["relation R2 (of): no annotation has the identifier D2"]
    );
    assert!(notices.is_empty());
}

#[test]
fn facts_of_collections_are_metadata() {
    let file = format!(
        r#"{{"bioctype": "BioCCollection", "source": "PMC", "date": "", "infons": {{}}, "version": "1.0",
            "documents": [{ONE}, {TWO}], "key": "k"}}"#
    );
    let (documents, notices) = read(&file);
    let collection = (
        "collection".to_owned(),
        json!({"source": "PMC", "version": "1.0"}),
    );
    assert_eq!(documents[0].metadata, std::slice::from_ref(&collection));
    assert_eq!(documents[1].metadata, [collection]);
    assert_eq!(
        notices,
        ["1 fact of a collection that follows its documents, not read"]
    );
    let mut writer = DocumentWriter::new(Format::BiocJson);
    let mut written = Vec::new();
    for document in &documents {
        writer.write(document, &mut written).unwrap();
    }
    writer.finish(&mut written);
    let written = String::from_utf8(written).unwrap();
    let value: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(
        (&value["version"], &value["source"]),
        (&json!("1.0"), &json!("PMC"))
    );
    assert_eq!(read(&written).0[0].metadata, documents[0].metadata);
}

#[test]
fn malformed_files_are_rejected_with_their_place() {
    let cases = [
        ("", "x:1:1: this is not BioC JSON: expected an object"),
        ("[1]", "x:1:2: this is not BioC JSON: expected an object"),
        (
            "{} x",
            "x:1:2: this is not BioC JSON: there is no \"passages\"",
        ),
        (
            "[{\"documents\": []} 1]",
            "x:1:20: this is not BioC JSON: expected `,` or `]`",
        ),
        (
            "[{\"documents\": []},]",
            "x:1:20: this is not BioC JSON: expected an object after the comma",
        ),
        (
            "{\"documents\": [",
            "x:1:16: this is not BioC JSON: expected an object or `]`",
        ),
        (
            "{\"documents\": [\n3]}",
            "x:2:1: this is not BioC JSON: expected an object or `]`",
        ),
        (
            "{\"documents\": [\n {\"id\": \"1\", \"passages\": 3}]}",
            "x:2:26: this is not BioC JSON: invalid type: integer `3`, expected a sequence",
        ),
        (
            "{\"a\": 1,\n \"passages\": [{\"text\": \"a\"}]}",
            "x:2:27: this is not BioC JSON: missing field `offset`",
        ),
        (
            "{\"passages\": [{\"offset\": -1}]}",
            "x:1:27: this is not BioC JSON: invalid type: integer `-1`, expected an offset: a whole \
             number from 0",
        ),
        (
            "{\"documents\" []}",
            "x:1:14: this is not BioC JSON: expected `:`",
        ),
        (
            "{\"a\": 1 \"b\": 2}",
            "x:1:9: this is not BioC JSON: expected `,` or `}`",
        ),
        (
            "{\"a\":",
            "x:1:6: this is not BioC JSON: the file is truncated",
        ),
    ];
    for (file, message) in cases {
        assert_eq!(refused(file), message, "{file}");
    }
}
