//! Conversion of errors of the core crates to Python exceptions.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use spanrs::arrow::ColumnError;
use spanrs::base::{Coded, ErrorClass, Interrupted, UnknownName};
use spanrs::compat::{conlleval, nervaluate};
use spanrs::eval::input::InputError;
use spanrs::eval::outcomes::CountsError;
use spanrs::eval::{BadMatcher, BadSpan, ReadError, Unmatched};
use spanrs::io::UnknownSeparator;
use spanrs::tags::Error as TagsError;
use spanrs::{ConversionError, Error as JobError};

use crate::plain::to_python;

/// A Python exception, to which `?` converts the errors of the core crates.
#[derive(Debug)]
pub(crate) struct Error(PyErr);

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// The exception for an error, with its class, message, code and position.
    fn new(error: &impl Coded) -> Self {
        let raised = Python::attach(|py| raise(py, error));
        Self(raised.unwrap_or_else(|failed| failed))
    }

    /// Sets an attribute.
    fn with(self, name: &str, value: impl for<'py> IntoPyObject<'py>) -> Self {
        Python::attach(|py| match self.0.value(py).setattr(name, value) {
            Ok(()) => self,
            Err(failed) => Self(failed),
        })
    }

    /// Sets the cause.
    pub(crate) fn caused_by(self, cause: PyErr) -> Self {
        Python::attach(|py| self.0.set_cause(py, Some(cause)));
        self
    }

    /// A ValueError.
    pub(crate) fn value(message: impl Into<String>) -> Self {
        PyValueError::new_err(message.into()).into()
    }

    /// A ModelError about a value in a sequence.
    pub(crate) fn model(message: impl Into<String>) -> Self {
        spanrs::crf::Error::Input(message.into()).into()
    }

    /// An AlignmentError about sentences of gold and pred.
    pub(crate) fn shape(message: String, sentence: Option<usize>) -> Self {
        InputError::Shape { message, sentence }.into()
    }

    /// An error for spans of a sentence that cannot be matched, or for Ctrl-C.
    pub(crate) fn unmatched(sentence: usize, error: Unmatched) -> Self {
        InputError::Unmatched { sentence, error }.into()
    }

    /// Adds the index of the sentence to an error of spanrs that does not have one.
    pub(crate) fn in_sentence(self, at: usize) -> Self {
        self.in_item("sentence", at)
    }

    /// Like [`Error::in_sentence`], for a sequence of a CRF; the index is also stored as `sentence`.
    pub(crate) fn in_sequence(self, at: usize) -> Self {
        self.in_item("sequence", at)
    }

    /// Says in the message that the sequence is one of the development data.
    pub(crate) fn in_development(self) -> Self {
        let named = Python::attach(|py| {
            let value = self.0.value(py);
            let message = value.to_string();
            if message.starts_with("sequence ") {
                value.setattr("args", (format!("development {message}"),))?;
            }
            Ok(())
        });
        match named {
            Ok(()) => self,
            Err(failed) => Self(failed),
        }
    }

    fn in_item(self, kind: &str, at: usize) -> Self {
        let named = Python::attach(|py| {
            let value = self.0.value(py);
            let base = py.import("spanrs.errors")?.getattr("SpanrsError")?;
            let is_named = || {
                value
                    .getattr("sentence")
                    .is_ok_and(|known| !known.is_none())
            };
            if value.is_instance(&base)? && !is_named() {
                value.setattr("args", (format!("{kind} {at}: {value}"),))?;
                value.setattr("sentence", at)?;
            }
            Ok(())
        });
        match named {
            Ok(()) => self,
            Err(failed) => Self(failed),
        }
    }

    /// Sets an attribute to plain data.
    fn with_plain(self, name: &str, value: &impl Serialize) -> Self {
        match Python::attach(|py| to_python(py, value).map(Bound::unbind)) {
            Ok(value) => self.with(name, value),
            Err(failed) => Self(failed),
        }
    }

    /// Adds the violations listed in a tag error.
    fn listing_violations(self, error: &TagsError) -> Self {
        match error {
            TagsError::Malformed { violations, .. } => self
                .with("count", violations.len())
                .with_plain("violations", violations),
            _ => self,
        }
    }
}

