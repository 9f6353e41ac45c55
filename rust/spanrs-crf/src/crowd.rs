//! Sequences labelled by several annotators whose answers depend on their answer before (Simpson
//! and Gurevych 2019).

use std::ops::Range;

use spanrs_base::{Clock, Watch};

use crate::error::{Error, Result, check_len};
use crate::forward_backward::PairSums;
use crate::lattice::Lattice;
use crate::transitions::Transitions;

/// The answers of all annotators.
#[derive(Clone, Debug)]
pub struct Answers {
    labels: usize,
    annotators: usize,
    /// End of each sequence's tokens.
    ends: Vec<usize>,
    /// (annotator, labels) of each sequence.
    answers: Vec<Vec<(u32, Vec<u32>)>>,
}

/// What is known of the true labels.
#[derive(Clone, Copy, Debug)]
pub struct TruePrior<'a> {
    /// Logarithmic score of each label as the first of a sequence.
    pub start: &'a [f64],
    /// Logarithmic scores of transitions, row-major (from label, to label).
    pub transitions: &'a [f64],
    /// More scores, row-major (token of all sequences, label); empty for none.
    pub tokens: &'a [f64],
}

/// Distribution of the true labels.
#[derive(Clone, Debug)]
pub struct Posterior {
    /// Row-major (token of all sequences, label); rows sum to 1.
    pub labels: Vec<f64>,
    /// Expected counts of transitions, row-major (from label, to label): of all sequences, or one
    /// table for each.
    pub transitions: Vec<f64>,
    /// The sum of the logarithmic partition functions.
    pub log_z: f64,
}

impl Answers {
    /// No answers, to sequences of these lengths.
    pub fn new(labels: usize, annotators: usize, lengths: &[usize]) -> Self {
        let ends = lengths.iter().scan(0, |end, length| {
            *end += length;
            Some(*end)
        });
        Self {
            labels,
            annotators,
            ends: ends.collect(),
            answers: vec![Vec::new(); lengths.len()],
        }
    }

    /// Adds the labels of a sequence by an annotator.
    ///
    /// # Errors
    /// [`Error::Shape`] for a sequence or annotator that does not exist, or another number of
    /// tokens, [`Error::Label`] for a label that does not exist.
    pub fn add(&mut self, sequence: usize, annotator: u32, labels: Vec<u32>) -> Result<()> {
        if sequence >= self.ends.len() || annotator as usize >= self.annotators {
            return Err(Error::Shape {
                what: "sequences or annotators",
                expected: self.ends.len().min(self.annotators),
                found: sequence.max(annotator as usize) + 1,
            });
        }
        check_len(
            "labels of tokens",
            self.tokens(sequence).len(),
            labels.len(),
        )?;
        if let Some(&label) = labels.iter().find(|label| **label as usize >= self.labels) {
            return Err(Error::Label {
                label,
                labels: self.labels,
            });
        }
        self.answers[sequence].push((annotator, labels));
        Ok(())
    }

    /// Tokens of a sequence, counted over all.
    fn tokens(&self, sequence: usize) -> Range<usize> {
        let start = sequence
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        start..self.ends[sequence]
    }

    /// Number of tokens of all sequences.
    pub fn tokens_len(&self) -> usize {
        self.ends.last().copied().unwrap_or_default()
    }

    /// Number of entries of the tables of annotators.
    fn table_len(&self) -> usize {
        self.annotators * self.labels.pow(3)
    }

    /// The distribution of the true labels by forward-backward.
    ///
    /// `log_answers` is the expected logarithm of the probability of an answer, as (annotator, true
    /// label, answer before, answer); before the first token the answer is `outside`. Counts of
    /// transitions are summed over the sequences unless `by_sequence`.
    ///
    /// # Errors
    /// [`Error::Shape`] for tables of another size, [`Error::NotFinite`] for scores that overflow
    /// or are NaN, [`Error::Interrupted`].
    pub fn posterior(
        &self,
        log_answers: &[f64],
        prior: TruePrior,
        outside: usize,
        by_sequence: bool,
        watch: Watch,
    ) -> Result<Posterior> {
        let transitions = self.transitions(log_answers, prior, outside)?;
        let mut posterior = Posterior {
            labels: Vec::with_capacity(self.tokens_len() * self.labels),
            transitions: Vec::new(),
            log_z: 0.0,
        };
        let mut sums = PairSums::new(self.labels);
        let mut lattice = Lattice::default();
        let mut clock = Clock::new(watch);
        for sequence in 0..self.ends.len() {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            self.read(sequence, log_answers, prior, outside, &mut lattice);
            posterior.log_z += lattice.forward_backward(&transitions)?;
            for token in 0..lattice.tokens() {
                posterior.labels.extend(lattice.marginals(token));
            }
            lattice.add_pairs(&transitions, 1.0, &mut sums);
            if by_sequence {
                let counts = sums.expected_counts(&transitions);
                posterior.transitions.extend(counts);
                sums.clear(self.labels);
            }
        }
        if !by_sequence {
            let counts = sums.expected_counts(&transitions);
            posterior.transitions = counts.collect();
        }
        Ok(posterior)
    }

