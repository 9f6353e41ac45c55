/// Asked at intervals during long work; answers true to stop it (Ctrl-C).
pub type Watch = fn() -> bool;

/// The watch said stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// Steps between two calls of a [`Watch`]: a few milliseconds of the slowest step.
const INTERVAL: usize = 1 << 16;

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
    steps: usize,
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
        Self { watch, steps: 0 }
    }

    /// Counts steps.
    ///
    /// # Errors
    /// [`Interrupted`] where the watch was asked and said stop.
    #[inline]
    pub fn steps(&mut self, steps: usize) -> Result<(), Interrupted> {
        self.steps += steps;
        if self.steps < INTERVAL {
            return Ok(());
        }
        self.ask()
    }

    #[cold]
    fn ask(&mut self) -> Result<(), Interrupted> {
        self.steps = 0;
        if (self.watch)() {
            Err(Interrupted)
        } else {
            Ok(())
        }
    }
}
