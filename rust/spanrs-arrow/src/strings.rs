//! Conversion of tag strings to ids of a reader.
//!
//! There are few distinct tags and many tokens, so hashing the same short strings would dominate
//! the running time. Three optimisations avoid this:
//!
//! - Pred mostly repeats gold. Strings are processed in runs of 16; a run of pred with the same
//!   bytes as the gold run at the same position gets the ids of the gold run, without a lookup.
//! - A short string is looked up as an integer ([`RecentTags`]), not as a string.
//! - Ids are stored in one byte each if they fit, a quarter of the memory traffic of 32-bit ids.
//!
//! Arrow has two string layouts. For `O B-PER O`, the buffers are:
//!
//! | layout | buffers |
//! |---|---|
//! | offsets ([`GenericStringArray`]) | ends 0 1 6 7, text `OB-PERO` |
//! | views ([`StringViewArray`]) | (1, `O`) (5, `B-PER`) (1, `O`), 16 bytes each |
//!
//! The view of a string of more than 12 bytes contains the first four bytes and the position of the
//! string in another buffer. Runs are compared as a whole, not string by string: in the offset
//! layout, differences of offsets and the bytes between the first and the last offset; in the view
//! layout, the views as numbers.
//!
//! Ids depend only on the order in which tags first occur, gold before pred; a run whose ids are
//! copied has no new tags.

use arrow_array::array::{Array, ArrayRef, StringViewArray};
use arrow_array::cast::AsArray;
use arrow_array::{GenericStringArray, OffsetSizeTrait};
use arrow_schema::DataType;
use spanrs_base::ShortKey;
use spanrs_eval::input::NULL;
use spanrs_tags::Reader;

use crate::error::ColumnError;
use crate::recent_tags::{RecentTags, word_at, word_of_view};
use crate::utf8::INLINE;

/// Number of strings that are compared at once with the strings of the other side.
const RUN: usize = 16;
/// Iterator over strings, None for nulls.
pub(crate) type Strings<'a> = Box<dyn Iterator<Item = Option<&'a str>> + 'a>;

/// Iterates over the strings of an array, for the few values of a dictionary and for arrays with
/// nulls.
///
/// # Errors
/// [`ColumnError::Type`] if the array does not contain strings; the message includes `side`.
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

/// The ids of the strings of a chunk, in order.
pub(crate) enum StringIds {
    /// Used if all ids are below 256 and no string is null.
    Few(Vec<u8>),
    /// Any ids; [`NULL`] for a null.
    Many(Vec<i32>),
}

/// Strings with known ids: the strings at the same positions of the other side, most of which are
/// equal.
pub(crate) type Known<'a> = (&'a ArrayRef, &'a StringIds);

/// Returns the reader's ids of strings. `known` is used only if both arrays have the same type and
/// no nulls.
///
/// Strings with nulls are interned one by one. Such columns are rare: gold has nulls at tokens that
/// are to be skipped, such as the second and later subwords of a word, and pred never needs nulls.
///
/// # Errors
/// [`ColumnError::Type`] if the array does not contain strings; [`ColumnError::Input`] for too many
/// different tags.
pub(crate) fn intern_strings(
    tags: &ArrayRef,
    known: Option<Known<'_>>,
    side: &str,
    reader: &mut Reader,
) -> Result<StringIds, ColumnError> {
    let known = known.filter(|(other, _)| other.data_type() == tags.data_type());
    match tags.data_type() {
        DataType::Utf8 if tags.null_count() == 0 => {
            let known = known.map(|(other, ids)| (other.as_string::<i32>(), ids));
            intern_all(tags.as_string::<i32>(), known, reader)
        }
        DataType::LargeUtf8 if tags.null_count() == 0 => {
            let known = known.map(|(other, ids)| (other.as_string::<i64>(), ids));
            intern_all(tags.as_string::<i64>(), known, reader)
        }
        DataType::Utf8View if tags.null_count() == 0 => {
            let known = known.map(|(other, ids)| (other.as_string_view(), ids));
            intern_all(tags.as_string_view(), known, reader)
        }
        _ => {
            let mut ids = Vec::with_capacity(tags.len());
            for tag in strings(tags, side)? {
                ids.push(match tag {
                    Some(tag) => reader.intern(tag)? as i32,
                    None => NULL as i32,
                });
            }
            Ok(StringIds::Many(ids))
        }
    }
}

/// Returns the ids of strings without nulls, as bytes. If an id does not fit into a byte, all
/// strings are interned again with 32-bit ids.
fn intern_all<T: StringRuns>(
    tags: &T,
    known: Option<(&T, &StringIds)>,
    reader: &mut Reader,
) -> Result<StringIds, ColumnError> {
    // One-byte ids first: a quarter of the memory traffic.
    let few = known.and_then(|(other, ids)| match ids {
        StringIds::Few(ids) => Some((other, &**ids)),
        StringIds::Many(_) => None,
    });
    let arch = pulp::Arch::new();
    let known = few;
    if let Some(ids) = arch.dispatch(InternRuns {
        tags,
        known,
        reader,
    })? {
        return Ok(StringIds::Few(ids));
    }
    let known = None;
    let ids = arch.dispatch(InternRuns {
        tags,
        known,
        reader,
    })?;
    Ok(StringIds::Many(ids.unwrap_or_default()))
}

