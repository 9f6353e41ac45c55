//! Measures: functions of summed cells.
//!
//! A measure is computed in three steps. Cells of its criterion are summed by type and outcome; the
//! sums, multiplied by the weights of the outcomes, give the totals: true positives, false
//! positives and false negatives; the totals give precision, recall and F. Weights are applied
//! after the integer sums, and precision and recall are computed before F, so that results equal
//! the results of the replaced tools to the last bit.
//!
//! [`Counts::measure`] does this once. [`Evaluator`] does it for many sums of the same cells, as
//! needed for resampling.

use spanrs_base::Named;

use super::counts::Counts;
use super::error::CountsError;
use super::exact_sum::exact_sum;
use super::schema::{Axis, Criterion};

/// The value of a [`Prf`] that is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// TP / (TP + FP).
    Precision,
    /// TP / (TP + FN).
    Recall,
    /// The weighted harmonic mean of precision and recall.
    F,
}

impl Named for Part {
    const WHAT: &'static str = "part";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("precision", Self::Precision),
        ("recall", Self::Recall),
        ("f1", Self::F),
    ];
}

spanrs_base::serde_by_name!(Part);

/// Outcomes by index, and the weights (TP, FP, FN) of the sum of their counts.
pub type Term = (Vec<u8>, [f64; 3]);

/// Precision, recall or F of a criterion.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::outcomes::{Counts, Measure, Part, Prf};
/// use spanrs_eval::{EXACT, Exact, Pair, Spans, add_pair};
/// let gold = [0, 2, 4, 6].map(|start| Span { start, end: start + 1, ty: 0 });
/// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&gold[..1]));
/// let mut counts = Counts::new(&EXACT);
/// add_pair(&mut Exact::default(), &pair, &|_| "PER".to_owned(), &mut counts).unwrap();
/// let recall = Prf { part: Part::Recall, ..Prf::f1(0) };
/// let f2 = Prf { beta: 2.0, ..Prf::f1(0) };
/// assert_eq!(counts.measures(&[Measure::Micro(recall), Measure::Micro(f2)]), [0.25, 1.25 / 4.25]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Prf {
    /// Index of the criterion in the schema.
    pub criterion: u8,
    /// Precision, recall or F.
    pub part: Part,
    /// Importance of recall relative to precision in F; 1 for F1. At least 0.
    pub beta: f64,
    /// Weights of outcomes that replace the weights of the schema. Terms are added in this order,
    /// which affects the last bits of sums of fractions.
    pub terms: Option<Vec<Term>>,
    /// The type to which pairs with different types are assigned; replaces the axis of the schema.
    /// Affects only measures by type.
    pub axis: Option<Axis>,
}

impl Prf {
    /// Creates F1 of a criterion with the weights of its schema.
    pub fn f1(criterion: u8) -> Self {
        Self {
            criterion,
            part: Part::F,
            beta: 1.0,
            terms: None,
            axis: None,
        }
    }

    /// Returns the part of [`Prf::values`] that `part` selects.
    fn value(&self, totals: [f64; 3], empty: f64) -> f64 {
        let [precision, recall, f] = self.values(totals, empty);
        match self.part {
            Part::Precision => precision,
            Part::Recall => recall,
            Part::F => f,
        }
    }

    /// Returns precision, recall and F of the totals TP, FP and FN.
    ///
    /// Precision and recall with denominator 0 are `empty`. F is `(1 + beta^2) P R / (beta^2 P +
    /// R)`, and 0 if that denominator is 0.
    pub(super) fn values(&self, [tp, fp, fn_]: [f64; 3], empty: f64) -> [f64; 3] {
        let ratio = |part: f64, whole: f64| if whole == 0.0 { empty } else { part / whole };
        let (precision, recall) = (ratio(tp, tp + fp), ratio(tp, tp + fn_));
        let square = self.beta * self.beta;
        let below = square * precision + recall;
        let f = match below == 0.0 {
            true => 0.0,
            false => (1.0 + square) * precision * recall / below,
        };
        [precision, recall, f]
    }
}

