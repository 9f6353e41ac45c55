//! Reading the sentences of a span file.
//!
//! Tokens in the file are numbered from 1 and ends are inclusive: `PER 6 7` becomes the span 5..7.
//! Blank lines before the first span of a sentence are skipped, so several blank lines in a row end
//! one sentence.

use spanrs_base::Position;
use spanrs_base::Span;
use spanrs_io::{SpanFileReader, SpanLine};

use super::sentence::{Sentence, Types};
use crate::Reporter;
use crate::error::Result;

/// Reader of the sentences of a span file.
pub(super) struct Reader(SpanFileReader);

impl Reader {
    /// Reads from the lines of a span file.
    pub(super) fn new(reader: SpanFileReader) -> Self {
        Self(reader)
    }

    /// Returns the path of the file.
    pub(super) fn path(&self) -> &str {
        self.0.path()
    }

    /// Returns the number of the last line read, from 1.
    pub(super) fn line(&self) -> u64 {
        self.0.line()
    }

    /// Reads the next sentence into `sentence`, which is empty, and stores its first line in
    /// `first`; false at the end of the file. A sentence in which no type counts is a sentence
    /// without spans.
    ///
    /// # Errors
    /// Errors from reading the file; [`Error::Tags`](crate::Error::Tags) for too many types;
    /// [`Error::Stopped`](crate::Error::Stopped).
    pub(super) fn next(
        &mut self,
        sentence: &mut Sentence,
        first: &mut u64,
        types: &mut Types<'_>,
        reporter: &mut Reporter<'_, '_>,
    ) -> Result<bool> {
        let reader = &mut self.0;
        let mut open = false;
        while let Some(line) = reader.next_line()? {
            reporter.line(|| reader.bytes_read())?;
            if line == SpanLine::Blank {
                if open {
                    return Ok(true);
                }
                continue;
            }
            if !open {
                *first = reader.line();
                open = true;
            }
            let place = || Position::line(reader.path(), reader.line());
            let Some(ty) = types.id(reader.name(), place)? else {
                continue;
            };
            let (begin, end) = reader.bounds();
            let span = Span {
                start: begin - 1,
                end,
                ty,
            };
            match reader.tokens() {
                None => sentence.push(span, reader.line()),
                Some(tokens) => {
                    let tokens = tokens.iter().map(|token| token - 1);
                    sentence.push_tokens(span, reader.line(), tokens);
                }
            }
        }
        Ok(open)
    }
}
