//! Steps 1 and 2 of the fair matcher: equal spans, and spans with equal bounds and different types.
//!
//! Sides in reading order without duplicates, the usual case, are merged in linear time without
//! sorting. Other sides are sorted first. Whatever has no equal becomes a [`RemainingSpan`], in the
//! order given.
//!
//! Duplicates count differently under the two criteria. For gold with `PER` 0..2 twice:
//!
//! | pred `PER` 0..2 | `traditional` | `fair` |
//! |---|---|---|
//! | once | 2 `tp` | 1 `tp`, the other one remains |
//! | twice | 2 `tp` | 2 `tp` |
//! | three times | 2 `tp` | 2 `tp`, the third one remains |
//!
//! Spans with equal bounds and types, but different tokens, are not equal, and no other step pairs
//! them with each other: they are a false negative and a false positive, unless they find other
//! partners.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::remaining::RemainingSpan;
use super::{FAIR, GOLD, Kind, Matcher, PRED, Sink, Spans, TRADITIONAL, emit, emit_equal};
use spanrs_base::Span;

/// Largest product of the numbers of remaining spans for which labelling errors are found by
/// comparing all pairs.
///
/// Above it an index by bounds ([`Bounds`]) is cheaper.
const FEW: usize = 1 << 10;

/// Work space for sides that have to be sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    /// By side: indices of the spans in reading order; equal spans are adjacent and in the order
    /// given.
    sorted: [Vec<u32>; 2],
    /// By side and index of the span: whether it is in a pair of equal spans.
    paired: [Vec<bool>; 2],
}

/// Returns true if the spans are in reading order without duplicates. Tokens are not compared.
fn is_plain(spans: Spans<'_>) -> bool {
    spans.all.windows(2).all(|two| two[0] < two[1])
}

impl Matcher {
    /// Reports traditional outcomes and pairs of equal spans, and collects the others in `sides`.
    ///
    /// Chooses between three ways: sides that are equal throughout (or the same memory) are paired
    /// position by position; plain sides are merged, beginning after their common prefix; others
    /// are sorted first.
    pub(super) fn match_equal(&mut self, gold: Spans<'_>, pred: Spans<'_>, sink: &mut dyn Sink) {
        let whole = gold.all_whole() && pred.all_whole();
        // Most sentences of most corpora are equal on both sides, and the others have a common prefix.
        let same = if !whole {
            0
        } else if std::ptr::eq(gold.all, pred.all) {
            // Both sides may be the same memory.
            gold.all.len()
        } else {
            let pairs = gold.all.iter().zip(pred.all);
            pairs.take_while(|(gold, pred)| gold == pred).count()
        };
        let all = same == gold.all.len() && same == pred.all.len();
        if all || whole && is_plain(gold) && is_plain(pred) {
            (0..same).for_each(|at| emit_equal(sink, at, at));
            if !all {
                self.merge_sorted(gold, pred, same, sink);
            }
        } else {
            // With duplicates or gaps, equal spans are found by sorting.
            self.sort_and_match(gold, pred, sink);
        }
    }

