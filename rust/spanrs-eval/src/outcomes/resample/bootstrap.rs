use spanrs_base::Rng;

use super::super::measure::{Evaluator, Measure};
use super::in_batches;
use super::systems::{Groups, Systems};

impl Systems {
    /// Evaluates measures on resampled corpora: as many documents as there are, drawn with replacement, the same
    /// ones for every system (Efron 1979, "Bootstrap Methods: Another Look at the Jackknife").
    ///
    /// Returns `samples` rows of `systems * measures` values, one after the other; None where there are no documents
    /// or `stop` says so. The same `seed` gives the same values for any number of threads, and for counts that were
    /// merged in any order.
    ///
    /// Time follows the draws, samples times documents; memory the values.
    pub fn bootstrap(
        &self,
        measures: &[Measure],
        samples: u64,
        seed: u64,
        threads: usize,
        stop: impl Fn() -> bool,
    ) -> Option<Vec<f64>> {
        if self.documents() == 0 {
            return None;
        }
        let all: Vec<usize> = (0..self.len()).collect();
        let (evaluator, groups) = self.groups(&all, measures);
        let batch = |numbers: std::ops::Range<u64>| {
            let mut sampler = Sampler {
                groups: &groups,
                times: vec![0; groups.rows.len()],
                sums: vec![0.0; self.len() * self.width()],
                evaluator: evaluator.clone(),
            };
            let mut values = Vec::new();
            for number in numbers {
                sampler.sample(&mut Rng::part(seed, number));
                sampler.evaluate(self.width(), self.len(), &mut values);
            }
            values
        };
        let mut all = Vec::with_capacity(samples as usize * self.len() * measures.len());
        let done = in_batches(samples, threads, stop, batch, |values| all.extend(values));
        done.then_some(all)
    }
}

struct Sampler<'a> {
    groups: &'a Groups,
    /// How often each group was drawn.
    times: Vec<u32>,
    /// Of each cell of each system.
    sums: Vec<f64>,
    evaluator: Evaluator,
}

impl Sampler<'_> {
    /// Draws documents and adds their counts.
    fn sample(&mut self, rng: &mut Rng) {
        let n = self.groups.of_documents.len();
        self.times.fill(0);
        let mut draw = |at: usize| self.times[self.groups.of_documents[at] as usize] += 1;
        if let Ok(small) = u32::try_from(n) {
            for at in BoundedIntegers::new(rng, small).take(n) {
                draw(at as usize);
            }
        } else {
            for _ in 0..n {
                draw(rng.below(n as u64) as usize);
            }
        }
        self.sums.fill(0.0);
        for (row, &times) in self.groups.rows.iter().zip(&self.times) {
            if times > 0 {
                for (cell, n) in row {
                    self.sums[*cell as usize] += f64::from(times) * n;
                }
            }
        }
    }

    fn evaluate(&mut self, width: usize, systems: usize, values: &mut Vec<f64>) {
        for system in 0..systems {
            let sums = &self.sums[system * width..(system + 1) * width];
            self.evaluator.evaluate(sums, values);
        }
    }
}

/// Uniform integers below a limit, two per 64-bit draw (Lemire 2019, with 32 bits).
struct BoundedIntegers<'a> {
    rng: &'a mut Rng,
    below: u32,
    /// Rejection threshold; removes modulo bias.
    threshold: u32,
    /// The other half of the last draw.
    half: Option<u32>,
}

impl<'a> BoundedIntegers<'a> {
    fn new(rng: &'a mut Rng, below: u32) -> Self {
        Self {
            rng,
            below,
            threshold: below.wrapping_neg() % below,
            half: None,
        }
    }
}

impl Iterator for BoundedIntegers<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        loop {
            let half = self.half.take().unwrap_or_else(|| {
                let drawn = self.rng.draw();
                self.half = Some((drawn >> 32) as u32);
                drawn as u32
            });
            let product = u64::from(half) * u64::from(self.below);
            if product as u32 >= self.threshold {
                return Some((product >> 32) as u32);
            }
        }
    }
}