/// A quotient of two linear forms of the outcomes of a criterion, such as accuracy.
///
/// For a single type, pairs of types count towards the gold type, and cells without types count
/// towards every type.
///
/// ```
/// use spanrs_eval::EXACT;
/// use spanrs_eval::outcomes::{Cell, Counts, Measure, Ratio};
/// let mut counts = Counts::new(&EXACT);
/// let corpus = EXACT.criterion("corpus").unwrap();
/// for (outcome, n) in [(1, 8), (2, 6)] {
///     let cell = counts.cell(Cell::new(corpus, outcome, None, None));
///     counts.add(cell, n);
/// }
/// // Tokens with equal tags over all tokens: outcomes 2 and 1 of the criterion `corpus`.
/// let (above, below) = (vec![0.0, 0.0, 1.0], vec![0.0, 1.0]);
/// let accuracy = Ratio { criterion: corpus, above, below, complement: false };
/// assert_eq!(counts.measure(&Measure::Ratio(accuracy)), 0.75);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Index of the criterion in the schema.
    pub criterion: u8,
    /// Coefficient of each outcome in the numerator, by index; missing ones are 0.
    pub above: Vec<f64>,
    /// Coefficient of each outcome in the denominator, by index; missing ones are 0.
    pub below: Vec<f64>,
    /// True for 1 minus the quotient, such as an error rate.
    pub complement: bool,
}

/// A number computed from counts.
///
/// A type without any outcome under the criterion counts as not occurring; such types are not
/// included in means.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// A measure over all types together.
    Micro(Prf),
    /// A measure of one type, given by its number in the counts; NaN if the type does not occur.
    OfType(Prf, u32),
    /// The unweighted mean over the types that occur; [`Criterion::empty`] if there are none.
    Macro(Prf),
    /// The mean over the types that occur, weighted by support; [`Criterion::empty`] if all
    /// supports are 0.
    Weighted(Prf),
    /// A quotient over all types.
    Ratio(Ratio),
    /// A quotient of one type, given by its number; NaN if the type does not occur.
    RatioOfType(Ratio, u32),
}

/// The average of a [`Prf`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Average {
    /// All spans.
    Micro,
    /// The mean over types, all with the same weight.
    Macro,
    /// The mean over types, weighted by their numbers of gold spans.
    Weighted,
}

impl Named for Average {
    const WHAT: &'static str = "average";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("micro", Self::Micro),
        ("macro", Self::Macro),
        ("weighted", Self::Weighted),
    ];
}

spanrs_base::serde_by_name!(Average);

impl Counts {
    /// Returns the value of a measure over all counts.
    pub fn measure(&self, measure: &Measure) -> f64 {
        self.measures(std::slice::from_ref(measure))[0]
    }

    /// Returns the index of a criterion unchanged if it exists in the schema.
    ///
    /// # Errors
    /// [`CountsError::Argument`] if it does not exist.
    pub fn check_criterion(&self, criterion: u8) -> Result<u8, CountsError> {
        match self.schema().criteria.get(usize::from(criterion)) {
            Some(_) => Ok(criterion),
            None => Err(CountsError::Argument(format!("no criterion {criterion}"))),
        }
    }

    /// Returns the values of measures over all counts, in order. This is faster than computing them
    /// one by one.
    pub fn measures(&self, measures: &[Measure]) -> Vec<f64> {
        let mut values = Vec::new();
        Evaluator::new(self, measures).evaluate(&self.all_totals(), &mut values);
        values
    }

    /// Returns the total of each cell, by number.
    pub fn all_totals(&self) -> Vec<f64> {
        let ids = 0..self.cells().len() as u32;
        ids.map(|id| self.total(id) as f64).collect()
    }

    /// Returns the sum of each cell over documents times their weights.
    ///
    /// Weights may be fractions or 0. [`Counts::summary`] and [`Evaluator::evaluate`] take the
    /// result.
    ///
    /// # Errors
    /// [`CountsError::Argument`] if the numbers of weights and documents differ.
    pub fn weighted_totals(&self, weights: &[f64]) -> Result<Vec<f64>, CountsError> {
        let documents = self.rows().len();
        if documents != weights.len() {
            return Err(CountsError::Argument(format!(
                "there are {documents} documents but {} weights; pass one weight per document",
                weights.len()
            )));
        }
        let mut sums = vec![0.0; self.cells().len()];
        for (row, weight) in self.rows().zip(weights) {
            for (&id, &n) in row.cells.iter().zip(row.n) {
                sums[id as usize] += n as f64 * weight;
            }
        }
        Ok(sums)
    }
}

