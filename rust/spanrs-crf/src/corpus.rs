//! Training sequences: token attributes and targets.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::{Error, Result, check_len};
use crate::sequences::Sequences;

/// The supervision of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The label of each token.
    Labels(Vec<u32>),
    /// A label distribution per token, row-major (token, label); tokens are treated as independent.
    Soft(Vec<f64>),
    /// Allowed labels per token, row-major (token, label).
    Partial(Vec<bool>),
    /// Several labellings, each with a weight.
    Counts(Counts),
}

/// Labellings of a sequence, each with a weight, by their sums: the log-likelihood is linear in them, so one
/// forward-backward pass serves them all.
///
/// ```
/// use spanrs_crf::Counts;
/// let counts = Counts::of(2, 2, [(0.75, &[0, 1][..]), (0.25, &[1, 1])]).unwrap();
/// assert_eq!(counts.labels(), [0.75, 0.25, 0.0, 1.0]);
/// assert_eq!(counts.transitions(), [(1, 0.75), (3, 0.25)]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    total: f64,
    labels: Vec<f64>,
    transitions: Vec<(u32, f64)>,
}

impl Counts {
    /// The sums of labellings of a sequence of `tokens` tokens; `labels` is the number of labels.
    ///
    /// # Errors
    /// [`Error::Shape`] for a labelling of another length, [`Error::Label`] for a label out of range, [`Error::Weight`]
    /// for a weight that is negative, infinite or NaN.
    pub fn of<'a>(
        labels: usize,
        tokens: usize,
        labellings: impl IntoIterator<Item = (f64, &'a [u32])>,
    ) -> Result<Self> {
        let mut counts = vec![0.0; tokens * labels];
        let (mut total, mut transitions) = (0.0, BTreeMap::new());
        for (weight, labelling) in labellings {
            check_len("labels of tokens", tokens, labelling.len())?;
            if let Some(&label) = labelling.iter().find(|label| **label as usize >= labels) {
                return Err(Error::Label { label, labels });
            }
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(Error::Weight { weight });
            }
            total += weight;
            for (token, &label) in labelling.iter().enumerate() {
                counts[token * labels + label as usize] += weight;
            }
            for pair in labelling.windows(2) {
                *transitions
                    .entry(pair[0] * labels as u32 + pair[1])
                    .or_insert(0.0) += weight;
            }
        }
        Ok(Self {
            total,
            labels: counts,
            transitions: transitions.into_iter().collect(),
        })
    }

    /// Expected counts under a distribution of labellings: row-major (token, label) with rows that sum to 1, and dense
    /// row-major (from label, to label) summed over the sequence.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many transitions as pairs of labels.
    pub fn expected(labels: usize, tokens: Vec<f64>, transitions: &[f64]) -> Result<Self> {
        check_len("transition counts", labels * labels, transitions.len())?;
        let transitions = (0..).zip(transitions).filter(|(_, count)| **count != 0.0);
        Ok(Self {
            total: 1.0,
            labels: tokens,
            transitions: transitions.map(|(pair, &count)| (pair, count)).collect(),
        })
    }

    /// Replaces the weights of the labellings. `sums`, with an entry for each pair of labels, must
    /// be zero, and is zero again on return.
    pub(crate) fn reweigh<'a>(
        &mut self,
        labels: usize,
        labellings: impl IntoIterator<Item = (f64, &'a [u32])>,
        sums: &mut [f64],
    ) {
        self.total = 0.0;
        self.labels.fill(0.0);
        for (weight, labelling) in labellings {
            self.total += weight;
            for (token, &label) in labelling.iter().enumerate() {
                self.labels[token * labels + label as usize] += weight;
            }
            for pair in labelling.windows(2) {
                sums[pair[0] as usize * labels + pair[1] as usize] += weight;
            }
        }
        for (pair, count) in &mut self.transitions {
            *count = std::mem::take(&mut sums[*pair as usize]);
        }
    }

    /// The sum of the weights.
    pub fn total(&self) -> f64 {
        self.total
    }

    /// Weighted counts of the labels of each token, row-major (token, label).
    pub fn labels(&self) -> &[f64] {
        &self.labels
    }

    /// Weighted counts of transitions, as `from * labels + to`, ascending.
    pub fn transitions(&self) -> &[(u32, f64)] {
        &self.transitions
    }

    /// For more labels, whose counts are 0.
    fn widen(&mut self, before: usize, after: usize) {
        self.labels = widened(&self.labels, before, after);
        for (pair, _) in &mut self.transitions {
            let (from, to) = (
                *pair as usize / before.max(1),
                *pair as usize % before.max(1),
            );
            *pair = (from * after + to) as u32;
        }
    }

    /// Checks that counts are of this number of tokens and labels, and that they are counts.
    fn check(&self, tokens: usize, labels: usize) -> Result<()> {
        check_len("label counts", tokens * labels, self.labels.len())?;
        let slack = 1e-6 * self.total.max(1.0);
        for token in 0..tokens {
            let row = &self.labels[token * labels..][..labels];
            let sum: f64 = row.iter().sum();
            // The negation also catches NaN.
            if !(row.iter().all(|count| *count >= 0.0) && (sum - self.total).abs() <= slack) {
                return Err(Error::Distribution { token });
            }
        }
        match self
            .transitions
            .iter()
            .find(|(pair, _)| *pair as usize >= labels * labels)
        {
            Some(&(label, _)) => Err(Error::Label { label, labels }),
            None => Ok(()),
        }
    }
}

