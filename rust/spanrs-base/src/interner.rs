//! Interning of strings and byte strings in one arena.
//!
//! The bytes of all names are stored one after the other in an arena, and the end of each name in a
//! second vector. A hash table maps the hash of a name to its id, and names are compared in the
//! arena. Both lookups and insertions take expected time proportional to the length of the name.
//!
//! The names of a large model do not fit into the cache, so single lookups mostly wait for memory.
//! [`Interner::get_all`] and [`Interner::intern_all`] look up blocks of names in steps
//! (slots, then names), so that the processor overlaps the cache misses.

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::hint::black_box;
use std::ops::Range;

use foldhash::fast::FixedState;

use crate::id_table::{IdTable, Place, Slot};
use crate::jagged::Ends;
use crate::name_batch::NameBatch;

/// Number of names that are looked up together.
const BLOCK: usize = 32;

/// A kind of name that an [`Interner`] can hold: `str` or `[u8]`.
///
/// The trait abstracts over the arena, so that names of type `str` are returned without validating
/// UTF-8 again.
pub trait Internable: Eq {
    /// Storage for the concatenated names: `String` or `Vec<u8>`.
    type Arena: Clone + fmt::Debug + Default;

    /// Appends the bytes of the name to the arena.
    fn push(&self, arena: &mut Self::Arena);

    /// Returns the name at a byte range of the arena.
    ///
    /// # Panics
    /// If the range is outside of the arena or, for `str`, splits a character. An [`Interner`]
    /// passes only ranges that it has recorded.
    fn at(arena: &Self::Arena, place: Range<usize>) -> &Self;

    /// Returns the bytes of the name.
    fn bytes(&self) -> &[u8];

    /// Returns the bytes of the arena.
    fn bytes_of(arena: &Self::Arena) -> &[u8];
}

impl Internable for str {
    type Arena = String;

    fn push(&self, arena: &mut String) {
        arena.push_str(self);
    }

    #[inline]
    fn at(arena: &String, place: Range<usize>) -> &str {
        &arena[place]
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    #[inline]
    fn bytes_of(arena: &String) -> &[u8] {
        arena.as_bytes()
    }
}

impl Internable for [u8] {
    type Arena = Vec<u8>;

    fn push(&self, arena: &mut Vec<u8>) {
        arena.extend_from_slice(self);
    }

    #[inline]
    fn at(arena: &Vec<u8>, place: Range<usize>) -> &[u8] {
        &arena[place]
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn bytes_of(arena: &Vec<u8>) -> &[u8] {
        arena
    }
}

/// Distinct strings or byte strings, numbered from 0 in the order of their first appearance.
///
/// Ids depend only on the order of the calls, never on a hash seed or on the machine. Names are
/// never removed. Memory use is the total length of the names plus 32 to 56 bytes per name.
///
/// # Examples
///
/// ```
/// let mut types = spanrs_base::Interner::<str>::default();
/// assert_eq!(types.intern("PER"), 0);
/// assert_eq!(types.intern("LOC"), 1);
/// assert_eq!(types.intern("PER"), 0);
/// assert_eq!(types.get("LOC"), Some(1));
/// assert_eq!(types.name(1), Some("LOC"));
/// ```
///
/// Byte strings need not be UTF-8:
///
/// ```
/// let mut words = spanrs_base::Interner::<[u8]>::default();
/// words.intern(b"caf\xE9");
/// assert_eq!(words.names().collect::<Vec<_>>(), [b"caf\xE9"]);
/// ```
#[derive(Debug)]
pub struct Interner<T: Internable + ?Sized> {
    /// The names, concatenated without separators.
    arena: T::Arena,
    /// Ends of the names in the arena, in bytes, by id.
    ends: Ends,
    /// Ids by the hash of the name.
    index: IdTable,
}

impl<T: Internable + ?Sized> Default for Interner<T> {
    fn default() -> Self {
        Self {
            arena: T::Arena::default(),
            ends: Ends::default(),
            index: IdTable::default(),
        }
    }
}

impl<T: Internable + ?Sized> Clone for Interner<T> {
    fn clone(&self) -> Self {
        Self {
            arena: self.arena.clone(),
            ends: self.ends.clone(),
            index: self.index.clone(),
        }
    }
}

impl<T: Internable + ?Sized> Interner<T> {
    /// Returns the id of `name`, adding the name if it is new.
    ///
    /// At most `u32::MAX` names fit; the caller is responsible for the bound ([`crate::Vocabulary`]
    /// checks a limit).
    pub fn intern(&mut self, name: &T) -> u32 {
        self.intern_hashed(name, hash(name.bytes()))
    }

