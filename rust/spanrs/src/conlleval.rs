//! The text that conlleval reads: lines of columns, gold and pred in the last two.
//!
//! Bytes come in pieces of any size, as a program finds them on its standard input. They are not checked
//! as those of other files are: the original takes any byte, and its output is to be the same.

use memchr::{memchr, memmem};
use regex::bytes::{Regex, RegexBuilder};
use spanrs_base::Limits;
use spanrs_eval::{Conlleval, Rules, Setting};

/// How a line is cut into columns.
#[derive(Clone, Debug)]
pub enum Cut {
    /// At each occurrence of a byte; empty columns at the end do not count, as in perl.
    Byte(u8),
    /// At each match of a pattern, by the rules of perl's `split`.
    Pattern(Regex),
    /// At runs of what Python takes for white space.
    Blanks,
    /// At each occurrence of a string, as in Python.
    Text(Vec<u8>),
}

impl Cut {
    /// What perl makes of a delimiter: a pattern, where most characters mean themselves.
    ///
    /// # Errors
    /// Where it is no pattern.
    pub fn perl(delimiter: &[u8]) -> Result<Self, Error> {
        if let &[byte] = delimiter
            && !br".*+?()[\^$|".contains(&byte)
        {
            return Ok(Self::Byte(byte));
        }
        let meta = delimiter
            .iter()
            .any(|byte| br".*+?()[]{}\^$|".contains(byte));
        let pattern = match std::str::from_utf8(delimiter) {
            Ok(text) if meta => text.to_owned(),
            // Bytes that mean themselves.
            _ => delimiter
                .iter()
                .map(|byte| format!(r"\x{byte:02X}"))
                .collect(),
        };
        let made = RegexBuilder::new(&pattern).unicode(false).build();
        made.map(Self::Pattern).map_err(|_| Error::Pattern {
            pattern: String::from_utf8_lossy(delimiter).into_owned(),
        })
    }

    /// The places of the columns of a line.
    fn columns(&self, line: &[u8], into: &mut Columns) {
        into.clear();
        match self {
            Self::Byte(byte) => {
                let filled = line.iter().rposition(|b| b != byte).map_or(0, |at| at + 1);
                if filled > 0 {
                    into.between(
                        line[..filled]
                            .iter()
                            .enumerate()
                            .filter_map(|(at, b)| (b == byte).then_some((at, at + 1))),
                        filled,
                    );
                }
            }
            Self::Pattern(pattern) => into.perl(line, pattern),
            Self::Blanks => into.python(line),
            Self::Text(text) => {
                let found = memmem::find_iter(line, text);
                into.between(found.map(|at| (at, at + text.len())), line.len());
            }
        }
    }
}

/// Columns of one line: how many, and where the first and the last two are.
#[derive(Clone, Debug, Default)]
struct Columns {
    count: usize,
    first: (usize, usize),
    pred: (usize, usize),
    gold: (usize, usize),
}

impl Columns {
    fn clear(&mut self) {
        *self = Self::default();
    }

    #[inline(always)]
    fn push(&mut self, from: usize, to: usize) {
        if self.count == 0 {
            self.first = (from, to);
        }
        self.count += 1;
        self.gold = self.pred;
        self.pred = (from, to);
    }

    /// Columns between delimiters; there is always one.
    #[inline(always)]
    fn between(&mut self, delimiters: impl Iterator<Item = (usize, usize)>, end: usize) {
        let mut from = 0;
        for (at, after) in delimiters {
            self.push(from, at);
            from = after;
        }
        self.push(from, end);
    }

    /// What `split` of perl gives: a match is never empty where it begins at a column's begin, groups are
    /// columns too, and empty columns at the end fall away.
    fn perl(&mut self, line: &[u8], pattern: &Regex) {
        let mut all = Vec::new();
        let (mut from, mut look) = (0, 0);
        let mut groups = pattern.capture_locations();
        while look <= line.len() && from < line.len() {
            let Some(found) = pattern.captures_read_at(&mut groups, line, look) else {
                break;
            };
            if found.end() == from {
                look = from + 1;
                continue;
            }
            if found.start() >= line.len() {
                break;
            }
            all.push((from, found.start()));
            all.extend((1..groups.len()).map(|group| groups.get(group).unwrap_or((0, 0))));
            (from, look) = (found.end(), found.end());
        }
        if from < line.len() || all.is_empty() {
            all.push((from, line.len()));
        }
        let filled = all.iter().rposition(|(from, to)| from < to);
        for (from, to) in &all[..filled.map_or(0, |at| at + 1)] {
            self.push(*from, *to);
        }
    }

