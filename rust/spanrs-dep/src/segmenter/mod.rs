//! Segmentation of raw text into sentences, tokens and words.
//!
//! A [`Segmenter`] is trained from the text of a treebank ([`GoldParagraph`], [`fit_segmenter`]) and
//! works in four steps, each linear in the length of the text:
//!
//! 1. The text is divided into *paragraphs* at blank lines. A paragraph always ends a sentence;
//!    other line ends are white space like any other.
//! 2. Every gap between two characters is a candidate for the end of a *token* (`tokens`). Most
//!    gaps follow from the kinds of the two characters, the others are decided by a perceptron.
//! 3. A second perceptron decides after each token whether it ends the *sentence* (`sentences`).
//! 4. Tokens that may consist of several *words* are divided by rules (`multiwords`), of which a
//!    third perceptron chooses one.
//!
//! `characters` defines kinds of characters and what counts as white space, `lexicon` stores what
//! the training data says about tokens, and `file` reads and writes segmenters.
//!
//! # Guarantees
//!
//! Tokens do not overlap and cover all characters except white space, in order. White space is
//! only part of tokens if it is in the training data (`1 000`); the form of such a token has single
//! spaces. Tokens never begin within a grapheme cluster, such as an emoji with a skin tone, unless
//! white space precedes.
//!
//! The result for a paragraph depends only on its characters: all white space is alike, and the
//! byte order mark and zero-width spaces are white space.

mod characters;
mod file;
mod fit;
mod gold;
mod hashes;
mod lexicon;
mod multiwords;
mod paragraphs;
mod segmentation;
mod sentences;
#[cfg(test)]
mod tests;
mod tokens;
mod training_paragraph;

use std::borrow::Cow;
use std::ops::Range;

pub use characters::is_white;
pub(crate) use file::SegmenterHeader;
pub use fit::{SegmenterOptions, fit_segmenter};
pub use gold::{GoldParagraph, GoldToken};
pub use segmentation::{Segmentation, SegmentedToken};

use crate::error::{Error, Result};
use crate::weights::{Lookup, MAX_CLASSES, Scores, Weights};
use characters::{Character, decode};
use lexicon::Lexicon;
use multiwords::{MultiwordBuffers, Multiwords};
use paragraphs::Paragraphs;
use sentences::{TokenView, find_sentences, view_tokens};
use tokens::{GapTable, Gaps, find_tokens};

/// A trained segmenter; read-only, shared by threads.
///
/// # Examples
///
/// ```
/// use spanrs_dep::{
///     GoldParagraph, Passes, Segmentation, SegmenterBuffers, SegmenterOptions, fit_segmenter,
/// };
/// let mut paragraph = GoldParagraph::default();
/// for name in ["Ann", "Bob", "Eve"] {
///     paragraph.push_token(name, &[], true);
///     paragraph.push_token("didn't", &["did", "n't"], true);
///     paragraph.push_token("sleep", &[], false);
///     paragraph.push_token(".", &[], true);
///     paragraph.end_sentence();
/// }
/// let passes = Passes { epochs: 10, seed: Some(1), models: 1, watch: || false };
/// let segmenter = fit_segmenter(&[paragraph], &SegmenterOptions::default(), passes).unwrap();
///
/// let text = "Eve didn't sleep. Ann\ndidn't sleep.";
/// let mut segmentation = Segmentation::default();
/// segmenter.segment(text, &mut SegmenterBuffers::default(), &mut segmentation, || false).unwrap();
/// let words = |at| segmentation.words(at, text).collect::<Vec<_>>();
/// assert_eq!(words(1), ["Ann", "did", "n't", "sleep", "."]);
/// ```
#[derive(Clone, Debug)]
pub struct Segmenter {
    /// Gaps between characters that need no decision.
    gaps: GapTable,
    /// Facts about known tokens.
    lexicon: Lexicon,
    /// Weights of the gaps; a positive score of class 1 is the end of a token.
    tokens: Weights,
    /// Weights of the tokens; a positive score of class 1 is the end of a sentence.
    sentences: Weights,
    /// Rules of multiword tokens; None if the training data has none.
    multiwords: Option<Multiwords>,
}

