//! Derivatives of the state weights.

use std::ops::Range;

use super::{Packed, Table};
use crate::aligned::Aligned;
use crate::features::Features;
use crate::simd::{LANES, add_multiple};

/// Dense rows of codes with fewer items are summed in 32 bits.
const FREQUENT: u32 = 256;

/// Number of tokens whose derivatives are summed in 32 bits before the sums of frequent codes are
/// added to those in 64 bits.
const PERIOD: usize = 4096;

/// Derivatives of the state weights. The sums have 32 bits, so that half as much memory is written
/// as in 64 bits; for frequent codes they are sums over a period.
#[derive(Clone, Debug)]
pub(crate) struct Gradient {
    /// Sums over the tokens, or over those of the period.
    sums: Table<f32>,
    /// Dense rows of frequent codes: sums over all tokens before the period.
    dense: Aligned<f64>,
    /// Runs of all codes, which are short: sums over all tokens before the period.
    sparse: Vec<f64>,
}

/// The derivatives of a range of codes, owned by one thread at a time.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    /// The codes; the end is exclusive.
    codes: Range<usize>,
    /// Dense rows of the codes, and the totals of those that are frequent.
    dense: &'a mut [f32],
    dense_totals: &'a mut [f64],
    /// Runs of the codes, and their totals.
    sparse: &'a mut [f32],
    sparse_totals: &'a mut [f64],
    /// Index in the sparse table of the first entry of `sparse`.
    first: usize,
    /// Number of tokens of the period so far.
    tokens: usize,
}

impl Gradient {
    /// Derivatives of 0.
    pub(crate) fn new(packed: &Packed) -> Self {
        let frequent = packed.counts[..packed.rows].partition_point(|&count| count >= FREQUENT);
        Self {
            sums: packed.table(),
            dense: Aligned::new(frequent * packed.width),
            sparse: vec![0.0; packed.labels.len()],
        }
    }

    /// Splits the derivatives at the boundaries of contiguous code ranges, which begin at 0, so that
    /// threads can write to the parts concurrently. All derivatives become 0.
    pub(crate) fn split<'a>(
        &'a mut self,
        packed: &Packed,
        ranges: &[Range<usize>],
    ) -> Vec<Part<'a>> {
        let (mut dense, mut dense_totals) = (&mut *self.sums.dense, &mut *self.dense);
        let (mut sparse, mut sparse_totals) = (&mut *self.sums.sparse, &mut *self.sparse);
        dense.fill(0.0);
        dense_totals.fill(0.0);
        sparse.fill(0.0);
        sparse_totals.fill(0.0);
        let mut parts = Vec::new();
        for codes in ranges {
            let rows = codes.start.min(packed.rows)..codes.end.min(packed.rows);
            let runs = codes.start.max(packed.rows)..codes.end.max(packed.rows);
            let first = packed.starts[runs.start - packed.rows] as usize;
            let weights = packed.starts[runs.end - packed.rows] as usize - first;
            let values = rows.len() * packed.width;
            let totals = values.min(dense_totals.len());
            let mut part = Part {
                codes: codes.clone(),
                dense: &mut [],
                dense_totals: &mut [],
                sparse: &mut [],
                sparse_totals: &mut [],
                first,
                tokens: 0,
            };
            (part.dense, dense) = dense.split_at_mut(values);
            (part.dense_totals, dense_totals) = dense_totals.split_at_mut(totals);
            (part.sparse, sparse) = sparse.split_at_mut(weights);
            (part.sparse_totals, sparse_totals) = sparse_totals.split_at_mut(weights);
            parts.push(part);
        }
        parts
    }

    /// Copies the derivatives into a gradient, in the order of the features; each is multiplied by
    /// the scale of its group. Entries of transitions are not changed.
    pub(crate) fn unpack(&self, packed: &Packed, features: &Features, gradient: &mut [f64]) {
        for (code, (&group, scale)) in packed.groups.iter().zip(&packed.scales).enumerate() {
            let (start, labels) = features.state(group as usize);
            let derivatives = &mut gradient[start..][..labels.len()];
            if let Some(run) = code.checked_sub(packed.rows) {
                for (derivative, place) in derivatives.iter_mut().zip(packed.run(run)) {
                    *derivative = scale * self.sparse[place];
                }
                continue;
            }
            let sums = &self.sums.dense[code * packed.width..][..packed.width];
            for (derivative, &label) in derivatives.iter_mut().zip(labels) {
                let total = self.dense.get(code * packed.width + label as usize);
                let total = total.copied().unwrap_or_default();
                *derivative = scale * (total + f64::from(sums[label as usize]));
            }
        }
    }
}

impl Part<'_> {
    /// Adds a row of label derivatives, times the values, to the derivatives of the token's items
    /// that are in this part.
    #[inline(always)]
    pub(crate) fn add(&mut self, packed: &Packed, token: usize, row: &[f32]) {
        let (codes, values) = packed.items(token);
        match values.is_empty() {
            true => self.add_items::<false>(packed, (codes, values), row),
            false => self.add_items::<true>(packed, (codes, values), row),
        }
        self.tokens += 1;
        if self.tokens == PERIOD {
            self.end_period();
        }
    }

    /// Same as [`Part::add`]; without `VALUED` all values are 1.
    #[inline(always)]
    fn add_items<const VALUED: bool>(
        &mut self,
        packed: &Packed,
        (codes, values): (&[u32], &[f64]),
        row: &[f32],
    ) {
        let before = codes.iter();
        let before = before.take_while(|&&code| (code as usize) < self.codes.start);
        for (at, &code) in codes.iter().enumerate().skip(before.count()) {
            let code = code as usize;
            if code >= self.codes.end {
                break;
            }
            let value = if VALUED { values[at] as f32 } else { 1.0 };
            if code < packed.rows {
                let sums = &mut self.dense[(code - self.codes.start) * packed.width..];
                let sums = sums[..packed.width].as_chunks_mut::<LANES>().0;
                for (sums, row) in sums.iter_mut().zip(row.as_chunks::<LANES>().0) {
                    add_multiple(sums, value, row);
                }
            } else {
                for place in packed.run(code - packed.rows) {
                    self.sparse[place - self.first] += value * row[packed.labels[place] as usize];
                }
            }
        }
    }

    /// Moves the sums of frequent codes and of runs to their totals.
    pub(crate) fn end_period(&mut self) {
        self.tokens = 0;
        let dense = self.dense_totals.iter_mut().zip(&mut *self.dense);
        let sparse = self.sparse_totals.iter_mut().zip(&mut *self.sparse);
        for (total, sum) in dense.chain(sparse) {
            *total += f64::from(std::mem::take(sum));
        }
    }
}
