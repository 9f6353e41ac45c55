//! Annotated texts, independent of the input format.

use std::collections::HashSet;
use std::ops::Range;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use spanrs_base::Interner;

use crate::error::one_line;

/// A labelled segment of a document's text. Attributes and pieces are stored in the document: see
/// [`Document::attributes`] and [`Document::pieces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Type, as an index into the document's list of types ([`Document::types`]).
    pub ty: u32,
    /// First character, from 0.
    pub start: u32,
    /// One past the last character; equal to `start` for an annotation without text.
    pub end: u32,
    /// Index of the layer in [`Document::layers`]; 0 for a document without layers.
    pub layer: u32,
    /// Index range, end exclusive, into the document's attributes.
    attributes: (u32, u32),
    /// Index range, end exclusive, into the document's pieces; empty unless the annotation is
    /// discontinuous.
    pieces: (u32, u32),
}

/// A labelled link from one annotation to another annotation of the same document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Relation {
    /// Id of the type; see [`Document::type_of_relation`].
    pub ty: u32,
    /// Index of the source annotation.
    pub from: u32,
    /// Index of the target annotation.
    pub to: u32,
}

/// One set of annotations of a text, created by one annotator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// The annotator's name; None if the file does not contain it.
    pub name: Option<String>,
    /// The annotator's decision about the text.
    pub answer: Answer,
}

/// An annotator's decision about a text. A text that was annotated without any spans differs from a
/// text that was skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The text was annotated.
    Given,
    /// The text was seen, but nothing in it was annotated.
    Empty,
    /// The text was skipped or ignored, or the annotation was cancelled.
    Skipped,
    /// The text was rejected, so its annotations do not count.
    Rejected,
}

/// The value of an attribute.
#[derive(Clone, Debug)]
struct Attribute {
    /// Id of the name.
    name: u32,
    /// The value as in the file.
    value: Value,
    /// The value as text, unless it is a string.
    text: Option<String>,
}

impl Attribute {
    /// Returns true if the value is not text; with `keeps_true`, neither text nor true.
    fn is_typed(&self, keeps_true: bool) -> bool {
        self.text.is_some() && !(keeps_true && self.value == Value::Bool(true))
    }
}

/// A text with annotations, in the order of the file.
///
/// Types, attribute names, attributes and pieces of all annotations are each stored in one vector
/// of the document, so that an annotation takes 32 bytes and most documents need few allocations.
/// Annotations are added one after another: attributes and pieces belong to the last annotation
/// added.
///
/// ```
/// use spanrs_io::document::Document;
/// let mut document = Document::new("Bob and Ann".to_owned());
/// let person = document.intern("PER");
/// document.push(person, 0, 3);
/// document.add_attribute("sure", "yes".to_owned());
/// document.push(person, 8, 12);
/// let document = document.close();
/// let bob = document.annotations[0];
/// assert_eq!(document.attributes(&bob).collect::<Vec<_>>(), [("sure", "yes")]);
/// assert_eq!(document.left_out, ["PER 8-12 reaches beyond the text of 11 characters"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Id of the document in the file; None if the format has no ids or the record has none.
    pub id: Option<String>,
    /// Name of the document for users, such as the name of the original file; None if the file does
    /// not contain one.
    pub name: Option<String>,
    /// Further facts about the document, by name, in the order of the file.
    pub metadata: Vec<(String, Value)>,
    /// The text to which annotations refer, without markup.
    pub text: String,
    /// The annotations in the order of the file; after [`Document::close`] all of them lie within
    /// the text.
    pub annotations: Vec<Annotation>,
    /// The links between annotations, in the order of the file; after [`Document::close`] both ends
    /// of each link exist.
    pub relations: Vec<Relation>,
    /// The annotators whose annotations the document contains; empty for formats that do not
    /// distinguish annotators.
    pub layers: Vec<Layer>,
    /// The first 5 reports of annotations or attributes that could not be kept, one line each, with
    /// the reason.
    pub left_out: Vec<String>,
    /// Number of annotations, attributes and groups of annotations that could not be kept,
    /// including those without a report.
    pub left_out_count: usize,
    /// The first 5 reports of relations that could not be kept, one line each, with the reason. The
    /// annotations are complete even if a relation is missing.
    pub relations_left_out: Vec<String>,
    /// Whether the reader found out the unit of offsets and whether ends are inclusive, from the texts
    /// that the file quotes; the options for these are then not applied.
    pub bounds_are_checked: bool,
    /// Whether the first annotation is the root element of XML, which usually encloses the text and
    /// is not a real annotation.
    pub rooted: bool,
    /// Types of the annotations that [`Document::close`] removed.
    pub left_out_types: HashSet<u32>,
    /// Names of the types, by id.
    types: Interner<str>,
    /// Names of the relation types, by id. Kept apart from annotation types because relations are
    /// not scored.
    relation_types: Interner<str>,
    /// Names of the attributes, by id.
    attribute_names: Interner<str>,
    /// Attributes of all annotations.
    attributes: Vec<Attribute>,
    /// Start and end, in characters, of the pieces of all discontinuous annotations.
    pieces: Vec<(u32, u32)>,
}

