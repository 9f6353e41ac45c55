//! Online training: decode a sequence with the current weights, and if the best labelling is wrong,
//! move the weights towards the correct labelling.
//!
//! With `D` the features of gold minus the features of pred, `margin = score(pred) - score(gold)`
//! (at least 0), `k` the number of wrong labels and `omega` the weight of the sequence:
//!
//! | update | step | loss |
//! |---|---|---|
//! | perceptron (Collins 2002) | `w += omega D` | `omega k` |
//! | passive-aggressive (Crammer et al. 2006) | `w += omega tau D` | `omega cost` |
//! | AROW (Mejer and Crammer 2010) | `w += omega cost / (D' S D + gamma) * S D` | `omega cost` |
//!
//! For passive-aggressive updates `cost = margin + 1`, or `margin + sqrt(k)` if the updates are
//! sensitive to the number of errors, and `tau = cost / (D . D)`, limited by [`Slack`]. For AROW
//! `cost = margin + k`, and `S` is a diagonal of variances, one for each weight: `1 / S_k` grows by
//! `D_k^2 / gamma` with each update.
//!
//! # Averaging
//! The returned weights are the average over all steps of all passes, including the initial
//! weights; for AROW and without averaging, they are the last weights. The average is computed
//! lazily: each change is multiplied by the number of weight vectors before the change, including
//! the initial weights, and the mean of these products is subtracted at the end, so a step costs
//! only the features it changes.
//!
//! # Partial labels
//! The best allowed labelling serves as gold (Fernandes and Brefeld 2011). Distributions and
//! weighted labellings are rejected.
//!
//! # Determinism
//! Sequences are shuffled before each pass by a generator that depends only on the seed. Ties in
//! decoding are resolved to the lower label ([`Lattice::best`]), so at the start, with all weights
//! 0, every token gets label 0.

use spanrs_base::{Clock, Rng, Watch};

use crate::corpus::{Corpus, Target};
use crate::correction_pairs::norm;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::lattice::Lattice;
use crate::lbfgs::{Iteration, Stop};
use crate::transitions::Transitions;

/// How the weights change after a wrong labelling.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Update {
    /// Averaged perceptron (Collins 2002): add the features of the correct labelling, subtract the
    /// features of the predicted labelling.
    Perceptron,
    /// Passive-aggressive (Crammer et al. 2006): the smallest change that gives the correct
    /// labelling a score higher by a margin.
    PassiveAggressive {
        /// Limit of the step.
        slack: Slack,
        /// Whether the margin is the square root of the number of wrong labels, instead of 1.
        error_sensitive: bool,
        /// Whether to average the weights over all steps.
        averaging: bool,
    },
    /// Adaptive regularisation of weight vectors (Mejer and Crammer 2010): frequently updated
    /// weights change less.
    Arow {
        /// Initial variance of each weight, above 0.
        variance: f64,
        /// Trade-off between loss and change of the weights, above 0; a larger value gives smaller
        /// steps.
        gamma: f64,
    },
}

/// Limits on a passive-aggressive step, from least to most tolerant of noise in the labels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slack {
    /// No limit (PA).
    None,
    /// The step is at most this value, CRFsuite's `c` (PA-I).
    Linear(f64),
    /// The step is `cost / (D . D + 1 / (2c))` for this `c` (PA-II).
    Quadratic(f64),
}

/// Options of online training. [`crate::train()`] has an example.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Online {
    /// The update rule.
    pub update: Update,
    /// Largest number of passes over the corpus.
    pub max_iterations: usize,
    /// Training converges when the loss of a pass, per token of the corpus, is at most this value.
    pub epsilon: f64,
    /// Random seed for shuffling the sequences.
    pub seed: u64,
}

/// The features of gold minus the features of pred, during collection. Empty between sequences.
struct Change {
    /// Difference for each weight; 0 unless touched.
    values: Vec<f64>,
    /// Changed features in order of first use, so that sums have a fixed order.
    touched: Vec<usize>,
    /// Whether each feature is in `touched`.
    seen: Vec<bool>,
    /// Number of wrong labels.
    wrong: usize,
}

