//! Fair matching: behind `spanrs.fair` and `spanrs.compat.faireval`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet};
use spanrs_eval::Placed;
use spanrs_eval::fair::{FairCounts, Kind, Matcher, Row, Spans, TokenSets, TypeFilter};
use spanrs_io::{ColumnReader, SpanFileReader};
use spanrs_jobs::fair::SpanSource;

use crate::error::{Error, Result};
use crate::files::{ColumnOptions, Progress, lines};
use crate::span_lists::{Sides, SpanLists};

/// (types that count, or None for all; types that do not)
pub(crate) type Filter = (Option<Vec<String>>, Vec<String>);

pub(crate) fn filter((keep, exclude): Filter) -> TypeFilter {
    TypeFilter { keep, exclude }
}

/// Traditional TP, FP, FN; fair TP, FP, FN; BES, BEL, BEO.
type RowTuple = (u64, u64, u64, u64, u64, u64, u64, u64, u64);

fn row(row: &Row) -> RowTuple {
    (
        row.exact_tp,
        row.exact_fp,
        row.exact_fn,
        row.tp,
        row.fp,
        row.fn_,
        row.bes,
        row.bel,
        row.beo,
    )
}

/// Counts as plain Python values, by the names of types.
pub(crate) fn state<'py, 'a>(
    py: Python<'py>,
    counts: &FairCounts,
    name: impl Fn(u32) -> &'a str,
) -> PyResult<Bound<'py, PyDict>> {
    let types = PyDict::new(py);
    for (ty, counted) in (0..).zip(&counts.types) {
        if *counted != Row::default() {
            types.set_item(name(ty), row(counted))?;
        }
    }
    let pairs = |of: &std::collections::BTreeMap<(u32, u32), u64>| -> Vec<(&str, &str, u64)> {
        of.iter()
            .map(|(&(g, p), &n)| (name(g), name(p), n))
            .collect()
    };
    let state = PyDict::new(py);
    state.set_item("types", types)?;
    state.set_item("le", pairs(&counts.le))?;
    state.set_item("lbe", pairs(&counts.lbe))?;
    state.set_item("sentences", counts.sentences)?;
    Ok(state)
}

/// Matches the spans of both sides, sentence by sentence.
#[pyfunction]
#[pyo3(signature = (gold, pred, only, /))]
pub(crate) fn fair_count<'py>(
    py: Python<'py>,
    gold: &SpanLists,
    pred: &SpanLists,
    only: Filter,
) -> Result<Bound<'py, PyDict>> {
    let filter = filter(only);
    let (counts, types) = py.detach(|| {
        let sides = Sides::new(gold, pred, |name| filter.counts(name));
        let mut counts = FairCounts::default();
        let mut matcher = Matcher::default();
        sides.run_with_tokens(|_, gold, pred| matcher.run(gold, pred, &mut counts));
        (counts, sides.types)
    });
    Ok(state(py, &counts, |ty| types[ty as usize])?)
}

/// (type, start, end, tokens where they are not all between the bounds)
type SpanTuple = (String, i64, i64, Option<Vec<i64>>);
/// (kind, sentence, gold span, pred span)
type Mistake = (&'static str, usize, Option<SpanTuple>, Option<SpanTuple>);

/// Everything that is no true positive, in the order in which it was decided.
#[pyfunction]
#[pyo3(signature = (gold, pred, only, /))]
pub(crate) fn fair_errors(
    py: Python<'_>,
    gold: &SpanLists,
    pred: &SpanLists,
    only: Filter,
) -> Vec<Mistake> {
    let filter = filter(only);
    py.detach(|| {
        let sides = Sides::new(gold, pred, |name| filter.counts(name));
        let mut matcher = Matcher::default().with_decisions();
        let mut counts = FairCounts::default();
        let mut mistakes = Vec::new();
        sides.run_with_tokens(|sentence, gold, pred| {
            matcher.run(gold, pred, &mut counts);
            let span = |side: Spans<'_>, at: Option<u32>| {
                let (span, runs) = side.get(at? as usize);
                let tokens = runs.map(|runs| runs.iter().flat_map(|run| run.0..run.1).collect());
                let name = sides.types[span.ty as usize].to_owned();
                Some((name, span.start, span.end, tokens))
            };
            for decision in matcher.decisions() {
                let kind = match decision.kind {
                    Kind::Tp => continue,
                    Kind::Fp => "FP",
                    Kind::Fn => "FN",
                    Kind::Le => "LE",
                    Kind::Bes => "BES",
                    Kind::Bel => "BEL",
                    Kind::Beo => "BEO",
                    Kind::Lbe => "LBE",
                };
                mistakes.push((
                    kind,
                    sentence,
                    span(gold, decision.gold),
                    span(pred, decision.pred),
                ));
            }
        });
        mistakes
    })
}

