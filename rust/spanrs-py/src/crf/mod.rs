//! Conditional random fields: the compiled part of `spanrs.crf`.

mod crowd;
mod em;
mod feature_reader;
mod items;
mod joined;
mod lexicon;
mod model;
mod observer;
mod probabilities;
mod sentences;
mod trainer;

pub(crate) use crowd::CrowdAnswers;
pub(crate) use em::{CrowdCrf, CrowdCrfState};
pub(crate) use items::CrfItems;
pub(crate) use lexicon::{CrfLexicon, crf_template_lexicons};
pub(crate) use model::CrfModel;
pub(crate) use sentences::CrfSentences;
pub(crate) use trainer::CrfTrainer;

use pyo3::prelude::*;
use spanrs::CrfModelError;
use spanrs::crf::{SequenceError, Template, TrainingOptions};

use crate::error::Error;
use crate::plain::Plain;

impl From<SequenceError> for Error {
    fn from((error, sequence): SequenceError) -> Self {
        Self::from(error).in_sequence(sequence)
    }
}

impl From<CrfModelError> for Error {
    fn from(error: CrfModelError) -> Self {
        match error {
            CrfModelError::Crf(error) => error.into(),
            CrfModelError::Tags(error) => error.into(),
        }
    }
}

/// Checks options of training, and fills in the defaults of the algorithm.
#[pyfunction]
#[pyo3(signature = (options, /))]
pub(crate) fn crf_options(
    options: Plain<TrainingOptions>,
) -> Result<Plain<TrainingOptions>, Error> {
    Ok(Plain(options.0.complete()?))
}

/// (name, text) of each built-in template.
#[pyfunction]
pub(crate) fn crf_templates() -> Vec<(&'static str, String)> {
    let templates = Template::BUILTIN.into_iter();
    let text = |name| Template::builtin(name).map(|t| (name, t.text().to_string()));
    templates.filter_map(text).collect()
}
