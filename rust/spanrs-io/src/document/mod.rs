//! Documents: texts with annotations that refer to character offsets.
//!
//! In all formats, the offsets of a [`Document`] count characters (code points) of its text, from
//! 0, ends exclusive. Each format has a module that creates documents from the bytes of a file:
//!
//! | format | offsets in the file | documents in a file |
//! |---|---|---|
//! | MAT-JSON | code points | one |
//! | inline XML, fake XML | none: tags are in the text | one |
//! | raw text | none: no annotations | one |
//! | brat | code points, a byte order mark included | one, in two files |
//! | doccano | code points | one per line |
//! | Prodigy | code points | one per line and annotator |
//! | Label Studio | UTF-16 code units or code points | one per task, JSON_MIN and CSV: one per task and annotator |
//! | WebAnno TSV | UTF-16 code units | one |
//! | UIMA XMI | UTF-16 code units | one, with a type system in another file |
//! | GATE XML | UTF-16 code units, as ids of nodes | one |
//! | BioC, PubTator | the unit in which the quoted texts agree | many |
//! | tokens with spans | indices of tokens, ends inclusive | one per record |
//! | tables of spans | code points | many |
//!
//! Reading has two steps. The reader of a format rejects files that violate the format;
//! [`Document::close`] then leaves out, with a report, annotations outside of the text. Exports of
//! annotation tools occasionally contain such annotations, and the rest of the corpus should remain
//! usable.
//!
//! A document is read into memory as a whole, up to `Limits::document_bytes`; the documents of a
//! file are read one by one ([`DocumentReader`]).
//!
//! Documents also keep relations between annotations, attributes with the types of their values,
//! and the annotations of several annotators as layers ([`LayerChoice`]), if the format supports
//! these.
//!
//! ```
//! use spanrs_io::document::{Format, Reader};
//! let text = r#"{"signal": "Bob ate", "asets": [{"type": "PERSON", "annots": [[0, 3]]}]}"#;
//! let reader = Reader::new(Format::MatJson);
//! let document = &reader.read("example", text.as_bytes()).unwrap()[0];
//! let bob = &document.annotations[0];
//! assert_eq!((document.type_of(bob), bob.start, bob.end), ("PERSON", 0, 3));
//! ```

mod annotated_text;
mod annotators;
mod bioc;
mod bioc_json;
mod bioc_xml;
mod brat;
mod char_index;
mod counted;
mod csv_spans;
mod doccano;
mod elements;
mod encoding;
mod fake_xml;
mod gate_xml;
mod given;
mod holds;
mod json;
mod json_documents;
mod jsonl_spans;
mod label_studio;
mod located_input;
mod losses;
mod mat_json;
mod merging;
mod metadata;
mod names;
mod offset_units;
mod prodigy;
mod project;
mod pubtator;
mod quirks;
#[cfg(test)]
mod random_documents;
mod records;
mod regions;
#[cfg(test)]
mod round_trip;
mod stream;
mod tag_records;
#[cfg(test)]
mod testing;
mod tokenize;
mod uima_layers;
mod uima_xmi;
mod utf16;
mod webanno_tsv;
mod write;
mod xml_inline;
mod xml_stream;

pub use annotated_text::{Annotation, Answer, Document, Layer, Relation, TOKEN};
pub use annotators::LayerChoice;
pub use elements::Elements;
pub(crate) use encoding::place;
pub use given::{NoDocument, PlainAnnotation, PlainDocument, PlainRelation};
pub use holds::{
    Answers, Holds, Ids, OTHER_FORMATS, Overlap, Relations, Text, Tokens, Values, holds_of,
};
pub use losses::{Loss, Losses};
pub use project::project;
pub use quirks::{OffsetUnit, Quirks, Trim};
pub use stream::DocumentReader;
pub use tag_records::{RecordKeys, RecordTags, TagRecord, TagRecords};
pub use tokenize::{lines, tokenize};
pub use write::{Companion, DocumentWriter, WrittenDocument};
pub(crate) use xml_inline::standoff_format;

use serde::Deserialize;
use spanrs_base::{Limits, Named, serde_by_name};

use crate::error::{Error, Result};
use crate::source::Source;
use encoding::utf8;
use stream::{One, Records};

