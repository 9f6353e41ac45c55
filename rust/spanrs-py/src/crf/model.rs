//! Trained models: decoding, weights, files.

use std::sync::Arc;

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use spanrs::CrfModel as Core;
use spanrs::crf::{Decoder, Inputs, Model, check_len, metadata_flag};
use spanrs::crf_files::{TagOptions, TagReport};
use spanrs::io::Columns;

use super::items::{inputs_of, is_set, label_names, unicode};
use super::lexicon::{NamedLexicons, named_lexicons};
use super::probabilities::{NamedSpan, SpanProbability};
use super::sentences::{names_of, strings_of};
use crate::error::{Error, Result};
use crate::files::{SourceArgument, column_file, write_job};
use crate::plain::Plain;
use crate::stop;

/// A trained model.
#[derive(Clone)]
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrfModel {
    core: Arc<Core>,
    /// Names of the labels: creating them takes longer than labelling a short sequence.
    names: Arc<[Py<PyString>]>,
    /// Whether the model was trained with features beside the tokens.
    own_features: bool,
}

impl CrfModel {
    pub(crate) fn of(model: Model) -> Result<Self> {
        let core = Arc::new(Core::new(model)?);
        let names = Python::attach(|py| strings_of(py, core.model().labels()).into());
        let own_features = metadata_flag(core.model().metadata(), "own_features")?;
        Ok(Self {
            core,
            names,
            own_features,
        })
    }

    pub(crate) fn core(&self) -> &Model {
        self.core.model()
    }

    /// Features of sequences, computed by the model's template, if any.
    pub(super) fn read(&self, inputs: &Bound<'_, PyAny>) -> Result<Inputs> {
        let attributes = self.core().attributes();
        inputs_of(
            inputs,
            self.core.has_template(),
            self.own_features,
            attributes,
        )
    }

    /// Applies `decode` to each sequence.
    pub(super) fn each<T: Send>(
        &self,
        py: Python<'_>,
        sequences: &Inputs,
        threads: usize,
        decode: impl Fn(&mut Decoder, usize) -> spanrs::crf::Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let decoded = py.detach(|| {
            let template = self.core.template();
            sequences.decode(self.core(), template, threads, stop, &decode)
        });
        Ok(decoded?)
    }

    /// Flags for the allowed labels; each token has a label, a set of labels, or None.
    fn flags(&self, known: &Bound<'_, PyAny>) -> Result<Vec<bool>> {
        let mut tokens = Vec::new();
        for token in known.try_iter()? {
            let token = token?;
            tokens.push(if token.is_none() {
                None
            } else if let Ok(name) = token.cast::<PyString>() {
                Some(vec![unicode(name)?.to_owned()])
            } else if is_set(&token) {
                Some(label_names(&token)?)
            } else {
                return Err(Error::model(format!(
                    "a known label is {}; it must be a string, a set of labels, or None",
                    token.repr()?
                )));
            });
        }
        Ok(self.core().allowed(&tokens)?)
    }

    /// Flags for the allowed labels of each sequence; empty without known labels.
    pub(super) fn all_flags(
        &self,
        known: Option<&Bound<'_, PyAny>>,
        sequences: usize,
    ) -> Result<Vec<Vec<bool>>> {
        let mut allowed = Vec::new();
        if let Some(known) = known {
            for (at, own) in known.try_iter()?.enumerate() {
                let flags = self.flags(&own?).map_err(|error| error.in_sequence(at))?;
                allowed.push(flags);
            }
            check_len("sequences of known labels", sequences, allowed.len())?;
        }
        Ok(allowed)
    }
}

#[pymethods]
impl CrfModel {
    /// Names of the labels.
    fn labels(&self) -> Vec<&str> {
        self.core().labels().names().collect()
    }

    /// Names of the attributes.
    fn attributes(&self) -> Vec<&str> {
        self.core().attributes().names().collect()
    }