/// Buffers that [`Segmenter::segment`] reuses; they belong to one thread.
#[derive(Clone, Debug)]
pub struct SegmenterBuffers {
    /// The characters of the paragraph.
    gaps: Gaps,
    /// Features of a decision.
    lookup: Lookup,
    /// The tokens of the paragraph, in characters.
    spans: Vec<(usize, usize)>,
    /// The tokens as features see them.
    views: Vec<TokenView>,
    /// Buffers for multiword tokens.
    multiwords: MultiwordBuffers,
    /// Scores of the rules of a token.
    scores: Box<Scores>,
}

impl Default for SegmenterBuffers {
    fn default() -> Self {
        Self {
            gaps: Gaps::default(),
            lookup: Lookup::default(),
            spans: Vec::new(),
            views: Vec::new(),
            multiwords: MultiwordBuffers::default(),
            scores: Box::new([0; MAX_CLASSES]),
        }
    }
}

impl Segmenter {
    /// Segments a text; `segmentation` is replaced. Paragraphs are separated by blank lines, and
    /// paragraphs of more than 1 MiB are cut at white space.
    ///
    /// Time is linear in the length of the text. Memory is proportional to the longest paragraph
    /// and the number of tokens. `stops` is called for each paragraph, and returns true to stop.
    ///
    /// # Errors
    /// [`Error::Interrupted`] if `stops` returns true.
    pub fn segment(
        &self,
        text: &str,
        buffers: &mut SegmenterBuffers,
        segmentation: &mut Segmentation,
        stops: impl FnMut() -> bool,
    ) -> Result<()> {
        self.segment_parts(Paragraphs::new(text, false), buffers, segmentation, stops)
    }

    /// Segments a text as [`Segmenter::segment`] does, but ends a sentence at every line end.
    ///
    /// # Errors
    /// Same as [`Segmenter::segment`].
    ///
    /// # Examples
    ///
    /// ```
    /// # use spanrs_dep::{
    /// #     GoldParagraph, Passes, Segmentation, SegmenterBuffers, SegmenterOptions, fit_segmenter,
    /// # };
    /// # let mut paragraph = GoldParagraph::default();
    /// # paragraph.push_token("Hi", &[], true);
    /// # paragraph.end_sentence();
    /// # let passes = Passes { epochs: 1, seed: Some(1), models: 1, watch: || false };
    /// # let segmenter = fit_segmenter(&[paragraph], &SegmenterOptions::default(), passes).unwrap();
    /// let mut segmentation = Segmentation::default();
    /// let mut buffers = SegmenterBuffers::default();
    /// segmenter.segment_lines("Title\nText", &mut buffers, &mut segmentation, || false).unwrap();
    /// assert_eq!(segmentation.len(), 2);
    /// ```
    pub fn segment_lines(
        &self,
        text: &str,
        buffers: &mut SegmenterBuffers,
        segmentation: &mut Segmentation,
        stops: impl FnMut() -> bool,
    ) -> Result<()> {
        self.segment_parts(Paragraphs::new(text, true), buffers, segmentation, stops)
    }

    /// Segments the paragraphs of a text.
    fn segment_parts(
        &self,
        paragraphs: Paragraphs<'_>,
        buffers: &mut SegmenterBuffers,
        segmentation: &mut Segmentation,
        mut stops: impl FnMut() -> bool,
    ) -> Result<()> {
        segmentation.clear();
        let (mut byte, mut char) = (0, 0);
        for paragraph in paragraphs {
            if stops() {
                return Err(Error::Interrupted);
            }
            let chars = decode(paragraph, &mut buffers.gaps.characters);
            if !buffers.gaps.characters.is_empty() {
                self.segment_paragraph(paragraph, (byte, char), buffers, segmentation);
            }
            byte += paragraph.len();
            char += chars;
        }
        Ok(())
    }

