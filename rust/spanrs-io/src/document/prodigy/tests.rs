use super::super::testing::{links, rows, spans};
use super::super::{Format, Reader};
use super::*;

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
    let layers: Vec<_> = documents
        .iter()
        .map(|d| {
            (
                d.layers[0].name.as_deref(),
                d.layers[0].answer,
                d.annotations.len(),
            )
        })
        .collect();
    assert_eq!(
        layers,
        [
            (Some("ann"), Answer::Given, 1),
            (Some("bob"), Answer::Empty, 0),
            (Some("bob"), Answer::Rejected, 0),
            (None, Answer::Skipped, 0),
        ]
    );
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
