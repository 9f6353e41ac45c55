//! Tags: the compiled part of `spanrs.tags`.

use std::marker::PhantomData;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use spanrs::base::Span;
use spanrs::eval::input::{Sentences, numbering};
use spanrs::eval::spans_of_ids;
use spanrs::tags::{
    ConverterOptions, Detection, Evidence, Reader, ReaderOptions, Reading, Scheme, Violation,
    Writer,
};

use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::options::PyDialect;
use crate::pause;
use crate::plain::Plain;
use crate::tag_interner::{TagInterner, as_list_or_tuple, strings};

/// Name and prefixes of every scheme; a prefix is (letter, begins, ends).
#[pyfunction]
#[allow(clippy::type_complexity)] // The tuple consists of names.
pub(crate) fn schemes() -> Vec<(
    &'static str,
    Vec<(&'static str, &'static str, &'static str)>,
)> {
    let prefixes = |scheme: Scheme| {
        let prefixes = scheme.prefixes().iter();
        prefixes.map(|p| (p.letter, p.begins.name(), p.ends.name()))
    };
    Scheme::all()
        .map(|scheme| (scheme.name(), prefixes(scheme).collect()))
        .collect()
}

/// The names of all readings.
#[pyfunction]
pub(crate) fn readings() -> Vec<&'static str> {
    Reading::all().map(Reading::name).collect()
}

/// The canonical name of a scheme.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub(crate) fn scheme_name(name: Plain<Scheme>) -> &'static str {
    name.0.name()
}

/// The ids of one sentence.
fn ids_of(tags: &Bound<'_, PyAny>, reader: &mut Reader) -> Result<Vec<u32>> {
    let mut ids = Vec::new();
    TagInterner::new().sentence(tags, reader, &mut ids)?;
    Ok(ids)
}

/// Disables Python's cyclic garbage collector during its lifetime. Creating many objects triggers collections, which
/// would take longer than creating the objects and would not find garbage.
struct CollectorPause<'py> {
    was_on: bool,
    gil: PhantomData<Python<'py>>,
}

impl<'py> CollectorPause<'py> {
    fn new(_: Python<'py>) -> Self {
        // SAFETY: the GIL is held.
        let was_on = unsafe { pyo3::ffi::PyGC_Disable() } == 1;
        let gil = PhantomData;
        Self { was_on, gil }
    }
}

impl Drop for CollectorPause<'_> {
    fn drop(&mut self) {
        if self.was_on {
            // SAFETY: the GIL is held during the lifetime of the value.
            unsafe { pyo3::ffi::PyGC_Enable() };
        }
    }
}

/// Creates span objects.
struct SpanMaker<'py> {
    py: Python<'py>,
    /// Called with (type, start, end, None); if it is missing, spans are tuples (type, start, end).
    make: Option<Bound<'py, PyAny>>,
    /// The names of types by id; each is created once.
    types: Vec<Bound<'py, PyString>>,
}

impl<'py> SpanMaker<'py> {
    fn new(py: Python<'py>, make: Option<Bound<'py, PyAny>>) -> Self {
        let types = Vec::new();
        Self { py, make, types }
    }

    fn list(&mut self, reader: &Reader, spans: &[Span]) -> PyResult<Bound<'py, PyList>> {
        for id in self.types.len()..reader.types().len() {
            let name = reader.type_name(id as u32);
            self.types.push(PyString::new(self.py, name));
        }
        let spans: Vec<_> = spans
            .iter()
            .map(|span| {
                let ty = &self.types[span.ty as usize];
                let Some(make) = &self.make else {
                    return Ok((ty, span.start, span.end)
                        .into_pyobject(self.py)?
                        .into_any());
                };
                make.call1(((ty, span.start, span.end, self.py.None()),))
            })
            .collect::<PyResult<_>>()?;
        PyList::new(self.py, spans)
    }
}

/// Calls `each` with the ids of every sentence.
pub(crate) fn batch(
    sentences: &Bound<'_, PyAny>,
    reader: &mut Reader,
    mut each: impl FnMut(&Reader, &[u32]) -> Result<()>,
) -> Result<()> {
    let sentences = as_list_or_tuple(sentences)?;
    let mut interner = TagInterner::new();
    let mut ids = Vec::new();
    for at in 0..sentences.len()? {
        ids.clear();
        interner.sentence(&sentences.get_item(at)?, reader, &mut ids)?;
        each(reader, &ids).map_err(|error| error.in_sentence(at))?;
        pause(at)?;
    }
    Ok(())
}

/// The spans of a sentence, created by `make`. Raises an error with all violations if the reading is `refuse`.
#[pyfunction]
#[pyo3(signature = (tags, reader, make=None, /))]
pub(crate) fn read_spans<'py>(
    tags: &Bound<'py, PyAny>,
    reader: Plain<ReaderOptions>,
    make: Option<Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyList>> {
    let mut reader = reader.0.build()?;
    let ids = ids_of(tags, &mut reader)?;
    if reader.reading() == Reading::Refuse {
        reader.check(&ids)?;
    }
    Ok(SpanMaker::new(tags.py(), make).list(&reader, &reader.spans(&ids))?)
}

/// The spans of each sentence.
#[pyfunction]
#[pyo3(signature = (sentences, reader, make=None, /))]
pub(crate) fn read_spans_batch<'py>(
    sentences: &Bound<'py, PyAny>,
    reader: Plain<ReaderOptions>,
    make: Option<Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyList>> {
    let mut reader = reader.0.build()?;
    let mut maker = SpanMaker::new(sentences.py(), make);
    let (mut all, mut spans) = (Vec::new(), Vec::new());
    batch(sentences, &mut reader, |reader, ids| {
        if reader.reading() == Reading::Refuse {
            reader.check(ids)?;
        }
        spans.clear();
        reader.spans_into(ids, &mut spans);
        // No user code runs while spans are created.
        let _pause = CollectorPause::new(sentences.py());
        all.push(maker.list(reader, &spans)?);
        Ok(())
    })?;
    Ok(PyList::new(sentences.py(), all)?)
}

