//! Trained models: decoding, weights, files.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use spanrs_base::{Clock, Interner, map_in_threads};
use spanrs_compat::crfsuite::{CrfsuiteModel, State, Transition};
use spanrs_crf::{
    AttributeIndex, Constraint, Decoder, Error as CrfError, Extractor, Features, Model, Template,
    check_labels,
};

use spanrs_tags::Dialect;

use super::items::{Inputs, is_set, label_name, unicode};
use super::trainer::names_of;
use super::{crf, wrong};
use crate::error::{Error, Result};
use crate::options::scheme;
use crate::stop;

/// A trained model.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrfModel {
    core: Arc<Model>,
    template: Option<Extractor>,
    /// The attributes for the template, made when first needed.
    index: OnceLock<AttributeIndex>,
}

/// What may follow what under a scheme.
pub(crate) fn constraint_of(scheme_name: &str, labels: &Interner<str>) -> Result<Constraint> {
    let names: Vec<&str> = labels.names().collect();
    let flags = spanrs_tags::legal(scheme(scheme_name)?, &names, &Dialect::default())?;
    // The last row is the start, the last column the end.
    let (rows, starts) = flags.split_at(names.len() * (names.len() + 1));
    let rows = rows.chunks_exact(names.len() + 1);
    let pairs = rows.clone().flat_map(|row| &row[..names.len()]).copied();
    let ends = rows.map(|row| row[names.len()]).collect();
    let constraint = Constraint::new(starts[..names.len()].to_vec(), pairs.collect(), ends);
    constraint.map_err(|error| crf(error, None))
}

/// Sequences to which the template is applied at a time.
const BATCH: usize = 256;

pub(crate) fn template_error(error: spanrs_crf::TemplateError) -> Error {
    Error::Template {
        message: error.to_string(),
        line: error.line,
        column: error.column,
    }
}

impl CrfModel {
    /// Takes template and scheme from the metadata.
    pub(crate) fn of(mut model: Model) -> Result<Self> {
        let text = |name| {
            let text = spanrs_crf::metadata_text(model.metadata(), name);
            text.map_err(|error| crf(error, None))
        };
        let template = match text("template")? {
            Some(text) => {
                let template = Template::parse(&text).map_err(template_error)?;
                Some(Extractor::new(&template))
            }
            None => None,
        };
        if let Some(scheme) = text("scheme")? {
            let constraint = constraint_of(&scheme, model.labels())?;
            model = model
                .constrained(constraint)
                .map_err(|error| crf(error, None))?;
        }
        Ok(Self {
            core: Arc::new(model),
            template,
            index: OnceLock::new(),
        })
    }

    pub(crate) fn core(&self) -> &Arc<Model> {
        &self.core
    }

    /// Features of sequences: through the template, if the model has one.
    fn read(&self, inputs: &Bound<'_, PyAny>) -> Result<Inputs> {
        Inputs::of(inputs, self.template.is_some(), self.core.attributes())
    }

    /// The template and the attributes it is looked up in, if the model has one.
    fn template(&self) -> Option<(&Extractor, &AttributeIndex)> {
        let template = self.template.as_ref()?;
        let index = self
            .index
            .get_or_init(|| AttributeIndex::new(self.core.attributes()));
        Some((template, index))
    }

    /// Applies `decode` to each sequence, which was read into the decoder.
    fn each<T: Send>(
        &self,
        py: Python<'_>,
        sequences: &Inputs,
        threads: usize,
        decode: impl Fn(&mut Decoder, usize) -> spanrs_crf::Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let model = &*self.core;
        let threads = match threads {
            // Asking for the number of processors takes longer than a short sentence.
            0 | 1 => 1,
            _ => {
                let most = std::thread::available_parallelism().map_or(1, usize::from);
                threads.min(most).min(sequences.len().max(1))
            }
        };
        py.detach(|| {
            let template = self.template();
            let stopped = AtomicBool::new(false);
            let parts = map_in_threads(0..threads, |part| {
                let own = sequences.len() * part / threads..sequences.len() * (part + 1) / threads;
                let mut decoder = Decoder::new(model);
                let mut clock = Clock::new(stop);
                let mut decoded = Vec::with_capacity(own.len());
                for start in own.clone().step_by(BATCH) {
                    let batch = start..own.end.min(start + BATCH);
                    let (features, first) = sequences.features(batch.clone(), template)?;
                    for at in batch {
                        // Signals reach the main thread only, which decodes the first part.
                        if stopped.load(Ordering::Relaxed) || part == 0 && clock.stops() {
                            stopped.store(true, Ordering::Relaxed);
                            return Err((CrfError::Interrupted, at));
                        }
                        decoder.read(&features, at - first);
                        decoded.push(decode(&mut decoder, at).map_err(|error| (error, at))?);
                    }
                }
                Ok(decoded)
            });
            let mut all = Vec::new();
            for part in parts {
                all.extend(part.map_err(|(error, at)| crf(error, Some(at)))?);
            }
            Ok(all)
        })
    }

