//! Loading NumPy's C interface.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Loads NumPy's C interface and what counts the borrows of its arrays, which the first array does otherwise.
///
/// Threads wait for the one that loads it, and a process forked meanwhile would wait forever; a caller that forks are
/// kept away from can load it before.
#[pyfunction]
pub(crate) fn load_numpy(py: Python<'_>) {
    let array = PyArray1::<f64>::zeros(py, 1, false);
    drop(array.readwrite());
}
