//! CoNLL-U: ten columns that have names, words numbered from 1, ranges and empty nodes between them.
//!
//! Source: <https://universaldependencies.org/format.html>.

use std::ops::Range;

use crate::layout::{is_space, trimmed};
use crate::recognise::prefixed_type;

/// The names of the columns.
pub(crate) const NAMES: [&str; 10] = [
    "ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC",
];
pub(crate) const FORM: usize = 1;
pub(crate) const MISC: usize = 9;
const HEAD: usize = 6;

/// What the first column of a line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Id {
    /// A word: `3`.
    Word,
    /// Several words that are written as one (`3-4`), or a word that is not written (`3.1`).
    NoWord,
    Invalid,
}

pub(crate) fn id(field: &[u8]) -> Id {
    let number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let mut parts = field.splitn(2, |&b| b == b'-' || b == b'.');
    match (parts.next().is_some_and(number), parts.next()) {
        (true, None) => Id::Word,
        (true, Some(second)) if number(second) => Id::NoWord,
        _ => Id::Invalid,
    }
}

/// True where the first token line of `ahead` is one of CoNLL-U.
pub(crate) fn fits(ahead: &[u8]) -> bool {
    let mut lines = ahead.split(|&b| b == b'\n').map(trimmed);
    let first = lines.find(|line| !line.iter().all(|&b| is_space(b)) && !line.starts_with(b"#"));
    first.is_some_and(|line| {
        let fields: Vec<&[u8]> = line.split(|&b| b == b'\t').collect();
        let head = |field: &[u8]| field == b"_" || id(field) == Id::Word;
        fields.len() == NAMES.len() && id(fields[0]) != Id::Invalid && head(fields[HEAD])
    })
}

/// The column of that name, in any case.
pub(crate) fn column(name: &str) -> Option<usize> {
    NAMES
        .iter()
        .position(|known| known.eq_ignore_ascii_case(name))
}

/// Where a field holds its tag: all of it, or with a key the value of that key (`SpaceAfter=No|NER=B-PER`).
/// None where nothing is specified.
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

/// The tag that a field holds; what is not specified is `O`.
#[inline]
pub(crate) fn tag<'a>(field: &'a [u8], key: Option<&str>) -> &'a [u8] {
    tag_place(field, key).map_or(b"O", |place| &field[place])
}

/// The fields MISC of the words in `ahead`.
fn misc(ahead: &[u8]) -> impl Iterator<Item = &[u8]> {
    ahead.split_inclusive(|&b| b == b'\n').filter_map(|line| {
        let fields: Vec<&[u8]> = trimmed(line).split(|&b| b == b'\t').collect();
        (fields.len() == NAMES.len() && id(fields[0]) == Id::Word).then(|| fields[MISC])
    })
}

/// True where MISC holds tags and no keys, as it is written by programs that append tags to CoNLL-U.
pub(crate) fn misc_holds_tags(ahead: &[u8]) -> bool {
    let mut any = false;
    misc(ahead).all(|field| {
        let tag = prefixed_type(field).is_some();
        any |= tag;
        tag || field == b"_" || field == b"O"
    }) && any
}

/// The keys of MISC, in the order in which they come.
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

#[cfg(test)]
mod tests {
    use super::*;

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
        use Id::{Invalid, NoWord, Word};
        let expected = [
            Word, Word, NoWord, NoWord, Invalid, Invalid, Invalid, Invalid, Invalid,
        ];
        assert_eq!(all, expected);
    }
}
