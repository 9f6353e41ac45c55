//! CRFs trained in EM: the compiled part of `spanrs.crowd`.

use std::sync::{Mutex, MutexGuard};

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use spanrs::base::Interner;
use spanrs::crf::{
    Constraint, EmCrf, EmState, Lexicons, Model, NamedCorpus, NamedFeatures, TokenTarget,
    TrainingOptions,
};
use spanrs::scheme_constraint;
use spanrs::tags::Scheme;

use super::crowd::Flat;
use super::items::{Sequence, Source};
use super::model::CrfModel;
use crate::error::{Error, Result};
use crate::locks::lock_now;
use crate::plain::Plain;
use crate::stop;

/// Weights and scores, flat.
type Array<'py> = Bound<'py, PyArray1<f64>>;

/// A CRF that is trained repeatedly on the same sentences. Sentences and labels are indices from 0; arrays are flat,
/// over the tokens or labellings of all sentences.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrowdCrf {
    labels: Interner<str>,
    attributes: Interner<str>,
    crf: Mutex<EmCrf>,
}

/// What is kept between trainings on the same sentences.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrowdCrfState(Mutex<EmState>);

#[pymethods]
impl CrowdCrfState {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }
}

#[pymethods]
impl CrowdCrf {
    /// `numbers` has the number of labellings of each sentence, `labellings` their labels.
    #[new]
    #[pyo3(signature = (template, labels, sentences, numbers, labellings, options, /))]
    fn new(
        py: Python<'_>,
        template: Option<&str>,
        labels: Vec<String>,
        sentences: &Bound<'_, PyAny>,
        numbers: Vec<usize>,
        labellings: PyReadonlyArray1<'_, u32>,
        options: Plain<TrainingOptions>,
    ) -> Result<Self> {
        let (mut source, mut buffer) = (
            Source::new(template, &Lexicons::default(), false)?,
            NamedFeatures::default(),
        );
        let mut named = NamedCorpus::default();
        for label in &labels {
            named.labels.intern(label);
        }
        close(&mut named)?;
        for (at, sentence) in sentences.try_iter()?.enumerate() {
            crate::pause(at)?;
            let pushed = source.with_features(
                &Sequence::Object(sentence?),
                &mut buffer,
                |features, vectors| {
                    // Placeholders, which are replaced by labellings.
                    let targets = vec![TokenTarget::Label(0); features.tokens()];
                    Ok(named.push_with_vectors(features, vectors, targets, 1.0)?)
                },
            );
            pushed.map_err(|error| error.in_sequence(at))?;
        }
        let selection = options.0.selection();
        let labellings = labellings.as_slice()?.to_vec();
        let (corpus, labels, attributes) = named.into_parts();
        let made = py.detach(|| EmCrf::new(corpus, &numbers, labellings, selection));
        Ok(Self {
            labels,
            attributes,
            crf: Mutex::new(made?),
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
    fn set_weights(&self, py: Python<'_>, weights: Flat<'_>) -> Result<()> {
        let weights = &*weights;
        self.run(py, |em| em.set_weights(weights))
    }

    /// Sets the label distributions of the tokens and the expected transition counts for some sentences.
    #[pyo3(signature = (sentences, labels, transitions, /))]
    fn set_expected(
        &self,
        sentences: Vec<usize>,
        labels: Flat<'_>,
        transitions: Flat<'_>,
    ) -> Result<()> {
        let mut crf = self.lock()?;
        Ok(crf.set_all_expected(&sentences, &labels, &transitions)?)
    }

    /// Selects the sentences to train on.
    #[pyo3(signature = (active, /))]
    fn set_active(&self, active: Vec<bool>) -> Result<()> {
        Ok(self.lock()?.set_active(&active)?)
    }

    /// Trains from `weights`. With `state`, to the precision that EM needs, and from where the training before with this
    /// state stopped if `weights` are its result. Returns the new weights and the objective.
    #[pyo3(signature = (weights, options, threads, state, /))]
    fn train<'py>(
        &self,
        py: Python<'py>,
        weights: Flat<'_>,
        options: Plain<TrainingOptions>,
        threads: usize,
        state: Option<&CrowdCrfState>,
    ) -> Result<(Array<'py>, f64)> {
        let mut weights = weights.to_vec();
        let algorithm = options.0.algorithm();
        let state = state.map(|state| lock_now(&state.0, "the state is in use in another thread"));
        let mut state = state.transpose()?;
        let state = state.as_deref_mut();
        let loss = self.run(py, |em| {
            em.train(&algorithm, threads, &mut weights, state, stop)
        })?;
        Ok((PyArray1::from_vec(py, weights), loss))
    }

    /// Log-probability of each labelling.
    #[pyo3(signature = (weights, threads, /))]
    fn log_likelihoods<'py>(
        &self,
        py: Python<'py>,
        weights: Flat<'_>,
        threads: usize,
    ) -> Result<Array<'py>> {
        let weights = &*weights;
        let logs = self.run(py, |em| em.log_likelihoods(weights, threads, stop))?;
        Ok(PyArray1::from_vec(py, logs))
    }

