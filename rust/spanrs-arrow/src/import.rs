//! Import of Arrow columns through the C data interface, with checks before any value is read.
//!
//! The structures come from other libraries, or from files that those libraries did not validate (a
//! Parquet file may declare any bytes to be UTF-8). Three steps make them safe to use:
//!
//! 1. [`data_type`] builds the type from the schema, and [`supported`] rejects types that do not
//!    contain tags.
//! 2. [`check`] walks the array and its children and checks counts, pointers, lengths and offsets,
//!    because [`from_ffi_and_data_type`] asserts some of these properties and trusts the others.
//! 3. arrow takes ownership of the array and validates the contents ([`checked`]): dictionary
//!    indices, null counts, UTF-8. Strings that are all ASCII skip the slower UTF-8 check.
//!
//! The values are not copied, unless a buffer is unaligned. The interface does not include buffer
//! sizes, so the sizes are inferred from the offsets and lengths. Each step is linear in the number
//! of places (length plus offset) or bytes; items that several chunks of a stream share are checked
//! once ([`Validated`]).

use std::collections::HashSet;
use std::ffi::{CStr, c_char, c_void};
use std::ops::Range;
use std::sync::Arc;

use arrow_array::array::{ArrayRef, make_array};
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi_and_data_type};
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::error::ImportError;
use crate::sentence_types::supported;
use crate::utf8::{is_ascii, not_utf8};

/// Maximum depth of a schema. Lists, their items and the values of a dictionary need 3; no
/// supported type nests deeper.
const DEPTH: usize = 4;

/// Maximum length plus offset of an array without buffers (nulls, or lists of fixed size 0). Such
/// elements cost the exporter no memory, but the importer several bytes each.
const BUFFERLESS: i64 = 1 << 24;

type Result<T, E = ImportError> = std::result::Result<T, E>;

/// Returns [`ImportError::Invalid`] with a message.
fn invalid<T>(message: impl Into<String>) -> Result<T> {
    Err(ImportError::Invalid(message.into()))
}

/// An `ArrowSchema` of the C data interface, field by field: arrow's own struct has private fields,
/// and its accessors panic on invalid values.
#[repr(C)]
struct Schema {
    /// The type as a NUL-terminated string: `+l` is a list, `u` a string.
    format: *const c_char,
    /// Name of the field; not read.
    name: *const c_char,
    /// Binary metadata; not read.
    metadata: *const c_char,
    /// Flags, such as whether nulls are allowed; not read.
    flags: i64,
    /// Number of `children`: 1 for lists.
    n_children: i64,
    /// Schema of the items.
    children: *const *const Schema,
    /// Schema of the dictionary values if the column is dictionary-encoded, otherwise null.
    dictionary: *const Schema,
    /// Release callback; null if the structure has been released.
    release: *const c_void,
    /// Private data of the producer; not read.
    private_data: *const c_void,
}

/// An `ArrowArray` of the C data interface, field by field, for checks before arrow imports the
/// array.
#[repr(C)]
struct RawArray {
    /// Number of elements.
    length: i64,
    /// Number of nulls; -1 if not counted.
    null_count: i64,
    /// Number of elements in the buffers before the first element of the array.
    offset: i64,
    /// Number of `buffers`, including the validity bitmap.
    n_buffers: i64,
    /// Number of `children`: 1 for lists.
    n_children: i64,
    /// The validity bitmap (null if there are no nulls), then the buffers of the type.
    buffers: *const *const c_void,
    /// The items of a list array.
    children: *const *const RawArray,
    /// The values of a dictionary array, otherwise null.
    dictionary: *const RawArray,
    /// Release callback; null if the structure has been released.
    release: *const c_void,
    /// Private data of the producer; not read.
    private_data: *const c_void,
}

