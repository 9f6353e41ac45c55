//! Forward-backward: the partition function and marginals.

use crate::error::{Error, Result};
use crate::lattice::Lattice;
use crate::transitions::Transitions;

/// Scaled values outside `LEAST..1 / LEAST` trigger the log-domain fallback. Products of three of them, summed over a
/// corpus, stay finite.
const LEAST: f64 = 1e-100;

impl Lattice {
    /// The logarithm of the sum over all labellings, with what marginals need (Rabiner 1989, scaled).
    ///
    /// # Errors
    /// [`Error::NoPath`] if all labellings are forbidden, [`Error::Shape`] if the transitions have another number of labels.
    pub fn forward_backward(&mut self, transitions: &Transitions) -> Result<f64> {
        self.check(transitions)?;
        let size = self.tokens * self.labels;
        for rows in [&mut self.forward, &mut self.backward, &mut self.exps] {
            rows.clear();
            rows.resize(size, 0.0);
        }
        self.scales.clear();
        self.scales.resize(self.tokens, 0.0);
        self.in_logs = false;
        self.log_z = 0.0;
        if self.tokens == 0 {
            return Ok(0.0);
        }
        let scaled = match transitions.span() < -LEAST.ln() {
            true => self.scaled_forward(transitions),
            false => None,
        };
        let scaled = scaled.filter(|_| self.scaled_backward(transitions));
        self.log_z = match scaled {
            Some(log_z) => log_z,
            None => self.log_forward_backward(transitions)?,
        };
        Ok(self.log_z)
    }

    /// Returns the log partition function; None on underflow.
    fn scaled_forward(&mut self, transitions: &Transitions) -> Option<f64> {
        let labels = self.labels;
        let mut log_z = transitions.most() * (self.tokens - 1) as f64;
        for token in 0..self.tokens {
            let scores = &self.scores[token * labels..][..labels];
            let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            if most == f64::NEG_INFINITY {
                return None;
            }
            let exps = &mut self.exps[token * labels..][..labels];
            for (exp, score) in exps.iter_mut().zip(scores) {
                *exp = (score - most).exp();
            }
            let (before, row) = self.forward.split_at_mut(token * labels);
            let row = &mut row[..labels];
            if token == 0 {
                row.copy_from_slice(exps);
            } else {
                for (from, &probability) in before[(token - 1) * labels..].iter().enumerate() {
                    for (sum, step) in row.iter_mut().zip(transitions.exps_after(from)) {
                        *sum += probability * step;
                    }
                }
                for (sum, exp) in row.iter_mut().zip(&*exps) {
                    *sum *= exp;
                }
            }
            let sum: f64 = row.iter().sum();
            if sum < LEAST {
                return None;
            }
            for probability in row {
                *probability /= sum;
            }
            self.scales[token] = sum;
            log_z += most + sum.ln();
        }
        Some(log_z)
    }

    /// Returns false on underflow or overflow.
    fn scaled_backward(&mut self, transitions: &Transitions) -> bool {
        let labels = self.labels;
        let last = (self.tokens - 1) * labels;
        self.backward[last..].fill(1.0);
        let mut next = vec![0.0; labels];
        for token in (0..self.tokens - 1).rev() {
            let (rows, after) = self.backward.split_at_mut((token + 1) * labels);
            let exps = &self.exps[(token + 1) * labels..][..labels];
            for ((next, after), exp) in next.iter_mut().zip(&*after).zip(exps) {
                *next = after * exp / self.scales[token + 1];
            }
            for (from, sum) in rows[token * labels..].iter_mut().enumerate() {
                let steps = transitions.exps_after(from).iter().zip(&next);
                *sum = steps.map(|(step, next)| step * next).sum();
            }
        }
        if !self.backward.iter().all(|value| *value < 1.0 / LEAST) {
            return false;
        }
        let first = self.forward[..labels].iter().zip(&self.backward[..labels]);
        let total: f64 = first.map(|(forward, backward)| forward * backward).sum();
        (total - 1.0).abs() < 1e-6
    }

    fn log_forward_backward(&mut self, transitions: &Transitions) -> Result<f64> {
        let labels = self.labels;
        self.in_logs = true;
        self.forward.copy_from_slice(&self.scores);
        for token in 1..self.tokens {
            let (before, row) = self.forward.split_at_mut(token * labels);
            let before = &before[(token - 1) * labels..];
            for (to, sum) in row[..labels].iter_mut().enumerate() {
                let steps = transitions.before(to).iter().zip(before);
                *sum += log_sum(steps.map(|(step, score)| step + score));
            }
        }
        let last = (self.tokens - 1) * labels;
        let log_z = log_sum(self.forward[last..].iter().copied());
        if log_z == f64::NEG_INFINITY {
            return Err(Error::NoPath);
        }
        self.backward[last..].fill(0.0);
        for token in (0..self.tokens - 1).rev() {
            let (rows, after) = self.backward.split_at_mut((token + 1) * labels);
            let scores = &self.scores[(token + 1) * labels..][..labels];
            for (from, sum) in rows[token * labels..].iter_mut().enumerate() {
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

    /// Adds `weight` times the probabilities of pairs of neighbouring labels, summed over the sequence, to `sums`.
    /// [`Lattice::forward_backward`] comes first.
    pub fn add_pairs(&self, transitions: &Transitions, weight: f64, sums: &mut PairSums) {
        let labels = self.labels;
        sums.next.resize(labels, 0.0);
        for token in 1..self.tokens {
            let forward = self.row(&self.forward, token - 1);
            let backward = self.row(&self.backward, token);
            if self.in_logs {
                let scores = self.row(&self.scores, token);
                for (from, row) in sums.whole.chunks_exact_mut(labels).enumerate() {
                    let steps = transitions.after(from).iter().zip(scores).zip(backward);
                    for (sum, ((step, score), backward)) in row.iter_mut().zip(steps) {
                        *sum +=
                            weight * (forward[from] + step + score + backward - self.log_z).exp();
                    }
                }
                continue;
            }
            let exps = self.row(&self.exps, token);
            let scale = weight / self.scales[token];
            for ((next, backward), exp) in sums.next.iter_mut().zip(backward).zip(exps) {
                *next = backward * exp * scale;
            }
            for (row, probability) in sums.scaled.chunks_exact_mut(labels).zip(forward) {
                for (sum, next) in row.iter_mut().zip(&sums.next) {
                    *sum += probability * next;
                }
            }
        }
    }
}

/// Expected transition counts, accumulated over sequences that share one set of transitions.
#[derive(Clone, Debug, Default)]
pub struct PairSums {
    /// Sums without the factor `exp(transition)`, which is constant and applied once at the end.
    scaled: Vec<f64>,
    /// Sums from the log-domain fallback.
    whole: Vec<f64>,
    /// Buffer for one token.
    next: Vec<f64>,
}

impl PairSums {
    /// Zero counts.
    pub fn new(labels: usize) -> Self {
        Self {
            scaled: vec![0.0; labels * labels],
            whole: vec![0.0; labels * labels],
            next: Vec::new(),
        }
    }

    /// The expected counts, row-major: from label, to label.
    pub fn probabilities<'a>(
        &'a self,
        transitions: &'a Transitions,
    ) -> impl Iterator<Item = f64> + 'a {
        let scaled = self.scaled.iter().zip(transitions.exps());
        let scaled = scaled.map(|(sum, exp)| sum * exp);
        scaled
            .zip(&self.whole)
            .map(|(scaled, whole)| scaled + whole)
    }

    /// Adds counts accumulated with the same transitions.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in [
            (&mut self.scaled, &other.scaled),
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
