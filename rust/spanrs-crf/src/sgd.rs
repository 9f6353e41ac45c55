//! Stochastic gradient descent on the penalised log-likelihood, based on CRFsuite's `l2sgd` and
//! Bottou's `crfsgd`.
//!
//! The objective is the same as in [`crate::Objective`]. With `n` sequences, `lambda = 2 c2 / n`,
//! and `L_i` the loss of sequence `i`, the step `t` is
//!
//! ```text
//! eta_t = eta / (1 + lambda * eta * t)  =  1 / (lambda * (t0 + t)),    t0 = 1 / (lambda * eta)
//! w     <-  (1 - eta_t * lambda) * w  -  eta_t * gradient of L_i
//! ```
//!
//! The initial rate `eta` is found by trial on a sample (*calibration*): start with [`Sgd::eta`],
//! multiply by [`Sgd::rate`] while the objective after a pass over the sample is smaller than the
//! initial objective, then divide, beginning below the first rate. The trial with the smallest
//! objective wins; of equal trials, the earliest.
//!
//! The loss of a sequence is measured before its own step, so one pass cannot distinguish rates if
//! only one sequence of the sample contributes to training. Two passes are made over such a sample.
//!
//! The decay of all weights is one multiplication: weights are a vector times a scale. The cost of
//! a sequence is forward-backward, the exponentials of the transition scores, and one update per
//! feature of its attributes, independent of the number of weights.
//!
//! Sequences are visited in a random order that depends only on the seed. Training is sequential,
//! so it uses one thread.

use spanrs_base::{Clock, Rng, Watch};

use crate::corpus::Corpus;
use crate::correction_pairs::norm;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::lbfgs::{Iteration, Stop};
use crate::objective::targets::Work;
use crate::simd::padded;
use crate::transitions::Transitions;

/// Options of stochastic gradient descent with the learning rate `1 / (lambda * (t0 + t))`,
/// `lambda = 2 c2 / sequences` (Bottou 2010; Shalev-Shwartz et al. 2007). `t0` is determined by the
/// initial rate, which is chosen by trial on a sample.
///
/// ```
/// use spanrs_crf::{Corpus, FeatureSelection, Features, Sgd, Stop, Target};
/// let mut corpus = Corpus::new(2, 1);
/// for _ in 0..20 {
///     corpus.token([(0, 1.0)]).unwrap();
///     corpus.end_sequence(Target::Labels(vec![1]), 1.0).unwrap();
/// }
/// let all = FeatureSelection { all_states: true, ..FeatureSelection::default() };
/// let features = Features::of(&corpus, all);
/// let sgd = Sgd {
///     c2: 1.0, max_iterations: 50, period: 10, delta: 1e-3, eta: 0.1, rate: 2.0,
///     samples: 1000, candidates: 10, max_trials: 20, seed: 1,
/// };
/// let mut weights = vec![0.0; 2];
/// let stop = sgd.train(&corpus, &features, &mut weights, || false, |_, _| Ok(true)).unwrap();
/// assert_eq!(stop, Stop::Delta);
/// assert!(weights[1] > 0.5 && (weights[0] + weights[1]).abs() < 1e-6);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sgd {
    /// Coefficient of the sum of squared weights, at least 0. With 0 the learning rate does not
    /// decrease.
    pub c2: f64,
    /// Largest number of passes over the corpus.
    pub max_iterations: usize,
    /// Number of passes over which the improvement of the objective is measured; 0 means 1.
    pub period: usize,
    /// Stop when the improvement over `period` passes is below `delta` times the objective.
    pub delta: f64,
    /// First learning rate tried in the calibration.
    pub eta: f64,
    /// Factor between the rates tried, above 1.
    pub rate: f64,
    /// Number of sequences in the sample, limited to the size of the corpus.
    pub samples: usize,
    /// Number of rates that must improve on the initial objective before the best is chosen.
    pub candidates: usize,
    /// Largest number of rates tried; with 0, `eta` is used without calibration.
    pub max_trials: usize,
    /// Random seed for the sample and for shuffling the sequences.
    pub seed: u64,
}

