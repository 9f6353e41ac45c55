//! The paired randomisation test of two systems.
//!
//! If two systems were the same, exchanging their outputs on any document would not matter. The
//! test exchanges them on each document with probability one half and counts the samples in which
//! the difference of a measure is at least as large as observed.
//!
//! Let `a` and `b` be the summed cells of the two systems. Exchanging document `d` adds `b_d - a_d`
//! to `a`, and `a + b` never changes. So a sample is `a` plus, for each distinct nonzero change,
//! the change times the number of exchanged documents, which is binomial; the sums of the second
//! system follow by subtraction.

use std::ops::Range;

use spanrs_base::Rng;

use super::super::measure::{Evaluator, Measure};
use super::systems::{Groups, Systems};
use super::{ROUND, in_batches};

/// Absolute tolerance for comparing differences of measures, which are computed from different
/// sums.
const TOLERANCE: f64 = 1e-12;

impl Systems {
    /// Exchanges the outputs of two systems on each document with probability one half, `samples`
    /// times (approximate randomisation; Noreen 1989, Yeh 2000, "More accurate tests for the
    /// statistical significance of result differences").
    ///
    /// - `pair`: indices of the two systems.
    /// - `measures`: their types are type numbers of [`Systems::union`]. A measure that is NaN,
    ///   because its type does not occur, counts as 0.
    /// - `samples`: number of random exchanges.
    /// - `seed`: the same seed gives the same result, for any number of threads and counts merged
    ///   in any order.
    /// - `threads`: number of threads, limited to 64.
    /// - `stop`: called at intervals with the number of finished samples; returns true to stop.
    ///
    /// Returns for each measure the number `n` of samples whose absolute difference was at least as
    /// large as the observed one. The two-sided p-value is `(n + 1) / (samples + 1)`. Returns None
    /// if `stop` returned true. [`Systems`] has an example.
    ///
    /// Documents with equal counts under both systems change nothing and are skipped. For documents
    /// with equal pairs of rows, only the number of exchanged documents matters; it is the number
    /// of ones among as many random bits. A sample takes one bit per document that differs, a few
    /// additions per distinct pair of rows, and the evaluation of the measures for both systems.
    pub fn randomise(
        &self,
        pair: [usize; 2],
        measures: &[Measure],
        samples: u64,
        seed: u64,
        threads: usize,
        stop: impl FnMut(u64) -> bool,
    ) -> Option<Vec<u64>> {
        let (mut evaluator, groups) = self.groups(&pair, measures);
        let exchange = Exchange::new(&groups, self.width());
        let observed = exchange.differences(&mut evaluator, &exchange.total);
        let worker = || (evaluator.clone(), Vec::new());
        let batch = |(evaluator, sums): &mut (Evaluator, Vec<f64>), numbers: Range<u64>| {
            let mut as_large = vec![0_u64; measures.len()];
            for number in numbers {
                sums.clone_from(&exchange.total);
                exchange.apply(&mut Rng::part(seed, number), sums);
                let differences = exchange.differences(evaluator, sums);
                for ((n, found), observed) in as_large.iter_mut().zip(differences).zip(&observed) {
                    *n += u64::from(found.abs() >= observed.abs() - TOLERANCE);
                }
            }
            as_large
        };
        let mut as_large = vec![0; measures.len()];
        let done = in_batches(samples, threads, ROUND, stop, worker, batch, |found| {
            for (all, n) in as_large.iter_mut().zip(found) {
                *all += n;
            }
        });
        done.then_some(as_large)
    }
}

/// Sums of two systems, and the changes to the sums of the first system when documents are
/// exchanged.
struct Exchange {
    /// For each cell, the sum of the first system.
    total: Vec<f64>,
    /// For each cell, the sum of both systems, which exchanges do not change.
    both: Vec<f64>,
    /// Groups of documents whose rows differ between the systems: number of documents, and the
    /// change of each cell when one of these documents is exchanged.
    groups: Vec<(u64, Vec<(u32, f64)>)>,
}

impl Exchange {
    /// Computes sums and changes; `width` is the number of cells of one system.
    fn new(groups: &Groups, width: usize) -> Self {
        let totals = groups.totals(2 * width);
        let (first, second) = totals.split_at(width);
        let both = first.iter().zip(second).map(|(a, b)| a + b).collect();
        let changes = groups
            .rows
            .iter()
            .zip(groups.sizes())
            .filter_map(|(row, size)| {
                // Entries of the first system come first, both halves sorted by cell.
                let middle = row.partition_point(|(cell, _)| (*cell as usize) < width);
                let own = row[..middle].iter().map(|&(cell, n)| (cell, -n));
                let other = row[middle..]
                    .iter()
                    .map(|&(cell, n)| (cell - width as u32, n));
                let mut change: Vec<(u32, f64)> = own.chain(other).collect();
                change.sort_by_key(|(cell, _)| *cell);
                change.dedup_by(|next, kept| {
                    let same = next.0 == kept.0;
                    if same {
                        kept.1 += next.1;
                    }
                    same
                });
                change.retain(|(_, n)| *n != 0.0);
                (!change.is_empty()).then_some((size, change))
            });
        Self {
            groups: changes.collect(),
            total: first.to_vec(),
            both,
        }
    }

    /// Exchanges each document with probability one half; `sums` are the sums of the first system.
    fn apply(&self, rng: &mut Rng, sums: &mut [f64]) {
        let mut bits = Bits::default();
        for (size, change) in &self.groups {
            let exchanged = bits.ones_of(*size, rng) as f64;
            if exchanged > 0.0 {
                for &(cell, n) in change {
                    sums[cell as usize] += exchanged * n;
                }
            }
        }
    }

    /// Returns the measures of the first system minus the measures of the second, computed from
    /// `first`, the sums of the first system.
    ///
    /// A measure that is NaN counts as 0, so that a type that remains in only one system still
    /// gives a difference.
    fn differences(&self, evaluator: &mut Evaluator, first: &[f64]) -> Vec<f64> {
        let second: Vec<f64> = self
            .both
            .iter()
            .zip(first)
            .map(|(both, a)| both - a)
            .collect();
        let mut values = [Vec::new(), Vec::new()];
        evaluator.evaluate(first, &mut values[0]);
        evaluator.evaluate(&second, &mut values[1]);
        let number = |value: f64| if value.is_nan() { 0.0 } else { value };
        let [first, second] = values;
        let pairs = first.into_iter().zip(second);
        pairs.map(|(a, b)| number(a) - number(b)).collect()
    }
}

/// A stream of random bits, drawn 64 at a time.
#[derive(Default)]
struct Bits {
    /// The remaining bits, in the low positions.
    word: u64,
    /// Number of remaining bits.
    left: u32,
}

impl Bits {
    /// Returns the number of ones among the next `n` bits: a binomial number with probability one
    /// half.
    fn ones_of(&mut self, mut n: u64, rng: &mut Rng) -> u64 {
        let mut ones = 0;
        while n > 0 {
            if self.left == 0 {
                self.word = rng.draw();
                self.left = u64::BITS;
            }
            let take = u64::from(self.left).min(n) as u32;
            let taken = if take == u64::BITS {
                self.word
            } else {
                self.word & ((1 << take) - 1)
            };
            ones += u64::from(taken.count_ones());
            self.word = self.word.checked_shr(take).unwrap_or(0);
            self.left -= take;
            n -= u64::from(take);
        }
        ones
    }
}
