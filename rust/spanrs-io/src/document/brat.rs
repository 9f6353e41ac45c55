//! brat's standoff annotations, stored in a separate file next to the text.
//!
//! ```text
//! T1<tab>PER 0 3<tab>Bob                          text-bound: id, type, offsets, covered text
//! T2<tab>LOC 10 15;20 25<tab>North Coast          two fragments
//! A1<tab>Confidence T1 high                       attribute: id, name, target, value
//! R1<tab>Origin Arg1:T1 Arg2:T2                   relation: id, type, from, to
//! *<tab>Equiv T1 T2 T3                            relations between T1 and T2, and between T2 and T3
//! E1<tab>Travel:T1 Goal:T2                        event: relations from its trigger, named after the roles
//! N1<tab>Reference T1 Wikipedia:534366<tab>Bob    normalisation: id, type, target, entry of a database, its name
//! #1<tab>AnnotatorNotes T1<tab>Is it he?          note: id, type, target, text
//! ```
//!
//! Offsets count code points from 0, ends exclusive; a byte order mark counts as a code point and
//! is therefore kept in the text. The trigger of an event is an ordinary annotation and represents
//! the event in relations and attributes. Malformed relations and events, and relations and
//! attributes whose annotation does not exist, are left out with a report, as are attributes and
//! notes of relations.
//!
//! | line about T1 | attribute |
//! |---|---|
//! | `A1<tab>Negation T1` | `Negation` is true |
//! | `A1<tab>Confidence T1 high` | `Confidence` is `high` |
//! | `N1<tab>Reference T1 Wikipedia:534366<tab>Bob` | `Reference` is `Wikipedia:534366 Bob` |
//! | `#1<tab>AnnotatorNotes T1<tab>Is it he?` | `note` is `Is it he?` |
//! | `#1<tab>AnnotationError T1<tab>Overlap` | `#AnnotationError` is `Overlap` |
//!
//! A line that begins with `#` and has no tab is a comment.
//!
//! The text quoted by an annotation is compared with the document. If they differ, the file is
//! rejected, because the text is then another version, or the offsets count bytes, and all
//! annotations are suspect.
//!
//! Fragments separated only by white space are joined into one piece, because brat itself splits
//! annotations at line ends.
//!
//! | offsets in `New York and Bonn` | pieces |
//! |---|---|
//! | `0 3;4 8` | none: one segment, 0 to 8 |
//! | `0 3;13 17` | 0 to 3 and 13 to 17 |
//!
//! Source: <https://brat.nlplab.org/standoff.html>.

mod attributes;
mod ids;
mod write;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use spanrs_base::{Limits, Position};

pub(super) use write::Writer;

use super::annotated_text::Document;
use super::char_index::CharIndex;
use super::encoding::{decoded, utf8};
use super::json::excerpt;
use crate::error::{Code, Error, Result};
use crate::source::Source;
use ids::Ids;

/// Advice on the syntax of annotations.
const TEXT_BOUND: &str = "write T1<tab>TYPE START END<tab>TEXT";
/// Name of the attribute that is a note, and type of its line.
const NOTE: (&str, &str) = ("note", "AnnotatorNotes");
/// Type of a normalisation, and name of its attribute.
const REFERENCE: &str = "Reference";
/// Advice for annotations that do not match the text.
const OTHER_TEXT: &str = "the .txt is another version, or the offsets count bytes";
/// Maximum number of characters of a text that are quoted in messages.
const QUOTE: usize = 40;

/// Reads the document of a pair of files. `path` may be either file; the other one has the same
/// name with the other suffix.
///
/// # Errors
/// [`Code::BadDocument`] if the path ends in neither `.ann` nor `.txt`, [`Code::Io`] if one of the
/// files is missing, [`Code::Encoding`] if one is not UTF-8, and the errors of [`read`].
pub(super) fn open(path: &Path, limits: Limits) -> Result<Document> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    if !matches!(ending, Some("ann" | "txt")) {
        let message = "brat stores annotations in a .ann file next to a .txt file with the text; pass the \
                       path of either file";
        let position = Position::file(&path.display().to_string());
        return Err(Error::new(Code::BadDocument, position, message));
    }
    let bytes = |ending| {
        let source = Source::from(path.with_extension(ending));
        let bytes = source.contents(limits)?;
        Ok((source.name().to_owned(), bytes))
    };
    let (name, annotations) = bytes("ann")?;
    let (text_name, text) = bytes("txt")?;
    let text = decoded(&text_name, &text)?;
    read(&name, utf8(&name, &annotations)?, text)
}

