//! Documents: text, and annotations that point into it.
//!
//! Whatever the format, a [`Document`] has offsets in characters (code points) of its text, from 0,
//! ends exclusive. Each format has a file of its own here that makes documents of the bytes of a
//! file:
//!
//! | format | offsets in the file | documents in a file |
//! |---|---|---|
//! | MAT-JSON | code points | one |
//! | inline XML, fake XML | none: tags stand in the text | one |
//! | raw text | none: no annotations | one |
//! | brat | code points, a byte order mark included | one, in two files |
//! | doccano, Prodigy | code points | one on each line |
//! | Label Studio | UTF-16 code units | one for each task |
//!
//! Reading has two steps. The reader of a format refuses what its format does not allow;
//! [`Document::close`] then leaves out, with a report, annotations that do not lie in the text.
//! Exports of annotation tools have such annotations now and then, and a corpus should not be lost
//! for them.
//!
//! Files are held whole, within `Limits::document_bytes`.
//!
//! ```
//! use spanrs_io::document::{Format, Reader};
//! let text = r#"{"signal": "Bob ate", "asets": [{"type": "PERSON", "annots": [[0, 3]]}]}"#;
//! let reader = Reader::new(Format::MatJson);
//! let document = &reader.read("example", text.as_bytes()).unwrap()[0];
//! let bob = &document.annotations[0];
//! assert_eq!((document.type_of(bob), bob.start, bob.end), ("PERSON", 0, 3));
//! ```

mod annotators;
mod brat;
mod char_index;
mod fake_xml;
mod given;
mod json;
mod jsonl;
mod label_studio;
mod mat_json;
mod regions;
mod xml_inline;

pub use given::{BadOffsets, GivenAnnotation};

use std::collections::HashSet;

use spanrs_base::{Interner, Limits, Named, Position};

use crate::error::{Code, Error, Result, one_line};
use crate::source::Source;

/// A labelled stretch of a document's text. Attributes and pieces are kept by the document: see
/// [`Document::attributes`] and [`Document::pieces`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// Type, as a number of the document's own list of types ([`Document::types`]).
    pub ty: u32,
    /// First character, from 0.
    pub start: u32,
    /// One past the last character; equal to `start` for an annotation without text.
    pub end: u32,
    /// Index range, end exclusive, in the document's attributes.
    attributes: (u32, u32),
    /// Index range, end exclusive, in the document's pieces; empty unless the annotation is
    /// discontinuous.
    pieces: (u32, u32),
}

/// A text with annotations, in the order of the file.
///
/// Types, names of attributes, attributes and pieces of all annotations are held in one place each,
/// so that an annotation takes 28 bytes and most documents need few allocations. Annotations are
/// added one after another: attributes and pieces belong to the one that was added last.
///
/// ```
/// use spanrs_io::document::Document;
/// let mut document = Document::new("Bob and Ann".to_owned());
/// let person = document.intern("PER");
/// document.push(person, 0, 3);
/// document.add_attribute("sure", "yes".to_owned());
/// document.push(person, 8, 12);
/// let document = document.close();
/// let bob = document.annotations[0];
/// assert_eq!(document.attributes(&bob).collect::<Vec<_>>(), [("sure", "yes")]);
/// assert_eq!(document.left_out, ["PER 8-12 reaches beyond the text of 11 characters"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What the file calls this document; None where the format has no ids or the record has none.
    pub id: Option<String>,
    /// The text that annotations point into, markup removed.
    pub text: String,
    /// The annotations in the order of the file; after [`Document::close`] all of them lie in the
    /// text.
    pub annotations: Vec<Annotation>,
    /// What could not be kept and why, one line each; the first 5 of them.
    pub left_out: Vec<String>,
    /// Number of annotations, attributes and groups of annotations that could not be kept, reported
    /// or not.
    pub left_out_count: usize,
    /// The first annotation is the root element of XML, which usually encloses the text and is no
    /// annotation of anybody's.
    pub rooted: bool,
    /// Types of annotations that [`Document::close`] left out.
    pub left_out_types: HashSet<u32>,
    /// Names of the types, by number.
    types: Interner<str>,
    /// Names of the attributes, by number.
    attribute_names: Interner<str>,
    /// Number of the name, and value, of the attributes of all annotations.
    attributes: Vec<(u32, String)>,
    /// Start and end, in characters, of the pieces of all discontinuous annotations.
    pieces: Vec<(u32, u32)>,
}

