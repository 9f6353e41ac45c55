//! The partial matcher beside its definitions, written down as plainly as they can be.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

use proptest::prelude::*;
use spanrs_base::{Limits, Pace};
use spanrs_eval::partial::{
    Matcher, Matching, Mode, Outcome, Pair, PartialCounts, Placed, Row, Unmatched, assign,
    sufficient,
};

fn span((start, length, ty): (i64, i64, u32)) -> Placed {
    Placed {
        start,
        end: start + length,
        ty,
    }
}

/// Any spans, in any order, duplicates and nests among them.
fn wild(most: usize, least_length: i64) -> impl Strategy<Value = Vec<Placed>> {
    proptest::collection::vec(
        (0_i64..12, least_length..6, 0_u32..3).prop_map(span),
        0..most,
    )
}

/// Spans in reading order that do not overlap.
fn flat(most: usize) -> impl Strategy<Value = Vec<Placed>> {
    proptest::collection::vec((0_i64..3, 1_i64..4, 0_u32..3), 0..most).prop_map(|steps| {
        let mut at = 0;
        let place = |(gap, length, ty): (i64, i64, u32)| {
            let placed = span((at + gap, length, ty));
            at = placed.end;
            placed
        };
        steps.into_iter().map(place).collect()
    })
}

fn agrees(mode: Mode, g: &Placed, p: &Placed) -> bool {
    let (bounds, ty) = (g.start == p.start && g.end == p.end, g.ty == p.ty);
    match mode {
        Mode::Strict => bounds && ty,
        Mode::Exact | Mode::Partial => bounds,
        Mode::Type => ty,
    }
}

fn row(mode: Mode, golds: usize, preds: usize, pairs: &[bool]) -> Row {
    let correct = pairs.iter().filter(|&&correct| correct).count() as u64;
    let other = pairs.len() as u64 - correct;
    let partial = mode == Mode::Partial;
    Row {
        correct,
        incorrect: if partial { 0 } else { other },
        partial: if partial { other } else { 0 },
        missed: (golds - pairs.len()) as u64,
        spurious: (preds - pairs.len()) as u64,
    }
}

/// The greedy matching, looking at every pair of spans.
fn greedy(mode: Mode, gold: &[Placed], pred: &[Placed], min: f64) -> Row {
    let mut free = vec![true; gold.len()];
    let mut pairs = Vec::new();
    for p in pred {
        let all: Vec<usize> = (0..gold.len()).filter(|&g| free[g]).collect();
        let enough = |g: &&usize| sufficient(&gold[**g], p, min);
        let right = |g: &&usize| {
            agrees(mode, &gold[**g], p)
                && (mode == Mode::Strict || mode == Mode::Exact || enough(g))
        };
        let distance =
            |g: &&usize| (gold[**g].start - p.start).abs() + (gold[**g].end - p.end).abs();
        let correct = if mode == Mode::Type {
            all.iter().filter(right).min_by_key(distance)
        } else {
            all.iter().find(right)
        };
        if let Some(&g) = correct.or_else(|| all.iter().find(enough)) {
            free[g] = false;
            pairs.push(correct.is_some());
        }
    }
    row(mode, gold.len(), pred.len(), &pairs)
}

/// The best of all assignments: (correct, pairs, shared places), and its correct ones.
fn best(mode: Mode, gold: &[Placed], pred: &[Placed], min: f64) -> (u64, u64, i64) {
    let Some((g, rest)) = gold.split_first() else {
        return (0, 0, 0);
    };
    let mut most = best(mode, rest, pred, min);
    for (at, p) in pred
        .iter()
        .enumerate()
        .filter(|(_, p)| sufficient(g, p, min))
    {
        let mut others = pred.to_vec();
        others.remove(at);
        let (correct, pairs, shared) = best(mode, rest, &others, min);
        let here = g.end.min(p.end) - g.start.max(p.start);
        let with = u64::from(agrees(mode, g, p));
        most = most.max((correct + with, pairs + 1, shared + here));
    }
    most
}

fn optimal(mode: Mode, gold: &[Placed], pred: &[Placed], min: f64) -> Row {
    let (correct, pairs, _) = best(mode, gold, pred, min);
    let kinds: Vec<bool> = (0..pairs).map(|at| at < correct).collect();
    row(mode, gold.len(), pred.len(), &kinds)
}

type Definition = fn(Mode, &[Placed], &[Placed], f64) -> Row;

