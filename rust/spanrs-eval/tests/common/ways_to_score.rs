//! Scoring sentences one by one, in blocks and in parts, and the expected counts.
#![allow(clippy::unwrap_used, clippy::expect_used)] // A panic in a test helper is a test failure.

use std::ops::Range;

use spanrs_base::{Span, Worker};
use spanrs_eval::outcomes::{Counts, Key};
use spanrs_eval::{Located, Scorer, Side, Spans, TagBlock, TypeFilter, add_pair, count_parts};
use spanrs_tags::{Dialect, Reader, Reading, Scheme, SideReader};

use super::common::{Table, by_sets, corpus_cells, documents, sum, totals};
use super::matchers::matcher;

/// Number of violations to keep, small enough that some are not kept.
pub(crate) const KEEP: usize = 4;

/// Gold and pred of a sentence.
pub(crate) type Pair = (Vec<String>, Vec<String>);

pub(crate) fn reader((scheme, reading): (Scheme, Reading)) -> Reader {
    Reader::new(scheme, reading, Dialect::default()).unwrap()
}

pub(crate) fn intern(reader: &mut Reader, (gold, pred): &Pair) -> (Vec<u32>, Vec<u32>) {
    let mut ids = |tags: &[String]| reader.intern_all(tags.iter().map(String::as_str)).unwrap();
    (ids(gold), ids(pred))
}

/// Returns a line number that encodes the side, the sentence and the token.
pub(crate) fn line(side: Side, sentence: u64, token: u32) -> u64 {
    sentence * 1_000_000 + u64::from(token) * 2 + u64::from(side == Side::Pred) + 1
}

/// Returns the number of violations and the first ones, for gold and for pred.
pub(crate) fn violations(scorer: &Scorer) -> Vec<(u64, Vec<Located>)> {
    [Side::Gold, Side::Pred]
        .map(|side| scorer.violations(side))
        .map(|found| (found.count, found.first.clone()))
        .into()
}
/// Ids of gold and pred.
pub(crate) type Ids = (Vec<u32>, Vec<u32>);
/// The end of a document after a sentence, and the name of the document if it has one.
pub(crate) type End = Option<Option<&'static str>>;

/// The settings of a scoring run.
#[derive(Clone, Debug)]
pub(crate) struct Setting {
    pub(crate) matcher: usize,
    pub(crate) made: (Scheme, Reading),
    /// Whether so many tags are interned in advance that sentences are counted one by one instead
    /// of in blocks.
    pub(crate) many_tags: bool,
    /// Number of the scheme of pred; other numbers mean the scheme of gold.
    pub(crate) pred_scheme: usize,
    pub(crate) filter: TypeFilter,
    pub(crate) by_document: bool,
}

impl Setting {
    pub(crate) fn reader(&self) -> Reader {
        let usual = reader(self.made);
        let other = Scheme::all().nth(self.pred_scheme);
        let mixed = other.and_then(|scheme| usual.clone().with_pred_scheme(scheme).ok());
        let mut reader = mixed.unwrap_or(usual);
        for number in 0..if self.many_tags { 200 } else { 0 } {
            reader.intern(&format!("B-{number}")).unwrap();
        }
        reader
    }

    pub(crate) fn scorer(&self) -> Scorer {
        let scorer = Scorer::new(matcher(self.matcher), KEEP).with_filter(self.filter.clone());
        if self.by_document {
            scorer.by_document()
        } else {
            scorer
        }
    }
}

/// Sentences, each with the document end after it.
pub(crate) type Corpus = Vec<(Pair, End)>;

/// Adds each sentence as soon as its tags are interned.
pub(crate) fn one_by_one(setting: &Setting, corpus: &Corpus) -> (Reader, Scorer) {
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

/// Options for filling blocks.
#[derive(Clone, Debug)]
pub(crate) struct Ways {
    /// Number of sentences after which a block is counted, unless it is full earlier.
    pub(crate) most: u64,
    /// Number of sentences of a document that are added with one reservation.
    pub(crate) together: usize,
    /// Number of extra tokens to reserve.
    pub(crate) spare: usize,
    /// Whether a document ends in the block after the block with its last sentence.
    pub(crate) late_ends: bool,
    /// Whether blocks are counted when a document ends.
    pub(crate) whole: bool,
}

/// Collects sentences in blocks for a scorer.
pub(crate) struct Blocks<'a> {
    block: TagBlock,
    ways: &'a Ways,
    /// Sentences for the next reservation.
    run: Vec<Ids>,
    /// Number of the first sentence of the block.
    first: u64,
    waiting: u64,
}

impl<'a> Blocks<'a> {
    fn new(ways: &'a Ways, first: u64) -> Self {
        Self {
            block: TagBlock::default(),
            ways,
            run: Vec::new(),
            first,
            waiting: 0,
        }
    }

