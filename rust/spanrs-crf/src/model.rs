//! Trained models.

use spanrs_base::Interner;

use crate::decoder::Constraint;
use crate::error::{Error, Result, check_len};
use crate::features::Features;
use crate::state_scores::StateScores;
use crate::transitions::Transitions;

/// A trained model: names of labels and attributes, features and their weights. Immutable; [`crate::Decoder`] has the
/// buffers.
#[derive(Clone, Debug)]
pub struct Model {
    labels: Interner<str>,
    attributes: Interner<str>,
    features: Features,
    weights: Vec<f64>,
    transitions: Transitions,
    states: StateScores,
    /// A constraint of decoding, with the transitions under it.
    constrained: Option<(Constraint, Transitions)>,
    metadata: String,
}

/// Most labels a model may have: transitions take about 40 bytes for each pair of labels.
pub const MAX_LABELS: usize = 4096;

/// Checks that transitions between labels of a file take not much more memory than the file.
///
/// # Errors
/// [`Error::Labels`].
pub fn check_labels(labels: usize, file_bytes: usize) -> Result<()> {
    let bytes = labels.saturating_mul(labels).saturating_mul(40);
    let allowed = file_bytes.saturating_mul(16).saturating_add(1 << 26);
    match labels <= MAX_LABELS && bytes <= allowed {
        true => Ok(()),
        false => Err(Error::Labels { labels }),
    }
}

impl Model {
    /// A model of these features and weights. Metadata is a JSON object, as text.
    ///
    /// # Errors
    /// [`Error::Shape`] if names, features and weights do not fit together, [`Error::Labels`] for more than
    /// [`MAX_LABELS`], [`Error::Features`] for more than `u32::MAX` features, [`Error::NotFinite`] for weights that are
    /// not.
    pub fn new(
        labels: Interner<str>,
        attributes: Interner<str>,
        features: Features,
        weights: Vec<f64>,
        metadata: String,
    ) -> Result<Self> {
        check_len("labels of features", labels.len(), features.labels())?;
        if labels.len() > MAX_LABELS {
            let labels = labels.len();
            return Err(Error::Labels { labels });
        }
        let known = attributes.len();
        check_len("attributes of features", known, features.attributes())?;
        check_len("weights", features.len(), weights.len())?;
        if u32::try_from(features.len()).is_err() {
            let features = features.len();
            return Err(Error::Features { features });
        }
        if !weights.iter().all(|weight| weight.is_finite()) {
            return Err(Error::NotFinite);
        }
        let transitions = Transitions::new(labels.len(), features.pair_scores(&weights))?;
        let states = StateScores::new(&features, &weights);
        Ok(Self {
            labels,
            attributes,
            features,
            weights,
            transitions,
            states,
            constrained: None,
            metadata,
        })
    }

    /// The same model without features of weight 0 and attributes without features.
    ///
    /// # Errors
    /// Never: a subset of a valid model is valid.
    pub fn pruned(self) -> Result<Self> {
        let used = |at: &u32| !self.features.state(*at as usize).1.is_empty();
        let whole = (0..self.attributes.len() as u32).all(|at| used(&at));
        if whole && self.weights.iter().all(|weight| *weight != 0.0) {
            return Ok(self);
        }
        let features = self.features.keep(|place| self.weights[place] != 0.0);
        let weights = self.weights.iter().copied();
        let weights = weights.filter(|weight| *weight != 0.0).collect();
        let (mut attributes, mut used) = (Interner::default(), Vec::new());
        for (at, name) in self.attributes.names().enumerate() {
            if !features.state(at).1.is_empty() {
                used.push(at as u32);
                attributes.intern(name);
            }
        }
        let features = features.select(&used);
        Self::new(self.labels, attributes, features, weights, self.metadata)
    }

    /// The same model with other metadata.
    pub fn with_metadata(mut self, metadata: String) -> Self {
        self.metadata = metadata;
        self
    }

    /// The same model, decoded under a constraint. Files do not contain it.
    ///
    /// # Errors
    /// [`Error::Shape`] if the constraint is of another number of labels.
    pub fn constrained(mut self, constraint: Constraint) -> Result<Self> {
        let transitions = constraint.apply(self.transitions.scores().to_vec())?;
        self.constrained = Some((constraint, transitions));
        Ok(self)
    }

    /// The constraint of decoding, and the transitions under it.
    pub(crate) fn decoding(&self) -> (Option<&Constraint>, &Transitions) {
        match &self.constrained {
            Some((constraint, transitions)) => (Some(constraint), transitions),
            None => (None, &self.transitions),
        }
    }

    /// Weights of the attributes in the form in which decoding adds them.
    pub(crate) fn states(&self) -> &StateScores {
        &self.states
    }

    /// Names of the labels.
    pub fn labels(&self) -> &Interner<str> {
        &self.labels
    }

    /// Names of the attributes.
    pub fn attributes(&self) -> &Interner<str> {
        &self.attributes
    }

    /// The features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The weights in the order of the features.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Transition scores; 0 where there is no feature.
    pub fn transitions(&self) -> &Transitions {
        &self.transitions
    }

    /// A JSON object, as text.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }
}
