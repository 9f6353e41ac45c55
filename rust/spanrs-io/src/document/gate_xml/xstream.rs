//! Values that GATE stores by XStream: collections and maps.
//!
//! ```xml
//! <gate.corpora.ObjectWrapper><value class="linked-hash-map">
//!   <entry><string>matches</string><list><int>3</int><null/></list></entry>
//! </value></gate.corpora.ObjectWrapper>
//! ```
//!
//! This XML is the text of a feature, in which it is escaped. Lists, sets and arrays are lists, maps
//! are objects.
//!
//! Source: <https://x-stream.github.io/converters.html>.

use serde_json::{Map, Value};
use spanrs_base::Limits;

use super::super::xml_stream::{Part, XmlStream, attribute, escape, tag};
use super::{WRAPPER, scalar};

/// Maximum depth of nested elements; deeper values stay text.
const NESTING: usize = 200;

/// Parses a value; None if it is not XML or of an unknown class.
pub(super) fn unwrap(text: &str, limits: Limits) -> Option<Value> {
    let limits = Limits {
        nesting: NESTING,
        ..limits
    };
    let mut xml = XmlStream::open("", text.as_bytes(), limits).ok()?;
    let (root, _) = child(&mut xml)??;
    if root != WRAPPER.rsplit('.').next()? && root != WRAPPER {
        return None;
    }
    let value = match child(&mut xml)? {
        None => Value::Null,
        Some((name, class)) => {
            let value = value(&mut xml, &class.filter(|_| name == "value")?)?;
            child(&mut xml)?.is_none().then_some(value)?
        }
    };
    Some(value)
}

/// Returns name and class of the next child element; None at the end of the element. The outer
/// None is an error.
fn child(xml: &mut XmlStream<&[u8]>) -> Option<Option<(String, Option<String>)>> {
    loop {
        match xml.next().ok()? {
            Part::Start(start) => {
                if attribute(&start, "reference").ok()?.is_some() {
                    return None;
                }
                let class = attribute(&start, "class").ok()?;
                return Some(Some((tag(&start).to_owned(), class)));
            }
            Part::End => return Some(None),
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Other => {}
            _ => return None,
        }
    }
}

/// Parses the value of an element whose start tag has been read.
fn value(xml: &mut XmlStream<&[u8]>, class: &str) -> Option<Value> {
    match class {
        "null" => child(xml)?.is_none().then_some(Value::Null),
        "string" | "char" => {
            let mut text = String::new();
            xml.read_text(&mut text).ok()?;
            Some(Value::String(text))
        }
        "list" | "linked-list" | "vector" | "set" | "linked-hash-set" | "tree-set"
        | "sorted-set" | "object-array" | "string-array" => {
            let mut values = Vec::new();
            while let Some((name, class)) = child(xml)? {
                values.push(value(xml, class.as_deref().unwrap_or(&name))?);
            }
            Some(Value::Array(values))
        }
        "map" | "linked-hash-map" | "tree-map" | "hashtable" => {
            let mut object = Map::new();
            while let Some((name, _)) = child(xml)? {
                let (key, class) = child(xml)?.filter(|_| name == "entry")?;
                let key = match value(xml, class.as_deref().unwrap_or(&key))? {
                    Value::String(key) => key,
                    other => other.to_string(),
                };
                let (name, class) = child(xml)??;
                let value = value(xml, class.as_deref().unwrap_or(&name))?;
                object.insert(key, value);
                child(xml)?.is_none().then_some(())?;
            }
            Some(Value::Object(object))
        }
        class => {
            let mut text = String::new();
            xml.read_text(&mut text).ok()?;
            scalar(class, &text)
        }
    }
}

/// Formats a value, and returns the number of characters that XML does not allow.
pub(super) fn wrap(value: &Value) -> (Vec<u8>, usize) {
    let mut out = format!("<{WRAPPER}>").into_bytes();
    let mut replaced = 0;
    match value {
        Value::Null => {}
        Value::Array(_) | Value::Object(_) => {
            push(value, Some("value"), &mut out, &mut replaced);
        }
        other => push(other, None, &mut out, &mut replaced),
    }
    out.extend_from_slice(format!("</{WRAPPER}>").as_bytes());
    (out, replaced)
}

/// Appends a value; `element` is the name of the element if it is not that of the class.
fn push(value: &Value, element: Option<&str>, out: &mut Vec<u8>, replaced: &mut usize) {
    let class = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "double",
        Value::Number(number) if number.is_u64() && !number.is_i64() => "big-int",
        Value::Number(number) => match number.as_i64().map(i32::try_from) {
            Some(Ok(_)) => "int",
            _ => "long",
        },
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "linked-hash-map",
    };
    let begin = match element {
        Some(element) => format!("<{element} class=\"{class}\">"),
        None => format!("<{class}>"),
    };
    out.extend_from_slice(begin.as_bytes());
    match value {
        Value::Null => {}
        Value::String(text) => *replaced += escape(text, false, out),
        Value::Array(values) => {
            for value in values {
                push(value, None, out, replaced);
            }
        }
        Value::Object(members) => {
            for (key, value) in members {
                out.extend_from_slice(b"<entry><string>");
                *replaced += escape(key, false, out);
                out.extend_from_slice(b"</string>");
                push(value, None, out, replaced);
                out.extend_from_slice(b"</entry>");
            }
        }
        other => out.extend_from_slice(other.to_string().as_bytes()),
    }
    out.extend_from_slice(format!("</{}>", element.unwrap_or(class)).as_bytes());
}
