//! MATScore's matcher: overlapping annotations of a text are paired one to one, and every pair is a
//! match or one of seven kinds of clashes. Tokens, pseudo-tokens and characters are also counted.
//!
//! Source: the manual of the MITRE Annotation Toolkit 1.3, "Scoring Engine", for what is counted;
//! version 2.0.4 of the program for how annotations are paired. MATScore's ref and hyp are called
//! gold and pred here.
//!
//! A document passes through these steps:
//!
//! 1. [`Rules`] and [`Selection`] choose the annotations and tokens that are scored, and map types
//!    to labels.
//! 2. `pairing` splits both sides into groups of overlapping annotations, and chooses the
//!    one-to-one pairs with the greatest total similarity in each group. Small groups are solved by
//!    `munkres`, with MATScore's ties; large ones by the solver of [`partial`](crate::partial).
//! 3. [`Kind`] classifies each pair or unpaired annotation: match, missing, spurious, or a clash.
//! 4. For elements, `intervals` cuts the text covered by annotations into intervals with at most
//!    one gold label and one pred label, and `elements` measures the intervals in tokens,
//!    pseudo-tokens or characters.
//!
//! Nearly all groups have one annotation on each side and take linear time. A larger group of n
//! annotations takes O(n⁴) time at worst, up to 64 annotations on a side; larger groups are refused
//! if more than 2^18 of their pairs overlap.
//!
//! In the example from MATScore's manual, annotation bounds cut the text into `the`, `future`,
//! `President of the Unit`, `ed State` and `s`. Of the nine pseudo-tokens, four are in both
//! annotations, two only in the gold annotation and one only in the pred annotation:
//!
//! ```
//! use spanrs_base::Span;
//! use spanrs_eval::mat::{Matcher, SCHEMA, Unit};
//! use spanrs_eval::outcomes::{Cell, Counts};
//! use spanrs_eval::{Pair, Spans, Text, add_pair};
//! let text = "the future President of the United States";
//! let gold = [Span { start: 11, end: 40, ty: 0 }];
//! let pred = [Span { start: 3, end: 32, ty: 0 }];
//! let text = Some(Text { text, tokens: &[] });
//! let pair = Pair { text, ..Pair::new(Spans::whole(&gold), Spans::whole(&pred)) };
//! let mut counts = Counts::new(&SCHEMA);
//! let mut matcher = Matcher::new(&[Unit::PseudoToken]);
//! add_pair(&mut matcher, &pair, &|_| "NP".to_owned(), &mut counts).unwrap();
//! let ty = Some(counts.intern("NP"));
//! let mut number = |outcome, gold, pred| {
//!     let id = counts.cell(Cell { criterion: 2, outcome, gold, pred });
//!     counts.total(id)
//! };
//! assert_eq!(number(4, None, None), 9);
//! assert_eq!((number(0, ty, ty), number(1, ty, None), number(2, None, ty)), (4, 2, 1));
//! ```

mod annotation;
mod elements;
mod intervals;
mod kind;
mod munkres;
mod outcomes;
mod pairing;
mod rules;
mod selection;

pub use elements::{UNITS, Unit, is_blank};
pub use kind::Kind;
pub use outcomes::{SCHEMA, TAG};
pub use pairing::Unpaired;
pub use rules::{NO_CONTENT, Pieces, Rules};
pub use selection::{AnnotatedText, Discontinuous, Selected, Selection};

use spanrs_base::{Pace, Watch};

use crate::matcher::{self, Sink, Text, Unmatched};
use crate::outcomes::Schema;
use annotation::{Annotation, set_annotations};
use elements::Elements;
use intervals::Intervals;
use pairing::Pairing;

/// MATScore's matcher. Scores documents one after the other and keeps its buffers.
///
/// Both sides must be sorted by start, then end, as [`Selection`] does; the given order breaks ties
/// between annotations with equal bounds.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::mat::{Matcher, SCHEMA, TAG, Unpaired};
/// use spanrs_eval::{Events, Matcher as _, Pair, Spans};
/// let gold = [Span { start: 0, end: 20, ty: 0 }];
/// let pred = [Span { start: 0, end: 12, ty: 0 }, Span { start: 13, end: 20, ty: 0 }];
/// let names = |unpaired| {
///     let mut events = Events::default();
///     let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
///     Matcher::new(&[]).with_unpaired(unpaired).compare(&pair, &mut events).unwrap();
///     let outcomes = SCHEMA.criteria[0].outcomes;
///     events.of(TAG).map(|e| outcomes[usize::from(e.outcome)].name).collect::<Vec<_>>()
/// };
/// assert_eq!(names(Unpaired::Alone), ["undermark", "spurious"]);
/// assert_eq!(names(Unpaired::Clash), ["undermark", "pred_undermark"]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    /// Whether the elements of each [`Unit`] are counted.
    units: [bool; UNITS],
    /// The treatment of unpaired annotations that overlap others.
    unpaired: Unpaired,
    /// Calls the watch at intervals.
    pace: Pace,
    /// The pairs of the last document.
    pairing: Pairing,
    /// The intervals of the last document, if elements are counted.
    intervals: Intervals,
    /// Work space for measuring intervals.
    elements: Elements,
    /// Gold annotations of the last document.
    gold: Vec<Annotation>,
    /// Pred annotations of the last document.
    pred: Vec<Annotation>,
    /// True if events must be in the order of the text.
    in_order: bool,
    /// Result of [`Matcher::misplaced`].
    misplaced: Option<u32>,
}

