//! Names and metadata of documents in JSON objects.
//!
//! Annotation tools keep the facts about a document as members of an object: the data of a task of
//! Label Studio, the record of doccano, `meta` of Prodigy. The name of a document is the first of
//! these members that is a string: `name`, `filename`, `file_name`, `file`, `title`, `doc_name`,
//! `document`. All other facts are metadata.
//!
//! | object | name | metadata |
//! |---|---|---|
//! | `{"title": "A", "year": 1}` | `A` | `year` |
//! | `{"name": "a.txt", "title": "A"}` | `a.txt` | `title` |
//! | `{"meta": {"year": 1}}`, `{"metadata": {"year": 1}}` | | `year` |
//!
//! A fact that would be read as something else, such as metadata called `text`, is written into the
//! object `metadata`.

use serde_json::{Map, Value};

use super::annotated_text::Document;
use super::losses::Losses;

/// The keys of names, in order of preference.
const NAMES: [&str; 7] = [
    "name",
    "filename",
    "file_name",
    "file",
    "title",
    "doc_name",
    "document",
];
/// Objects whose members are facts.
const NESTED: [&str; 2] = ["meta", "metadata"];
/// The object for facts that cannot be written under their own key.
const METADATA: &str = "metadata";

/// Returns true if `key` may be the key of a name.
pub(super) fn is_name(key: &str) -> bool {
    NAMES.contains(&key)
}

/// Returns the name of a document among its facts.
pub(super) fn name_of(facts: &Map<String, Value>) -> Option<&str> {
    let mut names = NAMES.into_iter().filter_map(|key| facts.get(key)?.as_str());
    names.find(|name| !name.is_empty())
}

/// Removes the name of a document from its facts.
pub(super) fn take_name(facts: &mut Map<String, Value>) -> Option<String> {
    let is_text = |key: &&str| is_text(facts.get(*key));
    let key = NAMES.into_iter().find(is_text)?;
    match facts.shift_remove(key) {
        Some(Value::String(name)) => Some(name),
        _ => None,
    }
}

/// Returns true for a string that is not empty.
fn is_text(value: Option<&Value>) -> bool {
    value
        .and_then(Value::as_str)
        .is_some_and(|text| !text.is_empty())
}

/// Adds facts to the metadata of a document. Members of the objects `meta` and `metadata` are facts
/// themselves.
pub(super) fn add_facts(document: &mut Document, facts: Map<String, Value>) {
    for (key, value) in facts {
        match value {
            Value::Object(inner) if NESTED.contains(&&*key) => document.metadata.extend(inner),
            value => document.metadata.push((key, value)),
        }
    }
}

/// Returns name and metadata of a document as an object. `is_reserved` returns true for facts that
/// would not be read as metadata.
pub(super) fn facts(
    document: &Document,
    losses: &mut Losses,
    is_reserved: impl Fn(&str, &Value) -> bool,
) -> Map<String, Value> {
    let mut facts = Map::new();
    let mut nested = Map::new();
    let name = document.name.as_deref().filter(|name| !name.is_empty());
    if let Some(name) = name {
        facts.insert("name".to_owned(), name.into());
    }
    let mut repeated = 0;
    for (key, value) in &document.metadata {
        let is_object = NESTED.contains(&&**key) && value.is_object();
        let looks_like_name = name.is_none() && is_name(key) && is_text(Some(value));
        let own_key = !is_object
            && !looks_like_name
            && key != METADATA
            && !facts.contains_key(key)
            && !is_reserved(key, value);
        let target = if own_key { &mut facts } else { &mut nested };
        if target.contains_key(key) {
            repeated += 1;
        } else {
            target.insert(key.clone(), value.clone());
        }
    }
    losses.add("metadata with a name that occurs twice", repeated);
    if !nested.is_empty() {
        facts.insert(METADATA.to_owned(), nested.into());
    }
    facts
}

/// Returns the id of a document as in annotation tools: an integer if the id is the usual form of
/// one, otherwise a string.
///
/// ```text
/// 7 -> 7
/// 007 -> "007"
/// ```
pub(super) fn id_value(id: &str) -> Value {
    match id.parse::<i64>() {
        Ok(number) if number.to_string() == id => number.into(),
        _ => id.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn facts_that_look_like_other_things_are_nested() {
        let mut document = Document::new(String::new());
        let metadata = json!({"text": "t", "title": "T", "meta": {"a": 1}, "metadata": 2, "b": null, "name": 3});
        let Value::Object(metadata) = metadata else {
            unreachable!()
        };
        document.metadata = metadata.clone().into_iter().collect();
        let mut losses = Losses::default();
        for name in [None, Some("n".to_owned())] {
            document.name = name;
            let mut written = facts(&document, &mut losses, |key, _| key == "text");
            let mut read = Document::new(String::new());
            read.name = take_name(&mut written);
            add_facts(&mut read, written);
            assert_eq!(read.name, document.name);
            assert_eq!(
                read.metadata.into_iter().collect::<Map<_, _>>(),
                metadata.clone()
            );
        }
        assert!(losses.list().is_empty());
    }

    #[test]
    fn ids_in_the_usual_form_of_integers_are_integers() {
        assert_eq!(id_value("-7"), json!(-7));
        for text in [
            "007",
            "",
            "7a",
            "+7",
            "9223372036854775808",
            "\u{0660}",
            "-0",
        ] {
            assert_eq!(id_value(text), json!(text));
        }
    }
}
