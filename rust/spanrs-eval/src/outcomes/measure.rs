//! Measures: functions of summed cells.

use spanrs_base::Named;

use super::counts::Counts;
use super::error::CountsError;
use super::schema::{Axis, Criterion};

/// Which of the three measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// True positives over true and false positives.
    Precision,
    /// True positives over true positives and false negatives.
    Recall,
    /// The weighted harmonic mean of the two.
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

/// A group of outcomes and the weights of their sum as true positives, false positives and false negatives.
pub type Term = (Vec<u8>, [f64; 3]);

/// Precision, recall or F of a criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct Prf {
    /// Index of the criterion in the schema.
    pub criterion: u8,
    /// Which of the three.
    pub part: Part,
    /// How much more recall matters than precision in F; 1 for F1.
    pub beta: f64,
    /// Weights of the outcomes instead of those of the schema. Terms are added in their order, on which the last bits of
    /// sums of fractions depend.
    pub terms: Option<Vec<Term>>,
    /// Which type pairs of different types count for, instead of what the schema says.
    pub axis: Option<Axis>,
}

impl Prf {
    /// F1 of a criterion with the weights of its schema.
    pub fn f1(criterion: u8) -> Self {
        Self {
            criterion,
            part: Part::F,
            beta: 1.0,
            terms: None,
            axis: None,
        }
    }

    /// The measure of a true-positive, false-positive and false-negative mass: P and R first, then F.
    fn value(&self, masses: [f64; 3], empty: f64) -> f64 {
        let [precision, recall, f] = self.values(masses, empty);
        match self.part {
            Part::Precision => precision,
            Part::Recall => recall,
            Part::F => f,
        }
    }

    /// Precision, recall and F.
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

/// A quotient of two linear forms of the outcomes of a criterion, such as accuracy. Pairs of types count for gold's,
/// and cells without types for every type.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// Index of the criterion in the schema.
    pub criterion: u8,
    /// Coefficient of each outcome above the fraction line.
    pub above: Vec<f64>,
    /// Coefficient of each outcome below it.
    pub below: Vec<f64>,
    /// True for 1 minus the quotient.
    pub complement: bool,
}

/// A number that says how good a matching is.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Over all types.
    Micro(Prf),
    /// Of one type, by its number in the counts; not a number where the type does not occur.
    OfType(Prf, u32),
    /// The mean over the types that occur, each counting the same.
    Macro(Prf),
    /// The mean over the types that occur, each counting as often as it has gold spans.
    Weighted(Prf),
    /// A quotient over all types.
    Ratio(Ratio),
    /// A quotient of one type; not a number where the type does not occur.
    RatioOfType(Ratio, u32),
}

/// What a [`Prf`] is taken over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Average {
    /// All spans.
    Micro,
    /// Types, each counting the same.
    Macro,
    /// Types, each counting as often as it has gold spans.
    Weighted,
    /// One type.
    Type,
}

impl Named for Average {
    const WHAT: &'static str = "average";
    const NAMES: &'static [(&'static str, Self)] = &[
        ("micro", Self::Micro),
        ("macro", Self::Macro),
        ("weighted", Self::Weighted),
        ("type", Self::Type),
    ];
}

impl Measure {
    /// Precision, recall or F over what `average` says; `ty` is the number of the type for [`Average::Type`].
    pub fn of_prf(average: Average, prf: Prf, ty: u32) -> Self {
        match average {
            Average::Micro => Self::Micro(prf),
            Average::Macro => Self::Macro(prf),
            Average::Weighted => Self::Weighted(prf),
            Average::Type => Self::OfType(prf, ty),
        }
    }
}

impl Counts {
    /// The value of a measure for all that was counted.
    pub fn measure(&self, measure: &Measure) -> f64 {
        self.measures(std::slice::from_ref(measure))[0]
    }

    /// The index of a criterion, if there is one.
    ///
    /// # Errors
    /// [`CountsError::Argument`] otherwise.
    pub fn check_criterion(&self, criterion: u8) -> Result<u8, CountsError> {
        match self.schema().criteria.get(usize::from(criterion)) {
            Some(_) => Ok(criterion),
            None => Err(CountsError::Argument(format!("no criterion {criterion}"))),
        }
    }

    /// The values of measures for all that was counted.
    pub fn measures(&self, measures: &[Measure]) -> Vec<f64> {
        let mut values = Vec::new();
        Evaluator::new(self, measures).evaluate(&self.all_totals(), &mut values);
        values
    }

    /// The total of each cell.
    pub fn all_totals(&self) -> Vec<f64> {
        let ids = 0..self.cells().len() as u32;
        ids.map(|id| self.total(id) as f64).collect()
    }

