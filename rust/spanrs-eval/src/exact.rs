//! The exact matcher: a gold span is found if a pred span has the same type, start and end.
//!
//! Both sides are walked together, so no spans are built: at every token at most one span ends on a
//! side, and two spans are equal when they end together, began together and are of one type. This holds
//! for every reading, because none lets two spans of one side end at the same token.

use spanrs_base::Span;
use spanrs_tags::{CLOSE, Reader, VIOLATION, Walk, is_outside};

use crate::matcher::{Event, Matcher, Pair, Sink, Unmatched};
use crate::outcomes::{CORPUS, Cell, Criterion, Outcome, Schema};
use crate::spans::Spans;
use crate::tag_counts::{SpanCounts, TagCounts};
use crate::token_sets::Run;

const MATCH: u8 = 0;
const MISSED: u8 = 1;
const SPURIOUS: u8 = 2;
/// A pair of equal bounds and different types, each of which is missed and spurious besides.
const MISTYPED: u8 = 3;

/// What exact matching counts.
pub static SCHEMA: Schema = Schema {
    name: "exact",
    criteria: &[
        Criterion {
            renames: true,
            ..Criterion::new(
                "span",
                &[
                    Outcome::new("match", [1.0, 0.0, 0.0]),
                    Outcome::new("missed", [0.0, 0.0, 1.0]),
                    Outcome::new("spurious", [0.0, 1.0, 0.0]),
                    Outcome::unweighted("mistyped"),
                ],
            )
        },
        CORPUS,
    ],
};

/// The exact matcher. Of spans that are equal on one side each is matched with one of the other.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    /// Places of the spans of both sides, in reading order.
    sorted: [Vec<u32>; 2],
}

impl Matcher for Exact {
    fn schema(&self) -> &'static Schema {
        &SCHEMA
    }

    fn counts_tags(&self) -> bool {
        true
    }

    fn same(&self, ty: u32, n: u64, sink: &mut dyn Sink) {
        sink.count(Cell::new(0, MATCH, Some(ty), Some(ty)), n);
    }

    fn compare(&mut self, pair: &Pair<'_>, sink: &mut dyn Sink) -> Result<(), Unmatched> {
        let sides = [pair.gold, pair.pred];
        for (sorted, side) in self.sorted.iter_mut().zip(sides) {
            sorted.clear();
            sorted.extend(0..side.all.len() as u32);
            sorted.sort_by_key(|&at| key(side, at));
        }
        let [gold, pred] = &self.sorted;
        let (mut gold, mut pred) = (&gold[..], &pred[..]);
        let mut emit = |outcome, gold, pred| {
            sink.event(Event::new(0, outcome, gold, pred));
        };
        while let Some(first) = least(sides, gold, pred) {
            let bounds = (first.start, first.end);
            let of_side = |side: Spans<'_>, all: &[u32]| {
                all.partition_point(|&at| {
                    let span = side.all[at as usize];
                    (span.start, span.end) <= bounds
                })
            };
            let (golds, later_golds) = gold.split_at(of_side(pair.gold, gold));
            let (preds, later_preds) = pred.split_at(of_side(pair.pred, pred));
            (gold, pred) = (later_golds, later_preds);
            let (mut missed, mut spurious) = (Vec::new(), Vec::new());
            let (mut g, mut p) = (0, 0);
            while g < golds.len() || p < preds.len() {
                let order = match (golds.get(g), preds.get(p)) {
                    (Some(&g), Some(&p)) => key(pair.gold, g).cmp(&key(pair.pred, p)),
                    (Some(_), None) => std::cmp::Ordering::Less,
                    _ => std::cmp::Ordering::Greater,
                };
                match order {
                    std::cmp::Ordering::Equal => emit(MATCH, Some(golds[g]), Some(preds[p])),
                    std::cmp::Ordering::Less => missed.push(golds[g]),
                    std::cmp::Ordering::Greater => spurious.push(preds[p]),
                }
                g += usize::from(order.is_le());
                p += usize::from(order.is_ge());
            }
            // By place, so that the numbers of types do not matter.
            missed.sort_unstable();
            spurious.sort_unstable();
            missed.iter().for_each(|&at| emit(MISSED, Some(at), None));
            spurious
                .iter()
                .for_each(|&at| emit(SPURIOUS, None, Some(at)));
            for (&gold, &pred) in missed.iter().zip(&spurious) {
                let types = (
                    sides[0].all[gold as usize].ty,
                    sides[1].all[pred as usize].ty,
                );
                if types.0 != types.1 {
                    emit(MISTYPED, Some(gold), Some(pred));
                }
            }
        }
        Ok(())
    }

    fn boxed(&self) -> Box<dyn Matcher> {
        Box::new(self.clone())
    }
}

/// A span and the runs of its tokens.
type Key<'a> = (Span<i64>, Option<&'a [Run]>);

