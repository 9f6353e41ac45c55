//! Normalised texts, for comparison.

use std::ops::Range;

/// A text without white space as a sequence of units: characters, or sequences that are equivalent
/// to one character.
///
/// | characters | unit |
/// |---|---|
/// | `"`, `“`, `”`, `„`, `«`, `»`, two characters of the next row | `"` |
/// | `'`, `` ` ``, `‘`, `’`, `‚` | `'` |
/// | `-`, `‐`, `–`, `—`, `−`, and sequences of these | `-` |
/// | `…`, `...` | `…` |
/// | `-LRB-`, `-RRB-`, `-LSB-`, `-RSB-`, `-LCB-`, `-RCB-` | `(`, `)`, `[`, `]`, `{`, `}` |
///
/// White space within such a sequence is ignored, so that texts that differ only in white space
/// have the same units. Markers of subword tokenizers are also treated as white space: `▁`
/// (SentencePiece), `Ġ` and `Ċ` (byte-level BPE) at the beginning of a word, `##` (WordPiece)
/// between white space and a letter or digit.
pub(super) struct Normalised {
    /// The units.
    pub(super) units: Vec<char>,
    /// For each unit and for the end of the text: the number of preceding characters, without white
    /// space.
    starts: Vec<u32>,
    /// For each unit: whether white space precedes its first character.
    spaced: Vec<bool>,
    /// For each border between characters of the text: the number of preceding characters, without
    /// white space.
    pub(super) before: Vec<u32>,
    /// For each character other than white space: its position in the text.
    positions: Vec<u32>,
}

/// Bracket escapes of the Penn Treebank.
const ESCAPES: [(&str, char); 6] = [
    ("-LRB-", '('),
    ("-RRB-", ')'),
    ("-LSB-", '['),
    ("-RSB-", ']'),
    ("-LCB-", '{'),
    ("-RCB-", '}'),
];

/// Returns the normalised form of a character.
fn plain(c: char) -> char {
    match c {
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '＂' => '"',
        '`' | '‘' | '’' | '‚' | '‛' | '´' | '′' | '＇' => '\'',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' => '-',
        c => c,
    }
}

impl Normalised {
    /// Normalises a text.
    pub(super) fn new(text: &str) -> Self {
        let mut before = vec![0];
        let (mut raw, mut positions, mut spaces) = (Vec::new(), Vec::new(), Vec::new());
        let mut spaced = true;
        let mut continuation = 0;
        let chars: Vec<char> = text.chars().collect();
        for (at, &c) in chars.iter().enumerate() {
            if at > 0
                && spaced
                && matches!(chars[at..], ['#', '#', next, ..] if next.is_alphanumeric())
            {
                continuation = 2;
            }
            if continuation > 0 {
                // The token continues the previous word.
                continuation -= 1;
                spaced = false;
            } else if c.is_whitespace() || c == '▁' || spaced && matches!(c, 'Ġ' | 'Ċ') {
                spaced = true;
            } else {
                raw.push(c);
                positions.push(at as u32);
                spaces.push(std::mem::take(&mut spaced));
            }
            before.push(raw.len() as u32);
        }
        let (mut units, mut starts) = (Vec::with_capacity(raw.len()), Vec::new());
        let mut at = 0;
        while at < raw.len() {
            let (unit, len) = unit(&raw[at..]);
            units.push(unit);
            starts.push(at as u32);
            at += len;
        }
        Self {
            spaced: starts.iter().map(|&at| spaces[at as usize]).collect(),
            starts: [starts.as_slice(), &[at as u32]].concat(),
            units,
            before,
            positions,
        }
    }

    /// Returns the number of borders between characters of the text, including both ends.
    pub(super) fn borders(&self) -> usize {
        self.before.len()
    }

    /// Returns the range of the non-whitespace characters in the units from `start` to `end`.
    pub(super) fn raw(&self, start: usize, end: usize) -> Range<usize> {
        self.starts[start] as usize..self.starts[end] as usize
    }

    /// Converts a range returned by [`Normalised::raw`] to character positions in the text; an
    /// empty range is placed directly after the previous character.
    pub(super) fn characters(&self, raw: &Range<usize>) -> (u32, u32) {
        let behind = |raw: usize| match raw.checked_sub(1) {
            Some(last) => self.positions[last] + 1,
            None => 0,
        };
        match raw.is_empty() {
            true => (behind(raw.start), behind(raw.start)),
            false => (self.positions[raw.start], behind(raw.end)),
        }
    }

    /// Returns the start of each word, in units, followed by the number of units. A word is a
    /// sequence of letters and digits without white space; every other unit is a separate word.
    pub(super) fn words(&self) -> Vec<usize> {
        let mut words = Vec::new();
        let mut in_word = false;
        for (at, unit) in self.units.iter().enumerate() {
            let continues = in_word && unit.is_alphanumeric() && !self.spaced[at];
            if !continues {
                words.push(at);
            }
            in_word = unit.is_alphanumeric();
        }
        words.push(self.units.len());
        words
    }
}

/// Returns the escape at the start of `raw`, and its unit.
fn escape(raw: &[char]) -> Option<(&'static str, char)> {
    let mut escapes = ESCAPES.into_iter();
    let begins = |escape: &str| escape.chars().eq(raw.iter().copied().take(escape.len()));
    escapes.find(|(escape, _)| begins(escape))
}

/// Returns the first unit of `raw`, which contains no white space and is not empty, and the number
/// of characters in the unit.
fn unit(raw: &[char]) -> (char, usize) {
    if let Some((escape, unit)) = escape(raw) {
        return (unit, escape.len());
    }
    let first = plain(raw[0]);
    let next = |at: usize| raw.get(at).copied().map(plain);
    match first {
        '\'' if next(1) == Some('\'') => ('"', 2),
        '.' if next(1) == Some('.') && next(2) == Some('.') => ('…', 3),
        '-' => {
            let is_dash = |at: &usize| next(*at) == Some('-') && escape(&raw[*at..]).is_none();
            (first, 1 + (1..raw.len()).take_while(is_dash).count())
        }
        _ => (first, 1),
    }
}
