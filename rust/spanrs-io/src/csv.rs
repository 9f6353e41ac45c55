//! Detection of files written by spreadsheets and data frame libraries: with commas, quotation
//! marks or a header.
//!
//! Reading such files as columns separated by white space would give meaningless scores, so they
//! are rejected with advice. CSV itself is not supported: column files have no quoting, and a token
//! may be a comma or a quotation mark.
//!
//! ```text
//! EU,B-ORG              separated by commas: specify the separator
//! "EU","B-ORG"          quoted tags: write the file without quotation marks
//! token tag             a header: remove the line
//! EU B-ORG
//! ```
//!
//! Tokens and tags of real corpora can resemble these forms, so more than one line is examined:
//!
//! | file | taken for |
//! |---|---|
//! | `EU,B-ORG`, `rejects,O` | separated by commas |
//! | `EU,1 B-ORG`, `; O` | columns: no tag follows the last comma |
//! | `Rome B-LOC,B-GPE` | columns: one column contains two tags |
//! | `token tag`, `EU B-ORG` | a header, recognised by its names |
//! | `word entity`, `x entity` | columns: `entity` is a tag of another row |
//! | `Wort NE-COARSE`, then 20 rows with tags such as `B-X` | a header, because only this row has no tag |
//! | `great pos`, `bad neg` | columns: tags need not be span tags |
//!
//! All functions read only the lines in the buffer, take linear time, and return a negative result
//! in doubtful cases.

use crate::blanks::is_space;
use crate::recognise::prefixed_type;

/// Returns the separator of a file whose columns are separated by commas or semicolons, in this
/// order of preference; None otherwise.
///
/// Every line except the first, which may be a header, must have at least as many cells as the
/// first line, and a tag after its last separator. More cells are accepted because a token may be
/// the separator in quotation marks (`",",O`). Blank lines and `-DOCSTART-` lines are ignored. A
/// tab in any line means that tabs separate the columns. If there is only one line, that line must
/// have a tag.
pub(crate) fn csv_separator(ahead: &[u8]) -> Option<char> {
    let lines: Vec<&[u8]> = ahead
        .split(|&b| b == b'\n')
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty() && !line.starts_with(b"-DOCSTART-"))
        .collect();
    let (first, others) = lines.split_first()?;
    if lines.iter().any(|line| line.contains(&b'\t')) {
        return None;
    }
    [b',', b';'].into_iter().find_map(|separator| {
        let cells = |line: &[u8]| line.split(|&b| b == separator).count();
        let columns = cells(first);
        // A token may be the separator, in quotation marks.
        let separated = |line: &&[u8]| cells(line) >= columns && ends_with_tag(line, separator);
        let rows = if others.is_empty() { &lines } else { others };
        (columns > 1 && rows.iter().all(separated)).then_some(char::from(separator))
    })
}

/// Returns true if a tag follows the last separator.
///
/// Returns false if the text before the separator consists of several words and ends with another
/// tag, as in `Rome B-LOC,B-GPE`: the columns of this line are separated by a space, and one column
/// contains two tags.
fn ends_with_tag(line: &[u8], separator: u8) -> bool {
    let Some(at) = line.iter().rposition(|&b| b == separator) else {
        return false;
    };
    let (before, tag) = (&line[..at], unquoted(&line[at + 1..]));
    let mut words = before.rsplit(|&b| is_space(b));
    let last = words.next();
    let several = words.next().is_some();
    is_tag(tag) && !(several && last.is_some_and(is_tag))
}

/// Returns true for `O`, and for a usual prefix followed by a type without white space (`B-PER`).
pub(crate) fn is_tag(field: &[u8]) -> bool {
    field == b"O" || prefixed_type(field).is_some() && !field.iter().any(|&b| is_space(b))
}

/// Returns the cell without enclosing double quotes; a cell without both quotes is returned
/// unchanged.
fn unquoted(cell: &[u8]) -> &[u8] {
    let inner = cell.strip_prefix(b"\"");
    inner
        .and_then(|cell| cell.strip_suffix(b"\""))
        .unwrap_or(cell)
}

/// Returns true for a tag in double quotes: `"B-ORG"`, `"O"`.
pub(crate) fn is_quoted_tag(field: &[u8]) -> bool {
    field.starts_with(b"\"") && is_tag(unquoted(field))
}

/// Names of tag columns, in lower case.
pub(crate) const TAG_NAMES: [&str; 20] = [
    "tag",
    "tags",
    "label",
    "labels",
    "ner",
    "ner_tag",
    "ner_tags",
    "iob",
    "bio",
    "entity",
    "entities",
    "gold",
    "pred",
    "prediction",
    "predicted",
    "true",
    "pos",
    "upos",
    "xpos",
    "chunk",
];
/// Names of columns of tokens or sentence numbers, in lower case.
pub(crate) const TOKEN_NAMES: [&str; 10] = [
    "token",
    "tokens",
    "word",
    "words",
    "form",
    "text",
    "sentence",
    "sentence #",
    "sentence_id",
    "sentence_idx",
];

/// Returns true if a cell is one of the names, ignoring case and enclosing quotes.
pub(crate) fn is_one_of(cell: &[u8], names: &[&str]) -> bool {
    let name = String::from_utf8_lossy(unquoted(cell)).to_lowercase();
    names.contains(&name.as_str())
}