/// The type of tokens, in formats that have token annotations. MAT uses the same name.
pub const TOKEN: &str = "lex";

/// Maximum number of reports that a document keeps.
const REPORTS: usize = 5;

impl Document {
    /// Creates a document without annotations.
    pub fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Returns the id of a type, adding the type if it is new. Ids are numbered from 0 in the order
    /// of first use.
    pub fn intern(&mut self, ty: &str) -> u32 {
        self.types.intern(ty)
    }

    /// Returns the names of the types, by id.
    pub fn types(&self) -> impl ExactSizeIterator<Item = &str> {
        self.types.names()
    }

    /// Returns the type of an annotation of this document.
    pub fn type_of(&self, annotation: &Annotation) -> &str {
        self.types.name(annotation.ty).unwrap_or_default()
    }

    /// Adds an annotation with type id `ty` to the last layer. The offsets are checked by
    /// [`Document::close`].
    pub fn push(&mut self, ty: u32, start: u32, end: u32) {
        let (attributes, pieces) = (self.attributes.len() as u32, self.pieces.len() as u32);
        self.annotations.push(Annotation {
            ty,
            start,
            end,
            layer: self.layers.len().saturating_sub(1) as u32,
            attributes: (attributes, attributes),
            pieces: (pieces, pieces),
        });
    }

    /// Sets the same attributes for a range of annotations, storing them only once. The annotations
    /// must not have attributes yet.
    pub fn set_attributes(&mut self, annotations: Range<usize>, attributes: &[(&str, &Value)]) {
        let from = self.attributes.len() as u32;
        for (name, value) in attributes {
            self.add_attribute(name, (*value).clone());
        }
        for annotation in &mut self.annotations[annotations] {
            annotation.attributes = (from, self.attributes.len() as u32);
        }
    }

    /// Replaces the attributes of a range of annotations by the attributes of annotation `of`.
    pub fn share_attributes(&mut self, of: u32, annotations: Range<usize>) {
        let attributes = self.annotations[of as usize].attributes;
        for annotation in &mut self.annotations[annotations] {
            annotation.attributes = attributes;
        }
    }

    /// Adds an attribute to the last annotation added. A name may occur more than once.
    pub fn add_attribute(&mut self, name: &str, value: impl Into<Value>) {
        let (name, value) = (self.attribute_names.intern(name), value.into());
        let text = (!value.is_string()).then(|| plain(&value).unwrap_or_default());
        self.attributes.push(Attribute { name, value, text });
        if let Some(last) = self.annotations.last_mut() {
            last.attributes.1 = self.attributes.len() as u32;
        }
    }

    /// Sets the pieces of the last annotation added, in ascending order: start and end (exclusive)
    /// in characters. Not needed for an annotation of a single piece.
    pub fn set_pieces(&mut self, pieces: &[(u32, u32)]) {
        self.pieces.extend_from_slice(pieces);
        if let Some(last) = self.annotations.last_mut() {
            last.pieces.1 = self.pieces.len() as u32;
        }
    }

    /// Returns names and values of the attributes of an annotation, in the order of the file.
    /// Values that are not strings are formatted as in MAT's XML: booleans as `yes` and `no`,
    /// numbers as in JSON, and lists as items separated by commas.
    pub fn attributes(
        &self,
        annotation: &Annotation,
    ) -> impl Iterator<Item = (&str, &str)> + Clone {
        self.attributes_of(annotation).iter().map(|attribute| {
            let text = attribute.text.as_deref().or(attribute.value.as_str());
            (self.attribute_name(attribute), text.unwrap_or_default())
        })
    }

    /// Returns names and original values of the attributes of an annotation, in the order of the
    /// file.
    pub fn attribute_values(
        &self,
        annotation: &Annotation,
    ) -> impl Iterator<Item = (&str, &Value)> {
        self.attributes_of(annotation)
            .iter()
            .map(|attribute| (self.attribute_name(attribute), &attribute.value))
    }

    /// Returns the attributes of an annotation.
    fn attributes_of(&self, annotation: &Annotation) -> &[Attribute] {
        let (from, to) = annotation.attributes;
        &self.attributes[from as usize..to as usize]
    }

    /// Returns the name of an attribute.
    fn attribute_name(&self, attribute: &Attribute) -> &str {
        self.attribute_names
            .name(attribute.name)
            .unwrap_or_default()
    }

