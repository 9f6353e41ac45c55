//! UTF-8 validation of tags.
//!
//! Tags are nearly always ASCII, and checking for ASCII is many times faster than checking for
//! UTF-8: [`is_ascii`] tests the bytes of all strings at once, and each string view with a mask. If
//! this test fails, arrow validates the strings; if arrow rejects the strings, [`not_utf8`]
//! searches for the sentence and token to report.
//!
//! # Inline views
//!
//! A string view is 16 bytes, read as a number of 128 bits. Strings of up to 12 bytes are stored in
//! the view itself:
//!
//! | bits | 0 to 31 | 32 to 127 |
//! |---|---|---|
//! | content | length | the bytes, the first one lowest, then zeros |
//! | `O` | 1 | `4F 00 00 00 00 00 00 00 00 00 00 00` |
//! | `B-PER` | 5 | `42 2D 50 45 52 00 00 00 00 00 00 00` |
//!
//! A few shifts by the length extract the bits that must be zero if the string is inline, ASCII and
//! padded with zeros ([`refused_bits`]). If such a bit is set, the string is longer, not ASCII or
//! not well-formed, and arrow decides.

use std::sync::Arc;

use arrow_array::array::{Array, ArrayRef, make_array};
use arrow_array::cast::AsArray;
use arrow_data::ArrayData;
use arrow_schema::{DataType, Field};

use crate::error::ImportError;

/// Returns true for strings that are valid because they are ASCII.
///
/// The caller has checked the offsets; views are checked here, and only inline views are accepted.
/// False means "unknown" and is also returned for other types, arrays without items, and longer
/// views. Strings are tested as one slice from the first to the last offset of the array, including
/// nulls.
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
            pulp::Arch::new().dispatch(AreInlineAscii(views))
        }
        _ => false,
    }
}

/// Length in bytes of the longest string that fits into a view.
pub(crate) const INLINE: usize = 12;

/// Number of views that are tested at once.
const LANES: usize = 8;

/// Tests whether all views have at most [`INLINE`] bytes, all ASCII and padded with zeros as the
/// format requires.
struct AreInlineAscii<'a>(&'a [u128]);

impl pulp::NullaryFnOnce for AreInlineAscii<'_> {
    type Output = bool;

    #[inline(always)]
    fn call(self) -> bool {
        let (chunks, rest) = self.0.as_chunks::<LANES>();
        let mut refused = [0; LANES];
        for views in chunks {
            for (refused, &view) in refused.iter_mut().zip(views) {
                *refused |= refused_bits(view);
            }
        }
        let rest = rest.iter().map(|&view| refused_bits(view));
        rest.chain(refused).all(|refused| refused == 0)
    }
}

/// Returns zero for an inline view of at most [`INLINE`] bytes, all ASCII and padded with zeros.
/// Uses no branches or tables, so that the function can be vectorised over several views.
#[inline(always)]
fn refused_bits(view: u128) -> u64 {
    const NOT_ASCII: u64 = 0x8080_8080_8080_8080;
    let (low, high) = (view as u64, (view >> 64) as u64);
    let (len, text) = (low & u64::from(u32::MAX), low >> 32);
    // The first four bytes of the string are in the low half. The bytes of the string are shifted
    // out, so that only padding remains. The shift of the high half takes two steps, because a
    // single shift by 64 bits would overflow.
    let (in_low, in_high) = (len.min(4), len.max(4).min(INLINE as u64) - 4);
    let after_low = text >> (8 * in_low);
    let after_high = high >> (4 * in_high) >> (4 * in_high);
    let is_long = u64::from(len > INLINE as u64);
    (text | high) & NOT_ASCII | after_low | after_high | is_long
}

/// Returns the error for the first tag that is not UTF-8, in the order of sentences and tokens;
/// None if something else is wrong.
///
/// `data` has failed validation as strings, so it is read as bytes. Every tag is copied, which is
/// slow but happens at most once per column. Null sentences and tokens are skipped.
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

/// Returns the index of the first tag of a sentence that is not UTF-8, with its bytes. In a
/// dictionary, only values that a tag refers to are checked.
fn first_not_utf8(tags: &ArrayRef) -> Option<(usize, Vec<u8>)> {
    let wrong = |bytes: &Vec<u8>| std::str::from_utf8(bytes).is_err();
    let mut tokens = (0..tags.len()).filter(|&token| tags.is_valid(token));
    if let Some(coded) = tags.as_any_dictionary_opt() {
        // If there are no values, all keys are null.
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

/// Returns the same column with bytes instead of strings, with all validation except UTF-8: `Utf8`
/// becomes `Binary`, also within lists and dictionaries. Buffers are shared.
///
/// # Errors
/// [`ImportError::Invalid`] if the column is invalid for another reason than UTF-8.
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

/// Returns the item field of a list type with the type of the new items.
fn retyped(field: &Field, item: &ArrayData) -> Arc<Field> {
    let field = field.clone().with_data_type(item.data_type().clone());
    Arc::new(field)
}

/// Returns the bytes of a token; None for a null, and for an array of other values.
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
        let is_inline_ascii = |view| {
            let mut views = vec![1 | u128::from(b'O') << 32; 19];
            let last = views.len() - 1;
            [5, last].iter().all(|&at| {
                let before = std::mem::replace(&mut views[at], view);
                let found = pulp::Arch::new().dispatch(AreInlineAscii(&views));
                views[at] = before;
                found
            })
        };
        let view = |text: &[u8], len: u32| {
            let bytes = text.iter().rev();
            bytes.fold(0_u128, |all, &byte| all << 8 | u128::from(byte)) << 32 | u128::from(len)
        };
        for len in 0..=12 {
            let text = vec![0x7F; len];
            assert!(is_inline_ascii(view(&text, len as u32)), "{len}");
            assert_eq!(is_inline_ascii(view(&[b'a'; 12], len as u32)), len == 12);
            for at in 0..12 {
                let mut odd = text.clone();
                odd.resize(12, 0);
                odd[at] |= 0x80;
                assert!(!is_inline_ascii(view(&odd, len as u32)), "{len} {at}");
            }
        }
        assert!(!is_inline_ascii(view("é".as_bytes(), 2)));
        assert!(!is_inline_ascii(view(b"", 13)) && !is_inline_ascii(view(b"", u32::MAX)));
    }
}
