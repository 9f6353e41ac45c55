//! Reading of XML as a stream, and escaping for writing.
//!
//! quick-xml checks that tags are nested. Further violations of XML are rejected here: control
//! characters, text outside of the root element, a second root, unknown entities, a truncated file.
//! Document types with an internal subset are rejected, because they may declare entities that
//! expand without bound; external subsets are not read.

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::Arc;

use quick_xml::encoding::EncodingError;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use spanrs_base::{Limits, Position};

use super::encoding::refuse_utf16;
use super::located_input::LocatedInput;
use crate::error::{Code, Error, Result};

/// White space of XML.
const BLANK: [char; 4] = [' ', '\t', '\r', '\n'];

/// Number of bytes that are checked for control characters together.
const CHECKED: usize = 64;

/// A part of an XML file.
pub(super) enum Part<'a> {
    /// A start tag, or the first half of an empty element.
    Start(BytesStart<'a>),
    /// An end tag, or the second half of an empty element.
    End,
    /// Text, with line ends normalised as XML requires.
    Text(Cow<'a, str>),
    /// A character that is given by a reference.
    Character(char),
    /// A comment, a declaration, or a processing instruction.
    Other,
    /// The end of the file.
    Eof,
}

/// Reads the parts of an XML file. Only one part at a time is in memory.
pub(super) struct XmlStream<R> {
    /// Name of the file in messages.
    name: String,
    reader: Reader<LocatedInput<R>>,
    /// Bytes of the current part.
    buffer: Vec<u8>,
    /// Number of open elements.
    depth: usize,
    /// Whether a root element has been found.
    rooted: bool,
    /// Maximum number of open elements.
    nesting: usize,
}

impl<R: Read> XmlStream<R> {
    /// Creates a reader of a file. A byte order mark is skipped.
    ///
    /// # Errors
    /// [`Code::Encoding`] for UTF-16, and the errors of [`Error::read`].
    pub(super) fn open(name: &str, input: R, limits: Limits) -> Result<Self> {
        let mut input = LocatedInput::new(input, limits.document_bytes);
        match input.head() {
            Ok(head) => refuse_utf16(name, head)?,
            Err(error) => return Err(Error::read(Position::file(name), error)),
        }
        let mut reader = Reader::from_reader(input);
        reader.config_mut().expand_empty_elements = true;
        reader.config_mut().check_comments = true;
        Ok(Self {
            name: name.to_owned(),
            reader,
            buffer: Vec::new(),
            depth: 0,
            rooted: false,
            nesting: limits.nesting,
        })
    }

    /// Returns the name of the file in messages.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the position of the part that was read last.
    pub(super) fn position(&self) -> Position {
        position(&self.name, self.reader.get_ref().marked())
    }

    /// Returns line and column of the part that was read last, for [`XmlStream::error_at`].
    pub(super) fn place(&mut self) -> (u64, u64) {
        self.reader.get_mut().locate()
    }

    /// Returns the error [`Code::BadDocument`] at a place.
    pub(super) fn error_at(&self, place: (u64, u64), message: impl Into<String>) -> Error {
        let position = position(&self.name, place);
        Error::new(Code::BadDocument, position, message.into())
    }

    /// Returns the error [`Code::BadDocument`] at the part that was read last.
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        Error::new(Code::BadDocument, self.position(), message.into())
    }

    /// Begins a record, which may be as long as the limit for a document.
    pub(super) fn begin_record(&mut self) {
        self.reader.get_mut().begin_record();
    }

    /// Reads the next part.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for violations of XML, [`Code::Entities`] for an internal subset,
    /// [`Code::TooDeep`], [`Code::Encoding`], [`Code::DocumentTooLong`], and the errors of
    /// [`Error::read`].
    pub(super) fn next(&mut self) -> Result<Part<'_>> {
        self.reader.get_mut().mark();
        self.buffer.clear();
        let event = self.reader.read_event_into(&mut self.buffer);
        let (name, input) = (&self.name, self.reader.get_ref());
        let position = || position(name, input.marked());
        let wrong = |message: String| Error::new(Code::BadDocument, position(), message);
        let event = event.map_err(|error| failed(position(), input.exceeded(), error))?;
        match event {
            Event::Start(_) if self.depth == 0 && std::mem::replace(&mut self.rooted, true) => {
                Err(wrong("a second root element; XML has one root".to_owned()))
            }
            Event::Start(_) if self.depth >= self.nesting => {
                let message = format!("more than {} nested elements, the limit", self.nesting);
                Err(Error::new(Code::TooDeep, position(), message))
            }
            Event::Start(start) => {
                self.depth += 1;
                Ok(Part::Start(start))
            }
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                Ok(Part::End)
            }
            Event::Text(text) if self.depth == 0 && !text.trim_matches(BLANK).is_empty() => {
                Err(wrong("text outside of the root element".to_owned()))
            }
            Event::Text(text) => checked(text.xml10_content()).map_err(wrong),
            Event::CData(text) if self.depth > 0 => checked(text.xml10_content()).map_err(wrong),
            Event::GeneralRef(reference) if self.depth > 0 => {
                character(&reference).map(Part::Character).map_err(wrong)
            }
            Event::CData(_) | Event::GeneralRef(_) => {
                Err(wrong("text outside of the root element".to_owned()))
            }
            Event::DocType(doctype) if doctype.contains('[') => {
                let message = "the document type declares entities or elements, which is not \
                               supported; remove the part in [ ]";
                Err(Error::new(Code::Entities, position(), message))
            }
            Event::Eof if self.depth > 0 => Err(wrong(format!(
                "the file is truncated; elements that are not closed: {}",
                self.depth
            ))),
            Event::Eof if !self.rooted => {
                Err(wrong("there is no element; this is not XML".to_owned()))
            }
            Event::Eof => Ok(Part::Eof),
            // Empty elements arrive as two events.
            Event::Empty(_)
            | Event::DocType(_)
            | Event::Comment(_)
            | Event::PI(_)
            | Event::Decl(_) => Ok(Part::Other),
        }
    }

    /// Appends the text of the element whose start tag was read last, up to its end tag.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for an element in the text, and the errors of [`XmlStream::next`].
    pub(super) fn read_text(&mut self, text: &mut String) -> Result<()> {
        loop {
            match self.next()? {
                Part::Text(part) => text.push_str(&part),
                Part::Character(character) => text.push(character),
                Part::Other => {}
                Part::End => return Ok(()),
                Part::Start(start) => {
                    let message = format!("<{}> in an element with text only", tag(&start));
                    return Err(self.error(message));
                }
                Part::Eof => return Err(self.error("the file is truncated")),
            }
        }
    }

    /// Skips the element whose start tag was read last.
    ///
    /// # Errors
    /// The errors of [`XmlStream::next`].
    pub(super) fn skip(&mut self) -> Result<()> {
        let outer = self.depth.saturating_sub(1);
        while self.depth > outer {
            self.next()?;
        }
        Ok(())
    }
}

