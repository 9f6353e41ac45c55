//! Selection of annotation sets, and conversion to a document.

use std::collections::HashMap;

use serde_json::Value;
use spanrs_base::{Interner, Position};

use super::super::annotated_text::{Answer, Document, Layer, TOKEN};
use super::super::annotators::LayerChoice;
use super::super::json::excerpt;
use super::super::offset_units::{Offsets, Unit};
use super::{Content, Feature, GATE_TOKEN, GateAnnotation, ID, Relation, SOURCE, Set};
use crate::error::{Code, Error, Result};

/// Types of GATE's tokeniser and sentence splitter.
const TOKENISER: [&str; 4] = [GATE_TOKEN, "SpaceToken", "Sentence", "Split"];
/// The set with the markup of the original file.
const ORIGINAL: &str = "Original markups";
/// Maximum number of characters of a text that are quoted in messages.
const QUOTE: usize = 40;

/// Converts the content of a file.
///
/// # Errors
/// [`Code::BadDocument`] if the selected set does not exist, or if there are several and none is
/// selected.
pub(super) fn document(name: &str, content: Content, choice: &LayerChoice) -> Result<Document> {
    let selected = select(&content, choice)
        .map_err(|message| Error::new(Code::BadDocument, Position::file(name), message))?;
    let Content {
        names,
        mut features,
        of_document,
        text,
        nodes,
        sets,
        relations,
    } = content;
    let mut document = Document::default();
    let of_document = features[of_document].iter_mut();
    let of_document =
        of_document.map(|(name, value)| (text_of(&names, *name).to_owned(), value.take()));
    set_names(&mut document, of_document);
    let has_names = selected.iter().any(|&at| sets[at].name.is_some());
    let offsets = Offsets::new(&text, Unit::Utf16);
    let offset = |node: i64| match nodes.all.is_empty() {
        // Files without nodes use offsets as ids.
        true => offsets.character(u32::try_from(node).ok()?),
        false => nodes.offset(node),
    };
    // Indices of annotations by id, for relations: None if the annotation is not read.
    let mut ids: HashMap<i64, Option<u32>> = HashMap::new();
    let mut repeated = Vec::new();
    for (at, set) in sets.into_iter().enumerate() {
        let is_selected = selected.contains(&at);
        if is_selected && has_names {
            // Tokens are not the work of an annotator.
            let mut all = set.annotations.iter();
            let is_token = |ty: u32| [GATE_TOKEN, TOKEN].contains(&text_of(&names, ty));
            let answer = match all.all(|annotation| is_token(annotation.ty)) {
                true => Answer::Empty,
                false => Answer::Given,
            };
            let name = set.name;
            document.layers.push(Layer { name, answer });
        }
        for annotation in set.annotations {
            let id = annotation.id;
            let index = document.annotations.len() as u32;
            let added = is_selected && {
                let features = &mut features[annotation.features.clone()];
                add(&mut document, &annotation, (&names, features), &offset)
            };
            if let Some(id) = id.filter(|_| !relations.is_empty())
                && ids.insert(id, added.then_some(index)).is_some()
            {
                repeated.push(id);
            }
        }
    }
    for id in repeated {
        ids.remove(&id);
    }
    for relation in &relations {
        relate(&mut document, relation, &ids);
    }
    drop(offsets);
    document.text = text;
    Ok(document)
}

/// Returns the indices of the sets to read.
///
/// # Errors
/// A message if the selected set does not exist, or if there are several and none is selected.
fn select(content: &Content, choice: &LayerChoice) -> std::result::Result<Vec<usize>, String> {
    let sets = &content.sets;
    let places = || 0..sets.len();
    let is_default = |&at: &usize| sets[at].name.is_none();
    let default: Vec<usize> = places().filter(is_default).collect();
    match choice {
        LayerChoice::All | LayerChoice::Project => {
            // GATE writes the default set even if it is empty.
            let kept = |at: &usize| !is_default(at) || !sets[*at].annotations.is_empty();
            Ok(places().filter(kept).collect())
        }
        LayerChoice::Named(wanted) => {
            let wanted_name = Some(wanted.as_str()).filter(|name| !name.is_empty());
            let mut named = places();
            if let Some(at) = named.find(|&at| sets[at].name.as_deref() == wanted_name) {
                return Ok(vec![at]);
            }
            if wanted_name.is_none() {
                return Ok(default);
            }
            // A position, unless names are numbers.
            let names = || sets.iter().filter_map(|set| set.name.as_deref());
            let is_number = |name: &str| name.parse::<i64>().is_ok();
            let position = wanted.parse().ok().filter(|_| !names().any(is_number));
            let all: Vec<usize> = places().filter(|at| !is_default(at)).collect();
            let found = position.and_then(|position: usize| all.get(position).copied());
            found.map(|at| vec![at]).ok_or_else(|| {
                format!(
                    "no annotation set {wanted:?}; the file has {}",
                    list(sets.iter())
                )
            })
        }
        LayerChoice::Sole => {
            let is_annotated = |set: &Set| {
                let mut types = set.annotations.iter().map(|annotation| annotation.ty);
                types.any(|ty| !TOKENISER.contains(&text_of(&content.names, ty)))
            };
            if default.iter().any(|&at| is_annotated(&sets[at])) {
                return Ok(default);
            }
            let named = |at: &usize| sets[*at].name.as_deref().is_some_and(|n| n != ORIGINAL);
            let mut others: Vec<usize> = places().filter(named).collect();
            if others.len() > 1 {
                others.retain(|&at| !sets[at].annotations.is_empty());
            }
            match others.as_slice() {
                [] => Ok(default),
                [_] => Ok(others),
                _ => Err(format!(
                    "there are several annotation sets: {}; choose one (--annotator), or read all layers",
                    list(others.iter().map(|&at| &sets[at]))
                )),
            }
        }
    }
}

