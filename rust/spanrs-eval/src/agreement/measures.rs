//! Measures of agreement from sums of statistics.

use std::collections::BTreeMap;

use super::formulas::{Kappa, Means, Nominal, Presence, one_less, ratio};
use super::layout::{Layout, PairColumns, add, value};
use super::row::{Key, Row};
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
    /// Means over pairs of annotators, weighted by common positions, of exact, overlap and untyped
    /// F1 and Cohen's kappa; then Fleiss' kappa, Krippendorff's alpha, alpha for unitizing.
    pub whole: [f64; WHOLE],
    /// By pair, in the order of [`Layout::pairs`]: exact, overlap and untyped F1, Cohen's kappa.
    pub pairs: Vec<[f64; PAIR]>,
    /// By annotator: means over the annotator's pairs.
    pub annotators: Vec<[f64; PAIR]>,
    /// By type: exact and overlap F1 and Cohen's kappa (means over pairs), Krippendorff's alpha,
    /// alpha for unitizing. Kappa and alpha compare whether a position has the type.
    pub types: Vec<[f64; TYPE]>,
}

/// The measures of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentValues {
    /// Index of the document among all added documents, from 0.
    pub index: u32,
    /// Number of annotators.
    pub annotators: u32,
    /// Number of positions.
    pub positions: u32,
    /// As in [`Values::whole`].
    pub values: [f64; WHOLE],
}

