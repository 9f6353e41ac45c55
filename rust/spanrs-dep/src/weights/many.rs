//! Weights for any number of classes.
//!
//! Most features have weights for only a few classes, some (the bias, frequent tags) for nearly all classes. A row is
//! stored in one of three forms, given by the kind of its slot:
//!
//! | kind | rows | in the slot | elsewhere |
//! |---|---|---|---|
//! | `INLINE` | up to 3 entries | the entries | |
//! | `SPARSE` | others | start and length | entries of 4 bytes |
//! | `DENSE` | at least 12 entries and a quarter of the classes, all of 16 bits | start | 2 bytes per class, in cache lines |
//!
//! An entry is a weight (20 bits, signed) and its class (12 bits) in one word: `weight * 4096 +
//! class`.
//!
//! Entries are added one by one, to scattered scores; dense rows are added as vectors with the widest instructions of
//! the processor, four rows at a time, so that each score is read and written once for four rows.

use prefetch_index::prefetch_index;

use super::buckets::Buckets;

/// Maximum number of classes: class numbers have 12 bits in entries.
pub(crate) const MAX_CLASSES: usize = 1 << 12;
/// Number of bits of the class in an entry: 12.
const CLASS_BITS: u32 = MAX_CLASSES.trailing_zeros();
/// Largest absolute weight of an entry, 2^19 - 1: weights are signed and have 20 bits.
pub(super) const LARGEST: i32 = (1 << (31 - CLASS_BITS)) - 1;
/// Minimum number of entries of a dense row; from this number on adding a vector is faster than adding entries one by
/// one.
const MIN_DENSE_ENTRIES: usize = 12;
/// Number of weights in a cache line.
const LANES: usize = 32;

/// Scores of the classes of a model; scores after the number of classes are unused. The fixed size avoids bounds checks
/// in the loops that add weights.
pub(crate) type Scores = [i32; MAX_CLASSES];

/// A part of a dense row: the weights of 32 consecutive classes.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Line([i16; LANES]);

/// Kind of slots that contain up to three entries; unused entries are 0, which adds 0 to class 0.
const INLINE: u32 = 1;
/// Kind of slots with start and length of a row in `entries`.
const SPARSE: u32 = 2;
/// Kind of slots with the first line of a row in `dense`.
const DENSE: u32 = 3;

/// The table. A slot contains up to three entries, or the location of a longer row: most features touch one cache line.
#[derive(Clone, Debug)]
pub(super) struct ManyClasses {
    /// The slots.
    buckets: Buckets,
    /// Entries of the sparse rows, which are too long for a slot, concatenated.
    entries: Vec<u32>,
    /// Dense rows, `lines` lines each, in the order of the classes; classes without a weight, and the padding after the
    /// last class, have 0.
    dense: Vec<Line>,
    /// Number of lines of a dense row: the number of classes divided by 32, rounded up.
    lines: usize,
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
    /// First lines of dense rows.
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
            dense: Vec::new(),
            lines: classes.div_ceil(LANES),
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
            let start = self.dense.len();
            self.dense.resize(start + self.lines, Line::default());
            for &(class, weight) in row {
                let class = class as usize;
                self.dense[start + class / LANES].0[class % LANES] = weight as i16;
            }
            return (DENSE, [start as u32, 0, 0]);
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
                    for line in 0..self.lines {
                        prefetch_index(&self.dense, start as usize + line);
                    }
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
        self.add_dense(&found.dense, scores);
    }

    /// Adds dense rows, four at a time.
    #[inline(always)]
    fn add_dense(&self, starts: &[u32], scores: &mut Scores) {
        let row = |start: u32| &self.dense[start as usize..][..self.lines];
        let (scores, _) = scores.as_chunks_mut::<LANES>();
        let scores = &mut scores[..self.lines];
        let (fours, rest) = starts.as_chunks::<4>();
        for starts in fours {
            let [a, b, c, d] = starts.map(row);
            for (at, scores) in scores.iter_mut().enumerate() {
                let [a, b, c, d] = [&a[at].0, &b[at].0, &c[at].0, &d[at].0];
                for (at, score) in scores.iter_mut().enumerate() {
                    *score +=
                        i32::from(a[at]) + i32::from(b[at]) + i32::from(c[at]) + i32::from(d[at]);
                }
            }
        }
        for &start in rest {
            for (scores, line) in scores.iter_mut().zip(row(start)) {
                for (score, weight) in scores.iter_mut().zip(line.0) {
                    *score += i32::from(weight);
                }
            }
        }
    }

    /// Returns the weight of a feature for a class; 0 if there is none.
    pub(super) fn get(&self, feature: u64, class: u32) -> i32 {
        let slot = self.buckets.find(feature);
        let [start, len, _] = slot.data.map(|value| value as usize);
        let row = match slot.kind() {
            INLINE => &slot.data[..],
            SPARSE => &self.entries[start..start + len],
            DENSE => {
                return i32::from(
                    self.dense[start + class as usize / LANES].0[class as usize % LANES],
                );
            }
            _ => &[],
        };
        let own = row
            .iter()
            .filter(|&&entry| entry % MAX_CLASSES as u32 == class);
        own.map(|&entry| entry as i32 >> CLASS_BITS).sum()
    }
}
