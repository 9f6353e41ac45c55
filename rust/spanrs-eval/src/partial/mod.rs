//! The partial matcher: spans that overlap answer each other, in four modes.
//!
//! | mode | correct | any other pair |
//! |---|---|---|
//! | strict | same bounds, same type | incorrect |
//! | bounds | same bounds | incorrect |
//! | overlap | same bounds | partial |
//! | type | same type | incorrect |
//!
//! A pair needs an overlap of at least some share of its gold span. Each span is in one pair at most; a
//! gold span in none is missed, a pred span in none spurious. Which pairs are made is the matching's
//! business: [`Matching::Greedy`] goes through pred in the order given (nervaluate 1.2.1),
//! [`Matching::Optimal`] makes the pairs that bring the most credit, whatever the order.
//!
//! ```
//! use spanrs_base::Span;
//! use spanrs_eval::partial::{Found, Matcher, Matching, Mode};
//! use spanrs_eval::{Events, Matcher as _, Pair, Spans};
//! let gold = [Span { start: 0, end: 2, ty: 0 }, Span { start: 3, end: 6, ty: 1 }];
//! let pred = [Span { start: 0, end: 2, ty: 0 }, Span { start: 4, end: 6, ty: 1 }];
//! let mut events = Events::default();
//! let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
//! Matcher::new(Matching::Greedy, 1.0).compare(&pair, &mut events).unwrap();
//! let strict: Vec<_> = events.of(Mode::Strict as u8).map(|event| event.outcome).collect();
//! assert_eq!(strict, [Found::Correct as u8, Found::Incorrect as u8]);
//! ```

mod assign;
mod first_choice;
mod greedy;
mod groups;
mod optimal;
mod outcomes;
mod overlap;
mod tables;
mod transport;

pub use assign::{Pair, assign};
pub use outcomes::{Found, SCHEMA};
pub use overlap::sufficient;
pub use tables::{ModeCounts, Place, count_modes, places_by_outcome};

use overlap::Finder;
use spanrs_base::{Limits, Pace, Span, Watch};

use crate::matcher::{Pair as Sides, Sink, Unmatched};
use crate::outcomes::Schema;

/// What has to agree for a pair to be correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Bounds and type; other pairs are incorrect.
    Strict,
    /// Bounds; other pairs are incorrect.
    Bounds,
    /// Bounds; other pairs are partial.
    Overlap,
    /// Type; other pairs are incorrect.
    Type,
}

/// How many modes there are.
pub const MODES: usize = 4;

impl Mode {
    /// All modes, by number.
    pub const ALL: [Self; MODES] = [Self::Strict, Self::Bounds, Self::Overlap, Self::Type];

    /// True where the pair is correct.
    fn agrees(self, gold: &Span<i64>, pred: &Span<i64>) -> bool {
        let bounds = (gold.start, gold.end) == (pred.start, pred.end);
        match self {
            Self::Strict => bounds && gold.ty == pred.ty,
            Self::Bounds | Self::Overlap => bounds,
            Self::Type => gold.ty == pred.ty,
        }
    }
}

/// How pairs are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Pred spans in the order given take what they can get.
    Greedy,
    /// The pairs that bring the most credit.
    Optimal,
}

/// One run of the matcher: a mode over all spans, or over the spans of each type by themselves.
#[derive(Clone, Copy, Debug)]
struct Lane {
    mode: Mode,
    own_type: bool,
}

/// All lanes; a set of them is a byte.
const LANES: [Lane; 2 * MODES] = {
    let mut lanes = [Lane {
        mode: Mode::Strict,
        own_type: false,
    }; 2 * MODES];
    let mut at = 0;
    while at < lanes.len() {
        lanes[at] = Lane {
            mode: Mode::ALL[at % MODES],
            own_type: at >= MODES,
        };
        at += 1;
    }
    lanes
};
/// The set of all lanes.
const EVERY: u8 = u8::MAX;

/// What became of a pred span: the lanes in which it has a partner, those in which it is correct, and the partners.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Answer {
    paired: u8,
    correct: u8,
    golds: [u32; LANES.len()],
}

impl Answer {
    /// A gold span that is correct in every lane.
    fn right(gold: u32) -> Self {
        Self {
            paired: EVERY,
            correct: EVERY,
            golds: [gold; LANES.len()],
        }
    }

    fn set(&mut self, lane: usize, gold: usize, correct: bool) {
        self.paired |= 1 << lane;
        self.correct |= u8::from(correct) << lane;
        self.golds[lane] = gold as u32;
    }
}

/// Matches documents one after the other; keeps its buffers.
#[derive(Clone, Debug)]
pub struct Matcher {
    matching: Matching,
    min_overlap: f64,
    ties: bool,
    /// The lanes that are matched.
    lanes: u8,
    limits: Limits,
    pace: Pace,
    finder: Finder,
    buffers: optimal::Buffers,
    /// Both sides of the last run were the same, and every span is correct in every lane.
    same: bool,
    /// One a pred span.
    answers: Vec<Answer>,
    /// One a gold span: the lanes in which it has a partner.
    taken: Vec<u8>,
}

impl Matcher {
    /// A matcher; `min_overlap` is the share of the gold span, in per cent above 0, that a pair needs.
    pub fn new(matching: Matching, min_overlap: f64) -> Self {
        Self {
            matching,
            min_overlap,
            ties: false,
            lanes: EVERY,
            limits: Limits::default(),
            pace: Pace::default(),
            buffers: optimal::Buffers::default(),
            finder: Finder::default(),
            same: false,
            answers: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// Matches for [`Matcher::outcomes`] of this mode alone, over all spans or by type.
    #[must_use]
    pub fn only(mut self, mode: Mode, by_type: bool) -> Self {
        self.lanes = 1 << lane_of(mode, by_type);
        self
    }

    /// Asks this watch at intervals whether to stop.
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }

    /// Refuses groups beyond these limits, of which it uses `group_pairs`.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Matches the spans of one document.
    ///
    /// # Errors
    /// [`Unmatched`]; partial results must not be used then.
    pub fn run(&mut self, gold: &[Span<i64>], pred: &[Span<i64>]) -> Result<(), Unmatched> {
        self.pace.steps(1 + gold.len() + pred.len())?;
        // Most sentences of a corpus have no mistake. Where no span overlaps another of its side each has
        // only its equal to go to, whatever the matching.
        self.same = (std::ptr::eq(gold, pred) || gold == pred) && overlap::is_flat(gold);
        if self.same {
            return Ok(());
        }
        self.answers.clear();
        self.answers.resize(pred.len(), Answer::default());
        self.taken.clear();
        self.taken.resize(gold.len(), 0);
        if gold.is_empty() || pred.is_empty() {
            return Ok(());
        }
        match self.matching {
            Matching::Greedy => self.greedy(gold, pred),
            Matching::Optimal => self.optimal(gold, pred),
        }
    }
}

/// The number of the lane of a mode.
fn lane_of(mode: Mode, by_type: bool) -> usize {
    mode as usize + if by_type { MODES } else { 0 }
}

impl crate::Matcher for Matcher {
    fn schema(&self) -> &'static Schema {
        &SCHEMA
    }

    fn same(&self, ty: u32, n: u64, sink: &mut dyn Sink) {
        outcomes::same(ty, n, sink);
    }

    fn compare(&mut self, sides: &Sides<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched> {
        self.run(sides.gold.all, sides.pred.all)?;
        self.emit(sides.gold.all, sink);
        Ok(())
    }

    fn resolve_ties(&mut self) {
        self.ties = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}
