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
    #[error("system {system} has the document {document} more than once; name each document once")]
    Repeated {
        /// The key.
        document: String,
        /// The system, from 0.
        system: usize,
    },
    /// A document that one system has and another one has not.
    #[error(
        "the systems do not have the same documents: system {system} has no document {document}"
    )]
    Unpaired {
        /// The key.
        document: String,
        /// The system without it, from 0.
        system: usize,
    },
    /// A document of two systems does not have the same gold spans, sentences or tokens.
    #[error("system {system} has other gold spans, sentences or tokens in document {document}")]
    Gold {
        /// The key.
        document: String,
        /// The system, from 0.
        system: usize,
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
}
