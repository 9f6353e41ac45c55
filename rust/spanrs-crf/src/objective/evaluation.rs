//! One evaluation of the objective by several threads.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use super::packed::{Packed, Part, Tokens};
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
    pieces_per_round: usize,
    /// Number of rounds after which the second half begins. One thread runs one half after the other, so that the
    /// derivatives of one half at a time are in the cache.
    delay: usize,
}

impl Schedule {
    pub(super) fn new(pieces: usize, pieces_per_round: usize, threads: usize) -> Self {
        let middle = pieces.div_ceil(HALVES);
        Self {
            halves: [0..middle, middle..pieces],
            pieces_per_round,
            delay: match threads {
                1 => middle.div_ceil(pieces_per_round),
                _ => 0,
            },
        }
    }

    /// The first piece of each half.
    pub(super) fn starts(&self) -> [usize; HALVES] {
        self.halves.each_ref().map(|half| half.start)
    }

    /// Number of rounds in which pieces of the first half run.
    fn rounds_of_first(&self) -> usize {
        self.halves[0].len().div_ceil(self.pieces_per_round)
    }

    /// Number of rounds.
    fn rounds(&self) -> usize {
        self.delay + self.rounds_of_first()
    }

    /// The pieces of a half in a round.
    fn pieces(&self, half: usize, round: usize) -> Range<usize> {
        let pieces = &self.halves[half];
        let Some(round) = round.checked_sub(half * self.delay) else {
            return pieces.start..pieces.start;
        };
        let start = pieces.end.min(pieces.start + round * self.pieces_per_round);
        start..pieces.end.min(start + self.pieces_per_round)
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
    /// Whether the caller wants to stop.
    pub(super) asked: AtomicBool,
    /// Whether a piece of each half has failed.
    pub(super) failed: [AtomicBool; HALVES],
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
                self.asked.store(true, Ordering::Relaxed);
            }
            member.wait()?;
            // Another thread may be in the next round; it ends too, because this one does not meet it.
            if self.must_end(round) {
                return Err(Error::Interrupted);
            }
            if self.has_failed(1) {
                continue;
            }
            let own_tasks = |tasks: usize| (member.number()..tasks).step_by(member.count());
            for half in own_tasks(HALVES) {
                self.add_sums(half, round);
            }
            if self.scores.wanted != Wanted::Loss {
                for task in own_tasks(HALVES * self.parts[0].len()) {
                    self.add_rows(task % HALVES, task / HALVES, round);
                }
            }
        }
        Ok(())
    }

    /// Whether a piece of a half has failed.
    fn has_failed(&self, half: usize) -> bool {
        self.failed[half].load(Ordering::Relaxed)
    }

    /// Whether no round after this one is needed: the caller wants to stop, or the first piece that fails is known. If
    /// that of the second half is known, the first half must still run, because its pieces come before.
    fn must_end(&self, round: usize) -> bool {
        let rest = round + 1 < self.schedule.rounds_of_first();
        self.asked.load(Ordering::Relaxed) || self.has_failed(0) || self.has_failed(1) && !rest
    }

    /// Runs pieces of a half until one has failed or all of the round have been taken.
    fn run_pieces(&self, half: usize, round: usize, scratch: &mut Scratch) {
        let end = self.schedule.pieces(half, round).end;
        let take = || {
            let next = |piece| (piece < end).then_some(piece + 1);
            self.next[half].fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        };
        while !self.has_failed(half)
            && let Ok(at) = take()
        {
            let mut work = self.work(half, at).write();
            let work = work.as_mut().unwrap_or_else(|poisoned| poisoned.get_mut());
            let result = work.run(self.corpus, self.scores, self.pieces[at].clone(), scratch);
            if let Err(error) = result {
                self.failed[half].store(true, Ordering::Relaxed);
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
            let packed = self.scores.packed;
            let view = packed.tokens(self.corpus, token, work.items());
            let squared = self.scores.wanted == Wanted::Information;
            dispatch(AddRows(
                &mut part,
                (packed, view),
                (token, squared),
                work.rows(),
            ));
            let tokens = token..token + work.rows().len() / packed.width();
            let (vectors, tokens) = view.vectors(tokens);
            let squared = squared || self.scores.wanted == Wanted::Variances;
            part.add_vectors(vectors, tokens, work.rows(), squared);
        }
    }

    /// Completes the derivatives, adds those of transitions to `pairs`, and returns the loss.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the caller wants to stop; else those of [`Piece::run`], for the first
    /// sequence that fails.
    pub(super) fn end(self, pairs: &mut [f64]) -> Result<f64> {
        if self.asked.into_inner() {
            return Err(Error::Interrupted);
        }
        let error = self
            .error
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some((_, error)) = error {
            return Err(error);
        }
        for part in self.parts.into_iter().flatten() {
            let mut part = part.into_inner().unwrap_or_else(PoisonError::into_inner);
            part.end();
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
/// this part; values are squared if the flag says so.
struct AddRows<'a, 'b>(
    &'a mut Part<'b>,
    (&'a Packed, Tokens<'a>),
    (usize, bool),
    &'a [f32],
);

impl Kernel for AddRows<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(part, (packed, tokens), (token, squared), rows) = self;
        for (at, row) in rows.chunks_exact(packed.width()).enumerate() {
            match squared {
                false => part.add::<false>(packed, tokens, token + at, row),
                true => part.add::<true>(packed, tokens, token + at, row),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::corpus::Target;
    use crate::features::{FeatureSelection, Features};
    use crate::objective::{Groups, Objective, PIECE_TOKENS};
    use crate::simd::padded;

    #[test]
    fn each_piece_is_in_one_round() {
        for (pieces, pieces_per_round, threads) in
            (0..40).flat_map(|n| (1..6).flat_map(move |m| [1, 2, 5].map(|threads| (n, m, threads))))
        {
            let schedule = Schedule::new(pieces, pieces_per_round, threads);
            let mut all = Vec::new();
            for half in 0..HALVES {
                for round in 0..schedule.rounds() {
                    all.extend(schedule.pieces(half, round));
                }
            }
            assert!(all.into_iter().eq(0..pieces));
            assert!(schedule.pieces(0, schedule.rounds_of_first()).is_empty());
        }
    }

    /// One sequence for each piece, each with an attribute of its own.
    fn corpus(pieces: usize) -> Corpus {
        let mut corpus = Corpus::new(3, pieces);
        for piece in 0..pieces {
            for token in 0..PIECE_TOKENS {
                let value = 1.0 + ((piece * 31 + token * 7) % 11) as f64;
                corpus.token([(piece as u32, value)]).unwrap();
            }
            let labels = (0..PIECE_TOKENS).map(|token| ((token + piece) % 3) as u32);
            corpus
                .end_sequence(Target::Labels(labels.collect()), 1.0)
                .unwrap();
        }
        corpus
    }

    /// The objective with any number of threads, also above the number of processors.
    fn evaluate(
        corpus: &Corpus,
        weights: &[f64],
        threads: usize,
        stops: bool,
    ) -> (Result<f64>, Vec<f64>) {
        let features = Features::of(corpus, FeatureSelection::default());
        let groups = Groups::single(&features);
        let packed = Packed::of(corpus, &features, &groups, padded(corpus.labels())).unwrap();
        let objective = Objective::of_packed(
            Cow::Borrowed(corpus),
            &features,
            Cow::Owned(packed),
            0.1,
            threads,
        );
        let watch: spanrs_base::Watch = if stops { || true } else { || false };
        let mut objective = objective.unwrap().interrupted_by(watch);
        if stops {
            // The watch is called after 50 milliseconds.
            std::thread::sleep(std::time::Duration::from_millis(60));
        }
        let mut gradient = vec![0.0; features.len()];
        let loss = objective.evaluate(weights, &mut gradient);
        (loss, gradient)
    }

    #[test]
    fn results_do_not_depend_on_the_number_of_threads() {
        for pieces in [1, 2, 3, 19, 40] {
            let corpus = corpus(pieces);
            let features = Features::of(&corpus, FeatureSelection::default());
            let weights: Vec<f64> = (0..features.len())
                .map(|at| (at % 7) as f64 * 0.1 - 0.3)
                .collect();
            let one = evaluate(&corpus, &weights, 1, false);
            assert!(one.0.is_ok());
            for threads in [2, 3, 4, 5, 8] {
                assert_eq!(evaluate(&corpus, &weights, threads, false), one);
            }
        }
    }

    #[test]
    fn the_first_error_is_returned() {
        let corpus = corpus(20);
        let features = Features::of(&corpus, FeatureSelection::default());
        let fail = |weights: &mut [f64], piece: usize, weight: f64| {
            let (start, labels) = features.state(piece);
            weights[start..][..labels.len()].fill(weight);
        };
        // Infinite scores are not finite; scores of negative infinity leave no path.
        for (infinite, without_path) in [(3, 17), (17, 3), (12, 9), (9, 10), (19, 0)] {
            let mut weights = vec![0.0; features.len()];
            fail(&mut weights, infinite, f64::INFINITY);
            fail(&mut weights, without_path, f64::NEG_INFINITY);
            let one = evaluate(&corpus, &weights, 1, false).0;
            match infinite < without_path {
                true => assert_eq!(one, Err(Error::NotFinite)),
                false => assert!(matches!(one, Err(Error::NoPath)), "{one:?}"),
            }
            for threads in [2, 3, 4, 5, 8] {
                assert_eq!(evaluate(&corpus, &weights, threads, false).0, one);
            }
            for threads in [1, 2] {
                let interrupted = evaluate(&corpus, &weights, threads, true).0;
                assert_eq!(interrupted, Err(Error::Interrupted));
            }
        }
    }
}
