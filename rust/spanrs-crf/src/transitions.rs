//! Transition scores between labels, in the layouts that inference needs.
//!
//! The same `labels * labels` scores are kept five times: as given, transposed, padded for Viterbi,
//! and as padded exponentials in both orders for the forward and the backward recursion. This takes
//! about 40 bytes per pair of labels, and the exponentials, which are expensive, are computed once
//! per pass over a corpus instead of once per token.

use crate::error::{Error, Result, check_len};
use crate::messages::Potentials;
use crate::simd::{Panels, padded};

/// Transition scores between labels; negative infinity forbids a transition.
///
/// Scores are logarithms, so adding a constant to all of them does not change probabilities.
///
/// ```
/// use spanrs_crf::{Lattice, Transitions};
/// // Label 1 must not follow label 0.
/// let transitions = Transitions::new(2, vec![0.0, f64::NEG_INFINITY, 0.0, 0.0]).unwrap();
/// let lattice = Lattice::of(2, &[5.0, 0.0, 0.0, 4.0]).unwrap();
/// assert_eq!(lattice.best(&transitions).unwrap(), (vec![0, 0], 5.0));
/// assert_eq!(lattice.best(&Transitions::zero(2)).unwrap(), (vec![0, 1], 9.0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Transitions {
    /// Number of labels.
    labels: usize,
    /// Scores, row-major (from, to), without padding.
    scores: Vec<f64>,
    /// The transpose, row-major (to, from): contiguous predecessors for backtracking.
    by_target: Vec<f64>,
    /// The scores by (from, to), padded with negative infinity, for Viterbi.
    steps: Panels<f64>,
    /// Exponentials of the scores, for forward-backward.
    potentials: Potentials<f64>,
    /// The largest score minus the smallest finite score; forward-backward starts in the log domain
    /// if `exp(-range)` is too small to scale.
    range: f64,
}

impl Transitions {
    /// Creates transitions with these scores, row-major (from label, to label).
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not `labels * labels` scores, [`Error::Transition`] with the
    /// first score that is NaN or positive infinity.
    pub fn new(labels: usize, scores: Vec<f64>) -> Result<Self> {
        let mut transitions = Self::zero(labels);
        transitions.set(&scores)?;
        Ok(transitions)
    }

    /// Transitions whose scores are all 0: the tokens of a sequence are independent.
    pub fn zero(labels: usize) -> Self {
        let scores = vec![0.0; labels * labels];
        let width = padded(labels);
        let mut transitions = Self {
            labels,
            by_target: scores.clone(),
            scores,
            steps: Panels::new(width, f64::NEG_INFINITY),
            potentials: Potentials::new(width),
            range: 0.0,
        };
        transitions.update();
        transitions
    }

    /// Replaces all scores and recomputes the derived tables, with `O(labels^2)` exponentials;
    /// allocates nothing.
    ///
    /// # Errors
    /// Same as [`Transitions::new`]. On error nothing is replaced.
    pub fn set(&mut self, scores: &[f64]) -> Result<()> {
        check_len("transition scores", self.scores.len(), scores.len())?;
        let bad = |score: &f64| score.is_nan() || *score == f64::INFINITY;
        if let Some(at) = scores.iter().position(bad) {
            return Err(Error::Transition {
                from: at / self.labels,
                to: at % self.labels,
                score: scores[at],
            });
        }
        self.scores.copy_from_slice(scores);
        self.update();
        Ok(())
    }

    /// Replaces one score, given as `from * labels + to`, for Viterbi only: the exponentials, the
    /// maximum and the range are not updated. Online training changes few transitions per sequence
    /// and never needs the sums.
    pub(crate) fn set_score(&mut self, pair: usize, score: f64) {
        let (from, to) = (pair / self.labels, pair % self.labels);
        self.scores[pair] = score;
        self.by_target[to * self.labels + from] = score;
        self.steps.set(from, to, score);
    }

    /// Recomputes the maximum, the range and all derived tables from the scores.
    fn update(&mut self) {
        self.potentials.set(self.labels, &self.scores);
        let max = self.max();
        let finite = self
            .scores
            .iter()
            .copied()
            .filter(|score| score.is_finite());
        self.range = max - finite.fold(max, f64::min);
        for (at, &score) in self.scores.iter().enumerate() {
            let (from, to) = (at / self.labels, at % self.labels);
            self.by_target[to * self.labels + from] = score;
            self.steps.set(from, to, score);
        }
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The score of the transition `from -> to`; both labels are below [`Transitions::labels`].
    pub fn score(&self, from: usize, to: usize) -> f64 {
        self.scores[from * self.labels + to]
    }

    /// All scores, row-major (from label, to label).
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Scores of the transitions out of a label, indexed by the next label.
    pub(crate) fn after(&self, from: usize) -> &[f64] {
        &self.scores[from * self.labels..][..self.labels]
    }

    /// Scores of the transitions into a label, indexed by the previous label.
    pub(crate) fn before(&self, to: usize) -> &[f64] {
        &self.by_target[to * self.labels..][..self.labels]
    }

    /// The scores by (from, to), padded with negative infinity.
    pub(crate) fn steps(&self) -> &Panels<f64> {
        &self.steps
    }

    /// Exponentials of the scores.
    pub(crate) fn potentials(&self) -> &Potentials<f64> {
        &self.potentials
    }

    /// The largest score minus the smallest finite score; 0 if there is at most one finite score.
    pub(crate) fn range(&self) -> f64 {
        self.range
    }

    /// The largest score; 0 if all transitions are forbidden.
    pub(crate) fn max(&self) -> f64 {
        self.potentials.max
    }
}