/// F1 of the types of a pair: (type, exact, overlap, spans of both annotators).
pub type PairTypes = Vec<(u32, f64, f64, f64)>;

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
                let [spans, exact, overlap] = columns.map(|column| value(&sums, column));
                (
                    *ty,
                    ratio(2.0 * exact, spans),
                    ratio(2.0 * overlap, spans),
                    spans,
                )
            };
            pair.types.iter().map(of_type).collect()
        };
        self.pairs.iter().map(of_pair).collect()
    }

    /// Returns the measures of each document with several annotators.
    pub fn documents(&self) -> Vec<DocumentValues> {
        let mut sums = self.zeros();
        let rows = self.rows().iter().zip(&self.project.facts);
        rows.map(|(row, facts)| {
            add(&mut sums, row, 1.0);
            let values = self.document(row, &sums);
            for &(column, _) in row {
                sums[column as usize] = 0.0;
            }
            DocumentValues {
                index: facts.index,
                annotators: facts.annotators,
                positions: facts.length,
                values,
            }
        })
        .collect()
    }

    /// Returns the measures of all annotators of one document. Visits only the statistics of the
    /// document, so that the time for all documents is linear.
    fn document(&self, row: &Row, sums: &[f64]) -> [f64; WHOLE] {
        let project = self.project;
        let mut pairs = Vec::new();
        let mut nominal = Nominal::new(project.labels.len());
        let mut answers = Vec::new();
        let mut types: BTreeMap<u32, OfType> = BTreeMap::new();
        for &(column, number) in row {
            match project.columns.keys()[column as usize] {
                Key::Cell { pair, .. } => pairs.push(project.pair_names[pair as usize]),
                Key::Positions { .. } => nominal.add_positions(number),
                Key::Coincidence {
                    annotators,
                    first,
                    second,
                } => {
                    let annotators = f64::from(annotators);
                    nominal.add(annotators, first as usize, second as usize, number);
                }
                Key::Units { ty, length } => {
                    types.entry(ty).or_default().units.push((length, number));
                }
                Key::Gaps { ty, length } => {
                    types
                        .entry(ty)
                        .or_default()
                        .gaps
                        .push(Suffix::new(length, number));
                }
                Key::Answers { length } => answers.push(Suffix::new(length, number)),
                Key::Difference { ty, annotators } => {
                    let number = 2.0 * number / (f64::from(annotators) - 1.0);
                    types.entry(ty).or_default().difference += number;
                }
                Key::Spans { .. } | Key::Exact { .. } | Key::Overlap { .. } => {}
                Key::Untyped { .. } => {}
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let mut means = Means::<PAIR>::default();
        for names in pairs {
            if let Ok(at) = self
                .pairs
                .binary_search_by_key(&names, |pair| pair.annotators)
            {
                let (values, positions) = self.pair(&self.pairs[at], sums);
                means.add(&values, positions);
            }
        }
        suffix_sums(&mut answers);
        let mut unitized = (0.0, 0.0);
        for of_type in types.values_mut() {
            of_type.units.sort_unstable_by_key(|(length, _)| *length);
            of_type.gaps.sort_unstable_by_key(|gap| gap.length);
            let (observed, chance) = of_type.disagreement(&answers);
            unitized = (unitized.0 + observed, unitized.1 + chance);
        }
        let [exact, overlap, untyped, kappa] = means.values();
        let (fleiss, alpha) = (nominal.fleiss(), nominal.alpha());
        let unitized = one_less(unitized.0, unitized.1);
        [exact, overlap, untyped, kappa, fleiss, alpha, unitized]
    }

    /// Returns all measures from sums of statistics.
    pub(super) fn evaluate(&self, sums: &[f64]) -> Values {
        let mut whole = Means::<PAIR>::default();
        let mut annotators = vec![Means::<PAIR>::default(); self.annotators];
        let mut of_types = vec![Means::<3>::default(); self.types.len()];
        let mut presence = Presence::new(self.types.len());
        let mut pairs = Vec::with_capacity(self.pairs.len());
        for pair in &self.pairs {
            let (values, positions) = self.pair(pair, sums);
            whole.add(&values, positions);
            annotators[pair.annotators.0 as usize].add(&values, positions);
            annotators[pair.annotators.1 as usize].add(&values, positions);
            pairs.push(values);
            self.add_types(pair, sums, positions, &mut presence, &mut of_types);
        }
        let mut answers: Vec<Suffix> = suffixes(&self.answers, sums);
        suffix_sums(&mut answers);
        let mut unitized = (0.0, 0.0);
        let types = (0..self.types.len() as u32)
            .map(|ty| {
                let (observed, chance) = self.units(ty, sums).disagreement(&answers);
                unitized = (unitized.0 + observed, unitized.1 + chance);
                let [exact, overlap, kappa] = of_types[ty as usize].values();
                let alpha = self.nominal(sums, Some(ty)).alpha();
                [exact, overlap, kappa, alpha, one_less(observed, chance)]
            })
            .collect();
        let nominal = self.nominal(sums, None);
        let [exact, overlap, untyped, kappa] = whole.values();
        let (fleiss, alpha) = (nominal.fleiss(), nominal.alpha());
        let unitized = one_less(unitized.0, unitized.1);
        Values {
            whole: [exact, overlap, untyped, kappa, fleiss, alpha, unitized],
            pairs,
            annotators: annotators.iter().map(Means::values).collect(),
            types,
        }
    }

    /// Returns the measures of a pair, and its number of common positions.
    fn pair(&self, pair: &PairColumns, sums: &[f64]) -> ([f64; PAIR], f64) {
        let (mut spans, mut exact, mut overlap) = (0.0, 0.0, 0.0);
        for (_, columns) in &pair.types {
            let [all, equal, common] = columns.map(|column| value(sums, column));
            (spans, exact, overlap) = (spans + all, exact + equal, overlap + common);
        }
        let untyped = pair.untyped.map_or(0.0, |column| value(sums, column));
        let mut kappa = Kappa::new(self.project.labels.len());
        for &(first, second, column) in &pair.cells {
            kappa.add(first, second, value(sums, column));
        }
        let f1 = |matched: f64| ratio(2.0 * matched, spans);
        (
            [f1(exact), f1(overlap), f1(untyped), kappa.value()],
            kappa.total,
        )
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
            means[*ty as usize].add(&values, positions);
        }
        presence.drain(|ty, first, second, both| {
            let equal = positions - first - second + 2.0 * both;
            let products = first * second + (positions - first) * (positions - second);
            let square = positions * positions;
            let kappa = ratio(equal * positions - products, square - products);
            means[ty as usize].add(&[f64::NAN, f64::NAN, kappa], positions);
        });
    }

    /// Returns the statistics of all labels, or of the presence of a type.
    fn nominal(&self, sums: &[f64], ty: Option<u32>) -> Nominal {
        let labels = &self.project.labels;
        let code = |label: u32| match ty {
            None => label as usize,
            Some(ty) => usize::from(labels.types(label).binary_search(&ty).is_ok()),
        };
        let mut nominal = Nominal::new(if ty.is_some() { 2 } else { labels.len() });
        for group in &self.groups {
            nominal.add_positions(value(sums, group.positions));
            for &(first, second, column) in &group.cells {
                let number = value(sums, column);
                nominal.add(group.annotators, code(first), code(second), number);
            }
        }
        nominal
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

/// Units, gaps and observed differences of one type, ascending by length.
#[derive(Default)]
struct OfType {
    units: Vec<(u32, f64)>,
    gaps: Vec<Suffix>,
    /// Weighted sum of squared differences.
    difference: f64,
}

impl OfType {
    /// Returns the observed and the expected disagreement; `answers` are suffix sums of the lengths
    /// of documents.
    fn disagreement(&mut self, answers: &[Suffix]) -> (f64, f64) {
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
