//! Warnings for users: the file can be read, but the options may be wrong.

use spanrs_base::Position;
use spanrs_eval::Violations;
use spanrs_io::ColumnReader;
use spanrs_tags::{Scheme, are_many};

/// Returns warnings about the columns of a file, based on its first lines: unread columns with tags
/// of the same types as the tag column, except the column `also_read` (from 0), and a column of
/// running numbers that is read as the tokens.
///
/// # Examples
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// let source = Box::new(&b"Deutsche B-ORG O\nBank I-ORG O\nBonn I-ORG B-ORG\n"[..]);
/// let lines = LineReader::new("example", source, Default::default())?;
/// let rows = ColumnReader::new(lines, Columns::default())?;
/// let warnings = spanrs::column_warnings(&rows, None);
/// assert!(warnings[0].starts_with("example: column 1 has tags of the same types"));
/// assert!(spanrs::column_warnings(&rows, Some(1)).is_empty());
/// # Ok::<(), spanrs::Error>(())
/// ```
pub fn column_warnings(rows: &ColumnReader, also_read: Option<usize>) -> Vec<String> {
    warnings_besides(rows, also_read.as_slice())
}

/// Same as [`column_warnings`], with several columns that are also read.
pub(crate) fn warnings_besides(rows: &ColumnReader, also_read: &[usize]) -> Vec<String> {
    let path = Position::file(rows.path());
    let mut found = Vec::from_iter(numbers_warning(rows));
    let unread = rows.unread_layers().iter().copied();
    let unread: Vec<usize> = unread
        .filter(|column| !also_read.contains(column))
        .collect();
    if !unread.is_empty() {
        let mut all = [unread.as_slice(), &[rows.tag_column()]].concat();
        all.sort_unstable();
        let (subject, verb) = match unread.len() {
            1 => ("column", "has"),
            _ => ("columns", "have"),
        };
        found.push(format!(
            "{path}: {subject} {} {verb} tags of the same types, which are not read; layers of nested annotations \
             are read together by spanrs score (--column {}, in Python tags=({}))",
            join(&unread, ", "),
            join(&all, ","),
            join(&all, ", "),
        ));
    }
    found
}

/// Returns a warning if the column that is read as the tokens contains running numbers.
pub(crate) fn numbers_warning(rows: &ColumnReader) -> Option<String> {
    let column = rows.token_column().filter(|_| rows.tokens_are_numbers())?;
    let next = column + 1;
    Some(format!(
        "{}: column {column} is read as the tokens but contains their numbers; specify the column of the tokens \
         (--token-column {next}, in Python tokens={next})",
        Position::file(rows.path()),
    ))
}

/// Returns a warning if more than a tenth of the tags other than `O` are violations, which usually
/// means that the file is in another scheme or the wrong column was read.
///
/// `labelled` is the number of tags other than `O`, and `consequence` states how malformed tags
/// were read. The message contains the first violation if its position was kept:
///
/// ```text
/// a.conll: 7 violations of BIO among 40 tags other than O, the first on line 3: ...; is it in another scheme?
/// ```
pub(crate) fn violation_warning(
    path: &str,
    scheme: Scheme,
    violations: &Violations,
    labelled: u64,
    consequence: &str,
) -> Option<String> {
    if !are_many(violations.count, labelled) {
        return None;
    }
    let (n, s) = (
        violations.count,
        if violations.count == 1 { "" } else { "s" },
    );
    let first = violations.first.first();
    let first = first.map_or(String::new(), |first| {
        format!(", the first on line {}: {}", first.line, first.violation)
    });
    Some(format!(
        "{}: {n} violation{s} of {} among {labelled} tags other than O{first}; {consequence}",
        Position::file(path),
        scheme.name()
    ))
}

/// Joins column numbers.
fn join(columns: &[usize], separator: &str) -> String {
    let names: Vec<String> = columns.iter().map(usize::to_string).collect();
    names.join(separator)
}
