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

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Sub};

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

/// A floating-point type of the kernels: `f64` for results, and `f32` in training, where weights are
/// rounded to 32 bits.
pub(crate) trait Real:
    Copy
    + Default
    + PartialOrd
    + From<bool>
    + Into<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + AddAssign
    + MulAssign
{
    /// Negative infinity.
    const LOWEST: Self;

    /// Scaled messages outside `MIN_SCALED..1 / MIN_SCALED` are out of range.
    const MIN_SCALED: Self;

    /// Largest difference from 1 of a sum of probabilities.
    const TOLERANCE: f64;

    /// Rounds to this type.
    fn of(value: f64) -> Self;

    /// `exp(self)` for numbers up to 0, by argument reduction to `[-ln(2)/2, ln(2)/2]` and a Taylor
    /// polynomial (Cody and Waite 1980). `ln(2)` is split in two parts so that the reduction is
    /// exact; the power of two is added to the exponent bits.
    fn exp_of(self) -> Self;
}

impl Real for f64 {
    const LOWEST: Self = f64::NEG_INFINITY;
    /// Products of three scaled values, summed over a corpus, stay finite.
    const MIN_SCALED: Self = 1e-100;
    const TOLERANCE: f64 = 1e-6;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value
    }

    /// Relative error below 3e-16; 0 below -708.
    #[inline(always)]
    fn exp_of(self) -> Self {
        /// Adding 1.5 * 2^52 rounds to an integer and leaves it in the low bits.
        const ROUND: f64 = 6_755_399_441_055_744.0;
        /// The upper bits of `ln(2)`, few enough that the product with an integer exponent is exact.
        const LN_2_HIGH: f64 = 0.693_147_180_369_123_8;
        /// The remainder of `ln(2)`.
        const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
        // A clamped argument keeps the exponent in range; the result is replaced below.
        let clamped = if self < -708.0 { -708.0 } else { self };
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
        if self < -708.0 { 0.0 } else { p * power }
    }
}

impl Real for f32 {
    const LOWEST: Self = f32::NEG_INFINITY;
    /// Products of three scaled values, summed over a chunk of tokens, stay finite.
    const MIN_SCALED: Self = 1e-10;
    const TOLERANCE: f64 = 1e-5;

    #[inline(always)]
    fn of(value: f64) -> Self {
        value as f32
    }

    /// Relative error below 3e-7; 0 below -80. The smallest results stay normal numbers, also after
    /// a few multiplications, since arithmetic with subnormal numbers is slow.
    #[inline(always)]
    fn exp_of(self) -> Self {
        /// Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
        const ROUND: f32 = 12_582_912.0;
        /// The upper bits of `ln(2)`, few enough that the product with an integer exponent is exact.
        const LN_2_HIGH: f32 = 0.693_359_4;
        /// The remainder of `ln(2)`.
        const LN_2_LOW: f32 = -2.121_944_4e-4;
        let clamped = if self < -80.0 { -80.0 } else { self };
        let shifted = clamped * std::f32::consts::LOG2_E + ROUND;
        let n = shifted - ROUND;
        let r = (clamped - n * LN_2_HIGH) - n * LN_2_LOW;
        let mut p = 1.0 / 5_040.0;
        p = p * r + 1.0 / 720.0;
        p = p * r + 1.0 / 120.0;
        p = p * r + 1.0 / 24.0;
        p = p * r + 1.0 / 6.0;
        p = p * r + 0.5;
        p = p * r + 1.0;
        p = p * r + 1.0;
        let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(127 << 23));
        if self < -80.0 { 0.0 } else { p * power }
    }
}

/// The largest value of a padded row; NaN is ignored. Entries after the last whole [`LANES`] are
/// not read.
#[inline(always)]
pub(crate) fn max<T: Real>(row: &[T]) -> T {
    let mut most = [T::LOWEST; LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for (most, &value) in most.iter_mut().zip(lanes) {
            *most = if value > *most { value } else { *most };
        }
    }
    let larger = |most, value| if value > most { value } else { most };
    most.into_iter().fold(T::LOWEST, larger)
}

