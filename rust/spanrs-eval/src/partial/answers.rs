//! The result of matching a document: the pair of each span in every lane.

use super::lanes::{EVERY, LANES};

/// The result of a pred span in every lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// Set of the lanes in which the span is paired.
    pub(super) paired: u8,
    /// Set of the lanes in which the pair is correct; a subset of `paired`.
    pub(super) correct: u8,
    /// Index of the paired gold span, by lane; meaningful only in the lanes of `paired`.
    pub(super) golds: [u32; LANES.len()],
}

impl Answer {
    /// Returns the answer of a span that is paired with `gold` and correct in every lane.
    pub(super) fn right(gold: u32) -> Self {
        Self {
            paired: EVERY,
            correct: EVERY,
            golds: [gold; LANES.len()],
        }
    }

    /// Records the paired gold span in one lane.
    pub(super) fn set(&mut self, lane: usize, gold: usize, correct: bool) {
        self.paired |= 1 << lane;
        self.correct |= u8::from(correct) << lane;
        self.golds[lane] = gold as u32;
    }
}

/// The results of one document.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Whether both sides are equal and flat, so that every span is correct in every lane;
    /// `of_preds` and `taken` are then not filled.
    pub(super) same: bool,
    /// The answer of each pred span.
    pub(super) of_preds: Vec<Answer>,
    /// For each gold span, the set of lanes in which it is paired.
    pub(super) taken: Vec<u8>,
}

impl Answers {
    /// Starts a document with the given numbers of spans, all unpaired.
    pub(super) fn clear(&mut self, golds: usize, preds: usize) {
        self.of_preds.clear();
        self.of_preds.resize(preds, Answer::default());
        self.taken.clear();
        self.taken.resize(golds, 0);
    }

    /// Pairs two spans, correct in every lane.
    pub(super) fn set_right(&mut self, gold: u32, pred: u32) {
        self.of_preds[pred as usize] = Answer::right(gold);
        self.taken[gold as usize] = EVERY;
    }
}
