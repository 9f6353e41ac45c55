use spanrs_base::Position;

use super::format::SyntaxFormat;
use super::sentence::{Multiword, SyntaxSentence, SyntaxWord};
use crate::error::{Code, Error, Result};

const NONE: &str = "_";

/// Reads sentences from a text that ends at the end of a sentence.
#[derive(Clone, Debug)]
pub struct SyntaxReader<'a> {
    rest: &'a str,
    format: SyntaxFormat,
    path: &'a str,
    /// Lines read so far.
    line: u64,
}

impl<'a> SyntaxReader<'a> {
    /// Reads a text; `lines_before` is how many lines of the file come before it.
    ///
    /// # Errors
    /// [`Code::Encoding`] where the text is not UTF-8.
    pub fn new(
        text: &'a [u8],
        format: SyntaxFormat,
        path: &'a str,
        lines_before: u64,
    ) -> Result<Self> {
        let rest = std::str::from_utf8(text).map_err(|error| {
            let before = &text[..error.valid_up_to()];
            let line = lines_before + memchr::memchr_iter(b'\n', before).count() as u64 + 1;
            let message = "bytes that are not UTF-8; convert the file";
            Error::new(Code::Encoding, Position::line(path, line), message)
        })?;
        let rest = match lines_before {
            0 => rest.strip_prefix('\u{feff}').unwrap_or(rest),
            _ => rest,
        };
        Ok(Self {
            rest,
            format,
            path,
            line: lines_before,
        })
    }

    fn wrong<T>(&self, message: impl Into<String>) -> Result<T> {
        let position = Position::line(self.path, self.line);
        Err(Error::new(Code::WrongFormat, position, message))
    }

    /// The next line without its end, and the line with it; None at the end of the text.
    #[inline]
    fn next_line(&mut self) -> Option<(&'a str, &'a str)> {
        if self.rest.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.rest.as_bytes()).map_or(self.rest.len(), |at| at + 1);
        let (whole, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.line += 1;
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        Some((line.strip_suffix('\r').unwrap_or(line), whole))
    }

    /// Reads the next sentence; false at the end of the text. Sentences on lines of their own may be empty.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] for lines that are not in the format, ids out of order included.
    pub fn read(&mut self, sentence: &mut SyntaxSentence<'a>) -> Result<bool> {
        sentence.words.clear();
        sentence.multiwords.clear();
        sentence.after = "";
        match self.format {
            SyntaxFormat::Conllu | SyntaxFormat::FourColumns => self.read_lines(sentence),
            SyntaxFormat::WordTag | SyntaxFormat::Tokens => self.read_line(sentence),
        }
    }

    /// A sentence on lines that end with an empty one.
    fn read_lines(&mut self, sentence: &mut SyntaxSentence<'a>) -> Result<bool> {
        // Text since the last word.
        let mut between = self.rest;
        sentence.line = self.line + 1;
        while let Some((line, whole)) = self.next_line() {
            if line.trim_ascii().is_empty() {
                if between.len() == self.rest.len() + whole.len() && sentence.words.is_empty() {
                    // Another empty line before the sentence.
                    between = self.rest;
                    sentence.line = self.line + 1;
                    continue;
                }
                sentence.after = &between[..between.len() - self.rest.len() - whole.len()];
                self.check_end(sentence)?;
                return Ok(true);
            }
            let is_comment = line.starts_with('#');
            let four = self.format == SyntaxFormat::FourColumns;
            // Words may be "#" where there are no comments; in CoNLL-U lines begin with a number.
            if !four && is_comment {
                continue;
            }
            let fields = match four {
                true => Some(self.four_columns(line)?),
                false => self.ten_columns(line, sentence)?,
            };
            if let Some(fields) = fields {
                let before = &between[..between.len() - self.rest.len() - whole.len()];
                sentence.words.push(SyntaxWord {
                    line: self.line,
                    fields,
                    before,
                });
                between = self.rest;
            }
        }
        sentence.after = between;
        self.check_end(sentence)?;
        Ok(!sentence.words.is_empty() || !between.is_empty())
    }

    /// Multiword tokens must end within the sentence.
    fn check_end(&self, sentence: &SyntaxSentence<'a>) -> Result<()> {
        match sentence.multiwords.last() {
            Some(last) if last.end > sentence.words.len() => self.wrong(format!(
                "the multiword token {}-{} ends after the last word, {}",
                last.start + 1,
                last.end,
                sentence.words.len()
            )),
            _ => Ok(()),
        }
    }

