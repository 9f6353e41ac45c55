//! Columns with parts that the producer has already released.
#![allow(unsafe_code)] // Structures of the C data interface are pointers.
#![allow(clippy::unwrap_used, clippy::panic)] // A panic in a test helper is a test failure.

use std::ffi::c_void;

use arrow_array::Array;
use arrow_array::builder::{ListBuilder, StringDictionaryBuilder};
use arrow_array::ffi::to_ffi;
use arrow_array::types::Int8Type;
use spanrs_arrow::{ImportError, import_array};

/// An `ArrowArray` of the C data interface.
#[repr(C)]
struct RawArray {
    numbers: [i64; 5],
    buffers: *const *const c_void,
    children: *const *mut RawArray,
    dictionary: *mut RawArray,
    release: *const c_void,
    private_data: *const c_void,
}

/// Imports lists of dictionary-encoded strings after applying `change` to their items.
fn import(change: impl Fn(&mut RawArray)) -> Result<usize, String> {
    let mut lists = ListBuilder::new(StringDictionaryBuilder::<Int8Type>::new());
    lists.append_value([Some("B-PER"), Some("O")]);
    let (mut array, schema) = to_ffi(&lists.finish().to_data()).unwrap();
    let raw = (&raw mut array).cast::<RawArray>();
    // SAFETY: the layout is fixed by the interface, and a list has one child.
    change(unsafe { &mut **(*raw).children });
    // SAFETY: arrow has exported both structures; a released structure keeps its fields.
    let column = unsafe { import_array(array, &schema) };
    match column {
        Ok(column) => Ok(column.len()),
        Err(ImportError::Invalid(message)) => Err(message),
        Err(error) => panic!("{error:?}"),
    }
}

#[test]
fn released_parts_are_refused() {
    assert_eq!(import(|_| ()), Ok(1));
    let items = import(|items| items.release = std::ptr::null());
    assert_eq!(items, Err("an array of lists has no items".to_owned()));
    let dictionary = import(|items| {
        // SAFETY: the items have a dictionary.
        unsafe { (*items.dictionary).release = std::ptr::null() };
    });
    let message = "the dictionary of an array was released";
    assert_eq!(dictionary, Err(message.to_owned()));
}
