//! What FairEval's `compare_spans` gives: behind `spanrs.compat.faireval`.

use std::collections::BTreeMap;

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyTuple};
use spanrs_base::Span;
use spanrs_eval::fair::{FAIR, Kind, Matcher, TRADITIONAL};
use spanrs_eval::outcomes::{Cell, Counts};
use spanrs_eval::{Event, Events, Matcher as _, Pair, Scorer, Spans, TokenSets};

use crate::error::{Error, Result};
use crate::files::{Progress, SpanFileOptions};
use crate::scorer::{FilterTuple, type_filter};
use crate::span_tuples::PushTokens;
use crate::stop;

/// No index is farther from 0: lengths and sums of them are numbers then.
const FARTHEST: u64 = 1 << 60;
/// Spans from which on other threads may run while they are matched.
const MANY: usize = 1 << 10;

/// The spans of one side: lists of label, first token, last token, and a set of tokens.
struct Given {
    spans: Vec<Span<i64>>,
    tokens: TokenSets,
    whole: bool,
}

impl Given {
    /// Reads spans, and numbers their labels.
    fn read(spans: &Bound<'_, PyList>, labels: &Bound<'_, PyDict>) -> Result<Self> {
        let mut given = Self {
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
            let (begin, end): (i64, i64) = (item(1)?.extract()?, item(2)?.extract()?);
            let ty = match labels.get_item(&label)? {
                Some(number) => number.extract()?,
                None => {
                    let number = labels.len() as u32;
                    labels.set_item(label, number)?;
                    number
                }
            };
            if begin.unsigned_abs().max(end.unsigned_abs()) > FARTHEST {
                let message =
                    format!("span {begin} to {end} is beyond the numbers that can be counted");
                return Err(PyOverflowError::new_err(message).into());
            }
            let behind = end + 1;
            given.tokens.extend((begin, behind), &item(3)?)?;
            given.whole &= given.tokens.get(given.spans.len()).is_none();
            given.spans.push(Span {
                start: begin,
                end: behind,
                ty,
            });
        }
        Ok(given)
    }

    fn spans(&self) -> Spans<'_> {
        if self.whole {
            Spans::whole(&self.spans)
        } else {
            Spans::with_tokens(&self.spans, &self.tokens, 0)
        }
    }
}

/// Traditional TP, FP, FN; fair TP, FP, FN; BES, BEL, BEO.
type RowTuple = (u64, u64, u64, u64, u64, u64, u64, u64, u64);

/// The numbers of one label, in the order of [`RowTuple`].
#[derive(Clone, Copy, Default)]
struct Row([u64; 9]);

impl Row {
    fn add(&mut self, other: &Self) {
        for (mine, its) in self.0.iter_mut().zip(other.0) {
            *mine += its;
        }
    }
}

/// Numbers of labels, and labelling and labelling-boundary errors by pair of labels.
#[derive(Default)]
struct Evaluated {
    rows: Vec<Row>,
    /// (0 for LE and 1 for LBE, gold label, pred label) -> number
    pairs: BTreeMap<(u8, u32, u32), u64>,
}

impl Evaluated {
    fn new(labels: usize) -> Self {
        Self {
            rows: vec![Row::default(); labels],
            pairs: BTreeMap::new(),
        }
    }

    fn add(&mut self, cell: &Cell, n: u64) {
        let place = match (cell.criterion, cell.outcome) {
            (TRADITIONAL, outcome) => outcome,
            (FAIR, outcome) if outcome <= Kind::Fn as u8 => 3 + outcome,
            (FAIR, outcome) if outcome == Kind::Le as u8 || outcome == Kind::Lbe as u8 => {
                if let (Some(gold), Some(pred)) = (cell.gold, cell.pred) {
                    let error = u8::from(outcome == Kind::Lbe as u8);
                    *self.pairs.entry((error, gold, pred)).or_default() += n;
                }
                return;
            }
            (FAIR, outcome) => 6 + outcome - Kind::Bes as u8,
            _ => return,
        };
        if let Some(label) = cell.gold.or(cell.pred) {
            self.rows[label as usize].0[usize::from(place)] += n;
        }
    }

    fn add_event(&mut self, event: &Event, gold: &[Span<i64>], pred: &[Span<i64>]) {
        let cell = Cell {
            criterion: event.criterion,
            outcome: event.outcome,
            gold: event.gold.map(|at| gold[at as usize].ty),
            pred: event.pred.map(|at| pred[at as usize].ty),
        };
        self.add(&cell, 1);
    }

    fn pairs(&self) -> impl Iterator<Item = (u8, u32, u32, u64)> {
        let pairs = self.pairs.iter();
        pairs.map(|(&(error, gold, pred), &n)| (error, gold, pred, n))
    }
}

