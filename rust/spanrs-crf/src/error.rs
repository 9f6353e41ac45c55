use spanrs_base::{Coded, ErrorClass};

/// Errors of this crate.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// Two inputs do not fit together.
    #[error("expected {expected} {what}, got {found}")]
    Shape {
        /// What was counted, in the plural.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Attribute id out of range.
    #[error("attribute {attribute} is out of range: there are {attributes}")]
    Attribute {
        /// The id.
        attribute: u32,
        /// Number of attributes.
        attributes: usize,
    },
    /// Attribute value that is NaN or infinite.
    #[error("attribute {attribute} has the value {value}; values must be finite")]
    Value {
        /// The id.
        attribute: u32,
        /// The value.
        value: f64,
    },
    /// Label id out of range.
    #[error("label {label} is out of range: there are {labels}")]
    Label {
        /// The id.
        label: u32,
        /// Number of labels.
        labels: usize,
    },
    /// Token without strings.
    #[error("token {token} has no columns")]
    NoColumns {
        /// The token, from 0 in its sequence.
        token: usize,
    },
    /// Token with another number of columns than the one before.
    #[error("token {token} has {columns} columns, the one before {before}")]
    Width {
        /// The token, from 0 in its sequence.
        token: usize,
        /// Its columns.
        columns: usize,
        /// Columns of the token before.
        before: usize,
    },
    /// Soft labels that are not a probability distribution.
    #[error("token {token}: label probabilities must be between 0 and 1 and sum to 1")]
    Distribution {
        /// The token, from 0 in its sequence.
        token: usize,
    },
    /// Partial labels that allow nothing.
    #[error("token {token}: no label is allowed")]
    NoLabel {
        /// The token, from 0 in its sequence.
        token: usize,
    },
    /// Sequence weight that is negative or not finite.
    #[error("the weight of a sequence must be finite and at least 0, not {weight}")]
    Weight {
        /// The weight.
        weight: f64,
    },
    /// Transition score that is NaN or positive infinity.
    #[error("the transition from label {from} to {to} has the score {score}")]
    Transition {
        /// Row.
        from: usize,
        /// Column.
        to: usize,
        /// The score.
        score: f64,
    },
    /// The scheme's constraint or the given labels forbid every labelling.
    #[error(
        "every labelling of the sequence is forbidden, by the scheme or by the labels that are given"
    )]
    NoPath,
    /// Too many labellings were asked for.
    #[error(
        "the {n} best labellings of a sequence as long as this need too much memory; ask for fewer"
    )]
    NBest {
        /// How many.
        n: usize,
    },
    /// Weights or scores that overflowed, or are NaN.
    #[error("weights or scores are not finite")]
    NotFinite,
    /// A model file that cannot be read.
    #[error("{message}")]
    File {
        /// What is wrong.
        message: String,
    },
    /// More labels than a model, or a file of this size, can have.
    #[error("{labels} labels; a model has at most {max}, and a small file fewer; check that the label column is not the token column", max = crate::model::MAX_LABELS)]
    Labels {
        /// How many there are.
        labels: usize,
    },
    /// More features than 32 bits can number.
    #[error("{features} features; a model has at most 2^32; leave out rare ones (min_freq)")]
    Features {
        /// How many there are.
        features: usize,
    },
    /// A feature listed twice.
    #[error("a feature is listed twice")]
    Duplicate,
    /// A target that an algorithm cannot learn from.
    #[error(
        "{algorithm} learns from labels and partial labels, not from distributions; use lbfgs or l2sgd"
    )]
    Target {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// Names, labels or features that cannot be used.
    #[error("{0}")]
    Input(String),
    /// The watch asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl Coded for Error {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Shape { .. } => ErrorClass::Alignment,
            Self::Labels { .. } | Self::Features { .. } | Self::NBest { .. } => ErrorClass::Limit,
            Self::Interrupted => ErrorClass::Interrupted,
            _ => ErrorClass::Model,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::File { .. } => "damaged",
            Self::Shape { .. } => "shape",
            Self::NotFinite | Self::Transition { .. } => "not_finite",
            Self::Labels { .. } => "too_many_labels",
            Self::Features { .. } => "too_many_features",
            Self::NBest { .. } => "too_many_labellings",
            Self::NoPath => "no_labelling",
            Self::Interrupted => "interrupted",
            _ => "bad_value",
        }
    }
}

/// Results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Checks a number of things; `what` is their name in the plural.
///
/// # Errors
/// [`Error::Shape`].
pub fn check_len(what: &'static str, expected: usize, found: usize) -> Result<()> {
    match expected == found {
        true => Ok(()),
        false => Err(Error::Shape {
            what,
            expected,
            found,
        }),
    }
}
