//! Lines such as `PER: Anna, Ben`, lists under headings, and `type: name; type: name`.

use super::draft::Draft;
use super::json::{Data, Scanner};
use super::orientation::Orientation;
use super::query::{Query, folded};
use super::vocabulary::{can_be_type, is_common_type, says_none};

/// A part of a line on both sides of a separator.
struct Row<'a> {
    left: &'a str,
    right: &'a str,
    left_at: usize,
    right_at: usize,
    /// True if the separator is a colon.
    is_colon: bool,
}

/// Reads lines of types and names.
///
/// With a schema, a line counts if one side of its separator is a type of the schema. Without one,
/// all lines must have the form `type: names`, and each type must be a name of common schemas such
/// as `PER` or `location`. All other lines with a colon are faults; lines without are prose.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("type-lines");
    let mut heading: Option<String> = None;
    let mut count = 0;
    let mut unread = Vec::new();
    let mut prose = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (content, offset, is_bullet) = content_of(line);
        let start = at + offset;
        at += line.len();
        if content.is_empty() {
            continue;
        }
        if let Some(ty) = heading_of(content, query) {
            heading = Some(ty.to_owned());
            count += 1;
            continue;
        }
        let rows = rows_of(content, start, query);
        let mut has_type = false;
        for row in &rows {
            match direction(row, query) {
                Some(true) => names(&mut draft, row, query),
                Some(false) => draft.name(Some(row.right), row.left, row.left_at),
                None => {
                    unread.push(row.left_at);
                    continue;
                }
            }
            has_type = true;
        }
        count += usize::from(has_type);
        match &heading {
            _ if has_type => heading = None,
            Some(ty) if is_bullet && rows.is_empty() => {
                if !says_none(content, query) {
                    draft.name(Some(ty), unquoted(content).0, start);
                }
            }
            _ => {
                heading = None;
                prose |= rows.is_empty();
            }
        }
    }
    let strict = query.has_no_types();
    if count == 0 || strict && (!unread.is_empty() || prose && !ends_first_line(text)) {
        return None;
    }
    for at in unread {
        draft.fault(
            "no_type",
            "neither side of the separator is a known type",
            at,
        );
    }
    if prose {
        draft.repair("prose");
    }
    Some(draft)
}

/// True if the first line ends with a colon, as in "Here are the entities:".
fn ends_first_line(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    first.trim_end().ends_with(':')
}

/// The content of a line without bullets, numbers and bold marks, its offset, and whether the line
/// has a bullet.
fn content_of(line: &str) -> (&str, usize, bool) {
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

/// The type of a heading such as `**Person:**` or `## PER`.
fn heading_of<'a>(line: &'a str, query: &Query) -> Option<&'a str> {
    let is_marked = line.starts_with('#') || line.starts_with("**") && line.ends_with("**");
    let bare = line.trim_matches(|c: char| "#*_ ".contains(c));
    let ty = bare.strip_suffix(':');
    if ty.is_none() && !is_marked {
        return None;
    }
    let ty = ty.unwrap_or(bare).trim_matches(|c: char| "*_ ".contains(c));
    is_known(ty, query).then_some(ty)
}

/// True for types of the schema, or of common schemas if the schema is unknown.
fn is_known(ty: &str, query: &Query) -> bool {
    match query.has_no_types() {
        true => can_be_type(ty) && is_common_type(ty),
        false => query.is_type(ty),
    }
}

/// Splits a line into parts with a separator.
fn rows_of<'a>(line: &'a str, start: usize, query: &Query) -> Vec<Row<'a>> {
    let mut rows = Vec::new();
    let mut at = start;
    for part in line.split_inclusive(';') {
        let part_at = at;
        at += part.len();
        let part = part.strip_suffix(';').unwrap_or(part);
        let mut from = 0;
        let mut scan = 0;
        // A comma before `type:` begins a row; other commas separate names.
        while let Some(comma) = part[scan..].find(',').map(|at| scan + at) {
            scan = comma + 1;
            let next = &part[scan..];
            let end = next.find([',', ':']).unwrap_or(next.len());
            let begins = next[end..].starts_with(':') && is_known(bare(&next[..end]).0, query);
            if begins {
                rows.extend(row_of(&part[from..comma], part_at + from, query));
                from = scan;
            }
        }
        rows.extend(row_of(&part[from..], part_at + from, query));
    }
    rows
}

