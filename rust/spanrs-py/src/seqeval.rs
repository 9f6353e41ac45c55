//! What `spanrs.compat.seqeval` needs beside the reader and the counter.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use spanrs_base::Vocabulary;
use spanrs_eval::{count_chunks, outcomes};
use spanrs_tags::{Chunks, Dialect, Reader, Reading, Scheme};

use crate::error::Result;
use crate::py_sequence::{ItemSlices, is_exact_list};
use crate::scorer::most_tags;
use crate::tags::batch;

/// Stands behind each sentence; no vocabulary grows as large.
const BORDER: u32 = u32::MAX;

/// A reader that only numbers tags.
fn numberer() -> Result<Reader> {
    let tags = Vocabulary::new(most_tags());
    let reader =
        Reader::with_vocabulary(tags, Scheme::Token, Reading::Conlleval, Dialect::default());
    Ok(reader?)
}

/// The ids of all tokens; with `borders`, one more behind each sentence.
fn flat(sentences: &Bound<'_, PyAny>, reader: &mut Reader, borders: bool) -> Result<Vec<u32>> {
    let mut all = Vec::new();
    batch(sentences, reader, |_, ids| {
        all.extend_from_slice(ids);
        all.extend(borders.then_some(BORDER));
        Ok(())
    })?;
    Ok(all)
}

fn names(tags: &Vocabulary) -> Vec<String> {
    tags.names().map(str::to_owned).collect()
}

fn inner(id: u32) -> Option<u32> {
    (id != BORDER).then_some(id)
}

/// True where both are a list or tuple of exact lists, not empty, and each list of one is as long as
/// that of the other.
#[pyfunction]
#[pyo3(signature = (gold, pred, /))]
pub(crate) fn same_shape(gold: &Bound<'_, PyAny>, pred: &Bound<'_, PyAny>) -> PyResult<bool> {
    let exact = |any: &Bound<'_, PyAny>| {
        any.is_exact_instance_of::<PyList>() || any.is_exact_instance_of::<PyTuple>()
    };
    if !(exact(gold) && exact(pred)) {
        return Ok(false);
    }
    let py = gold.py();
    let [mut gold_rows, mut pred_rows, mut one, mut other] = [(); 4].map(|()| ItemSlices::new(py));
    // SAFETY: both sides are alive and stay as they are: no Python code runs here. So do the rows they hold,
    // and what is asked of those is whether they are lists, and how long.
    unsafe {
        let golds = gold_rows.items(gold.as_ptr()).unwrap_or_default();
        let preds = pred_rows.items(pred.as_ptr()).unwrap_or_default();
        let alike = |at: usize| {
            one.prefetch_row(golds, at);
            other.prefetch_row(preds, at);
            is_exact_list(golds[at])
                && is_exact_list(preds[at])
                && one.items(golds[at]).map(<[_]>::len) == other.items(preds[at]).map(<[_]>::len)
        };
        Ok(!golds.is_empty() && golds.len() == preds.len() && (0..golds.len()).all(alike))
    }
}

/// Every distinct tag, in the order of first appearance.
#[pyfunction]
#[pyo3(signature = (sentences, /))]
pub(crate) fn distinct_tags(sentences: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    let mut reader = numberer()?;
    batch(sentences, &mut reader, |_, _| Ok(()))?;
    Ok(names(reader.tags()))
}

/// (type, first token, last token)
type Entity<'py> = (Bound<'py, PyString>, i64, i64);

/// The spans of seqeval's default mode, (type, first token, last token), of sentences with an `O`
/// between them; and every distinct tag.
#[pyfunction]
#[pyo3(signature = (sentences, suffix, /))]
pub(crate) fn seqeval_entities<'py>(
    sentences: &Bound<'py, PyAny>,
    suffix: bool,
) -> Result<(Vec<Entity<'py>>, Vec<String>)> {
    let py = sentences.py();
    let mut reader = numberer()?;
    let ids = flat(sentences, &mut reader, true)?;
    let chunks = Chunks::new(reader.tags(), suffix)?;
    let types: Vec<_> = chunks
        .types()
        .names()
        .map(|n| PyString::new(py, n))
        .collect();
    let mut walk = chunks.walk();
    let spans = ids.into_iter().filter_map(|id| walk.step(inner(id)));
    let spans = spans.map(|c| {
        let ty = types[c.ty as usize].clone();
        (ty, c.begin as i64, c.end as i64 - 1)
    });
    Ok((spans.collect(), names(reader.tags())))
}

/// Type to (gold, pred, both), counted in spans of seqeval's default mode, and every distinct tag, those
/// of gold first. Both sides have the same shape.
#[pyfunction]
#[pyo3(signature = (gold, pred, suffix, /))]
pub(crate) fn seqeval_counts<'py>(
    gold: &Bound<'py, PyAny>,
    pred: &Bound<'py, PyAny>,
    suffix: bool,
) -> Result<(Bound<'py, PyDict>, Vec<String>)> {
    let py = gold.py();
    let mut reader = numberer()?;
    let gold = flat(gold, &mut reader, true)?;
    let pred = flat(pred, &mut reader, true)?;
    let chunks = Chunks::new(reader.tags(), suffix)?;
    let type_counts = py.detach(|| {
        let pairs = gold.iter().zip(&pred);
        count_chunks(
            &chunks,
            pairs.map(|(gold, pred)| (inner(*gold), inner(*pred))),
        )
    });
    let types = PyDict::new(py);
    for (name, of_type) in chunks.types().names().zip(&type_counts) {
        types.set_item(name, (of_type.gold, of_type.pred, of_type.tp))?;
    }
    Ok((types, names(reader.tags())))
}

/// (tokens of gold, TP, FP, FN, TN) over the tokens of all sentences in one row, as far as both reach.
#[pyfunction]
#[pyo3(signature = (gold, pred, /))]
pub(crate) fn token_outcomes(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
) -> Result<(usize, u64, u64, u64, u64)> {
    let py = gold.py();
    let mut reader = numberer()?;
    let gold = flat(gold, &mut reader, false)?;
    let pred = flat(pred, &mut reader, false)?;
    let outside = reader.tags().get("O");
    let counts = py.detach(|| outcomes(outside, gold.iter().copied().zip(pred.iter().copied())));
    Ok((gold.len(), counts.tp, counts.fp, counts.fn_, counts.tn))
}
