//! The table of counts: cells, totals, and per-document rows.
//!
//! Cells are counted by number. A caller looks up the [`CellId`] of a cell once, which hashes the
//! cell, and then adds to an array. With documents, there is a second array for the open document,
//! and a list of the cells that occur in it; they are written to [`Rows`] when the document ends.
//! Totals are always up to date and include the open document.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use spanrs_base::Interner;

use super::error::CountsError;
use super::rows::{Key, Row, Rows};
use super::schema::{Cell, CellId, Schema};

/// The number of occurrences of each outcome for each pair of types, in total and optionally by
/// document.
///
/// Memory is proportional to the number of cells that occur, in total and in each document, not to
/// documents times types. Merging is commutative and associative: [`Counts::to_bytes`] gives the
/// same bytes for any order.
///
/// Types and cells are numbered in the order of first use, so the numbers of different counts must
/// not be mixed. With documents, everything added since [`Counts::end_document`] belongs to the
/// open document; most operations refuse counts with an open document that is not empty.
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
    /// The criteria and outcomes that can be counted.
    schema: &'static Schema,
    /// Names of types.
    types: Interner<str>,
    /// The cells by [`CellId`], with types numbered by `types`.
    cells: Vec<Cell>,
    /// Cells by hash, with a fixed seed.
    index: HashTable<CellId>,
    /// The totals by [`CellId`] over all documents, including the open one.
    totals: Vec<u64>,
    /// Ended documents; None if documents are not kept.
    rows: Option<Rows>,
    /// The counts in the open document by [`CellId`]. Empty if documents are not kept.
    open: Vec<u64>,
    /// Cells with a count in the open document; some may occur twice, or have a count of 0 after a
    /// subtraction.
    touched: Vec<CellId>,
}

impl Counts {
    /// Creates empty counts that keep only totals.
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

    /// Creates empty counts that keep a row for each document.
    pub fn by_document(schema: &'static Schema) -> Self {
        Self {
            rows: Some(Rows::default()),
            ..Self::new(schema)
        }
    }

