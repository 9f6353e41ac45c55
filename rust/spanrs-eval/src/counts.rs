use std::collections::BTreeMap;

use crate::fair::FairCounts;

/// How often, for one type or all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Spans of gold.
    pub gold: u64,
    /// Spans of pred.
    pub pred: u64,
    /// Spans of both.
    pub tp: u64,
}

impl Tally {
    fn add(&mut self, other: Self) {
        self.gold += other.gold;
        self.pred += other.pred;
        self.tp += other.tp;
    }
}

/// What was counted in any number of sentences. Types are ids of one reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// One a type, by id.
    pub types: Vec<Tally>,
    /// Pairs of spans with equal bounds and different types, by (gold type, pred type).
    pub confused: BTreeMap<(u32, u32), u64>,
    /// Sentences.
    pub sentences: u64,
    /// Tokens.
    pub tokens: u64,
    /// Tokens with equal tags; where the two sides have different schemes, tokens whose tags are both `O` or both of
    /// one type.
    pub correct_tokens: u64,
    /// Tokens whose gold tag is not `O`.
    pub gold_labelled: u64,
    /// Tokens whose pred tag is not `O`.
    pub pred_labelled: u64,
    /// What fair matching, where it is asked for, came to in sentences whose sides differ.
    pub(crate) fair: FairCounts,
}

impl Counts {
    /// Everything over all types.
    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        for tally in &self.types {
            total.add(*tally);
        }
        total
    }

    /// Makes room for this many types.
    pub(crate) fn fit(&mut self, types: usize) {
        if self.types.len() < types {
            self.types.resize(types, Tally::default());
        }
    }

    /// Adds counts made with the same reader.
    pub fn merge(&mut self, other: &Self) {
        self.fit(other.types.len());
        for (mine, theirs) in self.types.iter_mut().zip(&other.types) {
            mine.add(*theirs);
        }
        for (&pair, n) in &other.confused {
            *self.confused.entry(pair).or_default() += n;
        }
        self.sentences += other.sentences;
        self.tokens += other.tokens;
        self.correct_tokens += other.correct_tokens;
        self.gold_labelled += other.gold_labelled;
        self.pred_labelled += other.pred_labelled;
        self.fair.merge(&other.fair);
    }
}