/// The sum of a padded row, by lanes. Entries after the last whole [`LANES`] are not read.
#[inline(always)]
pub(crate) fn sum<T: Real>(row: &[T]) -> T {
    let mut sums = [T::default(); LANES];
    for lanes in row.as_chunks::<LANES>().0 {
        for (sum, value) in sums.iter_mut().zip(lanes) {
            *sum += *value;
        }
    }
    sum_lanes(sums)
}

/// The sum of partial sums, as a tree.
#[inline(always)]
pub(crate) fn sum_lanes<T: Real>([a, b, c, d, e, f, g, h]: [T; LANES]) -> T {
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Writes `exp(value - most)` of each value to `exps`; see [`Real::exp_of`]. Values are at most
/// `most`; negative infinity gives 0, NaN gives NaN.
#[inline(always)]
pub(crate) fn exp_minus<T: Real>(row: &[T], most: T, exps: &mut [T]) {
    for (value, exp) in row.iter().zip(exps) {
        *exp = (*value - most).exp_of();
    }
}

/// Adds a multiple of a row. The sums are copied, because the compiler vectorises the loop only if it
/// knows that the rows do not overlap.
#[inline(always)]
pub(crate) fn add_multiple<T: Real, const N: usize>(sums: &mut [T; N], factor: T, row: &[T; N]) {
    let mut copy = *sums;
    for lane in 0..N {
        copy[lane] += factor * row[lane];
    }
    *sums = copy;
}

/// A square matrix of padded rows, stored as panels of columns for products with row vectors.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Panels<T> {
    /// Number of rows and of columns, a multiple of [`LANES`].
    width: usize,
    /// As many panels of 32 columns as fit, then a panel of 16 and a panel of 8 columns if needed;
    /// each is row-major. A panel that begins at column `c` is at offset `c * width`.
    values: Aligned<T>,
}

impl<T: Real> Panels<T> {
    /// A matrix with all entries equal to `value`; `width` is a multiple of [`LANES`].
    pub(crate) fn new(width: usize, value: T) -> Self {
        let mut values = Aligned::new(width * width);
        values.fill(value);
        Self { width, values }
    }

    /// Sets an entry. Too slow for inner loops, since the panel is determined by a division.
    pub(crate) fn set(&mut self, row: usize, column: usize, value: T) {
        let wide = self.width / 32 * 32;
        let (start, size) = match self.width % 32 {
            _ if column < wide => (column / 32 * 32, 32),
            16 | 24 if column < wide + 16 => (wide, 16),
            24 => (wide + 16, 8),
            _ => (wide, 8),
        };
        self.values[start * self.width + row * size + column - start] = value;
    }

    /// Copies a row-major matrix.
    #[inline(always)]
    pub(crate) fn copy_from(&mut self, matrix: &[T]) {
        let (mut column, mut panels) = (0, &mut *self.values);
        while column < self.width {
            let size = match self.width - column {
                32.. => 32,
                16.. => 16,
                _ => LANES,
            };
            let panel;
            (panel, panels) = panels.split_at_mut(self.width * size);
            for (out, row) in panel
                .chunks_exact_mut(size)
                .zip(matrix.chunks_exact(self.width))
            {
                out.copy_from_slice(&row[column..column + size]);
            }
            column += size;
        }
    }

    /// `out = vector * matrix`: `out[to]` is the sum of `vector[from] * matrix[from, to]`. Both
    /// rows have `width` entries.
    #[inline(always)]
    pub(crate) fn multiply(&self, vector: &[T], out: &mut [T]) {
        let (mut values, mut out) = (&*self.values, out);
        while out.len() >= 32 {
            (values, out) = product::<T, 32, 1>(vector, values, out);
        }
        if out.len() >= 16 {
            (values, out) = product::<T, 16, 2>(vector, values, out);
        }
        if out.len() >= 8 {
            product::<T, 8, 4>(vector, values, out);
        }
    }

    /// The product in the max-plus semiring: `out[to]` is the largest
    /// `vector[from] + matrix[from, to]`; negative infinity if all are NaN. NaN is ignored.
    #[inline(always)]
    pub(crate) fn max_plus(&self, vector: &[T], out: &mut [T]) {
        let (mut values, mut out) = (&*self.values, out);
        while out.len() >= 32 {
            (values, out) = max_sum::<T, 32>(vector, values, out);
        }
        if out.len() >= 16 {
            (values, out) = max_sum::<T, 16>(vector, values, out);
        }
        if out.len() >= 8 {
            max_sum::<T, 8>(vector, values, out);
        }
    }
}

