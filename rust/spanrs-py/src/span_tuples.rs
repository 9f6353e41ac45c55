//! Spans from Python: sequences of (type, start, end) and (type, start, end, tokens).

use std::collections::HashMap;

use foldhash::fast::RandomState;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyFrozenSet, PySet, PyString, PyTuple};
use spanrs_eval::Placed;
use spanrs_eval::fair::{Run, TokenSets};

use crate::error::{Error, Result};
use crate::lists::as_list_or_tuple;
use crate::pause;
use crate::span_lists::SpanLists;

/// The spans of both sides, a sequence of them for each sentence; with their tokens, where those are asked
/// for and a fourth item names them.
#[pyfunction]
#[pyo3(signature = (gold, pred, tokens, /))]
pub(crate) fn span_lists_of_tuples(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    tokens: bool,
) -> Result<(SpanLists, SpanLists)> {
    let (gold, pred) = (side("gold", gold, tokens)?, side("pred", pred, tokens)?);
    let (n, m) = (gold.count(), pred.count());
    if n != m {
        let message = format!("gold has {n} sentences, pred has {m}");
        return Err(Error::Shape {
            message,
            sentence: None,
        });
    }
    Ok((gold, pred))
}

fn side(name: &str, sentences: &Bound<'_, PyAny>, with_tokens: bool) -> Result<SpanLists> {
    let mut given = Given {
        with_tokens,
        ..Given::default()
    };
    let mut ends = Vec::new();
    for (at, sentence) in as_list_or_tuple(sentences)?.try_iter()?.enumerate() {
        for (number, span) in as_list_or_tuple(&sentence?)?.try_iter()?.enumerate() {
            let span = span?;
            let pushed = given.push(&span);
            pushed.map_err(|error| {
                locate(
                    error,
                    &span,
                    &format!("{name} sentence {at}, span {number}"),
                )
            })?;
            pause(given.placed.len())?;
        }
        ends.push(given.placed.len());
        pause(at)?;
    }
    Ok(if with_tokens {
        SpanLists::with_tokens(given.placed, given.tokens, &ends, given.types.names)
    } else {
        SpanLists::new(given.placed, &ends, given.types.names)
    })
}

/// What was read so far.
#[derive(Default)]
struct Given {
    placed: Vec<Placed>,
    tokens: TokenSets,
    with_tokens: bool,
    types: Names,
}

impl Given {
    fn push(&mut self, span: &Bound<'_, PyAny>) -> PyResult<()> {
        let copied;
        let tuple = match span.cast::<PyTuple>() {
            Ok(tuple) => tuple,
            Err(_) if span.is_instance_of::<PyString>() => return Err(no_span()),
            Err(_) => {
                copied = span.py().get_type::<PyTuple>().call1((span,))?;
                copied.cast::<PyTuple>()?
            }
        };
        if tuple.len() < 3 || self.with_tokens && tuple.len() > 4 {
            return Err(no_span());
        }
        let ty = self.types.number(&tuple.get_item(0)?)?;
        let (start, end): (u32, u32) =
            (tuple.get_item(1)?.extract()?, tuple.get_item(2)?.extract()?);
        if end <= start {
            let message = "it holds nothing; ends are exclusive and greater than starts";
            return Err(PyValueError::new_err(message));
        }
        let (start, end) = (i64::from(start), i64::from(end));
        self.placed.push(Placed { start, end, ty });
        if self.with_tokens {
            let given = match tuple.len() {
                3 => None,
                _ => Some(tuple.get_item(3)?).filter(|given| !given.is_none()),
            };
            match given {
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
struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The reference keeps the object alive, so that its address cannot come to mean another string.
    objects: HashMap<usize, (Py<PyAny>, u32), RandomState>,
}

/// Objects that are kept; programs that make a new object for each type have more.
const OBJECTS: usize = 1 << 12;

impl Names {
    fn number(&mut self, name: &Bound<'_, PyAny>) -> PyResult<u32> {
        let address = name.as_ptr() as usize;
        if let Some((_, number)) = self.objects.get(&address) {
            return Ok(*number);
        }
        let text: &str = name.cast::<PyString>()?.to_str()?;
        let number = match self.numbers.get(text) {
            Some(number) => *number,
            None => {
                let number = self.names.len() as u32;
                self.numbers.insert(text.to_owned(), number);
                self.names.push(text.to_owned());
                number
            }
        };
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
