//! Globals that the binding's libraries initialise on first use.

use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PySequence;

/// Loads NumPy's C API, the borrow checker of arrays, and the abstract base class used to check for sequences.
///
/// The first use would initialise them with the GIL released, and a process forked at that time would wait forever, so
/// callers that block forks initialise them first. The binding itself has no such globals.
#[pyfunction]
pub(crate) fn initialise_globals(py: Python<'_>) {
    let array = PyArray1::<f64>::zeros(py, 1, false);
    drop(array.readwrite());
    let _is_sequence = array.cast::<PySequence>().is_ok();
}