/// The type of tokens, in formats that have them. It is the name that MAT uses.
pub const TOKEN: &str = "lex";

/// Number of reports of what was left out that a document keeps.
const REPORTS: usize = 5;

impl Document {
    /// Creates a document without annotations.
    pub fn new(text: String) -> Self {
        Self {
            text,
            ..Self::default()
        }
    }

    /// Returns the number of a type, which is added if it is new. Numbers count from 0 in the order
    /// of first use.
    pub fn intern(&mut self, ty: &str) -> u32 {
        self.types.intern(ty)
    }

    /// Returns the names of the types, by number.
    pub fn types(&self) -> impl ExactSizeIterator<Item = &str> {
        self.types.names()
    }

    /// Returns the type of an annotation of this document.
    pub fn type_of(&self, annotation: &Annotation) -> &str {
        self.types.name(annotation.ty).unwrap_or_default()
    }

    /// Adds an annotation of a type by number. The offsets are checked by [`Document::close`].
    pub fn push(&mut self, ty: u32, start: u32, end: u32) {
        let (attributes, pieces) = (self.attributes.len() as u32, self.pieces.len() as u32);
        self.annotations.push(Annotation {
            ty,
            start,
            end,
            attributes: (attributes, attributes),
            pieces: (pieces, pieces),
        });
    }

    /// Gives the annotation that was added last an attribute. A name may be given repeatedly.
    pub fn add_attribute(&mut self, name: &str, value: String) {
        let name = self.attribute_names.intern(name);
        self.attributes.push((name, value));
        if let Some(last) = self.annotations.last_mut() {
            last.attributes.1 = self.attributes.len() as u32;
        }
    }

    /// Sets the pieces, ascending, of the annotation that was added last: start and end in
    /// characters, ends exclusive. Not needed for an annotation of one piece.
    pub fn set_pieces(&mut self, pieces: &[(u32, u32)]) {
        self.pieces.extend_from_slice(pieces);
        if let Some(last) = self.annotations.last_mut() {
            last.pieces.1 = self.pieces.len() as u32;
        }
    }

    /// Returns names and values of the attributes of an annotation, in the order of the file.
    pub fn attributes(
        &self,
        annotation: &Annotation,
    ) -> impl Iterator<Item = (&str, &str)> + Clone {
        let (from, to) = annotation.attributes;
        self.attributes[from as usize..to as usize]
            .iter()
            .map(|(name, value)| {
                (
                    self.attribute_names.name(*name).unwrap_or_default(),
                    &**value,
                )
            })
    }

    /// Returns the pieces of a discontinuous annotation, start and end in characters; empty for all
    /// others.
    pub fn pieces(&self, annotation: &Annotation) -> &[(u32, u32)] {
        &self.pieces[annotation.pieces.0 as usize..annotation.pieces.1 as usize]
    }

    /// Notes that an annotation could not be kept. `why` is called only if the report is kept; line
    /// ends in it are escaped.
    pub fn leave_out(&mut self, why: impl FnOnce() -> String) {
        self.left_out_count += 1;
        if self.left_out.len() < REPORTS {
            self.left_out.push(one_line(why()));
        }
    }

