//! Frozen weights for prediction: a read-only hash table.

use crate::averages::Averages;

/// Maximum number of classes: class numbers have 12 bits.
pub(crate) const MAX_CLASSES: usize = 1 << CLASS_BITS;
const CLASS_BITS: u32 = 12;
/// Largest absolute weight of an entry: weights are signed and have 20 bits.
const LARGEST: i32 = (1 << (31 - CLASS_BITS)) - 1;
/// Minimum number of entries of a dense row; from here on adding a vector is faster than adding entries one by one.
const MANY: usize = 12;
/// Maximum number of hash multipliers to try.
const RETRIES: usize = 16;
/// Dense rows are padded to a multiple of this.
const LANES: usize = 32;
/// Number of features whose buckets are prefetched together.
const BATCH: usize = 256;

/// Scores of the classes of a model; those above its number of classes are unused.
pub(crate) type Scores = [i32; MAX_CLASSES];

/// Kinds of slots.
const EMPTY: u32 = 0;
const INLINE: u32 = 1;
const SPARSE: u32 = 2;
const DENSE: u32 = 3;

/// A feature: 30 bits of its hash with the kind of its row, and up to three entries or the place of its row.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
struct Slot {
    tag: u32,
    data: [u32; 3],
}

/// Slots of a cache line.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Bucket([Slot; SLOTS]);

const SLOTS: usize = 4;

/// The weights of a model as integers, in a hash table with one slot of 16 bytes per feature.
///
/// An entry is a weight (20 bits) and its class (12 bits). Rows of at most three entries, the majority, are stored in the slot,
/// so that a lookup touches one cache line. Two features are mistaken for each other if 30 bits and the place of their
/// hashes agree; that is excluded for features of the model, and has a chance of about 10^-9 for others.
#[derive(Clone, Debug)]
pub struct Weights {
    buckets: Vec<Bucket>,
    /// Multiplier of the hashes.
    multiplier: u64,
    /// Entries of rows that are too long for a slot.
    entries: Vec<u32>,
    /// Rows of many entries, in the order of the classes and padded to `stride`.
    dense: Vec<i16>,
    stride: usize,
    classes: usize,
    /// Factor from weights to integers.
    scale: f64,
    /// The unquantised weights, for model files.
    averages: Averages,
}

#[inline(always)]
fn entry(class: u32, weight: i32) -> u32 {
    (weight << CLASS_BITS) as u32 | class
}

/// The bucket where a hash is looked for first.
#[inline(always)]
fn home(buckets: &[Bucket], mixed: u64) -> usize {
    ((u128::from(mixed) * buckets.len() as u128) >> 64) as usize
}

#[inline(always)]
fn next(buckets: &[Bucket], at: usize) -> usize {
    if at + 1 == buckets.len() { 0 } else { at + 1 }
}

/// Bucket and index of the free slot for a hash; None where another feature has its tag.
fn place(buckets: &[Bucket], mixed: u64, tag: u32) -> Option<(usize, usize)> {
    let mut at = home(buckets, mixed);
    loop {
        let slots = &buckets[at].0;
        if slots
            .iter()
            .any(|slot| slot.tag != EMPTY && slot.tag & !3 == tag)
        {
            return None;
        }
        if let Some(slot) = slots.iter().position(|slot| slot.tag == EMPTY) {
            return Some((at, slot));
        }
        at = next(buckets, at);
    }
}

#[inline(always)]
fn add(scores: &mut Scores, entry: u32) {
    scores[entry as usize % MAX_CLASSES] += entry as i32 >> CLASS_BITS;
}

/// [`Weights::add`] as a kernel: closures are compiled for the least instruction set.
struct AddAll<'a>(&'a Weights, &'a [u64], &'a mut Scores);

impl pulp::NullaryFnOnce for AddAll<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.add_all(self.1, self.2);
    }
}

