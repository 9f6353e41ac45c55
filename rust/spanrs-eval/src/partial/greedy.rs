//! The greedy matching of nervaluate 1.2.1, including its dependence on the order of the input.
//!
//! Pred spans are processed in the order given. In each lane a pred span takes one free gold span,
//! which no later pred span can take in that lane; nothing is ever revised. A pred span that
//! overlaps several gold spans can therefore take one that a later span would have needed:
//!
//! | gold | pred | pairs (bounds) | optimal |
//! |---|---|---|---|
//! | [0, 3), [3, 6) | [0, 6), [0, 3) | [0, 6) takes [0, 3), the second is spurious | both are paired |

use super::overlap::sufficient;
use super::{Answer, EVERY, LANES, Lane, Matcher, Mode, Unmatched};
use spanrs_base::Span;

impl Matcher {
    /// Fills `answers` and `taken`.
    ///
    /// If both sides are flat and the only gold span near a pred span equals it, the pair is
    /// correct in all lanes without a search in each of them.
    ///
    /// # Errors
    /// [`Unmatched::Stopped`] if the watch said stop.
    pub(super) fn greedy(
        &mut self,
        gold: &[Span<i64>],
        pred: &[Span<i64>],
    ) -> Result<(), Unmatched> {
        self.finder.prepare(gold, pred);
        let flat = self.finder.is_flat();
        for (span, answer) in pred.iter().zip(&mut self.answers) {
            let near = self.finder.near(gold, span);
            self.pace.steps(1 + LANES.len() * near.len())?;
            // In flat data equal spans overlap each other and nothing else: no other pred span can have
            // taken this one, and no lane can prefer another.
            if flat
                && let [only] = *near
                && gold[only as usize] == *span
            {
                *answer = Answer::right(only);
                self.taken[only as usize] = EVERY;
                continue;
            }
            if near.is_empty() {
                continue;
            }
            for (at, lane) in LANES.into_iter().enumerate() {
                if self.lanes & 1 << at == 0 {
                    continue;
                }
                let free = near
                    .iter()
                    .map(|&g| g as usize)
                    .filter(|&g| self.taken[g] & 1 << at == 0)
                    .filter(|&g| !lane.own_type || gold[g].ty == span.ty);
                if let Some((g, correct)) = choose_gold(lane, gold, span, self.min_overlap, free) {
                    answer.set(at, g, correct);
                    self.taken[g] |= 1 << at;
                }
            }
        }
        Ok(())
    }
}

/// Returns the gold span that a pred span takes in a lane, and whether it is correct. `free` are
/// the candidates: free in this lane, near the pred span, in ascending order.
///
/// Ties: in mode `type`, the span of equal type with the least sum of distances between the bounds,
/// the first one of several. In the other modes the first that is correct. If none is correct, the
/// first with enough overlap.
///
/// Equal bounds suffice in the modes `strict` and `bounds` even if the spans share no position,
/// because they are empty.
fn choose_gold(
    lane: Lane,
    gold: &[Span<i64>],
    pred: &Span<i64>,
    min_overlap: f64,
    free: impl Iterator<Item = usize>,
) -> Option<(usize, bool)> {
    let mut other = None;
    let mut nearest: Option<(u128, usize)> = None;
    for g in free {
        let span = &gold[g];
        let overlaps = sufficient(span, pred, min_overlap);
        let agrees = lane.mode.agrees(span, pred);
        match lane.mode {
            // Equal bounds are enough for these two, even where there is no place to share.
            Mode::Strict | Mode::Bounds if agrees => return Some((g, true)),
            _ if !overlaps => {}
            Mode::Overlap if agrees => return Some((g, true)),
            Mode::Type if agrees => {
                let distances = [(span.start, pred.start), (span.end, pred.end)];
                let distance = distances.map(|(a, b)| u128::from(a.abs_diff(b)));
                let distance = distance[0] + distance[1];
                if nearest.is_none_or(|(least, _)| distance < least) {
                    nearest = Some((distance, g));
                }
            }
            _ => other = other.or(Some(g)),
        }
    }
    nearest
        .map(|(_, g)| (g, true))
        .or(other.map(|g| (g, false)))
}
