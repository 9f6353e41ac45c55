//! Features of the tokens of a sequence, by name.
//!
//! Readers write the features of a sequence to this buffer, and [`NamedCorpus::push_features`] or
//! [`Sequences::push_features`] replace the names by numbers: all names of a sequence are looked up
//! together, and nothing is allocated for a name or a token.
//!
//! [`NamedCorpus::push_features`]: crate::NamedCorpus::push_features

use spanrs_base::{Ends, Interner, NameBatch};

use crate::error::{Result, check_len};
use crate::sequences::Sequences;
use crate::vectors::TokenVectors;

/// Names and values of the features of each token of a sequence.
///
/// The name of a feature is written to [`NamedFeatures::name_mut`], in one or several pieces. A
/// cleared buffer keeps its memory, so one buffer serves all sequences of a corpus.
///
/// # Examples
///
/// ```
/// use spanrs_base::Interner;
/// use spanrs_crf::{NamedFeatures, Sequences};
/// let mut features = NamedFeatures::default();
/// for word in ["Ada", "wrote"] {
///     features.name_mut().push_str("word:");
///     features.name_mut().push_str(word);
///     features.end_feature(1.0);
///     features.end_token();
/// }
/// let mut attributes = Interner::default();
/// attributes.intern("word:Ada");
/// let mut sequences = Sequences::new(attributes.len());
/// sequences.push_features(&features, &attributes).unwrap();
/// assert_eq!((sequences.tokens(), sequences.items_len()), (2, 1));
/// ```
#[derive(Clone, Debug, Default)]
pub struct NamedFeatures {
    /// Names of the features of all tokens.
    names: NameBatch,
    /// Value of each feature.
    values: Vec<f64>,
    /// Range of the features of each token.
    tokens: Ends,
}

impl NamedFeatures {
    /// Reserves capacity for at least `features` more features, with names of 16 bytes each.
    pub fn reserve(&mut self, features: usize) {
        self.names.reserve(features);
        self.values.reserve(features);
    }

    /// The text to which the name of the next feature is appended. Names of ended features must not
    /// be changed.
    #[inline]
    pub fn name_mut(&mut self) -> &mut String {
        self.names.text_mut()
    }

    /// The name of the next feature, as far as it was written.
    #[inline]
    pub fn open_name(&self) -> &str {
        self.names.open()
    }

    /// Removes the name of the next feature and returns it.
    pub fn take_open_name(&mut self) -> String {
        self.names.take_open()
    }

    /// Ends the current feature and gives it a value.
    #[inline]
    pub fn end_feature(&mut self, value: f64) {
        self.names.end();
        self.values.push(value);
    }

    /// Ends the current token, which may have no features.
    #[inline]
    pub fn end_token(&mut self) {
        self.tokens.push(self.values.len());
    }

    /// Number of ended tokens.
    pub fn tokens(&self) -> usize {
        self.tokens.len()
    }

    /// The names and values of the features of a token, in the order in which they were added.
    ///
    /// # Panics
    /// If `token` is not below [`NamedFeatures::tokens`].
    pub fn features(&self, token: usize) -> impl Iterator<Item = (&str, f64)> {
        let features = self.tokens.range(token);
        features.map(|at| (self.names.name(at), self.values[at]))
    }

    /// The features of the same tokens in two collections: those of `self`, then those of `other`.
    ///
    /// # Errors
    /// [`crate::Error::Shape`] for different numbers of tokens.
    ///
    /// # Examples
    /// ```
    /// use spanrs_crf::NamedFeatures;
    /// let [mut word, mut shape] = [(); 2].map(|()| NamedFeatures::default());
    /// for (features, name) in [(&mut word, "word:Ada"), (&mut shape, "Xxx")] {
    ///     features.name_mut().push_str(name);
    ///     features.end_feature(1.0);
    ///     features.end_token();
    /// }
    /// let both = word.joined(&shape).unwrap();
    /// assert_eq!(both.features(0).collect::<Vec<_>>(), [("word:Ada", 1.0), ("Xxx", 1.0)]);
    /// ```
    pub fn joined(&self, other: &Self) -> Result<Self> {
        check_len("tokens with features", self.tokens(), other.tokens())?;
        let mut joined = Self::default();
        joined.reserve(self.values.len() + other.values.len());
        for token in 0..self.tokens() {
            for (name, value) in self.features(token).chain(other.features(token)) {
                joined.name_mut().push_str(name);
                joined.end_feature(value);
            }
            joined.end_token();
        }
        Ok(joined)
    }

    /// All names, in the order of the tokens.
    pub fn names(&self) -> &NameBatch {
        &self.names
    }

    /// Removes all tokens, but keeps the allocated memory.
    pub fn clear(&mut self) {
        self.names.clear();
        self.values.clear();
        self.tokens.clear();
    }

