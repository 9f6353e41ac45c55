//! Model files: safetensors with a JSON header.
//!
//! | tensor | type | content |
//! |---|---|---|
//! | `attribute_names`, `attribute_ends` | u8, u64 | concatenated UTF-8 names, and the end of each name |
//! | `label_names`, `label_ends` | u8, u64 | the same for labels |
//! | `state_ends` | u64 | end of each attribute's features |
//! | `state_labels`, `state_weights` | u32, f64 | label and weight of each state feature |
//! | `transitions`, `transition_weights` | u32, f64 | `from * labels + to` and weight of each transition feature |
//! | `dense_weights` | f64 | weights of vectors, row-major (column, label); optional |
//! | `penalties` | f64 | penalty of each weight in learning from further batches; optional |
//!
//! All tensors have one dimension, numbers are little-endian, and ends are exclusive. The metadata
//! of the header has one entry, `spanrs.crf`: a JSON object with the format version (`version`) and
//! the model's metadata (`metadata`). Models with lexicons also have the list of these (`lexicons`)
//! and their tensors (`lexicon::tensors`). Models with lexicons, `dense_weights` or `penalties` have
//! version 2, other models version 1.
//!
//! For the labels `O` and `PER`, `label_names` is `OPER` and `label_ends` is 1, 4.
//!
//! Files are not trusted: every offset, order and range is checked before it is used, names must be
//! UTF-8 and distinct, and memory is limited by the size of the file ([`check_labels`]).

use spanrs_base::{Interner, TensorError, TensorFile, TensorWriter};

use crate::error::{Error, Result};
use crate::features::Features;
use crate::lexicon::Lexicons;
use crate::model::{Model, check_labels};

/// Versions of the format: that of models without additions, and the last one. Files with later versions are
/// rejected.
const VERSIONS: [u64; 2] = [1, 2];
/// Key of the only entry in the header's metadata.
const KEY: &str = "spanrs.crf";

/// Makes an [`Error::File`] with this message.
pub(crate) fn file_error(what: impl std::fmt::Display) -> Error {
    Error::File {
        message: what.to_string(),
    }
}

impl From<TensorError> for Error {
    fn from(error: TensorError) -> Self {
        file_error(error)
    }
}