/// The state of training. The weights are a vector times a scale, so that decay is one
/// multiplication.
struct Learner<'a> {
    corpus: &'a Corpus,
    features: &'a Features,
    /// Weights divided by `scale`.
    weights: Vec<f64>,
    /// Factor of all weights; when it falls below 1e-9, it is multiplied into the weights and reset
    /// to 1, before precision is lost.
    scale: f64,
    /// Lattice and sums of one sequence.
    work: Work,
    /// Transition scores of the current sequence.
    transitions: Transitions,
    /// Dense transition weights, row-major (from, to).
    scores: Vec<f64>,
    /// Derivatives of the label scores of the current sequence, padded rows.
    rows: Vec<f64>,
    /// Derivatives of the transition scores of the current sequence, row-major (from, to).
    pairs: Vec<f64>,
}

impl Sgd {
    /// Trains from `weights`, which are updated in place; `after` is called after each pass with
    /// the weights at the end of the pass, and stops training by returning false.
    ///
    /// The loss that is reported and compared is the sum of the sequences' losses, each before its
    /// own step, plus the penalty at the end of the pass. `weights` are set to the weights of the
    /// pass with the smallest loss, not the last pass.
    ///
    /// # Errors
    /// [`Error::NotFinite`] or [`Error::Transition`] if weights overflow, [`Error::Interrupted`],
    /// and the errors of `after`. On error, `weights` are the weights of the best pass so far.
    /// [`Error::Shape`] as for [`crate::train()`].
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
        let mut learner = Learner::new(corpus, features, weights);
        let mut order: Vec<usize> = (0..corpus.sequences()).collect();
        let mut rng = Rng::new(self.seed);
        let mut clock = Clock::new(watch);
        let lambda = 2.0 * self.c2 / order.len().max(1) as f64;
        rng.shuffle(&mut order);
        let sample = &order[..self.samples.min(order.len())];
        let eta = self.calibrate(&mut learner, weights, sample, lambda, &mut clock)?;
        let mut step = 0;
        let (mut best, mut losses) = (f64::INFINITY, Vec::new());
        let mut stop = Stop::MaxIterations;
        for iteration in 1..=self.max_iterations {
            rng.shuffle(&mut order);
            let loss = learner.pass(&order, eta, lambda, &mut step, &mut clock)?;
            let own = learner.current();
            let loss = loss + self.c2 * own.iter().map(|weight| weight * weight).sum::<f64>();
            if loss < best {
                best = loss;
                weights.copy_from_slice(&own);
            }
            let state = Iteration {
                iteration,
                loss,
                gradient_norm: None,
                gap: None,
                active: own.iter().filter(|weight| **weight != 0.0).count(),
                evaluations: 1,
                weight_norm: norm(&own),
                step: None,
            };
            if !after(state, &own)? {
                stop = Stop::Asked;
                break;
            }
            losses.push(loss);
            let before = losses.len().checked_sub(self.period.max(1) + 1);
            if before.is_some_and(|at| losses[at] - loss < self.delta * loss.abs()) {
                stop = Stop::Delta;
                break;
            }
        }
        match best.is_finite() || self.max_iterations == 0 {
            true => Ok(stop),
            false => Err(Error::NotFinite),
        }
    }

    /// Returns the learning rate with the smallest objective after a pass over the sample from
    /// `start`; overflow counts as infinite. Leaves the learner at `start`.
    ///
    /// At most `max_trials` rates are tried, and none after `candidates` rates have improved on the
    /// objective at `start`.
    fn calibrate(
        &self,
        learner: &mut Learner,
        start: &[f64],
        sample: &[usize],
        lambda: f64,
        clock: &mut Clock,
    ) -> Result<f64> {
        let corpus = learner.corpus;
        let is_learnt =
            |at: &&usize| !corpus.sequence(**at).is_empty() && corpus.total_weight(**at) > 0.0;
        // With a single pass, the only step would not affect the measured loss.
        let passes = match sample.iter().filter(is_learnt).count() {
            1 => 2,
            _ => 1,
        };
        let sample = sample.repeat(passes);
        let mut loss_at = |eta: f64| -> Result<f64> {
            learner.weights.copy_from_slice(start);
            learner.scale = 1.0;
            let loss = learner.pass(&sample, eta, lambda, &mut 0, clock);
            let loss = match loss {
                Err(Error::NotFinite | Error::Transition { .. }) => f64::INFINITY,
                loss => loss?,
            };
            let squares = learner
                .current()
                .iter()
                .map(|weight| weight * weight)
                .sum::<f64>();
            Ok(loss + self.c2 * squares)
        };
        let initial = loss_at(0.0)?;
        let (mut best, mut best_loss, mut found) = (self.eta, f64::INFINITY, 0);
        let (mut eta, mut growing) = (self.eta, true);
        for _ in 0..self.max_trials {
            let loss = loss_at(eta)?;
            if loss < best_loss {
                (best, best_loss) = (eta, loss);
            }
            found += usize::from(loss < initial);
            if found >= self.candidates {
                break;
            }
            if growing && loss < initial {
                eta *= self.rate;
            } else {
                // The rate is too large: the remaining trials decrease from the first rate.
                eta = if growing { self.eta } else { eta } / self.rate;
                growing = false;
            }
        }
        learner.weights.copy_from_slice(start);
        learner.scale = 1.0;
        Ok(best)
    }
}

