//! Transition weights, with a dual variable for each chunk of sequences.

use crate::features::Features;
use crate::messages::Potentials;
use crate::simd::{Kernel, dispatch, exp_minus, max};

use super::chain::PairRows;

/// Transition weights and their dual variables. Tables are square, padded and row-major (from, to).
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    labels: usize,
    /// Number of labels, padded.
    width: usize,
    /// Weights; 0 for pairs without a feature.
    weights: Vec<f32>,
    /// 1 for pairs with a feature, else 0.
    mask: Vec<f32>,
    /// `exp(weight - max)`; 0 for the padding.
    exps: Vec<f32>,
    /// The transpose of `exps`.
    transposed: Vec<f32>,
    /// The exponentials, in the layouts of the messages.
    pub(super) potentials: Potentials<f32>,
    /// Observed minus dual counts of the pairs of each chunk.
    differences: Vec<f32>,
}

/// Counts of pairs of a chunk, times the weights of the sequences.
#[derive(Clone, Debug, Default)]
pub(super) struct ChunkCounts {
    /// Counts under the target, row-major (from, to) without padding.
    pub(super) observed: Vec<f64>,
    /// Sums of products of forward and backward rows; times the exponentials of the transition
    /// weights, these are the counts expected under the model. Padded.
    sums: Vec<f32>,
    /// The same with squared probabilities.
    squares: Vec<f32>,
}

impl ChunkCounts {
    /// Sets all counts to 0.
    pub(super) fn clear(&mut self, labels: usize, width: usize) {
        self.observed.clear();
        self.observed.resize(labels * labels, 0.0);
        for table in [&mut self.sums, &mut self.squares] {
            table.clear();
            table.resize(width * width, 0.0);
        }
    }

    /// Adds the pairs of neighbours in the rows of a chunk, which are squared in place.
    #[inline(always)]
    fn add(&mut self, rows: &mut PairRows, width: usize) {
        rows.add_products(width, &mut self.sums);
        rows.square();
        rows.add_products(width, &mut self.squares);
    }
}

impl Pairs {
    /// Weights of 0, and dual variables equal to the observed counts.
    pub(super) fn new(features: &Features, width: usize, chunks: usize) -> Self {
        let labels = features.labels();
        let mut mask = vec![0.0; width * width];
        for &pair in features.pairs().1 {
            let (from, to) = (pair as usize / labels, pair as usize % labels);
            mask[from * width + to] = 1.0;
        }
        let mut pairs = Self {
            labels,
            width,
            weights: vec![0.0; width * width],
            mask,
            exps: vec![0.0; width * width],
            transposed: vec![0.0; width * width],
            potentials: Potentials::new(width),
            differences: vec![0.0; chunks * width * width],
        };
        pairs.update();
        pairs
    }

    /// Adds a change of the weights, which may be empty.
    pub(super) fn add(&mut self, change: &[f32]) {
        for (weight, change) in self.weights.iter_mut().zip(change) {
            *weight += change;
        }
    }

    /// Recomputes the exponentials from the weights.
    pub(super) fn update(&mut self) {
        dispatch(Update(self));
    }

    #[inline(always)]
    fn recompute(&mut self) {
        let (labels, width) = (self.labels, self.width);
        let most = max(&self.weights);
        exp_minus(&self.weights, most, &mut self.exps);
        self.exps[labels * width..].fill(0.0);
        for from in 0..labels {
            let row = &mut self.exps[from * width..][..width];
            row[labels..].fill(0.0);
            for (to, exp) in row.iter().enumerate() {
                self.transposed[to * width + from] = *exp;
            }
        }
        self.potentials.forward.copy_from(&self.exps);
        self.potentials.backward.copy_from(&self.transposed);
        self.potentials.max = f64::from(most);
    }

    /// The sum of the squared weights.
    pub(super) fn squares(&self) -> f64 {
        let weights = self.weights.iter().map(|weight| f64::from(*weight));
        weights.map(|weight| weight * weight).sum()
    }

    /// The weight of a pair of labels.
    pub(super) fn weight(&self, from: usize, to: usize) -> f32 {
        self.weights[from * self.width + to]
    }
}

/// Moves the dual variable of a chunk towards the counts expected under the model. Returns the chunk's
/// part of the estimated gap, and the score of the observed pairs.
///
/// The second derivative along the difference is the variance of the counts. It is estimated by the
/// sum of the variances of single pairs, to which a multiple of the length of the difference is
/// added: neighbouring pairs are correlated while the model is far from the optimum.
pub(super) struct PairStep<'a> {
    pub(super) pairs: &'a mut Pairs,
    pub(super) chunk: usize,
    pub(super) counts: &'a mut ChunkCounts,
    /// Messages of the chunk.
    pub(super) rows: &'a mut PairRows,
    /// `1 / (2 c2)`.
    pub(super) scale: f32,
    /// Factor of the second derivative.
    pub(super) caution: f32,
    /// The change of the weights is written here; nothing if there is none.
    pub(super) change: &'a mut Vec<f32>,
}

impl Kernel for PairStep<'_> {
    type Output = (f64, f64);

    #[inline(always)]
    fn call(self) -> (f64, f64) {
        let Self { pairs, counts, .. } = self;
        let (labels, width) = (pairs.labels, pairs.width);
        let size = width * width;
        counts.add(self.rows, width);
        let differences = &mut pairs.differences[self.chunk * size..][..size];
        let (mut gap, mut norm, mut curvature, mut score) = (0.0, 0.0, 0.0, 0.0);
        for from in 0..labels {
            let observed = &counts.observed[from * labels..][..labels];
            for (to, &observed) in observed.iter().enumerate() {
                let at = from * width + to;
                let exp = pairs.exps[at];
                let expected = counts.sums[at] * exp;
                let variance = (expected - counts.squares[at] * exp * exp).max(0.0);
                let dual = observed as f32 - differences[at];
                let d = pairs.mask[at] * (dual - expected);
                gap += d * d / (dual + expected).max(d.abs() + 1e-6);
                norm += d * d;
                curvature += variance * d * d;
                score += observed * f64::from(pairs.weights[at]);
                // The sum is not needed any more; sums of the padding are 0.
                counts.sums[at] = d;
            }
        }
        if norm > MIN_STEP {
            let curvature = curvature / norm + 0.25 * norm.sqrt();
            let step = 1.0 / (1.0 + self.caution * self.scale * curvature);
            for (difference, d) in differences.iter_mut().zip(&counts.sums) {
                *difference += step * d;
            }
            let change = counts.sums.iter().map(|d| self.scale * step * d);
            self.change.extend(change);
        }
        (f64::from(gap), score)
    }
}

/// Recomputes the exponentials of transition weights.
struct Update<'a>(&'a mut Pairs);

impl Kernel for Update<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.recompute();
    }
}

/// Squared length below which a step is not worth an update of the exponentials.
const MIN_STEP: f32 = 1e-12;
