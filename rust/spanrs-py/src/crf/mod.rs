//! Conditional random fields: behind `spanrs.crf`.

mod crowd;
mod em;
mod items;
mod model;
mod observer;
mod options;
mod trainer;

pub(crate) use crowd::CrowdAnswers;
pub(crate) use em::CrowdCrf;
pub(crate) use items::CrfItems;
pub(crate) use model::CrfModel;
pub(crate) use trainer::CrfTrainer;

use pyo3::PyErr;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use spanrs_crf::{Error as CrfError, SequenceError, TemplateError};

use crate::error::Error;

/// An error of the core, with the index of the sequence where there is one.
pub(crate) fn crf(error: CrfError, sequence: Option<usize>) -> Error {
    if matches!(error, CrfError::Interrupted) {
        let raised = Python::attach(PyErr::take);
        return raised
            .unwrap_or_else(|| PyKeyboardInterrupt::new_err(()))
            .into();
    }
    let (class, code) = match &error {
        CrfError::File { .. } => ("ModelError", "damaged"),
        CrfError::Shape { .. } => ("AlignmentError", "shape"),
        CrfError::NotFinite | CrfError::Transition { .. } => ("ModelError", "not_finite"),
        CrfError::Labels { .. } => ("LimitError", "too_many_labels"),
        CrfError::Features { .. } => ("LimitError", "too_many_features"),
        CrfError::NBest { .. } => ("LimitError", "too_many_labellings"),
        CrfError::NoPath => ("ModelError", "no_labelling"),
        _ => ("ModelError", "bad_value"),
    };
    Error::Crf {
        class,
        message: error.to_string(),
        code,
        sequence,
    }
}

impl From<CrfError> for Error {
    fn from(error: CrfError) -> Self {
        crf(error, None)
    }
}

impl From<TemplateError> for Error {
    fn from(error: TemplateError) -> Self {
        Self::Template {
            message: error.to_string(),
            line: error.line,
            column: error.column,
        }
    }
}

/// An error of a sequence.
fn in_sequence((error, sequence): SequenceError) -> Error {
    crf(error, Some(sequence))
}

/// A wrong value in a sequence.
fn wrong(message: impl Into<String>) -> Error {
    Error::Crf {
        class: "ModelError",
        message: message.into(),
        code: "bad_value",
        sequence: None,
    }
}

/// (name, text) of each built-in template.
#[pyfunction]
pub(crate) fn crf_templates() -> Vec<(&'static str, String)> {
    let templates = spanrs_crf::Template::BUILTIN.into_iter();
    let text = |name| spanrs_crf::Template::builtin(name).map(|t| (name, t.text().to_string()));
    templates.filter_map(text).collect()
}
