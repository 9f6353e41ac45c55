//! Training: corpora from Python, and the loop with its callback.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use spanrs::crf::{
    AttributeIndex, Corpus, Error as CrfError, Features, Lexicons, MAX_TRAINING_VALUE, Model,
    NamedCorpus, NamedFeatures, Prior, Sequences, TokenTarget, TrainingOptions, train,
};
use spanrs::scheme_constraint;
use spanrs::tags::Scheme;

use super::em::close;
use super::items::{
    Sequence, Source, inputs_of, is_set, label_name, label_names, label_text, unicode,
    with_features,
};
use super::lexicon::{NamedLexicons, lexicons_of};
use super::model::CrfModel;
use super::observer::Observer;
use crate::error::{Error, Result};
use crate::locks::lock_now;
use crate::plain::Plain;
use crate::stop;

/// A training corpus under construction.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrfTrainer(Mutex<Builder>);

struct Builder {
    corpus: NamedCorpus,
    /// Whether the corpus accepts all values of attributes.
    any_value: bool,
    source: Source,
    /// The lexicons of the template, for the model.
    lexicons: Lexicons,
    /// Features of the current sequence.
    buffer: NamedFeatures,
    /// Whether a sequence has features beside its tokens.
    own_features: bool,
    /// The features of the corpus, if they were counted before training.
    features: Option<Features>,
}

impl Builder {
    /// Takes the corpus and leaves an empty one.
    fn take(&mut self) -> NamedCorpus {
        self.features = None;
        self.own_features = false;
        std::mem::replace(&mut self.corpus, new_corpus(self.any_value))
    }
}

fn new_corpus(any_value: bool) -> NamedCorpus {
    match any_value {
        true => NamedCorpus::of_any_value(),
        false => NamedCorpus::default(),
    }
}

#[pymethods]
impl CrfTrainer {
    #[new]
    /// With `spill`, a number of bytes and a directory, features above that size are moved to a temporary file.
    #[pyo3(signature = (template, /, any_value = false, lexicons = None, spill = None))]
    fn new(
        template: Option<&str>,
        any_value: bool,
        lexicons: Option<NamedLexicons>,
        spill: Option<(usize, PathBuf)>,
    ) -> Result<Self> {
        let (corpus, lexicons) = (new_corpus(any_value), lexicons_of(lexicons));
        Ok(Self(Mutex::new(Builder {
            corpus: match spill {
                Some((bytes, directory)) => corpus.spilled_above(bytes, &directory, stop),
                None => corpus,
            },
            any_value,
            source: Source::new(template, &lexicons, any_value)?,
            lexicons,
            buffer: NamedFeatures::default(),
            own_features: false,
            features: None,
        })))
    }

    /// Gives the labels and attributes of a model the same numbers in this trainer, which is empty.
    #[pyo3(signature = (model, /))]
    fn continue_from(&self, model: &CrfModel) -> Result<()> {
        let mut builder = self.lock()?;
        builder.corpus.labels = model.core().labels().clone();
        builder.corpus.attributes = model.core().attributes().clone();
        Ok(())
    }

    /// Adds labels that may not occur in the sequences.
    #[pyo3(signature = (labels, /))]
    fn add_labels(&self, labels: Vec<String>) -> Result<()> {
        let mut builder = self.lock()?;
        labels.iter().for_each(|label| {
            builder.corpus.labels.intern(label);
        });
        Ok(())
    }

