//! Interleaved processing of sentences, so that their cache misses overlap.
//!
//! A greedy model cannot look up the features of the next step of a sentence before it has taken
//! the current step, and most lookups miss the cache: each step would wait for memory. Sentences
//! are independent, however. [`take_turns`] therefore takes one step of each sentence of a
//! [`Group`] per round, in three phases: all sentences extract their features and prefetch the
//! buckets of the hash table; all find their features and prefetch the weights; all add up the
//! weights and take the step. By the time a phase uses a cache line, the line has been requested
//! during the steps of the other sentences.
//!
//! The result does not depend on the grouping, because sentences share no state.

use crate::weights::{Lookup, Weights};

/// The sentences of a group. Sentences after `len` are kept for later groups, to reuse the memory
/// of their vectors.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group<S> {
    /// Sentences allocated so far; the sentences of the current group come first.
    all: Vec<S>,
    /// Number of sentences of the current group.
    len: usize,
}

impl<S: Default> Group<S> {
    /// Starts a new group without sentences; memory is kept.
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a sentence and returns it. The returned sentence may still contain data of an earlier
    /// sentence, which the caller must replace.
    pub(crate) fn push(&mut self) -> &mut S {
        if self.len == self.all.len() {
            self.all.push(S::default());
        }
        self.len += 1;
        &mut self.all[self.len - 1]
    }

    /// Returns the sentences of the group in the order in which they were added.
    pub(crate) fn sentences(&self) -> &[S] {
        &self.all[..self.len]
    }

    /// Returns the sentences of the group, mutably.
    pub(crate) fn sentences_mut(&mut self) -> &mut [S] {
        &mut self.all[..self.len]
    }
}

/// A sentence that is processed with one feature lookup per step.
pub(crate) trait Steps {
    /// Returns the lookup of the next step: its features, and whether it is pending.
    fn lookup(&mut self) -> &mut Lookup;
}

/// Takes one step of each sentence per round, until all sentences have ended.
///
/// `prepare` extracts the features of the next step of a sentence into its lookup, or returns false
/// at the end of the sentence; `prepare` itself takes steps that have no alternative. `finish` adds
/// up the weights of the features, which are in the cache by that time, and takes the step.
/// `prepare` is called in each round, also for sentences that have ended, and must keep returning
/// false for them.
pub(crate) fn take_turns<S: Steps>(
    sentences: &mut [S],
    weights: &Weights,
    mut prepare: impl FnMut(&mut S) -> bool,
    mut finish: impl FnMut(&mut S),
) {
    loop {
        let mut is_done = true;
        for sentence in sentences.iter_mut() {
            let is_pending = prepare(sentence);
            let lookup = sentence.lookup();
            lookup.is_pending = is_pending;
            if is_pending {
                weights.prefetch(lookup);
                is_done = false;
            }
        }
        if is_done {
            return;
        }
        for sentence in sentences.iter_mut() {
            let lookup = sentence.lookup();
            if lookup.is_pending {
                weights.find(lookup);
            }
        }
        for sentence in sentences.iter_mut() {
            if sentence.lookup().is_pending {
                finish(sentence);
            }
        }
    }
}
