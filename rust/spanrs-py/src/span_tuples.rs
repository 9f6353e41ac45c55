//! Spans from Python: sequences of (type, start, end) or (type, start, end, tokens).

use std::collections::HashMap;

use foldhash::fast::RandomState;
use pyo3::Borrowed;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PyInt, PySet, PyString, PyTuple};
use spanrs::base::Interner;
use spanrs::eval::SpanListsBuilder;

use crate::error::{Error, Result};
use crate::pause;
use crate::py_sequence::{BorrowedSlices, IndexedItems, Item};
use crate::span_lists::{Both, both};
use crate::tag_interner::as_list_or_tuple;

/// Reads the spans of both sides, a sequence for each sentence. With `tokens`, a fourth item lists the tokens of a
/// span.
#[pyfunction]
#[pyo3(signature = (gold, pred, tokens, /))]
pub(crate) fn span_lists_of_tuples(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    tokens: bool,
) -> Result<Both> {
    let mut reader = SpanReader {
        slices: BorrowedSlices::new(gold.py()),
        types: Types::default(),
        lists: SpanListsBuilder::new(tokens),
    };
    let n = reader.side("gold", gold)?;
    let m = reader.side("pred", pred)?;
    if n != m {
        return Err(Error::shape(
            format!("gold has {n} sentences, pred has {m}"),
            None,
        ));
    }
    Ok(both(reader.lists.into_lists(reader.types.into_names())))
}

/// Reads spans from tuples.
struct SpanReader<'py> {
    slices: BorrowedSlices<'py>,
    types: Types,
    lists: SpanListsBuilder,
}

impl<'py> SpanReader<'py> {
    /// Reads a side and returns the number of sentences.
    fn side(&mut self, name: &str, sentences: &Bound<'py, PyAny>) -> Result<usize> {
        let sentences = as_list_or_tuple(sentences)?;
        let mut count = 0;
        // Reading may run Python code that shortens the lists, which ends the iteration.
        for (at, sentence) in IndexedItems::of(&sentences).iter().enumerate() {
            let sentence = as_list_or_tuple(&sentence.to_owned())?;
            for (number, span) in IndexedItems::of(&sentence).iter().enumerate() {
                let span = span.to_owned();
                self.push(&span).map_err(|error| {
                    let place = format!("{name} sentence {at}, span {number}");
                    locate(error.into(), &span, &place)
                })?;
                pause(self.lists.len())?;
            }
            self.lists.end_sentence();
            count += 1;
            pause(at)?;
        }
        self.lists.end_side();
        Ok(count)
    }

    fn push(&mut self, span: &Bound<'py, PyAny>) -> Result<()> {
        let copied;
        let tuple = match span.cast::<PyTuple>() {
            Ok(tuple) => tuple,
            Err(_) if span.is_instance_of::<PyString>() => return Err(no_span()),
            Err(_) => {
                copied = span.py().get_type::<PyTuple>().call1((span,))?;
                copied.cast::<PyTuple>()?
            }
        };
        let py = span.py();
        // SAFETY: the tuple and its items are alive until the end of this function, because tuples do not change.
        let item = |item: Item| unsafe { Borrowed::from_ptr(py, item) };
        // SAFETY: as above.
        let (ty, start, end, tokens) = match unsafe { self.slices.items(tuple.as_ptr()) } {
            Some(&[ty, start, end]) => (item(ty), item(start), item(end), None),
            Some(&[ty, start, end, tokens, ..]) => {
                (item(ty), item(start), item(end), Some(item(tokens)))
            }
            _ => return Err(no_span()),
        };
        if self.lists.has_tokens() && tuple.len() > 4 {
            return Err(no_span());
        }
        let ty = self.types.number(&ty)?;
        let bounds = (start.extract()?, end.extract()?);
        let tokens = match tokens.filter(|tokens| self.lists.has_tokens() && !tokens.is_none()) {
            Some(tokens) if bounds.0 < bounds.1 => Some(token_numbers(&tokens)?),
            _ => None,
        };
        Ok(self.lists.push(ty, bounds, tokens)?)
    }
}

fn no_span() -> Error {
    PyTypeError::new_err("a span is (type, start, end) or (type, start, end, tokens)").into()
}

/// The error for a span that is (start, end, type) or has text instead of tokens, as in other programs; None for other
/// input.
#[cold]
fn other_form(span: &Bound<'_, PyAny>) -> Option<&'static str> {
    let item = |at: usize| span.get_item(at).ok();
    let is_int = |at| item(at).is_some_and(|item| item.is_instance_of::<PyInt>());
    if is_int(0) && is_int(1) {
        Some(
            "a span is (type, start, end) or (type, start, end, tokens), but this looks like (start, end, type)",
        )
    } else if item(3).is_some_and(|item| item.is_instance_of::<PyString>()) {
        Some(
            "the fourth item of a span must be the indices of its tokens, not its text; omit the text",
        )
    } else {
        None
    }
}

/// Adds the location of the span to an error.
#[cold]
fn locate(error: PyErr, span: &Bound<'_, PyAny>, place: &str) -> PyErr {
    let py = span.py();
    let shown = span
        .repr()
        .map_or_else(|_| String::new(), |text| text.to_string());
    if let Some(message) = other_form(span) {
        return PyTypeError::new_err(format!("{place} {shown}: {message}"));
    }
    let message = if error.is_instance_of::<PyOverflowError>(py) {
        format!("start and end must be integers from 0 to {}", u32::MAX)
    } else {
        error.value(py).to_string()
    };
    let message = format!("{place} {shown}: {message}");
    if error.is_instance_of::<PyOverflowError>(py) {
        PyOverflowError::new_err(message)
    } else if error.is_instance_of::<PyTypeError>(py) {
        PyTypeError::new_err(message)
    } else if error.is_instance_of::<PyValueError>(py) {
        PyValueError::new_err(message)
    } else {
        error
    }
}

/// Assigns numbers to types. Most programs use few string objects for types, so known objects are recognised by
/// address.
#[derive(Default)]
struct Types {
    names: Interner<str>,
    /// The reference keeps the object alive, so that its address cannot be reused.
    objects: HashMap<usize, (Py<PyAny>, u32), RandomState>,
}

/// Maximum number of objects to keep, for programs that create a new object for each span.
const OBJECTS: usize = 1 << 12;

impl Types {
    fn into_names(self) -> Vec<String> {
        self.names.names().map(str::to_owned).collect()
    }

    fn number(&mut self, name: &Bound<'_, PyAny>) -> PyResult<u32> {
        let address = name.as_ptr() as usize;
        if let Some((_, number)) = self.objects.get(&address) {
            return Ok(*number);
        }
        let text: &str = name.cast::<PyString>()?.to_str()?;
        let number = self.names.intern(text);
        if self.objects.len() < OBJECTS {
            self.objects
                .insert(address, (name.clone().unbind(), number));
        }
        Ok(number)
    }
}

/// The tokens of a collection, and whether they are distinct.
pub(crate) fn token_numbers(tokens: &Bound<'_, PyAny>) -> PyResult<(Vec<i64>, bool)> {
    let numbers = tokens.try_iter()?.map(|token| token?.extract());
    let is_set = tokens.is_instance_of::<PySet>() || tokens.is_instance_of::<PyFrozenSet>();
    Ok((numbers.collect::<PyResult<_>>()?, is_set))
}
