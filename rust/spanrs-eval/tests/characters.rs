//! The matcher of masks equals its definition: sets of positions are built and compared.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use spanrs_base::Span;
use spanrs_eval::outcomes::Counts;
use spanrs_eval::{
    Exact, Matcher as _, Pair, Pieces, Spans, TokenSets, Unmatched, add_pair, characters,
};

/// Smallest intersection over union of a covered span. No quotient of small numbers is near it.
const THRESHOLD: f64 = 0.61;

/// A span and its positions.
type Given = (Span<i64>, BTreeSet<i64>);
/// The count of each cell: criterion, outcome, gold type, pred type.
type Cells = BTreeMap<(u8, u8, Option<u32>, Option<u32>), u64>;

/// Spans in any order: nested, equal, empty, and some with gaps.
fn side() -> impl Strategy<Value = Vec<Given>> {
    let given = (0..12_i64, -1..7_i64, 0..3_u32, 0..9_i64).prop_map(|(start, length, ty, hole)| {
        let end = start + length;
        let positions = (start..end).filter(|at| *at != start + hole);
        (Span { start, end, ty }, positions.collect())
    });
    proptest::collection::vec(given, 0..7)
}

fn spans(side: &[Given]) -> Vec<Span<i64>> {
    side.iter().map(|(span, _)| *span).collect()
}

fn token_sets(side: &[Given]) -> TokenSets {
    let mut sets = TokenSets::default();
    for (span, positions) in side {
        match span.is_empty() {
            true => sets.push_whole(),
            false => sets.push((span.start, span.end), positions.iter().copied()),
        }
    }
    sets
}

/// Returns the types that cover a position, in the order in which their spans opened.
fn types_at(side: &[Given], at: i64) -> Vec<u32> {
    let open = (0..)
        .zip(side)
        .filter(|(_, (_, positions))| positions.contains(&at));
    // A type opened at the first position of the run of positions that it covers up to `at`.
    let opened = |ty: u32| {
        let covers = |at: i64| {
            side.iter()
                .any(|(span, all)| span.ty == ty && all.contains(&at))
        };
        let mut first = at;
        while covers(first - 1) && continues(side, ty, first) {
            first -= 1;
        }
        let starts = (0..).zip(side).filter(|(_, (span, all))| {
            span.ty == ty && all.contains(&first) && !all.contains(&(first - 1))
        });
        (first, starts.map(|(number, _): (usize, _)| number).min())
    };
    let types: BTreeSet<u32> = open.map(|(_, (span, _)): (usize, _)| span.ty).collect();
    let mut types: Vec<u32> = types.into_iter().collect();
    types.sort_by_key(|&ty| opened(ty));
    types
}

/// Returns whether a span of a type covers both a position and the position before.
fn continues(side: &[Given], ty: u32, at: i64) -> bool {
    side.iter()
        .any(|(span, all)| span.ty == ty && all.contains(&at) && all.contains(&(at - 1)))
}

fn add(cells: &mut Cells, cell: (u8, u8, Option<u32>, Option<u32>)) {
    *cells.entry(cell).or_default() += 1;
}

/// Counts the positions one by one.
fn count_positions(gold: &[Given], pred: &[Given], cells: &mut Cells) {
    for at in -2..30 {
        let (golds, preds) = (types_at(gold, at), types_at(pred, at));
        let masked = match (golds.is_empty(), preds.is_empty()) {
            (true, true) => continue,
            (false, false) => 0,
            (false, true) => 1,
            (true, false) => 2,
        };
        add(cells, (1, masked, None, None));
        golds
            .iter()
            .for_each(|&ty| add(cells, (2, masked, Some(ty), None)));
        if golds.is_empty() {
            preds
                .iter()
                .for_each(|&ty| add(cells, (2, masked, None, Some(ty))));
        }
        let common: Vec<u32> = golds
            .iter()
            .copied()
            .filter(|ty| preds.contains(ty))
            .collect();
        common
            .iter()
            .for_each(|&ty| add(cells, (0, 0, Some(ty), Some(ty))));
        let mut golds: Vec<u32> = golds
            .into_iter()
            .filter(|ty| !common.contains(ty))
            .collect();
        let mut preds: Vec<u32> = preds
            .into_iter()
            .filter(|ty| !common.contains(ty))
            .collect();
        if masked == 0 {
            let pairs = golds.len().min(preds.len());
            for (gold, pred) in golds.drain(..pairs).zip(preds.drain(..pairs)) {
                add(cells, (0, 1, Some(gold), Some(pred)));
            }
        }
        let alone = if masked == 0 { [4, 5] } else { [2, 3] };
        golds
            .into_iter()
            .for_each(|ty| add(cells, (0, alone[0], Some(ty), None)));
        preds
            .into_iter()
            .for_each(|ty| add(cells, (0, alone[1], None, Some(ty))));
    }
}