    /// The best true labels of each sequence (Viterbi), with the same tables.
    ///
    /// # Errors
    /// As [`Answers::posterior`].
    pub fn best(
        &self,
        log_answers: &[f64],
        prior: TruePrior,
        outside: usize,
        watch: Watch,
    ) -> Result<Vec<Vec<usize>>> {
        let transitions = self.transitions(log_answers, prior, outside)?;
        let mut lattice = Lattice::default();
        let mut clock = Clock::new(watch);
        let best = (0..self.ends.len()).map(|sequence| {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            self.read(sequence, log_answers, prior, outside, &mut lattice);
            Ok(lattice.best(&transitions)?.0)
        });
        best.collect()
    }

    /// Checks tables.
    fn transitions(
        &self,
        log_answers: &[f64],
        prior: TruePrior,
        outside: usize,
    ) -> Result<Transitions> {
        check_len("answers of annotators", self.table_len(), log_answers.len())?;
        check_len("scores of first labels", self.labels, prior.start.len())?;
        if !prior.tokens.is_empty() {
            let scores = self.tokens_len() * self.labels;
            check_len("scores of tokens", scores, prior.tokens.len())?;
        }
        if outside >= self.labels {
            return Err(Error::Label {
                label: u32::try_from(outside).unwrap_or(u32::MAX),
                labels: self.labels,
            });
        }
        Transitions::new(self.labels, prior.transitions.to_vec())
    }

    /// Sums scores of a sequence.
    fn read(
        &self,
        sequence: usize,
        log_answers: &[f64],
        prior: TruePrior,
        outside: usize,
        lattice: &mut Lattice,
    ) {
        let tokens = self.tokens(sequence);
        lattice.reset(tokens.len(), self.labels);
        if !tokens.is_empty() {
            lattice.scores_mut(0).copy_from_slice(prior.start);
        }
        for (row, token) in tokens.enumerate() {
            let scores = lattice.scores_mut(row);
            if !prior.tokens.is_empty() {
                let own = &prior.tokens[token * self.labels..][..self.labels];
                scores
                    .iter_mut()
                    .zip(own)
                    .for_each(|(score, own)| *score += own);
            }
            for (annotator, answers) in &self.answers[sequence] {
                let first = self.place(*annotator, answers, row, outside);
                for (label, score) in scores.iter_mut().enumerate() {
                    *score += log_answers[first + label * self.labels * self.labels];
                }
            }
        }
    }

    /// The place in a table of an annotator's answer at a token, for the true label 0.
    fn place(&self, annotator: u32, answers: &[u32], token: usize, outside: usize) -> usize {
        let before = token
            .checked_sub(1)
            .map_or(outside, |at| answers[at] as usize);
        let own = answers[token] as usize;
        annotator as usize * self.labels.pow(3) + before * self.labels + own
    }

