//! Spans in memory: gold or pred, sentence after sentence.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use pyo3::prelude::*;
use spanrs_base::Span;
use spanrs_eval::{Pair, Run, Spans, TokenSets};

use crate::error::Result;
use crate::{is_pause, look_for_interrupt};

/// The spans of one side, sentence after sentence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct SpanLists {
    held: Arc<Held>,
    /// The range of the spans of each sentence.
    ranges: Vec<Range<u32>>,
}

/// Spans of one side, or of two of which many are the same.
pub(crate) struct Held {
    spans: Vec<Span<i64>>,
    /// Their tokens, if some span lacks tokens between its bounds.
    tokens: Option<TokenSets>,
    /// Names of the types that occur, by number, sorted.
    types: Vec<String>,
}

/// (type, start, end)
type SpanTuple<'a> = (&'a str, i64, i64);
type Sentences<'a> = Vec<Vec<SpanTuple<'a>>>;
/// The runs of tokens of each span; None for all tokens between its bounds.
type TokenRuns = Vec<Option<Vec<Run>>>;
type Reduced<'a> = (Sentences<'a>, Option<TokenRuns>);

#[pymethods]
impl SpanLists {
    /// The types of the spans, sorted; those of both sides if they were read together.
    fn types(&self) -> Vec<&str> {
        self.held.types.iter().map(|name| &**name).collect()
    }

    /// All spans, in a list for each sentence.
    fn documents(&self) -> Sentences<'_> {
        (0..self.ranges.len())
            .map(|at| {
                let tuple = |s: &Span<i64>| (&*self.held.types[s.ty as usize], s.start, s.end);
                self.sentence(at).iter().map(tuple).collect()
            })
            .collect()
    }

    fn __len__(&self) -> usize {
        self.ranges.len()
    }

    /// Support for copies and pickles.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Reduced<'_>)> {
        let make = py.import("spanrs._spanrs")?.getattr("span_lists")?;
        let tokens = self.held.tokens.as_ref().map(|tokens| {
            let places = self.ranges.iter().flat_map(Range::clone);
            places
                .map(|at| tokens.get(at as usize).map(<[Run]>::to_vec))
                .collect()
        });
        Ok((make, (self.documents(), tokens)))
    }
}

/// Creates one side from the sentences of [`SpanLists::documents`] and the tokens of all spans.
#[pyfunction]
#[pyo3(signature = (sentences, tokens=None, /))]
pub(crate) fn span_lists(
    sentences: Vec<Vec<(String, i64, i64)>>,
    tokens: Option<TokenRuns>,
) -> SpanLists {
    let mut types: Vec<String> = Vec::new();
    let (mut spans, mut ends) = (Vec::new(), Vec::new());
    let mut numbers = BTreeMap::new();
    for sentence in sentences {
        for (ty, start, end) in sentence {
            let ty = *numbers.entry(ty).or_insert_with_key(|ty: &String| {
                types.push(ty.clone());
                types.len() as u32 - 1
            });
            spans.push(Span { start, end, ty });
        }
        ends.push(spans.len());
    }
    let mut sets = TokenSets::default();
    let mut runs = tokens.unwrap_or_default();
    runs.resize(spans.len(), None);
    runs.iter().for_each(|runs| sets.push_runs(runs.as_deref()));
    SpanLists::new(spans, Some(sets), &ends, types)
}

impl SpanLists {
    fn sentence(&self, at: usize) -> &[Span<i64>] {
        let range = &self.ranges[at];
        &self.held.spans[range.start as usize..range.end as usize]
    }

    /// Creates one side from the spans of all sentences, their tokens unless every span has all tokens between its
    /// bounds, and the number of spans up to the end of each sentence.
    pub(crate) fn new(
        spans: Vec<Span<i64>>,
        tokens: Option<TokenSets>,
        ends: &[usize],
        types: Vec<String>,
    ) -> Self {
        let starts = std::iter::once(0).chain(ends.iter().copied());
        let ranges = starts.zip(ends);
        Self {
            ranges: ranges
                .map(|(start, &end)| start as u32..end as u32)
                .collect(),
            held: Arc::new(Held::new(spans, tokens, types)),
        }
    }

