//! Fuzz target for the fair matcher.

use spanrs_base::Span;

use crate::fair_steps::{FairCounts, Given, Row, agree};
use crate::input::Input;
use crate::span_input::{Shape, spans};

/// Asserts that counts, decisions and remaining tokens equal a direct implementation of the published steps, that each
/// span is decided once, that swapping the sides swaps the traditional counts, and that spans scored against themselves
/// are all correct. The first byte chooses the shape of the spans and whether they have gaps.
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
    let sums = sum(&agree(&gold, &pred));
    assert_eq!(sums.exact_tp + sums.exact_fn, gold.len() as u64);
    // Each of several equal spans counts as matched if the other side has an equal span.
    let found = pred.iter().filter(|span| gold.contains(span)).count() as u64;
    assert_eq!(found + sums.exact_fp, pred.len() as u64);
    let turned = sum(&agree(&pred, &gold));
    assert_eq!(
        (turned.exact_fp, turned.exact_fn),
        (sums.exact_fn, sums.exact_fp)
    );
    let same = sum(&agree(&gold, &gold));
    assert_eq!((same.tp, same.fp, same.fn_), (gold.len() as u64, 0, 0));
}

/// All tokens between the boundaries, or the tokens that a byte does not exclude.
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