    /// Same as [`Interner::intern`] for a name whose hash is known.
    fn intern_hashed(&mut self, name: &T, hash: u64) -> u32 {
        if let Some(id) = self.find(name, hash) {
            return id;
        }
        let (id, start) = (self.ends.len() as u32, self.ends.total());
        let len = name.bytes().len();
        name.push(&mut self.arena);
        self.ends.push(start + len);
        self.index.insert(hash, id, Place::new(start, len));
        id
    }

    /// Reserves capacity for at least `names` more names, so that adding these does not move
    /// earlier names.
    pub fn reserve(&mut self, names: usize) {
        self.index.reserve(names);
    }

    /// Returns the id of `name`, or None if it was never interned.
    pub fn get(&self, name: &T) -> Option<u32> {
        self.find(name, hash(name.bytes()))
    }

    /// Looks up a name whose hash is known.
    fn find(&self, name: &T, hash: u64) -> Option<u32> {
        self.index.find(hash, |slot| self.is_name(slot, name))
    }

    /// Returns whether a slot is the slot of a name with the same hash. The end of the name is in the
    /// slot, which saves a cache miss.
    #[inline(always)]
    fn is_name(&self, slot: &Slot, name: &T) -> bool {
        let (start, len) = (slot.place.start(), name.bytes().len());
        match slot.place.len() {
            Some(own) if own != len => false,
            Some(_) => T::bytes_of(&self.arena)[start..start + len] == *name.bytes(),
            None => self.name(slot.id) == Some(name),
        }
    }

    /// Returns the name with this id, or None for an id that was never assigned.
    pub fn name(&self, id: u32) -> Option<&T> {
        let id = id as usize;
        (id < self.ends.len()).then(|| T::at(&self.arena, self.ends.range(id)))
    }

    /// Returns the number of distinct names; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether no name has been interned.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the names without the table of their ids, which takes more memory than short names.
    ///
    /// # Examples
    ///
    /// ```
    /// let mut types = spanrs_base::Interner::<str>::default();
    /// for name in ["PER", "LOC", "ORG"] {
    ///     types.intern(name);
    /// }
    /// let kept = types.into_names().select(&[0, 2]);
    /// assert_eq!(kept.get("ORG"), Some(1));
    /// ```
    pub fn into_names(self) -> Names<T> {
        Names {
            arena: self.arena,
            ends: self.ends,
        }
    }

    /// Iterates over all names in the order of their ids.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &T> {
        self.ends.ranges().map(|range| T::at(&self.arena, range))
    }
}

/// The names of an [`Interner`], which cannot be looked up.
#[derive(Debug)]
pub struct Names<T: Internable + ?Sized> {
    /// The names, concatenated without separators.
    arena: T::Arena,
    /// Ends of the names in the arena, in bytes.
    ends: Ends,
}

impl<T: Internable + ?Sized> Names<T> {
    /// Returns the number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns whether there are no names.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns an interner of the names with these ids, numbered anew in this order.
    ///
    /// # Panics
    /// If an id is not below [`Names::len`].
    pub fn select(self, ids: &[u32]) -> Interner<T> {
        let mut interner = Interner::default();
        interner.reserve(ids.len());
        for &at in ids {
            interner.intern(T::at(&self.arena, self.ends.range(at as usize)));
        }
        interner
    }
}

impl Interner<str> {
    /// Calls `each` with the index and the id of each name of a batch; None if it was never
    /// interned. Equivalent to a call of [`Interner::get`] for each name, but several times as fast
    /// if the interner is larger than the cache.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::{Interner, NameBatch};
    /// let mut attributes = Interner::<str>::default();
    /// attributes.intern("word:Ada");
    /// let mut names = NameBatch::default();
    /// for name in ["word:Ada", "word:wrote"] {
    ///     names.text_mut().push_str(name);
    ///     names.end();
    /// }
    /// let mut ids = Vec::new();
    /// attributes.get_all(&names, |_, id| ids.push(id));
    /// assert_eq!(ids, [Some(0), None]);
    /// attributes.intern_all(&names, |_, id| assert!(id < 2));
    /// assert_eq!(attributes.name(1), Some("word:wrote"));
    /// ```
    pub fn get_all(&self, names: &NameBatch, mut each: impl FnMut(usize, Option<u32>)) {
        for start in (0..names.len()).step_by(BLOCK) {
            for (at, slot) in self.home_slots(names, start) {
                let (name, hash) = (names.name(at), names.hashes()[at]);
                let id = match slot.has_hash(hash) && self.is_name(&slot, name) {
                    true => Some(slot.id),
                    false => self.find(name, hash),
                };
                each(at, id);
            }
        }
    }

