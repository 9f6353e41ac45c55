//! The fair matcher.

use spanrs_base::Span;
use spanrs_eval::fair::{FAIR, Kind, Matcher};
use spanrs_eval::{Event, Events, Matcher as _, Pair, Spans, TokenSets};

use crate::fair_steps::{FairCounts, Given, Row, Steps, kind};
use crate::input::Input;
use crate::span_input::{Shape, spans};

/// Counts, decisions and tokens left are those of the published steps; each span is decided once; traditional
/// counts swap with the sides; spans against themselves are all correct. The first byte chooses the shape of
/// the spans, and whether they have holes.
pub fn run(data: &[u8]) {
    let mut input = Input::new(data);
    let shape = input.pick(&[Shape::Flat, Shape::Wild, Shape::Empty]);
    let (holes, sorted) = (input.below(3) == 0, input.below(3) == 0);
    let mut side = || {
        let placed = spans(&mut input, shape, 40);
        let mut given: Vec<Given> = placed
            .into_iter()
            .map(|span| (span, tokens(&span, holes, &mut input)))
            .collect();
        if sorted {
            given.sort();
            given.dedup();
        }
        given
    };
    let (gold, pred) = (side(), side());
    let steps = Steps::run(&gold, &pred);
    let counts = agree(&gold, &pred, &steps);
    let sums = sum(&counts);
    assert_eq!(sums.exact_tp + sums.exact_fn, gold.len() as u64);
    // Each of several equal spans counts where the other side has one.
    let found = pred.iter().filter(|span| gold.contains(span)).count() as u64;
    assert_eq!(found + sums.exact_fp, pred.len() as u64);
    let turned = sum(&agree(&pred, &gold, &Steps::run(&pred, &gold)));
    assert_eq!(
        (turned.exact_fp, turned.exact_fn),
        (sums.exact_fn, sums.exact_fp)
    );
    let same = sum(&agree(&gold, &gold, &Steps::run(&gold, &gold)));
    assert_eq!((same.tp, same.fp, same.fn_), (gold.len() as u64, 0, 0));
}

/// All tokens between the bounds, or those that a byte does not leave out.
fn tokens(span: &Span<i64>, holes: bool, input: &mut Input<'_>) -> std::collections::BTreeSet<i64> {
    let mask = if holes { input.byte() } else { 0 };
    let kept = |token: &i64| mask >> (token & 7) & 1 == 0;
    (span.start..span.end).filter(kept).collect()
}

fn sum(counts: &FairCounts) -> Row {
    let mut sum = Row::default();
    for row in counts.types.values() {
        sum.exact_tp += row.exact_tp;
        sum.exact_fp += row.exact_fp;
        sum.exact_fn += row.exact_fn;
        sum.tp += row.tp;
        sum.fp += row.fp;
        sum.fn_ += row.fn_;
    }
    sum
}

fn matched(matcher: &mut Matcher, gold: &[Given], pred: &[Given]) -> Events {
    let placed = |spans: &[Given]| spans.iter().map(|(span, _)| *span).collect::<Vec<_>>();
    let sets = |spans: &[Given]| {
        let mut sets = TokenSets::default();
        for (span, tokens) in spans {
            sets.push((span.start, span.end), tokens.iter().copied());
        }
        sets
    };
    let (g, p, gs, ps) = (placed(gold), placed(pred), sets(gold), sets(pred));
    let (g, p) = (
        Spans::with_tokens(&g, &gs, 0),
        Spans::with_tokens(&p, &ps, 0),
    );
    // The second sentence of a matcher: its buffers are not empty.
    let mut events = Events::default();
    for pair in [Pair::new(p, g), Pair::new(g, p)] {
        events = Events::default();
        matcher
            .compare(&pair, &mut events)
            .expect("nobody stops it");
    }
    events
}

/// Asserts that the matcher decides as the steps do, and gives the counts.
fn agree(gold: &[Given], pred: &[Given], steps: &Steps) -> FairCounts {
    // Where ties need not be resolved it may resolve a sentence piece by piece.
    let piecewise = matched(&mut Matcher::default(), gold, pred);
    assert_eq!(
        FairCounts::of(&piecewise, gold, pred),
        steps.counts,
        "{gold:?} {pred:?}"
    );
    let mut matcher = Matcher::default();
    matcher.resolve_ties();
    let events = matched(&mut matcher, gold, pred);
    let counts = FairCounts::of(&events, gold, pred);
    assert_eq!(counts, steps.counts, "{gold:?} {pred:?}");
    let left = |of: Kind, spans: &[Given]| -> Vec<Given> {
        let of = events.of(FAIR).filter(|event| kind(event) == of);
        of.filter_map(|event| Some(spans[event.gold.or(event.pred)? as usize].clone()))
            .collect()
    };
    assert_eq!(left(Kind::Fn, gold), steps.gold);
    assert_eq!(left(Kind::Fp, pred), steps.pred);
    for (of_pred, spans) in [(false, gold), (true, pred)] {
        let place = |event: &Event| if of_pred { event.pred } else { event.gold };
        let mut decided: Vec<u32> = events.of(FAIR).filter_map(place).collect();
        decided.sort_unstable();
        decided.dedup();
        assert_eq!(decided.len(), spans.len(), "every span is decided");
    }
    let mut reduced: Vec<Given> = matcher
        .reduced()
        .map(|(of_pred, at, runs)| {
            let span = if of_pred { pred } else { gold }[at as usize].0;
            (span, runs.iter().flat_map(|run| run.0..run.1).collect())
        })
        .collect();
    let mut kept = [&steps.counted_gold[..], &steps.counted_pred[..]].concat();
    reduced.sort();
    kept.sort();
    assert_eq!(reduced, kept);
    counts
}
