//! Sinks that add events to [`Counts`].
//!
//! [`Counts`] numbers types and cells in the order of first occurrence, whereas the types of spans
//! are numbered by the vocabulary of the reader. [`Cells`] caches the translation, so that counting
//! an event takes two array lookups; [`Counts`] hashes a cell only when the cell occurs for the
//! first time or between two different types.

use spanrs_base::Span;

use crate::matcher::{Event, Matcher, Pair, Sink, Unmatched};
use crate::outcomes::{Cell, CellId, Counts, Schema};

/// Marks a type or cell that has not been looked up yet. Never a valid number.
const NONE: CellId = CellId::MAX;
/// Number of slots of an outcome in [`Cells::of_type`]: 0 for gold and pred of one type, 1 for only
/// gold, 2 for only pred.
const SIDES: usize = 3;

/// Translates type and cell numbers of spans to the numbers in one [`Counts`], usually without
/// hashing.
///
/// Valid as long as the vocabulary of the spans only grows and the counts stay the same object;
/// call [`Cells::clear`] when either is replaced. Memory is `3 * outcomes` numbers for each type
/// that occurs.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    schema: &'static Schema,
    /// Number of the first outcome of each criterion, counting the outcomes of all criteria in one
    /// sequence.
    offsets: Vec<usize>,
    /// For each type number of the spans, the number of the type in the counts, or [`NONE`].
    types: Vec<u32>,
    /// For each type number of the spans, the cells at `outcome * SIDES + side`, or [`NONE`]. Empty
    /// until the type occurs.
    of_type: Vec<Box<[CellId]>>,
    /// For each outcome, the cell without types, or [`NONE`].
    untyped: Vec<CellId>,
}

impl Cells {
    /// Creates an empty cache for counts of `schema`.
    pub(crate) fn new(schema: &'static Schema) -> Self {
        let mut outcomes = 0;
        let offsets = schema.criteria.iter().map(|criterion| {
            outcomes += criterion.outcomes.len();
            outcomes - criterion.outcomes.len()
        });
        Self {
            schema,
            offsets: offsets.collect(),
            types: Vec::new(),
            of_type: Vec::new(),
            untyped: vec![NONE; outcomes],
        }
    }

    /// Clears the cache. Needed when the counts are replaced or the vocabulary of the spans numbers
    /// types differently.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.schema);
    }

    /// Returns the number in `counts` of the type `ty` of the spans, adding the type under
    /// `name(ty)` if it is new.
    fn type_of(&mut self, counts: &mut Counts, ty: u32, name: impl Fn(u32) -> String) -> u32 {
        let at = ty as usize;
        if self.types.len() <= at {
            self.types.resize(at + 1, NONE);
        }
        if self.types[at] == NONE {
            self.types[at] = counts.intern(&name(ty));
        }
        self.types[at]
    }

    /// Returns the number of a cell whose types are numbered as in the spans; adds the cell to
    /// `counts` if it is new.
    ///
    /// Types are ignored for criteria without types
    /// ([`Criterion::typed`](crate::outcomes::Criterion::typed)). Pairs of two different types are
    /// not cached: they are rare, and a table of all pairs would be quadratic in the types.
    #[inline]
    fn find(&mut self, counts: &mut Counts, cell: Cell, name: &dyn Fn(u32) -> String) -> CellId {
        let slot = self.offsets[usize::from(cell.criterion)] + usize::from(cell.outcome);
        let (ty, side) = match (cell.gold, cell.pred) {
            _ if !self.schema.criteria[usize::from(cell.criterion)].typed => {
                return self.find_untyped(counts, cell, slot);
            }
            (Some(gold), Some(pred)) if gold == pred => (gold, 0),
            (Some(gold), None) => (gold, 1),
            (None, Some(pred)) => (pred, 2),
            (None, None) => return self.find_untyped(counts, cell, slot),
            (Some(gold), Some(pred)) => {
                let gold = Some(self.type_of(counts, gold, name));
                let pred = Some(self.type_of(counts, pred, name));
                return counts.cell(Cell { gold, pred, ..cell });
            }
        };
        if let Some(&found) = self
            .of_type
            .get(ty as usize)
            .and_then(|slots| slots.get(slot * SIDES + side))
            && found != NONE
        {
            return found;
        }
        self.look_up(counts, cell, (ty, slot * SIDES + side), name)
    }

    /// Looks up a cell that is not in the cache yet, and stores the cell under type `ty`, position
    /// `slot`.
    #[cold]
    fn look_up(
        &mut self,
        counts: &mut Counts,
        cell: Cell,
        (ty, slot): (u32, usize),
        name: &dyn Fn(u32) -> String,
    ) -> CellId {
        let known = Some(self.type_of(counts, ty, name));
        let found = counts.cell(Cell {
            gold: cell.gold.and(known),
            pred: cell.pred.and(known),
            ..cell
        });
        let at = ty as usize;
        if self.of_type.len() <= at {
            self.of_type.resize(at + 1, Box::default());
        }
        if self.of_type[at].is_empty() {
            self.of_type[at] = vec![NONE; self.untyped.len() * SIDES].into();
        }
        self.of_type[at][slot] = found;
        found
    }

    /// Same as [`Cells::find`], for cells without types; `slot` is the number of the outcome among
    /// the outcomes of all criteria.
    fn find_untyped(&mut self, counts: &mut Counts, cell: Cell, slot: usize) -> CellId {
        if self.untyped[slot] == NONE {
            self.untyped[slot] = counts.cell(Cell {
                gold: None,
                pred: None,
                ..cell
            });
        }
        self.untyped[slot]
    }
}

