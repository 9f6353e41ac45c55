//! Errors in reading and writing CRFsuite models.
//!
//! Errors in reading give the byte offset in the file, so that they can be located in a hex dump;
//! errors in writing give the index of the feature or name in the model.

use std::fmt;

/// The position of an error in a file or model. Displayed as `byte 12`, `state feature 3` or
/// `transition feature 0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Byte offset in the file, 0-based.
    Byte(u64),
    /// Index in [`CrfsuiteModel::states`](super::CrfsuiteModel::states).
    State(usize),
    /// Index in [`CrfsuiteModel::transitions`](super::CrfsuiteModel::transitions).
    Transition(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Byte(offset) => write!(f, "byte {offset}"),
            Self::State(index) => write!(f, "state feature {index}"),
            Self::Transition(index) => write!(f, "transition feature {index}"),
        }
    }
}

/// Error in reading or writing a CRFsuite model.
///
/// # Examples
///
/// ```
/// use spanrs_compat::crfsuite::{CrfsuiteError, CrfsuiteModel, Place, State};
/// let state = State { attribute: 0, label: 7, weight: 1.0 };
/// let model = CrfsuiteModel {
///     labels: vec![b"O".to_vec()],
///     attributes: vec![b"word=a".to_vec()],
///     states: vec![state],
///     ..Default::default()
/// };
/// let error = model.to_bytes().unwrap_err();
/// let (at, what) = (Place::State(0), "label");
/// assert_eq!(error, CrfsuiteError::Id { at, what, id: 7, count: 1 });
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CrfsuiteError {
    /// The file does not start with `lCRF`, so it is not a CRFsuite model.
    #[error("byte 0: not a CRFsuite model: the file does not start with \"lCRF\"")]
    Magic,
    /// A model type other than `FOMC`.
    #[error("byte 8: model type \"{}\" is not supported, only \"FOMC\"", .found.escape_ascii())]
    ModelType {
        /// The type in the file.
        found: [u8; 4],
    },
    /// A format version other than 100.
    #[error("byte 12: format version {found} is not supported, only 100")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// A file with big-endian integers, written on another machine.
    #[error(
        "byte {offset}: the file was written on a big-endian machine; only little-endian files are supported"
    )]
    BigEndian {
        /// Byte offset.
        offset: u64,
    },
    /// The file ends too early, or an offset or count points past its end.
    #[error("byte {offset}: {what}: {needed} bytes expected, but the data ends at byte {end}")]
    Truncated {
        /// Description of the data that was expected.
        what: &'static str,
        /// Byte offset of the start of the data.
        offset: u64,
        /// Size of the data in bytes.
        needed: u64,
        /// Byte offset of the end of the file or of the string database.
        end: u64,
    },
    /// A wrong identifier at the start of a chunk.
    #[error("byte {offset}: expected a \"{expected}\" chunk, found \"{}\"", .found.escape_ascii())]
    Chunk {
        /// Byte offset.
        offset: u64,
        /// Identifier of the chunk.
        expected: &'static str,
        /// The four bytes in the file.
        found: [u8; 4],
    },
    /// Two counts are inconsistent.
    #[error("byte {offset}: {what}: expected {expected}, found {found}")]
    Count {
        /// Name of the count.
        what: &'static str,
        /// Byte offset.
        offset: u64,
        /// Expected number.
        expected: u64,
        /// Number in the file.
        found: u64,
    },
    /// A string database is inconsistent.
    #[error("byte {offset}: {what} names: {reason}")]
    Database {
        /// `"label"` or `"attribute"`.
        what: &'static str,
        /// Byte offset.
        offset: u64,
        /// Description of the error.
        reason: &'static str,
    },
    /// A name does not end with its first NUL byte.
    #[error("byte {offset}: the name of {what} {id} does not end with its first NUL byte")]
    Unterminated {
        /// `"label"` or `"attribute"`.
        what: &'static str,
        /// Id of the name.
        id: u32,
        /// Byte offset of the name.
        offset: u64,
    },
    /// A feature of an unknown type.
    #[error("byte {offset}: unknown feature type {found}")]
    FeatureType {
        /// Byte offset of the feature.
        offset: u64,
        /// The type in the file.
        found: u32,
    },
    /// The reference lists do not agree with the features.
    #[error("byte {offset}: {reason}")]
    Reference {
        /// Byte offset.
        offset: u64,
        /// Description of the error.
        reason: &'static str,
    },
    /// An id is out of range.
    #[error("{at}: {what} id {id} is out of range: the model has {count}")]
    Id {
        /// Where the error is.
        at: Place,
        /// `"label"`, `"attribute"` or `"feature"`.
        what: &'static str,
        /// The id.
        id: u32,
        /// Number of ids.
        count: usize,
    },
    /// A weight is NaN or infinite.
    #[error("{at}: the weight is {weight}; weights must be finite")]
    Weight {
        /// Where the error is.
        at: Place,
        /// The weight.
        weight: f64,
    },
    /// There is a second feature for the same attribute and label, or the same pair of labels.
    #[error("{at}: the feature occurs twice")]
    DuplicateFeature {
        /// The later feature.
        at: Place,
    },
    /// A name occurs twice.
    #[error("{what} {id}: the name \"{}\" occurs twice", .name.escape_ascii())]
    DuplicateName {
        /// `"label"` or `"attribute"`.
        what: &'static str,
        /// The larger of the two ids.
        id: usize,
        /// The name.
        name: Vec<u8>,
    },
    /// A name contains a NUL byte, which the format cannot store.
    #[error("{what} {id}: the name \"{}\" contains a NUL byte, which CRFsuite's format cannot store", .name.escape_ascii())]
    NulInName {
        /// `"label"` or `"attribute"`.
        what: &'static str,
        /// The id.
        id: usize,
        /// The name.
        name: Vec<u8>,
    },
    /// The file of the model would be too large for 32-bit offsets.
    #[error("the model is too large for CRFsuite's format, which is limited to 4 GiB")]
    TooLarge,
}