/// An array of strings without nulls, implemented for Arrow's two layouts: offsets into one buffer,
/// and views.
///
/// Indices are relative to the array; in a slice, to the start of the slice. The methods are
/// inlined into [`InternRuns`], which is compiled for each layout and each id type.
trait StringRuns {
    /// Number of strings.
    fn number(&self) -> usize;

    /// Returns true if the [`RUN`] strings starting at index `from` equal the strings of another
    /// array at the same indices. False negatives are possible.
    fn equals(&self, other: &Self, from: usize) -> bool;

    /// Writes the ids of the strings from index `from` to the end of `ids`, stopping at the first
    /// string that is not in the cache; returns the number of ids written.
    fn recent<I: Copy + Default>(
        &self,
        from: usize,
        ids: &mut [I],
        recent: &RecentTags<I>,
    ) -> usize;

    /// Returns the key of a string in the cache: its bytes and length in one machine word; None if
    /// the string has no key.
    fn word(&self, at: usize) -> Option<u64>;

    /// Interns a string and returns its id.
    fn intern(&self, at: usize, reader: &mut Reader) -> Result<u32, ColumnError>;
}

/// Interns all strings and returns their ids, or None if an id does not fit the type `I`.
struct InternRuns<'a, T, I> {
    tags: &'a T,
    /// The strings at the same positions of the other side, and their ids.
    known: Option<(&'a T, &'a [I])>,
    reader: &'a mut Reader,
}

impl<T: StringRuns, I: TryFrom<u32> + Copy + Default> pulp::NullaryFnOnce for InternRuns<'_, T, I> {
    type Output = Result<Option<Vec<I>>, ColumnError>;

    /// Processes the strings run by run; a run that equals the run of the known array takes the ids
    /// of that run. A shorter last run is not compared.
    #[inline(always)]
    fn call(self) -> Self::Output {
        let tags = self.tags;
        let mut ids = vec![I::default(); tags.number()];
        let mut recent = RecentTags::new();
        for (number, run) in ids.chunks_mut(RUN).enumerate() {
            let from = number * RUN;
            if let Some((other, ids)) = self.known
                && run.len() == RUN
                && let Some(ids) = ids.get(from..from + RUN)
                && tags.equals(other, from)
            {
                run.copy_from_slice(ids);
                continue;
            }
            let mut done = 0;
            loop {
                done += tags.recent(from + done, &mut run[done..], &recent);
                let Some(id) = run.get_mut(done) else {
                    break;
                };
                let Ok(found) = I::try_from(tags.intern(from + done, self.reader)?) else {
                    return Ok(None);
                };
                *id = found;
                if let Some(word) = tags.word(from + done) {
                    recent.put(word, found);
                }
                done += 1;
            }
        }
        Ok(Some(ids))
    }
}

impl<O: OffsetSizeTrait> StringRuns for GenericStringArray<O> {
    fn number(&self) -> usize {
        self.len()
    }

    /// Compares the lengths of the strings (differences of offsets) without a branch per string,
    /// then the bytes of the whole run at once.
    #[inline(always)]
    fn equals(&self, other: &Self, from: usize) -> bool {
        let [ends, others] = [self, other].map(|side| side.value_offsets()[from..].first_chunk());
        let (Some(ends), Some(others)) = (ends, others) else {
            return false;
        };
        let (ends, others): (&[O; RUN + 1], &[O; RUN + 1]) = (ends, others);
        let shift = ends[0] - others[0];
        let same = |at: usize| ends[at] - others[at] == shift;
        if !(0..=RUN).fold(true, |all, at| all & same(at)) {
            return false;
        }
        let text = |ends: &[O; RUN + 1]| ends[0].as_usize()..ends[RUN].as_usize();
        self.value_data()[text(ends)] == other.value_data()[text(others)]
    }

    /// Words are loaded from the text; for the last strings, too few bytes follow to load a whole
    /// word.
    #[inline(always)]
    fn recent<I: Copy + Default>(
        &self,
        from: usize,
        ids: &mut [I],
        recent: &RecentTags<I>,
    ) -> usize {
        let text = self.value_data();
        let Some((first, ends)) = self.value_offsets()[from..].split_first() else {
            return 0;
        };
        let mut start = first.as_usize();
        for (at, (id, end)) in ids.iter_mut().zip(ends).enumerate() {
            let end = end.as_usize();
            let word = word_at(text, start, end - start);
            let Some(found) = word.and_then(|word| recent.get(word)) else {
                return at;
            };
            *id = found;
            start = end;
        }
        ids.len()
    }

    fn word(&self, at: usize) -> Option<u64> {
        let [start, end] = [at, at + 1].map(|at| self.value_offsets()[at].as_usize());
        word_at(self.value_data(), start, end - start)
    }

