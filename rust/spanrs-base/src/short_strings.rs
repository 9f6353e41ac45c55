//! Short strings as two machine words, and a hash table from short strings to ids.
//!
//! A corpus has tens of millions of tags, but few distinct ones, and most are short. A string of at
//! most 15 bytes is read into two 64-bit words ([`ShortKey`]), which are compared and hashed
//! without following a pointer; a small open-addressing table ([`ShortStrings`]) maps the keys to
//! ids.
//!
//! The layout of a key, in little-endian order:
//!
//! | word | byte 0 | bytes 1 to 6 | byte 7 |
//! |---|---|---|---|
//! | `low` | first byte of the string | second to seventh | eighth |
//! | `high` | ninth | tenth to fifteenth | length |
//!
//! Bytes beyond the end of the string are 0. The length distinguishes strings that end with NUL
//! bytes from shorter strings.

/// Size of a word in bytes.
const WORD: usize = size_of::<u64>();
/// Number of slots of a [`ShortStrings`]; a power of two.
const SLOTS: usize = 512;
/// Maximum number of entries of a [`ShortStrings`]: with half of the slots free, probe sequences
/// stay short.
const MAX_ENTRIES: usize = SLOTS / 2;
/// Key of an unused slot. No string has this key, because the length of a string is at most
/// [`ShortKey::BYTES`].
const UNUSED: ShortKey = ShortKey {
    low: u64::MAX,
    high: u64::MAX,
};

/// A string of at most [`ShortKey::BYTES`] bytes in two words, with its length in the highest byte:
/// keys are equal if and only if the strings are equal.
///
/// # Examples
///
/// ```
/// use spanrs_base::ShortKey;
/// let line = b"the quick brown fox NN B-ANIMAL";
/// let key = ShortKey::ending_at(line, line.len(), 8);
/// assert_eq!(key, ShortKey::new(b"B-ANIMAL"));
/// assert_eq!(ShortKey::new(b"a tag of more than 15 bytes"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortKey {
    /// The first eight bytes of the string.
    low: u64,
    /// The remaining seven bytes, and the length in the highest byte.
    high: u64,
}

impl ShortKey {
    /// Maximum length in bytes of a string that has a key.
    pub const BYTES: usize = 2 * WORD - 1;

    /// Returns the key of a string, or None if the string is longer than [`ShortKey::BYTES`].
    #[inline(always)]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let n = bytes.len();
        // Two possibly overlapping reads cover the string.
        let (low, high) = match n {
            9..=Self::BYTES => (
                word::<8>(bytes),
                word::<8>(&bytes[n - 8..]) >> (8 * (16 - n)),
            ),
            8 => (word::<8>(bytes), 0),
            4..8 => {
                let (low, high) = (word::<4>(bytes), word::<4>(&bytes[n - 4..]));
                (low | high << (8 * (n - 4)), 0)
            }
            1..4 => {
                let (first, middle, last) = (bytes[0], bytes[n / 2], bytes[n - 1]);
                let low = u64::from(first) | u64::from(middle) << (8 * (n / 2));
                (low | u64::from(last) << (8 * (n - 1)), 0)
            }
            0 => (0, 0),
            _ => return None,
        };
        Some(Self::joined(low, high, n))
    }

    /// Returns the key of the `len` bytes of `text` before `end` (exclusive), read together with
    /// the bytes before them.
    ///
    /// One 16-byte read replaces the two or three reads of [`ShortKey::new`]. Returns None if `len`
    /// is greater than [`ShortKey::BYTES`], if `end` is beyond the text, or if there are fewer than
    /// 16 bytes before `end`.
    #[inline(always)]
    pub fn ending_at(text: &[u8], end: usize, len: usize) -> Option<Self> {
        if len > Self::BYTES {
            return None;
        }
        let bytes = text.get(end.checked_sub(2 * WORD)?..end)?;
        Some(Self::of_last(bytes.try_into().ok()?, len))
    }

    /// Returns the key of the last `len` of 16 bytes. `len` is at most [`ShortKey::BYTES`].
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::ShortKey;
    /// let key = ShortKey::of_last(*b"some token B-PER", 5);
    /// assert_eq!(Some(key), ShortKey::new(b"B-PER"));
    /// ```
    #[inline(always)]
    pub fn of_last(bytes: [u8; 2 * WORD], len: usize) -> Self {
        debug_assert!(len <= Self::BYTES);
        let (before, last) = (word::<8>(&bytes), word::<8>(&bytes[WORD..]));
        // Nearly all tags are short. For an empty string, two shifts keep each shift amount below
        // the word width.
        if len < WORD {
            return Self::joined(last >> 8 >> (8 * (WORD - 1 - len)), 0, len);
        }
        if len == WORD {
            return Self::joined(last, 0, len);
        }
        let shift = 8 * (2 * WORD - len);
        let low = before >> shift | last << (64 - shift);
        Self::joined(low, last >> shift, len)
    }

    /// Returns the key of the first `len` of 16 bytes, given as a little-endian number whose other
    /// bytes are 0. `len` is at most [`ShortKey::BYTES`].
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::ShortKey;
    /// let key = ShortKey::of_padded(u128::from_le_bytes(*b"B-PER\0\0\0\0\0\0\0\0\0\0\0"), 5);
    /// assert_eq!(Some(key), ShortKey::new(b"B-PER"));
    /// ```
    #[inline(always)]
    pub fn of_padded(bytes: u128, len: usize) -> Self {
        debug_assert!(len <= Self::BYTES && bytes >> (8 * len) == 0);
        Self::joined(bytes as u64, (bytes >> 64) as u64, len)
    }

    /// Creates a key from its words and its length.
    #[inline(always)]
    fn joined(low: u64, high: u64, len: usize) -> Self {
        let high = high | (len as u64) << 56;
        Self { low, high }
    }

    /// Returns whether all bytes are ASCII.
    #[inline(always)]
    pub fn is_ascii(self) -> bool {
        const HIGH: u64 = u64::from_ne_bytes([0x80; WORD]);
        (self.low | self.high) & HIGH == 0
    }

    /// Returns the first slot to probe for the key: the upper bits of a multiplicative hash.
    #[inline(always)]
    fn slot(self) -> usize {
        let mixed = (self.low ^ self.high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - SLOTS.trailing_zeros())) as usize % SLOTS
    }
}

