//! Trained models: features and weights, with the names of labels and attributes.
//!
//! A model stores the weights twice: in the order of the features, for inspection and files, and in the layouts that
//! decoding reads (`StateScores`, [`Transitions`]). It is immutable and can be shared between threads; methods such as
//! [`Model::pruned`] consume the model and return a new one.

use spanrs_base::{Interner, Names};

use crate::aligned::Aligned;
use crate::best_f32::StepsF32;
use crate::constraint::Constraint;
use crate::error::{Error, MAX_LABELS, Result, check_len};
use crate::features::Features;
use crate::lexicon::Lexicons;
use crate::prior::Prior;
use crate::sequences::Sequences;
use crate::simd::padded;
use crate::state_scores::StateScores;
use crate::temperature::Temperature;
use crate::transitions::Transitions;

/// A trained model. Immutable; a [`crate::Decoder`] has the buffers for decoding with a model.
///
/// ```
/// use spanrs_base::Interner;
/// use spanrs_crf::{Features, Model};
/// let (features, _) = Features::listed(2, 2, &[(0, 0), (1, 1)], &[(0, 1)]).unwrap();
/// let (mut labels, mut attributes) = (Interner::default(), Interner::default());
/// ["O", "PER"].map(|name| labels.intern(name));
/// ["w=Ada", "w=wrote"].map(|name| attributes.intern(name));
/// let model = Model::new(labels, attributes, features, vec![0.0, 2.0, 0.5], "{}".into()).unwrap();
/// assert_eq!(model.transition_weights().collect::<Vec<_>>(), [(0, 1, 0.5)]);
/// let pruned = model.pruned().unwrap();
/// assert_eq!(pruned.attributes().names().collect::<Vec<_>>(), ["w=wrote"]);
/// assert_eq!(Model::from_bytes(&pruned.to_bytes().unwrap()).unwrap().weights(), [2.0, 0.5]);
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    /// Names of the labels, by number.
    labels: Interner<str>,
    /// Names of the attributes, by number.
    attributes: Interner<str>,
    /// The features, over these labels and attributes.
    features: Features,
    /// Weight of each feature, finite.
    weights: Vec<f64>,
    /// Dense transition scores made from the weights.
    transitions: Transitions,
    /// State weights arranged for decoding.
    states: StateScores,
    /// Weights of the columns of vectors, padded rows (column, label).
    vectors: Aligned<f64>,
    /// The constraint on decoding, with the constrained transitions. Not saved in files.
    constrained: Option<(Constraint, Transitions)>,
    /// The transitions to decode with, in 32 bits.
    steps: StepsF32,
    /// The penalties of the weights for learning from further batches, if the model was trained in batches.
    penalties: Option<Vec<f64>>,
    /// Divides all scores before probabilities are computed, unless it is 1. Not saved in files.
    temperature: Option<Temperature>,
    /// A JSON object as text, with entries such as the template and the scheme; only parsed when a file is written or
    /// an entry is read.
    metadata: String,
    /// The lexicons of the template.
    lexicons: Lexicons,
}

/// Checks that the transitions between the labels of a file do not take much more memory than the file: at most 16
/// times its size plus 64 MiB, at 48 bytes per pair. Therefore a small hostile file cannot cause an allocation of
/// gigabytes.
///
/// # Errors
/// [`Error::Labels`] if the transitions would take more memory, or for more than [`MAX_LABELS`] labels.
///
/// # Examples
/// ```
/// use spanrs_crf::check_labels;
/// assert!(check_labels(1000, 100).is_ok(), "48 MB are always allowed");
/// assert!(check_labels(4000, 1_000_000).is_err());
/// assert!(check_labels(4000, 100_000_000).is_ok());
/// ```
pub fn check_labels(labels: usize, file_bytes: usize) -> Result<()> {
    let bytes = labels.saturating_mul(labels).saturating_mul(48);
    let allowed = file_bytes.saturating_mul(16).saturating_add(1 << 26);
    match labels <= MAX_LABELS && bytes <= allowed {
        true => Ok(()),
        false => Err(Error::Labels { labels }),
    }
}

