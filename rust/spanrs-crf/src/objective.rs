//! The penalised log-likelihood of a corpus, and its gradient.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use spanrs_base::map_in_threads;

use crate::corpus::{Corpus, Target};
use crate::features::Features;
use crate::forward_backward::PairSums;
use crate::lattice::{Lattice, NoPath};
use crate::transitions::{BadScore, Transitions};

/// Pieces of the corpus whose sums are added in order, so that the number of threads changes nothing.
const PIECES: usize = 32;

/// What is minimised: minus the log-likelihood of the labels given the attributes, plus `c2` times the sum of squared
/// weights. A target that leaves labels open counts by the sum over what it allows, a soft one by its expectation.
///
/// Memory: a number for each token and label, and each item twice.
#[derive(Debug)]
pub struct Objective<'a> {
    corpus: &'a Corpus,
    features: &'a Features,
    c2: f64,
    threads: usize,
    pieces: Vec<Range<usize>>,
    /// Expected minus observed labels: token, then label.
    differences: Vec<f64>,
    occurrences: Occurrences,
    transitions: Transitions,
    /// The weights of all pairs of labels; 0 where they have none.
    scores: Vec<f64>,
    work: Vec<Mutex<Work>>,
}

/// Where each attribute occurs.
#[derive(Debug)]
struct Occurrences {
    ends: Vec<usize>,
    token: Vec<u32>,
    value: Vec<f64>,
}

/// Work space of a piece.
#[derive(Debug, Default)]
struct Work {
    lattice: Lattice,
    constrained: Lattice,
    expected: PairSums,
    /// Pairs of labels as they are in the targets, from label, then to label.
    observed: Vec<f64>,
    /// As `expected`, of what partial targets allow.
    allowed: PairSums,
}

/// A weight is not a number, or infinite, or scores grew beyond all numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotFinite;

impl From<BadScore> for NotFinite {
    fn from(_: BadScore) -> Self {
        Self
    }
}

impl From<NoPath> for NotFinite {
    fn from(_: NoPath) -> Self {
        Self
    }
}

impl<'a> Objective<'a> {
    /// Prepares evaluations on so many threads, whose number does not change results.
    pub fn new(corpus: &'a Corpus, features: &'a Features, c2: f64, threads: usize) -> Self {
        let labels = corpus.labels();
        let zero = vec![0.0; labels * labels];
        let pieces = pieces(corpus);
        let work = pieces.iter().map(|_| Mutex::new(Work::default()));
        let work = work.collect();
        // Zeros are no bad scores.
        let transitions = Transitions::new(labels, zero.clone());
        let transitions = transitions.unwrap_or_else(|_| unreachable!());
        Self {
            corpus,
            features,
            c2,
            threads: threads.max(1),
            differences: vec![0.0; corpus.tokens() * labels],
            occurrences: Occurrences::of(corpus),
            transitions,
            scores: zero,
            pieces,
            work,
        }
    }

    /// The objective at these weights; its gradient is written to `gradient`.
    ///
    /// # Errors
    /// [`NotFinite`] where the weights are too large for numbers.
    ///
    /// # Panics
    /// If there are not as many weights as features.
    pub fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> Result<f64, NotFinite> {
        assert_eq!(
            weights.len(),
            self.features.len(),
            "a weight for each feature"
        );
        assert_eq!(gradient.len(), weights.len(), "a place for each derivative");
        let (first_pair, pairs) = self.features.pairs();
        for (&pair, weight) in pairs.iter().zip(&weights[first_pair..]) {
            self.scores[pair as usize] = *weight;
        }
        self.transitions.set(&self.scores)?;
        let loss = self.sequences(weights)?;
        self.states(gradient);
        self.transitions_of_pairs(&mut gradient[first_pair..]);
        let mut squares = 0.0;
        for (derivative, weight) in gradient.iter_mut().zip(weights) {
            *derivative += 2.0 * self.c2 * weight;
            squares += weight * weight;
        }
        let loss = loss + self.c2 * squares;
        if loss.is_finite() {
            Ok(loss)
        } else {
            Err(NotFinite)
        }
    }

