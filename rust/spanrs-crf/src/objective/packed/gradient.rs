//! Derivatives of the state weights.

use std::ops::Range;

use super::{CodeRange, CodeRanges, Packed, Table, Tokens};
use crate::features::Features;
use crate::simd::{LANES, add_multiple};
use crate::vectors::Vectors;

/// Derivatives of codes with fewer items are summed in 32 bits.
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
    /// Sums of the frequent codes of each kind over all tokens before the period.
    totals: Kinds<Vec<f64>>,
    /// The same sums of the columns of vectors, padded rows (column, label).
    vector_totals: Vec<f64>,
}

/// Something for each kind of codes: dense rows, runs, and single weights.
#[derive(Clone, Debug, Default)]
struct Kinds<T> {
    dense: T,
    runs: T,
    singles: T,
}

/// The derivatives of a range of codes, owned by one thread at a time.
#[derive(Debug)]
pub(crate) struct Part<'a> {
    range: CodeRange<'a>,
    sums: Kinds<Sums<'a>>,
    /// The columns of vectors whose derivatives are in this part, and their sums.
    columns: Range<usize>,
    vectors: Sums<'a>,
    /// Number of tokens whose vectors were added in their period so far.
    vector_tokens: usize,
    /// Number of tokens of the period so far.
    tokens: usize,
}

/// The sums of successive codes of one kind, and the totals of those that are frequent, which come
/// first.
#[derive(Debug)]
struct Sums<'a> {
    /// Index in the table of the first sum.
    first: usize,
    sums: &'a mut [f32],
    totals: &'a mut [f64],
}

impl<'a> Sums<'a> {
    /// Removes the first sums of a table, and as many totals as there are.
    fn take(
        first: usize,
        len: usize,
        sums: &mut &'a mut [f32],
        totals: &mut &'a mut [f64],
    ) -> Self {
        let frequent = len.min(totals.len());
        Self {
            first,
            sums: sums.split_off_mut(..len).unwrap_or_default(),
            totals: totals.split_off_mut(..frequent).unwrap_or_default(),
        }
    }

    /// Moves the sums of frequent codes to their totals.
    fn end_period(&mut self) {
        for (total, sum) in self.totals.iter_mut().zip(&mut *self.sums) {
            *total += f64::from(std::mem::take(sum));
        }
    }
}

impl Gradient {
    /// Derivatives of 0.
    pub(crate) fn new(packed: &Packed) -> Self {
        let frequent = |codes: Range<usize>| {
            let counts = &packed.counts[codes.clone()];
            codes.start + counts.partition_point(|&count| count >= FREQUENT)
        };
        let runs = frequent(packed.rows..packed.singles) - packed.rows;
        let singles = frequent(packed.singles..packed.counts.len()) - packed.singles;
        Self {
            sums: packed.table(),
            totals: Kinds {
                dense: vec![0.0; frequent(0..packed.rows) * packed.width],
                runs: vec![0.0; packed.starts[runs] as usize],
                singles: vec![0.0; singles],
            },
            vector_totals: vec![0.0; packed.dimension * packed.width],
        }
    }

    /// Splits the derivatives at the boundaries of contiguous code ranges, which begin at 0, so that
    /// threads can write to the parts concurrently. All derivatives become 0.
    pub(crate) fn split<'a>(
        &'a mut self,
        packed: &Packed,
        ranges: &'a CodeRanges,
    ) -> Vec<Part<'a>> {
        let Table {
            dense,
            sparse,
            vectors,
        } = &mut self.sums;
        let totals = &mut self.totals;
        let (mut dense, mut dense_totals) = (&mut **dense, &mut *totals.dense);
        let (mut sparse, mut run_totals) = (&mut **sparse, &mut *totals.runs);
        let mut single_totals = &mut *totals.singles;
        let (mut vectors, mut vector_totals) = (&mut **vectors, &mut *self.vector_totals);
        for sums in [&mut *dense, &mut *sparse, &mut *vectors] {
            sums.fill(0.0);
        }
        for totals in [
            &mut *dense_totals,
            &mut *run_totals,
            &mut *single_totals,
            &mut *vector_totals,
        ] {
            totals.fill(0.0);
        }
        let number = ranges.iter().count();
        let mut parts = Vec::new();
        for (at, range) in ranges.iter().enumerate() {
            let codes = range.codes.clone();
            let within = |first: usize, end: usize| {
                codes.start.clamp(first, end)..codes.end.clamp(first, end)
            };
            let rows = within(0, packed.rows);
            let runs = within(packed.rows, packed.singles);
            let places =
                [runs.start, runs.end].map(|code| packed.starts[code - packed.rows] as usize);
            let singles = within(packed.singles, packed.counts.len());
            let (first, len) = (rows.start * packed.width, rows.len() * packed.width);
            let dense = Sums::take(first, len, &mut dense, &mut dense_totals);
            let len = places[1] - places[0];
            let runs = Sums::take(places[0], len, &mut sparse, &mut run_totals);
            let (first, len) = (packed.single(singles.start), singles.len());
            let singles = Sums::take(first, len, &mut sparse, &mut single_totals);
            let columns = packed.dimension * at / number..packed.dimension * (at + 1) / number;
            let (first, len) = (columns.start * packed.width, columns.len() * packed.width);
            let vectors = Sums::take(first, len, &mut vectors, &mut vector_totals);
            parts.push(Part {
                range,
                columns,
                vectors,
                vector_tokens: 0,
                sums: Kinds {
                    dense,
                    runs,
                    singles,
                },
                tokens: 0,
            });
        }
        parts
    }

    /// Writes the sums of several derivatives to a gradient, in the order of the features; each is multiplied by the
    /// scale of its group. Entries of transitions are not changed.
    pub(crate) fn unpack(
        summands: &[Self],
        packed: &Packed,
        features: &Features,
        gradient: &mut [f64],
    ) {
        for (code, (&group, scale)) in packed.groups.iter().zip(&packed.scales).enumerate() {
            let (start, labels) = features.state(group as usize);
            let derivatives = &mut gradient[start..][..labels.len()];
            if code < packed.rows {
                for (derivative, &label) in derivatives.iter_mut().zip(labels) {
                    let place = code * packed.width + label as usize;
                    let parts = summands.iter().map(|part| part.dense(place));
                    *derivative = scale * parts.sum::<f64>();
                }
                continue;
            }
            let singles = packed.single(packed.singles);
            for (derivative, place) in derivatives.iter_mut().zip(packed.run(code - packed.rows)) {
                let parts = summands.iter().map(|part| part.sparse(place, singles));
                *derivative = scale * parts.sum::<f64>();
            }
        }
        let labels = features.labels().max(1);
        let derivatives = gradient[features.vector_weights()].chunks_exact_mut(labels);
        for (column, derivatives) in derivatives.enumerate() {
            for (derivative, place) in derivatives.iter_mut().zip(column * packed.width..) {
                *derivative = summands.iter().map(|part| part.vector(place)).sum();
            }
        }
    }

    /// The derivative at a place in the table of the columns of vectors.
    fn vector(&self, place: usize) -> f64 {
        self.vector_totals[place] + f64::from(self.sums.vectors[place])
    }

    /// The derivative at a place in the dense table.
    fn dense(&self, place: usize) -> f64 {
        let total = self.totals.dense.get(place).copied();
        total.unwrap_or_default() + f64::from(self.sums.dense[place])
    }

    /// The derivative at a place in the sparse table, where single weights begin at `singles`.
    fn sparse(&self, place: usize, singles: usize) -> f64 {
        let total = match place.checked_sub(singles) {
            Some(single) => self.totals.singles.get(single),
            None => self.totals.runs.get(place),
        };
        total.copied().unwrap_or_default() + f64::from(self.sums.sparse[place])
    }
}

