//! Sentence boundaries: which tokens end a sentence.
//!
//! Every token may be the last of its sentence. A perceptron decides from left to right, with
//! features of the tokens on both sides and of the sentence so far. The last token of a paragraph
//! always ends a sentence.

use super::characters::{is_letter, kinds};
use super::hashes::{FeatureWriter, mix};
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

/// The tokens around a gap: before it, the last first, and after it. Tokens before the sentence and
/// beyond the paragraph are empty.
struct Surroundings {
    /// The last four tokens of the sentence so far.
    before: [TokenView; 4],
    /// The next four tokens.
    after: [TokenView; 4],
    /// The first token of the sentence.
    first: TokenView,
    /// Hash of the kinds of the characters at both sides.
    kinds: u64,
    /// Logarithmic length of the sentence.
    length: u64,
}

/// Replaces `features` with the features of the gap after token `at`.
pub(super) fn features(
    tokens: &[TokenView],
    at: usize,
    open: &OpenSentence,
    paragraph: &ParagraphView,
    features: &mut Vec<u64>,
) {
    let view = |at: usize| tokens.get(at).copied().unwrap_or_default();
    let inside = |n: usize| match at.checked_sub(n) {
        Some(at) if at >= open.start => view(at),
        _ => TokenView::default(),
    };
    let before = [0, 1, 2, 3].map(inside);
    let after = [1, 2, 3, 4].map(|n| view(at + n));
    let surroundings = Surroundings {
        before,
        after,
        first: view(open.start),
        kinds: mix(u64::from(before[0].last), u64::from(after[0].first)),
        length: length(at + 1 - open.start),
    };
    let mut out = FeatureWriter::new(features, 1000);
    push_tokens(&surroundings, &mut out);
    push_sequences(&surroundings, &mut out);
    push_sentence(&surroundings, open, paragraph, &mut out);
}

/// Pushes features of the two tokens at the gap, and of their neighbours.
fn push_tokens(surroundings: &Surroundings, out: &mut FeatureWriter<'_>) {
    let [b0, b1, b2, _] = &surroundings.before;
    let [a0, a1, a2, _] = &surroundings.after;
    let [last, first] = [b0.last, a0.first].map(u64::from);
    let spaced = u64::from(a0.is_spaced);
    out.extend([0, spaced]);
    out.extend([b0.form, b1.form, a0.form, a1.form, b0.suffix, a0.suffix]);
    out.extend([b0.shape, a0.shape, b0.facts, a0.facts]);
    let class = b0.class();
    out.extend([
        mix(a0.facts, first),
        mix(class, mix(spaced, first)),
        mix(class, mix(a0.shape, spaced)),
        mix(class, mix(a0.facts, first)),
        mix(b0.form, a0.form),
        mix(b0.form, a0.shape),
        mix(b0.shape, mix(a0.form, first)),
        mix(last, mix(a0.form, first)),
        mix(b0.facts, mix(a0.facts, surroundings.kinds)),
        mix(b0.suffix, mix(a0.suffix, first)),
        mix(b2.form, surroundings.kinds),
        mix(a2.form, surroundings.kinds),
    ]);
}

/// Pushes sequences of classes and shapes across the gap.
fn push_sequences(surroundings: &Surroundings, out: &mut FeatureWriter<'_>) {
    let [b0, b1, b2, b3] = &surroundings.before;
    let [a0, a1, a2, a3] = &surroundings.after;
    let [cb1, cb0, ca0, ca1, ca2] = [b1, b0, a0, a1, a2].map(TokenView::class);
    out.extend([
        mix(cb1, cb0),
        mix(cb1, mix(cb0, ca0)),
        mix(cb0, mix(ca0, ca1)),
        mix(ca0, ca1),
        mix(mix(ca0, ca1), ca2),
    ]);
    let near = mix(b0.shape, a0.shape);
    out.extend([
        mix(mix(b1.shape, b0.shape), mix(a0.shape, a1.shape)),
        mix(mix(b2.shape, b1.shape), near),
        mix(near, mix(a1.shape, a2.shape)),
        mix(mix(b3.shape, b2.shape), mix(b1.shape, near)),
        mix(near, mix(a1.shape, mix(a2.shape, a3.shape))),
        mix(mix(b1.facts, b0.facts), mix(a0.facts, a1.facts)),
        mix(
            surroundings.kinds,
            mix(u64::from(b1.last), u64::from(a1.first)),
        ),
    ]);
}

/// Pushes features of the sentence so far and of the paragraph.
fn push_sentence(
    surroundings: &Surroundings,
    open: &OpenSentence,
    paragraph: &ParagraphView,
    out: &mut FeatureWriter<'_>,
) {
    let ([b0, ..], [a0, ..]) = (&surroundings.before, &surroundings.after);
    let Surroundings {
        first,
        kinds,
        length,
        ..
    } = *surroundings;
    let [brackets, quoted, lower] =
        [open.brackets, u8::from(open.is_quoted), open.lower].map(u64::from);
    let class = mix(b0.class(), u64::from(a0.first));
    let shapes = mix(b0.shape, a0.shape);
    out.extend([
        mix(length, kinds),
        mix(length, class),
        mix(length, a0.class()),
        mix(brackets, mix(quoted, kinds)),
        mix(quoted, mix(b0.class(), a0.class())),
        mix(lower, kinds),
        mix(first.shape, kinds),
        mix(first.class(), class),
        mix(open.previous_end, kinds),
        mix(open.previous_end, mix(length, shapes)),
    ]);
    let style = paragraph.style;
    out.extend([
        mix(style, mix(kinds, u64::from(a0.is_spaced))),
        mix(style, shapes),
        mix(style, class),
        mix(style, mix(a0.facts, u64::from(a0.first))),
        mix(style, mix(length, kinds)),
        mix(paragraph.size, mix(paragraph.last, kinds)),
    ]);
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
