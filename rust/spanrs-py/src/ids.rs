//! Arrays of integer ids.

use numpy::{Element, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use spanrs_eval::input::Id;

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

/// Runs `$body` with `$array` being the array of `$ids`, whatever its type.
macro_rules! with_array {
    ($ids:expr, $array:ident => $body:expr) => {
        $crate::ids::with_array!(@arms $ids, $array => $body; I64 I32 I16 I8 U64 U32 U16 U8)
    };
    (@arms $ids:expr, $array:ident => $body:expr; $($variant:ident)*) => {
        match $ids {
            $($crate::ids::Ids::$variant($array) => $body,)*
        }
    };
}
pub(crate) use with_array;

/// As [`with_array`], for the values of the array.
macro_rules! with_values {
    ($ids:expr, $slice:ident => $body:expr) => {
        $crate::ids::with_array!($ids, array => {
            let $slice = $crate::ids::slice(array)?;
            $body
        })
    };
}
pub(crate) use with_values;

pub(crate) fn slice<'a, T: Id + Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> Result<&'a [T]> {
    array
        .as_slice()
        .map_err(|_| PyTypeError::new_err("the array of ids must be C-contiguous").into())
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

    /// (sentences, tokens a sentence); an array of one dimension is one sentence.
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
}
