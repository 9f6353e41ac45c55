//! One-to-one assignments compared with their definitions.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

#[path = "common/best_choices.rs"]
mod best_choices;

use best_choices::best_choices;
use proptest::prelude::*;
use spanrs_base::Pace;
use spanrs_eval::partial::{Pair, assign};

/// Returns the greatest sum, computed with augmenting paths of greatest gain (Bellman-Ford).
fn by_augmenting(pairs: &[Pair]) -> i128 {
    let mut used = vec![false; pairs.len()];
    let mut total = 0;
    loop {
        // Gain of the best path to a gold span that gives up its pair, or to a pred span; and the
        // last pair of the path.
        let free_gold = |used: &[bool], gold: u32| {
            !pairs
                .iter()
                .zip(used)
                .any(|(pair, &used)| used && pair.gold == gold)
        };
        let mut gain_gold: Vec<Option<i128>> =
            (0..30).map(|g| free_gold(&used, g).then_some(0)).collect();
        let mut last = [None; 30];
        let mut gain_pred = [None; 30];
        for _ in 0..61 {
            for (at, pair) in pairs.iter().enumerate() {
                let (g, p) = (pair.gold as usize, pair.pred as usize);
                if used[at] {
                    let back = gain_pred[p].map(|gain: i128| gain - pair.credit);
                    gain_gold[g] = gain_gold[g].max(back);
                } else if let Some(gain) = gain_gold[g]
                    && gain_pred[p].is_none_or(|known| known < gain + pair.credit)
                {
                    gain_pred[p] = Some(gain + pair.credit);
                    last[p] = Some(at);
                }
            }
        }
        let taken = |used: &[bool], p: usize| {
            (0..pairs.len()).find(|&at| used[at] && pairs[at].pred == p as u32)
        };
        let ends = (0..30).filter(|&p| taken(&used, p).is_none());
        let Some((gain, end)) = ends.filter_map(|p| Some((gain_pred[p]?, p))).max() else {
            return total;
        };
        // Gains decrease from path to path, so the sum is the maximum.
        if gain <= 0 {
            return total;
        }
        total += gain;
        let mut p = end;
        while let Some(at) = last[p] {
            let given_up = (0..pairs.len()).find(|&o| used[o] && pairs[o].gold == pairs[at].gold);
            used[at] = true;
            let Some(old) = given_up else { break };
            used[old] = false;
            p = pairs[old].pred as usize;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn ties_go_to_the_first_of_the_best_choices(
        ends in proptest::collection::btree_map((0_u32..5, 0_u32..5), 1_i128..4, 0..11),
    ) {
        let pairs: Vec<Pair> = ends
            .into_iter()
            .map(|((gold, pred), credit)| Pair { gold, pred, credit })
            .collect();
        let (most, choices) = best_choices(&pairs);
        let mut chosen = assign(&pairs, true, &mut Pace::default()).unwrap();
        chosen.sort_unstable();
        prop_assert_eq!(&chosen, &choices[0]);
        let sum: i128 = assign(&pairs, false, &mut Pace::default()).unwrap().iter().map(|&at| pairs[at].credit).sum();
        prop_assert_eq!(sum, most);
    }

    #[test]
    fn larger_assignments_are_the_best_and_ties_do_not_change_the_sum(
        ends in proptest::collection::btree_map((0_u32..30, 0_u32..30), 1_i128..6, 0..400),
    ) {
        let pairs: Vec<Pair> = ends
            .into_iter()
            .map(|((gold, pred), credit)| Pair { gold, pred, credit })
            .collect();
        let most = by_augmenting(&pairs);
        for ties in [false, true] {
            let chosen = assign(&pairs, ties, &mut Pace::default()).unwrap();
            let sum: i128 = chosen.iter().map(|&at| pairs[at].credit).sum();
            prop_assert_eq!(sum, most);
            for (at, &a) in chosen.iter().enumerate() {
                for &b in &chosen[..at] {
                    prop_assert!(pairs[a].gold != pairs[b].gold && pairs[a].pred != pairs[b].pred);
                }
            }
        }
    }
}
