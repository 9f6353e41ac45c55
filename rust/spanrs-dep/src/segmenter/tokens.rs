//! Token boundaries: which characters end a token.
//!
//! Every gap between two characters is a candidate, also across white space. Most gaps are decided
//! by the kinds of their two characters, if all gaps with these kinds are (or are not) boundaries
//! in the training data; the others by a perceptron, from left to right.

use super::characters::{Character, KINDS, is_unspaced, kinds};
use super::hashes::{FeatureWriter, LONGEST, Prefixes, mix};
use super::lexicon::Lexicon;

/// What is known about gaps between characters of two kinds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Gap {
    /// The perceptron decides.
    #[default]
    Ask = 0,
    /// Never a boundary.
    Inside = 1,
    /// Always a boundary.
    Boundary = 2,
}

/// The gaps by the kinds of their characters.
#[derive(Clone, Debug)]
pub(super) struct GapTable(pub(super) Vec<Gap>);

/// Number of entries of a gap table.
pub(super) const GAPS: usize = 2 * KINDS * KINDS;

/// Returns the index of a gap in a table.
#[inline(always)]
pub(super) fn gap_index(is_spaced: bool, left: u8, right: u8) -> usize {
    (usize::from(is_spaced) * KINDS + usize::from(left)) * KINDS + usize::from(right)
}

impl GapTable {
    /// Returns what is known about a gap.
    #[inline(always)]
    pub(super) fn get(&self, is_spaced: bool, left: u8, right: u8) -> Gap {
        self.0
            .get(gap_index(is_spaced, left, right))
            .copied()
            .unwrap_or_default()
    }
}

/// The characters of a paragraph, prepared for features.
#[derive(Clone, Debug, Default)]
pub(super) struct Gaps {
    /// The characters.
    pub(super) characters: Vec<Character>,
    /// Hashes of the folded characters.
    pub(super) prefixes: Prefixes,
    /// For each character, the index of the next white space or the end.
    chunk_ends: Vec<u32>,
    /// For each character, the hash of the shape from here to the next white space.
    shapes: Vec<u64>,
}

impl Gaps {
    /// Computes hashes after the characters have been replaced.
    pub(super) fn prepare(&mut self) {
        self.prefixes
            .fill(self.characters.iter().map(|character| character.folded));
        let len = self.characters.len();
        self.chunk_ends.clear();
        self.chunk_ends.resize(len, 0);
        self.shapes.clear();
        self.shapes.resize(len, 0);
        let (mut end, mut shape, mut last) = (len, 0, kinds::SPACE);
        for (at, character) in self.characters.iter().enumerate().rev() {
            if character.kind == kinds::SPACE {
                (end, shape) = (at, 0);
            } else if character.kind != last {
                shape = mix(shape, u64::from(character.kind));
            }
            last = character.kind;
            self.chunk_ends[at] = end as u32;
            self.shapes[at] = shape;
        }
    }

    /// Returns the kind of a character; a space beyond the paragraph.
    #[inline(always)]
    fn kind(&self, at: usize) -> u64 {
        u64::from(
            self.characters
                .get(at)
                .map_or(kinds::SPACE, |character| character.kind),
        )
    }

    /// Returns a folded character; a space beyond the paragraph.
    #[inline(always)]
    fn folded(&self, at: usize) -> u64 {
        u64::from(
            self.characters
                .get(at)
                .map_or(' ' as u32, |character| character.folded),
        )
    }
}

/// The token so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OpenToken {
    /// Index of its first character.
    start: usize,
    /// Index of the first character after the last white space.
    chunk: usize,
    /// Hash of its shape.
    shape: u64,
    /// Hash of the shape of the characters since the last white space.
    chunk_shape: u64,
}

impl OpenToken {
    /// Starts a token.
    #[inline(always)]
    fn start_token(&mut self, at: usize) {
        self.start = at;
        self.shape = 0;
    }

    /// Continues after white space.
    #[inline(always)]
    fn start_chunk(&mut self, at: usize) {
        self.chunk = at;
        self.chunk_shape = 0;
    }

    /// Adds a character of a kind that follows `last`.
    #[inline(always)]
    fn push(&mut self, kind: u8, last: u8) {
        if kind != last || self.shape == 0 {
            self.shape = mix(self.shape, u64::from(kind));
        }
        if kind != last || self.chunk_shape == 0 {
            self.chunk_shape = mix(self.chunk_shape, u64::from(kind));
        }
    }
}

/// Replaces `features` with the features of the gap before the character `right`; `left` is the
/// last character before the gap that is not white space.
pub(super) fn features(
    gaps: &Gaps,
    lexicon: &Lexicon,
    (left, right): (usize, usize),
    open: &OpenToken,
    features: &mut Vec<u64>,
) {
    // Gaps across white space have templates of their own.
    let mut out = FeatureWriter::new(features, u64::from(left + 1 < right) * 100);
    push_characters(gaps, (left, right), &mut out);
    push_parts(gaps, lexicon, (left, right), open, &mut out);
    let kinds = [left, right].map(|at| gaps.kind(at) as u8);
    if kinds.into_iter().any(is_unspaced) {
        push_lengths(gaps, lexicon, (left, right), open, &mut out);
    }
}