impl Weights {
    /// A table of these averages for so many classes. With a `scale` weights are multiplied by it and rounded, else by the
    /// largest power of two that 16 bits allow.
    ///
    /// # Errors
    /// What does not fit, as text.
    pub(crate) fn new(
        averages: Averages,
        classes: usize,
        scale: Option<f64>,
    ) -> Result<Self, String> {
        if classes > MAX_CLASSES {
            return Err(format!(
                "{classes} classes; at most {MAX_CLASSES} are possible"
            ));
        }
        let largest = averages.largest();
        let scale = scale.unwrap_or_else(|| {
            let room = f64::from(i16::MAX) / largest.max(1e-300);
            room.log2().floor().clamp(-50.0, 50.0).exp2()
        });
        if (largest * scale).round() > f64::from(LARGEST) {
            return Err(format!(
                "a weight of {largest} is too large for the format; at most {} is possible",
                f64::from(LARGEST) / scale
            ));
        }
        let mut multiplier = 0xD6E8_FEB8_6659_FD93_u64;
        for _ in 0..RETRIES {
            if let Some(table) = Self::build(&averages, classes, scale, multiplier) {
                return Ok(Self { averages, ..table });
            }
            // Two features had the same tag in neighbouring slots: about one in a thousand large models.
            multiplier = multiplier.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1;
        }
        Err("features that cannot be told from each other".into())
    }

    fn build(averages: &Averages, classes: usize, scale: f64, multiplier: u64) -> Option<Self> {
        let mut table = Self {
            // Two thirds of the slots are used.
            buckets: vec![Bucket::default(); averages.len() * 3 / (2 * SLOTS) + 2],
            multiplier,
            entries: Vec::new(),
            dense: Vec::new(),
            stride: classes.next_multiple_of(LANES),
            classes,
            scale,
            averages: Averages::default(),
        };
        let mut row = Vec::new();
        for (feature, weights) in averages.rows() {
            row.clear();
            row.extend(weights.iter().filter_map(|&(class, weight)| {
                let scaled = (weight * scale).round() as i32;
                (scaled != 0).then_some((class, scaled))
            }));
            if !row.is_empty() {
                table.insert(feature, &row)?;
            }
        }
        Some(table)
    }

    /// None where the feature cannot be told from another.
    fn insert(&mut self, feature: u64, row: &[(u32, i32)]) -> Option<()> {
        let (mixed, tag) = self.mixed(feature);
        let (at, slot) = place(&self.buckets, mixed, tag)?;
        let (kind, data) = if row.len() <= 3 {
            let mut data = [0; 3];
            for (data, &(class, weight)) in data.iter_mut().zip(row) {
                *data = entry(class, weight);
            }
            (INLINE, data)
        } else if row.len() >= MANY.max(self.classes / 4)
            && row.iter().all(|(_, weight)| i16::try_from(*weight).is_ok())
        {
            let start = self.dense.len();
            self.dense.resize(start + self.stride, 0);
            for &(class, weight) in row {
                self.dense[start + class as usize] = weight as i16;
            }
            (DENSE, [start as u32, 0, 0])
        } else {
            let start = self.entries.len() as u32;
            self.entries
                .extend(row.iter().map(|&(class, weight)| entry(class, weight)));
            (SPARSE, [start, row.len() as u32, 0])
        };
        self.buckets[at].0[slot] = Slot {
            tag: tag | kind,
            data,
        };
        Some(())
    }

    /// The mixed hash of a feature, and its tag without the kind.
    #[inline(always)]
    fn mixed(&self, feature: u64) -> (u64, u32) {
        let mixed = (feature ^ (feature >> 32)).wrapping_mul(self.multiplier);
        // The middle bits: the place depends on the high ones.
        (mixed, (mixed >> 4) as u32 & !3)
    }

    /// Adds the weights of features to the scores.
    #[inline]
    pub(crate) fn add(&self, features: &[u64], scores: &mut Scores) {
        // Vectorised for the instruction set of the processor.
        pulp::Arch::new().dispatch(AddAll(self, features, scores));
    }

