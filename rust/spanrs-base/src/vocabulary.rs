use crate::interner::Interner;
use crate::short_strings::{ShortKey, ShortStrings};

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
    /// The short ones among them, in the order of their first appearance.
    short: ShortStrings,
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
            short: ShortStrings::new(),
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
        let key = ShortKey::new(name);
        match key.and_then(|key| self.short.get(key)) {
            Some(id) => Ok(id),
            None => self.intern_slow(name, key),
        }
    }

    /// The id of a short string, if it is known and one of the first few hundred.
    #[inline(always)]
    pub fn get_short(&self, key: ShortKey) -> Option<u32> {
        self.short.get(key)
    }

    #[cold]
    fn intern_slow(&mut self, name: &[u8], key: Option<ShortKey>) -> Result<u32, TooManyTags> {
        let name = &String::from_utf8_lossy(name);
        if let Some(id) = self.names.get(name) {
            return Ok(id);
        }
        if self.names.len() >= self.most {
            return Err(TooManyTags { most: self.most });
        }
        let id = self.names.intern(name);
        // A name that was replaced is not the key's.
        if let Some(key) = key.filter(|key| ShortKey::new(name.as_bytes()) == Some(*key)) {
            self.short.add(key, id);
        }
        Ok(id)
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
