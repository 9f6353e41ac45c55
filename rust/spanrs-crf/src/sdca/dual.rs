//! The dual variables of a corpus, and a sweep over them.

use std::ops::Range;

use spanrs_base::{Clock, Rng};

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

/// What sweeps read: targets, and items. The features are those of the groups.
#[derive(Clone, Copy)]
pub(crate) struct Data<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) packed: &'a Packed,
    pub(crate) features: &'a Features,
}

impl Data<'_> {
    /// The sequences to train on.
    fn sequences(&self) -> impl Iterator<Item = usize> {
        let trained = |at: &usize| {
            self.corpus.total_weight(*at) > 0.0 && !self.corpus.sequence(*at).is_empty()
        };
        (0..self.corpus.sequences()).filter(trained)
    }
}

/// Tokens keep their dual variables if their part of the gap is below this fraction of the mean in the
/// sweep before: most tokens are easy, and a step costs as much as the rest of the turn.
const SMALL_PART: f32 = 0.1;

/// Number of sweeps that visit all chunks.
const FULL_SWEEPS: usize = 3;

/// Largest number of successive sweeps that skip a chunk.
const MOST_SKIPPED: u32 = 4;

/// The state of the sweeps. The weights are always a sum of the differences, times the weights of the
/// sequences.
#[derive(Debug)]
pub(crate) struct Dual {
    masks: Masks,
    /// State weights of the groups, as scores.
    weights: Table<f32>,
    pairs: Pairs,
    /// Observed minus dual label probabilities, by token of the corpus; padded rows.
    differences: Aligned<f32>,
    /// Sequences to train on, in a random order, and the weight of each in the last sweep.
    order: Vec<usize>,
    totals: Vec<f64>,
    /// Ranges of `order`.
    chunks: Vec<Range<usize>>,
    /// The last visit of each chunk.
    visits: Vec<Visit>,
    buffers: Buffers,
    rows: PairRows,
    counts: ChunkCounts,
    /// Scores of 0, for the counts of targets.
    zeros: Vec<f32>,
    transitions: Transitions,
    /// The order of the chunks in each sweep.
    rng: Rng,
    /// Number of sweeps so far.
    sweeps: usize,
    /// `1 / (2 c2)`.
    scale: f32,
    /// Factor of the curvature of tokens.
    factor: f32,
    /// Tokens whose part of the gap is smaller keep their dual variables.
    least: f32,
    /// Number of tokens to train on.
    tokens: usize,
    /// Factor of the curvature of transitions.
    caution: f32,
}

/// What a chunk contributed at its last visit, and the number of sweeps that have skipped it since.
#[derive(Clone, Copy, Debug, Default)]
struct Visit {
    gap: f64,
    loss: f64,
    skipped: u32,
}

/// What a sweep found, each at the time of its sequence.
pub(super) struct Sweep {
    /// Estimate of the gap; infinite if a probability was not a number.
    pub(super) gap: f64,
    /// Weighted negative log-likelihood.
    pub(super) loss: f64,
}

impl Dual {
    /// Dual variables equal to the observed probabilities, and weights of 0.
    pub(super) fn new(data: Data, options: &Sdca) -> Self {
        let Data {
            corpus,
            packed,
            features,
        } = data;
        let width = packed.width();
        let mut rng = Rng::new(options.seed);
        let mut order: Vec<usize> = data.sequences().collect();
        rng.shuffle(&mut order);
        let (mut chunks, mut start, mut tokens) = (Vec::new(), 0, 0);
        for (at, &sequence) in order.iter().enumerate() {
            tokens += corpus.sequence(sequence).len();
            if tokens >= CHUNK_TOKENS.max(CHUNK_ROWS * width) || at + 1 == order.len() {
                chunks.push(start..at + 1);
                (start, tokens) = (at + 1, 0);
            }
        }
        Self {
            masks: packed.masks(features),
            weights: packed.table(),
            pairs: Pairs::new(features, width, chunks.len()),
            differences: Aligned::new(corpus.tokens() * width),
            totals: order.iter().map(|&at| corpus.total_weight(at)).collect(),
            tokens: order.iter().map(|&at| corpus.sequence(at).len()).sum(),
            order,
            visits: vec![Visit::default(); chunks.len()],
            chunks,
            buffers: Buffers::default(),
            rows: PairRows::default(),
            counts: ChunkCounts::default(),
            zeros: Vec::new(),
            transitions: Transitions::zero(corpus.labels()),
            rng,
            sweeps: 0,
            factor: 1.0,
            least: 0.0,
            scale: (0.5 / options.c2) as f32,
            // Weaker penalties need smaller steps of the transitions; found by experiments.
            caution: (1.5 / options.c2).clamp(1.0, 16.0) as f32,
        }
    }

