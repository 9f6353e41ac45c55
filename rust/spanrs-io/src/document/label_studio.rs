//! Exports of Label Studio: JSON and JSON_MIN.
//!
//! ```json
//! [{"id": 1, "data": {"text": "Bob ate"}, "annotations": [{"result": [{"type": "labels",
//!   "value": {"start": 0, "end": 3, "labels": ["PER"], "text": "Bob"}}]}]}]
//! [{"id": 1, "text": "Bob ate", "label": [{"start": 0, "end": 3, "labels": ["PER"]}]}]
//! ```
//! Offsets count UTF-16 code units, as in JavaScript (`regions`). In JSON, a task has a list of
//! annotations, each by one user; each annotation becomes a layer of the document. In JSON_MIN,
//! there is one task per annotation. Only one task at a time is in memory as a tree, plus a few
//! bytes for each task that has been read, to detect duplicates.

pub(super) mod csv;
mod write;

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};

use super::annotated_text::{Answer, Document, Layer};
use super::annotators::{Annotator, Annotators, LayerChoice, is_by, user_name};
use super::encoding::behind;
use super::json::{self, list, object};
use super::records::{Fingerprints, Items};
use super::regions::{Regions, counts, says};
use super::stream::Records;
use crate::error::{Code, Error, Result};
use crate::source::Source;
pub(super) use write::{CsvWriter, JsonWriter, MinWriter};

/// Beginning of error messages about the JSON.
const WHAT: &str = "this is not an export of Label Studio";
/// Keys of JSON_MIN whose strings are not the text.
const OWN: [&str; 5] = [
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
];

/// Reads the annotated tasks; tasks without annotations are skipped.
///
/// If an annotator is selected (by name, e-mail address or id of a user), only the tasks annotated
/// by this user are read. If no user id is a number, a number selects a position from 0: among the
/// users in the order of their first occurrence in the file, or among the annotations of each task
/// if the file contains no users.
pub(super) struct Tasks {
    items: Items,
    wanted: Wanted,
    /// The users found so far.
    users: Annotators,
    fingerprints: Fingerprints,
    /// The annotator of each task read so far, by id and text.
    tasks: HashMap<u128, Option<String>>,
    /// Index of the next task, from 0.
    at: u64,
    /// Whether a document has been returned.
    found: bool,
    /// Whether a task has predictions.
    predicted: bool,
}

/// The annotators whose annotations are read.
enum Wanted {
    /// For each task, the annotations of one of its users.
    Sole,
    /// The annotations of one user. The string is the name given in the options, for messages.
    One(Annotator, String),
    /// For each task, the annotations of all users.
    All,
}

/// A document and its annotator, if the file contains the annotator.
type Found = (Option<String>, Document);

impl Records for Tasks {
    fn next(&mut self) -> Result<Option<Document>> {
        self.next_document()
    }
}

impl Tasks {
    /// Opens a source. If `choice` is a number, the source is read twice, to find out first whether
    /// the number is a name.
    ///
    /// # Errors
    /// The errors of [`Items::open`], and for an annotator given by number the errors of
    /// [`Records::next`].
    pub(super) fn open(source: &Source, choice: &LayerChoice, limits: Limits) -> Result<Self> {
        let open = |wanted| {
            Ok(Self {
                items: Items::open(source, limits, WHAT)?,
                wanted,
                users: Annotators::default(),
                fingerprints: Fingerprints::default(),
                tasks: HashMap::new(),
                at: 0,
                found: false,
                predicted: false,
            })
        };
        let wanted = match choice {
            LayerChoice::Sole => Wanted::Sole,
            LayerChoice::All => Wanted::All,
            LayerChoice::Named(name) if !choice.is_number() => {
                Wanted::One(Annotator::Name(name.clone()), name.clone())
            }
            LayerChoice::Named(name) => {
                let mut tasks: Self = open(Wanted::All)?;
                while tasks.task()?.is_some() {}
                let users = tasks.users;
                let chosen = match (users.numbered(name), name.parse()) {
                    (Some(place), _) => Annotator::Name(users.names()[place].clone()),
                    (None, Ok(place)) if users.names().is_empty() => Annotator::Place(place),
                    _ => Annotator::Name(name.clone()),
                };
                Wanted::One(chosen, name.clone())
            }
        };
        open(wanted)
    }

