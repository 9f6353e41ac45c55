//! Conversion of BioC's structures to documents.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use spanrs_base::Position;

use super::super::annotated_text::{Answer, Document, Layer};
use super::super::annotators::Annotators;
use super::super::json::{self, excerpt};
use super::super::offset_units::{Offsets, Unit, UnitCounts, quoted};
use super::{ANNOTATOR, COLLECTION, ID, Infons, Link, NAME, PASSAGES, Passage, Record, Span, TYPE};
use crate::error::{Code, Error, Result};

/// Maximum number of characters that fill the gaps of a document, in addition to the length of its
/// texts. A damaged offset must not create a large text.
const FILLER: u64 = 1 << 16;
/// Maximum number of characters of ids and types in messages.
const QUOTE: usize = 40;

/// The annotators whose annotations are read.
pub(super) enum Wanted {
    Sole,
    Named(String),
    All,
}

/// A number of items, and the place of the first.
#[derive(Default)]
struct Tally(u64, String);

impl Tally {
    fn add(&mut self, place: impl FnOnce() -> String) {
        if self.0 == 0 {
            self.1 = place();
        }
        self.0 += 1;
    }
}

/// Converts documents, and counts what is not read.
pub(super) struct Converter {
    wanted: Wanted,
    annotators: Annotators,
    /// Whether a document has been returned.
    found: bool,
    units: UnitCounts,
    /// Documents without annotations by the annotator.
    skipped: Tally,
    /// Relations with roles that are not read.
    roles: Tally,
    /// Relations with infons that are not read.
    facts: Tally,
    /// Documents with passages whose sentences are not within their text.
    misplaced: Tally,
}

/// Adds the annotators of a document.
pub(super) fn add_annotators(record: &Record, annotators: &mut Annotators) {
    for_each_span(record, &mut |span| {
        if let Some(name) = annotator(&span.infons) {
            annotators.add(name);
        }
    });
}

/// Returns the annotator of an annotation.
fn annotator(infons: &Infons) -> Option<String> {
    let mut all = infons.0.iter();
    json::id(&all.find(|(name, _)| name == ANNOTATOR)?.1)
}

/// Visits the annotations of a document: those of passages, each followed by those of its
/// sentences, and then those of the document.
fn for_each_span<'a>(record: &'a Record, visit: &mut dyn FnMut(&'a Span)) {
    for passage in &record.passages {
        passage.annotations.iter().for_each(&mut *visit);
        for sentence in passage.sentences.iter().flatten() {
            sentence.annotations.iter().for_each(&mut *visit);
        }
    }
    record.annotations.iter().for_each(visit);
}

/// Visits the relations of a document, in the same order.
fn for_each_link<'a>(record: &'a Record, visit: &mut dyn FnMut(&'a Link)) {
    for passage in &record.passages {
        passage.relations.iter().for_each(&mut *visit);
        for sentence in passage.sentences.iter().flatten() {
            sentence.relations.iter().for_each(&mut *visit);
        }
    }
    record.relations.iter().for_each(visit);
}

impl Converter {
    pub(super) fn new(wanted: Wanted) -> Self {
        Self {
            wanted,
            annotators: Annotators::default(),
            found: false,
            units: UnitCounts::default(),
            skipped: Tally::default(),
            roles: Tally::default(),
            facts: Tally::default(),
            misplaced: Tally::default(),
        }
    }

