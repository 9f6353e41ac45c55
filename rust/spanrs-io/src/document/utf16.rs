//! Conversion of offsets in UTF-16 code units, as in Java, to characters.
//!
//! Only the characters outside of the Basic Multilingual Plane are stored, because all others are
//! one code unit: memory is proportional to their number, and a lookup takes logarithmic time.

/// The characters of a text that consist of two UTF-16 code units.
pub(super) struct Utf16Index {
    /// Position of each of these characters in code units, ascending.
    pairs: Vec<u32>,
}

impl Utf16Index {
    /// Indexes a text, in linear time.
    pub(super) fn new(text: &str) -> Self {
        let mut pairs = Vec::new();
        // Four bytes in UTF-8 are two code units in UTF-16.
        if text.bytes().any(|byte| byte >= 0xF0) {
            let mut unit = 0;
            for character in text.chars() {
                if character.len_utf16() == 2 {
                    pairs.push(unit);
                }
                unit += character.len_utf16() as u32;
            }
        }
        Self { pairs }
    }

    /// Returns the character at an offset in code units; None within a character. Offsets beyond
    /// the text are converted to offsets beyond the text.
    pub(super) fn character(&self, unit: u32) -> Option<u32> {
        let before = self.pairs.partition_point(|&pair| pair < unit);
        match before.checked_sub(1).map(|last| self.pairs[last]) {
            Some(pair) if pair + 1 == unit => None,
            _ => Some(unit - before as u32),
        }
    }

    /// Returns the offset in code units of a character.
    pub(super) fn unit(&self, character: u32) -> u32 {
        // The position of the pair at index `n`, in characters, is the position minus `n`.
        let (mut low, mut high) = (0, self.pairs.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            if self.pairs[middle] - (middle as u32) < character {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        character.saturating_add(low as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_and_units_are_converted_both_ways() {
        for text in [
            "",
            "a\u{e9}b",
            "\u{1F600}a\u{1F600}\u{1F600} b",
            "x\u{1F600}",
        ] {
            let index = Utf16Index::new(text);
            let mut unit = 0;
            for (at, character) in text.chars().chain(['.']).enumerate() {
                assert_eq!(index.character(unit), Some(at as u32), "{text} {unit}");
                assert_eq!(index.unit(at as u32), unit, "{text} {at}");
                if character.len_utf16() == 2 {
                    assert_eq!(index.character(unit + 1), None);
                }
                unit += character.len_utf16() as u32;
            }
            assert!(index.character(u32::MAX).is_some());
        }
    }
}
