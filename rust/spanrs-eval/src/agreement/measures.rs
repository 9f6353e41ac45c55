//! Measures of agreement from sums of statistics.

use super::formulas::{Kappa, Means, Nominal, Presence, TypeAlphas, one_less, pair_weight, ratio};
use super::layout::{Layout, PairColumns, value};
use super::unitizing::{Lengths, Suffix, expected, suffix_sums};

/// Measures of pairs and annotators: exact, overlap and untyped F1, Cohen's kappa.
pub(super) const PAIR: usize = 4;
/// Measures of all annotators: those of pairs (means), Fleiss' kappa, Krippendorff's alpha, and alpha for unitizing.
pub(super) const WHOLE: usize = 7;
/// Measures of types: exact and overlap F1, Cohen's kappa, Krippendorff's alpha, and alpha for unitizing.
pub(super) const TYPE: usize = 5;

/// All measures of a project; NaN if there is nothing to measure.
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// Means over pairs of annotators, weighted by common positions (a pair without positions has
    /// weight 1), of exact, overlap and untyped F1 and Cohen's kappa; then Fleiss' kappa,
    /// Krippendorff's alpha, alpha for unitizing.
    pub whole: [f64; WHOLE],
    /// By pair, in the order of [`Layout::pairs`]: exact, overlap and untyped F1, Cohen's kappa.
    pub pairs: Vec<[f64; PAIR]>,
    /// By annotator: means over the annotator's pairs.
    pub annotators: Vec<[f64; PAIR]>,
    /// By type: exact and overlap F1 and Cohen's kappa (means over pairs), Krippendorff's alpha,
    /// alpha for unitizing. Kappa and alpha compare whether a position has the type.
    pub types: Vec<[f64; TYPE]>,
}

/// Exact F1 of the types of a pair: (type, F1).
pub type PairTypes = Vec<(u32, f64)>;

impl Layout<'_> {
    /// Returns all measures.
    pub fn values(&self) -> Values {
        self.evaluate(&self.sums())
    }

    /// Returns the F1 of the types of each pair, in the order of [`Layout::pairs`].
    pub fn pair_types(&self) -> Vec<PairTypes> {
        let sums = self.sums();
        let of_pair = |pair: &PairColumns| {
            let of_type = |(ty, columns): &(u32, [u32; 3])| {
                let [spans, exact, _] = columns.map(|column| value(&sums, column));
                (*ty, ratio(2.0 * exact, spans))
            };
            pair.types.iter().map(of_type).collect()
        };
        self.pairs.iter().map(of_pair).collect()
    }

    /// Returns all measures from sums of statistics.
    pub(super) fn evaluate(&self, sums: &[f64]) -> Values {
        let mut whole = Means::<PAIR>::default();
        let mut annotators = vec![Means::<PAIR>::default(); self.annotators];
        let mut of_types = vec![Means::<3>::default(); self.types.len()];
        let mut presence = Presence::new(self.types.len());
        let mut kappa = Kappa::new(self.project.labels.len());
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let (values, positions) = self.pair(pair, sums, &mut kappa);
            let weight = pair_weight(positions);
            whole.add(&values, weight);
            annotators[pair.annotators.0 as usize].add(&values, weight);
            annotators[pair.annotators.1 as usize].add(&values, weight);
            pairs.push(values);
            self.add_types(pair, sums, positions, &mut presence, &mut of_types);
        }
        let mut answers: Vec<Suffix> = suffixes(&self.answers, sums);
        suffix_sums(&mut answers);
        let mut unitized = (0.0, 0.0);
        let (fleiss, alpha, alphas) = self.nominal(sums);
        let types = (0..self.types.len() as u32)
            .map(|ty| {
                let (observed, chance) = self.units(ty, sums).disagreement(&answers);
                unitized = (unitized.0 + observed, unitized.1 + chance);
                let [exact, overlap, kappa] = of_types[ty as usize].values();
                let unitized = one_less(observed, chance);
                [exact, overlap, kappa, alphas.alpha(ty), unitized]
            })
            .collect();
        let [exact, overlap, untyped, kappa] = whole.values();
        let unitized = one_less(unitized.0, unitized.1);
        Values {
            whole: [exact, overlap, untyped, kappa, fleiss, alpha, unitized],
            pairs,
            annotators: annotators.iter().map(Means::values).collect(),
            types,
        }
    }

    /// Returns the measures of a pair, and its number of common positions.
    fn pair(&self, pair: &PairColumns, sums: &[f64], kappa: &mut Kappa) -> ([f64; PAIR], f64) {
        let mut numbers = SpanNumbers::default();
        for (_, columns) in &pair.types {
            let [all, exact, overlap] = columns.map(|column| value(sums, column));
            numbers.all += all;
            numbers.exact += exact;
            numbers.overlap += overlap;
        }
        numbers.untyped = pair.untyped.map_or(0.0, |column| value(sums, column));
        for &(first, second, column) in &pair.cells {
            kappa.add(first, second, value(sums, column));
        }
        let (kappa, positions) = kappa.take();
        (numbers.measures(kappa), positions)
    }

    /// Adds a pair's measures of each type.
    fn add_types(
        &self,
        pair: &PairColumns,
        sums: &[f64],
        positions: f64,
        presence: &mut Presence,
        means: &mut [Means<3>],
    ) {
        for &(first, second, column) in &pair.cells {
            presence.add(&self.project.labels, first, second, value(sums, column));
        }
        for (ty, columns) in &pair.types {
            let [spans, exact, overlap] = columns.map(|column| value(sums, column));
            let values = [
                ratio(2.0 * exact, spans),
                ratio(2.0 * overlap, spans),
                f64::NAN,
            ];
            means[*ty as usize].add(&values, pair_weight(positions));
        }
        presence.drain(|ty, first, second, both| {
            let equal = positions - first - second + 2.0 * both;
            let products = first * second + (positions - first) * (positions - second);
            let square = positions * positions;
            let kappa = ratio(equal * positions - products, square - products);
            means[ty as usize].add(&[f64::NAN, f64::NAN, kappa], positions);
        });
    }

    /// Returns Fleiss' kappa and Krippendorff's alpha, and alpha of the presence of each type.
    fn nominal(&self, sums: &[f64]) -> (f64, f64, TypeAlphas) {
        let labels = &self.project.labels;
        let mut nominal = Nominal::new(labels.len());
        let mut alphas = TypeAlphas::new(self.types.len());
        for group in &self.groups {
            nominal.add_positions(value(sums, group.positions));
            for &(first, second, column) in &group.cells {
                let number = value(sums, column);
                nominal.add(group.annotators, first, second, number);
                alphas.add(labels, first, second, number);
            }
            alphas.end(group.annotators);
        }
        let (fleiss, alpha) = nominal.take();
        (fleiss, alpha, alphas)
    }

    /// Returns the units and gaps of a type.
    fn units(&self, ty: u32, sums: &[f64]) -> OfType {
        let columns = &self.types[ty as usize];
        let units = columns
            .units
            .iter()
            .map(|&(length, column)| (length, value(sums, column)));
        let differences = columns
            .differences
            .iter()
            .map(|&(annotators, column)| 2.0 * value(sums, column) / (f64::from(annotators) - 1.0));
        OfType {
            units: units.filter(|(_, number)| *number > 0.0).collect(),
            gaps: suffixes(&columns.gaps, sums),
            difference: differences.sum(),
        }
    }
}

