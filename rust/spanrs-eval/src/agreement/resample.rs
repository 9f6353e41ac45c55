//! Percentile intervals by resampling documents (Efron 1979).

use std::ops::Range;

use spanrs_base::Rng;

use super::layout::{Layout, add};
use super::measures::Values;
use crate::outcomes::in_batches;

impl Values {
    /// Returns all values in one list: of all annotators, pairs (if wanted), annotators, types.
    pub fn flat(&self, with_pairs: bool) -> Vec<f64> {
        let mut values = self.whole.to_vec();
        if with_pairs {
            values.extend(self.pairs.iter().flatten());
        }
        values.extend(self.annotators.iter().flatten());
        values.extend(self.types.iter().flatten());
        values
    }
}

impl Layout<'_> {
    /// Evaluates all measures on resampled corpora.
    ///
    /// Documents with at least two annotators are drawn with replacement, as many as there are.
    ///
    /// - `samples`: number of resamples.
    /// - `seed`: the same seed gives the same values, for any number of threads.
    /// - `with_pairs`: whether to return the values of pairs, which may be many.
    /// - `stop`: called at intervals with the number of finished resamples; returns true to stop.
    ///
    /// Returns the values of each resample, in the order of [`Values::flat`]; None if `stop`
    /// returned true. Takes O(samples * (documents + size of all rows)) time.
    pub fn resample(
        &self,
        samples: u64,
        seed: u64,
        threads: usize,
        with_pairs: bool,
        stop: impl FnMut(u64) -> bool,
    ) -> Option<Vec<f32>> {
        let documents = self.rows().len();
        let worker = || (vec![0_u32; documents], self.zeros());
        let batch = |(times, sums): &mut (Vec<u32>, Vec<f64>), numbers: Range<u64>| {
            let mut values = Vec::new();
            for number in numbers {
                let mut rng = Rng::part(seed, number);
                times.fill(0);
                for _ in 0..documents {
                    times[rng.below(documents as u64) as usize] += 1;
                }
                sums.fill(0.0);
                for (row, &times) in self
                    .rows()
                    .iter()
                    .zip(times.iter())
                    .filter(|(_, n)| **n > 0)
                {
                    add(sums, row, f64::from(times));
                }
                values.extend(
                    self.evaluate(sums)
                        .flat(with_pairs)
                        .iter()
                        .map(|value| *value as f32),
                );
            }
            values
        };
        let mut all = Vec::new();
        let done = in_batches(samples, threads, stop, worker, batch, |values: Vec<f32>| {
            all.extend(values);
        });
        done.then_some(all)
    }
}
