//! Conversion of BioC's structures to documents.

use std::collections::HashMap;

use serde_json::{Map, Value};
use spanrs_base::Position;

use super::super::annotated_text::{Answer, Document, Layer};
use super::super::annotators::Annotators;
use super::super::json::{self, excerpt};
use super::super::offset_units::{Offsets, Unit, UnitCounts, quoted};
use super::passages::Assembled;
use super::relations::{self, Ids};
use super::{ANNOTATOR, COLLECTION, ID, Infons, Link, NAME, PASSAGES, Passage, Record, Span, TYPE};
use crate::error::{Code, Error, Result};

/// Maximum number of characters of ids and types in messages.
pub(super) const QUOTE: usize = 40;

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
        let infons = std::mem::take(&mut record.infons);
        let layers = self.layers(&record, &place).map_err(wrong)?;
        let Some(layers) = layers else {
            self.skipped.add(|| place);
            return Ok(None);
        };
        let (all_agree, unit, text) = self
            .choose_unit(&record)
            .map_err(|message| wrong(format!("{place}: {message}")))?;
        self.units.add(unit, || place.clone());
        if text.misplaced > 0 {
            self.misplaced.add(|| place.clone());
        }
        let offsets = Offsets::new(&text.text, unit);
        let mut document = Document::new(String::new());
        document.layers = layers.list;
        let mut has_links = false;
        for_each_link(&record, &mut |_| has_links = true);
        let mut ids = Ids::new(has_links);
        for_each_span(&record, &mut |span| {
            let name = annotator(&span.infons);
            if let Some(&layer) = layers.numbers.get(&name) {
                ids.add(
                    &span.id,
                    add(&mut document, span, &offsets, (layer, all_agree)),
                );
            }
        });
        for_each_link(&record, &mut |link| {
            let ignored = ids.relate(&mut document, link);
            let shown = || format!("{}, {place}", relations::shown(link));
            if ignored.roles {
                self.roles.add(shown);
            }
            if ignored.infons {
                self.facts.add(shown);
            }
        });
        let passages = text.describe(&mut record.passages);
        drop(offsets);
        document.text = text.text;
        document.id = Some(record.id).filter(|id| !id.is_empty());
        set_name(&mut document, infons);
        let passages = passages.map(|passages| (PASSAGES.to_owned(), passages));
        document.metadata.extend(passages);
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

    /// Returns whether all annotations agree with the text, the unit of the offsets, and the text.
    ///
    /// # Errors
    /// A message if the passages overlap in all units.
    fn choose_unit(&self, record: &Record) -> std::result::Result<(bool, Unit, Assembled), String> {
        let mut best: Option<(usize, Unit, Assembled)> = None;
        let mut first_error = None;
        let mut all = 0;
        for_each_span(record, &mut |_| all += 1);
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
            let mut number = 0;
            for_each_span(record, &mut |span| {
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
            Some((number, unit, text)) => Ok((number == all, unit, text)),
            None => Err(first_error.unwrap_or_default()),
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

/// Sets name and metadata of a document.
fn set_name(document: &mut Document, mut infons: Infons) {
    document.name = infons.take(NAME).and_then(|name| match name {
        Value::String(name) => Some(name),
        other => {
            infons.0.push((NAME.to_owned(), other));
            None
        }
    });
    document.metadata = infons.0;
}

/// Returns a value as text.
pub(super) fn text_of(value: &Value) -> String {
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
/// report. `layer` is the layer, and whether the annotation is known to agree.
fn add(
    document: &mut Document,
    span: &Span,
    offsets: &Offsets<'_>,
    layer: (u32, bool),
) -> Option<u32> {
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
    if !layer.1 && !agrees(span, offsets) {
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
        annotation.layer = layer.0;
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
