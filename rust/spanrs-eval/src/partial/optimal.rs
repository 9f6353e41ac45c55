//! The optimal matching: one-to-one pairs that bring the most credit, whatever the order of the input.

use super::assign::{Pair, assign};
use super::overlap::sufficient;
use super::{Answer, EVERY, LANES, Lane, Matcher, Placed};

/// A pair of the document that has enough overlap; spans by their rank in reading order.
#[derive(Clone, Copy)]
struct Possible {
    gold: u32,
    pred: u32,
    shared: u32,
}

impl Matcher {
    /// Of all one-to-one assignments, that with the most correct pairs; of these, the most pairs; of
    /// these, the most shared places. What is still equal is settled by [`assign`].
    pub(super) fn optimal(&mut self, gold: &[Placed], pred: &[Placed]) {
        let (gold_order, pred_order) = (reading_order(gold), reading_order(pred));
        let possible = self.possible(gold, pred, &gold_order, &pred_order);
        let mut rest = Vec::new();
        let (mut gold_uses, mut pred_uses) = (vec![0_u32; gold.len()], vec![0_u32; pred.len()]);
        for pair in &possible {
            gold_uses[pair.gold as usize] += 1;
            pred_uses[pair.pred as usize] += 1;
        }
        for pair in possible {
            let g = gold_order[pair.gold as usize] as usize;
            let p = pred_order[pair.pred as usize] as usize;
            let alone = gold_uses[pair.gold as usize] == 1 && pred_uses[pair.pred as usize] == 1;
            if alone && gold[g] == pred[p] {
                self.answers[p] = Answer::RIGHT;
                self.taken[g] = EVERY;
            } else {
                rest.push(pair);
            }
        }
        let mut pairs = Vec::new();
        for (at, lane) in LANES.into_iter().enumerate() {
            pairs.clear();
            pairs.extend(rest.iter().filter_map(|pair| {
                let g = &gold[gold_order[pair.gold as usize] as usize];
                let p = &pred[pred_order[pair.pred as usize] as usize];
                weighted(lane, g, p, pair)
            }));
            for chosen in assign(&pairs, self.ties) {
                let pair = &pairs[chosen];
                let g = gold_order[pair.gold as usize] as usize;
                let p = pred_order[pair.pred as usize] as usize;
                self.answers[p].set(at, lane.mode.agrees(&gold[g], &pred[p]));
                self.taken[g] |= 1 << at;
            }
        }
    }

    /// All pairs with enough overlap, by gold and then by pred, in reading order.
    fn possible(
        &mut self,
        gold: &[Placed],
        pred: &[Placed],
        gold_order: &[u32],
        pred_order: &[u32],
    ) -> Vec<Possible> {
        let mut rank = vec![0; gold.len()];
        for (at, &g) in gold_order.iter().enumerate() {
            rank[g as usize] = at as u32;
        }
        let mut possible = Vec::new();
        for (at, &p) in pred_order.iter().enumerate() {
            let p = &pred[p as usize];
            for &g in self.finder.near(gold, p) {
                let span = &gold[g as usize];
                if sufficient(span, p, self.min_overlap) {
                    let shared = span.end.min(p.end) - span.start.max(p.start);
                    possible.push(Possible {
                        gold: rank[g as usize],
                        pred: at as u32,
                        shared: u32::try_from(shared).unwrap_or(u32::MAX),
                    });
                }
            }
        }
        possible.sort_unstable_by_key(|pair| (pair.gold, pair.pred));
        possible
    }
}

/// Places by start, end, type; equal spans keep their order, and changing it changes nothing.
fn reading_order(spans: &[Placed]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..spans.len() as u32).collect();
    order.sort_by_key(|&at| spans[at as usize]);
    order
}

/// The pair with its credit in a lane; None where the lane keeps the types apart.
fn weighted(lane: Lane, gold: &Placed, pred: &Placed, pair: &Possible) -> Option<Pair> {
    if lane.own_type && gold.ty != pred.ty {
        return None;
    }
    // Three numbers in one, the first deciding: sums of the lower ones never reach the higher.
    let correct = i128::from(lane.mode.agrees(gold, pred));
    Some(Pair {
        gold: pair.gold,
        pred: pair.pred,
        credit: correct << 96 | 1 << 64 | i128::from(pair.shared),
    })
}
