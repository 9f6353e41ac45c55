//! Lines such as `PER: Anna, Ben`, lists under headings, and `type: name; type: name`.

use super::draft::Draft;
use super::json::{Data, Scanner};
use super::orientation::Orientation;
use super::pieces::{
    COLONS, COMMAS, SEMICOLONS, bare, content_of, is_introduction, pieces, unquoted,
};
use super::query::{Query, folded};
use super::vocabulary::is_no_name;

/// Words of the longest line of names without a bullet.
const MAX_WORDS: usize = 20;

/// A part of a line on both sides of a separator.
struct Row<'a> {
    left: &'a str,
    right: &'a str,
    left_at: usize,
    right_at: usize,
    /// True if the separator is a colon.
    is_colon: bool,
}

/// A line with a type, before lines with names.
struct Heading {
    ty: String,
    /// True before the first blank line: lines without bullets belong to the heading, too.
    is_adjacent: bool,
}

impl Heading {
    fn of(ty: &str) -> Self {
        Self {
            ty: ty.to_owned(),
            is_adjacent: true,
        }
    }

    /// Adds the name in a line; without a bullet, a line may have several names, or be prose.
    fn add(&self, draft: &mut Draft, line: &str, start: usize, is_bullet: bool, query: &Query) {
        if is_no_name(line, query) {
            return;
        }
        if is_bullet {
            let (name, quote) = unquoted(line);
            return draft.name(Some(&self.ty), name, start + quote);
        }
        if line.ends_with(['.', '!', '?']) || line.split_whitespace().nth(MAX_WORDS).is_some() {
            let message = "expected a name, but this is a sentence";
            return draft.fault("not_a_name", message, start);
        }
        let row = Row {
            left: &self.ty,
            right: line,
            left_at: start,
            right_at: start,
            is_colon: true,
        };
        names(draft, &row, query);
    }
}

/// Reads lines of types and names.
///
/// With a schema, a line counts if one side of its separator is a type of the schema. Without one,
/// all lines must have the form `type: names`, and each type must be a name of common schemas such
/// as `PER` or `location`. All other lines with a colon are faults; lines without are prose.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("type-lines");
    let mut heading: Option<Heading> = None;
    let mut count = 0;
    let mut unread = Vec::new();
    let mut prose = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (content, offset, is_bullet) = content_of(line);
        let start = at + offset;
        at += line.len();
        if content.is_empty() {
            heading
                .iter_mut()
                .for_each(|heading| heading.is_adjacent = false);
            continue;
        }
        if let Some(ty) = heading_of(content, query) {
            heading = Some(Heading::of(ty));
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
        if let Some(heading) = heading.as_ref().filter(|_| rows.is_empty())
            && (is_bullet || heading.is_adjacent)
        {
            heading.add(&mut draft, content, start, is_bullet, query);
        } else {
            heading = None;
            prose |= rows.is_empty();
        }
    }
    let strict = query.has_no_types();
    if count == 0 || strict && (!unread.is_empty() || prose && !ends_first_line(text)) {
        return None;
    }
    for at in unread {
        let message = "neither side of the separator is a type of the schema";
        draft.fault("no_type", message, at);
    }
    if prose {
        draft.repair("prose");
    }
    Some(draft)
}

/// True if the first line introduces an answer.
fn ends_first_line(text: &str) -> bool {
    let first = text.trim_start().lines().next().unwrap_or_default();
    is_introduction(first)
}

/// The type of a heading such as `**Person:**` or `## PER`.
fn heading_of<'a>(line: &'a str, query: &Query) -> Option<&'a str> {
    let is_marked = line.starts_with('#') || line.starts_with("**") && line.ends_with("**");
    let bare = line.trim_matches(|c: char| "#*_ ".contains(c));
    let ty = bare.strip_suffix(COLONS);
    if ty.is_none() && !is_marked {
        return None;
    }
    let ty = ty.unwrap_or(bare).trim_matches(|c: char| "*_ ".contains(c));
    query.is_usual(ty).then_some(ty)
}

