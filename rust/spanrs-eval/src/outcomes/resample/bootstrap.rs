//! The bootstrap (Efron 1979).
//!
//! Documents are drawn two per random word and counted by group of equal rows. If there are many documents, the count
//! of each group is drawn instead, which has the same distribution ([`Multinomial`]). Sums are then added group by
//! group, and the measures are evaluated on the sums. A resample costs at most one draw per document, a few additions
//! per distinct row, and the measures.

use std::ops::Range;

use spanrs_base::Rng;

use super::super::measure::{Evaluator, Measure};
use super::bounded_integers::BoundedIntegers;
use super::multinomial::Multinomial;
use super::systems::{Groups, Systems};
use super::{ROUND, in_batches};

/// Number of documents from which counts of groups are drawn instead of documents. This is part of the interface,
/// because it determines the values for a seed.
const MANY: usize = 1 << 14;

impl Systems {
    /// Evaluates measures on resampled corpora. Each has as many documents as the original corpus, drawn with
    /// replacement, the same documents for every system (Efron 1979, "Bootstrap Methods: Another Look at the
    /// Jackknife").
    ///
    /// - `measures`: their types are type numbers of [`Systems::union`].
    /// - `samples`: number of resampled corpora.
    /// - `seed`: the same seed gives the same values, for any number of threads and counts merged
    ///   in any order.
    /// - `threads`: number of threads, limited to 64.
    /// - `stop`: called at intervals with the number of finished resamples; returns true to stop.
    ///
    /// Returns one value for each resample, system and measure, in this nesting: the value of measure `m` for system
    /// `s` in resample `i` is at `(i * systems + s) * measures + m`. A measure of a type that was not drawn is NaN.
    /// Returns None if there are no documents or `stop` returned true.
    ///
    /// Takes O(samples * documents) time below 16,384 documents. With more documents, time grows with the number of
    /// groups of equal documents, and the values for a seed depend on which criteria are measured together. Memory is
    /// proportional to the number of values.
    ///
    /// # Examples
    /// ```
    /// use spanrs_eval::EXACT;
    /// use spanrs_eval::outcomes::{Cell, Counts, Key, Measure, Prf, Systems};
    /// let mut counts = Counts::by_document(&EXACT);
    /// let person = Some(counts.intern("PER"));
    /// let found = counts.cell(Cell::new(0, 0, person, person));
    /// let missed = counts.cell(Cell::new(0, 1, person, None));
    /// for document in 0..10 {
    ///     counts.add(if document < 5 { found } else { missed }, 1);
    ///     counts.end_document(Key::Number(document));
    /// }
    /// let systems = Systems::new(vec![counts.into()]).unwrap();
    /// let f1 = [Measure::Micro(Prf::f1(0))];
    /// let values = systems.bootstrap(&f1, 100, 0, 1, |_| false).unwrap();
    /// assert_eq!(values.len(), 100);
    /// assert_eq!(systems.bootstrap(&f1, 100, 0, 4, |_| false).unwrap(), values);
    /// ```
    pub fn bootstrap(
        &self,
        measures: &[Measure],
        samples: u64,
        seed: u64,
        threads: usize,
        stop: impl FnMut(u64) -> bool,
    ) -> Option<Vec<f64>> {
        if self.documents() == 0 {
            return None;
        }
        let all: Vec<usize> = (0..self.len()).collect();
        let (evaluator, groups) = self.groups(&all, measures);
        let documents = groups.of_documents.len();
        let by_group = (MANY..u32::MAX as usize).contains(&documents);
        let multinomial = by_group.then(|| Multinomial::new(&groups));
        let worker = || Sampler {
            groups: &groups,
            multinomial: multinomial.as_ref(),
            times: vec![0; groups.rows.len()],
            sums: vec![0.0; self.len() * self.width()],
            evaluator: evaluator.clone(),
        };
        let batch = |sampler: &mut Sampler<'_>, numbers: Range<u64>| {
            let mut values = Vec::new();
            for number in numbers {
                sampler.sample(&mut Rng::part(seed, number));
                sampler.evaluate(self.width(), self.len(), &mut values);
            }
            values
        };
        let mut all = Vec::with_capacity(samples as usize * self.len() * measures.len());
        let done = in_batches(samples, threads, ROUND, stop, worker, batch, |values| {
            all.extend(values);
        });
        done.then_some(all)
    }
}

/// Draws resamples. Each thread has its own sampler.
struct Sampler<'a> {
    /// The documents.
    groups: &'a Groups,
    /// Draws counts of groups; None to draw documents.
    multinomial: Option<&'a Multinomial>,
    /// For each group, the number of times one of its documents was drawn.
    times: Vec<u32>,
    /// For each system and cell, the sum over the drawn documents.
    sums: Vec<f64>,
    /// Evaluates the measures on the sums of one system.
    evaluator: Evaluator,
}

impl Sampler<'_> {
    /// Draws documents and sums their counts.
    fn sample(&mut self, rng: &mut Rng) {
        self.times.fill(0);
        match self.multinomial {
            Some(multinomial) => multinomial.draw(rng, &mut self.times),
            None => self.draw_documents(rng),
        }
        self.sums.fill(0.0);
        for (row, &times) in self.groups.rows.iter().zip(&self.times) {
            if times > 0 {
                for (cell, n) in row {
                    self.sums[*cell as usize] += f64::from(times) * n;
                }
            }
        }
    }

    /// Draws documents one by one and counts them by group.
    fn draw_documents(&mut self, rng: &mut Rng) {
        let n = self.groups.of_documents.len();
        let mut draw = |at: usize| self.times[self.groups.of_documents[at] as usize] += 1;
        if let Ok(small) = u32::try_from(n) {
            for at in BoundedIntegers::new(rng, small).take(n) {
                draw(at as usize);
            }
        } else {
            for _ in 0..n {
                draw(rng.below(n as u64) as usize);
            }
        }
    }

    /// Appends the measures of each system; `width` is the number of cells of a system.
    fn evaluate(&mut self, width: usize, systems: usize, values: &mut Vec<f64>) {
        for system in 0..systems {
            let sums = &self.sums[system * width..(system + 1) * width];
            self.evaluator.evaluate(sums, values);
        }
    }
}
