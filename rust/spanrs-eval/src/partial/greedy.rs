//! The greedy matching of nervaluate 1.2.1, including its dependence on the order of the input.
//!
//! Pred spans are processed in the order given. In each lane a pred span takes one free gold span,
//! which no later pred span can take in that lane; nothing is ever revised. A pred span that
//! overlaps several gold spans can therefore take a gold span that a later pred span would have
//! needed:
//!
//! | gold | pred | pairs (bounds) | optimal |
//! |---|---|---|---|
//! | [0, 3), [3, 6) | [0, 6), [0, 3) | [0, 6) takes [0, 3), the second is spurious | both are paired |

use spanrs_base::{Pace, Span};

use super::answers::Answers;
use super::lanes::{LANES, Lane, Mode};
use super::options::Options;
use super::overlap::{Finder, sufficient};
use crate::matcher::Unmatched;

/// Fills `answers`, which must be clear. `finder` is work space.
///
/// If both sides are flat and the only gold span near a pred span equals it, the pair is correct in
/// all lanes and the lanes need not be searched.
///
/// # Errors
/// [`Unmatched::Stopped`] if the watch requests a stop.
pub(super) fn match_greedily(
    finder: &mut Finder,
    [gold, pred]: [&[Span<i64>]; 2],
    options: &Options,
    answers: &mut Answers,
    pace: &mut Pace,
) -> Result<(), Unmatched> {
    finder.prepare(gold, pred);
    let flat = finder.is_flat();
    for (p, span) in pred.iter().enumerate() {
        let near = finder.near(gold, span);
        pace.steps(1 + LANES.len() * near.len())?;
        // In flat data, equal spans overlap only each other: no other pred span can have taken this
        // gold span, and no lane can prefer another one.
        if flat
            && let [only] = *near
            && gold[only as usize] == *span
        {
            answers.set_right(only, p as u32);
            continue;
        }
        if near.is_empty() {
            continue;
        }
        for (at, lane) in LANES.into_iter().enumerate() {
            if options.lanes & 1 << at == 0 {
                continue;
            }
            let free = near
                .iter()
                .map(|&g| g as usize)
                .filter(|&g| answers.taken[g] & 1 << at == 0)
                .filter(|&g| !lane.own_type || gold[g].ty == span.ty);
            if let Some((g, correct)) = choose_gold(lane, gold, span, options.min_overlap, free) {
                answers.of_preds[p].set(at, g, correct);
                answers.taken[g] |= 1 << at;
            }
        }
    }
    Ok(())
}

/// Returns the gold span that a pred span takes in a lane, and whether it is correct. `free` are
/// the candidates: free in this lane, near the pred span, in ascending order.
///
/// In mode `type`, the span of equal type with the smallest sum of distances between the bounds is
/// chosen, the first one if there are ties. In the other modes, the first correct span is chosen.
/// If no span is correct, the first one with enough overlap is chosen.
///
/// In the modes `strict` and `bounds`, equal bounds suffice even for empty spans, which share no
/// position.
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
            // Equal bounds suffice in these modes, even if the spans are empty.
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