/// Lists annotation sets for a message.
fn list<'a>(sets: impl Iterator<Item = &'a Set>) -> String {
    let shown = sets.map(|set| {
        let name = match &set.name {
            Some(name) => format!("{:?}", excerpt(name, QUOTE)),
            None => "the default set".to_owned(),
        };
        let number = set.annotations.len();
        let plural = if number == 1 { "" } else { "s" };
        format!("{name} with {number} annotation{plural}")
    });
    let shown: Vec<String> = shown.take(10).collect();
    match shown.is_empty() {
        true => "no annotation sets".to_owned(),
        false => shown.join(", "),
    }
}

/// Returns a type or the name of a feature.
fn text_of(names: &Interner<str>, number: u32) -> &str {
    names.name(number).unwrap_or_default()
}

/// Sets id, name and metadata of a document from its features.
fn set_names(document: &mut Document, features: impl Iterator<Item = (String, Value)>) {
    for (key, value) in features {
        match (key.as_str(), &value) {
            (ID, Value::String(id)) if document.id.is_none() && !id.is_empty() => {
                document.id = Some(id.clone());
                continue;
            }
            (SOURCE, Value::String(source)) if document.name.is_none() => {
                document.name = name_of(source);
                let only_name = document.name.as_deref().map(source_of);
                if only_name.as_ref() == Some(source) {
                    continue;
                }
            }
            _ => {}
        }
        document.metadata.push((key, value));
    }
}

/// Returns the name of a document from the place of its file: the part behind the last slash, with
/// percent signs decoded.
pub(super) fn name_of(source: &str) -> Option<String> {
    let name = source.rsplit(['/', '\\']).next()?;
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    let mut valid = true;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = behind
            .get(..2)
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(decoded) => {
                bytes.push(decoded);
                rest = &behind[2..];
            }
            None => {
                valid = false;
                break;
            }
        }
    }
    let decoded = String::from_utf8(bytes).ok().filter(|_| valid);
    let name = decoded.unwrap_or_else(|| name.to_owned());
    Some(name).filter(|name| !name.is_empty())
}

/// Returns the place of a file of which only the name is known.
pub(super) fn source_of(name: &str) -> String {
    let mut source = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '%' => source.push_str("%25"),
            '/' => source.push_str("%2F"),
            '\\' => source.push_str("%5C"),
            other => source.push(other),
        }
    }
    source
}

/// Adds an annotation with its features, whose values are moved; false if it is left out, because
/// one of its nodes does not exist.
fn add(
    document: &mut Document,
    annotation: &GateAnnotation,
    (names, features): (&Interner<str>, &mut [Feature]),
    offset: &impl Fn(i64) -> Option<u32>,
) -> bool {
    let GateAnnotation { ty, start, end, .. } = annotation;
    let ty = text_of(names, *ty);
    let (Some(start), Some(end)) = (offset(*start), offset(*end)) else {
        document.leave_out(|| {
            let missing = if offset(*start).is_none() { start } else { end };
            let ty = excerpt(ty, QUOTE);
            format!("{ty} {start}-{end}: there is no node {missing} in the text")
        });
        return false;
    };
    let ty = if ty == GATE_TOKEN { TOKEN } else { ty };
    let ty = document.intern(ty);
    document.push(ty, start, end);
    for (name, value) in features {
        document.add_attribute(text_of(names, *name), value.take());
    }
    // An annotation that ends before it begins is left out later, with its relations.
    true
}

/// Adds a relation between the first member and each of the others. Relations of annotations that
/// were not selected are skipped.
fn relate(document: &mut Document, relation: &Relation, ids: &HashMap<i64, Option<u32>>) {
    let Relation {
        id, ty, members, ..
    } = relation;
    let [id, shown_type] = [id, ty].map(|text| excerpt(text, QUOTE));
    let mut read = false;
    let (first, others) = members.split_first().unwrap_or((&0, &[]));
    if others.is_empty() {
        document.leave_out_relation(|| format!("relation {id} ({shown_type}) has only one member"));
    }
    for other in others {
        match (ids.get(first), ids.get(other)) {
            (Some(Some(from)), Some(Some(to))) => {
                document.relate(ty, *from, *to);
                read = true;
            }
            (Some(_), Some(_)) => {}
            (found, _) => document.leave_out_relation(|| {
                let missing = if found.is_some() { other } else { first };
                format!(
                    "relation {id} ({shown_type}): there is no annotation with the id {missing}, or \
                     there are several"
                )
            }),
        }
    }
    if read && relation.has_features {
        document.leave_out_relation(|| {
            format!("features of relation {id} ({shown_type}) are not read")
        });
    }
}
