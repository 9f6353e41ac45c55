//! FairEval's `compare_spans`: the compiled part of `spanrs.compat.faireval`.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict, PyList, PySet, PyString, PyTuple};
use spanrs::base::Span;
use spanrs::compat::faireval::{
    ErrorCounts, ErrorPair, Evaluation, FAIR_NAMES, Focus, LabelError, LabelRow, TRADITIONAL_NAMES,
    Table, unpaired,
};
use spanrs::eval::fair::Matcher;
use spanrs::eval::{Events, Matcher as _, Pair, Scorer, Spans, TokenSets, TypeFilter};
use spanrs::span_files::SpanFileOptions;

use crate::error::{Error, Result};
use crate::files::{SourceArgument, run_job, span_source};
use crate::plain::Plain;
use crate::span_tuples::token_numbers;
use crate::stop;

/// Upper bound on token indices, which prevents overflow in lengths and sums.
const FARTHEST: u64 = 1 << 60;
/// Minimum number of spans for which matching releases the GIL.
const MANY: usize = 1 << 10;

/// The spans of one side, given as lists of label, first token, last token, and a set of tokens.
struct Side {
    spans: Vec<Span<i64>>,
    tokens: TokenSets,
    /// All spans are contiguous.
    whole: bool,
}

impl Side {
    /// Reads spans; numbers the labels in `labels`.
    fn read(spans: &Bound<'_, PyList>, labels: &Bound<'_, PyDict>) -> Result<Self> {
        let mut side = Self {
            spans: Vec::with_capacity(spans.len()),
            tokens: TokenSets::default(),
            whole: true,
        };
        for span in spans {
            let item = |at: usize| match span.cast::<PyList>() {
                Ok(list) => list.get_item(at),
                Err(_) => span.get_item(at),
            };
            let label = item(0)?;
            let (start, last): (i64, i64) = (item(1)?.extract()?, item(2)?.extract()?);
            let ty = match labels.get_item(&label)? {
                Some(number) => number.extract()?,
                None => {
                    let number = labels.len() as u32;
                    labels.set_item(label, number)?;
                    number
                }
            };
            if start.unsigned_abs().max(last.unsigned_abs()) > FARTHEST {
                let message =
                    format!("span {start} to {last} has token indices that are too large");
                return Err(PyOverflowError::new_err(message).into());
            }
            let end = last + 1;
            let (numbers, distinct) = token_numbers(&item(3)?)?;
            side.tokens.push_unsorted((start, end), numbers, distinct)?;
            side.whole &= side.tokens.get(side.spans.len()).is_none();
            side.spans.push(Span { start, end, ty });
        }
        Ok(side)
    }

    fn spans(&self) -> Spans<'_> {
        if self.whole {
            Spans::whole(&self.spans)
        } else {
            Spans::with_tokens(&self.spans, &self.tokens, 0)
        }
    }
}

/// Counts the errors of a sentence. As in FairEval, the lists are modified: unpaired spans remain, ordered by length,
/// and spans that lost tokens to a pair get a new set of tokens.
#[pyfunction]
#[pyo3(signature = (target, system, focus, /))]
pub(crate) fn fair_compare<'py>(
    target: &Bound<'py, PyList>,
    system: &Bound<'py, PyList>,
    focus: &str,
) -> Result<Bound<'py, PyDict>> {
    let py = target.py();
    let labels = PyDict::new(py);
    let (gold, pred) = (Side::read(target, &labels)?, Side::read(system, &labels)?);
    let mut matcher = Matcher::default().with_watch(stop);
    matcher.resolve_ties();
    let mut events = Events::default();
    let pair = Pair::new(gold.spans(), pred.spans());
    let compared = if gold.spans.len() + pred.spans.len() < MANY {
        matcher.compare(&pair, &mut events)
    } else {
        py.detach(|| matcher.compare(&pair, &mut events))
    };
    compared.map_err(|error| Error::unmatched(0, error))?;
    if !target.is(system) {
        for (of_pred, at, runs) in matcher.reduced() {
            let side = if of_pred { system } else { target };
            let left: Vec<i64> = runs.iter().flat_map(|run| run.0..run.1).collect();
            side.get_item(at as usize)?
                .set_item(3, PySet::new(py, left)?)?;
        }
        for (side, of_pred) in [(target, false), (system, true)] {
            let left = unpaired(&events, of_pred);
            let spans: PyResult<Vec<_>> = left.map(|at| side.get_item(at as usize)).collect();
            side.set_slice(0, side.len(), PyList::new(py, spans?)?.as_any())?;
        }
    }
    let counts = ErrorCounts::of_events(&events, &gold.spans, &pred.spans, labels.len());
    let focus = Focus::from_name(focus);
    evaluation(&labels.keys(), counts.rows(), counts.pairs(), focus)
}