impl Model {
    /// A model of these features and weights. `metadata` is a JSON object, as text; only [`Model::to_bytes`] checks
    /// this.
    ///
    /// Takes time and memory proportional to the number of weights and attributes, plus the square of the number of
    /// labels.
    ///
    /// # Errors
    /// [`Error::Shape`] if the numbers of names, features and weights do not match, [`Error::Labels`] for more than
    /// [`MAX_LABELS`], [`Error::Features`] for more than `u32::MAX` features, [`Error::NotFinite`] for weights that are
    /// NaN or infinite.
    pub fn new(
        labels: Interner<str>,
        attributes: Interner<str>,
        features: Features,
        weights: Vec<f64>,
        metadata: String,
    ) -> Result<Self> {
        check_len("labels in the features", labels.len(), features.labels())?;
        if labels.len() > MAX_LABELS {
            let labels = labels.len();
            return Err(Error::Labels { labels });
        }
        let known = attributes.len();
        check_len("attributes in the features", known, features.attributes())?;
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
        let vectors = features.padded_vector_weights(&weights);
        Ok(Self {
            labels,
            attributes,
            features,
            weights,
            steps: StepsF32::new(&transitions),
            transitions,
            states,
            vectors,
            constrained: None,
            penalties: None,
            temperature: None,
            metadata,
            lexicons: Lexicons::default(),
        })
    }

    /// The model without zero-weight features and without attributes that have no features; decoding gives the same
    /// scores. Attributes are renumbered in order; labels keep their numbers. A model that was trained in batches is not
    /// changed.
    ///
    /// Set the constraint afterwards: pruning keeps a constraint only if there is nothing to prune.
    ///
    /// # Errors
    /// Never in practice: a subset of a valid model is valid.
    pub fn pruned(self) -> Result<Self> {
        let used = |at: &u32| !self.features.state(*at as usize).1.is_empty();
        if self.penalties.is_some() {
            // Further batches may change weights of 0.
            return Ok(self);
        }
        let whole = (0..self.attributes.len() as u32).all(|at| used(&at));
        let named = self.features.vector_weights().start;
        if whole && self.weights[..named].iter().all(|weight| *weight != 0.0) {
            return Ok(self);
        }
        let names = self.attributes.into_names();
        let pruned = Self::trained(
            self.labels,
            names,
            self.features,
            self.weights,
            self.metadata,
        )?;
        Ok(pruned.with_lexicons(self.lexicons))
    }

    /// A model of the features whose weight is not 0, and of the attributes that have such features, which are
    /// numbered anew in their order. Weights of vectors are kept. Same as [`Model::new`] and [`Model::pruned`], with less
    /// memory.
    ///
    /// # Errors
    /// Same as [`Model::new`].
    pub fn trained(
        labels: Interner<str>,
        attributes: Names<str>,
        features: Features,
        mut weights: Vec<f64>,
        metadata: String,
    ) -> Result<Self> {
        let known = attributes.len();
        check_len("attributes in the features", known, features.attributes())?;
        check_len("weights", features.len(), weights.len())?;
        let kept = features.keep(|place| weights[place] != 0.0);
        let mut rest = features.vector_weights().start;
        drop(features);
        weights.retain(|weight| {
            let named = rest > 0;
            rest = rest.saturating_sub(1);
            !named || *weight != 0.0
        });
        weights.shrink_to_fit();
        let used = |at: &u32| !kept.state(*at as usize).1.is_empty();
        let used: Vec<u32> = (0..known as u32).filter(used).collect();
        let attributes = attributes.select(&used);
        Self::new(labels, attributes, kept.select(&used), weights, metadata)
    }

    /// The same model with new metadata, a JSON object as text, which is not checked here.
    pub fn with_metadata(mut self, metadata: String) -> Self {
        self.metadata = metadata;
        self
    }

    /// The same model, with penalties for learning from further batches; see [`Prior`].
    ///
    /// # Errors
    /// [`Error::Shape`] if there are not as many penalties as weights, [`Error::Option`] for a penalty that is not finite
    /// and above 0.
    pub fn with_penalties(mut self, penalties: Vec<f64>) -> Result<Self> {
        check_len("penalties", self.weights.len(), penalties.len())?;
        if !penalties.iter().all(|p| p.is_finite() && *p > 0.0) {
            let message = "penalties of weights must be finite and above 0";
            return Err(Error::Option(message.to_owned()));
        }
        self.penalties = Some(penalties);
        Ok(self)
    }