    /// What `str.split` of Python gives.
    fn python(&mut self, line: &[u8]) {
        let (mut at, mut from) = (0, 0);
        while at < line.len() {
            let blank = blank(&line[at..]);
            if blank == 0 {
                at += 1;
                continue;
            }
            if from < at {
                self.push(from, at);
            }
            at += blank;
            from = at;
        }
        if from < at {
            self.push(from, at);
        }
    }
}

/// Bytes of the white space, as Python understands it, that UTF-8 text begins with; 0 for none.
#[inline(always)]
fn blank(text: &[u8]) -> usize {
    match text {
        [0x09..=0x0D | 0x1C..=0x20, ..] => 1,
        [0..=0xC1, ..] => 0,
        [0xC2, 0x85 | 0xA0, ..] => 2,
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// What is wrong with a text for conlleval.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Another number of columns than the first line.
    #[error("unexpected number of features: {found} ({expected})")]
    Columns {
        /// On this line.
        found: usize,
        /// On the first.
        expected: usize,
    },
    /// Fewer columns than gold and pred need.
    #[error("unexpected number of features in line {}", String::from_utf8_lossy(.line))]
    Few {
        /// The line.
        line: Vec<u8>,
    },
    /// A tag without type, where there must be one.
    #[error("a tag without a type")]
    NoType,
    /// A delimiter that cannot be a pattern.
    #[error("{pattern:?} is no pattern")]
    Pattern {
        /// As given.
        pattern: String,
    },
    /// A line longer than the limit.
    #[error("line {line} is longer than {limit} bytes")]
    Long {
        /// Which, from 1.
        line: u64,
        /// The limit.
        limit: usize,
    },
}

/// What of a line is read how.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How lines are cut.
    pub cut: Cut,
    /// The first column of lines that part sentences, beside empty lines.
    pub boundary: Vec<u8>,
    /// Carriage returns and line ends at the end are no part of a line.
    pub trim: bool,
}

/// Reads the text that conlleval reads, and counts.
#[derive(Clone, Debug)]
pub struct ConllevalText {
    layout: Layout,
    rules: Rules,
    counts: Conlleval,
    /// Columns of the first line that has some.
    expected: Option<usize>,
    /// A line whose end is still to come.
    open: Vec<u8>,
    lines: u64,
    limits: Limits,
}

impl ConllevalText {
    /// Nothing read yet.
    pub fn new(layout: Layout, setting: Setting, limits: Limits) -> Self {
        Self {
            layout,
            rules: setting.rules,
            counts: Conlleval::new(setting),
            expected: None,
            open: Vec::new(),
            lines: 0,
            limits,
        }
    }

    /// What was counted.
    pub fn counts(&self) -> &Conlleval {
        &self.counts
    }

    /// Reads a piece of the text, which may end anywhere.
    ///
    /// # Errors
    /// As [`ConllevalText::line`], and [`Error::Long`].
    pub fn feed(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        if !self.open.is_empty() {
            let Some(end) = memchr(b'\n', bytes) else {
                self.open.extend_from_slice(bytes);
                return self.check(self.open.len());
            };
            self.open.extend_from_slice(&bytes[..end]);
            bytes = &bytes[end + 1..];
            self.end()?;
        }
        while let Some(end) = memchr(b'\n', bytes) {
            self.line(&bytes[..end])?;
            bytes = &bytes[end + 1..];
        }
        self.open.extend_from_slice(bytes);
        self.check(self.open.len())
    }

    /// Ends the text: what came after the last line end is a line.
    ///
    /// # Errors
    /// As [`ConllevalText::line`].
    pub fn end(&mut self) -> Result<(), Error> {
        if self.open.is_empty() {
            return Ok(());
        }
        let line = std::mem::take(&mut self.open);
        let result = self.line(&line);
        self.open = line;
        self.open.clear();
        result
    }

    fn check(&self, bytes: usize) -> Result<(), Error> {
        let limit = self.limits.line_bytes;
        if bytes > limit {
            let line = self.lines + 1;
            return Err(Error::Long { line, limit });
        }
        Ok(())
    }

