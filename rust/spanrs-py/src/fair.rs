//! Fair matching: behind `spanrs.fair`.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spanrs_eval::fair::{FairCounts, Kind, Matcher, Row, Spans, TypeFilter};
use spanrs_io::{ColumnReader, Columns, SpanFileReader};
use spanrs_jobs::fair::SpanSource;

use crate::error::{Error, Result};
use crate::files::{ColumnOptions, Progress, lines};
use crate::span_lists::{Sides, SpanLists};
use crate::stop;

/// (types that count, or None for all; types that do not)
pub(crate) type Filter = (Option<Vec<String>>, Vec<String>);

pub(crate) fn filter((keep, exclude): Filter) -> TypeFilter {
    TypeFilter { keep, exclude }
}

/// Traditional TP, FP, FN; fair TP, FP, FN; BES, BEL, BEO.
pub(crate) type RowTuple = (u64, u64, u64, u64, u64, u64, u64, u64, u64);

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
        let mut matcher = Matcher::default().with_watch(stop);
        sides.run_with_tokens(|_, gold, pred| {
            matcher.run(gold, pred, &mut counts);
            !matcher.stopped()
        })?;
        not_stopped(&matcher)?;
        Result::Ok((counts, sides.types))
    })?;
    Ok(state(py, &counts, |ty| types[ty as usize])?)
}

fn not_stopped(matcher: &Matcher) -> Result<()> {
    if matcher.stopped() {
        return Err(spanrs_jobs::Error::Stopped.into());
    }
    Ok(())
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
) -> Result<Vec<Mistake>> {
    let filter = filter(only);
    py.detach(|| {
        let sides = Sides::new(gold, pred, |name| filter.counts(name));
        let mut matcher = Matcher::default().with_decisions().with_watch(stop);
        let mut counts = FairCounts::default();
        let mut mistakes = Vec::new();
        sides.run_with_tokens(|sentence, gold, pred| {
            matcher.run(gold, pred, &mut counts);
            if matcher.stopped() {
                return false;
            }
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
            true
        })?;
        not_stopped(&matcher)?;
        Ok(mistakes)
    })
}

/// Where the spans of a file are: a source, its format (`spans`, `strict` for span files that read the same
/// everywhere, `stacked`, or None for what its first line looks like), how its columns lie if it has stacked tags, and whether punctuation is left out there.
#[derive(FromPyObject)]
pub(crate) struct FileOptions<'py>(Bound<'py, PyAny>, Option<String>, ColumnOptions, bool);

impl FileOptions<'_> {
    /// The source, and its format.
    fn open(&self) -> Result<(SpanSource, &'static str)> {
        let Self(source, format, options, ignore_punct) = self;
        let mut lines = lines(source, options.6)?;
        let spans = match format.as_deref() {
            Some(format) => format != "stacked",
            None => SpanFileReader::fits(&mut lines)?,
        };
        if spans {
            let reader = SpanFileReader::new(lines);
            let strict = format.as_deref() == Some("strict");
            let reader = if strict { reader.strict() } else { reader };
            return Ok((SpanSource::Spans(Box::new(reader)), "spans"));
        }
        // Parts of speech are in the second column by default, and in none of the files that have fewer.
        let columns = Columns {
            second_may_lack: true,
            ..options.columns()?
        };
        let source = SpanSource::Stacked {
            rows: Box::new(ColumnReader::new(lines, columns)?),
            ignore_punct: *ignore_punct,
        };
        Ok((source, "stacked"))
    }
}

/// Matches the spans of two files. Gives the counts; `gold_types`: types in the order in which gold first has
/// them; `formats`, of gold and of pred; and `file_warnings`.
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
    let ((gold, gold_format), (pred, pred_format)) = (gold.open()?, pred.open()?);
    let mut progress = Progress::new(progress);
    let matcher = Matcher::default().with_watch(stop);
    let result = py.detach(|| {
        spanrs_jobs::fair::fair(gold, pred, &filter, matcher, &mut |n| progress.tell(n))
    });
    let files = progress.check(result.map_err(Error::from))?;
    let state = state(py, &files.counts, |ty| files.types.name(ty))?;
    let order: Vec<&str> = files
        .gold_types
        .iter()
        .map(|&ty| files.types.name(ty))
        .collect();
    state.set_item("gold_types", order)?;
    state.set_item("formats", (gold_format, pred_format))?;
    state.set_item("file_warnings", files.warnings)?;
    Ok(state)
}
