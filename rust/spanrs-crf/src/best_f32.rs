//! Viterbi decoding in 32 bits, where no two labellings nearly tie.
//!
//! The best path is found in 32 bits together with its *margin*: the smallest difference, over the
//! steps of backtracking, between the best and the second-best prefix. Any other labelling leaves the
//! path at one of these steps, so its score is lower by at least the margin. If the margin is more than
//! twice the largest error of a score, the path is also the best one in 64 bits; otherwise the caller
//! decodes in 64 bits.
//!
//! # The error of a score
//! Let `u = 2^-24`, the relative error of a rounded number or sum. A token with `k` items, whose
//! values have absolute values that sum to `v`, has a label score with an error of at most
//! `(k + 3) u v W`, where `W` is the largest absolute state weight (Higham 2002, section 3.1). Partial sums of
//! a path are at most `S`, the sum over the tokens of their largest absolute label score and of the
//! largest absolute transition score, so the two sums and the rounded transition score of each of `n`
//! tokens add at most `4 n u S`. Subnormal numbers count as the smallest normal one, because rounding them
//! has an absolute error.

use crate::aligned::Aligned;
use crate::constraint::Constraint;
use crate::simd::{Kernel, LANES, Panels, dispatch, padded};
use crate::state_scores::{Scratch, Sizes, StateScores};
use crate::transitions::Transitions;

/// Relative error of rounding to 32 bits.
const UNIT: f64 = f32::EPSILON as f64 / 2.0;

/// The smallest normal number.
const TINY: f64 = f32::MIN_POSITIVE as f64;

/// Sums that might be larger are left to 64 bits, far from overflow.
const MAX_SUM: f64 = 1e30;

/// Covers terms of second order for up to [`MAX_TOKENS`] tokens of [`MAX_ITEMS`] items, and the errors in
/// 64 bits.
const SAFETY: f64 = 1.01;

/// Longer sequences are decoded in 64 bits; in 32 bits nearly all of them would have near ties.
const MAX_TOKENS: usize = 20_000;

/// Tokens with more items are decoded in 64 bits.
const MAX_ITEMS: usize = 100_000;

/// Transition scores in 32 bits.
#[derive(Clone, Debug)]
pub(crate) struct StepsF32 {
    /// Scores by (from, to), padded with negative infinity.
    steps: Panels<f32>,
    /// Scores by (to, from), padded rows.
    by_target: Aligned<f32>,
    /// The largest absolute value of a finite score.
    largest: f64,
}

impl StepsF32 {
    pub(crate) fn new(transitions: &Transitions) -> Self {
        let (labels, width) = (transitions.labels(), padded(transitions.labels()));
        let mut steps = Panels::new(width, f32::NEG_INFINITY);
        let mut by_target = Aligned::new(width * width);
        by_target.fill(f32::NEG_INFINITY);
        for to in 0..labels {
            for (from, &score) in transitions.before(to).iter().enumerate() {
                steps.set(from, to, score as f32);
                by_target[to * width + from] = score as f32;
            }
        }
        let finite = transitions
            .scores()
            .iter()
            .filter(|score| score.is_finite());
        Self {
            steps,
            by_target,
            largest: finite.fold(0.0, |most, score| score.abs().max(most)),
        }
    }
}

/// Work space; buffers only grow.
#[derive(Clone, Debug, Default)]
pub(crate) struct BestF32 {
    /// Label scores, padded rows.
    scores: Aligned<f32>,
    /// Scores of the best prefix ending in each label, padded rows.
    prefixes: Aligned<f32>,
}

