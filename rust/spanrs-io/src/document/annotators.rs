//! Annotators of Label Studio and Prodigy, and how one of several is chosen.
//!
//! A file may have the work of several annotators on the same text, of which one must be chosen.
//! Annotators are chosen by the names that the file has for them, or by position. A position is
//! accepted only if no name is a number, because ids of users often are. For a file of Label
//! Studio:
//!
//! | chosen | task of JSON | task of JSON_MIN |
//! |---|---|---|
//! | nobody | the ground truth, else the first, with a report | it; refused if another has its id and text |
//! | `ann@x.org` | the first annotation of that user | it, if `annotator` is that user |
//! | `1`, users have names | as for the second user of the file | as for the second user of the file |
//! | `1`, no users | the second annotation | none |
//! | `7`, ids are numbers | the first annotation of user 7 | it, if `annotator` is 7 |
//!
//! Cancelled and skipped annotations count only where all layers are read, and predictions are never
//! read. A task without
//! an annotation that counts is no document: that nobody annotated it does not mean that there are
//! no spans. In JSON a user is given by `completed_by`: an id, or an object with id, e-mail address
//! and name, any of which chooses the user.
//!
//! For Prodigy see [`super::prodigy`], whose records name one annotator each.

use std::collections::HashMap;

use serde_json::Value;
use spanrs_base::Position;

use super::json;
use crate::error::{Code, Error};

/// Which layers are read where several annotators worked on a document.
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
    /// The only one. Where there are several, the file is refused, or one is taken with a report.
    #[default]
    Sole,
    /// That of an annotator: a name, or a position from 0.
    Named(String),
    /// Each, also of annotators who skipped or rejected a document.
    All,
}

impl LayerChoice {
    /// Returns true for an annotator that is given by a number, which may be a name or a position:
    /// the names in a file decide, and the file is read twice.
    pub fn is_number(&self) -> bool {
        matches!(self, Self::Named(name) if name.parse::<usize>().is_ok())
    }
}

/// The annotator whose annotations are read of a file of Label Studio.
pub(super) enum Annotator {
    /// A user: id, e-mail address or name.
    Name(String),
    /// The annotation at this position, from 0, among those of each task, in files that do not name
    /// users.
    Place(usize),
}

/// The annotators of a file by name, in the order in which they first occur.
#[derive(Default)]
pub(super) struct Annotators {
    /// Names by position, each once.
    names: Vec<String>,
    /// E-mail addresses, by position, of those who are called by another name; for messages.
    addresses: HashMap<usize, String>,
    /// Positions by name.
    places: HashMap<String, usize>,
}

impl Annotators {
    /// Returns the position of an annotator, from 0, who is added if new.
    pub(super) fn add(&mut self, name: String) -> usize {
        *self.places.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        })
    }

    /// Adds who made an annotation of Label Studio, if it says so.
    pub(super) fn add_user(&mut self, user: Option<&Value>) {
        if let Some(name) = user.and_then(user_name) {
            let place = self.add(name);
            let address = user.and_then(|user| user.get("email")?.as_str());
            if let Some(address) = address.filter(|address| *address != self.names[place]) {
                self.addresses.insert(place, address.to_owned());
            }
        }
    }

    /// Returns the names in the order in which they first occur.
    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the position of the annotator of that name.
    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// Returns the position, from 0, that `wanted` is as a number; None if it is not a number or
    /// there are not so many annotators. None too if any annotator's name is a number, so that
    /// numbers are never ambiguous.
    pub(super) fn numbered(&self, wanted: &str) -> Option<usize> {
        if self.names.iter().any(|name| name.parse::<i64>().is_ok()) {
            return None;
        }
        wanted.parse().ok().filter(|&at| at < self.names.len())
    }

    /// The error for an annotator that the file `path` does not have; it lists those that there
    /// are, in the order of their positions, with e-mail addresses that would choose them as well.
    ///
    /// ```text
    /// d.json: no annotator "eve"; the file has 7 (ann@x.org), 12 (bob@x.org)
    /// ```
    pub(super) fn missing(&self, path: &str, wanted: &str) -> Error {
        let known = match self.names.as_slice() {
            [] => "names no annotators".to_owned(),
            names => {
                let shown = names.iter().enumerate().map(|(at, name)| {
                    let address = self.addresses.get(&at);
                    address.map_or(name.clone(), |address| format!("{name} ({address})"))
                });
                let shown: Vec<String> = shown.collect();
                format!("has {}", json::excerpt(&shown.join(", "), 200))
            }
        };
        let message = format!("no annotator {wanted:?}; the file {known}");
        Error::new(Code::BadDocument, Position::file(path), message)
    }
}

/// Returns what messages call a user: the id, else the e-mail address, else the name of an object;
/// a string or a number as it is. None for an object without these, and for other values.
pub(super) fn user_name(user: &Value) -> Option<String> {
    match user {
        Value::Object(user) => ["id", "email", "username"]
            .iter()
            .find_map(|key| user.get(*key).and_then(json::id)),
        user => json::id(user),
    }
}

/// Returns true if `user` (a name, an id, or an object with these) is called `annotator`.
///
/// The number 7 and the string `7` are both called `7`; an object is called by its e-mail address,
/// its name and its id.
pub(super) fn is_by(user: &Value, annotator: &str) -> bool {
    match user {
        Value::String(name) => name == annotator,
        Value::Number(number) => number.to_string() == annotator,
        Value::Object(user) => ["email", "username", "id"]
            .iter()
            .any(|key| user.get(*key).is_some_and(|value| is_by(value, annotator))),
        _ => false,
    }
}
