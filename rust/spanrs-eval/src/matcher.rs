//! The interface between matchers and the consumers of their decisions.
//!
//! A [`Matcher`] sees one sentence or document at a time as a [`Pair`] and reports every decision
//! as an [`Event`] to a [`Sink`]. Counting ([`CountingSink`](crate::CountingSink)) and listing
//! ([`Events`]) are two sinks; a matcher does not depend on the kind of sink, and callers that only
//! count do not pay for lists.

use spanrs_base::{Coded, ErrorClass, Interrupted, Span};

use crate::outcomes::{Cell, Schema};
use crate::spans::Spans;

/// A decision of a matcher about a gold span, a pred span, or a pair of spans.
///
/// A span may appear in several events: every criterion of a matcher assigns an outcome to every
/// span, and some outcomes (such as `mistyped` of [`Exact`](crate::Exact)) are reported in addition
/// to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Index of the criterion in the matcher's [`Schema`].
    pub criterion: u8,
    /// Index of the outcome in [`Criterion::outcomes`](crate::outcomes::Criterion::outcomes).
    pub outcome: u8,
    /// Index of the gold span in [`Pair::gold`]; None for outcomes without a gold span, such as
    /// spurious spans.
    pub gold: Option<u32>,
    /// Index of the pred span in [`Pair::pred`]; None for outcomes without a pred span, such as
    /// missed spans.
    pub pred: Option<u32>,
}

impl Event {
    /// Creates an event from indices of the criterion, the outcome and the spans.
    pub fn new(criterion: u8, outcome: u8, gold: Option<u32>, pred: Option<u32>) -> Self {
        Self {
            criterion,
            outcome,
            gold,
            pred,
        }
    }
}

/// Receives the decisions of a matcher, for one sentence or document at a time.
///
/// If [`Matcher::compare`] fails, the sink has received only some of the decisions and its content
/// must be discarded.
pub trait Sink {
    /// Receives one decision.
    fn event(&mut self, event: Event);

    /// Receives `n` decisions at once that do not refer to particular spans, such as characters
    /// covered by an annotation.
    ///
    /// Types in `cell` are numbered as in the compared spans, not as in the counts. The default
    /// ignores the call, which is correct for sinks that list spans.
    fn count(&mut self, cell: Cell, n: u64) {
        let _ = (cell, n);
    }

    /// Receives a decision about the positions from `start` to `end` (exclusive) of the spans of
    /// `event`, which counts once for each position.
    ///
    /// Only [`characters`](crate::characters) reports such decisions. The default ignores the call,
    /// which is correct for sinks that list whole spans.
    fn positions(&mut self, event: Event, start: i64, end: i64) {
        let _ = (event, start, end);
    }
}

/// The text that annotations refer to; only [`mat`](crate::mat) reads it.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// The text. Positions of spans are character indices (code points), not byte indices.
    pub text: &'a str,
    /// Tokens of the pred document as (start, end) in characters, end exclusive, sorted by start.
    /// Empty if tokens are unknown.
    pub tokens: &'a [(u32, u32)],
}

/// The gold and pred spans of one sentence or document.
///
/// Types of both sides are numbered by the same vocabulary, so equal numbers mean equal types.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::{Pair, Spans};
/// let all = [Span { start: 0, end: 2, ty: 0 }, Span { start: 1, end: 3, ty: 0 }];
/// let same = |side| Pair::new(Spans::whole(side), Spans::whole(side)).is_same_and_flat();
/// assert!(same(&all[..1]));
/// assert!(!same(&all), "the two spans overlap");
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    /// The gold spans.
    pub gold: Spans<'a>,
    /// The pred spans.
    pub pred: Spans<'a>,
    /// The annotated text. None if spans consist of tokens.
    pub text: Option<Text<'a>>,
}

impl<'a> Pair<'a> {
    /// Creates a pair without a text.
    pub fn new(gold: Spans<'a>, pred: Spans<'a>) -> Self {
        Self {
            gold,
            pred,
            text: None,
        }
    }

    /// Returns true if both sides have the same spans and every matcher would pair each span with
    /// its equal counterpart, so that [`Matcher::same`] can replace [`Matcher::compare`].
    ///
    /// This is the case for equal lists in reading order whose spans are not empty, do not overlap,
    /// have all tokens between their bounds, and do not belong to a text. Time is linear in the
    /// number of spans; lists in the same memory are not compared.
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

/// Decides which gold spans match which pred spans.
///
/// The events of a pair do not depend on earlier pairs. Implementations keep buffers between calls,
/// which is why [`Matcher::compare`] takes `&mut self`; one matcher belongs to one thread, and
/// [`Matcher::boxed`] creates another one.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::{Events, MatcherOptions, Pair, Spans};
/// let options = MatcherOptions { name: "fair".to_owned(), ..Default::default() };
/// let mut matcher = options.build().unwrap();
/// let (gold, pred) = ([Span { start: 0, end: 3, ty: 0 }], [Span { start: 0, end: 2, ty: 0 }]);
/// let mut events = Events::default();
/// matcher.compare(&Pair::new(Spans::whole(&gold), Spans::whole(&pred)), &mut events).unwrap();
/// let fair = matcher.schema().criterion("fair").unwrap();
/// let event = events.of(fair).next().unwrap();
/// let outcome = matcher.schema().criteria[1].outcomes[usize::from(event.outcome)].name;
/// assert_eq!((outcome, event.gold, event.pred), ("bes", Some(0), Some(0)));
/// ```
pub trait Matcher: Send + Sync {
    /// Returns the criteria and outcomes that events of this matcher refer to.
    fn schema(&self) -> &'static Schema;

