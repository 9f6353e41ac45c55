//! Partial matching: behind `spanrs.partial` and `spanrs.compat.nervaluate`.

mod inputs;
mod loose;

use std::collections::BTreeMap;

use pyo3::prelude::*;
use spanrs_eval::Placed;
use spanrs_eval::partial::{Matcher, Matching, Mode, Outcome, PartialCounts, Row, Unmatched};

pub(crate) use inputs::{span_lists_of_ids, span_lists_of_tags};
pub(crate) use loose::{loose_conll, loose_dicts, loose_entities, loose_pairs, loose_tags};

use crate::error::{Error, Result};
use crate::span_lists::{Sides, SpanLists};
use crate::stop;

/// Correct, incorrect, partial, missed, spurious.
type RowTuple = (u64, u64, u64, u64, u64);

fn rows(rows: &[Row]) -> Vec<RowTuple> {
    rows.iter()
        .map(|r| (r.correct, r.incorrect, r.partial, r.missed, r.spurious))
        .collect()
}

/// (share of the gold span a pair needs, in per cent; optimal, not greedy)
type How = (f64, bool);

fn matcher((min_overlap, optimal): How) -> Matcher {
    let matching = if optimal {
        Matching::Optimal
    } else {
        Matching::Greedy
    };
    Matcher::new(matching, min_overlap).with_watch(stop)
}

/// Both sides without the types that are not kept.
fn kept<'a>(gold: &'a SpanLists, pred: &'a SpanLists, keep: Option<&[String]>) -> Sides<'a> {
    let kept = |name: &str| keep.is_none_or(|keep| keep.iter().any(|k| k == name));
    Sides::new(gold, pred, kept)
}

/// Matches document after document, and calls `matched` after each.
fn run(
    sides: &Sides<'_>,
    matcher: &mut Matcher,
    mut matched: impl FnMut(&Matcher, usize, &[Placed], &[Placed]),
) -> Result<()> {
    let mut failed = None;
    sides.run(|document, gold, pred| match matcher.run(gold, pred) {
        Ok(()) => {
            matched(matcher, document, gold, pred);
            true
        }
        Err(error) => {
            failed = Some((document, error));
            false
        }
    })?;
    match failed {
        None => Ok(()),
        Some((_, Unmatched::Stopped)) => Err(spanrs_jobs::Error::Stopped.into()),
        Some((sentence, error)) => Err(Error::Unmatched { sentence, error }),
    }
}

/// A row a mode: over all spans, and by type.
type CountsTuple = (Vec<RowTuple>, BTreeMap<String, Vec<RowTuple>>);

/// The counts of all modes: over all spans, and for each type that is kept and that a span has.
#[pyfunction]
#[pyo3(signature = (gold, pred, keep, how, /))]
pub(crate) fn partial_count(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    keep: Option<Vec<String>>,
    how: How,
) -> Result<CountsTuple> {
    py.detach(|| {
        let sides = kept(gold, pred, keep.as_deref());
        let mut counts = PartialCounts::default();
        let mut matcher = matcher(how);
        // Spans of sentences without a mistake, by type: the greater part of most corpora.
        let mut correct = vec![0; sides.types.len()];
        run(&sides, &mut matcher, |matcher, _, gold, pred| {
            if matcher.all_correct() {
                for span in gold {
                    correct[span.ty as usize] += 1;
                }
            } else {
                matcher.count(gold, pred, &mut counts);
            }
        })?;
        for (ty, n) in (0..).zip(correct) {
            counts.add_correct(ty, n);
        }
        let types = sides.types.iter().zip(&counts.types);
        let used = types.filter(|(_, modes)| **modes != <[Row; 4]>::default());
        let types = used.map(|(name, modes)| ((*name).to_owned(), rows(modes)));
        Ok((rows(&counts.overall), types.collect()))
    })
}

/// (document, span)
type Place = (usize, usize);

/// Which spans are correct, incorrect, partial, missed and spurious in a mode, over all spans or over
/// those of a type.
#[pyfunction]
#[pyo3(signature = (gold, pred, keep, how, mode, type_name, /))]
pub(crate) fn partial_outcomes(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    keep: Option<Vec<String>>,
    how: How,
    mode: usize,
    type_name: Option<&str>,
) -> Result<[Vec<Place>; 5]> {
    py.detach(|| {
        let mut lists: [Vec<Place>; 5] = Default::default();
        let sides = kept(gold, pred, keep.as_deref());
        let ty = type_name.map(|name| sides.types.iter().position(|known| *known == name));
        let (Some(&mode), false) = (Mode::ALL.get(mode), ty == Some(None)) else {
            return Ok(lists);
        };
        let ty = ty.flatten().map(|ty| ty as u32);
        let mut matcher = matcher(how).with_ties().only(mode, ty.is_some());
        run(&sides, &mut matcher, |matcher, document, gold, pred| {
            matcher.outcomes(gold, pred, mode, ty, |outcome, at| {
                let list = match outcome {
                    Outcome::Correct => 0,
                    Outcome::Incorrect => 1,
                    Outcome::Partial => 2,
                    Outcome::Missed => 3,
                    Outcome::Spurious => 4,
                };
                lists[list].push((document, at));
            });
        })?;
        Ok(lists)
    })
}
