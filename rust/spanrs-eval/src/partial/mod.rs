//! The partial matcher: spans that overlap answer each other, in four modes.
//!
//! | mode | correct | any other pair |
//! |---|---|---|
//! | strict | same bounds, same type | incorrect |
//! | exact | same bounds | incorrect |
//! | partial | same bounds | partial |
//! | type | same type | incorrect |
//!
//! A pair needs an overlap of at least some share of its gold span. Each span is in one pair at most; a
//! gold span in none is missed, a pred span in none spurious. Which pairs are made is the matching's
//! business: [`Matching::Greedy`] goes through pred in the order given (nervaluate 1.2.1),
//! [`Matching::Optimal`] makes the pairs that bring the most credit, whatever the order.
//!
//! ```
//! use spanrs_eval::partial::{Matcher, Matching, Mode, PartialCounts, Placed};
//! let gold = [Placed { start: 0, end: 2, ty: 0 }, Placed { start: 3, end: 6, ty: 1 }];
//! let pred = [Placed { start: 0, end: 2, ty: 0 }, Placed { start: 4, end: 6, ty: 1 }];
//! let mut matcher = Matcher::new(Matching::Greedy, 1.0);
//! let mut counts = PartialCounts::default();
//! matcher.run(&gold, &pred).unwrap();
//! matcher.count(&gold, &pred, &mut counts);
//! assert_eq!((counts.overall[Mode::Strict as usize].correct, counts.overall[0].incorrect), (1, 1));
//! assert_eq!(counts.overall[Mode::Type as usize].correct, 2);
//! ```

mod assign;
mod counts;
mod first_choice;
mod greedy;
mod groups;
mod loose;
mod optimal;
mod overlap;
mod transport;

pub use assign::{Pair, assign};
pub use counts::{Outcome, PartialCounts, Row};
pub use loose::{BadTag, LooseReader};
pub use overlap::sufficient;

pub use crate::placed::Placed;

use overlap::Finder;
use spanrs_base::{Interrupted, Limits, Pace, Watch};

/// What has to agree for a pair to be correct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Bounds and type; other pairs are incorrect.
    Strict,
    /// Bounds; other pairs are incorrect.
    Exact,
    /// Bounds; other pairs are partial.
    Partial,
    /// Type; other pairs are incorrect.
    Type,
}

/// How many modes there are.
pub const MODES: usize = 4;

impl Mode {
    /// All modes, by number.
    pub const ALL: [Self; MODES] = [Self::Strict, Self::Exact, Self::Partial, Self::Type];

    /// True where the pair is correct.
    fn agrees(self, gold: &Placed, pred: &Placed) -> bool {
        let bounds = (gold.start, gold.end) == (pred.start, pred.end);
        match self {
            Self::Strict => bounds && gold.ty == pred.ty,
            Self::Exact | Self::Partial => bounds,
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

/// What became of a pred span: the lanes in which it has a partner, and those in which it is correct.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Answer {
    paired: u8,
    correct: u8,
}

impl Answer {
    const RIGHT: Self = Self {
        paired: EVERY,
        correct: EVERY,
    };

    fn set(&mut self, lane: usize, correct: bool) {
        self.paired |= 1 << lane;
        self.correct |= u8::from(correct) << lane;
    }
}

/// Why a document cannot be matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmatched {
    /// Too many spans of one group overlap each other for the optimal matching.
    #[error(
        "{golds} gold and {preds} pred spans between {start} and {end} overlap each other in more than \
         {most} pairs, equal spans counted once, which is the limit of optimal matching; use \
         matching=\"greedy\", raise min_overlap, or split the document"
    )]
    TooManyPairs {
        /// Distinct gold spans of the group.
        golds: usize,
        /// Distinct pred spans of the group.
        preds: usize,
        /// Where the first of them begins.
        start: i64,
        /// Where the last of them ends.
        end: i64,
        /// The limit.
        most: usize,
    },
    /// The watch said stop.
    #[error("interrupted")]
    Stopped,
}

impl From<Interrupted> for Unmatched {
    fn from(_: Interrupted) -> Self {
        Self::Stopped
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

    /// Settles, with [`Matching::Optimal`], which of several assignments that count the same is taken.
    /// Counts do not need it, [`Matcher::outcomes`] does.
    #[must_use]
    pub fn with_ties(mut self) -> Self {
        self.ties = true;
        self
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
    /// [`Unmatched`]; what the run came to must not be used then.
    pub fn run(&mut self, gold: &[Placed], pred: &[Placed]) -> Result<(), Unmatched> {
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
