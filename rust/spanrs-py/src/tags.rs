//! Tags: behind `spanrs.tags`.

use std::marker::PhantomData;

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use spanrs_base::{Span, Vocabulary};
use spanrs_eval::input::{Sentences, numbering};
use spanrs_eval::spans_of_ids;
use spanrs_tags::{Converter, Evidence, Reader, Reading, Scheme, Writer};

use crate::error::{Error, Result};
use crate::files::DetectionTuple;
use crate::ids::{Ids, with_values};
use crate::options::{PyDialect, ViolationTuple, reader, reading, scheme, violation_tuple};
use crate::scorer::most_tags;
use crate::tag_interner::{TagInterner, as_list_or_tuple, strings};

/// (letter, begins, ends)
type PrefixTuple = (&'static str, String, String);

/// Name and prefixes of every scheme.
#[pyfunction]
pub(crate) fn schemes() -> Vec<(&'static str, Vec<PrefixTuple>)> {
    Scheme::all()
        .map(|scheme| {
            let prefixes = scheme.prefixes().iter().map(|p| {
                let edge = |edge| format!("{edge:?}").to_lowercase();
                (p.letter, edge(p.begins), edge(p.ends))
            });
            (scheme.name(), prefixes.collect())
        })
        .collect()
}

/// The names of all readings.
#[pyfunction]
pub(crate) fn readings() -> Vec<&'static str> {
    Reading::all().map(Reading::name).collect()
}

/// The printed name of the scheme a user means.
#[pyfunction]
#[pyo3(signature = (name, /))]
pub(crate) fn scheme_name(name: &str) -> Result<&'static str> {
    Ok(scheme(name)?.name())
}

/// A reader with the ids of one sentence.
fn one(
    tags: &Bound<'_, PyAny>,
    scheme_name: &str,
    reading_name: &str,
    dialect: PyDialect,
) -> Result<(Reader, Vec<u32>)> {
    let mut reader = reader(scheme_name, reading_name, dialect)?;
    let mut ids = Vec::new();
    TagInterner::new().sentence(tags, &mut reader, &mut ids)?;
    Ok((reader, ids))
}

/// Stops Python's collector of cycles while it lives: none are made here, and to look for them among
/// the many objects that are made takes longer than making them.
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
            // SAFETY: the GIL is held for as long as this may live.
            unsafe { pyo3::ffi::PyGC_Enable() };
        }
    }
}

/// Makes Python's spans.
struct SpanMaker<'py> {
    py: Python<'py>,
    /// Called with (type, start, end, None); without it spans are tuples of the first three.
    make: Option<Bound<'py, PyAny>>,
    /// The names of types by id, made once.
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
        if at % 4096 == 4095 {
            sentences.py().check_signals()?;
        }
    }
    Ok(())
}

/// The spans of a sentence, which `make` makes; raises with all violations where the reading is `refuse`.
#[pyfunction]
#[pyo3(signature = (tags, scheme_name, reading_name, dialect, make=None, /))]
pub(crate) fn read_spans<'py>(
    tags: &Bound<'py, PyAny>,
    scheme_name: &str,
    reading_name: &str,
    dialect: PyDialect,
    make: Option<Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyList>> {
    let (reader, ids) = one(tags, scheme_name, reading_name, dialect)?;
    if reader.reading() == Reading::Refuse {
        reader.check(&ids)?;
    }
    Ok(SpanMaker::new(tags.py(), make).list(&reader, &reader.spans(&ids))?)
}

/// The spans of each sentence.
#[pyfunction]
#[pyo3(signature = (sentences, scheme_name, reading_name, dialect, make=None, /))]
pub(crate) fn read_spans_batch<'py>(
    sentences: &Bound<'py, PyAny>,
    scheme_name: &str,
    reading_name: &str,
    dialect: PyDialect,
    make: Option<Bound<'py, PyAny>>,
) -> Result<Bound<'py, PyList>> {
    let mut reader = reader(scheme_name, reading_name, dialect)?;
    let mut maker = SpanMaker::new(sentences.py(), make);
    let (mut all, mut spans) = (Vec::new(), Vec::new());
    batch(sentences, &mut reader, |reader, ids| {
        if reader.reading() == Reading::Refuse {
            reader.check(ids)?;
        }
        spans.clear();
        reader.spans_into(ids, &mut spans);
        // No code of the user's runs while these are made.
        let _pause = CollectorPause::new(sentences.py());
        all.push(maker.list(reader, &spans)?);
        Ok(())
    })?;
    Ok(PyList::new(sentences.py(), all)?)
}

