//! Limited-memory BFGS (Liu and Nocedal 1989), and its orthant-wise variant OWL-QN for L1 penalties
//! (Andrew and Gao 2007).
//!
//! The search direction is minus an approximation of the inverse Hessian times the gradient, by the two-loop recursion
//! over the last [`Lbfgs::memory`] *correction pairs* (differences of points and of gradients). The line search then
//! finds a step along this direction:
//!
//! - without L1 penalty, a step that meets the strong Wolfe conditions;
//! - with L1 penalty, by halving the step, with every trial projected onto the orthant of the current point; the
//!   projection makes weights exactly 0.
//!
//! The first trial is the step 1, or `1 / max(|gradient|, 1)` while there are no pairs.
//!
//! If a line search fails, the pairs are dropped and one step of steepest descent is tried before
//! giving up.
//!
//! Memory is 4 vectors of `f64` (5 with L1 penalty) and, for each pair, 2 vectors of bfloat16, in addition to the
//! memory of the evaluation. With 20 pairs this is about 110 bytes per parameter. Sums are in a fixed order, so results
//! are reproducible.

use std::collections::VecDeque;

use serde::Serialize;

use crate::correction_pairs::{Pair, Point, compute_direction, dot, norm, remember_pair};
use crate::error::{Error, Result};

/// Armijo constant: the smallest accepted decrease of the objective, as a fraction of the decrease predicted by the
/// slope.
const ARMIJO: f64 = 1e-4;
/// Curvature constant of the strong Wolfe conditions: the largest accepted absolute slope after the step, as a fraction
/// of the slope before.
const CURVATURE: f64 = 0.9;

/// Relative rounding error of the objective: within it, the slope alone decides whether a step is accepted (the
/// approximate Wolfe conditions, Hager and Zhang 2005, Eq. 4.1).
const NOISE: f64 = 2e-8;

/// Smallest relative improvement over a period, for any [`Lbfgs::delta`]: state weights are rounded to 32 bits in the
/// objective, so smaller differences are noise.
const MIN_DELTA: f64 = 1e-11;

/// Options of the optimiser: number of correction pairs and stopping criteria.
///
/// ```
/// use spanrs_crf::{Lbfgs, Stop};
/// // The minimum of (x - 3)^2 + |x| is at 2.5.
/// let options = Lbfgs { c1: 1.0, epsilon: 1e-9, delta: 0.0, ..Lbfgs::default() };
/// let mut x = [0.0];
/// let stop = options.minimise(&mut x, |at, gradient| {
///     gradient[0] = 2.0 * (at[0] - 3.0);
///     Ok((at[0] - 3.0).powi(2))
/// }, |_, _| Ok(true));
/// assert_eq!(stop, Ok(Stop::Converged));
/// assert!((x[0] - 2.5).abs() < 1e-8);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lbfgs {
    /// Number of correction pairs, at least 1 (0 means 1). CRFsuite's `num_memories`.
    pub memory: usize,
    /// Coefficient of the L1 penalty (the sum of absolute weights); above 0 selects OWL-QN.
    pub c1: f64,
    /// Largest number of iterations, including failed line searches.
    pub max_iterations: usize,
    /// Training converges when the norm of the gradient is at most `epsilon` times the norm of the weights (or
    /// `epsilon` if the norm of the weights is below 1).
    pub epsilon: f64,
    /// Number of iterations over which the improvement of the objective is measured; 0 means 1.
    pub period: usize,
    /// Stop when the improvement over `period` iterations is below `delta` times the objective. Values below 1e-11 are
    /// treated as 1e-11.
    pub delta: f64,
    /// Largest number of trial steps in one line search. One additional evaluation follows if the best trial must be
    /// computed again.
    pub max_linesearch: usize,
}

impl Default for Lbfgs {
    /// CRFsuite's defaults with a larger memory, which needs fewer evaluations.
    fn default() -> Self {
        Self {
            memory: 20,
            c1: 0.0,
            max_iterations: usize::MAX,
            epsilon: 1e-5,
            period: 10,
            delta: 1e-5,
            max_linesearch: 20,
        }
    }
}

