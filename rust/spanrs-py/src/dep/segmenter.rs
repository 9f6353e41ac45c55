//! Segmenters: raw text of treebanks, training, and segmentation of text.

use std::sync::Mutex;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use spanrs::base::Clock;
use spanrs::dep::{
    GoldParagraph, Model, Passes, Segmentation, SegmentedToken, SegmenterOptions, fit_segmenter,
    is_white,
};

use super::model::DepModel;
use super::train::interruptible;
use super::treebank::SyntaxFile;
use crate::error::Result;
use crate::locks::lock;
use crate::plain::Plain;
use crate::stop;

/// Paragraphs of raw text with their sentences, tokens and words.
#[pyclass(frozen, module = "spanrs._spanrs")]
pub(crate) struct Paragraphs(Mutex<Vec<GoldParagraph>>);

#[pymethods]
impl Paragraphs {
    #[new]
    fn new() -> Self {
        Self(Mutex::default())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        py.detach(|| lock(&self.0).len())
    }

    /// Adds the paragraphs of a file in CoNLL-U.
    #[pyo3(signature = (file, /))]
    fn read(&self, py: Python<'_>, file: &SyntaxFile) -> Result<()> {
        let mut clock = Clock::new(stop);
        py.detach(|| {
            let mut paragraphs = lock(&self.0);
            spanrs::dep_files::read_paragraphs(&mut file.lock(), &mut paragraphs, || clock.stops())
        })?;
        Ok(())
    }

    /// Whether a token is followed by another token without a space: without such tokens there is nothing to learn
    /// about tokens.
    fn has_attached_tokens(&self, py: Python<'_>) -> bool {
        py.detach(|| {
            let paragraphs = lock(&self.0);
            paragraphs.iter().any(|paragraph| {
                let mut pairs = paragraph.tokens.windows(2);
                pairs.any(|pair| matches!(pair, [left, right] if left.end == right.start))
            })
        })
    }

    /// The text, with a blank line between paragraphs, in UTF-8.
    fn text<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let text = py.detach(|| {
            let paragraphs = lock(&self.0);
            let texts = paragraphs.iter().map(|paragraph| paragraph.text.trim_end());
            texts.collect::<Vec<_>>().join("\n\n") + "\n"
        });
        PyBytes::new(py, text.as_bytes())
    }
}

/// Trains a segmenter.
#[pyfunction]
#[pyo3(signature = (paragraphs, options, passes, /))]
pub(crate) fn dep_train_segmenter(
    py: Python<'_>,
    paragraphs: &Paragraphs,
    options: Plain<SegmenterOptions>,
    passes: Plain<Passes>,
) -> Result<DepModel> {
    let segmenter = py.detach(|| {
        let paragraphs = lock(&paragraphs.0);
        fit_segmenter(&paragraphs, &options.0, interruptible(passes))
    })?;
    Ok(DepModel::of(Model {
        segmenter: Some(segmenter.into()),
        ..Model::default()
    }))
}

/// A token: first character, end (exclusive), whether white space or the end of the text follows, and the forms of its
/// words.
pub(super) type Token = (usize, usize, bool, Vec<String>);

/// Returns the tokens of each sentence.
pub(super) fn sentences(segmentation: &Segmentation, text: &str) -> Vec<Vec<Token>> {
    let token = |token: &SegmentedToken| {
        let words = segmentation.token_words(token, text);
        let next = text[token.bytes.end..].chars().next();
        (
            token.chars.start,
            token.chars.end,
            next.is_none_or(is_white),
            words.map(str::to_owned).collect(),
        )
    };
    (0..segmentation.len())
        .map(|at| segmentation.sentence(at).iter().map(token).collect())
        .collect()
}