    /// Learns from the sequences as from a further batch, after those of the model, and returns the model and the
    /// reason for stopping; see `train` for the callback. The trainer is empty afterwards.
    #[pyo3(signature = (options, threads, model, callback, /))]
    fn learn(
        &self,
        py: Python<'_>,
        options: Plain<TrainingOptions>,
        threads: usize,
        model: Option<&Bound<'_, CrfModel>>,
        callback: Option<Py<PyAny>>,
    ) -> Result<(CrfModel, &'static str)> {
        let mut guard = self.lock()?;
        let builder = &mut *guard;
        close(&mut builder.corpus)?;
        let (model, lexicons) = (
            model.map(|model| model.get().clone()),
            builder.lexicons.clone(),
        );
        let (corpus, labels, attributes) = builder.take().into_parts();
        if let Some(model) = &model
            && model.core().features().len() > model.core().features().pairs().1.len()
        {
            // A model without features of tokens may get dense rows later.
            check_dimension(model.core(), &corpus)?;
        }
        let (model, why) = py.detach(|| {
            let options = options.0;
            let mut features = Features::read(&corpus, options.selection())?;
            let prior = match &model {
                Some(model) => {
                    features = features.united(model.core().features());
                    let core = model.core();
                    core.prior(&labels, &attributes, &features, options.c2)
                }
                None => Prior::new(&features, options.c2),
            };
            let mut observer = Observer {
                callback,
                dev: None,
                features: &features,
                constraint: None,
                labels: &labels,
                best: None,
                iterations: 0,
            };
            let after = |state, weights: &[f64]| observer.after(state, weights);
            let mut learnt = prior;
            let finish = options.lbfgs();
            let stopped = learnt.learn(corpus, &features, &finish, threads, stop, after);
            let why = observer.reason(stopped, false)?;
            let model = Model::new(labels, attributes, features, learnt.means, "{}".into())?;
            let model = model.with_penalties(learnt.penalties)?;
            Ok::<_, Error>((model.with_lexicons(lexicons), why))
        })?;
        Ok((CrfModel::of(model)?, why))
    }

    /// Adds sequences with their targets; `weights` is None if all weights are 1. On error, sequences before the first
    /// invalid sequence are kept, as are names of labels and attributes in the invalid sequence.
    #[pyo3(signature = (inputs, targets, weights, /))]
    fn extend(
        &self,
        inputs: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<Vec<f64>>,
    ) -> Result<()> {
        let mut builder = self.lock()?;
        builder.features = None;
        let mut inputs = builder.source.sequences(inputs)?;
        let mut targets = targets.try_iter()?;
        for at in 0.. {
            crate::pause(at)?;
            match (inputs.next(), targets.next()) {
                (Some(input), Some(target)) => {
                    let weight = weights.as_ref().map_or(Some(1.0), |w| w.get(at).copied());
                    let weight = weight.ok_or_else(|| lengths("weights", at))?;
                    builder
                        .append(&input?, &target?, weight)
                        .map_err(|error| error.in_sequence(at))?;
                }
                (None, None) => {
                    return match weights {
                        Some(weights) if weights.len() > at => Err(lengths("sequences", at)),
                        _ => Ok(()),
                    };
                }
                (None, _) => return Err(lengths("sequences of features", at)),
                (_, None) => return Err(lengths("sequences of labels", at)),
            }
        }
        Ok(())
    }

    /// Adds a sequence of features with a label for each token, as python-crfsuite does: nothing is kept on error, and
    /// names with NUL characters, which CRFsuite's files cannot store, are errors.
    #[pyo3(signature = (sequence, labels, /))]
    fn append(&self, sequence: &Bound<'_, PyAny>, labels: &Bound<'_, PyList>) -> Result<()> {
        // The trainer is not locked while features are read, which may run Python code that uses the trainer.
        let (mut buffer, any_value) = {
            let mut builder = self.lock()?;
            (std::mem::take(&mut builder.buffer), builder.any_value)
        };
        let labels: Vec<_> = labels.iter().collect();
        let appended = with_features(sequence, any_value, &mut buffer, |features| {
            let labels = labels.iter().map(label_text).collect::<Result<Vec<_>>>()?;
            self.lock()?
                .append_labelled(sequence.py(), features, &labels)
        });
        self.lock()?.buffer = buffer;
        appended
    }

