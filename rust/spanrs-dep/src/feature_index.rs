//! Hash table from features (64-bit hashes) to row numbers, for models in training and for
//! lexicons.
//!
//! Features are already hashes, so the table stores them as keys. Polynomial hashes of short
//! strings are small numbers, so the bits are mixed once more to choose a slot. Prediction uses the
//! more compact read-only tables of `weights` instead.

/// An open-addressing table with linear probing from features to numbers below 2^32 - 1.
///
/// The number of slots doubles when more than three quarters would be used. A slot takes 12 bytes, so a feature takes
/// 16 bytes in a table of known size ([`FeatureIndex::of`]), and up to 32 bytes in one that grows. The hashes 0 and 1
/// are treated as the same feature, because a key of 0 marks empty slots. Numbers are never removed or changed.
#[derive(Clone, Debug)]
pub(crate) struct FeatureIndex {
    /// A `feature` of 0 marks an empty slot. At least a quarter of the slots is empty, so that every probe sequence
    /// ends.
    slots: Vec<Slot>,
    /// Number of slots in use.
    len: usize,
}

/// A key and its value, 12 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    /// The low and the high half of the key, see [`key`]; 0 if the slot is empty. An integer of 64 bits would make the
    /// slot 16 bytes long.
    feature: [u32; 2],
    /// The number of the feature.
    number: u32,
}

impl Slot {
    /// Returns the key, or 0.
    #[inline(always)]
    fn feature(self) -> u64 {
        u64::from(self.feature[0]) | u64::from(self.feature[1]) << 32
    }
}

/// Number that [`FeatureIndex::find_all`] returns for absent features.
const NONE: u32 = u32::MAX;
/// Longest probe sequence of a table from a file. At three quarters of the slots used, sequences of tables of a million
/// features have fewer than 200 slots.
const MAX_PROBES: usize = 1024;
/// Number of slots in an empty table that grows.
const MIN_SLOTS: usize = 1 << 8;

impl Default for FeatureIndex {
    fn default() -> Self {
        Self {
            slots: vec![Slot::default(); MIN_SLOTS],
            len: 0,
        }
    }
}

/// Returns the key of a feature: its hash, or 1 for 0, which marks empty slots.
#[inline(always)]
fn key(feature: u64) -> u64 {
    feature.max(1)
}

/// Returns the slot at which the search for a key starts: the high half of the product of a multiplicative hash and the
/// number of slots.
#[inline(always)]
fn home(key: u64, slots: usize) -> usize {
    let mixed = (key ^ (key >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    ((u128::from(mixed) * slots as u128) >> 64) as usize
}

impl FeatureIndex {
    /// Returns a table of features and their numbers, for an iterator of known length; a feature that occurs twice has
    /// its first number.
    pub(crate) fn of(entries: impl Iterator<Item = (u64, u32)>) -> Self {
        let mut index = Self {
            slots: vec![Slot::default(); entries.size_hint().0 * 4 / 3 + 2],
            len: 0,
        };
        for (feature, number) in entries {
            index.insert(feature, number);
        }
        index
    }

    /// Returns a table as [`FeatureIndex::of`] does, of features from a file; None if so many features have the same
    /// place that lookups would be slow, which does not happen by chance.
    pub(crate) fn checked(entries: impl Iterator<Item = (u64, u32)>) -> Option<Self> {
        let mut index = Self::of(std::iter::empty());
        index.slots = vec![Slot::default(); entries.size_hint().0 * 4 / 3 + 2];
        for (feature, number) in entries {
            let start = home(key(feature), index.slots.len());
            let slots = index.slots[start..].iter().chain(&index.slots[..start]);
            let probes = slots
                .take_while(|slot| !matches!(slot.feature(), 0) && slot.feature() != key(feature));
            if probes.take(MAX_PROBES).count() == MAX_PROBES {
                return None;
            }
            index.insert(feature, number);
        }
        Some(index)
    }

    /// Returns the slot after a slot.
    #[inline(always)]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() {
            0
        } else {
            at + 1
        }
    }

    /// Appends the number of each feature to `found`, or [`NONE`] if a feature is absent.
    ///
    /// The first slots of 32 features are loaded together: these loads do not depend on each other,
    /// so the processor overlaps their cache misses.
    pub(crate) fn find_all(&self, features: &[u64], found: &mut Vec<u32>) {
        // The loads of a batch do not depend on each other, so that cache misses overlap.
        const BATCH: usize = 32;
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
                while slot.feature() != key && slot.feature() != 0 {
                    at = self.next(at);
                    slot = self.slots[at];
                }
                found.push(if slot.feature() == 0 {
                    NONE
                } else {
                    slot.number
                });
            }
        }
    }

    /// Returns the number of a feature.
    pub(crate) fn find(&self, feature: u64) -> Option<u32> {
        let slot = self.slots[self.slot(key(feature))];
        (slot.feature() != 0).then_some(slot.number)
    }

    /// Assigns `number` to a feature if it is new, and returns the feature's number. Amortised
    /// O(1).
    pub(crate) fn insert(&mut self, feature: u64, number: u32) -> u32 {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let slot = self.slot(key(feature));
        let slot = &mut self.slots[slot];
        if slot.feature() != 0 {
            return slot.number;
        }
        let key = key(feature);
        *slot = Slot {
            feature: [key as u32, (key >> 32) as u32],
            number,
        };
        self.len += 1;
        number
    }

    /// Returns the slot of a key, or the empty slot in which it would be stored.
    fn slot(&self, key: u64) -> usize {
        let mut at = home(key, self.slots.len());
        while self.slots[at].feature() != key && self.slots[at].feature() != 0 {
            at = self.next(at);
        }
        at
    }

    /// Doubles the number of slots.
    fn grow(&mut self) {
        let more = vec![Slot::default(); self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, more);
        for slot in old.into_iter().filter(|slot| slot.feature() != 0) {
            let at = self.slot(slot.feature());
            self.slots[at] = slot;
        }
    }

    /// Calls `take` with each feature and its number, in the order of the slots. Callers must not
    /// depend on this order. Feature 0 is passed as 1.
    pub(crate) fn each(&self, mut take: impl FnMut(u64, u32)) {
        let known = self.slots.iter().filter(|slot| slot.feature() != 0);
        known.for_each(|slot| take(slot.feature(), slot.number));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_from_files_have_no_long_probe_sequences() {
        // Keys whose mixed hashes have the same high bits.
        let inverse = {
            let factor = 0xD6E8_FEB8_6659_FD93_u64;
            (0..6).fold(factor, |inverse, _| {
                inverse.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(inverse)))
            })
        };
        let hostile = (1..5000_u64).map(|low| {
            let mixed = low.wrapping_mul(inverse);
            (mixed ^ (mixed >> 32), 0)
        });
        assert!(FeatureIndex::checked(hostile.clone().take(900)).is_some());
        assert!(FeatureIndex::checked(hostile).is_none());
        let mut rng = spanrs_base::Rng::new(1);
        let ordinary: Vec<(u64, u32)> = (0..200_000).map(|at| (rng.draw(), at)).collect();
        let index = FeatureIndex::checked(ordinary.iter().copied()).unwrap();
        for (feature, number) in ordinary {
            assert_eq!(index.find(feature), Some(number));
        }
        assert_eq!(index.find(7), None);
    }
}
