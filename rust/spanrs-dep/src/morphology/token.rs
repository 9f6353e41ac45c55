//! The parts of words that features of morphology and lemmas need, as hashes.

use std::borrow::Cow;

use crate::tagger::rich::{affixes, mix, shape};
use crate::text_hash::TextHash;

/// A word with its tags, as hashes; 0 means "nothing", as in all fields of the padding around a sentence.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Token {
    /// The form as written.
    pub(super) word: u64,
    /// The form in lower case.
    pub(super) lower: u64,
    /// The first one to three characters.
    pub(super) prefixes: [u64; 3],
    /// The last one to six characters in lower case.
    pub(super) suffixes: [u64; 6],
    /// The kinds of the characters.
    pub(super) shape: u64,
    /// The tag of the treebank, or the universal tag if it is empty.
    pub(super) tag: u64,
    /// The universal tag.
    pub(super) upos: u64,
    /// Both tags.
    pub(super) pair: u64,
    /// The form in lower case of the nearest auxiliary before the word in the sentence.
    pub(super) auxiliary: u64,
    /// Both tags of the nearest noun or pronoun before the word in the sentence, and its form in lower case.
    pub(super) nominal: (u64, u64),
}

/// Number of empty tokens on each side of a sentence.
pub(super) const PAD: usize = 2;

/// Returns the key of a pair of tags; never 0.
pub(super) fn pair_key(xpos: &str, upos: &str) -> u64 {
    mix(TextHash::of(xpos).value(), TextHash::of(upos).value()) | 1
}

/// Returns the key of a universal tag; never 0.
pub(super) fn upos_key(upos: &str) -> u64 {
    TextHash::of(upos).value().wrapping_mul(2) | 1
}

impl Token {
    /// Computes the hashes of a word and its tags, without the words before it.
    fn of(form: &str, xpos: &str, upos: &str) -> Self {
        let word = TextHash::of(form).value();
        let is_lower = form
            .bytes()
            .all(|b| b.is_ascii() && !b.is_ascii_uppercase());
        let folded = match is_lower {
            true => Cow::Borrowed(form),
            false => Cow::Owned(form.to_lowercase()),
        };
        let lower = match is_lower {
            true => word,
            false => TextHash::of(&folded).value(),
        };
        let after_first = form.char_indices().skip(1).map(|(at, _)| at);
        let starts = folded.char_indices().rev().map(|(at, _)| at);
        let before_last = starts.take_while(|&at| at > 0);
        let tag = if xpos.is_empty() { upos } else { xpos };
        Self {
            word,
            lower,
            prefixes: affixes(form, after_first, true),
            suffixes: affixes(&folded, before_last, false),
            shape: shape(form),
            tag: TextHash::of(tag).value(),
            upos: upos_key(upos),
            pair: pair_key(xpos, upos),
            auxiliary: 0,
            nominal: (0, 0),
        }
    }
}

/// Replaces `tokens` with the tokens of a sentence of (form, XPOS, UPOS), with [`PAD`] empty tokens on each side.
pub(super) fn padded<'a>(words: impl IntoIterator<Item = [&'a str; 3]>, tokens: &mut Vec<Token>) {
    tokens.clear();
    tokens.resize(PAD, Token::default());
    let (mut auxiliary, mut nominal) = (0, (0, 0));
    for [form, xpos, upos] in words {
        let token = Token {
            auxiliary,
            nominal,
            ..Token::of(form, xpos, upos)
        };
        match upos {
            "AUX" => auxiliary = token.lower,
            "NOUN" | "PRON" | "PROPN" => nominal = (token.pair, token.lower),
            _ => {}
        }
        tokens.push(token);
    }
    tokens.resize(tokens.len() + PAD, Token::default());
}
