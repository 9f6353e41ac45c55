//! Documents: however sentences are put into blocks, parts and shards, the counts are the same bytes.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

mod common;
#[path = "common/matchers.rs"]
mod matchers;
#[path = "common/tag_pairs.rs"]
mod tag_pairs;

use std::ops::Range;

use common::{Table, by_sets, corpus_cells, documents, sum, totals};
use matchers::matcher;
use proptest::prelude::*;
use spanrs_base::{Interner, Span, Worker};
use spanrs_eval::outcomes::{Counts, Key};
use spanrs_eval::{Scorer, Side, Spans, TagBlock, TypeFilter, add_pair, count_parts};
use spanrs_tags::{Reader, Reading, Scheme, SideReader};
use tag_pairs::{KEEP, Pair, intern, late, line, long, made, pair, reader, violations};

/// Ids of gold and pred.
type Ids = (Vec<u32>, Vec<u32>);
/// The end of a document behind a sentence, and its name if it has one.
type End = Option<Option<&'static str>>;

/// What is scored, and how.
#[derive(Clone, Debug)]
struct Setting {
    matcher: usize,
    made: (Scheme, Reading),
    /// Pred is in this scheme, where there is one of this number.
    pred_scheme: usize,
    filter: TypeFilter,
    by_document: bool,
}

fn setting() -> impl Strategy<Value = Setting> {
    let names = |names: &[&str]| names.iter().map(|&name| name.into()).collect::<Vec<_>>();
    let kept = prop_oneof![Just(None), Just(Some(names(&["A", "", "9"])))];
    let excluded = prop_oneof![Just(vec![]), Just(names(&["C", "10"]))];
    let filter = (kept, excluded).prop_map(|(keep, exclude)| TypeFilter { keep, exclude });
    (0..4_usize, made(), 0..40_usize, filter, any::<bool>()).prop_map(
        |(matcher, made, pred_scheme, filter, by_document)| Setting {
            matcher,
            made,
            pred_scheme,
            filter,
            by_document,
        },
    )
}

impl Setting {
    fn reader(&self) -> Reader {
        let usual = reader(self.made);
        let other = Scheme::all().nth(self.pred_scheme);
        let mixed = other.and_then(|scheme| usual.clone().with_pred_scheme(scheme).ok());
        mixed.unwrap_or(usual)
    }

    fn scorer(&self) -> Scorer {
        let scorer = Scorer::new(matcher(self.matcher), KEEP).with_filter(self.filter.clone());
        if self.by_document {
            scorer.by_document()
        } else {
            scorer
        }
    }
}

/// Sentences, each with what ends behind it.
type Corpus = Vec<(Pair, End)>;

fn sentences(pairs: impl Strategy<Value = Vec<Pair>>) -> impl Strategy<Value = Corpus> {
    let end = prop_oneof![
        3 => Just(None),
        1 => Just(Some(None)),
        1 => proptest::sample::select(vec![Some(Some("a")), Some(Some("b")), Some(Some(""))]),
    ];
    (pairs, proptest::collection::vec(end, 8))
        .prop_map(|(pairs, ends)| pairs.into_iter().zip(ends).collect())
}

/// Tags in the order of the sentences, which are added as soon as their tags are known.
fn one_by_one(setting: &Setting, corpus: &Corpus) -> (Reader, Scorer) {
    let (mut reader, mut scorer) = (setting.reader(), setting.scorer());
    for (at, (pair, end)) in (0..).zip(corpus) {
        let (gold, pred) = intern(&mut reader, pair);
        scorer.add(&reader, &gold, &pred, |side, token| line(side, at, token));
        if let Some(name) = end {
            scorer.end_document(&reader, *name);
        }
    }
    (reader, scorer)
}

/// How blocks are filled.
#[derive(Clone, Debug)]
struct Ways {
    /// Blocks are counted after so many sentences, unless they are full before.
    most: u64,
    /// Room that is asked for beyond the sentence.
    spare: usize,
    /// A document ends in the block behind the one with its last sentence.
    late_ends: bool,
    /// Blocks are counted where a document ends.
    whole: bool,
}

