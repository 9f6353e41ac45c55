//! Arrays of integer ids.

use numpy::{PyReadonlyArray1, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use spanrs::eval::input::{IdSlice, Sentences};

use crate::error::{Error, Result};

/// A C-contiguous array of one or two dimensions, of any integer type.
pub(crate) enum Ids<'py> {
    I64(PyReadonlyArrayDyn<'py, i64>),
    I32(PyReadonlyArrayDyn<'py, i32>),
    I16(PyReadonlyArrayDyn<'py, i16>),
    I8(PyReadonlyArrayDyn<'py, i8>),
    U64(PyReadonlyArrayDyn<'py, u64>),
    U32(PyReadonlyArrayDyn<'py, u32>),
    U16(PyReadonlyArrayDyn<'py, u16>),
    U8(PyReadonlyArrayDyn<'py, u8>),
}

/// Runs `$body` with `$variant` and `$array` bound to the variant and array of `$ids`.
macro_rules! with_array {
    ($ids:expr, $array:ident => $body:expr) => {
        with_array!(@arms $ids, $array => $body; I64 I32 I16 I8 U64 U32 U16 U8)
    };
    (@arms $ids:expr, $array:ident => $body:expr; $($variant:ident)*) => {
        match $ids {
            $(Ids::$variant($array) => $body,)*
        }
    };
}

impl<'py> Ids<'py> {
    pub(crate) fn extract(array: &Bound<'py, PyAny>) -> Result<Self> {
        macro_rules! attempt {
            ($($variant:ident),*) => {
                $(if let Ok(array) = array.extract() {
                    return Ok(Self::$variant(array));
                })*
            };
        }
        attempt!(I64, I32, I16, I8, U64, U32, U16, U8);
        Err(PyTypeError::new_err("ids must be a numpy array of integers").into())
    }

    /// (sentences, tokens per sentence); a one-dimensional array is one sentence.
    pub(crate) fn shape(&self) -> Result<(usize, usize)> {
        let shape = with_array!(self, array => array.shape());
        match *shape {
            [tokens] => Ok((1, tokens)),
            [sentences, tokens] => Ok((sentences, tokens)),
            _ => Err(Error::shape(
                format!(
                    "ids must have 1 or 2 dimensions (sentences, tokens), not {}",
                    shape.len()
                ),
                None,
            )),
        }
    }

    /// The values, row by row.
    pub(crate) fn values(&self) -> Result<IdSlice<'_>> {
        let values = with_array!(self, array => array.as_slice().map(IdSlice::from));
        values.map_err(|_| PyTypeError::new_err("the array of ids must be C-contiguous").into())
    }
}

/// Arrays of gold and pred, and the lengths of sentences for one-dimensional arrays.
pub(crate) struct IdSides<'py> {
    gold: Ids<'py>,
    pred: Ids<'py>,
    lengths: Option<Vec<i64>>,
}

impl<'py> IdSides<'py> {
    pub(crate) fn new(
        gold: &Bound<'py, PyAny>,
        pred: &Bound<'py, PyAny>,
        lengths: Option<PyReadonlyArray1<'py, i64>>,
    ) -> Result<Self> {
        // The arrays are copied, because another thread could change them.
        let lengths = lengths.map(|lengths| lengths.as_slice().map(<[i64]>::to_vec));
        Ok(Self {
            gold: Ids::extract(gold)?,
            pred: Ids::extract(pred)?,
            lengths: lengths.transpose()?,
        })
    }

    /// The ids of both sides, and their sentences.
    pub(crate) fn values(&self) -> Result<(IdSlice<'_>, IdSlice<'_>, Sentences<'_, i64>)> {
        let (gold, pred) = (self.gold.shape()?, self.pred.shape()?);
        let cut = Sentences::of_arrays(gold, pred, self.lengths.as_deref())?;
        Ok((self.gold.values()?, self.pred.values()?, cut))
    }
}
