use spanrs_base::Position;
use spanrs_io::ColumnReader;

/// A warning about the columns that hold tags of the same types as the column that is read, except the column
/// `also_read`.
pub fn unread_layers(rows: &ColumnReader, also_read: Option<usize>) -> Option<String> {
    let unread: Vec<usize> = rows
        .unread_layers()
        .iter()
        .copied()
        .filter(|column| Some(*column) != also_read)
        .collect();
    if unread.is_empty() {
        return None;
    }
    let mut all = [unread.as_slice(), &[rows.tag_column()]].concat();
    all.sort_unstable();
    let (subject, verb) = match unread.len() {
        1 => ("column", "has"),
        _ => ("columns", "have"),
    };
    Some(format!(
        "{}: {subject} {} {verb} tags of the same types, which are not read; layers of nested annotations are read \
         together by spanrs score (--column {}, in Python Columns(tag=({})))",
        Position::file(rows.path()),
        join(&unread, ", "),
        join(&all, ","),
        join(&all, ", "),
    ))
}

fn join(columns: &[usize], separator: &str) -> String {
    let names: Vec<String> = columns.iter().map(usize::to_string).collect();
    names.join(separator)
}
