//! Evaluation of trees.

use std::sync::Arc;

use pyo3::prelude::*;
use spanrs::base::Clock;
use spanrs::dep::Roots;
use spanrs::dep_files::EvaluateOptions;

use super::treebank::open;
use crate::counts::Counts;
use crate::error::Result;
use crate::files::SourceArgument;
use crate::stop;

/// Compares the trees in two files. With `documents`, the counts have a row for each sentence.
#[pyfunction]
#[pyo3(signature = (gold, pred, any_roots, subtypes, documents, /))]
pub(crate) fn dep_evaluate(
    py: Python<'_>,
    gold: SourceArgument,
    pred: SourceArgument,
    any_roots: bool,
    subtypes: bool,
    documents: bool,
) -> Result<Counts> {
    let (gold, pred) = (open(py, &gold, None, false)?, open(py, &pred, None, false)?);
    let mut clock = Clock::new(stop);
    let options = EvaluateOptions {
        subtypes,
        roots: if any_roots { Roots::Many } else { Roots::One },
        documents,
    };
    let counts =
        py.detach(|| spanrs::dep_files::evaluate(gold, pred, options, || clock.stops()))?;
    Ok(Counts(Arc::new(counts)))
}
