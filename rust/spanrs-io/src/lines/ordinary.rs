//! Lines as most of a file are, which are found by the places of their white space alone.

use super::LineReader;

/// What an ordinary token line looks like: so many fields, none empty, one separator between two of them, a line end of
/// the kind that the file has. It does not begin as comments and documents do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LineShape {
    /// Either may stand between fields.
    pub(crate) separators: [u8; 2],
    /// Number of fields.
    pub(crate) columns: usize,
    /// Lines end with CR LF.
    pub(crate) crlf: bool,
    /// First byte of comments besides `#`.
    pub(crate) comment: u8,
}

impl LineShape {
    /// Places of white space in a line, its end included.
    #[inline(always)]
    fn whitespace_count(self) -> usize {
        self.columns + usize::from(self.crlf)
    }

    /// Bytes of a line end.
    #[inline(always)]
    fn end(self) -> usize {
        1 + usize::from(self.crlf)
    }

    /// The first byte of a line end. A carriage return always has a line feed behind it, unless the file ends there.
    #[inline(always)]
    fn end_byte(self) -> u8 {
        if self.crlf { b'\r' } else { b'\n' }
    }

    /// The end of the line that begins at `start`, if it has this shape; `whitespace` holds the next whitespace
    /// positions.
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

    /// True where an empty line is at `start`.
    #[inline(always)]
    fn is_blank(self, text: &[u8], start: usize, whitespace: &[u32]) -> bool {
        whitespace[0] as usize == start && text[start] == self.end_byte()
    }
}

/// What [`LineReader::ordinary_run`] took.
pub(crate) struct Run<E> {
    pub(crate) lines: u64,
    pub(crate) bytes: usize,
    /// Lines since the last empty line.
    pub(crate) open: usize,
    pub(crate) result: Result<(), E>,
}

/// How far [`LineReader::ordinary_run`] may go.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    /// Bytes ahead within which lines must end.
    pub(crate) within: usize,
    /// Token lines since the last empty line.
    pub(crate) open: usize,
    /// Token lines that there may be between two empty lines.
    pub(crate) most: usize,
}

impl LineReader {
    /// True where the first line ends with CR LF.
    pub(crate) fn has_crlf(&self) -> bool {
        let ahead = self.ahead();
        memchr::memchr(b'\n', ahead).is_some_and(|end| ahead[..end].ends_with(b"\r"))
    }

    /// If the next line has the shape, takes it and gives its place and that of its whitespace positions. Where the
    /// answer is None, nothing is consumed, and [`LineReader::next_line`] reads the line.
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

    /// Takes ordinary lines, empty lines behind them and comments between sentences, as long as they end within bounds
    /// and `each` goes on, which gets an ordinary line's field number `field`, or None for the empty line, and the number
    /// of the line. `is_comment` is asked of lines that begin as comments do.
    #[inline]
    pub(crate) fn ordinary_run<E>(
        &mut self,
        (shape, field): (LineShape, usize),
        bounds: Bounds,
        is_comment: impl Fn(&[u8]) -> bool,
        mut each: impl FnMut(Option<&[u8]>, u64) -> Result<(), E>,
    ) -> Run<E> {
        let (first, before) = (self.at, self.line);
        let (mut at, mut next, mut line) = (self.at, self.next_whitespace, self.line);
        let mut open = bounds.open;
        let mut result = Ok(());
        while !self.single && result.is_ok() {
            let Some(whitespace) = self.whitespace.get(next..next + shape.whitespace_count())
            else {
                break;
            };
            let blank_fits = at + shape.end() <= first + bounds.within;
            if open > 0 && blank_fits && shape.is_blank(&self.buffer, at, whitespace) {
                line += 1;
                (at, next, open) = (at + shape.end(), next + shape.end(), 0);
                result = each(None, line);
                continue;
            }
            let end = shape.line_end(&self.buffer, at, whitespace);
            let Some(end) = end.filter(|end| end - first <= bounds.within && open < bounds.most)
            else {
                let comment = self.comment(shape, (at, next), open, &is_comment);
                let Some((end, behind)) = comment.filter(|(end, _)| end - first <= bounds.within)
                else {
                    break;
                };
                (at, next, line) = (end, behind, line + 1);
                continue;
            };
            let begin = field
                .checked_sub(1)
                .and_then(|before| whitespace.get(before));
            let begin = begin.map_or(at, |&position| position as usize + 1);
            line += 1;
            result = each(Some(&self.buffer[begin..whitespace[field] as usize]), line);
            (at, next, open) = (end, next + shape.whitespace_count(), open + 1);
        }
        (self.at, self.next_whitespace, self.line) = (at, next, line);
        Run {
            lines: line - before,
            bytes: at - first,
            open,
            result,
        }
    }

    /// The end of the comment at `at` and the index of the first whitespace position behind it; None where no comment
    /// between two sentences is there.
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