    /// (labels, attributes, state features)
    fn sizes(&self) -> (usize, usize, usize) {
        let (labels, attributes) = (self.core().labels(), self.core().attributes());
        (
            labels.len(),
            attributes.len(),
            self.core().state_weights().count(),
        )
    }

    /// (attribute, label, weight) of each state feature.
    fn states(&self) -> Vec<(&str, &str, f64)> {
        let (labels, attributes) = (self.labels(), self.attributes());
        let states = self.core().state_weights();
        let named = states.map(|(attribute, label, weight)| {
            (
                attributes[attribute as usize],
                labels[label as usize],
                weight,
            )
        });
        named.collect()
    }

    /// (from, to, weight) of each transition feature.
    fn transitions(&self) -> Vec<(&str, &str, f64)> {
        let labels = self.labels();
        let transitions = self.core().transition_weights();
        transitions
            .map(|(from, to, weight)| (labels[from as usize], labels[to as usize], weight))
            .collect()
    }

    /// Weights of the columns of dense rows, an array (columns, labels); no rows if tokens have none.
    fn dense_weights<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyArray2<f64>>> {
        let features = self.core().features();
        let weights = self.core().weights()[features.vector_weights()].to_vec();
        let shape = [features.dimension(), features.labels()];
        Ok(PyArray1::from_vec(py, weights).reshape(shape)?)
    }

    /// A JSON object, as text.
    fn metadata(&self) -> &str {
        self.core().metadata()
    }

    /// Names and lexicons of the template.
    fn lexicons(&self, py: Python<'_>) -> Result<NamedLexicons> {
        named_lexicons(py, self.core().lexicons())
    }

    #[pyo3(signature = (metadata, /))]
    fn with_metadata(&self, metadata: String) -> Result<Self> {
        // The scheme and the temperature of the new metadata replace those of the model.
        Self::of(
            Model::clone(self.core())
                .unconstrained()
                .with_metadata(metadata),
        )
    }

