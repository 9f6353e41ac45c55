//! Tagging, parsing and training on files of sentences.
//!
//! | job | function | input | output |
//! |---|---|---|---|
//! | train | [`read_treebank`], then [`crate::dep`] | CoNLL-U, CoNLL-X, four columns | treebank in memory |
//! | tag and parse | [`annotate()`], for each block of a file | also word/TAG, tokens and raw text | CoNLL-U |
//! | evaluate | [`evaluate()`] | CoNLL-U, CoNLL-X, four columns | counts |
//!
//! Blocks of whole sentences come from [`crate::io::SyntaxChunks`]. Trees are checked when they are read: heads exist,
//! there is no cycle, and the number of roots is allowed. In the format with four columns, the root may also be written
//! as the position after the last word, as in parser.py.

mod annotate;
mod compare;
mod evaluate;
mod raw_text;
mod schema;
mod segment;
mod treebank;
mod words;

pub use annotate::{AnnotateOptions, annotate};
pub use evaluate::{EvaluateOptions, evaluate};
pub use raw_text::read_paragraphs;
pub use schema::SCHEMA;
pub use segment::document_name;
pub use treebank::{Trees, read_treebank};