/// Overall and type by type.
fn by_definition(how: Definition, gold: &[Placed], pred: &[Placed], min: f64) -> PartialCounts {
    let types = gold.iter().chain(pred).map(|s| s.ty + 1).max().unwrap_or(0);
    let only = |spans: &[Placed], ty| -> Vec<Placed> {
        spans.iter().copied().filter(|s| s.ty == ty).collect()
    };
    PartialCounts {
        overall: Mode::ALL.map(|mode| how(mode, gold, pred, min)),
        types: (0..types)
            .map(|ty| Mode::ALL.map(|mode| how(mode, &only(gold, ty), &only(pred, ty), min)))
            .collect(),
    }
}

fn counted(matching: Matching, gold: &[Placed], pred: &[Placed], min: f64) -> PartialCounts {
    let mut matcher = Matcher::new(matching, min);
    let mut counts = PartialCounts::default();
    matcher.run(gold, pred).unwrap();
    matcher.count(gold, pred, &mut counts);
    counts
}

/// The spans of each outcome, in reading order.
fn outcomes(
    mode: Mode,
    ty: Option<u32>,
    gold: &[Placed],
    pred: &[Placed],
) -> Vec<(String, Placed)> {
    let mut matcher = Matcher::new(Matching::Optimal, 1.0).with_ties();
    matcher.run(gold, pred).unwrap();
    let mut all = Vec::new();
    let only = |spans: &[Placed]| -> Vec<Placed> {
        spans
            .iter()
            .copied()
            .filter(|s| ty.is_none_or(|ty| s.ty == ty))
            .collect()
    };
    let (golds, preds) = (only(gold), only(pred));
    matcher.outcomes(gold, pred, mode, ty, |outcome, at| {
        let side = if outcome == Outcome::Missed {
            &golds
        } else {
            &preds
        };
        all.push((format!("{outcome:?}"), side[at]));
    });
    all.sort();
    all
}

