//! Sparse rows of statistics: one row for each document.

use foldhash::HashMap;

/// A statistic of a document. Sums over documents determine all measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Key {
    /// Positions with these labels of the first and of the second annotator of a pair.
    Cell { pair: u32, first: u32, second: u32 },
    /// Spans of a type by both annotators of a pair.
    Spans { pair: u32, ty: u32 },
    /// Matched equal spans of a type.
    Exact { pair: u32, ty: u32 },
    /// Matched overlapping spans of a type.
    Overlap { pair: u32, ty: u32 },
    /// Matched spans with equal bounds, of any types.
    Untyped { pair: u32 },
    /// Positions of documents with this number of annotators.
    Positions { annotators: u32 },
    /// Positions and pairs of annotators with these two labels, the smaller label first.
    Coincidence {
        annotators: u32,
        first: u32,
        second: u32,
    },
    /// Units of a type and length.
    Units { ty: u32, length: u32 },
    /// Gaps between units of a type; annotators without units of the type are not counted, and the
    /// whole length of the document is subtracted for all others.
    Gaps { ty: u32, length: u32 },
    /// Answers for documents of this length: gaps of types without units.
    Answers { length: u32 },
    /// Sum of squared differences between the units of pairs of annotators.
    Difference { ty: u32, annotators: u32 },
}

/// Numbers the statistics that occur.
#[derive(Debug, Default)]
pub(super) struct Columns {
    /// Column by statistic.
    numbers: HashMap<Key, u32>,
    /// Statistics by column.
    keys: Vec<Key>,
}

impl Columns {
    /// Returns the column of a statistic.
    pub(super) fn number(&mut self, key: Key) -> u32 {
        *self.numbers.entry(key).or_insert_with(|| {
            self.keys.push(key);
            self.keys.len() as u32 - 1
        })
    }

    /// Returns the statistics by column.
    pub(super) fn keys(&self) -> &[Key] {
        &self.keys
    }
}

/// Values by column. Values are integers, so that sums are exact up to 2^53.
pub(super) type Row = Box<[(u32, f64)]>;

/// Collects the values of a row.
#[derive(Debug, Default)]
pub(super) struct RowBuilder {
    /// Values by column; a column may occur several times.
    values: Vec<(u32, f64)>,
}

impl RowBuilder {
    /// Adds to a statistic.
    pub(super) fn add(&mut self, columns: &mut Columns, key: Key, value: f64) {
        if value != 0.0 {
            self.values.push((columns.number(key), value));
        }
    }

    /// Returns the row, and starts an empty one.
    pub(super) fn finish(&mut self) -> Row {
        self.values.sort_unstable_by_key(|(column, _)| *column);
        self.values.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 += next.1;
            }
            is_same
        });
        let row = self.values.as_slice().into();
        self.values.clear();
        row
    }
}
