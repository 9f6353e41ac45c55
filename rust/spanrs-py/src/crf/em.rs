//! CRFs inside EM: behind `spanrs.crowd`.

use std::sync::{Mutex, MutexGuard, TryLockError};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use spanrs_base::Interner;
use spanrs_crf::{Constraint, Corpus, EmCrf, MAX_LABELS, Model, Target};

use super::crf;
use super::crowd::flat;
use super::model::{CrfModel, constraint_of};
use super::options::{c2_of, lbfgs_of, selection_of};
use super::trainer::{add_tokens, source_of};
use crate::error::Result;
use crate::stop;

/// Weights and scores, flat.
type Array<'py> = Bound<'py, PyArray1<f64>>;
type Given<'py> = PyReadonlyArray1<'py, f64>;

/// A CRF that is trained several times on the same sentences. Sentences and labels are numbers from 0; arrays are flat,
/// over the tokens or labellings of all sentences.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrowdCrf {
    labels: Interner<str>,
    attributes: Interner<str>,
    crf: Mutex<EmCrf>,
}

#[pymethods]
impl CrowdCrf {
    /// `numbers` is the number of labellings of each sentence, `labellings` their labels.
    #[new]
    #[pyo3(signature = (template, labels, sentences, numbers, labellings, options, /))]
    fn new(
        py: Python<'_>,
        template: Option<&str>,
        labels: Vec<String>,
        sentences: &Bound<'_, PyAny>,
        numbers: Vec<usize>,
        labellings: PyReadonlyArray1<'_, u32>,
        options: &Bound<'_, PyDict>,
    ) -> Result<Self> {
        let mut names: Interner<str> = Interner::default();
        for label in &labels {
            names.intern(label);
        }
        if names.len() > MAX_LABELS {
            let labels = names.len();
            return Err(crf(spanrs_crf::Error::Labels { labels }, None));
        }
        let (mut source, mut attributes) = (source_of(template)?, Interner::default());
        let mut corpus = Corpus::new(names.len(), 0);
        for (at, sentence) in sentences.try_iter()?.enumerate() {
            crate::pause(at)?;
            let size = names.len();
            let added = add_tokens(&mut corpus, size, &sentence?, &mut source, &mut attributes);
            let tokens = added.map_err(|error| error.in_sequence(at))?;
            let ended = corpus.end_sequence(Target::Labels(vec![0; tokens]), 1.0);
            ended.map_err(|error| crf(error, Some(at)))?;
        }
        let mut selection = selection_of(options)?;
        if let Some(least) = options.get_item("min_attribute_freq")? {
            selection.min_attribute_frequency = least.extract()?;
        }
        let labellings = labellings.as_slice().map_err(PyErr::from)?.to_vec();
        let made = py.detach(|| EmCrf::new(corpus, &numbers, labellings, selection));
        Ok(Self {
            labels: names,
            attributes,
            crf: Mutex::new(made.map_err(|error| crf(error, None))?),
        })
    }

    /// (tokens, attributes, weights)
    fn sizes(&self) -> Result<(usize, usize, usize)> {
        let crf = self.lock()?;
        let corpus = crf.corpus();
        Ok((corpus.tokens(), corpus.attributes(), crf.features().len()))
    }

    /// Sets the weight of each labelling.
    #[pyo3(signature = (weights, /))]
    fn set_weights(&self, py: Python<'_>, weights: Given) -> Result<()> {
        let weights = flat(&weights)?;
        let mut guard = self.lock()?;
        let em = &mut *guard;
        let set = py.detach(|| em.set_weights(weights));
        set.map_err(|error| crf(error, None))
    }

    /// Sets the distribution of each label and the expected counts of transitions of some sentences.
    #[pyo3(signature = (sentences, labels, transitions, /))]
    fn set_expected(&self, sentences: Vec<usize>, labels: Given, transitions: Given) -> Result<()> {
        let (mut labels, mut transitions) = (flat(&labels)?, flat(&transitions)?);
        let mut em = self.lock()?;
        let size = self.labels.len();
        for at in sentences {
            let shape = |what| spanrs_crf::Error::Shape {
                what,
                expected: at,
                found: 0,
            };
            if at >= em.corpus().sequences() {
                return Err(crf(shape("sentences"), Some(at)));
            }
            let tokens = em.corpus().sequence(at).len();
            let own = labels.split_at_checked(tokens * size);
            let pairs = transitions.split_at_checked(size * size);
            let (Some((own, more)), Some((pairs, others))) = (own, pairs) else {
                return Err(crf(shape("expected counts"), Some(at)));
            };
            (labels, transitions) = (more, others);
            let set = em.set_expected(at, own, pairs);
            set.map_err(|error| crf(error, Some(at)))?;
        }
        Ok(())
    }