impl BestF32 {
    /// The labels with the largest score of the sequence in `scratch`, or None if they may differ from
    /// those in 64 bits.
    pub(crate) fn run(
        &mut self,
        states: &StateScores,
        known: (&[u32], &[f64]),
        scratch: &mut Scratch,
        steps: &StepsF32,
        constraint: Option<&Constraint>,
        labels: usize,
    ) -> Option<Vec<usize>> {
        let (tokens, width) = (scratch.tokens(), padded(labels));
        if !(1..=MAX_TOKENS).contains(&tokens) || labels == 0 {
            return None;
        }
        self.scores.resize(tokens * width);
        self.prefixes.resize(tokens * width);
        self.scores.fill(0.0);
        states.add_f32(known, scratch, &mut self.scores);
        let sum = dispatch(Magnitudes(&self.scores, width)) + tokens as f64 * steps.largest;
        let Sizes {
            most,
            items,
            values,
        } = scratch.sizes();
        let products = (values + items as f64 * TINY) * states.largest().max(TINY);
        let errors = (most + 3) as f64 * products + 4.0 * tokens as f64 * sum;
        let error = SAFETY * UNIT * errors + (items + tokens) as f64 * TINY;
        // Also false for NaN.
        if !(products < MAX_SUM && sum < MAX_SUM) || most > MAX_ITEMS {
            return None;
        }
        for row in self.scores.chunks_exact_mut(width) {
            row[labels..].fill(f32::NEG_INFINITY);
        }
        if let Some(constraint) = constraint {
            let ends = [(0, &constraint.starts), (tokens - 1, &constraint.ends)];
            for (token, allowed) in ends {
                for (score, allowed) in self.scores[token * width..].iter_mut().zip(allowed) {
                    *score = if *allowed { *score } else { f32::NEG_INFINITY };
                }
            }
        }
        let (path, margin) = dispatch(Path {
            scores: &self.scores,
            prefixes: &mut self.prefixes,
            steps,
            width,
        });
        (f64::from(margin) > 2.0 * error).then_some(path)
    }
}

/// The sum over padded rows of their largest absolute value.
struct Magnitudes<'a>(&'a [f32], usize);

impl Kernel for Magnitudes<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut sum = 0.0;
        for row in self.0.chunks_exact(self.1) {
            let mut most = [0.0_f32; LANES];
            for lanes in row.as_chunks::<LANES>().0 {
                for lane in 0..LANES {
                    let value = lanes[lane].abs();
                    most[lane] = if value > most[lane] {
                        value
                    } else {
                        most[lane]
                    };
                }
            }
            let mut largest = 0.0;
            for value in most {
                largest = if value > largest { value } else { largest };
            }
            sum += f64::from(largest);
        }
        sum
    }
}

/// Finds the best path and its margin, which is not positive if there is no path. There is at least
/// one token.
struct Path<'a> {
    scores: &'a [f32],
    prefixes: &'a mut [f32],
    steps: &'a StepsF32,
    width: usize,
}

impl Kernel for Path<'_> {
    type Output = (Vec<usize>, f32);

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self {
            scores,
            prefixes,
            steps,
            width,
        } = self;
        prefixes[..width].copy_from_slice(&scores[..width]);
        let tokens = scores.len() / width;
        for token in 1..tokens {
            let (before, row) = prefixes.split_at_mut(token * width);
            let row = &mut row[..width];
            steps.steps.max_plus(&before[(token - 1) * width..], row);
            for (best, own) in row.iter_mut().zip(&scores[token * width..]) {
                *best += *own;
            }
        }
        let zeros = &[0.0; LANES];
        let last = &prefixes[(tokens - 1) * width..];
        let (mut label, mut margin) =
            best_and_margin(last.as_chunks::<LANES>().0.iter().map(|row| (row, zeros)));
        let mut labels = vec![0; tokens];
        for token in (1..tokens).rev() {
            labels[token] = label;
            let before = prefixes[(token - 1) * width..][..width]
                .as_chunks::<LANES>()
                .0;
            let into = steps.by_target[label * width..][..width]
                .as_chunks::<LANES>()
                .0;
            let (from, own) = best_and_margin(before.iter().zip(into));
            (label, margin) = (from, if own < margin { own } else { margin });
        }
        labels[0] = label;
        (labels, margin)
    }
}

