//! Recognition of other formats from the beginning of a file.
//!
//! Nearly every text can be read as columns: a JSON Lines file scored against itself would have an
//! F1 of 100 %. Files that are certainly in another format are therefore rejected, with advice.
//!
//! The tests favour columns: a file is rejected only if no column file would begin in the same way.
//! Tokens from web pages (`<unk>`, `[`, `{}`) occur in real corpora, so each test requires more
//! than the first character.
//!
//! | beginning | recognised as |
//! |---|---|
//! | `#FORMAT=WebAnno TSV 3.3` | WebAnno TSV |
//! | `{"text": "Bob"}` | JSON |
//! | `<doc>...</doc>` | XML |
//! | `T1<tab>PER 0 3<tab>Bob` | brat |
//! | `<unk> O` | columns |
//! | `[2010]<tab>O` | columns |
//!
//! Only the first chunk of the file is examined; time is linear in its size.
//!
//! For callers that accept all formats, [`recognise`] determines the format of a file with the same
//! tests.

use memchr::memmem;
use serde::de::IgnoredAny;

use crate::blanks::is_space;

#[cfg(feature = "documents")]
mod file_format;
#[cfg(feature = "documents")]
mod json_records;
#[cfg(feature = "documents")]
mod tables;

#[cfg(feature = "documents")]
pub use file_format::{FileFormat, Recognised, recognise};

/// Advice for documents where tokens with tags are expected.
const DOCUMENTS: &str = "documents are read by spanrs score, compare and crowd";
/// Advice for lists of tokens or tags.
const LISTS: &str = "write one token per line, or specify --format jsonl-tags or jsonl-spans if each record has tokens";
/// A text format other than columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextFormat {
    WebAnno,
    Pubtator,
    Json,
    Xml,
    Brat,
}

/// Returns the format of the file; None if the file may be a column file.
///
/// `begin` is the beginning of the file without leading white space, and `whole` is true if this is
/// the whole file. The formats are tried in the order WebAnno TSV, PubTator, JSON, XML, brat; the first match
/// is returned.
fn text_format(begin: &[u8], whole: bool) -> Option<TextFormat> {
    let line = begin.split(|&b| b == b'\n').next()?;
    if begin.starts_with(b"#FORMAT=WebAnno TSV") || is_webanno(begin) {
        Some(TextFormat::WebAnno)
    } else if is_pubtator(begin) {
        Some(TextFormat::Pubtator)
    } else if is_json(begin, whole) {
        Some(TextFormat::Json)
    } else if is_xml(begin, line, whole) {
        Some(TextFormat::Xml)
    } else if is_brat(line) {
        Some(TextFormat::Brat)
    } else {
        None
    }
}

/// Returns the name of the file's format, with advice; None if the file may be a column file.
///
/// `ahead` contains the first lines of the file, and `whole` is true if this is the whole file.
pub(crate) fn other_format(ahead: &[u8], whole: bool) -> Option<(&'static str, &'static str)> {
    let begin = ahead.trim_ascii_start();
    Some(match text_format(begin, whole)? {
        TextFormat::WebAnno => ("WebAnno TSV", DOCUMENTS),
        TextFormat::Pubtator => ("PubTator", DOCUMENTS),
        TextFormat::Json if holds_lists(begin) => ("JSON", LISTS),
        TextFormat::Json => ("JSON", DOCUMENTS),
        TextFormat::Xml => ("XML", DOCUMENTS),
        TextFormat::Brat => ("brat's standoff annotations", DOCUMENTS),
    })
}

/// Returns true if the beginning is an object or a list that is valid JSON, apart from possible
/// truncation.
///
/// A token `[` or `{` is followed by a tag, which is not JSON. A complete value must end at the end
/// of its line and contain a string, an object or several items, because `[2010]` may be a token. A
/// value that is truncated by the end of `begin` is accepted if the file may continue or if the
/// value has more than four bytes; `{"` is always accepted.
///
/// | beginning | JSON | reason |
/// |---|---|---|
/// | `{"text": "Bob", "lab` | yes | truncated |
/// | `[1, 2, 3]` | yes | several items, alone on the line |
/// | `["a"] O` | no | a tag follows |
/// | `[12] O` | no | a tag follows |
/// | `{} O` | no | empty |
/// | `[ O` | no | not valid after the bracket |
fn is_json(begin: &[u8], whole: bool) -> bool {
    if !matches!(begin.first(), Some(b'{' | b'[')) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_slice(begin).into_iter::<IgnoredAny>();
    match values.next() {
        // `[2010]` may be a token, either followed by a tag or alone.
        Some(Ok(_)) => {
            let value = &begin[..values.byte_offset()];
            let rest = begin[value.len()..].split(|&b| b == b'\n').next();
            let alone = rest.unwrap_or_default().trim_ascii().is_empty();
            alone && (value.len() > 2 && value.iter().any(|byte| b"\"{,".contains(byte)))
        }
        // The value may continue beyond `begin`.
        Some(Err(error)) => {
            error.is_eof() && (!whole || begin.len() > 4) || begin.starts_with(b"{\"")
        }
        None => false,
    }
}

