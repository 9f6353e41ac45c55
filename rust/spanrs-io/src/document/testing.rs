//! Helpers for the tests of several formats.

use super::annotated_text::Document;

/// Type, start and end of an annotation.
pub(super) type Row = (String, u32, u32);

/// Returns the annotations of a document.
pub(super) fn spans(document: &Document) -> Vec<Row> {
    let all = document.annotations.iter();
    all.map(|a| (document.type_of(a).to_owned(), a.start, a.end))
        .collect()
}

/// Returns expected annotations in the form of [`spans`].
pub(super) fn rows(rows: &[(&str, u32, u32)]) -> Vec<Row> {
    let owned = |&(ty, start, end): &(&str, u32, u32)| (ty.to_owned(), start, end);
    rows.iter().map(owned).collect()
}

/// Returns type, source and target of the relations of a document.
pub(super) fn links(document: &Document) -> Vec<(&str, u32, u32)> {
    let all = document.relations.iter();
    all.map(|r| (document.type_of_relation(r), r.from, r.to))
        .collect()
}
