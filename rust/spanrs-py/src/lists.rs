//! Tags in Python lists to ids, looking at each distinct string object once.

use pyo3::Borrowed;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PySet, PyString, PyTuple};
use spanrs_tags::Reader;

use crate::error::{Error, Result};

/// Places of the table from object to id. Tags that come from one place in a program are one object, so
/// nearly every token is answered here without looking at its characters.
const SLOTS: usize = 1024;

/// Tags of Python sequences to ids of a reader.
pub(crate) struct TagInterner {
    // The reference keeps the object alive, so that its address cannot come to mean another string.
    slots: Box<[Option<Known>; SLOTS]>,
}

/// A tag's object and its id.
type Known = (Py<PyAny>, u32);

impl TagInterner {
    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([const { None }; SLOTS]),
        }
    }

    /// The id of a tag whose object was seen before.
    #[inline(always)]
    pub(crate) fn known(&self, item: *mut ffi::PyObject) -> Option<u32> {
        match &self.slots[slot_of(item)] {
            Some((known, id)) if known.as_ptr() == item => Some(*id),
            _ => None,
        }
    }

    /// The id of any tag. No Python code runs, unless the item is no string.
    ///
    /// # Safety
    /// The item is alive.
    #[cold]
    pub(crate) unsafe fn learn(
        &mut self,
        py: Python<'_>,
        item: *mut ffi::PyObject,
        reader: &mut Reader,
    ) -> Result<u32> {
        // SAFETY: the item is alive; this takes a reference of its own.
        let item = unsafe { Bound::from_borrowed_ptr(py, item) };
        let id = intern(&item, reader)?;
        // Only what can be forgotten again without running Python code, which might change the very
        // lists that are being walked.
        if item.is_exact_instance_of::<PyString>() {
            let slot = slot_of(item.as_ptr());
            self.slots[slot] = Some((item.unbind(), id));
        }
        Ok(id)
    }

    /// Appends the ids of a sentence to `ids`.
    ///
    /// Lists and tuples are walked in place; any other iterable is made a list first.
    pub(crate) fn sentence(
        &mut self,
        sentence: &Bound<'_, PyAny>,
        reader: &mut Reader,
        ids: &mut Vec<u32>,
    ) -> Result<()> {
        let sentence = as_list_or_tuple(sentence)?;
        let items = Items::of(&sentence);
        ids.reserve(items.len());
        for at in 0..items.len() {
            // Interning may run Python code that shortens the list.
            let Some(item) = items.get(at) else { break };
            ids.push(match self.known(item.as_ptr()) {
                Some(id) => id,
                // SAFETY: the item is alive, because it was just borrowed.
                None => unsafe { self.learn(sentence.py(), item.as_ptr(), reader)? },
            });
        }
        Ok(())
    }
}

/// The items of a list or tuple, without the cost of Python's general protocol.
#[derive(Clone, Copy)]
pub(crate) struct Items<'a, 'py> {
    sequence: &'a Bound<'py, PyAny>,
    length: ffi::Py_ssize_t,
    is_list: bool,
}

impl<'a, 'py> Items<'a, 'py> {
    /// The items of what [`as_list_or_tuple`] gave.
    #[inline]
    pub(crate) fn of(sequence: &'a Bound<'py, PyAny>) -> Self {
        let is_list = sequence.is_instance_of::<PyList>();
        let raw = sequence.as_ptr();
        // SAFETY: `raw` is alive, the GIL is held, and both calls check the type they get.
        let length = unsafe {
            if is_list {
                ffi::PyList_Size(raw)
            } else {
                ffi::PyTuple_Size(raw)
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

    #[inline(always)]
    pub(crate) fn len(self) -> usize {
        self.length as usize
    }

    /// The item at a place; None where the list has become shorter.
    #[inline(always)]
    pub(crate) fn get(self, at: usize) -> Option<Borrowed<'a, 'py, PyAny>> {
        let (raw, at, py) = (
            self.sequence.as_ptr(),
            at as ffi::Py_ssize_t,
            self.sequence.py(),
        );
        // SAFETY: `raw` is a list or tuple, alive as long as `self`, and the GIL is held; both calls
        // check the index and give null beyond the end. The item is borrowed from the sequence: the
        // callers use it before any Python code can run, or take a reference of their own first.
        let item = unsafe {
            let item = if self.is_list {
                ffi::PyList_GetItem(raw, at)
            } else {
                ffi::PyTuple_GetItem(raw, at)
            };
            Borrowed::from_ptr_or_opt(py, item)
        };
        if item.is_none() {
            drop(PyErr::take(py));
        }
        item
    }
}

#[inline(always)]
fn slot_of(item: *mut ffi::PyObject) -> usize {
    // Objects are 16-byte aligned; strings of one size class stand 64 or so apart.
    let address = item as usize as u64 >> 4;
    (address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 54) as usize & (SLOTS - 1)
}

/// What is wrong with an item that is no string, and at which `place` (empty, or ending in a colon).
#[cold]
pub(crate) fn not_a_tag(item: &Bound<'_, PyAny>, place: &str) -> Error {
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
    // Lone surrogates raise UnicodeEncodeError: replacing them would make different tags one.
    Ok(reader.intern(tag.to_str()?)?)
}

/// The tags of a sentence as strings of their own.
pub(crate) fn strings(sentence: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    let sentence = as_list_or_tuple(sentence)?;
    let items = Items::of(&sentence);
    let mut all = Vec::with_capacity(items.len());
    for at in 0..items.len() {
        let Some(item) = items.get(at) else { break };
        let item = item.to_owned();
        let tag = item.cast::<PyString>().map_err(|_| not_a_tag(&item, ""))?;
        all.push(tag.to_str()?.to_owned());
    }
    Ok(all)
}

/// True for what can be walked in place, and again.
pub(crate) fn is_list_or_tuple(sequence: &Bound<'_, PyAny>) -> bool {
    sequence.is_instance_of::<PyList>() || sequence.is_instance_of::<PyTuple>()
}

/// The sequence itself if it can be walked in place, else a list of what it gives.
pub(crate) fn as_list_or_tuple<'py>(sequence: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>> {
    if is_list_or_tuple(sequence) {
        return Ok(sequence.clone());
    }
    if sequence.is_instance_of::<PyString>() {
        let message = "expected a sequence of tags, got one str; a sentence is a list of tags, and files are \
                       scored by score_files";
        return Err(PyTypeError::new_err(message).into());
    }
    if sequence.is_none() {
        return Err(PyTypeError::new_err("expected sentences of tags, got None").into());
    }
    if sequence.is_instance_of::<PySet>() || sequence.is_instance_of::<PyDict>() {
        return Err(
            PyTypeError::new_err("expected a sequence of tags, got a set or a dict").into(),
        );
    }
    let py = sequence.py();
    Ok(py.get_type::<PyList>().call1((sequence,))?)
}
