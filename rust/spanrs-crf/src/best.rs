//! Viterbi and n-best decoding.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::error::{Error, Result, check_len};
use crate::lattice::Lattice;
use crate::transitions::Transitions;

impl Lattice {
    /// The labelling with the largest score, and its score (Viterbi 1967). Of equal ones it is the one whose last label
    /// is lowest, then the one before it, and so on.
    ///
    /// # Errors
    /// [`Error::NoPath`] if all are forbidden, [`Error::Shape`] if the transitions have another number of labels.
    pub fn best(&self, transitions: &Transitions) -> Result<(Vec<usize>, f64)> {
        let mut found = self.n_best(transitions, 1)?;
        found.pop().ok_or(Error::NoPath)
    }

    /// The `n` labellings with the largest scores, best first, with their scores; fewer where there are no more. Ties
    /// are in the order of [`Lattice::best`].
    ///
    /// Forward scores are an exact estimate for a search from the end (Soong and Huang 1991), which looks at
    /// `n` times `tokens` nodes.
    ///
    /// # Errors
    /// [`Error::NoPath`] if all are forbidden, [`Error::Shape`] if the transitions have another number of labels.
    pub fn n_best(&self, transitions: &Transitions, n: usize) -> Result<Vec<(Vec<usize>, f64)>> {
        self.check(transitions)?;
        if self.tokens == 0 {
            return Ok([(Vec::new(), 0.0)].into_iter().take(n).collect());
        }
        let prefixes = self.best_prefixes(transitions);
        let last = self.tokens - 1;
        let mut search = Search::default();
        for (label, &score) in self.row(&prefixes, last).iter().enumerate() {
            search.add(score, last, label, 0.0, None);
        }
        let mut found = Vec::new();
        while found.len() < n {
            let Some((score, at)) = search.next() else {
                break;
            };
            let Suffix {
                token,
                label,
                score: suffix,
                ..
            } = search.suffixes[at];
            if token == 0 {
                found.push((search.labels(at), score));
                continue;
            }
            let own = self.scores(token)[label] + suffix;
            let steps = transitions.before(label);
            let before = self.row(&prefixes, token - 1);
            for (from, (step, prefix)) in steps.iter().zip(before).enumerate() {
                search.add(prefix + (step + own), token - 1, from, step + own, Some(at));
            }
        }
        if found.is_empty() && n > 0 {
            return Err(Error::NoPath);
        }
        Ok(found)
    }

    /// The score of a labelling.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of labels, [`Error::Label`] for a label that does not exist.
    pub fn score(&self, labels: &[usize], transitions: &Transitions) -> Result<f64> {
        self.check(transitions)?;
        check_len("labels of tokens", self.tokens, labels.len())?;
        if let Some(&label) = labels.iter().find(|label| **label >= self.labels) {
            return Err(Error::Label {
                label: u32::try_from(label).unwrap_or(u32::MAX),
                labels: self.labels,
            });
        }
        let states = labels.iter().enumerate();
        let states: f64 = states
            .map(|(token, &label)| self.scores(token)[label])
            .sum();
        let pairs = labels.windows(2);
        let pairs = pairs.map(|pair| transitions.score(pair[0], pair[1]));
        Ok(states + pairs.sum::<f64>())
    }

    /// Viterbi scores: the best prefix ending in each label at each token.
    fn best_prefixes(&self, transitions: &Transitions) -> Vec<f64> {
        let mut best = self.scores.to_vec();
        for token in 1..self.tokens {
            let (before, row) = best.split_at_mut(token * self.width);
            let before = &before[(token - 1) * self.width..];
            for (to, score) in row[..self.labels].iter_mut().enumerate() {
                let steps = transitions.before(to).iter().zip(before);
                let most = steps.map(|(step, score)| step + score);
                *score += most.fold(f64::NEG_INFINITY, f64::max);
            }
        }
        best
    }
}

/// A partial labelling from a token to the end of the sequence.
#[derive(Clone, Copy, Debug)]
struct Suffix {
    token: usize,
    label: usize,
    /// Its score without the state score of the first label.
    score: f64,
    /// The suffix that begins at the next token.
    rest: Option<usize>,
}

/// Priority queue of partial labellings.
#[derive(Default)]
struct Search {
    suffixes: Vec<Suffix>,
    waiting: BinaryHeap<Waiting>,
}

/// A suffix, ordered by the score of its best completion.
struct Waiting {
    score: f64,
    at: usize,
}

impl Search {
    fn add(&mut self, best: f64, token: usize, label: usize, score: f64, rest: Option<usize>) {
        if best == f64::NEG_INFINITY {
            return;
        }
        let at = self.suffixes.len();
        self.suffixes.push(Suffix {
            token,
            label,
            score,
            rest,
        });
        self.waiting.push(Waiting { score: best, at });
    }

    fn next(&mut self) -> Option<(f64, usize)> {
        self.waiting.pop().map(|found| (found.score, found.at))
    }

    fn labels(&self, mut at: usize) -> Vec<usize> {
        let mut labels = vec![self.suffixes[at].label];
        while let Some(rest) = self.suffixes[at].rest {
            labels.push(self.suffixes[rest].label);
            at = rest;
        }
        labels
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        // Ties go to the suffix pushed first, which has the lower label.
        let scores = self.score.total_cmp(&other.score);
        scores.then(other.at.cmp(&self.at))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}
