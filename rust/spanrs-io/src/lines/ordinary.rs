//! Ordinary token lines, which are recognised by their whitespace positions alone.
//!
//! Nearly all lines of a column file have the same form: as many fields as the first token line, a
//! single separator between fields, the same kind of line end, and a beginning that is neither a
//! comment nor `-DOCSTART-`. For such a line it suffices to test its first byte and the bytes at
//! the next few whitespace positions. In `EU NNP B-ORG\n` with three columns these are the
//! positions 2, 6 and 12: two separators and the line feed.
//!
//! Anything else (comments, blank lines with spaces, empty fields, several spaces in a row, a
//! different number of columns) is left to the caller, which classifies and splits the line. The
//! fast path therefore never reports errors.

use super::LineReader;

/// Shape of ordinary token lines: `columns` nonempty fields, exactly one separator between fields,
/// and the same kind of line end as the first line of the file. Lines that begin with `#`, `-` or
/// `comment` never have this shape.
///
/// A line with control characters within fields is not ordinary, because control characters are
/// among the whitespace positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineShape {
    /// The two bytes that separate fields; equal if there is only one separator. Both are at most
    /// `b' '`.
    pub(crate) separators: [u8; 2],
    /// Number of fields, at least 1.
    pub(crate) columns: usize,
    /// Whether lines end with CR LF instead of LF.
    pub(crate) crlf: bool,
    /// First byte of the comment prefix; `#` if no prefix was given.
    pub(crate) comment: u8,
}

impl LineShape {
    /// Returns the number of whitespace bytes of a line: the separators and the one or two bytes of
    /// the line end.
    #[inline(always)]
    fn whitespace_count(self) -> usize {
        self.columns + usize::from(self.crlf)
    }

    /// Returns the number of bytes of a line end.
    #[inline(always)]
    fn end(self) -> usize {
        1 + usize::from(self.crlf)
    }

    /// Returns the first byte of a line end. A carriage return is always followed by a line feed,
    /// except at the end of the file.
    #[inline(always)]
    fn end_byte(self) -> u8 {
        if self.crlf { b'\r' } else { b'\n' }
    }

    /// Returns the offset in `text` after the line end of the line at `start`, if the line has this
    /// shape.
    ///
    /// `whitespace` contains the next [`LineShape::whitespace_count`] whitespace positions in
    /// `text`. All conditions are combined without branches, because nearly all lines satisfy all
    /// of them. With two columns separated by spaces or tabs, and LF:
    ///
    /// | line | has the shape |
    /// |---|---|
    /// | `EU B-ORG` | yes |
    /// | `EU  B-ORG` | no: an empty field between two spaces |
    /// | `EU NNP B-ORG` | no: the second whitespace is not a line end |
    /// | `EU` | no: the first whitespace is not a separator |
    /// | ` EU B-ORG` | no: the first field is empty |
    /// | `#EU B-ORG`, `-EU B-ORG` | no: may be a comment or a document line |
    #[inline(always)]
    fn line_end(self, text: &[u8], start: usize, whitespace: &[u32]) -> Option<usize> {
        let first = *text.get(start)?;
        let mut regular = (first != b'#') & (first != b'-') & (first != self.comment);
        let (&line_end, between) = whitespace[..self.columns].split_last()?;
        let mut begin = start as u32;
        let [separator, other] = self.separators;
        for &position in between {
            // Without branches; the result is tested once at the end.
            let byte = *text.get(position as usize)?;
            regular &= ((byte == separator) | (byte == other)) & (position > begin);
            begin = position + 1;
        }
        regular &= (*text.get(line_end as usize)? == self.end_byte()) & (line_end > begin);
        regular.then_some(line_end as usize + self.end())
    }

    /// Returns true if there is an empty line at `start`. A line of spaces and tabs is not empty.
    #[inline(always)]
    fn is_blank(self, text: &[u8], start: usize, whitespace: &[u32]) -> bool {
        whitespace[0] as usize == start && text[start] == self.end_byte()
    }
}

/// Receives the lines of [`LineReader::ordinary_run`]. This is a trait and not a closure, because
/// the call for token lines must be inlined, which the compiler does only for a single call site.
pub(crate) trait OrdinaryLines {
    /// Receives a token line; returning false ends the run.
    fn token(&mut self, line: OrdinaryLine<'_>, number: u64) -> bool;

    /// Receives the buffer and the line number of an empty line that ends a sentence; returning
    /// false ends the run.
    fn end(&mut self, buffer: &[u8], number: u64) -> bool;
}

/// An ordinary token line.
#[derive(Clone, Copy)]
pub(crate) struct OrdinaryLine<'a> {
    /// The buffer of the reader.
    text: &'a [u8],
    /// Start of the line in the buffer.
    start: usize,
    /// End of each field in the buffer.
    ends: &'a [u32],
}

impl<'a> OrdinaryLine<'a> {
    /// Returns the range of a field in the buffer; empty if there is no such column.
    #[inline(always)]
    pub(crate) fn range(self, column: usize) -> std::ops::Range<usize> {
        let Some(&end) = self.ends.get(column) else {
            return 0..0;
        };
        let before = column.checked_sub(1).and_then(|at| self.ends.get(at));
        before.map_or(self.start, |&at| at as usize + 1)..end as usize
    }

    /// Returns a field; empty if there is no such column.
    #[inline(always)]
    pub(crate) fn field(self, column: usize) -> &'a [u8] {
        &self.text[self.range(column)]
    }
}

