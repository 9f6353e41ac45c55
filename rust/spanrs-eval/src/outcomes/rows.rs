//! Counts of documents, as compressed sparse rows.
//!
//! Memory follows what occurs in each document; there is no table of documents by cells. Equal rows
//! are stored once, because most sentences of a large corpus have the counts of some other sentence:
//! a document takes its key and 4 bytes, a distinct row 12 bytes for each of its cells.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

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
    /// By document: the number of its row in `distinct`.
    numbers: Vec<u32>,
    /// Rows, each once.
    distinct: DistinctRows,
}

/// Rows that differ from each other; some may be left over from documents that were removed.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctRows {
    /// By row: its end in `cells` and `n`. A row starts where the one before it ends.
    ends: Vec<usize>,
    /// Cells of all rows.
    cells: Vec<CellId>,
    /// Counts of all rows.
    n: Vec<u64>,
    /// Rows by hash, with a fixed seed.
    index: HashTable<u32>,
}

impl DistinctRows {
    /// Returns the number of a row, adding it if it is new. Each cell must occur at most once in
    /// `entries`, with a count above 0, and cells must be sorted.
    fn number(&mut self, entries: impl IntoIterator<Item = (CellId, u64)>) -> u32 {
        let start = self.cells.len();
        for (cell, n) in entries {
            self.cells.push(cell);
            self.n.push(n);
        }
        let hash = hash(&self.cells[start..], &self.n[start..]);
        let row = (&self.cells[start..], &self.n[start..]);
        let known = self.index.find(hash, |&number| self.get(number) == row);
        if let Some(&number) = known {
            self.cells.truncate(start);
            self.n.truncate(start);
            return number;
        }
        let number = self.ends.len() as u32;
        self.ends.push(self.cells.len());
        let (ends, cells, n) = (&self.ends, &self.cells, &self.n);
        self.index.insert_unique(hash, number, |&number| {
            let range = range(ends, number);
            self::hash(&cells[range.clone()], &n[range])
        });
        number
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the cells and counts of a row by number.
    pub(super) fn get(&self, number: u32) -> (&[CellId], &[u64]) {
        let range = range(&self.ends, number);
        (&self.cells[range.clone()], &self.n[range])
    }

    /// Iterates over the cells and counts of the rows, by number.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&[CellId], &[u64])> {
        (0..self.len()).map(|number| self.get(number as u32))
    }
}

/// Returns where a row is, from the ends of rows.
fn range(ends: &[usize], number: u32) -> std::ops::Range<usize> {
    let at = number as usize;
    at.checked_sub(1).map_or(0, |before| ends[before])..ends[at]
}

/// Returns the hash of a row; the same in every run.
fn hash(cells: &[CellId], n: &[u64]) -> u64 {
    FixedState::with_seed(0).hash_one((cells, n))
}

impl Rows {
    /// Appends a document. Each cell must occur at most once in `entries`, with a count above 0,
    /// and cells must be sorted.
    pub(super) fn push(&mut self, key: Key, entries: impl IntoIterator<Item = (CellId, u64)>) {
        let number = self.distinct.number(entries);
        self.keys.push(key);
        self.numbers.push(number);
    }

    /// Appends all documents of `other`, whose cells have the numbers `cells` here, under the keys
    /// that `key` returns.
    pub(super) fn extend(&mut self, other: &Self, cells: &[CellId], key: impl Fn(&Key) -> Key) {
        let mut entries: Vec<(CellId, u64)> = Vec::new();
        let numbers = other.distinct.iter().map(|(own, n)| {
            entries.clear();
            let own = own.iter().map(|&cell| cells[cell as usize]);
            entries.extend(own.zip(n.iter().copied()));
            entries.sort_unstable();
            self.distinct.number(entries.iter().copied())
        });
        let numbers: Vec<u32> = numbers.collect();
        self.keys.extend(other.keys.iter().map(key));
        let added = other.numbers.iter().map(|&number| numbers[number as usize]);
        self.numbers.extend(added);
    }

    /// Removes the last document and returns its cells and counts; None if there is none.
    pub(super) fn pop(&mut self) -> Option<Vec<(CellId, u64)>> {
        self.keys.pop()?;
        let (cells, n) = self.distinct.get(self.numbers.pop()?);
        Some(cells.iter().copied().zip(n.iter().copied()).collect())
    }

    /// Returns the rows in another order; `order` has the current index of each row to come.
    pub(super) fn reordered(self, order: &[usize]) -> Self {
        Self {
            keys: order.iter().map(|&at| self.keys[at].clone()).collect(),
            numbers: order.iter().map(|&at| self.numbers[at]).collect(),
            distinct: self.distinct,
        }
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
        let (cells, n) = self.distinct.get(self.numbers[at]);
        Row {
            key: &self.keys[at],
            cells,
            n,
        }
    }

    /// Returns the numbers of the rows of the documents among [`Rows::distinct`].
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Returns the rows, each once, and perhaps some that no document has.
    pub(super) fn distinct(&self) -> &DistinctRows {
        &self.distinct
    }
}
