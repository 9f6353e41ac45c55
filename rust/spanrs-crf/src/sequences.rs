//! Sequences of tokens with numbered, weighted attributes: the input of training and decoding.
//!
//! The storage is a compressed sparse row matrix with tokens as rows: an array of attribute
//! numbers, an array of values, the end of each token's items and the end of each sequence's
//! tokens. It takes 4 bytes per item while all values are 1 (indicators, the usual case), 12 bytes
//! per item otherwise, and 8 bytes per token and per sequence. Tokens may have vectors in addition
//! ([`TokenVectors`]).

mod record;

use std::ops::Range;

use spanrs_base::Ends;

use crate::error::{Error, Result};
use crate::vectors::{TokenVectors, Vectors};

/// Largest absolute value of an attribute value in training. Its square, summed over a corpus,
/// stays finite.
pub const MAX_TRAINING_VALUE: f64 = 1e100;

/// Sequences of tokens with attributes, in compressed rows.
///
/// Tokens are appended to the *current* sequence until [`Sequences::end`]; [`Sequences::discard`]
/// removes the tokens instead. Tokens are numbered over all sequences. An attribute may occur more
/// than once at a token; its values add up. The order of a token's attributes is kept, and
/// determines the order of the floating-point sums.
///
/// ```
/// use spanrs_crf::Sequences;
/// let mut sequences = Sequences::new(3);
/// sequences.token([(0, 1.0), (2, 0.5)]).unwrap();
/// sequences.indicators(&[1]).unwrap();
/// sequences.end();
/// assert_eq!((sequences.len(), sequences.tokens()), (1, 2));
/// assert_eq!(sequences.items(0).collect::<Vec<_>>(), [(0, 1.0), (2, 0.5)]);
/// assert!(sequences.token([(3, 1.0)]).is_err(), "there are three attributes");
/// ```
#[derive(Clone, Debug)]
pub struct Sequences {
    /// All attributes are below this number.
    attributes: usize,
    /// Number of the first tokens whose items were removed: packed, or moved to a file.
    removed: usize,
    /// Range of the items of each other token in `attribute` and `value`, including the tokens of the
    /// current sequence.
    ends: Ends,
    /// Attribute number of each item.
    attribute: Vec<u32>,
    /// Value of each item; empty while all values are 1, else as long as `attribute`.
    value: Vec<f64>,
    /// Token range of each ended sequence.
    sequences: Ends,
    /// Largest absolute value of a value; None if NaN and infinite values are accepted.
    limit: Option<f64>,
    /// Whether a token has had a value other than 1.
    valued: bool,
    /// Whether a token has had a value that is NaN or infinite.
    non_finite: bool,
    /// Vectors of the tokens whose items were not removed, if there are any.
    vectors: Vectors,
}

impl Default for Sequences {
    fn default() -> Self {
        Self {
            attributes: 0,
            removed: 0,
            ends: Ends::default(),
            attribute: Vec::new(),
            value: Vec::new(),
            sequences: Ends::default(),
            limit: Some(f64::MAX),
            valued: false,
            non_finite: false,
            vectors: Vectors::default(),
        }
    }
}

impl Sequences {
    /// An empty collection whose attributes are the numbers below `attributes`.
    pub fn new(attributes: usize) -> Self {
        Self {
            attributes,
            ..Self::default()
        }
    }

    /// Accepts values up to this absolute value; None accepts all values, including NaN and
    /// infinite values. By default values must be finite.
    #[must_use]
    pub fn with_limit(mut self, limit: Option<f64>) -> Self {
        self.limit = limit;
        self
    }

    /// Raises the number of attributes; a smaller number has no effect.
    pub fn grow(&mut self, attributes: usize) {
        self.attributes = self.attributes.max(attributes);
    }

