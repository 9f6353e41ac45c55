//! Vectors of tokens, such as word embeddings: dense rows of numbers beside the attributes.
//!
//! Every token of a collection has a vector of the same dimension, or none has one. A model has a
//! block of weights, (dimension, label), whose product with the vector is added to the label scores
//! of the token. Numbers have 32 bits. Rows are stored in full, or compressed (CSR) if most numbers
//! are 0; both give the same scores.
//!
//! The block of weights is padded: row `d` begins at `d * width`, where `width` is the padded number
//! of labels.

mod kernels;

use std::ops::Range;

use spanrs_base::Ends;

use crate::error::{Error, Result, check_len};
use crate::records::{RecordReader, write_u32, write_u64};
use crate::simd::{Real, dispatch};

use kernels::{AddProducts, AddScores};

/// The vectors of the tokens of one sequence, as a caller has them.
///
/// ```
/// use spanrs_crf::{Sequences, TokenVectors};
/// let mut sequences = Sequences::new(0);
/// for _ in 0..2 {
///     sequences.indicators(&[]).unwrap();
/// }
/// let full = [1.0, 0.0, 2.0, 0.5, 0.0, 0.0];
/// sequences.push_vectors(TokenVectors::Full { dimension: 3, values: &full }).unwrap();
/// sequences.end();
/// assert_eq!(sequences.dimension(), 3);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum TokenVectors<'a> {
    /// All numbers, row-major (token, column).
    Full {
        /// Number of columns.
        dimension: usize,
        /// `tokens * dimension` numbers.
        values: &'a [f32],
    },
    /// Compressed rows: numbers that are not listed are 0. A column that is listed twice counts as the
    /// sum of its values.
    Sparse {
        /// Number of columns.
        dimension: usize,
        /// End of each token's entries in `columns` and `values`, exclusive and ascending.
        ends: &'a [usize],
        /// Column of each entry, from 0.
        columns: &'a [u32],
        /// Value of each entry.
        values: &'a [f32],
    },
}

impl TokenVectors<'_> {
    /// Number of columns.
    pub fn dimension(&self) -> usize {
        match self {
            Self::Full { dimension, .. } | Self::Sparse { dimension, .. } => *dimension,
        }
    }

    /// Checks the sizes for a number of tokens, and that columns are in range and values finite.
    ///
    /// # Errors
    /// [`Error::Shape`] for other sizes, [`Error::Vector`] for a value that is not finite,
    /// [`Error::Input`] for entries out of range.
    fn check(&self, tokens: usize) -> Result<()> {
        let (dimension, values) = match *self {
            Self::Full { dimension, values } => {
                check_len(
                    "values of dense rows",
                    tokens.saturating_mul(dimension),
                    values.len(),
                )?;
                (dimension, values)
            }
            Self::Sparse {
                dimension,
                ends,
                columns,
                values,
            } => {
                check_len("dense rows", tokens, ends.len())?;
                check_len("columns of sparse rows", values.len(), columns.len())?;
                let last = ends.last().copied().unwrap_or_default();
                let ordered = ends.is_sorted() && last == values.len();
                if !ordered || columns.iter().any(|&column| column as usize >= dimension) {
                    let message =
                        "the compressed rows are damaged: an end or a column is out of range";
                    return Err(Error::Input(message.to_owned()));
                }
                (dimension, values)
            }
        };
        let Some(at) = values.iter().position(|value| !value.is_finite()) else {
            return Ok(());
        };
        let (token, column) = match *self {
            Self::Full { .. } => (at / dimension, at % dimension),
            Self::Sparse { ends, columns, .. } => {
                (ends.partition_point(|&end| end <= at), columns[at] as usize)
            }
        };
        let value = values[at];
        Err(Error::Vector {
            token,
            column,
            value,
        })
    }
}

/// The vectors of all tokens of a collection; none if the dimension is 0.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vectors {
    /// Number of columns.
    dimension: usize,
    rows: Rows,
}

/// The rows of [`Vectors`].
#[derive(Clone, Debug)]
enum Rows {
    /// Row-major (token, column).
    Full(Vec<f32>),
    Sparse {
        /// Range of the entries of each token.
        ends: Ends,
        columns: Vec<u32>,
        values: Vec<f32>,
    },
}

impl Default for Rows {
    fn default() -> Self {
        Self::Full(Vec::new())
    }
}

impl Rows {
    /// No rows, stored in the same way.
    fn emptied(&self) -> Self {
        match self {
            Self::Full(_) => Self::default(),
            Self::Sparse { .. } => Self::Sparse {
                ends: Ends::default(),
                columns: Vec::new(),
                values: Vec::new(),
            },
        }
    }

