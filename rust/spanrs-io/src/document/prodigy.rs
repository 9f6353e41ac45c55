//! Prodigy's JSON Lines: one object per line, each a document by one annotator.
//!
//! ```json
//! {"text": "Bob ate", "spans": [{"start": 0, "end": 3, "label": "PER"}], "answer": "accept"}
//! ```
//!
//! Offsets count code points from 0, ends exclusive. Blank lines are skipped.
//!
//! | | keys |
//! |---|---|
//! | text | `text` |
//! | spans | `spans` |
//! | tokens | `tokens` (type `lex`), before the spans |
//! | relations | `relations`: from `head_span` to `child_span`, or otherwise from token `head` to token `child`, with the type `label` |
//! | name | the first string of `name`, `filename`, `file_name`, `file`, `title`, `doc_name`, `document` in `meta` |
//! | id | `id`, otherwise `meta.id`, otherwise the name, otherwise `_input_hash` |
//! | metadata | the other keys of `meta`, and all keys that are not Prodigy's |
//! | annotator | `_annotator_id`, otherwise `_session_id` |
//! | accepted | no `answer`, or `accept` |
//! | ignored | all other keys that begin with `_` |
//!
//! Records of the same input (`_input_hash`, otherwise the id) and the same text belong to one
//! document; without input and id, the first record of an annotator with a text belongs to the
//! first record of another annotator with the same text, and so on. Of several records of a
//! document by one annotator, the latest (`_timestamp`) is read.
//!
//! A line is parsed directly into structs; only one line at a time is in memory, plus a few bytes
//! for each document ([`super::merging`]). Source: <https://prodi.gy/docs/api-interfaces>.

mod write;

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde::de::Error as _;
use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};

pub(super) use write::Writer;

use super::annotated_text::{Answer, Document, Layer, TOKEN};
use super::annotators::{LayerChoice, Wanted};
use super::counted::Counted;
use super::json::{self, Offset};
use super::merging::{Head, Merged, Moment, Plan, Singles};
use super::metadata::{add_facts, name_of, take_name};
use super::records::Lines;
use super::stream::Records;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Beginning of error messages about malformed records.
const WHAT: &str = "this is not a Prodigy record";

/// Opens a source, which is read twice.
///
/// Records that were not accepted are read, as layers without annotations, only if all layers are
/// read. Otherwise one of several annotators is selected by name or, if no name is a number, by
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
///
/// # Errors
/// [`Code::BadDocument`] if several annotators annotated the same text and none is selected, if the
/// selected annotator does not occur, and if two records with the same input and text have no
/// annotator, unless all layers are read. Also the errors of [`Lines::open`]. Malformed records are
/// reported by [`Records::next`].
pub(super) fn open(
    source: &Source,
    choice: &LayerChoice,
    limits: Limits,
) -> Result<Box<dyn Records>> {
    source.read_twice();
    let mut first = FirstPass {
        lines: Lines::open(source, limits)?,
        plan: Plan::default(),
        inputs: HashMap::new(),
        contradicted: false,
    };
    // A malformed record is reported in the second pass, after the documents before it.
    let complete = first.read(*choice == LayerChoice::Sole)?;
    let FirstPass {
        plan, contradicted, ..
    } = first;
    let wanted = match choice {
        LayerChoice::Sole => Wanted::Sole,
        LayerChoice::All | LayerChoice::Project => Wanted::All,
        LayerChoice::Named(name) => {
            let names = &plan.annotators;
            let place = names.place(name).or_else(|| names.numbered(name));
            match place {
                Some(place) => Wanted::Named(names.names()[place].clone()),
                None if complete => return Err(names.missing(source.name(), name)),
                None => Wanted::Named(name.clone()),
            }
        }
    };
    if wanted == Wanted::Sole && contradicted {
        let names = plan.annotators.names();
        let message = format!(
            "records of {} annotators ({}) for the same texts; choose one (--annotator)",
            names.len(),
            names[..names.len().min(5)].join(", ")
        );
        return Err(Error::new(
            Code::BadDocument,
            Position::file(source.name()),
            message,
        ));
    }
    let all = wanted == Wanted::All;
    let second = SecondPass {
        lines: Lines::open(source, limits)?,
        wanted,
        index: 0,
        rejected: Counted::default(),
        ignored: Counted::default(),
        malformed: Counted::default(),
    };
    Ok(Box::new(Merged::new(second, plan, all)))
}

/// Reads the keys that identify the records.
struct FirstPass {
    lines: Lines,
    plan: Plan,
    /// Line number of the first record without an annotator, by input and text.
    inputs: HashMap<u128, u64>,
    /// Whether several annotators annotated the same text.
    contradicted: bool,
}

