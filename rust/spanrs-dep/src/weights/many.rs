//! Weights for any number of classes.
//!
//! Most features have weights for only a few classes, some (the bias, frequent tags) for nearly all classes. A row is
//! stored in one of three forms, given by the kind of its slot:
//!
//! | kind | rows | in the slot | elsewhere |
//! |---|---|---|---|
//! | `INLINE` | up to 3 entries | the entries | |
//! | `SPARSE` | others | start and length | entries of 4 bytes |
//! | `DENSE` | at least 12 entries and a quarter of the classes, all of 16 bits | number | [`DenseRows`] |
//!
//! An entry is a weight (20 bits, signed) and its class (12 bits) in one word: `weight * 4096 +
//! class`.
//!
//! Entries are added one by one, to scattered scores; dense rows are added as vectors with the widest instructions of
//! the processor.

use prefetch_index::prefetch_index;

use super::buckets::Buckets;
use super::dense::DenseRows;

/// Maximum number of classes: class numbers have 12 bits in entries.
pub(crate) const MAX_CLASSES: usize = 1 << 12;
/// Number of bits of the class in an entry: 12.
const CLASS_BITS: u32 = MAX_CLASSES.trailing_zeros();
/// Largest absolute weight of an entry, 2^19 - 1: weights are signed and have 20 bits.
pub(super) const LARGEST: i32 = (1 << (31 - CLASS_BITS)) - 1;
/// Minimum number of entries of a dense row; from this number on adding a vector is faster than adding entries one by
/// one.
const MIN_DENSE_ENTRIES: usize = 12;
/// Scores of the classes of a model; scores after the number of classes are unused. The fixed size avoids bounds checks
/// in the loops that add weights.
pub(crate) type Scores = [i32; MAX_CLASSES];

/// Kind of slots that contain up to three entries; unused entries are 0, which adds 0 to class 0.
const INLINE: u32 = 1;
/// Kind of slots with start and length of a row in `entries`.
const SPARSE: u32 = 2;
/// Kind of slots with the number of a row in `dense`.
const DENSE: u32 = 3;

/// The table. A slot contains up to three entries, or the location of a longer row: most features touch one cache line.
#[derive(Clone, Debug)]
pub(super) struct ManyClasses {
    /// The slots.
    buckets: Buckets,
    /// Entries of the sparse rows, which are too long for a slot, concatenated.
    entries: Vec<u32>,
    /// Dense rows.
    dense: DenseRows,
}

/// Returns the entry of a class (below 4096) and a weight of at most 20 bits.
#[inline(always)]
fn entry(class: u32, weight: i32) -> u32 {
    (weight << CLASS_BITS) as u32 | class
}

/// Adds the weight of an entry to the score of its class.
#[inline(always)]
fn add(scores: &mut Scores, entry: u32) {
    scores[entry as usize % MAX_CLASSES] += entry as i32 >> CLASS_BITS;
}

/// Rows of features that were found, by kind: each kind is added in a separate loop.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    /// Data of slots with entries.
    inline: Vec<[u32; 3]>,
    /// Start and length of sparse rows in `entries`.
    sparse: Vec<(u32, u32)>,
    /// Numbers of dense rows.
    dense: Vec<u32>,
}

/// [`ManyClasses::add_all`] as a kernel for [`pulp`], which compiles it for several instruction sets; a closure would
/// be compiled for the baseline instruction set.
struct AddAll<'a>(&'a ManyClasses, &'a Found, &'a mut Scores);

impl pulp::NullaryFnOnce for AddAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.add_all(self.1, self.2);
    }
}

impl ManyClasses {
    /// Builds the table of `len` rows of (class, weight) pairs; None if two features collide with this multiplier.
    pub(super) fn new<R: Iterator<Item = (u32, i32)>>(
        classes: usize,
        len: usize,
        rows: impl Iterator<Item = (u64, R)>,
        multiplier: u64,
    ) -> Option<Self> {
        let mut table = Self {
            buckets: Buckets::new(len, multiplier),
            entries: Vec::new(),
            dense: DenseRows::new(classes),
        };
        let mut own: Vec<(u32, i32)> = Vec::new();
        for (feature, row) in rows {
            own.clear();
            own.extend(row);
            let (kind, data) = table.store_row(&own, classes);
            table.buckets.insert(feature, kind, data)?;
        }
        Some(table)
    }

    /// Stores a row, and returns the kind and the data of its slot.
    fn store_row(&mut self, row: &[(u32, i32)], classes: usize) -> (u32, [u32; 3]) {
        if row.len() <= 3 {
            let mut data = [0; 3];
            for (data, &(class, weight)) in data.iter_mut().zip(row) {
                *data = entry(class, weight);
            }
            return (INLINE, data);
        }
        let is_long = row.len() >= MIN_DENSE_ENTRIES.max(classes / 4);
        if is_long && row.iter().all(|(_, weight)| i16::try_from(*weight).is_ok()) {
            return (DENSE, [self.dense.push(row), 0, 0]);
        }
        let start = self.entries.len() as u32;
        let entries = row.iter().map(|&(class, weight)| entry(class, weight));
        self.entries.extend(entries);
        (SPARSE, [start, row.len() as u32, 0])
    }

    /// Requests the buckets of features, without waiting for them.
    #[inline]
    pub(super) fn prefetch(&self, features: &[u64]) {
        self.buckets.prefetch(features);
    }

    /// Finds the rows of features and requests rows that are not in the slot, without waiting for them. For sparse rows
    /// the first cache line is requested; most rows are not longer. Features without a row are skipped.
    #[inline]
    pub(super) fn find(&self, features: &[u64], found: &mut Found) {
        found.inline.clear();
        found.sparse.clear();
        found.dense.clear();
        for &feature in features {
            let slot = self.buckets.find(feature);
            let [start, len, _] = slot.data;
            match slot.kind() {
                INLINE => found.inline.push(slot.data),
                SPARSE => {
                    found.sparse.push((start, len));
                    prefetch_index(&self.entries, start as usize);
                }
                DENSE => {
                    found.dense.push(start);
                    self.dense.prefetch(start);
                }
                _ => {}
            }
        }
    }

    /// Adds rows to the scores, with the instruction set of the processor.
    #[inline]
    pub(super) fn add(&self, found: &Found, scores: &mut Scores) {
        // This loop is vectorised for the processor's instruction set.
        pulp::Arch::new().dispatch(AddAll(self, found, scores));
    }

    /// Adds rows to the scores; the body of the kernel, inlined into each compiled version.
    #[inline(always)]
    fn add_all(&self, found: &Found, scores: &mut Scores) {
        for entries in &found.inline {
            entries.iter().for_each(|&entry| add(scores, entry));
        }
        for &(start, len) in &found.sparse {
            let row = &self.entries[start as usize..][..len as usize];
            row.iter().for_each(|&entry| add(scores, entry));
        }
        self.dense.add(&found.dense, scores);
    }

    /// Returns the weight of a feature for a class; 0 if there is none.
    pub(super) fn get(&self, feature: u64, class: u32) -> i32 {
        let slot = self.buckets.find(feature);
        let [start, len, _] = slot.data.map(|value| value as usize);
        let row = match slot.kind() {
            INLINE => &slot.data[..],
            SPARSE => &self.entries[start..start + len],
            DENSE => return self.dense.get(slot.data[0], class),
            _ => &[],
        };
        let own = row
            .iter()
            .filter(|&&entry| entry % MAX_CLASSES as u32 == class);
        own.map(|&entry| entry as i32 >> CLASS_BITS).sum()
    }
}
