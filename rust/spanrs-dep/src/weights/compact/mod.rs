//! Weights of one byte in a table whose memory and file layout are the same.
//!
//! Made for trained models: a model of two million weights takes about four bytes per weight, where [`super::many`]
//! takes 24 bytes per feature and more, and every lookup touches one cache line of a table that is small enough for the
//! caches.
//!
//! - A weight is a level on a logarithmic scale ([`Levels`]). A cell is a class and a level: two bytes, or three for
//!   more than 256 classes.
//! - A feature is identified by its home bucket and a fingerprint of 16 bits. An absent feature is mistaken for one in
//!   the table with a probability of 1 in 65,536 per compared entry, about 1 in 8,000 per lookup. Two features of the
//!   model with the same fingerprint in buckets that are searched together cannot both be stored; the one with fewer
//!   cells, or else the less frequent one, is dropped (about one in 10,000).
//! - A bucket is a cache line with up to 12 entries ([`Bucket`]). A row of more than 16 bytes is stored in `long`, and
//!   a row with weights for many classes in `dense`, with 16 bits per class; the bucket then contains its place.
//! - An entry that does not fit into its home bucket is stored in one of the next 15 buckets, the first after the last.
//!   The home bucket contains the number of buckets to search, which is 0 for most.
//!
//! Sums are of 32-bit integers, and do not depend on the order of the features.

mod bucket;
mod build;
mod check;
mod levels;

use prefetch_index::prefetch_index;

use super::dense::DenseRows;
use super::many::{MAX_CLASSES, Scores};
use bucket::{Bucket, DENSE, Entry, INLINE, LONG, MAX_PAYLOAD};
pub(crate) use check::CompactParts;
use levels::Levels;

/// Number of hash multipliers to choose from.
const MULTIPLIERS: u32 = 8;
/// Number of classes up to which a class takes one byte.
const MAX_NARROW: usize = 256;
/// Number of bytes of the length of a long row.
const LEN_BYTES: usize = 2;

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct CompactTable {
    /// The buckets; at least one.
    buckets: Vec<Bucket>,
    /// The integers of levels.
    levels: Levels,
    /// Rows of more than 16 bytes: number of cells (u16) and cells.
    long: Vec<u8>,
    /// Rows with weights for many classes.
    dense: DenseRows,
    /// Number of the hash multiplier, below [`MULTIPLIERS`].
    hash: u32,
    /// The multiplier; odd.
    multiplier: u64,
    /// Number of classes.
    classes: usize,
    /// Number of features.
    len: usize,
}

/// Rows that were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Cells, one after the other, in the first `cell_bytes` bytes.
    cells: Vec<u8>,
    cell_bytes: usize,
    /// Offsets of long rows; `longs` of them count.
    long: Vec<u32>,
    longs: usize,
    /// Numbers of dense rows; `denses` of them count.
    dense: Vec<u32>,
    denses: usize,
}

/// [`CompactTable::find_all`] as a kernel for [`pulp`], compiled for several instruction sets.
struct FindAll<'a>(&'a CompactTable, &'a [u64], &'a mut Found);

impl pulp::NullaryFnOnce for FindAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.find_all(self.1, self.2);
    }
}

/// [`CompactTable::add_all`] as a kernel.
struct AddAll<'a>(&'a CompactTable, &'a Found, &'a mut Scores);

impl pulp::NullaryFnOnce for AddAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.add_all(self.1, self.2);
    }
}

/// Returns a hash multiplier by its number.
fn multiplier(hash: u32) -> u64 {
    let step = |factor: u64, _| factor.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1;
    (0..hash).fold(0xD6E8_FEB8_6659_FD93, step)
}

/// Returns the home bucket and the fingerprint of a feature. The home is the high half of the product of the mixed hash
/// and the number of buckets; the fingerprint consists of middle bits.
#[inline(always)]
fn home_and_fingerprint(feature: u64, multiplier: u64, buckets: usize) -> (usize, u16) {
    let mixed = (feature ^ (feature >> 32)).wrapping_mul(multiplier);
    let home = (u128::from(mixed) * buckets as u128) >> 64;
    (home as usize, (mixed >> 20) as u16)
}

/// Number of bytes of a cell.
fn cell_bytes(classes: usize) -> usize {
    if classes <= MAX_NARROW { 2 } else { 3 }
}

impl CompactTable {
    /// Number of features.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Requests the home buckets of features, without waiting for them.
    #[inline]
    pub(super) fn prefetch(&self, features: &[u64]) {
        for &feature in features {
            let (home, _) = home_and_fingerprint(feature, self.multiplier, self.buckets.len());
            prefetch_index(&self.buckets, home);
        }
    }

    /// Finds the rows of features, and requests rows that are not in the buckets, without waiting for them.
    #[inline]
    pub(super) fn find(&self, features: &[u64], found: &mut Found) {
        pulp::Arch::new().dispatch(FindAll(self, features, found));
    }

