//! Sentences that are worked on in turns: their cache misses overlap.

use crate::weights::{Lookup, Weights};

/// Sentences of a group. Memory is kept for later groups.
#[derive(Clone, Debug, Default)]
pub(crate) struct Group<S> {
    all: Vec<S>,
    len: usize,
}

impl<S: Default> Group<S> {
    pub(crate) fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a sentence; gives one that may hold what is left of an earlier one.
    pub(crate) fn push(&mut self) -> &mut S {
        if self.len == self.all.len() {
            self.all.push(S::default());
        }
        self.len += 1;
        &mut self.all[self.len - 1]
    }

    pub(crate) fn sentences(&self) -> &[S] {
        &self.all[..self.len]
    }

    pub(crate) fn sentences_mut(&mut self) -> &mut [S] {
        &mut self.all[..self.len]
    }
}

/// A sentence that needs one lookup of features after the other.
pub(crate) trait Steps {
    /// The features of the next step.
    fn lookup(&mut self) -> &mut Lookup;
}

/// Takes the steps of sentences until none has one left: `prepare` extracts the features of the next step of a sentence, or
/// gives false at its end, and `finish` takes the step when the weights of its features are in the cache.
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
