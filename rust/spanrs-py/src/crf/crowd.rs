//! Answers of annotators: the compiled part of `spanrs.crowd`.

use std::ops::Deref;

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::Borrowed;
use pyo3::prelude::*;
use spanrs::crf::{Answers, TruePrior};

use crate::error::{Error, Result};
use crate::stop;

/// The labels that annotators gave to sentences.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrowdAnswers(Answers);

/// (labels, expected counts of transitions, log Z)
type PosteriorTuple<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

#[pymethods]
impl CrowdAnswers {
    /// `answers` are tuples (sentence, annotator, labels).
    #[new]
    #[pyo3(signature = (labels, annotators, lengths, answers, /))]
    fn new(
        labels: usize,
        annotators: usize,
        lengths: Vec<usize>,
        answers: Vec<(usize, u32, Vec<u32>)>,
    ) -> Result<Self> {
        let mut all = Answers::new(labels, annotators, &lengths);
        for (sentence, annotator, own) in answers {
            let added = all.add(sentence, annotator, own);
            added.map_err(|error| Error::from((error, sentence)))?;
        }
        Ok(Self(all))
    }

    /// Posterior of the true labels, expected counts of transitions (in total or by sentence), and log Z. Arrays are
    /// flat; `tokens` is empty if there are no token scores.
    #[pyo3(signature = (log_answers, start, transitions, tokens, outside, by_sentence, /))]
    #[allow(clippy::too_many_arguments)] // The arguments include four tables.
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        log_answers: Flat<'py>,
        start: Flat<'py>,
        transitions: Flat<'py>,
        tokens: Flat<'py>,
        outside: usize,
        by_sentence: bool,
    ) -> Result<PosteriorTuple<'py>> {
        let prior = prior_of(&start, &transitions, &tokens);
        let (answers, log_answers) = (&self.0, &*log_answers);
        let found =
            py.detach(|| answers.posterior(log_answers, prior, outside, by_sentence, stop))?;
        let array = |values| PyArray1::from_vec(py, values);
        Ok((array(found.labels), array(found.transitions), found.log_z))
    }

    /// The best true labels of each sentence.
    #[pyo3(signature = (log_answers, start, transitions, tokens, outside, /))]
    fn best(
        &self,
        py: Python<'_>,
        log_answers: Flat<'_>,
        start: Flat<'_>,
        transitions: Flat<'_>,
        tokens: Flat<'_>,
        outside: usize,
    ) -> Result<Vec<Vec<usize>>> {
        let prior = prior_of(&start, &transitions, &tokens);
        let log_answers = &*log_answers;
        Ok(py.detach(|| self.0.best(log_answers, prior, outside, stop))?)
    }

    /// True labels of all tokens, sampled from their posterior with a uniform number for each token.
    #[pyo3(signature = (log_answers, start, transitions, tokens, outside, uniform, /))]
    #[allow(clippy::too_many_arguments)] // The arguments include four tables.
    fn draw<'py>(
        &self,
        py: Python<'py>,
        log_answers: Flat<'py>,
        start: Flat<'py>,
        transitions: Flat<'py>,
        tokens: Flat<'py>,
        outside: usize,
        uniform: Flat<'py>,
    ) -> Result<Bound<'py, PyArray1<u32>>> {
        let prior = prior_of(&start, &transitions, &tokens);
        let (log_answers, uniform) = (&*log_answers, &*uniform);
        let labels = py.detach(|| self.0.draw(log_answers, prior, outside, uniform, stop))?;
        Ok(PyArray1::from_vec(py, labels))
    }

    /// Expected counts of answers, flat with shape (annotator, true label, previous answer, answer).
    #[pyo3(signature = (labels, outside, /))]
    fn counts<'py>(
        &self,
        py: Python<'py>,
        labels: Flat<'py>,
        outside: usize,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let labels = &*labels;
        let counts = py.detach(|| self.0.counts(labels, outside))?;
        Ok(PyArray1::from_vec(py, counts))
    }
}

fn prior_of<'a>(start: &'a [f64], transitions: &'a [f64], tokens: &'a [f64]) -> TruePrior<'a> {
    TruePrior {
        start,
        transitions,
        tokens,
    }
}

/// A contiguous array.
pub(super) struct Flat<'py>(PyReadonlyArray1<'py, f64>);

impl<'py> FromPyObject<'_, 'py> for Flat<'py> {
    type Error = PyErr;

    fn extract(array: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let array: PyReadonlyArray1<'py, f64> = array.extract()?;
        array.as_slice()?;
        Ok(Self(array))
    }
}

impl Deref for Flat<'_> {
    type Target = [f64];

    fn deref(&self) -> &[f64] {
        // The array was checked to be contiguous.
        self.0.as_slice().unwrap_or_default()
    }
}