/// Evaluates measures on sums of the cells of some counts.
///
/// An evaluation passes over all cells for the first measure and again whenever a measure has
/// another criterion than the previous one; in addition, each measure takes time proportional to
/// types times outcomes. Nothing is hashed. Each thread uses its own clone.
#[derive(Clone, Debug)]
pub struct Evaluator {
    /// The measures to evaluate.
    measures: Vec<Measure>,
    /// The criteria of the schema.
    criteria: &'static [Criterion],
    /// The terms of each criterion according to the schema.
    terms: Vec<Vec<Term>>,
    /// For each cell, the criterion, the outcome, and the rows of [`Sums::gold`] and [`Sums::pred`]
    /// to which it is added.
    cells: Vec<(u8, u8, usize, usize)>,
    /// The place of each type in the order of names, by number; determines the order of summation.
    places: Vec<usize>,
    /// Sums of the most recent criterion.
    sums: Sums,
}

/// Sums of the outcomes of one criterion by type: rows are the places of types, columns the
/// outcomes.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// The last criterion that was summed; None if the cells have changed since.
    criterion: Option<u8>,
    /// Length of a row: the largest number of outcomes of a criterion, at least 1.
    width: usize,
    /// Sums at the place of the gold type of each cell, or of the pred type if there is no gold
    /// type. The last row contains cells without types.
    gold: Vec<f64>,
    /// Sums at the place of the pred type of each cell, or of the gold type if there is no pred
    /// type; otherwise the same as `gold`.
    pred: Vec<f64>,
}

impl Evaluator {
    /// Prepares measures of `counts`, whose cells and types must not change afterwards.
    pub fn new(counts: &Counts, measures: &[Measure]) -> Self {
        let criteria = counts.schema().criteria;
        let mut order: Vec<u32> = (0..counts.types() as u32).collect();
        order.sort_unstable_by_key(|&ty| counts.type_name(ty));
        let mut places = vec![0; order.len()];
        for (place, ty) in order.iter().enumerate() {
            places[*ty as usize] = place;
        }
        let place = |ty: Option<u32>| ty.map_or(places.len(), |ty| places[ty as usize]);
        let width = criteria.iter().map(|c| c.outcomes.len()).max();
        let width = width.unwrap_or_default().max(1);
        let cells = counts.cells().iter().map(|cell| {
            let (gold, pred) = (cell.gold.or(cell.pred), cell.pred.or(cell.gold));
            (cell.criterion, cell.outcome, place(gold), place(pred))
        });
        let rows = vec![0.0; (places.len() + 1) * width];
        Self {
            measures: measures.to_vec(),
            criteria,
            terms: criteria.iter().map(Criterion::terms).collect(),
            cells: cells.collect(),
            sums: Sums {
                criterion: None,
                width,
                gold: rows.clone(),
                pred: rows,
            },
            places,
        }
    }

    /// Appends the value of each measure to `values`.
    ///
    /// `cells` contains a sum for each cell, by number. Sums of integers are exact below 2^53.
    pub fn evaluate(&mut self, cells: &[f64], values: &mut Vec<f64>) {
        self.sums.criterion = None;
        for at in 0..self.measures.len() {
            let measure = std::mem::replace(&mut self.measures[at], Measure::Micro(Prf::f1(0)));
            values.push(self.value(&measure, cells));
            self.measures[at] = measure;
        }
    }

    /// Returns for each cell whether any measure depends on it.
    pub(super) fn read_cells(&self) -> Vec<bool> {
        let mut read = vec![false; self.criteria.len()];
        for measure in &self.measures {
            let criteria = match measure {
                Measure::Ratio(ratio) | Measure::RatioOfType(ratio, _) => vec![ratio.criterion],
                Measure::Micro(prf) => vec![prf.criterion],
                Measure::OfType(prf, _) | Measure::Macro(prf) => vec![self.by_type(prf).criterion],
                Measure::Weighted(prf) => {
                    let prf = self.by_type(prf);
                    vec![prf.criterion, self.support_measure(&prf).criterion]
                }
            };
            for criterion in criteria {
                read[usize::from(self.criterion_of_cells(criterion))] = true;
            }
        }
        let cells = self.cells.iter();
        cells
            .map(|&(criterion, ..)| read[usize::from(criterion)])
            .collect()
    }

    /// Returns the index of the criterion whose cells a criterion uses; usually itself.
    fn criterion_of_cells(&self, criterion: u8) -> u8 {
        let cells_of = self.criteria[usize::from(criterion)].cells_of;
        cells_of.unwrap_or(criterion)
    }

