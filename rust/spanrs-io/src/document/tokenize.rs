//! A simple tokenizer that keeps character offsets, for texts without tokens.

use std::sync::LazyLock;

use regex::Regex;

/// One character of a script without spaces between words, with its marks; or letters, digits and
/// underscores, with apostrophes, hyphens, full stops and commas inside; or one other character.
static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let unspaced = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}";
    let word = format!(r"[\w--[{unspaced}]]+");
    let pattern = format!(r"[{unspaced}&&\w]\p{{M}}*|{word}(?:[-'’.,]{word})*|[^\w\s]");
    Regex::new(&pattern).ok()
});

/// Returns the tokens of a text as (start, end) in characters, from 0, ends exclusive, in order.
/// Tokens contain no white space. In scripts without spaces between words, such as Chinese, Japanese
/// and Thai, each character is a token.
///
/// ```
/// use spanrs_io::document::tokenize;
/// assert_eq!(tokenize("Bob's été."), [(0, 5), (6, 9), (9, 10)]);
/// assert_eq!(tokenize("李伟 2"), [(0, 1), (1, 2), (3, 4)]);
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

/// Returns true for the characters at which Python's `str.splitlines` splits.
pub(super) fn is_line_end(character: char) -> bool {
    matches!(
        character,
        '\n' | '\r' | '\x0B' | '\x0C' | '\x1C'..='\x1E' | '\u{85}' | '\u{2028}' | '\u{2029}'
    )
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
        if is_line_end(character) && !(character == '\r' && characters.peek() == Some(&'\n')) {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str, bounds: &[(u32, u32)]) -> Vec<String> {
        let characters: Vec<char> = text.chars().collect();
        let all = bounds.iter();
        all.map(|&(start, end)| characters[start as usize..end as usize].iter().collect())
            .collect()
    }

    fn tokens(text: &str) -> Vec<String> {
        words(text, &tokenize(text))
    }

    #[test]
    fn words_keep_what_joins_them() {
        assert_eq!(
            tokens("Dr. O'Neil's well-known 3.5, e.g. 1,000.50!"),
            [
                "Dr",
                ".",
                "O'Neil's",
                "well-known",
                "3.5",
                ",",
                "e.g",
                ".",
                "1,000.50",
                "!"
            ]
        );
        assert_eq!(
            tokens("a--b '90s -c- snake_case"),
            ["a", "-", "-", "b", "'", "90s", "-", "c", "-", "snake_case"]
        );
        assert_eq!(
            tokens("L\u{2019}\u{e9}t\u{e9} e\u{301}t"),
            ["L\u{2019}\u{e9}t\u{e9}", "e\u{301}t"]
        );
        assert_eq!(
            tokens("\u{1F600}\u{1F600} \u{4E2D}\u{6587}\u{3002}"),
            ["\u{1F600}", "\u{1F600}", "\u{4E2D}", "\u{6587}", "\u{3002}"]
        );
        // Letters of other scripts between them, and marks.
        assert_eq!(
            tokens("\u{4E2D}ab\u{6587}1"),
            ["\u{4E2D}", "ab", "\u{6587}", "1"]
        );
        assert_eq!(
            tokens("\u{E01}\u{E49}\u{E32}"),
            ["\u{E01}\u{E49}", "\u{E32}"]
        );
    }

    #[test]
    fn a_text_without_words_has_no_tokens() {
        assert!(tokenize("").is_empty());
        assert!(tokenize(" \t\r\n\u{A0}\u{2003}\u{3000}").is_empty());
        assert_eq!(tokenize("\u{FEFF}\u{1}"), [(0, 1), (1, 2)]);
    }

    #[test]
    fn lines_are_those_of_python() {
        let text = "a\nb\r\nc\rd\u{85}e\u{2028}f\u{B}\n \n\n\tg";
        let expected = [
            "a\n",
            "b\r\n",
            "c\r",
            "d\u{85}",
            "e\u{2028}",
            "f\u{B}",
            "\tg",
        ];
        assert_eq!(words(text, &lines(text)), expected);
        assert!(lines("").is_empty() && lines("\n \r\n").is_empty());
        assert_eq!(words("a\n\rb", &lines("a\n\rb")), ["a\n", "b"]);
    }

    proptest! {
        #[test]
        fn tokens_are_all_of_the_text_but_white_space(text in "\\PC{0,20}|[a.' \n\u{301}-]{0,20}") {
            let found = tokenize(&text);
            prop_assert!(found.iter().all(|token| token.0 < token.1));
            prop_assert!(found.windows(2).all(|two| two[0].1 <= two[1].0));
            let rest: String = text.chars().filter(|c| !c.is_whitespace()).collect();
            prop_assert_eq!(words(&text, &found).concat(), rest);
        }

        #[test]
        fn lines_are_all_of_the_text_but_blank_lines(text in "[a \n\r\u{85}]{0,20}") {
            let found = lines(&text);
            prop_assert!(found.iter().all(|line| line.0 < line.1));
            let mut outside = String::new();
            let mut at = 0;
            let characters: Vec<char> = text.chars().collect();
            for (start, end) in found {
                outside.extend(&characters[at..start as usize]);
                at = end as usize;
            }
            outside.extend(&characters[at..]);
            prop_assert_eq!(outside.trim(), "");
        }
    }
}
