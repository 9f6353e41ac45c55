//! The averaged perceptron (Freund and Schapire 1999; Collins 2002) in integers.

use crate::feature_index::FeatureIndex;

/// The weight of a feature for a class.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    class: u32,
    weight: i32,
}

/// What averaging needs to know of a weight.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    /// Sum of the weight over the updates before `since`.
    total: i64,
    /// Number of the update that changed it last.
    since: u64,
}

/// The place of a feature's weights. Capacities are powers of two.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    start: u32,
    len: u16,
    capacity: u16,
    /// How often it was looked up.
    uses: u32,
}

/// Weights in training. A feature is known by its hash, and has weights only for the classes that an update has touched:
/// memory follows the updates, not features times classes.
///
/// Weights are integers, so that averages are exact and do not depend on the order of sums: an update adds a step to the
/// right class and takes it from the guessed one.
#[derive(Clone, Debug, Default)]
pub struct Learner {
    index: FeatureIndex,
    rows: Vec<Row>,
    weights: Vec<Weight>,
    sums: Vec<Sum>,
    /// Free places by the logarithm of their capacity.
    free: Vec<Vec<u32>>,
    updates: u64,
    /// Number of updates that changed weights, and the sum of their steps.
    steps: (u64, i64),
    /// Rows of the features that were scored last.
    found: Vec<u32>,
}

/// No row.
const NONE: u32 = u32::MAX;

impl Learner {
    /// Sums the weights of features, of which none occurs twice, into the scores of the classes.
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

    /// Counts an update; if the guess is wrong, moves the weights of the features by `step`.
    ///
    /// The features must be those scored last.
    pub fn update(&mut self, truth: u32, guess: u32, features: &[u64], step: i32) {
        self.updates += 1;
        if truth == guess {
            return;
        }
        self.steps.0 += 1;
        self.steps.1 += i64::from(step);
        for (at, &feature) in features.iter().enumerate() {
            let row = match self.found[at] {
                NONE => self.add_row(feature),
                known => known,
            };
            self.change(row, truth, step);
            self.change(row, guess, -step);
        }
    }

    fn add_row(&mut self, feature: u64) -> u32 {
        let new = self.rows.len() as u32;
        let row = self.index.insert(feature, new);
        if row == new {
            self.rows.push(Row::default());
        }
        row
    }

    fn change(&mut self, row: u32, class: u32, step: i32) {
        let at = self.place(row, class);
        let (weight, sum) = (&mut self.weights[at].weight, &mut self.sums[at]);
        sum.total += (self.updates - sum.since) as i64 * i64::from(*weight);
        sum.since = self.updates;
        *weight = weight.saturating_add(step);
    }

    /// The place of a weight, which is added if the row has none for the class.
    fn place(&mut self, row: u32, class: u32) -> usize {
        let known = self.rows[row as usize];
        let (start, len) = (known.start as usize, usize::from(known.len));
        let own = &self.weights[start..start + len];
        if let Some(at) = own.iter().position(|weight| weight.class == class) {
            return start + at;
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
        at
    }

    /// Moves a row to a place of twice its capacity.
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

    /// Number of updates so far, those of right guesses included.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// The mean step of the updates that changed weights; 1 before the first.
    pub fn mean_step(&self) -> f64 {
        match self.steps {
            (0, _) => 1.0,
            (updates, sum) => sum as f64 / updates as f64,
        }
    }

    /// Number of features that an update has touched.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// True before the first wrong guess.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Calls `take` with each feature, in the order in which they were first touched, how often
    /// it was looked up, and its (class, sum) pairs: sums of a
    /// weight over all updates. Divide by [`Learner::updates`] for the average.
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
