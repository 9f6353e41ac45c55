//! Writer of inline XML.
//!
//! ```text
//! <document>x &amp; <A k="1">y</A></document>
//! ```
//!
//! The root element is not an annotation. Annotations are nested ([`super::super::project`]); an
//! annotation is written before the annotations that it contains, and of annotations with the same
//! text the first is outside.
//!
//! | item | written as |
//! |---|---|
//! | `&`, `<`, `>`, `"` | `&amp;`, `&lt;`, `&gt;`, `&quot;` |
//! | carriage return; in attributes also line feed and tab | `&#13;`, `&#10;`, `&#9;` |
//! | another control character in the text | rejected: XML cannot represent it |
//! | another control character in an attribute | the attribute is not written |
//! | type or attribute name `1st place` | `_1st_place` |
//! | type `document` | `document_` |
//!
//! Source: <https://www.w3.org/TR/xml/#NT-Name>.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashSet;

use spanrs_base::Limits;

use super::allowed;
use crate::document::annotated_text::{Annotation, Document};
use crate::document::char_index::CharIndex;
use crate::document::losses::Losses;
use crate::document::names::TWICE;
use crate::document::write::WriteFormat;

/// Name of the root element.
const ROOT: &str = "document";

/// Writes one document.
#[derive(Default)]
pub(in crate::document) struct Writer;

impl WriteFormat for Writer {
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> Result<(), String> {
        if let Some(c) = document.text.chars().find(|&c| !allowed(c)) {
            return Err(format!(
                "the text has the control character U+{:04X}, which XML cannot represent; remove it, or \
                 write mat-json",
                u32::from(c)
            ));
        }
        let mut body = Body {
            out,
            text: CharIndex::new(&document.text),
            at: 0,
            open: Vec::new(),
        };
        body.push(&format!("<{ROOT}>"));
        let all = document.annotations.iter();
        let root = usize::from(has_root(document));
        let mut order: Vec<&Annotation> = all.skip(root).collect();
        order.sort_by_key(|a| (a.start, Reverse(a.end)));
        for annotation in order {
            body.close(annotation.start);
            body.text_to(annotation.start);
            let name = element_name(document.type_of(annotation));
            if matches!(name, Cow::Owned(_)) {
                losses.add(
                    "types with characters that the format does not allow, replaced by _",
                    1,
                );
            }
            body.push("<");
            body.push(&name);
            body.attributes(document, annotation, losses);
            body.push(">");
            body.open.push((annotation.end, name));
            // The root element is open, too.
            if body.open.len() >= Limits::default().nesting {
                return Err(format!(
                    "more than {} annotations are nested, the limit of readers; write another format",
                    body.open.len()
                ));
            }
        }
        body.close(u32::MAX);
        body.text_to(body.text.len() as u32);
        body.push(&format!("</{ROOT}>\n"));
        Ok(())
    }

    fn written_type<'a>(&self, ty: &'a str) -> Cow<'a, str> {
        element_name(ty)
    }
}

/// Returns true if the first annotation is the root element of a file that was written by this
/// writer.
fn has_root(document: &Document) -> bool {
    document.rooted
        && document.annotations.first().is_some_and(|root| {
            let length = document.text.chars().count() as u32;
            document.type_of(root) == ROOT
                && (root.start, root.end) == (0, length)
                && document.attributes(root).next().is_none()
                && !document.relations.iter().any(|r| r.from == 0 || r.to == 0)
        })
}

/// The file that is written.
struct Body<'a> {
    out: &'a mut Vec<u8>,
    /// The text of the document.
    text: CharIndex<'a>,
    /// The next character of the text.
    at: u32,
    /// End and name of the open elements, innermost last.
    open: Vec<(u32, Cow<'a, str>)>,
}

