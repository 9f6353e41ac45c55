//! The callback of training.

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use spanrs::base::Interner;
use spanrs::crf::{Constraint, Decoder, Error as CrfError, Features, Iteration, Sequences, Stop};

use super::sentences::{names_of, strings_of};
use crate::error::Result;
use crate::plain::Plain;

/// Callback state of training.
pub(super) struct Observer<'a> {
    pub(super) callback: Option<Py<PyAny>>,
    pub(super) dev: Option<Sequences>,
    pub(super) features: &'a Features,
    pub(super) constraint: Option<Constraint>,
    pub(super) labels: &'a Interner<str>,
    /// The best weights so far, according to the callback.
    pub(super) best: Option<Vec<f64>>,
    pub(super) iterations: usize,
}

impl Observer<'_> {
    /// Calls the callback. Returns false to stop training.
    pub(super) fn after(&mut self, state: Iteration, weights: &[f64]) -> spanrs::crf::Result<bool> {
        self.iterations = state.iteration;
        let Some(callback) = &self.callback else {
            return Ok(true);
        };
        let constraint = self.constraint.as_ref();
        let tags = match &self.dev {
            Some(dev) => Some(Decoder::of(self.features, weights, constraint)?.best_of_all(dev)?),
            None => None,
        };
        let answer = Python::attach(|py| -> PyResult<u8> {
            let tags =
                tags.map(|tags| names_of(py, &strings_of(py, self.labels), tags.into_iter()));
            callback.call1(py, (Plain(state), tags))?.extract(py)
        });
        match answer {
            Ok(answer) => {
                if answer == 2 {
                    self.best = Some(weights.to_vec());
                }
                Ok(answer > 0)
            }
            Err(raised) => {
                // Set the exception, which is then raised instead of KeyboardInterrupt.
                Python::attach(|py| raised.restore(py));
                Err(CrfError::Interrupted)
            }
        }
    }

    /// The reason why training stopped, or the error.
    pub(super) fn reason(
        &self,
        stopped: spanrs::crf::Result<Stop>,
        keep_on_interrupt: bool,
    ) -> Result<&'static str> {
        let error = match stopped {
            Ok(stop) => return Ok(stop.name()),
            Err(error) => error,
        };
        if !matches!(error, CrfError::Interrupted) {
            return Err(error.into());
        }
        Python::attach(|py| match PyErr::take(py) {
            Some(raised) if !raised.is_instance_of::<PyKeyboardInterrupt>(py) => Err(raised.into()),
            _ if keep_on_interrupt && self.iterations > 0 => Ok("interrupted"),
            Some(raised) => Err(raised.into()),
            None => Err(error.into()),
        })
    }
}
