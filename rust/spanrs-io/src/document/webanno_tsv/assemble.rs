//! The text of a document in WebAnno TSV, assembled from its sentences.

use super::super::char_index::CharIndex;
use super::super::json::excerpt;
use super::super::utf16::Utf16Index;
use super::escapes::unescape_text;
use super::rows::{Line, Row, Sentence, Table};
use crate::error::{Error, Result};

/// Maximum number of characters between two sentences, so that a wrong offset does not fill the
/// memory.
const GAP: u32 = 1 << 20;
/// Maximum number of characters between all sentences.
const GAPS: u32 = 1 << 24;
/// Maximum number of characters of a text that are quoted in messages.
const QUOTE: usize = 40;

/// The unit of the offsets of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Utf16,
    CodePoints,
}

/// Assembles the text, and converts the offsets of the rows to characters. Returns the text and the
/// unit of the offsets in the file.
///
/// The text between two sentences is not in the file. It is a line end, followed by spaces if it is
/// longer, as in WebAnno. Offsets count UTF-16 code units; they are read as code points only if the
/// text of a token in the file is found under code points, and not under UTF-16 code units.
///
/// # Errors
/// [`Code::BadDocument`](crate::Code::BadDocument) at the token whose text is not at its offsets, or
/// whose offsets are within the preceding sentence.
pub(super) fn assemble(name: &str, table: &mut Table<'_>) -> Result<(String, Unit)> {
    let first = place(name, table, Unit::Utf16);
    let wide = |sentence: &Sentence| sentence.text.bytes().any(|byte| byte >= 0xF0);
    let (text, bounds, unit) = match first {
        Ok((text, bounds)) => (text, bounds, Unit::Utf16),
        Err(error) if table.sentences.iter().any(wide) => {
            match place(name, table, Unit::CodePoints) {
                Ok((text, bounds)) => (text, bounds, Unit::CodePoints),
                Err(_) => return Err(error),
            }
        }
        Err(error) => return Err(error),
    };
    for (row, (start, end)) in table.rows.iter_mut().zip(bounds) {
        (row.start, row.end) = (start, end);
    }
    Ok((text, unit))
}

/// The text, and the bounds of the rows in characters.
type Placed = (String, Vec<(u32, u32)>);

/// Assembles the text with offsets in one unit.
fn place(name: &str, table: &Table<'_>, unit: Unit) -> Result<Placed> {
    let text = join(name, table, unit)?;
    let index = match unit {
        Unit::Utf16 => Utf16Index::new(&text),
        Unit::CodePoints => Utf16Index::new(""),
    };
    let characters = CharIndex::new(&text);
    let mut bounds = Vec::with_capacity(table.rows.len());
    for row in &table.rows {
        let place = index.character(row.start).zip(index.character(row.end));
        let covered = place.and_then(|(start, end)| characters.between(start, end));
        match (place, covered) {
            (Some(place), Some(covered)) if is_shown(row, covered) => bounds.push(place),
            (_, covered) => return Err(mismatch(name, row, covered)),
        }
    }
    Ok((text, bounds))
}

/// Returns true if the file shows this text for a token; tabs and line ends may be escaped.
fn is_shown(row: &Row<'_>, covered: &str) -> bool {
    row.shown == covered || unescape_text(row.shown, false) == covered
}

/// Returns the error for a token whose text differs from the sentence.
fn mismatch(name: &str, row: &Row<'_>, covered: Option<&str>) -> Error {
    let shown = excerpt(row.shown, QUOTE);
    let message = match covered {
        Some(covered) => {
            let covered = excerpt(covered, QUOTE);
            format!(
                "the sentence has {covered:?} at these offsets, but the token is {shown:?}; offsets \
                 count UTF-16 code units from the beginning of the document"
            )
        }
        None => format!(
            "the offsets of the token {shown:?} are outside of the text or within a character; \
             offsets count UTF-16 code units from the beginning of the document"
        ),
    };
    row.line.error(name, offsets(row), message)
}

/// Returns the part of a line with the offsets.
fn offsets<'a>(row: &Row<'a>) -> &'a str {
    row.line.text.split('\t').nth(1).unwrap_or(row.line.text)
}

/// Joins the sentences.
fn join(name: &str, table: &Table<'_>, unit: Unit) -> Result<String> {
    let length = |text: &str| match unit {
        Unit::Utf16 => text.chars().map(char::len_utf16).sum::<usize>() as u32,
        Unit::CodePoints => text.chars().count() as u32,
    };
    let (mut text, mut at, mut gaps) = (String::new(), 0_u32, 0_u32);
    for (number, sentence) in table.sentences.iter().enumerate() {
        let next = table.sentences.get(number + 1);
        let end = next.map_or(table.rows.len(), |next| next.first);
        let Some(row) = table.rows[sentence.first..end].first() else {
            let gap = if text.is_empty() { "" } else { "\n" };
            text.push_str(gap);
            text.push_str(&sentence.text);
            at = at.saturating_add(length(&sentence.text) + gap.len() as u32);
            continue;
        };
        let begin = row.start.saturating_sub(leading(sentence, row));
        let Some(gap) = begin.checked_sub(at) else {
            let message = format!(
                "the sentence begins at {begin}, but the preceding sentence ends at {at}; offsets \
                 count UTF-16 code units from the beginning of the document"
            );
            return Err(row.line.error(name, offsets(row), message));
        };
        gaps = gaps.saturating_add(gap);
        if gap > GAP || gaps > GAPS {
            let message = format!(
                "{gap} characters between the sentence and the preceding sentence, which ends at \
                 {at}; check the offsets"
            );
            return Err(row.line.error(name, offsets(row), message));
        }
        let breaks = usize::from(gap > 0 && !text.is_empty());
        text.push_str(&"\n"[..breaks]);
        text.extend(std::iter::repeat_n(' ', gap as usize - breaks));
        text.push_str(&sentence.text);
        let Some(after) = begin.checked_add(length(&sentence.text)) else {
            let line = Line {
                number: sentence.line,
                text: "",
            };
            return Err(line.error(name, "", "the document is too long"));
        };
        at = after;
    }
    Ok(text)
}

/// Returns the number of blanks of a sentence before its first token. A sentence should begin with
/// its first token; other tools than WebAnno write sentences that do not.
fn leading(sentence: &Sentence, row: &Row<'_>) -> u32 {
    if sentence.text.starts_with(row.shown) {
        return 0;
    }
    let trimmed = sentence.text.trim_start();
    match trimmed.starts_with(row.shown) {
        true => sentence.text[..sentence.text.len() - trimmed.len()]
            .chars()
            .count() as u32,
        false => 0,
    }
}