/// Outcome of [`LineReader::ordinary_run`].
pub(crate) struct Run {
    /// Number of lines consumed.
    pub(crate) lines: u64,
    /// Number of bytes of these lines.
    pub(crate) bytes: usize,
    /// Number of token lines since the last empty line, that is, in the current sentence.
    pub(crate) open: usize,
}

/// Bounds of a [`LineReader::ordinary_run`].
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Number of bytes ahead within which all consumed lines must end.
    pub(crate) within: usize,
    /// Number of token lines since the last empty line, at the beginning of the run.
    pub(crate) open: usize,
    /// Number of token lines allowed between two empty lines. The run ends before this number is
    /// exceeded.
    pub(crate) max_tokens: usize,
}

impl LineReader {
    /// Returns true if the next line ends with CR LF; false if the file has no line feed. Called at
    /// the beginning of a file.
    pub(crate) fn has_crlf(&self) -> bool {
        let ahead = self.ahead();
        memchr::memchr(b'\n', ahead).is_some_and(|end| ahead[..end].ends_with(b"\r"))
    }

    /// Consumes the next line if it has the given shape. Returns the range of its bytes, including
    /// the line end, and the index range of the whitespace positions at the ends of its fields.
    ///
    /// Otherwise returns None and consumes nothing; [`LineReader::next_line`] then reads the line.
    /// Also returns None at the end of the buffer, and after [`LineReader::look_at_single_lines`].
    #[inline(always)]
    pub(crate) fn next_ordinary(
        &mut self,
        shape: LineShape,
    ) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
        if self.single {
            return None;
        }
        let whitespace = self.next_whitespace..self.next_whitespace + shape.whitespace_count();
        let end = shape.line_end(
            &self.buffer,
            self.at,
            self.whitespace.get(whitespace.clone())?,
        )?;
        let whole = self.at..end;
        let fields = whitespace.start..whitespace.start + shape.columns;
        (self.at, self.next_whitespace) = (end, whitespace.end);
        self.line += 1;
        Some((whole, fields))
    }

    /// Consumes ordinary token lines, the empty lines between sentences and comments before
    /// sentences, up to the bounds, the end of the buffer or the first line of any other kind.
    ///
    /// `sink` receives every token line and every empty line that ends a sentence, with the line
    /// number from 1. The run ends when `sink` returns false. `is_comment` classifies lines before
    /// a sentence that begin with `#` or with the first byte of the comment prefix.
    ///
    /// | line | content | `sink` |
    /// |---|---|---|
    /// | 1 | `EU B-ORG` | token, 1 |
    /// | 2 | `rejects O` | token, 2 |
    /// | 3 | | end, 3 |
    /// | 4 | `# a comment` | not called |
    /// | 5 | `German B-MISC` | token, 5 |
    /// | 6 | | end, 6 |
    /// | 7 | | the run ends before this line, which does not end a sentence |
    ///
    /// Consumes nothing after [`LineReader::look_at_single_lines`], because whitespace is then not
    /// indexed.
    #[inline]
    pub(crate) fn ordinary_run(
        &mut self,
        shape: LineShape,
        bounds: Bounds,
        is_comment: impl Fn(&[u8]) -> bool,
        sink: &mut impl OrdinaryLines,
    ) -> Run {
        let (first, before) = (self.at, self.line);
        let (mut at, mut next, mut line) = (self.at, self.next_whitespace, self.line);
        let mut open = bounds.open;
        let mut goes_on = true;
        while !self.single && goes_on {
            let Some(whitespace) = self.whitespace.get(next..next + shape.whitespace_count())
            else {
                break;
            };
            let blank_fits = at + shape.end() <= first + bounds.within;
            if open > 0 && blank_fits && shape.is_blank(&self.buffer, at, whitespace) {
                line += 1;
                (at, next, open) = (at + shape.end(), next + shape.end(), 0);
                goes_on = sink.end(&self.buffer, line);
                continue;
            }
            let end = shape.line_end(&self.buffer, at, whitespace);
            let Some(end) =
                end.filter(|end| end - first <= bounds.within && open < bounds.max_tokens)
            else {
                let comment = self.comment(shape, (at, next), open, &is_comment);
                let Some((end, behind)) = comment.filter(|(end, _)| end - first <= bounds.within)
                else {
                    break;
                };
                (at, next, line) = (end, behind, line + 1);
                continue;
            };
            let ordinary = OrdinaryLine {
                text: &self.buffer,
                start: at,
                ends: &whitespace[..shape.columns],
            };
            line += 1;
            goes_on = sink.token(ordinary, line);
            (at, next, open) = (end, next + shape.whitespace_count(), open + 1);
        }
        (self.at, self.next_whitespace, self.line) = (at, next, line);
        Run {
            lines: line - before,
            bytes: at - first,
            open,
        }
    }

    /// Returns the end of the comment at `at` and the index of the first whitespace position after
    /// the comment; None if the line at `at` is not a comment before a sentence, or if its end is
    /// not in the buffer.
    ///
    /// `next` is the index of the first whitespace position at or after `at`.
    fn comment(
        &self,
        shape: LineShape,
        (at, next): (usize, usize),
        open: usize,
        is_comment: impl Fn(&[u8]) -> bool,
    ) -> Option<(usize, usize)> {
        let first = *self.buffer.get(at)?;
        if open > 0 || first != b'#' && first != shape.comment {
            return None;
        }
        let whitespace = self.whitespace.get(next..)?;
        let number = whitespace
            .iter()
            .position(|&position| self.buffer[position as usize] == b'\n')?;
        let end = whitespace[number] as usize + 1;
        is_comment(&self.buffer[at..end]).then_some((end, next + number + 1))
    }
}
