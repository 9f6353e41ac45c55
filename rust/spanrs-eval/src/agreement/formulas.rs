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

/// Returns the weight of a pair of annotators in means: its number of common positions, or 1 if
/// documents have no positions, such as texts without tokens, but may have spans.
pub(super) fn pair_weight(positions: f64) -> f64 {
    if positions > 0.0 { positions } else { 1.0 }
}

/// Cohen's kappa (1960) from numbers of positions by the labels of two annotators.
///
/// Reused for many pairs and documents, because there may be many labels of which each has few.
pub(super) struct Kappa {
    /// By label, the numbers of the first and of the second annotator.
    sides: Vec<(f64, f64)>,
    /// Labels with numbers.
    touched: Vec<u32>,
    equal: f64,
    /// Number of positions.
    total: f64,
}

impl Kappa {
    pub(super) fn new(labels: usize) -> Self {
        Self {
            sides: vec![(0.0, 0.0); labels],
            touched: Vec::new(),
            equal: 0.0,
            total: 0.0,
        }
    }

    pub(super) fn add(&mut self, first: u32, second: u32, number: f64) {
        if number == 0.0 {
            return;
        }
        for (label, number) in [(first, (number, 0.0)), (second, (0.0, number))] {
            let sides = &mut self.sides[label as usize];
            if *sides == (0.0, 0.0) {
                self.touched.push(label);
            }
            *sides = (sides.0 + number.0, sides.1 + number.1);
        }
        self.total += number;
        if first == second {
            self.equal += number;
        }
    }

