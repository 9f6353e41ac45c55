//! Resolution of the spans without an equal span: steps 2 to 5 of the fair matcher.

use super::boundary_errors::Passes;
use super::labelling_errors::match_labelling_errors;
use super::outcomes::{FAIR, Kind, emit};
use super::remaining::{GOLD, PRED, Sides};
use crate::matcher::Sink;

/// Resolves remaining spans and keeps its buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Resolver {
    /// True if events must be in the documented order, so that a sentence is resolved as a whole.
    pub(super) in_order: bool,
    /// Spans without an equal span in the current group, or in the whole sentence if `in_order` is
    /// set.
    ///
    /// Cleared at the start of the next comparison, so that
    /// [`Matcher::reduced`](super::Matcher::reduced) can read them.
    pub(super) sides: Sides,
    /// Finds boundary errors.
    pub(super) passes: Passes,
}

impl Resolver {
    /// Removes the remaining spans of the previous group or sentence.
    pub(super) fn clear(&mut self) {
        for side in &mut self.sides {
            side.clear();
        }
    }

    /// Resolves the remaining spans: labelling errors, other overlapping pairs, then false
    /// negatives and false positives.
    pub(super) fn resolve(&mut self, sink: &mut dyn Sink) {
        if self.sides.iter().all(Vec::is_empty) {
            return;
        }
        if self.sides.iter().all(|side| !side.is_empty()) {
            match_labelling_errors(&mut self.sides, sink);
        }
        self.passes.match_overlapping(&mut self.sides, sink);
        for (side, kind) in [(GOLD, Kind::Fn), (PRED, Kind::Fp)] {
            let remaining = self.sides[side].iter().filter(|one| one.is_free());
            let mut emit_free = |at: u32| match kind {
                Kind::Fn => emit(sink, FAIR, kind, Some(at), None),
                _ => emit(sink, FAIR, kind, None, Some(at)),
            };
            if self.in_order {
                let mut free: Vec<(i64, u32)> =
                    remaining.map(|one| (one.length(), one.at)).collect();
                free.sort_unstable();
                free.into_iter().for_each(|(_, at)| emit_free(at));
            } else {
                remaining.for_each(|one| emit_free(one.at));
            }
        }
    }
}
