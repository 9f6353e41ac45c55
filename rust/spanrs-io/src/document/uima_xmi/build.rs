//! Builds a document from the elements of an XMI file.

use serde_json::{Map, Value};

use super::super::annotated_text::{Document, TOKEN};
use super::super::uima_layers::{
    Choice, LAYER, attribute_of_feature, attribute_of_layer, short_name,
};
use super::super::utf16::Utf16Index;
use super::elements::{Cas, Record, Sofa};
use super::kinds::{Kind, Role, quoted};
use super::type_system::Range;
use super::xml::Xml;
use crate::error::Result;

/// Maximum number of feature structures in a list, counted over all lists of a file, to protect
/// against lists that contain themselves or are repeated.
const LISTED: usize = 1 << 24;

/// Builds the document.
///
/// # Errors
/// [`Code::BadDocument`](crate::Code::BadDocument), if the text cannot be determined.
pub(super) fn build(cas: &Cas<'_>, xml: &Xml<'_>, choice: &Choice) -> Result<Document> {
    let sofa = text_of(cas, xml)?;
    let text = sofa.text.as_deref().unwrap_or_default();
    let mut builder = Builder {
        cas,
        sofa,
        choice,
        index: Utf16Index::new(text),
        document: Document::new(text.to_owned()),
        annotations: vec![None; cas.records.len()],
        listed: 0,
    };
    builder.annotations();
    builder.relations();
    Ok(builder.document)
}

/// Returns the text that is read.
fn text_of<'c, 'a>(cas: &'c Cas<'a>, xml: &Xml<'_>) -> Result<&'c Sofa<'a>> {
    let texts = || cas.sofas.iter().filter(|sofa| sofa.text.is_some());
    if let Some(initial) = texts().find(|sofa| sofa.name == "_InitialView") {
        return Ok(initial);
    }
    let mut all = texts();
    match (all.next(), all.next()) {
        (Some(only), None) => Ok(only),
        (Some(_), Some(_)) => {
            let names: Vec<&str> = texts().map(|sofa| &*sofa.name).take(20).collect();
            let names = quoted(&names.join(", "));
            let message = format!(
                "several views have a text, and none is _InitialView: {names}; keep one of them"
            );
            Err(xml.error_at(0, message))
        }
        (None, _) => {
            let message = "there is no text: no element cas:Sofa has a sofaString; the text may be in \
                           another file, which is not read";
            Err(xml.error_at(0, message))
        }
    }
}

/// State of building a document.
struct Builder<'c, 'a> {
    cas: &'c Cas<'a>,
    sofa: &'c Sofa<'a>,
    choice: &'c Choice,
    index: Utf16Index,
    document: Document,
    /// Annotations by record.
    annotations: Vec<Option<u32>>,
    /// Number of feature structures in the lists that have been read.
    listed: usize,
}

