//! MATScore's matcher: annotations of a text that overlap are paired one to one, and every pair is a match
//! or one of seven kinds of clashes. Tokens, pseudo-tokens and characters are counted as well.
//!
//! MITRE Annotation Toolkit 1.3, "Scoring Engine"; the pairing is that of 2.0. Its words are kept for what
//! is counted: ref is gold, hyp is pred.
//!
//! ```
//! use spanrs_eval::mat::{Item, Matcher, Table, Texts, Unit};
//! let text = "the future President of the United States";
//! let gold = [Item { start: 11, end: 40, label: 0, tag: 0 }];
//! let pred = [Item { start: 3, end: 32, label: 0, tag: 0 }];
//! let mut matcher = Matcher::new(&[Unit::PseudoToken]);
//! let texts = Texts { text, tokens: &[] };
//! let counted = matcher.run(&gold, &pred, texts).unwrap();
//! assert_eq!(counted.elements[Unit::PseudoToken as usize], 9);
//! let row = counted.rows[Table::PseudoToken as usize][0].1;
//! assert_eq!((row.matched, row.missing, row.spurious), (4, 2, 1));
//! ```

mod counts;
mod elements;
mod intervals;
mod kind;
mod measures;
mod munkres;
mod pairing;

pub use counts::{DocumentCounts, Kinds, MatCounts, Row, TABLES, Table};
pub use elements::is_blank;
pub use kind::Kind;
pub use measures::{MEASURES, Measures};

use spanrs_base::{Interrupted, Pace, Watch};

use crate::Side;
use elements::Elements;
use intervals::Intervals;
use pairing::Pairing;

/// An annotation that is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// First character.
    pub start: u32,
    /// One past the last character.
    pub end: u32,
    /// What it is called, by number.
    pub label: u32,
    /// Its type before aliases and equivalence classes, by number.
    pub tag: u32,
}

impl Item {
    /// True where it covers no character.
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }

    /// How much the labels agree; aliases of one tag agree by half.
    fn agreement(&self, other: &Self) -> f64 {
        match (self.label == other.label, self.tag == other.tag) {
            (true, _) => 1.0,
            (false, true) => 0.5,
            (false, false) => 0.0,
        }
    }
}

/// What elements are, for the tables whose spans cannot vary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Tokens of the pred document.
    Token,
    /// What white space and bounds of annotations leave together.
    PseudoToken,
    /// Characters (code points).
    Character,
}

/// How many units there are.
pub const UNITS: usize = 3;

/// What becomes of an annotation that overlaps others but is paired with none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unpaired {
    /// It is missing, or spurious.
    #[default]
    Alone,
    /// It clashes with what it is most similar to.
    Clash,
}

/// Annotations of both sides that answer each other, by their places; at least one is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The gold annotation.
    pub gold: Option<u32>,
    /// The pred annotation.
    pub pred: Option<u32>,
    /// What the pair is, seen from pred.
    pub kind: Kind,
    /// Where only one of the annotations clashes with the other, which has a partner of its own or another
    /// one it clashes with: the side of the first.
    pub single: Option<Side>,
}

/// The text of a document, and its tokens in pred: (start, end), by start.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The text.
    pub text: &'a str,
    /// The tokens.
    pub tokens: &'a [(u32, u32)],
}

/// Why a document cannot be scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmatched {
    /// Annotations overlap each other so much that they cannot be paired in sensible time.
    #[error(
        "too many annotations overlap one another from character {from} on: more than {most} pairs of them are possible"
    )]
    TooTangled {
        /// Where they begin.
        from: u32,
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

/// Most pairs of overlapping annotations within one group.
const MOST_PAIRS: usize = 1 << 18;

/// Scores documents one after the other; keeps its buffers.
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    units: [bool; UNITS],
    unpaired: Unpaired,
    pace: Pace,
    pairing: Pairing,
    intervals: Intervals,
    elements: Elements,
}

impl Matcher {
    /// A matcher that counts annotations, and the elements of these units.
    pub fn new(units: &[Unit]) -> Self {
        let mut matcher = Self::default();
        for &unit in units {
            matcher.units[unit as usize] = true;
        }
        matcher
    }

    /// Sets what becomes of annotations without a partner that overlap others.
    #[must_use]
    pub fn with_unpaired(mut self, unpaired: Unpaired) -> Self {
        self.unpaired = unpaired;
        self
    }

    /// Sets what is asked now and then whether to stop.
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }

    /// Scores a document. Both sides are sorted by start, then end; further ties are resolved by the order
    /// given.
    ///
    /// # Errors
    /// [`Unmatched`].
    pub fn run(
        &mut self,
        gold: &[Item],
        pred: &[Item],
        texts: Texts<'_>,
    ) -> Result<DocumentCounts, Unmatched> {
        self.pairing
            .run(gold, pred, self.unpaired, &mut self.pace)?;
        let mut counted = DocumentCounts::of_pairs(gold, pred, &self.pairing.pairs);
        counted.tokens = texts.tokens.len() as u64;
        if self.units == [false; UNITS] {
            return Ok(counted);
        }
        self.intervals
            .run(gold, pred, &self.pairing.pairs, &mut self.pace)?;
        for unit in [Unit::Token, Unit::PseudoToken, Unit::Character] {
            if !self.units[unit as usize] {
                continue;
            }
            let intervals = &self.intervals.found;
            match self.elements.measure(unit, gold, pred, texts, intervals) {
                Ok((elements, sizes)) => counted.add_unit(unit, elements, sizes, intervals),
                Err(misplaced) => counted.misplaced = Some(misplaced),
            }
        }
        Ok(counted)
    }

    /// The pairs of the last document, whose sides these are, in the order of the text.
    pub fn pairs(&self, gold: &[Item], pred: &[Item]) -> Vec<Pair> {
        let place = |items: &[Item], at: Option<u32>| {
            at.map_or((u32::MAX, u32::MAX), |at| {
                let item = &items[at as usize];
                (item.start, item.end)
            })
        };
        let mut pairs = self.pairing.pairs.clone();
        pairs.sort_by_key(|pair| {
            let (gold, pred) = (place(gold, pair.gold), place(pred, pair.pred));
            (gold.min(pred), pair.gold.is_none())
        });
        pairs
    }
}
