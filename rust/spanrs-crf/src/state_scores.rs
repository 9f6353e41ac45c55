//! Sums of the weights of a token's attributes, for decoding.
//!
//! The label scores of a token are a sparse matrix-vector product: for each attribute, its weights
//! are added to the scores of the labels with which it has features. Many attributes have a feature
//! with only one label, and frequent attributes have features with most labels, so there are three
//! forms:
//!
//! | labels of the attribute | weights are | cost of an item |
//! |---|---|---|
//! | 1 | in the location itself | one addition, no additional cache miss |
//! | more than 1/4 of the padded row | a dense row | a few vector instructions |
//! | others | in the model's weight vector | one addition per label |
//!
//! Single and sparse weights are added in the order of the items, then the sum of the dense rows,
//! so the scores do not depend on the processor.

use crate::aligned::Aligned;
use crate::features::Features;
use crate::lattice::Lattice;
use crate::sequences::Sequences;
use crate::simd::{Kernel, LANES, dispatch, padded};

/// An attribute gets a dense row if it has weights for more than 1/4 of the padded row, and at
/// least 2.
const DENSE_FRACTION: usize = 4;

/// Value of [`WeightLocation::count`] for a dense row.
const DENSE: u32 = u32::MAX;

/// Where the weights of an attribute are; 16 bytes.
#[derive(Clone, Copy, Debug, Default)]
struct WeightLocation {
    /// The label if `count` is 1, the number of the dense row if `count` is [`DENSE`], else the
    /// index of the first weight.
    start: u32,
    /// Number of weights, or [`DENSE`].
    count: u32,
    /// The weight if `count` is 1, else 0.
    weight: f64,
}

/// The weights of a model in the layout used by decoding: a location per attribute, and the dense
/// rows.
///
/// Attributes with many labels have dense rows because adding them takes a few vector instructions
/// and does not wait for earlier sums of the same label. Immutable; shared by all decoders of a
/// model.
#[derive(Clone, Debug)]
pub(crate) struct StateScores {
    /// The location of each attribute's weights.
    locations: Vec<WeightLocation>,
    /// The dense rows, in the order of their attributes; labels without a feature are 0.
    rows: Aligned<f64>,
    /// Length of a dense row: the number of labels, padded.
    width: usize,
}

/// Work space for [`StateScores::read`], owned by a decoder and cleared at each sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Location and value of each item of the sequence.
    locations: Vec<(WeightLocation, f64)>,
    /// End of each token's items in `locations`.
    ends: Vec<usize>,
    /// Dense rows of the current token, with the values they are multiplied by.
    dense: Vec<(u32, f64)>,
}

impl StateScores {
    /// Arranges the weights of a model. Takes time and memory proportional to the number of
    /// attributes and weights, plus the size of the dense rows.
    pub(crate) fn new(features: &Features, weights: &[f64]) -> Self {
        let width = padded(features.labels());
        let dense = |labels: &[u32]| labels.len() > 1 && labels.len() * DENSE_FRACTION > width;
        let all = 0..features.attributes();
        let count = all
            .clone()
            .filter(|&at| dense(features.state(at).1))
            .count();
        let mut scores = Self {
            locations: Vec::with_capacity(features.attributes()),
            rows: Aligned::new(count * width),
            width,
        };
        let mut rows = 0;
        for attribute in all {
            let (start, labels) = features.state(attribute);
            let mut location = WeightLocation {
                start: start as u32,
                count: labels.len() as u32,
                weight: 0.0,
            };
            if let &[label] = labels {
                (location.start, location.weight) = (label, weights[start]);
            } else if dense(labels) {
                (location.start, location.count) = (rows as u32, DENSE);
                let row = &mut scores.rows[rows * width..][..width];
                for (label, weight) in labels.iter().zip(&weights[start..]) {
                    row[*label as usize] = *weight;
                }
                rows += 1;
            }
            scores.locations.push(location);
        }
        scores
    }

    /// Adds the weights of the attributes of sequence `at` to the scores of the lattice, which was
    /// reset to its length. `features` and `weights` must be the arguments of [`StateScores::new`].
    ///
    /// Works in two passes: the first collects the locations of all items, so that their cache
    /// misses overlap; the second adds the weights token by token.
    ///
    /// # Panics
    /// If an attribute is not one of the model's.
    pub(crate) fn read(
        &self,
        (features, weights): (&Features, &[f64]),
        (sequences, at): (&Sequences, usize),
        scratch: &mut Scratch,
        lattice: &mut Lattice,
    ) {
        let Scratch {
            locations,
            ends,
            dense,
        } = scratch;
        locations.clear();
        ends.clear();
        let tokens = sequences.sequence(at);
        ends.reserve(tokens.len());
        locations.reserve(sequences.count_items(at));
        // Load all locations before using any, so that their cache misses overlap.
        for token in tokens {
            let items = sequences.items(token);
            locations.extend(
                items.map(|(attribute, value)| (self.locations[attribute as usize], value)),
            );
            ends.push(locations.len());
        }
        let mut start = 0;
        for (token, &end) in ends.iter().enumerate() {
            let scores = lattice.padded_scores_mut(token);
            dense.clear();
            for (location, value) in &locations[start..end] {
                let first = location.start as usize;
                match location.count {
                    1 => scores[first] += value * location.weight,
                    DENSE => dense.push((location.start, *value)),
                    count => {
                        let known = first..first + count as usize;
                        let labels = &features.state_labels()[known.clone()];
                        for (label, weight) in labels.iter().zip(&weights[known]) {
                            scores[*label as usize] += value * weight;
                        }
                    }
                }
            }
            dispatch(AddRows {
                scores: self,
                items: dense,
                sums: scores,
            });
            start = end;
        }
    }
}

/// Adds dense rows, each times its value, to a padded row of sums, in blocks of 32, 16 and 8
/// columns.
struct AddRows<'a> {
    /// Contains the dense rows.
    scores: &'a StateScores,
    /// (dense row, value) pairs.
    items: &'a [(u32, f64)],
    /// The padded score row of the token.
    sums: &'a mut [f64],
}

impl Kernel for AddRows<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self {
            scores,
            items,
            sums,
        } = self;
        let mut column = 0;
        while sums.len() - column >= 32 {
            scores.add_columns::<32>(items, column, sums);
            column += 32;
        }
        if sums.len() - column >= 16 {
            scores.add_columns::<16>(items, column, sums);
            column += 16;
        }
        if sums.len() - column >= LANES {
            scores.add_columns::<LANES>(items, column, sums);
        }
    }
}

impl StateScores {
    /// Adds `N` columns from `column` of all rows; the sums stay in registers.
    #[inline(always)]
    fn add_columns<const N: usize>(&self, items: &[(u32, f64)], column: usize, sums: &mut [f64]) {
        let mut own = [0.0; N];
        for &(row, value) in items {
            let row = &self.rows[row as usize * self.width + column..][..N];
            for lane in 0..N {
                own[lane] += value * row[lane];
            }
        }
        for (sum, own) in sums[column..][..N].iter_mut().zip(own) {
            *sum += own;
        }
    }
}
