//! The 14 features of the published tagger (parser.py, and NLTK's `PerceptronTagger`).
//!
//! A feature is a string; prediction computes only its hash and never builds the string (module
//! `text_hash`). For the third word of "In 2004 they ate", tagged `IN CD`, the features are
//!
//! | feature | value here | |
//! |---|---|---|
//! | `bias` | | |
//! | `i suffix` | `hey` | last three characters of the word as written |
//! | `i pref1` | `t` | first character |
//! | `i-1 tag`, `i-2 tag` | `CD`, `IN` | predicted tags |
//! | `i tag+i-2 tag` | `CD IN` | both tags, contrary to the name |
//! | `i word` | `they` | normal form |
//! | `i-1 tag+i word` | `CD they` | |
//! | `i-1 word`, `i-1 suffix` | `!YEAR`, `EAR` | normal form, and its last three characters |
//! | `i-2 word` | `in` | |
//! | `i+1 word`, `i+1 suffix` | `ate`, `ate` | |
//! | `i+2 word` | `-END-` | |
//!
//! Before the sentence there are two tokens and tags `-START-` and `-START2-`, after it `-END-` and
//! `-END2-`. The padding is in the same order as in the original: the first word has `-START2-`
//! next to it as a word, but `-START-` as the previous tag. Lengths and slices count characters
//! (code points), and case and digits follow Unicode, as in Python.

use crate::digits::is_digit;
use crate::text_hash::TextHash;

/// The parts of a token that features need, as hashes that can be extended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    /// The word as written, the key of the tagdict.
    pub(crate) word: TextHash,
    /// The normal form.
    norm: TextHash,
    /// The last three characters of the word.
    suffix: TextHash,
    /// The last three characters of the normal form.
    norm_suffix: TextHash,
    /// The first character of the word.
    first: TextHash,
}

/// Returns the normal form of words that are not merely lower-cased: `!HYPHEN` for a hyphen after
/// the first character, `!YEAR` for four digits, `!DIGITS` for a digit as first character; None for
/// other words and for the empty word.
fn class_of(word: &str) -> Option<&'static str> {
    let first = word.chars().next()?;
    if first != '-' && word.contains('-') {
        return Some("!HYPHEN");
    }
    if !is_digit(first) {
        return None;
    }
    match word.chars().count() == 4 && word.chars().all(is_digit) {
        true => Some("!YEAR"),
        false => Some("!DIGITS"),
    }
}

/// Returns the normal form of a word: its class (`!HYPHEN`, `!YEAR`, `!DIGITS`) or the word in
/// lower case.
pub(crate) fn normal_form(word: &str) -> String {
    class_of(word).map_or_else(|| word.to_lowercase(), str::to_owned)
}

/// Returns the last three characters, or the whole word if it is shorter.
pub(crate) fn suffix(word: &str) -> &str {
    let start = word.char_indices().rev().nth(2).map_or(0, |(at, _)| at);
    &word[start..]
}

impl Token {
    /// Computes the hashes of a word. ASCII words without capital letters are their own normal
    /// form, which saves allocating a string.
    pub(crate) fn of(word: &str) -> Self {
        let text = TextHash::of(word);
        let own_suffix = TextHash::of(suffix(word));
        let (norm, norm_suffix) = match class_of(word) {
            Some(class) => (TextHash::of(class), TextHash::of(suffix(class))),
            None if word
                .bytes()
                .all(|b| b.is_ascii() && !b.is_ascii_uppercase()) =>
            {
                (text, own_suffix)
            }
            None => {
                let lower = word.to_lowercase();
                (TextHash::of(&lower), TextHash::of(suffix(&lower)))
            }
        };
        let first = word.chars().next().map_or(0, char::len_utf8);
        Self {
            word: text,
            norm,
            suffix: own_suffix,
            norm_suffix,
            first: TextHash::of(&word[..first]),
        }
    }

    /// Returns a padding token, which is its own normal form. `suffix` must be the last three
    /// characters.
    const fn pad(text: &str, suffix: &str) -> Self {
        let (norm, norm_suffix) = (TextHash::of(text), TextHash::of(suffix));
        Self {
            word: norm,
            norm,
            suffix: norm_suffix,
            norm_suffix,
            first: TextHash::EMPTY,
        }
    }
}

/// The tokens before the sentence.
const BEFORE: [Token; 2] = [Token::pad("-START-", "RT-"), Token::pad("-START2-", "T2-")];
/// The tokens after the sentence.
const AFTER: [Token; 2] = [Token::pad("-END-", "ND-"), Token::pad("-END2-", "D2-")];
/// Tags before the first word: of the previous word and of the second previous word.
pub(crate) const TAGS_BEFORE: [&str; 2] = ["-START-", "-START2-"];

