//! Conversion of plain data: serde values from and to Python objects.
//!
//! Options and records of the core crates derive serde traits. A struct is read from a mapping or from the attributes
//! of an object, such as a named tuple; it is converted to an instance of its named tuple in Python
//! ([`crate::records`]), or to a dict if there is no named tuple. Bulk data (tags, ids, Arrow, arrays) is converted
//! elsewhere.

mod de;
mod ser;

use std::fmt;

use pyo3::Borrowed;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::{DeserializeOwned, Expected, Unexpected};

/// An argument or a result that serde converts.
pub(crate) struct Plain<T>(pub(crate) T);

impl<T: DeserializeOwned> FromPyObject<'_, '_> for Plain<T> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let value = de::Value::new(&object, "the value");
        Ok(Self(T::deserialize(value)?))
    }
}

impl<'py, T: Serialize> IntoPyObject<'py> for Plain<T> {
    type Target = PyAny;
    type Output = Bound<'py, PyAny>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Self::Output> {
        to_python(py, &self.0)
    }
}

/// The Python object of a value.
pub(crate) fn to_python<'py>(
    py: Python<'py>,
    value: &(impl Serialize + ?Sized),
) -> PyResult<Bound<'py, PyAny>> {
    Ok(value.serialize(ser::Serializer { py, frozen: false })?)
}

/// Why a value was not converted.
#[derive(Debug)]
enum Error {
    /// An exception.
    Raised(PyErr),
    /// A description of the expected value; only the caller knows the object.
    Expected(String),
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        match error {
            Error::Raised(error) => error,
            Error::Expected(expected) => PyTypeError::new_err(format!("expected {expected}")),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Raised(error) => error.fmt(f),
            Self::Expected(expected) => write!(f, "expected {expected}"),
        }
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        PyValueError::new_err(message.to_string()).into()
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::Expected(expected.to_string())
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        let known = known.join(", ");
        PyTypeError::new_err(format!(
            "there is no option {field:?}; the options are {known}"
        ))
        .into()
    }

    fn missing_field(field: &'static str) -> Self {
        PyTypeError::new_err(format!("the option {field:?} is missing")).into()
    }
}

impl serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        serde::de::Error::custom(message)
    }
}

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}
