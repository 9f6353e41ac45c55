//! Training: corpora from Python, and the loop with its callback.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use spanrs_base::Interner;
use spanrs_crf::{
    AttributeIndex, Corpus, Error as CrfError, Extractor, Features, MAX_LABELS, Model, Sequences,
    Target, Template, train,
};

use super::items::{Inputs, Names, Source, is_set, label_name, token_items, unicode};
use super::model::{CrfModel, constraint_of, template_error};
use super::observer::Observer;
use super::options::{algorithm_of, selection_of};
use super::{crf, wrong};
use crate::error::{Error, Result};
use crate::stop;

/// A training corpus under construction.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrfTrainer(Mutex<Builder>);

struct Builder {
    names: AllNames,
    corpus: Corpus,
    /// Sequences with targets that are not one label for each token; their rows need the final number of labels.
    open: Vec<(usize, Vec<TokenTarget>)>,
    source: Source,
}

/// Names of the labels and attributes of a corpus.
#[derive(Default)]
struct AllNames {
    labels: Interner<str>,
    attributes: Interner<str>,
}

/// Supervision of a token.
enum TokenTarget {
    Label(u32),
    /// Any label.
    Open,
    Allowed(Vec<u32>),
    Shares(Vec<(u32, f64)>),
}

#[pymethods]
impl CrfTrainer {
    #[new]
    #[pyo3(signature = (template, /))]
    fn new(template: Option<&str>) -> Result<Self> {
        Ok(Self(Mutex::new(Builder {
            names: AllNames::default(),
            corpus: Corpus::new(1, 0),
            open: Vec::new(),
            source: source_of(template)?,
        })))
    }

    /// Adds sequences with their targets; None for weights of 1. Sequences before the first invalid one are kept,
    /// and the names of labels and attributes from that one.
    #[pyo3(signature = (inputs, targets, weights, /))]
    fn extend(
        &self,
        inputs: &Bound<'_, PyAny>,
        targets: &Bound<'_, PyAny>,
        weights: Option<Vec<f64>>,
    ) -> Result<()> {
        let mut builder = self.lock()?;
        let (mut inputs, mut targets) = (inputs.try_iter()?, targets.try_iter()?);
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

    /// Names of the labels so far.
    fn labels(&self) -> Result<Vec<String>> {
        let builder = self.lock()?;
        Ok(builder.names.labels.names().map(str::to_string).collect())
    }

    /// (sequences, tokens, attributes)
    fn sizes(&self) -> Result<(usize, usize, usize)> {
        let builder = self.lock()?;
        let corpus = &builder.corpus;
        Ok((
            corpus.sequences(),
            corpus.tokens(),
            builder.names.attributes.len(),
        ))
    }

    /// Removes all sequences; labels and attributes as well.
    fn clear(&self) -> Result<()> {
        let mut builder = self.lock()?;
        builder.names = AllNames::default();
        builder.corpus = Corpus::new(1, 0);
        builder.open.clear();
        Ok(())
    }

    /// Trains and returns the model and the reason for stopping. `callback((iteration, loss, gradient_norm,
    /// active, evaluations), dev_tags)` is called after each iteration; it returns 0 to stop, 1 to continue, or 2 to continue and
    /// record the current weights as the best so far. The trainer is empty afterwards.
    #[pyo3(signature = (algorithm, options, threads, start, dev, scheme, callback, keep_on_interrupt, /))]
    #[allow(clippy::too_many_arguments)] // Called from one place.
    fn train(
        &self,
        py: Python<'_>,
        algorithm: &str,
        options: &Bound<'_, PyDict>,
        threads: usize,
        start: Option<&Bound<'_, CrfModel>>,
        dev: Option<&Bound<'_, PyAny>>,
        scheme: Option<&str>,
        callback: Option<Py<PyAny>>,
        keep_on_interrupt: bool,
    ) -> Result<(CrfModel, &'static str)> {
        let mut guard = self.lock()?;
        let builder = &mut *guard;
        if builder.names.labels.is_empty() {
            return Err(wrong(
                "there is nothing to train on: no sequence has a token with a label".into(),
                None,
            ));
        }
        if builder.names.labels.len() > MAX_LABELS {
            let labels = builder.names.labels.len();
            return Err(crf(CrfError::Labels { labels }, None));
        }
        let (algorithm, selection) = (algorithm_of(algorithm, options)?, selection_of(options)?);
        let dev = dev.map(|dev| builder.dev_sequences(dev)).transpose()?;
        let constraint = scheme
            .map(|scheme| constraint_of(scheme, &builder.names.labels))
            .transpose()?;
        let start = start.map(|model| model.get().core().clone());
        for (at, targets) in &builder.open {
            let target = target_of(targets, builder.names.labels.len());
            let set = builder.corpus.set_target(*at, target);
            set.map_err(|error| crf(error, Some(*at)))?;
        }
        builder.open.clear();
        let corpus = std::mem::replace(&mut builder.corpus, Corpus::new(1, 0));
        let names = std::mem::take(&mut builder.names);
        let trained = py.detach(|| {
            let AllNames { labels, attributes } = &names;
            let features = Features::of(&corpus, selection);
            let mut weights = match &start {
                Some(model) => start_weights(model, labels, attributes, &features),
                None => vec![0.0; features.len()],
            };
            let mut observer = Observer {
                callback,
                dev,
                features: &features,
                constraint,
                labels,
                best: None,
                raised: None,
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
            let best = observer.best.take();
            Ok::<_, Error>((best.unwrap_or(weights), features, why))
        });
        let (weights, features, why) = trained?;
        let model = py.detach(|| {
            let AllNames { labels, attributes } = names;
            let model = Model::new(labels, attributes, features, weights, "{}".into());
            model.and_then(Model::pruned)
        });
        let model = model.map_err(|error| crf(error, None))?;
        Ok((CrfModel::of(model)?, why))
    }
}

impl CrfTrainer {
    /// The corpus; an error while another thread or a callback of training uses it, which waiting could block forever.
    fn lock(&self) -> Result<MutexGuard<'_, Builder>> {
        match self.0.try_lock() {
            Ok(builder) => Ok(builder),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "the trainer is in use: it is training, or in another thread",
            )
            .into()),
        }
    }
}

