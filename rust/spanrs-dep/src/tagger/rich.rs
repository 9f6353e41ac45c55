//! Features of the tagger that spanrs trains by default.

use crate::feature_index::FeatureIndex;
use crate::text_hash::TextHash;

/// What the features need of a token, as hashes; 0 stands for nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Token {
    pub(crate) word: u64,
    lower: u64,
    prefixes: [u64; 4],
    suffixes: [u64; 5],
    shape: u64,
    /// The tags that the word has in the training data, by frequency.
    pub(crate) tags: u64,
}

/// A hash of two hashes or small numbers, in this order.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    let a = a.wrapping_mul(0xA076_1D64_78BD_642F).rotate_left(32);
    (a ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// Hashes of the first or last one to `N` characters; 0 from the length of the word on.
fn affixes<const N: usize>(
    word: &str,
    ends: impl Iterator<Item = usize>,
    prefix: bool,
) -> [u64; N] {
    let mut all = [0; N];
    for (affix, at) in all.iter_mut().zip(ends) {
        let text = if prefix { &word[..at] } else { &word[at..] };
        *affix = TextHash::of(text).value();
    }
    all
}

/// The kind of each character, where runs of a kind count once: `Xx` for `Ärger`, `d.d` for `12.30`.
fn shape(word: &str) -> u64 {
    let (mut hash, mut last) = (1_u64, ' ');
    for c in word.chars() {
        let kind = match c {
            'a'..='z' => 'x',
            'A'..='Z' => 'X',
            '0'..='9' => 'd',
            c if c.is_lowercase() => 'x',
            c if c.is_uppercase() => 'X',
            c if c.is_numeric() => 'd',
            c if c.is_alphabetic() => 'a',
            c => c,
        };
        if kind != last {
            hash = mix(hash, kind as u64);
            last = kind;
        }
    }
    // A capital letter alone is another shape than a capitalised abbreviation.
    mix(hash, word.chars().take(2).count() as u64)
}

impl Token {
    pub(crate) fn of(word: &str, known_tags: &FeatureIndex) -> Self {
        let text = TextHash::of(word).value();
        let lower = match word
            .bytes()
            .all(|b| b.is_ascii() && !b.is_ascii_uppercase())
        {
            true => text,
            false => TextHash::of(&word.to_lowercase()).value(),
        };
        let after_first = word.char_indices().skip(1).map(|(at, _)| at);
        let before_last = word
            .char_indices()
            .rev()
            .map(|(at, _)| at)
            .take_while(|&at| at > 0);
        let find = |word| known_tags.find(word);
        let tags = find(text)
            .or_else(|| find(lower))
            .map_or(0, |tags| u64::from(tags) + 1);
        Self {
            word: text,
            lower,
            prefixes: affixes(word, after_first, true),
            suffixes: affixes(word, before_last, false),
            shape: shape(word),
            tags,
        }
    }
}

/// Tokens with two empty ones on each side.
pub(crate) fn padded<'a>(
    words: impl Iterator<Item = &'a str>,
    known_tags: &FeatureIndex,
    tokens: &mut Vec<Token>,
) {
    tokens.clear();
    tokens.extend([Token::default(); 2]);
    tokens.extend(words.map(|word| Token::of(word, known_tags)));
    tokens.extend([Token::default(); 2]);
}

/// Hashes of the features of the token at an index; tokens are padded by two, and `previous` are hashes of the
/// tags of the previous token and of the one before it.
#[inline]
pub(crate) fn features(tokens: &[Token], at: usize, previous: [u64; 2], features: &mut Vec<u64>) {
    let [before2, before, own, after, after2] = &tokens[at..at + 5] else {
        return;
    };
    let [tag, tag2] = previous;
    let both = mix(tag, tag2);
    features.clear();
    features.push(1);
    let mut number = 1_u64;
    let mut push = |value: u64| {
        number += 1;
        if value != 0 {
            features.push(mix(number << 32, value));
        }
    };
    push(own.word);
    push(own.lower);
    own.prefixes.into_iter().for_each(&mut push);
    own.suffixes.into_iter().for_each(&mut push);
    push(own.shape);
    push(own.tags);
    push(tag);
    push(tag2);
    push(both);
    for with_tag in [
        own.lower,
        own.suffixes[2],
        own.suffixes[1],
        own.shape,
        own.tags,
        after.lower,
        after.tags,
    ] {
        push(mix(tag, with_tag));
    }
    push(mix(both, own.tags));
    push(before.lower);
    push(before2.lower);
    push(after.lower);
    push(after2.lower);
    push(mix(before.lower, own.lower));
    push(mix(own.lower, after.lower));
    push(after.suffixes[2]);
    push(after.suffixes[1]);
    push(after.shape);
    push(after.tags);
    push(before.suffixes[2]);
    push(before.shape);
    push(mix(own.tags, after.tags));
    push(mix(after.tags, after2.tags));
    push(mix(own.tags, mix(after.tags, after2.tags)));
    push(mix(own.shape, mix(before.shape, after.shape)));
    push(mix(own.shape, own.suffixes[2]));
}
