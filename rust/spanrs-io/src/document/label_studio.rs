//! What Label Studio exports: JSON and JSON_MIN.
//!
//! ```json
//! [{"id": 1, "data": {"text": "Bob ate"}, "annotations": [{"result": [{"type": "labels",
//!   "value": {"start": 0, "end": 3, "labels": ["PER"], "text": "Bob"}}]}]}]
//! [{"id": 1, "text": "Bob ate", "label": [{"start": 0, "end": 3, "labels": ["PER"]}]}]
//! ```
//! Offsets count UTF-16 code units, as in JavaScript (`regions`). A task of JSON has a list of
//! annotations, each by one user, of which one becomes the document; JSON_MIN has one task for each
//! annotation. The tree of one task at a time is held.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use spanrs_base::Position;

use super::annotated_text::Document;
use super::annotators::{Annotator, Annotators, Choice, is_by, user_name};
use super::json::{self, list, object};
use super::regions::Regions;
use crate::error::{Code, Error, Result};

/// Beginning of the messages of errors in JSON.
const WHAT: &str = "this is no export of Label Studio";
/// Keys of JSON_MIN whose strings are not the text.
const OWN: [&str; 5] = [
    "id",
    "annotator",
    "annotation_id",
    "created_at",
    "updated_at",
];

/// Reads the tasks that somebody annotated; tasks without annotations are skipped.
///
/// With `annotator`, the tasks that this one annotated: a user's name, e-mail address or id. If no
/// user has a number for an id, a number is a position from 0: of users as they first occur in the
/// file, or among the annotations of each task if the file names no users.
///
/// # Errors
/// [`Code::BadDocument`] for malformed files, two documents of one task, an unknown annotator, and
/// predictions only.
pub(super) fn read(name: &str, text: &str, annotator: Option<&str>) -> Result<Vec<Document>> {
    let found = match annotator {
        None => {
            let found = read_of(name, text, Choice::All)?;
            if found.is_empty() && text.contains("\"predictions\"") {
                let message =
                    "no task has annotations that are not cancelled; predictions are not read";
                return Err(Error::new(Code::BadDocument, Position::file(name), message));
            }
            found
        }
        Some(wanted) => {
            let users = RefCell::default();
            read_of(name, text, Choice::Users(&users))?;
            let users: Annotators = users.into_inner();
            let chosen = match (users.numbered(wanted), wanted.parse()) {
                (Some(place), _) => Annotator::Name(users.names()[place].clone()),
                (None, Ok(place)) if users.names().is_empty() => Annotator::Place(place),
                _ => Annotator::Name(wanted.to_owned()),
            };
            let found = read_of(name, text, Choice::One(&chosen))?;
            if found.is_empty() {
                return Err(users.missing(name, wanted));
            }
            found
        }
    };
    refuse_repeated(name, &found)?;
    Ok(found.into_iter().map(|(_, document)| document).collect())
}

/// Refuses two documents of one task with the same text: JSON_MIN has one for each annotation.
fn refuse_repeated(name: &str, documents: &[Found]) -> Result<()> {
    let mut first: HashMap<&str, &Found> = HashMap::new();
    for found in documents {
        let Some(id) = found.1.id.as_deref() else {
            continue;
        };
        let other = *first.entry(id).or_insert(found);
        if !std::ptr::eq(other, found) && other.1.text == found.1.text {
            let message = match (&other.0, &found.0) {
                (Some(one), Some(two)) if one != two => format!(
                    "annotators {one} and {two} both annotated task {id}; choose one (--annotator, --ref_annotator)"
                ),
                _ => format!(
                    "two annotations of task {id}, by the same or no named annotator; keep one"
                ),
            };
            return Err(Error::new(Code::BadDocument, Position::file(name), message));
        }
    }
    Ok(())
}

/// Who annotated a document, where the file says so, and the document.
type Found = (Option<String>, Document);

/// Reads what `choice` says of a file.
fn read_of(name: &str, text: &str, choice: Choice<'_>) -> Result<Vec<Found>> {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    Tasks(choice)
        .deserialize(&mut deserializer)
        .and_then(|documents| deserializer.end().map(|()| documents))
        .map_err(|error| json::error(name, 1, WHAT, &error))
}

/// Makes documents of tasks one after another, so that the tree of one task is held and not that of
/// all.
struct Tasks<'a>(Choice<'a>);