    /// Adds a relation between two annotations of this document, by index.
    pub fn relate(&mut self, ty: &str, from: u32, to: u32) {
        let ty = self.relation_types.intern(ty);
        self.relations.push(Relation { ty, from, to });
    }

    /// Returns the type of a relation of this document.
    pub fn type_of_relation(&self, relation: &Relation) -> &str {
        self.relation_types.name(relation.ty).unwrap_or_default()
    }

    /// Returns the pieces (start, end) of a discontinuous annotation in characters; empty for a
    /// continuous annotation.
    pub fn pieces(&self, annotation: &Annotation) -> &[(u32, u32)] {
        &self.pieces[annotation.pieces.0 as usize..annotation.pieces.1 as usize]
    }

    /// Records that an annotation could not be kept. `why` is called only if the report is kept;
    /// line ends in the report are escaped.
    pub fn leave_out(&mut self, why: impl FnOnce() -> String) {
        self.left_out_count += 1;
        if self.left_out.len() < REPORTS {
            self.left_out.push(one_line(why()));
        }
    }

    /// Records that a relation could not be kept, as [`Document::leave_out`] does for annotations.
    pub fn leave_out_relation(&mut self, why: impl FnOnce() -> String) {
        if self.relations_left_out.len() < REPORTS {
            self.relations_left_out.push(one_line(why()));
        }
    }

    /// Removes the annotations whose entry in `keeps` is false, and the relations of these
    /// annotations, which are returned. The order of the remaining annotations does not change.
    pub fn retain(&mut self, keeps: &[bool]) -> Vec<Relation> {
        let mut numbers = Vec::with_capacity(keeps.len());
        let mut kept = 0;
        for &keep in keeps {
            numbers.push(keep.then_some(kept));
            kept += u32::from(keep);
        }
        let mut keeps = keeps.iter();
        self.annotations.retain(|_| *keeps.next().unwrap_or(&true));
        let number = |at: u32| numbers.get(at as usize).copied().flatten();
        let mut removed = Vec::new();
        let relations = std::mem::take(&mut self.relations).into_iter();
        self.relations = relations
            .filter_map(
                |relation| match number(relation.from).zip(number(relation.to)) {
                    Some((from, to)) => Some(Relation {
                        from,
                        to,
                        ..relation
                    }),
                    None => {
                        removed.push(relation);
                        None
                    }
                },
            )
            .collect();
        removed
    }

    /// Removes the first annotation if it is the root element of XML and encloses the whole text.
    pub fn remove_root(&mut self) {
        let root = self.annotations.first();
        let encloses = |a: &Annotation| a.start == 0 && a.end as usize == self.text.chars().count();
        if self.rooted && root.is_some_and(encloses) {
            let mut keeps = vec![true; self.annotations.len()];
            keeps[0] = false;
            self.retain(&keeps);
            self.rooted = false;
        }
    }

    /// Replaces start, end and pieces of an annotation, given by index.
    pub fn set_bounds(&mut self, annotation: usize, pieces: &[(u32, u32)]) {
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else {
            return;
        };
        let from = self.pieces.len() as u32;
        if pieces.len() > 1 {
            self.pieces.extend_from_slice(pieces);
        }
        let annotation = &mut self.annotations[annotation];
        (annotation.start, annotation.end) = (first.0, last.1);
        annotation.pieces = (from, self.pieces.len() as u32);
    }

    /// Returns start and end of the pieces of an annotation: its own bounds if it is continuous.
    pub fn segments(&self, annotation: &Annotation) -> Vec<(u32, u32)> {
        match self.pieces(annotation) {
            [] => vec![(annotation.start, annotation.end)],
            pieces => pieces.to_vec(),
        }
    }

    /// Removes the attributes of all annotations.
    pub fn clear_attributes(&mut self) {
        for annotation in &mut self.annotations {
            annotation.attributes = (0, 0);
        }
        self.attributes.clear();
    }

    /// Removes the attributes whose names do not satisfy a condition.
    pub fn retain_attributes(&mut self, keep: impl Fn(&str) -> bool) {
        let all = std::mem::take(&mut self.attributes);
        for annotation in &mut self.annotations {
            let (from, to) = annotation.attributes;
            let first = self.attributes.len() as u32;
            let kept = all[from as usize..to as usize].iter().filter(|attribute| {
                keep(
                    self.attribute_names
                        .name(attribute.name)
                        .unwrap_or_default(),
                )
            });
            self.attributes.extend(kept.cloned());
            annotation.attributes = (first, self.attributes.len() as u32);
        }
    }

    /// Replaces the values of all attributes by text, formatted as by [`Document::attributes`]; with
    /// `keeps_true`, true is kept.
    pub fn attributes_to_text(&mut self, keeps_true: bool) {
        for attribute in &mut self.attributes {
            if attribute.is_typed(keeps_true)
                && let Some(text) = attribute.text.take()
            {
                attribute.value = Value::String(text);
            }
        }
    }

