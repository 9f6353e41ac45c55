//! Features of the tagger that spanrs trains by default.
//!
//! A feature is the hash of the number of its template and a value; a value of 0 ("nothing") is not
//! a feature. The word is at index 0, and `t` is the tag of a previous word:
//!
//! | templates | values |
//! |---|---|
//! | bias | hash 1 |
//! | 2 | word as written; word in lower case |
//! | 4 + 5 | prefixes of 1 to 4 and suffixes of 1 to 5 characters, if shorter than the word |
//! | 2 | shape; known tags |
//! | 3 | t-1; t-2; both together |
//! | 7 | t-1 with lower case, suffixes of 3 and 2, shape, known tags, next word, its known tags |
//! | 1 | t-1, t-2 and the known tags |
//! | 4 | lower case of the words at -1, -2, 1, 2 |
//! | 2 | pairs of the word with its neighbours in lower case |
//! | 4 | suffixes of 3 and 2, shape and known tags of the next word |
//! | 2 | suffix of 3 and shape of the previous word |
//! | 3 | known tags at 0 and 1; 1 and 2; 0, 1 and 2 |
//! | 2 | shapes at -1, 0 and 1; shape and suffix of 3 |
//! | 9 | profiles at 0; 1; 0 and 1; 1 and 2; 0, 1 and 2; -1, 0 and 1; -1; -2; 2 |
//!
//! *Known tags* are the set of tags of a frequent word in the training data, and the *profile* of a
//! word contains its tags with the levels of their shares (module `tag_counts`); a word that has
//! none as written has those of its lower case form. Tokens before and after a sentence have the
//! value 0 in all fields, and a combination is a feature unless all its values are 0.
//!
//! A word that is tagged from right to left has the same features with other hashes, except that
//! the tags t are those of the following words, and the seven combinations with t-1 use the previous
//! word instead of the next.
//!
//! Models say how many templates of this list they use ([`TEMPLATES`] when trained now), so new
//! templates are only appended. Models with [`FIRST_TEMPLATES`] have no others.

use crate::feature_index::FeatureIndex;
use crate::text_hash::TextHash;

/// Number of templates, including the bias.
pub(crate) const TEMPLATES: u32 = 51;
/// Number of templates of models that do not say how many they use.
pub(crate) const FIRST_TEMPLATES: u32 = 42;

/// The order in which the words of a sentence are tagged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// From the first word to the last.
    Forward,
    /// From the last word to the first.
    Backward,
}

/// The bias of features that are extracted backward; templates are numbered from here.
const BACKWARD: u64 = 1001;

/// The parts of a token that features need, as hashes; 0 means "nothing".
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Token {
    /// The word as written, the key of the tagdict.
    pub(crate) word: u64,
    /// The word in lower case.
    pub(crate) lower: u64,
    /// The first one to four characters.
    prefixes: [u64; 4],
    /// The last one to five characters.
    suffixes: [u64; 5],
    /// The shape; see [`shape`].
    shape: u64,
    /// Number of the set of tags that the word has in the training data, from 1; 0 for words that
    /// are rare in the training data.
    tags: u64,
    /// Number of the word's profile, from 1; 0 for unknown words.
    pub(crate) profile: u64,
}

/// Returns the number of a word in the lexicon: the number of its set of known tags (0 for none), and
/// the number of its profile. Both must be below 65,535.
pub(crate) fn pack(tags: u32, profile: u32) -> u32 {
    tags << 16 | profile
}

/// Returns the numbers of known tags and profile of a number in the lexicon.
pub(crate) fn unpack(number: u32) -> (u64, u64) {
    (u64::from(number >> 16), u64::from(number & 0xFFFF))
}

/// Returns a hash of two hashes or small numbers, which depends on their order.
#[inline(always)]
pub(crate) fn mix(a: u64, b: u64) -> u64 {
    let a = a.wrapping_mul(0xA076_1D64_78BD_642F).rotate_left(32);
    (a ^ b).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
}

/// Returns the hashes of the prefixes (or suffixes) of 1 to `N` characters that are shorter than
/// the word, 0 for the others. `ends` are the byte offsets at which the prefixes end (or the
/// suffixes start), shortest first.
pub(crate) fn affixes<const N: usize>(
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

/// Returns the hash of the character kinds, with runs of a kind reduced to one: `Xx` for `Ärger`,
/// `d.d` for `12.30`, `X-d` for `AK-47`. Characters that are neither letters nor digits are their
/// own kind, and letters without case are `a`.
pub(crate) fn shape(word: &str) -> u64 {
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
    // A single capital letter has a different shape than a capitalised abbreviation.
    mix(hash, word.chars().take(2).count() as u64)
}

impl Token {
    /// Computes the hashes of a word, and looks up its known tags and its profile: of the word as
    /// written, or else of its lower case form. In models with the first templates, the number in the
    /// lexicon is that of the known tags minus 1.
    pub(crate) fn of(word: &str, known_tags: &FeatureIndex, templates: u32) -> Self {
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
        let find = |word| match known_tags.find(word) {
            None => (0, 0),
            Some(number) if templates == FIRST_TEMPLATES => (u64::from(number) + 1, 0),
            Some(number) => unpack(number),
        };
        let of_lower = find(lower);
        let known = find(text);
        let or_else = |own, other| if own == 0 { other } else { own };
        let (tags, profile) = (or_else(known.0, of_lower.0), or_else(known.1, of_lower.1));
        Self {
            word: text,
            lower,
            prefixes: affixes(word, after_first, true),
            suffixes: affixes(word, before_last, false),
            shape: shape(word),
            tags,
            profile,
        }
    }
}

/// Replaces `tokens` with the tokens of the words, with two empty tokens on each side.
pub(crate) fn padded<'a>(
    words: impl Iterator<Item = &'a str>,
    known_tags: &FeatureIndex,
    templates: u32,
    tokens: &mut Vec<Token>,
) {
    tokens.clear();
    tokens.extend([Token::default(); 2]);
    tokens.extend(words.map(|word| Token::of(word, known_tags, templates)));
    tokens.extend([Token::default(); 2]);
}

