//! Bootstrap confidence: how much the measures of a corpus depend on which documents are in it.
//!
//! A sample draws as many documents as there are, with replacement, and adds up their counts (micro). The
//! measures of many samples have a mean and a variance (Efron 1979).

use spanrs_base::{Rng, map_in_threads};

/// What is counted in a document: rows of numbers, by the number of the row, ascending.
pub type Counted<const N: usize> = Vec<(u32, [u64; N])>;

/// Mean and variance of a measure over the samples in which its row occurs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Samples in which the row occurs.
    pub samples: u64,
    /// Mean; not a number where there is no sample.
    pub mean: f64,
    /// Variance of the population of samples.
    pub variance: f64,
}

impl Spread {
    fn add(&mut self, value: f64) {
        // Welford 1962: exact to the last digits where the values lie close together.
        self.samples += 1;
        let from_mean = value - self.mean;
        self.mean += from_mean / self.samples as f64;
        self.variance += from_mean * (value - self.mean);
    }

    /// Both, where `variance` is still the sum of squares (Chan, Golub and LeVeque 1979).
    fn join(self, other: Self) -> Self {
        let samples = self.samples + other.samples;
        if self.samples == 0 || other.samples == 0 {
            return if self.samples == 0 { other } else { self };
        }
        let apart = other.mean - self.mean;
        let (mine, its) = (self.samples as f64, other.samples as f64);
        let all = samples as f64;
        Self {
            samples,
            mean: self.mean + apart * its / all,
            variance: self.variance + other.variance + apart * apart * mine * its / all,
        }
    }
}

/// Samples that are done in one go; their sums are joined in order, whoever did them.
const BLOCK: u64 = 64;

/// Draws samples and gives the spread of each measure of each row.
///
/// `measures` turns the sums of all rows, and which rows occur, into the measures of each row; rows that it
/// gives None for do not count in the sample. The result depends on the seed and on nothing else. `stop` is
/// asked now and then; where it says true the result is None.
pub fn resample<const N: usize, const M: usize>(
    documents: &[Counted<N>],
    rows: usize,
    samples: u64,
    seed: u64,
    threads: usize,
    measures: impl Fn(&[Option<[u64; N]>]) -> Vec<Option<[f64; M]>> + Sync,
    stop: impl Fn() -> bool,
) -> Option<Vec<[Spread; M]>> {
    let blocks = samples.div_ceil(BLOCK);
    let block = |number: u64| {
        let mut spreads = Vec::new();
        let mut sums = Sums::new(documents, rows);
        for sample in number * BLOCK..samples.min((number + 1) * BLOCK) {
            sums.draw(&mut Rng::part(seed, sample));
            let values = measures(&sums.sums);
            spreads.resize(values.len(), [Spread::default(); M]);
            for (spread, values) in spreads.iter_mut().zip(values) {
                for (spread, value) in spread.iter_mut().zip(values.into_iter().flatten()) {
                    spread.add(value);
                }
            }
        }
        spreads
    };
    let mut all: Vec<[Spread; M]> = Vec::new();
    let at_once = threads.clamp(1, MOST_THREADS) as u64;
    for first in (0..blocks).step_by(at_once as usize) {
        if stop() {
            return None;
        }
        let numbers = first..blocks.min(first + at_once);
        for spreads in map_in_threads(numbers, block) {
            all.resize(all.len().max(spreads.len()), [Spread::default(); M]);
            for (mine, its) in all.iter_mut().zip(spreads) {
                for (mine, its) in mine.iter_mut().zip(its) {
                    *mine = mine.join(its);
                }
            }
        }
    }
    for spread in all.as_flattened_mut() {
        match spread.samples {
            0 => (spread.mean, spread.variance) = (f64::NAN, f64::NAN),
            n => spread.variance /= n as f64,
        }
    }
    Some(all)
}

/// More threads than this are of no use for work that is done in less than a second.
const MOST_THREADS: usize = 64;

/// The sums of a sample.
struct Sums<'a, const N: usize> {
    documents: &'a [Counted<N>],
    times: Vec<u32>,
    sums: Vec<Option<[u64; N]>>,
}

impl<'a, const N: usize> Sums<'a, N> {
    fn new(documents: &'a [Counted<N>], rows: usize) -> Self {
        Self {
            documents,
            times: vec![0; documents.len()],
            sums: vec![None; rows],
        }
    }

    fn draw(&mut self, rng: &mut Rng) {
        self.times.fill(0);
        self.sums.fill(None);
        let n = self.documents.len();
        for _ in 0..n {
            self.times[rng.below(n as u64) as usize] += 1;
        }
        for (document, &times) in self.documents.iter().zip(&self.times) {
            if times == 0 {
                continue;
            }
            for (row, counts) in document {
                let sum = self.sums[*row as usize].get_or_insert([0; N]);
                for (sum, count) in sum.iter_mut().zip(counts) {
                    *sum += u64::from(times) * count;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All samples of three documents, by brute force.
    fn exact(values: [u64; 3]) -> (f64, f64) {
        let all = (0..27).map(|n| [n % 3, n / 3 % 3, n / 9]);
        let sums = all.map(|drawn| drawn.iter().map(|&at| values[at]).sum::<u64>() as f64);
        let sums: Vec<f64> = sums.collect();
        let mean = sums.iter().sum::<f64>() / 27.0;
        let squares = sums.iter().map(|s| (s - mean) * (s - mean)).sum::<f64>();
        (mean, squares / 27.0)
    }

    fn spreads(threads: usize, samples: u64) -> Vec<[Spread; 1]> {
        let documents: Vec<Counted<1>> =
            vec![vec![(0, [1])], vec![(0, [4]), (1, [1])], vec![(0, [9])]];
        let value = |row: &Option<[u64; 1]>| row.map(|[n]| [n as f64]);
        let measures = |rows: &[Option<[u64; 1]>]| rows.iter().map(value).collect();
        resample(&documents, 2, samples, 5, threads, measures, || false).unwrap()
    }

    #[test]
    fn the_spread_is_that_of_all_samples() {
        let (mean, variance) = exact([1, 4, 9]);
        let found = spreads(1, 20_000)[0][0];
        assert!((found.mean - mean).abs() < 5.0 * (variance / 20_000.0).sqrt());
        assert!(
            (found.variance / variance - 1.0).abs() < 0.05,
            "{found:?} {variance}"
        );
    }

    #[test]
    fn threads_change_nothing_and_rows_that_do_not_occur_do_not_count() {
        let one = spreads(1, 1000);
        assert_eq!(one, spreads(2, 1000));
        assert_eq!(one, spreads(7, 1000));
        assert_eq!(one[0][0].samples, 1000);
        // The second document is in 19 of 27 samples.
        assert!((640..770).contains(&one[1][0].samples), "{one:?}");
        assert!(one[1][0].mean >= 1.0);
    }
}
