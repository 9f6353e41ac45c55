//! seqeval's default mode and shape checks: the compiled part of `spanrs.compat.seqeval`.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use spanrs::base::Vocabulary;
use spanrs::compat::seqeval::{EntityReader, TokenOutcomes, Tokens};
use spanrs::compat::tag_numbering;
use spanrs::tags::Reader;

use crate::error::Result;
use crate::py_sequence::{BorrowedSlices, is_exact_list};
use crate::tags::batch;

/// The tag ids of all sentences.
fn tokens(sentences: &Bound<'_, PyAny>, reader: &mut Reader) -> Result<Tokens> {
    let mut tokens = Tokens::default();
    batch(sentences, reader, |_, ids| {
        tokens.push(ids);
        Ok(())
    })?;
    Ok(tokens)
}

/// The tag ids of all sentences, without separators.
fn flat(sentences: &Bound<'_, PyAny>, reader: &mut Reader) -> Result<Vec<u32>> {
    let mut all = Vec::new();
    batch(sentences, reader, |_, ids| {
        all.extend_from_slice(ids);
        Ok(())
    })?;
    Ok(all)
}

fn names(tags: &Vocabulary) -> Vec<String> {
    tags.names().map(str::to_owned).collect()
}

/// True if both are a list or tuple of exact lists, not empty, and corresponding lists have the same length.
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
    let [mut gold_rows, mut pred_rows, mut one, mut other] =
        [(); 4].map(|()| BorrowedSlices::new(py));
    // SAFETY: both sides and their rows are alive and unchanged, because no Python code runs here. Only the types and
    // lengths of the rows are read.
    unsafe {
        let golds = gold_rows.items(gold.as_ptr()).unwrap_or_default();
        let preds = pred_rows.items(pred.as_ptr()).unwrap_or_default();
        let alike = |at: usize| {
            one.prefetch_sentence(golds, at);
            other.prefetch_sentence(preds, at);
            is_exact_list(golds[at])
                && is_exact_list(preds[at])
                && one.items(golds[at]).map(<[_]>::len) == other.items(preds[at]).map(<[_]>::len)
        };
        Ok(!golds.is_empty() && golds.len() == preds.len() && (0..golds.len()).all(alike))
    }
}

/// Every distinct tag, in order of first appearance.
#[pyfunction]
#[pyo3(signature = (sentences, /))]
pub(crate) fn distinct_tags(sentences: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    let mut reader = tag_numbering()?;
    batch(sentences, &mut reader, |_, _| Ok(()))?;
    Ok(names(reader.tags()))
}

/// (type, first token, last token)
type EntityTuple<'py> = (Bound<'py, PyString>, i64, i64);

/// The spans of seqeval's default mode as (type, first token, last token), where sentences are joined with an `O` in
/// between, and every distinct tag.
#[pyfunction]
#[pyo3(signature = (sentences, suffix, /))]
pub(crate) fn seqeval_entities<'py>(
    sentences: &Bound<'py, PyAny>,
    suffix: bool,
) -> Result<(Vec<EntityTuple<'py>>, Vec<String>)> {
    let py = sentences.py();
    let mut tags = tag_numbering()?;
    let tokens = tokens(sentences, &mut tags)?;
    let reader = EntityReader::new(tags.tags(), suffix)?;
    let types: Vec<_> = reader
        .types()
        .names()
        .map(|n| PyString::new(py, n))
        .collect();
    let spans = reader.entities(&tokens).map(|span| {
        let ty = types[span.ty as usize].clone();
        (ty, span.begin as i64, span.end as i64 - 1)
    });
    Ok((spans.collect(), names(tags.tags())))
}

/// Counts (gold, pred, both) of spans of seqeval's default mode by type, and every distinct tag, gold tags first. Both
/// sides must have the same shape.
#[pyfunction]
#[pyo3(signature = (gold, pred, suffix, /))]
pub(crate) fn seqeval_counts<'py>(
    gold: &Bound<'py, PyAny>,
    pred: &Bound<'py, PyAny>,
    suffix: bool,
) -> Result<(Bound<'py, PyDict>, Vec<String>)> {
    let py = gold.py();
    let mut tags = tag_numbering()?;
    let (gold, pred) = (tokens(gold, &mut tags)?, tokens(pred, &mut tags)?);
    let reader = EntityReader::new(tags.tags(), suffix)?;
    let counts = py.detach(|| reader.count(&gold, &pred));
    let types = PyDict::new(py);
    for (name, of_type) in reader.types().names().zip(&counts) {
        types.set_item(name, (of_type.gold, of_type.pred, of_type.tp))?;
    }
    Ok((types, names(tags.tags())))
}

/// (gold tokens, TP, FP, FN, TN) over the tokens of all sentences, up to the end of the shorter side.
#[pyfunction]
#[pyo3(signature = (gold, pred, /))]
pub(crate) fn token_outcomes(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
) -> Result<(usize, u64, u64, u64, u64)> {
    let py = gold.py();
    let mut tags = tag_numbering()?;
    let (gold, pred) = (flat(gold, &mut tags)?, flat(pred, &mut tags)?);
    let outside = tags.tags().get("O");
    let counts = py.detach(|| TokenOutcomes::count(outside, &gold, &pred));
    Ok((gold.len(), counts.tp, counts.fp, counts.fn_, counts.tn))
}