impl FirstPass {
    /// Reads all records; false if a record is malformed, which ends the pass. `sole` is true if no
    /// annotator is selected.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for the same input twice without an annotator, with `sole`.
    fn read(&mut self, sole: bool) -> Result<bool> {
        loop {
            let plan = &mut self.plan;
            let skimmed = json::next_record(&mut self.lines, WHAT, |line| {
                let skimmed = parse_or_skip(line, serde_json::from_str::<Skimmed>)?;
                Ok(skimmed.map(|record| record.head(plan)))
            });
            match skimmed {
                Ok(Some((line, Ok(skim)))) => {
                    if sole && skim.head.accepted {
                        self.refuse_several(&skim, line)?;
                    }
                    self.plan.add(Some(skim.head), || format!("line {line}"));
                }
                Ok(Some((_, Err(_)))) => self.plan.add(None, String::new),
                Ok(None) => return Ok(true),
                Err(_) => return Ok(false),
            }
        }
    }

    /// Detects a text that another annotator annotated, and rejects a second record of the same
    /// input and text without an annotator. Records without an input hash are not compared.
    fn refuse_several(&mut self, skim: &Skim, line: u64) -> Result<()> {
        let annotator = skim.head.annotator.as_deref();
        self.contradicted |= self.plan.is_held_by_another(skim.text, annotator);
        if annotator.is_some() || !skim.has_input {
            return Ok(());
        }
        let first = *self.inputs.entry(skim.head.document).or_insert(line);
        if first < line {
            let message = format!(
                "the same input as on line {first}, and neither record names its annotator; keep one \
                 record per input, or name the annotators with \"_annotator_id\""
            );
            let position = Position::line(self.lines.name(), line);
            return Err(Error::new(Code::BadDocument, position, message));
        }
        Ok(())
    }
}

/// What the first pass keeps of a record.
struct Skim {
    head: Head,
    /// Fingerprint of the text.
    text: u128,
    /// Whether the record has an input hash.
    has_input: bool,
}

/// Reads the documents of the records that are wanted.
struct SecondPass {
    lines: Lines,
    wanted: Wanted,
    /// Index of the next record.
    index: u64,
    rejected: Counted,
    ignored: Counted,
    /// Records that are malformed and were not accepted.
    malformed: Counted,
}

impl Singles for SecondPass {
    fn next(&mut self, plan: &Plan) -> Result<Option<(u64, Document)>> {
        loop {
            let record = json::next_record(&mut self.lines, WHAT, |line| {
                parse_or_skip(line, |line| {
                    serde_json::from_str(line).and_then(Record::checked)
                })
            })?;
            let Some((line, record)) = record else {
                return Ok(None);
            };
            let index = self.index;
            self.index += 1;
            if !plan.reads(index) {
                continue;
            }
            let all = self.wanted == Wanted::All;
            let (answer, annotator) = match &record {
                Ok(record) => (record.answer(), record.identity().annotator()),
                Err(answer) => (*answer, None),
            };
            if let (Wanted::Named(name), Ok(_)) = (&self.wanted, &record)
                && annotator.as_ref() != Some(name)
            {
                continue;
            }
            let place = || format!("line {line}");
            match record {
                Ok(record) if all || answer == Answer::Given => {
                    return Ok(Some((index, record.document(annotator))));
                }
                Err(_) if all => self.malformed.add(place),
                _ if answer == Answer::Rejected => self.rejected.add(place),
                _ => self.ignored.add(place),
            }
        }
    }

    fn notices(&mut self) -> Vec<String> {
        let notices = [
            self.rejected.notice(
                "rejected record is not read",
                "rejected records are not read",
            ),
            self.ignored
                .notice("ignored record is not read", "ignored records are not read"),
            self.malformed.notice(
                "record that was not accepted is malformed and not read",
                "records that were not accepted are malformed and not read",
            ),
        ];
        notices.into_iter().flatten().collect()
    }
}

/// Parses a record. Returns its answer if it is malformed but was not accepted, because errors in
/// such records are ignored.
fn parse_or_skip<'a, T>(
    line: &'a str,
    parse: impl FnOnce(&'a str) -> serde_json::Result<T>,
) -> serde_json::Result<std::result::Result<T, Answer>> {
    parse(line).map(Ok).or_else(|error| {
        let answer = serde_json::from_str::<Answered>(line);
        match answer.map(|record| answer_of(record.answer.as_deref())) {
            Ok(answer @ (Answer::Rejected | Answer::Skipped)) => Ok(Err(answer)),
            _ => Err(error),
        }
    })
}

/// Returns the decision of the annotator: [`Answer::Given`] for `accept` and for no answer.
fn answer_of(answer: Option<&str>) -> Answer {
    match answer {
        None | Some("accept") => Answer::Given,
        Some("reject") => Answer::Rejected,
        _ => Answer::Skipped,
    }
}

/// The keys of a record that the first pass reads.
#[derive(Deserialize)]
struct Skimmed<'a> {
    #[serde(borrow)]
    text: Cow<'a, str>,
    answer: Option<String>,
    #[serde(default, rename = "_timestamp")]
    time: Value,
    #[serde(default)]
    id: Value,
    #[serde(default)]
    meta: Value,
    #[serde(default, rename = "_input_hash")]
    input: Value,
    #[serde(default, rename = "_annotator_id")]
    annotator: Value,
    #[serde(default, rename = "_session_id")]
    session: Value,
}