fn lengths(what: &str, at: usize) -> Error {
    Error::Crf {
        class: "AlignmentError",
        message: format!("there are only {at} {what}"),
        code: "shape",
        sequence: None,
    }
}

/// The weights of a model for the features that it has too.
fn start_weights(
    model: &Model,
    labels: &Interner<str>,
    attributes: &Interner<str>,
    features: &Features,
) -> Vec<f64> {
    let mut weights = vec![0.0; features.len()];
    let known: Vec<Option<u32>> = labels
        .names()
        .map(|name| model.labels().get(name))
        .collect();
    for (at, name) in attributes.names().enumerate() {
        let Some(attribute) = model.attributes().get(name) else {
            continue;
        };
        let (start, own) = features.state(at);
        for (weight, label) in weights[start..].iter_mut().zip(own) {
            let place = known[*label as usize];
            let place = place.and_then(|label| model.features().state_weight(attribute, label));
            *weight = place.map_or(0.0, |place| model.weights()[place]);
        }
    }
    let (first, pairs) = features.pairs();
    for (weight, pair) in weights[first..].iter_mut().zip(pairs) {
        let pair = *pair as usize;
        let two = (known[pair / labels.len()], known[pair % labels.len()]);
        if let (Some(from), Some(to)) = two {
            *weight = model.transitions().score(from as usize, to as usize);
        }
    }
    weights
}

/// Lists of label names.
pub(crate) fn names_of<'py>(
    py: Python<'py>,
    labels: &Interner<str>,
    all: &[Vec<usize>],
) -> Vec<Vec<Bound<'py, PyString>>> {
    let names: Vec<_> = labels.names().map(|name| PyString::new(py, name)).collect();
    let of = |own: &Vec<usize>| own.iter().map(|&label| names[label].clone()).collect();
    all.iter().map(of).collect()
}

/// Adds the tokens of a sequence, which is open then, to a corpus of so many labels; gives their number.
pub(super) fn add_tokens(
    corpus: &mut Corpus,
    labels: usize,
    input: &Bound<'_, PyAny>,
    source: &mut Source,
    attributes: &mut Interner<str>,
) -> Result<usize> {
    let tokens = token_items(input, source, &mut Names::Growing(attributes))?;
    corpus.grow(labels, attributes.len());
    let count = tokens.len();
    for items in tokens {
        if let Err(wrong) = corpus.token(items) {
            corpus.discard();
            return Err(crf(wrong, None));
        }
    }
    Ok(count)
}

/// Where features come from: the template, if there is one.
pub(super) fn source_of(template: Option<&str>) -> Result<Source> {
    match template {
        Some(text) => {
            let template = Template::parse(text).map_err(template_error)?;
            Ok(Source::Template(Box::new(Extractor::new(&template))))
        }
        None => Ok(Source::Features),
    }
}

impl Builder {
    fn append(
        &mut self,
        input: &Bound<'_, PyAny>,
        target: &Bound<'_, PyAny>,
        weight: f64,
    ) -> Result<()> {
        let targets = self.targets(target)?;
        let labels = self.names.labels.len();
        let attributes = &mut self.names.attributes;
        let tokens = add_tokens(
            &mut self.corpus,
            labels,
            input,
            &mut self.source,
            attributes,
        )?;
        if tokens != targets.len() {
            self.corpus.discard();
            return Err(Error::Crf {
                class: "AlignmentError",
                message: format!("{tokens} tokens, but {} labels", targets.len()),
                code: "shape",
                sequence: None,
            });
        }
        let hard = targets.iter().map(|target| match target {
            TokenTarget::Label(label) => Some(*label),
            _ => None,
        });
        let known: Option<Vec<u32>> = hard.collect();
        let (at, tokens) = (self.corpus.sequences(), targets.len());
        if known.is_none() {
            self.open.push((at, targets));
        }
        let target = Target::Labels(known.unwrap_or_else(|| vec![0; tokens]));
        let ended = self.corpus.end_sequence(target, weight);
        let ended = ended.map_err(|error| crf(error, None));
        if ended.is_err() {
            self.open.retain(|(sequence, _)| *sequence < at);
        }
        ended
    }

