//! Reading of CRFsuite's model file, with all checks that CRFsuite itself omits.
//!
//! The parts are checked in the order of their dependencies: the header, the feature table, the two string databases,
//! then the features (ids and weights), and finally the reference lists. A list may contain only features of its own
//! label or attribute, and every feature must be in exactly one list; this bounds the time for the lists by the number
//! of features, regardless of the lengths stored in the file.

use super::cqdb;
use super::cursor::Bytes;
use super::error::{CrfsuiteError, Place};
use super::format::{
    CHUNK_HEADER_SIZE, FEATURE_SIZE, FeatureType, HEADER_SIZE, MAGIC, MODEL_TYPE, VERSION,
};
use super::model::{CrfsuiteModel, State, Transition};

impl CrfsuiteModel {
    /// Reads a model file.
    ///
    /// Bytes after the size given in the header are ignored, as in CRFsuite. Time and memory are linear in the size of
    /// `bytes` (except for sorting names in the duplicate check), regardless of the counts stored in the file.
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
        read(Bytes::new(bytes))
    }
}

/// The file header, without the fields that CRFsuite does not use. Offsets are in bytes from the
/// start of the file.
struct Header {
    /// Number of labels.
    labels: u32,
    /// Number of attributes.
    attributes: u32,
    /// Offset of the feature table.
    features_offset: u64,
    /// Offset of the database of label names.
    labels_offset: u64,
    /// Offset of the database of attribute names.
    attributes_offset: u64,
    /// Offset of the reference lists of labels.
    label_refs_offset: u64,
    /// Offset of the reference lists of attributes.
    attribute_refs_offset: u64,
}

impl Header {
    /// Reads and checks the header. The file must be at least as long as the header says.
    fn read(file: &Bytes<'_>) -> Result<Self, CrfsuiteError> {
        if !file.data().starts_with(MAGIC) {
            return Err(CrfsuiteError::Magic);
        }
        let found = file.array(8, "model type")?;
        if found != *MODEL_TYPE {
            return Err(CrfsuiteError::ModelType { found });
        }
        let found = file.u32(12, "version")?;
        if found == VERSION.swap_bytes() {
            return Err(CrfsuiteError::BigEndian { offset: 12 });
        }
        if found != VERSION {
            return Err(CrfsuiteError::Version { found });
        }
        let header = file.slice(0, HEADER_SIZE as u64, "file header")?;
        let size = header.u32(4, "file size")?;
        file.slice(0, size.into(), "file")?;
        let field = |offset| header.u32(offset, "file header");
        Ok(Self {
            labels: field(20)?,
            attributes: field(24)?,
            features_offset: field(28)?.into(),
            labels_offset: field(32)?.into(),
            attributes_offset: field(36)?.into(),
            label_refs_offset: field(40)?.into(),
            attribute_refs_offset: field(44)?.into(),
        })
    }
}

/// A feature as stored in the file.
struct Feature {
    /// Byte offset in the file.
    offset: u64,
    /// Type of the feature.
    kind: FeatureType,
    /// Attribute of a state feature, previous label of a transition.
    source: u32,
    /// The label.
    target: u32,
    /// The weight, not checked yet.
    weight: f64,
}

/// The feature table.
struct Features<'a> {
    /// The records, without the header of the chunk.
    bytes: Bytes<'a>,
    /// Number of records.
    count: u32,
}

impl<'a> Features<'a> {
    /// Checks the header of the chunk at an offset.
    fn read(file: &Bytes<'a>, offset: u64) -> Result<Self, CrfsuiteError> {
        file.expect_chunk(offset, "FEAT")?;
        let count = file.u32(offset + 8, "number of features")?;
        let start = offset + CHUNK_HEADER_SIZE as u64;
        let size = FEATURE_SIZE as u64 * u64::from(count);
        let bytes = file.slice(start, size, "features")?;
        Ok(Self { bytes, count })
    }

