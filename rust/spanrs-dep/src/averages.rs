//! Averaged weights as a list of rows. They are the result of training, are summed over models with different seeds,
//! and are the source of the frozen tables.
//!
//! These operations make a model from several runs: [`Averages::sum`] adds the weights of several seeds (the sum of
//! linear models is a linear model, with less variance than each model and the same speed), [`Averages::pruned`] drops
//! features whose weights are all small, [`Averages::largest_weights`] keeps a number of weights, and `by_use` moves
//! frequent features to the front, so that their cells share cache lines in the tables.

use std::collections::HashMap;

use spanrs_base::Jagged;

use crate::learner::Learner;

/// Averaged weights of features, in rows of (class, weight).
///
/// The classes in a row are increasing, weights are not 0, and no row is empty. Rows are in the order in which the
/// features were first touched, unless the documentation of an operation says otherwise.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Averages, Learner};
/// let mut learner = Learner::default();
/// for (feature, times) in [(7, 3), (8, 1)] {
///     for _ in 0..times {
///         learner.score(&[feature], &mut [0; 2]);
///         learner.update(0, 1, &[feature], 1);
///     }
/// }
/// let averages = Averages::of(&learner);
/// assert_eq!(averages.len(), 1, "the last update is not in any average");
/// let both = Averages::sum([&averages, &averages]);
/// assert_eq!(both.rows().next(), Some((7, &[(0, 3.0), (1, -3.0)][..])));
/// assert!(averages.pruned(2.0).is_empty());
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Averages {
    /// Hash of each feature; all different.
    features: Vec<u64>,
    /// Number of times each feature was looked up in training; 0 if unknown.
    uses: Vec<u32>,
    /// Classes and weights of each row.
    cells: Jagged<(u32, f64)>,
}

impl Averages {
    /// Returns the averages of a learner: the sum of each weight over all updates, divided by the number of updates.
    /// Features whose averages are all 0 are dropped.
    pub fn of(learner: &Learner) -> Self {
        Self::averaged_by(learner, |sum, updates| sum / updates)
    }

    /// Returns the averages as [`Averages::of`] does, rounded to three decimals like parser.py and NLTK; weights that
    /// become 0 are dropped.
    pub(crate) fn rounded(learner: &Learner) -> Self {
        Self::averaged_by(learner, |sum, updates| {
            thousandths(sum / updates) as f64 / 1000.0
        })
    }

    /// Returns the rows of a learner with `average(sum, updates)` as weights, sorted by class.
    fn averaged_by(learner: &Learner, average: impl Fn(f64, f64) -> f64) -> Self {
        let updates = learner.updates() as f64;
        let mut all = Self::default();
        learner.sums(|feature, uses, sums| {
            let row = sums
                .iter()
                .map(|&(class, sum)| (class, average(sum as f64, updates)));
            let mut row: Vec<(u32, f64)> = row.collect();
            row.sort_unstable_by_key(|(class, _)| *class);
            all.push_used(feature, uses, row);
        });
        all
    }

    /// Appends a row with an unknown number of lookups. Weights of 0 are dropped, and a row without weights is not
    /// added. `row` must be sorted by class, and the feature must not have a row yet.
    pub(crate) fn push(&mut self, feature: u64, row: impl IntoIterator<Item = (u32, f64)>) {
        self.push_used(feature, 0, row);
    }

    /// Appends a row as [`Averages::push`] does, with the number of times the feature was looked up.
    fn push_used(&mut self, feature: u64, uses: u32, row: impl IntoIterator<Item = (u32, f64)>) {
        let before = self.cells.ends().total();
        let cells = self.cells.values_mut();
        cells.extend(row.into_iter().filter(|(_, weight)| *weight != 0.0));
        if cells.len() > before {
            self.features.push(feature);
            self.uses.push(uses);
            self.cells.end();
        }
    }

    /// Number of rows: features with a weight that is not 0.
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Returns true if no feature has a weight.
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// Returns the features with their rows of (class, weight), sorted by class.
    pub fn rows(&self) -> impl Iterator<Item = (u64, &[(u32, f64)])> {
        self.features.iter().copied().zip(self.cells.rows())
    }

    /// Returns the largest absolute weight; 0 without weights.
    pub(crate) fn largest(&self) -> f64 {
        let weights = self.cells.values().iter().map(|(_, weight)| weight.abs());
        weights.fold(0.0, f64::max)
    }

