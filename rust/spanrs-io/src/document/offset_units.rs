//! Offsets that count code points, UTF-16 code units or bytes.
//!
//! Several formats do not say which unit their offsets count, and tools differ. The text that the
//! file quotes for each annotation decides.

use super::char_index::CharIndex;
use super::json::excerpt;

/// Maximum number of characters of a text that are quoted in messages.
const QUOTE: usize = 40;
/// Number of characters between two entries of the index.
const STEP: u32 = 64;

/// The unit of offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Code points.
    Characters,
    /// UTF-16 code units.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
}

impl Unit {
    /// All units, in the order in which they are tried.
    pub(super) const ALL: [Self; 3] = [Self::Characters, Self::Utf16, Self::Bytes];

    /// Returns the units that give different offsets for a text. The first explains the offsets if
    /// several do.
    pub(super) fn candidates(ascii: bool) -> &'static [Self] {
        match ascii {
            true => &Self::ALL[..1],
            false => &Self::ALL,
        }
    }

    /// Returns the length of a text.
    pub(super) fn length(self, text: &str) -> u64 {
        let length = match self {
            Self::Characters => text.chars().count(),
            Self::Utf16 => text.encode_utf16().count(),
            Self::Bytes => text.len(),
        };
        length as u64
    }

    /// Returns the length of a character.
    fn of(self, character: char) -> u32 {
        match self {
            Self::Characters => 1,
            Self::Utf16 => character.len_utf16() as u32,
            Self::Bytes => character.len_utf8() as u32,
        }
    }

    /// Returns the name of the unit in messages.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Characters => "code points",
            Self::Utf16 => "UTF-16 code units",
            Self::Bytes => "bytes of UTF-8",
        }
    }
}

/// A text whose offsets count a unit.
pub(super) struct Offsets<'a> {
    text: &'a str,
    index: CharIndex<'a>,
    unit: Unit,
    /// Offset and byte of every [`STEP`]th character; empty if offsets are code points.
    steps: Vec<(u32, usize)>,
}

impl<'a> Offsets<'a> {
    /// Indexes a text, in linear time.
    pub(super) fn new(text: &'a str, unit: Unit) -> Self {
        let unit = match text.is_ascii() {
            true => Unit::Characters,
            false => unit,
        };
        let mut steps = Vec::new();
        if unit != Unit::Characters {
            let mut offset = 0_u32;
            for (number, (byte, character)) in text.char_indices().enumerate() {
                if number.is_multiple_of(STEP as usize) {
                    steps.push((offset, byte));
                }
                offset = offset.saturating_add(unit.of(character));
            }
        }
        Self {
            text,
            index: CharIndex::new(text),
            unit,
            steps,
        }
    }

    /// Converts an offset to code points; None if it is within a character or beyond the text.
    pub(super) fn character(&self, offset: u32) -> Option<u32> {
        if self.unit == Unit::Characters {
            return (offset as usize <= self.index.len()).then_some(offset);
        }
        let step = self.steps.partition_point(|&(from, _)| from <= offset);
        let step = step.checked_sub(1)?;
        let &(mut at, byte) = self.steps.get(step)?;
        let mut number = step as u32 * STEP;
        let mut characters = self.text.get(byte..)?.chars();
        while at < offset {
            at = at.saturating_add(self.unit.of(characters.next()?));
            number += 1;
        }
        (at == offset).then_some(number)
    }

    /// Converts the pieces of an annotation to code points; None if one of them is not within the
    /// text.
    pub(super) fn pieces(&self, pieces: &[(u32, u32)]) -> Option<Vec<(u32, u32)>> {
        let convert = |&(start, end): &(u32, u32)| {
            let bounds = (self.character(start)?, self.character(end)?);
            (bounds.0 <= bounds.1).then_some(bounds)
        };
        pieces.iter().map(convert).collect()
    }

