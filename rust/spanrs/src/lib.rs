//! Evaluation of spans from Rust: whole-file jobs, and the crates they are built from.
//!
//! Score the tags of one column file against those of another:
//!
//! ```
//! # fn main() -> spanrs::Result<()> {
//! # let [gold, pred] = ["gold", "pred"].map(|side| {
//! #     std::path::PathBuf::from(format!("{}/../../examples/{side}.conll", env!("CARGO_MANIFEST_DIR")))
//! # });
//! let scored = spanrs::score_files(&gold, &pred, &spanrs::ScoreOptions::default())?;
//! let summary = scored.summary();
//! for (ty, outcomes) in &summary.types {
//!     let [precision, recall, f1] = outcomes.score.values;
//!     println!("{} {precision:.4} {recall:.4} {f1:.4}", scored.counts.type_name(*ty));
//! }
//! println!("micro F1 {:.4}", summary.all.score.values[2]);
//! # assert_eq!(scored.scheme, spanrs::tags::Scheme::Bio);
//! # Ok(())
//! # }
//! ```
//!
//! | job | functions |
//! |---|---|
//! | score | [`score_files`]; [`score`] with documents, alignment and progress; [`score_in_threads`]; [`score_source`], which detects schemes; [`score_readings`] |
//! | inspect | [`validate`], [`detect()`], [`errors()`], [`column_warnings`] |
//! | convert | [`convert()`] between schemes, [`spans()`] to JSON Lines, [`read_conll`] to a document |
//! | files of spans | [`span_files`] |
//! | documents with annotations | [`mat`] |
//! | trees in CoNLL-U | [`dep_files`] |
//! | CRFsuite's model files | [`from_crfsuite`], [`to_crfsuite`] |
//!
//! Column files are read once, in chunks, with one sentence in memory. The modules named after fields ([`tags`],
//! [`eval`], [`io`], [`crf`], [`dep`], [`compat`], [`base`]) are the crates without their prefix `spanrs-`.

pub use spanrs_base as base;
pub use spanrs_compat as compat;
pub use spanrs_crf as crf;
pub use spanrs_dep as dep;
pub use spanrs_eval as eval;
pub use spanrs_io as io;
pub use spanrs_tags as tags;

mod column_source;
mod convert;
mod crfsuite;
pub mod dep_files;
mod detect;
mod documents;
mod error;
mod errors;
mod file_warnings;
mod files;
pub mod mat;
mod pairs;
mod readings;
mod score;
mod score_parts;
mod sentence;
pub mod span_files;
mod spans;
mod validate;

pub use column_source::{ColumnSource, open_sides, score_source};
pub use convert::convert;
pub use crfsuite::{ConversionError, from_crfsuite, to_crfsuite};
pub use detect::{detect, gather};
pub use documents::read_conll;
pub use error::{Error, Result};
pub use errors::{ErrorKind, ErrorOptions, SpanError, SpanErrors, TypedSpan, errors};
pub use file_warnings::column_warnings;
pub use files::{FileScore, ScoreOptions, score_files};
pub use readings::score_readings;
pub use score::{Alignment, Notes, OnMisaligned, Rows, Sides, refuse_violations, score};
pub use score_parts::{PartedFile, score_in_threads};
pub use spans::spans;
pub use validate::{Report, validate};

use spanrs_base::Interval;

/// Called at intervals with the bytes read so far; returns false to stop the job.
pub type Progress<'a> = dyn FnMut(u64) -> bool + 'a;

/// Lines between two calls of a [`Progress`].
const LINES: usize = 1 << 15;

/// Calls a [`Progress`] every [`LINES`] lines.
pub(crate) struct Reporter<'a, 'w> {
    progress: &'a mut Progress<'w>,
    interval: Interval,
}

impl<'a, 'w> Reporter<'a, 'w> {
    pub(crate) fn new(progress: &'a mut Progress<'w>) -> Self {
        Self {
            progress,
            interval: Interval::new(LINES),
        }
    }

    /// Counts a line; `read` gives the bytes read so far.
    #[inline(always)]
    pub(crate) fn line(&mut self, read: impl FnOnce() -> u64) -> Result<()> {
        self.lines(1, read)
    }

    /// Counts several lines; see [`Reporter::line`].
    #[inline(always)]
    pub(crate) fn lines(&mut self, lines: u64, read: impl FnOnce() -> u64) -> Result<()> {
        if self.interval.passes(lines as usize) && !(self.progress)(read()) {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}
