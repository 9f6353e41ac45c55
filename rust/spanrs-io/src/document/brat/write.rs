//! Writer of brat's annotations, with the text in a second file.
//!
//! ```text
//! T1<tab>PER 0 3<tab>Bob
//! A1<tab>Negation T1
//! #1<tab>AnnotatorNotes T1<tab>Is it he?
//! R1<tab>eats Arg1:T1 Arg2:T2
//! ```
//!
//! The lines about an annotation follow it, in the order of its attributes; relations are at the
//! end. A byte order mark at the beginning of the text is part of the text, as in brat.
//!
//! | item | written as |
//! |---|---|
//! | annotation with line ends | fragments without the line ends |
//! | annotation that begins or ends with line ends | without them, counted |
//! | annotation of line ends only | not written, counted |
//! | attribute that is true | `A` line without a value |
//! | attribute `note`, or `#TYPE` | `#` line |
//! | attribute `Reference` whose value is like `DB:ID TEXT` | `N` line |
//! | empty value of another attribute | not written, counted |
//! | line ends and tabs in values | spaces, counted |
//! | white space in types and names | `_`, counted |

use std::borrow::Cow;
use std::io::Write as _;

use super::{NOTE, REFERENCE};
use crate::document::annotated_text::{Annotation, Document};
use crate::document::char_index::CharIndex;
use crate::document::losses::Losses;
use crate::document::names::word;
use crate::document::tokenize::is_line_end;
use crate::document::write::{Companion, WriteFormat};

/// Writes one document.
#[derive(Default)]
pub(in crate::document) struct Writer {
    /// The text of the document.
    text: Option<Vec<u8>>,
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        self.text = Some(document.text.clone().into_bytes());
        let mut lines = Lines {
            out,
            losses,
            text: CharIndex::new(&document.text),
            numbers: [0; 5],
        };
        let all = document.annotations.iter();
        let ids: Vec<Option<usize>> = all.map(|a| lines.annotation(document, a)).collect();
        for relation in &document.relations {
            let ends = [relation.from, relation.to].map(|at| ids.get(at as usize).copied());
            let [Some(Some(from)), Some(Some(to))] = ends else {
                let kind = "relations of annotations that are not written";
                lines.losses.add(kind, 1);
                continue;
            };
            let ty = lines.word(document.type_of_relation(relation), TYPES);
            let number = lines.number(Prefix::Relation);
            lines.line(format_args!("R{number}\t{ty} Arg1:T{from} Arg2:T{to}"));
        }
        Ok(())
    }

    fn companion(&mut self) -> Option<Companion> {
        self.text.take().map(|bytes| Companion {
            name: ".txt",
            bytes,
        })
    }

    fn written_type<'a>(&self, ty: &'a str) -> Cow<'a, str> {
        word(ty)
    }
}

/// The kind of loss for types.
const TYPES: &str = "types with white space, replaced by _";
/// The kind of loss for names of attributes.
const NAMES: &str = "names of attributes with white space, replaced by _";

/// Lines that are numbered separately.
#[derive(Clone, Copy)]
enum Prefix {
    Annotation,
    Attribute,
    Normalisation,
    Note,
    Relation,
}

/// The annotation file that is written.
struct Lines<'a> {
    out: &'a mut Vec<u8>,
    losses: &'a mut Losses,
    text: CharIndex<'a>,
    /// Number of lines so far, by prefix.
    numbers: [usize; 5],
}

