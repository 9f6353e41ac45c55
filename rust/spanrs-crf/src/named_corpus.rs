//! Corpora whose labels and attributes are numbered while they are read.
//!
//! Files refer to labels and attributes by name, and the set of labels is known only at the end of
//! the input. Targets with one label per token do not depend on the number of labels and are added
//! to the [`Corpus`] at once. All other targets have a row of `labels` entries per token, so they
//! are kept as [`TokenTarget`]s, with a placeholder in the corpus, until [`NamedCorpus::close`].

use std::path::Path;

use spanrs_base::{Interner, Watch};

use crate::corpus::{Corpus, Target};
use crate::error::{Error, MAX_LABELS, Result};
use crate::named_features::NamedFeatures;
use crate::vectors::TokenVectors;

/// Supervision of one token. A sequence may mix the kinds; [`NamedCorpus::close`] merges them into
/// one [`Target`].
#[derive(Clone, Debug, PartialEq)]
pub enum TokenTarget {
    /// One known label.
    Label(u32),
    /// Unknown: all labels are allowed, including labels first seen in later sequences.
    Open,
    /// One of several labels; it is not known which. Each label is listed once.
    Allowed(Vec<u32>),
    /// A distribution, as (label, probability) pairs; labels that are not listed have probability
    /// 0.
    Shares(Vec<(u32, f64)>),
}

impl TokenTarget {
    /// Checks a distribution over labels and makes a target. `token` is the index of the token in
    /// its sequence, for the error.
    ///
    /// # Errors
    /// [`Error::Distribution`] if a probability is not between 0 and 1, or if the probabilities do
    /// not sum to 1 (tolerance 1e-6).
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::TokenTarget;
    /// assert!(TokenTarget::shares(vec![(0, 0.75), (2, 0.25)], 0).is_ok());
    /// assert!(TokenTarget::shares(vec![(0, 0.75)], 0).is_err());
    /// ```
    pub fn shares(shares: Vec<(u32, f64)>, token: usize) -> Result<Self> {
        let sum: f64 = shares.iter().map(|(_, share)| share).sum();
        let in_range = shares
            .iter()
            .all(|(_, share)| (0.0..=1.0 + 1e-9).contains(share));
        // NaN fails the comparison.
        match in_range && (sum - 1.0).abs() <= 1e-6 {
            true => Ok(Self::Shares(shares)),
            false => Err(Error::Distribution { token }),
        }
    }
}

/// A corpus under construction, with the names of its labels and attributes.
///
/// Intern the names of a sequence in [`NamedCorpus::labels`] and [`NamedCorpus::attributes`], then
/// [`NamedCorpus::push`] the sequence with the resulting numbers, or [`NamedCorpus::push_features`]
/// to have the attributes interned; at the end call [`NamedCorpus::close`], then
/// [`NamedCorpus::into_parts`]. Numbers follow the order of first
/// appearance, so equal input gives equal models.
///
/// ```
/// use spanrs_crf::{NamedCorpus, Target, TokenTarget};
/// let mut corpus = NamedCorpus::default();
/// let per = corpus.labels.intern("PER");
/// let ada = corpus.attributes.intern("w=Ada");
/// corpus.push(vec![vec![(ada, 1.0)]], vec![TokenTarget::Open], 1.0).unwrap();
/// corpus.labels.intern("O");
/// corpus.push(vec![vec![]], vec![TokenTarget::Label(per)], 1.0).unwrap();
/// corpus.close().unwrap();
/// let (corpus, labels, _) = corpus.into_parts();
/// assert_eq!(labels.len(), 2);
/// assert_eq!(corpus.target(0), &Target::Partial(vec![true, true]));
/// ```
#[derive(Clone, Debug)]
pub struct NamedCorpus {
    /// Names of the labels, by number.
    pub labels: Interner<str>,
    /// Names of the attributes, by number.
    pub attributes: Interner<str>,
    /// The sequences added so far. The corpus has at least one label, so that label 0 can be a
    /// placeholder.
    corpus: Corpus,
    /// (sequence, targets) of the sequences with a target other than one label for each token;
    /// their labels in `corpus` are placeholders.
    open: Vec<(usize, Vec<TokenTarget>)>,
}

impl Default for NamedCorpus {
    fn default() -> Self {
        Self {
            labels: Interner::default(),
            attributes: Interner::default(),
            corpus: Corpus::new(1, 0),
            open: Vec::new(),
        }
    }
}

impl NamedCorpus {
    /// An empty corpus that accepts all values; see [`Corpus::with_any_value`].
    pub fn of_any_value() -> Self {
        Self {
            corpus: Corpus::new(1, 0).with_any_value(),
            ..Self::default()
        }
    }

