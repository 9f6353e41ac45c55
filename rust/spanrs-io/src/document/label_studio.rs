//! Exports of Label Studio: JSON, JSON_MIN and CSV.
//!
//! ```json
//! [{"id": 1, "data": {"text": "Bob ate"}, "annotations": [{"result": [{"type": "labels",
//!   "value": {"start": 0, "end": 3, "labels": ["PER"], "text": "Bob"}}]}]}]
//! [{"id": 1, "text": "Bob ate", "label": [{"start": 0, "end": 3, "labels": ["PER"]}]}]
//! ```
//! Offsets count UTF-16 code units or code points, as the texts of the regions show (`regions`). In
//! JSON, a task has a list of annotations, each by one user; each annotation becomes a layer of the
//! document (`tasks`). In JSON_MIN and CSV, there is one record per annotation (`minimal`, `csv`).
//!
//! | | JSON | JSON_MIN and CSV |
//! |---|---|---|
//! | text | `text` in `data`, otherwise the only string in `data` that cannot be a name | the same among all strings but those of Label Studio's own keys |
//! | name | the first string of `name`, `filename`, `file_name`, `file`, `title`, `doc_name`, `document` in `data`, otherwise `file_upload` without its prefix | the same keys |
//! | metadata | all else in `data`, `meta` of the task, and `file_upload` if it is not the name | all other keys |
//! | id | `id` of the task | `id` |
//! | not kept | Label Studio's own facts about task and annotation: times, durations, counters, numbers of projects and users | the same |
//!
//! Source: <https://labelstud.io/guide/export>, and the converter in `label-studio-sdk`.

pub(super) mod csv;
mod minimal;
mod tasks;
mod write;
mod write_rows;

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};
use spanrs_base::Limits;

use super::annotators::LayerChoice;
use super::json;
use super::merging::Moment;
use super::metadata::is_name;
use super::records::Items;
use super::stream::Records;
use crate::error::Result;
use crate::source::Source;
pub(super) use write::JsonWriter;
pub(super) use write_rows::{CsvWriter, MinWriter};

/// Beginning of error messages.
const WHAT: &str = "this is not an export of Label Studio";
/// Keys of JSON_MIN and CSV that are not facts about the document.
const OWN: [&str; 6] = [
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
    "lead_time",
];
/// The key of the text, if it has the name of another column of CSV.
const DATA_TEXT: &str = "_data_text";

/// Opens a source with JSON or JSON_MIN, which the first task decides.
///
/// # Errors
/// The errors of [`Items::open`], and those of `tasks` and `minimal`.
pub(super) fn open(
    source: &Source,
    choice: &LayerChoice,
    limits: Limits,
) -> Result<Box<dyn Records>> {
    source.read_twice();
    let mut items = Items::open(source, limits, WHAT)?;
    // A malformed task is reported by the reader.
    let is_minimal = match items.next() {
        Ok(Some((_, item))) => serde_json::from_str(item).is_ok_and(|Task(task)| !is_full(&task)),
        _ => false,
    };
    if is_minimal {
        let open = || Ok(minimal::Rows::Json(Items::open(source, limits, WHAT)?, 0));
        minimal::open(source.name(), open, choice)
    } else {
        Ok(Box::new(tasks::Tasks::open(source, choice, limits)?))
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

/// Returns true for a task of JSON, false for a record of JSON_MIN.
fn is_full(task: &Map<String, Value>) -> bool {
    task.get("data").is_some_and(Value::is_object)
}

/// Returns a task for messages: its id, otherwise its number from 0.
fn shown(id: Option<&str>, number: u64) -> String {
    match id {
        Some(id) => format!("task {}", json::excerpt(id, 40)),
        None => format!("task number {number} from 0"),
    }
}

/// Returns the time of an annotation.
fn moment(annotation: &Map<String, Value>) -> Moment {
    let times = ["updated_at", "created_at"].iter();
    let mut times = times.filter_map(|key| annotation.get(*key));
    times
        .find(|time| !time.is_null())
        .map_or(Moment::default(), Moment::of)
}

/// Removes the text from facts and returns it: the string under the key `text`, in any case, or
/// otherwise the only string, names and keys in `own` excepted, or otherwise the only string but
/// those in `own`.
fn take_text(facts: &mut Map<String, Value>, own: &[&str]) -> std::result::Result<String, String> {
    let key = text_key(facts, own)?.to_owned();
    match facts.shift_remove(&key) {
        Some(Value::String(text)) => Ok(text),
        _ => Ok(String::new()),
    }
}

/// Returns the key of the text.
fn text_key<'a>(
    facts: &'a Map<String, Value>,
    own: &[&str],
) -> std::result::Result<&'a str, String> {
    for key in [DATA_TEXT, "text"] {
        if let Some((key, Value::String(_))) = facts.get_key_value(key) {
            return Ok(key);
        }
    }
    let strings = facts
        .iter()
        .filter(|(key, value)| value.is_string() && !own.contains(&key.as_str()))
        .map(|(key, _)| key.as_str());
    let only = |mut keys: Box<dyn Iterator<Item = &'a str> + '_>| {
        keys.next().filter(|_| keys.next().is_none())
    };
    let by_name = strings
        .clone()
        .filter(|key| key.eq_ignore_ascii_case("text"));
    let no_names = strings.clone().filter(|key| !is_name(key));
    let found = only(Box::new(by_name))
        .or_else(|| only(Box::new(no_names)))
        .or_else(|| only(Box::new(strings.clone())));
    let mut strings = strings;
    match (found, strings.next(), strings.next()) {
        (Some(key), ..) => Ok(key),
        (None, Some(one), Some(other)) => Err(format!(
            "the text may be \"{}\" or \"{}\"; rename the key of the text to \"text\"",
            json::excerpt(one, 40),
            json::excerpt(other, 40)
        )),
        _ => Err("there is no \"text\"".to_owned()),
    }
}

#[cfg(test)]
mod tests;
