//! The input of conlleval: lines of columns, with gold and pred in the last two.
//!
//! The text is passed in pieces of any size, as read from standard input. Unlike other column files, the text is not
//! checked for UTF-8 or NUL, because conlleval.pl accepts any byte.
//!
//! | line (conlleval.pl, delimiter space) | meaning |
//! |---|---|
//! | `Ada B-PER B-PER` | token with gold `B-PER` and pred `B-PER` |
//! | empty | sentence boundary |
//! | `-X- O O` | sentence boundary, if `-X-` is the boundary of the [`Layout`] |
//! | `-DOCSTART- O O` | an ordinary token, as in conlleval.pl |
//!
//! Memory is proportional to the longest line, which is limited by [`Limits::line_bytes`].

use memchr::{memchr, memmem};
use regex::bytes::{Regex, RegexBuilder};
use spanrs_base::{Coded, ErrorClass, Limits};

use super::{Conlleval, Rules, Setting};

/// How a line is split into columns.
///
/// # Examples
///
/// ```
/// use spanrs_compat::conlleval::{Cut, Error, Rules};
/// assert!(matches!(Cut::new(Rules::Python, None), Ok(Cut::Blanks)));
/// assert!(matches!(Cut::new(Rules::Perl, Some(b"\t".to_vec())), Ok(Cut::Byte(b'\t'))));
/// assert!(matches!(Cut::new(Rules::Perl, Some(b" +".to_vec())), Ok(Cut::Pattern(_))));
/// let error = Cut::new(Rules::Python, Some(Vec::new())).unwrap_err();
/// assert_eq!(error, Error::NoDelimiter);
/// ```
#[derive(Clone, Debug)]
pub enum Cut {
    /// At each occurrence of a byte; trailing empty columns are dropped, as in Perl.
    Byte(u8),
    /// At each match of a pattern, by the rules of Perl's `split`.
    Pattern(Regex),
    /// At runs of Python's white space.
    Blanks,
    /// At each occurrence of a string, as in Python; empty columns are kept.
    Text(Vec<u8>),
}

impl Cut {
    /// Returns how lines are split at a delimiter under `rules`; None means white space.
    ///
    /// # Errors
    /// [`Error::Pattern`] for [`Rules::Perl`]; [`Error::NoDelimiter`] for an empty delimiter with other rules.
    pub fn new(rules: Rules, delimiter: Option<Vec<u8>>) -> Result<Self, Error> {
        match delimiter {
            None => Ok(Self::Blanks),
            Some(delimiter) if rules == Rules::Perl => Self::perl(&delimiter),
            Some(delimiter) if delimiter.is_empty() => Err(Error::NoDelimiter),
            Some(delimiter) => Ok(Self::Text(delimiter)),
        }
    }

    /// Returns how Perl splits at a delimiter, which Perl treats as a pattern. A delimiter without metacharacters is
    /// matched literally, and so is a delimiter that is not UTF-8; the pattern matches bytes, not characters.
    ///
    /// # Errors
    /// [`Error::Pattern`] if the delimiter is not a valid pattern of the `regex` crate.
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
            // No metacharacter: the bytes match literally.
            _ => delimiter
                .iter()
                .map(|byte| format!(r"\x{byte:02X}"))
                .collect(),
        };
        let built = RegexBuilder::new(&pattern).unicode(false).build();
        built.map(Self::Pattern).map_err(|_| Error::Pattern {
            pattern: String::from_utf8_lossy(delimiter).into_owned(),
        })
    }

    /// Finds the columns of a line.
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

/// The number of columns in a line, and the byte ranges of the columns that are used.
#[derive(Clone, Debug, Default)]
struct Columns {
    /// Number of columns.
    count: usize,
    /// The first column, which may mark a boundary.
    first: (usize, usize),
    /// The last column.
    pred: (usize, usize),
    /// The second-to-last column.
    gold: (usize, usize),
}

