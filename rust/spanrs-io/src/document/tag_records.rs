//! JSON Lines of sentences with lists of tokens and tags, as of Hugging Face datasets.
//!
//! ```json
//! {"id": "0", "tokens": ["EU", "rejects"], "ner_tags": ["B-ORG", "O"]}
//! {"id": "1", "tokens": ["Peter"], "ner_tags": [1]}
//! ```
//!
//! A file with one JSON list of such objects is read as well. Tags are strings, or integers, whose
//! names are not in the file. Other keys are ignored.

use std::borrow::Cow;
use std::collections::HashMap;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use spanrs_base::{Limits, Position};

use super::json;
use super::records::{Items, Lines};
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Beginning of error messages.
const WHAT: &str = "this is not a record of tokens and tags";

/// The keys that are read.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordKeys {
    /// Key of the tokens; None for records without tokens.
    pub tokens: Option<String>,
    /// Keys of the tags, by layer.
    pub tags: Vec<String>,
    /// Key of the name of the document.
    pub document: Option<String>,
}

/// The tags of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum RecordTags {
    /// Tags as strings.
    Names(Vec<String>),
    /// Indices into a list of tags that is not in the file.
    Ids(Vec<i64>),
}

impl RecordTags {
    /// Returns the number of tags.
    pub fn len(&self) -> usize {
        match self {
            Self::Names(tags) => tags.len(),
            Self::Ids(tags) => tags.len(),
        }
    }

    /// Returns true if there are no tags.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagRecord {
    /// The tokens; None without a key for tokens.
    pub tokens: Option<Vec<String>>,
    /// The tags of each layer, in the order of [`RecordKeys::tags`].
    pub tags: Vec<RecordTags>,
    /// Name of the document.
    pub document: Option<String>,
    /// Line of the record, from 1.
    pub line: u64,
}

/// Reads the sentences of a file, one at a time.
///
/// ```
/// use spanrs_io::Source;
/// use spanrs_io::document::{RecordKeys, RecordTags, TagRecords};
/// let line = &b"{\"tokens\": [\"EU\"], \"ner_tags\": [\"B-ORG\"]}"[..];
/// let source = Source::stream("example", Box::new(line)).keep();
/// let keys = TagRecords::keys(&source, Default::default()).unwrap();
/// assert_eq!(keys, [("tokens".to_owned(), true), ("ner_tags".to_owned(), true)]);
/// let keys = RecordKeys {
///     tokens: Some("tokens".to_owned()),
///     tags: vec!["ner_tags".to_owned()],
///     document: None,
/// };
/// let mut records = TagRecords::open(&source, keys, Default::default()).unwrap();
/// let record = records.next().unwrap().unwrap();
/// assert_eq!(record.tags, [RecordTags::Names(vec!["B-ORG".to_owned()])]);
/// assert!(records.next().is_none());
/// ```
pub struct TagRecords {
    records: Records,
    keys: RecordKeys,
    ended: bool,
}

/// The records of a file of lines or of a JSON list.
enum Records {
    Lines(Lines),
    Items(Items),
}

impl Records {
    fn open(source: &Source, limits: Limits) -> Result<Self> {
        let (beginning, _) = source.beginning(1 << 10)?;
        let beginning = beginning
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(&beginning);
        Ok(match beginning.trim_ascii_start().first() {
            Some(b'[') => Self::Items(Items::open(source, limits, WHAT)?),
            _ => Self::Lines(Lines::open(source, limits)?),
        })
    }

    /// Returns the position and the text of the next record.
    fn next(&mut self) -> Result<Option<(Position, &str)>> {
        match self {
            Self::Items(items) => items.next(),
            Self::Lines(lines) => {
                let name = lines.name().to_owned();
                let next = lines.next()?;
                Ok(next.map(|(line, text)| {
                    let position = Position {
                        column: 1,
                        ..Position::line(&name, line)
                    };
                    (position, text)
                }))
            }
        }
    }
}

impl TagRecords {
    /// Returns the keys of the first record, and whether their values are lists; empty for a file
    /// without records.
    ///
    /// # Errors
    /// The errors of [`TagRecords::open`]; [`Code::BadDocument`] if the first record is not an
    /// object.
    pub fn keys(source: &Source, limits: Limits) -> Result<Vec<(String, bool)>> {
        let mut records = Records::open(source, limits)?;
        let Some((at, text)) = records.next()? else {
            return Ok(Vec::new());
        };
        let record: Map<String, Value> =
            serde_json::from_str(text).map_err(|error| json::error_from(&at, WHAT, &error))?;
        let keys = record.into_iter();
        Ok(keys.map(|(key, value)| (key, value.is_array())).collect())
    }

    /// Opens a source.
    ///
    /// # Errors
    /// The errors of [`Source::open`]; [`Code::Compression`]; [`Code::Encoding`] for UTF-16.
    pub fn open(source: &Source, keys: RecordKeys, limits: Limits) -> Result<Self> {
        Ok(Self {
            records: Records::open(source, limits)?,
            keys,
            ended: false,
        })
    }

