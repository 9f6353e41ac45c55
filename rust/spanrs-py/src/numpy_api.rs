//! Loading NumPy's C API.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Loads NumPy's C API and the borrow checker of arrays, as the first array would.
///
/// A process forked while another thread loads it would deadlock, so callers that hold off forks load it first.
#[pyfunction]
pub(crate) fn load_numpy(py: Python<'_>) {
    let array = PyArray1::<f64>::zeros(py, 1, false);
    drop(array.readwrite());
}