impl<'de> DeserializeSeed<'de> for Tasks<'_> {
    type Value = Vec<Found>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Tasks<'_> {
    type Value = Vec<Found>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of tasks")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut tasks: A) -> Result<Self::Value, A::Error> {
        let mut documents = Vec::new();
        for at in 0.. {
            match tasks.next_element_seed(Task(at, self.0))? {
                Some(document) => documents.extend(document),
                None => break,
            }
        }
        Ok(documents)
    }
    /// A task by itself, as it comes where tasks are fetched one by one.
    fn visit_map<A: MapAccess<'de>>(self, task: A) -> Result<Self::Value, A::Error> {
        Ok(Vec::from_iter(Task(0, self.0).visit_map(task)?))
    }
}

/// Makes a document of the task with this index. Errors in it are raised while the parser is at its
/// end, so that messages name that place.
struct Task<'a>(u64, Choice<'a>);

impl<'de> DeserializeSeed<'de> for Task<'_> {
    type Value = Option<Found>;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Task<'_> {
    type Value = Option<Found>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a task: an object with \"data\" and \"annotations\"")
    }
    fn visit_map<A: MapAccess<'de>>(self, task: A) -> Result<Self::Value, A::Error> {
        let task = Map::deserialize(MapAccessDeserializer::new(task))?;
        document(task, self.0, self.1).map_err(A::Error::custom)
    }
}

/// Makes the document of a task; None if nobody annotated it, or not the annotator chosen.
fn document(
    mut task: Map<String, Value>,
    at: u64,
    choice: Choice<'_>,
) -> Result<Option<Found>, String> {
    let id = task.get("id").and_then(json::id);
    let made = match task.get_mut("data").and_then(Value::as_object_mut) {
        Some(data) => take_text(data, &[]).and_then(|text| full(text, &task, choice)),
        None => {
            let by = task.get("annotator").cloned();
            choice.note(by.as_ref());
            match choice {
                Choice::Users(_) | Choice::One(Annotator::Place(1..)) => Ok(None),
                Choice::One(Annotator::Name(name))
                    if !by.as_ref().is_some_and(|by| is_by(by, name)) =>
                {
                    Ok(None)
                }
                _ => take_text(&mut task, &OWN)
                    .and_then(|text| minimal(text, &task))
                    .map(|document| Some((by.as_ref().and_then(user_name), document))),
            }
        }
    };
    match made {
        Ok(found) => Ok(found.map(|(by, mut document)| {
            document.id = id;
            (by, document)
        })),
        Err(message) => {
            let named = id.map_or(String::new(), |id| format!(" (id {id})"));
            Err(format!("task {at}{named}: {message}"))
        }
    }
}

/// Takes the string called `text`, or else the only string under a key that is not in `own`.
fn take_text(data: &mut Map<String, Value>, own: &[&str]) -> Result<String, String> {
    let mut strings = data
        .iter()
        .filter(|(key, value)| value.is_string() && !own.contains(&key.as_str()))
        .map(|(key, _)| key.as_str());
    let key = match (data.get("text"), strings.next(), strings.next()) {
        (Some(Value::String(_)), ..) => "text",
        (_, Some(only), None) => only,
        (_, None, _) => return Err("it has no \"text\"".to_owned()),
        (_, Some(one), Some(other)) => {
            return Err(format!(
                "its text may be \"{}\" or \"{}\"; call it \"text\"",
                json::excerpt(one, 40),
                json::excerpt(other, 40)
            ));
        }
    }
    .to_owned();
    match data.get_mut(&key).map(Value::take) {
        Some(Value::String(text)) => Ok(text),
        _ => Ok(String::new()),
    }
}

