//! Integer ids of tags.

use std::ops::Range;

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

    /// Returns whether the id does not fit seven bits: negative, or 128 or more.
    fn is_wide(self) -> bool;

    /// Returns the exact id, for messages.
    fn exact(self) -> i128;
}

macro_rules! id {
    ($($t:ty),*) => {
        $(impl Id for $t {
            #[inline(always)]
            fn value(self) -> i64 {
                // i64::MAX is beyond any vocabulary, and callers refuse it as the id to ignore.
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

/// The ids of one side, of any integer type. The ids are only read, so arrays of NumPy or Arrow can
/// be used without a copy.
///
/// Counting is compiled once, not once for each pair of types: the type is examined only where a
/// few thousand ids at a time are converted to bytes.
///
/// # Examples
///
/// ```
/// use spanrs_eval::input::IdSlice;
/// let labels = [0_i8, 1, -100];
/// let ids = IdSlice::from(&labels[..]);
/// assert_eq!((ids.len(), ids.value(2)), (3, -100));
/// ```
#[derive(Clone, Copy, Debug)]
pub enum IdSlice<'a> {
    /// 8-bit signed integers. The other variants follow the same pattern.
    I8(&'a [i8]),
    /// 16-bit signed integers.
    I16(&'a [i16]),
    /// 32-bit signed integers.
    I32(&'a [i32]),
    /// 64-bit signed integers.
    I64(&'a [i64]),
    /// 8-bit unsigned integers.
    U8(&'a [u8]),
    /// 16-bit unsigned integers.
    U16(&'a [u16]),
    /// 32-bit unsigned integers.
    U32(&'a [u32]),
    /// 64-bit unsigned integers.
    U64(&'a [u64]),
}

/// Runs `$body` with `$slice` bound to the ids as a slice of their integer type; `$body` is
/// compiled for each type.
macro_rules! with_ids {
    ($ids:expr, $slice:ident => $body:expr) => {
        $crate::input::ids::with_ids!(@arms $ids, $slice => $body; I8 I16 I32 I64 U8 U16 U32 U64)
    };
    (@arms $ids:expr, $slice:ident => $body:expr; $($variant:ident)*) => {
        match $ids {
            $($crate::input::IdSlice::$variant($slice) => $body,)*
        }
    };
}
pub(super) use with_ids;

macro_rules! from_slices {
    ($($variant:ident $t:ty),*) => {
        $(impl<'a> From<&'a [$t]> for IdSlice<'a> {
            fn from(ids: &'a [$t]) -> Self {
                Self::$variant(ids)
            }
        }

        impl<'a, const N: usize> From<&'a [$t; N]> for IdSlice<'a> {
            fn from(ids: &'a [$t; N]) -> Self {
                Self::$variant(ids)
            }
        })*

        impl IdSlice<'_> {
            /// Returns the ids at a range of indices.
            ///
            /// # Panics
            /// If the range is not within the ids.
            #[must_use]
            pub fn range(self, range: Range<usize>) -> Self {
                match self {
                    $(Self::$variant(ids) => Self::$variant(&ids[range]),)*
                }
            }
        }
    };
}
from_slices!(I8 i8, I16 i16, I32 i32, I64 i64, U8 u8, U16 u16, U32 u32, U64 u64);

impl IdSlice<'_> {
    /// Number of ids.
    pub fn len(self) -> usize {
        with_ids!(self, ids => ids.len())
    }

    /// Returns whether there are no ids.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns an id by index; see [`Id::value`].
    ///
    /// # Panics
    /// If the index is out of range.
    #[inline]
    pub fn value(self, at: usize) -> i64 {
        with_ids!(self, ids => ids[at].value())
    }

    /// Returns an id by index; see [`Id::exact`].
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn exact(self, at: usize) -> i128 {
        with_ids!(self, ids => ids[at].exact())
    }
}

/// The id of a missing tag (a null in a column), if [`IdBatch::nulls`](super::IdBatch::nulls) is
/// set.
pub const NULL: i64 = i32::MIN as i64;

/// Returns the error for a null in place of a tag. Indices are 0-based.
#[cold]
pub(super) fn no_tag(side: &str, sentence: usize, token: usize) -> InputError {
    InputError::UnknownId {
        message: format!(
            "{side} has no tag at sentence {sentence}, token {token}; a null in gold skips the token"
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
             (ids 0 to {}); mark tokens to skip with ignore_index in gold",
            tags as i64 - 1
        ),
    }
}

/// Returns the reader's id of each id of the caller's vocabulary, interning its tags.
///
/// Equal tags get the same id of the reader.
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
