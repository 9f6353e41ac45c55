//! Limits and interruption of the search.

use spanrs_base::{Interrupted, Worker};

/// Number of steps between two checks of the worker.
const PAUSE: usize = 1 << 12;

/// Limits of the search for the best alignment of one group of units.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchLimits {
    /// Maximum number of unitary alignments.
    pub(super) alignments: usize,
    /// Maximum number of states that are stored.
    pub(super) states: usize,
}

/// Counts steps, and checks at intervals whether to stop.
pub(super) struct Effort<'a, 'w> {
    /// Knows whether to stop.
    worker: &'a mut Worker<'w>,
    /// The limits.
    pub(super) limits: SearchLimits,
    /// Steps since the last check.
    steps: usize,
}

impl<'a, 'w> Effort<'a, 'w> {
    /// Creates a counter.
    pub(super) fn new(worker: &'a mut Worker<'w>, limits: SearchLimits) -> Self {
        Self {
            worker,
            limits,
            steps: 0,
        }
    }

    /// Adds steps, small units of work.
    ///
    /// # Errors
    /// [`Interrupted`] if the worker has to stop.
    #[inline]
    pub(super) fn steps(&mut self, steps: usize) -> Result<(), Interrupted> {
        self.steps += steps;
        if self.steps < PAUSE {
            return Ok(());
        }
        self.steps = 0;
        self.worker.check()
    }
}
