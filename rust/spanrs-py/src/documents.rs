//! Documents: behind `spanrs.io.read_documents`, and what `spanrs.mat` scores.

use std::io::Cursor;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use spanrs::ConllDocuments;
use spanrs::base::{Alias, Category, Limits, Named, Tag};
use spanrs::io::document::{
    Document, Elements, Format, GivenAnnotation, GivenRelation, LayerChoice, Reader,
};
use spanrs::io::{ColumnReader, Source, read_tasks as read};
use spanrs::tags::{Dialect, Reading, Scheme};

use crate::error::{Error, Result};
use crate::files::{ColumnOptions, limits_of_documents};
use crate::options::Choice;
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

/// A path; or the bytes of a file in UTF-8, and its name.
#[derive(FromPyObject)]
pub(crate) enum DocumentSource {
    Bytes(Vec<u8>, String),
    Path(PathBuf),
}

/// The documents of a file. `declared`: the elements of XML that are annotations, or None for all; `overlay`:
/// the others stay in the text.
#[pyfunction]
#[pyo3(signature = (source, format_name, declared, overlay, annotator, max_expansion, /))]
pub(crate) fn read_documents(
    py: Python<'_>,
    source: DocumentSource,
    format_name: Choice<Format>,
    declared: Option<Vec<String>>,
    overlay: bool,
    annotator: Option<String>,
    max_expansion: Option<usize>,
) -> Result<DocumentReader> {
    let mut reader = Reader::new(format_name.0);
    reader.layers = annotator.map_or(LayerChoice::Sole, LayerChoice::Named);
    reader.limits = limits_of_documents(max_expansion);
    reader.elements = Elements {
        declared: declared.map(|names| names.into_iter().collect()),
        overlay,
    };
    let mut source = match source {
        DocumentSource::Path(path) => Source::from(path),
        DocumentSource::Bytes(bytes, name) => Source::stream(&name, Box::new(Cursor::new(bytes))),
    };
    if reader.layers.is_number() {
        source = source.keep();
    }
    let documents = py.detach(|| reader.open(&source))?;
    Ok(DocumentReader(Mutex::new(Documents::File(Box::new(
        documents,
    )))))
}

/// The documents of a column file, whose text is rebuilt. The scheme may be `auto`.
#[pyfunction]
#[pyo3(signature = (path, options, scheme, reading, /))]
pub(crate) fn read_conll_documents(
    py: Python<'_>,
    path: PathBuf,
    options: ColumnOptions,
    scheme: Choice<Option<Scheme>>,
    reading: Choice<Reading>,
) -> Result<DocumentReader> {
    let (mut source, columns) = (Source::from(path), options.columns()?);
    if scheme.0.is_none() {
        source = source.keep();
    }
    let documents = py.detach(|| {
        let open = || -> Result<ColumnReader> {
            let lines = source.lines(Limits::default())?;
            Ok(ColumnReader::new(lines, columns.clone())?)
        };
        let dialect = Dialect::default();
        let scheme = match scheme.0 {
            None => spanrs::detect(open()?, &dialect, &mut |_| !stop())?.scheme,
            Some(scheme) => scheme,
        };
        let reader = spanrs::tags::Reader::new(scheme, reading.0, dialect)?;
        Result::Ok(ConllDocuments::new(open()?, reader)?)
    })?;
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
