//! Features from Python, in the forms that python-crfsuite accepts.
//!
//! | token | features |
//! |---|---|
//! | `{"word": "Ada"}` | `word:Ada` with the value 1 |
//! | `{"length": 3, "upper": True}` | `length` with the value 3, `upper` with the value 1 |
//! | `{"around": {"-1": "by"}}`, `{"around": ["-1:by"]}` | `around:-1:by` with the value 1 |
//! | `["word:Ada", "upper"]`, or a set or another iterable | `word:Ada` and `upper` with the value 1 |
//!
//! Names may also be bytes in UTF-8. The pieces of a name are written to one buffer for the whole sequence.

use std::ptr::null_mut;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyIterator, PyList, PyString, PyTuple};
use pyo3::{Borrowed, ffi};
use spanrs::crf::NamedFeatures;

use super::items::{is_set, unicode};
use crate::error::{Error, Result};
use crate::py_sequence::{BorrowedSlices, ascii_text, is_direct, prefetch_string};

/// Deepest nesting of dicts in a token.
const NESTING: usize = 100;
/// Largest number of features for which memory is reserved before they are read.
const MAX_RESERVED: usize = 1 << 14;

/// Appends the features of the tokens of a sequence to `features`. Values must be finite unless `any_value`.
pub(super) fn read_features(
    sequence: &Bound<'_, PyAny>,
    any_value: bool,
    features: &mut NamedFeatures,
) -> Result<()> {
    let mut reader = FeatureReader {
        features,
        any_value,
        prefix: String::new(),
        depth: 0,
    };
    let mut tokens = BorrowedSlices::new(sequence.py());
    let ahead = BorrowedSlices::new(sequence.py());
    for (at, token) in sequence.try_iter()?.enumerate() {
        let token = token?;
        if is_direct() {
            // SAFETY: the sequence is alive, and its items are used before Python code runs.
            unsafe {
                let tokens = tokens.items(sequence.as_ptr()).unwrap_or_default();
                ahead.prefetch_items(tokens, at);
                ahead.prefetch_objects(tokens, at);
            }
        }
        if reader.features.tokens() == 0 {
            // The tokens of a sequence usually have about as many features as the first one.
            let expected = len_of(sequence).saturating_mul(len_of(&token));
            reader.features.reserve(expected.min(MAX_RESERVED));
        }
        reader.token(&token)?;
        reader.features.end_token();
    }
    Ok(())
}

struct FeatureReader<'a> {
    features: &'a mut NamedFeatures,
    any_value: bool,
    /// The beginning of all names in the current nested collection, such as `around:`.
    prefix: String,
    /// Number of collections around the current one.
    depth: usize,
}

