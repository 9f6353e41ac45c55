//! Counts of outcomes: behind `spanrs.Result`.

use std::sync::{Arc, Mutex, MutexGuard};

use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyList, PyString, PyTuple};
use spanrs_eval::outcomes::{Counts as Core, CountsError, Key, Measure, Prf, Term};
use spanrs_eval::schema_of;

use crate::error::{Error, Result};
use crate::locks::lock;
use crate::mat::MatOutcome;
use crate::measures::{
    Amount, MeasureTuple, OutcomesTuple, SummaryTuple, Triple, axis_of, checked, measure,
    outcomes_tuple, score_tuple,
};

/// How often each outcome occurred between each pair of types, in all and by document. It does not change.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Counts(pub(crate) Arc<Core>);

/// (criterion, outcome, gold type, pred type, number)
type CellTuple<'a, N = u64> = (u8, u8, Option<&'a str>, Option<&'a str>, N);

pub(crate) fn wrong(error: &CountsError) -> Error {
    let code = match error {
        CountsError::Schema { .. } | CountsError::Documents => "signature",
        CountsError::Rename { .. } => "rename",
        CountsError::OpenDocument | CountsError::Overflow => "counts",
        CountsError::Repeated { .. } | CountsError::Unpaired { .. } | CountsError::Gold { .. } => {
            "documents"
        }
        CountsError::Version | CountsError::Order | CountsError::Damaged { .. } => "damaged",
    };
    Error::counts(error.to_string(), code)
}

impl From<CountsError> for Error {
    fn from(error: CountsError) -> Self {
        wrong(&error)
    }
}

pub(crate) fn bad(message: impl Into<String>) -> Error {
    PyValueError::new_err(message.into()).into()
}

fn key<'py>(py: Python<'py>, key: &Key) -> PyResult<Bound<'py, PyAny>> {
    match key {
        Key::Number(number) => Ok(number.into_pyobject(py)?.into_any()),
        Key::Name(name) => Ok(name.into_pyobject(py)?.into_any()),
    }
}

