use crate::interner::Interner;

/// Places of the small table that answers before the hash table is asked.
const CACHE: usize = 256;
/// Longest string the small table holds.
const KEY_BYTES: usize = 16;
/// No id.
const NONE: u32 = u32::MAX;

/// An [`Interner`] of tags or types, with a limit and a cache for the tags of large corpora.
///
/// ```
/// let mut tags = spanrs_base::Vocabulary::new(100);
/// assert_eq!(tags.intern("O").unwrap(), 0);
/// assert_eq!(tags.intern("B-PER").unwrap(), 1);
/// assert_eq!(tags.intern("O").unwrap(), 0);
/// assert_eq!(tags.get("B-PER"), Some(1));
/// assert_eq!(tags.name(1), "B-PER");
/// ```
#[derive(Clone, Debug)]
pub struct Vocabulary {
    names: Interner<str>,
    // Corpora have a handful of short tags and tens of millions of tokens: a direct-mapped table keyed
    // by the bytes themselves answers almost every look-up without hashing or comparing strings.
    cache: Box<[Option<(Key, u32)>; CACHE]>,
    /// The ids of strings of one byte, `O` above all; [`NONE`] where there is none yet.
    singles: [u32; 256],
    most: usize,
}

/// A vocabulary has reached its limit: most likely the wrong column is read as tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyTags {
    /// The limit.
    pub most: usize,
}

impl Vocabulary {
    /// An empty vocabulary that takes at most `most` strings.
    pub fn new(most: usize) -> Self {
        Self {
            names: Interner::default(),
            cache: Box::new([None; CACHE]),
            singles: [NONE; 256],
            most: most.min(u32::MAX as usize - 1),
        }
    }

    /// The id of `name`, which is added if it is new.
    ///
    /// # Errors
    /// [`TooManyTags`] where the string is new and the vocabulary is full.
    #[inline]
    pub fn intern(&mut self, name: &str) -> Result<u32, TooManyTags> {
        self.intern_bytes(name.as_bytes())
    }

    /// As [`Vocabulary::intern`] for text that is known to be UTF-8, but has no type that says so; what
    /// is not UTF-8 is replaced by U+FFFD.
    ///
    /// # Errors
    /// As [`Vocabulary::intern`].
    #[inline(always)]
    pub fn intern_bytes(&mut self, name: &[u8]) -> Result<u32, TooManyTags> {
        if let [byte] = *name {
            let id = self.singles[usize::from(byte)];
            if id != NONE {
                return Ok(id);
            }
        }
        self.intern_key(name)
    }

    #[inline]
    fn intern_key(&mut self, name: &[u8]) -> Result<u32, TooManyTags> {
        let Some(key) = Key::of(name) else {
            return self.intern_slow(&String::from_utf8_lossy(name));
        };
        let place = key.place();
        if let Some((known, id)) = self.cache[place]
            && known == key
        {
            return Ok(id);
        }
        let id = self.intern_slow(&String::from_utf8_lossy(name))?;
        self.cache[place] = Some((key, id));
        if let [byte] = *name {
            self.singles[usize::from(byte)] = id;
        }
        Ok(id)
    }

    #[cold]
    fn intern_slow(&mut self, name: &str) -> Result<u32, TooManyTags> {
        if self.names.len() >= self.most {
            let known = self.names.get(name);
            return known.ok_or(TooManyTags { most: self.most });
        }
        Ok(self.names.intern(name))
    }

    /// The id of `name`, if it is known.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.names.get(name)
    }

    /// The string with this id; the empty string for an id that was never given out.
    pub fn name(&self, id: u32) -> &str {
        self.names.name(id).unwrap_or_default()
    }

    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True where nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All strings in the order of their ids.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.names()
    }
}

/// A short string as two words, together with its length exact: equal keys are equal strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    low: u64,
    high: u64,
    len: u32,
}

impl Key {
    /// None for a string that does not fit.
    #[inline(always)]
    fn of(bytes: &[u8]) -> Option<Self> {
        let n = bytes.len();
        // Two reads that may overlap cover the string.
        let (low, high) = match n {
            8..=KEY_BYTES => (word::<8>(bytes), word::<8>(&bytes[n - 8..])),
            4..=7 => (word::<4>(bytes), word::<4>(&bytes[n - 4..])),
            1..=3 => (
                u64::from(bytes[0]),
                u64::from(bytes[n / 2]) << 8 | u64::from(bytes[n - 1]),
            ),
            _ => return None,
        };
        let len = n as u32;
        Some(Self { low, high, len })
    }

    #[inline(always)]
    fn place(self) -> usize {
        let mixed = (self.low ^ self.high.rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> (64 - CACHE.trailing_zeros())) as usize
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
    fn ids_follow_first_appearance() {
        let mut v = Vocabulary::new(10);
        let ids: Vec<_> = ["O", "B-A", "O", "I-A", "B-A"]
            .into_iter()
            .map(|t| v.intern(t).unwrap())
            .collect();
        assert_eq!(ids, [0, 1, 0, 2, 1]);
        assert_eq!(v.names().collect::<Vec<_>>(), ["O", "B-A", "I-A"]);
    }

    #[test]
    fn strings_of_every_length_stay_apart() {
        let mut v = Vocabulary::new(1 << 20);
        let mut all = vec![String::new()];
        for n in 1..40 {
            for fill in ["a", "b", "\0"] {
                for at in 0..n {
                    let mut s = fill.repeat(n);
                    s.replace_range(at..=at, "x");
                    all.push(s);
                }
            }
        }
        all.sort();
        all.dedup();
        for s in &all {
            v.intern(s).unwrap();
        }
        for (id, s) in all.iter().enumerate() {
            assert_eq!(v.intern(s), Ok(id as u32));
            assert_eq!(v.get(s), Some(id as u32));
            assert_eq!(v.name(id as u32), s);
        }
    }

    #[test]
    fn a_full_vocabulary_refuses_new_strings_only() {
        let mut v = Vocabulary::new(2);
        v.intern("a").unwrap();
        v.intern("b").unwrap();
        assert_eq!(v.intern("c"), Err(TooManyTags { most: 2 }));
        assert_eq!(v.intern("b"), Ok(1));
    }
}
