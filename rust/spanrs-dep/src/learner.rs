//! The averaged perceptron in integers.
//!
//! Sources: Freund and Schapire (1999), "Large margin classification using the perceptron
//! algorithm"; Collins (2002), "Discriminative training methods for hidden Markov models".
//!
//! # Algorithm
//!
//! The score of a class is the sum of its weights over the features of an example; all features are
//! binary. After a wrong guess the weights of the features increase by a step for the correct class
//! and decrease by the same step for the guessed class. The final weights are the mean of the
//! weights with which the examples were scored,
//!
//! ```text
//! average(f, c) = (1 / T) * sum over t = 1..T of w_t(f, c)       w_t: the weight before update t
//!                                                                T: number of updates
//! ```
//!
//! which generalise better than the last weights. The sum is kept lazily as in parser.py: each
//! weight stores the number of the last update that changed it, and the sum up to that update. At
//! the next change, `(now - since) * weight` is added to the sum. An update takes O(features), not
//! O(weights).
//!
//! # Storage
//!
//! A feature is identified only by its hash. `FeatureIndex` maps the hash to a row; a row lists the
//! classes that an update has touched, with the weight of each, in the order in which they were
//! touched. Rows are slices of two parallel vectors, `weights` (read by every score) and `sums`
//! (read by updates only). A full row moves to a slice of twice the capacity, and the old slice is
//! added to the free list for its size.
//!
//! | | weights (8 bytes each) | sums (16 bytes each) |
//! |---|---|---|
//! | feature 1 | (VERB, 2) (NOUN, -2) | (total, since) of each |
//! | feature 2 | (NOUN, 1) (VERB, -1) (ADJ, 0) and one unused | |
//!
//! Memory is 12 bytes per feature plus 21 to 43 bytes for the index, and 24 bytes per cell of a
//! row; capacities are 2, 4, 8 ... cells.
//!
//! # Exactness
//!
//! Weights and sums are integers, so averages are exact, do not depend on the order of additions,
//! and equal the averages that parser.py computes with floats, whose sums of whole numbers are also
//! exact.

use crate::averages::Averages;
use crate::feature_index::FeatureIndex;

/// The weight of a feature for a class.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    /// The class; cells after the length of their row are unused.
    class: u32,
    /// The weight after the last update, in steps; saturates at the limits of the type.
    weight: i32,
}

/// The state of a weight that averaging needs.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Sum of the weight before each of the updates 1 to `since`.
    total: i64,
    /// Number of the last update (from 1) that changed or added the weight.
    since: u64,
}

/// The slice of `weights` and `sums` that belongs to a feature.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Index of the first cell.
    start: u32,
    /// Number of cells in use: classes that an update has touched.
    len: u16,
    /// Number of cells allocated for the row: 0, or a power of two of at least 2.
    capacity: u16,
    /// Number of times the feature has been looked up since it was added; saturates. Frozen tables
    /// store frequent features first.
    uses: u32,
}

/// Weights in training.
///
/// A feature has weights only for the classes that an update has touched: memory grows with the
/// updates, not with features times classes. A learner belongs to one trainer and thread. It does
/// not store the number of classes; the caller's score slice determines it.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Averages, Learner};
/// let mut learner = Learner::default();
/// let (features, mut scores) = ([7, 8], [0; 2]);
/// learner.score(&features, &mut scores);
/// learner.update(1, 0, &features, 1); // class 1 is correct, 0 was guessed
/// learner.score(&features, &mut scores);
/// assert_eq!(scores, [-2, 2]);
/// learner.update(1, 1, &features, 1); // a correct guess counts towards the average
/// let averages = Averages::of(&learner);
/// let first = averages.rows().next();
/// assert_eq!(first, Some((7, &[(0, -0.5), (1, 0.5)][..])));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Learner {
    /// The row of each feature.
    index: FeatureIndex,
    /// Rows in the order in which their features were first touched.
    rows: Vec<Row>,
    /// The cells of all rows.
    weights: Vec<Weight>,
    /// The state for averaging, parallel to `weights`.
    sums: Vec<Sum>,
    /// Starts of unused slices, by the logarithm to base 2 of their capacity.
    free: Vec<Vec<u32>>,
    /// Number of calls of [`Learner::update`], including correct guesses.
    updates: u64,
    /// Number of updates that changed weights, and the sum of the steps of these updates.
    steps: (u64, i64),
    /// Rows of the features in the last call of [`Learner::score`], [`NONE`] for unknown features;
    /// saves [`Learner::update`] a second lookup.
    found: Vec<u32>,
    /// True if no weights can be added: updates only change the weights that the learner started with.
    is_fixed: bool,
}

