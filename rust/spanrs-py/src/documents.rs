//! Documents: the compiled part of `spanrs.io.read_documents`; `spanrs.mat` scores these documents.

use std::io::Cursor;
use std::sync::Mutex;

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use spanrs::ConllDocuments;
use spanrs::base::{Limits, Task};
use spanrs::io::document::{
    Document, Layer, PlainDocument, Reader, ReaderOptions, RecordKeys, RecordTags, TagRecord,
};
use spanrs::io::{Columns, Source};
use spanrs::tags::ReaderOptions as TagReaderOptions;

use crate::error::{Error, Result};
use crate::files::{self, SourceArgument};
use crate::locks::lock;
use crate::plain::Plain;
use crate::stop;

/// A document.
#[pyclass(frozen, name = "Document", module = "spanrs._spanrs")]
pub(crate) struct PyDocument(pub(crate) Document);

#[pymethods]
impl PyDocument {
    /// Id of the document in the file.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    /// Text of the document.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether the document has relations.
    #[getter]
    fn has_relations(&self) -> bool {
        !self.0.relations.is_empty()
    }

    /// Name of the document for users.
    #[getter]
    fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// Number of skipped annotations, and messages for the first of them and for the first skipped relations.
    fn left_out(&self) -> (usize, Vec<String>, Vec<String>) {
        let document = &self.0;
        (
            document.left_out_count,
            document.left_out.clone(),
            document.relations_left_out.clone(),
        )
    }

    /// The layers, each with the answer of its annotator.
    fn layers(&self) -> Plain<&[Layer]> {
        Plain(&self.0.layers)
    }

    /// The document as plain data.
    fn plain(&self) -> Plain<PlainDocument> {
        Plain(self.0.plain())
    }
}

/// The documents of a file, one after another.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct DocumentReader(Mutex<Documents>);

/// Source of documents.
enum Documents {
    File(Box<spanrs::io::document::DocumentReader>),
    Conll(Box<ConllDocuments>),
}

#[pymethods]
impl DocumentReader {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> Result<Option<PyDocument>> {
        let next = py.detach(|| match &mut *lock(&self.0) {
            Documents::File(documents) => Ok(documents.next().transpose()?),
            Documents::Conll(documents) => documents.next(&mut |_| !stop()),
        });
        Ok(next?.map(PyDocument))
    }

    /// Warnings about the documents read so far, complete after the last document.
    fn warnings(&self, py: Python<'_>) -> Result<Vec<String>> {
        // Releases the GIL, because the thread that holds the lock may be waiting for the GIL.
        py.detach(|| match &mut *lock(&self.0) {
            Documents::File(documents) => Ok(documents.notices()),
            Documents::Conll(documents) => Ok(documents.finish()?),
        })
    }
}

/// UTF-8 bytes with the name of the file, or a source. A numeric annotator needs a source that can be opened twice.
#[derive(FromPyObject)]
pub(crate) enum DocumentSource {
    Bytes(Vec<u8>, String),
    Source(SourceArgument),
}

/// The documents of a file; `companion` is the file that belongs to it, if both are not in a directory.
#[pyfunction]
#[pyo3(signature = (source, options, companion=None, /))]
pub(crate) fn read_documents(
    py: Python<'_>,
    source: DocumentSource,
    options: Plain<ReaderOptions>,
    companion: Option<SourceArgument>,
) -> Result<DocumentReader> {
    let reader = Reader::with_options(options.0);
    let documents = py.detach(|| match source {
        DocumentSource::Source(source) => reader.open_with(&source, companion.as_deref()),
        DocumentSource::Bytes(bytes, name) => {
            let source = Source::stream(&name, Box::new(Cursor::new(bytes)));
            reader.open(&source.keep())
        }
    })?;
    let documents = Documents::File(Box::new(documents));
    Ok(DocumentReader(Mutex::new(documents)))
}

/// The documents in a column file, with text rebuilt from the tokens.
#[pyfunction]
#[pyo3(signature = (source, columns, reader, /))]
pub(crate) fn read_conll_documents(
    py: Python<'_>,
    source: SourceArgument,
    columns: Plain<Columns>,
    reader: Plain<TagReaderOptions>,
) -> Result<DocumentReader> {
    let (rows, reader) = (files::columns(py, &source, columns)?, reader.0.build()?);
    let documents = Documents::Conll(Box::new(ConllDocuments::new(rows, reader)?));
    Ok(DocumentReader(Mutex::new(documents)))
}

/// The sentences of a file of records with tokens and tags.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct TagRecords(Mutex<spanrs::io::document::TagRecords>);

/// Tokens, the tags of each layer, the document and the line of a sentence.
type PySentence<'py> = (
    Option<Vec<String>>,
    Vec<Bound<'py, PyAny>>,
    Option<String>,
    u64,
);

#[pymethods]
impl TagRecords {
    #[new]
    #[pyo3(signature = (source, keys, /))]
    fn new(py: Python<'_>, source: SourceArgument, keys: Plain<RecordKeys>) -> Result<Self> {
        let open = || spanrs::io::document::TagRecords::open(&source, keys.0, Limits::default());
        Ok(Self(Mutex::new(py.detach(open)?)))
    }

    /// The keys of the first record, and whether their values are lists.
    #[staticmethod]
    #[pyo3(signature = (source, /))]
    fn keys(py: Python<'_>, source: SourceArgument) -> Result<Vec<(String, bool)>> {
        Ok(py.detach(|| spanrs::io::document::TagRecords::keys(&source, Limits::default()))?)
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Result<Option<PySentence<'py>>> {
        let record = py.detach(|| lock(&self.0).next().transpose())?;
        let Some(TagRecord {
            tokens,
            tags,
            document,
            line,
        }) = record
        else {
            return Ok(None);
        };
        let layers = tags.into_iter().map(|layer| match layer {
            RecordTags::Names(tags) => tags.into_bound_py_any(py),
            RecordTags::Ids(tags) => tags.into_bound_py_any(py),
        });
        let layers: PyResult<Vec<_>> = layers.collect();
        Ok(Some((tokens, layers?, document, line)))
    }
}

/// Builds documents from plain data.
#[pyfunction]
#[pyo3(signature = (documents, /))]
pub(crate) fn documents_of(documents: Vec<Plain<PlainDocument>>) -> Result<Vec<PyDocument>> {
    let documents = documents.into_iter().enumerate();
    let documents = documents.map(|(at, Plain(document))| {
        Document::try_from(document)
            .map(PyDocument)
            .map_err(|error| Error::value(format!("document {at}: {error}")))
    });
    documents.collect()
}

/// The encoding declared by XML; None for UTF-8.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn declared_encoding(data: &[u8]) -> Option<String> {
    spanrs::io::document::declared_encoding(data)
}

/// The tasks in the text of a task.xml.
#[pyfunction]
#[pyo3(signature = (name, text, /))]
pub(crate) fn read_tasks(name: &str, text: &str) -> Result<Plain<Vec<Task>>> {
    Ok(Plain(spanrs::io::read_tasks(name, text)?))
}
