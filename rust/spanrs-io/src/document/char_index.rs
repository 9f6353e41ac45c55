//! Conversion of character offsets to byte offsets.
//!
//! The byte offset of every 64th character is stored, so that a lookup scans at most 63 characters.
//! Memory is 1/8 byte per character, and none for ASCII, where character and byte offsets are
//! equal.
//!
//! In `été` the characters begin at bytes 0, 2 and 3, and the text ends at byte 5; the text between
//! the character offsets 1 and 3 is `té`.

/// Number of characters between two entries of the index.
const STEP: usize = 64;

/// A text with lookup of substrings by character offsets, in time independent of the length of the
/// text.
pub(super) struct CharIndex<'a> {
    /// The text.
    text: &'a str,
    /// Number of characters in the text.
    characters: usize,
    /// Byte offset of every [`STEP`]th character; empty for ASCII, where character and byte offsets
    /// are equal.
    offsets: Vec<usize>,
    /// Byte ranges of the runs of white space, ascending, ends exclusive; computed on first use.
    blanks: Option<Vec<(usize, usize)>>,
}

impl<'a> CharIndex<'a> {
    /// Indexes a text, in linear time.
    pub(super) fn new(text: &'a str) -> Self {
        let mut index = Self {
            text,
            characters: text.len(),
            offsets: Vec::new(),
            blanks: None,
        };
        if !text.is_ascii() {
            index.characters = 0;
            for (byte, _) in text.char_indices() {
                if index.characters.is_multiple_of(STEP) {
                    index.offsets.push(byte);
                }
                index.characters += 1;
            }
        }
        index
    }

    /// Returns the number of characters.
    pub(super) fn len(&self) -> usize {
        self.characters
    }

    /// Returns the byte offset of a character or of the end of the text; None beyond the end.
    fn byte(&self, character: u32) -> Option<usize> {
        let character = character as usize;
        if character >= self.characters {
            return (character == self.characters).then_some(self.text.len());
        }
        let Some(&offset) = self.offsets.get(character / STEP) else {
            return Some(character);
        };
        let further = self.text[offset..].char_indices().nth(character % STEP);
        further.map(|(byte, _)| offset + byte)
    }

    /// Returns the text between two character offsets; None if the offsets are outside the text or
    /// not in order.
    pub(super) fn between(&self, start: u32, end: u32) -> Option<&'a str> {
        self.text.get(self.byte(start)?..self.byte(end)?)
    }

    /// Returns true if the text between two character offsets is empty or consists of white space;
    /// false if an offset is outside the text. Time is logarithmic in the number of runs of white
    /// space.
    ///
    /// In `a  b c` the runs are the bytes 1-3 and 4-5: the ranges 1-3 and 2-3 are blank, 2-4 is
    /// not. The runs are computed once, because brat's fragments may be far apart and a scan per
    /// fragment would take quadratic time.
    pub(super) fn is_blank(&mut self, start: u32, end: u32) -> bool {
        let (Some(start), Some(end)) = (self.byte(start), self.byte(end)) else {
            return false;
        };
        // The runs are searched instead of the text, which would otherwise be scanned again for
        // every annotation.
        let blanks = self.blanks.get_or_insert_with(|| blanks(self.text));
        let next = blanks.partition_point(|&(_, to)| to < end);
        start >= end || blanks.get(next).is_some_and(|&(from, _)| from <= start)
    }
}

/// Returns the byte ranges of the runs of white space of a text.
fn blanks(text: &str) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for (byte, character) in text.char_indices().filter(|(_, c)| c.is_whitespace()) {
        let end = byte + character.len_utf8();
        match runs.last_mut() {
            Some(run) if run.1 == byte => run.1 = end,
            _ => runs.push((byte, end)),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn substrings_are_found_in_any_text() {
        for text in [
            "",
            "a b",
            "\u{1F600}\u{e9} \n b",
            &"\u{1F600} a\n".repeat(100),
        ] {
            let characters: Vec<char> = text.chars().collect();
            let mut index = CharIndex::new(text);
            let length = characters.len();
            assert_eq!(index.len(), length);
            for start in 0..=length.min(140) {
                for end in 0..=length {
                    let stretch = characters.get(start..end);
                    let expected = stretch.map(|stretch| stretch.iter().collect::<String>());
                    let (from, to) = (start as u32, end as u32);
                    assert_eq!(index.between(from, to), expected.as_deref());
                    let blank = characters[start.min(end)..end]
                        .iter()
                        .all(|c| c.is_whitespace());
                    assert_eq!(index.is_blank(from, to), blank, "{start} {end}");
                }
            }
            assert_eq!(index.between(0, length as u32 + 1), None);
            assert!(!index.is_blank(0, u32::MAX));
        }
    }
}