impl Part<'_> {
    /// Adds a row of label derivatives, times the values, to the derivatives of the token's items
    /// that are in this part; with `SQUARED`, times the squared values.
    #[inline(always)]
    pub(crate) fn add<const SQUARED: bool>(
        &mut self,
        packed: &Packed,
        tokens: Tokens,
        token: usize,
        row: &[f32],
    ) {
        let (codes, values) = tokens.items(token);
        let items = self.range.items(token, codes.len());
        let codes = &codes[items.clone()];
        let values = values.get(items).unwrap_or_default();
        match values.is_empty() {
            true => self.add_items::<false, SQUARED>(packed, (codes, values), row),
            false => self.add_items::<true, SQUARED>(packed, (codes, values), row),
        }
        self.tokens += 1;
        if self.tokens == PERIOD {
            self.end_period();
        }
    }

    /// Same as [`Part::add`]; without `VALUED` all values are 1.
    #[inline(always)]
    fn add_items<const VALUED: bool, const SQUARED: bool>(
        &mut self,
        packed: &Packed,
        (codes, values): (&[u32], &[f64]),
        row: &[f32],
    ) {
        let Kinds {
            dense,
            runs,
            singles,
        } = &mut self.sums;
        for (at, &code) in codes.iter().enumerate() {
            let code = code as usize;
            let value = if VALUED { values[at] as f32 } else { 1.0 };
            let value = if SQUARED { value * value } else { value };
            if code < packed.rows {
                let sums = &mut dense.sums[code * packed.width - dense.first..][..packed.width];
                let sums = sums.as_chunks_mut::<LANES>().0;
                for (sums, row) in sums.iter_mut().zip(row.as_chunks::<LANES>().0) {
                    add_multiple(sums, value, row);
                }
            } else if code >= packed.singles {
                let place = packed.single(code);
                singles.sums[place - singles.first] += value * row[packed.labels[place] as usize];
            } else {
                for place in packed.run(code - packed.rows) {
                    runs.sums[place - runs.first] += value * row[packed.labels[place] as usize];
                }
            }
        }
    }

    /// Adds rows of label derivatives of a range of tokens, times their vectors, to the derivatives of
    /// the columns that are in this part. Vectors are squared for variances.
    pub(crate) fn add_vectors(
        &mut self,
        vectors: &Vectors,
        tokens: Range<usize>,
        rows: &[f32],
        squared: bool,
    ) {
        let columns = self.columns.clone();
        vectors.add_products(tokens.clone(), rows, columns, squared, self.vectors.sums);
        self.vector_tokens += tokens.len();
        if self.vector_tokens >= PERIOD {
            self.vectors.end_period();
            self.vector_tokens = 0;
        }
    }

    /// Moves all sums of codes and columns with totals to their totals.
    pub(crate) fn end(&mut self) {
        self.end_period();
        self.vectors.end_period();
    }

    /// Moves the sums of frequent codes to their totals.
    fn end_period(&mut self) {
        self.tokens = 0;
        let Kinds {
            dense,
            runs,
            singles,
        } = &mut self.sums;
        for sums in [dense, runs, singles] {
            sums.end_period();
        }
    }
}
