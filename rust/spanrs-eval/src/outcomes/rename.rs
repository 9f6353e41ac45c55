//! What counts would be under other names of types.

use super::counts::{CellId, Counts};
use super::error::CountsError;
use super::schema::{Cell, Criterion};

/// What becomes of a cell.
enum Renamed {
    /// It is left out.
    Dropped,
    /// It is counted under another name.
    As(Cell),
    /// Spans of equal bounds that come to be of one type: no longer missed and spurious, but a match.
    Matched {
        found: Cell,
        missed: Cell,
        spurious: Cell,
    },
}

/// Outcomes by which a criterion tells what it would be under other names.
struct Outcomes {
    found: u8,
    missed: u8,
    spurious: u8,
    mistyped: u8,
}

impl Outcomes {
    fn of(criterion: &Criterion) -> Option<Self> {
        let at = |name: &str| {
            let outcomes = (0..).zip(criterion.outcomes);
            outcomes
                .clone()
                .find_map(|(at, outcome)| (outcome.name == name).then_some(at))
        };
        Some(Self {
            found: at("match")?,
            missed: at("missed")?,
            spurious: at("spurious")?,
            mistyped: at("mistyped")?,
        })
    }
}

impl Counts {
    /// Counts the same spans under other names; types for which `rename` gives None are left out.
    ///
    /// # Errors
    /// [`CountsError::Rename`] where matching would have gone another way with other types.
    pub fn renamed(&self, rename: impl Fn(&str) -> Option<String>) -> Result<Self, CountsError> {
        let mut counts = match self.has_documents() {
            false => Self::new(self.schema()),
            true => Self::by_document(self.schema()),
        };
        let types: Vec<Option<u32>> = (0..self.types() as u32)
            .map(|ty| rename(self.type_name(ty)).map(|name| counts.intern(&name)))
            .collect();
        let renamed: Vec<Renamed> = self
            .cells()
            .iter()
            .map(|cell| self.renamed_cell(cell, &types))
            .collect::<Result<_, _>>()?;
        let all = (0..self.cells().len() as CellId).map(|id| (id, self.total(id)));
        if !self.has_documents() {
            counts.add_renamed(&renamed, all);
            return Ok(counts);
        }
        for row in self.rows() {
            let entries = row.cells.iter().copied().zip(row.n.iter().copied());
            counts.add_renamed(&renamed, entries);
            counts.end_document(row.key.clone());
        }
        Ok(counts)
    }

    fn renamed_cell(&self, cell: &Cell, types: &[Option<u32>]) -> Result<Renamed, CountsError> {
        let criterion = &self.schema().criteria[usize::from(cell.criterion)];
        let new = |ty: Option<u32>| ty.map(|ty| types[ty as usize]);
        let (gold, pred) = match (new(cell.gold), new(cell.pred)) {
            (None, None) => return Ok(Renamed::As(*cell)),
            (Some(None), _) | (_, Some(None)) => return Ok(Renamed::Dropped),
            (gold, pred) => (gold.flatten(), pred.flatten()),
        };
        let outcomes = Outcomes::of(criterion).filter(|_| criterion.renames);
        let outcomes = outcomes.ok_or(CountsError::Rename {
            matcher: self.schema().name,
        })?;
        if cell.outcome != outcomes.mistyped || gold != pred {
            return Ok(Renamed::As(Cell {
                gold,
                pred,
                ..*cell
            }));
        }
        let of = |outcome, gold, pred| Cell {
            outcome,
            gold,
            pred,
            ..*cell
        };
        Ok(Renamed::Matched {
            found: of(outcomes.found, gold, pred),
            missed: of(outcomes.missed, gold, None),
            spurious: of(outcomes.spurious, None, pred),
        })
    }

    fn add_renamed(
        &mut self,
        renamed: &[Renamed],
        entries: impl Iterator<Item = (CellId, u64)> + Clone,
    ) {
        for (id, n) in entries.clone() {
            if let Renamed::As(cell) | Renamed::Matched { found: cell, .. } = &renamed[id as usize]
            {
                let cell = self.cell(*cell);
                self.add(cell, n);
            }
        }
        // Every mistyped pair was missed and spurious besides, so nothing falls below 0.
        for (id, n) in entries {
            if let Renamed::Matched {
                missed, spurious, ..
            } = &renamed[id as usize]
            {
                for cell in [missed, spurious] {
                    let cell = self.cell(*cell);
                    self.take_back(cell, n);
                }
            }
        }
    }
}