/// The row of a feature that is not in the index.
const NONE: u32 = u32::MAX;

impl Learner {
    /// Returns a learner that has the weights of `averages`, all 0, and adds no others.
    pub(crate) fn with_weights_of(averages: &Averages) -> Self {
        let mut learner = Self::default();
        for (feature, cells) in averages.rows() {
            let row = learner.add_row(feature);
            for &(class, _) in cells {
                learner.find_or_add_cell(row, class);
            }
        }
        learner.is_fixed = true;
        learner
    }

    /// Writes the score of each class into `scores`: the sum of the weights of the features, or 0
    /// if there are no weights. Takes time proportional to the number of features plus the cells of
    /// their rows.
    ///
    /// A feature that occurs twice counts twice, so features must be distinct. `scores` must have
    /// an entry for every class passed to an update.
    ///
    /// # Panics
    /// If a touched class is not less than the length of `scores`.
    pub fn score(&mut self, features: &[u64], scores: &mut [i64]) {
        scores.fill(0);
        self.found.clear();
        self.index.find_all(features, &mut self.found);
        for &row in &self.found {
            if row == NONE {
                continue;
            }
            let row = &mut self.rows[row as usize];
            row.uses = row.uses.saturating_add(1);
            let own = &self.weights[row.start as usize..][..usize::from(row.len)];
            for weight in own {
                scores[weight.class as usize] += i64::from(weight.weight);
            }
        }
    }

    /// Counts an update, and if `guess` is not `truth`, adds `step` to the weights of the features
    /// for `truth` and subtracts it from the weights for `guess`.
    ///
    /// The features must be the same as in the last call of [`Learner::score`], in the same order,
    /// because their rows are cached. A call with `truth == guess` only counts towards the average.
    pub fn update(&mut self, truth: u32, guess: u32, features: &[u64], step: i32) {
        self.updates += 1;
        if truth == guess {
            return;
        }
        self.steps.0 += 1;
        self.steps.1 += i64::from(step);
        for (at, &feature) in features.iter().enumerate() {
            let row = match self.found[at] {
                NONE if self.is_fixed => continue,
                NONE => self.add_row(feature),
                known => known,
            };
            self.change(row, truth, step);
            self.change(row, guess, -step);
        }
    }

    /// Counts an update whose changes, if any, are made with [`Learner::add`].
    pub(crate) fn count_update(&mut self) {
        self.updates += 1;
    }

    /// Adds `step` to the weights of the features for a class, as a part of the last counted update. The features need
    /// not have been scored.
    pub(crate) fn add(&mut self, features: &[u64], class: u32, step: i32) {
        self.found.clear();
        self.index.find_all(features, &mut self.found);
        for (at, &feature) in features.iter().enumerate() {
            let row = match self.found[at] {
                NONE if self.is_fixed => continue,
                NONE => self.add_row(feature),
                known => known,
            };
            self.change(row, class, step);
        }
    }

    /// Adds and returns the row of a feature that was unknown when it was scored. If the feature
    /// occurs twice, the row may already have been added.
    fn add_row(&mut self, feature: u64) -> u32 {
        let new = self.rows.len() as u32;
        let row = self.index.insert(feature, new);
        if row == new {
            self.rows.push(Row::default());
        }
        row
    }

    /// Changes a weight by `step`, after updating its sum to the current update. Weights that a fixed learner does not
    /// have remain 0.
    fn change(&mut self, row: u32, class: u32, step: i32) {
        let Some(at) = self.find_or_add_cell(row, class) else {
            return;
        };
        let (weight, sum) = (&mut self.weights[at].weight, &mut self.sums[at]);
        sum.total += (self.updates - sum.since) as i64 * i64::from(*weight);
        sum.since = self.updates;
        *weight = weight.saturating_add(step);
    }

    /// Returns the index of the cell of a class; a missing cell is added with weight 0, unless the learner is fixed.
    /// Rows are short, so the search is linear.
    fn find_or_add_cell(&mut self, row: u32, class: u32) -> Option<usize> {
        let known = self.rows[row as usize];
        let (start, len) = (known.start as usize, usize::from(known.len));
        let own = &self.weights[start..start + len];
        if let Some(at) = own.iter().position(|weight| weight.class == class) {
            return Some(start + at);
        }
        if self.is_fixed {
            return None;
        }
        if known.len == known.capacity {
            self.grow(row);
        }
        let known = &mut self.rows[row as usize];
        let at = known.start as usize + len;
        known.len += 1;
        self.weights[at] = Weight { class, weight: 0 };
        self.sums[at] = Sum {
            total: 0,
            since: self.updates,
        };
        Some(at)
    }

