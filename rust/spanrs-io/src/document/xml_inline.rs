//! XML in which elements are annotations and the text of the elements is the document text.
//!
//! ```text
//! <doc>x &amp; <A k="1">y<B/></A></doc>
//! ```
//!
//! | elements | text | annotations |
//! |---|---|---|
//! | all | `x & y` | doc 0-5, A 4-5 with k=1, B 5-5 |
//! | declared: A | `x & y` | A 4-5 |
//! | declared: A, overlay | `<doc>x &amp; y<B/></doc>` | A 13-18 |
//!
//! The text consists of the characters in the root element, with references and CDATA sections
//! decoded; line ends are unchanged. In an overlay, all undeclared markup is part of the text,
//! exactly as in the file, and the characters that MAT escapes are escaped again, so that the text
//! is the XML file without the annotations.
//!
//! Annotations are in the order of their start tags, so an element precedes the elements that it
//! contains. Elements and comments in which MAT stores its own data (`_mat:atypes`, ...) are
//! neither text nor annotations.
//!
//! XML is parsed by quick-xml, which checks that tags are nested; other violations of XML that the
//! library accepts are checked here: names, control characters, a second root, text outside the
//! root, a misplaced declaration. Whether a file is accepted does not depend on the declared
//! elements. Document types with an internal subset are rejected, because they may declare entities
//! that expand without bound; external subsets are not read. Time is linear in the size of the
//! file.

mod write;

use std::borrow::Cow;

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};

pub(super) use write::Writer;

use spanrs_base::Named;

use super::Format;
use super::annotated_text::Document;
use super::elements::Elements;
use super::encoding::place;
use crate::error::{Code, Error, Result};

/// Elements in which MAT declares types; they contain no text and are not annotations.
const OWN_ELEMENTS: [&str; 3] = ["_mat:atypes", "_mat:atype", "_mat:attr"];
/// Attribute in which MAT stores annotation numbers; it is not an attribute of the annotation.
const OWN_ID: &str = "_mat:id";
/// Beginning of a comment with MAT's own data.
const OWN_COMMENT: &str = " _mat_metadata_ ";

/// Reads the document of a file. `name` is the name of the file in messages, `nesting` the maximum
/// depth of nested elements.
///
/// | file | error |
/// |---|---|
/// | `<a><b></a>`, `<a>`, `<a/><b/>`, `<a/>text`, no element at all | [`Code::BadDocument`] |
/// | `<a>&nbsp;</a>`, `<a>&#0;</a>`, `<a>]]></a>` | [`Code::BadDocument`] |
/// | `<a x='1' x='2'/>`, `<a x=1/>`, `<a x='<'/>`, `<a$b/>` | [`Code::BadDocument`] |
/// | a second document type, or one after the start of the root element | [`Code::BadDocument`] |
/// | `<!DOCTYPE a [<!ENTITY b 'c'>]>` | [`Code::Entities`] |
/// | elements nested more deeply than `nesting` | [`Code::TooDeep`] |
/// | root `xmi:XMI`, `CAS` or `GateDocument` | [`Code::WrongFormat`] |
///
/// # Errors
/// As in the table, all with line and column. UIMA CAS and GATE XML are rejected because their text
/// is not in the elements.
pub(super) fn read(
    name: &str,
    source: &str,
    elements: &Elements,
    nesting: usize,
) -> Result<Document> {
    let mut walk = Walk {
        name,
        source,
        elements,
        document: Document::default(),
        characters: 0,
        open: Vec::new(),
        rooted: false,
        typed: false,
    };
    let mut reader = Reader::from_str(source);
    reader.config_mut().check_comments = true;
    loop {
        let from = reader.buffer_position() as usize;
        let event = reader.read_event().map_err(|error| {
            let at = reader.error_position() as usize;
            walk.error(at, Code::BadDocument, format!("this is not XML: {error}"))
        })?;
        let to = reader.buffer_position() as usize;
        if matches!(event, Event::Eof) {
            return walk.finish();
        }
        walk.event(&event, from, to)?;
        if walk.open.len() > nesting {
            let message = format!("more than {nesting} nested elements, the limit");
            return Err(walk.error(from, Code::TooDeep, message));
        }
    }
}

