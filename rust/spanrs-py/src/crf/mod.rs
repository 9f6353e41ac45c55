//! Conditional random fields: behind `spanrs.crf`.

mod crowd;
mod em;
mod items;
mod model;
mod observer;
mod options;
mod sentences;
mod trainer;

pub(crate) use crowd::CrowdAnswers;
pub(crate) use em::CrowdCrf;
pub(crate) use items::CrfItems;
pub(crate) use model::CrfModel;
pub(crate) use sentences::CrfSentences;
pub(crate) use trainer::CrfTrainer;

use pyo3::prelude::*;
use spanrs::crf::{SequenceError, Template};

use crate::error::Error;

impl From<SequenceError> for Error {
    fn from((error, sequence): SequenceError) -> Self {
        Self::from(error).in_sequence(sequence)
    }
}

/// (name, text) of each built-in template.
#[pyfunction]
pub(crate) fn crf_templates() -> Vec<(&'static str, String)> {
    let templates = Template::BUILTIN.into_iter();
    let text = |name| Template::builtin(name).map(|t| (name, t.text().to_string()));
    templates.filter_map(text).collect()
}