    /// Leaves out the annotations that do not lie in the text: those that end before they begin,
    /// that reach beyond the text, or that have a piece outside of their bounds. Each is reported
    /// in `left_out`. The order of the others does not change.
    pub fn close(mut self) -> Self {
        let characters = self.text.chars().count();
        let whole = |a: &Annotation| a.start <= a.end && a.end as usize <= characters;
        let all = &self.pieces;
        let fits = |a: &Annotation| {
            let pieces = &all[a.pieces.0 as usize..a.pieces.1 as usize];
            let inside =
                |&(start, end): &(u32, u32)| a.start <= start && start <= end && end <= a.end;
            whole(a) && pieces.iter().all(inside)
        };
        if self.annotations.iter().all(fits) {
            return self;
        }
        let mut kept = std::mem::take(&mut self.annotations);
        let wrong: Vec<Annotation> = kept.extract_if(.., |a| !fits(a)).collect();
        self.annotations = kept;
        for annotation in wrong {
            let name = self.type_of(&annotation).to_owned();
            let Annotation { ty, start, end, .. } = annotation;
            self.left_out_types.insert(ty);
            let why = if start > end {
                "ends before it begins".to_owned()
            } else if whole(&annotation) {
                "has a piece outside of its bounds".to_owned()
            } else {
                format!("reaches beyond the text of {characters} characters")
            };
            self.leave_out(|| format!("{name} {start}-{end} {why}"));
        }
        self
    }
}

/// How documents are written in a file. The names are those in options.
///
/// ```
/// use spanrs_base::Named;
/// use spanrs_io::document::Format;
/// assert_eq!(Format::from_name("xml-inline"), Ok(Format::XmlInline));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// MAT's JSON, versions 1 and 2.
    MatJson,
    /// XML in which elements are annotations.
    XmlInline,
    /// Text with tags that look like XML, but without a root element and without entities.
    FakeXmlInline,
    /// Text and nothing else.
    Raw,
    /// brat's annotations in a file `.ann`, beside the text in a file `.txt`.
    Brat,
    /// JSON Lines of doccano.
    Doccano,
    /// JSON Lines of Prodigy.
    Prodigy,
    /// JSON and JSON_MIN of Label Studio.
    LabelStudio,
}

impl Named for Format {
    const WHAT: &'static str = "format";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("mat-json", Self::MatJson),
        ("xml-inline", Self::XmlInline),
        ("fake-xml-inline", Self::FakeXmlInline),
        ("raw", Self::Raw),
        ("brat", Self::Brat),
        ("doccano", Self::Doccano),
        ("prodigy", Self::Prodigy),
        ("label-studio", Self::LabelStudio),
    ];
}

/// Which elements of XML are annotations. The default is all of them.
///
/// ```
/// use spanrs_io::document::{Elements, Format, Reader};
/// let declared = Some(["PER".to_owned()].into());
/// let elements = Elements { declared, overlay: true };
/// let reader = Reader { elements, ..Reader::new(Format::XmlInline) };
/// let document = &reader.read("example", b"<d><b>Dr</b> <PER>Bob</PER></d>").unwrap()[0];
/// assert_eq!(document.text, "<d><b>Dr</b> Bob</d>");
/// assert_eq!((document.annotations[0].start, document.annotations[0].end), (13, 16));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Elements {
    /// Names of the elements that are annotations; None for all elements.
    pub declared: Option<HashSet<String>>,
    /// The tags of other elements stay in the text as they are written, as do comments and
    /// processing instructions; otherwise they are removed. With it, characters that XML escapes
    /// stay escaped (`&amp;`).
    pub overlay: bool,
}

/// Reads documents of one format. A reader is not changed by reading and can be shared between
/// threads.
///
/// ```
/// use spanrs_io::document::{Format, Reader};
/// let records = b"{\"text\": \"Bob\", \"_annotator_id\": \"ann\"}
///                 {\"text\": \"Bob\", \"_annotator_id\": \"eve\"}";
/// let mut reader = Reader::new(Format::Prodigy);
/// assert!(reader.read("example", records).is_err());
/// reader.annotator = Some("eve".to_owned());
/// assert_eq!(reader.read("example", records).unwrap().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    /// The format of the files.
    pub format: Format,
    /// Which elements are annotations, for inline XML.
    pub elements: Elements,
    /// Whose annotations are read where several annotators worked on a document, for Prodigy and
    /// Label Studio: a name, or a position from 0.
    pub annotator: Option<String>,
    /// Limits of sizes and nesting, beyond which a file is refused.
    pub limits: Limits,
}