/// Makes the document of a task of JSON from one annotation that was neither cancelled nor skipped:
/// that of the annotator; if none is chosen the ground truth, else the first, with a report of the
/// others.
fn full(
    text: String,
    task: &Map<String, Value>,
    choice: Choice<'_>,
) -> Result<Option<Found>, String> {
    // Before 1.0 annotations were called completions.
    let key = match task.contains_key("annotations") {
        true => "annotations",
        false => "completions",
    };
    let Some(all) = task.get(key) else {
        return Err("it has no \"annotations\"; export the project as JSON".to_owned());
    };
    let says =
        |annotation: &Map<String, Value>, key| annotation.get(key) == Some(&Value::Bool(true));
    let mut made = Vec::new();
    for (at, annotation) in list(all, || key.to_owned())?.iter().enumerate() {
        let annotation = object(annotation, || format!("{key}[{at}]"))?;
        if !says(annotation, "was_cancelled") && !says(annotation, "skipped") {
            made.push((at, annotation));
        }
    }
    fn user(annotation: &Map<String, Value>) -> Option<&Value> {
        annotation.get("completed_by")
    }
    let mut others = &made[..0];
    let chosen = match choice {
        Choice::Users(_) => {
            made.iter().for_each(|(_, a)| choice.note(user(a)));
            None
        }
        Choice::One(Annotator::Name(name)) => made
            .iter()
            .find(|(_, a)| user(a).is_some_and(|user| is_by(user, name))),
        Choice::One(Annotator::Place(place)) => made.get(*place),
        Choice::All => {
            let truth = made.iter().find(|(_, a)| says(a, "ground_truth"));
            if truth.is_none() {
                others = made.get(1..).unwrap_or_default();
            }
            truth.or(made.first())
        }
    };
    let Some(&(number, annotation)) = chosen else {
        return Ok(None);
    };
    let mut regions = Regions::new(text);
    if !others.is_empty() {
        regions.document.leave_out(|| {
            let named = others.iter().filter_map(|(_, a)| user(a).and_then(user_name));
            let names: Vec<String> = named.collect();
            let names = match names.as_slice() {
                [] => String::new(),
                names => format!(" ({})", json::excerpt(&names.join(", "), 100)),
            };
            let who = match others {
                [_] => "1 other annotator is",
                _ => &format!("{} other annotators are", others.len()),
            };
            format!(
                "{who} not read{names}, and there is no ground truth; choose an annotator (--annotator, \
                 --ref_annotator)"
            )
        });
    }
    let place = || format!("{key}[{number}].result");
    let results = annotation.get("result").unwrap_or(&Value::Null);
    for (at, result) in list(results, place)?.iter().enumerate() {
        let place = || format!("{key}[{number}].result[{at}]");
        let result = object(result, place)?;
        let kind = result.get("type").and_then(Value::as_str);
        if let Some(other @ ("hypertextlabels" | "paragraphlabels")) = kind {
            // Spans, but of a text that is not plain.
            regions
                .document
                .leave_out(|| format!("{}: a region of type {other}, which is not read", place()));
        }
        if kind == Some("labels") {
            let place = || format!("{}.value", place());
            let value = result.get("value").unwrap_or(&Value::Null);
            regions.add(object(value, place)?, place)?;
        }
    }
    let by = user(annotation).and_then(user_name);
    Ok(Some((by, regions.document)))
}

