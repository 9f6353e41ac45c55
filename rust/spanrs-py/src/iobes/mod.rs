//! iobes' readers and writers: behind `spanrs.compat.iobes`.
//!
//! iobes is called once a sentence, so what a call costs beside its tokens decides: what was decoded or
//! made in one call is kept for the next. Whatever is out of the ordinary (odd spans, tags that are no
//! strings) is handed back to Python, whose code says what iobes does with it.

mod read;
mod write;

use std::sync::{Mutex, PoisonError};

pub(crate) use read::IobesReader;
pub(crate) use write::IobesWriter;

/// Distinct tags or types that are kept from call to call; with more of them all is forgotten.
const MOST_KEPT: usize = 1 << 14;

/// What one call leaves to the next one. Taken out while a call works with it, so that code that runs in
/// between (a finaliser, another thread) finds nothing and makes its own, instead of an error.
pub(super) struct Kept<T>(Mutex<Option<Box<T>>>);

impl<T> Kept<T> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(None))
    }

    pub(super) fn take(&self) -> Option<Box<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn put(&self, value: Box<T>) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = place.replace(value);
        // What is dropped may run Python code, which may come here again: not under the lock.
        drop(place);
        drop(before);
    }
}