#[pymethods]
impl Counts {
    /// The matcher.
    #[getter]
    fn matcher(&self) -> &'static str {
        self.0.schema().name
    }

    /// True where documents have rows.
    #[getter]
    fn by_document(&self) -> bool {
        self.0.has_documents()
    }

    /// All cells that occur, in all documents or in one.
    #[pyo3(signature = (document=None, /))]
    fn cells(&self, document: Option<usize>) -> Result<Vec<CellTuple<'_>>> {
        let Some(document) = document else {
            let ids = 0..self.0.cells().len() as u32;
            let all = ids.map(|id| (id, self.0.total(id)));
            return Ok(all
                .filter(|(_, n)| *n > 0)
                .map(|(id, n)| self.tuple(id, n))
                .collect());
        };
        let row = self.0.row(document);
        let row = row.ok_or_else(|| PyIndexError::new_err("there is no such document"))?;
        let cells = row.cells.iter().zip(row.n);
        Ok(cells.map(|(&id, &n)| self.tuple(id, n)).collect())
    }

    /// Names or numbers of the documents, in the order in which they were counted or merged.
    fn documents<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let keys: PyResult<Vec<_>> = self.0.rows().map(|row| key(py, row.key)).collect();
        PyList::new(py, keys?)
    }

    /// Number of documents.
    fn __len__(&self) -> usize {
        self.0.rows().len()
    }

    /// What a criterion says: (all, macro, weighted, types). `all` is (outcomes, totals, score), and `types` has (name,
    /// outcomes, totals, score); outcomes are numbers, totals are TP, FP and FN, a score is precision, recall, F1 and
    /// support.
    #[pyo3(signature = (criterion, terms=None, axis=None, weights=None, /))]
    fn summary(
        &self,
        py: Python<'_>,
        criterion: u8,
        terms: Option<Vec<Term>>,
        axis: Option<&str>,
        weights: Option<Vec<f64>>,
    ) -> Result<SummaryTuple<'_>> {
        let prf = self.prf(criterion, terms, axis)?;
        let sums = self.sums(weights)?;
        let found = py.detach(|| self.0.summary(&prf, &sums));
        let types = found.types.into_iter().map(|(ty, one)| {
            let (outcomes, totals, score) = outcomes_tuple(one);
            (self.0.type_name(ty), outcomes, totals, score)
        });
        Ok((
            outcomes_tuple(found.all),
            score_tuple(found.macro_mean),
            score_tuple(found.weighted_mean),
            types.collect(),
        ))
    }

    /// For each document its name or index, and (outcomes, totals, score) as returned by `summary`.
    #[pyo3(signature = (criterion, terms=None, /))]
    fn document_summaries<'py>(
        &self,
        py: Python<'py>,
        criterion: u8,
        terms: Option<Vec<Term>>,
    ) -> Result<Vec<(Bound<'py, PyAny>, OutcomesTuple)>> {
        let prf = self.prf(criterion, terms, None)?;
        let found = self.0.document_outcomes(&prf);
        found
            .map(|(name, one)| Ok((key(py, name)?, outcomes_tuple(one))))
            .collect()
    }

    /// Triples of gold type, pred type and number, without the outcomes that are left out. Spans of the outcome
    /// `mistyped` are missed and spurious besides.
    #[pyo3(signature = (criterion, left_out, mistyped=None, weights=None, /))]
    fn confusion(
        &self,
        criterion: u8,
        left_out: Vec<u8>,
        mistyped: Option<u8>,
        weights: Option<Vec<f64>>,
    ) -> Result<Vec<Triple<'_>>> {
        let criterion = checked(&self.0, criterion)?;
        let sums = self.sums(weights)?;
        let found = self.0.confusion(criterion, &left_out, mistyped, &sums);
        let name = |ty: Option<u32>| ty.map(|ty| self.0.type_name(ty));
        let triples = found.into_iter();
        Ok(triples
            .map(|((gold, pred), n)| (name(gold), name(pred), Amount(n)))
            .collect())
    }

    /// All rows as columns, by name: document (None without documents), criterion, outcome, gold type and pred type
    /// (None for none), n.
    fn long<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let name = |ty: Option<u32>| match ty {
            Some(ty) => PyString::new(py, self.0.type_name(ty)).into_any(),
            None => py.None().into_bound(py),
        };
        let criteria = self.0.schema().criteria;
        let names: Vec<[Bound<'py, PyAny>; 4]> = self
            .0
            .cells()
            .iter()
            .map(|cell| {
                let criterion = &criteria[usize::from(cell.criterion)];
                let outcome = criterion.outcomes[usize::from(cell.outcome)];
                let [criterion, outcome] =
                    [criterion.name, outcome.name].map(|name| PyString::new(py, name).into_any());
                [criterion, outcome, name(cell.gold), name(cell.pred)]
            })
            .collect();
        let columns = ["document", "criterion", "outcome", "gold", "pred", "n"]
            .map(|name| (name, PyList::empty(py)));
        let push = |document: &Bound<'py, PyAny>, id: u32, n: u64| -> PyResult<()> {
            let [(_, documents), cells @ .., (_, counts)] = &columns;
            documents.append(document)?;
            for ((_, column), name) in cells.iter().zip(&names[id as usize]) {
                column.append(name)?;
            }
            counts.append(n)
        };
        for row in self.0.rows() {
            let document = key(py, row.key)?.str()?.into_any();
            for (&id, &n) in row.cells.iter().zip(row.n) {
                push(&document, id, n)?;
            }
        }
        if !self.0.has_documents() {
            let none = py.None().into_bound(py);
            for id in (0..self.0.cells().len() as u32).filter(|&id| self.0.total(id) > 0) {
                push(&none, id, self.0.total(id))?;
            }
        }
        columns.into_py_dict(py)
    }

    /// As [`Counts::cells`], each document counting as often as its weight says.
    #[pyo3(signature = (weights, /))]
    fn weighted(&self, weights: Vec<f64>) -> Result<Vec<CellTuple<'_, Amount>>> {
        let sums = self.sums(Some(weights))?;
        let sums = (0..).zip(sums).filter(|(_, n)| *n > 0.0);
        Ok(sums
            .map(|(id, n)| {
                let (criterion, outcome, gold, pred, _) = self.tuple(id, 0);
                (criterion, outcome, gold, pred, Amount(n))
            })
            .collect())
    }

    /// These and other counts together.
    #[pyo3(signature = (others, /))]
    fn merge(&self, py: Python<'_>, others: Vec<Bound<'_, Self>>) -> Result<Self> {
        let others: Vec<Arc<Core>> = others.iter().map(|other| other.get().0.clone()).collect();
        py.detach(|| {
            let mut all = Core::clone(&self.0);
            for other in others {
                all.merge(&other)?;
            }
            Ok(Self(Arc::new(all)))
        })
    }

    /// These counts and another layer of annotations of the same documents; what is counted for sentences and tokens
    /// of the criterion `once` is not counted again, but for these outcomes.
    #[pyo3(signature = (other, once, again, /))]
    fn join(&self, other: &Self, once: u8, again: Vec<u8>) -> Result<Self> {
        let mut all = Core::clone(&self.0);
        all.join(&other.0, |cell| {
            cell.criterion != once || again.contains(&cell.outcome)
        })?;
        Ok(Self(Arc::new(all)))
    }

    /// The same spans under other names of types; None leaves a type out.
    #[pyo3(signature = (rename, /))]
    fn renamed(&self, rename: &Bound<'_, PyAny>) -> Result<Self> {
        let mut names = Vec::new();
        for ty in 0..self.0.types() as u32 {
            let name = self.0.type_name(ty);
            names.push((name, rename.call1((name,))?.extract::<Option<String>>()?));
        }
        let names: std::collections::HashMap<&str, Option<String>> = names.into_iter().collect();
        let renamed = self.0.renamed(|name| names.get(name).cloned().flatten());
        Ok(Self(Arc::new(renamed?)))
    }

    /// The value of each measure for all that was counted.
    #[pyo3(signature = (measures, /))]
    fn measures<'py>(
        &self,
        py: Python<'py>,
        measures: Vec<MeasureTuple>,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let measures: Vec<Measure> = measures
            .into_iter()
            .map(|one| measure(&self.0, one))
            .collect::<Result<_>>()?;
        let values = py.detach(|| self.0.measures(&measures));
        Ok(PyArray1::from_vec(py, values))
    }

    /// The same counts with documents called `prefix:key`.
    #[pyo3(signature = (prefix, /))]
    fn prefixed(&self, prefix: &str) -> Self {
        Self::new(self.core().prefixed(prefix))
    }

    /// The counts as bytes, equal for equal counts whatever the order of merging.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The place of each document in the bytes; None where it is the same.
    fn stored_order(&self, py: Python<'_>) -> Option<Vec<usize>> {
        py.detach(|| self.0.stored_order())
    }

    /// What [`Counts::to_bytes`] and [`Counts::stored_order`] gave.
    #[staticmethod]
    #[pyo3(signature = (stored, matcher, order=None, /))]
    fn from_bytes(
        py: Python<'_>,
        stored: &[u8],
        matcher: &str,
        order: Option<Vec<usize>>,
    ) -> Result<Self> {
        let schema = schema_of(matcher).ok_or_else(|| bad(format!("no matcher {matcher:?}")))?;
        let counts = py.detach(|| {
            let counts = Core::from_bytes(stored, schema)?;
            match order {
                Some(order) => counts.reordered(&order),
                None => Ok(counts),
            }
        });
        Ok(Self(Arc::new(counts?)))
    }

    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        py.detach(|| matches!((self.0.to_bytes(), other.0.to_bytes()), (Ok(a), Ok(b)) if a == b))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyTuple>> {
        let make = py
            .import("spanrs._spanrs")?
            .getattr("Counts")?
            .getattr("from_bytes")?;
        let arguments = (self.to_bytes(py)?, self.matcher(), self.stored_order(py));
        Ok((make, arguments).into_pyobject(py)?)
    }
}

