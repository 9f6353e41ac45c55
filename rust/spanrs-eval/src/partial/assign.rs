//! One-to-one assignments of greatest credit.

use std::collections::VecDeque;

/// A pair that may be made, and what it brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Rank of the gold span.
    pub gold: u32,
    /// Rank of the pred span.
    pub pred: u32,
    /// More than 0.
    pub credit: i128,
}

/// Chooses pairs, no two with the same gold or pred, whose credits have the greatest sum; gives their
/// places in `pairs`, which is sorted by gold and then by pred.
///
/// Spans that overlap each other directly or by way of others are settled together, and apart from the
/// rest. Where neither side overlaps itself their pairs form a staircase, and one pass settles them;
/// others are settled by augmenting paths.
///
/// Ties: with `ties`, the choice whose list of pairs comes first: the first pair that belongs to any best
/// choice is made, then the first that goes with it, and so on. Without, any best choice.
pub fn assign(pairs: &[Pair], ties: bool) -> Vec<usize> {
    let mut chosen = Vec::new();
    for component in components(pairs) {
        let part: Vec<Pair> = component.iter().map(|&at| pairs[at]).collect();
        let picks = if part.windows(2).all(|w| w[0].pred <= w[1].pred) {
            staircase(&part)
        } else if ties {
            first_best(&part)
        } else {
            best(&part)
        };
        chosen.extend(picks.into_iter().map(|pick| component[pick]));
    }
    chosen
}

/// Groups of pairs that share spans, each in order.
fn components(pairs: &[Pair]) -> Vec<Vec<usize>> {
    let golds = pairs.iter().map(|p| p.gold + 1).max().unwrap_or(0) as usize;
    let preds = pairs.iter().map(|p| p.pred + 1).max().unwrap_or(0) as usize;
    let mut parent: Vec<usize> = (0..golds + preds).collect();
    for pair in pairs {
        let (a, b) = (
            root(&mut parent, pair.gold as usize),
            root(&mut parent, golds + pair.pred as usize),
        );
        parent[a] = b;
    }
    let mut place = vec![usize::MAX; golds + preds];
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (at, pair) in pairs.iter().enumerate() {
        let root = root(&mut parent, pair.gold as usize);
        if place[root] == usize::MAX {
            place[root] = groups.len();
            groups.push(Vec::new());
        }
        groups[place[root]].push(at);
    }
    groups
}

