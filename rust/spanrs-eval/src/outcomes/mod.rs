//! Outcomes of matching, counted in one table, and the measures computed from this table.
//!
//! Every matcher of gold and pred produces the same kind of result: the number of times that each
//! outcome occurred between a gold type and a pred type, in each document. [`Counts`] stores these
//! numbers for every matcher; a [`Schema`] defines the criteria of a matcher and their outcomes.
//! Counts are integers and can be merged in any order, so they can be computed in parts, stored
//! ([`Counts::to_bytes`]) and added later.
//!
//! Everything else is derived from summed counts. A [`Measure`] is one number, a [`Summary`] is the
//! usual table of one criterion, [`Counts::confusion`] returns a matrix of types, and
//! [`Counts::renamed`] returns the counts under other types. [`Systems`] aligns the documents of
//! several systems and resamples them, for any measure.

mod bytes;
mod counts;
mod error;
mod exact_sum;
mod long;
mod measure;
mod measure_options;
mod rename;
mod resample;
mod rows;
mod schema;
mod summary;

pub use counts::Counts;
pub use error::CountsError;
pub use long::{CellNames, DocumentCells};
pub use measure::{Average, Evaluator, Measure, Part, Prf, Ratio, Term};
pub use measure_options::MeasureOptions;
pub use resample::{Omission, Systems};
pub(crate) use resample::{ROUND, in_batches};
pub use rows::{Key, Row};
pub(crate) use schema::PRED_LABELLED;
pub use schema::{
    AMBIGUOUS_BOUNDS, Axis, CORPUS, Cell, CellId, Criterion, DIFFERING_TOKENS, Outcome,
    PlainCriterion, Schema, UNALIGNED_FILES,
};
pub use summary::{Amount, Outcomes, Pair, Score, Summary};
