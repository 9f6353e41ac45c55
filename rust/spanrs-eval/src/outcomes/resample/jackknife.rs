//! The jackknife: measures with one document omitted.

use super::super::measure::Measure;
use super::systems::Systems;

/// Number of document groups evaluated between two calls of `stop`.
const PAUSE: usize = 1 << 12;

/// Measures with one document omitted, for all documents with the same counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Omission {
    /// Number of documents with these counts; omitting any one of these documents gives the same
    /// values.
    pub documents: u64,
    /// Values by system, then measure: measure `m` of system `s` is at `s * measures + m`. NaN for
    /// a type that occurs in no other document.
    pub values: Vec<f64>,
}

impl Systems {
    /// Evaluates measures on the corpus without each document in turn (Quenouille 1956, Tukey
    /// 1958). The acceleration of BCa intervals is computed from these values.
    ///
    /// Documents with equal counts are evaluated once, so time is proportional to the number of
    /// distinct rows; weight each [`Omission`] by its number of documents. Omissions are ordered by
    /// the key of the first document of each group. Returns None if `stop` returned true.
    ///
    /// # Examples
    /// ```
    /// use spanrs_eval::EXACT;
    /// use spanrs_eval::outcomes::{Cell, Counts, Key, Measure, Prf, Systems};
    /// let mut counts = Counts::by_document(&EXACT);
    /// let person = Some(counts.intern("PER"));
    /// let found = counts.cell(Cell::new(0, 0, person, person));
    /// let missed = counts.cell(Cell::new(0, 1, person, None));
    /// for (document, cell) in (0..).zip([found, missed, found]) {
    ///     counts.add(cell, 1);
    ///     counts.end_document(Key::Number(document));
    /// }
    /// let systems = Systems::new(vec![counts.into()]).unwrap();
    /// let omissions = systems.jackknife(&[Measure::Micro(Prf::f1(0))], || false).unwrap();
    /// assert_eq!(omissions.iter().map(|o| o.documents).collect::<Vec<_>>(), [2, 1]);
    /// assert_eq!(omissions[1].values, [1.0], "without the missed span everything is found");
    /// ```
    pub fn jackknife(
        &self,
        measures: &[Measure],
        mut stop: impl FnMut() -> bool,
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
                // Counts are integers below 2^53, so this restores the sums exactly.
                sums[cell as usize] += n;
            }
            omissions.push(Omission { documents, values });
        }
        Some(omissions)
    }
}
