//! Errors of the import and of columns.
//!
//! An [`ImportError`] does not contain the side of the column; [`ImportError::of`] adds the side
//! and creates the message. The binding turns each [`ColumnError`] into a Python exception:
//!
//! | import | column | meaning |
//! |---|---|---|
//! | [`ImportError::Type`] | [`ColumnError::Type`] | the column does not contain tags |
//! | [`ImportError::Invalid`] | [`ColumnError::Format`], `bad_arrow` | the structures or contents of the column are damaged |
//! | [`ImportError::Encoding`] | [`ColumnError::Format`], `encoding` | a tag is not UTF-8 |
//! | | [`ColumnError::Input`] | gold and pred do not match, or a tag is invalid |

use arrow_schema::ArrowError;
use spanrs_base::{Coded, ErrorClass};
use spanrs_eval::input::InputError;
use spanrs_tags::Error as TagsError;

/// The reason why an array or stream of the C data interface could not be imported.
#[derive(Debug)]
pub enum ImportError {
    /// A type that does not contain sentences of tags: the Arrow type name of the column (`Utf8`),
    /// or `lists of` followed by the type name of the items (`lists of Float64`).
    Type(String),
    /// The structures contradict each other or the interface, have already been consumed, or their
    /// producer reported an error; the string describes the problem.
    Invalid(String),
    /// A tag that is not UTF-8, although the type of the column is UTF-8.
    Encoding {
        /// Index of the sentence in its array (in a stream, the chunk), from 0.
        sentence: usize,
        /// Index of the token in the sentence, from 0.
        token: usize,
        /// The bytes of the tag, with escapes for bytes that are not printable ASCII; at most 40
        /// characters.
        bytes: String,
    },
}

impl From<ArrowError> for ImportError {
    /// Keeps the message of arrow's validation.
    fn from(error: ArrowError) -> Self {
        Self::Invalid(error.to_string())
    }
}

/// The reason why columns cannot be scored.
#[derive(Debug, thiserror::Error)]
pub enum ColumnError {
    /// A type that does not contain sentences of tags, or integers without a vocabulary; the string
    /// is a message for users.
    #[error("{0}")]
    Type(String),
    /// A column that could not be imported.
    #[error("{message}")]
    Format {
        /// A message for users that includes the side.
        message: String,
        /// `bad_arrow` for [`ImportError::Invalid`], `encoding` for [`ImportError::Encoding`].
        code: &'static str,
        /// Index of the sentence, from 0, if it is known.
        sentence: Option<usize>,
    },
    /// Errors that also occur with other kinds of input: sides of different lengths, unknown ids,
    /// missing tags, too many tags, an interruption.
    #[error(transparent)]
    Input(#[from] InputError),
}

impl Coded for ColumnError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Type(_) => (ErrorClass::Type, "type"),
            Self::Format { code, .. } => (ErrorClass::Format, code),
            Self::Input(error) => error.kind(),
        }
    }

    fn sentence(&self) -> Option<usize> {
        match self {
            Self::Type(_) => None,
            Self::Format { sentence, .. } => *sentence,
            Self::Input(error) => error.sentence(),
        }
    }
}

impl From<TagsError> for ColumnError {
    /// Wraps an error of the reader, such as too many tags, as an [`InputError`].
    fn from(error: TagsError) -> Self {
        Self::Input(error.into())
    }
}

impl ImportError {
    /// Creates the error message for the column `side` (`gold` or `pred`), with advice on what to
    /// pass instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use spanrs_arrow::{ColumnError, ImportError};
    /// let error = ImportError::Type("lists of Float64".to_owned()).of("gold");
    /// assert!(matches!(error, ColumnError::Type(message) if message
    ///     == "the lists of gold hold Float64; tags are strings, a dictionary of strings, or integers"));
    ///
    /// let bytes = r"caf\xe9".to_owned();
    /// let error = ImportError::Encoding { sentence: 3, token: 0, bytes }.of("pred");
    /// let ColumnError::Format { message, code, sentence } = error else { unreachable!() };
    /// assert_eq!((code, sentence), ("encoding", Some(3)));
    /// assert!(message.contains(r"at row 3, token 0, a tag that is not UTF-8: b'caf\xe9'"));
    /// ```
    pub fn of(self, side: &str) -> ColumnError {
        match self {
            Self::Type(kind) => ColumnError::Type(match kind.strip_prefix("lists of ") {
                None => format!(
                    "{side} is an Arrow column of {kind}; it must be a list column, one list of tags per sentence"
                ),
                Some(item) => format!(
                    "the lists of {side} hold {item}; tags are strings, a dictionary of strings, or integers"
                ),
            }),
            Self::Invalid(message) => ColumnError::Format {
                message: format!("the Arrow column {side} cannot be read: {message}"),
                code: "bad_arrow",
                sentence: None,
            },
            Self::Encoding {
                sentence,
                token,
                bytes,
            } => ColumnError::Format {
                message: format!(
                    "the Arrow column {side} has at row {sentence}, token {token}, a tag that is not UTF-8: \
                     b'{bytes}'; decode it, and encode it as UTF-8"
                ),
                code: "encoding",
                sentence: Some(sentence),
            },
        }
    }
}
