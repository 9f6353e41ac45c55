//! Spans to tags.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString, PyTuple, PyType};
use spanrs_base::{Span, Vocabulary};

use super::read::Decoder;
use super::{Kept, MOST_KEPT};
use crate::error::Result;
use crate::py_sequence::Items;
use crate::tag_interner::is_list_or_tuple;

/// Writes spans as tags of one encoding as iobes does.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct IobesWriter {
    letters: Letters,
    span_class: Py<PyType>,
    kept: Kept<Encoder>,
}

/// For the first of several tokens, those between, the last, an only one, and the first token of a span
/// that touches one of its type.
struct Letters {
    begin: String,
    inside: String,
    end: String,
    single: String,
    contact: Option<String>,
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
        let letters = Letters {
            begin,
            inside,
            end,
            single,
            contact,
        };
        Self {
            letters,
            span_class,
            kept: Kept::new(),
        }
    }

    /// Writes spans over `tags`, or over `length` times `O`; None where a span is not contiguous, does not
    /// fit, or is of another class. `tags` is changed only where the answer is not None.
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

    /// The spans by start, types as ids; None where one is odd.
    fn sorted(&self, spans: &Bound<'_, PyAny>, encoder: &mut Encoder) -> Option<Vec<Span>> {
        let items = Items::of(spans);
        let mut all = Vec::with_capacity(items.len());
        for at in 0..items.len() {
            let span = items.get(at)?.to_owned();
            if span.get_type().as_ptr() != self.span_class.as_ptr() {
                return None;
            }
            let span = span.cast_into::<PyTuple>().ok()?;
            let fields = Items::of(span.as_any());
            let ty = fields.get(0)?.to_owned();
            let ty = ty.cast_exact::<PyString>().ok()?.to_str().ok()?;
            let (start, end) = (number(fields, 1)?, number(fields, 2)?);
            let tokens = fields.get(3)?.to_owned();
            let tokens = tokens.cast_exact::<PyTuple>().ok()?;
            if start >= end || !contiguous(Items::of(tokens.as_any()), start, end) {
                return None;
            }
            let ty = encoder.type_id(span.py(), &self.letters, ty).ok()?;
            all.push(Span { start, end, ty });
        }
        // Stable: of spans with equal starts the later one writes over the earlier.
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

    /// Writes spans that are sorted and fit.
    fn fill(&self, tags: &Bound<'_, PyList>, encoder: &Encoder, spans: &[Span]) -> Result<()> {
        let py = tags.py();
        let mut before: Option<&Span> = None;
        for span in spans {
            let of_type = &encoder.tags_of_types[span.ty as usize];
            let (first, last) = (span.start as usize, span.end as usize - 1);
            let touches = before.is_some_and(|b| b.end == span.start && b.ty == span.ty);
            let opening = match &of_type.contact {
                Some(contact) if touches => contact,
                _ if first == last => &of_type.single,
                _ => &of_type.begin,
            };
            tags.set_item(first, opening.bind(py))?;
            for token in first + 1..last {
                tags.set_item(token, of_type.inside.bind(py))?;
            }
            if first < last {
                tags.set_item(last, of_type.end.bind(py))?;
            }
            before = Some(span);
        }
        Ok(())
    }

    /// Writes what was read.
    pub(super) fn convert<'py>(
        &self,
        py: Python<'py>,
        decoder: &Decoder,
    ) -> Result<Option<Bound<'py, PyList>>> {
        let mut encoder = self.encoder();
        let mut spans = Vec::with_capacity(decoder.spans.len());
        for span in &decoder.spans {
            let name = decoder.reader.type_name(span.ty);
            let ty = encoder.type_id(py, &self.letters, name)?;
            spans.push(Span { ty, ..*span });
        }
        let length = Some(decoder.ids.len() as i64);
        let converted = self.over(py, &encoder, &spans, None, length);
        self.kept.put(encoder);
        converted
    }
}

/// The tags made so far.
struct Encoder {
    types: Vocabulary,
    /// One a type.
    tags_of_types: Vec<TagsOfType>,
}

struct TagsOfType {
    begin: Py<PyString>,
    inside: Py<PyString>,
    end: Py<PyString>,
    single: Py<PyString>,
    contact: Option<Py<PyString>>,
}

impl Encoder {
    fn type_id(&mut self, py: Python<'_>, letters: &Letters, name: &str) -> Result<u32> {
        let id = self.types.intern(name).map_err(spanrs_tags::Error::from)?;
        if id as usize == self.tags_of_types.len() {
            let tag = |letter: &String| PyString::new(py, &format!("{letter}-{name}")).unbind();
            self.tags_of_types.push(TagsOfType {
                begin: tag(&letters.begin),
                inside: tag(&letters.inside),
                end: tag(&letters.end),
                single: tag(&letters.single),
                contact: letters.contact.as_ref().map(tag),
            });
        }
        Ok(id)
    }
}

fn outside(py: Python<'_>, length: usize) -> PyResult<Bound<'_, PyList>> {
    let one = PyList::new(py, [intern!(py, "O")])?;
    let all = one.as_sequence().repeat(length)?;
    Ok(all.cast_into::<PyList>()?)
}

/// A field that is a plain int of the right size.
fn number(fields: Items<'_, '_>, at: usize) -> Option<u32> {
    let field = fields.get(at)?.to_owned();
    field.cast_exact::<PyInt>().ok()?.extract().ok()
}

fn contiguous(tokens: Items<'_, '_>, start: u32, end: u32) -> bool {
    tokens.len() == (end - start) as usize
        && (start..end)
            .enumerate()
            .all(|(at, token)| number(tokens, at) == Some(token))
}
