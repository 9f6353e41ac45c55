//! The result of segmentation.

use std::ops::Range;

use spanrs_base::Ends;

/// A token of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SegmentedToken {
    /// Range in the text in bytes.
    pub bytes: Range<usize>,
    /// Range in the text in characters.
    pub chars: Range<usize>,
    /// The words in [`Segmentation::forms`]: several for a multiword token, one if the form differs
    /// from the text in its white space, otherwise none.
    pub forms: Range<usize>,
}

impl SegmentedToken {
    /// Returns true if the token consists of several words.
    pub fn is_multiword(&self) -> bool {
        self.forms.len() > 1
    }
}

/// The sentences, tokens and words of a text. Sentences are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segmentation {
    /// The tokens of all sentences, in order.
    pub tokens: Vec<SegmentedToken>,
    /// Forms that are not slices of the text; see [`SegmentedToken::forms`].
    pub forms: Vec<String>,
    /// The range of each sentence in `tokens`; no sentence is empty.
    pub sentences: Ends,
    /// The range of each paragraph in `sentences`; no paragraph is empty.
    pub paragraphs: Ends,
}

impl Segmentation {
    /// Number of sentences.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// True if there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Removes everything and keeps the memory.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.forms.clear();
        self.sentences.clear();
        self.paragraphs.clear();
    }

    /// Returns the tokens of a sentence.
    ///
    /// # Panics
    /// If there is no such sentence.
    pub fn sentence(&self, at: usize) -> &[SegmentedToken] {
        &self.tokens[self.sentences.range(at)]
    }

    /// Returns the forms of the words of a token; `text` is the segmented text.
    pub fn token_words<'a>(
        &'a self,
        token: &'a SegmentedToken,
        text: &'a str,
    ) -> impl Iterator<Item = &'a str> + Clone {
        let forms = self.forms.get(token.forms.clone()).unwrap_or_default();
        let own = forms
            .is_empty()
            .then(|| text.get(token.bytes.clone()).unwrap_or_default());
        own.into_iter().chain(forms.iter().map(String::as_str))
    }

    /// Returns the forms of the words of a sentence; `text` is the segmented text.
    ///
    /// # Panics
    /// If there is no such sentence.
    pub fn words<'a>(&'a self, at: usize, text: &'a str) -> impl Iterator<Item = &'a str> + Clone {
        let tokens = self.sentence(at).iter();
        tokens.flat_map(move |token| self.token_words(token, text))
    }
}
