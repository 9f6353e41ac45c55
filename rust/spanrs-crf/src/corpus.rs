//! Training sequences: token attributes with targets and weights.
//!
//! [`crate::Features::of`] selects features from a corpus, and [`crate::train()`] learns from it. Each sequence has a
//! [`Target`], which may specify less than a full labelling, and a weight, which multiplies its log-likelihood (or, in
//! online training, its step). The four kinds of target contribute to the objective as follows, with `s(y)` the score
//! of a labelling and `Z` the partition function:
//!
//! | target | negative log-likelihood of the sequence | cost |
//! |---|---|---|
//! | [`Target::Labels`] | `log Z - s(y)` | one forward-backward |
//! | [`Target::Soft`] | `log Z - E_q[s(y)]`, `q` a product of token distributions | one, plus `tokens * labels^2` |
//! | [`Target::Partial`] | `log Z - log sum over allowed y of exp(s(y))` | two |
//! | [`Target::Counts`] | `W log Z - sum_k w_k s(y_k)`, `W = sum_k w_k` | one |
//!
//! The partial form marginalises over the labellings that are allowed (Tsuboi et al. 2008); its objective is not
//! convex. The other forms are linear in the observed counts, so they are convex.

mod blocks;
mod counts;

use std::borrow::Cow;
use std::ops::Range;

use crate::error::{Error, Result, check_len};
use crate::sequences::{MAX_TRAINING_VALUE, Sequences};
use crate::simd::{Real, padded};
use crate::vectors::TokenVectors;

use blocks::Spilling;
use counts::widened;

pub use counts::Counts;

/// The supervision of a sequence.
///
/// Sizes are checked against the sequence when the target enters a [`Corpus`].
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The label of each token.
    Labels(Vec<u32>),
    /// A label distribution per token, row-major (token, label). Tokens are treated as independent: the expected count
    /// of a transition is the product of the two tokens' probabilities. Use [`Counts::expected`] if the distribution of
    /// pairs is known.
    Soft(Vec<f64>),
    /// Whether each label is allowed, row-major (token, label); at least one per token.
    Partial(Vec<bool>),
    /// Several labellings, each with a weight, or expected counts of labels and transitions.
    Counts(Counts),
}

/// Sequences of tokens with attributes, targets and weights.
///
/// The numbers of labels and attributes are fixed when the corpus is created and can be raised
/// later ([`Corpus::grow`]). Tokens belong to the current sequence until [`Corpus::end_sequence`]
/// gives it a target. [`crate::NamedCorpus`] is the variant for input whose labels are not known
/// beforehand.
///
/// ```
/// use spanrs_crf::{Corpus, Target};
/// let mut corpus = Corpus::new(2, 3);
/// corpus.token([(0, 1.0), (2, 0.5)]).unwrap();
/// corpus.token([(1, 1.0)]).unwrap();
/// corpus.end_sequence(Target::Labels(vec![1, 0]), 1.0).unwrap();
/// assert_eq!((corpus.sequences(), corpus.tokens()), (1, 2));
/// assert!(corpus.token([(3, 1.0)]).is_err(), "there are three attributes");
/// ```
#[derive(Clone, Debug)]
pub struct Corpus {
    /// All labels in targets are below this number.
    labels: usize,
    /// The attributes, including the current sequence.
    sequences: Sequences,
    /// Target of each ended sequence, of a size that fits its tokens and `labels`.
    targets: Vec<Target>,
    /// Weight of each ended sequence, finite and at least 0.
    weights: Vec<f64>,
    /// By label, the logarithm of its class weight; empty if all class weights are 1.
    margins: Vec<f64>,
    /// Where items go if there are too many, if anywhere.
    spilling: Option<Spilling>,
}

impl<'a> From<&'a Corpus> for Cow<'a, Corpus> {
    fn from(corpus: &'a Corpus) -> Self {
        Cow::Borrowed(corpus)
    }
}

impl From<Corpus> for Cow<'_, Corpus> {
    fn from(corpus: Corpus) -> Self {
        Cow::Owned(corpus)
    }
}