    /// Returns true if everything that the matcher reports can be counted from tags while walking
    /// over both sides, so that [`Scorer`](crate::Scorer) need not build the spans of sentences.
    /// Only [`Exact`](crate::Exact) supports this.
    fn counts_tags(&self) -> bool {
        false
    }

    /// Returns true if sentences whose two sides are equal must be compared, too, because their
    /// outcomes depend on the lengths of their spans. [`Matcher::same`] is then not called.
    fn compares_equal_sides(&self) -> bool {
        false
    }

    /// Reports `n` spans of type `ty` from sentences whose two sides are equal and in which no span
    /// overlaps another.
    ///
    /// Must report the same totals as [`Matcher::compare`] would for those sentences. Most
    /// sentences in most corpora are equal on both sides; this method avoids comparing them.
    fn same(&self, ty: u32, n: u64, sink: &mut dyn Sink);

    /// Compares the two sides of a sentence or document and reports every decision to `sink`.
    ///
    /// # Errors
    /// [`Unmatched`] if spans overlap too much or the watch requests a stop. The content of the
    /// sink must then be discarded.
    fn compare(&mut self, pair: &Pair<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched>;

    /// Makes later comparisons report events in the order documented by the matcher, and choose the
    /// first of several matchings with the same counts.
    ///
    /// Totals by type do not depend on this order; lists of spans do. The default does nothing, for
    /// matchers whose order is fixed.
    fn resolve_ties(&mut self) {}

    /// Returns a copy with the same options, for another thread.
    fn boxed(&self) -> Box<dyn Matcher>;
}

/// Why a sentence or document cannot be matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unmatched {
    /// A group of overlapping spans has too many pairs for optimal matching
    /// ([`partial`](crate::partial)).
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
        /// First position of the group.
        start: i64,
        /// End of the group, exclusive.
        end: i64,
        /// Largest number of pairs that is accepted.
        most: usize,
    },
    /// Annotations of a text overlap each other so much that pairing them would take too long
    /// ([`mat`](crate::mat)).
    #[error(
        "too many annotations overlap one another from character {from} on: more than {most} {what}"
    )]
    TooTangled {
        /// First character of the group of annotations, or of the text segment, that exceeded the
        /// limit.
        from: i64,
        /// The limit that was exceeded.
        most: usize,
        /// What is limited, as a plural: `overlapping pairs`.
        what: &'static str,
    },
    /// A span is so long that sums of lengths could overflow
    /// ([`characters`](crate::characters)).
    #[error(
        "the span from {start} to {end} is longer than {most} positions, which is the limit; check \
         its bounds"
    )]
    TooLong {
        /// First position of the span.
        start: i64,
        /// End of the span, exclusive.
        end: i64,
        /// Largest length that is accepted.
        most: u64,
    },
    /// The [`Watch`](spanrs_base::Watch) requested a stop.
    #[error("interrupted")]
    Stopped,
}

impl Coded for Unmatched {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Stopped => Interrupted.kind(),
            Self::TooLong { .. } => (ErrorClass::Limit, "long_span"),
            _ => (ErrorClass::Limit, "too_many_pairs"),
        }
    }
}

impl From<Interrupted> for Unmatched {
    fn from(_: Interrupted) -> Self {
        Self::Stopped
    }
}

/// A decision about spans, or about some of their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The decision.
    pub event: Event,
    /// The positions (start, exclusive end) that the decision is about; None for whole spans.
    pub range: Option<(i64, i64)>,
}

impl Piece {
    /// Returns the bounds of a span, or of the part of it that the decision is about.
    ///
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::{Event, Piece};
    /// let event = Event::new(0, 2, Some(0), None);
    /// let span = Span { start: 3_i64, end: 9, ty: 0 };
    /// assert_eq!(Piece { event, range: Some((5, 7)) }.bounds(&span), (5, 7));
    /// assert_eq!(Piece { event, range: None }.bounds(&span), (3, 9));
    /// ```
    pub fn bounds(&self, span: &Span<i64>) -> (i64, i64) {
        self.range.unwrap_or((span.start, span.end))
    }
}

/// A sink that keeps decisions about whole spans and about positions, in the order in which they
/// are reported, and ignores [`Sink::count`].
#[derive(Clone, Debug, Default)]
pub struct Pieces(pub Vec<Piece>);

impl Pieces {
    /// Iterates over the decisions of one criterion, in order.
    pub fn of(&self, criterion: u8) -> impl Iterator<Item = &Piece> {
        self.0
            .iter()
            .filter(move |piece| piece.event.criterion == criterion)
    }
}

impl Sink for Pieces {
    fn event(&mut self, event: Event) {
        self.0.push(Piece { event, range: None });
    }

    fn positions(&mut self, event: Event, start: i64, end: i64) {
        let range = Some((start, end));
        self.0.push(Piece { event, range });
    }
}

/// A sink that keeps events in the order in which they are reported, and ignores [`Sink::count`].
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::{Event, Events, Exact, Matcher, Pair, Spans};
/// let (gold, pred) = ([Span { start: 0, end: 2, ty: 0 }], [Span { start: 0, end: 2, ty: 1 }]);
/// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
/// let mut events = Events::default();
/// Exact::default().compare(&pair, &mut events).unwrap();
/// // Missed, spurious, and in addition mistyped, because the bounds are equal.
/// let expected = [(1, Some(0), None), (2, None, Some(0)), (3, Some(0), Some(0))];
/// assert_eq!(events.0, expected.map(|(outcome, gold, pred)| Event::new(0, outcome, gold, pred)));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Events(pub Vec<Event>);

impl Events {
    /// Iterates over the events of one criterion, in order.
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