/// Returns true for JSON with lists of tokens or tags instead of texts, as in training datasets.
///
/// Such JSON is a list of lists or strings, or an object with a key such as `tokens` or `ner_tags`
/// and without a key for a text (`text`, `data`, `signal`). The result determines the advice.
fn holds_lists(begin: &[u8]) -> bool {
    let has_key = |key: &[u8]| {
        memmem::find_iter(begin, key)
            .any(|at| begin[at + key.len()..].trim_ascii_start().starts_with(b":"))
    };
    let mut bytes = begin.iter().filter(|byte| !byte.is_ascii_whitespace());
    let first = [bytes.next(), bytes.next()];
    if matches!(first, [Some(b'['), Some(b'[' | b'"')]) {
        return true;
    }
    let lists = [
        &b"\"tokens\""[..],
        b"\"words\"",
        b"\"tags\"",
        b"\"ner_tags\"",
    ];
    let texts = [&b"\"text\""[..], b"\"data\"", b"\"signal\""];
    lists.into_iter().any(has_key) && !texts.into_iter().any(has_key)
}

/// Returns true for the title of a document in PubTator's format, `ID|t|`, followed by the abstract,
/// `ID|a|`, or an annotation, `ID` and a tab.
fn is_pubtator(begin: &[u8]) -> bool {
    let mut lines = begin.split(|&b| b == b'\n');
    let mut id = |marks: &[&[u8]]| {
        let line = lines.next()?;
        let at = marks.iter().find_map(|mark| memmem::find(line, mark))?;
        let id = &line[..at];
        (!id.is_empty() && !id.iter().any(|b| b"\t|".contains(b))).then_some(id)
    };
    let title = id(&[b"|t|"]);
    // The abstract may be missing.
    title.is_some() && title == id(&[b"|a|", b"\t"])
}

/// Returns true for WebAnno TSV without its header: every line that is neither blank nor a comment
/// begins with two columns of two numbers each (sentence and token, first and last character).
///
/// ```text
/// #Text=EU rejects
/// 1-1<tab>0-2<tab>EU<tab>ORG
/// 1-2<tab>3-10<tab>rejects<tab>_
/// ```
///
/// If such a file were read as columns, `_` and `ORG` would be tags and the numbers would be
/// tokens.
fn is_webanno(begin: &[u8]) -> bool {
    let lines = begin.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_start);
    let mut tokens = lines
        .filter(|line| !line.is_empty() && !line.starts_with(b"#"))
        .peekable();
    tokens.peek().is_some()
        && tokens.all(|line| {
            let mut columns = line.split(|&b| b == b'\t');
            let mut is_range = || {
                let mut numbers = columns.next().unwrap_or_default().split(|&b| b == b'-');
                let mut is_number = || {
                    let text = numbers.next().unwrap_or_default();
                    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
                };
                is_number() && is_number() && numbers.next().is_none()
            };
            is_range() && is_range()
        })
}

/// Returns true for a declaration, a document type, a comment, or an element that is closed within
/// `begin` or has an attribute; `line` is the first line of `begin`.
///
/// A line whose last field looks like a tag is not XML, so that tokens such as `<unk>` and `<s>`
/// are read as columns.
///
/// | beginning | XML | reason |
/// |---|---|---|
/// | `<?xml version="1.0"?>` | yes | a declaration |
/// | `<!-- O` | no | two fields: a token from a web page with its tag |
/// | `<doc>`, then `</doc>` on a later line | yes | closed, alone on the line |
/// | `<doc id="1"><p>Bob` | yes | an attribute |
/// | `<s> O`, then `</s> O` | no | `O` looks like a tag |
/// | `<doc><A>Bob</A> saw`, then `</doc>` at the end of the file | yes | the root is closed at the end of the file |
fn is_xml(begin: &[u8], line: &[u8], whole: bool) -> bool {
    let declared = [&b"<?xml"[..], b"<!DOCTYPE", b"<!--"];
    if declared.iter().any(|start| begin.starts_with(start)) {
        // A token from a web page is followed by a tag and nothing else.
        let fields = line
            .split(|&b| is_space(b))
            .filter(|field| !field.is_empty());
        return fields.count() != 2 || line.trim_ascii_end().ends_with(b">");
    }
    let Some(name) = begin.strip_prefix(b"<") else {
        return false;
    };
    let name = name
        .split(|&b| is_space(b) || matches!(b, b'>' | b'/' | b'\n' | b'\r'))
        .next()
        .unwrap_or_default();
    let named = name.first().is_some_and(u8::is_ascii_alphabetic);
    let last = line
        .trim_ascii_end()
        .rsplit(|&b| is_space(b))
        .next()
        .unwrap_or_default();
    let tagged = last.len() < line.trim_ascii_end().len()
        && !last.contains(&b'>')
        && !last.contains(&b'=')
        && !last.contains(&b'<');
    let closing = [b"</", name, b">"].concat();
    // An element that is closed at the end of the file is not a token, however the first line ends.
    if named && whole && begin.trim_ascii_end().ends_with(&closing) {
        return true;
    }
    named
        && !tagged
        && (memmem::find(begin, &closing).is_some()
            || line.contains(&b'>')
                && [b"=\"", b"='"]
                    .iter()
                    .any(|quote| memmem::find(line, *quote).is_some()))
}

