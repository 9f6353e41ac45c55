//! Conversion of documents to BioC's structures.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::annotated_text::{Annotation, Document};
use super::super::char_index::CharIndex;
use super::super::losses::Losses;
use super::{
    ANNOTATOR, COLLECTION, Count, ID, Infons, Link, Location, NAME, Node, PASSAGES, Passage,
    Record, Span, TYPE,
};

/// A passage or a sentence in the metadata.
#[derive(Default, Deserialize)]
struct Part {
    offset: u32,
    length: u32,
    #[serde(default)]
    infons: Map<String, Value>,
    #[serde(default)]
    sentences: Vec<Part>,
}

impl Part {
    /// Returns the offset of the end; None if it is too large.
    fn end(&self) -> Option<u32> {
        self.offset.checked_add(self.length)
    }
}

/// Returns the facts of the collection in the metadata of a document.
pub(in crate::document) fn collection(document: &Document) -> Option<&Map<String, Value>> {
    let entry = document
        .metadata
        .iter()
        .rfind(|(name, _)| name == COLLECTION);
    entry?.1.as_object()
}

/// Converts a document. With `unique`, values of the same object have different names.
///
/// Annotations are in the passage, and if it has sentences, in the sentence, in which they begin.
/// They are numbered from 1, unless the attribute `id` is the first attribute of an annotation and
/// is usable as an id.
pub(in crate::document) fn record(
    document: &Document,
    unique: bool,
    losses: &mut Losses,
) -> Record {
    let index = CharIndex::new(&document.text);
    let mut passages = passages(document, &index, losses);
    let starts: Vec<u32> = passages.iter().map(|passage| passage.offset.0).collect();
    // Position of each annotation: passage and sentence.
    let place = |annotation: &Annotation| {
        let passage = starts.partition_point(|&start| start <= annotation.start);
        let passage = passage.saturating_sub(1);
        let sentences = passages.get(passage).and_then(|p| p.sentences.as_ref());
        let sentences = sentences.map(Vec::as_slice).unwrap_or_default();
        let sentence = sentences.partition_point(|s| s.offset.0 <= annotation.start);
        (passage, sentence.saturating_sub(1))
    };
    let all = document.annotations.iter().enumerate();
    let mut order: Vec<((usize, usize), usize)> = all.map(|(at, a)| (place(a), at)).collect();
    order.sort();
    let ids = ids(document, &order);
    for (&((passage, sentence), at), id) in order.iter().zip(&ids) {
        let span = span(document, at, id, &index, unique, losses);
        let Some(passage) = passages.get_mut(passage) else {
            continue;
        };
        let sentences = passage.sentences.as_mut();
        match sentences.and_then(|sentences| sentences.get_mut(sentence)) {
            Some(sentence) => sentence.annotations.push(span),
            None => passage.annotations.push(span),
        }
    }
    let mut written = HashMap::with_capacity(ids.len());
    for ((_, at), id) in order.iter().zip(ids) {
        written.insert(*at as u32, id);
    }
    count_layers(document, losses);
    Record {
        bioctype: "BioCDocument",
        id: document.id.clone().unwrap_or_default(),
        infons: facts(document, unique, losses),
        passages,
        annotations: Vec::new(),
        relations: relations(document, &written),
    }
}

/// Returns the infons of a document: its name, and metadata other than passages and collection.
fn facts(document: &Document, unique: bool, losses: &mut Losses) -> Infons {
    let mut infons = Vec::new();
    if let Some(name) = &document.name {
        infons.push((NAME.to_owned(), Value::String(name.clone())));
    }
    for (name, value) in &document.metadata {
        let own = match name.as_str() {
            PASSAGES => value.is_array(),
            COLLECTION => value.is_object(),
            _ => false,
        };
        if !own {
            infons.push((name.clone(), value.clone()));
        }
    }
    keep_first(&mut infons, unique, "metadata with the same name", losses);
    Infons(infons)
}