    /// The best labels of all tokens; they are legal under the scheme, if any.
    #[pyo3(signature = (weights, scheme, threads, /))]
    fn best<'py>(
        &self,
        py: Python<'py>,
        weights: Flat<'_>,
        scheme: Option<Plain<Scheme>>,
        threads: usize,
    ) -> Result<Bound<'py, PyArray1<i64>>> {
        let (weights, constraint) = (&*weights, self.constraint(scheme)?);
        let best = self.run(py, |em| {
            em.best(weights, constraint.as_ref(), threads, stop)
        })?;
        let best = best.into_iter().map(|label| label as i64);
        Ok(PyArray1::from_vec(py, best.collect()))
    }

    /// Marginals of all labels of each token.
    #[pyo3(signature = (weights, scheme, threads, /))]
    fn marginals<'py>(
        &self,
        py: Python<'py>,
        weights: Flat<'_>,
        scheme: Option<Plain<Scheme>>,
        threads: usize,
    ) -> Result<Array<'py>> {
        let (weights, constraint) = (&*weights, self.constraint(scheme)?);
        let constraint = constraint.as_ref();
        let rows = self.run(py, |em| em.marginals(weights, constraint, threads, stop))?;
        Ok(PyArray1::from_vec(py, rows))
    }

    /// Scores of all labels for each token of some sentences, and of transitions.
    #[pyo3(signature = (weights, sentences, threads, /))]
    fn scores<'py>(
        &self,
        py: Python<'py>,
        weights: Flat<'_>,
        sentences: Vec<usize>,
        threads: usize,
    ) -> Result<(Array<'py>, Array<'py>)> {
        let weights = &*weights;
        let (rows, transitions) =
            self.run(py, |em| em.scores(weights, &sentences, threads, stop))?;
        let array = |values| PyArray1::from_vec(py, values);
        Ok((array(rows), array(transitions)))
    }

    /// The model with these weights.
    #[pyo3(signature = (weights, metadata, /))]
    fn model(&self, py: Python<'_>, weights: Flat<'_>, metadata: String) -> Result<CrfModel> {
        let weights = weights.to_vec();
        let features = self.lock()?.features().clone();
        let model = py.detach(|| {
            let (labels, attributes) = (self.labels.clone(), self.attributes.clone().into_names());
            Model::trained(labels, attributes, features, weights, metadata)
        });
        CrfModel::of(model?)
    }
}

impl CrowdCrf {
    /// The CRF, or an error if another thread is using it: waiting could cause a deadlock.
    fn lock(&self) -> Result<MutexGuard<'_, EmCrf>> {
        lock_now(&self.crf, "the CRF is in use in another thread")
    }

    /// Runs a job without the GIL.
    fn run<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&mut EmCrf) -> spanrs::crf::Result<T> + Send,
    ) -> Result<T> {
        let mut guard = self.lock()?;
        let em = &mut *guard;
        Ok(py.detach(|| job(em))?)
    }

    fn constraint(&self, scheme: Option<Plain<Scheme>>) -> Result<Option<Constraint>> {
        let constraint = scheme.map(|scheme| scheme_constraint(scheme.0, &self.labels));
        Ok(constraint.transpose()?)
    }
}

/// Fixes the set of labels of a corpus.
pub(super) fn close(corpus: &mut NamedCorpus) -> Result<()> {
    corpus.close().map_err(|(error, sequence)| match sequence {
        Some(sequence) => Error::from((error, sequence)),
        None => error.into(),
    })
}