/// State after an iteration, or after a pass of an online algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Iteration {
    /// Number of the iteration, from 1. The numbers of failed line searches are skipped.
    pub iteration: usize,
    /// The objective, including penalties; for online algorithms the sum of the losses, each at the time its sequence
    /// was processed.
    pub loss: f64,
    /// Norm of the gradient, or of the pseudo-gradient with an L1 penalty; None for online
    /// algorithms and gradient descent.
    pub gradient_norm: Option<f64>,
    /// Difference between the objective and its minimum, from above: an upper bound in L-BFGS after
    /// dual coordinate ascent, an estimate in its sweeps; None for other algorithms.
    pub gap: Option<f64>,
    /// Number of weights that are not 0.
    pub active: usize,
    /// Norm of the weights, as reported by CRFsuite: of the averaged weights for the averaged perceptron, of the
    /// current weights for other online algorithms.
    pub weight_norm: f64,
    /// The step that the line search accepted, in units of the search direction; None for online
    /// algorithms and gradient descent.
    pub step: Option<f64>,
    /// Evaluations of the objective in this iteration and in a failed line search before it. The
    /// evaluation at the start is not counted.
    pub evaluations: usize,
}

/// Why the optimisation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The gradient is small enough; for online algorithms, the loss per token is small enough.
    Converged,
    /// The objective improved by less than `delta` over the last `period` iterations.
    Delta,
    /// The largest number of iterations was reached.
    MaxIterations,
    /// No step along the search direction or the gradient decreases the objective; usually the limit of precision is
    /// reached.
    LineSearch,
    /// `after` returned false.
    Asked,
}

impl Stop {
    /// The name of the reason in logs and in Python: `converged`, `delta`, `max_iterations`, `line_search` or
    /// `stopped`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Delta => "delta",
            Self::MaxIterations => "max_iterations",
            Self::LineSearch => "line_search",
            Self::Asked => "stopped",
        }
    }
}

impl Lbfgs {
    /// Minimises `evaluate` plus the L1 penalty.
    ///
    /// `evaluate` returns the smooth part of the objective at its first argument and writes the gradient to the second.
    /// `weights` are the starting point, and on return the best point found, which is the last accepted point. `after`
    /// is called after each iteration with the current point; it stops the optimisation by returning false.
    /// [`Error::NotFinite`] and [`Error::Transition`] from `evaluate` are treated as an infinite objective in line
    /// searches, so steps that are too long are shortened.
    ///
    /// # Errors
    /// The errors of `after`, and other errors of `evaluate`. On error, `weights` are the last accepted point.
    pub fn minimise(
        &self,
        weights: &mut [f64],
        mut evaluate: impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
        mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        let mut point = Iterate::new(self, weights, &mut evaluate)?;
        if point.has_converged() {
            return Ok(Stop::Converged);
        }
        let mut losses = VecDeque::from([point.loss]);
        let (mut restarted, mut failed) = (false, 0);
        for iteration in 1..=self.max_iterations {
            let Some((loss, evaluations, step)) = point.search(&mut evaluate)? else {
                // The curvature estimates may be outdated: restart once with steepest descent.
                if point.pairs.is_empty() || restarted {
                    return Ok(Stop::LineSearch);
                }
                point.pairs.clear();
                restarted = true;
                failed = self.max_linesearch;
                continue;
            };
            // Restart again only if the last restart decreased the loss.
            restarted = restarted && point.loss - loss < MIN_DELTA * point.loss.abs();
            point.accept(loss);
            let state = Iteration {
                iteration,
                loss,
                gradient_norm: Some(norm(point.gradient())),
                gap: None,
                active: point
                    .weights
                    .iter()
                    .filter(|weight| **weight != 0.0)
                    .count(),
                evaluations: evaluations + std::mem::take(&mut failed),
                weight_norm: norm(point.weights),
                step: Some(step),
            };
            if !after(state, point.weights)? {
                return Ok(Stop::Asked);
            }
            if point.has_converged() {
                return Ok(Stop::Converged);
            }
            losses.push_back(loss);
            if losses.len() > self.period.max(1) {
                let before = losses.pop_front().unwrap_or(loss);
                // Improvements below this limit are rounding errors.
                if before - loss < self.delta.max(MIN_DELTA) * loss.abs() {
                    return Ok(Stop::Delta);
                }
            }
        }
        Ok(Stop::MaxIterations)
    }

    /// The L1 penalty of weights.
    fn penalty(&self, weights: &[f64]) -> f64 {
        match self.c1 > 0.0 {
            true => self.c1 * weights.iter().map(|weight| weight.abs()).sum::<f64>(),
            false => 0.0,
        }
    }

