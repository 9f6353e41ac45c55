//! JSON Lines of doccano and of Prodigy: one object on a line, each a document.
//!
//! ```json
//! {"id": 7, "text": "Bob ate", "label": [[0, 3, "PER"]]}
//! {"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
//! ```
//!
//! Offsets count code points from 0, ends exclusive, in both. Blank lines are skipped; keys that
//! are not listed below are passed over, whatever they hold.
//!
//! | | doccano | Prodigy |
//! |---|---|---|
//! | text | `text`, else `data` | `text` |
//! | spans | `label`, `labels`, `entities` | `spans` |
//! | tokens | | `tokens` (type `lex`) |
//! | id | `id` | `id`, else `meta.id`, else `_input_hash` |
//! | annotator | | `_annotator_id`, else `_session_id` |
//! | accepted | always | no `answer`, or `accept` |
//!
//! Time and memory are linear in the file; a line is parsed into structs, without a tree of its
//! values.

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;
use spanrs_base::Position;

use super::annotated_text::{Document, TOKEN};
use super::annotators::Annotators;
use super::json::{self, Offset};
use crate::error::{Code, Error, Result};

/// Reads records of doccano. Its versions call the text `text` or `data`, and the spans `label`,
/// `labels` or `entities`; relations are passed over. If a record has several of the lists, all of
/// them count.
///
/// # Errors
/// [`Code::BadDocument`] with line and column for a line that is no such object, and for one
/// without text or without any list of spans: a misspelt key must not look like a text without
/// spans.
pub(super) fn doccano(name: &str, text: &str) -> Result<Vec<Document>> {
    each(name, text, "this is no record of doccano", |line, _| {
        let record: Doccano = serde_json::from_str(line)?;
        record.document().map(Some)
    })
}

/// Reads records of Prodigy. Those that were not accepted are not documents, whatever they hold.
///
/// `annotator` chooses one of several annotators by name or, if no name is a number, by position
/// among the names as they first occur in accepted records.
///
/// ```json
/// {"text": "Bob ate", "spans": [], "_annotator_id": "ann"}
/// {"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}], "_annotator_id": "eve"}
/// ```
///
/// Of these records, `eve` or `1` chooses the second, `ann` or `0` the first; without a choice the
/// file is refused, since the same text would be scored twice. Two annotators who worked on
/// different texts need no choice.
///
/// # Errors
/// [`Code::BadDocument`]:
///
/// - with line and column for an accepted line that is no such object;
/// - if several annotators worked on the same text, and none is chosen;
/// - if the chosen annotator does not occur;
/// - if two records of the chosen annotator, or of nobody named, have the same input
///   (`_input_hash`) and text.
pub(super) fn prodigy(name: &str, text: &str, annotator: Option<&str>) -> Result<Vec<Document>> {
    let mut annotators = Annotators::default();
    let mut read: Vec<Record> = Vec::new();
    each(
        name,
        text,
        "this is no record of Prodigy",
        |line, number| {
            match serde_json::from_str::<Prodigy>(line) {
                Ok(record) if accepted(record.answer.as_deref()) => {
                    read.push(Record {
                        line: number,
                        annotator: record.annotator().map(|by| annotators.add(by)),
                        input: json::id(&record.input),
                        document: record.document(),
                    });
                    Ok(None)
                }
                Ok(_) => Ok(None),
                // What was rejected need not be in order.
                Err(error) => match serde_json::from_str::<Answered>(line) {
                    Ok(record) if !accepted(record.answer.as_deref()) => Ok(None),
                    _ => Err(error),
                },
            }
        },
    )?;
    match annotator {
        None if same_text_twice(&read) => {
            let names = annotators.names();
            let message = format!(
                "records of {} annotators ({}) for the same texts; choose one (--annotator)",
                names.len(),
                names[..names.len().min(5)].join(", ")
            );
            return Err(Error::new(Code::BadDocument, Position::file(name), message));
        }
        None => {}
        Some(wanted) => {
            let place = annotators.place(wanted);
            let chosen = place.or_else(|| annotators.numbered(wanted));
            let chosen = chosen.ok_or_else(|| annotators.missing(name, wanted))?;
            read.retain(|record| record.annotator == Some(chosen));
        }
    }
    refuse_repeated(name, &read)?;
    Ok(read.into_iter().map(|record| record.document).collect())
}

/// An accepted record of Prodigy.
struct Record {
    /// Its line, from 1.
    line: u64,
    /// Position of its annotator among the names; None if it does not say.
    annotator: Option<usize>,
    /// Prodigy's hash of its input, the same for the same input whoever annotated it; None if it
    /// has none.
    input: Option<String>,
    /// The document.
    document: Document,
}

