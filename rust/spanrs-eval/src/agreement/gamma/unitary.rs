//! Enumeration of the unitary alignments that may belong to the best alignment.

use super::components::Placed;
use super::dissimilarity::Dissimilarity;
use super::effort::Effort;
use super::error::{AlignError, LimitError};
use super::heuristic::disorder;

/// Unitary alignments of the units of a component, sorted by their first unit. Units are numbered
/// by their position in the component.
#[derive(Clone, Debug, Default)]
pub(super) struct UnitaryAlignments {
    /// For each unit, the index of the first unitary alignment whose first unit it is or follows,
    /// and finally the number of unitary alignments.
    pub(super) starts: Vec<usize>,
    /// For each unitary alignment, the index of its first member, and finally the number of
    /// members.
    offsets: Vec<usize>,
    /// The units of all unitary alignments, ascending in each.
    members: Vec<u32>,
    /// The disorder of each unitary alignment.
    pub(super) disorders: Vec<f64>,
}

impl UnitaryAlignments {
    /// Number of unitary alignments.
    pub(super) fn len(&self) -> usize {
        self.disorders.len()
    }

    /// Number of units of the component.
    pub(super) fn units(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Returns the units of a unitary alignment, ascending.
    #[inline]
    pub(super) fn members(&self, alignment: usize) -> &[u32] {
        &self.members[self.offsets[alignment]..self.offsets[alignment + 1]]
    }

    /// Adds a unitary alignment whose first unit is not before those already added.
    fn push(&mut self, members: impl Iterator<Item = u32>, disorder: f64) {
        self.members.extend(members);
        self.offsets.push(self.members.len());
        self.disorders.push(disorder);
    }

    /// Returns the unitary alignments for which `keep` is true.
    pub(super) fn filter(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut kept = Self::empty();
        for unit in 0..self.units() {
            for at in self.starts[unit]..self.starts[unit + 1] {
                if keep(at) {
                    kept.push(self.members(at).iter().copied(), self.disorders[at]);
                }
            }
            kept.starts.push(kept.len());
        }
        kept
    }

    /// The groups of an alignment, and each unit on its own.
    pub(super) fn of_groups(component: &[Placed], by: &Dissimilarity, groups: &[Vec<u32>]) -> Self {
        let mut first = vec![None; component.len()];
        for group in groups {
            if let Some(&least) = group.iter().min() {
                first[least as usize] = Some(group);
            }
        }
        let mut all = Self::empty();
        for (unit, group) in (0..).zip(first) {
            all.push(std::iter::once(unit), by.pairs);
            if let Some(group) = group.filter(|group| group.len() > 1) {
                let mut members = group.clone();
                members.sort_unstable();
                all.push(members.into_iter(), disorder(component, by, group));
            }
            all.starts.push(all.len());
        }
        all
    }

    /// Returns the unitary alignments of both; they are of the same component.
    pub(super) fn merge(&self, other: &Self) -> Self {
        let mut all = Self::empty();
        for unit in 0..self.units() {
            for from in [self, other] {
                for at in from.starts[unit]..from.starts[unit + 1] {
                    all.push(from.members(at).iter().copied(), from.disorders[at]);
                }
            }
            all.starts.push(all.len());
        }
        all
    }

    /// Returns the disorder of each unitary alignment minus the prices of its units.
    pub(super) fn reduced_costs(&self, prices: &[f64]) -> Vec<f64> {
        let cost = |(at, disorder): (usize, &f64)| {
            let members = self.members(at).iter();
            disorder - members.map(|&unit| prices[unit as usize]).sum::<f64>()
        };
        self.disorders.iter().enumerate().map(cost).collect()
    }

    /// No unitary alignments of no units.
    fn empty() -> Self {
        Self {
            starts: vec![0],
            offsets: vec![0],
            ..Self::default()
        }
    }
}

/// Number of visited sets of units for each unitary alignment that may be enumerated. Most sets of
/// units that are far from each other are not better than their parts.
const VISITS: usize = 4;

/// Prices of units that restrict an enumeration: the reduced cost of a unitary alignment is its
/// disorder minus the prices of its units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pricing<'a> {
    /// The price of each unit of the component.
    pub(super) prices: &'a [f64],
    /// Largest reduced cost of a unitary alignment that is enumerated.
    pub(super) most: f64,
    /// Maximum number of unitary alignments with the same first unit; others are skipped.
    pub(super) per_unit: usize,
}

