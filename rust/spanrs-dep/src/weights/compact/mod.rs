//! Weights of one byte in a table whose memory and file layout are the same.
//!
//! Made for trained models: a model of two million weights takes about four bytes per weight, where [`super::many`]
//! takes 24 bytes per feature and more, and the table is small enough for the caches.
//!
//! - A weight is a level on a logarithmic scale ([`Levels`]). A cell is a class and a level: two bytes, or three for
//!   more than 256 classes.
//! - A feature is identified by its bucket and a fingerprint of 16 bits. An absent feature is mistaken for one in the
//!   table with a probability of 1 in 65,536 per entry of the bucket, about 1 in 13,000. Two features of the model with
//!   the same fingerprint in a bucket cannot both be stored; the one with fewer weights, or else the less frequent one,
//!   is dropped. So are the last entries of buckets that have more than 16 entries or 255 bytes of payloads, together
//!   about one feature in 20,000.
//! - Buckets of 5 entries on average ([`bucket`]) are stored one after the other, without unused bytes; the list of
//!   their starts is not in the file. A bucket touches one or two cache lines.
//! - A row of more than 16 bytes is stored in `long`, and a row with weights for many classes in `dense`, with 16 bits
//!   per class; the bucket then contains its place.
//!
//! Sums are of 32-bit integers, and do not depend on the order of the features.

mod bucket;
mod build;
mod check;
mod levels;
#[cfg(test)]
mod tests;

use prefetch_index::prefetch_index;

use super::dense::DenseRows;
use super::many::{MAX_CLASSES, Scores};
use bucket::{Compare, DENSE, Entry, LONG, MAX_PAYLOAD, Portable};
pub(crate) use check::CompactParts;
use levels::Levels;

/// Number of hash multipliers to choose from.
const MULTIPLIERS: u32 = 8;
/// Number of classes up to which a class takes one byte.
const MAX_NARROW: usize = 256;
/// Number of bytes after the start of a bucket at which a second cache line is requested: most buckets are not longer.
const SECOND_LINE: usize = 40;
/// Number of bytes of the length of a long row.
const LEN_BYTES: usize = 2;

/// The table.
#[derive(Clone, Debug)]
pub(crate) struct CompactTable {
    /// The buckets, and [`bucket::PADDING`] zeros.
    buckets: Vec<u8>,
    /// Start of each bucket; at least one.
    starts: Vec<u32>,
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

/// Features that are looked up, and rows that were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Start of the bucket and fingerprint of each feature.
    places: Vec<(u32, u16)>,
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
struct FindAll<'a, C>(&'a CompactTable, &'a mut Found, C);

impl<C: Compare> pulp::NullaryFnOnce for FindAll<'_, C> {
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

/// Returns the bucket and the fingerprint of a feature. The bucket is the high half of the product of the mixed hash
/// and the number of buckets; the fingerprint consists of middle bits.
#[inline(always)]
fn bucket_and_fingerprint(feature: u64, multiplier: u64, buckets: usize) -> (usize, u16) {
    let mixed = (feature ^ (feature >> 32)).wrapping_mul(multiplier);
    let bucket = (u128::from(mixed) * buckets as u128) >> 64;
    (bucket as usize, (mixed >> 20) as u16)
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

    /// Requests the buckets of features, without waiting for them. The starts of buckets are small enough for the
    /// second level of caches.
    #[inline]
    pub(super) fn prefetch(&self, features: &[u64], found: &mut Found) {
        found.places.clear();
        for &feature in features {
            let place = self.start_and_fingerprint(feature);
            let start = place.0 as usize;
            prefetch_index(&self.buckets, start);
            prefetch_index(&self.buckets, start + SECOND_LINE);
            found.places.push(place);
        }
    }

    /// Returns the start of the bucket of a feature, and its fingerprint.
    #[inline(always)]
    fn start_and_fingerprint(&self, feature: u64) -> (u32, u16) {
        let (bucket, fingerprint) =
            bucket_and_fingerprint(feature, self.multiplier, self.starts.len());
        (self.starts[bucket], fingerprint)
    }

    /// Finds the rows of the features that were requested last, and requests rows that are not in the buckets, without
    /// waiting for them.
    #[inline]
    pub(super) fn find(&self, found: &mut Found) {
        #[cfg(target_arch = "x86_64")]
        if let Some(processor) = pulp::x86::V3::try_new() {
            processor.vectorize(FindAll(self, found, processor));
            return;
        }
        pulp::Arch::new().dispatch(FindAll(self, found, Portable));
    }

    /// Finds the rows of features. The cells of all inline rows are copied, so that they are added in one loop; whether
    /// a feature is found, and how many cells it has, is unpredictable, so that there are no branches for it.
    #[inline(always)]
    fn find_all(&self, found: &mut Found, compare: impl Compare) {
        let capacity = found.places.len() + 1;
        if found.long.len() < capacity {
            found.cells.resize(capacity * MAX_PAYLOAD, 0);
            found.long.resize(capacity, 0);
            found.dense.resize(capacity, 0);
        }
        let (cells, long, dense) = (&mut found.cells, &mut found.long, &mut found.dense);
        let (mut bytes, mut longs, mut denses) = (0, 0, 0);
        for &(start, fingerprint) in &found.places {
            let entry = bucket::find(compare, &self.buckets, start as usize, fingerprint);
            let kind = entry.kind();
            cells[bytes..bytes + MAX_PAYLOAD].copy_from_slice(&entry.payload.to_le_bytes());
            bytes += if kind.is_none() { entry.len } else { 0 };
            long[longs] = entry.place();
            longs += usize::from(kind == Some(LONG));
            dense[denses] = entry.place();
            denses += usize::from(kind == Some(DENSE));
        }
        (found.cell_bytes, found.longs, found.denses) = (bytes, longs, denses);
        for &place in &long[..longs] {
            prefetch_index(&self.long, place as usize);
        }
        for &row in &dense[..denses] {
            self.dense.prefetch(row);
        }
    }

    /// Returns the entry of a feature.
    #[inline(always)]
    fn entry(&self, feature: u64) -> Entry {
        let (start, fingerprint) = self.start_and_fingerprint(feature);
        bucket::find(Portable, &self.buckets, start as usize, fingerprint)
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
        let entry = self.entry(feature);
        let payload = entry.payload.to_le_bytes();
        let cells = match entry.kind() {
            Some(LONG) => self.long_row(entry.place()),
            Some(_) => return self.dense.get(entry.place(), class),
            None => &payload[..entry.len],
        };
        let mut scores = Box::new([0; MAX_CLASSES]);
        match self.classes <= MAX_NARROW {
            true => self.add_narrow(cells, &mut scores),
            false => self.add_wide(cells, &mut scores),
        }
        scores[class as usize]
    }
}
