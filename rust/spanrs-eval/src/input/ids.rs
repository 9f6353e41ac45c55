//! Integer ids of tags.

use spanrs_tags::Reader;

use super::InputError;

/// An integer type that ids come in.
pub trait Id: Copy + Send + Sync {
    /// The id; what is beyond i64, and so beyond any vocabulary, as its largest value.
    fn value(self) -> i64;

    /// The low byte.
    fn low(self) -> u8;

    /// True where the id is not its low seven bits.
    fn is_wide(self) -> bool;

    /// The id as it is, for messages.
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

/// The id that stands for a missing tag.
pub const NULL: i64 = i32::MIN as i64;

/// A null where a tag must be.
#[cold]
pub(super) fn no_tag(side: &str, sentence: usize, token: usize) -> InputError {
    InputError::UnknownId {
        message: format!(
            "{side} has no tag at sentence {sentence}, token {token}; a null in gold leaves the token out"
        ),
    }
}

/// An id without a tag.
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

/// The reader's id of each id of the user's vocabulary.
///
/// # Errors
/// [`InputError::Tags`] where the vocabulary has too many tags.
pub fn numbering(vocabulary: &[String], reader: &mut Reader) -> Result<Vec<u32>, InputError> {
    Ok(vocabulary
        .iter()
        .map(|tag| reader.intern(tag))
        .collect::<std::result::Result<_, _>>()?)
}
