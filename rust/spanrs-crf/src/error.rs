//! The error type of this crate.
//!
//! All functions that can fail return [`Error`], except the template parser, whose
//! [`crate::TemplateError`] gives a line and a column. Errors carry numbers (of tokens, labels,
//! attributes), and contain names only in the message of [`Error::Input`]: the caller knows the
//! names, and also the index of the sequence if the error does not contain it. Methods that process
//! several sequences add that index as the second entry of a pair ([`crate::SequenceError`]), which
//! `?` turns into [`Error::InSequence`].

use spanrs_base::{Coded, ErrorClass, Interrupted};

/// Largest number of labels in a model. Transitions take about 48 bytes for each pair of labels
/// (768 MiB at the limit), and if the token column is read as the label column, this is detected
/// before it fills the memory.
pub const MAX_LABELS: usize = 4096;

/// Why a corpus, model, sequence or option was rejected, or why training or decoding stopped.
///
/// The message (`Display`) is a sentence for the user, without a full stop.
///
/// ```
/// use spanrs_crf::{Corpus, Error};
/// let mut corpus = Corpus::new(2, 3);
/// let error = corpus.token([(3, 1.0)]).unwrap_err();
/// assert_eq!(error, Error::Attribute { attribute: 3, attributes: 3 });
/// assert_eq!(error.to_string(), "attribute 3 is out of range: there are 3");
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// An option that is out of range; the message names it.
    #[error("{0}")]
    Option(String),
    /// Two inputs have lengths that do not match, such as weights and features.
    #[error("expected {expected} {what}, got {found}")]
    Shape {
        /// Name of the counted items, in the plural: `weights`, `token labels`.
        what: &'static str,
        /// The length that the other input requires.
        expected: usize,
        /// The length that was given.
        found: usize,
    },
    /// A sequence number that is not less than the number of sequences.
    #[error("sequence {sequence} is out of range: there are {sequences}")]
    Sequence {
        /// The number that was given.
        sequence: usize,
        /// Number of sequences; the largest valid number is one less.
        sequences: usize,
    },
    /// An attribute number that is not less than the number of attributes in the corpus, the
    /// sequences or the model.
    #[error("attribute {attribute} is out of range: there are {attributes}")]
    Attribute {
        /// The number that was given.
        attribute: u32,
        /// Number of attributes; the largest valid number is one less.
        attributes: usize,
    },
    /// An attribute value that is NaN, infinite, or in training larger than
    /// [`crate::MAX_TRAINING_VALUE`] in absolute value. Zero and negative values are accepted.
    #[error(
        "attribute {attribute} has the value {value}; values must be finite, and in training at most 1e100 in absolute value"
    )]
    Value {
        /// The attribute with this value.
        attribute: u32,
        /// The value that was given.
        value: f64,
    },
    /// A value of a token's vector that is NaN or infinite.
    #[error(
        "token {token}: column {column} of its dense row is {value} in 32 bits; values must be finite"
    )]
    Vector {
        /// Index of the token in its sequence, from 0.
        token: usize,
        /// Index of the column, from 0.
        column: usize,
        /// The value that was given.
        value: f32,
    },
    /// A label that is not below the number of labels.
    #[error("label {label} is out of range: there are {labels}")]
    Label {
        /// The number that was given; `u32::MAX` for a number that does not fit into 32 bits. Where
        /// a pair of labels is out of range ([`crate::Counts`]), the number is
        /// `from * labels + to`.
        label: u32,
        /// Number of labels; the largest valid number is one less.
        labels: usize,
    },
    /// A token without strings in [`crate::Columns`]; a template needs at least one column.
    #[error("token {token} has no columns")]
    NoColumns {
        /// Index of the token in its sequence, from 0.
        token: usize,
    },
    /// A token with more or fewer columns than the previous token in the same sequence.
    #[error("token {token} has {columns} columns, the previous token has {before}")]
    Width {
        /// Index of the token in its sequence, from 0; at least 1.
        token: usize,
        /// Number of columns of this token.
        columns: usize,
        /// Number of columns of the previous token.
        before: usize,
    },
    /// A row of label probabilities that has an entry outside 0 to 1 or does not sum to 1
    /// (tolerance 1e-6), or a row of label counts that is negative or does not sum to the total
    /// weight.
    #[error("token {token}: label probabilities must be between 0 and 1 and sum to 1")]
    Distribution {
        /// Index of the token in its sequence, from 0.
        token: usize,
    },
    /// A token of a partial target for which no label is allowed.
    #[error("token {token}: no label is allowed")]
    NoLabel {
        /// Index of the token in its sequence, from 0.
        token: usize,
    },
    /// A weight of a sequence or of a labelling that is negative, infinite or NaN.
    #[error("the weight of a sequence must be finite and at least 0, not {weight}")]
    Weight {
        /// The weight that was given.
        weight: f64,
    },
    /// A class weight that is not finite and above 0.
    #[error("a class weight must be finite and above 0, not {weight}")]
    ClassWeight {
        /// The weight that was given.
        weight: f64,
    },
    /// A transition score that is NaN or positive infinity. In training this means that weights
    /// overflowed; a line search then shortens the step.
    #[error("the transition from label {from} to {to} has the score {score}")]
    Transition {
        /// The label of the earlier token.
        from: usize,
        /// The label of the later token.
        to: usize,
        /// The score that was given.
        score: f64,
    },
    /// All labellings have the score negative infinity: the constraint of the model and the labels
    /// allowed by the caller are contradictory, or a token has no allowed label.
    #[error("every labelling of the sequence is forbidden by the scheme or the given labels")]
    NoPath,
    /// n-best decoding would need more than 2^24 prefixes (256 MiB); their number is at most
    /// `n * tokens * labels`.
    #[error(
        "the {n} best labellings of a sequence of this length need too much memory; request fewer"
    )]
    NBest {
        /// The requested number of labellings.
        n: usize,
    },
    /// Scores, weights or the objective are NaN or infinite, usually because the learning rate or
    /// the values of attributes are too large.
    #[error("weights or scores are not finite")]
    NotFinite,
    /// A model file or its metadata is truncated, malformed, or has another format version.
    #[error("{message}")]
    File {
        /// Description of the error for the user.
        message: String,
    },
    /// There are more than [`crate::MAX_LABELS`] labels, or more labels than a file of this size
    /// can plausibly have ([`crate::check_labels`]).
    #[error("{labels} labels; a model has at most {max}, and a model in a small file fewer; check that the label column is not the token column", max = MAX_LABELS)]
    Labels {
        /// Number of labels found.
        labels: usize,
    },
    /// There are more features than a 32-bit number can index: `u32::MAX` is the limit.
    #[error("{features} features; a model has at most 2^32 - 1; exclude rare features (min_freq)")]
    Features {
        /// Number of features found.
        features: usize,
    },
    /// The same (attribute, label) or (from, to) pair occurs twice in the lists given to
    /// [`crate::Features::listed`].
    #[error("a feature is listed twice")]
    Duplicate,
    /// [`crate::Online`] algorithms compare two labellings, so they accept only
    /// [`crate::Target::Labels`] and [`crate::Target::Partial`].
    #[error(
        "{algorithm} learns from labels and partial labels, not from distributions; use lbfgs or l2sgd"
    )]
    Target {
        /// Name of the algorithm, as used in the message.
        algorithm: &'static str,
    },
    /// A temporary file of a corpus that cannot be written or read; the message says where it is.
    #[error("{0}")]
    Spill(String),
    /// A name that is not in the model, or names, labels or features that cannot be used for
    /// another reason, which is given in the message.
    #[error("{0}")]
    Input(String),
    /// An error in one of several sequences.
    #[error("sequence {sequence}: {error}")]
    InSequence {
        /// Index of the sequence, from 0.
        sequence: usize,
        /// The error.
        error: Box<Self>,
    },
    /// The [`spanrs_base::Watch`] returned true (Ctrl-C). Earlier results are kept if the
    /// documentation of the method says so.
    #[error("interrupted")]
    Interrupted,
}

