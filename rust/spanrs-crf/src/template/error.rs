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
