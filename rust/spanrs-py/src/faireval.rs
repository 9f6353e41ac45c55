//! What FairEval's `compare_spans` gives: behind `spanrs.compat.faireval`.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet};
use spanrs_eval::Placed;
use spanrs_eval::fair::{FairCounts, Kind, Matcher, Row, Spans, TokenSets};

use crate::error::Result;
use crate::fair::RowTuple;
use crate::span_tuples::PushTokens;
use crate::stop;

/// No index is farther from 0: lengths and sums of them are numbers then.
const FARTHEST: u64 = 1 << 60;
/// Spans from which on other threads may run while they are matched.
const MANY: usize = 1 << 10;

/// The spans of one side: lists of label, first token, last token, and a set of tokens.
struct Given {
    placed: Vec<Placed>,
    tokens: TokenSets,
    whole: bool,
}

impl Given {
    /// Reads spans, and numbers their labels.
    fn read(spans: &Bound<'_, PyList>, labels: &Bound<'_, PyDict>) -> Result<Self> {
        let mut given = Self {
            placed: Vec::with_capacity(spans.len()),
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
            given.whole &= given.tokens.get(given.placed.len()).is_none();
            given.placed.push(Placed {
                start: begin,
                end: behind,
                ty,
            });
        }
        Ok(given)
    }

    fn spans(&self) -> Spans<'_> {
        if self.whole {
            Spans::whole(&self.placed)
        } else {
            Spans::with_tokens(&self.placed, &self.tokens, 0)
        }
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
    let mut matcher = Matcher::default().with_decisions().with_watch(stop);
    let mut counts = FairCounts::default();
    if gold.placed.len() + pred.placed.len() < MANY {
        matcher.run(gold.spans(), pred.spans(), &mut counts);
    } else {
        py.detach(|| matcher.run(gold.spans(), pred.spans(), &mut counts));
    }
    if matcher.stopped() {
        return Err(spanrs_jobs::Error::Stopped.into());
    }
    counts.types.resize(labels.len(), Row::default());
    if !target.is(system) {
        for (of_pred, at, runs) in matcher.reduced() {
            let side = if of_pred { system } else { target };
            let left: Vec<i64> = runs.iter().flat_map(|run| run.0..run.1).collect();
            side.get_item(at as usize)?
                .set_item(3, PySet::new(py, left)?)?;
        }
        for (side, kind) in [(target, Kind::Fn), (system, Kind::Fp)] {
            let of = matcher
                .decisions()
                .iter()
                .filter(|decision| decision.kind == kind);
            let left = of.filter_map(|decision| decision.gold.or(decision.pred));
            let spans: PyResult<Vec<_>> = left.map(|at| side.get_item(at as usize)).collect();
            side.set_slice(0, side.len(), PyList::new(py, spans?)?.as_any())?;
        }
    }
    let pairs = [(0, &counts.le), (1, &counts.lbe)]
        .into_iter()
        .flat_map(|(kind, pairs)| pairs.iter().map(move |(&(t, s), &n)| (kind, t, s, n)));
    Ok(evaluation(&labels.keys(), &counts.types, pairs, focus)?)
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
        .map(
            |(exact_tp, exact_fp, exact_fn, tp, fp, fn_, bes, bel, beo)| Row {
                exact_tp,
                exact_fp,
                exact_fn,
                tp,
                fp,
                fn_,
                bes,
                bel,
                beo,
            },
        )
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
        set(&self.traditional, "TP", row.exact_tp)?;
        set(&self.traditional, "FP", row.exact_fp)?;
        set(&self.traditional, "FN", row.exact_fn)?;
        set(&self.fair, "TP", row.tp)?;
        set(&self.fair, "FP", row.fp)?;
        set(&self.fair, "FN", row.fn_)?;
        set(&self.fair, "BE", row.bes + row.bel + row.beo)?;
        set(&self.fair, "BES", row.bes)?;
        set(&self.fair, "BEL", row.bel)?;
        set(&self.fair, "BEO", row.beo)
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
        add(&cells, &label, row.bes + row.bel + row.beo)?;
        add(&cells, &nothing, row.fn_)?;
        add(&of(&nothing)?, &label, row.fp)?;
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
