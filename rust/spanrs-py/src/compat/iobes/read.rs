//! Converts tags to named tuples of spans and errors.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple, PyType};
use spanrs::base::{Span, Vocabulary};
use spanrs::compat::iobes::SentenceReader;
use spanrs::tags::{Reader, Scheme};

use super::write::IobesWriter;
use super::{Kept, MOST_KEPT};
use crate::error::Result;
use crate::plain::Plain;
use crate::records::NamedTuple;
use crate::tag_interner::{TagInterner, is_list_or_tuple};

/// Number of slots in the cache of span objects.
const SLOTS: usize = 1 << 11;
/// Maximum length of cached spans, in tokens.
const LONGEST_KEPT: u32 = 16;
/// Terminates the replacement for a tag that is not UTF-8; a noncharacter, which does not occur in text.
const REPLACEMENT: char = '\u{10FFFF}';

/// Reads the tags of one encoding like iobes. See [`spanrs::compat::iobes`].
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct IobesReader {
    scheme: Scheme,
    span_class: NamedTuple,
    error_class: NamedTuple,
    report: Py<PyAny>,
    kept: Kept<Decoder>,
}

/// Lists of spans and of errors; None if there are no errors.
type Found<'py> = (Bound<'py, PyList>, Option<Bound<'py, PyList>>);

#[pymethods]
impl IobesReader {
    /// `report` is called with the list of errors of every sentence with errors.
    #[new]
    #[pyo3(signature = (scheme, span_class, error_class, report, /))]
    fn new(
        scheme: Plain<Scheme>,
        span_class: Bound<'_, PyType>,
        error_class: Bound<'_, PyType>,
        report: Py<PyAny>,
    ) -> Result<Self> {
        Ok(Self {
            scheme: scheme.0,
            span_class: NamedTuple::of(span_class)?,
            error_class: NamedTuple::of(error_class)?,
            report,
            kept: Kept::new(),
        })
    }

    /// The spans of a sentence.
    #[pyo3(signature = (sequence, /))]
    fn spans<'py>(&self, sequence: &Bound<'py, PyAny>) -> Result<Bound<'py, PyList>> {
        Ok(self.read(sequence)?.0)
    }

    /// The spans of a sentence and its errors.
    #[pyo3(signature = (sequence, /))]
    fn spans_and_errors<'py>(
        &self,
        sequence: &Bound<'py, PyAny>,
    ) -> Result<(Bound<'py, PyList>, Bound<'py, PyList>)> {
        let (spans, errors) = self.read(sequence)?;
        let errors = errors.unwrap_or_else(|| PyList::empty(sequence.py()));
        Ok((spans, errors))
    }

    /// The tags of a sentence, converted to the encoding of `writer`; None if the sentence has errors or items that are
    /// not str.
    #[pyo3(signature = (sequence, writer, /))]
    fn convert<'py>(
        &self,
        sequence: &Bound<'py, PyAny>,
        writer: &Bound<'py, IobesWriter>,
    ) -> Result<Option<Bound<'py, PyList>>> {
        if !is_list_or_tuple(sequence) {
            return Ok(None);
        }
        let mut decoder = self.decoder()?;
        let ready = decoder.plain(sequence) && !decoder.sentence.has_errors();
        let converted = if ready {
            writer.get().convert(sequence.py(), &decoder.sentence)
        } else {
            Ok(None)
        };
        self.kept.put(decoder);
        converted
    }
}

impl IobesReader {
    fn decoder(&self) -> Result<Box<Decoder>> {
        match self.kept.take() {
            Some(decoder) if decoder.sentence.tags() <= MOST_KEPT => Ok(decoder),
            _ => Ok(Box::new(Decoder::new(self.scheme)?)),
        }
    }

    fn read<'py>(&self, sequence: &Bound<'py, PyAny>) -> Result<Found<'py>> {
        let mut decoder = self.decoder()?;
        let found = self.read_with(&mut decoder, sequence);
        self.kept.put(decoder);
        let (spans, errors) = found?;
        if let Some(errors) = &errors {
            self.report.bind(sequence.py()).call1((errors,))?;
        }
        Ok((spans, errors))
    }

    fn read_with<'py>(
        &self,
        decoder: &mut Decoder,
        sequence: &Bound<'py, PyAny>,
    ) -> Result<Found<'py>> {
        let py = sequence.py();
        if !is_list_or_tuple(sequence) {
            let list = py.get_type::<PyList>().call1((sequence,))?;
            return self.read_with(decoder, &list);
        }
        if !decoder.plain(sequence) {
            if self.scheme == Scheme::Token {
                return Ok((self.tokens(sequence)?, None));
            }
            decoder.odd(sequence)?;
        }
        let spans = PyList::empty(py);
        for at in 0..decoder.sentence.spans().len() {
            let span = decoder.sentence.spans()[at];
            spans.append(decoder.object(py, span, &self.span_class)?)?;
        }
        let errors = decoder.sentence.errors();
        if errors.is_empty() {
            return Ok((spans, None));
        }
        let tag = |at: usize| {
            sequence
                .get_item(at)
                .unwrap_or_else(|_| py.None().into_bound(py))
        };
        let list = PyList::empty(py);
        for (at, kind) in errors {
            let before = at.checked_sub(1).map(tag);
            let after = (at + 1 < decoder.sentence.tokens()).then(|| tag(at + 1));
            let name = PyString::intern(py, kind.name());
            let fields = (at, name, tag(at), before, after);
            list.append(self.error_class.make(py, fields)?)?;
        }
        Ok((spans, Some(list)))
    }

    /// The spans under the scheme TOKEN, where a tag can be any object.
    fn tokens<'py>(&self, sequence: &Bound<'py, PyAny>) -> Result<Bound<'py, PyList>> {
        let py = sequence.py();
        let spans = PyList::empty(py);
        for at in 0..sequence.len()? {
            let fields = (sequence.get_item(at)?, at, at + 1, (at,));
            spans.append(self.span_class.make(py, fields)?)?;
        }
        Ok(spans)
    }
}