    /// The labels of sequences. `known` constrains tokens to a label or a set of labels (None for no constraint).
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
        let allowed = self.all_flags(known, sequences.len())?;
        let labels = self.each(py, &sequences, threads, |decoder, at| {
            if let Some(allowed) = allowed.get(at) {
                decoder.allow(allowed)?;
            }
            match posterior {
                true => decoder.posterior(),
                false => decoder.best(),
            }
        })?;
        Ok(names_of(py, &self.names, labels.into_iter()))
    }

    /// Writes column files with tags to `out`. Returns a report for each file.
    #[pyo3(signature = (files, out, options, progress, /))]
    fn tag_files(
        &self,
        py: Python<'_>,
        files: Vec<(SourceArgument, Plain<Columns>)>,
        out: Py<PyAny>,
        options: Plain<TagOptions>,
        progress: Option<Py<PyAny>>,
    ) -> Result<Plain<Vec<TagReport>>> {
        let files = files.into_iter();
        let files: Vec<_> = files
            .map(|(source, columns)| column_file(&source, columns.0))
            .collect();
        let options = TagOptions {
            watch: stop,
            ..options.0
        };
        if self.own_features {
            return Err(Error::model(
                "the model was trained with features beside the tokens, which files do not have",
            ));
        }
        let Some(template) = self.core.template() else {
            return Err(Error::model(
                "tagging files requires a template, but the model has none",
            ));
        };
        let reports = write_job(py, &out, progress, |out, tell| {
            spanrs::crf_files::tag(&files, self.core(), template, &options, out, tell)
        })?;
        Ok(Plain(reports))
    }

    /// Marginals of sequences: an array of shape (tokens, labels) for each sequence.
    #[pyo3(signature = (inputs, known, threads, /))]
    fn marginals<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        known: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> Result<Vec<Bound<'py, PyArray2<f64>>>> {
        let sequences = self.read(inputs)?;
        let allowed = self.all_flags(known, sequences.len())?;
        let marginals = self.each(py, &sequences, threads, |decoder, at| {
            if let Some(allowed) = allowed.get(at) {
                decoder.allow(allowed)?;
            }
            decoder.marginals()
        })?;
        let labels = self.core().labels().len();
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
        let names = names_of(py, &self.names, labels.into_iter());
        Ok(names.into_iter().zip(probabilities).collect())
    }

    /// Probabilities of labellings; without labellings, of the best labellings.
    #[pyo3(signature = (inputs, labellings, known, threads, /))]
    fn probabilities<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        labellings: Option<&Bound<'py, PyAny>>,
        known: Option<&Bound<'py, PyAny>>,
        threads: usize,
    ) -> Result<Bound<'py, PyArray1<f64>>> {
        let found = self.labelling_probabilities(py, inputs, labellings, known, threads)?;
        Ok(PyArray1::from_vec(py, found))
    }

    /// (type, start, end, probability) of the spans of the best labelling of each sequence; with a threshold, of all
    /// spans with at least this probability.
    #[pyo3(signature = (inputs, scheme, threshold, known, threads, /))]
    fn spans(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        scheme: &str,
        threshold: Option<f64>,
        known: Option<&Bound<'_, PyAny>>,
        threads: usize,
    ) -> Result<Vec<Vec<SpanProbability>>> {
        self.probable_spans(py, inputs, scheme, threshold, known, threads)
    }

    /// Probabilities of the given spans of each sequence.
    #[pyo3(signature = (inputs, scheme, spans, threads, /))]
    fn span_probabilities<'py>(
        &self,
        py: Python<'py>,
        inputs: &Bound<'py, PyAny>,
        scheme: &str,
        spans: Vec<Vec<NamedSpan>>,
        threads: usize,
    ) -> Result<Vec<Bound<'py, PyArray1<f64>>>> {
        let found = self.given_spans(py, inputs, scheme, &spans, threads)?;
        let arrays = found.into_iter().map(|own| PyArray1::from_vec(py, own));
        Ok(arrays.collect())
    }

    /// (temperature under which the labellings are most probable, number of labellings that the scheme forbids)
    #[pyo3(signature = (inputs, labellings, threads, /))]
    fn fit_temperature(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, PyAny>,
        labellings: &Bound<'_, PyAny>,
        threads: usize,
    ) -> Result<(f64, usize)> {
        self.best_temperature(py, inputs, labellings, threads)
    }

    /// For each token the features that are in the model, as (attribute, value, weights of the labels); the contribution
    /// of its dense row is the last one.
    #[pyo3(signature = (sequence, /))]
    #[allow(clippy::type_complexity)] // The result has one list per token.
    fn known_features<'py>(
        &self,
        py: Python<'py>,
        sequence: &Bound<'py, PyAny>,
    ) -> Result<Vec<Vec<(&str, f64, Bound<'py, PyArray1<f64>>)>>> {
        let inputs = self.read(pyo3::types::PyList::new(py, [sequence])?.as_any())?;
        let (sequences, _) = inputs.features(0..1, self.core.template())?;
        let tokens = (0..sequences.tokens()).map(|token| {
            let dense = self.core().vector_scores(&sequences, token);
            let dense = dense.map(|row| ("(dense)", 1.0, PyArray1::from_vec(py, row)));
            let items = sequences.items(token).map(|(attribute, value)| {
                let name = self.core().attributes().name(attribute).unwrap_or_default();
                let weights = self.core().attribute_weights(attribute);
                (name, value, PyArray1::from_vec(py, weights))
            });
            items.chain(dense).collect()
        });
        Ok(tokens.collect())
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.core().to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> Result<Self> {
        Self::of(py.detach(|| Model::from_bytes(data))?)
    }

    /// The bytes of CRFsuite's model file.
    fn to_crfsuite<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| spanrs::to_crfsuite(self.core()))?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_crfsuite(py: Python<'_>, data: &[u8]) -> Result<Self> {
        Self::of(py.detach(|| spanrs::from_crfsuite(data))?)
    }
}
