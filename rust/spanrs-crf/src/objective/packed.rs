//! State weights and items in the order in which the objective reads them.
//!
//! An evaluation reads the weights of all items of the corpus and writes their derivatives:
//! millions of small random accesses. Three measures reduce their cost:
//!
//! - Attributes are renumbered by *codes*, ordered by frequency, so that frequent attributes share
//!   cache lines and pages.
//! - Attributes with features for at least 1/8 of the labels (and at least 2) have dense, padded
//!   rows, which are added with vector instructions; other attributes have *runs* of (label,
//!   weight) in a sparse table, and those with a single weight need no index of runs.
//! - The codes of a token are sorted, so its dense rows come first, and the items that belong to a
//!   thread's range of codes are contiguous.
//!
//! For example, with 22 labels (rows of 24 entries) an attribute gets a dense row if it has
//! features with at least 3 labels. Attributes without features, and all but one attribute of a
//! group, have no code and are dropped from the tokens.

mod gradient;
mod items;
mod steps;

use std::cmp::Reverse;
use std::ops::Range;

use crate::aligned::Aligned;
use crate::corpus::Corpus;
use crate::error::Result;
use crate::features::Features;
use crate::simd::LANES;

use super::groups::Groups;

pub(crate) use gradient::{Gradient, Part};
use items::{NO_CODE, Store};

pub(crate) use items::{Items, Tokens};
pub(crate) use steps::Masks;

/// An attribute gets a dense row if it has weights for at least 1/8 of the padded row, and at least
/// 2.
const DENSE_FRACTION: usize = 8;

/// The items of a corpus by code, and the layout of the tables of weights and derivatives.
/// Immutable during training.
///
/// Codes below `rows` are rows of the dense table, other codes are runs of the sparse table, those
/// from `singles` with one weight. Each kind is ordered by descending frequency; ties are resolved to
/// the lower group.
#[derive(Clone, Debug)]
pub(crate) struct Packed {
    /// Length of a dense row: the number of labels, padded.
    width: usize,
    /// Number of dense rows; codes below it are dense.
    rows: usize,
    /// The group of attributes of each code.
    groups: Vec<u32>,
    /// The factor between a parameter and the sum of the weights of its group: `sqrt(n)` for `n`
    /// attributes (`parameter / sqrt(n)` is the weight of each attribute).
    scales: Vec<f64>,
    /// Number of attributes of the group of each code.
    sizes: Vec<f32>,
    /// The first code with a run of one weight.
    singles: usize,
    /// Start of each longer run in the sparse table; the last entry is the end of the last one.
    starts: Vec<u32>,
    /// The label of each sparse weight.
    labels: Vec<u32>,
    /// The items of the tokens.
    store: Store,
    /// Number of items of each code in the corpus.
    counts: Vec<u32>,
    /// Number of columns of the tokens' vectors, which remain in the corpus.
    dimension: usize,
}

/// One number for each state feature: dense rows and sparse runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table<T> {
    /// Dense rows, by code; labels without a feature and padding stay 0 in weights, and are ignored
    /// in derivatives.
    dense: Aligned<T>,
    /// Runs, by code.
    sparse: Vec<T>,
    /// Padded rows of the columns of vectors.
    vectors: Aligned<T>,
}

/// Orders codes: dense rows, runs, single weights, each by descending frequency. `labels` is the number
/// of labels that an attribute has features with, `count` that of its items, `width` the length of
/// padded rows.
pub(super) fn code_key(labels: usize, count: u32, width: usize) -> impl Ord + use<> {
    let kind = match labels {
        0 => 3,
        1 => 2,
        _ => u8::from(!is_dense(labels, width)),
    };
    (kind, Reverse(count))
}

/// Whether an attribute with features for a number of labels gets a dense row.
fn is_dense(labels: usize, width: usize) -> bool {
    labels >= (width / DENSE_FRACTION).max(2)
}

impl<T> Table<T> {
    /// Padded rows of the columns of vectors, (column, label).
    pub(crate) fn vectors(&self) -> &[T] {
        &self.vectors
    }
}

