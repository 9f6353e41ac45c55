//! Documents whose annotators have one record each: Prodigy, JSON_MIN and CSV of Label Studio.
//!
//! The source is read twice. The first pass finds out which records belong to one document, and
//! which records were replaced by later records of the same annotator; it keeps a few bytes for
//! each record. The second pass returns documents. If all layers are read, the records of a
//! document become one document with a layer each, at the position of the first record:
//!
//! ```text
//! text  annotator                text  layers
//! A     ann                      A     ann, bob
//! B     ann              ->      B     ann
//! A     bob
//! ```
//!
//! Only documents with further records, and the documents after them, are held in memory: none if
//! the records of each document are adjacent, and nearly all if the annotators are one after
//! another.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::Value;

use super::annotated_text::{Annotation, Document};
use super::annotators::Annotators;
use super::counted::Counted;
use super::records::Fingerprints;
use super::stream::Records;
use crate::error::{Error, Result};

/// The time of an annotation: milliseconds, or the digits of a date. Times of one file have the
/// same form, so that they can be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Moment(u64);

impl Moment {
    /// Reads a time: a number of seconds, or a date such as `2024-05-17T09:30:12.123456Z`. Other
    /// values are earlier than all times.
    pub(super) fn of(value: &Value) -> Self {
        /// Number of digits that fit into the number.
        const DIGITS: usize = 19;
        match value {
            Value::Number(seconds) => {
                Self((seconds.as_f64().unwrap_or_default() * 1000.0).max(0.0) as u64)
            }
            Value::String(date) => {
                let digits = date.chars().filter_map(|c| c.to_digit(10));
                let digits = digits.chain(std::iter::repeat(0)).take(DIGITS);
                Self(digits.fold(0, |number, digit| number * 10 + u64::from(digit)))
            }
            _ => Self::default(),
        }
    }
}

/// What the first pass finds out about a record.
pub(super) struct Head {
    /// Fingerprint of the document.
    pub(super) document: u128,
    /// The annotator, if the record has one.
    pub(super) annotator: Option<String>,
    /// Time of the annotation.
    pub(super) moment: Moment,
    /// Whether the annotator can be selected: the document was neither rejected nor skipped.
    pub(super) accepted: bool,
}

/// The records of a file, as found by the first pass.
#[derive(Default)]
pub(super) struct Plan {
    pub(super) fingerprints: Fingerprints,
    /// The annotators of accepted records.
    pub(super) annotators: Annotators,
    /// Records that were replaced by a later record of the same annotator.
    pub(super) replaced: Counted,
    /// Document of each record, in the order of the file.
    documents: Vec<u128>,
    /// Number of records of each document that have not been read in the second pass.
    remaining: HashMap<u128, u32>,
    /// Time and index of the latest record, by document and annotator.
    latest: HashMap<u128, (Moment, u64)>,
    /// Indices of the replaced records.
    superseded: HashSet<u64>,
    /// Number of records so far, by text and annotator.
    occurrences: HashMap<u128, u32>,
    /// Annotator of accepted records, by document.
    holders: HashMap<u128, Option<usize>>,
}

impl Plan {
    /// Adds the next record; None for a record without a document. `place` returns its location for
    /// messages.
    pub(super) fn add(&mut self, head: Option<Head>, place: impl FnOnce() -> String) {
        let index = self.documents.len() as u64;
        let Some(head) = head else {
            self.documents.push(0);
            return;
        };
        self.documents.push(head.document);
        let remaining = self.remaining.entry(head.document).or_default();
        *remaining += 1;
        let Some(annotator) = head.annotator else {
            return;
        };
        let key = self.fingerprints.of((head.document, &annotator));
        if let Some(latest) = self.latest.get_mut(&key) {
            *remaining -= 1;
            self.replaced
                .add(|| format!("{}, annotator {annotator}", place()));
            // Of records of the same time, the last in the file is the latest.
            let earlier = if latest.0 > head.moment {
                index
            } else {
                std::mem::replace(latest, (head.moment, index)).1
            };
            self.superseded.insert(earlier);
        } else {
            self.latest.insert(key, (head.moment, index));
        }
        if head.accepted {
            self.annotators.add(annotator);
        }
    }

