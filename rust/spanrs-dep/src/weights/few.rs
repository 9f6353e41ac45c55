//! Weights for at most three classes: all weights of a feature are in its slot, one per word of
//! data.

use super::buckets::Buckets;

/// Maximum number of classes.
pub(super) const MAX_FEW: usize = 3;
/// The only kind of slots.
const WEIGHTS: u32 = 1;

/// A table whose slots contain the weight of each class, 0 for missing weights; data word `c`
/// belongs to class `c`.
#[derive(Clone, Debug)]
pub(crate) struct FewClasses(Buckets);

impl FewClasses {
    /// Builds the table of `len` rows of (class, weight), classes below 3; None if two features
    /// collide with this multiplier.
    pub(super) fn new<R: Iterator<Item = (u32, i32)>>(
        len: usize,
        rows: impl Iterator<Item = (u64, R)>,
        multiplier: u64,
    ) -> Option<Self> {
        let mut table = Buckets::new(len, multiplier);
        for (feature, row) in rows {
            let mut data = [0; MAX_FEW];
            for (class, weight) in row {
                data[class as usize] = weight as u32;
            }
            table.insert(feature, WEIGHTS, data)?;
        }
        Some(Self(table))
    }

    /// Requests the weights of features, without waiting for them.
    #[inline]
    pub(crate) fn prefetch(&self, features: &[u64]) {
        self.0.prefetch(features);
    }

    /// Returns the sums of the weights of features by class.
    #[inline]
    pub(crate) fn sums(&self, features: &[u64]) -> [i32; MAX_FEW] {
        let mut sums = [0; MAX_FEW];
        for &feature in features {
            self.0.add(feature, &mut sums);
        }
        sums
    }

    /// Returns the weight of a feature for a class; 0 if there is none.
    pub(super) fn get(&self, feature: u64, class: u32) -> i32 {
        self.0.find(feature).data[class as usize] as i32
    }
}