    /// Appends vectors that were checked.
    fn append(&mut self, vectors: TokenVectors) {
        let dimension = vectors.dimension();
        match self {
            Self::Full(stored) => match vectors {
                TokenVectors::Full { values, .. } => stored.extend_from_slice(values),
                TokenVectors::Sparse {
                    ends,
                    columns,
                    values,
                    ..
                } => {
                    let mut start = 0;
                    for &end in ends {
                        let row = stored.len();
                        stored.resize(row + dimension, 0.0);
                        for (column, value) in columns[start..end].iter().zip(&values[start..end]) {
                            stored[row + *column as usize] += value;
                        }
                        start = end;
                    }
                }
            },
            Self::Sparse {
                ends: stored,
                columns: own_columns,
                values: own_values,
            } => match vectors {
                TokenVectors::Sparse {
                    ends,
                    columns,
                    values,
                    ..
                } => {
                    let first = own_values.len();
                    own_columns.extend_from_slice(columns);
                    own_values.extend_from_slice(values);
                    ends.iter().for_each(|end| stored.push(first + end));
                }
                TokenVectors::Full { values, .. } => {
                    for row in values.chunks_exact(dimension.max(1)) {
                        let some = (0..).zip(row).filter(|(_, value)| **value != 0.0);
                        for (column, value) in some {
                            own_columns.push(column);
                            own_values.push(*value);
                        }
                        stored.push(own_values.len());
                    }
                }
            },
        }
    }
}

impl Vectors {
    /// Number of columns; 0 if there are no vectors.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of tokens with a vector.
    pub(crate) fn tokens(&self) -> usize {
        match &self.rows {
            Rows::Full(values) => values.len().checked_div(self.dimension).unwrap_or_default(),
            Rows::Sparse { ends, .. } => ends.len(),
        }
    }

    /// Appends the vectors of a number of tokens. The first ones decide the dimension and how rows are
    /// stored.
    ///
    /// # Errors
    /// Same as [`crate::Sequences::push_vectors`].
    pub(crate) fn push(&mut self, vectors: TokenVectors, tokens: usize) -> Result<()> {
        let dimension = vectors.dimension();
        if dimension == 0 {
            let message = "dense rows must have at least one column";
            return Err(Error::Input(message.to_owned()));
        }
        if self.dimension > 0 {
            // The first vectors have decided how rows are stored, even if those are in a file.
            check_len("columns of dense rows", self.dimension, dimension)?;
        }
        vectors.check(tokens)?;
        if self.dimension == 0 {
            self.dimension = dimension;
            if let TokenVectors::Sparse { .. } = vectors {
                self.rows = Rows::Sparse {
                    ends: Ends::default(),
                    columns: Vec::new(),
                    values: Vec::new(),
                };
            }
        }
        self.rows.append(vectors);
        Ok(())
    }