impl Body<'_> {
    /// Appends markup.
    fn push(&mut self, markup: &str) {
        self.out.extend_from_slice(markup.as_bytes());
    }

    /// Writes the text up to a character.
    fn text_to(&mut self, end: u32) {
        let text = self.text.between(self.at, end).unwrap_or_default();
        escape(self.out, text, |_| false);
        self.at = end;
    }

    /// Closes the elements that end up to a character, with their text.
    fn close(&mut self, until: u32) {
        while let Some((end, name)) = self.open.pop_if(|(end, _)| *end <= until) {
            self.text_to(end);
            self.push("</");
            self.push(&name);
            self.push(">");
        }
    }

    /// Writes the attributes of an annotation.
    fn attributes(&mut self, document: &Document, of: &Annotation, losses: &mut Losses) {
        let mut names = HashSet::new();
        for (name, value) in document.attributes(of) {
            if value.contains(|c| !allowed(c)) {
                losses.add("attributes whose value has a control character", 1);
                continue;
            }
            let name = attribute_name(name);
            if matches!(name, Cow::Owned(_)) {
                let kind = "names of attributes with characters that the format does not allow, replaced by _";
                losses.add(kind, 1);
            }
            if names.contains(&name) {
                losses.add(TWICE, 1);
                continue;
            }
            self.push(" ");
            self.push(&name);
            self.push("=\"");
            // Readers convert literal line ends and tabs in attributes to spaces.
            escape(self.out, value, |c| matches!(c, b'\t' | b'\n'));
            self.push("\"");
            names.insert(name);
        }
    }
}

/// Appends text with references in place of markup, carriage returns and the characters selected by
/// `numeric`.
fn escape(out: &mut Vec<u8>, text: &str, numeric: impl Fn(u8) -> bool) {
    let mut rest = text.as_bytes();
    let special = |byte: &u8| matches!(byte, b'&' | b'<' | b'>' | b'"' | b'\r') || numeric(*byte);
    while let Some(at) = rest.iter().position(special) {
        out.extend_from_slice(&rest[..at]);
        match rest[at] {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            byte => out.extend_from_slice(format!("&#{byte};").as_bytes()),
        }
        rest = &rest[at + 1..];
    }
    out.extend_from_slice(rest);
}

/// Returns the name of the element for a type: colons would be prefixes of undeclared namespaces.
fn element_name(ty: &str) -> Cow<'_, str> {
    match ty {
        ROOT => Cow::Owned(format!("{ROOT}_")),
        ty => xml_name(ty),
    }
}

/// Returns the name of an attribute. The prefix `xml` is declared in every file.
fn attribute_name(name: &str) -> Cow<'_, str> {
    match name.strip_prefix("xml:") {
        Some(local) if matches!(xml_name(local), Cow::Borrowed(_)) => Cow::Borrowed(name),
        // A declaration of a namespace.
        _ if name == "xmlns" => Cow::Owned("xmlns_".to_owned()),
        _ => xml_name(name),
    }
}

/// Replaces the characters that are not allowed in a name without a prefix by `_`.
fn xml_name(name: &str) -> Cow<'_, str> {
    if name.starts_with(begins_name) && name.chars().all(continues_name) {
        return Cow::Borrowed(name);
    }
    let replaced = name.replace(|c| !continues_name(c), "_");
    Cow::Owned(match replaced.starts_with(begins_name) {
        true => replaced,
        false => format!("_{replaced}"),
    })
}

/// Returns true for the first character of a name: production 4 of XML 1.0 without the colon. Only
/// letters, because readers without the tables of XML accept no other characters.
fn begins_name(c: char) -> bool {
    c == '_' || (c.is_alphabetic() && continues_name(c) && !matches!(c, '\u{300}'..='\u{36F}'))
}

