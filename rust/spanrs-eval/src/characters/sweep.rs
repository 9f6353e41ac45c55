//! A pass over the positions of a document from left to right.
//!
//! The bounds of all spans are sorted. Between two neighbouring bounds the open types of both sides
//! do not change, so the outcomes of such a segment are determined once; neighbouring segments with
//! the same outcomes of the same spans are reported as one run.
//!
//! | open in gold | open in pred | `characters` | `masked` |
//! |---|---|---|---|
//! | A | A | match A | match |
//! | A | | leaked A | leaked |
//! | | A | over_masked A | over_masked |
//! | A | B | mistyped A B | match |
//! | A, B | A | match A, missed_type B | match |
//! | A | A, B | match A, extra_type B | match |
//!
//! If both sides have several types without counterpart, they are paired in the order in which
//! their spans opened; only the confusion of types depends on this order.

use spanrs_base::{Pace, Span};

use super::outcomes::{
    CHARACTERS, EXTRA_TYPE, LEAKED, MASKED, MASKED_BY_TYPE, MASKED_LEAKED, MASKED_OVER, MATCH,
    MISSED_TYPE, MISTYPED, OVER_MASKED,
};
use super::side::OpenSpans;
use crate::matcher::{Event, Pair, Sink, Unmatched};
use crate::spans::Spans;

/// Maximum number of open types over all segments of a document.
const MAX_STEPS: usize = 1 << 28;

/// The first or the last position of a run of a span. Ends are sorted before starts, so that a
/// neighbour of the same type opens again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Bound {
    at: i64,
    opens: bool,
    is_pred: bool,
    span: u32,
}

/// Reports the outcomes of positions, and collects the stretches of each side.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    bounds: Vec<Bound>,
    /// Open spans of gold and pred.
    open: [OpenSpans; 2],
    /// Outcomes of the current segment.
    events: Vec<Event>,
    /// Outcomes of the run that ends before the current segment.
    pending: Vec<Event>,
    /// Spans without counterpart in the current segment, of gold and pred.
    unpaired: [Vec<u32>; 2],
    /// Maximal runs of covered positions of gold and pred, all of type 0.
    stretches: [Vec<Span<i64>>; 2],
    /// For each stretch, the span at its first position.
    first_spans: [Vec<u32>; 2],
}

impl Sweep {
    /// Passes over the spans of a document.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] above [`MAX_STEPS`], [`Unmatched::Stopped`].
    pub(super) fn run(
        &mut self,
        pair: &Pair<'_>,
        pace: &mut Pace,
        sink: &mut dyn Sink,
    ) -> Result<(), Unmatched> {
        let sides = [pair.gold, pair.pred];
        self.reset(sides);
        let (mut steps, mut at) = (0, 0);
        let mut run = (0, 0);
        while let Some(&Bound { at: start, .. }) = self.bounds.get(at) {
            let first = at;
            at = self.apply_bounds(sides, at, start, false);
            self.open.iter_mut().for_each(OpenSpans::forget_closed);
            at = self.apply_bounds(sides, at, start, true);
            let open = self.open[0].types().len() + self.open[1].types().len();
            steps += open;
            pace.steps(at - first + open)?;
            if steps > MAX_STEPS {
                return Err(Unmatched::TooTangled {
                    from: start,
                    most: MAX_STEPS,
                    what: "types at the bounds of other annotations",
                });
            }
            let end = self.bounds.get(at).map_or(start, |bound| bound.at);
            self.events.clear();
            if open > 0 {
                self.add_segment(start, end);
            }
            if self.events != self.pending || run.1 != start {
                self.report(run, sink);
                run.0 = start;
            }
            run.1 = end;
        }
        self.report(run, sink);
        self.pending.clear();
        Ok(())
    }