    fn four_columns(&self, line: &'a str) -> Result<[&'a str; 10]> {
        let mut columns = line.split_whitespace();
        let mut next = || columns.next();
        match (next(), next(), next(), next(), next()) {
            (Some(form), Some(tag), Some(head), Some(label), None) => {
                Ok([NONE, form, NONE, NONE, tag, NONE, head, label, NONE, NONE])
            }
            _ => self.wrong(format!(
                "{} columns; expected form, tag, head and label",
                line.split_whitespace().count()
            )),
        }
    }

    /// The fields of a word; None for a multiword token or an empty node.
    #[inline]
    fn ten_columns(
        &self,
        line: &'a str,
        sentence: &mut SyntaxSentence<'a>,
    ) -> Result<Option<[&'a str; 10]>> {
        let mut fields = [""; 10];
        let (mut found, mut start) = (0, 0);
        for end in memchr::memchr_iter(b'\t', line.as_bytes()).chain([line.len()]) {
            if let Some(field) = fields.get_mut(found) {
                *field = &line[start..end];
            }
            found += 1;
            start = end + 1;
        }
        if found != 10 {
            return self.wrong(format!(
                "{found} columns; CoNLL-U and CoNLL-X have 10, separated by tabs"
            ));
        }
        let expected = sentence.words.len() + 1;
        if fields[0].parse() == Ok(expected) {
            if fields[1].is_empty() {
                return self.wrong("the form is empty; write _ for an unknown form");
            }
            return Ok(Some(fields));
        }
        self.other_id(fields[0], fields[1], expected, sentence)?;
        Ok(None)
    }

    /// A multiword token or an empty node.
    fn other_id(
        &self,
        id: &str,
        form: &'a str,
        expected: usize,
        sentence: &mut SyntaxSentence<'a>,
    ) -> Result<()> {
        let number = |text: &str| match text.bytes().all(|b| b.is_ascii_digit()) {
            true => text.parse::<usize>().ok(),
            false => None,
        };
        if let Some((start, end)) = id.split_once('-')
            && let (Some(start), Some(end)) = (number(start), number(end))
        {
            let open = sentence.multiwords.last().map_or(0, |last| last.end);
            if start != expected || end <= start || open >= start {
                return self.wrong(format!(
                    "the multiword token {id} is out of order; the next word is {expected}"
                ));
            }
            if form.chars().all(char::is_whitespace) {
                return self.wrong(format!("the multiword token {id} has no form"));
            }
            sentence.multiwords.push(Multiword {
                start: start - 1,
                end,
                form,
            });
            return Ok(());
        }
        if let Some((after, part)) = id.split_once('.')
            && let (Some(after), Some(_)) = (number(after), number(part))
        {
            return match after.checked_add(1) == Some(expected) {
                true => Ok(()),
                false => self.wrong(format!(
                    "the empty node {id} is out of order; the next word is {expected}"
                )),
            };
        }
        match number(id) {
            Some(_) => self.wrong(format!(
                "word {id} is out of order; expected {expected} (sentences are separated by empty lines)"
            )),
            None => self.wrong(format!("{id:?} is no id; expected {expected}")),
        }
    }

    /// A sentence on one line.
    fn read_line(&mut self, sentence: &mut SyntaxSentence<'a>) -> Result<bool> {
        let Some((line, _)) = self.next_line() else {
            return Ok(false);
        };
        sentence.line = self.line;
        for token in line.split_whitespace() {
            let (form, tag) = match self.format {
                SyntaxFormat::WordTag => match token.rsplit_once('/') {
                    Some((form, tag)) if !form.is_empty() && !tag.is_empty() => (form, tag),
                    _ => return self.wrong(format!("{token:?} is no word/TAG")),
                },
                _ => (token, NONE),
            };
            sentence.words.push(SyntaxWord {
                line: self.line,
                fields: [NONE, form, NONE, NONE, tag, NONE, NONE, NONE, NONE, NONE],
                before: "",
            });
        }
        Ok(true)
    }

    /// The heads of a sentence.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] with the line of a head that is no number.
    pub fn heads(path: &str, sentence: &SyntaxSentence<'_>) -> Result<Vec<u32>> {
        let words = sentence.words.len();
        let head = |word: &SyntaxWord| {
            word.head().parse::<u32>().map_err(|_| {
                let given = word.head();
                let message = match given {
                    "_" => "the word has no head (_)".to_owned(),
                    _ => format!("the head {given:?} is no number from 0 to {words}"),
                };
                Error::new(Code::WrongFormat, Position::line(path, word.line), message)
            })
        };
        sentence.words.iter().map(head).collect()
    }
}
