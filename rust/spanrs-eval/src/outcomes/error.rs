//! Errors of merging, storing, loading and comparing counts.

use spanrs_base::{Coded, ErrorClass};

/// Why counts cannot be merged, stored, loaded, measured or compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountsError {
    /// The counts belong to different matchers.
    #[error("these are counts of the matcher {found}, not of {expected}")]
    Schema {
        /// Name of the expected schema.
        expected: String,
        /// Name of the other schema.
        found: String,
    },
    /// One of two counts has documents and the other has totals only, or documents are required, or
    /// the numbers of documents differ; the message says which.
    #[error("{0}")]
    Documents(&'static str),
    /// Types cannot be renamed without matching again.
    #[error(
        "the {matcher} matcher would match other spans if types had other names; choose types before scoring"
    )]
    Rename {
        /// Name of the schema.
        matcher: &'static str,
    },
    /// Merged types may match other spans with the same bounds.
    #[error(
        "merged types may match other spans, because several unmatched spans have equal bounds (number of such \
         groups: {groups}); merge the types before scoring"
    )]
    AmbiguousRename {
        /// Number of groups of spans with equal bounds.
        groups: u64,
    },
    /// Something was counted after the end of the last document.
    #[error("a document is still open; end it first")]
    OpenDocument,
    /// An order of documents does not contain each document exactly once.
    #[error("an order of documents must contain the index of each document exactly once")]
    Order,
    /// A system has two documents with the same key, so documents cannot be paired.
    #[error("{system} has document {document} more than once; document names must be unique")]
    Repeated {
        /// Key of the document.
        document: String,
        /// Name of the system.
        system: String,
    },
    /// One system has a document that another system does not have.
    #[error(
        "{system} has no document {document}; paired tests need the same documents in every system"
    )]
    Unpaired {
        /// Key of the document.
        document: String,
        /// Name of the system without the document.
        system: String,
    },
    /// A document does not have the same numbers of gold spans, sentences or tokens in two systems.
    #[error(
        "{first} and {system} have different gold spans, sentences or tokens in document {document}; paired tests need \
         the same gold data"
    )]
    Gold {
        /// Name of the first system.
        first: String,
        /// Key of the document.
        document: String,
        /// Name of the system that differs from the first system.
        system: String,
    },
    /// A sum exceeds 2^62. The margin to 64 bits keeps further counting from overflowing.
    #[error("the counts are too large to be added")]
    Overflow,
    /// The bytes are not counts, or are counts in another version of the format.
    #[error("these are not counts of spanrs, or they have another format version")]
    Version,
    /// The bytes are truncated or altered, or are not in the canonical form.
    #[error("the counts are damaged at byte {at}: {reason}")]
    Damaged {
        /// Byte offset at which reading failed, from 0.
        at: usize,
        /// The problem at this offset.
        reason: &'static str,
    },
    /// Samples would have too many measure values to keep in memory.
    #[error(
        "{samples} samples of {measures} measures are {} values; the limit is {most}",
        .samples.saturating_mul(*.measures)
    )]
    TooManyValues {
        /// Number of samples.
        samples: u64,
        /// Number of values per sample: measures times systems.
        measures: u64,
        /// The maximum number of values.
        most: u64,
    },
    /// A criterion that does not exist, or a wrong number of weights or names.
    #[error("{0}")]
    Argument(String),
}

impl Coded for CountsError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        use ErrorClass::{Alignment, Format, Limit, Scheme, Value};
        match self {
            Self::Schema { .. } | Self::Documents(_) => (Scheme, "signature"),
            Self::Rename { .. } | Self::AmbiguousRename { .. } => (Scheme, "rename"),
            Self::OpenDocument | Self::Overflow => (Scheme, "counts"),
            Self::Repeated { .. } | Self::Unpaired { .. } | Self::Gold { .. } => {
                (Alignment, "documents")
            }
            Self::Version | Self::Order | Self::Damaged { .. } => (Format, "damaged"),
            Self::TooManyValues { .. } => (Limit, "too_many_values"),
            Self::Argument(_) => (Value, "argument"),
        }
    }
}
