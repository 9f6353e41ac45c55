//! Random continua, whose mean disorder is the expected disorder.

use spanrs_base::{Named, Rng};

use super::continuum::{Continuum, Segment};
use super::statistics::Statistics;

/// How random continua are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampler {
    /// Each random annotator has the units of an annotator of the document, drawn with replacement,
    /// shifted by a random number of positions; units shifted beyond the end continue at the start
    /// (Mathet et al. 2015, section 5.2.1).
    #[default]
    Shuffle,
    /// The number of units of an annotator, the gaps between units and the lengths of units are
    /// drawn from normal distributions with the means and standard deviations of the document, and
    /// categories with their relative frequencies (the default of pygamma-agreement).
    Statistical,
}

impl Named for Sampler {
    const WHAT: &'static str = "sampler";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("shuffle", Self::Shuffle),
        ("statistical", Self::Statistical),
    ];
}

spanrs_base::serde_by_name!(Sampler);

/// Draws random continua of a document.
pub(super) enum ContinuumSampler {
    /// See [`Sampler::Shuffle`].
    Shuffle(Shuffle),
    /// See [`Sampler::Statistical`].
    Statistical(Statistics),
}

impl ContinuumSampler {
    /// Creates the sampler of a document with at least one unit. `pivot_distance` is the smallest
    /// distance of two shifts, in mean lengths of a unit.
    pub(super) fn new(sampler: Sampler, document: &Continuum, pivot_distance: f64) -> Self {
        match sampler {
            Sampler::Shuffle => Self::Shuffle(Shuffle::new(document, pivot_distance)),
            Sampler::Statistical => Self::Statistical(Statistics::new(document)),
        }
    }

    /// Draws the units of as many annotators as the document has; at least one has units.
    pub(super) fn draw(&self, rng: &mut Rng) -> Vec<Vec<Segment>> {
        match self {
            Self::Shuffle(shuffle) => shuffle.draw(rng),
            Self::Statistical(statistics) => statistics.draw(rng),
        }
    }
}

/// See [`Sampler::Shuffle`].
pub(super) struct Shuffle {
    /// The units of each annotator.
    units: Vec<Vec<Segment>>,
    /// Length of the document, at least 1.
    length: u64,
    /// Greatest difference of two shifts that is not allowed.
    radius: u64,
}

impl Shuffle {
    fn new(document: &Continuum, pivot_distance: f64) -> Self {
        let units = document.segments();
        let lengths: f64 = units.iter().flatten().map(Segment::len).sum();
        let distance = pivot_distance * lengths / document.total() as f64;
        Self {
            units,
            length: u64::from(document.length),
            radius: (distance.ceil() as u64).saturating_sub(1),
        }
    }

    fn draw(&self, rng: &mut Rng) -> Vec<Vec<Segment>> {
        loop {
            let mut shifts = Vec::with_capacity(self.units.len());
            let mut drawn = Vec::with_capacity(self.units.len());
            for _ in 0..self.units.len() {
                let shift = self.shift(&shifts, rng);
                shifts.push(shift);
                let from = &self.units[rng.below(self.units.len() as u64) as usize];
                drawn.push(from.iter().map(|unit| self.shifted(unit, shift)).collect());
            }
            if drawn.iter().any(|units: &Vec<_>| !units.is_empty()) {
                return drawn;
            }
        }
    }

    /// Draws a shift that is not within the radius of an earlier shift. Distances are circular,
    /// because a shift by the length of the document is none. If all shifts are too close, any
    /// shift is drawn.
    fn shift(&self, earlier: &[u64], rng: &mut Rng) -> u64 {
        let mut closed: Vec<(u64, u64)> = Vec::with_capacity(2 * earlier.len());
        for &shift in earlier {
            let width = (2 * self.radius + 1).min(self.length);
            let start = (shift + self.length - self.radius.min(self.length)) % self.length;
            if self.radius >= self.length {
                closed.push((0, self.length));
            } else {
                closed.push((start, (start + width).min(self.length)));
                closed.push((0, (start + width).saturating_sub(self.length)));
            }
        }
        closed.sort_unstable();
        let mut open = Vec::with_capacity(closed.len() + 1);
        let mut at = 0;
        for (start, end) in closed {
            if start > at {
                open.push((at, start));
            }
            at = at.max(end);
        }
        if at < self.length {
            open.push((at, self.length));
        }
        let total: u64 = open.iter().map(|(start, end)| end - start).sum();
        if total == 0 {
            return rng.below(self.length);
        }
        let mut left = rng.below(total);
        for (start, end) in open {
            if left < end - start {
                return start + left;
            }
            left -= end - start;
        }
        0
    }

    /// Shifts a unit, which keeps its length even if it then exceeds the end of the document.
    fn shifted(&self, unit: &Segment, shift: u64) -> Segment {
        let length = self.length as f64;
        let mut start = unit.start + shift as f64;
        if start >= length {
            start -= length;
        }
        Segment {
            start,
            end: start + unit.len(),
            category: unit.category,
        }
    }
}
