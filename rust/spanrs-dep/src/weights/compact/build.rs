//! Building of the compact table from averages.

use std::cmp::Reverse;

use super::bucket::{
    DENSE, LONG, MAX_ENTRIES, MAX_PAYLOAD, MAX_PAYLOADS, PADDING, push, reference,
};
use super::{CompactTable, Levels, MULTIPLIERS, bucket_and_fingerprint, cell_bytes, multiplier};
use crate::averages::Averages;
use crate::weights::dense::DenseRows;

/// Minimum number of weights of a dense row.
const MIN_DENSE: usize = 12;
/// Minimum share of the classes in a dense row is one in this number.
const DENSE_SHARE: usize = 3;
/// Mean number of entries in a bucket: fewer entries take more memory for the starts of buckets, more entries touch
/// more cache lines.
const PER_BUCKET: usize = 5;

/// A row that is to be stored.
struct Row {
    feature: u64,
    /// Number of weights.
    len: usize,
    /// What the bucket contains.
    payload: Vec<u8>,
}

/// The rows of each bucket, as (row, fingerprint).
struct Placed {
    buckets: Vec<Vec<(usize, u16)>>,
    /// Number of rows that are in no bucket.
    dropped: usize,
}

impl CompactTable {
    /// Builds the table of weights multiplied by `scale` and rounded to levels. Of two rows that cannot both be stored
    /// the one with more weights is, or else the first.
    pub(in crate::weights) fn build(averages: &Averages, classes: usize, scale: f64) -> Self {
        let cells: Vec<Vec<(u32, i32)>> =
            averages.rows().map(|(_, row)| scaled(row, scale)).collect();
        let is_dense = |row: &[(u32, i32)]| row.len() >= MIN_DENSE.max(classes / DENSE_SHARE);
        let sparse = cells.iter().filter(|row| !is_dense(row)).flatten();
        let sizes = sparse.map(|(_, weight)| weight.abs());
        let levels = Levels::between(sizes.clone().min().unwrap_or(1), sizes.max().unwrap_or(1));
        let (mut long, mut dense) = (Vec::new(), DenseRows::new(classes));
        let mut rows = Vec::new();
        for ((feature, _), cells) in averages.rows().zip(&cells) {
            let bytes = match is_dense(cells) {
                true => Vec::new(),
                false => cell_list(cells, &levels, classes),
            };
            let payload = match (is_dense(cells), bytes.len()) {
                (true, _) => reference(DENSE, dense.push(cells)),
                (false, 0) => continue,
                (false, 1..=MAX_PAYLOAD) => bytes,
                (false, _) => {
                    let place = long.len() as u32;
                    long.extend((cells.len() as u16).to_le_bytes());
                    long.extend(bytes);
                    reference(LONG, place)
                }
            };
            rows.push(Row {
                feature,
                len: cells.len(),
                payload,
            });
        }
        rows.sort_by_key(|row| Reverse(row.len));
        let (hash, placed) = place_best(&rows);
        let (buckets, starts) = placed.freeze(&rows);
        Self {
            buckets,
            starts,
            levels,
            long,
            dense,
            hash,
            multiplier: multiplier(hash),
            classes,
            len: rows.len() - placed.dropped,
        }
    }
}

/// Returns weights as integers, without those that become 0.
fn scaled(row: &[(u32, f64)], scale: f64) -> Vec<(u32, i32)> {
    let row = row
        .iter()
        .map(|&(class, weight)| (class, (weight * scale).round() as i32));
    row.filter(|(_, weight)| *weight != 0).collect()
}

/// Returns the cells of a row as bytes.
fn cell_list(row: &[(u32, i32)], levels: &Levels, classes: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(row.len() * cell_bytes(classes));
    for &(class, weight) in row {
        bytes.extend(&class.to_le_bytes()[..cell_bytes(classes) - 1]);
        bytes.push(levels.nearest(weight));
    }
    bytes
}

/// Places rows with the hash multiplier that drops the fewest, the first of several; returns its number.
fn place_best(rows: &[Row]) -> (u32, Placed) {
    let mut best = (0, place(rows, multiplier(0)));
    for hash in 1..MULTIPLIERS {
        if best.1.dropped == 0 {
            break;
        }
        let placed = place(rows, multiplier(hash));
        if placed.dropped < best.1.dropped {
            best = (hash, placed);
        }
    }
    best
}

/// Places rows, the first ones preferably.
fn place(rows: &[Row], multiplier: u64) -> Placed {
    let buckets = rows.len() / PER_BUCKET + 1;
    let mut placed = Placed {
        buckets: vec![Vec::new(); buckets],
        dropped: 0,
    };
    let mut payloads = vec![0; buckets];
    for (number, row) in rows.iter().enumerate() {
        let (at, fingerprint) = bucket_and_fingerprint(row.feature, multiplier, buckets);
        let entries = &mut placed.buckets[at];
        let is_taken = entries.iter().any(|&(_, own)| own == fingerprint);
        let bytes = payloads[at] + row.payload.len();
        if is_taken || entries.len() == MAX_ENTRIES || bytes > MAX_PAYLOADS {
            placed.dropped += 1;
            continue;
        }
        payloads[at] = bytes;
        entries.push((number, fingerprint));
    }
    placed
}

impl Placed {
    /// Returns the bytes of the buckets and their starts.
    fn freeze(&self, rows: &[Row]) -> (Vec<u8>, Vec<u32>) {
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for entries in &self.buckets {
            let entries = entries.iter();
            let entries = entries.map(|&(row, own)| (own, &rows[row].payload[..]));
            starts.push(bytes.len() as u32);
            push(&entries.collect::<Vec<_>>(), &mut bytes);
        }
        bytes.resize(bytes.len() + PADDING, 0);
        (bytes, starts)
    }
}
