//! Where characters of a text are in its bytes.

/// Characters between two notes of where they are.
const STEP: usize = 64;

/// A text of which stretches are looked up by characters.
pub(super) struct Places<'a> {
    text: &'a str,
    characters: usize,
    /// Where the first character of every such step is; nothing for ASCII, where characters are bytes.
    notes: Vec<usize>,
    /// Runs of white space, as bytes; made when they are asked for.
    blanks: Option<Vec<(usize, usize)>>,
}

impl<'a> Places<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut places = Self {
            text,
            characters: text.len(),
            notes: Vec::new(),
            blanks: None,
        };
        if !text.is_ascii() {
            places.characters = 0;
            for (byte, _) in text.char_indices() {
                if places.characters.is_multiple_of(STEP) {
                    places.notes.push(byte);
                }
                places.characters += 1;
            }
        }
        places
    }

    /// The length of the text.
    pub(super) fn characters(&self) -> usize {
        self.characters
    }

    /// Where a character begins; None beyond the end of the text.
    fn byte(&self, character: u32) -> Option<usize> {
        let character = character as usize;
        if character >= self.characters {
            return (character == self.characters).then_some(self.text.len());
        }
        let Some(&note) = self.notes.get(character / STEP) else {
            return Some(character);
        };
        let further = self.text[note..].char_indices().nth(character % STEP);
        further.map(|(byte, _)| note + byte)
    }

    /// The text between two characters; None where they are not in it, or not in this order.
    pub(super) fn between(&self, start: u32, end: u32) -> Option<&'a str> {
        self.text.get(self.byte(start)?..self.byte(end)?)
    }

    /// True where there is nothing but white space between two characters.
    pub(super) fn is_blank(&mut self, start: u32, end: u32) -> bool {
        let (Some(start), Some(end)) = (self.byte(start), self.byte(end)) else {
            return false;
        };
        // Looking at the characters would look at the same ones again for every annotation.
        let blanks = self.blanks.get_or_insert_with(|| blanks(self.text));
        let next = blanks.partition_point(|&(_, to)| to < end);
        start >= end || blanks.get(next).is_some_and(|&(from, _)| from <= start)
    }
}

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
    fn characters_are_found_in_any_text() {
        for text in [
            "",
            "a b",
            "\u{1F600}\u{e9} \n b",
            &"\u{1F600} a\n".repeat(100),
        ] {
            let characters: Vec<char> = text.chars().collect();
            let mut places = Places::new(text);
            let length = characters.len();
            assert_eq!(places.characters(), length);
            for start in 0..=length.min(140) {
                for end in 0..=length {
                    let stretch = characters.get(start..end);
                    let expected = stretch.map(|stretch| stretch.iter().collect::<String>());
                    let (from, to) = (start as u32, end as u32);
                    assert_eq!(places.between(from, to), expected.as_deref());
                    let blank = characters[start.min(end)..end]
                        .iter()
                        .all(|c| c.is_whitespace());
                    assert_eq!(places.is_blank(from, to), blank, "{start} {end}");
                }
            }
            assert_eq!(places.between(0, length as u32 + 1), None);
            assert!(!places.is_blank(0, u32::MAX));
        }
    }
}
