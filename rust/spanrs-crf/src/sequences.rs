//! Attributes of the tokens of sequences.

use std::ops::Range;

use crate::error::{Error, Result};

/// Sequences of tokens with attributes, which are numbers from 0, in compressed rows.
///
/// ```
/// use spanrs_crf::Sequences;
/// let mut sequences = Sequences::new(3);
/// sequences.token([(0, 1.0), (2, 0.5)]).unwrap();
/// sequences.end();
/// assert_eq!((sequences.len(), sequences.tokens()), (1, 1));
/// assert!(sequences.token([(3, 1.0)]).is_err(), "there are three attributes");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sequences {
    attributes: usize,
    /// End offset of each token's items.
    ends: Vec<usize>,
    attribute: Vec<u32>,
    /// Value of each item; empty while all are 1.
    value: Vec<f64>,
    /// End offset of each sequence's tokens.
    sequences: Vec<usize>,
}

impl Sequences {
    /// No sequences, of this number of attributes.
    pub fn new(attributes: usize) -> Self {
        Self {
            attributes,
            ..Self::default()
        }
    }

    /// Raises the number of attributes.
    pub fn grow(&mut self, attributes: usize) {
        self.attributes = self.attributes.max(attributes);
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
                    self.attribute.push(attribute);
                    if value != 1.0 || !self.value.is_empty() {
                        self.value.push(value);
                    }
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

    /// Appends a token whose attributes all have the value 1.
    ///
    /// # Errors
    /// [`Error::Attribute`]; the token is not added.
    pub fn indicators(&mut self, attributes: &[u32]) -> Result<()> {
        if let Some(&attribute) = attributes.iter().max()
            && attribute as usize >= self.attributes
        {
            let attributes = self.attributes;
            return Err(Error::Attribute {
                attribute,
                attributes,
            });
        }
        self.attribute.extend_from_slice(attributes);
        if !self.value.is_empty() {
            self.value.resize(self.attribute.len(), 1.0);
        }
        self.ends.push(self.attribute.len());
        Ok(())
    }

    /// Ends the current sequence.
    pub fn end(&mut self) {
        self.sequences.push(self.ends.len());
    }

    /// Discards the tokens of the current sequence.
    pub fn discard(&mut self) {
        self.ends.truncate(self.ended());
        let items = self.ends.last().copied().unwrap_or_default();
        self.attribute.truncate(items);
        self.value.truncate(items);
    }

    /// Number of tokens of the current sequence.
    pub fn open(&self) -> usize {
        self.ends.len() - self.ended()
    }

    fn ended(&self) -> usize {
        self.sequences.last().copied().unwrap_or_default()
    }

    /// Removes the items of all tokens; the lengths of sequences remain.
    pub(crate) fn clear_items(&mut self) {
        self.ends.fill(0);
        (self.attribute, self.value) = (Vec::new(), Vec::new());
    }

    /// Number of attributes.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// Number of sequences.
    pub fn len(&self) -> usize {
        self.sequences.len()
    }

    /// True if there are no sequences.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Number of tokens.
    pub fn tokens(&self) -> usize {
        self.ends.len()
    }

    /// Number of items of all tokens.
    pub fn items_len(&self) -> usize {
        self.attribute.len()
    }

    /// True if a value is not 1.
    pub(crate) fn has_values(&self) -> bool {
        !self.value.is_empty()
    }

    /// Token indices of a sequence, counted over all sequences.
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
}
