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
