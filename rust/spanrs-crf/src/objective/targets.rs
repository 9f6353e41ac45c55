//! Loss and derivatives of one sequence, for each kind of target.
//!
//! For every kind the derivative is *expected minus observed*. The expected counts come
//! from forward-backward over all labellings; the observed counts are:
//!
//! | target | observed label counts | observed transition counts |
//! |---|---|---|
//! | labels | 1 for the label of the token | 1 for each pair of neighbours |
//! | soft | the token's probabilities | products of neighbouring probabilities |
//! | partial | marginals over the allowed labellings | pair marginals over the allowed labellings |
//! | counts | the given counts | the given counts |
//!
//! Derivatives of label scores are stored in rows, one per token, which the objective (or gradient
//! descent) adds to the weights of the token's attributes.

use crate::corpus::{Corpus, Target};
use crate::error::Result;
use crate::forward_backward::PairSums;
use crate::lattice::Lattice;
use crate::simd::{Real, padded};
use crate::transitions::Transitions;

/// Subtracts the label counts of a target, times `weight`, from padded `rows` by token, and adds its
/// transition counts, times `weight`, to `pairs`, row-major (from, to). Returns the score of the
/// target: the sum of the label and transition scores, weighted by the counts. `scores` are padded
/// rows of label scores.
///
/// Returns None for partial targets, whose counts depend on the model.
pub(crate) fn subtract_target<T: Real>(
    target: &Target,
    transitions: &Transitions,
    weight: f64,
    scores: &[T],
    rows: &mut [T],
    pairs: &mut [f64],
) -> Option<f64> {
    let labels = transitions.labels();
    let width = padded(labels);
    let mut score = 0.0;
    let mut add = |pair: usize, count: f64| {
        pairs[pair] += weight * count;
        score += count * transitions.scores()[pair];
    };
    match target {
        Target::Labels(known) => {
            for pair in known.windows(2) {
                add(pair[0] as usize * labels + pair[1] as usize, 1.0);
            }
            for (token, &label) in known.iter().enumerate() {
                let at = token * width + label as usize;
                rows[at] = rows[at] - T::of(weight);
                score += scores[at].into();
            }
        }
        Target::Soft(known) => {
            // Tokens are independent, so the count of a pair is the product of its probabilities.
            for pair in 0..(known.len() / labels.max(1)).saturating_sub(1) {
                let before = &known[pair * labels..][..labels];
                let after = &known[(pair + 1) * labels..][..labels];
                for (from, p) in before.iter().enumerate().filter(|(_, p)| **p > 0.0) {
                    for (to, q) in after.iter().enumerate() {
                        add(from * labels + to, p * q);
                    }
                }
            }
            score += subtract_labels(known, labels, weight, scores, rows);
        }
        Target::Counts(counts) => {
            for &(pair, count) in counts.transitions() {
                add(pair as usize, count);
            }
            score += subtract_labels(counts.labels(), labels, weight, scores, rows);
        }
        Target::Partial(_) => return None,
    }
    Some(score)
}

/// Subtracts `weight` times the label counts, row-major (token, label), from padded `rows`; returns
/// the label scores weighted by the counts.
fn subtract_labels<T: Real>(
    counts: &[f64],
    labels: usize,
    weight: f64,
    scores: &[T],
    rows: &mut [T],
) -> f64 {
    let width = padded(labels);
    let mut sum = 0.0;
    let tables = rows.chunks_exact_mut(width).zip(scores.chunks_exact(width));
    for (counts, (row, scores)) in counts.chunks_exact(labels.max(1)).zip(tables) {
        for (count, (value, score)) in counts.iter().zip(row.iter_mut().zip(scores)) {
            *value = *value - T::of(weight * count);
            sum += count * (*score).into();
        }
    }
    sum
}

/// Work space in 64 bits: the sums of some sequences. A thread owns it; [`Work::begin`] clears the
/// sums.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Scores of the current sequence.
    lattice: Lattice,
    /// The same scores with only the labels that a partial target allows.
    constrained: Lattice,
    /// Expected transition counts of the model, times weights.
    expected: PairSums,
    /// Observed transition counts, times weights, row-major (from, to).
    observed: Vec<f64>,
    /// Expected transition counts over the labellings that partial targets allow, times weights.
    allowed: PairSums,
}

