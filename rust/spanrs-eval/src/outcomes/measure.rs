//! Measures: functions of summed cells.

use super::counts::Counts;

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

/// Precision, recall or F of a criterion.
#[derive(Clone, Debug, PartialEq)]
pub struct Prf {
    /// Index of the criterion in the schema.
    pub criterion: u8,
    /// Which of the three.
    pub part: Part,
    /// How much more recall matters than precision in F; 1 for F1.
    pub beta: f64,
    /// The value where nothing stands below the fraction line.
    pub empty: f64,
    /// Weights of the outcomes instead of those of the schema.
    pub weights: Option<Vec<[f64; 3]>>,
}

impl Prf {
    /// F1 of a criterion with the weights of its schema, 0 where there is nothing.
    pub fn f1(criterion: u8) -> Self {
        Self {
            criterion,
            part: Part::F,
            beta: 1.0,
            empty: 0.0,
            weights: None,
        }
    }

    /// The measure of a true-positive, false-positive and false-negative mass: P and R first, then F.
    fn value(&self, [tp, fp, fn_]: [f64; 3]) -> f64 {
        let ratio = |part: f64, whole: f64| {
            if whole == 0.0 {
                self.empty
            } else {
                part / whole
            }
        };
        let (precision, recall) = (ratio(tp, tp + fp), ratio(tp, tp + fn_));
        let square = self.beta * self.beta;
        match self.part {
            Part::Precision => precision,
            Part::Recall => recall,
            Part::F => {
                let below = square * precision + recall;
                match below == 0.0 {
                    true => 0.0,
                    false => (1.0 + square) * precision * recall / below,
                }
            }
        }
    }
}

/// A number that says how good a matching is.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// Over all types.
    Micro(Prf),
    /// Of one type, by its number in the counts.
    OfType(Prf, u32),
    /// The mean over the types that occur, each counting the same.
    Macro(Prf),
}

impl Measure {
    fn prf(&self) -> &Prf {
        match self {
            Self::Micro(prf) | Self::OfType(prf, _) | Self::Macro(prf) => prf,
        }
    }
}

/// Evaluates measures on sums of the cells of some counts.
///
/// A pair of types counts for its gold type; a cell with a pred type alone for that.
#[derive(Clone, Debug)]
pub struct Evaluator {
    measures: Vec<Measure>,
    /// Of each measure, the weights of the outcomes of its criterion.
    weights: Vec<Vec<[f64; 3]>>,
    /// Of each cell: criterion, outcome, and place of the type in `sums`.
    cells: Vec<(u8, u8, usize)>,
    /// Places of types in the order of their names, by number.
    places: Vec<usize>,
    /// Outcomes of the criterion with most of them.
    outcomes: usize,
    /// Sums by place of the type and outcome, for one criterion.
    sums: Vec<u64>,
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
        // Behind the types stand cells without one.
        let place = |ty: Option<u32>| ty.map_or(places.len(), |ty| places[ty as usize]);
        let cells = counts.cells().iter();
        let outcomes = criteria
            .iter()
            .map(|c| c.outcomes.len())
            .max()
            .unwrap_or_default();
        Self {
            cells: cells
                .map(|cell| (cell.criterion, cell.outcome, place(cell.gold.or(cell.pred))))
                .collect(),
            weights: measures
                .iter()
                .map(|measure| {
                    let prf = measure.prf();
                    let known = criteria.get(usize::from(prf.criterion));
                    let known = known.map_or(&[][..], |criterion| criterion.outcomes);
                    let usual = || known.iter().map(|outcome| outcome.weights).collect();
                    prf.weights.clone().unwrap_or_else(usual)
                })
                .collect(),
            sums: vec![0; (places.len() + 1) * outcomes],
            measures: measures.to_vec(),
            places,
            outcomes,
        }
    }

    /// Appends the value of each measure to `values`; `cells` has a sum for each cell.
    pub fn evaluate(&mut self, cells: &[u64], values: &mut Vec<f64>) {
        let mut summed = None;
        for (measure, weights) in self.measures.iter().zip(&self.weights) {
            let prf = measure.prf();
            if summed != Some(prf.criterion) {
                self.sums.fill(0);
                for ((criterion, outcome, place), n) in self.cells.iter().zip(cells) {
                    if *criterion == prf.criterion {
                        self.sums[place * self.outcomes + usize::from(*outcome)] += n;
                    }
                }
                summed = Some(prf.criterion);
            }
            let mut rows = self.sums.chunks_exact(self.outcomes.max(1));
            values.push(match measure {
                Measure::Micro(_) => {
                    let mut total = vec![0; self.outcomes];
                    for row in rows {
                        for (total, n) in total.iter_mut().zip(row) {
                            *total += n;
                        }
                    }
                    prf.value(masses(&total, weights))
                }
                Measure::OfType(_, ty) => {
                    let row = self
                        .places
                        .get(*ty as usize)
                        .and_then(|&place| rows.nth(place));
                    prf.value(row.map_or([0.0; 3], |row| masses(row, weights)))
                }
                Measure::Macro(_) => {
                    let (mut sum, mut types) = (0.0, 0_u32);
                    for row in rows.take(self.places.len()) {
                        if row.iter().any(|n| *n > 0) {
                            sum += prf.value(masses(row, weights));
                            types += 1;
                        }
                    }
                    if types == 0 {
                        prf.empty
                    } else {
                        sum / f64::from(types)
                    }
                }
            });
        }
    }
}

/// True-positive, false-positive and false-negative mass of the outcomes.
fn masses(outcomes: &[u64], weights: &[[f64; 3]]) -> [f64; 3] {
    let mut masses = [0.0; 3];
    for (n, weights) in outcomes.iter().zip(weights) {
        for (mass, weight) in masses.iter_mut().zip(weights) {
            *mass += *n as f64 * weight;
        }
    }
    masses
}
