/// Bytes of a word.
const WORD: usize = size_of::<u64>();
/// Slots of a [`ShortStrings`]: a power of two.
const SLOTS: usize = 512;
/// Entries of a [`ShortStrings`]: with half of the slots free, probe sequences stay short.
const MOST: usize = SLOTS / 2;
/// Key of an unused slot. No string has it, because the length of a string is at most [`ShortKey::BYTES`].
const UNUSED: ShortKey = ShortKey {
    low: u64::MAX,
    high: u64::MAX,
};

/// A string of at most [`ShortKey::BYTES`] bytes in two words, with its length in the highest byte: equal keys are
/// equal strings.
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
    /// The first eight bytes.
    low: u64,
    /// The other seven, and the length.
    high: u64,
}

impl ShortKey {
    /// Longest string that has a key.
    pub const BYTES: usize = 2 * WORD - 1;

    /// The key of a string; None where it is longer than [`ShortKey::BYTES`].
    #[inline(always)]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let n = bytes.len();
        // Two reads that may overlap cover the string.
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

    /// The key of the `len` bytes of `text` before `end` (exclusive), read together with the bytes before them; None where
    /// they are longer than [`ShortKey::BYTES`] or fewer than 16 bytes stand before `end`.
    #[inline(always)]
    pub fn ending_at(text: &[u8], end: usize, len: usize) -> Option<Self> {
        if len > Self::BYTES {
            return None;
        }
        let bytes = text.get(end.checked_sub(2 * WORD)?..end)?;
        Some(Self::of_last(bytes.try_into().ok()?, len))
    }

    /// The key of the last `len` of 16 bytes; `len` is at most [`ShortKey::BYTES`].
    #[inline(always)]
    pub fn of_last(bytes: [u8; 2 * WORD], len: usize) -> Self {
        debug_assert!(len <= Self::BYTES);
        let (before, last) = (word::<8>(&bytes), word::<8>(&bytes[WORD..]));
        // Nearly all tags are short. Shifting in two steps keeps the amount below the width for an empty string.
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

    /// The key of the first `len` of 16 bytes, a little-endian number, whose other bytes are 0; `len` is at most
    /// [`ShortKey::BYTES`].
    #[inline(always)]
    pub fn of_padded(bytes: u128, len: usize) -> Self {
        debug_assert!(len <= Self::BYTES && bytes >> (8 * len) == 0);
        Self::joined(bytes as u64, (bytes >> 64) as u64, len)
    }

    #[inline(always)]
    fn joined(low: u64, high: u64, len: usize) -> Self {
        let high = high | (len as u64) << 56;
        Self { low, high }
    }

    /// True where all bytes are ASCII.
    #[inline(always)]
    pub fn is_ascii(self) -> bool {
        const HIGH: u64 = u64::from_ne_bytes([0x80; WORD]);
        (self.low | self.high) & HIGH == 0
    }

    #[inline(always)]
    fn slot(self) -> usize {
        let mixed = (self.low ^ self.high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - SLOTS.trailing_zeros())) as usize % SLOTS
    }
}

/// Numbers of short strings, in an open-addressing table of fixed size that never forgets an entry.
///
/// Corpora have a handful of short tags and tens of millions of tokens, so nearly every look-up is answered here
/// without following a pointer.
#[derive(Clone, Debug)]
pub(crate) struct ShortStrings {
    slots: Box<[(ShortKey, u32); SLOTS]>,
    entries: usize,
}

impl ShortStrings {
    pub(crate) fn new() -> Self {
        Self {
            slots: Box::new([(UNUSED, 0); SLOTS]),
            entries: 0,
        }
    }

    /// The number of a string, if it was added.
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

    /// Adds a string that [`ShortStrings::get`] does not know. Does nothing where the table is full.
    pub(crate) fn add(&mut self, key: ShortKey, id: u32) {
        if self.entries == MOST {
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

/// The first `N` bytes, which the caller has checked to be there, as a number.
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
            assert_eq!(found, ((at as usize) < MOST).then_some(at));
        }
    }
}
