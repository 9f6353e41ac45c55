use spanrs_base::{Coded, ErrorClass, Position};

/// Errors of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Heads that are not a tree.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// A sentence of the training data that cannot be used.
    #[error("sentence {sentence}: {message}")]
    Sentence {
        /// Index of the sentence, from 0.
        sentence: usize,
        /// What is wrong.
        message: String,
    },
    /// A template that cannot be read.
    #[error("template {line}: {message}")]
    Template {
        /// Line, from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// Nothing to learn from, or options that do not fit together.
    #[error("{0}")]
    Training(String),
    /// A model file that cannot be read.
    #[error("{0}")]
    File(String),
    /// The watch asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Coded for Error {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Tree(_) | Self::Sentence { .. } | Self::Template { .. } => ErrorClass::Format,
            Self::Training(_) => ErrorClass::Value,
            Self::File(_) => ErrorClass::Model,
            Self::Interrupted => ErrorClass::Interrupted,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Tree(_) | Self::Sentence { .. } => "tree",
            Self::Template { .. } => "template",
            Self::Training(_) => "training",
            Self::File(_) => "damaged",
            Self::Interrupted => "interrupted",
        }
    }

    fn position(&self) -> Option<Position> {
        match self {
            Self::Template { line, .. } => Some(Position::line("", *line as u64)),
            _ => None,
        }
    }
}

impl From<spanrs_base::Interrupted> for Error {
    fn from(_: spanrs_base::Interrupted) -> Self {
        Self::Interrupted
    }
}

/// Why heads are not a tree. Words are numbered from 1; head 0 is the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TreeError {
    /// A head that is not in the sentence.
    #[error("word {word} has head {head}; the sentence has {words} words")]
    Range {
        /// The word.
        word: usize,
        /// Its head.
        head: usize,
        /// Number of words.
        words: usize,
    },
    /// Words that depend on each other.
    #[error("word {word} depends on itself{}", if *.length > 1 { format!(", through a cycle of {} words", .length) } else { String::new() })]
    Cycle {
        /// A word of the cycle.
        word: usize,
        /// Number of words of the cycle.
        length: usize,
    },
    /// More than one word that depends on the root.
    #[error(
        "words {first} and {second} both have head 0; a sentence has one root, unless any roots are allowed"
    )]
    Roots {
        /// The first root.
        first: usize,
        /// The second.
        second: usize,
    },
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;