    /// Backtracking with projection onto the orthant of the current point (for weights of 0, the orthant of the
    /// negative pseudo-gradient). Returns the loss, the number of evaluations and the step; None if no trial decreased
    /// the objective enough. The accepted point is in `next`.
    fn backtrack(
        &self,
        start: &Start,
        first: f64,
        next: &mut Point,
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<Option<(f64, usize, f64)>> {
        let mut step = first;
        for trial in 1..=self.max_linesearch {
            start.step_to(step, &mut next.weights);
            let mut promised = 0.0;
            let both = start.weights.iter().zip(start.gradient);
            for (new, (old, slope)) in next.weights.iter_mut().zip(both) {
                let orthant = if *old != 0.0 { *old } else { -slope };
                if *new * orthant <= 0.0 {
                    *new = 0.0;
                }
                promised += slope * (*new - old);
            }
            let loss = overflow_to_infinity(evaluate(&next.weights, &mut next.gradient))?;
            let loss = loss + self.penalty(&next.weights);
            if loss <= start.loss + ARMIJO * promised && promised < 0.0 {
                return Ok(Some((loss, trial, step)));
            }
            step *= 0.5;
        }
        Ok(None)
    }

    /// Finds a step that meets the strong Wolfe conditions (Nocedal and Wright 2006, algorithms 3.5 and 3.6 in one
    /// loop): `low` is the best trial so far, and once `high` is known, the minimum is between `low` and `high`.
    ///
    /// Returns the loss, the number of evaluations and the step; after `max_linesearch` trials the best trial that
    /// satisfies the Armijo condition, or None. The accepted point is in `next`.
    fn strong_wolfe(
        &self,
        start: &Start,
        first: f64,
        next: &mut Point,
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<Option<(f64, usize, f64)>> {
        let slope = dot(start.gradient, start.direction);
        if slope >= 0.0 {
            return Ok(None);
        }
        let origin = Trial {
            step: 0.0,
            loss: start.loss,
            slope,
        };
        let (mut low, mut high): (Trial, Option<Trial>) = (origin, None);
        let (mut step, mut trials) = (first, 0);
        for trial in 1..=self.max_linesearch {
            trials = trial;
            start.step_to(step, &mut next.weights);
            let loss = overflow_to_infinity(evaluate(&next.weights, &mut next.gradient))?;
            let own = Trial {
                step,
                loss,
                slope: match loss.is_finite() {
                    true => dot(&next.gradient, start.direction),
                    false => f64::INFINITY,
                },
            };
            let equal = loss <= start.loss + NOISE * start.loss.abs();
            let enough = loss <= start.loss + ARMIJO * step * slope
                || equal && own.slope <= (2.0 * ARMIJO - 1.0) * slope;
            if enough && own.slope.abs() <= -CURVATURE * slope {
                return Ok(Some((loss, trial, step)));
            }
            if !enough || loss >= low.loss && low.step > 0.0 {
                high = Some(own);
            } else {
                if own.slope * (high.map_or(f64::INFINITY, |high| high.step) - low.step) >= 0.0 {
                    high = Some(low);
                }
                low = own;
            }
            step = match high {
                Some(high) => {
                    // What can be gained in this interval is a rounding error.
                    if (high.step - low.step).abs() * -slope <= NOISE * start.loss.abs() {
                        break;
                    }
                    low.interpolate(high)
                }
                None => step * 2.0,
            };
        }
        if low.step > 0.0 {
            start.step_to(low.step, &mut next.weights);
            let loss = evaluate(&next.weights, &mut next.gradient)?;
            return Ok(Some((loss, trials + 1, low.step)));
        }
        Ok(None)
    }
}

/// The current point of the optimisation.
struct Iterate<'a> {
    options: &'a Lbfgs,
    weights: &'a mut [f64],
    /// The objective, including the penalty.
    loss: f64,
    /// Gradient of the smooth part of the objective.
    smooth: Vec<f64>,
    /// The subgradient with the smallest norm; None without an L1 penalty.
    pseudo: Option<Vec<f64>>,
    /// Curvature of the last iterations.
    pairs: VecDeque<Pair>,
    direction: Vec<f64>,
    /// End of the last trial step.
    next: Point,
}

impl<'a> Iterate<'a> {
    /// Evaluates the objective at the start.
    ///
    /// # Errors
    /// The errors of `evaluate`.
    fn new(
        options: &'a Lbfgs,
        weights: &'a mut [f64],
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<Self> {
        let zeros = vec![0.0; weights.len()];
        let mut smooth = zeros.clone();
        let mut iterate = Self {
            loss: evaluate(weights, &mut smooth)? + options.penalty(weights),
            options,
            weights,
            smooth,
            pseudo: (options.c1 > 0.0).then(|| zeros.clone()),
            pairs: VecDeque::new(),
            direction: zeros.clone(),
            next: Point {
                weights: zeros.clone(),
                gradient: zeros,
            },
        };
        iterate.update_pseudo();
        Ok(iterate)
    }

    /// The gradient, or with an L1 penalty the subgradient with the smallest norm.
    fn gradient(&self) -> &[f64] {
        self.pseudo.as_deref().unwrap_or(&self.smooth)
    }

    /// Whether the gradient is small enough; see [`Lbfgs::epsilon`].
    fn has_converged(&self) -> bool {
        norm(self.gradient()) <= self.options.epsilon * norm(self.weights).max(1.0)
    }

    /// With an L1 penalty, computes the subgradient with the smallest norm (Andrew and Gao 2007, Eq. 4).
    fn update_pseudo(&mut self) {
        let c1 = self.options.c1;
        let slopes = self.weights.iter().zip(&self.smooth);
        for (out, (weight, slope)) in self.pseudo.iter_mut().flatten().zip(slopes) {
            *out = if *weight != 0.0 {
                slope + c1 * weight.signum()
            } else if slope + c1 < 0.0 {
                slope + c1
            } else if slope - c1 > 0.0 {
                slope - c1
            } else {
                0.0
            };
        }
    }

    /// Searches along a descent direction. Returns the loss, the number of evaluations and the
    /// step; None if no trial decreased the objective enough. The accepted point is in `next`.
    ///
    /// # Errors
    /// The errors of `evaluate`, except overflows.
    fn search(
        &mut self,
        evaluate: &mut impl FnMut(&[f64], &mut [f64]) -> Result<f64>,
    ) -> Result<Option<(f64, usize, f64)>> {
        let gradient = self.pseudo.as_deref().unwrap_or(&self.smooth);
        compute_direction(&self.pairs, gradient, &mut self.direction);
        if self.pseudo.is_some() {
            // The direction must not leave the orthant of the pseudo-gradient.
            for (step, slope) in self.direction.iter_mut().zip(gradient) {
                *step = if *step * slope < 0.0 { *step } else { 0.0 };
            }
        }
        let first = match self.pairs.is_empty() {
            true => 1.0 / norm(gradient).max(1.0),
            false => 1.0,
        };
        let start = Start {
            weights: self.weights,
            loss: self.loss,
            gradient,
            direction: &self.direction,
        };
        match self.pseudo.is_some() {
            true => self
                .options
                .backtrack(&start, first, &mut self.next, evaluate),
            false => self
                .options
                .strong_wolfe(&start, first, &mut self.next, evaluate),
        }
    }

    /// Moves to `next`, where the objective is `loss`.
    fn accept(&mut self, loss: f64) {
        let memory = self.options.memory;
        remember_pair(
            &mut self.pairs,
            memory,
            self.weights,
            &self.smooth,
            &self.next,
        );
        self.weights.copy_from_slice(&self.next.weights);
        self.smooth.copy_from_slice(&self.next.gradient);
        self.loss = loss;
        self.update_pseudo();
    }
}

/// Replaces an overflow error by an infinite loss: in a line search, the step is then too long.
fn overflow_to_infinity(loss: Result<f64>) -> Result<f64> {
    match loss {
        Err(Error::NotFinite | Error::Transition { .. }) => Ok(f64::INFINITY),
        loss => loss,
    }
}

/// The starting point of a line search. `gradient` is the pseudo-gradient with an L1 penalty.
struct Start<'a> {
    weights: &'a [f64],
    loss: f64,
    gradient: &'a [f64],
    direction: &'a [f64],
}

impl Start<'_> {
    /// Writes the point at a step along the direction.
    fn step_to(&self, step: f64, weights: &mut [f64]) {
        let both = self.weights.iter().zip(self.direction);
        for (new, (old, direction)) in weights.iter_mut().zip(both) {
            *new = old + step * direction;
        }
    }
}

/// Loss and slope (directional derivative) at a step.
#[derive(Clone, Copy)]
struct Trial {
    step: f64,
    loss: f64,
    slope: f64,
}

impl Trial {
    /// The next step: the minimum of the cubic through both trials (Nocedal and Wright 2006, Eq. 3.59), at a distance
    /// from both trials of at least a tenth of the interval; the midpoint if a loss is infinite.
    fn interpolate(self, other: Self) -> f64 {
        let width = other.step - self.step;
        let d1 = self.slope + other.slope - 3.0 * (self.loss - other.loss) / -width;
        let d2 = (d1 * d1 - self.slope * other.slope).max(0.0).sqrt() * width.signum();
        let share = (other.slope + d2 - d1) / (other.slope - self.slope + 2.0 * d2);
        let step = other.step - width * share;
        let (least, most) = (self.step + 0.1 * width, self.step + 0.9 * width);
        let (least, most) = (least.min(most), least.max(most));
        match step.is_finite() {
            true => step.clamp(least, most),
            false => self.step + 0.5 * width,
        }
    }
}
