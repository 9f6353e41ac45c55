//! Whole-file jobs: what the command line does, without the command line.
//!
//! Each job reads column files once, in chunks, and keeps one sentence in memory. They stand in a crate
//! of their own because they join reading files with tags and counting, which know nothing of each
//! other, and because the binding should hold no logic.

pub mod conlleval;
mod convert;
pub mod dep;
mod detect;
mod documents;
mod error;
mod errors;
mod file_warnings;
pub mod mat;
mod pairs;
mod readings;
mod score;
mod score_parts;
mod sentence;
pub mod span_files;
mod spans;
mod validate;

pub use convert::convert;
pub use detect::{detect, gather};
pub use documents::read_conll;
pub use error::{Error, Result};
pub use errors::{ErrorKind, ErrorOptions, SpanError, SpanErrors, TypedSpan, errors};
pub use file_warnings::column_warnings;
pub use readings::score_readings;
pub use score::{Alignment, OnMisaligned, Rows, Sides, score};
pub use score_parts::{PartedFile, score_in_threads};
pub use spans::spans;
pub use validate::{Report, validate};

use spanrs_base::Interval;

/// Called now and then with the bytes read so far; answers false to stop the job.
pub type Progress<'a> = dyn FnMut(u64) -> bool + 'a;

/// Lines between two calls of a [`Progress`].
const LINES: usize = 1 << 15;

/// Calls a [`Progress`] every so many lines.
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

    /// As [`Reporter::line`] for so many.
    #[inline(always)]
    pub(crate) fn lines(&mut self, lines: u64, read: impl FnOnce() -> u64) -> Result<()> {
        if self.interval.passes(lines as usize) && !(self.progress)(read()) {
            return Err(Error::Stopped);
        }
        Ok(())
    }
}
