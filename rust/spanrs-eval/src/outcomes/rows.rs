use super::counts::CellId;

/// Identifies a document. Numbers come before names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Its place in a corpus, from 0.
    Number(u64),
    /// Its name, such as a path.
    Name(Box<str>),
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Name(name) => write!(f, "{name}"),
        }
    }
}

/// The counts of one document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row<'a> {
    /// The document.
    pub key: &'a Key,
    /// Cells that occur in it, each once.
    pub cells: &'a [CellId],
    /// How often, 1 or more, for each cell.
    pub n: &'a [u64],
}

/// Counts of documents in compressed sparse rows: memory follows what occurs in them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    keys: Vec<Key>,
    /// Where each row ends in `cells` and `n`.
    ends: Vec<usize>,
    cells: Vec<CellId>,
    n: Vec<u64>,
}

impl Rows {
    pub(super) fn push(&mut self, key: Key, entries: impl IntoIterator<Item = (CellId, u64)>) {
        for (cell, n) in entries {
            self.cells.push(cell);
            self.n.push(n);
        }
        self.keys.push(key);
        self.ends.push(self.cells.len());
    }

    /// Takes out the last row.
    pub(super) fn pop(&mut self) -> Option<Vec<(CellId, u64)>> {
        self.keys.pop()?;
        self.ends.pop();
        let start = self.ends.last().copied().unwrap_or_default();
        let cells = self.cells.drain(start..);
        Some(cells.zip(self.n.drain(start..)).collect())
    }

    /// The same rows in another order: of places of rows.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        let mut reordered = Self::default();
        for &at in order {
            let row = self.get(at);
            let entries = row.cells.iter().copied().zip(row.n.iter().copied());
            reordered.push(row.key.clone(), entries);
        }
        reordered
    }

    pub(super) fn rename(&mut self, name: impl Fn(&Key) -> Key) {
        for key in &mut self.keys {
            *key = name(key);
        }
    }

    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }

    pub(super) fn get(&self, at: usize) -> Row<'_> {
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let range = start..self.ends[at];
        Row {
            key: &self.keys[at],
            cells: &self.cells[range.clone()],
            n: &self.n[range],
        }
    }
}
