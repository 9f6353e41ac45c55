//! Features of tokens from Python: dicts, lists of strings, or strings for a template; names of labels.

use std::sync::Arc;

use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySequence, PySet, PyString, PyTuple};
use spanrs::base::Interner;
use spanrs::crf::{Columns, Extractor, Inputs, Sequences, Template};

use super::sentences::CrfSentences;
use crate::error::{Error, Result};

/// Deepest nesting of dicts in a token.
const NESTING: usize = 100;

/// Names and values of the features of each token of a sequence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrfItems {
    tokens: Vec<Vec<(String, f64)>>,
}

#[pymethods]
impl CrfItems {
    #[new]
    #[pyo3(signature = (sequence, /, any_value = false))]
    fn new(sequence: &Bound<'_, PyAny>, any_value: bool) -> Result<Self> {
        let mut tokens = Vec::new();
        for token in sequence.try_iter()? {
            let mut items = Vec::new();
            let mut add = |name: &str, value| items.push((name.to_string(), value));
            each_feature(&token?, &mut String::new(), 0, any_value, &mut add)?;
            tokens.push(items);
        }
        Ok(Self { tokens })
    }

    /// A dict of features for each token.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let tokens = self.tokens.iter().map(|items| {
            let dict = PyDict::new(py);
            for (name, value) in items {
                dict.set_item(name, value)?;
            }
            Ok(dict)
        });
        tokens.collect()
    }

    /// The first name that contains a NUL character, which CRFsuite's files cannot store.
    fn name_with_nul(&self) -> Option<&str> {
        let mut names = self.tokens.iter().flatten().map(|(name, _)| name.as_str());
        names.find(|name| name.contains('\0'))
    }

    fn __len__(&self) -> usize {
        self.tokens.len()
    }
}

/// Source of the features of tokens.
pub(crate) enum Source {
    /// Dicts, lists of strings or [`CrfItems`].
    Features,
    /// Strings or tuples of strings, from which a template computes features.
    Template(Box<Extractor>),
}

impl Source {
    /// Creates the source of a model or trainer; `template` is the text of its template, if it has one.
    pub(super) fn new(template: Option<&str>) -> Result<Self> {
        let Some(text) = template else {
            return Ok(Self::Features);
        };
        let template = Template::parse(text)?;
        Ok(Self::Template(Box::new(Extractor::new(&template))))
    }
}

/// A sequence of tokens.
pub(crate) enum Sequence<'py> {
    /// A Python object.
    Object(Bound<'py, PyAny>),
    /// A sentence of a column file, for a template.
    Sentence(Arc<Columns>, usize),
}

impl Source {
    /// Iterates over the sequences of `inputs`.
    pub(super) fn sequences<'py>(
        &self,
        inputs: &Bound<'py, PyAny>,
    ) -> PyResult<Box<dyn Iterator<Item = PyResult<Sequence<'py>>> + 'py>> {
        if let (Self::Template(_), Ok(sentences)) = (self, inputs.cast::<CrfSentences>()) {
            let columns = Arc::clone(sentences.get().columns());
            let all = 0..columns.len();
            return Ok(Box::new(
                all.map(move |at| Ok(Sequence::Sentence(Arc::clone(&columns), at))),
            ));
        }
        let objects = inputs.try_iter()?;
        Ok(Box::new(
            objects.map(|object| Ok(Sequence::Object(object?))),
        ))
    }
}