/// Replaces `tokens` with the tokens of the words, with two padding tokens on each side.
pub(crate) fn padded<'a>(words: impl Iterator<Item = &'a str>, tokens: &mut Vec<Token>) {
    tokens.clear();
    tokens.extend(BEFORE);
    tokens.extend(words.map(Token::of));
    tokens.extend(AFTER);
}

/// Replaces `features` with the hashes of the features of the word with index `at`. `tokens` are
/// padded by two, and `previous` are the tags of the previous and the second previous word. All 14
/// features are always present; even an empty affix is a feature.
#[inline]
pub(crate) fn features(
    tokens: &[Token],
    at: usize,
    previous: [TextHash; 2],
    features: &mut Vec<u64>,
) {
    const SPACE: TextHash = TextHash::of(" ");
    let around = |offset: usize| &tokens[at + offset];
    let own = around(2);
    let [tag, before] = previous;
    features.clear();
    features.extend([
        const { TextHash::of("bias") }.value(),
        const { TextHash::of("i suffix ") }.end(own.suffix),
        const { TextHash::of("i pref1 ") }.end(own.first),
        const { TextHash::of("i-1 tag ") }.end(tag),
        const { TextHash::of("i-2 tag ") }.end(before),
        const { TextHash::of("i tag+i-2 tag ") }
            .then(tag)
            .then(SPACE)
            .end(before),
        const { TextHash::of("i word ") }.end(own.norm),
        const { TextHash::of("i-1 tag+i word ") }
            .then(tag)
            .then(SPACE)
            .end(own.norm),
        const { TextHash::of("i-1 word ") }.end(around(1).norm),
        const { TextHash::of("i-1 suffix ") }.end(around(1).norm_suffix),
        const { TextHash::of("i-2 word ") }.end(around(0).norm),
        const { TextHash::of("i+1 word ") }.end(around(3).norm),
        const { TextHash::of("i+1 suffix ") }.end(around(3).norm_suffix),
        const { TextHash::of("i+2 word ") }.end(around(4).norm),
    ]);
}

/// Returns the same features as strings, as in the JSON files, in the same order.
pub(crate) fn names(words: &[&str], at: usize, previous: [&str; 2]) -> [String; 14] {
    let norm = |offset: isize| {
        let place = at as isize + offset;
        match usize::try_from(place) {
            Err(_) => TAGS_BEFORE[(place + 2) as usize].to_owned(),
            Ok(place) if place < words.len() => normal_form(words[place]),
            Ok(place) => ["-END-", "-END2-"][place - words.len()].to_owned(),
        }
    };
    let word = words[at];
    let first: String = word.chars().take(1).collect();
    let [tag, before] = previous;
    [
        "bias".to_owned(),
        format!("i suffix {}", suffix(word)),
        format!("i pref1 {first}"),
        format!("i-1 tag {tag}"),
        format!("i-2 tag {before}"),
        format!("i tag+i-2 tag {tag} {before}"),
        format!("i word {}", norm(0)),
        format!("i-1 tag+i word {tag} {}", norm(0)),
        format!("i-1 word {}", norm(-1)),
        format!("i-1 suffix {}", suffix(&norm(-1))),
        format!("i-2 word {}", norm(-2)),
        format!("i+1 word {}", norm(1)),
        format!("i+1 suffix {}", suffix(&norm(1))),
        format!("i+2 word {}", norm(2)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_names() {
        let words = [
            "In",
            "2004",
            "they",
            "ate",
            "well-done",
            "Ärger",
            "-x",
            "3rd",
            "",
            "Σ",
        ];
        let mut tokens = Vec::new();
        padded(words.into_iter(), &mut tokens);
        let mut hashes = Vec::new();
        for at in 0..words.len() {
            let previous = ["NN", "-START-"];
            features(&tokens, at, previous.map(TextHash::of), &mut hashes);
            let expected = names(&words, at, previous).map(|name| TextHash::of(&name).value());
            assert_eq!(hashes, expected, "{at}");
        }
    }

    #[test]
    fn normal_forms() {
        let forms = ["2004", "20x4", "v2", "a-b", "-a", "-a-b", "ÄB", "٣٤٥٦", ""].map(normal_form);
        let expected = [
            "!YEAR", "!DIGITS", "v2", "!HYPHEN", "-a", "-a-b", "äb", "!YEAR", "",
        ];
        assert_eq!(forms, expected);
    }
}