/// Replaces `features` with the hashes of the features of the word with index `at`. `tokens` are
/// padded by two, `tag` and `tag2` are hashes of the tags of the previous and the second previous word
/// in the direction, and `templates` is the number of templates to use.
#[inline]
pub(crate) fn features(
    tokens: &[Token],
    at: usize,
    (direction, [tag, tag2]): (Direction, [u64; 2]),
    templates: u32,
    features: &mut Vec<u64>,
) {
    let [before2, before, own, after, after2] = &tokens[at..at + 5] else {
        return;
    };
    let both = mix(tag, tag2);
    features.clear();
    let (mut number, next) = match direction {
        Direction::Forward => (1, after),
        Direction::Backward => (BACKWARD, before),
    };
    features.push(number);
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
        next.lower,
        next.tags,
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
    if templates > FIRST_TEMPLATES {
        push_profiles(
            [before2, before, own, after, after2].map(|token| token.profile),
            push,
        );
    }
}

/// Pushes the values of the templates of profiles; the word is in the middle of the profiles.
#[inline(always)]
fn push_profiles(profiles: [u64; 5], mut push: impl FnMut(u64)) {
    let [before2, before, own, after, after2] = profiles;
    let (pair, next_pair) = (mix(own, after), mix(after, after2));
    push(own);
    push(after);
    push(pair);
    push(next_pair);
    push(mix(own, next_pair));
    push(mix(before, pair));
    push(before);
    push(before2);
    push(after2);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tagger::Lexicon;

    /// Features of the words of a sentence with lexicon entries.
    fn extract(words: &[&str], entries: &[(&str, u32)], templates: u32) -> Vec<Vec<u64>> {
        let lexicon = Lexicon::new(entries);
        let mut tokens = Vec::new();
        padded(
            words.iter().copied(),
            &lexicon.index,
            templates,
            &mut tokens,
        );
        let all = (0..words.len()).map(|at| {
            let mut all = Vec::new();
            features(
                &tokens,
                at,
                (Direction::Forward, [5, 9]),
                templates,
                &mut all,
            );
            all
        });
        all.collect()
    }

    #[test]
    fn first_templates_are_a_prefix_of_all_templates() {
        let words = ["The", "iPhone-4S", "isn't", "Ünïcode", ""];
        // Known tags are numbered from 0 in models with the first templates, and from 1 in others.
        let first = extract(&words, &[("the", 0), ("isn't", 7)], FIRST_TEMPLATES);
        let packed = [("the", pack(1, 3)), ("isn't", pack(8, 4))];
        let all = extract(&words, &packed, TEMPLATES);
        for (first, all) in first.iter().zip(&all) {
            assert!(first.len() <= FIRST_TEMPLATES as usize);
            assert!(all.len() <= TEMPLATES as usize);
            assert!(all.starts_with(first));
            let mut distinct = all.clone();
            distinct.sort_unstable();
            distinct.dedup();
            assert_eq!(
                distinct.len(),
                all.len(),
                "weights are added once per feature"
            );
        }
        assert!(all[0].len() > first[0].len(), "profiles are features");
        // Models that were saved before there were more templates depend on these values.
        let sum = first
            .iter()
            .flatten()
            .fold(0, |sum, &feature| mix(sum, feature));
        assert_eq!(sum, 6_443_078_332_029_473_227);
    }

    #[test]
    fn known_tags_and_profiles_are_of_the_word_as_written_or_else_in_lower_case() {
        let entries = [
            ("May", pack(2, 0)),
            ("may", pack(1, 3)),
            ("JUNE", pack(0, 6)),
            ("june", pack(4, 5)),
        ];
        let lexicon = Lexicon::new(&entries);
        let of = |word| {
            let token = Token::of(word, &lexicon.index, TEMPLATES);
            (token.tags, token.profile)
        };
        assert_eq!(of("May"), (2, 3));
        assert_eq!(of("MAY"), (1, 3));
        assert_eq!(of("June"), (4, 5));
        assert_eq!(of("JUNE"), (4, 6));
        assert_eq!(of("July"), (0, 0));
    }
}
