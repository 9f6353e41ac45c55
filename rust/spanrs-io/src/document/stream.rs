//! Streaming of the documents of a source.

use super::annotated_text::Document;
use super::quirks::{Quirks, Tally};
use crate::error::{Result, one_line};

/// Reads the documents of a source one after another.
pub(super) trait Records: Send {
    /// Returns the next document; None at the end.
    fn next(&mut self) -> Result<Option<Document>>;

    /// Returns what users should know about the documents read so far, one sentence each, without
    /// the name of the file: skipped tasks, assumptions about offsets.
    fn notices(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// A source of a single document.
pub(super) struct One(pub(super) Option<Document>);

impl Records for One {
    fn next(&mut self) -> Result<Option<Document>> {
        Ok(self.0.take())
    }
}

/// Reads the documents of a source; created by [`Reader::open`](super::Reader::open).
///
/// Only one document at a time is in memory. Annotations outside of the text are left out with a
/// report ([`Document::close`]). The iterator ends after the first error.
pub struct DocumentReader {
    records: Box<dyn Records>,
    quirks: Quirks,
    tally: Tally,
    ended: bool,
}

impl DocumentReader {
    /// Creates a reader that applies `quirks` to every document.
    pub(super) fn new(records: Box<dyn Records>, quirks: Quirks) -> Self {
        Self {
            records,
            quirks,
            tally: Tally::default(),
            ended: false,
        }
    }

    /// Returns what users should know about the documents read so far, one sentence each: skipped
    /// tasks, trimmed annotations, offsets that probably count another unit. Line ends are escaped.
    pub fn notices(&mut self) -> Vec<String> {
        let mut notices = self.records.notices();
        notices.extend(self.tally.notices(&self.quirks));
        // Names and ids may have line ends.
        notices.into_iter().map(one_line).collect()
    }
}

impl Iterator for DocumentReader {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let document = self.records.next().transpose();
        self.ended = !matches!(document, Some(Ok(_)));
        Some(document?.map(|mut document| {
            self.quirks.apply(&mut document, &mut self.tally);
            document.close()
        }))
    }
}
