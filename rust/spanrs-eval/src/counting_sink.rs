use spanrs_base::Span;

use crate::matcher::{Event, Matcher, Pair, Sink, Unmatched};
use crate::outcomes::{Cell, CellId, Counts, Schema};

/// No cell was looked up yet.
const NONE: CellId = CellId::MAX;
/// Slots of an outcome: for gold and pred of one type, for gold alone, for pred alone.
const SIDES: usize = 3;

/// Finds the cells of spans whose types are numbered by one vocabulary, without hashing in most cases.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    schema: &'static Schema,
    /// Number of the first outcome of each criterion.
    offsets: Vec<usize>,
    /// The types' numbers in the counts; [`NONE`] where not looked up yet.
    types: Vec<u32>,
    /// By type: the cells of each outcome in [`SIDES`] slots. Empty until the type occurs.
    of_type: Vec<Box<[CellId]>>,
    /// The cell of each outcome without types.
    untyped: Vec<CellId>,
}

impl Cells {
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

    /// Forgets what was looked up, for counts of another schema-equal table or types with other numbers.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.schema);
    }

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
        self.learn(counts, cell, (ty, slot * SIDES + side), name)
    }

    #[cold]
    fn learn(
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

/// The sink that counts.
pub(crate) struct CellSink<'a> {
    pub(crate) counts: &'a mut Counts,
    pub(crate) cells: &'a mut Cells,
    /// The spans that are compared.
    pub(crate) gold: &'a [Span<i64>],
    pub(crate) pred: &'a [Span<i64>],
    /// Names of the types, by the numbers that spans have.
    pub(crate) name: &'a dyn Fn(u32) -> String,
}

impl Sink for CellSink<'_> {
    #[inline]
    fn event(&mut self, event: Event) {
        let cell = Cell {
            criterion: event.criterion,
            outcome: event.outcome,
            gold: event.gold.map(|at| self.gold[at as usize].ty),
            pred: event.pred.map(|at| self.pred[at as usize].ty),
        };
        self.count(cell, 1);
    }

    #[inline]
    fn count(&mut self, cell: Cell, n: u64) {
        let cell = self.cells.find(self.counts, cell, self.name);
        self.counts.add(cell, n);
    }
}

/// The sink that counts, for one sentence or document.
pub struct CountingSink<'a> {
    counts: &'a mut Counts,
    cells: Cells,
    pair: &'a Pair<'a>,
    name: &'a dyn Fn(u32) -> String,
}

impl<'a> CountingSink<'a> {
    /// Counts what becomes of the spans of a pair, whose types have these names by number.
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
}

/// Matches one sentence or document and adds what comes of it to counts.
///
/// # Errors
/// [`Unmatched`].
pub fn add_pair(
    matcher: &mut dyn Matcher,
    pair: &Pair<'_>,
    name: &dyn Fn(u32) -> String,
    counts: &mut Counts,
) -> Result<(), Unmatched> {
    matcher.compare(pair, &mut CountingSink::new(pair, name, counts))
}
