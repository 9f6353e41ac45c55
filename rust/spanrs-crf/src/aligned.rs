//! Vectors that begin at a cache line.

use std::ops::{Deref, DerefMut};

/// Bytes of a cache line, and of the widest vector register.
const LINE: usize = 64;

/// A vector whose first value is at the begin of a cache line, so that whole vectors do not cross lines. A clone may be
/// placed otherwise, which costs only time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aligned<T> {
    values: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// A vector of zeros.
    pub(crate) fn new(len: usize) -> Self {
        let mut values = Self::default();
        values.resize(len);
        values
    }

    /// Changes the length; values are unspecified.
    pub(crate) fn resize(&mut self, len: usize) {
        let spare = LINE / size_of::<T>();
        if self.values.len() < len + spare {
            self.values = vec![T::default(); len + spare];
            self.start = self.values.as_ptr().align_offset(LINE).min(spare);
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
