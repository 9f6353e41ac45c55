//! L-BFGS with variables scaled by their curvatures, and a bound of the gap.

use super::Sdca;
use crate::error::Result;
use crate::lbfgs::{Iteration, Lbfgs, Stop};
use crate::objective::Objective;
use crate::train::minimise;

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
    /// The objective is strongly convex: `f(w) - min f <= |f'(w)|^2 / (4 c2)`. With partial targets it is
    /// not, and L-BFGS ends when it hardly improves the objective.
    ///
    /// Each variable is divided by the root of its second derivative. Attributes that occur once and
    /// attributes that occur at every token then have similar scales, and L-BFGS needs a third of the
    /// iterations.
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
        scales
            .iter_mut()
            .for_each(|scale| *scale = 1.0 / scale.sqrt());
        let options = Lbfgs {
            max_iterations: rest,
            c1: 0.0,
            // The norms that L-BFGS sees are those of the scaled variables.
            epsilon: 0.0,
            ..finish
        };
        let mut certified = false;
        let stop = minimise(
            objective,
            &options,
            Some(&scales),
            parameters,
            |mut state, parameters| {
                let gradient_norm = state.gradient_norm.unwrap_or(f64::INFINITY);
                state.iteration += self.first;
                let bound = gradient_norm.powi(2) / (4.0 * c2);
                state.gap = (self.convex && c2 > 0.0).then_some(bound);
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
