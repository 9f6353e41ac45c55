//! Decoding of one sequence at a time: the model's scores, a constraint, and inference on a
//! lattice.
//!
//! [`Decoder`] owns the buffers and borrows the model, so each thread has a decoder and all threads
//! share the model. Reading a sequence takes time proportional to its number of items; each query
//! afterwards takes `O(tokens * labels^2)`, and no results are cached between calls:
//! [`Decoder::marginals`] after [`Decoder::log_z`] runs forward-backward again. The best labels are
//! searched in 32 bits first (`best_f32`), so label scores in 64 bits are computed only if they are
//! needed.

use std::borrow::Cow;

use crate::aligned::Aligned;
use crate::best_f32::{BestF32, StepsF32};
use crate::constraint::Constraint;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::lattice::Lattice;
use crate::model::Model;
use crate::sequences::Sequences;
use crate::spans::{SpanProbabilities, SpanTable};
use crate::state_scores::{Scratch, StateScores};
use crate::temperature::{LabelledScores, Temperature};
use crate::transitions::Transitions;
use crate::vectors::Vectors;

/// A model with the buffers for labelling one sequence at a time.
///
/// Call [`Decoder::read`], optionally [`Decoder::allow`], then any of the methods that return
/// labels or probabilities, in any order.
///
/// ```
/// # use spanrs_crf::{FeatureSelection, Corpus, Decoder, Features, Model, Sequences, Target};
/// # let mut corpus = Corpus::new(2, 1);
/// # corpus.token([(0, 1.0)]).unwrap();
/// # corpus.end_sequence(Target::Labels(vec![1]), 1.0).unwrap();
/// # let features = Features::of(&corpus, FeatureSelection::default());
/// # let mut labels = spanrs_base::Interner::default();
/// # let mut attributes = spanrs_base::Interner::default();
/// # labels.intern("O");
/// # labels.intern("PER");
/// # attributes.intern("word=Ada");
/// # let model = Model::new(labels, attributes, features, vec![2.0], "{}".into()).unwrap();
/// let mut sequences = Sequences::new(model.attributes().len());
/// sequences.token([(0, 1.0)]).unwrap();
/// sequences.end();
/// let mut decoder = Decoder::new(&model);
/// decoder.read(&sequences, 0);
/// assert_eq!(decoder.best().unwrap(), [1]);
/// let marginals = decoder.marginals().unwrap();
/// assert!((marginals[1] - 1.0 / (1.0 + (-2.0_f64).exp())).abs() < 1e-12);
/// // If only label 0 is allowed, its probability is 1.
/// decoder.allow(&[true, false]).unwrap();
/// assert_eq!(decoder.n_best(2).unwrap(), [(vec![0], 1.0)]);
/// ```
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    /// Features of the model, used to find weights that are not in a dense row.
    features: &'a Features,
    /// All weights, in the order of the features.
    weights: &'a [f64],
    /// State weights arranged for decoding: borrowed from the model, or owned for weights in
    /// training.
    states: Cow<'a, StateScores>,
    /// Weights of the columns of vectors, padded rows (column, label).
    vector_weights: Cow<'a, Aligned<f64>>,
    /// Limits the first and the last label in [`Decoder::read`].
    constraint: Option<&'a Constraint>,
    /// Transition scores; transitions forbidden by a constraint are negative infinity.
    transitions: Cow<'a, Transitions>,
    /// The same in 32 bits.
    steps: Cow<'a, StepsF32>,
    /// Label scores of the current sequence, once they are needed in 64 bits.
    lattice: Lattice,
    /// Whether `lattice` has the scores of the current sequence.
    summed: bool,
    /// The temperature of probabilities, unless it is 1.
    temperature: Option<&'a Temperature>,
    /// The scores divided by the temperature, if there is one. `lattice` keeps the scores of the model, so
    /// that rounding cannot change the best labels.
    tempered: Lattice,
    /// The items of the current sequence.
    scratch: Scratch,
    /// The vectors of its tokens.
    vectors: Vectors,
    /// Work space for decoding in 32 bits.
    best_f32: BestF32,
    /// Whether an attribute value of the current sequence is NaN or infinite.
    non_finite: bool,
}

impl<'a> Decoder<'a> {
    /// A decoder for a model, under the constraint of the model if it has one. Creation is cheap:
    /// nothing is copied, and buffers are allocated when the first sequence is read.
    pub fn new(model: &'a Model) -> Self {
        let (constraint, transitions, steps) = model.decoding();
        Self {
            features: model.features(),
            weights: model.weights(),
            states: Cow::Borrowed(model.states()),
            vector_weights: Cow::Borrowed(model.vectors()),
            constraint,
            transitions: Cow::Borrowed(transitions),
            steps: Cow::Borrowed(steps),
            lattice: Lattice::default(),
            summed: true,
            temperature: model.tempered(),
            tempered: Lattice::default(),
            scratch: Scratch::default(),
            vectors: Vectors::default(),
            best_f32: BestF32::default(),
            non_finite: false,
        }
    }

