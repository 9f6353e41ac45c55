//! Resampling of the documents of one or several systems: behind `Result.bootstrap` and `spanrs.compare`.

use std::sync::Arc;

use numpy::{PyArray1, PyArray3};
use pyo3::prelude::*;
use spanrs_eval::outcomes::{Counts as Core, CountsError, Measure, Systems as CoreSystems};

use crate::counts::{Counts, bad, wrong};
use crate::error::{Error, Result};
use crate::measures::{MeasureTuple, measure};
use crate::stop;

/// Largest number of values of a resampling: a GiB.
const MOST_VALUES: u64 = 1 << 27;

/// Values by (sample, system, measure).
type Values<'py> = Bound<'py, PyArray3<f64>>;

/// Counts of systems on the same documents, aligned by key.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Systems(CoreSystems);

#[pymethods]
impl Systems {
    #[new]
    #[pyo3(signature = (counts, names, /))]
    fn new(py: Python<'_>, counts: Vec<Bound<'_, Counts>>, names: Vec<String>) -> Result<Self> {
        if counts.len() != names.len() || counts.is_empty() {
            return Err(bad("each system has a name and counts"));
        }
        let counts: Vec<Arc<Core>> = counts.iter().map(|counts| counts.get().0.clone()).collect();
        let aligned = py.detach(|| CoreSystems::new(counts));
        aligned.map(Self).map_err(|error| match error {
            CountsError::Repeated { document, system } => unpaired(format!(
                "{} has document {document} more than once; name each document once",
                names[system]
            )),
            CountsError::Unpaired { document, system } => unpaired(format!(
                "{} has no document {document}; paired tests need the same documents of every system",
                names[system]
            )),
            CountsError::Gold { document, system } => unpaired(format!(
                "{} and {} have different gold spans, sentences or tokens in document {document}; paired tests need \
                 the same gold data",
                names[0], names[system]
            )),
            other => wrong(&other),
        })
    }

    /// Number of documents.
    fn __len__(&self) -> usize {
        self.0.documents()
    }

    /// Measures of resampled corpora, an array of shape (samples, systems, measures).
    #[pyo3(signature = (measures, samples, seed, threads, /))]
    fn bootstrap<'py>(
        &self,
        py: Python<'py>,
        measures: Vec<MeasureTuple>,
        samples: u64,
        seed: u64,
        threads: usize,
    ) -> Result<Values<'py>> {
        let width = self.0.len() * measures.len();
        check_size(samples, width)?;
        let shape = (samples as usize, self.0.len(), measures.len());
        let found = py.detach(|| {
            let systems = &self.0;
            let measures = measures_of(systems, measures)?;
            let values = systems.bootstrap(&measures, samples, seed, threads, stop);
            Ok::<_, Error>(values.ok_or(spanrs::Error::Stopped)?)
        })?;
        array(py, shape, found)
    }

    /// How often an exchange of documents between two systems made an absolute difference at least as large as the
    /// observed one, by measure.
    #[pyo3(signature = (pair, measures, samples, seed, threads, /))]
    fn randomise(
        &self,
        py: Python<'_>,
        pair: [usize; 2],
        measures: Vec<MeasureTuple>,
        samples: u64,
        seed: u64,
        threads: usize,
    ) -> Result<Vec<u64>> {
        if pair.iter().any(|&system| system >= self.0.len()) {
            return Err(bad("there is no such system"));
        }
        py.detach(|| {
            let systems = &self.0;
            let measures = measures_of(systems, measures)?;
            let found = systems.randomise(pair, &measures, samples, seed, threads, stop);
            Ok(found.ok_or(spanrs::Error::Stopped)?)
        })
    }

    /// Measures without each document in turn: the number of documents that have the same counts, and an array of
    /// shape (groups, systems, measures).
    #[pyo3(signature = (measures, /))]
    fn jackknife<'py>(
        &self,
        py: Python<'py>,
        measures: Vec<MeasureTuple>,
    ) -> Result<(Bound<'py, PyArray1<u64>>, Values<'py>)> {
        let width = measures.len();
        check_size(self.0.documents() as u64, self.0.len() * width)?;
        let omissions = py.detach(|| {
            let systems = &self.0;
            let measures = measures_of(systems, measures)?;
            let omissions = systems.jackknife(&measures, stop);
            Ok::<_, Error>(omissions.ok_or(spanrs::Error::Stopped)?)
        })?;
        let shape = (omissions.len(), self.0.len(), width);
        let sizes = omissions.iter().map(|one| one.documents).collect();
        let values = omissions.into_iter().flat_map(|one| one.values).collect();
        Ok((PyArray1::from_vec(py, sizes), array(py, shape, values)?))
    }
}

/// Refuses more values than fit into memory.
fn check_size(rows: u64, width: usize) -> Result<()> {
    let values = (width as u64).saturating_mul(rows);
    if values <= MOST_VALUES {
        return Ok(());
    }
    let message = format!(
        "{rows} samples of {width} measures are {values} values, and {MOST_VALUES} is the limit"
    );
    Err(Error::counts(message, "too_many_values"))
}

fn unpaired(message: String) -> Error {
    Error::counts(message, "documents")
}

fn measures_of(systems: &CoreSystems, measures: Vec<MeasureTuple>) -> Result<Vec<Measure>> {
    let found = measures
        .into_iter()
        .map(|one| measure(systems.union(), one));
    found.collect()
}

fn array<'py>(
    py: Python<'py>,
    shape: (usize, usize, usize),
    values: Vec<f64>,
) -> Result<Values<'py>> {
    let array = numpy::ndarray::Array3::from_shape_vec(shape, values);
    let array = array.map_err(|error| bad(error.to_string()))?;
    Ok(PyArray3::from_owned_array(py, array))
}
