//! Partial matching for lists of spans: the compiled part of `spanrs.compat.nervaluate`.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use spanrs::eval::TypeFilter;
use spanrs::eval::partial::{
    Matcher, Matching, Mode, ModeCounts, Place, count_modes, places_by_outcome,
};

use crate::error::{Error, Result};
use crate::span_lists::SpanLists;
use crate::stop;

/// nervaluate's matcher; `min_overlap` is the minimum overlap in per cent of the gold span.
fn matcher(min_overlap: f64) -> Matcher {
    Matcher::new(Matching::Greedy, min_overlap).with_watch(stop)
}

fn filter(keep: Option<Vec<String>>) -> TypeFilter {
    TypeFilter {
        keep,
        exclude: Vec::new(),
    }
}

/// The counts for all modes, over all spans and for each type that is kept and occurs.
#[pyfunction]
#[pyo3(signature = (gold, pred, keep, min_overlap, /))]
pub(crate) fn partial_count(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    keep: Option<Vec<String>>,
    min_overlap: f64,
) -> Result<(ModeCounts, BTreeMap<String, ModeCounts>)> {
    let (sides, filter) = ((&gold.0, &pred.0), filter(keep));
    Ok(py.detach(|| count_modes(sides, matcher(min_overlap), &filter, stop))?)
}

/// The correct, incorrect, partial, missed and spurious spans in a mode, of all types or of one
/// type.
#[pyfunction]
#[pyo3(signature = (gold, pred, keep, min_overlap, mode, type_name, /))]
pub(crate) fn partial_outcomes(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    keep: Option<Vec<String>>,
    min_overlap: f64,
    mode: usize,
    type_name: Option<&str>,
) -> Result<[Vec<Place>; 5]> {
    let mode = Mode::ALL.get(mode).copied();
    let mode = mode.ok_or_else(|| Error::value("mode is out of range"))?;
    let (sides, filter) = ((&gold.0, &pred.0), filter(keep));
    Ok(py.detach(|| {
        let matcher = matcher(min_overlap);
        places_by_outcome(sides, matcher, &filter, (mode, type_name), stop)
    })?)
}
