//! A barrier for threads that meet every few microseconds.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// Number of checks before a waiting thread offers its processor to others.
const SPINS: usize = 4096;

/// Threads wait here for each other. Unlike [`std::sync::Barrier`], a thread that waits checks
/// repeatedly instead of sleeping: waking a thread takes longer than a sequence.
#[derive(Debug)]
pub(super) struct Barrier {
    threads: usize,
    /// Number of threads that wait.
    arrived: AtomicUsize,
    /// Number of times that all threads have met.
    meetings: AtomicUsize,
    /// Whether a thread has panicked, so that the others must not wait for it.
    broken: AtomicBool,
}

impl Barrier {
    pub(super) fn new(threads: usize) -> Self {
        Self {
            threads,
            arrived: AtomicUsize::new(0),
            meetings: AtomicUsize::new(0),
            broken: AtomicBool::new(false),
        }
    }

    /// Waits until all threads have called this method. What they wrote before is visible
    /// afterwards. Returns false if a thread has panicked.
    pub(super) fn wait(&self) -> bool {
        if self.threads == 1 {
            return true;
        }
        if self.broken.load(Ordering::Relaxed) {
            return false;
        }
        let meetings = self.meetings.load(Ordering::Acquire);
        if self.arrived.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.arrived.store(0, Ordering::Relaxed);
            self.meetings.store(meetings + 1, Ordering::Release);
            return true;
        }
        let mut spins = 0;
        while self.meetings.load(Ordering::Acquire) == meetings {
            if self.broken.load(Ordering::Relaxed) {
                return false;
            }
            spins += 1;
            if spins % SPINS == 0 {
                thread::yield_now();
            } else {
                spin_loop();
            }
        }
        true
    }

    /// Returns a guard that breaks the barrier if its thread panics.
    pub(super) fn member(&self) -> Member<'_> {
        Member(self)
    }
}

/// Breaks the barrier if its thread panics.
pub(super) struct Member<'a>(&'a Barrier);

impl Drop for Member<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.broken.store(true, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_see_what_others_wrote() {
        let barrier = Barrier::new(2);
        let written = [AtomicUsize::new(0), AtomicUsize::new(0)];
        thread::scope(|scope| {
            for own in 0..2 {
                let (barrier, written) = (&barrier, &written);
                scope.spawn(move || {
                    let _member = barrier.member();
                    for round in 1..=1000 {
                        written[own].store(round, Ordering::Relaxed);
                        assert!(barrier.wait());
                        assert_eq!(written[1 - own].load(Ordering::Relaxed), round);
                        assert!(barrier.wait());
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_does_not_leave_others_waiting() {
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            let other = scope.spawn(|| {
                let _member = barrier.member();
                std::panic::resume_unwind(Box::new("stop"));
            });
            assert!(!barrier.wait());
            assert!(other.join().is_err());
        });
    }
}
