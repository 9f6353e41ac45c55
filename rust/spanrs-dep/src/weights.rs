//! Weights for prediction: a compact table that is read and never written.

use crate::averages::Averages;

/// Most classes of a model: their numbers have 12 bits.
pub(crate) const MAX_CLASSES: usize = 1 << CLASS_BITS;
const CLASS_BITS: u32 = 12;
/// Largest weight of an entry: what is left of 32 bits, with a sign.
const LARGEST: i32 = (1 << (31 - CLASS_BITS)) - 1;
/// Slots of a batch that are loaded before the first of them is looked at.
const BATCH: usize = 32;

/// Scores of the classes of a model; those above its number of classes are unused.
pub(crate) type Scores = [i32; MAX_CLASSES];

/// What a slot holds.
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

/// The weights of a model as integers, in a table with one slot of 16 bytes per feature.
///
/// An entry is a weight (20 bits) and its class (12 bits). Rows of at most three entries, which are most, are in the slot,
/// so that a lookup touches one cache line. Two features are mistaken for each other if 30 bits and the place of their
/// hashes agree; that is excluded for features of the model, and has a chance of about 10^-9 for others.
#[derive(Clone, Debug)]
pub struct Weights {
    slots: Vec<Slot>,
    /// Multiplier of the hashes.
    multiplier: u64,
    /// Entries of rows that are too long for a slot.
    entries: Vec<u32>,
    /// Rows with a weight for most classes, in the order of the classes.
    dense: Vec<i32>,
    classes: usize,
    /// How much a weight of 1 is.
    scale: f64,
    /// What the table was made of, to write it to a file.
    averages: Averages,
}

#[inline(always)]
fn entry(class: u32, weight: i32) -> u32 {
    (weight << CLASS_BITS) as u32 | class
}

#[inline(always)]
fn add(scores: &mut Scores, entry: u32) {
    scores[entry as usize % MAX_CLASSES] += entry as i32 >> CLASS_BITS;
}

impl Weights {
    /// A table of these averages for so many classes. With a `scale` weights are multiplied by it and rounded, else by the
    /// largest power of two that 20 bits allow.
    ///
    /// # Errors
    /// What does not fit, as text.
    pub(crate) fn new(
        averages: Averages,
        classes: usize,
        scale: Option<f64>,
    ) -> Result<Self, String> {
        if classes > MAX_CLASSES {
            return Err(format!("{classes} classes; at most {MAX_CLASSES} are possible"));
        }
        let largest = averages.largest();
        let scale = scale.unwrap_or_else(|| {
            let room = f64::from(LARGEST) / largest.max(1e-300);
            room.log2().floor().clamp(-60.0, 60.0).exp2()
        });
        if largest * scale > f64::from(LARGEST) + 0.5 {
            return Err(format!(
                "a weight of {largest} is too large for the format; at most {} is possible",
                f64::from(LARGEST) / scale
            ));
        }
        let mut multiplier = 0xD6E8_FEB8_6659_FD93_u64;
        loop {
            if let Some(table) = Self::build(&averages, classes, scale, multiplier) {
                return Ok(Self { averages, ..table });
            }
            // Two features had the same tag in neighbouring slots: about one in a thousand large models.
            multiplier = multiplier.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1;
        }
    }

    fn build(averages: &Averages, classes: usize, scale: f64, multiplier: u64) -> Option<Self> {
        let mut table = Self {
            slots: vec![Slot::default(); averages.len() + averages.len() / 2 + BATCH],
            multiplier,
            entries: Vec::new(),
            dense: Vec::new(),
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
        let (mut at, tag) = self.home(feature);
        while self.slots[at].tag != EMPTY {
            if self.slots[at].tag | 3 == tag | 3 {
                return None;
            }
            at = self.next(at);
        }
        let (kind, data) = if row.len() <= 3 {
            let mut data = [0; 3];
            for (data, &(class, weight)) in data.iter_mut().zip(row) {
                *data = entry(class, weight);
            }
            (INLINE, data)
        } else if row.len() * 3 > self.classes && self.classes >= 16 {
            let start = self.dense.len();
            self.dense.resize(start + self.classes, 0);
            for &(class, weight) in row {
                self.dense[start + class as usize] = weight;
            }
            (DENSE, [start as u32, 0, 0])
        } else {
            let start = self.entries.len() as u32;
            self.entries
                .extend(row.iter().map(|&(class, weight)| entry(class, weight)));
            (SPARSE, [start, row.len() as u32, 0])
        };
        self.slots[at] = Slot {
            tag: tag | kind,
            data,
        };
        Some(())
    }

    /// The first slot of a feature, and its tag without the kind.
    #[inline(always)]
    fn home(&self, feature: u64) -> (usize, u32) {
        let mixed = (feature ^ (feature >> 32)).wrapping_mul(self.multiplier);
        let at = (u128::from(mixed) * self.slots.len() as u128) >> 64;
        // The middle bits: the place depends on the high ones.
        (at as usize, (mixed >> 4) as u32 & !3)
    }

    #[inline(always)]
    fn next(&self, at: usize) -> usize {
        if at + 1 == self.slots.len() { 0 } else { at + 1 }
    }

    /// Adds the weights of features to the scores.
    #[inline]
    pub(crate) fn add(&self, features: &[u64], scores: &mut Scores) {
        // The loads of a batch do not depend on each other, so that cache misses overlap.
        let mut first = [(Slot::default(), 0, 0); BATCH];
        for batch in features.chunks(BATCH) {
            for (feature, first) in batch.iter().zip(&mut first) {
                let (at, tag) = self.home(*feature);
                *first = (self.slots[at], at, tag);
            }
            for &(mut slot, mut at, tag) in &first[..batch.len()] {
                while slot.tag & !3 != tag && slot.tag != EMPTY {
                    at = self.next(at);
                    slot = self.slots[at];
                }
                match slot.tag & 3 {
                    INLINE => slot.data.iter().for_each(|&entry| add(scores, entry)),
                    SPARSE => {
                        let start = slot.data[0] as usize;
                        let row = &self.entries[start..start + slot.data[1] as usize];
                        row.iter().for_each(|&entry| add(scores, entry));
                    }
                    DENSE => {
                        let start = slot.data[0] as usize;
                        let row = &self.dense[start..start + self.classes];
                        for (score, weight) in scores.iter_mut().zip(row) {
                            *score += weight;
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The weight of a feature for a class.
    pub(crate) fn get(&self, feature: u64, class: u32) -> i32 {
        let mut scores: Box<Scores> = Box::new([0; MAX_CLASSES]);
        self.add(&[feature], &mut scores);
        scores[class as usize]
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// How much a weight of 1 is.
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
            rows in proptest::collection::hash_map(any::<u64>(), proptest::collection::btree_map(0_u32..40, -500_i32..500, 1..30), 0..200),
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
