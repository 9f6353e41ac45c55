//! Assignments with the greatest credit, by brute force.

use spanrs_eval::partial::Pair;

/// Returns the greatest sum, and every choice of pairs with this sum.
pub(crate) fn best_choices(pairs: &[Pair]) -> (i128, Vec<Vec<usize>>) {
    let mut most = (0, vec![vec![]]);
    for set in 0..1_u32 << pairs.len() {
        let chosen: Vec<usize> = (0..pairs.len()).filter(|at| set & 1 << at != 0).collect();
        let clash = |a: &Pair, b: &Pair| a.gold == b.gold || a.pred == b.pred;
        if chosen
            .iter()
            .any(|&a| chosen.iter().any(|&b| a < b && clash(&pairs[a], &pairs[b])))
        {
            continue;
        }
        let sum = chosen.iter().map(|&at| pairs[at].credit).sum();
        if sum > most.0 {
            most = (sum, vec![]);
        }
        if sum == most.0 {
            most.1.push(chosen);
        }
    }
    most.1.sort();
    most
}
