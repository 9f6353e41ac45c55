//! Writing of CRFsuite's model file, byte for byte as CRFsuite 0.12 writes it.
//!
//! The parts are written in the order header, features (states, then transitions), label names, attribute names, lists
//! of labels, lists of attributes. The header is filled in last, because it contains the offsets of the other parts.
//! Nothing depends on hash seeds or the machine.

use spanrs_base::{Ends, Jagged};

use super::cqdb;
use super::cursor::{put_u32, to_u32};
use super::error::{CrfsuiteError, Place};
use super::format::{
    BOUNDARY_REFS, CHUNK_HEADER_SIZE, FEATURE_SIZE, FeatureType, HEADER_SIZE, MAGIC, MODEL_TYPE,
    VERSION,
};
use super::model::CrfsuiteModel;
use super::read::check_id;

/// Size of the largest file; CRFsuite adds 16 to the size in 32 bits before it allocates memory.
const MAX_SIZE: usize = u32::MAX as usize - 16;

/// Source and target of a feature.
type Edge = (u32, u32);

impl CrfsuiteModel {
    /// Writes a model file.
    ///
    /// Equal models give equal bytes. Reading a file of CRFsuite 0.12 with [`Self::from_bytes`] and writing the model
    /// reproduces the file byte for byte. Features with weight 0 are kept.
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
        write(self)
    }
}

/// Writes a model file; see [`CrfsuiteModel::to_bytes`].
///
/// For L labels, A attributes, S state features and T transitions the file has 48 bytes of header, 20 (S + T) bytes of
/// features, the two databases, and 4 (2 (L + A) + S + T) bytes of lists, in addition to the headers of chunks and the
/// two empty lists of boundaries. Time and memory are linear in this size, except for sorting names by hash.
fn write(model: &CrfsuiteModel) -> Result<Vec<u8>, CrfsuiteError> {
    let states: Vec<Edge> = model
        .states
        .iter()
        .map(|f| (f.attribute, f.label))
        .collect();
    let transitions: Vec<Edge> = model.transitions.iter().map(|f| (f.from, f.to)).collect();
    check_features(model)?;

    let mut out = vec![0; HEADER_SIZE];
    let features_offset = to_u32(out.len())?;
    write_features(&mut out, model)?;
    let labels_offset = to_u32(out.len())?;
    cqdb::write(&mut out, &model.labels, "label")?;
    let attributes_offset = to_u32(out.len())?;
    cqdb::write(&mut out, &model.attributes, "attribute")?;

    let labels = model.labels.len();
    let lists = Lists::group(&transitions, labels, labels, Place::Transition)?;
    let label_refs_offset = lists.write(&mut out, "LFRF", states.len(), BOUNDARY_REFS)?;
    let lists = Lists::group(&states, model.attributes.len(), labels, Place::State)?;
    let attribute_refs_offset = lists.write(&mut out, "AFRF", 0, 0)?;

    if out.len() > MAX_SIZE {
        return Err(CrfsuiteError::TooLarge);
    }
    let mut header = Vec::with_capacity(HEADER_SIZE);
    header.extend_from_slice(MAGIC);
    put_u32(&mut header, to_u32(out.len())?);
    header.extend_from_slice(MODEL_TYPE);
    for field in [
        VERSION,
        0,
        to_u32(labels)?,
        to_u32(model.attributes.len())?,
        features_offset,
        labels_offset,
        attributes_offset,
        label_refs_offset,
        attribute_refs_offset,
    ] {
        put_u32(&mut header, field);
    }
    out[..HEADER_SIZE].copy_from_slice(&header);
    Ok(out)
}

/// Checks the ids and weights of all features, before anything is written.
///
/// # Errors
/// [`CrfsuiteError::Id`] and [`CrfsuiteError::Weight`], with the index of the feature.
fn check_features(model: &CrfsuiteModel) -> Result<(), CrfsuiteError> {
    let (labels, attributes) = (model.labels.len(), model.attributes.len());
    let check_weight = |at, weight: f64| match weight.is_finite() {
        true => Ok(()),
        false => Err(CrfsuiteError::Weight { at, weight }),
    };
    for (index, state) in model.states.iter().enumerate() {
        let at = Place::State(index);
        check_id(at, "attribute", state.attribute, attributes)?;
        check_id(at, "label", state.label, labels)?;
        check_weight(at, state.weight)?;
    }
    for (index, transition) in model.transitions.iter().enumerate() {
        let at = Place::Transition(index);
        check_id(at, "label", transition.from, labels)?;
        check_id(at, "label", transition.to, labels)?;
        check_weight(at, transition.weight)?;
    }
    Ok(())
}