/// Reads the document of two sources: the annotations and the text.
///
/// # Errors
/// [`Code::BadDocument`] if there is no source of the text, [`Code::Encoding`] if one is not UTF-8,
/// and the errors of [`read`].
pub(super) fn open_pair(
    source: &Source,
    text: Option<&Source>,
    limits: Limits,
) -> Result<Document> {
    let Some(text) = text else {
        let message = "brat annotations need the .txt file next to them; pass the path of the file";
        let position = Position::file(source.name());
        return Err(Error::new(Code::BadDocument, position, message));
    };
    let annotations = source.contents(limits)?;
    let name = source.name();
    let text_bytes = text.contents(limits)?;
    read(
        name,
        utf8(name, &annotations)?,
        decoded(text.name(), &text_bytes)?,
    )
}

/// Reads a document from its annotations and its text; `name` is the name of the annotation file.
///
/// Annotations are in the order of the file. Lines may end with LF or CR LF. For the text `Bob
/// ate`:
///
/// | line | outcome |
/// |---|---|
/// | `T1<tab>PER 0 3<tab>Bob` | an annotation |
/// | `T1<tab>PER 0 3<tab>Bib` | rejected: the text differs |
/// | `T1<tab>PER 0 9<tab>Bob ate` | rejected: extends beyond the text |
/// | `A1<tab>Negation E1` | an attribute of the trigger of E1 |
/// | `A1<tab>Negation T9` | left out with a report if there is no T9 |
/// | `X1<tab>...` | rejected: not a brat line |
/// | blank | skipped |
///
/// # Errors
/// [`Code::BadDocument`] with line and column for a line that is not valid in brat's format, a
/// malformed annotation or attribute, a duplicate id, offsets beyond the text, and a quoted text
/// that differs from the document.
pub(super) fn read(name: &str, annotations: &str, text: &str) -> Result<Document> {
    let mut walk = Walk {
        name,
        document: Document::new(text.to_owned()),
        characters: CharIndex::new(text),
        ids: Ids::default(),
        bounds: Vec::new(),
        pieces: Vec::new(),
        attributes: Vec::new(),
        events: HashMap::new(),
        lone_events: Vec::new(),
        relations: Vec::new(),
    };
    for (number, line) in (1..).zip(annotations.split('\n')) {
        let line = Line {
            number,
            text: line.strip_suffix('\r').unwrap_or(line),
        };
        match line.text.as_bytes().first() {
            Some(b'T') => walk.text_bound(&line)?,
            Some(b'A' | b'M') => walk.attribute(&line)?,
            Some(b'R') => walk.relation(&line),
            Some(b'E') => walk.event(&line),
            Some(b'*') => walk.equivalents(&line),
            Some(b'N') => walk.normalisation(&line),
            Some(b'#') => walk.note(&line),
            None => {}
            Some(_) if line.text.trim().is_empty() => {}
            Some(_) => {
                let message = "this is not a brat line; lines begin with T, A, M, R, E, N, # or *";
                return Err(walk.error(&line, line.text, message));
            }
        }
    }
    Ok(walk.finish())
}

/// A line of the annotation file.
struct Line<'a> {
    /// The line number, from 1.
    number: u64,
    /// The line without its line end.
    text: &'a str,
}

/// A text-bound annotation.
struct Bound {
    /// Id of the type in the document.
    ty: u32,
    /// First character of the first piece.
    start: u32,
    /// One past the last character of the last piece.
    end: u32,
    /// Index range, end exclusive, into [`Walk::pieces`]; empty for an annotation of a single
    /// piece.
    pieces: (usize, usize),
    /// Line number, for messages.
    line: u64,
}

/// An attribute, a normalisation or a note.
struct AttributeLine<'a> {
    /// Id of the line.
    id: &'a str,
    /// Id of the annotation or event.
    target: &'a str,
    /// Name of the attribute.
    name: Cow<'a, str>,
    /// Value; None for true.
    value: Option<Cow<'a, str>>,
}

