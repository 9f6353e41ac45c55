//! CRFs that are trained repeatedly on the same sequences with changing targets, as in EM.
//!
//! In CRF-MA (Rodrigues et al. 2014) the sequences are sentences, and each labelling is by one annotator:
//!
//! | step | equation | method |
//! |---|---|---|
//! | `ln p_crf` of each labelling | in 12 to 15 | [`EmCrf::log_likelihoods`] |
//! | responsibilities `gamma` | 15 | computed by the caller, given to [`EmCrf::set_weights`] |
//! | new weights `lambda` | 16 | [`EmCrf::train`], a weighted CRF |
//! | new truth | 17 | [`EmCrf::best`] (Viterbi) |
//! | reliabilities `pi` | 18 | computed by the caller from the new truth |
//!
//! Other models replace labellings by expected counts ([`EmCrf::set_expected`]) and use marginals. The module of
//! [`crate::Answers`] describes both models.

use spanrs_base::{Ends, Jagged, Watch, Workers, even_ranges, limit_threads};

use crate::constraint::Constraint;
use crate::corpus::{Corpus, Counts, Target};
use crate::decoder::Decoder;
use crate::error::{Error, Result, check_len};
use crate::features::{FeatureSelection, Features};
use crate::lbfgs::Iteration;
use crate::objective::Groups;
use crate::objective::packed::Packed;
use crate::sdca::{Data, Dual};
use crate::simd::padded;
use crate::train::{Algorithm, train};

/// What dual coordinate ascent keeps between trainings of an [`EmCrf`]: the dual variables, with 4
/// bytes for each token and label (padded to a multiple of 8 labels) and at most half of that for
/// pairs of labels, and three copies of the weights. The default has none.
#[derive(Debug, Default)]
pub struct EmState(Option<(Dual, Vec<f64>)>);

/// A CRF whose targets change between trainings. Features and the groups of attributes that share parameters are
/// computed once; weights are passed in and out, so that each training can start from the weights of the previous
/// training.
///
/// ```
/// use spanrs_crf::{Algorithm, Corpus, EmCrf, EmState, FeatureSelection, Sdca, Target};
/// let mut corpus = Corpus::new(2, 1);
/// corpus.token([(0, 1.0)]).unwrap();
/// corpus.end_sequence(Target::Labels(vec![0]), 1.0).unwrap();
/// // Two labellings of the only sequence: 0 and 1.
/// let mut crf = EmCrf::new(corpus, &[2], vec![0, 1], FeatureSelection::default()).unwrap();
/// crf.set_weights(&[0.75, 0.25]).unwrap();
/// let mut weights = vec![0.0; crf.features().len()];
/// let algorithm = Algorithm::Sdca(Sdca { c2: 1e-3, ..Sdca::default() });
/// let mut state = EmState::default();
/// crf.train(&algorithm, 1, &mut weights, Some(&mut state), || false).unwrap();
/// let logs = crf.log_likelihoods(&weights, 1, || false).unwrap();
/// assert!((logs[0].exp() - 0.75).abs() < 0.02);
/// ```
#[derive(Debug)]
pub struct EmCrf {
    /// The sequences; all targets are [`Target::Counts`].
    corpus: Corpus,
    /// Features of the labellings, computed once.
    features: Features,
    /// Groups of attributes, for training without L1 penalty.
    groups: Groups,
    /// Features of the groups, and the items in the order of training.
    group_features: Features,
    packed: Packed,
    /// Range of the labellings of each sequence, numbered over all sequences.
    labellings: Ends,
    /// Labels of each sequence, with all labellings concatenated.
    labels: Jagged<u32>,
    /// Whether the target of each sequence was set by [`EmCrf::set_expected`].
    expected: Vec<bool>,
    /// Work space for [`Counts::reweigh`]; all entries are zero between calls.
    sums: Vec<f64>,
}