    #[inline(always)]
    fn add_all(&self, features: &[u64], scores: &mut Scores) {
        // Loads that do not depend on each other come together, so that cache misses overlap: first the buckets of all
        // features, then the beginnings of the rows that are not in their slots.
        let mut places = [(0_usize, 0_u32); BATCH];
        let (mut sparse, mut dense) = ([(0, 0); BATCH], [0; BATCH]);
        for batch in features.chunks(BATCH) {
            let mut touched = 0;
            for (feature, place) in batch.iter().zip(&mut places) {
                let (mixed, tag) = self.mixed(*feature);
                let at = home(&self.buckets, mixed);
                touched ^= self.buckets[at].0[0].tag;
                *place = (at, tag);
            }
            std::hint::black_box(touched);
            let (mut few, mut many, mut touched) = (0, 0, 0);
            for &(at, tag) in &places[..batch.len()] {
                let slot = self.find(at, tag);
                match slot.tag & 3 {
                    INLINE => slot.data.iter().for_each(|&entry| add(scores, entry)),
                    SPARSE => {
                        sparse[few] = (slot.data[0] as usize, slot.data[1] as usize);
                        touched ^= self.entries[slot.data[0] as usize];
                        few += 1;
                    }
                    DENSE => {
                        dense[many] = slot.data[0] as usize;
                        touched ^= self.dense[slot.data[0] as usize] as u32;
                        many += 1;
                    }
                    _ => {}
                }
            }
            std::hint::black_box(touched);
            for &(start, len) in &sparse[..few] {
                let row = &self.entries[start..start + len];
                row.iter().for_each(|&entry| add(scores, entry));
            }
            self.add_dense(&dense[..many], scores);
        }
    }

    /// The slot of a feature, or an empty one; `at` is the bucket where it is looked for first.
    #[inline(always)]
    fn find(&self, mut at: usize, tag: u32) -> &Slot {
        loop {
            for slot in &self.buckets[at].0 {
                if slot.tag & !3 == tag || slot.tag == EMPTY {
                    return slot;
                }
            }
            at = next(&self.buckets, at);
        }
    }

    /// Adds dense rows, four at a time.
    #[inline(always)]
    fn add_dense(&self, starts: &[usize], scores: &mut Scores) {
        let row = |start: usize| &self.dense[start..start + self.stride];
        let scores = &mut scores[..self.stride];
        let (fours, rest) = starts.as_chunks::<4>();
        for starts in fours {
            let [a, b, c, d] = starts.map(row);
            let rows = a.iter().zip(b).zip(c.iter().zip(d));
            for (score, ((a, b), (c, d))) in scores.iter_mut().zip(rows) {
                *score += i32::from(*a) + i32::from(*b) + i32::from(*c) + i32::from(*d);
            }
        }
        for &start in rest {
            for (score, weight) in scores.iter_mut().zip(row(start)) {
                *score += i32::from(*weight);
            }
        }
    }

    /// The weight of a feature for a class.
    pub(crate) fn get(&self, feature: u64, class: u32) -> i32 {
        let (mixed, tag) = self.mixed(feature);
        let slot = self.find(home(&self.buckets, mixed), tag);
        let [start, len, _] = slot.data.map(|value| value as usize);
        let row = match slot.tag & 3 {
            INLINE => &slot.data[..],
            SPARSE => &self.entries[start..start + len],
            DENSE => return i32::from(self.dense[start + class as usize]),
            _ => &[],
        };
        let own = row
            .iter()
            .filter(|&&entry| entry % MAX_CLASSES as u32 == class);
        own.map(|&entry| entry as i32 >> CLASS_BITS).sum()
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Factor from weights to integers.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// The weights as numbers.
    pub(crate) fn averages(&self) -> &Averages {
        &self.averages
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_weight_is_found(
            rows in proptest::collection::btree_map(any::<u64>(), proptest::collection::btree_map(0_u32..40, -500_i32..500, 1..30), 0..200),
            absent in proptest::collection::vec(any::<u64>(), 50),
        ) {
            let mut averages = Averages::default();
            for (feature, row) in &rows {
                averages.push(*feature, row.iter().map(|(&class, &weight)| (class, f64::from(weight))));
            }
            let table = Weights::new(averages, 40, Some(1.0)).unwrap();
            let mut expected = [0; 40];
            for row in rows.values() {
                for (&class, &weight) in row {
                    expected[class as usize] += weight;
                }
            }
            let mut features: Vec<u64> = rows.keys().copied().collect();
            features.extend(absent.iter().filter(|feature| !rows.contains_key(feature)));
            let mut scores = [0; MAX_CLASSES];
            table.add(&features, &mut scores);
            prop_assert_eq!(&scores[..40], &expected[..]);
        }
    }
}