    /// Converts a document, whose position in the file is `at`; None if it has no annotations by
    /// the selected annotator.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for passages that overlap or are not in order, and for annotations by
    /// several annotators if none is selected.
    pub(super) fn convert(
        &mut self,
        mut record: Record,
        collection: &Map<String, Value>,
        at: &Position,
    ) -> Result<Option<Document>> {
        let place = match record.id.as_str() {
            "" => format!("the document on line {}", at.line),
            id => format!("document {}", excerpt(id, QUOTE)),
        };
        let wrong = |message: String| Error::new(Code::BadDocument, at.clone(), message);
        let mut infons = std::mem::take(&mut record.infons);
        let layers = self.layers(&record, &place).map_err(wrong)?;
        let Some(layers) = layers else {
            self.skipped.add(|| place);
            return Ok(None);
        };
        let (unit, text) = self
            .choose_unit(&record)
            .map_err(|message| wrong(format!("{place}: {message}")))?;
        self.units.add(unit, || place.clone());
        if text.misplaced > 0 {
            self.misplaced.add(|| place.clone());
        }
        let offsets = Offsets::new(&text.text, unit);
        let mut document = Document::new(String::new());
        document.layers = layers.list;
        let mut ids = Ids::new(&record);
        for_each_span(&record, &mut |span| {
            let name = annotator(&span.infons);
            if let Some(&layer) = layers.numbers.get(&name) {
                ids.add(&span.id, add(&mut document, span, &offsets, layer));
            }
        });
        for_each_link(&record, &mut |link| {
            self.relate(&mut document, link, &ids, &place)
        });
        let passages = text.describe(&mut record.passages);
        drop(offsets);
        document.text = text.text;
        document.id = Some(record.id).filter(|id| !id.is_empty());
        document.name = infons.take(NAME).and_then(|name| match name {
            Value::String(name) => Some(name),
            other => {
                infons.0.push((NAME.to_owned(), other));
                None
            }
        });
        document.metadata = infons.0;
        document
            .metadata
            .extend(passages.map(|passages| (PASSAGES.to_owned(), passages)));
        if !collection.is_empty() {
            let collection = Value::Object(collection.clone());
            document.metadata.push((COLLECTION.to_owned(), collection));
        }
        self.found = true;
        Ok(Some(document))
    }

    /// Returns the layers to read; None if the selected annotator has no annotations.
    ///
    /// # Errors
    /// A message if there are several annotators and none is selected.
    fn layers(
        &mut self,
        record: &Record,
        place: &str,
    ) -> std::result::Result<Option<Layers>, String> {
        let mut layers = Layers::default();
        for_each_span(record, &mut |span| {
            let name = annotator(&span.infons);
            if !layers.numbers.contains_key(&name) {
                if let Some(name) = &name {
                    self.annotators.add(name.clone());
                }
                layers.add(name);
            }
        });
        match &self.wanted {
            Wanted::Named(name) => {
                if !layers.numbers.contains_key(&Some(name.clone())) {
                    return Ok(None);
                }
                layers = Layers::default();
                layers.add(Some(name.clone()));
            }
            Wanted::Sole if layers.list.len() > 1 => {
                let names = layers.list.iter().take(5);
                let names: Vec<&str> = names
                    .map(|layer| layer.name.as_deref().unwrap_or("unnamed"))
                    .collect();
                return Err(format!(
                    "{place} has annotations by {} annotators ({}); choose one (--annotator), or read \
                     all layers",
                    layers.list.len(),
                    excerpt(&names.join(", "), 200)
                ));
            }
            Wanted::Sole | Wanted::All => {}
        }
        if layers.list.iter().all(|layer| layer.name.is_none()) {
            layers.list.clear();
        }
        Ok(Some(layers))
    }

    /// Returns the unit of the offsets, and the text.
    ///
    /// # Errors
    /// A message if the passages overlap in all units.
    fn choose_unit(&self, record: &Record) -> std::result::Result<(Unit, Assembled), String> {
        let mut best: Option<(usize, Unit, Assembled)> = None;
        let mut first_error = None;
        let ascii = |passage: &Passage| passage.text.as_ref().is_none_or(|text| text.is_ascii());
        let all_ascii = record
            .passages
            .iter()
            .all(|passage| ascii(passage) && passage.sentences.iter().flatten().all(ascii));
        for &unit in Unit::candidates(all_ascii) {
            let text = match Assembled::new(&record.passages, unit) {
                Ok(text) => text,
                Err(message) => {
                    first_error = first_error.or(Some(message));
                    continue;
                }
            };
            let offsets = Offsets::new(&text.text, unit);
            let (mut number, mut all) = (0, 0);
            for_each_span(record, &mut |span| {
                all += 1;
                number += usize::from(agrees(span, &offsets));
            });
            drop(offsets);
            if best.as_ref().is_none_or(|&(most, ..)| number > most) {
                best = Some((number, unit, text));
            }
            if number == all {
                break;
            }
        }
        match best {
            Some((_, unit, text)) => Ok((unit, text)),
            None => Err(first_error.unwrap_or_default()),
        }
    }