/// Enumerates the unitary alignments that may belong to a best alignment: each pair of units has at
/// least [`Dissimilarity::least_benefit`], separating any single unit would increase the disorder,
/// and the reduced cost is not above the limit of `pricing`.
///
/// This includes all unitary alignments whose disorder is at most that of `annotators` units, each
/// alone, that the paper considers (section 5.1.1), except those that are not better than their
/// parts.
///
/// Returns None if there are more than `many`, or if the search takes too long for this number.
///
/// # Errors
/// [`LimitError::Alignments`] or [`LimitError::States`].
pub(super) fn enumerate(
    component: &[Placed],
    by: &Dissimilarity,
    pricing: Option<Pricing<'_>>,
    many: Option<usize>,
    effort: &mut Effort<'_, '_>,
) -> Result<Option<UnitaryAlignments>, AlignError> {
    let mut search = Search {
        component,
        by,
        pricing,
        candidates: Vec::new(),
        benefits: Vec::new(),
        halves: Vec::new(),
        gains: Vec::new(),
        chosen: Vec::new(),
        used: vec![false; by.annotators],
        best: vec![0.0; by.annotators],
        found: UnitaryAlignments::empty(),
        of_unit: 0,
        many: many.unwrap_or(usize::MAX),
        visits: 0,
    };
    let longest = component.iter().map(|u| u.segment.len());
    let longest = longest.fold(0.0, f64::max);
    for unit in 0..component.len() {
        search.extend_unit(unit, longest, effort)?;
        let len = search.found.len();
        if search.is_ended() {
            return Ok(None);
        }
        search.found.starts.push(len);
    }
    Ok(Some(search.found))
}

/// A depth-first search for the unitary alignments with a given first unit.
struct Search<'a> {
    /// The units.
    component: &'a [Placed],
    /// The dissimilarity.
    by: &'a Dissimilarity,
    /// Prices and limits.
    pricing: Option<Pricing<'a>>,
    /// Later units that may be aligned with the first unit.
    candidates: Vec<u32>,
    /// Benefits of the candidates, a square matrix; -infinity for pairs that cannot be aligned.
    benefits: Vec<f64>,
    /// For each candidate, half of an upper bound of its benefits with other candidates.
    halves: Vec<f64>,
    /// For each number of chosen candidates, and for each candidate: its price and its benefits
    /// with the chosen units.
    gains: Vec<Vec<f64>>,
    /// Indices of the chosen candidates.
    chosen: Vec<usize>,
    /// Whether each annotator has a chosen unit.
    used: Vec<bool>,
    /// Buffer: a bound of the contribution of each annotator.
    best: Vec<f64>,
    /// The result.
    found: UnitaryAlignments,
    /// Number of unitary alignments with the current first unit.
    of_unit: usize,
    /// Number of unitary alignments, or visits divided by [`VISITS`], above which the search ends.
    many: usize,
    /// Number of sets of chosen units that have been visited.
    visits: usize,
}