/// The file format of documents. The names are the values of the `format` option.
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
    /// Plain text without annotations.
    Raw,
    /// brat annotations in an `.ann` file, with the text in a `.txt` file.
    Brat,
    /// doccano's JSON Lines.
    Doccano,
    /// Prodigy's JSON Lines.
    Prodigy,
    /// Label Studio's JSON; JSON_MIN is read as well.
    LabelStudio,
    /// Label Studio's JSON_MIN.
    LabelStudioMin,
    /// Label Studio's CSV, separated by commas or tabs.
    LabelStudioCsv,
    /// WebAnno TSV 3, of WebAnno and INCEpTION.
    WebannoTsv,
    /// XMI of a UIMA CAS, with a type system in another file.
    UimaXmi,
    /// GATE's XML.
    GateXml,
    /// BioC's XML.
    BiocXml,
    /// BioC's JSON.
    BiocJson,
    /// PubTator.
    Pubtator,
    /// Tokens with spans whose ends are inclusive, in JSON or JSON Lines (GLiNER).
    JsonlSpans,
    /// A table with a row for each span of characters.
    CsvSpans,
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
        ("label-studio-min", Self::LabelStudioMin),
        ("label-studio-csv", Self::LabelStudioCsv),
        ("webanno-tsv", Self::WebannoTsv),
        ("uima-xmi", Self::UimaXmi),
        ("gate-xml", Self::GateXml),
        ("bioc-xml", Self::BiocXml),
        ("bioc-json", Self::BiocJson),
        ("pubtator", Self::Pubtator),
        ("jsonl-spans", Self::JsonlSpans),
        ("csv-spans", Self::CsvSpans),
    ];
}

serde_by_name!(Format);

/// Options of a [`Reader`] as plain data.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderOptions {
    /// The format of the files.
    pub format: Format,
    /// The elements that are annotations, for inline XML.
    #[serde(default)]
    pub elements: Elements,
    /// The annotator whose annotations are read: a name or a position from 0.
    #[serde(default)]
    pub annotator: Option<String>,
    /// Whether to remove the annotation of the root element of XML.
    #[serde(default)]
    pub drop_root: bool,
    /// Whether to read all layers, if no annotator is given.
    #[serde(default)]
    pub all_layers: bool,
    /// Whether to read tasks without annotations as documents without layers, with all layers
    /// ([`LayerChoice::Project`]).
    #[serde(default)]
    pub unannotated: bool,
    /// The type of the annotations that are read, for formats with layers of annotations (WebAnno
    /// TSV, UIMA XMI).
    #[serde(default)]
    pub layer: Option<String>,
    /// How the bounds of annotations are read.
    #[serde(default)]
    pub quirks: Quirks,
    /// Maximum ratio of decompressed to compressed bytes; None for the default of [`Limits`].
    #[serde(default)]
    pub max_expansion: Option<usize>,
}

/// Reads documents in one format. Reading does not change the reader, which can be shared between
/// threads.
///
/// ```
/// use spanrs_io::document::{Format, LayerChoice, Reader};
/// let records = b"{\"text\": \"Bob\", \"_annotator_id\": \"ann\"}
///                 {\"text\": \"Bob\", \"_annotator_id\": \"eve\"}";
/// let mut reader = Reader::new(Format::Prodigy);
/// assert!(reader.read("example", records).is_err());
/// reader.layers = LayerChoice::Named("eve".to_owned());
/// assert_eq!(reader.read("example", records).unwrap().len(), 1);
/// ```
#[derive(Clone, Debug)]
pub struct Reader {
    /// The format of the files.
    pub format: Format,
    /// The elements that are annotations, for inline XML.
    pub elements: Elements,
    /// Whether to remove the annotation of the root element of XML, which usually encloses the text
    /// and is not a real annotation.
    pub drop_root: bool,
    /// The layers to read, for formats with several annotators and for GATE's annotation sets.
    pub layers: LayerChoice,
    /// The type of the annotations that are read, for WebAnno TSV and UIMA XMI; None for all.
    pub layer: Option<String>,
    /// How the bounds of annotations are read.
    pub quirks: Quirks,
    /// Limits on size and nesting depth; files that exceed them are rejected.
    pub limits: Limits,
}

impl Reader {
    /// Creates a reader with default options.
    pub fn new(format: Format) -> Self {
        Self {
            format,
            elements: Elements::default(),
            drop_root: false,
            layers: LayerChoice::default(),
            layer: None,
            quirks: Quirks::default(),
            limits: Limits::default(),
        }
    }

