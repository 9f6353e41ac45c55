//! Similarity of a mention and a part of a text.

use super::characters::digit;
use super::pattern::Pattern;

/// Factor of the similarity of tokens without regard to their order.
const UNORDERED: f64 = 0.95;
/// Minimum similarity of two tokens that correspond to each other.
const TOKEN: f64 = 0.5;
/// Maximum number of tokens of a mention whose order is disregarded.
const REORDERED: usize = 12;

/// A range of tokens with its similarity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Window {
    /// Index of the first token.
    pub(super) first: usize,
    /// Index after the last token.
    pub(super) last: usize,
    pub(super) similarity: f64,
}

impl Window {
    /// Returns the window with the greater similarity, or the first one.
    fn or(self, other: Option<Self>) -> Self {
        match other {
            Some(other) if other.similarity > self.similarity => other,
            _ => self,
        }
    }
}

/// Characters and the ranges of their tokens.
#[derive(Clone, Debug, Default)]
pub(super) struct TokenText {
    pub(super) characters: Vec<char>,
    /// Start and end of each token in the characters; between tokens there are at most spaces.
    pub(super) tokens: Vec<(usize, usize)>,
    /// The values of all decimal digits.
    digits: Vec<u8>,
    /// For each token, the number of digits before its end.
    digit_ends: Vec<usize>,
}

impl TokenText {
    /// Appends white space between tokens.
    pub(super) fn push_space(&mut self, space: &str) {
        self.characters.extend(space.chars());
    }

    /// Appends a token.
    pub(super) fn push_token(&mut self, token: &str) {
        let start = self.characters.len();
        self.characters.extend(token.chars());
        self.tokens.push((start, self.characters.len()));
        let characters = &self.characters[start..];
        self.digits
            .extend(characters.iter().copied().filter_map(digit));
        self.digit_ends.push(self.digits.len());
    }

    /// Returns the digits of a range of tokens.
    fn digits(&self, first: usize, last: usize) -> &[u8] {
        let before = |at: usize| at.checked_sub(1).map_or(0, |at| self.digit_ends[at]);
        &self.digits[before(first)..before(last)]
    }

    /// Returns the characters of a token.
    fn token(&self, at: usize) -> &[char] {
        let (start, end) = self.tokens[at];
        &self.characters[start..end]
    }

    /// Returns true if a token has a letter or a digit.
    fn is_word(&self, at: usize) -> bool {
        self.token(at).iter().any(|c| c.is_alphanumeric())
    }
}

/// A mention that is compared with several windows.
#[derive(Debug)]
pub(super) struct MentionText {
    pub(super) text: TokenText,
    /// All characters.
    whole: Pattern,
    /// The words, in order.
    words: Vec<Pattern>,
}

impl MentionText {
    /// Prepares the comparison.
    pub(super) fn new(text: TokenText) -> Self {
        let words = (0..text.tokens.len()).filter(|&at| text.is_word(at));
        Self {
            whole: Pattern::new(&text.characters),
            words: words.map(|at| Pattern::new(text.token(at))).collect(),
            text,
        }
    }
}

/// Returns the most similar range of tokens of `text` that has the digits of the mention in the same
/// order, or None if no such range has a similarity of at least `threshold`.
///
/// Numbers that differ in one digit are similar, but are different dates, amounts and identifiers.
///
/// The similarity of two strings is the larger of two values: `1 - d / n`, where `d` is the edit
/// distance ([`Pattern::distance`]) and `n` the length of the longer string in characters; and 0.95
/// times the proportion of characters in words that correspond to each other in any order
/// ([`unordered`]).
pub(super) fn most_similar(
    mention: &MentionText,
    text: &TokenText,
    threshold: f64,
) -> Option<Window> {
    // A range with distance `d` has at most `m + d` characters. Most windows end here.
    let (m, least) = (mention.whole.len, mention.whole.least_distance(text));
    let bound = m as f64 / (m + least) as f64;
    let ordered = (bound >= threshold).then(|| aligned(&mention.text, text));
    let best = match ordered {
        Some(window) if window.similarity >= UNORDERED => Some(window),
        Some(window) => Some(window.or(unordered(mention, text))),
        None => unordered(mention, text),
    };
    best.filter(|window| window.similarity >= threshold)
}

/// A cell of the alignment: the distance, and the index of the token at which the alignment begins.
type Cell = (u32, u32);