impl Work {
    /// Clears the sums for a new piece (or sequence).
    pub(crate) fn begin(&mut self, labels: usize) {
        self.expected.clear(labels);
        self.allowed.clear(labels);
        self.observed.clear();
        self.observed.resize(labels * labels, 0.0);
    }

    /// The lattice whose scores [`Work::sequence`] reads.
    pub(crate) fn lattice(&mut self) -> &mut Lattice {
        &mut self.lattice
    }

    /// Adds expected minus observed transition counts to `sums`, row-major (from, to).
    /// `transitions` must be the transitions used for the piece.
    pub(crate) fn add_pairs_to(&self, transitions: &Transitions, sums: &mut [f64]) {
        let expected = self.expected.expected_counts(transitions);
        let both = expected.zip(self.allowed.expected_counts(transitions));
        for ((sum, (expected, allowed)), observed) in sums.iter_mut().zip(both).zip(&self.observed)
        {
            *sum += expected - allowed - observed;
        }
    }

    /// Returns the weighted negative log-likelihood of sequence `at`, whose scores are in the
    /// lattice; adds expected minus observed label counts to its `rows`, and its transition counts
    /// to the sums of the piece.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for scores that are not finite, [`Error::NoPath`] if all labellings, or
    /// all that the target allows, are forbidden.
    pub(crate) fn sequence(
        &mut self,
        corpus: &Corpus,
        transitions: &Transitions,
        at: usize,
        rows: &mut [f64],
    ) -> Result<f64> {
        let weight = corpus.weight(at);
        let log_z = self.lattice.forward_backward(transitions)?;
        let total = corpus.total_weight(at);
        self.lattice
            .add_pairs(transitions, total, &mut self.expected);
        self.lattice.add_marginals(total, rows);
        let (scores, pairs) = (&self.lattice.scores[..], &mut self.observed);
        let target = corpus.target(at);
        let score = match subtract_target(target, transitions, weight, scores, rows, pairs) {
            Some(score) => score,
            None => self.allowed(target, transitions, weight, rows)?,
        };
        Ok(total * log_z - weight * score)
    }

    /// Adds the variances of the labels of sequence `at`, whose scores are in the lattice, to its `rows`, and
    /// subtracts the variances of its transitions from `pairs`, row-major (from, to), both times its weight.
    /// For a partial target, the variances over the allowed labellings are taken off. Returns 0.
    ///
    /// # Errors
    /// Same as [`Work::sequence`].
    pub(crate) fn subtract_variances(
        &mut self,
        corpus: &Corpus,
        transitions: &Transitions,
        at: usize,
        rows: &mut [f64],
        pairs: &mut [f64],
    ) -> Result<f64> {
        let total = corpus.total_weight(at);
        self.lattice.forward_backward(transitions)?;
        self.lattice.add_variances(total, rows);
        self.lattice.add_pair_variances(transitions, -total, pairs);
        if let Target::Partial(allowed) = corpus.target(at) {
            self.constrained.clone_from(&self.lattice);
            self.constrained.allow(allowed)?;
            self.constrained.forward_backward(transitions)?;
            self.constrained.add_variances(-total, rows);
            self.constrained
                .add_pair_variances(transitions, total, pairs);
        }
        Ok(0.0)
    }

    /// Returns the log partition function over the allowed labellings; adds their expected
    /// transition counts, and subtracts their marginals from `rows`, both times `weight`.
    ///
    /// # Errors
    /// [`Error::NoPath`] if none of the allowed labellings is possible.
    fn allowed(
        &mut self,
        target: &Target,
        transitions: &Transitions,
        weight: f64,
        rows: &mut [f64],
    ) -> Result<f64> {
        self.constrained.clone_from(&self.lattice);
        if let Target::Partial(allowed) = target {
            self.constrained.allow(allowed)?;
        }
        let log_z = self.constrained.forward_backward(transitions)?;
        let allowed = &mut self.allowed;
        self.constrained.add_pairs(transitions, weight, allowed);
        self.constrained.add_marginals(-weight, rows);
        Ok(log_z)
    }
}