/// Removes values with a name that occurred before.
fn keep_first(infons: &mut Vec<(String, Value)>, unique: bool, kind: &str, losses: &mut Losses) {
    if unique && infons.len() > 1 {
        let before = infons.len();
        let mut seen = HashSet::new();
        infons.retain(|(name, _)| seen.insert(name.clone()));
        losses.add(kind, before - infons.len());
    }
}

/// Returns the passages, without annotations: those of the metadata, or the whole text.
fn passages(document: &Document, index: &CharIndex<'_>, losses: &mut Losses) -> Vec<Passage> {
    let mut entries = document.metadata.iter();
    let described = entries.rfind(|(name, value)| name == PASSAGES && value.is_array());
    let parts = described.and_then(|(_, value)| Vec::<Part>::deserialize(value).ok());
    let parts = parts.filter(|parts| cover(parts, (0, index.len() as u32), '\n', index));
    if described.is_some() && parts.is_none() {
        losses.add("documents whose passages do not fit the text", 1);
    }
    let whole = || {
        let length = index.len() as u32;
        vec![Part {
            length,
            ..Part::default()
        }]
    };
    let mut misplaced = 0;
    let text = |part: &Part| index.between(part.offset, part.end()?).map(str::to_owned);
    let convert = |part: Part| {
        let bounds = (part.offset, part.offset.saturating_add(part.length));
        let divided = !part.sentences.is_empty();
        let fits = divided && cover(&part.sentences, bounds, ' ', index);
        misplaced += usize::from(divided && !fits);
        let sentences = part
            .sentences
            .iter()
            .filter(|_| fits)
            .map(|sentence| Passage {
                bioctype: "BioCSentence",
                offset: Count(sentence.offset),
                infons: Infons(sentence.infons.clone().into_iter().collect()),
                text: text(sentence),
                ..Passage::default()
            });
        let sentences = sentences.collect();
        Passage {
            bioctype: "BioCPassage",
            offset: Count(part.offset),
            text: text(&part).filter(|_| !fits),
            infons: Infons(part.infons.into_iter().collect()),
            sentences: Some(sentences),
            ..Passage::default()
        }
    };
    let passages = parts.unwrap_or_else(whole).into_iter().map(convert);
    let passages = passages.collect();
    losses.add("passages whose sentences do not fit the text", misplaced);
    passages
}

/// Returns true if parts are in order, and the text between `bounds` consists of the parts and of
/// the characters that fill gaps when the file is read.
fn cover(parts: &[Part], bounds: (u32, u32), first: char, index: &CharIndex<'_>) -> bool {
    let mut at = bounds.0;
    for part in parts {
        let filled = index.between(at, part.offset).is_some_and(|gap| {
            let mut gap = gap.chars();
            gap.next().is_none_or(|c| c == first) && gap.all(|c| c == ' ')
        });
        match part.end() {
            Some(end) if filled && end <= bounds.1 => at = end,
            _ => return false,
        }
    }
    at == bounds.1 && !parts.is_empty()
}

/// Returns the ids of the annotations in the order in which they are written.
///
/// An id is the number of the annotation, unless the annotation has an id of its own that differs
/// from its number, from the ids of other annotations, and from the numbers of annotations without
/// an id of their own.
fn ids(document: &Document, order: &[((usize, usize), usize)]) -> Vec<String> {
    let mut owners: HashMap<&str, usize> = HashMap::new();
    let mut own: Vec<Option<&str>> = Vec::with_capacity(order.len());
    for (place, &(_, at)) in order.iter().enumerate() {
        let id = id_attribute(document, &document.annotations[at]);
        let id = id.filter(|id| *id != (place + 1).to_string() && !owners.contains_key(id));
        if let Some(id) = id {
            owners.insert(id, place);
        }
        own.push(id);
    }
    // A number that another annotation uses as its id is given back to its annotation, which may
    // in turn need the number of that other annotation.
    let mut numbered: Vec<usize> = (0..own.len())
        .filter(|&place| own[place].is_none())
        .collect();
    while let Some(place) = numbered.pop() {
        let number = (place + 1).to_string();
        if let Some(owner) = owners.remove(number.as_str()) {
            own[owner] = None;
            numbered.push(owner);
        }
    }
    let ids = own.into_iter().enumerate();
    ids.map(|(place, id)| id.map_or_else(|| (place + 1).to_string(), str::to_owned))
        .collect()
}