/// Pushes the characters on both sides of the gap, and their kinds.
fn push_characters(gaps: &Gaps, (left, right): (usize, usize), out: &mut FeatureWriter<'_>) {
    let before = |n: usize| match left.checked_sub(n) {
        Some(at) => (gaps.folded(at), gaps.kind(at)),
        None => (u64::from(b' '), u64::from(kinds::SPACE)),
    };
    let after = |n: usize| (gaps.folded(right + n), gaps.kind(right + n));
    let [(b0, kb0), (b1, kb1), (b2, kb2), (b3, kb3)] = [0, 1, 2, 3].map(before);
    let [(a0, ka0), (a1, ka1), (a2, ka2), (a3, ka3)] = [0, 1, 2, 3].map(after);
    out.extend([0, b0, b1, b2, b3, a0, a1, a2, a3]);
    let [b10, a01] = [mix(b1, b0), mix(a0, a1)];
    let [b210, a012] = [mix(b2, b10), mix(a01, a2)];
    out.extend([
        b10,
        a01,
        mix(b0, a0),
        mix(b10, a0),
        mix(b0, a01),
        mix(b10, a01),
    ]);
    out.extend([b210, a012, mix(b210, a0), mix(b0, a012)]);
    let near = mix(mix(kb1, kb0), mix(ka0, ka1));
    out.extend([near, mix(near, kb2), mix(near, ka2)]);
    out.push(mix(mix(near, mix(kb2, kb3)), mix(ka2, ka3)));
}

/// Pushes the token so far, the rest up to the next white space, their shapes, and whether they are
/// known.
fn push_parts(
    gaps: &Gaps,
    lexicon: &Lexicon,
    (left, right): (usize, usize),
    open: &OpenToken,
    out: &mut FeatureWriter<'_>,
) {
    let [b0, a0] = [left, right].map(|at| gaps.folded(at));
    let [kb0, ka0, ka1] = [left, right, right + 1].map(|at| gaps.kind(at));
    let end = gaps
        .chunk_ends
        .get(right)
        .map_or(right, |&end| end as usize);
    let token = gaps.prefixes.hash(open.start, left + 1);
    let rest = gaps.prefixes.hash(right, end);
    let whole = gaps.prefixes.hash(open.start, end);
    let is_short = end - open.chunk <= LONGEST;
    let rest_shape = gaps
        .shapes
        .get(right)
        .copied()
        .filter(|_| is_short)
        .unwrap_or_default();
    let len = (right - open.start) as u64;
    out.extend([token, mix(token, a0), mix(token, ka0)]);
    out.extend([mix(open.shape, a0), mix(mix(open.shape, ka0), ka1)]);
    out.extend([rest, mix(rest, b0), mix(rest, kb0), mix(whole, len)]);
    let shapes = mix(open.shape, rest_shape);
    out.extend([
        mix(rest_shape, b0),
        shapes,
        mix(shapes, a0),
        mix(open.chunk_shape, rest_shape),
    ]);
    let next = mix(rest, gaps.kind(end + 1));
    out.extend([
        mix(next, gaps.kind(end + 2)),
        mix(next, mix(open.shape, b0)),
        mix(token, next),
    ]);
    let known = lexicon.known(token) << 2 | lexicon.known(rest) << 1 | lexicon.known(whole);
    out.extend([known, mix(known, mix(b0, a0)), mix(known, shapes)]);
    out.push(mix(len.min(8), mix(kb0, ka0)));
}

/// Longest tokens that are looked up in scripts without spaces, in characters.
const LONGEST_UNSPACED: usize = 6;

/// Pushes the lengths of the known tokens that end at the gap, start at the gap, or start where the
/// token starts, for scripts without spaces.
fn push_lengths(
    gaps: &Gaps,
    lexicon: &Lexicon,
    (left, right): (usize, usize),
    open: &OpenToken,
    out: &mut FeatureWriter<'_>,
) {
    let known = |start: usize, end: usize| lexicon.known(gaps.prefixes.hash(start, end));
    let len = gaps.characters.len();
    let (mut ending, mut starting, mut across) = (0, 0, 0);
    for n in 1..=LONGEST_UNSPACED {
        if let Some(start) = (left + 1).checked_sub(n) {
            ending |= known(start, left + 1) << n;
        }
        if right + n <= len {
            starting |= known(right, right + n) << n;
            across |= known(open.start, right + n) << n;
        }
    }
    out.extend([ending, starting, across, mix(ending, starting)]);
    out.push(mix(across, (right - open.start) as u64));
    out.push(mix(mix(across, starting), ending));
}

/// Finds the tokens of a paragraph: replaces `spans` with their ranges in characters. `ask` decides
/// the gaps that the table does not: it gets the characters on both sides of the gap, without white
/// space, and the token so far, and returns true if a token ends there.
pub(super) fn find_tokens(
    gaps: &Gaps,
    table: &GapTable,
    spans: &mut Vec<(usize, usize)>,
    mut ask: impl FnMut((usize, usize), &OpenToken) -> bool,
) {
    spans.clear();
    let mut open = OpenToken::default();
    // The last character that is not white space, and its index.
    let mut left: Option<(usize, u8)> = None;
    for (at, character) in gaps.characters.iter().enumerate() {
        if character.kind == kinds::SPACE {
            continue;
        }
        let mut last = kinds::SPACE;
        if let Some((left, kind)) = left {
            last = kind;
            let is_spaced = left + 1 < at;
            let is_end = match table.get(is_spaced, kind, character.kind) {
                _ if character.continues && !is_spaced => false,
                Gap::Inside => false,
                Gap::Boundary => true,
                Gap::Ask => ask((left, at), &open),
            };
            if is_end {
                spans.push((open.start, left + 1));
                open.start_token(at);
            }
            if is_spaced {
                open.start_chunk(at);
            }
        }
        open.push(character.kind, last);
        left = Some((at, character.kind));
    }
    if let Some((left, _)) = left {
        spans.push((open.start, left + 1));
    }
}
