//! iobes' readers and writers: the compiled part of `spanrs.compat.iobes`.
//!
//! iobes is called once per sentence, so the fixed cost of a call matters: decoded tags and created objects are kept
//! for the next call. Unusual input (other spans, tags that are not strings) is passed back to Python code, which
//! reproduces iobes for such input.

mod read;
mod write;

use std::sync::Mutex;

pub(crate) use read::IobesReader;
pub(crate) use write::IobesWriter;

use crate::locks::lock;

/// Maximum number of distinct tags or types kept between calls; if there are more, all are dropped.
const MOST_KEPT: usize = 1 << 14;

/// A value kept between calls. It is taken out during a call, so that code that runs meanwhile (a finaliser, another
/// thread) creates a new value instead of raising an error.
pub(super) struct Kept<T>(Mutex<Option<Box<T>>>);

impl<T> Kept<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(super) fn take(&self) -> Option<Box<T>> {
        lock(&self.0).take()
    }

    pub(super) fn put(&self, value: Box<T>) {
        let mut place = lock(&self.0);
        let before = place.replace(value);
        // The value is dropped after the lock is released: its destructor may run Python code that calls this function
        // again.
        drop(place);
        drop(before);
    }
}
