//! Label Studio's exports with one record per annotation: JSON_MIN and CSV.
//!
//! The source is read twice ([`crate::document::merging`]). Records with the same id and text belong
//! to one document.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};
use spanrs_base::Position;

use super::csv::Table;
use super::{OWN, Task, WHAT, is_full, moment, shown, take_text, text_key};
use crate::document::annotated_text::{Answer, Document, Layer};
use crate::document::annotators::{LayerChoice, Wanted, user_name};
use crate::document::counted::Counted;
use crate::document::encoding::behind;
use crate::document::json;
use crate::document::merging::{Head, Merged, Plan, Singles};
use crate::document::metadata::{add_facts, name_of, take_name};
use crate::document::records::Items;
use crate::document::regions::{CodeUnits, Regions};
use crate::document::stream::Records;
use crate::error::{Code, Error, Result};

/// The key of the regions in the files that are written.
pub(super) const LABEL: &str = "label";

/// A source of records.
pub(super) enum Rows {
    /// JSON_MIN, with the number of records so far.
    Json(Items, u64),
    Csv(Table),
}

/// A record.
pub(super) struct Row {
    /// Position for messages.
    pub(super) position: Position,
    /// Index of the record, from 0.
    pub(super) number: u64,
    /// The members of the object, or the cells of the row by column.
    pub(super) facts: Map<String, Value>,
}

impl Rows {
    fn name(&self) -> &str {
        match self {
            Self::Json(items, _) => items.name(),
            Self::Csv(table) => table.name(),
        }
    }

    /// Returns the next record; None at the end. Without `regions`, lists may be empty.
    fn next(&mut self, regions: bool) -> Result<Option<Row>> {
        let (items, next) = match self {
            Self::Json(items, next) => (items, next),
            Self::Csv(table) => return table.next(),
        };
        let Some((from, item)) = items.next()? else {
            return Ok(None);
        };
        let parsed = match regions {
            true => serde_json::from_str(item).map(|Task(facts)| facts),
            false => serde_json::from_str(item).map(|Skimmed(facts)| facts),
        };
        let facts = parsed.map_err(|error| json::error_from(&from, WHAT, &error))?;
        let position = behind(&from, &item.as_bytes()[..item.len() - 1]);
        let number = *next;
        *next += 1;
        let row = Row {
            position,
            number,
            facts,
        };
        if is_full(&row.facts) {
            return Err(row.wrong("this is a task of JSON in a file of JSON_MIN"));
        }
        Ok(Some(row))
    }
}

/// A record without its lists, which takes a fraction of the time to read.
struct Skimmed(Map<String, Value>);

impl<'de> Deserialize<'de> for Skimmed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Skimmed;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a task")
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                mut members: A,
            ) -> std::result::Result<Skimmed, A::Error> {
                let mut facts = Map::new();
                while let Some((key, Member(value))) = members.next_entry()? {
                    facts.insert(key, value);
                }
                Ok(Skimmed(facts))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A member of a record. The items of a list are not read.
struct Member(Value);

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Member;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }
            fn visit_bool<E>(self, value: bool) -> std::result::Result<Member, E> {
                Ok(Member(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> std::result::Result<Member, E> {
                Ok(Member(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> std::result::Result<Member, E> {
                Ok(Member(value.into()))
            }
            fn visit_f64<E>(self, value: f64) -> std::result::Result<Member, E> {
                Ok(Member(value.into()))
            }
            fn visit_str<E>(self, value: &str) -> std::result::Result<Member, E> {
                Ok(Member(value.into()))
            }
            fn visit_unit<E>(self) -> std::result::Result<Member, E> {
                Ok(Member(Value::Null))
            }
            fn visit_seq<A: SeqAccess<'de>>(
                self,
                mut items: A,
            ) -> std::result::Result<Member, A::Error> {
                while items.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Member(Value::Array(Vec::new())))
            }
            fn visit_map<A: MapAccess<'de>>(
                self,
                members: A,
            ) -> std::result::Result<Member, A::Error> {
                let members = Map::deserialize(MapAccessDeserializer::new(members))?;
                Ok(Member(Value::Object(members)))
            }
        }
        deserializer.deserialize_any(Any)
    }
}

impl Row {
    fn id(&self) -> Option<String> {
        self.facts.get("id").and_then(json::id)
    }

    fn annotator(&self) -> Option<String> {
        self.facts.get("annotator").and_then(user_name)
    }

