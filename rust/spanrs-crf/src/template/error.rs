use spanrs_base::{Coded, ErrorClass, Position};

/// An error in the text of a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("template line {line}, column {column}: {message}")]
pub struct TemplateError {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// What is wrong and how to correct it.
    pub message: String,
}

impl Coded for TemplateError {
    fn class(&self) -> ErrorClass {
        ErrorClass::Format
    }

    fn code(&self) -> &'static str {
        "template"
    }

    fn position(&self) -> Option<Position> {
        Some(Position {
            path: String::new(),
            line: self.line as u64,
            column: self.column as u64,
        })
    }
}
