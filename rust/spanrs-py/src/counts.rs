//! Counts of outcomes: the compiled part of `spanrs.Result`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use numpy::PyArray1;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBytes, PyDict, PyList, PyString, PyTuple};
use spanrs::eval::outcomes::{
    Amount, Axis, Counts as Core, Key, Measure, MeasureOptions, Outcomes, Prf, Term,
};
use spanrs::schema_of;

use crate::error::Result;
use crate::locks::lock;
use crate::mat::MatOutcome;
use crate::plain::Plain;

/// The number of each outcome for each pair of types, in total and by document. Immutable.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Counts(pub(crate) Arc<Core>);

/// (criterion, outcome, gold type, pred type, number)
type CellTuple<'a, N = u64> = (u8, u8, Option<&'a str>, Option<&'a str>, N);

/// Gold type, pred type, number; None means no span.
type Triple<'a> = (Option<&'a str>, Option<&'a str>, Plain<Amount>);

/// Creates measures for some counts.
pub(crate) fn build_measures(
    counts: &Core,
    Plain(options): Plain<Vec<MeasureOptions>>,
) -> Result<Vec<Measure>> {
    let measures = options
        .into_iter()
        .map(|options| Ok(options.build(counts)?));
    measures.collect()
}

/// The key of a document.
#[derive(IntoPyObject)]
enum PyKey<'a> {
    #[pyo3(transparent)]
    Number(u64),
    #[pyo3(transparent)]
    Name(&'a str),
}

fn key(key: &Key) -> PyKey<'_> {
    match key {
        Key::Number(number) => PyKey::Number(*number),
        Key::Name(name) => PyKey::Name(name),
    }
}

