use std::time::{Duration, Instant};

/// Asked at intervals during long work; answers true to stop it (Ctrl-C).
pub type Watch = fn() -> bool;

/// The watch said stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Steps between two calls of a [`Watch`]: a few milliseconds of the slowest step.
const INTERVAL: usize = 1 << 16;

/// Counts steps and says when it is time to look up from long work.
///
/// ```
/// let mut interval = spanrs_base::Interval::new(3);
/// assert_eq!([1, 1, 1, 1].map(|steps| interval.passes(steps)), [false, false, true, false]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Interval {
    steps: usize,
    every: usize,
}

impl Interval {
    /// An interval of so many steps.
    pub fn new(every: usize) -> Self {
        Self { steps: 0, every }
    }

    /// Counts steps; true once in so many of them.
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

/// Asks a [`Watch`] at most once in 50 milliseconds, for steps whose cost varies.
///
/// ```
/// let mut clock = spanrs_base::Clock::new(|| true);
/// assert!(!clock.stops(), "it is too early to ask");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    watch: Watch,
    asked: Instant,
}

impl Clock {
    /// Asks this watch.
    pub fn new(watch: Watch) -> Self {
        let asked = Instant::now();
        Self { watch, asked }
    }

    /// True if the watch was asked and said stop.
    pub fn stops(&mut self) -> bool {
        if self.asked.elapsed() < Duration::from_millis(50) {
            return false;
        }
        self.asked = Instant::now();
        (self.watch)()
    }
}

/// Counts the steps of long work and asks a [`Watch`] once in many of them.
///
/// ```
/// use spanrs_base::{Interrupted, Pace};
/// let mut pace = Pace::new(|| true);
/// assert_eq!(pace.steps(1), Ok(()));
/// assert_eq!(pace.steps(1 << 20), Err(Interrupted));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    watch: Watch,
    interval: Interval,
}

impl Default for Pace {
    /// Never stops.
    fn default() -> Self {
        Self::new(|| false)
    }
}

impl Pace {
    /// Asks this watch.
    pub fn new(watch: Watch) -> Self {
        Self {
            watch,
            interval: Interval::new(INTERVAL),
        }
    }

    /// Counts steps.
    ///
    /// # Errors
    /// [`Interrupted`] where the watch was asked and said stop.
    #[inline]
    pub fn steps(&mut self, steps: usize) -> Result<(), Interrupted> {
        if self.interval.passes(steps) && (self.watch)() {
            return Err(Interrupted);
        }
        Ok(())
    }
}