/// The max-plus product with the first panel, of `N` columns; returns the remaining panels and the
/// remaining output.
#[inline(always)]
fn max_sum<'a, 'b, T: Real, const N: usize>(
    vector: &[T],
    panels: &'a [T],
    out: &'b mut [T],
) -> (&'a [T], &'b mut [T]) {
    let (panel, panels) = panels.split_at(vector.len() * N);
    let (out, rest) = out.split_at_mut(N);
    let mut most = [T::LOWEST; N];
    for (term, row) in vector.iter().zip(panel.as_chunks::<N>().0) {
        for lane in 0..N {
            let sum = *term + row[lane];
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
fn product<'a, 'b, T: Real, const N: usize, const SETS: usize>(
    vector: &[T],
    panels: &'a [T],
    out: &'b mut [T],
) -> (&'a [T], &'b mut [T]) {
    let (panel, panels) = panels.split_at(vector.len() * N);
    let (out, rest) = out.split_at_mut(N);
    let mut sums = [[T::default(); N]; SETS];
    let rows = panel.as_chunks::<N>().0.as_chunks::<SETS>().0;
    for (factors, rows) in vector.as_chunks::<SETS>().0.iter().zip(rows) {
        for set in 0..SETS {
            add_multiple(&mut sums[set], factors[set], &rows[set]);
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
/// `sums`: a product of a transposed matrix with a matrix, in blocks of sums that stay in registers.
pub(crate) struct AddOuterProducts<'a, T> {
    /// Table whose columns correspond to the rows of `sums`.
    pub(crate) left: &'a [T],
    /// Table whose columns correspond to the columns of `sums`; has as many rows as `left`.
    pub(crate) right: &'a [T],
    /// Row length of both tables, and number of rows and columns of `sums`.
    pub(crate) width: usize,
    /// Factor of all products.
    pub(crate) weight: T,
    /// The sums, row-major.
    pub(crate) sums: &'a mut [T],
}

impl<T: Real> Kernel for AddOuterProducts<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        for first in (0..self.width).step_by(4) {
            let mut column = 0;
            // 4 x 16 sums of `f32` need 8 registers of 256 bits.
            while size_of::<T>() == 4 && self.width - column >= 16 {
                self.block::<16>(first, column);
                column += 16;
            }
            while column < self.width {
                self.block::<LANES>(first, column);
                column += LANES;
            }
        }
    }
}

impl<T: Real> AddOuterProducts<'_, T> {
    /// Computes 4 rows of `N` columns of the sums.
    #[inline(always)]
    fn block<const N: usize>(&mut self, first: usize, column: usize) {
        let [mut a, mut b, mut c, mut d] = [[T::default(); N]; 4];
        let rows = self.left.chunks_exact(self.width);
        for (left, right) in rows.zip(self.right.chunks_exact(self.width)) {
            let factors = left[first..].first_chunk();
            if let (Some(factors), Some(right)) = (factors, right[column..].first_chunk()) {
                let [fa, fb, fc, fd]: &[T; 4] = factors;
                add_multiple(&mut a, *fa, right);
                add_multiple(&mut b, *fb, right);
                add_multiple(&mut c, *fc, right);
                add_multiple(&mut d, *fd, right);
            }
        }
        for (row, products) in [a, b, c, d].iter().enumerate() {
            let sums = &mut self.sums[(first + row) * self.width + column..][..N];
            for (sum, product) in sums.iter_mut().zip(products) {
                *sum += self.weight * *product;
            }
        }
    }
}

/// Adds the elementwise products, times `weight`, to `sums`. The shortest of the three slices
/// determines the length.
pub(crate) struct AddProducts<'a, T> {
    pub(crate) left: &'a [T],
    pub(crate) right: &'a [T],
    pub(crate) weight: T,
    pub(crate) sums: &'a mut [T],
}

impl<T: Real> Kernel for AddProducts<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let pairs = self.left.iter().zip(self.right);
        for (sum, (left, right)) in self.sums.iter_mut().zip(pairs) {
            *sum += self.weight * (*left * *right);
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
        assert_eq!(f64::NEG_INFINITY.exp_of(), 0.0);
        assert_eq!(0.0_f64.exp_of(), 1.0);
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
