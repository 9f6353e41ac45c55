//! Conversion between models and CRFsuite's model files.
//!
//! Both formats contain the names of labels and attributes, weights of pairs of an attribute and a
//! label, and weights of pairs of labels. Names keep their numbers and weights are copied
//! unchanged. CRFsuite's files do not contain the metadata of spanrs models; models read from them
//! have empty metadata.

use spanrs_base::{Coded, ErrorClass, Interner};
use spanrs_compat::crfsuite::{CrfsuiteError, CrfsuiteModel, State, Transition};
use spanrs_crf::{Error as CrfError, Features, Model, check_labels};

/// The reason why a model cannot be read from or written to CRFsuite's format.
#[derive(Debug, thiserror::Error)]
pub enum ConversionError {
    /// The file is damaged, or the model does not fit the format.
    #[error(transparent)]
    Format(#[from] CrfsuiteError),
    /// A name that is not UTF-8, which CRFsuite does not require.
    #[error("{what} {index} is not UTF-8")]
    Name {
        /// `label` or `attribute`.
        what: &'static str,
        /// The number of the name, from 0.
        index: usize,
    },
    /// More labels than a file of this size may have. A model allocates transitions for the square
    /// of the number of labels, so a small hostile file must not declare many labels.
    #[error(transparent)]
    Labels(CrfError),
    /// Weights of dense rows, which the format does not have.
    #[error(
        "CRFsuite's format has no weights of dense rows; save the model in the format of spanrs"
    )]
    Dense,
    /// Invalid features or weights.
    #[error(transparent)]
    Model(#[from] CrfError),
}

impl Coded for ConversionError {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Labels(error) => error.kind(),
            Self::Dense => (ErrorClass::Model, "bad_value"),
            _ => (ErrorClass::Model, "damaged"),
        }
    }
}

/// Returns a model as the bytes of a CRFsuite model file.
///
/// # Errors
/// [`ConversionError::Format`] for a model that does not fit the format, [`ConversionError::Dense`] for a model with
/// weights of vectors.
pub fn to_crfsuite(model: &Model) -> Result<Vec<u8>, ConversionError> {
    if model.features().dimension() > 0 {
        return Err(ConversionError::Dense);
    }
    let names =
        |names: &Interner<str>| names.names().map(|name| name.as_bytes().to_vec()).collect();
    let states = model.state_weights();
    let transitions = model.transition_weights();
    let model = CrfsuiteModel {
        labels: names(model.labels()),
        attributes: names(model.attributes()),
        states: states
            .map(|(attribute, label, weight)| State {
                attribute,
                label,
                weight,
            })
            .collect(),
        transitions: transitions
            .map(|(from, to, weight)| Transition { from, to, weight })
            .collect(),
    };
    Ok(model.to_bytes()?)
}

/// Reads a model from the bytes of a CRFsuite model file. Labels and attributes keep their numbers.
///
/// # Errors
/// [`ConversionError`], also for damaged and hostile files.
///
/// # Examples
/// ```
/// use spanrs::compat::crfsuite::{CrfsuiteModel, State};
/// let model = CrfsuiteModel {
///     labels: vec![b"O".to_vec(), b"B-PER".to_vec()],
///     attributes: vec![b"word=Ada".to_vec()],
///     states: vec![State { attribute: 0, label: 1, weight: 1.5 }],
///     transitions: Vec::new(),
/// };
/// let bytes = model.to_bytes().unwrap();
/// let model = spanrs::from_crfsuite(&bytes).unwrap();
/// assert_eq!(model.labels().get("B-PER"), Some(1));
/// assert_eq!(spanrs::to_crfsuite(&model).unwrap(), bytes);
/// ```
pub fn from_crfsuite(file: &[u8]) -> Result<Model, ConversionError> {
    let model = CrfsuiteModel::from_bytes(file)?;
    check_labels(model.labels.len(), file.len()).map_err(ConversionError::Labels)?;
    let labels = interned("label", &model.labels)?;
    let attributes = interned("attribute", &model.attributes)?;
    let states = model.states.iter().map(|s| (s.attribute, s.label));
    let pairs = model.transitions.iter().map(|t| (t.from, t.to));
    let (states, pairs): (Vec<_>, Vec<_>) = (states.collect(), pairs.collect());
    let (features, places) = Features::listed(labels.len(), attributes.len(), &states, &pairs)?;
    let mut weights = vec![0.0; features.len()];
    let own = model.states.iter().map(|s| s.weight);
    let own = own.chain(model.transitions.iter().map(|t| t.weight));
    for (place, weight) in places.into_iter().zip(own) {
        weights[place] = weight;
    }
    let metadata = "{}".to_owned();
    Ok(Model::new(labels, attributes, features, weights, metadata)?)
}

/// Returns an interner in which the names keep their numbers.
///
/// # Errors
/// [`ConversionError::Name`] for the first name that is not UTF-8.
fn interned(what: &'static str, names: &[Vec<u8>]) -> Result<Interner<str>, ConversionError> {
    let mut all = Interner::default();
    for (index, name) in names.iter().enumerate() {
        let name = std::str::from_utf8(name);
        all.intern(name.map_err(|_| ConversionError::Name { what, index })?);
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crfsuite(label: &[u8]) -> Vec<u8> {
        let state = State {
            attribute: 0,
            label: 1,
            weight: 1.5,
        };
        let transition = Transition {
            from: 1,
            to: 0,
            weight: 0.25,
        };
        let model = CrfsuiteModel {
            labels: vec![b"O".to_vec(), label.to_vec()],
            attributes: vec![b"word=Ada".to_vec()],
            states: vec![state],
            transitions: vec![transition],
        };
        model.to_bytes().unwrap()
    }

    #[test]
    fn a_model_survives_both_directions() {
        let bytes = crfsuite(b"B-PER");
        let model = from_crfsuite(&bytes).unwrap();
        assert_eq!(model.labels().get("B-PER"), Some(1));
        assert_eq!(model.weights(), [1.5, 0.25]);
        assert_eq!(to_crfsuite(&model).unwrap(), bytes);
    }

    #[test]
    fn names_must_be_utf8() {
        let error = from_crfsuite(&crfsuite(b"\xff")).unwrap_err();
        assert_eq!(error.to_string(), "label 1 is not UTF-8");
    }
}