    /// Returns the schema, which defines what can be counted.
    pub fn schema(&self) -> &'static Schema {
        self.schema
    }

    /// Returns true if documents are kept, even if there are none yet.
    pub fn has_documents(&self) -> bool {
        self.rows.is_some()
    }

    /// Returns the number of a type, adding it if it is new.
    pub fn intern(&mut self, ty: &str) -> u32 {
        self.types.intern(ty)
    }

    /// Returns the name of a type; the empty string for an unknown number.
    pub fn type_name(&self, ty: u32) -> &str {
        self.types.name(ty).unwrap_or_default()
    }

    /// Returns the number of a type; None if it was never interned.
    pub fn type_number(&self, ty: &str) -> Option<u32> {
        self.types.get(ty)
    }

    /// Returns the number of types, including those that were interned but never counted.
    pub fn types(&self) -> usize {
        self.types.len()
    }

    /// Returns the number of a cell, adding it with a total of 0 if it is new.
    ///
    /// The schema must contain the cell; debug builds check this. Look up each cell once and count
    /// by number, because [`Counts::add`] does not hash.
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

    /// Returns all cells, by number. Some may have a total of 0.
    pub fn cells(&self) -> &[Cell] {
        &self.cells
    }

    /// Adds `n` to the count of a cell, in the open document if documents are kept. Constant time.
    ///
    /// # Panics
    /// If `cell` is not a cell number of these counts.
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

    /// Subtracts `n` from the count of a cell in the open document (or in total, without
    /// documents), but not below 0.
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

    /// Ends the open document under `key` and begins another one.
    ///
    /// A document in which nothing was counted becomes an empty row. Does nothing if documents are
    /// not kept. Keys are not checked: two documents may have the same key.
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

    /// Removes the last row and makes it the open document again. Does nothing if there are no
    /// rows.
    pub(crate) fn reopen_document(&mut self) {
        let last = self.rows.as_mut().and_then(Rows::pop);
        for (cell, n) in last.unwrap_or_default() {
            // The totals already include this row's counts.
            self.totals[cell as usize] -= n;
            self.add(cell, n);
        }
    }

    /// Returns the counts with documents renamed to `prefix:key`, to distinguish the documents of
    /// several files.
    ///
    /// Number keys become names, so `9` sorts after `10` afterwards.
    #[must_use]
    pub fn prefixed(mut self, prefix: &str) -> Self {
        if let Some(rows) = &mut self.rows {
            rows.rename(|key| Key::Name(format!("{prefix}:{key}").into()));
        }
        self
    }

    /// Returns the counts with documents in another order.
    ///
    /// `order` contains, for each position, the current index of the document to move there.
    ///
    /// # Errors
    /// [`CountsError::Order`] if `order` does not contain every index exactly once.
    pub fn reordered(mut self, order: &[usize]) -> Result<Self, CountsError> {
        let Some(rows) = self.rows.take() else {
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

    /// Returns the total count of a cell; 0 for an unknown number.
    pub fn total(&self, cell: CellId) -> u64 {
        self.totals.get(cell as usize).copied().unwrap_or_default()
    }

    /// Iterates over the documents in the order in which they ended or were merged; empty if
    /// documents are not kept.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.rows.as_ref().map_or(0, Rows::len)).map(|at| self.row_at(at))
    }

    /// Returns a document by its index in [`Counts::rows`]; None if there is no such document.
    pub fn row(&self, at: usize) -> Option<Row<'_>> {
        let known = self.rows.as_ref().is_some_and(|rows| at < rows.len());
        known.then(|| self.row_at(at))
    }

    /// Returns a document by index; the index must be valid.
    fn row_at(&self, at: usize) -> Row<'_> {
        const NONE: &Key = &Key::Number(0);
        let none = Row {
            key: NONE,
            cells: &[],
            n: &[],
        };
        self.rows.as_ref().map_or(none, |rows| rows.get(at))
    }

    /// Returns, for each document, the number of its row in [`Counts::distinct_rows`]; None if
    /// documents are not kept.
    pub(super) fn row_numbers(&self) -> Option<&[u32]> {
        self.rows.as_ref().map(Rows::numbers)
    }

    /// Iterates over the cells and counts of the distinct rows; some rows may belong to no
    /// document.
    pub(super) fn distinct_rows(&self) -> impl Iterator<Item = (&[CellId], &[u64])> {
        self.rows.iter().flat_map(|rows| rows.distinct().iter())
    }

    /// Returns true if something was counted since the last document ended. False if documents are
    /// not kept.
    pub(super) fn has_open_document(&self) -> bool {
        !self.touched.is_empty()
    }

    /// Adds counts that continue these counts, such as the counts of the next part of a corpus.
    ///
    /// The counts of `other` up to the end of its first document are added to the open document
    /// here, and the open document of `other` remains open. `shift` is added to keys that are
    /// numbers. The schemas must be equal, which debug builds check.
    ///
    /// Returns true if these counts were empty and `shift` is 0, so that `other` replaced them and
    /// its cell numbers remain valid.
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
            if let Some(others) = &other.rows {
                rows.extend(others, &cells, shifted);
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

    /// Adds the totals of counts without documents as one document.
    ///
    /// Equivalent to counting the same outcomes here and calling [`Counts::end_document`].
    ///
    /// # Errors
    /// [`CountsError::Schema`]; [`CountsError::Documents`] if `other` has documents;
    /// [`CountsError::OpenDocument`]; [`CountsError::Overflow`]. Nothing is added then.
    pub fn add_document(&mut self, key: Key, other: &Self) -> Result<(), CountsError> {
        self.check_schema(other)?;
        if other.has_documents() {
            let message = "counts that have documents cannot be added as one document";
            return Err(CountsError::Documents(message));
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

    /// Returns the numbers of the cells of `other` in these counts, by their numbers in `other`.
    /// Adds new types and cells.
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

    /// Adds the counts of another layer of annotations on the same documents, row by row.
    ///
    /// Rows at the same index are added under the key in these counts. Cells of `other` for which
    /// `counts` returns false are skipped; sentences and tokens, for example, must not count twice.
    ///
    /// # Errors
    /// [`CountsError::Schema`]; [`CountsError::Documents`] if the two do not have the same number
    /// of documents, or only one keeps them; [`CountsError::OpenDocument`];
    /// [`CountsError::Overflow`]. Nothing is added then.
    pub fn join(
        &mut self,
        other: &Self,
        counts: impl Fn(&Cell) -> bool,
    ) -> Result<(), CountsError> {
        self.check_schema(other)?;
        let rows = |counts: &Self| counts.rows.as_ref().map(Rows::len);
        if rows(self) != rows(other) {
            let message = "layers of annotations need the same number of documents";
            return Err(CountsError::Documents(message));
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
                // The totals already include this row's counts.
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

    /// Checks that neither of the two counts has a nonempty open document.
    pub(super) fn check_closed(&self, other: &Self) -> Result<(), CountsError> {
        if self.has_open_document() || other.has_open_document() {
            return Err(CountsError::OpenDocument);
        }
        Ok(())
    }

    /// Checks that the sums of totals do not exceed [`MAX_TOTAL`]; `cells` are the numbers of the
    /// cells of `other` in these counts.
    fn check_sums(&self, cells: &[CellId], other: &Self) -> Result<(), CountsError> {
        let mut sums = cells.iter().zip(&other.totals);
        match sums.all(|(&cell, n)| sum(self.total(cell), *n).is_some()) {
            true => Ok(()),
            false => Err(CountsError::Overflow),
        }
    }

    /// Checks that the schemas are equal.
    pub(super) fn check_schema(&self, other: &Self) -> Result<(), CountsError> {
        if self.schema == other.schema {
            return Ok(());
        }
        Err(CountsError::Schema {
            expected: self.schema.name.to_owned(),
            found: other.schema.name.to_owned(),
        })
    }

    /// Adds the counts of other documents.
    ///
    /// Types and cells are matched by name. Rows of `other` are appended to the rows of these
    /// counts, and rows with equal keys stay separate. Takes time proportional to the size of
    /// `other`.
    ///
    /// # Errors
    /// [`CountsError::Schema`]; [`CountsError::Documents`] if only one side keeps documents;
    /// [`CountsError::OpenDocument`]; [`CountsError::Overflow`]. Nothing is added then.
    ///
    /// # Examples
    /// ```
    /// use spanrs_eval::EXACT;
    /// use spanrs_eval::outcomes::{Cell, Counts};
    /// let count = |ty: &str| {
    ///     let mut counts = Counts::new(&EXACT);
    ///     let number = Some(counts.intern(ty));
    ///     let cell = counts.cell(Cell::new(0, 0, number, number));
    ///     counts.add(cell, 1);
    ///     counts
    /// };
    /// let (mut a, mut b) = (count("PER"), count("LOC"));
    /// a.merge(&b).unwrap();
    /// b.merge(&count("PER")).unwrap();
    /// assert_eq!(a.to_bytes(), b.to_bytes());
    /// ```
    pub fn merge(&mut self, other: &Self) -> Result<(), CountsError> {
        self.check_schema(other)?;
        if self.has_documents() != other.has_documents() {
            let message = "counts by document do not merge with counts without documents";
            return Err(CountsError::Documents(message));
        }
        self.check_closed(other)?;
        // If the sums are too large, types and cells that were already added here are harmless,
        // because their totals are 0.
        let cells = self.numbers_of(other);
        self.check_sums(&cells, other)?;
        for (&cell, n) in cells.iter().zip(&other.totals) {
            self.totals[cell as usize] += n;
        }
        if let (Some(rows), Some(others)) = (&mut self.rows, &other.rows) {
            rows.extend(others, &cells, Key::clone);
        }
        Ok(())
    }
}

impl Cell {
    /// Returns the cell with new type numbers; `types` contains the new number of each type.
    pub(super) fn renumbered(&self, types: &[u32]) -> Self {
        let renumber = |ty: u32| types[ty as usize];
        Self {
            gold: self.gold.map(renumber),
            pred: self.pred.map(renumber),
            ..*self
        }
    }
}

/// Largest total that merging and loading accept, so that further counting cannot overflow 64 bits.
const MAX_TOTAL: u64 = 1 << 62;

/// Returns the sum of two totals; None above [`MAX_TOTAL`].
pub(super) fn sum(a: u64, b: u64) -> Option<u64> {
    a.checked_add(b).filter(|sum| *sum <= MAX_TOTAL)
}

/// Returns the hash of a cell; the same in every run.
fn hash(cell: &Cell) -> u64 {
    FixedState::with_seed(0).hash_one(cell)
}
