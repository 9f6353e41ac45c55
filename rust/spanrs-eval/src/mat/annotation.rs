//! Annotations for comparison as in MATScore.

use std::ops::Deref;

use spanrs_base::Span;

use crate::spans::Spans;

/// An annotation that is scored. The type of its span is its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Annotation {
    /// Bounds in characters, and the number of the label.
    span: Span,
    /// Number of the type before aliases and equivalence classes.
    pub(super) tag: u32,
}

impl Deref for Annotation {
    type Target = Span;

    fn deref(&self) -> &Span {
        &self.span
    }
}

impl Annotation {
    /// Returns how well the labels agree: 1 for equal labels, 0.5 for different labels of one type
    /// (aliases), else 0.
    pub(super) fn agreement(&self, other: &Self) -> f64 {
        match (self.ty == other.ty, self.tag == other.tag) {
            (true, _) => 1.0,
            (false, true) => 0.5,
            (false, false) => 0.0,
        }
    }
}

/// Replaces `annotations` by the annotations of a side. Positions that do not fit `u32` become
/// `u32::MAX`.
pub(super) fn set_annotations(annotations: &mut Vec<Annotation>, spans: Spans<'_>) {
    annotations.clear();
    let place = |place: i64| u32::try_from(place).unwrap_or(u32::MAX);
    annotations.extend(spans.all.iter().enumerate().map(|(at, span)| Annotation {
        span: Span {
            start: place(span.start),
            end: place(span.end),
            ty: span.ty,
        },
        tag: spans.tag(at),
    }));
}