/// Counts the errors of a sentence. The lists keep the spans that are in no pair, by length; spans of
/// which a pair took tokens get a new set.
#[pyfunction]
#[pyo3(signature = (target, system, focus, /))]
pub(crate) fn fair_compare<'py>(
    target: &Bound<'py, PyList>,
    system: &Bound<'py, PyList>,
    focus: &str,
) -> Result<Bound<'py, PyDict>> {
    let py = target.py();
    let labels = PyDict::new(py);
    let (gold, pred) = (Given::read(target, &labels)?, Given::read(system, &labels)?);
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
    let mut evaluated = Evaluated::new(labels.len());
    for event in &events.0 {
        evaluated.add_event(event, &gold.spans, &pred.spans);
    }
    if !target.is(system) {
        for (of_pred, at, runs) in matcher.reduced() {
            let side = if of_pred { system } else { target };
            let left: Vec<i64> = runs.iter().flat_map(|run| run.0..run.1).collect();
            side.get_item(at as usize)?
                .set_item(3, PySet::new(py, left)?)?;
        }
        for (side, kind) in [(target, Kind::Fn), (system, Kind::Fp)] {
            let of = events.of(FAIR).filter(|event| event.outcome == kind as u8);
            let left = of.filter_map(|event| event.gold.or(event.pred));
            let spans: PyResult<Vec<_>> = left.map(|at| side.get_item(at as usize)).collect();
            side.set_slice(0, side.len(), PyList::new(py, spans?)?.as_any())?;
        }
    }
    Ok(evaluation(
        &labels.keys(),
        &evaluated.rows,
        evaluated.pairs(),
        focus,
    )?)
}

/// Counts the errors of two span files. Gives `types` (label to a row, in the order of appearance), `le` and `lbe`
/// (gold label, pred label, number), and `gold_types`, the labels in the order in which gold first has them.
#[pyfunction]
#[pyo3(signature = (gold, pred, only, /))]
pub(crate) fn faireval_files<'py>(
    py: Python<'py>,
    gold: SpanFileOptions<'py>,
    pred: SpanFileOptions<'py>,
    only: FilterTuple,
) -> Result<Bound<'py, PyDict>> {
    let ((gold, _), (pred, _)) = (gold.open()?, pred.open()?);
    let matcher = Matcher::default().with_watch(stop);
    let mut scorer = Scorer::new(Box::new(matcher), 0).with_filter(type_filter(only));
    let mut progress = Progress::new(None);
    let read = py.detach(|| {
        spanrs::span_files::score_spans(gold, pred, &mut scorer, &mut |n| progress.tell(n))
    });
    let files = progress.check(read.map_err(Error::from))?;
    let evaluated = evaluate(scorer.span_counts(), &files.types);
    let state = PyDict::new(py);
    let rows = PyDict::new(py);
    for (name, Row(numbers)) in files.types.iter().zip(&evaluated.rows) {
        if numbers.iter().any(|n| *n > 0) {
            rows.set_item(name, PyTuple::new(py, numbers)?)?;
        }
    }
    state.set_item("types", rows)?;
    for (error, key) in [(0, "le"), (1, "lbe")] {
        let pairs = evaluated.pairs().filter(|pair| pair.0 == error);
        let name = |label: u32| files.types[label as usize].as_str();
        let named: Vec<_> = pairs.map(|(_, g, p, n)| (name(g), name(p), n)).collect();
        state.set_item(key, named)?;
    }
    state.set_item("gold_types", files.gold_types)?;
    Ok(state)
}

/// The counts by the places of labels.
fn evaluate(counts: &Counts, labels: &[String]) -> Evaluated {
    let places: BTreeMap<&str, u32> = labels.iter().map(String::as_str).zip(0..).collect();
    let place = |ty: Option<u32>| ty.and_then(|ty| places.get(counts.type_name(ty)).copied());
    let mut evaluated = Evaluated::new(labels.len());
    for (id, cell) in (0..).zip(counts.cells()) {
        let cell = Cell {
            gold: place(cell.gold),
            pred: place(cell.pred),
            ..*cell
        };
        evaluated.add(&cell, counts.total(id));
    }
    evaluated
}

/// Lays counts out as `fair_compare` gives them. A row is that of `fair_count`; a pair is (0 for LE and 1
/// for LBE, place of the target's label, place of the system's, number).
#[pyfunction]
#[pyo3(signature = (labels, rows, pairs, focus, /))]
pub(crate) fn fair_evaluation<'py>(
    labels: &Bound<'py, PyList>,
    rows: Vec<RowTuple>,
    pairs: Vec<(u8, u32, u32, u64)>,
    focus: &str,
) -> Result<Bound<'py, PyDict>> {
    let rows: Vec<Row> = rows
        .into_iter()
        .map(|(a, b, c, d, e, f, g, h, i)| Row([a, b, c, d, e, f, g, h, i]))
        .collect();
    Ok(evaluation(labels, &rows, pairs.into_iter(), focus)?)
}

