//! Annotations and relations in the columns of WebAnno TSV.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::super::annotated_text::Document;
use super::super::json::excerpt;
use super::super::uima_layers::{
    self, ANNOTATION, Choice, Features, LAYER, POS, TOKEN_TYPE, attribute_of_layer, short_name,
};
use super::escapes::{split, split_id, split_link, unescape_value};
use super::rows::{Row, Table, parse_number};
use super::schema::{Column, Kind, LayerColumns};
use crate::error::Result;

/// Maximum number of characters of a value that are quoted in messages.
const QUOTE: usize = 40;

/// An annotation that may extend over further rows.
#[derive(Clone, Copy)]
struct Open {
    annotation: u32,
    /// The last row of the annotation.
    row: usize,
}

/// Index of the layer, number of the chain, and number of the link in the chain.
type LinkKey = (usize, u32, u32);

/// A link of a chain, and the type of the relation to the next link.
type ChainLink<'a> = (Open, Cow<'a, str>);

/// A relation whose annotations have not been looked up.
struct Link<'a> {
    ty: Cow<'a, str>,
    /// The layer of the annotations.
    base: &'a str,
    source: End<'a>,
    target: End<'a>,
    line: u64,
}

/// An end of a relation.
enum End<'a> {
    /// Index of the annotation.
    Annotation(u32),
    /// The number of the token and the disambiguation id, which is 0 if there is none.
    Reference(&'a str, u32),
}

/// The result of looking up an end of a relation.
enum Found {
    Annotation(u32),
    /// The annotation is in a layer that is not read.
    Unread,
    Missing,
}

/// Adds the annotations of a file to a document.
pub(super) struct Annotator<'t, 'a> {
    name: &'t str,
    table: &'t Table<'a>,
    document: Document,
    choice: &'t Choice,
    /// Annotations by index of the layer and disambiguation id.
    ids: HashMap<(usize, u32), Open>,
    /// Links by index of the layer, number of the chain and number in the chain, with the type of
    /// the relation to the next link.
    links: BTreeMap<LinkKey, ChainLink<'a>>,
    /// Row, index of the layer, and first annotation, ascending; empty unless there are references.
    on_row: Vec<((usize, usize), u32)>,
    /// Rows in the order of their numbers; empty if this is the order of the file.
    by_number: Vec<u32>,
    has_references: bool,
    relations: Vec<Link<'a>>,
    /// The cells of a row, reused.
    cells: Vec<&'a str>,
}

impl<'t, 'a> Annotator<'t, 'a> {
    /// Prepares to add the annotations of a table to a document, whose tokens have been added.
    ///
    /// # Errors
    /// [`Code::BadDocument`](crate::Code::BadDocument), if two tokens have the same number.
    pub(super) fn new(
        name: &'t str,
        table: &'t Table<'a>,
        document: Document,
        choice: &'t Choice,
    ) -> Result<Self> {
        let columns = table.schema.layers.iter().filter(|layer| layer.read);
        let mut columns = columns.flat_map(|layer| &layer.columns);
        let has_references =
            columns.any(|column| matches!(column, Column::Target(_) | Column::Base(_)));
        let by_number = match has_references {
            true => sort_rows(name, table)?,
            false => Vec::new(),
        };
        Ok(Self {
            name,
            table,
            document,
            choice,
            ids: HashMap::new(),
            links: BTreeMap::new(),
            on_row: Vec::new(),
            by_number,
            has_references,
            relations: Vec::new(),
            cells: Vec::new(),
        })
    }

    /// Adds the annotations of a row.
    ///
    /// # Errors
    /// [`Code::BadDocument`](crate::Code::BadDocument) for cells that are not valid, and for
    /// disambiguation ids of several annotations.
    pub(super) fn row(&mut self, at: usize) -> Result<()> {
        let table = self.table;
        let row = &table.rows[at];
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        cells.extend(row.cells.split('\t'));
        for (number, layer) in table.schema.layers.iter().enumerate() {
            let cells = cells.get(layer.first..layer.first + layer.columns.len());
            let cells = cells.unwrap_or_default();
            if !layer.read || cells.iter().all(|cell| *cell == "_") {
                continue;
            }
            let mut parts: Vec<_> = cells
                .iter()
                .map(|cell| (*cell != "_").then(|| split(cell, b'|')))
                .collect();
            loop {
                let stacked = parts.iter_mut().map(|part| part.as_mut()?.next());
                let stacked: Vec<Option<&'a str>> = stacked.collect();
                if stacked.iter().all(Option::is_none) {
                    break;
                }
                match layer.kind {
                    Kind::Span => self.span(at, number, &stacked)?,
                    Kind::Chain => self.link(at, number, &stacked)?,
                    Kind::Relation => self.relation(at, layer, &stacked),
                }
            }
        }
        self.cells = cells;
        Ok(())
    }

