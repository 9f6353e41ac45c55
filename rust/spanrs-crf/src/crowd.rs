//! Learning from several annotators: sequential annotator models, and the steps of CRF-MA.
//!
//! # Sequential annotators
//! In BSC-seq (Simpson and Gurevych 2019) an annotator's answer at a token depends on the true
//! label and on the same annotator's answer at the previous token. This models annotators who label
//! spans, not tokens: an annotator who answered `B-PER` is likely to answer `I-PER` next. With `t`
//! the true labels, `c^k` the answers of annotator `k` and `A^k` a table per annotator,
//!
//! ```text
//! p(t, c) = p(t_0) prod_i p(t_i | t_{i-1})  *  prod_k prod_i A^k[t_i, c^k_{i-1}, c^k_i]
//! ```
//!
//! where the answer before the first token is `outside` (the label `O`). Given the answers, the
//! factors of the annotators are scores of the true label of a token, so the hidden truth is a
//! linear chain, and the sum over it is computed exactly by forward-backward. [`Answers`] does this
//! step; the caller alternates it with the update of the tables (variational Bayes:
//! `log_answers = digamma(alpha + counts) - digamma(row sum)`), using the counts from
//! [`Answers::counts`]. A CRF can serve as the prior of the true labels, through
//! [`TruePrior::tokens`] and [`TruePrior::transitions`].
//!
//! Tables are indexed as (annotator, true label, answer before, answer), row-major: entry
//! `((k * L + t) * L + before) * L + answer` for `L` labels. They have `annotators * L^3` entries.
//!
//! # CRF-MA
//! CRF-MA (Rodrigues et al. 2014) instead chooses one annotator to learn from: `z` is the index of
//! this annotator, drawn with the probabilities `pi` (Eq. 4), and `gamma` is its posterior (Eq.
//! 15). [`crate::EmCrf`] implements the steps that involve the CRF:
//!
//! 1. Estimate the truth by majority vote, and `pi` from the annotators' F1 against this truth (Eq.
//!    18).
//! 2. E-step: `gamma_r ∝ pi_r prod_i p_crf(y_i^r | x_i)` from [`crate::EmCrf::log_likelihoods`]
//!    (Eq. 15). Taken literally, the product saturates: after one step `gamma` is 1 for one
//!    annotator and 0 for all others, and if annotators labelled different sentences, the product
//!    favours the annotator who labelled least. Callers therefore also offer the mean
//!    log-likelihood per token, or a posterior per sentence.
//! 3. M-step: [`crate::EmCrf::set_weights`] with `gamma` and [`crate::EmCrf::train`] (Eq. 16).
//!    `gamma` sums to 1, so the weights are scaled to sum to the number of sentences, otherwise the
//!    Gaussian prior would dominate.
//! 4. Decode the new truth by [`crate::EmCrf::best`] (Eq. 17) and compute `pi` from it (Eq. 18).
//!
//! Steps 2 to 4 repeat until the expectation (Eq. 11) converges. All annotators of a sentence share
//! one forward-backward pass.

use spanrs_base::{Clock, Ends, Watch};

use crate::error::{Error, Result, check_len};
use crate::forward_backward::PairSums;
use crate::lattice::Lattice;
use crate::transitions::Transitions;

/// The answers of all annotators for a set of sequences. An annotator need not have labelled all
/// sequences.
///
/// ```
/// use spanrs_crf::{Answers, TruePrior};
/// // One sequence of two tokens; two annotators, who agree on the second token.
/// let mut answers = Answers::new(2, 2, &[2]);
/// answers.add(0, 0, vec![0, 1]).unwrap();
/// answers.add(0, 1, vec![1, 1]).unwrap();
/// // Annotator 0 is right with probability 0.9, annotator 1 with 0.6, regardless of the previous answer.
/// let mut table = Vec::new();
/// for right in [0.9_f64, 0.6] {
///     for truth in 0..2 {
///         let share = |own| if own == truth { right } else { 1.0 - right };
///         table.extend([0, 1, 0, 1].map(|own| share(own).ln()));
///     }
/// }
/// let prior = TruePrior { start: &[0.0; 2], transitions: &[0.0; 4], tokens: &[] };
/// assert_eq!(answers.best(&table, prior, 0, || false).unwrap(), [[0, 1]]);
/// let found = answers.posterior(&table, prior, 0, false, || false).unwrap();
/// assert!((found.labels[0] - 0.36 / (0.36 + 0.06)).abs() < 1e-12);
/// ```
#[derive(Clone, Debug)]
pub struct Answers {
    /// Number of labels; the truth and the answers have the same labels.
    labels: usize,
    /// Number of annotators.
    annotators: usize,
    /// Token range of each sequence, numbered over all sequences.
    sequences: Ends,
    /// (annotator, label of each token) of each sequence, in the order in which they were added.
    answers: Vec<Vec<(u32, Vec<u32>)>>,
}

