//! Arrow columns from the capsules of pyarrow, Polars, pandas and others.

use std::ffi::CStr;
use std::ptr::NonNull;

use arrow_array::array::ArrayRef;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use spanrs::arrow::{import_array, import_stream};

use crate::error::Result;

/// Imports the chunks of a column.
pub(crate) fn import(column: &Bound<'_, PyAny>, side: &'static str) -> Result<Vec<ArrayRef>> {
    let imported = if column.hasattr("__arrow_c_stream__")? {
        let capsule = column.call_method0("__arrow_c_stream__")?;
        let stream = pointer::<FFI_ArrowArrayStream>(&capsule, c"arrow_array_stream")?;
        // SAFETY: a capsule of this name contains a stream of the C stream interface, which is moved out of the
        // capsule.
        unsafe { import_stream(FFI_ArrowArrayStream::from_raw(stream.as_ptr())) }
    } else {
        let capsules = column
            .call_method0("__arrow_c_array__")?
            .cast_into::<PyTuple>()?;
        let schema = pointer::<FFI_ArrowSchema>(&capsules.get_item(0)?, c"arrow_schema")?;
        let array = pointer::<FFI_ArrowArray>(&capsules.get_item(1)?, c"arrow_array")?;
        // SAFETY: capsules of these names contain structures of the C data interface. The array is moved out of its
        // capsule; the schema lives as long as its capsule.
        unsafe { import_array(FFI_ArrowArray::from_raw(array.as_ptr()), schema.as_ref()) }
            .map(|array| vec![array])
    };
    imported.map_err(|error| error.of(side).into())
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> Result<NonNull<T>> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.cast())
}
