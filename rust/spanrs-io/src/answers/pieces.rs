//! Parts of a line between separators, and quotes around names.

use super::MAX_VALUES;

/// Bytes and quotes within which a quote must be closed, so that splitting takes linear time.
const MAX_QUOTED: usize = 500;
const MAX_QUOTES: usize = 8;

/// Commas and semicolons in common scripts.
pub(super) const COMMAS: &[char] = &[',', '，', '、'];
pub(super) const SEMICOLONS: &[char] = &[';', '；'];
pub(super) const COLONS: [char; 2] = [':', '：'];

/// A part of a text and its byte offset.
pub(super) type Piece<'a> = (&'a str, usize);

/// The parts of a text between separators outside of quotes; at most [`MAX_VALUES`].
pub(super) fn pieces<'a>(text: &'a str, separators: &[char]) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    let (mut start, mut at) = (0, 0);
    // Only a quote at the start of a piece encloses it; others are apostrophes or inches.
    let mut is_start = true;
    while let Some(c) = text[at..].chars().next() {
        let next = at + c.len_utf8();
        if is_start && let Some(end) = quote_end(text, at, c, separators) {
            at = end;
            is_start = false;
            continue;
        }
        if separators.contains(&c) && pieces.len() + 1 < MAX_VALUES {
            pieces.push((&text[start..at], start));
            start = next;
        }
        is_start = separators.contains(&c)
            || is_start && (c.is_whitespace() || "[(*_".contains(c))
            || ",:".contains(c);
        at = next;
    }
    pieces.push((&text[start..], start));
    pieces
}

/// The byte offset after the quote that closes the one at an offset.
fn quote_end(text: &str, at: usize, open: char, separators: &[char]) -> Option<usize> {
    let (_, close) = QUOTES.into_iter().find(|(quote, _)| *quote == open)?;
    let start = at + open.len_utf8();
    let window = prefix(&text[start..], MAX_QUOTED);
    window
        .match_indices(close)
        .take(MAX_QUOTES)
        .map(|(close_at, _)| start + close_at + close.len_utf8())
        .find(|after| {
            let rest = text[*after..].trim_start();
            rest.is_empty()
                || rest.starts_with(separators)
                || rest.starts_with(COLONS)
                || rest.starts_with([',', ']', ')', '*'])
        })
}

/// The start of a text with at most a number of bytes.
pub(super) fn prefix(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// Opening and closing quotes.
const QUOTES: [(char, char); 5] = [
    ('"', '"'),
    ('\'', '\''),
    ('“', '”'),
    ('`', '`'),
    ('「', '」'),
];

/// A string without white space and bold marks around it, and its offset.
pub(super) fn bare(text: &str) -> Piece<'_> {
    let marks = |c: char| c.is_whitespace() || "*_`".contains(c);
    let trimmed = text.trim_start_matches(marks);
    let offset = text.len() - trimmed.len();
    let (inner, quote) = unquoted(trimmed.trim_end_matches(marks));
    (inner, offset + quote)
}

/// A string without quotes around it, and the length of the opening quote.
pub(super) fn unquoted(text: &str) -> Piece<'_> {
    for (open, close) in QUOTES {
        let inner = text
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains([open, close])) {
            return (inner, open.len_utf8());
        }
    }
    (text, 0)
}

/// The content of a line without bullets, numbers and bold marks, its offset, and whether the line
/// has a bullet.
pub(super) fn content_of(line: &str) -> (&str, usize, bool) {
    let trimmed = line.trim_start();
    let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = match digits {
        0 => None,
        _ => trimmed[digits..]
            .strip_prefix(". ")
            .or_else(|| trimmed[digits..].strip_prefix(") ")),
    };
    let bullet = ["- ", "* ", "• ", "+ ", "– "]
        .iter()
        .find_map(|bullet| trimmed.strip_prefix(bullet))
        .or(numbered);
    let content = bullet.unwrap_or(trimmed).trim_start();
    let offset = line.len() - content.len();
    (content.trim_end(), offset, bullet.is_some())
}

/// True if a line introduces an answer, as in "Here are the entities:".
pub(super) fn is_introduction(line: &str) -> bool {
    line.trim_end().ends_with(COLONS)
}
