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
//! A feature of type 0 is a state feature (attribute to label), a feature of type 1 a transition (label to label). The
//! field for the number of features in the header is always 0. The last two entries of `LFRF` were the transitions from
//! the start and to the end of a sequence (types 2 and 3) in early releases. CRFsuite 0.12 writes 0 in both entries,
//! and its tagger ignores such features in old files; [`CrfsuiteModel::from_bytes`] also ignores them, and
//! [`count_boundary_features`] counts them.
//!
//! The reader accepts only files with a consistent model: every feature is in the list of its source exactly once, and
//! every name is found through the hash tables of its database. CRFsuite's tagger does not check these lists and
//! tables.

mod cqdb;
mod cursor;
mod error;
mod format;
mod hash;
mod model;
mod read;
mod write;

pub use error::{CrfsuiteError, Place};
pub use model::{CrfsuiteModel, State, Transition};
pub use read::count_boundary_features;

/// Returns whether `bytes` starts like a CRFsuite model file; only checks the first four bytes.
///
/// ```
/// assert!(spanrs_compat::crfsuite::is_crfsuite(b"lCRF..."));
/// assert!(!spanrs_compat::crfsuite::is_crfsuite(b""));
/// ```
pub fn is_crfsuite(bytes: &[u8]) -> bool {
    bytes.starts_with(format::MAGIC)
}
