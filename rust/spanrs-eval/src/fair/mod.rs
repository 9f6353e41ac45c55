//! The fair matcher: every mistake is counted once, as what it is (Ortmann, Fine-Grained Error Analysis
//! and Fair Evaluation of Labeled Spans, LREC 2022; decisions, order and ties as in FairEval a6172f2).
//!
//! 1. Equal spans are true positives, one for one.
//! 2. Equal bounds and another type: labelling error. Gold in the order given takes the first pred span.
//! 3. Overlapping bounds and the same type: boundary error, gold from the shortest to the longest. Among
//!    several pred spans the one that shares most tokens, then leaves fewest of its own side over, then
//!    fewest of the other, then the shortest, then the first is taken. The tokens the two share are gone
//!    from both. Spans left on one side may then join a pair of the other that still has tokens of theirs,
//!    gold before pred.
//! 4. Overlapping bounds and another type: labelling-boundary error, in the same way; spans that already
//!    are in a boundary error can be joined.
//! 5. What is left: false negatives and false positives.
//!
//! ```
//! use spanrs_eval::Placed;
//! use spanrs_eval::fair::{FairCounts, Matcher, Spans};
//! let gold = [Placed { start: 0, end: 2, ty: 0 }, Placed { start: 3, end: 6, ty: 1 }];
//! let pred = [Placed { start: 0, end: 2, ty: 1 }, Placed { start: 4, end: 6, ty: 1 }];
//! let mut counts = FairCounts::default();
//! Matcher::default().run(Spans::whole(&gold), Spans::whole(&pred), &mut counts);
//! assert_eq!((counts.le[&(0, 1)], counts.types[1].bes), (1, 1));
//! assert_eq!(counts.types[1].exact_fp, 2);
//! ```

mod boundary_errors;
mod counts;
mod exact_matches;
mod filter;
mod items;
mod tags;
mod tokens;

pub use counts::{FairCounts, Row};
pub use filter::TypeFilter;
pub(crate) use tags::TagMatcher;
pub use tokens::{Run, TokenSets};

use std::cmp::Ordering;

use items::Item;
use spanrs_base::Watch;

use crate::Placed;

/// What became of a span or a pair of spans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A pair of equal spans.
    Tp,
    /// A pair of equal bounds and different types.
    Le,
    /// A pair of one type in which pred is smaller and inside gold.
    Bes,
    /// A pair of one type in which pred is larger and holds gold.
    Bel,
    /// A pair of one type that overlaps in any other way.
    Beo,
    /// A pair that overlaps and has different types.
    Lbe,
    /// A gold span that is in no pair.
    Fn,
    /// A pred span that is in no pair.
    Fp,
}

/// One decision: what it is, and the places of the spans among those of the sentence. The one that is
/// not there, of FN and FP, is None.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// What became of them.
    pub kind: Kind,
    /// The gold span.
    pub gold: Option<u32>,
    /// The pred span.
    pub pred: Option<u32>,
}

/// The spans of one side of a sentence, in order, with their tokens.
#[derive(Clone, Copy, Debug)]
pub struct Spans<'a> {
    placed: &'a [Placed],
    /// The tokens of many spans, and which of them the first one here is.
    tokens: Option<(&'a TokenSets, usize)>,
}

impl<'a> Spans<'a> {
    /// Spans that have all tokens between their bounds.
    pub fn whole(placed: &'a [Placed]) -> Self {
        Self {
            placed,
            tokens: None,
        }
    }

    /// Spans whose tokens are those in `tokens` from number `first` on.
    pub fn with_tokens(placed: &'a [Placed], tokens: &'a TokenSets, first: usize) -> Self {
        Self {
            placed,
            tokens: Some((tokens, first)),
        }
    }

    /// A span, with the runs of its tokens where these are not all between its bounds.
    pub fn get(&self, at: usize) -> (Placed, Option<&'a [Run]>) {
        (self.placed[at], self.runs(at))
    }

    /// Runs of the tokens of a span; None where it has all between its bounds.
    #[inline]
    fn runs(&self, at: usize) -> Option<&'a [Run]> {
        let (sets, first) = self.tokens?;
        sets.get(first + at)
    }

    fn all_whole(&self) -> bool {
        self.tokens.is_none() || (0..self.placed.len()).all(|at| self.runs(at).is_none())
    }
}

/// How the bounds of two spans lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Equal bounds.
    Same,
    /// The second is inside the first.
    Smaller,
    /// The second holds the first.
    Larger,
    /// Neither holds the other.
    Crossing,
}