/// Converts an error of the parser; `exceeded` is the limit for a record if it is exceeded.
#[cold]
fn failed(from: Position, exceeded: Option<usize>, error: quick_xml::Error) -> Error {
    if let Some(most) = exceeded {
        let message = format!("the record has more than {most} bytes, the limit for a document");
        return Error::new(Code::DocumentTooLong, from, message);
    }
    match error {
        quick_xml::Error::Io(error) => {
            let error = Arc::try_unwrap(error)
                .unwrap_or_else(|error| io::Error::new(error.kind(), error.to_string()));
            Error::read(Position::file(&from.path), error)
        }
        quick_xml::Error::Encoding(EncodingError::Utf8(error)) => {
            let message = format!(
                "not UTF-8 at byte {} of this text or tag, from 0; convert the file to UTF-8",
                error.valid_up_to()
            );
            Error::new(Code::Encoding, from, message)
        }
        error => {
            let message = format!("this is not XML: {error}");
            Error::new(Code::BadDocument, from, message)
        }
    }
}

/// Creates a position from line and column.
fn position(name: &str, (line, column): (u64, u64)) -> Position {
    Position {
        path: name.to_owned(),
        line,
        column,
    }
}

/// Returns the name of an element, without a namespace prefix.
pub(super) fn tag<'a>(start: &'a BytesStart<'_>) -> &'a str {
    let name = start.name().0;
    name.rsplit(':').next().unwrap_or(name)
}

/// Returns the value of an attribute; None if the element does not have it.
///
/// # Errors
/// A message for malformed attributes.
pub(super) fn attribute(
    start: &BytesStart<'_>,
    name: &str,
) -> std::result::Result<Option<String>, String> {
    let mut values = Values::<1>::default();
    values.read(start, [name])?;
    Ok(values.get(0).map(str::to_owned))
}

/// The values of some attributes of an element. The memory is used again for other elements.
pub(super) struct Values<const N: usize> {
    texts: [String; N],
    /// Whether the element has the attribute.
    present: [bool; N],
}

impl<const N: usize> Default for Values<N> {
    fn default() -> Self {
        Self {
            texts: [const { String::new() }; N],
            present: [false; N],
        }
    }
}

impl<const N: usize> Values<N> {
    /// Reads the values of the attributes with these names, in place of the previous values.
    ///
    /// # Errors
    /// A message for malformed attributes.
    pub(super) fn read(
        &mut self,
        start: &BytesStart<'_>,
        names: [&str; N],
    ) -> std::result::Result<(), String> {
        let wrong = |error: &dyn std::fmt::Display| format!("<{}>: {error}", tag(start));
        self.present = [false; N];
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| wrong(&error))?;
            for (at, _) in names
                .iter()
                .enumerate()
                .filter(|(_, name)| attribute.key.0 == **name)
            {
                let value = attribute.normalized_value(XmlVersion::Implicit1_0);
                let value = value.map_err(|error| wrong(&error))?;
                check_characters(&value).map_err(|error| wrong(&error))?;
                self.texts[at].clear();
                self.texts[at].push_str(&value);
                self.present[at] = true;
            }
        }
        Ok(())
    }

    /// Returns the value of an attribute, by its index among the names; None if the element does
    /// not have it.
    pub(super) fn get(&self, at: usize) -> Option<&str> {
        self.present[at].then_some(&*self.texts[at])
    }
}

