//! Frozen weights for prediction: integers in read-only hash tables.
//!
//! Prediction is memory-bound: a decision looks up dozens of features, most of them in different cache lines of a table
//! that is larger than the first cache. The tables are designed so that a lookup touches few cache lines, which are
//! known early.
//!
//! - Weights are multiplied by a `scale` and rounded to integers. A power of two is chosen so that
//!   the largest weight fits into 16 bits; published weights have a scale of 1000, which represents
//!   their three decimals exactly.
//! - `compact` is the table of trained models: one byte per weight, and the same layout in memory and in files.
//!
//! The other tables have exact weights, for the published features and for models that earlier versions wrote:
//!
//! - `buckets` is their hash table: slots of 16 bytes, four to a cache line, found with one prefetch.
//! - `few` stores the weights of up to three classes in the slot itself (the published parser).
//! - `many` stores up to three (class, weight) entries in the slot, and longer rows elsewhere,
//!   sparse or dense.
//! - `dense` contains rows with weights for most classes, for `many` and `compact`.
//! - `rows` contains the same weights as plain lists; files are written from it.
//!
//! A lookup has three phases, which `turns` interleaves over sentences: [`Weights::prefetch`]
//! requests the buckets, [`Weights::find`] reads the slots and requests longer rows, and
//! [`Weights::sums`] adds up. Sums of integers do not depend on the order of the features.
//!
//! # Collisions
//!
//! For compact tables see [`compact`]. Exact tables identify a feature by 30 bits of its hash and its bucket. If two
//! features of the model agree in both, this is detected while the table is built, and the table is rebuilt with
//! another multiplier. A feature that is not in the model is mistaken for one in the model with a probability of about
//! 10^-9 for each slot it is compared with.

mod buckets;
mod compact;
mod dense;
mod few;
mod many;
mod rows;

use crate::averages::Averages;
pub(crate) use compact::{CompactParts, CompactTable};
pub(crate) use few::FewClasses;
use many::{Found, LARGEST, ManyClasses};
pub(crate) use many::{MAX_CLASSES, Scores};
pub(crate) use rows::Rows;

/// Maximum number of hash multipliers to try.
const RETRIES: usize = 16;

/// Features that are looked up: [`Weights::prefetch`], [`Weights::find`], then [`Weights::sums`].
/// Lookups of several sentences are interleaved, so that their cache misses overlap.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lookup {
    /// Hashes of the features, none of which occurs twice.
    pub(crate) features: Vec<u64>,
    /// True between the first and the last phase; false at the end of a sentence.
    pub(crate) is_pending: bool,
    /// Rows of the features that were found, in exact tables for more than three classes.
    found: Found,
    /// Rows of the features that were found, in compact tables.
    compact: compact::Found,
}

/// The table of a model.
#[derive(Clone, Debug)]
enum Table {
    /// At most three classes.
    Few(FewClasses),
    /// More than three classes.
    Many(ManyClasses),
    /// Any number of classes, with weights of one byte.
    Compact(Box<CompactTable>),
}

/// The weights of a model as integers; read-only, shared by threads.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The weights by feature.
    table: Table,
    /// Number of classes.
    classes: usize,
    /// Factor from weights to integers.
    scale: f64,
    /// The same weights as lists, for model files and for names of features; empty for compact tables.
    rows: Rows,
}

impl Weights {
    /// Freezes averages for `classes` classes. Weights are multiplied by `scale`, or by default by the largest power of
    /// two from 2^-50 to 2^50 for which the largest weight fits into 16 bits, and rounded to the nearest integer,
    /// halves away from 0.
    ///
    /// # Errors
    /// A message if there are too many classes, or a weight is larger than 524,287 after scaling.
    pub(crate) fn new(
        averages: &Averages,
        classes: usize,
        scale: Option<f64>,
    ) -> Result<Self, String> {
        let largest = averages.largest();
        let scale = scale.unwrap_or_else(|| default_scale(largest));
        if (largest * scale).round() > f64::from(LARGEST) {
            return Err(too_large(largest, scale));
        }
        Self::of_rows(Rows::of(averages, scale), classes, scale)
    }

