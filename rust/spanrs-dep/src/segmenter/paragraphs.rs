//! Division of text into paragraphs, the units that are segmented independently.

use super::characters::is_white;

/// Longest paragraph in bytes; longer ones are cut, so that memory stays bounded.
pub(super) const LONGEST: usize = 1 << 20;

/// Returns the length of the first part of a text that is longer than [`LONGEST`]: up to and
/// including the last white space of the first [`LONGEST`] bytes, or all of these.
fn cut(text: &str) -> usize {
    let end = (0..=LONGEST)
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or_default();
    let head = text.get(..end).unwrap_or_default();
    let white = head.char_indices().rev().find(|(_, c)| is_white(*c));
    white.map_or(end, |(at, c)| at + c.len_utf8())
}

/// Paragraphs of a text: parts between blank lines. A line is blank if it contains only white
/// space; lines end with LF or CR LF.
#[derive(Clone, Debug)]
pub(super) struct Paragraphs<'a> {
    /// Text that is not returned yet.
    rest: &'a str,
    /// Whether each line is a paragraph.
    by_line: bool,
}

impl<'a> Paragraphs<'a> {
    /// Returns the paragraphs of a text, or with `by_line` its lines.
    pub(super) fn new(text: &'a str, by_line: bool) -> Self {
        Self {
            rest: text,
            by_line,
        }
    }

    /// Returns the length of the next paragraph with the white space around it; more than
    /// [`LONGEST`] if it must be cut. Takes time proportional to the paragraph, not to the rest.
    fn next_len(&self) -> usize {
        let end = ceil_char_boundary(self.rest, LONGEST + 1);
        let text = self.rest.get(..end).unwrap_or_default();
        let (mut line, mut has_text) = (0, false);
        while let Some(len) = text.get(line..).and_then(|rest| rest.find('\n')) {
            let end = line + len + 1;
            let is_blank = is_blank(text.get(line..end));
            if !is_blank && !has_text && line > 0 {
                // Blank lines are a piece of their own, so that cuts of the paragraph do not depend on them.
                return line;
            }
            has_text |= !is_blank;
            if has_text && (is_blank || self.by_line) {
                return end;
            }
            line = end;
        }
        match !has_text && line > 0 {
            true => line,
            false => text.len(),
        }
    }
}

/// Returns true for a line of white space.
fn is_blank(line: Option<&str>) -> bool {
    line.is_none_or(|line| line.chars().all(is_white))
}

/// Returns the first character boundary from `at` on; the length of the text if it is shorter.
fn ceil_char_boundary(text: &str, at: usize) -> usize {
    (at..text.len())
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(text.len())
}

impl<'a> Iterator for Paragraphs<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let len = self.next_len();
        let len = if len > LONGEST { cut(self.rest) } else { len };
        let (paragraph, rest) = self.rest.split_at(len);
        self.rest = rest;
        Some(paragraph)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blank_lines_end_paragraphs() {
        let paragraphs = |text, by_line| {
            let all = Paragraphs::new(text, by_line).map(str::trim);
            all.filter(|text| !text.is_empty()).collect::<Vec<_>>()
        };
        let text = "\n \nOne\ntwo.\r\n\r\n\t\nThree.\n \n\n";
        assert_eq!(paragraphs(text, false), ["One\ntwo.", "Three."]);
        assert_eq!(paragraphs(text, true), ["One", "two.", "Three."]);
    }

    #[test]
    fn long_paragraphs_are_cut_at_white_space() {
        let text = "äb ".repeat(LONGEST / 2);
        let parts: Vec<&str> = Paragraphs::new(&text, false).collect();
        assert_eq!(parts.concat(), text);
        assert!(
            parts
                .iter()
                .all(|part| part.len() <= LONGEST && part.ends_with(' '))
        );
        let text = "ä".repeat(LONGEST);
        let parts: Vec<&str> = Paragraphs::new(&text, false).collect();
        assert_eq!(parts.concat(), text);
        assert_eq!(parts[0].len(), LONGEST);
    }

    proptest! {
        #[test]
        fn texts_can_be_divided_after_blank_lines(text in "[ab \n\r]{0,40}", more in "[ab \n\r]{0,20}", blank in "[ \n]{0,9}\n") {
            let paragraphs = |text: &str| {
                let all = Paragraphs::new(text, false).map(|text| text.trim().to_owned());
                all.filter(|text| !text.is_empty()).collect::<Vec<_>>()
            };
            let first = text + "\n" + &blank;
            let mut parts = paragraphs(&first);
            parts.extend(paragraphs(&more));
            prop_assert_eq!(parts, paragraphs(&(first.clone() + &more)));
        }
    }

    #[test]
    fn cuts_of_long_paragraphs_do_not_depend_on_blank_lines_before() {
        let long = "äb cd\n".repeat(LONGEST / 3);
        let lengths = |text: &str| {
            let parts = Paragraphs::new(text, false).map(|part| part.trim().len());
            parts.filter(|len| *len > 0).collect::<Vec<_>>()
        };
        let alone = lengths(&long);
        assert!(alone.len() > 1);
        for blank in ["\n", "\n\n \n", "\n\n\n\n\n\n\n\n\n"] {
            let both = lengths(&(long.clone() + blank + &long));
            assert_eq!(both, [&alone[..], &alone[..]].concat());
        }
    }
}
