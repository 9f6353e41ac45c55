//! Answers of annotators: behind `spanrs.crowd`.

use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use spanrs_crf::{Answers, TruePrior};

use super::crf;
use crate::error::Result;
use crate::stop;

/// The answers of all annotators to all sentences.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrowdAnswers(Answers);

/// (labels, expected counts of transitions, log Z)
type PosteriorTuple<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

#[pymethods]
impl CrowdAnswers {
    /// `answers` are (sentence, annotator, labels).
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
            added.map_err(|error| crf(error, Some(sentence)))?;
        }
        Ok(Self(all))
    }

    /// Distribution of the true labels; all arrays are flat, an empty one for no scores of tokens. Counts of transitions are
    /// those of all sentences, or of each.
    #[pyo3(signature = (log_answers, start, transitions, tokens, outside, by_sentence, /))]
    #[allow(clippy::too_many_arguments)] // Four tables.
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        log_answers: PyReadonlyArray1<'py, f64>,
        start: PyReadonlyArray1<'py, f64>,
        transitions: PyReadonlyArray1<'py, f64>,
        tokens: PyReadonlyArray1<'py, f64>,
        outside: usize,
        by_sentence: bool,
    ) -> Result<PosteriorTuple<'py>> {
        let prior = prior_of(&start, &transitions, &tokens)?;
        let log_answers = flat(&log_answers)?;
        let found = py.detach(|| {
            self.0
                .posterior(log_answers, prior, outside, by_sentence, stop)
        })?;
        let labels = PyArray1::from_vec(py, found.labels);
        Ok((
            labels,
            PyArray1::from_vec(py, found.transitions),
            found.log_z,
        ))
    }

    /// Best true labels of each sentence, with the same tables.
    #[pyo3(signature = (log_answers, start, transitions, tokens, outside, /))]
    fn best(
        &self,
        py: Python<'_>,
        log_answers: PyReadonlyArray1<'_, f64>,
        start: PyReadonlyArray1<'_, f64>,
        transitions: PyReadonlyArray1<'_, f64>,
        tokens: PyReadonlyArray1<'_, f64>,
        outside: usize,
    ) -> Result<Vec<Vec<usize>>> {
        let prior = prior_of(&start, &transitions, &tokens)?;
        let log_answers = flat(&log_answers)?;
        Ok(py.detach(|| self.0.best(log_answers, prior, outside, stop))?)
    }

    /// Expected counts of answers: flat (annotator, true label, answer before, answer).
    #[pyo3(signature = (labels, outside, /))]
    fn counts<'py>(
        &self,
        py: Python<'py>,
        labels: PyReadonlyArray1<'py, f64>,
        outside: usize,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let labels = flat(&labels)?;
        let counts = py.detach(|| self.0.counts(labels, outside))?;
        Ok(PyArray1::from_vec(py, counts))
    }
}

fn prior_of<'a>(
    start: &'a PyReadonlyArray1<'_, f64>,
    transitions: &'a PyReadonlyArray1<'_, f64>,
    tokens: &'a PyReadonlyArray1<'_, f64>,
) -> Result<TruePrior<'a>> {
    Ok(TruePrior {
        start: flat(start)?,
        transitions: flat(transitions)?,
        tokens: flat(tokens)?,
    })
}

/// The values of a contiguous array.
pub(super) fn flat<'a>(array: &'a PyReadonlyArray1<'_, f64>) -> Result<&'a [f64]> {
    array.as_slice().map_err(|error| PyErr::from(error).into())
}
