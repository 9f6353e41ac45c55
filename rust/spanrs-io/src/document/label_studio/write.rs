//! Writes Label Studio's JSON, and regions for all its formats.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::document::annotated_text::{Annotation, Answer, Document};
use crate::document::char_index::CharIndex;
use crate::document::losses::Losses;
use crate::document::metadata::{facts, id_value};
use crate::document::regions::{JSON, NOTE};
use crate::document::write::WriteFormat;

/// Name of the control for labels.
const FROM: &str = "label";
/// Name of the text.
const TO: &str = "text";

/// Writes tasks with an annotation per layer.
///
/// | item | written as |
/// |---|---|
/// | annotation | a region, with the control `label` of the text `text` |
/// | attribute with text, with a number, with a list of texts | a result of a text area, a number or choices with the id of the region, named after the attribute |
/// | other attributes | a text area with the JSON, repeated under `json` |
/// | the attribute `note` | `meta` of the region |
/// | annotator | `completed_by`: an integer, or an object with `email`, which Label Studio requires on import |
/// | skipped | `was_cancelled` |
/// | rejected | `was_cancelled`, because Label Studio has no rejected annotations |
#[derive(Default)]
pub(in crate::document) struct JsonWriter {
    list: List,
    /// Number of annotations so far.
    annotations: u64,
}

/// The items of a JSON list, one per line.
#[derive(Default)]
pub(super) struct List {
    begun: bool,
}

impl List {
    /// Appends an item.
    pub(super) fn add(&mut self, out: &mut Vec<u8>, item: &impl Serialize) -> Result<(), String> {
        out.extend_from_slice(if self.begun { b",\n" } else { b"[\n" });
        self.begun = true;
        serde_json::to_writer(out, item).map_err(|error| error.to_string())
    }

    /// Appends the end of the list.
    pub(super) fn finish(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.begun { b"\n]\n" } else { b"[]\n" });
    }
}

/// The text of a document, for the regions. Offsets count code points, as in Label Studio 1.4 and
/// later.
pub(super) struct Text<'a>(CharIndex<'a>);

impl<'a> Text<'a> {
    /// Indexes a text.
    pub(super) fn new(text: &'a str) -> Self {
        Self(CharIndex::new(text))
    }

    /// Returns start, end and text of an annotation, and its type as the only label.
    pub(super) fn region<'b>(
        &'b self,
        document: &'b Document,
        annotation: &Annotation,
    ) -> Region<'b> {
        let &Annotation { start, end, .. } = annotation;
        Region {
            start,
            end,
            text: self.0.between(start, end).unwrap_or_default(),
            labels: [document.type_of(annotation)],
        }
    }
}

/// The value of a region.
#[derive(Serialize)]
pub(super) struct Region<'a> {
    start: u32,
    end: u32,
    text: &'a str,
    labels: [&'a str; 1],
}

/// An item of the results of an annotation.
#[derive(Serialize)]
#[serde(untagged)]
enum Item<'a> {
    Region {
        id: String,
        from_name: &'static str,
        to_name: &'static str,
        #[serde(rename = "type")]
        kind: &'static str,
        value: Region<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        meta: Option<Value>,
    },
    Attribute {
        id: String,
        from_name: &'a str,
        to_name: &'static str,
        #[serde(rename = "type")]
        kind: &'static str,
        value: Map<String, Value>,
    },
    Relation {
        #[serde(rename = "type")]
        kind: &'static str,
        from_id: String,
        to_id: String,
        direction: &'static str,
        labels: [&'a str; 1],
    },
}

/// An annotation of a task.
#[derive(Serialize)]
struct Made<'a> {
    id: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    completed_by: Option<Value>,
    result: Vec<Item<'a>>,
    was_cancelled: bool,
    ground_truth: bool,
}

/// A task.
#[derive(Serialize)]
struct Task<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    data: Data<'a>,
    annotations: Vec<Made<'a>>,
    predictions: [(); 0],
}

/// The data of a task.
#[derive(Serialize)]
struct Data<'a> {
    text: &'a str,
    #[serde(flatten)]
    facts: Map<String, Value>,
}

/// Returns the id of a document as in Label Studio.
pub(super) fn id(document: &Document) -> Option<Value> {
    let id = document.id.as_deref().filter(|id| !id.is_empty());
    id.map(id_value)
}

/// Returns the id of the region of an annotation.
fn region_id(at: usize) -> String {
    format!("a{at}")
}

