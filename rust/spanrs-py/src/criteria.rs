//! Criteria of matchers: the compiled part of `spanrs.eval.matchers`.

use pyo3::prelude::*;
use spanrs::eval::matcher_names;
use spanrs::eval::outcomes::PlainCriterion;
use spanrs::schema_of;

use crate::error::Result;
use crate::plain::Plain;

/// The criteria of a matcher, in order.
#[pyfunction]
#[pyo3(signature = (matcher, /))]
pub(crate) fn criteria(matcher: &str) -> Result<Plain<Vec<PlainCriterion>>> {
    Ok(Plain(schema_of(matcher)?.plain_criteria()))
}

/// Names of the matchers of tags and spans.
#[pyfunction]
pub(crate) fn matchers() -> Vec<&'static str> {
    matcher_names().collect()
}