    /// Calls `each` with the index and the id of each name of a batch; new names are added in their
    /// order. Equivalent to a call of [`Interner::intern`] for each name.
    pub fn intern_all(&mut self, names: &NameBatch, mut each: impl FnMut(usize, u32)) {
        for start in (0..names.len()).step_by(BLOCK) {
            for (at, slot) in self.home_slots(names, start) {
                let (name, hash) = (names.name(at), names.hashes()[at]);
                let id = match slot.has_hash(hash) && self.is_name(&slot, name) {
                    true => slot.id,
                    false => self.intern_hashed(name, hash),
                };
                each(at, id);
            }
        }
    }

    /// Returns the indices of a block of names with their home slots. All slots are loaded before
    /// the names at their places, and these before any name is compared, so that the cache misses
    /// overlap.
    #[inline(always)]
    fn home_slots(
        &self,
        names: &NameBatch,
        start: usize,
    ) -> impl Iterator<Item = (usize, Slot)> + use<> {
        let hashes = names.hashes()[start..].iter().take(BLOCK);
        let block = start..start + hashes.len();
        let mut slots = [Slot::FREE; BLOCK];
        for (slot, &hash) in slots.iter_mut().zip(hashes) {
            *slot = self.index.home_slot(hash);
        }
        for slot in &slots[..block.len()] {
            black_box(self.arena.as_bytes().get(slot.place.start()).copied());
        }
        block.zip(slots)
    }
}

/// Hashes a name with a fixed seed. Hash values never influence ids, so the seed only matters for
/// collisions; the interner is not hardened against names chosen to collide.
#[inline]
pub(crate) fn hash(name: &[u8]) -> u64 {
    let mut hasher = FixedState::with_seed(0).build_hasher();
    hasher.write(name);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that occur several times within and across blocks.
    fn names(count: u64) -> Vec<String> {
        let mut random = crate::Rng::new(count);
        let name = |_| "né".repeat(random.below(9) as usize) + &random.below(count).to_string();
        (0..count).map(name).collect()
    }

    fn batch(names: &[String]) -> NameBatch {
        let mut batch = NameBatch::default();
        for name in names {
            // In two pieces.
            let (before, after) = name.split_at(name.len() - 1);
            batch.text_mut().push_str(before);
            batch.text_mut().push_str(after);
            batch.end();
        }
        batch
    }

    #[test]
    fn batches_give_the_ids_of_single_names() {
        for count in [0, 1, 31, 32, 33, 5000] {
            let (names, mut single) = (names(count), Interner::<str>::default());
            let expected: Vec<u32> = names.iter().map(|name| single.intern(name)).collect();
            let (mut together, mut ids) = (Interner::<str>::default(), Vec::new());
            let first = batch(&names[..names.len() / 2]);
            together.intern_all(&first, |at, id| ids.push((at, id)));
            assert_eq!(
                together.len() as u32,
                ids.iter().map(|(_, id)| id + 1).max().unwrap_or(0)
            );
            let all = batch(&names);
            let mut found = Vec::new();
            together.get_all(&all, |_, id| found.push(id));
            let known = |id: &u32| Some(*id).filter(|id| (*id as usize) < together.len());
            assert_eq!(found, expected.iter().map(known).collect::<Vec<_>>());
            ids.clear();
            together.intern_all(&all, |at, id| ids.push((at, id)));
            assert_eq!(ids, expected.into_iter().enumerate().collect::<Vec<_>>());
            assert!(together.names().eq(single.names()));
        }
    }

    #[test]
    fn a_cleared_batch_is_empty() {
        let mut batch = batch(&["a".to_owned()]);
        batch.text_mut().push('b');
        assert_eq!((batch.take_open(), batch.open()), ("b".to_owned(), ""));
        batch.text_mut().push('c');
        batch.clear();
        batch.end();
        assert_eq!(batch.names().collect::<Vec<_>>(), [""]);
    }
}
