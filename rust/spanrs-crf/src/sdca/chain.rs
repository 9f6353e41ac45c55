//! One sequence of a sweep: messages in 32 bits, and a step of the dual variables of each token.
//!
//! Backward messages are computed with the weights at the beginning of the turn. Then, from left to
//! right, the forward message of a token gives its label probabilities, its dual variables and the
//! weights of its attributes change, and the new scores enter the forward message: the next token
//! sees all changes before it.

use std::ops::Range;

use super::lane::Changes;
use super::pairs::Pairs;
use crate::aligned::Aligned;
use crate::bf16::Bf16;
use crate::objective::packed::{Masks, Packed, Table, Tokens};
use crate::simd::{AddOuterProducts, Kernel, LANES, exp_minus, max, sum, sum_lanes};

/// Score of the padding, whose exponential is 0.
const PADDING: f32 = -1e30;

/// Squared length below which a step is not worth its memory traffic.
const MIN_STEP: f32 = 1e-10;

/// Sum of the products of messages below which they are out of range.
const MIN_SUM: f32 = 1e-30;

/// Buffers for one sequence; rows are padded.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    /// Label probabilities of the target, by token.
    pub(super) observed: Aligned<f32>,
    /// Backward messages, by token.
    backward: Aligned<f32>,
    scores: Scores,
    /// Rows of one token.
    token: TokenRows,
}

/// Label scores by token; padded rows.
#[derive(Clone, Debug, Default)]
struct Scores {
    scores: Aligned<f32>,
    /// `exp(score - most)`; 0 for the padding.
    exps: Aligned<f32>,
    /// The largest score of each token.
    most: Vec<f32>,
}

/// Padded rows of one token.
#[derive(Clone, Debug, Default)]
struct TokenRows {
    /// Observed minus dual label probabilities.
    own: Aligned<f32>,
    /// Difference of dual and model probabilities, then the step of the scores.
    step: Aligned<f32>,
    /// Change of the scores.
    change: Aligned<f32>,
    product: Aligned<f32>,
}

impl Buffers {
    /// Makes room for a sequence.
    pub(super) fn resize(&mut self, tokens: usize, width: usize) {
        self.observed.resize(tokens * width);
        self.backward.resize(tokens * width);
        self.scores.scores.resize(tokens * width);
        self.scores.exps.resize(tokens * width);
        self.scores.most.resize(tokens, 0.0);
        let TokenRows {
            own,
            step,
            change,
            product,
        } = &mut self.token;
        for row in [own, step, change, product] {
            row.resize(width);
        }
    }
}

/// Messages of the sequences of a chunk, from which the pairs are counted; padded rows by token.
#[derive(Clone, Debug, Default)]
pub(super) struct PairRows {
    /// Forward messages.
    pub(super) forward: Aligned<f32>,
    /// Weight times exponentials times backward messages, normalised so that the product with the
    /// forward message before and the exponential of the transition is the weighted probability of a
    /// pair; 0 for first tokens.
    pub(super) next: Aligned<f32>,
    /// Weight of each token.
    weights: Vec<f32>,
    width: usize,
}

impl PairRows {
    /// Makes room for the tokens of a chunk.
    pub(super) fn clear(&mut self, tokens: usize, width: usize) {
        self.forward.resize(tokens * width);
        self.next.resize(tokens * width);
        self.weights.clear();
        self.width = width;
    }

    /// The rows of the next sequence, `forward` and `next`.
    pub(super) fn next(&mut self, tokens: usize, weight: f32) -> (&mut [f32], &mut [f32]) {
        let start = self.weights.len() * self.width;
        self.weights.resize(self.weights.len() + tokens, weight);
        let end = self.weights.len() * self.width;
        (&mut self.forward[start..end], &mut self.next[start..end])
    }

    /// Adds the products of the rows of neighbours to `sums`, row-major (from, to).
    #[inline(always)]
    pub(super) fn add_products(&self, width: usize, sums: &mut [f32]) {
        let last = self.forward.len() - width;
        AddOuterProducts {
            left: &self.forward[..last],
            right: &self.next[width..],
            width,
            weight: 1.0,
            sums,
        }
        .call();
    }

    /// Squares the probabilities: products of the rows become the weighted squares.
    #[inline(always)]
    pub(super) fn square(&mut self) {
        self.forward.iter_mut().for_each(|value| *value *= *value);
        for (row, weight) in self.next.chunks_exact_mut(self.width).zip(&self.weights) {
            let inverse = 1.0 / *weight;
            row.iter_mut()
                .for_each(|value| *value = *value * *value * inverse);
        }
    }
}

/// What a turn contributes to the sums of a sweep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TurnSums {
    /// Estimate of the gap.
    pub(super) gap: f64,
    /// Weighted negative log-likelihood, without the scores of the observed transitions. Scores
    /// change on the way.
    pub(super) loss: f64,
}

