//! Parallel maps with threads that end before the call returns, and cooperative interruption of
//! such maps.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{Builder, ScopedJoinHandle, available_parallelism, scope};

use crate::interrupt::{Clock, Interrupted, Watch};

/// Applies `run` to each item in parallel and returns the results in the order of the items.
///
/// Every item except the first gets its own thread; the calling thread processes the first item,
/// then any item for which the system refused to start a thread. There is no queue, so callers
/// divide the work into one item per thread. The threads end before the function returns; there is
/// no thread pool that could lose its threads in a fork. Use [`Workers`] for work that can be
/// interrupted.
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
    spawn_each(Builder::new, items, &run, &run)
}

/// Same as [`map_in_threads`], with threads from `builder`: `in_caller` processes the items of the
/// calling thread and `in_thread` all others.
fn spawn_each<T: Clone + Send, R: Send>(
    builder: impl Fn() -> Builder,
    items: impl IntoIterator<Item = T>,
    mut in_caller: impl FnMut(T) -> R,
    in_thread: impl Fn(T) -> R + Sync,
) -> Vec<R> {
    scope(|scope| {
        let in_thread = &in_thread;
        let mut items = items.into_iter();
        let first = items.next();
        let others: Vec<_> = items
            .map(|item| {
                let for_thread = item.clone();
                let thread = builder().spawn_scoped(scope, move || in_thread(for_thread));
                (item, thread)
            })
            .collect();
        let mut results: Vec<R> = first.map(&mut in_caller).into_iter().collect();
        for (item, thread) in others {
            results.push(match thread.map(ScopedJoinHandle::join) {
                Ok(Ok(result)) => result,
                Ok(Err(panic)) => resume_unwind(panic),
                Err(_) => in_caller(item),
            });
        }
        results
    })
}

/// Clamps `threads` to the range from 1 to the number of processors.
///
/// # Examples
///
/// ```
/// assert_eq!([0, 1].map(spanrs_base::limit_threads), [1, 1]);
/// ```
pub fn limit_threads(threads: usize) -> usize {
    match threads {
        // Querying the number of processors takes longer than tagging a short sentence.
        0 | 1 => 1,
        _ => threads.min(available_parallelism().map_or(1, usize::from)),
    }
}

/// Divides `0..len` into `parts` consecutive ranges whose lengths differ by at most 1.
///
/// The number of parts is at least 1 and otherwise at most `len`, so a range is empty only if `len`
/// is 0.
///
/// # Examples
///
/// ```
/// use spanrs_base::even_ranges;
/// assert_eq!(even_ranges(5, 2).collect::<Vec<_>>(), [0..2, 2..5]);
/// assert_eq!(even_ranges(2, 9).collect::<Vec<_>>(), [0..1, 1..2]);
/// ```
pub fn even_ranges(len: usize, parts: usize) -> impl Iterator<Item = Range<usize>> {
    let parts = parts.clamp(1, len.max(1));
    (0..parts).map(move |part| len * part / parts..len * (part + 1) / parts)
}

/// Processes parts of a job in parallel until a part fails or the caller requests a stop.
///
/// Stop requests are checked only in the calling thread, because Python delivers signals only to
/// the main thread; the other threads see a request at their next [`Worker::check`].
///
/// # Examples
///
/// ```
/// use spanrs_base::{Interrupted, Workers, even_ranges};
/// let numbers: Vec<u64> = (0..1000).collect();
/// let mut workers = Workers::new(|done| done < 1000);
/// let sums = workers.map(even_ranges(1000, 2), |part, worker| {
///     let sum = numbers[part.clone()].iter().sum::<u64>();
///     worker.check()?;
///     Ok(sum)
/// });
/// assert_eq!(sums, Ok::<_, Interrupted>(vec![124_750, 374_750]));
///
/// let stopped = workers.map([0..1000], |part, worker| worker.advance(part.len() as u64));
/// assert_eq!(stopped, Err(Interrupted));
/// assert!(workers.are_interrupted());
/// ```
#[derive(Debug)]
pub struct Workers<F> {
    /// Returns whether to continue, given the work that all threads have done.
    goes_on: F,
    /// State shared by the threads.
    state: State,
}

/// State of all parts. Relaxed ordering suffices, because these values do not guard any other data.
#[derive(Debug)]
struct State {
    /// Total work reported by all threads.
    done: AtomicU64,
    /// Parts with this index or a greater one stop: 0 after an interrupt, otherwise one more than
    /// the lowest index of a failed part. Earlier parts continue, so that the reported error does
    /// not depend on timing.
    stop_from: AtomicUsize,
}

/// Returns whether to continue, given the work done; None in all threads except the calling thread.
type GoesOn<'a> = Option<&'a mut dyn FnMut(u64) -> bool>;

impl State {
    /// Returns the worker of a part.
    fn worker<'a>(&'a self, part: usize, goes_on: GoesOn<'a>) -> Worker<'a> {
        Worker {
            part,
            state: self,
            goes_on,
        }
    }
}