/// An array with one item per span.
type Column<'py> = Bound<'py, PyArray1<i64>>;

/// (sentence, type, start, end)
type SpanColumns<'py> = (Column<'py>, Column<'py>, Column<'py>, Column<'py>);

/// (sentence, type, start, end) as arrays, and the names of the types.
#[pyfunction]
#[pyo3(signature = (ids, vocabulary, reader, ignore_index, /))]
pub(crate) fn read_ids<'py>(
    ids: &Bound<'py, PyAny>,
    vocabulary: Vec<String>,
    reader: Plain<ReaderOptions>,
    ignore_index: i64,
) -> Result<(SpanColumns<'py>, Vec<String>)> {
    let py = ids.py();
    let mut reader = reader.0.build()?;
    let numbers = numbering(&vocabulary, &mut reader)?;
    let ids = Ids::extract(ids)?;
    let (sentences, tokens) = ids.shape()?;
    let cut: Sentences<'_> = Sentences::Equal(sentences, tokens);
    let values = ids.values()?;
    let found = py.detach(|| spans_of_ids(values, cut, &numbers, ignore_index, &reader))?;
    let column = |value: fn(&(usize, Span)) -> i64| -> Column<'py> {
        found.iter().map(value).collect::<Vec<_>>().into_pyarray(py)
    };
    let columns = [
        column(|(sentence, _)| *sentence as i64),
        column(|(_, span)| i64::from(span.ty)),
        column(|(_, span)| i64::from(span.start)),
        column(|(_, span)| i64::from(span.end)),
    ];
    let types = reader.types().names().map(str::to_owned);
    Ok((columns.into(), types.collect()))
}

/// All violations of each sentence.
#[pyfunction]
#[pyo3(signature = (sentences, reader, /))]
pub(crate) fn validate(
    sentences: &Bound<'_, PyAny>,
    reader: Plain<ReaderOptions>,
) -> Result<Plain<Vec<Vec<Violation>>>> {
    let (mut reader, mut all) = (reader.0.build()?, Vec::new());
    batch(sentences, &mut reader, |reader, ids| {
        all.push(reader.violations(ids));
        Ok(())
    })?;
    Ok(Plain(all))
}

/// The tags for spans given as (type, start, end); if the length is None, it is the largest end.
#[pyfunction]
#[pyo3(signature = (spans, length, scheme, dialect, overwrite, /))]
pub(crate) fn write_tags(
    spans: Vec<(String, i64, i64)>,
    length: Option<usize>,
    scheme: Plain<Scheme>,
    dialect: PyDialect,
    overwrite: bool,
) -> Result<Vec<String>> {
    let mut writer = Writer::new(scheme.0, dialect.0);
    if overwrite {
        writer = writer.overwriting();
    }
    Ok(writer.write_named(&spans, length)?)
}

/// The tags of a sentence in another scheme.
#[pyfunction]
#[pyo3(signature = (tags, converter, /))]
pub(crate) fn convert(
    tags: &Bound<'_, PyAny>,
    converter: Plain<ConverterOptions>,
) -> Result<Vec<String>> {
    let (tags, mut converter) = (strings(tags)?, converter.0.build()?);
    Ok(converter.convert(tags.iter().map(String::as_str))?)
}

/// The tags of each sentence in another scheme.
#[pyfunction]
#[pyo3(signature = (sentences, converter, /))]
pub(crate) fn convert_batch(
    sentences: &Bound<'_, PyAny>,
    converter: Plain<ConverterOptions>,
) -> Result<Vec<Vec<String>>> {
    let (sentences, mut converter) = (as_list_or_tuple(sentences)?, converter.0.build()?);
    (0..sentences.len()?)
        .map(|at| {
            let tags = strings(&sentences.get_item(at)?)?;
            let converted = converter.convert(tags.iter().map(String::as_str));
            converted.map_err(|error| Error::from(error).in_sentence(at))
        })
        .collect()
}

/// Every tag of a scheme for the given types.
#[pyfunction]
#[pyo3(signature = (scheme, types, dialect, /))]
pub(crate) fn tags_of(
    scheme: Plain<Scheme>,
    types: Vec<String>,
    dialect: PyDialect,
) -> Vec<String> {
    let types: Vec<_> = types.iter().map(String::as_str).collect();
    spanrs::tags::tags_of(scheme.0, &types, &dialect.0)
}

/// The matrix of legal transitions, flat with shape (n + 1, n + 1); the last row is the start, the last column the end.
#[pyfunction]
#[pyo3(signature = (scheme, tags, dialect, /))]
pub(crate) fn legal(
    scheme: Plain<Scheme>,
    tags: Vec<String>,
    dialect: PyDialect,
) -> Result<Vec<bool>> {
    let tags: Vec<_> = tags.iter().map(String::as_str).collect();
    Ok(spanrs::tags::legal(scheme.0, &tags, &dialect.0)?)
}

/// Detects the scheme of sentences.
#[pyfunction]
#[pyo3(signature = (sentences, dialect, /))]
pub(crate) fn detect(sentences: &Bound<'_, PyAny>, dialect: PyDialect) -> Result<Plain<Detection>> {
    let mut reader = Reader::new(Scheme::Token, Reading::Conlleval, dialect.0)?;
    let mut evidence = Evidence::default();
    batch(sentences, &mut reader, |_, ids| {
        evidence.add(ids);
        Ok(())
    })?;
    Ok(Plain(evidence.decide(reader.tags(), reader.dialect())?))
}
