//! CRFs that are trained repeatedly on the same sequences with changing targets, as in EM.
//!
//! In CRF-MA (Rodrigues et al. 2014) the sequences are sentences and the labellings are those of
//! the annotators:
//!
//! | step | equation | method |
//! |---|---|---|
//! | `ln p_crf` of each labelling | in 12 to 15 | [`EmCrf::log_likelihoods`] |
//! | responsibilities `gamma` | 15 | computed by the caller, given to [`EmCrf::set_weights`] |
//! | new weights `lambda` | 16 | [`EmCrf::train`], a weighted CRF |
//! | new truth | 17 | [`EmCrf::best`] (Viterbi) |
//! | reliabilities `pi` | 18 | computed by the caller from the new truth |
//!
//! Other models replace labellings by expected counts ([`EmCrf::set_expected`]) and ask for
//! marginals. The module of [`crate::Answers`] says more about both.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use spanrs_base::{Clock, Watch, map_in_threads};

use crate::corpus::{Corpus, Counts, Target};
use crate::decoder::{Constraint, Decoder};
use crate::error::{Error, Result, check_len};
use crate::features::{FeatureSelection, Features};
use crate::lbfgs::Lbfgs;
use crate::objective::Groups;
use crate::train::train_groups;

/// A CRF whose targets change between trainings. Features and the groups of attributes that share
/// parameters are made once; weights are passed in and out, so that each training can begin with
/// the weights of the last one.
///
/// ```
/// use spanrs_crf::{Corpus, EmCrf, FeatureSelection, Lbfgs, Target};
/// let mut corpus = Corpus::new(2, 1);
/// corpus.token([(0, 1.0)]).unwrap();
/// corpus.end_sequence(Target::Labels(vec![0]), 1.0).unwrap();
/// // Two labellings of the only sequence: 0 and 1.
/// let mut crf = EmCrf::new(corpus, &[2], vec![0, 1], FeatureSelection::default()).unwrap();
/// crf.set_weights(&[0.75, 0.25]).unwrap();
/// let mut weights = vec![0.0; crf.features().len()];
/// crf.train(&Lbfgs::default(), 1e-6, 1, &mut weights, || false).unwrap();
/// let logs = crf.log_likelihoods(&weights, 1, || false).unwrap();
/// assert!((logs[0].exp() - 0.75).abs() < 1e-3);
/// ```
#[derive(Debug)]
pub struct EmCrf {
    /// The sequences; all targets are [`Target::Counts`].
    corpus: Corpus,
    /// Features of the labellings, made once.
    features: Features,
    /// Groups of attributes, for training without L1 penalty.
    groups: Groups,
    /// Number of labellings before each sequence; the last entry is the total.
    first: Vec<usize>,
    /// Labels of all labellings, one labelling after the other.
    labels: Vec<u32>,
    /// Number of entries of `labels` before each sequence; the last entry is the total.
    starts: Vec<usize>,
    /// Whether the target of each sequence was set by [`EmCrf::set_expected`].
    expected: Vec<bool>,
    /// Work space of [`Counts::reweigh`]; zeros between calls.
    sums: Vec<f64>,
}

impl EmCrf {
    /// Replaces the targets of a corpus by several labellings of each sequence.
    ///
    /// `numbers` has the number of labellings of each sequence, which may be 0; `labels` has the
    /// labels of all labellings, by sequence, labelling and token. The weight of each labelling is
    /// 1 at first. Features are selected from the labellings; sequence weights are kept until
    /// [`EmCrf::set_active`].
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers, labels and sequences do not fit together, [`Error::Label`] for
    /// a label out of range.
    pub fn new(
        mut corpus: Corpus,
        numbers: &[usize],
        labels: Vec<u32>,
        selection: FeatureSelection,
    ) -> Result<Self> {
        check_len("numbers of labellings", corpus.sequences(), numbers.len())?;
        let (mut first, mut starts) = (vec![0], vec![0]);
        let (mut labellings, mut start) = (0, 0);
        for (at, number) in numbers.iter().enumerate() {
            labellings += number;
            start += number * corpus.sequence(at).len();
            first.push(labellings);
            starts.push(start);
        }
        check_len("labels of labellings", start, labels.len())?;
        let size = corpus.labels();
        for at in 0..corpus.sequences() {
            let tokens = corpus.sequence(at).len();
            let own = labels[starts[at]..starts[at + 1]].chunks_exact(tokens.max(1));
            let counts = Counts::of(size, tokens, own.map(|own| (1.0, own)))?;
            corpus.set_target(at, Target::Counts(counts))?;
        }
        let features = Features::of(&corpus, selection);
        Ok(Self {
            groups: Groups::of(&corpus, &features),
            features,
            first,
            starts,
            labels,
            expected: vec![false; numbers.len()],
            sums: vec![0.0; size * size],
            corpus,
        })
    }

