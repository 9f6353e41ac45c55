//! Recognition of JSON formats from the keys of the first record.

use memchr::memchr2;

use super::file_format::{FileFormat, Recognised};
use super::{LISTS, holds_lists};
use crate::document::Format;
use crate::error::one_line;

/// Kind of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    /// The value is truncated before its kind is known.
    #[default]
    Unknown,
    Text,
    Object,
    /// A list, with the kind of its first item.
    List(Item),
    /// A number, true, false or null.
    Other,
}

/// First item of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Item {
    /// There is no item, or the item is truncated.
    None,
    List,
    /// An object with the key `labels`.
    Labelled,
    Object,
    Other,
}

/// The first record, possibly truncated.
#[derive(Debug, Default)]
struct Record {
    /// The keys, with the kinds of their values.
    keys: Vec<(String, Kind)>,
    /// Whether the record is an item of a list.
    in_list: bool,
    /// Whether all keys have been read.
    complete: bool,
}

impl Record {
    /// Scans the first record of a file: its first value, or the first item of that value. A
    /// truncated record has the keys before the truncation.
    fn first(begin: &[u8]) -> Self {
        let mut record = Self {
            in_list: begin.starts_with(b"["),
            ..Self::default()
        };
        let depth = 1 + usize::from(record.in_list);
        // The open brackets, and the last byte that is not white space.
        let (mut open, mut before) = (Vec::new(), 0);
        let mut at = 0;
        while let Some(&byte) = begin.get(at) {
            let start = at;
            at += 1;
            if byte.is_ascii_whitespace() {
                continue;
            }
            if open.len() < depth && before == b'[' && byte != b'{' {
                // A list whose items are not objects.
                break;
            }
            if byte == b'"' {
                let (end, complete) = string_end(begin, start);
                at = end;
                let in_object = open.last() == Some(&b'{');
                if in_object && complete && matches!(before, b'{' | b',') {
                    record.add_key(open.len() - depth, &begin[start..end]);
                }
            }
            record.add_value(open.len() as isize - depth as isize, before, byte);
            before = byte;
            match byte {
                b'{' | b'[' => open.push(byte),
                b'}' | b']' => {
                    open.pop();
                    if open.len() < depth {
                        record.complete = byte == b'}';
                        break;
                    }
                }
                _ => {}
            }
        }
        record
    }

    /// Adds a key of the record, if `depth` is 0; for the key `labels` of an item in a list,
    /// `depth` is 2.
    fn add_key(&mut self, depth: usize, quoted: &[u8]) {
        let key: String = serde_json::from_slice(quoted).unwrap_or_default();
        match (depth, self.keys.last_mut()) {
            (0, _) => self.keys.push((key, Kind::Unknown)),
            (2, Some((_, Kind::List(item @ Item::Object)))) if key == "labels" => {
                *item = Item::Labelled;
            }
            _ => {}
        }
    }

    /// Determines the kind of a value from its first byte; `before` is the preceding byte.
    fn add_value(&mut self, depth: isize, before: u8, byte: u8) {
        let Some((_, kind)) = self.keys.last_mut() else {
            return;
        };
        match (depth, before) {
            (0, b':') => {
                *kind = match byte {
                    b'"' => Kind::Text,
                    b'{' => Kind::Object,
                    b'[' => Kind::List(Item::None),
                    _ => Kind::Other,
                };
            }
            (1, b'[') if *kind == Kind::List(Item::None) => {
                *kind = Kind::List(match byte {
                    b']' => Item::None,
                    b'[' => Item::List,
                    b'{' => Item::Object,
                    _ => Item::Other,
                });
            }
            _ => {}
        }
    }

    /// Returns the kind of the value under a key.
    fn kind(&self, key: &str) -> Option<Kind> {
        let mut keys = self.keys.iter();
        keys.find(|(known, _)| known == key).map(|(_, kind)| *kind)
    }

    /// Returns true if the record has one of the keys.
    fn has(&self, keys: &[&str]) -> bool {
        keys.iter().any(|key| self.kind(key).is_some())
    }

