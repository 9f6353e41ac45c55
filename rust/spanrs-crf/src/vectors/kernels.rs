//! Products of full rows of vectors with weights and with derivatives.

use std::ops::Range;

use crate::simd::{Kernel, LANES, Real};

/// Number of tokens whose rows share the loads of a row of weights.
const BLOCK: usize = 4;

/// Work on tokens and labels in blocks, so that sums stay in registers.
trait Blocks {
    /// Number of tokens, and padded number of labels.
    fn sizes(&self) -> (usize, usize);

    /// Works on `M` labels, from `label`, of `N` tokens, from `token`.
    fn add_labels<const N: usize, const M: usize>(&mut self, token: usize, label: usize);

    /// Works on all tokens.
    #[inline(always)]
    fn add_all(&mut self) {
        let (tokens, _) = self.sizes();
        let mut token = 0;
        while tokens - token >= BLOCK {
            self.add_tokens::<BLOCK>(token);
            token += BLOCK;
        }
        while token < tokens {
            self.add_tokens::<1>(token);
            token += 1;
        }
    }

    /// Works on all labels of `N` tokens.
    #[inline(always)]
    fn add_tokens<const N: usize>(&mut self, token: usize) {
        let (_, width) = self.sizes();
        let mut label = 0;
        while width - label >= 2 * LANES {
            self.add_labels::<N, { 2 * LANES }>(token, label);
            label += 2 * LANES;
        }
        if label < width {
            self.add_labels::<N, LANES>(token, label);
        }
    }
}

/// Adds products of full rows and weights to scores, in blocks of tokens and of 16 and 8 labels.
pub(super) struct AddScores<'a, W, T> {
    pub(super) values: &'a [f32],
    pub(super) dimension: usize,
    pub(super) weights: &'a [W],
    pub(super) width: usize,
    pub(super) scores: &'a mut [T],
}

impl<W: Real, T: Real> Kernel for AddScores<'_, W, T> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        self.add_all();
    }
}

impl<W: Real, T: Real> Blocks for AddScores<'_, W, T> {
    #[inline(always)]
    fn sizes(&self) -> (usize, usize) {
        (self.scores.len() / self.width, self.width)
    }

    /// Adds `M` labels, from `label`, of `N` tokens; the sums stay in registers.
    #[inline(always)]
    fn add_labels<const N: usize, const M: usize>(&mut self, token: usize, label: usize) {
        let values = &self.values[token * self.dimension..][..N * self.dimension];
        let mut sums = [[T::default(); M]; N];
        for column in 0..self.dimension {
            let weights = self.weights[column * self.width + label..].first_chunk::<M>();
            let Some(weights) = weights else {
                return;
            };
            // Loops of constant length are unrolled, so that the sums stay in registers.
            let mut row = [T::default(); M];
            for lane in 0..M {
                row[lane] = T::of(weights[lane].into());
            }
            for at in 0..N {
                let value = T::of(f64::from(values[at * self.dimension + column]));
                for lane in 0..M {
                    sums[at][lane] += value * row[lane];
                }
            }
        }
        for (at, sums) in sums.iter().enumerate() {
            let row = &mut self.scores[(token + at) * self.width + label..][..M];
            for lane in 0..M {
                row[lane] += sums[lane];
            }
        }
    }
}

/// Adds products of transposed full rows and derivatives to sums, in blocks of tokens and of 16 and 8
/// labels.
pub(super) struct AddProducts<'a> {
    pub(super) values: &'a [f32],
    pub(super) dimension: usize,
    pub(super) rows: &'a [f32],
    pub(super) width: usize,
    pub(super) columns: Range<usize>,
    pub(super) squared: bool,
    pub(super) sums: &'a mut [f32],
}

impl Kernel for AddProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        self.add_all();
    }
}

impl Blocks for AddProducts<'_> {
    #[inline(always)]
    fn sizes(&self) -> (usize, usize) {
        (self.rows.len() / self.width, self.width)
    }

    /// Adds `M` labels, from `label`, of `N` tokens; their derivatives stay in registers.
    #[inline(always)]
    fn add_labels<const N: usize, const M: usize>(&mut self, token: usize, label: usize) {
        let values = &self.values[token * self.dimension..][..N * self.dimension];
        let mut rows = [[0.0; M]; N];
        for (at, row) in rows.iter_mut().enumerate() {
            row.copy_from_slice(&self.rows[(token + at) * self.width + label..][..M]);
        }
        let first = self.columns.start;
        for column in self.columns.clone() {
            let sums = self.sums[(column - first) * self.width + label..].first_chunk_mut::<M>();
            let Some(sums) = sums else {
                return;
            };
            // A copy of its own, which the compiler keeps in registers.
            let mut kept = *sums;
            for (at, row) in rows.iter().enumerate() {
                let value = values[at * self.dimension + column];
                let value = if self.squared { value * value } else { value };
                for lane in 0..M {
                    kept[lane] += value * row[lane];
                }
            }
            *sums = kept;
        }
    }
}
