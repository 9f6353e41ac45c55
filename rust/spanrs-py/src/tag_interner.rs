//! Conversion of tags in Python lists to ids.
//!
//! Tags from one label list are a small set of objects, which are recognised by their addresses. Tags that a program
//! has split from lines are separate objects, which are recognised by their characters.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString, PyTuple};
use spanrs::tags::Reader;

use crate::error::{Error, Result};
use crate::py_sequence::{IndexedItems, Item, is_direct, short_ascii};

/// Number of slots in the table from object to id.
const SLOTS: usize = 1024;
/// Number of slots overwritten since [`TagInterner::look_again`] after which the address table is bypassed.
const MAX_EVICTIONS: u32 = 64;

/// Converts the tags in Python sequences to ids of a reader.
pub(crate) struct TagInterner {
    // The reference keeps the object alive, so that its address cannot be reused for another string.
    slots: Box<[Option<Known>; SLOTS]>,
    /// True if the characters of a string can be read in place.
    direct: bool,
    /// Number of slots overwritten since the last call of [`TagInterner::look_again`].
    evictions: u32,
}

/// A tag's object and its id.
type Known = (Py<PyAny>, u32);

impl TagInterner {
    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([const { None }; SLOTS]),
            direct: is_direct(),
            evictions: 0,
        }
    }

    /// The ids of two tags.
    ///
    /// # Safety
    /// Both items are alive.
    #[inline(always)]
    pub(crate) unsafe fn pair(
        &mut self,
        py: Python<'_>,
        reader: &mut Reader,
        gold: Item,
        pred: Item,
    ) -> Result<(u32, u32)> {
        // SAFETY: both are alive.
        unsafe {
            if self.bypasses_addresses()
                && let Some(ids) = self.pair_by_characters(reader, gold, pred)
            {
                return Ok(ids);
            }
            let id_of_gold = self.id(py, reader, gold)?;
            // Most predictions are correct, and if tags are from one label list, gold and pred are the same object.
            let id_of_pred = if pred == gold {
                id_of_gold
            } else {
                self.id(py, reader, pred)?
            };
            Ok((id_of_gold, id_of_pred))
        }
    }

    /// The ids of two short tags if both are known. Most predictions are correct, and then one lookup suffices.
    ///
    /// # Safety
    /// Both items are alive.
    #[inline(always)]
    unsafe fn pair_by_characters(
        &self,
        reader: &Reader,
        gold: Item,
        pred: Item,
    ) -> Option<(u32, u32)> {
        if !self.direct {
            return None;
        }
        // SAFETY: both are alive.
        let (gold, pred) = unsafe { (short_ascii(gold)?, short_ascii(pred)?) };
        let id_of_gold = reader.get_short(gold)?;
        let id_of_pred = if pred == gold {
            id_of_gold
        } else {
            reader.get_short(pred)?
        };
        Some((id_of_gold, id_of_pred))
    }

    /// The id of a tag. No Python code runs unless the item is not a string.
    ///
    /// # Safety
    /// The item is alive.
    #[inline(always)]
    pub(crate) unsafe fn id(
        &mut self,
        py: Python<'_>,
        reader: &mut Reader,
        item: Item,
    ) -> Result<u32> {
        if self.evictions < MAX_EVICTIONS
            && let Some((known, id)) = &self.slots[slot_of(item)]
            && known.as_ptr() == item
        {
            return Ok(*id);
        }
        // SAFETY: the item is alive.
        unsafe {
            if self.direct
                && let Some(key) = short_ascii(item)
                && let Some(id) = reader.get_short(key)
            {
                if self.evictions < MAX_EVICTIONS {
                    self.remember(py, item, id);
                }
                return Ok(id);
            }
            self.learn(py, item, reader)
        }
    }

    /// The id of a known tag, if its object is known or its characters can be read in place.
    ///
    /// # Safety
    /// The item is alive.
    #[inline(always)]
    pub(crate) unsafe fn known(&self, reader: &Reader, item: Item) -> Option<u32> {
        match &self.slots[slot_of(item)] {
            Some((known, id)) if known.as_ptr() == item => Some(*id),
            // SAFETY: the item is alive.
            _ if self.direct => reader.get_short(unsafe { short_ascii(item) }?),
            _ => None,
        }
    }

    /// Enables the address table again.
    #[inline]
    pub(crate) fn look_again(&mut self) {
        self.evictions = 0;
    }

    /// True if addresses are not looked up.
    #[inline]
    pub(crate) fn bypasses_addresses(&self) -> bool {
        self.evictions >= MAX_EVICTIONS
    }

    /// # Safety
    /// The item is alive and exactly a string, so that dropping the reference cannot run Python code, which might
    /// change the lists being read.
    unsafe fn remember(&mut self, py: Python<'_>, item: Item, id: u32) {
        let slot = &mut self.slots[slot_of(item)];
        self.evictions += u32::from(slot.is_some());
        // SAFETY: the item is alive; this creates a new reference.
        *slot = Some((unsafe { Bound::from_borrowed_ptr(py, item) }.unbind(), id));
    }

    /// # Safety
    /// The item is alive.
    #[cold]
    unsafe fn learn(&mut self, py: Python<'_>, item: Item, reader: &mut Reader) -> Result<u32> {
        // SAFETY: the item is alive; this creates a new reference.
        let bound = unsafe { Bound::from_borrowed_ptr(py, item) };
        let id = intern(&bound, reader)?;
        if bound.is_exact_instance_of::<PyString>() {
            // SAFETY: the item is exactly a string and alive.
            unsafe { self.remember(py, item, id) };
        }
        Ok(id)
    }

    /// Appends the ids of a sentence to `ids`.
    ///
    /// Lists and tuples are read in place; other iterables are converted to a list first.
    pub(crate) fn sentence(
        &mut self,
        sentence: &Bound<'_, PyAny>,
        reader: &mut Reader,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        let sentence = as_list_or_tuple(sentence)?;
        let items = IndexedItems::of(&sentence);
        ids.reserve(items.len());
        // Interning may run Python code that shortens the list, which ends the iteration.
        for item in items.iter() {
            // SAFETY: the item is alive, because it was just borrowed.
            ids.push(unsafe { self.id(sentence.py(), reader, item.as_ptr())? });
        }
        Ok(())
    }
}

