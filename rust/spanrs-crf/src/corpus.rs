//! Training sequences: token attributes and targets.

use std::ops::Range;

use crate::error::{Error, Result, check_len};

/// The supervision of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The label of each token.
    Labels(Vec<u32>),
    /// A label distribution per token, row-major (token, label); tokens are treated as independent.
    Soft(Vec<f64>),
    /// Allowed labels per token, row-major (token, label).
    Partial(Vec<bool>),
}

/// Sequences of tokens with attributes. Attributes and labels are numbers from 0.
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
    attributes: usize,
    /// End offset of each token's items.
    ends: Vec<usize>,
    attribute: Vec<u32>,
    /// Value of each item; empty while all are 1.
    value: Vec<f64>,
    /// End offset of each sequence's tokens.
    sequences: Vec<usize>,
    targets: Vec<Target>,
    weights: Vec<f64>,
}

impl Corpus {
    /// An empty corpus with this number of labels and attributes.
    pub fn new(labels: usize, attributes: usize) -> Self {
        Self {
            labels,
            attributes,
            ends: Vec::new(),
            attribute: Vec::new(),
            value: Vec::new(),
            sequences: Vec::new(),
            targets: Vec::new(),
            weights: Vec::new(),
        }
    }

    /// Appends a token with its (attribute, value) pairs to the current sequence.
    ///
    /// # Errors
    /// [`Error::Attribute`] and [`Error::Value`]; the token is not added.
    pub fn token(&mut self, items: impl IntoIterator<Item = (u32, f64)>) -> Result<()> {
        let start = self.attribute.len();
        for (attribute, value) in items {
            let attributes = self.attributes;
            let wrong = match value.is_finite() {
                _ if attribute as usize >= attributes => Error::Attribute {
                    attribute,
                    attributes,
                },
                false => Error::Value { attribute, value },
                true => {
                    if value != 1.0 && self.value.is_empty() {
                        self.value.resize(self.attribute.len(), 1.0);
                    }
                    if value != 1.0 || !self.value.is_empty() {
                        self.value.push(value);
                    }
                    self.attribute.push(attribute);
                    continue;
                }
            };
            self.attribute.truncate(start);
            self.value.truncate(start);
            return Err(wrong);
        }
        self.ends.push(self.attribute.len());
        Ok(())
    }

    /// Ends the current sequence and gives it a target and a weight.
    ///
    /// # Errors
    /// [`Error`] for a target or weight that does not fit; the tokens of the sequence are discarded.
    pub fn end_sequence(&mut self, target: Target, weight: f64) -> Result<()> {
        let first = self.sequences.last().copied().unwrap_or_default();
        let checked = self.check(&target, self.ends.len() - first, weight);
        if checked.is_err() {
            self.ends.truncate(first);
            let items = self.ends.last().copied().unwrap_or_default();
            self.attribute.truncate(items);
            self.value.truncate(items);
            return checked;
        }
        self.sequences.push(self.ends.len());
        self.targets.push(target);
        self.weights.push(weight);
        Ok(())
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
        }
    }

    /// The row of each token, which is empty if there are no labels.
    fn rows<'a, T>(&self, values: &'a [T], tokens: usize) -> impl Iterator<Item = &'a [T]> {
        let labels = self.labels;
        (0..tokens).map(move |token| &values[token * labels..][..labels])
    }

    /// Number of labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Number of attributes.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// Number of sequences.
    pub fn sequences(&self) -> usize {
        self.sequences.len()
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.ends.len()
    }

    /// Token indices of a sequence, counted over the whole corpus.
    pub fn sequence(&self, at: usize) -> Range<usize> {
        let start = if at == 0 { 0 } else { self.sequences[at - 1] };
        start..self.sequences[at]
    }

    /// The (attribute, value) pairs of a token.
    pub fn items(&self, token: usize) -> impl Iterator<Item = (u32, f64)> {
        let start = if token == 0 { 0 } else { self.ends[token - 1] };
        let values = move |at| self.value.get(at).copied().unwrap_or(1.0);
        (start..self.ends[token]).map(move |at| (self.attribute[at], values(at)))
    }

    /// Number of items of all tokens.
    pub fn items_len(&self) -> usize {
        self.attribute.len()
    }

    /// True if a value is not 1.
    pub(crate) fn has_values(&self) -> bool {
        !self.value.is_empty()
    }

    /// The supervision of a sequence.
    pub fn target(&self, at: usize) -> &Target {
        &self.targets[at]
    }

    /// The weight of a sequence.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at]
    }
}
