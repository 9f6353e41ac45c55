//! The matcher of masks: which positions of gold spans no pred span covers, and which positions are
//! covered although gold does not cover them.
//!
//! A position is a character of a text, or a token if spans consist of tokens.
//!
//! | criterion | unit | question |
//! |---|---|---|
//! | `characters` | position and type | is the position covered, and by the same type? |
//! | `masked` | position | is the position covered, whatever the types? |
//! | `spans` | gold span | do pred spans cover it together, one type at a time? |
//! | `untyped_spans` | stretch of gold positions | do pred stretches cover it together? |
//!
//! Spans may overlap, be nested and have gaps on both sides. No position is counted twice for a
//! type: under `characters` a side covers a position once for each of its types, and under `masked`
//! once.
//!
//! # Joint cover
//!
//! Under `spans`, the pred spans that overlap a gold span are grouped by type. A group covers the
//! gold span if the intersection of its positions with the gold span is at least `iou_threshold` of
//! their union. A group that does not cover the gold span is one spurious prediction, and a pred
//! span that overlaps no gold span is one, too. A pred span that overlaps several gold spans is
//! judged for each of them, as in the span evaluator of presidio-evaluator.
//!
//! # Parts
//!
//! | module | content |
//! |---|---|
//! | `sweep` | passes over the positions from left to right, for `characters` and `masked` |
//! | `side` | the spans of one side that are open at a position |
//! | `joint` | covers of gold spans by groups of pred spans, for `spans` and `untyped_spans` |
//! | `outcomes` | outcomes and schema |

mod joint;
mod outcomes;
mod side;
mod sweep;

pub use outcomes::{CHARACTERS, MASKED, SCHEMA, SPANS, UNTYPED_SPANS};

use spanrs_base::{Pace, Span, Watch};

use crate::matcher::{Pair, Sink, Unmatched};
use crate::outcomes::Schema;
use crate::spans::Spans;
use joint::JointCover;
use sweep::Sweep;

/// Default of the smallest intersection over union of a covered span.
pub const IOU_THRESHOLD: f64 = 0.9;
/// Maximum length of a span. Sums of lengths then fit 64 bits.
const MAX_LENGTH: u64 = 1 << 40;

/// Compares the covered positions of one document at a time, and keeps its buffers.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::outcomes::{Counts, Measure, Part, Prf};
/// use spanrs_eval::{Pair, Spans, add_pair, characters};
/// let gold = [Span { start: 0, end: 10, ty: 0 }];
/// let pred = [Span { start: 0, end: 4, ty: 0 }, Span { start: 5, end: 10, ty: 0 }];
/// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
/// let mut counts = Counts::new(&characters::SCHEMA);
/// let mut matcher = characters::Matcher::new(characters::IOU_THRESHOLD);
/// add_pair(&mut matcher, &pair, &|_| "NAME".to_owned(), &mut counts).unwrap();
/// let recall = |criterion| Measure::Micro(Prf { part: Part::Recall, ..Prf::f1(criterion) });
/// let recalls = counts.measures(&[recall(characters::CHARACTERS), recall(characters::SPANS)]);
/// assert_eq!(recalls, [0.9, 1.0], "one position leaks, and both fragments cover the span");
/// ```
#[derive(Clone, Debug)]
pub struct Matcher {
    /// The smallest intersection over union of a covered span.
    iou_threshold: f64,
    pace: Pace,
    sweep: Sweep,
    cover: JointCover,
}

impl Matcher {
    /// Creates a matcher. `iou_threshold` is the smallest intersection over union of a covered
    /// span, greater than 0 and at most 1, which is not checked here.
    pub fn new(iou_threshold: f64) -> Self {
        Self {
            iou_threshold,
            pace: Pace::default(),
            sweep: Sweep::default(),
            cover: JointCover::default(),
        }
    }

    /// Sets a watch, which is called at intervals and returns true to stop.
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }
}

/// Refuses spans that are longer than [`MAX_LENGTH`].
///
/// # Errors
/// [`Unmatched::TooLong`].
fn check_lengths(spans: &[Span<i64>]) -> Result<(), Unmatched> {
    let is_long =
        |span: &&Span<i64>| !span.is_empty() && span.end.abs_diff(span.start) > MAX_LENGTH;
    match spans.iter().find(is_long) {
        None => Ok(()),
        Some(span) => Err(Unmatched::TooLong {
            start: span.start,
            end: span.end,
            most: MAX_LENGTH,
        }),
    }
}

impl crate::Matcher for Matcher {
    fn schema(&self) -> &'static Schema {
        &SCHEMA
    }

    fn compares_equal_sides(&self) -> bool {
        true
    }

    /// No effect, because the outcomes of equal sides depend on the lengths of their spans; see
    /// [`compares_equal_sides`](crate::Matcher::compares_equal_sides).
    fn same(&self, _ty: u32, _n: u64, _sink: &mut dyn Sink) {}

    /// Reports runs of positions in the order of the text, then the gold spans and the spurious
    /// predictions of `spans`, then those of `untyped_spans`.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] if too many types or spans overlap each other;
    /// [`Unmatched::TooLong`]; [`Unmatched::Stopped`] if the watch requests a stop.
    fn compare(&mut self, pair: &Pair<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched> {
        check_lengths(pair.gold.all)?;
        check_lengths(pair.pred.all)?;
        self.sweep.run(pair, &mut self.pace, sink)?;
        let Self {
            iou_threshold,
            pace,
            cover,
            sweep,
        } = self;
        cover.run([pair.gold, pair.pred], *iou_threshold, pace)?;
        cover.emit(SPANS, |_, at| at, sink);
        let stretches = sweep.stretches();
        cover.run(stretches.map(Spans::whole), *iou_threshold, pace)?;
        cover.emit(UNTYPED_SPANS, |side, at| sweep.first_span(side, at), sink);
        Ok(())
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}