    /// Returns true if the record has the key and its value is a string or truncated.
    fn has_text(&self, key: &str) -> bool {
        matches!(self.kind(key), Some(Kind::Text | Kind::Unknown))
    }
}

/// Returns the format of JSON that starts with `begin`, or a refusal with the reason.
///
/// | keys | format |
/// |---|---|
/// | `signal` or `asets` | `mat-json` |
/// | `annotations`, `completions` or `predictions`, and an object `data` | `label-studio` |
/// | `annotation_id`, `lead_time`, `annotator` (in an item of a list), or a list of objects with `labels` (JSON_MIN) | `label-studio` |
/// | `text`, and `spans` or one of Prodigy's own keys, not in an item of a list | `prodigy` |
/// | `text` or `data`, and a list `label`, `labels` or `entities`, not in an item of a list | `doccano` |
/// | `documents` or `passages`, or `PubTator3` | `bioc-json` |
/// | a list `tokens`, `tokenized_text` or `words`, and `ner` or `spans` with lists or objects | `jsonl-spans` |
/// | a list `tokens` or `words`, and a list of tags (`tags`, `ner_tags`, ...) | `jsonl-tags` |
/// | keys of two formats or of none | rejected; the message lists the keys |
/// | lists of tokens or tags | rejected, with other advice |
pub(super) fn json_format(begin: &[u8]) -> Recognised {
    let record = Record::first(begin);
    let tests = [
        (
            FileFormat::Document(Format::MatJson),
            is_mat_json as fn(&Record) -> bool,
        ),
        (FileFormat::Document(Format::LabelStudio), is_label_studio),
        (FileFormat::Document(Format::Prodigy), is_prodigy),
        (FileFormat::Document(Format::Doccano), is_doccano),
        (FileFormat::Document(Format::BiocJson), is_bioc),
        (FileFormat::Document(Format::JsonlSpans), is_token_spans),
        (FileFormat::JsonlTags, is_token_tags),
    ];
    let mut fitting = tests.into_iter().filter(|(_, fits)| fits(&record));
    match (fitting.next(), fitting.next()) {
        (Some((format, _)), None) => Recognised::Format(format),
        _ if holds_lists(begin) => Recognised::refused("JSON", LISTS),
        _ => refused(&record),
    }
}

/// Returns the refusal of a record that matches no format or several formats.
fn refused(record: &Record) -> Recognised {
    const MOST: usize = 8;
    let keys = record.keys.iter().take(MOST);
    let keys: Vec<_> = keys.map(|(key, _)| format!("{key:?}")).collect();
    let what = match keys.len() {
        0 => "JSON without records".to_owned(),
        1 => format!("JSON whose first record has the key {}", keys[0]),
        _ => {
            let more = if record.keys.len() > MOST {
                ", ..."
            } else {
                ""
            };
            format!(
                "JSON whose first record has the keys {}{more}",
                keys.join(", ")
            )
        }
    };
    // In these formats, each record is a line.
    let advice = match record.in_list && (is_doccano_record(record) || is_prodigy_record(record)) {
        true => "write one record per line (JSON Lines)",
        false => {
            "specify the format (--format doccano, prodigy, label-studio, bioc-json, jsonl-tags, ...)"
        }
    };
    Recognised::refused(one_line(what), advice)
}

/// MAT-JSON.
fn is_mat_json(record: &Record) -> bool {
    !record.in_list && record.has(&["signal", "asets"])
}

/// Label Studio: JSON, or JSON_MIN, where any key may contain the regions.
fn is_label_studio(record: &Record) -> bool {
    if record.has(&["annotations", "completions", "predictions"]) {
        let data = matches!(record.kind("data"), Some(Kind::Object | Kind::Unknown));
        // `data` follows the annotations, which may be long. COCO files also have `annotations`.
        let cut =
            record.in_list && !record.complete && !record.has(&["images", "info", "categories"]);
        return data || cut;
    }
    let minimal =
        record.has(&["annotation_id", "lead_time"]) || record.in_list && record.has(&["annotator"]);
    minimal
        || record
            .keys
            .iter()
            .any(|(_, kind)| *kind == Kind::List(Item::Labelled))
}

