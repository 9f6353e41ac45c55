//! The agreement measure gamma: the compiled part of `spanrs.crowd.gamma`.

use pyo3::prelude::*;
use spanrs::eval::agreement::gamma::{Continuum, Options, Unit, gamma as core};

use crate::error::Result;
use crate::files::run_job;
use crate::plain::Plain;

/// The units of each annotator of a document, as tuples (start, end, category), and the length of the document.
type Document = (Vec<Vec<(u32, u32, u32)>>, u32);
/// Gamma, observed and expected disorder.
type Disorders = (f64, f64, f64);

fn continuum((units, length): Document) -> Continuum {
    let unit = |(start, end, category)| Unit {
        start,
        end,
        category,
    };
    let of_annotator = |units: Vec<_>| units.into_iter().map(unit).collect();
    Continuum {
        units: units.into_iter().map(of_annotator).collect(),
        length,
    }
}

/// Gamma, observed and expected disorder, the standard error of the expected disorder, the number of samples, and gamma,
/// observed and expected disorder of each document. `progress` is called with the number of continua that have been
/// aligned.
#[pyfunction]
#[pyo3(signature = (documents, options, progress=None, /))]
pub(crate) fn gamma(
    py: Python<'_>,
    documents: Vec<Document>,
    options: Plain<Options>,
    progress: Option<Py<PyAny>>,
) -> Result<(f64, f64, f64, f64, usize, Vec<Disorders>)> {
    let documents: Vec<Continuum> = documents.into_iter().map(continuum).collect();
    let all = run_job(py, progress, |tell| core(&documents, &options.0, tell))?;
    let by_document = all.documents.iter();
    let by_document = by_document.map(|one| (one.gamma, one.observed, one.expected));
    Ok((
        all.gamma,
        all.observed,
        all.expected,
        all.expected_error,
        all.samples,
        by_document.collect(),
    ))
}
