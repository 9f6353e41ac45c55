//! Sentences of column files and of span files, in chunks.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use spanrs::base::Interner;
use spanrs::io::{Column, Columns};
use spanrs::span_files::{LocatedSpan, SpanFileOptions, SpanSentences};
use spanrs::{SentenceReader as Core, TaggedSentence};

use crate::error::Result;
use crate::files::{Progress, SourceArgument, column_file, span_source};
use crate::locks::lock_now;
use crate::plain::Plain;

/// Error message for use in two threads at the same time, or by the reader's own callback.
const IN_USE: &str = "the reader is in use; read a file in one thread";
/// Maximum number of distinct tags in a chunk whose strings are interned.
const INTERNED: usize = 1 << 10;

/// (tokens, layers of tags, line of the first token, name of the document that begins)
type SentenceTuple<'py> = (
    Option<Bound<'py, PyList>>,
    Vec<Bound<'py, PyList>>,
    u64,
    Option<String>,
);

/// The sentences of a column file, in lists of a few thousand tokens.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SentenceReader {
    state: Mutex<(Core, Progress)>,
    /// Whether the file is CoNLL-U, the number of its columns, and the names of the layers.
    facts: (bool, usize, Vec<String>),
    warnings: Vec<String>,
}

#[pymethods]
impl SentenceReader {
    /// Opens a file; without `tags` the only layer is the tag column given in the options.
    #[new]
    #[pyo3(signature = (source, columns, tags, progress, /))]
    fn new(
        py: Python<'_>,
        source: SourceArgument,
        columns: Plain<Columns>,
        tags: Option<Plain<Vec<Column>>>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Self> {
        let file = column_file(&source, columns.0);
        let tags = tags.as_ref().map(|tags| &tags.0[..]);
        let core = py.detach(|| Core::open(&file, tags))?;
        let layers = core.layers().map(str::to_owned).collect();
        Ok(Self {
            facts: (core.is_conllu(), core.columns(), layers),
            warnings: core.warnings().to_vec(),
            state: Mutex::new((core, Progress::new(progress))),
        })
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Result<Option<Vec<SentenceTuple<'py>>>> {
        let (core, progress) = &mut *lock_now(&self.state, IN_USE)?;
        let Some(chunk) = progress.run(py, |tell| core.next(tell))? else {
            return Ok(None);
        };
        let tokens = new_strings(py, &chunk.tokens);
        let tags = interned_strings(py, &chunk.tags);
        let sentence = |sentence: TaggedSentence| -> PyResult<_> {
            let words = sentence.tokens.map(|ids| list(py, &tokens, &ids));
            let layers = sentence.layers.iter().map(|ids| list(py, &tags, ids));
            let layers: PyResult<_> = layers.collect();
            Ok((
                words.transpose()?,
                layers?,
                sentence.line,
                sentence.document,
            ))
        };
        let sentences: PyResult<_> = chunk.sentences.into_iter().map(sentence).collect();
        Ok(Some(sentences?))
    }

    /// Warnings about the columns.
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// Whether the file is CoNLL-U, the number of its columns, and the names of the layers: columns and keys for
    /// CoNLL-U, positions for other formats.
    fn facts(&self) -> (bool, usize, Vec<String>) {
        self.facts.clone()
    }
}

/// (type, start, end), and the tokens unless the span has all tokens between its boundaries
#[derive(IntoPyObject)]
enum SpanTuple<'py> {
    Whole(Bound<'py, PyString>, i64, i64),
    Pieces(Bound<'py, PyString>, i64, i64, Vec<i64>),
}

/// (tokens, spans, line of the first token or span)
type SpansTuple<'py> = (Option<Vec<String>>, Vec<SpanTuple<'py>>, u64);

/// The sentences of a span file, in lists of a few thousand spans.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SpanReader(Mutex<(SpanSentences, Progress)>);

#[pymethods]
impl SpanReader {
    #[new]
    #[pyo3(signature = (source, progress, /))]
    fn new(
        py: Python<'_>,
        source: (SourceArgument, Plain<SpanFileOptions>),
        progress: Option<Py<PyAny>>,
    ) -> Result<Self> {
        let sentences = SpanSentences::new(span_source(py, source)?);
        Ok(Self(Mutex::new((sentences, Progress::new(progress)))))
    }

    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> Result<Option<Vec<SpansTuple<'py>>>> {
        let (reader, progress) = &mut *lock_now(&self.0, IN_USE)?;
        let Some(sentences) = progress.run(py, |tell| reader.next(tell))? else {
            return Ok(None);
        };
        let types: Vec<_> = (0..reader.type_count())
            .map(|ty| PyString::new(py, reader.type_name(ty as u32)))
            .collect();
        let span = |span: LocatedSpan| {
            let (ty, start, end) = (types[span.ty as usize].clone(), span.start, span.end);
            match span.tokens {
                None => SpanTuple::Whole(ty, start, end),
                Some(tokens) => SpanTuple::Pieces(ty, start, end, tokens),
            }
        };
        let sentences = sentences.into_iter().map(|sentence| {
            let spans = sentence.spans.into_iter().map(span).collect();
            (sentence.tokens, spans, sentence.line)
        });
        Ok(Some(sentences.collect()))
    }
}

/// Strings of all names.
fn new_strings<'py>(py: Python<'py>, names: &Interner<str>) -> Vec<Bound<'py, PyString>> {
    names.names().map(|name| PyString::new(py, name)).collect()
}

/// Strings of all names, interned if there are few names, because some interpreters never free interned strings.
fn interned_strings<'py>(py: Python<'py>, names: &Interner<str>) -> Vec<Bound<'py, PyString>> {
    if names.len() > INTERNED {
        return new_strings(py, names);
    }
    let strings = names.names().map(|name| PyString::intern(py, name));
    strings.collect()
}

/// The list of strings with these numbers.
fn list<'py>(
    py: Python<'py>,
    strings: &[Bound<'py, PyString>],
    ids: &[u32],
) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, ids.iter().map(|&id| &strings[id as usize]))
}
