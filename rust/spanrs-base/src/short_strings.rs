/// Bytes that the table compares and hashes as one word.
const WORD: usize = size_of::<u128>();
/// Slots of a [`ShortStrings`]: a power of two.
const SLOTS: usize = 512;
/// Entries of a [`ShortStrings`]: with half of the slots free, probe sequences stay short.
const MOST: usize = SLOTS / 2;
/// Key of an unused slot. No string has it, because the length of a string is at most [`ShortKey::BYTES`].
const UNUSED: u128 = u128::MAX;

/// A string of at most [`ShortKey::BYTES`] bytes in one word, with its length in the highest byte: equal keys are
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
pub struct ShortKey(u128);

impl ShortKey {
    /// Longest string that has a key.
    pub const BYTES: usize = WORD - 1;

    /// The key of a string; None where it is longer than [`ShortKey::BYTES`].
    #[inline(always)]
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let n = bytes.len();
        // Two reads that may overlap cover the string.
        let word = match n {
            8..WORD => {
                let (low, high) = (word::<8>(bytes), word::<8>(&bytes[n - 8..]));
                u128::from(low) | u128::from(high) << (8 * (n - 8))
            }
            4..8 => {
                let (low, high) = (word::<4>(bytes), word::<4>(&bytes[n - 4..]));
                u128::from(low | high << (8 * (n - 4)))
            }
            1..4 => {
                let (first, middle, last) = (bytes[0], bytes[n / 2], bytes[n - 1]);
                let low = u64::from(first) | u64::from(middle) << (8 * (n / 2));
                u128::from(low | u64::from(last) << (8 * (n - 1)))
            }
            0 => 0,
            _ => return None,
        };
        Some(Self::joined(word, n))
    }

    /// The key of the `len` bytes of `text` before `end` (exclusive), read as one word together with the bytes before
    /// them; None where they are longer than [`ShortKey::BYTES`] or fewer than 16 bytes stand before `end`.
    #[inline(always)]
    pub fn ending_at(text: &[u8], end: usize, len: usize) -> Option<Self> {
        if len >= WORD {
            return None;
        }
        let word = text.get(end.checked_sub(WORD)?..end)?;
        Some(Self::of_last(word.try_into().ok()?, len))
    }

    /// The key of the last `len` bytes of a word; `len` is at most [`ShortKey::BYTES`].
    #[inline(always)]
    pub fn of_last(word: [u8; WORD], len: usize) -> Self {
        debug_assert!(len < WORD);
        // Shifting in two steps keeps the amount below the width for an empty string.
        let word = u128::from_le_bytes(word) >> 8 >> (8 * (WORD - 1 - len));
        Self::joined(word, len)
    }

    /// The key of the first `len` bytes of a little-endian word whose other bytes are 0; `len` is at most
    /// [`ShortKey::BYTES`].
    #[inline(always)]
    pub fn of_padded(word: u128, len: usize) -> Self {
        debug_assert!(len < WORD && word >> (8 * len) == 0);
        Self::joined(word, len)
    }

    #[inline(always)]
    fn joined(word: u128, len: usize) -> Self {
        Self(word | (len as u128) << (8 * (WORD - 1)))
    }

    /// True where all bytes are ASCII.
    #[inline(always)]
    pub fn is_ascii(self) -> bool {
        const HIGH: u128 = u128::from_ne_bytes([0x80; WORD]);
        self.0 & HIGH == 0
    }

    #[inline(always)]
    fn slot(self) -> usize {
        let (low, high) = (self.0 as u64, (self.0 >> 64) as u64);
        let mixed = (low ^ high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - SLOTS.trailing_zeros())) as usize % SLOTS
    }
}

/// Numbers of short strings, in an open-addressing table of fixed size that never forgets an entry.
///
/// Corpora have a handful of short tags and tens of millions of tokens, so nearly every look-up is answered here
/// without following a pointer.
#[derive(Clone, Debug)]
pub(crate) struct ShortStrings {
    keys: Box<[u128; SLOTS]>,
    ids: Box<[u32; SLOTS]>,
    entries: usize,
}

impl ShortStrings {
    pub(crate) fn new() -> Self {
        Self {
            keys: Box::new([UNUSED; SLOTS]),
            ids: Box::new([0; SLOTS]),
            entries: 0,
        }
    }

    /// The number of a string, if it was added.
    #[inline(always)]
    pub(crate) fn get(&self, key: ShortKey) -> Option<u32> {
        let mut slot = key.slot();
        loop {
            let found = self.keys[slot];
            if found == key.0 {
                return Some(self.ids[slot]);
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
        while self.keys[slot] != UNUSED {
            slot = (slot + 1) % SLOTS;
        }
        (self.keys[slot], self.ids[slot]) = (key.0, id);
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
                assert_eq!(read, key.filter(|_| end >= WORD), "{end} {len}");
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
