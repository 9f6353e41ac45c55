//! Documents: the counts give the same bytes for any division of sentences into blocks, parts and
//! shards.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

mod common;
#[path = "common/matchers.rs"]
mod matchers;
#[path = "common/tag_pairs.rs"]
mod tag_pairs;
#[path = "common/ways_to_score.rs"]
mod ways_to_score;

use std::ops::Range;

use common::{Table, corpus_cells, documents, sum, totals};
use matchers::matcher;
use proptest::prelude::*;
use spanrs_base::{Interner, Span};
use spanrs_eval::outcomes::{Counts, Key};
use spanrs_eval::{Scorer, Side, Spans, TagBlock, TypeFilter, add_pair, count_parts};
use spanrs_tags::{Reading, Scheme, SideReader};
use tag_pairs::{late, long, made, pair};
use ways_to_score::{
    Corpus, KEEP, Pair, Setting, Ways, agree, by_document, intern, one_by_one, parts, reader,
    spans, violations,
};

fn setting() -> impl Strategy<Value = Setting> {
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<_>>();
    let kept = prop_oneof![Just(None), Just(Some(names(&["A", "", "9"])))];
    let excluded = prop_oneof![Just(vec![]), Just(names(&["C", "10"]))];
    let filter = (kept, excluded).prop_map(|(keep, exclude)| TypeFilter { keep, exclude });
    let bools = (any::<bool>(), prop::bool::weighted(0.1));
    (0..5_usize, made(), 0..40_usize, filter, bools).prop_map(
        |(matcher, made, pred_scheme, filter, (by_document, many_tags))| Setting {
            matcher,
            made,
            many_tags,
            pred_scheme,
            filter,
            by_document,
        },
    )
}

fn sentences(pairs: impl Strategy<Value = Vec<Pair>>) -> impl Strategy<Value = Corpus> {
    let end = prop_oneof![
        3 => Just(None),
        1 => Just(Some(None)),
        1 => proptest::sample::select(vec![Some(Some("a")), Some(Some("b")), Some(Some(""))]),
    ];
    (pairs, proptest::collection::vec(end, 8))
        .prop_map(|(pairs, ends)| pairs.into_iter().zip(ends).collect())
}

