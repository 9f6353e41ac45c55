//! Formulas of agreement; a value is NaN if there is nothing to measure.

use super::labels::Labels;

/// Returns a ratio, NaN if the denominator is 0.
pub(super) fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 {
        numerator / denominator
    } else {
        f64::NAN
    }
}

/// Returns 1 - observed / expected, NaN if nothing is expected.
pub(super) fn one_less(observed: f64, chance: f64) -> f64 {
    if chance > 0.0 {
        1.0 - observed / chance
    } else {
        f64::NAN
    }
}

/// Weighted means of values that are not NaN.
#[derive(Clone, Copy, Debug)]
pub(super) struct Means<const N: usize>([(f64, f64); N]);

impl<const N: usize> Default for Means<N> {
    fn default() -> Self {
        Self([(0.0, 0.0); N])
    }
}

impl<const N: usize> Means<N> {
    pub(super) fn add(&mut self, values: &[f64; N], weight: f64) {
        for (sum, value) in self.0.iter_mut().zip(values) {
            if !value.is_nan() {
                *sum = (sum.0 + weight * value, sum.1 + weight);
            }
        }
    }

    pub(super) fn values(&self) -> [f64; N] {
        self.0.map(|(sum, weight)| ratio(sum, weight))
    }
}

/// Cohen's kappa (1960) from numbers of positions by the labels of two annotators.
pub(super) struct Kappa {
    /// By label, the numbers of the first and of the second annotator.
    sides: Vec<(f64, f64)>,
    equal: f64,
    /// Number of positions.
    pub total: f64,
}

impl Kappa {
    pub(super) fn new(labels: usize) -> Self {
        Self {
            sides: vec![(0.0, 0.0); labels],
            equal: 0.0,
            total: 0.0,
        }
    }

    pub(super) fn add(&mut self, first: u32, second: u32, number: f64) {
        self.sides[first as usize].0 += number;
        self.sides[second as usize].1 += number;
        self.total += number;
        if first == second {
            self.equal += number;
        }
    }

    pub(super) fn value(&self) -> f64 {
        let products: f64 = self
            .sides
            .iter()
            .map(|(first, second)| first * second)
            .sum();
        let square = self.total * self.total;
        // All numbers are integers, so the comparison is exact.
        if products < square {
            (self.equal * self.total - products) / (square - products)
        } else {
            f64::NAN
        }
    }
}

/// Numbers of positions with a type by the first, the second and both annotators of a pair.
pub(super) struct Presence {
    numbers: Vec<[f64; 3]>,
    touched: Vec<u32>,
}

impl Presence {
    pub(super) fn new(types: usize) -> Self {
        Self {
            numbers: vec![[0.0; 3]; types],
            touched: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, labels: &Labels, first: u32, second: u32, number: f64) {
        if number == 0.0 {
            return;
        }
        let (first, second) = (labels.types(first), labels.types(second));
        for (side, types) in [first, second].into_iter().enumerate() {
            for &ty in types {
                if self.numbers[ty as usize] == [0.0; 3] {
                    self.touched.push(ty);
                }
                self.numbers[ty as usize][side] += number;
            }
        }
        for ty in first.iter().filter(|ty| second.binary_search(ty).is_ok()) {
            self.numbers[*ty as usize][2] += number;
        }
    }

    pub(super) fn drain(&mut self, mut each: impl FnMut(u32, f64, f64, f64)) {
        for ty in self.touched.drain(..) {
            let [first, second, both] = std::mem::take(&mut self.numbers[ty as usize]);
            each(ty, first, second, both);
        }
    }
}

/// Krippendorff's alpha for nominal data and Fleiss' kappa, from numbers of positions by the labels
/// of two annotators.
pub(super) struct Nominal {
    /// Number of values of each label.
    shares: Vec<f64>,
    /// Pairs of equal values, as weighted in alpha.
    equal: f64,
    /// Sum over positions of the fraction of agreeing pairs.
    agreed: f64,
    positions: f64,
}

impl Nominal {
    pub(super) fn new(labels: usize) -> Self {
        Self {
            shares: vec![0.0; labels],
            equal: 0.0,
            agreed: 0.0,
            positions: 0.0,
        }
    }

    /// Adds the positions of documents with this number of annotators.
    pub(super) fn add_positions(&mut self, positions: f64) {
        self.positions += positions;
    }

    /// Adds pairs of annotators and positions with these labels.
    pub(super) fn add(&mut self, annotators: f64, first: usize, second: usize, number: f64) {
        // A pair of values counts 1 / (m - 1) in each order.
        let weight = number / (annotators - 1.0);
        self.shares[first] += weight;
        self.shares[second] += weight;
        if first == second {
            self.equal += 2.0 * weight;
            self.agreed += 2.0 * number / (annotators * (annotators - 1.0));
        }
    }

    /// Returns Krippendorff's alpha; NaN if there is only one label.
    pub(super) fn alpha(&self) -> f64 {
        let (total, squares) = self.sums();
        let chance = (total * total - squares) / (total - 1.0);
        one_less(total - self.equal, chance)
    }

    /// Returns Fleiss' kappa (1971); NaN if there is only one label. Positions may have different
    /// numbers of labels: all positions have the same weight in the observed agreement.
    pub(super) fn fleiss(&self) -> f64 {
        let (total, squares) = self.sums();
        let chance = squares / (total * total);
        if chance < 1.0 {
            (self.agreed / self.positions - chance) / (1.0 - chance)
        } else {
            f64::NAN
        }
    }

    fn sums(&self) -> (f64, f64) {
        let squares = self.shares.iter().map(|share| share * share).sum();
        (self.shares.iter().sum(), squares)
    }
}
