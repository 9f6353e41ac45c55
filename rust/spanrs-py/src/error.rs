//! The one place where errors of the core crates become Python exceptions.

use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError, PyTypeError};
use pyo3::prelude::*;
use spanrs::Error as JobError;
use spanrs_arrow::ColumnError;
use spanrs_base::{Interrupted, Position};
use spanrs_eval::input::InputError;
use spanrs_eval::{ReadError, Side, Unmatched};
use spanrs_tags::Error as TagsError;

use crate::options::violation_tuple;

/// Everything the binding can fail with.
#[derive(Debug)]
pub(crate) enum Error {
    Python(PyErr),
    Tags(TagsError),
    /// The same in one of several sentences.
    TagsIn {
        sentence: usize,
        error: TagsError,
    },
    /// The same of one side.
    TagsOf {
        side: Side,
        error: TagsError,
    },
    Job(JobError),
    /// Gold and pred in memory do not match; with the index of the sentence.
    Shape {
        message: String,
        sentence: Option<usize>,
    },
    /// An exception of `spanrs.errors` by its class; with the index of the sentence.
    Coded {
        class: &'static str,
        message: String,
        code: &'static str,
        sentence: Option<usize>,
    },
    /// Spans of a sentence that partial matching refuses.
    Unmatched {
        sentence: usize,
        error: Unmatched,
    },
    /// A model, its file or its input; with the index of the sequence.
    Crf {
        class: &'static str,
        message: String,
        code: &'static str,
        sequence: Option<usize>,
    },
    /// A feature template that cannot be read.
    Template {
        message: String,
        line: usize,
        column: usize,
    },
}

impl Error {
    /// Counts that cannot be merged, renamed, loaded or compared.
    pub(crate) fn counts(message: String, code: &'static str) -> Self {
        let class = match code {
            "damaged" => "FormatError",
            "too_many_values" => "LimitError",
            "documents" => "AlignmentError",
            _ => "SchemeError",
        };
        Self::Coded {
            class,
            message,
            code,
            sentence: None,
        }
    }

    /// Spans of a sentence that cannot be matched, or Ctrl-C.
    pub(crate) fn unmatched(sentence: usize, error: Unmatched) -> Self {
        match error {
            Unmatched::Stopped => Self::Job(JobError::Stopped),
            error => Self::Unmatched { sentence, error },
        }
    }

    /// Names the sequence, where a model's input is the trouble.
    pub(crate) fn in_sequence(self, at: usize) -> Self {
        match self {
            Self::Crf {
                class,
                message,
                code,
                sequence: None,
            } => Self::Crf {
                class,
                message,
                code,
                sequence: Some(at),
            },
            other => other,
        }
    }

    /// Names the sentence, where tags are the trouble.
    pub(crate) fn in_sentence(self, sentence: usize) -> Self {
        match self {
            Self::Tags(error) => Self::TagsIn { sentence, error },
            other => other,
        }
    }
}

pub(crate) type Result<T> = std::result::Result<T, Error>;

impl From<PyErr> for Error {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

impl From<TagsError> for Error {
    fn from(error: TagsError) -> Self {
        Self::Tags(error)
    }
}

impl From<JobError> for Error {
    fn from(error: JobError) -> Self {
        Self::Job(error)
    }
}

impl From<InputError> for Error {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Shape { message, sentence } => Self::Shape { message, sentence },
            InputError::UnknownId { message } => Self::Coded {
                class: "SchemeError",
                message,
                code: "unknown_id",
                sentence: None,
            },
            InputError::Tags(error) => Self::Tags(error),
            InputError::TagsOf { side, error } => Self::TagsOf { side, error },
            InputError::Unmatched { sentence, error } => Self::unmatched(sentence, error),
            InputError::Interrupted => Self::Job(JobError::Stopped),
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Input(error) => error.into(),
            ReadError::Tags { sentence, error } => Self::TagsIn { sentence, error },
        }
    }
}

impl From<Interrupted> for Error {
    fn from(_: Interrupted) -> Self {
        Self::Job(JobError::Stopped)
    }
}

impl From<ColumnError> for Error {
    fn from(error: ColumnError) -> Self {
        match error {
            ColumnError::Type(message) => PyTypeError::new_err(message).into(),
            ColumnError::Format {
                message,
                code,
                sentence,
            } => Self::Coded {
                class: "FormatError",
                message,
                code,
                sentence,
            },
            ColumnError::Input(error) => error.into(),
        }
    }
}

impl From<spanrs_io::Error> for Error {
    fn from(error: spanrs_io::Error) -> Self {
        Self::Job(JobError::Io(error))
    }
}

impl From<Error> for PyErr {
    fn from(error: Error) -> Self {
        Python::attach(|py| raise(py, error).unwrap_or_else(|failed| failed))
    }
}

