//! Blocks of sentences beside the same sentences one by one, and beside the definition.
#![allow(clippy::unwrap_used, clippy::expect_used)] // In helpers of tests, too, a panic is the report.

mod common;

use std::ops::Range;

use common::by_sets;
use proptest::prelude::*;
use spanrs_eval::{Counts, Located, Scorer, Side, TagBlock, count_parts};
use spanrs_tags::{Dialect, Reader, Reading, Scheme};

/// Violations kept: few enough that some are not.
const KEEP: usize = 4;

/// Gold and pred of a sentence.
type Pair = (Vec<String>, Vec<String>);

/// Tags of which the first are usual, and the last so many that no reader with all of them takes blocks.
fn tag(number: usize) -> String {
    const USUAL: [&str; 16] = [
        "O", "O", "O", "B-A", "I-A", "I-A", "E-A", "S-A", "B-C", "I-C", "M-A", "U-C", "X", "I", "",
        "E-C",
    ];
    match USUAL.get(number) {
        Some(usual) => (*usual).to_owned(),
        None => format!("{}-{}", ["B", "I"][number % 2], number / 2),
    }
}

/// Two sides that are equal in most places, as real ones are.
fn pair(tags: usize, tokens: usize) -> impl Strategy<Value = Pair> {
    let token = (0..tags, 0..tags, 0..5_u8);
    (proptest::collection::vec(token, 0..tokens), 0..6_u8).prop_map(|(picks, alike)| {
        picks
            .into_iter()
            .map(|(g, p, n)| (tag(g), tag(if n < alike { g } else { p })))
            .unzip()
    })
}

/// Sentences that bring in tags late: the further on, the more tags there are to choose from.
fn late() -> impl Strategy<Value = Vec<Pair>> {
    (1..8_usize, 4..400_usize).prop_flat_map(|(sentences, most)| {
        (0..sentences)
            .map(|at| pair(4 + most * at / sentences, 20))
            .collect::<Vec<_>>()
    })
}

/// Sentences around the length at which a block is full, and empty ones.
fn long() -> impl Strategy<Value = Vec<Pair>> {
    let tokens = prop_oneof![0..3_usize, 8_185..8_230_usize];
    let repeated = (pair(16, 12), tokens).prop_map(|((gold, pred), tokens)| {
        let repeat = |tags: Vec<String>| tags.into_iter().cycle().take(tokens).collect::<Vec<_>>();
        (repeat(gold), repeat(pred))
    });
    proptest::collection::vec(repeated, 1..4)
}

fn made() -> impl Strategy<Value = (Scheme, Reading)> {
    let all: Vec<_> = Scheme::all()
        .flat_map(|scheme| Reading::all().map(move |reading| (scheme, reading)))
        .filter(|&(scheme, reading)| Reader::new(scheme, reading, Dialect::default()).is_ok())
        .collect();
    proptest::sample::select(all)
}

fn reader((scheme, reading): (Scheme, Reading)) -> Reader {
    Reader::new(scheme, reading, Dialect::default()).unwrap()
}

fn intern(reader: &mut Reader, (gold, pred): &Pair) -> (Vec<u32>, Vec<u32>) {
    let mut ids = |tags: &[String]| reader.intern_all(tags.iter().map(String::as_str)).unwrap();
    (ids(gold), ids(pred))
}

/// A line that tells the side, the sentence and the token.
fn line(side: Side, sentence: u64, token: u32) -> u64 {
    sentence * 1_000_000 + u64::from(token) * 2 + u64::from(side == Side::Pred) + 1
}

/// Everything a scorer gives.
#[derive(Debug, PartialEq)]
struct Told {
    counts: Counts,
    documents: Vec<Counts>,
    violations: Vec<(u64, Vec<Located>)>,
}

fn tell(mut scorer: Scorer, reader: &Reader) -> Told {
    let types = reader.types().len();
    let fit = |mut counts: Counts| {
        counts.types.resize(types, Default::default());
        counts
    };
    scorer.end_document(reader);
    Told {
        counts: fit(scorer.counts(reader)),
        documents: scorer.documents().iter().cloned().map(fit).collect(),
        violations: [Side::Gold, Side::Pred]
            .map(|side| scorer.violations(side))
            .map(|found| (found.count, found.first.clone()))
            .into(),
    }
}

/// Sentence by sentence. Documents are as many sentences as `documents` says, over and over.
fn one_by_one(made: (Scheme, Reading), pairs: &[Pair], documents: usize) -> Told {
    let mut reader = reader(made);
    let mut scorer = Scorer::new(KEEP).by_document();
    for (at, pair) in pairs.iter().enumerate() {
        let (gold, pred) = intern(&mut reader, pair);
        let line = |side, token| line(side, at as u64, token);
        scorer.add(&reader, &gold, &pred, line);
        if (at + 1) % documents == 0 {
            scorer.end_document(&reader);
        }
    }
    tell(scorer, &reader)
}

/// By sets of spans and by the list of violations.
fn by_definition(made: (Scheme, Reading), pairs: &[Pair], documents: usize) -> Told {
    let mut reader = reader(made);
    let mut told = Told {
        counts: Counts::default(),
        documents: Vec::new(),
        violations: vec![(0, Vec::new()); 2],
    };
    for (chunk, group) in pairs.chunks(documents).enumerate() {
        let mut document = Counts::default();
        for (at, pair) in group.iter().enumerate() {
            let (gold, pred) = intern(&mut reader, pair);
            by_sets(&mut document, &reader, &gold, &pred);
            let sentence = (chunk * documents + at) as u64;
            for (found, (side, ids)) in told
                .violations
                .iter_mut()
                .zip([(Side::Gold, &gold), (Side::Pred, &pred)])
            {
                for violation in reader.violations(ids) {
                    found.0 += 1;
                    if found.1.len() < KEEP {
                        found.1.push(Located {
                            sentence,
                            line: line(side, sentence, violation.index),
                            violation,
                        });
                    }
                }
            }
        }
        told.counts.merge(&document);
        told.documents.push(document);
    }
    for counts in told.documents.iter_mut().chain([&mut told.counts]) {
        counts
            .types
            .resize(reader.types().len(), Default::default());
    }
    told
}

