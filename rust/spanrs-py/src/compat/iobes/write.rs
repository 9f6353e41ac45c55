//! Converts spans to tags.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString, PyTuple, PyType};
use spanrs::base::{Span, Vocabulary};
use spanrs::compat::iobes::{Prefixes, SentenceReader, TagKind};

use super::{Kept, MOST_KEPT};
use crate::error::Result;
use crate::py_sequence::IndexedItems;
use crate::tag_interner::is_list_or_tuple;

/// Writes spans as tags of one encoding like iobes. See [`spanrs::compat::iobes`].
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct IobesWriter {
    prefixes: Prefixes,
    span_class: Py<PyType>,
    kept: Kept<Encoder>,
}

#[pymethods]
impl IobesWriter {
    #[new]
    #[pyo3(signature = (begin, inside, end, single, contact, span_class, /))]
    fn new(
        begin: String,
        inside: String,
        end: String,
        single: String,
        contact: Option<String>,
        span_class: Py<PyType>,
    ) -> Self {
        let prefixes = Prefixes {
            begin,
            inside,
            end,
            single,
            contact,
        };
        Self {
            prefixes,
            span_class,
            kept: Kept::new(),
        }
    }

    /// Writes spans over `tags`, or over `length` times `O`; None if a span is not contiguous, is not within the
    /// sentence, or has another class. `tags` is changed only if the result is not None.
    #[pyo3(signature = (spans, tags, length, /))]
    fn write<'py>(
        &self,
        spans: &Bound<'py, PyAny>,
        tags: Option<Bound<'py, PyList>>,
        length: &Bound<'py, PyAny>,
    ) -> Result<Option<Bound<'py, PyList>>> {
        let py = spans.py();
        let Ok(length) = length.extract::<Option<i64>>() else {
            return Ok(None);
        };
        if !is_list_or_tuple(spans) {
            return Ok(None);
        }
        let mut encoder = self.encoder();
        let written = match self.sorted(spans, &mut encoder) {
            Some(sorted) => self.over(py, &encoder, &sorted, tags, length),
            None => Ok(None),
        };
        self.kept.put(encoder);
        written
    }
}

impl IobesWriter {
    fn encoder(&self) -> Box<Encoder> {
        match self.kept.take() {
            Some(encoder) if encoder.types.len() <= MOST_KEPT => encoder,
            _ => Box::new(Encoder {
                types: Vocabulary::new(usize::MAX),
                tags_of_types: Vec::new(),
            }),
        }
    }

    /// The spans sorted by start, with types as ids; None if an item is not a plain span.
    fn sorted(&self, spans: &Bound<'_, PyAny>, encoder: &mut Encoder) -> Option<Vec<Span>> {
        let items = IndexedItems::of(spans);
        let mut all = Vec::with_capacity(items.len());
        for at in 0..items.len() {
            let span = items.get(at)?.to_owned();
            if span.get_type().as_ptr() != self.span_class.as_ptr() {
                return None;
            }
            let span = span.cast_into::<PyTuple>().ok()?;
            let fields = IndexedItems::of(span.as_any());
            let ty = fields.get(0)?.to_owned();
            let ty = ty.cast_exact::<PyString>().ok()?.to_str().ok()?;
            let (start, end) = (number(fields, 1)?, number(fields, 2)?);
            let tokens = fields.get(3)?.to_owned();
            let tokens = tokens.cast_exact::<PyTuple>().ok()?;
            if start >= end || !contiguous(IndexedItems::of(tokens.as_any()), start, end) {
                return None;
            }
            let ty = encoder.type_id(span.py(), &self.prefixes, ty).ok()?;
            all.push(Span { start, end, ty });
        }
        // The sort is stable: if spans have equal starts, the later span overwrites the earlier span.
        all.sort_by_key(|span| span.start);
        Some(all)
    }

    fn over<'py>(
        &self,
        py: Python<'py>,
        encoder: &Encoder,
        spans: &[Span],
        tags: Option<Bound<'py, PyList>>,
        length: Option<i64>,
    ) -> Result<Option<Bound<'py, PyList>>> {
        let last = spans.iter().map(|span| span.end as usize).max();
        let tags = match (tags, length, last) {
            (Some(tags), ..) => tags,
            (None, Some(length), _) => outside(py, length.max(0) as usize)?,
            (None, None, Some(last)) => outside(py, last)?,
            (None, None, None) => return Ok(None),
        };
        if last.is_some_and(|last| last > tags.len()) {
            return Ok(None);
        }
        self.fill(&tags, encoder, spans)?;
        Ok(Some(tags))
    }

    /// Writes spans that are sorted and within the sentence.
    fn fill(&self, tags: &Bound<'_, PyList>, encoder: &Encoder, spans: &[Span]) -> Result<()> {
        let py = tags.py();
        self.prefixes.write(spans, |token, ty, kind| {
            let tag = &encoder.tags_of_types[ty as usize][kind as usize];
            Ok(tags.set_item(token, tag.bind(py))?)
        })
    }

    /// Writes the sentence that a reader has read.
    pub(super) fn convert<'py>(
        &self,
        py: Python<'py>,
        sentence: &SentenceReader,
    ) -> Result<Option<Bound<'py, PyList>>> {
        let mut encoder = self.encoder();
        let mut spans = Vec::with_capacity(sentence.spans().len());
        for span in sentence.spans() {
            let name = sentence.types().name(span.ty);
            let ty = encoder.type_id(py, &self.prefixes, name)?;
            spans.push(Span { ty, ..*span });
        }
        let length = Some(sentence.tokens() as i64);
        let converted = self.over(py, &encoder, &spans, None, length);
        self.kept.put(encoder);
        converted
    }
}

/// Cache of tags.
struct Encoder {
    types: Vocabulary,
    /// The tags of each type, by [`TagKind`].
    tags_of_types: Vec<[Py<PyString>; TagKind::ALL.len()]>,
}

impl Encoder {
    fn type_id(&mut self, py: Python<'_>, prefixes: &Prefixes, name: &str) -> Result<u32> {
        let id = self.types.intern(name).map_err(spanrs::tags::Error::from)?;
        if id as usize == self.tags_of_types.len() {
            let tag = |kind| PyString::new(py, &prefixes.tag(kind, name)).unbind();
            self.tags_of_types.push(TagKind::ALL.map(tag));
        }
        Ok(id)
    }
}

fn outside(py: Python<'_>, length: usize) -> PyResult<Bound<'_, PyList>> {
    let one = PyList::new(py, ["O"])?;
    let all = one.as_sequence().repeat(length)?;
    Ok(all.cast_into::<PyList>()?)
}

/// The value of a field that is exactly an int and fits into u32.
fn number(fields: IndexedItems<'_, '_>, at: usize) -> Option<u32> {
    let field = fields.get(at)?.to_owned();
    field.cast_exact::<PyInt>().ok()?.extract().ok()
}

fn contiguous(tokens: IndexedItems<'_, '_>, start: u32, end: u32) -> bool {
    tokens.len() == (end - start) as usize
        && (start..end)
            .enumerate()
            .all(|(at, token)| number(tokens, at) == Some(token))
}
