//! Random continua with the statistics of a document.

use std::f64::consts::TAU;

use spanrs_base::Rng;

use super::continuum::{Continuum, Segment, Unit};

/// Smallest length of a random unit.
const LEAST_LENGTH: f64 = 1e-6;

/// Mean and standard deviation of a normal distribution.
#[derive(Clone, Copy, Debug)]
struct Normal {
    mean: f64,
    deviation: f64,
}

impl Normal {
    /// The mean and the standard deviation (divided by n) of values.
    fn of(values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        Self {
            mean,
            deviation: (squares / n).sqrt(),
        }
    }

    /// Draws a number by the method of Box and Muller (1958).
    fn draw(&self, rng: &mut Rng) -> f64 {
        // In (0, 1], so that the logarithm is finite.
        let radius = (-2.0 * uniform_above_zero(rng).ln()).sqrt();
        self.mean + self.deviation * radius * (TAU * uniform_above_zero(rng)).cos()
    }
}

/// Returns a uniform number from 0 (exclusive) to 1 (inclusive), a multiple of 2^-53.
fn uniform_above_zero(rng: &mut Rng) -> f64 {
    ((rng.draw() >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

/// See [`super::Sampler::Statistical`].
pub(super) struct Statistics {
    /// Number of annotators.
    annotators: usize,
    /// Number of units of an annotator.
    numbers: Normal,
    /// Distance from the end of a unit to the start of the next unit of the annotator; negative if
    /// they overlap.
    gaps: Normal,
    /// Lengths of units.
    lengths: Normal,
    /// The categories of all units.
    categories: Vec<u32>,
}

impl Statistics {
    /// Computes the statistics of a document with at least one unit.
    ///
    /// As in pygamma-agreement, the gaps include a gap of 0, and the start of the first unit of
    /// each annotator unless it is 0.
    pub(super) fn new(document: &Continuum) -> Self {
        let (mut gaps, mut lengths) = (vec![0.0], Vec::new());
        let mut categories = Vec::new();
        for units in &document.units {
            let mut units: Vec<&Unit> = units.iter().collect();
            units.sort_by_key(|unit| (unit.start, unit.end, unit.category));
            for (at, unit) in units.iter().enumerate() {
                let start = f64::from(unit.start);
                match at.checked_sub(1) {
                    Some(before) => gaps.push(start - f64::from(units[before].end)),
                    None if unit.start > 0 => gaps.push(start),
                    None => {}
                }
                lengths.push(f64::from(unit.end) - start);
                categories.push(unit.category);
            }
        }
        let numbers: Vec<f64> = document
            .units
            .iter()
            .map(|units| units.len() as f64)
            .collect();
        Self {
            annotators: document.units.len(),
            numbers: Normal::of(&numbers),
            gaps: Normal::of(&gaps),
            lengths: Normal::of(&lengths),
            categories,
        }
    }

    /// Draws the units of all annotators; at least one has units.
    pub(super) fn draw(&self, rng: &mut Rng) -> Vec<Vec<Segment>> {
        let mut total = 0;
        let mut drawn = Vec::with_capacity(self.annotators);
        for _ in 0..self.annotators {
            let mut number = self.numbers.draw(rng).abs() as usize;
            if total == 0 {
                number = number.max(1);
            }
            total += number;
            let mut end = 0.0;
            let mut units = Vec::with_capacity(number);
            for _ in 0..number {
                let start = end + self.gaps.draw(rng);
                let mut length = self.lengths.draw(rng).abs();
                while length < LEAST_LENGTH {
                    length = self.lengths.draw(rng).abs();
                }
                end = start + length;
                let category = rng.below(self.categories.len() as u64) as usize;
                units.push(Segment {
                    start,
                    end,
                    category: self.categories[category],
                });
            }
            drawn.push(units);
        }
        drawn
    }
}
