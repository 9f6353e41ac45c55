//! Resampling of documents: bootstrap, jackknife and paired randomisation tests, for any measure.
//!
//! [`Systems`] aligns the rows of one or several systems by document. Every method reads only those
//! rows, so that it works the same for all matchers.
//!
//! | method | question | source |
//! |---|---|---|
//! | [`Systems::bootstrap`] | how much would a measure vary with other documents? | Efron 1979 |
//! | [`Systems::jackknife`] | how much does each document matter? | Quenouille 1956, Tukey 1958 |
//! | [`Systems::randomise`] | could two systems be the same? | Noreen 1989, Yeh 2000 |
//!
//! Documents with equal rows are interchangeable, so that the bootstrap of a large corpus draws how
//! often each group of them occurs ([`multinomial`]). They are grouped once ([`systems::Groups`]),
//! after leaving out the cells that no measure reads; a corpus of sentences has few distinct rows.
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

/// Resamples computed as one unit of work by one thread. Has no influence on results.
const BATCH: u64 = 16;

/// Batches for each thread between two calls of `stop`: threads are started anew after each.
const ROUND: u64 = 8;

/// Computes resamples in batches, several at once in threads, and gives the result of each batch to
/// `take`, in order.
///
/// - `samples`: number of resamples; they are numbered from 0.
/// - `threads`: batches computed at once, limited to 1..=64.
/// - `stop`: asked between rounds of batches and at the end, with the number of resamples that are
///   done.
/// - `worker`: makes the work space of a thread.
/// - `batch`: computes the resamples of a range of numbers.
///
/// Threads take the next batch when they are done with one, so that a slow thread does not hold up
/// the others. Returns false if `stop` said so; what `take` received before is then incomplete.
fn in_batches<T: Send, W>(
    samples: u64,
    threads: usize,
    mut stop: impl FnMut(u64) -> bool,
    worker: impl Fn() -> W + Sync,
    batch: impl Fn(&mut W, Range<u64>) -> T + Sync,
    mut take: impl FnMut(T),
) -> bool {
    let batches = samples.div_ceil(BATCH);
    let threads = threads.clamp(1, 64) as u64;
    let round = threads * ROUND;
    for first in (0..batches).step_by(round as usize) {
        if stop(first * BATCH) {
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
                let first = number * BATCH;
                let last = samples.min(first + BATCH);
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
