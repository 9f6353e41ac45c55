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
pub(crate) struct CrowdAnswers {
    answers: Answers,
    /// The previous answer of first tokens.
    outside: usize,
}

/// Flat tables: log probabilities of answers, scores of first labels, of transitions and of tokens; the last is empty
/// if there are no token scores.
#[derive(FromPyObject)]
pub(crate) struct Tables<'py>(Flat<'py>, Flat<'py>, Flat<'py>, Flat<'py>);

impl Tables<'_> {
    /// The log probabilities of answers, and the prior of the true labels.
    fn parts(&self) -> (&[f64], TruePrior<'_>) {
        let Self(log_answers, start, transitions, tokens) = self;
        let prior = TruePrior {
            start,
            transitions,
            tokens,
        };
        (log_answers, prior)
    }
}

/// (labels, expected counts of transitions, log Z)
type PosteriorTuple<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64);

#[pymethods]
impl CrowdAnswers {
    /// `answers` are tuples (sentence, annotator, labels).
    #[new]
    #[pyo3(signature = (labels, annotators, lengths, answers, outside, /))]
    fn new(
        labels: usize,
        annotators: usize,
        lengths: Vec<usize>,
        answers: Vec<(usize, u32, Vec<u32>)>,
        outside: usize,
    ) -> Result<Self> {
        let mut all = Answers::new(labels, annotators, &lengths);
        for (sentence, annotator, own) in answers {
            let added = all.add(sentence, annotator, own);
            added.map_err(|error| Error::from((error, sentence)))?;
        }
        Ok(Self {
            answers: all,
            outside,
        })
    }

    /// Posterior of the true labels, expected counts of transitions (in total or by sentence), and log Z; flat arrays.
    #[pyo3(signature = (tables, by_sentence, /))]
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        tables: Tables<'py>,
        by_sentence: bool,
    ) -> Result<PosteriorTuple<'py>> {
        let (log_answers, prior) = tables.parts();
        let posterior = py.detach(|| {
            self.answers
                .posterior(log_answers, prior, self.outside, by_sentence, stop)
        })?;
        let array = |values| PyArray1::from_vec(py, values);
        let (labels, transitions) = (array(posterior.labels), array(posterior.transitions));
        Ok((labels, transitions, posterior.log_z))
    }

    /// The best true labels of each sentence.
    #[pyo3(signature = (tables, /))]
    fn best(&self, py: Python<'_>, tables: Tables<'_>) -> Result<Vec<Vec<usize>>> {
        let (log_answers, prior) = tables.parts();
        Ok(py.detach(|| self.answers.best(log_answers, prior, self.outside, stop))?)
    }

    /// True labels of all tokens, sampled from their posterior with a uniform number for each token.
    #[pyo3(signature = (tables, uniform, /))]
    fn draw<'py>(
        &self,
        py: Python<'py>,
        tables: Tables<'py>,
        uniform: Flat<'py>,
    ) -> Result<Bound<'py, PyArray1<u32>>> {
        let ((log_answers, prior), uniform) = (tables.parts(), &*uniform);
        let labels = py.detach(|| {
            self.answers
                .draw(log_answers, prior, self.outside, uniform, stop)
        })?;
        Ok(PyArray1::from_vec(py, labels))
    }

    /// Expected counts of answers, flat with shape (annotator, true label, previous answer, answer).
    #[pyo3(signature = (labels, /))]
    fn counts<'py>(&self, py: Python<'py>, labels: Flat<'py>) -> Result<Bound<'py, PyArray1<f64>>> {
        let labels = &*labels;
        let counts = py.detach(|| self.answers.counts(labels, self.outside))?;
        Ok(PyArray1::from_vec(py, counts))
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
