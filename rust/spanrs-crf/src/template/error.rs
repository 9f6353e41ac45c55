//! The error of the template parser.

use spanrs_base::{Coded, ErrorClass, Position};

/// An error in the text of a template, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template line {line}, column {column}: {message}")]
pub struct TemplateError {
    /// Line, from 1. Comments and empty lines count.
    pub line: usize,
    /// Column in characters (Unicode scalar values, not bytes), from 1.
    pub column: usize,
    /// Description of the error and how to correct it, without a full stop.
    pub message: String,
}

impl Coded for TemplateError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        (ErrorClass::Format, "template")
    }

    fn position(&self) -> Option<Position> {
        Some(Position {
            path: String::new(),
            line: self.line as u64,
            column: self.column as u64,
        })
    }
}
