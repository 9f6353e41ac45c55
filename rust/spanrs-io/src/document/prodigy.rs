//! Prodigy's JSON Lines: one object per line, each a document by one annotator.
//!
//! ```json
//! {"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
//! ```
//!
//! Offsets count code points from 0, ends exclusive. Blank lines are skipped; keys that are not
//! listed below are ignored, whatever their values.
//!
//! | | keys |
//! |---|---|
//! | text | `text` |
//! | spans | `spans` |
//! | tokens | `tokens` (type `lex`), before the spans |
//! | relations | `relations`: from `head_span` to `child_span`, or otherwise from token `head` to token `child`, with the type `label` |
//! | id | `id`, otherwise `meta.id`, otherwise `_input_hash` |
//! | annotator | `_annotator_id`, otherwise `_session_id` |
//! | accepted | no `answer`, or `accept` |
//!
//! A line is parsed directly into structs, without building a tree of values. Only one line at a
//! time is in memory, plus a few bytes for each document that has been read, to detect duplicates.

mod write;

use std::collections::HashMap;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::Value;
use spanrs_base::{Limits, Position};

pub(super) use write::Writer;

use super::annotated_text::{Answer, Document, Layer, TOKEN};
use super::annotators::{Annotators, LayerChoice};
use super::json::{self, Offset};
use super::records::{Fingerprints, Lines};
use super::stream::Records;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Beginning of error messages about malformed records.
const WHAT: &str = "this is not a Prodigy record";

/// Reads Prodigy records. A document has one layer, created by the annotator of the record.
///
/// Records that were not accepted are read, as documents without annotations, only if all layers
/// are read. Otherwise one of several annotators is selected by name or, if no name is a number, by
/// position among the names in the order of their first occurrence in accepted records.
///
/// ```json
/// {"text": "Bob ate", "spans": [], "_annotator_id": "ann"}
/// {"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}], "_annotator_id": "eve"}
/// ```
///
/// In this example, `eve` or `1` selects the second record, and `ann` or `0` the first; if no
/// annotator is selected, the file is rejected, because the same text would be scored twice. If two
/// annotators annotated different texts, no selection is needed.
pub(super) struct Prodigy {
    lines: Lines,
    wanted: Wanted,
    /// The annotators of accepted records so far.
    annotators: Annotators,
    fingerprints: Fingerprints,
    /// Line number of the first record for each annotator, input and text.
    inputs: HashMap<u128, u64>,
    /// Annotator of each text.
    texts: HashMap<u128, Option<usize>>,
    /// Whether a document has been returned.
    found: bool,
}

/// The annotators whose records are read.
enum Wanted {
    Sole,
    Named(String),
    All,
}

impl Records for Prodigy {
    fn next(&mut self) -> Result<Option<Document>> {
        self.next_document()
    }
}

impl Prodigy {
    /// Opens a source. If `choice` is a number, the source is read twice, to find out first whether
    /// the number is a name.
    ///
    /// # Errors
    /// The errors of [`Lines::open`], and for an annotator given by number the errors of
    /// [`Records::next`].
    pub(super) fn open(source: &Source, choice: &LayerChoice, limits: Limits) -> Result<Self> {
        let open = |wanted| {
            Ok(Self {
                lines: Lines::open(source, limits)?,
                wanted,
                annotators: Annotators::default(),
                fingerprints: Fingerprints::default(),
                inputs: HashMap::new(),
                texts: HashMap::new(),
                found: false,
            })
        };
        let wanted = match choice {
            LayerChoice::Sole => Wanted::Sole,
            LayerChoice::All => Wanted::All,
            LayerChoice::Named(name) if !choice.is_number() => Wanted::Named(name.clone()),
            LayerChoice::Named(name) => {
                let mut names: Self = open(Wanted::All)?;
                names.read_names()?;
                let names = names.annotators;
                let place = names.place(name).or_else(|| names.numbered(name));
                let place = place.ok_or_else(|| names.missing(source.name(), name))?;
                Wanted::Named(names.names()[place].clone())
            }
        };
        open(wanted)
    }

