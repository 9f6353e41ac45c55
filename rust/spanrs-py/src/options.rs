//! Keyword arguments to options of the core.

use pyo3::prelude::*;
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
