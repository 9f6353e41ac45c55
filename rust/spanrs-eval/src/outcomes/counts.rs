use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use spanrs_base::Interner;

use super::error::CountsError;
use super::rows::{Key, Row, Rows};
use super::schema::{Cell, Schema};

/// The number of a cell in one [`Counts`].
pub type CellId = u32;

/// How often each outcome occurred between each pair of types, in all and by document.
///
/// Memory follows the cells that occur, in all and in each document; it is never a product of documents and types.
/// Merging is commutative and associative: whatever the order, [`Counts::to_bytes`] gives the same bytes.
///
/// ```
/// use spanrs_eval::outcomes::{Cell, Counts, Criterion, Key, Outcome, Schema};
/// static SCHEMA: Schema = Schema {
///     name: "example",
///     criteria: &[Criterion::new("span", &[Outcome::new("match", [1.0, 0.0, 0.0])])],
/// };
/// let mut counts = Counts::by_document(&SCHEMA);
/// let person = Some(counts.intern("PER"));
/// let found = counts.cell(Cell { criterion: 0, outcome: 0, gold: person, pred: person });
/// counts.add(found, 2);
/// counts.end_document(Key::Number(0));
/// counts.add(found, 1);
/// counts.end_document(Key::Number(1));
/// assert_eq!(counts.total(found), 3);
/// let stored = counts.to_bytes().unwrap();
/// let loaded = Counts::from_bytes(&stored, &SCHEMA).unwrap();
/// assert_eq!(loaded.rows().map(|row| row.n[0]).collect::<Vec<_>>(), [2, 1]);
/// ```
#[derive(Clone, Debug)]
pub struct Counts {
    schema: &'static Schema,
    types: Interner<str>,
    cells: Vec<Cell>,
    index: HashTable<CellId>,
    /// Of each cell, over all documents.
    totals: Vec<u64>,
    /// None where documents are not kept.
    rows: Option<Rows>,
    /// Of each cell, in the open document, where documents are kept.
    open: Vec<u64>,
    /// Cells that occur in the open document.
    touched: Vec<CellId>,
}

impl Counts {
    /// Empty counts, without documents.
    pub fn new(schema: &'static Schema) -> Self {
        Self {
            schema,
            types: Interner::default(),
            cells: Vec::new(),
            index: HashTable::new(),
            totals: Vec::new(),
            rows: None,
            open: Vec::new(),
            touched: Vec::new(),
        }
    }

    /// Empty counts that keep a row for each document.
    pub fn by_document(schema: &'static Schema) -> Self {
        Self {
            rows: Some(Rows::default()),
            ..Self::new(schema)
        }
    }

    /// What can be counted.
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// True where documents have rows.
    pub fn has_documents(&self) -> bool {
        self.rows.is_some()
    }

    /// The number of a type, which is added if it is new.
    pub fn intern(&mut self, ty: &str) -> u32 {
        self.types.intern(ty)
    }

    /// The name of a type; the empty string for a number that was never given out.
    pub fn type_name(&self, ty: u32) -> &str {
        self.types.name(ty).unwrap_or_default()
    }

    /// The number of a type, if it occurs.
    pub fn type_number(&self, ty: &str) -> Option<u32> {
        self.types.get(ty)
    }

    /// Number of types.
    pub fn types(&self) -> usize {
        self.types.len()
    }

    /// The number of a cell, which is added if it is new. Look cells up once and count by number: [`Counts::add`]
    /// hashes nothing.
    pub fn cell(&mut self, cell: Cell) -> CellId {
        debug_assert!(self.schema.contains(&cell), "{cell:?}");
        if let Some(&id) = self
            .index
            .find(hash(&cell), |&id| self.cells[id as usize] == cell)
        {
            return id;
        }
        let id = self.cells.len() as CellId;
        self.cells.push(cell);
        self.totals.push(0);
        if self.rows.is_some() {
            self.open.push(0);
        }
        let cells = &self.cells;
        self.index
            .insert_unique(hash(&cell), id, |&id| hash(&cells[id as usize]));
        id
    }

    /// All cells, by number. Some may have a total of 0.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Counts a cell `n` times more, in the open document.
    #[inline]
    pub fn add(&mut self, cell: CellId, n: u64) {
        let at = cell as usize;
        self.totals[at] += n;
        if self.rows.is_some() && n > 0 {
            if self.open[at] == 0 {
                self.touched.push(cell);
            }
            self.open[at] += n;
        }
    }

    /// Takes back what was counted in the open document, and no more than that.
    pub(super) fn take_back(&mut self, cell: CellId, n: u64) {
        let at = cell as usize;
        let known = match self.rows {
            Some(_) => self.open[at],
            None => self.totals[at],
        };
        let n = n.min(known);
        self.totals[at] -= n;
        if self.rows.is_some() {
            self.open[at] -= n;
        }
    }

