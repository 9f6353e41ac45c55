//! Whether the bytes of tags are UTF-8.

use std::sync::Arc;

use arrow_array::array::{Array, ArrayRef, make_array};
use arrow_array::cast::AsArray;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::error::ImportError;

/// True for strings that are valid because they are ASCII. Their offsets have been checked; views are looked at here, and
/// are to hold their strings themselves.
pub(crate) fn is_ascii(items: &ArrayData) -> bool {
    let range = items.offset()..items.offset() + items.len();
    let bytes = |first: usize, last: usize| {
        let text = items
            .buffers()
            .get(1)
            .and_then(|text| text.get(first..last));
        text.is_some_and(<[u8]>::is_ascii)
    };
    let Some(buffer) = items.buffers().first() else {
        return false;
    };
    match items.data_type() {
        _ if items.is_empty() => false,
        DataType::Utf8 => {
            let offsets = buffer.typed_data::<i32>();
            bytes(offsets[range.start] as usize, offsets[range.end] as usize)
        }
        DataType::LargeUtf8 => {
            let offsets = buffer.typed_data::<i64>();
            bytes(offsets[range.start] as usize, offsets[range.end] as usize)
        }
        DataType::Utf8View => {
            let views = &buffer.typed_data::<u128>()[range];
            views
                .iter()
                .fold(true, |all, &view| all & is_inline_ascii(view))
        }
        _ => false,
    }
}

/// Longest string that a view holds itself.
pub(crate) const INLINE: usize = 12;

/// Mask of the bits that may be set in an inline view of as many ASCII bytes as its index; none behind the last.
const ALLOWED: [u128; INLINE + 2] = {
    let mut allowed = [0; INLINE + 2];
    let (mut len, mut bits) = (0, u32::MAX as u128);
    while len <= INLINE {
        allowed[len] = bits;
        // One more byte, above those before.
        bits |= (0x7F_u128 << 24) << (8 * (len + 1) % 128);
        len += 1;
    }
    allowed
};

/// True for a view of at most 12 bytes, all ASCII, that it holds itself, followed by zeros.
#[inline(always)]
fn is_inline_ascii(view: u128) -> bool {
    view & !ALLOWED[(view as u32 as usize).min(INLINE + 1)] == 0
}

/// Finds the first tag that is not UTF-8; None where something else is wrong.
pub(crate) fn not_utf8(data: &ArrayData) -> Option<ImportError> {
    let lists = make_array(as_binary(data).ok()?);
    for sentence in 0..lists.len() {
        if lists.is_null(sentence) {
            continue;
        }
        let tags = match lists.data_type() {
            DataType::List(_) => lists.as_list::<i32>().value(sentence),
            DataType::LargeList(_) => lists.as_list::<i64>().value(sentence),
            _ => lists.as_fixed_size_list().value(sentence),
        };
        if let Some((token, bytes)) = first_not_utf8(&tags) {
            return Some(ImportError::Encoding {
                sentence,
                token,
                bytes: bytes.escape_ascii().take(40).map(char::from).collect(),
            });
        }
    }
    None
}

/// The first of some tags that is not UTF-8, with its bytes.
fn first_not_utf8(tags: &ArrayRef) -> Option<(usize, Vec<u8>)> {
    let wrong = |bytes: &Vec<u8>| std::str::from_utf8(bytes).is_err();
    let mut tokens = (0..tags.len()).filter(|&token| tags.is_valid(token));
    if let Some(coded) = tags.as_any_dictionary_opt() {
        // Without values all keys are null.
        let keys = if coded.values().is_empty() {
            return None;
        } else {
            coded.normalized_keys()
        };
        return tokens.find_map(|token| {
            let bytes = bytes_of(coded.values().as_ref(), *keys.get(token)?).filter(wrong)?;
            Some((token, bytes))
        });
    }
    tokens.find_map(|token| Some((token, bytes_of(tags.as_ref(), token).filter(wrong)?)))
}

/// The same column with bytes for strings, validated.
fn as_binary(data: &ArrayData) -> Result<ArrayData, ImportError> {
    let children: Vec<ArrayData> = data
        .child_data()
        .iter()
        .map(as_binary)
        .collect::<Result<_, _>>()?;
    let kind = match (data.data_type(), children.first()) {
        (DataType::Utf8, _) => DataType::Binary,
        (DataType::LargeUtf8, _) => DataType::LargeBinary,
        (DataType::Utf8View, _) => DataType::BinaryView,
        (DataType::List(field), Some(item)) => DataType::List(retyped(field, item)),
        (DataType::LargeList(field), Some(item)) => DataType::LargeList(retyped(field, item)),
        (DataType::FixedSizeList(field, size), Some(item)) => {
            DataType::FixedSizeList(retyped(field, item), *size)
        }
        (DataType::Dictionary(key, _), Some(values)) => {
            DataType::Dictionary(key.clone(), Box::new(values.data_type().clone()))
        }
        (other, _) => other.clone(),
    };
    let builder = data.clone().into_builder().data_type(kind);
    Ok(builder.child_data(children).build()?)
}

fn retyped(field: &Field, item: &ArrayData) -> Arc<Field> {
    let field = field.clone().with_data_type(item.data_type().clone());
    Arc::new(field)
}

/// The bytes at a place; None for a null, and where there are no bytes.
fn bytes_of(tags: &dyn Array, token: usize) -> Option<Vec<u8>> {
    if tags.is_null(token) {
        return None;
    }
    match tags.data_type() {
        DataType::Binary => Some(tags.as_binary::<i32>().value(token).to_vec()),
        DataType::LargeBinary => Some(tags.as_binary::<i64>().value(token).to_vec()),
        DataType::BinaryView => Some(tags.as_binary_view().value(token).to_vec()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_short_ascii_strings_are_told_apart() {
        let view = |text: &[u8], len: u32| {
            let bytes = text.iter().rev();
            bytes.fold(0_u128, |all, &byte| all << 8 | u128::from(byte)) << 32 | u128::from(len)
        };
        for len in 0..=12 {
            let text = vec![0x7F; len];
            assert!(is_inline_ascii(view(&text, len as u32)), "{len}");
            assert_eq!(is_inline_ascii(view(&[b'a'; 12], len as u32)), len == 12);
        }
        assert!(!is_inline_ascii(view("é".as_bytes(), 2)));
        assert!(!is_inline_ascii(view(b"", 13)) && !is_inline_ascii(view(b"", u32::MAX)));
    }
}