    /// Returns the next sentence; None at the end.
    fn record(&mut self) -> Result<Option<TagRecord>> {
        let Some((at, text)) = self.records.next()? else {
            return Ok(None);
        };
        let wrong = |error: serde_json::Error| json::error_from(&at, WHAT, &error);
        let fields: HashMap<Cow<'_, str>, &RawValue> = serde_json::from_str(text).map_err(wrong)?;
        let missing = |key: &str| {
            let message = format!("{WHAT}: there is no key {key:?}");
            Error::new(Code::BadDocument, at.clone(), message)
        };
        // Positions within a value are not known; the record is named instead.
        let bad = |key: &str, expected: &str| {
            let message = format!("{WHAT}: the value of {key:?} is not {expected}");
            Error::new(Code::BadDocument, at.clone(), message)
        };
        let tokens = match &self.keys.tokens {
            None => None,
            Some(key) => {
                let value = fields.get(key.as_str()).ok_or_else(|| missing(key))?;
                let tokens: Vec<String> =
                    serde_json::from_str(value.get()).map_err(|_| bad(key, "a list of strings"))?;
                Some(tokens)
            }
        };
        let mut tags = Vec::with_capacity(self.keys.tags.len());
        for key in &self.keys.tags {
            let value = fields.get(key.as_str()).ok_or_else(|| missing(key))?;
            let layer: RecordTags = serde_json::from_str(value.get())
                .map_err(|_| bad(key, "a list of strings or integers"))?;
            if let Some(tokens) = &tokens
                && tokens.len() != layer.len()
            {
                let (tokens, tags) = (tokens.len(), layer.len());
                let message = format!("{WHAT}: {tokens} tokens but {tags} tags under {key:?}");
                return Err(Error::new(Code::BadDocument, at.clone(), message));
            }
            tags.push(layer);
        }
        let document = self.keys.document.as_ref().and_then(|key| {
            let value: Value = serde_json::from_str(fields.get(key.as_str())?.get()).ok()?;
            json::id(&value)
        });
        Ok(Some(TagRecord {
            tokens,
            tags,
            document,
            line: at.line,
        }))
    }
}

impl Iterator for TagRecords {
    type Item = Result<TagRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let record = self.record().transpose();
        self.ended = !matches!(record, Some(Ok(_)));
        record
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<String> {
        let bytes = std::io::Cursor::new(text.as_bytes().to_vec());
        let source = Source::stream("d", Box::new(bytes)).keep();
        let keys = RecordKeys {
            tokens: Some("tokens".to_owned()),
            tags: vec!["tags".to_owned()],
            document: Some("doc".to_owned()),
        };
        let records = TagRecords::open(&source, keys, Limits::default()).unwrap();
        let shown = records.map(|record| match record {
            Ok(TagRecord {
                tokens,
                tags,
                document,
                line,
            }) => {
                format!("{line} {tokens:?} {tags:?} {document:?}")
            }
            Err(error) => error.to_string(),
        });
        shown.collect()
    }

    #[test]
    fn lines_and_lists_are_read() {
        let lines = "{\"tokens\": [\"a\"], \"tags\": [\"O\"], \"doc\": 7}\n\n{\"tags\": [3], \"tokens\": [\"b\"]}\n";
        let expected = [
            "1 Some([\"a\"]) [Names([\"O\"])] Some(\"7\")",
            "3 Some([\"b\"]) [Ids([3])] None",
        ];
        assert_eq!(read(lines), expected);
        let list = lines.trim().replace("\n\n", ",\n\n");
        assert_eq!(read(&format!("[{list}]")), expected);
        assert_eq!(read(""), Vec::<String>::new());
    }

    #[test]
    fn malformed_records_are_located() {
        let what = "this is not a record of tokens and tags";
        for (text, message) in [
            ("{}", format!("d:1:1: {what}: there is no key \"tokens\"")),
            (
                "{\"tokens\": [1]}",
                format!("d:1:1: {what}: the value of \"tokens\" is not a list of strings"),
            ),
            (
                "\n{\"tokens\": [\"a\"], \"tags\": []}",
                format!("d:2:1: {what}: 1 tokens but 0 tags under \"tags\""),
            ),
            (
                "{\"tokens\": [\"a\"], \"tags\": [null]}",
                format!(
                    "d:1:1: {what}: the value of \"tags\" is not a list of strings or integers"
                ),
            ),
            (
                "{\"tokens\"",
                format!("d:1:9: {what}: EOF while parsing an object"),
            ),
            (
                "3",
                format!("d:1:1: {what}: invalid type: integer `3`, expected a map"),
            ),
        ] {
            assert_eq!(read(text), [message], "{text}");
        }
    }
}
