//! Other formats, told from column files by how they begin.
//!
//! A reader of columns can make something of nearly every text, so a JSON Lines file scored against itself
//! would give 100 %. What is certainly another format is refused instead.

use memchr::memmem;
use serde::de::IgnoredAny;

use crate::layout::is_space;

/// The name of the format that a file has, and what to do with it; None where it may be a column file.
/// `ahead` is the beginning of the file, `whole` is true where it is all of it.
pub(crate) fn other_format(ahead: &[u8], whole: bool) -> Option<(&'static str, &'static str)> {
    const DOCUMENTS: &str = "annotated documents are scored with spanrs mat";
    const LISTS: &str =
        "write one token a line, or give the lists of tags to spanrs.score in Python";
    let begin = ahead.trim_ascii_start();
    let line = begin.split(|&b| b == b'\n').next()?;
    if begin.starts_with(b"#FORMAT=WebAnno TSV") || is_webanno(begin) {
        return Some((
            "WebAnno TSV",
            "export CoNLL 2002 or CoNLL-U from INCEpTION or WebAnno",
        ));
    }
    if is_json(begin, whole) {
        let advice = match holds_lists(begin) {
            true => LISTS,
            false => DOCUMENTS,
        };
        return Some(("JSON", advice));
    }
    if is_xml(begin, line) {
        return Some(("XML", DOCUMENTS));
    }
    if is_brat(line) {
        return Some(("brat's standoff annotations", DOCUMENTS));
    }
    None
}

/// An object or a list at the beginning, valid as far as it goes. A token `[` or `{` is followed by a tag, which
/// is no JSON.
fn is_json(begin: &[u8], whole: bool) -> bool {
    if !matches!(begin.first(), Some(b'{' | b'[')) {
        return false;
    }
    let mut values = serde_json::Deserializer::from_slice(begin).into_iter::<IgnoredAny>();
    match values.next() {
        // `[2010]` may be a token: of a line that continues with a tag, or alone.
        Some(Ok(_)) => {
            let value = &begin[..values.byte_offset()];
            let rest = begin[value.len()..].split(|&b| b == b'\n').next();
            let alone = rest.unwrap_or_default().trim_ascii().is_empty();
            value.contains(&b'"') || value.contains(&b'{') || alone && value.contains(&b',')
        }
        // More of it may follow.
        Some(Err(error)) => {
            error.is_eof() && (!whole || begin.len() > 4) || begin.starts_with(b"{\"")
        }
        None => false,
    }
}

/// JSON with lists of tokens or tags instead of texts, as in datasets.
fn holds_lists(begin: &[u8]) -> bool {
    let has = |key: &[u8]| memmem::find(begin, key).is_some();
    let compact: Vec<u8> = begin
        .iter()
        .filter(|byte| !byte.is_ascii_whitespace())
        .take(2)
        .copied()
        .collect();
    compact == b"[["
        || compact == b"[\""
        || [
            &b"\"tokens\""[..],
            b"\"words\"",
            b"\"tags\"",
            b"\"ner_tags\"",
        ]
        .into_iter()
        .any(has)
            && !has(b"\"text\"")
}

/// The first token line of WebAnno TSV whose header was removed: `1-1`, a tab, `0-5`, a tab.
fn is_webanno(begin: &[u8]) -> bool {
    let mut lines = begin.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_start);
    let line = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    let mut columns = line.unwrap_or_default().split(|&b| b == b'\t');
    let mut is_range = || {
        let mut numbers = columns.next().unwrap_or_default().split(|&b| b == b'-');
        let mut number = || {
            let text = numbers.next().unwrap_or_default();
            !text.is_empty() && text.iter().all(u8::is_ascii_digit)
        };
        number() && number() && numbers.next().is_none()
    };
    is_range() && is_range()
}

