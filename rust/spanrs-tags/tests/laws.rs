//! Laws that hold for every scheme, reading and sequence.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

mod common;

use proptest::prelude::*;
use spanrs_base::Span;
use spanrs_tags::{Dialect, Reader, Reading, Scheme, Writer, tags_of};

use common::{NAMES as TYPES, check_reading, written};

fn scheme() -> impl Strategy<Value = Scheme> {
    proptest::sample::select(Scheme::all().collect::<Vec<_>>())
}

/// Spans that do not overlap and that the scheme can express.
fn spans(scheme: Scheme) -> impl Strategy<Value = (Vec<Span>, usize)> {
    proptest::collection::vec((0..3_u32, 0..3_u32, 1..5_u32), 0..8).prop_map(move |parts| {
        let (mut all, mut at, mut last) = (Vec::new(), 0, None);
        for (gap, ty, length) in parts {
            let length = if scheme == Scheme::Token { 1 } else { length };
            // IO cannot distinguish touching spans of the same type.
            let gap = if scheme == Scheme::Io && last == Some(ty) {
                gap.max(1)
            } else {
                gap
            };
            let start = at + gap;
            at = start + length;
            last = Some(ty);
            all.push(Span { start, end: at, ty });
        }
        (all, at as usize + 2)
    })
}

fn dialect() -> impl Strategy<Value = Dialect> {
    let other = any::<(bool, bool)>().prop_map(|(suffix, bare_is_type)| Dialect {
        suffix,
        bare_is_type,
        ..Dialect::default()
    });
    prop_oneof![Just(Dialect::default()), Just(Dialect::iobes()), other]
}

/// Tags of any scheme, and strings that are not tags.
fn noise() -> impl Strategy<Value = Vec<String>> {
    let tag = proptest::sample::select(vec![
        "O", "B-A", "I-A", "E-A", "S-A", "L-A", "U-A", "M-A", "W-A", "B-C", "I-C", "E-C", "S-C",
        "B", "I", "X-A", "O-A", "", "-", "A", "I-O", "B-O", "B-_", "I-_",
    ]);
    proptest::collection::vec(tag.prop_map(str::to_owned), 0..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn tags_are_read_by_definition(
        scheme in scheme(),
        tags in noise(),
        dialect in dialect(),
    ) {
        for reading in Reading::all() {
            if Reader::new(scheme, reading, dialect.clone()).is_ok() {
                check_reading(scheme, reading, &dialect, &tags);
            }
        }
    }

    #[test]
    fn tags_of_the_scheme_are_read_by_definition(
        scheme in scheme(),
        picks in proptest::collection::vec(0..100_usize, 1..12),
    ) {
        let names = tags_of(scheme, &TYPES, &Dialect::default());
        let tags: Vec<_> = picks.iter().map(|pick| names[pick % names.len()].clone()).collect();
        check_reading(scheme, Reading::Conlleval, &Dialect::default(), &tags);
    }

    #[test]
    fn what_is_written_is_read((scheme, (spans, length)) in scheme().prop_flat_map(|s| (Just(s), spans(s)))) {
        prop_assert!(written(scheme, &spans, length).is_some());
    }
}

/// Tags written span by span in the order of starts; each span overwrites earlier tags.
fn written_over(spans: &[Span], length: usize, scheme: Scheme) -> Vec<String> {
    let mut sorted = spans.to_vec();
    sorted.sort_by_key(|span| span.start);
    let mut tags = vec!["O".to_owned(); length];
    for (at, span) in sorted.iter().enumerate() {
        // The prefixes of a span depend on the span itself and on the spans before and after it.
        let around: Vec<Span> = sorted[at.saturating_sub(1)..sorted.len().min(at + 2)]
            .iter()
            .copied()
            .filter(|near| near == span || near.end == span.start || near.start == span.end)
            .collect();
        let alone = Writer::new(scheme, Dialect::default()).overwriting();
        let written = alone.write(&around, &TYPES, length).unwrap();
        let places = span.start as usize..span.end as usize;
        tags[places.clone()].clone_from_slice(&written[places]);
    }
    tags
}

proptest! {
    #[test]
    fn later_starts_write_over_earlier_ones(
        spans in proptest::collection::vec((0_u32..8, 1_u32..8, 0_u32..2), 0..7),
        scheme in scheme(),
    ) {
        let spans: Vec<Span> = spans
            .into_iter()
            .map(|(start, length, ty)| Span { start, end: start + length, ty })
            .collect();
        let writer = Writer::new(scheme, Dialect::default()).overwriting();
        let expected = written_over(&spans, 20, scheme);
        prop_assert_eq!(writer.write(&spans, &TYPES, 20).unwrap(), expected);
    }
}

#[test]
fn nested_spans_are_written_over_in_time_that_does_not_grow_with_their_square() {
    // Writing each span separately would write 10^10 tags.
    let spans: Vec<Span> = (0..100_000)
        .map(|at| Span {
            start: at,
            end: 200_000 - at,
            ty: 0,
        })
        .collect();
    let writer = Writer::new(Scheme::Iobes, Dialect::default()).overwriting();
    let tags = writer.write(&spans, &TYPES, 200_000).unwrap();
    assert_eq!(tags[99_999..=100_001], ["B-A", "E-A", "E-A"]);
}