impl Skimmed<'_> {
    /// Returns what the first pass keeps.
    fn head(&self, plan: &mut Plan) -> Skim {
        let identity = self.identity();
        Skim {
            head: Head {
                document: identity.document(&self.text, plan),
                annotator: identity.annotator(),
                moment: Moment::of(&self.time),
                accepted: answer_of(self.answer.as_deref()) == Answer::Given,
            },
            text: plan.fingerprints.of(&self.text),
            has_input: json::id(&self.input).is_some(),
        }
    }

    /// Returns the values that identify the record.
    fn identity(&self) -> Identity<'_> {
        let Self {
            id,
            meta,
            input,
            annotator,
            session,
            ..
        } = self;
        Identity {
            id,
            meta,
            input,
            annotator,
            session,
        }
    }
}

/// Document and annotator of a record.
struct Identity<'a> {
    id: &'a Value,
    meta: &'a Value,
    input: &'a Value,
    annotator: &'a Value,
    session: &'a Value,
}

impl Identity<'_> {
    /// Returns the annotator of the record, if it has one.
    fn annotator(&self) -> Option<String> {
        [self.annotator, self.session]
            .into_iter()
            .find_map(json::id)
    }

    /// Returns the id of the document, if the record has one.
    fn id(&self) -> Option<String> {
        let ids = [Some(self.id), self.meta.get("id")];
        ids.into_iter().flatten().find_map(json::id)
    }

    /// Returns the fingerprint of the document.
    fn document(&self, text: &str, plan: &mut Plan) -> u128 {
        let input = json::id(self.input);
        let is_input = input.is_some();
        match input.or_else(|| self.id()) {
            Some(id) => plan.fingerprints.of((is_input, id, text)),
            None => {
                let name = self.meta.as_object().and_then(name_of);
                plan.document_without_id(text, self.annotator().as_deref(), name)
            }
        }
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
    /// `accept`, `reject` or `ignore`.
    answer: Option<String>,
    /// Id of the record; null if there is none.
    #[serde(default)]
    id: Value,
    /// Object with facts about the document, including its id and its name.
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
    /// All other keys.
    #[serde(flatten)]
    facts: Map<String, Value>,
}

/// The only key that is read in a malformed record: errors in records that were not accepted are
/// ignored.
#[derive(Deserialize)]
struct Answered {
    answer: Option<String>,
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
        let lists = ["label", "labels", "entities"].map(|key| (key, self.facts.get(key)));
        match lists
            .iter()
            .find(|(_, list)| list.is_some_and(Value::is_array))
        {
            Some((key, _)) if self.spans.is_none() => Err(serde_json::Error::custom(format!(
                "there is a list {key:?} but no \"spans\"; is this a doccano file?"
            ))),
            _ => Ok(self),
        }
    }

    /// Returns the values that identify the record.
    fn identity(&self) -> Identity<'_> {
        let Self {
            id,
            meta,
            input,
            annotator,
            session,
            ..
        } = self;
        Identity {
            id,
            meta,
            input,
            annotator,
            session,
        }
    }

    /// Returns the annotator's decision about the text: [`Answer::Given`] for every accepted
    /// record.
    fn answer(&self) -> Answer {
        answer_of(self.answer.as_deref())
    }

    /// Converts the record to a document. Tokens precede spans; spans and relations of a record
    /// that was not accepted are not read.
    fn document(mut self, annotator: Option<String>) -> Document {
        let answer = match self.answer() {
            Answer::Given if self.spans.as_ref().is_none_or(Vec::is_empty) => Answer::Empty,
            answer => answer,
        };
        let id = self.identity().id();
        let mut document = Document::new(std::mem::take(&mut self.text));
        self.describe(&mut document, id);
        document.layers.push(Layer {
            name: annotator,
            answer,
        });
        if let Some(tokens) = self.tokens {
            let ty = document.intern(TOKEN);
            for token in tokens {
                document.push(ty, token.start.0, token.end.0);
            }
        }
        if matches!(answer, Answer::Given | Answer::Empty) {
            for span in self.spans.into_iter().flatten() {
                let ty = document.intern(&span.label);
                document.push(ty, span.start.0, span.end.0);
            }
            relate(&mut document, &self.relations);
        }
        document
    }

    /// Sets id, name and metadata of a document.
    fn describe(&mut self, document: &mut Document, id: Option<String>) {
        let mut facts = match self.meta.take() {
            Value::Object(meta) => meta,
            Value::Null => Map::new(),
            other => Map::from_iter([("meta".to_owned(), other)]),
        };
        if json::id(&self.id).is_none() && id.is_some() {
            facts.shift_remove("id");
        }
        document.name = take_name(&mut facts);
        let name = document.name.clone();
        document.id = id.or(name).or_else(|| json::id(&self.input));
        add_facts(document, facts);
        // Prodigy's own keys begin with an underscore.
        self.facts
            .retain(|key, value| !key.starts_with('_') && !value.is_null());
        add_facts(document, std::mem::take(&mut self.facts));
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
mod tests;
