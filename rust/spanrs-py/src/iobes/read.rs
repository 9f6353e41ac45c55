//! Tags to named tuples of spans and errors.

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple, PyType};
use spanrs_base::{Span, Vocabulary};
use spanrs_tags::{Dialect, Kind, Reader, Reading, Scheme};

use super::write::IobesWriter;
use super::{Kept, MOST_KEPT};
use crate::error::Result;
use crate::options::scheme;
use crate::tag_interner::{TagInterner, is_list_or_tuple};

/// Places of the table of spans that were made before.
const PLACES: usize = 1 << 11;
/// Longest span that is kept there.
const LONGEST_KEPT: u32 = 16;
/// Ends the stand-in of a tag that is no UTF-8; a noncharacter, which text does not hold.
const STAND_IN: char = '\u{10FFFF}';

/// Reads the tags of one encoding as iobes does.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct IobesReader {
    scheme: Scheme,
    span_class: Py<PyType>,
    error_class: Py<PyType>,
    report: Py<PyAny>,
    kept: Kept<Decoder>,
}

/// A list of spans, and the list of errors if there are any.
type Found<'py> = (Bound<'py, PyList>, Option<Bound<'py, PyList>>);

#[pymethods]
impl IobesReader {
    /// `report` is called with the list of errors of every sentence that has some.
    #[new]
    #[pyo3(signature = (scheme_name, span_class, error_class, report, /))]
    fn new(
        scheme_name: &str,
        span_class: Py<PyType>,
        error_class: Py<PyType>,
        report: Py<PyAny>,
    ) -> Result<Self> {
        Ok(Self {
            scheme: scheme(scheme_name)?,
            span_class,
            error_class,
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

    /// The tags of a sentence as `writer` writes them; None where the sentence has errors or is odd.
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
        let ready = decoder.plain(sequence) && !decoder.is_wrong();
        let converted = if ready {
            writer.get().convert(sequence.py(), &decoder)
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
            Some(decoder) if decoder.reader.tags().len() <= MOST_KEPT => Ok(decoder),
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
        for at in 0..decoder.spans.len() {
            let span = decoder.spans[at];
            spans.append(decoder.object(py, span, &self.span_class)?)?;
        }
        let errors = decoder.errors();
        if errors.is_empty() {
            return Ok((spans, None));
        }
        let class = self.error_class.bind(py);
        let tag = |at: usize| {
            sequence
                .get_item(at)
                .unwrap_or_else(|_| py.None().into_bound(py))
        };
        let list = PyList::empty(py);
        for (at, kind) in errors {
            let before = at.checked_sub(1).map(tag);
            let behind = (at + 1 < decoder.ids.len()).then(|| tag(at + 1));
            let name = PyString::intern(py, kind.name());
            list.append(named_tuple(class, (at, name, tag(at), before, behind))?)?;
        }
        Ok((spans, Some(list)))
    }

    /// TOKEN takes anything for a tag.
    fn tokens<'py>(&self, sequence: &Bound<'py, PyAny>) -> Result<Bound<'py, PyList>> {
        let py = sequence.py();
        let spans = PyList::empty(py);
        for at in 0..sequence.len()? {
            let fields = (sequence.get_item(at)?, at, at + 1, (at,));
            spans.append(named_tuple(self.span_class.bind(py), fields)?)?;
        }
        Ok(spans)
    }
}

/// An instance of a named tuple, without its slower constructor.
fn named_tuple<'py>(
    class: &Bound<'py, PyType>,
    fields: impl IntoPyObject<'py, Target = PyTuple, Output = Bound<'py, PyTuple>, Error = PyErr>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = class.py();
    let make = py.get_type::<PyTuple>().getattr(intern!(py, "__new__"))?;
    make.call1((class, fields.into_pyobject(py)?))
}

/// A sentence as it is read, and what earlier sentences left.
pub(super) struct Decoder {
    pub(super) reader: Reader,
    interner: TagInterner,
    pub(super) ids: Vec<u32>,
    pub(super) spans: Vec<Span>,
    doubtful: bool,
    /// The name of each type as Python's string; of each tag under TOKEN.
    types: Vec<Py<PyString>>,
    made: Vec<Option<(Span, Py<PyAny>)>>,
}