    /// Freezes averages for `classes` classes into a compact table. Weights are rounded to one of 127 levels of each
    /// sign, or to 16 bits in rows with weights for many classes; see [`compact`].
    ///
    /// # Errors
    /// A message if there are more than 4096 classes.
    pub(crate) fn compact(averages: &Averages, classes: usize) -> Result<Self, String> {
        check_classes(classes)?;
        let scale = default_scale(averages.largest());
        let table = CompactTable::build(&averages.by_use(), classes, scale);
        Ok(Self {
            table: Table::Compact(Box::new(table)),
            classes,
            scale,
            rows: Rows::default(),
        })
    }

    /// Returns the weights of a compact table that was read from a file.
    ///
    /// # Errors
    /// A message if the parts are inconsistent, or there are more than 4096 classes.
    pub(crate) fn of_compact(
        parts: CompactParts,
        classes: usize,
        scale: f64,
    ) -> Result<Self, String> {
        check_classes(classes)?;
        Ok(Self {
            table: Table::Compact(Box::new(CompactTable::checked(parts, classes)?)),
            classes,
            scale,
            rows: Rows::default(),
        })
    }

    /// Builds the table from rows of integers, which are weights times `scale`. Classes must be below `classes`, and no
    /// feature may occur twice.
    ///
    /// # Errors
    /// A message if there are more than 4096 classes, a weight has more than 20 bits, or features
    /// collide with each of 16 multipliers (which happens if a feature occurs twice).
    pub(crate) fn of_rows(rows: Rows, classes: usize, scale: f64) -> Result<Self, String> {
        check_classes(classes)?;
        let largest = rows
            .weights
            .iter()
            .map(|weight| weight.unsigned_abs())
            .max();
        if let Some(largest) = largest.filter(|&largest| largest > LARGEST as u32) {
            return Err(too_large(f64::from(largest) / scale, scale));
        }
        let mut multiplier = 0xD6E8_FEB8_6659_FD93_u64;
        for _ in 0..RETRIES {
            let table = match classes <= few::MAX_FEW {
                true => FewClasses::new(rows.len(), rows.iter(), multiplier).map(Table::Few),
                false => {
                    ManyClasses::new(classes, rows.len(), rows.iter(), multiplier).map(Table::Many)
                }
            };
            if let Some(table) = table {
                return Ok(Self {
                    table,
                    classes,
                    scale,
                    rows,
                });
            }
            // Two features had the same tag and the same bucket, which happens for about one in a thousand large
            // models.
            multiplier = multiplier.wrapping_mul(0x2545_F491_4F6C_DD1D) | 1;
        }
        Err("features cannot be distinguished by their hashes".into())
    }

    /// Requests the buckets of the features, without waiting for them.
    #[inline]
    pub(crate) fn prefetch(&self, lookup: &mut Lookup) {
        match &self.table {
            Table::Few(table) => table.prefetch(&lookup.features),
            Table::Many(table) => table.prefetch(&lookup.features),
            Table::Compact(table) => table.prefetch(&lookup.features, &mut lookup.compact),
        }
    }

    /// Finds the features and requests their longer rows, without waiting for them.
    #[inline]
    pub(crate) fn find(&self, lookup: &mut Lookup) {
        match &self.table {
            Table::Few(_) => {}
            Table::Many(table) => table.find(&lookup.features, &mut lookup.found),
            Table::Compact(table) => table.find(&mut lookup.compact),
        }
    }