    /// Expected counts of answers under a distribution of the true labels, row-major (token,
    /// label), as (annotator, true label, answer before, answer).
    ///
    /// # Errors
    /// [`Error::Shape`] for a distribution of another size.
    pub fn counts(&self, labels: &[f64], outside: usize) -> Result<Vec<f64>> {
        check_len(
            "label probabilities",
            self.tokens_len() * self.labels,
            labels.len(),
        )?;
        let mut counts = vec![0.0; self.table_len()];
        for (sequence, answers) in self.answers.iter().enumerate() {
            for (annotator, own) in answers {
                for (row, token) in self.tokens(sequence).enumerate() {
                    let first = self.place(*annotator, own, row, outside);
                    let shares = &labels[token * self.labels..][..self.labels];
                    for (label, share) in shares.iter().enumerate() {
                        counts[first + label * self.labels * self.labels] += share;
                    }
                }
            }
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All labellings of a sequence, by counting.
    fn labellings(labels: usize, tokens: usize) -> impl Iterator<Item = Vec<usize>> {
        (0..labels.pow(tokens as u32)).map(move |number| {
            let digit = |place| number / labels.pow(place as u32) % labels;
            (0..tokens).map(digit).collect()
        })
    }

    #[test]
    fn posteriors_are_those_of_enumeration() {
        let mut random = spanrs_base::Rng::new(4);
        let mut number = || random.below(1000) as f64 / 300.0 - 2.0;
        let (labels, annotators, tokens, outside) = (3, 2, 3, 1);
        let mut answers = Answers::new(labels, annotators, &[tokens, 0]);
        let given: [&[u32]; 2] = [&[0, 2, 1], &[1, 1, 2]];
        for (annotator, own) in (0..).zip(given) {
            answers.add(0, annotator, own.to_vec()).unwrap();
        }
        let table: Vec<f64> = (0..annotators * 27).map(|_| number()).collect();
        let start: Vec<f64> = (0..labels).map(|_| number()).collect();
        let steps: Vec<f64> = (0..labels * labels).map(|_| number()).collect();
        let extra: Vec<f64> = (0..tokens * labels).map(|_| number()).collect();
        let prior = TruePrior {
            start: &start,
            transitions: &steps,
            tokens: &extra,
        };
        let score = |own: &[usize]| {
            let mut sum = start[own[0]];
            for (token, &label) in own.iter().enumerate() {
                sum += extra[token * labels + label];
                if token > 0 {
                    sum += steps[own[token - 1] * labels + label];
                }
                for (annotator, given) in given.iter().enumerate() {
                    let before = if token == 0 {
                        outside
                    } else {
                        given[token - 1] as usize
                    };
                    sum += table[((annotator * labels + label) * labels + before) * labels
                        + given[token] as usize];
                }
            }
            sum
        };
        let z: f64 = labellings(labels, tokens)
            .map(|own| score(&own).exp())
            .sum();
        let (mut shares, mut pairs) = (vec![0.0; 9], vec![0.0; 9]);
        for own in labellings(labels, tokens) {
            let share = score(&own).exp() / z;
            for (token, label) in own.iter().enumerate() {
                shares[token * labels + label] += share;
            }
            for two in own.windows(2) {
                pairs[two[0] * labels + two[1]] += share;
            }
        }
        let found = answers
            .posterior(&table, prior, outside, false, || false)
            .unwrap();
        let each = answers
            .posterior(&table, prior, outside, true, || false)
            .unwrap();
        let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(
            close(&found.labels, &shares),
            "{:?} {shares:?}",
            found.labels
        );
        assert!(close(&found.transitions, &pairs));
        assert_eq!(each.transitions.len(), 18);
        assert!(close(&each.transitions, &found.transitions));
        assert!((found.log_z - z.ln()).abs() < 1e-12);
        let best = labellings(labels, tokens).max_by(|a, b| score(a).total_cmp(&score(b)));
        assert_eq!(
            answers.best(&table, prior, outside, || false).unwrap(),
            [best.unwrap(), vec![]]
        );
        let counts = answers.counts(&shares, outside).unwrap();
        assert!((counts.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        // Annotator 1 answered label 2 after label 1 once, at the last token.
        let own: Vec<f64> = (0..labels)
            .map(|label| counts[((labels + label) * labels + 1) * labels + 2])
            .collect();
        assert!(close(&own, &shares[6..]));
    }

    #[test]
    fn bad_answers_are_errors() {
        let mut answers = Answers::new(2, 1, &[2]);
        assert!(answers.add(1, 0, vec![0, 0]).is_err());
        assert!(answers.add(0, 1, vec![0, 0]).is_err());
        assert!(answers.add(0, 0, vec![0]).is_err());
        assert!(answers.add(0, 0, vec![0, 2]).is_err());
        let prior = TruePrior {
            start: &[0.0; 2],
            transitions: &[0.0; 4],
            tokens: &[],
        };
        assert!(
            answers
                .posterior(&[0.0; 7], prior, 0, false, || false)
                .is_err()
        );
        assert!(
            answers
                .posterior(&[0.0; 8], prior, 2, false, || false)
                .is_err()
        );
        assert!(answers.counts(&[0.0; 3], 0).is_err());
    }
}
