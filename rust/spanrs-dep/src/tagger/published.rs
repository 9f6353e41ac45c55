//! The 14 features of the published tagger (parser.py, and NLTK's `PerceptronTagger`).

use crate::digits::is_digit;
use crate::text_hash::TextHash;

/// What the features need of a token.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) word: TextHash,
    /// The normal form.
    norm: TextHash,
    /// The last three characters of the word.
    suffix: TextHash,
    /// The last three characters of the normal form.
    norm_suffix: TextHash,
    /// The first character.
    first: TextHash,
}

/// The normal form of words that are not written as themselves in lower case.
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

/// The normal form of a word: its class (`!HYPHEN`, `!YEAR`, `!DIGITS`) or the word in lower case.
pub(crate) fn normal_form(word: &str) -> String {
    class_of(word).map_or_else(|| word.to_lowercase(), str::to_owned)
}

/// The last three characters.
pub(crate) fn suffix(word: &str) -> &str {
    let start = word.char_indices().rev().nth(2).map_or(0, |(at, _)| at);
    &word[start..]
}

impl Token {
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

    /// A token beyond the ends, which is its own normal form.
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

const BEFORE: [Token; 2] = [Token::pad("-START-", "RT-"), Token::pad("-START2-", "T2-")];
const AFTER: [Token; 2] = [Token::pad("-END-", "ND-"), Token::pad("-END2-", "D2-")];
/// Tags before the first token: of the previous token, and of the one before it.
pub(crate) const TAGS_BEFORE: [&str; 2] = ["-START-", "-START2-"];

/// Appends tokens with the two pads on each side.
pub(crate) fn padded<'a>(words: impl Iterator<Item = &'a str>, tokens: &mut Vec<Token>) {
    tokens.clear();
    tokens.extend(BEFORE);
    tokens.extend(words.map(Token::of));
    tokens.extend(AFTER);
}

/// Hashes of the features of the token at an index; tokens are padded by two, and `previous` are the tags of the previous
/// token and of the one before it.
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

/// The same features as strings, as they are named in the JSON files.
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
