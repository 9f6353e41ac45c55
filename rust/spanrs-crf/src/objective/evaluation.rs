//! One evaluation of the objective by several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use super::Wanted;
use super::packed::{Packed, Part};
use super::piece::{Piece, Scores, Scratch};
use crate::corpus::Corpus;
use crate::error::{Error, Result};
use crate::simd::{Kernel, dispatch};
use crate::team::Member;

/// What the threads of an evaluation share.
///
/// Threads take the pieces of a block until none is left, meet, and add the rows of the block to the
/// derivatives, each to its own part. A thread that is done begins with the next block: its pieces
/// have other work space, and all threads are done with a block when they meet after the next one.
pub(super) struct Evaluation<'a, 'b> {
    pub(super) corpus: &'a Corpus,
    pub(super) scores: Scores<'a>,
    pub(super) pieces: &'a [Range<usize>],
    /// Work space of two blocks; of one if there is one thread.
    pub(super) work: &'a [RwLock<Piece>],
    /// Work space of each thread; the locks are never contended.
    pub(super) scratch: &'a [Mutex<Scratch>],
    /// Number of pieces of a block.
    pub(super) block: usize,
    /// The derivatives of ranges of codes.
    pub(super) parts: Vec<Mutex<Part<'b>>>,
    /// The next piece to run.
    pub(super) next: AtomicUsize,
    /// Blocks that end after this piece are not completed: it failed, or the caller wants to stop.
    pub(super) stop_at: AtomicUsize,
    /// The loss, and the derivatives of transitions, row-major (from, to).
    pub(super) sums: Mutex<(f64, &'a mut [f64])>,
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
        for start in (0..self.pieces.len()).step_by(self.block) {
            let block = start..self.pieces.len().min(start + self.block);
            self.run_pieces(block.end, &mut scratch);
            if member.stops() {
                self.stop_at.fetch_min(start, Ordering::Relaxed);
            }
            member.wait()?;
            // A thread in the next block may have lowered the number, but not below the end of this one.
            if self.stop_at.load(Ordering::Relaxed) < block.end {
                return Err(Error::Interrupted);
            }
            if member.number() == 0 {
                self.add_sums(block.clone());
            }
            if self.scores.wanted != Wanted::Loss {
                for at in (member.number()..self.parts.len()).step_by(member.count()) {
                    self.add_rows(at, block.clone());
                }
            }
        }
        Ok(())
    }

    /// Runs pieces until another thread has taken the last one before `end`.
    fn run_pieces(&self, end: usize, scratch: &mut Scratch) {
        let take = || {
            let next = |piece| (piece < end).then_some(piece + 1);
            self.next
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        };
        while let Ok(at) = take() {
            let mut work = self
                .work(at)
                .write()
                .unwrap_or_else(PoisonError::into_inner);
            if let Err(error) = work.run(self.corpus, self.scores, self.pieces[at].clone(), scratch)
            {
                self.stop_at.fetch_min(at, Ordering::Relaxed);
                let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
                if first.as_ref().is_none_or(|(before, _)| at < *before) {
                    *first = Some((at, error));
                }
            }
        }
    }

    /// The work space of a piece.
    fn work(&self, piece: usize) -> &RwLock<Piece> {
        &self.work[piece % self.work.len()]
    }

    /// Adds the losses and the transition counts of a block, in the order of the corpus.
    fn add_sums(&self, block: Range<usize>) {
        let mut sums = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let (loss, pairs) = &mut *sums;
        for at in block {
            let work = self.work(at).read().unwrap_or_else(PoisonError::into_inner);
            *loss += work.loss();
            work.add_pairs_to(self.scores.transitions, pairs);
        }
    }

    /// Adds the rows of a block to the derivatives of their tokens' items that are in a part.
    fn add_rows(&self, part: usize, block: Range<usize>) {
        let mut part = self.parts[part]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for at in block {
            let work = self.work(at).read().unwrap_or_else(PoisonError::into_inner);
            let token = self.corpus.sequence(self.pieces[at].start).start;
            dispatch(AddRows(&mut part, self.scores.packed, token, work.rows()));
        }
    }

    /// Completes the derivatives and returns the loss.
    ///
    /// # Errors
    /// Same as [`Piece::run`], for the first sequence that fails.
    pub(super) fn end(self) -> Result<f64> {
        let error = self
            .error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = error {
            return Err(error);
        }
        for part in self.parts {
            let mut part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
            part.end_period();
        }
        let (loss, _) = self
            .sums
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
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
