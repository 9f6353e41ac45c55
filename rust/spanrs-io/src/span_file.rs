//! Span files: files that contain spans instead of tags, in FairEval's format.
//!
//! ```text
//! type<tab>first token<tab>last token<tab>tokens
//! PER      6               7               6, 7
//! ORG      2               4               2, 4          a discontinuous span
//! ```
//!
//! A blank line ends a sentence. Tokens count from 1 in each sentence, and the last token is part
//! of the span. Conversion to 0-based, end-exclusive spans is left to the caller, because messages
//! use the numbers in the file.
//!
//! Nearly all lines list all tokens between the boundaries in order. [`plain`] reads such a line in
//! one pass over its bytes; [`parse`] reads all other lines and reports errors. A test with random
//! lines checks that both functions agree on the lines that both can read.

use std::ops::Range;

use memchr::memchr_iter;

use crate::error::{Code, Error, Result};
use crate::lines::LineReader;

/// Kind of a line of a span file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanLine {
    /// A span, available from the reader until the next line is read.
    Span,
    /// A blank line, which ends the current sentence, if there is one.
    Blank,
}

/// Number of lines that are examined to recognise span files.
const LINES: usize = 10;

/// Reader of span files: one span per line, blank lines between sentences.
///
/// A line has four columns, separated by tabs: type, first token, last token, and the tokens
/// separated by commas, with optional spaces around numbers. Tokens count from 1. If no tokens are
/// listed, the span contains all tokens between its boundaries. Tokens may be listed in any order
/// and more than once, but must be within the boundaries.
///
/// ```
/// use spanrs_io::{LineReader, SpanFileReader, SpanLine};
/// let text = "PER\t6\t7\t6, 7\n\nORG\t2\t4\t2, 4\n";
/// let lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default()).unwrap();
/// let mut spans = SpanFileReader::new(lines);
/// assert_eq!(spans.next_line().unwrap(), Some(SpanLine::Span));
/// assert_eq!((spans.name(), spans.bounds(), spans.tokens()), (&b"PER"[..], (6, 7), None));
/// assert_eq!(spans.next_line().unwrap(), Some(SpanLine::Blank));
/// spans.next_line().unwrap();
/// assert_eq!(spans.tokens(), Some(&[2, 4][..]));
/// assert_eq!(spans.next_line().unwrap(), None);
/// ```
pub struct SpanFileReader {
    /// The line reader, without a whitespace index.
    lines: LineReader,
    /// Type of the last span, as a range of the line buffer.
    name: Range<usize>,
    /// First and last token of the last span, from 1, both inclusive.
    bounds: (i64, i64),
    /// The tokens, ascending; meaningful only if `whole` is false.
    tokens: Vec<i64>,
    /// Whether the last span contains all tokens between its boundaries.
    whole: bool,
    /// Whether spans that other programs may read differently are rejected.
    strict: bool,
}

impl SpanFileReader {
    /// Creates a reader of the spans of `lines`.
    pub fn new(mut lines: LineReader) -> Self {
        lines.look_at_single_lines();
        Self {
            lines,
            name: 0..0,
            bounds: (0, 0),
            tokens: Vec::new(),
            whole: true,
            strict: false,
        }
    }