impl Counts {
    pub(crate) fn new(counts: Core) -> Self {
        Self(Arc::new(counts))
    }

    /// A copy for one who changes it.
    pub(crate) fn core(&self) -> Core {
        Core::clone(&self.0)
    }

    fn tuple(&self, id: u32, n: u64) -> CellTuple<'_> {
        let cell = &self.0.cells()[id as usize];
        let name = |ty: Option<u32>| ty.map(|ty| self.0.type_name(ty));
        (
            cell.criterion,
            cell.outcome,
            name(cell.gold),
            name(cell.pred),
            n,
        )
    }

    fn prf(&self, criterion: u8, terms: Option<Vec<Term>>, axis: Option<&str>) -> Result<Prf> {
        Ok(Prf {
            terms,
            axis: axis.map(axis_of).transpose()?,
            ..Prf::f1(checked(&self.0, criterion)?)
        })
    }

    /// The total of each cell, optionally weighted by document.
    fn sums(&self, weights: Option<Vec<f64>>) -> Result<Vec<f64>> {
        let Some(weights) = weights else {
            return Ok(self.0.all_totals());
        };
        let sums = self.0.weighted_totals(&weights);
        sums.ok_or_else(|| {
            bad(format!(
                "there are {} documents and {} weights; give one each",
                self.0.rows().len(),
                weights.len()
            ))
        })
    }
}

/// Accumulates the outcomes of text documents.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct DocumentTotals(Mutex<Core>);

#[pymethods]
impl DocumentTotals {
    #[new]
    #[pyo3(signature = (by_document, /))]
    fn new(by_document: bool) -> Self {
        let schema = &spanrs_eval::mat::SCHEMA;
        Self(Mutex::new(match by_document {
            true => Core::by_document(schema),
            false => Core::new(schema),
        }))
    }

    /// Adds the outcomes of one pair of documents under this name.
    #[pyo3(signature = (outcome, name, /))]
    fn add(&self, outcome: &MatOutcome, name: &str) -> Result<()> {
        let name = Key::Name(name.into());
        Ok(self.lock().add_document(name, outcome.counts())?)
    }

    /// What was added so far.
    fn counts(&self) -> Counts {
        Counts::new(self.lock().clone())
    }
}

impl DocumentTotals {
    /// The counts. What a thread left half done when it failed is whole enough: adding cannot fail half way.
    fn lock(&self) -> MutexGuard<'_, Core> {
        lock(&self.0)
    }
}
