//! The exact matcher: a gold span matches a pred span with the same type, start, end and tokens.
//!
//! There are two ways of counting, which give the same counts. Tags are counted while walking over
//! both sides ([`count`]), without building spans: at every token at most one span ends on a side,
//! and two spans are equal if they end together, began together and have the same type. This is
//! valid for every reading, because in no reading two spans on one side end at the same token.
//! Spans from other sources, which may overlap or repeat, are sorted and merged
//! ([`Exact::compare`]).
//!
//! | gold | pred | outcomes |
//! |---|---|---|
//! | `PER` 0..2 | `PER` 0..2 | match |
//! | `LOC` 3..4 | `ORG` 3..4 | missed, spurious, mistyped |
//! | `PER` 5..7 | `PER` 5..6 | missed, spurious |
//!
//! The outcome `mistyped` has no weight. It completes the confusion matrix, and allows types to be
//! renamed or merged in the counts ([`Counts::renamed`](crate::outcomes::Counts::renamed)): a
//! mistyped pair whose types become equal turns from missed and spurious into a match. If a gold or
//! pred span could be paired with several other spans, the new types determine which one it
//! matches; such groups of spans are counted as outcome `ambiguous_bounds` of the criterion
//! `corpus`.

use spanrs_base::Span;
use spanrs_tags::{CLOSE, Reader, VIOLATION, Walk, is_outside};

use crate::matcher::{Event, Matcher, Pair, Sink, Unmatched};
use crate::outcomes::{AMBIGUOUS_BOUNDS, CORPUS, Cell, Criterion, Outcome, Schema};
use crate::spans::Spans;
use crate::tag_counts::{SpanCounts, TagCounts};
use crate::token_sets::Run;

/// A gold and a pred span that are equal; each span is in at most one such pair.
const MATCH: u8 = 0;
/// An unmatched gold span.
const MISSED: u8 = 1;
/// An unmatched pred span.
const SPURIOUS: u8 = 2;
/// A missed and a spurious span with equal bounds and tokens but different types. The two spans are
/// also counted as missed and spurious.
const MISTYPED: u8 = 3;

/// The criterion `span` with the outcomes match, missed, spurious and mistyped, and the corpus
/// counts.
pub static SCHEMA: Schema = Schema {
    name: "exact",
    criteria: CRITERIA,
};
/// The same criteria for spans that represent strings without a place in a text. Counts of
/// strings and of spans cannot be merged.
pub(crate) static STRINGS: Schema = Schema {
    name: "strings",
    criteria: CRITERIA,
};
const CRITERIA: &[Criterion] = &[
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
];

/// The exact matcher. If several spans on one side are equal, each is matched with a different span
/// on the other side.
///
/// [`Matcher::compare`] takes O(n log n) time for n spans, less if they are in reading order, and
/// O(n) memory. Spans are processed by bounds, in reading order. For each pair of bounds, events
/// are reported in this order: matches by type, missed spans by index, spurious spans by index,
/// then mistyped pairs. The k-th missed span is paired with the k-th spurious span of the same
/// bounds and tokens, so that the pairs do not depend on how types are numbered. Duplicates are
/// paired in the order given.
///
/// The order is always the same; [`Matcher::resolve_ties`] has no effect.
///
/// ```
/// use spanrs_base::Span;
/// use spanrs_eval::{Events, Exact, Matcher, Pair, Spans};
/// let gold = [Span { start: 0, end: 2, ty: 0 }; 2];
/// let mut events = Events::default();
/// let pair = Pair::new(Spans::whole(&gold), Spans::whole(&gold[..1]));
/// Exact::default().compare(&pair, &mut events).unwrap();
/// let found: Vec<_> = events.0.iter().map(|e| (e.outcome, e.gold, e.pred)).collect();
/// assert_eq!(found, [(0, Some(0), Some(0)), (1, Some(1), None)]);
/// ```
#[derive(Clone, Debug)]
pub struct Exact {
    /// [`SCHEMA`] or [`STRINGS`].
    schema: &'static Schema,
    /// Indices of the gold and pred spans in reading order; work space for one comparison.
    sorted: [Vec<u32>; 2],
}

impl Default for Exact {
    fn default() -> Self {
        Self {
            schema: &SCHEMA,
            sorted: Default::default(),
        }
    }
}

impl Exact {
    /// Creates a matcher whose counts have the schema [`STRINGS`].
    pub(crate) fn of_strings() -> Self {
        Self {
            schema: &STRINGS,
            ..Self::default()
        }
    }
}

impl Matcher for Exact {
    fn schema(&self) -> &'static Schema {
        self.schema
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
        while let Some(first) = first_in_reading_order(sides, gold, pred) {
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
            let mut emit = |outcome, gold, pred| sink.event(Event::new(0, outcome, gold, pred));
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
            // Sorted by index, so that the numbering of types does not matter.
            missed.sort_unstable();
            spurious.sort_unstable();
            missed.iter().for_each(|&at| emit(MISSED, Some(at), None));
            spurious
                .iter()
                .for_each(|&at| emit(SPURIOUS, None, Some(at)));
            if !missed.is_empty() && !spurious.is_empty() {
                pair_mistyped(sides, [missed, spurious], sink);
            }
        }
        Ok(())
    }

    fn boxed(&self) -> Box<dyn Matcher> {
        Box::new(self.clone())
    }
}