impl Workers<()> {
    /// Creates workers that `watch` can interrupt; `watch` is called at most every 50 milliseconds
    /// (see [`Clock`]).
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::{Interrupted, Workers};
    /// let lengths = Workers::watched(|| false).map(["a", "bc"], |word, worker| {
    ///     worker.check()?;
    ///     Ok::<_, Interrupted>(word.len())
    /// });
    /// assert_eq!(lengths, Ok(vec![1, 2]));
    /// ```
    pub fn watched(watch: Watch) -> Workers<impl FnMut(u64) -> bool> {
        let mut clock = Clock::new(watch);
        Workers::new(move |_| !clock.stops())
    }
}

impl<F: FnMut(u64) -> bool> Workers<F> {
    /// Creates workers that continue while `goes_on` returns true. `goes_on` is called in the
    /// calling thread at each of its calls of [`Worker::check`] or [`Worker::advance`], with the
    /// total work reported by all threads; `goes_on` itself must limit the frequency of expensive
    /// checks.
    pub fn new(goes_on: F) -> Self {
        let (done, stop_from) = (AtomicU64::new(0), AtomicUsize::new(usize::MAX));
        let state = State { done, stop_from };
        Self { goes_on, state }
    }

    /// Applies `run` to each part in parallel, as [`map_in_threads`] does, and returns the results
    /// in the order of the parts.
    ///
    /// # Errors
    /// The error of the first failed part, in the order of the parts and not in time. Later parts
    /// are stopped; an interrupt stops all parts.
    ///
    /// # Panics
    /// Same as [`map_in_threads`].
    pub fn map<T: Clone + Send, R: Send, E: Send>(
        &mut self,
        parts: impl IntoIterator<Item = T>,
        run: impl Fn(T, &mut Worker<'_>) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, E> {
        self.map_with(Builder::new, parts, run)
    }

    /// Same as [`Workers::map`], with threads from `builder`.
    fn map_with<T: Clone + Send, R: Send, E: Send>(
        &mut self,
        builder: impl Fn() -> Builder,
        parts: impl IntoIterator<Item = T>,
        run: impl Fn(T, &mut Worker<'_>) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, E> {
        if !self.are_interrupted() {
            *self.state.stop_from.get_mut() = usize::MAX;
        }
        let Self { goes_on, state } = self;
        let state = &*state;
        let run = |item, mut worker: Worker<'_>| {
            let result = run(item, &mut worker);
            if result.is_err() {
                let after = worker.part + 1;
                state.stop_from.fetch_min(after, Ordering::Relaxed);
            }
            result
        };
        let in_caller = |(part, item)| run(item, state.worker(part, Some(goes_on)));
        let in_thread = |(part, item)| run(item, state.worker(part, None));
        let parts = parts.into_iter().enumerate();
        let results = spawn_each(builder, parts, in_caller, in_thread);
        results.into_iter().collect()
    }

    /// Concatenates the results of [`Workers::map`].
    ///
    /// # Errors
    /// Same as [`Workers::map`].
    ///
    /// # Panics
    /// Same as [`map_in_threads`].
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_base::{Interrupted, Workers};
    /// let chars = Workers::watched(|| false).flat_map(["a", "bc"], |word, _| {
    ///     Ok::<_, Interrupted>(word.chars().collect())
    /// });
    /// assert_eq!(chars, Ok(vec!['a', 'b', 'c']));
    /// ```
    pub fn flat_map<T: Clone + Send, R: Send, E: Send>(
        &mut self,
        parts: impl IntoIterator<Item = T>,
        run: impl Fn(T, &mut Worker<'_>) -> Result<Vec<R>, E> + Sync,
    ) -> Result<Vec<R>, E> {
        let mut parts = self.map(parts, run)?.into_iter();
        let mut all = parts.next().unwrap_or_default();
        all.reserve_exact(parts.as_slice().iter().map(Vec::len).sum());
        parts.for_each(|mut part| all.append(&mut part));
        Ok(all)
    }

    /// Returns the worker for an undivided job in the calling thread.
    pub fn single(&mut self) -> Worker<'_> {
        self.state.worker(0, Some(&mut self.goes_on))
    }

    /// Returns whether `goes_on` has returned false; all later work then stops.
    pub fn are_interrupted(&self) -> bool {
        self.state.stop_from.load(Ordering::Relaxed) == 0
    }
}

/// Handle of the part of a job that one thread processes; it tells the thread when to stop.
pub struct Worker<'a> {
    /// Index of the part, from 0.
    part: usize,
    /// State shared by the threads.
    state: &'a State,
    /// Called by [`Worker::check`].
    goes_on: GoesOn<'a>,
}

