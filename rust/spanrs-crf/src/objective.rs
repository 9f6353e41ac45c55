//! The penalised log-likelihood of a corpus, and its gradient.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use spanrs_base::map_in_threads;

use crate::corpus::{Corpus, Target};
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::forward_backward::PairSums;
use crate::lattice::Lattice;
use crate::transitions::Transitions;

/// Number of corpus chunks. Chunk sums are added in a fixed order, so results do not depend on threads.
const PIECES: usize = 32;

/// What is minimised: minus the log-likelihood of the labels given the attributes, plus `c2` times the sum of squared
/// weights. A target that leaves labels open counts by the sum over what it allows, a soft one by its expectation.
///
/// Memory: `tokens * labels` floats, and a transposed copy of the items.
#[derive(Debug)]
pub struct Objective<'a> {
    corpus: &'a Corpus,
    features: &'a Features,
    c2: f64,
    threads: usize,
    pieces: Vec<Range<usize>>,
    /// Expected minus observed label probabilities, row-major (token, label).
    differences: Vec<f64>,
    occurrences: Occurrences,
    transitions: Transitions,
    /// Dense transition weights; 0 for transitions without a feature.
    scores: Vec<f64>,
    work: Vec<Mutex<Work>>,
}

/// Transposed items: the tokens of each attribute.
#[derive(Debug)]
struct Occurrences {
    ends: Vec<usize>,
    token: Vec<u32>,
    value: Vec<f64>,
}

/// Work space of one chunk.
#[derive(Debug, Default)]
struct Work {
    lattice: Lattice,
    constrained: Lattice,
    expected: PairSums,
    /// Observed transition counts, row-major.
    observed: Vec<f64>,
    /// Expected transition counts under the constraints of partial targets.
    allowed: PairSums,
}

impl<'a> Objective<'a> {
    /// Prepares an objective; `threads` does not affect results.
    ///
    /// # Errors
    /// [`Error::Shape`] if the features are of other labels or attributes than the corpus.
    pub fn new(
        corpus: &'a Corpus,
        features: &'a Features,
        c2: f64,
        threads: usize,
    ) -> Result<Self> {
        let labels = corpus.labels();
        check_len("labels of features", labels, features.labels())?;
        check_len(
            "attributes of features",
            corpus.attributes(),
            features.attributes(),
        )?;
        let pieces = pieces(corpus);
        let work = pieces.iter().map(|_| Mutex::new(Work::default()));
        let work = work.collect();
        Ok(Self {
            corpus,
            features,
            c2,
            threads: threads.max(1),
            differences: vec![0.0; corpus.tokens() * labels],
            occurrences: Occurrences::of(corpus),
            transitions: Transitions::zero(labels),
            scores: vec![0.0; labels * labels],
            pieces,
            work,
        })
    }

    /// Returns the objective at `weights` and writes its gradient to `gradient`.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many weights and derivatives as features, [`Error::NotFinite`] and
    /// [`Error::Transition`] if weights or scores overflow or are NaN.
    pub fn evaluate(&mut self, weights: &[f64], gradient: &mut [f64]) -> Result<f64> {
        check_len("weights", self.features.len(), weights.len())?;
        check_len("derivatives", weights.len(), gradient.len())?;
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
            Err(Error::NotFinite)
        }
    }

    /// Negative log-likelihood; fills `differences` and the transition counts.
    fn sequences(&mut self, weights: &[f64]) -> Result<f64> {
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
            .collect::<Result<Vec<_>>>()
        };
        let mut losses = vec![0.0; pieces.len()];
        for found in map_in_threads(0..self.threads.min(pieces.len()), run) {
            for (piece, loss) in found? {
                losses[piece] = loss;
            }
        }
        Ok(losses.iter().sum())
    }

    /// Gradient of the state features, each summed in token order.
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

    /// Negative log-likelihood of a sequence; its rows of `differences` are written to `rows`.
    fn sequence(
        &mut self,
        corpus: &Corpus,
        features: &Features,
        transitions: &Transitions,
        weights: &[f64],
        at: usize,
        rows: &mut [f64],
    ) -> Result<f64> {
        let (labels, weight, tokens) = (corpus.labels(), corpus.weight(at), corpus.sequence(at));
        score_tokens(&mut self.lattice, corpus, features, weights, tokens.clone());
        if self.lattice.scores.iter().any(|score| !score.is_finite()) {
            return Err(Error::NotFinite);
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
                self.lattice.score(&known, transitions)?
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

    /// Expected transition score of soft labels; adds their transition counts.
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

    /// Log partition function over allowed labellings; adds their expected transition counts.
    fn allowed(
        &mut self,
        known: &[bool],
        transitions: &Transitions,
        weight: f64,
        rows: &mut [f64],
    ) -> Result<f64> {
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

/// Fills a lattice with the state scores of some tokens.
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

/// Splits the corpus into ranges of sequences with similar numbers of tokens.
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
        // Start offsets; the loop below advances them to end offsets.
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

    /// Splits the attributes into `n` ranges with similar numbers of occurrences.
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
