//! Scoring sentences of spans gives the same counts as calling the matchers directly.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

#[path = "common/cells.rs"]
mod cells;
#[path = "common/matchers.rs"]
mod matchers;

use std::collections::{BTreeMap, BTreeSet};

use matchers::matcher;
use proptest::prelude::*;
use spanrs_base::Span;
use spanrs_eval::outcomes::{Cell, Counts, Key};
use spanrs_eval::{Events, Exact, Matcher as _, Pair, Scorer, Spans, TokenSets, add_pair};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

/// Documents of sentences of spans; in many sentences both sides are equal.
fn documents_of_spans() -> impl Strategy<Value = Vec<Vec<[Vec<Span<i64>>; 2]>>> {
    let span = (0..4_i64, 1..4_i64, 0..3_u32).prop_map(|(start, length, ty)| Span {
        start,
        end: start + length,
        ty,
    });
    let flat = proptest::collection::vec((0..3_i64, 1..4_i64, 0..3_u32), 0..6).prop_map(|steps| {
        let mut last = 0;
        let place = |(gap, length, ty): (i64, i64, u32)| {
            let start = last + gap;
            last = start + length;
            Span {
                start,
                end: last,
                ty,
            }
        };
        steps.into_iter().map(place).collect::<Vec<_>>()
    });
    let wild = proptest::collection::vec(span, 0..6);
    let side = prop_oneof![flat, wild];
    let pair = (side.clone(), side, 0..3_u8).prop_map(|(gold, other, same)| match same {
        0 => [gold, other],
        _ => [gold.clone(), gold],
    });
    proptest::collection::vec(proptest::collection::vec(pair, 0..5), 0..5)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn sentences_of_spans_are_counted_like_pairs(
        number in 0..5_usize, documents in documents_of_spans(), named in any::<bool>(),
    ) {
        let mut matcher = matcher(number);
        let no_tags = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
        let mut scorer = Scorer::new(matcher.boxed(), 0).by_document();
        let mut types = scorer.type_cells();
        let name = |ty: u32| format!("type {ty}");
        let mut expected = Counts::by_document(matcher.schema());
        let sentences = Cell {
            criterion: matcher.schema().criterion("corpus").unwrap(),
            outcome: 0,
            gold: None,
            pred: None,
        };
        let sentences = expected.cell(sentences);
        let full = documents.iter().filter(|document| !document.is_empty());
        for (at, document) in (0..).zip(full) {
            for [gold, pred] in document {
                let pair = Pair::new(Spans::whole(gold), Spans::whole(pred));
                scorer.add_spans(&pair, &mut types, &name).unwrap();
                add_pair(&mut *matcher, &pair, &name, &mut expected).unwrap();
                expected.add(sentences, 1);
            }
            scorer.flush_spans(&mut types, &name);
            scorer.end_document(&no_tags, named.then_some("d"));
            expected.end_document(if named { Key::Name("d".into()) } else { Key::Number(at) });
        }
        let counts = scorer.counts(&no_tags);
        prop_assert_eq!(cells::of_matcher(&counts), cells::of_matcher(&expected));
    }

    #[test]
    fn numbers_of_types_do_not_matter(
        number in 0..5_usize,
        documents in documents_of_spans(),
        numbers in Just([0_u32, 1, 2]).prop_shuffle(),
    ) {
        let mut matcher = matcher(number);
        let mut count = |numbers: [u32; 3]| {
            let mut counts = Counts::new(matcher.schema());
            let name = |ty: u32| {
                let place = numbers.iter().position(|&number| number == ty);
                format!("type {place:?}")
            };
            for sides in documents.iter().flatten() {
                let [gold, pred] = sides.clone().map(|mut spans| {
                    spans.iter_mut().for_each(|span| span.ty = numbers[span.ty as usize]);
                    spans
                });
                let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
                add_pair(&mut *matcher, &pair, &name, &mut counts).unwrap();
            }
            counts.to_bytes().unwrap()
        };
        prop_assert_eq!(count(numbers), count([0, 1, 2]));
    }
}