impl Corpus {
    /// An empty corpus whose labels and attributes are the numbers below `labels` and `attributes`.
    pub fn new(labels: usize, attributes: usize) -> Self {
        Self {
            labels,
            sequences: Sequences::new(attributes).with_limit(Some(MAX_TRAINING_VALUE)),
            targets: Vec::new(),
            weights: Vec::new(),
            margins: Vec::new(),
            spilling: None,
        }
    }

    /// Accepts all values of attributes. A feature whose values sum to NaN or negative infinity is dropped, as in
    /// CRFsuite; if other non-finite values remain, training ends with [`Error::NotFinite`].
    #[must_use]
    pub fn with_any_value(mut self) -> Self {
        self.sequences = self.sequences.with_limit(None);
        self
    }

    /// Raises the numbers of labels and attributes; smaller numbers have no effect. Existing targets give the new
    /// labels probability or count 0, or do not allow them; if the number of labels grows, this takes time proportional
    /// to the size of all targets.
    pub fn grow(&mut self, labels: usize, attributes: usize) {
        self.sequences.grow(attributes);
        if labels <= self.labels {
            return;
        }
        for target in &mut self.targets {
            match target {
                Target::Labels(_) => {}
                Target::Soft(rows) => *rows = widened(rows, self.labels, labels),
                Target::Partial(rows) => *rows = widened(rows, self.labels, labels),
                Target::Counts(counts) => counts.widen(self.labels, labels),
            }
        }
        self.labels = labels;
        if !self.margins.is_empty() {
            self.margins.resize(labels, 0.0);
        }
    }

    /// Appends a token with its (attribute, value) pairs to the current sequence.
    ///
    /// # Errors
    /// [`Error::Attribute`] for an attribute out of range, [`Error::Value`] for a value that is NaN or larger than
    /// [`crate::MAX_TRAINING_VALUE`] in absolute value; the token is not added.
    pub fn token(&mut self, items: impl IntoIterator<Item = (u32, f64)>) -> Result<()> {
        self.sequences.token(items)
    }

    /// Gives each token of the current sequence a vector, before [`Corpus::end_sequence`].
    ///
    /// # Errors
    /// Same as [`Sequences::push_vectors`].
    pub fn push_vectors(&mut self, vectors: TokenVectors) -> Result<()> {
        self.sequences.push_vectors(vectors)
    }

    /// Ends the current sequence and gives it a target and a weight.
    ///
    /// The weight multiplies the sequence's log-likelihood. A sequence with weight 0 still contributes features, but
    /// does not contribute to the objective.
    ///
    /// # Errors
    /// The tokens of the sequence are discarded on every error:
    /// - [`Error::Weight`] for a weight that is negative, infinite or NaN,
    /// - [`Error::Shape`] for a target of a different size, [`Error::Label`] for a label out of range,
    /// - [`Error::Distribution`] for rows of [`Target::Soft`] that do not sum to 1, and rows of [`Target::Counts`] that
    ///   do not sum to the total,
    /// - [`Error::NoLabel`] for a token of [`Target::Partial`] without an allowed label,
    /// - [`Error::Input`] if its tokens have no vectors, but those of earlier sequences have.
    ///
    /// After [`Error::Spill`], a temporary file that cannot be written, the corpus should be discarded.
    pub fn end_sequence(&mut self, target: Target, weight: f64) -> Result<()> {
        let checked = self
            .check(&target, self.sequences.open(), weight)
            .and_then(|()| self.sequences.check_vectors());
        if checked.is_err() {
            self.sequences.discard();
            return checked;
        }
        self.sequences.end();
        self.targets.push(target);
        self.weights.push(weight);
        self.spill_if_large()
    }