    /// Opens or closes the spans whose bounds from index `at` are at a position, and returns the
    /// index of the next bound.
    fn apply_bounds(
        &mut self,
        sides: [Spans<'_>; 2],
        mut at: usize,
        position: i64,
        opens: bool,
    ) -> usize {
        while let Some(&bound) = self.bounds.get(at)
            && (bound.at, bound.opens) == (position, opens)
        {
            let side = usize::from(bound.is_pred);
            let ty = sides[side].all[bound.span as usize].ty;
            match opens {
                true => self.open[side].open(bound.span, ty),
                false => self.open[side].close(bound.span, ty),
            }
            at += 1;
        }
        at
    }

    /// Returns the maximal runs of covered positions of gold and pred, in the order of the text.
    pub(super) fn stretches(&self) -> [&[Span<i64>]; 2] {
        [&self.stretches[0], &self.stretches[1]]
    }

    /// Returns the span at the first position of a stretch; `side` is 0 for gold and 1 for pred.
    pub(super) fn first_span(&self, side: usize, stretch: u32) -> u32 {
        self.first_spans[side][stretch as usize]
    }

    /// Replaces the bounds by those of another document.
    fn reset(&mut self, sides: [Spans<'_>; 2]) {
        self.bounds.clear();
        self.pending.clear();
        for (side, spans) in sides.into_iter().enumerate() {
            self.open[side].reset(spans.all);
            self.stretches[side].clear();
            self.first_spans[side].clear();
            let is_pred = side == 1;
            for (number, span) in (0_u32..).zip(spans.all) {
                let whole = [(span.start, span.end)];
                let runs = spans.runs(number as usize).unwrap_or(&whole);
                for &(start, end) in runs.iter().filter(|(start, end)| start < end) {
                    let bound = |at, opens| Bound {
                        at,
                        opens,
                        is_pred,
                        span: number,
                    };
                    self.bounds.extend([bound(start, true), bound(end, false)]);
                }
            }
        }
        self.bounds.sort_unstable();
    }

    /// Determines the outcomes of the positions from `start` to `end`.
    fn add_segment(&mut self, start: i64, end: i64) {
        let Self {
            open: [gold, pred],
            events,
            unpaired: [golds, preds],
            ..
        } = self;
        let (first_gold, first_pred) = (gold.first_of_all(), pred.first_of_all());
        let masked = match (first_gold, first_pred) {
            (Some(_), Some(_)) => MATCH,
            (Some(_), None) => MASKED_LEAKED,
            (None, _) => MASKED_OVER,
        };
        events.push(Event::new(MASKED, masked, first_gold, first_pred));
        golds.clear();
        preds.clear();
        for &ty in gold.types() {
            let at = gold.first(ty);
            events.push(Event::new(MASKED_BY_TYPE, masked, at, None));
            match (pred.has(ty), first_pred) {
                (true, _) => events.push(Event::new(CHARACTERS, MATCH, at, pred.first(ty))),
                (false, None) => events.push(Event::new(CHARACTERS, LEAKED, at, None)),
                (false, Some(_)) => golds.extend(at),
            }
        }
        for &ty in pred.types() {
            let at = pred.first(ty);
            if first_gold.is_none() {
                events.push(Event::new(MASKED_BY_TYPE, masked, None, at));
                events.push(Event::new(CHARACTERS, OVER_MASKED, None, at));
            } else if !gold.has(ty) {
                preds.extend(at);
            }
        }
        let pairs = golds.len().min(preds.len());
        for (&gold, &pred) in golds.iter().zip(&*preds) {
            events.push(Event::new(CHARACTERS, MISTYPED, Some(gold), Some(pred)));
        }
        for &at in &golds[pairs..] {
            events.push(Event::new(CHARACTERS, MISSED_TYPE, Some(at), None));
        }
        for &at in &preds[pairs..] {
            events.push(Event::new(CHARACTERS, EXTRA_TYPE, None, Some(at)));
        }
        for (side, first) in [first_gold, first_pred].into_iter().enumerate() {
            let Some(first) = first else { continue };
            match self.stretches[side].last_mut() {
                Some(stretch) if stretch.end == start => stretch.end = end,
                _ => {
                    self.stretches[side].push(Span { start, end, ty: 0 });
                    self.first_spans[side].push(first);
                }
            }
        }
    }

    /// Reports the run that has ended, and begins another with the outcomes of the segment.
    fn report(&mut self, (start, end): (i64, i64), sink: &mut dyn Sink) {
        for &event in &self.pending {
            sink.positions(event, start, end);
        }
        std::mem::swap(&mut self.pending, &mut self.events);
    }
}