    /// Returns a feature.
    ///
    /// # Errors
    /// [`CrfsuiteError::FeatureType`] for an unknown type.
    fn get(&self, id: u32) -> Result<Feature, CrfsuiteError> {
        let at = FEATURE_SIZE as u64 * u64::from(id);
        let offset = self.bytes.in_file(at);
        let field = |shift| self.bytes.u32(at + shift, "feature");
        let kind = match field(0)? {
            0 => FeatureType::State,
            1 => FeatureType::Transition,
            2 | 3 => FeatureType::Boundary,
            found => return Err(CrfsuiteError::FeatureType { offset, found }),
        };
        Ok(Feature {
            offset,
            kind,
            source: field(4)?,
            target: field(8)?,
            weight: self.bytes.f64(at + 12, "feature")?,
        })
    }

    /// Iterates over all features, in the order of the file.
    fn iter(&self) -> impl Iterator<Item = Result<Feature, CrfsuiteError>> {
        (0..self.count).map(|id| self.get(id))
    }

    /// Counts the features of a type.
    fn count_of(&self, kind: FeatureType) -> Result<usize, CrfsuiteError> {
        self.iter().try_fold(0, |count, feature| {
            Ok(count + usize::from(feature?.kind == kind))
        })
    }
}

/// Counts the features for the start and the end of a sequence, which [`CrfsuiteModel::from_bytes`]
/// ignores.
///
/// Only early releases of CRFsuite wrote such features. If the count is not 0, the release that trained the model may
/// have tagged differently.
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
    let file = Bytes::new(bytes);
    let header = Header::read(&file)?;
    Features::read(&file, header.features_offset)?.count_of(FeatureType::Boundary)
}

/// Reads a model file; see [`CrfsuiteModel::from_bytes`].
fn read(file: Bytes<'_>) -> Result<CrfsuiteModel, CrfsuiteError> {
    let header = Header::read(&file)?;
    let features = Features::read(&file, header.features_offset)?;
    let labels = cqdb::Reader::open(&file, header.labels_offset, header.labels, "label")?;
    let (offset, count) = (header.attributes_offset, header.attributes);
    let attributes = cqdb::Reader::open(&file, offset, count, "attribute")?;
    attributes.check_disjoint(&labels)?;
    let mut model = CrfsuiteModel {
        labels: labels.names()?,
        attributes: attributes.names()?,
        states: Vec::new(),
        transitions: Vec::new(),
    };
    read_features(&features, &mut model)?;
    let mut references = References {
        file,
        features: &features,
        seen: vec![false; features.count as usize],
        last_source: vec![None; model.labels.len()],
    };
    references.check(
        FeatureType::Transition,
        header.label_refs_offset,
        header.labels,
    )?;
    references.last_source.fill(None);
    let (offset, count) = (header.attribute_refs_offset, header.attributes);
    references.check(FeatureType::State, offset, count)?;
    references.check_complete()?;
    Ok(model)
}

/// Fills in the state and transition features, after checking their ids and weights. Boundary
/// features are skipped.
///
/// # Errors
/// [`CrfsuiteError::FeatureType`], [`CrfsuiteError::Id`] and [`CrfsuiteError::Weight`], with the
/// byte offset of the feature.
fn read_features(features: &Features<'_>, model: &mut CrfsuiteModel) -> Result<(), CrfsuiteError> {
    model
        .states
        .reserve_exact(features.count_of(FeatureType::State)?);
    model
        .transitions
        .reserve_exact(features.count_of(FeatureType::Transition)?);
    for feature in features.iter() {
        let feature = feature?;
        let (sources, what) = match feature.kind {
            FeatureType::State => (model.attributes.len(), "attribute"),
            FeatureType::Transition => (model.labels.len(), "label"),
            FeatureType::Boundary => continue,
        };
        let at = Place::Byte(feature.offset);
        check_id(at, what, feature.source, sources)?;
        check_id(at, "label", feature.target, model.labels.len())?;
        let weight = feature.weight;
        if !weight.is_finite() {
            return Err(CrfsuiteError::Weight { at, weight });
        }
        if feature.kind == FeatureType::State {
            model.states.push(State {
                attribute: feature.source,
                label: feature.target,
                weight,
            });
        } else {
            model.transitions.push(Transition {
                from: feature.source,
                to: feature.target,
                weight,
            });
        }
    }
    Ok(())
}

