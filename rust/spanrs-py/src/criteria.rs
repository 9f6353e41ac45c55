//! Criteria of matchers: the compiled part of `spanrs.eval.matchers`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use spanrs::eval::matcher_names;
use spanrs::schema_of;

use crate::error::Result;

/// One criterion of a matcher.
#[pyclass(frozen, get_all, module = "spanrs._spanrs")]
pub(crate) struct Criterion {
    /// Its index among the criteria of the matcher.
    index: u8,
    /// Its name.
    name: &'static str,
    /// Names of its outcomes.
    outcomes: Py<PyTuple>,
    /// For each outcome its weights as (TP, FP, FN).
    weights: Py<PyTuple>,
    /// Name of the criterion used for measures per type.
    per_type: &'static str,
    /// Name of the criterion that defines support (TP + FN).
    support: &'static str,
    /// Index of the criterion whose cells it shares; usually its own.
    cells: u8,
    /// Whether types can be renamed without matching again.
    renames: bool,
}

/// The criteria of a matcher by name, in order.
#[pyfunction]
#[pyo3(signature = (matcher, /))]
pub(crate) fn criteria<'py>(py: Python<'py>, matcher: &str) -> Result<Bound<'py, PyDict>> {
    let schema = schema_of(matcher)?;
    let name_of = |index: Option<u8>, own| {
        index.map_or(own, |index| schema.criteria[usize::from(index)].name)
    };
    let found = PyDict::new(py);
    for (index, criterion) in (0..).zip(schema.criteria) {
        let outcomes = criterion.outcomes;
        let weights = outcomes.iter().map(|outcome| outcome.weights.into());
        let weights = weights.collect::<Vec<(f64, f64, f64)>>();
        let criterion = Criterion {
            index,
            name: criterion.name,
            outcomes: PyTuple::new(py, outcomes.iter().map(|outcome| outcome.name))?.unbind(),
            weights: PyTuple::new(py, weights)?.unbind(),
            per_type: name_of(criterion.per_type, criterion.name),
            support: name_of(criterion.support, criterion.name),
            cells: criterion.cells_of.unwrap_or(index),
            renames: criterion.renames,
        };
        found.set_item(criterion.name, Py::new(py, criterion)?)?;
    }
    Ok(found)
}

/// Names of the matchers of tags and spans.
#[pyfunction]
pub(crate) fn matchers() -> Vec<&'static str> {
    matcher_names().collect()
}