fn raise(py: Python<'_>, error: Error) -> PyResult<PyErr> {
    match error {
        Error::Python(error) => Ok(error),
        Error::Tags(error) => tags(py, &error, None),
        Error::TagsOf { side, error } => {
            let raised = tags(py, &error, None)?;
            let message = format!("{}: {error}", side.name());
            raised.value(py).setattr("args", (message,))?;
            Ok(raised)
        }
        Error::TagsIn { sentence, error } => {
            let raised = tags(py, &error, None)?;
            let value = raised.value(py);
            value.setattr("args", (format!("sentence {sentence}: {error}"),))?;
            value.setattr("sentence", sentence)?;
            Ok(raised)
        }
        Error::Shape { message, sentence } => {
            make_in(py, "AlignmentError", &message, "shape", sentence)
        }
        Error::Coded {
            class,
            message,
            code,
            sentence,
        } => make_in(py, class, &message, code, sentence),
        Error::Unmatched { sentence, error } => {
            let message = format!("sentence {sentence}: {error}");
            make_in(py, "LimitError", &message, "too_many_pairs", Some(sentence))
        }
        Error::Crf {
            class,
            message,
            code,
            sequence,
        } => {
            let message = match sequence {
                Some(at) => format!("sequence {at}: {message}"),
                None => message,
            };
            make_in(py, class, &message, code, sequence)
        }
        Error::Template {
            message,
            line,
            column,
        } => {
            let raised = make(py, "FormatError", &message, "template", None)?;
            raised.value(py).setattr("line", line)?;
            raised.value(py).setattr("column", column)?;
            Ok(raised)
        }
        Error::Job(error) => job(py, error),
    }
}

fn job(py: Python<'_>, error: JobError) -> PyResult<PyErr> {
    let text = error.to_string();
    match error {
        JobError::Io(error) => io(py, error),
        JobError::Tags { position, error } => {
            let raised = tags(py, &error, Some(&position))?;
            raised.value(py).setattr("args", (text,))?;
            Ok(raised)
        }
        JobError::Misaligned { gold, pred, .. } => {
            let error = make(py, "AlignmentError", &text, "misaligned", Some(&gold))?;
            error.value(py).setattr("other_path", pred.path)?;
            error.value(py).setattr("other_line", pred.line)?;
            Ok(error)
        }
        JobError::Stacked { position, .. } => {
            make(py, "FormatError", &text, "stacked_tags", Some(&position))
        }
        JobError::Malformed {
            path, violations, ..
        } => {
            let first = violations.first.first();
            let place = first
                .filter(|first| first.line > 0)
                .map(|first| Position::line(&path, first.line));
            let error = make(py, "SchemeError", &text, "malformed", place.as_ref())?;
            if let (None, Some(first)) = (&place, first) {
                error.value(py).setattr("sentence", first.sentence)?;
            }
            let all: Vec<_> = violations
                .first
                .iter()
                .map(|located| (located.line, violation_tuple(&located.violation)))
                .collect();
            error.value(py).setattr("located", all)?;
            error.value(py).setattr("count", violations.count)?;
            Ok(error)
        }
        JobError::Unmatched { position, .. } => {
            make(py, "LimitError", &text, "too_many_pairs", Some(&position))
        }
        JobError::Write(error) => Ok(error.into()),
        JobError::Stopped => {
            Ok(PyErr::take(py).unwrap_or_else(|| PyKeyboardInterrupt::new_err(())))
        }
    }
}

fn io(py: Python<'_>, error: spanrs_io::Error) -> PyResult<PyErr> {
    let place = error.position.clone();
    if let Some(source) = &error.source {
        // A PyErr that came up through a Python file object goes on as itself.
        if let Some(inner) = source.get_ref().and_then(|e| e.downcast_ref::<PyErr>()) {
            return Ok(inner.clone_ref(py));
        }
        // Given an errno, Python picks FileNotFoundError, IsADirectoryError and so on by itself.
        let errno = source.raw_os_error().unwrap_or(match source.kind() {
            std::io::ErrorKind::IsADirectory => 21,
            _ => 5,
        });
        return Ok(PyOSError::new_err((errno, error.message, place.path)));
    }
    let class = if error.code.is_limit() {
        "LimitError"
    } else {
        "FormatError"
    };
    make(
        py,
        class,
        &error.to_string(),
        error.code.name(),
        Some(&place),
    )
}

fn tags(py: Python<'_>, error: &TagsError, place: Option<&Position>) -> PyResult<PyErr> {
    let class = match error {
        TagsError::TooMany { .. } | TagsError::TooManyTags(_) => "LimitError",
        _ => "SchemeError",
    };
    let raised = make(py, class, &error.to_string(), error.code(), place)?;
    if let TagsError::Malformed { violations, .. } = error {
        let all: Vec<_> = violations.iter().map(violation_tuple).collect();
        raised.value(py).setattr("count", all.len())?;
        raised.value(py).setattr("_violations", all)?;
    }
    Ok(raised)
}

/// An exception of `spanrs.errors` about a sentence.
fn make_in(
    py: Python<'_>,
    class: &str,
    message: &str,
    code: &str,
    sentence: Option<usize>,
) -> PyResult<PyErr> {
    let error = make(py, class, message, code, None)?;
    if let Some(sentence) = sentence {
        error.value(py).setattr("sentence", sentence)?;
    }
    Ok(error)
}

/// An exception of `spanrs.errors`.
fn make(
    py: Python<'_>,
    class: &str,
    message: &str,
    code: &str,
    place: Option<&Position>,
) -> PyResult<PyErr> {
    let value = py
        .import("spanrs.errors")?
        .getattr(class)?
        .call1((message,))?;
    value.setattr("code", code)?;
    if let Some(place) = place {
        value.setattr("path", &place.path)?;
        value.setattr("line", (place.line > 0).then_some(place.line))?;
        value.setattr("column", (place.column > 0).then_some(place.column))?;
    }
    Ok(PyErr::from_value(value))
}