/// A relation: the id of its line, its type, and the ids of its two ends.
type RelationLine<'a> = (&'a str, &'a str, &'a str, &'a str);

/// State of a pass over the annotation file.
///
/// Annotations are added to the document at the end, because an attribute may precede its
/// annotation, and all attributes of an annotation must be added together.
struct Walk<'a> {
    /// Name of the annotation file.
    name: &'a str,
    /// The document, without annotations until the end.
    document: Document,
    /// The text, indexed by characters.
    characters: CharIndex<'a>,
    /// Index in `bounds` of each annotation, by id.
    ids: Ids<'a>,
    /// Annotations in the order of the file.
    bounds: Vec<Bound>,
    /// Pieces of all annotations with several pieces.
    pieces: Vec<(u32, u32)>,
    /// Attributes, normalisations and notes in the order of the file.
    attributes: Vec<AttributeLine<'a>>,
    /// Ids of the triggers of events, by the id of the event.
    events: HashMap<&'a str, &'a str>,
    /// Id, type and trigger of the events without arguments.
    lone_events: Vec<(&'a str, &'a str, &'a str)>,
    /// Relations in the order of the file.
    relations: Vec<RelationLine<'a>>,
}

impl<'a> Walk<'a> {
    /// Reads an annotation: id, type and offsets, and the text that the offsets cover.
    ///
    /// Columns are separated by tabs, so the text may contain spaces. Type and offsets are
    /// separated by a single space; the type ends at the first space. The text column is required,
    /// even if it is empty.
    ///
    /// # Errors
    /// [`Code::BadDocument`] with the column of the part that is missing, malformed or different
    /// from the document's text. For a duplicate id, the position is the beginning of the line, and
    /// the message contains the line of the first occurrence.
    fn text_bound(&mut self, line: &Line<'a>) -> Result<()> {
        let wrong = |at: &str, what: &str| self.error(line, at, &format!("{what}; {TEXT_BOUND}"));
        let end = &line.text[line.text.len()..];
        let Some((id, rest)) = line.text.split_once('\t') else {
            return Err(wrong(end, "a tab and the type are missing"));
        };
        let Some((body, shown)) = rest.split_once('\t') else {
            return Err(wrong(end, "a tab and the text are missing"));
        };
        let Some((ty, offsets)) = body.split_once(' ').filter(|(ty, _)| !ty.is_empty()) else {
            return Err(wrong(body, "the type or the offsets are missing"));
        };
        let pieces = self.offsets(line, offsets)?;
        if let Some(covered) = self.differs(&pieces, shown) {
            let quoted = excerpt(shown, QUOTE);
            let message =
                format!("the text is {covered:?}, but the annotation has {quoted:?}; {OTHER_TEXT}");
            return Err(self.error(line, shown, &message));
        }
        if let Some(first) = self.ids.insert(id, self.bounds.len() as u32) {
            let (id, first) = (excerpt(id, QUOTE), self.bounds[first as usize].line);
            let message = format!("line {first} has the id {id} as well; ids must be unique");
            return Err(self.error(line, line.text, &message));
        }
        self.add(ty, pieces, line.number);
        Ok(())
    }

    /// Returns start and end of each fragment, in the order of the file: for `10 15;20 25`, 10-15
    /// and 20-25.
    ///
    /// # Errors
    /// [`Code::BadDocument`] at the fragment if the fragment is not two whole numbers, ends before
    /// it begins or extends beyond the text.
    fn offsets(&self, line: &Line<'_>, offsets: &str) -> Result<Vec<(u32, u32)>> {
        let length = self.characters.len();
        let piece = |piece: &str| {
            let bounds = piece.split_once(' ');
            let bounds = bounds.and_then(|(start, end)| offset(start).zip(offset(end)));
            let message = match bounds {
                None => {
                    let piece = excerpt(piece, QUOTE);
                    format!("{piece:?} is not two whole numbers from 0; {TEXT_BOUND}")
                }
                Some((start, end)) if start > end => {
                    format!("{start} {end} ends before it begins; {TEXT_BOUND}")
                }
                Some((start, end)) if end as usize > length => {
                    format!(
                        "{start} {end} reaches beyond the text of {length} characters; {OTHER_TEXT}"
                    )
                }
                Some(bounds) => return Ok(bounds),
            };
            Err(self.error(line, piece, &message))
        };
        offsets.split(';').map(piece).collect()
    }