    /// Moves features to a temporary file if there are too many; see [`Corpus::spilled_above`]. Names remain in
    /// memory.
    #[must_use]
    pub fn spilled_above(mut self, bytes: usize, directory: &Path, watch: Watch) -> Self {
        self.corpus = self.corpus.spilled_above(bytes, directory, watch);
        self
    }

    /// Number of sequences pushed.
    pub fn sequences(&self) -> usize {
        self.corpus.sequences()
    }

    /// Number of tokens pushed.
    pub fn tokens(&self) -> usize {
        self.corpus.tokens()
    }

    /// The corpus, without names. Partial and soft sequences have placeholder labels before
    /// [`NamedCorpus::close`].
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// Gives each label a class weight; see [`Corpus::set_class_weights`].
    ///
    /// # Errors
    /// Same as [`Corpus::set_class_weights`].
    pub fn set_class_weights(&mut self, weights: &[f64]) -> Result<()> {
        self.corpus.grow(self.labels.len(), self.attributes.len());
        self.corpus.set_class_weights(weights)
    }

    /// A copy of the sequences for which `keep` is true, in their order. All labels and attributes
    /// keep their names and numbers.
    ///
    /// # Panics
    /// If one of them is in a file ([`NamedCorpus::spilled_above`]).
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{NamedCorpus, TokenTarget};
    /// let mut corpus = NamedCorpus::default();
    /// for label in ["O", "PER"] {
    ///     let label = TokenTarget::Label(corpus.labels.intern(label));
    ///     corpus.push(vec![vec![]], vec![label], 1.0).unwrap();
    /// }
    /// let part = corpus.part(|sequence| sequence == 1);
    /// assert_eq!((part.sequences(), part.labels.get("PER")), (1, Some(1)));
    /// ```
    #[must_use]
    pub fn part(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut open = self.open.clone();
        open.retain(|(at, _)| keep(*at));
        for (at, _) in &mut open {
            *at = (0..*at).filter(|&before| keep(before)).count();
        }
        Self {
            labels: self.labels.clone(),
            attributes: self.attributes.clone(),
            corpus: self.corpus.part(keep),
            open,
        }
    }

    /// Adds a sequence: the (attribute, value) pairs of its tokens, a target for each token, and
    /// its weight.
    ///
    /// All label and attribute numbers must have been assigned by [`NamedCorpus::labels`] and
    /// [`NamedCorpus::attributes`] before the call.
    ///
    /// # Errors
    /// [`Error::Attribute`] and [`Error::Value`] for an invalid attribute or value;
    /// [`Error::Shape`] if there are not as many targets as tokens; [`Error::Label`] for a label
    /// out of range if all tokens have [`TokenTarget::Label`]; [`Error::Weight`] for an invalid
    /// weight. On error the sequence is not added. Labels in other targets are checked by
    /// [`NamedCorpus::close`].
    pub fn push(
        &mut self,
        tokens: Vec<Vec<(u32, f64)>>,
        targets: Vec<TokenTarget>,
        weight: f64,
    ) -> Result<()> {
        self.push_numbered(tokens, None, targets, weight)
    }

    /// Same as [`NamedCorpus::push`], for features with names. New names are added to
    /// [`NamedCorpus::attributes`] in the order of the features.
    ///
    /// # Errors
    /// Same as [`NamedCorpus::push`]. On error the sequence is not added, but its names remain.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{NamedCorpus, NamedFeatures, TokenTarget};
    /// let (mut corpus, mut features) = (NamedCorpus::default(), NamedFeatures::default());
    /// features.name_mut().push_str("word:Ada");
    /// features.end_feature(1.0);
    /// features.end_token();
    /// let per = TokenTarget::Label(corpus.labels.intern("PER"));
    /// corpus.push_features(&features, vec![per], 1.0).unwrap();
    /// assert_eq!((corpus.tokens(), corpus.attributes.get("word:Ada")), (1, Some(0)));
    /// ```
    pub fn push_features(
        &mut self,
        features: &NamedFeatures,
        targets: Vec<TokenTarget>,
        weight: f64,
    ) -> Result<()> {
        self.push_with_vectors(features, None, targets, weight)
    }

    /// Same as [`NamedCorpus::push_features`], for tokens that also have vectors.
    ///
    /// # Errors
    /// Same as [`NamedCorpus::push_features`] and [`Corpus::push_vectors`]. On error the sequence is not
    /// added, but its names remain.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::{NamedCorpus, NamedFeatures, TokenTarget, TokenVectors};
    /// let (mut corpus, mut features) = (NamedCorpus::default(), NamedFeatures::default());
    /// features.end_token();
    /// let vectors = TokenVectors::Full { dimension: 2, values: &[0.5, -1.0] };
    /// let per = TokenTarget::Label(corpus.labels.intern("PER"));
    /// corpus.push_with_vectors(&features, Some(vectors), vec![per], 1.0).unwrap();
    /// assert_eq!(corpus.corpus().inputs().dimension(), 2);
    /// ```
    pub fn push_with_vectors(
        &mut self,
        features: &NamedFeatures,
        vectors: Option<TokenVectors>,
        targets: Vec<TokenTarget>,
        weight: f64,
    ) -> Result<()> {
        let mut attributes = Vec::with_capacity(features.names().len());
        self.attributes
            .intern_all(features.names(), |_, id| attributes.push(id));
        self.push_numbered(features.numbered(&attributes), vectors, targets, weight)
    }

