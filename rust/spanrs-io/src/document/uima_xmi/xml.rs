//! Events of an XML file, with the checks that XMI and type systems have in common.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::super::encoding::place;
use crate::error::{Code, Error, Result};

/// Reads the events of a file.
pub(super) struct Xml<'a> {
    /// Name of the file in messages.
    pub(super) name: &'a str,
    pub(super) source: &'a str,
    reader: Reader<&'a [u8]>,
    version: XmlVersion,
    /// Byte offset of the last event.
    at: usize,
    depth: usize,
    nesting: usize,
    rooted: bool,
}

/// An event.
pub(super) enum Node<'a> {
    /// A start tag, or both tags of an empty element.
    Start(BytesStart<'a>),
    /// An end tag; also returned for empty elements.
    End,
    /// Characters, without references.
    Text(Cow<'a, str>),
    /// The end of the file.
    Eof,
}

impl<'a> Xml<'a> {
    /// Opens a file. `nesting` is the maximum depth of nested elements.
    pub(super) fn new(name: &'a str, source: &'a str, nesting: usize) -> Self {
        let mut reader = Reader::from_str(source);
        reader.config_mut().check_comments = true;
        reader.config_mut().expand_empty_elements = true;
        Self {
            name,
            source,
            reader,
            version: XmlVersion::Implicit1_0,
            at: 0,
            depth: 0,
            nesting,
            rooted: false,
        }
    }

    /// Returns the number of open elements, including one that has just started.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns an error at a byte of the file.
    pub(super) fn error_at(&self, at: usize, message: impl Into<String>) -> Error {
        let before = &self.source.as_bytes()[..at.min(self.source.len())];
        Error::new(Code::BadDocument, place(self.name, before), message)
    }

    /// Returns an error at the last event.
    pub(super) fn error(&self, message: impl Into<String>) -> Error {
        self.error_at(self.at, message)
    }

    /// Returns the next event. Comments and processing instructions are skipped.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for a file that is not XML, [`Code::Entities`] for a document type
    /// with an internal subset, [`Code::TooDeep`].
    pub(super) fn next(&mut self) -> Result<Node<'a>> {
        loop {
            self.at = self.reader.buffer_position() as usize;
            let event = self.reader.read_event().map_err(|error| {
                let at = self.reader.error_position() as usize;
                self.error_at(at, format!("this is not XML: {error}"))
            })?;
            match event {
                Event::Start(start) | Event::Empty(start) => {
                    if self.depth == 0 && std::mem::replace(&mut self.rooted, true) {
                        return Err(self.error("a second root element; XML has one root"));
                    }
                    self.depth += 1;
                    if self.depth > self.nesting {
                        let message =
                            format!("more than {} nested elements, the limit", self.nesting);
                        return Err(Error {
                            code: Code::TooDeep,
                            ..self.error(message)
                        });
                    }
                    return Ok(Node::Start(start));
                }
                Event::End(_) => {
                    self.depth = self.depth.saturating_sub(1);
                    return Ok(Node::End);
                }
                Event::Text(text) => return Ok(Node::Text(text.into_inner())),
                Event::CData(text) => return Ok(Node::Text(text.into_inner())),
                Event::GeneralRef(reference) => {
                    let character =
                        self.reference(&reference, reference.resolve_char_ref().ok())?;
                    return Ok(Node::Text(Cow::Owned(character.to_string())));
                }
                Event::DocType(doctype) if doctype.contains('[') => {
                    let message = "the document type declares entities or elements, which is not \
                                   supported; remove the part in [ ]";
                    return Err(Error {
                        code: Code::Entities,
                        ..self.error(message)
                    });
                }
                Event::Decl(declaration)
                    if declaration
                        .version()
                        .is_ok_and(|version| version.as_ref() == "1.1") =>
                {
                    self.version = XmlVersion::Explicit1_1;
                }
                Event::Eof if self.depth > 0 => {
                    return Err(self.error("the file ends within an element; it is not complete"));
                }
                Event::Eof => return Ok(Node::Eof),
                _ => {}
            }
        }
    }

    /// Returns the character of a reference in text.
    fn reference(&self, name: &str, number: Option<Option<char>>) -> Result<char> {
        let character = match (number, name) {
            (Some(Some(character)), _) => Some(character),
            (_, "amp") => Some('&'),
            (_, "lt") => Some('<'),
            (_, "gt") => Some('>'),
            (_, "quot") => Some('"'),
            (_, "apos") => Some('\''),
            _ => None,
        };
        character
            .filter(|&c| self.allows(c))
            .ok_or_else(|| self.error(format!("&{name}; is not a character that XML allows")))
    }

    /// Returns true for characters that the version of XML allows.
    fn allows(&self, character: char) -> bool {
        match character {
            '\t' | '\n' | '\r' => true,
            '\0' | '\u{FFFE}' | '\u{FFFF}' => false,
            '\u{1}'..='\u{1F}' => matches!(self.version, XmlVersion::Explicit1_1),
            _ => true,
        }
    }

    /// Calls `each` with the name and the value of the attributes of an element.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for attributes that are not valid, and the errors of `each`.
    pub(super) fn attributes(
        &self,
        start: &BytesStart<'_>,
        mut each: impl FnMut(&str, Value<'a>) -> Result<()>,
    ) -> Result<()> {
        for attribute in start.attributes() {
            let attribute =
                attribute.map_err(|error| self.error(format!("<{}>: {error}", start.name().0)))?;
            // The value is a part of the file, and can be kept longer than the event.
            let offset =
                (attribute.value.as_ptr() as usize).wrapping_sub(self.source.as_ptr() as usize);
            let raw = offset
                .checked_add(attribute.value.len())
                .and_then(|end| self.source.get(offset..end));
            let raw = match raw {
                Some(raw) => Cow::Borrowed(raw),
                None => Cow::Owned(attribute.value.to_string()),
            };
            each(attribute.key.0, Value(raw))?;
        }
        Ok(())
    }

    /// Returns the value of an attribute, without references, and with white space normalised as
    /// XML requires.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for entities and characters that XML does not allow.
    pub(super) fn decode(&self, value: Value<'a>) -> Result<Cow<'a, str>> {
        let plain = |byte: u8| byte >= b' ' && byte != b'&';
        let raw = value.0;
        let ascii_only = matches!(self.version, XmlVersion::Explicit1_1);
        if raw.bytes().all(plain) && (!ascii_only || raw.is_ascii()) {
            return Ok(raw);
        }
        let attribute = quick_xml::events::attributes::Attribute {
            key: quick_xml::name::QName(""),
            value: raw,
        };
        let value = attribute
            .normalized_value(self.version)
            .map_err(|error| self.error(format!("{error}; write &amp; for &")))?;
        if let Some(character) = value.chars().find(|&c| !self.allows(c)) {
            let character = u32::from(character);
            return Err(self.error(format!(
                "the character U+{character:04X}, which XML does not allow"
            )));
        }
        Ok(value)
    }
}

/// The value of an attribute, as in the file.
pub(super) struct Value<'a>(Cow<'a, str>);

impl Value<'_> {
    /// Parses a whole number from 0.
    pub(super) fn number(&self) -> Option<u32> {
        let digits = !self.0.is_empty() && self.0.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| self.0.parse().ok())?
    }

    /// Returns the value as in the file.
    pub(super) fn raw(&self) -> &str {
        &self.0
    }
}

/// Returns an element name without its prefix.
pub(super) fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}
