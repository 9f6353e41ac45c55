//! Forward-backward: the partition function, marginals and expected transition counts.
//!
//! # Scaled recursions
//! With `e_t(y) = exp(s_t(y) - max_y s_t(y))` and `M(x, y) = exp(m(x, y) - max m)`, the forward row
//! of each token is normalised to sum to 1 (Rabiner 1989, section V.A), and the backward rows reuse
//! its scale `c_t`:
//!
//! ```text
//! f_0 = e_0 / c_0,         f_t(y) = e_t(y) * sum_x f_{t-1}(x) M(x, y) / c_t
//! b_{T-1} = 1,             b_t(x) = sum_y M(x, y) * e_{t+1}(y) * b_{t+1}(y) / c_{t+1}
//! log Z = sum_t (log c_t + max_y s_t(y)) + (T - 1) * max m
//! ```
//!
//! so that `f_t(y) * b_t(y)` is the marginal of label `y`. One exponential per label and token is needed, the products
//! are of a row and a matrix, and all loops vectorise. Subtracting the maxima first, which CRFsuite does not do, keeps
//! large weights from overflowing.
//!
//! # Log domain
//! Scaling fails if a constraint leaves only paths through very unlikely labels: `c_t` underflows. The recursions are
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
use crate::simd::{AddOuterProducts, AddProducts, Kernel, dispatch, exp_minus, max, padded, sum};
use crate::transitions::Transitions;

/// Scaled values outside `MIN_SCALED..1 / MIN_SCALED` trigger the log-domain fallback. Products of three scaled values,
/// summed over a corpus, stay finite.
const MIN_SCALED: f64 = 1e-100;

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
        let size = self.tokens * self.width;
        for rows in [
            &mut self.forward,
            &mut self.backward,
            &mut self.exps,
            &mut self.next,
        ] {
            // Every entry is written below.
            rows.resize(size);
        }
        self.scales.resize(self.tokens, 0.0);
        self.in_logs = false;
        self.log_z = 0.0;
        if self.tokens == 0 {
            return Ok(0.0);
        }
        let scaled = match transitions.range() < -MIN_SCALED.ln() {
            true => dispatch(Scaled(self, transitions)),
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

    /// The forward recursion; returns the log partition function, or `None` on underflow. Fills
    /// `exps`, `forward` and `scales`.
    #[inline(always)]
    fn scaled_forward(&mut self, transitions: &Transitions) -> Option<f64> {
        let width = self.width;
        let mut log_z = transitions.max() * (self.tokens - 1) as f64;
        for token in 0..self.tokens {
            let scores = &self.scores[token * width..][..width];
            let most = max(scores);
            if most == f64::NEG_INFINITY {
                return None;
            }
            let exps = &mut self.exps[token * width..][..width];
            exp_minus(scores, most, exps);
            let (before, row) = self.forward.split_at_mut(token * width);
            let row = &mut row[..width];
            if token == 0 {
                row.copy_from_slice(exps);
            } else {
                let before = &before[(token - 1) * width..];
                transitions.forward().multiply(before, row);
                for (sum, exp) in row.iter_mut().zip(&*exps) {
                    *sum *= exp;
                }
            }
            let scale = sum(row);
            if scale < MIN_SCALED {
                return None;
            }
            let inverse = 1.0 / scale;
            for probability in row {
                *probability *= inverse;
            }
            self.scales[token] = scale;
            log_z += most + scale.ln();
        }
        Some(log_z)
    }

    /// The backward recursion, after [`Lattice::scaled_forward`]; fills `backward` and `next`.
    /// Returns false on overflow, and if the marginals of the first token do not sum to 1
    /// (underflow or NaN).
    #[inline(always)]
    fn scaled_backward(&mut self, transitions: &Transitions) -> bool {
        let width = self.width;
        let last = (self.tokens - 1) * width;
        self.backward[last..].fill(1.0);
        let mut most = 0.0;
        for token in (0..self.tokens - 1).rev() {
            let (rows, after) = self.backward.split_at_mut((token + 1) * width);
            let exps = &self.exps[(token + 1) * width..][..width];
            let next = &mut self.next[(token + 1) * width..][..width];
            let inverse = 1.0 / self.scales[token + 1];
            for ((next, after), exp) in next.iter_mut().zip(&after[..width]).zip(exps) {
                *next = after * exp * inverse;
            }
            let row = &mut rows[token * width..];
            transitions.backward().multiply(next, row);
            let own = max(row);
            most = if own > most { own } else { most };
        }
        let first = self.forward[..width].iter().zip(&self.backward[..width]);
        let total: f64 = first.map(|(forward, backward)| forward * backward).sum();
        // The negation also catches NaN.
        !(most >= 1.0 / MIN_SCALED || (total - 1.0).abs() >= 1e-6 || total.is_nan())
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
        self.forward.copy_from_slice(&self.scores);
        for token in 1..self.tokens {
            let (before, row) = self.forward.split_at_mut(token * width);
            let before = &before[(token - 1) * width..];
            for (to, sum) in row[..labels].iter_mut().enumerate() {
                let steps = transitions.before(to).iter().zip(before);
                *sum += log_sum(steps.map(|(step, score)| step + score));
            }
        }
        let last = (self.tokens - 1) * width;
        let log_z = log_sum(self.forward[last..].iter().copied());
        if log_z == f64::NEG_INFINITY {
            return Err(self.no_path());
        }
        self.backward[last..].fill(0.0);
        for token in (0..self.tokens - 1).rev() {
            let (rows, after) = self.backward.split_at_mut((token + 1) * width);
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
        let forward = self.row(&self.forward, token);
        let backward = self.row(&self.backward, token);
        let both = forward.iter().zip(backward);
        both.map(|(forward, backward)| match self.in_logs {
            true => (forward + backward - self.log_z).exp(),
            false => forward * backward,
        })
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
        dispatch(AddProducts {
            left: &self.forward,
            right: &self.backward,
            weight,
            sums: rows,
        });
    }

    /// Adds `weight` times the probabilities of pairs of neighbouring labels, summed over the
    /// sequence, to `sums`.
    ///
    /// Call [`Lattice::forward_backward`] with the same transitions first. All calls with the same [`PairSums`] need
    /// the same transitions and number of labels. Sequences of fewer than two tokens add nothing.
    pub fn add_pairs(&self, transitions: &Transitions, weight: f64, sums: &mut PairSums) {
        let (labels, width) = (self.labels, self.width);
        if self.tokens < 2 {
            return;
        }
        if !self.in_logs {
            let left = &self.forward[..(self.tokens - 1) * width];
            let right = &self.next[width..self.tokens * width];
            return dispatch(AddOuterProducts {
                left,
                right,
                width,
                weight,
                sums: &mut sums.scaled,
            });
        }
        for token in 1..self.tokens {
            let forward = self.row(&self.forward, token - 1);
            let backward = self.row(&self.backward, token);
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

/// Both scaled recursions as one kernel; its output is the log partition function, or `None` if scaled values are out
/// of range.
struct Scaled<'a>(&'a mut Lattice, &'a Transitions);

impl Kernel for Scaled<'_> {
    type Output = Option<f64>;

    #[inline(always)]
    fn call(self) -> Option<f64> {
        let Self(lattice, transitions) = self;
        let log_z = lattice.scaled_forward(transitions)?;
        lattice.scaled_backward(transitions).then_some(log_z)
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