/// Returns the first row of a file, with its fields joined by spaces for use in messages, if the
/// row is a header; None if the row may be a token with its tag.
///
/// `first` contains the fields of the first row, `tag` is the index of the tag column, and
/// `other_tags` yields the fields of the other rows in the tag column. A first row is a header if
/// its field in the tag column is neither a tag nor empty and
///
/// - that field is a known name of a tag column, another field is a known name of a token column,
///   and no other row has that field as its tag; or
/// - all other rows have tags in this column, at least one with a prefix, and either the field is a
///   known name, or there are at least [`MIN_ROWS`] other rows and the field has more than one
///   character.
pub(crate) fn header<'a>(
    first: &[&'a [u8]],
    tag: usize,
    mut other_tags: impl Iterator<Item = &'a [u8]>,
) -> Option<String> {
    let name = *first.get(tag)?;
    if is_tag(name) || name.is_empty() {
        return None;
    }
    let mut others = first.iter().enumerate().filter(|(at, _)| *at != tag);
    let named = is_one_of(name, &TAG_NAMES)
        && others
            .any(|(_, field)| is_one_of(field.strip_prefix(b"# ").unwrap_or(field), &TOKEN_NAMES));
    let (mut rows, mut prefixed, mut all_tags, mut again) = (0, false, true, false);
    for other in other_tags.by_ref() {
        rows += 1;
        prefixed |= prefixed_type(other).is_some();
        all_tags &= is_tag(unquoted(other));
        again |= other == name;
        if again || !all_tags && !named {
            return None;
        }
    }
    // One unusual tag among a few rows may be a mistake, and so may a single letter in any number
    // of rows.
    let enough = rows >= MIN_ROWS && name.len() > 1 || is_one_of(name, &TAG_NAMES);
    if !(named || all_tags && prefixed && enough) {
        return None;
    }
    let shown: Vec<_> = first
        .iter()
        .map(|field| String::from_utf8_lossy(field))
        .collect();
    Some(shown.join(" "))
}

/// Minimum number of other rows for a first row without a tag to be a header, whatever its names.
/// With fewer rows, one unusual tag may be a mistake.
const MIN_ROWS: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn separator(text: &str) -> Option<char> {
        csv_separator(text.as_bytes())
    }

    #[test]
    fn commas_and_semicolons_between_columns_are_found() {
        assert_eq!(separator("EU,B-ORG\nrejects,O\n"), Some(','));
        assert_eq!(separator("-DOCSTART-\n\nEU;NNP;B-ORG\n"), Some(';'));
        assert_eq!(
            separator("Sentence #,Word,Tag\nSentence: 1,EU,B-ORG\n,\",\",O\n"),
            Some(',')
        );
        assert_eq!(separator("\"EU\",\"B-ORG\"\n\"x\",\"O\""), Some(','));
    }

    #[test]
    fn tokens_and_tags_with_commas_are_no_csv() {
        for text in [
            ", O\nEU,1 B-ORG\n; O\n",
            "EU\tB-ORG,O\nsays\tO,O\n",
            "EU B-ORG,O\nsays O,O\n",
            "Rome B-LOC,B-GPE\n",
            "Case=Nom,Gen\n1,5\n",
            "EU,B-ORG\nrejects O\n",
            "EU B-ORG\n",
            "",
        ] {
            assert_eq!(separator(text), None, "{text}");
        }
    }

    fn named(first: &str, tag: usize, others: &[&str]) -> Option<String> {
        let fields: Vec<&[u8]> = first.split(' ').map(str::as_bytes).collect();
        header(&fields, tag, others.iter().map(|tag| tag.as_bytes()))
    }

    #[test]
    fn headers_are_found() {
        assert_eq!(named("token tag", 1, &["O"]).unwrap(), "token tag");
        assert_eq!(
            named("Word POS \"NER\"", 2, &[]).unwrap(),
            "Word POS \"NER\""
        );
        assert!(named("tag", 0, &["O", "B-X"]).is_some());
        let mut tags = vec!["O"; 30];
        assert_eq!(named("Wort NE-COARSE", 1, &tags), None);
        tags[7] = "B-X";
        assert!(named("Wort NE-COARSE", 1, &tags).is_some());
        assert!(named("# Wort", 1, &tags).is_some());
    }

    #[test]
    fn tokens_with_such_tags_are_no_headers() {
        assert_eq!(named("great pos", 1, &["neg"]), None);
        assert_eq!(named("'s POS POS", 1, &["NN"]), None);
        assert_eq!(named("word entity", 1, &["O", "entity"]), None);
        assert_eq!(named("pos", 0, &["neg", "pos"]), None);
        assert_eq!(named("token O", 1, &["O"]), None);
        assert_eq!(named("EU I_ORG", 1, &["O", "B-X"]), None);
    }

    #[test]
    fn quoted_tags_are_found() {
        assert!(is_quoted_tag(b"\"B-ORG\"") && is_quoted_tag(b"\"O\""));
        assert!(!is_quoted_tag(b"\"\"\"") && !is_quoted_tag(b"\"x\"") && !is_quoted_tag(b"O"));
    }
}
