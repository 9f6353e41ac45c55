//! The partial matcher compared with direct implementations of its definitions.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

#[path = "common/best_choices.rs"]
mod best_choices;
#[path = "common/partial_rows.rs"]
mod partial_rows;

use best_choices::best_choices;
use partial_rows::{PartialCounts, agree, agrees, count, found};
use proptest::prelude::*;
use spanrs_base::{Limits, Span};
use spanrs_eval::partial::{Found, Matcher, Matching, Mode, Pair, SCHEMA, sufficient};
use spanrs_eval::{Events, Matcher as _, Spans, Unmatched, add_pair, outcomes::Counts};

fn span((start, length, ty): (i64, i64, u32)) -> Span<i64> {
    Span {
        start,
        end: start + length,
        ty,
    }
}

/// Any spans in any order, including duplicates and nested spans.
fn wild(most: usize, least_length: i64) -> impl Strategy<Value = Vec<Span<i64>>> {
    proptest::collection::vec(
        (0_i64..12, least_length..6, 0_u32..3).prop_map(span),
        0..most,
    )
}

/// Spans in reading order that do not overlap.
fn flat(most: usize) -> impl Strategy<Value = Vec<Span<i64>>> {
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

fn pair<'a>(gold: &'a [Span<i64>], pred: &'a [Span<i64>]) -> spanrs_eval::Pair<'a> {
    spanrs_eval::Pair::new(Spans::whole(gold), Spans::whole(pred))
}

fn run(matcher: &mut Matcher, gold: &[Span<i64>], pred: &[Span<i64>]) -> Result<Events, Unmatched> {
    let mut events = Events::default();
    matcher.compare(&pair(gold, pred), &mut events)?;
    Ok(events)
}

fn events(matcher: &mut Matcher, gold: &[Span<i64>], pred: &[Span<i64>]) -> Events {
    run(matcher, gold, pred).unwrap()
}

/// Adds a pair to counts in which the names of types are their numbers.
fn add(matcher: &mut Matcher, gold: &[Span<i64>], pred: &[Span<i64>], counts: &mut Counts) {
    add_pair(matcher, &pair(gold, pred), &|ty| ty.to_string(), counts).unwrap();
}

/// Returns the spans of each outcome, in reading order.
fn outcomes(
    mode: Mode,
    ty: Option<u32>,
    gold: &[Span<i64>],
    pred: &[Span<i64>],
) -> Vec<(String, Span<i64>)> {
    let mut matcher = Matcher::new(Matching::Optimal, 1.0);
    matcher.resolve_ties();
    let events = events(&mut matcher, gold, pred);
    let mut all = Vec::new();
    for event in events.of(mode as u8 + if ty.is_some() { 4 } else { 0 }) {
        let span = match (found(event), event.gold, event.pred) {
            (Found::Missed, Some(at), None) => gold[at as usize],
            (_, _, at) => pred[at.unwrap() as usize],
        };
        if ty.is_none_or(|ty| span.ty == ty) {
            all.push((format!("{:?}", found(event)), span));
        }
    }
    all.sort();
    all
}

/// Nested, chained and equal spans, which form groups.
fn tangled(most: usize) -> impl Strategy<Value = Vec<Span<i64>>> {
    let nested = (0_i64..6, 0_u32..2).prop_map(|(at, ty)| span((at, 12 - 2 * at, ty)));
    let chained = (0_i64..6, 0_u32..2).prop_map(|(at, ty)| span((2 * at, 3, ty)));
    let equal = (0_u32..2).prop_map(|ty| span((4, 3, ty)));
    proptest::collection::vec(prop_oneof![nested, chained, equal], 0..most)
}

/// Returns the first of the best choices by definition, over all pairs of spans in reading order.
fn first_of_best(mode: Mode, gold: &[Span<i64>], pred: &[Span<i64>]) -> Vec<(usize, usize)> {
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
    fn empty_and_inverted_spans_are_matched_greedily_by_definition(
        gold in wild(9, -2), pred in wild(9, -2), min in 0..MINS.len(),
    ) {
        agree(&gold, &pred, MINS[min]);
    }

    #[test]
    fn both_matchings_are_their_definitions(
        gold in prop_oneof![wild(6, 1), flat(8), tangled(6)],
        pred in prop_oneof![wild(6, 1), flat(8), tangled(6)],
        alike in any::<u16>(),
        min in 0..MINS.len(),
    ) {
        let mut pred = pred;
        for (at, p) in pred.iter_mut().enumerate() {
            if let Some(g) = gold.get(at) && alike >> at & 1 == 1 {
                *p = *g;
            }
        }
        agree(&gold, &pred, MINS[min]);
    }

    #[test]
    fn the_order_of_the_input_does_not_matter_to_optimal(
        (gold, pred, other_gold, other_pred) in (wild(8, 1), wild(8, 1)).prop_flat_map(|(g, p)| {
            (Just(g.clone()), Just(p.clone()), Just(g).prop_shuffle(), Just(p).prop_shuffle())
        }),
    ) {
        prop_assert_eq!(
            count(Matching::Optimal, &gold, &pred, 1.0),
            count(Matching::Optimal, &other_gold, &other_pred, 1.0)
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
    fn ties_in_tangled_groups_go_to_the_first_of_the_best_choices(
        gold in tangled(4), pred in tangled(5),
    ) {
        let (mut gold, mut pred) = (gold, pred);
        gold.sort_unstable();
        pred.sort_unstable();
        for mode in Mode::ALL {
            let chosen = first_of_best(mode, &gold, &pred);
            let mut expected = vec![Found::Spurious; pred.len()];
            for &(g, p) in &chosen {
                expected[p] = match mode {
                    _ if agrees(mode, &gold[g], &pred[p]) => Found::Correct,
                    Mode::Overlap => Found::Partial,
                    _ => Found::Incorrect,
                };
            }
            let mut missed: Vec<usize> = (0..gold.len()).collect();
            missed.retain(|&at| chosen.iter().all(|&(g, _)| g != at));
            let (mut found, mut left) = (Vec::new(), Vec::new());
            let mut matcher = Matcher::new(Matching::Optimal, 1.0);
            matcher.resolve_ties();
            let events = events(&mut matcher, &gold, &pred);
            for event in events.of(mode as u8) {
                match partial_rows::found(event) {
                    Found::Missed => left.push(event.gold.unwrap() as usize),
                    other => {
                        prop_assert_eq!(event.pred, Some(found.len() as u32));
                        let partner = chosen.iter().find(|&&(_, p)| p == found.len());
                        prop_assert_eq!(event.gold, partner.map(|&(g, _)| g as u32));
                        found.push(other);
                    }
                }
            }
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(&left, &missed);
            for matcher in [
                Matcher::new(Matching::Optimal, 1.0),
                Matcher::new(Matching::Optimal, 1.0).only(mode, false),
            ] {
                let (mut found, mut left) = (Vec::new(), Vec::new());
                let mut matcher = matcher;
                matcher.resolve_ties();
                matcher.run(&gold, &pred).unwrap();
                matcher.outcomes(&gold, &pred, mode, None, |outcome, at| match outcome {
                    Found::Missed => left.push(at),
                    other => found.push(other),
                });
                prop_assert_eq!(&found, &expected);
                prop_assert_eq!(&left, &missed);
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
        let [mut whole, mut forwards, mut backwards] = [(); 3].map(|()| Counts::new(&SCHEMA));
        let mut rows = PartialCounts::default();
        let one = |gold: &[_], pred: &[_]| {
            let mut counts = Counts::new(&SCHEMA);
            add(&mut Matcher::new(matching, 1.0), gold, pred, &mut counts);
            counts
        };
        for (gold, pred) in &documents {
            add(&mut matcher, gold, pred, &mut whole);
            forwards.merge(&one(gold, pred)).unwrap();
            rows.merge(&count(matching, gold, pred, 1.0));
        }
        for (gold, pred) in documents.iter().rev() {
            backwards.merge(&one(gold, pred)).unwrap();
        }
        prop_assert_eq!(PartialCounts::of_cells(&whole), rows);
        prop_assert_eq!(whole.to_bytes(), forwards.to_bytes());
        prop_assert_eq!(whole.to_bytes(), backwards.to_bytes());
    }
}

#[test]
fn a_chain_of_ten_thousand_and_a_span_over_all_of_them_are_no_burden() {
    let chain: Vec<Span<i64>> = (0..10_000)
        .map(|at| span((2 * at, 2, (at % 3) as u32)))
        .collect();
    let shifted: Vec<Span<i64>> = chain
        .iter()
        .map(|s| Span {
            start: s.start + 1,
            end: s.end + 1,
            ..*s
        })
        .collect();
    for matching in [Matching::Greedy, Matching::Optimal] {
        let counts = count(matching, &chain, &shifted, 1.0);
        assert_eq!(counts.overall[Mode::Overlap as usize].partial, 10_000);
        let mut nested = chain.clone();
        nested.push(span((0, 20_000, 0)));
        let counts = count(matching, &nested, &chain, 1.0);
        assert_eq!(counts.overall[Mode::Strict as usize].correct, 10_000);
        assert_eq!(counts.overall[Mode::Strict as usize].missed, 1);
    }
}

fn nested(n: i64, shift: i64) -> Vec<Span<i64>> {
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
    run(&mut matcher, &nested(10, 0), &nested(10, 1)).unwrap();
    let refused = run(&mut matcher, &nested(11, 0), &nested(11, 1));
    let error = Unmatched::TooManyPairs {
        golds: 11,
        preds: 11,
        start: 0,
        end: 45,
        most: 100,
    };
    assert_eq!(refused.err(), Some(error));
    // Many small groups; and equal spans, which count once.
    let far = |spans: Vec<Span<i64>>| -> Vec<Span<i64>> {
        let shifts = (0..9).map(|at| 1000 * at);
        let moved = |shift| {
            let of = move |s: &Span<i64>| span((s.start + shift, s.end - s.start, s.ty));
            spans.iter().map(of).collect::<Vec<_>>()
        };
        shifts.flat_map(moved).collect()
    };
    run(&mut matcher, &far(nested(10, 0)), &far(nested(10, 1))).unwrap();
    let (gold, pred) = ([span((0, 5, 0)); 1000], [span((1, 5, 0)); 1000]);
    run(&mut matcher, &gold, &pred).unwrap();
    let mut greedy = Matcher::new(Matching::Greedy, 1.0).with_limits(limits);
    run(&mut greedy, &nested(50, 0), &nested(50, 1)).unwrap();
}

#[test]
fn matching_stops_when_the_watch_says_so() {
    for matching in [Matching::Greedy, Matching::Optimal] {
        let mut matcher = Matcher::new(matching, 1.0).with_watch(|| true);
        let stopped = run(&mut matcher, &nested(400, 0), &nested(400, 1));
        assert_eq!(stopped.err(), Some(Unmatched::Stopped));
    }
}

#[test]
fn many_equal_and_nested_spans_are_no_burden() {
    let (gold, pred) = (vec![span((0, 5, 0)); 8000], vec![span((1, 5, 0)); 8000]);
    for ties in [false, true] {
        let mut matcher = Matcher::new(Matching::Optimal, 1.0);
        if ties {
            matcher.resolve_ties();
        }
        for (gold, pred) in [(&gold, &pred), (&nested(500, 0), &nested(500, 1))] {
            let mut counts = Counts::new(&SCHEMA);
            add(&mut matcher, gold, pred, &mut counts);
            let counts = PartialCounts::of_cells(&counts);
            assert_eq!(
                counts.overall[Mode::Overlap as usize].partial,
                gold.len() as u64
            );
            assert_eq!(
                counts.types[&0][Mode::Type as usize].correct,
                gold.len() as u64
            );
        }
    }
}

#[test]
fn positions_may_be_any_of_i64() {
    let at = |start, end, ty| Span { start, end, ty };
    let whole = at(i64::MIN, i64::MAX, 0);
    let gold = [whole, at(i64::MIN, 0, 1), at(i64::MAX, i64::MIN, 1)];
    let pred = [at(-1, i64::MAX, 0), whole, at(i64::MIN, i64::MIN + 1, 1)];
    for matching in [Matching::Greedy, Matching::Optimal] {
        let mut events = Events::default();
        let pair = spanrs_eval::Pair::new(Spans::whole(&gold), Spans::whole(&pred));
        Matcher::new(matching, 0.0)
            .compare(&pair, &mut events)
            .unwrap();
        let correct = events
            .of(Mode::Bounds as u8)
            .filter(|event| event.outcome == Found::Correct as u8);
        assert!(correct.count() <= 1);
    }
}
