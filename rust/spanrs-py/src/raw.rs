//! The items of lists and tuples as slices, without a call into the interpreter for each.

use std::marker::PhantomData;
use std::sync::OnceLock;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

/// A borrowed item.
pub(crate) type Item = *mut ffi::PyObject;

/// Where lists and tuples keep their items.
///
/// The stable ABI does not say, and asking it for each item costs more than counting. So the places are
/// found out once, on objects whose items are known; where they are not as expected, items are asked for.
#[derive(Clone, Copy, Debug)]
struct Layout {
    /// A list points to its items from here.
    list: Option<usize>,
    /// A tuple holds its items from here on.
    tuple: Option<usize>,
}

/// So many rows ahead a row is fetched, and where it keeps its items half as many.
const AHEAD: usize = 16;
const WORD: usize = size_of::<usize>();

fn layout(py: Python<'_>) -> Layout {
    static LAYOUT: OnceLock<Layout> = OnceLock::new();
    *LAYOUT.get_or_init(|| {
        find_layout(py).unwrap_or(Layout {
            list: None,
            tuple: None,
        })
    })
}

fn find_layout(py: Python<'_>) -> PyResult<Layout> {
    let size = |kind: &Bound<'_, PyAny>| kind.getattr("__basicsize__")?.extract::<usize>();
    let list_size = size(py.get_type::<PyList>().as_any())?;
    let tuple_size = size(py.get_type::<PyTuple>().as_any())?;
    let known = [py.None(), py.Ellipsis(), py.NotImplemented()];
    let items: Vec<Item> = known.iter().map(Py::as_ptr).collect();
    let list = PyList::new(py, &known)?;
    let tuple = PyTuple::new(py, &known)?;
    // What every object begins with, in words: reference count, type, and the number of items.
    let header = 3;
    let count_of = |object: Item| {
        // SAFETY: a list or a tuple of the regular builds is at least three words long (checked below
        // by its `__basicsize__`), and reading a word of a live object as an integer is harmless.
        unsafe { object.cast::<usize>().add(header - 1).read() }
    };
    let list_place = header * WORD;
    let list_fits =
        list_size == list_place + 2 * WORD && count_of(list.as_ptr()) == known.len() && {
            // SAFETY: the list has two words behind its header, so this one is its own. Only regular
            // builds of CPython have lists of this size, whose first word there points to the items.
            let at = unsafe {
                list.as_ptr()
                    .cast::<*const Item>()
                    .byte_add(list_place)
                    .read()
            };
            !at.is_null()
            && at.is_aligned()
            // SAFETY: a list of three items points to at least three.
            && (0..known.len()).all(|i| unsafe { at.add(i).read() } == items[i])
        };
    // `__basicsize__` of a tuple ends where its items begin, but for the one that the struct declares.
    let tuple_fits = |place: &usize| {
        count_of(tuple.as_ptr()) == known.len()
            && (0..known.len()).all(|i| {
                // SAFETY: a tuple with three items is as long as its `__basicsize__` and three words.
                let item = unsafe {
                    tuple
                        .as_ptr()
                        .cast::<Item>()
                        .byte_add(place + i * WORD)
                        .read()
                };
                item == items[i]
            })
    };
    let tuple_place = (tuple_size >= list_place)
        .then_some(tuple_size)
        .filter(tuple_fits);
    Ok(Layout {
        list: list_fits.then_some(list_place),
        tuple: tuple_place,
    })
}

/// Walks lists and tuples.
pub(crate) struct Walker<'py> {
    layout: Layout,
    copied: Vec<Item>,
    /// Lists may be walked only while the GIL is held.
    gil: PhantomData<Python<'py>>,
}

impl<'py> Walker<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self {
            layout: layout(py),
            copied: Vec::new(),
            gil: PhantomData,
        }
    }

    /// The items of a list or tuple; None for any other object.
    ///
    /// # Safety
    /// `object` is alive. The items are those of now: they may be used until Python code can run, which
    /// may change the list; and no longer than the object lives.
    #[inline]
    pub(crate) unsafe fn items(&mut self, object: Item) -> Option<&[Item]> {
        // SAFETY: the object is alive and the GIL is held. A list whose layout was found has its
        // number of items in the third word and a pointer to that many at the place found; a tuple has
        // the items themselves there. The pointer of an empty list may be null and is not used.
        unsafe {
            let count = || object.cast::<usize>().add(2).read();
            if is_list(object) {
                if let Some(place) = self.layout.list {
                    let count = count();
                    if count == 0 {
                        return Some(&[]);
                    }
                    let first = object.cast::<*const Item>().byte_add(place).read();
                    return Some(std::slice::from_raw_parts(first, count));
                }
            } else if is_tuple(object) {
                if let Some(place) = self.layout.tuple {
                    let first = object.cast::<Item>().byte_add(place);
                    return Some(std::slice::from_raw_parts(first, count()));
                }
            } else {
                return None;
            }
        }
        // SAFETY: as above; the object is a list or a tuple.
        unsafe { self.copy(object) };
        Some(&self.copied)
    }

    /// Brings nearer the row that will be asked for when the walk over `rows` has gone on from `at`.
    #[inline(always)]
    pub(crate) fn fetch_row(&self, rows: &[Item], at: usize) {
        if let Some(&row) = rows.get(at + AHEAD) {
            fetch(row);
        }
    }

    /// As [`Walker::fetch_row`], and what the row holds.
    ///
    /// # Safety
    /// The rows are alive.
    #[inline(always)]
    pub(crate) unsafe fn fetch_ahead(&self, rows: &[Item], at: usize) {
        self.fetch_row(rows, at);
        if let Some(&row) = rows.get(at + AHEAD / 2) {
            // SAFETY: the row is alive.
            unsafe { self.fetch_items(row) };
        }
    }

    /// Brings nearer where a list keeps its items.
    ///
    /// # Safety
    /// As for [`Walker::items`].
    #[inline(always)]
    unsafe fn fetch_items(&self, object: Item) {
        if let Some(place) = self.layout.list {
            // SAFETY: the object is alive; what is read is used as an address to prefetch, no more.
            unsafe {
                if ffi::PyList_CheckExact(object) != 0 {
                    fetch(object.cast::<*const Item>().byte_add(place).read());
                }
            }
        }
    }

    /// Asks for each item.
    ///
    /// # Safety
    /// `object` is a list or a tuple and alive.
    #[cold]
    unsafe fn copy(&mut self, object: Item) {
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
    // SAFETY: the object is alive. The exact check is one comparison, the other one a call.
    unsafe { is_exact_list(object) || ffi::PyList_Check(object) != 0 }
}

/// # Safety
/// `object` is alive.
#[inline(always)]
unsafe fn is_tuple(object: Item) -> bool {
    // SAFETY: as above.
    unsafe { ffi::PyTuple_CheckExact(object) != 0 || ffi::PyTuple_Check(object) != 0 }
}

/// Brings what will be needed soon nearer.
#[inline(always)]
pub(crate) fn fetch<T>(address: *const T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch reads nothing and cannot fault, whatever the address.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(address.cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = address;
}