/// A sequence's turn in a sweep.
pub(super) struct Turn<'a> {
    pub(super) packed: &'a Packed,
    pub(super) masks: &'a Masks,
    /// State weights of the groups, as scores.
    pub(super) weights: &'a mut Table<f32>,
    pub(super) pairs: &'a Pairs,
    /// Observed minus dual label probabilities, divided by `ratio`, by token of the sequence; padded rows.
    pub(super) differences: &'a mut [Bf16],
    pub(super) ratio: f32,
    pub(super) buffers: &'a mut Buffers,
    /// Rows of [`PairRows`] for this sequence.
    pub(super) rows: (&'a mut [f32], &'a mut [f32]),
    pub(super) tokens: Range<usize>,
    /// Items of the tokens.
    pub(super) view: Tokens<'a>,
    pub(super) labels: usize,
    /// Weight of the sequence.
    pub(super) weight: f32,
    /// `1 / (2 c2)`.
    pub(super) scale: f32,
    /// Factor of the curvature.
    pub(super) factor: f32,
    /// A token whose part of the gap is smaller keeps its dual variables.
    pub(super) least: f32,
    /// The steps of this turn.
    pub(super) changes: &'a mut Changes,
}

impl Kernel for Turn<'_> {
    type Output = TurnSums;

    #[inline(always)]
    fn call(mut self) -> TurnSums {
        let mut backward = std::mem::take(&mut self.buffers.backward);
        let mut rows = std::mem::take(&mut self.buffers.token);
        let mut scores = std::mem::take(&mut self.buffers.scores);
        self.score(0, &mut scores);
        self.backward(&mut backward, &mut scores, &mut rows.product);
        let mut sums = TurnSums::default();
        for at in 0..self.tokens.len() {
            let backward = &backward[at * self.packed.width()..][..self.packed.width()];
            // Scores are up to date until weights change.
            if !self.changes.tokens.is_empty() {
                self.score(at, &mut scores);
            }
            let (gap, loss) = self.token(at, backward, &scores, &mut rows);
            sums.gap += f64::from(gap * self.weight);
            sums.loss += f64::from(loss * self.weight);
        }
        (self.buffers.backward, self.buffers.token) = (backward, rows);
        self.buffers.scores = scores;
        sums
    }
}

impl Turn<'_> {
    /// Computes the scores of a token and their exponentials.
    #[inline(always)]
    fn score(&self, at: usize, rows: &mut Scores) {
        let width = self.packed.width();
        let scores = &mut rows.scores[at * width..][..width];
        scores[..self.labels].fill(0.0);
        scores[self.labels..].fill(PADDING);
        self.packed
            .gather(self.view, self.weights, self.tokens.start + at, scores);
        let most = max(scores);
        exp_minus(scores, most, &mut rows.exps[at * width..][..width]);
        rows.most[at] = most;
    }

    /// Computes the backward messages.
    #[inline(always)]
    fn backward(&self, backward: &mut [f32], scores: &mut Scores, product: &mut [f32]) {
        let width = self.packed.width();
        let last = self.tokens.len() - 1;
        let row = &mut backward[last * width..];
        row[..self.labels].fill(1.0);
        row[self.labels..].fill(0.0);
        for at in (1..=last).rev() {
            self.score(at, scores);
            let (before, after) = backward.split_at_mut(at * width);
            let row = &mut before[(at - 1) * width..];
            let factors = scores.exps[at * width..].iter().zip(after);
            for (product, (exp, after)) in product.iter_mut().zip(factors) {
                *product = exp * *after;
            }
            self.pairs.potentials.backward.multiply(product, row);
            let inverse = 1.0 / max(row).max(MIN_SUM);
            row.iter_mut().for_each(|value| *value *= inverse);
        }
    }

    /// Computes the forward message of a token and takes a step of its dual variables. Returns its
    /// parts of the gap and of the negative log-likelihood.
    #[inline(always)]
    fn token(
        &mut self,
        at: usize,
        backward: &[f32],
        scores: &Scores,
        rows: &mut TokenRows,
    ) -> (f32, f32) {
        let width = self.packed.width();
        let exps = &scores.exps[at * width..][..width];
        let (before, row) = self.rows.0.split_at_mut(at * width);
        let row = &mut row[..width];
        let next = &mut self.rows.1[at * width..][..width];
        if at == 0 {
            row.copy_from_slice(exps);
        } else {
            let before = &before[(at - 1) * width..];
            self.pairs.potentials.forward.multiply(before, row);
            for (value, exp) in row.iter_mut().zip(exps) {
                *value *= exp;
            }
        }
        let observed = &self.buffers.observed[at * width..][..width];
        let stored = &self.differences[at * width..][..width];
        for (own, stored) in rows.own.iter_mut().zip(stored) {
            *own = self.ratio * stored.value();
        }
        let difference = Difference::of((row, backward), (observed, &rows.own), &mut rows.step);
        if difference.total.is_nan() || difference.total <= MIN_SUM {
            // The path so far cannot be continued within the range of 32 bits. The token keeps its
            // dual variables, and the message begins anew.
            let inverse = 1.0 / sum(exps);
            for (value, exp) in row.iter_mut().zip(exps) {
                *value = exp * inverse;
            }
            next.fill(0.0);
            return (1.0, -MIN_SUM.ln());
        }
        let factor = if at == 0 {
            0.0
        } else {
            self.weight / difference.total
        };
        for ((next, exp), backward) in next.iter_mut().zip(exps).zip(backward) {
            *next = exp * backward * factor;
        }
        let mut loss = scores.most[at] + sum(row).ln();
        if at > 0 {
            loss += self.pairs.potentials.max as f32;
        }
        // The scores of the padding are finite, and the observed probabilities are 0.
        loss -= product(&scores.scores[at * width..][..width], observed);
        if difference.norm > MIN_STEP && difference.gap * self.weight > self.least {
            self.step(at, &difference, rows);
            let row = &mut self.rows.0[at * width..][..width];
            for (value, factor) in row.iter_mut().zip(&*rows.product) {
                *value *= factor;
            }
        }
        let row = &mut self.rows.0[at * width..][..width];
        let inverse = 1.0 / sum(row);
        row.iter_mut().for_each(|value| *value *= inverse);
        (difference.gap, loss)
    }

    /// Takes a step of the dual variables of a token and of the weights. `rows.step` is the difference;
    /// afterwards it is the step of the label scores, and `rows.product` are the exponentials of their
    /// changes, times a factor.
    #[inline(always)]
    fn step(&mut self, at: usize, difference: &Difference, rows: &mut TokenRows) {
        let (token, width) = (self.tokens.start + at, self.packed.width());
        let squares = self.packed.squares(self.view, token);
        let curvature = self.factor * squares * self.scale * self.weight * difference.curvature();
        let step = 1.0 / (1.0 + curvature);
        let (ratio, inverse) = (self.ratio, 1.0 / self.ratio);
        let stored = &mut self.differences[at * width..][..width];
        for ((stored, own), d) in stored.iter_mut().zip(&*rows.own).zip(&mut *rows.step) {
            *stored = Bf16::of((own + step * *d) * inverse);
            // The step to the rounded number: weights remain sums of what is stored.
            *d = (ratio * stored.value() - own) * (self.weight * self.scale);
        }
        // The step rounds to 0, so neither weights nor scores change.
        if rows.step.iter().all(|d| *d == 0.0) {
            rows.product.fill(1.0);
            return;
        }
        rows.change.fill(0.0);
        let change = Some(&mut *rows.change);
        self.packed.step(
            self.weights,
            self.masks,
            (self.view, token),
            &rows.step,
            change,
        );
        self.changes.tokens.push(token);
        self.changes.steps.extend_from_slice(&rows.step);
        exp_minus(&rows.change, max(&rows.change), &mut rows.product);
    }
}