    /// Merges two sides that are in reading order without duplicates and without gaps; the first
    /// `same` spans are equal on both and were reported already.
    ///
    /// Remaining spans are resolved as soon as no later span can overlap them, so that long
    /// sentences stay small problems. That reorders events, so it is not done if `in_order`; and it
    /// needs spans that are not empty, because only those end after everything that overlaps them
    /// has begun. O(gold + pred), apart from resolving.
    fn merge_sorted(
        &mut self,
        golds: Spans<'_>,
        preds: Spans<'_>,
        same: usize,
        sink: &mut dyn Sink,
    ) {
        let (gold, pred) = (golds.all, preds.all);
        let (mut g, mut p) = (same, same);
        let solid = |spans: &[Span<i64>]| spans.iter().all(|span| span.start < span.end);
        let at_once = !self.in_order && solid(&gold[same..]) && solid(&pred[same..]);
        let mut end = i64::MIN;
        while g < gold.len() || p < pred.len() {
            let order = match (gold.get(g), pred.get(p)) {
                (Some(gold), Some(pred)) => gold.cmp(pred),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            if order == Ordering::Equal {
                emit_equal(sink, g, p);
            } else {
                let (side, spans, at) = match order {
                    Ordering::Less => (GOLD, golds, g),
                    _ => (PRED, preds, p),
                };
                let span = spans.all[at];
                if at_once && span.start >= end {
                    self.resolve_remaining(sink);
                    self.clear_remaining();
                }
                end = end.max(span.end);
                match side {
                    GOLD => emit(sink, TRADITIONAL, Kind::Fn, Some(at as u32), None),
                    _ => emit(sink, TRADITIONAL, Kind::Fp, None, Some(at as u32)),
                }
                self.sides[side].push(RemainingSpan::new(spans, at));
            }
            g += usize::from(order != Ordering::Greater);
            p += usize::from(order != Ordering::Less);
        }
    }

    /// Pairs equal spans of sides in any order, with duplicates or gaps.
    ///
    /// Of several equal spans the first are paired first. For the traditional criterion every gold
    /// duplicate answers the first equal pred span. O(n log n).
    fn sort_and_match(&mut self, gold: Spans<'_>, pred: Spans<'_>, sink: &mut dyn Sink) {
        let mut buffers = std::mem::take(&mut self.equal);
        let sides = [gold, pred];
        let key = |side: usize, at: u32| {
            let spans: Spans<'_> = sides[side];
            (spans.all[at as usize], spans.runs(at as usize))
        };
        for (side, spans) in sides.iter().enumerate() {
            let (sorted, paired) = (&mut buffers.sorted[side], &mut buffers.paired[side]);
            sorted.clear();
            sorted.extend(0..spans.all.len() as u32);
            sorted.sort_by(|&a, &b| key(side, a).cmp(&key(side, b)));
            paired.clear();
            paired.resize(spans.all.len(), false);
        }
        let [mut golds, mut preds] = [&buffers.sorted[GOLD][..], &buffers.sorted[PRED][..]];
        while !golds.is_empty() || !preds.is_empty() {
            let least = match (golds.first(), preds.first()) {
                (Some(&g), Some(&p)) => key(GOLD, g).min(key(PRED, p)),
                (Some(&g), None) => key(GOLD, g),
                (None, Some(&p)) => key(PRED, p),
                (None, None) => break,
            };
            let equal = |side, of: &[u32]| of.partition_point(|&at| key(side, at) <= least);
            let (g, p) = (equal(GOLD, golds), equal(PRED, preds));
            for &gold in &golds[..g] {
                let kind = if p > 0 { Kind::Tp } else { Kind::Fn };
                emit(
                    sink,
                    TRADITIONAL,
                    kind,
                    Some(gold),
                    preds[..p].first().copied(),
                );
            }
            if g == 0 {
                for &pred in &preds[..p] {
                    emit(sink, TRADITIONAL, Kind::Fp, None, Some(pred));
                }
            }
            for (&g, &p) in golds[..g].iter().zip(&preds[..p]) {
                buffers.paired[GOLD][g as usize] = true;
                buffers.paired[PRED][p as usize] = true;
                emit(sink, FAIR, Kind::Tp, Some(g), Some(p));
            }
            (golds, preds) = (&golds[g..], &preds[p..]);
        }
        for (side, spans) in sides.iter().enumerate() {
            for at in (0..spans.all.len()).filter(|&at| !buffers.paired[side][at]) {
                self.sides[side].push(RemainingSpan::new(*spans, at));
            }
        }
        self.equal = buffers;
    }

    /// Makes labelling errors: gold in the order given takes the first free pred span with its
    /// bounds and another type.
    ///
    /// Tokens are not consulted. Removes the spans of these pairs from `sides`, so that they take
    /// part in no later step. Compares all pairs up to [`FEW`] of them.
    pub(super) fn match_labelling_errors(&mut self, sink: &mut dyn Sink) {
        if self.sides[GOLD].len() * self.sides[PRED].len() <= FEW {
            for g in 0..self.sides[GOLD].len() {
                let gold = self.sides[GOLD][g].span;
                let found = self.sides[PRED].iter().position(|pred| {
                    let (span, free) = (pred.span, pred.is_free());
                    free && (span.start, span.end) == (gold.start, gold.end) && span.ty != gold.ty
                });
                if let Some(p) = found {
                    self.pair(Kind::Le, g, p, sink);
                }
            }
        } else {
            self.match_labelling_errors_by_index(sink);
        }
        for side in &mut self.sides {
            side.retain(RemainingSpan::is_free);
        }
    }

    /// Finds the same pairs as [`Matcher::match_labelling_errors`] in O(n log n), for many spans.
    ///
    /// Builds an index of the pred spans, from which each gold span takes the first that fits.
    fn match_labelling_errors_by_index(&mut self, sink: &mut dyn Sink) {
        let mut free = Bounds::new(&self.sides[PRED]);
        for g in 0..self.sides[GOLD].len() {
            if let Some(p) = free.take(&self.sides[GOLD][g].span) {
                self.pair(Kind::Le, g, p as usize, sink);
            }
        }
    }
}

/// Index of free spans by bounds, and within the same bounds by type.
struct Bounds {
    /// Indices of the spans, sorted by bounds, type and index.
    sorted: Vec<u32>,
    /// By bounds: the first free span of each type.
    types: BTreeMap<(i64, i64), Heads>,
}

/// Index of the first free span of a type -> the type, and the range of the free spans of that type
/// in [`Bounds::sorted`].
///
/// Keyed by index, so that the first entry of another type is the first span of another type.
type Heads = BTreeMap<u32, (u32, usize, usize)>;

impl Bounds {
    /// Indexes all spans. O(n log n).
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

    /// Removes and returns the index of the first span with the bounds of `span` and another type.
    /// O(log n).
    fn take(&mut self, span: &Span<i64>) -> Option<u32> {
        let heads = self.types.get_mut(&(span.start, span.end))?;
        // At most one entry has the type of the span, so that this looks at two at most.
        let found = heads.iter().find(|(_, (ty, ..))| *ty != span.ty);
        let (&place, &(ty, start, end)) = found?;
        heads.remove(&place);
        if start + 1 < end {
            heads.insert(self.sorted[start + 1], (ty, start + 1, end));
        }
        Some(place)
    }
}