    /// A decoder for weights that are not in a model yet, as in training and EM. Copies the weights
    /// into decoding order, which takes time proportional to the number of weights.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if there are not as many weights as features, or if the constraint
    /// has a different number of labels; [`crate::Error::Transition`] for a transition weight that
    /// is NaN or positive infinity.
    pub fn of(
        features: &'a Features,
        weights: &'a [f64],
        constraint: Option<&'a Constraint>,
    ) -> Result<Self> {
        check_len("weights", features.len(), weights.len())?;
        let scores = features.pair_scores(weights);
        let transitions = match constraint {
            Some(constraint) => constraint.apply(scores)?,
            None => Transitions::new(features.labels(), scores)?,
        };
        Ok(Self {
            features,
            weights,
            states: Cow::Owned(StateScores::new(features, weights)),
            vector_weights: Cow::Owned(features.padded_vector_weights(weights)),
            constraint,
            steps: Cow::Owned(StepsF32::new(&transitions)),
            transitions: Cow::Owned(transitions),
            lattice: Lattice::default(),
            summed: true,
            temperature: None,
            tempered: Lattice::default(),
            scratch: Scratch::default(),
            vectors: Vectors::default(),
            best_f32: BestF32::default(),
            non_finite: false,
        })
    }

    /// Reads sequence `at`, which becomes the current one. Labels forbidden by [`Decoder::allow`] for an
    /// earlier sequence are allowed again. Scores are computed when they are needed, with one addition
    /// per (item, label) feature.
    ///
    /// # Panics
    /// If there is no such sequence, if an attribute is not in the model, or if the tokens have vectors
    /// of another dimension than the model, or have none although the model needs them.
    pub fn read(&mut self, sequences: &Sequences, at: usize) {
        if self.features.dimension() > 0 {
            self.vectors.truncate(0);
            self.vectors
                .extend_from(sequences.vectors(), sequences.sequence(at));
        }
        self.non_finite = sequences.is_non_finite(at);
        self.states.locate((sequences, at), &mut self.scratch);
        self.summed = false;
    }

    /// Computes the label scores of the current sequence in 64 bits, and forbids the first and last
    /// labels that the constraint does not allow.
    fn sum_scores(&mut self) {
        if std::mem::replace(&mut self.summed, true) {
            return;
        }
        let tokens = self.scratch.tokens();
        self.lattice.reset(tokens, self.features.labels());
        self.states.add(
            (self.features.state_labels(), self.weights),
            &mut self.scratch,
            &mut self.lattice.scores,
        );
        let scores = &mut self.lattice.scores;
        self.vectors
            .add_scores(0..tokens, &self.vector_weights, scores);
        if let (Some(constraint), Some(last)) = (self.constraint, tokens.checked_sub(1)) {
            for (token, allowed) in [(0, &constraint.starts), (last, &constraint.ends)] {
                let row = self.lattice.scores_mut(token);
                for (score, allowed) in row.iter_mut().zip(allowed) {
                    *score = if *allowed { *score } else { f64::NEG_INFINITY };
                }
            }
        }
    }

    /// Forbids labels of the current sequence, such as labels that contradict known ones. `allowed`
    /// has a flag for each token and label, row-major (token, label). Repeated calls forbid more
    /// labels.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if there are not as many flags as tokens times labels.
    pub fn allow(&mut self, allowed: &[bool]) -> Result<()> {
        self.sum_scores();
        let given = allowed.len() / self.features.labels().max(1);
        check_len("known labels of a sequence", self.lattice.tokens(), given)?;
        self.lattice.allow(allowed)
    }

    /// The labels with the largest score; ties are broken as in [`Lattice::best`]. Scores are summed in 32
    /// bits first; if labellings nearly tie, the sequence is decoded again in 64 bits, so the labels are
    /// always those of 64 bits. If values are NaN or infinite, the labels are the same as CRFsuite's
    /// ([`Lattice::best_by_comparison`]).
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden, [`crate::Error::NotFinite`] if
    /// scores are not finite.
    pub fn best(&mut self) -> Result<Vec<usize>> {
        if !self.summed
            && !self.non_finite
            && self.vector_weights.is_empty()
            && let Some(labels) = self.best_f32.run(
                &self.states,
                (self.features.state_labels(), self.weights),
                &mut self.scratch,
                &self.steps,
                self.constraint,
                self.features.labels(),
            )
        {
            return Ok(labels);
        }
        self.sum_scores();
        // Without labels there is no path, even if values are not finite.
        match self.non_finite && self.transitions.labels() > 0 {
            true => Ok(self.lattice.best_by_comparison(&self.transitions)),
            false => Ok(self.lattice.best(&self.transitions)?.0),
        }
    }