/// Makes the document of a task of JSON_MIN, whose regions stand under the name of their control,
/// which may be any.
fn minimal(text: String, task: &Map<String, Value>) -> Result<Document, String> {
    let mut regions = Regions::new(text);
    for (key, value) in task {
        let Value::Array(values) = value else {
            continue;
        };
        for (at, value) in values.iter().enumerate() {
            if let Some(region) = value
                .as_object()
                .filter(|value| value.contains_key("labels"))
            {
                regions.add(region, || format!("{}[{at}]", json::excerpt(key, 40)))?;
            }
        }
    }
    Ok(regions.document)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Found = Vec<(String, u32, u32)>;

    fn documents(text: &str) -> Vec<Document> {
        let documents = read("d.json", text, None).unwrap();
        documents.into_iter().map(Document::close).collect()
    }

    fn spans(document: &Document) -> Found {
        let all = document.annotations.iter();
        all.map(|a| (document.type_of(a).to_owned(), a.start, a.end))
            .collect()
    }

    fn rows(rows: &[(&str, u32, u32)]) -> Found {
        let own = |&(ty, start, end): &(&str, u32, u32)| (ty.to_owned(), start, end);
        rows.iter().map(own).collect()
    }

    fn region(start: &str, end: &str, labels: &str) -> String {
        format!(
            r#"{{"type": "labels", "value": {{"start": {start}, "end": {end}, "labels": {labels}}}}}"#
        )
    }

    fn task(text: &str, results: &str) -> String {
        format!(
            r#"[{{"id": 3, "data": {{"text": "{text}"}}, "annotations": [{{"result": [{results}]}}]}}]"#
        )
    }

    #[test]
    fn offsets_in_code_units_become_characters() {
        // Code units: a 0, smiley 1 and 2, b 3, e acute 4, two pairs 5 to 8, end 9.
        let text = "a\u{1F600}b\u{e9}\u{1F600}\u{1F601}";
        let regions: Vec<String> = [
            ("1", "3"),
            ("3", "5"),
            ("5", "7"),
            ("7", "9"),
            ("0", "9"),
            ("9", "9"),
        ]
        .iter()
        .map(|(start, end)| region(start, end, r#"["A"]"#))
        .collect();
        let found = documents(&task(text, &regions.join(",")));
        assert_eq!(
            spans(&found[0]),
            rows(&[
                ("A", 1, 2),
                ("A", 2, 4),
                ("A", 4, 5),
                ("A", 5, 6),
                ("A", 0, 6),
                ("A", 6, 6)
            ])
        );
        assert_eq!(found[0].id.as_deref(), Some("3"));
        assert_eq!(found[0].left_out_count, 0);
    }

    #[test]
    fn what_cuts_a_character_or_lies_outside_is_left_out() {
        let regions = [
            region("1", "3", r#"["WHOLE"]"#),
            region("0", "2", r#"["CUT", "TWO"]"#),
            region("0", "5", r#"["FAR"]"#),
            region("18446744073709551615", "18446744073709551615", r#"["FAR"]"#),
            region("3", "1", r#"["BACK"]"#),
            region("1", "4", "[]"),
        ];
        let found = documents(&task("a\u{1F600}b", &regions.join(",")));
        assert_eq!(spans(&found[0]), rows(&[("WHOLE", 1, 2)]));
        assert_eq!(found[0].left_out_count, 5);
        assert_eq!(
            found[0].left_out,
            [
                "CUT 0-2, in UTF-16 code units, begins or ends within a character",
                "TWO 0-2, in UTF-16 code units, begins or ends within a character",
                "FAR 0-5 reaches beyond the text of 4 UTF-16 code units",
                "FAR 18446744073709551615-18446744073709551615 reaches beyond the text of 4 UTF-16 code units",
                "BACK 2-1 ends before it begins",
            ]
        );
    }

    #[test]
    fn a_region_with_several_labels_is_several_annotations() {
        let others = r#"{"type": "choices", "value": {"choices": ["x"]}}, {"type": "relation", "from_id": "a"},
            {"value": {"start": "/div[1]"}, "type": "hypertextlabels"},"#;
        let results = others.to_owned() + &region("0", "1", r#"["A", "B"]"#);
        let found = documents(&task("ab", &results));
        assert_eq!(spans(&found[0]), rows(&[("A", 0, 1), ("B", 0, 1)]));
    }

    #[test]
    fn one_annotation_of_a_task_counts() {
        let of = |annotations: &str| {
            let text = format!(r#"{{"data": {{"title": "ab"}}, {annotations}}}"#);
            documents(&text).iter().map(spans).collect::<Vec<_>>()
        };
        let annotation = |more: &str, label: &str| {
            let region = region("0", "1", &format!("[\"{label}\"]"));
            format!(r#"{{{more} "result": [{region}]}}"#)
        };
        let cancelled = annotation(r#""was_cancelled": true,"#, "C");
        let first = annotation(r#""was_cancelled": false, "ground_truth": false,"#, "F");
        let (second, truth) = (
            annotation("", "S"),
            annotation(r#""ground_truth": true,"#, "T"),
        );
        let all = |list: &[&String]| {
            let list: Vec<&str> = list.iter().map(|text| text.as_str()).collect();
            format!(r#""annotations": [{}]"#, list.join(","))
        };
        assert_eq!(
            of(&all(&[&cancelled, &first, &second])),
            [rows(&[("F", 0, 1)])]
        );
        assert_eq!(
            of(&all(&[&cancelled, &first, &truth, &second])),
            [rows(&[("T", 0, 1)])]
        );
        // Nobody says that there are no spans.
        assert_eq!(of(&all(&[&cancelled])), Vec::<Found>::new());
        assert_eq!(of(&all(&[])), Vec::<Found>::new());
        assert_eq!(of(r#""annotations": [{"result": []}]"#), [rows(&[])]);
        let old = format!(r#""completions": [{{"skipped": true, "result": []}}, {second}]"#);
        assert_eq!(of(&old), [rows(&[("S", 0, 1)])]);
    }

    #[test]
    fn regions_of_json_min_stand_under_any_name() {
        let text = r#"[
            {"id": 1, "text": "\ud83d\ude00 Bob", "label": [{"start": 3, "end": 6, "labels": ["PER"], "text": "Bob"}],
             "choice": "good", "annotator": 1, "updated_at": "2024"},
            {"id": "b", "body": "ab", "created_at": "2024", "annotator": "x@y.z", "numbers": [1, {"choices": []}],
             "ner": [{"start": 0, "end": 1, "labels": ["A", "B"]}], "more": [{"start": 1, "end": 2, "labels": ["C"]}]},
            {"id": 3, "text": "nothing"}]"#;
        let found = documents(text);
        let ids: Vec<_> = found.iter().map(|d| d.id.as_deref()).collect();
        assert_eq!(ids, [Some("1"), Some("b"), Some("3")]);
        assert_eq!(spans(&found[0]), rows(&[("PER", 2, 5)]));
        assert_eq!(
            spans(&found[1]),
            rows(&[("A", 0, 1), ("B", 0, 1), ("C", 1, 2)])
        );
        assert_eq!((&*found[1].text, spans(&found[2])), ("ab", rows(&[])));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_task() {
        let refused = |text: &str| read("d.json", text, None).unwrap_err().to_string();
        let what = "this is no export of Label Studio";
        let wrong = |results: &str| {
            let told = refused(&task("ab", results));
            told.split_once(": task 0 (id 3): ")
                .map(|(_, told)| told.to_owned())
                .unwrap_or(told)
        };
        assert_eq!(
            refused("[\n{\"id\": 3, \"data\": {\"text\": \"a\"},\n\"annotations\": 5}, 1]"),
            format!("d.json:3:17: {what}: task 0 (id 3): annotations: 5 where a list is expected")
        );
        let value = "annotations[0].result[0].value";
        assert_eq!(
            wrong(&region("\"/p[1]\"", "1", "[]")),
            format!("{value}: \"start\" is \"/p[1]\", not a whole number from 0")
        );
        assert_eq!(
            wrong(&region("0", "-1", "[]")),
            format!("{value}: \"end\" is -1, not a whole number from 0")
        );
        assert_eq!(
            wrong(&region("0.5", "null", "[]")),
            format!("{value}: \"start\" is 0.5, not a whole number from 0")
        );
        assert_eq!(
            wrong(&region("0", "1", "null")),
            format!("{value}.labels: nothing where a list is expected")
        );
        assert_eq!(
            wrong(&region("0", "1", "[[]]")),
            format!("{value}: a list is no label")
        );
        assert_eq!(
            wrong("7"),
            "annotations[0].result[0]: 7 where an object is expected"
        );
        assert_eq!(
            wrong(r#"{"type": "labels"}"#),
            format!("{value}: nothing where an object is expected")
        );
    }

    #[test]
    fn what_is_no_export_is_refused() {
        let refused = |text: &str| read("d.json", text, None).unwrap_err().to_string();
        let what = "this is no export of Label Studio";
        let text_of = |data: &str| refused(&format!(r#"[{{"data": {data}, "annotations": []}}]"#));
        assert!(text_of("{}").ends_with("task 0: it has no \"text\""));
        assert!(
            text_of(r#"{"a": "1", "b": "2"}"#)
                .ends_with("task 0: its text may be \"a\" or \"b\"; call it \"text\"")
        );
        assert!(
            refused(r#"[{"data": {"text": ""}, "predictions": []}]"#)
                .ends_with("it has no \"annotations\"; export the project as JSON")
        );
        assert!(refused("[1]").ends_with(
            "integer `1`, expected a task: an object with \"data\" and \"annotations\""
        ));
        assert!(refused("3").ends_with("invalid type: integer `3`, expected a list of tasks"));
        assert_eq!(
            refused("[]\n x"),
            format!("d.json:2:2: {what}: trailing characters")
        );
    }

    #[test]
    fn hostile_files_are_refused() {
        let refused = |text: &str| read("d.json", text, None).unwrap_err().to_string();
        let what = "this is no export of Label Studio";
        assert_eq!(
            refused(&format!("[{{\"data\": {}", "[".repeat(100_000))),
            format!("d.json:1:136: {what}: recursion limit exceeded")
        );
        assert_eq!(
            refused(r#"[{"text": "\udc00"}]"#),
            format!("d.json:1:17: {what}: lone leading surrogate in hex escape")
        );
        assert_eq!(
            refused("[{"),
            format!("d.json:1:2: {what}: EOF while parsing an object")
        );
    }
}
