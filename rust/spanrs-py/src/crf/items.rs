//! Features of tokens from Python: dicts, lists of strings, or strings for a template; names of labels.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PySequence, PySet, PyString, PyTuple};
use spanrs::base::Interner;
use spanrs::crf::{
    Columns, Extractor, Inputs, Lexicons, NamedFeatures, Sequences, Template, TokenVectors,
};

use super::feature_reader::read_features;
use super::joined::{DenseRows, Joined};
use super::sentences::CrfSentences;
use crate::error::{Error, Result};

/// Names and values of the features of each token of a sequence.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrfItems(NamedFeatures);

#[pymethods]
impl CrfItems {
    #[new]
    #[pyo3(signature = (sequence, /, any_value = false))]
    fn new(sequence: &Bound<'_, PyAny>, any_value: bool) -> Result<Self> {
        let mut features = NamedFeatures::default();
        read_features(sequence, any_value, &mut features)?;
        Ok(Self(features))
    }

    /// A dict of features for each token.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let tokens = (0..self.0.tokens()).map(|token| {
            let dict = PyDict::new(py);
            for (name, value) in self.0.features(token) {
                dict.set_item(name, value)?;
            }
            Ok(dict)
        });
        tokens.collect()
    }

    fn __len__(&self) -> usize {
        self.0.tokens()
    }
}

/// Source of the features of tokens.
pub(crate) enum Source {
    /// Dicts, lists of strings or [`CrfItems`].
    Features {
        /// Whether values may be NaN or infinite.
        any_value: bool,
    },
    /// Strings or tuples of strings, from which a template computes features.
    Template(Box<Extractor>),
}

