//! Hash table from attribute fingerprints to attribute numbers.
//!
//! A token often has 20 or more attributes, and the table of a large model does not fit into the
//! cache, so lookups would mostly wait for memory. The table is therefore flat (16 bytes per entry,
//! four entries per cache line) and contains no strings, and lookup has two steps:
//! [`AttributeIndex::home_entry`] loads the first entry of the search for all attributes of a
//! sequence, so that the processor overlaps the cache misses; [`AttributeIndex::resolve`] compares
//! the keys.

use spanrs_base::Interner;

use super::fingerprint::{Fingerprint, Key};

/// Marks an empty entry.
const NONE: u32 = u32::MAX;

/// The numbers of known attributes, for [`super::Extractor::find`], which builds no attribute
/// strings.
///
/// Attributes are identified by 93 bits of their hashes: with a million known attributes, an
/// unknown attribute is taken for a known attribute with a probability of about 1e-20 per lookup,
/// unless input is crafted to collide. Memory is 21 to 43 bytes per attribute. Immutable; shared by
/// threads.
///
/// ```
/// use spanrs_crf::{AttributeIndex, Extractor, Template};
/// let mut attributes = spanrs_base::Interner::default();
/// attributes.intern("U00:in");
/// let index = AttributeIndex::new(&attributes);
/// let template = Template::parse("U00:%x[0,0]\nU01:%x[-1,0]").unwrap();
/// let mut found = Vec::new();
/// Extractor::new(&template)
///     .find(&[&["in", "Paris"]], &index, |token, ids| found.push((token, ids.to_vec())))
///     .unwrap();
/// assert_eq!(found, [(0, vec![0]), (1, vec![])]);
/// ```
#[derive(Clone, Debug)]
pub struct AttributeIndex {
    /// Open addressing with linear probing. The length is a power of two; at most three quarters
    /// are in use, so a search always ends at an empty entry.
    entries: Vec<Entry>,
    /// Right shift that maps a 64-bit product to an index of `entries`.
    shift: u32,
    /// Number of attributes.
    attributes: usize,
}

/// A known attribute or an empty entry; 16 bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The key modulo 2^61 - 1.
    first: u64,
    /// The upper half of the key modulo 2^64, whose lower bits are weak.
    second: u32,
    /// The attribute, or [`NONE`].
    id: u32,
}

impl Entry {
    /// The empty entry.
    const EMPTY: Self = Self {
        first: u64::MAX,
        second: 0,
        id: NONE,
    };

    /// The entry of an attribute.
    fn new(key: Key, id: u32) -> Self {
        Self {
            first: key.mod_prime,
            second: (key.mod_2_64 >> 32) as u32,
            id,
        }
    }

    /// Whether the entry's attribute has this key, up to hash collisions.
    #[inline(always)]
    fn matches(&self, key: Key) -> bool {
        self.first == key.mod_prime && self.second == (key.mod_2_64 >> 32) as u32
    }
}

impl AttributeIndex {
    /// Creates an index of attributes and their numbers. Takes time and memory proportional to the
    /// number of attributes.
    pub fn new(attributes: &Interner<str>) -> Self {
        let known = attributes.len();
        let size = (known + known / 3 + 1).next_power_of_two().max(2);
        let mut index = Self {
            entries: vec![Entry::EMPTY; size],
            shift: u64::BITS - size.trailing_zeros(),
            attributes: attributes.len(),
        };
        for (id, name) in (0..).zip(attributes.names()) {
            let key = Fingerprint::of(name).key();
            let mut place = index.home_index(key);
            while index.entries[place].id != NONE {
                place = (place + 1) % size;
            }
            index.entries[place] = Entry::new(key, id);
        }
        index
    }

    /// Number of attributes.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// Index of the entry where the search for a key begins.
    #[inline(always)]
    fn home_index(&self, key: Key) -> usize {
        // Fibonacci hashing: polynomials of short strings are small.
        (key.mod_prime.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// The entry at which the search for a key begins.
    #[inline(always)]
    pub(super) fn home_entry(&self, key: Key) -> Entry {
        self.entries[self.home_index(key)]
    }

    /// The attribute with this key, if there is one; `entry` is the result of
    /// [`AttributeIndex::home_entry`]. Probes the following entries until the key or an empty entry
    /// is found.
    #[inline(always)]
    pub(super) fn resolve(&self, mut entry: Entry, key: Key) -> Option<u32> {
        let mut place = self.home_index(key);
        while entry.id != NONE {
            if entry.matches(key) {
                return Some(entry.id);
            }
            place = (place + 1) & (self.entries.len() - 1);
            entry = self.entries[place];
        }
        None
    }
}