/// Returns the encoding declared at the beginning of a file, as written; None for UTF-8 and ASCII,
/// and if there is no declaration or `head` does not contain the whole declaration.
///
/// | beginning | encoding |
/// |---|---|
/// | bytes FF FE or FE FF | `utf-16` |
/// | `<?xml version="1.0" encoding="ISO-8859-1"?>` | `ISO-8859-1` |
/// | `<?xml version="1.0" encoding="UTF-8"?>`, `<a>` | none |
pub(super) fn declared_encoding(head: &[u8]) -> Option<String> {
    if head.starts_with(&[0xFF, 0xFE]) || head.starts_with(&[0xFE, 0xFF]) {
        return Some("utf-16".to_owned());
    }
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let declaration = head.strip_prefix(b"<?xml")?;
    let end = declaration.windows(2).position(|two| two == b"?>")?;
    let declaration = std::str::from_utf8(&declaration[..end]).ok()?;
    let (_, value) = declaration.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (encoding, _) = value[1..].split_once(quote)?;
    let utf8 = ["utf-8", "utf8", "us-ascii", "ascii"];
    let known = utf8.iter().any(|name| encoding.eq_ignore_ascii_case(name));
    (!known).then(|| encoding.to_owned())
}

/// Returns the standoff XML format of a file that starts with `begin`, if the root element is in
/// `begin`; None for all other XML.
///
/// # Errors
/// A description of a format that is not supported.
pub(crate) fn standoff_format(begin: &[u8]) -> std::result::Result<Option<Format>, &'static str> {
    let Some(chunk) = begin.utf8_chunks().next() else {
        return Ok(None);
    };
    let mut reader = Reader::from_str(chunk.valid());
    let mut is_bioc = false;
    loop {
        match reader.read_event() {
            Ok(Event::DocType(doctype)) => is_bioc |= doctype.contains("BioC"),
            Ok(Event::Start(start) | Event::Empty(start)) => {
                // `<collection>` may be the root of any XML; BioC begins with the source.
                let is_collection = start.name().0 == "collection";
                if is_collection && (is_bioc || next_is(&mut reader, "source")) {
                    return Ok(Some(Format::BiocXml));
                }
                return standoff(&start);
            }
            Ok(Event::Eof) | Err(_) => return Ok(None),
            Ok(_) => {}
        }
    }
}

/// Returns true if the next element is called `name`.
fn next_is(reader: &mut Reader<&[u8]>, name: &str) -> bool {
    loop {
        match reader.read_event() {
            Ok(Event::Start(start) | Event::Empty(start)) => return start.name().0 == name,
            Ok(Event::Eof | Event::End(_)) | Err(_) => return false,
            Ok(_) => {}
        }
    }
}

/// Returns the standoff XML format (text and annotations stored separately) with the root element
/// `start`; None for all other XML.
///
/// Read as inline XML, a UIMA CAS would consist of elements without text, and GATE XML would be a
/// text with its nodes as annotations.
///
/// # Errors
/// A description of a format that is not supported.
fn standoff(start: &BytesStart<'_>) -> std::result::Result<Option<Format>, &'static str> {
    let declares = |prefix: &str| {
        let mut attributes = start.attributes().flatten();
        attributes.any(|attribute| attribute.key.0 == prefix)
    };
    match start.name().0 {
        "CAS" => Err("a UIMA CAS in the format XCAS"),
        "GateDocument" => Ok(Some(Format::GateXml)),
        "xmi:XMI" => Ok(Some(Format::UimaXmi)),
        _ if declares("xmlns:xmi") || declares("xmlns:cas") => Ok(Some(Format::UimaXmi)),
        _ => Ok(None),
    }
}

/// The treatment of an element.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// The annotation with this index.
    Annotation(usize),
    /// An undeclared element: its text is kept, its tags only in an overlay.
    Markup,
    /// One of MAT's own elements: neither tags nor text are kept.
    Own,
}

