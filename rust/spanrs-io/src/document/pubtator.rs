//! PubTator's plain text, of PubTator, PubTator Central and BioCreative.
//!
//! ```text
//! 10491763|t|Hepatocyte nuclear factor-6
//! 10491763|a|HNF-6 is a transcription factor in diabetes.
//! 10491763<tab>0<tab>27<tab>Hepatocyte nuclear factor-6<tab>Gene<tab>3175
//! 10491763<tab>63<tab>71<tab>diabetes<tab>Disease<tab>D003920
//! 10491763<tab>Association<tab>3175<tab>D003920
//! ```
//!
//! | in the file | in the document |
//! |---|---|
//! | `10491763` | id |
//! | title and abstract | text, joined by a line feed; the title alone if the abstract is empty |
//! | annotation: start, end, text, type | annotation |
//! | its concept id, possibly several, as `D1\|D2` | attribute `identifier`, unless it is empty or `-` |
//! | its further field: texts of a composite mention, separated by `\|` | attribute `mentions` |
//! | relation: type, two concept ids | relation between the first annotations with these ids |
//! | further fields of a relation | not read, with a notice |
//!
//! A document begins with its title; blank lines have no meaning. Offsets count code points from 0,
//! ends exclusive. If the texts that the annotations quote agree with more offsets that count
//! UTF-16 code units or bytes, the offsets of the document count these, with a notice. An annotation
//! whose text differs in all units is left out with a report, and so is a relation with a concept
//! id that no annotation has. A relation refers to an annotation with exactly its concept id, or
//! otherwise to an annotation with several concept ids, one of which is the one of the relation.
//!
//! Source: <https://www.ncbi.nlm.nih.gov/CBBresearch/Lu/Demo/tmTools/Format.html>.

mod write;

use std::collections::HashMap;

use spanrs_base::{Limits, Position};

pub(super) use write::{Writer, keep_one_break};

use super::annotated_text::{Annotation, Document};
use super::annotators::LayerChoice;
use super::json::excerpt;
use super::offset_units::{Offsets, Unit, UnitCounts, quoted};
use super::records::Lines;
use super::stream::Records;
use crate::error::{Code, Error, Result};
use crate::source::Source;

/// Name of the attribute with the concept ids of an annotation.
const IDENTIFIER: &str = "identifier";
/// Name of the attribute with the texts of a composite mention.
const MENTIONS: &str = "mentions";
/// The concept id of an annotation without one. PubTator writes it, and some readers need the field.
const NO_IDENTIFIER: &str = "-";
/// Separators of concept ids.
const SEPARATORS: [char; 3] = ['|', ';', ','];
/// Advice on the syntax of lines.
const SYNTAX: &str = "write ID|t|TITLE, ID|a|ABSTRACT, ID<tab>START<tab>END<tab>TEXT<tab>TYPE<tab>\
                      CONCEPT, or ID<tab>TYPE<tab>CONCEPT<tab>CONCEPT";
/// Maximum number of characters of a field that are quoted in messages.
const QUOTE: usize = 40;

/// Opens a source. The format has no annotators.
///
/// # Errors
/// The errors of [`Lines::open`].
pub(super) fn open(source: &Source, _: &LayerChoice, limits: Limits) -> Result<Box<dyn Records>> {
    Ok(Box::new(Documents {
        lines: Lines::open(source, limits)?,
        most: limits.document_bytes,
        title: None,
        ended: false,
        units: UnitCounts::default(),
        further: (0, String::new()),
    }))
}

/// The documents of a file.
struct Documents {
    lines: Lines,
    /// Maximum number of bytes of a document.
    most: usize,
    /// The title line of the next document.
    title: Option<(u64, String)>,
    /// Whether the file has been read to its end.
    ended: bool,
    units: UnitCounts,
    /// Number of relations with further fields, and the place of the first.
    further: (u64, String),
}

