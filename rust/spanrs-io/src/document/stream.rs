//! Streaming of the documents of a source.

use super::annotated_text::Document;
use super::doccano;
use super::label_studio::Tasks;
use super::prodigy::Prodigy;
use super::records::Lines;
use crate::error::Result;

/// Reads the documents of a source; created by [`Reader::open`](super::Reader::open).
///
/// Only one document at a time is in memory. Annotations outside of the text are left out with a
/// report ([`Document::close`]). The iterator ends after the first error.
pub struct DocumentReader(Option<Records>);

/// Source of the documents.
enum Records {
    One(Document),
    Doccano(Lines),
    Prodigy(Prodigy),
    LabelStudio(Tasks),
}

impl DocumentReader {
    /// Creates a reader that returns a single document.
    pub(super) fn one(document: Document) -> Self {
        Self(Some(Records::One(document)))
    }

    /// Creates a reader of doccano lines.
    pub(super) fn doccano(lines: Lines) -> Self {
        Self(Some(Records::Doccano(lines)))
    }

    /// Creates a reader of Prodigy records.
    pub(super) fn prodigy(records: Prodigy) -> Self {
        Self(Some(Records::Prodigy(records)))
    }

    /// Creates a reader of Label Studio tasks.
    pub(super) fn label_studio(tasks: Tasks) -> Self {
        Self(Some(Records::LabelStudio(tasks)))
    }
}

impl Iterator for DocumentReader {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut records = self.0.take()?;
        let document = match &mut records {
            Records::One(document) => return Some(Ok(std::mem::take(document).close())),
            Records::Doccano(lines) => doccano::next(lines),
            Records::Prodigy(records) => records.next(),
            Records::LabelStudio(tasks) => tasks.next(),
        };
        let document = document.transpose()?;
        if document.is_ok() {
            self.0 = Some(records);
        }
        Some(document.map(Document::close))
    }
}