impl Source {
    /// Creates the source of a model or trainer; `template` is the text of its template, if it has one, which reads
    /// `lexicons`.
    pub(super) fn new(
        template: Option<&str>,
        lexicons: &Lexicons,
        any_value: bool,
    ) -> Result<Self> {
        let Some(text) = template else {
            return Ok(Self::Features { any_value });
        };
        let template = Template::parse(text)?.with_lexicons(lexicons)?;
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

impl Sequence<'_> {
    /// Whether the sequence has features beside its tokens.
    pub(super) fn has_own_features(&self) -> Result<bool> {
        let Self::Object(object) = self else {
            return Ok(false);
        };
        Ok(Joined::of(object)?.is_some_and(|joined| joined.features.is_some()))
    }
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

/// The characters of a string.
pub(crate) fn unicode<'a>(text: &'a Bound<'_, PyString>) -> Result<&'a str> {
    text.to_str().map_err(|cause| {
        // A reference of its own, because `__repr__` of a subclass may change the collection that contains the text.
        let text = text.clone();
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
    Ok(label_text(label)?.to_owned())
}

/// The name of a label, borrowed.
pub(crate) fn label_text<'a>(label: &'a Bound<'_, PyAny>) -> Result<&'a str> {
    match label.cast::<PyString>() {
        Ok(name) => unicode(name),
        Err(_) => Err(Error::model(format!(
            "the name of a label is {}; it must be a string",
            label.repr()?
        ))),
    }
}

/// True for a set or a frozenset.
pub(crate) fn is_set(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PySet>() || value.is_instance_of::<PyFrozenSet>()
}

/// Calls `use_features` with the features of a sequence given as dicts, lists or [`CrfItems`]; `buffer` is work space.
pub(super) fn with_features<T>(
    sequence: &Bound<'_, PyAny>,
    any_value: bool,
    buffer: &mut NamedFeatures,
    use_features: impl FnOnce(&NamedFeatures) -> Result<T>,
) -> Result<T> {
    if let Ok(items) = sequence.cast::<CrfItems>() {
        return use_features(&items.get().0);
    }
    buffer.clear();
    read_features(sequence, any_value, buffer)?;
    use_features(buffer)
}

impl Source {
    /// Calls `use_features` with the features of a sequence and its dense rows, if it has any; `buffer` is work space.
    pub(super) fn with_features<T>(
        &mut self,
        sequence: &Sequence<'_>,
        buffer: &mut NamedFeatures,
        use_features: impl FnOnce(&NamedFeatures, Option<TokenVectors>) -> Result<T>,
    ) -> Result<T> {
        let Sequence::Object(object) = sequence else {
            return self.with_named(sequence, buffer, |features| use_features(features, None));
        };
        let Some(joined) = Joined::of(object)? else {
            return self.with_named(sequence, buffer, |features| use_features(features, None));
        };
        let vectors = joined.dense.as_ref().map(DenseRows::vectors).transpose()?;
        let Some(tokens) = &joined.tokens else {
            let Self::Features { any_value } = *self else {
                return Err(no_tokens());
            };
            joined.read_beside(any_value, buffer)?;
            return use_features(buffer, vectors);
        };
        let any_value = matches!(self, Self::Features { any_value: true });
        let tokens = Sequence::Object(tokens.clone());
        self.with_named(&tokens, buffer, |features| {
            joined.check_len("tokens", features.tokens())?;
            if joined.features.is_none() {
                return use_features(features, vectors);
            }
            let mut beside = NamedFeatures::default();
            joined.read_beside(any_value, &mut beside)?;
            use_features(&features.joined(&beside)?, vectors)
        })
    }

    /// Calls `use_features` with the features of a sequence that joins nothing; `buffer` is work space.
    fn with_named<T>(
        &mut self,
        sequence: &Sequence<'_>,
        buffer: &mut NamedFeatures,
        use_features: impl FnOnce(&NamedFeatures) -> Result<T>,
    ) -> Result<T> {
        let (extractor, columns, at) = match (self, sequence) {
            (Self::Features { any_value }, Sequence::Object(sequence)) => {
                return with_features(sequence, *any_value, buffer, use_features);
            }
            (Self::Template(extractor), Sequence::Object(sequence)) => {
                let mut columns = Columns::default();
                push_columns(&mut columns, sequence)?;
                (extractor, &Arc::new(columns), 0)
            }
            (Self::Template(extractor), Sequence::Sentence(columns, at)) => {
                (extractor, columns, *at)
            }
            // Sentences are created only for templates.
            (Self::Features { .. }, Sequence::Sentence(..)) => {
                return use_features(&NamedFeatures::default());
            }
        };
        buffer.clear();
        extractor.features(columns, at, buffer)?;
        use_features(buffer)
    }
}

/// The error for a sequence without features beside its tokens, if the model was trained with such features.
fn no_own_features() -> Error {
    Error::model(
        "the model was trained with features beside the tokens, but the sequence has none; pass features=, or sequences that spanrs.crf.join made",
    )
}

/// The error for a sequence without tokens, if the features of a template are needed.
fn no_tokens() -> Error {
    Error::model("the model has a template, but the sequence has no tokens; pass them as X")
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

/// Reads sequences, which all have features beside their tokens if `own_features`: features with known attributes or, for a template, the columns of tokens. The template is applied
/// later, without the GIL.
pub(crate) fn inputs_of(
    inputs: &Bound<'_, PyAny>,
    has_template: bool,
    own_features: bool,
    names: &Interner<str>,
) -> Result<Inputs> {
    if let (true, false, Ok(sentences)) =
        (has_template, own_features, inputs.cast::<CrfSentences>())
    {
        return Ok(Inputs::Columns(Arc::clone(sentences.get().columns())));
    }
    let mut reader = InputReader {
        names,
        columns: has_template.then(Columns::default),
        // Values were checked when features were read; CrfItems may contain any value.
        sequences: Sequences::new(names.len()).with_limit(None),
        any_joined: false,
        own_features,
        buffer: NamedFeatures::default(),
    };
    for (at, sequence) in inputs.try_iter()?.enumerate() {
        crate::pause(at)?;
        let read = reader.push(&sequence?);
        read.map_err(|error| error.in_sequence(at))?;
    }
    let sequences = reader.sequences;
    Ok(match reader.columns.map(Arc::new) {
        Some(columns) if reader.any_joined => Inputs::Both(columns, sequences),
        Some(columns) => Inputs::Columns(columns),
        None => Inputs::Features(sequences),
    })
}

/// Reads sequences for decoding.
struct InputReader<'a> {
    /// The attributes of the model.
    names: &'a Interner<str>,
    /// The tokens, if the model has a template.
    columns: Option<Columns>,
    /// The known features and the dense rows; without joined sequences, those of a template are not read.
    sequences: Sequences,
    /// Whether a sequence has features beside those of the template, or dense rows.
    any_joined: bool,
    /// Whether all sequences must have features beside their tokens.
    own_features: bool,
    buffer: NamedFeatures,
}

impl InputReader<'_> {
    fn push(&mut self, sequence: &Bound<'_, PyAny>) -> Result<()> {
        let Some(joined) = Joined::of(sequence)? else {
            return self.push_plain(sequence);
        };
        if self.own_features && joined.features.is_none() && joined.len > 0 {
            return Err(no_own_features());
        }
        if let Some(columns) = &mut self.columns {
            let tokens = joined.tokens.as_ref().ok_or_else(no_tokens)?;
            if !std::mem::replace(&mut self.any_joined, true) {
                // The sequences before have tokens only.
                for at in 0..columns.len() {
                    self.sequences.push_empty(columns.tokens(at))?;
                }
            }
            push_columns(columns, tokens)?;
            joined.check_len("tokens", columns.tokens(columns.len() - 1))?;
            joined.read_beside(false, &mut self.buffer)?;
        } else if let Some(tokens) = &joined.tokens {
            let buffer = &mut NamedFeatures::default();
            self.buffer = with_features(tokens, false, buffer, |features| {
                joined.check_len("tokens", features.tokens())?;
                if joined.features.is_none() {
                    return Ok(features.clone());
                }
                joined.read_beside(false, &mut self.buffer)?;
                Ok(features.joined(&self.buffer)?)
            })?;
        } else {
            joined.read_beside(false, &mut self.buffer)?;
        }
        let vectors = joined.dense.as_ref().map(DenseRows::vectors).transpose()?;
        Ok(self
            .sequences
            .push_with_vectors(&self.buffer, vectors, self.names)?)
    }

    /// Reads a sequence that joins nothing.
    fn push_plain(&mut self, sequence: &Bound<'_, PyAny>) -> Result<()> {
        if self.own_features && sequence.len().unwrap_or(1) > 0 {
            return Err(no_own_features());
        }
        let (sequences, names) = (&mut self.sequences, self.names);
        if let Some(columns) = &mut self.columns {
            push_columns(columns, sequence)?;
            if self.any_joined {
                sequences.push_empty(columns.tokens(columns.len() - 1))?;
            }
            return Ok(());
        }
        with_features(sequence, false, &mut self.buffer, |features| {
            Ok(sequences.push_features(features, names)?)
        })
    }
}