impl<'a> Learner<'a> {
    /// Creates a learner that starts from `weights`.
    fn new(corpus: &'a Corpus, features: &'a Features, weights: &[f64]) -> Self {
        let labels = corpus.labels();
        Self {
            corpus,
            features,
            weights: weights.to_vec(),
            scale: 1.0,
            work: Work::default(),
            transitions: Transitions::zero(labels),
            scores: vec![0.0; labels * labels],
            rows: Vec::new(),
            pairs: vec![0.0; labels * labels],
        }
    }

    /// The weights: the vector times the scale.
    fn current(&self) -> Vec<f64> {
        self.weights
            .iter()
            .map(|weight| weight * self.scale)
            .collect()
    }

    /// One pass over sequences; returns the sum of their losses, each before its own step. `step`
    /// counts the steps of all passes.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if the sum is not finite, [`Error::Interrupted`], and the errors of the
    /// sequences.
    fn pass(
        &mut self,
        order: &[usize],
        eta: f64,
        lambda: f64,
        step: &mut usize,
        clock: &mut Clock,
    ) -> Result<f64> {
        let mut loss = 0.0;
        for &at in order {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            // 1 / (lambda * (t0 + t)) with t0 = 1 / (lambda * eta)
            let rate = eta / (1.0 + lambda * eta * *step as f64);
            loss += self.sequence(at, rate, lambda)?;
            *step += 1;
        }
        match loss.is_finite() {
            true => Ok(loss),
            false => Err(Error::NotFinite),
        }
    }

    /// One step: computes loss and derivatives of a sequence, decays all weights, and updates the
    /// weights of its features. Returns the loss before the step.
    fn sequence(&mut self, at: usize, rate: f64, lambda: f64) -> Result<f64> {
        let (corpus, features) = (self.corpus, self.features);
        let (labels, tokens) = (corpus.labels(), corpus.sequence(at));
        let width = padded(labels);
        let (first_pair, pairs) = features.pairs();
        for (&pair, weight) in pairs.iter().zip(&self.weights[first_pair..]) {
            self.scores[pair as usize] = weight * self.scale;
        }
        self.transitions.set(&self.scores)?;
        self.work.begin(labels);
        let lattice = self.work.lattice();
        lattice.reset(tokens.len(), labels);
        for (row, token) in tokens.clone().enumerate() {
            let row = lattice.scores_mut(row);
            for (attribute, value) in corpus.items(token) {
                features.add_scores(&self.weights, attribute, value * self.scale, row);
            }
        }
        corpus.subtract_margins(at, &mut lattice.scores);
        self.rows.clear();
        self.rows.resize(tokens.len() * width, 0.0);
        let loss = self
            .work
            .sequence(corpus, &self.transitions, at, &mut self.rows)?;
        self.pairs.fill(0.0);
        self.work.add_pairs_to(&self.transitions, &mut self.pairs);
        self.scale *= 1.0 - rate * lambda;
        if self.scale.abs() < 1e-9 {
            // Multiply the scale into the weights before precision is lost.
            self.weights
                .iter_mut()
                .for_each(|weight| *weight *= self.scale);
            self.scale = 1.0;
        }
        let factor = rate / self.scale;
        for (row, token) in self.rows.chunks_exact(width).zip(tokens) {
            for (attribute, value) in corpus.items(token) {
                let (start, known) = features.state(attribute as usize);
                for (label, weight) in known.iter().zip(&mut self.weights[start..]) {
                    *weight -= factor * value * row[*label as usize];
                }
            }
        }
        for (&pair, weight) in pairs.iter().zip(&mut self.weights[first_pair..]) {
            *weight -= factor * self.pairs[pair as usize];
        }
        Ok(loss)
    }
}