fn ways() -> impl Strategy<Value = Ways> {
    (1..9_u64, 0..40_usize, any::<bool>(), any::<bool>()).prop_map(
        |(most, spare, late_ends, whole)| Ways {
            most,
            spare,
            late_ends,
            whole,
        },
    )
}

/// Blocks of sentences on their way to a scorer.
struct Blocks<'a> {
    block: TagBlock,
    ways: &'a Ways,
    /// Number of the first sentence of the block.
    first: u64,
    waiting: u64,
}

impl<'a> Blocks<'a> {
    fn new(ways: &'a Ways, first: u64) -> Self {
        Self {
            block: TagBlock::default(),
            ways,
            first,
            waiting: 0,
        }
    }

    fn flush(&mut self, reader: &Reader, scorer: &mut Scorer) {
        let first = self.first;
        self.first += std::mem::take(&mut self.waiting);
        let line = |side, sentence, token| line(side, first + sentence, token);
        scorer.add_block(reader, &mut self.block, line);
    }

    fn put(&mut self, reader: &Reader, scorer: &mut Scorer, (gold, pred): &Ids, end: End) {
        if reader.tags().len() > TagBlock::TAGS {
            // What was gathered while there were few tags is counted before it is too late.
            self.flush(reader, scorer);
        }
        if !scorer.prepare_blocks(reader) {
            let first = self.first;
            scorer.add(reader, gold, pred, |side, token| line(side, first, token));
            self.first += 1;
            if let Some(name) = end {
                scorer.end_document(reader, name);
            }
            return;
        }
        let (g, p) = self.block.reserve(gold.len() + self.ways.spare);
        for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(gold.iter().zip(pred)) {
            (*g, *p) = (*gold as u8, *pred as u8);
        }
        self.block.end(gold.len());
        self.waiting += 1;
        if let Some(name) = end {
            if self.ways.late_ends {
                self.flush(reader, scorer);
            }
            self.block.end_document(name);
        }
        let whole = end.is_some() && self.ways.whole;
        if whole || self.waiting >= self.ways.most || self.block.is_full() {
            self.flush(reader, scorer);
        }
    }
}

/// In blocks that documents end in, while the tags become known.
fn in_blocks(setting: &Setting, corpus: &Corpus, ways: &Ways) -> (Reader, Scorer) {
    let (mut reader, mut scorer) = (setting.reader(), setting.scorer());
    let mut blocks = Blocks::new(ways, 0);
    for (pair, end) in corpus {
        let ids = intern(&mut reader, pair);
        blocks.put(&reader, &mut scorer, &ids, *end);
    }
    blocks.flush(&reader, &mut scorer);
    (reader, scorer)
}

/// In parts that are counted at once, each in blocks; `calls` says how many parts each call gets.
fn in_parts(
    setting: &Setting,
    corpus: &Corpus,
    ways: &Ways,
    borders: &[usize],
    calls: usize,
) -> (Reader, Scorer) {
    let (mut reader, mut scorer) = (setting.reader(), setting.scorer());
    let ids: Vec<Ids> = corpus
        .iter()
        .map(|(pair, _)| intern(&mut reader, pair))
        .collect();
    let mut borders: Vec<_> = borders.iter().map(|&cut| cut.min(ids.len())).collect();
    borders.extend([0, ids.len()]);
    borders.sort_unstable();
    let parts: Vec<_> = borders.windows(2).map(|two| two[0]..two[1]).collect();
    let count = |range: Range<usize>, scorer: &mut Scorer, worker: &mut Worker<'_>| {
        let mut blocks = Blocks::new(ways, range.start as u64);
        for at in range {
            blocks.put(&reader, scorer, &ids[at], corpus[at].1);
        }
        blocks.flush(&reader, scorer);
        worker.check()
    };
    for parts in parts.chunks(calls) {
        count_parts(&mut scorer, &reader, parts, || false, count).unwrap();
    }
    (reader, scorer)
}

/// The sentences of each document.
fn by_document(corpus: &Corpus) -> Vec<Vec<&Pair>> {
    let mut documents = vec![Vec::new()];
    for (pair, end) in corpus {
        documents.last_mut().unwrap().push(pair);
        if end.is_some() {
            documents.push(Vec::new());
        }
    }
    documents.retain(|document| !document.is_empty());
    documents
}