/// Reads sentences, with a cache of objects.
struct Decoder {
    sentence: SentenceReader,
    interner: TagInterner,
    /// The name of each type.
    types: Vec<Py<PyString>>,
    /// A direct-mapped cache of span objects.
    objects: Vec<Option<(Span, Py<PyAny>)>>,
}

impl Decoder {
    fn new(scheme: Scheme) -> Result<Self> {
        Ok(Self {
            sentence: SentenceReader::new(scheme)?,
            interner: TagInterner::new(),
            types: Vec::new(),
            objects: std::iter::repeat_with(|| None).take(SLOTS).collect(),
        })
    }

    /// Reads a list or tuple of strings; false if it has other items.
    #[inline]
    fn plain(&mut self, sequence: &Bound<'_, PyAny>) -> bool {
        let interner = &mut self.interner;
        let read = self
            .sentence
            .read(|reader, ids| interner.sentence(sequence, reader, ids));
        read.is_ok()
    }

    /// Reads a list or tuple of arbitrary items.
    #[cold]
    fn odd(&mut self, sequence: &Bound<'_, PyAny>) -> Result<()> {
        let types = &mut self.types;
        self.sentence.read(|reader, ids| {
            for at in 0..sequence.len()? {
                let item = sequence.get_item(at)?;
                ids.push(match item.cast::<PyString>() {
                    Ok(tag) => intern_any(tag, reader, types)?,
                    Err(_) => {
                        // iobes checks for the separator and then splits, which raises an error for most objects; an
                        // object without the separator is an unknown tag.
                        if item.contains("-")? {
                            item.getattr("split")?;
                        }
                        reader.intern(&REPLACEMENT.to_string())?
                    }
                });
            }
            Ok(())
        })
    }

    /// The named tuple of a span. Named tuples are immutable, so equal spans can share one.
    fn object<'py>(
        &mut self,
        py: Python<'py>,
        span: Span,
        class: &NamedTuple,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mixed = span.start ^ span.end.rotate_left(10) ^ span.ty.rotate_left(20);
        let slot = (mixed.wrapping_mul(0x9E37_79B1) >> (32 - SLOTS.trailing_zeros())) as usize;
        if let Some((known, object)) = &self.objects[slot]
            && *known == span
        {
            return Ok(object.bind(py).clone());
        }
        name_types(py, self.sentence.types(), &mut self.types);
        let tokens = PyTuple::new(py, span.start..span.end)?;
        let ty = self.types[span.ty as usize].bind(py);
        let object = class.make(py, (ty, span.start, span.end, tokens))?;
        if span.end - span.start <= LONGEST_KEPT {
            self.objects[slot] = Some((span, object.clone().unbind()));
        }
        Ok(object)
    }
}

/// Adds the names of new types.
fn name_types(py: Python<'_>, names: &Vocabulary, types: &mut Vec<Py<PyString>>) {
    for id in types.len()..names.len() {
        types.push(PyString::new(py, names.name(id as u32)).unbind());
    }
}

/// The id of a tag that may have lone surrogates. `types` keeps Python's name of its type.
fn intern_any(
    tag: &Bound<'_, PyString>,
    reader: &mut Reader,
    types: &mut Vec<Py<PyString>>,
) -> Result<u32> {
    if let Ok(text) = tag.to_str() {
        return Ok(reader.intern(text)?);
    }
    // Each byte becomes a character, so that ASCII characters, in particular the separator, are unchanged.
    let bytes: Vec<u8> = tag
        .call_method1("encode", ("utf-8", "surrogatepass"))?
        .extract()?;
    let mut text: String = bytes.into_iter().map(char::from).collect();
    text.push(REPLACEMENT);
    name_types(tag.py(), reader.types(), types);
    let id = reader.intern(&text)?;
    if types.len() < reader.types().len() {
        let parts = tag.call_method1("split", ("-", 1))?;
        let ty = parts.get_item(parts.len()? - 1)?;
        types.push(ty.cast_into::<PyString>()?.unbind());
    }
    Ok(id)
}