/// Prodigy.
fn is_prodigy(record: &Record) -> bool {
    !record.in_list && is_prodigy_record(record)
}

fn is_prodigy_record(record: &Record) -> bool {
    let own = ["_task_hash", "_input_hash", "_session_id", "_annotator_id"];
    let spans = matches!(record.kind("spans"), Some(Kind::List(_) | Kind::Unknown));
    record.has_text("text") && (spans || record.has(&own))
}

/// doccano.
fn is_doccano(record: &Record) -> bool {
    !record.in_list && is_doccano_record(record)
}

fn is_doccano_record(record: &Record) -> bool {
    // In other formats, labels of whole texts are strings.
    let rows = |key| {
        use Item::{List, None};
        matches!(
            record.kind(key),
            Some(Kind::List(List | None) | Kind::Unknown)
        )
    };
    let entities = matches!(record.kind("entities"), Some(Kind::List(_) | Kind::Unknown));
    (record.has_text("text") || record.has_text("data"))
        && (rows("label") || rows("labels") || entities)
}

/// BioC's JSON: a collection or a document.
fn is_bioc(record: &Record) -> bool {
    let list = |key| matches!(record.kind(key), Some(Kind::List(_)));
    list("PubTator3") || list("passages") || list("documents") && !record.in_list
        || record.has(&["bioctype"])
        // The documents follow the facts about the collection.
        || !record.complete && record.has(&["infons"]) && record.has(&["source", "key"])
}

/// Keys of lists of tokens.
const TOKENS: [&str; 3] = ["tokens", "tokenized_text", "words"];

fn has_tokens(record: &Record) -> bool {
    let list = |key| matches!(record.kind(key), Some(Kind::List(Item::Other | Item::None)));
    TOKENS.into_iter().any(list) && !record.has_text("text")
}

/// Tokens with spans.
fn is_token_spans(record: &Record) -> bool {
    let spans = |key| {
        matches!(
            record.kind(key),
            Some(Kind::List(Item::List | Item::Object | Item::None) | Kind::Unknown)
        )
    };
    has_tokens(record) && ["ner", "entities", "spans"].into_iter().any(spans)
}

/// Tokens with a list of tags: a key such as `tags`, `ner_tags` or `labels`.
fn is_token_tags(record: &Record) -> bool {
    let is_tags = |key: &str| key.ends_with("tags") || key.ends_with("labels") || key == "ner";
    let tags = |(key, kind): &(String, Kind)| {
        is_tags(key) && matches!(kind, Kind::List(Item::Other) | Kind::Unknown)
    };
    has_tokens(record) && record.keys.iter().any(tags)
}

