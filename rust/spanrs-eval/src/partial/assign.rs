//! One-to-one assignments with the greatest total credit.

use spanrs_base::{Interrupted, Pace};

use super::first_choice::first_choice;
use super::transport::{Edges, Solver};

/// An edge of an assignment problem: two spans that may be paired, and the credit of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Index of the gold span, in any numbering that orders the spans.
    pub gold: u32,
    /// Index of the pred span.
    pub pred: u32,
    /// Credit of the pair, greater than 0.
    pub credit: i128,
}

/// Chooses pairs, no two with the same gold or pred span, whose credits have the greatest sum, and
/// returns their indices in `pairs`, in ascending order. `pairs` is sorted by gold and then by
/// pred, without duplicates.
///
/// If no two spans on one side overlap, pred never decreases along `pairs` (a staircase) and one
/// pass of dynamic programming suffices. Other problems are solved as transportation problems.
///
/// With `ties`, returns the solution whose list of pairs is lexicographically first: its first pair
/// is the first pair that belongs to any optimal solution, its second pair is the next pair that
/// belongs to an optimal solution with the first pair, and so on. Without `ties`, any optimal
/// solution may be returned; it is the same in every run.
///
/// # Errors
/// [`Interrupted`] if the watch requests a stop.
///
/// # Examples
///
/// ```
/// use spanrs_base::Pace;
/// use spanrs_eval::partial::{Pair, assign};
/// let pair = |gold, pred, credit| Pair { gold, pred, credit };
/// // Taking the best pair first would leave gold 1 unpaired.
/// let pairs = [pair(0, 0, 3), pair(0, 1, 2), pair(1, 0, 2)];
/// assert_eq!(assign(&pairs, true, &mut Pace::default()).unwrap(), [1, 2]);
/// ```
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

/// Returns whether pred never decreases along pairs that are sorted by gold.
pub(super) fn is_staircase(pairs: impl Iterator<Item = (u32, u32)>) -> bool {
    let mut last = 0;
    let mut pairs = pairs;
    pairs.all(|(_, pred)| std::mem::replace(&mut last, pred) <= pred)
}

/// Solves a problem in which neither gold nor pred ever decreases along `pairs`; returns indices in
/// ascending order.
///
/// Pairs that share a span with a given pair are next to it, so the best solution for the pairs
/// after a chosen pair depends only on the index of the first later pair that shares no span with
/// it. O(n) time and memory. Ties are resolved in favour of the earlier pair.
pub(super) fn staircase(pairs: &[Pair]) -> Vec<usize> {
    let n = pairs.len();
    let shares = |a: &Pair, b: &Pair| (a.gold == b.gold, a.pred == b.pred);
    // next[k]: the first pair after k that shares no span with it.
    let mut next = vec![n; n];
    for k in (0..n.saturating_sub(1)).rev() {
        let with = shares(&pairs[k], &pairs[k + 1]);
        next[k] = match with {
            (false, false) => k + 1,
            // The run of pairs with the shared span ends at the same index as for the next pair.
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
        // Ties are resolved in favour of the earlier pair.
        if pairs[k].credit + best[next[k]] == best[k] {
            chosen.push(k);
            k = next[k];
        } else {
            k += 1;
        }
    }
    chosen
}
