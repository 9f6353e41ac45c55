//! Documents: behind `spanrs.io.read_documents`, and what `spanrs.mat` scores.

use std::io::Cursor;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use spanrs::ConllDocuments;
use spanrs::base::{Alias, Category, Named, Tag};
use spanrs::io::document::{
    Answer, Document, Elements, Format, GivenAnnotation, GivenRelation, LayerChoice, Reader,
};
use spanrs::io::{Source, read_tasks as read};

use crate::error::{Error, Result};
use crate::files::{ColumnOptions, SourceArgument, column_file, limits_of_documents};
use crate::options::{Choice, PyReader};
use crate::stop;

/// A document.
#[pyclass(frozen, name = "Document", module = "spanrs._spanrs")]
pub(crate) struct PyDocument(pub(crate) Document);

/// (type, start, end, attributes, pieces)
type AnnotationTuple<'py> = (String, u32, u32, Bound<'py, PyDict>, Vec<(u32, u32)>);
/// (type, from, to)
type RelationTuple = (String, u32, u32);
/// (text, annotations, id, what was left out, relations)
type DocumentTuple<'py> = (
    String,
    Vec<AnnotationTuple<'py>>,
    Option<String>,
    Vec<String>,
    Vec<RelationTuple>,
);

#[pymethods]
impl PyDocument {
    /// What the file calls it.
    #[getter]
    fn id(&self) -> Option<&str> {
        self.0.id.as_deref()
    }

    /// Its text.
    #[getter]
    fn text(&self) -> &str {
        &self.0.text
    }

    /// How many annotations were left out, and why the first of them; relations are not counted.
    fn left_out(&self) -> (usize, Vec<String>) {
        (self.0.left_out_count, self.0.left_out.clone())
    }

    /// The layers: (name, whether it was given, left empty, skipped or rejected).
    fn layers(&self) -> Vec<(Option<&str>, String)> {
        let layers = self.0.layers.iter();
        let state = |answer: &Answer| format!("{answer:?}").to_lowercase();
        layers
            .map(|layer| (layer.name.as_deref(), state(&layer.answer)))
            .collect()
    }

    /// The document as Python values.
    fn plain<'py>(&self, py: Python<'py>) -> PyResult<DocumentTuple<'py>> {
        let document = &self.0;
        let annotations = document.annotations.iter().map(|annotation| {
            let ty = document.type_of(annotation).to_owned();
            let attributes = document.attributes(annotation).into_py_dict(py)?;
            let pieces = document.pieces(annotation).to_vec();
            Ok((ty, annotation.start, annotation.end, attributes, pieces))
        });
        let annotations: PyResult<_> = annotations.collect();
        let relations = document.relations.iter().map(|relation| {
            let ty = document.type_of_relation(relation).to_owned();
            (ty, relation.from, relation.to)
        });
        let mut left_out = document.left_out.clone();
        left_out.extend_from_slice(&document.relations_left_out);
        Ok((
            document.text.clone(),
            annotations?,
            document.id.clone(),
            left_out,
            relations.collect(),
        ))
    }
}

/// The documents of a file, one after another.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct DocumentReader(Mutex<Documents>);

/// Where documents come from.
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
        let next = py.detach(|| match &mut *self.lock() {
            Documents::File(documents) => Ok(documents.next().transpose()?),
            Documents::Conll(documents) => documents.next(&mut |_| !stop()),
        });
        Ok(next?.map(PyDocument))
    }

    /// Warnings, when all documents have been read.
    fn warnings(&self, py: Python<'_>) -> Result<Vec<String>> {
        // Detached, because who holds the lock may wait for the interpreter.
        py.detach(|| match &mut *self.lock() {
            Documents::File(_) => Ok(Vec::new()),
            Documents::Conll(documents) => Ok(documents.finish()?),
        })
    }
}

