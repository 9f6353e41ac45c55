use super::super::random_documents::{NAMES, TEXT, as_records, distinct_documents};
use super::super::round_trip::{Equality, check, write};
use super::super::testing::{links, rows, spans};
use super::super::{Format, Reader};
use super::*;
use proptest::prelude::*;
use serde_json::json;

fn read(name: &str, text: &str) -> Result<Vec<Document>> {
    Reader::new(Format::Doccano).read(name, text.as_bytes())
}

#[test]
fn doccano_calls_things_by_many_names() {
    let lines = concat!(
        "{\"id\": 7, \"text\": \"\u{1F600} Bob\", \"label\": [[2, 5, \"PER\"], [0, 1, \"E\"]], \"Comments\": []}\r\n",
        "\n",
        "{\"labels\": [[0, 1, \"X\"]], \"data\": \"ab\", \"meta\": {\"a\": [1]}}\n",
        "  \t\n",
        "{\"id\": \"x\", \"text\": \"ab\", \"relations\": [{\"id\": 1, \"from_id\": 0}], \"entities\": [{\"id\": 0, ",
        "\"label\": \"L\", \"start_offset\": 1, \"end_offset\": 2}]}\n",
        "{\"id\": [1], \"text\": \"\", \"label\": []}",
    );
    let documents = read("d", lines).unwrap();
    let ids: Vec<_> = documents.iter().map(|d| d.id.as_deref()).collect();
    assert_eq!(ids, [Some("7"), None, Some("x"), None]);
    assert_eq!(spans(&documents[0]), rows(&[("PER", 2, 5), ("E", 0, 1)]));
    assert_eq!(
        (&*documents[1].text, spans(&documents[1])),
        ("ab", rows(&[("X", 0, 1)]))
    );
    assert_eq!(spans(&documents[2]), rows(&[("L", 1, 2)]));
    assert_eq!(spans(&documents[3]), rows(&[]));
}

#[test]
fn what_lies_outside_is_left_out_and_reported() {
    let line = "{\"text\": \"\u{1F600}\", \"label\": [[0, 2, \"A\"], [0, 1, \"B\"], [1, 0, \"C\"], \
                [0, 18446744073709551615, \"D\"]]}";
    let document = &read("d", line).unwrap()[0];
    assert_eq!(spans(document), rows(&[("B", 0, 1)]));
    assert_eq!(
        document.left_out,
        [
            "A 0-2 reaches beyond the text of 1 characters",
            "C 1-0 ends before it begins",
            "D 0-4294967295 reaches beyond the text of 1 characters",
        ]
    );
}