    /// Creates a reader with these options.
    pub fn with_options(options: ReaderOptions) -> Self {
        Self {
            format: options.format,
            elements: options.elements,
            drop_root: options.drop_root,
            layers: match options.annotator {
                Some(name) => LayerChoice::Named(name),
                None if options.all_layers && options.unannotated => LayerChoice::Project,
                None if options.all_layers => LayerChoice::All,
                None => LayerChoice::Sole,
            },
            layer: options.layer,
            quirks: options.quirks,
            limits: Limits::default().with_expansion(options.max_expansion),
        }
    }

    /// Opens a source, decompressing gzip and zstd, to read its documents one by one. For brat, the
    /// path may be either file of the pair; the type system of UIMA XMI is read from the directory
    /// of the file. A source is opened twice for Prodigy and Label Studio, where the annotators of a
    /// document may be anywhere in the file; a stream is then kept ([`Source::read_twice`]).
    ///
    /// # Errors
    /// For formats with one document per file, the errors of [`Source::contents`] and
    /// [`Reader::read`], and [`Code::BadDocument`] for brat from a stream. For other formats, the
    /// errors of [`Source::open`], and [`Code::BadDocument`] if several annotators annotated the same
    /// document and none is selected, or if the selected annotator does not occur; other errors are
    /// returned with the documents.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::Source;
    /// use spanrs_io::document::{Format, Reader};
    /// let lines = &b"{\"text\": \"Bob\", \"label\": []}\n{\"text\": \"ate\", \"label\": []}\n"[..];
    /// let source = Source::stream("example", Box::new(lines));
    /// let mut documents = Reader::new(Format::Doccano).open(&source).unwrap();
    /// assert_eq!(documents.next().unwrap().unwrap().text, "Bob");
    /// assert_eq!(documents.count(), 1);
    /// ```
    pub fn open(&self, source: &Source) -> Result<DocumentReader> {
        self.open_with(source, None)
    }

    /// Opens a source as [`Reader::open`] does, with the file that belongs to it: the text of
    /// brat's annotations, or the type system of UIMA XMI. Used if the files are not in a
    /// directory.
    ///
    /// # Errors
    /// Same as [`Reader::open`].
    pub fn open_with(&self, source: &Source, companion: Option<&Source>) -> Result<DocumentReader> {
        let Self { layers, limits, .. } = self;
        let limits = *limits;
        let records: Box<dyn Records> = match self.format {
            _ if let Some(_) = self.format.suffix() => {
                let mut document = self.open_one(source, companion)?;
                if self.drop_root {
                    document.remove_root();
                }
                if document.name.is_none() {
                    let stem =
                        stem(source.name()).filter(|stem| document.id.as_deref() != Some(stem));
                    document.name = stem.map(str::to_owned);
                }
                Box::new(One(Some(document)))
            }
            Format::Doccano => Box::new(doccano::Documents(records::Lines::open(source, limits)?)),
            Format::Prodigy => prodigy::open(source, layers, limits)?,
            Format::LabelStudio | Format::LabelStudioMin => {
                label_studio::open(source, layers, limits)?
            }
            Format::LabelStudioCsv => label_studio::csv::open(source, layers, limits)?,
            Format::BiocXml => bioc_xml::open(source, layers, limits)?,
            Format::BiocJson => bioc_json::open(source, layers, limits)?,
            Format::Pubtator => pubtator::open(source, layers, limits)?,
            Format::JsonlSpans => jsonl_spans::open(source, layers, limits)?,
            _ => csv_spans::open(source, layers, limits)?,
        };
        Ok(DocumentReader::new(records, self.quirks))
    }

    /// Reads the only document of a source.
    fn open_one(&self, source: &Source, companion: Option<&Source>) -> Result<Document> {
        let limits = self.limits;
        match (self.format, source.path(), companion) {
            (Format::Brat, Some(path), None) => brat::open(path, limits),
            (Format::Brat, _, companion) => brat::open_pair(source, companion, limits),
            (Format::UimaXmi, ..) => {
                uima_xmi::open(source, companion, self.layer.as_deref(), limits)
            }
            _ => self.whole(source.name(), &source.contents(limits)?),
        }
    }

