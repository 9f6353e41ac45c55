//! A read-only hash table from features to slots of 16 bytes, four to a cache line.

use std::hint::select_unpredictable;

use prefetch_index::prefetch_index;

/// A feature: 30 bits of its hash with a kind from 1 to 3, and what is known of it. A tag of 0 is an empty slot.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Slot {
    tag: u32,
    pub(super) data: [u32; 3],
}

impl Slot {
    /// The kind; 0 for an empty slot.
    #[inline(always)]
    pub(super) fn kind(&self) -> u32 {
        self.tag & 3
    }
}

const SLOTS: usize = 4;

/// Slots of a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

/// Two features are mistaken for each other if 30 bits and the place of their hashes agree; that is excluded for features
/// of the table, and has a chance of about 10^-9 for others.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    buckets: Vec<Bucket>,
    /// Multiplier of the hashes.
    multiplier: u64,
}

impl Buckets {
    /// An empty table for so many features; at most two thirds of the slots are used.
    pub(super) fn new(features: usize, multiplier: u64) -> Self {
        Self {
            buckets: vec![Bucket::default(); features * 3 / (2 * SLOTS) + 2],
            multiplier,
        }
    }

    /// The bucket where a feature is looked for first, and its tag without the kind.
    #[inline(always)]
    fn place(&self, feature: u64) -> (usize, u32) {
        let mixed = (feature ^ (feature >> 32)).wrapping_mul(self.multiplier);
        let home = (u128::from(mixed) * self.buckets.len() as u128) >> 64;
        // The middle bits: the place depends on the high ones.
        (home as usize, (mixed >> 4) as u32 & !3)
    }

    #[inline(always)]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() {
            0
        } else {
            at + 1
        }
    }

    /// Puts a feature into a free slot; None if its tag collides with that of another feature.
    pub(super) fn insert(&mut self, feature: u64, kind: u32, data: [u32; 3]) -> Option<()> {
        let (mut at, tag) = self.place(feature);
        loop {
            let slots = &mut self.buckets[at].0;
            if slots
                .iter()
                .any(|slot| slot.kind() != 0 && slot.tag & !3 == tag)
            {
                return None;
            }
            if let Some(slot) = slots.iter_mut().find(|slot| slot.tag == 0) {
                *slot = Slot {
                    tag: tag | kind,
                    data,
                };
                return Some(());
            }
            at = self.next(at);
        }
    }

    /// Fetches the buckets of features into the cache, without waiting for them.
    #[inline(always)]
    pub(super) fn prefetch(&self, features: &[u64]) {
        for &feature in features {
            prefetch_index(&self.buckets, self.place(feature).0);
        }
    }

    /// The slot of a feature, or an empty one.
    #[inline(always)]
    pub(super) fn find(&self, feature: u64) -> &Slot {
        let (mut at, tag) = self.place(feature);
        loop {
            for slot in &self.buckets[at].0 {
                if slot.tag & !3 == tag || slot.tag == 0 {
                    return slot;
                }
            }
            at = self.next(at);
        }
    }

    /// Adds the data of a feature to a sum. All slots of a bucket are added, those of other features times zero: which of the
    /// four it is cannot be predicted.
    #[inline(always)]
    pub(super) fn add(&self, feature: u64, sum: &mut [i32; 3]) {
        let (mut at, tag) = self.place(feature);
        loop {
            let slots = &self.buckets[at].0;
            let mut found = false;
            for slot in slots {
                let is_own = slot.tag & !3 == tag;
                for (sum, data) in sum.iter_mut().zip(slot.data) {
                    *sum += select_unpredictable(is_own, data as i32, 0);
                }
                found |= is_own;
            }
            if found || slots[SLOTS - 1].tag == 0 {
                return;
            }
            at = self.next(at);
        }
    }
}