    /// A trainer with a copy of some of the sequences; labels and attributes keep their numbers.
    #[pyo3(signature = (kept, /))]
    fn part(&self, kept: Vec<bool>) -> Result<Self> {
        let builder = self.lock()?;
        let kept = |at: usize| kept.get(at).copied().unwrap_or_default();
        Ok(Self(Mutex::new(Builder {
            corpus: builder.corpus.part(kept),
            any_value: builder.any_value,
            source: Source::new(None, &Lexicons::default(), builder.any_value)?,
            lexicons: Lexicons::default(),
            buffer: NamedFeatures::default(),
            own_features: false,
            features: None,
        })))
    }

    /// Generates the features of the corpus for the next call of `train` with these options; returns their number.
    #[pyo3(signature = (options, /))]
    fn generate_features(&self, py: Python<'_>, options: Plain<TrainingOptions>) -> Result<usize> {
        let mut builder = self.lock()?;
        close(&mut builder.corpus)?;
        let (corpus, selection) = (builder.corpus.corpus(), options.0.selection());
        let features = py.detach(|| Features::read(corpus, selection))?;
        Ok(builder.features.insert(features).len())
    }

    /// Gives each label a class weight.
    #[pyo3(signature = (weights, /))]
    fn set_class_weights(&self, weights: Vec<f64>) -> Result<()> {
        Ok(self.lock()?.corpus.set_class_weights(&weights)?)
    }

    /// Names of the labels so far.
    fn labels(&self) -> Result<Vec<String>> {
        let builder = self.lock()?;
        Ok(builder.corpus.labels.names().map(str::to_string).collect())
    }

    /// Whether a sequence has features beside its tokens.
    fn has_own_features(&self) -> Result<bool> {
        Ok(self.lock()?.own_features)
    }

    /// Whether features are in a temporary file.
    fn is_spilled(&self) -> Result<bool> {
        Ok(self.lock()?.corpus.corpus().is_spilled())
    }

    /// (sequences, tokens, attributes)
    fn sizes(&self) -> Result<(usize, usize, usize)> {
        let builder = self.lock()?;
        let corpus = &builder.corpus;
        Ok((corpus.sequences(), corpus.tokens(), corpus.attributes.len()))
    }

    /// Removes all sequences, labels and attributes.
    fn clear(&self) -> Result<()> {
        self.lock()?.take();
        Ok(())
    }

    /// Trains and returns the model and the reason for stopping. `callback(iteration, dev_tags)` is called after
    /// each iteration with a dict; it returns 0 to stop, 1 to continue, or 2 to continue and record the current weights
    /// as the best so far. The trainer is empty afterwards.
    #[pyo3(signature = (options, threads, start, dev, scheme, callback, keep_on_interrupt, /))]
    #[allow(clippy::too_many_arguments)] // There is only one caller.
    fn train(
        &self,
        py: Python<'_>,
        options: Plain<TrainingOptions>,
        threads: usize,
        start: Option<&Bound<'_, CrfModel>>,
        dev: Option<&Bound<'_, PyAny>>,
        scheme: Option<Plain<Scheme>>,
        callback: Option<Py<PyAny>>,
        keep_on_interrupt: bool,
    ) -> Result<(CrfModel, &'static str)> {
        let mut guard = self.lock()?;
        let builder = &mut *guard;
        check_trainable(&builder.corpus)?;
        let (algorithm, selection) = (options.0.algorithm(), options.0.selection());
        let dev = dev.map(|dev| builder.dev_sequences(dev));
        let dev = dev.transpose().map_err(Error::in_development)?;
        close(&mut builder.corpus)?;
        let constraint = scheme
            .map(|scheme| scheme_constraint(scheme.0, &builder.corpus.labels))
            .transpose()?;
        let start = start.map(|model| model.get().clone());
        if let Some(model) = &start {
            check_dimension(model.core(), builder.corpus.corpus())?;
        }
        let (generated, lexicons) = (builder.features.take(), builder.lexicons.clone());
        let (corpus, labels, attributes) = builder.take().into_parts();
        let (model, why) = py.detach(|| {
            let features = match generated {
                Some(features) => features,
                None => Features::read(&corpus, selection)?,
            };
            let mut weights = match &start {
                Some(model) => model.core().weights_for(&labels, &attributes, &features),
                None => vec![0.0; features.len()],
            };
            // The table of the attributes is not needed in training.
            let attributes = attributes.into_names();
            let mut observer = Observer {
                callback,
                dev,
                features: &features,
                constraint,
                labels: &labels,
                best: None,
                iterations: 0,
            };
            let after = |state, weights: &[f64]| observer.after(state, weights);
            let stopped = train(
                corpus,
                &features,
                &algorithm,
                threads,
                &mut weights,
                stop,
                after,
            );
            let why = observer.reason(stopped, keep_on_interrupt)?;
            let weights = observer.best.take().unwrap_or(weights);
            let model = Model::trained(labels, attributes, features, weights, "{}".into());
            Ok::<_, Error>((model?.with_lexicons(lexicons), why))
        })?;
        Ok((CrfModel::of(model)?, why))
    }
}

