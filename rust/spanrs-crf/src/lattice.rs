//! Scores of the labels of a sequence, and what is computed from them.

/// The scores of one sequence, with the work space of everything that is computed from them; it is reused for the next.
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    pub(crate) labels: usize,
    pub(crate) tokens: usize,
    /// Token, then label; negative infinity forbids a label.
    pub(crate) scores: Vec<f64>,
    /// Exponentials of the scores, divided by that of the largest of the token.
    pub(crate) exps: Vec<f64>,
    /// Forward variables: probabilities of labels given the tokens so far, or logarithms if `in_logs`.
    pub(crate) forward: Vec<f64>,
    /// Backward variables: times the forward ones they are marginals, or logarithms if `in_logs`.
    pub(crate) backward: Vec<f64>,
    /// By which the forward variables of each token were divided.
    pub(crate) scales: Vec<f64>,
    /// True where scores lie so far apart that products would leave the range of numbers.
    pub(crate) in_logs: bool,
    /// The logarithm of the sum over all labellings.
    pub(crate) log_z: f64,
}

/// Every labelling of a sequence is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPath;

impl Lattice {
    /// Begins a sequence; gives its scores, which are 0, to be filled: token, then label.
    pub fn reset(&mut self, tokens: usize, labels: usize) -> &mut [f64] {
        (self.tokens, self.labels) = (tokens, labels);
        self.scores.clear();
        self.scores.resize(tokens * labels, 0.0);
        &mut self.scores
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Scores of the labels of a token.
    pub fn scores(&self, token: usize) -> &[f64] {
        self.row(&self.scores, token)
    }

    /// The same, to be changed: negative infinity forbids a label.
    pub fn scores_mut(&mut self, token: usize) -> &mut [f64] {
        &mut self.scores[token * self.labels..][..self.labels]
    }

    pub(crate) fn row<'a>(&self, rows: &'a [f64], token: usize) -> &'a [f64] {
        &rows[token * self.labels..][..self.labels]
    }
}
