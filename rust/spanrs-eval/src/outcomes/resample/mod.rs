//! Resampling of documents: bootstrap, jackknife and paired randomisation tests, for any measure.
//!
//! [`Systems`] aligns the rows of one or several systems by document. Every method reads only these
//! rows, so that it works in the same way for all matchers.
//!
//! | method | question | source |
//! |---|---|---|
//! | [`Systems::bootstrap`] | how much would a measure vary with other documents? | Efron 1979 |
//! | [`Systems::jackknife`] | how much does each document matter? | Quenouille 1956, Tukey 1958 |
//! | [`Systems::randomise`] | could two systems be equally good? | Noreen 1989, Yeh 2000 |
//!
//! Documents with equal rows are interchangeable, so the bootstrap of a large corpus draws the
//! count of each group of equal documents ([`multinomial`]). Documents are grouped once
//! ([`systems::Groups`]), ignoring cells that no measure reads; a corpus of sentences has few
//! distinct rows.
//!
//! Results depend on the seed, not on the number of threads or the order in which counts were
//! merged: resample `i` draws from its own random stream, and documents are numbered by key and
//! content.

mod binomial;
mod bootstrap;
mod bounded_integers;
mod jackknife;
mod multinomial;
mod randomisation;
mod systems;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

pub use jackknife::Omission;
pub use systems::Systems;

/// Number of resamples per thread between two calls of `stop`, if resamples are fast. Does not
/// affect results.
pub(crate) const ROUND: u64 = 128;

/// Number of batches per thread and round: a batch is one unit of work.
const BATCHES: u64 = 8;

/// Computes resamples in batches, several at once in threads, and passes the result of each batch
/// to `take`, in order.
///
/// - `samples`: number of resamples; they are numbered from 0.
/// - `threads`: batches computed at once, limited to 1..=64.
/// - `round`: number of resamples per thread between two calls of `stop`, at least 1; [`ROUND`] if
///   resamples are fast. Threads are restarted after each round.
/// - `stop`: called between rounds and at the end with the number of finished resamples;
///   returns true to stop.
/// - `worker`: creates the work space of a thread.
/// - `batch`: computes the resamples of a range of numbers.
///
/// A thread takes the next batch when it has finished one, so a slow thread does not delay the
/// others. Returns false if `stop` returned true; the results passed to `take` are then incomplete.
pub(crate) fn in_batches<T: Send, W>(
    samples: u64,
    threads: usize,
    round: u64,
    mut stop: impl FnMut(u64) -> bool,
    worker: impl Fn() -> W + Sync,
    batch: impl Fn(&mut W, Range<u64>) -> T + Sync,
    mut take: impl FnMut(T),
) -> bool {
    let size = round.div_ceil(BATCHES).max(1);
    let batches = samples.div_ceil(size);
    let threads = threads.clamp(1, 64) as u64;
    let round = threads * (round / size).max(1);
    for first in (0..batches).step_by(round as usize) {
        if stop(first * size) {
            return false;
        }
        let end = batches.min(first + round);
        let next = AtomicU64::new(first);
        let work = |_| {
            let mut worker = worker();
            let mut done = Vec::new();
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= end {
                    return done;
                }
                let first = number * size;
                let last = samples.min(first + size);
                done.push((number, batch(&mut worker, first..last)));
            }
        };
        let parts = spanrs_base::map_in_threads(0..threads.min(end - first), work);
        let mut done: Vec<(u64, T)> = parts.into_iter().flatten().collect();
        done.sort_unstable_by_key(|(number, _)| *number);
        done.into_iter().for_each(|(_, result)| take(result));
    }
    !stop(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_affect_only_when_stop_is_called() {
        for round in [1, 3, 20, ROUND] {
            for threads in [1, 3] {
                let (mut all, mut calls) = (Vec::new(), Vec::new());
                let stop = |done| {
                    calls.push(done);
                    false
                };
                let batch = |(): &mut (), numbers: Range<u64>| numbers;
                let take = |numbers| all.extend(numbers);
                assert!(in_batches(300, threads, round, stop, || (), batch, take));
                assert_eq!(all, (0..300).collect::<Vec<_>>());
                let most = round * threads as u64;
                assert!(calls.is_sorted() && calls.windows(2).all(|two| two[1] - two[0] <= most));
            }
        }
    }
}