impl Lines<'_> {
    /// Appends a line.
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to memory does not fail.
        drop(writeln!(self.out, "{line}"));
    }

    /// Returns the number of the next line with a prefix.
    fn number(&mut self, prefix: Prefix) -> usize {
        let number = &mut self.numbers[prefix as usize];
        *number += 1;
        *number
    }

    /// Returns a type or a name without white space.
    fn word<'a>(&mut self, name: &'a str, kind: &str) -> Cow<'a, str> {
        let word = word(name);
        self.losses.add(kind, usize::from(word != name));
        word
    }

    /// Writes an annotation with its attributes and returns its number; None if it consists of line
    /// ends.
    fn annotation(&mut self, document: &Document, a: &Annotation) -> Option<usize> {
        let fragments = self.fragments(&document.segments(a));
        let (Some(&(start, _)), Some(&(_, end))) = (fragments.first(), fragments.last()) else {
            self.losses.add("annotations of line ends", 1);
            return None;
        };
        if (start, end) != (a.start, a.end) {
            self.losses.add(
                "annotations that begin or end with line ends, without them",
                1,
            );
        }
        let ty = self.word(document.type_of(a), TYPES);
        let id = self.number(Prefix::Annotation);
        let offsets = fragments
            .iter()
            .map(|(start, end)| format!("{start} {end}"));
        let offsets = offsets.collect::<Vec<_>>().join(";");
        let shown = fragments
            .iter()
            .filter_map(|&(start, end)| self.text.between(start, end));
        let shown = shown.collect::<Vec<_>>().join(" ");
        self.line(format_args!("T{id}\t{ty} {offsets}\t{shown}"));
        for (name, value) in document.attribute_values(a) {
            match value.as_str() {
                Some(value) => self.attribute(id, name, value),
                None => {
                    let name = self.word(name, NAMES);
                    let number = self.number(Prefix::Attribute);
                    self.line(format_args!("A{number}\t{name} T{id}"));
                }
            }
        }
        Some(id)
    }

    /// Splits the segments of an annotation at line ends, as brat does, and counts the holes that
    /// brat does not keep.
    fn fragments(&mut self, segments: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(segments.len());
        for &(start, end) in segments {
            match joined.last_mut() {
                Some(last) if self.text.is_blank(last.1, start) => last.1 = end,
                _ => joined.push((start, end)),
            }
        }
        let holes = segments.len() - joined.len();
        self.losses
            .add("holes of white space in annotations", holes);
        let mut fragments = Vec::with_capacity(joined.len());
        for (start, end) in joined {
            let text = self.text.between(start, end).unwrap_or_default();
            if !text.contains(is_line_end) {
                fragments.push((start, end));
                continue;
            }
            let mut at = start;
            for part in text.split(is_line_end) {
                let next = at + part.chars().count() as u32;
                if at < next {
                    fragments.push((at, next));
                }
                at = next + 1;
            }
        }
        fragments
    }

    /// Writes an attribute with a value, a note or a normalisation of annotation `id`.
    fn attribute(&mut self, id: usize, name: &str, value: &str) {
        let note = match name.strip_prefix('#') {
            _ if name == NOTE.0 => Some(NOTE.1),
            Some(ty) if ty != NOTE.1 && !ty.is_empty() => Some(ty),
            _ => None,
        };
        if let Some(ty) = note {
            let ty = self.word(ty, NAMES);
            let text = self.one_line(value, |c| c == '\t' || is_line_end(c));
            let number = self.number(Prefix::Note);
            self.line(format_args!("#{number}\t{ty} T{id}\t{text}"));
            return;
        }
        let value = self.one_line(value, |c| c == '\t' || is_line_end(c));
        let trimmed = value.trim();
        if trimmed.is_empty() {
            self.losses.add("attributes with an empty value", 1);
            return;
        }
        self.losses
            .add("white space around values", usize::from(trimmed != value));
        if let Some((entry, text)) = reference(name, trimmed) {
            let number = self.number(Prefix::Normalisation);
            self.line(format_args!("N{number}\t{REFERENCE} T{id} {entry}\t{text}"));
            return;
        }
        let name = self.word(name, NAMES);
        let number = self.number(Prefix::Attribute);
        self.line(format_args!("A{number}\t{name} T{id} {trimmed}"));
    }

    /// Replaces characters that a value cannot contain by spaces.
    fn one_line<'a>(&mut self, value: &'a str, ends: impl Fn(char) -> bool) -> Cow<'a, str> {
        if !value.contains(&ends) {
            return Cow::Borrowed(value);
        }
        self.losses
            .add("values with line ends or tabs, replaced by spaces", 1);
        Cow::Owned(value.replace(&ends, " "))
    }
}

/// Splits the value of a normalisation into the entry of a database and its name; None if the
/// attribute is not a normalisation.
fn reference<'a>(name: &str, value: &'a str) -> Option<(&'a str, &'a str)> {
    let (entry, text) = value.split_once(' ').unwrap_or((value, ""));
    let (database, key) = entry.split_once(':')?;
    let is_entry = !database.is_empty() && !key.is_empty() && !entry.contains(char::is_whitespace);
    // The reader skips prefixes and white space around the name.
    let is_kept = text.trim() == text && database != "Referent" && !value.ends_with(' ');
    (name == REFERENCE && is_entry && is_kept).then_some((entry, text))
}
