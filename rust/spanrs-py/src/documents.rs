//! Documents: behind `spanrs.io.read_documents`, and what `spanrs.mat` scores.

use std::collections::HashMap;
use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use spanrs_base::Limits;
use spanrs_io::document::{Document, Elements, Format, Reader};
use spanrs_io::{Category, ColumnReader, read_tasks as read};
use spanrs_tags::Dialect;

use crate::error::Result;
use crate::files::ColumnOptions;
use crate::options::{reading, scheme};
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
        let mut annotations = Vec::with_capacity(document.annotations.len());
        for annotation in &document.annotations {
            let attributes = PyDict::new(py);
            for (name, value) in document.attributes(annotation) {
                attributes.set_item(name, value)?;
            }
            annotations.push((
                document.type_of(annotation).to_owned(),
                annotation.start,
                annotation.end,
                attributes,
                document.pieces(annotation).to_vec(),
            ));
        }
        let (text, id) = (document.text.clone(), document.id.clone());
        Ok((text, annotations, id, document.left_out.clone()))
    }
}

impl Documents {
    pub(crate) fn get(&self, index: usize) -> Result<&Document> {
        let found = self.0.get(index);
        Ok(found.ok_or_else(|| PyValueError::new_err(format!("there is no document {index}")))?)
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
    format_name: &str,
    declared: Option<Vec<String>>,
    overlay: bool,
    annotator: Option<String>,
    max_expansion: Option<usize>,
) -> Result<Documents> {
    let Some(format) = Format::named(format_name) else {
        let known: Vec<_> = Format::ALL.iter().map(|(name, _)| *name).collect();
        let message = format!(
            "no format {format_name:?}; the formats are {}",
            known.join(", ")
        );
        return Err(PyValueError::new_err(message).into());
    };
    let mut reader = Reader::new(format);
    reader.annotator = annotator;
    reader.limits = limits(max_expansion);
    reader.elements = Elements {
        declared: declared.map(|names| names.into_iter().collect()),
        overlay,
    };
    let documents = py.detach(|| match source {
        DocumentSource::Path(path) => reader.open(&path),
        DocumentSource::Bytes(bytes, name) => reader.read(&name, &bytes),
    });
    Ok(Documents(documents?))
}

/// The documents of a column file, whose text is rebuilt, and warnings. The scheme may be `auto`.
#[pyfunction]
#[pyo3(signature = (path, options, scheme_name, reading_name, /))]
pub(crate) fn read_conll_documents(
    py: Python<'_>,
    path: PathBuf,
    options: ColumnOptions,
    scheme_name: &str,
    reading_name: &str,
) -> Result<(Documents, Vec<String>)> {
    let columns = options.columns()?;
    let mut stop = |_| !stop();
    let (documents, warnings) = py.detach(|| {
        let open = || -> Result<ColumnReader> {
            let lines = spanrs_io::open(&path, Limits::default())?;
            Ok(ColumnReader::new(lines, columns.clone())?)
        };
        let dialect = Dialect::default();
        let read_in = match scheme_name {
            "auto" => spanrs::detect(open()?, &dialect, &mut stop)?.scheme,
            name => scheme(name)?,
        };
        let mut reader = spanrs_tags::Reader::new(read_in, reading(reading_name)?, dialect)?;
        Result::Ok(spanrs::read_conll(open()?, &mut reader, &mut stop)?)
    })?;
    Ok((Documents(documents), warnings))
}

/// (type, start, end, attributes, pieces)
type GivenAnnotation = (String, i64, i64, HashMap<String, String>, Vec<(i64, i64)>);
/// (text, id, annotations, what was left out before)
type GivenDocument = (String, Option<String>, Vec<GivenAnnotation>, Vec<String>);

/// Documents of memory.
#[pyfunction]
#[pyo3(signature = (documents, /))]
pub(crate) fn documents_of(documents: Vec<GivenDocument>) -> Result<Documents> {
    let mut all = Vec::with_capacity(documents.len());
    for (at, (text, id, annotations, left_out)) in documents.into_iter().enumerate() {
        let mut document = Document::new(text);
        document.id = id;
        for why in left_out {
            document.leave_out(|| why);
        }
        for annotation in annotations {
            given(&mut document, annotation).map_err(|message| {
                PyValueError::new_err(format!("document {at}: annotation {message}"))
            })?;
        }
        all.push(document.close());
    }
    Ok(Documents(all))
}

/// Adds an annotation of memory.
fn given(document: &mut Document, annotation: GivenAnnotation) -> std::result::Result<(), String> {
    let (ty, start, end, attributes, pieces) = annotation;
    let offsets = |start: i64, end: i64| {
        let wrong = |_| format!("{ty} {start}-{end}: offsets count characters from 0");
        Ok((
            u32::try_from(start).map_err(wrong)?,
            u32::try_from(end).map_err(wrong)?,
        ))
    };
    let (first, behind) = offsets(start, end)?;
    let pieces: std::result::Result<Vec<_>, String> = pieces
        .into_iter()
        .map(|(start, end)| offsets(start, end))
        .collect();
    let id = document.intern(&ty);
    document.push(id, first, behind);
    document.set_pieces(&pieces?);
    let mut attributes: Vec<_> = attributes.into_iter().collect();
    attributes.sort_unstable();
    for (name, value) in attributes {
        document.add_attribute(&name, value);
    }
    Ok(())
}

/// The bytes of a file, decompressed.
#[pyfunction]
#[pyo3(signature = (path, max_expansion, /))]
pub(crate) fn whole_file(
    py: Python<'_>,
    path: PathBuf,
    max_expansion: Option<usize>,
) -> Result<Bound<'_, PyBytes>> {
    let bytes = py.detach(|| spanrs_io::document::whole_file(&path, limits(max_expansion)))?;
    Ok(PyBytes::new(py, &bytes))
}

fn limits(max_expansion: Option<usize>) -> Limits {
    let limits = Limits::default();
    Limits {
        expansion: max_expansion.unwrap_or(limits.expansion),
        ..limits
    }
}

/// The encoding that XML declares; None for UTF-8.
#[pyfunction]
#[pyo3(signature = (data, /))]
pub(crate) fn declared_encoding(data: &[u8]) -> Option<String> {
    spanrs_io::document::declared_encoding(data)
}

/// (name, category, [(alias, [(attribute, value)])])
pub(crate) type TagTuple = (String, String, Vec<(String, Vec<(String, String)>)>);

/// The tasks of a task.xml, whose text this is: (name, tags).
#[pyfunction]
#[pyo3(signature = (name, text, /))]
pub(crate) fn read_tasks(name: &str, text: &str) -> Result<Vec<(String, Vec<TagTuple>)>> {
    let tasks = read(name, text)?;
    let category = |category: Category| match category {
        Category::Content => "content",
        Category::Token => "token",
        Category::Zone => "zone",
        Category::Other => "other",
    };
    Ok(tasks
        .into_iter()
        .map(|task| {
            let tags = task.tags.into_iter().map(|tag| {
                let aliases = tag.aliases.into_iter().map(|a| (a.name, a.attributes));
                (
                    tag.name,
                    category(tag.category).to_owned(),
                    aliases.collect(),
                )
            });
            (task.name, tags.collect())
        })
        .collect())
}
