use super::super::measure::Measure;
use super::systems::Systems;

/// Evaluations between two calls of `stop`.
const PAUSE: usize = 1 << 12;

/// Measures without one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Omission {
    /// Number of documents that have the same counts; each of them left out gives the same values.
    pub documents: u64,
    /// For each system in turn, a value for each measure.
    pub values: Vec<f64>,
}

impl Systems {
    /// Evaluates measures on the corpus without each document in turn (Quenouille 1956, Tukey 1958). The acceleration
    /// of BCa intervals is computed from these values.
    ///
    /// Documents with equal counts are evaluated once, so that time follows the number of distinct rows.
    ///
    /// Returns None if `stop` says so.
    pub fn jackknife(
        &self,
        measures: &[Measure],
        stop: impl Fn() -> bool,
    ) -> Option<Vec<Omission>> {
        let all: Vec<usize> = (0..self.len()).collect();
        let (mut evaluator, groups) = self.groups(&all, measures);
        let mut sums = groups.totals(self.len() * self.width());
        let sizes = groups.sizes();
        let mut omissions = Vec::with_capacity(groups.rows.len());
        for (at, (row, documents)) in groups.rows.iter().zip(sizes).enumerate() {
            if at % PAUSE == 0 && stop() {
                return None;
            }
            for &(cell, n) in row {
                sums[cell as usize] -= n;
            }
            let mut values = Vec::new();
            for system in 0..self.len() {
                let own = &sums[system * self.width()..(system + 1) * self.width()];
                evaluator.evaluate(own, &mut values);
            }
            for &(cell, n) in row {
                // Counts are integers below 2^53, so that this restores the sums exactly.
                sums[cell as usize] += n;
            }
            omissions.push(Omission { documents, values });
        }
        Some(omissions)
    }
}
