//! The intervals of a document: text segments with at most one gold label and one pred label each.
//!
//! The part that both annotations of a pair cover is an interval with the labels of the pair. The
//! parts of annotations that their pair does not share, and unpaired annotations, are leftovers.
//! The text is cut at every bound of a leftover, and in each segment the leftovers of both sides
//! are paired again, only by label; each unpaired leftover gives an interval with one label.
//!
//! With gold `T` 0..7, and pred `T` 0..3 and `T` 4..7, the first pred annotation is paired with the
//! gold annotation:
//!
//! | interval | gold | pred | why |
//! |---|---|---|---|
//! | 0..3 | `T` | `T` | shared by the pair |
//! | 3..4 | `T` | | leftover of gold |
//! | 4..7 | `T` | `T` | leftovers of both sides, paired again |
//!
//! Intervals may overlap if annotations on one side overlap; an element then counts several times,
//! as in MATScore. Time and memory are proportional to the number of (segment, leftover) overlaps,
//! which is limited.

use std::collections::HashMap;

use spanrs_base::Pace;

use super::annotation::Annotation;
use super::munkres::Munkres;
use super::pairing::{MAX_EXACT, MAX_PAIRS, Pair, combined_similarity};
use crate::Side;
use crate::matcher::Unmatched;

/// A text segment with its gold and pred labels; at least one label is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Interval {
    /// First character.
    pub(super) start: u32,
    /// One past the last character.
    pub(super) end: u32,
    /// Number of the gold label; None if gold has no annotation.
    pub(super) gold: Option<u32>,
    /// Number of the pred label; None if pred has no annotation.
    pub(super) pred: Option<u32>,
}

/// A leftover: the part of an annotation that its pair does not share, or a whole unpaired
/// annotation. Never empty.
#[derive(Clone, Copy, Debug)]
struct Leftover {
    /// First character.
    start: u32,
    /// One past the last character.
    end: u32,
    /// The annotation to which the leftover belongs; its label is compared with labels on the other
    /// side.
    annotation: Annotation,
    /// The index among the leftovers on the same side, in the order of the pairs.
    order: usize,
}

/// Maximum total number of leftovers over all text segments.
const MAX_STEPS: usize = 16 * MAX_PAIRS;

/// Finds the intervals of a document and keeps its buffers.
///
/// The next call of [`Intervals::run`] overwrites all fields.
#[derive(Clone, Debug, Default)]
pub(super) struct Intervals {
    /// The intervals of the last document: first the intervals of pairs in order, then the
    /// intervals of leftovers by start.
    pub(super) found: Vec<Interval>,
    /// Leftovers of gold.
    gold: Vec<Leftover>,
    /// Leftovers of pred.
    pred: Vec<Leftover>,
    /// Distinct bounds of leftovers, ascending.
    cuts: Vec<u32>,
    /// Solver for segments with few leftovers.
    munkres: Munkres,
}

impl Intervals {
    /// Finds the intervals of a document from the pairs of its annotations.
    ///
    /// In a clash that counts only towards one side ([`Pair::single`]), the annotation on that side
    /// is a leftover.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] above [`MAX_STEPS`], [`Unmatched::Stopped`].
    pub(super) fn run(
        &mut self,
        gold: &[Annotation],
        pred: &[Annotation],
        pairs: &[Pair],
        pace: &mut Pace,
    ) -> Result<(), Unmatched> {
        self.found.clear();
        self.gold.clear();
        self.pred.clear();
        for pair in pairs {
            let g = pair.gold.map(|at| gold[at as usize]);
            let p = pair.pred.map(|at| pred[at as usize]);
            match (g, p, pair.single) {
                (Some(g), Some(p), None) => self.pair(g, p),
                (Some(g), None, _) | (Some(g), _, Some(Side::Gold)) => {
                    push_leftover(&mut self.gold, g, g.start, g.end);
                }
                (_, Some(p), _) => push_leftover(&mut self.pred, p, p.start, p.end),
                (None, None, _) => {}
            }
        }
        self.sweep_leftovers(pace)
    }

    /// Adds the interval that a pair shares, and the leftovers before and after it on either side.
    fn pair(&mut self, g: Annotation, p: Annotation) {
        let (start, end) = (g.start.max(p.start), g.end.min(p.end));
        if start < end {
            self.found.push(Interval {
                start,
                end,
                gold: Some(g.ty),
                pred: Some(p.ty),
            });
        }
        push_leftover(&mut self.gold, g, g.start, start);
        push_leftover(&mut self.gold, g, end, g.end);
        push_leftover(&mut self.pred, p, p.start, start);
        push_leftover(&mut self.pred, p, end, p.end);
    }

    /// Sorts the leftovers by start and collects the cuts.
    fn gather_cuts(&mut self) {
        for rests in [&mut self.gold, &mut self.pred] {
            rests.sort_by_key(|rest| (rest.start, rest.order));
        }
        let all = self.gold.iter().chain(&self.pred);
        self.cuts.clear();
        self.cuts
            .extend(all.flat_map(|rest| [rest.start, rest.end]));
        self.cuts.sort_unstable();
        self.cuts.dedup();
    }