/// The prior of the true labels: scores that are added to the scores of the answers, as
/// unnormalised logarithms.
#[derive(Clone, Copy, Debug)]
pub struct TruePrior<'a> {
    /// Score of each label as the first of a sequence.
    pub start: &'a [f64],
    /// Scores of transitions, row-major (from label, to label); negative infinity forbids a
    /// transition.
    pub transitions: &'a [f64],
    /// Additional label scores, such as the scores of a CRF, row-major (token, label) over all
    /// sequences; empty if there are none.
    pub tokens: &'a [f64],
}

/// Distribution of the true labels given the answers.
#[derive(Clone, Debug)]
pub struct Posterior {
    /// Marginal probabilities, row-major (token, label) over all sequences; rows sum to 1.
    pub labels: Vec<f64>,
    /// Expected counts of transitions, row-major (from label, to label): one table summed over all
    /// sequences, or the concatenated tables of all sequences.
    pub transitions: Vec<f64>,
    /// The sum of the log partition functions of all sequences. With normalised tables and prior
    /// this is the log-probability of all answers.
    pub log_z: f64,
}

impl Answers {
    /// Creates a collection without answers. `lengths` gives the number of tokens of each sequence,
    /// which may be 0.
    pub fn new(labels: usize, annotators: usize, lengths: &[usize]) -> Self {
        Self {
            labels,
            annotators,
            sequences: Ends::of_lengths(lengths.iter().copied()),
            answers: vec![Vec::new(); lengths.len()],
        }
    }

    /// Adds an annotator's labels of a sequence. If the same annotator's labels of a sequence are
    /// added twice, both count.
    ///
    /// # Errors
    /// [`Error::Shape`] for a sequence or annotator out of range (the message names the smaller
    /// limit) or a different number of tokens, [`Error::Label`] for a label out of range.
    pub fn add(&mut self, sequence: usize, annotator: u32, labels: Vec<u32>) -> Result<()> {
        if sequence >= self.sequences.len() || annotator as usize >= self.annotators {
            return Err(Error::Shape {
                what: "sequences or annotators",
                expected: self.sequences.len().min(self.annotators),
                found: sequence.max(annotator as usize) + 1,
            });
        }
        let tokens = self.sequences.range(sequence).len();
        check_len("token labels", tokens, labels.len())?;
        if let Some(&label) = labels.iter().find(|label| **label as usize >= self.labels) {
            return Err(Error::Label {
                label,
                labels: self.labels,
            });
        }
        self.answers[sequence].push((annotator, labels));
        Ok(())
    }

    /// Number of tokens of all sequences.
    pub fn tokens_len(&self) -> usize {
        self.sequences.total()
    }

    /// Number of entries of the tables of all annotators.
    fn table_len(&self) -> usize {
        self.annotators * self.labels.pow(3)
    }

    /// The distribution of the true labels, by forward-backward in each sequence.
    ///
    /// - `log_answers` has the logarithm of the probability of an answer, or its expectation, as
    ///   (annotator, true label, answer before, answer); see the layout above.
    /// - `outside` is the label that represents the answer before the first token.
    /// - `by_sequence` requests a table of transition counts for each sequence instead of their
    ///   sum.
    ///
    /// Takes `O(answers * labels + tokens * labels^2)` time.
    ///
    /// # Errors
    /// [`Error::Shape`] for tables of a different size, [`Error::Label`] if `outside` is out of
    /// range, [`Error::Transition`] for transition scores that are NaN or positive infinity,
    /// [`Error::NoPath`] if the prior and the answers forbid all labellings of a sequence,
    /// [`Error::NotFinite`] for scores that overflow or are NaN, [`Error::Interrupted`].
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
        for sequence in 0..self.sequences.len() {
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

    /// The best true labels of each sequence (Viterbi), from the tables of [`Answers::posterior`].
    /// Ties are broken as in [`Lattice::best`].
    ///
    /// # Errors
    /// Same as [`Answers::posterior`].
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
        let best = (0..self.sequences.len()).map(|sequence| {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            self.read(sequence, log_answers, prior, outside, &mut lattice);
            Ok(lattice.best(&transitions)?.0)
        });
        best.collect()
    }

