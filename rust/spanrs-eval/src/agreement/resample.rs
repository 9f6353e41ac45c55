//! Percentile intervals by resampling documents (Efron 1979).

use std::ops::Range;

use spanrs_base::Rng;

use super::layout::{Layout, add};
use super::measures::Values;
use crate::outcomes::{ROUND, in_batches};

/// Number of statistics that a thread adds or evaluates between two calls of `stop`, about: a
/// fraction of a second.
const ROUND_WORK: usize = 4_000_000;

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
        let done = in_batches(
            samples,
            threads,
            self.round(),
            stop,
            worker,
            batch,
            |values: Vec<f32>| {
                all.extend(values);
            },
        );
        done.then_some(all)
    }

    /// Returns the number of resamples per thread between two calls of `stop`: fewer for large
    /// projects, whose resamples are slow.
    fn round(&self) -> u64 {
        let rows: usize = self.rows().iter().map(|row| row.len()).sum();
        let columns = self.project.columns.keys().len();
        let types = self.types.len() * (1 + self.groups.len());
        let work = 1 + rows + columns + types;
        ((ROUND_WORK / work) as u64).clamp(1, ROUND)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Content, Project, ProjectSpan};

    #[test]
    fn slow_resamples_can_be_stopped_early() {
        let mut project = Project::default();
        // Types of one document only.
        for document in 0..2_000 {
            let types: Vec<_> = (0..10)
                .map(|ty| project.intern(&format!("{document}/{ty}")))
                .collect();
            let answer = |annotator: u32| {
                let span =
                    |(at, &ty): (u32, &u32)| ProjectSpan::new(4 * at, 4 * at + 2 + annotator, ty);
                let spans = (0..).zip(&types).map(span).collect();
                Answer {
                    annotator,
                    content: Content::Spans(spans),
                }
            };
            project.add(50, None, vec![answer(0), answer(1)]);
        }
        let layout = project.layout();
        let mut calls = Vec::new();
        let stop = |done| {
            calls.push(done);
            calls.len() == 3
        };
        assert!(layout.resample(300, 1, 2, false, stop).is_none());
        assert!(calls[2] < 64, "{calls:?}");
        let values = |threads| layout.resample(6, 1, threads, false, |_| false).unwrap();
        let bits = |values: Vec<f32>| values.into_iter().map(f32::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(values(1)), bits(values(3)));
    }
}