/// Returns the character of a reference, given by number or by one of XML's five entities.
///
/// # Errors
/// A message for other entities and for characters that XML does not allow.
fn character(reference: &BytesRef<'_>) -> std::result::Result<char, String> {
    match reference.resolve_char_ref() {
        Ok(Some(character)) if allowed(character) => Ok(character),
        Ok(None) => match &**reference {
            "amp" => Ok('&'),
            "lt" => Ok('<'),
            "gt" => Ok('>'),
            "quot" => Ok('"'),
            "apos" => Ok('\''),
            other => Err(format!(
                "&{other}; is not an XML entity; write the character itself"
            )),
        },
        _ => Err(format!("&{}; is not a valid character", &**reference)),
    }
}

/// Returns text without characters that XML does not allow.
fn checked(text: Cow<'_, str>) -> std::result::Result<Part<'_>, String> {
    check_characters(&text)?;
    Ok(Part::Text(text))
}

/// Rejects text with characters that XML does not allow.
fn check_characters(text: &str) -> std::result::Result<(), String> {
    // Control characters, and the first byte of U+FFFE and U+FFFF.
    let suspicious =
        |byte: u8| byte == 0xEF || byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r');
    // Without an early end the loop is vectorised.
    let mut parts = text.as_bytes().chunks(CHECKED);
    let any = parts.any(|part| part.iter().fold(false, |any, &byte| any | suspicious(byte)));
    if any && text.contains(|c| !allowed(c)) {
        return Err("a control character, which XML does not allow".to_owned());
    }
    Ok(())
}

/// Returns true for characters that XML 1.0 allows.
pub(super) fn allowed(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Appends text to an XML file, for the content of an element or the value of an attribute in
/// double quotes. Characters that XML does not allow are replaced by spaces; returns their number.
pub(super) fn escape(text: &str, in_attribute: bool, out: &mut Vec<u8>) -> usize {
    let mut replaced = 0;
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let written: &[u8] = match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'\r' => b"&#13;",
            b'"' if in_attribute => b"&quot;",
            b'\n' if in_attribute => b"&#10;",
            b'\t' if in_attribute => b"&#9;",
            b'\n' | b'\t' => continue,
            0..b' ' => {
                replaced += 1;
                b" "
            }
            // U+FFFE and U+FFFF.
            0xEF if matches!(
                text.as_bytes().get(at + 1..at + 3),
                Some([0xBF, 0xBE | 0xBF])
            ) =>
            {
                replaced += 1;
                out.extend_from_slice(&text.as_bytes()[from..at]);
                out.push(b' ');
                from = at + 3;
                continue;
            }
            _ => continue,
        };
        out.extend_from_slice(&text.as_bytes()[from..at]);
        out.extend_from_slice(written);
        from = at + 1;
    }
    out.extend_from_slice(&text.as_bytes()[from..]);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stream that returns four bytes at a time.
    struct Pieces<'a>(&'a [u8]);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let most = buffer.len().min(4);
            self.0.read(&mut buffer[..most])
        }
    }

    #[test]
    fn escaped_text_is_read_unchanged() {
        let text = "a&b<c>\"d\r\n\te\u{1F600}]]>\u{FFFD}";
        let mut file = b"<a b=\"".to_vec();
        assert_eq!(escape(text, true, &mut file), 0);
        file.extend_from_slice(b"\">");
        assert_eq!(escape(text, false, &mut file), 0);
        file.extend_from_slice(b"</a>");
        let mut xml = XmlStream::open("x", file.as_slice(), Limits::default()).unwrap();
        let Part::Start(start) = xml.next().unwrap() else {
            panic!("no element")
        };
        assert_eq!(attribute(&start, "b").unwrap().unwrap(), text);
        let mut read = String::new();
        xml.read_text(&mut read).unwrap();
        assert_eq!(read, text);
        assert!(matches!(xml.next().unwrap(), Part::Eof));
    }

    #[test]
    fn characters_that_xml_does_not_allow_become_spaces() {
        let mut out = Vec::new();
        assert_eq!(escape("a\u{0}b\u{FFFF}c\u{FFFE}\u{1B}", false, &mut out), 4);
        assert_eq!(out, b"a b c  ");
    }

    #[test]
    fn a_record_is_not_longer_than_the_limit() {
        let limits = Limits {
            document_bytes: 10,
            ..Limits::default()
        };
        let text = format!("<a>{}</a>", "x".repeat(20));
        let mut xml = XmlStream::open("x", Pieces(text.as_bytes()), limits).unwrap();
        xml.next().unwrap();
        let error = xml.next().err().unwrap();
        assert_eq!(error.code, Code::DocumentTooLong);
        assert_eq!((error.position.line, error.position.column), (1, 4));
    }
}
