//! Grounding: the compiled part of `spanrs.ground`.

use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use spanrs::base::Pace;
use spanrs::io::ground::{GroundOptions, Grounded, Mention, Stage, ground_many, normalised};

use crate::error::{Error, Result};
use crate::plain::Plain;
use crate::stop;

/// Start and end in characters, index of the stage, and similarity.
type Place = (u32, u32, u8, f64);

/// The place of each mention of each text, or None. Mentions are pairs of a type and a string.
#[pyfunction]
#[pyo3(signature = (texts, mentions, options, threads, /))]
pub(crate) fn ground(
    py: Python<'_>,
    texts: Vec<PyBackedStr>,
    mentions: Vec<Vec<(PyBackedStr, PyBackedStr)>>,
    options: Plain<GroundOptions>,
    threads: usize,
) -> Result<Vec<Vec<Option<Place>>>> {
    if texts.len() != mentions.len() {
        let (texts, lists) = (texts.len(), mentions.len());
        return Err(Error::value(format!(
            "there are {texts} texts but {lists} lists of mentions"
        )));
    }
    Ok(py.detach(|| {
        let documents: Vec<(&PyBackedStr, Vec<Mention<'_>>)> = texts
            .iter()
            .zip(&mentions)
            .map(|(text, mentions)| (text, mentions.iter().map(mention_of).collect()))
            .collect();
        let place = |place: Grounded| (place.start, place.end, place.stage as u8, place.similarity);
        let places = |document: Vec<Option<Grounded>>| {
            let places = document.into_iter().map(|grounded| grounded.map(place));
            places.collect()
        };
        let grounded = ground_many(&documents, &options.0, threads, stop)?;
        Ok::<_, spanrs::io::ground::GroundError>(grounded.into_iter().map(places).collect())
    })?)
}

/// The mention of a pair of a type and a string.
fn mention_of((ty, text): &(PyBackedStr, PyBackedStr)) -> Mention<'_> {
    Mention { ty, text }
}

/// The form of each string under which the stage `unicode` finds it, or `case` if `only_case`.
#[pyfunction]
#[pyo3(signature = (strings, only_case, /))]
pub(crate) fn normalized(
    py: Python<'_>,
    strings: Vec<PyBackedStr>,
    only_case: bool,
) -> Result<Vec<String>> {
    let stage = if only_case {
        Stage::Case
    } else {
        Stage::Unicode
    };
    let mut pace = Pace::new(stop);
    let form = |string: &PyBackedStr| {
        pace.steps(1 + string.len())?;
        Ok(normalised(string, stage))
    };
    py.detach(|| strings.iter().map(form).collect())
}
