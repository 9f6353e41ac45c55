//! Habits of annotators and of tools that change the bounds of annotations.

use serde::Deserialize;

use super::annotated_text::Document;

/// Options for the bounds of annotations.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {}

/// Evidence and counts over all documents of a source.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {}

impl Quirks {
    /// Changes the bounds of the annotations of a document as requested, and collects evidence.
    pub(super) fn apply(&self, _document: &mut Document, _tally: &mut Tally) {}
}

impl Tally {
    /// Returns what users should know, one sentence each.
    pub(super) fn notices(&self, _quirks: &Quirks) -> Vec<String> {
        Vec::new()
    }
}
