//! Sentences of a span file.

use spanrs_base::Interner;
use spanrs_io::{SpanFileReader, SpanLine};

use crate::Progress;
use crate::error::{Error, Result};

/// Number of spans after which a chunk ends with the sentence.
const SPANS: usize = 1 << 13;

/// Reader of the sentences of a span file, in chunks of about 8,192 spans.
///
/// Blank lines end a sentence, as many as there are in a row; the file cannot hold a sentence
/// without spans.
///
/// # Examples
/// ```
/// use spanrs::SpanSentences;
/// use spanrs::io::{LineReader, SpanFileReader};
/// let text = "PER\t6\t7\t6, 7\nORG\t2\t4\t2, 4\n\nPER\t1\t1\t1\n";
/// let lines = LineReader::new("example", Box::new(text.as_bytes()), Default::default())?;
/// let mut sentences = SpanSentences::new(SpanFileReader::new(lines));
/// let chunk = sentences.next(&mut |_| true)?.unwrap();
/// let span = &chunk.sentences[0].spans[1];
/// assert_eq!((chunk.types.name(span.ty), span.start, span.end), (Some("ORG"), 1, 4));
/// assert_eq!(span.tokens.as_deref(), Some(&[1, 3][..]));
/// assert_eq!((chunk.sentences.len(), chunk.sentences[1].line), (2, 4));
/// assert!(sentences.next(&mut |_| true)?.is_none());
/// # Ok::<(), spanrs::Error>(())
/// ```
pub struct SpanSentences {
    reader: SpanFileReader,
    /// What is wrong behind the sentences of the last chunk.
    failure: Option<Error>,
}

/// Consecutive sentences of a span file.
#[derive(Debug, Default)]
pub struct SpanChunk {
    /// The distinct types, in the order in which they first occur in the chunk.
    pub types: Interner<str>,
    /// The sentences.
    pub sentences: Vec<SpanSentence>,
}

/// A sentence of a [`SpanChunk`].
#[derive(Debug)]
pub struct SpanSentence {
    /// Its spans, in the order of the file; at least one.
    pub spans: Vec<LocatedSpan>,
    /// Line of the first span, from 1.
    pub line: u64,
}

/// A span of a [`SpanSentence`], in tokens from 0.
#[derive(Debug)]
pub struct LocatedSpan {
    /// The type, as a number of [`SpanChunk::types`].
    pub ty: u32,
    /// First token.
    pub start: i64,
    /// One past the last token.
    pub end: i64,
    /// The tokens, ascending; None if they are all between the bounds.
    pub tokens: Option<Vec<i64>>,
}

impl SpanSentences {
    /// Creates a reader of the sentences of a span file.
    pub fn new(reader: SpanFileReader) -> Self {
        Self {
            reader,
            failure: None,
        }
    }

    /// Reads the next sentences; None at the end of the file.
    ///
    /// # Errors
    /// Those of reading the file; [`Error::Stopped`]. The sentences before an error are returned
    /// first.
    pub fn next(&mut self, progress: &mut Progress<'_>) -> Result<Option<SpanChunk>> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let mut chunk = SpanChunk::default();
        let mut open = Vec::new();
        if let Err(error) = self.fill(&mut chunk, &mut open) {
            if chunk.sentences.is_empty() {
                return Err(error);
            }
            self.failure = Some(error);
        }
        match progress(self.reader.bytes_read()) {
            true => Ok((!chunk.sentences.is_empty()).then_some(chunk)),
            false => Err(Error::Stopped),
        }
    }

    /// Reads lines until the chunk is full. `open` holds the spans of the sentence that is read.
    fn fill(&mut self, chunk: &mut SpanChunk, open: &mut Vec<LocatedSpan>) -> Result<()> {
        let (mut spans, mut line) = (0, 0);
        while let Some(kind) = self.reader.next_line()? {
            if kind == SpanLine::Span {
                if open.is_empty() {
                    line = self.reader.line();
                }
                spans += 1;
                open.push(self.span(&mut chunk.types));
                continue;
            }
            chunk.end_sentence(open, line);
            if spans >= SPANS {
                return Ok(());
            }
        }
        chunk.end_sentence(open, line);
        Ok(())
    }

    /// Returns the span that was read last.
    fn span(&self, types: &mut Interner<str>) -> LocatedSpan {
        let (begin, end) = self.reader.bounds();
        let tokens = self.reader.tokens();
        // The lines were checked when they were read, so nothing is ever replaced by "".
        let name = std::str::from_utf8(self.reader.name()).unwrap_or_default();
        LocatedSpan {
            ty: types.intern(name),
            start: begin - 1,
            end,
            tokens: tokens.map(|tokens| tokens.iter().map(|token| token - 1).collect()),
        }
    }
}

impl SpanChunk {
    /// Adds the sentence that is open, if it has spans.
    fn end_sentence(&mut self, open: &mut Vec<LocatedSpan>, line: u64) {
        if !open.is_empty() {
            let spans = std::mem::take(open);
            self.sentences.push(SpanSentence { spans, line });
        }
    }
}

#[cfg(test)]
mod tests {
    use spanrs_io::LineReader;

    use super::*;

    #[test]
    fn chunks_end_with_sentences_and_errors_come_last() {
        let text = "PER\t1\t1\t1\nLOC\t2\t2\t\n\n\n".repeat(SPANS) + "PER\t2\t1\t1\n";
        let source = Box::new(std::io::Cursor::new(text));
        let lines = LineReader::new("t", source, Default::default()).unwrap();
        let mut sentences = SpanSentences::new(SpanFileReader::new(lines));
        for _ in 0..2 {
            let chunk = sentences.next(&mut |_| true).unwrap().unwrap();
            assert_eq!((chunk.sentences.len(), chunk.types.len()), (SPANS / 2, 2));
        }
        let error = sentences.next(&mut |_| true).unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("t:{}: the span ends", 4 * SPANS + 1)),
            "{error}"
        );
        let empty = LineReader::new("t", Box::new(&b"\n\n"[..]), Default::default()).unwrap();
        let mut sentences = SpanSentences::new(SpanFileReader::new(empty));
        assert!(sentences.next(&mut |_| true).unwrap().is_none());
        assert!(matches!(
            sentences.next(&mut |_| false),
            Err(Error::Stopped)
        ));
    }
}
