use spanrs_base::{Coded, ErrorClass, Interrupted};
use spanrs_tags::Error as TagsError;

use crate::matcher::Unmatched;
use crate::scorer::Side;

/// Why a corpus in memory cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// Sentences or documents of gold and pred do not agree.
    #[error("{message}")]
    Shape {
        /// What does not agree.
        message: String,
        /// Index of the first such sentence, from 0.
        sentence: Option<usize>,
    },
    /// An id without a tag.
    #[error("{message}")]
    UnknownId {
        /// The id and where it is.
        message: String,
    },
    /// Tags that cannot be read.
    #[error(transparent)]
    Tags(#[from] TagsError),
    /// Tags of one side that cannot be read.
    #[error("{}: {error}", side.name())]
    TagsOf {
        /// The side.
        side: Side,
        /// Why.
        error: TagsError,
    },
    /// Spans that the matcher refuses.
    #[error("sentence {sentence}: {error}")]
    Unmatched {
        /// Index of the sentence, from 0.
        sentence: usize,
        /// Why.
        error: Unmatched,
    },
    /// The watch said stop.
    #[error("interrupted")]
    Interrupted,
}

impl InputError {
    /// Spans of a sentence that cannot be matched, or an interrupt.
    pub fn unmatched(sentence: usize, error: Unmatched) -> Self {
        match error {
            Unmatched::Stopped => Self::Interrupted,
            error => Self::Unmatched { sentence, error },
        }
    }
}

impl From<Interrupted> for InputError {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

impl Coded for InputError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Shape { .. } => ErrorClass::Alignment,
            Self::UnknownId { .. } => ErrorClass::Scheme,
            Self::Tags(error) | Self::TagsOf { error, .. } => error.class(),
            Self::Unmatched { error, .. } => error.class(),
            Self::Interrupted => ErrorClass::Interrupted,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Shape { .. } => "shape",
            Self::UnknownId { .. } => "unknown_id",
            Self::Tags(error) | Self::TagsOf { error, .. } => error.code(),
            Self::Unmatched { error, .. } => error.code(),
            Self::Interrupted => "interrupted",
        }
    }

    fn sentence(&self) -> Option<usize> {
        match self {
            Self::Shape { sentence, .. } => *sentence,
            Self::Unmatched { sentence, .. } => Some(*sentence),
            _ => None,
        }
    }
}