    /// Minus the log-likelihood; fills the differences and the sums of pairs.
    fn sequences(&mut self, weights: &[f64]) -> Result<f64, NotFinite> {
        let labels = self.corpus.labels();
        let mut rest = self.differences.as_mut_slice();
        let mut parts = Vec::new();
        for piece in &self.pieces {
            let tokens: usize = piece.clone().map(|at| self.corpus.sequence(at).len()).sum();
            let (own, others) = rest.split_at_mut(tokens * labels);
            parts.push(Mutex::new(own));
            rest = others;
        }
        let (corpus, features, transitions) = (self.corpus, self.features, &self.transitions);
        let (pieces, work) = (&self.pieces, &self.work);
        let run = |thread: usize| {
            let own = (thread..pieces.len()).step_by(self.threads);
            own.map(|piece| {
                let mut differences = parts[piece].lock().unwrap_or_else(PoisonError::into_inner);
                let mut work = work[piece].lock().unwrap_or_else(PoisonError::into_inner);
                work.begin(labels);
                let mut rest = &mut **differences;
                let mut loss = 0.0;
                for at in pieces[piece].clone() {
                    let tokens = corpus.sequence(at).len();
                    let (rows, others) = std::mem::take(&mut rest).split_at_mut(tokens * labels);
                    rest = others;
                    loss += work.sequence(corpus, features, transitions, weights, at, rows)?;
                }
                Ok((piece, loss))
            })
            .collect::<Result<Vec<_>, NotFinite>>()
        };
        let mut losses = vec![0.0; pieces.len()];
        for found in map_in_threads(0..self.threads.min(pieces.len()), run) {
            for (piece, loss) in found? {
                losses[piece] = loss;
            }
        }
        Ok(losses.iter().sum())
    }

    /// The derivatives of the weights of attributes, each summed in the order of the tokens.
    fn states(&self, gradient: &mut [f64]) {
        let ranges = self.occurrences.ranges(self.threads);
        let mut rest = gradient;
        let mut parts = Vec::new();
        let mut start = 0;
        for range in &ranges {
            let end = self.features.state(range.end).0;
            let (own, others) = rest.split_at_mut(end - start);
            parts.push(Mutex::new(own));
            (rest, start) = (others, end);
        }
        let labels = self.corpus.labels();
        map_in_threads(0..ranges.len(), |at| {
            let mut own = parts[at].lock().unwrap_or_else(PoisonError::into_inner);
            own.fill(0.0);
            let mut place = 0;
            for attribute in ranges[at].clone() {
                let (_, known) = self.features.state(attribute);
                let derivatives = &mut own[place..place + known.len()];
                place += known.len();
                for (token, value) in self.occurrences.of_attribute(attribute) {
                    let row = &self.differences[token * labels..][..labels];
                    for (derivative, label) in derivatives.iter_mut().zip(known) {
                        *derivative += value * row[*label as usize];
                    }
                }
            }
        });
    }

    fn transitions_of_pairs(&self, gradient: &mut [f64]) {
        let labels = self.corpus.labels();
        let (mut expected, mut allowed) = (PairSums::new(labels), PairSums::new(labels));
        let mut sums = vec![0.0; labels * labels];
        for work in &self.work {
            let work = work.lock().unwrap_or_else(PoisonError::into_inner);
            expected.add(&work.expected);
            allowed.add(&work.allowed);
            for (sum, observed) in sums.iter_mut().zip(&work.observed) {
                *sum -= observed;
            }
        }
        let expected = expected.probabilities(&self.transitions);
        let both = expected.zip(allowed.probabilities(&self.transitions));
        for (sum, (expected, allowed)) in sums.iter_mut().zip(both) {
            *sum += expected - allowed;
        }
        let (_, pairs) = self.features.pairs();
        for (derivative, &pair) in gradient.iter_mut().zip(pairs) {
            *derivative = sums[pair as usize];
        }
    }
}

impl Work {
    fn begin(&mut self, labels: usize) {
        self.expected = PairSums::new(labels);
        self.allowed = PairSums::new(labels);
        self.observed.clear();
        self.observed.resize(labels * labels, 0.0);
    }

    /// Minus the log-likelihood of a sequence; the differences of its tokens go to `rows`.
    fn sequence(
        &mut self,
        corpus: &Corpus,
        features: &Features,
        transitions: &Transitions,
        weights: &[f64],
        at: usize,
        rows: &mut [f64],
    ) -> Result<f64, NotFinite> {
        let (labels, weight, tokens) = (corpus.labels(), corpus.weight(at), corpus.sequence(at));
        score_tokens(&mut self.lattice, corpus, features, weights, tokens.clone());
        if self.lattice.scores.iter().any(|score| !score.is_finite()) {
            return Err(NotFinite);
        }
        let log_z = self.lattice.forward_backward(transitions)?;
        self.lattice
            .add_pairs(transitions, weight, &mut self.expected);
        for (token, row) in rows.chunks_exact_mut(labels).enumerate() {
            for (difference, marginal) in row.iter_mut().zip(self.lattice.marginals(token)) {
                *difference = weight * marginal;
            }
        }
        let observed = match corpus.target(at) {
            Target::Labels(known) => {
                for (token, &label) in known.iter().enumerate() {
                    rows[token * labels + label as usize] -= weight;
                }
                for pair in known.windows(2) {
                    self.observed[pair[0] as usize * labels + pair[1] as usize] += weight;
                }
                let known: Vec<usize> = known.iter().map(|&label| label as usize).collect();
                self.lattice.score(&known, transitions)
            }
            Target::Soft(known) => {
                for (difference, probability) in rows.iter_mut().zip(known) {
                    *difference -= weight * probability;
                }
                let own = self.lattice.scores.iter().zip(known);
                let own: f64 = own.map(|(score, probability)| score * probability).sum();
                own + self.soft_pairs(known, transitions, weight)
            }
            Target::Partial(known) => self.allowed(known, transitions, weight, rows)?,
        };
        Ok(weight * (log_z - observed))
    }

