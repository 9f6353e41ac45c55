//! Spans of tags in any scheme and reading, and of ids.

use numpy::PyReadonlyArray1;
use std::ops::Range;

use pyo3::prelude::*;
use spanrs_base::Span;
use spanrs_eval::input::{Id, Sentences, bad_id, numbering};
use spanrs_tags::{Reader, Reading, Scheme, SideReader};

use crate::error::{Error, Result};
use crate::ids::{Ids, with_values};
use crate::nested_lists::NestedLists;
use crate::options::{PyDialect, reading, scheme_or_auto};
use crate::pause;
use crate::span_lists::{Held, SpanLists};

/// Scheme or `auto`, that of pred if it is named, reading, dialect.
type ReaderOptions = (String, Option<String>, String, PyDialect);

/// Gold and pred.
type Read = (SpanLists, SpanLists);

/// The ids of all sentences, one after the other, and how many there are up to the end of each.
#[derive(Default)]
struct Flat {
    ids: Vec<u32>,
    ends: Vec<usize>,
}

impl Flat {
    fn push(&mut self, ids: &[u32]) {
        self.ids.extend_from_slice(ids);
        self.ends.push(self.ids.len());
    }

    fn sentences(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.ids[start..end])
    }
}

/// The spans of both sides; those of a sentence whose tags are the same are read once.
fn read_both(gold: &Flat, pred: &Flat, reader: &Reader) -> Result<(SpanLists, SpanLists)> {
    let mut placed = Vec::new();
    let mut ranges = [Vec::new(), Vec::new()];
    let mut spans: Vec<Span> = Vec::new();
    let mut read = |at: usize, side: SideReader<'_>, sentence: &[u32]| -> Result<Range<u32>> {
        if reader.reading() == Reading::Refuse {
            let checked = side.check(sentence);
            checked.map_err(|error| Error::from(error).in_sentence(at))?;
        }
        spans.clear();
        side.spans_into(sentence, &mut spans);
        let first = placed.len() as u32;
        placed.extend(spans.iter().map(|span| Span {
            start: i64::from(span.start),
            end: i64::from(span.end),
            ty: span.ty,
        }));
        Ok(first..placed.len() as u32)
    };
    for (at, (gold, pred)) in gold.sentences().zip(pred.sentences()).enumerate() {
        let of_gold = read(at, reader.gold(), gold)?;
        let of_pred = if gold == pred && !reader.has_two_schemes() {
            of_gold.clone()
        } else {
            read(at, reader.pred(), pred)?
        };
        ranges[0].push(of_gold);
        ranges[1].push(of_pred);
        pause(at)?;
    }
    let types = reader.types().names().map(str::to_owned).collect();
    Ok(SpanLists::gold_and_pred(
        Held::new(placed, None, types),
        ranges,
    ))
}

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
    let (mut golds, mut preds) = (Flat::default(), Flat::default());
    NestedLists::new(gold, pred)?.ids(&mut reader, |gold, pred| {
        golds.push(gold);
        preds.push(pred);
    })?;
    py.detach(|| read_both(&golds, &preds, &reader))
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
    let (gold, pred) = with_values!(&gold, gold => with_values!(&pred, pred => {
        py.detach(|| number(gold, pred, &cut, &numbers, ignore_index))
    }))?;
    py.detach(|| read_both(&gold, &pred, &reader))
}

/// The reader's ids of the tokens that are not left out.
fn number<G: Id, P: Id>(
    gold: &[G],
    pred: &[P],
    cut: &[i64],
    numbers: &[u32],
    ignore: i64,
) -> Result<(Flat, Flat)> {
    let (mut g_flat, mut p_flat) = (Flat::default(), Flat::default());
    for (sentence, range) in Sentences::Lengths(cut).ranges().enumerate() {
        let pairs = gold[range.clone()].iter().zip(&pred[range]);
        for (token, (g, p)) in pairs.enumerate() {
            let exact = (g.exact(), p.exact());
            let (g, p) = (g.value(), p.value());
            if g == ignore {
                continue;
            }
            let ids = [
                ("gold", g, exact.0, &mut g_flat),
                ("pred", p, exact.1, &mut p_flat),
            ];
            for (side, id, exact, flat) in ids {
                let known = usize::try_from(id).ok().and_then(|id| numbers.get(id));
                let Some(&known) = known else {
                    return Err(bad_id(side, sentence, token, exact, numbers.len()).into());
                };
                flat.ids.push(known);
            }
        }
        g_flat.ends.push(g_flat.ids.len());
        p_flat.ends.push(p_flat.ids.len());
    }
    Ok((g_flat, p_flat))
}
