//! Writing of documents, one after another.

use std::borrow::Cow;
use std::collections::BTreeSet;

use spanrs_base::Position;

use super::annotated_text::Document;
use super::holds::Holds;
use super::losses::Losses;
use super::project::project;
use super::{
    Format, bioc_json, bioc_xml, brat, csv_spans, doccano, gate_xml, jsonl_spans, label_studio,
    mat_json, prodigy, pubtator, uima_xmi, webanno_tsv, xml_inline,
};
use crate::error::{Code, Error, Result};

/// Writes documents in one format.
pub(super) trait WriteFormat: Send {
    /// Appends a document, which consists only of items that the format can represent
    /// ([`Format::holds`]). What the format cannot represent for other reasons, such as characters
    /// of names, is replaced or removed, and counted in `losses`.
    ///
    /// # Errors
    /// A message, if the document cannot be written at all.
    fn document(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
        losses: &mut Losses,
    ) -> std::result::Result<(), String>;

    /// Returns a type as it is written, for users who read the file again.
    fn written_type<'a>(&self, ty: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(ty)
    }

    /// Appends the end of the file, after the last document.
    fn finish(&mut self, _out: &mut Vec<u8>) {}

    /// Announces that a document of the file has relations, for formats whose records differ in
    /// files with relations.
    fn expect_relations(&mut self) {}

    /// Returns the file that accompanies the last document, by suffix, or all documents, by name.
    /// A file for all documents is returned only after [`WriteFormat::finish`].
    fn companion(&mut self) -> Option<Companion> {
        None
    }
}

/// A file that belongs to another file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Companion {
    /// The suffix that replaces the suffix of the file (`.txt`), or, for a file that belongs to all
    /// files of a directory, its whole name (`TypeSystem.xml`).
    pub name: &'static str,
    /// Content.
    pub bytes: Vec<u8>,
}

/// Writes documents, and counts what the format cannot represent.
///
/// The bytes of all documents, followed by those of [`DocumentWriter::finish`], are a file. In a
/// format with one document per file ([`Format::suffix`]), the bytes of each document are a file,
/// possibly with a [`DocumentWriter::companion`].
///
/// ```
/// use spanrs_io::document::{Document, DocumentWriter, Format, Reader};
/// let mut document = Document::new("Bob ate".to_owned());
/// let person = document.intern("PER");
/// document.push(person, 0, 3);
/// let mut writer = DocumentWriter::new(Format::Doccano);
/// let mut file = Vec::new();
/// writer.write(&document, &mut file).unwrap();
/// writer.finish(&mut file);
/// assert_eq!(Reader::new(Format::Doccano).read("example", &file).unwrap()[0].annotations.len(), 1);
/// assert!(writer.losses().list().is_empty());
/// ```
pub struct DocumentWriter {
    holds: Holds,
    inner: Box<dyn WriteFormat>,
    losses: Losses,
    /// Number of documents, including those that were not written.
    documents: usize,
    /// The types written so far.
    types: BTreeSet<String>,
}

/// Identity of a written document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenDocument {
    /// The name of the document, otherwise its id; the name of a file with one document.
    pub name: Option<String>,
}

impl DocumentWriter {
    /// Creates a writer.
    pub fn new(format: Format) -> Self {
        let inner: Box<dyn WriteFormat> = match format {
            Format::MatJson => Box::new(mat_json::Writer),
            Format::XmlInline | Format::FakeXmlInline | Format::Raw => Box::new(xml_inline::Writer),
            Format::Brat => Box::new(brat::Writer::default()),
            Format::Doccano => Box::new(doccano::Writer::default()),
            Format::Prodigy => Box::new(prodigy::Writer),
            Format::LabelStudio => Box::new(label_studio::JsonWriter::default()),
            Format::LabelStudioMin => Box::new(label_studio::MinWriter::default()),
            Format::LabelStudioCsv => Box::new(label_studio::CsvWriter::default()),
            Format::WebannoTsv => Box::new(webanno_tsv::Writer),
            Format::UimaXmi => Box::new(uima_xmi::Writer::default()),
            Format::GateXml => Box::new(gate_xml::Writer),
            Format::BiocXml => Box::new(bioc_xml::Writer::default()),
            Format::BiocJson => Box::new(bioc_json::Writer::default()),
            Format::Pubtator => Box::new(pubtator::Writer::default()),
            Format::JsonlSpans => Box::new(jsonl_spans::Writer),
            Format::CsvSpans => Box::new(csv_spans::Writer::default()),
        };
        Self {
            holds: format.holds(),
            inner,
            losses: Losses::default(),
            documents: 0,
            types: BTreeSet::new(),
        }
    }

    /// Announces that a document has relations; called before the first document. doccano has
    /// projects with and without relations, whose records differ.
    pub fn expect_relations(&mut self) {
        self.inner.expect_relations();
    }

    /// Appends a document to `out`; None if the document is not written, because it was skipped or
    /// rejected by all its annotators and the format cannot represent this.
    ///
    /// # Errors
    /// [`Code::BadValue`] with the document in place of a path, if the document cannot be written
    /// in the format.
    pub fn write(
        &mut self,
        document: &Document,
        out: &mut Vec<u8>,
    ) -> Result<Option<WrittenDocument>> {
        let shown = document.name.as_ref().or(document.id.as_ref());
        let place = match shown {
            Some(name) => format!("document {name}"),
            None => format!("document {}", self.documents),
        };
        self.losses.begin_document(place);
        self.documents += 1;
        let Some(document) = project(document, &self.holds, &mut self.losses) else {
            return Ok(None);
        };
        self.inner
            .document(&document, out, &mut self.losses)
            .map_err(|message| {
                Error::new(Code::BadValue, Position::file(self.losses.place()), message)
            })?;
        for annotation in &document.annotations {
            let ty = self.inner.written_type(document.type_of(annotation));
            if !self.types.contains(&*ty) {
                self.types.insert(ty.into_owned());
            }
        }
        let name = document.name.clone().or_else(|| document.id.clone());
        Ok(Some(WrittenDocument { name }))
    }

    /// Appends the end of a file with several documents, or, in formats with one document per
    /// file, the end of the last file.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.inner.finish(out);
    }

    /// Returns the file that accompanies the last document or, after [`DocumentWriter::finish`],
    /// all documents.
    pub fn companion(&mut self) -> Option<Companion> {
        self.inner.companion()
    }

    /// Returns the items that were not written.
    pub fn losses(&self) -> &Losses {
        &self.losses
    }

    /// Returns the types of the annotations written so far, as in the file, sorted.
    pub fn types(&self) -> impl Iterator<Item = &str> {
        self.types.iter().map(String::as_str)
    }
}
