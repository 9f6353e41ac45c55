//! Sentence boundaries: which tokens end a sentence.
//!
//! Every token may be the last of its sentence. A perceptron decides from left to right, with
//! features of the tokens on both sides and of the sentence so far. The last token of a paragraph
//! always ends a sentence.

use super::characters::{is_letter, kinds};
use super::hashes::mix;
use super::lexicon::Lexicon;
use super::tokens::Gaps;

/// A token as the features see it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TokenView {
    /// Hash of the folded form.
    pub(super) form: u64,
    /// Hash of the last three characters.
    pub(super) suffix: u64,
    /// Hash of the shape.
    pub(super) shape: u64,
    /// Facts of the lexicon.
    pub(super) facts: u64,
    /// Kind of the first character.
    pub(super) first: u8,
    /// Kind of the last character.
    last: u8,
    /// Whether white space precedes the token.
    is_spaced: bool,
}

/// Replaces `views` with the views of the tokens of a paragraph.
pub(super) fn view_tokens(
    gaps: &Gaps,
    lexicon: &Lexicon,
    spans: &[(usize, usize)],
    views: &mut Vec<TokenView>,
) {
    views.clear();
    views.extend(spans.iter().map(|&span| TokenView::of(gaps, lexicon, span)));
}

impl TokenView {
    /// Returns the view of the characters from `start` to `end`.
    fn of(gaps: &Gaps, lexicon: &Lexicon, (start, end): (usize, usize)) -> Self {
        let own = gaps.characters.get(start..end).unwrap_or_default();
        let form = gaps.prefixes.hash(start, end);
        let (mut shape, mut last) = (0, 0);
        for character in own {
            if character.kind != last {
                shape = mix(shape, u64::from(character.kind));
                last = character.kind;
            }
        }
        let before = start.checked_sub(1).and_then(|at| gaps.characters.get(at));
        Self {
            form,
            suffix: gaps.prefixes.hash(start.max(end.saturating_sub(3)), end),
            shape: mix(shape, own.len().min(2) as u64),
            facts: lexicon.facts(form),
            first: own.first().map_or(0, |character| character.kind),
            last,
            is_spaced: before.is_none_or(|character| character.kind == kinds::SPACE),
        }
    }

    /// Returns the form of a frequent token, otherwise its shape: a class of tokens.
    pub(super) fn class(&self) -> u64 {
        match self.facts != 0 && (self.facts - 1) & 3 >= 2 {
            true => self.form,
            false => mix(self.shape, self.facts),
        }
    }
}

/// What the whole paragraph tells about its sentences.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ParagraphView {
    /// Share of final punctuation and of capitals, and how the paragraph ends.
    style: u64,
    /// Kind of the last character.
    last: u64,
    /// Logarithm of the number of tokens.
    size: u64,
}

/// Returns true for characters that end sentences.
fn is_final(kind: u8) -> bool {
    matches!(kind, b'.' | b'!' | b'?')
}

impl ParagraphView {
    /// Returns the view of a paragraph.
    fn of(tokens: &[TokenView]) -> Self {
        let count = |is: fn(&TokenView) -> bool| tokens.iter().filter(|token| is(token)).count();
        let finals = count(|token| is_final(token.last) && !is_letter(token.first));
        let words = count(|token| is_letter(token.first));
        let capitals = count(|token| token.first == kinds::UPPER);
        let lower = count(|token| token.first == kinds::LOWER);
        let commas = count(|token| token.first == b',');
        let last = tokens.last().map_or(0, |token| u64::from(token.last));
        let density = match (finals, words / finals.max(1)) {
            (0, _) => 0,
            (_, 0..=7) => 1,
            (_, 8..=15) => 2,
            (_, 16..=30) => 3,
            _ => 4,
        };
        let case = match (capitals, lower) {
            (0, 0) => 0,
            (0, _) => 1,
            (_, 0) => 2,
            (upper, lower) if upper * 10 < lower => 3,
            (upper, lower) if upper * 3 < lower => 4,
            (upper, lower) if upper < lower => 5,
            _ => 6,
        };
        let style =
            density << 5 | case << 2 | u64::from(is_final(last as u8)) << 1 | u64::from(commas > 0);
        Self {
            style,
            last,
            size: u64::from((tokens.len() as u32).checked_ilog2().unwrap_or_default()),
        }
    }
}

/// The sentence so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenSentence {
    /// Index of its first token.
    start: usize,
    /// Open brackets, at most 3.
    brackets: u8,
    /// Whether an odd number of quotes has been seen.
    is_quoted: bool,
    /// Number of tokens that begin with a small letter, at most 15.
    lower: u8,
    /// Class of the last token of the previous sentence.
    previous_end: u64,
}

impl OpenSentence {
    /// Adds a token.
    fn push(&mut self, token: &TokenView) {
        match token.first {
            b'(' | b'[' | b'{' => self.brackets = (self.brackets + 1).min(3),
            b')' | b']' | b'}' => self.brackets = self.brackets.saturating_sub(1),
            b'"' => self.is_quoted = !self.is_quoted,
            kinds::LOWER => self.lower = (self.lower + 1).min(15),
            _ => {}
        }
    }

    /// Starts the next sentence at `start`, after `last`.
    fn open(&mut self, start: usize, last: &TokenView) {
        *self = Self {
            start,
            previous_end: mix(u64::from(last.last), u64::from(is_letter(last.first))),
            ..Self::default()
        };
    }
}

