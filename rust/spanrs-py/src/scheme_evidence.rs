//! Evidence for the scheme of a column that is read batch by batch.

use std::sync::Mutex;

use pyo3::prelude::*;
use spanrs::arrow::Columns as ArrowColumns;
use spanrs::eval::Side;
use spanrs::io::Columns;
use spanrs::tags::{Detection, Evidence, Reader, Reading, Scheme};

use crate::arrow;
use crate::error::Result;
use crate::files::{SourceArgument, columns, run_job};
use crate::locks::lock_now;
use crate::options::PyDialect;
use crate::plain::Plain;
use crate::tags::batch;

/// Error message for concurrent use in two threads.
const IN_USE: &str = "the evidence is in use; collect it in one thread";

/// Evidence for the scheme of tags.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SchemeEvidence(Mutex<(Reader, Evidence)>);

#[pymethods]
impl SchemeEvidence {
    #[new]
    #[pyo3(signature = (dialect, /))]
    fn new(dialect: PyDialect) -> Result<Self> {
        let reader = Reader::new(Scheme::Token, Reading::Conlleval, dialect.0)?;
        Ok(Self(Mutex::new((reader, Evidence::default()))))
    }

    /// Adds an Arrow list column of strings, dictionary values, or integers with a vocabulary.
    #[pyo3(signature = (column, vocabulary, ignore_index, /))]
    fn add(
        &self,
        column: &Bound<'_, PyAny>,
        vocabulary: Option<Vec<String>>,
        ignore_index: i64,
    ) -> Result<()> {
        let (reader, evidence) = &mut *lock_now(&self.0, IN_USE)?;
        let chunks = arrow::import(column, "gold")?;
        column.py().detach(|| {
            let sides = (&chunks[..], &chunks[..]);
            let columns = ArrowColumns::new(sides, vocabulary.as_deref(), ignore_index, reader)?;
            evidence.merge(&columns.evidence(Side::Gold, u64::MAX)?.0);
            Ok(())
        })
    }

    /// Adds sentences: lists of tags.
    #[pyo3(signature = (sentences, /))]
    fn add_sentences(&self, sentences: &Bound<'_, PyAny>) -> Result<()> {
        let (reader, evidence) = &mut *lock_now(&self.0, IN_USE)?;
        batch(sentences, reader, |_, ids| {
            evidence.add(ids);
            Ok(())
        })
    }

    /// Adds a column of a file.
    #[pyo3(signature = (source, options, progress, /))]
    fn add_file(
        &self,
        py: Python<'_>,
        source: SourceArgument,
        options: Plain<Columns>,
        progress: Option<Py<PyAny>>,
    ) -> Result<()> {
        let rows = columns(py, &source, options)?;
        let (reader, evidence) = &mut *lock_now(&self.0, IN_USE)?;
        let found = run_job(py, progress, |tell| {
            spanrs::gather(rows, reader, u64::MAX, tell)
        })?;
        evidence.merge(&found.0);
        Ok(())
    }

    /// Number of tags other than `O`.
    #[getter]
    fn labelled(&self) -> Result<u64> {
        let (reader, evidence) = &*lock_now(&self.0, IN_USE)?;
        Ok(evidence
            .check(reader.tags(), Scheme::Token, reader.dialect())
            .1)
    }

    /// Detects the scheme and describes the evidence. `expected` is returned unless the tags clearly follow
    /// another scheme.
    #[pyo3(signature = (expected=None, /))]
    fn decide(&self, expected: Option<Plain<Scheme>>) -> Result<Plain<Detection>> {
        let (reader, evidence) = &*lock_now(&self.0, IN_USE)?;
        let detection = evidence.decide(reader.tags(), reader.dialect())?;
        Ok(Plain(detection.expecting(expected.map(|scheme| scheme.0))))
    }
}
