//! Evaluation of trees.

use std::sync::Arc;

use pyo3::prelude::*;
use spanrs_base::Clock;
use spanrs_eval::dep::Options;

use super::treebank::open;
use crate::counts::Counts;
use crate::error::Result;
use crate::stop;

/// Compares the trees of two files; `documents` keeps a row for each sentence.
#[pyfunction]
#[pyo3(signature = (gold, pred, formats, subtypes, documents, /))]
pub(crate) fn dep_evaluate(
    py: Python<'_>,
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    formats: (Option<String>, Option<String>),
    subtypes: bool,
    documents: bool,
) -> Result<Counts> {
    let gold = open(gold, formats.0.as_deref())?;
    let pred = open(pred, formats.1.as_deref())?;
    let mut clock = Clock::new(stop);
    let options = Options { subtypes };
    let counts = py.detach(|| {
        spanrs_jobs::dep::evaluate(gold, pred, options, documents, || clock.stops())
    })?;
    Ok(Counts(Arc::new(counts)))
}