    /// Adds a sequence; see [`NamedCorpus::push`].
    fn push_numbered(
        &mut self,
        tokens: impl IntoIterator<Item = impl IntoIterator<Item = (u32, f64)>>,
        vectors: Option<TokenVectors>,
        targets: Vec<TokenTarget>,
        weight: f64,
    ) -> Result<()> {
        self.corpus.grow(self.labels.len(), self.attributes.len());
        for items in tokens {
            self.corpus
                .token(items)
                .inspect_err(|_| self.corpus.discard())?;
        }
        if let Some(vectors) = vectors {
            self.corpus
                .push_vectors(vectors)
                .inspect_err(|_| self.corpus.discard())?;
        }
        let labels = targets.iter().map(|target| match target {
            TokenTarget::Label(label) => Some(*label),
            _ => None,
        });
        let known: Option<Vec<u32>> = labels.collect();
        let is_open = known.is_none();
        let target = Target::Labels(known.unwrap_or_else(|| vec![0; targets.len()]));
        self.corpus.end_sequence(target, weight)?;
        if is_open {
            self.open.push((self.corpus.sequences() - 1, targets));
        }
        Ok(())
    }

    /// Checks the number of labels and replaces the placeholders of partial and soft sequences with
    /// their targets.
    ///
    /// A sequence with a [`TokenTarget::Shares`] becomes [`Target::Soft`]: its open tokens get the
    /// uniform distribution over all labels, and tokens with [`TokenTarget::Allowed`] the uniform
    /// distribution over the listed labels. Any other sequence becomes [`Target::Partial`].
    ///
    /// # Errors
    /// [`Error::Labels`] for more than [`MAX_LABELS`], without a sequence; otherwise the errors of
    /// [`Corpus::set_target`] with the index of the sequence, such as [`Error::NoLabel`] for an
    /// empty list of allowed labels; [`Error::Label`] for a label whose number was never assigned.
    pub fn close(&mut self) -> Result<(), (Error, Option<usize>)> {
        let labels = self.labels.len();
        if labels > MAX_LABELS {
            return Err((Error::Labels { labels }, None));
        }
        self.corpus.grow(labels, self.attributes.len());
        for (at, targets) in self.open.drain(..) {
            let target = target_of(&targets, labels);
            let set = target.and_then(|target| self.corpus.set_target(at, target));
            set.map_err(|error| (error, Some(at)))?;
        }
        Ok(())
    }

    /// The corpus, the names of its labels and the names of its attributes. Call
    /// [`NamedCorpus::close`] first: without it, partial and soft sequences have placeholder
    /// labels.
    pub fn into_parts(self) -> (Corpus, Interner<str>, Interner<str>) {
        (self.corpus, self.labels, self.attributes)
    }
}

