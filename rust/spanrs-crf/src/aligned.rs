//! Vectors aligned to cache lines, for the tables of label scores.
//!
//! Rows of `f64` are padded to multiples of 64 bytes, so if the first row begins at a cache line,
//! all rows do, and no vector load crosses a cache line boundary. The alignment needs no unsafe
//! code: the allocation has room for one extra cache line, and the vector begins at the first
//! multiple of 64 bytes in it.

use std::ops::{Deref, DerefMut};

/// Size in bytes of a cache line and of the widest vector register.
const CACHE_LINE: usize = 64;

/// A vector whose first value is at the beginning of a cache line.
///
/// Only speed depends on the alignment. A clone copies the offset, not the address, so the clone
/// may be unaligned until it is next enlarged.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aligned<T> {
    /// The allocation: `start` unused values, the vector, and unused values.
    values: Vec<T>,
    /// Index of the first value that is at the beginning of a cache line.
    start: usize,
    /// Number of values in the vector.
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// A vector of default values (zeros).
    pub(crate) fn new(len: usize) -> Self {
        let mut values = Self::default();
        values.resize(len);
        values
    }

    /// Changes the length. Values are unspecified (left over from earlier use, or zeros), so the
    /// caller must overwrite all values. The allocation is replaced only if it is too small.
    pub(crate) fn resize(&mut self, len: usize) {
        let spare = CACHE_LINE / size_of::<T>();
        if self.values.len() < len + spare {
            self.values = vec![T::default(); len + spare];
            self.start = self.values.as_ptr().align_offset(CACHE_LINE).min(spare);
        }
        self.len = len;
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.values[self.start..][..self.len]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.values[self.start..][..self.len]
    }
}

impl<T: PartialEq> PartialEq for Aligned<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}