impl Overlap {
    /// How the second span lies to the first; None where they share no place. Of spans that end before
    /// they begin it says what FairEval's `overlap_type` says.
    pub fn of(first: &Placed, second: &Placed) -> Option<Self> {
        let ((b1, e1), (b2, e2)) = ((first.start, first.end), (second.start, second.end));
        match (b2.cmp(&b1), e2.cmp(&e1)) {
            (Ordering::Equal, Ordering::Equal) => Some(Self::Same),
            (Ordering::Equal, Ordering::Less) if e2 > b1 => Some(Self::Smaller),
            (Ordering::Equal, _) => Some(Self::Larger),
            (Ordering::Less, _) if e2 <= b1 => None,
            (Ordering::Less, Ordering::Less) => Some(Self::Crossing),
            (Ordering::Less, _) => Some(Self::Larger),
            (Ordering::Greater, _) if b2 >= e1 => None,
            (Ordering::Greater, Ordering::Greater) => Some(Self::Crossing),
            (Ordering::Greater, _) => Some(Self::Smaller),
        }
    }
}

/// The sides, by number.
const GOLD: usize = 0;
const PRED: usize = 1;

/// Matches sentence after sentence; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// Decisions of the last run, where they are asked for.
    decisions: Option<Vec<Decision>>,
    equal: exact_matches::Buffers,
    /// The spans of both sides that have no equal and are not resolved, in the order given.
    sides: [Vec<Item>; 2],
    passes: boundary_errors::Buffers,
    watch: Option<Watch>,
    /// Pairs that were looked at since the watch was asked.
    looked: usize,
    stopped: bool,
}

/// Pairs of spans that are looked at between two questions to a [`Watch`].
const PAUSE: usize = 1 << 20;

impl Matcher {
    /// A matcher that asks whether to stop; [`Matcher::stopped`] tells.
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.watch = Some(watch);
        self
    }

    /// True where the watch said stop; counts are worth nothing then.
    pub fn stopped(&self) -> bool {
        self.stopped
    }

    /// A matcher that keeps what it decided, for [`Matcher::decisions`].
    #[must_use]
    pub fn with_decisions(mut self) -> Self {
        self.decisions = Some(Vec::new());
        self
    }

    /// Matches the spans of one sentence and adds what comes of it.
    pub fn run(&mut self, gold: Spans<'_>, pred: Spans<'_>, counts: &mut FairCounts) {
        counts.sentences += 1;
        if let Some(decisions) = &mut self.decisions {
            decisions.clear();
        }
        self.forget();
        if gold.placed.is_empty() && pred.placed.is_empty() {
            return;
        }
        self.equal(gold, pred, counts);
        self.resolve(counts);
    }

    /// Forgets the spans that have no equal.
    fn forget(&mut self) {
        for side in &mut self.sides {
            side.clear();
        }
    }

    /// Labelling errors, near misses and what is left, of spans that have no equal.
    fn resolve(&mut self, counts: &mut FairCounts) {
        if self.sides.iter().all(Vec::is_empty) {
            return;
        }
        if self.sides.iter().all(|side| !side.is_empty()) {
            self.labels(counts);
        }
        self.near(counts);
        for (side, kind) in [(GOLD, Kind::Fn), (PRED, Kind::Fp)] {
            for item in self.sides[side].iter().filter(|item| item.is_free()) {
                counts.decide(kind, item.span.ty, item.span.ty);
            }
            if self.decisions.is_some() {
                self.note_free(side, kind);
            }
        }
    }

    /// Notes the spans of a side that are in no pair, from the shortest to the longest.
    fn note_free(&mut self, side: usize, kind: Kind) {
        let items = self.sides[side].iter().filter(|item| item.is_free());
        let mut free: Vec<(i64, u32)> = items.map(|item| (item.length(), item.at)).collect();
        free.sort_unstable();
        for (_, at) in free {
            match kind {
                Kind::Fn => self.note(kind, Some(at), None),
                _ => self.note(kind, None, Some(at)),
            }
        }
    }

    /// What the last run decided: the pairs as they were made, then what was left of gold and of pred,
    /// from the shortest to the longest.
    pub fn decisions(&self) -> &[Decision] {
        self.decisions.as_deref().unwrap_or_default()
    }

    /// The spans of the last run that lost tokens to pairs, with the runs of tokens they have left:
    /// (true for pred, place of the span, runs). Only of a matcher that keeps what it decided.
    pub fn reduced(&self) -> impl Iterator<Item = (bool, u32, Vec<Run>)> {
        self.sides.iter().enumerate().flat_map(|(side, items)| {
            let left = items
                .iter()
                .filter_map(|item| Some((item.at, item.left()?)));
            left.map(move |(at, runs)| (side == PRED, at, runs))
        })
    }

    /// Makes a pair of two items, and counts it.
    fn pair(&mut self, kind: Kind, gold: usize, pred: usize, counts: &mut FairCounts) {
        let [golds, preds] = &mut self.sides;
        let (gold, pred) = (&mut golds[gold], &mut preds[pred]);
        gold.pair();
        pred.pair();
        let (g, p) = (gold.at, pred.at);
        counts.decide(kind, gold.span.ty, pred.span.ty);
        self.note(kind, Some(g), Some(p));
    }

    #[inline]
    fn note(&mut self, kind: Kind, gold: Option<u32>, pred: Option<u32>) {
        if let Some(decisions) = &mut self.decisions {
            decisions.push(Decision { kind, gold, pred });
        }
    }
}