/// Makes the target of a sequence from the targets of its tokens: soft if a token has a
/// distribution, else partial.
///
/// # Errors
/// [`Error::Label`] for a label that is not below `labels`.
fn target_of(targets: &[TokenTarget], labels: usize) -> Result<Target> {
    if let Some(&label) = targets.iter().find_map(|target| match target {
        TokenTarget::Label(label) => Some(label).filter(|label| **label as usize >= labels),
        TokenTarget::Open => None,
        TokenTarget::Allowed(some) => some.iter().find(|label| **label as usize >= labels),
        TokenTarget::Shares(shares) => {
            let mut all = shares.iter().map(|(label, _)| label);
            all.find(|label| **label as usize >= labels)
        }
    }) {
        return Err(Error::Label { label, labels });
    }
    if targets
        .iter()
        .any(|target| matches!(target, TokenTarget::Shares(_)))
    {
        let mut rows = vec![0.0; targets.len() * labels];
        for (row, target) in rows.chunks_exact_mut(labels.max(1)).zip(targets) {
            match target {
                TokenTarget::Label(label) => row[*label as usize] = 1.0,
                TokenTarget::Open => row.fill(1.0 / labels as f64),
                TokenTarget::Allowed(some) => {
                    for label in some {
                        row[*label as usize] = 1.0 / some.len() as f64;
                    }
                }
                TokenTarget::Shares(shares) => {
                    for (label, share) in shares {
                        row[*label as usize] += share;
                    }
                }
            }
        }
        return Ok(Target::Soft(rows));
    }
    let mut rows = vec![false; targets.len() * labels];
    for (row, target) in rows.chunks_exact_mut(labels.max(1)).zip(targets) {
        match target {
            TokenTarget::Label(label) => row[*label as usize] = true,
            TokenTarget::Allowed(some) => some.iter().for_each(|&at| row[at as usize] = true),
            _ => row.fill(true),
        }
    }
    Ok(Target::Partial(rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus(targets: Vec<TokenTarget>) -> Corpus {
        let mut corpus = NamedCorpus::default();
        let _ = ["A", "B"].map(|name| corpus.labels.intern(name));
        let tokens = vec![Vec::new(); targets.len()];
        corpus.push(tokens, targets, 1.0).unwrap();
        corpus.labels.intern("C");
        corpus.push(Vec::new(), Vec::new(), 1.0).unwrap();
        corpus.close().unwrap();
        corpus.into_parts().0
    }

    #[test]
    fn open_labels_allow_labels_that_come_later() {
        let corpus = corpus(vec![TokenTarget::Open, TokenTarget::Allowed(vec![0, 1])]);
        let expected = vec![true, true, true, true, true, false];
        assert_eq!(corpus.target(0), &Target::Partial(expected));
    }

    #[test]
    fn one_distribution_makes_the_sequence_soft() {
        let shares = TokenTarget::shares(vec![(0, 0.25), (1, 0.75)], 0).unwrap();
        let corpus = corpus(vec![shares, TokenTarget::Label(1)]);
        let expected = vec![0.25, 0.75, 0.0, 0.0, 1.0, 0.0];
        assert_eq!(corpus.target(0), &Target::Soft(expected));
    }

    #[test]
    fn shares_that_are_no_distribution_are_refused() {
        for share in [f64::NAN, -0.5, 0.5, 1.5] {
            let error = TokenTarget::shares(vec![(0, share)], 3).unwrap_err();
            assert_eq!(error, Error::Distribution { token: 3 });
        }
    }

    #[test]
    fn labels_that_were_never_given_out_are_refused() {
        for target in [
            TokenTarget::Label(2),
            TokenTarget::Allowed(vec![0, 2]),
            TokenTarget::Shares(vec![(0, 0.5), (2, 0.5)]),
        ] {
            let mut corpus = NamedCorpus::default();
            let _ = ["A", "B"].map(|name| corpus.labels.intern(name));
            let targets = vec![TokenTarget::Open, target];
            corpus.push(vec![Vec::new(); 2], targets, 1.0).unwrap();
            let (label, labels) = (2, 2);
            let refused = Err((Error::Label { label, labels }, Some(0)));
            assert_eq!(corpus.close(), refused);
        }
        let mut corpus = NamedCorpus::default();
        let none = vec![TokenTarget::Shares(Vec::new())];
        corpus.push(vec![Vec::new()], none, 1.0).unwrap();
        assert!(corpus.close().is_err(), "there is no label at all");
    }

    #[test]
    fn a_part_has_the_targets_of_its_sequences() {
        let mut corpus = NamedCorpus::default();
        let _ = ["A", "B"].map(|name| corpus.labels.intern(name));
        for (value, target) in [
            (1.0, TokenTarget::Open),
            (2.0, TokenTarget::Label(1)),
            (3.0, TokenTarget::Allowed(vec![1])),
        ] {
            let attribute = corpus.attributes.intern("a");
            corpus
                .push(vec![vec![(attribute, value)]], vec![target], value)
                .unwrap();
        }
        let mut part = corpus.part(|sequence| sequence > 0);
        part.close().unwrap();
        let (part, ..) = part.into_parts();
        assert_eq!(part.target(0), &Target::Labels(vec![1]));
        assert_eq!(part.target(1), &Target::Partial(vec![false, true]));
        let values: Vec<_> = (0..2).flat_map(|token| part.items(token)).collect();
        assert_eq!((values, part.weight(1)), (vec![(0, 2.0), (0, 3.0)], 3.0));
    }

    #[test]
    fn a_refused_sequence_leaves_no_tokens() {
        let mut corpus = NamedCorpus::default();
        corpus.labels.intern("A");
        corpus.attributes.intern("a");
        let tokens = vec![vec![(0, 1.0)], vec![(0, f64::NAN)]];
        let targets = vec![TokenTarget::Label(0); 2];
        assert!(corpus.push(tokens, targets.clone(), 1.0).is_err());
        assert!(corpus.push(vec![Vec::new(); 2], targets, -1.0).is_err());
        assert_eq!((corpus.sequences(), corpus.tokens()), (0, 0));
    }
}