/// Pairs missed and spurious spans of the same bounds, given by index, if their tokens are equal.
fn pair_mistyped(sides: [Spans<'_>; 2], mut unmatched: [Vec<u32>; 2], sink: &mut dyn Sink) {
    let missed_tokens = |at: &u32| key(sides[0], *at).1;
    let spurious_tokens = |at: &u32| key(sides[1], *at).1;
    unmatched[0].sort_by_key(missed_tokens);
    unmatched[1].sort_by_key(spurious_tokens);
    let [missed, spurious] = &unmatched;
    let mut rest = &spurious[..];
    for golds in missed.chunk_by(|a, b| missed_tokens(a) == missed_tokens(b)) {
        let tokens = missed_tokens(&golds[0]);
        rest = &rest[rest.partition_point(|at| spurious_tokens(at) < tokens)..];
        let preds;
        (preds, rest) = rest.split_at(rest.partition_point(|at| spurious_tokens(at) == tokens));
        // Spans with the same type would have matched.
        for (&gold, &pred) in golds.iter().zip(preds) {
            sink.event(Event::new(0, MISTYPED, Some(gold), Some(pred)));
        }
        if !preds.is_empty() && golds.len() + preds.len() > 2 {
            sink.count(Cell::new(1, AMBIGUOUS_BOUNDS, None, None), 1);
        }
    }
}

/// A span and the runs of its tokens, None if it has no gaps. The order is by start, end, type,
/// then tokens.
type Key<'a> = (Span<i64>, Option<&'a [Run]>);

/// Returns the properties by which spans are compared: type, bounds and tokens.
fn key(side: Spans<'_>, at: u32) -> Key<'_> {
    side.get(at as usize)
}

/// Returns the first span of either side in reading order; `gold` and `pred` are sorted indices.
/// None if both are empty.
fn first_in_reading_order(
    [golds, preds]: [Spans<'_>; 2],
    gold: &[u32],
    pred: &[u32],
) -> Option<Span<i64>> {
    let first = |side: Spans<'_>, all: &[u32]| Some(side.all[*all.first()? as usize]);
    let both = [first(golds, gold), first(preds, pred)];
    both.into_iter().flatten().min()
}

/// Reports the span counts of one type: matches, and the remaining gold and pred spans.
///
/// Mistyped pairs are reported separately, as cells of [`mistyped`].
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

/// Returns the cell for spans with equal bounds but different types.
pub(crate) fn mistyped(gold: u32, pred: u32) -> Cell {
    Cell::new(0, MISTYPED, Some(gold), Some(pred))
}

/// Which sides of a sentence may violate their scheme, as found by the walk over its tags.
///
/// The walk does not locate violations; the caller searches only these sides for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// The gold tags may violate their scheme.
    pub gold: bool,
    /// The pred tags may violate their scheme.
    pub pred: bool,
}

/// Counts tokens and spans of one sentence, given as ids of `reader`.
///
/// Both sides must have the same length; extra tokens would be ignored. Adds to `counts` the spans
/// of both sides by type, the matches, the mistyped pairs, and the corpus totals except violations.
/// Takes O(tokens) time; the tables are accessed only for spans that end. Returns the sides that
/// must be searched for violations.
///
/// A token is correct if its tags are equal. If the two sides have different schemes, whose tags
/// cannot be compared, a token is correct if it is `O` on both sides or has the same type on both.
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
        // Most tokens of a corpus are `O` on both sides, and this branch is predicted well; without
        // it every token would wait for the step of the previous token.
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
            count_ended_spans(counts, &g, g_step, &p, p_step);
        }
        g.advance(tokens, g_entry, g_step);
        p.advance(tokens, p_entry, p_step);
        tokens += 1;
    }
    let (g_step, p_step) = (g.finish(), p.finish());
    if (g_step | p_step) & CLOSE != 0 {
        count_ended_spans(counts, &g, g_step, &p, p_step);
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

/// Counts the spans that end at this token, on either side or both.
///
/// Free of branches except for the rare mistyped pair, because the ends of spans are hard to
/// predict: a side on which no span ends adds 0 to the type of its last span.
#[inline(always)]
fn count_ended_spans(counts: &mut TagCounts, g: &Walk<'_>, g_step: u8, p: &Walk<'_>, p_step: u8) {
    let (g_ends, p_ends) = (g_step & CLOSE, p_step & CLOSE);
    let both = g_ends & p_ends & u8::from(g.begin == p.begin);
    let same = u8::from(g.ty == p.ty);
    let of_type = counts.of_type(g.ty);
    of_type.gold += u64::from(g_ends);
    of_type.tp += u64::from(both & same);
    counts.of_type(p.ty).pred += u64::from(p_ends);
    if both & !same & 1 != 0 {
        count_mistyped(counts, g.ty, p.ty);
    }
}

/// Counts a mistyped pair. Not inlined, because most corpora have few mistyped pairs.
#[cold]
fn count_mistyped(counts: &mut TagCounts, gold: u32, pred: u32) {
    *counts.confused.entry((gold, pred)).or_default() += 1;
}
