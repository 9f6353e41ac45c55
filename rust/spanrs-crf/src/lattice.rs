//! Label scores of one sequence, with the work space for inference.

use crate::error::{Result, check_len};
use crate::transitions::Transitions;

/// Label scores of one sequence and the buffers for inference, which are reused between sequences.
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    pub(crate) labels: usize,
    pub(crate) tokens: usize,
    /// Row-major (token, label); negative infinity forbids a label.
    pub(crate) scores: Vec<f64>,
    /// `exp(score - max)`, the maximum taken per token.
    pub(crate) exps: Vec<f64>,
    /// Forward variables, normalised per token; logarithms if `in_logs`.
    pub(crate) forward: Vec<f64>,
    /// Backward variables, scaled so that `forward * backward` is the marginal; logarithms if `in_logs`.
    pub(crate) backward: Vec<f64>,
    /// Scaling factor of each token's forward variables.
    pub(crate) scales: Vec<f64>,
    /// Whether inference fell back to the log domain because scaled products underflowed.
    pub(crate) in_logs: bool,
    /// The log partition function.
    pub(crate) log_z: f64,
}

impl Lattice {
    /// Starts a sequence and returns its scores, row-major (token, label), initialised to 0.
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

    /// Label scores of a token.
    pub fn scores(&self, token: usize) -> &[f64] {
        self.row(&self.scores, token)
    }

    /// Mutable label scores of a token; negative infinity forbids a label.
    pub fn scores_mut(&mut self, token: usize) -> &mut [f64] {
        &mut self.scores[token * self.labels..][..self.labels]
    }

    /// Checks that transitions are of the same labels.
    pub(crate) fn check(&self, transitions: &Transitions) -> Result<()> {
        check_len("labels of transitions", self.labels, transitions.labels())
    }

    pub(crate) fn row<'a>(&self, rows: &'a [f64], token: usize) -> &'a [f64] {
        &rows[token * self.labels..][..self.labels]
    }
}