    /// The penalties of the weights, in the order of the features, if the model was trained in batches.
    pub fn penalties(&self) -> Option<&[f64]> {
        self.penalties.as_deref()
    }

    /// What the model knows of the weights of features with other numberings of labels and attributes: its weights are
    /// the means; its penalties, or `c2` for features that it does not have, are the penalties. A model that was not
    /// trained in batches does not know how certain its weights are, and all penalties are `c2`.
    pub fn prior(
        &self,
        labels: &Interner<str>,
        attributes: &Interner<str>,
        features: &Features,
        c2: f64,
    ) -> Prior {
        let penalties = match &self.penalties {
            Some(own) => self.values_for(own, c2, (labels, attributes), features),
            None => vec![c2; features.len()],
        };
        Prior {
            means: self.weights_for(labels, attributes, features),
            penalties,
        }
    }

    /// The same model with other lexicons: those that the template in the metadata uses
    /// ([`crate::Template::lexicons`]).
    pub fn with_lexicons(mut self, lexicons: Lexicons) -> Self {
        self.lexicons = lexicons;
        self
    }

    /// The lexicons for the template in the metadata.
    pub fn lexicons(&self) -> &Lexicons {
        &self.lexicons
    }

    /// The same model, with a constraint on decoding, which replaces an earlier constraint. Model files do not contain
    /// the constraint; callers derive it from the scheme in the metadata.
    ///
    /// # Errors
    /// [`Error::Shape`] if the constraint has a different number of labels.
    pub fn constrained(mut self, constraint: Constraint) -> Result<Self> {
        let transitions = constraint.apply(self.transitions.scores().to_vec())?;
        self.steps = StepsF32::new(&transitions);
        self.constrained = Some((constraint, transitions));
        self.update_temperature()
    }

    /// The same model without a constraint on decoding, and with the temperature 1.
    pub fn unconstrained(mut self) -> Self {
        if self.constrained.take().is_some() {
            self.steps = StepsF32::new(&self.transitions);
        }
        self.temperature = None;
        self
    }

    /// The same model with a temperature, which replaces an earlier temperature: all scores are divided
    /// by it before probabilities are computed (Guo et al. 2017). The most probable labelling and the
    /// order of labellings stay the same. Model files do not contain the temperature; callers take it
    /// from the metadata ([`crate::metadata_temperature`]).
    ///
    /// # Errors
    /// [`Error::Input`] for a temperature outside of [`crate::TEMPERATURES`], [`Error::Transition`] for
    /// weights that overflow.
    pub fn with_temperature(mut self, temperature: f64) -> Result<Self> {
        let (_, transitions, _) = self.decoding();
        self.temperature = Temperature::new(temperature, transitions)?;
        Ok(self)
    }

    /// Recomputes what the temperature needs after the transitions changed.
    ///
    /// # Errors
    /// Same as [`Model::with_temperature`].
    fn update_temperature(self) -> Result<Self> {
        match self.temperature() {
            1.0 => Ok(self),
            temperature => self.with_temperature(temperature),
        }
    }

    /// The temperature of probabilities; 1 by default.
    pub fn temperature(&self) -> f64 {
        self.temperature.as_ref().map_or(1.0, Temperature::value)
    }

    /// The temperature with its transitions; None for 1.
    pub(crate) fn tempered(&self) -> Option<&Temperature> {
        self.temperature.as_ref()
    }

    /// The constraint on decoding, if there is one, and the transitions to decode with, in 64 and in
    /// 32 bits.
    pub(crate) fn decoding(&self) -> (Option<&Constraint>, &Transitions, &StepsF32) {
        match &self.constrained {
            Some((constraint, transitions)) => (Some(constraint), transitions, &self.steps),
            None => (None, &self.transitions, &self.steps),
        }
    }

    /// Weights of the columns of vectors, padded rows (column, label).
    pub(crate) fn vectors(&self) -> &Aligned<f64> {
        &self.vectors
    }

    /// Weights of the attributes, in the layout used by decoding.
    pub(crate) fn states(&self) -> &StateScores {
        &self.states
    }

    /// Names of the labels, by number.
    pub fn labels(&self) -> &Interner<str> {
        &self.labels
    }

    /// Names of the attributes, by number.
    pub fn attributes(&self) -> &Interner<str> {
        &self.attributes
    }