fn root(parent: &mut [usize], mut node: usize) -> usize {
    while parent[node] != node {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    node
}

/// Pairs whose gold and pred both never go down: those that share a span with one stand next to it, so
/// the best of what follows a pair needs only the place behind them.
fn staircase(pairs: &[Pair]) -> Vec<usize> {
    let n = pairs.len();
    let shares = |a: &Pair, b: &Pair| (a.gold == b.gold, a.pred == b.pred);
    // next[k]: the first pair behind k that shares no span with it.
    let mut next = vec![n; n];
    for k in (0..n.saturating_sub(1)).rev() {
        let with = shares(&pairs[k], &pairs[k + 1]);
        next[k] = match with {
            (false, false) => k + 1,
            // The run of the shared span goes on as far as it does for the pair behind.
            _ if k + 2 < n && shares(&pairs[k + 1], &pairs[k + 2]) == with => next[k + 1],
            _ => k + 2,
        };
    }
    let mut best = vec![0; n + 1];
    for k in (0..n).rev() {
        best[k] = best[k + 1].max(pairs[k].credit + best[next[k]]);
    }
    let (mut chosen, mut k) = (Vec::new(), 0);
    while k < n {
        // Ties: the earlier pair.
        if pairs[k].credit + best[next[k]] == best[k] {
            chosen.push(k);
            k = next[k];
        } else {
            k += 1;
        }
    }
    chosen
}

/// A best choice, by augmenting paths.
fn best(pairs: &[Pair]) -> Vec<usize> {
    let mut graph = Graph::new(pairs);
    for gold in 0..graph.golds.len() {
        graph.add(pairs, gold);
    }
    let mut chosen: Vec<usize> = graph.of_gold.into_iter().flatten().collect();
    chosen.sort_unstable();
    chosen
}

/// The first of the best choices.
fn first_best(pairs: &[Pair]) -> Vec<usize> {
    let sum = |pairs: &[Pair]| -> i128 { best(pairs).iter().map(|&at| pairs[at].credit).sum() };
    let mut left: Vec<usize> = (0..pairs.len()).collect();
    let mut open = sum(pairs);
    let mut chosen = Vec::new();
    while open > 0 {
        let first = left.iter().copied().find_map(|at| {
            let pair = pairs[at];
            // Pairs that were tried before this one belong to no best choice.
            let rest: Vec<usize> = left
                .iter()
                .copied()
                .filter(|&o| o > at && pairs[o].gold != pair.gold && pairs[o].pred != pair.pred)
                .collect();
            let part: Vec<Pair> = rest.iter().map(|&o| pairs[o]).collect();
            let value = sum(&part);
            (pair.credit + value == open).then_some((at, rest, value))
        });
        let Some((at, rest, value)) = first else {
            break;
        };
        chosen.push(at);
        left = rest;
        open = value;
    }
    chosen
}

/// Gold spans come in one by one; after each the choice is a best one among those that came.
struct Graph {
    /// Pairs of each gold span, by its place among those of the component.
    golds: Vec<std::ops::Range<usize>>,
    /// For each pair its gold and pred, by their places among those of the component.
    ends: Vec<(usize, usize)>,
    /// The pair each gold span is in.
    of_gold: Vec<Option<usize>>,
    /// The pair each pred span is in.
    of_pred: Vec<Option<usize>>,
    /// The most that changing pairs up to and including a new one for this gold span brings.
    gain: Vec<Option<i128>>,
    /// The pair by which the search came to free this gold span.
    via: Vec<usize>,
    queued: Vec<bool>,
}

impl Graph {
    fn new(pairs: &[Pair]) -> Self {
        let mut preds: Vec<u32> = pairs.iter().map(|p| p.pred).collect();
        preds.sort_unstable();
        preds.dedup();
        let mut golds: Vec<std::ops::Range<usize>> = Vec::new();
        let mut ends = Vec::with_capacity(pairs.len());
        for (at, pair) in pairs.iter().enumerate() {
            match golds.last_mut() {
                Some(last) if pairs[last.start].gold == pair.gold => last.end = at + 1,
                _ => golds.push(at..at + 1),
            }
            ends.push((golds.len() - 1, preds.partition_point(|&p| p < pair.pred)));
        }
        let n = golds.len();
        Self {
            golds,
            ends,
            of_gold: vec![None; n],
            of_pred: vec![None; preds.len()],
            gain: vec![None; n],
            via: vec![usize::MAX; n],
            queued: vec![false; n],
        }
    }

    /// Brings in a gold span by the path of greatest gain. Such a path begins with it and goes, by a new
    /// pair, to a pred span; that is free, or its old pair is given up and its gold span goes on to another
    /// pred span, or stays without. No round trip brings anything, as the choice so far is a best one,
    /// so searching by improvement comes to an end.
    fn add(&mut self, pairs: &[Pair], gold: usize) {
        let mut queue = VecDeque::from([gold]);
        let mut touched = vec![gold];
        self.gain[gold] = Some(0);
        let mut end: (i128, Option<usize>, usize) = (0, None, gold);
        while let Some(g) = queue.pop_front() {
            self.queued[g] = false;
            let Some(so_far) = self.gain[g] else { continue };
            // To stop here leaves this gold span without a partner.
            if so_far > end.0 {
                end = (so_far, None, g);
            }
            for at in self.golds[g].clone() {
                if self.of_gold[g] == Some(at) {
                    continue;
                }
                let gain = so_far + pairs[at].credit;
                let Some(old) = self.of_pred[self.ends[at].1] else {
                    if gain > end.0 {
                        end = (gain, Some(at), g);
                    }
                    continue;
                };
                let (other, gain) = (self.ends[old].0, gain - pairs[old].credit);
                if self.gain[other].is_none_or(|known| gain > known) {
                    if self.gain[other].is_none() {
                        touched.push(other);
                    }
                    self.gain[other] = Some(gain);
                    self.via[other] = at;
                    if !std::mem::replace(&mut self.queued[other], true) {
                        queue.push_back(other);
                    }
                }
            }
        }
        self.turn(end.1, end.2, gold);
        for g in touched {
            self.gain[g] = None;
        }
    }

    /// Makes the pairs of the path that ends with the pair `last` of gold span `g`, back to `first`.
    fn turn(&mut self, last: Option<usize>, mut g: usize, first: usize) {
        let mut new = last;
        loop {
            self.of_gold[g] = new;
            if let Some(at) = new {
                self.of_pred[self.ends[at].1] = Some(at);
            }
            if g == first {
                return;
            }
            let at = self.via[g];
            new = Some(at);
            g = self.ends[at].0;
        }
    }
}