#[inline(always)]
fn slot_of(item: Item) -> usize {
    // Objects are 16-byte aligned; strings of one size class are about 64 bytes apart.
    let address = item as usize as u64 >> 4;
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize & (SLOTS - 1)
}

/// The error for an item that is not a string, at a `place` (empty, or ending with a colon).
#[cold]
fn not_a_tag(item: &Bound<'_, PyAny>, place: &str) -> Error {
    let kind = item
        .get_type()
        .name()
        .map_or_else(|_| "object".into(), |n| n.to_string());
    let hint = if item.is_instance_of::<PyList>() || item.is_instance_of::<PyTuple>() {
        "; pass a list of sentences, each a list of tags"
    } else {
        "; for integer ids pass vocabulary="
    };
    PyTypeError::new_err(format!("{place}a tag must be a str, not {kind}{hint}")).into()
}

#[inline]
fn intern(item: &Bound<'_, PyAny>, reader: &mut Reader) -> Result<u32> {
    let tag = item.cast::<PyString>().map_err(|_| not_a_tag(item, ""))?;
    // Lone surrogates raise UnicodeEncodeError: replacing them would make different tags equal.
    Ok(reader.intern(tag.to_str()?)?)
}

/// The error for an item at a `place` (ending with a colon); None if the item is a valid tag.
#[cold]
pub(crate) fn wrong_item(item: &Bound<'_, PyAny>, place: &str) -> Option<Error> {
    let Ok(tag) = item.cast::<PyString>() else {
        return Some(not_a_tag(item, place));
    };
    let refused = tag.to_str().err()?;
    // The place is part of the reason, because the other fields of the exception cannot contain text.
    let value = refused.value(item.py());
    let placed = value.getattr("reason").and_then(|reason| {
        value.setattr(
            "reason",
            format!("{reason} ({})", place.trim_end_matches(": ")),
        )
    });
    Some(placed.err().unwrap_or(refused).into())
}

/// The tags of a sentence as owned strings.
pub(crate) fn strings(sentence: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    let sentence = as_list_or_tuple(sentence)?;
    let items = IndexedItems::of(&sentence).iter().map(|item| {
        let item = item.to_owned();
        let tag = item.cast::<PyString>().map_err(|_| not_a_tag(&item, ""))?;
        Ok(tag.to_str()?.to_owned())
    });
    items.collect()
}

/// True for objects that can be read in place and repeatedly.
pub(crate) fn is_list_or_tuple(sequence: &Bound<'_, PyAny>) -> bool {
    sequence.is_instance_of::<PyList>() || sequence.is_instance_of::<PyTuple>()
}

/// The sequence itself if it can be read in place, otherwise a list of its items.
pub(crate) fn as_list_or_tuple<'py>(sequence: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    as_list_or_tuple_at(sequence, String::new)
}

/// Same as [`as_list_or_tuple`]; messages begin with a `place` (empty, or ending with a colon).
pub(crate) fn as_list_or_tuple_at<'py>(
    sequence: &Bound<'py, PyAny>,
    place: impl Fn() -> String,
) -> Result<Bound<'py, PyAny>> {
    if is_list_or_tuple(sequence) {
        return Ok(sequence.clone());
    }
    let refuse = |why: &str| Err(PyTypeError::new_err(format!("{}{why}", place())).into());
    if sequence.is_instance_of::<PyString>() {
        return refuse(
            "expected a sequence of tags, got one str; pass a sentence as a list of tags, or a file as its path",
        );
    }
    if sequence.is_none() {
        return refuse("expected sentences of tags, got None");
    }
    if sequence.is_instance_of::<PySet>() || sequence.is_instance_of::<PyDict>() {
        return refuse("expected a sequence of tags, got a set or a dict");
    }
    if !sequence.hasattr("__iter__")? && !sequence.hasattr("__getitem__")? {
        let kind = sequence.get_type().name()?;
        return refuse(&format!(
            "expected a sequence of tags, got {kind}, which is not iterable"
        ));
    }
    // NumPy arrays and pandas columns convert to lists of plain strings, which are read much faster than single items.
    if let Some(to_list) = sequence.getattr_opt("tolist")? {
        let list = to_list.call0()?;
        if is_list_or_tuple(&list) {
            return Ok(list);
        }
    }
    let py = sequence.py();
    Ok(py.get_type::<PyList>().call1((sequence,))?)
}