impl DocumentReader {
    /// Locks the documents, also after a panic of another thread, which was in one document.
    fn lock(&self) -> MutexGuard<'_, Documents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes of a file in UTF-8 and its name, or a source. An annotator that is a number needs a source that can be opened
/// twice.
#[derive(FromPyObject)]
pub(crate) enum DocumentSource {
    Bytes(Vec<u8>, String),
    Source(SourceArgument),
}

/// The documents of a file. `declared`: the elements of XML that are annotations, or None for all; `overlay`:
/// the others stay in the text; `all_layers`: those of all annotators.
#[pyfunction]
#[pyo3(signature = (source, format_name, declared, overlay, annotator, all_layers, max_expansion, /))]
#[allow(clippy::too_many_arguments)] // Called from one place.
pub(crate) fn read_documents(
    py: Python<'_>,
    source: DocumentSource,
    format_name: Choice<Format>,
    declared: Option<Vec<String>>,
    overlay: bool,
    annotator: Option<String>,
    all_layers: bool,
    max_expansion: Option<usize>,
) -> Result<DocumentReader> {
    let mut reader = Reader::new(format_name.0);
    reader.layers = match annotator {
        Some(name) => LayerChoice::Named(name),
        None if all_layers => LayerChoice::All,
        None => LayerChoice::Sole,
    };
    reader.limits = limits_of_documents(max_expansion);
    reader.elements = Elements {
        declared: declared.map(|names| names.into_iter().collect()),
        overlay,
    };
    let documents = py.detach(|| match source {
        DocumentSource::Source(source) => reader.open(&source),
        DocumentSource::Bytes(bytes, name) => {
            let source = Source::stream(&name, Box::new(Cursor::new(bytes)));
            reader.open(&source.keep())
        }
    })?;
    Ok(DocumentReader(Mutex::new(Documents::File(Box::new(
        documents,
    )))))
}

/// The documents of a column file, whose text is rebuilt.
#[pyfunction]
#[pyo3(signature = (source, options, reader, /))]
pub(crate) fn read_conll_documents(
    py: Python<'_>,
    source: SourceArgument,
    options: ColumnOptions,
    reader: PyReader,
) -> Result<DocumentReader> {
    let file = column_file(&source, &options)?;
    let documents = py.detach(|| Result::Ok(ConllDocuments::new(file.open()?, reader.0)?))?;
    Ok(DocumentReader(Mutex::new(Documents::Conll(Box::new(
        documents,
    )))))
}

/// (text, id, annotations, relations, what was left out before)
type GivenDocument = (
    String,
    Option<String>,
    Vec<GivenAnnotation>,
    Vec<GivenRelation>,
    Vec<String>,
);

/// Documents that are built from Python values.
#[pyfunction]
#[pyo3(signature = (documents, /))]
pub(crate) fn documents_of(documents: Vec<GivenDocument>) -> Result<Vec<PyDocument>> {
    let documents = documents.into_iter().enumerate();
    let all = documents.map(|(at, (text, id, annotations, relations, left_out))| {
        Document::given(text, id, annotations, relations, left_out)
            .map(PyDocument)
            .map_err(|error| Error::value(format!("document {at}: {error}")))
    });
    all.collect()
}

/// The encoding that XML declares; None for UTF-8.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn declared_encoding(data: &[u8]) -> Option<String> {
    spanrs::io::document::declared_encoding(data)
}

/// (name, category, [(alias, [(attribute, value)])])
type TagTuple = (String, &'static str, Vec<(String, Vec<(String, String)>)>);

/// A type of annotations from its tuple.
pub(crate) struct PyTag(pub(crate) Tag);

impl FromPyObject<'_, '_> for PyTag {
    type Error = PyErr;

    fn extract(tuple: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        type Aliases = Vec<(String, Vec<(String, String)>)>;
        let (name, category, aliases): (_, String, Aliases) = tuple.extract()?;
        let aliases = aliases.into_iter();
        Ok(Self(Tag {
            name,
            category: Category::from_name(&category).unwrap_or(Category::Other),
            aliases: aliases
                .map(|(name, attributes)| Alias { name, attributes })
                .collect(),
        }))
    }
}

/// The tasks of a task.xml, whose text this is: (name, tags).
#[pyfunction]
#[pyo3(signature = (name, text, /))]
pub(crate) fn read_tasks(name: &str, text: &str) -> Result<Vec<(String, Vec<TagTuple>)>> {
    let tag = |tag: Tag| -> TagTuple {
        let aliases = tag.aliases.into_iter().map(|a| (a.name, a.attributes));
        (tag.name, tag.category.name(), aliases.collect())
    };
    let tasks = read(name, text)?.into_iter();
    let tasks = tasks.map(|task| (task.name, task.tags.into_iter().map(tag).collect()));
    Ok(tasks.collect())
}
