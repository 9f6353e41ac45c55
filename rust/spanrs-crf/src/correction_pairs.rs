//! Correction pairs of L-BFGS in bfloat16, and the two-loop recursion over them.

use std::collections::VecDeque;

use crate::bf16::Bf16;
use crate::simd::{Kernel, dispatch};

/// The end point of a trial step, and the gradient of the smooth part at this point.
pub(crate) struct Point {
    pub(crate) weights: Vec<f64>,
    pub(crate) gradient: Vec<f64>,
}

/// A correction pair in bfloat16: the two-loop recursion is memory-bound, and the pairs only affect
/// the search direction.
pub(crate) struct Pair {
    /// Difference of two successive points (`s`).
    points: Vec<Bf16>,
    /// Difference of their gradients (`y`).
    gradients: Vec<Bf16>,
    /// `1 / (s . y)`, positive.
    inverse: f64,
    /// `y . y`
    square: f64,
}

/// Adds the differences between `next` and the current point as a pair; reuses the buffers of the
/// oldest pair if there are already `memory` pairs. A pair without positive curvature is dropped,
/// since it would break the recursion.
pub(crate) fn remember_pair(
    pairs: &mut VecDeque<Pair>,
    memory: usize,
    weights: &[f64],
    smooth: &[f64],
    next: &Point,
) {
    let mut pair = match pairs.len() < memory.max(1) {
        true => Pair {
            points: vec![Bf16::default(); weights.len()],
            gradients: vec![Bf16::default(); weights.len()],
            inverse: 0.0,
            square: 0.0,
        },
        false => match pairs.pop_front() {
            Some(pair) => pair,
            None => return,
        },
    };
    for (difference, (new, old)) in pair.points.iter_mut().zip(next.weights.iter().zip(weights)) {
        *difference = Bf16::of((new - old) as f32);
    }
    let both = next.gradient.iter().zip(smooth);
    for (difference, (new, old)) in pair.gradients.iter_mut().zip(both) {
        *difference = Bf16::of((new - old) as f32);
    }
    let product = dispatch(Dot(&pair.points, &pair.gradients));
    pair.square = dispatch(Dot(&pair.gradients, &pair.gradients));
    // Without positive curvature the pair would break the recursion.
    if product > f64::EPSILON * pair.square {
        pair.inverse = 1.0 / product;
        pairs.push_back(pair);
    }
}

/// Writes minus the inverse Hessian times the gradient to `direction`, by the two-loop recursion
/// (Nocedal and Wright 2006, algorithm 7.4). Without pairs the direction is minus the gradient. The
/// initial matrix is `(s . y) / (y . y)` of the newest pair times the identity.
pub(crate) fn compute_direction(pairs: &VecDeque<Pair>, gradient: &[f64], direction: &mut [f64]) {
    for (step, slope) in direction.iter_mut().zip(gradient) {
        *step = -slope;
    }
    let Some(last) = pairs.back() else {
        return;
    };
    // Each pass adds a multiple and multiplies the sum with the next difference.
    let mut product = dispatch(Dot(&last.points, direction));
    let mut factors = Vec::with_capacity(pairs.len());
    for (at, pair) in pairs.iter().enumerate().rev() {
        let factor = pair.inverse * product;
        let next = at.checked_sub(1).map(|next| &*pairs[next].points);
        product = dispatch(AddDot(direction, -factor, &pair.gradients, next));
        factors.push(factor);
    }
    let scale = 1.0 / (last.inverse * last.square);
    direction.iter_mut().for_each(|step| *step *= scale);
    product = dispatch(Dot(&pairs[0].gradients, direction));
    for (at, (pair, factor)) in pairs.iter().zip(factors.into_iter().rev()).enumerate() {
        let change = factor - pair.inverse * product;
        let next = pairs.get(at + 1).map(|next| &*next.gradients);
        product = dispatch(AddDot(direction, change, &pair.points, next));
    }
}

/// The inner product, accumulated in eight partial sums so that the loop vectorises.
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a, rest_a) = a.as_chunks::<8>();
    let (b, rest_b) = b.as_chunks::<8>();
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest = rest_a.iter().zip(rest_b).map(|(a, b)| a * b);
    sums.iter().sum::<f64>() + rest.sum::<f64>()
}

/// The inner product of two vectors, accumulated in 64 bits and in sixteen partial sums so that the
/// loop vectorises.
pub(crate) struct Dot<'a, A, B>(pub(crate) &'a [A], pub(crate) &'a [B]);

impl<A: Copy + Into<f64>, B: Copy + Into<f64>> Kernel for Dot<'_, A, B> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let mut sums = [0.0; 16];
        let (a, rest_a) = self.0.as_chunks::<16>();
        let (b, rest_b) = self.1.as_chunks::<16>();
        for (a, b) in a.iter().zip(b) {
            for lane in 0..16 {
                sums[lane] += a[lane].into() * b[lane].into();
            }
        }
        let rest = rest_a.iter().zip(rest_b);
        sums.iter().sum::<f64>() + rest.map(|(a, b)| (*a).into() * (*b).into()).sum::<f64>()
    }
}

/// Adds a multiple of a stored difference to a vector, and returns the inner product of the sum and
/// another difference, or 0 without one.
struct AddDot<'a>(&'a mut [f64], f64, &'a [Bf16], Option<&'a [Bf16]>);

impl Kernel for AddDot<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Self(vector, factor, added, other) = self;
        let Some(other) = other else {
            for (sum, value) in vector.iter_mut().zip(added) {
                *sum += factor * f64::from(*value);
            }
            return 0.0;
        };
        let mut sums = [0.0; 16];
        let (vector, rest) = vector.as_chunks_mut::<16>();
        let (added, rest_added) = added.as_chunks::<16>();
        let (other, rest_other) = other.as_chunks::<16>();
        for (vector, (added, other)) in vector.iter_mut().zip(added.iter().zip(other)) {
            for lane in 0..16 {
                vector[lane] += factor * f64::from(added[lane]);
                sums[lane] += f64::from(other[lane]) * vector[lane];
            }
        }
        let mut sum: f64 = sums.iter().sum();
        for (value, (added, other)) in rest.iter_mut().zip(rest_added.iter().zip(rest_other)) {
            *value += factor * f64::from(*added);
            sum += f64::from(*other) * *value;
        }
        sum
    }
}

/// The Euclidean norm.
pub(crate) fn norm(values: &[f64]) -> f64 {
    dot(values, values).sqrt()
}
