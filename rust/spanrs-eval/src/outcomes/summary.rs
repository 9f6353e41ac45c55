//! Outcome counts, totals and measures of one criterion: overall, per type and per document.

use std::collections::BTreeMap;

use super::counts::Counts;
use super::measure::{Evaluator, Prf, masses, mean};
use super::rows::{Key, Row};
use super::schema::Axis;

/// Precision, recall and F, and the number of gold spans (support).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Precision, recall, F.
    pub values: [f64; 3],
    /// Gold spans.
    pub support: f64,
}

/// Outcome counts, totals and measures of a set of spans.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcomes {
    /// How often each outcome occurred.
    pub counts: Vec<f64>,
    /// True positives, false positives, false negatives.
    pub totals: [f64; 3],
    /// The measures.
    pub score: Score,
}

/// Outcome counts, totals and measures of all spans and of each type.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Over all types.
    pub all: Outcomes,
    /// Unweighted mean over types (macro average).
    pub macro_mean: Score,
    /// Mean over types weighted by support.
    pub weighted_mean: Score,
    /// The id and results of each type that occurs, sorted by type name.
    pub types: Vec<(u32, Outcomes)>,
}

/// Row and column of a confusion matrix, as type ids; None stands for no span.
pub type Pair = (Option<u32>, Option<u32>);

/// Relative tolerance below which a sum of fractions is treated as zero.
const ROUNDING: f64 = 1e-9;

impl Counts {
    /// Summarises one criterion. `cells` has the total of each cell; `prf.part` is ignored.
    pub fn summary(&self, prf: &Prf, cells: &[f64]) -> Summary {
        Evaluator::new(self, &[]).summary(prf, cells)
    }

    /// Outcome counts, totals and measures of each document under one criterion.
    pub fn document_outcomes(&self, prf: &Prf) -> impl Iterator<Item = (&Key, Outcomes)> {
        let evaluator = Evaluator::new(self, &[]);
        let (gold, prf) = (evaluator.of_gold(prf), prf.clone());
        self.rows().map(move |row| {
            let counts = self.row_counts(&row, prf.criterion);
            let totals = masses(&counts, evaluator.terms(&prf));
            let gold_counts = self.row_counts(&row, gold.criterion);
            let [tp, _, fn_] = masses(&gold_counts, evaluator.terms(&gold));
            let score = Score {
                values: prf.values(totals, evaluator.empty(&prf)),
                support: tp + fn_,
            };
            let outcomes = Outcomes {
                counts,
                totals,
                score,
            };
            (row.key, outcomes)
        })
    }

    /// Number of times each outcome of a criterion occurs in a document.
    pub fn row_counts(&self, row: &Row, criterion: u8) -> Vec<f64> {
        let schema = &self.schema().criteria[usize::from(criterion)];
        let of = schema.cells_of.unwrap_or(criterion);
        let mut counts = vec![0.0; schema.outcomes.len()];
        for (&id, &n) in row.cells.iter().zip(row.n) {
            let cell = &self.cells()[id as usize];
            if cell.criterion == of {
                counts[usize::from(cell.outcome)] += n as f64;
            }
        }
        counts
    }

    /// How often spans of one type answered spans of another, by gold type and pred type, where `cells` has a sum for
    /// each cell; without the outcomes that `left_out` names. Pairs that do not occur are left out.
    ///
    /// `mistyped` is an outcome that its spans have besides those of being missed and spurious.
    pub fn confusion(
        &self,
        criterion: u8,
        left_out: &[u8],
        mistyped: Option<u8>,
        cells: &[f64],
    ) -> BTreeMap<Pair, f64> {
        let of = self.schema().criteria[usize::from(criterion)].cells_of;
        let of = of.unwrap_or(criterion);
        // The sum and the sum of absolute values.
        let mut sums: BTreeMap<Pair, (f64, f64)> = BTreeMap::new();
        let mut add = |pair: Pair, n: f64| {
            let (sum, size) = sums.entry(pair).or_default();
            *sum += n;
            *size += n.abs();
        };
        for (cell, &n) in self.cells().iter().zip(cells) {
            let types = (cell.gold, cell.pred);
            if cell.criterion != of || types == (None, None) || left_out.contains(&cell.outcome) {
                continue;
            }
            add(types, n);
            if mistyped == Some(cell.outcome) {
                add((cell.gold, None), -n);
                add((None, cell.pred), -n);
            }
        }
        let found = sums.into_iter();
        // Cancelling fractions can leave a rounding error.
        let found = found.filter(|(_, (n, size))| n.abs() > ROUNDING * size);
        found.map(|(pair, (n, _))| (pair, n)).collect()
    }
}

impl Evaluator {
    fn summary(&mut self, prf: &Prf, cells: &[f64]) -> Summary {
        let by_type = self.by_type(prf);
        let (empty, axis) = (self.empty(prf), self.axis(prf));
        let mut support = self.support(prf, cells);
        let gold_spans = support.iter().sum();
        if by_type.criterion != prf.criterion {
            // The support of a type does not depend on how its spans are matched.
            support = self.support(&by_type, cells);
        }
        self.sum(by_type.criterion, cells);
        let mut types = Vec::new();
        for (place, ty) in self.by_name().into_iter().enumerate() {
            if !self.occurs(place) {
                continue;
            }
            let totals = self.masses_of(&by_type, place);
            let score = Score {
                values: prf.values(totals, empty),
                support: support[place],
            };
            let counts = self.counts_of(by_type.criterion, place, axis == Axis::Pred);
            types.push((
                ty,
                Outcomes {
                    counts,
                    totals,
                    score,
                },
            ));
        }
        self.sum(prf.criterion, cells);
        let counts = self.counts_of_all(prf.criterion);
        let totals = masses(&counts, self.terms(prf));
        let mean_of = |weight: fn(&Outcomes) -> f64| Score {
            values: [0, 1, 2].map(|part| {
                let values = types
                    .iter()
                    .map(|(_, one)| (weight(one), one.score.values[part]));
                mean(values, empty)
            }),
            support: gold_spans,
        };
        Summary {
            macro_mean: mean_of(|_| 1.0),
            weighted_mean: mean_of(|one| one.score.support),
            all: Outcomes {
                counts,
                totals,
                score: Score {
                    values: prf.values(totals, empty),
                    support: gold_spans,
                },
            },
            types,
        }
    }
}