/// The spans of a side that the filter keeps.
fn spans(
    side: SideReader<'_>,
    ids: &[u32],
    reader: &Reader,
    filter: &TypeFilter,
) -> Vec<Span<i64>> {
    let spans = side.spans(ids).into_iter().map(Span::<i64>::from);
    spans
        .filter(|span| filter.counts(reader.type_name(span.ty)))
        .collect()
}

/// By showing the matcher every sentence, the same ones included; by document.
fn by_comparing(setting: &Setting, documents: &[Vec<&Pair>]) -> Vec<Table> {
    let mut reader = setting.reader();
    let mut matcher = matcher(setting.matcher);
    let mut tables = Vec::new();
    for document in documents {
        let (mut table, mut counts) = (Table::new(), Counts::new(matcher.schema()));
        for pair in document {
            let (gold, pred) = intern(&mut reader, pair);
            corpus_cells(&mut table, &reader, &gold, &pred);
            let gold = spans(reader.gold(), &gold, &reader, &setting.filter);
            let pred = spans(reader.pred(), &pred, &reader, &setting.filter);
            let pair = spanrs_eval::Pair::new(Spans::whole(&gold), Spans::whole(&pred));
            let name = |ty: u32| reader.type_name(ty).to_owned();
            add_pair(&mut *matcher, &pair, &name, &mut counts).unwrap();
        }
        tables.push(sum([&table, &totals(&counts)]));
    }
    tables
}

/// By sets of spans.
fn by_definition(setting: &Setting, documents: &[Vec<&Pair>]) -> Vec<Table> {
    let mut reader = setting.reader();
    let count = |document: &Vec<&Pair>| {
        let mut table = Table::new();
        for pair in document {
            let (gold, pred) = intern(&mut reader, pair);
            by_sets(&mut table, &reader, &gold, &pred);
        }
        let kept = |ty: &Option<String>| ty.as_deref().is_none_or(|ty| setting.filter.counts(ty));
        table.retain(|(_, _, gold, pred), _| kept(gold) && kept(pred));
        table
    };
    documents.iter().map(count).collect()
}

fn same_in_blocks_and_parts(
    setting: &Setting,
    corpus: &Corpus,
    ways: &Ways,
    (borders, calls): (&[usize], usize),
) {
    let (reader, mut scorer) = one_by_one(setting, corpus);
    let expected = scorer.counts(&reader);
    assert_eq!(scorer.failure(), None);
    for (reader, mut other) in [
        in_blocks(setting, corpus, ways),
        in_parts(setting, corpus, ways, borders, calls),
    ] {
        let counts = other.counts(&reader);
        assert_eq!(totals(&counts), totals(&expected));
        assert_eq!(documents(&counts), documents(&expected));
        assert_eq!(counts.to_bytes().unwrap(), expected.to_bytes().unwrap());
        assert_eq!(violations(&other), violations(&scorer));
        assert_eq!(other.failure(), None);
    }
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
        same_in_blocks_and_parts(&setting, &corpus, &ways, (&borders, calls));
    }

    #[test]
    fn the_walk_over_tags_counts_what_comparing_every_sentence_counts(
        setting in setting(), corpus in sentences(late()),
    ) {
        let expected = by_comparing(&setting, &by_document(&corpus));
        let (reader, mut scorer) = one_by_one(&setting, &corpus);
        let counts = scorer.counts(&reader);
        prop_assert_eq!(totals(&counts), sum(&expected));
        if setting.by_document {
            prop_assert_eq!(documents(&counts), &expected[..]);
        }
        if setting.matcher == 0 {
            prop_assert_eq!(by_definition(&setting, &by_document(&corpus)), expected);
        }
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
        same_in_blocks_and_parts(&setting, &corpus, &ways, (&borders, 2));
    }
}

/// Documents of a few sentences; several may have one name, and some have no sentence.
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

/// Names instead of those of types: some the same, some none.
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
            // A vocabulary of its own, because several types may have one name now.
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
