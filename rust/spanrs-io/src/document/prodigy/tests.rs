use super::super::random_documents::{NAMES, TEXT, as_records, distinct_documents, with_ids};
use super::super::round_trip::{Equality, check, write};
use super::super::testing::{links, rows, spans};
use super::super::{Format, Reader};
use super::*;
use proptest::prelude::*;
use serde_json::json;

fn read(lines: &str, layers: LayerChoice) -> Result<Vec<Document>> {
    let reader = Reader {
        layers,
        ..Reader::new(Format::Prodigy)
    };
    reader.read("d", lines.as_bytes())
}

#[test]
fn prodigy_gives_tokens_first_and_only_what_was_accepted() {
    let lines = concat!(
        "{\"text\": \"\u{1F600} Bob\", \"_input_hash\": -5, \"spans\": [{\"start\": 2, \"end\": 5, \"label\": \"PER\", ",
        "\"token_start\": 1, \"token_end\": 1}], \"tokens\": [{\"text\": \"\u{1F600}\", \"start\": 0, \"end\": 1, ",
        "\"id\": 0, \"ws\": true}, {\"text\": \"Bob\", \"start\": 2, \"end\": 5, \"id\": 1}], \"answer\": \"accept\"}\n",
        "{\"text\": \"a\", \"spans\": [], \"answer\": \"reject\"}\n",
        "{\"answer\": \"ignore\", \"spans\": 3}\n",
        "{\"text\": \"b\", \"id\": 1, \"meta\": {\"id\": 2}, \"_input_hash\": 3, \"answer\": null}\n",
        "{\"text\": \"c\", \"meta\": {\"id\": \"two\"}, \"_input_hash\": 3, \"spans\": null}\n",
        "{\"text\": \"d\", \"meta\": \"two\"}\n",
    );
    let documents = read(lines, LayerChoice::Sole).unwrap();
    let ids: Vec<_> = documents.iter().map(|d| d.id.as_deref()).collect();
    assert_eq!(ids, [Some("-5"), Some("1"), Some("two"), None]);
    let all = rows(&[("lex", 0, 1), ("lex", 2, 5), ("PER", 2, 5)]);
    assert_eq!(spans(&documents[0]), all);
    assert_eq!(spans(&documents[1]), rows(&[]));
}