/// Sequences of tokens with attributes, targets and weights. Attributes and labels are numbers from 0.
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
    labels: usize,
    sequences: Sequences,
    targets: Vec<Target>,
    weights: Vec<f64>,
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
    /// An empty corpus with this number of labels and attributes.
    pub fn new(labels: usize, attributes: usize) -> Self {
        Self {
            labels,
            sequences: Sequences::new(attributes),
            targets: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Raises the numbers of labels and attributes. New labels have probability 0 in targets added before.
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
    }

    /// Appends a token with its (attribute, value) pairs to the current sequence.
    ///
    /// # Errors
    /// [`Error::Attribute`] and [`Error::Value`]; the token is not added.
    pub fn token(&mut self, items: impl IntoIterator<Item = (u32, f64)>) -> Result<()> {
        self.sequences.token(items)
    }

    /// Ends the current sequence and gives it a target and a weight.
    ///
    /// # Errors
    /// [`Error`] for a target or weight that does not fit; the tokens of the sequence are discarded.
    pub fn end_sequence(&mut self, target: Target, weight: f64) -> Result<()> {
        let checked = self.check(&target, self.sequences.open(), weight);
        if checked.is_err() {
            self.sequences.discard();
            return checked;
        }
        self.sequences.end();
        self.targets.push(target);
        self.weights.push(weight);
        Ok(())
    }

    /// Replaces the target of a sequence.
    ///
    /// # Errors
    /// As [`Corpus::end_sequence`]; nothing is replaced then.
    pub fn set_target(&mut self, at: usize, target: Target) -> Result<()> {
        self.check(&target, self.sequence(at).len(), self.weights[at])?;
        self.targets[at] = target;
        Ok(())
    }

    /// The supervision of a sequence, if it is by counts.
    pub(crate) fn counts_mut(&mut self, at: usize) -> Option<&mut Counts> {
        match &mut self.targets[at] {
            Target::Counts(counts) => Some(counts),
            _ => None,
        }
    }

    /// Replaces the weight of a sequence.
    ///
    /// # Errors
    /// [`Error::Weight`] for a weight that is negative, infinite or NaN.
    pub fn set_weight(&mut self, at: usize, weight: f64) -> Result<()> {
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::Weight { weight });
        }
        self.weights[at] = weight;
        Ok(())
    }

    /// Discards the tokens of the current sequence.
    pub fn discard(&mut self) {
        self.sequences.discard();
    }

    /// Removes the attributes of all tokens.
    pub(crate) fn clear_items(&mut self) {
        self.sequences.clear_items();
    }

    fn check(&self, target: &Target, tokens: usize, weight: f64) -> Result<()> {
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::Weight { weight });
        }
        let labels = self.labels;
        let rows = tokens * labels;
        match target {
            Target::Labels(known) => {
                check_len("labels of tokens", tokens, known.len())?;
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
                check_len("flags of labels", rows, allowed.len())?;
                let bad = self
                    .rows(allowed, tokens)
                    .position(|row| !row.contains(&true));
                bad.map_or(Ok(()), |token| Err(Error::NoLabel { token }))
            }
            Target::Counts(counts) => counts.check(tokens, labels),
        }
    }

    /// The row of each token, which is empty if there are no labels.
    fn rows<'a, T>(&self, values: &'a [T], tokens: usize) -> impl Iterator<Item = &'a [T]> {
        let labels = self.labels;
        (0..tokens).map(move |token| &values[token * labels..][..labels])
    }

    /// The attributes of all tokens.
    pub fn inputs(&self) -> &Sequences {
        &self.sequences
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Number of attributes.
    pub fn attributes(&self) -> usize {
        self.sequences.attributes()
    }

    /// Number of sequences.
    pub fn sequences(&self) -> usize {
        self.sequences.len()
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.sequences.tokens()
    }

    /// Token indices of a sequence, counted over the whole corpus.
    pub fn sequence(&self, at: usize) -> Range<usize> {
        self.sequences.sequence(at)
    }

    /// The (attribute, value) pairs of a token.
    pub fn items(&self, token: usize) -> impl Iterator<Item = (u32, f64)> {
        self.sequences.items(token)
    }

    /// The supervision of a sequence.
    pub fn target(&self, at: usize) -> &Target {
        &self.targets[at]
    }

    /// The weight of a sequence.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at]
    }

    /// The weight of a sequence times the sum of the weights of its labellings.
    pub(crate) fn total_weight(&self, at: usize) -> f64 {
        match &self.targets[at] {
            Target::Counts(counts) => self.weights[at] * counts.total(),
            _ => self.weights[at],
        }
    }
}

/// Rows of a larger width; new columns have the default value.
fn widened<T: Copy + Default>(rows: &[T], before: usize, after: usize) -> Vec<T> {
    let mut wider = Vec::with_capacity(rows.len() / before.max(1) * after);
    for row in rows.chunks_exact(before.max(1)) {
        wider.extend_from_slice(row);
        wider.resize(wider.len() + after - before, T::default());
    }
    wider
}
