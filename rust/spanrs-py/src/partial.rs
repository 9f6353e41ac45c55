//! Partial matching: behind `spanrs.partial` and `spanrs.compat.nervaluate`.

mod inputs;

use std::collections::BTreeMap;

use pyo3::prelude::*;
use spanrs_eval::partial::{Found, Matcher, Matching, Mode};
use spanrs_eval::{Scorer, TypeFilter};

pub(crate) use inputs::{span_lists_of_ids, span_lists_of_tags};

use crate::error::{Error, Result};
use crate::span_lists::{Sides, SpanLists};
use crate::stop;

/// Correct, incorrect, partial, missed, spurious.
type RowTuple = [u64; 5];
/// A row for each [`Mode`].
type Modes = [RowTuple; Mode::ALL.len()];

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

/// The counts of all modes: over all spans, and for each type that is kept and that a span has.
#[pyfunction]
#[pyo3(signature = (gold, pred, keep, how, /))]
pub(crate) fn partial_count(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    keep: Option<Vec<String>>,
    how: How,
) -> Result<(Modes, BTreeMap<String, Modes>)> {
    py.detach(|| {
        let filter = TypeFilter {
            keep,
            exclude: Vec::new(),
        };
        let sides = Sides::new(gold, pred, |name| filter.counts(name));
        let mut scorer = Scorer::new(Box::new(matcher(how)), 0);
        let mut cells = scorer.type_cells();
        let name = |ty: u32| sides.types[ty as usize].to_owned();
        sides.run(|document, pair| {
            let added = scorer.add_spans(&pair, &mut cells, &name);
            added.map_err(|error| Error::unmatched(document, error))
        })?;
        scorer.flush_spans(&mut cells, &name);
        let counts = scorer.span_counts();
        let (mut overall, mut types) = (Modes::default(), BTreeMap::<String, Modes>::new());
        for (id, cell) in (0..).zip(counts.cells()) {
            let lane = usize::from(cell.criterion);
            let modes = match cell.gold.or(cell.pred) {
                _ if lane >= 2 * overall.len() => continue,
                None => &mut overall,
                Some(ty) => types.entry(counts.type_name(ty).to_owned()).or_default(),
            };
            modes[lane % Mode::ALL.len()][usize::from(cell.outcome)] += counts.total(id);
        }
        Ok((overall, types))
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
        let kept = |name: &str| {
            keep.as_ref()
                .is_none_or(|keep| keep.iter().any(|k| k == name))
        };
        let sides = Sides::new(gold, pred, kept);
        let ty = type_name.map(|name| sides.types.iter().position(|known| *known == name));
        let (Some(&mode), false) = (Mode::ALL.get(mode), ty == Some(None)) else {
            return Ok(lists);
        };
        let ty = ty.flatten().map(|ty| ty as u32);
        let mut matcher = matcher(how).only(mode, ty.is_some());
        spanrs_eval::Matcher::resolve_ties(&mut matcher);
        sides.run(|document, pair| {
            let (gold, pred) = (pair.gold.all, pair.pred.all);
            let matched = matcher.run(gold, pred);
            matched.map_err(|error| Error::unmatched(document, error))?;
            matcher.outcomes(gold, pred, mode, ty, |found: Found, at| {
                lists[found as usize].push((document, at));
            });
            Ok(())
        })?;
        Ok(lists)
    })
}