#[test]
fn what_is_wrong_with_a_record_of_prodigy_is_said_with_its_place() {
    let message = |line: &str| read(line, LayerChoice::Sole).unwrap_err().to_string();
    let what = "this is not a Prodigy record";
    assert_eq!(
        message("{}"),
        format!("d:1:2: {what}: missing field `text`")
    );
    assert_eq!(
        message(r#"{"text": "a", "spans": [{"start": "0", "end": 1, "label": "A"}]}"#),
        format!(
            "d:1:37: {what}: invalid type: string \"0\", expected an offset: a whole number from 0"
        )
    );
    assert_eq!(
        message(r#"{"text": "a", "spans": [{"start": 0, "end": 1}], "answer": "accept"}"#),
        format!("d:1:46: {what}: missing field `label`")
    );
    assert_eq!(
        message(r#"{"text": "a", "answer": 1}"#),
        format!("d:1:25: {what}: invalid type: integer `1`, expected a string")
    );
    assert_eq!(
        message(r#"{"text": "\ud800 a"}"#),
        format!("d:1:17: {what}: unexpected end of hex escape")
    );
    assert_eq!(
        message(r#"{"text": "a", "answer": "reject""#),
        format!(
            "d:1:32: {what}: EOF while parsing an object; each record must be on a single line"
        )
    );
    let deep = format!("{{\"id\": {}", "[".repeat(100_000));
    assert_eq!(
        message(&deep),
        format!("d:1:134: {what}: recursion limit exceeded")
    );
    let long = format!(
        "{{\"text\": \"a\", \"tokens\": \"{}\"}}",
        "\u{e9}".repeat(1000)
    );
    let told = message(&long);
    assert!(
        told.ends_with("\u{e9}...") && told.chars().count() < 400,
        "{told}"
    );
}

#[test]
fn all_layers_say_what_was_done_with_each_text() {
    let lines = concat!(
        "{\"text\": \"a\", \"_annotator_id\": \"ann\", \"spans\": [{\"start\": 0, \"end\": 1, \"label\": \"X\"}]}\n",
        "{\"text\": \"a\", \"_annotator_id\": \"bob\", \"spans\": [], \"answer\": \"accept\"}\n",
        "{\"text\": \"b\", \"_session_id\": \"bob\", \"spans\": [{\"start\": 0, \"end\": 1, \"label\": \"X\"}], \
         \"answer\": \"reject\"}\n",
        "{\"text\": \"b\", \"answer\": \"ignore\"}\n",
    );
    let documents = read(lines, LayerChoice::All).unwrap();
    let layers = |at: usize| -> Vec<_> {
        let document: &Document = &documents[at];
        let layers = document.layers.iter();
        layers
            .map(|layer| (layer.name.as_deref(), layer.answer))
            .collect()
    };
    assert_eq!(documents.len(), 2);
    assert_eq!(
        layers(0),
        [(Some("ann"), Answer::Given), (Some("bob"), Answer::Empty)]
    );
    assert_eq!(
        layers(1),
        [(Some("bob"), Answer::Rejected), (None, Answer::Skipped)]
    );
    assert_eq!(spans(&documents[0]), rows(&[("X", 0, 1)]));
    assert_eq!(spans(&documents[1]), rows(&[]));
    let refused = read(lines, LayerChoice::Sole).unwrap_err().to_string();
    assert_eq!(
        refused,
        "d: records of 2 annotators (ann, bob) for the same texts; choose one (--annotator)"
    );
    for name in ["bob", "1"] {
        let found = read(lines, LayerChoice::Named(name.to_owned())).unwrap();
        assert_eq!(found.len(), 1);
    }
}

#[test]
fn a_record_of_doccano_is_not_one_without_spans() {
    for key in ["label", "labels", "entities"] {
        let line = format!("{{\"text\": \"a\", \"{key}\": [[0, 1, \"X\"]]}}");
        let refused = read(&line, LayerChoice::Sole).unwrap_err().to_string();
        assert_eq!(
            refused,
            format!(
                "d:1: {WHAT}: there is a list {key:?} but no \"spans\"; is this a doccano file?"
            )
        );
    }
    let category = "{\"text\": \"a\", \"label\": \"POSITIVE\"}";
    assert_eq!(read(category, LayerChoice::Sole).unwrap().len(), 1);
}

#[test]
fn relations_are_between_spans_or_tokens() {
    let span =
        |start: u32, label: &str| format!("{{\"start\": {start}, \"end\": 3, \"label\": {label}}}");
    let lines = format!(
        "{{\"text\": \"abc\", \"tokens\": [{{\"start\": 2, \"end\": 3}}], \"spans\": [{}], \"relations\": [{{\"head\": 0, \
         \"child\": 0, \"head_span\": {}, \"child_span\": {}, \"label\": \"r\"}}, {{\"label\": \"s\"}}]}}\n",
        span(0, "\"X\""),
        span(0, "\"X\""),
        span(2, "null")
    );
    let document = &read(&lines, LayerChoice::Sole).unwrap()[0];
    assert_eq!(links(document), [("r", 1, 0)]);
    assert_eq!(
        document.relations_left_out,
        ["relation \"s\": the head or the child is neither a span nor a token of the record"]
    );
}

/// The name of a document is read as its id.
fn with_name_as_id(document: &mut Document) {
    document.id = document.id.take().or_else(|| document.name.clone());
}

proptest! {
    #[test]
    fn documents_are_read_as_they_were_written(
        document in distinct_documents(TEXT, NAMES).prop_map(as_records),
        more in prop::collection::vec(distinct_documents(TEXT, NAMES).prop_map(as_records), 0..3),
    ) {
        check(Format::Prodigy, &[document], Equality::Records, with_name_as_id);
        check(Format::Prodigy, &with_ids(more), Equality::Records, |_| ());
    }
}

#[test]
fn records_are_written_like_those_of_prodigy() {
    let mut document = Document::new("Bob ate".to_owned());
    document.name = Some("b.txt".to_owned());
    document.metadata = vec![("year".to_owned(), 2020.into())];
    for (name, answer) in [("ann", Answer::Given), ("bob", Answer::Skipped)] {
        document.layers.push(Layer {
            name: Some(name.to_owned()),
            answer,
        });
    }
    document.prepend_tokens(&[(0, 3), (4, 7)]);
    let person = document.intern("PER");
    document.push(person, 0, 3);
    document.annotations[2].layer = 0;
    document.relate("eats", 1, 2);
    let file = String::from_utf8(write(Format::Prodigy, &[document]).file).unwrap();
    let tokens = "\"tokens\":[{\"text\":\"Bob\",\"start\":0,\"end\":3,\"id\":0,\"ws\":true},\
                  {\"text\":\"ate\",\"start\":4,\"end\":7,\"id\":1,\"ws\":false}]";
    let by = |name: &str| {
        format!(
            "\"_annotator_id\":\"{name}\",\"_session_id\":\"{name}\",\"meta\":{{\"name\":\"b.txt\",\"year\":2020}}"
        )
    };
    let bob = "{\"start\":0,\"end\":3,\"token_start\":0,\"token_end\":0,\"label\":\"PER\"}";
    assert_eq!(
        file,
        format!(
            "{{\"text\":\"Bob ate\",{tokens},\"spans\":[{bob}],\"relations\":[{{\"head\":1,\"child\":0,\
             \"head_span\":{{\"start\":4,\"end\":7,\"token_start\":1,\"token_end\":1,\"label\":null}},\
             \"child_span\":{bob},\"label\":\"eats\"}}],\"answer\":\"accept\",{}}}\n\
             {{\"text\":\"Bob ate\",{tokens},\"spans\":[],\"answer\":\"ignore\",{}}}\n",
            by("ann"),
            by("bob")
        )
    );
}

#[test]
fn names_and_metadata_are_read() {
    let lines = concat!(
        "{\"text\": \"a\", \"_input_hash\": 5, \"meta\": {\"title\": \"T\", \"year\": 1}, \"label\": \"POS\", \"_task_hash\": 6}\n",
        "{\"text\": \"b\", \"id\": 1, \"meta\": {\"id\": 2, \"file\": \"f\"}}\n",
        "{\"text\": \"c\", \"meta\": {\"id\": 2}}\n",
    );
    let documents = read(lines, LayerChoice::Sole).unwrap();
    let described: Vec<_> = documents
        .iter()
        .map(|d| json!([d.id, d.name, d.metadata]))
        .collect();
    assert_eq!(
        described,
        [
            json!(["T", "T", [["year", 1], ["label", "POS"]]]),
            json!(["1", "f", [["id", 2]]]),
            json!(["2", null, []]),
        ]
    );
}

/// Reads documents and what users are told.
fn told(lines: &str, layers: LayerChoice) -> (Vec<Document>, Vec<String>) {
    let source = Source::stream("d", Box::new(std::io::Cursor::new(lines.to_owned())));
    let reader = Reader {
        layers,
        ..Reader::new(Format::Prodigy)
    };
    let mut documents = reader.open(&source).unwrap();
    let found: Result<Vec<_>> = documents.by_ref().collect();
    (found.unwrap(), documents.notices())
}

fn record(text: &str, annotator: &str, more: &str) -> String {
    format!(
        "{{\"text\": \"{text}\", \"_input_hash\": 1, \"_annotator_id\": \"{annotator}\"{more}}}\n"
    )
}

#[test]
fn the_latest_record_of_an_annotator_is_read() {
    let span = |label: &str| {
        format!(", \"spans\": [{{\"start\": 0, \"end\": 1, \"label\": \"{label}\"}}]")
    };
    let lines = [
        record("a", "ann", &format!("{}, \"_timestamp\": 9", span("LATE"))),
        record("a", "ann", &format!("{}, \"_timestamp\": 8", span("EARLY"))),
        record("b", "ann", &span("EARLY")),
        record("b", "ann", &span("LATE")),
        record("b", "ann", ", \"answer\": \"ignore\""),
    ];
    for layers in [LayerChoice::Sole, LayerChoice::All] {
        let (documents, notices) = told(&lines[..4].concat(), layers);
        assert_eq!(documents.len(), 2);
        for document in &documents {
            assert_eq!(spans(document), rows(&[("LATE", 0, 1)]));
        }
        assert_eq!(
            notices,
            [
                "2 records are not read because the annotator annotated the same document again (first: line 2, \
                 annotator ann)"
            ]
        );
    }
    let (documents, notices) = told(&lines.concat(), LayerChoice::Named("ann".to_owned()));
    assert_eq!(documents.len(), 1);
    assert_eq!(notices[0], "1 ignored record is not read (line 5)");
}

#[test]
fn records_that_are_not_accepted_are_counted() {
    let lines = concat!(
        "{\"text\": \"a\", \"answer\": \"accept\"}\n\n",
        "{\"text\": \"b\", \"answer\": \"reject\"}\n",
        "{\"text\": 3, \"answer\": \"reject\"}\n",
        "{\"text\": \"d\", \"answer\": \"ignore\"}\n",
    );
    let (documents, notices) = told(lines, LayerChoice::Sole);
    assert_eq!(documents.len(), 1);
    assert_eq!(
        notices,
        [
            "2 rejected records are not read (first: line 3)",
            "1 ignored record is not read (line 5)"
        ]
    );
    let (documents, notices) = told(lines, LayerChoice::All);
    assert_eq!(documents.len(), 3);
    assert_eq!(
        notices,
        ["1 record that was not accepted is malformed and not read (line 4)"]
    );
}

#[test]
fn sessions_one_after_another_are_merged() {
    let record =
        |text: &str, by: &str| format!("{{\"text\": \"{text}\", \"_session_id\": \"{by}\"}}\n");
    let lines = [
        record("a", "ann"),
        record("b", "ann"),
        record("b", "ann"),
        record("c", "ann"),
        record("b", "bob"),
        record("a", "bob"),
        record("d", "bob"),
        record("b", "bob"),
    ];
    let (documents, notices) = told(&lines.concat(), LayerChoice::All);
    let shown: Vec<_> = documents
        .iter()
        .map(|d| (d.text.as_str(), d.layers.len()))
        .collect();
    assert_eq!(shown, [("a", 2), ("b", 2), ("b", 2), ("c", 1), ("d", 1)]);
    assert_eq!(notices, Vec::<String>::new());
}

#[test]
fn documents_before_an_error_are_returned() {
    let lines = record("a", "ann", "") + &record("a", "bob", "") + "{\"text\": 3}\n";
    let reader = Reader {
        layers: LayerChoice::All,
        ..Reader::new(Format::Prodigy)
    };
    let source = Source::stream("d", Box::new(std::io::Cursor::new(lines)));
    let mut documents = reader.open(&source).unwrap();
    assert_eq!(documents.next().unwrap().unwrap().layers.len(), 2);
    assert_eq!(documents.next().unwrap().unwrap_err().position.line, 3);
    assert!(documents.next().is_none());
}

#[test]
fn unnamed_annotators_of_one_input_are_refused_or_layers() {
    let line = "{\"text\": \"a\", \"_input_hash\": 1}\n".repeat(2);
    assert_eq!(
        read(&line, LayerChoice::Sole).unwrap_err().to_string(),
        "d:2: the same input as on line 1, and neither record names its annotator; keep one record per input, or \
         name the annotators with \"_annotator_id\""
    );
    assert_eq!(read(&line, LayerChoice::All).unwrap()[0].layers.len(), 2);
}
