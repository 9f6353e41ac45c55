//! What every matcher is, and where the outcomes go that it finds.

use spanrs_base::{Coded, ErrorClass, Interrupted};

use crate::outcomes::{Cell, Schema};
use crate::spans::Spans;

/// An outcome found once, between a gold span and a pred span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Index of the criterion in the matcher's [`Schema`].
    pub criterion: u8,
    /// Index of the outcome in its criterion.
    pub outcome: u8,
    /// Place of the gold span among those of its side; None where there is none.
    pub gold: Option<u32>,
    /// Place of the pred span, likewise.
    pub pred: Option<u32>,
}

impl Event {
    /// An outcome between the spans at these places.
    pub fn new(criterion: u8, outcome: u8, gold: Option<u32>, pred: Option<u32>) -> Self {
        Self {
            criterion,
            outcome,
            gold,
            pred,
        }
    }
}

/// Takes what a matcher finds: counts it, or lists it.
pub trait Sink {
    /// Takes an outcome.
    fn event(&mut self, event: Event);

    /// Takes `n` outcomes that belong to no single span: types are numbered as in the spans that are compared. What
    /// lists spans has no use for them.
    fn count(&mut self, cell: Cell, n: u64) {
        let _ = (cell, n);
    }
}

/// The text that annotations are of.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The text.
    pub text: &'a str,
    /// Tokens of the pred document as (start, end) in characters, by start.
    pub tokens: &'a [(u32, u32)],
}

/// Both sides of a sentence or a document. Types are numbered alike.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// Spans that are right.
    pub gold: Spans<'a>,
    /// Spans that are scored.
    pub pred: Spans<'a>,
    /// The text, where spans are annotations of one.
    pub text: Option<Text<'a>>,
}

impl<'a> Pair<'a> {
    /// Sides without a text.
    pub fn new(gold: Spans<'a>, pred: Spans<'a>) -> Self {
        Self {
            gold,
            pred,
            text: None,
        }
    }

    /// True where both sides have the same spans, in reading order, that do not overlap and have all their tokens: every
    /// span answers its equal, whatever the matcher.
    #[inline]
    pub fn is_same_and_flat(&self) -> bool {
        let (gold, pred) = (self.gold.all, self.pred.all);
        if !std::ptr::eq(gold, pred) && gold != pred || self.text.is_some() {
            return false;
        }
        let mut end = i64::MIN;
        let flat = gold.iter().all(|span| {
            let fits = end <= span.start && span.start < span.end;
            end = span.end;
            fits
        });
        flat && self.gold.all_whole() && self.pred.all_whole()
    }
}

/// Decides which gold spans answer which pred spans.
///
/// What it finds does not depend on what it compared before; buffers are kept between calls.
pub trait Matcher: Send + Sync {
    /// The questions it answers.
    fn schema(&self) -> &'static Schema;

    /// True where the walk over the tags of both sides decides everything, so that the matcher need not compare
    /// sentences of tags.
    fn counts_tags(&self) -> bool {
        false
    }

    /// Tells the sink what becomes of `n` spans of a type that stand in sentences whose two sides are the same, and
    /// in which no span overlaps another.
    fn same(&self, ty: u32, n: u64, sink: &mut dyn Sink);

    /// Compares the sides of a sentence or a document, and tells the sink what becomes of every span.
    ///
    /// # Errors
    /// [`Unmatched`]; what the sink was told before must not be used then.
    fn compare(&mut self, pair: &Pair<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched>;

    /// From now on emits events in the documented order, and of several matchings that count the same the first.
    /// Counts do not depend on it; lists of spans do.
    fn resolve_ties(&mut self) {}

    /// A copy for another thread.
    fn boxed(&self) -> Box<dyn Matcher>;
}

/// Why a sentence or a document cannot be matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmatched {
    /// Too many spans of one group overlap each other for optimal matching.
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
    /// Annotations overlap each other so much that they cannot be paired in sensible time.
    #[error(
        "too many annotations overlap one another from character {from} on: more than {most} pairs of them are possible"
    )]
    TooTangled {
        /// Where they begin.
        from: i64,
        /// The limit.
        most: usize,
    },
    /// The watch said stop.
    #[error("interrupted")]
    Stopped,
}

impl Coded for Unmatched {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Stopped => ErrorClass::Interrupted,
            _ => ErrorClass::Limit,
        }
    }

    fn code(&self) -> &'static str {
        "too_many_pairs"
    }
}

impl From<Interrupted> for Unmatched {
    fn from(_: Interrupted) -> Self {
        Self::Stopped
    }
}

/// The sink that keeps what it is told.
#[derive(Clone, Debug, Default)]
pub struct Events(pub Vec<Event>);

impl Events {
    /// The events of a criterion, in order.
    pub fn of(&self, criterion: u8) -> impl Iterator<Item = &Event> {
        self.0
            .iter()
            .filter(move |event| event.criterion == criterion)
    }
}

impl Sink for Events {
    fn event(&mut self, event: Event) {
        self.0.push(event);
    }
}