/// Aligns a mention with a range of tokens, by the distance of [`Pattern::distance`].
///
/// This is Sellers' algorithm with starts and ends only at tokens: the start of the best alignment
/// is carried along, so that one pass of `O(m w)` steps finds both ends.
fn aligned(mention: &TokenText, text: &TokenText) -> Window {
    let m = mention.characters.len();
    // One cell for each prefix of the mention, for the last three characters of the text.
    let mut column: Vec<Cell> = (0..=m as u32).map(|distance| (distance, 0)).collect();
    let (mut before, mut earlier) = (column.clone(), column.clone());
    let mut best = Window {
        first: 0,
        last: 0,
        similarity: -1.0,
    };
    let (mut begun, mut ended) = (1, 0);
    let mut last = None;
    for (at, &c) in text.characters.iter().enumerate() {
        let after = at + 1;
        (earlier, before, column) = (before, column, earlier);
        column[0] = (before[0].0 + 1, before[0].1);
        if text.tokens.get(begun).is_some_and(|token| token.0 == after) {
            column[0] = (0, begun as u32);
            begun += 1;
        }
        let recent = (&*before, &*earlier);
        fill_column(&mut column, recent, &mention.characters, (last, c));
        last = Some(c);
        if text.tokens.get(ended).is_none_or(|token| token.1 != after) {
            continue;
        }
        ended += 1;
        let (distance, first) = column[m];
        // An alignment with an empty range begins after the end.
        let Some(&(start, _)) = text
            .tokens
            .get(first as usize)
            .filter(|token| token.0 < after)
        else {
            continue;
        };
        let similarity = 1.0 - f64::from(distance) / m.max(after - start) as f64;
        let has_digits = || text.digits(first as usize, ended) == mention.digits;
        if similarity > best.similarity && has_digits() {
            best = Window {
                first: first as usize,
                last: ended,
                similarity,
            };
        }
    }
    best
}

/// Fills the cells of a character `c` of the text from those of the two characters before. Ties
/// prefer substitutions, then skipped characters of the text, then of the mention.
fn fill_column(
    column: &mut [Cell],
    (before, earlier): (&[Cell], &[Cell]),
    mention: &[char],
    (last, c): (Option<char>, char),
) {
    let plus = |cell: Cell, cost: bool| (cell.0 + u32::from(cost), cell.1);
    let nearer = |a: Cell, b: Cell| if b.0 < a.0 { b } else { a };
    for i in 1..column.len() {
        let mut cell = plus(before[i - 1], mention[i - 1] != c);
        cell = nearer(cell, plus(before[i], true));
        cell = nearer(cell, plus(column[i - 1], true));
        if i > 1 && mention[i - 2] == c && last == Some(mention[i - 1]) {
            cell = nearer(cell, plus(earlier[i - 2], true));
        }
        column[i] = cell;
    }
}

/// Pairs the words of a mention with words of the text, the most similar first, and returns the
/// range of the paired words.
///
/// The similarity is `0.95 * sum(s * (len(a) + len(b))) / (len(mention) + len(range))` over the
/// pairs of words `a` and `b` with similarity `s` of at least 0.5, where the lengths of mention and
/// range are those of their words.
fn unordered(mention: &MentionText, text: &TokenText) -> Option<Window> {
    if !(2..=REORDERED).contains(&mention.words.len()) {
        return None;
    }
    let total: usize = mention.words.iter().map(|word| word.len).sum();
    let length = |at| {
        if text.is_word(at) {
            text.token(at).len()
        } else {
            0
        }
    };
    let lengths: Vec<usize> = (0..text.tokens.len()).map(length).collect();
    let mut pairs = pair_words(mention, text, &lengths);
    let mut best: Option<Window> = None;
    while let (Some(first), Some(last)) = (pairs.first(), pairs.last()) {
        let (first, last) = (first.0, last.0 + 1);
        let covered: usize = lengths[first..last].iter().sum();
        let paired: f64 = pairs.iter().map(|pair| pair.1).sum();
        let window = Window {
            first,
            last,
            similarity: UNORDERED * paired / (total + covered) as f64,
        };
        if text.digits(first, last) == mention.text.digits {
            best = Some(best.map_or(window, |best| best.or(Some(window))));
        }
        // The end at the larger gap is dropped, in the hope of a shorter range.
        let gap = |a: usize, b: usize| pairs[b].0 - pairs[a].0;
        let n = pairs.len();
        if n > 1 && gap(0, 1) > gap(n - 2, n - 1) {
            pairs.remove(0);
        } else {
            pairs.pop();
        }
    }
    best
}

/// Returns the paired words of the text in order, each with the similarity of the pair times its
/// length. `lengths` are those of the tokens of the text, 0 for punctuation.
fn pair_words(mention: &MentionText, text: &TokenText, lengths: &[usize]) -> Vec<(usize, f64)> {
    let mut pairs = Vec::new();
    for (rank, word) in mention.words.iter().enumerate() {
        for (at, &length) in lengths.iter().enumerate() {
            let (short, long) = (word.len.min(length), word.len.max(length));
            if (short as f64) < TOKEN * long as f64 {
                continue;
            }
            let similarity = 1.0 - word.distance(text.token(at)) as f64 / long as f64;
            if similarity >= TOKEN {
                pairs.push((similarity, rank, at, (word.len + length) as f64));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut word_taken = vec![false; mention.words.len()];
    let mut taken = vec![None; lengths.len()];
    for (similarity, rank, at, length) in pairs {
        if !word_taken[rank] && taken[at].is_none() {
            word_taken[rank] = true;
            taken[at] = Some(similarity * length);
        }
    }
    let paired = taken.iter().enumerate();
    paired
        .filter_map(|(at, weight)| Some((at, (*weight)?)))
        .collect()
}