    /// Rejects spans that are valid here but that other programs may read differently: spans
    /// without a list of tokens, and types that begin with a non-ASCII character, which may be
    /// white space such as U+00A0.
    ///
    /// ```
    /// use spanrs_io::{LineReader, SpanFileReader};
    /// let reader = || {
    ///     let source = Box::new(&b"PER\t6\t7\t\n"[..]);
    ///     SpanFileReader::new(LineReader::new("example", source, Default::default()).unwrap())
    /// };
    /// assert!(reader().next_line().is_ok());
    /// assert!(reader().strict().next_line().is_err());
    /// ```
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Returns true if one of the first ten non-blank lines looks like a span. Nothing is consumed.
    ///
    /// Such a line has four columns, and at least two of the last three are numbers, lists of
    /// numbers or empty, so that a file with one mistake in a line is still reported by the span
    /// reader. Also returns true for a file that contains only blank lines.
    ///
    /// # Errors
    /// Errors of reading further, if the file begins with many blank lines.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::{LineReader, SpanFileReader};
    /// let fits = |text: &'static str| {
    ///     let mut lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default())?;
    ///     SpanFileReader::fits(&mut lines)
    /// };
    /// assert!(fits("PER\t6\t7\t6, 7\n").unwrap());
    /// assert!(!fits("EU\tB-ORG\n").unwrap());
    /// ```
    pub fn fits(lines: &mut LineReader) -> Result<bool> {
        loop {
            let ahead = lines.ahead().split(|&byte| byte == b'\n');
            let mut ahead = ahead
                .filter(|line| !line.trim_ascii().is_empty())
                .peekable();
            if ahead.peek().is_some() {
                return Ok(ahead.take(LINES).any(may_be_span));
            }
            if !lines.look_further()? {
                return Ok(true);
            }
        }
    }

    /// Returns the file name as given by the caller.
    pub fn path(&self) -> &str {
        self.lines.path()
    }

    /// Returns the number of the last line read, from 1.
    pub fn line(&self) -> u64 {
        self.lines.line()
    }

    /// Returns the number of bytes read so far, after decompression.
    pub fn bytes_read(&self) -> u64 {
        self.lines.bytes_read()
    }

    /// Returns the type of the last span: valid UTF-8, not empty, without leading or trailing
    /// spaces.
    #[inline]
    pub fn name(&self) -> &[u8] {
        self.lines.bytes(self.name.clone())
    }

    /// Returns the first and the last token of the last span, from 1, both inclusive; the first is
    /// not greater than the last.
    #[inline]
    pub fn bounds(&self) -> (i64, i64) {
        self.bounds
    }

    /// Returns the tokens of the last span, from 1, ascending and without duplicates; None if the
    /// span contains all tokens between its boundaries.
    #[inline]
    pub fn tokens(&self) -> Option<&[i64]> {
        (!self.whole).then_some(&self.tokens)
    }

    /// Reads the next line; None at the end of the file.
    ///
    /// # Errors
    /// Errors of reading; [`Code::Ragged`] for a line that does not have four columns;
    /// [`Code::BadSpan`] for a type that is empty or has leading or trailing spaces, for boundaries
    /// and tokens that are not whole numbers from 1 (of at most 18 digits), for an end before the
    /// beginning, and for tokens outside of the boundaries. With [`SpanFileReader::strict`], also
    /// [`Code::BadSpan`] for spans that other programs may read differently.
    ///
    /// # Examples
    /// ```
    /// use spanrs_io::{Code, LineReader, SpanFileReader};
    /// let source = Box::new(&b"PER\t7\t6\t6\n"[..]);
    /// let lines = LineReader::new("spans.txt", source, Default::default()).unwrap();
    /// let error = SpanFileReader::new(lines).next_line().unwrap_err();
    /// assert_eq!(error.code, Code::BadSpan);
    /// assert!(error.to_string().starts_with("spans.txt:1: the span ends at token 6"));
    /// ```
    #[inline]
    pub fn next_line(&mut self) -> Result<Option<SpanLine>> {
        if let Some((name, bounds, length)) = plain(self.lines.ahead()) {
            let line = self.lines.take_bare(length);
            return self.take(&line, name, bounds, true, true);
        }
        let Some(line) = self.lines.next_bare()? else {
            return Ok(None);
        };
        match parse(self.lines.bytes(line.clone()), &mut self.tokens) {
            Ok(None) => Ok(Some(SpanLine::Blank)),
            Ok(Some((name, bounds, whole))) => {
                let text = self.lines.bytes(line.clone()).trim_ascii_end();
                let listed = memchr_iter(b'\t', text).count() == 3;
                self.take(&line, name, bounds, whole, listed)
            }
            Err((code, message)) => Err(Error::new(code, self.lines.position(), message)),
        }
    }