/// Returns a logarithmic bucket of a length.
fn length(n: usize) -> u64 {
    match n {
        0..=6 => n as u64,
        7..=9 => 7,
        10..=14 => 8,
        15..=24 => 9,
        25..=39 => 10,
        40..=59 => 11,
        _ => 12,
    }
}

/// Replaces `features` with the features of the gap after token `at`.
pub(super) fn features(
    tokens: &[TokenView],
    at: usize,
    open: &OpenSentence,
    paragraph: &ParagraphView,
    features: &mut Vec<u64>,
) {
    features.clear();
    let mut number = 1000_u64;
    let mut push = |value: u64| {
        number += 1;
        features.push(mix(number << 32, value));
    };
    let nothing = TokenView::default();
    let view = |at: Option<usize>| at.and_then(|at| tokens.get(at)).unwrap_or(&nothing);
    let inside = |n: usize| match at.checked_sub(n) {
        Some(at) if at >= open.start => view(Some(at)),
        _ => &nothing,
    };
    let [b0, b1, b2, b3] = [inside(0), inside(1), inside(2), inside(3)];
    let [a0, a1, a2, a3] = [1, 2, 3, 4].map(|n| view(Some(at + n)));
    let spaced = u64::from(a0.is_spaced);
    let len = length(at + 1 - open.start);
    let [kb0, kb1, ka0, ka1] = [b0.last, b1.last, a0.first, a1.first].map(u64::from);
    push(0);
    push(spaced);
    push(b0.form);
    push(b1.form);
    push(a0.form);
    push(a1.form);
    push(b0.suffix);
    push(a0.suffix);
    push(b0.shape);
    push(a0.shape);
    push(b0.facts);
    push(a0.facts);
    push(mix(a0.facts, ka0));
    push(mix(b0.class(), mix(spaced, ka0)));
    push(mix(b0.class(), mix(a0.shape, spaced)));
    push(mix(b0.class(), mix(a0.facts, ka0)));
    push(mix(b0.form, a0.form));
    push(mix(b0.form, a0.shape));
    push(mix(b0.shape, mix(a0.form, ka0)));
    push(mix(b0.last as u64, mix(a0.form, ka0)));
    push(mix(b1.class(), b0.class()));
    push(mix(b1.class(), mix(b0.class(), a0.class())));
    push(mix(b0.class(), mix(a0.class(), a1.class())));
    push(mix(a0.class(), a1.class()));
    push(mix(mix(a0.class(), a1.class()), a2.class()));
    push(mix(mix(b1.shape, b0.shape), mix(a0.shape, a1.shape)));
    push(mix(mix(b2.shape, b1.shape), mix(b0.shape, a0.shape)));
    push(mix(b0.shape, mix(a0.shape, mix(a1.shape, a2.shape))));
    push(mix(mix(kb1, kb0), mix(ka0, ka1)));
    push(mix(len, mix(kb0, ka0)));
    push(mix(len, mix(b0.class(), ka0)));
    push(mix(len, a0.class()));
    push(mix(
        u64::from(open.brackets),
        mix(u64::from(open.is_quoted), mix(kb0, ka0)),
    ));
    push(mix(u64::from(open.is_quoted), mix(b0.class(), a0.class())));
    push(mix(paragraph.style, mix(kb0, mix(ka0, spaced))));
    push(mix(paragraph.style, mix(b0.shape, a0.shape)));
    push(mix(paragraph.style, mix(b0.class(), ka0)));
    push(mix(paragraph.style, mix(a0.facts, ka0)));
    push(mix(paragraph.style, mix(len, mix(kb0, ka0))));
    push(mix(paragraph.size, mix(paragraph.last, mix(kb0, ka0))));
    push(mix(open.previous_end, mix(kb0, ka0)));
    push(mix(open.previous_end, mix(len, mix(b0.shape, a0.shape))));
    push(mix(u64::from(open.lower), mix(kb0, ka0)));
    push(mix(view(Some(open.start)).shape, mix(kb0, ka0)));
    push(mix(view(Some(open.start)).class(), mix(b0.class(), ka0)));
    push(mix(b2.form, mix(kb0, ka0)));
    push(mix(a2.form, mix(kb0, ka0)));
    push(mix(
        mix(b3.shape, b2.shape),
        mix(mix(b1.shape, b0.shape), a0.shape),
    ));
    push(mix(
        b0.shape,
        mix(mix(a0.shape, a1.shape), mix(a2.shape, a3.shape)),
    ));
    push(mix(mix(b1.facts, b0.facts), mix(a0.facts, a1.facts)));
    push(mix(b0.facts, mix(a0.facts, mix(kb0, ka0))));
    push(mix(b0.suffix, mix(a0.suffix, ka0)));
}

/// Finds the sentences of a paragraph: calls `end` with the index after the last token of each.
/// `ask` decides for every token but the last whether it ends a sentence, given the sentence so far,
/// which includes the token.
pub(super) fn find_sentences(
    tokens: &[TokenView],
    mut ask: impl FnMut(usize, &OpenSentence, &ParagraphView) -> bool,
    mut end: impl FnMut(usize),
) {
    let paragraph = ParagraphView::of(tokens);
    let mut open = OpenSentence::default();
    for (at, token) in tokens.iter().enumerate() {
        open.push(token);
        if at + 1 == tokens.len() || ask(at, &open, &paragraph) {
            end(at + 1);
            open.open(at + 1, token);
        }
    }
}
