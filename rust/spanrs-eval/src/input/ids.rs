//! Integer ids of tags.

use spanrs_tags::Reader;

use super::InputError;

/// An integer type of ids: signed and unsigned integers of 8 to 64 bits.
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::Id;
/// assert_eq!((3_u8.value(), 3_u8.low(), 3_u8.is_wide()), (3, 3, false));
/// assert!((-100_i64).is_wide() && 128_u16.is_wide());
/// assert_eq!(u64::MAX.value(), i64::MAX, "beyond any vocabulary");
/// assert_eq!(u64::MAX.exact(), 18_446_744_073_709_551_615);
/// ```
pub trait Id: Copy + Send + Sync {
    /// Returns the id. An id above `i64::MAX`, which is beyond any vocabulary, gives `i64::MAX`.
    fn value(self) -> i64;

    /// Returns the low byte.
    fn low(self) -> u8;

    /// Returns whether the id is not its low seven bits: negative, or 128 and more.
    fn is_wide(self) -> bool;

    /// Returns the id as it is, for messages.
    fn exact(self) -> i128;
}

macro_rules! id {
    ($($t:ty),*) => {
        $(impl Id for $t {
            #[inline(always)]
            fn value(self) -> i64 {
                // Beyond i64 there is no vocabulary and no ignore_index.
                self.try_into().unwrap_or(i64::MAX)
            }

            #[inline(always)]
            fn low(self) -> u8 {
                self as u8
            }

            #[inline(always)]
            fn is_wide(self) -> bool {
                self & !0x7F != 0
            }

            fn exact(self) -> i128 {
                i128::from(self)
            }
        })*
    };
}
id!(i64, i32, i16, i8, u64, u32, u16, u8);

/// The id that stands for a missing tag (a null of a column), if
/// [`IdBatch::nulls`](super::IdBatch::nulls) is set.
pub const NULL: i64 = i32::MIN as i64;

/// Returns the error for a null where a tag has to be. Indices are 0-based.
#[cold]
pub(super) fn no_tag(side: &str, sentence: usize, token: usize) -> InputError {
    InputError::UnknownId {
        message: format!(
            "{side} has no tag at sentence {sentence}, token {token}; a null in gold leaves the token out"
        ),
    }
}

/// Returns the error for an id without a tag. `tags` is the size of the vocabulary; indices are
/// 0-based.
#[cold]
pub fn bad_id(side: &str, sentence: usize, token: usize, id: i128, tags: usize) -> InputError {
    InputError::UnknownId {
        message: format!(
            "{side} has id {id} at sentence {sentence}, token {token}, but the vocabulary has {tags} tags \
             (ids 0 to {}); mark tokens to leave out with ignore_index in gold",
            tags as i64 - 1
        ),
    }
}

/// Returns the reader's id of each id of the caller's vocabulary, interning its tags.
///
/// Tags that occur twice get the same id of the reader.
///
/// # Errors
/// [`InputError::Tags`] if the reader has too many tags.
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::numbering;
/// use spanrs_tags::{Dialect, Reader, Reading, Scheme};
/// let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
/// reader.intern("O").unwrap();
/// let labels = ["B-A", "I-A", "O"].map(str::to_owned);
/// assert_eq!(numbering(&labels, &mut reader).unwrap(), [1, 2, 0]);
/// ```
pub fn numbering(vocabulary: &[String], reader: &mut Reader) -> Result<Vec<u32>, InputError> {
    Ok(vocabulary
        .iter()
        .map(|tag| reader.intern(tag))
        .collect::<std::result::Result<_, _>>()?)
}
