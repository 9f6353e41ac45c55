//! Forward-backward: the partition function, marginals and expected transition counts.
//!
//! The recursions multiply scaled exponentials (`messages`).
//!
//! # Log domain
//! Scaling fails if a constraint leaves only paths through very unlikely labels: a scale underflows. The recursions are
//! then repeated with logarithms (log-sum-exp), which does not underflow, but takes `labels^2` exponentials per token.
//! This happens if the finite transition scores span `-ln 1e-100` (about 230) or more, if all labels of a token are
//! forbidden, if a scale is below 1e-100, if a backward variable reaches 1e100, or if the marginals of the first token
//! do not sum to 1 within 1e-6. NaN also triggers the log domain, and ends in [`Error::NotFinite`].
//!
//! # Expected transition counts
//! The probability of the pair (x, y) at tokens t-1 and t is
//! `f_{t-1}(x) * M(x, y) * e_t(y) b_t(y) / c_t`. `M` does not depend on the token, so [`PairSums`]
//! adds the outer products of the other two factors and multiplies by `M` once, when the counts are
//! read.
//!
//! The recursions and the pair counts take `O(tokens * labels^2)` time each, and
//! `O(tokens * labels)` memory.

use crate::aligned::Aligned;
use crate::error::{Error, Result};
use crate::lattice::Lattice;
use crate::messages::Messages;
use crate::simd::{Real, padded};
use crate::transitions::Transitions;

impl Lattice {
    /// Computes the log partition function (the logarithm of the sum over all labellings of the exponential of their
    /// scores) and the tables that [`Lattice::marginals`] and [`Lattice::add_pairs`] need.
    ///
    /// An empty sequence has the log partition function 0.
    ///
    /// # Errors
    /// [`Error::NoPath`] if all labellings are forbidden, [`Error::NotFinite`] for scores that are NaN or positive
    /// infinity, or that overflow, [`Error::Shape`] if the transitions have a different number of labels.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Lattice, Transitions};
    /// let transitions = Transitions::zero(2);
    /// let mut lattice = Lattice::of(2, &[0.0, 3.0_f64.ln(), 0.0, 0.0]).unwrap();
    /// let log_z = lattice.forward_backward(&transitions).unwrap();
    /// assert!((log_z - 8.0_f64.ln()).abs() < 1e-12, "(1 + 3) * (1 + 1)");
    /// let first: Vec<f64> = lattice.marginals(0).collect();
    /// assert!((first[1] - 0.75).abs() < 1e-12);
    /// ```
    pub fn forward_backward(&mut self, transitions: &Transitions) -> Result<f64> {
        self.check(transitions)?;
        self.in_logs = false;
        self.log_z = 0.0;
        if self.tokens == 0 {
            return Ok(0.0);
        }
        let scaled = match transitions.range() < -f64::MIN_SCALED.ln() {
            true => (self.messages).run(&self.scores, transitions.potentials(), self.width),
            false => None,
        };
        self.log_z = match scaled {
            Some(log_z) => log_z,
            None => self.log_forward_backward(transitions)?,
        };
        match self.log_z.is_finite() {
            true => Ok(self.log_z),
            false => Err(Error::NotFinite),
        }
    }

