//! Recognition of tables written by spreadsheets and data frame libraries, and of stacked tags,
//! from the first lines.
//!
//! A file with one token per line and tabs between columns is not such a table unless it has a
//! header or quoted tags: tokens may be quotation marks, commas, and words such as `token`.

use super::prefixed_type;
use crate::blanks::{is_space, split, trimmed};
use crate::csv::{TAG_NAMES, TOKEN_NAMES, csv_separator, header, is_one_of, is_quoted_tag};
use crate::document::Format;

/// Number of lines that are examined for a header.
const ROWS: usize = 1000;

/// Names of table columns with the position of a token or span, in lower case.
const PLACE_NAMES: [&str; 21] = [
    "document",
    "document_id",
    "doc",
    "doc_id",
    "file",
    "filename",
    "annotator",
    "annotator_id",
    "worker",
    "worker_id",
    "position",
    "pos_in_sentence",
    "index",
    "id",
    "start",
    "begin",
    "end",
    "offset",
    "sent_id",
    "token_id",
    "word_id",
];

/// Returns true if the first lines are a table with commas, semicolons or tabs between cells.
///
/// | lines | `named` | table | reason |
/// |---|---|---|---|
/// | `"EU","NNP"` | | yes | all cells of the first line are quoted |
/// | `EU<tab>"B-ORG"` | | yes | a quoted tag |
/// | `"<tab>O` | | no | a quotation mark is a token |
/// | `token<tab>tag`, `EU<tab>B-ORG` | | yes | a header |
/// | `token tag`, `EU B-ORG` | | no | separated by a space; the column reader reports the header |
/// | `EU,B-ORG` | | yes | a tag after the comma |
/// | `EU,NNP` | no | no | may be a single token |
/// | `EU,NNP` | yes | yes | the name ends with `.csv`, and every line has a comma |
/// | `EU<tab>NNP` | yes | no | columns |
pub(super) fn is_csv(lines: &[u8], named: bool) -> bool {
    let mut rows = lines
        .split(|&b| b == b'\n')
        .map(trimmed)
        .filter(|line| !line.trim_ascii().is_empty());
    let Some(first) = rows.clone().next() else {
        return false;
    };
    if csv_separator(lines).is_some() {
        return true;
    }
    [b',', b';', b'\t'].into_iter().any(|separator| {
        let cells = split(first, Some(separator));
        if cells.len() < 2 {
            return false;
        }
        let quoted =
            |cell: &&[u8]| cell.len() > 1 && cell.starts_with(b"\"") && cell.ends_with(b"\"");
        let bare = separator != b'\t' && !first.contains(&b'\t');
        cells.iter().all(quoted)
            || cells.last().is_some_and(|cell| is_quoted_tag(cell))
            || is_known_header(&cells)
            || is_header(lines, &cells, separator)
            || named && bare && rows.all(|line| line.contains(&separator))
    })
}

/// Names of the columns of tables with a row for each span, in lower case: start, end and type.
const SPAN_COLUMNS: [&[&str]; 3] = [
    &[
        "start",
        "begin",
        "start_offset",
        "start_char",
        "begin_offset",
    ],
    &["end", "stop", "end_offset", "end_char", "stop_offset"],
    &[
        "type",
        "label",
        "entity",
        "entity_type",
        "tag",
        "class",
        "category",
    ],
];

/// Returns the format of a table of spans of characters, or of an export of Label Studio, from its
/// header.
///
/// | header | format |
/// |---|---|
/// | `document,start,end,type` | `csv-spans` |
/// | `annotation_id,annotator,id,label,text` | `label-studio-csv` |
/// | `token,start,end,tag` | none: a table of tokens |
pub(super) fn span_table(lines: &[u8]) -> Option<Format> {
    let first = lines.split(|&b| b == b'\n').map(trimmed).next()?;
    [b',', b';', b'\t'].into_iter().find_map(|separator| {
        let cells = split(first, Some(separator));
        let names = cells.iter().map(|cell| {
            let cell = cell.strip_prefix(b"\"").unwrap_or(cell);
            let cell = cell.strip_suffix(b"\"").unwrap_or(cell);
            cell.trim_ascii().to_ascii_lowercase()
        });
        let names: Vec<Vec<u8>> = names.collect();
        let has = |name: &&str| names.iter().any(|cell| cell == name.as_bytes());
        if ["annotation_id", "id"].iter().all(&has) && (has(&"lead_time") || has(&"annotator")) {
            return Some(Format::LabelStudioCsv);
        }
        let spans = SPAN_COLUMNS.iter().all(|column| column.iter().any(&has));
        let tokens = ["token", "word", "tokens", "words"].iter().any(has);
        (spans && !tokens).then_some(Format::CsvSpans)
    })
}