    /// Returns the fingerprint of a document without an id: its text, and how often the annotator
    /// had a record with this text before.
    pub(super) fn document_without_id(
        &mut self,
        text: &str,
        annotator: Option<&str>,
        name: Option<&str>,
    ) -> u128 {
        let key = self.fingerprints.of((text, annotator, name));
        let count = self.occurrences.entry(key).or_default();
        *count += 1;
        self.fingerprints.of((text, name, *count))
    }

    /// Registers an accepted record of an annotator, and returns true if another annotator has an
    /// accepted record with the same key. All unnamed annotators are one annotator.
    pub(super) fn is_held_by_another(&mut self, key: u128, annotator: Option<&str>) -> bool {
        let place = annotator.map(|name| self.annotators.add(name.to_owned()));
        *self.holders.entry(key).or_insert(place) != place
    }

    /// Returns the name of the annotator of the first accepted record with this key.
    pub(super) fn holder(&self, key: u128) -> Option<&str> {
        let place = (*self.holders.get(&key)?)?;
        self.annotators.names().get(place).map(String::as_str)
    }

    /// Returns true if a record was not replaced by a later record of the same annotator.
    pub(super) fn reads(&self, index: u64) -> bool {
        !self.superseded.contains(&index)
    }

    /// Discards what is needed only in the first pass.
    pub(super) fn finish(mut self) -> Self {
        self.latest = HashMap::new();
        self.occurrences = HashMap::new();
        self.holders = HashMap::new();
        self
    }

    /// Returns the sentence about replaced records.
    pub(super) fn notice(&self) -> Option<String> {
        const AGAIN: &str = "not read because the annotator annotated the same document again";
        self.replaced.notice(
            &format!("record is {AGAIN}"),
            &format!("records are {AGAIN}"),
        )
    }
}

/// Reads records of one annotator each, in a second pass.
pub(super) trait Singles: Send {
    /// Returns the next record that is wanted and not replaced ([`Plan::reads`]), with its index
    /// among all records and its document, which has one layer; None at the end.
    fn next(&mut self, plan: &Plan) -> Result<Option<(u64, Document)>>;

    /// Same as [`Records::notices`].
    fn notices(&mut self) -> Vec<String>;
}

/// Merges the records of each document.
pub(super) struct Merged<S> {
    singles: S,
    plan: Plan,
    /// Whether all layers are read; otherwise each record is a document.
    all: bool,
    /// Documents in the order of their first records.
    queue: VecDeque<Pending>,
    /// Number of documents that have left the queue.
    passed: usize,
    /// Number of documents before a document, including those that have left the queue, for the
    /// documents in the queue.
    places: HashMap<u128, usize>,
    /// Whether there are no further records.
    ended: bool,
    /// The error that ended the records.
    failed: Option<Error>,
    /// Documents with different metadata in their records.
    differing: Counted,
}

/// A document with its records so far.
struct Pending {
    key: u128,
    document: Document,
    /// Indices of the tokens, by start and end; computed with the second record.
    tokens: Option<HashMap<(u32, u32), u32>>,
    complete: bool,
}

impl<S: Singles> Merged<S> {
    /// Creates a reader for the second pass.
    pub(super) fn new(singles: S, plan: Plan, all: bool) -> Self {
        Self {
            singles,
            plan: plan.finish(),
            all,
            queue: VecDeque::new(),
            passed: 0,
            places: HashMap::new(),
            ended: false,
            failed: None,
            differing: Counted::default(),
        }
    }

    /// Adds a record to its document.
    fn add(&mut self, index: u64, document: Document) {
        let key = self.plan.documents.get(index as usize).copied();
        let key = key.unwrap_or_default();
        let remaining = self.plan.remaining.get_mut(&key);
        let complete = remaining.is_none_or(|remaining| {
            *remaining = remaining.saturating_sub(1);
            *remaining == 0
        });
        let place = self.places.get(&key).map(|place| place - self.passed);
        if let Some(pending) = place.and_then(|place| self.queue.get_mut(place)) {
            pending.complete = complete;
            if document.metadata != pending.document.metadata {
                self.differing.add(|| shown(&document));
            }
            pending.append(document);
            return;
        }
        if !complete {
            self.places.insert(key, self.passed + self.queue.len());
        }
        self.queue.push_back(Pending {
            key,
            document,
            tokens: None,
            complete,
        });
    }
}