/// Arrays with one place a span: sentence, type, start, end.
type SpanArrays<'py> = (
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<i64>>,
);

/// (sentence, type, start, end) as arrays, and the names of the types.
#[pyfunction]
#[pyo3(signature = (ids, vocabulary, scheme_name, reading_name, dialect, ignore_index, /))]
pub(crate) fn read_ids<'py>(
    ids: &Bound<'py, PyAny>,
    vocabulary: Vec<String>,
    scheme_name: &str,
    reading_name: &str,
    dialect: PyDialect,
    ignore_index: i64,
) -> Result<(SpanArrays<'py>, Vec<String>)> {
    let py = ids.py();
    let mut reader = reader(scheme_name, reading_name, dialect)?;
    let numbers = numbering(&vocabulary, &mut reader)?;
    let ids = Ids::extract(ids)?;
    let (sentences, tokens) = ids.shape()?;
    let cut: Sentences<'_> = Sentences::Equal(sentences, tokens);
    let found = with_values!(&ids, values => {
        py.detach(|| spans_of_ids(values, cut, &numbers, ignore_index, &reader))
    })?;
    let column = |f: fn(&(usize, Span)) -> i64| -> Bound<'py, PyArray1<i64>> {
        found.iter().map(f).collect::<Vec<_>>().into_pyarray(py)
    };
    let arrays = (
        column(|(sentence, _)| *sentence as i64),
        column(|(_, span)| i64::from(span.ty)),
        column(|(_, span)| i64::from(span.start)),
        column(|(_, span)| i64::from(span.end)),
    );
    Ok((arrays, reader.types().names().map(str::to_owned).collect()))
}

/// All violations of a sentence.
#[pyfunction]
#[pyo3(signature = (tags, scheme_name, reading_name, dialect, /))]
pub(crate) fn validate(
    tags: &Bound<'_, PyAny>,
    scheme_name: &str,
    reading_name: &str,
    dialect: PyDialect,
) -> Result<Vec<ViolationTuple>> {
    let (reader, ids) = one(tags, scheme_name, reading_name, dialect)?;
    Ok(reader
        .violations(&ids)
        .iter()
        .map(violation_tuple)
        .collect())
}

/// All violations of each sentence.
#[pyfunction]
#[pyo3(signature = (sentences, scheme_name, reading_name, dialect, /))]
pub(crate) fn validate_batch(
    sentences: &Bound<'_, PyAny>,
    scheme_name: &str,
    reading_name: &str,
    dialect: PyDialect,
) -> Result<Vec<Vec<ViolationTuple>>> {
    let mut reader = reader(scheme_name, reading_name, dialect)?;
    let mut all = Vec::new();
    batch(sentences, &mut reader, |reader, ids| {
        all.push(reader.violations(ids).iter().map(violation_tuple).collect());
        Ok(())
    })?;
    Ok(all)
}

/// The tags of spans given as (type, start, end); length None takes the largest end.
#[pyfunction]
#[pyo3(signature = (spans, length, scheme_name, dialect, overwrite, /))]
pub(crate) fn write_tags(
    spans: Vec<(String, i64, i64)>,
    length: Option<usize>,
    scheme_name: &str,
    dialect: PyDialect,
    overwrite: bool,
) -> Result<Vec<String>> {
    let mut types = Vocabulary::new(usize::MAX);
    let most = i64::from(u32::MAX);
    let last = spans
        .iter()
        .map(|span| span.2)
        .max()
        .unwrap_or(0)
        .clamp(0, most) as usize;
    let length = length.unwrap_or(last);
    let mut numbered = Vec::with_capacity(spans.len());
    for (ty, start, end) in &spans {
        if *start < 0 || end <= start || *end > most {
            return Err(Error::Tags(spanrs_tags::Error::OutOfRange {
                span: format!("{ty} [{start}, {end})"),
                length,
            }));
        }
        numbered.push(Span {
            start: *start as u32,
            end: *end as u32,
            ty: types.intern(ty).map_err(spanrs_tags::Error::from)?,
        });
    }
    let mut writer = Writer::new(scheme(scheme_name)?, dialect.checked()?);
    if overwrite {
        writer = writer.overwriting();
    }
    let names: Vec<_> = types.names().collect();
    Ok(writer.write(&numbered, &names, length)?)
}