impl Packed {
    /// Packs the items of a corpus. `features` are the features of the groups, and `width` is the
    /// padded number of labels. Takes `O(items log(items per token))` time.
    ///
    /// # Errors
    /// [`crate::Error::Spill`] if items of the corpus are in a file that cannot be read, or if those of this layout
    /// cannot be written to another one.
    pub(crate) fn of(
        corpus: &Corpus,
        features: &Features,
        groups: &Groups,
        width: usize,
    ) -> Result<Self> {
        let counts = corpus.counts()?;
        let labels_of = |group: u32| features.state(group as usize).1;
        let count_of = |group: u32| counts[groups.attributes()[group as usize] as usize];
        let mut order: Vec<u32> = (0..groups.attributes().len() as u32)
            .filter(|&group| !labels_of(group).is_empty())
            .collect();
        order.sort_by_key(|&group| code_key(labels_of(group).len(), count_of(group), width));
        let rows = order.partition_point(|&group| is_dense(labels_of(group).len(), width));
        let singles = order.partition_point(|&group| labels_of(group).len() > 1);
        let (mut starts, mut labels) = (vec![0], Vec::new());
        for &group in &order[rows..singles] {
            labels.extend_from_slice(labels_of(group));
            starts.push(labels.len() as u32);
        }
        labels.extend(order[singles..].iter().flat_map(|&group| labels_of(group)));
        // One attribute represents its group.
        let mut code_of = vec![NO_CODE; corpus.attributes()];
        for (code, &group) in order.iter().enumerate() {
            code_of[groups.attributes()[group as usize] as usize] = code as u32;
        }
        Ok(Self {
            store: Store::of(corpus, &code_of, rows)?,
            width,
            rows,
            singles,
            starts,
            labels,
            counts: order.iter().map(|&group| count_of(group)).collect(),
            sizes: order
                .iter()
                .map(|&group| groups.size(group as usize) as f32)
                .collect(),
            scales: order
                .iter()
                .map(|&group| groups.scale(group as usize))
                .collect(),
            dimension: features.dimension(),
            groups: order,
        })
    }

    /// Whether items are read from a file.
    pub(crate) fn is_spilled(&self) -> bool {
        matches!(self.store, Store::File(_))
    }

    /// Length of a dense row.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// A table of zeros with this layout.
    pub(crate) fn table(&self) -> Table<f32> {
        Table {
            dense: Aligned::new(self.rows * self.width),
            sparse: vec![0.0; self.labels.len()],
            vectors: Aligned::new(self.dimension * self.width),
        }
    }

    /// Whether a table has the size of this layout.
    pub(crate) fn has_layout_of(&self, table: &Table<f32>) -> bool {
        table.dense.len() == self.rows * self.width
            && table.sparse.len() == self.labels.len()
            && table.vectors.len() == self.dimension * self.width
    }

    /// Copies parameters, in the order of the features, into a table of scores: each is multiplied
    /// by the scale of its group and rounded to 32 bits.
    pub(crate) fn pack(&self, features: &Features, weights: &[f64], table: &mut Table<f32>) {
        for (code, (&group, scale)) in self.groups.iter().zip(&self.scales).enumerate() {
            let (start, labels) = features.state(group as usize);
            let weights = &weights[start..][..labels.len()];
            match code.checked_sub(self.rows) {
                None => {
                    let row = &mut table.dense[code * self.width..][..self.width];
                    for (label, weight) in labels.iter().zip(weights) {
                        row[*label as usize] = (scale * weight) as f32;
                    }
                }
                Some(run) => {
                    let run = &mut table.sparse[self.run(run)];
                    for (own, weight) in run.iter_mut().zip(weights) {
                        *own = (scale * weight) as f32;
                    }
                }
            }
        }
        let weights = weights[features.vector_weights()].chunks_exact(features.labels().max(1));
        let rows = table.vectors.chunks_exact_mut(self.width);
        for (row, weights) in rows.zip(weights) {
            for (own, weight) in row.iter_mut().zip(weights) {
                *own = *weight as f32;
            }
        }
    }

    /// Multiplies values in the order of the features by the scales of their groups.
    pub(crate) fn multiply_by_scales(&self, features: &Features, values: &mut [f64]) {
        for (&group, scale) in self.groups.iter().zip(&self.scales) {
            let (start, labels) = features.state(group as usize);
            let values = &mut values[start..][..labels.len()];
            values.iter_mut().for_each(|value| *value *= scale);
        }
    }

    /// The range of a run in the sparse table; `run` is the code minus the number of dense rows.
    #[inline(always)]
    fn run(&self, run: usize) -> Range<usize> {
        match self.starts.get(run + 1) {
            Some(&end) => self.starts[run] as usize..end as usize,
            None => {
                let place = self.single(run + self.rows);
                place..place + 1
            }
        }
    }

    /// The place of a single weight in the sparse table.
    #[inline(always)]
    fn single(&self, code: usize) -> usize {
        code - self.singles + self.starts[self.singles - self.rows] as usize
    }

