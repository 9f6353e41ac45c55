//! The laws of writing and reading, for the tests of several formats.

use serde_json::{Value, json};

use super::annotated_text::{Annotation, Answer, Document, Layer};
use super::write::Companion;
use super::{Answers, DocumentWriter, Format, LayerChoice, Losses, Reader, project};
use crate::source::Source;

/// What must be equal for documents to be equal.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Equality {
    /// Everything but the order of annotations and relations.
    Exact,
    /// The order of layers does not matter, and the order of annotations only without layers.
    Layers,
    /// As in files with a record for each annotator: tokens belong to no annotator, a document
    /// without layers has an unnamed one, annotators without annotations found nothing, and
    /// attributes and metadata have no order.
    Records,
}

/// A document as comparable values.
#[derive(Debug, PartialEq)]
pub(super) struct Facts {
    pub(super) text: String,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) metadata: Vec<(String, Value)>,
    pub(super) layers: Vec<Layer>,
    pub(super) annotations: Vec<String>,
    pub(super) relations: Vec<String>,
}

/// Returns all facts of a document that a format may represent; the order of annotations and
/// relations does not matter.
pub(super) fn facts(document: &Document) -> Facts {
    facts_for(document, Equality::Exact)
}

/// Returns all facts of a document.
fn facts_for(document: &Document, equality: Equality) -> Facts {
    let is_records = equality == Equality::Records;
    let all = document.annotations.iter();
    let mut annotations: Vec<String> = all.map(|a| shown(document, a, equality)).collect();
    let all = document.relations.iter();
    let relations = all.map(|relation| {
        let [from, to] = [relation.from, relation.to].map(|at| &annotations[at as usize]);
        let ty = document.type_of_relation(relation);
        format!("{ty:?} from {from} to {to}")
    });
    let mut relations: Vec<String> = relations.collect();
    let mut metadata = document.metadata.clone();
    if is_records {
        metadata.sort_by(|one, other| one.0.cmp(&other.0));
        // Tokens are not annotated; the spans of an annotator are in order.
        let all = document.annotations.iter();
        let keys = all.map(|a| match document.is_token(a) {
            true => (0, shown(document, a, equality)),
            false => (1 + a.layer, String::new()),
        });
        let mut keyed: Vec<_> = keys.zip(annotations).collect();
        keyed.sort_by(|one, other| one.0.cmp(&other.0));
        keyed.dedup_by(|one, other| one.0.0 == 0 && one == other);
        annotations = keyed.into_iter().map(|(_, text)| text).collect();
        relations.sort();
    } else if equality == Equality::Exact || !document.layers.is_empty() {
        annotations.sort();
        relations.sort();
    }
    Facts {
        text: document.text.clone(),
        id: document.id.clone(),
        name: document.name.clone(),
        metadata,
        layers: layers(document, equality),
        annotations,
        relations,
    }
}

/// Describes an annotation: layer, type, bounds of its pieces, and attributes.
fn shown(document: &Document, a: &Annotation, equality: Equality) -> String {
    let mut attributes: Vec<(&str, &Value)> = document.attribute_values(a).collect();
    if equality == Equality::Records {
        attributes.sort_by_key(|(name, value)| (name.to_owned(), value.to_string()));
    }
    let name = || {
        let layer = document.layers.get(a.layer as usize);
        json!(layer.and_then(|layer| layer.name.as_ref()))
    };
    let layer = match equality {
        Equality::Exact => json!(a.layer),
        Equality::Records if document.is_token(a) => Value::Null,
        Equality::Layers | Equality::Records => name(),
    };
    let (pieces, ty) = (document.segments(a), document.type_of(a));
    json!([layer, ty, pieces, attributes]).to_string()
}

/// Returns the layers of a document.
fn layers(document: &Document, equality: Equality) -> Vec<Layer> {
    let mut layers = document.layers.clone();
    match equality {
        Equality::Exact => {}
        Equality::Layers => layers.sort_by(|one, other| one.name.cmp(&other.name)),
        Equality::Records => {
            let (name, answer) = (None, Answer::Given);
            if layers.is_empty() {
                layers.push(Layer { name, answer });
            }
            for (at, layer) in (0..).zip(&mut layers) {
                let mut all = document.annotations.iter();
                let has_spans = all.any(|a| a.layer == at && !document.is_token(a));
                if let Answer::Given | Answer::Empty = layer.answer {
                    layer.answer = match has_spans {
                        true => Answer::Given,
                        false => Answer::Empty,
                    };
                }
            }
        }
    }
    layers
}

/// A file that was written.
pub(super) struct Written {
    pub(super) file: Vec<u8>,
    companion: Option<Companion>,
    pub(super) losses: Losses,
    /// The types in the file.
    types: Vec<String>,
    /// Number of documents.
    number: usize,
}

/// Writes documents as a file, except those that the format cannot represent.
pub(super) fn write(format: Format, documents: &[Document]) -> Written {
    let mut writer = DocumentWriter::new(format);
    let mut file = Vec::new();
    let mut number = 0;
    for document in documents {
        // An error leaves the file as it was.
        let written = writer.write(document, &mut file);
        number += usize::from(written.is_ok_and(|document| document.is_some()));
    }
    writer.finish(&mut file);
    Written {
        companion: writer.companion(),
        file,
        losses: writer.losses().clone(),
        types: writer.types().map(str::to_owned).collect(),
        number,
    }
}