impl Columns {
    /// Removes all columns.
    fn clear(&mut self) {
        *self = Self::default();
    }

    /// Adds a column.
    #[inline(always)]
    fn push(&mut self, from: usize, to: usize) {
        if self.count == 0 {
            self.first = (from, to);
        }
        self.count += 1;
        self.gold = self.pred;
        self.pred = (from, to);
    }

    /// Adds the columns between delimiters; there is always at least one.
    #[inline(always)]
    fn between(&mut self, delimiters: impl Iterator<Item = (usize, usize)>, end: usize) {
        let mut from = 0;
        for (at, after) in delimiters {
            self.push(from, at);
            from = after;
        }
        self.push(from, end);
    }

    /// Adds the columns of Perl's `split`: an empty match at the beginning of a column is ignored, capture groups are
    /// also columns, and trailing empty columns are dropped.
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

    /// Adds the columns that Python's `str.split` returns without arguments.
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

/// Returns the length in bytes of the white space character, in Python's sense, at the beginning of
/// UTF-8 text; 0 if there is none.
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

/// An error in the input of conlleval. The messages are modelled on conlleval.pl; callers add the line number.
///
/// # Examples
///
/// ```
/// use spanrs_base::Limits;
/// use spanrs_compat::conlleval::{ConllevalText, Cut, Error, Layout, Rules, Setting};
/// let layout = Layout { cut: Cut::Blanks, boundary: b"-X-".to_vec(), trim: true };
/// let setting = Setting { rules: Rules::Python, outside: b"O".to_vec(), raw: false };
/// let mut text = ConllevalText::new(layout, setting, Limits::default());
/// text.line(b"Ada B-PER B-PER").unwrap();
/// let error = text.line(b"runs NN O O").unwrap_err();
/// assert_eq!(error, Error::Columns { found: 4, expected: 3 });
/// assert_eq!(error.to_string(), "unexpected number of features: 4 (3)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The number of columns differs from the first line.
    #[error("unexpected number of features: {found} ({expected})")]
    Columns {
        /// Number of columns in this line.
        found: usize,
        /// Number of columns in the first line with columns.
        expected: usize,
    },
    /// Fewer columns than gold and pred need.
    #[error("unexpected number of features in line {}", String::from_utf8_lossy(.line))]
    Few {
        /// The line.
        line: Vec<u8>,
    },
    /// A tag without a type with [`Rules::Sequences`].
    #[error("a tag without a type")]
    NoType,
    /// A delimiter that is not a valid pattern.
    #[error("{pattern:?} is not a valid pattern")]
    Pattern {
        /// The delimiter as given.
        pattern: String,
    },
    /// An empty delimiter.
    #[error("empty separator")]
    NoDelimiter,
    /// A line longer than the limit.
    #[error("line {line} is longer than {limit} bytes")]
    Long {
        /// Line number, 1-based.
        line: u64,
        /// The limit in bytes.
        limit: usize,
    },
}

impl Coded for Error {
    fn kind(&self) -> (ErrorClass, &'static str) {
        match self {
            Self::Columns { .. } => (ErrorClass::Format, "ragged_columns"),
            Self::Few { .. } => (ErrorClass::Format, "no_column"),
            Self::NoType => (ErrorClass::Format, "no_type"),
            Self::Pattern { .. } => (ErrorClass::Format, "bad_delimiter"),
            Self::NoDelimiter => (ErrorClass::Value, "bad_delimiter"),
            Self::Long { .. } => (ErrorClass::Limit, "line_too_long"),
        }
    }
}

/// How a line is read.
#[derive(Clone, Debug)]
pub struct Layout {
    /// How lines are split into columns.
    pub cut: Cut,
    /// The first column of lines that end a sentence (empty lines also do); `-X-` in conlleval.pl.
    pub boundary: Vec<u8>,
    /// Whether carriage returns and line feeds at the end of a line are removed.
    pub trim: bool,
}

