//! Writing of PubTator's plain text.

use std::borrow::Cow;
use std::io::Write as _;

use super::super::annotated_text::{Annotation, Document};
use super::super::char_index::CharIndex;
use super::super::losses::Losses;
use super::super::write::WriteFormat;
use super::{IDENTIFIER, MENTIONS, NO_IDENTIFIER};

/// Characters at which some readers end a line, replaced by spaces.
const LINE_ENDS: [char; 10] = [
    '\n', '\r', '\u{B}', '\u{C}', '\u{1C}', '\u{1D}', '\u{1E}', '\u{85}', '\u{2028}', '\u{2029}',
];

/// Writes PubTator's plain text.
#[derive(Default)]
pub(in crate::document) struct Writer {
    /// Number of documents written.
    documents: usize,
}

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        if self.documents > 0 {
            out.push(b'\n');
        }
        self.documents += 1;
        let id = match document.id.as_deref().filter(|id| !id.is_empty()) {
            Some(id) => id.replace(
                |c: char| c == '|' || c == '\t' || LINE_ENDS.contains(&c),
                "_",
            ),
            None => {
                losses.add("documents without an id, which are numbered", 1);
                self.documents.to_string()
            }
        };
        let changed = document.id.as_ref().is_some_and(|before| *before != id);
        losses.add(
            "ids of documents with characters that the format does not allow, replaced by _",
            usize::from(changed),
        );
        let text = &document.text;
        let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
        push(out, &[&id, "|t|", title, "\n", &id, "|a|", rest, "\n"]);
        let index = CharIndex::new(text);
        for annotation in &document.annotations {
            let covered = index.between(annotation.start, annotation.end);
            let covered = field(covered.unwrap_or_default()).0;
            let (ty, changed) = field(document.type_of(annotation));
            losses.add(
                "types with characters that the format does not allow, replaced by spaces",
                usize::from(changed),
            );
            let Annotation { start, end, .. } = annotation;
            let (start, end) = (start.to_string(), end.to_string());
            push(
                out,
                &[&id, "\t", &start, "\t", &end, "\t", &covered, "\t", &ty],
            );
            attributes(document, annotation, out, losses);
            out.push(b'\n');
        }
        relations(document, &id, out, losses);
        Ok(())
    }
}

/// Appends several parts.
fn push(out: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
}

/// Replaces line ends by spaces, except for the first line feed, which separates title and abstract.
/// Offsets do not change.
pub(in crate::document) fn keep_one_break(document: &mut Cow<'_, Document>, losses: &mut Losses) {
    let text = &document.text;
    // An empty abstract has no line feed.
    let divider = text.find('\n').filter(|&at| at + 1 < text.len());
    let replaced = |(at, c): &(usize, char)| LINE_ENDS.contains(c) && Some(*at) != divider;
    let number = text.char_indices().filter(replaced).count();
    losses.add("line ends in texts, replaced by spaces", number);
    if number > 0 {
        let character = |(at, c)| if replaced(&(at, c)) { ' ' } else { c };
        document.to_mut().text = text.char_indices().map(character).collect();
    }
}

/// Returns a field without tabs and line ends, and whether it was changed.
fn field(text: &str) -> (Cow<'_, str>, bool) {
    let separates = |c: char| c == '\t' || LINE_ENDS.contains(&c);
    match text.contains(separates) {
        false => (Cow::Borrowed(text), false),
        true => (Cow::Owned(text.replace(separates, " ")), true),
    }
}

/// Appends the fields for the attributes of an annotation.
fn attributes(
    document: &Document,
    annotation: &Annotation,
    out: &mut Vec<u8>,
    losses: &mut Losses,
) {
    let (mut identifier, mut mentions, mut others) = ("", "", 0);
    for (name, value) in document.attributes(annotation) {
        match name {
            IDENTIFIER if identifier.is_empty() && value != NO_IDENTIFIER => identifier = value,
            MENTIONS if mentions.is_empty() => mentions = value,
            _ => others += 1,
        }
    }
    losses.add("repeated identifiers and mentions", others);
    if identifier.is_empty() {
        identifier = NO_IDENTIFIER;
    }
    for (value, is_last) in [(identifier, mentions.is_empty()), (mentions, true)] {
        let (value, changed) = field(value);
        losses.add(
            "attributes with characters that the format does not allow, replaced by spaces",
            usize::from(changed),
        );
        push(out, &["\t", &value]);
        if is_last {
            break;
        }
    }
}

/// Appends the relations, whose annotations are given by their identifiers.
fn relations(document: &Document, id: &str, out: &mut Vec<u8>, losses: &mut Losses) {
    let identifier = |at: u32| {
        let annotation = document.annotations.get(at as usize)?;
        super::identifier(document, annotation)
    };
    for relation in &document.relations {
        let (Some(from), Some(to)) = (identifier(relation.from), identifier(relation.to)) else {
            continue;
        };
        let ty = document.type_of_relation(relation);
        let (mut written, changed) = field(ty);
        if written.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+')) {
            written = Cow::Owned(format!("_{written}"));
        }
        losses.add(
            "types of relations with characters that the format does not allow, replaced",
            usize::from(changed || written.len() != ty.len()),
        );
        let (from, to) = (field(from).0, field(to).0);
        let _ = writeln!(out, "{id}\t{written}\t{from}\t{to}");
    }
}
