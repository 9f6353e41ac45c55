//! A read-only hash table from features to slots of 16 bytes, four to a cache line.
//!
//! A feature is mixed by a multiplication. The high bits give its home bucket (a cache line of four
//! slots), 30 middle bits its tag; the tag decides whether a slot belongs to the feature, without
//! reading the whole hash or memory outside the bucket. A full bucket overflows into the next
//! bucket, and the last bucket into the first. Features are never removed, so slots of a bucket are
//! filled from the front, and a search ends at the first bucket that is not full.
//!
//! | bytes 0 to 3 | 4 to 7 | 8 to 11 | 12 to 15 |
//! |---|---|---|---|
//! | tag (30 bits), kind (2 bits) | data 0 | data 1 | data 2 |
//!
//! At most two thirds of the slots are used, so memory is 24 bytes per feature, and most features
//! are in their home bucket.

use std::hint::select_unpredictable;

use prefetch_index::prefetch_index;

/// A feature: 30 bits of its hash with a kind from 1 to 3, which determines the meaning of `data`,
/// and three words of data. An empty slot is all 0.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Slot {
    /// Tag of the feature in the upper 30 bits, kind in the lower two; 0 for an empty slot.
    tag: u32,
    /// Weights, entries, or the location of a longer row.
    pub(super) data: [u32; 3],
}

impl Slot {
    /// Returns the kind, from 1 to 3; 0 for an empty slot.
    #[inline(always)]
    pub(super) fn kind(&self) -> u32 {
        self.tag & 3
    }
}

/// Number of slots in a bucket.
const SLOTS: usize = 4;

/// The slots of a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

/// The table. Two features are mistaken for each other if 30 bits of their hashes and their home
/// buckets agree; this is excluded for features in the table, and has a probability of about 10^-9
/// per compared slot for other features.
#[derive(Clone, Debug)]
pub(super) struct Buckets {
    /// The buckets; at least two, and always with empty slots, so that every search ends.
    buckets: Vec<Bucket>,
    /// Multiplier of the hashes; odd.
    multiplier: u64,
}

impl Buckets {
    /// Returns an empty table for `features` features; at most two thirds of the slots will be
    /// used.
    pub(super) fn new(features: usize, multiplier: u64) -> Self {
        Self {
            buckets: vec![Bucket::default(); features * 3 / (2 * SLOTS) + 2],
            multiplier,
        }
    }

    /// Returns the home bucket of a feature, and its tag without the kind. The bucket is the high
    /// half of the product of the mixed hash and the number of buckets, which need not be a power
    /// of two.
    #[inline(always)]
    fn home_and_tag(&self, feature: u64) -> (usize, u32) {
        let mixed = (feature ^ (feature >> 32)).wrapping_mul(self.multiplier);
        let home = (u128::from(mixed) * self.buckets.len() as u128) >> 64;
        // The middle bits: the bucket depends on the high bits.
        (home as usize, (mixed >> 4) as u32 & !3)
    }

    /// Returns the next bucket, cyclically.
    #[inline(always)]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() {
            0
        } else {
            at + 1
        }
    }

    /// Puts a feature with a kind from 1 to 3 into the first free slot. Returns None if a feature
    /// with the same tag is found on the way; the table is then unusable.
    pub(super) fn insert(&mut self, feature: u64, kind: u32, data: [u32; 3]) -> Option<()> {
        let (mut at, tag) = self.home_and_tag(feature);
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

    /// Requests the home buckets of features, without waiting for them.
    #[inline(always)]
    pub(super) fn prefetch(&self, features: &[u64]) {
        for &feature in features {
            prefetch_index(&self.buckets, self.home_and_tag(feature).0);
        }
    }

    /// Returns the slot of a feature, or an empty slot.
    #[inline(always)]
    pub(super) fn find(&self, feature: u64) -> &Slot {
        let (mut at, tag) = self.home_and_tag(feature);
        loop {
            for slot in &self.buckets[at].0 {
                if slot.tag & !3 == tag || slot.tag == 0 {
                    return slot;
                }
            }
            at = self.next(at);
        }
    }

    /// Adds the data of a feature, as signed numbers, to a sum; nothing if it is absent. All slots
    /// of a bucket are added, with slots of other features multiplied by zero: which of the four
    /// slots matches is unpredictable, and a mispredicted branch costs more than the additions.
    #[inline(always)]
    pub(super) fn add(&self, feature: u64, sum: &mut [i32; 3]) {
        let (mut at, tag) = self.home_and_tag(feature);
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
