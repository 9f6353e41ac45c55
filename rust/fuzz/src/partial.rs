//! The partial matcher.

use std::collections::BTreeSet;

use spanrs_base::Span;
use spanrs_eval::outcomes::Counts;
use spanrs_eval::partial::{Matcher, Matching, Mode, SCHEMA, sufficient};
use spanrs_eval::{Events, Matcher as _, Pair, Spans, add_pair};

use crate::input::Input;
use crate::partial_rows::{PartialCounts, Row};
use crate::span_input::{Shape, spans};

/// Both matchings count what their definitions count; spans of one side against themselves are all correct;
/// the best matching is worth no less than the greedy one, no less with a lower threshold, and the same with
/// the sides in another order. The first bytes choose the shape of the spans and the threshold.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = input.pick(&[Shape::Flat, Shape::Wild, Shape::Empty]);
    let min = input.pick(&[1.0, 33.0, 50.0, 100.0]);
    let gold = spans(&mut input, shape, 6);
    let pred = match input.below(4) {
        0 => gold.clone(),
        _ => spans(&mut input, shape, 6),
    };
    let greedy_counts = count(Matching::Greedy, &gold, &pred, min);
    assert_eq!(greedy_counts, by_definition(greedy, &gold, &pred, min));
    if shape == Shape::Empty {
        return;
    }
    let best = count(Matching::Optimal, &gold, &pred, min);
    assert_eq!(best, by_definition(optimal, &gold, &pred, min));
    let turned = |spans: &[Span<i64>]| spans.iter().rev().copied().collect::<Vec<_>>();
    assert_eq!(
        best,
        count(Matching::Optimal, &turned(&gold), &turned(&pred), min)
    );
    let low = count(Matching::Optimal, &gold, &pred, 1.0);
    let same = count(Matching::Optimal, &gold, &gold, min);
    for mode in Mode::ALL {
        let of = |counts: &PartialCounts| counts.overall[mode as usize];
        let credit = |counts| 2 * of(counts).correct + of(counts).partial;
        assert!(credit(&best) >= credit(&greedy_counts), "{mode:?}");
        assert!(credit(&low) >= credit(&best), "{mode:?}");
        assert_eq!(of(&same).correct, gold.len() as u64, "{mode:?}");
        for row in [of(&best), of(&greedy_counts)] {
            let pairs = row.correct + row.incorrect + row.partial;
            assert_eq!(pairs + row.missed, gold.len() as u64);
            assert_eq!(pairs + row.spurious, pred.len() as u64);
        }
    }
}

fn count(matching: Matching, gold: &[Span<i64>], pred: &[Span<i64>], min: f64) -> PartialCounts {
    let mut matcher = Matcher::new(matching, min);
    let mut events = Events::default();
    // The second document of a matcher: its buffers are not empty.
    for (gold, pred) in [(pred, gold), (gold, pred)] {
        let pair = Pair::new(Spans::whole(gold), Spans::whole(pred));
        events = Events::default();
        matcher
            .compare(&pair, &mut events)
            .expect("there are few spans");
    }
    let rows = PartialCounts::of(&events, gold, pred);
    let pair = Pair::new(Spans::whole(gold), Spans::whole(pred));
    let mut counts = Counts::new(&SCHEMA);
    add_pair(&mut matcher, &pair, &|ty| ty.to_string(), &mut counts).expect("it just went well");
    assert_eq!(PartialCounts::of_cells(&counts), rows);
    rows
}

type Definition = fn(Mode, &[Span<i64>], &[Span<i64>], f64) -> Row;

/// Overall and type by type.
fn by_definition(
    how: Definition,
    gold: &[Span<i64>],
    pred: &[Span<i64>],
    min: f64,
) -> PartialCounts {
    let types: BTreeSet<u32> = gold.iter().chain(pred).map(|span| span.ty).collect();
    let only = |spans: &[Span<i64>], ty| -> Vec<Span<i64>> {
        spans.iter().copied().filter(|span| span.ty == ty).collect()
    };
    let of_type = |ty| {
        let (gold, pred) = (only(gold, ty), only(pred, ty));
        (ty, Mode::ALL.map(|mode| how(mode, &gold, &pred, min)))
    };
    PartialCounts {
        overall: Mode::ALL.map(|mode| how(mode, gold, pred, min)),
        types: types.into_iter().map(of_type).collect(),
    }
}

fn agrees(mode: Mode, gold: &Span<i64>, pred: &Span<i64>) -> bool {
    let bounds = (gold.start, gold.end) == (pred.start, pred.end);
    match mode {
        Mode::Strict => bounds && gold.ty == pred.ty,
        Mode::Bounds | Mode::Overlap => bounds,
        Mode::Type => gold.ty == pred.ty,
    }
}

fn row(mode: Mode, golds: usize, preds: usize, correct: u64, pairs: u64) -> Row {
    let other = pairs - correct;
    let partial = mode == Mode::Overlap;
    Row {
        correct,
        incorrect: if partial { 0 } else { other },
        partial: if partial { other } else { 0 },
        missed: golds as u64 - pairs,
        spurious: preds as u64 - pairs,
    }
}

/// Each pred span takes the first free gold span with which it is correct (under `Type` the nearest), else the
/// first that it overlaps enough.
fn greedy(mode: Mode, gold: &[Span<i64>], pred: &[Span<i64>], min: f64) -> Row {
    let mut free: Vec<usize> = (0..gold.len()).collect();
    let (mut correct, mut pairs) = (0, 0);
    for p in pred {
        let enough = |g: &usize| sufficient(&gold[*g], p, min);
        let by_bounds = matches!(mode, Mode::Strict | Mode::Bounds);
        let right = |g: &usize| agrees(mode, &gold[*g], p) && (by_bounds || enough(g));
        let distance = |g: &usize| (gold[*g].start - p.start).abs() + (gold[*g].end - p.end).abs();
        let all = || free.iter().copied();
        let found = match mode {
            Mode::Type => all().filter(right).min_by_key(distance),
            _ => all().find(right),
        };
        correct += u64::from(found.is_some());
        if let Some(taken) = found.or_else(|| all().find(enough)) {
            pairs += 1;
            free.retain(|&g| g != taken);
        }
    }
    row(mode, gold.len(), pred.len(), correct, pairs)
}

/// The most correct pairs, and with them the most pairs, of all assignments.
fn best(mode: Mode, gold: &[Span<i64>], pred: &[Span<i64>], min: f64) -> (u64, u64) {
    let Some((g, rest)) = gold.split_first() else {
        return (0, 0);
    };
    let mut most = best(mode, rest, pred, min);
    for (at, p) in pred.iter().enumerate() {
        if sufficient(g, p, min) {
            let mut others = pred.to_vec();
            others.remove(at);
            let (correct, pairs) = best(mode, rest, &others, min);
            most = most.max((correct + u64::from(agrees(mode, g, p)), pairs + 1));
        }
    }
    most
}

fn optimal(mode: Mode, gold: &[Span<i64>], pred: &[Span<i64>], min: f64) -> Row {
    let (correct, pairs) = best(mode, gold, pred, min);
    row(mode, gold.len(), pred.len(), correct, pairs)
}
