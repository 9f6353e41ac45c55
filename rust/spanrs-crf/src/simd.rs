//! Vector kernels for rows of labels.
//!
//! Loops are written over arrays of fixed length so that the compiler vectorises them, and each
//! kernel is compiled for several instruction sets (`pulp` chooses at run time). There is no
//! architecture-specific code here.
//!
//! # The same results on all processors
//! Sums have a fixed order (by lanes of [`LANES`], then a tree) that does not depend on the width
//! of the registers, and multiplications are not fused with additions. Exponentials come from
//! [`exp_minus`] instead of the C library. Therefore the kernels compute the same numbers on all
//! processors. The few other exponentials and logarithms (of transition scores, scales and log
//! sums) are computed by the platform's mathematical library.
//!
//! # Layout
//! Rows are padded to a multiple of [`LANES`] entries. Square matrices are divided into [`Panels`]
//! of columns, so that the partial sums of a row-times-matrix product stay in registers while the
//! panel's rows are read sequentially:
//!
//! ```text
//! width 56:  | 32 columns | 16 columns | 8 columns |     each panel: 56 rows, row-major
//! ```

use crate::aligned::Aligned;

/// Rows are padded to a multiple of this many labels: one 512-bit vector of `f64`.
pub(crate) const LANES: usize = 8;

pub(crate) use pulp::NullaryFnOnce as Kernel;

/// Runs a kernel compiled for the best instruction set of this processor.
///
/// `call` and all it calls must be `#[inline(always)]` functions: closures passed to iterators and
/// functions that are not inlined are compiled for the baseline instruction set, which is correct
/// but slow.
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    pulp::Arch::new().dispatch(kernel)
}

/// Length of a row of labels with padding: at least [`LANES`], even without labels.
pub(crate) fn padded(labels: usize) -> usize {
    labels.max(1).next_multiple_of(LANES)
}

