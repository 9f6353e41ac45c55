//! Kinds of characters, and characters that are written in several ways.

/// Kind of a character, which decides where words begin and end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// White space.
    Space,
    /// A letter, digit or underscore of a script with spaces between words.
    Word,
    /// A letter or digit of a script without spaces between words; each character is a word.
    Unspaced,
    /// All other characters.
    Other,
}

/// Returns the kind of a character.
pub(super) fn kind(c: char) -> Kind {
    if c.is_ascii() {
        return match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => Kind::Word,
            c if c.is_whitespace() => Kind::Space,
            _ => Kind::Other,
        };
    }
    if c.is_whitespace() {
        Kind::Space
    } else if is_unspaced(c) {
        Kind::Unspaced
    } else if c.is_alphanumeric() || is_mark(c) {
        Kind::Word
    } else {
        Kind::Other
    }
}

/// Returns true for characters of scripts without spaces between words: Han, Hiragana, Katakana,
/// Thai, Lao, Khmer and Myanmar, as in the built-in tokenizer, and the prolonged sound mark.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(c as u32,
        0x0E01..=0x0E3A | 0x0E40..=0x0E4E | 0x0E50..=0x0E59
        | 0x0E81..=0x0EDF
        | 0x1000..=0x109F | 0x1780..=0x17D3 | 0x17D7 | 0x17DC..=0x17E9
        | 0x2E80..=0x2FD5 | 0x3005..=0x3007 | 0x3021..=0x3029 | 0x3038..=0x303C
        | 0x3041..=0x3096 | 0x309D..=0x309F | 0x30A1..=0x30FA | 0x30FC..=0x30FF
        | 0x31F0..=0x31FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF
        | 0xA9E0..=0xA9FE | 0xAA60..=0xAA7F | 0xF900..=0xFAD9 | 0xFF66..=0xFF9D
        | 0x116D0..=0x116E3
        | 0x1AFF0..=0x1B16F | 0x20000..=0x3347F)
}

/// Returns true for combining marks.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Returns the plain form of typographic quotes, apostrophes, dashes and slashes; None for
/// characters that are not visible, such as soft hyphens, zero-width characters and variation
/// selectors.
pub(super) fn plain(c: char) -> Option<char> {
    Some(match c {
        '\u{AD}'
        | '\u{34F}'
        | '\u{61C}'
        | '\u{640}'
        | '\u{180B}'..='\u{180F}'
        | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}'
        | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}'
        | '\u{E0000}'..='\u{E0FFF}' => return None,
        '“' | '”' | '„' | '‟' | '«' | '»' | '″' | '〝' | '〞' | '〟' => '"',
        '`' | '‘' | '’' | '‚' | '‛' | '‹' | '›' | '´' | '′' | 'ʼ' | 'ʹ' | '׳' => {
            '\''
        }
        '״' => '"',
        '‐' | '‑' | '‒' | '–' | '—' | '―' | '−' | '﹘' | '﹣' | '־' => '-',
        '⁄' | '∕' => '/',
        c => c,
    })
}

/// The digit 0 of each script, ascending; the digits 1 to 9 follow it (general category Nd).
const ZEROS: [u32; 68] = [
    0x30, 0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66,
    0xDE6, 0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90,
    0x1B50, 0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
    0x104A0, 0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650,
    0x116C0, 0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x11F50, 0x16A60, 0x16AC0,
    0x16B50, 0x1D7CE, 0x1D7D8, 0x1D7E2, 0x1D7EC, 0x1D7F6, 0x1E140, 0x1E2F0, 0x1E4F0, 0x1E950,
    0x1FBF0,
];

/// Returns the value of a decimal digit of any script.
pub(super) fn digit(c: char) -> Option<u8> {
    if c.is_ascii() {
        return c.is_ascii_digit().then(|| c as u8 - b'0');
    }
    let before = ZEROS.partition_point(|&zero| zero <= c as u32);
    let value = c as u32 - ZEROS[before - 1];
    u8::try_from(value).ok().filter(|&value| value < 10)
}

/// Returns true for marks that [`super::GroundOptions::diacritics`] removes: accents of Latin,
/// Greek and Cyrillic letters, and vowel signs of Hebrew and Arabic. Marks of other scripts, such
/// as the Japanese voicing marks, distinguish words.
pub(super) fn is_diacritic(c: char) -> bool {
    matches!(c as u32,
        0x0300..=0x036F | 0x0483..=0x0487 | 0x0591..=0x05BD | 0x05BF | 0x05C1..=0x05C2
        | 0x05C4..=0x05C5 | 0x05C7 | 0x0610..=0x061A | 0x064B..=0x065F | 0x0670
        | 0x06D6..=0x06DC | 0x06DF..=0x06E4 | 0x06E7..=0x06E8 | 0x06EA..=0x06ED
        | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF | 0xFE20..=0xFE2F)
}

/// Returns the base letter of letters with strokes and without dot, which have no decomposition.
pub(super) fn without_stroke(c: char) -> char {
    match c {
        'ø' => 'o',
        'ł' => 'l',
        'đ' => 'd',
        'ħ' => 'h',
        'ŧ' => 't',
        'ı' => 'i',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_have_values() {
        let values: Vec<_> = "07٣९๔９𝟡x½²一é".chars().map(digit).collect();
        let digits = [0, 7, 3, 9, 4, 9, 9].map(Some);
        assert_eq!(values[..7], digits);
        assert!(values[7..].iter().all(Option::is_none));
        assert!(ZEROS.is_sorted());
    }

    #[test]
    #[cfg(feature = "documents")]
    fn digits_are_those_of_unicode() {
        let pattern = regex::Regex::new(r"^\p{Nd}$").expect("the pattern is valid");
        for c in '\0'..=char::MAX {
            // Scripts that later versions of Unicode add are not in the table.
            let is_known = digit(c).is_some() || (c as u32) < 0x10000;
            let expected = pattern.is_match(c.encode_utf8(&mut [0; 4]));
            assert!(!is_known || expected == digit(c).is_some(), "{c:?}");
        }
    }

    #[test]
    #[cfg(feature = "documents")]
    fn scripts_are_those_of_the_tokenizer() {
        let unspaced = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}";
        let pattern = regex::Regex::new(&format!(r"^[{unspaced}&&\w]$"));
        let pattern = pattern.expect("the pattern is valid");
        for c in ('\0'..=char::MAX).filter(|c| c.is_alphanumeric()) {
            // The mark has the script Common. Beyond the basic plane, versions of Unicode differ.
            let expected = pattern.is_match(c.encode_utf8(&mut [0; 4])) || matches!(c, 'ー' | 'ｰ');
            let beyond = matches!(c as u32, 0x10000..|0x3006| 0x303C) || kind(c) == Kind::Other;
            assert!(
                expected == is_unspaced(c) || beyond,
                "{c:?} {:x} {expected}",
                c as u32
            );
        }
    }
}
