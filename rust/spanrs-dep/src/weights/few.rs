//! Weights for at most three classes, all in one slot.

use super::buckets::Buckets;

/// Maximum number of classes.
pub(super) const FEW: usize = 3;
const WEIGHTS: u32 = 1;

/// A slot holds a weight for each class.
#[derive(Clone, Debug)]
pub(crate) struct FewClasses(Buckets);

impl FewClasses {
    /// None where features cannot be told from each other.
    pub(super) fn new<R: Iterator<Item = (u32, i32)>>(
        len: usize,
        rows: impl Iterator<Item = (u64, R)>,
        multiplier: u64,
    ) -> Option<Self> {
        let mut table = Buckets::new(len, multiplier);
        for (feature, row) in rows {
            let mut data = [0; FEW];
            for (class, weight) in row {
                data[class as usize] = weight as u32;
            }
            table.insert(feature, WEIGHTS, data)?;
        }
        Some(Self(table))
    }

    /// Fetches the weights of features into the cache, without waiting for them.
    #[inline]
    pub(crate) fn prefetch(&self, features: &[u64]) {
        self.0.prefetch(features);
    }

    /// The sums of the weights of features by class.
    #[inline]
    pub(crate) fn sums(&self, features: &[u64]) -> [i32; FEW] {
        let mut sums = [0; FEW];
        for &feature in features {
            self.0.add(feature, &mut sums);
        }
        sums
    }

    pub(super) fn get(&self, feature: u64, class: u32) -> i32 {
        self.0.find(feature).data[class as usize] as i32
    }
}