impl Online {
    /// Trains from `weights`, which are updated in place; `after` is called after each pass with
    /// the averaged weights, and stops training by returning false.
    ///
    /// # Errors
    /// [`Error::Target`] for soft labels and counts, before training; [`Error::NotFinite`] if
    /// weights overflow; [`Error::Interrupted`]; and the errors of `after`. On error, `weights` are
    /// the average so far. [`Error::Shape`] as for [`crate::train()`].
    pub fn train(
        &self,
        corpus: &Corpus,
        features: &Features,
        weights: &mut [f64],
        watch: Watch,
        mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        check_len("weights", features.len(), weights.len())?;
        features.check(corpus)?;
        let algorithm = match self.update {
            Update::Perceptron => "the averaged perceptron",
            Update::PassiveAggressive { .. } => "passive-aggressive training",
            Update::Arow { .. } => "AROW",
        };
        if (0..corpus.sequences())
            .any(|at| matches!(corpus.target(at), Target::Soft(_) | Target::Counts(_)))
        {
            return Err(Error::Target { algorithm });
        }
        let averaging = match self.update {
            Update::Perceptron => true,
            Update::PassiveAggressive { averaging, .. } => averaging,
            Update::Arow { .. } => false,
        };
        let mut learner = Learner {
            update: self.update,
            corpus,
            features,
            sums: vec![0.0; if averaging { weights.len() } else { 0 }],
            variances: match self.update {
                Update::Arow { variance, .. } => vec![variance; weights.len()],
                _ => Vec::new(),
            },
            transitions: Transitions::new(corpus.labels(), features.pair_scores(weights))?,
            weights: weights.to_vec(),
            change: Change {
                values: vec![0.0; features.len()],
                touched: Vec::new(),
                seen: vec![false; features.len()],
                wrong: 0,
            },
            lattice: Lattice::default(),
            count: 1.0,
        };
        let stop = self.passes(&mut learner, watch, &mut after);
        // The weights so far are also returned after an error.
        weights.copy_from_slice(&learner.averaged());
        match weights.iter().all(|weight| weight.is_finite()) {
            true => stop,
            false => Err(Error::NotFinite),
        }
    }

    /// Passes over the corpus until a stopping criterion is met; leaves the weights in the learner.
    fn passes(
        &self,
        learner: &mut Learner,
        watch: Watch,
        after: &mut impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        let mut order: Vec<usize> = (0..learner.corpus.sequences()).collect();
        let mut rng = Rng::new(self.seed);
        let mut clock = Clock::new(watch);
        for iteration in 1..=self.max_iterations {
            rng.shuffle(&mut order);
            let mut loss = 0.0;
            for &at in &order {
                if clock.stops() {
                    return Err(Error::Interrupted);
                }
                loss += learner.sequence(at)?;
            }
            let averaged = learner.averaged();
            let state = Iteration {
                iteration,
                loss,
                gradient_norm: None,
                gap: None,
                active: averaged.iter().filter(|weight| **weight != 0.0).count(),
                evaluations: 1,
                weight_norm: norm(match learner.update {
                    Update::Perceptron => &averaged,
                    _ => &learner.weights,
                }),
                step: None,
            };
            if !after(state, &averaged)? {
                return Ok(Stop::Asked);
            }
            if loss <= self.epsilon * learner.corpus.tokens() as f64 {
                return Ok(Stop::Converged);
            }
        }
        Ok(Stop::MaxIterations)
    }
}

/// The state of training.
struct Learner<'a> {
    /// The update rule.
    update: Update,
    /// The sequences with their targets.
    corpus: &'a Corpus,
    /// The features, in the order of the weights.
    features: &'a Features,
    /// The current weights, not averaged.
    weights: Vec<f64>,
    /// For each weight, the sum of its changes, each times the number of weight vectors before the
    /// change; empty if weights are not averaged.
    sums: Vec<f64>,
    /// Variance of each weight for AROW, else empty.
    variances: Vec<f64>,
    /// Transition scores of the current weights; only valid for Viterbi
    /// ([`Transitions::set_score`]).
    transitions: Transitions,
    /// Work space of one step.
    change: Change,
    /// Label scores of the current sequence.
    lattice: Lattice,
    /// Number of sequences seen plus 1: the number of weight vectors in the average.
    count: f64,
}