/// Splits a part at its separator. Separators other than the colon need a schema.
fn row_of<'a>(part: &'a str, at: usize, query: &Query) -> Option<Row<'a>> {
    const SEPARATORS: [&str; 7] = ["->", "=>", "→", " - ", " – ", " — ", "="];
    let colon = part.find(':').map(|at| (at, ":"));
    let other = SEPARATORS
        .iter()
        .find_map(|separator| part.find(separator).map(|at| (at, *separator)))
        .filter(|_| !query.has_no_types());
    let (split, separator) = colon.or(other)?;
    let (left, left_offset) = bare(&part[..split]);
    let right_start = split + separator.len();
    let (right, right_offset) = bare(&part[right_start..]);
    if right.is_empty() && !is_known(left, query) {
        return None;
    }
    Some(Row {
        left,
        right,
        left_at: at + left_offset,
        right_at: at + right_start + right_offset,
        is_colon: separator == ":",
    })
}

/// A string without white space and bold marks around it, and its offset.
fn bare(text: &str) -> (&str, usize) {
    let marks = |c: char| c.is_whitespace() || "*_`".contains(c);
    let trimmed = text.trim_start_matches(marks);
    let offset = text.len() - trimmed.len();
    let (inner, quote) = unquoted(trimmed.trim_end_matches(marks));
    (inner, offset + quote)
}

/// A string without quotes around it, and the length of the opening quote.
fn unquoted(text: &str) -> (&str, usize) {
    for (open, close) in [('"', '"'), ('\'', '\''), ('“', '”'), ('`', '`')] {
        let inner = text
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close));
        if let Some(inner) = inner.filter(|inner| !inner.contains([open, close])) {
            return (inner, open.len_utf8());
        }
    }
    (text, 0)
}

/// True if the left side is the type, false if the right side is; None if the row is not read.
fn direction(row: &Row<'_>, query: &Query) -> Option<bool> {
    let is_url = row.right.starts_with("//");
    if is_url || row.left.is_empty() {
        return None;
    }
    match query.has_no_types() {
        true => (row.is_colon && is_known(row.left, query)).then_some(true),
        false => {
            let pair = [(row.left, row.right)];
            let left = Orientation::new(pair.into_iter(), query).is_left(row.left, row.right)?;
            is_known(if left { row.left } else { row.right }, query).then_some(left)
        }
    }
}

/// Adds the names on the right side of a type.
fn names(draft: &mut Draft, row: &Row<'_>, query: &Query) {
    if says_none(row.right, query) || matches!(row.right, "" | "-" | "—" | "[]") {
        return;
    }
    if row.right.starts_with('[') {
        let mut scanner = Scanner::new(row.right);
        let value = scanner.next_value();
        if let Some(Data::List(items)) = value.map(|value| value.data) {
            for item in items {
                match item.data {
                    Data::Text(text) => {
                        let name = text.decode(row.right);
                        draft.name(Some(row.left), &name, row.right_at + text.start);
                    }
                    _ => draft.fault("not_a_name", "expected a name", row.right_at + item.at),
                }
            }
            scanner.draft.shift(row.right_at);
            draft.append(scanner.draft);
            return;
        }
    }
    let mut at = row.right_at;
    for piece in row.right.split_inclusive(',') {
        let (name, offset) = bare(piece.strip_suffix(',').unwrap_or(piece));
        if !name.is_empty() && folded(name) != "none" {
            draft.name(Some(row.left), name, at + offset);
        }
        at += piece.len();
    }
}
