//! Errors of merging, storing, loading and comparing counts.

/// Why counts cannot be merged, stored, loaded or compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountsError {
    /// The counts belong to different matchers.
    #[error("counts of the matcher {found} are no counts of {expected}")]
    Schema {
        /// Name of the schema that is added to or asked for.
        expected: String,
        /// Name of the other schema.
        found: String,
    },
    /// One of two counts has documents and the other has totals only, or documents are required, or
    /// their numbers differ.
    #[error("counts by document do not merge with counts without documents")]
    Documents,
    /// Types cannot be renamed without matching again.
    #[error(
        "the {matcher} matcher would match other spans if types had other names; choose types before scoring"
    )]
    Rename {
        /// Name of the schema.
        matcher: &'static str,
    },
    /// Something was counted after the end of the last document.
    #[error("a document is still open; end it first")]
    OpenDocument,
    /// An order of documents does not name each of them exactly once.
    #[error("an order of documents has the place of each of them once")]
    Order,
    /// A system has two documents with one key, so that documents cannot be paired.
    #[error("system {system} has the document {document} more than once; name each document once")]
    Repeated {
        /// Key of the document.
        document: String,
        /// Index of the system, from 0.
        system: usize,
    },
    /// One system has a document that another one lacks.
    #[error(
        "the systems do not have the same documents: system {system} has no document {document}"
    )]
    Unpaired {
        /// Key of the document.
        document: String,
        /// Index of the system that lacks it, from 0.
        system: usize,
    },
    /// A document does not have the same numbers of gold spans, sentences or tokens in two systems.
    #[error("system {system} has other gold spans, sentences or tokens in document {document}")]
    Gold {
        /// Key of the document.
        document: String,
        /// Index of the system that differs from the first one, from 0.
        system: usize,
    },
    /// A sum exceeds 2^62. The margin to 64 bits keeps counting on from overflowing.
    #[error("the counts are too large to be added")]
    Overflow,
    /// The bytes are not counts, or counts of another version of the format.
    #[error("these are no counts of spanrs, or counts of another version")]
    Version,
    /// The bytes are cut off or altered, or are not the canonical form that is written.
    #[error("the counts are damaged at byte {at}: {reason}")]
    Damaged {
        /// Byte offset at which reading failed, from 0.
        at: usize,
        /// What is wrong there.
        reason: &'static str,
    },
}