/// Every choice of pairs with the greatest sum.
fn best_choices(pairs: &[Pair]) -> (i128, Vec<Vec<usize>>) {
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

/// The greatest sum, by paths of greatest gain found by relaxing all edges (Bellman and Ford).
fn by_augmenting(pairs: &[Pair]) -> i128 {
    let mut used = vec![false; pairs.len()];
    let mut total = 0;
    loop {
        // Gain of the best way to a gold span that gives its pair up, or to a pred span; and its last pair.
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
        // Gains fall from path to path, so the sum is the greatest of all.
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

/// What a span of a family may be: the bounds of nested, chained and equal spans are what makes groups.
fn tangled(most: usize) -> impl Strategy<Value = Vec<Placed>> {
    let nested = (0_i64..6, 0_u32..2).prop_map(|(at, ty)| span((at, 12 - 2 * at, ty)));
    let chained = (0_i64..6, 0_u32..2).prop_map(|(at, ty)| span((2 * at, 3, ty)));
    let equal = (0_u32..2).prop_map(|ty| span((4, 3, ty)));
    proptest::collection::vec(prop_oneof![nested, chained, equal], 0..most)
}

/// The first of the best choices by its definition, over all pairs of the spans in reading order.
fn first_of_best(mode: Mode, gold: &[Placed], pred: &[Placed]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    let mut ends = Vec::new();
    for (g, gold) in gold.iter().enumerate() {
        for (p, pred) in pred.iter().enumerate() {
            if sufficient(gold, pred, 1.0) {
                let shared = gold.end.min(pred.end) - gold.start.max(pred.start);
                let correct = i128::from(agrees(mode, gold, pred));
                let (gold, pred) = (g as u32, p as u32);
                let credit = correct << 40 | 1 << 20 | i128::from(shared);
                pairs.push(Pair { gold, pred, credit });
                ends.push((g, p));
            }
        }
    }
    let (_, choices) = best_choices(&pairs);
    choices[0].iter().map(|&at| ends[at]).collect()
}

const MINS: [f64; 4] = [1.0, 33.0, 50.0, 100.0];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn greedy_is_its_definition(
        gold in wild(9, -2), pred in wild(9, -2), solid in any::<bool>(), min in 0..MINS.len(),
    ) {
        let keep = |s: &Placed| !solid || s.end > s.start;
        let gold: Vec<_> = gold.into_iter().filter(keep).collect();
        let pred: Vec<_> = pred.into_iter().filter(keep).collect();
        let expected = by_definition(greedy, &gold, &pred, MINS[min]);
        prop_assert_eq!(counted(Matching::Greedy, &gold, &pred, MINS[min]), expected);
    }

    #[test]
    fn greedy_is_its_definition_in_flat_data(
        gold in flat(9), pred in flat(9), alike in any::<u16>(), min in 0..MINS.len(),
    ) {
        let mut pred = pred;
        for (at, p) in pred.iter_mut().enumerate() {
            if let Some(g) = gold.get(at) && alike >> at & 1 == 1 {
                *p = *g;
            }
        }
        let expected = by_definition(greedy, &gold, &pred, MINS[min]);
        prop_assert_eq!(counted(Matching::Greedy, &gold, &pred, MINS[min]), expected);
    }

    #[test]
    fn optimal_is_the_best_of_all_assignments(
        gold in wild(6, 1), pred in wild(6, 1), min in 0..MINS.len(),
    ) {
        let expected = by_definition(optimal, &gold, &pred, MINS[min]);
        prop_assert_eq!(counted(Matching::Optimal, &gold, &pred, MINS[min]), expected);
    }

    #[test]
    fn optimal_is_the_best_in_flat_data(gold in flat(8), pred in flat(8), min in 0..MINS.len()) {
        let expected = by_definition(optimal, &gold, &pred, MINS[min]);
        prop_assert_eq!(counted(Matching::Optimal, &gold, &pred, MINS[min]), expected);
    }

    #[test]
    fn the_order_of_the_input_does_not_matter_to_optimal(
        (gold, pred, other_gold, other_pred) in (wild(8, 1), wild(8, 1)).prop_flat_map(|(g, p)| {
            (Just(g.clone()), Just(p.clone()), Just(g).prop_shuffle(), Just(p).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(
            counted(Matching::Optimal, &gold, &pred, 1.0),
            counted(Matching::Optimal, &other_gold, &other_pred, 1.0)
        );
        for mode in Mode::ALL {
            for ty in [None, Some(0), Some(1)] {
                prop_assert_eq!(
                    outcomes(mode, ty, &gold, &pred),
                    outcomes(mode, ty, &other_gold, &other_pred)
                );
            }
        }
    }

    #[test]
    fn optimal_finds_no_less_than_greedy(gold in wild(9, 1), pred in wild(9, 1)) {
        let (greedy, optimal) = (
            counted(Matching::Greedy, &gold, &pred, 1.0),
            counted(Matching::Optimal, &gold, &pred, 1.0),
        );
        for mode in Mode::ALL {
            let (g, o) = (greedy.overall[mode as usize], optimal.overall[mode as usize]);
            let credit = |r: Row| 2 * r.correct + r.partial;
            prop_assert!(o.correct >= g.correct, "{mode:?}: {o:?} {g:?}");
            prop_assert!(credit(o) >= credit(g), "{mode:?}: {o:?} {g:?}");
        }
    }

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
    fn tangled_groups_are_matched_by_definition(
        gold in tangled(6), pred in tangled(6), min in 0..MINS.len(),
    ) {
        let expected = by_definition(optimal, &gold, &pred, MINS[min]);
        prop_assert_eq!(counted(Matching::Optimal, &gold, &pred, MINS[min]), expected);
    }

    #[test]
    fn ties_in_tangled_groups_go_to_the_first_of_the_best_choices(
        gold in tangled(4), pred in tangled(5),
    ) {
        let (mut gold, mut pred) = (gold, pred);
        gold.sort_unstable();
        pred.sort_unstable();
        for mode in Mode::ALL {
            let chosen = first_of_best(mode, &gold, &pred);
            let mut expected = vec![Outcome::Spurious; pred.len()];
            for &(g, p) in &chosen {
                expected[p] = match mode {
                    _ if agrees(mode, &gold[g], &pred[p]) => Outcome::Correct,
                    Mode::Partial => Outcome::Partial,
                    _ => Outcome::Incorrect,
                };
            }
            let mut missed: Vec<usize> = (0..gold.len()).collect();
            missed.retain(|&at| chosen.iter().all(|&(g, _)| g != at));
            for matcher in [
                Matcher::new(Matching::Optimal, 1.0).with_ties(),
                Matcher::new(Matching::Optimal, 1.0).with_ties().only(mode, false),
            ] {
                let (mut found, mut left) = (Vec::new(), Vec::new());
                let mut matcher = matcher;
                matcher.run(&gold, &pred).unwrap();
                matcher.outcomes(&gold, &pred, mode, None, |outcome, at| match outcome {
                    Outcome::Missed => left.push(at),
                    other => found.push(other),
                });
                prop_assert_eq!(&found, &expected);
                prop_assert_eq!(&left, &missed);
            }
        }
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

    #[test]
    fn counts_add_up_in_any_order(
        documents in proptest::collection::vec((wild(5, 1), wild(5, 1)), 0..6),
        optimal in any::<bool>(),
    ) {
        let matching = if optimal { Matching::Optimal } else { Matching::Greedy };
        let mut matcher = Matcher::new(matching, 1.0);
        let mut whole = PartialCounts::default();
        let (mut forwards, mut backwards) = (PartialCounts::default(), PartialCounts::default());
        for (gold, pred) in &documents {
            matcher.run(gold, pred).unwrap();
            matcher.count(gold, pred, &mut whole);
            forwards.merge(&counted(matching, gold, pred, 1.0));
        }
        for (gold, pred) in documents.iter().rev() {
            backwards.merge(&counted(matching, gold, pred, 1.0));
        }
        prop_assert_eq!(&whole, &forwards);
        prop_assert_eq!(whole, backwards);
    }
}

#[test]
fn a_chain_of_ten_thousand_and_a_span_over_all_of_them_are_no_burden() {
    let chain: Vec<Placed> = (0..10_000)
        .map(|at| span((2 * at, 2, (at % 3) as u32)))
        .collect();
    let shifted: Vec<Placed> = chain
        .iter()
        .map(|s| Placed {
            start: s.start + 1,
            end: s.end + 1,
            ..*s
        })
        .collect();
    for matching in [Matching::Greedy, Matching::Optimal] {
        let counts = counted(matching, &chain, &shifted, 1.0);
        assert_eq!(counts.overall[Mode::Partial as usize].partial, 10_000);
        let mut nested = chain.clone();
        nested.push(span((0, 20_000, 0)));
        let counts = counted(matching, &nested, &chain, 1.0);
        assert_eq!(counts.overall[Mode::Strict as usize].correct, 10_000);
        assert_eq!(counts.overall[Mode::Strict as usize].missed, 1);
    }
}

fn nested(n: i64, shift: i64) -> Vec<Placed> {
    (0..n)
        .map(|at| span((2 * at + shift, 4 * (n - at), 0)))
        .collect()
}

#[test]
fn groups_beyond_the_limit_are_refused_and_smaller_ones_are_not() {
    let limits = Limits {
        group_pairs: 100,
        ..Limits::default()
    };
    let mut matcher = Matcher::new(Matching::Optimal, 1.0).with_limits(limits);
    matcher.run(&nested(10, 0), &nested(10, 1)).unwrap();
    let refused = matcher.run(&nested(11, 0), &nested(11, 1));
    let error = Unmatched::TooManyPairs {
        golds: 11,
        preds: 11,
        start: 0,
        end: 45,
        most: 100,
    };
    assert_eq!(refused, Err(error));
    // Many groups, each of them small; and equal spans, which count once.
    let far = |spans: Vec<Placed>| -> Vec<Placed> {
        let shifts = (0..9).map(|at| 1000 * at);
        let moved = |shift| {
            let of = move |s: &Placed| span((s.start + shift, s.end - s.start, s.ty));
            spans.iter().map(of).collect::<Vec<_>>()
        };
        shifts.flat_map(moved).collect()
    };
    matcher
        .run(&far(nested(10, 0)), &far(nested(10, 1)))
        .unwrap();
    matcher
        .run(&[span((0, 5, 0)); 1000], &[span((1, 5, 0)); 1000])
        .unwrap();
    let mut greedy = Matcher::new(Matching::Greedy, 1.0).with_limits(limits);
    greedy.run(&nested(50, 0), &nested(50, 1)).unwrap();
}

#[test]
fn matching_stops_when_the_watch_says_so() {
    for matching in [Matching::Greedy, Matching::Optimal] {
        let mut matcher = Matcher::new(matching, 1.0).with_watch(|| true);
        let stopped = matcher.run(&nested(400, 0), &nested(400, 1));
        assert_eq!(stopped, Err(Unmatched::Stopped));
    }
}

#[test]
fn many_equal_and_nested_spans_are_no_burden() {
    let (gold, pred) = (vec![span((0, 5, 0)); 8000], vec![span((1, 5, 0)); 8000]);
    for ties in [false, true] {
        let matcher = Matcher::new(Matching::Optimal, 1.0);
        let mut matcher = if ties { matcher.with_ties() } else { matcher };
        for (gold, pred) in [(&gold, &pred), (&nested(500, 0), &nested(500, 1))] {
            let mut counts = PartialCounts::default();
            matcher.run(gold, pred).unwrap();
            matcher.count(gold, pred, &mut counts);
            assert_eq!(
                counts.overall[Mode::Partial as usize].partial,
                gold.len() as u64
            );
            assert_eq!(
                counts.types[0][Mode::Type as usize].correct,
                gold.len() as u64
            );
        }
    }
}
