//! What Label Studio exports: JSON and JSON_MIN.
//!
//! ```json
//! [{"id": 1, "data": {"text": "Bob ate"}, "annotations": [{"result": [{"type": "labels",
//!   "value": {"start": 0, "end": 3, "labels": ["PER"], "text": "Bob"}}]}]}]
//! [{"id": 1, "text": "Bob ate", "label": [{"start": 0, "end": 3, "labels": ["PER"]}]}]
//! ```
//! Offsets count UTF-16 code units, as in JavaScript (`regions`). A task of JSON has a list of
//! annotations, each by one user: a layer of the document. JSON_MIN has one task for each
//! annotation. The tree of one task at a time is held, and a few bytes of each task that was read,
//! by which repetitions are found.

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
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Beginning of the messages of errors in JSON.
const WHAT: &str = "this is no export of Label Studio";
/// Keys of JSON_MIN whose strings are not the text.
const OWN: [&str; 5] = [
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
];

/// Reads the tasks that somebody annotated; tasks without annotations are skipped.
///
/// With a named annotator, the tasks that this one annotated: a user's name, e-mail address or id.
/// If no user has a number for an id, a number is a position from 0: of users as they first occur in
/// the file, or among the annotations of each task if the file names no users.
pub(super) struct Tasks {
    items: Items,
    wanted: Wanted,
    /// Those who made annotations, so far.
    users: Annotators,
    fingerprints: Fingerprints,
    /// Who annotated the tasks that were read, by id and text.
    tasks: HashMap<u128, Option<String>>,
    /// Number of the next task, from 0.
    at: u64,
    /// A document was returned.
    found: bool,
    /// A task has predictions.
    predicted: bool,
}

/// Whose annotations are read.
enum Wanted {
    /// Of every task, those by one of the users who annotated it.
    Sole,
    /// Of the tasks that one user annotated. The name is that in the options, for messages.
    One(Annotator, String),
    /// Of every task those by all users.
    All,
}

/// A document and who annotated it, where the file says so.
type Found = (Option<String>, Document);

impl Tasks {
    /// Opens a source; twice if the choice is a number, to learn first whether it is a name.
    ///
    /// # Errors
    /// As [`Items::open`], and as [`Tasks::next`] for an annotator by number.
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
    /// [`Code::BadDocument`] for malformed files, two documents of one task, an unknown annotator,
    /// and predictions only. As [`Items::next`].
    pub(super) fn next(&mut self) -> Result<Option<Document>> {
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

    /// Returns the next task, and its end for messages; None at the end. Its users are added.
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

    /// Makes the document of a task; None if nobody annotated it, or not the annotator chosen.
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

    /// Makes the document of a task of JSON. Its layers are all annotations if all are wanted;
    /// otherwise one that was neither cancelled nor skipped: that of the annotator; if none is
    /// chosen the ground truth, else the first, with a report of the others.
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

    /// Refuses two documents of one task with the same text: JSON_MIN has one for each annotation.
    fn refuse_repeated(&mut self, by: Option<String>, id: &str, document: &Document) -> Result<()> {
        let key = self.fingerprints.of((id, &document.text));
        let key = match self.wanted {
            // There each annotator may have one.
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
                format!("two annotations of task {id}, by the same or no named annotator; keep one")
            }
        };
        let position = Position::file(self.items.name());
        Err(Error::new(Code::BadDocument, position, message))
    }
}

/// A task as it is written.
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

/// Returns the annotations of a task of JSON and what the list is called.
fn annotations(task: &Map<String, Value>) -> std::result::Result<(&'static str, &[Value]), String> {
    // Before 1.0 annotations were called completions.
    let key = match task.contains_key("annotations") {
        true => "annotations",
        false => "completions",
    };
    let Some(all) = task.get(key) else {
        return Err("it has no \"annotations\"; export the project as JSON".to_owned());
    };
    Ok((key, list(all, || key.to_owned())?))
}

/// The report of annotations that are not read.
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

/// Takes the string called `text`, or else the only string under a key that is not in `own`.
fn take_text(data: &mut Map<String, Value>, own: &[&str]) -> std::result::Result<String, String> {
    let mut strings = data
        .iter()
        .filter(|(key, value)| value.is_string() && !own.contains(&key.as_str()))
        .map(|(key, _)| key.as_str());
    let key = match (data.get("text"), strings.next(), strings.next()) {
        (Some(Value::String(_)), ..) => "text",
        (_, Some(only), None) => only,
        (_, None, _) => return Err("it has no \"text\"".to_owned()),
        (_, Some(one), Some(other)) => {
            return Err(format!(
                "its text may be \"{}\" or \"{}\"; call it \"text\"",
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

/// Makes the document of a task of JSON_MIN, whose regions stand under the name of their control,
/// which may be any.
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