/// A line of a document.
enum Line<'a> {
    /// Id and title.
    Title(&'a str, &'a str),
    /// Id and abstract.
    Abstract(&'a str, &'a str),
    /// Fields.
    Fields,
}

impl Line<'_> {
    /// Returns the kind of a line.
    fn of(line: &str) -> Line<'_> {
        let parts = line.split_once('|').filter(|(id, _)| !id.contains('\t'));
        match parts.and_then(|(id, rest)| Some((id, rest.split_once('|')?))) {
            Some((id, ("t", title))) => Line::Title(id, title),
            Some((id, ("a", text))) => Line::Abstract(id, text),
            _ => Line::Fields,
        }
    }
}

/// An annotation as in the file.
struct Mention<'a> {
    pieces: [(u32, u32); 1],
    text: &'a str,
    ty: &'a str,
    identifier: &'a str,
    mentions: &'a str,
}

impl Records for Documents {
    fn next(&mut self) -> Result<Option<Document>> {
        let Some((number, title)) = self.next_title()? else {
            return Ok(None);
        };
        // The lines of the document, and their numbers.
        let mut record = String::new();
        let mut numbers = Vec::new();
        loop {
            let Some((at, line)) = self.lines.next()? else {
                self.ended = true;
                break;
            };
            let line = line.strip_suffix('\r').unwrap_or(line);
            if let Line::Title(..) = Line::of(line) {
                self.title = Some((at, line.to_owned()));
                break;
            }
            record.push_str(line);
            record.push('\n');
            numbers.push(at);
            if record.len() + title.len() > self.most {
                let message = format!(
                    "the record has more than {} bytes, the limit for a document",
                    self.most
                );
                let position = Position::line(self.lines.name(), number);
                return Err(Error::new(Code::DocumentTooLong, position, message));
            }
        }
        self.document((number, &title), numbers.into_iter().zip(record.lines()))
            .map(Some)
    }

    fn notices(&mut self) -> Vec<String> {
        let mut notices = Vec::new();
        self.units.notices(&mut notices);
        if self.further.0 > 0 {
            let plural = if self.further.0 == 1 { "" } else { "s" };
            notices.push(format!(
                "{} relation{plural} with more than four fields, of which four are read (first: {})",
                self.further.0, self.further.1
            ));
        }
        notices
    }
}

impl Documents {
    /// Returns the title line of the next document and its number; None at the end.
    fn next_title(&mut self) -> Result<Option<(u64, String)>> {
        if let Some(title) = self.title.take() {
            return Ok(Some(title));
        }
        if self.ended {
            return Ok(None);
        }
        let name = self.lines.name().to_owned();
        match self.lines.next()? {
            None => Ok(None),
            Some((number, line)) => match Line::of(line) {
                Line::Title(..) => {
                    let line = line.strip_suffix('\r').unwrap_or(line);
                    Ok(Some((number, line.to_owned())))
                }
                _ => {
                    let message = format!("a document begins with its title; {SYNTAX}");
                    let position = Position {
                        column: 1,
                        ..Position::line(&name, number)
                    };
                    Err(Error::new(Code::BadDocument, position, message))
                }
            },
        }
    }

