//! A hash table from the hashes of names to ids and to the places of the names in an arena.
//!
//! The table contains no names: a caller compares the name at the place of each slot that is found.
//! A search therefore usually reads one cache line of the table and one of the arena, and the table
//! grows without reading the names.

/// Id of a free slot. Ids are below it.
const FREE: u32 = u32::MAX;
/// Number of bits for the length in a [`Place`].
const LENGTH_BITS: u32 = 24;
/// Length of all names that are too long for a [`Place`].
const LONG: u64 = (1 << LENGTH_BITS) - 1;

/// Start and length of a name in an arena of less than 2^40 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u64);

impl Place {
    /// Creates the place of `len` bytes from `start`.
    pub(crate) fn new(start: usize, len: usize) -> Self {
        Self((start as u64) << LENGTH_BITS | (len as u64).min(LONG))
    }

    /// Returns the start.
    #[inline(always)]
    pub(crate) fn start(self) -> usize {
        (self.0 >> LENGTH_BITS) as usize
    }

    /// Returns the length; None for a name of 16 MiB or more.
    #[inline(always)]
    pub(crate) fn len(self) -> Option<usize> {
        let len = self.0 & LONG;
        (len < LONG).then_some(len as usize)
    }
}

/// A part of the hash of a name, its id and its place; id [`FREE`] if the slot is free.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The upper half of the hash, whose upper bits determine the home slot.
    hash: u32,
    pub(crate) id: u32,
    pub(crate) place: Place,
}

impl Slot {
    /// A free slot.
    pub(crate) const FREE: Self = Self {
        hash: 0,
        id: FREE,
        place: Place(0),
    };

    /// Returns whether the slot is in use and has this hash.
    #[inline(always)]
    pub(crate) fn has_hash(&self, hash: u64) -> bool {
        self.hash == upper_half(hash) && self.id != FREE
    }
}

/// Slots by hash, in an open-addressing table with linear probing. At most two thirds of the slots
/// are in use, so a search always ends at a free slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdTable {
    /// Empty until the first insertion.
    slots: Vec<Slot>,
    /// Number of slots in use.
    len: usize,
}

impl IdTable {
    /// Returns the slot at which the search for a hash begins. For a known name, this is nearly
    /// always the slot of the name.
    ///
    /// Loading the home slots of many names before any is compared lets the processor overlap the
    /// cache misses.
    #[inline(always)]
    pub(crate) fn home_slot(&self, hash: u64) -> Slot {
        let slot = self.slots.get(self.home(upper_half(hash)));
        slot.copied().unwrap_or(Slot::FREE)
    }

    /// Returns the id of the first slot with this hash for which `is_same` is true.
    #[inline]
    pub(crate) fn find(&self, hash: u64, is_same: impl Fn(&Slot) -> bool) -> Option<u32> {
        let mut at = self.home(upper_half(hash));
        // An empty table has no slots.
        while let Some(slot) = self.slots.get(at) {
            if slot.id == FREE {
                return None;
            }
            if slot.has_hash(hash) && is_same(slot) {
                return Some(slot.id);
            }
            at = self.after(at);
        }
        None
    }

    /// Adds an id, which must be below [`FREE`] and not in the table yet.
    pub(crate) fn insert(&mut self, hash: u64, id: u32, place: Place) {
        self.reserve(1);
        self.len += 1;
        let hash = upper_half(hash);
        self.put(Slot { hash, id, place });
    }

    /// Makes room for `ids` more ids.
    pub(crate) fn reserve(&mut self, ids: usize) {
        let needed = self.len.saturating_add(ids).saturating_mul(3) / 2 + 1;
        if needed <= self.slots.len() {
            return;
        }
        let size = needed.max(2 * self.slots.len());
        let slots = std::mem::replace(&mut self.slots, vec![Slot::FREE; size]);
        for slot in slots.into_iter().filter(|slot| slot.id != FREE) {
            self.put(slot);
        }
    }

    /// Writes a slot to the first free one from its home.
    fn put(&mut self, slot: Slot) {
        let mut at = self.home(slot.hash);
        while self.slots[at].id != FREE {
            at = self.after(at);
        }
        self.slots[at] = slot;
    }

    /// The index at which the search for a hash begins.
    #[inline(always)]
    fn home(&self, hash: u32) -> usize {
        ((u64::from(hash) * self.slots.len() as u64) >> 32) as usize
    }

    /// The index of the next slot.
    #[inline(always)]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() {
            0
        } else {
            at + 1
        }
    }
}

#[inline(always)]
fn upper_half(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_with_equal_hashes_are_told_apart() {
        let mut table = IdTable::default();
        assert_eq!(table.find(7, |_| true), None);
        assert!(!table.home_slot(7).has_hash(7));
        // The largest hash wraps around to the first slot.
        let hash = |id: u32| [0, 1 << 40, u64::MAX][id as usize % 3];
        for id in 0..1000 {
            table.insert(hash(id), id, Place::new(id as usize, 1));
        }
        for id in 0..1000 {
            assert_eq!(table.find(hash(id), |slot| slot.id == id), Some(id));
            assert_eq!(table.find(hash(id) ^ 1 << 33, |slot| slot.id == id), None);
        }
        assert!(table.len * 3 <= table.slots.len() * 2);
    }

    #[test]
    fn room_that_was_made_is_used() {
        let mut table = IdTable::default();
        table.reserve(100);
        let slots = table.slots.len();
        for id in 0..100 {
            table.insert(u64::from(id) << 57, id, Place::new(9, 0));
        }
        assert_eq!(table.slots.len(), slots);
        let slot = table.home_slot(5 << 57);
        assert_eq!((slot.id, slot.place), (5, Place::new(9, 0)));
    }

    #[test]
    fn long_names_have_places_without_a_length() {
        let limit = LONG as usize;
        for (start, len) in [
            (0, 0),
            (3, limit - 1),
            ((1 << 40) - 1, limit),
            (7, usize::MAX),
        ] {
            let place = Place::new(start, len);
            let expected = Some(len).filter(|len| *len < limit);
            assert_eq!((place.start(), place.len()), (start, expected));
        }
    }
}