fn converter(
    source: &str,
    target: &str,
    reading_name: Option<&str>,
    dialect: PyDialect,
) -> Result<Converter> {
    let read_as = reading_name.map(reading).transpose()?;
    Ok(Converter::new(
        scheme(source)?,
        scheme(target)?,
        read_as,
        dialect.checked()?,
    )?)
}

/// A sentence's tags in another scheme.
#[pyfunction]
#[pyo3(signature = (tags, source, target, reading_name, dialect, /))]
pub(crate) fn convert(
    tags: &Bound<'_, PyAny>,
    source: &str,
    target: &str,
    reading_name: Option<&str>,
    dialect: PyDialect,
) -> Result<Vec<String>> {
    let tags = strings(tags)?;
    let mut converter = converter(source, target, reading_name, dialect)?;
    Ok(converter.convert(tags.iter().map(String::as_str))?)
}

/// Each sentence's tags in another scheme.
#[pyfunction]
#[pyo3(signature = (sentences, source, target, reading_name, dialect, /))]
pub(crate) fn convert_batch(
    sentences: &Bound<'_, PyAny>,
    source: &str,
    target: &str,
    reading_name: Option<&str>,
    dialect: PyDialect,
) -> Result<Vec<Vec<String>>> {
    let sentences = as_list_or_tuple(sentences)?;
    let mut converter = converter(source, target, reading_name, dialect)?;
    (0..sentences.len()?)
        .map(|at| {
            let tags = strings(&sentences.get_item(at)?)?;
            let converted = converter.convert(tags.iter().map(String::as_str));
            converted.map_err(|error| Error::Tags(error).in_sentence(at))
        })
        .collect()
}

/// Every tag of a scheme over types.
#[pyfunction]
#[pyo3(signature = (scheme_name, types, dialect, /))]
pub(crate) fn tags_of(
    scheme_name: &str,
    types: Vec<String>,
    dialect: PyDialect,
) -> Result<Vec<String>> {
    let types: Vec<_> = types.iter().map(String::as_str).collect();
    Ok(spanrs_tags::tags_of(
        scheme(scheme_name)?,
        &types,
        &dialect.checked()?,
    ))
}

/// Which tag may follow which, flat, (n + 1) by (n + 1): last row is the start, last column the end.
#[pyfunction]
#[pyo3(signature = (scheme_name, tags, dialect, /))]
pub(crate) fn legal(scheme_name: &str, tags: Vec<String>, dialect: PyDialect) -> Result<Vec<bool>> {
    let tags: Vec<_> = tags.iter().map(String::as_str).collect();
    Ok(spanrs_tags::legal(
        scheme(scheme_name)?,
        &tags,
        &dialect.checked()?,
    )?)
}

/// The scheme of sentences, and what speaks for it.
#[pyfunction]
#[pyo3(signature = (sentences, dialect, /))]
pub(crate) fn detect(sentences: &Bound<'_, PyAny>, dialect: PyDialect) -> Result<DetectionTuple> {
    let vocabulary = Vocabulary::new(most_tags());
    let mut reader = Reader::with_vocabulary(
        vocabulary,
        Scheme::Token,
        Reading::Conlleval,
        dialect.checked()?,
    )?;
    let mut evidence = Evidence::default();
    batch(sentences, &mut reader, |_, ids| {
        evidence.add(ids);
        Ok(())
    })?;
    let detection = evidence.decide(reader.tags(), reader.dialect())?;
    let violations = detection
        .violations
        .iter()
        .map(|(s, n)| (s.name(), *n))
        .collect();
    Ok((detection.scheme.name(), detection.statement, violations))
}