    /// Labels of all tokens, drawn from the posterior by forward filtering and backward sampling.
    ///
    /// `uniform` has a number in [0, 1) for each token. The tables and the running time are the
    /// same as for [`Answers::posterior`].
    ///
    /// # Errors
    /// Same as [`Answers::posterior`].
    pub fn draw(
        &self,
        log_answers: &[f64],
        prior: TruePrior,
        outside: usize,
        uniform: &[f64],
        watch: Watch,
    ) -> Result<Vec<u32>> {
        self.transitions(log_answers, prior, outside)?;
        check_len("random numbers", self.tokens_len(), uniform.len())?;
        let steps: Vec<f64> = prior.transitions.iter().map(|score| score.exp()).collect();
        let mut labels = vec![0; self.tokens_len()];
        let (mut lattice, mut filtered) = (Lattice::default(), Vec::new());
        let mut clock = Clock::new(watch);
        for sequence in 0..self.sequences.len() {
            if clock.stops() {
                return Err(Error::Interrupted);
            }
            self.read(sequence, log_answers, prior, outside, &mut lattice);
            filter(&mut lattice, &steps, self.labels, &mut filtered)?;
            let tokens = self.sequences.range(sequence);
            let mut next = None;
            for (token, row) in tokens.zip(filtered.chunks_exact_mut(self.labels)).rev() {
                if let Some(next) = next {
                    let into = row.iter_mut().enumerate();
                    into.for_each(|(label, share)| *share *= steps[label * self.labels + next]);
                }
                let label = pick(row, uniform[token]);
                labels[token] = label as u32;
                next = Some(label);
            }
        }
        Ok(labels)
    }

    /// Checks the sizes of the tables and prepares the transition scores.
    fn transitions(
        &self,
        log_answers: &[f64],
        prior: TruePrior,
        outside: usize,
    ) -> Result<Transitions> {
        check_len("answer scores", self.table_len(), log_answers.len())?;
        check_len("first-label scores", self.labels, prior.start.len())?;
        if !prior.tokens.is_empty() {
            let scores = self.tokens_len() * self.labels;
            check_len("token scores", scores, prior.tokens.len())?;
        }
        self.check_outside(outside)?;
        Transitions::new(self.labels, prior.transitions.to_vec())
    }

    /// Checks that the label before the first token is one of the labels.
    ///
    /// # Errors
    /// [`Error::Label`] otherwise.
    fn check_outside(&self, outside: usize) -> Result<()> {
        match outside < self.labels {
            true => Ok(()),
            false => Err(Error::Label {
                label: u32::try_from(outside).unwrap_or(u32::MAX),
                labels: self.labels,
            }),
        }
    }

