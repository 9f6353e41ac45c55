//! Counts of labels and transitions as the target of a sequence.

use std::collections::BTreeMap;

use crate::error::{Error, Result, check_len};

/// The weighted counts of several labellings of one sequence.
///
/// The log-likelihood is linear in the counts, so one forward-backward pass serves any number of labellings. Therefore
/// CRF-MA (Rodrigues et al. 2014, Eq. 16) takes one pass per sentence instead of one per annotator.
///
/// ```
/// use spanrs_crf::Counts;
/// let counts = Counts::of(2, 2, [(0.75, &[0, 1][..]), (0.25, &[1, 1])]).unwrap();
/// assert_eq!(counts.labels(), [0.75, 0.25, 0.0, 1.0]);
/// assert_eq!(counts.transitions(), [(1, 0.75), (3, 0.25)]);
/// assert_eq!(counts.total(), 1.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Sum of the weights of the labellings; each token's counts sum to it.
    total: f64,
    /// Weighted counts, row-major (token, label).
    labels: Vec<f64>,
    /// (`from * labels + to`, weighted count summed over the sequence), ascending, each pair once.
    /// Pairs of a labelling stay in the list when their weight becomes 0.
    transitions: Vec<(u32, f64)>,
}

impl Counts {
    /// The counts of labellings of a sequence.
    ///
    /// `labels` is the number of labels and `tokens` the length of the sequence; each labelling
    /// comes with its weight. Without labellings all counts are 0, and the sequence does not take
    /// part in training. Memory is `tokens * labels` numbers and one entry per distinct transition.
    ///
    /// # Errors
    /// [`Error::Shape`] for a labelling of a different length, [`Error::Label`] for a label out of
    /// range, [`Error::Weight`] for a weight that is negative, infinite or NaN.
    pub fn of<'a>(
        labels: usize,
        tokens: usize,
        labellings: impl IntoIterator<Item = (f64, &'a [u32])>,
    ) -> Result<Self> {
        let mut counts = vec![0.0; tokens * labels];
        let (mut total, mut transitions) = (0.0, BTreeMap::new());
        for (weight, labelling) in labellings {
            check_len("token labels", tokens, labelling.len())?;
            if let Some(&label) = labelling.iter().find(|label| **label as usize >= labels) {
                return Err(Error::Label { label, labels });
            }
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(Error::Weight { weight });
            }
            total += weight;
            for (token, &label) in labelling.iter().enumerate() {
                counts[token * labels + label as usize] += weight;
            }
            for pair in labelling.windows(2) {
                *transitions
                    .entry(pair[0] * labels as u32 + pair[1])
                    .or_insert(0.0) += weight;
            }
        }
        Ok(Self {
            total,
            labels: counts,
            transitions: transitions.into_iter().collect(),
        })
    }

    /// Expected counts under a distribution over labellings, with a total weight of 1.
    ///
    /// `tokens` has the marginal probability of each label, row-major (token, label); its size and its rows, which must
    /// sum to 1, are checked when the target enters a [`Corpus`]. `transitions` has the expected number of each
    /// transition, row-major (from, to), summed over the sequence. Only its length is checked: it should be consistent
    /// with the marginals, otherwise the objective has no probabilistic meaning.
    ///
    /// # Errors
    /// [`Error::Shape`] if `transitions` does not have `labels * labels` entries.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::Counts;
    /// // Two tokens: the labellings 0 0 and 0 1 with the probabilities 0.75 and 0.25.
    /// let tokens = vec![1.0, 0.0, 0.75, 0.25];
    /// let counts = Counts::expected(2, tokens, &[0.75, 0.25, 0.0, 0.0]).unwrap();
    /// assert_eq!(counts.transitions(), [(0, 0.75), (1, 0.25)]);
    /// assert_eq!(counts.total(), 1.0);
    /// ```
    pub fn expected(labels: usize, tokens: Vec<f64>, transitions: &[f64]) -> Result<Self> {
        check_len("transition counts", labels * labels, transitions.len())?;
        let transitions = (0..).zip(transitions).filter(|(_, count)| **count != 0.0);
        Ok(Self {
            total: 1.0,
            labels: tokens,
            transitions: transitions.map(|(pair, &count)| (pair, count)).collect(),
        })
    }

    /// Replaces the weights of the labellings in place, without allocation.
    ///
    /// The labellings must be the same as when the counts were built, in any order: transitions that are not in the
    /// list would remain in `sums`. `sums` is work space with an entry for each pair of labels; all entries must be
    /// zero, and are zero again on return. The weights are not checked.
    pub(crate) fn reweigh<'a>(
        &mut self,
        labels: usize,
        labellings: impl IntoIterator<Item = (f64, &'a [u32])>,
        sums: &mut [f64],
    ) {
        self.total = 0.0;
        self.labels.fill(0.0);
        for (weight, labelling) in labellings {
            self.total += weight;
            for (token, &label) in labelling.iter().enumerate() {
                self.labels[token * labels + label as usize] += weight;
            }
            for pair in labelling.windows(2) {
                sums[pair[0] as usize * labels + pair[1] as usize] += weight;
            }
        }
        for (pair, count) in &mut self.transitions {
            *count = std::mem::take(&mut sums[*pair as usize]);
        }
    }

    /// The sum of the weights of the labellings; 1 for [`Counts::expected`].
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Weighted counts of the labels of each token, row-major (token, label). Each row sums to
    /// [`Counts::total`].
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// Weighted counts of transitions, as (`from * labels + to`, count), sorted by pair.
    pub fn transitions(&self) -> &[(u32, f64)] {
        &self.transitions
    }

    /// Renumbers the transitions when the number of labels grows from `before` to `after`; the counts of new labels
    /// are 0. The order of the transitions is kept, since both numberings are by (from, to).
    pub(super) fn widen(&mut self, before: usize, after: usize) {
        self.labels = widened(&self.labels, before, after);
        for (pair, _) in &mut self.transitions {
            let (from, to) = (
                *pair as usize / before.max(1),
                *pair as usize % before.max(1),
            );
            *pair = (from * after + to) as u32;
        }
    }

    /// Checks the size of the counts, that rows are non-negative and sum to the total (tolerance 1e-6, relative to
    /// totals above 1), and that transitions are pairs of labels. Transition counts are not compared with label counts.
    pub(super) fn check(&self, tokens: usize, labels: usize) -> Result<()> {
        check_len("label counts", tokens * labels, self.labels.len())?;
        let slack = 1e-6 * self.total.max(1.0);
        for token in 0..tokens {
            let row = &self.labels[token * labels..][..labels];
            let sum: f64 = row.iter().sum();
            // The negation also catches NaN.
            if !(row.iter().all(|count| *count >= 0.0) && (sum - self.total).abs() <= slack) {
                return Err(Error::Distribution { token });
            }
        }
        match self
            .transitions
            .iter()
            .find(|(pair, _)| *pair as usize >= labels * labels)
        {
            Some(&(label, _)) => Err(Error::Label { label, labels }),
            None => Ok(()),
        }
    }
}

/// Copies rows of `before` columns into rows of `after` columns; new columns have the default
/// value.
pub(super) fn widened<T: Copy + Default>(rows: &[T], before: usize, after: usize) -> Vec<T> {
    let mut wider = Vec::with_capacity(rows.len() / before.max(1) * after);
    for row in rows.chunks_exact(before.max(1)) {
        wider.extend_from_slice(row);
        wider.resize(wider.len() + after - before, T::default());
    }
    wider
}