    /// Returns kappa and the number of positions, and removes all positions.
    pub(super) fn take(&mut self) -> (f64, f64) {
        let products: f64 = (self.touched.drain(..))
            .map(|label| {
                let (first, second) = std::mem::take(&mut self.sides[label as usize]);
                first * second
            })
            .sum();
        let (equal, total) = (
            std::mem::take(&mut self.equal),
            std::mem::take(&mut self.total),
        );
        let square = total * total;
        // All numbers are integers, so the comparison is exact.
        let kappa = if products < square {
            (equal * total - products) / (square - products)
        } else {
            f64::NAN
        };
        (kappa, total)
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
/// of two annotators. Reused as [`Kappa`].
pub(super) struct Nominal {
    /// Number of values of each label.
    shares: Vec<f64>,
    /// Labels with values.
    touched: Vec<u32>,
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
            touched: Vec::new(),
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
    pub(super) fn add(&mut self, annotators: f64, first: u32, second: u32, number: f64) {
        if number == 0.0 {
            return;
        }
        // A pair of values counts 1 / (m - 1) in each order.
        let weight = number / (annotators - 1.0);
        for label in [first, second] {
            let share = &mut self.shares[label as usize];
            if *share == 0.0 {
                self.touched.push(label);
            }
            *share += weight;
        }
        if first == second {
            self.equal += 2.0 * weight;
            self.agreed += 2.0 * number / (annotators * (annotators - 1.0));
        }
    }

    /// Returns Fleiss' kappa (1971) and Krippendorff's alpha, and removes all positions; NaN if
    /// there is only one label.
    ///
    /// Positions may have different numbers of labels: all positions have the same weight in the
    /// observed agreement of Fleiss' kappa.
    pub(super) fn take(&mut self) -> (f64, f64) {
        let (mut total, mut squares) = (0.0, 0.0);
        for label in self.touched.drain(..) {
            let share = std::mem::take(&mut self.shares[label as usize]);
            total += share;
            squares += share * share;
        }
        let equal = std::mem::take(&mut self.equal);
        let agreed = std::mem::take(&mut self.agreed);
        let positions = std::mem::take(&mut self.positions);
        let chance = squares / (total * total);
        let fleiss = if chance < 1.0 {
            (agreed / positions - chance) / (1.0 - chance)
        } else {
            f64::NAN
        };
        let chance = (total * total - squares) / (total - 1.0);
        (fleiss, one_less(total - equal, chance))
    }
}

/// Krippendorff's alpha of the presence of each type at a position.
///
/// Visits only the types of the labels of a cell; the values without a type follow from the totals
/// of documents with the same number of annotators.
pub(super) struct TypeAlphas {
    /// By type, in the current documents: numbers of values with the type, and of pairs of
    /// annotators and positions of which one has the type.
    current: Vec<(f64, f64)>,
    /// By type, as weighted in alpha: values without and with the type, and pairs of unequal
    /// values.
    sums: Vec<[f64; 3]>,
    /// Pairs of annotators and positions in the current documents.
    pairs: f64,
}

impl TypeAlphas {
    pub(super) fn new(types: usize) -> Self {
        Self {
            current: vec![(0.0, 0.0); types],
            sums: vec![[0.0; 3]; types],
            pairs: 0.0,
        }
    }

    /// Adds pairs of annotators and positions with these labels.
    pub(super) fn add(&mut self, labels: &Labels, first: u32, second: u32, number: f64) {
        self.pairs += number;
        let sides = [labels.types(first), labels.types(second)];
        for (types, others) in [(sides[0], sides[1]), (sides[1], sides[0])] {
            for ty in types {
                let current = &mut self.current[*ty as usize];
                current.0 += number;
                if first != second && others.binary_search(ty).is_err() {
                    current.1 += number;
                }
            }
        }
    }

    /// Ends the documents with this number of annotators.
    pub(super) fn end(&mut self, annotators: f64) {
        let values = 2.0 * std::mem::take(&mut self.pairs);
        for (current, sums) in self.current.iter_mut().zip(&mut self.sums) {
            // All numbers are integers, so a type of all positions leaves exactly 0.
            let (present, different) = std::mem::take(current);
            for (sum, number) in sums
                .iter_mut()
                .zip([values - present, present, 2.0 * different])
            {
                *sum += number / (annotators - 1.0);
            }
        }
    }

    /// Returns alpha of a type; NaN if all positions or no positions have it.
    pub(super) fn alpha(&self, ty: u32) -> f64 {
        let [absent, present, different] = self.sums[ty as usize];
        let total = absent + present;
        one_less(different, 2.0 * absent * present / (total - 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_spaces_are_empty_after_use() {
        let (mut kappa, mut nominal) = (Kappa::new(4), Nominal::new(4));
        let mut measure = |cells: &[(u32, u32, f64)]| {
            nominal.add_positions(cells.iter().map(|cell| cell.2).sum());
            for &(first, second, number) in cells {
                kappa.add(first, second, number);
                nominal.add(2.0, first, second, number);
            }
            (kappa.take(), nominal.take())
        };
        let cells = [(1, 1, 3.0), (1, 2, 1.0), (2, 2, 4.0)];
        let before = measure(&cells);
        // Observed 7 / 8, expected (4 * 3 + 4 * 5) / 64.
        assert_eq!(before.0, (0.75, 8.0));
        measure(&[(0, 3, 2.0), (3, 1, 5.0), (2, 2, 0.0)]);
        assert_eq!(measure(&cells), before);
    }

    #[test]
    fn alphas_of_types_are_those_of_two_labels() {
        let mut labels = Labels::default();
        let sets: Vec<u32> = [&[0, 1][..], &[1], &[1, 2], &[]]
            .iter()
            .map(|types| labels.number(types))
            .collect();
        let groups = [
            (
                2.0,
                vec![(0, 0, 2.0), (0, 1, 1.0), (1, 2, 3.0), (0, 2, 0.0)],
            ),
            (4.0, vec![(1, 1, 6.0), (0, 2, 5.0), (2, 2, 1.0)]),
        ];
        let mut all = TypeAlphas::new(4);
        for (annotators, cells) in &groups {
            for &(first, second, number) in cells {
                all.add(&labels, sets[first], sets[second], number);
            }
            all.end(*annotators);
        }
        for ty in 0..4 {
            let mut nominal = Nominal::new(2);
            for (annotators, cells) in &groups {
                let has = |set: usize| u32::from(labels.types(sets[set]).contains(&ty));
                for &(first, second, number) in cells {
                    nominal.add(*annotators, has(first), has(second), number);
                }
            }
            let (alpha, expected) = (all.alpha(ty), nominal.take().1);
            // All positions have type 1, and none has type 3.
            assert_eq!(alpha.is_nan(), ty % 2 == 1);
            assert!(alpha.is_nan() && expected.is_nan() || (alpha - expected).abs() < 1e-12);
        }
    }
}
