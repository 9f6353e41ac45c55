//! Steps 3 and 4 of the fair matcher: boundary errors and labelling-boundary errors.
//!
//! For each of the two kinds of errors there are three passes, in FairEval's order: free gold spans
//! search for free pred spans; remaining gold spans search for pred spans that are in a pair;
//! remaining pred spans search for gold spans that are in a pair. Every pass visits its spans
//! (walkers) from the shortest to the longest and pairs each with the best candidate ([`Rank`]).
//! With gold 0..6 and pred 0..2 and 3..6, all of one type:
//!
//! | pass | walker | candidates: shared tokens | decision | tokens left |
//! |---|---|---|---|---|
//! | 1 | gold 0..6 | pred 0..2: 2, pred 3..6: 3 | `bes` with 3..6 | gold 0..3, pred none |
//! | 2 | none | | | |
//! | 3 | pred 0..2 | gold 0..6: 2 | `bes` with 0..6 | gold 2..3, pred none |
//!
//! If each side has one remaining span, or the product of both sides is small, all pairs are
//! compared. Larger sentences are first split into groups of overlapping spans, and within a large
//! group candidates are found with the index [`Overlaps`]. A group of g gold and p pred spans takes
//! O(g p) time at worst; with the index it takes O(log n) time for every overlapping pair. All
//! buffers are reused, so resolving a sentence allocates only for spans that lose tokens in their
//! middle.

use spanrs_base::Pace;

use super::outcomes::Kind;
use super::overlap::Overlap;
use super::remaining::{GOLD, PRED, RemainingSpan, Sides, pair};
use crate::matcher::Sink;
use crate::overlaps::Overlaps;

/// Largest product of walkers and candidates for which all pairs are compared, because building an
/// index would be slower.
const FEW: usize = 1 << 10;

/// Runs the passes and keeps their buffers; spans are indices into [`Sides`].
#[derive(Clone, Debug, Default)]
pub(super) struct Passes {
    /// For each side, unpaired spans from the shortest to the longest; spans of equal length are in
    /// the given order.
    ///
    /// Emptied while a pass visits the list; spans that remain unpaired are put back.
    free: [Vec<u32>; 2],
    /// For each side, spans in a boundary or labelling-boundary error, in the order in which they
    /// were paired.
    ///
    /// The order resolves ties of [`Among::Paired`].
    paired: [Vec<u32>; 2],
    /// For each candidate of the current pass, whether it can still be taken.
    open: Vec<bool>,
    /// Open candidates of the current pass by bounds. Used only in large passes.
    index: Overlaps,
    /// Result of one query of `index`.
    found: Vec<u32>,
    /// (start, side, span) of all remaining spans, for splitting them into groups.
    by_start: Vec<(i64, usize, u32)>,
    /// For each side, (group, span), ascending by group.
    groups: [Vec<(u32, u32)>; 2],
    /// Calls the watch at intervals, measured in examined candidates.
    pub(super) pace: Pace,
    /// Set when the watch requested a stop during the current comparison.
    pub(super) stopped: bool,
}

/// Candidate matches for the spans of one side that are still free.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// Free spans on the other side. A candidate is taken once, even if the spans have no remaining
    /// tokens in common.
    Free,
    /// Spans on the other side that are in a pair and have tokens left. The walker joins the pair;
    /// a candidate can be joined until it has no tokens left.
    Paired,
}

/// Quality of a candidate; the smallest rank is the best.
///
/// This is FairEval's key: (-shared tokens, remaining tokens of the walker, remaining tokens of the
/// candidate, length of the candidate). Ties go to the candidate that comes first in its list.
type Rank = (i64, i64, i64, i64);

impl Passes {
    /// Pairs the remaining overlapping spans of both sides, first spans with equal types, then the
    /// others.
    ///
    /// Sentences with empty spans are not split into groups and use no index, because empty spans
    /// can overlap spans that a sweep by start and end considers separate.
    pub(super) fn match_overlapping(&mut self, sides: &mut Sides, sink: &mut dyn Sink) {
        let [golds, preds] = [sides[GOLD].len(), sides[PRED].len()];
        if golds == 0 || preds == 0 {
            return;
        }
        if golds == 1 && preds == 1 {
            // Nearly all sentences with errors have exactly one.
            match_single_pair(sides, sink);
            return;
        }
        let empty = sides
            .iter()
            .any(|side| side.iter().any(|i| i.span.end <= i.span.start));
        if golds * preds <= FEW || empty {
            // Empty spans cannot be indexed by their bounds.
            for (side, n) in [(GOLD, golds), (PRED, preds)] {
                self.set_free(sides, side, 0..n as u32);
            }
            self.run_passes(sides, !empty, sink);
            return;
        }
        self.split_into_groups(sides);
        let groups = std::mem::take(&mut self.groups);
        let (mut gold, mut pred) = (&groups[GOLD][..], &groups[PRED][..]);
        while let (Some(&(g, _)), Some(&(p, _))) = (gold.first(), pred.first()) {
            let group = g.min(p);
            for (side, list) in [(GOLD, &mut gold), (PRED, &mut pred)] {
                let (mine, rest) = list.split_at(list.partition_point(|&(of, _)| of == group));
                self.set_free(sides, side, mine.iter().map(|&(_, one)| one));
                *list = rest;
            }
            self.run_passes(sides, true, sink);
        }
        self.groups = groups;
    }

