//! Writes WebAnno TSV 3.3.
//!
//! A sentence begins at the first token of a line ([`lines`](super::super::lines)) and extends to
//! the next sentence, so that the text between sentences, which the format cannot represent, is at
//! most a line end. Within a line of tokens, annotations are in the order in which they begin in the
//! document, and layers and features are sorted by name, so that reading and writing again gives the
//! same bytes.

use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::super::annotated_text::{Document, Relation};
use super::super::char_index::CharIndex;
use super::super::losses::Losses;
use super::super::uima_layers::{
    ANNOTATION, LAYER, NAMED_ENTITY, RELATIONS, TOKEN_RELATIONS, TOKEN_TYPE, feature_of_attribute,
    layer_of_attribute, short_name, type_feature,
};
use super::super::utf16::Utf16Index;
use super::super::write::WriteFormat;
use super::escapes::{escape_text, escape_value};
use super::units::{Unit, Units};

/// Writes WebAnno TSV.
#[derive(Default)]
pub(crate) struct Writer;

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        let units = Units::new(document, losses);
        let layers = Layers::new(document, &units, losses);
        let relations = Relations::new(document, &units, losses);
        let mut file = File {
            document,
            units: &units,
            layers: &layers,
            relations: &relations,
            ids: Vec::new(),
            characters: CharIndex::new(&document.text),
            utf16: Utf16Index::new(&document.text),
        };
        file.number();
        file.header(out);
        file.sentences(out, losses);
        Ok(())
    }
}

/// An annotation that is written.
struct Value<'d> {
    /// Index of the layer.
    layer: usize,
    /// Features that are set.
    features: BTreeMap<Cow<'d, str>, Cow<'d, str>>,
}

/// The layer of an annotation, and its features that are set.
type LayerValue<'d> = (Cow<'d, str>, BTreeMap<Cow<'d, str>, Cow<'d, str>>);

/// The layers of a document, sorted by name, the layer of named entities first.
struct Layers<'d> {
    /// Names and features.
    layers: Vec<(Cow<'d, str>, Vec<Cow<'d, str>>)>,
    /// Annotations by index; None for annotations that are not written.
    values: Vec<Option<Value<'d>>>,
}

impl<'d> Layers<'d> {
    fn new(document: &'d Document, units: &Units, losses: &mut Losses) -> Self {
        let mut names: BTreeMap<Cow<'d, str>, BTreeSet<Cow<'d, str>>> = BTreeMap::new();
        let mut values = Vec::with_capacity(document.annotations.len());
        for (at, annotation) in document.annotations.iter().enumerate() {
            if units.of(at).is_empty() {
                values.push(None);
                continue;
            }
            let attribute = document
                .attributes(annotation)
                .find(|(name, _)| *name == LAYER);
            let (layer, same) = layer_of_attribute(attribute.map(|(_, value)| value));
            losses.add(
                "names of layers that UIMA does not allow, changed",
                usize::from(!same),
            );
            let mut features: BTreeMap<Cow<'_, str>, Cow<'_, str>> = BTreeMap::new();
            let ty = document.type_of(annotation);
            // As the file is read, so that it is written again unchanged.
            let written = match ty.is_empty() {
                true => Cow::Owned(short_name(&layer).to_owned()),
                false => Cow::Borrowed(ty),
            };
            losses.add(
                "annotations without a type, read as the name of the layer",
                usize::from(ty.is_empty()),
            );
            features.insert(Cow::Borrowed(type_feature(&layer)), written);
            let mut has_layer = false;
            for (name, value) in document.attributes(annotation) {
                if name == LAYER && !std::mem::replace(&mut has_layer, true) {
                    continue;
                }
                let (feature, same) = feature_of_attribute(&layer, name);
                losses.add(
                    "names of attributes that UIMA does not allow, changed",
                    usize::from(!same),
                );
                match features.entry(feature) {
                    Entry::Occupied(_) => losses.add("further attributes of the same name", 1),
                    Entry::Vacant(entry) => drop(entry.insert(Cow::Borrowed(value))),
                }
            }
            let columns = names.entry(layer.clone()).or_default();
            columns.insert(Cow::Borrowed(type_feature(&layer)));
            columns.extend(features.keys().cloned());
            values.push(Some((layer, features)));
        }
        Self::sorted(names, values)
    }

    /// Numbers the layers in the order of their columns.
    fn sorted(
        names: BTreeMap<Cow<'d, str>, BTreeSet<Cow<'d, str>>>,
        values: Vec<Option<LayerValue<'d>>>,
    ) -> Self {
        let mut layers: Vec<_> = names
            .into_iter()
            .map(|(layer, features)| (layer, features.into_iter().collect::<Vec<_>>()))
            .collect();
        layers.sort_by_key(|(layer, _)| layer != NAMED_ENTITY);
        let index: BTreeMap<_, _> = layers
            .iter()
            .enumerate()
            .map(|(at, (layer, _))| (layer.clone(), at))
            .collect();
        let values = values.into_iter().map(|value| {
            let (layer, features) = value?;
            let layer = *index.get(&layer)?;
            Some(Value { layer, features })
        });
        let values = values.collect();
        Self { layers, values }
    }
}