/// A sink that adds events to counts, with a cache that outlives it.
///
/// [`Scorer`](crate::Scorer) creates such a sink for every sentence and keeps the [`Cells`].
pub(crate) struct CellSink<'a> {
    /// Where events are counted.
    pub(crate) counts: &'a mut Counts,
    /// The cache for `counts` and the vocabulary of the spans.
    pub(crate) cells: &'a mut Cells,
    /// Spans that [`Event::gold`] refers to.
    pub(crate) gold: &'a [Span<i64>],
    /// Spans that [`Event::pred`] refers to.
    pub(crate) pred: &'a [Span<i64>],
    /// Returns the name of a type numbered as in the spans.
    pub(crate) name: &'a dyn Fn(u32) -> String,
}

impl CellSink<'_> {
    /// Returns the cell of an event.
    #[inline]
    fn cell(&self, event: Event) -> Cell {
        Cell {
            criterion: event.criterion,
            outcome: event.outcome,
            gold: event.gold.map(|at| self.gold[at as usize].ty),
            pred: event.pred.map(|at| self.pred[at as usize].ty),
        }
    }
}

impl Sink for CellSink<'_> {
    #[inline]
    fn event(&mut self, event: Event) {
        self.count(self.cell(event), 1);
    }

    fn positions(&mut self, event: Event, start: i64, end: i64) {
        self.count(self.cell(event), end.abs_diff(start));
    }

    #[inline]
    fn count(&mut self, cell: Cell, n: u64) {
        let cell = self.cells.find(self.counts, cell, self.name);
        self.counts.add(cell, n);
    }
}

/// A sink that counts the events of one sentence or document.
///
/// The cache is empty at first, which suits documents; [`Scorer`](crate::Scorer) is faster for many
/// short sentences.
pub struct CountingSink<'a> {
    /// Where events are counted.
    counts: &'a mut Counts,
    /// Cache of cell numbers, empty at first.
    cells: Cells,
    /// The spans that events refer to.
    pair: &'a Pair<'a>,
    /// Returns the name of a type numbered as in the spans.
    name: &'a dyn Fn(u32) -> String,
}

impl<'a> CountingSink<'a> {
    /// Creates a sink for the events of `pair`.
    ///
    /// `name` returns the name of a type number of the spans; the function is called once for each
    /// type that occurs. `counts` must have the schema of the matcher whose events are counted.
    pub fn new(
        pair: &'a Pair<'a>,
        name: &'a dyn Fn(u32) -> String,
        counts: &'a mut Counts,
    ) -> Self {
        Self {
            cells: Cells::new(counts.schema()),
            counts,
            pair,
            name,
        }
    }

    /// Borrows the parts as the sink that does the work.
    fn cell_sink(&mut self) -> CellSink<'_> {
        CellSink {
            counts: self.counts,
            cells: &mut self.cells,
            gold: self.pair.gold.all,
            pred: self.pair.pred.all,
            name: self.name,
        }
    }
}

impl Sink for CountingSink<'_> {
    fn event(&mut self, event: Event) {
        self.cell_sink().event(event);
    }

    fn count(&mut self, cell: Cell, n: u64) {
        self.cell_sink().count(cell, n);
    }

    fn positions(&mut self, event: Event, start: i64, end: i64) {
        self.cell_sink().positions(event, start, end);
    }
}

/// Matches one sentence or document and adds the outcomes to `counts`.
///
/// `name` returns the name of a type number of the spans. The document is not ended: call
/// [`Counts::end_document`] afterwards if `counts` keeps documents.
///
/// # Errors
/// [`Unmatched`] from the matcher; `counts` then contains only some of the outcomes and must be
/// discarded.
///
/// # Examples
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::outcomes::{Counts, Measure, Prf};
/// use spanrs_eval::{EXACT, Exact, Pair, Spans, add_pair};
/// let gold = [Span { start: 0, end: 2, ty: 0 }, Span { start: 5, end: 6, ty: 0 }];
/// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&gold[..1]));
/// let mut counts = Counts::new(&EXACT);
/// add_pair(&mut Exact::default(), &pair, &|_| "PER".to_owned(), &mut counts).unwrap();
/// assert_eq!(counts.measure(&Measure::Micro(Prf::f1(0))), 2.0 / 3.0);
/// ```
pub fn add_pair(
    matcher: &mut dyn Matcher,
    pair: &Pair<'_>,
    name: &dyn Fn(u32) -> String,
    counts: &mut Counts,
) -> Result<(), Unmatched> {
    matcher.compare(pair, &mut CountingSink::new(pair, name, counts))
}