    /// Stores a span read from `line`: `name` is the length of its type in bytes, `whole` is true
    /// if the span contains all tokens between its boundaries, and `listed` is true if the line has
    /// a list of tokens.
    #[inline]
    fn take(
        &mut self,
        line: &Range<usize>,
        name: usize,
        bounds: (i64, i64),
        whole: bool,
        listed: bool,
    ) -> Result<Option<SpanLine>> {
        self.name = line.start..line.start + name;
        (self.bounds, self.whole) = (bounds, whole);
        if self.strict && !(listed && self.name()[0].is_ascii()) {
            let message = "the span has no list of tokens, or its type does not begin with an ASCII character";
            return Err(Error::new(Code::BadSpan, self.lines.position(), message));
        }
        Ok(Some(SpanLine::Span))
    }
}

/// Returns true if a line has four columns and at least two of the last three are numbers, lists of
/// numbers or empty.
fn may_be_span(line: &[u8]) -> bool {
    let columns: Vec<&[u8]> = line.split(|&byte| byte == b'\t').collect();
    let numbers = columns.iter().skip(1).filter(|column| {
        let mut items = column.split(|&byte| byte == b',');
        column.trim_ascii().is_empty() || items.all(|item| index(item).is_some())
    });
    columns.len() == 4 && numbers.count() >= 2
}

/// Returns true if all non-blank lines look like spans and at least half of them are valid spans,
/// so that column files are not recognised as span files. False if there are no such lines.
#[cfg(feature = "documents")]
pub(crate) fn are_spans(lines: &[u8]) -> bool {
    let (mut spans, mut others, mut tokens) = (0_usize, 0_usize, Vec::new());
    for line in lines.split(|&byte| byte == b'\n') {
        match parse(line, &mut tokens) {
            Ok(None) => {}
            Ok(Some(_)) => spans += 1,
            Err(_) if may_be_span(line) => others += 1,
            Err(_) => return false,
        }
    }
    spans > 0 && spans >= others
}

/// Reads a line in the usual form: a span that lists all tokens between its boundaries, in order,
/// with at most one space after each comma, and LF at the end.
///
/// Returns the length of the type, the boundaries, and the length of the line including its line
/// end. None for any other line, valid or not, and for a line whose end is not in `text`.
///
/// | line (columns separated by tabs) | read here |
/// |---|---|
/// | `NP 2 4 2, 3,4` | length 2, boundaries 2 and 4 |
/// | `NP 2 4 2,4` | no: a gap |
/// | `NP 2 4 3,2,4` | no: another order |
/// | `NP 2 4` and a tab | no: no list |
/// | `NP 2 4 2,3,4` and CR LF | no: another line end |
#[inline]
fn plain(text: &[u8]) -> Option<(usize, (i64, i64), usize)> {
    let name = text.iter().position(|byte| *byte < b' ')?;
    if name == 0 || text[name] != b'\t' || text[0] == b' ' || text[name - 1] == b' ' {
        return None;
    }
    let (begin, at) = digits(text, name + 1)?;
    if text.get(at) != Some(&b'\t') {
        return None;
    }
    let (end, at) = digits(text, at + 1)?;
    if text.get(at) != Some(&b'\t') || begin < 1 || end < begin {
        return None;
    }
    let (mut token, mut at) = (begin, at + 1);
    loop {
        let (number, behind) = digits(text, at)?;
        if number != token {
            return None;
        }
        match text.get(behind)? {
            b'\n' if token == end => return Some((name, (begin, end), behind + 1)),
            b',' if token < end => {}
            _ => return None,
        }
        token += 1;
        at = behind + 1 + usize::from(text.get(behind + 1) == Some(&b' '));
    }
}

