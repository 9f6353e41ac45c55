//! Counts of documents, as compressed sparse rows.
//!
//! Memory follows what occurs in each document: 12 bytes for a cell of a row, and the key. There is
//! no table of documents by cells.

use super::counts::CellId;

/// Identifies a document within a corpus, and across the systems that are compared.
///
/// Keys are sorted: numbers before names, names by bytes.
///
/// ```
/// use spanrs_eval::outcomes::Key;
/// let mut keys = [Key::Name("a.txt".into()), Key::Number(10), Key::Number(9)];
/// keys.sort();
/// assert_eq!(keys.map(|key| key.to_string()), ["9", "10", "a.txt"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Its index in a corpus, from 0.
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
    /// Key of the document. Several rows may have the same key.
    pub key: &'a Key,
    /// Cells that occur in the document, each once.
    pub cells: &'a [CellId],
    /// By index in `cells`: how often the cell occurred, at least once.
    pub n: &'a [u64],
}

/// The counts of all documents, in the order in which they ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// By document: its key.
    keys: Vec<Key>,
    /// By document: end of its row in `cells` and `n`. A row starts where the one before it ends.
    ends: Vec<usize>,
    /// Cells of all rows.
    cells: Vec<CellId>,
    /// Counts of all rows.
    n: Vec<u64>,
}

impl Rows {
    /// Appends a document. Each cell must occur at most once in `entries`, with a count above 0.
    pub(super) fn push(&mut self, key: Key, entries: impl IntoIterator<Item = (CellId, u64)>) {
        for (cell, n) in entries {
            self.cells.push(cell);
            self.n.push(n);
        }
        self.keys.push(key);
        self.ends.push(self.cells.len());
    }

    /// Removes the last document and returns its cells and counts; None if there is none.
    pub(super) fn pop(&mut self) -> Option<Vec<(CellId, u64)>> {
        self.keys.pop()?;
        self.ends.pop();
        let start = self.ends.last().copied().unwrap_or_default();
        let cells = self.cells.drain(start..);
        Some(cells.zip(self.n.drain(start..)).collect())
    }

    /// Returns the rows in another order; `order` has the current index of each row to come.
    pub(super) fn reordered(&self, order: &[usize]) -> Self {
        let mut reordered = Self::default();
        for &at in order {
            let row = self.get(at);
            let entries = row.cells.iter().copied().zip(row.n.iter().copied());
            reordered.push(row.key.clone(), entries);
        }
        reordered
    }

    /// Replaces every key.
    pub(super) fn rename(&mut self, name: impl Fn(&Key) -> Key) {
        for key in &mut self.keys {
            *key = name(key);
        }
    }

    /// Returns the number of documents.
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    /// Iterates over the documents in order.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Row<'_>> {
        (0..self.len()).map(|at| self.get(at))
    }

    /// Returns a document by index.
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