impl Model {
    /// The bytes of a model file. Equal models give equal bytes; the constraint is not part of the
    /// file.
    ///
    /// # Errors
    /// [`Error::File`] if the metadata is not a JSON object, or if the tensors cannot be
    /// serialised.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let metadata: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(self.metadata()).map_err(file_error)?;
        let vectors = self.features().vector_weights();
        let plain = vectors.is_empty() && self.penalties().is_none() && self.lexicons().is_empty();
        // Earlier versions of spanrs can read models without additions.
        let version = VERSIONS[usize::from(!plain)];
        let mut header = serde_json::json!({ "version": version, "metadata": metadata });
        let (attribute_names, attribute_ends) = concatenate(self.attributes());
        let (label_names, label_ends) = concatenate(self.labels());
        let states = self.features().states();
        let state_ends = states.ends().as_slice().iter().map(|&end| end as u64);
        let (first_pair, pairs) = self.features().pairs();
        let (state_weights, pair_weights) = self.weights()[..vectors.start].split_at(first_pair);
        let mut tensors = TensorWriter::default();
        if !self.lexicons().is_empty() {
            header["lexicons"] = self.lexicons().write(&mut tensors);
        }
        tensors.numbers("attribute_ends", attribute_ends);
        tensors.bytes("attribute_names", attribute_names);
        if !vectors.is_empty() {
            let weights = self.weights()[vectors].iter().copied();
            tensors.numbers("dense_weights", weights);
        }
        if let Some(penalties) = self.penalties() {
            tensors.numbers("penalties", penalties.iter().copied());
        }
        tensors.numbers("label_ends", label_ends);
        tensors.bytes("label_names", label_names);
        tensors.numbers("state_ends", state_ends);
        tensors.numbers("state_labels", states.values().iter().copied());
        tensors.numbers("state_weights", state_weights.iter().copied());
        tensors.numbers("transition_weights", pair_weights.iter().copied());
        tensors.numbers("transitions", pairs.iter().copied());
        Ok(tensors.finish(KEY, header.to_string())?)
    }

    /// Reads a model file. All content is checked; memory is limited by the size of the file.
    ///
    /// # Errors
    /// [`Error::File`] if the bytes are not a safetensors file of this format and version, or if tensors are missing,
    /// have the wrong type, or do not match; [`Error::Labels`] for more labels than a file of this size can have.
    pub fn from_bytes(file: &[u8]) -> Result<Self> {
        let tensors = TensorFile::open(file, KEY, "a CRF of spanrs")?;
        let entry: serde_json::Value =
            serde_json::from_str(tensors.header()).map_err(file_error)?;
        let version = entry["version"].as_u64().unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let [first, last] = VERSIONS;
            return Err(file_error(format!(
                "format version {version}; this spanrs reads versions {first} to {last}"
            )));
        }
        if !entry["metadata"].is_object() {
            return Err(file_error("the metadata is not an object"));
        }
        let names = |names: &str, ends: &str| -> Result<Interner<str>> {
            read_names(tensors.bytes(names)?, &tensors.numbers(ends)?)
        };
        let attributes = names("attribute_names", "attribute_ends")?;
        let labels = names("label_names", "label_ends")?;
        check_labels(labels.len(), file.len())?;
        let extended = |name: &str| version > VERSIONS[0] && tensors.has(name);
        let (features, weights) = read_features(&tensors, labels.len(), extended("dense_weights"))?;
        let metadata = entry["metadata"].to_string();
        let lexicons = match &entry["lexicons"] {
            serde_json::Value::Null => Lexicons::default(),
            _ if version == VERSIONS[0] => {
                return Err(file_error("a file of version 1 has no lexicons"));
            }
            lexicons => Lexicons::read(lexicons, &tensors)?,
        };
        let model = Self::new(labels, attributes, features, weights, metadata);
        let model = model.map_err(file_error)?.with_lexicons(lexicons);
        match extended("penalties") {
            true => model
                .with_penalties(tensors.numbers("penalties")?)
                .map_err(file_error),
            false => Ok(model),
        }
    }
}

/// The features and their weights; with `dense`, also those of dense rows.
///
/// # Errors
/// [`Error::File`] if tensors are missing or do not match.
fn read_features(tensors: &TensorFile, labels: usize, dense: bool) -> Result<(Features, Vec<f64>)> {
    let state_ends = tensors.numbers::<u64>("state_ends")?;
    let features = Features::from_parts(
        labels,
        // An end that is too large for usize is out of range too.
        (state_ends.into_iter())
            .map(|end| usize::try_from(end).unwrap_or(usize::MAX))
            .collect(),
        tensors.numbers("state_labels")?,
        tensors.numbers("transitions")?,
    )?;
    let mut weights: Vec<f64> = tensors.numbers("state_weights")?;
    if weights.len() != features.pairs().0 {
        return Err(file_error(
            "the numbers of state weights and features differ",
        ));
    }
    weights.append(&mut tensors.numbers("transition_weights")?);
    let mut vectors: Vec<f64> = match dense {
        true => tensors.numbers("dense_weights")?,
        false => Vec::new(),
    };
    let columns = vectors.len() / labels.max(1);
    if columns * labels != vectors.len() {
        return Err(file_error(
            "the weights of dense rows are not a whole number of columns",
        ));
    }
    if weights.len() != features.len() {
        return Err(file_error(
            "the numbers of transition weights and features differ",
        ));
    }
    let features = features.with_dimension(columns);
    weights.append(&mut vectors);
    Ok((features, weights))
}

