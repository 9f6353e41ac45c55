//! Documents of one source, one after another.

use super::annotated_text::Document;
use super::doccano;
use super::label_studio::Tasks;
use super::prodigy::Prodigy;
use super::records::Lines;
use crate::error::Result;

/// Reads the documents of a source; created by [`Reader::open`](super::Reader::open).
///
/// One document is held at a time. Annotations that do not lie in the text are left out with a
/// report ([`Document::close`]). It ends with the first error.
pub struct DocumentReader(Option<Records>);

/// Where documents come from.
enum Records {
    One(Document),
    Doccano(Lines),
    Prodigy(Prodigy),
    LabelStudio(Tasks),
}

impl DocumentReader {
    /// Returns a document that was read.
    pub(super) fn one(document: Document) -> Self {
        Self(Some(Records::One(document)))
    }

    /// Reads lines of doccano.
    pub(super) fn doccano(lines: Lines) -> Self {
        Self(Some(Records::Doccano(lines)))
    }

    /// Reads records of Prodigy.
    pub(super) fn prodigy(records: Prodigy) -> Self {
        Self(Some(Records::Prodigy(records)))
    }

    /// Reads tasks of Label Studio.
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