impl Reader {
    /// Creates a reader with default options.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            elements: Elements::default(),
            annotator: None,
            limits: Limits::default(),
        }
    }

    /// Reads the documents of a source, decompressing gzip and zstd. Of brat's pair of files the
    /// path of either is given.
    ///
    /// # Errors
    /// As [`Source::contents`] and [`Reader::read`]; [`Code::BadDocument`] for brat from a stream.
    pub fn open(&self, source: &Source) -> Result<Vec<Document>> {
        if self.format == Format::Brat
            && let Some(path) = source.path()
        {
            return Ok(vec![brat::open(path, self.limits)?.close()]);
        }
        self.read(source.name(), &source.contents(self.limits)?)
    }

    /// Reads the documents in the bytes of a file, which is called `name` in messages. A byte order
    /// mark is passed over.
    ///
    /// # Errors
    /// [`Code::Encoding`] where the bytes are not UTF-8; [`Code::BadDocument`] for what the format
    /// does not allow, for brat, whose text is in another file, and for an annotator that the file
    /// does not have; [`Code::LaterVersion`] for MAT-JSON; [`Code::Entities`], [`Code::TooDeep`]
    /// and [`Code::WrongFormat`] for XML.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::document::{Format, Reader};
    /// let line = "{\"id\": 7, \"text\": \"Bob ate\", \"label\": [[0, 3, \"PER\"]]}\n";
    /// let documents = Reader::new(Format::Doccano).read("example", line.as_bytes()).unwrap();
    /// assert_eq!(documents[0].id.as_deref(), Some("7"));
    /// assert_eq!(documents[0].annotations.len(), 1);
    /// ```
    pub fn read(&self, name: &str, bytes: &[u8]) -> Result<Vec<Document>> {
        let text = utf8(name, bytes).map_err(|error| match self.format {
            Format::XmlInline | Format::FakeXmlInline | Format::Raw => Error {
                message: format!("{}, or name its encoding", error.message),
                ..error
            },
            // The others are UTF-8 by definition.
            _ => error,
        })?;
        let nesting = self.limits.nesting;
        let annotator = self.annotator.as_deref();
        let documents = match self.format {
            Format::MatJson => vec![mat_json::read(name, text)?],
            Format::XmlInline => vec![xml_inline::read(name, text, &self.elements, nesting)?],
            Format::FakeXmlInline => vec![fake_xml::read(name, text)?],
            Format::Raw => vec![Document::new(text.to_owned())],
            Format::Brat => {
                let message = "brat's annotations need the .txt beside them; name the file";
                return Err(Error::new(Code::BadDocument, Position::file(name), message));
            }
            Format::Doccano => jsonl::doccano(name, text)?,
            Format::Prodigy => jsonl::prodigy(name, text, annotator)?,
            Format::LabelStudio => label_studio::read(name, text, annotator)?,
        };
        Ok(documents.into_iter().map(Document::close).collect())
    }
}

/// Returns the encoding that a file of XML declares, by the byte order mark of UTF-16 or in its
/// declaration; None for UTF-8, for ASCII, and if nothing is declared. The first 1024 bytes are
/// looked at.
///
/// ```
/// use spanrs_io::document::declared_encoding;
/// let latin = b"<?xml version='1.0' encoding='ISO-8859-1'?><d/>";
/// assert_eq!(declared_encoding(latin).as_deref(), Some("ISO-8859-1"));
/// assert_eq!(declared_encoding(b"<d/>"), None);
/// ```
pub fn declared_encoding(bytes: &[u8]) -> Option<String> {
    const HEAD: usize = 1024;
    xml_inline::declared_encoding(&bytes[..bytes.len().min(HEAD)])
}

/// Returns the bytes as text, without a byte order mark.
///
/// # Errors
/// As [`decoded`].
fn utf8<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    let text = decoded(name, bytes)?;
    Ok(text.strip_prefix('\u{FEFF}').unwrap_or(text))
}

