//! Ordinary token lines, which are recognised by their whitespace positions alone.
//!
//! Nearly all lines of a column file look alike: as many fields as the first token line, one
//! separator between two of them, one kind of line end, nothing that begins like a comment or
//! `-DOCSTART-`. For such a line it suffices to look at its first byte and at the bytes at the next
//! few whitespace positions. In `EU NNP B-ORG\n` with three columns these are the positions 2, 6
//! and 12: two separators and the line feed.
//!
//! Anything else (comments, blank lines with spaces, empty fields, several spaces in a row, a
//! different number of columns) is left to the caller, who splits the line with care. The quick way
//! therefore never decides what is an error.

use super::LineReader;

/// Shape of ordinary token lines: `columns` fields, none of them empty, exactly one separator
/// between two of them, and a line end of the kind that the first line of the file has. Lines that
/// begin with `#`, `-` or `comment` never have it.
///
/// Control characters within fields make a line irregular, as they are among the whitespace
/// positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineShape {
    /// Bytes that separate fields, either of them; two equal bytes where there is only one
    /// separator. All at most `b' '`.
    pub(crate) separators: [u8; 2],
    /// Number of fields, at least 1.
    pub(crate) columns: usize,
    /// Lines end with CR LF, otherwise with LF.
    pub(crate) crlf: bool,
    /// First byte of the prefix of comments; `#` where none was given.
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

    /// Returns the first byte of a line end. A carriage return always has a line feed behind it,
    /// unless the file ends there.
    #[inline(always)]
    fn end_byte(self) -> u8 {
        if self.crlf { b'\r' } else { b'\n' }
    }

    /// Returns the end of the line at `start` of `text`, past its line end, if the line has this
    /// shape.
    ///
    /// `whitespace` holds the next [`LineShape::whitespace_count`] whitespace positions in `text`.
    /// All conditions are combined without branches, because nearly all lines fulfil them. With two
    /// columns separated by spaces or tabs, and LF:
    ///
    /// | line | has the shape |
    /// |---|---|
    /// | `EU B-ORG` | yes |
    /// | `EU  B-ORG` | no: an empty field between two spaces |
    /// | `EU NNP B-ORG` | no: the second whitespace is no line end |
    /// | `EU` | no: the first whitespace is no separator |
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
            // Without branches; what does not fit is found at the end.
            let byte = *text.get(position as usize)?;
            regular &= ((byte == separator) | (byte == other)) & (position > begin);
            begin = position + 1;
        }
        regular &= (*text.get(line_end as usize)? == self.end_byte()) & (line_end > begin);
        regular.then_some(line_end as usize + self.end())
    }

    /// Returns true if an empty line is at `start`. A line of blanks is not empty.
    #[inline(always)]
    fn is_blank(self, text: &[u8], start: usize, whitespace: &[u32]) -> bool {
        whitespace[0] as usize == start && text[start] == self.end_byte()
    }
}

/// Takes the lines of [`LineReader::ordinary_run`]. Not a closure: token lines must be taken in
/// place, which the compiler does for one call and not for two.
pub(crate) trait OrdinaryLines {
    /// Takes a token line; false ends the run.
    fn token(&mut self, line: OrdinaryLine<'_>, number: u64) -> bool;

    /// Takes the empty line that ends a sentence, and the buffer; false ends the run.
    fn end(&mut self, buffer: &[u8], number: u64) -> bool;
}

/// An ordinary token line.
#[derive(Clone, Copy)]
pub(crate) struct OrdinaryLine<'a> {
    /// The buffer of the reader.
    text: &'a [u8],
    /// Where the line begins in it.
    start: usize,
    /// Where each field ends.
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
    /// Number of token lines since the last empty line: those of the sentence that is open.
    pub(crate) open: usize,
}

/// How far [`LineReader::ordinary_run`] may go.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Number of bytes ahead within which all lines consumed must end.
    pub(crate) within: usize,
    /// Number of token lines since the last empty line, at the beginning of the run.
    pub(crate) open: usize,
    /// Number of token lines allowed between two empty lines. The run ends before a line too many.
    pub(crate) max_tokens: usize,
}

impl LineReader {
    /// Returns true if the next line ends with CR LF. Asked at the beginning of a file; false if
    /// the file has no line feed.
    pub(crate) fn has_crlf(&self) -> bool {
        let ahead = self.ahead();
        memchr::memchr(b'\n', ahead).is_some_and(|end| ahead[..end].ends_with(b"\r"))
    }

    /// Consumes the next line if it has the shape. Returns the range of its bytes, with the line
    /// end, and the index range of the whitespace positions that end its fields, one for each
    /// field.
    ///
    /// If the answer is None, nothing is consumed and [`LineReader::next_line`] reads the line.
    /// None as well at the end of the buffer, and after [`LineReader::look_at_single_lines`].
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
    /// sentences, up to the bounds, the end of the buffer or the first line of another kind.
    ///
    /// `sink` gets every token line and every empty line that ends a sentence, with the number of
    /// the line, from 1. The run ends when it returns false. `is_comment` decides about lines before a sentence that begin with `#` or the first
    /// byte of the comment prefix.
    ///
    /// | line | content | `sink` |
    /// |---|---|---|
    /// | 1 | `EU B-ORG` | token, 1 |
    /// | 2 | `rejects O` | token, 2 |
    /// | 3 | | end, 3 |
    /// | 4 | `# a comment` | not called |
    /// | 5 | `German B-MISC` | token, 5 |
    /// | 6 | | end, 6 |
    /// | 7 | | the run ends before this line: no sentence is open |
    ///
    /// Consumes nothing after [`LineReader::look_at_single_lines`], since whitespace is not indexed
    /// then.
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

    /// Returns the end of the comment at `at` and the index of the first whitespace position behind
    /// it; None if the line at `at` is no comment before a sentence, or if its end is not in the
    /// buffer.
    ///
    /// `next` is the index of the first whitespace position at or behind `at`.
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
