//! A text with annotations, whatever format it was read from.

use std::collections::HashSet;

use spanrs_base::Interner;

use crate::error::one_line;

/// A labelled stretch of a document's text. Attributes and pieces are kept by the document: see
/// [`Document::attributes`] and [`Document::pieces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Type, as a number of the document's own list of types ([`Document::types`]).
    pub ty: u32,
    /// First character, from 0.
    pub start: u32,
    /// One past the last character; equal to `start` for an annotation without text.
    pub end: u32,
    /// Index range, end exclusive, in the document's attributes.
    attributes: (u32, u32),
    /// Index range, end exclusive, in the document's pieces; empty unless the annotation is
    /// discontinuous.
    pieces: (u32, u32),
}

/// A text with annotations, in the order of the file.
///
/// Types, names of attributes, attributes and pieces of all annotations are held in one place each,
/// so that an annotation takes 28 bytes and most documents need few allocations. Annotations are
/// added one after another: attributes and pieces belong to the one that was added last.
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
    /// What the file calls this document; None where the format has no ids or the record has none.
    pub id: Option<String>,
    /// The text that annotations point into, markup removed.
    pub text: String,
    /// The annotations in the order of the file; after [`Document::close`] all of them lie in the
    /// text.
    pub annotations: Vec<Annotation>,
    /// What could not be kept and why, one line each; the first 5 of them.
    pub left_out: Vec<String>,
    /// Number of annotations, attributes and groups of annotations that could not be kept, reported
    /// or not.
    pub left_out_count: usize,
    /// The first annotation is the root element of XML, which usually encloses the text and is no
    /// annotation of anybody's.
    pub rooted: bool,
    /// Types of annotations that [`Document::close`] left out.
    pub left_out_types: HashSet<u32>,
    /// Names of the types, by number.
    types: Interner<str>,
    /// Names of the attributes, by number.
    attribute_names: Interner<str>,
    /// Number of the name, and value, of the attributes of all annotations.
    attributes: Vec<(u32, String)>,
    /// Start and end, in characters, of the pieces of all discontinuous annotations.
    pieces: Vec<(u32, u32)>,
}

/// The type of tokens, in formats that have them. It is the name that MAT uses.
pub const TOKEN: &str = "lex";

/// Number of reports of what was left out that a document keeps.
const REPORTS: usize = 5;

impl Document {
    /// Creates a document without annotations.
    pub fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Returns the number of a type, which is added if it is new. Numbers count from 0 in the order
    /// of first use.
    pub fn intern(&mut self, ty: &str) -> u32 {
        self.types.intern(ty)
    }

    /// Returns the names of the types, by number.
    pub fn types(&self) -> impl ExactSizeIterator<Item = &str> {
        self.types.names()
    }

    /// Returns the type of an annotation of this document.
    pub fn type_of(&self, annotation: &Annotation) -> &str {
        self.types.name(annotation.ty).unwrap_or_default()
    }

    /// Adds an annotation of a type by number. The offsets are checked by [`Document::close`].
    pub fn push(&mut self, ty: u32, start: u32, end: u32) {
        let (attributes, pieces) = (self.attributes.len() as u32, self.pieces.len() as u32);
        self.annotations.push(Annotation {
            ty,
            start,
            end,
            attributes: (attributes, attributes),
            pieces: (pieces, pieces),
        });
    }

    /// Gives the annotation that was added last an attribute. A name may be given repeatedly.
    pub fn add_attribute(&mut self, name: &str, value: String) {
        let name = self.attribute_names.intern(name);
        self.attributes.push((name, value));
        if let Some(last) = self.annotations.last_mut() {
            last.attributes.1 = self.attributes.len() as u32;
        }
    }

    /// Sets the pieces, ascending, of the annotation that was added last: start and end in
    /// characters, ends exclusive. Not needed for an annotation of one piece.
    pub fn set_pieces(&mut self, pieces: &[(u32, u32)]) {
        self.pieces.extend_from_slice(pieces);
        if let Some(last) = self.annotations.last_mut() {
            last.pieces.1 = self.pieces.len() as u32;
        }
    }

    /// Returns names and values of the attributes of an annotation, in the order of the file.
    pub fn attributes(
        &self,
        annotation: &Annotation,
    ) -> impl Iterator<Item = (&str, &str)> + Clone {
        let (from, to) = annotation.attributes;
        self.attributes[from as usize..to as usize]
            .iter()
            .map(|(name, value)| {
                (
                    self.attribute_names.name(*name).unwrap_or_default(),
                    &**value,
                )
            })
    }

    /// Returns the pieces of a discontinuous annotation, start and end in characters; empty for all
    /// others.
    pub fn pieces(&self, annotation: &Annotation) -> &[(u32, u32)] {
        &self.pieces[annotation.pieces.0 as usize..annotation.pieces.1 as usize]
    }

    /// Notes that an annotation could not be kept. `why` is called only if the report is kept; line
    /// ends in it are escaped.
    pub fn leave_out(&mut self, why: impl FnOnce() -> String) {
        self.left_out_count += 1;
        if self.left_out.len() < REPORTS {
            self.left_out.push(one_line(why()));
        }
    }

    /// Leaves out the annotations that do not lie in the text: those that end before they begin,
    /// that reach beyond the text, or that have a piece outside of their bounds. Each is reported
    /// in `left_out`. The order of the others does not change.
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
        let mut kept = std::mem::take(&mut self.annotations);
        let wrong: Vec<Annotation> = kept.extract_if(.., |a| !fits(a)).collect();
        self.annotations = kept;
        for annotation in wrong {
            let name = self.type_of(&annotation).to_owned();
            let Annotation { ty, start, end, .. } = annotation;
            self.left_out_types.insert(ty);
            let why = if start > end {
                "ends before it begins".to_owned()
            } else if whole(&annotation) {
                "has a piece outside of its bounds".to_owned()
            } else {
                format!("reaches beyond the text of {characters} characters")
            };
            self.leave_out(|| format!("{name} {start}-{end} {why}"));
        }
        self
    }
}