/// Splits a line into parts with a separator.
fn rows_of<'a>(line: &'a str, start: usize, query: &Query) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    let mut lead = None;
    for (part, part_at) in pieces(line, SEMICOLONS) {
        let part_end = part_at + part.len();
        let mut from = part_at;
        // A comma before `type:` begins a row; other commas separate names.
        let commas = pieces(part, COMMAS).into_iter().skip(1);
        let begins = commas.filter(|(piece, _)| begins_row(piece, query));
        let begins = begins.map(|(_, at)| part_at + at);
        for to in begins.chain([part_end]) {
            let text = line[from..to].trim_end_matches(COMMAS);
            match (row_of(text, start + from, query), rows.last_mut()) {
                (Some(row), _) => rows.push(row),
                // After a semicolon, more names of the same type.
                (None, Some(row)) => row.extend(line, start, to),
                (None, None) => lead = lead.or(Some((text, start + from))),
            }
            from = to;
        }
    }
    match lead.filter(|(lead, _)| !rows.is_empty() && !lead.trim().is_empty()) {
        Some((text, at)) => {
            let (left, offset) = bare(text);
            let row = Row {
                left,
                right: "",
                left_at: at + offset,
                right_at: at + offset,
                is_colon: false,
            };
            rows.insert(0, row);
            rows
        }
        None => rows,
    }
}

impl<'a> Row<'a> {
    /// Extends the right side to an offset of the line, which begins at `start`.
    fn extend(&mut self, line: &'a str, start: usize, to: usize) {
        // Quotes around the first name belong to it.
        let mut from = self.right_at - start;
        from -= line[..from]
            .chars()
            .next_back()
            .filter(|c| "\"'“`「".contains(*c))
            .map_or(0, char::len_utf8);
        self.right = line[from..to].trim_end();
        self.right_at = start + from;
    }
}

/// True if a part after a comma begins with a type and a colon.
fn begins_row(piece: &str, query: &Query) -> bool {
    let key = piece.split_once(COLONS).map(|(key, _)| bare(key).0);
    key.is_some_and(|key| query.is_usual(key))
}

/// Splits a part at its separator. Separators other than the colon need a schema.
fn row_of<'a>(part: &'a str, at: usize, query: &Query) -> Option<Row<'a>> {
    const SEPARATORS: [&str; 7] = ["->", "=>", "→", " - ", " – ", " — ", "="];
    let colon = part
        .find(COLONS)
        .map(|at| match part[at..].starts_with(':') {
            true => (at, ":"),
            false => (at, "："),
        });
    let separator = SEPARATORS
        .iter()
        .find_map(|separator| part.find(separator).map(|at| (at, *separator)))
        .filter(|_| !query.has_no_types());
    let (split, separator) = colon.or(separator)?;
    let (left, left_offset) = bare(&part[..split]);
    let right_start = split + separator.len();
    let (right, right_offset) = bare(&part[right_start..]);
    if right.is_empty() && !query.is_usual(left) {
        return None;
    }
    Some(Row {
        left,
        right,
        left_at: at + left_offset,
        right_at: at + right_start + right_offset,
        is_colon: colon.is_some(),
    })
}

/// True if the left side is the type, false if the right side is; None if the row is not read.
fn direction(row: &Row<'_>, query: &Query) -> Option<bool> {
    let is_url = row.right.starts_with("//");
    if is_url || row.left.is_empty() {
        return None;
    }
    match query.has_no_types() {
        true => (row.is_colon && query.is_usual(row.left)).then_some(true),
        false => {
            let pair = [(row.left, row.right)];
            let left = Orientation::new(pair.into_iter(), query).is_left(row.left, row.right)?;
            query
                .is_usual(if left { row.left } else { row.right })
                .then_some(left)
        }
    }
}

/// Adds the names on the right side of a type.
fn names(draft: &mut Draft, row: &Row<'_>, query: &Query) {
    if is_no_name(row.right, query) {
        return;
    }
    let mut from = 0;
    if row.right.starts_with('[') {
        let mut scanner = Scanner::new(row.right);
        let value = scanner.next_value().filter(|value| value.at == 0);
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
            from = scanner.at;
            scanner.draft.shift(row.right_at);
            draft.append(scanner.draft);
        }
    }
    let mut rest = &row.right[from..];
    if let Some(inner) = rest
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        (rest, from) = (inner, from + 1);
    }
    let separators = [COMMAS, SEMICOLONS].concat();
    for (piece, offset) in pieces(rest, &separators) {
        let (name, name_offset) = bare(piece);
        let at = row.right_at + from + offset + name_offset;
        if name.contains(": ") {
            draft.fault("not_a_name", "expected a name, but this has a colon", at);
        } else if !name.is_empty() && folded(name) != "none" {
            draft.name(Some(row.left), name, at);
        }
    }
}