    /// Sweeps over the segments between cuts with the leftovers that cover each segment, and adds
    /// their intervals.
    ///
    /// One leftover on each side gives one interval, even with different labels. If only one side
    /// has leftovers, each leftover gives an interval. Otherwise the leftovers are first sorted in
    /// the order of the pairs, on which ties in [`by_label`] depend, and then paired.
    ///
    /// # Errors
    /// [`Unmatched::TooTangled`] if the total number of leftovers over all segments exceeds
    /// [`MAX_STEPS`]; [`Unmatched::Stopped`].
    fn sweep_leftovers(&mut self, pace: &mut Pace) -> Result<(), Unmatched> {
        self.gather_cuts();
        let (gold, pred) = (&self.gold, &self.pred);
        let (mut g, mut p, mut steps) = (0, 0, 0);
        let (mut golds, mut preds): (Vec<Leftover>, Vec<Leftover>) = (Vec::new(), Vec::new());
        for window in self.cuts.windows(2) {
            let &[start, end] = window else { continue };
            advance(&mut golds, gold, &mut g, start);
            advance(&mut preds, pred, &mut p, start);
            steps += golds.len() + preds.len();
            pace.steps(golds.len() + preds.len())?;
            if steps > MAX_STEPS {
                let most = MAX_STEPS;
                return Err(Unmatched::TooTangled {
                    from: start.into(),
                    most,
                    what: "overlaps between annotation parts and text segments",
                });
            }
            let interval = |gold: Option<&Leftover>, pred: Option<&Leftover>| Interval {
                start,
                end,
                gold: gold.map(|rest| rest.annotation.ty),
                pred: pred.map(|rest| rest.annotation.ty),
            };
            match (&golds[..], &preds[..]) {
                ([gold], [pred]) => self.found.push(interval(Some(gold), Some(pred))),
                (golds, []) => self
                    .found
                    .extend(golds.iter().map(|g| interval(Some(g), None))),
                ([], preds) => self
                    .found
                    .extend(preds.iter().map(|p| interval(None, Some(p)))),
                _ => {
                    // Ties are resolved by the order of the pairs, not by the starts of leftovers.
                    golds.sort_unstable_by_key(|rest| rest.order);
                    preds.sort_unstable_by_key(|rest| rest.order);
                    let (golds, preds) = (&golds, &preds);
                    let (mut of_gold, mut taken) =
                        (vec![None; golds.len()], vec![false; preds.len()]);
                    for (g, p) in by_label(&mut self.munkres, golds, preds) {
                        of_gold[g] = Some(p);
                        taken[p] = true;
                    }
                    for (gold, at) in golds.iter().zip(of_gold) {
                        self.found
                            .push(interval(Some(gold), at.map(|at| &preds[at])));
                    }
                    let left = preds.iter().zip(taken).filter(|(_, taken)| !taken);
                    self.found
                        .extend(left.map(|(pred, _)| interval(None, Some(pred))));
                }
            }
        }
        Ok(())
    }
}

/// Adds the leftover of an annotation from `start` to `end`, if it is not empty.
fn push_leftover(rests: &mut Vec<Leftover>, annotation: Annotation, start: u32, end: u32) {
    if start < end {
        let order = rests.len();
        rests.push(Leftover {
            start,
            end,
            annotation,
            order,
        });
    }
}

/// Moves the sweep to `start`: removes leftovers that end at or before this position, and adds
/// leftovers that begin at or before it.
///
/// `all` is sorted by start, and `next` is the index of the first leftover that was not added yet.
fn advance(over: &mut Vec<Leftover>, all: &[Leftover], next: &mut usize, start: u32) {
    over.retain(|rest| rest.end > start);
    while let Some(&rest) = all.get(*next)
        && rest.start <= start
    {
        over.push(rest);
        *next += 1;
    }
}

/// Pairs the leftovers over one segment such that as many as possible are paired and the labels
/// agree best.
///
/// Returns pairs of indices. With up to [`MAX_EXACT`] leftovers on a side, the assignment and its
/// ties are the same as in MATScore; larger segments are paired greedily in linear time: equal
/// labels first, then aliases of one type, then the rest, each in order.
fn by_label(munkres: &mut Munkres, golds: &[Leftover], preds: &[Leftover]) -> Vec<(usize, usize)> {
    let similar =
        |g: usize, p: usize| combined_similarity(&golds[g].annotation, &preds[p].annotation, 1.0);
    if golds.len().max(preds.len()) <= MAX_EXACT {
        return munkres.assign(golds.len(), preds.len(), |g, p| 1.0 - similar(g, p));
    }
    // All leftovers of a segment overlap, so only labels matter: equal labels first, then aliases
    // of a type, then the rest.
    let mut pairs = Vec::new();
    let (mut gold_left, mut pred_left) = (vec![true; golds.len()], vec![true; preds.len()]);
    type Key = fn(&Annotation) -> Option<(u32, u32)>;
    let keys: [Key; 3] = [
        |annotation| Some((annotation.ty, 0)),
        |annotation| Some((annotation.tag, 1)),
        |_| None,
    ];
    for key in keys {
        let mut waiting = HashMap::<_, Vec<usize>>::new();
        for p in (0..preds.len()).rev().filter(|&p| pred_left[p]) {
            waiting
                .entry(key(&preds[p].annotation))
                .or_default()
                .push(p);
        }
        for (g, left) in gold_left.iter_mut().enumerate().filter(|(_, left)| **left) {
            let found = waiting
                .get_mut(&key(&golds[g].annotation))
                .and_then(Vec::pop);
            if let Some(p) = found {
                (*left, pred_left[p]) = (false, false);
                pairs.push((g, p));
            }
        }
    }
    pairs
}