    /// Returns the next document; None at the end.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for malformed files, two documents of the same task, an unknown
    /// annotator, and files with only predictions; also the errors of [`Items::next`].
    fn next_document(&mut self) -> Result<Option<Document>> {
        while let Some((end, mut task)) = self.task()? {
            self.predicted |= task.contains_key("predictions");
            let id = task.get("id").and_then(json::id);
            let made = self.document(&mut task).map_err(|message| {
                let named = id
                    .as_ref()
                    .map_or(String::new(), |id| format!(" (id {id})"));
                let message = format!("{WHAT}: task {}{named}: {message}", self.at - 1);
                Error::new(Code::BadDocument, end, message)
            })?;
            let Some((by, mut document)) = made else {
                continue;
            };
            if let Some(id) = &id {
                self.refuse_repeated(by, id, &document)?;
            }
            document.id = id;
            self.found = true;
            return Ok(Some(document));
        }
        match &self.wanted {
            _ if self.found => Ok(None),
            Wanted::One(_, name) => Err(self.users.missing(self.items.name(), name)),
            _ if self.predicted => {
                let message =
                    "no task has annotations that are not cancelled; predictions are not read";
                let position = Position::file(self.items.name());
                Err(Error::new(Code::BadDocument, position, message))
            }
            _ => Ok(None),
        }
    }

    /// Returns the next task and the position of its end, for messages; None at the end. Adds the
    /// users of the task.
    fn task(&mut self) -> Result<Option<(Position, Map<String, Value>)>> {
        let Some((from, item)) = self.items.next()? else {
            return Ok(None);
        };
        let Task(task) =
            serde_json::from_str(item).map_err(|error| json::error_from(&from, WHAT, &error))?;
        let end = behind(&from, &item.as_bytes()[..item.len() - 1]);
        self.at += 1;
        if task.get("data").is_some_and(Value::is_object) {
            let all = annotations(&task).map_or(&[][..], |(_, all)| all);
            for annotation in all.iter().filter(|annotation| counts(annotation)) {
                self.users.add_user(annotation.get("completed_by"));
            }
        } else {
            self.users.add_user(task.get("annotator"));
        }
        Ok(Some((end, task)))
    }

    /// Creates the document of a task; None if the task was not annotated, or not by the selected
    /// annotator.
    fn document(
        &self,
        task: &mut Map<String, Value>,
    ) -> std::result::Result<Option<Found>, String> {
        if let Some(data) = task.get_mut("data").and_then(Value::as_object_mut) {
            let text = take_text(data, &[])?;
            return self.full(text, task);
        }
        let by = task.get("annotator").cloned();
        match &self.wanted {
            Wanted::One(Annotator::Place(1..), _) => return Ok(None),
            Wanted::One(Annotator::Name(name), _)
                if !by.as_ref().is_some_and(|by| is_by(by, name)) =>
            {
                return Ok(None);
            }
            _ => {}
        }
        let text = take_text(task, &OWN)?;
        let by = by.as_ref().and_then(user_name);
        let document = minimal(text, by.clone(), task)?;
        Ok(Some((by, document)))
    }

    /// Creates the document of a JSON task. If all layers are wanted, each annotation becomes a
    /// layer. Otherwise one annotation that was neither cancelled nor skipped is read: the
    /// annotation of the selected annotator or, if no annotator is selected, the ground truth,
    /// otherwise the first annotation, with a report of the others.
    fn full(
        &self,
        text: String,
        task: &Map<String, Value>,
    ) -> std::result::Result<Option<Found>, String> {
        let (key, all) = annotations(task)?;
        for (at, annotation) in all.iter().enumerate() {
            object(annotation, || format!("{key}[{at}]"))?;
        }
        let mut regions = Regions::new(text);
        if matches!(self.wanted, Wanted::All) {
            for (at, annotation) in all.iter().enumerate() {
                regions.add_layer(annotation, || format!("{key}[{at}]"))?;
            }
            return Ok((!all.is_empty()).then_some((None, regions.document)));
        }
        let made: Vec<_> = all.iter().enumerate().filter(|(_, a)| counts(a)).collect();
        let mut others = &made[..0];
        let chosen = match &self.wanted {
            Wanted::One(Annotator::Name(name), _) => made
                .iter()
                .find(|(_, a)| a.get("completed_by").is_some_and(|user| is_by(user, name))),
            Wanted::One(Annotator::Place(place), _) => made.get(*place),
            _ => {
                let truth = made.iter().find(|(_, a)| says(a, "ground_truth"));
                if truth.is_none() {
                    others = made.get(1..).unwrap_or_default();
                }
                truth.or(made.first())
            }
        };
        let Some(&(at, annotation)) = chosen else {
            return Ok(None);
        };
        if !others.is_empty() {
            regions.document.leave_out(|| not_read(others));
        }
        regions.add_layer(annotation, || format!("{key}[{at}]"))?;
        let by = annotation.get("completed_by").and_then(user_name);
        Ok(Some((by, regions.document)))
    }

