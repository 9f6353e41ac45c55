//! Labellings with the largest scores.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use crate::lattice::{Lattice, NoPath};
use crate::transitions::Transitions;

impl Lattice {
    /// The labelling with the largest score, and its score (Viterbi 1967). Of equal ones it is the one whose last label
    /// is lowest, then the one before it, and so on.
    ///
    /// # Errors
    /// [`NoPath`] where all are forbidden.
    pub fn best(&self, transitions: &Transitions) -> Result<(Vec<usize>, f64), NoPath> {
        let mut found = self.n_best(transitions, 1)?;
        found.pop().ok_or(NoPath)
    }

    /// The `n` labellings with the largest scores, best first, with their scores; fewer where there are no more. Ties
    /// are in the order of [`Lattice::best`].
    ///
    /// Forward scores are an exact estimate for a search from the end (Soong and Huang 1991), which looks at
    /// `n` times `tokens` nodes.
    ///
    /// # Errors
    /// [`NoPath`] where all are forbidden.
    pub fn n_best(
        &self,
        transitions: &Transitions,
        n: usize,
    ) -> Result<Vec<(Vec<usize>, f64)>, NoPath> {
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
            return Err(NoPath);
        }
        Ok(found)
    }

    /// The score of a labelling.
    ///
    /// # Panics
    /// If there are not as many labels as tokens, or there is no such label.
    pub fn score(&self, labels: &[usize], transitions: &Transitions) -> f64 {
        assert_eq!(labels.len(), self.tokens, "a label for each token");
        let own = labels.iter().enumerate();
        let own: f64 = own.map(|(token, &label)| self.scores(token)[label]).sum();
        let pairs = labels.windows(2);
        own + pairs
            .map(|pair| transitions.score(pair[0], pair[1]))
            .sum::<f64>()
    }

    /// Of each token and label the score of the best labelling up to there.
    fn best_prefixes(&self, transitions: &Transitions) -> Vec<f64> {
        let mut best = self.scores.clone();
        for token in 1..self.tokens {
            let (before, row) = best.split_at_mut(token * self.labels);
            let before = &before[(token - 1) * self.labels..];
            for (to, score) in row[..self.labels].iter_mut().enumerate() {
                let steps = transitions.before(to).iter().zip(before);
                let most = steps.map(|(step, score)| step + score);
                *score += most.fold(f64::NEG_INFINITY, f64::max);
            }
        }
        best
    }
}

/// Labels from a token to the end of the sequence.
#[derive(Clone, Copy, Debug)]
struct Suffix {
    token: usize,
    label: usize,
    /// Of everything after the first label's own score.
    score: f64,
    /// The suffix that begins at the next token.
    rest: Option<usize>,
}

/// Suffixes, those first that the best labellings have.
#[derive(Default)]
struct Search {
    suffixes: Vec<Suffix>,
    waiting: BinaryHeap<Waiting>,
}

/// A suffix by the score of the best labelling that ends with it.
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
        // Of equal scores the suffix that was found first: it has the lower label.
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
