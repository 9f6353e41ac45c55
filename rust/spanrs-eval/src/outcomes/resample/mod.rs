//! Resampling of documents: bootstrap, jackknife and paired randomisation tests, for any measure.
//!
//! [`Systems`] aligns the rows of one or several systems by document. Every method reads only those rows, so that it
//! works the same for all matchers.

mod bootstrap;
mod jackknife;
mod randomisation;
mod systems;

pub use jackknife::Omission;
pub use systems::Systems;

/// Resamples computed as one unit of work. Each resample has its own random stream, so that the number of threads
/// does not change the result.
const BATCH: u64 = 64;

/// Computes the resamples below `samples` in batches and gives each batch to `take`, in order; false if `stop` says so.
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
