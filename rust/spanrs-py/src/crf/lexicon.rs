//! Gazetteers and word clusters for templates.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spanrs::base::{Interner, Limits, Named};
use spanrs::crf::{
    BrownOptions, Clusters, Columns, Gazetteer, Inputs, Lexicon, Lexicons, NameOptions, Template,
    WordColumn,
};

use super::items::inputs_of;
use crate::error::Result;
use crate::files::SourceArgument;
use crate::stop;

/// A gazetteer or clusters.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct CrfLexicon(Lexicon);

/// Lexicons with their names.
pub(crate) type NamedLexicons = Vec<(String, Py<CrfLexicon>)>;

/// The lexicons of a Python list of pairs.
pub(crate) fn lexicons_of(named: Option<NamedLexicons>) -> Lexicons {
    let named = named.unwrap_or_default().into_iter();
    named
        .map(|(name, lexicon)| (name, lexicon.get().0.clone()))
        .collect()
}

/// The pairs for [`lexicons_of`].
pub(crate) fn named_lexicons(py: Python<'_>, lexicons: &Lexicons) -> Result<NamedLexicons> {
    let named = lexicons.iter().map(|(name, lexicon)| {
        let lexicon = Py::new(py, CrfLexicon(lexicon.clone()))?;
        Ok((name.to_owned(), lexicon))
    });
    named.collect()
}

/// (name, kind) of each lexicon that a template uses; also checks the template.
#[pyfunction]
#[pyo3(signature = (template, /))]
pub(crate) fn crf_template_lexicons(template: &str) -> Result<Vec<(String, &'static str)>> {
    let template = Template::parse(template)?;
    let used = template.lexicon_names();
    Ok(used
        .map(|(name, kind)| (name.to_owned(), kind.name()))
        .collect())
}

/// The bytes of a file.
fn contents(py: Python<'_>, source: &SourceArgument) -> Result<Vec<u8>> {
    // Lexicons may be larger than documents.
    let limits = Limits {
        document_bytes: isize::MAX as usize,
        ..Limits::default()
    };
    Ok(py.detach(|| source.contents(limits))?)
}

/// The tokens of sentences, or of the first column if tokens are tuples.
fn sentences_of(sentences: &Bound<'_, PyAny>) -> Result<Arc<Columns>> {
    match inputs_of(sentences, true, false, &Interner::default())? {
        Inputs::Columns(columns) | Inputs::Both(columns, _) => Ok(columns),
        // Sequences are read as columns if there is a template.
        Inputs::Features(_) => Ok(Arc::default()),
    }
}

#[pymethods]
impl CrfLexicon {
    /// A gazetteer of phrases, each with its tokens and its type.
    #[staticmethod]
    #[pyo3(signature = (phrases, ignore_case, /))]
    fn gazetteer(
        py: Python<'_>,
        phrases: Vec<(Vec<String>, Option<String>)>,
        ignore_case: bool,
    ) -> Result<Self> {
        let phrases = phrases.iter();
        let phrases = phrases.map(|(tokens, kind)| (tokens, kind.as_deref()));
        let made = py.detach(|| Gazetteer::new(phrases, ignore_case))?;
        Ok(Self(made.into()))
    }

    /// A gazetteer from a file; its name is used in errors.
    #[staticmethod]
    #[pyo3(signature = (source, ignore_case, /))]
    fn read_gazetteer(py: Python<'_>, source: SourceArgument, ignore_case: bool) -> Result<Self> {
        let bytes = contents(py, &source)?;
        let name = source.name();
        let read = py.detach(|| Gazetteer::read(&bytes, name, ignore_case))?;
        Ok(Self(read.into()))
    }

    /// A gazetteer of names, each with its sentence, first token, end and type.
    #[staticmethod]
    #[pyo3(signature = (sentences, names, typed, min_count, leave_one_out, ignore_case, /))]
    #[allow(clippy::too_many_arguments)] // There is only one caller.
    fn gazetteer_of(
        py: Python<'_>,
        sentences: &Bound<'_, PyAny>,
        names: Vec<(usize, usize, usize, String)>,
        typed: bool,
        min_count: usize,
        leave_one_out: bool,
        ignore_case: bool,
    ) -> Result<Self> {
        let sentences = sentences_of(sentences)?;
        let names = names.iter();
        let names = names.map(|(at, start, end, kind)| (*at, *start..*end, kind.as_str()));
        let options = NameOptions {
            ignore_case,
            typed,
            min_count,
            leave_one_out,
        };
        let made = py.detach(|| Gazetteer::of_names(&sentences, names, options))?;
        Ok(Self(made.into()))
    }

