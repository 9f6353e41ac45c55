//! The characters of a paragraph, as the features of the segmenter see them.
//!
//! A run of white space is one character, so that line ends, tabs and repeated spaces make no
//! difference. Each character has a *kind* (letters by case, digits, one kind per punctuation
//! mark) and a *folded* form: lower case, with digits as `0` and typographic quotes and full-width
//! punctuation as their ASCII counterparts.

use unicode_segmentation::UnicodeSegmentation;

/// A character of a paragraph, or a run of white space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Character {
    /// Position in the paragraph in bytes.
    pub(super) byte: u32,
    /// Position in the paragraph in characters.
    pub(super) char: u32,
    /// The folded character; a space for a run of white space.
    pub(super) folded: u32,
    /// The kind; see [`kind_and_folded`].
    pub(super) kind: u8,
    /// True if a token must not start here, because the character continues a grapheme cluster.
    pub(super) continues: bool,
}

/// Number of kinds; kinds are smaller.
pub(super) const KINDS: usize = 128;

/// Kinds of characters that are not ASCII punctuation, whose kind is their code.
pub(super) mod kinds {
    /// Control characters and unassigned characters.
    pub(in super::super) const OTHER: u8 = 0;
    /// Symbols and emoji.
    pub(in super::super) const SYMBOL: u8 = 1;
    /// Punctuation without an ASCII counterpart.
    pub(in super::super) const PUNCTUATION: u8 = 2;
    /// A run of white space.
    pub(in super::super) const SPACE: u8 = b' ';
    /// Digits and other numbers.
    pub(in super::super) const DIGIT: u8 = b'0';
    /// Capital letters.
    pub(in super::super) const UPPER: u8 = b'X';
    /// Small letters.
    pub(in super::super) const LOWER: u8 = b'x';
    /// Letters without case.
    pub(in super::super) const LETTER: u8 = b'a';
    /// Ideographs.
    pub(in super::super) const IDEOGRAPH: u8 = b'h';
    /// Hiragana.
    pub(in super::super) const HIRAGANA: u8 = b'i';
    /// Katakana.
    pub(in super::super) const KATAKANA: u8 = b'k';
}

/// Returns true for letters of any kind.
pub(super) fn is_letter(kind: u8) -> bool {
    kind.is_ascii_alphabetic()
}

/// Returns true for letters of scripts that are written without spaces between words.
pub(super) fn is_unspaced(kind: u8) -> bool {
    matches!(
        kind,
        kinds::IDEOGRAPH | kinds::HIRAGANA | kinds::KATAKANA | kinds::LETTER
    )
}

/// Returns the kind of a character, and the folded character.
#[inline]
pub(super) fn kind_and_folded(c: char) -> (u8, u32) {
    match c {
        'a'..='z' => (kinds::LOWER, c as u32),
        'A'..='Z' => (kinds::UPPER, c as u32 | 0x20),
        '0'..='9' => (kinds::DIGIT, '0' as u32),
        '!'..='~' => (c as u8, c as u32),
        c if is_white(c) => (kinds::SPACE, ' ' as u32),
        _ => of_other(c),
    }
}

/// Returns true for characters that separate tokens or are invisible: white space as defined by Unicode, and the byte
/// order mark and zero-width spaces, which must not become part of a token.
#[inline]
pub fn is_white(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{feff}' | '\u{200b}')
}

/// Returns the kind and the folded form of a character outside of ASCII, or a control character.
fn of_other(c: char) -> (u8, u32) {
    if let Some(ascii) = ascii_counterpart(c) {
        return (ascii, u32::from(ascii));
    }
    let kind = match c {
        '\u{3041}'..='\u{309f}' => kinds::HIRAGANA,
        '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}' | '\u{ff66}'..='\u{ff9f}' => {
            kinds::KATAKANA
        }
        '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}' => {
            kinds::IDEOGRAPH
        }
        '\u{3005}' | '\u{3007}' => kinds::IDEOGRAPH,
        c if c.is_lowercase() => kinds::LOWER,
        c if c.is_uppercase() => kinds::UPPER,
        c if c.is_numeric() => kinds::DIGIT,
        c if c.is_alphabetic() => kinds::LETTER,
        '\u{a1}'..='\u{bf}' | '\u{2010}'..='\u{205e}' | '\u{3001}'..='\u{3020}' => {
            kinds::PUNCTUATION
        }
        '\u{2060}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}' => kinds::SYMBOL,
        _ => kinds::OTHER,
    };
    match kind {
        kinds::DIGIT => (kind, '0' as u32),
        kinds::UPPER => (kind, c.to_lowercase().next().unwrap_or(c) as u32),
        _ => (kind, c as u32),
    }
}

