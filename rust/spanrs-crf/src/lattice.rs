//! Label scores of one sequence, with the work space for inference.

use crate::aligned::Aligned;
use crate::error::{Error, Result, check_len};
use crate::simd::padded;
use crate::transitions::Transitions;

/// Label scores of one sequence and the buffers for inference, which are reused between sequences.
///
/// Rows of labels are padded to whole vectors; padding has the score negative infinity.
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    pub(crate) labels: usize,
    pub(crate) tokens: usize,
    /// Row length.
    pub(crate) width: usize,
    /// Row-major (token, label); negative infinity forbids a label.
    pub(crate) scores: Aligned<f64>,
    /// `exp(score - max)`, the maximum taken per token.
    pub(crate) exps: Aligned<f64>,
    /// Forward variables, normalised per token; logarithms if `in_logs`.
    pub(crate) forward: Aligned<f64>,
    /// Backward variables, scaled so that `forward * backward` is the marginal; logarithms if `in_logs`.
    pub(crate) backward: Aligned<f64>,
    /// `backward * exps / scale`: a token's factor in the probabilities of pairs.
    pub(crate) next: Aligned<f64>,
    /// Scaling factor of each token's forward variables.
    pub(crate) scales: Vec<f64>,
    /// Whether inference fell back to the log domain because scaled products underflowed.
    pub(crate) in_logs: bool,
    /// The log partition function.
    pub(crate) log_z: f64,
}

impl Lattice {
    /// Starts a sequence with scores of 0.
    pub fn reset(&mut self, tokens: usize, labels: usize) {
        (self.tokens, self.labels, self.width) = (tokens, labels, padded(labels));
        self.scores.resize(tokens * self.width);
        self.scores.fill(0.0);
        if labels < self.width {
            for row in self.scores.chunks_exact_mut(self.width) {
                row[labels..].fill(f64::NEG_INFINITY);
            }
        }
    }

    /// A lattice with these scores, row-major (token, label) without padding.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if the scores are not whole rows.
    pub fn of(labels: usize, scores: &[f64]) -> Result<Self> {
        let tokens = scores.len().checked_div(labels).unwrap_or_default();
        check_len("label scores", tokens * labels, scores.len())?;
        let mut lattice = Self::default();
        lattice.reset(tokens, labels);
        for (token, row) in scores.chunks_exact(labels.max(1)).enumerate() {
            lattice.scores_mut(token).copy_from_slice(row);
        }
        Ok(lattice)
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
        &mut self.scores[token * self.width..][..self.labels]
    }

    /// As [`Lattice::scores_mut`], with the padding.
    pub(crate) fn padded_scores_mut(&mut self, token: usize) -> &mut [f64] {
        &mut self.scores[token * self.width..][..self.width]
    }

    /// Forbids labels, by a flag for each, row-major (token, label).
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if there are not `tokens * labels` flags.
    pub fn allow(&mut self, allowed: &[bool]) -> Result<()> {
        check_len("flags of labels", self.tokens * self.labels, allowed.len())?;
        for (token, allowed) in allowed.chunks_exact(self.labels.max(1)).enumerate() {
            for (score, allowed) in self.scores_mut(token).iter_mut().zip(allowed) {
                if !allowed {
                    *score = f64::NEG_INFINITY;
                }
            }
        }
        Ok(())
    }

    /// Why no labelling has a score.
    pub(crate) fn no_path(&self) -> Error {
        let bad = |score: &f64| score.is_nan() || *score == f64::INFINITY;
        match self.scores.iter().any(bad) {
            true => Error::NotFinite,
            false => Error::NoPath,
        }
    }

    /// Checks that transitions are of the same labels.
    pub(crate) fn check(&self, transitions: &Transitions) -> Result<()> {
        check_len("labels of transitions", self.labels, transitions.labels())
    }

    pub(crate) fn row<'a>(&self, rows: &'a [f64], token: usize) -> &'a [f64] {
        &rows[token * self.width..][..self.labels]
    }
}
