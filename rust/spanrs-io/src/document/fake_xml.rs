//! Text with tags that look like XML: no root is needed, and nothing is decoded.

use super::{Document, place};
use crate::error::{Code, Error, Result};

pub(super) fn read(name: &str, source: &str) -> Result<Document> {
    let mut walk = Walk {
        name,
        source,
        document: Document::default(),
        characters: 0,
        text: 0,
        open: Vec::new(),
        blank: 0,
    };
    let (mut at, mut end) = (0, 0);
    while let Some(begin) = find(source, b'<', at) {
        // Every tag that begins before the next > would end there.
        if end <= begin {
            match find(source, b'>', begin) {
                Some(found) => end = found,
                None => break,
            }
        }
        // What cannot be a tag is text, and a tag may begin within it.
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

fn find(source: &str, byte: u8, from: usize) -> Option<usize> {
    memchr::memchr(byte, &source.as_bytes()[from..]).map(|found| from + found)
}

struct Walk<'a> {
    name: &'a str,
    source: &'a str,
    document: Document,
    /// Length of the text so far.
    characters: u32,
    /// Where text that is not written yet begins.
    text: usize,
    /// What is open, where it began, and its annotation.
    open: Vec<(&'a str, usize, usize)>,
    /// The first white space behind the place where it was last looked for.
    blank: usize,
}

impl<'a> Walk<'a> {
    /// Takes what stands between a < and a > as a tag; false where it cannot be one.
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

    /// A label, and attributes with their values in quotes; None where this is no tag. Looks no farther than
    /// it must, since the same text may be looked at again from the next <.
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
        // Not from the end: blanks before the next > would be passed over again for every <.
        let mut rest = rest.trim_start();
        while !rest.is_empty() {
            let key = rest.find(|c: char| c == '=' || c.is_whitespace())?;
            let (key, behind) = rest.split_at(key);
            let value = behind.trim_start().strip_prefix('=')?.trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
            let (value, after) = value[1..].split_once(quote)?;
            if key.is_empty() {
                return None;
            }
            attributes.push((key, value));
            rest = after.trim_start();
        }
        Some((label, attributes))
    }

    /// Adds the text up to a place that was not written yet.
    fn write(&mut self, upto: usize) {
        let text = &self.source[self.text..upto];
        self.document.text.push_str(text);
        self.characters += text.chars().count() as u32;
        self.text = upto;
    }

    fn error(&self, at: usize, message: String) -> Error {
        let place = place(self.name, &self.source.as_bytes()[..at]);
        Error::new(Code::BadDocument, place, message)
    }
}

/// A label and its attributes.
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
