//! Sentences with gold tags and trees, as training data.
//!
//! A [`Treebank`] is columnar: one vector per column over the words of all sentences, and a vector
//! with the ends of the sentences. Forms, tags and labels are interned in one table, so that a word
//! takes 28 bytes and each distinct string is stored once.

use spanrs_base::{Ends, Interner, Watch};

use crate::error::{Error, Result};
use crate::tagger::Tags;
use crate::tree::{Roots, check_tree, projectivise};

/// Sentences with tags and trees, numbered from 0 in the order in which they were added. All
/// columns have an entry for each word.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{Roots, Treebank, Word};
/// let mut treebank = Treebank::default();
/// treebank.push([
///     Word { form: "Dogs", upos: "NOUN", head: 2, label: "nsubj", ..Word::default() },
///     Word { form: "bark", upos: "VERB", head: 0, label: "root", ..Word::default() },
/// ]);
/// assert_eq!((treebank.len(), treebank.words()), (1, 2));
/// assert_eq!(treebank.check(Roots::One), Ok(()));
/// assert_eq!(treebank.sentence(0).map(|word| word.head).collect::<Vec<_>>(), [2, 0]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Treebank {
    /// All strings of the columns; ids are shared between columns.
    strings: Interner<str>,
    /// Id of each form.
    words: Vec<u32>,
    /// Id of each tag of the treebank; id of the empty string if the word has none.
    xpos: Vec<u32>,
    /// Id of each universal tag; id of the empty string if the word has none.
    upos: Vec<u32>,
    /// Id of the morphological features of each word, in the notation of CoNLL-U.
    feats: Vec<u32>,
    /// Id of each lemma; id of the empty string if the word has none.
    lemmas: Vec<u32>,
    /// Head of each word as in CoNLL: from 1 within the sentence, 0 is the root.
    heads: Vec<u32>,
    /// Id of the label of the arc to the head.
    labels: Vec<u32>,
    /// Range of each sentence in the columns; no sentence is empty.
    sentences: Ends,
}

/// A word with its annotation. Unannotated fields are empty, and the default head is the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word<'a> {
    /// The form as written in the text.
    pub form: &'a str,
    /// The tag of the treebank, such as `NNS`; XPOS in CoNLL-U.
    pub xpos: &'a str,
    /// The universal tag, such as `NOUN`; UPOS in CoNLL-U.
    pub upos: &'a str,
    /// The morphological features in the notation of CoNLL-U, such as `Number=Plur`; empty if there are none.
    pub feats: &'a str,
    /// The lemma; empty if it is not annotated.
    pub lemma: &'a str,
    /// The head: a word of the sentence from 1, or 0 for the root.
    pub head: u32,
    /// The label of the arc to the head, such as `nsubj`; DEPREL in CoNLL-U.
    pub label: &'a str,
}

impl Word<'_> {
    /// Returns the first annotation with a control character, such as a tab, which models cannot contain.
    pub fn with_control_character(&self) -> Option<&str> {
        let fields = [self.xpos, self.upos, self.feats, self.lemma, self.label];
        fields
            .into_iter()
            .find(|field| field.contains(char::is_control))
    }
}

