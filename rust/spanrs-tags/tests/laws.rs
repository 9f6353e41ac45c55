//! Laws that hold for every scheme, reading and sequence.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

use proptest::prelude::*;
use spanrs_base::Span;
use spanrs_tags::{Dialect, Reader, Reading, Scheme, Writer, legal, tags_of};

const TYPES: [&str; 3] = ["A", "B-b", "C"];

fn scheme() -> impl Strategy<Value = Scheme> {
    proptest::sample::select(Scheme::all().collect::<Vec<_>>())
}

/// Spans that do not overlap, as the scheme can express them.
fn spans(scheme: Scheme) -> impl Strategy<Value = (Vec<Span>, usize)> {
    proptest::collection::vec((0..3_u32, 0..3_u32, 1..5_u32), 0..8).prop_map(move |parts| {
        let (mut all, mut at, mut last) = (Vec::new(), 0, None);
        for (gap, ty, length) in parts {
            let length = if scheme == Scheme::Token { 1 } else { length };
            // IO cannot tell touching spans of one type apart.
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

/// Tags of any scheme, and none.
fn noise() -> impl Strategy<Value = Vec<String>> {
    let tag = proptest::sample::select(vec![
        "O", "B-A", "I-A", "E-A", "S-A", "L-A", "U-A", "M-A", "W-A", "B-C", "I-C", "E-C", "S-C",
        "B", "I", "X-A", "O-A", "", "-", "A", "I-O", "B-O", "B-_", "I-_",
    ]);
    proptest::collection::vec(tag.prop_map(str::to_owned), 0..24)
}

fn read(
    scheme: Scheme,
    reading: Reading,
    tags: &[String],
) -> Option<(Reader, Vec<u32>, Vec<Span>)> {
    let mut reader = Reader::new(scheme, reading, Dialect::default()).ok()?;
    let ids = reader.intern_all(tags.iter().map(String::as_str)).unwrap();
    let spans = reader.spans(&ids);
    Some((reader, ids, spans))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn strict_and_discard_differ_only_where_spans_are_closed_openly(
        tags in noise(),
    ) {
        for scheme in [Scheme::Iob, Scheme::Bio, Scheme::Io, Scheme::Token] {
            let (_, _, strict) = read(scheme, Reading::Strict, &tags).unwrap();
            let (_, _, discard) = read(scheme, Reading::Discard, &tags).unwrap();
            prop_assert_eq!(strict, discard, "{}", scheme.name());
        }
    }

    #[test]
    fn what_is_written_is_read((scheme, (spans, length)) in scheme().prop_flat_map(|s| (Just(s), spans(s)))) {
        let tags = Writer::new(scheme, Dialect::default()).write(&spans, &TYPES, length).unwrap();
        for reading in Reading::all().filter(|r| !matches!(r, Reading::Seqeval | Reading::SeqevalStrict)) {
            let Some((reader, ids, found)) = read(scheme, reading, &tags) else { continue };
            prop_assert!(reader.violations(&ids).is_empty(), "{:?}", reader.violations(&ids));
            let named = |s: &Span, ty: &str| (ty.to_owned(), s.start, s.end);
            let found: Vec<_> = found.iter().map(|s| named(s, reader.type_name(s.ty))).collect();
            let expected: Vec<_> = spans.iter().map(|s| named(s, TYPES[s.ty as usize])).collect();
            prop_assert_eq!(found, expected, "{} {}", scheme.name(), reading);
        }
    }

    #[test]
    fn spans_lie_in_the_sentence_in_order_without_overlap(scheme in scheme(), tags in noise()) {
        for reading in Reading::all() {
            let Some((_, _, spans)) = read(scheme, reading, &tags) else { continue };
            for span in &spans {
                prop_assert!(span.start < span.end && span.end as usize <= tags.len());
            }
            if reading != Reading::Seqeval {
                prop_assert!(spans.windows(2).all(|w| w[0].end <= w[1].start), "{:?}", spans);
            }
        }
    }

    #[test]
    fn tags_called_well_formed_while_reading_have_no_violations(scheme in scheme(), tags in noise()) {
        for reading in Reading::all() {
            for dialect in [Dialect::default(), Dialect::iobes()] {
                let Ok(mut reader) = Reader::new(scheme, reading, dialect) else { continue };
                let ids = reader.intern_all(tags.iter().map(String::as_str)).unwrap();
                let doubtful = reader.spans_into(&ids, &mut Vec::new());
                prop_assert!(doubtful || reader.violations(&ids).is_empty(), "{} {}", scheme.name(), reading);
            }
        }
    }

    #[test]
    fn strict_spans_are_conlleval_spans(scheme in scheme(), tags in noise()) {
        let (_, _, loose) = read(scheme, Reading::Conlleval, &tags).unwrap();
        let (_, _, strict) = read(scheme, Reading::Strict, &tags).unwrap();
        // A strict span is never longer or shorter, only some are missing; but in IOB, where a wrong B
        // is read as O, the I behind it begins a span of its own.
        if scheme != Scheme::Iob {
            prop_assert!(strict.iter().all(|s| loose.contains(s)), "{:?} {:?}", strict, loose);
        }
    }

    #[test]
    fn what_is_legal_has_no_violations_and_the_reverse(
        scheme in scheme(),
        picks in proptest::collection::vec(0..100_usize, 1..12),
    ) {
        let names = tags_of(scheme, &TYPES, &Dialect::default());
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        let n = names.len();
        let may = legal(scheme, &names, &Dialect::default()).unwrap();
        let path: Vec<_> = picks.iter().map(|pick| pick % n).collect();
        let inner = path.windows(2).all(|w| may[w[0] * (n + 1) + w[1]]);
        let start = may[n * (n + 1) + path[0]];
        let end = may[path[path.len() - 1] * (n + 1) + n];
        let tags: Vec<_> = path.iter().map(|&at| names[at].to_owned()).collect();
        let (reader, ids, _) = read(scheme, Reading::Conlleval, &tags).unwrap();
        prop_assert_eq!(inner && start && end, reader.violations(&ids).is_empty());
        prop_assert_eq!(reader.violations(&ids).len() as u64, reader.count_violations(&ids));
    }

    #[test]
    fn well_formed_tags_read_the_same_under_every_reading(
        scheme in scheme(),
        tags in noise(),
        suffix in any::<bool>(),
        whole_tag in any::<bool>(),
    ) {
        let dialect = Dialect { suffix, bare_is_type: whole_tag, ..Dialect::default() };
        let read = |reading| {
            let mut reader = Reader::new(scheme, reading, dialect.clone()).ok()?;
            let ids = reader.intern_all(tags.iter().map(String::as_str)).unwrap();
            let spans = reader.spans(&ids);
            Some((reader, ids, spans))
        };
        let (reader, ids, expected) = read(Reading::Conlleval).unwrap();
        if reader.violations(&ids).is_empty() {
            for reading in [Reading::Strict, Reading::Discard, Reading::Refuse, Reading::Ncrfpp] {
                if let Some((_, _, spans)) = read(reading) {
                    prop_assert_eq!(&spans, &expected, "{}", reading);
                }
            }
        }
    }
}

/// Tags written span by span, by start, each over what was written before.
fn written_over(spans: &[Span], length: usize, scheme: Scheme) -> Vec<String> {
    let mut sorted = spans.to_vec();
    sorted.sort_by_key(|span| span.start);
    let mut tags = vec!["O".to_owned(); length];
    for (at, span) in sorted.iter().enumerate() {
        // The prefixes of a span depend on itself and on the spans before and behind it.
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
    // Written one after the other these are 10^10 tags.
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
