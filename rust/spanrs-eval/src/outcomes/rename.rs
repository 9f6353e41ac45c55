//! Renaming types in counts, without matching again.
//!
//! Renaming is possible where matching does not depend on types beyond equality: under the exact
//! matcher a mistyped pair whose types become equal turns from one missed and one spurious span
//! into a match. Other matchers would choose other pairs, so their typed cells can only be dropped
//! or refused.
//!
//! | cell before, with `PERSON` renamed to `PER` | after |
//! |---|---|
//! | match `PERSON` `PERSON` | match `PER` `PER` |
//! | mistyped `PER` `PERSON` | match `PER` `PER`; one missed and one spurious `PER` fewer |
//! | mistyped `LOC` `PERSON` | mistyped `LOC` `PER` |
//! | spurious `PERSON`, with `PERSON` excluded | none |

use super::counts::Counts;
use super::error::CountsError;
use super::schema::{AMBIGUOUS_BOUNDS, CORPUS, Cell, CellId, Criterion};

/// The result of renaming a cell.
enum Renamed {
    /// The cell is dropped, because one of its types is excluded.
    Dropped,
    /// The cell is counted as this cell.
    As(Cell),
    /// A mistyped pair whose types become equal: a match instead of a missed and a spurious span.
    Matched {
        /// The match.
        found: Cell,
        /// The missed span that is subtracted.
        missed: Cell,
        /// The spurious span that is subtracted.
        spurious: Cell,
    },
}

/// Indices of the outcomes that renaming needs, found by their names.
struct Outcomes {
    /// Outcome `match`.
    found: u8,
    /// Outcome `missed`.
    missed: u8,
    /// Outcome `spurious`.
    spurious: u8,
    /// Outcome `mistyped`.
    mistyped: u8,
}

impl Outcomes {
    /// Finds the outcomes of a criterion; None if any is missing.
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
    /// Returns the counts of the same spans under other types.
    ///
    /// `rename` is called once for each type and returns its new name, or None to exclude its
    /// spans. Giving several types the same name merges them. Documents, their keys and their order
    /// are kept; cells without types are unchanged. A pair of spans with one excluded type is
    /// dropped: the other span still counts as missed or spurious under its own type.
    ///
    /// Takes time proportional to the number of cells of all documents.
    ///
    /// # Errors
    /// [`CountsError::Rename`] for a typed cell of a criterion whose matching depends on types
    /// ([`Criterion::renames`](super::Criterion::renames)); [`CountsError::AmbiguousRename`] if
    /// types are merged, but not all into one, and several unmatched spans on one side have equal
    /// bounds and tokens.
    ///
    /// # Examples
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::outcomes::{Counts, Measure, Prf};
    /// use spanrs_eval::{EXACT, Exact, Pair, Spans, add_pair};
    /// let (gold, pred) = ([Span { start: 0, end: 2, ty: 0 }], [Span { start: 0, end: 2, ty: 1 }]);
    /// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
    /// let mut counts = Counts::new(&EXACT);
    /// let name = |ty: u32| ["PER", "PERSON"][ty as usize].to_owned();
    /// add_pair(&mut Exact::default(), &pair, &name, &mut counts).unwrap();
    /// let f1 = Measure::Micro(Prf::f1(0));
    /// assert_eq!(counts.measure(&f1), 0.0);
    /// let merged = counts.renamed(|_| Some("PER".to_owned())).unwrap();
    /// assert_eq!(merged.measure(&f1), 1.0);
    /// ```
    pub fn renamed(&self, rename: impl Fn(&str) -> Option<String>) -> Result<Self, CountsError> {
        let mut counts = match self.has_documents() {
            false => Self::new(self.schema()),
            true => Self::by_document(self.schema()),
        };
        let types: Vec<Option<u32>> = (0..self.types() as u32)
            .map(|ty| rename(self.type_name(ty)).map(|name| counts.intern(&name)))
            .collect();
        self.check_merged_types(&types)?;
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

    /// Refuses merged types if merging could match spans other than those counted. If all types
    /// are merged into one, the number of matches is the number of spans on the smaller side,
    /// regardless of pairing; types that are not merged match no further spans.
    fn check_merged_types(&self, types: &[Option<u32>]) -> Result<(), CountsError> {
        let mut names: Vec<u32> = types.iter().flatten().copied().collect();
        let kept = names.len();
        names.sort_unstable();
        names.dedup();
        let all_in_one = names.len() == 1 && kept == types.len();
        if names.len() == kept || all_in_one {
            return Ok(());
        }
        let ambiguous = |cell: &Cell| {
            let criterion = &self.schema().criteria[usize::from(cell.criterion)];
            *criterion == CORPUS && cell.outcome == AMBIGUOUS_BOUNDS
        };
        let groups = (0..)
            .zip(self.cells())
            .filter(|(_, cell)| ambiguous(cell))
            .map(|(id, _)| self.total(id))
            .sum();
        match groups {
            0 => Ok(()),
            groups => Err(CountsError::AmbiguousRename { groups }),
        }
    }

    /// Returns the result of renaming a cell; `types` contains the new number of each type, None if
    /// the type is excluded.
    ///
    /// # Errors
    /// [`CountsError::Rename`] if the cell has types and its criterion does not allow renaming.
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

    /// Adds the cells and counts of one document, or of all documents, under their new names.
    ///
    /// First everything is added, then the missed and spurious spans of new matches are subtracted,
    /// so that no count falls below 0.
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
        // Every mistyped pair was also counted as missed and spurious, so no count falls below 0.
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
