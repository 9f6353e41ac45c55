//! Names with types in parentheses: `Anna (PER), Paris (LOC)`, also in lines with bullets.

use super::draft::Draft;
use super::pieces::{COMMAS, Piece, SEMICOLONS, bare, content_of, is_introduction};
use super::query::Query;

/// Words of the longest name.
const MAX_WORDS: usize = 10;

/// Reads names with types in parentheses; None if there are none.
///
/// A line counts if it consists of such names, separated by commas or semicolons; the types are in
/// the schema, or in common schemas. Without a schema, every line must count, except for a first
/// line such as "Here are the entities:". A line with a full stop is a sentence with marks, in
/// which it is unknown where names begin.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("pairs");
    let mut count = 0;
    let mut unread = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (content, offset, _) = content_of(line);
        let start = at + offset;
        at += line.len();
        if content.is_empty() {
            continue;
        }
        let Some(items) = items(content, query) else {
            if count == 0 && is_introduction(content) {
                draft.repair("prose");
            } else {
                unread.push(start);
            }
            continue;
        };
        for (name, ty) in items {
            count += 1;
            let (stripped, name_at) = bare(name.0);
            let name_at = start + name.1 + name_at;
            let has_separator = |separators: &[char]| stripped.contains(separators);
            if has_separator(COMMAS) || has_separator(SEMICOLONS) || stripped.contains(": ") {
                let message = "it is unknown where the name begins, or whether there are several";
                draft.fault("ambiguous", message, name_at);
            } else {
                draft.name(Some(ty), stripped, name_at);
            }
        }
    }
    if count == 0 || query.has_no_types() && !unread.is_empty() || unread.len() > count {
        return None;
    }
    for at in unread {
        draft.fault(
            "not_a_row",
            "the line is not a list of names with types",
            at,
        );
    }
    if draft.mentions.list.is_empty() && !draft.faults.is_empty() {
        (draft.is_unreadable, draft.layout) = (true, "unreadable");
    }
    Some(draft)
}

/// The names and types of a line; None if it contains anything else.
fn items<'a>(line: &'a str, query: &Query) -> Option<Vec<(Piece<'a>, &'a str)>> {
    let mut items = Vec::new();
    let mut from = 0;
    let mut open = None;
    for bracket in memchr::memchr2_iter(b'(', b')', line.as_bytes()) {
        if line[bracket..].starts_with('(') {
            open = Some(bracket);
            continue;
        }
        let rest = line[bracket + 1..].trim_start();
        let is_end = rest.is_empty() || rest.starts_with(COMMAS) || rest.starts_with(SEMICOLONS);
        let Some(open) = open.take().filter(|open| is_end && *open >= from) else {
            continue;
        };
        let (name, ty) = (&line[from..open], line[open + 1..bracket].trim());
        if !query.is_usual(ty) {
            continue;
        }
        let start = name.len() - name.trim_start().len();
        let (name, start) = match name[start..].strip_prefix("and ") {
            Some(rest) if !items.is_empty() => (rest, from + start + "and ".len()),
            _ => (name, from),
        };
        if name.trim().is_empty() || name.split_whitespace().count() > MAX_WORDS {
            return None;
        }
        items.push(((name, start), ty));
        from = line.len() - rest.len() + rest.chars().next().map_or(0, char::len_utf8);
    }
    (from == line.len() && !items.is_empty()).then_some(items)
}
