//! Counts, totals and measures of one criterion: overall, by type and by document; and the matrix
//! of types.
//!
//! These are the tables shown for results. All numbers are floating-point, because documents may
//! have weights; without weights, counts are integers, exact below 2^53.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{SerializeStruct, Serializer};

use super::counts::Counts;
use super::measure::{Evaluator, Prf, mean, tp_fp_fn};
use super::rows::{Key, Row};
use super::schema::Axis;

/// A count, which is serialised as an integer unless documents with fractional weights were summed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Amount(pub f64);

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Larger values do not fit a signed 64-bit integer.
        match self.0.fract() == 0.0 && self.0.abs() < 9.0e18 {
            true => serializer.serialize_i64(self.0 as i64),
            false => serializer.serialize_f64(self.0),
        }
    }
}

fn serialize_amounts<S: Serializer>(counts: &[f64], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(counts.iter().map(|&n| Amount(n)))
}

/// Serialises totals as a record `Totals`.
fn serialize_totals<S: Serializer>(totals: &[f64; 3], serializer: S) -> Result<S::Ok, S::Error> {
    let mut record = serializer.serialize_struct("Totals", 3)?;
    for (name, &n) in ["tp", "fp", "fn"].into_iter().zip(totals) {
        record.serialize_field(name, &Amount(n))?;
    }
    record.end()
}

/// Precision, recall and F, with the number of gold spans on which they are based.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// Precision, recall and F, in this order.
    pub values: [f64; 3],
    /// Number of gold spans; for a mean, the gold spans of all types.
    pub support: f64,
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut record = serializer.serialize_struct("Score", 4)?;
        for (name, value) in ["precision", "recall", "f1"].into_iter().zip(&self.values) {
            record.serialize_field(name, value)?;
        }
        record.serialize_field("support", &Amount(self.support))?;
        record.end()
    }
}

/// Counts, totals and measures of a set of spans: all spans, the spans of a type, or the spans in a
/// document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcomes {
    /// The number of occurrences of each outcome of the criterion.
    #[serde(serialize_with = "serialize_amounts")]
    pub counts: Vec<f64>,
    /// True positives, false positives and false negatives: the counts with the weights of the
    /// measure.
    #[serde(serialize_with = "serialize_totals")]
    pub totals: [f64; 3],
    /// The measures.
    pub score: Score,
}

/// Counts, totals and measures of all spans and of each type.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Over all types together (micro average).
    pub all: Outcomes,
    /// Unweighted mean over the types that occur (macro average). F is the mean of the types' F,
    /// not computed from the mean precision and recall.
    pub macro_mean: Score,
    /// Mean over the types that occur, weighted by support.
    pub weighted_mean: Score,
    /// Number and results of each type that occurs, sorted by name of the type. For matchers that
    /// match types separately, the results come from another criterion
    /// ([`Criterion::per_type`](super::Criterion::per_type)) and need not add up to `all`.
    pub types: Vec<(u32, Outcomes)>,
}

/// Gold type and pred type of a cell of the confusion matrix, by number; None if there is no span
/// on that side.
pub type Pair = (Option<u32>, Option<u32>);

/// Relative size below which the remainder of cancelling fractions is considered a rounding error
/// and treated as 0.
const ROUNDING: f64 = 1e-9;

