//! Sentences and words as in the file.

use super::predicted::ColumnSet;

/// A word of a sentence. Unspecified fields are `_`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyntaxWord<'a> {
    /// Line number of the word, from 1; in formats with one sentence per line, the line number of
    /// the sentence.
    pub line: u64,
    /// ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC, unchanged.
    pub fields: [&'a str; 10],
    /// The lines, with line ends, between the previous word and this word: comments, multiword
    /// tokens, empty nodes.
    pub before: &'a str,
    /// The line end in CoNLL-U, which may be empty at the end of a file; LF in other formats.
    pub line_end: &'a str,
}

impl<'a> SyntaxWord<'a> {
    /// Returns the form: the word as it appears in the text.
    pub fn form(&self) -> &'a str {
        self.fields[1]
    }

    /// Returns the lemma.
    pub fn lemma(&self) -> &'a str {
        self.fields[2]
    }

    /// Returns the universal part of speech.
    pub fn upos(&self) -> &'a str {
        self.fields[3]
    }

    /// Returns the part of speech of the treebank's own tag set. In formats with a single tag, this
    /// is the tag.
    pub fn xpos(&self) -> &'a str {
        self.fields[4]
    }

    /// Returns the morphological features.
    pub fn feats(&self) -> &'a str {
        self.fields[5]
    }

    /// Returns the head as a string: a word number from 1, or 0 for the root.
    /// [`crate::SyntaxReader::heads`] parses heads.
    pub fn head(&self) -> &'a str {
        self.fields[6]
    }

    /// Returns the label of the arc from the head to the word.
    pub fn deprel(&self) -> &'a str {
        self.fields[7]
    }
}

/// A multiword token, which covers several words: `3-4` covers the words with indices 2 and 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiword<'a> {
    /// Index of its first word, from 0.
    pub start: usize,
    /// One past the index of its last word; at least `start + 2`.
    pub end: usize,
    /// The form of the token in the text, such as `don't`.
    pub form: &'a str,
}

/// A sentence, which borrows from the text it was read from. The same value is reused for all
/// sentences of a text.
///
/// ```
/// use spanrs_io::{Multiword, SyntaxFormat, SyntaxReader, SyntaxSentence};
/// let row = |id: &str, form: &str| format!("{id}\t{form}{}\n", "\t_".repeat(8));
/// let rows = row("1-2", "don't") + &row("1", "do") + &row("2", "n't");
/// let text = format!("# text = don't\n{rows}\n");
/// let (text, format) = (text.as_bytes(), SyntaxFormat::Conllu);
/// let mut reader = SyntaxReader::new(text, format, "example", 0).unwrap();
/// let mut sentence = SyntaxSentence::default();
/// assert!(reader.read(&mut sentence).unwrap());
/// assert_eq!((sentence.words.len(), sentence.words[1].form()), (2, "n't"));
/// assert_eq!(sentence.multiwords, [Multiword { start: 0, end: 2, form: "don't" }]);
/// assert!(sentence.words[0].before.starts_with("# text = don't\n1-2"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyntaxSentence<'a> {
    /// The blank lines before the sentence in CoNLL-U, with line ends, excluding the blank line
    /// that ends the previous sentence.
    pub blank_before: &'a str,
    /// Line number of the first line of the sentence, from 1; comments before the first word belong
    /// to the sentence.
    pub line: u64,
    /// The words in order, without multiword tokens and empty nodes. The index of
    /// word number `n` is `n - 1`.
    pub words: Vec<SyntaxWord<'a>>,
    /// The multiword tokens in order; they do not overlap.
    pub multiwords: Vec<Multiword<'a>>,
    /// The lines after the last word, with line ends, excluding the blank line that ends the
    /// sentence.
    pub after: &'a str,
    /// The blank line that ends the sentence in CoNLL-U, with its line end; empty at the end of a
    /// file without such a line; LF in other formats.
    pub end: &'a str,
}

impl<'a> SyntaxSentence<'a> {
    /// Returns the lines before the first word, or all lines if there is no word.
    pub(super) fn head(&self) -> &'a str {
        self.words.first().map_or(self.after, |word| word.before)
    }

    /// Returns the columns that a comment of [`write_sentence`](crate::write_sentence) lists as
    /// predicted; None if there is no such comment. If there are several comments, the last one is
    /// used.
    ///
    /// ```
    /// use spanrs_io::{ColumnSet, SyntaxFormat, SyntaxReader, SyntaxSentence};
    /// let text = format!("# spanrs.predicted = XPOS HEAD\n1\tYes{}\n", "\t_".repeat(8));
    /// let text = text.as_bytes();
    /// let mut reader = SyntaxReader::new(text, SyntaxFormat::Conllu, "example", 0).unwrap();
    /// let mut sentence = SyntaxSentence::default();
    /// assert!(reader.read(&mut sentence).unwrap());
    /// assert_eq!(sentence.predicted(), Some(ColumnSet::of([4, 6])));
    /// ```
    pub fn predicted(&self) -> Option<ColumnSet> {
        self.head().lines().rev().find_map(ColumnSet::from_comment)
    }
}
