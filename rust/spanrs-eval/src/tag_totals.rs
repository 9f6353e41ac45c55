//! Totals of the exact matcher for tags, by type and overall.

use crate::outcomes::Counts;

/// Totals of the exact matcher, without documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagTotals {
    /// Number of spans in gold, in pred and in both, by number of the type in the counts.
    pub types: Vec<[u64; 3]>,
    /// Tokens.
    pub tokens: u64,
    /// Tokens with equal tags.
    pub equal_tokens: u64,
    /// Violations of both sides.
    pub violations: u64,
}

impl Counts {
    /// Returns the totals from counts of the exact matcher.
    ///
    /// ```
    /// use spanrs_eval::{EXACT, outcomes::{Cell, Counts}};
    /// let mut counts = Counts::new(&EXACT);
    /// let person = Some(counts.intern("PER"));
    /// let found = counts.cell(Cell::new(0, 0, person, person));
    /// let missed = counts.cell(Cell::new(0, 1, person, None));
    /// counts.add(found, 3);
    /// counts.add(missed, 1);
    /// assert_eq!(counts.tag_totals().types, [[4, 3, 3]]);
    /// ```
    pub fn tag_totals(&self) -> TagTotals {
        let mut totals = TagTotals {
            types: vec![[0; 3]; self.types()],
            ..TagTotals::default()
        };
        for (id, cell) in (0..).zip(self.cells()) {
            let n = self.total(id);
            match (cell.criterion, cell.outcome, cell.gold.or(cell.pred)) {
                (0, 0, Some(ty)) => totals.types[ty as usize]
                    .iter_mut()
                    .for_each(|sum| *sum += n),
                (0, side @ (1 | 2), Some(ty)) => {
                    totals.types[ty as usize][usize::from(side) - 1] += n;
                }
                (1, 1, None) => totals.tokens += n,
                (1, 2, None) => totals.equal_tokens += n,
                (1, 5 | 6, None) => totals.violations += n,
                _ => {}
            }
        }
        totals
    }
}
