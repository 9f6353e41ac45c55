//! Options of training from Python.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use spanrs::crf::{Algorithm, FeatureSelection, Lbfgs, Online, Sgd, Slack, Update};

use crate::error::{Error, Result};

/// An option; the Python side checks names and gives all defaults.
fn option<'py, T>(options: &Bound<'py, PyDict>, name: &str) -> Result<T>
where
    T: for<'a> FromPyObject<'a, 'py, Error: Into<PyErr>>,
{
    let value = options.get_item(name)?;
    let value = value.ok_or_else(|| Error::model(format!("no option {name}")))?;
    value
        .extract()
        .map_err(|error| Error::from(Into::<PyErr>::into(error)))
}

pub(super) fn selection_of(options: &Bound<'_, PyDict>) -> Result<FeatureSelection> {
    Ok(FeatureSelection {
        all_states: option(options, "all_possible_states")?,
        all_transitions: option(options, "all_possible_transitions")?,
        min_frequency: option(options, "min_freq")?,
        min_attribute_frequency: 0.0,
    })
}

pub(super) fn c2_of(options: &Bound<'_, PyDict>) -> Result<f64> {
    option(options, "c2")
}

pub(super) fn lbfgs_of(options: &Bound<'_, PyDict>) -> Result<Lbfgs> {
    Ok(Lbfgs {
        memory: option(options, "num_memories")?,
        c1: option(options, "c1")?,
        max_iterations: option(options, "max_iterations")?,
        epsilon: option(options, "epsilon")?,
        period: option(options, "period")?,
        delta: option(options, "delta")?,
        max_linesearch: option(options, "max_linesearch")?,
    })
}

pub(super) fn algorithm_of(name: &str, options: &Bound<'_, PyDict>) -> Result<Algorithm> {
    let max_iterations: usize = option(options, "max_iterations")?;
    let online = |update| -> Result<Algorithm> {
        Ok(Algorithm::Online(Online {
            update,
            max_iterations,
            epsilon: option(options, "epsilon")?,
            seed: option(options, "seed")?,
        }))
    };
    match name {
        "lbfgs" => Ok(Algorithm::Lbfgs {
            options: lbfgs_of(options)?,
            c2: option(options, "c2")?,
        }),
        "l2sgd" => Ok(Algorithm::Sgd(Sgd {
            c2: option(options, "c2")?,
            max_iterations,
            period: option(options, "period")?,
            delta: option(options, "delta")?,
            eta: option(options, "calibration_eta")?,
            rate: option(options, "calibration_rate")?,
            samples: option(options, "calibration_samples")?,
            candidates: option(options, "calibration_candidates")?,
            max_trials: option(options, "calibration_max_trials")?,
            seed: option(options, "seed")?,
        })),
        "ap" => online(Update::Perceptron),
        "pa" => {
            let c = option(options, "c")?;
            let slack = match option::<u8>(options, "pa_type")? {
                0 => Slack::None,
                1 => Slack::Linear(c),
                _ => Slack::Quadratic(c),
            };
            online(Update::PassiveAggressive {
                slack,
                error_sensitive: option(options, "error_sensitive")?,
                averaging: option(options, "averaging")?,
            })
        }
        _ => online(Update::Arow {
            variance: option(options, "variance")?,
            gamma: option(options, "gamma")?,
        }),
    }
}