    /// Returns the rows with at least one weight of at least `threshold` in absolute value; these rows keep their
    /// smaller weights. A threshold of 0 keeps all rows.
    #[must_use]
    pub fn pruned(&self, threshold: f64) -> Self {
        let mut kept = Self::default();
        for ((feature, row), &uses) in self.rows().zip(&self.uses) {
            if row.iter().any(|(_, weight)| weight.abs() >= threshold) {
                kept.push_used(feature, uses, row.iter().copied());
            }
        }
        kept
    }

    /// Returns the `count` weights with the largest `abs(weight) * uses^(1/4)`, where `uses` is the number of times the
    /// feature was looked up in training (1 if unknown). Rows without such a weight are dropped. Of equal values those
    /// of earlier rows are kept, and within a row those of smaller classes.
    ///
    /// A large weight of a rare feature affects few decisions. Without the factor for uses, a parser of UD EWT with 0.8
    /// of its 8.1 million weights loses 0.5 in UAS on the development set, with it 0.3.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{Averages, Learner};
    /// let mut learner = Learner::default();
    /// for (feature, class) in [(7, 0), (8, 1), (7, 2)] {
    ///     learner.score(&[feature], &mut [0; 4]);
    ///     learner.update(class, 3, &[feature], 1);
    /// }
    /// learner.update(0, 0, &[], 1);
    /// let kept = Averages::of(&learner).largest_weights(3);
    /// let rows: Vec<_> = kept.rows().collect();
    /// assert_eq!(rows, [(7, &[(0, 0.75), (3, -1.0)][..]), (8, &[(1, 0.5)])]);
    /// ```
    #[must_use]
    pub fn largest_weights(&self, count: usize) -> Self {
        // Square roots are exact on all platforms, other powers are not.
        let factor = |uses: u32| f64::from(uses.max(1)).sqrt().sqrt();
        let rows = || (self.rows().zip(&self.uses)).map(|((_, row), &uses)| (row, factor(uses)));
        let value = |weight: f64, factor: f64| weight.abs() * factor;
        let values =
            rows().flat_map(|(row, factor)| row.iter().map(move |cell| value(cell.1, factor)));
        let mut values: Vec<f64> = values.collect();
        if count >= values.len() {
            return self.clone();
        }
        let (larger, &mut least, _) = values.select_nth_unstable_by(count, |a, b| b.total_cmp(a));
        // Values in front of the selected one may be equal to it.
        let mut ties = larger.iter().filter(|&&value| value == least).count();
        let mut kept = Self::default();
        for ((&feature, &uses), (row, factor)) in self.features.iter().zip(&self.uses).zip(rows()) {
            let own = row.iter().copied().filter(|(_, weight)| {
                let value = value(*weight, factor);
                let is_kept_tie = value == least && ties > 0;
                ties -= usize::from(is_kept_tie);
                value > least || is_kept_tie
            });
            kept.push_used(feature, uses, own);
        }
        kept
    }

    /// Returns the `count` largest weights as [`Averages::largest_weights`] does; 0 means all weights.
    pub(crate) fn at_most(self, count: usize) -> Self {
        if count == 0 {
            self
        } else {
            self.largest_weights(count)
        }
    }

    /// Returns the weights times a factor, which must not be 0.
    #[must_use]
    pub(crate) fn scaled(mut self, factor: f64) -> Self {
        for (_, weight) in self.cells.values_mut() {
            *weight *= factor;
        }
        self
    }

    /// Number of weights.
    pub fn weight_count(&self) -> usize {
        self.cells.values().len()
    }

