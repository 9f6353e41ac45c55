//! Columns of the statistics of each measure.

use std::collections::BTreeMap;

use super::project::Project;
use super::row::{Key, Row};

/// Columns of the statistics of a pair.
pub(super) struct PairColumns {
    pub(super) annotators: (u32, u32),
    /// Number of common documents.
    pub(super) documents: u32,
    /// Labels of the two annotators, and the column.
    pub(super) cells: Vec<(u32, u32, u32)>,
    /// Type, and columns of spans, exact and overlap.
    pub(super) types: Vec<(u32, [u32; 3])>,
    pub(super) untyped: Option<u32>,
}

/// Columns of the documents with the same number of annotators.
pub(super) struct Group {
    pub(super) annotators: f64,
    pub(super) positions: u32,
    /// Two labels, and the column.
    pub(super) cells: Vec<(u32, u32, u32)>,
}

/// Columns of the units of a type.
#[derive(Default)]
pub(super) struct TypeColumns {
    /// (length, column), ascending.
    pub(super) units: Vec<(u32, u32)>,
    pub(super) gaps: Vec<(u32, u32)>,
    /// (annotators, column).
    pub(super) differences: Vec<(u32, u32)>,
}

/// Column layout.
pub struct Layout<'a> {
    pub(super) project: &'a Project,
    pub(super) pairs: Vec<PairColumns>,
    pub(super) groups: Vec<Group>,
    pub(super) types: Vec<TypeColumns>,
    pub(super) answers: Vec<(u32, u32)>,
    /// Number of annotators: one more than the largest index.
    pub(super) annotators: usize,
}

impl Project {
    /// Returns the layout for the documents that were added so far.
    pub fn layout(&self) -> Layout<'_> {
        Layout::new(self)
    }
}

impl<'a> Layout<'a> {
    fn new(project: &'a Project) -> Self {
        let mut layout = Self {
            project,
            pairs: (project.pair_names.iter().zip(&project.pair_documents))
                .map(|(&annotators, &documents)| PairColumns {
                    annotators,
                    documents,
                    cells: Vec::new(),
                    types: Vec::new(),
                    untyped: None,
                })
                .collect(),
            groups: Vec::new(),
            types: Vec::new(),
            answers: Vec::new(),
            annotators: 0,
        };
        layout
            .types
            .resize_with(project.types().len(), TypeColumns::default);
        let mut by_type = ByType::default();
        for (column, &key) in (0..).zip(project.columns.keys()) {
            layout.place(column, key, &mut by_type);
        }
        for ((pair, ty), columns) in by_type {
            layout.pairs[pair as usize].types.push((ty, columns));
        }
        layout.answers.sort_unstable();
        for columns in &mut layout.types {
            columns.units.sort_unstable();
            columns.gaps.sort_unstable();
            columns.differences.sort_unstable();
        }
        for pair in &mut layout.pairs {
            pair.types.sort_unstable();
            layout.annotators = layout.annotators.max(pair.annotators.1 as usize + 1);
        }
        layout.pairs.sort_by_key(|pair| pair.annotators);
        layout
            .groups
            .sort_by(|a, b| a.annotators.total_cmp(&b.annotators));
        layout
    }

    fn place(&mut self, column: u32, key: Key, by_type: &mut ByType) {
        match key {
            Key::Cell {
                pair,
                first,
                second,
            } => {
                self.pairs[pair as usize]
                    .cells
                    .push((first, second, column));
            }
            Key::Spans { pair, ty } => by_type.entry((pair, ty)).or_insert(NONE)[0] = column,
            Key::Exact { pair, ty } => by_type.entry((pair, ty)).or_insert(NONE)[1] = column,
            Key::Overlap { pair, ty } => by_type.entry((pair, ty)).or_insert(NONE)[2] = column,
            Key::Untyped { pair } => self.pairs[pair as usize].untyped = Some(column),
            Key::Positions { annotators } => self.group(annotators).positions = column,
            Key::Coincidence {
                annotators,
                first,
                second,
            } => {
                self.group(annotators).cells.push((first, second, column));
            }
            Key::Units { ty, length } => self.types[ty as usize].units.push((length, column)),
            Key::Gaps { ty, length } => self.types[ty as usize].gaps.push((length, column)),
            Key::Answers { length } => self.answers.push((length, column)),
            Key::Difference { ty, annotators } => {
                self.types[ty as usize]
                    .differences
                    .push((annotators, column));
            }
        }
    }

    fn group(&mut self, annotators: u32) -> &mut Group {
        let number = f64::from(annotators);
        let at = self
            .groups
            .iter()
            .position(|group| group.annotators == number);
        let at = at.unwrap_or_else(|| {
            self.groups.push(Group {
                annotators: number,
                positions: ABSENT,
                cells: Vec::new(),
            });
            self.groups.len() - 1
        });
        &mut self.groups[at]
    }

    /// Returns the pairs of annotators with a document in common, ascending, with the numbers of
    /// their common documents and positions.
    pub fn pairs(&self) -> Vec<((u32, u32), u32, u64)> {
        let sums = self.sums();
        let facts = |pair: &PairColumns| {
            let cells = pair.cells.iter().map(|cell| value(&sums, cell.2));
            (pair.annotators, pair.documents, cells.sum::<f64>() as u64)
        };
        self.pairs.iter().map(facts).collect()
    }

    pub(super) fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.project.columns.keys().len()]
    }

    /// Returns the sums over all documents.
    pub(super) fn sums(&self) -> Vec<f64> {
        let mut sums = self.zeros();
        for row in self.rows() {
            add(&mut sums, row, 1.0);
        }
        sums
    }

    pub(super) fn rows(&self) -> &[Row] {
        &self.project.rows
    }
}

/// Column of a statistic that does not occur.
const ABSENT: u32 = u32::MAX;
/// Columns of a type without statistics.
const NONE: [u32; 3] = [ABSENT; 3];

/// Columns of spans, exact and overlap, by pair and type.
type ByType = BTreeMap<(u32, u32), [u32; 3]>;

/// Returns the sum of a column.
pub(super) fn value(sums: &[f64], column: u32) -> f64 {
    sums.get(column as usize).copied().unwrap_or(0.0)
}

/// Adds a row, `times` times.
pub(super) fn add(sums: &mut [f64], row: &Row, times: f64) {
    for &(column, number) in row {
        sums[column as usize] += times * number;
    }
}