#[test]
fn what_is_wrong_with_a_record_of_doccano_is_said_with_its_place() {
    let message = |line: &str| {
        let text = format!("{{\"text\": \"\", \"label\": []}}\n{line}\n");
        read("d.jsonl", &text).unwrap_err().to_string()
    };
    let what = "this is not a doccano record";
    assert_eq!(
        message(r#"{"text": "a", "label": [[0, 1]]}"#),
        format!("d.jsonl:2:30: {what}: invalid length 2, expected [start, end, type]")
    );
    assert_eq!(
        message(r#"{"text": "a", "label": [[0, -1, "A"]]}"#),
        format!(
            "d.jsonl:2:30: {what}: invalid type: integer `-1`, expected an offset: a whole number from 0"
        )
    );
    assert_eq!(
        message(r#"{"text": "a", "label": [[0.5, 1, "A"]]}"#),
        format!(
            "d.jsonl:2:28: {what}: invalid type: floating point `0.5`, expected an offset: a whole number \
             from 0"
        )
    );
    assert_eq!(
        message(r#"{"text": "a", "label": ["pos"]}"#),
        format!("d.jsonl:2:29: {what}: invalid type: string \"pos\", expected [start, end, type]")
    );
    assert_eq!(
        message(r#"{"label": []}"#),
        format!("d.jsonl:2: {what}: there is no \"text\"")
    );
    assert_eq!(
        message(r#"{"text": "a"}"#),
        format!(
            "d.jsonl:2: {what}: there is none of \"label\", \"labels\" and \"entities\"; write \"label\": \
             [] where there are no spans"
        )
    );
    assert_eq!(
        message(r#" [{"text": "a"}]"#),
        format!("d.jsonl:2:2: {what}: a list, not an object; export JSON Lines, not JSON")
    );
    assert_eq!(
        message("{\n\"text\": \"a\"}"),
        format!(
            "d.jsonl:2:1: {what}: EOF while parsing an object; each record must be on a single line"
        )
    );
    let entity = r#"{"text": "a", "entities": [{"start_offset": 0, "label": "A"}]}"#;
    assert_eq!(
        message(entity),
        format!("d.jsonl:2:60: {what}: missing field `end_offset`")
    );
}

#[test]
fn relations_link_entities_by_their_ids() {
    let entity = |id: u32, start: u32| {
        format!("{{\"id\": {id}, \"label\": \"L\", \"start_offset\": {start}, \"end_offset\": 2}}")
    };
    let record = format!(
        "{{\"text\": \"ab\", \"entities\": [{}, {}], \"relations\": [{{\"id\": 1, \"from_id\": 9, \"to_id\": 7, \
         \"type\": \"of\"}}, {{\"from_id\": 7, \"type\": \"of\"}}]}}",
        entity(7, 0),
        entity(9, 1)
    );
    let document = &read("d", &record).unwrap()[0];
    assert_eq!(links(document), [("of", 1, 0)]);
    assert_eq!(
        document.relations_left_out,
        ["relation \"of\" from entity 7 to nothing, at least one of which does not exist"]
    );
}

proptest! {
    #[test]
    fn documents_are_read_as_they_were_written(
        documents in prop::collection::vec(distinct_documents(TEXT, NAMES).prop_map(as_records), 0..3),
    ) {
        check(Format::Doccano, &documents, Equality::Records, |_| ());
    }
}

#[test]
fn other_keys_are_name_and_metadata() {
    let lines = concat!(
        "{\"id\": 1, \"text\": \"a\", \"label\": [], \"Comments\": [], \"source\": \"web\", \"title\": \"T\", \"n\": 1.5}\n",
        "{\"text\": \"a\", \"data\": \"raw\", \"label\": [], \"Comments\": [\"unsure\"], \"meta\": {\"year\": 2020}}\n",
    );
    let documents = read("d", lines).unwrap();
    assert_eq!(documents[0].name.as_deref(), Some("T"));
    let metadata: Vec<_> = documents.iter().map(|d| json!(d.metadata)).collect();
    assert_eq!(
        metadata,
        [
            json!([["source", "web"], ["n", 1.5]]),
            json!([["Comments", ["unsure"]], ["year", 2020], ["data", "raw"]])
        ]
    );
}

#[test]
fn records_are_written_like_those_of_doccano() {
    let mut document = Document::new("Bob ate".to_owned());
    (document.id, document.name) = (Some("7".to_owned()), Some("b.txt".to_owned()));
    document.metadata = vec![("year".to_owned(), 2020.into())];
    let (person, verb) = (document.intern("PER"), document.intern("V"));
    document.push(person, 0, 3);
    document.push(verb, 4, 7);
    let written = |document: &Document| {
        let file = write(Format::Doccano, std::slice::from_ref(document)).file;
        String::from_utf8(file).unwrap()
    };
    assert_eq!(
        written(&document),
        "{\"id\":7,\"text\":\"Bob ate\",\"label\":[[0,3,\"PER\"],[4,7,\"V\"]],\"name\":\"b.txt\",\"year\":2020}\n"
    );
    document.relate("eats", 1, 0);
    assert_eq!(
        written(&document),
        concat!(
            "{\"id\":7,\"text\":\"Bob ate\",\"entities\":[{\"id\":0,\"label\":\"PER\",\"start_offset\":0,\"end_offset\":3},",
            "{\"id\":1,\"label\":\"V\",\"start_offset\":4,\"end_offset\":7}],\"relations\":[{\"id\":0,\"from_id\":1,",
            "\"to_id\":0,\"type\":\"eats\"}],\"name\":\"b.txt\",\"year\":2020}\n"
        )
    );
}
