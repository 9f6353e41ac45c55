//! The error type of the jobs.

use spanrs_base::{Coded, ErrorClass, Interrupted, Position};
use spanrs_eval::input::InputError;
use spanrs_eval::{Unmatched, Violations};

/// An error of a job. The displayed message begins with the file and line if these are known.
///
/// ```
/// use spanrs::{Error, ScoreOptions, score_paths};
/// let missing = std::path::Path::new("/no/such/file");
/// let error = score_paths(missing, missing, &ScoreOptions::default()).unwrap_err();
/// assert!(matches!(error, Error::Io(_)));
/// assert_eq!(error.to_string(), "/no/such/file: no such file");
/// ```
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A file cannot be read or is malformed. The code of the inner error identifies the kind of
    /// problem.
    #[error(transparent)]
    Io(#[from] spanrs_io::Error),
    /// Tags that cannot be processed: there are too many different tags, or the target scheme of a
    /// conversion cannot express the spans.
    #[error("{position}: {error}")]
    Tags {
        /// The line of the tag, or the first line of its sentence; only the file if no line is
        /// known.
        position: Position,
        /// The problem.
        error: spanrs_tags::Error,
    },
    /// The tags of a side fit no scheme, or cannot be scored.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Gold and pred differ in tokens, in the lengths of sentences or in the text.
    #[error("{gold}: {message}")]
    Misaligned {
        /// Position in gold.
        gold: Position,
        /// Position in pred.
        pred: Position,
        /// The difference, with the position in pred.
        message: String,
    },
    /// Stacked tags (`I-S|B-NP`) that contradict each other.
    #[error("{position}: {message}")]
    Stacked {
        /// The line of the tag.
        position: Position,
        /// The problem and a remedy.
        message: String,
    },
    /// Tags do not conform to the scheme, under [`spanrs_tags::Reading::Refuse`]. Reported at the
    /// end of the file, so that all violations are counted.
    #[error("{}", refused(path, *scheme, violations))]
    Malformed {
        /// The file.
        path: String,
        /// The scheme in which the tags were read.
        scheme: spanrs_tags::Scheme,
        /// The number of violations, and the first ones with their lines.
        violations: Violations,
    },
    /// Spans that cannot be matched, because optimal matching would need too much memory.
    #[error("{position}: {error}")]
    Unmatched {
        /// The sentence in gold; only the file if the sentence is not known.
        position: Position,
        /// The reason, with advice.
        error: Unmatched,
    },
    /// A sentence that a CRF cannot tag.
    #[cfg(feature = "crf")]
    #[error("{position}: {error}")]
    Crf {
        /// The first line of the sentence; only the file if the line is not known.
        position: Position,
        /// The reason.
        error: spanrs_crf::Error,
    },
    /// The result cannot be written.
    #[error("cannot write the result: {0}")]
    Write(#[from] std::io::Error),
    /// The [`Progress`](crate::Progress) function returned false.
    #[error("interrupted")]
    Stopped,
}

impl Coded for Error {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Io(error) => error.kind(),
            Self::Input(error) => error.kind(),
            Self::Tags { error, .. } => error.kind(),
            Self::Misaligned { .. } => (ErrorClass::Alignment, "misaligned"),
            Self::Stacked { .. } => (ErrorClass::Format, "stacked_tags"),
            Self::Malformed { .. } => (ErrorClass::Scheme, "malformed"),
            Self::Unmatched { error, .. } => error.kind(),
            #[cfg(feature = "crf")]
            Self::Crf { error, .. } => error.kind(),
            Self::Write(_) => (ErrorClass::Format, "io"),
            Self::Stopped => Interrupted.kind(),
        }
    }

    fn sentence(&self) -> Option<usize> {
        match self {
            Self::Input(error) => error.sentence(),
            Self::Malformed { violations, .. } => {
                let first = violations.first.first()?;
                (first.line == 0).then_some(first.sentence as usize)
            }
            _ => None,
        }
    }

    fn position(&self) -> Option<Position> {
        match self {
            Self::Io(error) => error.position(),
            Self::Input(error) => error.position(),
            Self::Misaligned { gold, .. } => Some(gold.clone()),
            Self::Tags { position, .. }
            | Self::Stacked { position, .. }
            | Self::Unmatched { position, .. } => Some(position.clone()),
            #[cfg(feature = "crf")]
            Self::Crf { position, .. } => Some(position.clone()),
            Self::Malformed {
                path, violations, ..
            } => {
                let line = violations.first.first()?.line;
                (line > 0).then(|| Position::line(path, line))
            }
            Self::Write(_) | Self::Stopped => None,
        }
    }
}

impl From<Interrupted> for Error {
    /// Returns [`Error::Stopped`].
    fn from(_: Interrupted) -> Self {
        Self::Stopped
    }
}

/// The result of a job.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Returns the message of [`Error::Malformed`]: position, kind and context of the first violation,
/// and the total number of violations.
///
/// Violations in files have a line, from 1. Violations in other sources have line 0; their message
/// gives the sentence and the token.
fn refused(path: &str, scheme: spanrs_tags::Scheme, violations: &Violations) -> String {
    let Some(first) = violations.first.first() else {
        return format!("{path}: malformed tags");
    };
    let place = if first.line > 0 {
        Position::line(path, first.line).to_string()
    } else {
        format!(
            "{path} sentence {}, token {}",
            first.sentence, first.violation.index
        )
    };
    let (kind, context) = (first.violation.kind, first.violation.context());
    let more = match violations.count {
        0 | 1 => String::new(),
        n => format!(" ({n} violations in all)"),
    };
    format!(
        "{place}: {kind}: {context}{more}; the tags are not well-formed {}: fix them or choose another reading",
        scheme.name()
    )
}
