//! Prices of units: a lower bound of the disorder of all alignments.
//!
//! An alignment is a set partition: each unit is in exactly one of the chosen unitary alignments.
//! Let each unit have a price, and let the reduced cost of a unitary alignment be its disorder
//! minus the prices of its units. If no reduced cost is negative, then the sum of the prices is a
//! lower bound of the disorder, and a unitary alignment whose reduced cost exceeds the difference
//! between an upper bound and this lower bound is not in a best alignment (Lagrangian relaxation;
//! Fisher 1981, "The Lagrangian relaxation method for solving integer programming problems").

use spanrs_base::Interrupted;

use super::effort::Effort;
use super::unitary::UnitaryAlignments;

/// Maximum number of sweeps of coordinate ascent.
const SWEEPS: usize = 40;
/// Maximum number of subgradient steps.
const STEPS: usize = 400;
/// Number of subgradient steps without improvement after which the step size is halved.
const PATIENCE: usize = 8;

/// Computes prices with a high sum for which no reduced cost is negative, up to rounding. `upper`
/// is the disorder of an alignment, and `initial` are prices to start from.
///
/// Coordinate ascent comes first: the price of a unit is set to the middle of the interval in which
/// the Lagrangian bound is largest given the other prices (Wedelin 1995, "An algorithm for large
/// scale 0-1 integer programming"). Subgradient steps follow (Held, Wolfe and Crowder 1974). At the
/// end prices are lowered where reduced costs are negative, and raised where possible.
pub(super) fn prices(
    alignments: &UnitaryAlignments,
    initial: Option<Vec<f64>>,
    upper: f64,
    effort: &mut Effort<'_, '_>,
) -> Result<Vec<f64>, Interrupted> {
    let mut ascent = Ascent::new(alignments, initial);
    let mut bound = ascent.bound();
    for sweep in 0..SWEEPS {
        effort.steps(alignments.len())?;
        ascent.centre(sweep % 2 == 1);
        let next = ascent.bound();
        let improved = next - bound;
        bound = next;
        if improved < 1e-4 * (upper - bound) || bound >= upper {
            break;
        }
    }
    if bound < upper - 1e-9 * upper {
        ascent.subgradient(bound, upper, effort)?;
    }
    ascent.make_feasible();
    Ok(ascent.prices)
}

/// The current prices, and the unitary alignments of each unit.
struct Ascent<'a> {
    alignments: &'a UnitaryAlignments,
    /// For each unit, the index of its first entry in `containing`, and finally their number.
    offsets: Vec<usize>,
    /// The unitary alignments that contain a unit.
    containing: Vec<u32>,
    prices: Vec<f64>,
    reduced: Vec<f64>,
}

impl<'a> Ascent<'a> {
    fn new(alignments: &'a UnitaryAlignments, initial: Option<Vec<f64>>) -> Self {
        let units = alignments.units();
        let mut offsets = vec![0_usize; units + 2];
        for at in 0..alignments.len() {
            for &unit in alignments.members(at) {
                offsets[unit as usize + 2] += 1;
            }
        }
        for unit in 2..offsets.len() {
            offsets[unit] += offsets[unit - 1];
        }
        let mut containing = vec![0; offsets[units + 1]];
        for at in 0..alignments.len() {
            for &unit in alignments.members(at) {
                let place = &mut offsets[unit as usize + 1];
                containing[*place] = at as u32;
                *place += 1;
            }
        }
        offsets.pop();
        let prices = initial.unwrap_or_else(|| vec![0.0; units]);
        let mut ascent = Self {
            alignments,
            offsets,
            containing,
            prices,
            reduced: Vec::new(),
        };
        ascent.recompute();
        ascent
    }

    /// Computes the reduced costs from the prices.
    fn recompute(&mut self) {
        let (alignments, prices) = (self.alignments, &self.prices);
        self.reduced = alignments.reduced_costs(prices);
    }

