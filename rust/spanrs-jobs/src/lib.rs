//! Whole-file jobs: what the command line does, without the command line.
//!
//! Each job reads column files once, in chunks, and keeps one sentence in memory. They stand in a crate
//! of their own because they join reading files with tags and counting, which know nothing of each
//! other, and because the binding should hold no logic.

mod convert;
mod detect;
mod error;
mod score;
mod sentence;
mod spans;
mod validate;

pub use convert::convert;
pub use detect::{detect, gather};
pub use error::{Error, Result};
pub use score::{Sides, score};
pub use spans::spans;
pub use validate::{Report, validate};

/// Called now and then with the bytes read so far; answers false to stop the job.
pub type Watch<'a> = dyn FnMut(u64) -> bool + 'a;

/// Sentences between two calls of a [`Watch`].
pub(crate) const PAUSE: u64 = 4096;