#[test]
fn of_several_types_with_equal_bounds_the_mistyped_ones_do_not_depend_on_numbers() {
    let names = ["A", "B", "C"];
    let count = |numbers: [u32; 3]| {
        let of = |at: usize| Span {
            start: 0,
            end: 1,
            ty: numbers[at],
        };
        let (gold, pred) = ([of(0), of(1)], [of(2)]);
        let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
        let mut exact = Exact::default();
        let mut counts = Counts::new(exact.schema());
        let name = |ty| names[numbers.iter().position(|&n| n == ty).unwrap()].to_owned();
        add_pair(&mut exact, &pair, &name, &mut counts).unwrap();
        counts.to_bytes().unwrap()
    };
    assert_eq!(count([0, 1, 2]), count([1, 0, 2]));
}

/// A span and its tokens.
type Given = (Span<i64>, BTreeSet<i64>);

/// Spans in any order, some with gaps, many of them equal.
fn given_spans() -> impl Strategy<Value = Vec<Given>> {
    let given = (0..3_i64, -1..4_i64, 0..3_u32, 0..4_i64).prop_map(|(start, length, ty, hole)| {
        let end = start + length;
        let tokens = (start..end).filter(|token| *token != start + hole);
        (Span { start, end, ty }, tokens.collect())
    });
    proptest::collection::vec(given, 0..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn exact_matches_are_equal_spans_one_for_one(gold in given_spans(), pred in given_spans()) {
        let all = |given: &[Given]| given.iter().map(|(span, _)| *span).collect::<Vec<_>>();
        let sets = |given: &[Given]| {
            let mut sets = TokenSets::default();
            for (span, tokens) in given {
                sets.push((span.start, span.end), tokens.iter().copied());
            }
            sets
        };
        let (golds, preds, gold_sets, pred_sets) = (all(&gold), all(&pred), sets(&gold), sets(&pred));
        let sides = [
            Spans::with_tokens(&golds, &gold_sets, 0),
            Spans::with_tokens(&preds, &pred_sets, 0),
        ];
        let mut events = Events::default();
        Exact::default().compare(&Pair::new(sides[0], sides[1]), &mut events).unwrap();
        // For each span, the number of its occurrences on a side that were in no event so far.
        let mut left = [&gold, &pred].map(|side| {
            let mut left = BTreeMap::<&Given, i64>::new();
            side.iter().for_each(|given| *left.entry(given).or_default() += 1);
            left
        });
        let both: i64 = left[0].iter().map(|(given, n)| *left[1].get(given).unwrap_or(&0).min(n)).sum();
        let (mut matches, mut alone, mut mistyped) = (0, [BTreeSet::new(), BTreeSet::new()], Vec::new());
        for event in &events.0 {
            prop_assert_eq!(event.criterion, 0);
            let of = (event.gold.map(|at| &gold[at as usize]), event.pred.map(|at| &pred[at as usize]));
            match (event.outcome, of) {
                (0, (Some(g), Some(p))) => {
                    prop_assert_eq!(g, p);
                    matches += 1;
                }
                (1, (Some(_), None)) => prop_assert!(alone[0].insert(event.gold)),
                (2, (None, Some(_))) => prop_assert!(alone[1].insert(event.pred)),
                (3, (Some(g), Some(p))) => {
                    prop_assert_eq!((g.0.start, g.0.end), (p.0.start, p.0.end));
                    prop_assert_ne!(g.0.ty, p.0.ty);
                    mistyped.push(event);
                    continue;
                }
                other => prop_assert!(false, "{:?}", other),
            }
            for (given, left) in [of.0, of.1].into_iter().zip(&mut left) {
                if let Some(given) = given {
                    *left.get_mut(given).unwrap() -= 1;
                }
            }
        }
        prop_assert_eq!(matches, both);
        prop_assert!(left.iter().flat_map(BTreeMap::values).all(|&n| n == 0));
        // Each span is in at most one mistyped pair, and is also missed or spurious.
        for event in mistyped {
            prop_assert!(alone[0].remove(&event.gold) && alone[1].remove(&event.pred));
        }
    }
}