impl Matcher {
    /// Creates a matcher that counts annotations, and the elements of the given units.
    pub fn new(units: &[Unit]) -> Self {
        let mut matcher = Self::default();
        for &unit in units {
            matcher.units[unit as usize] = true;
        }
        matcher
    }

    /// Sets the treatment of unpaired annotations that overlap others.
    #[must_use]
    pub fn with_unpaired(mut self, unpaired: Unpaired) -> Self {
        self.unpaired = unpaired;
        self
    }

    /// Sets the watch, which is called at intervals; once it requests a stop, comparisons fail with
    /// [`Unmatched::Stopped`].
    #[must_use]
    pub fn with_watch(mut self, watch: Watch) -> Self {
        self.pace = Pace::new(watch);
        self
    }

    /// Returns an annotation boundary of the last document, in characters, that is not a token
    /// boundary.
    ///
    /// None if there is no such boundary, or if tokens are not counted or absent. The tokens of a
    /// document with such a boundary are not counted, and the outcome `misplaced` of the criterion
    /// `corpus` is the number of such documents: MATScore drops the token table of the whole run if
    /// there is at least one such document.
    pub fn misplaced(&self) -> Option<u32> {
        self.misplaced
    }

    /// Reports the pairs; in the order of the text after `resolve_ties`.
    ///
    /// This order is by the smaller (start, end) of a pair's annotations, pairs with a gold
    /// annotation before pairs without, then the order in which pairs were made.
    fn emit_pairs(&self, sink: &mut dyn Sink) {
        let pairs = &self.pairing.pairs;
        if !self.in_order {
            pairs.iter().for_each(|pair| pair.emit(sink));
            return;
        }
        let place = |annotations: &[Annotation], at: Option<u32>| {
            at.map_or((u32::MAX, u32::MAX), |at| {
                let annotation = &annotations[at as usize];
                (annotation.start, annotation.end)
            })
        };
        let mut pairs = pairs.clone();
        pairs.sort_by_key(|pair| {
            let (gold, pred) = (place(&self.gold, pair.gold), place(&self.pred, pair.pred));
            (gold.min(pred), pair.gold.is_none())
        });
        pairs.iter().for_each(|pair| pair.emit(sink));
    }
}

impl crate::Matcher for Matcher {
    fn schema(&self) -> &'static Schema {
        &SCHEMA
    }

    /// Does nothing, because tags have no text in which elements could be counted. Call `compare`
    /// for every document.
    fn same(&self, _ty: u32, _n: u64, _sink: &mut dyn Sink) {}

    /// Pairs the annotations of a document, then reports elements, pairs and document totals, in
    /// that order.
    ///
    /// Without [`Pair::text`](matcher::Pair::text) the text is empty, which is only suitable for
    /// matchers that count no elements.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] if a group of annotations has too many overlapping pairs, or the
    /// document has too many intervals; [`Unmatched::Stopped`] if the watch requests a stop.
    fn compare(&mut self, pair: &matcher::Pair<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched> {
        set_annotations(&mut self.gold, pair.gold);
        set_annotations(&mut self.pred, pair.pred);
        let nothing = Text {
            text: "",
            tokens: &[],
        };
        let text = pair.text.unwrap_or(nothing);
        let (gold, pred) = (&self.gold, &self.pred);
        self.pairing
            .run(gold, pred, self.unpaired, &mut self.pace)?;
        self.misplaced = None;
        if self.units != [false; UNITS] {
            self.intervals
                .run(gold, pred, &self.pairing.pairs, &mut self.pace)?;
        }
        for unit in [Unit::Token, Unit::PseudoToken, Unit::Character] {
            if !self.units[unit as usize] {
                continue;
            }
            let intervals = &self.intervals.found;
            match self.elements.measure(unit, gold, pred, text, intervals) {
                Ok((elements, sizes)) => {
                    outcomes::emit_elements(unit, elements, sizes, intervals, sink);
                }
                Err(misplaced) => self.misplaced = Some(misplaced),
            }
        }
        self.emit_pairs(sink);
        let tokens = text.tokens.len() as u64;
        outcomes::emit_document(tokens, self.misplaced.is_some(), sink);
        Ok(())
    }

    /// Makes events of annotations come in the order of the text. The pairs do not change.
    fn resolve_ties(&mut self) {
        self.in_order = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}
