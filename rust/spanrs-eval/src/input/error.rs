//! The errors of corpora in memory.

use spanrs_base::{Coded, ErrorClass, Interrupted};
use spanrs_tags::Error as TagsError;

use crate::matcher::Unmatched;
use crate::side::Side;

/// Why a corpus in memory cannot be scored.
///
/// Messages contain the side, the sentence and the token, 0-based as in the arrays.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// The numbers of sentences, tokens or documents do not agree.
    #[error("{message}")]
    Shape {
        /// The mismatch.
        message: String,
        /// Index of the first affected sentence, 0-based; None if no particular sentence is
        /// affected.
        sentence: Option<usize>,
    },
    /// An id without a tag.
    #[error("{message}")]
    UnknownId {
        /// The message with the id and its position.
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
        /// The problem.
        error: TagsError,
    },
    /// Spans that the matcher refuses.
    #[error("sentence {sentence}: {error}")]
    Unmatched {
        /// Index of the sentence, 0-based.
        sentence: usize,
        /// The reason.
        error: Unmatched,
    },
    /// The watch requested a stop.
    #[error("interrupted")]
    Interrupted,
}

impl InputError {
    /// Creates the error for spans of a sentence that the matcher refuses;
    /// [`InputError::Interrupted`] for [`Unmatched::Stopped`].
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
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Shape { .. } => (ErrorClass::Alignment, "shape"),
            Self::UnknownId { .. } => (ErrorClass::Scheme, "unknown_id"),
            Self::Tags(error) | Self::TagsOf { error, .. } => error.kind(),
            Self::Unmatched { error, .. } => error.kind(),
            Self::Interrupted => Interrupted.kind(),
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