    /// The best labels of all sequences. Each sequence is read in turn; afterwards the last
    /// sequence is the current one.
    ///
    /// # Errors
    /// Same as [`Decoder::best`], for the first sequence that fails.
    pub fn best_of_all(&mut self, sequences: &Sequences) -> Result<Vec<Vec<usize>>> {
        let all = (0..sequences.len()).map(|at| {
            self.read(sequences, at);
            self.best()
        });
        all.collect()
    }

    /// The `n` best labellings with their probabilities, best first; fewer if there are fewer
    /// labellings that are not forbidden.
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden, [`crate::Error::NBest`] if `n`
    /// needs too much memory, [`crate::Error::NotFinite`] if scores are not finite.
    pub fn n_best(&mut self, n: usize) -> Result<Vec<(Vec<usize>, f64)>> {
        let (log_z, factor) = (self.log_z()?, self.factor());
        let found = self.lattice.n_best(&self.transitions, n)?.into_iter();
        Ok(found
            .map(|(labels, score)| (labels, (score * factor - log_z).exp()))
            .collect())
    }

    /// The probability of a labelling, 0 if it is forbidden.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] for a different number of tokens, [`crate::Error::Label`] for a
    /// label out of range, [`crate::Error::NoPath`] if all labellings are forbidden,
    /// [`crate::Error::NotFinite`].
    pub fn probability(&mut self, labels: &[usize]) -> Result<f64> {
        let log_z = self.log_z()?;
        Ok(self.log_probability(labels, log_z)?.exp())
    }

    /// The logarithm of the probability of a labelling, given the result of [`Decoder::log_z`] for
    /// the same sequence; negative infinity if it is forbidden. Takes `O(tokens)`: one
    /// forward-backward pass serves many labellings of a sequence.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] for a different number of tokens and [`crate::Error::Label`] for a
    /// label out of range.
    pub fn log_probability(&mut self, labels: &[usize], log_z: f64) -> Result<f64> {
        self.sum_scores();
        Ok(self.lattice.score(labels, &self.transitions)? * self.factor() - log_z)
    }

    /// The scores of the current sequence with its gold labels, for [`crate::fit_temperature`]; None if
    /// the labelling is forbidden. The temperature of the model is ignored.
    ///
    /// # Errors
    /// Same as [`Decoder::log_probability`]; [`crate::Error::NotFinite`] for a score that is NaN or
    /// infinite.
    pub fn labelled_scores(&mut self, labels: &[usize]) -> Result<Option<LabelledScores>> {
        self.sum_scores();
        let score = self.lattice.score(labels, &self.transitions)?;
        match score {
            f64::NEG_INFINITY => Ok(None),
            score if !score.is_finite() => Err(Error::NotFinite),
            _ => Ok(Some(LabelledScores::new(self.scores(), labels.to_vec()))),
        }
    }

    /// The factor of scores in probabilities: the inverse of the temperature.
    fn factor(&self) -> f64 {
        self.temperature.map_or(1.0, Temperature::factor)
    }

    /// The lattice on which forward-backward runs, and its transitions.
    fn summed(&self) -> (&Lattice, &Transitions) {
        match self.temperature {
            None => (&self.lattice, &self.transitions),
            Some(temperature) => (&self.tempered, temperature.transitions()),
        }
    }

    /// Label scores of the current sequence, row-major (token, label), without padding.
    pub(crate) fn scores(&mut self) -> Vec<f64> {
        self.sum_scores();
        let rows = (0..self.lattice.tokens()).flat_map(|token| self.lattice.scores(token));
        rows.copied().collect()
    }

    /// The log partition function: the logarithm of the sum over all labellings of the exponential
    /// of their scores, divided by the temperature of the model. If attribute values are NaN or infinite, returns NaN instead of
    /// [`crate::Error::NotFinite`] and infinity instead of [`crate::Error::NoPath`].
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden, [`crate::Error::NotFinite`] if
    /// scores are not finite.
    pub fn log_z(&mut self) -> Result<f64> {
        self.sum_scores();
        let log_z = match self.temperature {
            None => self.lattice.forward_backward(&self.transitions),
            Some(temperature) => {
                self.tempered
                    .set_scaled(&self.lattice, temperature.factor());
                self.tempered.forward_backward(temperature.transitions())
            }
        };
        match log_z {
            // CRFsuite computes the same in this case.
            Err(Error::NotFinite) if self.non_finite => Ok(f64::NAN),
            Err(Error::NoPath) if self.non_finite => Ok(f64::INFINITY),
            log_z => log_z,
        }
    }

