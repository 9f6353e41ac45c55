//! Resampling of the documents of one or several systems: the compiled part of `Result.bootstrap` and `spanrs.compare`.

use std::sync::Arc;

use numpy::{PyArray1, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use spanrs::base::Interrupted;
use spanrs::eval::outcomes::{Counts as Core, Measure, MeasureOptions, Systems as CoreSystems};

use crate::counts::{Counts, build_measures};
use crate::error::{Error, Result};
use crate::files::run_job;
use crate::plain::Plain;

/// A callback that gets the number of finished samples, and returns false to stop.
type Tell<'a> = dyn FnMut(u64) -> bool + Send + 'a;
/// Values indexed by (sample, system, measure).
type Values<'py> = Bound<'py, PyArray3<f64>>;

/// Counts of systems on the same documents, aligned by key.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Systems(CoreSystems);

#[pymethods]
impl Systems {
    #[new]
    #[pyo3(signature = (counts, names, /))]
    fn new(py: Python<'_>, counts: Vec<Bound<'_, Counts>>, names: Vec<String>) -> Result<Self> {
        let counts: Vec<Arc<Core>> = counts.iter().map(|counts| counts.get().0.clone()).collect();
        Ok(Self(py.detach(|| CoreSystems::named(counts, &names))?))
    }

    /// Number of documents.
    fn __len__(&self) -> usize {
        self.0.documents()
    }

    /// For each sentence of a system, the index of the same sentence in the first system; None if the documents of both
    /// systems are in the same order.
    #[pyo3(signature = (system, /))]
    fn sentence_numbers<'py>(
        &self,
        py: Python<'py>,
        system: usize,
    ) -> Result<Option<Bound<'py, PyArray1<u64>>>> {
        if system >= self.0.len() {
            return Err(Error::value("system is out of range"));
        }
        let numbers = py.detach(|| self.0.sentence_numbers(system));
        Ok(numbers.map(|numbers| PyArray1::from_vec(py, numbers)))
    }

    /// Measures of resampled corpora, an array of shape (samples, systems, measures). `progress` is called with the
    /// number of finished resamples.
    #[pyo3(signature = (measures, samples, seed, threads, progress=None, /))]
    fn bootstrap<'py>(
        &self,
        py: Python<'py>,
        measures: Plain<Vec<MeasureOptions>>,
        samples: u64,
        seed: u64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Result<Values<'py>> {
        self.0.check_size(samples, measures.0.len())?;
        let width = measures.0.len();
        let values = self.run(py, measures, progress, |systems, measures, tell| {
            systems.bootstrap(measures, samples, seed, threads, |done| !tell(done))
        })?;
        self.array(py, samples as usize, width, values)
    }

    /// The number of random exchanges of documents between two systems for which the absolute difference is at least as
    /// large as the observed difference, by measure. `progress` is called with the number of finished exchanges.
    #[pyo3(signature = (pair, measures, samples, seed, threads, progress=None, /))]
    #[allow(clippy::too_many_arguments)] // Called from one place.
    fn randomise(
        &self,
        py: Python<'_>,
        pair: [usize; 2],
        measures: Plain<Vec<MeasureOptions>>,
        samples: u64,
        seed: u64,
        threads: usize,
        progress: Option<Py<PyAny>>,
    ) -> Result<Vec<u64>> {
        if pair.iter().any(|&system| system >= self.0.len()) {
            return Err(Error::value("system is out of range"));
        }
        self.run(py, measures, progress, |systems, measures, tell| {
            systems.randomise(pair, measures, samples, seed, threads, |done| !tell(done))
        })
    }

    /// Measures with each document removed in turn. Returns the number of documents in each group with the same counts,
    /// and an array of shape (groups, systems, measures).
    #[pyo3(signature = (measures, /))]
    fn jackknife<'py>(
        &self,
        py: Python<'py>,
        measures: Plain<Vec<MeasureOptions>>,
    ) -> Result<(Bound<'py, PyArray1<u64>>, Values<'py>)> {
        let width = measures.0.len();
        self.0.check_size(self.0.documents() as u64, width)?;
        let omissions = self.run(py, measures, None, |systems, measures, tell| {
            systems.jackknife(measures, || !tell(0))
        })?;
        let sizes: Vec<_> = omissions.iter().map(|one| one.documents).collect();
        let values = omissions.into_iter().flat_map(|one| one.values).collect();
        let values = self.array(py, sizes.len(), width, values)?;
        Ok((PyArray1::from_vec(py, sizes), values))
    }
}

impl Systems {
    /// Runs a job without the GIL. The job reports progress through `tell`, whose result is false after an interrupt.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        options: Plain<Vec<MeasureOptions>>,
        progress: Option<Py<PyAny>>,
        job: impl FnOnce(&CoreSystems, &[Measure], &mut Tell<'_>) -> Option<T> + Send,
    ) -> Result<T> {
        let measures = build_measures(self.0.union(), options)?;
        run_job(py, progress, |tell| {
            job(&self.0, &measures, tell).ok_or(Interrupted)
        })
    }

    fn array<'py>(
        &self,
        py: Python<'py>,
        rows: usize,
        measures: usize,
        values: Vec<f64>,
    ) -> Result<Values<'py>> {
        Ok(PyArray1::from_vec(py, values).reshape([rows, self.0.len(), measures])?)
    }
}
