//! The result of matching a document: what each span is in every lane.

use super::lanes::{EVERY, LANES};

/// The result of a pred span in every lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    /// Set of the lanes in which the span has a partner.
    pub(super) paired: u8,
    /// Set of the lanes in which the pair is correct; a subset of `paired`.
    pub(super) correct: u8,
    /// Index of the partner in gold, by lane; meaningful only in the lanes of `paired`.
    pub(super) golds: [u32; LANES.len()],
}

impl Answer {
    /// Returns the answer of a span whose partner is `gold` and correct in every lane.
    pub(super) fn right(gold: u32) -> Self {
        Self {
            paired: EVERY,
            correct: EVERY,
            golds: [gold; LANES.len()],
        }
    }

    /// Records the partner in one lane.
    pub(super) fn set(&mut self, lane: usize, gold: usize, correct: bool) {
        self.paired |= 1 << lane;
        self.correct |= u8::from(correct) << lane;
        self.golds[lane] = gold as u32;
    }
}

/// The results of one document.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers {
    /// Both sides are equal and flat, so that every span is correct in every lane; `of_preds` and
    /// `taken` are not filled then.
    pub(super) same: bool,
    /// By pred span.
    pub(super) of_preds: Vec<Answer>,
    /// By gold span: the set of lanes in which it has a partner.
    pub(super) taken: Vec<u8>,
}

impl Answers {
    /// Starts a document of so many spans, none of which has a partner yet.
    pub(super) fn clear(&mut self, golds: usize, preds: usize) {
        self.of_preds.clear();
        self.of_preds.resize(preds, Answer::default());
        self.taken.clear();
        self.taken.resize(golds, 0);
    }

    /// Makes two spans partners, correct in every lane.
    pub(super) fn set_right(&mut self, gold: u32, pred: u32) {
        self.of_preds[pred as usize] = Answer::right(gold);
        self.taken[gold as usize] = EVERY;
    }
}
