//! Forward-backward: the partition function and marginals.

use crate::aligned::Aligned;
use crate::error::{Error, Result};
use crate::lattice::Lattice;
use crate::simd::{AddOuterProducts, AddProducts, Kernel, dispatch, exp_minus, max, padded, sum};
use crate::transitions::Transitions;

/// Scaled values outside `LEAST..1 / LEAST` trigger the log-domain fallback. Products of three of them, summed over a
/// corpus, stay finite.
const LEAST: f64 = 1e-100;

impl Lattice {
    /// The logarithm of the sum over all labellings, with what marginals need (Rabiner 1989, scaled).
    ///
    /// # Errors
    /// [`Error::NoPath`] if all labellings are forbidden, [`Error::NotFinite`] for scores that are NaN or overflow,
    /// [`Error::Shape`] if the transitions have another number of labels.
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
        let scaled = match transitions.range() < -LEAST.ln() {
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

    /// Returns the log partition function; None on underflow.
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
            if scale < LEAST {
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

    /// Returns false on underflow or overflow.
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
        !(most >= 1.0 / LEAST || (total - 1.0).abs() >= 1e-6 || total.is_nan())
    }

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

    /// Marginal label probabilities of a token. Call [`Lattice::forward_backward`] first.
    pub fn marginals(&self, token: usize) -> impl Iterator<Item = f64> {
        let forward = self.row(&self.forward, token);
        let backward = self.row(&self.backward, token);
        let both = forward.iter().zip(backward);
        both.map(|(forward, backward)| match self.in_logs {
            true => (forward + backward - self.log_z).exp(),
            false => forward * backward,
        })
    }

    /// Adds `weight` times the marginals of all tokens to padded rows.
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

    /// Adds `weight` times the probabilities of pairs of neighbouring labels, summed over the sequence, to `sums`.
    /// [`Lattice::forward_backward`] comes first.
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

/// Scaled recursions; None if they leave the range of numbers.
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
#[derive(Clone, Debug, Default)]
pub struct PairSums {
    labels: usize,
    /// Sums without the factor `exp(transition)`, which is constant and applied once at the end; padded rows.
    scaled: Aligned<f64>,
    /// Sums from the log-domain fallback.
    whole: Vec<f64>,
}

impl PairSums {
    /// Zero counts.
    pub fn new(labels: usize) -> Self {
        let mut sums = Self::default();
        sums.clear(labels);
        sums
    }

    /// Sets all counts to 0.
    pub fn clear(&mut self, labels: usize) {
        self.labels = labels;
        self.scaled.resize(padded(labels) * padded(labels));
        self.scaled.fill(0.0);
        self.whole.clear();
        self.whole.resize(labels * labels, 0.0);
    }

    /// The expected counts, row-major: from label, to label.
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

    /// Adds counts accumulated with the same transitions.
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

/// The logarithm of a sum of exponentials.
fn log_sum(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let most = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    most + logs.map(|log| (log - most).exp()).sum::<f64>().ln()
}