    /// Returns the score of each class: the sum of the weights of the features, which must have been found. Scores are
    /// written to `scores`, whose previous content is ignored.
    #[inline]
    pub(crate) fn sums<'a>(&self, lookup: &Lookup, scores: &'a mut Scores) -> &'a [i32] {
        match &self.table {
            Table::Few(table) => {
                let sums = table.sums(&lookup.features);
                scores[..sums.len()].copy_from_slice(&sums);
            }
            Table::Many(table) => {
                scores[..self.classes].fill(0);
                table.add(&lookup.found, scores);
            }
            Table::Compact(table) => {
                scores[..self.classes].fill(0);
                table.add(&lookup.compact, scores);
            }
        }
        &scores[..self.classes]
    }

    /// Returns the exact table of models with at most three classes; None for other models.
    #[inline]
    pub(crate) fn few(&self) -> Option<&FewClasses> {
        match &self.table {
            Table::Few(table) => Some(table),
            Table::Many(_) | Table::Compact(_) => None,
        }
    }

    /// Returns the compact table; None for exact weights.
    pub(crate) fn compact_table(&self) -> Option<&CompactTable> {
        match &self.table {
            Table::Compact(table) => Some(table),
            Table::Few(_) | Table::Many(_) => None,
        }
    }

    /// Returns the weight of a feature for a class; 0 if there is none. Slow; only used for ties.
    pub(crate) fn get(&self, feature: u64, class: u32) -> i32 {
        match &self.table {
            Table::Few(table) => table.get(feature, class),
            Table::Many(table) => table.get(feature, class),
            Table::Compact(table) => table.get(feature, class),
        }
    }

    /// Number of classes.
    pub(crate) fn classes(&self) -> usize {
        self.classes
    }

    /// Factor from weights to integers.
    pub(crate) fn scale(&self) -> f64 {
        self.scale
    }

    /// Number of features.
    pub(crate) fn len(&self) -> usize {
        match &self.table {
            Table::Compact(table) => table.len(),
            Table::Few(_) | Table::Many(_) => self.rows.len(),
        }
    }

    /// Returns exact weights as lists; no rows for compact weights.
    pub(crate) fn rows(&self) -> &Rows {
        &self.rows
    }
}

/// Returns the largest power of two from 2^-50 to 2^50 for which a weight of `largest` fits into 16 bits.
fn default_scale(largest: f64) -> f64 {
    let room = f64::from(i16::MAX) / largest.max(1e-300);
    room.log2().floor().clamp(-50.0, 50.0).exp2()
}

/// Checks the number of classes.
fn check_classes(classes: usize) -> Result<(), String> {
    match classes > MAX_CLASSES {
        true => Err(format!("{classes} classes; the maximum is {MAX_CLASSES}")),
        false => Ok(()),
    }
}

/// Returns the message for a weight that does not fit into an entry.
fn too_large(weight: f64, scale: f64) -> String {
    format!(
        "a weight of {weight} is too large for the format; the maximum is {}",
        f64::from(LARGEST) / scale
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_weight_is_found(
            classes in prop::sample::select(vec![2_u32, 3, 4, 40]),
            rows in proptest::collection::btree_map(any::<u64>(), proptest::collection::btree_map(0_u32..40, -500_i32..500, 1..30), 0..200),
            absent in proptest::collection::vec(any::<u64>(), 50),
        ) {
            let mut averages = Averages::default();
            let mut expected = vec![0; classes as usize];
            for (feature, row) in &rows {
                let own = row.iter().filter(|(class, _)| **class < classes);
                averages.push(*feature, own.clone().map(|(&class, &weight)| (class, f64::from(weight))));
                own.for_each(|(&class, &weight)| expected[class as usize] += weight);
            }
            let table = Weights::new(&averages, classes as usize, Some(1.0)).unwrap();
            let mut features: Vec<u64> = rows.keys().copied().collect();
            features.extend(absent.iter().filter(|feature| !rows.contains_key(feature)));
            let mut scores = [7; MAX_CLASSES];
            let mut lookup = Lookup { features, ..Lookup::default() };
            table.prefetch(&mut lookup);
            table.find(&mut lookup);
            prop_assert_eq!(table.sums(&lookup, &mut scores), &expected[..]);
            for (feature, row) in &rows {
                for class in 0..classes {
                    prop_assert_eq!(table.get(*feature, class), row.get(&class).copied().unwrap_or_default());
                }
            }
        }
    }
}