/// An entry of a model's metadata that is a string, such as `template` or `scheme`; `None` if it is
/// missing or null.
///
/// # Errors
/// [`Error::File`] if the metadata is not a JSON object or the entry is not a string.
///
/// # Examples
/// ```
/// use spanrs_crf::metadata_text;
/// let metadata = r#"{"scheme": "BIO", "iterations": 100}"#;
/// assert_eq!(metadata_text(metadata, "scheme").unwrap().as_deref(), Some("BIO"));
/// assert_eq!(metadata_text(metadata, "template").unwrap(), None);
/// assert!(metadata_text(metadata, "iterations").is_err());
/// ```
pub fn metadata_text(metadata: &str, name: &str) -> Result<Option<String>> {
    let metadata: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(metadata).map_err(file_error)?;
    match metadata.get(name) {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(serde_json::Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(file_error(format!("the {name} is not a string"))),
    }
}

/// An entry of a model's metadata that is true or false, such as `own_features`; false if it is missing or
/// null.
///
/// # Errors
/// [`Error::File`] if the metadata is not a JSON object or the entry is neither.
///
/// # Examples
/// ```
/// use spanrs_crf::metadata_flag;
/// assert_eq!(metadata_flag(r#"{"own_features": true}"#, "own_features"), Ok(true));
/// assert_eq!(metadata_flag("{}", "own_features"), Ok(false));
/// assert!(metadata_flag(r#"{"own_features": 1}"#, "own_features").is_err());
/// ```
pub fn metadata_flag(metadata: &str, name: &str) -> Result<bool> {
    let metadata: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(metadata).map_err(file_error)?;
    match metadata.get(name) {
        None | Some(serde_json::Value::Null) => Ok(false),
        Some(serde_json::Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(file_error(format!("the {name} is not true or false"))),
    }
}

/// The `temperature` in a model's metadata; `None` if it is missing or null.
///
/// # Errors
/// [`Error::File`] if the metadata is not a JSON object or the temperature is not a number.
///
/// # Examples
/// ```
/// use spanrs_crf::metadata_temperature;
/// assert_eq!(metadata_temperature(r#"{"temperature": 1.5}"#).unwrap(), Some(1.5));
/// assert_eq!(metadata_temperature("{}").unwrap(), None);
/// assert!(metadata_temperature(r#"{"temperature": "hot"}"#).is_err());
/// ```
pub fn metadata_temperature(metadata: &str) -> Result<Option<f64>> {
    let metadata: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(metadata).map_err(file_error)?;
    match metadata.get("temperature") {
        None | Some(serde_json::Value::Null) => Ok(None),
        Some(value) => match value.as_f64() {
            Some(temperature) => Ok(Some(temperature)),
            None => Err(file_error("the temperature is not a number")),
        },
    }
}

/// All names concatenated, and the end of each in bytes.
pub(crate) fn concatenate(names: &Interner<str>) -> (Vec<u8>, Vec<u64>) {
    let (mut bytes, mut ends) = (Vec::new(), Vec::with_capacity(names.len()));
    for name in names.names() {
        bytes.extend_from_slice(name.as_bytes());
        ends.push(bytes.len() as u64);
    }
    (bytes, ends)
}

/// The inverse of `concatenate`, for untrusted bytes. Names are numbered in order.
///
/// # Errors
/// [`Error::File`] if an end is out of order or range, a name is not UTF-8 or occurs twice, or bytes remain after the
/// last name.
pub(crate) fn read_names(bytes: &[u8], ends: &[u64]) -> Result<Interner<str>> {
    let mut names = Interner::default();
    // The ends are in the file, so the size of the file limits their number.
    names.reserve(ends.len());
    let mut start = 0;
    for (at, &end) in ends.iter().enumerate() {
        let name = usize::try_from(end)
            .ok()
            .and_then(|end| bytes.get(start..end));
        let name = name.and_then(|name| std::str::from_utf8(name).ok());
        let name =
            name.ok_or_else(|| file_error(format!("the byte range of name {at} is not valid")))?;
        if names.intern(name) as usize != at {
            return Err(file_error(format!("the name {name:?} occurs twice")));
        }
        start += name.len();
    }
    match start == bytes.len() {
        true => Ok(names),
        false => Err(file_error("there are bytes after the last name")),
    }
}
