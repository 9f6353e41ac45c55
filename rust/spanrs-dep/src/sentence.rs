//! A sentence before and after tagging and parsing.

use crate::morphology::Analysis;

/// Symbol before the words of padded sentences.
pub(crate) const START: &str = "<start>";
/// Symbol after the words of padded sentences, and the default tag of the root.
pub(crate) const ROOT: &str = "ROOT";

/// A sentence to tag and parse. The strings can be slices, or owned like the strings of Python
/// lists.
///
/// ```
/// use spanrs_dep::Sentence;
/// let (words, upos) = (["Dogs", "bark"].map(str::to_owned), ["NOUN", "VERB"].map(str::to_owned));
/// let sentence = Sentence { words: &words, tags: Some((&[], &upos)), root_tag: None };
/// assert_eq!(sentence.tokens().collect::<Vec<_>>(), [["Dogs", "", "NOUN"], ["bark", "", "VERB"]]);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Sentence<'a, S = &'a str> {
    /// Forms of the words, without padding.
    pub words: &'a [S],
    /// The (XPOS, UPOS) of the words, used by the parser instead of predicted tags. Unknown tags
    /// are empty strings; the lists may be shorter than the sentence.
    pub tags: Option<(&'a [S], &'a [S])>,
    /// The tag of the root symbol, which only the published features use. None for the default:
    /// `ROOT`, or the tag that the tagger of a padded model predicts for the symbol after the
    /// words.
    pub root_tag: Option<&'a str>,
}

impl<'a, S: AsRef<str>> Sentence<'a, S> {
    /// Returns (form, XPOS, UPOS) of each word; tags that are not given are empty.
    pub fn tokens(&self) -> impl Iterator<Item = [&'a str; 3]> + Clone + use<'a, S> {
        let (xpos, upos) = self.tags.unwrap_or_default();
        let tag = |tags: &'a [S], at| tags.get(at).map_or("", AsRef::as_ref);
        let words = self.words.iter().enumerate();
        words.map(move |(at, word)| [word.as_ref(), tag(xpos, at), tag(upos, at)])
    }
}

/// Tags and tree of a sentence. Vectors have an entry per word, or are empty if they were not
/// predicted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parse {
    /// The tags of each word, as an index into [`Model::classes`](crate::Model::classes); empty if
    /// tags were given or there is no tagger.
    pub tags: Vec<u32>,
    /// The morphological features and the lemmas; empty if the model does not predict them.
    pub analysis: Analysis,
    /// The head of each word: a word from 1, or 0 for the root.
    pub heads: Vec<u32>,
    /// The label of the arc to each head, as an index into
    /// [`Parser::labels`](crate::Parser::labels); 0 for an unlabelled parser.
    pub labels: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_tags_are_empty() {
        let sentence = Sentence {
            words: &["a", "b"],
            tags: Some((&["X"], &[])),
            root_tag: None,
        };
        let tokens: Vec<_> = sentence.tokens().collect();
        assert_eq!(tokens, [["a", "X", ""], ["b", "", ""]]);
    }
}
