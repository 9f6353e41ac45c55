//! Direct access to the items of lists and tuples and to the characters of strings, without a call per item.
//!
//! CPython publishes the layout of lists, tuples and strings to extensions that are built for one CPython version
//! (`pyo3::ffi`). For other interpreters, and if the environment variable `SPANRS_ITEM_ACCESS` is `each`, every item is
//! fetched by a call. Both ways borrow items, which is sound only under the GIL; the module enables the GIL
//! (`gil_used`).

use std::marker::PhantomData;
use std::sync::OnceLock;

use pyo3::Borrowed;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;
use spanrs::base::ShortKey;

/// A borrowed item.
pub(crate) type Item = *mut ffi::PyObject;

/// Prefetch distance in sentences; half of this distance for the items of a sentence, an eighth for the objects.
const AHEAD: usize = 16;
/// Approximate offset of the characters in a `str` object; only used for prefetching.
const CHARACTERS: usize = 40;
/// Size in bytes of the word as which a short string is read.
const WORD: usize = 16;

/// Returns whether the items of lists and tuples are read in place.
#[inline]
pub(crate) fn is_direct() -> bool {
    static DIRECT: OnceLock<bool> = OnceLock::new();
    *DIRECT.get_or_init(|| {
        layout::IS_PUBLIC && std::env::var_os("SPANRS_ITEM_ACCESS").is_none_or(|way| way != "each")
    })
}

/// How the items of lists are read: `direct` through CPython's public structs, or `each` by a call per item.
#[pyfunction]
pub(crate) fn item_access() -> &'static str {
    if is_direct() { "direct" } else { "each" }
}

/// Structs that CPython publishes. Not used under free threading, where a list may change while it is read.
#[cfg(not(any(PyPy, GraalPy, Py_LIMITED_API, Py_GIL_DISABLED)))]
mod layout {
    use pyo3::ffi;

    use super::Item;

    pub(super) const IS_PUBLIC: bool = true;

    /// # Safety
    /// `list` is a list and alive. The items are valid until the list changes.
    #[inline(always)]
    pub(super) unsafe fn list_items(list: Item) -> (*const Item, usize) {
        // SAFETY: as promised by the caller; a list object begins with its struct.
        unsafe {
            let items = (*list.cast::<ffi::PyListObject>()).ob_item;
            (items.cast_const(), ffi::PyList_GET_SIZE(list) as usize)
        }
    }

    /// # Safety
    /// `tuple` is a tuple and alive.
    #[inline(always)]
    pub(super) unsafe fn tuple_items(tuple: Item) -> (*const Item, usize) {
        // SAFETY: as promised by the caller; a tuple object begins with its struct.
        unsafe {
            let items = &raw const (*tuple.cast::<ffi::PyTupleObject>()).ob_item;
            (items.cast(), ffi::PyTuple_GET_SIZE(tuple) as usize)
        }
    }

    /// The end of the characters of a string and their number, if they are stored in the string's own object with one
    /// byte each.
    ///
    /// # Safety
    /// `string` is exactly a `str` and alive.
    #[inline(always)]
    pub(super) unsafe fn narrow_characters(string: Item) -> Option<(*const u8, usize)> {
        // SAFETY: as promised by the caller.
        unsafe {
            // Before 3.12, strings made by deprecated functions do not contain their characters.
            #[cfg(not(Py_3_12))]
            if ffi::PyUnicode_IS_COMPACT(string) == 0 || ffi::PyUnicode_IS_READY(string) == 0 {
                return None;
            }
            if ffi::PyUnicode_KIND(string) as u32 != 1 {
                return None;
            }
            let count = ffi::PyUnicode_GET_LENGTH(string) as usize;
            let first = ffi::PyUnicode_DATA(string).cast::<u8>();
            Some((first.add(count).cast_const(), count))
        }
    }
}

#[cfg(any(PyPy, GraalPy, Py_LIMITED_API, Py_GIL_DISABLED))]
mod layout {
    use super::Item;

    pub(super) const IS_PUBLIC: bool = false;

    pub(super) unsafe fn list_items(_: Item) -> (*const Item, usize) {
        (std::ptr::null(), 0)
    }

    pub(super) unsafe fn tuple_items(_: Item) -> (*const Item, usize) {
        (std::ptr::null(), 0)
    }

    pub(super) unsafe fn narrow_characters(_: Item) -> Option<(*const u8, usize)> {
        None
    }
}

