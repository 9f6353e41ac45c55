//! The dual variables of a corpus, and a sweep over them.

use std::ops::Range;

use spanrs_base::{Clock, Rng, Watch};

use super::Sdca;
use super::chain::{Buffers, PairRows, Turn, TurnSums};
use super::pairs::{ChunkCounts, PairStep, Pairs};
use crate::aligned::Aligned;
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::objective::packed::{Masks, Packed, Table};
use crate::objective::targets::subtract_target;
use crate::simd::dispatch;
use crate::transitions::Transitions;

/// Least number of tokens of a chunk, and least number for each label of the padded rows: the pairs of
/// a chunk take as much memory as the tokens of two rows of labels.
const CHUNK_TOKENS: usize = 128;
const CHUNK_ROWS: usize = 2;

/// The state of the sweeps.
pub(super) struct Dual<'a> {
    corpus: &'a Corpus,
    packed: &'a Packed,
    masks: Masks,
    /// State weights of the groups, as scores.
    weights: Table<f32>,
    pairs: Pairs,
    /// Observed minus dual label probabilities, by token of the corpus; padded rows.
    differences: Aligned<f32>,
    /// Sequences with a weight above 0, in a random order.
    order: Vec<usize>,
    /// Ranges of `order`.
    chunks: Vec<Range<usize>>,
    buffers: Buffers,
    rows: PairRows,
    counts: ChunkCounts,
    /// Scores of 0, for the counts of targets.
    zeros: Vec<f32>,
    transitions: Transitions,
    clock: Clock,
    /// `1 / (2 c2)`.
    scale: f32,
    /// Factor of the curvature of transitions.
    caution: f32,
}

/// What a sweep found, each at the time of its sequence.
pub(super) struct Sweep {
    /// Estimate of the gap; infinite if a probability was not a number.
    pub(super) gap: f64,
    /// Weighted negative log-likelihood.
    pub(super) loss: f64,
}

impl<'a> Dual<'a> {
    /// Dual variables equal to the observed probabilities, and weights of 0.
    pub(super) fn new(
        corpus: &'a Corpus,
        packed: &'a Packed,
        features: &Features,
        options: &Sdca,
        watch: Watch,
    ) -> Self {
        let width = packed.width();
        let sequences = 0..corpus.sequences();
        let mut order: Vec<usize> = sequences
            .filter(|&at| corpus.total_weight(at) > 0.0 && !corpus.sequence(at).is_empty())
            .collect();
        Rng::new(options.seed).shuffle(&mut order);
        let (mut chunks, mut start, mut tokens) = (Vec::new(), 0, 0);
        for (at, &sequence) in order.iter().enumerate() {
            tokens += corpus.sequence(sequence).len();
            if tokens >= CHUNK_TOKENS.max(CHUNK_ROWS * width) || at + 1 == order.len() {
                chunks.push(start..at + 1);
                (start, tokens) = (at + 1, 0);
            }
        }
        Self {
            corpus,
            packed,
            masks: packed.masks(features),
            weights: packed.table(),
            pairs: Pairs::new(features, width, chunks.len()),
            differences: Aligned::new(corpus.tokens() * width),
            order,
            chunks,
            buffers: Buffers::default(),
            rows: PairRows::default(),
            counts: ChunkCounts::default(),
            zeros: Vec::new(),
            transitions: Transitions::zero(corpus.labels()),
            clock: Clock::new(watch),
            scale: (0.5 / options.c2) as f32,
            // Weaker penalties need smaller steps of the transitions; found by experiments.
            caution: (1.5 / options.c2).clamp(1.0, 16.0) as f32,
        }
    }

    /// A step of all dual variables, in a random order of the chunks. `number` counts from 1.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(super) fn sweep(&mut self, number: usize, rng: &mut Rng) -> Result<Sweep> {
        let mut chunks: Vec<usize> = (0..self.chunks.len()).collect();
        rng.shuffle(&mut chunks);
        let mut sweep = Sweep {
            gap: 0.0,
            loss: 0.0,
        };
        let width = self.packed.width();
        // The first steps of the transitions are small, since state weights are not known yet.
        let caution = self.caution * (1.0 + 9.0 / (number * number) as f32);
        for chunk in chunks {
            if self.clock.stops() {
                return Err(Error::Interrupted);
            }
            self.counts.clear(self.corpus.labels(), width);
            let sequences = self.chunks[chunk].clone();
            let tokens = self.order[sequences.clone()].iter();
            let tokens: usize = tokens.map(|&at| self.corpus.sequence(at).len()).sum();
            self.rows.clear(tokens, width);
            for at in sequences {
                let sums = self.turn(self.order[at]);
                sweep.gap += sums.gap;
                sweep.loss += sums.loss;
            }
            let (gap, score) = dispatch(PairStep {
                pairs: &mut self.pairs,
                chunk,
                counts: &mut self.counts,
                rows: &mut self.rows,
                scale: self.scale,
                caution,
            });
            sweep.gap += gap;
            sweep.loss -= score;
            if !sweep.gap.is_finite() {
                sweep.gap = f64::INFINITY;
                break;
            }
        }
        Ok(sweep)
    }

    /// A step of the dual variables of a sequence.
    fn turn(&mut self, at: usize) -> TurnSums {
        let tokens = self.corpus.sequence(at);
        self.buffers.resize(tokens.len(), self.packed.width());
        let observed = &mut self.buffers.observed;
        observed.fill(0.0);
        let (weight, total) = (self.corpus.weight(at), self.corpus.total_weight(at));
        self.zeros.resize(observed.len(), 0.0);
        let (target, pairs) = (self.corpus.target(at), &mut self.counts.observed);
        let zeros = &self.zeros[..observed.len()];
        subtract_target(target, &self.transitions, weight, zeros, observed, pairs);
        // Counts of weighted labellings sum to `total / weight` for each token.
        let inverse = (-1.0 / total) as f32;
        observed.iter_mut().for_each(|count| *count *= inverse);
        let turn = Turn {
            packed: self.packed,
            masks: &self.masks,
            weights: &mut self.weights,
            pairs: &self.pairs,
            differences: &mut self.differences,
            buffers: &mut self.buffers,
            rows: self.rows.next(tokens.len(), total as f32),
            tokens,
            labels: self.corpus.labels(),
            weight: total as f32,
            scale: self.scale,
        };
        dispatch(turn)
    }

    /// Writes the weights to the parameters of the groups, in the order of the features.
    pub(super) fn to_parameters(&self, features: &Features, parameters: &mut [f64]) {
        self.packed
            .to_parameters(features, &self.weights, parameters);
        let (first, pairs) = features.pairs();
        let labels = features.labels();
        for (parameter, &pair) in parameters[first..].iter_mut().zip(pairs) {
            let (from, to) = (pair as usize / labels, pair as usize % labels);
            *parameter = f64::from(self.pairs.weight(from, to));
        }
    }
}