    /// Returns true if an annotation with these pieces, in code points, covers the quoted text.
    ///
    /// White space in the quoted text matches any white space, because line ends and tabs are often
    /// replaced. For an annotation of several pieces, the quoted text may consist of the pieces or
    /// of all characters from the first piece to the last, whatever the white space and the dots
    /// between.
    pub(super) fn covers(&self, pieces: &[(u32, u32)], quoted: &str) -> bool {
        let between = |&(start, end): &(u32, u32)| self.index.between(start, end);
        let [piece] = pieces else {
            let joined: Option<String> = pieces.iter().map(between).collect();
            let whole = pieces.first().zip(pieces.last());
            let whole = whole.and_then(|(first, last)| self.index.between(first.0, last.1));
            let plain = |text: &str| -> String {
                let kept = |c: &char| !c.is_whitespace() && !matches!(c, '.' | '\u{2026}');
                text.chars().filter(kept).collect()
            };
            let quoted = plain(quoted);
            return joined.is_some_and(|text| plain(&text) == quoted)
                || whole.is_some_and(|text| plain(text) == quoted);
        };
        between(piece).is_some_and(|covered| {
            covered == quoted
                || covered.chars().count() == quoted.chars().count()
                    && covered
                        .chars()
                        .zip(quoted.chars())
                        .all(|(a, b)| a == b || a.is_whitespace() && b.is_whitespace())
        })
    }

    /// Returns the text of pieces in code points, shortened for a message.
    pub(super) fn shown(&self, pieces: &[(u32, u32)]) -> String {
        let between = |&(start, end): &(u32, u32)| self.index.between(start, end);
        let texts: Vec<&str> = pieces.iter().filter_map(between).collect();
        excerpt(&texts.join(" "), QUOTE)
    }
}

/// Returns a quoted text, shortened for a message.
pub(super) fn quoted(text: &str) -> String {
    excerpt(text, QUOTE)
}

/// Counts the documents whose offsets are not code points.
#[derive(Default)]
pub(super) struct UnitCounts {
    /// Number of documents, and the first of them, for each unit.
    counts: [(u64, String); 3],
}

impl UnitCounts {
    /// Adds a document.
    pub(super) fn add(&mut self, unit: Unit, document: impl FnOnce() -> String) {
        let count = &mut self.counts[unit as usize];
        if count.0 == 0 && unit != Unit::Characters {
            count.1 = document();
        }
        count.0 += 1;
    }

    /// Appends a sentence for each unit other than code points.
    pub(super) fn notices(&self, notices: &mut Vec<String>) {
        for unit in [Unit::Utf16, Unit::Bytes] {
            let (number, first) = &self.counts[unit as usize];
            if *number > 0 {
                let documents = if *number == 1 {
                    "document"
                } else {
                    "documents"
                };
                notices.push(format!(
                    "offsets count {} in {number} {documents} (first: {first})",
                    unit.name()
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_any_unit_are_converted() {
        for text in [
            "",
            "abc",
            "\u{1F600}\u{e9} b",
            &"a\u{1F600}\u{e9}".repeat(90),
        ] {
            for unit in Unit::ALL {
                let offsets = Offsets::new(text, unit);
                let mut expected = vec![None; unit.length(text) as usize + 2];
                let mut at = 0;
                for (number, character) in text.chars().enumerate() {
                    expected[at as usize] = Some(number as u32);
                    at += unit.of(character);
                }
                expected[at as usize] = Some(text.chars().count() as u32);
                for (offset, expected) in expected.iter().enumerate() {
                    assert_eq!(
                        offsets.character(offset as u32),
                        *expected,
                        "{unit:?} {offset}"
                    );
                }
                assert_eq!(offsets.character(u32::MAX), None);
            }
        }
    }

    #[test]
    fn quoted_texts_may_differ_in_white_space() {
        let offsets = Offsets::new("North and\nSouth Korea", Unit::Characters);
        assert!(offsets.covers(&[(0, 15)], "North and South"));
        assert!(!offsets.covers(&[(0, 15)], "North andSouth"));
        for quoted in [
            "North Korea",
            "NorthKorea",
            "North...Korea",
            "North and South Korea",
        ] {
            assert!(offsets.covers(&[(0, 5), (16, 21)], quoted), "{quoted}");
        }
        assert!(!offsets.covers(&[(0, 5), (16, 21)], "South Korea"));
    }
}