/// Returns true for the characters of a name: production 4a of XML 1.0 without the colon.
fn continues_name(c: char) -> bool {
    matches!(
        c,
        'A'..='Z' | 'a'..='z' | '0'..='9' | '_' | '-' | '.' | '\u{B7}'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{37D}' | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}' | '\u{200D}' | '\u{203F}' | '\u{2040}' | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}' | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}'
        | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::document::random_documents::documents;
    use crate::document::round_trip::{check_unless, facts, rewrite};
    use crate::document::{DocumentWriter, Format, Reader};

    /// Writes a document; returns the file and the kinds of losses.
    fn written(document: &Document) -> (String, Vec<String>) {
        let mut writer = DocumentWriter::new(Format::XmlInline);
        let mut file = Vec::new();
        writer.write(document, &mut file).unwrap();
        let losses = writer.losses().list().iter();
        let losses = losses.map(|loss| loss.kind.clone()).collect();
        (String::from_utf8(file).unwrap(), losses)
    }

    fn document(text: &str, annotations: &[(&str, u32, u32)]) -> Document {
        let mut document = Document::new(text.to_owned());
        for &(ty, start, end) in annotations {
            let ty = document.intern(ty);
            document.push(ty, start, end);
        }
        document
    }

    #[test]
    fn annotations_are_elements_in_the_order_of_the_text() {
        let mut d = document(
            "a<\u{e9}\r\nb",
            &[("B", 2, 3), ("A", 0, 3), ("C", 3, 3), ("D", 0, 3)],
        );
        d.add_attribute("k", "1\t\"<\u{e9}\n");
        let expected = "<document><A><D k=\"1&#9;&quot;&lt;\u{e9}&#10;\">a&lt;<B>\u{e9}</B></D></A>\
                        <C></C>&#13;\nb</document>\n";
        assert_eq!(written(&d), (expected.to_owned(), vec![]));
        assert_eq!(written(&document("", &[])).0, "<document></document>\n");
    }

    #[test]
    fn names_become_names_of_xml() {
        let names = [
            "a b",
            "1st",
            "",
            "document",
            "x:y",
            "\u{e9}t\u{e9}",
            "\u{1F600}",
            "-",
            "a\u{D7}",
        ];
        let written: Vec<_> = names
            .iter()
            .map(|name| element_name(name).into_owned())
            .collect();
        let expected = [
            "a_b",
            "_1st",
            "_",
            "document_",
            "x_y",
            "\u{e9}t\u{e9}",
            "_\u{1F600}",
            "_-",
            "a_",
        ];
        assert_eq!(written, expected);
        let written: Vec<_> = ["xml:lang", "xmlns", "xmlns:a", "_mat:id", "xml:a b"]
            .map(|name| attribute_name(name).into_owned())
            .to_vec();
        assert_eq!(
            written,
            ["xml:lang", "xmlns_", "xmlns_a", "_mat_id", "xml_a_b"]
        );
    }

    #[test]
    fn what_xml_cannot_represent_is_counted() {
        let mut d = document("ab", &[("a b", 0, 1)]);
        for (name, value) in [
            ("k", "1"),
            ("k", "2"),
            ("c", "\u{1}"),
            ("x y", "3"),
            ("x_y", "4"),
        ] {
            d.add_attribute(name, value);
        }
        let (file, losses) = written(&d);
        assert_eq!(
            file,
            "<document><a_b k=\"1\" x_y=\"3\">a</a_b>b</document>\n"
        );
        assert_eq!(losses.len(), 4);
    }

    #[test]
    fn a_control_character_in_the_text_is_refused() {
        let mut writer = DocumentWriter::new(Format::XmlInline);
        let error = writer
            .write(&document("a\u{c}", &[]), &mut Vec::new())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "document 0: the text has the control character U+000C, which XML cannot represent; remove it, \
             or write mat-json"
        );
    }

    #[test]
    fn the_root_is_not_written_twice() {
        let (file, _) = written(&document("ab", &[("A", 0, 2)]));
        let read = Reader::new(Format::XmlInline)
            .read("d", file.as_bytes())
            .unwrap();
        assert_eq!(read[0].annotations.len(), 2);
        assert_eq!(written(&read[0]).0, file);
        let other = Reader::new(Format::XmlInline)
            .read("d", b"<d>ab</d>")
            .unwrap();
        assert_eq!(written(&other[0]).0, "<document><d>ab</d></document>\n");
    }

    #[test]
    fn the_types_are_the_names_of_the_elements() {
        let mut writer = DocumentWriter::new(Format::XmlInline);
        let d = document("ab", &[("a b", 0, 1), ("lex", 0, 2)]);
        writer.write(&d, &mut Vec::new()).unwrap();
        assert_eq!(writer.types().collect::<Vec<_>>(), ["a_b", "lex"]);
    }

    #[test]
    fn all_characters_of_a_text_are_kept() {
        let text = "\u{FEFF} \t\r\r\n]]>&amp;<!-- \u{85}\u{2028}\u{1F600}\u{FFFD}\n";
        let d = document(text, &[("A", 1, 5)]);
        let (read, _) = rewrite(Format::XmlInline, &d).unwrap();
        assert_eq!(facts(&read[0]), facts(&d));
    }

    proptest! {
        #[test]
        fn documents_survive(d in documents("[ab\u{e9}\u{1F600} <&\"\r\n]{0,20}", "[a-c\u{e9}][a-c.1-]{0,2}")) {
            check_unless(has_repeated(&d), Format::XmlInline, &d);
        }

        #[test]
        fn odd_names_are_replaced_once(d in documents("[a\u{1F600}\r ]{0,20}", "[a:\u{1F600}\u{301} \t1<]{0,3}|document")) {
            check_unless(true, Format::XmlInline, &d);
        }
    }

    /// Returns true if an annotation has two attributes with the same name.
    fn has_repeated(document: &Document) -> bool {
        document.annotations.iter().any(|a| {
            let mut names = HashSet::new();
            document.attributes(a).any(|(name, _)| !names.insert(name))
        })
    }
}