/// The relations of a document, for two layers: between spans, and between tokens.
struct Relations<'d> {
    /// For each layer: the relations by the row of their target.
    spans: BTreeMap<usize, Vec<&'d Relation>>,
    tokens: BTreeMap<usize, Vec<&'d Relation>>,
}

impl<'d> Relations<'d> {
    fn new(document: &'d Document, units: &Units, losses: &mut Losses) -> Self {
        let (mut spans, mut tokens) = (BTreeMap::new(), BTreeMap::new());
        for relation in &document.relations {
            let is_token = |at: u32| {
                let annotation = document.annotations.get(at as usize);
                annotation.is_some_and(|annotation| document.is_token(annotation))
            };
            let row = |at: u32| match is_token(at) {
                true => units.row_of_token(at as usize),
                false => units.of(at as usize).first().copied(),
            };
            let (Some(_), Some(target)) = (row(relation.from), row(relation.to)) else {
                losses.add("relations of annotations that are not written", 1);
                continue;
            };
            let layer: &mut BTreeMap<usize, Vec<&Relation>> =
                match (is_token(relation.from), is_token(relation.to)) {
                    (true, true) => &mut tokens,
                    (false, false) => &mut spans,
                    _ => {
                        losses.add("relations between tokens and other annotations", 1);
                        continue;
                    }
                };
            if document.type_of_relation(relation).is_empty() {
                losses.add(
                    "relations without a type, read as the name of their layer",
                    1,
                );
            }
            layer.entry(target).or_default().push(relation);
        }
        Self { spans, tokens }
    }
}

/// A file that is written.
struct File<'d, 'f> {
    document: &'d Document,
    units: &'f Units,
    layers: &'f Layers<'d>,
    relations: &'f Relations<'d>,
    /// Disambiguation ids by annotation; 0 for annotations without one.
    ids: Vec<u32>,
    characters: CharIndex<'d>,
    utf16: Utf16Index,
}

impl File<'_, '_> {
    /// Returns the only layer that relations between spans connect; None for several layers.
    fn base(&self) -> Option<&str> {
        let relations = self.relations.spans.values().flatten();
        let ends = relations.flat_map(|relation| [relation.from, relation.to]);
        let mut layers = ends.filter_map(|end| {
            let value = self.layers.values.get(end as usize)?.as_ref()?;
            Some(value.layer)
        });
        let first = layers.next()?;
        let name = &self.layers.layers.get(first)?.0;
        layers.all(|layer| layer == first).then_some(name)
    }

    /// Returns the annotations of a unit in a layer.
    fn stacked(&self, unit: &Unit, layer: usize) -> impl Iterator<Item = usize> {
        unit.annotations.iter().copied().filter(move |&at| {
            let value = self.layers.values.get(at);
            value
                .and_then(Option::as_ref)
                .is_some_and(|value| value.layer == layer)
        })
    }

    /// Numbers the annotations that need a disambiguation id: on several units, stacked on others,
    /// and all annotations with relations if these connect several layers.
    fn number(&mut self) {
        let mut needs = vec![false; self.document.annotations.len()];
        for (at, needs) in needs.iter_mut().enumerate() {
            *needs = self.units.of(at).len() > 1;
        }
        for unit in &self.units.units {
            for layer in 0..self.layers.layers.len() {
                if self.stacked(unit, layer).nth(1).is_some() {
                    for at in self.stacked(unit, layer) {
                        needs[at] = true;
                    }
                }
            }
        }
        if self.base().is_none() {
            for relation in self.relations.spans.values().flatten() {
                needs[relation.from as usize] = true;
                needs[relation.to as usize] = true;
            }
        }
        let mut ids = vec![0; needs.len()];
        let mut next = 1;
        for unit in &self.units.units {
            for layer in 0..self.layers.layers.len() {
                for at in self.stacked(unit, layer) {
                    if needs[at] && ids[at] == 0 {
                        ids[at] = next;
                        next += 1;
                    }
                }
            }
        }
        self.ids = ids;
    }

