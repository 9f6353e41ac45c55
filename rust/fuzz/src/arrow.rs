//! Arrow columns through the C data interface.
//!
//! The input simulates an exporter with wrong lengths, offsets, numbers of buffers and children, null pointers and
//! formats. Only the buffers are always as large as the structures require, because the interface does not contain
//! their sizes and an importer cannot check them.
#![allow(unsafe_code)] // Structures of the C data interface contain raw pointers.

use std::ffi::{CString, c_char, c_void};
use std::ptr;

use arrow_array::array::{Array, ArrayRef};
use arrow_array::cast::AsArray;
use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};

use spanrs_arrow::{ImportError, import_array};

use crate::input::Input;

/// Size of every buffer in bytes.
const ROOM: usize = 256;
/// Offsets and sizes are at most this value, so that they stay inside the buffers.
const FAR: i64 = 48;

#[repr(C)]
struct Raw {
    numbers: [i64; 5],
    buffers: *const *const c_void,
    children: *const *mut Raw,
    dictionary: *mut Raw,
    release: Option<unsafe extern "C" fn(*mut Raw)>,
    private_data: *const c_void,
}

#[repr(C)]
struct RawSchema {
    texts: [*const c_char; 3],
    numbers: [i64; 2],
    children: *const *mut RawSchema,
    dictionary: *mut RawSchema,
    release: Option<unsafe extern "C" fn(*mut RawSchema)>,
    private_data: *const c_void,
}

unsafe extern "C" fn release(array: *mut Raw) {
    // SAFETY: the importer passes the array that it received.
    unsafe { (*array).release = None };
}

unsafe extern "C" fn release_schema(schema: *mut RawSchema) {
    // SAFETY: as above.
    unsafe { (*schema).release = None };
}

/// Keeps all memory alive that structures point to.
#[derive(Default)]
struct Owner {
    buffers: Vec<Box<[u64]>>,
    pointers: Vec<Box<[*const c_void]>>,
    formats: Vec<CString>,
}

impl Owner {
    fn buffer(&mut self, fill: impl FnOnce(&mut [u8])) -> *const c_void {
        let mut words = vec![0_u64; ROOM / 8].into_boxed_slice();
        let mut bytes = vec![0; ROOM];
        fill(&mut bytes);
        for (word, eight) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
            *word = u64::from_ne_bytes(*eight);
        }
        self.buffers.push(words);
        self.buffers
            .last()
            .map_or(ptr::null(), |words| words.as_ptr().cast())
    }

    fn list<T>(&mut self, pointers: &[*mut T]) -> *const *mut T {
        let pointers = pointers.iter().map(|pointer| pointer.cast_const().cast());
        self.pointers.push(pointers.collect());
        self.pointers
            .last()
            .map_or(ptr::null(), |list| list.as_ptr().cast())
    }
}

/// Returns `usual` in most cases, otherwise a different number.
fn number(input: &mut Input<'_>, usual: i64) -> i64 {
    match input.byte() {
        0..=239 => usual,
        240..=243 => usual + 1,
        244..=246 => usual - 1,
        247..=249 => 0,
        250 | 251 => -1,
        252 => i64::MAX,
        253 => i64::MIN,
        254 => 1 << 40,
        _ => 3,
    }
}

/// Writes offsets, which are usually ascending.
fn offsets(input: &mut Input<'_>, wide: bool, places: usize) -> impl FnOnce(&mut [u8]) + use<> {
    let mut last = 0;
    let values: Vec<i64> = (0..=places)
        .map(|_| {
            let step = i64::from(input.byte());
            last += if step < 250 { step % 5 } else { 247 - step };
            last = last.clamp(-4, FAR);
            last
        })
        .collect();
    move |buffer| {
        for (at, value) in values.iter().enumerate() {
            if wide {
                buffer[8 * at..8 * at + 8].copy_from_slice(&value.to_ne_bytes());
            } else {
                buffer[4 * at..4 * at + 4].copy_from_slice(&(*value as i32).to_ne_bytes());
            }
        }
    }
}