/// Returns the number whose digits begin at `start` and the position after the number; None if
/// there is no digit or more than 9 digits.
#[inline]
fn digits(line: &[u8], start: usize) -> Option<(i64, usize)> {
    let (mut number, mut at) = (0_u32, start);
    while let Some(digit) = line
        .get(at)
        .map(|byte| byte.wrapping_sub(b'0'))
        .filter(|d| *d < 10)
    {
        number = number.wrapping_mul(10).wrapping_add(u32::from(digit));
        at += 1;
    }
    (start < at && at - start <= 9).then_some((i64::from(number), at))
}

/// Length of the type, boundaries, and whether the span contains all tokens between the boundaries.
type Parsed = (usize, (i64, i64), bool);

/// Reads any line; None for a blank line. `tokens` is filled if not all tokens between the
/// boundaries are listed.
///
/// | line (columns separated by tabs) | span |
/// |---|---|
/// | `ORG 2 4 4, 2` | tokens 2 and 4 |
/// | `ORG 2 4 2,3,3,4` | all tokens from 2 to 4 |
/// | `ORG 2 4` and a tab | all tokens from 2 to 4 |
/// | `ORG 2 4` | [`Code::Ragged`]: three columns |
/// | `ORG 4 2 4` | [`Code::BadSpan`]: ends before it begins |
/// | `ORG 2 4 5` | [`Code::BadSpan`]: token 5 is outside |
///
/// # Errors
/// Code and message of the error; its position is the line.
#[inline]
fn parse(line: &[u8], tokens: &mut Vec<i64>) -> Result<Option<Parsed>, (Code, String)> {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if line.iter().all(|byte| matches!(byte, b' ' | b'\t')) {
        return Ok(None);
    }
    let mut tabs = memchr_iter(b'\t', line);
    let (Some(a), Some(b), Some(c), None) = (tabs.next(), tabs.next(), tabs.next(), tabs.next())
    else {
        return Err(columns(line));
    };
    let name = &line[..a];
    if name.is_empty() || name[0] == b' ' || name[a - 1] == b' ' {
        return Err(bad_name(name));
    }
    let begin = index(&line[a + 1..b]).ok_or_else(|| bad_index("begin", &line[a + 1..b]))?;
    let end = index(&line[b + 1..c]).ok_or_else(|| bad_index("end", &line[b + 1..c]))?;
    if end < begin {
        return Err((
            Code::BadSpan,
            format!("the span ends at token {end}, before it begins at token {begin}"),
        ));
    }
    let whole = token_list(&line[c + 1..], (begin, end), tokens)?;
    Ok(Some((a, (begin, end), whole)))
}

/// Reads a whole number from 1, of at most 18 digits, with optional spaces around it; None for
/// anything else.
#[inline]
fn index(text: &[u8]) -> Option<i64> {
    let mut number = 0_i64;
    let text = text.trim_ascii();
    // 18 digits do not overflow, and exceed the number of tokens of any sentence.
    if text.is_empty() || text.len() > 18 {
        return None;
    }
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + i64::from(digit);
    }
    (number > 0).then_some(number)
}