/// Where the spans of a file are: a source, its format (`spans`, `stacked`, or None for what its first
/// line looks like), how its columns lie if it has stacked tags, and whether punctuation is left out there.
#[derive(FromPyObject)]
pub(crate) struct FileOptions<'py>(Bound<'py, PyAny>, Option<String>, ColumnOptions, bool);

impl FileOptions<'_> {
    fn open(&self) -> Result<SpanSource> {
        let Self(source, format, options, ignore_punct) = self;
        let mut lines = lines(source, options.5)?;
        let spans = match format.as_deref() {
            Some(format) => format == "spans",
            None => SpanFileReader::fits(&mut lines)?,
        };
        Ok(if spans {
            SpanSource::Spans(Box::new(SpanFileReader::new(lines)))
        } else {
            SpanSource::Stacked {
                rows: Box::new(ColumnReader::new(lines, options.columns()?)?),
                ignore_punct: *ignore_punct,
            }
        })
    }
}

/// Matches the spans of two files. Gives the counts, and `gold_types`: types in the order in which gold
/// first has them.
#[pyfunction]
#[pyo3(signature = (gold, pred, only, progress, /))]
pub(crate) fn fair_files<'py>(
    py: Python<'py>,
    gold: FileOptions<'py>,
    pred: FileOptions<'py>,
    only: Filter,
    progress: Option<Py<PyAny>>,
) -> Result<Bound<'py, PyDict>> {
    let filter = filter(only);
    let (gold, pred) = (gold.open()?, pred.open()?);
    let mut progress = Progress::new(progress);
    let result =
        py.detach(|| spanrs_jobs::fair::fair(gold, pred, &filter, &mut |n| progress.tell(n)));
    let files = progress.check(result.map_err(Error::from))?;
    let state = state(py, &files.counts, |ty| files.types.name(ty))?;
    let order: Vec<&str> = files
        .gold_types
        .iter()
        .map(|&ty| files.types.name(ty))
        .collect();
    state.set_item("gold_types", order)?;
    Ok(state)
}

/// The spans of one side as FairEval has them: lists of label, first token, last token, and a set of
/// tokens.
struct Given {
    placed: Vec<Placed>,
    tokens: TokenSets,
}

impl Given {
    fn read(spans: &Bound<'_, PyList>, labels: &Bound<'_, PyDict>) -> Result<Self> {
        let mut given = Self {
            placed: Vec::new(),
            tokens: TokenSets::default(),
        };
        for span in spans {
            let (label, begin, end, tokens): (Bound<'_, PyAny>, i64, i64, Bound<'_, PyAny>) = (
                span.get_item(0)?,
                span.get_item(1)?.extract()?,
                span.get_item(2)?.extract()?,
                span.get_item(3)?,
            );
            let ty = match labels.get_item(&label)? {
                Some(number) => number.extract()?,
                None => {
                    let number = labels.len() as u32;
                    labels.set_item(label, number)?;
                    number
                }
            };
            let Some(behind) = end.checked_add(1) else {
                let message = format!("span {begin} to {end} ends beyond all numbers");
                return Err(PyValueError::new_err(message).into());
            };
            given.tokens.extend((begin, behind), &tokens)?;
            given.placed.push(Placed {
                start: begin,
                end: behind,
                ty,
            });
        }
        Ok(given)
    }