    /// Adds an annotation, or extends it to this row.
    fn span(&mut self, at: usize, layer: usize, parts: &[Option<&'a str>]) -> Result<()> {
        let table = self.table;
        let (row, columns) = (&table.rows[at], &table.schema.layers[layer]);
        let mut id = None;
        for (part, column) in parts.iter().zip(&columns.columns) {
            // Targets of slots have ids of their own.
            if let Some(part) = part.filter(|_| !matches!(column, Column::Target(_)))
                && let (_, Some(number)) = split_id(part)
            {
                id = Some((part, number));
                break;
            }
        }
        let id = match id {
            None => None,
            Some((part, number)) => match number.parse::<u32>() {
                Ok(number) => Some((part, number)),
                Err(_) => {
                    let message =
                        format!("[{}] is not a disambiguation id", excerpt(number, QUOTE));
                    return Err(row.line.error(self.name, part, message));
                }
            },
        };
        let features = features(columns, parts);
        let ty = type_of(columns, &features);
        let open = id.and_then(|(_, id)| self.ids.get(&(layer, id)).copied());
        let annotation = match (open, id) {
            (Some(open), Some((part, id))) => {
                self.check(row, part, id, at, open, &ty)?;
                self.extend(open.annotation, row);
                open.annotation
            }
            _ => {
                let annotation = self.add(row, columns, &ty, &features);
                self.slots(annotation, row, columns, parts);
                annotation
            }
        };
        if let Some((_, id)) = id {
            self.ids.insert(
                (layer, id),
                Open {
                    annotation,
                    row: at,
                },
            );
        }
        if self.has_references {
            self.note(at, layer, annotation);
        }
        Ok(())
    }

    /// Checks that a disambiguation id is the id of the same annotation as before.
    fn check(
        &self,
        row: &Row<'_>,
        part: &str,
        id: u32,
        at: usize,
        open: Open,
        ty: &str,
    ) -> Result<()> {
        let annotation = &self.document.annotations[open.annotation as usize];
        let before = self.document.type_of(annotation);
        let line = self.table.rows[open.row].line.number;
        let message = if open.row == at {
            format!("two annotations of this token have the disambiguation id [{id}]")
        } else if before != ty {
            let (before, ty) = (excerpt(before, QUOTE), excerpt(ty, QUOTE));
            format!(
                "[{id}] is the disambiguation id of an annotation of type {before:?} in line {line}, \
                 and of an annotation of type {ty:?} here"
            )
        } else {
            return Ok(());
        };
        Err(row.line.error(self.name, part, message))
    }

    /// Adds an annotation with its attributes.
    fn add(
        &mut self,
        row: &Row<'_>,
        columns: &LayerColumns<'_>,
        ty: &str,
        features: &[(&str, Cow<'_, str>)],
    ) -> u32 {
        let id = self.document.intern(ty);
        self.document.push(id, row.start, row.end);
        if let Some(layer) = attribute_of_layer(columns.name) {
            self.document.add_attribute(LAYER, layer);
        }
        let chosen = type_feature(columns, features);
        for (feature, value) in features.iter().filter(|(name, _)| Some(*name) != chosen) {
            let name = uima_layers::attribute_of_feature(columns.name, feature);
            self.document.add_attribute(name, &**value);
        }
        self.document.annotations.len() as u32 - 1
    }

    /// Records an annotation on a row for references, unless there is one in the same layer.
    fn note(&mut self, row: usize, layer: usize, annotation: u32) {
        if self
            .on_row
            .last()
            .is_none_or(|(last, _)| *last != (row, layer))
        {
            self.on_row.push(((row, layer), annotation));
        }
    }

    /// Returns the first annotation of a layer on a row.
    fn noted(&self, row: usize, layer: usize) -> Option<u32> {
        let at = self
            .on_row
            .binary_search_by_key(&(row, layer), |(key, _)| *key);
        Some(self.on_row.get(at.ok()?)?.1)
    }

    /// Returns the row with a number.
    fn row_of(&self, number: &str) -> Option<usize> {
        let wanted = parse_number(number)?;
        let rows = &self.table.rows;
        if self.by_number.is_empty() {
            return rows.binary_search_by_key(&wanted, |row| row.number).ok();
        }
        let key = |at: &u32| rows[*at as usize].number;
        let at = self.by_number.binary_search_by_key(&wanted, key).ok()?;
        Some(self.by_number[at] as usize)
    }

    /// Extends an annotation to a row.
    fn extend(&mut self, annotation: u32, row: &Row<'_>) {
        if let Some(annotation) = self.document.annotations.get_mut(annotation as usize) {
            annotation.start = annotation.start.min(row.start);
            annotation.end = annotation.end.max(row.end);
        }
    }

    /// Adds the relations of the slots of an annotation.
    fn slots(
        &mut self,
        annotation: u32,
        row: &Row<'a>,
        columns: &LayerColumns<'a>,
        parts: &[Option<&'a str>],
    ) {
        for (at, column) in columns.columns.iter().enumerate() {
            let (Column::Role(feature), Some(Column::Target(base))) =
                (column, columns.columns.get(at + 1))
            else {
                continue;
            };
            let roles = parts.get(at).copied().flatten().unwrap_or("_");
            let targets = parts.get(at + 1).copied().flatten().unwrap_or("*");
            let (roles, _) = split_id(roles);
            let mut roles = split(roles, b';');
            for target in split(targets, b';') {
                let role = roles.next().unwrap_or("*");
                if target == "*" || target == "_" {
                    continue;
                }
                let ty = match role {
                    "*" | "_" => Cow::Borrowed(*feature),
                    role => unescape_value(role),
                };
                let (number, id) = split_id(target);
                let id = id.and_then(|id| id.parse().ok()).unwrap_or(0);
                self.relations.push(Link {
                    ty,
                    base,
                    source: End::Annotation(annotation),
                    target: End::Reference(number, id),
                    line: row.line.number,
                });
            }
        }
    }

    /// Adds a relation to the annotation of this row.
    fn relation(&mut self, at: usize, layer: &LayerColumns<'a>, parts: &[Option<&'a str>]) {
        let row = &self.table.rows[at];
        let features = features(layer, parts);
        let ty = type_of(layer, &features);
        let base = layer
            .columns
            .iter()
            .zip(parts)
            .find_map(|(column, part)| match column {
                Column::Base(base) => Some((*base, part.unwrap_or_default())),
                _ => None,
            });
        let (base, reference) = base.unwrap_or_default();
        let (source, ids) = split_id(reference);
        let ids = ids
            .and_then(|ids| ids.split_once('_'))
            .unwrap_or(("0", "0"));
        // An id that is too large is not the id of an annotation.
        let [from, to] = [ids.0, ids.1].map(|id| id.parse().unwrap_or(u32::MAX));
        self.relations.push(Link {
            ty,
            base,
            source: End::Reference(source, from),
            target: End::Reference(row.id, to),
            line: row.line.number,
        });
    }

    /// Adds a link of a chain, or extends it to this row.
    fn link(&mut self, at: usize, layer: usize, parts: &[Option<&'a str>]) -> Result<()> {
        let table = self.table;
        let (row, columns) = (&table.rows[at], &table.schema.layers[layer]);
        let link = columns
            .columns
            .iter()
            .zip(parts)
            .find_map(|(column, part)| match column {
                Column::Link => *part,
                _ => None,
            });
        let features = features(columns, parts);
        let ty = type_of(columns, &features);
        let Some(cell) = link else {
            self.add(row, columns, &ty, &features);
            return Ok(());
        };
        let Some((value, chain, number)) = split_link(cell) else {
            let message = format!(
                "{:?} is not a link of a chain; write VALUE->CHAIN-LINK",
                excerpt(cell, QUOTE)
            );
            return Err(row.line.error(self.name, cell, message));
        };
        let key = (layer, chain, number);
        let annotation = match self.links.get(&key) {
            Some((open, _)) if open.row == at => {
                let message = format!("two links of this token are link {chain}-{number}");
                return Err(row.line.error(self.name, cell, message));
            }
            Some((open, _)) => {
                let annotation = open.annotation;
                self.extend(annotation, row);
                annotation
            }
            None => self.add(row, columns, &ty, &features),
        };
        let relation = match value {
            "*" => Cow::Borrowed(short_name(columns.name)),
            value => unescape_value(value),
        };
        self.links.insert(
            key,
            (
                Open {
                    annotation,
                    row: at,
                },
                relation,
            ),
        );
        if self.has_references {
            self.note(at, layer, annotation);
        }
        Ok(())
    }

    /// Adds the relations, and returns the document.
    pub(super) fn finish(mut self) -> Document {
        for link in std::mem::take(&mut self.relations) {
            let ends = (
                self.resolve(&link.source, link.base),
                self.resolve(&link.target, link.base),
            );
            match ends {
                (Found::Annotation(from), Found::Annotation(to)) => {
                    self.document.relate(&link.ty, from, to);
                }
                (Found::Unread, _) | (_, Found::Unread) if !self.choice.is_default() => {}
                (Found::Unread, _) | (_, Found::Unread) => self.document.leave_out_relation(|| {
                    let ty = excerpt(&link.ty, QUOTE);
                    let (line, base) = (link.line, excerpt(link.base, 100));
                    format!("line {line}: relation {ty:?} of annotations in the layer {base}, which is not read")
                }),
                _ => self.document.leave_out_relation(|| {
                    let (ty, line) = (excerpt(&link.ty, QUOTE), link.line);
                    format!("line {line}: relation {ty:?} of an annotation that does not exist")
                }),
            }
        }
        let mut previous: Option<(LinkKey, ChainLink<'_>)> = None;
        for (key, link) in std::mem::take(&mut self.links) {
            if let Some((before, (open, ty))) = &previous
                && (before.0, before.1) == (key.0, key.1)
            {
                self.document.relate(ty, open.annotation, link.0.annotation);
            }
            previous = Some((key, link));
        }
        self.document
    }

    /// Returns the annotation of a layer (or of any layer) that a reference denotes.
    fn resolve(&self, end: &End<'_>, base: &str) -> Found {
        let (number, id) = match end {
            End::Annotation(annotation) => return Found::Annotation(*annotation),
            End::Reference(number, id) => (*number, *id),
        };
        let layers = &self.table.schema.layers;
        if layers
            .iter()
            .any(|layer| layer.name == base && !layer.read && layer.kind != Kind::Relation)
        {
            return Found::Unread;
        }
        let Some(row) = self.row_of(number) else {
            return Found::Missing;
        };
        let in_base = (0..layers.len()).filter(|&at| base == ANNOTATION || layers[at].name == base);
        if id > 0 {
            let mut all = in_base.chain(0..layers.len());
            let found = all.find_map(|layer| self.ids.get(&(layer, id)));
            return found.map_or(Found::Missing, |open| Found::Annotation(open.annotation));
        }
        let mut in_base = in_base;
        let found = in_base.find_map(|layer| self.noted(row, layer));
        match found {
            Some(annotation) => Found::Annotation(annotation),
            // Tokens are the first annotations of the document. The base of dependencies is POS
            // even if the tokens have no part of speech.
            None if [TOKEN_TYPE, ANNOTATION, POS].contains(&base) => {
                Found::Annotation(self.table.rows[row].token)
            }
            None => Found::Missing,
        }
    }
}

/// Returns the rows in the order of their numbers, or nothing if they are in order.
///
/// # Errors
/// [`Code::BadDocument`](crate::Code::BadDocument), if two rows have the same number.
fn sort_rows(name: &str, table: &Table<'_>) -> Result<Vec<u32>> {
    let rows = &table.rows;
    if rows.is_sorted_by(|one, next| one.number < next.number) {
        return Ok(Vec::new());
    }
    let mut sorted: Vec<u32> = (0..rows.len() as u32).collect();
    sorted.sort_by_key(|&at| rows[at as usize].number);
    let twice = sorted.windows(2).find(|pair| {
        let [one, next] = [pair[0], pair[1]].map(|at| rows[at as usize].number);
        one == next
    });
    if let Some(pair) = twice {
        let (first, row) = (&rows[pair[0] as usize], &rows[pair[1] as usize]);
        let message = format!(
            "line {} has the number {} as well",
            first.line.number, row.id
        );
        return Err(row.line.error(name, row.id, message));
    }
    Ok(sorted)
}

/// Returns the features of an annotation that are set, without escapes.
fn features<'a>(
    columns: &LayerColumns<'a>,
    parts: &[Option<&'a str>],
) -> Vec<(&'a str, Cow<'a, str>)> {
    let mut features = Vec::with_capacity(columns.columns.len());
    for (column, part) in columns.columns.iter().zip(parts) {
        let (Column::Feature(name), Some(part)) = (column, part) else {
            continue;
        };
        // The number in brackets is a disambiguation id, or the number of a chain.
        let (value, _) = split_id(part);
        if value != "*" {
            features.push((*name, unescape_value(value)));
        }
    }
    features
}

/// Returns the feature that is the type of an annotation.
fn type_feature<'f>(
    columns: &LayerColumns<'_>,
    features: &[(&'f str, Cow<'_, str>)],
) -> Option<&'f str> {
    let known = Features {
        layer: columns.name,
        primitive: columns.primitive,
        only_text: None,
        has_value: columns.has_value,
    };
    known.type_feature(
        features
            .iter()
            .map(|(name, value)| (*name, !value.is_empty())),
    )
}

/// Returns the type of an annotation: the value of a feature, or the short name of the layer.
fn type_of<'a>(columns: &LayerColumns<'a>, features: &[(&str, Cow<'a, str>)]) -> Cow<'a, str> {
    let chosen = type_feature(columns, features);
    let value = features.iter().find(|(name, _)| Some(*name) == chosen);
    match value {
        Some((_, value)) if !value.is_empty() => value.clone(),
        _ => Cow::Borrowed(short_name(columns.name)),
    }
}
