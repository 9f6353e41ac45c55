//! Tagging and dependency parsing: behind `spanrs.dep`.

mod evaluate;
mod model;
mod train;
mod treebank;

pub(crate) use evaluate::dep_evaluate;
pub(crate) use model::{DepModel, dep_templates};
pub(crate) use train::{dep_jackknife, dep_train_parser, dep_train_published, dep_train_tagger};
pub(crate) use treebank::{SyntaxFile, Treebank};

use pyo3::PyErr;
use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use spanrs_dep::Error as DepError;

use crate::error::Error;

impl From<DepError> for Error {
    fn from(error: DepError) -> Self {
        dep(error)
    }
}

/// An error of the core.
fn dep(error: DepError) -> Error {
    let (class, code) = match &error {
        DepError::Interrupted => {
            let raised = Python::attach(PyErr::take);
            let raised = raised.unwrap_or_else(|| PyKeyboardInterrupt::new_err(()));
            return raised.into();
        }
        DepError::Template { line, .. } => {
            return Error::Template {
                message: error.to_string(),
                line: *line,
                column: 0,
            };
        }
        DepError::Training(message) => return PyValueError::new_err(message.clone()).into(),
        DepError::File(_) => ("ModelError", "damaged"),
        DepError::Tree(_) | DepError::Sentence { .. } => ("FormatError", "tree"),
    };
    Error::Crf {
        class,
        message: error.to_string(),
        code,
        sequence: None,
    }
}