/// Refuses two records of the same input and text by the same annotator, or by nobody named. The
/// later one is the place of the error. Records without a hash of their input are not compared.
fn refuse_repeated(name: &str, read: &[Record]) -> Result<()> {
    let mut first = HashMap::new();
    for record in read.iter().filter(|record| record.input.is_some()) {
        let key = (record.annotator, &record.input, &record.document.text);
        let line = *first.entry(key).or_insert(record.line);
        if line < record.line {
            let message = format!(
                "the same input as on line {line}, by the same or no named annotator; keep one record of each input, \
                 or name annotators with \"_annotator_id\""
            );
            let position = Position::line(name, record.line);
            return Err(Error::new(Code::BadDocument, position, message));
        }
    }
    Ok(())
}

/// Returns true if two annotators, of whom one may be unnamed, have a document of the same text.
fn same_text_twice(read: &[Record]) -> bool {
    let mut by = HashMap::new();
    read.iter().any(|record| {
        let first = by.entry(record.document.text.as_str());
        *first.or_insert(record.annotator) != record.annotator
    })
}

/// Calls `read` with every line that is not blank, and its number from 1, and collects the
/// documents. `what` says what a line should have been.
///
/// Lines end with LF; a CR before it is white space of JSON. A record that is cut off, as in JSON
/// written on several lines, is reported with the advice that each record stands whole on one line.
///
/// # Errors
/// [`Code::BadDocument`] for a list, which serde would take for an object without names, and for
/// the errors of `read`.
fn each(
    name: &str,
    text: &str,
    what: &str,
    mut read: impl FnMut(&str, u64) -> serde_json::Result<Option<Document>>,
) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        let begin = line.trim_start();
        if begin.is_empty() {
            continue;
        }
        if begin.starts_with('[') {
            // Among structs, serde takes a list for an object without names.
            let position = Position {
                column: (line.len() - begin.len()) as u64 + 1,
                ..Position::line(name, number)
            };
            let message = format!("{what}: a list, not an object; export JSON Lines, not JSON");
            return Err(Error::new(Code::BadDocument, position, message));
        }
        match read(line, number) {
            Ok(document) => documents.extend(document),
            Err(error) => {
                let mut told = json::error(name, number, what, &error);
                if error.is_eof() {
                    told.message
                        .push_str("; each record stands whole on one line");
                }
                return Err(told);
            }
        }
    }
    Ok(documents)
}

/// A record of doccano.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"text\" and \"label\"")]
struct Doccano {
    /// The text.
    text: Option<String>,
    /// The text under another name; not used if there is `text`.
    data: Option<String>,
    /// Spans as rows.
    label: Option<Vec<Row>>,
    /// Spans as rows, under another name.
    labels: Option<Vec<Row>>,
    /// Spans as objects, in exports with relations.
    entities: Option<Vec<Entity>>,
    /// A number or a string; null if there is none.
    #[serde(default)]
    id: Value,
}

/// A span as a row: start, end, type.
#[derive(Deserialize)]
#[serde(expecting = "[start, end, type]")]
struct Row(Offset, Offset, String);

/// A span as an object.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"start_offset\", \"end_offset\" and \"label\"")]
struct Entity {
    /// First character.
    start_offset: Offset,
    /// One past the last character.
    end_offset: Offset,
    /// The type.
    label: String,
}

impl Doccano {
    /// Makes a document of the record. Rows come before objects.
    ///
    /// # Errors
    /// A message if the record has no text or no list of spans.
    fn document(self) -> serde_json::Result<Document> {
        let missing = |what| Err(serde_json::Error::custom(what));
        let Some(text) = self.text.or(self.data) else {
            return missing("it has no \"text\"");
        };
        if self.label.is_none() && self.labels.is_none() && self.entities.is_none() {
            // A misspelt key is not to look like a text without spans.
            return missing(
                "it has neither \"label\" nor \"labels\" nor \"entities\"; write \"label\": [] where there \
                 are no spans",
            );
        }
        let mut document = Document::new(text);
        document.id = json::id(&self.id);
        let mut add = |start: Offset, end: Offset, label: &str| {
            let ty = document.intern(label);
            document.push(ty, start.0, end.0);
        };
        for Row(start, end, label) in self.label.into_iter().chain(self.labels).flatten() {
            add(start, end, &label);
        }
        for entity in self.entities.into_iter().flatten() {
            add(entity.start_offset, entity.end_offset, &entity.label);
        }
        Ok(document)
    }
}

