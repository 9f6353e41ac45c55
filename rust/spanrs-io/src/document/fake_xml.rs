//! Text with tags that look like XML: a root element is not required, and nothing is decoded.
//!
//! ```text
//! <PER id="1">Bob</PER> said a < b & c > d<pause/>
//! ```
//! A substring between `<` and `>` is a tag if it consists of `/` and a label, or of a label and
//! attributes with quoted values. In the example, `< b & c >` is not a tag, because `&` is not an
//! attribute, and stays in the text. References such as `&amp;` are text. Tags must be nested: a
//! closing tag closes the last opened tag.
//!
//! | substring | read as |
//! |---|---|
//! | `<a>`, `< a>`, `<a k="v" l='w'>` | an opening tag |
//! | `<a/>` | an annotation without text |
//! | `</a>` | a closing tag |
//! | `<a b>`, `<a k=v>`, `<>` | text |
//!
//! Each `<` is tried with the next `>`. A file with many `<` before one `>` would take quadratic
//! time if each attempt scanned all text in between. Attempts therefore stop at the first character
//! that cannot be part of a tag, and two results are reused between attempts: the next white space,
//! where labels end, and the offsets at which attributes were parsed. Parsing from such an offset
//! does not depend on where the tag began, so an attempt that reaches the offset again fails like
//! the first attempt, and the whole file takes linear time.

use std::collections::HashSet;

use super::annotated_text::Document;
use super::encoding::place;
use crate::error::{Code, Error, Result};

/// Reads a document; `name` is the name of the file in messages.
///
/// # Errors
/// [`Code::BadDocument`] for a closing tag that does not match the last opened tag, and for a tag
/// that is never closed, with the position of the tag.
pub(super) fn read(name: &str, source: &str) -> Result<Document> {
    let mut walk = Walk {
        name,
        source,
        document: Document::default(),
        characters: 0,
        text: 0,
        open: Vec::new(),
        blank: 0,
        parsed: HashSet::new(),
    };
    let (mut at, mut end) = (0, 0);
    while let Some(begin) = find(source, b'<', at) {
        // A tag that begins before the next > would end at that >.
        if end <= begin {
            match find(source, b'>', begin) {
                Some(found) => end = found,
                None => break,
            }
        }
        // A substring that cannot be a tag is text, but a tag may begin within it.
        at = if walk.tag(begin, end)? {
            walk.text = end + 1;
            end + 1
        } else {
            begin + 1
        };
    }
    walk.write(source.len());
    if let Some(&(label, began, _)) = walk.open.first() {
        return Err(walk.error(began, format!("<{label}> is never closed")));
    }
    Ok(walk.document)
}

/// Returns the offset of the first occurrence of `byte` at or after `from`.
fn find(source: &str, byte: u8, from: usize) -> Option<usize> {
    memchr::memchr(byte, &source.as_bytes()[from..]).map(|found| from + found)
}

/// State of a pass over the source.
struct Walk<'a> {
    /// Name of the file in messages.
    name: &'a str,
    /// The whole file.
    source: &'a str,
    /// The document so far.
    document: Document,
    /// Length of the document text in characters.
    characters: u32,
    /// Offset in `source` of the first byte that has not been copied to the document.
    text: usize,
    /// Open tags: label, offset in `source`, index of the annotation. The innermost tag is last.
    open: Vec<(&'a str, usize, usize)>,
    /// Offset of the first white space at or after the start of the last search for white space.
    blank: usize,
    /// Offsets at which the attributes of a tag, or its remaining attributes, were parsed. A valid
    /// tag is skipped as a whole, so an offset that is reached again does not belong to a tag.
    parsed: HashSet<usize>,
}

impl<'a> Walk<'a> {
    /// Handles the text between `<` at `begin` and `>` at `end` as a tag; returns false, without
    /// changing anything, if the text cannot be a tag.
    fn tag(&mut self, begin: usize, end: usize) -> Result<bool> {
        let inside = &self.source[begin + 1..end];
        let empty = inside.strip_suffix('/');
        if let (None, Some(label)) = (empty, inside.strip_prefix('/')) {
            self.write(begin);
            return self.close(label, begin).map(|()| true);
        }
        let inside = empty.unwrap_or(inside);
        let Some((label, attributes)) = self.parts(begin + 1, begin + 1 + inside.len()) else {
            return Ok(false);
        };
        self.write(begin);
        let ty = self.document.intern(label);
        self.document.push(ty, self.characters, self.characters);
        for (key, value) in attributes {
            self.document.add_attribute(key, value.to_owned());
        }
        if empty.is_none() {
            let annotation = self.document.annotations.len() - 1;
            self.open.push((label, begin, annotation));
        }
        Ok(true)
    }