    /// The expected score of the pairs of labels of independent tokens, which are counted.
    fn soft_pairs(&mut self, known: &[f64], transitions: &Transitions, weight: f64) -> f64 {
        let labels = transitions.labels();
        let mut sum = 0.0;
        let rows: Vec<&[f64]> = known.chunks_exact(labels).collect();
        for pair in rows.windows(2) {
            for (from, p) in pair[0].iter().enumerate().filter(|(_, p)| **p > 0.0) {
                for (to, q) in pair[1].iter().enumerate() {
                    self.observed[from * labels + to] += weight * p * q;
                    sum += p * q * transitions.score(from, to);
                }
            }
        }
        sum
    }

    /// The logarithm of the sum over allowed labellings, whose pairs are counted.
    fn allowed(
        &mut self,
        known: &[bool],
        transitions: &Transitions,
        weight: f64,
        rows: &mut [f64],
    ) -> Result<f64, NotFinite> {
        let labels = transitions.labels();
        let scores = self.constrained.reset(self.lattice.tokens(), labels);
        for ((score, own), allowed) in scores.iter_mut().zip(&self.lattice.scores).zip(known) {
            *score = if *allowed { *own } else { f64::NEG_INFINITY };
        }
        let log_z = self.constrained.forward_backward(transitions)?;
        self.constrained
            .add_pairs(transitions, weight, &mut self.allowed);
        for (token, row) in rows.chunks_exact_mut(labels).enumerate() {
            for (difference, marginal) in row.iter_mut().zip(self.constrained.marginals(token)) {
                *difference -= weight * marginal;
            }
        }
        Ok(log_z)
    }
}

/// Scores the labels of some tokens.
pub(crate) fn score_tokens(
    lattice: &mut Lattice,
    corpus: &Corpus,
    features: &Features,
    weights: &[f64],
    tokens: Range<usize>,
) {
    let labels = corpus.labels();
    let rows = lattice.reset(tokens.len(), labels);
    for (token, row) in tokens.zip(rows.chunks_exact_mut(labels.max(1))) {
        for (attribute, value) in corpus.items(token) {
            let (start, known) = features.state(attribute as usize);
            for (label, weight) in known.iter().zip(&weights[start..]) {
                row[*label as usize] += value * weight;
            }
        }
    }
}

/// Runs of sequences with about as many tokens each.
fn pieces(corpus: &Corpus) -> Vec<Range<usize>> {
    let size = corpus.tokens().div_ceil(PIECES).max(1);
    let mut pieces = Vec::new();
    let (mut start, mut tokens) = (0, 0);
    for at in 0..corpus.sequences() {
        tokens += corpus.sequence(at).len();
        if tokens >= size {
            pieces.push(start..at + 1);
            (start, tokens) = (at + 1, 0);
        }
    }
    if start < corpus.sequences() {
        pieces.push(start..corpus.sequences());
    }
    pieces
}

impl Occurrences {
    fn of(corpus: &Corpus) -> Self {
        let mut ends = vec![0; corpus.attributes()];
        for token in 0..corpus.tokens() {
            for (attribute, _) in corpus.items(token) {
                ends[attribute as usize] += 1;
            }
        }
        let mut sum = 0;
        // First where each begins; filling moves them to the ends.
        for place in &mut ends {
            (*place, sum) = (sum, sum + *place);
        }
        let (mut tokens, mut values) = (vec![0; sum], vec![0.0; sum]);
        for token in 0..corpus.tokens() {
            for (attribute, value) in corpus.items(token) {
                let place = &mut ends[attribute as usize];
                (tokens[*place], values[*place]) = (token as u32, value);
                *place += 1;
            }
        }
        Self {
            ends,
            token: tokens,
            value: values,
        }
    }

    fn of_attribute(&self, attribute: usize) -> impl Iterator<Item = (usize, f64)> {
        let start = if attribute == 0 {
            0
        } else {
            self.ends[attribute - 1]
        };
        let places = start..self.ends[attribute];
        let tokens = self.token[places.clone()]
            .iter()
            .map(|&token| token as usize);
        tokens.zip(self.value[places].iter().copied())
    }

    /// Ranges of attributes with about as many occurrences each.
    fn ranges(&self, n: usize) -> Vec<Range<usize>> {
        let all = self.ends.last().copied().unwrap_or_default();
        let mut ranges = Vec::new();
        let mut start = 0;
        for part in 1..=n {
            let end = match part == n {
                true => self.ends.len(),
                false => self.ends.partition_point(|&end| end < all * part / n),
            };
            ranges.push(start..end.max(start));
            start = end.max(start);
        }
        ranges
    }
}
