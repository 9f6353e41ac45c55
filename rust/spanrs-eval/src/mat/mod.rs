//! MATScore's matcher: annotations of a text that overlap are paired one to one, and every pair is a match
//! or one of seven kinds of clashes. Tokens, pseudo-tokens and characters are counted as well.
//!
//! MITRE Annotation Toolkit 1.3, "Scoring Engine"; the pairing is that of 2.0. Its words are kept for what
//! is counted: ref is gold, hyp is pred.
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
//! add_pair(&mut Matcher::new(&[Unit::PseudoToken]), &pair, &|_| "NP".to_owned(), &mut counts).unwrap();
//! let ty = Some(counts.intern("NP"));
//! let mut number = |outcome, gold, pred| {
//!     let id = counts.cell(Cell { criterion: 2, outcome, gold, pred });
//!     counts.total(id)
//! };
//! assert_eq!(number(4, None, None), 9);
//! assert_eq!((number(0, ty, ty), number(1, ty, None), number(2, None, ty)), (4, 2, 1));
//! ```

mod elements;
mod intervals;
mod kind;
mod munkres;
mod outcomes;
mod pairing;
mod rules;
mod selection;

pub use elements::is_blank;
pub use kind::Kind;
pub use outcomes::{SCHEMA, TAG};
pub use rules::{NO_CONTENT, Pieces, Rules};
pub use selection::{AnnotatedText, Discontinuous, Selected, Selection};

use std::ops::Deref;

use spanrs_base::{Named, Pace, Span, Watch};

use crate::Side;
use crate::matcher::{self, Sink, Text, Unmatched};
use crate::outcomes::Schema;
use crate::spans::Spans;
use elements::Elements;
use intervals::Intervals;
use pairing::Pairing;

/// An annotation that is scored. The type of its span is its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Annotation {
    span: Span,
    /// Its type before aliases and equivalence classes, by number.
    tag: u32,
}

impl Deref for Annotation {
    type Target = Span;

    fn deref(&self) -> &Span {
        &self.span
    }
}

impl Annotation {
    /// How much the labels agree; aliases of one tag agree by half.
    fn agreement(&self, other: &Self) -> f64 {
        match (self.ty == other.ty, self.tag == other.tag) {
            (true, _) => 1.0,
            (false, true) => 0.5,
            (false, false) => 0.0,
        }
    }
}

/// Annotations of a side. Places in a text fit `u32`.
fn set_annotations(annotations: &mut Vec<Annotation>, spans: Spans<'_>) {
    annotations.clear();
    let place = |place: i64| u32::try_from(place).unwrap_or(u32::MAX);
    annotations.extend(spans.all.iter().enumerate().map(|(at, span)| Annotation {
        span: Span {
            start: place(span.start),
            end: place(span.end),
            ty: span.ty,
        },
        tag: spans.tag(at),
    }));
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

impl Named for Unit {
    const WHAT: &'static str = "unit";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("token", Self::Token),
        ("pseudo_token", Self::PseudoToken),
        ("character", Self::Character),
    ];
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

impl Named for Unpaired {
    const WHAT: &'static str = "unpaired_overlap";
    const NAMES: &'static [(&'static str, Self)] =
        &[("alone", Self::Alone), ("clash", Self::Clash)];
}

/// Annotations of both sides that answer each other, by their places; at least one is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    /// The gold annotation.
    gold: Option<u32>,
    /// The pred annotation.
    pred: Option<u32>,
    /// What the pair is, seen from pred.
    kind: Kind,
    /// Where only one of the annotations clashes with the other, which has a partner of its own or another
    /// one it clashes with: the side of the first.
    single: Option<Side>,
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
    gold: Vec<Annotation>,
    pred: Vec<Annotation>,
    /// Events come in the order of the text.
    in_order: bool,
    misplaced: Option<u32>,
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

    /// An annotation boundary of the last document that is not a token boundary, where tokens are counted.
    pub fn misplaced(&self) -> Option<u32> {
        self.misplaced
    }

    /// Tells the sink of the pairs, in the order of the text if that is asked for.
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

    /// Tags have no text, of which MATScore counts elements.
    fn same(&self, _ty: u32, _n: u64, _sink: &mut dyn Sink) {}

    /// Both sides are sorted by start, then end; further ties are resolved by the order given.
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

    fn resolve_ties(&mut self) {
        self.in_order = true;
    }

    fn boxed(&self) -> Box<dyn crate::Matcher> {
        Box::new(self.clone())
    }
}
