//! CoNLL-U: ten named columns separated by tabs, words numbered from 1, and additional lines for
//! multiword tokens and empty nodes.
//!
//! ```text
//! # text = Don't go
//! 1-2   Don't   _    _      _    _   _   _        _   _              a multiword token: skipped
//! 1     Do      do   AUX    VBP  _   3   aux      _   NER=O
//! 2     n't     not  PART   RB   _   3   advmod   _   _              not specified: the tag is O
//! 3     go      go   VERB   VB   _   0   root     _   SpaceAfter=No|NER=B-ACT
//! ```
//!
//! The format has no column for span tags. Span tags are either values of a key in MISC, as in the
//! example, or replace the whole MISC column, as written by programs that append a column of tags.
//! Both are supported, as are tags in UPOS and XPOS.
//!
//! | field | key | tag |
//! |---|---|---|
//! | `SpaceAfter=No\|NER=B-PER` | `NER` | `B-PER` |
//! | `XNER=B-PER` | `NER` | `O` |
//! | `NER=` | `NER` | `O` |
//! | `B-PER` | none | `B-PER` |
//! | `_` | any or none | `O` |
//!
//! Tokens may also be values of a key, such as transliterations; if a word does not have the key,
//! the token is `_`.
//!
//! A key that no word has is an error at the end of the file: the key is usually misspelt, and all
//! tags would silently be `O`.
//!
//! Source: <https://universaldependencies.org/format.html>. This module reads columns; sentences
//! with syntax are read by [`crate::SyntaxReader`], which uses the same classification of ids.

use std::ops::Range;

use spanrs_base::Position;

use crate::blanks::{is_space, trimmed};
use crate::error::{Code, Error, Result};
use crate::layout::{Column, Columns, Keys, Layout, Place};
use crate::lines::LineReader;
use crate::recognise::prefixed_type;

/// The names of the columns, in order.
pub(crate) const NAMES: [&str; 10] = [
    "ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC",
];
/// Column of the tokens.
pub(crate) const FORM: usize = 1;
/// Column of `key=value` items, separated by `|`.
pub(crate) const MISC: usize = 9;
/// Column of the heads: a number, or `_`.
const HEAD: usize = 6;

/// Kind of a line, according to its first column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    /// A word: `3`.
    Word,
    /// A multiword token, which covers several words (`3-4`), or an empty node, which is not a word
    /// of the text (`3.1`).
    NoWord,
    /// A multiword token that covers fewer than two words: `1-1`, `3-2`.
    ShortRange,
    /// Anything else.
    Invalid,
}

/// Classifies an id by its form. Does not check whether the numbers are consecutive.
///
/// | field | kind |
/// |---|---|
/// | `3` | word |
/// | `3-4`, `3.1` | not a word |
/// | `1-1`, `3-2` | short range |
/// | empty, `x`, `1-`, `-1`, `1-2-3` | invalid |
pub(crate) fn id(field: &[u8]) -> Id {
    let number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let Some(at) = field.iter().position(|&b| b == b'-' || b == b'.') else {
        return if number(field) { Id::Word } else { Id::Invalid };
    };
    let (first, second) = (&field[..at], &field[at + 1..]);
    if !number(first) || !number(second) {
        Id::Invalid
    } else if field[at] == b'-' && magnitude(first) >= magnitude(second) {
        Id::ShortRange
    } else {
        Id::NoWord
    }
}

/// Returns the sort key of a decimal number of any length: the number of significant digits, then the
/// digits.
fn magnitude(digits: &[u8]) -> (usize, &[u8]) {
    let zeros = digits.iter().take_while(|&&b| b == b'0').count();
    (digits.len() - zeros, &digits[zeros..])
}

/// Returns true if the first line of `ahead` that is neither blank nor a comment is a CoNLL-U line:
/// ten columns separated by tabs, an id in the first column, and a number or `_` in HEAD.
///
/// HEAD is checked because other formats also have ten columns and numbers in the first one.
/// CoNLL-X files are accepted as well.
pub(crate) fn fits(ahead: &[u8]) -> bool {
    let mut lines = ahead.split(|&b| b == b'\n').map(trimmed);
    let first = lines.find(|line| !line.iter().all(|&b| is_space(b)) && !line.starts_with(b"#"));
    first.is_some_and(|line| {
        let fields: Vec<&[u8]> = line.split(|&b| b == b'\t').collect();
        let head = |field: &[u8]| field == b"_" || id(field) == Id::Word;
        fields.len() == NAMES.len() && id(fields[0]) != Id::Invalid && head(fields[HEAD])
    })
}

/// Returns the index of the column with this name, ignoring case; None for other names, which are
/// keys of MISC.
fn column_of(name: &str) -> Option<usize> {
    NAMES
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))
}

/// Returns the column with this name, or MISC with the name as a key.
fn named_place(name: &str) -> Place {
    match column_of(name) {
        Some(column) => Place { column, key: None },
        None => Place {
            column: MISC,
            key: Some(name.to_owned()),
        },
    }
}