/// Numbers of spans of a pair of annotators.
#[derive(Default)]
pub(super) struct SpanNumbers {
    /// Spans of both annotators.
    pub all: f64,
    /// Matched equal spans.
    pub exact: f64,
    /// Matched overlapping spans.
    pub overlap: f64,
    /// Matched spans with equal bounds.
    pub untyped: f64,
}

impl SpanNumbers {
    /// Returns exact, overlap and untyped F1, and the given kappa.
    pub(super) fn measures(&self, kappa: f64) -> [f64; PAIR] {
        let f1 = |matched: f64| ratio(2.0 * matched, self.all);
        [f1(self.exact), f1(self.overlap), f1(self.untyped), kappa]
    }
}

/// Units, gaps and observed differences of one type, ascending by length.
#[derive(Default)]
pub(super) struct OfType {
    pub units: Vec<(u32, f64)>,
    pub gaps: Vec<Suffix>,
    /// Weighted sum of squared differences.
    pub difference: f64,
}

impl OfType {
    /// Returns the observed and the expected disagreement; `answers` are suffix sums of the lengths
    /// of documents.
    pub(super) fn disagreement(&mut self, answers: &[Suffix]) -> (f64, f64) {
        if self.units.is_empty() {
            return (0.0, 0.0);
        }
        let positions = answers.first().map_or(0.0, |all| all.total);
        suffix_sums(&mut self.gaps);
        let lengths = Lengths {
            answers,
            gaps: &self.gaps,
            units: &self.units,
        };
        (self.difference / positions, expected(&lengths, positions))
    }
}

/// Returns numbers of gaps from columns by length.
fn suffixes(columns: &[(u32, u32)], sums: &[f64]) -> Vec<Suffix> {
    let gap = |&(length, column): &(u32, u32)| Suffix::new(length, value(sums, column));
    columns.iter().map(gap).collect()
}
