//! Annotators of Label Studio and Prodigy, and the selection of one annotator.
//!
//! A file may contain annotations of the same text by several annotators, one of whom must be
//! selected, either by the name in the file or by position. A position is accepted only if no name
//! is a number, because user ids often are numbers. For a Label Studio file:
//!
//! | selected | task of JSON | task of JSON_MIN or CSV |
//! |---|---|---|
//! | none | the ground truth, otherwise the first annotation, with a report | the task; rejected if another annotator has the same id and text |
//! | `ann@x.org` | the annotation of that user | the task, if `annotator` is that user |
//! | `1`, users have names | same as the name of the second user in the file | same as the name of the second user in the file |
//! | `1`, no users | the second annotation | none |
//! | `7`, ids are numbers | the annotation of user 7 | the task, if `annotator` is 7 |
//!
//! If a user annotated a task several times, the latest annotation is read: the last one according
//! to `updated_at`, otherwise `created_at`, otherwise the last in the file. Annotations that were
//! cancelled or skipped count only if the user has no others, and they are read only if all layers
//! are read. Predictions are never read. A task is not a document if none of its annotations are
//! read, because an unannotated text may contain spans. In JSON, the user is the value of
//! `completed_by`: an id, or an object with id, e-mail address and name, any of which selects the
//! user; layers are named after the e-mail address.
//!
//! For Prodigy, whose records have one annotator each, see [`super::prodigy`].

use std::collections::HashMap;

use serde_json::{Map, Value};
use spanrs_base::Position;

use super::json;
use crate::error::{Code, Error};

/// Selection of the layers to read if several annotators annotated a document.
///
/// ```
/// use spanrs_io::document::{Format, LayerChoice, Reader};
/// let record = b"{\"text\": \"Bob\", \"answer\": \"ignore\", \"_annotator_id\": \"ann\"}";
/// let mut reader = Reader::new(Format::Prodigy);
/// assert!(reader.read("example", record).unwrap().is_empty());
/// reader.layers = LayerChoice::All;
/// let documents = reader.read("example", record).unwrap();
/// assert_eq!(documents[0].layers[0].name.as_deref(), Some("ann"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LayerChoice {
    /// The only layer. If there are several, the file is rejected, or one layer is read and a
    /// report is added.
    #[default]
    Sole,
    /// The layer of one annotator, given by name or by position from 0.
    Named(String),
    /// All layers, including those of annotators who skipped or rejected a document.
    All,
    /// All layers, and also the tasks of Label Studio without annotations, as documents without
    /// layers.
    Project,
}

impl LayerChoice {
    /// Returns true if the annotator is given by a number. The names in the file determine whether
    /// the number is a name or a position.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Named(name) if name.parse::<usize>().is_ok())
    }
}

/// The annotators whose records are read, in files with one record per annotator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The only annotator of each document.
    Sole,
    /// The annotator with this name.
    Named(String),
    /// All annotators.
    All,
}

/// The annotator whose annotations are read from a Label Studio file.
pub(super) enum Annotator {
    /// A user: id, e-mail address or name.
    Name(String),
    /// Position of the annotation in each task, from 0, for files without user names.
    Place(usize),
}

/// The annotators of a file by name, in the order of first occurrence.
#[derive(Default)]
pub(super) struct Annotators {
    /// Names by position, without duplicates.
    names: Vec<String>,
    /// Ids, by position, of annotators who are named otherwise; for messages.
    ids: HashMap<usize, String>,
    /// Positions by name.
    places: HashMap<String, usize>,
}

impl Annotators {
    /// Returns the position of an annotator, from 0, adding the annotator if new.
    pub(super) fn add(&mut self, name: String) -> usize {
        *self.places.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        })
    }

    /// Adds the author of a Label Studio annotation, if there is one.
    pub(super) fn add_user(&mut self, user: Option<&Value>) {
        if let Some(name) = user.and_then(user_name) {
            let place = self.add(name);
            let id = user.and_then(|user| json::id(user.get("id")?));
            if let Some(id) = id.filter(|id| *id != self.names[place]) {
                self.ids.entry(place).or_insert(id);
            }
        }
    }

    /// Returns the names in the order of first occurrence.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the position of the annotator with this name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Parses `wanted` as a position from 0; None if `wanted` is not a number or is not less than
    /// the number of annotators. Also None if any annotator's name or id is a number, so that
    /// numbers are never ambiguous.
    pub(super) fn numbered(&self, wanted: &str) -> Option<usize> {
        let mut names = self.names.iter().chain(self.ids.values());
        if names.any(|name| name.parse::<i64>().is_ok()) {
            return None;
        }
        wanted.parse().ok().filter(|&at| at < self.names.len())
    }

    /// Returns the error for an annotator that does not occur in the file `path`. The message lists
    /// the annotators in the order of their positions, with the ids that also select an
    /// annotator.
    ///
    /// ```text
    /// d.json: no annotator "eve"; the file has ann@x.org (7), bob@x.org (12)
    /// ```
    pub(super) fn missing(&self, path: &str, wanted: &str) -> Error {
        let known = match self.names.as_slice() {
            [] => "names no annotators".to_owned(),
            names => {
                let shown = names.iter().enumerate().map(|(at, name)| {
                    let id = self.ids.get(&at);
                    id.map_or(name.clone(), |id| format!("{name} ({id})"))
                });
                let shown: Vec<String> = shown.collect();
                format!("has {}", json::excerpt(&shown.join(", "), 200))
            }
        };
        let message = format!("no annotator {wanted:?}; the file {known}");
        Error::new(Code::BadDocument, Position::file(path), message)
    }
}

/// Returns the name of a user: for an object, the e-mail address, otherwise the user name,
/// otherwise first and last name, otherwise the id; a string or a number is used unchanged. None
/// for an object without any of these, and for other values.
pub(super) fn user_name(user: &Value) -> Option<String> {
    let Value::Object(fields) = user else {
        return json::id(user);
    };
    let field = |key: &str| fields.get(key).and_then(json::id);
    let names = [field("email"), field("username"), full_name(fields)];
    names.into_iter().flatten().next().or_else(|| field("id"))
}

/// Returns first and last name of a user.
fn full_name(user: &Map<String, Value>) -> Option<String> {
    let names = ["first_name", "last_name"].map(|key| user.get(key).and_then(Value::as_str));
    let names: Vec<&str> = names
        .into_iter()
        .flatten()
        .filter(|name| !name.is_empty())
        .collect();
    (!names.is_empty()).then(|| names.join(" "))
}

/// Returns true if `user` (a name, an id, or an object with these fields) matches `annotator`.
///
/// The number 7 and the string `7` both match `7`; an object matches its e-mail address, its names
/// and its id.
pub(super) fn is_by(user: &Value, annotator: &str) -> bool {
    match user {
        Value::String(name) => name == annotator,
        Value::Number(number) => number.to_string() == annotator,
        Value::Object(user) => {
            let mut fields = ["email", "username", "id"].iter();
            fields.any(|key| user.get(*key).is_some_and(|value| is_by(value, annotator)))
                || full_name(user).as_deref() == Some(annotator)
        }
        _ => false,
    }
}
