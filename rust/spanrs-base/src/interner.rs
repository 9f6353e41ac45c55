//! Interning of strings and byte strings in one arena.
//!
//! The bytes of all names are stored one after the other in an arena, and the end of each name in a
//! second vector. An open-addressing table (`hashbrown`) maps the hash of a name to its id; the
//! table stores only the 4-byte id and compares names in the arena. Both lookups and insertions
//! take expected time proportional to the length of the name.

use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::jagged::Ends;

/// A kind of name that an [`Interner`] can hold: `str` or `[u8]`.
///
/// The trait abstracts over the arena, so that names of type `str` are returned without validating
/// UTF-8 again.
pub trait Internable: Hash + Eq {
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

    /// Returns the number of bytes.
    fn byte_len(&self) -> usize;
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

    fn byte_len(&self) -> usize {
        self.len()
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

    fn byte_len(&self) -> usize {
        self.len()
    }
}

/// Distinct strings or byte strings, numbered from 0 in the order of their first appearance.
///
/// Ids depend only on the order of the calls, never on a hash seed or on the machine. Names are
/// never removed. Memory use is the total length of the names plus 14 to 28 bytes per name.
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
    /// Ids, looked up by the hash of the name; the hashes themselves are not stored.
    index: HashTable<u32>,
}

impl<T: Internable + ?Sized> Default for Interner<T> {
    fn default() -> Self {
        Self {
            arena: T::Arena::default(),
            ends: Ends::default(),
            index: HashTable::new(),
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
        let own_hash = hash(name);
        if let Some(id) = self.find(name, own_hash) {
            return id;
        }
        let id = self.ends.len() as u32;
        name.push(&mut self.arena);
        self.ends.push(self.ends.total() + name.byte_len());
        let (arena, ends) = (&self.arena, &self.ends);
        self.index.insert_unique(own_hash, id, |&id| {
            hash(T::at(arena, ends.range(id as usize)))
        });
        id
    }

    /// Reserves capacity for at least `names` more names, so that adding these does not rehash
    /// earlier names.
    pub fn reserve(&mut self, names: usize) {
        let (arena, ends) = (&self.arena, &self.ends);
        self.index
            .reserve(names, |&id| hash(T::at(arena, ends.range(id as usize))));
    }

    /// Returns the id of `name`, or None if it was never interned.
    pub fn get(&self, name: &T) -> Option<u32> {
        self.find(name, hash(name))
    }

    /// Looks up a name whose hash is known.
    fn find(&self, name: &T, hash: u64) -> Option<u32> {
        let same = |&id: &u32| T::at(&self.arena, self.ends.range(id as usize)) == name;
        self.index.find(hash, same).copied()
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

    /// Iterates over all names in the order of their ids.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &T> {
        self.ends.ranges().map(|range| T::at(&self.arena, range))
    }
}

/// Hashes a name with a fixed seed. Hash values never influence ids, so the seed only matters for
/// collisions; the interner is not hardened against names chosen to collide.
fn hash<T: ?Sized + Hash>(name: &T) -> u64 {
    FixedState::with_seed(0).hash_one(name)
}
