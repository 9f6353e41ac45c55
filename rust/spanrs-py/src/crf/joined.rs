//! Sequences that join tokens, features and dense rows: `spanrs.crf.JoinedTokens`.

use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use spanrs::crf::{NamedFeatures, TokenVectors};

use super::feature_reader::read_features;
use crate::error::{Error, Result};

/// The parts of a `JoinedTokens`.
pub(super) struct Joined<'py> {
    /// Strings for a template, or features.
    pub(super) tokens: Option<Bound<'py, PyAny>>,
    /// Features of the same tokens.
    pub(super) features: Option<Bound<'py, PyAny>>,
    pub(super) dense: Option<DenseRows<'py>>,
    /// Number of tokens.
    pub(super) len: usize,
}

/// The dense rows of a sequence. `spanrs.crf.join` makes the arrays, and their owner may change them later.
pub(super) enum DenseRows<'py> {
    Full(PyReadonlyArray2<'py, f32>),
    Sparse {
        dimension: usize,
        ends: Vec<usize>,
        columns: PyReadonlyArray1<'py, u32>,
        values: PyReadonlyArray1<'py, f32>,
    },
}

impl<'py> Joined<'py> {
    /// The parts of a sequence that is a `JoinedTokens`; None for any other object.
    pub(super) fn of(sequence: &Bound<'py, PyAny>) -> Result<Option<Self>> {
        if sequence.is_exact_instance_of::<PyList>() || sequence.is_exact_instance_of::<PyTuple>() {
            return Ok(None);
        }
        let module = sequence.py().import("spanrs.crf.joining")?;
        if !sequence.is_instance(&module.getattr("JoinedTokens")?)? {
            return Ok(None);
        }
        let part = |name: &str| -> PyResult<Option<Bound<'py, PyAny>>> {
            Ok(Some(sequence.getattr(name)?).filter(|part| !part.is_none()))
        };
        Ok(Some(Self {
            tokens: part("tokens")?,
            features: part("features")?,
            dense: part("dense")?.as_ref().map(DenseRows::of).transpose()?,
            len: sequence.len()?,
        }))
    }

    /// Checks that a part is of as many tokens as the sequence has.
    pub(super) fn check_len(&self, what: &str, count: usize) -> Result<()> {
        match count == self.len {
            true => Ok(()),
            false => {
                let message = format!("{} tokens, but {what} of {count}", self.len);
                Err(Error::shape(message, None))
            }
        }
    }

    /// Reads the features beside the tokens; a token without features if there are none.
    pub(super) fn read_beside(&self, any_value: bool, beside: &mut NamedFeatures) -> Result<()> {
        beside.clear();
        match &self.features {
            Some(features) => read_features(features, any_value, beside)?,
            None => (0..self.len).for_each(|_| beside.end_token()),
        }
        self.check_len("features", beside.tokens())
    }
}

impl<'py> DenseRows<'py> {
    fn of(rows: &Bound<'py, PyAny>) -> Result<Self> {
        let Ok(parts) = rows.cast::<PyTuple>() else {
            return Ok(Self::Full(rows.extract::<PyReadonlyArray2<'py, f32>>()?));
        };
        let (dimension, ends, columns, values) = parts.extract()?;
        Ok(Self::Sparse {
            dimension,
            ends,
            columns,
            values,
        })
    }

    /// The rows, as training and decoding read them.
    pub(super) fn vectors(&self) -> Result<TokenVectors<'_>> {
        Ok(match self {
            Self::Full(array) => TokenVectors::Full {
                dimension: array.shape().get(1).copied().unwrap_or_default(),
                values: array.as_slice()?,
            },
            Self::Sparse {
                dimension,
                ends,
                columns,
                values,
            } => TokenVectors::Sparse {
                dimension: *dimension,
                ends,
                columns: columns.as_slice()?,
                values: values.as_slice()?,
            },
        })
    }
}
