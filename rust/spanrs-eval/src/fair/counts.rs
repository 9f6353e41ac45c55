//! What fair matching comes to: integers.

use std::collections::BTreeMap;

use super::Kind;

/// How often, for the spans of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Gold spans that have an equal on the other side, as traditional evaluation counts them: each of
    /// several equal ones.
    pub exact_tp: u64,
    /// Pred spans that have none.
    pub exact_fp: u64,
    /// Gold spans that have none.
    pub exact_fn: u64,
    /// Pairs of equal spans.
    pub tp: u64,
    /// Pred spans that are near no gold span.
    pub fp: u64,
    /// Gold spans that are near no pred span.
    pub fn_: u64,
    /// Boundary errors whose pred span is smaller.
    pub bes: u64,
    /// Boundary errors whose pred span is larger.
    pub bel: u64,
    /// Boundary errors whose spans overlap.
    pub beo: u64,
}

impl Row {
    /// Adds the counts of another row.
    pub fn add(&mut self, other: &Self) {
        self.exact_tp += other.exact_tp;
        self.exact_fp += other.exact_fp;
        self.exact_fn += other.exact_fn;
        self.tp += other.tp;
        self.fp += other.fp;
        self.fn_ += other.fn_;
        self.bes += other.bes;
        self.bel += other.bel;
        self.beo += other.beo;
    }
}

/// What was counted in any number of sentences; a commutative monoid under [`FairCounts::merge`].
///
/// Errors of the label are counted by the types of both spans, so that either can be asked afterwards
/// which of its spans were taken for another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FairCounts {
    /// One a type, by number.
    pub types: Vec<Row>,
    /// Labelling errors by (gold type, pred type).
    pub le: BTreeMap<(u32, u32), u64>,
    /// Labelling-boundary errors by (gold type, pred type).
    pub lbe: BTreeMap<(u32, u32), u64>,
    /// Sentences.
    pub sentences: u64,
}

impl FairCounts {
    /// Adds counts whose types are numbered alike.
    pub fn merge(&mut self, other: &Self) {
        for (ty, row) in (0..).zip(&other.types) {
            self.row(ty).add(row);
        }
        for (mine, theirs) in [(&mut self.le, &other.le), (&mut self.lbe, &other.lbe)] {
            for (&pair, n) in theirs {
                *mine.entry(pair).or_default() += n;
            }
        }
        self.sentences += other.sentences;
    }

    #[inline]
    pub(super) fn row(&mut self, ty: u32) -> &mut Row {
        let ty = ty as usize;
        if ty >= self.types.len() {
            self.types.resize(ty + 1, Row::default());
        }
        &mut self.types[ty]
    }

    /// Counts a span that is the same on both sides.
    #[inline]
    pub(super) fn same(&mut self, ty: u32) {
        let row = self.row(ty);
        row.exact_tp += 1;
        row.tp += 1;
    }

    /// Takes back [`FairCounts::same`].
    pub(super) fn forget(&mut self, ty: u32) {
        let row = self.row(ty);
        row.exact_tp -= 1;
        row.tp -= 1;
    }

    /// Counts a pair or a span, by the types it has.
    pub(super) fn decide(&mut self, kind: Kind, gold: u32, pred: u32) {
        match kind {
            Kind::Tp => self.row(gold).tp += 1,
            Kind::Le => *self.le.entry((gold, pred)).or_default() += 1,
            Kind::Bes => self.row(gold).bes += 1,
            Kind::Bel => self.row(gold).bel += 1,
            Kind::Beo => self.row(gold).beo += 1,
            Kind::Lbe => *self.lbe.entry((gold, pred)).or_default() += 1,
            Kind::Fn => self.row(gold).fn_ += 1,
            Kind::Fp => self.row(pred).fp += 1,
        }
    }
}
