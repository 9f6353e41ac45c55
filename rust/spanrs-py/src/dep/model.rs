//! Taggers and parsers.

use std::sync::Arc;

use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use serde::Deserialize;
use spanrs::base::Clock;
use spanrs::dep::{Error as DepError, Model, Sentence, import_published, import_tagger};
use spanrs::dep_files::AnnotateOptions;

use super::segmenter::{Token, sentences};
use super::treebank::SyntaxFile;
use crate::error::Result;
use crate::plain::Plain;
use crate::stop;

/// A tagger, a parser, or both.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct DepModel(pub(super) Arc<Model>);

/// A feature and its (class, weight) pairs.
type NamedRow<'a> = (&'a str, Vec<(&'a str, f64)>);
/// (XPOS, UPOS) of the words of a sentence.
type GivenTags = (Vec<String>, Vec<String>);
/// XPOS, UPOS, heads, labels, morphological features and lemmas of a sentence.
type Predicted<'py> = (
    Vec<Bound<'py, PyString>>,
    Vec<Bound<'py, PyString>>,
    Bound<'py, PyArray1<i32>>,
    Vec<Bound<'py, PyString>>,
    Vec<Bound<'py, PyString>>,
    Vec<Bound<'py, PyString>>,
);

/// Options of [`DepModel::annotate_file`]; see [`AnnotateOptions`].
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FileOptions {
    parse: bool,
    keep_tags: bool,
    blank: bool,
    lines: bool,
    document: Option<String>,
    threads: usize,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self {
            parse: true,
            keep_tags: false,
            blank: false,
            lines: false,
            document: None,
            threads: 1,
        }
    }
}

/// The name of the document in a file of raw text, for the ids of its sentences.
#[pyfunction]
#[pyo3(signature = (path, /))]
pub(crate) fn dep_document_name(path: &str) -> String {
    spanrs::dep_files::document_name(path)
}

/// The default templates of parsers.
#[pyfunction]
pub(crate) fn dep_templates() -> &'static str {
    spanrs::dep::RICH_TEMPLATES
}

/// Borrows sentences with their given tags.
///
/// # Errors
/// [`DepError::Training`] if the numbers of tag lists and sentences differ.
fn inputs<'a>(
    sentences: &'a [Vec<String>],
    given: Option<&'a [GivenTags]>,
) -> Result<Vec<Sentence<'a, String>>> {
    if given.is_some_and(|given| given.len() != sentences.len()) {
        let message = "the number of tag lists differs from the number of sentences";
        return Err(DepError::Training(message.to_owned()).into());
    }
    let tags = |at: usize| given.map(|given| (&given[at].0[..], &given[at].1[..]));
    let sentences = sentences.iter().enumerate();
    let inputs = sentences.map(|(at, words)| Sentence {
        words,
        tags: tags(at),
        root_tag: None,
    });
    Ok(inputs.collect())
}

impl DepModel {
    pub(super) fn of(model: Model) -> Self {
        Self(Arc::new(model))
    }
}

#[pymethods]
impl DepModel {
    /// Combines components of several models.
    #[staticmethod]
    #[pyo3(signature = (segmenter, tagger, morphology, parser, metadata, /))]
    fn join(
        segmenter: Option<&Self>,
        tagger: Option<&Self>,
        morphology: Option<&Self>,
        parser: Option<&Self>,
        metadata: String,
    ) -> Result<Self> {
        let model = Model {
            segmenter: segmenter.and_then(|model| model.0.segmenter.clone()),
            tagger: tagger.and_then(|model| model.0.tagger.clone()),
            morphology: morphology.and_then(|model| model.0.morphology.clone()),
            parser: parser.and_then(|model| model.0.parser.clone()),
            padded: tagger.is_some_and(|model| model.0.padded),
            metadata,
        };
        Ok(Self::of(model))
    }

    /// Imports the JSON of parser.py.
    #[staticmethod]
    #[pyo3(signature = (json, /))]
    fn from_published(py: Python<'_>, json: &[u8]) -> Result<Self> {
        Ok(Self::of(py.detach(|| import_published(json))?))
    }