    /// The tokens of the spans of a sentence whose types have a number.
    fn tokens_of(&self, at: usize, numbers: &[Option<u32>]) -> TokenSets {
        let mut tokens = TokenSets::default();
        let range = &self.ranges[at];
        for (span, place) in self.sentence(at).iter().zip(range.start as usize..) {
            if numbers[span.ty as usize].is_some() {
                let runs = self.held.tokens.as_ref().and_then(|held| held.get(place));
                tokens.push_runs(runs);
            }
        }
        tokens
    }

    /// Number of sentences.
    pub(crate) fn count(&self) -> usize {
        self.ranges.len()
    }

    pub(crate) fn gold_and_pred(held: Held, ranges: [Vec<Range<u32>>; 2]) -> (Self, Self) {
        let held = Arc::new(held);
        let [gold, pred] = ranges.map(|ranges| Self {
            held: Arc::clone(&held),
            ranges,
        });
        (gold, pred)
    }
}

impl Held {
    /// Renumbers the types that occur in the order of their names, so that sides with the same types can be compared
    /// directly.
    pub(crate) fn new(
        mut spans: Vec<Span<i64>>,
        tokens: Option<TokenSets>,
        types: Vec<String>,
    ) -> Self {
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
            tokens: tokens.filter(|tokens| !tokens.all_whole()),
            types: names.into_iter().map(|(name, _)| name).collect(),
        }
    }
}

/// Gold and pred with a common numbering of types, without the types that are not counted.
pub(crate) struct Sides<'a> {
    gold: &'a SpanLists,
    pred: &'a SpanLists,
    /// Names by number, sorted.
    pub(crate) types: Vec<&'a str>,
    numbers: [Vec<Option<u32>>; 2],
}

impl<'a> Sides<'a> {
    pub(crate) fn new(
        gold: &'a SpanLists,
        pred: &'a SpanLists,
        counts: impl Fn(&str) -> bool,
    ) -> Self {
        let all = [gold, pred]
            .map(|side| &side.held.types)
            .into_iter()
            .flatten();
        let names: BTreeSet<&str> = all
            .map(|name| &**name)
            .filter(|name| counts(name))
            .collect();
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

    /// Calls `each` with the number and both sides of each sentence. Ctrl-C is an error.
    pub(crate) fn run(&self, mut each: impl FnMut(usize, Pair<'_>) -> Result<()>) -> Result<()> {
        let sentences = self.gold.count().min(self.pred.count());
        let as_they_are = self.types == self.gold.types() && self.types == self.pred.types();
        let has_tokens = self.gold.held.tokens.is_some() || self.pred.held.tokens.is_some();
        let (mut gold, mut pred) = (Vec::new(), Vec::new());
        for at in 0..sentences {
            let (golds, preds) = if as_they_are {
                (self.gold.sentence(at), self.pred.sentence(at))
            } else {
                let sides = [(self.gold, &mut gold), (self.pred, &mut pred)];
                for ((side, spans), numbers) in sides.into_iter().zip(&self.numbers) {
                    spans.clear();
                    spans.extend(side.sentence(at).iter().filter_map(|span| {
                        numbers[span.ty as usize].map(|ty| Span { ty, ..*span })
                    }));
                }
                (&gold[..], &pred[..])
            };
            if has_tokens {
                let [gold_numbers, pred_numbers] = &self.numbers;
                let gold_tokens = self.gold.tokens_of(at, gold_numbers);
                let pred_tokens = self.pred.tokens_of(at, pred_numbers);
                let pair = Pair::new(
                    Spans::with_tokens(golds, &gold_tokens, 0),
                    Spans::with_tokens(preds, &pred_tokens, 0),
                );
                each(at, pair)?;
            } else {
                each(at, Pair::new(Spans::whole(golds), Spans::whole(preds)))?;
            }
            if is_pause(at) {
                look_for_interrupt()?;
            }
        }
        Ok(())
    }
}
