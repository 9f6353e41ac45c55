//! The fair matcher compared with the published steps, implemented without an index.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

#[path = "common/cells.rs"]
mod cells;
#[path = "common/fair_steps.rs"]
mod fair_steps;

use fair_steps::{Given, Side, matched};
use proptest::prelude::*;
use spanrs_base::Span;
use spanrs_eval::fair::{FAIR, Matcher, SCHEMA};
use spanrs_eval::outcomes::{Cell, Counts};
use spanrs_eval::{Events, Matcher as _, Pair, Scorer, Spans};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

fn name(ty: u32) -> String {
    format!("type {ty}")
}

/// Counts the events of a sentence one by one.
fn counted(events: &Events, pair: &Pair<'_>) -> Counts {
    let mut counts = Counts::new(&SCHEMA);
    let sentences = Cell {
        criterion: SCHEMA.criterion("corpus").unwrap(),
        outcome: 0,
        gold: None,
        pred: None,
    };
    let sentences = counts.cell(sentences);
    counts.add(sentences, 1);
    for event in &events.0 {
        let mut ty = |spans: Spans<'_>, at: Option<u32>| {
            at.map(|at| counts.intern(&name(spans.all[at as usize].ty)))
        };
        let cell = Cell {
            criterion: event.criterion,
            outcome: event.outcome,
            gold: ty(pair.gold, event.gold),
            pred: ty(pair.pred, event.pred),
        };
        let cell = counts.cell(cell);
        counts.add(cell, 1);
    }
    counts
}

/// Returns the counts of the driver.
fn driven(pair: &Pair<'_>) -> Counts {
    let mut scorer = Scorer::new(Box::new(Matcher::default()), 0);
    let mut types = scorer.type_cells();
    scorer.add_spans(pair, &mut types, &name).unwrap();
    scorer.flush_spans(&mut types, &name);
    let no_tags = Reader::new(Scheme::Bio, Reading::Conlleval, Dialect::default()).unwrap();
    scorer.counts(&no_tags)
}

/// Asserts that the matcher and the driver give the same results as the steps.
fn agree(gold: &[Given], pred: &[Given]) {
    fair_steps::agree(gold, pred);
    let (g, p) = (Side::of(gold), Side::of(pred));
    let pair = Pair::new(g.spans(), p.spans());
    let mut matcher = Matcher::default();
    matcher.resolve_ties();
    let cells = cells::of_matcher(&counted(&matched(&mut matcher, gold, pred), &pair));
    assert_eq!(
        cells::of_matcher(&driven(&pair)),
        cells,
        "{gold:?} {pred:?}"
    );
}

/// Spans within `width` tokens, each without the tokens in a mask.
fn spans(width: i64, most: usize, holes: bool, empty: bool) -> impl Strategy<Value = Vec<Given>> {
    let length = if empty { -2..6i64 } else { 1..6 };
    let span =
        (0..width, length, 0..3u32, any::<u32>()).prop_map(move |(start, length, ty, mask)| {
            let end = start + length;
            let tokens =
                (start..end).filter(|t| !holes || mask >> (t % 32) & 1 == 0 || mask % 3 == 0);
            (Span { start, end, ty }, tokens.collect())
        });
    prop::collection::vec(span, 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn few_spans(gold in spans(8, 9, false, false), pred in spans(8, 9, false, false)) {
        agree(&gold, &pred);
    }

    #[test]
    fn spans_with_holes(gold in spans(8, 9, true, false), pred in spans(8, 9, true, false)) {
        agree(&gold, &pred);
    }

    #[test]
    fn spans_that_end_before_they_begin(
        gold in spans(6, 7, true, true),
        pred in spans(6, 7, true, true),
    ) {
        agree(&gold, &pred);
    }
}

/// Spans in reading order without duplicates: spans from tags, and also nested spans.
fn sorted(mut spans: Vec<Given>) -> Vec<Given> {
    spans.sort();
    spans.dedup();
    spans
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn spans_in_reading_order(
        gold in spans(60, 30, false, false),
        pred in spans(60, 30, false, false),
    ) {
        agree(&sorted(gold), &sorted(pred));
    }

    #[test]
    fn spans_in_reading_order_some_of_them_empty(
        gold in spans(12, 9, false, true),
        pred in spans(12, 9, false, true),
    ) {
        agree(&sorted(gold), &sorted(pred));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn more_spans_than_are_looked_at_one_by_one(
        gold in spans(40, 120, false, false),
        pred in spans(40, 120, false, false),
    ) {
        agree(&gold, &pred);
    }

    #[test]
    fn many_spans_with_holes(
        gold in spans(60, 100, true, false),
        pred in spans(60, 100, true, false),
    ) {
        agree(&gold, &pred);
    }

    #[test]
    fn many_groups(gold in spans(600, 150, false, false), pred in spans(600, 150, true, false)) {
        agree(&gold, &pred);
    }

    #[test]
    fn long_spans_joined_by_many(
        gold in spans(60, 80, false, false),
        pred in spans(60, 80, false, false),
        long in prop::collection::vec((0..30i64, 20..60i64, 0..3u32), 1..6),
    ) {
        let long: Vec<Given> = long
            .into_iter()
            .map(|(start, length, ty)| {
                (Span { start, end: start + length, ty }, (start..start + length).collect())
            })
            .collect();
        agree(&[gold.clone(), long.clone()].concat(), &pred);
        agree(&gold, &[pred, long].concat());
    }
}

#[test]
fn positions_may_be_any_of_i64() {
    let at = |start, end, ty| Span { start, end, ty };
    let gold = [at(i64::MIN, i64::MAX, 0), at(i64::MAX, i64::MIN, 1)];
    let pred = [at(i64::MIN, 0, 0), at(-1, i64::MAX, 1)];
    let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
    let mut events = Events::default();
    Matcher::default().compare(&pair, &mut events).unwrap();
    let matched = events
        .of(FAIR)
        .filter(|event| event.gold == Some(0) && event.pred.is_some());
    assert!(matched.count() > 0);
}