    /// Returns the next document; None at the end.
    ///
    /// # Errors
    /// [`Code::BadDocument`]:
    ///
    /// - with line and column for an accepted record without the expected structure;
    /// - if several annotators annotated the same text and none is selected;
    /// - if the selected annotator does not occur;
    /// - if two records of the selected annotator, or without an annotator, have the same input
    ///   (`_input_hash`) and text.
    ///
    /// Also the errors of [`Lines::next`].
    fn next_document(&mut self) -> Result<Option<Document>> {
        while let Some((line, record)) = self.record()? {
            let Some(record) = record else {
                continue;
            };
            let annotator = record.annotator();
            if record.answer() != Answer::Given {
                if matches!(self.wanted, Wanted::All) {
                    return Ok(Some(record.document(annotator)));
                }
                continue;
            }
            let place = annotator.clone().map(|name| self.annotators.add(name));
            match &self.wanted {
                Wanted::Named(name) if annotator.as_ref() != Some(name) => continue,
                Wanted::Sole => self.refuse_several(&record.text, place)?,
                _ => {}
            }
            self.refuse_repeated(&record, place, line)?;
            self.found = true;
            return Ok(Some(record.document(annotator)));
        }
        match &self.wanted {
            Wanted::Named(name) if !self.found => {
                Err(self.annotators.missing(self.lines.name(), name))
            }
            _ => Ok(None),
        }
    }

    /// Returns the next record and its line number; None at the end. The record is None if it is
    /// malformed but was not accepted, because such records are not checked.
    fn record(&mut self) -> Result<Option<(u64, Option<Record>)>> {
        json::next_record(&mut self.lines, WHAT, |line| {
            serde_json::from_str(line)
                .and_then(Record::checked)
                .map(Some)
                .or_else(|error| match serde_json::from_str::<Answered>(line) {
                    Ok(record) if !accepted(record.answer.as_deref()) => Ok(None),
                    _ => Err(error),
                })
        })
    }

    /// Reads the rest of the file to collect the names of the annotators.
    fn read_names(&mut self) -> Result<()> {
        while let Some((_, record)) = self.record()? {
            let accepted = record.filter(|record| record.answer() == Answer::Given);
            if let Some(name) = accepted.and_then(|record| record.annotator()) {
                self.annotators.add(name);
            }
        }
        Ok(())
    }

    /// Rejects a text that another annotator has annotated; unnamed annotators count as one
    /// annotator.
    fn refuse_several(&mut self, text: &str, annotator: Option<usize>) -> Result<()> {
        let text = self.fingerprints.of(text);
        if *self.texts.entry(text).or_insert(annotator) == annotator {
            return Ok(());
        }
        self.read_names()?;
        let names = self.annotators.names();
        let message = format!(
            "records of {} annotators ({}) for the same texts; choose one (--annotator)",
            names.len(),
            names[..names.len().min(5)].join(", ")
        );
        let position = Position::file(self.lines.name());
        Err(Error::new(Code::BadDocument, position, message))
    }

    /// Rejects a second record of the same input and text by the same annotator, or without an
    /// annotator. Records without an input hash are not compared.
    fn refuse_repeated(
        &mut self,
        record: &Record,
        annotator: Option<usize>,
        line: u64,
    ) -> Result<()> {
        let Some(input) = json::id(&record.input) else {
            return Ok(());
        };
        let key = self.fingerprints.of((annotator, input, &record.text));
        let first = *self.inputs.entry(key).or_insert(line);
        if first < line {
            let message = format!(
                "the same input as on line {first}, by the same annotator or by unnamed annotators; keep one \
                 record per input, or name the annotators with \"_annotator_id\""
            );
            let position = Position::line(self.lines.name(), line);
            return Err(Error::new(Code::BadDocument, position, message));
        }
        Ok(())
    }
}

/// A record.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"text\" and \"spans\"")]
struct Record {
    /// The text.
    text: String,
    /// The annotations; a record without the key has none.
    spans: Option<Vec<Labelled>>,
    /// The tokens, if the text was tokenised.
    tokens: Option<Vec<Token>>,
    /// Links between spans, or between tokens.
    #[serde(default)]
    relations: Value,
    /// The key of spans in doccano files; in Prodigy, `label` is a category.
    #[serde(default)]
    label: Value,
    #[serde(default)]
    labels: Value,
    #[serde(default)]
    entities: Value,
    /// `accept`, `reject` or `ignore`.
    answer: Option<String>,
    /// Id of the record; null if there is none.
    #[serde(default)]
    id: Value,
    /// Object that may contain an id.
    #[serde(default)]
    meta: Value,
    /// Hash of the input.
    #[serde(default, rename = "_input_hash")]
    input: Value,
    /// Name of the annotator.
    #[serde(default, rename = "_annotator_id")]
    annotator: Value,
    /// Name of the session, used as the annotator if there is no annotator name.
    #[serde(default, rename = "_session_id")]
    session: Value,
}

