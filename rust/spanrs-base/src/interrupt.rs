//! Cooperative interruption: long loops check at intervals whether they should stop.
//!
//! The binding supplies a [`Watch`] that checks for signals (Ctrl-C). Calling the watch is far more
//! expensive than a step of a loop, so calls are limited, either by a number of steps
//! ([`Interval`], [`Pace`]) or by elapsed time ([`Clock`]). Count steps if all steps have a similar
//! cost, because counting is cheaper than reading a clock; use the clock if the cost of a step is
//! unbounded.

use std::time::{Duration, Instant};

/// A function that is called at intervals during long computations and returns true to stop the
/// computation (Ctrl-C).
///
/// This is a function pointer rather than a closure, so that types that contain a watch are `Copy`
/// and can be passed to threads.
pub type Watch = fn() -> bool;

/// Error: a [`Watch`] requested a stop. The results computed so far are incomplete and must be
/// discarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Interrupted;

/// Steps between two calls of the [`Watch`] of a [`Pace`]: a few milliseconds for the slowest
/// steps.
const INTERVAL: usize = 1 << 16;

/// Counts steps and reports when a given number of steps has been reached.
///
/// # Examples
///
/// ```
/// let mut interval = spanrs_base::Interval::new(3);
/// assert_eq!([1, 1, 1, 1].map(|steps| interval.passes(steps)), [false, false, true, false]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    /// Steps since the interval last ended; less than `every`, unless `every` is 0.
    steps: usize,
    /// Length of the interval in steps.
    every: usize,
}

impl Interval {
    /// Creates an interval of `every` steps; with 0 or 1, every call of [`Interval::passes`] with
    /// at least one step returns true.
    pub fn new(every: usize) -> Self {
        Self { steps: 0, every }
    }

    /// Adds `steps` and returns whether the interval has ended; the count then starts again at 0.
    ///
    /// Steps beyond the end are not carried over, so one call with many steps returns true once.
    #[inline(always)]
    pub fn passes(&mut self, steps: usize) -> bool {
        self.steps = self.steps.saturating_add(steps);
        if self.steps < self.every {
            return false;
        }
        self.steps = 0;
        true
    }
}

/// Calls a [`Watch`] at most every 50 milliseconds, for loops whose steps differ in cost.
///
/// # Examples
///
/// ```
/// let mut clock = spanrs_base::Clock::new(|| true);
/// assert!(!clock.stops(), "less than 50 ms have passed");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    /// The function to call.
    watch: Watch,
    /// Time of the last call of the watch, initially the time at which the clock was created.
    asked: Instant,
}

impl Clock {
    /// Creates a clock; the watch is first called 50 milliseconds from now.
    pub fn new(watch: Watch) -> Self {
        let asked = Instant::now();
        Self { watch, asked }
    }

    /// Returns true if at least 50 milliseconds have passed since the last call of the watch and
    /// the watch returns true. Every call reads the monotonic clock (some tens of nanoseconds).
    pub fn stops(&mut self) -> bool {
        if self.asked.elapsed() < Duration::from_millis(50) {
            return false;
        }
        self.asked = Instant::now();
        (self.watch)()
    }
}

/// Counts the steps of a long computation and calls a [`Watch`] once every 65,536 steps.
///
/// The default value never stops.
///
/// # Examples
///
/// ```
/// use spanrs_base::{Interrupted, Pace};
/// let mut pace = Pace::new(|| true);
/// assert_eq!(pace.steps(1), Ok(()));
/// assert_eq!(pace.steps(1 << 20), Err(Interrupted));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The function to call.
    watch: Watch,
    /// Interval between calls of the watch.
    interval: Interval,
}

impl Default for Pace {
    /// Returns a pace that never stops.
    fn default() -> Self {
        Self::new(|| false)
    }
}

impl Pace {
    /// Creates a pace that calls `watch`.
    pub fn new(watch: Watch) -> Self {
        Self {
            watch,
            interval: Interval::new(INTERVAL),
        }
    }

    /// Adds `steps`, which may be any number of small units of work, and calls the watch if the
    /// interval has ended.
    ///
    /// # Errors
    /// [`Interrupted`] if the watch was called and returned true.
    #[inline]
    pub fn steps(&mut self, steps: usize) -> Result<(), Interrupted> {
        if self.interval.passes(steps) && (self.watch)() {
            return Err(Interrupted);
        }
        Ok(())
    }
}