/// Judges each gold span with the sets of positions of the groups that overlap it.
fn count_spans(criterion: u8, gold: &[Given], pred: &[Given], cells: &mut Cells) {
    let ty = |ty: u32| (criterion == 3).then_some(ty);
    let mut judged = BTreeSet::new();
    for (span, positions) in gold {
        let near = pred
            .iter()
            .enumerate()
            .filter(|(_, (_, all))| !all.is_disjoint(positions));
        let mut near: Vec<(usize, &Given)> = near.collect();
        near.sort_by_key(|(at, (span, _))| (span.start, span.end, *at));
        judged.extend(near.iter().map(|(at, _)| *at));
        let mut types: Vec<u32> = Vec::new();
        for (_, (other, _)) in &near {
            if !types.contains(&other.ty) {
                types.push(other.ty);
            }
        }
        types.sort_by_key(|&other| other != span.ty);
        let mut is_found = false;
        for other in types {
            let of_type = near.iter().filter(|(_, (span, _))| span.ty == other);
            let group: BTreeSet<i64> = of_type
                .flat_map(|(_, (_, all))| all.iter().copied())
                .collect();
            let common = group.intersection(positions).count() as f64;
            let covers = common / group.union(positions).count() as f64 >= THRESHOLD;
            match covers && !is_found {
                false => add(cells, (criterion, 3, None, ty(other))),
                true => {
                    let outcome = u8::from(other != span.ty);
                    add(cells, (criterion, outcome, ty(span.ty), ty(other)));
                    is_found = true;
                }
            }
        }
        if !is_found {
            add(cells, (criterion, 2, ty(span.ty), None));
        }
    }
    for (at, (span, _)) in pred.iter().enumerate() {
        if !judged.contains(&at) {
            add(cells, (criterion, 3, None, ty(span.ty)));
        }
    }
}

/// Returns the maximal runs of covered positions as spans of one type.
fn stretches(side: &[Given]) -> Vec<Given> {
    let all: BTreeSet<i64> = side
        .iter()
        .flat_map(|(_, all)| all.iter().copied())
        .collect();
    let mut stretches: Vec<Given> = Vec::new();
    for at in all {
        match stretches.last_mut() {
            Some((span, positions)) if span.end == at => {
                span.end += 1;
                positions.insert(at);
            }
            _ => {
                let span = Span {
                    start: at,
                    end: at + 1,
                    ty: 0,
                };
                stretches.push((span, BTreeSet::from([at])));
            }
        }
    }
    stretches
}

