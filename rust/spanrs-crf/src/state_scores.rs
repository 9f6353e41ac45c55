//! Sums of the weights of a token's attributes, for decoding.

use crate::aligned::Aligned;
use crate::features::Features;
use crate::lattice::Lattice;
use crate::sequences::Sequences;
use crate::simd::{Kernel, LANES, dispatch, padded};

/// An attribute gets a dense row if it has weights for more than 1/4 of the row.
const DENSE_FRACTION: usize = 4;

/// The `count` of weights that are a dense row.
const DENSE: u32 = u32::MAX;

/// The weights of an attribute.
#[derive(Clone, Copy, Debug, Default)]
struct WeightLocation {
    /// The only label, the dense row, or the index of the first weight.
    start: u32,
    /// Number of weights, or [`DENSE`].
    count: u32,
    /// The weight of the only label.
    weight: f64,
}

/// Where the weights of each attribute are, so that scores cost few cache misses. Attributes with many labels have dense
/// rows: adding them takes a few vector instructions, and does not wait for earlier sums of the same label.
#[derive(Clone, Debug)]
pub(crate) struct StateScores {
    locations: Vec<WeightLocation>,
    rows: Aligned<f64>,
    /// Row length.
    width: usize,
}

/// Work space of [`StateScores::read`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    locations: Vec<(WeightLocation, f64)>,
    /// End of each token's locations.
    ends: Vec<usize>,
    dense: Vec<(u32, f64)>,
}

impl StateScores {
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

    /// Adds the weights of the attributes of a sequence to its scores.
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
        // Load all locations before using any, so that their cache misses overlap.
        for token in sequences.sequence(at) {
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

/// Adds dense rows times values.
struct AddRows<'a> {
    scores: &'a StateScores,
    items: &'a [(u32, f64)],
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
    /// Adds `N` columns, whose sums stay in registers.
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
