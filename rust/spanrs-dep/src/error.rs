//! Errors of this crate.

use spanrs_base::{Coded, ErrorClass, Interrupted, Position};

/// Errors of this crate. The display form is a message for users, without the position in a file.
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
        /// Description of the error.
        message: String,
    },
    /// An invalid feature template in the options of a parser.
    #[error("template {line}: {message}")]
    Template {
        /// Line of the templates, from 1; 1 if there are no templates.
        line: usize,
        /// Description of the error.
        message: String,
    },
    /// There is no training data, there are too many classes, weights are too large for the model
    /// format, or the number of tag lists differs from the number of sentences.
    #[error("{0}")]
    Training(String),
    /// A model file, JSON or the templates in a file cannot be read, or metadata cannot be written.
    #[error("{0}")]
    File(String),
    /// The [`Watch`](spanrs_base::Watch) requested a stop.
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
    /// The head of a word is not in the sentence.
    #[error("word {word} has head {head}; the sentence has {words} words")]
    Range {
        /// The word, from 1.
        word: usize,
        /// Its head, which is greater than `words`.
        head: usize,
        /// Number of words of the sentence.
        words: usize,
    },
    /// Words that depend on each other; a word that is its own head is a cycle of length 1.
    #[error("word {word} depends on itself{}", if *.length > 1 { format!(", through a cycle of {} words", .length) } else { String::new() })]
    Cycle {
        /// A word of the cycle, from 1.
        word: usize,
        /// Number of words of the cycle.
        length: usize,
    },
    /// More than one word depends on the root, but only one is allowed.
    #[error(
        "words {first} and {second} both have head 0; a sentence must have one root, unless several roots are allowed"
    )]
    Roots {
        /// The first word with head 0, from 1.
        first: usize,
        /// The second word with head 0.
        second: usize,
    },
}

/// Result type of this crate; the error is [`enum@Error`] unless another type is given.
pub type Result<T, E = Error> = std::result::Result<T, E>;
