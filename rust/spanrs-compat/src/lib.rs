//! Algorithms, file formats and result layouts that reproduce another tool, one module per tool.
//!
//! The general algorithms are in the other crates. This crate reproduces the behaviour of the named tool in all
//! details, including its errors; the Python packages in `spanrs.compat` are thin wrappers around it. docs/compare.md
//! lists intended differences.
//!
//! | module | tool | reproduced parts |
//! |---|---|---|
//! | [`conlleval`] | conlleval.pl and two ports | reading of columns, counts per type |
//! | [`seqeval`] | seqeval 1.2.2 | default mode for arbitrary tags, token counts |
//! | [`nervaluate`] | nervaluate 1.2.1 | loaders (the matching is [`spanrs_eval::partial`]) |
//! | [`faireval`] | FairEval | tables and confusion matrix (the matching is [`spanrs_eval::fair`]) |
//! | [`iobes`] | iobes 1.5.1 | reading and writing of single sentences |
//! | [`ncrfpp`] | NCRF++ | spans and counts of `utils/metric.py` |
//! | [`crfsuite`] | CRFsuite 0.12 | model file |
//!
//! The tests in the repository's `tests/` directory compare with recorded results of the tools on the same input.

pub mod conlleval;
pub mod crfsuite;
pub mod faireval;
pub mod iobes;
pub mod ncrfpp;
pub mod nervaluate;
pub mod seqeval;

use spanrs_tags::{Dialect, Reader, Reading, Result, Scheme};

/// Returns a reader that only numbers distinct tags, for tools that decode tags in their own way.
///
/// # Errors
/// None in practice: the scheme and the dialect are valid.
pub fn tag_numbering() -> Result<Reader> {
    Reader::new(Scheme::Token, Reading::Conlleval, Dialect::default())
}