impl Decoder {
    fn new(scheme: Scheme) -> Result<Self> {
        // No limit on the number of tags: iobes has none.
        let vocabulary = Vocabulary::new(usize::MAX);
        let reader =
            Reader::with_vocabulary(vocabulary, scheme, Reading::Conlleval, Dialect::iobes())?;
        Ok(Self {
            reader,
            interner: TagInterner::new(),
            ids: Vec::new(),
            spans: Vec::new(),
            doubtful: false,
            types: Vec::new(),
            made: std::iter::repeat_with(|| None).take(PLACES).collect(),
        })
    }

    /// Reads a list or tuple of strings; false where it holds something else.
    #[inline]
    fn plain(&mut self, sequence: &Bound<'_, PyAny>) -> bool {
        self.ids.clear();
        let read = self
            .interner
            .sentence(sequence, &mut self.reader, &mut self.ids);
        if read.is_err() {
            return false;
        }
        self.find();
        true
    }

    fn find(&mut self) {
        self.spans.clear();
        if self.reader.scheme() == Scheme::Token {
            let span = |(at, &ty): (usize, &u32)| Span {
                start: at as u32,
                end: at as u32 + 1,
                ty,
            };
            self.spans.extend(self.ids.iter().enumerate().map(span));
        } else {
            self.doubtful = self.reader.spans_into(&self.ids, &mut self.spans);
        }
    }

    /// Reads a list or tuple of anything.
    #[cold]
    fn odd(&mut self, sequence: &Bound<'_, PyAny>) -> Result<()> {
        let py = sequence.py();
        self.ids.clear();
        for at in 0..sequence.len()? {
            let item = sequence.get_item(at)?;
            let Ok(tag) = item.cast::<PyString>() else {
                // iobes looks for the separator in whatever it gets, which mostly is a TypeError; what has
                // none is no tag it knows.
                if item.contains("-")? {
                    item.getattr("split")?;
                }
                self.ids.push(self.reader.intern(&STAND_IN.to_string())?);
                continue;
            };
            if let Ok(text) = tag.to_str() {
                self.ids.push(self.reader.intern(text)?);
                continue;
            }
            // Lone surrogates. Every other character of the tag stays itself, its dash above all.
            let bytes: Vec<u8> = tag
                .call_method1("encode", ("utf-8", "surrogatepass"))?
                .extract()?;
            let mut text: String = bytes.into_iter().map(char::from).collect();
            text.push(STAND_IN);
            self.fill_types(py);
            self.ids.push(self.reader.intern(&text)?);
            if self.types.len() < self.reader.types().len() {
                let parts = tag.call_method1("split", ("-", 1))?;
                let ty = parts.get_item(parts.len()? - 1)?;
                self.types
                    .push(ty.cast_into::<PyString>().map_err(PyErr::from)?.unbind());
            }
        }
        self.find();
        Ok(())
    }

    fn is_wrong(&self) -> bool {
        self.doubtful && self.reader.count_violations(&self.ids) > 0
    }

    /// The errors by location, then by name.
    fn errors(&self) -> Vec<(usize, Kind)> {
        let mut found = Vec::new();
        if self.doubtful {
            self.reader
                .each_violation(&self.ids, |at, kind| found.push((at, kind)));
            found.sort();
        }
        found
    }

    fn fill_types(&mut self, py: Python<'_>) {
        let names = if self.reader.scheme() == Scheme::Token {
            self.reader.tags()
        } else {
            self.reader.types()
        };
        for id in self.types.len()..names.len() {
            let name = PyString::new(py, names.name(id as u32));
            self.types.push(name.unbind());
        }
    }

    /// The named tuple of a span. Spans cannot be changed, so one object may stand for all that are equal.
    fn object<'py>(
        &mut self,
        py: Python<'py>,
        span: Span,
        class: &Py<PyType>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mixed = span.start ^ span.end.rotate_left(10) ^ span.ty.rotate_left(20);
        let place = (mixed.wrapping_mul(0x9E37_79B1) >> (32 - PLACES.trailing_zeros())) as usize;
        if let Some((known, object)) = &self.made[place]
            && *known == span
        {
            return Ok(object.bind(py).clone());
        }
        self.fill_types(py);
        let tokens = PyTuple::new(py, span.start..span.end)?;
        let ty = self.types[span.ty as usize].bind(py);
        let object = named_tuple(class.bind(py), (ty, span.start, span.end, tokens))?;
        if span.end - span.start <= LONGEST_KEPT {
            self.made[place] = Some((span, object.clone().unbind()));
        }
        Ok(object)
    }
}
