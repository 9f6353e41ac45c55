//! Spans of tags in any scheme and reading, and of ids.

use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use spanrs_eval::input::{Sentences, numbering};
use spanrs_eval::{SpanLists as Core, TagSentences};
use spanrs_tags::{Reader, Scheme};

use crate::error::{Error, Result};
use crate::ids::{Ids, with_values};
use crate::nested_lists::NestedLists;
use crate::options::{PyDialect, reading, scheme_or_auto};
use crate::span_lists::SpanLists;
use crate::stop;

/// Scheme or `auto`, that of pred if it is named, reading, dialect.
type ReaderOptions = (String, Option<String>, String, PyDialect);

/// Gold and pred.
type Read = (SpanLists, SpanLists);

fn shape(message: String, sentence: Option<usize>) -> Error {
    Error::Shape { message, sentence }
}

/// A reader in these schemes, which are known by now; what has no tag but `O` can be read in any.
fn reader_of((scheme, pred_scheme, read_as, dialect): ReaderOptions) -> Result<Reader> {
    let scheme = scheme_or_auto(&scheme)?.unwrap_or(Scheme::Bio);
    let reader = Reader::new(scheme, reading(&read_as)?, dialect.checked()?)?;
    match pred_scheme.as_deref().map(scheme_or_auto).transpose()? {
        Some(Some(pred_scheme)) => Ok(reader.with_pred_scheme(pred_scheme)?),
        _ => Ok(reader),
    }
}

/// Spans of sequences of sequences of tags.
#[pyfunction]
#[pyo3(signature = (gold, pred, options, /))]
pub(crate) fn span_lists_of_tags(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    options: ReaderOptions,
) -> Result<Read> {
    let mut reader = reader_of(options)?;
    let py = gold.py();
    let (mut golds, mut preds) = (TagSentences::default(), TagSentences::default());
    NestedLists::new(gold, pred)?.ids(&mut reader, |gold, pred| {
        golds.push(gold);
        preds.push(pred);
    })?;
    let read = py.detach(|| Core::of_tags(&golds, &preds, &reader, stop));
    Ok(SpanLists::both(read?))
}

/// Spans of arrays of ids. `lengths` cuts arrays of one dimension into sentences.
#[pyfunction]
#[pyo3(signature = (gold, pred, vocabulary, ignore_index, lengths, options, /))]
pub(crate) fn span_lists_of_ids(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
    vocabulary: Vec<String>,
    ignore_index: i64,
    lengths: Option<PyReadonlyArray1<'_, i64>>,
    options: ReaderOptions,
) -> Result<Read> {
    let mut reader = reader_of(options)?;
    let py = gold.py();
    let (gold, pred) = (Ids::extract(gold)?, Ids::extract(pred)?);
    let (sentences, tokens) = gold.shape()?;
    if gold.shape()? != pred.shape()? {
        let (n, m) = pred.shape()?;
        let message =
            format!("gold is {sentences} by {tokens} (sentences by tokens), pred {n} by {m}");
        return Err(shape(message, None));
    }
    let cut: Vec<i64> = match &lengths {
        None => vec![tokens as i64; sentences],
        Some(_) if sentences != 1 => {
            let message = "lengths are for arrays of one dimension";
            return Err(shape(message.to_owned(), None));
        }
        Some(lengths) => lengths.as_slice().map_err(PyErr::from)?.to_vec(),
    };
    let (sum, ids) = (
        cut.iter().map(|&n| i128::from(n)).sum::<i128>(),
        sentences * tokens,
    );
    if sum != ids as i128 || cut.iter().any(|&n| n < 0) {
        let message = format!("lengths add up to {sum}, but there are {ids} ids a side");
        return Err(shape(message, None));
    }
    let numbers = numbering(&vocabulary, &mut reader)?;
    let cut = Sentences::Lengths(&cut);
    let [gold, pred] = with_values!(&gold, gold => with_values!(&pred, pred => {
        py.detach(|| TagSentences::of_ids(gold, pred, cut, &numbers, ignore_index))
    }))?;
    let read = py.detach(|| Core::of_tags(&gold, &pred, &reader, stop));
    Ok(SpanLists::both(read?))
}