    /// Fills the lattice with the label scores of a sequence: the prior plus the scores of all its
    /// answers.
    fn read(
        &self,
        sequence: usize,
        log_answers: &[f64],
        prior: TruePrior,
        outside: usize,
        lattice: &mut Lattice,
    ) {
        let tokens = self.sequences.range(sequence);
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
                let first = self.table_index(*annotator, answers, row, outside);
                for (label, score) in scores.iter_mut().enumerate() {
                    *score += log_answers[first + label * self.labels * self.labels];
                }
            }
        }
    }

    /// Index in the tables of an annotator's answer at a token, for the true label 0. The entries
    /// for the next true labels follow with a stride of `labels^2`.
    fn table_index(&self, annotator: u32, answers: &[u32], token: usize, outside: usize) -> usize {
        let before = token
            .checked_sub(1)
            .map_or(outside, |at| answers[at] as usize);
        let own = answers[token] as usize;
        annotator as usize * self.labels.pow(3) + before * self.labels + own
    }

    /// Expected counts of answers under a distribution of the true labels, as (annotator, true
    /// label, answer before, answer). The update of the tables needs these counts.
    ///
    /// `labels` are marginals, row-major (token, label) over all sequences, such as
    /// [`Posterior::labels`]; rows need not sum to 1.
    ///
    /// # Errors
    /// [`Error::Shape`] for a distribution of a different size, [`Error::Label`] if `outside` is
    /// out of range.
    pub fn counts(&self, labels: &[f64], outside: usize) -> Result<Vec<f64>> {
        check_len(
            "label probabilities",
            self.tokens_len() * self.labels,
            labels.len(),
        )?;
        self.check_outside(outside)?;
        let mut counts = vec![0.0; self.table_len()];
        for (sequence, answers) in self.answers.iter().enumerate() {
            for (annotator, own) in answers {
                for (row, token) in self.sequences.range(sequence).enumerate() {
                    let first = self.table_index(*annotator, own, row, outside);
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

/// Fills `filtered` with the distribution of each token's label given the scores up to this token;
/// `steps` are exponentials of transition scores.
fn filter(
    lattice: &mut Lattice,
    steps: &[f64],
    labels: usize,
    filtered: &mut Vec<f64>,
) -> Result<()> {
    filtered.clear();
    for row in 0..lattice.tokens() {
        let scores = lattice.scores_mut(row);
        let most = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let start = filtered.len();
        for (label, score) in scores.iter().enumerate() {
            let reach = match start.checked_sub(labels) {
                None => 1.0,
                Some(before) => {
                    let shares = filtered[before..start].iter().enumerate();
                    shares
                        .map(|(from, share)| share * steps[from * labels + label])
                        .sum()
                }
            };
            filtered.push(reach * (score - most).exp());
        }
        let sum: f64 = filtered[start..].iter().sum();
        if sum <= 0.0 || !sum.is_finite() {
            return Err(Error::NotFinite);
        }
        filtered[start..].iter_mut().for_each(|share| *share /= sum);
    }
    Ok(())
}

/// The index that a uniform number selects from unnormalised probabilities.
fn pick(shares: &[f64], uniform: f64) -> usize {
    let mut rest = uniform * shares.iter().sum::<f64>();
    let place = shares.iter().position(|share| {
        rest -= share;
        rest < 0.0
    });
    // Rounding may leave a remainder after the last share.
    place.unwrap_or_else(|| shares.iter().rposition(|share| *share > 0.0).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All labellings of a sequence, by enumeration.
    fn labellings(labels: usize, tokens: usize) -> impl Iterator<Item = Vec<usize>> {
        (0..labels.pow(tokens as u32)).map(move |number| {
            let digit = |place| number / labels.pow(place as u32) % labels;
            (0..tokens).map(digit).collect()
        })
    }

    /// Labels, annotators and tokens of the example, and the label before its first token.
    const LABELS: usize = 3;
    const ANNOTATORS: usize = 2;
    const TOKENS: usize = 3;
    const OUTSIDE: usize = 1;
    const GIVEN: [[u32; TOKENS]; ANNOTATORS] = [[0, 2, 1], [1, 1, 2]];

    /// Tables of random scores: answers, first labels, transitions, tokens.
    struct Tables([Vec<f64>; 4]);

    impl Tables {
        fn random(random: &mut spanrs_base::Rng) -> Self {
            let mut number = || random.below(1000) as f64 / 300.0 - 2.0;
            let sizes = [ANNOTATORS * 27, LABELS, LABELS * LABELS, TOKENS * LABELS];
            Self(sizes.map(|size| (0..size).map(|_| number()).collect()))
        }

        fn prior(&self) -> TruePrior<'_> {
            let [_, start, transitions, tokens] = &self.0;
            TruePrior {
                start,
                transitions,
                tokens,
            }
        }

        /// Score of a labelling, computed by definition.
        fn score(&self, labelling: &[usize]) -> f64 {
            let [table, start, steps, tokens] = &self.0;
            let mut sum = start[labelling[0]];
            for (token, &label) in labelling.iter().enumerate() {
                sum += tokens[token * LABELS + label];
                if token > 0 {
                    sum += steps[labelling[token - 1] * LABELS + label];
                }
                for (annotator, given) in GIVEN.iter().enumerate() {
                    let before = match token {
                        0 => OUTSIDE,
                        _ => given[token - 1] as usize,
                    };
                    let row = (annotator * LABELS + label) * LABELS + before;
                    sum += table[row * LABELS + given[token] as usize];
                }
            }
            sum
        }
    }

    /// The answers of the annotators for one sequence; a second sequence is empty.
    fn answers() -> Answers {
        let mut answers = Answers::new(LABELS, ANNOTATORS, &[TOKENS, 0]);
        for (annotator, labels) in (0..).zip(GIVEN) {
            answers.add(0, annotator, labels.to_vec()).unwrap();
        }
        answers
    }

    fn close(a: &[f64], b: &[f64]) -> bool {
        a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn posteriors_are_those_of_enumeration() {
        let mut random = spanrs_base::Rng::new(4);
        let (answers, tables) = (answers(), Tables::random(&mut random));
        let (table, prior) = (&tables.0[0], tables.prior());
        let all = || labellings(LABELS, TOKENS);
        let z: f64 = all().map(|labels| tables.score(&labels).exp()).sum();
        let (mut shares, mut pairs) = (vec![0.0; 9], vec![0.0; 9]);
        for labels in all() {
            let share = tables.score(&labels).exp() / z;
            for (token, label) in labels.iter().enumerate() {
                shares[token * LABELS + label] += share;
            }
            for pair in labels.windows(2) {
                pairs[pair[0] * LABELS + pair[1]] += share;
            }
        }
        let posterior = |each| answers.posterior(table, prior, OUTSIDE, each, || false);
        let (sum, each) = (posterior(false).unwrap(), posterior(true).unwrap());
        assert!(close(&sum.labels, &shares), "{:?} {shares:?}", sum.labels);
        assert!(close(&sum.transitions, &pairs));
        assert_eq!(each.transitions.len(), 18);
        assert!(close(&each.transitions, &sum.transitions));
        assert!((sum.log_z - z.ln()).abs() < 1e-12);
        let best = all().max_by(|a, b| tables.score(a).total_cmp(&tables.score(b)));
        let found = answers.best(table, prior, OUTSIDE, || false).unwrap();
        assert_eq!(found, [best.unwrap(), vec![]]);
        // The frequencies of drawn labellings match the probabilities from enumeration.
        let (mut drawn, draws) = (vec![0.0; 9], 20_000);
        for _ in 0..draws {
            let uniform = (0..TOKENS).map(|_| random.below(1 << 30) as f64 / (1 << 30) as f64);
            let uniform: Vec<f64> = uniform.collect();
            let labels = answers.draw(table, prior, OUTSIDE, &uniform, || false);
            for (token, label) in labels.unwrap().into_iter().enumerate() {
                drawn[token * LABELS + label as usize] += 1.0 / f64::from(draws);
            }
        }
        assert!(drawn.iter().zip(&shares).all(|(a, b)| (a - b).abs() < 0.02));
    }

    #[test]
    fn counts_are_shares_by_answer() {
        let shares = [0.2, 0.3, 0.5, 0.1, 0.1, 0.8, 0.6, 0.4, 0.0];
        let counts = answers().counts(&shares, OUTSIDE).unwrap();
        assert!((counts.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        // Annotator 1 answered label 2 after label 1 once, at the last token.
        let last = (0..LABELS).map(|label| counts[((LABELS + label) * LABELS + 1) * LABELS + 2]);
        assert!(close(&last.collect::<Vec<_>>(), &shares[6..]));
    }

    #[test]
    fn bad_answers_are_errors() {
        let mut answers = Answers::new(2, 1, &[2]);
        assert!(answers.add(1, 0, vec![0, 0]).is_err());
        assert!(answers.add(0, 1, vec![0, 0]).is_err());
        assert!(answers.add(0, 0, vec![0]).is_err());
        assert!(answers.add(0, 0, vec![0, 2]).is_err());
        let (label, labels) = (2, 2);
        let outside = answers.counts(&[0.5; 4], 2);
        assert_eq!(outside, Err(Error::Label { label, labels }));
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