fn ways() -> impl Strategy<Value = Ways> {
    let bools = (any::<bool>(), any::<bool>());
    (1..9_u64, 1..5_usize, 0..40_usize, bools).prop_map(
        |(most, together, spare, (late_ends, whole))| Ways {
            most,
            together,
            spare,
            late_ends,
            whole,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn documents_may_end_anywhere_in_blocks_and_parts(
        setting in setting(),
        corpus in sentences(late()),
        ways in ways(),
        borders in proptest::collection::vec(0..9_usize, 0..6),
        calls in 1..8_usize,
    ) {
        agree(&setting, &corpus, &ways, (&borders, calls));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn documents_may_be_longer_than_a_block(
        setting in setting(),
        corpus in sentences(long()),
        ways in ways(),
        borders in proptest::collection::vec(0..4_usize, 0..3),
    ) {
        agree(&setting, &corpus, &ways, (&borders, 2));
    }
}

/// Documents of a few sentences; several may have the same name, and some have no sentences.
fn named_documents() -> impl Strategy<Value = Vec<(String, Vec<Pair>)>> {
    let sentences = (4..60_usize, 0..6_usize)
        .prop_flat_map(|(tags, most)| proptest::collection::vec(pair(tags, 12), 0..=most));
    proptest::collection::vec(("[a-c\u{e9}]{0,2}", sentences), 0..9)
}

fn scored<'a>(
    setting: &Setting,
    documents: impl IntoIterator<Item = &'a (String, Vec<Pair>)>,
) -> Counts {
    let (mut reader, mut scorer) = (setting.reader(), setting.scorer());
    for (name, sentences) in documents {
        for pair in sentences {
            let (gold, pred) = intern(&mut reader, pair);
            scorer.add(&reader, &gold, &pred, |_: Side, _| 0);
        }
        scorer.end_document(&reader, Some(name));
    }
    assert_eq!(scorer.failure(), None);
    scorer.counts(&reader)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn shards_with_readers_of_their_own_merge_to_the_whole(
        setting in setting(),
        documents in named_documents(),
        shard_of in proptest::collection::vec(0..4_usize, 9),
        order in Just([0, 1, 2, 3]).prop_shuffle(),
    ) {
        let whole = scored(&setting, &documents);
        let schema = matcher(setting.matcher).schema();
        let mut merged = scored(&setting, []);
        for shard in order {
            let here = documents.iter().zip(&shard_of).filter(|(_, of)| **of == shard);
            let counts = scored(&setting, here.map(|(document, _)| document));
            let stored = counts.to_bytes().unwrap();
            merged.merge(&Counts::from_bytes(&stored, schema).unwrap()).unwrap();
        }
        prop_assert_eq!(totals(&merged), totals(&whole));
        prop_assert_eq!(merged.to_bytes().unwrap(), whole.to_bytes().unwrap());
        if setting.by_document {
            let counted = documents.iter().filter(|(_, sentences)| !sentences.is_empty());
            let names: Vec<Key> = counted.map(|(name, _)| Key::Name(name.as_str().into())).collect();
            let keys: Vec<Key> = whole.rows().map(|row| row.key.clone()).collect();
            prop_assert_eq!(keys, names);
        }
    }
}

/// New names of types: some are equal, some are None.
fn renames() -> impl Strategy<Value = Vec<Option<&'static str>>> {
    let name = proptest::sample::select(vec![Some("A"), Some("C"), Some("Z"), Some(""), None]);
    proptest::collection::vec(name, 4)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn renamed_counts_are_those_of_renamed_spans(
        setting in setting(), corpus in sentences(late()), names in renames(),
    ) {
        let setting = Setting {
            matcher: 0,
            ..setting
        };
        let rename = |name: &str| match name {
            "A" => names[0].map(str::to_owned),
            "C" => names[1].map(str::to_owned),
            "" => names[2].map(str::to_owned),
            other if other.len() > 1 => Some(other[1..].to_owned()),
            _ => names[3].map(str::to_owned),
        };
        let (reader, mut scorer) = one_by_one(&setting, &corpus);
        let renamed = scorer.counts(&reader).renamed(rename).unwrap();
        let count = |document: &Vec<&Pair>| {
            // A separate vocabulary, because several types may now have the same name.
            let (mut reader, mut types) = (setting.reader(), Interner::<str>::default());
            let (mut table, mut exact) = (Table::new(), matcher(0));
            let mut counts = Counts::new(exact.schema());
            for pair in document {
                let (gold, pred) = intern(&mut reader, pair);
                corpus_cells(&mut table, &reader, &gold, &pred);
                let mut named = |side: SideReader<'_>, ids: &[u32]| {
                    let kept = spans(side, ids, &reader, &setting.filter).into_iter();
                    let named = kept.filter_map(|span| {
                        let ty = types.intern(&rename(reader.type_name(span.ty))?);
                        Some(Span { ty, ..span })
                    });
                    named.collect::<Vec<_>>()
                };
                let (gold, pred) = (named(reader.gold(), &gold), named(reader.pred(), &pred));
                let pair = spanrs_eval::Pair::new(Spans::whole(&gold), Spans::whole(&pred));
                let name = |ty: u32| types.name(ty).unwrap().to_owned();
                add_pair(&mut *exact, &pair, &name, &mut counts).unwrap();
            }
            sum([&table, &totals(&counts)])
        };
        let expected: Vec<Table> = by_document(&corpus).iter().map(count).collect();
        prop_assert_eq!(totals(&renamed), sum(&expected));
        if setting.by_document {
            prop_assert_eq!(documents(&renamed), expected);
        }
        let stored = renamed.to_bytes().unwrap();
        let loaded = Counts::from_bytes(&stored, renamed.schema()).unwrap();
        prop_assert_eq!(loaded.to_bytes().unwrap(), stored);
    }
}

fn exact() -> Scorer {
    Scorer::new(matcher(0), KEEP)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn parts_come_to_the_whole_and_to_its_first_error(
        made in made(),
        pairs in late(),
        cuts in proptest::collection::vec(0..8_usize, 0..5),
        bad in proptest::collection::vec(0..40_usize, 0..3),
    ) {
        let mut reader = reader(made);
        let ids: Vec<_> = pairs.iter().map(|pair| intern(&mut reader, pair)).collect();
        let count = |range: Range<usize>, scorer: &mut Scorer| {
            for at in range {
                if bad.contains(&at) {
                    return Err(at);
                }
                scorer.add(&reader, &ids[at].0, &ids[at].1, |_, _| 0);
            }
            Ok(())
        };
        let parts = parts(&cuts, ids.len());
        let (mut whole, mut split) = (exact(), exact());
        let expected = count(0..ids.len(), &mut whole);
        let counted = count_parts(&mut split, &reader, &parts, || false, |range, part, _| count(range, part));
        prop_assert_eq!(counted, expected);
        if expected.is_err() {
            // Nothing was added.
            whole = exact();
        }
        prop_assert_eq!(totals(&split.counts(&reader)), totals(&whole.counts(&reader)));
        prop_assert_eq!(violations(&split), violations(&whole));
    }
}

#[test]
fn readings_of_neighbours_take_blocks_until_there_are_too_many_tags() {
    for reading in [
        Reading::Conlleval,
        Reading::Refuse,
        Reading::Seqeval,
        Reading::Strict,
        Reading::Discard,
        Reading::Ncrfpp,
    ] {
        let mut reader = reader((Scheme::Bio, reading));
        let mut scorer = exact();
        for number in 0..TagBlock::TAGS {
            assert!(scorer.prepare_blocks(&reader), "{reading} {number}");
            reader.intern(&format!("B-{number}")).unwrap();
        }
        assert!(scorer.prepare_blocks(&reader));
        reader.intern("I-1").unwrap();
        assert!(!scorer.prepare_blocks(&reader));
    }
    assert!(!exact().prepare_blocks(&reader((Scheme::Iobes, Reading::SeqevalStrict))));
}