/// Calls `add` with the name and value of each feature of a token, in the forms that python-crfsuite accepts. Values
/// must be finite unless `any_value`.
fn each_feature(
    token: &Bound<'_, PyAny>,
    prefix: &mut String,
    depth: usize,
    any_value: bool,
    add: &mut impl FnMut(&str, f64),
) -> Result<()> {
    if depth > NESTING {
        return Err(Error::model(format!(
            "features are nested more than {NESTING} deep"
        )));
    }
    let start = prefix.len();
    if let Ok(dict) = token.cast::<PyDict>() {
        // Iterates over a copy, because converting a value may run Python code that changes the dict.
        for item in dict.items().iter() {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            push_text(prefix, &key)?;
            if let Ok(text) = value.cast::<PyString>() {
                prefix.push(':');
                prefix.push_str(unicode(text)?);
                add(prefix, 1.0);
            } else if is_collection(&value) {
                prefix.push(':');
                each_feature(&value, prefix, depth + 1, any_value, add)?;
            } else if let Ok(bytes) = value.extract::<&[u8]>() {
                prefix.push(':');
                prefix.push_str(utf8(bytes)?);
                add(prefix, 1.0);
            } else {
                let number = value.extract();
                let number: f64 = number.map_err(|cause| not_a_value(prefix, &value, cause))?;
                if !(any_value || number.is_finite()) {
                    return Err(Error::model(format!(
                        "feature {prefix:?} has the value {number}; values must be finite"
                    )));
                }
                add(prefix, number);
            }
            prefix.truncate(start);
        }
        return Ok(());
    }
    if token.is_instance_of::<PyString>() {
        return Err(Error::model(format!(
            "a token is {}, a string; features are a dict or a list of strings, and strings need a template",
            token.repr()?
        )));
    }
    let mut names = Vec::new();
    for key in token.try_iter()? {
        push_text(prefix, &key?)?;
        names.push(prefix.clone());
        prefix.truncate(start);
    }
    if is_set(token) {
        // Sorted, because sets are unordered but the attributes of a model are ordered.
        names.sort_unstable();
    }
    names.iter().for_each(|name| add(name, 1.0));
    Ok(())
}

fn is_collection(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyDict>()
        || value.is_instance_of::<PyList>()
        || is_set(value)
        || value.is_instance_of::<PyTuple>()
}

/// True for a set or a frozenset.
pub(crate) fn is_set(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>()
}

/// The error for an invalid value.
#[cold]
fn not_a_value(name: &str, value: &Bound<'_, PyAny>, cause: PyErr) -> Error {
    let kind = value.get_type().name().map(|name| name.to_string());
    let kind = kind.unwrap_or_default();
    let too_large = cause.is_instance_of::<PyOverflowError>(value.py());
    let message = match too_large {
        true => format!("the value of feature {name:?} is an {kind} that is too large for a float"),
        false => format!(
            "the value of feature {name:?} is of type {kind}; it must be a number, a bool, a string or a collection of these"
        ),
    };
    Error::model(message).caused_by(cause)
}

fn push_text(text: &mut String, key: &Bound<'_, PyAny>) -> Result<()> {
    if let Ok(key) = key.cast::<PyString>() {
        text.push_str(unicode(key)?);
    } else if let Ok(bytes) = key.extract::<&[u8]>() {
        text.push_str(utf8(bytes)?);
    } else {
        let message = format!(
            "the name of a feature is {}; it must be a string",
            key.repr()?
        );
        return Err(Error::model(message.as_str()).caused_by(PyTypeError::new_err(message)));
    }
    Ok(())
}

/// The characters of a string.
pub(crate) fn unicode<'a>(text: &'a Bound<'_, PyString>) -> Result<&'a str> {
    text.to_str().map_err(|cause| {
        let repr = text.repr().map(|repr| repr.to_string());
        let repr = repr.unwrap_or_default();
        Error::model(format!(
            "{repr} contains a lone surrogate, which is not valid Unicode; decode the text as UTF-8"
        ))
        .caused_by(cause)
    })
}

/// The names of a collection of labels.
pub(crate) fn label_names(labels: &Bound<'_, PyAny>) -> Result<Vec<String>> {
    let names = labels.try_iter()?.map(|label| label_name(&label?));
    names.collect()
}

/// The name of a label.
pub(crate) fn label_name(label: &Bound<'_, PyAny>) -> Result<String> {
    match label.cast::<PyString>() {
        Ok(name) => Ok(unicode(name)?.to_owned()),
        Err(_) => Err(Error::model(format!(
            "the name of a label is {}; it must be a string",
            label.repr()?
        ))),
    }
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| Error::model("a feature is not UTF-8"))
}

/// The (attribute, value) pairs of each token of a sequence given as dicts, lists or [`CrfItems`]. Attributes without
/// an id are skipped.
fn token_features(
    sequence: &Bound<'_, PyAny>,
    mut id: impl FnMut(&str) -> Option<u32>,
) -> Result<Vec<Vec<(u32, f64)>>> {
    let mut tokens = Vec::new();
    if let Ok(items) = sequence.cast::<CrfItems>() {
        for token in &items.get().tokens {
            let items = token.iter();
            let items = items.filter_map(|(name, value)| Some((id(name)?, *value)));
            tokens.push(items.collect());
        }
        return Ok(tokens);
    }
    let mut text = String::new();
    for token in sequence.try_iter()? {
        let mut items = Vec::new();
        text.clear();
        each_feature(&token?, &mut text, 0, false, &mut |name, value| {
            items.extend(id(name).map(|id| (id, value)));
        })?;
        tokens.push(items);
    }
    Ok(tokens)
}