/// Adds to a number of a dictionary.
fn add(counts: &Bound<'_, PyDict>, key: &Bound<'_, PyAny>, n: u64) -> PyResult<()> {
    if n == 0 {
        return Ok(());
    }
    let known: u64 = match counts.get_item(key)? {
        Some(known) => known.extract()?,
        None => 0,
    };
    counts.set_item(key, known + n)
}

/// Traditional and fair counts, whose keys are all there.
struct Tables<'py> {
    traditional: Bound<'py, PyDict>,
    fair: Bound<'py, PyDict>,
}

impl<'py> Tables<'py> {
    fn zeros(py: Python<'py>) -> PyResult<Self> {
        let (traditional, fair) = (PyDict::new(py), PyDict::new(py));
        for key in ["TP", "FP", "FN"] {
            traditional.set_item(key, 0)?;
        }
        for key in ["TP", "FP", "FN", "LE", "BE", "BEO", "BES", "BEL", "LBE"] {
            fair.set_item(key, 0)?;
        }
        Ok(Self { traditional, fair })
    }

    fn copy(&self) -> PyResult<Self> {
        Ok(Self {
            traditional: self.traditional.copy()?,
            fair: self.fair.copy()?,
        })
    }

    fn fill(&self, row: &Row) -> PyResult<()> {
        let set = |counts: &Bound<'_, PyDict>, key: &str, n: u64| match n {
            0 => Ok(()),
            _ => counts.set_item(key, n),
        };
        let [exact_tp, exact_fp, exact_fn, tp, fp, fn_, bes, bel, beo] = row.0;
        set(&self.traditional, "TP", exact_tp)?;
        set(&self.traditional, "FP", exact_fp)?;
        set(&self.traditional, "FN", exact_fn)?;
        set(&self.fair, "TP", tp)?;
        set(&self.fair, "FP", fp)?;
        set(&self.fair, "FN", fn_)?;
        set(&self.fair, "BE", bes + bel + beo)?;
        set(&self.fair, "BES", bes)?;
        set(&self.fair, "BEL", bel)?;
        set(&self.fair, "BEO", beo)
    }

    fn named(&self) -> PyResult<Bound<'py, PyDict>> {
        let both = PyDict::new(self.fair.py());
        both.set_item("traditional", &self.traditional)?;
        both.set_item("fair", &self.fair)?;
        Ok(both)
    }
}

fn evaluation<'py>(
    labels: &Bound<'py, PyList>,
    rows: &[Row],
    pairs: impl Iterator<Item = (u8, u32, u32, u64)>,
    focus: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let py = labels.py();
    let nothing = pyo3::types::PyString::new(py, "_").into_any();
    let zeros = Tables::zeros(py)?;
    let cells = PyDict::new(py);
    for label in labels.iter().chain([nothing.clone()]) {
        cells.set_item(label, 0)?;
    }
    let conf = PyDict::new(py);
    for label in cells.keys() {
        conf.set_item(label, cells.copy()?)?;
    }
    let of = |label: &Bound<'py, PyAny>| -> PyResult<Bound<'py, PyDict>> {
        Ok(conf.as_any().get_item(label)?.cast_into()?)
    };
    let per_label = Tables {
        traditional: PyDict::new(py),
        fair: PyDict::new(py),
    };
    let mut total = Row::default();
    let mut tables = Vec::with_capacity(rows.len());
    for (label, row) in labels.iter().zip(rows) {
        let mine = zeros.copy()?;
        mine.fill(row)?;
        total.add(row);
        per_label.traditional.set_item(&label, &mine.traditional)?;
        per_label.fair.set_item(&label, &mine.fair)?;
        // A label "_" shares its cells with the absence of one, so these are added, not set.
        let cells = of(&label)?;
        let [.., fp, fn_, bes, bel, beo] = row.0;
        add(&cells, &label, bes + bel + beo)?;
        add(&cells, &nothing, fn_)?;
        add(&of(&nothing)?, &label, fp)?;
        tables.push((label, mine.fair, cells));
    }
    let overall = zeros.copy()?;
    overall.fill(&total)?;
    for (kind, target, system, n) in pairs {
        let error = pyo3::types::PyString::new(py, if kind == 0 { "LE" } else { "LBE" });
        let (Some((_, of_target, cells)), Some((label, of_system, _))) =
            (tables.get(target as usize), tables.get(system as usize))
        else {
            return Err(PyValueError::new_err(
                "a pair has a label that is not there",
            ));
        };
        add(&overall.fair, &error, n)?;
        add(cells, label, n)?;
        match focus {
            "target" => add(of_target, &error, n)?,
            "system" => add(of_system, &error, n)?,
            _ => {}
        }
    }
    let result = PyDict::new(py);
    result.set_item("overall", overall.named()?)?;
    result.set_item("per_label", per_label.named()?)?;
    result.set_item("conf", conf)?;
    Ok(result)
}