    /// Marginal label probabilities, row-major (token, label). Rows sum to 1 up to rounding; if NaN
    /// or infinite values leave no finite partition function, the marginals are NaN or 0.
    ///
    /// # Errors
    /// Same as [`Decoder::log_z`].
    pub fn marginals(&mut self) -> Result<Vec<f64>> {
        let log_z = self.log_z()?;
        if !log_z.is_finite() {
            let marginal = if log_z.is_nan() { log_z } else { 0.0 };
            return Ok(vec![
                marginal;
                self.lattice.tokens() * self.lattice.labels()
            ]);
        }
        let (lattice, _) = self.summed();
        let rows = (0..lattice.tokens()).flat_map(|token| lattice.marginals(token));
        Ok(rows.collect())
    }

    /// Probabilities of the spans of the current sequence; the table has as many labels as the model.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] for a table with another number of labels, [`crate::Error::NoPath`] if all
    /// labellings are forbidden, [`crate::Error::NotFinite`] if scores are not finite.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Decoder, Features, Sequences, SpanTable};
    /// // O and I-x, without weights: each of the four labellings of two tokens has the probability 1/4.
    /// let (features, _) = Features::listed(2, 1, &[], &[]).unwrap();
    /// let table = SpanTable::new(vec![None, Some(0)], |before, here| {
    ///     let [before, here] = [before, here].map(|label| label == Some(1));
    ///     (here && !before, before && !here)
    /// });
    /// let mut sequences = Sequences::new(1);
    /// (0..2).for_each(|_| sequences.indicators(&[]).unwrap());
    /// sequences.end();
    /// let mut decoder = Decoder::of(&features, &[], None).unwrap();
    /// decoder.read(&sequences, 0);
    /// let found = decoder.span_probabilities(&table).unwrap().above(0.1);
    /// let found: Vec<_> = found.iter().map(|(span, p)| (span.start, span.end, *p)).collect();
    /// assert_eq!(found, [(0, 1, 0.25), (0, 2, 0.25), (1, 2, 0.25)]);
    /// ```
    pub fn span_probabilities<'b>(
        &'b mut self,
        table: &'b SpanTable,
    ) -> Result<SpanProbabilities<'b>> {
        check_len(
            "labels in the table",
            self.features.labels(),
            table.labels(),
        )?;
        if !self.log_z()?.is_finite() {
            return Err(Error::NotFinite);
        }
        let (lattice, transitions) = self.summed();
        Ok(SpanProbabilities::new(table, lattice, transitions))
    }

    /// The label with the largest marginal probability of each token (posterior decoding); of
    /// equally probable labels, the lowest.
    ///
    /// Maximises the expected number of correct tokens, whereas [`Decoder::best`] maximises the
    /// probability that all tokens are correct. The labels are not constrained as a sequence:
    /// transitions between them may be illegal.
    ///
    /// # Errors
    /// Same as [`Decoder::log_z`].
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{Decoder, Features, Sequences};
    /// let states = [(0, 0), (0, 1), (0, 2)];
    /// let (features, _) = Features::listed(3, 1, &states, &[(0, 1), (0, 2), (1, 0)]).unwrap();
    /// // The labelling 0 0 has the probability 0.4; 1 1 and 1 2 have 0.3 each; others almost 0.
    /// let weights = [0.4_f64.ln(), 0.3_f64.ln(), -99.0, -99.0, -99.0, -99.0];
    /// let mut sequences = Sequences::new(1);
    /// sequences.indicators(&[0]).unwrap();
    /// sequences.indicators(&[]).unwrap();
    /// sequences.end();
    /// let mut decoder = Decoder::of(&features, &weights, None).unwrap();
    /// decoder.read(&sequences, 0);
    /// assert_eq!(decoder.best().unwrap(), [0, 0]);
    /// assert_eq!(decoder.posterior().unwrap(), [1, 0], "1 0 is unlikely");
    /// ```
    pub fn posterior(&mut self) -> Result<Vec<usize>> {
        let labels = self.features.labels().max(1);
        let marginals = self.marginals()?;
        let most = |row: &[f64]| {
            let better = |best: usize, at: usize| if row[at] > row[best] { at } else { best };
            (0..row.len()).reduce(better).unwrap_or_default()
        };
        Ok(marginals.chunks_exact(labels).map(most).collect())
    }
}
