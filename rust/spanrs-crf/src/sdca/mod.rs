//! Dual coordinate ascent for the penalised likelihood, finished by L-BFGS.
//!
//! In the dual problem every token has label probabilities `alpha`, which are the observed
//! probabilities at the beginning and those of the model at the optimum. The weights are a sum over
//! the tokens of an attribute (Shalev-Shwartz and Zhang 2013; for CRFs Collins et al. 2008, Le Priol
//! et al. 2018):
//!
//! ```text
//! w = sum_t omega_t (observed_t - alpha_t) / (2 c2)
//! ```
//!
//! A *sweep* visits chunks of sequences in a random order and moves the `alpha` of each token towards the
//! probabilities of the model (`chain`). Weights change at once, so a sweep achieves about as much as
//! ten evaluations of the objective. The transition weights change after each chunk of sequences
//! (`pairs`). Two threads can work on a sweep together (`dual`).
//!
//! Unlike the coordinate ascent of the literature, whose step is the same for all tokens of a
//! sequence, each token has its own step. The dual objective need not increase then, so the state of
//! a sweep is only a starting point: it is rejected if it is worse than weights of 0, and L-BFGS
//! continues from it until a bound of the gap is met (`finish`).

mod bound;
mod chain;
mod dual;
mod finish;
mod lane;
mod m_step;
mod pairs;

use std::borrow::Cow;
use std::ops::Range;

use spanrs_base::{Clock, Watch};

use crate::corpus::{Corpus, Target};
use crate::error::{Error, Result};
use crate::features::Features;
use crate::lbfgs::{Iteration, Lbfgs, Stop};
use crate::objective::{Groups, Objective};
use crate::train::train_lbfgs;

pub(crate) use dual::{Data, Dual};

use dual::Sweep;
use finish::Finish;

/// Sweeps end when the estimated gap is at most this fraction of the objective, or half of a larger tolerance.
const SMALL_GAP: f64 = 1e-3;

/// Sweeps end when the smallest estimated gap decreases by a smaller fraction in [`PATIENCE`] sweeps.
const MIN_DECREASE: f64 = 0.2;

/// Number of sweeps in which the gap must decrease. It fluctuates, and can increase at first.
const PATIENCE: usize = 8;

/// Sweeps diverge if the estimated gap is larger than this multiple of that of the first sweep.
const DIVERGED: f64 = 5.0;

/// Tolerance of the training without L1 penalty before OWL-QN.
const L1_START: f64 = 1e-2;

/// Largest number of iterations of that training. Without twice as many for OWL-QN it is left out, because
/// its weights are not sparse.
const L1_START_ITERATIONS: usize = 60;

/// Range of c2 in which numbers of 32 bits do not overflow; the end is also that of the weights of
/// sequences.
const RANGE: Range<f64> = 1e-12..1e12;

/// Options of dual coordinate ascent.
///
/// ```
/// use spanrs_crf::{Algorithm, Corpus, FeatureSelection, Features, Sdca, Stop, Target, train};
/// let mut corpus = Corpus::new(2, 2);
/// corpus.token([(0, 1.0)]).unwrap();
/// corpus.token([(1, 1.0)]).unwrap();
/// corpus.end_sequence(Target::Labels(vec![0, 1]), 1.0).unwrap();
/// let features = Features::of(&corpus, FeatureSelection::default());
/// let mut weights = vec![0.0; features.len()];
/// let algorithm = Algorithm::Sdca(Sdca::default());
/// let mut gap = f64::INFINITY;
/// let after = |state: spanrs_crf::Iteration, _: &[f64]| {
///     gap = state.gap.unwrap_or(gap) / state.loss;
///     Ok(true)
/// };
/// let stop = train(&corpus, &features, &algorithm, 1, &mut weights, || false, after);
/// assert_eq!(stop, Ok(Stop::Converged));
/// assert!(gap <= 1e-4);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sdca {
    /// Coefficient of the sum of squared weights. Sweeps need a value above 0.
    pub c2: f64,
    /// Training converges when the objective is at most `tol` times itself above a lower bound of
    /// its minimum, which follows from the gradients that were computed.
    pub tol: f64,
    /// Seed of the order of sequences.
    pub seed: u64,
    /// Options of L-BFGS. The largest number of iterations includes the sweeps.
    pub finish: Lbfgs,
}