/// The only key that is read in a malformed record: errors in records that were not accepted are
/// ignored.
#[derive(Deserialize)]
struct Answered {
    answer: Option<String>,
}

/// Returns true for accepted records and for records without an answer.
fn accepted(answer: Option<&str>) -> bool {
    answer.is_none_or(|answer| answer == "accept")
}

/// A Prodigy annotation.
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

/// A Prodigy token.
#[derive(Deserialize)]
#[serde(expecting = "an object with \"start\" and \"end\"")]
struct Token {
    /// First character.
    start: Offset,
    /// One past the last character.
    end: Offset,
}

impl Record {
    /// Returns the record unless it has spans under one of doccano's keys.
    ///
    /// # Errors
    /// A message with the key.
    fn checked(self) -> serde_json::Result<Self> {
        let lists = [
            ("label", &self.label),
            ("labels", &self.labels),
            ("entities", &self.entities),
        ];
        match lists.iter().find(|(_, list)| list.is_array()) {
            Some((key, _)) if self.spans.is_none() => Err(serde_json::Error::custom(format!(
                "there is a list {key:?} but no \"spans\"; is this a doccano file?"
            ))),
            _ => Ok(self),
        }
    }

    /// Returns the annotator of the record, if it has one.
    fn annotator(&self) -> Option<String> {
        [&self.annotator, &self.session]
            .into_iter()
            .find_map(json::id)
    }

    /// Returns the annotator's decision about the text: [`Answer::Given`] for every accepted
    /// record.
    fn answer(&self) -> Answer {
        match self.answer.as_deref() {
            answer if accepted(answer) => Answer::Given,
            Some("reject") => Answer::Rejected,
            _ => Answer::Skipped,
        }
    }

    /// Converts the record to a document. Tokens precede spans.
    fn document(self, annotator: Option<String>) -> Document {
        let answer = match self.answer() {
            Answer::Given if self.spans.as_ref().is_none_or(Vec::is_empty) => Answer::Empty,
            answer => answer,
        };
        let mut document = Document::new(self.text);
        let names = [Some(&self.id), self.meta.get("id"), Some(&self.input)];
        document.id = names.into_iter().flatten().find_map(json::id);
        document.layers.push(Layer {
            name: annotator,
            answer,
        });
        if matches!(answer, Answer::Skipped | Answer::Rejected) {
            return document;
        }
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
        relate(&mut document, &self.relations);
        document
    }
}

/// Adds relations. The ends are spans, given by offsets and label, or tokens, given by offsets; a
/// relation with a missing end is left out with a report.
fn relate(document: &mut Document, relations: &Value) {
    let Some(relations) = relations
        .as_array()
        .filter(|relations| !relations.is_empty())
    else {
        return;
    };
    let mut places = HashMap::new();
    for (at, annotation) in (0..).zip(&document.annotations) {
        let place = (annotation.start, annotation.end);
        places.insert((place, document.type_of(annotation).to_owned()), at);
    }
    let tokens = document.annotations.iter().map(|a| document.type_of(a));
    let tokens = tokens.take_while(|ty| *ty == TOKEN).count() as u64;
    let end = |relation: &Value, key: &str| {
        let Some(span) = relation.get(key) else {
            let index = relation.get(key.strip_suffix("_span")?)?.as_u64()?;
            return (index < tokens).then_some(index as u32);
        };
        let offset = |key: &str| u32::try_from(span.get(key)?.as_u64()?).ok();
        let label = span.get("label").and_then(Value::as_str).unwrap_or(TOKEN);
        let place = (offset("start")?, offset("end")?);
        places.get(&(place, label.to_owned())).copied()
    };
    for relation in relations {
        let ty = relation.get("label").and_then(Value::as_str);
        let ty = ty.unwrap_or_default();
        match (end(relation, "head_span"), end(relation, "child_span")) {
            (Some(from), Some(to)) => document.relate(ty, from, to),
            _ => document.leave_out_relation(|| {
                let ty = json::excerpt(ty, 40);
                format!(
                    "relation {ty:?}: the head or the child is neither a span nor a token of the record"
                )
            }),
        }
    }
}

#[cfg(test)]
mod tests {
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
        let span = |start: u32, label: &str| {
            format!("{{\"start\": {start}, \"end\": 3, \"label\": {label}}}")
        };
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
}