    /// Returns the beginning of the text that an annotation covers, for a message, if the text
    /// differs from `shown`; None if both are equal.
    ///
    /// Fragments are joined by a space, and a space in `shown` matches a line end or a tab in the
    /// text, because a field cannot contain these: the text `New<LF>York` is shown as `New York`.
    /// The comparison ends at the first difference, and nothing is copied if there is none.
    fn differs(&self, pieces: &[(u32, u32)], shown: &str) -> Option<String> {
        let stretches = || {
            let stretch = |&(start, end)| self.characters.between(start, end).unwrap_or_default();
            pieces.iter().map(stretch)
        };
        let covered = || {
            let blanks = std::iter::once("").chain(std::iter::repeat(" "));
            stretches()
                .zip(blanks)
                .flat_map(|(stretch, blank)| blank.chars().chain(stretch.chars()))
        };
        // A field cannot contain line ends or tabs.
        let mut shown = shown.chars();
        let same = covered().all(|c| {
            shown
                .next()
                .is_some_and(|s| s == c || s == ' ' && matches!(c, '\n' | '\r' | '\t'))
        });
        if same && shown.next().is_none() {
            return None;
        }
        let quoted: String = covered().take(QUOTE + 1).collect();
        Some(excerpt(&quoted, QUOTE))
    }

    /// Adds an annotation. Pieces are sorted, and pieces that overlap or are separated only by
    /// white space are merged.
    ///
    /// In `New York, or North and<LF> South Shore`, `0 3;4 8` is one segment, `13 18;30 35` two
    /// pieces, and `24 29;30 35;13 18` the pieces 13-18 and 24-35. The annotation extends from the
    /// beginning of the first piece to the end of the last.
    fn add(&mut self, ty: &str, mut pieces: Vec<(u32, u32)>, line: u64) {
        pieces.sort_unstable();
        let from = self.pieces.len();
        for (start, end) in pieces {
            match self.pieces[from..].last_mut() {
                Some(last) if start <= last.1 || self.characters.is_blank(last.1, start) => {
                    last.1 = last.1.max(end);
                }
                _ => self.pieces.push((start, end)),
            }
        }
        let (start, end) = (self.pieces[from].0, self.pieces[self.pieces.len() - 1].1);
        if self.pieces.len() == from + 1 {
            self.pieces.truncate(from);
        }
        self.bounds.push(Bound {
            ty: self.document.intern(ty),
            start,
            end,
            pieces: (from, self.pieces.len()),
            line,
        });
    }

    /// Reads a relation: id, type, and two ends, each preceded by its role.
    fn relation(&mut self, line: &Line<'a>) {
        let (id, body) = line.text.split_once('\t').unwrap_or((line.text, ""));
        let mut parts = body.split_whitespace();
        let ty = parts.next().unwrap_or_default();
        let mut ends: Vec<_> = parts.filter_map(|part| part.split_once(':')).collect();
        if ends.iter().all(|(role, _)| role.starts_with("Arg")) {
            // `Arg1` and `Arg2` may occur in any order; other roles keep the order of the file.
            ends.sort_unstable_by_key(|&(role, _)| role);
        }
        let (from, to) = match ends.as_slice() {
            &[(_, from), (_, to)] => (from, to),
            _ => ("", ""),
        };
        self.relations.push((id, ty, from, to));
    }

    /// Reads an event: id, type and trigger, and arguments, each preceded by its role.
    fn event(&mut self, line: &Line<'a>) {
        let (id, body) = line.text.split_once('\t').unwrap_or((line.text, ""));
        let mut parts = body.split_whitespace();
        let trigger = parts.next().and_then(|part| part.split_once(':'));
        let (Some((ty, trigger)), false) = (trigger, self.events.contains_key(id)) else {
            self.relations.push((id, "", "", ""));
            return;
        };
        self.events.insert(id, trigger);
        let mut arguments = parts.peekable();
        if arguments.peek().is_none() {
            // No relation refers to the trigger, so a missing trigger would otherwise go unnoticed.
            self.lone_events.push((id, ty, trigger));
        }
        self.relations.extend(arguments.map(|part| {
            let (role, argument) = part.split_once(':').unwrap_or((part, ""));
            (id, role, trigger, argument)
        }));
    }

