//! A cache of the ids of recently seen tags of at most seven bytes.
//!
//! The vocabulary of a reader looks up a tag of up to 15 bytes by comparing two words, in an
//! open-addressing table. Most tags are shorter (`O`, `B-PER`), and string columns repeat a handful
//! of tags millions of times. This direct-mapped cache in front of the vocabulary compares one word
//! in a single slot, which takes about half the instructions per string (benches/record).
//!
//! | tag | word, from the highest byte |
//! |---|---|
//! | the empty string | `00 00 00 00 00 00 00 00` |
//! | `O` | `01 00 00 00 00 00 00 4F` |
//! | `B-PER` | `05 00 00 52 45 50 2D 42` |

/// Number of slots, a power of two: with a few dozen tags, collisions are rare.
const SLOTS: usize = 256;
/// Size of a word in bytes.
const WORD: usize = size_of::<u64>();
/// The word of an unused slot. No tag has this word, because its highest byte would be a length of
/// 255.
const UNUSED: u64 = u64::MAX;

/// A direct-mapped cache from short tags to ids of type `I`: a new tag replaces a tag with the same
/// hash. A cache is valid for a single vocabulary, whose ids never change.
pub(crate) struct RecentTags<I> {
    words: [u64; SLOTS],
    ids: [I; SLOTS],
}

impl<I: Copy + Default> RecentTags<I> {
    /// Returns an empty cache.
    pub(crate) fn new() -> Self {
        Self {
            words: [UNUSED; SLOTS],
            ids: [I::default(); SLOTS],
        }
    }

    /// Returns the id of the tag with this word, if the tag is in the cache.
    #[inline(always)]
    pub(crate) fn get(&self, word: u64) -> Option<I> {
        let slot = slot(word);
        (self.words[slot] == word).then(|| self.ids[slot])
    }

    /// Adds a tag, replacing a tag with the same hash.
    pub(crate) fn put(&mut self, word: u64, id: I) {
        let slot = slot(word);
        (self.words[slot], self.ids[slot]) = (word, id);
    }
}

/// Multiplicative hashing: the highest bits of the product depend on all bits of the word.
#[inline(always)]
fn slot(word: u64) -> usize {
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (u64::BITS - SLOTS.trailing_zeros())) as usize
        % SLOTS
}

/// Masks for the first `index` bytes of a word.
const MASKS: [u64; WORD] = {
    let mut masks = [0; WORD];
    let mut len = 1;
    while len < WORD {
        masks[len] = masks[len - 1] << 8 | 0xFF;
        len += 1;
    }
    masks
};

/// Returns the word of the `len` bytes of `text` starting at `start`: the bytes in little-endian
/// order, with the length in the highest byte. Words are equal if and only if the tags are equal.
///
/// Returns None if the tag is longer than seven bytes, or if fewer than eight bytes of text follow
/// `start`, because eight bytes are loaded at once.
#[inline(always)]
pub(crate) fn word_at(text: &[u8], start: usize, len: usize) -> Option<u64> {
    let mask = MASKS.get(len)?;
    let bytes = text.get(start..)?.first_chunk()?;
    Some(u64::from_le_bytes(*bytes) & mask | (len as u64) << 56)
}

/// Returns the word of a string view (length in the lowest 32 bits, followed by the bytes of a
/// short string and zeros), or None if the tag is longer than seven bytes.
#[inline(always)]
pub(crate) fn word_of_view(view: u128) -> Option<u64> {
    let len = view as u32;
    (len < WORD as u32).then(|| (view >> 32) as u64 | u64::from(len) << 56)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_layouts_have_the_same_words() {
        let text = b"B-PERSON and some more";
        for len in 0..=12 {
            let bytes = text[..len].iter().rev();
            let view = bytes.fold(0_u128, |all, &byte| all << 8 | u128::from(byte)) << 32;
            let word = word_at(text, 0, len);
            assert_eq!(word.is_some(), len < 8);
            assert_eq!(word, word_of_view(view | len as u128));
        }
        assert_eq!(word_at(b"O-B-PER", 2, 5), None);
        assert_eq!(word_at(text, text.len() + 1, 5), None);
    }

    #[test]
    fn a_tag_with_the_same_hash_replaces_the_one_before() {
        let mut recent = RecentTags::<u32>::new();
        assert_eq!(recent.get(0), None);
        let words: Vec<u64> = (0..1000).map(|at| 3 << 56 | at).collect();
        for &word in &words {
            recent.put(word, word as u32);
            assert_eq!(recent.get(word), Some(word as u32));
        }
        let found = words
            .iter()
            .filter_map(|&word| Some((word, recent.get(word)?)));
        assert!(found.map(|(word, id)| assert_eq!(word as u32, id)).count() <= SLOTS);
    }
}