/// The items of lists and tuples as slices.
pub(crate) struct BorrowedSlices<'py> {
    direct: bool,
    /// Items that were fetched one by one.
    copied: Vec<Item>,
    /// Lists may be read only while the GIL is held.
    gil: PhantomData<Python<'py>>,
}

impl<'py> BorrowedSlices<'py> {
    pub(crate) fn new(_: Python<'py>) -> Self {
        Self {
            direct: is_direct(),
            copied: Vec::new(),
            gil: PhantomData,
        }
    }

    /// The items of a list or tuple; None for any other object.
    ///
    /// # Safety
    /// `object` is alive. The items are valid until Python code runs, which may change the list, and only while the
    /// object is alive.
    #[inline]
    pub(crate) unsafe fn items(&mut self, object: Item) -> Option<&[Item]> {
        // SAFETY: the object is alive, the GIL is held, and the type was checked. The pointer of an empty list may be
        // null and is not used.
        unsafe {
            let (first, count) = if is_list(object) {
                if !self.direct {
                    return Some(self.copy(object));
                }
                layout::list_items(object)
            } else if is_tuple(object) {
                if !self.direct {
                    return Some(self.copy(object));
                }
                layout::tuple_items(object)
            } else {
                return None;
            };
            match count {
                0 => Some(&[]),
                _ => Some(std::slice::from_raw_parts(first, count)),
            }
        }
    }

    /// Prefetches the sentence that a loop over `sentences` reaches soon; `at` is its current index.
    #[inline(always)]
    pub(crate) fn prefetch_sentence(&self, sentences: &[Item], at: usize) {
        if let Some(&sentence) = sentences.get(at + AHEAD) {
            prefetch(sentence);
        }
    }

    /// Like [`BorrowedSlices::prefetch_sentence`]; also prefetches the items of the sentence at half of the distance.
    ///
    /// # Safety
    /// The sentences are alive.
    #[inline(always)]
    pub(crate) unsafe fn prefetch_items(&self, sentences: &[Item], at: usize) {
        self.prefetch_sentence(sentences, at);
        if let Some(&sentence) = sentences.get(at + AHEAD / 2)
            && self.direct
        {
            // SAFETY: the sentence is alive and its type is checked; the address is only used for a prefetch.
            unsafe {
                if is_exact_list(sentence) {
                    prefetch(layout::list_items(sentence).0);
                }
            }
        }
    }

    /// Prefetches the objects in the sentence at an eighth of the distance.
    ///
    /// # Safety
    /// The sentences are alive.
    #[inline(always)]
    pub(crate) unsafe fn prefetch_objects(&self, sentences: &[Item], at: usize) {
        if let Some(&sentence) = sentences.get(at + AHEAD / 8)
            && self.direct
        {
            // SAFETY: the sentence is alive and its type is checked; a list has as many items as its size field says.
            unsafe {
                if is_exact_list(sentence) {
                    let (first, count) = layout::list_items(sentence);
                    for at in 0..count {
                        prefetch_string(first.add(at).read());
                    }
                }
            }
        }
    }

    /// Fetches each item by a call.
    ///
    /// # Safety
    /// `object` is a list or a tuple and alive.
    #[cold]
    unsafe fn copy(&mut self, object: Item) -> &[Item] {
        self.copied.clear();
        // SAFETY: the object is alive, the GIL is held, and the index is below the length.
        unsafe {
            let is_list = is_list(object);
            let count = if is_list {
                ffi::PyList_Size(object)
            } else {
                ffi::PyTuple_Size(object)
            };
            for at in 0..count {
                self.copied.push(if is_list {
                    ffi::PyList_GetItem(object, at)
                } else {
                    ffi::PyTuple_GetItem(object, at)
                });
            }
        }
        &self.copied
    }
}

/// The characters of a short ASCII string; None for any other object.
///
/// # Safety
/// `item` is alive, and [`is_direct`].
#[inline(always)]
pub(crate) unsafe fn short_ascii(item: Item) -> Option<ShortKey> {
    // SAFETY: the item is alive and exactly a string. Its characters follow the header of its object, which is
    // longer than a word, so the word that ends with them is within the object.
    unsafe {
        if ffi::PyUnicode_CheckExact(item) == 0 {
            return None;
        }
        let (end, count) = layout::narrow_characters(item)?;
        if count > ShortKey::BYTES {
            return None;
        }
        let word = end.sub(WORD).cast::<[u8; WORD]>().read();
        let key = ShortKey::of_last(word, count);
        // Other strings with one byte per character are Latin-1, not UTF-8.
        key.is_ascii().then_some(key)
    }
}

