//! One-to-one assignments of greatest credit.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

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

/// A best choice, by shortest augmenting paths.
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
///
/// Every pred span has a price, which begins at 0 and rises as more gold spans want it; what a pair costs is
/// its price less its credit, and to stay without a partner costs nothing. A new gold span takes the cheapest
/// way (Jonker and Volgenant 1987): to a pred span that is free, or to one whose gold span goes on to another
/// or stays without. Only what is cheaper than the end of that way is looked at, so that a span which overlaps
/// everything does not make everything one search.
struct Graph {
    /// Pairs of each gold span, by its place among those of the component: those with most credit first.
    golds: Vec<Vec<usize>>,
    /// The pred span of each pair, by its place among those of the component.
    pred_of: Vec<usize>,
    /// The gold span of each pair.
    gold_of: Vec<usize>,
    /// The pair each gold span is in.
    of_gold: Vec<Option<usize>>,
    /// The pair each pred span is in.
    of_pred: Vec<Option<usize>>,
    price: Vec<i128>,
    /// What the cheapest way to a pred span costs, and its last pair; where the search has come.
    way: Vec<Option<(i128, usize)>>,
}

/// Where a search ends.
#[derive(Clone, Copy)]
enum End {
    /// At a free pred span, by the pair to it.
    Free(usize),
    /// At a gold span that stays without a partner.
    Without(usize),
}

impl Graph {
    fn new(pairs: &[Pair]) -> Self {
        let mut preds: Vec<u32> = pairs.iter().map(|p| p.pred).collect();
        preds.sort_unstable();
        preds.dedup();
        let mut golds: Vec<Vec<usize>> = Vec::new();
        let (mut pred_of, mut gold_of) = (Vec::new(), Vec::new());
        for (at, pair) in pairs.iter().enumerate() {
            match golds.last_mut() {
                Some(last) if pairs[last[0]].gold == pair.gold => last.push(at),
                _ => golds.push(vec![at]),
            }
            gold_of.push(golds.len() - 1);
            pred_of.push(preds.partition_point(|&p| p < pair.pred));
        }
        for of in &mut golds {
            of.sort_by_key(|&at| Reverse(pairs[at].credit));
        }
        Self {
            of_gold: vec![None; golds.len()],
            golds,
            pred_of,
            gold_of,
            of_pred: vec![None; preds.len()],
            price: vec![0; preds.len()],
            way: vec![None; preds.len()],
        }
    }

    /// Brings in a gold span by the cheapest way.
    fn add(&mut self, pairs: &[Pair], gold: usize) {
        let mut open = BinaryHeap::new();
        let (mut touched, mut done) = (Vec::new(), Vec::new());
        // To stay without a partner is a way to end that costs nothing.
        let mut end = (0, End::Without(gold));
        self.look(pairs, gold, 0, &mut end, &mut open, &mut touched);
        while let Some(Reverse((cost, pred))) = open.pop() {
            if cost >= end.0 {
                break;
            }
            // An older, dearer way to the same.
            if self.way[pred].is_some_and(|(known, _)| known < cost) {
                continue;
            }
            let Some(taken) = self.of_pred[pred] else {
                continue;
            };
            done.push(pred);
            let other = self.gold_of[taken];
            // The other gold span gives its pair up.
            let from = cost + pairs[taken].credit - self.price[pred];
            if from < end.0 {
                end = (from, End::Without(other));
            }
            self.look(pairs, other, from, &mut end, &mut open, &mut touched);
        }
        for pred in done {
            if let Some((cost, _)) = self.way[pred] {
                self.price[pred] += (end.0 - cost).max(0);
            }
        }
        self.turn(end.1, gold);
        for pred in touched {
            self.way[pred] = None;
        }
    }

    /// Looks where a gold span can go from a place that costs `from`.
    fn look(
        &mut self,
        pairs: &[Pair],
        gold: usize,
        from: i128,
        end: &mut (i128, End),
        open: &mut BinaryHeap<Reverse<(i128, usize)>>,
        touched: &mut Vec<usize>,
    ) {
        for &at in &self.golds[gold] {
            // Prices are not negative, and the pairs that follow have less credit.
            if from - pairs[at].credit >= end.0 {
                break;
            }
            let pred = self.pred_of[at];
            let cost = from - pairs[at].credit + self.price[pred];
            if cost >= end.0 || self.way[pred].is_some_and(|(known, _)| known <= cost) {
                continue;
            }
            if self.way[pred].replace((cost, at)).is_none() {
                touched.push(pred);
            }
            match self.of_pred[pred] {
                None => *end = (cost, End::Free(at)),
                Some(_) => open.push(Reverse((cost, pred))),
            }
        }
    }

    /// Makes the pairs of a way, from its end back to the gold span that came in.
    fn turn(&mut self, end: End, first: usize) {
        let (mut gold, mut new) = match end {
            End::Free(at) => (self.gold_of[at], Some(at)),
            End::Without(gold) => (gold, None),
        };
        loop {
            let old = std::mem::replace(&mut self.of_gold[gold], new);
            if let Some(at) = new {
                self.of_pred[self.pred_of[at]] = Some(at);
            }
            if gold == first {
                return;
            }
            // The pred span it had goes to the one before it on the way.
            let Some((_, at)) = old.and_then(|old| self.way[self.pred_of[old]]) else {
                return;
            };
            (gold, new) = (self.gold_of[at], Some(at));
        }
    }
}