/// The inner product of padded rows.
#[inline(always)]
fn product(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let right = right.as_chunks::<LANES>().0;
    for (left, right) in left.as_chunks::<LANES>().0.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    sum_lanes(sums)
}

/// The dual label probabilities of a token minus those of the model.
struct Difference {
    /// Sum of the products of the messages.
    total: f32,
    /// Sum of `d^2 / (dual + model)`, an estimate of the divergence between both.
    gap: f32,
    /// Sum of squares.
    norm: f32,
    /// Sums of `m d` and `m d^2`, with the mean `m` of both.
    mean: f32,
    square: f32,
}

impl Difference {
    /// Writes the difference to `out`.
    #[inline(always)]
    fn of(
        (forward, backward): (&[f32], &[f32]),
        (observed, differences): (&[f32], &[f32]),
        out: &mut [f32],
    ) -> Self {
        let mut total = [0.0; LANES];
        let out = out.as_chunks_mut::<LANES>().0;
        let forward = forward.as_chunks::<LANES>().0;
        let backward = backward.as_chunks::<LANES>().0;
        for ((out, forward), backward) in out.iter_mut().zip(forward).zip(backward) {
            for lane in 0..LANES {
                out[lane] = forward[lane] * backward[lane];
                total[lane] += out[lane];
            }
        }
        let total = sum_lanes(total);
        let inverse = 1.0 / total;
        let [mut gap, mut norm, mut mean, mut square] = [[0.0; LANES]; 4];
        let observed = observed.as_chunks::<LANES>().0;
        let differences = differences.as_chunks::<LANES>().0;
        for ((out, observed), own) in out.iter_mut().zip(observed).zip(differences) {
            for lane in 0..LANES {
                let model = out[lane] * inverse;
                let dual = observed[lane] - own[lane];
                let (d, both) = (dual - model, dual + model);
                let m = if both > 0.0 { 0.5 * both } else { 0.0 };
                // Two distributions differ by at most their sum; dual variables that are rounded or were
                // kept for other targets may be negative.
                let least = d.abs() + 1e-9;
                gap[lane] += d * d / if both > least { both } else { least };
                norm[lane] += d * d;
                mean[lane] += m * d;
                square[lane] += m * d * d;
                out[lane] = d;
            }
        }
        Self {
            total,
            gap: sum_lanes(gap),
            norm: sum_lanes(norm),
            mean: sum_lanes(mean),
            square: sum_lanes(square),
        }
    }

    /// The Rayleigh quotient of `diag(m) - m m'` along the difference.
    #[inline(always)]
    fn curvature(&self) -> f32 {
        (self.square - self.mean * self.mean).max(0.0) / self.norm
    }
}
