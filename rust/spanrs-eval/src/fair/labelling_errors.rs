//! Step 2 of the fair matcher: labelling errors, spans with equal bounds and different types.

use std::collections::BTreeMap;

use spanrs_base::Span;

use super::outcomes::Kind;
use super::remaining::{GOLD, PRED, RemainingSpan, Sides, pair};
use crate::matcher::Sink;

/// Largest product of the numbers of remaining spans for which labelling errors are found by
/// comparing all pairs.
///
/// For larger products, an index by bounds ([`Bounds`]) is faster.
const FEW: usize = 1 << 10;

/// Finds labelling errors: each gold span, in the given order, takes the first free pred span with
/// equal bounds and another type.
///
/// Tokens are not compared. Removes the spans of these pairs from `sides`, so that later steps
/// ignore them. Compares all pairs if there are at most [`FEW`].
pub(super) fn match_labelling_errors(sides: &mut Sides, sink: &mut dyn Sink) {
    if sides[GOLD].len() * sides[PRED].len() <= FEW {
        for g in 0..sides[GOLD].len() {
            let gold = sides[GOLD][g].span;
            let found = sides[PRED].iter().position(|pred| {
                let (span, free) = (pred.span, pred.is_free());
                free && (span.start, span.end) == (gold.start, gold.end) && span.ty != gold.ty
            });
            if let Some(p) = found {
                pair(sides, Kind::Le, g, p, sink);
            }
        }
    } else {
        match_labelling_errors_by_index(sides, sink);
    }
    for side in sides {
        side.retain(RemainingSpan::is_free);
    }
}

/// Finds the same pairs as [`match_labelling_errors`] in O(n log n) time, for many spans.
///
/// Builds an index of the pred spans, from which each gold span takes the first fitting span.
fn match_labelling_errors_by_index(sides: &mut Sides, sink: &mut dyn Sink) {
    let mut free = Bounds::new(&sides[PRED]);
    for g in 0..sides[GOLD].len() {
        if let Some(p) = free.take(&sides[GOLD][g].span) {
            pair(sides, Kind::Le, g, p as usize, sink);
        }
    }
}

/// Index of free spans by bounds, and within the same bounds by type.
struct Bounds {
    /// Indices of the spans, sorted by bounds, type and index.
    sorted: Vec<u32>,
    /// For each pair of bounds, the first free span of each type.
    types: BTreeMap<(i64, i64), Heads>,
}

/// Index of the first free span of a type -> the type, and the range of the free spans of that type
/// in [`Bounds::sorted`].
///
/// Keyed by index, so that the first entry of another type is the first span of another type.
type Heads = BTreeMap<u32, (u32, usize, usize)>;

impl Bounds {
    /// Indexes all spans in O(n log n) time.
    fn new(remaining: &[RemainingSpan]) -> Self {
        let key = |at: u32| {
            let span = remaining[at as usize].span;
            (span.start, span.end, span.ty)
        };
        let mut sorted: Vec<u32> = (0..remaining.len() as u32).collect();
        sorted.sort_by_key(|&at| key(at));
        let mut types: BTreeMap<_, Heads> = BTreeMap::new();
        let mut start = 0;
        for run in sorted.chunk_by(|&a, &b| key(a) == key(b)) {
            let (first, last, ty) = key(run[0]);
            let heads = types.entry((first, last)).or_default();
            heads.insert(run[0], (ty, start, start + run.len()));
            start += run.len();
        }
        Self { sorted, types }
    }

    /// Removes and returns the index of the first span with the bounds of `span` and another type,
    /// in O(log n) time.
    fn take(&mut self, span: &Span<i64>) -> Option<u32> {
        let heads = self.types.get_mut(&(span.start, span.end))?;
        // At most one entry has the type of the span, so at most two entries are examined.
        let found = heads.iter().find(|(_, (ty, ..))| *ty != span.ty);
        let (&place, &(ty, start, end)) = found?;
        heads.remove(&place);
        if start + 1 < end {
            heads.insert(self.sorted[start + 1], (ty, start + 1, end));
        }
        Some(place)
    }
}