/// The largest value of a padded row; NaN is ignored. Entries after the last whole [`LANES`] are
/// not read.
#[inline(always)]
pub(crate) fn max(row: &[f64]) -> f64 {
    let mut most = [f64::NEG_INFINITY; LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for (most, &value) in most.iter_mut().zip(lanes) {
            *most = if value > *most { value } else { *most };
        }
    }
    most.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

/// The sum of a padded row, by lanes. Entries after the last whole [`LANES`] are not read.
#[inline(always)]
pub(crate) fn sum(row: &[f64]) -> f64 {
    let mut sums = [0.0; LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for (sum, value) in sums.iter_mut().zip(lanes) {
            *sum += value;
        }
    }
    let [a, b, c, d, e, f, g, h] = sums;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Writes `exp(value - most)` of each value to `exps`; relative error below 3e-16, and 0 where the
/// difference is below -708. Values are at most `most`; negative infinity gives 0, NaN gives NaN.
#[inline(always)]
pub(crate) fn exp_minus(row: &[f64], most: f64, exps: &mut [f64]) {
    for (value, exp) in row.iter().zip(exps) {
        *exp = exp_of(value - most);
    }
}

/// `exp(x)` for `x <= 0` by argument reduction to `[-ln(2)/2, ln(2)/2]` and a Taylor polynomial of
/// degree 13 (Cody and Waite 1980). `ln(2)` is split in two parts so that the reduction is exact;
/// the power of two is added to the exponent bits.
#[inline(always)]
fn exp_of(x: f64) -> f64 {
    /// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    /// The upper bits of `ln(2)`, few enough that the product with an integer exponent is exact.
    const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
    /// The remainder of `ln(2)`.
    const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    // A clamped argument keeps the exponent in range; the result is replaced below.
    let clamped = if x < -708.0 { -708.0 } else { x };
    let shifted = clamped * std::f64::consts::LOG2_E + ROUND;
    let n = shifted - ROUND;
    let r = (clamped - n * LN_2_HIGH) - n * LN_2_LOW;
    let mut p = 1.0 / 6_227_020_800.0;
    p = p * r + 1.0 / 479_001_600.0;
    p = p * r + 1.0 / 39_916_800.0;
    p = p * r + 1.0 / 3_628_800.0;
    p = p * r + 1.0 / 362_880.0;
    p = p * r + 1.0 / 40_320.0;
    p = p * r + 1.0 / 5_040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    let power = f64::from_bits((shifted.to_bits() << 52).wrapping_add(1023 << 52));
    if x < -708.0 { 0.0 } else { p * power }
}

/// A square matrix of padded rows, stored as panels of columns for products with row vectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Panels {
    /// Number of rows and of columns, a multiple of [`LANES`].
    width: usize,
    /// As many panels of 32 columns as fit, then a panel of 16 and a panel of 8 columns if needed;
    /// each is row-major. A panel that begins at column `c` is at offset `c * width`.
    values: Aligned<f64>,
}

impl Panels {
    /// A matrix with all entries equal to `value`; `width` is a multiple of [`LANES`].
    pub(crate) fn new(width: usize, value: f64) -> Self {
        let mut values = Aligned::new(width * width);
        values.fill(value);
        Self { width, values }
    }

    /// Sets an entry. Too slow for inner loops, since the panel is determined by a division.
    pub(crate) fn set(&mut self, row: usize, column: usize, value: f64) {
        let wide = self.width / 32 * 32;
        let (start, size) = match self.width % 32 {
            _ if column < wide => (column / 32 * 32, 32),
            16 | 24 if column < wide + 16 => (wide, 16),
            24 => (wide + 16, 8),
            _ => (wide, 8),
        };
        self.values[start * self.width + row * size + column - start] = value;
    }

    /// `out = vector * matrix`: `out[to]` is the sum of `vector[from] * matrix[from, to]`. Both
    /// rows have `width` entries.
    #[inline(always)]
    pub(crate) fn multiply(&self, vector: &[f64], out: &mut [f64]) {
        let (mut values, mut out) = (&*self.values, out);
        while out.len() >= 32 {
            (values, out) = product::<32, 1>(vector, values, out);
        }
        if out.len() >= 16 {
            (values, out) = product::<16, 2>(vector, values, out);
        }
        if out.len() >= 8 {
            product::<8, 4>(vector, values, out);
        }
    }

    /// The product in the max-plus semiring: `out[to]` is the largest
    /// `vector[from] + matrix[from, to]`; negative infinity if all are NaN. NaN is ignored.
    #[inline(always)]
    pub(crate) fn max_plus(&self, vector: &[f64], out: &mut [f64]) {
        let (mut values, mut out) = (&*self.values, out);
        while out.len() >= 32 {
            (values, out) = max_sum::<32>(vector, values, out);
        }
        if out.len() >= 16 {
            (values, out) = max_sum::<16>(vector, values, out);
        }
        if out.len() >= 8 {
            max_sum::<8>(vector, values, out);
        }
    }
}

/// The max-plus product with the first panel, of `N` columns; returns the remaining panels and the
/// remaining output.
#[inline(always)]
fn max_sum<'a, 'b, const N: usize>(
    vector: &[f64],
    panels: &'a [f64],
    out: &'b mut [f64],
) -> (&'a [f64], &'b mut [f64]) {
    let (panel, panels) = panels.split_at(vector.len() * N);
    let (out, rest) = out.split_at_mut(N);
    let mut most = [f64::NEG_INFINITY; N];
    for (term, row) in vector.iter().zip(panel.as_chunks::<N>().0) {
        for lane in 0..N {
            let sum = term + row[lane];
            most[lane] = if sum > most[lane] { sum } else { most[lane] };
        }
    }
    out.copy_from_slice(&most);
    (panels, rest)
}

/// Multiplies with the first panel, of `N` columns; returns the remaining panels and the remaining
/// output. `SETS` independent sums per column hide the latency of additions; narrow panels need
/// more sets.
#[inline(always)]
fn product<'a, 'b, const N: usize, const SETS: usize>(
    vector: &[f64],
    panels: &'a [f64],
    out: &'b mut [f64],
) -> (&'a [f64], &'b mut [f64]) {
    let (panel, panels) = panels.split_at(vector.len() * N);
    let (out, rest) = out.split_at_mut(N);
    let mut sums = [[0.0; N]; SETS];
    let rows = panel.as_chunks::<N>().0.as_chunks::<SETS>().0;
    for (factors, rows) in vector.as_chunks::<SETS>().0.iter().zip(rows) {
        for set in 0..SETS {
            for lane in 0..N {
                sums[set][lane] += factors[set] * rows[set][lane];
            }
        }
    }
    for (lane, out) in out.iter_mut().enumerate() {
        *out = sums[0][lane];
        for set in &sums[1..] {
            *out += set[lane];
        }
    }
    (panels, rest)
}

/// Adds the outer products of two rows, summed over the rows of two tables and times `weight`, to
/// `sums`: a product of a transposed matrix with a matrix, in blocks of 4 × 8 sums that stay in
/// registers.
pub(crate) struct AddOuterProducts<'a> {
    /// Table whose columns correspond to the rows of `sums`.
    pub(crate) left: &'a [f64],
    /// Table whose columns correspond to the columns of `sums`; has as many rows as `left`.
    pub(crate) right: &'a [f64],
    /// Row length of both tables, and number of rows and columns of `sums`.
    pub(crate) width: usize,
    /// Factor of all products.
    pub(crate) weight: f64,
    /// The sums, row-major.
    pub(crate) sums: &'a mut [f64],
}