    fn intern(&self, at: usize, reader: &mut Reader) -> Result<u32, ColumnError> {
        let tag = self.value(at);
        let end = self.value_offsets()[at + 1].as_usize();
        let key = ShortKey::ending_at(self.value_data(), end, tag.len());
        match key.and_then(|key| reader.get_short(key)) {
            Some(id) => Ok(id),
            None => Ok(reader.intern(tag)?),
        }
    }
}

impl StringRuns for StringViewArray {
    fn number(&self) -> usize {
        self.len()
    }

    /// Compares views as numbers. Views of strings of more than 12 bytes point into buffers of
    /// their own array, so a run with such a view is treated as different.
    #[inline(always)]
    fn equals(&self, other: &Self, from: usize) -> bool {
        let [views, others] = [self, other].map(|side| side.views().get(from..from + RUN));
        let (Some(views), Some(others)) = (views, others) else {
            return false;
        };
        // Only inline views can be compared as numbers.
        let inline = |view: u128| view as u32 as usize <= INLINE;
        views == others && views.iter().all(|&view| inline(view))
    }

    #[inline(always)]
    fn recent<I: Copy + Default>(
        &self,
        from: usize,
        ids: &mut [I],
        recent: &RecentTags<I>,
    ) -> usize {
        for (at, (id, &view)) in ids.iter_mut().zip(&self.views()[from..]).enumerate() {
            let Some(found) = word_of_view(view).and_then(|word| recent.get(word)) else {
                return at;
            };
            *id = found;
        }
        ids.len()
    }

    fn word(&self, at: usize) -> Option<u64> {
        word_of_view(self.views()[at])
    }

    fn intern(&self, at: usize, reader: &mut Reader) -> Result<u32, ColumnError> {
        let view = self.views()[at];
        let len = view as u32 as usize;
        let key = (len <= INLINE).then(|| ShortKey::of_padded(view >> 32, len));
        match key.and_then(|key| reader.get_short(key)) {
            Some(id) => Ok(id),
            None => Ok(reader.intern(self.value(at))?),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use spanrs_tags::{Dialect, Reading, Scheme};

    use super::*;

    fn ids(arrays: &[ArrayRef]) -> Vec<Vec<String>> {
        let mut reader = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
        let mut all: Vec<StringIds> = Vec::new();
        for array in arrays {
            let known = arrays.first().zip(all.first());
            all.push(intern_strings(array, known, "gold", &mut reader).unwrap());
        }
        let name = |id: i32| match u32::try_from(id) {
            Ok(id) => reader.tags().name(id).to_owned(),
            Err(_) => "null".to_owned(),
        };
        let names = |ids: &StringIds| match ids {
            StringIds::Few(ids) => ids.iter().map(|&id| name(i32::from(id))).collect(),
            StringIds::Many(ids) => ids.iter().map(|&id| name(id)).collect(),
        };
        all.iter().map(names).collect()
    }

    #[test]
    fn more_tags_than_bytes_are_told_apart() {
        let tags: Vec<String> = (0..1000).map(|at| format!("B-{}", at % 400)).collect();
        let array: ArrayRef = Arc::new(GenericStringArray::<i32>::from(tags.clone()));
        let found = ids(&[array.slice(0, 100), array.clone(), array]);
        assert_eq!(found[0], tags[..100]);
        assert_eq!(found[1], tags);
        assert_eq!(found[2], tags);
    }

    #[test]
    fn every_kind_of_string_array_has_the_same_tags() {
        let long = "B-a type of more than sixteen bytes";
        let mut tags: Vec<&str> =
            ["O", "B-PER", "I-PER", "", "B-é", long, "B-twelve-by", "x"].into();
        for _ in 0..4 {
            tags.extend(tags.clone());
        }
        let mut other = tags.clone();
        other[40] = "I-LOC";
        other[77] = long;
        for tags in [tags.clone(), other.clone(), tags[..21].to_vec()] {
            let offsets: ArrayRef = Arc::new(GenericStringArray::<i32>::from(tags.clone()));
            let large: ArrayRef = Arc::new(GenericStringArray::<i64>::from(tags.clone()));
            let views: ArrayRef = Arc::new(StringViewArray::from(tags.clone()));
            let first: ArrayRef = Arc::new(GenericStringArray::<i32>::from(other.clone()));
            let found = ids(&[
                first,
                offsets.slice(3, tags.len() - 3),
                large,
                views.clone(),
            ]);
            assert_eq!(found[1], tags[3..]);
            assert_eq!(found[2], tags);
            assert_eq!(found[3], tags);
            let first: ArrayRef = Arc::new(StringViewArray::from(other.clone()));
            assert_eq!(ids(&[first, views])[1], tags);
        }
    }

    #[test]
    fn nulls_are_told_apart() {
        let tags = vec![Some("O"), None, Some("B-PER")];
        let array: ArrayRef = Arc::new(GenericStringArray::<i32>::from(tags));
        assert_eq!(ids(&[array])[0], ["O", "null", "B-PER"]);
    }
}