/// Replaces the positions of empty spans, which have none.
fn without_positions(side: Vec<Given>) -> Vec<Given> {
    let clear = |(span, all): Given| match span.is_empty() {
        true => (span, BTreeSet::new()),
        false => (span, all),
    };
    side.into_iter().map(clear).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn counts_equal_counting_sets(gold in side(), pred in side()) {
        let (gold, pred) = (without_positions(gold), without_positions(pred));
        let mut expected = Cells::new();
        count_positions(&gold, &pred, &mut expected);
        count_spans(3, &gold, &pred, &mut expected);
        count_spans(4, &stretches(&gold), &stretches(&pred), &mut expected);
        let (golds, preds) = (spans(&gold), spans(&pred));
        let (gold_sets, pred_sets) = (token_sets(&gold), token_sets(&pred));
        let pair = Pair::new(
            Spans::with_tokens(&golds, &gold_sets, 0),
            Spans::with_tokens(&preds, &pred_sets, 0),
        );
        let mut matcher = characters::Matcher::new(THRESHOLD);
        let mut counts = Counts::new(&characters::SCHEMA);
        let name = |ty: u32| ty.to_string();
        // A matcher keeps no state between documents.
        add_pair(&mut matcher, &pair, &name, &mut counts.clone()).unwrap();
        add_pair(&mut matcher, &pair, &name, &mut counts).unwrap();
        let ty = |ty: Option<u32>| ty.map(|ty| counts.type_name(ty).parse().unwrap());
        let found: Cells = (0..)
            .zip(counts.cells())
            .map(|(id, cell)| {
                let key = (cell.criterion, cell.outcome, ty(cell.gold), ty(cell.pred));
                (key, counts.total(id))
            })
            .collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn listed_pieces_have_the_counted_positions(gold in side(), pred in side()) {
        let (gold, pred) = (spans(&gold), spans(&pred));
        let pair = Pair::new(Spans::whole(&gold), Spans::whole(&pred));
        let mut pieces = Pieces::default();
        characters::Matcher::new(THRESHOLD).compare(&pair, &mut pieces).unwrap();
        let mut counts = Counts::new(&characters::SCHEMA);
        add_pair(&mut characters::Matcher::new(THRESHOLD), &pair, &|ty| ty.to_string(), &mut counts).unwrap();
        for criterion in [characters::CHARACTERS, characters::MASKED] {
            let sum: i64 = pieces.of(criterion).map(|piece| {
                let (start, end) = piece.range.unwrap();
                end - start
            }).sum();
            let cells = (0..).zip(counts.cells()).filter(|(_, cell)| cell.criterion == criterion);
            prop_assert_eq!(sum as u64, cells.map(|(id, _)| counts.total(id)).sum::<u64>());
        }
        for piece in &pieces.0 {
            let (event, Some((start, end))) = (piece.event, piece.range) else { continue };
            prop_assert!(start < end);
            for (side, at) in [(&gold, event.gold), (&pred, event.pred)] {
                if let Some(at) = at {
                    let span = side[at as usize];
                    prop_assert!(span.start < end && start < span.end, "the span is open in the piece");
                }
            }
        }
    }
}

#[test]
fn lengths_that_could_overflow_are_refused() {
    let long = [Span {
        start: i64::MIN,
        end: i64::MAX,
        ty: 0,
    }];
    let pair = Pair::new(Spans::whole(&long), Spans::whole(&[]));
    let refused = characters::Matcher::new(0.9).compare(&pair, &mut Pieces::default());
    assert!(matches!(
        refused,
        Err(Unmatched::TooLong {
            start: i64::MIN,
            ..
        })
    ));
    assert!(
        Exact::default()
            .compare(&pair, &mut Pieces::default())
            .is_ok()
    );
}

#[test]
fn a_watch_stops_the_comparison() {
    let many: Vec<_> = (0..200_000)
        .map(|at| Span {
            start: at,
            end: at + 1,
            ty: 0,
        })
        .collect();
    let pair = Pair::new(Spans::whole(&many), Spans::whole(&many));
    let mut matcher = characters::Matcher::new(0.9).with_watch(|| true);
    let stopped = matcher.compare(&pair, &mut Pieces::default());
    assert_eq!(stopped, Err(Unmatched::Stopped));
}

#[test]
fn spans_with_many_runs_take_linear_time() {
    let n = 20_000;
    let gold = [Span {
        start: 0,
        end: 2 * n,
        ty: 0,
    }];
    let mut sets = TokenSets::default();
    sets.push((0, 2 * n), (0..n).map(|at| 2 * at));
    let pred: Vec<_> = (0..n)
        .map(|at| Span {
            start: 2 * at,
            end: 2 * at + 1,
            ty: at as u32,
        })
        .collect();
    let pair = Pair::new(Spans::with_tokens(&gold, &sets, 0), Spans::whole(&pred));
    let mut counts = Counts::new(&characters::SCHEMA);
    let mut matcher = characters::Matcher::new(0.9);
    add_pair(&mut matcher, &pair, &|ty| ty.to_string(), &mut counts).unwrap();
    let spurious: u64 = (0..)
        .zip(counts.cells())
        .filter(|(_, cell)| (cell.criterion, cell.outcome) == (characters::SPANS, 3))
        .map(|(id, _)| counts.total(id))
        .sum();
    assert_eq!(
        spurious, n as u64,
        "the group of each type covers one position"
    );
}

#[test]
fn many_types_may_close_at_one_position() {
    let side: Vec<_> = (0..50_000)
        .map(|ty| Span {
            start: 0,
            end: 10,
            ty,
        })
        .collect();
    let pair = Pair::new(Spans::whole(&side), Spans::whole(&[]));
    let mut counts = Counts::new(&characters::SCHEMA);
    let mut matcher = characters::Matcher::new(0.9);
    add_pair(&mut matcher, &pair, &|ty| ty.to_string(), &mut counts).unwrap();
    let leaked: u64 = (0..)
        .zip(counts.cells())
        .filter(|(_, cell)| (cell.criterion, cell.outcome) == (characters::CHARACTERS, 2))
        .map(|(id, _)| counts.total(id))
        .sum();
    assert_eq!(leaked, 500_000);
}