    /// Sums the cells of a criterion by type, unless they were the last ones summed.
    pub(super) fn sum(&mut self, criterion: u8, cells: &[f64]) {
        let criterion = self.criterion_of_cells(criterion);
        let sums = &mut self.sums;
        if sums.criterion == Some(criterion) {
            return;
        }
        sums.criterion = Some(criterion);
        sums.gold.fill(0.0);
        sums.pred.fill(0.0);
        for (&(of, outcome, gold, pred), n) in self.cells.iter().zip(cells) {
            if of == criterion {
                sums.gold[gold * sums.width + usize::from(outcome)] += n;
                sums.pred[pred * sums.width + usize::from(outcome)] += n;
            }
        }
    }

    /// Evaluates one measure.
    fn value(&mut self, measure: &Measure, cells: &[f64]) -> f64 {
        match measure {
            Measure::Micro(prf) => {
                self.sum(prf.criterion, cells);
                let total = self.sums.total();
                prf.value(tp_fp_fn(&total, self.terms(prf)), self.empty(prf))
            }
            Measure::OfType(prf, ty) => {
                let prf = &self.by_type(prf);
                self.sum(prf.criterion, cells);
                let place = self.places.get(*ty as usize);
                place.map_or(f64::NAN, |&place| self.of_place(prf, place))
            }
            Measure::Macro(prf) => {
                let prf = &self.by_type(prf);
                self.sum(prf.criterion, cells);
                let values = (0..self.places.len()).map(|place| (1.0, self.of_place(prf, place)));
                mean(values, self.empty(prf))
            }
            Measure::Weighted(prf) => {
                let prf = &self.by_type(prf);
                let support = self.support(prf, cells);
                self.sum(prf.criterion, cells);
                let values =
                    (0..self.places.len()).map(|place| (support[place], self.of_place(prf, place)));
                mean(values, self.empty(prf))
            }
            Measure::Ratio(ratio) => {
                self.sum(ratio.criterion, cells);
                let total = self.sums.total();
                self.ratio(ratio, &total)
            }
            Measure::RatioOfType(ratio, ty) => {
                self.sum(ratio.criterion, cells);
                let place = self.places.get(*ty as usize).copied();
                let Some(place) = place.filter(|&place| self.sums.occurs(place)) else {
                    return f64::NAN;
                };
                let untyped = self.sums.row(&self.sums.gold, self.places.len());
                let row = self.sums.row(&self.sums.gold, place);
                let both: Vec<f64> = row.iter().zip(untyped).map(|(a, b)| a + b).collect();
                self.ratio(ratio, &both)
            }
        }
    }

    /// Returns the same measure under the criterion that provides the per-type measures
    /// ([`Criterion::per_type`]).
    pub(super) fn by_type(&self, prf: &Prf) -> Prf {
        let criterion = self.criteria[usize::from(prf.criterion)].per_type;
        Prf {
            criterion: criterion.unwrap_or(prf.criterion),
            ..prf.clone()
        }
    }

    /// Returns the value of precision and recall if their denominator is 0.
    pub(super) fn empty(&self, prf: &Prf) -> f64 {
        self.criteria[usize::from(prf.criterion)].empty
    }

    /// Returns the terms of a measure: its own terms, or the terms of the schema.
    pub(super) fn terms<'a>(&'a self, prf: &'a Prf) -> &'a [Term] {
        let own = &self.terms[usize::from(prf.criterion)];
        prf.terms.as_ref().unwrap_or(own)
    }

    /// Returns a measure of the type at a place, from the most recent sums; NaN if the type does
    /// not occur.
    fn of_place(&self, prf: &Prf, place: usize) -> f64 {
        if !self.sums.occurs(place) {
            return f64::NAN;
        }
        prf.value(self.totals_of(prf, place), self.empty(prf))
    }

    /// Returns the axis of a measure: its own axis, or the axis of the schema.
    pub(super) fn axis(&self, prf: &Prf) -> Axis {
        let usual = self.criteria[usize::from(prf.criterion)].axis;
        prf.axis.unwrap_or(usual)
    }

    /// Returns TP, FP and FN of the type at a place, from the most recent sums.
    pub(super) fn totals_of(&self, prf: &Prf, place: usize) -> [f64; 3] {
        let gold = tp_fp_fn(self.sums.row(&self.sums.gold, place), self.terms(prf));
        let pred = tp_fp_fn(self.sums.row(&self.sums.pred, place), self.terms(prf));
        match self.axis(prf) {
            Axis::Own => [gold[0], pred[1], gold[2]],
            Axis::Gold => gold,
            Axis::Pred => pred,
        }
    }