/// Reads all layers of a file.
pub(super) fn read(format: Format, written: &Written) -> Vec<Document> {
    if written.number == 0 && format.suffix().is_some() {
        return Vec::new();
    }
    let source = |name, bytes: &[u8]| {
        let bytes = std::io::Cursor::new(bytes.to_vec());
        Source::stream(name, Box::new(bytes)).keep()
    };
    let companion = written.companion.as_ref();
    let companion = companion.map(|companion| source("companion", &companion.bytes));
    let mut reader = Reader::new(format);
    reader.layers = LayerChoice::All;
    reader.elements.declared = Some(written.types.iter().cloned().collect());
    let documents = reader
        .open_with(&source("file", &written.file), companion.as_ref())
        .and_then(Iterator::collect::<crate::error::Result<Vec<Document>>>);
    match documents {
        Ok(documents) => documents,
        Err(error) => panic!("{error}\n{}", String::from_utf8_lossy(&written.file)),
    }
}

/// Writes a document and reads it again; None if it is not written. Returns the documents that
/// were read, and what was lost.
pub(super) fn rewrite(format: Format, document: &Document) -> Option<(Vec<Document>, Losses)> {
    let mut writer = DocumentWriter::new(format);
    writer.write(document, &mut Vec::new()).ok()??;
    let written = write(format, std::slice::from_ref(document));
    Some((read(format, &written), written.losses))
}

/// Asserts that a written file is read without reports, and written again without losses as the
/// same bytes. Returns the documents that were read, and the file for messages.
pub(super) fn check_again(format: Format, documents: &[Document]) -> (Vec<Document>, String) {
    let written = write(format, documents);
    let found = read(format, &written);
    let shown = String::from_utf8_lossy(&written.file).into_owned();
    for document in &found {
        let reports = (&document.left_out, &document.relations_left_out);
        assert_eq!(reports, (&vec![], &vec![]), "{shown}");
    }
    let again = write(format, &found);
    assert_eq!(String::from_utf8_lossy(&again.file), shown);
    assert_eq!(again.companion, written.companion);
    assert_eq!(again.losses.list(), [], "{shown}");
    (found, shown)
}

/// Asserts what [`check_again`] asserts, and that documents are read as their projections. `change`
/// applies differences between a projection and what is read.
pub(super) fn check(
    format: Format,
    documents: &[Document],
    equality: Equality,
    change: impl Fn(&mut Document),
) {
    let (found, shown) = check_again(format, documents);
    let holds = format.holds();
    let mut writer = DocumentWriter::new(format);
    let expected = documents.iter().filter_map(|document| {
        writer.write(document, &mut Vec::new()).ok()??;
        let mut kept = project(document, &holds, &mut Losses::default())?.into_owned();
        if holds.id != crate::document::Ids::Yes {
            kept.name = None;
        }
        if holds.answers == Answers::No {
            drop_unused_layers(&mut kept);
        }
        change(&mut kept);
        Some(facts_for(&kept, equality))
    });
    let expected: Vec<Facts> = expected.collect();
    let found: Vec<Facts> = found.iter().map(|d| facts_for(d, equality)).collect();
    assert_eq!(found, expected, "{shown}");
}

/// Asserts what [`check`] asserts for a document, or only what [`check_again`] asserts if names of the
/// document are `odd`, so that they may be changed.
pub(super) fn check_unless(odd: bool, format: Format, document: &Document) {
    let documents = std::slice::from_ref(document);
    match odd {
        true => drop(check_again(format, documents)),
        false => check(format, documents, Equality::Exact, |_| ()),
    }
}

/// Asserts what [`check`] asserts for a document whose layers have no order.
pub(super) fn check_layers(format: Format, document: &Document) {
    check(
        format,
        std::slice::from_ref(document),
        Equality::Layers,
        |_| (),
    );
}

/// Removes the annotators without annotations, who are not in files without answers.
fn drop_unused_layers(document: &mut Document) {
    let mut numbers = vec![None; document.layers.len()];
    for annotation in &document.annotations {
        if let Some(number) = numbers.get_mut(annotation.layer as usize) {
            *number = Some(0);
        }
    }
    for (at, number) in numbers.iter_mut().flatten().enumerate() {
        *number = at as u32;
    }
    let mut kept = numbers.iter();
    document
        .layers
        .retain(|_| kept.next().is_some_and(Option::is_some));
    for annotation in &mut document.annotations {
        let number = numbers.get(annotation.layer as usize).copied().flatten();
        annotation.layer = number.unwrap_or(0);
    }
}

/// Checks that damaged files are read or rejected without a panic: each byte of a file is removed,
/// replaced by several others, and everything behind it is removed.
pub(super) fn check_damaged(file: &str, format: Format) {
    for layers in [LayerChoice::All, LayerChoice::Named("0".to_owned())] {
        let mut reader = Reader::new(format);
        reader.layers = layers;
        for at in 0..file.len() {
            let (before, behind) = (&file.as_bytes()[..at], &file.as_bytes()[at + 1..]);
            let _ = reader.read("x", before);
            for middle in ["", "<", "\"", "9", "\t", "|", "\u{1F600}"] {
                let damaged = [before, middle.as_bytes(), behind].concat();
                let _ = reader.read("x", &damaged);
            }
        }
    }
}
