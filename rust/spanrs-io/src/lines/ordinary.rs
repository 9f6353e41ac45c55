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
    fn marks(self) -> usize {
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

    /// The end of the line that begins at `start`, if it has this shape; `marks` are the next places of white space.
    #[inline(always)]
    fn line_end(self, text: &[u8], start: usize, marks: &[u32]) -> Option<usize> {
        let first = *text.get(start)?;
        let mut regular = (first != b'#') & (first != b'-') & (first != self.comment);
        let (&line_end, between) = marks[..self.columns].split_last()?;
        let mut begin = start as u32;
        let [separator, other] = self.separators;
        for &mark in between {
            // Without branches; what does not fit is found at the end.
            let byte = *text.get(mark as usize)?;
            regular &= ((byte == separator) | (byte == other)) & (mark > begin);
            begin = mark + 1;
        }
        regular &= (*text.get(line_end as usize)? == self.end_byte()) & (line_end > begin);
        regular.then_some(line_end as usize + self.end())
    }

    /// True where an empty line is at `start`.
    #[inline(always)]
    fn is_blank(self, text: &[u8], start: usize, marks: &[u32]) -> bool {
        marks[0] as usize == start && text[start] == self.end_byte()
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

    /// If the next line has the shape, takes it and gives its place and that of its marks. It may be
    /// looked at anew with [`LineReader::next_marked`] where the answer is None.
    #[inline(always)]
    pub(crate) fn next_ordinary(
        &mut self,
        shape: LineShape,
    ) -> Option<(std::ops::Range<usize>, std::ops::Range<usize>)> {
        if self.single {
            return None;
        }
        let marks = self.mark..self.mark + shape.marks();
        let end = shape.line_end(&self.buffer, self.at, self.marks.get(marks.clone())?)?;
        let whole = self.at..end;
        let fields = marks.start..marks.start + shape.columns;
        (self.at, self.mark) = (end, marks.end);
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
        let (mut at, mut mark, mut line) = (self.at, self.mark, self.line);
        let mut open = bounds.open;
        let mut result = Ok(());
        while !self.single && result.is_ok() {
            let Some(marks) = self.marks.get(mark..mark + shape.marks()) else {
                break;
            };
            let blank_fits = at + shape.end() <= first + bounds.within;
            if open > 0 && blank_fits && shape.is_blank(&self.buffer, at, marks) {
                line += 1;
                (at, mark, open) = (at + shape.end(), mark + shape.end(), 0);
                result = each(None, line);
                continue;
            }
            let end = shape.line_end(&self.buffer, at, marks);
            let Some(end) = end.filter(|end| end - first <= bounds.within && open < bounds.most)
            else {
                let comment = self.comment(shape, (at, mark), open, &is_comment);
                let Some((end, behind)) = comment.filter(|(end, _)| end - first <= bounds.within)
                else {
                    break;
                };
                (at, mark, line) = (end, behind, line + 1);
                continue;
            };
            let begin = field.checked_sub(1).and_then(|before| marks.get(before));
            let begin = begin.map_or(at, |&mark| mark as usize + 1);
            line += 1;
            result = each(Some(&self.buffer[begin..marks[field] as usize]), line);
            (at, mark, open) = (end, mark + shape.marks(), open + 1);
        }
        (self.at, self.mark, self.line) = (at, mark, line);
        Run {
            lines: line - before,
            bytes: at - first,
            open,
            result,
        }
    }

    /// The end of the comment at `at` and the number of the mark behind it; None where no comment between two sentences
    /// is there.
    fn comment(
        &self,
        shape: LineShape,
        (at, mark): (usize, usize),
        open: usize,
        is_comment: impl Fn(&[u8]) -> bool,
    ) -> Option<(usize, usize)> {
        let first = *self.buffer.get(at)?;
        if open > 0 || first != b'#' && first != shape.comment {
            return None;
        }
        let marks = self.marks.get(mark..)?;
        let number = marks
            .iter()
            .position(|&mark| self.buffer[mark as usize] == b'\n')?;
        let end = marks[number] as usize + 1;
        is_comment(&self.buffer[at..end]).then_some((end, mark + number + 1))
    }
}
