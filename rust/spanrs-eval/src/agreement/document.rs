//! Measures of agreement of single documents.

use std::collections::BTreeMap;

use super::formulas::{Kappa, Means, Nominal, one_less, pair_weight};
use super::layout::Layout;
use super::measures::{OfType, PAIR, SpanNumbers, WHOLE};
use super::project::Project;
use super::row::{Key, Row};
use super::unitizing::{Suffix, suffix_sums};

/// The measures of one document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentValues {
    /// Index of the document among all added documents, from 0.
    pub index: u32,
    /// Number of annotators.
    pub annotators: u32,
    /// Number of positions.
    pub positions: u32,
    /// As in [`Values::whole`](super::Values::whole).
    pub values: [f64; WHOLE],
}

impl Layout<'_> {
    /// Returns the measures of each document with several annotators.
    pub fn documents(&self) -> Vec<DocumentValues> {
        let labels = self.project.labels.len();
        let (mut kappa, mut nominal) = (Kappa::new(labels), Nominal::new(labels));
        let rows = self.rows().iter().zip(&self.project.facts);
        rows.map(|(row, facts)| DocumentValues {
            index: facts.index,
            annotators: facts.annotators,
            positions: facts.length,
            values: document(self.project, row, &mut kappa, &mut nominal),
        })
        .collect()
    }
}

/// Statistics of a pair of annotators.
#[derive(Default)]
struct PairStatistics {
    spans: SpanNumbers,
    /// Numbers of positions by two labels.
    cells: Vec<(u32, u32, f64)>,
}

/// Statistics of one document.
#[derive(Default)]
struct Statistics {
    /// By pair of annotators.
    pairs: BTreeMap<(u32, u32), PairStatistics>,
    types: BTreeMap<u32, OfType>,
    answers: Vec<Suffix>,
}

impl Statistics {
    fn pair(&mut self, project: &Project, pair: u32) -> &mut PairStatistics {
        let names = project.pair_names[pair as usize];
        self.pairs.entry(names).or_default()
    }

    /// Adds a statistic; those of all annotators' labels are added to `nominal`.
    fn add(&mut self, project: &Project, key: Key, number: f64, nominal: &mut Nominal) {
        match key {
            Key::Cell {
                pair,
                first,
                second,
            } => self.pair(project, pair).cells.push((first, second, number)),
            Key::Spans { pair, .. } => self.pair(project, pair).spans.all += number,
            Key::Exact { pair, .. } => self.pair(project, pair).spans.exact += number,
            Key::Overlap { pair, .. } => self.pair(project, pair).spans.overlap += number,
            Key::Untyped { pair } => self.pair(project, pair).spans.untyped += number,
            Key::Positions { .. } => nominal.add_positions(number),
            Key::Coincidence {
                annotators,
                first,
                second,
            } => nominal.add(f64::from(annotators), first, second, number),
            Key::Units { ty, length } => {
                self.types
                    .entry(ty)
                    .or_default()
                    .units
                    .push((length, number));
            }
            Key::Gaps { ty, length } => {
                let gap = Suffix::new(length, number);
                self.types.entry(ty).or_default().gaps.push(gap);
            }
            Key::Answers { length } => self.answers.push(Suffix::new(length, number)),
            Key::Difference { ty, annotators } => {
                let number = 2.0 * number / (f64::from(annotators) - 1.0);
                self.types.entry(ty).or_default().difference += number;
            }
        }
    }

    /// Returns the observed and the expected disagreement of units.
    fn unitizing(&mut self) -> (f64, f64) {
        suffix_sums(&mut self.answers);
        let mut sum = (0.0, 0.0);
        for of_type in self.types.values_mut() {
            of_type.units.sort_unstable_by_key(|(length, _)| *length);
            of_type.gaps.sort_unstable_by_key(|gap| gap.length);
            let (observed, chance) = of_type.disagreement(&self.answers);
            sum = (sum.0 + observed, sum.1 + chance);
        }
        sum
    }
}

