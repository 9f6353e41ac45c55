//! Sentences of a span file.

use spanrs_base::Position;
use spanrs_base::Span;
use spanrs_io::{SpanFileReader, SpanLine};

use super::{Sentence, Types};
use crate::Reporter;
use crate::error::Result;

pub(super) struct Reader(SpanFileReader);

impl Reader {
    pub(super) fn new(reader: SpanFileReader) -> Self {
        Self(reader)
    }

    pub(super) fn path(&self) -> &str {
        self.0.path()
    }

    pub(super) fn line(&self) -> u64 {
        self.0.line()
    }

    /// Reads the next sentence and notes its first line; false at the end of the file.
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
                None => sentence.push(span),
                Some(tokens) => sentence.push_tokens(span, tokens.iter().map(|token| token - 1)),
            }
        }
        Ok(open)
    }
}