    /// Moves a row to a slice of twice its capacity, taken from the free slices of that size or
    /// from the end of the vectors.
    fn grow(&mut self, row: u32) {
        let old = self.rows[row as usize];
        let capacity = (old.capacity * 2).max(2);
        let size = capacity.trailing_zeros() as usize;
        self.free.resize(self.free.len().max(size + 1), Vec::new());
        let start = self.free[size].pop().unwrap_or_else(|| {
            let end = self.weights.len();
            let more = end + usize::from(capacity);
            self.weights.resize(more, Weight::default());
            self.sums.resize(more, Sum::default());
            end as u32
        });
        let from = old.start as usize..old.start as usize + usize::from(old.len);
        self.weights.copy_within(from.clone(), start as usize);
        self.sums.copy_within(from, start as usize);
        if old.capacity > 0 {
            self.free[old.capacity.trailing_zeros() as usize].push(old.start);
        }
        self.rows[row as usize] = Row {
            start,
            capacity,
            ..old
        };
    }

    /// Number of updates so far, including correct guesses; the divisor of averages.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Mean step of the updates that changed weights, in weight units; 1 before the first such
    /// update. Pruning thresholds are relative to this step.
    pub fn mean_step(&self) -> f64 {
        match self.steps {
            (0, _) => 1.0,
            (updates, sum) => sum as f64 / updates as f64,
        }
    }

    /// Number of features changed by updates.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns true before the first update that changed weights.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Calls `take` with each feature, in the order in which features were first touched, the
    /// number of times it was looked up, and its (class, sum) pairs, in the order in which the
    /// classes were touched. A sum is over the weight before each update; divide by
    /// [`Learner::updates`] for the average.
    pub fn sums(&self, mut take: impl FnMut(u64, u32, &[(u32, i64)])) {
        let mut features = vec![0; self.rows.len()];
        self.index
            .each(|feature, row| features[row as usize] = feature);
        let mut sums = Vec::new();
        for (feature, row) in features.iter().zip(&self.rows) {
            let own = row.start as usize..row.start as usize + usize::from(row.len);
            sums.clear();
            for (weight, sum) in self.weights[own.clone()].iter().zip(&self.sums[own]) {
                let rest = (self.updates - sum.since) as i64 * i64::from(weight.weight);
                sums.push((weight.class, sum.total + rest));
            }
            take(*feature, row.uses, &sums);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn fixed_learners_update_only_their_weights(
            known in proptest::collection::btree_set((2_u64..8, 0_u32..4), 0..12),
            updates in proptest::collection::vec(
                (proptest::collection::btree_set(2_u64..8, 1..4), 0_u32..4, 0_u32..4),
                0..30,
            ),
        ) {
            let mut averages = Averages::default();
            for feature in 2..8 {
                let row = known.iter().filter(|cell| cell.0 == feature);
                averages.push(feature, row.map(|cell| (cell.1, 5.0)));
            }
            let mut learner = Learner::with_weights_of(&averages);
            let mut expected: BTreeMap<(u64, u32), i64> = BTreeMap::new();
            for (features, truth, guess) in &updates {
                let features: Vec<u64> = features.iter().copied().collect();
                let mut scores = [0; 4];
                learner.score(&features, &mut scores);
                for class in 0..4 {
                    let cells = features.iter().filter_map(|&feature| expected.get(&(feature, class)));
                    prop_assert_eq!(scores[class as usize], cells.sum::<i64>());
                }
                // Both ways to update.
                if truth < guess {
                    learner.update(*truth, *guess, &features, 1);
                } else {
                    learner.count_update();
                    learner.add(&features, *truth, 1);
                    learner.add(&features, *guess, -1);
                }
                for (class, step) in [(truth, 1), (guess, -1)] {
                    for &feature in features.iter().filter(|&&feature| known.contains(&(feature, *class))) {
                        *expected.entry((feature, *class)).or_default() += step;
                    }
                }
            }
            let mut cells = BTreeSet::new();
            learner.sums(|feature, _, row| cells.extend(row.iter().map(|&(class, _)| (feature, class))));
            prop_assert_eq!(cells, known);
        }
    }
}
