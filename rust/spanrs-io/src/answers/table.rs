//! Markdown tables.

use super::MAX_VALUES;
use super::draft::Draft;
use super::orientation::Orientation;
use super::pieces::Piece;
use super::query::Query;
use super::vocabulary::{Field, field, is_no_name};

/// Maximum number of cells of a row.
pub(super) const MAX_CELLS: usize = 64;

/// Columns of names and types.
#[derive(Clone, Copy)]
pub(super) struct Columns {
    pub(super) name: usize,
    pub(super) ty: usize,
}

/// Reads a table; None if there is none.
///
/// A header such as `| Entity | Type |` names the columns. Without one, two columns are read if the
/// schema or common types decide which of them has the types.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("table");
    let mut columns = None;
    // The rows of a table without a known header.
    let mut pairs: Vec<[Piece<'_>; 2]> = Vec::new();
    let mut first: Option<usize> = None;
    let mut number_of_rows = 0;
    let mut is_regular = true;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let row = cells(line, at);
        let start = at;
        at += line.len();
        let Some(row) = row else {
            if !line.trim().is_empty() {
                draft.repair("prose");
            }
            continue;
        };
        number_of_rows += 1;
        if is_rule(&row) {
            if number_of_rows == 2 {
                pairs.clear();
            }
            continue;
        }
        if first.is_none() {
            first = row.first().map(|cell| cell.1);
            columns = header(&row);
            if columns.is_some() {
                continue;
            }
        }
        match (columns, <[Piece<'_>; 2]>::try_from(row)) {
            (Some(columns), Ok(row)) => add_row(&mut draft, &row, columns, start, query),
            (Some(columns), Err(row)) => add_row(&mut draft, &row, columns, start, query),
            (None, Ok(pair)) if pairs.len() < MAX_VALUES => pairs.push(pair),
            (None, Ok(_)) => is_regular = false,
            (None, Err(_)) => is_regular = false,
        }
    }
    let first = first?;
    if columns.is_some() {
        return Some(draft);
    }
    if pairs.is_empty() && is_regular {
        return None;
    }
    let Some(columns) = undeclared(&pairs, query).filter(|_| is_regular) else {
        let message = "the columns of the table are unknown; name them Entity and Type";
        return Some(Draft::unreadable("ambiguous", message.to_owned(), first));
    };
    for row in &pairs {
        add_row(&mut draft, row, columns, row[0].1, query);
    }
    Some(draft)
}

/// Adds the mention of a row that begins at a byte offset.
pub(super) fn add_row(
    draft: &mut Draft,
    row: &[Piece<'_>],
    columns: Columns,
    at: usize,
    query: &Query,
) {
    let (Some(name), Some(ty)) = (row.get(columns.name), row.get(columns.ty)) else {
        let at = row.first().map_or(at, |cell| cell.1);
        return draft.fault("not_a_row", "the row has too few cells", at);
    };
    if !is_no_name(name.0, query) {
        draft.name(Some(ty.0), &name.0.replace("\\|", "|"), name.1);
    }
}

/// True for the line of hyphens under a header.
fn is_rule(row: &[Piece<'_>]) -> bool {
    row.iter()
        .all(|(cell, _)| cell.contains('-') && cell.chars().all(|c| "-: ".contains(c)))
}

/// The cells of a line that begins with `|`; a bar after a backslash belongs to its cell.
fn cells(line: &str, at: usize) -> Option<Vec<Piece<'_>>> {
    let trimmed = line.trim();
    let inner = trimmed.strip_prefix('|')?;
    let inner = match inner.strip_suffix('|') {
        Some(shorter) if !shorter.ends_with('\\') => shorter,
        _ => inner,
    };
    let mut offset = at + line.len() - line.trim_start().len() + 1;
    let mut cells = Vec::new();
    let mut from = 0;
    let bars = memchr::memchr_iter(b'|', inner.as_bytes());
    let bars = bars.filter(|bar| !inner[..*bar].ends_with('\\'));
    for end in bars.chain([inner.len()]) {
        if cells.len() == MAX_CELLS {
            return None;
        }
        let piece = &inner[from..end];
        let cell = piece.trim_start_matches([' ', '*', '`', '\t']);
        let start = offset + piece.len() - cell.len();
        cells.push((cell.trim_end_matches([' ', '*', '`', '\t']), start));
        offset += piece.len() + 1;
        from = end + 1;
    }
    Some(cells)
}

/// The columns that a header names.
pub(super) fn header(cells: &[Piece<'_>]) -> Option<Columns> {
    let fields: Vec<Field> = cells.iter().map(|(cell, _)| field(cell)).collect();
    let ty = fields.iter().position(|field| *field == Field::Type)?;
    let name = fields
        .iter()
        .position(|field| matches!(field, Field::Text(_) | Field::Entity))?;
    Some(Columns { name, ty })
}

/// The columns of a table of two columns.
fn undeclared(rows: &[[Piece<'_>; 2]], query: &Query) -> Option<Columns> {
    let pairs = rows.iter().map(|[left, right]| (left.0, right.0));
    let orientation = Orientation::new(pairs, query);
    let [left, right] = rows.first()?;
    Some(match orientation.is_left(left.0, right.0)? {
        true => Columns { name: 1, ty: 0 },
        false => Columns { name: 0, ty: 1 },
    })
}