/// Imports an array of the C data interface as a whole column. The array is consumed, even if it is
/// invalid; the caller keeps the schema.
///
/// # Errors
/// [`ImportError::Type`] for a type that does not contain sentences of tags,
/// [`ImportError::Encoding`] for a tag that is not UTF-8, and [`ImportError::Invalid`] if the
/// structures have been released or contradict each other.
///
/// # Safety
/// Both arguments are structures of the C data interface, released or not. Their pointers are null
/// or point to data as the interface specifies, and buffers are as long as the lengths and offsets
/// imply.
///
/// # Examples
///
/// ```
/// use arrow_array::Array;
/// use arrow_array::builder::{ListBuilder, StringBuilder};
/// let mut lists = ListBuilder::new(StringBuilder::new());
/// lists.append_value([Some("B-PER"), Some("O")]);
/// let (array, schema) = arrow_array::ffi::to_ffi(&lists.finish().to_data()).unwrap();
/// // SAFETY: structures that arrow has just exported.
/// let column = unsafe { spanrs_arrow::import_array(array, &schema) }.unwrap();
/// assert_eq!(column.len(), 1);
/// ```
pub unsafe fn import_array(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<ArrayRef> {
    let schema: *const FFI_ArrowSchema = schema;
    // SAFETY: the layout is fixed by the interface.
    let schema = unsafe { &*schema.cast::<Schema>() };
    if array.is_released() || schema.release.is_null() {
        return invalid("the capsule was already consumed; export the column again");
    }
    // SAFETY: guaranteed by the caller.
    let kind = unsafe { data_type(schema, 0) }?;
    supported(&kind)?;
    // SAFETY: guaranteed by the caller.
    unsafe { checked(array, &kind, &mut HashSet::new()) }
}

/// Identity of the items of lists within a stream: the addresses of their buffers, and the number
/// of nulls, offset and length.
type Identity = (Vec<usize>, [i64; 3]);

/// Items that have been validated. Chunks that are slices of one array share their items;
/// validating shared items only once avoids quadratic time for a stream of many slices.
type Validated = HashSet<Identity>;

/// Imports all arrays of a stream of the C stream interface: the chunks of a column, in order. The
/// stream is consumed.
///
/// # Errors
/// Same as [`import_array`], for the first invalid chunk, and [`ImportError::Invalid`] with the
/// message of the producer if the stream fails.
///
/// # Safety
/// The stream and the structures that it returns satisfy the conditions of [`import_array`].
///
/// # Examples
///
/// A table is a stream of structs and not a column:
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{RecordBatchIterator, ffi_stream::FFI_ArrowArrayStream};
/// use spanrs_arrow::{ImportError, import_stream};
/// let schema = Arc::new(arrow_schema::Schema::empty());
/// let table = Box::new(RecordBatchIterator::new(Vec::new(), schema));
/// // SAFETY: a stream that arrow has just exported.
/// let error = unsafe { import_stream(FFI_ArrowArrayStream::new(table)) }.unwrap_err();
/// assert!(matches!(error, ImportError::Type(kind) if kind == "Struct"));
/// ```
pub unsafe fn import_stream(mut stream: FFI_ArrowArrayStream) -> Result<Vec<ArrayRef>> {
    if stream.release().is_none() {
        return invalid("the capsule was already consumed; export the column again");
    }
    let (Some(get_schema), Some(get_next)) = (stream.get_schema(), stream.get_next()) else {
        return invalid("the stream has no get_schema or get_next callback");
    };
    let mut schema = FFI_ArrowSchema::empty();
    // SAFETY: the stream has not been released, so its callback is valid.
    if unsafe { get_schema(&raw mut stream, &raw mut schema) } != 0 {
        return invalid(last_error(&mut stream));
    }
    let schema = (&raw const schema).cast::<Schema>();
    // SAFETY: the layout is fixed by the interface, and the schema lives until the end of the function.
    let schema = unsafe { &*schema };
    if schema.release.is_null() {
        return invalid("the stream returned no schema");
    }
    // SAFETY: guaranteed by the caller.
    let kind = unsafe { data_type(schema, 0) }?;
    supported(&kind)?;
    let (mut arrays, mut validated) = (Vec::new(), HashSet::new());
    loop {
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream has not been released, so its callback is valid.
        if unsafe { get_next(&raw mut stream, &raw mut array) } != 0 {
            return invalid(last_error(&mut stream));
        }
        if array.is_released() {
            return Ok(arrays);
        }
        // SAFETY: guaranteed by the caller.
        arrays.push(unsafe { checked(array, &kind, &mut validated) }?);
    }
}

/// Returns the error message of a stream after one of its callbacks has failed.
fn last_error(stream: &mut FFI_ArrowArrayStream) -> String {
    let text = stream.get_last_error().map(|last| {
        // SAFETY: the stream has not been released, so its callback is valid.
        unsafe { last(stream) }
    });
    match text {
        Some(text) if !text.is_null() => {
            // SAFETY: the text is NUL-terminated and lives until the next call.
            let text = unsafe { CStr::from_ptr(text) };
            format!("the producer reported an error: {}", text.to_string_lossy())
        }
        _ => "the producer reported an error without a message".to_owned(),
    }
}

/// Returns the type that a schema describes. Arrow's own conversion is not used, because it asserts
/// the number of children, requires names in UTF-8 and parses metadata, none of which can be
/// trusted. `depth` is 0 for the column.
///
/// # Safety
/// Same as for [`import_array`].
unsafe fn data_type(schema: &Schema, depth: usize) -> Result<DataType> {
    if schema.format.is_null() {
        return invalid("a schema has no format");
    }
    // SAFETY: the format is a NUL-terminated string.
    let Ok(format) = unsafe { CStr::from_ptr(schema.format) }.to_str() else {
        return invalid("the format of a schema is not UTF-8");
    };
    if depth == DEPTH {
        return invalid("the schema is nested too deeply");
    }
    let item = || -> Result<Arc<Field>> {
        if schema.n_children != 1 || schema.children.is_null() {
            return invalid(format!(
                "format {format:?} has {} children, not 1",
                schema.n_children
            ));
        }
        // SAFETY: the number of children has been checked to be 1.
        let child = unsafe { (*schema.children).as_ref() };
        let Some(child) = child else {
            return invalid("a child of the schema is a null pointer");
        };
        // SAFETY: guaranteed by the caller.
        let child = unsafe { data_type(child, depth + 1) }?;
        Ok(Arc::new(Field::new("item", child, true)))
    };
    let kind = match format {
        "+l" => DataType::List(item()?),
        "+L" => DataType::LargeList(item()?),
        _ if format.starts_with("+w:") => match format[3..].parse::<i32>() {
            Ok(size) if size >= 0 => DataType::FixedSizeList(item()?, size),
            _ => return invalid(format!("format {format:?} has no size")),
        },
        "+s" => return Err(ImportError::Type("Struct".to_owned())),
        _ if format.starts_with('+') => {
            return Err(ImportError::Type(format!("format {format:?}")));
        }
        _ if schema.n_children != 0 => {
            return invalid(format!(
                "format {format:?} has {} children, not 0",
                schema.n_children
            ));
        }
        _ => DataType::try_from(&FFI_ArrowSchema::try_new(format, Vec::new(), None)?)?,
    };
    // SAFETY: the pointer is null or points to a schema; guaranteed by the caller.
    match unsafe { schema.dictionary.as_ref() } {
        None => Ok(kind),
        Some(_) if !kind.is_dictionary_key_type() => {
            invalid(format!("a dictionary has keys of type {kind}"))
        }
        // SAFETY: guaranteed by the caller.
        Some(values) => unsafe { data_type(values, depth + 1) }
            .map(|values| DataType::Dictionary(Box::new(kind), Box::new(values))),
    }
}

/// Imports an array of a supported type and adds its items to `validated` if they have an identity
/// and were not copied.
///
/// # Safety
/// Same as for [`import_array`].
unsafe fn checked(
    array: FFI_ArrowArray,
    kind: &DataType,
    validated: &mut Validated,
) -> Result<ArrayRef> {
    let raw = (&raw const array).cast::<RawArray>();
    // SAFETY: the layout is fixed by the interface; everything else is guaranteed by the caller.
    let items = unsafe { check_lists(&*raw, kind, validated) }?;
    // SAFETY: everything that arrow asserts or trusts has been checked.
    let data = unsafe { from_ffi_and_data_type(array, kind.clone()) }?;
    let valid = match &items {
        // The buffers are kept until the end of the stream, so an address identifies a buffer.
        Some(items) if validated.contains(items) => data.validate_data(),
        Some(_) if data.child_data().iter().all(is_ascii) => {
            let mut items = data.child_data().iter();
            data.validate_data()
                .and_then(|()| items.try_for_each(ArrayData::validate_nulls))
        }
        _ => data.validate_full(),
    };
    if let Err(error) = valid {
        return Err(not_utf8(&data).unwrap_or_else(|| error.into()));
    }
    // An unaligned buffer has been copied; its original address may be reused by another buffer.
    let is_kept = |(addresses, _): &Identity| {
        let items = data.child_data().first();
        let first = items.and_then(|items| items.buffers().first());
        first.is_some_and(|first| first.as_ptr() as usize == addresses[1])
    };
    validated.extend(items.filter(is_kept));
    Ok(make_array(data))
}

/// Checks an array of lists as [`check`] does, and returns the identity of its items, if they have
/// one.
///
/// # Safety
/// Same as for [`import_array`].
unsafe fn check_lists(
    array: &RawArray,
    kind: &DataType,
    validated: &Validated,
) -> Result<Option<Identity>> {
    // SAFETY: guaranteed by the caller.
    unsafe { check(array, kind, false, validated) }?;
    // SAFETY: the array has been checked to have one child, with its buffers.
    let items = unsafe { &**array.children };
    Ok(identity(items))
}

/// Returns the identity of the items of lists; None for a dictionary and for string views with
/// buffers, whose contents depend on more than the buffers compared here.
fn identity(array: &RawArray) -> Option<Identity> {
    if !array.dictionary.is_null() || array.buffers.is_null() || !(2..=3).contains(&array.n_buffers)
    {
        return None;
    }
    let buffers = (0..array.n_buffers as usize).map(|at| {
        // SAFETY: `at` is less than the number of buffers.
        unsafe { *array.buffers.add(at) as usize }
    });
    let numbers = [array.null_count, array.offset, array.length];
    Some((buffers.collect(), numbers))
}

/// Checks the properties that the import relies on: numbers of buffers and children, pointers,
/// lengths and offsets. The offsets and nulls of an array that is `known` to be valid are not read
/// again.
///
/// # Safety
/// Same as for [`import_array`].
unsafe fn check(
    array: &RawArray,
    kind: &DataType,
    known: bool,
    validated: &Validated,
) -> Result<()> {
    let (places, buffers) = check_shape(array, kind)?;
    // SAFETY: `i` is less than the number of buffers, which has been checked.
    let buffer = |i: usize| unsafe { *array.buffers.add(i) };
    if buffers > 1 && places > 0 && buffer(1).is_null() {
        return invalid(format!(
            "an array of {kind} has no buffer of values or offsets"
        ));
    }
    if buffers > 0 && array.null_count == 0 && !buffer(0).is_null() && !known {
        // SAFETY: a validity bitmap has a bit for each place.
        unsafe { all_valid(array, buffer(0).cast::<u8>()) }?;
    }
    // SAFETY: guaranteed by the caller.
    unsafe { check_dictionary(array, kind, validated) }?;
    let range = if known { 0..0 } else { array.offset..places };
    // SAFETY: the offsets are not null if there are places, and there are as many offsets as the
    // length implies.
    unsafe {
        match kind {
            DataType::Utf8 => {
                let end = last_offset::<i32>(buffer(1), range)?;
                needs(end, buffer(2))
            }
            DataType::LargeUtf8 => {
                let end = last_offset::<i64>(buffer(1), range)?;
                needs(end, buffer(2))
            }
            DataType::Utf8View => view_sizes(array, &buffer),
            DataType::List(item) => {
                let end = last_offset::<i32>(buffer(1), range)?;
                child(array, item, end, validated)
            }
            DataType::LargeList(item) => {
                let end = last_offset::<i64>(buffer(1), range)?;
                child(array, item, end, validated)
            }
            DataType::FixedSizeList(item, size) => {
                let Some(end) = places.checked_mul(i64::from(*size)) else {
                    return invalid("a list of fixed size is too long");
                };
                child(array, item, end, validated)
            }
            _ => Ok(()),
        }
    }
}

/// Checks length, offset and the numbers of buffers and children; returns the number of places
/// (length plus offset) and the number of buffers.
fn check_shape(array: &RawArray, kind: &DataType) -> Result<(i64, i64)> {
    let places = array.length.checked_add(array.offset);
    // A buffer of 2^48 elements does not fit into memory, and arithmetic on smaller numbers does
    // not overflow.
    let Some(places) = places.filter(|&n| array.length >= 0 && array.offset >= 0 && n < 1 << 48)
    else {
        let (length, offset) = (array.length, array.offset);
        return invalid(format!("an array has length {length} and offset {offset}"));
    };
    let bufferless = matches!(kind, DataType::Null | DataType::FixedSizeList(_, 0));
    if bufferless && places > BUFFERLESS {
        return invalid(format!(
            "an array of {kind} has length plus offset {places}; the maximum is {BUFFERLESS}"
        ));
    }
    let (buffers, children) = match kind {
        DataType::Null => (0, 0),
        DataType::Utf8 | DataType::LargeUtf8 => (3, 0),
        // The validity bitmap, the views, the buffers that they point into, and the sizes of these
        // buffers.
        DataType::Utf8View => (array.n_buffers.max(3), 0),
        DataType::List(_) | DataType::LargeList(_) => (2, 1),
        DataType::FixedSizeList(..) => (1, 1),
        _ => (2, 0),
    };
    if array.n_buffers != buffers || array.n_children != children {
        return invalid(format!(
            "an array of {kind} has {} buffers and {} children, not {buffers} and {children}",
            array.n_buffers, array.n_children
        ));
    }
    if buffers > 0 && array.buffers.is_null() || children > 0 && array.children.is_null() {
        return invalid(format!("an array of {kind} has no buffers or no children"));
    }
    Ok((places, buffers))
}

/// Checks the dictionary of an array; only a dictionary array may have one.
///
/// # Safety
/// Same as for [`import_array`].
unsafe fn check_dictionary(array: &RawArray, kind: &DataType, validated: &Validated) -> Result<()> {
    // SAFETY: the pointer is null or points to an array; guaranteed by the caller.
    match (kind, unsafe { array.dictionary.as_ref() }) {
        (_, Some(dictionary)) if dictionary.release.is_null() => {
            invalid("the dictionary of an array was released")
        }
        (DataType::Dictionary(_, values), Some(dictionary)) => {
            // SAFETY: guaranteed by the caller.
            unsafe { check(dictionary, values, false, validated) }
        }
        (DataType::Dictionary(..), None) => invalid("a dictionary array has no dictionary"),
        (_, Some(_)) => invalid(format!("an array of {kind} has a dictionary")),
        (_, None) => Ok(()),
    }
}

/// Rejects nulls in the bitmap of an array with a null count of 0, because arrow drops that bitmap.
/// Whole bytes are tested eight places at a time.
///
/// # Safety
/// The bitmap has a bit for each place of the array.
unsafe fn all_valid(array: &RawArray, bitmap: *const u8) -> Result<()> {
    let (start, end) = (array.offset, array.offset + array.length);
    let is_set = |at: i64| {
        // SAFETY: guaranteed by the caller.
        let byte = unsafe { *bitmap.add((at / 8) as usize) };
        byte >> (at % 8) & 1 != 0
    };
    // Whole bytes are tested at once.
    let (first, last) = ((start + 7) / 8, end / 8);
    let whole = match first < last {
        // SAFETY: guaranteed by the caller.
        true => unsafe {
            std::slice::from_raw_parts(bitmap.add(first as usize), (last - first) as usize)
        },
        false => &[],
    };
    let (before, behind) = match whole.is_empty() {
        true => (start..end, end..end),
        false => (start..first * 8, last * 8..end),
    };
    if whole.iter().fold(0xFF, |all, byte| all & byte) != 0xFF || !before.chain(behind).all(is_set)
    {
        return invalid("an array has a null count of 0, but its validity bitmap contains a null");
    }
    Ok(())
}

/// Returns the last offset of a range of places, or 0 if there are no offsets. An offset that is
/// negative or less than the previous one is an error.
///
/// # Safety
/// There is one more offset than there are places, unless there are no places.
unsafe fn last_offset<O: Copy + PartialOrd + Into<i64>>(
    offsets: *const c_void,
    places: Range<i64>,
) -> Result<i64> {
    if offsets.is_null() || places.end == 0 {
        // Some exporters omit the only offset of an empty array. Its value does not matter.
        return Ok(0);
    }
    // An empty slice of an array also has an offset, which arrow takes as the number of bytes.
    let offsets = offsets.cast::<O>();
    // SAFETY: guaranteed by the caller; a buffer from another library may be unaligned.
    let read = |at: i64| unsafe { offsets.add(at as usize).read_unaligned() };
    let offset = |at: i64| -> i64 { read(at).into() };
    let first = offset(places.start);
    // The loop has no branch per offset and uses the width of the offsets, so that it is
    // vectorised; the invalid offset is located afterwards.
    let falls = |at: i64| read(at + 1) < read(at);
    if first >= 0 && !places.clone().fold(false, |any, at| any | falls(at)) {
        return Ok(offset(places.end));
    }
    let (at, before) = match places.clone().find(|&at| falls(at)) {
        Some(at) if first >= 0 => (at + 1, offset(at)),
        _ => (places.start, 0),
    };
    let offset = offset(at);
    invalid(format!(
        "offset {at} is {offset}; it must be at least {before}"
    ))
}

/// Rejects strings of nonzero length without a data buffer.
fn needs(end: i64, data: *const c_void) -> Result<()> {
    if end > 0 && data.is_null() {
        return invalid("an array of strings has no data buffer");
    }
    Ok(())
}

/// Checks the items of lists; there must be at least `end` items. Items that have already been
/// validated are not read again.
///
/// # Safety
/// Same as for [`import_array`]; the array has one child.
unsafe fn child(array: &RawArray, item: &Field, end: i64, validated: &Validated) -> Result<()> {
    // SAFETY: the array has one child.
    let child = unsafe { (*array.children).as_ref() };
    let Some(child) = child.filter(|child| !child.release.is_null()) else {
        return invalid("an array of lists has no items");
    };
    if child.length < end {
        let length = child.length;
        return invalid(format!(
            "the lists end at item {end}, but there are {length} items"
        ));
    }
    // SAFETY: guaranteed by the caller.
    let known = identity(child).is_some_and(|items| validated.contains(&items));
    // SAFETY: guaranteed by the caller.
    unsafe { check(child, item.data_type(), known, validated) }
}

/// Checks the sizes of the data buffers of string views; the sizes are stored in the last buffer of
/// the array.
///
/// # Safety
/// Same as for [`import_array`]; there are at least three buffers.
unsafe fn view_sizes(array: &RawArray, buffer: &dyn Fn(usize) -> *const c_void) -> Result<()> {
    let count = array.n_buffers as usize - 3;
    let sizes = buffer(count + 2).cast::<i64>();
    if count > 0 && (sizes.is_null() || !sizes.is_aligned()) {
        return invalid("the buffer of sizes of an array of string views is missing or unaligned");
    }
    for at in 0..count {
        // SAFETY: the last buffer has one size for each data buffer.
        let size = unsafe { *sizes.add(at) };
        if !(0..1 << 48).contains(&size) || size > 0 && buffer(at + 2).is_null() {
            return invalid(format!(
                "data buffer {at} of an array of string views is missing or has the invalid size {size}"
            ));
        }
    }
    Ok(())
}
