//! Whole-file jobs: what the command line does, without the command line.
//!
//! Each job reads column files once, in chunks, and keeps one sentence in memory. They stand in a crate
//! of their own because they join reading files with tags and counting, which know nothing of each
//! other, and because the binding should hold no logic.

pub mod conlleval;
mod convert;
mod detect;
mod documents;
mod error;
pub mod fair;
mod file_warnings;
pub mod mat;
mod score;
mod sentence;
mod spans;
mod validate;

pub use convert::convert;
pub use detect::{detect, gather};
pub use documents::read_conll;
pub use error::{Error, Result};
pub use file_warnings::column_warnings;
pub use score::{Alignment, OnMisaligned, Sides, score};
pub use spans::spans;
pub use validate::{Report, validate};

/// Called now and then with the bytes read so far; answers false to stop the job.
pub type Watch<'a> = dyn FnMut(u64) -> bool + 'a;

/// Lines between two calls of a [`Watch`].
const PAUSE: u32 = 1 << 15;

/// Calls a [`Watch`] every so many lines.
pub(crate) struct Pace<'a, 'w> {
    watch: &'a mut Watch<'w>,
    lines: u32,
}

impl<'a, 'w> Pace<'a, 'w> {
    pub(crate) fn new(watch: &'a mut Watch<'w>) -> Self {
        Self { watch, lines: 0 }
    }

    /// Counts a line; `read` gives the bytes read so far.
    #[inline(always)]
    pub(crate) fn line(&mut self, read: impl FnOnce() -> u64) -> Result<()> {
        self.lines(1, read)
    }

    /// As [`Pace::line`] for so many.
    #[inline(always)]
    pub(crate) fn lines(&mut self, lines: u64, read: impl FnOnce() -> u64) -> Result<()> {
        self.lines = self.lines.saturating_add(lines as u32);
        if self.lines < PAUSE {
            return Ok(());
        }
        self.lines = 0;
        if (self.watch)(read()) {
            Ok(())
        } else {
            Err(Error::Stopped)
        }
    }
}
