/// A word of a sentence. What the file does not say is `_`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SyntaxWord<'a> {
    /// Number of its line, from 1.
    pub line: u64,
    /// ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS, MISC.
    pub fields: [&'a str; 10],
    /// The lines between the word before it and this one: comments, multiword tokens, empty nodes.
    pub before: &'a str,
}

impl<'a> SyntaxWord<'a> {
    /// The form.
    pub fn form(&self) -> &'a str {
        self.fields[1]
    }

    /// The lemma.
    pub fn lemma(&self) -> &'a str {
        self.fields[2]
    }

    /// The universal tag.
    pub fn upos(&self) -> &'a str {
        self.fields[3]
    }

    /// The tag of the treebank.
    pub fn xpos(&self) -> &'a str {
        self.fields[4]
    }

    /// The morphological features.
    pub fn feats(&self) -> &'a str {
        self.fields[5]
    }

    /// The head as it is written.
    pub fn head(&self) -> &'a str {
        self.fields[6]
    }

    /// The label of the arc to the head.
    pub fn deprel(&self) -> &'a str {
        self.fields[7]
    }
}

/// A token that is several words (`3-4`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiword<'a> {
    /// Index of its first word, from 0.
    pub start: usize,
    /// One past the index of its last word.
    pub end: usize,
    /// The form.
    pub form: &'a str,
}

/// A sentence.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyntaxSentence<'a> {
    /// Number of its first line, from 1.
    pub line: u64,
    /// The words, without multiword tokens and empty nodes.
    pub words: Vec<SyntaxWord<'a>>,
    /// Tokens that are several words.
    pub multiwords: Vec<Multiword<'a>>,
    /// The lines after the last word.
    pub after: &'a str,
}
