//! A model in memory: names, state features and transitions.

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

/// A transition feature: the weight of a label after another label.
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
