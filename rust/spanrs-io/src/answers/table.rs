//! Markdown tables.

use super::draft::Draft;
use super::orientation::Orientation;
use super::query::Query;
use super::vocabulary::{Field, field, says_none};

/// Columns of names and types.
#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    ty: usize,
}

/// A cell and its byte offset.
type Cell<'a> = (&'a str, usize);

/// Reads a table; None if there is none.
///
/// A header such as `| Entity | Type |` names the columns. Without one, two columns are read if the
/// schema or common types decide which of them has the types.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("table");
    let mut rows: Vec<Vec<Cell<'_>>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        match cells(line, at) {
            Some(cells) => rows.push(cells),
            None if !line.trim().is_empty() => draft.repair("prose"),
            None => {}
        }
        at += line.len();
    }
    let is_rule = |row: &Vec<Cell<'_>>| {
        row.iter()
            .all(|(cell, _)| cell.contains('-') && cell.chars().all(|c| "-: ".contains(c)))
    };
    let has_rule = rows.get(1).is_some_and(is_rule);
    rows.retain(|row| !is_rule(row));
    let first = rows.first()?;
    let header = header(first);
    if header.is_some() || has_rule {
        rows.remove(0);
    }
    let columns = header.or_else(|| undeclared(&rows, query));
    let Some(Columns { name, ty }) = columns else {
        let message = "the columns of the table are unknown; name them Entity and Type";
        return (!rows.is_empty())
            .then(|| Draft::unreadable("ambiguous", message.to_owned(), rows[0][0].1));
    };
    for row in rows {
        let (Some(name), Some(ty)) = (row.get(name), row.get(ty)) else {
            let at = row.first().map_or(0, |cell| cell.1);
            draft.fault("not_a_row", "the row has too few cells", at);
            continue;
        };
        if !says_none(name.0, query) && name.0 != "-" {
            draft.name(Some(ty.0), name.0, name.1);
        }
    }
    Some(draft)
}

/// The cells of a line that begins with `|`.
fn cells(line: &str, at: usize) -> Option<Vec<Cell<'_>>> {
    let trimmed = line.trim();
    let inner = trimmed.strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut offset = at + line.len() - line.trim_start().len() + 1;
    let mut found = Vec::new();
    for piece in inner.split('|') {
        let cell = piece.trim_start_matches([' ', '*', '`', '\t']);
        let start = offset + piece.len() - cell.len();
        found.push((cell.trim_end_matches([' ', '*', '`', '\t']), start));
        offset += piece.len() + 1;
    }
    Some(found)
}

/// The columns that a header names.
fn header(cells: &[Cell<'_>]) -> Option<Columns> {
    let fields: Vec<Field> = cells.iter().map(|(cell, _)| field(cell)).collect();
    let ty = fields.iter().position(|field| *field == Field::Type)?;
    let name = fields
        .iter()
        .position(|field| matches!(field, Field::Text(_) | Field::Entity))?;
    Some(Columns { name, ty })
}

/// The columns of a table of two columns.
fn undeclared(rows: &[Vec<Cell<'_>>], query: &Query) -> Option<Columns> {
    let pairs = rows.iter().map(|row| match row[..] {
        [(left, _), (right, _)] => Some((left, right)),
        _ => None,
    });
    let pairs: Option<Vec<_>> = pairs.collect();
    let pairs = pairs?;
    let orientation = Orientation::new(pairs.iter().copied(), query);
    let (left, right) = pairs.first()?;
    Some(match orientation.is_left(left, right)? {
        true => Columns { name: 1, ty: 0 },
        false => Columns { name: 0, ty: 1 },
    })
}
