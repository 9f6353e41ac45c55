//! One-to-one assignments of greatest credit.

use spanrs_base::{Interrupted, Pace};

use super::first_choice::first_choice;
use super::transport::{Edges, Solver};

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
/// Where neither side overlaps itself the pairs form a staircase, and one pass resolves them; others are
/// resolved as a transportation problem.
///
/// Ties: with `ties`, the choice whose list of pairs comes first: the first pair that belongs to any best
/// choice is made, then the first that goes with it, and so on. Without, any best choice.
///
/// # Errors
/// [`Interrupted`].
pub fn assign(pairs: &[Pair], ties: bool, pace: &mut Pace) -> Result<Vec<usize>, Interrupted> {
    if is_staircase(pairs.iter().map(|pair| (pair.gold, pair.pred))) {
        pace.steps(pairs.len())?;
        return Ok(staircase(pairs));
    }
    let mut known: Vec<u32> = pairs.iter().map(|pair| pair.pred).collect();
    known.sort_unstable();
    known.dedup();
    let number = |pred: u32| known.partition_point(|&p| p < pred) as u32;
    let preds: Vec<u32> = pairs.iter().map(|pair| number(pair.pred)).collect();
    let mut offsets = vec![0];
    for (at, both) in (1..).zip(pairs.windows(2)) {
        if both[0].gold != both[1].gold {
            offsets.push(at);
        }
    }
    offsets.push(pairs.len());
    let edges = Edges {
        offsets: &offsets,
        preds: &preds,
        supply: &vec![1; offsets.len() - 1],
        demand: &vec![1; known.len()],
    };
    let mut solver = Solver::new(edges, |_, edge: usize| pairs[edge].credit);
    solver.solve(pace)?;
    let flows = if ties {
        first_choice(&solver, pace)?
    } else {
        solver.flows()
    };
    Ok(flows.into_iter().map(|flow| flow.edge).collect())
}

/// True where gold and pred of pairs sorted by gold both never go down.
pub(super) fn is_staircase(pairs: impl Iterator<Item = (u32, u32)>) -> bool {
    let mut last = 0;
    let mut pairs = pairs;
    pairs.all(|(_, pred)| std::mem::replace(&mut last, pred) <= pred)
}

/// Pairs whose gold and pred both never go down: those that share a span with one stand next to it, so
/// the best of what follows a pair needs only the place behind them.
pub(super) fn staircase(pairs: &[Pair]) -> Vec<usize> {
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
