//! What exists only to equal a replaced tool, one module per tool.
//!
//! The general machinery is in the other crates. Here are the algorithms, file formats and layouts of results whose
//! details, errors included, are those of the named tool. docs/compare.md lists where the results differ.

pub mod conlleval;
pub mod crfsuite;
pub mod faireval;
pub mod iobes;
pub mod ncrfpp;
pub mod nervaluate;
pub mod seqeval;

use spanrs_tags::{Dialect, Reader, Reading, Result, Scheme};

/// A reader used only to number the distinct tags of a tool that decodes them in its own way.
///
/// # Errors
/// None in practice: the scheme and the dialect are valid.
pub fn tag_numbering() -> Result<Reader> {
    Reader::new(Scheme::Token, Reading::Conlleval, Dialect::default())
}
