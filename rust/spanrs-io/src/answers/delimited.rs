//! Lines of columns that are separated by tabs, semicolons or commas.

use super::MAX_VALUES;
use super::draft::Draft;
use super::orientation::Orientation;
use super::pieces::{Piece, is_introduction, pieces, unquoted};
use super::query::Query;
use super::table::{Columns, MAX_CELLS, add_row, header};

/// Reads separated columns; None if there are none.
///
/// A header such as `entity,type` names the columns. Without one, every line must have two columns,
/// of which one is a type of the schema or of common schemas; a single line without a tab needs a
/// schema.
pub(super) fn read(text: &str, query: &Query) -> Option<Draft> {
    let mut draft = Draft::new("table");
    let mut lines = lines(text).peekable();
    let &(first, _) = lines.peek()?;
    if is_introduction(first) && !first.contains('\t') {
        draft.repair("prose");
        lines.next();
    }
    let &(first, first_at) = lines.peek()?;
    let delimiter = ['\t', ';', ',']
        .into_iter()
        .find(|delimiter| first.contains(*delimiter))?;
    if let Some(columns) = header(&cells(first, first_at, delimiter)?) {
        for (line, at) in lines.skip(1) {
            let row = cells(line, at, delimiter).unwrap_or_default();
            add_row(&mut draft, &row, columns, at, query);
        }
        return Some(draft);
    }
    let mut rows = Vec::new();
    for (line, at) in lines {
        let row = cells(line, at, delimiter).filter(|_| rows.len() < MAX_VALUES)?;
        rows.push(<[Piece<'_>; 2]>::try_from(row).ok()?);
    }
    if delimiter != '\t' && rows.len() < 2 && query.has_no_types() {
        return None;
    }
    let pairs = rows.iter().map(|[left, right]| (left.0, right.0));
    let orientation = Orientation::new(pairs, query);
    for row in &rows {
        let [left, right] = row;
        let is_left = orientation.is_left(left.0, right.0)?;
        let columns = Columns {
            name: usize::from(is_left),
            ty: usize::from(!is_left),
        };
        if !query.is_usual(row[columns.ty].0) {
            return None;
        }
        add_row(&mut draft, row, columns, left.1, query);
    }
    Some(draft)
}

/// The lines that are not blank, with their byte offsets.
fn lines(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut at = 0;
    text.split_inclusive('\n').filter_map(move |line| {
        let start = at + line.len() - line.trim_start_matches(' ').len();
        at += line.len();
        let line = line.trim_start_matches(' ').trim_end();
        (!line.is_empty()).then_some((line, start))
    })
}

/// The cells of a line; None if there is one cell, or if there are too many.
fn cells(line: &str, at: usize, delimiter: char) -> Option<Vec<Piece<'_>>> {
    let pieces = pieces(line, &[delimiter]);
    let is_row = (2..=MAX_CELLS).contains(&pieces.len());
    is_row.then(|| {
        pieces
            .into_iter()
            .map(|(piece, start)| cell_of(piece, at + start))
            .collect()
    })
}

/// A cell without white space and quotes.
fn cell_of(piece: &str, at: usize) -> Piece<'_> {
    let trimmed = piece.trim_start();
    let (cell, quote) = unquoted(trimmed.trim_end());
    (cell, at + piece.len() - trimmed.len() + quote)
}
