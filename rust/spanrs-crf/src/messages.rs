//! Scaled messages of forward-backward over a linear chain, in 64 or 32 bits.
//!
//! With `e_t(y) = exp(s_t(y) - max_y s_t(y))` and `M(x, y) = exp(m(x, y) - max m)`, the forward row
//! of each token is normalised to sum to 1 (Rabiner 1989, section V.A), and the backward rows reuse
//! its scale `c_t`:
//!
//! ```text
//! f_0 = e_0 / c_0,         f_t(y) = e_t(y) * sum_x f_{t-1}(x) M(x, y) / c_t
//! b_{T-1} = 1,             b_t(x) = sum_y M(x, y) * e_{t+1}(y) * b_{t+1}(y) / c_{t+1}
//! log Z = sum_t (log c_t + max_y s_t(y)) + (T - 1) * max m
//! ```
//!
//! so that `f_t(y) * b_t(y)` is the marginal of label `y`. One exponential per label and token is needed, the products
//! are of a row and a matrix, and all loops vectorise. Subtracting the maxima first, which CRFsuite does not do, keeps
//! large weights from overflowing.
//!
//! Scaled values can be out of range, for example if a constraint leaves only paths through very
//! unlikely labels; see [`Messages::run`].

use std::ops::Range;

use crate::aligned::Aligned;
use crate::simd::{
    AddOuterProducts, AddProducts, Kernel, Panels, Real, dispatch, exp_minus, max, sum,
};

/// Products of scales in this range are continued; the scales are at least [`Real::MIN_SCALED`].
const PRODUCTS: Range<f64> = 1e-100..1e100;

/// Exponentials of transition scores, in the layouts of the recursions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Potentials<T> {
    /// `exp(score - max)` by (from, to), padded with 0, for the forward recursion. Entries are
    /// between 0 and 1.
    pub(crate) forward: Panels<T>,
    /// The transpose of `forward`, for the backward recursion.
    pub(crate) backward: Panels<T>,
    /// The largest score; 0 if no score is finite.
    pub(crate) max: f64,
}

impl<T: Real> Potentials<T> {
    /// Potentials of 0; `width` is the padded number of labels.
    pub(crate) fn new(width: usize) -> Self {
        Self {
            forward: Panels::new(width, T::default()),
            backward: Panels::new(width, T::default()),
            max: 0.0,
        }
    }

    /// Sets the potentials from scores, row-major (from, to) without padding.
    pub(crate) fn set(&mut self, labels: usize, scores: &[f64]) {
        let finite = scores.iter().copied().filter(|score| score.is_finite());
        let most = finite.fold(f64::NEG_INFINITY, f64::max);
        self.max = if most.is_finite() { most } else { 0.0 };
        for (from, row) in scores.chunks_exact(labels.max(1)).enumerate() {
            for (to, score) in row.iter().enumerate() {
                let exp = T::of((score - self.max).exp());
                self.forward.set(from, to, exp);
                self.backward.set(to, from, exp);
            }
        }
    }
}

/// Messages of one sequence, in padded rows by token; buffers are reused between sequences.
#[derive(Clone, Debug, Default)]
pub(crate) struct Messages<T> {
    /// Row length.
    width: usize,
    /// `exp(score - max)`, with the maximum taken per token, so that the largest entry of a row
    /// is 1.
    exps: Aligned<T>,
    /// Forward variables, normalised to sum to 1 per token.
    pub(crate) forward: Aligned<T>,
    /// Backward variables, scaled so that `forward * backward` is the marginal.
    pub(crate) backward: Aligned<T>,
    /// `backward * exps / scale`: the factor of the later token in the probability of a pair of
    /// labels. The row of the first token is unused.
    pub(crate) next: Aligned<T>,
    /// Sum of each token's forward variables before normalisation.
    scales: Vec<T>,
}

impl<T: Real> Messages<T> {
    /// Computes the messages for scores in padded rows, at least one; returns the log partition
    /// function.
    ///
    /// Returns None if values are out of range: if all labels of a token are forbidden, if a scale
    /// is below [`Real::MIN_SCALED`] or a backward variable above its inverse, or if the marginals
    /// of the first token do not sum to 1 (underflow or NaN).
    pub(crate) fn run(
        &mut self,
        scores: &[T],
        potentials: &Potentials<T>,
        width: usize,
    ) -> Option<f64> {
        self.resize(scores.len() / width, width);
        dispatch(Run(self, scores, potentials))
    }

