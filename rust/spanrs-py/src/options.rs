//! Keyword arguments to options of the core.

use numpy::PyReadonlyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use spanrs::OnMisaligned;
use spanrs_eval::PredScheme;
use spanrs_eval::input::DocumentEnds;
use spanrs_tags::{Bare, Dialect, Reader, Reading, Scheme, Violation};

use crate::error::Result;

/// How tags are spelt, from the Python class `spanrs.tags.Dialect` (a named tuple).
#[derive(FromPyObject)]
pub(crate) struct PyDialect(String, bool, bool, bool);

impl PyDialect {
    /// The dialect, checked.
    pub(crate) fn checked(self) -> Result<Dialect> {
        let Self(separator, suffix, bare_is_type, unknown_is_outside) = self;
        let dialect = Dialect {
            separator,
            suffix,
            bare: if bare_is_type {
                Bare::WholeTag
            } else {
                Bare::OneType
            },
            unknown_is_outside,
        };
        dialect.check()?;
        Ok(dialect)
    }
}

pub(crate) fn scheme(name: &str) -> Result<Scheme> {
    Ok(Scheme::from_name(name)?)
}

/// None where the scheme is to be found out.
pub(crate) fn scheme_or_auto(name: &str) -> Result<Option<Scheme>> {
    if name.trim().eq_ignore_ascii_case("auto") {
        return Ok(None);
    }
    scheme(name).map(Some)
}

pub(crate) fn reading(name: &str) -> Result<Reading> {
    Ok(Reading::from_name(name)?)
}

/// A reader of tags.
pub(crate) fn reader(scheme_name: &str, reading_name: &str, dialect: PyDialect) -> Result<Reader> {
    let (scheme, reading) = (scheme(scheme_name)?, reading(reading_name)?);
    Ok(Reader::new(scheme, reading, dialect.checked()?)?)
}

/// (index, kind, previous, current, next, action)
pub(crate) type ViolationTuple = (
    u32,
    &'static str,
    Option<String>,
    String,
    Option<String>,
    &'static str,
);

pub(crate) fn violation_tuple(violation: &Violation) -> ViolationTuple {
    (
        violation.index,
        violation.kind.name(),
        violation.previous.clone(),
        violation.current.clone(),
        violation.next.clone(),
        violation.action.phrase(),
    )
}

/// (sentences of each document, their names where they have such)
#[derive(FromPyObject)]
pub(crate) struct DocumentSizes<'py>(PyReadonlyArray1<'py, i64>, Option<Vec<String>>);

impl DocumentSizes<'_> {
    pub(crate) fn ends(&self) -> Result<DocumentEnds> {
        let Self(sizes, names) = self;
        let sizes = sizes.as_slice().map_err(PyErr::from)?;
        Ok(DocumentEnds::new(sizes, names.clone())?)
    }
}

/// Where pred is read in a scheme of its own. `None` detects it if the scheme of gold is detected.
pub(crate) fn pred_scheme_of(name: Option<&str>, scheme_is_open: bool) -> Result<PredScheme> {
    Ok(match name.map(scheme_or_auto).transpose()? {
        None if scheme_is_open => PredScheme::Undetected,
        None => PredScheme::AsGold,
        Some(None) => PredScheme::Undetected,
        Some(Some(scheme)) => PredScheme::Named(scheme),
    })
}

/// What to do where tokens of pred are not those of gold.
pub(crate) fn on_misaligned_of(name: &str) -> Result<OnMisaligned> {
    match name {
        "refuse" => Ok(OnMisaligned::Refuse),
        "report" => Ok(OnMisaligned::Report),
        "ignore" => Ok(OnMisaligned::Ignore),
        other => {
            let message = format!("on_misaligned is refuse, report or ignore, not {other:?}");
            Err(PyValueError::new_err(message).into())
        }
    }
}
