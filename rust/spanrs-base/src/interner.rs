use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Distinct strings or byte strings, numbered from 0 in the order of their first appearance.
///
/// Numbers depend only on the order of the calls, never on a hash seed.
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
pub struct Interner<T: ?Sized> {
    names: Vec<Box<T>>,
    index: HashTable<u32>,
}

impl<T: ?Sized> Default for Interner<T> {
    fn default() -> Self {
        Self {
            names: Vec::new(),
            index: HashTable::new(),
        }
    }
}

impl<T: ?Sized> Clone for Interner<T>
where
    Box<T>: Clone,
{
    fn clone(&self) -> Self {
        Self {
            names: self.names.clone(),
            index: self.index.clone(),
        }
    }
}

impl<T: ?Sized + Hash + Eq> Interner<T> {
    /// The number of `name`, which is added if it is new. At most `u32::MAX` names fit.
    pub fn intern(&mut self, name: &T) -> u32
    where
        for<'a> Box<T>: From<&'a T>,
    {
        if let Some(id) = self.get(name) {
            return id;
        }
        let id = self.names.len() as u32;
        self.names.push(name.into());
        let names = &self.names;
        self.index
            .insert_unique(hash(name), id, |&id| hash(&*names[id as usize]));
        id
    }

    /// The number of `name`, if it is known.
    pub fn get(&self, name: &T) -> Option<u32> {
        self.index
            .find(hash(name), |&id| *self.names[id as usize] == *name)
            .copied()
    }

    /// The name with this number; None for a number that was never given out.
    pub fn name(&self, id: u32) -> Option<&T> {
        self.names.get(id as usize).map(|name| &**name)
    }

    /// Number of names.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// True where nothing was added yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All names in the order of their numbers.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &T> {
        self.names.iter().map(|name| &**name)
    }
}

fn hash<T: ?Sized + Hash>(name: &T) -> u64 {
    FixedState::with_seed(0).hash_one(name)
}