    /// Adds the weights of a token's items, times their values, to a padded row of label scores:
    /// dense rows first, in blocks of columns, then runs.
    #[inline(always)]
    pub(crate) fn add_scores(
        &self,
        tokens: Tokens,
        table: &Table<f32>,
        token: usize,
        row: &mut [f64],
    ) {
        let (codes, values) = tokens.items(token);
        let dense = tokens.dense(token);
        let rows = (&codes[..dense], values.get(..dense).unwrap_or(&[]));
        let mut column = 0;
        while row.len() - column >= 32 {
            self.add_rows::<32>(&table.dense, rows, column, row);
            column += 32;
        }
        if row.len() - column >= 16 {
            self.add_rows::<16>(&table.dense, rows, column, row);
            column += 16;
        }
        if row.len() - column >= LANES {
            self.add_rows::<LANES>(&table.dense, rows, column, row);
        }
        for (at, &code) in codes.iter().enumerate().skip(dense) {
            let value = values.get(at).copied().unwrap_or(1.0);
            for place in self.run(code as usize - self.rows) {
                row[self.labels[place] as usize] += value * f64::from(table.sparse[place]);
            }
        }
    }

    /// Adds `N` columns, from `column`, of dense rows; the sums stay in registers.
    #[inline(always)]
    fn add_rows<const N: usize>(
        &self,
        dense: &[f32],
        (codes, values): (&[u32], &[f64]),
        column: usize,
        row: &mut [f64],
    ) {
        let mut sums = [0.0; N];
        for (at, &code) in codes.iter().enumerate() {
            let weights = &dense[code as usize * self.width + column..][..N];
            match values.get(at) {
                None => {
                    for lane in 0..N {
                        sums[lane] += f64::from(weights[lane]);
                    }
                }
                Some(value) => {
                    for lane in 0..N {
                        sums[lane] += value * f64::from(weights[lane]);
                    }
                }
            }
        }
        for (score, sum) in row[column..][..N].iter_mut().zip(sums) {
            *score += sum;
        }
    }

    /// Divides the codes into at most `n` ranges with similar amounts of work, in order; items in a file are not
    /// divided.
    pub(crate) fn divide(&self, n: usize) -> CodeRanges {
        let dense = 2 + self.width as u64 / LANES as u64;
        let work = |code: usize| match code < self.rows {
            true => dense * u64::from(self.counts[code]),
            false => 3 * u64::from(self.counts[code]),
        };
        let codes = self.counts.len();
        let all: u64 = (0..codes).map(work).sum::<u64>();
        let n = if self.is_spilled() { 1 } else { n };
        let (mut boundaries, mut sum) = (Vec::new(), 0);
        // No range is empty, unless there are no codes.
        for code in 0..codes.saturating_sub(1) {
            sum += work(code);
            if sum * n as u64 >= all * (boundaries.len() as u64 + 1) && boundaries.len() + 1 < n {
                boundaries.push(code + 1);
            }
        }
        let offsets = match &self.store {
            Store::Memory(items) => items.offsets(&boundaries),
            Store::File(_) => Vec::new(),
        };
        CodeRanges {
            codes,
            offsets,
            boundaries,
        }
    }
}

/// Consecutive ranges of codes. The items of a token are sorted by code, so each range has a contiguous part
/// of them.
#[derive(Clone, Debug)]
pub(crate) struct CodeRanges {
    /// Number of codes.
    codes: usize,
    /// The first code of each range except the first one.
    boundaries: Vec<usize>,
    /// For each boundary and token, the offset in the token's items of the first item at or after the
    /// boundary.
    offsets: Vec<Vec<u32>>,
}

/// One of several ranges of codes.
#[derive(Clone, Debug)]
pub(crate) struct CodeRange<'a> {
    /// The end is exclusive.
    codes: Range<usize>,
    /// By token, the offset of the first item in the range; None for 0.
    starts: Option<&'a [u32]>,
    /// By token, the offset after the last item in the range; None for the number of items.
    ends: Option<&'a [u32]>,
}

impl CodeRanges {
    /// The ranges, at least one.
    fn iter(&self) -> impl Iterator<Item = CodeRange<'_>> {
        let bound = |at: usize| self.boundaries.get(at).copied();
        let offsets = |at: usize| self.offsets.get(at).map(Vec::as_slice);
        (0..=self.boundaries.len()).map(move |at| {
            let before = at.checked_sub(1);
            CodeRange {
                codes: before.and_then(bound).unwrap_or(0)..bound(at).unwrap_or(self.codes),
                starts: before.and_then(offsets),
                ends: offsets(at),
            }
        })
    }
}

impl CodeRange<'_> {
    /// The items of a token in this range, as indices into its `len` items.
    #[inline(always)]
    fn items(&self, token: usize, len: usize) -> Range<usize> {
        let start = self.starts.map_or(0, |starts| starts[token] as usize);
        start..self.ends.map_or(len, |ends| ends[token] as usize)
    }
}