    /// The features, in the order of the weights.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// The weights in the order of the features: state weights, transition weights, weights of vectors.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Transition scores without the constraint; 0 where there is no feature.
    pub fn transitions(&self) -> &Transitions {
        &self.transitions
    }

    /// (attribute, label, weight) of each state feature, by attribute and then by label.
    pub fn state_weights(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        (0..self.attributes.len()).flat_map(|attribute| {
            let (start, labels) = self.features.state(attribute);
            let weights = labels.iter().zip(&self.weights[start..]);
            weights.map(move |(&label, &weight)| (attribute as u32, label, weight))
        })
    }

    /// (from, to, weight) of each transition feature, by `from` and then by `to`.
    pub fn transition_weights(&self) -> impl Iterator<Item = (u32, u32, f64)> {
        let (first, pairs) = self.features.pairs();
        let labels = self.labels.len().max(1) as u32;
        let weights = pairs.iter().zip(&self.weights[first..]);
        weights.map(move |(pair, &weight)| (pair / labels, pair % labels, weight))
    }

    /// The weights for features with other numberings of labels and attributes, matched by name; 0 for features that
    /// the model does not have. Columns of vectors are matched by number.
    ///
    /// Training can start from these weights, for instance after new documents were added (a warm start). `labels` and
    /// `attributes` give the names for the numbers in `features`. Takes one lookup per name and a binary search per
    /// feature.
    ///
    /// # Examples
    /// ```
    /// use spanrs_base::Interner;
    /// use spanrs_crf::{Features, Model};
    /// let names = |names: [&str; 2]| {
    ///     let mut all: Interner<str> = Interner::default();
    ///     names.map(|name| all.intern(name));
    ///     all
    /// };
    /// let (features, _) = Features::listed(2, 2, &[(0, 0), (1, 1)], &[]).unwrap();
    /// let (labels, attributes) = (names(["O", "PER"]), names(["w=of", "w=Ada"]));
    /// let model = Model::new(labels, attributes, features, vec![1.0, 2.0], "{}".into()).unwrap();
    /// // A corpus in which the attributes are in a different order, and one attribute is new.
    /// let (features, _) = Features::listed(2, 2, &[(0, 1), (1, 0)], &[(0, 0)]).unwrap();
    /// let found = model.weights_for(&names(["O", "PER"]), &names(["w=Ada", "w=new"]), &features);
    /// assert_eq!(found, [2.0, 0.0, 0.0]);
    /// ```
    pub fn weights_for(
        &self,
        labels: &Interner<str>,
        attributes: &Interner<str>,
        features: &Features,
    ) -> Vec<f64> {
        self.values_for(&self.weights, 0.0, (labels, attributes), features)
    }

    /// The values of the model's features for features with other numberings of labels and attributes, which are
    /// matched by name; `default` for features that the model does not have.
    fn values_for(
        &self,
        own_values: &[f64],
        default: f64,
        (labels, attributes): (&Interner<str>, &Interner<str>),
        features: &Features,
    ) -> Vec<f64> {
        let mut values = vec![default; features.len()];
        let known: Vec<Option<u32>> = labels.names().map(|name| self.labels.get(name)).collect();
        for (at, name) in attributes.names().enumerate() {
            let Some(attribute) = self.attributes.get(name) else {
                continue;
            };
            let (start, own) = features.state(at);
            for (value, label) in values[start..].iter_mut().zip(own) {
                let place = known[*label as usize];
                let place = place.and_then(|label| self.features.state_weight(attribute, label));
                *value = place.map_or(default, |place| own_values[place]);
            }
        }
        let (first, pairs) = features.pairs();
        for (value, pair) in values[first..].iter_mut().zip(pairs) {
            let pair = *pair as usize;
            let two = (known[pair / labels.len()], known[pair % labels.len()]);
            if let (Some(from), Some(to)) = two {
                let place = self.features.pair_weight(from as usize, to as usize);
                *value = place.map_or(default, |place| own_values[place]);
            }
        }
        let own = &own_values[self.features.vector_weights()];
        let columns = own.chunks_exact(self.labels.len().max(1));
        let rows = values[features.vector_weights()].chunks_exact_mut(labels.len().max(1));
        for (row, column) in rows.zip(columns) {
            for (value, place) in row.iter_mut().zip(&known) {
                *value = place.map_or(default, |label| column[label as usize]);
            }
        }
        values
    }

