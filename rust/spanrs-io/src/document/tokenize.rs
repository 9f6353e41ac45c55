//! A simple tokenizer that keeps character offsets, for texts without tokens.

use std::sync::LazyLock;

use regex::Regex;

/// Letters, digits and underscores, with apostrophes, hyphens, full stops and commas inside; or one
/// other character.
static TOKEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"\w+(?:[-'’.,]\w+)*|[^\w\s]").ok());

/// Returns the tokens of a text as (start, end) in characters, from 0, ends exclusive, in order.
/// Tokens contain no white space.
///
/// ```
/// use spanrs_io::document::tokenize;
/// assert_eq!(tokenize("Bob's été."), [(0, 5), (6, 9), (9, 10)]);
/// ```
pub fn tokenize(text: &str) -> Vec<(u32, u32)> {
    let Some(pattern) = TOKEN.as_ref() else {
        return Vec::new();
    };
    let (mut byte, mut character) = (0, 0);
    let mut characters = |to: usize| {
        character += text[byte..to].chars().count() as u32;
        byte = to;
        character
    };
    let tokens = pattern.find_iter(text);
    tokens
        .map(|token| (characters(token.start()), characters(token.end())))
        .collect()
}

/// Returns the lines of a text that are not blank, as (start, end) in characters, line ends
/// included. Lines end at the characters at which Python's `str.splitlines` splits.
pub fn lines(text: &str) -> Vec<(u32, u32)> {
    let mut lines = Vec::new();
    let (mut start, mut blank) = (0, true);
    let mut characters = text.chars().peekable();
    let mut at = 0;
    while let Some(character) = characters.next() {
        at += 1;
        blank &= character.is_whitespace();
        let breaks = matches!(
            character,
            '\n' | '\r' | '\x0B' | '\x0C' | '\x1C'..='\x1E' | '\u{85}' | '\u{2028}' | '\u{2029}'
        );
        if breaks && !(character == '\r' && characters.peek() == Some(&'\n')) {
            if !blank {
                lines.push((start, at));
            }
            (start, blank) = (at, true);
        }
    }
    if !blank {
        lines.push((start, at));
    }
    lines
}
