//! Outcomes of matching, counted in one table.
//!
//! Whatever matches gold with pred finds the same thing: how often each outcome occurred between a gold type and a
//! pred type, in each document. [`Counts`] holds that for every matcher; a [`Schema`] names what a matcher asks and
//! what it may find. Counts are integers and merge in any order.

mod bytes;
mod counts;
mod error;
mod long;
mod measure;
mod rename;
mod resample;
mod rows;
mod schema;
mod summary;

pub use counts::{CellId, Counts};
pub use error::CountsError;
pub use long::{CellNames, DocumentCells};
pub use measure::{Average, Evaluator, Measure, Part, Prf, Ratio, Term};
pub use resample::{Omission, Systems};
pub use rows::{Key, Row};
pub(crate) use schema::PRED_LABELLED;
pub use schema::{
    Axis, CORPUS, Cell, Criterion, DIFFERING_TOKENS, Outcome, Schema, UNALIGNED_FILES,
};
pub use summary::{Outcomes, Pair, Score, Summary};