    /// Reads a symmetric relation between several annotations: each annotation is related to the
    /// next.
    fn equivalents(&mut self, line: &Line<'a>) {
        let mut parts = line.text.split_whitespace();
        let (id, ty) = (parts.next(), parts.next());
        let (id, ty) = (id.unwrap_or_default(), ty.unwrap_or_default());
        let mut ends = parts.peekable();
        let mut last = ends.next().unwrap_or_default();
        if ends.peek().is_none() {
            self.relations.push((id, ty, last, ""));
        }
        for next in ends {
            self.relations.push((id, ty, last, next));
            last = next;
        }
    }

    /// Returns the index of an annotation, or of the trigger of an event, by id.
    fn index(&self, id: &str) -> Option<u32> {
        let trigger = match self.events.is_empty() {
            true => None,
            false => self.events.get(id).copied(),
        };
        self.ids.get(trigger.unwrap_or(id))
    }

    /// Adds annotations, attributes and relations to the document. An attribute or a relation whose
    /// annotation does not exist is left out with a report. The sort is stable, so the attributes
    /// of an annotation keep the order of the file.
    fn finish(mut self) -> Document {
        let mut document = std::mem::take(&mut self.document);
        for &(id, ty, from, to) in &self.relations {
            match (self.index(from), self.index(to)) {
                (Some(from), Some(to)) => document.relate(ty, from, to),
                _ if from.is_empty() || to.is_empty() => document.leave_out_relation(|| {
                    let [id, ty] = [id, ty].map(|part| excerpt(part, QUOTE));
                    format!("{id} ({ty}) has missing or malformed arguments, or a duplicate id")
                }),
                _ => document.leave_out_relation(|| {
                    let [id, ty, from, to] = [id, ty, from, to].map(|part| excerpt(part, QUOTE));
                    format!(
                        "{id} ({ty}) links {from} and {to}, at least one of which does not exist"
                    )
                }),
            }
        }
        for &(id, ty, trigger) in &self.lone_events {
            if self.ids.get(trigger).is_none() {
                document.leave_out_relation(|| {
                    let [id, ty, trigger] = [id, ty, trigger].map(|part| excerpt(part, QUOTE));
                    format!("{id} ({ty}) is triggered by {trigger}, which does not exist")
                });
            }
        }
        let mut attributes = Vec::with_capacity(self.attributes.len());
        for line in std::mem::take(&mut self.attributes) {
            match self.index(line.target) {
                Some(bound) => attributes.push((bound as usize, line)),
                None => document.leave_out(|| {
                    let parts = [line.id, &*line.name, line.target];
                    let [id, name, target] = parts.map(|part| excerpt(part, QUOTE));
                    format!("{id} ({name}) refers to {target}, which does not exist")
                }),
            }
        }
        attributes.sort_by_key(|&(bound, _)| bound);
        let mut attributes = attributes.into_iter().peekable();
        for (at, bound) in self.bounds.iter().enumerate() {
            document.push(bound.ty, bound.start, bound.end);
            document.set_pieces(&self.pieces[bound.pieces.0..bound.pieces.1]);
            while let Some((_, line)) = attributes.next_if(|&(of, _)| of == at) {
                match line.value {
                    Some(value) => document.add_attribute(&line.name, value),
                    None => document.add_attribute(&line.name, true),
                }
            }
        }
        document
    }

    /// Returns the error [`Code::BadDocument`] at a part of a line. `part` must be a slice of the
    /// line's text; its distance from the beginning of the line is the column.
    fn error(&self, line: &Line<'_>, part: &str, message: &str) -> Error {
        let position = Position {
            path: self.name.to_owned(),
            line: line.number,
            column: (part.as_ptr() as usize - line.text.as_ptr() as usize) as u64 + 1,
        };
        Error::new(Code::BadDocument, position, message)
    }
}

/// Parses a whole number from 0. A number that is too large for the type becomes the maximum of the
/// type, which is also beyond any text.
fn offset(digits: &str) -> Option<u32> {
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| digits.parse().unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