    /// The Lagrangian bound: the disorder if each unitary alignment could be chosen freely.
    fn bound(&self) -> f64 {
        let negative: f64 = self.reduced.iter().map(|cost| cost.min(0.0)).sum();
        self.prices.iter().sum::<f64>() + negative
    }

    /// The unitary alignments that contain a unit.
    fn of(&self, unit: usize) -> std::ops::Range<usize> {
        self.offsets[unit]..self.offsets[unit + 1]
    }

    /// Adds to the price of a unit.
    fn add(&mut self, unit: usize, change: f64) {
        self.prices[unit] += change;
        for entry in self.of(unit) {
            self.reduced[self.containing[entry] as usize] -= change;
        }
    }

    /// Returns the two smallest reduced costs of the unitary alignments that contain a unit.
    fn two_least(&self, unit: usize) -> (f64, f64) {
        let (mut first, mut second) = (f64::INFINITY, f64::INFINITY);
        for entry in self.of(unit) {
            let cost = self.reduced[self.containing[entry] as usize];
            if cost < first {
                (first, second) = (cost, first);
            } else {
                second = second.min(cost);
            }
        }
        (first, second)
    }

    /// Centres the price of each unit, in ascending or descending order.
    fn centre(&mut self, descending: bool) {
        let units = self.prices.len();
        for at in 0..units {
            let unit = if descending { units - 1 - at } else { at };
            let (first, second) = self.two_least(unit);
            let change = match second.is_finite() {
                true => first.midpoint(second),
                false => first,
            };
            if change.is_finite() {
                self.add(unit, change);
            }
        }
    }

    /// Improves the Lagrangian bound, currently `bound`, and leaves the best prices.
    fn subgradient(
        &mut self,
        mut bound: f64,
        upper: f64,
        effort: &mut Effort<'_, '_>,
    ) -> Result<(), Interrupted> {
        let mut best = self.prices.clone();
        let mut uses = vec![0.0_f64; best.len()];
        let (mut scale, mut failed) = (1.0, 0);
        for _ in 0..STEPS {
            effort.steps(self.alignments.len())?;
            uses.fill(0.0);
            for (at, _) in self
                .reduced
                .iter()
                .enumerate()
                .filter(|(_, cost)| **cost < 0.0)
            {
                for &unit in self.alignments.members(at) {
                    uses[unit as usize] += 1.0;
                }
            }
            let norm: f64 = uses.iter().map(|uses| (1.0 - uses) * (1.0 - uses)).sum();
            if norm == 0.0 {
                break;
            }
            let current = self.bound();
            let step = scale * (1.05 * upper - current) / norm;
            for (price, uses) in self.prices.iter_mut().zip(&uses) {
                *price += step * (1.0 - uses);
            }
            self.recompute();
            let next = self.bound();
            if next > bound {
                failed = if next - bound > 1e-3 * (upper - bound) {
                    0
                } else {
                    failed + 1
                };
                bound = next;
                best.clone_from(&self.prices);
            } else {
                failed += 1;
            }
            if bound >= upper - 1e-9 * upper || scale < 1e-3 {
                break;
            }
            if failed >= PATIENCE {
                (scale, failed) = (scale / 2.0, 0);
                self.prices.clone_from(&best);
                self.recompute();
            }
        }
        self.prices = best;
        self.recompute();
        Ok(())
    }

    /// Lowers prices until no reduced cost is negative, then raises them as far as possible.
    fn make_feasible(&mut self) {
        let units = self.prices.len();
        for unit in 0..units {
            let own = self.alignments.starts[unit]..self.alignments.starts[unit + 1];
            let least = self.reduced[own].iter().copied().fold(0.0, f64::min);
            if least < 0.0 {
                self.add(unit, least);
            }
        }
        self.recompute();
        for unit in 0..units {
            let (least, _) = self.two_least(unit);
            if least.is_finite() {
                self.add(unit, least);
            }
        }
        self.recompute();
    }
}