const FORMATS: [&str; 14] = [
    "u", "U", "vu", "i", "c", "n", "l", "z", "+l", "+L", "+w:2", "+w:0", "+s", "\u{e9}",
];

/// The buffers of an array, `validity` first.
fn buffers(
    input: &mut Input<'_>,
    owner: &mut Owner,
    format: &str,
    (validity, places): (*const c_void, usize),
) -> Vec<*const c_void> {
    let bytes = input.rest();
    let text = |buffer: &mut [u8]| {
        for (place, byte) in buffer.iter_mut().zip(bytes.iter().cycle()) {
            *place = *byte;
        }
    };
    match format {
        "u" | "U" => vec![
            validity,
            owner.buffer(offsets(input, format == "U", places)),
            owner.buffer(text),
        ],
        "vu" => {
            let views = (0..places).map(|_| {
                let length = i32::from(input.byte() % 16) - 1;
                let buffer = i32::from(input.byte() % 3) - 1;
                [length, 0, buffer, i32::from(input.byte()) - 40]
            });
            let views: Vec<i32> = views.flatten().collect();
            let views = owner.buffer(|buffer| {
                for (place, value) in buffer.as_chunks_mut::<4>().0.iter_mut().zip(views) {
                    *place = value.to_ne_bytes();
                }
            });
            let size = number(input, 64).clamp(-2, ROOM as i64);
            let sizes = owner.buffer(|buffer| buffer[..8].copy_from_slice(&size.to_ne_bytes()));
            vec![validity, views, owner.buffer(text), sizes]
        }
        "+l" | "+L" => vec![
            validity,
            owner.buffer(offsets(input, format == "+L", places)),
        ],
        "n" => Vec::new(),
        _ if format.starts_with("+w") => vec![validity],
        _ => vec![validity, owner.buffer(text)],
    }
}

/// An array with a format; for list formats, `item` is the child array.
fn array(input: &mut Input<'_>, owner: &mut Owner, format: &str, item: Option<*mut Raw>) -> Raw {
    let length = i64::from(input.byte() % 8);
    let offset = i64::from(input.byte() % 3);
    let places = (length + offset + 2) as usize;
    let validity = match input.byte() % 3 {
        0 => ptr::null(),
        byte => owner.buffer(|bytes| bytes.fill(if byte == 1 { 0xFF } else { 0xAD })),
    };
    let mut buffers = buffers(input, owner, format, (validity, places));
    if input.byte() > 250
        && let Some(last) = buffers.last_mut()
    {
        *last = ptr::null();
    }
    let children: Vec<*mut Raw> = item.into_iter().collect();
    let usual = [
        length,
        -1,
        offset,
        buffers.len() as i64,
        children.len() as i64,
    ];
    let mut numbers = usual.map(|usual| number(input, usual));
    // Lengths that fit the buffers, or lengths that are too large for any buffer.
    for at in [0, 2] {
        if numbers[at] > usual[at] && numbers[at] < 1 << 48 {
            numbers[at] = usual[at];
        }
    }
    // The importer cannot detect pointers after the end of the lists of pointers.
    for (at, there) in [(3, buffers.len()), (4, children.len())] {
        if numbers[at] > there as i64 {
            numbers[at] = there as i64;
        }
    }
    let buffers: Vec<*mut c_void> = buffers.into_iter().map(<*const c_void>::cast_mut).collect();
    Raw {
        numbers,
        buffers: owner.list(&buffers).cast(),
        children: match input.byte() {
            255 => ptr::null(),
            _ => owner.list(&children),
        },
        dictionary: ptr::null_mut(),
        release: Some(release),
        private_data: ptr::null(),
    }
}