    /// Returns the rows sorted by number of lookups, the most frequent first; equally frequent rows keep their order.
    /// The frozen tables store rows in this order.
    #[must_use]
    pub(crate) fn by_use(&self) -> Self {
        let rows: Vec<_> = self.rows().zip(&self.uses).collect();
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|&at| std::cmp::Reverse(rows[at].1));
        let mut sorted = Self::default();
        for at in order {
            let ((feature, row), &uses) = rows[at];
            sorted.push_used(feature, uses, row.iter().copied());
        }
        sorted
    }

    /// Returns the sum of models; a single model is returned unchanged.
    pub(crate) fn total(mut models: Vec<Self>) -> Self {
        match models.len() {
            1 => models.pop().unwrap_or_default(),
            _ => Self::sum(&models),
        }
    }

    /// Adds up the weights and lookup counts of several models. Rows are in the order of their first occurrence, and
    /// weights that sum to 0 are dropped.
    ///
    /// Floats are added in the order of the models, so the last bits of the result depend on this order. The sum is not
    /// divided by the number of models, since scores are only compared with each other.
    #[must_use]
    pub fn sum<'a>(models: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut index: HashMap<u64, usize> = HashMap::new();
        let mut order = Vec::new();
        let mut rows: Vec<Vec<(u32, f64)>> = Vec::new();
        let mut all_uses: Vec<u32> = Vec::new();
        for model in models {
            for ((feature, row), uses) in model.rows().zip(&model.uses) {
                let at = *index.entry(feature).or_insert_with(|| {
                    order.push(feature);
                    rows.push(Vec::new());
                    all_uses.push(0);
                    rows.len() - 1
                });
                all_uses[at] = all_uses[at].saturating_add(*uses);
                for &(class, weight) in row {
                    match rows[at].iter_mut().find(|known| known.0 == class) {
                        Some(known) => known.1 += weight,
                        None => rows[at].push((class, weight)),
                    }
                }
            }
        }
        let mut sum = Self::default();
        for ((feature, mut row), uses) in order.into_iter().zip(rows).zip(all_uses) {
            row.sort_unstable_by_key(|(class, _)| *class);
            sum.push_used(feature, uses, row);
        }
        sum
    }
}

/// Returns Python's `round(value, 3)` in thousandths: the multiple of 0.001 nearest to the exact value of the double,
/// ties to even.
///
/// `value * 1000.0` is rounded, which can turn a value close to a tie into a tie or the reverse (`0.0005` is slightly
/// more than half a thousandth and becomes 1, `1.0005` slightly less and becomes 1000), so values near a tie are
/// decided in 128-bit integers from mantissa and exponent.
pub(crate) fn thousandths(value: f64) -> i64 {
    let scaled = value * 1000.0;
    let nearest = scaled.round_ties_even();
    let distance = (scaled - nearest).abs();
    if (distance - 0.5).abs() > 1e-6 {
        return nearest as i64;
    }
    // Close to a tie, where the product may have been rounded: value = mantissa * 2^exponent exactly.
    let bits = value.abs().to_bits();
    let exponent = (bits >> 52) as i32 - 1075;
    let mantissa = i128::from((bits & ((1 << 52) - 1)) | 1 << 52) * 1000;
    // Half a thousandth is at least 2^-11, so that the exponent is between -64 and 0 here.
    let shift = (-exponent).clamp(1, 100) as u32;
    let (whole, rest) = (mantissa >> shift, mantissa & ((1 << shift) - 1));
    let half = 1_i128 << (shift - 1);
    let up = rest > half || rest == half && whole % 2 == 1;
    let rounded = whole as i64 + i64::from(up);
    if value < 0.0 { -rounded } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_as_python_does() {
        // round(x, 3) of CPython 3.11.
        let cases = [
            (0.0625, 62),
            (0.1875, 188),
            (0.0005, 1),    // a little above
            (1.0005, 1000), // a little below
            (-0.0625, -62),
            (-2.0015, -2002),
            (1e-9, 0),
            (0.0, 0),
            (55.4965, 55496),
            (12.3455, 12345),
            (2.6745, 2675),
        ];
        for (value, expected) in cases {
            assert_eq!(thousandths(value), expected, "{value}");
        }
    }

    #[test]
    fn sums_are_of_all_models() {
        let mut a = Averages::default();
        a.push(7, [(0, 1.0), (1, -1.0)]);
        let mut b = Averages::default();
        b.push(7, [(1, 1.0), (2, 0.5)]);
        b.push(8, [(0, 0.25)]);
        let sum = Averages::sum([&a, &b]);
        let rows: Vec<_> = sum.rows().collect();
        assert_eq!(rows[0], (7, &[(0, 1.0), (2, 0.5)][..]));
        assert_eq!(rows[1], (8, &[(0, 0.25)][..]));
        assert_eq!(sum.pruned(0.3).len(), 1);
    }
}
