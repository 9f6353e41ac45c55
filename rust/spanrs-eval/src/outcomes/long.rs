//! Counts with names instead of numbers, for exports.

use super::counts::Counts;
use super::rows::Key;
use super::schema::CellId;

/// The key of a document, None if documents are not kept, with its cells and their counts.
pub type DocumentCells<'a> = (Option<&'a Key>, Vec<(CellId, u64)>);

/// Names of a cell: criterion, outcome, gold type and pred type.
pub type CellNames<'a> = [Option<&'a str>; 4];

impl Counts {
    /// Returns the names of a cell: criterion, outcome, gold type and pred type, None for no type.
    pub fn cell_names(&self, id: CellId) -> CellNames<'_> {
        let cell = &self.cells()[id as usize];
        let criterion = &self.schema().criteria[usize::from(cell.criterion)];
        let outcome = criterion.outcomes[usize::from(cell.outcome)];
        let name = |ty: Option<u32>| ty.map(|ty| self.type_name(ty));
        [
            Some(criterion.name),
            Some(outcome.name),
            name(cell.gold),
            name(cell.pred),
        ]
    }

    /// Iterates over the cells that occur, with their totals.
    pub fn cell_totals(&self) -> impl Iterator<Item = (CellId, u64)> {
        let ids = 0..self.cells().len() as CellId;
        ids.map(|id| (id, self.total(id))).filter(|(_, n)| *n > 0)
    }

    /// Iterates over the cells of each document; without documents, all cells are one item.
    ///
    /// ```
    /// use spanrs_eval::outcomes::{Cell, Counts, Key};
    /// let mut counts = Counts::by_document(&spanrs_eval::EXACT);
    /// let person = Some(counts.intern("PER"));
    /// let found = counts.cell(Cell::new(0, 0, person, person));
    /// counts.add(found, 2);
    /// counts.end_document(Key::Number(7));
    /// let (key, cells) = counts.long().next().unwrap();
    /// assert_eq!((key, cells), (Some(&Key::Number(7)), vec![(found, 2)]));
    /// let names = counts.cell_names(found);
    /// assert_eq!(names, [Some("span"), Some("match"), Some("PER"), Some("PER")]);
    /// ```
    pub fn long(&self) -> impl Iterator<Item = DocumentCells<'_>> {
        let whole = (!self.has_documents()).then(|| (None, self.cell_totals().collect()));
        let documents = self.rows().map(|row| {
            let cells = row.cells.iter().copied().zip(row.n.iter().copied());
            (Some(row.key), cells.collect())
        });
        whole.into_iter().chain(documents)
    }
}
