use std::fmt;

use arrow_schema::ArrowError;
use spanrs_base::{Coded, ErrorClass};
use spanrs_eval::input::InputError;
use spanrs_tags::Error as TagsError;

/// What is wrong with a column.
#[derive(Debug)]
pub enum ImportError {
    /// A type that does not hold sentences of tags, by its Arrow name.
    Type(String),
    /// The structures contradict each other or the interface.
    Invalid(String),
    /// A tag that is not UTF-8.
    Encoding {
        /// Index of the sentence, from 0.
        sentence: usize,
        /// Index of the token in it, from 0.
        token: usize,
        /// The bytes, escaped.
        bytes: String,
    },
}

impl From<ArrowError> for ImportError {
    fn from(error: ArrowError) -> Self {
        Self::Invalid(error.to_string())
    }
}

/// Why columns cannot be scored.
#[derive(Debug)]
pub enum ColumnError {
    /// A type that does not hold sentences of tags.
    Type(String),
    /// A column that cannot be read.
    Format {
        /// What is wrong.
        message: String,
        /// `bad_arrow` or `encoding`.
        code: &'static str,
        /// Index of the sentence, from 0, where it is known.
        sentence: Option<usize>,
    },
    /// What holds for any other input.
    Input(InputError),
}

impl fmt::Display for ColumnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type(message) | Self::Format { message, .. } => f.write_str(message),
            Self::Input(error) => error.fmt(f),
        }
    }
}

impl Coded for ColumnError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Type(_) => ErrorClass::Type,
            Self::Format { .. } => ErrorClass::Format,
            Self::Input(error) => error.class(),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Type(_) => "type",
            Self::Format { code, .. } => code,
            Self::Input(error) => error.code(),
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

impl From<InputError> for ColumnError {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}

impl From<TagsError> for ColumnError {
    fn from(error: TagsError) -> Self {
        Self::Input(error.into())
    }
}

impl ImportError {
    /// The error of a column called `side`.
    pub fn of(self, side: &str) -> ColumnError {
        match self {
            Self::Type(kind) => ColumnError::Type(match kind.strip_prefix("lists of ") {
                None => format!(
                    "{side} is an Arrow column of {kind}; it must be a list column, one list of tags a sentence"
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