/// Returns true if the first line is a header, either by its names or because a column has no tag
/// in this line and tags in all other lines.
fn is_header(lines: &[u8], first: &[&[u8]], separator: u8) -> bool {
    let rows = lines.split(|&b| b == b'\n').map(trimmed).take(ROWS);
    let rows = rows.map(|line| split(line, Some(separator)));
    let rows: Vec<_> = rows.filter(|cells| cells.len() == first.len()).collect();
    (0..first.len()).any(|column| {
        let others = rows.iter().skip(1).map(|cells| cells[column]);
        header(first, column, others).is_some()
    })
}

/// Returns true if the last column contains a stacked tag, such as `I-S|B-NP`, with the outermost
/// tag first.
///
/// All pieces are `O`, `_`, or a type after `B-` or `I-`, and the first two have a type. Columns
/// are separated as in column files: by tabs if there are any, otherwise by white space.
pub(super) fn is_stacked(lines: &[u8]) -> bool {
    lines.split(|&b| b == b'\n').map(trimmed).any(|line| {
        let tag = match line.contains(&b'\t') {
            true => line.rsplit(|&b| b == b'\t').next(),
            false => line.trim_ascii_end().rsplit(|&b| is_space(b)).next(),
        };
        tag.is_some_and(is_stacked_tag)
    })
}

/// Returns true for a stacked tag.
fn is_stacked_tag(tag: &[u8]) -> bool {
    let typed = |piece: &[u8]| matches!(piece, [b'B' | b'I', ..]) && prefixed_type(piece).is_some();
    let mut pieces = tag.split(|&b| b == b'|');
    pieces.next().is_some_and(typed)
        && pieces.next().is_some_and(typed)
        && pieces.all(|piece| typed(piece) || piece == b"O" || piece == b"_")
}

/// Returns true for the header of a table: at least three cells are known names, including the name
/// of a tag column and the name of a position column. A token with its tags does not meet this
/// condition.
fn is_known_header(cells: &[&[u8]]) -> bool {
    let count = |names: &[&str]| cells.iter().filter(|cell| is_one_of(cell, names)).count();
    let (tags, places) = (count(&TAG_NAMES), count(&PLACE_NAMES));
    places > 0 && tags > 0 && places + tags + count(&TOKEN_NAMES) > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_told_from_columns() {
        for (text, expected) in [
            ("\"EU\",\"NNP\"\n", true),
            ("\"token\"\t\"tag\"\nEU\tB-ORG\n", true),
            ("EU\t\"B-ORG\"\n", true),
            ("token\ttag\nEU\tB-ORG\n", true),
            ("Sentence #;Word;POS\nSentence: 1;EU;NNP\n", true),
            ("doc_id,annotator,start,end,label\n1,ann,0,2,PER\n", true),
            ("EU,B-ORG\r\nrejects,O\r\n", true),
            ("token tag\nEU B-ORG\n", false),
            ("\"\tO\n\"\tO\n", false),
            ("\"\t\"\tO\n", false),
            (", O\nEU B-ORG\n", false),
            ("EU\tB-ORG\nrejects\tO\n", false),
            ("great\tpos\nbad\tneg\n", false),
            ("end\ttype\nx\ty\n", false),
            ("EU,NNP\nrejects,VBZ\n", false),
            ("", false),
        ] {
            assert_eq!(is_csv(text.as_bytes(), false), expected, "{text}");
        }
        let named = |text: &str| is_csv(text.as_bytes(), true);
        assert!(named("EU,NNP\nrejects,VBZ\n") && named("EU;NNP\n\nit;PRP\n"));
        assert!(!named(", O\nEU B-ORG\n") && !named("EU\tB-ORG\n") && !named("B-ORG\n"));
    }

    #[test]
    fn stacked_tags_have_two_types() {
        let stacked = |text: &str| is_stacked(text.as_bytes());
        assert!(stacked("EU NE O\nrejects VB I-S|B-NP \n") && stacked("EU\tB-S|B-NP|_"));
        assert!(
            !stacked("EU B-ORG\nx O|O\n") && !stacked("EU B-S|NP\n") && !stacked("B-A|B-B O\n")
        );
        assert!(!stacked("x Case=Nom|Number=Sing\n") && !stacked("EU B-S|B-NP|x\n"));
    }
}