/// The (attribute, value) pairs of each token of a sequence.
pub(crate) fn token_items(
    sequence: &Sequence<'_>,
    source: &mut Source,
    id: impl FnMut(&str) -> Option<u32>,
) -> Result<Vec<Vec<(u32, f64)>>> {
    match (source, sequence) {
        (Source::Features, Sequence::Object(sequence)) => token_features(sequence, id),
        (Source::Template(extractor), Sequence::Object(sequence)) => {
            let mut columns = Columns::default();
            push_columns(&mut columns, sequence)?;
            Ok(extractor.items(&columns, 0, id)?)
        }
        (Source::Template(extractor), Sequence::Sentence(columns, at)) => {
            Ok(extractor.items(columns, *at, id)?)
        }
        // Sentences are created only for templates.
        (Source::Features, Sequence::Sentence(..)) => Ok(Vec::new()),
    }
}

/// Appends a sequence of strings, or of tuples or lists of strings.
fn push_columns(columns: &mut Columns, sequence: &Bound<'_, PyAny>) -> Result<()> {
    if sequence.is_instance_of::<PyString>() {
        return Err(Error::model(
            "a sequence is a string; it must be a list of tokens",
        ));
    }
    for (at, token) in sequence.try_iter()?.enumerate() {
        let token = token?;
        if !push_values(columns, &token)? {
            let repr = token.repr()?;
            return Err(Error::model(format!(
                "token {at} is {repr}; with a template a token must be a string, or a tuple with a string for each column"
            )));
        }
        columns.end_token()?;
    }
    columns.end();
    Ok(())
}

/// Appends the strings of a token; false if it is neither a string nor a sequence of strings.
fn push_values(columns: &mut Columns, token: &Bound<'_, PyAny>) -> Result<bool> {
    if let Ok(value) = token.cast::<PyString>() {
        columns.value(unicode(value)?);
        return Ok(true);
    }
    // Tuples are the common case, and do not need an iterator.
    if let Ok(values) = token.cast::<PyTuple>() {
        for value in values.iter_borrowed() {
            let Ok(value) = value.cast::<PyString>() else {
                return Ok(false);
            };
            columns.value(unicode(&value)?);
        }
        return Ok(true);
    }
    let Ok(values) = token.cast::<PySequence>() else {
        return Ok(false);
    };
    for value in values.try_iter()? {
        let Ok(value) = value?.cast_into::<PyString>() else {
            return Ok(false);
        };
        columns.value(unicode(&value)?);
    }
    Ok(true)
}

/// Reads sequences: features with known attributes or, for a template, the columns of tokens. The template is applied
/// later, without the GIL.
pub(crate) fn inputs_of(
    inputs: &Bound<'_, PyAny>,
    has_template: bool,
    names: &Interner<str>,
) -> Result<Inputs> {
    if let (true, Ok(sentences)) = (has_template, inputs.cast::<CrfSentences>()) {
        return Ok(Inputs::Columns(Arc::clone(sentences.get().columns())));
    }
    let mut columns = Columns::default();
    // Values were checked when features were read; CrfItems may contain any value.
    let mut sequences = Sequences::new(names.len()).with_limit(None);
    for (at, sequence) in inputs.try_iter()?.enumerate() {
        crate::pause(at)?;
        let sequence = sequence?;
        if has_template {
            push_columns(&mut columns, &sequence).map_err(|error| error.in_sequence(at))?;
            continue;
        }
        let tokens = token_features(&sequence, |name| names.get(name));
        for items in tokens.map_err(|error| error.in_sequence(at))? {
            let added = sequences.token(items);
            added.map_err(|error| Error::from((error, at)))?;
        }
        sequences.end();
    }
    Ok(match has_template {
        true => Inputs::Columns(Arc::new(columns)),
        false => Inputs::Features(sequences),
    })
}