    /// Adds a relation: from its first node to each of the others.
    fn relate(&mut self, document: &mut Document, link: &Link, ids: &Ids<'_>, place: &str) {
        let shown = |ty: &str| {
            let [id, ty] = [&link.id, ty].map(|text| excerpt(text, QUOTE));
            format!("relation {id} ({ty})")
        };
        let mut infons = link.infons.0.iter();
        let names = [TYPE, "relation type", "relation"];
        let find = |name: &&str| infons.clone().find(|(key, _)| key == name);
        let ty = names.iter().find_map(find);
        let ty_text = ty.map(|(_, value)| text_of(value)).unwrap_or_default();
        if infons.any(|infon| !ty.is_some_and(|ty| std::ptr::eq(ty, infon))) {
            self.facts.add(|| format!("{}, {place}", shown(&ty_text)));
        }
        let mut nodes: Vec<(Option<u32>, &str)> = link
            .nodes
            .iter()
            .map(|node| (argument(&node.role), node.refid.as_str()))
            .collect();
        if nodes.iter().all(|(number, _)| number.is_some()) {
            nodes.sort_by_key(|(number, _)| *number);
        } else if link.nodes.iter().any(|node| !node.role.is_empty()) {
            self.roles.add(|| format!("{}, {place}", shown(&ty_text)));
        }
        let [(_, first), others @ ..] = nodes.as_slice() else {
            document.leave_out_relation(|| format!("{} has no nodes", shown(&ty_text)));
            return;
        };
        if others.is_empty() {
            document.leave_out_relation(|| format!("{} has only one node", shown(&ty_text)));
        }
        for (_, other) in others {
            match (ids.find(first), ids.find(other)) {
                (Some(from), Some(to)) => document.relate(&ty_text, from, to),
                (found, _) => document.leave_out_relation(|| {
                    let missing = if found.is_some() { other } else { first };
                    let missing = excerpt(missing, QUOTE);
                    format!(
                        "{}: there is no annotation with the id {missing}, or there are several, or \
                         it is left out",
                        shown(&ty_text)
                    )
                }),
            }
        }
    }

    /// Checks that the selected annotator occurs in the file.
    ///
    /// # Errors
    /// [`Code::BadDocument`] if there are documents, but none with annotations by the annotator.
    pub(super) fn check_annotator(&self, path: &str) -> Result<()> {
        match &self.wanted {
            Wanted::Named(name) if !self.found => Err(self.annotators.missing(path, name)),
            _ => Ok(()),
        }
    }

    /// Appends what users should know.
    pub(super) fn notices(&self, notices: &mut Vec<String>) {
        self.units.notices(notices);
        let texts = [
            (
                &self.skipped,
                "document",
                "without annotations by the annotator, not read",
            ),
            (&self.roles, "relation", "with roles, which are not read"),
            (
                &self.facts,
                "relation",
                "with infons other than the type, which are not read",
            ),
            (
                &self.misplaced,
                "document",
                "with sentences that do not fit their passage, not read",
            ),
        ];
        for (Tally(number, first), noun, what) in texts {
            if *number > 0 {
                let plural = if *number == 1 { "" } else { "s" };
                notices.push(format!("{number} {noun}{plural} {what} (first: {first})"));
            }
        }
    }
}

/// Returns the number of a role `arg1`, `Arg2`, ...
fn argument(role: &str) -> Option<u32> {
    let number = role
        .get(..3)
        .filter(|name| name.eq_ignore_ascii_case("arg"));
    role.get(3..).filter(|_| number.is_some())?.parse().ok()
}

/// Returns a value as text.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The layers of a document, and their numbers by annotator.
#[derive(Default)]
struct Layers {
    list: Vec<Layer>,
    numbers: HashMap<Option<String>, u32>,
}

impl Layers {
    fn add(&mut self, name: Option<String>) {
        self.numbers.insert(name.clone(), self.list.len() as u32);
        let answer = Answer::Given;
        self.list.push(Layer { name, answer });
    }
}

/// Annotations by id, for relations.
struct Ids<'a> {
    /// None for ids of several annotations and of annotations that are left out.
    annotations: HashMap<&'a str, Option<u32>>,
    /// Whether the document has relations.
    needed: bool,
}

impl<'a> Ids<'a> {
    fn new(record: &Record) -> Self {
        let mut needed = false;
        for_each_link(record, &mut |_| needed = true);
        Self {
            annotations: HashMap::new(),
            needed,
        }
    }

