//! Text with tags that look like XML: no root is needed, and nothing is decoded.

use super::{Document, place};
use crate::error::{Code, Error, Result};

pub(super) fn read(name: &str, source: &str) -> Result<Document> {
    let bytes = source.as_bytes();
    let mut document = Document::default();
    let (mut at, mut characters) = (0, 0);
    // Places of what is open: of its tag in the file, and of its annotation.
    let mut open: Vec<(&str, usize, usize)> = Vec::new();
    // Where text that is not written yet begins.
    let mut text = 0;
    let mut write = |document: &mut Document, text: &str| {
        document.text.push_str(text);
        characters += text.chars().count() as u32;
        characters
    };
    while let Some(begin) = memchr::memchr(b'<', &bytes[at..]).map(|found| at + found) {
        let Some(end) = memchr::memchr(b'>', &bytes[begin..]).map(|found| begin + found) else {
            break;
        };
        let inside = &source[begin + 1..end];
        let empty = inside.strip_suffix('/');
        let close = inside.strip_prefix('/').filter(|_| empty.is_none());
        if let Some(label) = close {
            let here = write(&mut document, &source[text..begin]);
            let error = |message: String| {
                Error::new(Code::BadDocument, place(name, &bytes[..begin]), message)
            };
            let Some((opened, began, annotation)) = open.pop() else {
                return Err(error(format!("</{label}> closes nothing that is open")));
            };
            if opened != label {
                let line = place(name, &bytes[..began]).line;
                let message =
                    format!("</{label}> comes before the end of <{opened}> of line {line}");
                return Err(error(message));
            }
            document.annotations[annotation].end = here;
        } else if let Some((label, attributes)) = tag(empty.unwrap_or(inside)) {
            let here = write(&mut document, &source[text..begin]);
            let ty = document.intern(label);
            document.push(ty, here, here);
            for (key, value) in attributes {
                document.add_attribute(key, value.to_owned());
            }
            if empty.is_none() {
                open.push((label, begin, document.annotations.len() - 1));
            }
        } else {
            // What cannot be a tag is text, and a tag may begin within it.
            at = begin + 1;
            continue;
        }
        at = end + 1;
        text = at;
    }
    write(&mut document, &source[text..]);
    if let Some(&(label, began, _)) = open.first() {
        let message = format!("<{label}> is never closed");
        return Err(Error::new(
            Code::BadDocument,
            place(name, &bytes[..began]),
            message,
        ));
    }
    Ok(document)
}

/// A label, and attributes with their values in quotes; None where this is no tag.
fn tag(inside: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let inside = inside.trim_start();
    let end = inside.find(char::is_whitespace).unwrap_or(inside.len());
    let (label, mut rest) = inside.split_at(end);
    if label.is_empty() {
        return None;
    }
    let mut attributes = Vec::new();
    rest = rest.trim();
    while !rest.is_empty() {
        let (key, value) = rest.split_once('=')?;
        let key = key.trim_end();
        if key.is_empty() || key.contains(char::is_whitespace) {
            return None;
        }
        let value = value.trim_start();
        let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = value[1..].split_once(quote)?;
        attributes.push((key, value));
        rest = after.trim_start();
    }
    Some((label, attributes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_in_any_text() {
        let source = "é <A k=\"v\" l = 'w'>S & <b/>J</A> x < y <i a> and <B>z</B> < ";
        let document = read("d", source).unwrap();
        assert_eq!(document.text, "é S & J x < y <i a> and z < ");
        let spans: Vec<_> = document
            .annotations
            .iter()
            .map(|a| (document.type_of(a), a.start, a.end))
            .collect();
        assert_eq!(spans, [("A", 2, 7), ("b", 6, 6), ("B", 24, 25)]);
        let attributes: Vec<_> = document.attributes(&document.annotations[0]).collect();
        assert_eq!(attributes, [("k", "v"), ("l", "w")]);
    }

    #[test]
    fn tags_that_do_not_close_are_refused() {
        let refused = |source: &str| read("d", source).unwrap_err().to_string();
        assert_eq!(
            refused("<A>\n<B></A>"),
            "d:2:4: </A> comes before the end of <B> of line 2"
        );
        assert_eq!(refused("a</A>"), "d:1:2: </A> closes nothing that is open");
        assert_eq!(refused("<A>\n<B>"), "d:1:1: <A> is never closed");
    }
}
