#![doc = include_str!("../README.md")]
//!
//! # Jobs
//!
//! | job | functions |
//! |---|---|
//! | score | [`score_paths`]; [`score()`] with more options; [`score_in_threads`]; [`score_column_files`], which detects schemes; [`score_readings`] |
//! | inspect | [`validate()`], [`detect()`], [`score_and_list`] for errors, [`column_warnings`] |
//! | convert | [`convert()`] between schemes, [`spans()`] to JSON Lines, [`ConllDocuments`] |
//! | files of spans | [`span_files`] |
//! | documents with annotations | [`mat`] |
//! | trees in CoNLL-U | [`dep_files`] |
//! | column files for CRFs | [`crf_files`] |
//! | counts of a matcher by name | [`schema_of`] |
//! | CRFs | [`CrfModel`], [`crf::Model::fit`]; [`from_crfsuite`], [`to_crfsuite`] for CRFsuite's model files |
//!
//! # Conventions
//!
//! The modules [`tags`], [`eval`], [`io`], [`crf`], [`dep`], [`compat`], [`base`], and `arrow`
//! (with the feature of that name) are the crates `spanrs-tags`, `spanrs-eval` and so on. This
//! crate adds no algorithms for scoring spans: a job reads rows with `io`, numbers tags and finds
//! spans with `tags`, counts with `eval`, and adds file and line to errors. Trees are compared in
//! this crate ([`dep_files`]), because the comparison reads files of trees and uses only the counts
//! of `eval`.
//!
//! All jobs on column files have the same form. They take rows ([`io::ColumnReader`]), which the
//! caller opens, a reader of tags ([`tags::Reader`]) or a scorer ([`eval::Scorer`]), which the
//! caller creates and keeps, and a [`Progress`]. Files are read once, in chunks, with one sentence
//! or a block of a few thousand tokens in memory; time is linear in the size of the file. Jobs run
//! in the calling thread, except for jobs that take a number of threads; this number does not
//! change the results.
//!
//! Warnings are returned as text for the user, not printed. The first error ends a job; the scorer
//! then contains the counts of the sentences before the error, and output written so far is
//! incomplete.

#[cfg(feature = "arrow")]
pub use spanrs_arrow as arrow;
pub use spanrs_base as base;
#[cfg(feature = "compat")]
pub use spanrs_compat as compat;
#[cfg(feature = "crf")]
pub use spanrs_crf as crf;
#[cfg(feature = "dep")]
pub use spanrs_dep as dep;
pub use spanrs_eval as eval;
pub use spanrs_io as io;
pub use spanrs_tags as tags;

mod column_files;
mod convert;
#[cfg(feature = "crf")]
pub mod crf_files;
#[cfg(feature = "crf")]
mod crf_model;
#[cfg(feature = "crf")]
mod crf_scheme;
#[cfg(feature = "crf")]
mod crf_spans;
#[cfg(all(feature = "compat", feature = "crf"))]
mod crfsuite;
#[cfg(feature = "dep")]
pub mod dep_files;
mod detect;
mod document_name;
#[cfg(feature = "documents")]
mod documents;
mod error;
mod error_list;
mod errors;
mod file_warnings;
mod files;
#[cfg(feature = "documents")]
pub mod mat;
mod pair_reader;
mod readings;
mod schemas;
mod score;
mod score_parts;
mod score_sink;
mod sentence;
mod sentences;
pub mod span_files;
mod spans;
mod tag_ids;
mod validate;

pub use column_files::{ColumnFile, ColumnFiles, score_column_files};
pub use convert::convert;
#[cfg(feature = "crf")]
pub use crf_model::{CrfModel, CrfModelError};
#[cfg(feature = "crf")]
pub use crf_scheme::scheme_constraint;
#[cfg(feature = "crf")]
pub use crf_spans::span_table;
#[cfg(all(feature = "compat", feature = "crf"))]
pub use crfsuite::{ConversionError, from_crfsuite, to_crfsuite};
pub use detect::{detect, gather};
#[cfg(feature = "documents")]
pub use documents::ConllDocuments;
pub use error::{Error, Result};
pub use error_list::{ErrorKind, SpanErrors};
pub use errors::{ErrorFinder, ErrorOptions};
pub use file_warnings::column_warnings;
pub use files::{FileScore, ScoreOptions, score_paths};
pub use pair_reader::{Alignment, OnMisaligned, Sides};
pub use readings::score_readings;
pub use schemas::schema_of;
pub use score::{Notes, refuse_violations, score, score_and_list};
pub use score_parts::{SplitFile, score_in_threads};
pub use score_sink::Rows;
pub use sentences::{SentenceChunk, SentenceReader, TaggedSentence};
pub use spans::spans;
pub use validate::{Report, validate};

use spanrs_base::Interval;

/// Called at intervals with the number of bytes read so far, after decompression, from all files of
/// the job; returns false to stop the job, which then returns [`Error::Stopped`].
///
/// The Python binding updates progress bars and handles signals in this function. The function is
/// called about every 16,384 to 32,768 lines, and always in the thread that started the job.
///
/// ```
/// use spanrs::io::{ColumnReader, Columns, LineReader};
/// let text = "a O\n".repeat(40_000);
/// let source = Box::new(std::io::Cursor::new(text));
/// let lines = LineReader::new("example", source, Default::default())?;
/// let rows = ColumnReader::new(lines, Columns::default())?;
/// let stopped = spanrs::detect(rows, &Default::default(), &mut |_read| false);
/// assert!(matches!(stopped, Err(spanrs::Error::Stopped)));
/// # Ok::<(), spanrs::Error>(())
/// ```
pub type Progress<'a> = dyn FnMut(u64) -> bool + 'a;

/// Calls a [`Progress`] after a chunk of a file.
///
/// # Errors
/// [`Error::Stopped`] if the function returns false.
pub(crate) fn report(progress: &mut Progress<'_>, rows: &io::ColumnReader) -> Result<()> {
    match progress(rows.bytes_read()) {
        true => Ok(()),
        false => Err(Error::Stopped),
    }
}

/// Number of lines between two calls of a [`Progress`].
const LINES: usize = 1 << 15;

/// Calls a [`Progress`] every [`LINES`] lines.
pub(crate) struct Reporter<'a, 'w> {
    /// The function that is called.
    progress: &'a mut Progress<'w>,
    /// Lines until the next call.
    interval: Interval,
}

impl<'a, 'w> Reporter<'a, 'w> {
    /// Creates a reporter that calls `progress` for the first time after [`LINES`] lines.
    pub(crate) fn new(progress: &'a mut Progress<'w>) -> Self {
        Self {
            progress,
            interval: Interval::new(LINES),
        }
    }

    /// Counts a line; `read` returns the number of bytes read so far and is called only when
    /// `progress` is called.
    ///
    /// # Errors
    /// [`Error::Stopped`] if the function returns false.
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