    fn spans(&self) -> Spans<'_> {
        if self.tokens.all_whole() {
            Spans::whole(&self.placed)
        } else {
            Spans::with_tokens(&self.placed, &self.tokens, 0)
        }
    }
}

/// Adds the tokens of a span, a collection of int.
pub(crate) trait PushTokens {
    fn extend(&mut self, bounds: (i64, i64), tokens: &Bound<'_, PyAny>) -> PyResult<()>;
}

impl PushTokens for TokenSets {
    fn extend(&mut self, (start, end): (i64, i64), tokens: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut numbers = Vec::new();
        let mut within = true;
        for token in tokens.try_iter()? {
            let token: i64 = token?.extract()?;
            within &= start <= token && token < end;
            numbers.push(token);
        }
        let set = tokens.is_instance_of::<PySet>() || tokens.is_instance_of::<PyFrozenSet>();
        // So many different ones between the bounds are all of them.
        if set && within && end.checked_sub(start) == Some(numbers.len() as i64) {
            self.push_whole();
            return Ok(());
        }
        if numbers.contains(&i64::MAX) {
            return Err(PyValueError::new_err("a token is beyond all numbers"));
        }
        numbers.sort_unstable();
        self.push((start, end), numbers);
        Ok(())
    }
}

/// Labels, a row for each, (kind, target label, system label, number), the places that are left of both
/// lists, and (side, place, tokens left) of spans that lost some.
type Compared<'py> = (
    Bound<'py, PyList>,
    Vec<RowTuple>,
    Vec<(u8, u32, u32, u64)>,
    Vec<u32>,
    Vec<u32>,
    Vec<(u8, u32, Vec<i64>)>,
);

/// What FairEval's `compare_spans` finds.
#[pyfunction]
#[pyo3(signature = (target, system, /))]
pub(crate) fn fair_compare<'py>(
    target: &Bound<'py, PyList>,
    system: &Bound<'py, PyList>,
) -> Result<Compared<'py>> {
    let py = target.py();
    let labels = PyDict::new(py);
    let (gold, pred) = (Given::read(target, &labels)?, Given::read(system, &labels)?);
    let mut matcher = Matcher::default().with_decisions();
    let mut counts = FairCounts::default();
    matcher.run(gold.spans(), pred.spans(), &mut counts);
    let number = |of: &std::collections::BTreeMap<(u32, u32), u64>, kind: u8| {
        let pairs: Vec<_> = of.iter().map(|(&(t, s), &n)| (kind, t, s, n)).collect();
        pairs
    };
    let mut pairs = number(&counts.le, 0);
    pairs.extend(number(&counts.lbe, 1));
    counts.types.resize(labels.len(), Row::default());
    let left = |kind: Kind| {
        let of = matcher
            .decisions()
            .iter()
            .filter(|decision| decision.kind == kind);
        of.filter_map(|decision| decision.gold.or(decision.pred))
            .collect()
    };
    let reduced = matcher.reduced().map(|(of_pred, at, runs)| {
        (
            u8::from(of_pred),
            at,
            runs.iter().flat_map(|run| run.0..run.1).collect(),
        )
    });
    Ok((
        labels.keys(),
        counts.types.iter().map(row).collect(),
        pairs,
        left(Kind::Fn),
        left(Kind::Fp),
        reduced.collect(),
    ))
}

/// Spans as (type, start, end) or (type, start, end, tokens), a sequence of them for each sentence, for
/// `fair_count`.
#[pyfunction]
#[pyo3(signature = (gold, pred, /))]
pub(crate) fn fair_spans(
    gold: &Bound<'_, PyAny>,
    pred: &Bound<'_, PyAny>,
) -> Result<(SpanLists, SpanLists)> {
    crate::partial::read_spans(gold, pred, true)
}
