//! Partial matching: behind `spanrs.partial` and `spanrs.compat.nervaluate`.

mod inputs;
mod loose;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use spanrs_eval::partial::{Matcher, Matching, Mode, Outcome, PartialCounts, Placed, Row};

pub(crate) use inputs::{partial_ids, partial_spans, partial_tags};
pub(crate) use loose::{loose_conll, loose_dicts, loose_entities, loose_pairs, loose_tags};

use crate::error::Result;

/// The spans of one side, document after document.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SpanLists {
    held: Arc<Held>,
    /// One a document: where its spans are.
    ranges: Vec<Range<u32>>,
}

/// Spans of one side, or of two of which many are the same.
struct Held {
    spans: Vec<Placed>,
    /// Names of the types that occur, by number, sorted.
    types: Vec<String>,
}

/// (type, start, end)
type SpanTuple<'a> = (&'a str, i64, i64);
type Documents<'a> = Vec<Vec<SpanTuple<'a>>>;

#[pymethods]
impl SpanLists {
    /// The types that spans have, sorted; those of both sides where they were read together.
    fn types(&self) -> Vec<&str> {
        self.held.types.iter().map(|name| &**name).collect()
    }

    /// All spans, a list for each document.
    fn documents(&self) -> Documents<'_> {
        (0..self.ranges.len())
            .map(|at| {
                let tuple = |s: &Placed| (&*self.held.types[s.ty as usize], s.start, s.end);
                self.document(at).iter().map(tuple).collect()
            })
            .collect()
    }

    fn __len__(&self) -> usize {
        self.ranges.len()
    }

    /// How to make the same again, for copies and pickles.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Documents<'_>,))> {
        let make = py.import("spanrs._spanrs")?.getattr("span_lists")?;
        Ok((make, (self.documents(),)))
    }
}

/// One side, from what [`SpanLists::documents`] gave.
#[pyfunction]
#[pyo3(signature = (documents, /))]
pub(crate) fn span_lists(documents: Vec<Vec<(String, i64, i64)>>) -> SpanLists {
    let mut types: Vec<String> = Vec::new();
    let (mut spans, mut ends) = (Vec::new(), Vec::new());
    let mut numbers = BTreeMap::new();
    for document in documents {
        for (ty, start, end) in document {
            let ty = *numbers.entry(ty).or_insert_with_key(|ty: &String| {
                types.push(ty.clone());
                types.len() as u32 - 1
            });
            spans.push(Placed { start, end, ty });
        }
        ends.push(spans.len());
    }
    SpanLists::new(spans, &ends, types)
}

impl SpanLists {
    fn document(&self, at: usize) -> &[Placed] {
        let range = &self.ranges[at];
        &self.held.spans[range.start as usize..range.end as usize]
    }

    /// The spans of all documents, one after the other, and how many there are up to the end of each.
    fn new(spans: Vec<Placed>, ends: &[usize], types: Vec<String>) -> Self {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let ranges = starts.zip(ends);
        Self {
            ranges: ranges
                .map(|(start, &end)| start as u32..end as u32)
                .collect(),
            held: Arc::new(Held::new(spans, types)),
        }
    }

    fn gold_and_pred(held: Held, ranges: [Vec<Range<u32>>; 2]) -> (Self, Self) {
        let held = Arc::new(held);
        let [gold, pred] = ranges.map(|ranges| Self {
            held: Arc::clone(&held),
            ranges,
        });
        (gold, pred)
    }
}

impl Held {
    /// Numbers the types that occur anew, in the order of their names: sides of the same types can be
    /// compared as they are.
    fn new(mut spans: Vec<Placed>, types: Vec<String>) -> Self {
        let mut used = vec![false; types.len()];
        for span in &spans {
            used[span.ty as usize] = true;
        }
        let mut names: Vec<(String, usize)> = types.into_iter().zip(0..).collect();
        names.retain(|&(_, old)| used[old]);
        names.sort_unstable();
        let mut new = vec![0; used.len()];
        for (number, &(_, old)) in (0..).zip(&names) {
            new[old] = number;
        }
        for span in &mut spans {
            span.ty = new[span.ty as usize];
        }
        Self {
            spans,
            types: names.into_iter().map(|(name, _)| name).collect(),
        }
    }
}

