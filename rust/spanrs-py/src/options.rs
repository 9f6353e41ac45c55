//! Arguments that several functions take.

use numpy::PyReadonlyArray1;
use pyo3::Borrowed;
use pyo3::prelude::*;
use spanrs::eval::input::DocumentEnds;
use spanrs::eval::{Matcher, MatcherOptions};
use spanrs::tags::Dialect;

use crate::error::{Error, Result};
use crate::plain::Plain;
use crate::stop;

/// A validated dialect.
pub(crate) struct PyDialect(pub(crate) Dialect);

impl FromPyObject<'_, '_> for PyDialect {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let Plain(dialect): Plain<Dialect> = object.extract()?;
        dialect.check().map_err(Error::from)?;
        Ok(Self(dialect))
    }
}

/// (number of sentences in each document, names of the documents, if any)
#[derive(FromPyObject)]
pub(crate) struct DocumentSizes<'py>(PyReadonlyArray1<'py, i64>, Option<Vec<String>>);

impl DocumentSizes<'_> {
    pub(crate) fn ends(&self) -> Result<DocumentEnds> {
        let Self(sizes, names) = self;
        Ok(DocumentEnds::new(sizes.as_slice()?, names.clone())?)
    }
}

/// A matcher that can be interrupted.
pub(crate) fn matcher(options: MatcherOptions) -> Result<Box<dyn Matcher>> {
    let options = MatcherOptions {
        watch: stop,
        ..options
    };
    Ok(options.build()?)
}
