//! Reading a file of predictions in parallel with gold, without splitting lines that are equal in
//! both files.

use std::ops::Range;

use super::ordinary::is_plain_comment;
use super::{ColumnReader, Event};
use crate::layout::Layout;
use crate::lines::{Bounds, OrdinaryLine, OrdinaryLines};

/// Receives the lines of [`ColumnReader::follow_lines`].
pub trait SameLines {
    /// Receives a token line and its line number in gold; returning false ends the run.
    fn token(&mut self, line: SameLine<'_>, number: u64) -> bool;

    /// Receives the line number in gold of an empty line that ends a sentence; the ranges of
    /// earlier lines of the run refer to `buffer`. Returning false ends the run.
    fn end(&mut self, buffer: &[u8], number: u64) -> bool;
}

/// Adapter that adds the layout to each line and passes the line to `sink`.
struct LaidOut<'a, S> {
    sink: &'a mut S,
    layout: &'a Layout,
}

impl<S: SameLines> OrdinaryLines for LaidOut<'_, S> {
    #[inline(always)]
    fn token(&mut self, line: OrdinaryLine<'_>, number: u64) -> bool {
        let layout = self.layout;
        self.sink.token(SameLine { line, layout }, number)
    }

    #[inline(always)]
    fn end(&mut self, buffer: &[u8], number: u64) -> bool {
        self.sink.end(buffer, number)
    }
}

/// A token line that is equal in gold and pred.
#[derive(Clone, Copy)]
pub struct SameLine<'a> {
    line: OrdinaryLine<'a>,
    layout: &'a Layout,
}

impl<'a> SameLine<'a> {
    /// Returns the tag.
    #[inline(always)]
    pub fn tag(self) -> &'a [u8] {
        self.line.field(self.layout.tag)
    }

    /// Returns the range of the token, for [`SameLines::end`] and [`ColumnReader::buffered`]; empty
    /// in a file that contains only tags.
    #[inline(always)]
    pub fn token_range(self) -> Range<usize> {
        self.line.range(self.layout.token)
    }
}

impl ColumnReader {
    /// Prepares for following `other` with [`ColumnReader::follow`]. Returns false if equal lines
    /// may have different meanings in the two files.
    pub fn can_follow(&mut self, other: &Self) -> bool {
        let alike = self.layout == other.layout
            && self.options == other.options
            && self.layout.conllu.is_none();
        if alike {
            self.lines.look_at_single_lines();
        }
        alike
    }

    /// Passes ordinary lines that are identical in both files to `sink` until `sink` returns false;
    /// returns the number of lines. [`ColumnReader::can_follow`] must have returned true. The
    /// fields of the last lines are no longer available afterwards.
    #[inline]
    pub fn follow_lines(&mut self, gold: &mut Self, sink: &mut impl SameLines) -> u64 {
        let Some(shape) = gold.ordinary else {
            return 0;
        };
        // The pending document must be reported before any further line.
        if gold.pending_document {
            return 0;
        }
        // The error for a sentence that is too long is raised when lines are read one by one.
        let bounds = Bounds {
            within: self.lines.same_ahead(&gold.lines),
            open: gold.tokens,
            max_tokens: gold.max_tokens,
        };
        let (layout, options) = (&gold.layout, &gold.options);
        let is_comment = |line: &[u8]| is_plain_comment(line, layout, options);
        let mut sink = LaidOut { sink, layout };
        let run = gold
            .lines
            .ordinary_run(shape, bounds, is_comment, &mut sink);
        if run.lines > 0 {
            self.lines.pass_same(run.lines, run.bytes);
            (gold.tokens, self.tokens) = (run.open, run.open);
            (gold.any, self.any) = (true, true);
        }
        run.lines
    }

    /// Skips the next line if it is byte-identical to the line of the last event of `other`, and
    /// returns whether it was skipped. Event, token and tag are then the same as in `other`.
    ///
    /// Predictions typically differ from gold in a few percent of the lines; all other lines need
    /// not be split. [`ColumnReader::can_follow`] must have returned true, and both readers must be
    /// at the same event.
    #[inline]
    pub fn follow(&mut self, other: &Self, event: Event) -> bool {
        let (line, place) = (other.whole(), other.whole.clone());
        let follows = match event {
            Event::Token => line.ends_with(b"\n") && self.lines.pass(&other.lines, place),
            Event::Sentence => {
                line == b"\n" && self.tokens > 0 && self.lines.pass(&other.lines, place)
            }
            Event::Document => false,
        };
        if follows {
            self.tokens = if event == Event::Token {
                self.tokens + 1
            } else {
                0
            };
            self.any = true;
        }
        follows
    }
}
