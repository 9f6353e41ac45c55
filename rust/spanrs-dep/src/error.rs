//! Errors of this crate.

use spanrs_base::{Coded, ErrorClass, Interrupted, Position};

/// Errors of this crate. The display form is a message for users, without the position of a file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Heads that are not a tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A sentence of the training data that cannot be used.
    #[error("sentence {sentence}: {message}")]
    Sentence {
        /// Number of the sentence in its [`Treebank`](crate::Treebank), from 0.
        sentence: usize,
        /// What is wrong with it.
        message: String,
    },
    /// A feature template in the options of a parser that cannot be read.
    #[error("template {line}: {message}")]
    Template {
        /// Line of the templates, from 1; 1 if there are no templates at all.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
    /// Nothing to learn from, too many classes, weights that are too large for the model format, or
    /// a different number of lists of tags than of sentences.
    #[error("{0}")]
    Training(String),
    /// A model file or JSON that cannot be read, the templates in it included, or metadata that
    /// cannot be written.
    #[error("{0}")]
    File(String),
    /// The [`Watch`](spanrs_base::Watch) asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Coded for Error {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Tree(_) | Self::Sentence { .. } => (ErrorClass::Format, "tree"),
            Self::Template { .. } => (ErrorClass::Format, "template"),
            Self::Training(_) => (ErrorClass::Value, "training"),
            Self::File(_) => (ErrorClass::Model, "damaged"),
            Self::Interrupted => Interrupted.kind(),
        }
    }

    fn position(&self) -> Option<Position> {
        match self {
            Self::Template { line, .. } => Some(Position::line("", *line as u64)),
            _ => None,
        }
    }
}

impl From<Interrupted> for Error {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

/// Why heads are not a tree. Words are numbered from 1; head 0 is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A head that is not in the sentence.
    #[error("word {word} has head {head}; the sentence has {words} words")]
    Range {
        /// The word, from 1.
        word: usize,
        /// Its head, which is greater than `words`.
        head: usize,
        /// Number of words of the sentence.
        words: usize,
    },
    /// Words that depend on each other; one that is its own head is a cycle of length 1.
    #[error("word {word} depends on itself{}", if *.length > 1 { format!(", through a cycle of {} words", .length) } else { String::new() })]
    Cycle {
        /// A word of the cycle, from 1.
        word: usize,
        /// Number of words of the cycle.
        length: usize,
    },
    /// More than one word that depends on the root, where only one is allowed.
    #[error(
        "words {first} and {second} both have head 0; a sentence has one root, unless any roots are allowed"
    )]
    Roots {
        /// The first word with head 0, from 1.
        first: usize,
        /// The second one.
        second: usize,
    },
}

/// Result of this crate; the error is [`enum@Error`] unless another one is named.
pub type Result<T, E = Error> = std::result::Result<T, E>;
