//! A record of tokens with spans, parsed without a tree of values.

use std::borrow::Cow;
use std::fmt;
use std::result::Result as StdResult;

use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use spanrs_base::Position;

use super::{WHAT, text_of};
use crate::document::annotated_text::Document;
use crate::document::encoding::behind;
use crate::document::json::{error_from, id};
use crate::error::{Code, Error, Result};

/// Names of the list of tokens; the first that is present is read.
const TOKENS: [&str; 3] = ["tokenized_text", "tokens", "words"];
/// Names of the list of spans; the first that is present is read.
const SPANS: [&str; 4] = ["ner", "entities", "spans", "label"];

/// The members of an object in their order, not parsed. A key may occur more than once; the last
/// list of tokens or spans is read, as in Python.
pub(super) struct Record<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de> Deserialize<'de> for Record<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> StdResult<Self, D::Error> {
        struct Members;
        impl<'de> Visitor<'de> for Members {
            type Value = Record<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with \"tokenized_text\" and \"ner\"")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> StdResult<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some((Text(key), value)) = map.next_entry()? {
                    members.push((key, value));
                }
                Ok(Record(members))
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// A string, borrowed if it has no escapes.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// A span with one or several labels.
#[derive(Debug)]
pub(super) struct Span<'a> {
    /// First token.
    pub(super) start: i64,
    /// Last token.
    pub(super) end: i64,
    /// The labels.
    pub(super) labels: Vec<Cow<'a, str>>,
    /// Further members of a span that is an object.
    pub(super) attributes: Vec<(String, Value)>,
    /// Whether a span that is a list has values after the label.
    pub(super) has_more: bool,
}

impl<'a> Record<'a> {
    /// Returns the document with its tokens, and the spans. `item` is the text of the record, which
    /// begins at `from`.
    ///
    /// # Errors
    /// [`Code::BadDocument`] if the record has no tokens or no spans, or if one of these is
    /// malformed.
    pub(super) fn document(
        self,
        item: &'a str,
        from: &Position,
    ) -> Result<(Document, Vec<Span<'a>>)> {
        let members = &self.0;
        let last = |key: &str| members.iter().rposition(|(name, _)| name == key);
        let missing = |what: &str, names: &[&str]| {
            let names = names.join(", ");
            let message = format!("{WHAT}: there is no list of {what}; expected {names}");
            Error::new(Code::BadDocument, from.clone(), message)
        };
        // `tokens` and `words` may also be numbers of tokens.
        let is_list = |at: &usize| members[*at].1.get().starts_with('[');
        let tokens = TOKENS.iter().find_map(|key| last(key).filter(is_list));
        let tokens = tokens.ok_or_else(|| missing("tokens", &TOKENS))?;
        let spans = SPANS.iter().find_map(|key| last(key).filter(is_list));
        let spans = spans.ok_or_else(|| missing("spans", &SPANS))?;
        let list: Vec<Text<'_>> = parse(members[tokens].1, item, from)?;
        let mut document = text_of(list.iter().map(|Text(token)| &**token));
        for (name, value) in members {
            if [tokens, spans].iter().any(|&used| members[used].0 == *name) {
                continue;
            }
            let value: Value = parse(value, item, from)?;
            match (&**name, &value) {
                ("id", value) if document.id.is_none() && id(value).is_some() => {
                    document.id = id(value);
                }
                ("name", Value::String(name)) if document.name.is_none() => {
                    document.name = Some(name.clone());
                }
                _ => document.metadata.push((name.to_string(), value)),
            }
        }
        Ok((document, parse(members[spans].1, item, from)?))
    }
}

/// Parses a member of the record `item`, which begins at `from`.
fn parse<'a, T: Deserialize<'a>>(value: &'a RawValue, item: &str, from: &Position) -> Result<T> {
    let value = value.get();
    serde_json::from_str(value).map_err(|error| {
        // `value` is a substring of `item`.
        let before = value.as_ptr() as usize - item.as_ptr() as usize;
        error_from(&behind(from, &item.as_bytes()[..before]), WHAT, &error)
    })
}