    /// Writes the header.
    fn header(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"#FORMAT=WebAnno TSV 3.3\n");
        for (layer, features) in &self.layers.layers {
            out.extend_from_slice(format!("#T_SP={layer}|{}\n", features.join("|")).as_bytes());
        }
        if !self.relations.spans.is_empty() {
            let base = self.base().unwrap_or(ANNOTATION);
            out.extend_from_slice(format!("#T_RL={RELATIONS}|label|BT_{base}\n").as_bytes());
        }
        if !self.relations.tokens.is_empty() {
            let line = format!("#T_RL={TOKEN_RELATIONS}|label|BT_{TOKEN_TYPE}\n");
            out.extend_from_slice(line.as_bytes());
        }
        out.push(b'\n');
    }

    /// Writes the sentences with their tokens.
    fn sentences(&self, out: &mut Vec<u8>, losses: &mut Losses) {
        let end = self.characters.len() as u32;
        let between = |from, to| self.characters.between(from, to).unwrap_or_default();
        let sentences = &self.units.sentences;
        if sentences.is_empty() && end > 0 {
            out.push(b'\n');
            text(&self.document.text, out);
        }
        let before = sentences
            .first()
            .map_or("", |first| between(0, first.start));
        if before.contains(|c| c != ' ') {
            losses.add(
                "documents whose text before the first token is replaced by spaces",
                1,
            );
        }
        for (number, sentence) in sentences.iter().enumerate() {
            let next = sentences.get(number + 1).map_or(end, |next| next.start);
            let covered = between(sentence.start, next);
            // Reading adds the line end between two sentences.
            let covered = match number + 1 < sentences.len() {
                true => covered.strip_suffix('\n').unwrap_or(covered),
                false => covered,
            };
            out.push(b'\n');
            text(covered, out);
            for row in sentence.units.clone() {
                self.row(row, out, losses);
            }
        }
    }

    /// Writes the line of a token or a part of a token.
    fn row(&self, row: usize, out: &mut Vec<u8>, losses: &mut Losses) {
        let unit = &self.units.units[row];
        let (start, end) = (self.utf16.unit(unit.start), self.utf16.unit(unit.end));
        self.units.write_number(row, out);
        out.extend_from_slice(format!("\t{start}-{end}\t").as_bytes());
        let covered = self
            .characters
            .between(unit.start, unit.end)
            .unwrap_or_default();
        match covered.contains(['\t', '\n', '\r']) {
            true => escape_text(covered, out),
            false => out.extend_from_slice(covered.as_bytes()),
        }
        out.push(b'\t');
        for (layer, (_, features)) in self.layers.layers.iter().enumerate() {
            for feature in features {
                let mut cell = Cell::default();
                for at in self.stacked(unit, layer) {
                    cell.separate(out);
                    let value = self.layers.values[at].as_ref();
                    let value =
                        value.and_then(|value| value.features.get(feature).map(|value| &**value));
                    write_value(value, out, losses);
                    if self.ids[at] > 0 {
                        out.extend_from_slice(format!("[{}]", self.ids[at]).as_bytes());
                    }
                }
                cell.end(out);
            }
        }
        let layers = [&self.relations.spans, &self.relations.tokens];
        for (layer, name) in layers.into_iter().zip([RELATIONS, TOKEN_RELATIONS]) {
            if layer.is_empty() {
                continue;
            }
            let relations = layer.get(&row).map(Vec::as_slice).unwrap_or_default();
            self.relations(name, relations, out, losses);
        }
        out.push(b'\n');
    }

    /// Writes the two columns of the relations in a layer to the annotations of a row.
    fn relations(
        &self,
        layer: &str,
        relations: &[&Relation],
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) {
        let mut cell = Cell::default();
        for relation in relations {
            cell.separate(out);
            let ty = self.document.type_of_relation(relation);
            let ty = Some(ty).filter(|ty| !ty.is_empty());
            write_value(Some(ty.unwrap_or(short_name(layer))), out, losses);
        }
        cell.end(out);
        let mut cell = Cell::default();
        for relation in relations {
            cell.separate(out);
            let from = relation.from as usize;
            let first = self.units.of(from).first().copied();
            let row = first.or_else(|| self.units.row_of_token(from));
            self.units.write_number(row.unwrap_or_default(), out);
            let [from, to] = [relation.from, relation.to].map(|at| self.ids[at as usize]);
            if from > 0 || to > 0 {
                out.extend_from_slice(format!("[{from}_{to}]").as_bytes());
            }
        }
        cell.end(out);
    }
}

/// A cell with the values of stacked annotations.
#[derive(Default)]
struct Cell {
    has_value: bool,
}

impl Cell {
    /// Writes the separator before a value, except before the first one.
    fn separate(&mut self, out: &mut Vec<u8>) {
        if std::mem::replace(&mut self.has_value, true) {
            out.push(b'|');
        }
    }

    /// Ends the cell.
    fn end(self, out: &mut Vec<u8>) {
        if !self.has_value {
            out.push(b'_');
        }
        out.push(b'\t');
    }
}

/// Writes the value of a feature.
fn write_value(value: Option<&str>, out: &mut Vec<u8>, losses: &mut Losses) {
    match value {
        None => out.push(b'*'),
        Some(value) if value.contains('\r') => {
            losses.add("values with carriage returns, replaced by spaces", 1);
            escape_value(&value.replace('\r', " "), out);
        }
        Some(value) => escape_value(value, out),
    }
}

/// Writes the lines of a sentence.
fn text(text: &str, out: &mut Vec<u8>) {
    for line in text.split('\n') {
        out.extend_from_slice(b"#Text=");
        escape_text(line, out);
        out.push(b'\n');
    }
}