    /// The total of each cell, where each document counts as often as its weight says.
    ///
    /// # Errors
    /// [`CountsError::Argument`] if there are not as many weights as documents.
    pub fn weighted_totals(&self, weights: &[f64]) -> Result<Vec<f64>, CountsError> {
        let documents = self.rows().len();
        if documents != weights.len() {
            return Err(CountsError::Argument(format!(
                "there are {documents} documents and {} weights; give one each",
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
#[derive(Clone, Debug)]
pub struct Evaluator {
    measures: Vec<Measure>,
    criteria: &'static [Criterion],
    /// The terms of each criterion according to its schema.
    terms: Vec<Vec<Term>>,
    /// Of each cell: criterion, outcome, and places of the gold type and the pred type among the rows of sums.
    cells: Vec<(u8, u8, usize, usize)>,
    /// Places of types in the order of their names, by number.
    places: Vec<usize>,
    sums: Sums,
}

/// Sums of one criterion's outcomes by place of the type.
#[derive(Clone, Debug, Default)]
struct Sums {
    /// The criterion they are of.
    criterion: Option<u8>,
    /// Outcomes of the criterion with most of them: the length of a row.
    width: usize,
    /// With pairs of types at the place of gold's. The last row has cells without types.
    gold: Vec<f64>,
    /// With pairs of types at the place of pred's.
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

    /// Appends the value of each measure to `values`; `cells` has a sum for each cell, exact below 2^53.
    pub fn evaluate(&mut self, cells: &[f64], values: &mut Vec<f64>) {
        self.sums.criterion = None;
        for at in 0..self.measures.len() {
            let measure = std::mem::replace(&mut self.measures[at], Measure::Micro(Prf::f1(0)));
            values.push(self.value(&measure, cells));
            self.measures[at] = measure;
        }
    }

    /// For each cell, whether any measure depends on it.
    pub(super) fn read_cells(&self) -> Vec<bool> {
        let mut read = vec![false; self.criteria.len()];
        for measure in &self.measures {
            let criteria = match measure {
                Measure::Ratio(ratio) | Measure::RatioOfType(ratio, _) => vec![ratio.criterion],
                Measure::Micro(prf) => vec![prf.criterion],
                Measure::OfType(prf, _) | Measure::Macro(prf) => vec![self.by_type(prf).criterion],
                Measure::Weighted(prf) => {
                    let prf = self.by_type(prf);
                    vec![prf.criterion, self.of_gold(&prf).criterion]
                }
            };
            for criterion in criteria {
                read[usize::from(self.with_cells(criterion))] = true;
            }
        }
        let cells = self.cells.iter();
        cells
            .map(|&(criterion, ..)| read[usize::from(criterion)])
            .collect()
    }

    /// Index of the criterion whose cells a criterion shares; usually its own.
    fn with_cells(&self, criterion: u8) -> u8 {
        let cells_of = self.criteria[usize::from(criterion)].cells_of;
        cells_of.unwrap_or(criterion)
    }

    /// Sums the cells of a criterion by type.
    pub(super) fn sum(&mut self, criterion: u8, cells: &[f64]) {
        let criterion = self.with_cells(criterion);
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

    fn value(&mut self, measure: &Measure, cells: &[f64]) -> f64 {
        match measure {
            Measure::Micro(prf) => {
                self.sum(prf.criterion, cells);
                let total = self.sums.total();
                prf.value(masses(&total, self.terms(prf)), self.empty(prf))
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

    /// The same measure of the criterion that has the measures of each type.
    pub(super) fn by_type(&self, prf: &Prf) -> Prf {
        let criterion = self.criteria[usize::from(prf.criterion)].per_type;
        Prf {
            criterion: criterion.unwrap_or(prf.criterion),
            ..prf.clone()
        }
    }

    pub(super) fn empty(&self, prf: &Prf) -> f64 {
        self.criteria[usize::from(prf.criterion)].empty
    }

    pub(super) fn terms<'a>(&'a self, prf: &'a Prf) -> &'a [Term] {
        let own = &self.terms[usize::from(prf.criterion)];
        prf.terms.as_ref().unwrap_or(own)
    }

    /// The measure of the type at a place; not a number where it does not occur.
    fn of_place(&self, prf: &Prf, place: usize) -> f64 {
        if !self.sums.occurs(place) {
            return f64::NAN;
        }
        prf.value(self.masses_of(prf, place), self.empty(prf))
    }

    pub(super) fn axis(&self, prf: &Prf) -> Axis {
        let usual = self.criteria[usize::from(prf.criterion)].axis;
        prf.axis.unwrap_or(usual)
    }

    /// Weighted true positives, false positives and false negatives of the type at a position.
    pub(super) fn masses_of(&self, prf: &Prf, place: usize) -> [f64; 3] {
        let gold = masses(self.sums.row(&self.sums.gold, place), self.terms(prf));
        let pred = masses(self.sums.row(&self.sums.pred, place), self.terms(prf));
        match self.axis(prf) {
            Axis::Own => [gold[0], pred[1], gold[2]],
            Axis::Gold => gold,
            Axis::Pred => pred,
        }
    }

    /// The measure that defines support: its true positives and false negatives are the gold spans.
    pub(super) fn of_gold(&self, prf: &Prf) -> Prf {
        let of = self.criteria[usize::from(prf.criterion)].support;
        Prf::f1(of.unwrap_or(prf.criterion))
    }

    /// Support of each type by position; the last entry is for spans without a type.
    pub(super) fn support(&mut self, prf: &Prf, cells: &[f64]) -> Vec<f64> {
        let prf = self.of_gold(prf);
        self.sum(prf.criterion, cells);
        (0..=self.places.len())
            .map(|place| {
                let row = self.sums.row(&self.sums.gold, place);
                let [tp, _, fn_] = masses(row, self.terms(&prf));
                tp + fn_
            })
            .collect()
    }

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
    /// Type ids by position.
    pub(super) fn by_name(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.places.len() as u32).collect();
        order.sort_unstable_by_key(|&ty| self.places[ty as usize]);
        order
    }

    /// Whether the type at a position occurs in the most recent sums.
    pub(super) fn occurs(&self, place: usize) -> bool {
        self.sums.occurs(place)
    }

    /// Outcome counts of the type at a position, from the most recent sums.
    pub(super) fn counts_of(&self, criterion: u8, place: usize, pred: bool) -> Vec<f64> {
        let rows = if pred {
            &self.sums.pred
        } else {
            &self.sums.gold
        };
        let outcomes = self.criteria[usize::from(criterion)].outcomes.len();
        self.sums.row(rows, place)[..outcomes].to_vec()
    }

    /// Outcome counts over all types, from the most recent sums.
    pub(super) fn counts_of_all(&self, criterion: u8) -> Vec<f64> {
        let mut total = self.sums.total();
        total.truncate(self.criteria[usize::from(criterion)].outcomes.len());
        total
    }
}

impl Sums {
    fn row<'a>(&self, rows: &'a [f64], place: usize) -> &'a [f64] {
        &rows[place * self.width..(place + 1) * self.width]
    }

    fn occurs(&self, place: usize) -> bool {
        [&self.gold, &self.pred]
            .iter()
            .any(|rows| self.row(rows, place).iter().any(|n| *n > 0.0))
    }

    /// Sums over all types.
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

/// The mean of values that are numbers, by their weights.
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

/// The correctly rounded sum of finite numbers; independent of their order.
///
/// Source: Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic", expansions of sums.
fn exact_sum(terms: &[f64]) -> f64 {
    // Non-overlapping partial sums in increasing magnitude; their exact sum is the result.
    let mut parts: Vec<f64> = Vec::new();
    for &term in terms {
        let (mut sum, mut kept) = (term, 0);
        for at in 0..parts.len() {
            let (high, low) = two_sum(sum, parts[at]);
            sum = high;
            if low != 0.0 {
                parts[kept] = low;
                kept += 1;
            }
        }
        parts.truncate(kept);
        parts.push(sum);
    }
    let Some(mut sum) = parts.pop() else {
        return 0.0;
    };
    while let Some(part) = parts.pop() {
        let (high, low) = two_sum(sum, part);
        sum = high;
        if low != 0.0 {
            // A tie in rounding is broken by the sign of the next partial sum.
            let beyond = parts
                .last()
                .is_some_and(|next| (*next < 0.0) == (low < 0.0));
            let doubled = 2.0 * low;
            if beyond && (high + doubled) - high == doubled {
                sum = high + doubled;
            }
            break;
        }
    }
    sum
}

/// The rounded sum of two numbers and its rounding error (Dekker's Fast2Sum).
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let (large, small) = if a.abs() < b.abs() { (b, a) } else { (a, b) };
    let sum = large + small;
    (sum, small - (sum - large))
}

/// True-positive, false-positive and false-negative mass of the outcomes.
pub(super) fn masses(outcomes: &[f64], terms: &[Term]) -> [f64; 3] {
    let mut masses = [0.0; 3];
    for (places, weights) in terms {
        let counts = places.iter().map(|&place| outcomes.get(usize::from(place)));
        let n: f64 = counts.flatten().sum();
        for (mass, weight) in masses.iter_mut().zip(weights) {
            *mass += weight * n;
        }
    }
    masses
}