    /// Reads a line, without the line end that parts it from the next.
    ///
    /// # Errors
    /// [`Error::Columns`] and [`Error::Few`] where it has too many columns or too few, [`Error::NoType`].
    pub fn line(&mut self, mut line: &[u8]) -> Result<(), Error> {
        self.check(line.len())?;
        self.lines += 1;
        if self.layout.trim {
            let kept = line.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
            line = &line[..kept.map_or(0, |at| at + 1)];
        }
        let mut columns = Columns::default();
        self.layout.cut.columns(line, &mut columns);
        if self.rules == Rules::Sequences {
            return self.sequences(line, &columns);
        }
        match self.expected {
            // The script counts one less, and takes no column for "not known yet".
            None if columns.count > 0 => self.expected = Some(columns.count),
            None => {
                if self.rules == Rules::Python {
                    self.expected = Some(0);
                }
            }
            Some(expected) if expected != columns.count && columns.count > 0 => {
                let found = columns.count;
                return Err(Error::Columns { found, expected });
            }
            Some(_) => {}
        }
        if columns.count == 0 || line[columns.first.0..columns.first.1] == *self.layout.boundary {
            self.counts.boundary();
            return Ok(());
        }
        let needed = if self.rules == Rules::Perl { 2 } else { 3 };
        if columns.count < needed {
            return Err(Error::Few {
                line: line.to_owned(),
            });
        }
        self.token(line, &columns)
    }

    /// As the port that keeps no borders: an empty line is a token outside.
    fn sequences(&mut self, line: &[u8], columns: &Columns) -> Result<(), Error> {
        match columns.count {
            0 => self.counts.token(b"O", b"O").map_err(|_| Error::NoType),
            1 | 2 => Err(Error::Few {
                line: line.to_owned(),
            }),
            _ => self.token(line, columns),
        }
    }

    #[inline]
    fn token(&mut self, line: &[u8], columns: &Columns) -> Result<(), Error> {
        let gold = &line[columns.gold.0..columns.gold.1];
        let pred = &line[columns.pred.0..columns.pred.1];
        self.tags(gold, pred)
    }

    /// Reads the two tags of a token.
    ///
    /// # Errors
    /// [`Error::NoType`].
    #[inline]
    pub fn tags(&mut self, gold: &[u8], pred: &[u8]) -> Result<(), Error> {
        self.counts.token(gold, pred).map_err(|_| Error::NoType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(cut: &Cut, line: &str) -> (usize, String, String) {
        let mut columns = Columns::default();
        cut.columns(line.as_bytes(), &mut columns);
        let at = |(from, to)| line[from..to].to_owned();
        (columns.count, at(columns.gold), at(columns.pred))
    }

    fn found(delimiter: &str, line: &str) -> (usize, String, String) {
        cut(&Cut::perl(delimiter.as_bytes()).unwrap(), line)
    }

    #[test]
    fn perl_cuts_as_perl_does() {
        let row = |n, gold: &str, pred: &str| (n, gold.to_owned(), pred.to_owned());
        assert_eq!(found(" ", "a b  c "), row(4, "", "c"));
        assert_eq!(found(" ", "   "), row(0, "", ""));
        assert_eq!(found("", "abc"), row(3, "b", "c"));
        assert_eq!(found("|", "a|c"), row(3, "|", "c"));
        assert_eq!(found(".", "abc"), row(0, "", ""));
        assert_eq!(found("$", "a$b"), row(1, "", "a$b"));
        assert_eq!(found("(,)", "a,b"), row(3, ",", "b"));
        assert_eq!(found(r"\s+", "a \t b\t"), row(2, "a", "b"));
        assert!(Cut::perl(b"*").is_err());
    }

    #[test]
    fn python_cuts_at_its_white_space() {
        let row = (2, "a".to_owned(), "b".to_owned());
        assert_eq!(cut(&Cut::Blanks, " a\u{3000}\u{85}\x1Cb\u{2028}"), row);
    }

    #[test]
    fn pieces_of_any_size_are_the_same_text() {
        let text = b"a B-X B-X\n\nb O I-Y\nc I-X I-Y";
        for size in 1..text.len() {
            let layout = Layout {
                cut: Cut::Byte(b' '),
                boundary: b"-X-".to_vec(),
                trim: false,
            };
            let setting = Setting {
                rules: Rules::Perl,
                outside: b"O".to_vec(),
                raw: false,
            };
            let mut read = ConllevalText::new(layout, setting, Limits::default());
            for piece in text.chunks(size) {
                read.feed(piece).unwrap();
            }
            read.end().unwrap();
            assert_eq!(read.counts().tokens(), 3);
            assert_eq!(read.counts().types()[1].1.both, 1);
        }
    }
}
