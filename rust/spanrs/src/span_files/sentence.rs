//! The spans of a sentence of one side, and their types.

use spanrs_base::{Position, Span, Vocabulary};
use spanrs_eval::{Spans, TokenSets, TypeFilter};

use crate::error::{Error, Result};

/// Maximum number of different types in one job.
pub(super) const TYPES: usize = 1 << 20;

/// The spans of a sentence of one side, in 0-based tokens. The buffers are reused for all
/// sentences.
#[derive(Default)]
pub(super) struct Sentence {
    /// Bounds and types of the spans.
    pub(super) spans: Vec<Span<i64>>,
    /// The line of each span, from 1.
    pub(super) lines: Vec<u64>,
    /// The tokens of each span; empty while all spans are contiguous.
    tokens: TokenSets,
    /// Whether any span does not have all tokens between its bounds.
    holes: bool,
}

impl Sentence {
    /// Begins the next sentence.
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.lines.clear();
        if self.holes {
            self.tokens = TokenSets::default();
            self.holes = false;
        }
    }

    /// Adds a span that has all tokens between its bounds.
    pub(super) fn push(&mut self, span: Span<i64>, line: u64) {
        if self.holes {
            self.tokens.push_whole();
        }
        self.spans.push(span);
        self.lines.push(line);
    }

    /// Adds a span that has only the given tokens, in ascending order.
    pub(super) fn push_tokens(
        &mut self,
        span: Span<i64>,
        line: u64,
        tokens: impl IntoIterator<Item = i64>,
    ) {
        if !self.holes {
            self.spans.iter().for_each(|_| self.tokens.push_whole());
            self.holes = true;
        }
        self.tokens.push((span.start, span.end), tokens);
        self.spans.push(span);
        self.lines.push(line);
    }

    /// Returns the spans as input for a matcher.
    pub(super) fn spans(&self) -> Spans<'_> {
        if self.holes {
            Spans::with_tokens(&self.spans, &self.tokens, 0)
        } else {
            Spans::whole(&self.spans)
        }
    }
}

/// Types by id, and whether each type counts.
pub(super) struct Types<'a> {
    /// Names of the types of both sides.
    pub(super) names: &'a mut Vocabulary,
    /// The filter that determines which types count.
    pub(super) filter: &'a TypeFilter,
    /// Whether each type counts, by id. Filled when types occur, so that a name is looked up in the
    /// filter only once.
    pub(super) counts: Vec<bool>,
}

impl Types<'_> {
    /// Returns the id of a type; None if the type does not count. `place` is called only for
    /// errors.
    ///
    /// # Errors
    /// [`Error::Tags`] for more than [`TYPES`] types.
    #[inline]
    pub(super) fn id(&mut self, name: &[u8], place: impl Fn() -> Position) -> Result<Option<u32>> {
        let id = self.names.intern_bytes(name).map_err(|error| Error::Tags {
            position: place(),
            error: error.into(),
        })?;
        while self.counts.len() <= id as usize {
            let name = self.names.name(self.counts.len() as u32);
            self.counts.push(self.filter.counts(name));
        }
        Ok(self.counts[id as usize].then_some(id))
    }
}
