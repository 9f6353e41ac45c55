//! From the hash of a feature to its number.

/// An open-addressing table from hashes to numbers, with linear probing. Memory is 16 bytes per slot, at most twice the
/// features and at least 1.3 times.
#[derive(Clone, Debug)]
pub(crate) struct FeatureIndex {
    /// A power of two; a feature of 0 is an empty slot.
    slots: Vec<Slot>,
    len: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    feature: u64,
    number: u32,
}

/// What absent features are numbered.
const NONE: u32 = u32::MAX;
const SMALLEST: usize = 1 << 8;

impl Default for FeatureIndex {
    fn default() -> Self {
        Self {
            slots: vec![Slot::default(); SMALLEST],
            len: 0,
        }
    }
}

/// A hash that is not 0, which marks empty slots.
#[inline(always)]
fn key(feature: u64) -> u64 {
    feature.max(1)
}

#[inline(always)]
fn home(key: u64, slots: usize) -> usize {
    let mixed = (key ^ (key >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed >> (64 - slots.trailing_zeros())) as usize
}

impl FeatureIndex {
    /// Appends the number of each feature.
    pub(crate) fn find_all(&self, features: &[u64], found: &mut Vec<u32>) {
        // The loads of a batch do not depend on each other, so that cache misses overlap.
        const BATCH: usize = 32;
        let mask = self.slots.len() - 1;
        let mut first = [(Slot::default(), 0); BATCH];
        for batch in features.chunks(BATCH) {
            for (feature, first) in batch.iter().zip(&mut first) {
                let at = home(key(*feature), self.slots.len());
                *first = (self.slots[at], at);
            }
            for (feature, &(slot, at)) in batch.iter().zip(&first) {
                let key = key(*feature);
                let mut slot = slot;
                let mut at = at;
                while slot.feature != key && slot.feature != 0 {
                    at = (at + 1) & mask;
                    slot = self.slots[at];
                }
                found.push(if slot.feature == 0 { NONE } else { slot.number });
            }
        }
    }

    /// The number of a feature.
    pub(crate) fn find(&self, feature: u64) -> Option<u32> {
        let slot = self.slots[self.slot(key(feature))];
        (slot.feature != 0).then_some(slot.number)
    }

    /// The number of a feature, which gets `number` if it is new.
    pub(crate) fn insert(&mut self, feature: u64, number: u32) -> u32 {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot(key(feature));
        let slot = &mut self.slots[slot];
        if slot.feature != 0 {
            return slot.number;
        }
        *slot = Slot {
            feature: key(feature),
            number,
        };
        self.len += 1;
        number
    }

    /// The slot of a key, or the empty one where it would be.
    fn slot(&self, key: u64) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = home(key, self.slots.len());
        while self.slots[at].feature != key && self.slots[at].feature != 0 {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        let more = vec![Slot::default(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, more);
        for slot in old.into_iter().filter(|slot| slot.feature != 0) {
            let at = self.slot(slot.feature);
            self.slots[at] = slot;
        }
    }

    /// Calls `take` with each feature and its number, in no particular order.
    pub(crate) fn each(&self, mut take: impl FnMut(u64, u32)) {
        let known = self.slots.iter().filter(|slot| slot.feature != 0);
        known.for_each(|slot| take(slot.feature, slot.number));
    }
}
