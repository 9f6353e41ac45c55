//! Sentences of column files.

use std::sync::Arc;

use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use spanrs::base::Interner;
use spanrs::crf::Columns;
use spanrs::crf_files::{TaggedSentences, read_tagged};
use spanrs::io::{Column, Columns as Layout};

use crate::error::Result;
use crate::files::{SourceArgument, column_file, run_job};
use crate::plain::Plain;

/// The sentences of a column file with tags: a sequence of lists of tokens, which are strings, or tuples if a template
/// reads more columns. Strings are created on access; templates do not need Python strings.
#[pyclass(frozen, sequence, module = "spanrs._spanrs")]
pub(crate) struct CrfSentences {
    sentences: TaggedSentences,
    columns: Arc<Columns>,
}

impl CrfSentences {
    pub(crate) fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    fn check(&self, at: usize) -> PyResult<()> {
        match at < self.sentences.len() {
            true => Ok(()),
            false => Err(PyIndexError::new_err("sentence is out of range")),
        }
    }
}

#[pymethods]
impl CrfSentences {
    /// Reads a file; `extra` are the columns that a template reads in addition to the tokens, or None for all columns.
    #[new]
    #[pyo3(signature = (source, columns, extra, progress, /))]
    fn new(
        py: Python<'_>,
        source: SourceArgument,
        columns: Plain<Layout>,
        extra: Option<Plain<Vec<Column>>>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Self> {
        let file = column_file(&source, columns.0);
        let extra = extra.as_ref().map(|extra| &extra.0[..]);
        let mut sentences = run_job(py, progress, |tell| read_tagged(&file, extra, tell))?;
        let columns = Arc::new(std::mem::take(&mut sentences.columns));
        Ok(Self { sentences, columns })
    }

    fn __len__(&self) -> usize {
        self.sentences.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, at: usize) -> Result<Bound<'py, PyList>> {
        self.check(at)?;
        let columns = self.columns.columns(at);
        let tokens = columns.first().map_or(0, Vec::len);
        let list = PyList::empty(py);
        for token in 0..tokens {
            let values = columns.iter().map(|column| column[token]);
            match columns.len() {
                1 => list.append(PyString::new(py, columns[0][token]))?,
                _ => list.append(PyTuple::new(py, values)?)?,
            }
        }
        Ok(list)
    }

    /// The line numbers, from 1, of the tokens in a sentence.
    #[pyo3(signature = (at, /))]
    fn lines(&self, at: usize) -> Result<Vec<u64>> {
        self.check(at)?;
        Ok(self.sentences.lines(at))
    }

    /// The tags of each sentence.
    fn tags<'py>(&self, py: Python<'py>) -> Vec<Vec<Bound<'py, PyString>>> {
        let tags = self.sentences.tags();
        let tags = tags.map(|tags| tags.iter().map(|&tag| tag as usize));
        names_of(py, &strings_of(py, &self.sentences.names), tags)
    }

    /// (whether the file is CoNLL-U, number of columns, whether tokens are consecutive numbers, whether tags equal
    /// their tokens, warnings)
    fn facts(&self) -> (bool, usize, bool, bool, Vec<String>) {
        let TaggedSentences {
            is_conllu,
            width,
            tokens_are_numbers,
            tags_are_tokens,
            warnings,
            ..
        } = &self.sentences;
        let flags = (*tokens_are_numbers, *tags_are_tokens);
        (*is_conllu, *width, flags.0, flags.1, warnings.clone())
    }
}

/// A string for each name.
pub(super) fn strings_of(py: Python<'_>, names: &Interner<str>) -> Vec<Py<PyString>> {
    let strings = names.names().map(|name| PyString::new(py, name).unbind());
    strings.collect()
}

/// Lists of the names of labels.
pub(super) fn names_of<'py>(
    py: Python<'py>,
    names: &[Py<PyString>],
    all: impl Iterator<Item = impl IntoIterator<Item = usize>>,
) -> Vec<Vec<Bound<'py, PyString>>> {
    let name = |label: usize| names[label].bind(py).clone();
    all.map(|own| own.into_iter().map(name).collect()).collect()
}
