//! Boundary and labelling-boundary errors.

use super::{GOLD, Kind, Matcher, Overlap, PRED, Sink};
use crate::overlaps::Overlaps;

/// Pairs of spans up to which all of them are looked at: a few of them cost less than an index.
const FEW: usize = 1 << 10;

/// Work space: places of remaining spans.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    /// Of each side: those that are in no pair, from the shortest to the longest.
    free: [Vec<u32>; 2],
    /// Of each side: those that are, in the order in which they came.
    paired: [Vec<u32>; 2],
    /// The candidates of a pass that can still be taken.
    open: Vec<bool>,
    index: Overlaps,
    found: Vec<u32>,
    /// (start, side, place)
    by_start: Vec<(i64, usize, u32)>,
    /// Of each side: (group, place).
    groups: [Vec<(u32, u32)>; 2],
}

/// Whom the spans of one side that are left are held against.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Among {
    /// The spans of the other side that are left, too.
    Free,
    /// Those that are in a pair and have tokens left: the span joins it.
    Paired,
}

/// How good a pair is, the least being the best.
type Rank = (i64, i64, i64, i64);

impl Matcher {
    /// Pairs the remaining spans of both sides that overlap.
    pub(super) fn near(&mut self, sink: &mut dyn Sink) {
        let [golds, preds] = [self.sides[GOLD].len(), self.sides[PRED].len()];
        if golds == 0 || preds == 0 {
            return;
        }
        if golds == 1 && preds == 1 {
            // Nearly all sentences with a mistake have one.
            self.only(sink);
            return;
        }
        let empty = self
            .sides
            .iter()
            .any(|side| side.iter().any(|i| i.span.end <= i.span.start));
        if golds * preds <= FEW || empty {
            // The bounds of empty spans have no order that an index could use.
            for (side, n) in [(GOLD, golds), (PRED, preds)] {
                self.free(side, 0..n as u32);
            }
            self.passes(!empty, sink);
            return;
        }
        self.split();
        let groups = std::mem::take(&mut self.passes.groups);
        let (mut gold, mut pred) = (&groups[GOLD][..], &groups[PRED][..]);
        while let (Some(&(g, _)), Some(&(p, _))) = (gold.first(), pred.first()) {
            let group = g.min(p);
            for (side, list) in [(GOLD, &mut gold), (PRED, &mut pred)] {
                let (mine, rest) = list.split_at(list.partition_point(|&(of, _)| of == group));
                self.free(side, mine.iter().map(|&(_, one)| one));
                *list = rest;
            }
            self.passes(true, sink);
        }
        self.passes.groups = groups;
    }

    /// Takes the spans of a side that are to be paired: the shortest first, equally long ones as they are.
    fn free(&mut self, side: usize, remaining: impl Iterator<Item = u32>) {
        let free = &mut self.passes.free[side];
        free.clear();
        free.extend(remaining);
        free.sort_unstable_by_key(|&one| (self.sides[side][one as usize].length(), one));
    }

    /// Pairs one span a side.
    fn only(&mut self, sink: &mut dyn Sink) {
        let (gold, pred) = (&self.sides[GOLD][0], &self.sides[PRED][0]);
        if !matches!(
            Overlap::of(&gold.span, &pred.span),
            None | Some(Overlap::Same)
        ) {
            let shared = gold.shared(pred);
            self.join((GOLD, 0), 0, shared, sink);
        }
    }

    /// Finds the groups of spans that have nothing to do with each other: what happens within one does
    /// not depend on the others, so long sentences are many small problems.
    fn split(&mut self) {
        let Buffers {
            by_start, groups, ..
        } = &mut self.passes;
        by_start.clear();
        for (side, remaining) in self.sides.iter().enumerate() {
            let starts = remaining.iter().map(|one| one.span.start);
            by_start.extend(starts.zip(0..).map(|(start, one)| (start, side, one)));
            groups[side].clear();
        }
        // Both sides mostly come in reading order, and this sort merges what is in order.
        by_start.sort();
        let (mut group, mut end) = (0, i64::MIN);
        for &(start, side, one) in &*by_start {
            group += u32::from(start >= end);
            end = end.max(self.sides[side][one as usize].span.end);
            groups[side].push((group, one));
        }
    }