/// Resolves an extra column; -1 is MISC.
///
/// # Errors
/// A message for a number that is out of range.
pub(crate) fn extra_place(column: &Column) -> Result<Place, String> {
    let last = NAMES.len() - 1;
    match column {
        Column::Name(name) => Ok(named_place(name)),
        Column::Index(-1) => Ok(Place {
            column: MISC,
            key: None,
        }),
        Column::Index(column) => match usize::try_from(*column) {
            Ok(column) if column <= last => Ok(Place { column, key: None }),
            _ => Err(format!("no column {column}: CoNLL-U has 0 to {last}")),
        },
    }
}

/// Sets a key of MISC to a value; other keys are unchanged.
///
/// The value `O` does not add a missing key, because a missing key already means `O`.
///
/// | field | key and value | becomes |
/// |---|---|---|
/// | `_` | `NER`, `B-PER` | `NER=B-PER` |
/// | `SpaceAfter=No` | `NER`, `B-PER` | `SpaceAfter=No\|NER=B-PER` |
/// | `NER=O\|SpaceAfter=No` | `NER`, `B-PER` | `NER=B-PER\|SpaceAfter=No` |
/// | `_` | `NER`, `O` | `_` |
pub(crate) fn set_key(field: &mut Vec<u8>, key: &str, value: &[u8]) {
    let mut start = 0;
    for item in field.split(|&byte| byte == b'|') {
        let end = start + item.len();
        if let Some(rest) = item.strip_prefix(key.as_bytes())
            && rest.starts_with(b"=")
        {
            field.splice(end - rest.len() + 1..end, value.iter().copied());
            return;
        }
        start = end + 1;
    }
    if value == b"O" {
        return;
    }
    match field.as_slice() {
        b"_" => field.clear(),
        b"" => {}
        _ => field.push(b'|'),
    }
    field.extend_from_slice(key.as_bytes());
    field.push(b'=');
    field.extend_from_slice(value);
}

/// Returns the range of the tag within a field: the whole field if there is no key, otherwise the
/// value of the first `key=value` item with this key (`SpaceAfter=No|NER=B-PER`). None if nothing
/// is specified: the value is empty or `_`, or no item has the key.
pub(crate) fn tag_place(field: &[u8], key: Option<&str>) -> Option<Range<usize>> {
    let found = match key {
        None => Some(0..field.len()),
        Some(key) => {
            let mut begin = 0;
            field.split(|&b| b == b'|').find_map(|part| {
                let end = begin + part.len();
                let after = std::mem::replace(&mut begin, end + 1) + key.len() + 1;
                let value = part.strip_prefix(key.as_bytes())?.strip_prefix(b"=");
                value.map(|_| after..end)
            })
        }
    };
    found.filter(|place| !place.is_empty() && &field[place.clone()] != b"_")
}

/// Returns the tag in a field; `O` if nothing is specified.
#[inline]
pub(crate) fn tag<'a>(field: &'a [u8], key: Option<&str>) -> &'a [u8] {
    tag_place(field, key).map_or(b"O", |place| &field[place])
}

/// Returns the token in a field, which may be `_`. With a key, the token is the value of the key,
/// or `_` if the value is not specified.
#[inline]
pub(crate) fn token<'a>(field: &'a [u8], key: Option<&str>) -> &'a [u8] {
    match key {
        None => field,
        Some(_) => tag_place(field, key).map_or(b"_", |place| &field[place]),
    }
}

/// Returns the MISC fields of the words in `ahead`, which contains the first lines of a file.
fn misc(ahead: &[u8]) -> impl Iterator<Item = &[u8]> {
    ahead.split_inclusive(|&b| b == b'\n').filter_map(|line| {
        let fields: Vec<&[u8]> = trimmed(line).split(|&b| b == b'\t').collect();
        (fields.len() == NAMES.len() && id(fields[0]) == Id::Word).then(|| fields[MISC])
    })
}

/// Returns true if MISC contains tags and not keys: every field is `_`, `O` or a tag with a prefix,
/// and at least one field is a tag with a prefix.
///
/// The fields `O`, `B-PER`, `_` are tags. The fields `SpaceAfter=No`, `_` are not; `O` and `_`
/// alone are not sufficient evidence.
fn misc_holds_tags(ahead: &[u8]) -> bool {
    let mut any = false;
    misc(ahead).all(|field| {
        let tag = prefixed_type(field).is_some();
        any |= tag;
        tag || field == b"_" || field == b"O"
    }) && any
}

/// Returns the keys of MISC in the order of their first occurrence, at most 8, for messages.
///
/// For the fields `SpaceAfter=No|NER=O` and `NER=B-PER|Gloss=x`, the keys are `SpaceAfter`, `NER`
/// and `Gloss`.
pub(crate) fn misc_keys(ahead: &[u8]) -> Vec<String> {
    const MOST: usize = 8;
    let mut keys: Vec<String> = Vec::new();
    for part in misc(ahead).flat_map(|field| field.split(|&b| b == b'|')) {
        let Some(at) = part.iter().position(|&b| b == b'=') else {
            continue;
        };
        let key = String::from_utf8_lossy(&part[..at]);
        if keys.len() < MOST && !keys.iter().any(|known| *known == key) {
            keys.push(key.into_owned());
        }
    }
    keys
}