    /// Approximate size in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match &self.rows {
            Rows::Full(values) => 4 * values.len(),
            Rows::Sparse { ends, columns, .. } => 8 * (ends.len() + columns.len()),
        }
    }

    /// Removes the vectors after the first ones.
    pub(crate) fn truncate(&mut self, tokens: usize) {
        match &mut self.rows {
            Rows::Full(values) => values.truncate(tokens * self.dimension),
            Rows::Sparse {
                ends,
                columns,
                values,
            } => {
                ends.truncate(tokens);
                columns.truncate(ends.total());
                values.truncate(ends.total());
            }
        }
    }

    /// Copies the vectors of a range of tokens of another collection, which has the same dimension if
    /// there are vectors already.
    pub(crate) fn extend_from(&mut self, source: &Self, tokens: Range<usize>) {
        if self.dimension == 0 {
            self.dimension = source.dimension;
            self.rows = source.rows.emptied();
        }
        match &source.rows {
            Rows::Full(values) => {
                let dimension = source.dimension;
                let values = &values[tokens.start * dimension..tokens.end * dimension];
                self.rows.append(TokenVectors::Full { dimension, values });
            }
            Rows::Sparse {
                ends,
                columns,
                values,
            } => {
                let entries = ends.start(tokens.start)..ends.start(tokens.end);
                let row_ends = tokens.map(|token| ends.range(token).end - entries.start);
                let row_ends: Vec<usize> = row_ends.collect();
                self.rows.append(TokenVectors::Sparse {
                    dimension: source.dimension,
                    ends: &row_ends,
                    columns: &columns[entries.clone()],
                    values: &values[entries],
                });
            }
        }
    }

    /// Appends the vectors of a range of tokens to a record.
    pub(crate) fn write_record(&self, tokens: Range<usize>, record: &mut Vec<u8>) {
        let sparse = matches!(self.rows, Rows::Sparse { .. });
        write_u64(record, [self.dimension as u64, u64::from(sparse)]);
        match &self.rows {
            Rows::Full(values) => {
                let rows = &values[tokens.start * self.dimension..tokens.end * self.dimension];
                write_u32(record, rows.iter().map(|value| value.to_bits()));
            }
            Rows::Sparse {
                ends,
                columns,
                values,
            } => {
                let entries = ends.start(tokens.start)..ends.start(tokens.end);
                write_u32(record, tokens.map(|token| ends.range(token).len() as u32));
                write_u32(record, columns[entries.clone()].iter().copied());
                write_u32(record, values[entries].iter().map(|value| value.to_bits()));
            }
        }
    }

    /// Appends the vectors of so many tokens, which are next in a record; None if the record is another
    /// one.
    pub(crate) fn read_record(&mut self, tokens: usize, reader: &mut RecordReader) -> Option<()> {
        let (dimension, sparse) = (reader.len()?, reader.len()? != 0);
        if self.dimension == 0 {
            self.dimension = dimension;
            self.rows = match sparse {
                true => Rows::Sparse {
                    ends: Ends::default(),
                    columns: Vec::new(),
                    values: Vec::new(),
                },
                false => Rows::default(),
            };
        }
        match &mut self.rows {
            Rows::Full(values) if !sparse => {
                values.extend(reader.f32s(tokens.checked_mul(dimension)?)?);
            }
            Rows::Sparse {
                ends,
                columns,
                values,
            } if sparse => {
                let entries = reader.lengths(tokens, ends)?;
                columns.extend(reader.u32s(entries.len())?);
                values.extend(reader.f32s(entries.len())?);
            }
            _ => return None,
        }
        (self.dimension == dimension).then_some(())
    }

    /// Adds the products of the vectors of a range of tokens and a padded block of weights to the padded
    /// label scores of these tokens.
    pub(crate) fn add_scores<W: Real, T: Real>(
        &self,
        tokens: Range<usize>,
        weights: &[W],
        scores: &mut [T],
    ) {
        let Some(width) = weights.len().checked_div(self.dimension) else {
            return;
        };
        match &self.rows {
            Rows::Full(values) => dispatch(AddScores {
                values: &values[tokens.start * self.dimension..tokens.end * self.dimension],
                dimension: self.dimension,
                weights,
                width,
                scores,
            }),
            Rows::Sparse {
                ends,
                columns,
                values,
            } => {
                // Products are summed before they are added, as those of full rows.
                let mut sums = vec![T::default(); width];
                for (token, row) in tokens.zip(scores.chunks_exact_mut(width)) {
                    sums.fill(T::default());
                    for at in ends.range(token) {
                        let weights = &weights[columns[at] as usize * width..][..width];
                        let value = T::of(f64::from(values[at]));
                        for (sum, weight) in sums.iter_mut().zip(weights) {
                            *sum += value * T::of((*weight).into());
                        }
                    }
                    for (score, sum) in row.iter_mut().zip(&sums) {
                        *score += *sum;
                    }
                }
            }
        }
    }

    /// Adds the products of the transposed vectors of a range of tokens and their padded rows of
    /// derivatives to the sums of a range of columns, (column, label). With `squared`, numbers are
    /// squared.
    pub(crate) fn add_products(
        &self,
        tokens: Range<usize>,
        rows: &[f32],
        columns: Range<usize>,
        squared: bool,
        sums: &mut [f32],
    ) {
        let Some(width) = rows.len().checked_div(tokens.len()) else {
            return;
        };
        match &self.rows {
            Rows::Full(values) => dispatch(AddProducts {
                values: &values[tokens.start * self.dimension..tokens.end * self.dimension],
                dimension: self.dimension,
                rows,
                width,
                columns,
                squared,
                sums,
            }),
            Rows::Sparse {
                ends,
                columns: at,
                values,
            } => {
                for (token, row) in tokens.zip(rows.chunks_exact(width)) {
                    for entry in ends.range(token) {
                        let column = at[entry] as usize;
                        if !columns.contains(&column) {
                            continue;
                        }
                        let value = values[entry];
                        let value = if squared { value * value } else { value };
                        let sums = &mut sums[(column - columns.start) * width..][..width];
                        for (sum, derivative) in sums.iter_mut().zip(row) {
                            *sum += value * derivative;
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::simd::LANES;

    /// The rows in compressed form: ends, columns and values.
    fn compressed(values: &[f32], dimension: usize) -> (Vec<usize>, Vec<u32>, Vec<f32>) {
        let (mut ends, mut columns, mut some) = (Vec::new(), Vec::new(), Vec::new());
        for row in values.chunks_exact(dimension) {
            for (column, value) in (0..).zip(row).filter(|(_, value)| **value != 0.0) {
                columns.push(column);
                some.push(*value);
            }
            ends.push(some.len());
        }
        (ends, columns, some)
    }

    proptest! {
        #[test]
        fn full_and_compressed_rows_give_the_sums_of_the_definition(
            (tokens, dimension, width, seed) in (1..11_usize, 1..7_usize, 1..5_usize, 0..1000_u32),
        ) {
            let width = width * LANES;
            // Small integers, so that sums are exact in any order.
            let number = |at: usize| ((at as u32).wrapping_mul(2_654_435_761).wrapping_add(seed) >> 7) % 7;
            let numbers = |len: usize, shift: usize| -> Vec<f32> {
                (0..len).map(|at| number(at + shift) as f32 - 3.0).collect()
            };
            let values = numbers(tokens * dimension, 0);
            let weights = numbers(dimension * width, 100);
            let rows = numbers(tokens * width, 200);
            let (ends, columns, some) = compressed(&values, dimension);
            let dense = TokenVectors::Full { dimension, values: &values };
            let sparse = TokenVectors::Sparse { dimension, ends: &ends, columns: &columns, values: &some };
            let middle = dimension / 2;
            // The second one decides how the first rows are stored.
            for (first, second) in [(dense, dense), (sparse, sparse), (dense, sparse), (sparse, dense)] {
                let mut vectors = Vectors::default();
                vectors.push(first, tokens).unwrap();
                vectors.push(second, tokens).unwrap();
                prop_assert_eq!((vectors.dimension(), vectors.tokens()), (dimension, 2 * tokens));
                let mut part = Vectors::default();
                part.extend_from(&vectors, 1..tokens + 1);
                vectors.truncate(tokens);
                for (vectors, first) in [(&vectors, 0), (&part, 1)] {
                    let mut scores = vec![1.0_f32; (tokens - first) * width];
                    vectors.add_scores(0..tokens - first, &weights, &mut scores);
                    for (at, score) in scores.into_iter().enumerate() {
                        let (token, label) = (at / width + first, at % width);
                        let products = (0..dimension)
                            .map(|d| values[token * dimension + d] * weights[d * width + label]);
                        prop_assert_eq!(score, 1.0 + products.sum::<f32>());
                    }
                }
                for (squared, columns) in [(false, 0..middle), (true, middle..dimension)] {
                    let mut sums = vec![2.0; columns.len() * width];
                    vectors.add_products(0..tokens, &rows, columns.clone(), squared, &mut sums);
                    for (at, sum) in sums.into_iter().enumerate() {
                        let (column, label) = (columns.start + at / width, at % width);
                        let products = (0..tokens).map(|token| {
                            let value = values[token * dimension + column];
                            let value = if squared { value * value } else { value };
                            value * rows[token * width + label]
                        });
                        prop_assert_eq!(sum, 2.0 + products.sum::<f32>());
                    }
                }
            }
        }

        #[test]
        fn a_value_that_is_not_finite_is_found(at in 0..12_usize, value in vec(0..2_u32, 12)) {
            let mut values: Vec<f32> = value.into_iter().map(|value| value as f32).collect();
            values[at] = f32::NAN;
            let (ends, columns, some) = compressed(&values, 3);
            let dense = TokenVectors::Full { dimension: 3, values: &values };
            let sparse = TokenVectors::Sparse { dimension: 3, ends: &ends, columns: &columns, values: &some };
            for vectors in [dense, sparse] {
                let mut all = Vectors::default();
                let error = all.push(vectors, 4);
                let place = match error {
                    Err(Error::Vector { token, column, .. }) => Some((token, column)),
                    _ => None,
                };
                prop_assert_eq!(place, Some((at / 3, at % 3)));
                prop_assert_eq!(all.tokens(), 0);
            }
        }
    }

    #[test]
    fn damaged_rows_are_refused() {
        let sparse = |ends, columns| TokenVectors::Sparse {
            dimension: 2,
            ends,
            columns,
            values: &[1.0, 2.0],
        };
        for vectors in [
            sparse(&[2, 1], &[0, 1]),
            sparse(&[0, 1], &[0, 1]),
            sparse(&[1, 2], &[0, 2]),
            sparse(&[1, 2], &[0]),
            sparse(&[2], &[0, 1]),
            TokenVectors::Full {
                dimension: 2,
                values: &[1.0; 3],
            },
        ] {
            assert!(Vectors::default().push(vectors, 2).is_err());
        }
        let mut vectors = Vectors::default();
        vectors.push(sparse(&[1, 2], &[0, 1]), 2).unwrap();
        let wider = TokenVectors::Full {
            dimension: 3,
            values: &[0.0; 3],
        };
        assert_eq!(
            vectors.push(wider, 1).unwrap_err().to_string(),
            "expected 2 columns of dense rows, got 3"
        );
    }
}
