//! Reader of sentences from a text in memory.

use spanrs_base::Position;

use super::format::SyntaxFormat;
use super::sentence::{Multiword, SyntaxSentence, SyntaxWord};
use crate::error::{Code, Error, Result};

/// An unspecified field.
const NONE: &str = "_";
/// Line end for sentences from formats other than CoNLL-U.
const LF: &str = "\n";

/// Reads sentences from a text that ends at the end of a sentence.
///
/// The words of a sentence borrow from the text; only the vectors of the sentence are filled, and
/// these are reused.
///
/// ```
/// use spanrs_io::{SyntaxFormat, SyntaxReader, SyntaxSentence};
/// let text = b"They PRP 2 nsubj\nate VBD 0 root\n\n";
/// let mut reader = SyntaxReader::new(text, SyntaxFormat::FourColumns, "example", 0).unwrap();
/// let mut sentence = SyntaxSentence::default();
/// assert!(reader.read(&mut sentence).unwrap());
/// assert_eq!(SyntaxReader::heads("example", &sentence).unwrap(), [2, 0]);
/// assert!(!reader.read(&mut sentence).unwrap());
/// ```
#[derive(Clone, Debug)]
pub struct SyntaxReader<'a> {
    /// Text that has not been read yet.
    rest: &'a str,
    /// The format of the text.
    format: SyntaxFormat,
    /// Name in messages.
    path: &'a str,
    /// Number of lines of the file read so far, including the lines before the text.
    line: u64,
}

impl<'a> SyntaxReader<'a> {
    /// Creates a reader of `text`, which follows `lines_before` lines of the file. A byte order
    /// mark at the beginning of the file is skipped.
    ///
    /// # Errors
    /// [`Code::Encoding`] with the line number if the text is not UTF-8.
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

    /// Returns the error [`Code::WrongFormat`] at the last line read.
    fn wrong<T>(&self, message: impl Into<String>) -> Result<T> {
        let position = Position::line(self.path, self.line);
        Err(Error::new(Code::WrongFormat, position, message))
    }

    /// Returns the next line without and with its line end; None at the end of the text.
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

    /// Reads the next sentence into `sentence`, whose previous content is cleared. Returns false at
    /// the end of the text; `sentence` then contains only the preceding blank lines.
    ///
    /// In formats with one sentence per line, every line is a sentence, so sentences may be empty.
    /// In the other formats, blank lines before a sentence are skipped, and a sentence may consist
    /// only of comments, without words. The last sentence need not be followed by a blank line.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] with the line number for lines that violate the format: a wrong number
    /// of columns, ids out of order, a multiword token that extends beyond the sentence, an empty
    /// form, or in word/TAG a token without a slash; and for raw text, which has no sentences.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::{SyntaxFormat, SyntaxReader, SyntaxSentence};
    /// // The text begins after line 41 of the file.
    /// let text = b"They/PRP ate\n";
    /// let mut reader = SyntaxReader::new(text, SyntaxFormat::WordTag, "a.txt", 41).unwrap();
    /// let error = reader.read(&mut SyntaxSentence::default()).unwrap_err();
    /// assert_eq!(error.to_string(), "a.txt:42: \"ate\" is not word/TAG");
    /// ```
    pub fn read(&mut self, sentence: &mut SyntaxSentence<'a>) -> Result<bool> {
        sentence.words.clear();
        sentence.multiwords.clear();
        sentence.after = "";
        sentence.blank_before = "";
        // Sentences from formats other than CoNLL-U are written with LF.
        sentence.end = LF;
        match self.format {
            SyntaxFormat::Conllu | SyntaxFormat::FourColumns => self.read_lines(sentence),
            SyntaxFormat::WordTag | SyntaxFormat::Tokens => self.read_line(sentence),
            SyntaxFormat::Raw => {
                self.next_line();
                self.wrong("raw text has no sentences yet; a model with a segmenter reads it")
            }
        }
    }

    /// Reads a sentence of several lines that ends with a blank line or at the end of the text.
    ///
    /// ```text
    /// # text = don't go     \ before word 1
    /// 1-2   don't           /
    /// 1     do
    /// 2     n't
    /// 2.1   (empty node)      before word 3
    /// 3     go
    /// # end                   after the last word
    /// ```
    ///
    /// The text between two words is kept as one slice, whose length is computed from the length of
    /// the unread text.
    fn read_lines(&mut self, sentence: &mut SyntaxSentence<'a>) -> Result<bool> {
        let all = self.rest;
        let is_conllu = self.format == SyntaxFormat::Conllu;
        // Text since the last word.
        let mut between = self.rest;
        sentence.line = self.line + 1;
        while let Some((line, whole)) = self.next_line() {
            if line.trim_ascii().is_empty() {
                if between.len() == self.rest.len() + whole.len() && sentence.words.is_empty() {
                    // Another blank line before the sentence.
                    between = self.rest;
                    sentence.line = self.line + 1;
                    if is_conllu {
                        sentence.blank_before = &all[..all.len() - between.len()];
                    }
                    continue;
                }
                if is_conllu {
                    sentence.end = whole;
                }
                sentence.after = &between[..between.len() - self.rest.len() - whole.len()];
                self.check_end(sentence)?;
                return Ok(true);
            }
            // In formats without comments, words may be "#"; CoNLL-U lines begin with a number.
            if is_conllu && line.starts_with('#') {
                continue;
            }
            let fields = match is_conllu {
                true => self.ten_columns(line, sentence)?,
                false => Some(self.four_columns(line)?),
            };
            if let Some(fields) = fields {
                let before = &between[..between.len() - self.rest.len() - whole.len()];
                sentence.words.push(SyntaxWord {
                    line: self.line,
                    fields,
                    before,
                    line_end: if is_conllu { &whole[line.len()..] } else { LF },
                });
                between = self.rest;
            }
        }
        sentence.after = between;
        if is_conllu {
            sentence.end = "";
        }
        self.check_end(sentence)?;
        Ok(!sentence.words.is_empty() || !between.is_empty())
    }