    /// Appends a token with its (attribute, value) pairs to the current sequence.
    ///
    /// The first value other than 1 allocates an array for the values of all items, which takes 8
    /// bytes per item added so far.
    ///
    /// # Errors
    /// [`Error::Attribute`] for an attribute that is out of range, [`Error::Value`] for a value
    /// above the limit; the token is not added.
    pub fn token(&mut self, items: impl IntoIterator<Item = (u32, f64)>) -> Result<()> {
        let start = self.attribute.len();
        for (attribute, value) in items {
            let attributes = self.attributes;
            // NaN fails the comparison.
            let wrong = match self.limit.is_none_or(|limit| value.abs() <= limit) {
                _ if attribute as usize >= attributes => Error::Attribute {
                    attribute,
                    attributes,
                },
                false => Error::Value { attribute, value },
                true => {
                    self.non_finite |= !value.is_finite();
                    self.valued |= value != 1.0;
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

    /// Appends a token whose attributes all have the value 1. Equivalent to [`Sequences::token`]
    /// with these values, but copies all attributes at once.
    ///
    /// # Errors
    /// [`Error::Attribute`] with the largest attribute if it is out of range; the token is not
    /// added.
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

    /// Reserves capacity for at least so many more tokens and items.
    pub(crate) fn reserve(&mut self, tokens: usize, items: usize) {
        self.ends.reserve(tokens);
        self.attribute.reserve(items);
    }

    /// Gives each token of the current sequence a vector. All sequences with tokens must have vectors of
    /// the same dimension, or none.
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many vectors as tokens, or if their dimension differs from
    /// that of earlier sequences; [`Error::Vector`] for a value that is NaN or infinite; [`Error::Input`]
    /// if tokens of earlier sequences have no vectors, and for compressed rows that are out of order or
    /// range. Nothing is added then.
    pub fn push_vectors(&mut self, vectors: TokenVectors) -> Result<()> {
        let tokens = self.open();
        if tokens == 0 {
            return Ok(());
        }
        let before = self.sequences.total();
        if self.vectors.dimension() == 0 && before > 0 {
            let message = "the sequence has dense rows, but earlier sequences have none";
            return Err(Error::Input(message.to_owned()));
        }
        self.vectors.push(vectors, tokens)
    }

    /// Checks that the tokens of the current sequence have vectors if those of earlier sequences have.
    ///
    /// # Errors
    /// [`Error::Input`] otherwise.
    pub(crate) fn check_vectors(&self) -> Result<()> {
        match self.vectors.dimension() == 0 || self.ends.len() == self.vectors.tokens() {
            true => Ok(()),
            false => Err(Error::Input(
                "the sequence has no dense rows, but earlier sequences have".to_owned(),
            )),
        }
    }

    /// Number of columns of the tokens' vectors; 0 if tokens have none.
    pub fn dimension(&self) -> usize {
        self.vectors.dimension()
    }

    /// Checks that tokens have vectors of this dimension, that of a model.
    ///
    /// # Errors
    /// [`Error::Input`] otherwise.
    pub fn check_dimension(&self, expected: usize) -> Result<()> {
        let columns = |number: usize| match number {
            0 => "no dense rows".to_owned(),
            1 => "dense rows of 1 column".to_owned(),
            _ => format!("dense rows of {number} columns"),
        };
        let found = self.dimension();
        match found == expected || self.tokens() == 0 {
            true => self.check_vectors(),
            false => Err(Error::Input(format!(
                "the model was trained with {}, but the sequence has {}{}",
                columns(expected),
                columns(found),
                match found {
                    0 => "; pass dense=, or sequences that spanrs.crf.join made",
                    _ => "",
                }
            ))),
        }
    }

    /// Copies the vectors of sequence `at` of another collection, for the tokens of the current one.
    pub(crate) fn copy_vectors(&mut self, other: &Self, at: usize) {
        self.vectors.extend_from(&other.vectors, other.stored(at));
    }

    /// The vectors of all tokens.
    pub(crate) fn vectors(&self) -> &Vectors {
        &self.vectors
    }

    /// Appends a sequence of tokens without attributes.
    ///
    /// # Errors
    /// [`Error::Input`] if tokens of earlier sequences have vectors; the sequence is not added.
    pub fn push_empty(&mut self, tokens: usize) -> Result<()> {
        (0..tokens).for_each(|_| self.ends.push(self.attribute.len()));
        self.check_vectors().inspect_err(|_| self.discard())?;
        self.end();
        Ok(())
    }

    /// Ends the current sequence, which may be empty.
    pub fn end(&mut self) {
        self.sequences.push(self.tokens());
    }

    /// Removes the tokens added since the last [`Sequences::end`].
    pub fn discard(&mut self) {
        self.ends.truncate(self.sequences.total() - self.removed);
        let items = self.ends.total();
        self.attribute.truncate(items);
        self.value.truncate(items);
        self.vectors.truncate(self.ends.len());
        if self.tokens() == 0 {
            // The next vectors may have another dimension.
            self.vectors = Vectors::default();
        }
    }

    /// A copy of the sequences for which `keep` is true, in their order.
    pub(crate) fn part(&self, keep: impl Fn(usize) -> bool) -> Self {
        let mut part = Self {
            attributes: self.attributes,
            limit: self.limit,
            valued: self.valued,
            non_finite: self.non_finite,
            ..Self::default()
        };
        for at in (0..self.len()).filter(|&at| keep(at)) {
            for items in self.sequence(at).map(|token| self.range(token)) {
                part.attribute
                    .extend_from_slice(&self.attribute[items.clone()]);
                part.value
                    .extend_from_slice(self.value.get(items).unwrap_or_default());
                part.ends.push(part.attribute.len());
            }
            part.vectors.extend_from(&self.vectors, self.stored(at));
            part.end();
        }
        part
    }

    /// Number of tokens added since the last [`Sequences::end`].
    pub fn open(&self) -> usize {
        self.tokens() - self.sequences.total()
    }

    /// Frees the items of all tokens; tokens and sequences keep their numbers, and tokens their vectors.
    /// Training calls it once the items are packed.
    pub(crate) fn clear_items(&mut self) {
        (self.attribute, self.value) = (Vec::new(), Vec::new());
        self.ends = Ends::of_lengths(std::iter::repeat_n(0, self.ends.len()));
    }

    /// Removes the items and vectors of all tokens, none of which is in the current sequence; tokens and
    /// sequences keep their numbers.
    pub(crate) fn remove_items(&mut self) {
        self.removed = self.tokens();
        (self.attribute, self.value, self.ends) = Default::default();
        self.vectors.truncate(0);
    }

    /// Approximate size in bytes of the items and vectors in memory.
    pub(crate) fn bytes(&self) -> usize {
        let items = 4 * self.attribute.len() + 8 * self.value.len() + 8 * self.ends.len();
        items + self.vectors.bytes()
    }

    /// The end of sequences from `first` whose items and vectors take about so many bytes; at least one
    /// sequence.
    pub(crate) fn block_end(&self, first: usize, bytes: usize) -> usize {
        let per_token = self.bytes() / self.ends.len().max(1);
        let tokens = self.sequences.start(first) + bytes / per_token.max(1);
        let end = self
            .sequences
            .as_slice()
            .partition_point(|&end| end <= tokens);
        end.max(first + 1)
    }

    /// Range of the items of a token.
    fn range(&self, token: usize) -> Range<usize> {
        self.ends.range(token - self.removed)
    }

    /// Token indices of a sequence, counted over the tokens whose items were not removed.
    fn stored(&self, at: usize) -> Range<usize> {
        let tokens = self.sequence(at);
        tokens.start - self.removed..tokens.end - self.removed
    }

    /// Number of attributes; every attribute is below this number.
    pub fn attributes(&self) -> usize {
        self.attributes
    }

    /// Number of ended sequences.
    pub fn len(&self) -> usize {
        self.sequences.len()
    }

    /// True if no sequence has been ended.
    pub fn is_empty(&self) -> bool {
        self.sequences.is_empty()
    }

    /// Number of tokens, including the current sequence.
    pub fn tokens(&self) -> usize {
        self.removed + self.ends.len()
    }

    /// Number of items (attributes with a value) of all tokens in memory.
    pub fn items_len(&self) -> usize {
        self.attribute.len()
    }

    /// Whether some value is not 1. The result remains true after the token with the only such value is
    /// rejected or discarded.
    pub(crate) fn has_values(&self) -> bool {
        self.valued
    }

    /// Whether a value is NaN or infinite.
    pub(crate) fn has_non_finite(&self) -> bool {
        self.non_finite
    }

    /// Whether a value of a sequence is NaN or infinite.
    pub(crate) fn is_non_finite(&self, at: usize) -> bool {
        let mut tokens = self.sequence(at);
        self.non_finite
            && tokens.any(|token| self.items(token).any(|(_, value)| !value.is_finite()))
    }

    /// Token indices of a sequence, counted over all sequences; the end is exclusive.
    ///
    /// # Panics
    /// If `at` is not below [`Sequences::len`].
    pub fn sequence(&self, at: usize) -> Range<usize> {
        self.sequences.range(at)
    }

    /// Number of items of a token.
    pub(crate) fn count_items(&self, token: usize) -> usize {
        self.range(token).len()
    }

    /// The attributes of the items of a sequence, and their values, which are empty if all are 1.
    pub(crate) fn slices(&self, at: usize) -> (&[u32], &[f64]) {
        let tokens = self.stored(at);
        let items = self.ends.start(tokens.start)..self.ends.start(tokens.end);
        let values = self.value.get(items.clone()).unwrap_or_default();
        (&self.attribute[items], values)
    }

    /// The (attribute, value) pairs of a token, in the order in which they were added.
    ///
    /// # Panics
    /// If `token` is not below [`Sequences::tokens`], or if its items are in a file.
    pub fn items(&self, token: usize) -> impl Iterator<Item = (u32, f64)> {
        let values = move |at| self.value.get(at).copied().unwrap_or(1.0);
        self.range(token)
            .map(move |at| (self.attribute[at], values(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_says_which_values_are_accepted() {
        let values = [1.0, -1e100, 1e101, f64::NEG_INFINITY, f64::NAN];
        let accepted = |limit| {
            values.map(|value| {
                let mut sequences = Sequences::new(1).with_limit(limit);
                sequences.token([(0, value)]).is_ok()
            })
        };
        assert_eq!(Sequences::default().limit, Some(f64::MAX));
        assert_eq!(accepted(Some(f64::MAX)), [true, true, true, false, false]);
        assert_eq!(
            accepted(Some(MAX_TRAINING_VALUE)),
            [true, true, false, false, false]
        );
        assert_eq!(accepted(None), [true; 5]);
    }

    #[test]
    fn sequences_with_values_that_are_not_finite_are_told_apart() {
        let mut sequences = Sequences::new(1).with_limit(None);
        for value in [1.0, f64::NAN] {
            assert!(!sequences.has_non_finite());
            sequences.token([(0, value)]).unwrap();
            sequences.end();
        }
        assert!(sequences.has_non_finite());
        assert_eq!([0, 1].map(|at| sequences.is_non_finite(at)), [false, true]);
    }
}