    /// Creates a document from its title line and its other lines.
    fn document<'a>(
        &mut self,
        (number, title): (u64, &str),
        lines: impl Iterator<Item = (u64, &'a str)>,
    ) -> Result<Document> {
        let Line::Title(id, title) = Line::of(title) else {
            return Ok(Document::default());
        };
        let mut text = title.to_owned();
        let mut has_abstract = false;
        let (mut mentions, mut relations) = (Vec::new(), Vec::new());
        for (at, line) in lines {
            let wrong = |part: &str, message: String| {
                let position = Position {
                    path: self.lines.name().to_owned(),
                    line: at,
                    column: (part.as_ptr() as usize - line.as_ptr() as usize) as u64 + 1,
                };
                Err(Error::new(Code::BadDocument, position, message))
            };
            let other = |found: &str| {
                let (found, id) = (excerpt(found, QUOTE), excerpt(id, QUOTE));
                format!(
                    "the id is {found}, but the document that begins on line {number} is {id}; each \
                     document begins with its title"
                )
            };
            match Line::of(line) {
                Line::Abstract(found, _) if found != id => return wrong(line, other(found)),
                Line::Abstract(..) if has_abstract => {
                    return wrong(line, "a second abstract of the same document".to_owned());
                }
                Line::Abstract(_, part) => {
                    has_abstract = true;
                    if !part.is_empty() {
                        text.push('\n');
                        text.push_str(part);
                    }
                }
                _ => match fields(line) {
                    Ok((found, _)) if found != id => return wrong(line, other(found)),
                    Ok((_, Row::Mention(mention))) => mentions.push(mention),
                    Ok((_, Row::Relation(relation))) => relations.push((at, relation)),
                    Err((part, message)) => return wrong(part, message),
                },
            }
        }
        let mut document = Document::new(text);
        document.id = Some(id.to_owned()).filter(|id| !id.is_empty());
        let shown = || format!("document {id}");
        let unit = add_mentions(&mut document, &mentions);
        self.units.add(unit, shown);
        let with_further = relations.iter().filter(|(_, relation)| relation.further);
        for (line, _) in with_further {
            if self.further.0 == 0 {
                self.further.1 = format!("line {line}");
            }
            self.further.0 += 1;
        }
        relate(
            &mut document,
            relations.iter().map(|(_, relation)| relation),
        );
        Ok(document)
    }
}

/// A line with fields.
enum Row<'a> {
    Mention(Mention<'a>),
    Relation(Link<'a>),
}

/// A relation as in the file.
struct Link<'a> {
    ty: &'a str,
    from: &'a str,
    to: &'a str,
    /// Whether the line has further fields.
    further: bool,
}

/// Splits a line into the id and the other fields.
///
/// # Errors
/// The part of the line that is wrong, and a message.
fn fields(line: &str) -> std::result::Result<(&str, Row<'_>), (&str, String)> {
    let wrong = |part, message: &str| Err((part, format!("{message}; {SYNTAX}")));
    let mut fields = line.split('\t');
    let (id, first) = (fields.next().unwrap_or_default(), fields.next());
    let (Some(first), Some(second), Some(third)) = (first, fields.next(), fields.next()) else {
        return wrong(line, "a line with less than four fields");
    };
    let fourth = fields.next();
    if !first.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+')) {
        let further = fourth.is_some_and(|fourth| !fourth.is_empty());
        return Ok((
            id,
            Row::Relation(Link {
                ty: first,
                from: second,
                to: third,
                further,
            }),
        ));
    }
    let (Some(start), Some(end)) = (offset(first), offset(second)) else {
        let part = if offset(first).is_some() {
            second
        } else {
            first
        };
        return wrong(part, "an offset is not a whole number from 0");
    };
    let Some(ty) = fourth else {
        return wrong(line, "an annotation without a type");
    };
    Ok((
        id,
        Row::Mention(Mention {
            pieces: [(start, end)],
            text: third,
            ty,
            identifier: fields.next().unwrap_or_default(),
            mentions: fields.next().unwrap_or_default(),
        }),
    ))
}

/// Parses a whole number from 0. A number that is too large for the type becomes the maximum of the
/// type, which is beyond any text.
fn offset(digits: &str) -> Option<u32> {
    let number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number.then(|| digits.parse().unwrap_or(u32::MAX))
}