impl Learner<'_> {
    /// The average of the initial weights and the weights after each sequence; the current weights
    /// without averaging.
    fn averaged(&self) -> Vec<f64> {
        let mut weights = self.weights.clone();
        for (weight, sum) in weights.iter_mut().zip(&self.sums) {
            *weight -= sum / self.count;
        }
        weights
    }

    /// Learns from a sequence and returns its loss: 0 if the best labelling is correct, or if the
    /// sequence has the weight 0.
    fn sequence(&mut self, at: usize) -> Result<f64> {
        let tokens = self.corpus.sequence(at);
        self.lattice.reset(tokens.len(), self.corpus.labels());
        for (row, token) in tokens.clone().enumerate() {
            let row = self.lattice.scores_mut(row);
            for (attribute, value) in self.corpus.items(token) {
                self.features
                    .add_scores(&self.weights, attribute, value, row);
            }
        }
        let (pred, pred_score) = self.lattice.best(&self.transitions)?;
        let (gold, gold_score) = match self.corpus.target(at) {
            Target::Partial(allowed) => {
                // The best allowed labelling serves as gold (Fernandes and Brefeld 2011).
                self.lattice.allow(allowed)?;
                self.lattice.best(&self.transitions)?
            }
            Target::Labels(known) => {
                let known: Vec<usize> = known.iter().map(|&label| label as usize).collect();
                let score = self.lattice.score(&known, &self.transitions)?;
                (known, score)
            }
            Target::Soft(_) | Target::Counts(_) => return Ok(0.0),
        };
        let weight = self.corpus.weight(at);
        let mut loss = 0.0;
        if weight > 0.0 && pred != gold {
            self.compare(tokens.start, &gold, &pred);
            loss = self.learn(weight, pred_score - gold_score);
        }
        self.count += 1.0;
        Ok(loss)
    }

    /// Collects the features of gold minus the features of pred. `first` is the first token of the
    /// sequence in the corpus.
    fn compare(&mut self, first: usize, gold: &[usize], pred: &[usize]) {
        let change = &mut self.change;
        for (at, (&gold_label, &pred_label)) in gold.iter().zip(pred).enumerate() {
            if gold_label != pred_label {
                change.wrong += 1;
                for (attribute, value) in self.corpus.items(first + at) {
                    for (label, value) in [(gold_label, value), (pred_label, -value)] {
                        let place = self.features.state_weight(attribute, label as u32);
                        change.add(place, value);
                    }
                }
            }
            if at > 0 && (gold[at - 1..=at] != pred[at - 1..=at]) {
                change.add(self.features.pair_weight(gold[at - 1], gold_label), 1.0);
                change.add(self.features.pair_weight(pred[at - 1], pred_label), -1.0);
            }
        }
    }

    /// Applies the collected change and empties it; `weight` is the weight of the sequence,
    /// `margin` the score of pred minus the score of gold. Returns the loss.
    fn learn(&mut self, weight: f64, margin: f64) -> f64 {
        let wrong = self.change.wrong as f64;
        let touched = std::mem::take(&mut self.change.touched);
        let values = &mut self.change.values;
        let features = self.features;
        let (step, loss) = match self.update {
            Update::Perceptron => (weight, weight * wrong),
            Update::PassiveAggressive {
                slack,
                error_sensitive,
                ..
            } => {
                let cost = margin + if error_sensitive { wrong.sqrt() } else { 1.0 };
                let norm: f64 = touched.iter().map(|&at| values[at] * values[at]).sum();
                let step = match slack {
                    Slack::None => cost / norm,
                    Slack::Linear(most) => (cost / norm).min(most),
                    Slack::Quadratic(c) => cost / (norm + 0.5 / c),
                };
                (weight * step, weight * cost)
            }
            Update::Arow { gamma, .. } => {
                let cost = margin + wrong;
                let spread = touched
                    .iter()
                    .map(|&at| self.variances[at] * values[at] * values[at]);
                (weight * cost / (spread.sum::<f64>() + gamma), weight * cost)
            }
        };
        let (first_pair, pairs) = features.pairs();
        // If all feature differences cancel, the norm is 0 and the step is not finite.
        let step = if step.is_finite() { step } else { 0.0 };
        for &at in &touched {
            let value = std::mem::take(&mut values[at]);
            let mut change = step * value;
            if let (Update::Arow { gamma, .. }, Some(variance)) =
                (self.update, self.variances.get_mut(at))
            {
                change *= *variance;
                *variance = 1.0 / (1.0 / *variance + value * value / gamma);
            }
            self.weights[at] += change;
            if let Some(sum) = self.sums.get_mut(at) {
                *sum += self.count * change;
            }
            if let Some(&pair) = at.checked_sub(first_pair).and_then(|at| pairs.get(at)) {
                self.transitions.set_score(pair as usize, self.weights[at]);
            }
            self.change.seen[at] = false;
        }
        self.change.touched = touched;
        self.change.touched.clear();
        self.change.wrong = 0;
        loss
    }
}

impl Change {
    /// Adds to the difference of a feature; `place` is `None` for pairs without a feature.
    fn add(&mut self, place: Option<usize>, value: f64) {
        if let Some(place) = place {
            if !std::mem::replace(&mut self.seen[place], true) {
                self.touched.push(place);
            }
            self.values[place] += value;
        }
    }
}