fn raise(py: Python<'_>, error: &impl Coded) -> PyResult<PyErr> {
    let message = error.to_string();
    let class = match error.class() {
        ErrorClass::Format => "FormatError",
        ErrorClass::Scheme => "SchemeError",
        ErrorClass::Alignment => "AlignmentError",
        ErrorClass::Limit => "LimitError",
        ErrorClass::Model => "ModelError",
        ErrorClass::Value => return Ok(PyValueError::new_err(message)),
        ErrorClass::Type => return Ok(PyTypeError::new_err(message)),
        ErrorClass::Interrupted => {
            let raised = PyErr::take(py);
            return Ok(raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(())));
        }
    };
    let module = py.import("spanrs.errors")?;
    let value = module.getattr(class)?.call1((message,))?;
    value.setattr("code", error.code())?;
    if let Some(place) = error.position() {
        value.setattr("path", (!place.path.is_empty()).then_some(place.path))?;
        value.setattr("line", (place.line > 0).then_some(place.line))?;
        value.setattr("column", (place.column > 0).then_some(place.column))?;
    }
    if let Some(sentence) = error.sentence() {
        value.setattr("sentence", sentence)?;
    }
    Ok(PyErr::from_value(value))
}

/// Conversions through [`Coded`].
macro_rules! convert {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::new(&error)
            }
        })*
    };
}

convert!(
    BadSpan,
    ConversionError,
    CountsError,
    Interrupted,
    BadMatcher,
    UnknownName,
    UnknownSeparator,
    spanrs::eval::agreement::gamma::GammaError,
    spanrs::crf::Error,
    spanrs::crf::LexiconError,
    spanrs::crf::TemplateError,
    spanrs::dep::Error,
    spanrs::io::TextsDiffer,
    spanrs::io::ground::GroundError,
);

/// Conversions of errors of pyo3 and numpy.
macro_rules! convert_python {
    ($($error:ty),* $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self(error.into())
            }
        })*
    };
}

convert_python!(
    pyo3::CastError<'_, '_>,
    pyo3::CastIntoError<'_>,
    numpy::AsSliceError,
    std::convert::Infallible,
);

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Self(error)
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        error.0
    }
}

impl From<TagsError> for Error {
    fn from(error: TagsError) -> Self {
        Self::new(&error).listing_violations(&error)
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        let raised = Self::new(&error);
        match &error {
            InputError::Tags(tags) | InputError::TagsOf { error: tags, .. } => {
                raised.listing_violations(tags)
            }
            _ => raised,
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Tags {
                error: ref tags, ..
            } => Self::new(&error).listing_violations(tags),
            ReadError::Input(error) => error.into(),
        }
    }
}

impl From<ColumnError> for Error {
    fn from(error: ColumnError) -> Self {
        match error {
            ColumnError::Input(error) => error.into(),
            error => Self::new(&error),
        }
    }
}

impl From<nervaluate::Error> for Error {
    fn from(error: nervaluate::Error) -> Self {
        match error {
            nervaluate::Error::Tags(error) => error.into(),
            error => Self::new(&error),
        }
    }
}

impl From<conlleval::Error> for Error {
    fn from(error: conlleval::Error) -> Self {
        let raised = Self::new(&error);
        match &error {
            // As bytes, which need not be UTF-8.
            conlleval::Error::Few { line } => raised.with("text", line.as_slice()),
            _ => raised,
        }
    }
}

impl From<spanrs::io::Error> for Error {
    fn from(error: spanrs::io::Error) -> Self {
        let Some(source) = &error.source else {
            return Self::new(&error);
        };
        // An exception of a Python file object is raised unchanged.
        if let Some(raised) = source.get_ref().and_then(|e| e.downcast_ref::<PyErr>()) {
            return Self(Python::attach(|py| raised.clone_ref(py)));
        }
        // If an errno is given, Python chooses the subclass of OSError.
        let errno = source.raw_os_error().unwrap_or(match source.kind() {
            std::io::ErrorKind::IsADirectory => 21,
            _ => 5,
        });
        Self(PyOSError::new_err((
            errno,
            error.message,
            error.position.path,
        )))
    }
}

impl From<JobError> for Error {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Io(error) => error.into(),
            JobError::Input(error) => error.into(),
            JobError::Write(error) => Self(error.into()),
            JobError::Tags {
                error: ref tags, ..
            } => Self::new(&error).listing_violations(tags),
            JobError::Misaligned { ref pred, .. } => Self::new(&error)
                .with("other_path", pred.path.as_str())
                .with("other_line", pred.line),
            JobError::Malformed { ref violations, .. } => {
                let first = violations.first.iter();
                let first: Vec<_> = first.map(|located| &located.violation).collect();
                Self::new(&error)
                    .with_plain("violations", &first)
                    .with_plain("located", &violations.first)
                    .with("count", violations.count)
            }
            error => Self::new(&error),
        }
    }
}