/// Returns the name of a document for messages.
fn shown(document: &Document) -> String {
    let text = || super::json::excerpt(&document.text, 40);
    match document.id.as_ref().or(document.name.as_ref()) {
        Some(id) => format!("document {id}"),
        None => format!("text {:?}", text()),
    }
}

impl<S: Singles> Records for Merged<S> {
    fn next(&mut self) -> Result<Option<Document>> {
        if !self.all {
            return Ok(self.singles.next(&self.plan)?.map(|(_, document)| document));
        }
        loop {
            let complete = self.queue.front().is_some_and(|first| first.complete);
            if complete || self.ended {
                let Some(first) = self.queue.pop_front() else {
                    return self.failed.take().map_or(Ok(None), Err);
                };
                self.places.remove(&first.key);
                self.passed += 1;
                return Ok(Some(first.document));
            }
            match self.singles.next(&self.plan) {
                Ok(Some((index, document))) => self.add(index, document),
                Ok(None) => self.ended = true,
                Err(error) => (self.ended, self.failed) = (true, Some(error)),
            }
        }
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices = self.singles.notices();
        notices.extend(self.plan.notice());
        notices.extend(self.differing.notice(
            "document has different metadata in the records of its annotators; those of the first \
             record are read",
            "documents have different metadata in the records of their annotators; those of the \
             first record are read",
        ));
        notices
    }
}

impl Pending {
    /// Adds the layers of another record of the same text. Tokens that equal those of the first
    /// record with tokens are not repeated.
    fn append(&mut self, other: Document) {
        let document = &mut self.document;
        let layers = document.layers.len() as u32;
        document.layers.extend(other.layers.iter().cloned());
        let known = self.tokens.get_or_insert_with(|| tokens(document, 0..));
        let place = |a: &Annotation| (a.start, a.end);
        let mut of_other = other.annotations.iter().filter(|a| other.is_token(a));
        let same = of_other.all(|a| known.contains_key(&place(a)));
        let mut numbers = Vec::with_capacity(other.annotations.len());
        for annotation in &other.annotations {
            let token = known.get(&place(annotation));
            if let Some(&token) = token.filter(|_| same && other.is_token(annotation)) {
                numbers.push(token);
                continue;
            }
            numbers.push(document.annotations.len() as u32);
            let ty = document.intern(other.type_of(annotation));
            document.push(ty, annotation.start, annotation.end);
            if let Some(last) = document.annotations.last_mut() {
                last.layer = layers + annotation.layer;
            }
            for (name, value) in other.attribute_values(annotation) {
                document.add_attribute(name, value.clone());
            }
            document.set_pieces(other.pieces(annotation));
        }
        for relation in &other.relations {
            let [from, to] = [relation.from, relation.to].map(|at| numbers.get(at as usize));
            if let (Some(&from), Some(&to)) = (from, to) {
                document.relate(other.type_of_relation(relation), from, to);
            }
        }
        if known.is_empty() {
            *known = tokens(&other, numbers.iter().copied());
        }
        let reports = other.left_out.len();
        for report in other.left_out {
            document.leave_out(|| report);
        }
        document.left_out_count += other.left_out_count.saturating_sub(reports);
        for report in other.relations_left_out {
            document.leave_out_relation(|| report);
        }
    }
}

/// Returns the numbers of the tokens of a document by start and end; `numbers` are the numbers of
/// its annotations.
fn tokens(document: &Document, numbers: impl IntoIterator<Item = u32>) -> HashMap<(u32, u32), u32> {
    let all = document.annotations.iter().zip(numbers);
    let tokens = all.filter(|(a, _)| document.is_token(a));
    tokens
        .map(|(a, number)| ((a.start, a.end), number))
        .collect()
}