    /// Sets the free spans of a side, sorted by length and then in the given order.
    fn set_free(&mut self, sides: &Sides, side: usize, remaining: impl Iterator<Item = u32>) {
        let free = &mut self.free[side];
        free.clear();
        free.extend(remaining);
        free.sort_unstable_by_key(|&one| (sides[side][one as usize].length(), one));
    }

    /// Splits the remaining spans of both sides into groups that overlap directly or through other
    /// spans.
    ///
    /// Groups do not influence each other. Uses one sweep over the spans by start, in O(n log n)
    /// time; all spans must be non-empty.
    fn split_into_groups(&mut self, sides: &Sides) {
        let Self {
            by_start, groups, ..
        } = self;
        by_start.clear();
        for (side, remaining) in sides.iter().enumerate() {
            let starts = remaining.iter().map(|one| one.span.start);
            by_start.extend(starts.zip(0..).map(|(start, one)| (start, side, one)));
            groups[side].clear();
        }
        // Both sides are usually in reading order, and the stable sort merges sorted runs.
        by_start.sort();
        let (mut group, mut end) = (0, i64::MIN);
        for &(start, side, one) in &*by_start {
            group += u32::from(start >= end);
            end = end.max(sides[side][one as usize].span.end);
            groups[side].push((group, one));
        }
    }

    /// Runs the six passes over the free spans of one group; `indexed` allows the use of
    /// [`Overlaps`].
    ///
    /// The free spans of both sides must have been set ([`Passes::set_free`]). Spans that are still
    /// free afterwards are false negatives and false positives.
    fn run_passes(&mut self, sides: &mut Sides, indexed: bool, sink: &mut dyn Sink) {
        for side in [GOLD, PRED] {
            self.paired[side].clear();
        }
        for same_type in [true, false] {
            self.run_pass(sides, GOLD, Among::Free, same_type, indexed, sink);
            self.run_pass(sides, GOLD, Among::Paired, same_type, indexed, sink);
            self.run_pass(sides, PRED, Among::Paired, same_type, indexed, sink);
        }
    }

    /// Runs one pass: pairs each free span of `side`, from the shortest to the longest, with its
    /// best candidate.
    ///
    /// - `among`: the spans of the other side that are candidates.
    /// - `same_type`: true for boundary errors, false for labelling-boundary errors.
    /// - `indexed`: whether large passes may find candidates with the index.
    ///
    /// Spans without a fitting candidate stay free, in the same order. Returns early if the watch
    /// requests a stop.
    fn run_pass(
        &mut self,
        sides: &mut Sides,
        side: usize,
        among: Among,
        same_type: bool,
        indexed: bool,
        sink: &mut dyn Sink,
    ) {
        let other = 1 - side;
        if self.free[side].is_empty() || self.list(among)[other].is_empty() {
            return;
        }
        let candidates = std::mem::take(&mut self.list(among)[other]);
        let mut walkers = std::mem::take(&mut self.free[side]);
        let indexed = indexed && walkers.len() * candidates.len() > FEW;
        self.open_candidates(&sides[other], &candidates, among, indexed);
        let mut stay = 0;
        for at in 0..walkers.len() {
            let walker = walkers[at];
            if self.stopped {
                break;
            }
            let best = self.best_candidate(
                sides,
                (side, walker as usize),
                &candidates,
                among,
                same_type,
                indexed,
            );
            let Some((rank, place)) = best else {
                walkers[stay] = walker;
                stay += 1;
                continue;
            };
            let candidate = candidates[place];
            join_pair(
                sides,
                (side, walker as usize),
                candidate as usize,
                -rank.0,
                sink,
            );
            self.paired[side].push(walker);
            if among == Among::Free {
                self.paired[other].push(candidate);
            }
            if among == Among::Free || sides[other][candidate as usize].size == 0 {
                self.open[place] = false;
                if indexed {
                    self.index.remove(place as u32);
                }
            }
        }
        walkers.truncate(stay);
        self.free[side] = walkers;
        self.return_candidates(&sides[other], other, candidates, among);
    }

    /// Returns the lists from which a pass takes its candidates, for both sides.
    fn list(&mut self, among: Among) -> &mut [Vec<u32>; 2] {
        match among {
            Among::Free => &mut self.free,
            Among::Paired => &mut self.paired,
        }
    }