impl<'de> Deserialize<'de> for Span<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> StdResult<Self, D::Error> {
        deserializer.deserialize_any(AnySpan)
    }
}

/// Reads a span from a list or from an object.
struct AnySpan;

impl<'de> Visitor<'de> for AnySpan {
    type Value = Span<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[start, end, label], or an object with \"start\", \"end\" and \"label\"")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> StdResult<Self::Value, A::Error> {
        let short = |length| A::Error::invalid_length(length, &self);
        let Token(start) = seq.next_element()?.ok_or_else(|| short(0))?;
        let Token(end) = seq.next_element()?.ok_or_else(|| short(1))?;
        let Labels(labels) = seq.next_element()?.ok_or_else(|| short(2))?;
        let mut has_more = false;
        while seq.next_element::<IgnoredAny>()?.is_some() {
            has_more = true;
        }
        Ok(Span {
            start,
            end,
            labels,
            attributes: Vec::new(),
            has_more,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> StdResult<Self::Value, A::Error> {
        let (mut start, mut end, mut labels) = (None, None, None);
        let mut attributes = Vec::new();
        while let Some(Text(key)) = map.next_key()? {
            match &*key {
                "start" => start = Some(map.next_value::<Token>()?.0),
                "end" => end = Some(map.next_value::<Token>()?.0),
                "label" | "labels" | "type" if labels.is_none() => {
                    labels = Some(map.next_value::<Labels<'_>>()?.0);
                }
                _ => attributes.push((key.into_owned(), map.next_value()?)),
            }
        }
        let missing = A::Error::missing_field;
        Ok(Span {
            start: start.ok_or_else(|| missing("start"))?,
            end: end.ok_or_else(|| missing("end"))?,
            labels: labels.ok_or_else(|| missing("label"))?,
            attributes,
            has_more: false,
        })
    }
}

/// The number of a token. Numbers beyond the range of the type become its bounds, which are beyond
/// any text, so that the span is left out with a report.
struct Token(i64);

impl<'de> Deserialize<'de> for Token {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> StdResult<Self, D::Error> {
        struct Whole;
        impl Visitor<'_> for Whole {
            type Value = Token;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the number of a token")
            }
            fn visit_i64<E>(self, number: i64) -> StdResult<Token, E> {
                Ok(Token(number))
            }
            fn visit_u64<E>(self, number: u64) -> StdResult<Token, E> {
                Ok(Token(i64::try_from(number).unwrap_or(i64::MAX)))
            }
            fn visit_f64<E: serde::de::Error>(self, number: f64) -> StdResult<Token, E> {
                match number.abs() >= i64::MAX as f64 {
                    // Saturates.
                    true => Ok(Token(number as i64)),
                    false => Err(E::invalid_type(Unexpected::Float(number), &self)),
                }
            }
        }
        deserializer.deserialize_i64(Whole)
    }
}

/// One label, or a list of labels.
struct Labels<'a>(Vec<Cow<'a, str>>);

impl<'de> Deserialize<'de> for Labels<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> StdResult<Self, D::Error> {
        struct Any;
        impl<'de> Visitor<'de> for Any {
            type Value = Labels<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a label, or a list of labels")
            }
            fn visit_borrowed_str<E>(self, label: &'de str) -> StdResult<Self::Value, E> {
                Ok(Labels(vec![Cow::Borrowed(label)]))
            }
            fn visit_str<E>(self, label: &str) -> StdResult<Self::Value, E> {
                Ok(Labels(vec![Cow::Owned(label.to_owned())]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> StdResult<Self::Value, A::Error> {
                let mut labels = Vec::new();
                while let Some(Text(label)) = seq.next_element()? {
                    labels.push(label);
                }
                match labels.is_empty() {
                    true => Err(A::Error::custom("a span has no label")),
                    false => Ok(Labels(labels)),
                }
            }
        }
        deserializer.deserialize_any(Any)
    }
}