/// The characters of an ASCII string; None for any other object.
///
/// # Safety
/// `item` is alive, and stays alive as long as the text is used.
#[inline(always)]
pub(crate) unsafe fn ascii_text<'a>(item: Item) -> Option<&'a str> {
    // SAFETY: the item is alive and exactly a string. Strings are immutable, and the characters before the end that
    // `narrow_characters` returns are within the object; ASCII characters are UTF-8.
    unsafe {
        if !is_direct() || ffi::PyUnicode_CheckExact(item) == 0 {
            return None;
        }
        let (end, count) = layout::narrow_characters(item)?;
        let characters = std::slice::from_raw_parts(end.sub(count), count);
        // Other strings with one byte per character are Latin-1.
        characters
            .is_ascii()
            .then(|| std::str::from_utf8_unchecked(characters))
    }
}

/// Checked access to the items of a list or tuple, which may change between two accesses.
#[derive(Clone, Copy)]
pub(crate) struct IndexedItems<'a, 'py> {
    sequence: &'a Bound<'py, PyAny>,
    length: ffi::Py_ssize_t,
    is_list: bool,
}

impl<'a, 'py> IndexedItems<'a, 'py> {
    /// The items of a list or tuple; empty for any other object.
    #[inline]
    pub(crate) fn of(sequence: &'a Bound<'py, PyAny>) -> Self {
        let is_list = sequence.is_instance_of::<PyList>();
        let pointer = sequence.as_ptr();
        // SAFETY: the object is alive, the GIL is held, and both calls check the type of their argument.
        let length = unsafe {
            if is_list {
                ffi::PyList_Size(pointer)
            } else {
                ffi::PyTuple_Size(pointer)
            }
        };
        if length < 0 {
            // Neither list nor tuple; Python has set an exception.
            drop(PyErr::take(sequence.py()));
        }
        Self {
            sequence,
            length: length.max(0),
            is_list,
        }
    }

    /// Number of items when this object was created.
    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.length as usize
    }

    /// The item at an index; None if the list has become shorter.
    #[inline(always)]
    pub(crate) fn get(self, at: usize) -> Option<Borrowed<'a, 'py, PyAny>> {
        let (pointer, py) = (self.sequence.as_ptr(), self.sequence.py());
        let at = at as ffi::Py_ssize_t;
        // SAFETY: the object is a list or tuple, alive as long as `self`, and the GIL is held; both calls check the
        // index and return null after the end. The item is borrowed from the sequence: the callers use it before any
        // Python code runs, or take a new reference first.
        let item = unsafe {
            let item = if self.is_list {
                ffi::PyList_GetItem(pointer, at)
            } else {
                ffi::PyTuple_GetItem(pointer, at)
            };
            Borrowed::from_ptr_or_opt(py, item)
        };
        if item.is_none() {
            drop(PyErr::take(py));
        }
        item
    }

    /// Iterates over the items up to the current end of the list. Callers that run Python code between two items must
    /// take a new reference first.
    #[inline(always)]
    pub(crate) fn iter(self) -> impl Iterator<Item = Borrowed<'a, 'py, PyAny>> {
        (0..self.len()).map_while(move |at| self.get(at))
    }
}

/// # Safety
/// `object` is alive.
#[inline(always)]
pub(crate) unsafe fn is_exact_list(object: Item) -> bool {
    // SAFETY: the object is alive.
    unsafe { ffi::PyList_CheckExact(object) != 0 }
}

/// # Safety
/// `object` is alive.
#[inline(always)]
unsafe fn is_list(object: Item) -> bool {
    // SAFETY: the object is alive.
    unsafe { ffi::PyList_Check(object) != 0 }
}

/// # Safety
/// `object` is alive.
#[inline(always)]
unsafe fn is_tuple(object: Item) -> bool {
    // SAFETY: the object is alive.
    unsafe { ffi::PyTuple_Check(object) != 0 }
}

/// Prefetches a string: its header and the beginning of its characters may be in two cache lines.
#[inline(always)]
pub(crate) fn prefetch_string(string: Item) {
    prefetch(string);
    prefetch(string.wrapping_byte_add(CHARACTERS));
}

/// Prefetches a cache line.
#[inline(always)]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch of any address cannot fault.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
