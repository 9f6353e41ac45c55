//! Stochastic gradient descent with a Gaussian prior.

use spanrs_base::{Clock, Rng, Watch};

use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::features::Features;
use crate::lbfgs::{Iteration, Stop};
use crate::objective::targets::Work;
use crate::online::shuffle;
use crate::simd::padded;
use crate::transitions::Transitions;

/// Options of stochastic gradient descent with the learning rate `1 / (lambda * (t0 + t))`, `lambda
/// = 2 c2 / sequences` (Bottou 2010; Shalev-Shwartz et al. 2007). `t0` is chosen by trial on a
/// sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sgd {
    /// Coefficient of the sum of squared weights.
    pub c2: f64,
    /// Number of passes over the corpus.
    pub max_iterations: usize,
    /// Iterations over which the improvement of the objective is measured.
    pub period: usize,
    /// Stop when that improvement is below this, relative to the objective.
    pub delta: f64,
    /// First learning rate tried.
    pub eta: f64,
    /// Factor between the rates tried.
    pub rate: f64,
    /// Number of sequences in the sample.
    pub samples: usize,
    /// Number of better rates to find before the best is taken.
    pub candidates: usize,
    /// Largest number of rates tried.
    pub max_trials: usize,
    /// Seed of the order of sequences.
    pub seed: u64,
}

/// Weights as a vector times a scale, so that decay is one multiplication.
struct Learner<'a> {
    corpus: &'a Corpus,
    features: &'a Features,
    weights: Vec<f64>,
    scale: f64,
    work: Work,
    transitions: Transitions,
    scores: Vec<f64>,
    rows: Vec<f64>,
    pairs: Vec<f64>,
}

impl Sgd {
    /// Trains from `weights`, which are updated in place; `after` is called after each pass, and
    /// false stops.
    ///
    /// # Errors
    /// [`Error::NotFinite`] if weights overflow, [`Error::Interrupted`]; and those of `after`.
    pub fn train(
        &self,
        corpus: &Corpus,
        features: &Features,
        weights: &mut [f64],
        watch: Watch,
        mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        let labels = corpus.labels();
        let mut learner = Learner {
            corpus,
            features,
            weights: weights.to_vec(),
            scale: 1.0,
            work: Work::default(),
            transitions: Transitions::zero(labels),
            scores: vec![0.0; labels * labels],
            rows: Vec::new(),
            pairs: vec![0.0; labels * labels],
        };
        let mut order: Vec<usize> = (0..corpus.sequences()).collect();
        let mut rng = Rng::new(self.seed);
        let mut clock = Clock::new(watch);
        let lambda = 2.0 * self.c2 / order.len().max(1) as f64;
        shuffle(&mut order, &mut rng);
        let sample = &order[..self.samples.min(order.len())];
        let eta = self.calibrate(&mut learner, weights, sample, lambda, &mut clock)?;
        let mut step = 0;
        let (mut best, mut losses) = (f64::INFINITY, Vec::new());
        let mut stop = Stop::MaxIterations;
        for iteration in 1..=self.max_iterations {
            shuffle(&mut order, &mut rng);
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
                active: own.iter().filter(|weight| **weight != 0.0).count(),
                evaluations: 1,
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

    /// The learning rate with the least objective after a pass over the sample.
    fn calibrate(
        &self,
        learner: &mut Learner,
        start: &[f64],
        sample: &[usize],
        lambda: f64,
        clock: &mut Clock,
    ) -> Result<f64> {
        let mut loss_at = |eta: f64| -> Result<f64> {
            learner.weights.copy_from_slice(start);
            learner.scale = 1.0;
            let loss = learner.pass(sample, eta, lambda, &mut 0, clock);
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
                // Too large: the remaining trials go down from the first rate.
                eta = if growing { self.eta } else { eta } / self.rate;
                growing = false;
            }
        }
        learner.weights.copy_from_slice(start);
        learner.scale = 1.0;
        Ok(best)
    }
}

impl Learner<'_> {
    /// The weights.
    fn current(&self) -> Vec<f64> {
        self.weights
            .iter()
            .map(|weight| weight * self.scale)
            .collect()
    }

    /// One pass over sequences; returns their loss.
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
        self.rows.clear();
        self.rows.resize(tokens.len() * width, 0.0);
        let loss = self
            .work
            .sequence(corpus, &self.transitions, at, &mut self.rows)?;
        self.pairs.fill(0.0);
        self.work.add_pairs_to(&self.transitions, &mut self.pairs);
        self.scale *= 1.0 - rate * lambda;
        if self.scale.abs() < 1e-9 {
            // Before precision is lost.
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
