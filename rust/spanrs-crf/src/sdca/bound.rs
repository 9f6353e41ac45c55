//! A lower bound of the minimum, from the gradients that training has computed.
//!
//! The negative log-likelihood `L` is convex, so it lies above its tangent plane at each evaluated
//! point `w_j`. The penalised minimum is at least the minimum over the largest of these planes plus
//! the penalty, which by duality is (Teo et al. 2010, section 2.3)
//!
//! ```text
//! max over theta of  sum_j theta_j a_j - |sum_j theta_j b_j|^2 / (4 c2)
//! b_j = L'(w_j),  a_j = L(w_j) - b_j . w_j,  theta_j >= 0,  sum_j theta_j = 1
//! ```
//!
//! With one plane the distance to the objective is `|f'(w)|^2 / (4 c2)`. That is far too large where
//! the second derivative is much larger than `2 c2`, as for frequent attributes; but gradients of
//! successive points differ in sign there, and their average is small.

use crate::correction_pairs::{Dot, dot};
use crate::simd::dispatch;

/// Largest number of planes.
const PLANES: usize = 16;

/// Largest number of times that shares are moved after a plane is added.
const MOVES: usize = 1000;

/// Derivatives that differ by a smaller fraction of the objective are equal.
const EQUAL: f64 = 1e-9;

/// Tangent planes of the negative log-likelihood, and the largest lower bound so far.
///
/// The bound is as exact as the objective, which has messages in 32 bits: about 1e-7 (relative).
pub(super) struct LowerBound {
    /// Coefficient of the sum of squares, above 0.
    c2: f64,
    planes: Vec<Plane>,
    /// The bound; negative infinity without planes.
    value: f64,
}

/// The plane `offset + slopes . w`.
struct Plane {
    offset: f64,
    slopes: Vec<f32>,
    /// Products of the slopes with those of all planes, this one included.
    products: Vec<f64>,
    /// Part of this plane in the best convex combination.
    share: f64,
}

impl LowerBound {
    pub(super) fn new(c2: f64) -> Self {
        Self {
            c2,
            planes: Vec::new(),
            value: f64::NEG_INFINITY,
        }
    }

    /// The largest bound so far.
    pub(super) fn value(&self) -> f64 {
        self.value
    }

    /// Adds the tangent plane at `point`, where the penalised objective is `loss`, with this
    /// gradient. If there are too many planes, it replaces that with the smallest share.
    pub(super) fn add(&mut self, point: &[f64], loss: f64, gradient: &[f64]) {
        let penalty = 2.0 * self.c2;
        let mut plane = self.spare(point.len());
        for (slope, (derivative, weight)) in plane.slopes.iter_mut().zip(gradient.iter().zip(point))
        {
            *slope = (derivative - penalty * weight) as f32;
        }
        // L(w) - L'(w) . w = f(w) - f'(w) . w + c2 |w|^2
        plane.offset = loss - dot(gradient, point) + self.c2 * dot(point, point);
        let square = dispatch(Dot(&plane.slopes, &plane.slopes));
        if !(square.is_finite() && plane.offset.is_finite()) {
            // Derivatives out of the range of 32 bits: there is no plane.
            return;
        }
        plane.products.clear();
        for other in &mut self.planes {
            let product = dispatch(Dot(&plane.slopes, &other.slopes));
            other.products.push(product);
            plane.products.push(product);
        }
        plane.products.push(square);
        plane.share = if self.planes.is_empty() { 1.0 } else { 0.0 };
        self.planes.push(plane);
        self.value = self.value.max(self.maximise());
    }

    /// Room for a plane: a new one, or that with the smallest share, which goes to the last one.
    fn spare(&mut self, len: usize) -> Plane {
        if self.planes.len() < PLANES {
            return Plane {
                offset: 0.0,
                slopes: vec![0.0; len],
                products: Vec::with_capacity(PLANES),
                share: 0.0,
            };
        }
        let mut least = 0;
        for (at, plane) in self.planes.iter().enumerate() {
            if plane.share < self.planes[least].share {
                least = at;
            }
        }
        let plane = self.planes.remove(least);
        for other in &mut self.planes {
            other.products.remove(least);
        }
        if let Some(last) = self.planes.last_mut() {
            last.share += plane.share;
        }
        plane
    }