/// Appends the feature table: all state features, then all transitions, each as four fields (type,
/// source, target, weight). The id of a feature is its position in this order.
///
/// # Errors
/// [`CrfsuiteError::TooLarge`].
fn write_features(out: &mut Vec<u8>, model: &CrfsuiteModel) -> Result<(), CrfsuiteError> {
    let count = model.states.len() + model.transitions.len();
    if count > MAX_SIZE / FEATURE_SIZE {
        return Err(CrfsuiteError::TooLarge);
    }
    out.reserve(CHUNK_HEADER_SIZE + FEATURE_SIZE * count);
    out.extend_from_slice(b"FEAT");
    put_u32(out, to_u32(CHUNK_HEADER_SIZE + FEATURE_SIZE * count)?);
    put_u32(out, to_u32(count)?);
    let mut put = |kind: FeatureType, source, target, weight: f64| {
        put_u32(out, kind as u32);
        put_u32(out, source);
        put_u32(out, target);
        out.extend_from_slice(&weight.to_le_bytes());
    };
    for f in &model.states {
        put(FeatureType::State, f.attribute, f.label, f.weight);
    }
    for f in &model.transitions {
        put(FeatureType::Transition, f.from, f.to, f.weight);
    }
    Ok(())
}

/// Indices of features grouped by their source, in ascending order within a group.
struct Lists(Jagged<u32>);

impl Lists {
    /// Groups features by source (counting sort) and checks that no feature occurs twice.
    ///
    /// `place` converts the index of a feature to a [`Place`] for the error. Ids must have been checked.
    ///
    /// # Errors
    /// [`CrfsuiteError::DuplicateFeature`] with the later of the two features.
    fn group(
        edges: &[Edge],
        sources: usize,
        labels: usize,
        place: fn(usize) -> Place,
    ) -> Result<Self, CrfsuiteError> {
        let mut lengths = vec![0; sources];
        for &(source, _) in edges {
            lengths[source as usize] += 1;
        }
        let ends = Ends::of_lengths(lengths);
        let mut next: Vec<usize> = ends.ranges().map(|range| range.start).collect();
        let mut indices = vec![0; edges.len()];
        for (index, &(source, _)) in edges.iter().enumerate() {
            let next = &mut next[source as usize];
            indices[*next] = to_u32(index)?;
            *next += 1;
        }
        // Groups follow each other, so comparing with the latest source of a label is enough.
        let mut last_source = vec![None; labels];
        for &index in &indices {
            let (source, target) = edges[index as usize];
            if last_source[target as usize].replace(source) == Some(source) {
                let at = place(index as usize);
                return Err(CrfsuiteError::DuplicateFeature { at });
            }
        }
        Ok(Self(Jagged::new(indices, ends)))
    }

    /// Appends the chunk, aligned to four bytes, and returns its offset. `first` is the feature id
    /// of index 0, and `empty` the number of lists without content at the end.
    fn write(
        &self,
        out: &mut Vec<u8>,
        chunk: &str,
        first: usize,
        empty: usize,
    ) -> Result<u32, CrfsuiteError> {
        out.resize(out.len().next_multiple_of(4), 0);
        let start = out.len();
        let Self(groups) = self;
        let entries = groups.len() + empty;
        let lists = start + CHUNK_HEADER_SIZE + 4 * entries;
        let size = lists + 4 * (groups.len() + groups.values().len()) - start;
        let first = to_u32(first)?;
        out.extend_from_slice(chunk.as_bytes());
        put_u32(out, to_u32(size)?);
        put_u32(out, to_u32(entries)?);
        for (source, range) in groups.ends().ranges().enumerate() {
            put_u32(out, to_u32(lists + 4 * (source + range.start))?);
        }
        out.resize(lists, 0);
        for group in groups.rows() {
            put_u32(out, to_u32(group.len())?);
            group.iter().for_each(|index| put_u32(out, first + index));
        }
        to_u32(start)
    }
}