    /// Makes room for a sequence; all entries are unspecified.
    pub(crate) fn resize(&mut self, tokens: usize, width: usize) {
        self.width = width;
        let rows = [
            &mut self.exps,
            &mut self.forward,
            &mut self.backward,
            &mut self.next,
        ];
        rows.into_iter()
            .for_each(|rows| rows.resize(tokens * width));
        self.scales.resize(tokens, T::default());
    }

    /// The forward recursion; returns the log partition function. Fills `exps`, `forward` and
    /// `scales`.
    #[inline(always)]
    fn run_forward(&mut self, scores: &[T], potentials: &Potentials<T>) -> Option<f64> {
        let width = self.width;
        let mut log_z = potentials.max * (self.scales.len() - 1) as f64;
        // The product of the scales since the last logarithm, which is the slowest operation of a token.
        let mut product = 1.0;
        for (token, scores) in scores.chunks_exact(width).enumerate() {
            let most = max(scores);
            if most == T::LOWEST {
                return None;
            }
            let exps = &mut self.exps[token * width..][..width];
            exp_minus(scores, most, exps);
            let (before, row) = self.forward.split_at_mut(token * width);
            let row = &mut row[..width];
            if token == 0 {
                row.copy_from_slice(exps);
            } else {
                let before = &before[(token - 1) * width..];
                potentials.forward.multiply(before, row);
                for (sum, exp) in row.iter_mut().zip(&*exps) {
                    *sum *= *exp;
                }
            }
            let scale = sum(row);
            if scale < T::MIN_SCALED {
                return None;
            }
            let inverse = T::from(true) / scale;
            for probability in row {
                *probability *= inverse;
            }
            self.scales[token] = scale;
            log_z += most.into();
            let next = product * scale.into();
            if PRODUCTS.contains(&next) {
                product = next;
            } else {
                log_z += product.ln();
                product = scale.into();
            }
        }
        Some(log_z + product.ln())
    }

    /// The backward recursion, after [`Messages::run_forward`]; fills `backward` and `next`.
    /// Returns whether the values are in range.
    #[inline(always)]
    fn run_backward(&mut self, potentials: &Potentials<T>) -> bool {
        let (width, one) = (self.width, T::from(true));
        let last = self.scales.len() - 1;
        self.backward[last * width..].fill(one);
        let mut most = T::default();
        for token in (0..last).rev() {
            let (rows, after) = self.backward.split_at_mut((token + 1) * width);
            let exps = &self.exps[(token + 1) * width..][..width];
            let next = &mut self.next[(token + 1) * width..][..width];
            let inverse = one / self.scales[token + 1];
            for ((next, after), exp) in next.iter_mut().zip(&after[..width]).zip(exps) {
                *next = *after * *exp * inverse;
            }
            let row = &mut rows[token * width..];
            potentials.backward.multiply(next, row);
            let own = max(row);
            most = if own > most { own } else { most };
        }
        let first = self.forward[..width].iter().zip(&self.backward[..width]);
        let products = first.map(|(forward, backward)| (*forward * *backward).into());
        let total: f64 = products.sum();
        // NaN is not within the tolerance.
        most < one / T::MIN_SCALED && (total - 1.0).abs() < T::TOLERANCE
    }

    /// Adds `weight` times the marginals of all tokens to `rows`, padded rows by token.
    pub(crate) fn add_marginals(&self, weight: T, rows: &mut [T]) {
        dispatch(AddProducts {
            left: &self.forward,
            right: &self.backward,
            weight,
            sums: rows,
        });
    }

    /// Adds `weight` times the probabilities of pairs of neighbouring labels, without the factor of
    /// the potentials, to `sums`, padded and row-major (from, to).
    pub(crate) fn add_pairs(&self, weight: T, sums: &mut [T]) {
        let size = (self.scales.len() - 1) * self.width;
        dispatch(AddOuterProducts {
            left: &self.forward[..size],
            right: &self.next[self.width..][..size],
            width: self.width,
            weight,
            sums,
        });
    }
}

/// Both recursions as one kernel.
struct Run<'a, T>(&'a mut Messages<T>, &'a [T], &'a Potentials<T>);

impl<T: Real> Kernel for Run<'_, T> {
    type Output = Option<f64>;

    #[inline(always)]
    fn call(self) -> Option<f64> {
        let Self(messages, scores, potentials) = self;
        let log_z = messages.run_forward(scores, potentials)?;
        messages.run_backward(potentials).then_some(log_z)
    }
}