    fn add(&mut self, id: &'a str, at: Option<u32>) {
        if self.needed && !id.is_empty() {
            self.annotations
                .entry(id)
                .and_modify(|at| *at = None)
                .or_insert(at);
        }
    }

    fn find(&self, id: &str) -> Option<u32> {
        self.annotations.get(id).copied().flatten()
    }
}

/// Returns the pieces of an annotation in the unit of the file, ascending.
fn pieces(span: &Span) -> Vec<(u32, u32)> {
    let bounds = |location: &super::Location| {
        let start = location.offset.0;
        (start, start.saturating_add(location.length.0))
    };
    let mut pieces: Vec<(u32, u32)> = span.locations.iter().map(bounds).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

/// Returns true if an annotation is within the text and covers the text that it quotes.
fn agrees(span: &Span, offsets: &Offsets<'_>) -> bool {
    let pieces = offsets.pieces(&pieces(span));
    let quoted = span.text.as_deref().filter(|text| !text.is_empty());
    pieces.is_some_and(|pieces| quoted.is_none_or(|text| offsets.covers(&pieces, text)))
}

/// Adds an annotation that agrees with the text, and returns its index. Others are left out with a
/// report.
fn add(document: &mut Document, span: &Span, offsets: &Offsets<'_>, layer: u32) -> Option<u32> {
    let mut infons = span.infons.0.iter();
    let ty = infons.clone().find(|(name, _)| name == TYPE);
    let owned;
    let ty_text = match ty.map(|(_, value)| value) {
        Some(Value::String(text)) => text.as_str(),
        Some(value) => {
            owned = text_of(value);
            &owned
        }
        None => "",
    };
    let shown = || {
        let [id, ty] = [&span.id, ty_text].map(|text| excerpt(text, QUOTE));
        format!("annotation {id} ({ty})")
    };
    let located = pieces(span);
    let Some((&(start, _), &(_, end))) = located.first().zip(located.last()) else {
        document.leave_out(|| format!("{} has no location", shown()));
        return None;
    };
    let Some(pieces) = offsets.pieces(&located) else {
        document.leave_out(|| format!("{} at {start}-{end} is not within the text", shown()));
        return None;
    };
    if !agrees(span, offsets) {
        document.leave_out(|| {
            let (text, told) = (offsets.shown(&pieces), span.text.as_deref());
            let told = quoted(told.unwrap_or_default());
            format!(
                "{} at {start}-{end}: the text is {text:?}, but the file says {told:?}",
                shown()
            )
        });
        return None;
    }
    let at = document.annotations.len() as u32;
    let id = document.intern(ty_text);
    let end = pieces.iter().map(|piece| piece.1).max().unwrap_or(end);
    document.push(id, pieces[0].0, end);
    if let Some(annotation) = document.annotations.last_mut() {
        annotation.layer = layer;
    }
    if pieces.len() > 1 {
        document.set_pieces(&pieces);
    }
    if !span.id.is_empty() && span.id != (at + 1).to_string() {
        document.add_attribute(ID, span.id.as_str());
    }
    let mut first_annotator = true;
    infons.by_ref().for_each(|infon| {
        let is_type = ty.is_some_and(|ty| std::ptr::eq(ty, infon));
        let is_annotator = infon.0 == ANNOTATOR
            && std::mem::replace(&mut first_annotator, false)
            && json::id(&infon.1).is_some();
        if !is_type && !is_annotator {
            document.add_attribute(&infon.0, infon.1.clone());
        }
    });
    Some(at)
}

/// A text that is assembled from passages.
struct Assembled {
    text: String,
    /// Start and end of each passage and of its sentences, in code points.
    passages: Vec<((u32, u32), Vec<(u32, u32)>)>,
    unit: Unit,
    /// Length in code points, and in the unit of the offsets.
    lengths: (u32, u64),
    /// Number of characters that fill gaps.
    filler: u64,
    /// Number of passages whose sentences are not within their text.
    misplaced: usize,
}

impl Assembled {
    /// Joins passages whose offsets count a unit.
    ///
    /// # Errors
    /// A message for passages or sentences that overlap or are not in order, and for too large
    /// gaps.
    fn new(passages: &[Passage], unit: Unit) -> std::result::Result<Self, String> {
        let mut assembled = Self {
            text: String::new(),
            passages: Vec::with_capacity(passages.len()),
            unit,
            lengths: (0, 0),
            filler: 0,
            misplaced: 0,
        };
        for (number, passage) in (1..).zip(passages) {
            assembled.fill(passage.offset.0, '\n', || format!("passage {number}"))?;
            let start = assembled.lengths.0;
            let text = passage.text.as_deref().unwrap_or_default();
            let mut sentences = Vec::new();
            if text.is_empty() {
                for (of, sentence) in (1..).zip(passage.sentences.iter().flatten()) {
                    let place = || format!("sentence {of} of passage {number}");
                    assembled.fill(sentence.offset.0, ' ', place)?;
                    let text = sentence.text.as_deref().unwrap_or_default();
                    sentences.push(assembled.append(text));
                }
            } else {
                assembled.append(text);
                // The sentences only divide the text.
                let offsets = Offsets::new(text, unit);
                let mut listed = passage.sentences.iter().flatten();
                let bounds = listed.try_fold(Vec::new(), |mut bounds, sentence| {
                    let from = sentence.offset.0.checked_sub(passage.offset.0)?;
                    let length = unit.length(sentence.text.as_deref().unwrap_or_default());
                    let to = from.saturating_add(u32::try_from(length).ok()?);
                    let (from, to) = (offsets.character(from)?, offsets.character(to)?);
                    bounds.push((start + from, start + to));
                    Some(bounds)
                });
                assembled.misplaced += usize::from(bounds.is_none());
                sentences = bounds.unwrap_or_default();
            }
            let bounds = (start, assembled.lengths.0);
            assembled.passages.push((bounds, sentences));
        }
        Ok(assembled)
    }

    /// Appends a text, and returns its start and end.
    fn append(&mut self, text: &str) -> (u32, u32) {
        let start = self.lengths.0;
        let length = text.chars().count() as u64;
        self.lengths.0 = u32::try_from(u64::from(start) + length).unwrap_or(u32::MAX);
        self.lengths.1 += match self.unit {
            Unit::Characters => length,
            unit => unit.length(text),
        };
        self.text.push_str(text);
        (start, self.lengths.0)
    }

    /// Fills the gap before an offset: with `first`, and then with spaces.
    fn fill(
        &mut self,
        offset: u32,
        first: char,
        place: impl Fn() -> String,
    ) -> std::result::Result<(), String> {
        let Some(gap) = u64::from(offset).checked_sub(self.lengths.1) else {
            return Err(format!(
                "{} begins at {offset}, before the end of the previous text at {}; offsets count \
                 from the beginning of the document",
                place(),
                self.lengths.1
            ));
        };
        self.filler += gap;
        if self.filler > FILLER + self.text.len() as u64 {
            return Err(format!(
                "{} begins at {offset}, {gap} characters after the end of the previous text; check \
                 the offset",
                place()
            ));
        }
        for at in 0..gap {
            self.text.push(if at == 0 { first } else { ' ' });
        }
        self.lengths.0 += gap as u32;
        self.lengths.1 += gap;
        Ok(())
    }

    /// Describes the passages as metadata; None for a single passage without infons that is the
    /// whole text, and for no passages.
    fn describe(&self, passages: &mut [Passage]) -> Option<Value> {
        if let [passage] = passages
            && passage.infons.0.is_empty()
            && self.passages.first()? == &((0, self.lengths.0), vec![])
        {
            return None;
        }
        let entry = |bounds: (u32, u32), infons: &mut Infons| {
            let mut entry = Map::new();
            entry.insert("offset".to_owned(), json!(bounds.0));
            entry.insert("length".to_owned(), json!(bounds.1 - bounds.0));
            if !infons.0.is_empty() {
                let infons = std::mem::take(infons).into_object();
                entry.insert("infons".to_owned(), Value::Object(infons));
            }
            entry
        };
        let described = passages
            .iter_mut()
            .zip(&self.passages)
            .map(|(passage, placed)| {
                let mut described = entry(placed.0, &mut passage.infons);
                if !placed.1.is_empty() {
                    let sentences = passage.sentences.iter_mut().flatten().zip(&placed.1);
                    let sentences = sentences.map(|(sentence, bounds)| {
                        Value::Object(entry(*bounds, &mut sentence.infons))
                    });
                    described.insert("sentences".to_owned(), sentences.collect());
                }
                Value::Object(described)
            });
        let described: Vec<Value> = described.collect();
        (!described.is_empty()).then_some(Value::Array(described))
    }
}
