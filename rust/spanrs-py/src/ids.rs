//! Integer ids with a vocabulary.

use std::ops::Range;

use numpy::{PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use spanrs_tags::Reader;

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

/// Runs `$body` with `$slice` being the values of `$ids`, whatever their type.
macro_rules! with_values {
    ($ids:expr, $slice:ident => $body:expr) => {
        match $ids {
            $crate::ids::Ids::I64(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
            $crate::ids::Ids::I32(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
            $crate::ids::Ids::I16(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
            $crate::ids::Ids::I8(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
            $crate::ids::Ids::U64(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
            $crate::ids::Ids::U32(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
            $crate::ids::Ids::U16(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
            $crate::ids::Ids::U8(a) => {
                let $slice = $crate::ids::slice(a)?;
                $body
            }
        }
    };
}
pub(crate) use with_values;

/// An integer type that ids come in.
pub(crate) trait Id: Copy + numpy::Element + Send + Sync {
    /// The id; what is beyond i64, and so beyond any vocabulary, as its largest value.
    fn value(self) -> i64;

    /// The id as it is, for messages.
    fn exact(self) -> i128 {
        i128::from(self.value())
    }
}

macro_rules! id {
    ($($t:ty),*) => {
        $(impl Id for $t {
            #[inline(always)]
            fn value(self) -> i64 {
                i64::from(self)
            }
        })*
    };
}
id!(i64, i32, i16, i8, u32, u16, u8);

impl Id for u64 {
    #[inline(always)]
    fn value(self) -> i64 {
        // Beyond i64 there is no vocabulary and no ignore_index.
        i64::try_from(self).unwrap_or(i64::MAX)
    }

    fn exact(self) -> i128 {
        i128::from(self)
    }
}

pub(crate) fn slice<'a, T: Id>(array: &'a PyReadonlyArrayDyn<'_, T>) -> Result<&'a [T]> {
    array.as_slice().map_err(|_| {
        Error::Python(PyTypeError::new_err(
            "the array of ids must be C-contiguous",
        ))
    })
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
        let shape = match self {
            Self::I64(a) => a.shape(),
            Self::I32(a) => a.shape(),
            Self::I16(a) => a.shape(),
            Self::I8(a) => a.shape(),
            Self::U64(a) => a.shape(),
            Self::U32(a) => a.shape(),
            Self::U16(a) => a.shape(),
            Self::U8(a) => a.shape(),
        };
        match *shape {
            [tokens] => Ok((1, tokens)),
            [sentences, tokens] => Ok((sentences, tokens)),
            _ => Err(Error::Shape {
                message: format!(
                    "ids must have 1 or 2 dimensions (sentences, tokens), not {}",
                    shape.len()
                ),
                sentence: None,
            }),
        }
    }
}

/// The reader's id of each id of the user's vocabulary.
pub(crate) fn numbering(vocabulary: &[String], reader: &mut Reader) -> Result<Vec<u32>> {
    Ok(vocabulary
        .iter()
        .map(|tag| reader.intern(tag))
        .collect::<std::result::Result<_, _>>()?)
}

/// Where sentences begin and end in a flat run of ids.
#[derive(Clone, Copy)]
pub(crate) enum Sentences<'a, L = usize> {
    /// All of this many tokens.
    Equal(usize, usize),
    /// Each of its own length.
    Lengths(&'a [L]),
}

impl<L: Copy + TryInto<usize>> Sentences<'_, L> {
    /// The places of each sentence. Lengths are known to be no less than 0.
    pub(crate) fn ranges(self) -> impl Iterator<Item = Range<usize>> {
        self.ranges_of(0..self.len())
    }

    /// The places of some sentences.
    pub(crate) fn ranges_of(self, sentences: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let mut start = self.start(sentences.start);
        sentences.map(move |at| {
            let begin = start;
            start += self.length(at);
            begin..start
        })
    }

    /// Refuses sentences whose tokens could not be numbered.
    pub(crate) fn check(self) -> Result<()> {
        let kinds = match self {
            Self::Equal(count, _) => count.min(1),
            Self::Lengths(lengths) => lengths.len(),
        };
        let all = (0..kinds).fold(0, |all, at| all | self.length(at));
        if u32::try_from(all).is_ok() {
            return Ok(());
        }
        let long = (0..kinds).find(|&at| u32::try_from(self.length(at)).is_err());
        long.map_or(Ok(()), |at| {
            Err(Error::Shape {
                message: format!(
                    "sentence {at} has {} tokens, and one may have {}; cut it with lengths=",
                    self.length(at),
                    u32::MAX
                ),
                sentence: Some(at),
            })
        })
    }

    /// Where a sentence begins.
    pub(crate) fn start(self, sentence: usize) -> usize {
        (0..sentence).map(|at| self.length(at)).sum()
    }

    /// The lengths of the first ones of some sentences, up to `most` tokens and sentences or so; gives
    /// how many tokens they have.
    #[inline]
    pub(crate) fn run(self, sentences: Range<usize>, most: usize, lengths: &mut Vec<u32>) -> usize {
        lengths.clear();
        let mut tokens = 0;
        for at in sentences.take(most) {
            if tokens >= most {
                break;
            }
            let length = self.length(at);
            tokens += length;
            lengths.push(length as u32);
        }
        tokens
    }

    /// Sentences.
    pub(crate) fn len(self) -> usize {
        match self {
            Self::Equal(count, _) => count,
            Self::Lengths(lengths) => lengths.len(),
        }
    }

    #[inline(always)]
    fn length(self, at: usize) -> usize {
        match self {
            Self::Equal(_, tokens) => tokens,
            Self::Lengths(lengths) => lengths[at].try_into().unwrap_or(0),
        }
    }

    /// At most so many ranges of sentences, of nearly equal numbers of tokens, none of less than `worth`
    /// unless it is the only one.
    pub(crate) fn split(self, parts: usize, worth: usize) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        if parts <= 1 {
            ranges.push(0..self.len());
            return ranges;
        }
        let tokens: usize = (0..self.len()).map(|at| self.length(at)).sum();
        let parts = parts.min(tokens / worth).max(1);
        let (mut begin, mut behind) = (0, 0);
        for at in 0..self.len() {
            if ranges.len() + 1 == parts {
                break;
            }
            behind += self.length(at);
            if behind * parts >= tokens * (ranges.len() + 1) {
                ranges.push(begin..at + 1);
                begin = at + 1;
            }
        }
        ranges.push(begin..self.len());
        ranges
    }
}

/// Stands for a tag that is missing.
pub(crate) const NULL: i64 = i64::MIN;

/// A tag is missing.
#[cold]
pub(crate) fn no_tag(side: &str, sentence: usize, token: usize) -> Error {
    Error::Id {
        message: format!(
            "{side} has no tag at sentence {sentence}, token {token}; a null in gold leaves the token out"
        ),
    }
}

/// What is wrong with an id.
#[cold]
pub(crate) fn bad_id(side: &str, sentence: usize, token: usize, id: i128, tags: usize) -> Error {
    Error::Id {
        message: format!(
            "{side} has id {id} at sentence {sentence}, token {token}, but the vocabulary has {tags} tags \
             (ids 0 to {}); mark tokens to leave out with ignore_index in gold",
            tags as i64 - 1
        ),
    }
}
