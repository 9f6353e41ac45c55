//! Sentences with gold tags and trees, as training data.

use spanrs_base::{Interner, Watch};

use crate::error::{Error, Result};
use crate::tagger::Tags;
use crate::tree::{Roots, check_tree, projectivise};

/// Sentences with tags and trees. Strings are kept once.
#[derive(Clone, Debug, Default)]
pub struct Treebank {
    strings: Interner<str>,
    words: Vec<u32>,
    xpos: Vec<u32>,
    upos: Vec<u32>,
    heads: Vec<u32>,
    labels: Vec<u32>,
    /// End of each sentence.
    ends: Vec<usize>,
}

/// A word with its annotation. What is not annotated is empty; head 0 is the root.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Word<'a> {
    /// The form.
    pub form: &'a str,
    /// The tag of the treebank.
    pub xpos: &'a str,
    /// The universal tag.
    pub upos: &'a str,
    /// The head: a word from 1, or 0 for the root.
    pub head: u32,
    /// The label of the arc to the head.
    pub label: &'a str,
}

/// Strings of a sentence by word.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strings<'a> {
    pub(crate) words: Vec<&'a str>,
    pub(crate) xpos: Vec<&'a str>,
    pub(crate) upos: Vec<&'a str>,
}

impl Treebank {
    /// Adds a sentence; one without words is left out.
    pub fn push<'a>(&mut self, words: impl IntoIterator<Item = Word<'a>>) {
        let before = self.words.len();
        for word in words {
            self.words.push(self.strings.intern(word.form));
            self.xpos.push(self.strings.intern(word.xpos));
            self.upos.push(self.strings.intern(word.upos));
            self.heads.push(word.head);
            self.labels.push(self.strings.intern(word.label));
        }
        if self.words.len() > before {
            self.ends.push(self.words.len());
        }
    }

    /// Adds a sentence given as lists, which are as long as `words`, or empty where nothing is known. With `roots` the
    /// heads must be a tree.
    ///
    /// # Errors
    /// [`Error::Sentence`].
    pub fn push_lists(
        &mut self,
        words: &[String],
        [xpos, upos, labels]: [&[String]; 3],
        heads: &[u32],
        roots: Option<Roots>,
    ) -> Result<()> {
        if let Some(roots) = roots {
            check_tree(heads, roots).map_err(|error| Error::Sentence {
                sentence: self.len(),
                message: error.to_string(),
            })?;
        }
        fn text(list: &[String], at: usize) -> &str {
            list.get(at).map_or("", String::as_str)
        }
        self.push(words.iter().enumerate().map(|(at, form)| Word {
            form,
            xpos: text(xpos, at),
            upos: text(upos, at),
            head: heads.get(at).copied().unwrap_or_default(),
            label: text(labels, at),
        }));
        Ok(())
    }

    /// Number of sentences.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True without sentences.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn range(&self, sentence: usize) -> std::ops::Range<usize> {
        let start = sentence
            .checked_sub(1)
            .map_or(0, |before| self.ends[before]);
        start..self.ends[sentence]
    }

    /// The words of a sentence.
    pub fn sentence(&self, sentence: usize) -> impl Iterator<Item = Word<'_>> {
        self.range(sentence).map(|at| Word {
            form: self.name(self.words[at]),
            xpos: self.name(self.xpos[at]),
            upos: self.name(self.upos[at]),
            head: self.heads[at],
            label: self.name(self.labels[at]),
        })
    }

    pub(crate) fn strings(&self, sentence: usize) -> Strings<'_> {
        let names = |ids: &[u32]| ids.iter().map(|&id| self.name(id)).collect();
        let range = self.range(sentence);
        Strings {
            words: names(&self.words[range.clone()]),
            xpos: names(&self.xpos[range.clone()]),
            upos: names(&self.upos[range]),
        }
    }

    pub(crate) fn tags(&self, sentence: usize) -> Vec<Tags> {
        let words = self.sentence(sentence);
        words
            .map(|word| Tags {
                xpos: word.xpos.to_owned(),
                upos: word.upos.to_owned(),
            })
            .collect()
    }

    pub(crate) fn heads(&self, sentence: usize) -> &[u32] {
        &self.heads[self.range(sentence)]
    }

    fn name(&self, id: u32) -> &str {
        self.strings.name(id).unwrap_or_default()
    }

    /// Checks that all sentences are trees.
    ///
    /// # Errors
    /// [`Error::Sentence`] with the first that is not.
    pub fn check(&self, roots: Roots) -> Result<()> {
        for sentence in 0..self.len() {
            check_tree(self.heads(sentence), roots).map_err(|error| Error::Sentence {
                sentence,
                message: error.to_string(),
            })?;
        }
        Ok(())
    }

    /// Makes all trees projective, see [`projectivise`]. Returns the numbers of words and of sentences that were changed.
    /// Sentences must be trees.
    ///
    /// # Errors
    /// [`Error::Interrupted`].
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

    /// Puts other tags in the place of those of a sentence.
    pub(crate) fn retag<'a>(&mut self, sentence: usize, tags: impl IntoIterator<Item = &'a Tags>) {
        for (at, tags) in self.range(sentence).zip(tags) {
            self.xpos[at] = self.strings.intern(&tags.xpos);
            self.upos[at] = self.strings.intern(&tags.upos);
        }
    }

    /// The names of the labels, sorted, and for each word the index of its label.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_may_be_empty_and_heads_are_checked() {
        let mut treebank = Treebank::default();
        let words = ["a", "b"].map(str::to_owned);
        let xpos = ["X", "Y"].map(str::to_owned);
        let pushed = treebank.push_lists(&words, [&xpos, &[], &[]], &[2, 0], Some(Roots::One));
        assert_eq!(pushed, Ok(()));
        let second = treebank.sentence(0).nth(1);
        let expected = Word {
            form: "b",
            xpos: "Y",
            ..Word::default()
        };
        assert_eq!(second, Some(expected));
        let cycle = treebank.push_lists(&words, [&[], &[], &[]], &[2, 1], Some(Roots::One));
        assert!(matches!(cycle, Err(Error::Sentence { sentence: 1, .. })));
        assert_eq!(treebank.len(), 1);
    }
}