    /// Closes the innermost tag, which must have this label.
    fn close(&mut self, label: &str, begin: usize) -> Result<()> {
        let Some((opened, began, annotation)) = self.open.pop() else {
            let message = format!("</{label}> closes nothing that is open");
            return Err(self.error(begin, message));
        };
        if opened != label {
            let line = place(self.name, &self.source.as_bytes()[..began]).line;
            let message = format!("</{label}> comes before the end of <{opened}> of line {line}");
            return Err(self.error(begin, message));
        }
        self.document.annotations[annotation].end = self.characters;
        Ok(())
    }

    /// Returns the label and the attributes of a tag without its brackets, from offset `from` to
    /// `end`; None if this is not a tag. Stops as early as possible, because the same text may be
    /// scanned again from the next `<`.
    ///
    /// The label ends at the first white space. An attribute is a key without `=` and white space,
    /// then `=`, then a value in single or double quotes; white space is allowed around each of
    /// these. Values cannot contain the enclosing quote or `>`, because nothing is decoded.
    fn parts(&mut self, from: usize, end: usize) -> Option<Parts<'a>> {
        let inside = &self.source[from..end];
        let from = from + (inside.len() - inside.trim_start().len());
        if self.blank < from {
            let blank = self.source[from..].find(char::is_whitespace);
            self.blank = blank.map_or(self.source.len(), |found| from + found);
        }
        let (label, rest) = self.source[from..end].split_at(self.blank.min(end) - from);
        if label.is_empty() {
            return None;
        }
        let mut attributes = Vec::new();
        let mut rest = rest;
        while !rest.is_empty() {
            // Checked before the white space is skipped, which would otherwise be scanned again for
            // every <.
            if !self.parsed.insert(end - rest.len()) {
                return None;
            }
            rest = rest.trim_start();
            if rest.is_empty() {
                break;
            }
            let key = rest.find(|c: char| c == '=' || c.is_whitespace())?;
            let (key, behind) = rest.split_at(key);
            let value = behind.trim_start().strip_prefix('=')?.trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, after) = value[1..].split_once(quote)?;
            if key.is_empty() {
                return None;
            }
            attributes.push((key, value));
            rest = after;
        }
        Some((label, attributes))
    }

    /// Adds the text up to offset `upto` that has not been copied to the document.
    fn write(&mut self, upto: usize) {
        let text = &self.source[self.text..upto];
        self.document.text.push_str(text);
        self.characters += text.chars().count() as u32;
        self.text = upto;
    }

    /// Returns the error [`Code::BadDocument`] at an offset of the source.
    fn error(&self, at: usize, message: String) -> Error {
        let place = place(self.name, &self.source.as_bytes()[..at]);
        Error::new(Code::BadDocument, place, message)
    }
}

/// A label, and the names and values of attributes.
type Parts<'a> = (&'a str, Vec<(&'a str, &'a str)>);

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
    fn many_beginnings_of_tags_before_one_end_take_no_time() {
        let blanks = " ".repeat(200_000);
        for (part, behind) in [
            ("<a ", " x"),
            ("<a", " x"),
            ("<a k='v' b ", " x"),
            ("< ", " x"),
            ("< ", &blanks),
        ] {
            let source = format!("{}{behind}>", part.repeat(200_000));
            match read("d", &source) {
                Ok(document) => assert!(document.text.len() > 200_000),
                Err(error) => assert!(error.to_string().ends_with("is never closed")),
            }
        }
    }

    #[test]
    fn beginnings_of_tags_in_attributes_take_linear_time() {
        for (part, behind) in [
            ("<a x='<' y='<' ", "x"),
            ("y='<' ", "y"),
            ("y=\"'<\" x='\"' ", "y"),
            ("<", &format!("{}x y", " ".repeat(50_000))),
        ] {
            let source = format!("<a {}{behind}>", part.repeat(50_000));
            let document = read("d", &source).unwrap();
            assert_eq!(document.text, source);
        }
        let source = format!("<a {}></a>", "y='<' ".repeat(50_000));
        let document = read("d", &source).unwrap();
        let found = document.attributes(&document.annotations[0]).count();
        assert_eq!((document.text.as_str(), found), ("", 50_000));
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