    /// Says which sentences take part in training.
    #[pyo3(signature = (active, /))]
    fn set_active(&self, active: Vec<bool>) -> Result<()> {
        let set = self.lock()?.set_active(&active);
        set.map_err(|error| crf(error, None))
    }

    /// Trains from `weights` and gives the new ones and the objective.
    #[pyo3(signature = (weights, options, threads, /))]
    fn train<'py>(
        &self,
        py: Python<'py>,
        weights: Given,
        options: &Bound<'py, PyDict>,
        threads: usize,
    ) -> Result<(Array<'py>, f64)> {
        let mut weights = flat(&weights)?.to_vec();
        let (lbfgs, c2) = (lbfgs_of(options)?, c2_of(options)?);
        let mut guard = self.lock()?;
        let em = &mut *guard;
        let loss = py.detach(|| em.train(&lbfgs, c2, threads, &mut weights, stop));
        let loss = loss.map_err(|error| crf(error, None))?;
        Ok((PyArray1::from_vec(py, weights), loss))
    }

    /// Log-probability of each labelling.
    #[pyo3(signature = (weights, threads, /))]
    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        weights: Given,
        threads: usize,
    ) -> Result<Array<'py>> {
        let weights = flat(&weights)?;
        let mut guard = self.lock()?;
        let em = &mut *guard;
        let logs = py.detach(|| em.log_likelihoods(weights, threads, stop));
        Ok(PyArray1::from_vec(
            py,
            logs.map_err(|error| crf(error, None))?,
        ))
    }

    /// Best label of each token, with a scheme the best legal ones.
    #[pyo3(signature = (weights, scheme, threads, /))]
    fn best<'py>(
        &self,
        py: Python<'py>,
        weights: Given,
        scheme: Option<&str>,
        threads: usize,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let (weights, constraint) = (flat(&weights)?, self.constraint(scheme)?);
        let mut guard = self.lock()?;
        let em = &mut *guard;
        let best = py.detach(|| em.best(weights, constraint.as_ref(), threads, stop));
        let best = best.map_err(|error| crf(error, None))?.into_iter();
        Ok(PyArray1::from_vec(
            py,
            best.map(|label| label as i64).collect(),
        ))
    }

    /// Marginals of all labels of each token.
    #[pyo3(signature = (weights, scheme, threads, /))]
    fn marginals<'py>(
        &self,
        py: Python<'py>,
        weights: Given,
        scheme: Option<&str>,
        threads: usize,
    ) -> Result<Array<'py>> {
        let (weights, constraint) = (flat(&weights)?, self.constraint(scheme)?);
        let constraint = constraint.as_ref();
        let mut guard = self.lock()?;
        let em = &mut *guard;
        let rows = py.detach(|| em.marginals(weights, constraint, threads, stop));
        Ok(PyArray1::from_vec(
            py,
            rows.map_err(|error| crf(error, None))?,
        ))
    }

    /// Scores of all labels of each token, and of transitions.
    #[pyo3(signature = (weights, threads, /))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        weights: Given,
        threads: usize,
    ) -> Result<(Array<'py>, Array<'py>)> {
        let weights = flat(&weights)?;
        let mut guard = self.lock()?;
        let em = &mut *guard;
        let scores = py.detach(|| em.scores(weights, threads, stop));
        let (rows, transitions) = scores.map_err(|error| crf(error, None))?;
        Ok((
            PyArray1::from_vec(py, rows),
            PyArray1::from_vec(py, transitions),
        ))
    }

    /// The model with these weights.
    #[pyo3(signature = (weights, metadata, /))]
    fn model(&self, py: Python<'_>, weights: Given, metadata: String) -> Result<CrfModel> {
        let weights = flat(&weights)?.to_vec();
        let features = self.lock()?.features().clone();
        let model = py.detach(|| {
            let (labels, attributes) = (self.labels.clone(), self.attributes.clone());
            let model = Model::new(labels, attributes, features, weights, metadata);
            model.and_then(Model::pruned)
        });
        CrfModel::of(model.map_err(|error| crf(error, None))?)
    }
}

impl CrowdCrf {
    /// The CRF; an error while another thread uses it, which waiting could block forever.
    fn lock(&self) -> Result<MutexGuard<'_, EmCrf>> {
        match self.crf.try_lock() {
            Ok(crf) => Ok(crf),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(PyRuntimeError::new_err("the CRF is in use in another thread").into())
            }
        }
    }

    fn constraint(&self, scheme: Option<&str>) -> Result<Option<Constraint>> {
        scheme
            .map(|scheme| constraint_of(scheme, &self.labels))
            .transpose()
    }
}
