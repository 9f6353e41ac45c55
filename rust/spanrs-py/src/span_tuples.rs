//! Spans from Python: sequences of (type, start, end) and (type, start, end, tokens).

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::RandomState;
use pyo3::Borrowed;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet, PyString, PyTuple};
use spanrs_base::{Interner, Span};
use spanrs_eval::{Run, SpanLists as Core, TokenSets};

use crate::error::{Error, Result};
use crate::pause;
use crate::py_sequence::{Item, ItemSlices, Items};
use crate::span_lists::SpanLists;
use crate::tag_interner::as_list_or_tuple;

/// The spans of both sides, a sequence of them for each sentence; with their tokens, where those are asked
/// for and a fourth item names them.
#[pyfunction]
#[pyo3(signature = (gold, pred, tokens, /))]
pub(crate) fn span_lists_of_tuples(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    tokens: bool,
) -> Result<(SpanLists, SpanLists)> {
    let mut given = Given {
        walker: ItemSlices::new(gold.py()),
        placed: Vec::new(),
        tokens: TokenSets::default(),
        with_tokens: tokens,
        types: Types::default(),
    };
    let gold = given.side("gold", gold, &[])?;
    let pred = given.side("pred", pred, &gold)?;
    let (n, m) = (gold.len(), pred.len());
    if n != m {
        return Err(Error::Shape {
            message: format!("gold has {n} sentences, pred has {m}"),
            sentence: None,
        });
    }
    let tokens = tokens.then_some(given.tokens);
    let (types, ranges) = (given.types.into_names(), [gold, pred]);
    let both = Core::gold_and_pred(given.placed, tokens, types, ranges);
    Ok(SpanLists::both(both))
}

/// What was read so far.
struct Given<'py> {
    walker: ItemSlices<'py>,
    placed: Vec<Span<i64>>,
    tokens: TokenSets,
    with_tokens: bool,
    types: Types,
}

impl<'py> Given<'py> {
    /// Reads a side; gives the places of the spans of each sentence. Those of a sentence that are also those
    /// of the other side are held once.
    fn side(
        &mut self,
        name: &str,
        sentences: &Bound<'py, PyAny>,
        other: &[Range<u32>],
    ) -> Result<Vec<Range<u32>>> {
        let mut places = Vec::new();
        let sentences = as_list_or_tuple(sentences)?;
        let sentences = Items::of(&sentences);
        for at in 0..sentences.len() {
            // Reading may run Python code that shortens the lists.
            let Some(sentence) = sentences.get(at) else {
                break;
            };
            let first = self.placed.len();
            let sentence = as_list_or_tuple(&sentence.to_owned())?;
            let spans = Items::of(&sentence);
            for number in 0..spans.len() {
                let Some(span) = spans.get(number) else { break };
                let span = span.to_owned();
                self.push(&span).map_err(|error| {
                    locate(
                        error,
                        &span,
                        &format!("{name} sentence {at}, span {number}"),
                    )
                })?;
                pause(self.placed.len())?;
            }
            match other.get(at).filter(|range| self.are_last(range, first)) {
                Some(range) => {
                    self.placed.truncate(first);
                    self.tokens
                        .truncate(if self.with_tokens { first } else { 0 });
                    places.push(range.clone());
                }
                None => places.push(first as u32..self.placed.len() as u32),
            }
            pause(at)?;
        }
        Ok(places)
    }

    /// True where the spans in a range are those from `first` on, and have all their tokens.
    fn are_last(&self, range: &Range<u32>, first: usize) -> bool {
        let range = range.start as usize..range.end as usize;
        let mut all = range.clone().chain(first..self.placed.len());
        self.placed[range] == self.placed[first..]
            && (self.tokens.all_whole() || all.all(|at| self.tokens.get(at).is_none()))
    }