    /// The clusters of words.
    #[staticmethod]
    #[pyo3(signature = (words, ignore_case, /))]
    fn clusters(py: Python<'_>, words: Vec<(String, String)>, ignore_case: bool) -> Result<Self> {
        let made = py.detach(|| Clusters::new(words, ignore_case))?;
        Ok(Self(made.into()))
    }

    /// Clusters from a file; its name is used in errors. Words are in the `first` or `second` column.
    #[staticmethod]
    #[pyo3(signature = (source, word_column, ignore_case, /))]
    fn read_clusters(
        py: Python<'_>,
        source: SourceArgument,
        word_column: Option<&str>,
        ignore_case: bool,
    ) -> Result<Self> {
        let word_column = word_column.map(WordColumn::from_name).transpose()?;
        let bytes = contents(py, &source)?;
        let name = source.name();
        let read = py.detach(|| Clusters::read(&bytes, name, word_column, ignore_case))?;
        Ok(Self(read.into()))
    }

    /// Clusters of the words of sentences.
    #[staticmethod]
    #[pyo3(signature = (sentences, clusters, min_count, ignore_case, /))]
    fn train_clusters(
        py: Python<'_>,
        sentences: &Bound<'_, PyAny>,
        clusters: usize,
        min_count: usize,
        ignore_case: bool,
    ) -> Result<Self> {
        let sentences = sentences_of(sentences)?;
        let options = BrownOptions {
            clusters,
            min_count,
            ignore_case,
        };
        let trained = py.detach(|| Clusters::train(&sentences, options, stop))?;
        Ok(Self(trained.into()))
    }

    /// `gazetteer` or `clusters`.
    fn kind(&self) -> &'static str {
        self.0.kind().name()
    }

    fn ignore_case(&self) -> bool {
        self.0.ignore_case()
    }

    /// Whether names of a gazetteer do not match in the sentence that they come from.
    fn leaves_one_out(&self) -> bool {
        matches!(&self.0, Lexicon::Gazetteer(gazetteer) if gazetteer.leaves_one_out())
    }

    /// Tokens and type of each phrase; none for clusters.
    fn phrases(&self) -> Vec<(Vec<&str>, Option<&str>)> {
        match &self.0 {
            Lexicon::Gazetteer(gazetteer) => gazetteer.phrases().collect(),
            Lexicon::Clusters(_) => Vec::new(),
        }
    }

    /// Words and their clusters; none for a gazetteer.
    fn words(&self) -> Vec<(&str, &str)> {
        match &self.0 {
            Lexicon::Gazetteer(_) => Vec::new(),
            Lexicon::Clusters(clusters) => clusters.words().collect(),
        }
    }

    /// The cluster of a word; None if it has none.
    #[pyo3(signature = (word, /))]
    fn cluster(&self, word: &str) -> Option<&str> {
        match &self.0 {
            Lexicon::Gazetteer(_) => None,
            Lexicon::Clusters(clusters) => clusters.get(word),
        }
    }

    /// Whether all clusters are bit strings, whose prefixes are clusters too.
    fn has_bits(&self) -> bool {
        match &self.0 {
            Lexicon::Gazetteer(_) => false,
            Lexicon::Clusters(clusters) => {
                let mut all = clusters.clusters();
                all.all(|cluster| cluster.bytes().all(|byte| matches!(byte, b'0' | b'1')))
            }
        }
    }

    /// Whether these tokens are a phrase.
    #[pyo3(signature = (tokens, /))]
    fn contains(&self, tokens: Vec<String>) -> bool {
        matches!(&self.0, Lexicon::Gazetteer(gazetteer) if gazetteer.contains(&tokens))
    }

    /// Number of phrases or words.
    fn __len__(&self) -> usize {
        match &self.0 {
            Lexicon::Gazetteer(gazetteer) => gazetteer.len(),
            Lexicon::Clusters(clusters) => clusters.len(),
        }
    }

    /// Equal lexicons have equal bytes.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    #[staticmethod]
    #[pyo3(signature = (data, /))]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> Result<Self> {
        Ok(Self(py.detach(|| Lexicon::from_bytes(data))?))
    }
}
