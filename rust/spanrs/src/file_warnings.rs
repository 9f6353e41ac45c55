use spanrs_base::Position;
use spanrs_eval::Violations;
use spanrs_io::ColumnReader;
use spanrs_tags::{Scheme, are_many};

/// Warnings about the columns of a file: unread columns with tags of the same types, except the column `also_read`, and
/// a column of running numbers that is read as the tokens.
pub fn column_warnings(rows: &ColumnReader, also_read: Option<usize>) -> Vec<String> {
    let path = Position::file(rows.path());
    let mut found = Vec::new();
    if let Some(column) = rows.token_column().filter(|_| rows.tokens_are_numbers()) {
        found.push(format!(
            "{path}: column {column} is read as the tokens and holds their numbers; name the column of the tokens \
             (--token-column {}, in Python Columns(token={}))",
            column + 1,
            column + 1
        ));
    }
    let unread = rows.unread_layers().iter().copied();
    let unread: Vec<usize> = unread.filter(|column| Some(*column) != also_read).collect();
    if !unread.is_empty() {
        let mut all = [unread.as_slice(), &[rows.tag_column()]].concat();
        all.sort_unstable();
        let (subject, verb) = match unread.len() {
            1 => ("column", "has"),
            _ => ("columns", "have"),
        };
        found.push(format!(
            "{path}: {subject} {} {verb} tags of the same types, which are not read; layers of nested annotations \
             are read together by spanrs score (--column {}, in Python Columns(tag=({})))",
            join(&unread, ", "),
            join(&all, ","),
            join(&all, ", "),
        ));
    }
    found
}

/// A warning if more than a tenth of the tags other than `O` are violations. `consequence` says how they were read.
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

fn join(columns: &[usize], separator: &str) -> String {
    let names: Vec<String> = columns.iter().map(usize::to_string).collect();
    names.join(separator)
}
