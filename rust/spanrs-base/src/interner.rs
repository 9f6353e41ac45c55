use std::fmt;
use std::hash::{BuildHasher, Hash};
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// What an [`Interner`] can hold: strings and byte strings.
pub trait Internable: Hash + Eq {
    /// Storage for the concatenated names.
    type Arena: Clone + fmt::Debug + Default;

    /// Appends a name.
    fn push(&self, arena: &mut Self::Arena);

    /// The name at a byte range of the arena.
    fn at(arena: &Self::Arena, place: Range<usize>) -> &Self;

    /// Number of bytes.
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
/// Numbers depend only on the order of the calls, never on a hash seed. Memory is the bytes of the names and 14 to
/// 28 bytes per name.
///
/// ```
/// let mut types = spanrs_base::Interner::<str>::default();
/// assert_eq!(types.intern("PER"), 0);
/// assert_eq!(types.intern("LOC"), 1);
/// assert_eq!(types.intern("PER"), 0);
/// assert_eq!(types.get("LOC"), Some(1));
/// assert_eq!(types.name(1), Some("LOC"));
/// ```
#[derive(Debug)]
pub struct Interner<T: Internable + ?Sized> {
    arena: T::Arena,
    /// End of each name in the arena.
    ends: Vec<usize>,
    index: HashTable<u32>,
}

impl<T: Internable + ?Sized> Default for Interner<T> {
    fn default() -> Self {
        Self {
            arena: T::Arena::default(),
            ends: Vec::new(),
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
    /// The number of `name`, which is added if it is new. At most `u32::MAX` names fit.
    pub fn intern(&mut self, name: &T) -> u32 {
        let own_hash = hash(name);
        if let Some(id) = self.find(name, own_hash) {
            return id;
        }
        let id = self.ends.len() as u32;
        name.push(&mut self.arena);
        let start = self.ends.last().copied().unwrap_or_default();
        self.ends.push(start + name.byte_len());
        let (arena, ends) = (&self.arena, &self.ends);
        self.index
            .insert_unique(own_hash, id, |&id| hash(T::at(arena, place(ends, id))));
        id
    }

    /// The number of `name`, if it is known.
    pub fn get(&self, name: &T) -> Option<u32> {
        self.find(name, hash(name))
    }

    fn find(&self, name: &T, hash: u64) -> Option<u32> {
        let same = |&id: &u32| T::at(&self.arena, place(&self.ends, id)) == name;
        self.index.find(hash, same).copied()
    }

    /// The name with this number; None for a number that was never given out.
    pub fn name(&self, id: u32) -> Option<&T> {
        let known = (id as usize) < self.ends.len();
        known.then(|| T::at(&self.arena, place(&self.ends, id)))
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True where nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All names in the order of their numbers.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &T> {
        (0..self.ends.len()).map(|at| T::at(&self.arena, place(&self.ends, at as u32)))
    }
}

/// The place of a name's bytes.
fn place(ends: &[usize], id: u32) -> Range<usize> {
    let id = id as usize;
    let start = if id == 0 { 0 } else { ends[id - 1] };
    start..ends[id]
}

fn hash<T: ?Sized + Hash>(name: &T) -> u64 {
    FixedState::with_seed(0).hash_one(name)
}