/// Reads the input of conlleval and counts its tags.
///
/// # Examples
///
/// ```
/// use spanrs_base::Limits;
/// use spanrs_compat::conlleval::{ConllevalText, Cut, Layout, Rules, Setting};
/// let layout = Layout { cut: Cut::Byte(b' '), boundary: b"-X-".to_vec(), trim: false };
/// let setting = Setting { rules: Rules::Perl, outside: b"O".to_vec(), raw: false };
/// let mut text = ConllevalText::new(layout, setting, Limits::default());
/// // Pieces may end anywhere.
/// text.feed(b"Ada B-PER B-P").unwrap();
/// text.feed(b"ER\nruns O O\n\nParis B-LOC O").unwrap();
/// text.end().unwrap();
/// assert_eq!((text.counts().tokens(), text.counts().equal_tags()), (3, 2));
/// ```
#[derive(Clone, Debug)]
pub struct ConllevalText {
    /// How lines are read.
    layout: Layout,
    /// The version of conlleval.
    rules: Rules,
    /// The counts so far.
    counts: Conlleval,
    /// Number of columns in the first line with columns.
    expected: Option<usize>,
    /// The beginning of a line whose end has not been passed yet.
    open: Vec<u8>,
    /// Number of complete lines so far.
    lines: u64,
    /// Limits; only `line_bytes` is used.
    limits: Limits,
}

impl ConllevalText {
    /// Creates a reader at the beginning of a text.
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

    /// Returns the counts so far, without an incomplete line.
    pub fn counts(&self) -> &Conlleval {
        &self.counts
    }

    /// Reads a piece of the text; pieces may end anywhere.
    ///
    /// # Errors
    /// Same as [`ConllevalText::line`].
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

    /// Ends the text; bytes after the last line feed are read as a line.
    ///
    /// # Errors
    /// Same as [`ConllevalText::line`].
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

    /// Rejects a line that is too long.
    fn check(&self, bytes: usize) -> Result<(), Error> {
        let limit = self.limits.line_bytes;
        if bytes > limit {
            let line = self.lines + 1;
            return Err(Error::Long { line, limit });
        }
        Ok(())
    }

    /// Reads a line, given without its line feed.
    ///
    /// # Errors
    /// - [`Error::Long`] for a line longer than the limit.
    /// - [`Error::Columns`] if the number of columns changes (not with [`Rules::Sequences`]).
    /// - [`Error::Few`] if there are fewer columns than gold and pred need: 2 with [`Rules::Perl`], 3 with other rules.
    /// - [`Error::NoType`] with [`Rules::Sequences`].
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
            // conlleval.pl counts one column fewer, and its initial value for "unknown" is the same as for a line
            // without columns.
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

    /// Reads a line with [`Rules::Sequences`], which has no sentence boundaries: an empty line is a token outside.
    fn sequences(&mut self, line: &[u8], columns: &Columns) -> Result<(), Error> {
        match columns.count {
            0 => self.counts.token(b"O", b"O").map_err(|_| Error::NoType),
            1 | 2 => Err(Error::Few {
                line: line.to_owned(),
            }),
            _ => self.token(line, columns),
        }
    }

    /// Counts the tags in the last two columns.
    #[inline]
    fn token(&mut self, line: &[u8], columns: &Columns) -> Result<(), Error> {
        let gold = &line[columns.gold.0..columns.gold.1];
        let pred = &line[columns.pred.0..columns.pred.1];
        self.tags(gold, pred)
    }

    /// Counts the two tags of a token that was not read from a line.
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
    fn perl_delimiters_split_as_in_perl() {
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
    fn blanks_are_the_white_space_of_python() {
        let row = (2, "a".to_owned(), "b".to_owned());
        assert_eq!(cut(&Cut::Blanks, " a\u{3000}\u{85}\x1Cb\u{2028}"), row);
    }

    #[test]
    fn counts_do_not_depend_on_the_size_of_pieces() {
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