/// Returns the ASCII punctuation with the same function.
fn ascii_counterpart(c: char) -> Option<u8> {
    let ascii = match c {
        '‘' | '’' | 'ʼ' => b'\'',
        '“' | '”' | '„' | '«' | '»' | '「' | '」' | '『' | '』' => b'"',
        '‐' | '‑' | '–' | '—' => b'-',
        '。' | '।' | '۔' | '｡' => b'.',
        '、' | '،' => b',',
        '؟' => b'?',
        '؛' => b';',
        '【' | '〔' => b'[',
        '】' | '〕' => b']',
        // Full-width forms of ! to ~, apart from letters and digits.
        '\u{ff01}'..='\u{ff5e}' => (c as u32 - 0xfee0) as u8,
        _ => return None,
    };
    (!ascii.is_ascii_alphanumeric()).then_some(ascii)
}

/// Returns true if the character can continue a grapheme cluster, or can be continued by a
/// character that is not an extending one (emoji, Hangul, Indic conjuncts). Most text has none, so
/// that clusters need not be computed.
fn needs_clusters(c: char) -> bool {
    !matches!(c,
        '\0'..='\u{2ff}' | '\u{370}'..='\u{482}' | '\u{48a}'..='\u{590}'
        | '\u{1e00}'..='\u{200b}' | '\u{2010}'..='\u{2029}' | '\u{2030}'..='\u{205f}' | '\u{20a0}'..='\u{20cf}'
        | '\u{3000}'..='\u{3029}' | '\u{3030}'..='\u{3098}' | '\u{309b}'..='\u{9fff}' | '\u{ff01}'..='\u{ff9d}')
}

/// Replaces `characters` with the characters of a paragraph of less than 4 GiB. White space at both
/// ends is dropped, and inner runs of white space become one character.
///
/// Returns the number of characters of the paragraph, including white space.
pub(super) fn decode(paragraph: &str, characters: &mut Vec<Character>) -> usize {
    characters.clear();
    let (mut number, mut has_clusters) = (0_u32, false);
    let mut is_white_before = true;
    for (at, c) in paragraph.char_indices() {
        let (kind, folded) = kind_and_folded(c);
        let is_white = kind == kinds::SPACE;
        if !is_white || !is_white_before {
            has_clusters |= needs_clusters(c);
            characters.push(Character {
                byte: at as u32,
                char: number,
                folded,
                kind,
                continues: false,
            });
        }
        is_white_before = is_white;
        number += 1;
    }
    if is_white_before {
        characters.pop();
    }
    if has_clusters {
        mark_clusters(paragraph, characters);
    }
    number as usize
}

/// Marks the characters that continue a grapheme cluster.
fn mark_clusters(paragraph: &str, characters: &mut [Character]) {
    let mut starts = paragraph
        .grapheme_indices(true)
        .map(|(at, _)| at as u32)
        .peekable();
    for character in characters {
        while starts.next_if(|start| *start < character.byte).is_some() {}
        character.continues = starts.peek() != Some(&character.byte);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn white_space_is_one_character() {
        let mut characters = Vec::new();
        assert_eq!(decode("\u{feff}\r\n a \t\u{a0}B\n", &mut characters), 10);
        let of = |c: &Character| (c.byte, c.char, char::from_u32(c.folded).unwrap(), c.kind);
        let all: Vec<_> = characters.iter().map(of).collect();
        assert_eq!(
            all,
            [(6, 4, 'a', b'x'), (7, 5, ' ', b' '), (11, 8, 'b', b'X')]
        );
        decode(" \n", &mut characters);
        assert!(characters.is_empty());
    }

    #[test]
    fn punctuation_is_folded() {
        let folded = |c: char| kind_and_folded(c);
        assert_eq!(folded('’'), folded('\''));
        assert_eq!(folded('。'), folded('.'));
        assert_eq!(folded('！'), folded('!'));
        assert_eq!(folded('Ａ').0, kinds::UPPER);
        assert_eq!(folded('Ж'), (kinds::UPPER, 'ж' as u32));
        assert_eq!(folded('7'), folded('٣'));
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_unicode(text in "[áé👩🏽‍🚀🇩🇪한각ᄀ가क्षनि\u{200d}e\u{308}]{0,12}") {
            let mut characters = Vec::new();
            decode(&text, &mut characters);
            let starts: Vec<u32> = text.grapheme_indices(true).map(|(at, _)| at as u32).collect();
            for character in characters {
                prop_assert_eq!(!character.continues, starts.contains(&character.byte));
            }
        }
    }
}
