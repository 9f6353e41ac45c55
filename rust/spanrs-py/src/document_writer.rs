//! Writing of documents, and what formats can represent; used by `spanrs.io.write_documents`.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Serialize;
use spanrs::base::Named;
use spanrs::io::document::{
    self, Companion, DocumentWriter as Writer, Format, Holds, Loss, Losses, WrittenDocument,
};

use crate::documents::PyDocument;
use crate::error::{Error, Result};
use crate::locks::lock;
use crate::plain::Plain;

/// A format with what it can represent.
#[derive(Serialize)]
pub(crate) struct FormatFacts {
    name: &'static str,
    suffix: Option<&'static str>,
    holds: Holds,
}

/// A written document: its content, its name and its companion file.
type Written<'py> = (
    Bound<'py, PyBytes>,
    Option<String>,
    Option<(&'static str, Bound<'py, PyBytes>)>,
);

/// Writes documents in one format.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct DocumentWriter(Mutex<Writer>);

#[pymethods]
impl DocumentWriter {
    #[new]
    #[pyo3(signature = (name, has_relations, /))]
    fn new(name: &str, has_relations: bool) -> Result<Self> {
        let mut writer = Writer::new(named(name)?);
        if has_relations {
            writer.expect_relations();
        }
        Ok(Self(Mutex::new(writer)))
    }

    /// The content to append for a document, the name of the document, and its companion file (suffix or name, and
    /// content); None if the document is not written.
    #[pyo3(signature = (document, /))]
    fn write<'py>(&self, py: Python<'py>, document: &PyDocument) -> Result<Option<Written<'py>>> {
        let written = py.detach(|| {
            let mut writer = lock(&self.0);
            let mut content = Vec::new();
            let written = writer.write(&document.0, &mut content)?;
            Ok::<_, Error>(written.map(|written| (content, written, writer.companion())))
        })?;
        Ok(
            written.map(|(content, WrittenDocument { name }, companion)| {
                let companion =
                    companion.map(|Companion { name, bytes }| (name, PyBytes::new(py, &bytes)));
                (PyBytes::new(py, &content), name, companion)
            }),
        )
    }

    /// The end of the file, and the file that belongs to all files of a directory.
    fn finish<'py>(
        &self,
        py: Python<'py>,
    ) -> (
        Bound<'py, PyBytes>,
        Option<(&'static str, Bound<'py, PyBytes>)>,
    ) {
        let mut writer = lock(&self.0);
        let mut content = Vec::new();
        writer.finish(&mut content);
        let companion = writer.companion();
        let companion = companion.map(|Companion { name, bytes }| (name, PyBytes::new(py, &bytes)));
        (PyBytes::new(py, &content), companion)
    }

    /// The items that were not written, by kind.
    fn losses(&self) -> Plain<Vec<Loss>> {
        Plain(lock(&self.0).losses().list().to_vec())
    }

    /// The types of the annotations written so far, sorted.
    fn types(&self) -> Vec<String> {
        lock(&self.0).types().map(str::to_owned).collect()
    }
}

/// Reduces documents to what a format can represent, and counts what is lost.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Projection(Holds, Mutex<Losses>);

#[pymethods]
impl Projection {
    #[new]
    #[pyo3(signature = (name, /))]
    fn new(name: &str) -> Result<Self> {
        let holds = document::holds_of(name).ok_or_else(|| unknown(name))?;
        Ok(Self(holds, Mutex::default()))
    }

    /// The part of a document that the format can represent; None for a document that was skipped or rejected by all
    /// its annotators. `place` is the name of the document in losses.
    #[pyo3(signature = (document, place, /))]
    fn project(&self, document: &PyDocument, place: String) -> Option<PyDocument> {
        let mut losses = lock(&self.1);
        losses.begin_document(place);
        let projected = document::project(&document.0, &self.0, &mut losses)?;
        Some(PyDocument(projected.into_owned()))
    }

    /// The items that were lost, by kind.
    fn losses(&self) -> Plain<Vec<Loss>> {
        Plain(lock(&self.1).list().to_vec())
    }
}

/// The formats of documents, with what they can represent.
#[pyfunction]
pub(crate) fn document_formats() -> Plain<Vec<FormatFacts>> {
    let formats = Format::NAMES.iter().map(|&(name, format)| FormatFacts {
        name,
        suffix: format.suffix(),
        holds: format.holds(),
    });
    let others = document::OTHER_FORMATS
        .iter()
        .map(|&(name, holds)| FormatFacts {
            name,
            suffix: None,
            holds,
        });
    Plain(formats.chain(others).collect())
}

/// The tokens of a text, as (start, end) in characters.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn tokenize(py: Python<'_>, text: &str) -> Vec<(u32, u32)> {
    py.detach(|| document::tokenize(text))
}

fn named(format: &str) -> Result<Format> {
    Format::from_name(format).map_err(|_| unknown(format))
}

fn unknown(format: &str) -> Error {
    Error::value(format!("unknown format of documents {format:?}"))
}
