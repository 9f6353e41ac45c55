//! One evaluation of the objective by several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use super::packed::{Packed, Part};
use super::piece::{Piece, Scores, Scratch};
use super::{HALVES, Wanted};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::simd::{Kernel, dispatch};
use crate::team::Member;

/// When the pieces of the two halves of the corpus run: in rounds, and the threads meet after each.
#[derive(Debug)]
pub(super) struct Schedule {
    /// The pieces of each half.
    halves: [Range<usize>; HALVES],
    /// Largest number of pieces of a half in a round.
    block: usize,
    /// Number of rounds after which the second half begins. One thread runs one half after the other, so that the
    /// derivatives of one half at a time are in the cache.
    delay: usize,
}

impl Schedule {
    pub(super) fn new(pieces: usize, block: usize, threads: usize) -> Self {
        let middle = pieces.div_ceil(HALVES);
        Self {
            halves: [0..middle, middle..pieces],
            block,
            delay: match threads {
                1 => middle.div_ceil(block),
                _ => 0,
            },
        }
    }

    /// The first piece of each half.
    pub(super) fn starts(&self) -> [usize; HALVES] {
        self.halves.each_ref().map(|half| half.start)
    }

    /// Number of rounds.
    fn rounds(&self) -> usize {
        self.delay + self.halves[0].len().div_ceil(self.block)
    }

    /// The pieces of a half in a round.
    fn pieces(&self, half: usize, round: usize) -> Range<usize> {
        let pieces = &self.halves[half];
        let Some(round) = round.checked_sub(half * self.delay) else {
            return pieces.start..pieces.start;
        };
        let start = pieces.end.min(pieces.start + round * self.block);
        start..pieces.end.min(start + self.block)
    }
}

/// What the threads of an evaluation share.
///
/// In a round, threads take pieces until none is left, meet, and add the rows of the pieces to the derivatives, each to
/// its own parts. A thread that is done begins with the next round: its pieces have other work space, and all threads
/// are done with a round when they meet after the next one.
pub(super) struct Evaluation<'a, 'b> {
    pub(super) corpus: &'a Corpus,
    pub(super) scores: Scores<'a>,
    pub(super) pieces: &'a [Range<usize>],
    pub(super) schedule: &'a Schedule,
    /// Work space of two rounds, by half; of one round if there is one thread.
    pub(super) work: &'a [Vec<RwLock<Piece>>; HALVES],
    /// Work space of each thread; the locks are never contended.
    pub(super) scratch: &'a [Mutex<Scratch>],
    /// The derivatives of ranges of codes, by half.
    pub(super) parts: [Vec<Mutex<Part<'b>>>; HALVES],
    /// The next piece of each half.
    pub(super) next: [AtomicUsize; HALVES],
    /// This round and later ones are not completed: a piece failed, or the caller wants to stop.
    pub(super) stop_at: AtomicUsize,
    /// The loss of each half, and its derivatives of transitions, row-major (from, to).
    pub(super) sums: [Mutex<(f64, Vec<f64>)>; HALVES],
    /// The first piece that failed.
    pub(super) error: Mutex<Option<(usize, Error)>>,
}

impl Evaluation<'_, '_> {
    /// What one thread does.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the evaluation is not complete; see [`Evaluation::end`].
    pub(super) fn run(&self, member: &mut Member) -> Result<()> {
        let scratch = &self.scratch[member.number()];
        let mut scratch = scratch.lock().unwrap_or_else(PoisonError::into_inner);
        for round in 0..self.schedule.rounds() {
            // Two threads add what they have computed themselves, unless one of them is faster.
            for half in 0..HALVES {
                self.run_pieces((member.number() + half) % HALVES, round, &mut scratch);
            }
            if member.stops() {
                self.stop_at.fetch_min(round, Ordering::Relaxed);
            }
            member.wait()?;
            // A thread in the next round may have lowered the number, but not to this one.
            if self.stop_at.load(Ordering::Relaxed) <= round {
                return Err(Error::Interrupted);
            }
            let own = |tasks: usize| (member.number()..tasks).step_by(member.count());
            for half in own(HALVES) {
                self.add_sums(half, round);
            }
            if self.scores.wanted != Wanted::Loss {
                for task in own(HALVES * self.parts[0].len()) {
                    self.add_rows(task % HALVES, task / HALVES, round);
                }
            }
        }
        Ok(())
    }

    /// Runs pieces of a half until all of the round have been taken.
    fn run_pieces(&self, half: usize, round: usize, scratch: &mut Scratch) {
        let end = self.schedule.pieces(half, round).end;
        let take = || {
            let next = |piece| (piece < end).then_some(piece + 1);
            self.next[half].fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        };
        while let Ok(at) = take() {
            let mut work = self.work(half, at).write();
            let work = work.as_mut().unwrap_or_else(|poisoned| poisoned.get_mut());
            let ran = work.run(self.corpus, self.scores, self.pieces[at].clone(), scratch);
            if let Err(error) = ran {
                // After an error in the second half there may be one in the first half, which comes before.
                if half == 0 {
                    self.stop_at.fetch_min(round, Ordering::Relaxed);
                }
                let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(before, _)| at < *before) {
                    *first = Some((at, error));
                }
            }
        }
    }

    /// The work space of a piece of a half.
    fn work(&self, half: usize, piece: usize) -> &RwLock<Piece> {
        let work = &self.work[half];
        &work[(piece - self.schedule.halves[half].start) % work.len()]
    }

    /// Adds the losses and the transition counts of a half in a round, in the order of the corpus.
    fn add_sums(&self, half: usize, round: usize) {
        let mut sums = self.sums[half]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let (loss, pairs) = &mut *sums;
        for at in self.schedule.pieces(half, round) {
            let work = self.work(half, at).read();
            let work = work.unwrap_or_else(PoisonError::into_inner);
            *loss += work.loss();
            work.add_pairs_to(self.scores.transitions, pairs);
        }
    }

    /// Adds the rows of a half in a round to the derivatives of their tokens' items that are in a part.
    fn add_rows(&self, half: usize, part: usize, round: usize) {
        let mut part = self.parts[half][part]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for at in self.schedule.pieces(half, round) {
            let work = self.work(half, at).read();
            let work = work.unwrap_or_else(PoisonError::into_inner);
            let token = self.corpus.sequence(self.pieces[at].start).start;
            dispatch(AddRows(&mut part, self.scores.packed, token, work.rows()));
        }
    }

    /// Completes the derivatives, adds those of transitions to `pairs`, and returns the loss.
    ///
    /// # Errors
    /// Same as [`Piece::run`], for the first sequence that fails.
    pub(super) fn end(self, pairs: &mut [f64]) -> Result<f64> {
        let error = self
            .error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = error {
            return Err(error);
        }
        for part in self.parts.into_iter().flatten() {
            let mut part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
            part.end_period();
        }
        let mut loss = 0.0;
        for sums in self.sums {
            let (half, counts) = sums.into_inner().unwrap_or_else(PoisonError::into_inner);
            loss += half;
            for (sum, count) in pairs.iter_mut().zip(counts) {
                *sum += count;
            }
        }
        Ok(loss)
    }
}

/// Adds the rows of consecutive tokens, from the number, to the derivatives of their items that are in
/// this part.
struct AddRows<'a, 'b>(&'a mut Part<'b>, &'a Packed, usize, &'a [f32]);

impl Kernel for AddRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(part, packed, token, rows) = self;
        for (at, row) in rows.chunks_exact(packed.width()).enumerate() {
            part.add(packed, token + at, row);
        }
    }
}