/// Spans are equal if their types, bounds and tokens are.
fn key(side: Spans<'_>, at: u32) -> Key<'_> {
    side.get(at as usize)
}

/// The first span of either side in reading order.
fn least([golds, preds]: [Spans<'_>; 2], gold: &[u32], pred: &[u32]) -> Option<Span<i64>> {
    let first = |side: Spans<'_>, all: &[u32]| Some(side.all[*all.first()? as usize]);
    let both = [first(golds, gold), first(preds, pred)];
    both.into_iter().flatten().min()
}

/// Tells the sink what the walk counted for a type.
pub(crate) fn emit(ty: u32, of_type: SpanCounts, sink: &mut dyn Sink) {
    let ty = Some(ty);
    for (outcome, gold, pred, n) in [
        (MATCH, ty, ty, of_type.tp),
        (MISSED, ty, None, of_type.gold - of_type.tp),
        (SPURIOUS, None, ty, of_type.pred - of_type.tp),
    ] {
        if n > 0 {
            sink.count(Cell::new(0, outcome, gold, pred), n);
        }
    }
}

/// The cell of spans with equal bounds and different types.
pub(crate) fn mistyped(gold: u32, pred: u32) -> Cell {
    Cell::new(0, MISTYPED, Some(gold), Some(pred))
}

/// What the walk saw on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Something may be wrong with the gold tags.
    pub gold: bool,
    /// Something may be wrong with the pred tags.
    pub pred: bool,
}

/// Counts one sentence, given as ids of `reader`.
#[inline]
pub(crate) fn count(
    counts: &mut TagCounts,
    reader: &Reader,
    gold: impl Iterator<Item = u32>,
    pred: impl Iterator<Item = u32>,
) -> Seen {
    counts.fit(reader.types().len());
    let (gold_entries, pred_entries) = (reader.gold().entries(), reader.pred().entries());
    let mut g = Walk::new(reader.gold().table());
    let mut p = Walk::new(reader.pred().table());
    let (mut g_seen, mut p_seen) = (0, 0);
    let (mut g_labelled, mut p_labelled) = (0, 0);
    let (mut tokens, mut correct) = (0, 0);
    let two_schemes = reader.has_two_schemes();
    for (gold_id, pred_id) in gold.zip(pred) {
        let (g_entry, p_entry) = (
            gold_entries[gold_id as usize],
            pred_entries[pred_id as usize],
        );
        correct += u32::from(if two_schemes {
            is_outside(g_entry) == is_outside(p_entry) && g_entry >> 8 == p_entry >> 8
        } else {
            gold_id == pred_id
        });
        // Most of a corpus is `O` on both sides, and the processor guesses that well; without this
        // branch every token would wait for the step of the one before.
        if g_entry | p_entry == 0 && g.rests() && p.rests() {
            tokens += 1;
            continue;
        }
        g_labelled += u64::from(!is_outside(g_entry));
        p_labelled += u64::from(!is_outside(p_entry));
        let (g_step, p_step) = (g.look(g_entry), p.look(p_entry));
        g_seen |= g_step;
        p_seen |= p_step;
        if (g_step | p_step) & CLOSE != 0 {
            close(counts, &g, g_step, &p, p_step);
        }
        g.advance(tokens, g_entry, g_step);
        p.advance(tokens, p_entry, p_step);
        tokens += 1;
    }
    let (g_step, p_step) = (g.finish(), p.finish());
    if (g_step | p_step) & CLOSE != 0 {
        close(counts, &g, g_step, &p, p_step);
    }
    counts.corpus.sentences += 1;
    counts.corpus.tokens += u64::from(tokens);
    counts.corpus.correct_tokens += u64::from(correct);
    counts.corpus.gold_labelled += g_labelled;
    counts.corpus.pred_labelled += p_labelled;
    Seen {
        gold: (g_seen | g_step) & VIOLATION != 0,
        pred: (p_seen | p_step) & VIOLATION != 0,
    }
}

/// Counts the spans that end here. Without branches, because where spans end is hard to guess: a side
/// on which none ends adds 0 to a type it had before.
#[inline(always)]
fn close(counts: &mut TagCounts, g: &Walk<'_>, g_step: u8, p: &Walk<'_>, p_step: u8) {
    let (g_ends, p_ends) = (g_step & CLOSE, p_step & CLOSE);
    let both = g_ends & p_ends & u8::from(g.begin == p.begin);
    let same = u8::from(g.ty == p.ty);
    let of_type = counts.of_type(g.ty);
    of_type.gold += u64::from(g_ends);
    of_type.tp += u64::from(both & same);
    counts.of_type(p.ty).pred += u64::from(p_ends);
    if both & !same & 1 != 0 {
        confuse(counts, g.ty, p.ty);
    }
}

/// Counts two spans with equal bounds and different types.
#[cold]
fn confuse(counts: &mut TagCounts, gold: u32, pred: u32) {
    *counts.confused.entry((gold, pred)).or_default() += 1;
}
