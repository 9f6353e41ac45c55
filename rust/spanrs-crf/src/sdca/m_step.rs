//! M-steps of EM by sweeps, which continue from the dual variables of the M-step before.

use std::borrow::Cow;

use spanrs_base::{Clock, Watch, limit_threads};

use super::dual::{Data, Dual, Sweep};
use super::{Gaps, Sdca};
use crate::error::{Error, Result};
use crate::objective::Objective;

/// Number of times that more exact sweeps are tried if the objective has increased.
const ATTEMPTS: usize = 4;

impl Sdca {
    /// Sweeps until the estimated gap is at most `tol` times the objective, which suffices for EM: the
    /// next E-step changes the targets anyway. Returns the objective, which has not increased: if the gap
    /// is small but sweeps would increase it, `parameters` do not change.
    ///
    /// `dual` is the state after the sweeps of the last M-step, whose result are `parameters`. Returns None, and `dual`
    /// is None, if the sequences have changed, if there is no state for parameters other than 0, if
    /// numbers are out of range, or if sweeps increase the objective; `parameters` do not change then.
    ///
    /// # Errors
    /// Same as [`Objective::evaluate`].
    pub(crate) fn m_step(
        &self,
        data: Data,
        dual: &mut Option<Dual>,
        parameters: &mut [f64],
        threads: usize,
        watch: Watch,
    ) -> Result<Option<f64>> {
        let previous = dual.take();
        if !self.can_sweep(data.corpus) {
            return Ok(None);
        }
        let mut state = match previous {
            Some(mut state) => match state.resume(data, self) {
                true => state,
                false => return Ok(None),
            },
            None if parameters.iter().all(|weight| *weight == 0.0) => Dual::new(data, self),
            None => return Ok(None),
        };
        let (corpus, packed) = (Cow::Borrowed(data.corpus), Cow::Borrowed(data.packed));
        let threads = limit_threads(threads);
        let objective = Objective::of_packed(corpus, data.features, packed, self.c2, threads)?;
        let mut objective = objective.interrupted_by(watch);
        let before = objective.loss(parameters)?;
        let mut clock = Clock::new(watch);
        let mut reached = vec![0.0; parameters.len()];
        let (mut number, mut tol, mut near) = (0, self.tol, false);
        for _ in 0..ATTEMPTS {
            let mut gaps = Gaps::default();
            while number < self.finish.max_iterations {
                number += 1;
                let Sweep { gap, loss } = state.sweep(data, threads, &mut clock)?;
                if gaps.diverged(gap) {
                    return Ok(None);
                }
                let estimate = loss + self.c2 * state.squares(data);
                near = gap <= 2.0 * self.tol * estimate;
                if gaps.suffice(gap, tol, estimate) {
                    break;
                }
            }
            state.to_parameters(data, &mut reached);
            match objective.loss(&reached) {
                Ok(after) if after <= before => {
                    parameters.copy_from_slice(&reached);
                    *dual = Some(state);
                    return Ok(Some(after));
                }
                // There is nothing left to gain within the precision of sweeps.
                Ok(_) if near && number == self.finish.max_iterations => break,
                Ok(_) if number == self.finish.max_iterations => return Ok(None),
                Ok(_) => tol *= 0.25,
                Err(Error::NotFinite | Error::Transition { .. }) => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        match near {
            true => {
                *dual = Some(state);
                Ok(Some(before))
            }
            false => Ok(None),
        }
    }
}
