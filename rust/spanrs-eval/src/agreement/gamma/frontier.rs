//! The best alignment of a component, by dynamic programming over its units.
//!
//! Units are covered in order: the next unitary alignment always contains the first unit that is
//! not covered yet, so each alignment is built in exactly one way. A state is the set of covered
//! units, which are all units before the first uncovered one and some of the units in a window
//! after it. Of all ways to reach a state only the one with the smallest disorder is extended, so
//! the number of states depends on the number of units near each other and not on the length of the
//! document.

use super::dissimilarity::Dissimilarity;
use super::effort::Effort;
use super::error::{AlignError, LimitError};
use super::unitary::UnitaryAlignments;

/// Number of states with which the states of a layer are compared.
const ANCHORS: usize = 8;

/// Number of new states after which equal states are merged.
const REDUCE: usize = 1 << 14;

/// What limits the search.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds<'a> {
    /// The reduced cost of each unitary alignment, at least 0; see [`super::prices`].
    pub(super) reduced: &'a [f64],
    /// Largest sum of the reduced costs of an alignment.
    pub(super) gap: f64,
}

/// Returns the smallest disorder of an alignment that consists of given unitary alignments, or
/// infinity if there is none within the bounds.
///
/// # Errors
/// [`LimitError::States`] or [`LimitError::Window`].
pub(super) fn least_disorder(
    alignments: &UnitaryAlignments,
    bounds: Bounds<'_>,
    by: &Dissimilarity,
    effort: &mut Effort<'_, '_>,
) -> Result<f64, AlignError> {
    let span = |at: usize| match alignments.members(at) {
        [first, .., last] => (last - first) as usize + 1,
        _ => 1,
    };
    match (0..alignments.len()).map(span).max().unwrap_or(0) {
        0..=64 => Frontier::<1>::new(alignments, bounds, by).run(effort),
        65..=128 => Frontier::<2>::new(alignments, bounds, by).run(effort),
        129..=256 => Frontier::<4>::new(alignments, bounds, by).run(effort),
        257..=1024 => Frontier::<16>::new(alignments, bounds, by).run(effort),
        _ => Err(LimitError::Window(1024).into()),
    }
}

/// A set of units in a window.
type Set<const W: usize> = [u64; W];

/// A state: the covered units after the first uncovered unit, whose index is that of the layer.
#[derive(Clone, Copy, Debug)]
struct State<const W: usize> {
    /// Covered units, relative to the first uncovered unit.
    covered: Set<W>,
    /// Sum of the reduced costs.
    reduced: f64,
    /// Sum of the disorders.
    disorder: f64,
}

/// The search, with windows of `64 * W` units.
struct Frontier<'a, const W: usize> {
    alignments: &'a UnitaryAlignments,
    bounds: Bounds<'a>,
    by: &'a Dissimilarity,
    /// The units of each unitary alignment, relative to its first unit.
    sets: Vec<Set<W>>,
}

impl<'a, const W: usize> Frontier<'a, W> {
    fn new(alignments: &'a UnitaryAlignments, bounds: Bounds<'a>, by: &'a Dissimilarity) -> Self {
        let set = |at: usize| {
            let members = alignments.members(at);
            let first = members.first().copied().unwrap_or(0);
            let mut set = [0; W];
            for &unit in members {
                let place = (unit - first) as usize;
                set[place / 64] |= 1 << (place % 64);
            }
            set
        };
        Self {
            alignments,
            bounds,
            by,
            sets: (0..alignments.len()).map(set).collect(),
        }
    }

    fn run(&self, effort: &mut Effort<'_, '_>) -> Result<f64, AlignError> {
        let units = self.alignments.units();
        let mut layers: Vec<Vec<State<W>>> = vec![Vec::new(); units + 1];
        layers[0].push(State {
            covered: [0; W],
            reduced: 0.0,
            disorder: 0.0,
        });
        let (mut pending, mut most_pending) = (0, REDUCE);
        for unit in 0..units {
            let mut layer = std::mem::take(&mut layers[unit]);
            pending -= layer.len().min(pending);
            effort.steps(layer.len())?;
            self.reduce(&mut layer);
            let own = self.alignments.starts[unit]..self.alignments.starts[unit + 1];
            for state in &layer {
                effort.steps(own.len())?;
                for at in own.clone() {
                    pending += usize::from(self.extend(unit, state, at, &mut layers));
                }
                if pending > most_pending {
                    pending = self.reduce_all(&mut layers[unit + 1..], effort)?;
                    most_pending = REDUCE.max(2 * pending);
                }
            }
        }
        let last = layers[units].iter().map(|state| state.disorder);
        Ok(last.fold(f64::INFINITY, f64::min))
    }

