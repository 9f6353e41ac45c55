use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::document::random_documents::documents;
use crate::document::round_trip::{check_unless, facts, rewrite};
use crate::document::testing::{rows, spans};
use crate::document::{DocumentWriter, Format, Reader};

/// Reads a file; returns the documents and the notices.
fn read(text: &str) -> Result<(Vec<Document>, Vec<String>)> {
    let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
    let source = Source::stream("d.json", Box::new(bytes));
    let mut documents = Reader::new(Format::JsonlSpans).open(&source)?;
    let read = documents.by_ref().collect::<Result<Vec<_>>>()?;
    Ok((read, documents.notices()))
}

fn refused(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn a_file_is_a_list_or_lines() {
    let record = |word: &str| {
        format!("{{\"tokenized_text\": [\"{word}\", \"ate\"], \"ner\": [[0, 0, \"PER\"]]}}")
    };
    let (one, two) = (record("Bob"), record("\u{1F600}"));
    for file in [
        format!("[{one},\n {two}]\n"),
        format!("{one}\n\n{two}\r\n"),
        format!("\u{FEFF}{one} {two}"),
        format!("{one}\n{}", two.replace(", ", ",\n  ")),
    ] {
        let (documents, notices) = read(&file).unwrap();
        let texts: Vec<&str> = documents.iter().map(|d| &*d.text).collect();
        assert_eq!(
            (texts, notices.len()),
            (vec!["Bob ate", "\u{1F600} ate"], 0)
        );
        let expected = rows(&[("lex", 0, 1), ("lex", 2, 5), ("PER", 0, 1)]);
        assert_eq!(spans(&documents[1]), expected);
    }
    assert!(read("").unwrap().0.is_empty());
    assert!(read("[]").unwrap().0.is_empty());
}

#[test]
fn names_of_fields_and_forms_of_spans_vary() {
    let record = json!({"id": 7, "name": "n", "tokens": ["a", "b c", "", "d"], "label": ["x"], "entities": [
        [1, 1, "A"], {"start": 1, "end": 3, "label": ["A", "B"], "score": 0.5}, {"end": 0, "start": 0, "type": "C"}],
        "source": {"k": [1]}, "words": 4});
    let (documents, notices) = read(&record.to_string()).unwrap();
    let document = &documents[0];
    assert_eq!((&*document.text, notices.len()), ("a b c  d", 0));
    let expected = [("A", 2, 5), ("A", 2, 8), ("B", 2, 8), ("C", 0, 1)];
    assert_eq!(spans(document)[4..], rows(&expected));
    assert_eq!(spans(document)[2..4], rows(&[("lex", 6, 6), ("lex", 7, 8)]));
    let scored = &document.annotations[6];
    assert_eq!(
        document.attributes(scored).collect::<Vec<_>>(),
        [("score", "0.5")]
    );
    assert_eq!(
        (document.id.as_deref(), document.name.as_deref()),
        (Some("7"), Some("n"))
    );
    let names: Vec<&str> = document.metadata.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["label", "source", "words"]);
    let (documents, _) = read(r#"{"tokens": ["a"], "label": [[0, 0, "x"]]}"#).unwrap();
    assert_eq!(spans(&documents[0])[1..], rows(&[("x", 0, 1)]));
}

#[test]
fn spans_outside_of_the_tokens_are_left_out() {
    let spans =
        r#"[[0, 2, "A"], [1, 0, "B"], [-1, 0, "C"], [0, 99999999999999999999, "D"], [0, 1, "E"]]"#;
    let record = format!("{{\"tokenized_text\": [\"a\", \"b\"], \"ner\": {spans}}}");
    let (documents, _) = read(&record).unwrap();
    assert_eq!(documents[0].annotations.len(), 3);
    assert_eq!(
        documents[0].left_out,
        [
            "A from token 0 to 2 reaches beyond the 2 tokens",
            "B from token 1 to 0 ends before it begins",
            "C from token -1 to 0 reaches beyond the 2 tokens",
            "D from token 0 to 9223372036854775807 reaches beyond the 2 tokens",
        ]
    );
}

#[test]
fn exclusive_ends_are_noticed() {
    let record = |ner: &str| format!("{{\"tokenized_text\": [\"a\", \"b\"], \"ner\": [{ner}]}}\n");
    let notices = |files: &[&str]| {
        let file: String = files.iter().map(|ner| record(ner)).collect();
        read(&file).unwrap().1
    };
    assert_eq!(
        notices(&["[0, 1, \"A\"]", "[0, 2, \"A\"], [1, 2, \"B\"]"]),
        [
            "ends are probably exclusive, but this format has inclusive ends; subtract 1 from each end: there are \
 spans that end at the number of tokens (spans: 2, first: document 2), and no spans of a single token"
        ]
    );
    assert!(notices(&["[0, 2, \"A\"]", "[1, 1, \"A\"]"]).is_empty());
    assert!(notices(&["[0, 1, \"A\"]"]).is_empty());
    assert_eq!(
        notices(&["[0, 1, \"A\", 0.5]"]),
        ["values after the label are not read (spans: 1)"]
    );
}

#[test]
fn what_is_wrong_with_a_record_is_said() {
    let what = "these are not tokens with spans";
    assert_eq!(
        refused("{}\n"),
        format!(
            "d.json:1:1: {what}: there is no list of tokens; expected tokenized_text, tokens, words"
        )
    );
    assert_eq!(
        refused(
            "[{\"tokens\": [],\n\"ner\": [[0, 0, \"A\"]]}, {\"tokens\": [\"a\"], \"nre\": []}]"
        ),
        format!(
            "d.json:2:24: {what}: there is no list of spans; expected ner, entities, spans, label"
        )
    );
    assert_eq!(
        refused("{\"tokens\": [1], \"ner\": []}"),
        format!("d.json:1:13: {what}: invalid type: integer `1`, expected a string")
    );
    assert_eq!(
        refused("\n{\"tokens\": [], \"ner\": [[0, \"A\"]]}"),
        format!("d.json:2:30: {what}: invalid type: string \"A\", expected the number of a token")
    );
    assert!(
        refused("{\"tokens\": [], \"ner\": [[0, 0]]}")
            .contains("invalid length 2, expected [start")
    );
    assert!(refused("{\"tokens\": [], \"ner\": [[0, 0, []]]}").contains("a span has no label"));
    assert!(refused("{\"tokens\": [], \"ner\": [{\"start\": 0, \"end\": 0}]}").contains("`label`"));
    assert!(
        refused("[[1]]").starts_with("d.json:1:1: these are not tokens with spans: invalid type")
    );
    assert!(
        refused("{\"tokens\": [").starts_with("d.json:1:12: these are not tokens with spans: EOF")
    );
    assert!(refused("[{\"tokens\": [], \"ner\": []}").ends_with("EOF while parsing a list"));
}

#[test]
fn lines_are_those_of_gliner() {
    let mut document = Document::new("Bob's \"fish\"".to_owned());
    let person = document.intern("person");
    document.push(person, 0, 3);
    document.id = Some("7".to_owned());
    document.metadata = vec![
        ("ner".to_owned(), Value::Null),
        ("k".to_owned(), json!([1])),
    ];
    let mut writer = DocumentWriter::new(Format::JsonlSpans);
    let mut file = Vec::new();
    writer.write(&document, &mut file).unwrap();
    writer.write(&Document::default(), &mut file).unwrap();
    assert_eq!(
        String::from_utf8(file).unwrap(),
        "{\"tokenized_text\":[\"Bob's\",\"\\\"\",\"fish\",\"\\\"\"],\"ner\":[[0,0,\"person\"]],\"id\":\"7\",\
         \"ner_\":null,\"k\":[1]}\n{\"tokenized_text\":[],\"ner\":[]}\n"
    );
}

#[test]
fn tokens_of_a_file_are_kept() {
    let record = r#"{"tokenized_text": ["", "a b", "\n", "", "c"], "ner": [[0, 1, "A"], [2, 3, "B"], [3, 4, "C"]]}"#;
    let (documents, _) = read(record).unwrap();
    let (again, losses) = rewrite(Format::JsonlSpans, &documents[0]).unwrap();
    assert_eq!(facts(&again[0]), facts(&documents[0]));
    assert!(losses.list().is_empty());
}

/// Returns true if metadata have reserved names or the same name.
fn is_odd(document: &Document) -> bool {
    let mut names = vec!["id", "name", "ner", "tokenized_text"];
    document.metadata.iter().any(|(name, _)| {
        let is_used = names.contains(&&**name);
        names.push(name);
        is_used
    })
}

proptest! {
    #[test]
    fn documents_survive(
        d in documents("[a\u{e9}\u{1F600}\" .\\\\\n\r]{0,20}", "[a-c\u{1F600}]{0,3}|id|tokens|spans|ner|label"),
    ) {
        check_unless(is_odd(&d), Format::JsonlSpans, &d);
    }
}