impl CrfTrainer {
    /// The corpus, or an error if another thread or a training callback is using it: waiting could cause a deadlock.
    fn lock(&self) -> Result<MutexGuard<'_, Builder>> {
        let message = "the trainer is in use, by a running training or by another thread";
        lock_now(&self.0, message)
    }
}

/// Checks that a corpus has labels, and a sequence whose weight is not 0.
fn check_trainable(corpus: &NamedCorpus) -> Result<()> {
    let nothing = |why: &str| Error::model(format!("there is nothing to train on: {why}"));
    if corpus.labels.is_empty() {
        return Err(nothing("no sequence has a token with a label"));
    }
    let corpus = corpus.corpus();
    match (0..corpus.sequences()).all(|at| corpus.weight(at) == 0.0) {
        true => Err(nothing("sample_weight is 0 for all sequences")),
        false => Ok(()),
    }
}

/// Checks that the dense rows of a corpus, if it has tokens, are as wide as those of a model.
fn check_dimension(model: &Model, corpus: &Corpus) -> Result<()> {
    Ok(corpus
        .inputs()
        .check_dimension(model.features().dimension())?)
}

/// Refuses names with NUL characters.
fn refuse_nul(py: Python<'_>, kind: &str, name: Option<&str>) -> Result<()> {
    let Some(name) = name else {
        return Ok(());
    };
    let name = PyString::new(py, name).repr()?;
    let message =
        format!("{kind} {name} contains a NUL character, which model files cannot represent");
    Err(PyValueError::new_err(message).into())
}

/// The error for inputs of different lengths.
fn lengths(what: &str, at: usize) -> Error {
    let message = format!(
        "there are only {at} {what}; features, labels and weights must have the same number of sequences"
    );
    Error::shape(message, None)
}

impl Builder {
    fn append(
        &mut self,
        input: &Sequence<'_>,
        target: &Bound<'_, PyAny>,
        weight: f64,
    ) -> Result<()> {
        let targets = self.targets(target)?;
        self.own_features |= input.has_own_features()?;
        let Self {
            corpus,
            source,
            buffer,
            ..
        } = self;
        let pushed = source.with_features(input, buffer, |features, vectors| {
            let (n, m) = (features.tokens(), targets.len());
            if n != m {
                return Err(Error::shape(format!("{n} tokens, but {m} labels"), None));
            }
            Ok(corpus.push_with_vectors(features, vectors, targets, weight))
        })?;
        pushed.map_err(|error| match error {
            CrfError::Value { attribute, value } => {
                let name = self.corpus.attributes.name(attribute).unwrap_or_default();
                Error::model(format!(
                    "feature {name:?} has the value {value:e}; in training, values may be at most {MAX_TRAINING_VALUE:e} in absolute value; scale the feature"
                ))
            }
            error => error.into(),
        })
    }

