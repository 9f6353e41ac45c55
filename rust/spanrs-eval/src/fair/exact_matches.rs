//! Step 1 of the fair matcher: equal spans.
//!
//! Sides in reading order without duplicates, the usual case, are merged in linear time without
//! sorting. Other sides are sorted first. Spans without an equal span become [`RemainingSpan`]s, in
//! the given order.
//!
//! Duplicates are counted differently under the two criteria. For gold with `PER` 0..2 twice:
//!
//! | pred `PER` 0..2 | `traditional` | `fair` |
//! |---|---|---|
//! | once | 2 `tp` | 1 `tp`, the other span remains |
//! | twice | 2 `tp` | 2 `tp` |
//! | three times | 2 `tp` | 2 `tp`, the third span remains |
//!
//! Spans with equal bounds and types but different tokens are not equal, and no other step pairs
//! them with each other: they are a false negative and a false positive, unless they are paired
//! with other spans.

use std::cmp::Ordering;

use spanrs_base::Span;

use super::outcomes::{FAIR, Kind, TRADITIONAL, emit, emit_equal};
use super::remaining::{GOLD, PRED, RemainingSpan};
use super::resolver::Resolver;
use crate::matcher::Sink;
use crate::spans::Spans;

/// Finds equal spans, and keeps the buffers for sides that must be sorted.
#[derive(Clone, Debug, Default)]
pub(super) struct EqualSpans {
    /// For each side, the indices of the spans in reading order; equal spans are adjacent and in
    /// the given order.
    sorted: [Vec<u32>; 2],
    /// For each side and span, whether the span is in a pair of equal spans.
    paired: [Vec<bool>; 2],
}

/// Returns true if the spans are in reading order without duplicates. Tokens are not compared.
fn is_plain(spans: Spans<'_>) -> bool {
    spans.all.windows(2).all(|two| two[0] < two[1])
}

impl EqualSpans {
    /// Reports traditional outcomes and pairs of equal spans, and passes the remaining spans to
    /// `resolver`.
    ///
    /// There are three methods: sides that are completely equal (or the same memory) are paired
    /// position by position; plain sides are merged after their common prefix; other sides are
    /// sorted first.
    pub(super) fn match_equal(
        &mut self,
        gold: Spans<'_>,
        pred: Spans<'_>,
        resolver: &mut Resolver,
        sink: &mut dyn Sink,
    ) {
        let whole = gold.all_whole() && pred.all_whole();
        // Most sentences in most corpora are equal on both sides, and the others have a common
        // prefix.
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
                merge_sorted(gold, pred, same, resolver, sink);
            }
        } else {
            // With duplicates or gaps, equal spans are found by sorting.
            self.sort_and_match(gold, pred, resolver, sink);
        }
    }

    /// Pairs equal spans of sides in any order, with duplicates or gaps.
    ///
    /// Equal spans are paired in the given order. For the traditional criterion, every gold
    /// duplicate is matched with the first equal pred span. Takes O(n log n) time.
    fn sort_and_match(
        &mut self,
        gold: Spans<'_>,
        pred: Spans<'_>,
        resolver: &mut Resolver,
        sink: &mut dyn Sink,
    ) {
        let sides = [gold, pred];
        let key = |side: usize, at: u32| {
            let spans: Spans<'_> = sides[side];
            (spans.all[at as usize], spans.runs(at as usize))
        };
        for (side, spans) in sides.iter().enumerate() {
            let (sorted, paired) = (&mut self.sorted[side], &mut self.paired[side]);
            sorted.clear();
            sorted.extend(0..spans.all.len() as u32);
            sorted.sort_by(|&a, &b| key(side, a).cmp(&key(side, b)));
            paired.clear();
            paired.resize(spans.all.len(), false);
        }
        let [mut golds, mut preds] = [&self.sorted[GOLD][..], &self.sorted[PRED][..]];
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
                self.paired[GOLD][g as usize] = true;
                self.paired[PRED][p as usize] = true;
                emit(sink, FAIR, Kind::Tp, Some(g), Some(p));
            }
            (golds, preds) = (&golds[g..], &preds[p..]);
        }
        for (side, spans) in sides.iter().enumerate() {
            for at in (0..spans.all.len()).filter(|&at| !self.paired[side][at]) {
                resolver.sides[side].push(RemainingSpan::new(*spans, at));
            }
        }
    }
}

/// Merges two sides that are in reading order without duplicates and without gaps; the first `same`
/// spans are equal on both sides and were already reported.
///
/// Remaining spans are resolved as soon as no later span can overlap them, so that long sentences
/// are split into small problems. This reorders events, so it is not done if `in_order` is set; and
/// it requires non-empty spans, because only these end after all spans that overlap them have
/// begun. Takes O(gold + pred) time, apart from resolving.
fn merge_sorted(
    golds: Spans<'_>,
    preds: Spans<'_>,
    same: usize,
    resolver: &mut Resolver,
    sink: &mut dyn Sink,
) {
    let (gold, pred) = (golds.all, preds.all);
    let (mut g, mut p) = (same, same);
    let solid = |spans: &[Span<i64>]| spans.iter().all(|span| span.start < span.end);
    let at_once = !resolver.in_order && solid(&gold[same..]) && solid(&pred[same..]);
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
                resolver.resolve(sink);
                resolver.clear();
            }
            end = end.max(span.end);
            match side {
                GOLD => emit(sink, TRADITIONAL, Kind::Fn, Some(at as u32), None),
                _ => emit(sink, TRADITIONAL, Kind::Fp, None, Some(at as u32)),
            }
            resolver.sides[side].push(RemainingSpan::new(spans, at));
        }
        g += usize::from(order != Ordering::Greater);
        p += usize::from(order != Ordering::Less);
    }
}
