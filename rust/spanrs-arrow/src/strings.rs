//! Strings of tags to ids of a reader.

use arrow_array::array::{Array, ArrayRef};
use arrow_array::cast::AsArray;
use arrow_array::{GenericStringArray, OffsetSizeTrait};
use arrow_schema::DataType;
use spanrs_base::ShortKey;
use spanrs_eval::input::NULL;
use spanrs_tags::Reader;

use crate::error::ColumnError;

/// Strings or nulls.
pub(crate) type Strings<'a> = Box<dyn Iterator<Item = Option<&'a str>> + 'a>;

/// The strings of an array, for the few values of a dictionary.
pub(crate) fn strings<'a>(tags: &'a ArrayRef, side: &str) -> Result<Strings<'a>, ColumnError> {
    match tags.data_type() {
        DataType::Utf8 => Ok(Box::new(tags.as_string::<i32>().iter())),
        DataType::LargeUtf8 => Ok(Box::new(tags.as_string::<i64>().iter())),
        DataType::Utf8View => Ok(Box::new(tags.as_string_view().iter())),
        other => Err(ColumnError::Type(format!(
            "the lists of {side} hold {other}; tags are strings, a dictionary of strings, or integers"
        ))),
    }
}

/// The reader's id of each string, [`NULL`] for a null.
pub(crate) fn intern_strings(
    tags: &ArrayRef,
    side: &str,
    reader: &mut Reader,
) -> Result<Vec<i32>, ColumnError> {
    match tags.data_type() {
        DataType::Utf8 if tags.null_count() == 0 => intern(tags.as_string::<i32>(), reader),
        DataType::LargeUtf8 if tags.null_count() == 0 => intern(tags.as_string::<i64>(), reader),
        _ => {
            let mut ids = Vec::with_capacity(tags.len());
            for tag in strings(tags, side)? {
                ids.push(match tag {
                    Some(tag) => reader.intern(tag)? as i32,
                    None => NULL as i32,
                });
            }
            Ok(ids)
        }
    }
}

/// The ids of strings without nulls, the bytes of which are one behind the other.
fn intern<O: OffsetSizeTrait>(
    tags: &GenericStringArray<O>,
    reader: &mut Reader,
) -> Result<Vec<i32>, ColumnError> {
    let (offsets, text) = (tags.value_offsets(), tags.value_data());
    let mut ids = vec![0; tags.len()];
    let Some(first) = offsets.first() else {
        return Ok(ids);
    };
    let mut start = first.as_usize();
    for (id, end) in ids.iter_mut().zip(&offsets[1..]) {
        let end = end.as_usize();
        let key = ShortKey::ending_at(text, end, end - start);
        *id = match key.and_then(|key| reader.get_short(key)) {
            Some(id) => id as i32,
            None => reader.intern_bytes(&text[start..end])? as i32,
        };
        start = end;
    }
    Ok(ids)
}
