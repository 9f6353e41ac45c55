//! L-BFGS with variables scaled by their curvatures, and a bound of the gap.

use std::cell::RefCell;

use super::Sdca;
use super::bound::LowerBound;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::lbfgs::{Iteration, Lbfgs, Stop};
use crate::objective::Objective;
use crate::train::minimise;

/// Error of the loss of a token in 32 bits, on average.
const TOKEN_ERROR: f64 = 2e-8;

/// How exactly the loss of a corpus is known. A smaller gap is not shown and does not end the training:
/// if weights of sequences are large beside the penalty, the loss is a small difference of large scores,
/// and a bound above it would pass for convergence.
fn precision(corpus: &Corpus) -> f64 {
    let tokens = |at| corpus.total_weight(at) * corpus.sequence(at).len() as f64;
    TOKEN_ERROR * (0..corpus.sequences()).map(tokens).sum::<f64>()
}

/// The end of the training.
pub(super) struct Finish<'a> {
    pub(super) options: &'a Sdca,
    /// Number of iterations before.
    pub(super) first: usize,
    /// Whether the objective is convex, so that there is a bound.
    pub(super) convex: bool,
}

impl Finish<'_> {
    /// Minimises the objective from `parameters` until the gap is at most `tol` times the
    /// objective.
    ///
    /// The bound is that of [`LowerBound`]. With partial targets the objective is not convex, and
    /// L-BFGS ends when it hardly improves the objective.
    ///
    /// Each variable is multiplied by the fourth root of its second derivative, so that attributes
    /// that occur once and attributes that occur at every token have less different scales. The
    /// square root would make the second derivatives equal, but ignores their covariances: it needs
    /// up to three times the iterations where the penalty is weak. The largest second derivative
    /// becomes 1, so that the first step is about right.
    ///
    /// # Errors
    /// Same as [`Lbfgs::minimise`].
    pub(super) fn run(
        &self,
        objective: &mut Objective,
        parameters: &mut [f64],
        mut after: impl FnMut(Iteration, &[f64]) -> Result<bool>,
    ) -> Result<Stop> {
        let Sdca {
            c2, tol, finish, ..
        } = *self.options;
        let Some(rest) = finish
            .max_iterations
            .checked_sub(self.first)
            .filter(|&rest| rest > 0)
        else {
            return Ok(Stop::MaxIterations);
        };
        let mut scales = vec![1.0; parameters.len()];
        objective.curvatures(parameters, &mut scales)?;
        let root = |value: f64| value.sqrt().sqrt();
        let most = root(scales.iter().copied().fold(0.0, f64::max));
        scales
            .iter_mut()
            .for_each(|scale| *scale = 1.0 / (most * root(*scale)));
        let options = Lbfgs {
            max_iterations: rest,
            c1: 0.0,
            // The norms that L-BFGS sees are those of the scaled variables.
            epsilon: 0.0,
            ..finish
        };
        let precision = precision(objective.corpus());
        let mut certified = false;
        let bound = (self.convex && c2 > 0.0).then(|| RefCell::new(LowerBound::new(c2)));
        let stop = minimise(
            objective,
            &options,
            Some(&scales),
            parameters,
            |point, loss, gradient| {
                if let Some(bound) = &bound {
                    bound.borrow_mut().add(point, loss, gradient);
                }
            },
            |mut state, parameters| {
                let gradient_norm = state.gradient_norm.unwrap_or(f64::INFINITY);
                state.iteration += self.first;
                state.gap = bound
                    .as_ref()
                    .map(|bound| (state.loss - bound.borrow().value()).max(0.0) + precision);
                certified = state.gap.is_some_and(|gap| gap <= tol * state.loss)
                    || gradient_norm <= finish.epsilon * state.weight_norm.max(1.0);
                Ok(after(state, parameters)? && !certified)
            },
        );
        match stop {
            Ok(Stop::Asked) if certified => Ok(Stop::Converged),
            stop => stop,
        }
    }
}
