//! Transition scores.

use crate::error::{Error, Result, check_len};
use crate::simd::{Panels, padded};

/// Transition scores between labels; negative infinity forbids a transition.
#[derive(Clone, Debug, PartialEq)]
pub struct Transitions {
    labels: usize,
    /// Row-major: from label, to label.
    scores: Vec<f64>,
    /// The transpose: to label, from label.
    by_target: Vec<f64>,
    /// The scores, padded with negative infinity, for Viterbi.
    steps: Panels,
    /// `exp(score - max)` by (from, to), for the forward recursion.
    forward: Panels,
    /// The transpose, for the backward recursion.
    backward: Panels,
    /// The largest score.
    max: f64,
    /// The largest score minus the smallest finite one.
    range: f64,
}

impl Transitions {
    /// Transitions with these scores, row-major (from label, to label).
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not `labels * labels` scores, [`Error::Transition`] for NaN and positive infinity.
    pub fn new(labels: usize, scores: Vec<f64>) -> Result<Self> {
        let mut transitions = Self::zero(labels);
        transitions.set(&scores)?;
        Ok(transitions)
    }

    /// Transitions whose scores are all 0.
    pub fn zero(labels: usize) -> Self {
        let scores = vec![0.0; labels * labels];
        let width = padded(labels);
        let mut transitions = Self {
            labels,
            by_target: scores.clone(),
            scores,
            steps: Panels::new(width, f64::NEG_INFINITY),
            forward: Panels::new(width, 0.0),
            backward: Panels::new(width, 0.0),
            max: 0.0,
            range: 0.0,
        };
        transitions.update();
        transitions
    }

    /// Replaces the scores.
    ///
    /// # Errors
    /// As [`Transitions::new`]; nothing is replaced then.
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

    /// Replaces a score, given as `from * labels + to`, for Viterbi alone: the exponentials keep the old one.
    pub(crate) fn set_score(&mut self, pair: usize, score: f64) {
        let (from, to) = (pair / self.labels, pair % self.labels);
        self.scores[pair] = score;
        self.by_target[to * self.labels + from] = score;
        self.steps.set(from, to, score);
    }

    /// Derives everything from the scores.
    fn update(&mut self) {
        let finite = self
            .scores
            .iter()
            .copied()
            .filter(|score| score.is_finite());
        let max = finite.clone().fold(f64::NEG_INFINITY, f64::max);
        self.max = if max.is_finite() { max } else { 0.0 };
        self.range = self.max - finite.fold(self.max, f64::min);
        for (at, &score) in self.scores.iter().enumerate() {
            let (from, to) = (at / self.labels, at % self.labels);
            let exp = (score - self.max).exp();
            self.by_target[to * self.labels + from] = score;
            self.steps.set(from, to, score);
            self.forward.set(from, to, exp);
            self.backward.set(to, from, exp);
        }
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The score of the transition `from -> to`.
    pub fn score(&self, from: usize, to: usize) -> f64 {
        self.scores[from * self.labels + to]
    }

    /// All scores, row-major (from label, to label).
    pub fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Scores of the transitions out of a label.
    pub(crate) fn after(&self, from: usize) -> &[f64] {
        &self.scores[from * self.labels..][..self.labels]
    }

    /// Scores of the transitions into a label.
    pub(crate) fn before(&self, to: usize) -> &[f64] {
        &self.by_target[to * self.labels..][..self.labels]
    }

    /// The scores, padded with negative infinity, by (from, to).
    pub(crate) fn steps(&self) -> &Panels {
        &self.steps
    }

    /// `exp(score - max)`, padded, by (from, to).
    pub(crate) fn forward(&self) -> &Panels {
        &self.forward
    }

    /// The transpose of [`Transitions::forward`].
    pub(crate) fn backward(&self) -> &Panels {
        &self.backward
    }

    /// The largest score minus the smallest finite one.
    pub(crate) fn range(&self) -> f64 {
        self.range
    }

    /// The largest score; 0 if all transitions are forbidden.
    pub(crate) fn max(&self) -> f64 {
        self.max
    }
}
