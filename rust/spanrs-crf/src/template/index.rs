//! Hash table from attribute fingerprints to ids.

use spanrs_base::Interner;

use super::fingerprint::{Fingerprint, Key};

/// No attribute.
const NONE: u32 = u32::MAX;

/// The ids of known attributes, for [`super::Extractor::find`], which builds no attribute strings.
///
/// Attributes are compared by 93 bits of their hashes: an unknown attribute is taken for a known
/// one with a probability of about 1e-20 per lookup for a million known ones, unless input is
/// crafted to collide. Memory is 21 to 43 bytes an attribute.
///
/// ```
/// use spanrs_crf::{AttributeIndex, Extractor, Template};
/// let mut attributes = spanrs_base::Interner::default();
/// attributes.intern("U00:in");
/// let template = Template::parse("U00:%x[0,0]\nU01:%x[-1,0]").unwrap();
/// let mut found = Vec::new();
/// Extractor::new(&template)
///     .find(&[&["in", "Paris"]], &AttributeIndex::new(&attributes), |token, ids| found.push((token, ids.to_vec())))
///     .unwrap();
/// assert_eq!(found, [(0, vec![0]), (1, vec![])]);
/// ```
#[derive(Clone, Debug)]
pub struct AttributeIndex {
    /// Open addressing with linear probing; a power of two, at most three quarters full.
    entries: Vec<Entry>,
    /// Right shift that maps a 64-bit product to a slot.
    shift: u32,
    attributes: usize,
}

/// A known attribute, or none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    first: u64,
    /// The upper half of the key's second number.
    second: u32,
    id: u32,
}

impl Entry {
    /// No entry.
    const EMPTY: Self = Self {
        first: u64::MAX,
        second: 0,
        id: NONE,
    };

    fn new(key: Key, id: u32) -> Self {
        Self {
            first: key.mod_prime,
            second: (key.mod_2_64 >> 32) as u32,
            id,
        }
    }

    #[inline(always)]
    fn has(&self, key: Key) -> bool {
        self.first == key.mod_prime && self.second == (key.mod_2_64 >> 32) as u32
    }
}

impl AttributeIndex {
    /// An index of attributes.
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
            let mut place = index.place(key);
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

    /// Where the search for an attribute begins.
    #[inline(always)]
    fn place(&self, key: Key) -> usize {
        // Fibonacci hashing: polynomials of short strings are small.
        (key.mod_prime.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> self.shift) as usize
    }

    /// The entry at which the search begins.
    #[inline(always)]
    pub(super) fn home_entry(&self, key: Key) -> Entry {
        self.entries[self.place(key)]
    }

    /// The attribute with this key; `entry` is that of [`AttributeIndex::home_entry`].
    #[inline(always)]
    pub(super) fn resolve(&self, mut entry: Entry, key: Key) -> Option<u32> {
        let mut place = self.place(key);
        while entry.id != NONE {
            if entry.has(key) {
                return Some(entry.id);
            }
            place = (place + 1) & (self.entries.len() - 1);
            entry = self.entries[place];
        }
        None
    }
}