    /// Returns the measure that defines support, whose true positives and false negatives are the
    /// gold spans.
    pub(super) fn support_measure(&self, prf: &Prf) -> Prf {
        let of = self.criteria[usize::from(prf.criterion)].support;
        Prf::f1(of.unwrap_or(prf.criterion))
    }

    /// Returns the support of each type by place; the last entry is for cells without types.
    /// Replaces the most recent sums.
    pub(super) fn support(&mut self, prf: &Prf, cells: &[f64]) -> Vec<f64> {
        let prf = self.support_measure(prf);
        self.sum(prf.criterion, cells);
        (0..=self.places.len())
            .map(|place| {
                let row = self.sums.row(&self.sums.gold, place);
                let [tp, _, fn_] = tp_fp_fn(row, self.terms(&prf));
                tp + fn_
            })
            .collect()
    }

    /// Returns a quotient for the given counts of outcomes.
    fn ratio(&self, ratio: &Ratio, sums: &[f64]) -> f64 {
        let form = |coefficients: &[f64]| -> f64 {
            let terms = sums.iter().zip(coefficients);
            terms.map(|(n, coefficient)| n * coefficient).sum()
        };
        let below = form(&ratio.below);
        let value = if below == 0.0 {
            self.criteria[usize::from(ratio.criterion)].empty
        } else {
            form(&ratio.above) / below
        };
        if ratio.complement { 1.0 - value } else { value }
    }
}

impl Evaluator {
    /// Returns the numbers of types by place.
    pub(super) fn by_name(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.places.len() as u32).collect();
        order.sort_unstable_by_key(|&ty| self.places[ty as usize]);
        order
    }

    /// Returns true if the type at a place has any outcome in the most recent sums.
    pub(super) fn occurs(&self, place: usize) -> bool {
        self.sums.occurs(place)
    }

    /// Returns the counts of outcomes of the type at a place, from the most recent sums, on the
    /// pred axis or the gold axis.
    pub(super) fn counts_of(&self, criterion: u8, place: usize, pred: bool) -> Vec<f64> {
        let rows = if pred {
            &self.sums.pred
        } else {
            &self.sums.gold
        };
        let outcomes = self.criteria[usize::from(criterion)].outcomes.len();
        self.sums.row(rows, place)[..outcomes].to_vec()
    }

    /// Returns the counts of outcomes over all types, from the most recent sums.
    pub(super) fn counts_of_all(&self, criterion: u8) -> Vec<f64> {
        let mut total = self.sums.total();
        total.truncate(self.criteria[usize::from(criterion)].outcomes.len());
        total
    }
}

impl Sums {
    /// Returns the sums at a place.
    fn row<'a>(&self, rows: &'a [f64], place: usize) -> &'a [f64] {
        &rows[place * self.width..(place + 1) * self.width]
    }

    /// Returns true if any sum at a place is above 0, on either axis.
    fn occurs(&self, place: usize) -> bool {
        [&self.gold, &self.pred]
            .iter()
            .any(|rows| self.row(rows, place).iter().any(|n| *n > 0.0))
    }

    /// Returns the sums over all types and cells without types.
    fn total(&self) -> Vec<f64> {
        let mut total = vec![0.0; self.width];
        for row in self.gold.chunks_exact(self.width) {
            for (total, n) in total.iter_mut().zip(row) {
                *total += n;
            }
        }
        total
    }
}

/// Returns the weighted mean of (weight, value), skipping NaN values; `empty` if all weights are 0.
///
/// The numerator is rounded once, so that the result does not depend on the order of types. Weights
/// are added in order, which is exact for integers.
pub(super) fn mean(values: impl Iterator<Item = (f64, f64)>, empty: f64) -> f64 {
    let (mut terms, mut weights) = (Vec::new(), 0.0);
    for (weight, value) in values.filter(|(_, value)| !value.is_nan()) {
        terms.push(weight * value);
        weights += weight;
    }
    match weights == 0.0 {
        true => empty,
        false => exact_sum(&terms) / weights,
    }
}

/// Returns TP, FP and FN for counts of outcomes. Terms are added in order.
pub(super) fn tp_fp_fn(outcomes: &[f64], terms: &[Term]) -> [f64; 3] {
    let mut totals = [0.0; 3];
    for (places, weights) in terms {
        let counts = places.iter().map(|&place| outcomes.get(usize::from(place)));
        let n: f64 = counts.flatten().sum();
        for (total, weight) in totals.iter_mut().zip(weights) {
            *total += weight * n;
        }
    }
    totals
}