/// Gold and pred with their types numbered alike, and some types left out.
struct Sides<'a> {
    gold: &'a SpanLists,
    pred: &'a SpanLists,
    /// By number, sorted, so that numbers are in the order of the names.
    types: Vec<&'a str>,
    numbers: [Vec<Option<u32>>; 2],
}

impl<'a> Sides<'a> {
    fn new(gold: &'a SpanLists, pred: &'a SpanLists, keep: Option<&[String]>) -> Self {
        let all = [gold, pred]
            .map(|side| &side.held.types)
            .into_iter()
            .flatten();
        let kept = |name: &&str| keep.is_none_or(|keep| keep.iter().any(|k| k == name));
        let names: BTreeSet<&str> = all.map(|name| &**name).filter(kept).collect();
        let numbers: BTreeMap<&str, u32> = names.iter().copied().zip(0..).collect();
        let number = |side: &SpanLists| {
            let types = side.held.types.iter();
            types.map(|name| numbers.get(&**name).copied()).collect()
        };
        Self {
            gold,
            pred,
            types: names.into_iter().collect(),
            numbers: [number(gold), number(pred)],
        }
    }

    /// Matches document after document and calls `each` with its number and spans.
    fn run(
        &self,
        matcher: &mut Matcher,
        mut each: impl FnMut(&Matcher, usize, &[Placed], &[Placed]),
    ) {
        let documents = self.gold.ranges.len().min(self.pred.ranges.len());
        if self.types == self.gold.types() && self.types == self.pred.types() {
            for at in 0..documents {
                let (gold, pred) = (self.gold.document(at), self.pred.document(at));
                matcher.run(gold, pred);
                each(matcher, at, gold, pred);
            }
            return;
        }
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        for at in 0..documents {
            let sides = [(self.gold, &mut gold), (self.pred, &mut pred)];
            for ((side, spans), numbers) in sides.into_iter().zip(&self.numbers) {
                spans.clear();
                spans.extend(
                    side.document(at).iter().filter_map(|span| {
                        numbers[span.ty as usize].map(|ty| Placed { ty, ..*span })
                    }),
                );
            }
            matcher.run(&gold, &pred);
            each(matcher, at, &gold, &pred);
        }
    }
}

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
    Matcher::new(matching, min_overlap)
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
) -> (Vec<RowTuple>, BTreeMap<String, Vec<RowTuple>>) {
    py.detach(|| {
        let sides = Sides::new(gold, pred, keep.as_deref());
        let mut counts = PartialCounts::default();
        let mut matcher = matcher(how);
        // Spans of sentences without a mistake, by type: the greater part of most corpora.
        let mut correct = vec![0; sides.types.len()];
        sides.run(&mut matcher, |matcher, _, gold, pred| {
            if matcher.all_correct() {
                for span in gold {
                    correct[span.ty as usize] += 1;
                }
            } else {
                matcher.count(gold, pred, &mut counts);
            }
        });
        for (ty, n) in (0..).zip(correct) {
            counts.add_correct(ty, n);
        }
        let types = sides.types.iter().zip(&counts.types);
        let used = types.filter(|(_, modes)| **modes != <[Row; 4]>::default());
        let types = used.map(|(name, modes)| ((*name).to_owned(), rows(modes)));
        (rows(&counts.overall), types.collect())
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
) -> [Vec<Place>; 5] {
    py.detach(|| {
        let mut lists: [Vec<Place>; 5] = Default::default();
        let sides = Sides::new(gold, pred, keep.as_deref());
        let ty = type_name.map(|name| sides.types.iter().position(|known| *known == name));
        let (Some(&mode), false) = (Mode::ALL.get(mode), ty == Some(None)) else {
            return lists;
        };
        let ty = ty.flatten().map(|ty| ty as u32);
        let mut matcher = matcher(how).with_ties();
        sides.run(&mut matcher, |matcher, document, gold, pred| {
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
        });
        lists
    })
}

/// Sentences between two looks for Ctrl-C.
const PAUSE: usize = 1 << 14;

/// Looks for Ctrl-C now and then.
fn pause(py: Python<'_>, at: usize) -> Result<()> {
    if at % PAUSE == PAUSE - 1 {
        py.check_signals()?;
    }
    Ok(())
}
