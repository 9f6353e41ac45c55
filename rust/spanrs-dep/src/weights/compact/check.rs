//! Parts of the compact table in files, and their check.

use super::bucket::{DENSE, LONG, MAX_PAYLOAD, PADDING, split};
use super::levels::is_level;
use super::{CompactTable, LEN_BYTES, Levels, MULTIPLIERS, cell_bytes, multiplier};
use crate::weights::dense::DenseRows;

/// The content of a table, as stored in files.
pub(crate) struct CompactParts {
    /// The buckets.
    pub(crate) buckets: Vec<u8>,
    /// The integers of the positive levels.
    pub(crate) levels: Vec<i32>,
    /// Rows of more than 16 bytes.
    pub(crate) long: Vec<u8>,
    /// Dense rows.
    pub(crate) dense: Vec<i16>,
    /// Number of the hash multiplier.
    pub(crate) hash: u32,
}

impl CompactTable {
    /// Returns the content for a file.
    pub(crate) fn parts(&self) -> CompactParts {
        CompactParts {
            buckets: self.buckets[..self.buckets.len() - PADDING].to_vec(),
            levels: self.levels.magnitudes().to_vec(),
            long: self.long.clone(),
            dense: self.dense.numbers().collect(),
            hash: self.hash,
        }
    }

    /// Returns a table after checking everything that lookups rely on: levels are valid, payloads are inside their
    /// buckets, places of rows exist, and classes are below `classes` and increase within a row. Takes linear time.
    ///
    /// # Errors
    /// A message that names the part.
    pub(in crate::weights) fn checked(
        parts: CompactParts,
        classes: usize,
    ) -> Result<Self, &'static str> {
        let levels = Levels::of(&parts.levels).ok_or("the levels are invalid")?;
        let dense = DenseRows::of_numbers(&parts.dense, classes).ok_or("dense rows are invalid")?;
        let long = long_starts(&parts.long, classes).ok_or("long rows are invalid")?;
        let is_entry = |payload: &[u8]| match *payload {
            [a, b, c, d, kind] => {
                let place = u32::from_le_bytes([a, b, c, d]);
                match kind {
                    LONG => long.binary_search(&place).is_ok(),
                    DENSE => (place as usize) < dense.len(),
                    _ => false,
                }
            }
            _ => payload.len() <= MAX_PAYLOAD && is_row(payload, classes),
        };
        let (mut starts, mut len, mut rest) = (Vec::new(), 0, &parts.buckets[..]);
        while !rest.is_empty() {
            let start = u32::try_from(parts.buckets.len() - rest.len());
            let Some((mut payloads, after)) = split(rest) else {
                return Err("the buckets are invalid");
            };
            if !payloads.all(is_entry) {
                return Err("the buckets are invalid");
            }
            starts.push(start.map_err(|_| "the buckets are too large")?);
            len += usize::from(rest[0]);
            rest = after;
        }
        if starts.is_empty() {
            return Err("there are no buckets");
        }
        if parts.hash >= MULTIPLIERS {
            return Err("the hash function is unknown");
        }
        starts.shrink_to_fit();
        let mut buckets = parts.buckets;
        buckets.reserve_exact(PADDING);
        buckets.resize(buckets.len() + PADDING, 0);
        Ok(Self {
            buckets,
            starts,
            len,
            levels,
            long: parts.long,
            dense,
            hash: parts.hash,
            multiplier: multiplier(parts.hash),
            classes,
        })
    }
}

/// Returns true if bytes are at least one cell, with increasing classes below `classes`, and levels.
fn is_row(bytes: &[u8], classes: usize) -> bool {
    let cells = bytes.chunks_exact(cell_bytes(classes));
    let is_whole = cells.remainder().is_empty() && !bytes.is_empty();
    let mut next = 0;
    is_whole
        && cells.into_iter().all(|cell| {
            let (class, level) = match *cell {
                [class, level] => (usize::from(class), level),
                [low, high, level] => (usize::from(u16::from_le_bytes([low, high])), level),
                _ => return false,
            };
            let is_valid = (next..classes).contains(&class) && is_level(level);
            next = class + 1;
            is_valid
        })
}

/// Returns the offsets of the long rows; None if the bytes are not a sequence of valid rows.
fn long_starts(bytes: &[u8], classes: usize) -> Option<Vec<u32>> {
    let (mut starts, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        starts.push(u32::try_from(at).ok()?);
        let len = u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]);
        let end = at + LEN_BYTES + usize::from(len) * cell_bytes(classes);
        if !is_row(bytes.get(at + LEN_BYTES..end)?, classes) {
            return None;
        }
        at = end;
    }
    Some(starts)
}