/// A declaration, a document type, a comment or an element that is closed, but no line of columns whose token
/// looks like a tag of XML, such as `<unk>` or `<s>`.
fn is_xml(begin: &[u8], line: &[u8]) -> bool {
    let declared = [&b"<?xml"[..], b"<!DOCTYPE", b"<!--"];
    if declared.iter().any(|start| begin.starts_with(start)) {
        // A token of a web page has a tag behind it, and nothing else.
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
    named
        && !tagged
        && (memmem::find(begin, &closing).is_some()
            || memmem::find(line, b"=\"").is_some() && line.contains(&b'>'))
}

/// `T1`, a tab, a type with offsets, a tab, text.
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

/// The separator of a file with one token a line whose columns are separated by commas or semicolons: every line has
/// one, and behind the last of them a tag, or no line has white space. The first line may be a header.
pub(crate) fn csv_separator(ahead: &[u8], whole: bool) -> Option<char> {
    // The last line may be cut.
    let lines = ahead
        .split_inclusive(|&b| b == b'\n')
        .filter(|line| whole || line.ends_with(b"\n"));
    let lines: Vec<&[u8]> = lines
        .map(<[u8]>::trim_ascii)
        .filter(|line| !line.is_empty())
        .collect();
    let (first, others) = lines.split_first()?;
    [b',', b';'].into_iter().find_map(|separator| {
        let behind = |line: &[u8]| {
            let at = line.iter().rposition(|&b| b == separator)?;
            Some(line[at + 1..].to_vec())
        };
        let separated = lines.iter().all(|line| behind(line).is_some());
        let tagged = |line: &[u8]| behind(line).is_some_and(|field| is_tag(&field));
        let tags = match others {
            [] => tagged(first),
            others => others.iter().all(|line| tagged(line)),
        };
        let blank = lines.iter().any(|line| line.iter().any(|&b| is_space(b)));
        (separated && (tags || !blank)).then_some(char::from(separator))
    })
}

/// `O`, or a prefix and a type; quotation marks around it make no difference.
fn is_tag(field: &[u8]) -> bool {
    let field = field.strip_prefix(b"\"").unwrap_or(field);
    let field = field.strip_suffix(b"\"").unwrap_or(field);
    let prefixed = matches!(
        field,
        [
            b'B' | b'I' | b'E' | b'S' | b'L' | b'U' | b'M' | b'W',
            b'-',
            _,
            ..
        ]
    );
    field == b"O" || prefixed && !field.iter().any(|&b| is_space(b))
}

/// True for a cell of CSV with quotation marks around it.
pub(crate) fn is_quoted(field: &[u8]) -> bool {
    field.len() > 2 && field.starts_with(b"\"") && field.ends_with(b"\"")
}

/// The names of two columns, that of the tags behind the other, where the first line of a file is a header; of one
/// column its name twice.
pub(crate) fn header(fields: &[&[u8]], tag: usize) -> Option<(String, String)> {
    const OF_TAGS: [&str; 20] = [
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
    const OF_OTHERS: [&str; 11] = [
        "token",
        "tokens",
        "word",
        "words",
        "form",
        "text",
        "sentence",
        "sentence #",
        "sentence_id",
        "pos",
        "id",
    ];
    let name = |field: &[u8]| {
        let text = String::from_utf8_lossy(field).to_lowercase();
        text.trim_matches('"').to_owned()
    };
    let of_tags = |field: &[u8]| OF_TAGS.contains(&name(field).as_str());
    let of_others = |field: &[u8]| OF_OTHERS.contains(&name(field).as_str());
    let last = *fields.get(tag)?;
    let other = match fields {
        [_] => Some(last),
        _ => fields.iter().copied().find(|field| of_others(field)),
    };
    let shown = |field| String::from_utf8_lossy(field).into_owned();
    (of_tags(last)).then_some(())?;
    other.map(|other| (shown(other), shown(last)))
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("#FORMAT=WebAnno TSV 3.3\n", "WebAnno TSV"),
            ("T1\tPER 0 3\tBob\n", "brat's standoff annotations"),
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
            "# newdoc\nBob B-PER\n",
            "",
        ] {
            assert_eq!(format(text), None, "{text}");
        }
    }
}
