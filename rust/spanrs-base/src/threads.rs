use std::panic::resume_unwind;
use std::thread::{Builder, ScopedJoinHandle, scope};

/// Applies `run` to each item, all but the first in a thread of its own, and returns the results in order.
///
/// The threads live as long as the call, so there is no pool that a fork could leave without its threads. The
/// calling thread takes the first item, and those for which the system gives no thread. A panic of a thread is
/// resumed in the calling thread.
///
/// ```
/// assert_eq!(spanrs_base::map_in_threads(0..3, |n| n * n), [0, 1, 4]);
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