impl Default for Sdca {
    fn default() -> Self {
        Self {
            c2: 1.0,
            tol: 1e-4,
            seed: 0,
            finish: Lbfgs {
                epsilon: 0.0,
                delta: 1e-6,
                ..Lbfgs::default()
            },
        }
    }
}

impl Sdca {
    /// Trains from `weights`; see [`crate::train`].
    ///
    /// With an L1 penalty, OWL-QN minimises the objective. If it has enough iterations, the first ones
    /// approach the minimum without the L1 penalty, so their weights are not sparse: with weak L1 penalties
    /// this saves half of the iterations or more.
    ///
    /// # Errors
    /// Same as [`crate::train`].
    pub(crate) fn train(
        &self,
        corpus: Cow<'_, Corpus>,
        features: &Features,
        threads: usize,
        weights: &mut [f64],
        watch: Watch,
        mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        let (c2, mut finish) = (self.c2, self.finish);
        if finish.c1 == 0.0 {
            return self.train_l2(corpus, features, threads, weights, watch, after);
        }
        let new = weights.iter().all(|weight| *weight == 0.0);
        let mut first = 0;
        if c2 > 0.0 && new && finish.max_iterations >= 2 * L1_START_ITERATIONS {
            let near = Self {
                tol: L1_START,
                finish: Lbfgs {
                    max_iterations: L1_START_ITERATIONS,
                    ..finish
                },
                ..*self
            };
            let report = |mut state: Iteration, weights: &[f64]| {
                first = state.iteration;
                state.gradient_norm = None;
                state.loss += finish.c1 * weights.iter().map(|weight| weight.abs()).sum::<f64>();
                state.gap = None;
                after(state, weights)
            };
            let borrowed = Cow::Borrowed(&*corpus);
            let stop = near.train_l2(borrowed, features, threads, weights, watch, report)?;
            if stop == Stop::Asked {
                return Ok(stop);
            }
        }
        finish.max_iterations -= first;
        let mut improved = false;
        let report = |mut state: Iteration, weights: &[f64]| {
            improved = true;
            state.iteration += first;
            after(state, weights)
        };
        let stop = train_lbfgs(
            corpus, features, &finish, c2, threads, weights, watch, report,
        )?;
        if stop == Stop::LineSearch && !improved {
            // Weights that minimise another objective must not pass for those of this one.
            weights.fill(0.0);
        }
        Ok(stop)
    }

    /// Same as [`Sdca::train`], without L1 penalty. Sweeps begin only from weights of 0, which have a
    /// dual state; L-BFGS continues from other weights.
    fn train_l2(
        &self,
        corpus: Cow<'_, Corpus>,
        features: &Features,
        threads: usize,
        weights: &mut [f64],
        watch: Watch,
        mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        let groups = Groups::of(&corpus, features)?;
        let group_features = groups.features(features);
        let mut parameters = groups.to_parameters(features, weights, &group_features);
        let partial = has_partial(&corpus);
        let sweeps = !partial
            && features.dimension() == 0
            && !corpus.has_margins()
            && self.can_sweep(&corpus)
            && parameters.iter().all(|w| *w == 0.0);
        let objective = Objective::of_groups(corpus, &group_features, &groups, self.c2, threads)?;
        let mut objective = objective.interrupted_by(watch);
        let mut report = |mut state: Iteration, parameters: &[f64]| {
            groups.to_weights(features, parameters, &group_features, weights);
            state.active = weights.iter().filter(|weight| **weight != 0.0).count();
            after(state, weights)
        };
        let mut first = 0;
        if sweeps {
            match self.sweep(
                &mut objective,
                &group_features,
                &mut parameters,
                watch,
                &mut report,
            )? {
                Some(number) => first = number,
                None => return Ok(Stop::Asked),
            }
        }
        let finish = Finish {
            options: self,
            first,
            convex: !partial,
        };
        let stop = finish.run(&mut objective, &mut parameters, report);
        // Weights of sweeps that were rejected have been reported, but must not remain.
        groups.to_weights(features, &parameters, &group_features, weights);
        stop
    }