impl<'c, 'a> Builder<'c, 'a> {
    /// Returns the kind of a record.
    fn kind(&self, record: &Record) -> &'c Kind {
        &self.cas.kinds[record.kind as usize]
    }

    /// Returns the features of a record with their values.
    fn values(&self, record: &Record) -> &'c [(u32, std::borrow::Cow<'a, str>)] {
        &self.cas.values[record.values.0 as usize..record.values.1 as usize]
    }

    /// Returns the value of a feature of a record.
    fn value(&self, record: &Record, feature: usize) -> Option<&'c str> {
        let values = self.values(record).iter();
        let value = values
            .into_iter()
            .find(|(number, _)| *number as usize == feature);
        value.map(|(_, value)| &**value)
    }

    /// Returns the value of a feature of a record, by name.
    fn named(&self, record: &Record, feature: &str) -> Option<&'c str> {
        let feature = self.kind(record).index_of(feature)?;
        self.value(record, feature as usize)
    }

    /// Adds the tokens, and then the other annotations and the facts about the document.
    fn annotations(&mut self) {
        for (at, record) in self.cas.records.iter().enumerate() {
            if self.kind(record).role == Role::Token
                && let Some((start, end)) = self.place(record)
            {
                self.annotations[at] = Some(self.document.annotations.len() as u32);
                let token = self.document.intern(TOKEN);
                self.document.push(token, start, end);
            }
        }
        for (at, record) in self.cas.records.iter().enumerate() {
            let kind = self.kind(record);
            if !kind.read {
                continue;
            }
            match kind.role {
                Role::Span => {
                    if let Some((start, end)) = self.place(record) {
                        self.annotations[at] = Some(self.document.annotations.len() as u32);
                        self.span(record, start, end);
                    }
                }
                Role::Facts => self.facts(record, ""),
                Role::FactLayer => self.facts(record, kind.short_name()),
                Role::Metadata => self.metadata(record),
                _ => {}
            }
        }
    }

    /// Returns start and end of an annotation in characters; None for an annotation that is left
    /// out.
    fn place(&mut self, record: &Record) -> Option<(u32, u32)> {
        let (kind, (start, end)) = (self.kind(record), record.bounds);
        let name = || quoted(kind.short_name());
        if record.sofa != self.sofa.id {
            let sofas = &self.cas.sofas;
            self.document.leave_out(|| {
                let view = sofas.iter().find(|sofa| sofa.id == record.sofa);
                let view = view.map_or("a view that does not exist".to_owned(), |view| {
                    format!("the view {}", quoted(&view.name))
                });
                format!("{} {start}-{end} belongs to {view}", name())
            });
            return None;
        }
        if !self.is_indexed(record) {
            self.document.leave_out(|| {
                format!("{} {start}-{end} is not in the indexes of its view", name())
            });
            return None;
        }
        let place = self.index.character(start).zip(self.index.character(end));
        if place.is_none() {
            self.document.leave_out(|| {
                format!(
                    "{} {start}-{end}, in UTF-16 code units, begins or ends within a character",
                    name()
                )
            });
        }
        place
    }

    /// Returns true for feature structures in the indexes of the view.
    fn is_indexed(&self, record: &Record) -> bool {
        !self.cas.has_views || self.sofa.members.binary_search(&record.id).is_ok()
    }

    /// Adds an annotation with its attributes.
    fn span(&mut self, record: &Record, start: u32, end: u32) {
        let kind = self.kind(record);
        let chosen = self.type_of(record);
        let ty = self
            .document
            .intern(chosen.map_or(kind.short_name(), |(_, ty)| ty));
        self.document.push(ty, start, end);
        if let Some(layer) = attribute_of_layer(&kind.name) {
            self.document.add_attribute(LAYER, layer);
        }
        let mut values = self.values(record);
        while let Some((number, _)) = values.first() {
            // The values of a list follow each other.
            let same = values
                .iter()
                .take_while(|(other, _)| other == number)
                .count();
            let (these, rest) = values.split_at(same);
            values = rest;
            let feature = &kind.features[*number as usize];
            if chosen.is_some_and(|(name, _)| name == feature.name) {
                continue;
            }
            let texts: Vec<&str> = these.iter().map(|(_, value)| &**value).collect();
            if let Some(value) = self.attribute(feature.range, &texts) {
                let name = attribute_of_feature(&kind.name, &feature.name);
                self.document.add_attribute(name, value);
            }
        }
    }

    /// Returns the feature that is the type of a record, and the type; None if it is not set.
    fn type_of(&self, record: &Record) -> Option<(&'c str, &'c str)> {
        let kind = self.kind(record);
        let values = self.values(record).iter();
        let set = values.filter_map(|(number, value)| {
            let feature = &kind.features[*number as usize];
            let is_text = feature.range == Range::Text && !value.is_empty();
            feature
                .range
                .is_primitive()
                .then_some((feature.name.as_str(), is_text))
        });
        let name = kind.type_feature(set)?;
        let value = self.named(record, name).filter(|value| !value.is_empty())?;
        Some((name, value))
    }

    /// Returns the value of an attribute; None for references to annotations.
    fn attribute(&mut self, range: Range, values: &[&str]) -> Option<Value> {
        let first = *values.first()?;
        match range {
            Range::Texts if values.len() == 1 && first.is_empty() => Some(Value::Array(Vec::new())),
            Range::Texts => {
                // A single value may be the id of a list of texts.
                let list = first.parse().ok().filter(|_| values.len() == 1);
                let list = list.and_then(|id| self.record(id));
                match list.filter(|list| self.kind(list).role == Role::List) {
                    Some(list) => Some(self.list(list)),
                    None => Some(values.iter().copied().map(Value::from).collect()),
                }
            }
            Range::Values { shared: true } => {
                let list = first.parse().ok().and_then(|id| self.record(id))?;
                Some(self.list(list))
            }
            Range::Values { shared: false } => {
                let values = values
                    .iter()
                    .flat_map(|value| value.split_ascii_whitespace());
                Some(values.map(number).collect())
            }
            Range::Reference => {
                let objects = self.references(values, false);
                let objects = objects.into_iter().filter_map(|record| self.object(record));
                let objects: Vec<Value> = objects.collect();
                (!objects.is_empty()).then_some(Value::Array(objects))
            }
            primitive => Some(typed(primitive, first)),
        }
    }

    /// Returns the values in a list that is an element of its own.
    fn list(&self, list: &Record) -> Value {
        let kind = self.kind(list);
        let values = self.values(list).iter();
        let values = values.flat_map(|(number, value)| {
            let is_text = kind.features[*number as usize].range == Range::Texts;
            let parts: Vec<Value> = match is_text {
                true => vec![Value::from(&**value)],
                false => value.split_ascii_whitespace().map(self::number).collect(),
            };
            parts
        });
        values.collect()
    }

    /// Returns the primitive features of a feature structure that is not an annotation.
    fn object(&self, record: &Record) -> Option<Value> {
        let kind = self.kind(record);
        if kind.role != Role::Object {
            return None;
        }
        let mut object = Map::new();
        for (number, value) in self.values(record) {
            let feature = &kind.features[*number as usize];
            if feature.range.is_primitive() {
                object.insert(feature.name.clone(), typed(feature.range, value));
            }
        }
        Some(Value::Object(object))
    }

    /// Returns the record with an id.
    fn record(&self, id: u32) -> Option<&'c Record> {
        let at = self.cas.ids.get(&id)?;
        self.cas.records.get(*at as usize)
    }

    /// Returns the records that the values of a feature refer to; lists are replaced by their items. If
    /// `reports`, references to records that do not exist are reported.
    fn references(&mut self, values: &[&str], reports: bool) -> Vec<&'c Record> {
        let mut found = Vec::new();
        let mut ids: Vec<u32> = Vec::new();
        for value in values
            .iter()
            .flat_map(|value| value.split_ascii_whitespace())
        {
            ids.extend(value.parse::<u32>().ok());
        }
        ids.reverse();
        while let Some(id) = ids.pop() {
            let Some(record) = self.record(id) else {
                // 0 is the id of nothing.
                if id != 0 && reports {
                    self.document.leave_out_relation(|| {
                        format!("a reference to the feature structure {id}, which does not exist")
                    });
                }
                continue;
            };
            if self.kind(record).role != Role::List {
                found.push(record);
                continue;
            }
            for (_, value) in self.values(record).iter().rev() {
                for id in value.split_ascii_whitespace().rev() {
                    self.listed += 1;
                    if self.listed < LISTED {
                        ids.extend(id.parse::<u32>().ok());
                    }
                }
            }
        }
        found
    }

    /// Adds facts about the document. The names in a layer for document metadata begin with the
    /// name of the layer.
    fn facts(&mut self, record: &Record, layer: &str) {
        if self.cas.has_views && (record.sofa != self.sofa.id || !self.is_indexed(record)) {
            return;
        }
        let kind = self.kind(record);
        for (number, value) in self.values(record) {
            let feature = &kind.features[*number as usize];
            if !feature.range.is_primitive() {
                continue;
            }
            match (layer, feature.name.as_str()) {
                ("", "documentTitle") => self.document.name = Some(value.to_string()),
                ("", "documentId") => self.document.id = Some(value.to_string()),
                ("", name) => {
                    let fact = (name.to_owned(), typed(feature.range, value));
                    self.document.metadata.push(fact);
                }
                (layer, name) => {
                    let fact = (format!("{layer}.{name}"), typed(feature.range, value));
                    self.document.metadata.push(fact);
                }
            }
        }
    }

    /// Adds a fact about the document that has been written by this crate.
    fn metadata(&mut self, record: &Record) {
        let name = self.named(record, "name").unwrap_or_default().to_owned();
        let value = match (self.named(record, "json"), self.named(record, "value")) {
            (Some(json), _) => serde_json::from_str(json).unwrap_or_else(|_| Value::from(json)),
            (None, Some(value)) => Value::from(value),
            (None, None) => Value::Null,
        };
        self.document.metadata.push((name, value));
    }

    /// Adds the relations.
    fn relations(&mut self) {
        for at in 0..self.cas.records.len() {
            let record = &self.cas.records[at];
            let kind = self.kind(record);
            if !kind.read {
                continue;
            }
            match kind.role {
                Role::Span => self.references_of(record, self.annotations[at]),
                Role::Relation { from, to } if record.sofa == self.sofa.id => {
                    let ty = self.type_of(record).map_or(kind.short_name(), |(_, ty)| ty);
                    let ends = [from, to].map(|end| self.end(record, end));
                    self.relate(ty, ends);
                }
                Role::Arguments { from, to } => {
                    let ty = self.named(record, "category").unwrap_or(kind.short_name());
                    let ends = [from, to].map(|end| {
                        let argument = self.end(record, end)?;
                        let argument = &self.cas.records[argument];
                        let feature = self.kind(argument).index_of("argument")?;
                        self.end(argument, feature as usize)
                    });
                    self.relate(ty, ends);
                }
                _ => {}
            }
        }
    }

    /// Returns the index of the record that a feature refers to.
    fn end(&self, record: &Record, feature: usize) -> Option<usize> {
        let id = self.value(record, feature)?.trim().parse().ok()?;
        self.cas.ids.get(&id).map(|at| *at as usize)
    }

    /// Adds a relation between two records.
    fn relate(&mut self, ty: &str, ends: [Option<usize>; 2]) {
        let [from, to] = ends.map(|end| end.and_then(|end| self.annotations[end]));
        if let Some((from, to)) = from.zip(to) {
            self.document.relate(ty, from, to);
            return;
        }
        let unread = ends.iter().flatten().find(|&&end| {
            let kind = self.kind(&self.cas.records[end]);
            self.annotations[end].is_none() && !kind.read
        });
        match unread {
            Some(_) if !self.choice.is_default() => {}
            Some(&end) => {
                let layer = self.kind(&self.cas.records[end]).name.as_str();
                self.document.leave_out_relation(|| {
                    let (ty, layer) = (quoted(ty), quoted(layer));
                    format!(
                        "relation {ty:?} of annotations in the layer {layer}, which is not read"
                    )
                });
            }
            None => self.document.leave_out_relation(|| {
                format!(
                    "relation {:?} of an annotation that does not exist",
                    quoted(ty)
                )
            }),
        }
    }

    /// Adds the relations from an annotation to the feature structures that it refers to.
    fn references_of(&mut self, record: &Record, annotation: Option<u32>) {
        let kind = self.kind(record);
        let Some(from) = annotation else { return };
        for (number, value) in self.values(record) {
            let feature = &kind.features[*number as usize];
            if feature.range != Range::Reference {
                continue;
            }
            for target in self.references(&[value], true) {
                let role = self.kind(target).role;
                match role {
                    Role::Slot { role, target: end } => {
                        let role = self.value(target, role).unwrap_or(&feature.name);
                        let to = self.end(target, end);
                        let from = self.cas.ids.get(&record.id).map(|at| *at as usize);
                        self.relate(role, [from, to]);
                    }
                    Role::Token | Role::Span => {
                        let to = self.cas.ids.get(&target.id).copied();
                        // Annotations of layers that are not read are not relations, but properties.
                        if let Some(to) = to.and_then(|to| self.annotations[to as usize]) {
                            let ty = self.link_type(record, feature.name.as_str());
                            self.document.relate(ty, from, to);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Returns the type of the relation from a link of a chain to the next, or the name of a feature.
    fn link_type(&self, record: &Record, feature: &'c str) -> &'c str {
        let kind = self.kind(record);
        if feature != "next" || kind.index_of("referenceRelation").is_none() {
            return feature;
        }
        let relation = self.named(record, "referenceRelation");
        relation.unwrap_or(short_name(&kind.name))
    }
}

/// Returns a value with the type of its feature.
fn typed(range: Range, value: &str) -> Value {
    match range {
        Range::Boolean if value == "true" => Value::Bool(true),
        Range::Boolean if value == "false" => Value::Bool(false),
        Range::Integer | Range::Float => number(value),
        _ => Value::from(value),
    }
}

/// Returns a number or a boolean; values that are neither, such as NaN, are text.
fn number(value: &str) -> Value {
    if let Ok(whole) = value.parse::<i64>() {
        return Value::from(whole);
    }
    let float = value
        .parse::<f64>()
        .ok()
        .and_then(serde_json::Number::from_f64);
    match (float, value) {
        (Some(float), _) => Value::Number(float),
        (None, "true") => Value::Bool(true),
        (None, "false") => Value::Bool(false),
        _ => Value::from(value),
    }
}