    fn write(&mut self) {
        let tokens: usize = self.run.iter().map(|(gold, _)| gold.len()).sum();
        let (g, p) = self.block.reserve(tokens + self.ways.spare);
        let ids = self
            .run
            .iter()
            .flat_map(|(gold, pred)| gold.iter().zip(pred));
        for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(ids) {
            (*g, *p) = (*gold as u8, *pred as u8);
        }
        for (gold, _) in self.run.drain(..) {
            self.block.end(gold.len());
            self.waiting += 1;
        }
    }

    fn flush(&mut self, reader: &Reader, scorer: &mut Scorer) {
        self.write();
        let first = self.first;
        self.first += std::mem::take(&mut self.waiting);
        let line = |side, sentence, token| line(side, first + sentence, token);
        scorer.add_block(reader, &mut self.block, line);
    }

    fn put(&mut self, reader: &Reader, scorer: &mut Scorer, (gold, pred): &Ids, end: End) {
        if reader.tags().len() > TagBlock::TAGS {
            // Sentences collected while there were few tags must be counted before there are too
            // many.
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
        self.run.push((gold.clone(), pred.clone()));
        if end.is_some() || self.run.len() == self.ways.together {
            self.write();
        }
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

/// Counts in blocks with document ends, while the tags are interned.
pub(crate) fn in_blocks(setting: &Setting, corpus: &Corpus, ways: &Ways) -> (Reader, Scorer) {
    let (mut reader, mut scorer) = (setting.reader(), setting.scorer());
    let mut blocks = Blocks::new(ways, 0);
    for (pair, end) in corpus {
        let ids = intern(&mut reader, pair);
        blocks.put(&reader, &mut scorer, &ids, *end);
    }
    blocks.flush(&reader, &mut scorer);
    (reader, scorer)
}

/// Returns the ranges between the beginning, the borders and the end.
pub(crate) fn parts(borders: &[usize], len: usize) -> Vec<Range<usize>> {
    let mut borders: Vec<_> = borders.iter().map(|&cut| cut.min(len)).collect();
    borders.extend([0, len]);
    borders.sort_unstable();
    borders.windows(2).map(|pair| pair[0]..pair[1]).collect()
}

/// Counts in parts at once, each part in blocks; `calls` contains the number of parts for each
/// call.
pub(crate) fn in_parts(
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
    let parts = parts(borders, ids.len());
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

/// Returns the sentences of each document.
pub(crate) fn by_document(corpus: &Corpus) -> Vec<Vec<&Pair>> {
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

/// Returns the spans of a side that the filter keeps.
pub(crate) fn spans(
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

/// Counts by passing every sentence to the matcher, including equal ones; one table per document.
pub(crate) fn by_comparing(setting: &Setting, documents: &[Vec<&Pair>]) -> Vec<Table> {
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

/// Counts by comparing sets of spans.
pub(crate) fn by_definition(setting: &Setting, documents: &[Vec<&Pair>]) -> Vec<Table> {
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

/// Returns the violations of gold and of pred, listed sentence by sentence.
pub(crate) fn listed_violations(setting: &Setting, corpus: &Corpus) -> Vec<(u64, Vec<Located>)> {
    let mut reader = setting.reader();
    let mut all = vec![(0, Vec::new()); 2];
    for (sentence, (pair, _)) in (0..).zip(corpus) {
        let (gold, pred) = intern(&mut reader, pair);
        let found = [
            (Side::Gold, reader.gold().violations(&gold)),
            (Side::Pred, reader.pred().violations(&pred)),
        ];
        for ((count, first), (side, violations)) in all.iter_mut().zip(found) {
            *count += violations.len() as u64;
            for violation in violations.into_iter().take(KEEP - first.len()) {
                let line = line(side, sentence, violation.index);
                first.push(Located {
                    sentence,
                    line,
                    violation,
                });
            }
        }
    }
    all
}

/// Asserts that scoring sentences one by one, in blocks and in parts gives the same counts as the
/// matcher and as sets of spans.
pub(crate) fn agree(
    setting: &Setting,
    corpus: &Corpus,
    ways: &Ways,
    (borders, calls): (&[usize], usize),
) {
    let (reader, mut scorer) = one_by_one(setting, corpus);
    let expected = scorer.counts(&reader);
    assert_eq!(scorer.failure(), None);
    assert_eq!(violations(&scorer), listed_violations(setting, corpus));
    let tables = by_comparing(setting, &by_document(corpus));
    assert_eq!(totals(&expected), sum(&tables));
    if setting.by_document {
        assert_eq!(documents(&expected), tables);
        let ends = corpus.iter().filter_map(|(_, end)| *end).chain([None]);
        let key = |(number, name): (u64, Option<&str>)| match name {
            Some(name) => Key::Name(name.into()),
            None => Key::Number(number),
        };
        let keys: Vec<Key> = expected.rows().map(|row| row.key.clone()).collect();
        let named = (0..).zip(ends).map(key).take(keys.len());
        assert_eq!(keys, named.collect::<Vec<_>>());
    }
    if setting.matcher == 0 {
        assert_eq!(by_definition(setting, &by_document(corpus)), tables);
    }
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