    /// Segments a paragraph at a position of the text, in bytes and characters. Its characters are
    /// in the buffers.
    fn segment_paragraph(
        &self,
        paragraph: &str,
        at: (usize, usize),
        buffers: &mut SegmenterBuffers,
        segmentation: &mut Segmentation,
    ) {
        let SegmenterBuffers {
            gaps,
            lookup,
            spans,
            views,
            multiwords,
            scores,
        } = buffers;
        gaps.prepare();
        find_tokens(gaps, &self.gaps, spans, |gap, open| {
            tokens::features(gaps, &self.lexicon, gap, open, &mut lookup.features);
            is_end(&self.tokens, lookup, scores)
        });
        view_tokens(gaps, &self.lexicon, spans, views);
        let first = segmentation.tokens.len();
        for (index, &span) in spans.iter().enumerate() {
            let (bytes, chars) = token_ranges(&gaps.characters, span, paragraph);
            let text = paragraph.get(bytes.clone()).unwrap_or_default();
            let form = with_single_spaces(text);
            let before = segmentation.forms.len();
            if let Some(multiwords_of) = &self.multiwords {
                let class = multiwords_of.class(gaps, span, (views, index), multiwords, scores);
                let hash = gaps.prefixes.hash(span.0, span.1);
                multiwords_of
                    .rules
                    .apply(class, hash, &form, &mut segmentation.forms);
            }
            if let (Cow::Owned(form), true) = (form, segmentation.forms.len() == before) {
                segmentation.forms.push(form);
            }
            segmentation.tokens.push(SegmentedToken {
                bytes: at.0 + bytes.start..at.0 + bytes.end,
                chars: at.1 + chars.start..at.1 + chars.end,
                forms: before..segmentation.forms.len(),
            });
        }
        let ends = |token, open: &_, paragraph: &_| {
            sentences::features(views, token, open, paragraph, &mut lookup.features);
            is_end(&self.sentences, lookup, scores)
        };
        find_sentences(views, ends, |end| segmentation.sentences.push(first + end));
        segmentation.paragraphs.push(segmentation.sentences.len());
    }
}

/// Returns whether the score of class 1 is positive.
#[inline]
fn is_end(weights: &Weights, lookup: &mut Lookup, scores: &mut Scores) -> bool {
    weights.prefetch(lookup);
    weights.find(lookup);
    weights
        .sums(lookup, scores)
        .get(1)
        .is_some_and(|score| *score > 0)
}

/// Returns the text of a token with a single space for each run of white space.
fn with_single_spaces(text: &str) -> Cow<'_, str> {
    let mut last = 'x';
    let is_uneven = text.chars().any(|c| {
        let before = std::mem::replace(&mut last, c);
        characters::is_white(c) && (c != ' ' || before == ' ')
    });
    if !is_uneven {
        return Cow::Borrowed(text);
    }
    let parts = text
        .split(characters::is_white)
        .filter(|part| !part.is_empty());
    Cow::Owned(parts.collect::<Vec<_>>().join(" "))
}

/// Returns the ranges of a token in its paragraph, in bytes and in characters.
fn token_ranges(
    characters: &[Character],
    (start, end): (usize, usize),
    paragraph: &str,
) -> (Range<usize>, Range<usize>) {
    let at = |at: usize| characters.get(at).copied().unwrap_or_default();
    let (first, last) = (at(start), at(end.saturating_sub(1)));
    let rest = paragraph.get(last.byte as usize..).unwrap_or_default();
    let len = rest.chars().next().map_or(0, char::len_utf8);
    let bytes = first.byte as usize..last.byte as usize + len;
    (bytes, first.char as usize..last.char as usize + 1)
}