    /// Ids of labels; a name that the model does not know is an error.
    fn label(&self, name: &str) -> Result<usize> {
        let id = self.core.labels().get(name);
        id.map(|id| id as usize).ok_or_else(|| {
            let known: Vec<&str> = self.core.labels().names().take(20).collect();
            wrong(
                format!(
                    "the model has no label {name:?}; it has {}",
                    known.join(", ")
                ),
                None,
            )
        })
    }

    /// Flags of the labels that are allowed, from a label, a set of labels, or None for each token.
    fn flags(&self, known: &Bound<'_, PyAny>) -> Result<Vec<bool>> {
        let labels = self.core.labels().len();
        let mut flags = Vec::new();
        for token in known.try_iter()? {
            let token = token?;
            let start = flags.len();
            flags.resize(start + labels, token.is_none());
            if let Ok(name) = token.cast::<PyString>() {
                flags[start + self.label(unicode(name)?)?] = true;
            } else if is_set(&token) {
                for name in token.try_iter()? {
                    let name = name?;
                    flags[start + self.label(&label_name(&name)?)?] = true;
                }
            } else if !token.is_none() {
                return Err(wrong(
                    format!(
                        "a known label is {}; it must be a string, a set of labels, or None",
                        token.repr()?
                    ),
                    None,
                ));
            }
        }
        Ok(flags)
    }
}

#[pymethods]
impl CrfModel {
    /// Names of the labels.
    fn labels(&self) -> Vec<&str> {
        self.core.labels().names().collect()
    }

    /// Names of the attributes.
    fn attributes(&self) -> Vec<&str> {
        self.core.attributes().names().collect()
    }

    /// (labels, attributes)
    fn sizes(&self) -> (usize, usize) {
        (self.core.labels().len(), self.core.attributes().len())
    }

    /// (attribute, label, weight) of each state feature.
    fn states(&self) -> Vec<(&str, &str, f64)> {
        let (features, weights) = (self.core.features(), self.core.weights());
        let labels: Vec<&str> = self.labels();
        let mut all = Vec::with_capacity(features.pairs().0);
        for (at, name) in self.core.attributes().names().enumerate() {
            let (start, own) = features.state(at);
            for (label, weight) in own.iter().zip(&weights[start..]) {
                all.push((name, labels[*label as usize], *weight));
            }
        }
        all
    }

    /// (from, to, weight) of each transition feature.
    fn transitions(&self) -> Vec<(&str, &str, f64)> {
        let (first, pairs) = self.core.features().pairs();
        let labels: Vec<&str> = self.labels();
        let weights = pairs.iter().zip(&self.core.weights()[first..]);
        weights
            .map(|(pair, weight)| {
                let pair = *pair as usize;
                (
                    labels[pair / labels.len()],
                    labels[pair % labels.len()],
                    *weight,
                )
            })
            .collect()
    }

    /// A JSON object, as text.
    fn metadata(&self) -> &str {
        self.core.metadata()
    }

    #[pyo3(signature = (metadata, /))]
    fn with_metadata(&self, metadata: String) -> Result<Self> {
        Self::of(Model::clone(&self.core).with_metadata(metadata))
    }

