use super::super::measure::Measure;
use super::systems::Systems;

/// Measures without one document.
#[derive(Clone, Debug, PartialEq)]
pub struct Omission {
    /// Number of documents that have the same counts; each of them left out gives the same values.
    pub documents: u64,
    /// For each system in turn, a value for each measure.
    pub values: Vec<f64>,
}

impl Systems<'_> {
    /// Evaluates measures on the corpus without each document in turn (Quenouille 1956, Tukey 1958). The acceleration
    /// of BCa intervals is computed from these values.
    ///
    /// Documents with equal counts are evaluated once, so that time follows the number of distinct rows.
    pub fn jackknife(&self, measures: &[Measure]) -> Vec<Omission> {
        let all: Vec<usize> = (0..self.len()).collect();
        let (mut evaluator, groups) = self.groups(&all, measures);
        let mut sums = groups.totals(self.len() * self.width());
        let sizes = groups.sizes();
        let omissions = groups.rows.iter().zip(sizes).map(|(row, documents)| {
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
            Omission { documents, values }
        });
        omissions.collect()
    }
}