/// Ids of short strings, in an open-addressing table of fixed size whose entries are never removed.
///
/// Corpora have a handful of distinct short tags and tens of millions of tokens, so nearly every
/// lookup succeeds in this table without following a pointer.
#[derive(Clone, Debug)]
pub(crate) struct ShortStrings {
    /// Key and id of each slot; the key is [`UNUSED`] in free slots.
    slots: Box<[(ShortKey, u32); SLOTS]>,
    /// Number of used slots, at most [`MAX_ENTRIES`].
    entries: usize,
}

impl ShortStrings {
    /// Creates an empty table of 12 KiB.
    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([(UNUSED, 0); SLOTS]),
            entries: 0,
        }
    }

    /// Returns the id of a string, if it was added. Linear probing always terminates, because half
    /// of the slots are free.
    #[inline(always)]
    pub(crate) fn get(&self, key: ShortKey) -> Option<u32> {
        let mut slot = key.slot();
        loop {
            let (found, id) = self.slots[slot];
            if found == key {
                return Some(id);
            }
            if found == UNUSED {
                return None;
            }
            slot = (slot + 1) % SLOTS;
        }
    }

    /// Adds a string for which [`ShortStrings::get`] returned None. Does nothing if the table is
    /// full.
    pub(crate) fn add(&mut self, key: ShortKey, id: u32) {
        if self.entries == MAX_ENTRIES {
            return;
        }
        let mut slot = key.slot();
        while self.slots[slot].0 != UNUSED {
            slot = (slot + 1) % SLOTS;
        }
        self.slots[slot] = (key, id);
        self.entries += 1;
    }
}

/// Returns the first `N` bytes as a little-endian number; the caller has checked that there are at
/// least `N` bytes.
#[inline(always)]
fn word<const N: usize>(bytes: &[u8]) -> u64 {
    let mut word = [0; 8];
    word[..N].copy_from_slice(&bytes[..N]);
    u64::from_le_bytes(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_a_key_agree() {
        let text: Vec<u8> = (0..64_u8).map(|at| at.wrapping_mul(7)).collect();
        for end in 0..=text.len() {
            for len in 0..=end.min(20) {
                let key = ShortKey::new(&text[end - len..end]);
                assert_eq!(key.is_some(), len <= ShortKey::BYTES);
                let read = ShortKey::ending_at(&text, end, len);
                assert_eq!(read, key.filter(|_| end >= 2 * WORD), "{end} {len}");
            }
        }
    }

    #[test]
    fn keys_of_different_strings_differ() {
        let strings: [&[u8]; 8] = [b"", b"\0", b"\0\0", b"a", b"a\0", b"\0a", b"aa", b"aaa"];
        for (i, one) in strings.iter().enumerate() {
            for (j, other) in strings.iter().enumerate() {
                assert_eq!(ShortKey::new(one) == ShortKey::new(other), i == j);
            }
        }
    }

    #[test]
    fn ascii_is_told_apart() {
        let ascii = |bytes: &[u8]| ShortKey::new(bytes).is_some_and(ShortKey::is_ascii);
        assert!(ascii(b"B-PER") && ascii(b"") && ascii(&[0x7F; 15]));
        assert!(!ascii("é".as_bytes()) && !ascii(&[0x80]));
    }

    #[test]
    fn a_full_table_knows_what_it_has() {
        let mut table = ShortStrings::new();
        let key = |at: u32| ShortKey::new(at.to_string().as_bytes());
        for at in 0..1000 {
            if let Some(key) = key(at) {
                assert_eq!(table.get(key), None);
                table.add(key, at);
            }
        }
        for at in 0..1000 {
            let found = key(at).and_then(|key| table.get(key));
            assert_eq!(found, ((at as usize) < MAX_ENTRIES).then_some(at));
        }
    }
}