    /// All passes over the spans that are free.
    fn passes(&mut self, indexed: bool, sink: &mut dyn Sink) {
        for side in [GOLD, PRED] {
            self.passes.paired[side].clear();
        }
        for same_type in [true, false] {
            self.pass(GOLD, Among::Free, same_type, indexed, sink);
            self.pass(GOLD, Among::Paired, same_type, indexed, sink);
            self.pass(PRED, Among::Paired, same_type, indexed, sink);
        }
    }

    /// Gives the free spans of a side their best partners, one after the other.
    fn pass(
        &mut self,
        side: usize,
        among: Among,
        same_type: bool,
        indexed: bool,
        sink: &mut dyn Sink,
    ) {
        let other = 1 - side;
        let count = match among {
            Among::Free => self.passes.free[other].len(),
            Among::Paired => self.passes.paired[other].len(),
        };
        if self.passes.free[side].is_empty() || count == 0 {
            return;
        }
        let lists = match among {
            Among::Free => &mut self.passes.free,
            Among::Paired => &mut self.passes.paired,
        };
        let candidates = std::mem::take(&mut lists[other]);
        let mut walkers = std::mem::take(&mut self.passes.free[side]);
        let indexed = indexed && walkers.len() * candidates.len() > FEW;
        self.open(other, &candidates, among, indexed);
        let mut stay = 0;
        for at in 0..walkers.len() {
            let walker = walkers[at];
            if self.stopped {
                break;
            }
            let best = self.best(
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
            self.join((side, walker as usize), candidate as usize, -rank.0, sink);
            self.passes.paired[side].push(walker);
            if among == Among::Free {
                self.passes.paired[other].push(candidate);
            }
            if among == Among::Free || self.sides[other][candidate as usize].size == 0 {
                self.passes.open[place] = false;
                if indexed {
                    self.passes.index.remove(place as u32);
                }
            }
        }
        walkers.truncate(stay);
        self.passes.free[side] = walkers;
        self.close(other, candidates, among);
    }

    /// Makes ready to look among the candidates.
    fn open(&mut self, other: usize, candidates: &[u32], among: Among, indexed: bool) {
        let remaining = &self.sides[other];
        let Buffers { open, index, .. } = &mut self.passes;
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

    /// Puts the candidates back where they belong.
    fn close(&mut self, other: usize, mut candidates: Vec<u32>, among: Among) {
        match among {
            Among::Free => {
                let remaining = &self.sides[other];
                candidates.retain(|&c| remaining[c as usize].is_free());
                self.passes.free[other] = candidates;
            }
            Among::Paired => self.passes.paired[other] = candidates,
        }
    }

    /// The best partner among the candidates, as its place among them, if there is one.
    fn best(
        &mut self,
        (side, walker): (usize, usize),
        candidates: &[u32],
        among: Among,
        same_type: bool,
        indexed: bool,
    ) -> Option<(Rank, usize)> {
        let walker = &self.sides[side][walker];
        let remaining = &self.sides[1 - side];
        let Buffers {
            open, index, found, ..
        } = &mut self.passes;
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
            let length = candidate.span.end - candidate.span.start;
            let rank = (
                -shared,
                walker.size - shared,
                candidate.size - shared,
                length,
            );
            // Of equally good ones the first is taken.
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

    /// Makes a pair, or lets a span join one: counts it, and takes the tokens the two share from both.
    fn join(
        &mut self,
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
        let (gold, pred) = (&self.sides[GOLD][g].span, &self.sides[PRED][p].span);
        let kind = match Overlap::of(gold, pred) {
            _ if gold.ty != pred.ty => Kind::Lbe,
            Some(Overlap::Smaller) => Kind::Bes,
            Some(Overlap::Larger) => Kind::Bel,
            _ => Kind::Beo,
        };
        self.pair(kind, g, p, sink);
        let [golds, preds] = &mut self.sides;
        golds[g].part(&mut preds[p], shared);
    }
}
