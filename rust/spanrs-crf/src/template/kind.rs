//! Categories of tokens, for the macro `%kind`.
//!
//! Categories depend only on capitalisation and character classes, and are designed for noisy text:
//! mentions, hashtags and links are checked first. The documentation of templates describes the
//! categories; examples:
//!
//! | word | category | word | category |
//! |---|---|---|---|
//! | `www.x.org` | `url` | `NATO` | `all_caps` |
//! | `@ada` | `mention` | `Ada`, `A` | `init_cap` |
//! | `#nlp` | `hashtag` | `eBay` | `mixed_case` |
//! | `3.5%` | `number` | `ada` | `lower_case` |
//! | `B2B` | `has_digit` | `!?` | `punctuation` |

/// The categories, in the order of the indices that [`kind`] returns.
pub(super) const KINDS: [&str; 12] = [
    "url",
    "mention",
    "hashtag",
    "number",
    "has_digit",
    "all_caps",
    "init_cap",
    "mixed_case",
    "lower_case",
    "other",
    "punctuation",
    "symbol",
];

/// Numbers of characters of a token by class. A character can be in several classes.
#[derive(Default)]
struct Composition {
    /// Upper-case letters.
    upper: usize,
    /// Lower-case letters.
    lower: usize,
    /// Letters, with or without case.
    letters: usize,
    /// Numeric characters, including fractions and Roman numerals.
    digits: usize,
    /// Whether every character can be part of a number. True for the empty token.
    numeric: bool,
    /// Whether every character is punctuation. True for the empty token.
    punctuation: bool,
}

/// The category of a token, as an index into [`KINDS`]: the first category that applies, in the
/// order of the checks.
pub(super) fn kind(word: &str) -> usize {
    if is_url(word) {
        return 0;
    }
    if is_name_after('@', word) {
        return 1;
    }
    if is_name_after('#', word) {
        return 2;
    }
    let found = composition(word);
    if found.digits > 0 {
        return if found.numeric { 3 } else { 4 };
    }
    if found.upper > 0 {
        let all = found.upper == found.letters && found.letters > 1;
        let initial = found.upper == 1 && word.chars().next().is_some_and(char::is_uppercase);
        return match (all, initial) {
            (true, _) => 5,
            (_, true) => 6,
            _ => 7,
        };
    }
    match word {
        _ if found.lower > 0 => 8,
        "" => 9,
        _ if found.letters > 0 => 9,
        _ if found.punctuation => 10,
        _ => 11,
    }
}

/// Counts the characters of a token by class.
fn composition(word: &str) -> Composition {
    let mut found = Composition {
        numeric: true,
        punctuation: true,
        ..Composition::default()
    };
    for c in word.chars() {
        let digit = c.is_numeric();
        found.upper += usize::from(c.is_uppercase());
        found.lower += usize::from(c.is_lowercase());
        found.letters += usize::from(c.is_alphabetic());
        found.digits += usize::from(digit);
        found.numeric &= digit || "+-.,:/%$€£".contains(c);
        found.punctuation &= is_punctuation(c);
    }
    found
}

/// Whether a token begins like a URL, ignoring case: `http://`, `https://` or `www.`.
fn is_url(word: &str) -> bool {
    let starts = |prefix: &str| {
        let head = word.as_bytes().get(..prefix.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
    };
    starts("http://") || starts("https://") || starts("www.")
}

/// Whether a token is `mark` followed by a letter, a digit or an underscore.
fn is_name_after(mark: char, word: &str) -> bool {
    let mut chars = word.chars();
    chars.next() == Some(mark)
        && chars
            .next()
            .is_some_and(|c| c.is_alphanumeric() || c == '_')
}

/// ASCII punctuation, Latin-1 quotation marks and General Punctuation, and punctuation of Chinese
/// and Japanese.
fn is_punctuation(c: char) -> bool {
    matches!(c,
        '!'..='/' | ':'..='@' | '['..='`' | '{'..='~'
        | '¡' | '§' | '«' | '¶' | '·' | '»' | '¿'
        | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}'
        | '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3011}' | '\u{3014}'..='\u{301F}'
        | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}')
}