impl From<Interrupted> for Error {
    fn from(_: Interrupted) -> Self {
        Self::Interrupted
    }
}

impl From<(Self, usize)> for Error {
    fn from((error, sequence): (Self, usize)) -> Self {
        match error {
            Self::Interrupted => error,
            error => Self::InSequence {
                sequence,
                error: Box::new(error),
            },
        }
    }
}

impl Coded for Error {
    fn kind(&self) -> (ErrorClass, &'static str) {
        use ErrorClass::{Alignment, Limit, Model, Value};
        match self {
            Self::Option(_) => (Value, "bad_value"),
            Self::File { .. } => (Model, "damaged"),
            Self::Shape { .. } => (Alignment, "shape"),
            Self::NotFinite | Self::Transition { .. } => (Model, "not_finite"),
            Self::Labels { .. } => (Limit, "too_many_labels"),
            Self::Features { .. } => (Limit, "too_many_features"),
            Self::NBest { .. } => (Limit, "too_many_labellings"),
            Self::NoPath => (Model, "no_labelling"),
            Self::Spill(_) => (Limit, "temporary_file"),
            Self::Interrupted => Interrupted.kind(),
            Self::InSequence { error, .. } => error.kind(),
            _ => (Model, "bad_value"),
        }
    }

    fn sentence(&self) -> Option<usize> {
        match self {
            Self::InSequence { sequence, .. } => Some(*sequence),
            _ => None,
        }
    }
}

/// Result with this crate's [`enum@Error`] unless another error type is given.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Checks a length; `what` is the name of the counted items, in the plural, and becomes part of the
/// message.
///
/// # Errors
/// [`Error::Shape`] if `found` differs from `expected`.
///
/// # Examples
/// ```
/// use spanrs_crf::check_len;
/// assert!(check_len("weights", 3, 3).is_ok());
/// let error = check_len("weights", 3, 2).unwrap_err();
/// assert_eq!(error.to_string(), "expected 3 weights, got 2");
/// ```
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