    /// Reads the documents in the bytes of a file; `name` is the file name for messages. A byte
    /// order mark is skipped.
    ///
    /// # Errors
    /// [`Code::Encoding`] if the bytes are not UTF-8; [`Code::BadDocument`] for violations of the
    /// format, for brat, whose text is in another file, and for an annotator that does not occur in
    /// the file; [`Code::LaterVersion`] for MAT-JSON; [`Code::Entities`], [`Code::TooDeep`] and
    /// [`Code::WrongFormat`] for XML.
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
        let bytes = std::io::Cursor::new(bytes.to_vec());
        let source = Source::stream(name, Box::new(bytes));
        self.open(&source.keep())?.collect()
    }

    /// Reads a file in a format with one document per file.
    fn whole(&self, name: &str, bytes: &[u8]) -> Result<Document> {
        let text = utf8(name, bytes).map_err(|error| match self.format {
            Format::XmlInline | Format::FakeXmlInline | Format::Raw => Error {
                message: format!("{}, or specify its encoding", error.message),
                ..error
            },
            // All other formats are UTF-8 by definition.
            _ => error,
        })?;
        match self.format {
            Format::XmlInline => xml_inline::read(name, text, &self.elements, self.limits.nesting),
            Format::FakeXmlInline => fake_xml::read(name, text),
            Format::Raw => Ok(Document::new(text.to_owned())),
            Format::WebannoTsv => webanno_tsv::read(name, text, self.layer.as_deref()),
            Format::GateXml => gate_xml::read(name, text, &self.layers, self.limits),
            _ => mat_json::read(name, text),
        }
    }
}

/// Returns the name of a file without directories and suffixes; None for a stream without a name.
fn stem(name: &str) -> Option<&str> {
    let base = name.rsplit(['/', '\\']).next()?;
    let bare = [".gz", ".zst"]
        .iter()
        .find_map(|suffix| base.strip_suffix(suffix));
    let (stem, _) = bare.unwrap_or(base).rsplit_once('.')?;
    (!stem.is_empty() && !name.starts_with('<')).then_some(stem)
}

/// Returns the encoding of an XML file according to a UTF-16 byte order mark or the XML
/// declaration; None for UTF-8 and ASCII, and if no encoding is declared. Only the first 1024 bytes
/// are examined.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Code;

    #[test]
    fn brat_is_two_files_of_which_either_is_named() {
        let folder = std::env::temp_dir().join(format!("spanrs-brat-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let reader = Reader::new(Format::Brat);
        let (ann, txt) = (folder.join("a.b.ann"), folder.join("a.b.txt"));
        std::fs::write(&ann, "\u{FEFF}T1\tPER 1 4\tBob\n").unwrap();
        let missing = reader.open(&ann.clone().into()).err().unwrap();
        assert_eq!(
            (missing.code, missing.to_string()),
            (Code::Io, format!("{}: no such file", txt.display()))
        );
        // brat counts a byte order mark as a character.
        std::fs::write(&txt, "\u{FEFF}Bob").unwrap();
        for path in [&ann, &txt] {
            let documents = reader.open(&path.clone().into()).unwrap();
            let documents: Vec<Document> = documents.map(Result::unwrap).collect();
            let bob = &documents[0].annotations[0];
            assert_eq!((documents.len(), &*documents[0].text), (1, "\u{FEFF}Bob"));
            assert_eq!(
                (documents[0].type_of(bob), bob.start, bob.end),
                ("PER", 1, 4)
            );
        }
        std::fs::write(&txt, b"Bob\n\xFF").unwrap();
        let encoding = reader.open(&ann.clone().into()).err().unwrap();
        assert_eq!((encoding.code, encoding.position.line), (Code::Encoding, 2));
        assert_eq!(encoding.position.path, txt.display().to_string());
        std::fs::remove_file(&ann).unwrap();
        let missing = reader.open(&txt.clone().into()).err().unwrap();
        assert_eq!(
            (missing.code, missing.to_string()),
            (Code::Io, format!("{}: no such file", ann.display()))
        );
        std::fs::remove_dir_all(&folder).unwrap();
        let other = reader
            .open(&std::path::PathBuf::from("a.json").into())
            .err()
            .unwrap()
            .to_string();
        assert_eq!(
            other,
            "a.json: brat stores annotations in a .ann file next to a .txt file with the text; pass the \
             path of either file"
        );
        let bytes = reader.read("x.ann", b"").unwrap_err();
        assert_eq!(
            (bytes.code, bytes.to_string()),
            (
                Code::BadDocument,
                "x.ann: brat annotations need the .txt file next to them; pass the path of the file".to_owned()
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