    /// Reduces all layers, and returns the number of their states.
    fn reduce_all(
        &self,
        layers: &mut [Vec<State<W>>],
        effort: &mut Effort<'_, '_>,
    ) -> Result<usize, AlignError> {
        let mut states = 0;
        for layer in layers {
            effort.steps(layer.len())?;
            self.reduce(layer);
            states += layer.len();
        }
        match states > effort.limits.states {
            true => Err(LimitError::States(effort.limits.states).into()),
            false => Ok(states),
        }
    }

    /// Adds a unitary alignment to a state, and returns whether this is possible: its units are not
    /// covered, and the reduced costs are within the bounds.
    #[inline]
    fn extend(
        &self,
        unit: usize,
        state: &State<W>,
        at: usize,
        layers: &mut [Vec<State<W>>],
    ) -> bool {
        let set = &self.sets[at];
        let reduced = state.reduced + self.bounds.reduced[at];
        let overlaps = set.iter().zip(&state.covered).any(|(a, b)| a & b != 0);
        if overlaps || reduced > self.bounds.gap {
            return false;
        }
        let mut covered = state.covered;
        for (word, added) in covered.iter_mut().zip(set) {
            *word |= added;
        }
        let shift = leading_units(&covered);
        layers[unit + shift].push(State {
            covered: shifted(&covered, shift),
            reduced,
            disorder: state.disorder + self.alignments.disorders[at],
        });
        true
    }

    /// Keeps the best of equal states, and removes states that are not better than another state.
    ///
    /// Let a and b be states of a layer. A completion of b becomes one of a if each unit that only
    /// b covers gets a unitary alignment of its own, which adds `pairs`, and if the units that only
    /// a covers are removed, which adds at most `annotators - 1` for each. If a with these
    /// additions is not worse than b, then b is not needed.
    fn reduce(&self, layer: &mut Vec<State<W>>) {
        layer.sort_unstable_by(|a, b| {
            let costs = a.disorder.total_cmp(&b.disorder);
            a.covered.cmp(&b.covered).then(costs)
        });
        layer.dedup_by(|later, first| later.covered == first.covered);
        if layer.len() <= 2 {
            return;
        }
        let mut order: Vec<usize> = (0..layer.len()).collect();
        order.sort_by(|&a, &b| layer[a].reduced.total_cmp(&layer[b].reduced));
        let alone = self.by.pairs;
        let removed = (self.by.annotators - 1) as f64;
        let mut kept: Vec<State<W>> = Vec::with_capacity(layer.len());
        for at in order {
            let state = layer[at];
            let is_dominated = kept.iter().take(ANCHORS).any(|anchor| {
                let (mut only_state, mut only_anchor) = (0, 0);
                for (a, b) in anchor.covered.iter().zip(&state.covered) {
                    only_state += (b & !a).count_ones();
                    only_anchor += (a & !b).count_ones();
                }
                let added = alone * f64::from(only_state) + removed * f64::from(only_anchor);
                anchor.disorder + added <= state.disorder
            });
            if !is_dominated {
                kept.push(state);
            }
        }
        *layer = kept;
    }
}

/// Number of units covered without a gap from the first unit of the window.
fn leading_units<const W: usize>(set: &Set<W>) -> usize {
    let mut units = 0;
    for word in set {
        let ones = word.trailing_ones() as usize;
        units += ones;
        if ones < 64 {
            break;
        }
    }
    units
}

/// Moves the window by `shift` units.
fn shifted<const W: usize>(set: &Set<W>, shift: usize) -> Set<W> {
    let (words, bits) = (shift / 64, shift % 64);
    let mut result = [0; W];
    for (at, word) in result.iter_mut().enumerate() {
        let low = set.get(at + words).copied().unwrap_or(0);
        let high = set.get(at + words + 1).copied().unwrap_or(0);
        *word = match bits {
            0 => low,
            _ => low >> bits | high << (64 - bits),
        };
    }
    result
}
