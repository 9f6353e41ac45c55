//! Column files and conditional random fields: models trained on files, and files with new tags.
//!
//! ```text
//! tokens    --tag-->    tokens and tags
//! Ada                   Ada B-PER
//! wrote                 wrote O
//! ```
//!
//! A template reads the tokens as its column 0 and *extra* columns of the file, in the order in
//! which they are specified, as columns 1, 2, ….

mod fit;
mod sentences;
mod tag;

use spanrs_crf::Columns;
use spanrs_io::{ChunkSentence, Column, ColumnReader};

use crate::error::Result;

pub use fit::fit;
pub use sentences::{TaggedSentences, read_tagged};
pub use tag::{TagOptions, TagReport, tag};

/// Key of MISC for the probability of a tag in CoNLL-U.
pub const PROBABILITY_KEY: &str = "TagProbability";

/// Adds the extra columns of a template to the columns that are read with each token.
///
/// # Errors
/// Same as [`ColumnReader::add_column`], with the number of the column in the template.
fn add_columns(rows: &mut ColumnReader, extra: &[Column]) -> Result<()> {
    for (at, column) in extra.iter().enumerate() {
        rows.add_column(column).map_err(|mut error| {
            error.message = format!(
                "{}; it is column {} of the template: specify the right column with --feature-column",
                error.message,
                at + 1
            );
            error
        })?;
    }
    Ok(())
}

/// Appends the input of a template in a sentence: the tokens and `extra` additional columns.
fn push_sentence(columns: &mut Columns, sentence: &ChunkSentence<'_>, extra: usize) {
    for token in 0..sentence.len() {
        columns.value(sentence.token_text(token));
        (0..extra).for_each(|at| columns.value(sentence.extra_text(token, at)));
        // Every token has a value, and the same number of values as the previous token.
        let ended = columns.end_token();
        debug_assert!(ended.is_ok());
    }
    columns.end();
}