/// Checks that `id` is below `count`; `what` and `at` describe the id in the error.
pub(super) fn check_id(
    at: Place,
    what: &'static str,
    id: u32,
    count: usize,
) -> Result<(), CrfsuiteError> {
    if (id as usize) < count {
        return Ok(());
    }
    Err(CrfsuiteError::Id {
        at,
        what,
        id,
        count,
    })
}

/// Checks the reference lists, through which CRFsuite finds the features of a label or an
/// attribute.
struct References<'a> {
    /// The whole file.
    file: Bytes<'a>,
    /// The feature table.
    features: &'a Features<'a>,
    /// By feature: whether it was in a list.
    seen: Vec<bool>,
    /// By label: the latest source that had a feature with this label, to detect duplicates. Lists of one
    /// source follow each other, so comparing with the latest source suffices.
    last_source: Vec<Option<u32>>,
}

impl References<'_> {
    /// Checks the lists of the first `count` sources of a kind.
    ///
    /// Linear in the number of features, because no feature may be in two lists.
    ///
    /// # Errors
    /// - [`CrfsuiteError::Chunk`] and [`CrfsuiteError::Truncated`] for missing lists.
    /// - [`CrfsuiteError::Count`] for fewer lists than sources; additional lists belong to sequence boundaries and are
    ///   not read.
    /// - The errors of the entries, see [`References::check_entry`].
    fn check(&mut self, kind: FeatureType, offset: u64, count: u32) -> Result<(), CrfsuiteError> {
        let chunk = match kind {
            FeatureType::State => "AFRF",
            _ => "LFRF",
        };
        self.file.expect_chunk(offset, chunk)?;
        let found = self.file.u32(offset + 8, "number of reference lists")?;
        if found < count {
            return Err(CrfsuiteError::Count {
                what: "number of reference lists",
                offset: offset + 8,
                expected: count.into(),
                found: found.into(),
            });
        }
        let start = offset + CHUNK_HEADER_SIZE as u64;
        let lists = self.file.slice(start, 4 * u64::from(count), chunk)?;
        for source in 0..count {
            let start = u64::from(lists.u32(4 * u64::from(source), chunk)?);
            let len = u64::from(self.file.u32(start, "reference list")?);
            let list = self.file.slice(start + 4, 4 * len, "reference list")?;
            for entry in 0..len {
                self.check_entry(kind, source, &list, 4 * entry)?;
            }
        }
        Ok(())
    }

    /// Checks one entry, at byte `entry` of the list of `source`.
    ///
    /// # Errors
    /// - [`CrfsuiteError::Id`] for a feature that does not exist.
    /// - [`CrfsuiteError::Reference`] for a feature with another source or kind, or a feature that is already in a
    ///   list.
    /// - [`CrfsuiteError::DuplicateFeature`] for two features with the same source and label.
    fn check_entry(
        &mut self,
        kind: FeatureType,
        source: u32,
        list: &Bytes<'_>,
        entry: u64,
    ) -> Result<(), CrfsuiteError> {
        let id = list.u32(entry, "reference list")?;
        let offset = list.in_file(entry);
        check_id(Place::Byte(offset), "feature", id, self.seen.len())?;
        let feature = self.features.get(id)?;
        let reason = if feature.kind != kind || feature.source != source {
            "the reference list contains a feature of another label or attribute"
        } else if std::mem::replace(&mut self.seen[id as usize], true) {
            "a feature is in the reference lists twice"
        } else {
            let last = self.last_source[feature.target as usize].replace(source);
            if last != Some(source) {
                return Ok(());
            }
            let at = Place::Byte(feature.offset);
            return Err(CrfsuiteError::DuplicateFeature { at });
        };
        Err(CrfsuiteError::Reference { offset, reason })
    }

    /// Checks that every feature other than boundary features was in a list.
    fn check_complete(&self) -> Result<(), CrfsuiteError> {
        for (feature, &seen) in self.features.iter().zip(&self.seen) {
            let feature = feature?;
            if !seen && feature.kind != FeatureType::Boundary {
                return Err(CrfsuiteError::Reference {
                    offset: feature.offset,
                    reason: "the feature is not in any reference list",
                });
            }
        }
        Ok(())
    }
}