/// State of a pass over the file.
struct Walk<'a> {
    /// Name of the file in messages.
    name: &'a str,
    /// The whole file.
    source: &'a str,
    /// The elements that are annotations.
    elements: &'a Elements,
    /// The document so far.
    document: Document,
    /// Length of the document text in characters.
    characters: u32,
    /// The open elements and the byte offset of each in the file. The innermost element is last.
    open: Vec<(Role, usize)>,
    /// Whether a root element has been found.
    rooted: bool,
    /// Whether a document type has been found.
    typed: bool,
}

impl Walk<'_> {
    /// Handles a parser event for the bytes `from` to `to` of the file.
    ///
    /// | event | text | text in an overlay |
    /// |---|---|---|
    /// | text, CDATA | unchanged | `&`, `<`, `>` escaped |
    /// | `&amp;` | `&` | `&amp;` |
    /// | `&#233;`, `&quot;` | `é`, `"` | `é`, `"` |
    /// | tag of an annotation | nothing | nothing |
    /// | tag of another element | nothing | unchanged |
    /// | comment, processing instruction, declaration, document type | nothing | unchanged |
    /// | MAT's own comment or element | nothing | nothing |
    ///
    /// # Errors
    /// The errors of the functions for each kind of event; [`Code::Entities`] for a document type
    /// with an internal subset; [`Code::BadDocument`] for a second document type or a document type
    /// after the start of the root element, a declaration that is not at the very beginning or has
    /// no version, a processing instruction without a name, and control characters.
    fn event(&mut self, event: &Event<'_>, from: usize, to: usize) -> Result<()> {
        match event {
            Event::Start(start) => self.start(start, from, to)?,
            Event::Empty(start) => {
                self.start(start, from, to)?;
                self.end(None);
            }
            Event::End(_) => self.end(Some((from, to))),
            Event::Text(text) => self.characters(text, from, false)?,
            Event::CData(text) => self
                .inside(from)
                .and_then(|()| self.characters(text, from, true))?,
            Event::GeneralRef(reference) => self.reference(reference, from)?,
            Event::DocType(doctype) => {
                // An internal subset may declare entities that expand without bound.
                if doctype.contains('[') {
                    let message = "the document type declares entities or elements, which is not \
                                   supported; remove the part in [ ]";
                    return Err(self.error(from, Code::Entities, message.to_owned()));
                }
                if self.rooted || std::mem::replace(&mut self.typed, true) {
                    let message =
                        "there may be only one document type, before the root element".to_owned();
                    return Err(self.error(from, Code::BadDocument, message));
                }
                self.markup(from, to);
            }
            Event::Comment(comment) if comment.starts_with(OWN_COMMENT) => {}
            Event::Decl(declaration) if from > 0 || declaration.version().is_err() => {
                let message = "the XML declaration must be at the very beginning of the file and contain a version";
                return Err(self.error(from, Code::BadDocument, message.to_owned()));
            }
            Event::PI(instruction) if !is_name(instruction.target()) => {
                let message = "a processing instruction without a name".to_owned();
                return Err(self.error(from, Code::BadDocument, message));
            }
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {
                let source = &self.source[from..to];
                if let Some(at) = source.find(|c| !allowed(c)) {
                    let message = "a control character, which XML does not allow".to_owned();
                    return Err(self.error(from + at, Code::BadDocument, message));
                }
                self.markup(from, to);
            }
            Event::Eof => {}
        }
        Ok(())
    }

    /// Adds the character of a reference, given by number or by one of XML's five predefined
    /// entities.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for other entities, characters that XML does not allow, and references
    /// outside the root element.
    fn reference(&mut self, reference: &BytesRef<'_>, from: usize) -> Result<()> {
        let character = match reference.resolve_char_ref() {
            Ok(Some(character)) if allowed(character) => character,
            Ok(None) => match &**reference {
                "amp" => '&',
                "lt" => '<',
                "gt" => '>',
                "quot" => '"',
                "apos" => '\'',
                other => {
                    let message =
                        format!("&{other}; is not an XML entity; write the character itself");
                    return Err(self.error(from, Code::BadDocument, message));
                }
            },
            _ => {
                let message = format!("&{}; is not a valid character", &**reference);
                return Err(self.error(from, Code::BadDocument, message));
            }
        };
        self.inside(from)?;
        self.text(character.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    /// Handles a start tag: opens the element, and adds an annotation if the element is an
    /// annotation.
    ///
    /// Names are checked whatever the role of the element. A root element that is an annotation is
    /// recorded in [`Document::rooted`], because it encloses the whole text and is usually not a
    /// real annotation.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for a second root and for names that XML does not allow,
    /// [`Code::WrongFormat`] as in [`read`].
    fn start(&mut self, start: &BytesStart<'_>, from: usize, to: usize) -> Result<()> {
        let tag = start.name().0;
        if self.rooted && self.open.is_empty() {
            let message = format!("<{tag}> comes after the end of the document; XML has one root");
            return Err(self.error(from, Code::BadDocument, message));
        }
        if !is_name(tag) {
            let message = format!("<{tag}> is not a valid element name; write &lt; for <");
            return Err(self.error(from, Code::BadDocument, message));
        }
        let format = match standoff(start) {
            Ok(None) => None,
            Ok(Some(format)) => Some(format!(
                "the format {}; read it with that format",
                format.name()
            )),
            Err(what) => Some(format!("{what}; export XMI")),
        };
        if !self.rooted
            && let Some(format) = format
        {
            let message = format!("text and annotations are stored separately: this is {format}");
            return Err(self.error(from, Code::WrongFormat, message));
        }
        self.rooted = true;
        let declared = self.elements.declared.as_ref();
        let role = if OWN_ELEMENTS.contains(&tag) {
            Role::Own
        } else if declared.is_none_or(|declared| declared.contains(tag)) {
            self.document.rooted |= self.open.is_empty();
            self.annotate(start, tag, from)?;
            Role::Annotation(self.document.annotations.len() - 1)
        } else {
            self.attributes(start, tag, from)?;
            self.markup(from, to);
            Role::Markup
        };
        self.open.push((role, from));
        Ok(())
    }

    /// Adds an annotation with its attributes; its end is set when the element ends.
    fn annotate(&mut self, start: &BytesStart<'_>, tag: &str, from: usize) -> Result<()> {
        let attributes = self.attributes(start, tag, from)?;
        let ty = self.document.intern(tag);
        self.document.push(ty, self.characters, self.characters);
        for (key, value) in attributes {
            if key != OWN_ID {
                self.document.add_attribute(&key, value);
            }
        }
        Ok(())
    }

    /// Returns names and values of the attributes of an element, decoded. Attributes are checked
    /// whatever the role of the element, because the validity of XML does not depend on a task.
    ///
    /// References in values are resolved, and white space is normalised as XML 1.0 requires. MAT's
    /// own attribute is included.
    ///
    /// # Errors
    /// [`Code::BadDocument`] at the element for duplicate names, values without quotes, and
    /// characters that XML does not allow.
    fn attributes(
        &self,
        start: &BytesStart<'_>,
        tag: &str,
        from: usize,
    ) -> Result<Vec<(String, String)>> {
        let wrong = |error: &dyn std::fmt::Display| {
            self.error(from, Code::BadDocument, format!("<{tag}>: {error}"))
        };
        let mut found = Vec::new();
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| wrong(&error))?;
            let key = attribute.key.0;
            if !is_name(key) {
                return Err(wrong(&format!("{key:?} is not a valid attribute name")));
            }
            if attribute.value.contains('<') {
                return Err(wrong(&format!("write &lt; for < in attribute {key}")));
            }
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            let value = value.map_err(|error| wrong(&error))?;
            if value.contains(|c| !allowed(c)) {
                let message = "contains a control character, which XML does not allow";
                return Err(wrong(&format!("attribute {key} {message}")));
            }
            found.push((key.to_owned(), value.into_owned()));
        }
        Ok(found)
    }

    /// Ends the innermost element; `tag` is the byte range of its end tag, or None for an empty
    /// element, whose only tag has already been handled.
    fn end(&mut self, tag: Option<(usize, usize)>) {
        match (self.open.pop(), tag) {
            (Some((Role::Annotation(annotation), _)), _) => {
                self.document.annotations[annotation].end = self.characters;
            }
            (Some((Role::Markup, _)), Some((from, to))) => self.markup(from, to),
            _ => {}
        }
    }

    /// Adds text between tags, which does not contain references. White space around the root
    /// element is markup.
    ///
    /// # Errors
    /// [`Code::BadDocument`] for control characters, `]]>` outside of CDATA, and text outside the
    /// root element.
    fn characters(&mut self, text: &str, from: usize, cdata: bool) -> Result<()> {
        if let Some(at) = text.find(|c| !allowed(c)) {
            let message = "a control character, which XML does not allow".to_owned();
            return Err(self.error(from + at, Code::BadDocument, message));
        }
        if let Some(at) = text.find("]]>").filter(|_| !cdata) {
            let message = "]]> in text; write ]]&gt;".to_owned();
            return Err(self.error(from + at, Code::BadDocument, message));
        }
        if self.open.is_empty() {
            if !text.trim_matches([' ', '\t', '\r', '\n']).is_empty() {
                self.inside(from)?;
            }
            // White space around the root is markup, not text.
            self.markup(from, from + text.len());
            return Ok(());
        }
        self.text(text);
        Ok(())
    }

    /// Checks that an element is open.
    fn inside(&self, from: usize) -> Result<()> {
        match self.open.is_empty() {
            true => {
                let message = "text outside of the root element".to_owned();
                Err(self.error(from, Code::BadDocument, message))
            }
            false => Ok(()),
        }
    }

    /// Adds text, which is escaped in an overlay. The text of MAT's own elements is dropped.
    fn text(&mut self, text: &str) {
        if self.open.last().is_some_and(|&(role, _)| role == Role::Own) {
            return;
        }
        match self.elements.overlay {
            false => self.append(text),
            true => self.append(&escaped(text)),
        }
    }

    /// In an overlay, adds the bytes from `from` to `to` of the file unchanged.
    fn markup(&mut self, from: usize, to: usize) {
        if self.elements.overlay {
            self.append(&self.source[from..to]);
        }
    }

    /// Appends to the document text.
    fn append(&mut self, text: &str) {
        self.document.text.push_str(text);
        self.characters += text.chars().count() as u32;
    }

    /// Returns the document at the end of the file.
    ///
    /// # Errors
    /// [`Code::BadDocument`] if an element is still open, or if there was no element.
    fn finish(self) -> Result<Document> {
        if let Some(&(_, began)) = self.open.last() {
            let tag = self.source[began..].split(['>', ' ', '/', '\n']).next();
            let message = format!("{}> is never closed", tag.unwrap_or("<"));
            return Err(self.error(began, Code::BadDocument, message));
        }
        if !self.rooted {
            let message = "this is not XML: there is no element".to_owned();
            return Err(self.error(self.source.len(), Code::BadDocument, message));
        }
        Ok(self.document)
    }

    /// Returns an error at a byte of the file.
    fn error(&self, at: usize, code: Code, message: String) -> Error {
        let before = &self.source.as_bytes()[..at.min(self.source.len())];
        Error::new(code, place(self.name, before), message)
    }
}

/// Escapes `&`, `<` and `>`, as MAT does, and no other characters.
fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>']) {
        return Cow::Borrowed(text);
    }
    let (amp, lt, gt) = ("&amp;", "&lt;", "&gt;");
    Cow::Owned(text.replace('&', amp).replace('<', lt).replace('>', gt))
}

/// Returns true for a valid name of an element or an attribute. More lenient than XML 1.0 for other
/// scripts: any non-ASCII character may follow the first character.
fn is_name(name: &str) -> bool {
    let begins = |c: char| c.is_alphabetic() || matches!(c, '_' | ':');
    let goes_on =
        |c: char| begins(c) || c.is_alphanumeric() || !c.is_ascii() || matches!(c, '-' | '.');
    name.starts_with(begins) && name.chars().all(goes_on)
}

/// Returns true for characters allowed in XML 1.0 (production 2 of the recommendation).
fn allowed(c: char) -> bool {
    !matches!(c, '\0'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

#[cfg(test)]
mod tests;