/// The index of the largest sum of two rows, and its difference to the second-largest sum. The
/// difference is infinite if all others are forbidden, and NaN if all are.
#[inline(always)]
fn best_and_margin<'a>(
    rows: impl Iterator<Item = (&'a [f32; LANES], &'a [f32; LANES])>,
) -> (usize, f32) {
    let mut best = [f32::NEG_INFINITY; LANES];
    let mut second = [f32::NEG_INFINITY; LANES];
    let mut places = [0_u32; LANES];
    for (place, (a, b)) in rows.enumerate() {
        for lane in 0..LANES {
            let sum = a[lane] + b[lane];
            let lower = if sum < best[lane] { sum } else { best[lane] };
            second[lane] = if lower > second[lane] {
                lower
            } else {
                second[lane]
            };
            places[lane] = if sum > best[lane] {
                place as u32
            } else {
                places[lane]
            };
            best[lane] = if sum > best[lane] { sum } else { best[lane] };
        }
    }
    let mut lane = 0;
    for other in 1..LANES {
        lane = if best[other] > best[lane] {
            other
        } else {
            lane
        };
    }
    let mut runner = second[lane];
    for (other, &value) in best.iter().enumerate() {
        runner = if other != lane && value > runner {
            value
        } else {
            runner
        };
    }
    (places[lane] as usize * LANES + lane, best[lane] - runner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::Features;
    use crate::sequences::Sequences;

    /// The labels of one token with an attribute for each (label, weight), in 32 bits.
    fn labels_of(given: &[(u32, f64)]) -> Option<Vec<usize>> {
        let states = given.iter().enumerate();
        let states: Vec<_> = states.map(|(at, (label, _))| (at as u32, *label)).collect();
        let weights: Vec<f64> = given.iter().map(|(_, weight)| *weight).collect();
        let size = given.iter().map(|(label, _)| *label as usize + 1).max();
        let size = size.unwrap_or_default();
        let (features, _) = Features::listed(size, given.len(), &states, &[]).unwrap();
        let scores = StateScores::new(&features, &weights);
        let mut sequences = Sequences::new(given.len());
        let all: Vec<u32> = (0..given.len() as u32).collect();
        sequences.indicators(&all).unwrap();
        sequences.end();
        let mut scratch = Scratch::default();
        scores.locate((&sequences, 0), &mut scratch);
        BestF32::default().run(
            &scores,
            (features.state_labels(), &weights),
            &mut scratch,
            &StepsF32::new(&Transitions::zero(size)),
            None,
            size,
        )
    }

    /// The same with one attribute for each label.
    fn labels(weights: &[f64]) -> Option<Vec<usize>> {
        let given: Vec<_> = (0..).zip(weights.iter().copied()).collect();
        labels_of(&given)
    }

    #[test]
    fn near_ties_and_large_numbers_are_left_to_64_bits() {
        assert_eq!(labels(&[0.0, 1.0]), Some(vec![1]));
        assert_eq!(labels(&[1.0, 1.0 + 1e-5]), Some(vec![1]));
        assert_eq!(labels(&[1.0, 1.0 + 1e-7]), None);
        assert_eq!(labels(&[0.5, 0.5, 0.0]), None, "a tie");
        assert_eq!(labels(&[1e29, 0.0]), Some(vec![0]));
        assert_eq!(labels(&[1e39, 0.0]), None, "infinite in 32 bits");
        assert_eq!(
            labels(&[1.1e-45, 1.0e-45]),
            None,
            "equal to the smallest number"
        );
        assert_eq!(labels(&[3.0]), Some(vec![0]), "no other label");
        assert_eq!(labels(&[]), None);
    }

    #[test]
    fn the_margin_is_that_of_the_best_sum() {
        let rows = |values: [f32; 16]| values.as_chunks::<LANES>().0.to_vec();
        let mut values = [0.0; 16];
        // The best two in different lanes, in the same lane, and twice the same.
        for (best, second) in [(3, 12), (12, 3), (3, 11), (11, 3), (0, 15)] {
            values.fill(-1.0);
            (values[best], values[second]) = (4.0, 1.5);
            let (a, zeros) = (rows(values), rows([0.5; 16]));
            assert_eq!(best_and_margin(a.iter().zip(&zeros)), (best, 2.5));
        }
        let forbidden = rows([f32::NEG_INFINITY; 16]);
        let (_, margin) = best_and_margin(forbidden.iter().zip(&rows([0.0; 16])));
        assert!(margin.is_nan());
    }
}
