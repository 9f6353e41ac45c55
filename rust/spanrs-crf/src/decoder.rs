//! Labels of sequences by a model.

use std::borrow::Cow;

use crate::error::{Result, check_len};
use crate::features::Features;
use crate::lattice::Lattice;
use crate::model::Model;
use crate::sequences::Sequences;
use crate::state_scores::{Scratch, StateScores};
use crate::transitions::Transitions;

/// Which labels may begin a sequence, follow each other and end one. Decoding under a constraint gives legal output only.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    starts: Vec<bool>,
    pairs: Vec<bool>,
    ends: Vec<bool>,
}

impl Constraint {
    /// A constraint from flags; `pairs` is row-major (from label, to label).
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if the lengths do not fit together.
    pub fn new(starts: Vec<bool>, pairs: Vec<bool>, ends: Vec<bool>) -> Result<Self> {
        check_len("flags of last labels", starts.len(), ends.len())?;
        check_len(
            "flags of transitions",
            starts.len() * ends.len(),
            pairs.len(),
        )?;
        Ok(Self {
            starts,
            pairs,
            ends,
        })
    }

    /// A constraint from a table of flags with a row and a column more than there are labels: the last row is the start
    /// of a sequence, the last column its end.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if the table is of another size.
    pub fn of_table(labels: usize, flags: &[bool]) -> Result<Self> {
        let size = (labels + 1) * (labels + 1);
        check_len("flags of transitions", size, flags.len())?;
        let (rows, starts) = flags.split_at(labels * (labels + 1));
        let rows = rows.chunks_exact(labels + 1);
        let pairs = rows.clone().flat_map(|row| &row[..labels]).copied();
        let ends = rows.map(|row| row[labels]).collect();
        Self::new(starts[..labels].to_vec(), pairs.collect(), ends)
    }

    /// Transitions with these scores, row-major (from label, to label), of which only the allowed ones are possible.
    ///
    /// # Errors
    /// As [`Transitions::new`].
    pub(crate) fn apply(&self, mut scores: Vec<f64>) -> Result<Transitions> {
        check_len(
            "transition scores under a constraint",
            self.pairs.len(),
            scores.len(),
        )?;
        for (score, allowed) in scores.iter_mut().zip(&self.pairs) {
            *score = if *allowed { *score } else { f64::NEG_INFINITY };
        }
        Transitions::new(self.starts.len(), scores)
    }
}

/// A model with the buffers to label one sequence after the other.
///
/// ```
/// # use spanrs_crf::{FeatureSelection, Corpus, Decoder, Features, Model, Sequences, Target};
/// # let mut corpus = Corpus::new(2, 1);
/// # corpus.token([(0, 1.0)]).unwrap();
/// # corpus.end_sequence(Target::Labels(vec![1]), 1.0).unwrap();
/// # let features = Features::of(&corpus, FeatureSelection::default());
/// # let (mut labels, mut attributes) = (spanrs_base::Interner::default(), spanrs_base::Interner::default());
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
/// ```
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    features: &'a Features,
    weights: &'a [f64],
    states: Cow<'a, StateScores>,
    constraint: Option<&'a Constraint>,
    /// Transitions under the constraint.
    transitions: Cow<'a, Transitions>,
    lattice: Lattice,
    scratch: Scratch,
}

impl<'a> Decoder<'a> {
    /// A decoder, under the constraint of the model if it has one.
    pub fn new(model: &'a Model) -> Self {
        let (constraint, transitions) = model.decoding();
        Self {
            features: model.features(),
            weights: model.weights(),
            states: Cow::Borrowed(model.states()),
            constraint,
            transitions: Cow::Borrowed(transitions),
            lattice: Lattice::default(),
            scratch: Scratch::default(),
        }
    }