    /// Checks that the last multiword token ends within the sentence.
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

    /// Returns the ten fields of a line with four columns: form, XPOS, head and label; all other
    /// fields are `_`.
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

    /// Returns the fields of a word; None for a multiword token, which is added to the sentence,
    /// and for an empty node, which is only checked.
    ///
    /// Nearly all lines are words with the next id, so this case is tested first. All fields except
    /// the form may be empty; fields are not interpreted here.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] for a wrong number of columns, an empty form, and the errors of
    /// [`SyntaxReader::other_id`].
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
        // Rust's `parse` also accepts a sign.
        if fields[0].parse() == Ok(expected) && !fields[0].starts_with('+') {
            if fields[1].is_empty() {
                return self.wrong("the form is empty; write _ for an unknown form");
            }
            return Ok(Some(fields));
        }
        self.other_id(fields[0], fields[1], expected, sentence)?;
        Ok(None)
    }

    /// Handles a line whose id is not `expected`, the id of the next word: adds a multiword token,
    /// or checks the order of an empty node.
    ///
    /// A multiword token precedes its first word, covers at least two words, and does not overlap
    /// the previous multiword token. The empty node `3.1` follows word 3 (`0.1` precedes the first
    /// word). If the next word is 3:
    ///
    /// | id | outcome |
    /// |---|---|
    /// | `3-4` | a multiword token of the words 3 and 4 |
    /// | `2.1` | an empty node |
    /// | `3-3`, `2-3`, `4-5` | rejected |
    /// | `1.1`, `3.1` | rejected |
    /// | `2`, `4`, `x` | rejected |
    ///
    /// # Errors
    /// [`Code::WrongFormat`] for all rejected ids, and for a multiword token without a form.
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
            if end <= start {
                return self.wrong(format!(
                    "the multiword token {id} covers fewer than two words"
                ));
            }
            if start != expected || open >= start {
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
            None => self.wrong(format!("{id:?} is not an id; expected {expected}")),
        }
    }

    /// Reads a sentence on a single line; the tag is XPOS.
    fn read_line(&mut self, sentence: &mut SyntaxSentence<'a>) -> Result<bool> {
        let Some((line, _)) = self.next_line() else {
            return Ok(false);
        };
        sentence.line = self.line;
        for token in line.split_whitespace() {
            let (form, tag) = match self.format {
                SyntaxFormat::WordTag => match token.rsplit_once('/') {
                    Some((form, tag)) if !form.is_empty() && !tag.is_empty() => (form, tag),
                    _ => return self.wrong(format!("{token:?} is not word/TAG")),
                },
                _ => (token, NONE),
            };
            sentence.words.push(SyntaxWord {
                line: self.line,
                fields: [NONE, form, NONE, NONE, tag, NONE, NONE, NONE, NONE, NONE],
                before: "",
                line_end: LF,
            });
        }
        Ok(true)
    }

    /// Returns the heads of a sentence as numbers: word numbers from 1, and 0 for the root. Does
    /// not check whether the heads are words of the sentence and form a tree.
    ///
    /// # Errors
    /// [`Code::WrongFormat`] with the line of the first head that is not a number.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::{SyntaxFormat, SyntaxReader, SyntaxSentence};
    /// let mut reader = SyntaxReader::new(b"They ate\n", SyntaxFormat::Tokens, "example", 0).unwrap();
    /// let mut sentence = SyntaxSentence::default();
    /// reader.read(&mut sentence).unwrap();
    /// let error = SyntaxReader::heads("example", &sentence).unwrap_err();
    /// assert_eq!(error.to_string(), "example:1: the word has no head (_)");
    /// ```
    pub fn heads(path: &str, sentence: &SyntaxSentence<'_>) -> Result<Vec<u32>> {
        let words = sentence.words.len();
        let head = |word: &SyntaxWord| {
            let given = word.head();
            let number = given
                .parse::<u32>()
                .ok()
                .filter(|_| !given.starts_with('+'));
            number.ok_or_else(|| {
                let message = match given {
                    "_" => "the word has no head (_)".to_owned(),
                    _ => format!("the head {given:?} is not a number from 0 to {words}"),
                };
                Error::new(Code::WrongFormat, Position::line(path, word.line), message)
            })
        };
        sentence.words.iter().map(head).collect()
    }
}