/// A record of Prodigy.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"text\" and \"spans\"")]
struct Prodigy {
    /// The text.
    text: String,
    /// The annotations; a record without the key has none.
    spans: Option<Vec<Labelled>>,
    /// The tokens, if the text was tokenised.
    tokens: Option<Vec<Token>>,
    /// `accept`, `reject` or `ignore`.
    answer: Option<String>,
    /// Id of the record; null if there is none.
    #[serde(default)]
    id: Value,
    /// Object that may hold an id.
    #[serde(default)]
    meta: Value,
    /// Hash of the input.
    #[serde(default, rename = "_input_hash")]
    input: Value,
    /// Name of the annotator.
    #[serde(default, rename = "_annotator_id")]
    annotator: Value,
    /// Name of the session, which stands for the annotator if no name is given.
    #[serde(default, rename = "_session_id")]
    session: Value,
}

/// The only key that is looked at in a record that is malformed: it does not matter if it was not
/// accepted.
#[derive(Deserialize)]
struct Answered {
    answer: Option<String>,
}

/// Returns true for records that count: those that were accepted, and those without an answer.
fn accepted(answer: Option<&str>) -> bool {
    answer.is_none_or(|answer| answer == "accept")
}

/// An annotation of Prodigy.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"start\", \"end\" and \"label\"")]
struct Labelled {
    /// First character.
    start: Offset,
    /// One past the last character.
    end: Offset,
    /// The type.
    label: String,
}

/// A token of Prodigy.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"start\" and \"end\"")]
struct Token {
    /// First character.
    start: Offset,
    /// One past the last character.
    end: Offset,
}

impl Prodigy {
    /// Returns who annotated the record, if it says so.
    fn annotator(&self) -> Option<String> {
        [&self.annotator, &self.session]
            .into_iter()
            .find_map(json::id)
    }

    /// Makes a document of the record. Tokens come before spans.
    fn document(self) -> Document {
        let mut document = Document::new(self.text);
        let names = [Some(&self.id), self.meta.get("id"), Some(&self.input)];
        document.id = names.into_iter().flatten().find_map(json::id);
        if let Some(tokens) = self.tokens {
            let ty = document.intern(TOKEN);
            for token in tokens {
                document.push(ty, token.start.0, token.end.0);
            }
        }
        for span in self.spans.into_iter().flatten() {
            let ty = document.intern(&span.label);
            document.push(ty, span.start.0, span.end.0);
        }
        document
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(String, u32, u32)>;

    fn spans(document: &Document) -> Found {
        let all = document.annotations.iter();
        all.map(|a| (document.type_of(a).to_owned(), a.start, a.end))
            .collect()
    }

    fn rows(rows: &[(&str, u32, u32)]) -> Found {
        let own = |&(ty, start, end): &(&str, u32, u32)| (ty.to_owned(), start, end);
        rows.iter().map(own).collect()
    }

    fn closed(documents: Result<Vec<Document>>) -> Vec<Document> {
        documents
            .unwrap()
            .into_iter()
            .map(Document::close)
            .collect()
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
        let documents = closed(doccano("d", lines));
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
        let documents = closed(prodigy("d", lines, None));
        let ids: Vec<_> = documents.iter().map(|d| d.id.as_deref()).collect();
        assert_eq!(ids, [Some("-5"), Some("1"), Some("two"), None]);
        let all = rows(&[("lex", 0, 1), ("lex", 2, 5), ("PER", 2, 5)]);
        assert_eq!(spans(&documents[0]), all);
        assert_eq!(spans(&documents[1]), rows(&[]));
    }

    #[test]
    fn what_lies_outside_is_left_out_and_reported() {
        let line = "{\"text\": \"\u{1F600}\", \"label\": [[0, 2, \"A\"], [0, 1, \"B\"], [1, 0, \"C\"], \
                    [0, 18446744073709551615, \"D\"]]}";
        let document = &closed(doccano("d", line))[0];
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
            doccano("d.jsonl", &text).unwrap_err().to_string()
        };
        let what = "this is no record of doccano";
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
            format!(
                "d.jsonl:2:29: {what}: invalid type: string \"pos\", expected [start, end, type]"
            )
        );
        assert_eq!(
            message(r#"{"label": []}"#),
            format!("d.jsonl:2: {what}: it has no \"text\"")
        );
        assert_eq!(
            message(r#"{"text": "a"}"#),
            format!(
                "d.jsonl:2: {what}: it has neither \"label\" nor \"labels\" nor \"entities\"; write \"label\": \
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
                "d.jsonl:2:1: {what}: EOF while parsing an object; each record stands whole on one line"
            )
        );
        let entity = r#"{"text": "a", "entities": [{"start_offset": 0, "label": "A"}]}"#;
        assert_eq!(
            message(entity),
            format!("d.jsonl:2:60: {what}: missing field `end_offset`")
        );
    }

    #[test]
    fn what_is_wrong_with_a_record_of_prodigy_is_said_with_its_place() {
        let message = |line: &str| prodigy("d", line, None).unwrap_err().to_string();
        let what = "this is no record of Prodigy";
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
                "d:1:32: {what}: EOF while parsing an object; each record stands whole on one line"
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
}