/// Counts the errors of two span files. Returns `types` (a dict from label to row, in order of appearance), `le` and
/// `lbe` (gold label, pred label, number), and `gold_types`, the labels in the order of their first appearance in gold.
#[pyfunction]
#[pyo3(signature = (gold, pred, only, /))]
pub(crate) fn faireval_files<'py>(
    py: Python<'py>,
    gold: (SourceArgument, Plain<SpanFileOptions>),
    pred: (SourceArgument, Plain<SpanFileOptions>),
    only: Plain<TypeFilter>,
) -> Result<Bound<'py, PyDict>> {
    let (gold, pred) = (span_source(py, gold)?, span_source(py, pred)?);
    let matcher = Matcher::default().with_watch(stop);
    let mut scorer = Scorer::new(Box::new(matcher), 0).with_filter(only.0);
    let files = run_job(py, None, |tell| {
        spanrs::span_files::score_spans(gold, pred, &mut scorer, None, tell)
    })?;
    let counts = ErrorCounts::of_counts(scorer.span_counts(), &files.types);
    let state = PyDict::new(py);
    let rows = PyDict::new(py);
    for (name, row) in files.types.iter().zip(counts.rows()) {
        if row.iter().any(|n| *n > 0) {
            rows.set_item(name, PyTuple::new(py, row)?)?;
        }
    }
    state.set_item("types", rows)?;
    for (wanted, key) in [(LabelError::Le, "le"), (LabelError::Lbe, "lbe")] {
        let name = |label: u32| files.types[label as usize].as_str();
        let pairs = counts.pairs().filter(|(error, ..)| *error == wanted);
        let named: Vec<_> = pairs.map(|(_, g, p, n)| (name(g), name(p), n)).collect();
        state.set_item(key, named)?;
    }
    state.set_item("gold_types", files.gold_types)?;
    Ok(state)
}

/// Arranges counts like `fair_compare`. Rows are as returned by `faireval_files`; a pair is (0 for LE or 1 for LBE,
/// index of the target label, index of the system label, number).
#[pyfunction]
#[pyo3(signature = (labels, rows, pairs, focus, /))]
pub(crate) fn fair_evaluation<'py>(
    labels: &Bound<'py, PyList>,
    rows: Vec<LabelRow>,
    pairs: Vec<(u8, u32, u32, u64)>,
    focus: &str,
) -> Result<Bound<'py, PyDict>> {
    let error = |number| match number {
        0 => LabelError::Le,
        _ => LabelError::Lbe,
    };
    let pairs = pairs.into_iter();
    let pairs = pairs.map(|(number, target, system, n)| (error(number), target, system, n));
    evaluation(labels, &rows, pairs, Focus::from_name(focus))
}

fn evaluation<'py>(
    labels: &Bound<'py, PyList>,
    rows: &[LabelRow],
    pairs: impl Iterator<Item = ErrorPair>,
    focus: Focus,
) -> Result<Bound<'py, PyDict>> {
    let py = labels.py();
    let nothing = PyString::new(py, "_").into_any();
    let names = PyList::new(py, labels)?;
    if !names.contains(&nothing)? {
        names.append(&nothing)?;
    }
    let place = names.index(&nothing)?;
    let evaluation = Evaluation::new(rows, pairs, place, focus)
        .map_err(|error| Error::value(error.to_string()))?;
    let (traditional, fair) = (PyDict::new(py), PyDict::new(py));
    for (label, table) in labels.iter().zip(&evaluation.per_label) {
        let [of_traditional, of_fair] = dicts(py, table)?;
        traditional.set_item(&label, of_traditional)?;
        fair.set_item(&label, of_fair)?;
    }
    let confusion = PyDict::new(py);
    for (label, row) in names.iter().zip(&evaluation.confusion) {
        confusion.set_item(label, names.iter().zip(row).into_py_dict(py)?)?;
    }
    let result = PyDict::new(py);
    result.set_item("overall", named(py, dicts(py, &evaluation.overall)?)?)?;
    result.set_item("per_label", named(py, [traditional, fair])?)?;
    result.set_item("conf", confusion)?;
    Ok(result)
}

/// Traditional and fair counts by name.
fn dicts<'py>(py: Python<'py>, table: &Table) -> PyResult<[Bound<'py, PyDict>; 2]> {
    let traditional = TRADITIONAL_NAMES.iter().zip(table.traditional);
    let fair = FAIR_NAMES.iter().zip(table.fair);
    Ok([traditional.into_py_dict(py)?, fair.into_py_dict(py)?])
}

fn named<'py>(py: Python<'py>, tables: [Bound<'py, PyDict>; 2]) -> PyResult<Bound<'py, PyDict>> {
    ["traditional", "fair"]
        .into_iter()
        .zip(tables)
        .into_py_dict(py)
}
