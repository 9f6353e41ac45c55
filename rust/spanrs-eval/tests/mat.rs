//! Limits of MATScore's matcher.
#![allow(clippy::unwrap_used)] // A panic in a test helper is a test failure.

use spanrs_base::Span;
use spanrs_eval::mat::{Matcher, Unit};
use spanrs_eval::{Events, Matcher as _, Pair, Spans, Unmatched};

/// Nested spans, the longest first.
fn nested(count: i64) -> Vec<Span<i64>> {
    let span = |at| Span {
        start: at,
        end: 10_000 - at,
        ty: 0,
    };
    (0..count).map(span).collect()
}

fn refused(gold: &[Span<i64>], pred: &[Span<i64>]) -> Unmatched {
    let pair = Pair::new(Spans::whole(gold), Spans::whole(pred));
    let mut matcher = Matcher::new(&[Unit::Character]);
    matcher.compare(&pair, &mut Events::default()).unwrap_err()
}

#[test]
fn the_message_tells_which_limit_was_exceeded() {
    let beginning = "too many annotations overlap one another from character";
    let spans = nested(600);
    let message = format!("{beginning} 0 on: more than 262144 overlapping pairs");
    assert_eq!(refused(&spans, &spans).to_string(), message);
    // If only gold has annotations, there are no pairs.
    let error = refused(&nested(3000), &[]).to_string();
    assert!(error.starts_with(beginning), "{error}");
    let limit = "more than 4194304 overlaps between annotation parts and text segments";
    assert!(error.ends_with(limit), "{error}");
}