impl Counts {
    /// Returns the counts, totals and measures of one criterion.
    ///
    /// - `prf`: criterion, weights, beta and axis; `part` is ignored, because all three measures
    ///   are returned.
    /// - `cells`: a sum for each cell, from [`Counts::all_totals`] or [`Counts::weighted_totals`].
    ///
    /// Takes one pass over the cells for each criterion involved, plus time proportional to types
    /// times outcomes.
    ///
    /// # Examples
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::outcomes::{Counts, Prf};
    /// use spanrs_eval::{EXACT, Exact, Pair, Spans, add_pair};
    /// let gold = [Span { start: 0, end: 2, ty: 0 }, Span { start: 3, end: 4, ty: 1 }];
    /// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&gold[..1]));
    /// let mut counts = Counts::new(&EXACT);
    /// let name = |ty: u32| ["PER", "LOC"][ty as usize].to_owned();
    /// add_pair(&mut Exact::default(), &pair, &name, &mut counts).unwrap();
    /// let summary = counts.summary(&Prf::f1(0), &counts.all_totals());
    /// assert_eq!(summary.all.totals, [1.0, 0.0, 1.0]);
    /// assert_eq!(summary.macro_mean.values, [0.5, 0.5, 0.5]);
    /// let names: Vec<_> = summary.types.iter().map(|(ty, _)| counts.type_name(*ty)).collect();
    /// assert_eq!(names, ["LOC", "PER"]);
    /// ```
    pub fn summary(&self, prf: &Prf, cells: &[f64]) -> Summary {
        Evaluator::new(self, &[]).summary(prf, cells)
    }

    /// Iterates over the documents with their counts, totals and measures over all types, in the
    /// order of [`Counts::rows`].
    ///
    /// The axis of `prf` does not matter here. Empty if documents are not kept.
    pub fn document_outcomes(&self, prf: &Prf) -> impl Iterator<Item = (&Key, Outcomes)> {
        let evaluator = Evaluator::new(self, &[]);
        let (gold, prf) = (evaluator.support_measure(prf), prf.clone());
        self.rows().map(move |row| {
            let counts = self.row_counts(&row, prf.criterion);
            let totals = tp_fp_fn(&counts, evaluator.terms(&prf));
            let gold_counts = self.row_counts(&row, gold.criterion);
            let [tp, _, fn_] = tp_fp_fn(&gold_counts, evaluator.terms(&gold));
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

    /// Returns the number of occurrences of each outcome of a criterion in a document, over all
    /// types. Linear in the cells of the row.
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

    /// Returns the number of times that spans of each gold type were paired with spans of each pred
    /// type: a sparse confusion matrix.
    ///
    /// - `criterion`: index of the criterion, which may share the cells of another criterion.
    /// - `left_out`: outcomes that are not part of the matrix.
    /// - `mistyped`: an outcome whose spans are also counted as missed and spurious; these counts
    ///   are subtracted.
    /// - `cells`: a sum for each cell, from [`Counts::all_totals`] or [`Counts::weighted_totals`].
    ///
    /// Missed spans are in the column None, spurious spans in the row None. Pairs that do not occur
    /// are omitted.
    ///
    /// # Examples
    /// ```
    /// use spanrs_base::Span;
    /// use spanrs_eval::outcomes::Counts;
    /// use spanrs_eval::{EXACT, Exact, Pair, Spans, add_pair};
    /// let (gold, pred) = ([Span { start: 0, end: 2, ty: 0 }], [Span { start: 0, end: 2, ty: 1 }]);
    /// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
    /// let mut counts = Counts::new(&EXACT);
    /// let name = |ty: u32| ["PER", "LOC"][ty as usize].to_owned();
    /// add_pair(&mut Exact::default(), &pair, &name, &mut counts).unwrap();
    /// let (per, loc) = (counts.type_number("PER"), counts.type_number("LOC"));
    /// let matrix = counts.confusion(0, &[], Some(3), &counts.all_totals());
    /// assert_eq!(matrix.into_iter().collect::<Vec<_>>(), [((per, loc), 1.0)]);
    /// ```
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
        // Fractions that cancel can leave a rounding error.
        let found = found.filter(|(_, (n, size))| n.abs() > ROUNDING * size);
        found.map(|(pair, (n, _))| (pair, n)).collect()
    }
}

impl Evaluator {
    /// Computes [`Counts::summary`] from sums of the cells.
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
            let totals = self.totals_of(&by_type, place);
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
        let totals = tp_fp_fn(&counts, self.terms(prf));
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