    /// Both recursions with logarithms; fills `forward` and `backward` and sets `in_logs`. The padding of `backward` is
    /// neither written nor read in the log domain.
    ///
    /// # Errors
    /// [`Error::NoPath`] or [`Error::NotFinite`] if no labelling has a score above negative
    /// infinity.
    fn log_forward_backward(&mut self, transitions: &Transitions) -> Result<f64> {
        let (labels, width) = (self.labels, self.width);
        self.in_logs = true;
        self.messages.resize(self.tokens, width);
        let Messages {
            forward, backward, ..
        } = &mut self.messages;
        forward.copy_from_slice(&self.scores);
        for token in 1..self.tokens {
            let (before, row) = forward.split_at_mut(token * width);
            let before = &before[(token - 1) * width..];
            for (to, sum) in row[..labels].iter_mut().enumerate() {
                let steps = transitions.before(to).iter().zip(before);
                *sum += log_sum(steps.map(|(step, score)| step + score));
            }
        }
        let last = (self.tokens - 1) * width;
        let log_z = log_sum(forward[last..].iter().copied());
        if log_z == f64::NEG_INFINITY {
            return Err(self.no_path());
        }
        backward[last..].fill(0.0);
        for token in (0..self.tokens - 1).rev() {
            let (rows, after) = backward.split_at_mut((token + 1) * width);
            let scores = &self.scores[(token + 1) * width..][..labels];
            let row = &mut rows[token * width..][..labels];
            for (from, sum) in row.iter_mut().enumerate() {
                let steps = transitions.after(from).iter().zip(scores).zip(&*after);
                *sum = log_sum(steps.map(|((step, score), after)| step + score + after));
            }
        }
        Ok(log_z)
    }

    /// Marginal label probabilities of a token, by label, given the whole sequence. They sum to 1
    /// up to rounding.
    ///
    /// Call [`Lattice::forward_backward`] first; without it, or after scores changed, the values
    /// are meaningless.
    pub fn marginals(&self, token: usize) -> impl Iterator<Item = f64> {
        let forward = self.row(&self.messages.forward, token);
        let backward = self.row(&self.messages.backward, token);
        let both = forward.iter().zip(backward);
        both.map(|(forward, backward)| match self.in_logs {
            true => (forward + backward - self.log_z).exp(),
            false => forward * backward,
        })
    }

    /// Same as [`Lattice::marginals`], for one label.
    pub(crate) fn marginal(&self, token: usize, label: usize) -> f64 {
        let at = token * self.width + label;
        let (forward, backward) = (self.messages.forward[at], self.messages.backward[at]);
        match self.in_logs {
            true => (forward + backward - self.log_z).exp(),
            false => forward * backward,
        }
    }

    /// Adds `weight` times the marginals of all tokens to `rows`, padded rows by token.
    pub(crate) fn add_marginals(&self, weight: f64, rows: &mut [f64]) {
        if self.in_logs {
            for (token, row) in rows.chunks_exact_mut(self.width).enumerate() {
                for (value, marginal) in row.iter_mut().zip(self.marginals(token)) {
                    *value += weight * marginal;
                }
            }
            return;
        }
        self.messages.add_marginals(weight, rows);
    }

    /// Adds `weight` times the variances of the labels of all tokens to `rows`, padded rows by token.
    pub(crate) fn add_variances(&self, weight: f64, rows: &mut [f64]) {
        for (token, row) in rows.chunks_exact_mut(self.width).enumerate() {
            for (value, p) in row.iter_mut().zip(self.marginals(token)) {
                *value += weight * p * (1.0 - p);
            }
        }
    }

    /// Adds `weight` times the variances of pairs of neighbouring labels, summed over the sequence, to `sums`,
    /// row-major (from, to).
    ///
    /// Call [`Lattice::forward_backward`] with the same transitions first.
    pub(crate) fn add_pair_variances(
        &self,
        transitions: &Transitions,
        weight: f64,
        sums: &mut [f64],
    ) {
        let (labels, max) = (self.labels, transitions.max());
        let factors: Vec<f64> = (transitions.scores().iter())
            .map(|score| (score - max).exp())
            .collect();
        for token in 1..self.tokens {
            let forward = self.row(&self.messages.forward, token - 1);
            let backward = self.row(&self.messages.backward, token);
            let scores = self.row(&self.scores, token);
            for (pair, sum) in sums.iter_mut().enumerate() {
                let (from, to) = (pair / labels, pair % labels);
                let p = match self.in_logs {
                    true => {
                        let step = transitions.score(from, to) + scores[to];
                        (forward[from] + step + backward[to] - self.log_z).exp()
                    }
                    false => {
                        let next = self.row(&self.messages.next, token);
                        forward[from] * factors[pair] * next[to]
                    }
                };
                *sum += weight * p * (1.0 - p);
            }
        }
    }

