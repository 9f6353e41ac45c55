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
//! Documents with equal rows are interchangeable. They are grouped once ([`systems::Groups`]),
//! after leaving out the cells that no measure reads; a corpus of sentences has few distinct rows.
//!
//! Results depend on the seed, not on the number of threads or the order in which counts were
//! merged: resample `i` draws from its own random stream, and documents are numbered by key and
//! content.

mod bootstrap;
mod jackknife;
mod randomisation;
mod systems;

pub use jackknife::Omission;
pub use systems::Systems;

/// Resamples computed as one unit of work by one thread. Has no influence on results.
const BATCH: u64 = 64;

/// Computes resamples in batches, several at once in threads, and gives the result of each batch to
/// `take`, in order.
///
/// - `samples`: number of resamples; they are numbered from 0.
/// - `threads`: batches computed at once, limited to 1..=64.
/// - `stop`: asked before each round of batches.
/// - `batch`: computes the resamples of a range of numbers.
///
/// Returns false if `stop` said so; what `take` received before is then incomplete.
fn in_batches<T: Send>(
    samples: u64,
    threads: usize,
    stop: impl Fn() -> bool,
    batch: impl Fn(std::ops::Range<u64>) -> T + Sync,
    mut take: impl FnMut(T),
) -> bool {
    let batches = samples.div_ceil(BATCH);
    let at_once = threads.clamp(1, 64) as u64;
    for first in (0..batches).step_by(at_once as usize) {
        if stop() {
            return false;
        }
        let numbers = first..batches.min(first + at_once);
        let found = spanrs_base::map_in_threads(numbers, |number| {
            let first = number * BATCH;
            batch(first..samples.min(first + BATCH))
        });
        found.into_iter().for_each(&mut take);
    }
    true
}
