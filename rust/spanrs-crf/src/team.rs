//! Threads that meet every few microseconds.

use std::hint::spin_loop;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, Builder};

use crate::error::{Error, Result};

/// Number of checks before a waiting thread offers its processor to others.
const SPINS: usize = 4096;

/// Runs a function in the calling thread and in `threads - 1` other threads at the same time, and
/// returns the result of the calling thread. There are fewer threads if the system refuses to start
/// them; all end before the function returns. `stops` is called by [`Member::stops`].
///
/// # Panics
/// A panic in a thread is resumed in the calling thread, after all threads have ended.
pub(crate) fn run_together<R>(
    threads: usize,
    stops: &mut dyn FnMut() -> bool,
    run: impl Fn(&mut Member<'_>) -> R + Sync,
) -> R {
    let barrier = Barrier::default();
    thread::scope(|scope| {
        let mut others = Vec::new();
        for number in 1..threads {
            let (barrier, run) = (&barrier, &run);
            let work = move || {
                barrier.wait_for_start();
                run(&mut Member::new(number, barrier, None));
            };
            match Builder::new().spawn_scoped(scope, work) {
                Ok(other) => others.push(other),
                Err(_) => break,
            }
        }
        barrier.start(1 + others.len());
        let result = run(&mut Member::new(0, &barrier, Some(stops)));
        for other in others {
            if let Err(panic) = other.join() {
                resume_unwind(panic);
            }
        }
        result
    })
}

/// One of the threads of [`run_together`].
pub(crate) struct Member<'a> {
    number: usize,
    barrier: &'a Barrier,
    stops: Option<&'a mut dyn FnMut() -> bool>,
}

impl<'a> Member<'a> {
    fn new(
        number: usize,
        barrier: &'a Barrier,
        stops: Option<&'a mut dyn FnMut() -> bool>,
    ) -> Self {
        Self {
            number,
            barrier,
            stops,
        }
    }

    /// The number of this thread, from 0, which is the calling thread.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Number of threads.
    pub(crate) fn count(&self) -> usize {
        self.barrier.members.load(Ordering::Relaxed)
    }

    /// Whether to stop, in the calling thread; false in others.
    pub(crate) fn stops(&mut self) -> bool {
        self.stops.as_mut().is_some_and(|stops| stops())
    }

    /// Waits until all threads have called this method. What they wrote before is visible afterwards.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if another thread has ended, which includes panics. The method must not be
    /// called again then.
    pub(crate) fn wait(&self) -> Result<()> {
        match self.barrier.wait() {
            true => Ok(()),
            false => Err(Error::Interrupted),
        }
    }
}

impl Drop for Member<'_> {
    /// The others must not wait for this thread.
    fn drop(&mut self) {
        self.barrier.broken.store(true, Ordering::Release);
    }
}

/// Unlike [`std::sync::Barrier`], a thread that waits checks repeatedly instead of sleeping: waking a
/// thread takes longer than a sequence.
#[derive(Debug, Default)]
struct Barrier {
    /// Number of threads; 0 before all have been started.
    members: AtomicUsize,
    /// Number of threads that wait.
    arrived: AtomicUsize,
    /// Number of times that all threads have met.
    meetings: AtomicUsize,
    /// Whether a thread has ended.
    broken: AtomicBool,
}

impl Barrier {
    fn start(&self, members: usize) {
        self.members.store(members, Ordering::Release);
    }

    fn wait_for_start(&self) {
        spin_until(|| self.members.load(Ordering::Acquire) > 0);
    }

    /// Waits for all others. Returns false if a thread has ended.
    fn wait(&self) -> bool {
        let members = self.members.load(Ordering::Relaxed);
        if members == 1 {
            return true;
        }
        let meetings = self.meetings.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == members {
            self.arrived.store(0, Ordering::Relaxed);
            self.meetings.store(meetings + 1, Ordering::Release);
            return true;
        }
        let met = || self.meetings.load(Ordering::Acquire) != meetings;
        spin_until(|| met() || self.broken.load(Ordering::Acquire));
        // A thread may end right after the meeting.
        met()
    }
}

/// Checks repeatedly until a condition holds.
fn spin_until(holds: impl Fn() -> bool) {
    let mut spins = 0;
    while !holds() {
        spins += 1;
        if spins % SPINS == 0 {
            thread::yield_now();
        } else {
            spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_see_what_others_wrote() {
        for threads in [1, 2, 3] {
            let written = [const { AtomicUsize::new(0) }; 3];
            let result = run_together(threads, &mut || true, |member| {
                assert_eq!(member.count(), threads);
                assert_eq!(member.stops(), member.number() == 0);
                for round in 1..=1000 {
                    written[member.number()].store(round, Ordering::Relaxed);
                    assert_eq!(member.wait(), Ok(()));
                    for other in &written[..threads] {
                        assert_eq!(other.load(Ordering::Relaxed), round);
                    }
                    assert_eq!(member.wait(), Ok(()));
                }
                member.number()
            });
            assert_eq!(result, 0);
        }
    }

    #[test]
    fn a_thread_that_ends_does_not_leave_others_waiting() {
        for first in [0, 1] {
            let ended = AtomicBool::new(false);
            let result = run_together(2, &mut || false, |member| {
                if member.number() == first {
                    return Ok(());
                }
                let result = member.wait();
                ended.store(result == Err(Error::Interrupted), Ordering::Relaxed);
                result
            });
            assert!(ended.into_inner());
            assert_eq!(result.is_ok(), first == 0);
        }
    }

    #[test]
    fn a_panic_is_resumed() {
        for thread in [0, 1] {
            let panicking = || {
                run_together(2, &mut || false, |member| {
                    if member.number() == thread {
                        resume_unwind(Box::new(thread));
                    }
                    assert_eq!(member.wait(), Err(Error::Interrupted));
                });
            };
            let panic = std::panic::catch_unwind(panicking).unwrap_err();
            assert_eq!(panic.downcast_ref(), Some(&thread));
        }
    }
}
