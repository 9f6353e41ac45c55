//! Paragraphs prepared for training, and variants of them that make segmenters robust.

use std::ops::Range;

use spanrs_base::Rng;

use super::characters::{decode, kinds};
use super::gold::GoldParagraph;
use super::sentences::TokenView;
use super::tokens::Gaps;
use crate::error::{Error, Result};

/// A paragraph as training data.
#[derive(Clone, Debug, Default)]
pub(super) struct TrainingParagraph {
    /// The characters.
    pub(super) gaps: Gaps,
    /// For each gold token its index in the paragraph.
    pub(super) tokens: Vec<usize>,
    /// Gold tokens as ranges of characters.
    pub(super) spans: Vec<(usize, usize)>,
    /// For each character, whether a gold token starts there.
    pub(super) starts: Vec<bool>,
    /// For each token, whether it ends a sentence.
    pub(super) ends: Vec<bool>,
    /// The gold tokens as features see them; filled when the lexicon is known.
    pub(super) views: Vec<TokenView>,
    /// Class of each token for multiword tokens.
    pub(super) classes: Vec<u32>,
    /// True if only sentence boundaries are learnt, because the tokens are those of other paragraphs.
    pub(super) is_joined: bool,
}

impl TrainingParagraph {
    /// Prepares a paragraph, without views and classes. Tokens that consist of white space
    /// (zero-width spaces) are dropped.
    ///
    /// # Errors
    /// [`Error::Training`] if tokens overlap, or if they do not cover the text.
    pub(super) fn of(paragraph: &GoldParagraph) -> Result<Self> {
        let mut made = Self::default();
        decode(&paragraph.text, &mut made.gaps.characters);
        made.gaps.prepare();
        let characters = &made.gaps.characters;
        made.starts.resize(characters.len(), false);
        let is_white = |range: Range<usize>| {
            let range = characters.get(range)?;
            range.iter().all(|c| c.kind == kinds::SPACE).then_some(())
        };
        let mut sentences = paragraph.sentences.iter().peekable();
        let mut at = 0;
        for (index, token) in paragraph.tokens.iter().enumerate() {
            let find = |byte: usize| characters.partition_point(|c| (c.byte as usize) < byte);
            let (mut start, end) = (find(token.start), find(token.end));
            let covers = is_white(at..start).filter(|()| token.end <= paragraph.text.len());
            covers.ok_or_else(|| uncovered(token.start))?;
            while start < end && is_white(start..start + 1).is_some() {
                start += 1;
            }
            if start < end {
                made.spans.push((start, end));
                made.ends.push(false);
                made.tokens.push(index);
                if let Some(is_start) = made.starts.get_mut(start) {
                    *is_start = true;
                }
            }
            at = end;
            if sentences.next_if(|end| **end == index + 1).is_some()
                && let Some(is_end) = made.ends.last_mut()
            {
                *is_end = true;
            }
        }
        is_white(at..characters.len()).ok_or_else(|| uncovered(paragraph.text.len()))?;
        Ok(made)
    }
}

/// Returns the error for text before `byte` that is not covered by the tokens, or for a token that
/// starts there and overlaps the previous one.
fn uncovered(byte: usize) -> Error {
    let message = "the tokens of a paragraph overlap or do not cover its text before byte";
    Error::Training(format!("{message} {byte}"))
}

/// Returns a paragraph in capitals.
pub(super) fn in_capitals(paragraph: &GoldParagraph) -> GoldParagraph {
    let mut all = GoldParagraph {
        sentences: paragraph.sentences.clone(),
        ..GoldParagraph::default()
    };
    let mut rest = 0;
    for token in &paragraph.tokens {
        let text = |start: usize, end: usize| paragraph.text.get(start..end).unwrap_or_default();
        all.text.push_str(text(rest, token.start));
        let words: Vec<String> = token.words.iter().map(|word| word.to_uppercase()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        all.push_token(&text(token.start, token.end).to_uppercase(), &words, false);
        rest = token.end;
    }
    all
}

/// Most paragraphs that are joined to one.
const MOST_JOINED: u64 = 5;

/// Joins neighbouring paragraphs with spaces to one, so that sentences are also found where blank
/// lines are missing. A share of the paragraphs is joined, in groups of two to five.
pub(super) fn joined(
    paragraphs: &[GoldParagraph],
    share: f64,
    rng: &mut Rng,
) -> Vec<GoldParagraph> {
    let mut all = Vec::new();
    let mut rest = paragraphs;
    while rest.len() > 1 {
        let len = 2 + rng.below(MOST_JOINED - 1) as usize;
        let (group, others) = rest.split_at(len.min(rest.len()));
        rest = others;
        if rng.below(1 << 32) as f64 >= share * (1_u64 << 32) as f64 {
            continue;
        }
        let mut one = GoldParagraph::default();
        for paragraph in group {
            if !one.text.is_empty() {
                one.text.push(' ');
            }
            let (byte, token) = (one.text.len(), one.tokens.len());
            one.text.push_str(&paragraph.text);
            one.tokens
                .extend(paragraph.tokens.iter().cloned().map(|mut token| {
                    token.start += byte;
                    token.end += byte;
                    token
                }));
            one.sentences
                .extend(paragraph.sentences.iter().map(|end| token + end));
        }
        all.push(one);
    }
    all
}
