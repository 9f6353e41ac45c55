//! Sequences to train on: attributes of tokens, and what is known of their labels.

use std::ops::Range;

/// What is known of the labels of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The label of each token.
    Labels(Vec<u32>),
    /// A distribution over labels for each token: token, then label. Tokens are independent.
    Soft(Vec<f64>),
    /// The labels that each token may have: token, then label.
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
    /// Where the items of each token end.
    ends: Vec<usize>,
    attribute: Vec<u32>,
    value: Vec<f64>,
    /// Where the tokens of each sequence end.
    sequences: Vec<usize>,
    targets: Vec<Target>,
    weights: Vec<f64>,
}

/// Why a token or a sequence cannot be taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BadSequence {
    /// There is no such attribute.
    Attribute(u32),
    /// A value of an attribute is not a finite number.
    Value(f64),
    /// The target has another number of tokens or labels.
    Shape,
    /// There is no such label.
    Label(u32),
    /// The labels of this token, from 0 in its sequence, are no distribution, or all forbidden.
    Distribution(usize),
    /// The weight is negative or not finite.
    Weight(f64),
}

impl Corpus {
    /// No sequences, of so many labels and attributes.
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

    /// Adds a token with its attributes and their values to the sequence that is not ended yet.
    ///
    /// # Errors
    /// [`BadSequence::Attribute`] and [`BadSequence::Value`]; the token is not added then.
    pub fn token(
        &mut self,
        items: impl IntoIterator<Item = (u32, f64)>,
    ) -> Result<(), BadSequence> {
        let start = self.attribute.len();
        for (attribute, value) in items {
            let wrong = match value.is_finite() {
                _ if attribute as usize >= self.attributes => BadSequence::Attribute(attribute),
                false => BadSequence::Value(value),
                true => {
                    self.attribute.push(attribute);
                    self.value.push(value);
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

    /// Ends a sequence; it counts as `weight` sequences.
    ///
    /// # Errors
    /// [`BadSequence`] for what does not fit; the tokens of the sequence are forgotten then.
    pub fn end_sequence(&mut self, target: Target, weight: f64) -> Result<(), BadSequence> {
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

    fn check(&self, target: &Target, tokens: usize, weight: f64) -> Result<(), BadSequence> {
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(BadSequence::Weight(weight));
        }
        let size = match target {
            Target::Labels(labels) => labels.len() * self.labels,
            Target::Soft(rows) => rows.len(),
            Target::Partial(rows) => rows.len(),
        };
        if size != tokens * self.labels {
            return Err(BadSequence::Shape);
        }
        let bad = match target {
            Target::Labels(labels) => {
                let unknown = labels.iter().find(|label| **label as usize >= self.labels);
                return unknown.map_or(Ok(()), |label| Err(BadSequence::Label(*label)));
            }
            Target::Soft(rows) => rows.chunks_exact(self.labels.max(1)).position(|row| {
                let sum: f64 = row.iter().sum();
                row.iter().any(|p| !(0.0..=1.0 + 1e-9).contains(p)) || (sum - 1.0).abs() > 1e-6
            }),
            Target::Partial(rows) => {
                let mut tokens = rows.chunks_exact(self.labels.max(1));
                tokens.position(|row| !row.contains(&true))
            }
        };
        bad.map_or(Ok(()), |token| Err(BadSequence::Distribution(token)))
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

    /// The tokens of a sequence, numbered through the corpus.
    pub fn sequence(&self, at: usize) -> Range<usize> {
        let start = if at == 0 { 0 } else { self.sequences[at - 1] };
        start..self.sequences[at]
    }

    /// Attributes of a token, and their values.
    pub fn items(&self, token: usize) -> impl Iterator<Item = (u32, f64)> {
        let start = if token == 0 { 0 } else { self.ends[token - 1] };
        let places = start..self.ends[token];
        let values = self.value[places.clone()].iter().copied();
        self.attribute[places].iter().copied().zip(values)
    }

    /// What is known of the labels of a sequence.
    pub fn target(&self, at: usize) -> &Target {
        &self.targets[at]
    }

    /// As how many sequences a sequence counts.
    pub fn weight(&self, at: usize) -> f64 {
        self.weights[at]
    }
}