    /// Gives each label a class weight: the cost of labelling a token of this label otherwise.
    ///
    /// In training, the score of the certain label of a token is lowered by the logarithm of its class
    /// weight, so that the model must prefer it by this margin (softmax-margin, Gimpel and Smith 2010).
    /// Where the model is nearly right, the loss of a token is multiplied by the weight. A class weight
    /// of 1 changes nothing. Tokens with several possible labels have no margin.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many weights as labels, [`Error::ClassWeight`] for a weight
    /// that is not finite and above 0.
    pub fn set_class_weights(&mut self, weights: &[f64]) -> Result<()> {
        check_len("class weights", self.labels, weights.len())?;
        if let Some(&weight) = weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
            return Err(Error::ClassWeight { weight });
        }
        self.margins = match weights.iter().all(|weight| *weight == 1.0) {
            true => Vec::new(),
            false => weights.iter().map(|weight| weight.ln()).collect(),
        };
        Ok(())
    }

    /// Whether a class weight is not 1.
    pub(crate) fn has_margins(&self) -> bool {
        !self.margins.is_empty()
    }

    /// Lowers the scores of certain labels by their margins; `scores` are padded rows of the tokens of
    /// sequence `at`.
    pub(crate) fn subtract_margins<T: Real>(&self, at: usize, scores: &mut [T]) {
        if self.margins.is_empty() {
            return;
        }
        let mut rows = scores.chunks_exact_mut(padded(self.labels));
        let mut subtract = |label: Option<usize>| {
            if let (Some(row), Some(label)) = (rows.next(), label) {
                row[label] = row[label] - T::of(self.margins[label]);
            }
        };
        match &self.targets[at] {
            Target::Labels(known) => known
                .iter()
                .for_each(|&label| subtract(Some(label as usize))),
            Target::Partial(allowed) => {
                for row in allowed.chunks_exact(self.labels.max(1)) {
                    let first = row.iter().position(|allowed| *allowed);
                    let certain = row.iter().filter(|allowed| **allowed).count() == 1;
                    subtract(first.filter(|_| certain));
                }
            }
            Target::Soft(shares) => {
                for row in shares.chunks_exact(self.labels.max(1)) {
                    subtract(row.iter().position(|share| *share >= 1.0));
                }
            }
            Target::Counts(_) => {}
        }
    }

    /// Replaces the target of an ended sequence; its weight remains.
    ///
    /// # Errors
    /// Same as [`Corpus::end_sequence`], and [`Error::Sequence`] if `at` is not below [`Corpus::sequences`]. On error
    /// nothing is replaced.
    pub fn set_target(&mut self, at: usize, target: Target) -> Result<()> {
        self.check_sequence(at)?;
        self.check(&target, self.sequence(at).len(), self.weights[at])?;
        self.targets[at] = target;
        Ok(())
    }

    /// The counts of a sequence, if its target is [`Target::Counts`]. Changes are not checked.
    pub(crate) fn counts_mut(&mut self, at: usize) -> Option<&mut Counts> {
        match &mut self.targets[at] {
            Target::Counts(counts) => Some(counts),
            _ => None,
        }
    }

    /// Replaces the weight of an ended sequence.
    ///
    /// # Errors
    /// [`Error::Weight`] for a weight that is negative, infinite or NaN, [`Error::Sequence`] if `at`
    /// is not below [`Corpus::sequences`].
    pub fn set_weight(&mut self, at: usize, weight: f64) -> Result<()> {
        self.check_sequence(at)?;
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::Weight { weight });
        }
        self.weights[at] = weight;
        Ok(())
    }

    /// Checks that a sequence has been ended.
    ///
    /// # Errors
    /// [`Error::Sequence`] otherwise.
    pub(crate) fn check_sequence(&self, sequence: usize) -> Result<()> {
        let sequences = self.sequences();
        match sequence < sequences {
            true => Ok(()),
            false => Err(Error::Sequence {
                sequence,
                sequences,
            }),
        }
    }

    /// A copy of the sequences for which `keep` is true, in their order.
    ///
    /// # Panics
    /// If one of them is in a file.
    pub(crate) fn part(&self, keep: impl Fn(usize) -> bool) -> Self {
        let kept = || (0..self.sequences()).filter(|&at| keep(at));
        Self {
            labels: self.labels,
            targets: kept().map(|at| self.targets[at].clone()).collect(),
            weights: kept().map(|at| self.weights[at]).collect(),
            margins: self.margins.clone(),
            spilling: None,
            sequences: self.sequences.part(keep),
        }
    }

    /// Removes the tokens of the current sequence.
    pub fn discard(&mut self) {
        self.sequences.discard();
    }

    /// Number of items of each attribute.
    ///
    /// # Errors
    /// Same as [`Corpus::for_each_block`].
    pub(crate) fn counts(&self) -> Result<Vec<u32>> {
        let mut counts = vec![0; self.attributes()];
        self.for_each_block(|block, _| {
            for token in 0..block.tokens() {
                for (attribute, _) in block.items(token) {
                    counts[attribute as usize] += 1;
                }
            }
            Ok(())
        })?;
        Ok(counts)
    }

    /// Frees the attributes of all tokens, also those in a file; tokens, targets and weights remain.
    pub(crate) fn clear_items(&mut self) {
        match self.spilling.take() {
            Some(spilling) if spilling.is_used() => self.sequences.remove_items(),
            _ => self.sequences.clear_items(),
        }
    }

    /// Checks a target and a weight for a sequence of `tokens` tokens; see [`Corpus::end_sequence`] for the errors.
    /// Probabilities may exceed 1 by 1e-9, and row sums may differ from 1 by 1e-6, to allow for rounding.
    fn check(&self, target: &Target, tokens: usize, weight: f64) -> Result<()> {
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::Weight { weight });
        }
        let labels = self.labels;
        let rows = tokens * labels;
        match target {
            Target::Labels(known) => {
                check_len("token labels", tokens, known.len())?;
                let unknown = known.iter().find(|label| **label as usize >= labels);
                unknown.map_or(Ok(()), |&label| Err(Error::Label { label, labels }))
            }
            Target::Soft(shares) => {
                check_len("label probabilities", rows, shares.len())?;
                let bad = self.rows(shares, tokens).position(|row| {
                    let sum: f64 = row.iter().sum();
                    // The negation also catches NaN.
                    !(row.iter().all(|p| (0.0..=1.0 + 1e-9).contains(p))
                        && (sum - 1.0).abs() <= 1e-6)
                });
                bad.map_or(Ok(()), |token| Err(Error::Distribution { token }))
            }
            Target::Partial(allowed) => {
                check_len("label flags", rows, allowed.len())?;
                let bad = self
                    .rows(allowed, tokens)
                    .position(|row| !row.contains(&true));
                bad.map_or(Ok(()), |token| Err(Error::NoLabel { token }))
            }
            Target::Counts(counts) => counts.check(tokens, labels),
        }
    }

    /// The row of each token of a (token, label) table; rows are empty if there are no labels.
    fn rows<'a, T>(&self, values: &'a [T], tokens: usize) -> impl Iterator<Item = &'a [T]> {
        let labels = self.labels;
        (0..tokens).map(move |token| &values[token * labels..][..labels])
    }

    /// The attributes of all tokens, in the form that decoding reads, except those in a file
    /// ([`Corpus::spilled_above`]).
    pub fn inputs(&self) -> &Sequences {
        &self.sequences
    }

    /// Number of labels; every label is below this number.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Number of attributes; every attribute is below this number.
    pub fn attributes(&self) -> usize {
        self.sequences.attributes()
    }

    /// Number of ended sequences.
    pub fn sequences(&self) -> usize {
        self.sequences.len()
    }

    /// Number of tokens, including the current sequence.
    pub fn tokens(&self) -> usize {
        self.sequences.tokens()
    }

    /// Token indices of a sequence, counted over the whole corpus; the end is exclusive.
    pub fn sequence(&self, at: usize) -> Range<usize> {
        self.sequences.sequence(at)
    }

    /// The (attribute, value) pairs of a token, which is numbered over the whole corpus.
    ///
    /// # Panics
    /// If they are in a file ([`Corpus::spilled_above`]).
    pub fn items(&self, token: usize) -> impl Iterator<Item = (u32, f64)> {
        self.sequences.items(token)
    }

    /// The supervision of an ended sequence.
    pub fn target(&self, at: usize) -> &Target {
        &self.targets[at]
    }

    /// The weight of an ended sequence.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at]
    }

    /// The factor of the sequence's log partition function in the objective: its weight, times the
    /// sum of the weights of its labellings if the target is [`Target::Counts`]. The objective
    /// skips sequences with the factor 0.
    pub(crate) fn total_weight(&self, at: usize) -> f64 {
        match &self.targets[at] {
            Target::Counts(counts) => self.weights[at] * counts.total(),
            _ => self.weights[at],
        }
    }
}
