//! The score table of one sequence, and the work space for inference.
//!
//! A lattice is the trellis of a linear chain: one node per (token, label) with a score, and edges
//! between neighbouring tokens whose scores are in [`Transitions`]. Reading a sequence fills the
//! node scores; [`Lattice::best`] and [`Lattice::n_best`] search the lattice, and
//! [`Lattice::forward_backward`] sums over it.
//!
//! Rows have `width` entries, the number of labels rounded up to a multiple of 8, so that loops
//! over labels process whole vectors. The padding has the score negative infinity, the identity of
//! maxima and of sums of exponentials, so inner loops need no bounds checks on the labels. Buffers
//! only grow; a lattice that is reset for each sequence stops allocating after the longest
//! sequence.

use crate::aligned::Aligned;
use crate::error::{Error, Result, check_len};
use crate::messages::Messages;
use crate::simd::padded;
use crate::transitions::Transitions;

/// Label scores of one sequence and the buffers for inference, which are reused between sequences.
///
/// Owned by one thread; a clone has its own buffers. Results of [`Lattice::forward_backward`]
/// remain valid until scores change or the lattice is reset.
///
/// ```
/// use spanrs_crf::{Lattice, Transitions};
/// let mut lattice = Lattice::default();
/// lattice.reset(2, 2); // Two tokens, two labels.
/// lattice.scores_mut(0).copy_from_slice(&[1.0, 0.0]);
/// lattice.scores_mut(1)[0] = f64::NEG_INFINITY; // Forbid label 0 at token 1.
/// let (labels, score) = lattice.best(&Transitions::zero(2)).unwrap();
/// assert_eq!((labels, score), (vec![0, 1], 1.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Lattice {
    /// Number of labels.
    pub(crate) labels: usize,
    /// Number of tokens.
    pub(crate) tokens: usize,
    /// Row length: `labels` rounded up to a multiple of 8, at least 8.
    pub(crate) width: usize,
    /// Node scores, row-major (token, label); negative infinity forbids a label.
    pub(crate) scores: Aligned<f64>,
    /// Messages of the last inference; in the log domain only `forward` and `backward`, as
    /// logarithms, not normalised.
    pub(crate) messages: Messages<f64>,
    /// Whether the last inference fell back to the log domain because scaled products underflowed.
    pub(crate) in_logs: bool,
    /// The log partition function of the last inference.
    pub(crate) log_z: f64,
}

impl Lattice {
    /// Starts a sequence of `tokens` tokens with `labels` labels, all scores 0. Results of earlier
    /// inference become invalid.
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

    /// Replaces the sequence by that of `other`, with all scores multiplied by a positive factor.
    pub(crate) fn set_scaled(&mut self, other: &Self, factor: f64) {
        (self.tokens, self.labels, self.width) = (other.tokens, other.labels, other.width);
        self.scores.resize(other.scores.len());
        for (scaled, score) in self.scores.iter_mut().zip(&*other.scores) {
            *scaled = score * factor;
        }
    }

    /// A lattice with these scores, row-major (token, label) without padding.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if the number of scores is not a multiple of `labels`.
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

    /// Number of tokens of the current sequence.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Label scores of a token, without padding.
    pub fn scores(&self, token: usize) -> &[f64] {
        self.row(&self.scores, token)
    }

    /// Mutable label scores of a token, without padding; negative infinity forbids a label. With
    /// positive infinity or NaN, [`Lattice::forward_backward`] fails with
    /// [`crate::Error::NotFinite`].
    pub fn scores_mut(&mut self, token: usize) -> &mut [f64] {
        &mut self.scores[token * self.width..][..self.labels]
    }

    /// Same as [`Lattice::scores_mut`], with the padding, which must stay negative infinity.
    pub(crate) fn padded_scores_mut(&mut self, token: usize) -> &mut [f64] {
        &mut self.scores[token * self.width..][..self.width]
    }

    /// Forbids labels: `allowed` has a flag for each token and label, row-major (token, label).
    /// Labels that are already forbidden remain forbidden.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if there are not `tokens * labels` flags.
    pub fn allow(&mut self, allowed: &[bool]) -> Result<()> {
        check_len("label flags", self.tokens * self.labels, allowed.len())?;
        for (token, allowed) in allowed.chunks_exact(self.labels.max(1)).enumerate() {
            for (score, allowed) in self.scores_mut(token).iter_mut().zip(allowed) {
                if !allowed {
                    *score = f64::NEG_INFINITY;
                }
            }
        }
        Ok(())
    }

    /// The error for a sequence without a finite score: [`Error::NotFinite`] if a score is NaN or
    /// positive infinity, else [`Error::NoPath`].
    pub(crate) fn no_path(&self) -> Error {
        let bad = |score: &f64| score.is_nan() || *score == f64::INFINITY;
        match self.scores.iter().any(bad) {
            true => Error::NotFinite,
            false => Error::NoPath,
        }
    }

    /// Checks that the transitions have as many labels as the lattice.
    ///
    /// # Errors
    /// [`Error::Shape`] otherwise.
    pub(crate) fn check(&self, transitions: &Transitions) -> Result<()> {
        check_len(
            "labels in the transitions",
            self.labels,
            transitions.labels(),
        )
    }

    /// A token's row of a padded table, without the padding.
    pub(crate) fn row<'a>(&self, rows: &'a [f64], token: usize) -> &'a [f64] {
        &rows[token * self.width..][..self.labels]
    }
}
