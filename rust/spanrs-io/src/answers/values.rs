//! JSON and Python values in an answer.
//!
//! Values that are separated only by white space and commas belong together (JSON Lines). For
//! several such groups, separated by prose, see [`Best`].

use super::blocks::Best;
use super::draft::Draft;
use super::interpret::{Interpreter, Layout};
use super::json::Scanner;
use super::query::Query;

/// Reads the values of a text; None if it contains none.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    read_values(text, query, None, 0).map(|(_, draft)| draft)
}

/// Reads values as [`read`]; `ty` is the type of mentions without a type, and `depth` the number of
/// enclosing strings.
pub(super) fn read_values(
    text: &str,
    query: &Query,
    ty: Option<&str>,
    depth: usize,
) -> Option<(Layout, Draft)> {
    let mut scanner = Scanner::new(text);
    let mut best = Best::new(query);
    let mut group = Interpreter::new(text, query, depth);
    let mut has_group = false;
    let mut end = 0;
    let mut is_joined = true;
    let mut is_json = false;
    while let Some(value) = scanner.next_value() {
        let gap = &text[end.min(value.at)..value.at];
        if has_group && !(is_joined || is_separator(gap)) {
            let next = Interpreter::new(text, query, depth);
            let (layout, draft) = std::mem::replace(&mut group, next).finish();
            best.add(layout, draft);
        }
        has_group = true;
        // After something unreadable, the next value is part of the same answer.
        is_joined = !value.is_complete;
        end = scanner.at;
        group.draft.append(std::mem::take(&mut scanner.draft));
        is_json |= !is_citation(text, value.at);
        group.value(&value, ty);
    }
    group.draft.append(std::mem::take(&mut scanner.draft));
    if !has_group {
        return None;
    }
    let (layout, draft) = group.finish();
    best.add(layout, draft);
    let (layout, mut draft) = best.finish()?;
    draft.is_broken_json = is_json;
    Some((layout, draft))
}

/// True for a bracket before a number, as in `[1]`.
fn is_citation(text: &str, at: usize) -> bool {
    let inner = text[at..].trim_start_matches(['[', '(']);
    inner.starts_with(|c: char| c.is_ascii_digit())
}

/// True if the text between two values is only punctuation.
fn is_separator(gap: &str) -> bool {
    gap.chars()
        .all(|c| c.is_whitespace() || ",;]})".contains(c))
}
