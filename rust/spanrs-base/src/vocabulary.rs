//! Vocabularies of tags and types: an [`Interner`] with a limit and a cache for short strings.

use crate::interner::Interner;
use crate::short_strings::{ShortKey, ShortStrings};

/// An [`Interner`] of tags or types, with a limit on the number of strings and a cache for the
/// short tags that dominate large corpora.
///
/// Ids are numbered from 0 in the order of first appearance. A lookup of a string of at most
/// [`ShortKey::BYTES`] bytes compares two machine words in a small table; other strings are hashed.
///
/// # Examples
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
    /// All strings.
    names: Interner<str>,
    /// Ids of the first short strings added: a subset of `names` with the same ids.
    short: ShortStrings,
    /// Maximum number of strings.
    max_tags: usize,
}

/// Error: a new string does not fit into the full vocabulary. The usual cause is that the wrong
/// column of a file is read as tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooManyTags {
    /// The limit that was reached: the largest number of strings that the vocabulary accepts.
    pub max_tags: usize,
}

impl Vocabulary {
    /// Creates an empty vocabulary of at most `max_tags` strings; limits above `u32::MAX - 1` are
    /// reduced to `u32::MAX - 1`. No memory is allocated for strings in advance; the cache for
    /// short strings takes 12 KiB.
    pub fn new(max_tags: usize) -> Self {
        Self {
            names: Interner::default(),
            short: ShortStrings::new(),
            max_tags: max_tags.min(u32::MAX as usize - 1),
        }
    }

    /// Returns the id of `name`, adding the string if it is new.
    ///
    /// # Errors
    /// [`TooManyTags`] if the string is new and the vocabulary is full. Known strings are still
    /// found.
    #[inline]
    pub fn intern(&mut self, name: &str) -> Result<u32, TooManyTags> {
        self.intern_bytes(name.as_bytes())
    }

    /// Same as [`Vocabulary::intern`], for a string given as bytes.
    ///
    /// Invalid UTF-8 sequences are replaced by U+FFFD before the lookup, so different invalid byte
    /// strings may get the same id. Valid short strings are found without a check of their
    /// encoding; every other string is validated.
    ///
    /// # Errors
    /// Same as [`Vocabulary::intern`].
    ///
    /// # Examples
    ///
    /// ```
    /// let mut tags = spanrs_base::Vocabulary::new(100);
    /// assert_eq!(tags.intern_bytes(b"B-PER"), tags.intern("B-PER"));
    /// let id = tags.intern_bytes(b"B-\xFF").unwrap();
    /// assert_eq!(tags.name(id), "B-\u{FFFD}");
    /// ```
    #[inline(always)]
    pub fn intern_bytes(&mut self, name: &[u8]) -> Result<u32, TooManyTags> {
        let key = ShortKey::new(name);
        match key.and_then(|key| self.short.get(key)) {
            Some(id) => Ok(id),
            None => self.intern_slow(name, key),
        }
    }

    /// Returns the id of a short string if it is in the cache.
    ///
    /// The cache contains only the first few hundred distinct short strings, so a string without an
    /// entry may still be known; use [`Vocabulary::intern_bytes`] after None.
    #[inline(always)]
    pub fn get_short(&self, key: ShortKey) -> Option<u32> {
        self.short.get(key)
    }

    /// Looks up or adds a string that is not in the cache. `key` is the key of the bytes before
    /// replacement, or None for long strings.
    #[cold]
    fn intern_slow(&mut self, name: &[u8], key: Option<ShortKey>) -> Result<u32, TooManyTags> {
        let name = &String::from_utf8_lossy(name);
        if let Some(id) = self.names.get(name) {
            return Ok(id);
        }
        if self.names.len() >= self.max_tags {
            return Err(TooManyTags {
                max_tags: self.max_tags,
            });
        }
        let id = self.names.intern(name);
        // After a replacement, the key does not belong to the name: the key was made from the
        // original bytes.
        if let Some(key) = key.filter(|key| ShortKey::new(name.as_bytes()) == Some(*key)) {
            self.short.add(key, id);
        }
        Ok(id)
    }

    /// Returns the id of `name`, or None if it was never interned.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.names.get(name)
    }

    /// Returns the string with this id, or the empty string for an id that was never assigned.
    pub fn name(&self, id: u32) -> &str {
        self.names.name(id).unwrap_or_default()
    }

    /// Returns the number of distinct strings; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether no string has been interned.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Iterates over all strings in the order of their ids.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.names()
    }
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
        assert_eq!(v.intern("c"), Err(TooManyTags { max_tags: 2 }));
        assert_eq!(v.intern("b"), Ok(1));
    }
}