impl Search<'_> {
    /// Adds the unitary alignments whose first unit is `unit`.
    fn extend_unit(
        &mut self,
        unit: usize,
        longest: f64,
        effort: &mut Effort<'_, '_>,
    ) -> Result<(), AlignError> {
        let first = self.component[unit];
        let least = self.by.least_benefit();
        let reach = 2.0 * self.by.farthest(least, first.segment.len() + longest);
        let last = first.segment.doubled_centre() + reach;
        self.candidates.clear();
        let mut gains = self.gains.pop().unwrap_or_default();
        self.gains.clear();
        gains.clear();
        for (at, other) in (0..).zip(self.component).skip(unit + 1) {
            if other.segment.doubled_centre() > last {
                break;
            }
            let benefit = self.by.benefit(&first.segment, &other.segment);
            if other.annotator != first.annotator && benefit >= least {
                self.candidates.push(at);
                gains.push(self.price(at as usize) + benefit);
            }
        }
        self.gains.push(gains);
        self.fill_benefits(least);
        effort.steps(1 + self.benefits.len())?;
        self.of_unit = 0;
        self.used[first.annotator as usize] = true;
        let reduced = self.by.pairs - self.price(unit);
        let result = self.visit(unit, 0, self.by.pairs, reduced, effort);
        self.used[first.annotator as usize] = false;
        result
    }

    /// Returns the price of a unit, by default 0.
    fn price(&self, unit: usize) -> f64 {
        self.pricing.map_or(0.0, |pricing| pricing.prices[unit])
    }

    /// Computes the benefits of the candidates and their bounds.
    fn fill_benefits(&mut self, least: f64) {
        let n = self.candidates.len();
        self.benefits.clear();
        self.benefits.resize(n * n, f64::NEG_INFINITY);
        for i in 0..n {
            let a = &self.component[self.candidates[i] as usize];
            for j in i + 1..n {
                let b = &self.component[self.candidates[j] as usize];
                let benefit = self.by.benefit(&a.segment, &b.segment);
                if a.annotator != b.annotator && benefit >= least {
                    self.benefits[i * n + j] = benefit;
                    self.benefits[j * n + i] = benefit;
                }
            }
        }
        self.halves.clear();
        if self.pricing.is_none() {
            return;
        }
        for i in 0..n {
            self.best.fill(0.0);
            for (j, &other) in self.candidates.iter().enumerate() {
                let best = &mut self.best[self.component[other as usize].annotator as usize];
                *best = best.max(self.benefits[i * n + j]);
            }
            self.halves.push(self.best.iter().sum::<f64>() / 2.0);
        }
    }

    /// Adds the chosen units, if they may be in a best alignment, and visits their extensions by
    /// candidates from `from` on. `disorder` and `reduced` are the disorder of the chosen units and
    /// their reduced cost.
    fn visit(
        &mut self,
        unit: usize,
        from: usize,
        disorder: f64,
        reduced: f64,
        effort: &mut Effort<'_, '_>,
    ) -> Result<(), AlignError> {
        let depth = self.chosen.len();
        effort.steps(1 + self.candidates.len() - from)?;
        if self.is_kept(reduced) {
            let chosen = self.chosen.iter().map(|&at| self.candidates[at]);
            let members = std::iter::once(unit as u32).chain(chosen);
            self.found.push(members, disorder);
            self.of_unit += 1;
            if self.found.len() > effort.limits.alignments {
                return Err(LimitError::Alignments(effort.limits.alignments).into());
            }
        }
        self.visits += 1;
        if self.visits / VISITS > effort.limits.states {
            return Err(LimitError::States(effort.limits.states).into());
        }
        if self.is_ended() || self.cannot_extend(from, reduced) {
            return Ok(());
        }
        let n = self.candidates.len();
        if self.gains.len() < depth + 2 {
            self.gains.push(Vec::new());
        }
        for at in from..n {
            let candidate = self.candidates[at] as usize;
            let annotator = self.component[candidate].annotator as usize;
            let gain = self.gains[depth][at];
            if self.used[annotator] || gain == f64::NEG_INFINITY {
                continue;
            }
            let mut next = std::mem::take(&mut self.gains[depth + 1]);
            next.clear();
            let row = &self.benefits[at * n..(at + 1) * n];
            next.extend(self.gains[depth].iter().zip(row).map(|(gain, b)| gain + b));
            self.gains[depth + 1] = next;
            self.used[annotator] = true;
            self.chosen.push(at);
            let disorder = disorder - gain + self.price(candidate);
            self.visit(unit, at + 1, disorder, reduced - gain, effort)?;
            self.chosen.pop();
            self.used[annotator] = false;
        }
        Ok(())
    }

    /// Returns whether there are too many unitary alignments or visits.
    fn is_ended(&self) -> bool {
        self.found.len() > self.many || self.visits / VISITS > self.many
    }

    /// Returns whether the chosen units may be a unitary alignment of a best alignment.
    fn is_kept(&self, reduced: f64) -> bool {
        if let Some(pricing) = self.pricing
            && (reduced > pricing.most || self.of_unit >= pricing.per_unit)
        {
            return false;
        }
        let depth = self.chosen.len();
        let n = self.candidates.len();
        // The sum of the benefits of a unit in the unitary alignment.
        let gain = |at: usize| {
            let candidate = self.candidates[at] as usize;
            self.gains[0][at] - self.price(candidate)
        };
        let first: f64 = self.chosen.iter().map(|&at| gain(at)).sum();
        (depth == 0 || first > -self.by.pairs)
            && self.chosen.iter().all(|&at| {
                let others = self.chosen.iter().filter(|&&other| other != at);
                let sum: f64 = others.map(|&other| self.benefits[at * n + other]).sum();
                gain(at) + sum > -self.by.pairs
            })
    }

    /// Returns whether no extension by candidates from `from` on has a reduced cost within the
    /// limit.
    ///
    /// Each annotator contributes at most its greatest gain; a benefit between two candidates is
    /// divided equally between them.
    fn cannot_extend(&mut self, from: usize, reduced: f64) -> bool {
        let Some(pricing) = self.pricing else {
            return false;
        };
        if self.of_unit >= pricing.per_unit {
            return true;
        }
        self.best.fill(0.0);
        let mut total = 0.0;
        let gains = self.gains[self.chosen.len()].iter().zip(&self.halves);
        for (&candidate, (gain, half)) in self.candidates.iter().zip(gains).skip(from) {
            let annotator = self.component[candidate as usize].annotator as usize;
            let (gain, best) = (gain + half, &mut self.best[annotator]);
            if !self.used[annotator] && gain > *best {
                total += gain - *best;
                *best = gain;
            }
        }
        reduced - total > pricing.most
    }
}