    /// Improves the shares: repeatedly moves as much as is best from the plane with the smallest
    /// derivative to that with the largest. Returns the bound of the shares.
    fn maximise(&mut self) -> f64 {
        let size = self.planes.len();
        let inverse = 0.5 / self.c2;
        // Products of the slopes with the combined slope.
        let mut combined: Vec<f64> = (0..size)
            .map(|at| {
                let products = &self.planes[at].products;
                products
                    .iter()
                    .zip(&self.planes)
                    .map(|(product, plane)| product * plane.share)
                    .sum()
            })
            .collect();
        for _ in 0..MOVES {
            let slope = |at: usize| self.planes[at].offset - inverse * combined[at];
            let (mut to, mut from) = (0, None);
            for at in 0..size {
                if slope(at) > slope(to) {
                    to = at;
                }
                if self.planes[at].share > 0.0 && from.is_none_or(|from| slope(at) < slope(from)) {
                    from = Some(at);
                }
            }
            let least = EQUAL * self.planes[to].offset.abs();
            let Some(from) = from.filter(|&from| slope(to) - slope(from) > least) else {
                break;
            };
            let products = |a: usize, b: usize| self.planes[a].products[b];
            let squares = products(to, to) + products(from, from);
            let curvature = inverse * (squares - 2.0 * products(to, from));
            // Infinite for parallel planes: rounding errors must not make the curvature negative.
            let best = (slope(to) - slope(from)) / curvature.max(0.0);
            let most = self.planes[from].share;
            let moved = if best < most { best } else { most };
            self.planes[to].share += moved;
            self.planes[from].share = if best < most { most - moved } else { 0.0 };
            for (at, sum) in combined.iter_mut().enumerate() {
                *sum += moved * (self.planes[at].products[to] - self.planes[at].products[from]);
            }
        }
        let shares = self.planes.iter().zip(&combined);
        shares
            .map(|(plane, combined)| plane.share * (plane.offset - 0.5 * inverse * combined))
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `log(1 + exp(-3 x)) + log(1 + exp(y)) + c2 (x^2 + y^2)` and its gradient.
    fn objective(point: [f64; 2], c2: f64) -> (f64, [f64; 2]) {
        let [x, y] = point;
        let (a, b) = ((-3.0 * x).exp(), y.exp());
        let loss = a.ln_1p() + b.ln_1p() + c2 * (x * x + y * y);
        let gradient = [-3.0 * a / (1.0 + a), b / (1.0 + b)];
        (
            loss,
            [gradient[0] + 2.0 * c2 * x, gradient[1] + 2.0 * c2 * y],
        )
    }

    #[test]
    fn the_bound_is_below_the_minimum_and_approaches_it() {
        for c2 in [0.01, 1.0] {
            let (mut point, mut least) = ([0.0, 0.0], f64::INFINITY);
            for _ in 0..100_000 {
                let (loss, [a, b]) = objective(point, c2);
                least = least.min(loss);
                point = [point[0] - 0.1 * a, point[1] - 0.1 * b];
            }
            let mut bound = LowerBound::new(c2);
            let mut before = f64::NEG_INFINITY;
            // More points than planes, on both sides of the minimum.
            for number in 0..60 {
                let distance = (-0.7_f64).powi(number);
                let near = [point[0] + distance, point[1] - 0.5 * distance];
                let (loss, gradient) = objective(near, c2);
                bound.add(&near, loss, &gradient);
                assert!(bound.value() <= least + 1e-7, "c2 = {c2}");
                assert!(bound.value() >= before);
                before = bound.value();
                if number == 0 {
                    let single = loss - dot(&gradient, &gradient) / (4.0 * c2);
                    assert!((bound.value() - single).abs() < 1e-5);
                }
            }
            assert!(least - bound.value() < 1e-6, "c2 = {c2}: {}", bound.value());
        }
    }
}