    /// Labels of sequences; with `known`, labels that are given (a label, a set of labels, or None for each token).
    #[pyo3(signature = (inputs, posterior, known, threads, /))]
    fn tag<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        posterior: bool,
        known: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> Result<Vec<Vec<Bound<'py, PyString>>>> {
        let sequences = self.read(inputs)?;
        let mut allowed = Vec::new();
        if let Some(known) = known {
            for (at, own) in known.try_iter()?.enumerate() {
                let flags = self.flags(&own?).map_err(|error| error.in_sequence(at))?;
                allowed.push(flags);
            }
            if allowed.len() != sequences.len() {
                return Err(crf(
                    CrfError::Shape {
                        what: "sequences of known labels",
                        expected: sequences.len(),
                        found: allowed.len(),
                    },
                    None,
                ));
            }
        }
        let labels = self.each(py, &sequences, threads, |decoder, at| {
            if let Some(allowed) = allowed.get(at) {
                // Flags are labels times tokens.
                let labels = self.core.labels().len().max(1);
                decoder.allow(allowed).map_err(|error| match error {
                    CrfError::Shape {
                        expected, found, ..
                    } => CrfError::Shape {
                        what: "known labels of a sequence",
                        expected: expected / labels,
                        found: found / labels,
                    },
                    error => error,
                })?;
            }
            match posterior {
                true => decoder.posterior(),
                false => decoder.best(),
            }
        })?;
        Ok(names_of(py, self.core.labels(), &labels))
    }

    /// Marginals of sequences: an array (token, label) for each.
    #[pyo3(signature = (inputs, threads, /))]
    fn marginals<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        threads: usize,
    ) -> Result<Vec<Bound<'py, PyArray2<f64>>>> {
        let sequences = self.read(inputs)?;
        let marginals = self.each(py, &sequences, threads, |decoder, _| decoder.marginals())?;
        let labels = self.core.labels().len();
        let arrays = marginals.into_iter().map(|rows| {
            let tokens = rows.len() / labels.max(1);
            Ok(PyArray1::from_vec(py, rows).reshape([tokens, labels])?)
        });
        arrays.collect()
    }

    /// The best labellings of one sequence with their probabilities.
    #[pyo3(signature = (sequence, n, /))]
    fn n_best<'py>(
        &self,
        py: Python<'py>,
        sequence: &Bound<'py, PyAny>,
        n: usize,
    ) -> Result<Vec<(Vec<Bound<'py, PyString>>, f64)>> {
        let sequences = self.read(pyo3::types::PyList::new(py, [sequence])?.as_any())?;
        let found = self.each(py, &sequences, 1, |decoder, _| decoder.n_best(n))?;
        let (labels, probabilities): (Vec<_>, Vec<_>) = found.into_iter().flatten().unzip();
        let names = names_of(py, self.core.labels(), &labels);
        Ok(names.into_iter().zip(probabilities).collect())
    }

    /// Probabilities of labellings.
    #[pyo3(signature = (inputs, labellings, /))]
    fn probabilities(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        labellings: Vec<Vec<String>>,
    ) -> Result<Vec<f64>> {
        let sequences = self.read(inputs)?;
        let labels = labellings.iter().enumerate().map(|(at, names)| {
            let ids = names.iter().map(|name| self.label(name));
            ids.collect::<Result<Vec<_>>>()
                .map_err(|error| error.in_sequence(at))
        });
        let labels = labels.collect::<Result<Vec<_>>>()?;
        if labels.len() != sequences.len() {
            return Err(crf(
                CrfError::Shape {
                    what: "labellings",
                    expected: sequences.len(),
                    found: labels.len(),
                },
                None,
            ));
        }
        self.each(py, &sequences, 1, |decoder, at| {
            decoder.probability(&labels[at])
        })
    }

    /// For each token the features that the model knows: (attribute, value, weights of the labels).
    #[pyo3(signature = (sequence, /))]
    #[allow(clippy::type_complexity)] // One list per token.
    fn known_features<'py>(
        &self,
        py: Python<'py>,
        sequence: &Bound<'py, PyAny>,
    ) -> Result<Vec<Vec<(&str, f64, Bound<'py, PyArray1<f64>>)>>> {
        let inputs = self.read(pyo3::types::PyList::new(py, [sequence])?.as_any())?;
        let sequences = inputs.features(0..1, self.template());
        let (sequences, _) = sequences.map_err(|(error, at)| crf(error, Some(at)))?;
        let (features, weights) = (self.core.features(), self.core.weights());
        let labels = self.core.labels().len();
        let tokens = (0..sequences.tokens()).map(|token| {
            let items = sequences.items(token).map(|(attribute, value)| {
                let name = self.core.attributes().name(attribute).unwrap_or_default();
                let mut row = vec![0.0; labels];
                let (start, own) = features.state(attribute as usize);
                for (label, weight) in own.iter().zip(&weights[start..]) {
                    row[*label as usize] = *weight;
                }
                (name, value, PyArray1::from_vec(py, row))
            });
            items.collect()
        });
        Ok(tokens.collect())
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.core.to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(|error| crf(error, None))?))
    }

    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> Result<Self> {
        let model = py.detach(|| Model::from_bytes(data));
        Self::of(model.map_err(|error| crf(error, None))?)
    }

    /// The bytes of CRFsuite's model file.
    fn to_crfsuite<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| crfsuite_model(&self.core).to_bytes());
        Ok(PyBytes::new(py, &bytes.map_err(file_error)?))
    }

    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_crfsuite(py: Python<'_>, data: &[u8]) -> Result<Self> {
        let model = py.detach(|| {
            let model = CrfsuiteModel::from_bytes(data).map_err(file_error)?;
            let labels = check_labels(model.labels.len(), data.len());
            labels.map_err(|error| crf(error, None))?;
            model_of(model)
        });
        Self::of(model?)
    }
}