/// How sentences are put into blocks.
#[derive(Clone, Debug)]
struct Ways {
    /// Sentences that are put in together.
    together: usize,
    /// In room for all of them, not each in room of its own.
    one_room: bool,
    /// Room that is asked for beyond the sentence, as where tokens are left out.
    spare: usize,
    /// Blocks are counted after each run, not only where they are full.
    eager: bool,
}

fn ways() -> impl Strategy<Value = Ways> {
    (1..5_usize, any::<bool>(), 0..40_usize, any::<bool>()).prop_map(
        |(together, one_room, spare, eager)| Ways {
            together,
            one_room,
            spare,
            eager,
        },
    )
}

/// A scorer that is fed by blocks as long as it takes them.
struct Blocks {
    reader: Reader,
    scorer: Scorer,
    block: TagBlock,
    /// Sentences that stand before the block.
    before: u64,
    ways: Ways,
}

impl Blocks {
    fn flush(&mut self) {
        let before = self.before;
        self.before += self.block.sentences();
        let line = |side, sentence, token| line(side, before + sentence, token);
        self.scorer.add_block(&self.reader, &mut self.block, line);
    }

    fn run(&mut self, pairs: &[Pair]) {
        let run: Vec<_> = pairs
            .iter()
            .map(|pair| intern(&mut self.reader, pair))
            .collect();
        if self.reader.tags().len() > TagBlock::TAGS {
            // What was gathered while there were few tags is counted before it is too late.
            self.flush();
        }
        if !self.scorer.takes_blocks(&self.reader) {
            for (gold, pred) in run {
                let before = self.before;
                let line = |side, token| line(side, before, token);
                self.scorer.add(&self.reader, &gold, &pred, line);
                self.before += 1;
            }
            return;
        }
        // Room for all of them, or for each.
        let rooms = if self.ways.one_room { run.len() } else { 1 };
        for few in run.chunks(rooms) {
            let tokens = few.iter().map(|(gold, _)| gold.len()).sum::<usize>();
            let (g, p) = self.block.room(tokens + self.ways.spare);
            let ids = few.iter().flat_map(|(gold, pred)| gold.iter().zip(pred));
            for ((g, p), (gold, pred)) in g.iter_mut().zip(p).zip(ids) {
                (*g, *p) = (*gold as u8, *pred as u8);
            }
            for (gold, _) in few {
                self.block.end(gold.len());
            }
        }
        if self.ways.eager || self.block.is_full() {
            self.flush();
        }
    }
}

fn in_blocks(made: (Scheme, Reading), pairs: &[Pair], documents: usize, ways: &Ways) -> Told {
    let mut blocks = Blocks {
        reader: reader(made),
        scorer: Scorer::new(KEEP).by_document(),
        block: TagBlock::default(),
        before: 0,
        ways: ways.clone(),
    };
    for document in pairs.chunks(documents) {
        for run in document.chunks(ways.together) {
            blocks.run(run);
        }
        blocks.flush();
        blocks.scorer.end_document(&blocks.reader);
    }
    tell(blocks.scorer, &blocks.reader)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    #[test]
    fn blocks_count_what_sentences_count_and_the_definition_says(
        made in made(), pairs in late(), documents in 1..9_usize, ways in ways(),
    ) {
        let expected = by_definition(made, &pairs, documents);
        prop_assert_eq!(&one_by_one(made, &pairs, documents), &expected);
        prop_assert_eq!(&in_blocks(made, &pairs, documents, &ways), &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn sentences_may_be_longer_than_a_block(made in made(), pairs in long(), ways in ways()) {
        let expected = by_definition(made, &pairs, 9);
        prop_assert_eq!(&one_by_one(made, &pairs, 9), &expected);
        prop_assert_eq!(&in_blocks(made, &pairs, 9, &ways), &expected);
    }

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
        let mut borders: Vec<_> = cuts.iter().map(|&cut| cut.min(ids.len())).collect();
        borders.extend([0, ids.len()]);
        borders.sort_unstable();
        let parts: Vec<_> = borders.windows(2).map(|pair| pair[0]..pair[1]).collect();
        let (mut whole, mut split) = (Scorer::new(KEEP), Scorer::new(KEEP));
        let expected = count(0..ids.len(), &mut whole);
        prop_assert_eq!(count_parts(&mut split, &reader, &parts, count), expected);
        if expected.is_err() {
            // Nothing is added then.
            whole = Scorer::new(KEEP);
        }
        prop_assert_eq!(tell(split, &reader), tell(whole, &reader));
    }
}

#[test]
fn readings_of_neighbours_take_blocks_until_there_are_too_many_tags() {
    for reading in [Reading::Conlleval, Reading::Refuse, Reading::Seqeval] {
        let mut reader = reader((Scheme::Bio, reading));
        let mut scorer = Scorer::new(0);
        for number in 0..TagBlock::TAGS {
            assert!(scorer.takes_blocks(&reader), "{reading} {number}");
            reader.intern(&format!("B-{number}")).unwrap();
        }
        assert!(scorer.takes_blocks(&reader));
        reader.intern("I-1").unwrap();
        assert!(!scorer.takes_blocks(&reader));
    }
    assert!(!Scorer::new(0).takes_blocks(&reader((Scheme::Iobes, Reading::Strict))));
}