/// Determines the layout of a CoNLL-U file. `line` is the first token line, and `at` the number of
/// lines before it.
///
/// The default column of tags, -1, is accepted only if MISC contains tags and not keys; otherwise
/// the column must be specified, because CoNLL-U does not define a column for span tags. The error
/// lists the keys found in MISC.
///
/// # Errors
/// [`Code::Ragged`] if the line does not have ten columns, [`Code::NoColumn`] for a column that is
/// out of range, and for -1 if MISC does not contain tags.
pub(crate) fn layout(
    lines: &LineReader,
    options: &Columns,
    at: usize,
    line: &[u8],
) -> Result<Layout> {
    let columns = NAMES.len();
    let wrong = |code, message| {
        let place = Position::line(lines.path(), at as u64 + 1);
        Error::new(code, place, message)
    };
    let fields = line.split(|&b| b == b'\t').count();
    if fields != columns {
        let message = format!("{fields} columns separated by tabs; CoNLL-U has {columns}");
        return Err(wrong(Code::Ragged, message));
    }
    let resolve = |column: &Column| match column {
        // -1 is the default: use MISC if it contains tags.
        Column::Index(-1) if misc_holds_tags(lines.ahead()) => Ok((MISC, None)),
        Column::Index(column) if (0..columns as i64).contains(column) => {
            Ok((*column as usize, None))
        }
        Column::Index(column) => Err(wrong(Code::NoColumn, no_column(*column, lines.ahead()))),
        Column::Name(name) => {
            let Place { column, key } = named_place(name);
            Ok((column, key))
        }
    };
    let (token, token_key) = match &options.token {
        Column::Index(0) => (FORM, None),
        column => resolve(column)?,
    };
    let (tag, tag_key) = match options.untagged {
        true => (usize::MAX, None),
        false => resolve(&options.tag)?,
    };
    let (second, second_key) = match &options.second {
        Some(Column::Index(_)) if options.second_may_lack => (tag, None),
        second => second
            .as_ref()
            .map(resolve)
            .transpose()?
            .unwrap_or((0, None)),
    };
    Ok(Layout {
        byte: Some(b'\t'),
        columns,
        token,
        tag,
        second,
        empty: Vec::new(),
        conllu: Some(Keys {
            token: token_key,
            tag: tag_key,
            second: second_key,
        }),
    })
}

/// Returns the message for a column that CoNLL-U does not have, including the keys of MISC in
/// `ahead`.
fn no_column(column: i64, ahead: &[u8]) -> String {
    let keys = match misc_keys(ahead) {
        keys if keys.is_empty() => String::new(),
        keys => format!(", or a key of MISC (found: {})", keys.join(", ")),
    };
    let number = match column {
        -1 => String::new(),
        _ => format!(" and has no column {column} (0 to {})", NAMES.len() - 1),
    };
    format!(
        "this is CoNLL-U{number}; specify the column of the tags: UPOS, XPOS, MISC{keys}; \
         or pass --format columns"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_set_among_others() {
        for (before, value, after) in [
            ("_", "B-PER", "NER=B-PER"),
            ("", "B-PER", "NER=B-PER"),
            ("_", "O", "_"),
            ("A=1", "B-PER", "A=1|NER=B-PER"),
            ("XNER=1|NER=O|B=", "B-PER", "XNER=1|NER=B-PER|B="),
            ("A|NER=", "O", "A|NER=O"),
        ] {
            let mut field = before.as_bytes().to_vec();
            set_key(&mut field, "NER", value.as_bytes());
            assert_eq!(field, after.as_bytes(), "{before}");
        }
    }

    #[test]
    fn tags_are_found_in_fields() {
        assert_eq!(tag(b"SpaceAfter=No|NER=B-PER", Some("NER")), b"B-PER");
        assert_eq!(tag(b"XNER=B-PER", Some("NER")), b"O");
        assert_eq!(tag(b"_", Some("NER")), b"O");
        assert_eq!(tag(b"_", None), b"O");
        assert_eq!(tag(b"NOUN", None), b"NOUN");
    }

    #[test]
    fn ids_are_told_apart() {
        let all =
            ["1", "12", "1-2", "3.1", "", "x", "1-", "-1", "1-2-3"].map(|text| id(text.as_bytes()));
        use Id::{Invalid, NoWord, ShortRange, Word};
        let expected = [
            Word, Word, NoWord, NoWord, Invalid, Invalid, Invalid, Invalid, Invalid,
        ];
        assert_eq!(all, expected);
        let ranges = [
            "1-1",
            "3-2",
            "9-10",
            "010-9",
            "09-10",
            "3-99999999999999999999999",
        ];
        let all = ranges.map(|text| id(text.as_bytes()));
        let expected = [ShortRange, ShortRange, NoWord, ShortRange, NoWord, NoWord];
        assert_eq!(all, expected);
    }
}
