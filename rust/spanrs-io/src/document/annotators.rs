//! Annotators of Label Studio and Prodigy, and how one of several is chosen.

use std::cell::RefCell;

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

/// What is read of a file.
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    pub(super) annotator: Option<&'a Annotator>,
    /// The users as they first occur.
    pub(super) users: &'a RefCell<Vec<String>>,
}

impl Choice<'_> {
    /// Notes a user who made an annotation.
    pub(super) fn note(&self, user: &Value) {
        if let Some(name) = user_name(user)
            && !self.users.borrow().contains(&name)
        {
            self.users.borrow_mut().push(name);
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

/// The annotator at the place from 0 that `wanted` names; None where an annotator's name is a number, so that numbers
/// are never ambiguous.
pub(super) fn by_place<'a>(
    wanted: &str,
    annotators: usize,
    mut names: impl Iterator<Item = &'a str>,
) -> Option<usize> {
    if names.any(|name| name.parse::<i64>().is_ok()) {
        return None;
    }
    wanted.parse().ok().filter(|&at| at < annotators)
}

/// The error for an annotator that the file `path` does not have.
pub(super) fn no_annotator<'a>(
    path: &str,
    wanted: &str,
    names: impl Iterator<Item = &'a str>,
) -> Error {
    let names: Vec<&str> = names.collect();
    let known = match names.as_slice() {
        [] => "names none".to_owned(),
        names => format!("has {}", json::excerpt(&names.join(", "), 200)),
    };
    let message = format!("no annotator {wanted:?}; the file {known}");
    Error::new(Code::BadDocument, Position::file(path), message)
}