    /// Finds the rows of features. The cells of all inline rows are copied, so that they are added in one loop; whether
    /// a feature is found, and how many cells it has, is unpredictable, so that there are no branches for it.
    #[inline(always)]
    fn find_all(&self, features: &[u64], found: &mut Found) {
        let capacity = features.len() + 1;
        if found.long.len() < capacity {
            found.cells.resize(capacity * MAX_PAYLOAD, 0);
            found.long.resize(capacity, 0);
            found.dense.resize(capacity, 0);
        }
        let (cells, long, dense) = (&mut found.cells, &mut found.long, &mut found.dense);
        let (mut bytes, mut longs, mut denses) = (0, 0, 0);
        for &feature in features {
            let entry = self.entry(feature);
            cells[bytes..bytes + MAX_PAYLOAD].copy_from_slice(&entry.payload.to_le_bytes());
            bytes += if entry.kind == INLINE { entry.len } else { 0 };
            let place = entry.payload as u32;
            long[longs] = place;
            longs += usize::from(entry.kind == LONG);
            dense[denses] = place;
            denses += usize::from(entry.kind == DENSE);
        }
        (found.cell_bytes, found.longs, found.denses) = (bytes, longs, denses);
        for &place in &long[..longs] {
            prefetch_index(&self.long, place as usize);
        }
        for &row in &dense[..denses] {
            self.dense.prefetch(row);
        }
    }

    /// Returns the entry of a feature, or the empty entry.
    #[inline(always)]
    fn entry(&self, feature: u64) -> Entry {
        let buckets = &self.buckets[..];
        let (home, fingerprint) = home_and_fingerprint(feature, self.multiplier, buckets.len());
        let bucket = &buckets[home];
        let (entry, is_found) = bucket.find(fingerprint);
        if !is_found && bucket.probes() > 0 {
            return self.further_entry(home, fingerprint);
        }
        entry
    }

    /// Returns the entry of a feature that is not in its home bucket.
    #[inline(always)]
    fn further_entry(&self, home: usize, fingerprint: u16) -> Entry {
        let mut at = home;
        for _ in 0..self.buckets[home].probes() {
            at = if at + 1 == self.buckets.len() {
                0
            } else {
                at + 1
            };
            let (entry, is_found) = self.buckets[at].find(fingerprint);
            if is_found {
                return entry;
            }
        }
        Entry {
            kind: INLINE,
            len: 0,
            payload: 0,
        }
    }

    /// Adds rows to the scores, with the instruction set of the processor.
    #[inline]
    pub(super) fn add(&self, found: &Found, scores: &mut Scores) {
        pulp::Arch::new().dispatch(AddAll(self, found, scores));
    }

    /// Adds rows to the scores; the body of the kernel, inlined into each compiled version.
    #[inline(always)]
    fn add_all(&self, found: &Found, scores: &mut Scores) {
        let cells = &found.cells[..found.cell_bytes];
        let long = found.long[..found.longs].iter();
        let long = long.map(|&place| self.long_row(place));
        match self.classes <= MAX_NARROW {
            true => {
                self.add_narrow(cells, scores);
                long.for_each(|cells| self.add_narrow(cells, scores));
            }
            false => {
                self.add_wide(cells, scores);
                long.for_each(|cells| self.add_wide(cells, scores));
            }
        }
        self.dense.add(&found.dense[..found.denses], scores);
    }

    /// Adds cells of two bytes.
    #[inline(always)]
    fn add_narrow(&self, cells: &[u8], scores: &mut Scores) {
        for &[class, level] in cells.as_chunks::<2>().0 {
            scores[usize::from(class)] += self.levels.get(level);
        }
    }

    /// Adds cells of three bytes.
    #[inline(always)]
    fn add_wide(&self, cells: &[u8], scores: &mut Scores) {
        for &[low, high, level] in cells.as_chunks::<3>().0 {
            let class = usize::from(u16::from_le_bytes([low, high]));
            scores[class % MAX_CLASSES] += self.levels.get(level);
        }
    }

    /// Returns the cells of a long row.
    #[inline(always)]
    fn long_row(&self, place: u32) -> &[u8] {
        let row = &self.long[place as usize..];
        let len = usize::from(u16::from_le_bytes([row[0], row[1]]));
        &row[LEN_BYTES..][..len * cell_bytes(self.classes)]
    }

    /// Returns the weight of a feature for a class; 0 if there is none.
    pub(super) fn get(&self, feature: u64, class: u32) -> i32 {
        let (entry, payload) = (self.entry(feature), self.entry(feature).payload);
        let inline = payload.to_le_bytes();
        let cells = match entry.kind {
            LONG => self.long_row(payload as u32),
            DENSE => return self.dense.get(payload as u32, class),
            _ => &inline[..entry.len],
        };
        let mut scores = Box::new([0; MAX_CLASSES]);
        match self.classes <= MAX_NARROW {
            true => self.add_narrow(cells, &mut scores),
            false => self.add_wide(cells, &mut scores),
        }
        scores[class as usize]
    }
}
