//! Constants of the file format, and the types of features.

/// First bytes of a model file.
pub(super) const MAGIC: &[u8; 4] = b"lCRF";
/// Model type: first-order Markov CRF with dyad features.
pub(super) const MODEL_TYPE: &[u8; 4] = b"FOMC";
/// Format version.
pub(super) const VERSION: u32 = 100;
/// Size of the file header in bytes.
pub(super) const HEADER_SIZE: usize = 48;
/// Size in bytes of the header of the chunks `FEAT`, `LFRF` and `AFRF`.
pub(super) const CHUNK_HEADER_SIZE: usize = 12;
/// Size of a feature in bytes.
pub(super) const FEATURE_SIZE: usize = 20;
/// Number of entries in `LFRF` that do not belong to a label: for the start and the end of a
/// sequence.
pub(super) const BOUNDARY_REFS: usize = 2;

/// The type of a feature, as numbered in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FeatureType {
    /// Attribute to label.
    State = 0,
    /// Label to label.
    Transition = 1,
    /// Transition from the start of a sequence (2) or to the end of a sequence (3), in files of
    /// early releases.
    Boundary = 2,
}
