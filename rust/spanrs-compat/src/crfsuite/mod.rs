//! CRFsuite's binary model file: first-order CRF (`lCRF`, type `FOMC`, version 100).
//!
//! All integers are little-endian `u32`, all weights little-endian `f64`. Offsets in the header and
//! in reference lists count from the start of the file, offsets inside a string database from the
//! start of that database.
//!
//! ```text
//! header     "lCRF" size "FOMC" 100 0 labels attributes, offsets of FEAT, labels, attributes, LFRF, AFRF
//! FEAT       "FEAT" size n, n times (type, source, target, weight)
//! labels     string database (CQDB)
//! attributes string database (CQDB)
//! LFRF       "LFRF" size L+2, L+2 offsets; at each offset the transition features that leave the label
//! AFRF       "AFRF" size A, A offsets; at each offset the state features of the attribute
//! ```
//!
//! A feature of type 0 is a state feature (attribute to label), one of type 1 a transition (label
//! to label). The field for the number of features in the header is always 0. The last two entries
//! of `LFRF` were the transitions from the start and to the end of a sequence (types 2 and 3) in
//! early releases. CRFsuite 0.12 writes 0 there and its tagger ignores such features in old files;
//! [`CrfsuiteModel::from_bytes`] ignores them too, and [`count_boundary_features`] counts them.
//!
//! The reader accepts only files in which a model is stored without contradictions: every feature
//! is in the list of its source exactly once, and every name is found through the hash tables of
//! its database. CRFsuite's tagger uses these lists and tables unchecked.

mod cqdb;
mod cursor;
mod error;
mod hash;
mod read;
mod write;

pub use error::{CrfsuiteError, Place};

use cursor::Bytes;

/// First bytes of a model file.
const MAGIC: &[u8; 4] = b"lCRF";
/// Model type: first-order Markov CRF with dyad features.
const MODEL_TYPE: &[u8; 4] = b"FOMC";
/// Format version.
const VERSION: u32 = 100;
/// Size of the file header in bytes.
const HEADER_SIZE: usize = 48;
/// Size in bytes of the header of the chunks `FEAT`, `LFRF` and `AFRF`.
const CHUNK_HEADER_SIZE: usize = 12;
/// Size of a feature in bytes.
const FEATURE_SIZE: usize = 20;
/// Number of entries of `LFRF` that belong to no label: the start and the end of a sequence.
const BOUNDARY_REFS: usize = 2;

/// The type of a feature, as numbered in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FeatureType {
    /// Attribute to label.
    State = 0,
    /// Label to label.
    Transition = 1,
    /// Transition from the start of a sequence (2) or to its end (3), in files of early releases.
    Boundary = 2,
}

/// A state feature: the weight of a label at tokens that have an attribute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct State {
    /// Index in [`CrfsuiteModel::attributes`].
    pub attribute: u32,
    /// Index in [`CrfsuiteModel::labels`].
    pub label: u32,
    /// Weight; finite.
    pub weight: f64,
}

/// A transition feature: the weight of a label after another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Transition {
    /// Index of the previous token's label in [`CrfsuiteModel::labels`].
    pub from: u32,
    /// Index of the token's label in [`CrfsuiteModel::labels`].
    pub to: u32,
    /// Weight; finite.
    pub weight: f64,
}

/// A CRFsuite model. Names are bytes because CRFsuite does not require UTF-8.
///
/// ```
/// use spanrs_compat::crfsuite::{CrfsuiteModel, State, Transition, is_crfsuite};
/// let model = CrfsuiteModel {
///     labels: vec![b"O".to_vec(), b"B-PER".to_vec()],
///     attributes: vec![b"word=Ada".to_vec()],
///     states: vec![State { attribute: 0, label: 1, weight: 1.5 }],
///     transitions: vec![Transition { from: 1, to: 0, weight: 0.25 }],
/// };
/// let bytes = model.to_bytes()?;
/// assert!(is_crfsuite(&bytes));
/// assert_eq!(CrfsuiteModel::from_bytes(&bytes)?, model);
/// # Ok::<(), spanrs_compat::crfsuite::CrfsuiteError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrfsuiteModel {
    /// Names of the labels, in the order of their ids.
    pub labels: Vec<Vec<u8>>,
    /// Names of the attributes, in the order of their ids.
    pub attributes: Vec<Vec<u8>>,
    /// State features, in the order of the file; at most one for each attribute and label.
    pub states: Vec<State>,
    /// Transition features, in the order of the file; at most one for each pair of labels.
    pub transitions: Vec<Transition>,
}

impl CrfsuiteModel {
    /// Reads a model file.
    ///
    /// Bytes after the size given in the header are ignored, as CRFsuite ignores them. Time and
    /// memory are linear in the size of `bytes` (sorting names for the duplicate check aside),
    /// whatever counts the file claims to have.
    ///
    /// # Errors
    ///
    /// If `bytes` is not a complete, consistent model file.
    ///
    /// ```
    /// use spanrs_compat::crfsuite::{CrfsuiteError, CrfsuiteModel};
    /// assert_eq!(CrfsuiteModel::from_bytes(b"PK\x03\x04"), Err(CrfsuiteError::Magic));
    /// let error = CrfsuiteModel::from_bytes(b"lCRF\x30\0\0\0FOMC").unwrap_err();
    /// assert_eq!(error.to_string(), "byte 12: version: 4 bytes expected, but the data ends at byte 12");
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, CrfsuiteError> {
        read::read(Bytes::new(bytes))
    }

    /// Writes a model file.
    ///
    /// Equal models give equal bytes. A file written by CRFsuite 0.12 and read with
    /// [`Self::from_bytes`] is written byte for byte as it was. Features with weight 0 are kept.
    ///
    /// # Errors
    ///
    /// If a name occurs twice or contains a NUL byte, a feature occurs twice or has an id out of
    /// range or a weight that is not finite, or the file would exceed 4 GiB.
    ///
    /// ```
    /// use spanrs_compat::crfsuite::CrfsuiteModel;
    /// let model = CrfsuiteModel { labels: vec![b"O".to_vec(), b"O".to_vec()], ..Default::default() };
    /// assert_eq!(model.to_bytes().unwrap_err().to_string(), "label 1: the name \"O\" occurs twice");
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, CrfsuiteError> {
        write::write(self)
    }
}

/// Returns whether `bytes` starts like a CRFsuite model file; looks at the first four bytes only.
///
/// ```
/// assert!(spanrs_compat::crfsuite::is_crfsuite(b"lCRF..."));
/// assert!(!spanrs_compat::crfsuite::is_crfsuite(b""));
/// ```
pub fn is_crfsuite(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Counts the features for the start and the end of a sequence, which [`CrfsuiteModel::from_bytes`]
/// ignores.
///
/// Only early releases of CRFsuite wrote them. If the count is not 0, the release that trained the
/// model may have tagged differently.
///
/// # Errors
///
/// If the header or the feature table is damaged.
///
/// ```
/// use spanrs_compat::crfsuite::{CrfsuiteModel, count_boundary_features};
/// let bytes = CrfsuiteModel::default().to_bytes()?;
/// assert_eq!(count_boundary_features(&bytes)?, 0);
/// # Ok::<(), spanrs_compat::crfsuite::CrfsuiteError>(())
/// ```
pub fn count_boundary_features(bytes: &[u8]) -> Result<usize, CrfsuiteError> {
    read::count_boundary_features(Bytes::new(bytes))
}