/// Adds the annotations that agree with the text, and returns the unit of their offsets.
fn add_mentions(document: &mut Document, mentions: &[Mention<'_>]) -> Unit {
    let text = std::mem::take(&mut document.text);
    let mut best: Option<(usize, Unit, Offsets<'_>)> = None;
    for &unit in Unit::candidates(text.is_ascii()) {
        let offsets = Offsets::new(&text, unit);
        let agrees = |mention: &&Mention<'_>| {
            let pieces = offsets.pieces(&mention.pieces);
            pieces.is_some_and(|pieces| offsets.covers(&pieces, mention.text))
        };
        let number = mentions.iter().filter(agrees).count();
        if best.as_ref().is_none_or(|&(most, ..)| number > most) {
            best = Some((number, unit, offsets));
        }
        if number == mentions.len() {
            break;
        }
    }
    let Some((number, unit, offsets)) = best else {
        return Unit::Characters;
    };
    for mention in mentions {
        let (start, end) = mention.pieces[0];
        let shown = || format!("{} {start}-{end}", excerpt(mention.ty, QUOTE));
        let Some(pieces) = offsets.pieces(&mention.pieces) else {
            document.leave_out(|| format!("{} is not within the text", shown()));
            continue;
        };
        if number < mentions.len() && !offsets.covers(&pieces, mention.text) {
            document.leave_out(|| {
                let (text, told) = (offsets.shown(&pieces), quoted(mention.text));
                format!(
                    "{}: the text is {text:?}, but the file says {told:?}",
                    shown()
                )
            });
            continue;
        }
        let ty = document.intern(mention.ty);
        document.push(ty, pieces[0].0, pieces[0].1);
        if !matches!(mention.identifier, "" | NO_IDENTIFIER) {
            document.add_attribute(IDENTIFIER, mention.identifier);
        }
        if !mention.mentions.is_empty() {
            document.add_attribute(MENTIONS, mention.mentions);
        }
    }
    drop(offsets);
    document.text = text;
    unit
}

/// Returns true for the attributes that the format can represent.
pub(super) fn is_held(name: &str) -> bool {
    matches!(name, IDENTIFIER | MENTIONS)
}

/// Returns the identifier of the concept of an annotation.
pub(super) fn identifier<'a>(document: &'a Document, annotation: &Annotation) -> Option<&'a str> {
    let mut attributes = document.attributes(annotation);
    let (_, found) = attributes.find(|(name, _)| *name == IDENTIFIER)?;
    Some(found).filter(|identifier| !matches!(*identifier, "" | NO_IDENTIFIER))
}

/// Returns the first annotation with each concept id. Annotations with exactly this id precede
/// annotations with several ids.
pub(super) fn first_with_identifier(document: &Document) -> HashMap<String, u32> {
    let mut first = HashMap::new();
    let identifiers = || {
        let all = document.annotations.iter().zip(0_u32..);
        all.filter_map(|(annotation, at)| Some((identifier(document, annotation)?, at)))
    };
    for (identifier, at) in identifiers() {
        first.entry(identifier.to_owned()).or_insert(at);
    }
    for (identifier, at) in identifiers().filter(|(ids, _)| ids.contains(SEPARATORS)) {
        for part in identifier.split(SEPARATORS).map(str::trim) {
            first.entry(part.to_owned()).or_insert(at);
        }
    }
    first
}

/// Adds the relations; those with a concept id that no annotation has are left out with a report.
fn relate<'a>(document: &mut Document, relations: impl Iterator<Item = &'a Link<'a>>) {
    let mut relations = relations.peekable();
    if relations.peek().is_none() {
        return;
    }
    let first = first_with_identifier(document);
    for &Link { ty, from, to, .. } in relations {
        match (first.get(from), first.get(to)) {
            (Some(&from), Some(&to)) => document.relate(ty, from, to),
            (found, _) => document.leave_out_relation(|| {
                let missing = if found.is_some() { to } else { from };
                let [ty, from, to, missing] =
                    [ty, from, to, missing].map(|field| excerpt(field, QUOTE));
                format!("relation {ty:?} from {from} to {to}: no annotation has the id {missing}")
            }),
        }
    }
}

#[cfg(test)]
mod tests;
