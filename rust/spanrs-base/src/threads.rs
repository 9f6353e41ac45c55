//! Parallel maps over threads that live as long as the call.

use std::panic::resume_unwind;
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Applies `run` to each item in parallel and returns the results in the order of the items.
///
/// Every item but the first is given a thread of its own; the calling thread processes the first
/// item, then any item for which the system refused a thread. Callers therefore divide work into as
/// many items as threads are wanted; there is no queue. The threads end before the function
/// returns, so there is no pool that would be left without its threads by a fork.
///
/// `T` is cloned once per thread, because the item is needed again if the thread cannot be started;
/// items are usually ranges of indices.
///
/// # Panics
/// A panic in a thread is resumed in the calling thread, after all threads have ended.
///
/// # Examples
///
/// ```
/// use std::ops::Range;
/// let numbers: Vec<u64> = (0..1000).collect();
/// let parts: [Range<usize>; 2] = [0..500, 500..1000];
/// let sums = spanrs_base::map_in_threads(parts, |part| numbers[part].iter().sum::<u64>());
/// assert_eq!(sums, [124_750, 374_750]);
/// ```
pub fn map_in_threads<T: Clone + Send, R: Send>(
    items: impl IntoIterator<Item = T>,
    run: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    scope(|scope| {
        let run = &run;
        let mut items = items.into_iter();
        let own = items.next();
        let others: Vec<_> = items
            .map(|item| {
                let for_thread = item.clone();
                let thread = Builder::new().spawn_scoped(scope, move || run(for_thread));
                (item, thread)
            })
            .collect();
        let mut results: Vec<R> = own.map(run).into_iter().collect();
        for (item, thread) in others {
            results.push(match thread.map(ScopedJoinHandle::join) {
                Ok(Ok(result)) => result,
                Ok(Err(panic)) => resume_unwind(panic),
                Err(_) => run(item),
            });
        }
        results
    })
}