    /// Returns true for a task without annotations, whose annotation has no id and no author.
    fn is_unannotated(&self) -> bool {
        let is_missing = |value: &Value| value.is_null() || value == "";
        let id = self.facts.get("annotation_id");
        id.is_some_and(is_missing) && self.facts.get("annotator").is_none_or(is_missing)
    }

    /// Returns the record for notices.
    fn shown(&self) -> String {
        shown(self.id().as_deref(), self.number)
    }

    /// Returns an error in this record.
    fn wrong(&self, message: &str) -> Error {
        let id = self.id().map_or(String::new(), |id| format!(" (id {id})"));
        let message = format!("{WHAT}: task {}{id}: {message}", self.number);
        Error::new(Code::BadDocument, self.position.clone(), message)
    }
}

/// Opens a source, which `open` opens from the beginning, twice.
///
/// # Errors
/// [`Code::BadDocument`] if an annotator is selected who does not occur; if no annotator is
/// selected, for two records of the same task by different annotators or without an annotator.
/// Malformed records are reported by [`Records::next`].
pub(super) fn open(
    name: &str,
    open: impl Fn() -> Result<Rows>,
    choice: &LayerChoice,
) -> Result<Box<dyn Records>> {
    let mut first = FirstPass {
        rows: open()?,
        plan: Plan::default(),
        unnamed: HashSet::new(),
        texts: HashMap::new(),
        differing: Counted::default(),
        unannotated: Counted::default(),
    };
    // A malformed record is reported in the second pass, after the documents before it.
    let complete = first.read(*choice == LayerChoice::Sole)?;
    let FirstPass {
        plan,
        differing,
        unannotated,
        ..
    } = first;
    let wanted = match choice {
        LayerChoice::Sole => Wanted::Sole,
        LayerChoice::All | LayerChoice::Project => Wanted::All,
        LayerChoice::Named(wanted) => {
            let names = &plan.annotators;
            match names.place(wanted).or_else(|| names.numbered(wanted)) {
                Some(place) => Wanted::Named(names.names()[place].clone()),
                // Each task has one annotation.
                None if complete && names.names().is_empty() && wanted == "0" => Wanted::Sole,
                None if complete => return Err(names.missing(name, wanted)),
                None => Wanted::Named(wanted.clone()),
            }
        }
    };
    let all = wanted == Wanted::All;
    let second = SecondPass {
        rows: open()?,
        wanted,
        differing,
        unannotated,
        code_units: CodeUnits::default(),
    };
    Ok(Box::new(Merged::new(second, plan, all)))
}

/// Reads what identifies the records.
struct FirstPass {
    rows: Rows,
    plan: Plan,
    /// Documents without an annotator.
    unnamed: HashSet<u128>,
    /// Fingerprint of the first text of each id.
    texts: HashMap<u128, u128>,
    /// Records with the id of another record, but with another text.
    differing: Counted,
    /// Tasks without annotations.
    unannotated: Counted,
}

impl FirstPass {
    /// Reads all records; false if a record is malformed, which ends the pass. `sole` is true if no
    /// annotator is selected.
    ///
    /// # Errors
    /// [`Code::BadDocument`], with `sole`, for two records of the same task.
    fn read(&mut self, sole: bool) -> Result<bool> {
        loop {
            let row = match self.rows.next(false) {
                Ok(Some(row)) => row,
                Ok(None) => return Ok(true),
                Err(_) => return Ok(false),
            };
            let text = text_key(&row.facts, &OWN).ok();
            let Some(text) = text.and_then(|key| row.facts.get(key)?.as_str()) else {
                return Ok(false);
            };
            if row.is_unannotated() {
                // The row of a task that nobody annotated.
                self.plan.add(None, || row.shown());
                self.unannotated.add(|| row.shown());
                continue;
            }
            let (id, annotator) = (row.id(), row.annotator());
            let plan = &mut self.plan;
            let document = match &id {
                Some(id) => plan.fingerprints.of((id, text)),
                None => plan.document_without_id(text, annotator.as_deref(), name_of(&row.facts)),
            };
            if let Some(id) = &id {
                let text = plan.fingerprints.of(text);
                let first = *self.texts.entry(plan.fingerprints.of(id)).or_insert(text);
                if first != text {
                    self.differing.add(|| row.shown());
                }
                if sole {
                    self.refuse_repeated(id, document, annotator.as_deref())?;
                }
            }
            let head = Head {
                document,
                annotator,
                moment: moment(&row.facts),
                accepted: true,
            };
            self.plan.add(Some(head), || row.shown());
        }
    }