fn schema(
    input: &mut Input<'_>,
    owner: &mut Owner,
    format: &str,
    item: Option<*mut RawSchema>,
) -> RawSchema {
    let format = match input.byte() {
        // No string formats: their offsets would be arbitrary numbers, which the importer cannot detect.
        255 => input.pick(&FORMATS[2..]),
        _ => format,
    };
    let format = CString::new(format).expect("formats contain no NUL");
    let pointer = match input.byte() {
        255 => ptr::null(),
        _ => format.as_ptr(),
    };
    owner.formats.push(format);
    let children: Vec<*mut RawSchema> = item.into_iter().collect();
    let count = number(input, children.len() as i64);
    RawSchema {
        texts: [pointer, ptr::null(), ptr::null()],
        numbers: [0, count.min(children.len() as i64)],
        children: match input.byte() {
            255 => ptr::null(),
            _ => owner.list(&children),
        },
        dictionary: ptr::null_mut(),
        release: (input.byte() < 255).then_some(release_schema),
        private_data: ptr::null(),
    }
}

/// Asserts that imported columns can be read to the end and contain UTF-8, and that other columns are rejected with a
/// reason. The first bytes choose the formats and the errors in them.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let mut owner = Owner::default();
    let list = input.pick(&["+l", "+l", "+L", "+w:2", "+w:0", "u"]);
    let leaf = input.pick(&["u", "u", "U", "vu", "i", "c", "n", "z"]);
    let coded = input.byte() % 4 == 3;
    let leaf_format = if coded { "c" } else { leaf };
    let mut words = array(&mut input, &mut owner, leaf, None);
    let mut words_schema = schema(&mut input, &mut owner, leaf, None);
    let mut items = array(&mut input, &mut owner, leaf_format, None);
    let mut items_schema = schema(&mut input, &mut owner, leaf_format, None);
    if coded {
        items.dictionary = &raw mut words;
        items_schema.dictionary = &raw mut words_schema;
    }
    let nested = list.starts_with('+');
    let mut lists = array(
        &mut input,
        &mut owner,
        list,
        nested.then_some(&raw mut items),
    );
    let lists_schema = schema(
        &mut input,
        &mut owner,
        list,
        nested.then_some(&raw mut items_schema),
    );
    // SAFETY: the structures have the layout of the interface, and `owner` outlives the array.
    let imported = unsafe {
        let array = FFI_ArrowArray::from_raw((&raw mut lists).cast());
        let schema = &*(&raw const lists_schema).cast::<FFI_ArrowSchema>();
        import_array(array, schema)
    };
    match imported {
        Ok(column) => read(&column),
        Err(ImportError::Type(kind)) => assert!(!kind.is_empty()),
        Err(ImportError::Invalid(message)) => assert!(!message.is_empty()),
        Err(ImportError::Encoding { bytes, .. }) => assert!(!bytes.is_empty()),
    }
}

/// Reads all tags of a column.
fn read(column: &ArrayRef) {
    for row in 0..column.len() {
        if column.is_null(row) {
            continue;
        }
        let tags = if let Some(lists) = column.as_list_opt::<i32>() {
            lists.value(row)
        } else if let Some(lists) = column.as_list_opt::<i64>() {
            lists.value(row)
        } else {
            column.as_fixed_size_list().value(row)
        };
        texts(&tags);
    }
}

fn texts(tags: &ArrayRef) {
    let check = |text: &str| assert!(std::str::from_utf8(text.as_bytes()).is_ok());
    if let Some(tags) = tags.as_string_opt::<i32>() {
        tags.iter().flatten().for_each(check);
    } else if let Some(tags) = tags.as_string_opt::<i64>() {
        tags.iter().flatten().for_each(check);
    } else if let Some(tags) = tags.as_string_view_opt() {
        tags.iter().flatten().for_each(check);
    } else if let Some(tags) = tags.as_any_dictionary_opt() {
        let words = tags.values().len();
        let mut valid = (0..tags.len()).filter(|&at| tags.is_valid(at));
        if words == 0 {
            assert_eq!(valid.next(), None);
            return;
        }
        let keys = tags.normalized_keys();
        assert!(valid.all(|at| keys[at] < words));
        texts(tags.values());
    }
}
