//! Helpers shared by the JSON readers: records on lines, error positions, lists and objects, ids,
//! offsets.

use std::fmt;

use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use spanrs_base::Position;

use super::records::Lines;
use crate::error::{Code, Error, Result};

/// Maximum number of characters kept from serde's message. Messages quote the input, and the quoted
/// value may be as long as the file.
const MESSAGE: usize = 300;

/// Translates an error of serde for JSON that begins at the first column of `line`; `what` states
/// the expected format. The position in the error is the position in the file.
///
/// ```text
/// d.json:2:12: this is not MAT-JSON: invalid type: integer `1`, expected an object with "type" and "annots"
/// ```
pub(super) fn error(name: &str, line: u64, what: &str, error: &serde_json::Error) -> Error {
    let from = Position {
        column: 1,
        ..Position::line(name, line)
    };
    error_from(&from, what, error)
}

/// Translates an error as [`error`] does, for JSON that begins at any position: serde's lines and
/// columns, which count from the beginning of the JSON, are converted to lines and columns of the
/// file.
///
/// For JSON that begins at line 10, column 8 of a file:
///
/// | serde's position | position in the file |
/// |---|---|
/// | line 1, column 5 | line 10, column 12 |
/// | line 2, column 5 | line 11, column 5 |
///
/// The position is removed from serde's message, and the rest is truncated to [`MESSAGE`]
/// characters.
pub(super) fn error_from(from: &Position, what: &str, error: &serde_json::Error) -> Error {
    let mut message = error.to_string();
    if error.line() > 0 {
        // The position is already given at the beginning of the message.
        let end = message.rfind(" at line ").unwrap_or(message.len());
        message.truncate(end);
    }
    let column = error.column() as u64;
    let position = Position {
        path: from.path.clone(),
        line: from.line + (error.line() as u64).saturating_sub(1),
        column: match error.line() {
            1 => (from.column + column).saturating_sub(1),
            _ => column,
        },
    };
    let message = format!("{what}: {}", excerpt(&message, MESSAGE));
    Error::new(Code::BadDocument, position, message)
}

/// Parses the next record of a JSON Lines file; returns its line number and the record, or None at
/// the end. The message about a malformed line begins with `what`.
///
/// A CR at the end of a line is white space in JSON. An incomplete record, such as JSON written on
/// several lines, is reported with the advice to put each record on a single line.
///
/// # Errors
/// [`Code::BadDocument`] for a list, which serde would read as an object without names, and for the
/// errors of `parse`; also the errors of [`Lines::next`].
pub(super) fn next_record<T>(
    lines: &mut Lines,
    what: &str,
    parse: impl FnOnce(&str) -> serde_json::Result<T>,
) -> Result<Option<(u64, T)>> {
    let name = lines.name().to_owned();
    let Some((number, line)) = lines.next()? else {
        return Ok(None);
    };
    let begin = line.trim_start();
    if begin.starts_with('[') {
        let position = Position {
            column: (line.len() - begin.len()) as u64 + 1,
            ..Position::line(&name, number)
        };
        let message = format!("{what}: a list, not an object; export JSON Lines, not JSON");
        return Err(Error::new(Code::BadDocument, position, message));
    }
    match parse(line) {
        Ok(record) => Ok(Some((number, record))),
        Err(error) => {
            let mut told = self::error(&name, number, what, &error);
            if error.is_eof() {
                told.message
                    .push_str("; each record must be on a single line");
            }
            Err(told)
        }
    }
}

/// Truncates a text to `characters` characters followed by `...`: `Philadelphia` becomes `Phil...`
/// with 4. Used for messages, which must stay short when they quote a file.
pub(super) fn excerpt(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// Returns a number or a nonempty string as an id; None for anything else.
pub(super) fn id(value: &Value) -> Option<String> {
    match value {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    }
}

/// Returns the items of a list; `at` gives the location for the error message.
pub(super) fn list(
    value: &Value,
    at: impl Fn() -> String,
) -> std::result::Result<&[Value], String> {
    let wrong = || format!("{}: expected a list, found {}", at(), short(value));
    value.as_array().map(Vec::as_slice).ok_or_else(wrong)
}

/// Returns the members of an object; `at` gives the location for the error message.
pub(super) fn object(
    value: &Value,
    at: impl Fn() -> String,
) -> std::result::Result<&Map<String, Value>, String> {
    let wrong = || format!("{}: expected an object, found {}", at(), short(value));
    value.as_object().ok_or_else(wrong)
}

/// Returns a short description of a value for messages.
pub(super) fn short(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::String(text) => format!("{:?}", excerpt(text, 40)),
        other => other.to_string(),
    }
}

/// Appends a value as a line of JSON.
///
/// # Errors
/// The message of serde, which has none for the values of documents.
pub(super) fn write_line(
    out: &mut Vec<u8>,
    value: &impl Serialize,
) -> std::result::Result<(), String> {
    serde_json::to_writer(&mut *out, value).map_err(|error| error.to_string())?;
    out.push(b'\n');
    Ok(())
}

/// An offset: a whole number from 0.
///
/// Numbers that are too large for the type become the maximum of the type, which is beyond any
/// text, so that the annotation is left out with a report and the file is not rejected. Negative
/// numbers and fractions are errors.
#[derive(Clone, Copy)]
pub(super) struct Offset(pub(super) u32);

impl<'de> Deserialize<'de> for Offset {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Offset;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an offset: a whole number from 0")
            }
            fn visit_u64<E>(self, offset: u64) -> std::result::Result<Offset, E> {
                // An offset that is too large for the type is beyond the end of any text.
                Ok(Offset(u32::try_from(offset).unwrap_or(u32::MAX)))
            }
        }
        deserializer.deserialize_u64(Whole)
    }
}