impl EmCrf {
    /// Replaces the targets of a corpus with several labellings of each sequence.
    ///
    /// `numbers` has the number of labellings of each sequence, which may be 0; `labels` has the
    /// labels of all labellings, by sequence, labelling and token. The weight of each labelling is
    /// 1 at first. Features are selected from the labellings; sequence weights are kept until
    /// [`EmCrf::set_active`].
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers, labels and sequences do not match, [`Error::Label`] for a label out of range,
    /// [`Error::Option`] for tokens with vectors.
    pub fn new(
        mut corpus: Corpus,
        numbers: &[usize],
        labels: Vec<u32>,
        selection: FeatureSelection,
    ) -> Result<Self> {
        check_len("numbers of labellings", corpus.sequences(), numbers.len())?;
        let length =
            |(at, number): (usize, &usize)| number.saturating_mul(corpus.sequence(at).len());
        let ends = Ends::of_lengths(numbers.iter().enumerate().map(length));
        check_len("labels of labellings", ends.total(), labels.len())?;
        let labels = Jagged::new(labels, ends);
        let size = corpus.labels();
        for at in 0..corpus.sequences() {
            let tokens = corpus.sequence(at).len();
            let own = labels.row(at).chunks_exact(tokens.max(1));
            let counts = Counts::of(size, tokens, own.map(|own| (1.0, own)))?;
            corpus.set_target(at, Target::Counts(counts))?;
        }
        if corpus.inputs().dimension() > 0 {
            let message = "labellings of several annotators cannot be learnt from dense rows";
            return Err(Error::Option(message.to_owned()));
        }
        let features = Features::read(&corpus, selection)?;
        let groups = Groups::of(&corpus, &features)?;
        let group_features = groups.features(&features);
        Ok(Self {
            packed: Packed::of(&corpus, &group_features, &groups, padded(size))?,
            groups,
            group_features,
            features,
            labellings: Ends::of_lengths(numbers.iter().copied()),
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

    /// The labellings of a sequence; empty labellings if the sequence has no tokens.
    fn labellings(&self, at: usize) -> impl Iterator<Item = &[u32]> {
        let tokens = self.corpus.sequence(at).len();
        let labels = self.labels.row(at);
        let number = self.labellings.range(at).len();
        (0..number).map(move |own| &labels[own * tokens..(own + 1) * tokens])
    }

    /// Sets the weight of each labelling, by sequence and labelling, and undoes
    /// [`EmCrf::set_expected`].
    ///
    /// # Errors
    /// [`Error::Shape`] for a different number of weights, [`Error::Weight`] for weights that are negative, infinite or
    /// NaN. On error nothing is changed.
    pub fn set_weights(&mut self, weights: &[f64]) -> Result<()> {
        check_len(
            "weights of labellings",
            self.labellings.total(),
            weights.len(),
        )?;
        if let Some(&weight) = weights.iter().find(|w| !(w.is_finite() && **w >= 0.0)) {
            return Err(Error::Weight { weight });
        }
        let labels = self.corpus.labels();
        for at in 0..self.corpus.sequences() {
            let tokens = self.corpus.sequence(at).len();
            let own = self.labels.row(at).chunks_exact(tokens.max(1));
            let weights = &weights[self.labellings.range(at)];
            let weighted = weights.iter().copied().zip(own);
            if std::mem::take(&mut self.expected[at]) {
                let counts = Counts::of(labels, tokens, weighted)?;
                self.corpus.set_target(at, Target::Counts(counts))?;
            } else if let Some(counts) = self.corpus.counts_mut(at) {
                counts.reweigh(labels, weighted, &mut self.sums);
            }
        }
        Ok(())
    }

    /// Replaces the labellings of a sequence in training with expected counts: see [`Counts::expected`].
    ///
    /// # Errors
    /// [`Error::Sequence`] if there is no such sequence, [`Error::Shape`] for arrays of a different length,
    /// [`Error::Distribution`] if a row does not sum to 1.
    pub fn set_expected(&mut self, at: usize, labels: &[f64], transitions: &[f64]) -> Result<()> {
        let counts = Counts::expected(self.corpus.labels(), labels.to_vec(), transitions)?;
        self.corpus.set_target(at, Target::Counts(counts))?;
        self.expected[at] = true;
        Ok(())
    }

    /// [`EmCrf::set_expected`] for several sequences, whose label rows and `labels * labels` transition counts are
    /// concatenated. Extra counts are ignored.
    ///
    /// # Errors
    /// Same as [`EmCrf::set_expected`], with the index of the sequence; earlier sequences have been changed. Also
    /// [`Error::Shape`] if counts are missing; `found` is then the number of remaining counts.
    pub fn set_all_expected(
        &mut self,
        sequences: &[usize],
        mut labels: &[f64],
        mut transitions: &[f64],
    ) -> Result<(), (Error, usize)> {
        let size = self.corpus.labels();
        for &at in sequences {
            let set = self.corpus.check_sequence(at).and_then(|()| {
                let tokens = self.corpus.sequence(at).len();
                let own = take_front("label counts", &mut labels, tokens * size)?;
                let pairs = take_front("transition counts", &mut transitions, size * size)?;
                self.set_expected(at, own, pairs)
            });
            set.map_err(|error| (error, at))?;
        }
        Ok(())
    }

    /// Sets which sequences take part in training: their weights become 1 or 0.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many flags as sequences.
    pub fn set_active(&mut self, active: &[bool]) -> Result<()> {
        check_len("sequence flags", self.corpus.sequences(), active.len())?;
        for (at, active) in active.iter().enumerate() {
            self.corpus.set_weight(at, f64::from(u8::from(*active)))?;
        }
        Ok(())
    }

    /// Trains from `weights`, which are updated in place, and returns the objective at the end (NaN
    /// if there was no iteration). Results do not depend on `threads`.
    ///
    /// With `state`, dual coordinate ascent ends when its estimate of the gap is at most
    /// [`Sdca::tol`](crate::Sdca::tol), which suffices for EM, and continues where the last training
    /// with this state stopped, if `weights` are its result and the sequences are the same. Otherwise,
    /// also with other algorithms or if this does not decrease the objective, training is that of
    /// [`crate::train()`].
    ///
    /// # Errors
    /// Same as [`crate::train()`].
    pub fn train(
        &self,
        algorithm: &Algorithm,
        threads: usize,
        weights: &mut [f64],
        state: Option<&mut EmState>,
        watch: Watch,
    ) -> Result<f64> {
        check_len("weights", self.features.len(), weights.len())?;
        if let (Algorithm::Sdca(options), Some(state)) = (algorithm, state) {
            let data = Data {
                corpus: &self.corpus,
                packed: &self.packed,
                features: &self.group_features,
            };
            let (groups, features) = (&self.groups, &self.features);
            let mut parameters = groups.to_parameters(features, weights, &self.group_features);
            let previous = state.0.take().filter(|(_, result)| result == weights);
            let mut dual = previous.map(|(dual, _)| dual);
            if let Some(loss) = options.m_step(data, &mut dual, &mut parameters, threads, watch)? {
                groups.to_weights(features, &parameters, &self.group_features, weights);
                state.0 = dual.map(|dual| (dual, weights.to_vec()));
                return Ok(loss);
            }
        }
        let mut loss = f64::NAN;
        let after = |state: Iteration, _: &[f64]| {
            loss = state.loss;
            Ok(true)
        };
        let corpus = &self.corpus;
        train(
            corpus,
            &self.features,
            algorithm,
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
    /// [`Error::Shape`] for a different number of weights, [`Error::NotFinite`] for scores that
    /// overflow, [`Error::Interrupted`].
    pub fn log_likelihoods(
        &self,
        weights: &[f64],
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<f64>> {
        let logs = self.each(self.all(), weights, None, threads, watch, |decoder, at| {
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
    /// Same as [`EmCrf::log_likelihoods`], and [`Error::NoPath`] if a constraint forbids all labellings
    /// of a sequence.
    pub fn best(
        &self,
        weights: &[f64],
        constraint: Option<&Constraint>,
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<usize>> {
        let best = self.each(
            self.all(),
            weights,
            constraint,
            threads,
            watch,
            |decoder, _| decoder.best(),
        );
        Ok(best?.concat())
    }

    /// Marginal label probabilities, row-major (token, label) over all sequences.
    ///
    /// # Errors
    /// Same as [`EmCrf::best`].
    pub fn marginals(
        &self,
        weights: &[f64],
        constraint: Option<&Constraint>,
        threads: usize,
        watch: Watch,
    ) -> Result<Vec<f64>> {
        let rows = self.each(
            self.all(),
            weights,
            constraint,
            threads,
            watch,
            |decoder, _| decoder.marginals(),
        );
        Ok(rows?.concat())
    }

    /// Label scores, row-major (token, label) over the given sequences, and transition scores, row-major
    /// (from, to), for inference elsewhere.
    ///
    /// # Errors
    /// Same as [`EmCrf::log_likelihoods`], and [`Error::Sequence`] for a sequence out of range.
    pub fn scores(
        &self,
        weights: &[f64],
        sequences: &[usize],
        threads: usize,
        watch: Watch,
    ) -> Result<(Vec<f64>, Vec<f64>)> {
        for &at in sequences {
            self.corpus.check_sequence(at)?;
        }
        let (number, at) = (sequences.len(), |number| sequences[number]);
        let rows = self.each((number, at), weights, None, threads, watch, |decoder, _| {
            Ok(decoder.scores())
        })?;
        Ok((rows.concat(), self.features.pair_scores(weights)))
    }

    /// All sequences, for [`EmCrf::each`].
    fn all(&self) -> (usize, fn(usize) -> usize) {
        (self.corpus.sequences(), |at| at)
    }

    /// Calls `decode` for some sequences in parallel, with a decoder that has read the sequence; results are in their
    /// order. The sequences are given by their number and a function.
    fn each<T: Send>(
        &self,
        (number, sequence): (usize, impl Fn(usize) -> usize + Sync),
        weights: &[f64],
        constraint: Option<&Constraint>,
        threads: usize,
        watch: Watch,
        decode: impl Fn(&mut Decoder, usize) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let first = Decoder::of(&self.features, weights, constraint)?;
        let ranges = even_ranges(number, limit_threads(threads));
        Workers::watched(watch).flat_map(ranges, |range, worker| {
            let mut decoder = first.clone();
            let mut decoded = Vec::with_capacity(range.len());
            for at in range.map(&sequence) {
                worker.check()?;
                decoder.read(self.corpus.inputs(), at);
                decoded.push(decode(&mut decoder, at)?);
            }
            Ok(decoded)
        })
    }
}

/// Removes and returns the first `len` numbers; `what` is their name in the plural, for the error.
///
/// # Errors
/// [`Error::Shape`] if there are fewer numbers.
fn take_front<'a>(what: &'static str, numbers: &mut &'a [f64], len: usize) -> Result<&'a [f64]> {
    let found = numbers.len();
    let (front, rest) = numbers.split_at_checked(len).ok_or(Error::Shape {
        what,
        expected: len,
        found,
    })?;
    *numbers = rest;
    Ok(front)
}

#[cfg(test)]
mod tests;