    /// The (attribute, value) pairs of each token, given the attribute of each feature; features
    /// with the attribute [`UNKNOWN`] are skipped.
    pub(crate) fn numbered<'a>(
        &'a self,
        attributes: &'a [u32],
    ) -> impl Iterator<Item = impl Iterator<Item = (u32, f64)>> {
        self.tokens.ranges().map(|features| {
            let items = attributes[features.clone()]
                .iter()
                .zip(&self.values[features]);
            let known = items.filter(|(attribute, _)| **attribute != UNKNOWN);
            known.map(|(&attribute, &value)| (attribute, value))
        })
    }
}

/// Number of an attribute that an interner does not have; its ids are smaller.
pub(crate) const UNKNOWN: u32 = u32::MAX;

impl Sequences {
    /// Appends a sequence; features whose names are not in `attributes` are skipped.
    ///
    /// # Errors
    /// Same as [`Sequences::token`]; the sequence is not added.
    pub fn push_features(
        &mut self,
        features: &NamedFeatures,
        attributes: &Interner<str>,
    ) -> Result<()> {
        self.push_with_vectors(features, None, attributes)
    }

    /// Same as [`Sequences::push_features`], for tokens that also have vectors.
    ///
    /// # Errors
    /// Same as [`Sequences::token`] and [`Sequences::push_vectors`]; the sequence is not added.
    pub fn push_with_vectors(
        &mut self,
        features: &NamedFeatures,
        vectors: Option<TokenVectors>,
        attributes: &Interner<str>,
    ) -> Result<()> {
        let mut numbers = Vec::with_capacity(features.names.len());
        attributes.get_all(&features.names, |_, id| numbers.push(id.unwrap_or(UNKNOWN)));
        self.reserve(features.tokens(), numbers.len());
        for items in features.numbered(&numbers) {
            self.token(items).inspect_err(|_| self.discard())?;
        }
        if let Some(vectors) = vectors {
            self.push_vectors(vectors).inspect_err(|_| self.discard())?;
        }
        self.check_vectors().inspect_err(|_| self.discard())?;
        self.end();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::{NamedCorpus, TokenTarget};

    /// The features of a token: the pieces of each name, and its value.
    type Token = Vec<(Vec<String>, f64)>;

    fn tokens() -> impl Strategy<Value = Vec<Token>> {
        let feature = (vec("[abé:]{0,2}", 1..4), 0..3_u32);
        let feature = feature.prop_map(|(pieces, value)| (pieces, f64::from(value)));
        vec(vec(feature, 0..20), 0..6)
    }

    fn written(tokens: &[Token], features: &mut NamedFeatures) {
        features.clear();
        for token in tokens {
            for (pieces, value) in token {
                pieces
                    .iter()
                    .for_each(|piece| features.name_mut().push_str(piece));
                features.end_feature(*value);
            }
            features.end_token();
        }
    }

    proptest! {
        #[test]
        fn features_get_the_numbers_of_their_joined_names(sequences in vec(tokens(), 1..4), unseen in tokens()) {
            let (mut by_parts, mut joined) = (NamedCorpus::default(), NamedCorpus::default());
            let mut features = NamedFeatures::default();
            let mut expected = Sequences::new(usize::MAX);
            let numbers = |token: &Token, attributes: &mut Interner<str>| -> Vec<(u32, f64)> {
                let names = token.iter().map(|(pieces, value)| (pieces.concat(), *value));
                names.map(|(name, value)| (attributes.intern(&name), value)).collect()
            };
            for corpus in [&mut by_parts, &mut joined] {
                corpus.labels.intern("O");
            }
            for tokens in &sequences {
                let targets = vec![TokenTarget::Label(0); tokens.len()];
                written(tokens, &mut features);
                by_parts.push_features(&features, targets.clone(), 1.0).unwrap();
                let rows = tokens.iter().map(|token| numbers(token, &mut joined.attributes)).collect();
                joined.push(rows, targets, 1.0).unwrap();
            }
            prop_assert!(by_parts.attributes.names().eq(joined.attributes.names()));
            let items = |corpus: &NamedCorpus| -> Vec<Vec<(u32, f64)>> {
                (0..corpus.tokens()).map(|token| corpus.corpus().items(token).collect()).collect()
            };
            prop_assert_eq!(items(&by_parts), items(&joined));

            written(&unseen, &mut features);
            let mut found = Sequences::new(joined.attributes.len());
            found.push_features(&features, &joined.attributes).unwrap();
            for token in &unseen {
                let known = token.iter().filter_map(|(pieces, value)| {
                    Some((joined.attributes.get(&pieces.concat())?, *value))
                });
                expected.token(known).unwrap();
            }
            prop_assert_eq!(found.tokens(), expected.tokens());
            for token in 0..found.tokens() {
                prop_assert!(found.items(token).eq(expected.items(token)));
            }
        }
    }
}