/// Returns the measures of all annotators of one document.
///
/// Visits only the statistics of the document, so that the time for all documents is linear in the
/// size of all rows. `kappa` and `nominal` must be empty, and are empty afterwards.
fn document(
    project: &Project,
    row: &Row,
    kappa: &mut Kappa,
    nominal: &mut Nominal,
) -> [f64; WHOLE] {
    let mut statistics = Statistics::default();
    for &(column, number) in row {
        let key = project.columns.keys()[column as usize];
        statistics.add(project, key, number, nominal);
    }
    let mut means = Means::<PAIR>::default();
    for pair in statistics.pairs.values() {
        for &(first, second, number) in &pair.cells {
            kappa.add(first, second, number);
        }
        let (kappa, positions) = kappa.take();
        means.add(&pair.spans.measures(kappa), pair_weight(positions));
    }
    let (observed, chance) = statistics.unitizing();
    let [exact, overlap, untyped, kappa] = means.values();
    let (fleiss, alpha) = nominal.take();
    let unitized = one_less(observed, chance);
    [exact, overlap, untyped, kappa, fleiss, alpha, unitized]
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Content, ProjectSpan};
    use super::*;

    fn answers(documents: &[[(u32, u32, u32); 2]]) -> Vec<Answer> {
        let answer = |(annotator, spans): (u32, &[(u32, u32, u32); 2])| Answer {
            annotator,
            content: Content::Spans(
                spans
                    .iter()
                    .map(|&(start, end, ty)| ProjectSpan::new(start, end, ty))
                    .collect(),
            ),
        };
        (0..).zip(documents).map(answer).collect()
    }

    #[test]
    fn documents_have_the_values_of_projects_of_one_document() {
        let documents = [
            answers(&[
                [(0, 3, 0), (4, 6, 1)],
                [(0, 3, 0), (5, 7, 1)],
                [(1, 3, 2), (4, 6, 0)],
            ]),
            answers(&[[(0, 1, 3), (1, 2, 4)], [(0, 1, 3), (1, 4, 3)]]),
            answers(&[[(2, 3, 1), (2, 9, 0)], [(2, 3, 4), (2, 9, 0)]]),
        ];
        let project = |documents: &[Vec<Answer>]| {
            let mut project = Project::default();
            for name in ["A", "B", "C", "D", "E"] {
                project.intern(name);
            }
            for answers in documents {
                project.add(9, None, answers.clone());
            }
            project
        };
        let together = project(&documents);
        for (answers, values) in documents.iter().zip(together.layout().documents()) {
            let alone = project(std::slice::from_ref(answers));
            let expected = alone.layout().values().whole;
            for (value, expected) in values.values.iter().zip(expected) {
                assert!(!value.is_nan() && (value - expected).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn f1_needs_no_positions() {
        let mut project = Project::default();
        project.intern("A");
        project.intern("B");
        let marked = [
            [(0, 1, 0), (3, 4, 0)],
            [(0, 1, 0), (3, 5, 0)],
            [(0, 1, 0), (3, 4, 1)],
        ];
        project.add(9, Some(&[]), answers(&marked));
        let layout = project.layout();
        let values = layout.values();
        // Means of three pairs with the same weight.
        let expected = [0.5, (1.0 + 0.5 + 0.5) / 3.0, (0.5 + 1.0 + 0.5) / 3.0];
        let document = layout.documents()[0].values;
        for whole in [values.whole, document] {
            for (value, expected) in whole.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12);
            }
            assert!(whole[3..].iter().all(|value| value.is_nan()));
        }
        let of_type = (0.5 + 2.0 / 3.0 + 2.0 / 3.0) / 3.0;
        assert!((values.types[0][0] - of_type).abs() < 1e-12);
        assert_eq!(values.types[1][0], 0.0);
    }
}