    /// Ends the open document and begins another one. Without rows nothing is done.
    pub fn end_document(&mut self, key: Key) {
        let Some(rows) = &mut self.rows else {
            return;
        };
        self.touched.sort_unstable();
        let open = &mut self.open;
        let entries = self.touched.iter().map(|&cell| {
            let n = std::mem::take(&mut open[cell as usize]);
            (cell, n)
        });
        rows.push(key, entries.filter(|(_, n)| *n > 0));
        self.touched.clear();
    }

    /// Takes the last document back, so that it can go on. Without documents nothing is done.
    pub(crate) fn reopen_document(&mut self) {
        let last = self.rows.as_mut().and_then(Rows::pop);
        for (cell, n) in last.unwrap_or_default() {
            // It is in the totals already.
            self.totals[cell as usize] -= n;
            self.add(cell, n);
        }
    }

    /// The same counts with documents called `prefix:key`, so that those of several files have different
    /// keys.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str) -> Self {
        if let Some(rows) = &mut self.rows {
            rows.rename(|key| Key::Name(format!("{prefix}:{key}").into()));
        }
        self
    }

    /// The same counts with documents in another order: `order` has the place in these counts of each document to come.
    ///
    /// # Errors
    /// [`CountsError::Order`] where it has not every place once.
    pub fn reordered(mut self, order: &[usize]) -> Result<Self, CountsError> {
        let Some(rows) = &self.rows else {
            return if order.is_empty() {
                Ok(self)
            } else {
                Err(CountsError::Order)
            };
        };
        let mut seen = vec![false; rows.len()];
        let is_new = |&at: &usize| {
            seen.get_mut(at)
                .is_some_and(|seen| !std::mem::replace(seen, true))
        };
        if order.len() != rows.len() || !order.iter().all(is_new) {
            return Err(CountsError::Order);
        }
        self.rows = Some(rows.reordered(order));
        Ok(self)
    }

    /// How often a cell occurred in all.
    pub fn total(&self, cell: CellId) -> u64 {
        self.totals.get(cell as usize).copied().unwrap_or_default()
    }

    /// The documents in the order in which they ended or were merged; none where they are not kept.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.rows.as_ref().map_or(0, Rows::len)).map(|at| self.row_at(at))
    }

    /// A document by its place in that order.
    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let known = self.rows.as_ref().is_some_and(|rows| at < rows.len());
        known.then(|| self.row_at(at))
    }

    fn row_at(&self, at: usize) -> Row<'_> {
        const NONE: &Key = &Key::Number(0);
        let none = Row {
            key: NONE,
            cells: &[],
            n: &[],
        };
        self.rows.as_ref().map_or(none, |rows| rows.get(at))
    }

    /// True where something was counted since the last document ended.
    pub(super) fn has_open_document(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Adds counts that continue these: what stands before the end of their first document belongs to the open one,
    /// and documents with numbers have `shift` added to them. The schemas must be the same.
    ///
    /// True where there was nothing before, so that cells keep their numbers.
    pub(crate) fn append(&mut self, other: Self, shift: u64) -> bool {
        debug_assert_eq!(self.schema, other.schema);
        if self.cells.is_empty() && shift == 0 {
            *self = other;
            return true;
        }
        let cells = self.numbers_of(&other);
        if self.rows.is_none() {
            for (&cell, n) in cells.iter().zip(other.totals) {
                self.add(cell, n);
            }
            return false;
        }
        let shifted = |key: &Key| match key {
            Key::Number(number) => Key::Number(number + shift),
            name @ Key::Name(_) => name.clone(),
        };
        if self.touched.is_empty()
            && other.touched.is_empty()
            && let Some(rows) = &mut self.rows
        {
            for (&cell, n) in cells.iter().zip(&other.totals) {
                self.totals[cell as usize] += n;
            }
            let mut entries: Vec<(CellId, u64)> = Vec::new();
            for row in other.rows.iter().flat_map(Rows::iter) {
                let ids = row.cells.iter().map(|&cell| cells[cell as usize]);
                entries.clear();
                entries.extend(ids.zip(row.n.iter().copied()));
                entries.sort_unstable();
                rows.push(shifted(row.key), entries.iter().copied());
            }
            return false;
        }
        for row in other.rows() {
            let ids = row.cells.iter().map(|&cell| cells[cell as usize]);
            for (cell, &n) in ids.zip(row.n) {
                self.add(cell, n);
            }
            self.end_document(shifted(row.key));
        }
        for &cell in &other.touched {
            self.add(cells[cell as usize], other.open[cell as usize]);
        }
        false
    }

    /// Adds all of other counts, which have no documents, as one document.
    ///
    /// # Errors
    /// As [`Counts::merge`].
    pub fn add_document(&mut self, key: Key, other: &Self) -> Result<(), CountsError> {
        self.check_schema(other)?;
        if other.has_documents() {
            return Err(CountsError::Documents);
        }
        self.check_closed(other)?;
        let cells = self.numbers_of(other);
        self.check_sums(&cells, other)?;
        for (&cell, n) in cells.iter().zip(&other.totals) {
            self.add(cell, *n);
        }
        self.end_document(key);
        Ok(())
    }

    /// The numbers that the cells of other counts have here. Types and cells that are new are added.
    pub(super) fn numbers_of(&mut self, other: &Self) -> Vec<CellId> {
        let types: Vec<u32> = other
            .types
            .names()
            .map(|name| self.types.intern(name))
            .collect();
        let cells = other.cells.iter();
        cells
            .map(|cell| self.cell(cell.renumbered(&types)))
            .collect()
    }

    /// Adds the counts of another layer of annotations of the same documents: rows at the same place are added, and
    /// cells of a criterion that is not asked for are left out.
    ///
    /// # Errors
    /// [`CountsError::Schema`], [`CountsError::Documents`] where there are not as many on both sides.
    pub fn join(
        &mut self,
        other: &Self,
        counts: impl Fn(&Cell) -> bool,
    ) -> Result<(), CountsError> {
        self.check_schema(other)?;
        let rows = |counts: &Self| counts.rows.as_ref().map(Rows::len);
        if rows(self) != rows(other) {
            return Err(CountsError::Documents);
        }
        self.check_closed(other)?;
        let cells = self.numbers_of(other);
        self.check_sums(&cells, other)?;
        let counted: Vec<bool> = other.cells.iter().map(counts).collect();
        let wanted = |cell: CellId| counted[cell as usize].then(|| cells[cell as usize]);
        let Some(mine) = self.rows.take() else {
            for (cell, n) in (0..).zip(&other.totals) {
                if let Some(cell) = wanted(cell) {
                    self.add(cell, *n);
                }
            }
            return Ok(());
        };
        self.rows = Some(Rows::default());
        for (row, theirs) in mine.iter().zip(other.rows()) {
            for (&cell, &n) in row.cells.iter().zip(row.n) {
                // It is in the totals already.
                self.add(cell, n);
                self.totals[cell as usize] -= n;
            }
            for (&cell, &n) in theirs.cells.iter().zip(theirs.n) {
                if let Some(cell) = wanted(cell) {
                    self.add(cell, n);
                }
            }
            self.end_document(row.key.clone());
        }
        Ok(())
    }

    /// Refuses counts whose last document was not ended.
    pub(super) fn check_closed(&self, other: &Self) -> Result<(), CountsError> {
        if self.has_open_document() || other.has_open_document() {
            return Err(CountsError::OpenDocument);
        }
        Ok(())
    }

    /// Refuses totals that are too large together; `cells` are the numbers here of the other's cells.
    fn check_sums(&self, cells: &[CellId], other: &Self) -> Result<(), CountsError> {
        let mut sums = cells.iter().zip(&other.totals);
        match sums.all(|(&cell, n)| sum(self.total(cell), *n).is_some()) {
            true => Ok(()),
            false => Err(CountsError::Overflow),
        }
    }

    pub(super) fn check_schema(&self, other: &Self) -> Result<(), CountsError> {
        if self.schema == other.schema {
            return Ok(());
        }
        Err(CountsError::Schema {
            expected: self.schema.name.to_owned(),
            found: other.schema.name.to_owned(),
        })
    }

    /// Adds counts of other data.
    ///
    /// # Errors
    /// [`CountsError::Schema`], [`CountsError::Documents`], [`CountsError::OpenDocument`] on either side,
    /// [`CountsError::Overflow`]. Nothing is added then.
    pub fn merge(&mut self, other: &Self) -> Result<(), CountsError> {
        self.check_schema(other)?;
        if self.has_documents() != other.has_documents() {
            return Err(CountsError::Documents);
        }
        self.check_closed(other)?;
        // Cells and types that are new here are harmless where the sums do not fit.
        let cells = self.numbers_of(other);
        self.check_sums(&cells, other)?;
        for (&cell, n) in cells.iter().zip(&other.totals) {
            self.totals[cell as usize] += n;
        }
        if let Some(rows) = &mut self.rows {
            for row in other.rows() {
                let ids = row.cells.iter().map(|&cell| cells[cell as usize]);
                rows.push(row.key.clone(), ids.zip(row.n.iter().copied()));
            }
        }
        Ok(())
    }
}

impl Cell {
    /// The same cell with types that have other numbers.
    pub(super) fn renumbered(&self, types: &[u32]) -> Self {
        let renumber = |ty: u32| types[ty as usize];
        Self {
            gold: self.gold.map(renumber),
            pred: self.pred.map(renumber),
            ..*self
        }
    }
}

/// Largest total that merging and loading accept, so that counting on cannot overflow.
const MOST: u64 = 1 << 62;

/// A sum of totals; None where it is too large.
pub(super) fn sum(a: u64, b: u64) -> Option<u64> {
    a.checked_add(b).filter(|sum| *sum <= MOST)
}

fn hash(cell: &Cell) -> u64 {
    FixedState::with_seed(0).hash_one(cell)
}