    /// Rejects two documents with the same task id and text, which occur in JSON_MIN, where each
    /// annotation is a separate document.
    fn refuse_repeated(&mut self, by: Option<String>, id: &str, document: &Document) -> Result<()> {
        let key = self.fingerprints.of((id, &document.text));
        let key = match self.wanted {
            // Each annotator may have one document per task.
            Wanted::All => self.fingerprints.of((key, &by)),
            _ => key,
        };
        let Some(first) = self.tasks.insert(key, by.clone()) else {
            return Ok(());
        };
        let message = match (first, by) {
            (Some(one), Some(two)) if one != two => format!(
                "annotators {one} and {two} both annotated task {id}; choose one (--annotator)"
            ),
            _ => {
                format!(
                    "task {id} has two annotations by the same annotator or by unnamed annotators; keep only one of them"
                )
            }
        };
        let position = Position::file(self.items.name());
        Err(Error::new(Code::BadDocument, position, message))
    }
}

/// A task as in the file.
struct Task(Map<String, Value>);

impl<'de> Deserialize<'de> for Task {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Task;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a task: an object with \"data\" and \"annotations\"")
            }
            fn visit_map<A: MapAccess<'de>>(self, task: A) -> std::result::Result<Task, A::Error> {
                Map::deserialize(MapAccessDeserializer::new(task)).map(Task)
            }
        }
        deserializer.deserialize_any(Object)
    }
}

/// Returns the key of the annotations of a JSON task, and the annotations.
fn annotations(task: &Map<String, Value>) -> std::result::Result<(&'static str, &[Value]), String> {
    // Before version 1.0, annotations were called completions.
    let key = match task.contains_key("annotations") {
        true => "annotations",
        false => "completions",
    };
    let Some(all) = task.get(key) else {
        return Err("there are no \"annotations\"; export the project as JSON".to_owned());
    };
    Ok((key, list(all, || key.to_owned())?))
}

/// Returns the report about annotations that are not read.
fn not_read(others: &[(usize, &Value)]) -> String {
    let user = |(_, annotation): &(_, &Value)| annotation.get("completed_by").and_then(user_name);
    let names: Vec<String> = others.iter().filter_map(user).collect();
    let names = match names.as_slice() {
        [] => String::new(),
        names => format!(" ({})", json::excerpt(&names.join(", "), 100)),
    };
    let who = match others {
        [_] => "1 other annotator is",
        _ => &format!("{} other annotators are", others.len()),
    };
    format!(
        "{who} not read{names}, and there is no ground truth; choose an annotator \
         (--annotator)"
    )
}

/// Takes the string under the key `text`, or otherwise the only string under a key that is not in
/// `own`.
fn take_text(data: &mut Map<String, Value>, own: &[&str]) -> std::result::Result<String, String> {
    let mut strings = data
        .iter()
        .filter(|(key, value)| value.is_string() && !own.contains(&key.as_str()))
        .map(|(key, _)| key.as_str());
    let key = match (data.get("text"), strings.next(), strings.next()) {
        (Some(Value::String(_)), ..) => "text",
        (_, Some(only), None) => only,
        (_, None, _) => return Err("there is no \"text\"".to_owned()),
        (_, Some(one), Some(other)) => {
            return Err(format!(
                "the text may be \"{}\" or \"{}\"; rename the key of the text to \"text\"",
                json::excerpt(one, 40),
                json::excerpt(other, 40)
            ));
        }
    }
    .to_owned();
    match data.get_mut(&key).map(Value::take) {
        Some(Value::String(text)) => Ok(text),
        _ => Ok(String::new()),
    }
}

/// Creates the document of a JSON_MIN task, whose regions are under the name of their control,
/// which can be any string.
fn minimal(
    text: String,
    by: Option<String>,
    task: &Map<String, Value>,
) -> std::result::Result<Document, String> {
    let mut regions = Regions::new(text);
    regions.document.layers.push(Layer {
        name: by,
        answer: Answer::Empty,
    });
    for (key, value) in task {
        let Value::Array(values) = value else {
            continue;
        };
        for (at, value) in values.iter().enumerate() {
            if let Some(region) = value
                .as_object()
                .filter(|value| value.contains_key("labels"))
            {
                regions.add(region, || format!("{}[{at}]", json::excerpt(key, 40)))?;
            }
        }
    }
    Ok(regions.document)
}

#[cfg(test)]
mod tests;