fn file_error(error: impl std::fmt::Display) -> Error {
    Error::Crf {
        class: "ModelError",
        message: error.to_string(),
        code: "damaged",
        sequence: None,
    }
}

fn crfsuite_model(model: &Model) -> CrfsuiteModel {
    let names =
        |names: &Interner<str>| names.names().map(|name| name.as_bytes().to_vec()).collect();
    let (features, weights) = (model.features(), model.weights());
    let mut states = Vec::with_capacity(features.pairs().0);
    for attribute in 0..features.attributes() {
        let (start, labels) = features.state(attribute);
        for (&label, &weight) in labels.iter().zip(&weights[start..]) {
            let attribute = attribute as u32;
            states.push(State {
                attribute,
                label,
                weight,
            });
        }
    }
    let (first, pairs) = features.pairs();
    let labels = features.labels().max(1) as u32;
    let transitions = pairs.iter().zip(&weights[first..]);
    let transitions = transitions.map(|(pair, &weight)| Transition {
        from: pair / labels,
        to: pair % labels,
        weight,
    });
    CrfsuiteModel {
        labels: names(model.labels()),
        attributes: names(model.attributes()),
        states,
        transitions: transitions.collect(),
    }
}

fn model_of(model: CrfsuiteModel) -> Result<Model> {
    let names = |what: &str, names: &[Vec<u8>]| -> Result<Interner<str>> {
        let mut all = Interner::default();
        for (at, name) in names.iter().enumerate() {
            let name = std::str::from_utf8(name);
            all.intern(name.map_err(|_| file_error(format!("{what} {at} is not UTF-8")))?);
        }
        Ok(all)
    };
    let (labels, attributes) = (
        names("label", &model.labels)?,
        names("attribute", &model.attributes)?,
    );
    let states: Vec<(u32, u32)> = model
        .states
        .iter()
        .map(|s| (s.attribute, s.label))
        .collect();
    let pairs: Vec<(u32, u32)> = model.transitions.iter().map(|t| (t.from, t.to)).collect();
    let listed = Features::listed(labels.len(), attributes.len(), &states, &pairs);
    let (features, places) = listed.map_err(file_error)?;
    let mut weights = vec![0.0; features.len()];
    let own = model.states.iter().map(|s| s.weight);
    let own = own.chain(model.transitions.iter().map(|t| t.weight));
    for (place, weight) in places.into_iter().zip(own) {
        weights[place] = weight;
    }
    Model::new(labels, attributes, features, weights, "{}".into()).map_err(file_error)
}
