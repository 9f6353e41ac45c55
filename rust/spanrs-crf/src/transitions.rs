//! Scores of neighbouring labels.

/// Scores of pairs of neighbouring labels; negative infinity forbids a pair.
#[derive(Clone, Debug, PartialEq)]
pub struct Transitions {
    labels: usize,
    /// From label, then to label.
    scores: Vec<f64>,
    /// The same the other way round: to label, then from label.
    by_target: Vec<f64>,
    /// Exponentials of the scores without `most`.
    exps: Vec<f64>,
    /// The largest score.
    most: f64,
}

/// A score that is not a number, or infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadScore {
    /// Its place among the scores.
    pub at: usize,
    /// What it is.
    pub score: f64,
}

impl Transitions {
    /// Scores of each label (row) before each label (column), `labels` by `labels`.
    ///
    /// # Errors
    /// [`BadScore`] for what is neither finite nor negative infinity.
    ///
    /// # Panics
    /// If there are not `labels` times `labels` scores.
    pub fn new(labels: usize, scores: Vec<f64>) -> Result<Self, BadScore> {
        assert_eq!(
            scores.len(),
            labels * labels,
            "a score for each pair of labels"
        );
        let mut transitions = Self {
            labels,
            by_target: vec![0.0; scores.len()],
            exps: vec![0.0; scores.len()],
            scores,
            most: 0.0,
        };
        transitions.update()?;
        Ok(transitions)
    }

    /// Takes other scores for the same labels.
    ///
    /// # Errors
    /// As [`Transitions::new`].
    ///
    /// # Panics
    /// As [`Transitions::new`].
    pub fn set(&mut self, scores: &[f64]) -> Result<(), BadScore> {
        self.scores.copy_from_slice(scores);
        self.update()
    }

    fn update(&mut self) -> Result<(), BadScore> {
        let bad = |score: &f64| score.is_nan() || *score == f64::INFINITY;
        if let Some(at) = self.scores.iter().position(bad) {
            let score = self.scores[at];
            return Err(BadScore { at, score });
        }
        let most = self
            .scores
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        self.most = if most.is_finite() { most } else { 0.0 };
        for (at, &score) in self.scores.iter().enumerate() {
            let (from, to) = (at / self.labels, at % self.labels);
            self.by_target[to * self.labels + from] = score;
            self.exps[at] = (score - self.most).exp();
        }
        Ok(())
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// The score of a label before another one.
    pub fn score(&self, from: usize, to: usize) -> f64 {
        self.scores[from * self.labels + to]
    }

    /// Scores of the labels that follow one.
    pub(crate) fn after(&self, from: usize) -> &[f64] {
        &self.scores[from * self.labels..][..self.labels]
    }

    /// Scores of the labels before one.
    pub(crate) fn before(&self, to: usize) -> &[f64] {
        &self.by_target[to * self.labels..][..self.labels]
    }

    /// Exponentials of [`Transitions::after`], divided by that of [`Transitions::most`].
    pub(crate) fn exps_after(&self, from: usize) -> &[f64] {
        &self.exps[from * self.labels..][..self.labels]
    }

    /// All of them, from label, then to label.
    pub(crate) fn exps(&self) -> &[f64] {
        &self.exps
    }

    /// The largest score; 0 where all pairs are forbidden.
    pub(crate) fn most(&self) -> f64 {
        self.most
    }
}