/// Returns the attribute `id` of an annotation, if it is the first attribute and is text that can
/// be written in XML and JSON alike.
fn id_attribute<'a>(document: &'a Document, annotation: &Annotation) -> Option<&'a str> {
    let (name, value) = document.attribute_values(annotation).next()?;
    let value = value.as_str().filter(|_| name == ID)?;
    let plain = !value.is_empty() && !value.contains(char::is_control);
    Some(value).filter(|value| plain && !value.contains(['\u{FFFE}', '\u{FFFF}']))
}

/// Converts an annotation.
fn span(
    document: &Document,
    at: usize,
    id: &str,
    index: &CharIndex<'_>,
    unique: bool,
    losses: &mut Losses,
) -> Span {
    let annotation = &document.annotations[at];
    let ty = Value::String(document.type_of(annotation).to_owned());
    let mut infons = vec![(TYPE.to_owned(), ty)];
    let layer = document.layers.get(annotation.layer as usize);
    let name = layer.and_then(|layer| layer.name.as_ref());
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        infons.push((ANNOTATOR.to_owned(), Value::String(name.clone())));
    }
    let own_id = id_attribute(document, annotation) == Some(id);
    let mut reserved = 0;
    for (name, value) in document
        .attribute_values(annotation)
        .skip(usize::from(own_id))
    {
        match name {
            TYPE | ANNOTATOR => reserved += 1,
            _ => infons.push((name.to_owned(), value.clone())),
        }
    }
    losses.add("attributes named type or annotator", reserved);
    keep_first(&mut infons, unique, "attributes with the same name", losses);
    let segments = document.segments(annotation);
    let texts = segments
        .iter()
        .filter_map(|&(start, end)| index.between(start, end));
    let texts: Vec<&str> = texts.collect();
    let locations = segments.iter().map(|&(start, end)| Location {
        offset: Count(start),
        length: Count(end - start),
    });
    Span {
        id: id.to_owned(),
        infons: Infons(infons),
        text: Some(texts.join(" ")),
        locations: locations.collect(),
    }
}

/// Converts the relations.
fn relations(document: &Document, ids: &HashMap<u32, String>) -> Vec<Link> {
    let node = |at: u32, role: &str| Node {
        refid: ids.get(&at).cloned().unwrap_or_default(),
        role: role.to_owned(),
    };
    let relations = (1..).zip(&document.relations).map(|(number, relation)| {
        let ty = document.type_of_relation(relation).to_owned();
        Link {
            id: format!("R{number}"),
            infons: Infons(vec![(TYPE.to_owned(), Value::String(ty))]),
            nodes: vec![node(relation.from, "arg1"), node(relation.to, "arg2")],
        }
    });
    relations.collect()
}

/// Counts layers that are not read again as they are.
fn count_layers(document: &Document, losses: &mut Losses) {
    if document.layers.is_empty() {
        return;
    }
    let mut used = vec![false; document.layers.len()];
    for annotation in &document.annotations {
        if let Some(used) = used.get_mut(annotation.layer as usize) {
            *used = true;
        }
    }
    let mut names = HashSet::new();
    for (layer, used) in document.layers.iter().zip(used) {
        if !used {
            losses.add("annotators without annotations", 1);
        } else if !names.insert(layer.name.as_deref().unwrap_or_default()) {
            losses.add(
                "annotators with the same name as another of the document",
                1,
            );
        }
    }
}
