//! Keyword arguments to options of the core.

use numpy::PyReadonlyArray1;
use pyo3::Borrowed;
use pyo3::prelude::*;
use spanrs::OnMisaligned;
use spanrs::base::Named;
use spanrs::compat::conlleval::Rules;
use spanrs::dep::Roots;
use spanrs::eval::input::DocumentEnds;
use spanrs::eval::mat::{Pieces, Unit, Unpaired};
use spanrs::eval::outcomes::{Average, Axis, Part};
use spanrs::eval::{MatcherOptions, PredScheme, TypeFilter, make_matcher};
use spanrs::io::{Format, SyntaxFormat, document};
use spanrs::tags::{Bare, Dialect, Reader, Reading, Scheme};

use crate::error::{Error, Result};
use crate::stop;

/// What Python code chooses by name.
pub(crate) trait ByName: Sized {
    /// The value of a name; an unknown one is an error that lists the known ones.
    fn by_name(name: &str) -> Result<Self>;
}

macro_rules! by_name {
    ($($choice:ty),* $(,)?) => {
        $(impl ByName for $choice {
            fn by_name(name: &str) -> Result<Self> {
                Ok(<$choice>::from_name(name)?)
            }
        })*
    };
}

by_name!(
    Average,
    Axis,
    Format,
    OnMisaligned,
    Part,
    Pieces,
    Reading,
    Roots,
    Rules,
    Scheme,
    SyntaxFormat,
    Unit,
    Unpaired,
    document::Format,
);

/// None stands for `auto`.
impl ByName for Option<Scheme> {
    fn by_name(name: &str) -> Result<Self> {
        match name.trim().eq_ignore_ascii_case("auto") {
            true => Ok(None),
            false => Scheme::by_name(name).map(Some),
        }
    }
}

/// An argument that is a name.
pub(crate) struct Choice<T>(pub(crate) T);

impl<T: ByName> FromPyObject<'_, '_> for Choice<T> {
    type Error = PyErr;

    fn extract(name: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        Ok(Self(T::by_name(name.extract()?)?))
    }
}

/// How tags are spelt, from the Python class `spanrs.tags.Dialect` (a named tuple).
pub(crate) struct PyDialect(pub(crate) Dialect);

impl FromPyObject<'_, '_> for PyDialect {
    type Error = PyErr;

    fn extract(tuple: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let (separator, suffix, bare_is_type, unknown_is_outside) = tuple.extract()?;
        let dialect = Dialect {
            separator,
            suffix,
            bare: match bare_is_type {
                true => Bare::WholeTag,
                false => Bare::OneType,
            },
            unknown_is_outside,
        };
        dialect.check().map_err(Error::from)?;
        Ok(Self(dialect))
    }
}

/// A reader of tags, from scheme, reading and dialect.
pub(crate) struct PyReader(pub(crate) Reader);

impl FromPyObject<'_, '_> for PyReader {
    type Error = PyErr;

    fn extract(tuple: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let (Choice(scheme), Choice(reading), PyDialect(dialect)) = tuple.extract()?;
        let reader = Reader::new(scheme, reading, dialect).map_err(Error::from)?;
        Ok(Self(reader))
    }
}

/// (sentences of each document, their names where they have such)
#[derive(FromPyObject)]
pub(crate) struct DocumentSizes<'py>(PyReadonlyArray1<'py, i64>, Option<Vec<String>>);

impl DocumentSizes<'_> {
    pub(crate) fn ends(&self) -> Result<DocumentEnds> {
        let Self(sizes, names) = self;
        Ok(DocumentEnds::new(sizes.as_slice()?, names.clone())?)
    }
}

/// Where pred is read in a scheme of its own. `None` detects it if the scheme of gold is detected.
pub(crate) fn pred_scheme_of(
    scheme: Option<Choice<Option<Scheme>>>,
    scheme_is_open: bool,
) -> PredScheme {
    match scheme {
        None if !scheme_is_open => PredScheme::AsGold,
        None | Some(Choice(None)) => PredScheme::Undetected,
        Some(Choice(Some(scheme))) => PredScheme::Named(scheme),
    }
}

/// (name; share of the gold span a pair needs, in per cent; optimal, not greedy)
pub(crate) type MatcherTuple = (String, f64, bool);
/// (types that count, or None for all; types that do not)
pub(crate) type FilterTuple = (Option<Vec<String>>, Vec<String>);

/// The matcher of a name with its options.
pub(crate) fn matcher(
    (name, min_overlap, optimal): &MatcherTuple,
) -> Result<Box<dyn spanrs::eval::Matcher>> {
    let options = MatcherOptions {
        min_overlap: *min_overlap,
        optimal: *optimal,
        watch: stop,
    };
    Ok(make_matcher(name, &options)?)
}

pub(crate) fn type_filter((keep, exclude): FilterTuple) -> TypeFilter {
    TypeFilter { keep, exclude }
}