impl Worker<'_> {
    /// Returns Ok if the part should continue.
    ///
    /// # Errors
    /// [`Interrupted`] after an interrupt, or if an earlier part has failed; [`Workers::map`] then
    /// returns the error of that part.
    #[inline]
    pub fn check(&mut self) -> Result<(), Interrupted> {
        let stop_from = &self.state.stop_from;
        if stop_from.load(Ordering::Relaxed) <= self.part {
            return Err(Interrupted);
        }
        if let Some(goes_on) = &mut self.goes_on
            && !goes_on(self.state.done.load(Ordering::Relaxed))
        {
            stop_from.store(0, Ordering::Relaxed);
            return Err(Interrupted);
        }
        Ok(())
    }

    /// Adds `work` to the total that the function of [`Workers::new`] receives, then checks as
    /// [`Worker::check`] does. The caller chooses the unit of work, for example bytes read.
    ///
    /// # Errors
    /// Same as [`Worker::check`].
    #[inline]
    pub fn advance(&mut self, work: u64) -> Result<(), Interrupted> {
        self.state.done.fetch_add(work, Ordering::Relaxed);
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use std::panic::catch_unwind;
    use std::sync::Barrier;
    use std::sync::atomic::AtomicBool;

    use super::*;

    /// Returns a builder whose threads the system refuses to start, because their stack is larger
    /// than memory.
    fn refused() -> Builder {
        Builder::new().stack_size(1 << 60)
    }

    /// Checks until the part is told to stop.
    fn wait(worker: &mut Worker<'_>) -> Interrupted {
        loop {
            if let Err(error) = worker.check() {
                return error;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn ranges_are_even_and_complete() {
        for (len, parts) in [(0, 0), (0, 3), (1, 4), (7, 3), (100, 7)] {
            let ranges: Vec<_> = even_ranges(len, parts).collect();
            assert_eq!(ranges.len(), parts.clamp(1, len.max(1)));
            assert!(ranges.iter().flat_map(Clone::clone).eq(0..len));
            let lengths = ranges.iter().map(Range::len);
            assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1);
        }
    }

    #[test]
    fn results_are_in_the_order_of_the_parts() {
        for builder in [Builder::new, refused] {
            for parts in [0, 1, 5] {
                let squares = Workers::watched(|| false)
                    .map_with(builder, 0..parts, |at, _| Ok::<_, Interrupted>(at * at));
                assert_eq!(squares, Ok((0..parts).map(|at| at * at).collect()));
            }
        }
    }

    #[test]
    fn the_first_failed_part_is_reported_and_stops_those_after_it() {
        let failed = Barrier::new(2);
        let error = Workers::watched(|| false).map(0..4, |part, worker| match part {
            0 => Ok(()),
            1 => {
                failed.wait();
                Err(worker.check().map_or(100, |()| 1))
            }
            2 => Err(2),
            _ => {
                wait(worker);
                failed.wait();
                Err(3)
            }
        });
        assert_eq!(error, Err(1));
    }

    #[test]
    fn workers_can_be_used_after_an_error() {
        let mut workers = Workers::watched(|| false);
        assert_eq!(workers.map(0..3, |_, _| Err::<(), _>(7)), Err(7));
        assert!(!workers.are_interrupted());
        let checked = workers.map(0..3, |_, worker| worker.check());
        assert_eq!(checked, Ok(vec![(); 3]));
        assert_eq!(workers.single().check(), Ok(()));
    }

    #[test]
    fn an_interrupt_reaches_all_threads_and_is_asked_for_in_the_calling_one() {
        let caller = std::thread::current().id();
        let started = Barrier::new(3);
        let mut workers = Workers::new(|done| {
            assert_eq!(std::thread::current().id(), caller);
            done < 30
        });
        let stopped = workers.map(0..3, |_, worker| {
            worker.advance(10).ok();
            started.wait();
            Err::<(), _>(wait(worker))
        });
        assert_eq!(stopped, Err(Interrupted));
        assert!(workers.are_interrupted());
        assert_eq!(workers.single().check(), Err(Interrupted));
        let again = workers.map(0..3, |_, worker| worker.check());
        assert_eq!(again, Err(Interrupted));
    }

    #[test]
    fn a_part_whose_thread_was_refused_can_be_interrupted() {
        let stop = AtomicBool::new(false);
        let mut workers = Workers::new(|_| !stop.load(Ordering::Relaxed));
        let stopped = workers.map_with(refused, 0..3, |part, worker| {
            stop.store(part == 2, Ordering::Relaxed);
            worker.check().map_err(|_| part)
        });
        assert_eq!(stopped, Err(2));
        assert!(workers.are_interrupted());
    }

    #[test]
    fn a_panic_of_a_thread_is_resumed() {
        for part in [0, 2] {
            let panic = catch_unwind(|| {
                Workers::watched(|| false).map(0..3, |at, _| match at == part {
                    true => resume_unwind(Box::new(at)),
                    false => Ok::<_, Interrupted>(()),
                })
            });
            assert_eq!(panic.unwrap_err().downcast_ref(), Some(&part));
        }
    }
}