/// Returns the results of a control for an attribute: type and value.
fn control(value: &Value) -> (&'static str, Map<String, Value>) {
    let (kind, key, value, json) = match value {
        Value::String(_) => ("textarea", "text", json!([value]), None),
        Value::Number(_) => ("number", "number", value.clone(), None),
        Value::Array(all) if all.len() > 1 && all.iter().all(Value::is_string) => {
            ("choices", "choices", value.clone(), None)
        }
        _ => (
            "textarea",
            "text",
            json!([value.to_string()]),
            Some(value.clone()),
        ),
    };
    let json = json.map(|value| (JSON.to_owned(), value));
    let members = [(key.to_owned(), value)];
    (kind, members.into_iter().chain(json).collect())
}

/// Appends the region of an annotation and its attributes.
fn add_region<'a>(
    items: &mut Vec<Item<'a>>,
    document: &'a Document,
    text: &'a Text<'a>,
    at: usize,
) {
    let annotation = &document.annotations[at];
    let is_note = |name: &str, value: &Value| name == NOTE && value.is_string();
    let notes = document.attribute_values(annotation);
    let notes: Vec<&Value> = notes
        .filter(|(n, v)| is_note(n, v))
        .map(|(_, v)| v)
        .collect();
    items.push(Item::Region {
        id: region_id(at),
        from_name: FROM,
        to_name: TO,
        kind: "labels",
        value: text.region(document, annotation),
        meta: (!notes.is_empty()).then(|| json!({ "text": notes })),
    });
    let region = || text.region(document, annotation);
    let others = document.attribute_values(annotation);
    for (name, value) in others.filter(|(name, value)| !is_note(name, value)) {
        let (kind, members) = control(value);
        let Region { start, end, .. } = region();
        let bounds = [("start", start), ("end", end)];
        let bounds = bounds.map(|(key, at)| (key.to_owned(), at.into()));
        items.push(Item::Attribute {
            id: region_id(at),
            from_name: name,
            to_name: TO,
            kind,
            value: bounds.into_iter().chain(members).collect(),
        });
    }
}

/// Returns the results of each layer. Relations between layers are counted in `losses`.
fn results<'a>(
    document: &'a Document,
    text: &'a Text<'a>,
    losses: &mut Losses,
) -> Vec<Vec<Item<'a>>> {
    let mut layers: Vec<Vec<Item>> = Vec::new();
    layers.resize_with(document.layers.len().max(1), Vec::new);
    for (at, annotation) in document.annotations.iter().enumerate() {
        if let Some(items) = layers.get_mut(annotation.layer as usize) {
            add_region(items, document, text, at);
        }
    }
    for relation in &document.relations {
        let layer = |at: u32| {
            document
                .annotations
                .get(at as usize)
                .map(|a| a.layer as usize)
        };
        let (from, to) = (layer(relation.from), layer(relation.to));
        let items = from
            .filter(|_| from == to)
            .and_then(|layer| layers.get_mut(layer));
        let Some(items) = items else {
            losses.add("relations between annotations of different annotators", 1);
            continue;
        };
        items.push(Item::Relation {
            kind: "relation",
            from_id: region_id(relation.from as usize),
            to_id: region_id(relation.to as usize),
            direction: "right",
            labels: [document.type_of_relation(relation)],
        });
    }
    layers
}

/// Returns the value of `completed_by`.
fn user(name: &str) -> Value {
    match id_value(name) {
        Value::String(name) => json!({ "email": name }),
        id => id,
    }
}

impl WriteFormat for JsonWriter {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let text = Text::new(&document.text);
        let facts = facts(document, losses, |key, value| {
            key == "text" || key == super::DATA_TEXT && value.is_string()
        });
        let results = results(document, &text, losses);
        let mut annotations = Vec::with_capacity(results.len());
        for (at, mut result) in results.into_iter().enumerate() {
            let layer = document.layers.get(at);
            let answer = layer.map_or(Answer::Given, |layer| layer.answer);
            // Label Studio has no rejection.
            let was_cancelled = matches!(answer, Answer::Rejected | Answer::Skipped);
            if was_cancelled {
                // They do not count, and are not read.
                losses.add(
                    "annotations and relations of skipped or rejected documents",
                    result.len(),
                );
                result.clear();
            }
            let name = layer.and_then(|layer| layer.name.as_deref());
            self.annotations += 1;
            annotations.push(Made {
                id: self.annotations,
                completed_by: name.filter(|name| !name.is_empty()).map(user),
                result,
                was_cancelled,
                ground_truth: false,
            });
        }
        let task = Task {
            id: id(document),
            data: Data {
                text: &document.text,
                facts,
            },
            annotations,
            predictions: [],
        };
        self.list.add(out, &task)
    }

    fn finish(&mut self, out: &mut Vec<u8>) {
        self.list.finish(out);
    }
}
