//! Building of the compact table from averages.

use std::cmp::Reverse;

use super::bucket::{BYTES, Bucket, DENSE, INLINE, LONG, MAX_PAYLOAD, MAX_PROBES, bytes_of};
use super::{CompactTable, Levels, MULTIPLIERS, cell_bytes, home_and_fingerprint, multiplier};
use crate::averages::Averages;
use crate::weights::dense::DenseRows;

/// Minimum number of weights of a dense row.
const MIN_DENSE: usize = 12;
/// Minimum share of the classes in a dense row is one in this number.
const DENSE_SHARE: usize = 3;
/// Share of the bytes of buckets that are used: more takes longer searches, less takes more memory.
const FILL: f64 = 0.92;

/// A row of integers that is to be stored.
struct Row<'a> {
    feature: u64,
    kind: u8,
    cells: &'a [(u32, i32)],
    /// What the bucket contains.
    payload: Vec<u8>,
}

/// A bucket while the table is built: its entries as (row, fingerprint, distance from the home bucket).
#[derive(Clone, Default)]
struct Draft {
    entries: Vec<(usize, u16, usize)>,
    /// Number of payload bytes.
    payloads: usize,
    /// Number of further buckets to search for features with this home bucket.
    probes: usize,
    /// Largest distance to an entry in a later bucket whose search passes this bucket.
    passed: usize,
}

/// Buckets that contain all rows except `dropped`.
struct Placed {
    drafts: Vec<Draft>,
    dropped: usize,
}

impl CompactTable {
    /// Builds the table of weights multiplied by `scale` and rounded to levels. Rows are stored in the order of their
    /// sizes, the largest first, and then in the order of the averages: later rows are stored farther from their home
    /// bucket, so that averages should be sorted by use.
    pub(in crate::weights) fn build(averages: &Averages, classes: usize, scale: f64) -> Self {
        let cells: Vec<Vec<(u32, i32)>> =
            averages.rows().map(|(_, row)| scaled(row, scale)).collect();
        let is_dense = |row: &[(u32, i32)]| row.len() >= MIN_DENSE.max(classes / DENSE_SHARE);
        let sparse = cells.iter().filter(|row| !is_dense(row)).flatten();
        let sizes = sparse.map(|(_, weight)| weight.abs());
        let levels = Levels::between(sizes.clone().min().unwrap_or(1), sizes.max().unwrap_or(1));
        let (mut long, mut dense) = (Vec::new(), DenseRows::new(classes));
        let mut rows: Vec<Row> = Vec::new();
        for ((feature, _), cells) in averages.rows().zip(&cells) {
            let bytes = match is_dense(cells) {
                true => Vec::new(),
                false => cell_list(cells, &levels, classes),
            };
            let (kind, payload) = match (is_dense(cells), bytes.len()) {
                (true, _) => (DENSE, dense.push(cells).to_le_bytes().to_vec()),
                (false, 0) => continue,
                (false, 1..=MAX_PAYLOAD) => (INLINE, bytes),
                (false, _) => {
                    let place = long.len() as u32;
                    long.extend((cells.len() as u16).to_le_bytes());
                    long.extend(bytes);
                    (LONG, place.to_le_bytes().to_vec())
                }
            };
            rows.push(Row {
                feature,
                kind,
                cells,
                payload,
            });
        }
        rows.sort_by_key(|row| Reverse((row.payload.len(), row.cells.len())));
        let (hash, placed) = place_best(&rows);
        let buckets = placed.drafts.iter().map(|draft| draft.freeze(&rows));
        Self {
            buckets: buckets.collect(),
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
    let total: usize = rows
        .iter()
        .map(|row| bytes_of(1, row.payload.len()) - 2)
        .sum();
    let room = (BYTES - bytes_of(0, 0)) as f64 * FILL;
    let mut buckets = (total as f64 / room) as usize + 1;
    loop {
        let mut best: Option<(u32, Placed)> = None;
        for hash in 0..MULTIPLIERS {
            let Some(placed) = place(rows, buckets, multiplier(hash)) else {
                continue;
            };
            let is_perfect = placed.dropped == 0;
            if best
                .as_ref()
                .is_none_or(|(_, best)| placed.dropped < best.dropped)
            {
                best = Some((hash, placed));
            }
            if is_perfect {
                break;
            }
        }
        match best {
            Some(best) => return best,
            None => buckets += buckets / 32 + 1,
        }
    }
}

/// Places rows; None if an entry would be too far from its home bucket.
fn place(rows: &[Row], buckets: usize, multiplier: u64) -> Option<Placed> {
    let mut drafts = vec![Draft::default(); buckets];
    let mut dropped = 0;
    for (number, row) in rows.iter().enumerate() {
        let (home, fingerprint) = home_and_fingerprint(row.feature, multiplier, buckets);
        let mut path =
            (0..=MAX_PROBES.min(buckets - 1)).map(|distance| (home + distance) % buckets);
        // The search for a feature ends at the first entry with its fingerprint.
        let goal = path.find_map(|at| {
            let draft = &drafts[at];
            let fits = draft.fits(row.payload.len());
            let is_taken = draft.entries.iter().any(|entry| entry.1 == fingerprint)
                || fits && is_passed(&drafts, at, fingerprint);
            (is_taken || fits).then_some((at, is_taken))
        });
        let (at, is_taken) = goal?;
        if is_taken {
            dropped += 1;
            continue;
        }
        let distance = (at + buckets - home) % buckets;
        for passed in 0..distance {
            let draft = &mut drafts[(home + passed) % buckets];
            draft.passed = draft.passed.max(distance - passed);
        }
        drafts[home].probes = drafts[home].probes.max(distance);
        drafts[at].entries.push((number, fingerprint, distance));
        drafts[at].payloads += row.payload.len();
    }
    Some(Placed { drafts, dropped })
}

/// Returns true if the search for an entry with this fingerprint in a later bucket passes the bucket `at`: an entry
/// with the same fingerprint in this bucket would be found instead.
fn is_passed(drafts: &[Draft], at: usize, fingerprint: u16) -> bool {
    (1..=drafts[at].passed).any(|ahead| {
        let later = &drafts[(at + ahead) % drafts.len()];
        let mut entries = later.entries.iter();
        entries.any(|&(_, own, distance)| own == fingerprint && distance >= ahead)
    })
}

impl Draft {
    /// Returns true if a payload of `len` bytes fits.
    fn fits(&self, len: usize) -> bool {
        bytes_of(self.entries.len() + 1, self.payloads + len) <= BYTES
    }

    fn freeze(&self, rows: &[Row]) -> Bucket {
        let entries = self.entries.iter().map(|&(row, fingerprint, _)| {
            let row = &rows[row];
            (fingerprint, row.kind, &row.payload[..])
        });
        Bucket::of(&entries.collect::<Vec<_>>(), self.probes)
    }
}
