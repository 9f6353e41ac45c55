//! Per-document counts, as compressed sparse rows.
//!
//! Memory is proportional to the cells that occur in each document; there is no dense table of
//! documents by cells. Equal rows are stored once, because most sentences of a large corpus have
//! the same counts as some other sentence: a document takes 4 bytes plus its key, a distinct row 12
//! bytes per cell.

use hashbrown::HashTable;
use spanrs_base::Ends;

use super::schema::CellId;

/// Identifies a document within a corpus, and across the systems that are compared.
///
/// Keys are ordered: numbers before names, names by bytes.
///
/// ```
/// use spanrs_eval::outcomes::Key;
/// let mut keys = [Key::Name("a.txt".into()), Key::Number(10), Key::Number(9)];
/// keys.sort();
/// assert_eq!(keys.map(|key| key.to_string()), ["9", "10", "a.txt"]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The index in a corpus, from 0.
    Number(u64),
    /// The name, such as a path.
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
    /// The count of each cell in `cells`, at least 1.
    pub n: &'a [u64],
}

/// The counts of all documents, in the order in which they ended.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    /// The key of each document.
    keys: Vec<Key>,
    /// For each document, the number of its row in `distinct`.
    numbers: Vec<u32>,
    /// The distinct rows.
    distinct: DistinctRows,
}

/// Distinct rows; some may be left over from removed documents.
#[derive(Clone, Debug, Default)]
pub(super) struct DistinctRows {
    /// The ends of the rows in `cells` and `n`.
    ends: Ends,
    /// Cells of all rows.
    cells: Vec<CellId>,
    /// Counts of all rows.
    n: Vec<u64>,
    /// Rows by hash: (hash, number of the row). The hash is needed again when the table grows.
    index: HashTable<(u32, u32)>,
}

impl DistinctRows {
    /// Returns the number of a row, adding it if it is new. Each cell must occur at most once in
    /// `entries`, with a count above 0, and cells must be sorted.
    fn number_of(&mut self, entries: impl IntoIterator<Item = (CellId, u64)>) -> u32 {
        let start = self.cells.len();
        let mut hash = 0;
        for (cell, n) in entries {
            self.cells.push(cell);
            self.n.push(n);
            hash = mixed(hash, cell, n);
        }
        let hash = (hash >> 32) as u32;
        let row = (&self.cells[start..], &self.n[start..]);
        let is_row = |&(of, number): &(u32, u32)| of == hash && self.get(number) == row;
        if let Some(&(_, number)) = self.index.find(spread(hash), is_row) {
            self.cells.truncate(start);
            self.n.truncate(start);
            return number;
        }
        let number = self.ends.len() as u32;
        self.ends.push(self.cells.len());
        self.index
            .insert_unique(spread(hash), (hash, number), |&(hash, _)| spread(hash));
        number
    }

    /// Returns the number of rows.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the cells and counts of a row by number.
    pub(super) fn get(&self, number: u32) -> (&[CellId], &[u64]) {
        let range = self.ends.range(number as usize);
        (&self.cells[range.clone()], &self.n[range])
    }

    /// Iterates over the cells and counts of the rows, by number.
    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = (&[CellId], &[u64])> {
        (0..self.len()).map(|number| self.get(number as u32))
    }
}

/// Multiplier of hashes: 2^64 divided by the golden ratio.
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// Adds an entry to the hash of a row; the result is the same in every run. Folds the 128-bit
/// product as foldhash does, but without the overhead for slices, because rows are short.
fn mixed(hash: u64, cell: CellId, n: u64) -> u64 {
    let entry = (hash ^ u64::from(cell).rotate_left(32) ^ n).wrapping_add(FACTOR);
    let product = u128::from(entry) * u128::from(FACTOR);
    (product >> 64) as u64 ^ product as u64
}

/// Spreads a hash over the bits that the table uses.
fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(FACTOR)
}

impl Rows {
    /// Appends a document. Each cell must occur at most once in `entries`, with a count above 0,
    /// and cells must be sorted.
    pub(super) fn push(&mut self, key: Key, entries: impl IntoIterator<Item = (CellId, u64)>) {
        let number = self.distinct.number_of(entries);
        self.keys.push(key);
        self.numbers.push(number);
    }

    /// Appends all documents of `other` under the keys that `key` returns; `cells` are the numbers
    /// of its cells here.
    pub(super) fn extend(&mut self, other: &Self, cells: &[CellId], key: impl Fn(&Key) -> Key) {
        let mut entries: Vec<(CellId, u64)> = Vec::new();
        let numbers = other.distinct.iter().map(|(own, n)| {
            entries.clear();
            let own = own.iter().map(|&cell| cells[cell as usize]);
            entries.extend(own.zip(n.iter().copied()));
            entries.sort_unstable();
            self.distinct.number_of(entries.iter().copied())
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

    /// Returns the rows in another order; `order` contains the current index of each row in the new
    /// order.
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

    /// Returns for each document the number of its row in [`Rows::distinct`].
    pub(super) fn numbers(&self) -> &[u32] {
        &self.numbers
    }

    /// Returns the distinct rows, possibly including rows that no document has.
    pub(super) fn distinct(&self) -> &DistinctRows {
        &self.distinct
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_rows_are_stored_once() {
        let mut rows = Rows::default();
        for document in 0..10_000 {
            let content = document % 700;
            rows.push(Key::Number(document), [(0, 1), (7, content + 1)]);
        }
        assert_eq!((rows.len(), rows.distinct().len()), (10_000, 700));
        assert_eq!(rows.get(9_123).n, [1, 9_123 % 700 + 1]);
        assert_eq!(rows.get(9_123).key, &Key::Number(9_123));
        let last = rows.pop().unwrap();
        assert_eq!(last, [(0, 1), (7, 9_999 % 700 + 1)]);
        // Cells of another table: its cell 0 has the number 7 here, and its cell 7 the number 0.
        let mut both = rows.clone();
        let cells: Vec<CellId> = (0..8).rev().collect();
        both.extend(&rows, &cells, Key::clone);
        assert_eq!((both.len(), both.distinct().len()), (2 * 9_999, 1_399));
        assert_eq!(both.get(9_999 + 5).cells, [0, 7]);
        assert_eq!(both.get(9_999 + 5).n, [6, 1]);
    }
}