    /// The metadata: a JSON object, as text. [`crate::metadata_text`] reads one of the entries.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// The number of a label.
    ///
    /// # Errors
    /// [`Error::Input`] for a name that is not in the model.
    pub fn label(&self, name: &str) -> Result<usize> {
        let id = self.labels.get(name);
        id.map(|id| id as usize).ok_or_else(|| {
            let known: Vec<&str> = self.labels.names().take(20).collect();
            let known = known.join(", ");
            Error::Input(format!("the model has no label {name:?}; it has {known}"))
        })
    }

    /// The flags for [`crate::Decoder::allow`], row-major (token, label): true for the labels that are listed for the
    /// token, or for all labels if the token has no list.
    ///
    /// # Errors
    /// Same as [`Model::label`].
    pub fn allowed(&self, known: &[Option<Vec<String>>]) -> Result<Vec<bool>> {
        let labels = self.labels.len();
        let mut flags = Vec::with_capacity(known.len() * labels);
        for names in known {
            let start = flags.len();
            flags.resize(start + labels, names.is_none());
            for name in names.iter().flatten() {
                flags[start + self.label(name)?] = true;
            }
        }
        Ok(flags)
    }

    /// The contribution of a token's vector to the score of each label; None if the model has no weights for
    /// vectors, or the tokens have none.
    pub fn vector_scores(&self, sequences: &Sequences, token: usize) -> Option<Vec<f64>> {
        if self.vectors.is_empty() || sequences.dimension() != self.features.dimension() {
            return None;
        }
        let mut scores = vec![0.0; padded(self.labels.len())];
        let vectors = sequences.vectors();
        vectors.add_scores(token..token + 1, &self.vectors, &mut scores);
        scores.truncate(self.labels.len());
        Some(scores)
    }

    /// The weights of an attribute, one for each label.
    pub fn attribute_weights(&self, attribute: u32) -> Vec<f64> {
        let mut row = vec![0.0; self.labels.len()];
        let (start, labels) = self.features.state(attribute as usize);
        for (label, weight) in labels.iter().zip(&self.weights[start..]) {
            row[*label as usize] = *weight;
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Corpus, FeatureSelection, Target};

    fn names(names: &[&str]) -> Interner<str> {
        let mut all: Interner<str> = Interner::default();
        names.iter().for_each(|name| {
            all.intern(name);
        });
        all
    }

    /// Features for the labels 0 and 1, each with its own attribute, and for the transition from 0 to 1.
    fn features() -> Features {
        let mut corpus = Corpus::new(2, 2);
        corpus.token([(0, 1.0)]).unwrap();
        corpus.token([(1, 1.0)]).unwrap();
        corpus
            .end_sequence(Target::Labels(vec![0, 1]), 1.0)
            .unwrap();
        Features::of(&corpus, FeatureSelection::default())
    }

    #[test]
    fn weights_are_found_by_names() {
        let (labels, attributes) = (names(&["O", "PER"]), names(&["a", "b"]));
        let weights = vec![1.0, 2.0, 3.0];
        let model = Model::new(labels, attributes, features(), weights, "{}".into()).unwrap();
        let states: Vec<_> = model.state_weights().collect();
        assert_eq!(states, [(0, 0, 1.0), (1, 1, 2.0)]);
        let transitions: Vec<_> = model.transition_weights().collect();
        assert_eq!(transitions, [(0, 1, 3.0)]);
        assert_eq!(model.attribute_weights(1), [0.0, 2.0]);
        let known = [None, Some(vec!["PER".to_owned()])];
        assert_eq!(model.allowed(&known), Ok(vec![true, true, false, true]));
        let error = model.label("LOC").unwrap_err().to_string();
        assert_eq!(error, "the model has no label \"LOC\"; it has O, PER");
        let same = (names(&["O", "PER"]), names(&["new", "b"]));
        assert_eq!(
            model.weights_for(&same.0, &same.1, &features()),
            [0.0, 2.0, 3.0]
        );
        let swapped = (names(&["PER", "O"]), names(&["b", "a"]));
        let found = model.weights_for(&swapped.0, &swapped.1, &features());
        assert_eq!(found, [2.0, 1.0, 0.0]);
    }
}
