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

use std::ops::Range;

use crate::aligned::Aligned;
use crate::corpus::{Corpus, Target};
use crate::error::{Error, Result};
use crate::forward_backward::PairSums;
use crate::lattice::Lattice;
use crate::simd::{Kernel, dispatch, padded};
use crate::transitions::Transitions;

use super::packed::{Packed, Table};

/// Adds the state scores of a range of tokens to their padded rows.
struct AddScores<'a>(&'a Packed, &'a Table<f32>, Range<usize>, &'a mut [f64]);

impl Kernel for AddScores<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(packed, weights, tokens, rows) = self;
        for (token, row) in tokens.zip(rows.chunks_exact_mut(packed.width())) {
            packed.add_scores(weights, token, row);
        }
    }
}

/// Work space of one piece of the corpus: the sums of its sequences. A thread owns it while it
/// processes the piece; [`Work::begin`] clears the sums.
#[derive(Debug, Default)]
pub(crate) struct Work {
    /// Scores of the current sequence.
    lattice: Lattice,
    /// The same scores with only the labels that a partial target allows.
    constrained: Lattice,
    /// Weighted negative log-likelihood of the sequences so far.
    loss: f64,
    /// Expected minus observed label counts of the tokens, times weights; padded rows.
    rows: Aligned<f64>,
    /// Expected transition counts of the model, times weights.
    expected: PairSums,
    /// Observed transition counts, times weights, row-major (from, to).
    observed: Vec<f64>,
    /// Expected transition counts over the labellings that partial targets allow, times weights.
    allowed: PairSums,
    /// Labels of the current sequence.
    labels: Vec<usize>,
}

impl Work {
    /// Clears the sums for a new piece (or sequence).
    pub(crate) fn begin(&mut self, labels: usize) {
        self.expected.clear(labels);
        self.allowed.clear(labels);
        self.observed.clear();
        self.observed.resize(labels * labels, 0.0);
        self.loss = 0.0;
    }

    /// The lattice whose scores [`Work::sequence`] reads.
    pub(crate) fn lattice(&mut self) -> &mut Lattice {
        &mut self.lattice
    }

    /// Computes loss and derivatives of a range of sequences; earlier sums are cleared. Sequences
    /// with the weight 0 keep rows of zeros.
    ///
    /// # Errors
    /// Same as [`Work::sequence`], for the first sequence that fails.
    pub(crate) fn run(
        &mut self,
        corpus: &Corpus,
        transitions: &Transitions,
        sequences: Range<usize>,
        (packed, weights): (&Packed, &Table<f32>),
    ) -> Result<()> {
        let labels = corpus.labels();
        let width = padded(labels);
        self.begin(labels);
        let mut rows = std::mem::take(&mut self.rows);
        let tokens = |at| corpus.sequence(at).len();
        rows.resize(sequences.clone().map(tokens).sum::<usize>() * width);
        rows.fill(0.0);
        let mut start = 0;
        for at in sequences {
            let tokens = corpus.sequence(at);
            let size = tokens.len() * width;
            if corpus.total_weight(at) == 0.0 {
                start += size;
                continue;
            }
            self.lattice.reset(tokens.len(), labels);
            let scores = &mut self.lattice.scores[..];
            dispatch(AddScores(packed, weights, tokens, scores));
            self.loss += self.sequence(corpus, transitions, at, &mut rows[start..start + size])?;
            start += size;
        }
        self.rows = rows;
        Ok(())
    }

    /// Weighted negative log-likelihood of the sequences of the piece.
    pub(crate) fn loss(&self) -> f64 {
        self.loss
    }

    /// Expected minus observed label counts of the tokens, padded rows.
    pub(crate) fn rows(&self) -> &[f64] {
        &self.rows
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
        let (labels, weight) = (corpus.labels(), corpus.weight(at));
        let width = padded(labels);
        let log_z = self.lattice.forward_backward(transitions)?;
        if !log_z.is_finite() {
            return Err(Error::NotFinite);
        }
        let total = corpus.total_weight(at);
        self.lattice
            .add_pairs(transitions, total, &mut self.expected);
        self.lattice.add_marginals(total, rows);
        let observed = match corpus.target(at) {
            Target::Labels(known) => {
                self.labels.clear();
                self.labels
                    .extend(known.iter().map(|&label| label as usize));
                for (token, &label) in self.labels.iter().enumerate() {
                    rows[token * width + label] -= weight;
                }
                for pair in self.labels.windows(2) {
                    self.observed[pair[0] * labels + pair[1]] += weight;
                }
                self.lattice.score(&self.labels, transitions)?
            }
            Target::Soft(known) => {
                let own = self.subtract_labels(known, weight, rows);
                own + self.soft_pairs(known, transitions, weight)
            }
            Target::Partial(known) => self.allowed(known, transitions, weight, rows)?,
            Target::Counts(counts) => {
                let mut own = self.subtract_labels(counts.labels(), weight, rows);
                for &(pair, count) in counts.transitions() {
                    self.observed[pair as usize] += weight * count;
                    own += count * transitions.scores()[pair as usize];
                }
                own
            }
        };
        Ok(total * log_z - weight * observed)
    }

    /// Subtracts `weight` times the label counts, row-major (token, label), from `rows`; returns
    /// the label scores weighted by the counts.
    fn subtract_labels(&self, counts: &[f64], weight: f64, rows: &mut [f64]) -> f64 {
        let (labels, width) = (self.lattice.labels(), padded(self.lattice.labels()));
        let mut sum = 0.0;
        for (token, counts) in counts.chunks_exact(labels.max(1)).enumerate() {
            for (difference, count) in rows[token * width..].iter_mut().zip(counts) {
                *difference -= weight * count;
            }
            let scores = self.lattice.scores(token).iter().zip(counts);
            sum += scores.map(|(score, count)| score * count).sum::<f64>();
        }
        sum
    }

    /// Adds the transition counts of soft labels, times `weight`; returns the transition scores
    /// weighted by the counts. Tokens are independent, so the count of a pair is the product of its
    /// probabilities.
    fn soft_pairs(&mut self, known: &[f64], transitions: &Transitions, weight: f64) -> f64 {
        let labels = transitions.labels();
        let mut sum = 0.0;
        let rows: Vec<&[f64]> = known.chunks_exact(labels).collect();
        for pair in rows.windows(2) {
            for (from, p) in pair[0].iter().enumerate().filter(|(_, p)| **p > 0.0) {
                for (to, q) in pair[1].iter().enumerate() {
                    self.observed[from * labels + to] += weight * p * q;
                    sum += p * q * transitions.score(from, to);
                }
            }
        }
        sum
    }

    /// Returns the log partition function over the allowed labellings; adds their expected
    /// transition counts, and subtracts their marginals from `rows`, both times `weight`.
    ///
    /// # Errors
    /// [`Error::NoPath`] if none of the allowed labellings is possible.
    fn allowed(
        &mut self,
        known: &[bool],
        transitions: &Transitions,
        weight: f64,
        rows: &mut [f64],
    ) -> Result<f64> {
        self.constrained.clone_from(&self.lattice);
        self.constrained.allow(known)?;
        let log_z = self.constrained.forward_backward(transitions)?;
        let allowed = &mut self.allowed;
        self.constrained.add_pairs(transitions, weight, allowed);
        self.constrained.add_marginals(-weight, rows);
        Ok(log_z)
    }
}