/// Reads the list of tokens. Returns true if the list contains all tokens between the boundaries or
/// is empty; otherwise `tokens` is set to the tokens of the list, ascending and without duplicates.
///
/// Nothing is stored while the list is complete and in order. At the first token out of sequence,
/// the previous tokens are stored; all further tokens are appended, and at the end the list is
/// sorted and duplicates are removed. Time is at worst O(n log n) in the length n of the list, if
/// the list is not in order.
///
/// # Errors
/// [`Code::BadSpan`] for an item that is not a number from 1 or is outside of the boundaries.
#[inline]
fn token_list(
    text: &[u8],
    (begin, end): (i64, i64),
    tokens: &mut Vec<i64>,
) -> Result<bool, (Code, String)> {
    tokens.clear();
    if text.trim_ascii().is_empty() {
        return Ok(true);
    }
    let (mut next, mut from) = (begin, 0);
    let mut whole = true;
    loop {
        let to = text[from..]
            .iter()
            .position(|&b| b == b',')
            .map(|n| from + n);
        let item = &text[from..to.unwrap_or(text.len())];
        let token = index(item).ok_or_else(|| bad_index("token", item))?;
        if token < begin || token > end {
            let message = format!("token {token} lies outside the span, which is {begin} to {end}");
            return Err((Code::BadSpan, message));
        }
        if whole && token == next {
            next += 1;
        } else {
            if whole {
                // The list may contain all tokens in another order, so the previous tokens are
                // stored as well.
                tokens.extend(begin..next);
                whole = false;
            }
            tokens.push(token);
        }
        match to {
            Some(comma) => from = comma + 1,
            None => break,
        }
    }
    if whole {
        if next <= end {
            tokens.extend(begin..next);
        }
        return Ok(next > end);
    }
    tokens.sort_unstable();
    tokens.dedup();
    Ok(tokens.len() as i64 == end - begin + 1)
}

/// Returns the error for a line that does not have four columns.
#[cold]
fn columns(line: &[u8]) -> (Code, String) {
    let found = memchr_iter(b'\t', line).count() + 1;
    let message = format!(
        "the line has {found} column{}; a span has four, separated by tabs: type, first token, last token, tokens",
        if found == 1 { "" } else { "s" }
    );
    (Code::Ragged, message)
}

/// Returns the error for a type that is empty or has spaces around it.
#[cold]
fn bad_name(name: &[u8]) -> (Code, String) {
    let name = String::from_utf8_lossy(name);
    let message =
        format!("the span has type {name:?}; a type must not be empty or have spaces around it");
    (Code::BadSpan, message)
}

/// Returns the error for an index that is not a whole number from 1; `what` (`begin`, `end` or
/// `token`) names the index in the message.
#[cold]
fn bad_index(what: &str, text: &[u8]) -> (Code, String) {
    let text = String::from_utf8_lossy(text);
    let message = format!(
        "{what} is {:?}; tokens are whole numbers from 1",
        text.trim()
    );
    (Code::BadSpan, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_not_taken_for_spans() {
        assert!(are_spans(
            b"PER\t6\t7\t6, 7\n\nORG\t2\t4\t\r\nORG\t4\t2\t2\n"
        ));
        assert!(!are_spans(b"") && !are_spans(b"\n\n"));
        assert!(!are_spans(b"PER\t6\t7\t6, 7\nEU\t6\t7\tB-ORG\t2\n"));
        assert!(!are_spans(b"EU\t1\t2\tB-ORG\nit\t2\t3\tO\n"));
        assert!(!are_spans(b"1\tBob\tB-PER\tO\n"));
    }

    #[test]
    fn plain_lines_are_read_as_with_care() {
        let pieces = [
            "A",
            "",
            " ",
            "\t",
            "1",
            "2",
            "3",
            ",",
            ", ",
            "0",
            "12",
            "é",
            "9999999999",
            "-1",
        ];
        let mut state = 7_u64;
        for _ in 0..200_000 {
            let mut line = String::from("T\t");
            for _ in 0..state % 9 {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                line += pieces[(state >> 33) as usize % pieces.len()];
            }
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            if state >> 40 & 1 == 0 {
                line.push('\n');
            }
            if let Some((name, bounds, length)) = plain(line.as_bytes()) {
                assert_eq!(length, line.len());
                let parsed = parse(line.as_bytes(), &mut Vec::new());
                assert_eq!(parsed, Ok(Some((name, bounds, true))), "{line:?}");
            }
        }
        assert_eq!(plain(b"NP\t2\t4\t2, 3,4\nX"), Some((2, (2, 4), 14)));
    }
}