    /// Rejects a second record of a task, unless both records are by the same annotator.
    fn refuse_repeated(&mut self, id: &str, key: u128, annotator: Option<&str>) -> Result<()> {
        let another = self.plan.is_held_by_another(key, annotator);
        let unnamed = annotator.is_none() && !self.unnamed.insert(key);
        if !another && !unnamed {
            return Ok(());
        }
        let message = match (self.plan.holder(key), annotator) {
            (Some(one), Some(two)) => format!(
                "annotators {one} and {two} both annotated task {id}; choose one (--annotator)"
            ),
            _ => format!(
                "task {id} has two annotations, at least one of them without an annotator; keep \
                 only one of them"
            ),
        };
        let position = Position::file(self.rows.name());
        Err(Error::new(Code::BadDocument, position, message))
    }
}

/// Reads the documents of the records that are wanted.
struct SecondPass {
    rows: Rows,
    wanted: Wanted,
    differing: Counted,
    unannotated: Counted,
    code_units: CodeUnits,
}

impl Singles for SecondPass {
    fn next(&mut self, plan: &Plan) -> Result<Option<(u64, Document)>> {
        loop {
            let Some(mut row) = self.rows.next(true)? else {
                return Ok(None);
            };
            let annotator = row.annotator();
            let wanted = match &self.wanted {
                Wanted::Named(name) => annotator.as_ref() == Some(name),
                _ => true,
            };
            if !wanted || !plan.reads(row.number) {
                continue;
            }
            let id = row.id();
            let facts = std::mem::take(&mut row.facts);
            match self.document(facts, annotator, || shown(id.as_deref(), row.number)) {
                Ok(mut document) => {
                    document.id = id;
                    return Ok(Some((row.number, document)));
                }
                Err(message) => {
                    // The id is shown in the message.
                    row.facts.extend(id.map(|id| ("id".to_owned(), id.into())));
                    return Err(row.wrong(&message));
                }
            }
        }
    }

    fn notices(&mut self) -> Vec<String> {
        let differing = self.differing.notice(
            "record has the id of another record, but another text, and is a separate document",
            "records have the id of another record, but another text, and are separate documents",
        );
        let unannotated = self.unannotated.notice(
            "task is not read because it has no annotations",
            "tasks are not read because they have no annotations",
        );
        differing
            .into_iter()
            .chain(unannotated)
            .chain(self.code_units.notices())
            .collect()
    }
}

impl SecondPass {
    /// Creates the document of a record. Regions are under the name of their control, which can be
    /// any string.
    fn document(
        &mut self,
        mut facts: Map<String, Value>,
        annotator: Option<String>,
        place: impl Fn() -> String,
    ) -> std::result::Result<Document, String> {
        let text = take_text(&mut facts, &OWN)?;
        let mut regions = Regions::new(text);
        regions.before = self.code_units.code_points();
        regions.document.layers.push(Layer {
            name: annotator,
            answer: Answer::Empty,
        });
        let lists = facts.iter().filter(|(key, value)| is_regions(key, value));
        let values = lists
            .clone()
            .flat_map(|(_, value)| value.as_array())
            .flatten();
        regions.weigh(values.filter_map(Value::as_object));
        for (key, value) in lists {
            for (at, value) in value.as_array().into_iter().flatten().enumerate() {
                let place = || format!("{}[{at}]", json::excerpt(key, 40));
                match value.as_object() {
                    Some(region) if region.contains_key("labels") => regions.add(region, place)?,
                    _ => regions
                        .document
                        .leave_out(|| format!("{} is not a region of plain text", place())),
                }
            }
        }
        self.code_units.add(&regions, place);
        let mut document = regions.document;
        facts.retain(|key, value| !OWN.contains(&key.as_str()) && !is_regions(key, value));
        document.name = take_name(&mut facts);
        add_facts(&mut document, facts);
        Ok(document)
    }
}

/// Returns true for a list of regions.
pub(super) fn is_regions(key: &str, value: &Value) -> bool {
    const KINDS: [&str; 3] = ["labels", "hypertextlabels", "paragraphlabels"];
    let is_region = |value: &Value| KINDS.iter().any(|kind| value.get(kind).is_some());
    value
        .as_array()
        .is_some_and(|values| values.is_empty() && key == LABEL || values.iter().any(is_region))
}