impl Kernel for AddOuterProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            left,
            right,
            width,
            weight,
            sums,
        } = self;
        let (mut first, mut rest) = (0, sums);
        while first < width {
            let rows = if width - first >= 4 { 4 } else { 2 };
            let (block, others) = rest.split_at_mut(rows * width);
            match rows {
                4 => outer_block::<4>(left, right, width, weight, first, block),
                _ => outer_block::<2>(left, right, width, weight, first, block),
            }
            (first, rest) = (first + rows, others);
        }
    }
}

/// Computes `ROWS` rows of the outer products, for the columns of `left` from `first`; `sums`
/// contains only these rows.
#[inline(always)]
fn outer_block<const ROWS: usize>(
    left: &[f64],
    right: &[f64],
    width: usize,
    weight: f64,
    first: usize,
    sums: &mut [f64],
) {
    for column in (0..width).step_by(LANES) {
        let mut products = [[0.0; LANES]; ROWS];
        for (left, right) in left.chunks_exact(width).zip(right.chunks_exact(width)) {
            let factors = left[first..].first_chunk::<ROWS>();
            let right = right[column..].first_chunk::<LANES>();
            if let (Some(factors), Some(right)) = (factors, right) {
                for row in 0..ROWS {
                    for lane in 0..LANES {
                        products[row][lane] += factors[row] * right[lane];
                    }
                }
            }
        }
        for (row, products) in products.iter().enumerate() {
            let sums = &mut sums[row * width + column..][..LANES];
            for (sum, product) in sums.iter_mut().zip(products) {
                *sum += weight * product;
            }
        }
    }
}

/// Adds the elementwise products, times `weight`, to `sums`. The shortest of the three slices
/// determines the length.
pub(crate) struct AddProducts<'a> {
    pub(crate) left: &'a [f64],
    pub(crate) right: &'a [f64],
    pub(crate) weight: f64,
    pub(crate) sums: &'a mut [f64],
}

impl Kernel for AddProducts<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let pairs = self.left.iter().zip(self.right);
        for (sum, (left, right)) in self.sums.iter_mut().zip(pairs) {
            *sum += self.weight * (left * right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponentials_are_accurate() {
        let values: Vec<f64> = (0..80_000).map(|n| -f64::from(n) * 0.009).collect();
        let mut exps = vec![0.0; values.len()];
        exp_minus(&values, 0.0, &mut exps);
        for (value, exp) in values.iter().zip(exps) {
            let right = if *value < -708.0 { 0.0 } else { value.exp() };
            assert!(
                (exp - right).abs() <= 3e-16 * right,
                "{value}: {exp} {right}"
            );
        }
        assert_eq!(exp_of(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp_of(0.0), 1.0);
    }

    #[test]
    fn panels_multiply_as_rows_do() {
        for width in (8..=72).step_by(LANES) {
            let value = |row: usize, column: usize| (row * 7 + column * 3) as f64;
            let mut panels = Panels::new(width, 0.0);
            for row in 0..width {
                for column in 0..width {
                    panels.set(row, column, value(row, column));
                }
            }
            let vector: Vec<f64> = (0..width).map(|n| n as f64).collect();
            let mut out = vec![0.0; width];
            panels.multiply(&vector, &mut out);
            for (column, out) in out.iter().enumerate() {
                let right: f64 = (0..width).map(|n| n as f64 * value(n, column)).sum();
                assert_eq!(*out, right);
            }
            let mut sums = vec![0.0; width * width];
            let (left, right) = (
                [&vector[..], &vector].concat(),
                [&vector[..], &out].concat(),
            );
            dispatch(AddOuterProducts {
                left: &left,
                right: &right,
                width,
                weight: 2.0,
                sums: &mut sums,
            });
            for row in 0..width {
                for column in 0..width {
                    let product = vector[row] * (vector[column] + out[column]);
                    assert_eq!(sums[row * width + column], 2.0 * product);
                }
            }
        }
    }
}