    /// Returns the number of attributes of an annotation whose value is not text; with
    /// `keeps_true`, neither text nor true.
    pub fn typed_attributes(&self, annotation: &Annotation, keeps_true: bool) -> usize {
        let all = self.attributes_of(annotation).iter();
        all.filter(|attribute| attribute.is_typed(keeps_true))
            .count()
    }

    /// Adds tokens, given as (start, end), before all annotations, in the first layer.
    pub fn prepend_tokens(&mut self, tokens: &[(u32, u32)]) {
        let ty = self.intern(TOKEN);
        let annotations = std::mem::take(&mut self.annotations);
        for &(start, end) in tokens {
            self.push(ty, start, end);
        }
        for token in &mut self.annotations {
            token.layer = 0;
        }
        self.annotations.extend(annotations);
        for relation in &mut self.relations {
            relation.from += tokens.len() as u32;
            relation.to += tokens.len() as u32;
        }
    }

    /// Returns true if the annotation marks a token.
    pub fn is_token(&self, annotation: &Annotation) -> bool {
        self.type_of(annotation) == TOKEN
    }

    /// Removes annotations with invalid offsets: annotations that end before they begin, extend
    /// beyond the text, or have a piece outside of their bounds. Each is reported in `left_out`,
    /// and its relations in `relations_left_out`. The order of the remaining annotations does not
    /// change.
    pub fn close(mut self) -> Self {
        let characters = self.text.chars().count();
        let whole = |a: &Annotation| a.start <= a.end && a.end as usize <= characters;
        let all = &self.pieces;
        let fits = |a: &Annotation| {
            let pieces = &all[a.pieces.0 as usize..a.pieces.1 as usize];
            let inside =
                |&(start, end): &(u32, u32)| a.start <= start && start <= end && end <= a.end;
            whole(a) && pieces.iter().all(inside)
        };
        if self.annotations.iter().all(fits) {
            return self;
        }
        let keeps: Vec<bool> = self.annotations.iter().map(fits).collect();
        for (annotation, _) in self
            .annotations
            .clone()
            .iter()
            .zip(&keeps)
            .filter(|pair| !pair.1)
        {
            let name = self.type_of(annotation).to_owned();
            let &Annotation { ty, start, end, .. } = annotation;
            self.left_out_types.insert(ty);
            let why = if start > end {
                "ends before it begins".to_owned()
            } else if whole(annotation) {
                "has a piece outside of its bounds".to_owned()
            } else {
                format!("reaches beyond the text of {characters} characters")
            };
            self.leave_out(|| format!("{name} {start}-{end} {why}"));
        }
        for relation in self.retain(&keeps) {
            let ty = self.type_of_relation(&relation).to_owned();
            self.leave_out_relation(|| {
                format!("relation {ty:?} of an annotation that is left out")
            });
        }
        self
    }
}

/// Formats a value as in MAT's XML; None for null. List items are joined by commas.
fn plain(value: &Value) -> Option<String> {
    Some(match value {
        Value::Null => return None,
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(values) => values
            .iter()
            .filter_map(plain)
            .collect::<Vec<_>>()
            .join(","),
        other => other.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_follow_their_annotations() {
        let mut document = Document::new("abcd".to_owned());
        let ty = document.intern("X");
        for (start, end) in [(0, 1), (2, 9), (3, 4)] {
            document.push(ty, start, end);
        }
        for (from, to) in [(0, 2), (0, 1), (1, 2), (2, 0)] {
            document.relate("link", from, to);
        }
        let document = document.close();
        let ends: Vec<_> = document.relations.iter().map(|r| (r.from, r.to)).collect();
        assert_eq!(ends, [(0, 1), (1, 0)]);
        assert_eq!(document.type_of_relation(&document.relations[0]), "link");
        assert_eq!(
            document.left_out,
            ["X 2-9 reaches beyond the text of 4 characters"]
        );
        assert_eq!(
            document.relations_left_out,
            ["relation \"link\" of an annotation that is left out"; 2]
        );
    }

    #[test]
    fn attributes_keep_their_types() {
        let mut document = Document::new("a".to_owned());
        let ty = document.intern("X");
        document.push(ty, 0, 1);
        document.add_attribute("sure", true);
        document.add_attribute("word", "b");
        document.add_attribute("all", serde_json::json!(["x", 1, null, false]));
        let annotation = document.annotations[0];
        let texts: Vec<_> = document.attributes(&annotation).collect();
        assert_eq!(texts, [("sure", "yes"), ("word", "b"), ("all", "x,1,no")]);
        let values: Vec<_> = document
            .attribute_values(&annotation)
            .map(|v| v.1)
            .collect();
        assert_eq!(values[0], &Value::Bool(true));
        assert_eq!(values[2].as_array().map(Vec::len), Some(4));
    }
}