    /// A decoder for weights in training.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if the constraint is of another number of labels, or if there are not as many weights as
    /// features.
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
            constraint,
            transitions: Cow::Owned(transitions),
            lattice: Lattice::default(),
            scratch: Scratch::default(),
        })
    }

    /// Reads a sequence.
    pub fn read(&mut self, sequences: &Sequences, at: usize) {
        let tokens = sequences.sequence(at);
        self.lattice.reset(tokens.len(), self.features.labels());
        self.states.read(
            (self.features, self.weights),
            (sequences, at),
            &mut self.scratch,
            &mut self.lattice,
        );
        let last = self.lattice.tokens().checked_sub(1);
        if let (Some(constraint), Some(last)) = (self.constraint, last) {
            for (token, allowed) in [(0, &constraint.starts), (last, &constraint.ends)] {
                let row = self.lattice.scores_mut(token);
                for (score, allowed) in row.iter_mut().zip(allowed) {
                    *score = if *allowed { *score } else { f64::NEG_INFINITY };
                }
            }
        }
    }

    /// Forbids labels of the sequence that was read, by a flag for each, row-major (token, label).
    ///
    /// # Errors
    /// [`crate::Error::Shape`] if there are not as many flags as tokens times labels.
    pub fn allow(&mut self, allowed: &[bool]) -> Result<()> {
        let given = allowed.len() / self.features.labels().max(1);
        check_len("known labels of a sequence", self.lattice.tokens(), given)?;
        self.lattice.allow(allowed)
    }

    /// The labels with the largest score; ties as in [`Lattice::best`].
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden.
    pub fn best(&self) -> Result<Vec<usize>> {
        Ok(self.lattice.best(&self.transitions)?.0)
    }

    /// The best labels of all sequences, each of which is read.
    ///
    /// # Errors
    /// As [`Decoder::best`].
    pub fn best_of_all(&mut self, sequences: &Sequences) -> Result<Vec<Vec<usize>>> {
        let all = (0..sequences.len()).map(|at| {
            self.read(sequences, at);
            self.best()
        });
        all.collect()
    }

    /// The `n` best labellings with their probabilities.
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden.
    pub fn n_best(&mut self, n: usize) -> Result<Vec<(Vec<usize>, f64)>> {
        let log_z = self.log_z()?;
        let found = self.lattice.n_best(&self.transitions, n)?.into_iter();
        Ok(found
            .map(|(labels, score)| (labels, (score - log_z).exp()))
            .collect())
    }

    /// The probability of a labelling.
    ///
    /// # Errors
    /// [`crate::Error::Shape`], [`crate::Error::Label`], and [`crate::Error::NoPath`] if all labellings are forbidden.
    pub fn probability(&mut self, labels: &[usize]) -> Result<f64> {
        let log_z = self.log_z()?;
        Ok((self.lattice.score(labels, &self.transitions)? - log_z).exp())
    }

    /// The logarithm of the probability of a labelling, given [`Decoder::log_z`]; negative infinity if it is forbidden.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] and [`crate::Error::Label`].
    pub fn log_probability(&self, labels: &[usize], log_z: f64) -> Result<f64> {
        Ok(self.lattice.score(labels, &self.transitions)? - log_z)
    }

    /// Scores of labels, row-major (token, label).
    pub(crate) fn scores(&self) -> Vec<f64> {
        let rows = (0..self.lattice.tokens()).flat_map(|token| self.lattice.scores(token));
        rows.copied().collect()
    }

    /// The logarithm of the sum over all labellings.
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden.
    pub fn log_z(&mut self) -> Result<f64> {
        self.lattice.forward_backward(&self.transitions)
    }

    /// Marginal label probabilities, row-major (token, label).
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden.
    pub fn marginals(&mut self) -> Result<Vec<f64>> {
        self.log_z()?;
        let rows = (0..self.lattice.tokens()).flat_map(|token| self.lattice.marginals(token));
        Ok(rows.collect())
    }

    /// The label of largest marginal probability of each token (posterior decoding), the lowest of equal ones. Not
    /// constrained as a sequence: transitions between the labels may be illegal.
    ///
    /// # Errors
    /// [`crate::Error::NoPath`] if all labellings are forbidden.
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