    fn push(&mut self, span: &Bound<'py, PyAny>) -> PyResult<()> {
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
        // SAFETY: the tuple is alive until the end of this function, and so are its items, because it does not change.
        let item = |item: Item| unsafe { Borrowed::from_ptr(py, item) };
        // SAFETY: as above.
        let (ty, start, end, given) = match unsafe { self.walker.items(tuple.as_ptr()) } {
            Some(&[ty, start, end]) => (item(ty), item(start), item(end), None),
            Some(&[ty, start, end, given, ..]) => {
                (item(ty), item(start), item(end), Some(item(given)))
            }
            _ => return Err(no_span()),
        };
        if self.with_tokens && tuple.len() > 4 {
            return Err(no_span());
        }
        let ty = self.types.number(&ty)?;
        let (start, end): (u32, u32) = (start.extract()?, end.extract()?);
        if end <= start {
            let message = "it holds nothing; ends are exclusive and greater than starts";
            return Err(PyValueError::new_err(message));
        }
        let (start, end) = (i64::from(start), i64::from(end));
        self.placed.push(Span { start, end, ty });
        if self.with_tokens {
            match given.filter(|given| !given.is_none()) {
                None => self.tokens.push_whole(),
                Some(given) => {
                    self.tokens.extend((start, end), &given)?;
                    check((start, end), self.tokens.get(self.placed.len() - 1))?;
                }
            }
        }
        Ok(())
    }
}

fn no_span() -> PyErr {
    PyTypeError::new_err("a span is (type, start, end) or (type, start, end, tokens)")
}

/// Says which span an error is about.
#[cold]
fn locate(error: PyErr, span: &Bound<'_, PyAny>, place: &str) -> PyErr {
    let py = span.py();
    let shown = span
        .repr()
        .map_or_else(|_| String::new(), |text| text.to_string());
    let message = if error.is_instance_of::<PyOverflowError>(py) {
        format!("a bound is no number from 0 to {}", u32::MAX)
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

/// Refuses tokens outside their span, and none at all.
fn check((start, end): Run, runs: Option<&[Run]>) -> PyResult<()> {
    let wrong = match runs.map(|runs| (runs.first(), runs.last())) {
        None => return Ok(()),
        Some((Some(first), Some(last))) if start <= first.0 && last.1 <= end => return Ok(()),
        Some((Some(first), _)) if first.0 < start => format!("token {}", first.0),
        Some((_, Some(last))) => format!("token {}", last.1 - 1),
        Some(_) => "an empty set of tokens".to_owned(),
    };
    let message = format!("it has {wrong}; tokens must lie between the bounds, ends exclusive");
    Err(PyValueError::new_err(message))
}

/// Types by number. Types mostly are few objects, so an object that was seen is not looked at again.
#[derive(Default)]
struct Types {
    names: Interner<str>,
    /// The reference keeps the object alive, so that its address cannot come to mean another string.
    objects: HashMap<usize, (Py<PyAny>, u32), RandomState>,
}

/// Objects that are kept; programs that make a new object for each type have more.
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

/// Adds the tokens of a span, a collection of int.
pub(crate) trait PushTokens {
    fn extend(&mut self, bounds: (i64, i64), tokens: &Bound<'_, PyAny>) -> PyResult<()>;
}

impl PushTokens for TokenSets {
    fn extend(&mut self, (start, end): (i64, i64), tokens: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut numbers = Vec::new();
        let mut within = true;
        for token in tokens.try_iter()? {
            let token: i64 = token?.extract()?;
            within &= start <= token && token < end;
            numbers.push(token);
        }
        let set = tokens.is_instance_of::<PySet>() || tokens.is_instance_of::<PyFrozenSet>();
        // So many different ones between the bounds are all of them.
        if set && within && end.checked_sub(start) == Some(numbers.len() as i64) {
            self.push_whole();
            return Ok(());
        }
        if numbers.contains(&i64::MAX) {
            return Err(PyValueError::new_err("a token is beyond all numbers"));
        }
        numbers.sort_unstable();
        self.push((start, end), numbers);
        Ok(())
    }
}
