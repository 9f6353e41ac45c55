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
//! so the scores do not depend on the processor. Scores have 64 bits, or 32 bits for the first attempt at
//! decoding (`best_f32`).

use crate::aligned::Aligned;
use crate::features::Features;
use crate::sequences::Sequences;
use crate::simd::{Kernel, LANES, Real, dispatch, padded};

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
    /// The dense rows in 32 bits.
    rows_f32: Aligned<f32>,
    /// The largest absolute value of a state weight.
    largest: f64,
    /// Length of a dense row: the number of labels, padded.
    width: usize,
}

/// The located items of a sequence, owned by a decoder.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// The location of each item of the sequence.
    locations: Vec<WeightLocation>,
    /// The value of each item; empty if all are 1.
    values: Vec<f64>,
    /// End of each token's items in `locations`.
    ends: Vec<usize>,
    /// Dense rows of the current token, with the values they are multiplied by.
    dense: Vec<(u32, f64)>,
}

impl Scratch {
    /// Number of tokens.
    pub(crate) fn tokens(&self) -> usize {
        self.ends.len()
    }

    /// The numbers of items, for bounds of errors.
    pub(crate) fn sizes(&self) -> Sizes {
        let starts = [0].into_iter().chain(self.ends.iter().copied());
        let numbers = self.ends.iter().zip(starts).map(|(end, start)| end - start);
        Sizes {
            most: numbers.max().unwrap_or_default(),
            items: self.locations.len(),
            values: match self.values.is_empty() {
                true => self.locations.len() as f64,
                false => self.values.iter().map(|value| value.abs()).sum(),
            },
        }
    }
}

/// Numbers of the items of a sequence.
pub(crate) struct Sizes {
    /// The largest number of items of a token.
    pub(crate) most: usize,
    /// Number of items of all tokens.
    pub(crate) items: usize,
    /// Sum of the absolute values of all items.
    pub(crate) values: f64,
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
            rows_f32: Aligned::new(count * width),
            largest: largest(&weights[..features.pairs().0]),
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
        for (rounded, weight) in scores.rows_f32.iter_mut().zip(&*scores.rows) {
            *rounded = *weight as f32;
        }
        scores
    }

    /// Collects the locations of the items of sequence `at`: all are loaded before any is used, so that
    /// their cache misses overlap.
    ///
    /// # Panics
    /// If an attribute is not one of the model's.
    pub(crate) fn locate(&self, (sequences, at): (&Sequences, usize), scratch: &mut Scratch) {
        let tokens = sequences.sequence(at);
        scratch.ends.clear();
        scratch.ends.reserve(tokens.len());
        let mut items = 0;
        for token in tokens {
            items += sequences.count_items(token);
            scratch.ends.push(items);
        }
        let (attributes, values) = sequences.slices(at);
        let locations = attributes
            .iter()
            .map(|&attribute| self.locations[attribute as usize]);
        scratch.locations.clear();
        scratch.locations.extend(locations);
        scratch.values.clear();
        scratch.values.extend_from_slice(values);
    }

    /// Adds the weights of the located items to padded rows of label scores. `known` are the labels of
    /// the features and the weights from which these scores were made.
    pub(crate) fn add(
        &self,
        known: (&[u32], &[f64]),
        scratch: &mut Scratch,
        scores: &mut Aligned<f64>,
    ) {
        add_items(known, (&self.rows, self.width), scratch, scores);
    }

    /// Same as [`StateScores::add`], in 32 bits.
    pub(crate) fn add_f32(
        &self,
        known: (&[u32], &[f64]),
        scratch: &mut Scratch,
        scores: &mut Aligned<f32>,
    ) {
        add_items(known, (&self.rows_f32, self.width), scratch, scores);
    }

    /// The largest absolute value of a state weight; infinite if one is not a number.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }
}

/// The largest absolute value; infinite if there is one that is not a number.
fn largest(weights: &[f64]) -> f64 {
    match weights.iter().all(|weight| weight.is_finite()) {
        true => weights
            .iter()
            .fold(0.0, |most, weight| weight.abs().max(most)),
        false => f64::INFINITY,
    }
}

/// Adds the weights of the located items, token by token. `rows` are the dense rows, with their length.
fn add_items<T: Real>(
    known: (&[u32], &[f64]),
    rows: (&[T], usize),
    scratch: &mut Scratch,
    scores: &mut [T],
) {
    match scratch.values.is_empty() {
        true => add_valued::<T, false>(known, rows, scratch, scores),
        false => add_valued::<T, true>(known, rows, scratch, scores),
    }
}

/// Same as [`add_items`]; without `VALUED` all values are 1.
fn add_valued<T: Real, const VALUED: bool>(
    (labels, weights): (&[u32], &[f64]),
    rows: (&[T], usize),
    scratch: &mut Scratch,
    scores: &mut [T],
) {
    let Scratch {
        locations,
        values,
        ends,
        dense,
    } = scratch;
    let mut start = 0;
    for (&end, scores) in ends.iter().zip(scores.chunks_exact_mut(rows.1)) {
        dense.clear();
        for (at, location) in (start..end).zip(&locations[start..end]) {
            let value = if VALUED { values[at] } else { 1.0 };
            let first = location.start as usize;
            match location.count {
                1 => scores[first] += T::of(value) * T::of(location.weight),
                DENSE => dense.push((location.start, value)),
                count => {
                    let known = first..first + count as usize;
                    for (label, weight) in labels[known.clone()].iter().zip(&weights[known]) {
                        scores[*label as usize] += T::of(value) * T::of(*weight);
                    }
                }
            }
        }
        dispatch(AddRows {
            rows,
            items: dense,
            sums: scores,
        });
        start = end;
    }
}

/// Adds dense rows, each times its value, to a padded row of sums, in blocks of 32, 16 and 8
/// columns.
struct AddRows<'a, T> {
    /// The dense rows, and their length.
    rows: (&'a [T], usize),
    /// (dense row, value) pairs.
    items: &'a [(u32, f64)],
    /// The padded score row of the token.
    sums: &'a mut [T],
}

impl<T: Real> Kernel for AddRows<'_, T> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        let mut column = 0;
        while self.sums.len() - column >= 32 {
            self.add_columns::<32>(column);
            column += 32;
        }
        if self.sums.len() - column >= 16 {
            self.add_columns::<16>(column);
            column += 16;
        }
        if self.sums.len() - column >= LANES {
            self.add_columns::<LANES>(column);
        }
    }
}

impl<T: Real> AddRows<'_, T> {
    /// Adds `N` columns from `column` of all rows; the sums stay in registers.
    #[inline(always)]
    fn add_columns<const N: usize>(&mut self, column: usize) {
        let (rows, width) = self.rows;
        let mut own = [T::default(); N];
        for &(row, value) in self.items {
            let row = &rows[row as usize * width + column..][..N];
            let value = T::of(value);
            for lane in 0..N {
                own[lane] += value * row[lane];
            }
        }
        for (sum, own) in self.sums[column..][..N].iter_mut().zip(own) {
            *sum += own;
        }
    }
}
