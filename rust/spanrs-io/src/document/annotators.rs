//! Annotators of Label Studio and Prodigy, and how one of several is chosen.

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::Value;
use spanrs_base::Position;

use super::json;
use crate::error::{Code, Error};

/// Whose annotations are read.
pub(super) enum Annotator {
    /// Those of a user.
    Name(String),
    /// Those at a place among the annotations of each task.
    Place(usize),
}

/// Annotators by the names that the file has, in the order in which they first occur.
#[derive(Default)]
pub(super) struct Annotators {
    names: Vec<String>,
    /// E-mail addresses of those who are called by another name, for messages.
    addresses: HashMap<usize, String>,
    places: HashMap<String, usize>,
}

impl Annotators {
    /// The place of an annotator, from 0.
    pub(super) fn add(&mut self, name: String) -> usize {
        *self.places.entry(name).or_insert_with_key(|name| {
            self.names.push(name.clone());
            self.names.len() - 1
        })
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The place from 0 that `wanted` is; None where an annotator's name is a number, so that numbers are never
    /// ambiguous.
    pub(super) fn numbered(&self, wanted: &str) -> Option<usize> {
        if self.names.iter().any(|name| name.parse::<i64>().is_ok()) {
            return None;
        }
        wanted.parse().ok().filter(|&at| at < self.names.len())
    }

    /// The error for an annotator that the file `path` does not have.
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

/// What is read of a file of Label Studio.
#[derive(Clone, Copy)]
pub(super) enum Choice<'a> {
    /// Every task, by one of those who annotated it.
    All,
    /// No document: the users are noted.
    Users(&'a RefCell<Annotators>),
    /// What one annotator did.
    One(&'a Annotator),
}

impl Choice<'_> {
    /// Notes who made an annotation, where users are to be noted.
    pub(super) fn note(&self, user: Option<&Value>) {
        if let (Choice::Users(users), Some(name)) = (self, user.and_then(user_name)) {
            let mut users = users.borrow_mut();
            let place = users.add(name);
            let address = user.and_then(|user| user.get("email")?.as_str());
            if let Some(address) = address.filter(|address| *address != users.names[place]) {
                users.addresses.insert(place, address.to_owned());
            }
        }
    }
}

/// What messages call a user: its id, e-mail address or name.
pub(super) fn user_name(user: &Value) -> Option<String> {
    match user {
        Value::Object(user) => ["id", "email", "username"]
            .iter()
            .find_map(|key| user.get(*key).and_then(json::id)),
        user => json::id(user),
    }
}

/// True if `user` (a name, id or object) matches `annotator`.
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