    fn dev_sequences(&self, dev: &Bound<'_, PyAny>) -> Result<Sequences> {
        let (template, index);
        let template = match &self.source {
            Source::Template(extractor) => {
                index = AttributeIndex::new(&self.names.attributes);
                template = extractor;
                Some((&**template, &index))
            }
            Source::Features => None,
        };
        let inputs = Inputs::of(dev, template.is_some(), &self.names.attributes)?;
        let read = inputs.features(0..inputs.len(), template);
        let (sequences, _) = read.map_err(|(error, at)| crf(error, Some(at)))?;
        Ok(sequences.into_owned())
    }

    fn targets(&mut self, target: &Bound<'_, PyAny>) -> Result<Vec<TokenTarget>> {
        if target.is_instance_of::<PyString>() {
            return Err(wrong(
                "the labels of a sequence are a string; they must be a list, one label for each token".into(),
                None,
            ));
        }
        let mut targets = Vec::new();
        for token in target.try_iter()? {
            let token = token?;
            targets.push(if let Ok(label) = token.cast::<PyString>() {
                TokenTarget::Label(self.names.labels.intern(unicode(label)?))
            } else if token.is_none() {
                TokenTarget::Open
            } else if let Ok(shares) = token.cast::<PyDict>() {
                let mut all = Vec::new();
                for pair in shares.items().iter() {
                    let (label, share): (Bound<'_, PyAny>, f64) = pair.extract()?;
                    let label = label_name(&label)?;
                    all.push((self.names.labels.intern(&label), share));
                }
                let sum: f64 = all.iter().map(|(_, share)| share).sum();
                // The negation also catches NaN.
                if !(all.iter().all(|(_, p)| (0.0..=1.0 + 1e-9).contains(p)) && (sum - 1.0).abs() <= 1e-6) {
                    return Err(crf(CrfError::Distribution { token: targets.len() }, None));
                }
                TokenTarget::Shares(all)
            } else if let Ok(bytes) = token.extract::<&[u8]>() {
                let text = std::str::from_utf8(bytes);
                let text = text.map_err(|_| wrong("a label is not UTF-8".into(), None))?;
                TokenTarget::Label(self.names.labels.intern(text))
            } else if is_set(&token) {
                let mut names: Vec<String> = Vec::new();
                for label in token.try_iter()? {
                    names.push(label_name(&label?)?);
                }
                // Sets have no order; the labels of a model have.
                names.sort_unstable();
                names.dedup();
                if names.is_empty() {
                    return Err(crf(CrfError::NoLabel { token: targets.len() }, None));
                }
                let ids = names.iter().map(|name| self.names.labels.intern(name));
                TokenTarget::Allowed(ids.collect())
            } else {
                return Err(wrong(
                    format!(
                        "a label is {}; it must be a string, a set of allowed labels, a dict of probabilities, or None for any label",
                        token.repr()?
                    ),
                    None,
                ));
            });
        }
        Ok(targets)
    }
}

/// The target of a sequence that has open labels: soft if a token has a distribution, else partial.
fn target_of(targets: &[TokenTarget], labels: usize) -> Target {
    if targets
        .iter()
        .any(|target| matches!(target, TokenTarget::Shares(_)))
    {
        let mut rows = vec![0.0; targets.len() * labels];
        for (row, target) in rows.chunks_exact_mut(labels).zip(targets) {
            match target {
                TokenTarget::Label(label) => row[*label as usize] = 1.0,
                TokenTarget::Open => row.fill(1.0 / labels as f64),
                TokenTarget::Allowed(some) => {
                    for label in some {
                        row[*label as usize] = 1.0 / some.len() as f64;
                    }
                }
                TokenTarget::Shares(shares) => {
                    for (label, share) in shares {
                        row[*label as usize] += share;
                    }
                }
            }
        }
        return Target::Soft(rows);
    }
    let mut rows = vec![false; targets.len() * labels];
    for (row, target) in rows.chunks_exact_mut(labels.max(1)).zip(targets) {
        match target {
            TokenTarget::Label(label) => row[*label as usize] = true,
            TokenTarget::Allowed(some) => some.iter().for_each(|&at| row[at as usize] = true),
            _ => row.fill(true),
        }
    }
    Target::Partial(rows)
}