    /// Adds a sequence as python-crfsuite does; see [`CrfTrainer::append`].
    fn append_labelled(
        &mut self,
        py: Python<'_>,
        features: &NamedFeatures,
        labels: &[&str],
    ) -> Result<()> {
        let (n, m) = (features.tokens(), labels.len());
        if n != m {
            let message = format!("The numbers of items and labels differ: |x| = {n}, |y| = {m}");
            return Err(PyValueError::new_err(message).into());
        }
        let label = labels.iter().find(|label| label.contains('\0'));
        let attribute = features.names().find_containing('\0');
        for (kind, name) in [("label", label.copied()), ("attribute", attribute)] {
            refuse_nul(py, kind, name)?;
        }
        self.features = None;
        let corpus = &mut self.corpus;
        let ids = labels.iter().map(|label| corpus.labels.intern(label));
        let targets = ids.map(TokenTarget::Label).collect();
        Ok(corpus.push_features(features, targets, 1.0)?)
    }

    /// The sequences of another trainer that was split from the same one, or sequences with features.
    fn dev_sequences(&self, dev: &Bound<'_, PyAny>) -> Result<Sequences> {
        if let Ok(part) = dev.cast::<CrfTrainer>() {
            return Ok(part.get().lock()?.corpus.corpus().inputs().clone());
        }
        let (template, index);
        let template = match &self.source {
            Source::Template(extractor) => {
                index = AttributeIndex::new(&self.corpus.attributes);
                template = extractor;
                Some((&**template, &index))
            }
            Source::Features { .. } => None,
        };
        let attributes = &self.corpus.attributes;
        let inputs = inputs_of(dev, template.is_some(), self.own_features, attributes)?;
        let (sequences, _) = inputs.features(0..inputs.len(), template)?;
        sequences.check_dimension(self.corpus.corpus().inputs().dimension())?;
        Ok(sequences.into_owned())
    }

    fn targets(&mut self, target: &Bound<'_, PyAny>) -> Result<Vec<TokenTarget>> {
        if target.is_instance_of::<PyString>() {
            return Err(Error::model(
                "the labels of a sequence are a string; they must be a list, one label for each token",
            ));
        }
        let mut targets = Vec::new();
        for token in target.try_iter()? {
            let token = token?;
            targets.push(if let Ok(label) = token.cast::<PyString>() {
                TokenTarget::Label(self.corpus.labels.intern(unicode(label)?))
            } else if token.is_none() {
                TokenTarget::Open
            } else if let Ok(shares) = token.cast::<PyDict>() {
                let mut all = Vec::new();
                for pair in shares.items().iter() {
                    let (label, share): (Bound<'_, PyAny>, f64) = pair.extract()?;
                    let label = label_name(&label)?;
                    all.push((self.corpus.labels.intern(&label), share));
                }
                TokenTarget::shares(all, targets.len())?
            } else if let Ok(bytes) = token.extract::<&[u8]>() {
                let text = std::str::from_utf8(bytes);
                let text = text.map_err(|_| Error::model("a label is not UTF-8"))?;
                TokenTarget::Label(self.corpus.labels.intern(text))
            } else if is_set(&token) {
                let mut names = label_names(&token)?;
                // Sorted, because sets are unordered but the labels of a model are ordered.
                names.sort_unstable();
                names.dedup();
                if names.is_empty() {
                    return Err(CrfError::NoLabel { token: targets.len() }.into());
                }
                let ids = names.iter().map(|name| self.corpus.labels.intern(name));
                TokenTarget::Allowed(ids.collect())
            } else {
                return Err(Error::model(
                    format!(
                        "a label is {}; it must be a string, a set of allowed labels, a dict of probabilities, or None for any label",
                        token.repr()?
                    )));
            });
        }
        Ok(targets)
    }
}