    /// Prepares sweeps over new targets and weights of the same sequences, as in EM. The weights of the
    /// features, and so the products of differences and weights of sequences, do not change. Returns
    /// false if other sequences have a weight above 0.
    pub(super) fn resume(&mut self, data: Data) -> bool {
        let mut known = self.order.clone();
        known.sort_unstable();
        if !known.into_iter().eq(data.sequences()) {
            return false;
        }
        let width = data.packed.width();
        for (&at, total) in self.order.iter().zip(&mut self.totals) {
            let now = data.corpus.total_weight(at);
            let tokens = data.corpus.sequence(at);
            let ratio = (*total / now) as f32;
            let differences = &mut self.differences[tokens.start * width..tokens.end * width];
            differences.iter_mut().for_each(|value| *value *= ratio);
            *total = now;
        }
        self.visits.fill(Visit::default());
        true
    }

    /// A step of the dual variables, in a random order of the chunks. Chunks whose part of the gap is below
    /// the mean are visited in every fifth sweep only.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
    pub(super) fn sweep(&mut self, data: Data, clock: &mut Clock) -> Result<Sweep> {
        let corpus = data.corpus;
        let mut chunks: Vec<usize> = (0..self.chunks.len()).collect();
        self.rng.shuffle(&mut chunks);
        self.sweeps += 1;
        let mut sweep = Sweep {
            gap: 0.0,
            loss: 0.0,
        };
        let width = data.packed.width();
        // The first steps of the transitions are small, since state weights are not known yet, and
        // those of the state weights are large. Without this the first sweeps may move away from the
        // optimum.
        let early = 1.0 / (self.sweeps * self.sweeps) as f32;
        let caution = self.caution * (1.0 + 39.0 * early);
        self.factor = 1.0 - 0.5 * early;
        // Chunks with a small part of the gap can wait.
        let mean = self.visits.iter().map(|visit| visit.gap).sum::<f64>() / chunks.len() as f64;
        for chunk in chunks {
            let visit = &mut self.visits[chunk];
            if self.sweeps > FULL_SWEEPS && visit.gap < mean && visit.skipped < MOST_SKIPPED {
                visit.skipped += 1;
                sweep.gap += visit.gap;
                sweep.loss += visit.loss;
                continue;
            }
            let before = (sweep.gap, sweep.loss);
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            self.counts.clear(corpus.labels(), width);
            let sequences = self.chunks[chunk].clone();
            let tokens = self.order[sequences.clone()].iter();
            let tokens: usize = tokens.map(|&at| corpus.sequence(at).len()).sum();
            self.rows.clear(tokens, width);
            for at in sequences {
                let sums = self.turn(data, self.order[at]);
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
            self.visits[chunk] = Visit {
                gap: sweep.gap - before.0,
                loss: sweep.loss - before.1,
                skipped: 0,
            };
            if !sweep.gap.is_finite() {
                sweep.gap = f64::INFINITY;
                break;
            }
        }
        self.least = SMALL_PART * (sweep.gap / self.tokens as f64) as f32;
        Ok(sweep)
    }

    /// A step of the dual variables of a sequence.
    fn turn(&mut self, data: Data, at: usize) -> TurnSums {
        let Data { corpus, packed, .. } = data;
        let tokens = corpus.sequence(at);
        self.buffers.resize(tokens.len(), packed.width());
        let observed = &mut self.buffers.observed;
        observed.fill(0.0);
        let (weight, total) = (corpus.weight(at), corpus.total_weight(at));
        self.zeros.resize(observed.len(), 0.0);
        let (target, pairs) = (corpus.target(at), &mut self.counts.observed);
        let zeros = &self.zeros[..observed.len()];
        subtract_target(target, &self.transitions, weight, zeros, observed, pairs);
        // Counts of weighted labellings sum to `total / weight` for each token.
        let inverse = (-1.0 / total) as f32;
        observed.iter_mut().for_each(|count| *count *= inverse);
        let turn = Turn {
            packed,
            masks: &self.masks,
            weights: &mut self.weights,
            pairs: &self.pairs,
            differences: &mut self.differences,
            buffers: &mut self.buffers,
            rows: self.rows.next(tokens.len(), total as f32),
            tokens,
            labels: corpus.labels(),
            weight: total as f32,
            scale: self.scale,
            factor: self.factor,
            least: self.least,
            changed: false,
        };
        dispatch(turn)
    }

    /// The sum of the squared parameters.
    pub(super) fn squares(&self, data: Data) -> f64 {
        data.packed.parameter_squares(&self.weights) + self.pairs.squares()
    }

    /// Writes the weights to the parameters of the groups, in the order of the features.
    pub(super) fn to_parameters(&self, data: Data, parameters: &mut [f64]) {
        let features = data.features;
        data.packed
            .to_parameters(features, &self.weights, parameters);
        let (first, pairs) = features.pairs();
        let labels = features.labels();
        for (parameter, &pair) in parameters[first..].iter_mut().zip(pairs) {
            let (from, to) = (pair as usize / labels, pair as usize % labels);
            *parameter = f64::from(self.pairs.weight(from, to));
        }
    }
}