/// Returns true for brat's text-bound annotations: `T1`, a tab, a type and two offsets separated by
/// spaces, a tab, text. The end offset is not checked to be a number, because fragments are written
/// as `0 3;5 8`.
///
/// A token `T1` with its tag, `T1<tab>B-PER`, has no offsets and is not read as an annotation.
fn is_brat(line: &[u8]) -> bool {
    let mut columns = line.split(|&b| b == b'\t');
    let (Some(id), Some(place)) = (columns.next(), columns.next()) else {
        return false;
    };
    let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    let mut words = place.split(|&b| b == b' ');
    id.strip_prefix(b"T").is_some_and(digits)
        && words.next().is_some_and(|ty| !ty.is_empty() && !digits(ty))
        && words.next().is_some_and(digits)
        && words.next().is_some()
}

/// Returns the type of a tag that begins with the prefix of a common scheme and a hyphen.
///
/// | tag | type |
/// |---|---|
/// | `B-PER`, `U-PER`, `W-PER` | `PER` |
/// | `I-MISC-x` | `MISC-x` |
/// | `B-`, `O`, `PER`, `X-PER`, `b-PER` | none |
///
/// The prefixes are `B I E S L U M W`. This function is for recognition only: tags are parsed by
/// the crate `spanrs-tags`.
pub(crate) fn prefixed_type(tag: &[u8]) -> Option<&[u8]> {
    match tag {
        [
            b'B' | b'I' | b'E' | b'S' | b'L' | b'U' | b'M' | b'W',
            b'-',
            ty @ ..,
        ] if !ty.is_empty() => Some(ty),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_with_lists_of_tokens_is_told_from_documents() {
        let lists = |text: &str| holds_lists(text.as_bytes());
        assert!(lists("[[\"EU\", \"B-ORG\"]]") && lists("[ \"EU\"]"));
        assert!(lists("{\"tokens\": [\"EU\"], \"ner_tags\" : [3]}"));
        assert!(!lists("{\"text\": \"EU\", \"tokens\": []}"));
        assert!(!lists("{\"signal\": \"EU\", \"type\": \"words\"}"));
    }

    fn format(text: &str) -> Option<&'static str> {
        other_format(text.as_bytes(), true).map(|(name, _)| name)
    }

    #[test]
    fn other_formats_are_recognised() {
        for (text, expected) in [
            ("{\"text\": \"Bob\", \"label\": []}\n", "JSON"),
            ("{\"text\": \"Bob\", \"lab", "JSON"),
            ("[\n  {\"id\": 1}\n]\n", "JSON"),
            ("\n[{\"id\": 1}, oops", "JSON"),
            ("{\"a\": 1}\n{\"a\": 2}\n", "JSON"),
            ("[1, 2, 3]\n", "JSON"),
            ("<?xml version=\"1.0\"?>\n<a/>", "XML"),
            ("<?xml version=\"1.0\"?>\n<a/>", "XML"),
            ("<doc>\n<p>Bob <PER>Smith</PER></p>\n</doc>\n", "XML"),
            ("<doc id=\"1\"><p>Bob", "XML"),
            ("<!-- a comment -->\n<a/>", "XML"),
            ("<d><PER>Bob</PER> saw .\nhim</d>\n", "XML"),
            ("#FORMAT=WebAnno TSV 3.3\n", "WebAnno TSV"),
            ("T1\tPER 0 3\tBob\n", "brat's standoff annotations"),
            (
                "#Text=EU a\n1-1\t0-2\tEU\tORG\t\n1-2\t3-4\ta\t_\t\n",
                "WebAnno TSV",
            ),
        ] {
            assert_eq!(
                format(text),
                (text != "\n[{\"id\": 1}, oops").then_some(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn columns_are_not_taken_for_them() {
        for text in [
            "[ O\n] O\n",
            "{ O\n} O\n",
            "{}\tO\n",
            "{\"a\":1}\tO\n",
            "[\"a\"] O\n",
            "[\tO\n",
            "[ 1\n",
            "[12] O\n",
            "[2010]\tO\nBob\tB-PER\n",
            "<!--\tO\nBob\tB-PER\n",
            "<unk> O\nBob B-PER\n",
            "<s>\tO\n</s>\tO\n",
            "<a> <b> O\n</a> x O\n",
            "< O\n",
            "T1\tB-PER\n",
            "T1\tO\tx\n",
            "2-1\t0-0\tO\nBob\tx\tB-PER\n",
            "# newdoc\nBob B-PER\n",
            "",
        ] {
            assert_eq!(format(text), None, "{text}");
        }
    }
}