impl FeatureReader<'_> {
    /// Reads a token or a nested collection.
    fn token(&mut self, token: &Bound<'_, PyAny>) -> Result<()> {
        if let Ok(dict) = token.cast::<PyDict>() {
            self.dict(dict)
        } else if token.is_exact_instance_of::<PyList>() || token.is_exact_instance_of::<PyTuple>()
        {
            self.list(token)
        } else if is_set(token) {
            self.set(token.try_iter()?)
        } else if token.is_instance_of::<PyString>() {
            Err(Error::model(format!(
                "a token is {}, a string; features are a dict or a list of strings, and strings need a template",
                token.repr()?
            )))
        } else {
            let mut names = token.try_iter()?;
            names.try_for_each(|name| self.indicator(&name?))
        }
    }

    /// Reads the names in a list or tuple.
    fn list(&mut self, list: &Bound<'_, PyAny>) -> Result<()> {
        let mut slices = BorrowedSlices::new(list.py());
        // SAFETY: the list is alive. Reading a name runs no Python code unless it fails, which ends the loop.
        let items = unsafe { slices.items(list.as_ptr()) }.unwrap_or_default();
        items.iter().for_each(|&item| prefetch_string(item));
        for &item in items {
            // SAFETY: the item is alive, because the list has not changed.
            let name = unsafe { Borrowed::from_ptr(list.py(), item) };
            self.indicator(&name)?;
        }
        Ok(())
    }

    fn dict(&mut self, dict: &Bound<'_, PyDict>) -> Result<()> {
        let (mut position, mut key, mut value) = (0, null_mut(), null_mut());
        let mut read = 0;
        // SAFETY: the dict is alive, and the key and the value are alive until Python code runs, which may change the
        // dict. Reading an item with a plain value runs no Python code unless it fails, which ends the loop.
        while unsafe {
            ffi::PyDict_Next(
                dict.as_ptr(),
                &raw mut position,
                &raw mut key,
                &raw mut value,
            )
        } != 0
        {
            // SAFETY: both were just borrowed from the dict.
            let (key, value) = unsafe {
                (
                    Borrowed::from_ptr(dict.py(), key),
                    Borrowed::from_ptr(dict.py(), value),
                )
            };
            if !is_plain(&value) {
                // The value may run Python code when it is converted, so read the rest from a copy.
                return dict.items().iter().skip(read).try_for_each(|item| {
                    let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
                    self.item(&key, &value)
                });
            }
            self.item(&key, &value)?;
            read += 1;
        }
        Ok(())
    }

    /// Reads an item of a dict.
    #[inline]
    fn item(&mut self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> Result<()> {
        self.push_name(key)?;
        if let Some(text) = text_of(value)? {
            let name = self.features.name_mut();
            name.push(':');
            name.push_str(text);
            self.features.end_feature(1.0);
        } else if is_plain(value) {
            let number = self.number(value)?;
            self.features.end_feature(number);
        } else if is_collection(value) {
            self.nested(value)?;
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            let name = self.features.name_mut();
            name.push(':');
            name.push_str(utf8(bytes)?);
            self.features.end_feature(1.0);
        } else {
            let number = self.number(value)?;
            self.features.end_feature(number);
        }
        Ok(())
    }

    /// Reads a collection whose names begin with the name that was written.
    fn nested(&mut self, collection: &Bound<'_, PyAny>) -> Result<()> {
        self.depth += 1;
        if self.depth > NESTING {
            return Err(Error::model(format!(
                "features are nested more than {NESTING} deep"
            )));
        }
        let outer = std::mem::replace(&mut self.prefix, self.features.take_open_name() + ":");
        self.token(collection)?;
        self.prefix = outer;
        self.depth -= 1;
        Ok(())
    }

    /// Reads the names in a set, sorted, because sets are unordered but the attributes of a model are ordered.
    fn set(&mut self, keys: Bound<'_, PyIterator>) -> Result<()> {
        let mut names = Vec::new();
        for key in keys {
            self.push_name(&key?)?;
            names.push(self.features.take_open_name());
        }
        names.sort_unstable();
        for name in names {
            self.features.name_mut().push_str(&name);
            self.features.end_feature(1.0);
        }
        Ok(())
    }

    /// Reads a name in a list.
    #[inline]
    fn indicator(&mut self, name: &Bound<'_, PyAny>) -> Result<()> {
        self.push_name(name)?;
        self.features.end_feature(1.0);
        Ok(())
    }

    /// Writes the prefix and a key to the name of the next feature.
    #[inline]
    fn push_name(&mut self, key: &Bound<'_, PyAny>) -> Result<()> {
        let name = self.features.name_mut();
        if self.depth > 0 {
            name.push_str(&self.prefix);
        }
        if let Some(key) = text_of(key)? {
            name.push_str(key);
        } else if let Ok(key) = key.cast::<PyBytes>() {
            name.push_str(utf8(key)?);
        } else {
            return Err(not_a_name(key)?);
        }
        Ok(())
    }

    /// Converts the value of the feature whose name was written.
    #[inline]
    fn number(&self, value: &Bound<'_, PyAny>) -> Result<f64> {
        if let Ok(flag) = value.cast::<PyBool>() {
            return Ok(f64::from(u8::from(flag.is_true())));
        }
        let name = self.features.open_name();
        let number: f64 = value
            .extract()
            .map_err(|cause| not_a_value(name, value, cause))?;
        if !(self.any_value || number.is_finite()) {
            return Err(Error::model(format!(
                "feature {name:?} has the value {number}; values must be finite"
            )));
        }
        Ok(number)
    }
}

/// The length of a list or a dict, otherwise 0.
fn len_of(collection: &Bound<'_, PyAny>) -> usize {
    let list = collection.cast::<PyList>().map(PyListMethods::len);
    let dict = || collection.cast::<PyDict>().map(PyDictMethods::len);
    list.or_else(|_| dict()).unwrap_or_default()
}

/// The characters of a string; None for any other object.
#[inline(always)]
fn text_of<'a>(object: &'a Bound<'_, PyAny>) -> Result<Option<&'a str>> {
    // SAFETY: the object is alive as long as the reference.
    if let Some(text) = unsafe { ascii_text(object.as_ptr()) } {
        return Ok(Some(text));
    }
    object.cast::<PyString>().ok().map(unicode).transpose()
}

/// True if reading the value cannot run Python code.
#[inline]
fn is_plain(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PyString>()
        || value.is_exact_instance_of::<PyBool>()
        || value.is_exact_instance_of::<PyFloat>()
        || value.is_exact_instance_of::<PyInt>()
}

fn is_collection(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PyList>()
        || is_set(value)
        || value.is_instance_of::<PyTuple>()
}

fn utf8<'a>(bytes: &'a Bound<'_, PyBytes>) -> Result<&'a str> {
    std::str::from_utf8(bytes.as_bytes()).map_err(|_| Error::model("a feature is not UTF-8"))
}

/// The error for an invalid name.
#[cold]
fn not_a_name(key: &Bound<'_, PyAny>) -> PyResult<Error> {
    // A reference of its own, because `__repr__` may change the collection that contains the key.
    let key = key.clone();
    let message = format!(
        "the name of a feature is {}; it must be a string",
        key.repr()?
    );
    Ok(Error::model(message.as_str()).caused_by(PyTypeError::new_err(message)))
}

/// The error for an invalid value.
#[cold]
fn not_a_value(name: &str, value: &Bound<'_, PyAny>, cause: PyErr) -> Error {
    let kind = value.get_type().name().map(|name| name.to_string());
    let kind = kind.unwrap_or_default();
    let too_large = cause.is_instance_of::<PyOverflowError>(value.py());
    let message = match too_large {
        true => format!("the value of feature {name:?} is an {kind} that is too large for a float"),
        false => format!(
            "the value of feature {name:?} is of type {kind}; it must be a number, a bool, a string or a collection of these"
        ),
    };
    Error::model(message).caused_by(cause)
}