    /// Adds `weight` times the probabilities of pairs of neighbouring labels, summed over the
    /// sequence, to `sums`.
    ///
    /// Call [`Lattice::forward_backward`] with the same transitions first. All calls with the same [`PairSums`] need
    /// the same transitions and number of labels. Sequences of fewer than two tokens add nothing.
    pub fn add_pairs(&self, transitions: &Transitions, weight: f64, sums: &mut PairSums) {
        let labels = self.labels;
        if self.tokens < 2 {
            return;
        }
        if !self.in_logs {
            return self.messages.add_pairs(weight, &mut sums.scaled);
        }
        for token in 1..self.tokens {
            let forward = self.row(&self.messages.forward, token - 1);
            let backward = self.row(&self.messages.backward, token);
            let scores = self.row(&self.scores, token);
            for (from, row) in sums.whole.chunks_exact_mut(labels).enumerate() {
                let steps = transitions.after(from).iter().zip(scores).zip(backward);
                for (sum, ((step, score), backward)) in row.iter_mut().zip(steps) {
                    *sum += weight * (forward[from] + step + score + backward - self.log_z).exp();
                }
            }
        }
    }
}

/// Expected transition counts, accumulated over sequences that share one set of transitions.
///
/// ```
/// use spanrs_crf::{Lattice, PairSums, Transitions};
/// let transitions = Transitions::zero(2);
/// let mut lattice = Lattice::of(2, &[0.0; 6]).unwrap(); // Three tokens.
/// lattice.forward_backward(&transitions).unwrap();
/// let mut sums = PairSums::new(2);
/// lattice.add_pairs(&transitions, 1.0, &mut sums);
/// let counts: Vec<f64> = sums.expected_counts(&transitions).collect();
/// assert!(counts.iter().all(|count| (count - 0.5).abs() < 1e-12), "two pairs, four outcomes");
/// ```
#[derive(Clone, Debug, Default)]
pub struct PairSums {
    /// Number of labels.
    labels: usize,
    /// Sums without the factor `exp(transition - max)`, which does not depend on the token and is applied once at the
    /// end; padded rows, row-major (from, to).
    scaled: Aligned<f64>,
    /// Sums of complete probabilities from the log-domain fallback, row-major (from, to), without padding.
    whole: Vec<f64>,
}

impl PairSums {
    /// Creates counts of 0 for this number of labels.
    pub fn new(labels: usize) -> Self {
        let mut sums = Self::default();
        sums.clear(labels);
        sums
    }

    /// Sets all counts to 0, for this number of labels; keeps the buffers.
    pub fn clear(&mut self, labels: usize) {
        self.labels = labels;
        self.scaled.resize(padded(labels) * padded(labels));
        self.scaled.fill(0.0);
        self.whole.clear();
        self.whole.resize(labels * labels, 0.0);
    }

    /// The expected counts, row-major (from label, to label). `transitions` must be the transitions used in
    /// [`Lattice::add_pairs`].
    pub fn expected_counts<'a>(
        &'a self,
        transitions: &'a Transitions,
    ) -> impl Iterator<Item = f64> + 'a {
        let (labels, width) = (self.labels, padded(self.labels));
        let scores = transitions.scores().iter().zip(&self.whole).enumerate();
        scores.map(move |(at, (score, whole))| {
            let scaled = self.scaled[at / labels * width + at % labels];
            scaled * (score - transitions.max()).exp() + whole
        })
    }

    /// Adds counts accumulated with the same transitions, such as counts from another thread. Both must have the same
    /// number of labels.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.scaled[..], &other.scaled[..]),
            (&mut self.whole, &other.whole),
        ] {
            for (sum, more) in mine.iter_mut().zip(theirs) {
                *sum += more;
            }
        }
    }
}

/// The logarithm of a sum of exponentials, without overflow: the maximum is subtracted first.
/// Negative infinity for an empty sum.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.map(|log| (log - most).exp()).sum::<f64>().ln()
}
