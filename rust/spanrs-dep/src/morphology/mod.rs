//! Morphological features and lemmas: FEATS and LEMMA of CoNLL-U, predicted from forms and tags.
//!
//! A [`Morphology`] is applied after the tagger. For each word it chooses
//!
//! 1. the morphological features among those that occur with the word's tags in the training data, with an averaged
//!    perceptron over the word and the tags on both sides (module `feats`);
//! 2. an edit script from the form to the lemma (module `script`): from a table for words that are exceptions,
//!    otherwise with an averaged perceptron over the word, its tags and its morphological features (module `lemmas`).
//!
//! Time is linear in the number of words, times the number of classes. A treebank without morphological features or
//! without lemmas gives a model without this part.
//!
//! Module `token` computes the parts of words that features need, `fit_feats` and `fit_lemmas` learn from a treebank,
//! and `file` reads and writes models.

mod feats;
mod file;
mod fit;
mod fit_feats;
mod fit_lemmas;
mod lemmas;
mod script;
#[cfg(test)]
mod tests;
mod token;

use spanrs_base::Ends;

use crate::weights::{Lookup, MAX_CLASSES, Scores};
use feats::{FeatsTagger, GROUP};
use lemmas::Lemmatizer;
use token::{PAD, Token, padded};

pub(crate) use file::{MorphologyHeader, put_morphology, read_morphology};
pub use fit::{MorphologyOptions, fit_morphology};

/// A model of morphological features and lemmas. It is immutable and can be shared by threads; each thread has its own
/// [`MorphologyBuffers`]. Obtained from [`fit_morphology`].
///
/// # Examples
///
/// Learn the plural, and apply it to another word:
///
/// ```
/// use spanrs_dep::{
///     Analysis, MorphologyBuffers, MorphologyOptions, Next, Passes, Treebank, Word, fit_morphology,
/// };
/// let mut treebank = Treebank::default();
/// for [form, lemma, feats] in [
///     ["cats", "cat", "Number=Plur"],
///     ["cat", "cat", "Number=Sing"],
///     ["dogs", "dog", "Number=Plur"],
///     ["dog", "dog", "Number=Sing"],
/// ] {
///     treebank.push([Word { form, lemma, feats, upos: "NOUN", ..Word::default() }]);
/// }
/// let passes = Passes { epochs: 5, seed: Some(1), models: 1, watch: || false };
/// let options = MorphologyOptions::default();
/// let morphology =
///     fit_morphology(&treebank, &treebank, &options, passes, |_| Ok(Next::Continue)).unwrap();
///
/// let mut analysis = Analysis::default();
/// let words = [["Owls", "", "NOUN"]];
/// morphology.analyse(words.into_iter(), &mut MorphologyBuffers::default(), &mut analysis);
/// assert_eq!(morphology.feats()[analysis.feats[0] as usize], "Number=Plur");
/// assert_eq!(analysis.lemmas().collect::<Vec<_>>(), ["owl"]);
/// ```
#[derive(Clone, Debug)]
pub struct Morphology {
    /// Predicts morphological features; None if the training data has none.
    feats: Option<FeatsTagger>,
    /// Predicts lemmas; None if the training data has none.
    lemmas: Option<Lemmatizer>,
}

/// Morphological features and lemmas of the words of a sentence; the memory is reused.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Index of the morphological features of each word in [`Morphology::feats`]; empty if the model predicts none.
    pub feats: Vec<u32>,
    /// The lemmas, concatenated.
    text: String,
    /// The end of each lemma; empty if the model predicts none.
    ends: Ends,
}

impl Analysis {
    /// Removes everything and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.feats.clear();
        self.text.clear();
        self.ends.clear();
    }

    /// Returns the lemmas of the words; nothing if the model predicts no lemmas.
    pub fn lemmas(&self) -> impl ExactSizeIterator<Item = &str> {
        self.ends.ranges().map(|range| &self.text[range])
    }
}

/// Memory that is reused between sentences; each thread needs its own. Any model can use it, and its content does not
/// affect later sentences.
#[derive(Clone, Debug)]
pub struct MorphologyBuffers {
    /// The sentence.
    tokens: Vec<Token>,
    /// Features of the words whose lookups are interleaved.
    lookups: [Lookup; GROUP],
    /// Scores of the classes for one word.
    scores: Box<Scores>,
    /// A form in another case.
    text: String,
}

impl Default for MorphologyBuffers {
    fn default() -> Self {
        Self {
            tokens: Vec::new(),
            lookups: Default::default(),
            scores: Box::new([0; MAX_CLASSES]),
            text: String::new(),
        }
    }
}

impl Morphology {
    /// Returns the different morphological features, in the notation of CoNLL-U, where words without features have the
    /// empty string; empty if the model does not predict them. [`Morphology::analyse`] writes indices into this slice.
    pub fn feats(&self) -> &[String] {
        self.feats.as_ref().map_or(&[], |feats| &feats.classes)
    }

    /// Returns true if the model predicts lemmas.
    pub fn has_lemmas(&self) -> bool {
        self.lemmas.is_some()
    }

    /// Returns true if the model predicts neither morphological features nor lemmas.
    pub fn is_empty(&self) -> bool {
        self.feats.is_none() && self.lemmas.is_none()
    }

    /// Predicts the morphological features and the lemmas of a sentence, and writes them into `analysis`, whose
    /// previous content is replaced. A word is its form, XPOS and UPOS; a tag that is not known is empty.
    pub fn analyse<'a>(
        &self,
        words: impl Iterator<Item = [&'a str; 3]> + Clone,
        buffers: &mut MorphologyBuffers,
        analysis: &mut Analysis,
    ) {
        let MorphologyBuffers {
            tokens,
            lookups,
            scores,
            text,
        } = buffers;
        let Analysis {
            feats,
            text: lemmas,
            ends,
        } = analysis;
        padded(words.clone(), tokens);
        feats.clear();
        lemmas.clear();
        ends.clear();
        let mut hashes: &[u64] = &[];
        if let Some(tagger) = &self.feats {
            tagger.predict(tokens, lookups, scores, feats);
            hashes = &tagger.hashes;
        }
        if let Some(lemmatizer) = &self.lemmas {
            let feats = |at: usize| feats.get(at).map_or(0, |&class| hashes[class as usize]);
            let forms = words.map(|[form, ..]| form);
            let words = &tokens[PAD..tokens.len() - PAD];
            let end = |end| ends.push(end);
            lemmatizer.predict(forms, words, feats, (lookups, scores, text), (lemmas, end));
        }
    }
}