    /// The sequences with their current targets.
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// The features, in the order of the weights.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The labellings of a sequence; empty ones if it has no tokens.
    fn labellings(&self, at: usize) -> impl Iterator<Item = &[u32]> {
        let tokens = self.corpus.sequence(at).len();
        let labels = &self.labels[self.starts[at]..self.starts[at + 1]];
        let number = self.first[at + 1] - self.first[at];
        (0..number).map(move |own| &labels[own * tokens..(own + 1) * tokens])
    }

    /// Sets the weight of each labelling, by sequence and labelling, and undoes
    /// [`EmCrf::set_expected`].
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of weights, [`Error::Weight`] for weights that are
    /// negative, infinite or NaN; nothing is changed then.
    pub fn set_weights(&mut self, weights: &[f64]) -> Result<()> {
        let labellings = self.first.last().copied().unwrap_or_default();
        check_len("weights of labellings", labellings, weights.len())?;
        if let Some(&weight) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::Weight { weight });
        }
        let labels = self.corpus.labels();
        for at in 0..self.corpus.sequences() {
            let tokens = self.corpus.sequence(at).len();
            let own = self.labels[self.starts[at]..self.starts[at + 1]].chunks_exact(tokens.max(1));
            let weighted = weights[self.first[at]..].iter().copied().zip(own);
            if std::mem::take(&mut self.expected[at]) {
                let counts = Counts::of(labels, tokens, weighted)?;
                self.corpus.set_target(at, Target::Counts(counts))?;
            } else if let Some(counts) = self.corpus.counts_mut(at) {
                counts.reweigh(labels, weighted, &mut self.sums);
            }
        }
        Ok(())
    }

    /// Replaces the labellings of a sequence in training by expected counts: see
    /// [`Counts::expected`].
    ///
    /// # Errors
    /// [`Error::Shape`] for arrays of another length, [`Error::Distribution`] if a row does not sum
    /// to 1.
    ///
    /// # Panics
    /// If there is no such sequence.
    pub fn set_expected(&mut self, at: usize, labels: &[f64], transitions: &[f64]) -> Result<()> {
        let counts = Counts::expected(self.corpus.labels(), labels.to_vec(), transitions)?;
        self.corpus.set_target(at, Target::Counts(counts))?;
        self.expected[at] = true;
        Ok(())
    }

    /// [`EmCrf::set_expected`] for several sequences, whose label rows and `labels * labels`
    /// transition counts are given one after the other. Counts left over are ignored.
    ///
    /// # Errors
    /// As [`EmCrf::set_expected`], and [`Error::Shape`] for a sequence out of range or missing
    /// counts, with the index of the sequence; sequences before it are changed.
    pub fn set_all_expected(
        &mut self,
        sequences: &[usize],
        mut labels: &[f64],
        mut transitions: &[f64],
    ) -> Result<(), (Error, usize)> {
        let size = self.corpus.labels();
        for &at in sequences {
            let shape = |what| {
                let (expected, found) = (at, 0);
                let error = Error::Shape {
                    what,
                    expected,
                    found,
                };
                (error, at)
            };
            if at >= self.corpus.sequences() {
                return Err(shape("sequences"));
            }
            let own = labels.split_at_checked(self.corpus.sequence(at).len() * size);
            let pairs = transitions.split_at_checked(size * size);
            let (Some((own, more)), Some((pairs, others))) = (own, pairs) else {
                return Err(shape("expected counts"));
            };
            (labels, transitions) = (more, others);
            let set = self.set_expected(at, own, pairs);
            set.map_err(|error| (error, at))?;
        }
        Ok(())
    }

    /// Sets which sequences take part in training: their weights become 1 or 0.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many flags as sequences.
    pub fn set_active(&mut self, active: &[bool]) -> Result<()> {
        check_len("flags of sequences", self.corpus.sequences(), active.len())?;
        for (at, active) in active.iter().enumerate() {
            self.corpus.set_weight(at, f64::from(u8::from(*active)))?;
        }
        Ok(())
    }

    /// Trains from `weights`, which are updated in place, and returns the objective at the end (NaN
    /// if there was no iteration). Results do not depend on `threads`.
    ///
    /// # Errors
    /// Those of [`crate::train()`].
    pub fn train(
        &self,
        options: &Lbfgs,
        c2: f64,
        threads: usize,
        weights: &mut [f64],
        watch: Watch,
    ) -> Result<f64> {
        check_len("weights", self.features.len(), weights.len())?;
        let mut loss = f64::NAN;
        let after = |state: crate::lbfgs::Iteration, _: &[f64]| {
            loss = state.loss;
            Ok(true)
        };
        let single;
        let groups = match options.c1 > 0.0 {
            // The L1 penalty of a shared parameter is not the sum of its attributes' penalties.
            true => {
                single = Groups::single(&self.features);
                &single
            }
            false => &self.groups,
        };
        let (corpus, features) = (&self.corpus, &self.features);
        train_groups(
            Cow::Borrowed(corpus),
            features,
            groups,
            options,
            c2,
            threads,
            weights,
            watch,
            after,
        )?;
        Ok(loss)
    }

    /// Log-probability of each labelling, by sequence and labelling. One forward-backward pass
    /// serves all labellings of a sequence.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of weights, [`Error::NotFinite`] for scores that
    /// overflow, [`Error::Interrupted`].
    pub fn log_likelihoods(
        &self,
        weights: &[f64],
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<f64>> {
        let logs = self.each(weights, None, threads, watch, |decoder, at| {
            let mut labels: Vec<usize> = Vec::new();
            let mut own = self.labellings(at).peekable();
            if own.peek().is_none() {
                return Ok(Vec::new());
            }
            let log_z = decoder.log_z()?;
            let logs = own.map(|labelling| {
                labels.clear();
                labels.extend(labelling.iter().map(|&label| label as usize));
                decoder.log_probability(&labels, log_z)
            });
            logs.collect::<Result<Vec<f64>>>()
        });
        Ok(logs?.concat())
    }

    /// The best labels of each token, by sequence and token.
    ///
    /// # Errors
    /// As [`EmCrf::log_likelihoods`], and [`Error::NoPath`] if a constraint forbids all labellings
    /// of a sequence.
    pub fn best(
        &self,
        weights: &[f64],
        constraint: Option<&Constraint>,
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<usize>> {
        let best = self.each(weights, constraint, threads, watch, |decoder, _| {
            decoder.best()
        });
        Ok(best?.concat())
    }

    /// Marginal label probabilities, row-major (token of all sequences, label).
    ///
    /// # Errors
    /// As [`EmCrf::best`].
    pub fn marginals(
        &self,
        weights: &[f64],
        constraint: Option<&Constraint>,
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<f64>> {
        let rows = self.each(weights, constraint, threads, watch, |decoder, _| {
            decoder.marginals()
        });
        Ok(rows?.concat())
    }

    /// Label scores, row-major (token of all sequences, label), and transition scores, row-major
    /// (from, to), for inference elsewhere.
    ///
    /// # Errors
    /// As [`EmCrf::log_likelihoods`].
    pub fn scores(
        &self,
        weights: &[f64],
        threads: usize,
        watch: Watch,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        let rows = self.each(weights, None, threads, watch, |decoder, _| {
            Ok(decoder.scores())
        })?;
        Ok((rows.concat(), self.features.pair_scores(weights)))
    }

    /// Calls `decode` with a decoder that has read the sequence, for each sequence, in threads;
    /// results are in order.
    fn each<T: Send>(
        &self,
        weights: &[f64],
        constraint: Option<&Constraint>,
        threads: usize,
        watch: Watch,
        decode: impl Fn(&mut Decoder, usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let sequences = self.corpus.sequences();
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.clamp(1, most);
        let first = Decoder::of(&self.features, weights, constraint)?;
        let stopped = AtomicBool::new(false);
        let part = |part: usize| -> Result<Vec<T>> {
            let own: Range<usize> = sequences * part / threads..sequences * (part + 1) / threads;
            let mut decoder = first.clone();
            let mut clock = Clock::new(watch);
            let mut decoded = Vec::with_capacity(own.len());
            for at in own {
                // Signals reach the main thread only, which decodes the first part.
                if stopped.load(Ordering::Relaxed) || part == 0 && clock.stops() {
                    stopped.store(true, Ordering::Relaxed);
                    return Err(Error::Interrupted);
                }
                decoder.read(self.corpus.inputs(), at);
                decoded.push(decode(&mut decoder, at)?);
            }
            Ok(decoded)
        };
        let parts = map_in_threads(0..threads, part);
        let parts: Result<Vec<Vec<T>>> = parts.into_iter().collect();
        Ok(parts?.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::{Algorithm, train};

    const LABELS: usize = 3;

    /// Sequences of several lengths, one of them empty, with attributes that depend on the place.
    fn corpus() -> Corpus {
        let mut corpus = Corpus::new(LABELS, 5);
        for (at, tokens) in [3, 0, 1, 2, 3].into_iter().enumerate() {
            for token in 0..tokens {
                let items = [(token as u32, 1.0), ((at + token) as u32 % 5, 0.5)];
                corpus.token(items).unwrap();
            }
            corpus
                .end_sequence(Target::Labels(vec![0; tokens]), 1.0)
                .unwrap();
        }
        corpus
    }

    /// All labellings of each sequence.
    fn all() -> (Vec<usize>, Vec<u32>) {
        let (mut numbers, mut labels) = (Vec::new(), Vec::new());
        for tokens in [3, 0, 1, 2, 3] {
            let number = LABELS.pow(tokens);
            numbers.push(number);
            for at in 0..number {
                labels.extend((0..tokens).map(|place| (at / LABELS.pow(place) % LABELS) as u32));
            }
        }
        (numbers, labels)
    }

    fn weights(crf: &EmCrf) -> Vec<f64> {
        let mut random = spanrs_base::Rng::new(3);
        let number = |_| random.below(1000) as f64 / 500.0 - 1.0;
        (0..crf.features().len()).map(number).collect()
    }

    #[test]
    fn probabilities_of_all_labellings_sum_to_1_and_give_best_and_marginals() {
        let (numbers, labels) = all();
        let crf = EmCrf::new(corpus(), &numbers, labels, FeatureSelection::default()).unwrap();
        let weights = weights(&crf);
        let logs = crf.log_likelihoods(&weights, 1, || false).unwrap();
        assert_eq!(logs, crf.log_likelihoods(&weights, 2, || false).unwrap());
        let best = crf.best(&weights, None, 1, || false).unwrap();
        let marginals = crf.marginals(&weights, None, 1, || false).unwrap();
        let (mut first, mut token) = (0, 0);
        for (at, number) in numbers.iter().enumerate() {
            let own = &logs[first..first + number];
            let sum: f64 = own.iter().map(|log| log.exp()).sum();
            assert!((sum - 1.0).abs() < 1e-12);
            let tokens = crf.corpus().sequence(at).len();
            let labellings: Vec<&[u32]> = crf.labellings(at).collect();
            let most = (0..*number)
                .max_by(|a, b| own[*a].total_cmp(&own[*b]))
                .unwrap();
            let known: Vec<u32> = best[token..token + tokens]
                .iter()
                .map(|l| *l as u32)
                .collect();
            assert_eq!(labellings[most], known);
            for place in 0..tokens {
                let pairs = labellings.iter().zip(own);
                let with_1 = pairs.filter(|(labels, _)| labels[place] == 1);
                let share: f64 = with_1.map(|(_, log)| log.exp()).sum();
                assert!((marginals[(token + place) * LABELS + 1] - share).abs() < 1e-12);
            }
            (first, token) = (first + number, token + tokens);
        }
    }

    #[test]
    fn weights_of_0_and_inactive_sequences_are_left_out() {
        let (numbers, labels) = all();
        let mut crf = EmCrf::new(corpus(), &numbers, labels, FeatureSelection::default()).unwrap();
        let mut given = vec![0.0; numbers.iter().sum()];
        // Only the first labelling of the last sequence counts.
        given[numbers[..4].iter().sum::<usize>()] = 2.0;
        crf.set_weights(&given).unwrap();
        let mut first = vec![0.0; crf.features().len()];
        let loss = crf
            .train(&Lbfgs::default(), 0.1, 1, &mut first, || false)
            .unwrap();
        crf.set_weights(&vec![1.0; given.len()]).unwrap();
        crf.set_expected(4, &[1.0, 0.0, 0.0].repeat(3), &{
            let mut pairs = [0.0; 9];
            pairs[0] = 2.0;
            pairs
        })
        .unwrap();
        crf.set_active(&[false, false, false, false, true]).unwrap();
        let mut half = vec![0.0; crf.features().len()];
        let own = crf
            .train(&Lbfgs::default(), 0.05, 1, &mut half, || false)
            .unwrap();
        // Half the weight with half the penalty.
        assert!((loss - 2.0 * own).abs() < 1e-6);
        assert!(first.iter().zip(&half).all(|(a, b)| (a - b).abs() < 1e-3));
    }

    #[test]
    fn labellings_replace_expected_counts() {
        let (numbers, labels) = all();
        let new = || {
            EmCrf::new(
                corpus(),
                &numbers,
                labels.clone(),
                FeatureSelection::default(),
            )
        };
        let given: Vec<f64> = (0..numbers.iter().sum())
            .map(|at| (at % 5) as f64)
            .collect();
        let (mut fresh, mut used) = (new().unwrap(), new().unwrap());
        used.set_expected(
            0,
            &[1.0, 0.0, 0.0].repeat(3),
            &[2.0, 0., 0., 0., 0., 0., 0., 0., 0.],
        )
        .unwrap();
        let objective = |crf: &mut EmCrf| {
            crf.set_weights(&given).unwrap();
            let mut weights = vec![0.0; crf.features().len()];
            crf.train(&Lbfgs::default(), 0.1, 1, &mut weights, || false)
                .unwrap()
        };
        assert_eq!(objective(&mut fresh), objective(&mut used));
    }

    #[test]
    fn training_is_that_of_the_same_labels() {
        let numbers = [1, 1, 1, 1, 1];
        let labels: Vec<u32> = (0..9).map(|at| at % 3).collect();
        let crf = EmCrf::new(
            corpus(),
            &numbers,
            labels.clone(),
            FeatureSelection::default(),
        )
        .unwrap();
        let mut mine = vec![0.0; crf.features().len()];
        crf.train(&Lbfgs::default(), 0.1, 1, &mut mine, || false)
            .unwrap();
        let mut plain = corpus();
        for at in 0..5 {
            let tokens = plain.sequence(at);
            plain
                .set_target(at, Target::Labels(labels[tokens].to_vec()))
                .unwrap();
        }
        let features = Features::of(&plain, FeatureSelection::default());
        let mut theirs = vec![0.0; features.len()];
        let options = Lbfgs::default();
        let algorithm = Algorithm::Lbfgs { options, c2: 0.1 };
        train(
            &plain,
            &features,
            &algorithm,
            1,
            &mut theirs,
            || false,
            |_, _| Ok(true),
        )
        .unwrap();
        assert!(mine.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-3));
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        let selection = FeatureSelection::default();
        assert!(EmCrf::new(corpus(), &[1], vec![0; 3], selection).is_err());
        assert!(EmCrf::new(corpus(), &[1; 5], vec![0; 8], selection).is_err());
        assert!(EmCrf::new(corpus(), &[1; 5], vec![3; 9], selection).is_err());
        let mut crf = EmCrf::new(corpus(), &[1; 5], vec![0; 9], selection).unwrap();
        assert!(crf.set_weights(&[1.0; 4]).is_err());
        assert!(crf.set_weights(&[-1.0; 5]).is_err());
        assert!(crf.set_active(&[true]).is_err());
        assert!(crf.set_expected(2, &[0.5, 0.0, 0.0], &[0.0; 9]).is_err());
        assert!(crf.log_likelihoods(&[], 1, || false).is_err());
    }

    #[test]
    fn rare_attributes_are_left_out() {
        let selection = FeatureSelection {
            all_states: true,
            min_attribute_frequency: 2.0,
            ..FeatureSelection::default()
        };
        let crf = EmCrf::new(corpus(), &[1; 5], vec![0; 9], selection).unwrap();
        let mut counts = [0.0; 5];
        for token in 0..crf.corpus().tokens() {
            crf.corpus()
                .items(token)
                .for_each(|(attribute, value)| counts[attribute as usize] += value);
        }
        for (attribute, count) in counts.into_iter().enumerate() {
            let labels = if count >= 2.0 { LABELS } else { 0 };
            assert_eq!(crf.features().state(attribute).1.len(), labels);
        }
    }
}