    /// Marks the candidates that can be taken, and indexes them if `indexed`.
    ///
    /// Free candidates can all be taken; paired ones only if they have tokens left.
    fn open_candidates(
        &mut self,
        remaining: &[RemainingSpan],
        candidates: &[u32],
        among: Among,
        indexed: bool,
    ) {
        let Self { open, index, .. } = self;
        open.clear();
        open.extend(
            candidates
                .iter()
                .map(|&c| among == Among::Free || remaining[c as usize].size > 0),
        );
        if indexed {
            let span = |&c: &u32| {
                (
                    remaining[c as usize].span.start,
                    remaining[c as usize].span.end,
                )
            };
            index.plant(candidates.iter().map(span));
            for (place, open) in (0..).zip(&*open) {
                if !open {
                    index.remove(place);
                }
            }
        }
    }

    /// Returns the candidates of a pass to the list from which they were taken; paired candidates
    /// are no longer free.
    fn return_candidates(
        &mut self,
        remaining: &[RemainingSpan],
        other: usize,
        mut candidates: Vec<u32>,
        among: Among,
    ) {
        if among == Among::Free {
            candidates.retain(|&c| remaining[c as usize].is_free());
        }
        self.list(among)[other] = candidates;
    }

    /// Returns the best open candidate for a walker with its rank, as an index into `candidates`;
    /// None if no candidate fits.
    ///
    /// A candidate fits if its type is equal (with `same_type`) or different (otherwise), if its
    /// bounds overlap the bounds of the walker without being equal, and, for [`Among::Paired`], if
    /// the two still share tokens. Takes O(candidates) time, or with the index O(log n) time for
    /// each overlapping candidate.
    fn best_candidate(
        &mut self,
        sides: &Sides,
        (side, walker): (usize, usize),
        candidates: &[u32],
        among: Among,
        same_type: bool,
        indexed: bool,
    ) -> Option<(Rank, usize)> {
        let walker = &sides[side][walker];
        let remaining = &sides[1 - side];
        let Self {
            open, index, found, ..
        } = self;
        let mut best: Option<(Rank, usize)> = None;
        let mut consider = |place: usize| {
            let candidate = &remaining[candidates[place] as usize];
            if (candidate.span.ty == walker.span.ty) != same_type {
                return;
            }
            let (gold, pred) = match side {
                GOLD => (&walker.span, &candidate.span),
                _ => (&candidate.span, &walker.span),
            };
            let bounds = Overlap::of(gold, pred);
            if matches!(bounds, None | Some(Overlap::Same)) {
                return;
            }
            let shared = walker.shared(candidate);
            if among == Among::Paired && shared == 0 {
                return;
            }
            let length = candidate.length();
            let rank = (
                -shared,
                walker.size - shared,
                candidate.size - shared,
                length,
            );
            // Ties go to the first candidate.
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, place));
            }
        };
        let looked = if indexed {
            index.find(walker.span.start, walker.span.end, found);
            found.iter().for_each(|&place| consider(place as usize));
            found.len()
        } else {
            (0..candidates.len())
                .filter(|&place| open[place])
                .for_each(consider);
            candidates.len()
        };
        self.stopped |= self.pace.steps(looked).is_err();
        best
    }
}

/// Handles one remaining span on each side, by far the most frequent case: they are a pair if
/// they overlap.
///
/// Spans with equal bounds are not a boundary error; they differ in their tokens.
fn match_single_pair(sides: &mut Sides, sink: &mut dyn Sink) {
    let (gold, pred) = (&sides[GOLD][0], &sides[PRED][0]);
    if !matches!(
        Overlap::of(&gold.span, &pred.span),
        None | Some(Overlap::Same)
    ) {
        let shared = gold.shared(pred);
        join_pair(sides, (GOLD, 0), 0, shared, sink);
    }
}

/// Creates a pair, or adds a span to a pair, and removes the `shared` tokens from both spans.
///
/// - `side`, `walker`: side of the walker and its index in [`Sides`].
/// - `candidate`: index of the candidate in the other side.
/// - `shared`: number of remaining tokens that both spans have.
///
/// The kind of error is determined by the types and the original bounds, from the point of view of
/// gold, regardless of the side of the walker.
fn join_pair(
    sides: &mut Sides,
    (side, walker): (usize, usize),
    candidate: usize,
    shared: i64,
    sink: &mut dyn Sink,
) {
    let (g, p) = if side == GOLD {
        (walker, candidate)
    } else {
        (candidate, walker)
    };
    let (gold, pred) = (&sides[GOLD][g].span, &sides[PRED][p].span);
    let kind = match Overlap::of(gold, pred) {
        _ if gold.ty != pred.ty => Kind::Lbe,
        Some(Overlap::Smaller) => Kind::Bes,
        Some(Overlap::Larger) => Kind::Bel,
        _ => Kind::Beo,
    };
    pair(sides, kind, g, p, sink);
    let [golds, preds] = sides;
    golds[g].remove_shared(&mut preds[p], shared);
}