/// Returns the bytes as text, a byte order mark included.
///
/// # Errors
/// [`Code::Encoding`] for UTF-16, and for bytes that are not UTF-8 with their line and column.
fn decoded<'a>(name: &str, bytes: &'a [u8]) -> Result<&'a str> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        let message = "the file is UTF-16; convert it to UTF-8";
        return Err(Error::new(Code::Encoding, Position::line(name, 1), message));
    }
    simdutf8::compat::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let position = place(name, before);
        let message = format!(
            "not UTF-8: byte 0x{:02X}; convert the file to UTF-8",
            bytes[before.len()]
        );
        Error::new(Code::Encoding, position, message)
    })
}

/// Returns the place behind some text of a file: line and column from 1, the column in bytes.
pub(crate) fn place(name: &str, before: &[u8]) -> Position {
    let lines = memchr::memchr_iter(b'\n', before).count();
    let last = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
    Position {
        path: name.to_owned(),
        line: lines as u64 + 1,
        column: (before.len() - last) as u64 + 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brat_is_two_files_of_which_either_is_named() {
        let folder = std::env::temp_dir().join(format!("spanrs-brat-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let reader = Reader::new(Format::Brat);
        let (ann, txt) = (folder.join("a.b.ann"), folder.join("a.b.txt"));
        std::fs::write(&ann, "\u{FEFF}T1\tPER 1 4\tBob\n").unwrap();
        let missing = reader.open(&ann.clone().into()).unwrap_err();
        assert_eq!(
            (missing.code, missing.to_string()),
            (Code::Io, format!("{}: no such file", txt.display()))
        );
        // brat counts a byte order mark.
        std::fs::write(&txt, "\u{FEFF}Bob").unwrap();
        for path in [&ann, &txt] {
            let documents = reader.open(&path.clone().into()).unwrap();
            let bob = &documents[0].annotations[0];
            assert_eq!((documents.len(), &*documents[0].text), (1, "\u{FEFF}Bob"));
            assert_eq!(
                (documents[0].type_of(bob), bob.start, bob.end),
                ("PER", 1, 4)
            );
        }
        std::fs::write(&txt, b"Bob\n\xFF").unwrap();
        let encoding = reader.open(&ann.clone().into()).unwrap_err();
        assert_eq!((encoding.code, encoding.position.line), (Code::Encoding, 2));
        assert_eq!(encoding.position.path, txt.display().to_string());
        std::fs::remove_file(&ann).unwrap();
        let missing = reader.open(&txt.clone().into()).unwrap_err();
        assert_eq!(
            (missing.code, missing.to_string()),
            (Code::Io, format!("{}: no such file", ann.display()))
        );
        std::fs::remove_dir_all(&folder).unwrap();
        let other = reader
            .open(&std::path::PathBuf::from("a.json").into())
            .unwrap_err()
            .to_string();
        assert_eq!(
            other,
            "a.json: brat keeps annotations in a file that ends in .ann, beside the text in one that ends in \
             .txt; name either"
        );
        let bytes = reader.read("x.ann", b"").unwrap_err();
        assert_eq!(
            (bytes.code, bytes.to_string()),
            (
                Code::BadDocument,
                "x.ann: brat's annotations need the .txt beside them; name the file".to_owned()
            )
        );
    }

    #[test]
    fn a_file_may_hold_several_documents() {
        let reader = Reader::new(Format::Doccano);
        let bytes = "\u{FEFF}{\"text\": \"a\", \"label\": [[0, 2, \"A\"]]}\n{\"text\": \"b\", \"label\": []}\n";
        let documents = reader.read("d", bytes.as_bytes()).unwrap();
        assert_eq!((documents.len(), documents[0].left_out_count), (2, 1));
        assert!(reader.read("d", b"").unwrap().is_empty());
        assert_eq!(
            Reader::new(Format::Prodigy)
                .read("d", b"{\"text\": \"a\"}")
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            Reader::new(Format::LabelStudio)
                .read("d", b"[]")
                .unwrap()
                .len(),
            0
        );
    }
}
