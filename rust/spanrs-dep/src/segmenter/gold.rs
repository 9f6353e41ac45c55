//! Training data of the segmenter: raw text with its sentences, tokens and words.

/// A token of the training data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldToken {
    /// Start in the text of the paragraph, in bytes.
    pub start: usize,
    /// End in the text of the paragraph, in bytes, exclusive.
    pub end: usize,
    /// The forms of the words of a multiword token; empty if the token is a single word.
    pub words: Vec<String>,
}

/// A paragraph of raw text with its gold segmentation. In text files, paragraphs are separated by
/// blank lines.
///
/// ```
/// use spanrs_dep::GoldParagraph;
/// let mut paragraph = GoldParagraph::default();
/// paragraph.push_token("Don't", &["Do", "n't"], true);
/// paragraph.push_token("run", &[], false);
/// paragraph.push_token("!", &[], true);
/// paragraph.end_sentence();
/// assert_eq!(paragraph.text, "Don't run! ");
/// assert_eq!((paragraph.tokens[2].start, paragraph.tokens[2].end), (9, 10));
/// assert_eq!(paragraph.sentences, [3]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoldParagraph {
    /// The text, with white space between and within tokens as in a file.
    pub text: String,
    /// The tokens in order, which do not overlap and cover everything except white space.
    pub tokens: Vec<GoldToken>,
    /// For each sentence in order, the index of the token after its last one; increasing, and the
    /// last is the number of tokens.
    pub sentences: Vec<usize>,
}

impl GoldParagraph {
    /// Appends a token to the text and to the last sentence. `words` are the words of a multiword
    /// token, or empty. A space is written after the token if `space_after` is true.
    pub fn push_token(&mut self, form: &str, words: &[&str], space_after: bool) {
        let start = self.text.len();
        self.text.push_str(form);
        self.tokens.push(GoldToken {
            start,
            end: self.text.len(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        });
        if space_after {
            self.text.push(' ');
        }
    }

    /// Ends the sentence after the last token; does nothing if it has no tokens.
    pub fn end_sentence(&mut self) {
        if self.sentences.last().copied().unwrap_or_default() < self.tokens.len() {
            self.sentences.push(self.tokens.len());
        }
    }

    /// Returns true if the paragraph has no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// Returns the text and the words of each token.
    pub(super) fn token_words(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.tokens.iter().map(|token| {
            let form = self.text.get(token.start..token.end).unwrap_or_default();
            (form, token.words.as_slice())
        })
    }
}