    /// Whether all numbers of the sweeps are in the range of 32 bits.
    fn can_sweep(&self, corpus: &Corpus) -> bool {
        let mut weights = (0..corpus.sequences()).map(|at| corpus.total_weight(at));
        RANGE.contains(&self.c2) && weights.all(|weight| weight < RANGE.end)
    }

    /// Sweeps until the estimated gap is small, decreases slowly, or is large. Returns the number of
    /// sweeps, or None if `after` stopped the training. `parameters` are those of the last sweep, or
    /// remain 0 if these are worse.
    fn sweep(
        &self,
        objective: &mut Objective,
        features: &Features,
        parameters: &mut [f64],
        watch: Watch,
        after: &mut impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Option<usize>> {
        let data = Data {
            corpus: objective.corpus(),
            packed: objective.packed(),
            features,
        };
        let mut dual = Dual::new(data, self);
        let mut clock = Clock::new(watch);
        let mut gaps = Gaps::default();
        let mut number = 0;
        while number < self.finish.max_iterations {
            let Sweep { gap, loss } = dual.sweep(data, objective.threads(), &mut clock)?;
            if gaps.diverged(gap) {
                break;
            }
            number += 1;
            dual.to_parameters(data, parameters);
            let squares: f64 = parameters.iter().map(|weight| weight * weight).sum();
            let state = Iteration {
                iteration: number,
                loss: loss + self.c2 * squares,
                gradient_norm: None,
                gap: Some(gap),
                active: 0,
                weight_norm: squares.sqrt(),
                step: None,
                evaluations: 1,
            };
            if !after(state, parameters)? {
                return Ok(None);
            }
            if gaps.suffice(gap, SMALL_GAP.max(0.5 * self.tol), state.loss) {
                break;
            }
        }
        drop(dual);
        if number < self.finish.max_iterations {
            let start = objective.loss(&vec![0.0; parameters.len()])?;
            match objective.loss(parameters) {
                Ok(reached) if reached < start => {}
                Ok(_) | Err(Error::NotFinite | Error::Transition { .. }) => parameters.fill(0.0),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(number))
    }
}

/// The estimated gaps of successive sweeps.
struct Gaps {
    first: Option<f64>,
    /// The smallest gap that was much smaller than those before.
    least: f64,
    /// The smallest objective; that of a sweep, in which weights change, can be far too large.
    objective: f64,
    /// Number of sweeps since.
    since: usize,
}

impl Default for Gaps {
    fn default() -> Self {
        Self {
            first: None,
            least: f64::INFINITY,
            objective: f64::INFINITY,
            since: 0,
        }
    }
}

impl Gaps {
    /// Whether the sweeps diverge.
    fn diverged(&mut self, gap: f64) -> bool {
        gap > DIVERGED * *self.first.get_or_insert(gap) || !gap.is_finite()
    }

    /// Whether the gap of the last sweep is at most a fraction of the objective, or decreases slowly.
    fn suffice(&mut self, gap: f64, small: f64, objective: f64) -> bool {
        self.since += 1;
        self.objective = self.objective.min(objective);
        if gap <= (1.0 - MIN_DECREASE) * self.least {
            (self.least, self.since) = (gap, 0);
        }
        gap <= small * self.objective || self.since == PATIENCE
    }
}

/// Whether a sequence of the objective has a partial target, whose observed probabilities depend on
/// the model.
fn has_partial(corpus: &Corpus) -> bool {
    let partial = |at| matches!(corpus.target(at), Target::Partial(_));
    (0..corpus.sequences()).any(|at| corpus.total_weight(at) > 0.0 && partial(at))
}