/// Returns the position after a string that begins at `start`, and whether the string ends within
/// `bytes`.
fn string_end(bytes: &[u8], start: usize) -> (usize, bool) {
    let mut at = start + 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found;
        if bytes[at] == b'"' {
            return (at + 1, true);
        }
        // Skip the escaped character.
        at += 2;
    }
    (bytes.len(), false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the name of the format, or the message of a refusal.
    fn format(text: &str) -> String {
        match json_format(text.as_bytes()) {
            Recognised::Format(format) => format.name().to_owned(),
            Recognised::Refused { what, .. } => what,
        }
    }

    #[test]
    fn formats_are_told_by_their_keys() {
        for (text, expected) in [
            ("{\"signal\": \"Bob\", \"asets\": []}", "mat-json"),
            (
                "{\"asets\": [{\"type\": \"lex\", \"annots\": [[0, 3",
                "mat-json",
            ),
            (
                "[{\"id\": 1, \"annotations\": [], \"data\": {\"text\": \"Bob\"}}]",
                "label-studio",
            ),
            ("[{\"id\": 1, \"annotations\": [{\"id\": 1", "label-studio"),
            ("{\"completions\": [], \"data\": {}}", "label-studio"),
            ("[{\"text\": \"Bob\", \"lead_time\": 1.5}]", "label-studio"),
            (
                "[{\"t\": \"Bob\", \"ner\": [{\"end\": 3, \"labels\": []}]}]",
                "label-studio",
            ),
            ("{\"text\": \"Bob\", \"spans\": []}\n{}", "prodigy"),
            (
                "{\"text\": \"Bob\", \"_task_hash\": 7, \"label\": \"PER\"}",
                "prodigy",
            ),
            (
                "{\"text\": \"Bob\", \"label\": [[0, 3, \"PER\"]]}",
                "doccano",
            ),
            ("{\"data\": \"Bob\", \"labels\": []}", "doccano"),
            (
                "{\"text\": \"Bob\", \"entities\": [{\"id\": 1}]}",
                "doccano",
            ),
            (
                "{\"text\": \"B\\\"{[\\u00e9\", \"\\u006cabel\": [[0, 2",
                "doccano",
            ),
        ] {
            assert_eq!(format(text), expected, "{text}");
        }
    }

    #[test]
    fn tokens_and_collections_are_told_by_their_keys() {
        for (text, expected) in [
            ("{\"tokens\": [\"EU\"], \"ner_tags\": [0]}", "jsonl-tags"),
            ("[{\"words\": [], \"labels\": [\"O\"]}]", "jsonl-tags"),
            (
                "{\"tokenized_text\": [\"EU\"], \"ner\": [[0, 0, \"ORG\"]]}",
                "jsonl-spans",
            ),
            (
                "[{\"tokenized_text\": [\"EU\"], \"ner\": []}]",
                "jsonl-spans",
            ),
            ("{\"tokens\": [\"EU\"], \"ner\": [\"B-ORG\"]}", "jsonl-tags"),
            (
                "{\"source\": \"PMC\", \"date\": \"\", \"key\": \"\", \"infons\": {}, \"documents\": []}",
                "bioc-json",
            ),
            ("{\"PubTator3\": [{\"id\": \"1\"}]}", "bioc-json"),
            (
                "{\"id\": \"1\", \"infons\": {}, \"passages\": [{}]}",
                "bioc-json",
            ),
        ] {
            assert_eq!(format(text), expected, "{text}");
        }
    }

    #[test]
    fn other_json_is_refused_with_its_keys() {
        let keys = "JSON whose first record has the keys ";
        for (text, expected) in [
            ("[]", "JSON without records"),
            ("[[\"EU\", \"O\"]]", "JSON"),
            ("{\"tokens\": [\"EU\"], \"x\": [0]}", "JSON"),
            (
                "{\"text\": \"Bob\"}",
                "JSON whose first record has the key \"text\"",
            ),
            (
                "{\"text\": \"Bob\", \"label\": \"PER\"}",
                &format!("{keys}\"text\", \"label\""),
            ),
            (
                "[{\"text\": \"B\", \"entities\": [[0]]}]",
                &format!("{keys}\"text\", \"entities\""),
            ),
            (
                "{\"text\": \"B\", \"spans\": [], \"label\": []}",
                &format!("{keys}\"text\", \"spans\", \"label\""),
            ),
            (
                "{\"images\": [], \"annotations\": []}",
                &format!("{keys}\"images\", \"annotations\""),
            ),
        ] {
            assert_eq!(format(text), expected, "{text}");
        }
    }

    #[test]
    fn every_beginning_of_a_record_is_scanned() {
        let text =
            "[{\"a\\\"\": [{\"labels\": \"}]\"}], \"b\": {\"c\": 1}, \"d\": -2e1}, {\"e\": 0}]";
        let whole = Record::first(text.as_bytes());
        let names: Vec<_> = whole.keys.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!((names, whole.complete), (vec!["a\"", "b", "d"], true));
        assert_eq!(whole.kind("a\""), Some(Kind::List(Item::Labelled)));
        assert_eq!(
            (whole.kind("b"), whole.kind("d")),
            (Some(Kind::Object), Some(Kind::Other))
        );
        for end in 0..text.len() {
            let cut = Record::first(&text.as_bytes()[..end]);
            assert!(cut.keys.len() <= 3);
        }
    }
}
