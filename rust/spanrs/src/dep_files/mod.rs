//! Tagging, parsing and training on files.

mod annotate;
mod evaluate;
mod treebank;

pub use annotate::{AnnotateOptions, annotate};
pub use evaluate::evaluate;
pub use treebank::read_treebank;