impl Treebank {
    /// Adds a sentence; a sentence without words is skipped and gets no number. Heads are not
    /// checked; see [`Treebank::check`].
    pub fn push<'a>(&mut self, words: impl IntoIterator<Item = Word<'a>>) {
        let before = self.words.len();
        for word in words {
            self.words.push(self.strings.intern(word.form));
            self.xpos.push(self.strings.intern(word.xpos));
            self.upos.push(self.strings.intern(word.upos));
            self.feats.push(self.strings.intern(word.feats));
            self.lemmas.push(self.strings.intern(word.lemma));
            self.heads.push(word.head);
            self.labels.push(self.strings.intern(word.label));
        }
        if self.words.len() > before {
            self.sentences.push(self.words.len());
        }
    }

    /// Adds a sentence without control characters in its annotation. If `roots` is given, its heads must form a tree.
    ///
    /// # Errors
    /// [`Error::Sentence`] if the heads are not a tree, or for a control character. The error has the number that the
    /// sentence would have got, which equals the index in the caller's list only if no earlier sentence was empty. On
    /// error nothing is added.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{Error, Roots, Treebank, Word};
    /// let sentence = |heads: [u32; 2]| {
    ///     let words = ["Dogs", "bark"].into_iter().zip(heads);
    ///     words.map(|(form, head)| Word { form, head, ..Word::default() })
    /// };
    /// let mut treebank = Treebank::default();
    /// treebank.push_tree(sentence([2, 0]), Some(Roots::One)).unwrap();
    /// let cycle = treebank.push_tree(sentence([2, 1]), Some(Roots::One));
    /// assert!(matches!(cycle, Err(Error::Sentence { sentence: 1, .. })));
    /// assert_eq!(treebank.len(), 1);
    /// ```
    pub fn push_tree<'a>(
        &mut self,
        words: impl Iterator<Item = Word<'a>> + Clone,
        roots: Option<Roots>,
    ) -> Result<()> {
        if let Some(word) = words
            .clone()
            .find(|word| word.with_control_character().is_some())
        {
            let field = word.with_control_character().unwrap_or_default();
            return Err(Error::Sentence {
                sentence: self.len(),
                message: format!("{field:?} of {:?} contains a control character", word.form),
            });
        }
        if let Some(roots) = roots {
            let heads: Vec<u32> = words.clone().map(|word| word.head).collect();
            check_tree(&heads, roots).map_err(|error| Error::Sentence {
                sentence: self.len(),
                message: error.to_string(),
            })?;
        }
        self.push(words);
        Ok(())
    }

    /// Removes the XPOS and the UPOS of all words, unless they are to be kept.
    pub fn keep_tags(&mut self, xpos: bool, upos: bool) {
        let none = self.strings.intern("");
        if !xpos {
            self.xpos.fill(none);
        }
        if !upos {
            self.upos.fill(none);
        }
    }

    /// Number of sentences.
    pub fn len(&self) -> usize {
        self.sentences.len()
    }

    /// True if there are no sentences.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// Number of words of all sentences.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    /// Returns the range of a sentence in the columns.
    ///
    /// # Panics
    /// If there is no such sentence.
    pub(crate) fn range(&self, sentence: usize) -> std::ops::Range<usize> {
        self.sentences.range(sentence)
    }

    /// Returns the words of a sentence in order.
    ///
    /// # Panics
    /// If `sentence` is not less than [`Treebank::len`].
    pub fn sentence(&self, sentence: usize) -> impl Iterator<Item = Word<'_>> {
        self.range(sentence).map(|at| Word {
            form: self.name(self.words[at]),
            xpos: self.name(self.xpos[at]),
            upos: self.name(self.upos[at]),
            feats: self.name(self.feats[at]),
            lemma: self.name(self.lemmas[at]),
            head: self.heads[at],
            label: self.name(self.labels[at]),
        })
    }

    /// Returns the forms of the words of a sentence.
    pub(crate) fn forms(&self, sentence: usize) -> impl Iterator<Item = &str> {
        let ids = &self.words[self.range(sentence)];
        ids.iter().map(|&id| self.name(id))
    }

    /// Returns the gold tags of the words in a sentence, the classes of a tagger.
    pub(crate) fn tags(&self, sentence: usize) -> Vec<Tags> {
        let words = self.sentence(sentence);
        words
            .map(|word| Tags {
                xpos: word.xpos.to_owned(),
                upos: word.upos.to_owned(),
            })
            .collect()
    }

    /// Returns the heads of a sentence.
    pub(crate) fn heads(&self, sentence: usize) -> &[u32] {
        &self.heads[self.range(sentence)]
    }

    /// Returns the string with an id of this treebank.
    fn name(&self, id: u32) -> &str {
        self.strings.name(id).unwrap_or_default()
    }

    /// Checks that the heads of all sentences form trees, with [`check_tree`].
    ///
    /// # Errors
    /// [`Error::Sentence`] with the number of the first sentence that is not a tree, and the text
    /// of the [`TreeError`](crate::TreeError).
    pub fn check(&self, roots: Roots) -> Result<()> {
        for sentence in 0..self.len() {
            check_tree(self.heads(sentence), roots).map_err(|error| Error::Sentence {
                sentence,
                message: error.to_string(),
            })?;
        }
        Ok(())
    }

    /// Makes all trees projective with [`projectivise`], and returns the number of words whose head
    /// changed and the number of sentences with such words. Sentences must be trees.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if the watch requests a stop; sentences before the current one have
    /// been changed.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_dep::{Treebank, Word};
    /// let mut treebank = Treebank::default();
    /// let word = |head| Word { form: "a", head, ..Word::default() };
    /// treebank.push([3, 4, 0, 3].map(word));
    /// treebank.push([2, 0].map(word));
    /// assert_eq!(treebank.projectivise(|| false), Ok((1, 1)));
    /// assert_eq!(treebank.sentence(0).map(|word| word.head).collect::<Vec<_>>(), [3, 3, 0, 3]);
    /// ```
    pub fn projectivise(&mut self, watch: Watch) -> Result<(usize, usize)> {
        let mut lifted = (0, 0);
        for sentence in 0..self.len() {
            let range = self.range(sentence);
            let words = projectivise(&mut self.heads[range], watch)?;
            lifted.0 += words;
            lifted.1 += usize::from(words > 0);
        }
        Ok(lifted)
    }

    /// Replaces the tags of a sentence, word by word; if there are fewer `tags` than words, the
    /// other words keep theirs.
    pub(crate) fn retag<'a>(&mut self, sentence: usize, tags: impl IntoIterator<Item = &'a Tags>) {
        for (at, tags) in self.range(sentence).zip(tags) {
            self.xpos[at] = self.strings.intern(&tags.xpos);
            self.upos[at] = self.strings.intern(&tags.upos);
        }
    }

    /// Returns the names of the labels that occur, sorted by bytes, and for each word, in the order
    /// of the columns, the index of its label. The names become the labels of a parser.
    pub(crate) fn labels(&self) -> (Vec<String>, Vec<u32>) {
        let mut names: Vec<&str> = self.labels.iter().map(|&id| self.name(id)).collect();
        names.sort_unstable();
        names.dedup();
        let mut of_string = vec![0; self.strings.len()];
        for (label, name) in (0..).zip(&names) {
            of_string[self.strings.get(name).unwrap_or_default() as usize] = label;
        }
        let labels = self.labels.iter().map(|&id| of_string[id as usize]);
        let labels = labels.collect();
        (names.into_iter().map(str::to_owned).collect(), labels)
    }
}