    /// Imports the JSON files of NLTK: weights, dictionary and classes.
    #[staticmethod]
    #[pyo3(signature = (weights, tagdict, classes, /))]
    fn from_nltk(py: Python<'_>, weights: &[u8], tagdict: &[u8], classes: &[u8]) -> Result<Self> {
        let tagger = py.detach(|| import_tagger(weights, tagdict, classes))?;
        Ok(Self::of(Model {
            tagger: Some(tagger.into()),
            ..Model::default()
        }))
    }

    /// Reads a model file.
    #[staticmethod]
    #[pyo3(signature = (file, /))]
    fn from_bytes(py: Python<'_>, file: &[u8]) -> Result<Self> {
        Ok(Self::of(py.detach(|| Model::from_bytes(file))?))
    }

    /// The bytes of a model file.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Result<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.0.to_bytes())?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Models are pickled as the bytes of their files.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> Result<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        let class = py.get_type::<Self>();
        Ok((class.getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    #[getter]
    fn has_segmenter(&self) -> bool {
        self.0.segmenter.is_some()
    }

    #[getter]
    fn has_tagger(&self) -> bool {
        self.0.tagger.is_some()
    }

    #[getter]
    fn has_feats(&self) -> bool {
        !self.0.feats().is_empty()
    }

    #[getter]
    fn has_lemmas(&self) -> bool {
        self.0.has_lemmas()
    }

    #[getter]
    fn has_parser(&self) -> bool {
        self.0.parser.is_some()
    }

    /// A JSON object, as text.
    #[getter]
    fn metadata(&self) -> &str {
        &self.0.metadata
    }

    /// (XPOS, UPOS) of each class of the tagger.
    fn tags(&self) -> Vec<(&str, &str)> {
        let classes = self.0.classes();
        let pairs = classes
            .iter()
            .map(|tags| (tags.xpos.as_str(), tags.upos.as_str()));
        pairs.collect()
    }

    /// Labels of the parser.
    fn labels(&self) -> Vec<&str> {
        self.0.labels().iter().map(String::as_str).collect()
    }

    /// Whether sentences are padded with `<start>` and `ROOT`, as in parser.py.
    #[getter]
    fn padded(&self) -> bool {
        self.0.padded
    }

    /// Whether the parser attaches exactly one word of a sentence to the root.
    #[getter]
    fn single_root(&self) -> bool {
        let parser = self.0.parser.as_ref();
        parser.is_some_and(|parser| parser.single_root())
    }

    /// (number of features of the tagger, number of features of the parser)
    fn sizes(&self) -> (usize, usize) {
        let Model { tagger, parser, .. } = &*self.0;
        let tagger = tagger.as_ref().map_or(0, |tagger| tagger.len());
        (tagger, parser.as_ref().map_or(0, |parser| parser.len()))
    }

    /// Frequent words with one tag, and this tag.
    fn tagdict(&self) -> Vec<(&str, &str)> {
        let taggers = self.0.tagger.iter();
        let words = taggers.flat_map(|tagger| {
            let entries = tagger.tagdict();
            entries.map(|(word, class)| (word, tagger.xpos(class)))
        });
        words.collect()
    }

    /// The named features of a published tagger with their (tag, weight) pairs.
    fn named_weights(&self) -> Vec<NamedRow<'_>> {
        let rows = self
            .0
            .tagger
            .iter()
            .flat_map(|tagger| tagger.named_weights());
        rows.map(|(name, row)| (name, row.collect())).collect()
    }

    /// Tags one sentence, with the probability of each tag: XPOS, or UPOS if the tagger has no XPOS.
    #[pyo3(signature = (words, use_tagdict, /))]
    fn tag_with_confidence(
        &self,
        py: Python<'_>,
        words: Vec<String>,
        use_tagdict: bool,
    ) -> (Vec<&str>, Vec<f64>) {
        let Some(tagger) = &self.0.tagger else {
            return Default::default();
        };
        let (classes, confidences) = py.detach(|| {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let (mut buffers, mut classes) = Default::default();
            let confidences =
                tagger.tag_with_confidence(&words, use_tagdict, &mut buffers, &mut classes);
            (classes, confidences)
        });
        let has_xpos = tagger.classes().iter().any(|tags| !tags.xpos.is_empty());
        let tag = |&class: &u32| {
            let tags = &tagger.classes()[class as usize];
            if has_xpos {
                tags.xpos.as_str()
            } else {
                &tags.upos
            }
        };
        (classes.iter().map(tag).collect(), confidences)
    }

    /// Tags sentences, and parses them if `parse` is true. `given` contains tags to use instead of predicted tags.
    #[pyo3(signature = (sentences, given, parse, threads, /))]
    fn annotate<'py>(
        &self,
        py: Python<'py>,
        sentences: Vec<Vec<String>>,
        given: Option<Vec<GivenTags>>,
        parse: bool,
        threads: usize,
    ) -> Result<Vec<Predicted<'py>>> {
        let all = py.detach(|| -> Result<_> {
            let inputs = inputs(&sentences, given.as_deref())?;
            Ok(self.0.annotate_all(&inputs, parse, threads, stop)?)
        })?;
        let classes = self.0.classes();
        let text = |name: &str| PyString::new(py, name);
        let xpos: Vec<_> = classes.iter().map(|tags| text(&tags.xpos)).collect();
        let upos: Vec<_> = classes.iter().map(|tags| text(&tags.upos)).collect();
        let labels: Vec<_> = self.0.labels().iter().map(|label| text(label)).collect();
        let feats = self.0.feats().iter();
        let feats: Vec<_> = feats
            .map(|feats| text(if feats.is_empty() { "_" } else { feats }))
            .collect();
        let none = text("");
        let predicted = all.into_iter().enumerate().map(|(at, parse)| {
            let (own_xpos, own_upos) = match &given {
                Some(given) => {
                    let texts = |tags: &[String]| tags.iter().map(|tag| text(tag)).collect();
                    (texts(&given[at].0), texts(&given[at].1))
                }
                None => {
                    let tag = |names: &[Bound<'py, PyString>]| {
                        let tags = parse.tags.iter();
                        tags.map(|&class| names[class as usize].clone()).collect()
                    };
                    (tag(&xpos), tag(&upos))
                }
            };
            let heads = parse.heads.iter().map(|&head| head as i32);
            let own_labels = parse.labels.iter();
            let own_labels =
                own_labels.map(|&label| labels.get(label as usize).unwrap_or(&none).clone());
            let heads = PyArray1::from_iter(py, heads);
            let own_feats = parse.analysis.feats.iter();
            let own_feats = own_feats.map(|&at| feats.get(at as usize).unwrap_or(&none).clone());
            let lemmas = parse.analysis.lemmas().map(text);
            (
                own_xpos,
                own_upos,
                heads,
                own_labels.collect(),
                own_feats.collect(),
                lemmas.collect(),
            )
        });
        Ok(predicted.collect())
    }

    /// Divides raw text into sentences of tokens; empty without a segmenter. With `lines` every line ends a sentence.
    #[pyo3(signature = (text, lines, /))]
    fn segment(&self, py: Python<'_>, text: &str, lines: bool) -> Result<Vec<Vec<Token>>> {
        let Some(segmenter) = &self.0.segmenter else {
            return Ok(Vec::new());
        };
        let mut clock = Clock::new(stop);
        py.detach(|| {
            let (mut buffers, mut segmentation) = Default::default();
            let stops = || clock.stops();
            match lines {
                true => segmenter.segment_lines(text, &mut buffers, &mut segmentation, stops)?,
                false => segmenter.segment(text, &mut buffers, &mut segmentation, stops)?,
            }
            Ok(sentences(&segmentation, text))
        })
    }

    /// Tags the next sentences of a file, and parses them if the options say so. Returns CoNLL-U, or None at the end of
    /// the file.
    #[pyo3(signature = (file, options, /))]
    fn annotate_file<'py>(
        &self,
        py: Python<'py>,
        file: &SyntaxFile,
        options: Plain<FileOptions>,
    ) -> Result<Option<Bound<'py, PyBytes>>> {
        let given = &options.0;
        let options = AnnotateOptions {
            parse: given.parse,
            keep_tags: given.keep_tags,
            blank: given.blank,
            lines: given.lines,
            document: given.document.as_deref(),
            threads: given.threads,
            watch: stop,
        };
        let written = py.detach(|| -> std::result::Result<_, spanrs::Error> {
            let mut chunks = file.lock();
            let Some(chunk) = chunks.read()? else {
                return Ok(None);
            };
            let (path, format) = (chunks.path(), chunks.format());
            spanrs::dep_files::annotate(&self.0, path, format, &chunk, options).map(Some)
        })?;
        Ok(written.map(|bytes| PyBytes::new(py, &bytes)))
    }
}
