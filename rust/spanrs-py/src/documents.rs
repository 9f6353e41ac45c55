//! Documents: behind `spanrs.io.read_documents`, and what `spanrs.mat` scores.

use std::path::PathBuf;

use pyo3::Borrowed;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use spanrs_base::{Alias, Category, Limits, Named, Tag};
use spanrs_io::document::{Document, Elements, Format, GivenAnnotation, Reader};
use spanrs_io::{ColumnReader, Source, read_tasks as read};
use spanrs_tags::{Dialect, Reading, Scheme};

use crate::error::{Error, Result};
use crate::files::{ColumnOptions, limits_of_documents};
use crate::options::Choice;
use crate::stop;

/// Documents of one file, or of memory.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Documents(pub(crate) Vec<Document>);

/// (type, start, end, attributes, pieces)
type AnnotationTuple<'py> = (String, u32, u32, Bound<'py, PyDict>, Vec<(u32, u32)>);
/// (text, annotations, id, what was left out)
type DocumentTuple<'py> = (
    String,
    Vec<AnnotationTuple<'py>>,
    Option<String>,
    Vec<String>,
);

#[pymethods]
impl Documents {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// What the file calls each document.
    fn ids(&self) -> Vec<Option<&str>> {
        self.0.iter().map(|d| d.id.as_deref()).collect()
    }

    /// How many annotations of a document were left out, and why the first of them.
    fn left_out(&self, index: usize) -> Result<(usize, Vec<String>)> {
        let document = self.get(index)?;
        Ok((document.left_out_count, document.left_out.clone()))
    }

    /// The text of a document.
    fn text(&self, index: usize) -> Result<&str> {
        Ok(&self.get(index)?.text)
    }

    /// A document as plain values.
    fn plain<'py>(&self, py: Python<'py>, index: usize) -> Result<DocumentTuple<'py>> {
        let document = self.get(index)?;
        let annotations = document.annotations.iter().map(|annotation| {
            let ty = document.type_of(annotation).to_owned();
            let attributes = document.attributes(annotation).into_py_dict(py)?;
            let pieces = document.pieces(annotation).to_vec();
            Ok((ty, annotation.start, annotation.end, attributes, pieces))
        });
        let annotations: PyResult<_> = annotations.collect();
        let (text, id) = (document.text.clone(), document.id.clone());
        Ok((text, annotations?, id, document.left_out.clone()))
    }
}

impl Documents {
    pub(crate) fn get(&self, index: usize) -> Result<&Document> {
        let found = self.0.get(index);
        found.ok_or_else(|| Error::value(format!("there is no document {index}")))
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
) -> Result<Documents> {
    let mut reader = Reader::new(format_name.0);
    reader.annotator = annotator;
    reader.limits = limits_of_documents(max_expansion);
    reader.elements = Elements {
        declared: declared.map(|names| names.into_iter().collect()),
        overlay,
    };
    let documents = py.detach(|| match source {
        DocumentSource::Path(path) => reader.open(&Source::from(path)),
        DocumentSource::Bytes(bytes, name) => reader.read(&name, &bytes),
    });
    Ok(Documents(documents?))
}

/// The documents of a column file, whose text is rebuilt, and warnings. The scheme may be `auto`.
#[pyfunction]
#[pyo3(signature = (path, options, scheme, reading, /))]
pub(crate) fn read_conll_documents(
    py: Python<'_>,
    path: PathBuf,
    options: ColumnOptions,
    scheme: Choice<Option<Scheme>>,
    reading: Choice<Reading>,
) -> Result<(Documents, Vec<String>)> {
    let (source, columns) = (Source::from(path), options.columns()?);
    let mut stop = |_| !stop();
    let (documents, warnings) = py.detach(|| {
        let open = || -> Result<ColumnReader> {
            let lines = source.lines(Limits::default())?;
            Ok(ColumnReader::new(lines, columns.clone())?)
        };
        let dialect = Dialect::default();
        let scheme = match scheme.0 {
            None => spanrs::detect(open()?, &dialect, &mut stop)?.scheme,
            Some(scheme) => scheme,
        };
        let mut reader = spanrs_tags::Reader::new(scheme, reading.0, dialect)?;
        Result::Ok(spanrs::read_conll(open()?, &mut reader, &mut stop)?)
    })?;
    Ok((Documents(documents), warnings))
}

/// (text, id, annotations, what was left out before)
type GivenDocument = (String, Option<String>, Vec<GivenAnnotation>, Vec<String>);

/// Documents of memory.
#[pyfunction]
#[pyo3(signature = (documents, /))]
pub(crate) fn documents_of(documents: Vec<GivenDocument>) -> Result<Documents> {
    let documents = documents.into_iter().enumerate();
    let all = documents.map(|(at, (text, id, annotations, left_out))| {
        let document = Document::given(text, id, annotations, left_out);
        document.map_err(|error| Error::value(format!("document {at}: annotation {error}")))
    });
    Ok(Documents(all.collect::<Result<_>>()?))
}

/// The encoding that XML declares; None for UTF-8.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn declared_encoding(data: &[u8]) -> Option<String> {
    spanrs_io::document::declared_encoding(data)
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
