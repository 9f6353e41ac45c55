use spanrs_base::{Coded, ErrorClass};

/// Counts that cannot be merged, stored or loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountsError {
    /// The counts are those of different matchers.
    #[error("counts of the matcher {found} are no counts of {expected}")]
    Schema {
        /// The matcher of the counts that are added to, or that are asked for.
        expected: String,
        /// The other one.
        found: String,
    },
    /// One of two counts has documents, and the other one has sums alone.
    #[error("counts by document do not merge with counts without documents")]
    Documents,
    /// Types cannot be renamed.
    #[error(
        "the {matcher} matcher would match other spans if types had other names; choose types before scoring"
    )]
    Rename {
        /// The matcher.
        matcher: &'static str,
    },
    /// The last document was not ended.
    #[error("a document is still open; end it first")]
    OpenDocument,
    /// An order of documents does not name each of them once.
    #[error("an order of documents has the place of each of them once")]
    Order,
    /// A system has two documents with one key.
    #[error("{system} has document {document} more than once; name each document once")]
    Repeated {
        /// The key.
        document: String,
        /// The system.
        system: String,
    },
    /// A document that one system has and another one has not.
    #[error(
        "{system} has no document {document}; paired tests need the same documents of every system"
    )]
    Unpaired {
        /// The key.
        document: String,
        /// The system without it.
        system: String,
    },
    /// A document of two systems does not have the same gold spans, sentences or tokens.
    #[error(
        "{first} and {system} have different gold spans, sentences or tokens in document {document}; paired tests need \
         the same gold data"
    )]
    Gold {
        /// The first system.
        first: String,
        /// The key.
        document: String,
        /// The system.
        system: String,
    },
    /// A sum is too large for 64 bits, with room to count on.
    #[error("the counts are too large to be added")]
    Overflow,
    /// The bytes are of another version of the format, or no counts.
    #[error("these are no counts of spanrs, or counts of another version")]
    Version,
    /// The bytes are cut off, changed, or not as they are written.
    #[error("the counts are damaged at byte {at}: {reason}")]
    Damaged {
        /// Where, from 0.
        at: usize,
        /// What is wrong there.
        reason: &'static str,
    },
    /// More values of measures than fit into memory.
    #[error(
        "{samples} samples of {measures} measures are {} values, and {most} is the limit",
        .samples.saturating_mul(*.measures)
    )]
    TooManyValues {
        /// Samples.
        samples: u64,
        /// Measures of each, of all systems.
        measures: u64,
        /// The limit.
        most: u64,
    },
    /// A criterion, document or system that does not exist, or weights that do not fit.
    #[error("{0}")]
    Argument(String),
}

impl Coded for CountsError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Repeated { .. } | Self::Unpaired { .. } | Self::Gold { .. } => {
                ErrorClass::Alignment
            }
            Self::Version | Self::Order | Self::Damaged { .. } => ErrorClass::Format,
            Self::TooManyValues { .. } => ErrorClass::Limit,
            Self::Argument(_) => ErrorClass::Value,
            _ => ErrorClass::Scheme,
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::Schema { .. } | Self::Documents => "signature",
            Self::Rename { .. } => "rename",
            Self::OpenDocument | Self::Overflow => "counts",
            Self::Repeated { .. } | Self::Unpaired { .. } | Self::Gold { .. } => "documents",
            Self::Version | Self::Order | Self::Damaged { .. } => "damaged",
            Self::TooManyValues { .. } => "too_many_values",
            Self::Argument(_) => "argument",
        }
    }
}