#[pymethods]
impl Counts {
    /// The matcher.
    #[getter]
    fn matcher(&self) -> &'static str {
        self.0.schema().name
    }

    /// Whether there is a row for each document.
    #[getter]
    fn by_document(&self) -> bool {
        self.0.has_documents()
    }

    /// The cells with counts, of all documents or of one document.
    #[pyo3(signature = (document=None, /))]
    fn cells(&self, document: Option<usize>) -> Result<Vec<CellTuple<'_>>> {
        let Some(document) = document else {
            let all = self.0.cell_totals();
            return Ok(all.map(|(id, n)| self.tuple(id, n)).collect());
        };
        let row = self.0.row(document);
        let row = row.ok_or_else(|| PyIndexError::new_err("document is out of range"))?;
        let cells = row.cells.iter().zip(row.n);
        Ok(cells.map(|(&id, &n)| self.tuple(id, n)).collect())
    }

    /// Names or numbers of the documents, in order.
    fn documents(&self) -> Vec<PyKey<'_>> {
        self.0.rows().map(|row| key(row.key)).collect()
    }

    /// Number of documents.
    fn __len__(&self) -> usize {
        self.0.rows().len()
    }

    /// The summary of a criterion: outcomes over all types (`all`), `macro` and `weighted` means, and the outcomes of
    /// each type (`types`).
    #[pyo3(signature = (criterion, terms=None, axis=None, weights=None, /))]
    fn summary<'py>(
        &self,
        py: Python<'py>,
        criterion: u8,
        terms: Option<Vec<Term>>,
        axis: Option<Plain<Axis>>,
        weights: Option<Vec<f64>>,
    ) -> Result<Bound<'py, PyDict>> {
        let prf = self.prf(criterion, terms, axis)?;
        let sums = self.sums(weights)?;
        let summary = py.detach(|| self.0.summary(&prf, &sums));
        let types = summary.types.into_iter();
        let types: Vec<_> = types
            .map(|(ty, outcomes)| (self.0.type_name(ty), Plain(outcomes)))
            .collect();
        let parts = PyDict::new(py);
        parts.set_item("all", Plain(summary.all))?;
        parts.set_item("macro", Plain(summary.macro_mean))?;
        parts.set_item("weighted", Plain(summary.weighted_mean))?;
        parts.set_item("types", types)?;
        Ok(parts)
    }

    /// The name or index of each document, and its outcomes.
    #[pyo3(signature = (criterion, terms=None, /))]
    fn document_summaries(
        &self,
        criterion: u8,
        terms: Option<Vec<Term>>,
    ) -> Result<Vec<(PyKey<'_>, Plain<Outcomes>)>> {
        let prf = self.prf(criterion, terms, None)?;
        let documents = self.0.document_outcomes(&prf);
        Ok(documents
            .map(|(name, outcomes)| (key(name), Plain(outcomes)))
            .collect())
    }

    /// Triples of gold type, pred type and number, without the excluded outcomes. Spans with the outcome `mistyped` are
    /// also counted as missed and spurious; these counts are subtracted.
    #[pyo3(signature = (criterion, left_out, mistyped=None, weights=None, /))]
    fn confusion(
        &self,
        criterion: u8,
        left_out: Vec<u8>,
        mistyped: Option<u8>,
        weights: Option<Vec<f64>>,
    ) -> Result<Vec<Triple<'_>>> {
        let criterion = self.0.check_criterion(criterion)?;
        let sums = self.sums(weights)?;
        let found = self.0.confusion(criterion, &left_out, mistyped, &sums);
        let name = |ty: Option<u32>| ty.map(|ty| self.0.type_name(ty));
        let triples = found.into_iter();
        Ok(triples
            .map(|((gold, pred), n)| (name(gold), name(pred), Plain(Amount(n))))
            .collect())
    }

    /// All rows as columns, by name: document (None without documents), criterion, outcome, gold type and pred type
    /// (None for no span), n.
    fn long<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let text = |name: Option<&str>| name.map(|name| PyString::new(py, name));
        let names = (0..self.0.cells().len() as u32).map(|id| self.0.cell_names(id).map(text));
        let names: Vec<_> = names.collect();
        let columns = ["document", "criterion", "outcome", "gold", "pred", "n"]
            .map(|name| (name, PyList::empty(py)));
        let [(_, documents), texts @ .., (_, numbers)] = &columns;
        for (key, cells) in self.0.long() {
            let document = key.map(|key| PyString::new(py, &key.to_string()));
            for (id, n) in cells {
                documents.append(&document)?;
                for ((_, column), name) in texts.iter().zip(&names[id as usize]) {
                    column.append(name)?;
                }
                numbers.append(n)?;
            }
        }
        columns.into_py_dict(py)
    }

    /// Like [`Counts::cells`], with a weight for each document.
    #[pyo3(signature = (weights, /))]
    fn weighted(&self, weights: Vec<f64>) -> Result<Vec<CellTuple<'_, Plain<Amount>>>> {
        let sums = self.sums(Some(weights))?;
        let sums = (0..).zip(sums).filter(|(_, n)| *n > 0.0);
        Ok(sums
            .map(|(id, n)| {
                let (criterion, outcome, gold, pred, _) = self.tuple(id, 0);
                (criterion, outcome, gold, pred, Plain(Amount(n)))
            })
            .collect())
    }

    /// The sum of these counts and other counts.
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

    /// The sum with the counts of another layer of the same documents. Counts of sentences and tokens (criterion
    /// `once`) are not added, except for the outcomes in `again`.
    #[pyo3(signature = (other, once, again, /))]
    fn join(&self, other: &Self, once: u8, again: Vec<u8>) -> Result<Self> {
        let mut all = Core::clone(&self.0);
        all.join(&other.0, |cell| {
            cell.criterion != once || again.contains(&cell.outcome)
        })?;
        Ok(Self(Arc::new(all)))
    }

    /// The counts with renamed types; types renamed to None are removed.
    #[pyo3(signature = (rename, /))]
    fn renamed(&self, rename: &Bound<'_, PyAny>) -> Result<Self> {
        let mut names = Vec::new();
        for ty in 0..self.0.types() as u32 {
            let name = self.0.type_name(ty);
            names.push((name, rename.call1((name,))?.extract::<Option<String>>()?));
        }
        let names: HashMap<&str, Option<String>> = names.into_iter().collect();
        let renamed = self.0.renamed(|name| names.get(name).cloned().flatten());
        Ok(Self::new(renamed?))
    }

    /// The value of each measure.
    #[pyo3(signature = (measures, /))]
    fn measures<'py>(
        &self,
        py: Python<'py>,
        measures: Plain<Vec<MeasureOptions>>,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let measures = build_measures(&self.0, measures)?;
        let values = py.detach(|| self.0.measures(&measures));
        Ok(PyArray1::from_vec(py, values))
    }

    /// The counts with `prefix:` before the names of documents.
    #[pyo3(signature = (prefix, /))]
    fn prefixed(&self, prefix: &str) -> Self {
        Self::new(self.core().prefixed(prefix))
    }

    /// Serialises the counts. Equal counts have equal bytes, independent of the order of merging.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The index of each document in the serialised order; None if the order is the same.
    fn stored_order(&self, py: Python<'_>) -> Option<Vec<usize>> {
        py.detach(|| self.0.stored_order())
    }

    /// Restores counts from [`Counts::to_bytes`] and [`Counts::stored_order`].
    #[staticmethod]
    #[pyo3(signature = (stored, matcher, order=None, /))]
    fn from_bytes(
        py: Python<'_>,
        stored: &[u8],
        matcher: &str,
        order: Option<Vec<usize>>,
    ) -> Result<Self> {
        let schema = schema_of(matcher)?;
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
        let make = py.get_type::<Self>().getattr("from_bytes")?;
        let arguments = (self.to_bytes(py)?, self.matcher(), self.stored_order(py));
        Ok((make, arguments).into_pyobject(py)?)
    }
}

impl Counts {
    pub(crate) fn new(counts: Core) -> Self {
        Self(Arc::new(counts))
    }

    /// Returns an owned copy.
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

    fn prf(
        &self,
        criterion: u8,
        terms: Option<Vec<Term>>,
        axis: Option<Plain<Axis>>,
    ) -> Result<Prf> {
        Ok(Prf {
            terms,
            axis: axis.map(|axis| axis.0),
            ..Prf::f1(self.0.check_criterion(criterion)?)
        })
    }

    /// The total of each cell, optionally weighted by document.
    fn sums(&self, weights: Option<Vec<f64>>) -> Result<Vec<f64>> {
        Ok(match weights {
            None => self.0.all_totals(),
            Some(weights) => self.0.weighted_totals(&weights)?,
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
        let schema = &spanrs::eval::mat::SCHEMA;
        Self(Mutex::new(match by_document {
            true => Core::by_document(schema),
            false => Core::new(schema),
        }))
    }

    /// Adds the outcomes for one pair of documents under this name.
    #[pyo3(signature = (outcome, name, /))]
    fn add(&self, outcome: &MatOutcome, name: &str) -> Result<()> {
        let name = Key::Name(name.into());
        // A poisoned lock is harmless: adding cannot fail halfway.
        Ok(lock(&self.0).add_document(name, outcome.counts())?)
    }

    /// The counts so far.
    fn counts(&self) -> Counts {
        Counts::new(lock(&self.0).clone())
    }
}
